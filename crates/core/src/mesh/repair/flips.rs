//! Removal of a thin tetrahedron by a flip: the tetrahedra around one of its edges are replaced by
//! tetrahedra without this edge, which fill the same space.
//!
//! Let `a` and `b` be the ends of the edge. The other vertices of the tetrahedra around it form a
//! closed ring. If the ring is cut into triangles, each triangle forms one tetrahedron with `a` and
//! one with `b` (L. Freitag, C. Ollivier-Gooch, 1997).

use super::cell_list::{CellList, oriented_measure};
use super::simplices::shape;
use crate::geometry::Vec3;

/// The largest number of tetrahedra around an edge that is removed.
const LARGEST_RING: usize = 8;
/// The largest relative difference of volumes that counts as rounding.
const SAME: f64 = 1e-9;

/// The tetrahedra that a flip removes, and those that take their place.
pub(super) struct Flip {
    pub gone: Vec<u32>,
    pub corners: Vec<[u32; 4]>,
    /// The smallest height of the new tetrahedra, relative to their longest edges.
    thinness: f64,
}

/// Returns the best flip of an edge of `cell`: the one with the largest minimum thinness of the new
/// tetrahedra. Returns `None` if this minimum does not exceed `bound`.
///
/// Edges and faces for which `fixed` returns true are kept. A flip replaces only cells for which
/// `alike` returns true when it compares them with `cell`.
pub(super) fn best(
    cells: &CellList,
    vertices: &[[f64; 3]],
    cell: u32,
    bound: f64,
    fixed: impl Fn(&[u32]) -> bool,
    alike: impl Fn(u32, u32) -> bool,
) -> Option<Flip> {
    let corners = cells.corners(cell).to_vec();
    let edges = (0..4).flat_map(|j| (0..j).map(move |i| [i, j]));
    let mut best: Option<Flip> = None;
    for [a, b] in edges.map(|edge| edge.map(|k| corners[k])) {
        let gone = cells.cells_with(&[a, b]);
        let Some(ring) = ring(cells, &gone, [a, b]) else { continue };
        let is_fixed = fixed(&[a, b]) || ring.iter().any(|&v| fixed(&[a, b, v]));
        if is_fixed || gone.iter().any(|&other| !alike(cell, other)) {
            continue;
        }
        let volume: f64 = gone.iter().map(|&c| size(vertices, cells.corners(c)).abs()).sum();
        for first in 0..ring.len() {
            let Some(corners) = fan(vertices, &ring, first, [a, b], volume) else { continue };
            let thinness = corners.iter().map(|corners| thinness(vertices, corners));
            let thinness = thinness.fold(f64::INFINITY, f64::min);
            let least = best.as_ref().map_or(bound, |flip| flip.thinness);
            if thinness > least {
                best = Some(Flip { gone: gone.clone(), corners, thinness });
            }
        }
    }
    best
}

/// Returns six times the oriented volume of a tetrahedron.
fn size(vertices: &[[f64; 3]], corners: &[u32]) -> f64 {
    oriented_measure(vertices, corners).x
}

fn thinness(vertices: &[[f64; 3]], corners: &[u32]) -> f64 {
    shape(&[0, 1, 2, 3].map(|k| Vec3::from(vertices[corners[k] as usize]))).thinness
}

/// Returns the vertices around an edge in order, or `None` if its cells do not enclose it or if
/// there are more than [`LARGEST_RING`] of them.
fn ring(cells: &CellList, around: &[u32], edge: [u32; 2]) -> Option<Vec<u32>> {
    if !(3..=LARGEST_RING).contains(&around.len()) {
        return None;
    }
    let link = |&cell: &u32| -> Option<[u32; 2]> {
        let others = cells.corners(cell).iter().filter(|v| !edge.contains(v));
        <[u32; 2]>::try_from(others.copied().collect::<Vec<u32>>()).ok()
    };
    let mut links = around.iter().map(link).collect::<Option<Vec<_>>>()?;
    let [first, mut last] = links.pop()?;
    let mut ring = vec![first];
    while last != first {
        ring.push(last);
        let at = links.iter().position(|link| link.contains(&last))?;
        let [p, q] = links.swap_remove(at);
        last = if p == last { q } else { p };
    }
    links.is_empty().then_some(ring)
}

/// Returns the tetrahedra of a ring that is cut into triangles at its vertex `first`, or `None` if
/// they do not fill the given volume.
fn fan(
    vertices: &[[f64; 3]],
    ring: &[u32],
    first: usize,
    [a, b]: [u32; 2],
    volume: f64,
) -> Option<Vec<[u32; 4]>> {
    let n = ring.len();
    let at = |k: usize| ring[(first + k) % n];
    let mut all = Vec::with_capacity(2 * (n - 2));
    let (mut filled, mut side) = (0.0, 0.0_f64);
    for k in 1..n - 1 {
        let [p, q, r] = [at(0), at(k), at(k + 1)];
        let (above, below) = (size(vertices, &[p, q, r, a]), size(vertices, &[p, q, r, b]));
        // Every triangle must separate the ends of the edge, with `a` always on the same side.
        if above * below >= 0.0 || above * side < 0.0 {
            return None;
        }
        side = above;
        filled += above.abs() + below.abs();
        all.extend(match above > 0.0 {
            true => [[p, q, r, a], [q, p, r, b]],
            false => [[q, p, r, a], [p, q, r, b]],
        });
    }
    ((filled - volume).abs() <= SAME * volume).then_some(all)
}
