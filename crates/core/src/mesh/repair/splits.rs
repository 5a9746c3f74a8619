//! The edges and faces that were split at vertices inside them, and the update of groups
//! afterwards.

use std::collections::HashMap;

use super::cell_list::replaced;
use crate::mesh::Members;

/// The edges and faces that were split. Each has the index of its split, in the order of the
/// splits, and the vertex at which it was split.
#[derive(Default)]
pub(super) struct Splits(HashMap<[u32; 3], (usize, u32)>);

impl Splits {
    /// Records that all cells at `base`, an edge or a face, were split at `node`. A single vertex,
    /// which has no inside, is ignored.
    pub(super) fn note(&mut self, base: &[u32], node: u32) {
        let number = self.0.len();
        if base.len() > 1 {
            self.0.entry(key(base)).or_insert((number, node));
        }
    }

    /// Returns the vertex at which the cells at `base` were split, or `None` if they were not.
    pub(super) fn node_of(&self, base: &[u32]) -> Option<u32> {
        self.0.get(&key(base)).map(|&(_, node)| node)
    }

    /// Appends to `parts` the parts into which the splits cut a simplex.
    pub(super) fn parts_of(&self, simplex: &[u32], parts: &mut Vec<u32>) {
        let n = simplex.len();
        let edges = (0..n).flat_map(|b| (0..b).map(move |a| vec![simplex[a], simplex[b]]));
        let faces = (n == 3).then(|| simplex.to_vec());
        let found =
            edges.chain(faces).filter_map(|base| self.0.get(&key(&base)).map(|s| (*s, base)));
        // The earliest of these splits was applied to the whole simplex.
        let Some(((_, node), base)) = found.min() else { return parts.extend_from_slice(simplex) };
        for &old in base.iter().filter(|_| !simplex.contains(&node)) {
            self.parts_of(&replaced(simplex, old, node), parts);
        }
    }

    /// Applies the splits to the members of a group. `parents` lists the given cell of each cell.
    pub(super) fn apply(&self, members: &mut Members, parents: &[u32], n_given: usize) {
        match members {
            Members::Cells(cells) => {
                let mut is_member = vec![false; n_given];
                cells.iter().for_each(|&cell| is_member[cell as usize] = true);
                let inside = (0..).zip(parents).filter(|&(_, &parent)| is_member[parent as usize]);
                *cells = inside.map(|(cell, _)| cell).collect();
            }
            Members::Simplices { dimension, vertices } => {
                let mut parts = Vec::with_capacity(vertices.len());
                let simplices = vertices.chunks_exact(*dimension + 1);
                simplices.for_each(|simplex| self.parts_of(simplex, &mut parts));
                *vertices = parts;
            }
        }
    }
}

/// Returns the vertices of an edge or face in ascending order. An edge repeats its last vertex.
pub(super) fn key(base: &[u32]) -> [u32; 3] {
    let mut key = [base[0], base[1], base[base.len() - 1]];
    key.sort_unstable();
    if base.len() == 2 { [key[0], key[2], key[2]] } else { key }
}
