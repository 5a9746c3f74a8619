//! Facets and edges of a cell list, by sorting: O(n log n), parallel, the same for every number
//! of threads.

use rayon::prelude::*;

/// How often each way a facet is run along.
pub(crate) struct Uses {
    /// Vertices, ascending; an edge of a triangle has only the first two.
    pub vertices: [u32; 3],
    /// Cells whose orientation gives the facet as an even permutation of `vertices`.
    pub even: usize,
    /// Cells that give it as an odd one.
    pub odd: usize,
}

/// All facets of all cells with their orientation, as sorted keys.
///
/// A key holds the ascending vertices in bits 65.., 33.. and 1.., the orientation in bit 0. One
/// integer per use sorts several times faster than a structure and takes 16 bytes: 63 MB for
/// 1.3 million triangles, given back when the value is dropped.
pub(crate) struct Facets(Vec<u128>);

impl Facets {
    /// Facets of `cells`, `arity` (3 or 4) vertices each.
    pub fn new(cells: &[u32], arity: usize) -> Self {
        let mut keys = vec![0_u128; cells.len() / arity * arity];
        let lists = keys.par_chunks_exact_mut(arity).zip(cells.par_chunks_exact(arity));
        if arity == 3 {
            lists.for_each(|(keys, t)| {
                for (k, key) in keys.iter_mut().enumerate() {
                    *key = edge_key(t[k], t[(k + 1) % 3]);
                }
            });
        } else {
            // The four faces of a positive tetrahedron, seen from outside.
            const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];
            lists.for_each(|(keys, t)| {
                for (key, face) in keys.iter_mut().zip(FACES) {
                    *key = face_key(face.map(|i| t[i]));
                }
            });
        }
        keys.par_sort_unstable();
        Facets(keys)
    }

    /// Each facet once, ascending by vertices.
    pub fn iter(&self) -> impl Iterator<Item = Uses> {
        self.0.chunk_by(|a, b| a >> 1 == b >> 1).map(|run| {
            let even = run.partition_point(|key| key & 1 == 0);
            let vertices = [65, 33, 1].map(|shift| (run[0] >> shift) as u32);
            Uses { vertices, even, odd: run.len() - even }
        })
    }

    /// Facets with three or more cells.
    pub fn count_nonmanifold(&self) -> usize {
        self.iter().filter(|facet| facet.even + facet.odd > 2).count()
    }
}

fn key([a, b, c]: [u32; 3], odd: bool) -> u128 {
    u128::from(a) << 65 | u128::from(b) << 33 | u128::from(c) << 1 | u128::from(odd)
}

fn edge_key(a: u32, b: u32) -> u128 {
    key([a.min(b), a.max(b), 0], a > b)
}

fn face_key([mut a, mut b, mut c]: [u32; 3]) -> u128 {
    let mut odd = false;
    for _ in 0..2 {
        if a > b {
            (a, b, odd) = (b, a, !odd);
        }
        if b > c {
            (b, c, odd) = (c, b, !odd);
        }
    }
    // A face that repeats a vertex has no orientation; even keeps the count free of numbering.
    key([a, b, c], odd && a != b && b != c)
}

/// Each edge of the tetrahedra once, ascending: the lower vertex first.
pub(crate) fn tet_edges(cells: &[u32]) -> Vec<[u32; 2]> {
    const ENDS: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
    let mut edges = vec![0_u64; cells.len() / 4 * 6];
    edges.par_chunks_exact_mut(6).zip(cells.par_chunks_exact(4)).for_each(|(edges, t)| {
        for (edge, ends) in edges.iter_mut().zip(ENDS) {
            let [a, b] = ends.map(|i| t[i]);
            *edge = u64::from(a.min(b)) << 32 | u64::from(a.max(b));
        }
    });
    edges.par_sort_unstable();
    edges.dedup();
    edges.into_iter().map(|e| [(e >> 32) as u32, e as u32]).collect()
}

/// Cells whose vertices, in any order, are those of an earlier cell; ascending.
pub(crate) fn duplicate_cells(cells: &[u32], arity: usize) -> Vec<u32> {
    let mut keys: Vec<(u128, u32)> = cells
        .par_chunks_exact(arity)
        .enumerate()
        .map(|(index, cell)| {
            let mut sorted = [0; 4];
            sorted[..arity].copy_from_slice(cell);
            sorted[..arity].sort_unstable();
            (sorted.iter().fold(0, |key, &v| key << 32 | u128::from(v)), index as u32)
        })
        .collect();
    keys.par_sort_unstable();
    let mut later: Vec<u32> =
        keys.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| pair[1].1).collect();
    later.sort_unstable();
    later
}

/// True if the cell names a vertex twice.
pub(crate) fn repeats_vertex(cell: &[u32]) -> bool {
    cell.iter().enumerate().any(|(k, v)| cell[..k].contains(v))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_positive_tets_see_their_face_both_ways() {
        // Two tetrahedra on either side of face 1-2-3, both with positive volume.
        let facets = Facets::new(&[0, 1, 2, 3, 4, 1, 3, 2], 4);
        let shared: Vec<_> = facets.iter().filter(|f| f.even + f.odd == 2).collect();
        assert_eq!(shared.len(), 1);
        assert_eq!((shared[0].vertices, shared[0].even, shared[0].odd), ([1, 2, 3], 1, 1));
        assert_eq!(facets.iter().count(), 7);
    }

    #[test]
    fn duplicates_are_the_later_cells_in_any_vertex_order() {
        assert_eq!(duplicate_cells(&[0, 1, 2, 5, 3, 4, 2, 0, 1, 4, 5, 3, 1, 2, 0], 3), [2, 3, 4]);
        assert_eq!(duplicate_cells(&[0, 1, 2, 3, 0, 1, 2, 4, 3, 2, 1, 0], 4), [2]);
    }

    #[test]
    fn edges_of_two_tets_are_listed_once() {
        let edges = tet_edges(&[0, 1, 2, 3, 4, 3, 2, 1]);
        assert_eq!(edges.len(), 9);
        assert!(edges.is_sorted() && edges.iter().all(|[a, b]| a < b));
    }
}
