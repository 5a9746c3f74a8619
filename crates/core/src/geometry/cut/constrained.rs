//! Constrained Delaunay triangulation of the inside of a polygon in the plane.

use std::collections::HashMap;

use spade::handles::FixedVertexHandle;
use spade::{ConstrainedDelaunayTriangulation, Point2, Triangulation};

/// Coordinates whose absolute value is below this number are set to zero, because `spade` rejects
/// numbers close to zero. The polygon has a size of about 1.
const SMALL: f64 = 1e-40;

/// Triangulates the inside of a closed polygon with exact predicates.
///
/// The triangles are counterclockwise and in ascending order, each with its lowest corner first.
/// Corners at the same position are replaced by the first of them. An edge that the polygon passes
/// twice, such as the bridge to a hole, does not separate the inside from the outside. Returns
/// `None` if edges cross, or if `spade` rejects a coordinate.
pub(super) fn triangulate(corners: &[[f64; 2]]) -> Option<Vec<[u32; 3]>> {
    let mut mesh = ConstrainedDelaunayTriangulation::<Point2<f64>>::new();
    let mut numbers: Vec<u32> = Vec::with_capacity(corners.len());
    let mut handles: Vec<FixedVertexHandle> = Vec::with_capacity(corners.len());
    let mut known: HashMap<[u64; 2], FixedVertexHandle> = HashMap::new();
    for (corner, x) in (0_u32..).zip(corners) {
        // Adding zero turns -0 into 0.
        let [x, y] = x.map(|c| if c.abs() < SMALL { 0.0 } else { c } + 0.0);
        let key = [x.to_bits(), y.to_bits()];
        let handle = match known.get(&key) {
            Some(&handle) => handle,
            None => {
                let handle = mesh.insert(Point2::new(x, y)).ok()?;
                known.insert(key, handle);
                numbers.push(corner);
                handle
            }
        };
        handles.push(handle);
    }
    let odd = boundary(&mut mesh, &handles)?;
    Some(inside(&mesh, &odd, &numbers))
}

/// Adds the edges of the polygon. Returns, for each edge of the triangulation, whether the polygon
/// passes it an odd number of times. Returns `None` if edges cross.
fn boundary(
    mesh: &mut ConstrainedDelaunayTriangulation<Point2<f64>>,
    handles: &[FixedVertexHandle],
) -> Option<Vec<bool>> {
    let mut odd = vec![false; mesh.num_undirected_edges()];
    for (k, &from) in handles.iter().enumerate() {
        let to = handles[(k + 1) % handles.len()];
        if from == to {
            continue;
        }
        let pieces = mesh.try_add_constraint(from, to);
        if pieces.is_empty() {
            return None;
        }
        for piece in pieces {
            let flag = &mut odd[piece.as_undirected().index()];
            *flag = !*flag;
        }
    }
    Some(odd)
}

/// Returns the triangles inside the polygon. A path from the outside to such a triangle crosses the
/// boundary an odd number of times.
fn inside(
    mesh: &ConstrainedDelaunayTriangulation<Point2<f64>>,
    odd: &[bool],
    numbers: &[u32],
) -> Vec<[u32; 3]> {
    let mut side: Vec<Option<bool>> = vec![None; mesh.num_all_faces()];
    let outer = mesh.outer_face();
    side[outer.index()] = Some(false);
    let mut waiting = Vec::new();
    for edge in mesh.convex_hull() {
        waiting.push((edge.rev().fix(), edge.fix()));
        waiting.push((edge.fix(), edge.rev().fix()));
    }
    while let Some((from, to)) = waiting.pop() {
        let (from, to) = (mesh.directed_edge(from), mesh.directed_edge(to));
        let Some(here) = side[from.face().index()] else { continue };
        let slot = &mut side[to.face().index()];
        if slot.is_some() {
            continue;
        }
        *slot = Some(here ^ odd[to.as_undirected().index()]);
        for next in [to.next(), to.prev()] {
            waiting.push((next.fix(), next.rev().fix()));
        }
    }
    let mut triangles: Vec<[u32; 3]> = mesh
        .inner_faces()
        .filter(|face| side[face.index()] == Some(true))
        .map(|face| {
            let mut corners = face.vertices().map(|v| numbers[v.index()]);
            let lowest = (0..3).min_by_key(|&k| corners[k]).unwrap_or(0);
            corners.rotate_left(lowest);
            corners
        })
        .collect();
    triangles.sort_unstable();
    triangles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hole_behind_a_bridge_is_left_open() {
        let outer = [[0.0, 0.0], [3.0, 0.0], [3.0, 3.0], [0.0, 3.0], [0.0, 0.0]];
        let hole = [[1.0, 1.0], [1.0, 2.0], [2.0, 2.0], [2.0, 1.0], [1.0, 1.0]];
        let corners = [&outer[..], &hole[..]].concat();
        let triangles = triangulate(&corners).unwrap();
        assert_eq!(triangles.len(), corners.len() - 2);
        let area = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|k| corners[k as usize]);
            0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
        };
        assert!(triangles.iter().all(|t| area(t) > 0.0));
        assert_eq!(triangles.iter().map(area).sum::<f64>(), 8.0);
    }

    #[test]
    fn crossings_are_found_and_flat_polygons_are_empty() {
        let square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        let bow = [square[0], square[2], square[1], square[3]];
        assert_eq!(triangulate(&bow), None);
        assert_eq!(triangulate(&[[0.0, 0.0]; 3]), Some(Vec::new()));
        assert_eq!(triangulate(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]), Some(Vec::new()));
    }
}
