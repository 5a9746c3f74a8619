//! Distances between two sets of simplices: curves, surfaces, solids or points.

use super::bvh::{Tree, box_of};
use crate::geometry::{Vec3, simplex};
use crate::parallel::*;
use crate::primitives::UnionFind;

/// Points per partial sum. The number is fixed, so that the mean does not depend on the number of
/// threads.
const BLOCK: usize = 512;

/// Points, segments, triangles or tetrahedra.
#[derive(Clone, Copy, Debug)]
pub struct Pieces<'a> {
    vertices: &'a [[f64; 3]],
    /// The vertices of each piece, `[n * arity]`.
    corners: &'a [u32],
    /// Number of vertices of each piece, 1 to 4.
    arity: usize,
}

/// The distances from the vertices of one set of pieces to the nearest points of another set, in
/// mesh units.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Separation {
    /// Mean distance of the vertices, in their unit.
    pub mean: f64,
    /// Largest distance of a vertex, in the same unit.
    pub largest: f64,
    /// The vertex with the largest distance, or the first of them if there are several.
    pub vertex: u32,
    /// Position of this vertex, in the same unit.
    pub position: [f64; 3],
}

impl<'a> Pieces<'a> {
    /// Creates a set of pieces from the vertices of each, `[n * arity]`. The vertices must exist
    /// and be finite.
    pub fn new(vertices: &'a [[f64; 3]], corners: &'a [u32], arity: usize) -> Self {
        Pieces { vertices, corners, arity: arity.clamp(1, 4) }
    }

    /// Returns the number of pieces.
    pub fn len(&self) -> usize {
        self.corners.len() / self.arity
    }

    /// Returns true if there are no pieces.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the total length, area or volume, depending on the kind of the pieces, in the unit
    /// of the vertices to the power 1, 2 or 3. It is 0 for points.
    pub fn measure(&self) -> f64 {
        let of_piece = |piece: &[u32]| {
            let x = self.corners_of(piece);
            let [b, c, d] = [1, 2, 3].map(|k| x[k] - x[0]);
            match piece.len() {
                2 => b.norm(),
                3 => 0.5 * b.cross(&c).norm(),
                4 => b.cross(&c).dot(&d).abs() / 6.0,
                _ => 0.0,
            }
        };
        self.corners.chunks_exact(self.arity).map(of_piece).sum()
    }

    /// Returns the number of connected components. Pieces that share a vertex are connected.
    pub fn components(&self) -> usize {
        let mut sets = UnionFind::new(self.vertices.len());
        for piece in self.corners.chunks_exact(self.arity) {
            for &v in &piece[1..] {
                sets.join(piece[0], v);
            }
        }
        let roots = sets.into_roots();
        let used = self.used();
        (0..used.len()).filter(|&v| used[v] && roots[v] as usize == v).count()
    }

    /// Returns for each vertex whether a piece has it.
    fn used(&self) -> Vec<bool> {
        let mut used = vec![false; self.vertices.len()];
        self.corners.iter().for_each(|&v| used[v as usize] = true);
        used
    }

    /// Returns the corners of a piece, followed by zeros.
    fn corners_of(&self, piece: &[u32]) -> [Vec3; 4] {
        let mut x = [Vec3::zeros(); 4];
        x.iter_mut().zip(piece).for_each(|(x, &v)| *x = self.vertices[v as usize].into());
        x
    }

    /// Returns the distances from the vertices of these pieces to the nearest points of `other`, or
    /// `None` if one of the two sets is empty.
    pub fn separation_from(&self, other: &Pieces<'_>) -> Option<Separation> {
        if self.is_empty() || other.is_empty() {
            return None;
        }
        let arity = other.arity;
        let pieces: Vec<&[u32]> = other.corners.chunks_exact(arity).collect();
        let boxes: Vec<_> = pieces.iter().map(|p| box_of(&other.corners_of(p)[..arity])).collect();
        let tree = Tree::new(&boxes);
        let squared = |v: u32| {
            let p = Vec3::from(self.vertices[v as usize]);
            let mut best = f64::INFINITY;
            tree.nearest(p, best, |k, bound| {
                let x = other.corners_of(pieces[tree.order[k] as usize]);
                let closest = simplex::closest_point(p, &x[..arity]);
                best = bound.min((closest - p).norm_squared());
                best
            });
            best
        };
        let used = self.used();
        let vertices: Vec<u32> = (0..used.len() as u32).filter(|&v| used[v as usize]).collect();
        let of_block = |block: &[u32]| {
            let start = (0.0, f64::NEG_INFINITY, 0);
            block.iter().fold(start, |(sum, most, at), &v| {
                let d = squared(v).sqrt();
                if d > most { (sum + d, d, v) } else { (sum + d, most, at) }
            })
        };
        let blocks: Vec<(f64, f64, u32)> = vertices.par_chunks(BLOCK).map(of_block).collect();
        let joined = |a: (f64, f64, u32), b: &(f64, f64, u32)| {
            if b.1 > a.1 { (a.0 + b.0, b.1, b.2) } else { (a.0 + b.0, a.1, a.2) }
        };
        let (sum, largest, vertex) = blocks.iter().fold((0.0, f64::NEG_INFINITY, 0), joined);
        let position = self.vertices[vertex as usize];
        Some(Separation { mean: sum / vertices.len() as f64, largest, vertex, position })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parallel_segments_have_their_distance_and_a_spike_is_found() {
        let a = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [9.0, 9.0, 9.0]];
        let b = [[-1.0, 0.5, 0.0], [2.0, 0.5, 0.0], [2.0, 3.0, 0.0]];
        let a = Pieces::new(&a, &[0, 1], 2);
        let b = Pieces::new(&b, &[0, 1, 1, 2], 2);
        let there = a.separation_from(&b).unwrap();
        assert_eq!((there.mean, there.largest, there.vertex), (0.5, 0.5, 0));
        let back = b.separation_from(&a).unwrap();
        assert_eq!((back.largest, back.vertex), (10f64.sqrt(), 2));
        assert_eq!((a.measure(), b.measure()), (1.0, 5.5));
        assert_eq!((a.components(), b.components()), (1, 1));
        assert_eq!(a.separation_from(&Pieces::new(&[], &[], 2)), None);
    }

    #[test]
    fn points_and_solids_are_pieces_too() {
        let x = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [3.0, 0.0, 0.0]];
        let solid = Pieces::new(&x, &[0, 1, 2, 3], 4);
        let points = Pieces::new(&x, &[0, 4], 1);
        assert!((solid.measure() - 1.0 / 6.0).abs() < 1e-15);
        assert_eq!((points.components(), points.measure()), (2, 0.0));
        let found = points.separation_from(&solid).unwrap();
        assert_eq!((found.mean, found.largest, found.vertex), (1.0, 2.0, 4));
    }
}
