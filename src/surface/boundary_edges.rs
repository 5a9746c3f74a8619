//! The boundary of an open surface, and bounds on how fast winding numbers change near it.
//!
//! Away from a closed surface, the winding number is constant. In general, its gradient depends
//! only on the boundary of the surface, like the magnetic field of a wire (Biot-Savart law): |grad
//! w| is at most the integral of 1 / (4 pi distance^2) along the boundary.

use std::f64::consts::PI;

use super::bvh::{Tree, box_of};
use crate::geometry::Vec3;
use crate::geometry::simplex::closest_point;
use crate::parallel::*;

/// Distance from a box, in diagonals of the box, beyond which the integral along its edges is
/// bounded as a whole.
const FAR: f64 = 4.0;

/// Boundary edges of a surface: edges along which triangles run more often in one direction than in
/// the other.
#[derive(Clone, Debug)]
pub(super) struct Rims {
    tree: Tree,
    /// Ends of each edge in tree order, and the excess of one direction over the other.
    edges: Vec<([Vec3; 2], f64)>,
    /// Total length of the edges in each node, weighted by their excess.
    lengths: Vec<f64>,
}

impl Rims {
    /// Finds the boundary edges of `triangles` (`[n * 3]`). Vertices at the same position count as
    /// one.
    pub fn new(vertices: &[[f64; 3]], triangles: &[u32]) -> Self {
        let same = merged(vertices);
        let mut sides: Vec<(u32, u32, i32)> = triangles
            .par_chunks_exact(3)
            .flat_map_iter(|t| {
                let [a, b, c] = [0, 1, 2].map(|k| same[t[k] as usize]);
                [(a, b), (b, c), (c, a)].map(|(i, j)| if i < j { (i, j, 1) } else { (j, i, -1) })
            })
            .collect();
        sides.par_sort_unstable();
        let at = |v: u32| Vec3::from(vertices[v as usize]);
        let mut edges = Vec::new();
        for edge in sides.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let excess: i32 = edge.iter().map(|side| side.2).sum();
            let ends = [at(edge[0].0), at(edge[0].1)];
            if excess != 0 && ends[0] != ends[1] {
                edges.push((ends, f64::from(excess.abs())));
            }
        }
        let tree = Tree::new(&edges.iter().map(|(ends, _)| box_of(ends)).collect::<Vec<_>>());
        let edges: Vec<_> = tree.order.iter().map(|&k| edges[k as usize]).collect();
        let mut lengths = vec![0.0; tree.nodes.len()];
        // Children follow their parents, so the reverse order visits children first.
        for k in (0..tree.nodes.len()).rev() {
            let node = &tree.nodes[k];
            lengths[k] = if node.is_leaf() {
                edges[node.pieces()].iter().map(|([a, b], n)| n * (b - a).norm()).sum()
            } else {
                lengths[k + 1] + lengths[node.second as usize]
            };
        }
        Rims { tree, edges, lengths }
    }

    /// Returns whether there are no boundary edges, as on a closed surface.
    pub fn is_empty(&self) -> bool {
        self.tree.order.is_empty()
    }

    /// Returns an upper bound on |grad w| in the ball of this radius around `center`. It is
    /// infinite if the boundary passes through the ball.
    pub fn steepest(&self, center: Vec3, radius: f64) -> f64 {
        let mut sum = 0.0;
        self.tree.descend(|k, node| {
            let gap = node.distance2(center).sqrt() - radius;
            let whole = gap > FAR * node.diagonal();
            if whole {
                sum += self.lengths[k] / (gap * gap);
            } else if node.is_leaf() {
                let edges = self.edges[node.pieces()].iter();
                sum += edges.map(|(ends, n)| n * integral(ends, center, radius)).sum::<f64>();
            }
            !whole
        });
        sum / (4.0 * PI)
    }
}

/// Returns an upper bound on the integral of 1 / distance^2 along a segment, where the distance is
/// measured from any point of the ball of this radius around `center`. The bound is exact for
/// radius 0.
fn integral(ends: &[Vec3; 2], center: Vec3, radius: f64) -> f64 {
    let nearest = (closest_point(center, ends) - center).norm();
    if nearest <= radius {
        return f64::INFINITY;
    }
    let [u, v] = ends.map(|x| x - center);
    let (cross, dot, length) = (u.cross(&v).norm(), u.dot(&v), (v - u).norm());
    // The integral from the center is the angle at the center divided by the height, or its limit
    // if the height vanishes.
    let from_center =
        if cross > 1e-9 * dot { length * libm::atan2(cross, dot) / cross } else { length / dot };
    // Of all points of the segment, the nearest one is the one whose distance a move within the
    // ball can reduce by the largest factor.
    let share = 1.0 - radius / nearest;
    from_center / (share * share)
}

/// Returns, for each vertex, the first vertex at the same position.
pub(super) fn merged(vertices: &[[f64; 3]]) -> Vec<u32> {
    // Adding zero turns minus zero into zero.
    let bits = |v: u32| vertices[v as usize].map(|x| (x + 0.0).to_bits());
    let mut order: Vec<u32> = (0..vertices.len() as u32).collect();
    order.par_sort_unstable_by_key(|&v| (bits(v), v));
    let mut same = vec![0; vertices.len()];
    for run in order.chunk_by(|&a, &b| bits(a) == bits(b)) {
        run.iter().for_each(|&v| same[v as usize] = run[0]);
    }
    same
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::{Generate, Sphere, generate};
    use crate::surface::TriangleIndex;

    #[test]
    fn closed_surfaces_have_no_rim_however_they_are_stored() {
        let sphere = generate(&Generate::Sphere(Sphere::default())).unwrap();
        assert!(Rims::new(&sphere.vertices, &sphere.cells).is_empty());
        // Each triangle has its own vertices, as in an STL file.
        let soup: Vec<[f64; 3]> =
            sphere.cells.iter().map(|&v| sphere.vertices[v as usize]).collect();
        let all: Vec<u32> = (0..soup.len() as u32).collect();
        assert!(Rims::new(&soup, &all).is_empty());
        assert_eq!(Rims::new(&soup, &all).steepest(Vec3::zeros(), 0.5), 0.0);
        let mut turned = sphere.cells.clone();
        turned.swap(0, 1);
        assert_eq!(Rims::new(&sphere.vertices, &turned).tree.order.len(), 3);
    }

    #[test]
    fn winding_numbers_change_no_faster_than_the_bound() {
        let sphere = generate(&Generate::Sphere(Sphere::default())).unwrap();
        let half: Vec<u32> = sphere
            .iter_cells()
            .filter(|t| t.iter().all(|&v| sphere.vertices[v as usize][2] > -0.3))
            .flatten()
            .copied()
            .collect();
        let (rims, index) =
            (Rims::new(&sphere.vertices, &half), TriangleIndex::new(&sphere.vertices, &half));
        let mut tight: f64 = 0.0;
        for k in 0..400 {
            let p = [0.731, 0.417, 0.593].map(|f| 0.6 * (f64::from(k) * f).fract() - 0.3);
            let bound = rims.steepest(p.into(), 0.05);
            for axis in 0..3 {
                let at = |d: f64| {
                    let mut q = p;
                    q[axis] += d;
                    index.winding_number(q)
                };
                let slope = (at(0.05) - at(-0.05)).abs() / 0.1;
                // Distant triangles are approximated.
                assert!(slope <= bound + 0.02, "{slope} {bound}");
                tight = tight.max(slope / bound);
            }
        }
        assert!(tight > 0.4, "{tight}");
    }

    #[test]
    fn integrals_are_those_of_sums_over_pieces() {
        let ends = [Vec3::new(1.0, 0.5, 0.0), Vec3::new(-0.5, 1.0, 2.0)];
        for center in [Vec3::zeros(), Vec3::new(0.2, 0.9, 1.1), ends[0] * 2.0 - ends[1]] {
            let n = 20_000;
            let length = (ends[1] - ends[0]).norm();
            let piece = |k: i32| {
                let x = ends[0] + (ends[1] - ends[0]) * ((f64::from(k) + 0.5) / f64::from(n));
                length / f64::from(n) / (x - center).norm_squared()
            };
            let sum: f64 = (0..n).map(piece).sum();
            let found = integral(&ends, center, 0.0);
            assert!((found / sum - 1.0).abs() < 1e-5, "{found} {sum}");
            // The bound holds for all points on the sphere around the center.
            let bound = integral(&ends, center, 0.1);
            for k in 0..3 {
                let mut moved = center;
                moved[k] += 0.1;
                assert!(integral(&ends, moved, 0.0) <= bound);
                moved[k] -= 0.2;
                assert!(integral(&ends, moved, 0.0) <= bound);
            }
        }
        assert_eq!(integral(&ends, (ends[0] + ends[1]) * 0.5, 0.0), f64::INFINITY);
    }
}
