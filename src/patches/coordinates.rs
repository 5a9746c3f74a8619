//! Vertex coordinates of each patch in the scalar of the solver.

use super::Patches;
use crate::geometry::{Real, Vec3};
use crate::mesh::Mesh;

/// Coordinates of the local vertices of every patch; in `f32` relative to the first vertex of the
/// patch.
///
/// The shift is done in `f64` before any conversion, so that a mesh far from the origin keeps its
/// shape in `f32`. In `f64` it would gain nothing, for cells only take differences, and would let
/// their last bits depend on the partition.
pub struct Coordinates<R: Real> {
    /// `[sum of local vertices]`, in the order of [`Patches::local_range`].
    local: Vec<Vec3<R>>,
}

impl<R: Real> Coordinates<R> {
    /// Coordinates of a mesh that was cut into `patches`.
    pub fn new(mesh: &Mesh, patches: &Patches) -> Self {
        let order = patches.mesh_vertices();
        let at = |v: usize| mesh.vertices[order[v] as usize];
        let mut local = Vec::with_capacity(patches.local_range(patches.len() - 1).end);
        for p in 0..patches.len() {
            let patch = patches.patch(p);
            let origin = if R::KEEPS_F64 { [0.0; 3] } else { at(patch.first) };
            let halo = patch.halo.iter().map(|&v| v as usize);
            for v in patch.owned().chain(halo) {
                let x = at(v);
                local.push(Vec3::from_fn(|k, _| R::narrow(x[k] - origin[k])));
            }
        }
        Coordinates { local }
    }

    /// Coordinates of the local vertices of patch `p`.
    #[inline]
    pub fn of<'a>(&'a self, patches: &Patches, p: usize) -> &'a [Vec3<R>] {
        &self.local[patches.local_range(p)]
    }
}
