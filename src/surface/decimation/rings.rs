//! The triangles around each vertex of a surface while edges are collapsed.

/// Marks a vertex without triangles.
const NONE: u32 = u32::MAX;

/// The triangles of a surface, with a list of the triangles around each vertex.
///
/// The slot `3 t + k` stands for corner k of triangle t. The slots of a vertex form a ring, so that
/// two lists are merged in constant time.
pub(super) struct Rings {
    pub corners: Vec<[u32; 3]>,
    pub is_alive: Vec<bool>,
    /// Number of triangles that are left.
    pub count: usize,
    /// The next slot of the same vertex.
    next: Vec<u32>,
    /// A slot of each vertex, or `NONE` if it has no triangles.
    first: Vec<u32>,
}

impl Rings {
    pub(super) fn new(n_vertices: usize, cells: &[u32]) -> Self {
        let corners = cells.as_chunks::<3>().0.to_vec();
        let mut rings = Rings {
            is_alive: vec![true; corners.len()],
            count: corners.len(),
            corners,
            next: (0..cells.len() as u32).collect(),
            first: vec![NONE; n_vertices],
        };
        for (slot, &v) in (0_u32..).zip(cells) {
            let first = rings.first[v as usize];
            if first == NONE {
                rings.first[v as usize] = slot;
            } else {
                rings.next.swap(first as usize, slot as usize);
            }
        }
        rings
    }

    /// Returns whether a vertex is in use and has not been replaced.
    pub(super) fn has(&self, v: u32) -> bool {
        self.first[v as usize] != NONE
    }

    /// Writes the triangles around a vertex to `ring`, and forgets those that are gone.
    pub(super) fn around(&mut self, v: u32, ring: &mut Vec<u32>) {
        ring.clear();
        let first = self.first[v as usize];
        if first == NONE {
            return;
        }
        let (mut slot, mut gone) = (first, 0);
        loop {
            let is_alive = self.is_alive[slot as usize / 3];
            if is_alive {
                ring.push(slot);
            }
            gone += usize::from(!is_alive);
            slot = self.next[slot as usize];
            if slot == first {
                break;
            }
        }
        if gone > 0 {
            for (k, &slot) in ring.iter().enumerate() {
                self.next[slot as usize] = ring[(k + 1) % ring.len()];
            }
            self.first[v as usize] = ring.first().copied().unwrap_or(NONE);
        }
        ring.iter_mut().for_each(|slot| *slot /= 3);
    }

    /// Replaces the vertex `gone` by `kept`, and removes the triangles that contain both. `ring`
    /// holds the triangles around `gone`.
    pub(super) fn collapse(&mut self, gone: u32, kept: u32, ring: &[u32]) {
        for &t in ring {
            let corners = &mut self.corners[t as usize];
            if corners.contains(&kept) {
                self.is_alive[t as usize] = false;
                self.count -= 1;
            } else if let Some(corner) = corners.iter_mut().find(|v| **v == gone) {
                *corner = kept;
            }
        }
        let [a, b] = [gone, kept].map(|v| self.first[v as usize] as usize);
        self.next.swap(a, b);
        self.first[gone as usize] = NONE;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rings_follow_collapses() {
        // A fan of four triangles around vertex 0.
        let mut rings = Rings::new(6, &[0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 5]);
        let mut ring = Vec::new();
        let mut around = |rings: &mut Rings, v: u32| {
            rings.around(v, &mut ring);
            ring.sort_unstable();
            ring.clone()
        };
        assert_eq!(around(&mut rings, 0), [0, 1, 2, 3]);
        let of_3 = around(&mut rings, 3);
        rings.collapse(3, 2, &of_3);
        assert_eq!((rings.count, around(&mut rings, 0)), (3, vec![0, 2, 3]));
        assert_eq!(around(&mut rings, 2), [0, 2]);
        assert_eq!((rings.corners[2], around(&mut rings, 3)), ([0, 2, 4], vec![]));
    }
}
