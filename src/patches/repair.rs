//! Repair of a partition so that every patch is connected and neither empty nor too large.

use super::adjacency::Adjacency;

/// Returns a partition whose patches are connected, not empty, and have at most `patch_size`
/// vertices.
///
/// Patches that are too large are divided by breadth-first search into pieces of about half the
/// maximum size. If a patch consists of several pieces, the largest one remains. Each other piece
/// of at most half the maximum size joins the neighboring piece with which it shares the most
/// edges, among those that have room. All remaining pieces become separate patches. The result is
/// deterministic, because pieces are processed in the order of their first vertex.
pub fn repair(adjacency: &Adjacency, patch_of: Vec<u32>, patch_size: usize) -> Vec<u32> {
    let mut pieces = Pieces::new(adjacency, &patch_of, patch_size.max(1));
    pieces.merge_small(adjacency, &patch_of, patch_size.max(1));
    pieces.compact()
}

/// The connected components of patches. Large components are divided into several pieces.
struct Pieces {
    /// The piece of each vertex.
    of: Vec<u32>,
    /// The vertices of each piece. Pieces are in the order of their first vertex.
    members: Vec<Vec<u32>>,
    /// Whether each piece remains because it is the largest of its patch.
    stays: Vec<bool>,
}

impl Pieces {
    fn new(adjacency: &Adjacency, patch_of: &[u32], patch_size: usize) -> Self {
        let n = patch_of.len();
        let mut of = vec![u32::MAX; n];
        let mut members: Vec<Vec<u32>> = Vec::new();
        for seed in 0..n as u32 {
            if of[seed as usize] != u32::MAX {
                continue;
            }
            let piece = members.len() as u32;
            let mut list = vec![seed];
            of[seed as usize] = piece;
            let mut head = 0;
            while head < list.len() && list.len() <= patch_size {
                for &w in adjacency.of(list[head] as usize) {
                    let same = patch_of[w as usize] == patch_of[seed as usize];
                    if same && of[w as usize] == u32::MAX {
                        of[w as usize] = piece;
                        list.push(w);
                    }
                }
                head += 1;
            }
            if list.len() > patch_size {
                // The vertices beyond about half the maximum size are released, and later seeds
                // collect them into other pieces.
                for v in list.drain(patch_size.min(patch_size / 2 + 1)..) {
                    of[v as usize] = u32::MAX;
                }
            }
            members.push(list);
        }
        let n_patches = patch_of.iter().max().map_or(0, |&p| p as usize + 1);
        let mut largest: Vec<Option<usize>> = vec![None; n_patches];
        for (k, list) in members.iter().enumerate() {
            let best = &mut largest[patch_of[list[0] as usize] as usize];
            if best.is_none_or(|b| members[b].len() < list.len()) {
                *best = Some(k);
            }
        }
        let mut stays = vec![false; members.len()];
        for k in largest.into_iter().flatten() {
            stays[k] = true;
        }
        Pieces { of, members, stays }
    }

    /// Merges each small piece, unless it is the largest of its patch, with the neighboring piece
    /// with which it shares the most edges, among those that have room.
    fn merge_small(&mut self, adjacency: &Adjacency, patch_of: &[u32], patch_size: usize) {
        for k in 0..self.members.len() {
            if self.stays[k] || self.members[k].len() * 2 > patch_size {
                continue;
            }
            let mut touched: Vec<u32> = Vec::new();
            for &v in &self.members[k] {
                let others = adjacency.of(v as usize).iter().map(|&w| self.of[w as usize]);
                touched.extend(others.filter(|&p| p != k as u32));
            }
            touched.sort_unstable();
            let room = patch_size - self.members[k].len();
            let target = touched
                .chunk_by(|a, b| a == b)
                .map(|run| (run.len(), run[0]))
                .filter(|&(_, p)| self.members[p as usize].len() <= room)
                .max_by_key(|&(edges, p)| (edges, std::cmp::Reverse(p)));
            if let Some((_, target)) = target {
                let moved = std::mem::take(&mut self.members[k]);
                for &v in &moved {
                    self.of[v as usize] = target;
                }
                self.members[target as usize].extend(moved);
            }
        }
        debug_assert_eq!(self.of.len(), patch_of.len());
    }

    /// Numbers the remaining pieces without gaps and returns the new index of the piece of each
    /// vertex.
    fn compact(self) -> Vec<u32> {
        let mut number = vec![0u32; self.members.len()];
        let mut next = 0;
        for (k, list) in self.members.iter().enumerate() {
            number[k] = next;
            next += u32::from(!list.is_empty());
        }
        self.of.iter().map(|&p| number[p as usize]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a path of vertices 0 - 1 - ... - n-1.
    fn path(n: u32) -> Adjacency {
        let mut adjacency = Adjacency { offsets: vec![0], neighbors: Vec::new() };
        for v in 0..n {
            adjacency.neighbors.extend(v.checked_sub(1));
            adjacency.neighbors.extend((v + 1 < n).then_some(v + 1));
            adjacency.offsets.push(adjacency.neighbors.len() as u32);
        }
        adjacency
    }

    #[test]
    fn pieces_join_their_neighbors_and_gaps_close() {
        // Patch 3 consists of the vertices 0, 1 and 2 and, separately, vertex 5. The patch numbers
        // have gaps.
        let repaired = repair(&path(8), vec![3, 3, 3, 7, 7, 3, 9, 9], 4);
        assert_eq!(repaired, [0, 0, 0, 1, 1, 1, 2, 2]);
    }

    #[test]
    fn large_patches_are_cut() {
        let repaired = repair(&path(10), vec![0; 10], 4);
        for patch in 0..=*repaired.iter().max().unwrap() {
            let members: Vec<usize> = (0..10).filter(|&v| repaired[v] == patch).collect();
            assert!(!members.is_empty() && members.len() <= 4);
            assert!(members.windows(2).all(|w| w[1] == w[0] + 1), "connected");
        }
    }
}
