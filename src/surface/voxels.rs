//! Finds the voxels inside a closed surface, row by row, and the voxels that a surface crosses,
//! slice by slice (the Dicer of Ziegler et al. 2006, section 8).
//!
//! Along a row of voxels in the direction of x, the winding number of a closed surface changes by
//! one at each crossing. It increases where the row enters the surface, and decreases where it
//! leaves. One pass over the triangles therefore gives the exact winding number of all voxels.
//! Signs of exact predicates in the y-z plane decide whether a row meets a triangle (J. R.
//! Shewchuk, "Adaptive precision floating-point arithmetic and fast robust geometric predicates",
//! 1997). A row through an edge or a vertex counts as moved by (e, e^2) with an infinitesimal
//! positive e. All triangles that share the edge or vertex agree, so no crossing is lost or
//! counted twice.
//!
//! Surfaces with holes have fractional winding numbers. These are computed voxel by voxel.

mod crossed_voxels;

use std::borrow::Cow;

use robust::{Coord, orient2d};

use self::crossed_voxels::Passage;
use super::{Orientation, TriangleIndex, orient};
use crate::error::{Error, Result};
use crate::geometry::Vec3;
use crate::mesh::{Kind, Mesh, boundary};
use crate::parallel::*;
use crate::primitives::GatherMatrix;
use crate::primitives::memory::reserve;

/// Voxels of a box, x fastest. Voxel (i, j, k) has its center at `origin + spacing * (i, j, k)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Voxels {
    /// Number of voxels along x, y and z.
    pub shape: [usize; 3],
    /// Center of the first voxel, in mesh units.
    pub origin: [f64; 3],
    /// Edge length of a voxel, in mesh units.
    pub spacing: f64,
    /// One mark for each voxel, `[shape[0] * shape[1] * shape[2]]`, x fastest: 1 for a voxel that
    /// is inside ([`Voxels::inside`]) or that the surface crosses ([`Voxels::passed`]), otherwise
    /// 0.
    pub marks: Vec<u8>,
}

impl Voxels {
    /// Marks the voxels of edge length `spacing`, in mesh units, whose centers are inside a mesh,
    /// which means that the absolute value of the winding number is above 1/2. Also returns how the
    /// triangles were oriented.
    ///
    /// For tetrahedra, the boundary of the mesh is used. The box of voxels is centered on the
    /// bounding box of the mesh, with `margin` more voxels on each side.
    ///
    /// # Errors
    /// Returns [`Error::Mesh`] for a planar mesh, for a mesh without triangles, and for a mesh
    /// without extent along an axis. Returns [`Error::Device`] if there is not enough memory, and
    /// [`Error::Case`] if the spacing is not positive and finite.
    pub fn inside(mesh: &Mesh, spacing: f64, margin: usize) -> Result<(Self, Orientation)> {
        if mesh.kind == Kind::Planar {
            let what = "a planar mesh has no inside";
            return Err(Error::mesh("", what, "give a closed surface, or tetrahedra"));
        }
        let skin = skin(mesh)?;
        let (vertices, mut triangles) = (&skin.vertices, skin.cells.clone());
        let orientation = orient(vertices, &mut triangles);
        let (low, high) = used_box(vertices, &triangles)?;
        if (0..3).any(|k| low[k] == high[k]) {
            let what = "a flat surface has no inside";
            return Err(Error::mesh("", what, "give a closed surface, or tetrahedra"));
        }
        let mut voxels = Self::none(low, high, spacing, margin)?;
        // As long as no edge is open, winding numbers are integers, even if a component cannot be
        // oriented or an edge has several triangles.
        match orientation.open_edges {
            0 => voxels.by_rows(vertices, &triangles),
            _ => voxels.one_by_one(&TriangleIndex::new(vertices, &triangles)),
        }
        Ok((voxels, orientation))
    }

    /// Marks the voxels that a surface crosses, of the same size and in the same box as
    /// [`Voxels::inside`]. A voxel is marked if a triangle has a point in common with it, even on a
    /// face, an edge or a corner.
    ///
    /// Holes, flat surfaces and planar meshes need no special treatment. For tetrahedra, the
    /// boundary of the mesh is used.
    ///
    /// # Errors
    /// Returns [`Error::Mesh`] if there are no triangles. Returns [`Error::Device`] if there is not
    /// enough memory, and [`Error::Case`] if the spacing is not positive and finite.
    pub fn passed(mesh: &Mesh, spacing: f64, margin: usize) -> Result<Self> {
        let skin = skin(mesh)?;
        let (low, high) = used_box(&skin.vertices, &skin.cells)?;
        let mut voxels = Self::none(low, high, spacing, margin)?;
        let (origin, shape) = (voxels.origin, voxels.shape);
        let place = |x: [f64; 3]| std::array::from_fn(|k| (x[k] - origin[k]) / spacing);
        voxels.each_slice(&skin.vertices, &skin.cells, |k, slice, triangles| {
            let mut passage = Passage::new(shape);
            triangles.for_each(|x| passage.mark(&x.map(place), k, slice));
        });
        Ok(voxels)
    }

    /// Creates unmarked voxels around a box.
    fn none(low: [f64; 3], high: [f64; 3], spacing: f64, margin: usize) -> Result<Self> {
        if !(spacing > 0.0 && spacing.is_finite()) {
            let what = format!("voxels of edge {spacing}");
            return Err(Error::usage(what, "give a positive number"));
        }
        let count = |k: usize| ((high[k] - low[k]) / spacing).ceil().max(1.0) + 2.0 * margin as f64;
        let shape = [count(0), count(1), count(2)].map(|n| n as usize);
        let n = shape.iter().try_fold(1_usize, |n, &size| n.checked_mul(size));
        let origin = std::array::from_fn(|k| {
            0.5 * (low[k] + high[k]) - 0.5 * spacing * (shape[k] as f64 - 1.0)
        });
        let mut marks = Vec::new();
        reserve(&mut marks, n.unwrap_or(usize::MAX), "voxels", "use larger voxels")?;
        marks.resize(n.unwrap_or(0), 0);
        Ok(Voxels { shape, origin, spacing, marks })
    }

    /// Returns the number of marked voxels.
    pub fn count(&self) -> usize {
        self.marks.par_iter().map(|&v| usize::from(v)).sum()
    }

    fn center(&self, axis: usize, n: usize) -> f64 {
        self.origin[axis] + self.spacing * n as f64
    }

    /// Returns the indices along an axis whose centers may lie between `low` and `high`, and one
    /// additional index on each side.
    fn span(&self, axis: usize, low: f64, high: f64) -> std::ops::Range<usize> {
        let index = |x: f64| (x - self.origin[axis]) / self.spacing;
        let begin = (index(low).floor() - 1.0).max(0.0) as usize;
        let end = (index(high).ceil() + 2.0).max(0.0) as usize;
        begin.min(self.shape[axis])..end.min(self.shape[axis])
    }

    /// Processes all slices in parallel, each with the corners of the triangles that may meet it.
    fn each_slice(
        &mut self,
        vertices: &[[f64; 3]],
        triangles: &[u32],
        work: impl Fn(usize, &mut [u8], &mut dyn Iterator<Item = [[f64; 3]; 3]>) + Sync,
    ) {
        let corners = |t: usize| -> [[f64; 3]; 3] {
            std::array::from_fn(|k| vertices[triangles[3 * t + k] as usize])
        };
        let slices = |t: usize| {
            let z = corners(t).map(|x| x[2]);
            self.span(2, z[0].min(z[1]).min(z[2]), z[0].max(z[1]).max(z[2]))
        };
        let n = triangles.len() / 3;
        let met = (0..n).flat_map(|t| slices(t).map(move |k| (k as u32, t as u32)));
        let (rows, of_slot): (Vec<u32>, Vec<u32>) = met.unzip();
        let of_slice = GatherMatrix::new(self.shape[2], &rows);
        let [nx, ny, _] = self.shape;
        self.marks.par_chunks_mut(nx * ny).enumerate().for_each(|(k, slice)| {
            let met = of_slice.row(k).iter().map(|&slot| of_slot[slot as usize] as usize);
            work(k, slice, &mut met.map(corners));
        });
    }

    fn by_rows(&mut self, vertices: &[[f64; 3]], triangles: &[u32]) {
        // A copy of the fields that do not change, without the marks.
        let frame = Voxels { marks: Vec::new(), ..*self };
        let [nx, ny, _] = self.shape;
        self.each_slice(vertices, triangles, |k, slice, triangles| {
            // Change of the winding number before each voxel.
            let mut changes = vec![0_i32; nx * ny];
            let z = frame.center(2, k);
            for x in triangles {
                let y = x.map(|x| x[1]);
                for j in frame.span(1, y[0].min(y[1]).min(y[2]), y[0].max(y[1]).max(y[2])) {
                    let Some((sign, at)) = crossing(&x, frame.center(1, j), z) else { continue };
                    let voxel = ((at - frame.origin[0]) / frame.spacing).floor() + 1.0;
                    // If the normal points in the positive x direction, the row leaves the inside
                    // here.
                    if voxel < nx as f64 {
                        changes[j * nx + voxel.max(0.0) as usize] -= sign;
                    }
                }
            }
            for (row, changes) in slice.chunks_mut(nx).zip(changes.chunks(nx)) {
                let mut winding = 0;
                for (voxel, change) in row.iter_mut().zip(changes) {
                    winding += change;
                    *voxel = u8::from(winding != 0);
                }
            }
        });
    }

    fn one_by_one(&mut self, index: &TriangleIndex) {
        let [nx, ny, _] = self.shape;
        let mut marks = std::mem::take(&mut self.marks);
        marks.par_chunks_mut(nx).enumerate().for_each(|(row, voxels)| {
            let (y, z) = (self.center(1, row % ny), self.center(2, row / ny));
            for (i, voxel) in voxels.iter_mut().enumerate() {
                *voxel = u8::from(index.winding_number([self.center(0, i), y, z]).abs() > 0.5);
            }
        });
        self.marks = marks;
    }
}

/// Returns the mesh itself, or its boundary if the cells are tetrahedra.
fn skin(mesh: &Mesh) -> Result<Cow<'_, Mesh>> {
    match mesh.kind {
        Kind::Volume => boundary(mesh, None).map(|found| Cow::Owned(found.surface)),
        Kind::Surface | Kind::Planar => Ok(Cow::Borrowed(mesh)),
    }
}

/// Returns the bounding box of the vertices that triangles use.
fn used_box(vertices: &[[f64; 3]], triangles: &[u32]) -> Result<([f64; 3], [f64; 3])> {
    if triangles.is_empty() {
        let what = "no triangles, so no voxel is inside or crossed";
        return Err(Error::mesh("", what, "give a surface, or tetrahedra"));
    }
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for &v in triangles {
        for k in 0..3 {
            low[k] = low[k].min(vertices[v as usize][k]);
            high[k] = high[k].max(vertices[v as usize][k]);
        }
    }
    Ok((low, high))
}

/// Returns where the row at (y, z) meets a triangle, and the sign of the crossing: 1 if the normal
/// points in the positive x direction, otherwise -1. Returns `None` if the row misses the triangle.
fn crossing(x: &[[f64; 3]; 3], y: f64, z: f64) -> Option<(i32, f64)> {
    let point = Coord { x: y, y: z };
    let flat = x.map(|x| Coord { x: x[1], y: x[2] });
    let mut areas = [0.0; 3];
    let mut signs = 0;
    for k in 0..3 {
        let (a, b) = (flat[(k + 1) % 3], flat[(k + 2) % 3]);
        areas[k] = orient2d(a, b, point);
        // If the point lies on the line, use the sign of the change when it moves by (e, e^2).
        let side = match areas[k] {
            area if area != 0.0 => area,
            _ if a.y != b.y => a.y - b.y,
            _ => b.x - a.x,
        };
        signs += (side > 0.0) as i32 - (side < 0.0) as i32;
    }
    if signs.abs() != 3 {
        return None;
    }
    let at =
        Vec3::new(x[0][0], x[1][0], x[2][0]).dot(&Vec3::from(areas)) / areas.iter().sum::<f64>();
    Some((signs / 3, at))
}

#[cfg(test)]
mod tests;
