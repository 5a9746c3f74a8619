//! Cells that overlap with others whose vertices are at the same places, as in two sheets that are
//! cut along different diagonals.

use std::cell::Cell;

use super::cell_list::oriented_measure;
use super::overlap::Inside;
use crate::geometry::Vec3;
use crate::mesh::point_tree::PointTree;
use crate::mesh::{Kind, Mesh};
use crate::parallel::*;

/// The barycentric coordinates of the examined points of a cell. By chance, one of them may lie
/// close to a side of another cell, as centers often do.
const IN_CELL: [[f64; 4]; 2] = [[0.29, 0.32, 0.39, 0.0], [0.23, 0.54, 0.23, 0.0]];
const IN_TETRAHEDRON: [[f64; 4]; 2] = [[0.22, 0.24, 0.25, 0.29], [0.17, 0.43, 0.19, 0.21]];
/// The largest distance of a point from the plane of a triangle with which it overlaps, relative to
/// the longest edge of the triangle. Different diagonals of a quadrilateral that is not flat lie
/// apart.
const THICKNESS: f64 = 0.05;
/// The smallest cosine of the angle between the planes of triangles that overlap.
const PARALLEL: f64 = 0.99;

/// Returns the cells that contain a point of another cell with separate vertices, in ascending
/// order. Only cells whose corners all coincide with other vertices are examined, and cells with
/// the same corners are not counted.
///
/// `place` lists, for each vertex, the first vertex at the same place. It is empty if all places
/// differ.
pub(super) fn overlapping(mesh: &Mesh, place: &[u32]) -> Vec<u32> {
    if place.is_empty() {
        return Vec::new();
    }
    let mut n_at = vec![0_u32; place.len()];
    place.iter().for_each(|&p| n_at[p as usize] += 1);
    let is_shared = |&v: &u32| n_at[place[v as usize] as usize] > 1;
    let arity = mesh.kind.arity();
    let corners = |cell: u32| &mesh.cells[cell as usize * arity..][..arity];
    let all = (0..mesh.n_cells() as u32).into_par_iter();
    let candidates: Vec<u32> = all.filter(|&c| corners(c).iter().all(is_shared)).collect();
    let places = |cell: u32| {
        let mut places = [0; 4];
        corners(cell).iter().zip(&mut places).for_each(|(&v, p)| *p = place[v as usize]);
        places[..arity].sort_unstable();
        places
    };
    // Of many cells at the same places, one is enough to be found.
    let mut others: Vec<([u32; 4], u32)> =
        candidates.par_iter().map(|&cell| (places(cell), cell)).collect();
    others.par_sort_unstable();
    others.dedup_by_key(|(places, _)| *places);
    let points: Vec<[f64; 3]> =
        others.par_iter().flat_map_iter(|&(_, c)| points_of(mesh, corners(c))).collect();
    let tree = PointTree::new(&points, (0..points.len() as u32).collect());
    let normal = |cell: u32| oriented_measure(&mesh.vertices, corners(cell));
    let are_parallel = |a: u32, b: u32| {
        let (a, b) = (normal(a), normal(b));
        mesh.kind == Kind::Volume || a.dot(&b).abs() > PARALLEL * a.norm() * b.norm()
    };
    let overlaps = |&cell: &u32| {
        let Some(inside) = Inside::of(mesh, corners(cell)) else { return false };
        let around = Around::of(mesh, corners(cell));
        let (own, found) = (places(cell), Cell::new(false));
        let meets = |low: &[f64; 3], high: &[f64; 3]| {
            !found.get() && around.meets(low, high) && inside.meets(low, high)
        };
        tree.visit(meets, |point| {
            let (places, other) = others[point as usize / IN_CELL.len()];
            let x = points[point as usize];
            if !found.get()
                && around.is_near(x)
                && inside.contains(x)
                && places != own
                && are_parallel(cell, other)
            {
                found.set(true);
            }
        });
        found.get()
    };
    candidates.par_iter().copied().filter(|cell| overlaps(cell)).collect()
}

/// Returns two points inside a cell.
fn points_of(mesh: &Mesh, corners: &[u32]) -> [[f64; 3]; 2] {
    let weights = if corners.len() == 4 { IN_TETRAHEDRON } else { IN_CELL };
    let at = |v: u32, k: usize| mesh.vertices[v as usize][k];
    weights
        .map(|w| std::array::from_fn(|k| w.iter().zip(corners).map(|(w, &v)| w * at(v, k)).sum()))
}

/// A box around a cell, and the distances of points from the plane of a triangle.
struct Around {
    low: [f64; 3],
    high: [f64; 3],
    origin: Vec3,
    /// The unit normal of a triangle in space, and zero for other cells.
    normal: Vec3,
    most: f64,
}

impl Around {
    fn of(mesh: &Mesh, corners: &[u32]) -> Self {
        let at = |v: &u32| Vec3::from(mesh.vertices[*v as usize]);
        let origin = at(&corners[0]);
        let longest = corners.iter().map(|v| (at(v) - origin).norm()).fold(0.0, f64::max);
        let (normal, most) = match mesh.kind {
            Kind::Surface => {
                let normal = oriented_measure(&mesh.vertices, corners);
                (normal / normal.norm(), THICKNESS * longest)
            }
            Kind::Planar | Kind::Volume => (Vec3::zeros(), 0.0),
        };
        let bound = |k: usize, choose: fn(f64, f64) -> f64, start: f64| {
            corners.iter().map(|v| at(v)[k]).fold(start, choose)
        };
        Around {
            low: std::array::from_fn(|k| bound(k, f64::min, f64::INFINITY) - most),
            high: std::array::from_fn(|k| bound(k, f64::max, f64::NEG_INFINITY) + most),
            origin,
            normal,
            most,
        }
    }

    fn meets(&self, low: &[f64; 3], high: &[f64; 3]) -> bool {
        (0..3).all(|k| low[k] <= self.high[k] && high[k] >= self.low[k])
    }

    fn is_near(&self, x: [f64; 3]) -> bool {
        (Vec3::from(x) - self.origin).dot(&self.normal).abs() <= self.most
    }
}
