//! Facets, edges and duplicates of a list of cells.
//!
//! Each facet is found at its lowest vertex, in parallel and without sorting the whole list. The
//! result is the same for every number of threads.

use crate::mesh::Mesh;
use crate::parallel::*;
use crate::primitives::GatherMatrix;

/// The number of vertices per task.
const BLOCK: usize = 4096;

/// A facet and how often cells traverse it in each direction.
pub struct Uses {
    /// The vertices, ascending. An edge of a triangle uses only the first two.
    pub vertices: [u32; 3],
    /// The number of cells whose orientation gives the facet as an even permutation of `vertices`.
    pub even: usize,
    /// The number of cells whose orientation gives the facet as an odd permutation.
    pub odd: usize,
}

/// The cells around each vertex. With these lists, facets, edges and duplicates are found by
/// sorting only a few numbers at a time. The lists take 4 bytes per cell corner and 4 bytes per
/// vertex.
pub struct CellsAround<'a> {
    cells: &'a [u32],
    arity: usize,
    slots: GatherMatrix,
}

impl<'a> CellsAround<'a> {
    /// Lists the cells around each vertex. `cells`, `[n_cells * arity]`, holds `arity` (3 or 4)
    /// vertices below `n_vertices` for each cell.
    pub fn new(n_vertices: usize, cells: &'a [u32], arity: usize) -> Self {
        let cells = &cells[..cells.len() / arity * arity];
        CellsAround { cells, arity, slots: GatherMatrix::new(n_vertices, cells) }
    }

    /// Visits each facet of the selected cells once, in ascending order of its vertices.
    ///
    /// `fold` receives the facets of a block of vertices one after another. The results of the
    /// blocks are returned in order.
    pub fn facets<T: Default + Send>(
        &self,
        keep: impl Fn(usize) -> bool + Sync,
        fold: impl Fn(&mut T, Uses) + Sync,
    ) -> Vec<T> {
        self.blocks(|vertices, result| {
            // Each entry has the vertices of a facet without the lowest one, packed into one
            // number, and the orientation of the facet.
            let mut uses: Vec<(u64, bool)> = Vec::new();
            for v in vertices {
                uses.clear();
                for (cell, k) in self.corners(v) {
                    if keep(cell) {
                        match self.arity {
                            3 => self.edges_of_triangle(cell, k, &mut uses),
                            _ => self.faces_of_tetrahedron(cell, k, &mut uses),
                        }
                    }
                }
                uses.sort_unstable();
                for run in uses.chunk_by(|a, b| a.0 == b.0) {
                    let even = run.partition_point(|&(_, odd)| !odd);
                    let vertices = [v as u32, (run[0].0 >> 32) as u32, run[0].0 as u32];
                    fold(result, Uses { vertices, even, odd: run.len() - even });
                }
            }
        })
    }

    /// Returns the number of facets with three or more selected cells.
    pub fn count_nonmanifold(&self, keep: impl Fn(usize) -> bool + Sync) -> usize {
        let many = |n: &mut usize, facet: Uses| *n += usize::from(facet.even + facet.odd > 2);
        self.facets(keep, many).into_iter().sum()
    }

    /// Returns each edge once, in ascending order and with the lower vertex first. A cell that
    /// repeats a vertex has an edge from that vertex to itself.
    pub fn edges(&self) -> Vec<[u32; 2]> {
        let blocks: Vec<Vec<[u32; 2]>> = self.blocks(|vertices, edges: &mut Vec<[u32; 2]>| {
            let mut ends: Vec<u32> = Vec::new();
            for v in vertices {
                ends.clear();
                for (cell, k) in self.corners(v) {
                    let others = self.cell(cell).iter().enumerate().filter(|&(i, _)| i != k);
                    ends.extend(others.map(|(_, &w)| w).filter(|&w| w as usize >= v));
                }
                ends.sort_unstable();
                ends.dedup();
                edges.extend(ends.iter().map(|&w| [v as u32, w]));
            }
        });
        let mut edges = Vec::with_capacity(blocks.iter().map(Vec::len).sum());
        for block in blocks {
            edges.extend_from_slice(&block);
        }
        edges
    }

    /// Returns, in ascending order, the cells whose vertices are those of an earlier cell in any
    /// order.
    pub fn duplicates(&self) -> Vec<u32> {
        let blocks = self.blocks(|vertices, later: &mut Vec<u32>| {
            let mut lists: Vec<(u128, u32)> = Vec::new();
            for v in vertices {
                lists.clear();
                for (index, k) in self.corners(v) {
                    let cell = self.cell(index);
                    if !is_lowest(cell, k) {
                        continue;
                    }
                    let mut sorted = [0; 4];
                    sorted[..self.arity].copy_from_slice(cell);
                    sorted[..self.arity].sort_unstable();
                    let key = sorted.iter().fold(0, |key, &w| key << 32 | u128::from(w));
                    lists.push((key, index as u32));
                }
                lists.sort_unstable();
                let pairs = lists.windows(2).filter(|pair| pair[0].0 == pair[1].0);
                later.extend(pairs.map(|pair| pair[1].1));
            }
        });
        let mut later = blocks.concat();
        later.sort_unstable();
        later
    }

    /// Returns the first cell that contains all of the given vertices. There must be one.
    pub(crate) fn cell_with(&self, vertices: &[u32]) -> usize {
        // Start at the vertex with the fewest cells. Another vertex may belong to all cells of the
        // mesh.
        let rarest = vertices.iter().min_by_key(|&&v| self.slots.row(v as usize).len());
        let mut cells = rarest.into_iter().flat_map(|&v| self.corners(v as usize));
        let found = cells.find(|&(c, _)| vertices.iter().all(|v| self.cell(c).contains(v)));
        let found = found.map(|(cell, _)| cell);
        found.expect("a facet belongs to a cell")
    }

    /// Returns the only cell of a vertex, or `None` if the vertex belongs to no cell or to several
    /// cells.
    pub(crate) fn only_cell(&self, v: u32) -> Option<usize> {
        let mut cells = self.corners(v as usize).map(|(cell, _)| cell);
        let first = cells.next()?;
        cells.all(|cell| cell == first).then_some(first)
    }

    fn blocks<T: Default + Send>(
        &self,
        work: impl Fn(std::ops::Range<usize>, &mut T) + Sync,
    ) -> Vec<T> {
        let n = self.slots.offsets.len() - 1;
        (0..n.div_ceil(BLOCK))
            .into_par_iter()
            .map(|block| {
                let mut result = T::default();
                work(block * BLOCK..((block + 1) * BLOCK).min(n), &mut result);
                result
            })
            .collect()
    }

    /// Returns the cells at a vertex, each with the index of its corner at that vertex.
    fn corners(&self, v: usize) -> impl Iterator<Item = (usize, usize)> {
        self.slots.row(v).iter().map(|&s| (s as usize / self.arity, s as usize % self.arity))
    }

    fn cell(&self, index: usize) -> &[u32] {
        &self.cells[index * self.arity..][..self.arity]
    }

    /// Adds the edges of the triangle `cell` whose lower end is corner `k`.
    fn edges_of_triangle(&self, cell: usize, k: usize, uses: &mut Vec<(u64, bool)>) {
        let cell = self.cell(cell);
        let (v, next, last) = (cell[k], cell[(k + 1) % 3], cell[(k + 2) % 3]);
        // An edge from a vertex to itself counts once and has no orientation.
        if next >= v {
            uses.push((u64::from(next) << 32, false));
        }
        if last > v {
            uses.push((u64::from(last) << 32, true));
        }
    }

    /// Adds the faces of the tetrahedron `cell` whose lowest vertex is at corner `k`, oriented as
    /// seen from outside a positive tetrahedron.
    fn faces_of_tetrahedron(&self, cell: usize, k: usize, uses: &mut Vec<(u64, bool)>) {
        const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];
        let cell = self.cell(cell);
        for face in FACES {
            let Some(at) = face.iter().position(|&i| i == k) else { continue };
            let corners = face.map(|i| cell[i]);
            if !is_lowest(&corners, at) {
                continue;
            }
            // A rotation of the face does not change its orientation.
            let (v, a, b) = (corners[at], corners[(at + 1) % 3], corners[(at + 2) % 3]);
            // A face that repeats a vertex has no orientation. Counting it as even makes the result
            // independent of the numbering.
            let odd = a > b && a != v && b != v;
            uses.push((u64::from(a.min(b)) << 32 | u64::from(a.max(b)), odd));
        }
    }
}

/// Returns the facets with exactly one cell, in ascending order of their vertices. The third entry
/// for an edge is 0. Cells that repeat a vertex are ignored.
pub(crate) fn boundary_facets(mesh: &Mesh) -> Vec<[u32; 3]> {
    let arity = mesh.kind.arity();
    let keep = |cell: usize| !repeats_vertex(&mesh.cells[cell * arity..][..arity]);
    let collect = |list: &mut Vec<[u32; 3]>, facet: Uses| {
        if facet.even + facet.odd == 1 {
            list.push(facet.vertices);
        }
    };
    CellsAround::new(mesh.n_vertices(), &mesh.cells, arity).facets(keep, collect).concat()
}

/// Returns true if corner `k` has the lowest vertex and is the first corner with that vertex.
fn is_lowest(corners: &[u32], k: usize) -> bool {
    corners.iter().enumerate().all(|(i, &w)| w > corners[k] || (w == corners[k] && i >= k))
}

/// Returns true if the cell contains a vertex twice.
pub(crate) fn repeats_vertex(cell: &[u32]) -> bool {
    cell.iter().enumerate().any(|(k, v)| cell[..k].contains(v))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighboring_positive_tets_see_their_face_both_ways() {
        // Two tetrahedra with positive volume, one on each side of face 1-2-3.
        let cells = [0, 1, 2, 3, 4, 1, 3, 2];
        let around = CellsAround::new(5, &cells, 4);
        let collect = |list: &mut Vec<_>, f: Uses| list.push((f.vertices, f.even, f.odd));
        let facets = around.facets(|_| true, collect).concat();
        assert!(facets.is_sorted());
        let shared: Vec<_> = facets.iter().filter(|f| f.1 + f.2 == 2).collect();
        assert_eq!(shared, [&([1, 2, 3], 1, 1)]);
        assert_eq!(facets.len(), 7);
        assert_eq!(around.facets(|cell| cell == 1, collect).concat().len(), 4);
    }

    #[test]
    fn facets_of_cells_that_repeat_a_vertex_count_once() {
        let collect = |list: &mut Vec<_>, f: Uses| list.push((f.vertices, f.even, f.odd));
        let triangles = CellsAround::new(3, &[1, 1, 2, 1, 0, 1], 3);
        let edges = [([0, 1, 0], 1, 1), ([1, 1, 0], 2, 0), ([1, 2, 0], 1, 1)];
        assert_eq!(triangles.facets(|_| true, collect).concat(), edges);
        assert_eq!(triangles.edges(), [[0, 1], [1, 1], [1, 2]]);
        let flat = CellsAround::new(3, &[2, 0, 0, 1], 4);
        let faces = [([0, 0, 1], 1, 0), ([0, 0, 2], 1, 0)];
        let found = flat.facets(|_| true, collect).concat();
        assert_eq!(found.iter().map(|f| f.1 + f.2).sum::<usize>(), 4);
        assert_eq!(found[..2], faces);
    }

    #[test]
    fn duplicates_are_the_later_cells_in_any_vertex_order() {
        let triangles = [0, 1, 2, 5, 3, 4, 2, 0, 1, 4, 5, 3, 1, 2, 0];
        assert_eq!(CellsAround::new(6, &triangles, 3).duplicates(), [2, 3, 4]);
        let tets = [0, 1, 2, 3, 0, 1, 2, 4, 3, 2, 1, 0];
        assert_eq!(CellsAround::new(5, &tets, 4).duplicates(), [2]);
        assert_eq!(CellsAround::new(3, &[1, 1, 2, 2, 1, 1], 3).duplicates(), [1]);
    }

    #[test]
    fn edges_of_two_tets_are_listed_once() {
        let edges = CellsAround::new(5, &[0, 1, 2, 3, 4, 3, 2, 1], 4).edges();
        assert_eq!(edges.len(), 9);
        assert!(edges.is_sorted() && edges.iter().all(|[a, b]| a < b));
    }
}
