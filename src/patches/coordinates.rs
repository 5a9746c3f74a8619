//! The vertex coordinates of each patch in the floating-point type of the solver.

use super::Patches;
use crate::error::{Element, Error, Position, Result};
use crate::geometry::{Real, Vec3, simplex::Simplex};
use crate::mesh::Mesh;
use crate::parallel::*;

/// The coordinates of the local vertices of every patch, in mesh units.
///
/// In `f32`, coordinates are relative to the first vertex of the patch. The difference is computed
/// in `f64`, so that a mesh far from the origin keeps its shape. In `f64`, coordinates are the mesh
/// coordinates. Then a cell has the same geometry in every patch, and sums are bitwise identical
/// for every partition.
pub struct Coordinates<R: Real> {
    /// The coordinates of all local vertices, `[sum of local vertices]`, in the order of
    /// [`Patches::local_range`].
    local: Vec<Vec3<R>>,
    /// Whether the third coordinate is the same everywhere.
    is_planar: bool,
}

impl<R: Real> Coordinates<R> {
    /// Collects the coordinates of a mesh that was partitioned into `patches`.
    pub fn new(mesh: &Mesh, patches: &Patches) -> Self {
        let order = patches.mesh_vertices();
        let at = |v: usize| mesh.vertices[order[v] as usize];
        let mut local = Vec::with_capacity(patches.n_local());
        for p in 0..patches.len() {
            let patch = patches.patch(p);
            let origin = if R::SHIFTED { at(patch.first) } else { [0.0; 3] };
            let halo = patch.halo.iter().map(|&v| v as usize);
            for v in patch.owned().chain(halo) {
                let x = at(v);
                local.push(Vec3::from_fn(|k, _| R::of(x[k] - origin[k])));
            }
        }
        let height = mesh.vertices.first().map_or(0.0, |x| x[2]);
        let is_planar = mesh.vertices.par_iter().all(|x| x[2] == height);
        Coordinates { local, is_planar }
    }

    /// Returns the coordinates of the local vertices of patch `p`, `[n_local]`.
    #[inline]
    pub fn of<'a>(&'a self, patches: &Patches, p: usize) -> &'a [Vec3<R>] {
        &self.local[patches.local_range(p)]
    }

    /// Returns true if the mesh lies in a plane of constant z.
    pub fn is_planar(&self) -> bool {
        self.is_planar
    }

    /// Checks that every cell has a positive, finite measure and finite gradients in the
    /// floating-point type.
    ///
    /// # Errors
    /// Returns [`Error::Mesh`] for the first cell, in patch order, that fails the check. The error
    /// gives the index of the cell in the cleaned mesh and a remedy.
    pub fn check(&self, patches: &Patches) -> Result<()> {
        let unfit = (0..patches.len()).into_par_iter().find_map_first(|p| match patches.arity() {
            3 => self.unfit_cell::<3>(patches, p),
            _ => self.unfit_cell::<4>(patches, p),
        });
        match unfit {
            None => Ok(()),
            Some(cell) => Err(Error::mesh(
                Position::Element(Element::Cell, cell.into()),
                format!("its size or shape exceeds the range of {}", R::NAME),
                match R::NAME {
                    f64::NAME => "scale the mesh to edges near 1",
                    _ => "set precision = \"f64\", or scale the mesh to edges near 1",
                },
            )),
        }
    }

    fn unfit_cell<const N: usize>(&self, patches: &Patches, p: usize) -> Option<u32> {
        let patch = patches.patch(p);
        let x = self.of(patches, p);
        patch.cells.iter().zip(patch.corners.chunks_exact(N)).find_map(|(&cell, corners)| {
            let simplex = Simplex::new(&std::array::from_fn::<_, N, _>(|i| x[corners[i] as usize]));
            let fits = simplex.meas > R::zero()
                && simplex.meas.is_finite()
                && simplex.grads.iter().all(|g| g.norm().is_finite());
            (!fits).then_some(cell)
        })
    }
}
