//! The rims of a surface that is not closed, and how fast winding numbers change near them.
//!
//! Off a closed surface the winding number is constant. In general its gradient is that of the solid
//! angle of the surface's border, a sum over the border's edges (as the field of a wire by Biot and
//! Savart): |grad w| is at most the sum of length / (4 pi distance^2).

use std::f64::consts::PI;

use rayon::prelude::*;

use super::bvh::{Tree, box_of};
use crate::geometry::Vec3;

/// Boxes of rims count as a whole at this many of their diagonals.
const FAR: f64 = 2.0;

/// Edges where the triangles of a surface do not cancel: those that are run along more often one way
/// than the other.
#[derive(Clone, Debug)]
pub(super) struct Rims {
    tree: Tree,
    /// Length of the edges in each node, times how often they are run along.
    lengths: Vec<f64>,
}

impl Rims {
    /// Rims of `triangles` (`[n * 3]`); vertices at the same position are the same.
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
        let mut boxes = Vec::new();
        let mut weights = Vec::new();
        for edge in sides.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let excess: i32 = edge.iter().map(|side| side.2).sum();
            let (a, b) = (at(edge[0].0), at(edge[0].1));
            if excess != 0 && a != b {
                boxes.push(box_of(&[a, b]));
                weights.push(f64::from(excess.abs()) * (b - a).norm());
            }
        }
        let tree = Tree::new(&boxes);
        let mut lengths = vec![0.0; tree.nodes.len()];
        // Children stand behind their parents.
        for k in (0..tree.nodes.len()).rev() {
            let node = &tree.nodes[k];
            lengths[k] = if node.is_leaf() {
                node.pieces().map(|piece| weights[tree.order[piece] as usize]).sum()
            } else {
                lengths[k + 1] + lengths[node.second as usize]
            };
        }
        Rims { tree, lengths }
    }

    /// True for a closed surface.
    pub fn is_empty(&self) -> bool {
        self.tree.order.is_empty()
    }

    /// A bound of |grad w| in the ball around `center`; infinite where a rim may pass through it.
    pub fn steepest(&self, center: Vec3, radius: f64) -> f64 {
        let mut sum = 0.0;
        self.tree.descend(|k, node| {
            let distance = (node.distance2(center).sqrt() - radius).max(0.0);
            let whole = node.is_leaf() || distance > FAR * node.diagonal();
            if whole {
                sum += self.lengths[k] / (4.0 * PI * distance * distance);
            }
            !whole
        });
        sum
    }
}

/// For each vertex the first one, in order of coordinates, at its position.
fn merged(vertices: &[[f64; 3]]) -> Vec<u32> {
    // Minus zero is zero.
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
        // Each triangle with vertices of its own, as in an STL file.
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
                // Far triangles are approximated.
                assert!(slope <= bound + 0.02, "{slope} {bound}");
                tight = tight.max(slope / bound);
            }
        }
        assert!(tight > 0.2, "{tight}");
    }
}
