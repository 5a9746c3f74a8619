//! Voxels inside of a closed surface, row by row, and voxels that a surface passes, slice by slice
//! (Ziegler et al. 2006, section 8: the Dicer).
//!
//! Along each row of voxels, in the direction of x, the winding number of a closed surface changes by
//! one at each crossing: up where the row enters, down where it leaves. So one pass over the triangles
//! gives the winding number of all voxels, exactly. Whether a row meets a triangle is decided in the
//! plane of y and z by signs of exact predicates (J. R. Shewchuk, "Adaptive precision floating-point
//! arithmetic and fast robust geometric predicates", 1997); a row through an edge or a vertex counts
//! as moved by (e, e^2) with e > 0 without end small, so triangles that share it agree and no crossing
//! is lost or counted twice.
//!
//! The numbers of surfaces with holes are fractions; these are asked for voxel by voxel.

mod passed;

use std::borrow::Cow;

use rayon::prelude::*;
use robust::{Coord, orient2d};

use self::passed::Passage;
use super::{Orientation, TriangleIndex, orient};
use crate::error::{Error, Result};
use crate::geometry::Vec3;
use crate::mesh::{Kind, Mesh, boundary};
use crate::primitives::GatherMatrix;
use crate::primitives::memory::reserve;

/// Voxels of a box, x fastest; voxel (i, j, k) has its center at `origin + spacing * (i, j, k)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Voxels {
    /// Voxels along x, y and z.
    pub shape: [usize; 3],
    /// Center of the first.
    pub origin: [f64; 3],
    /// Edge of each, in units of the mesh.
    pub spacing: f64,
    /// 1 for a voxel inside, or one that the surface passes; 0 for others.
    pub marks: Vec<u8>,
}

impl Voxels {
    /// The voxels of edge `spacing` round a mesh whose centers are inside: those with a winding number
    /// of a size above 1/2. Of tetrahedra the boundary counts. The box is that of the mesh, in the
    /// middle of its voxels, with `margin` more on each side. Beside them what was found in the
    /// triangles.
    ///
    /// # Errors
    /// [`Error::Mesh`] for a planar mesh, and one without extent; [`Error::Device`] if there is not
    /// enough memory; [`Error::Case`] for a spacing that is no positive number.
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
        // One part that cannot be turned, or edges of several triangles, leave winding numbers whole
        // as long as no edge is open.
        match orientation.open_edges {
            0 => voxels.by_rows(vertices, &triangles),
            _ => voxels.one_by_one(&TriangleIndex::new(vertices, &triangles)),
        }
        Ok((voxels, orientation))
    }

    /// The voxels that a surface passes, in the box that [`Voxels::inside`] has: those that a triangle
    /// has a point in common with, be it of a face, an edge or a corner. Holes, flat surfaces and
    /// planar meshes are nothing special. Of tetrahedra the boundary counts.
    ///
    /// # Errors
    /// [`Error::Mesh`] without triangles; [`Error::Device`] if there is not enough memory;
    /// [`Error::Case`] for a spacing that is no positive number.
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

    /// Unmarked voxels round a box.
    fn none(low: [f64; 3], high: [f64; 3], spacing: f64, margin: usize) -> Result<Self> {
        if !(spacing > 0.0 && spacing.is_finite()) {
            let what = format!("voxels of edge {spacing}");
            return Err(Error::usage(what, "give a number above 0"));
        }
        let count = |k: usize| ((high[k] - low[k]) / spacing).ceil().max(1.0) + 2.0 * margin as f64;
        let shape = [count(0), count(1), count(2)].map(|n| n as usize);
        let n = shape.iter().try_fold(1_usize, |n, &size| n.checked_mul(size));
        let origin = std::array::from_fn(|k| {
            0.5 * (low[k] + high[k]) - 0.5 * spacing * (shape[k] as f64 - 1.0)
        });
        let mut marks = Vec::new();
        reserve(&mut marks, n.unwrap_or(usize::MAX), "voxels", "take larger voxels")?;
        marks.resize(n.unwrap_or(0), 0);
        Ok(Voxels { shape, origin, spacing, marks })
    }

    /// Number of voxels with a mark.
    pub fn count(&self) -> usize {
        self.marks.par_iter().map(|&v| usize::from(v)).sum()
    }

    fn center(&self, axis: usize, n: usize) -> f64 {
        self.origin[axis] + self.spacing * n as f64
    }

    /// Indices along an axis whose centers may lie from `low` to `high`, one more on each side.
    fn span(&self, axis: usize, low: f64, high: f64) -> std::ops::Range<usize> {
        let index = |x: f64| (x - self.origin[axis]) / self.spacing;
        let begin = (index(low).floor() - 1.0).max(0.0) as usize;
        let end = (index(high).ceil() + 2.0).max(0.0) as usize;
        begin.min(self.shape[axis])..end.min(self.shape[axis])
    }

    /// All slices at once, each with the triangles that may meet it, by their corners.
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
        // What stays as it is beside the marks.
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
                    // A normal towards x is where the row leaves.
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

/// The mesh itself, or the boundary of tetrahedra.
fn skin(mesh: &Mesh) -> Result<Cow<'_, Mesh>> {
    match mesh.kind {
        Kind::Volume => boundary(mesh).map(Cow::Owned),
        Kind::Surface | Kind::Planar => Ok(Cow::Borrowed(mesh)),
    }
}

/// The box of the vertices that triangles have.
fn used_box(vertices: &[[f64; 3]], triangles: &[u32]) -> Result<([f64; 3], [f64; 3])> {
    if triangles.is_empty() {
        let what = "no triangles: no voxel is inside or passed";
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

/// Where the row at (y, z) meets a triangle, and with which sign: 1 if the normal points towards x.
fn crossing(x: &[[f64; 3]; 3], y: f64, z: f64) -> Option<(i32, f64)> {
    let point = Coord { x: y, y: z };
    let flat = x.map(|x| Coord { x: x[1], y: x[2] });
    let mut areas = [0.0; 3];
    let mut signs = 0;
    for k in 0..3 {
        let (a, b) = (flat[(k + 1) % 3], flat[(k + 2) % 3]);
        areas[k] = orient2d(a, b, point);
        // For a point on the line: the sign of its change when the point moves by (e, e^2).
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
