//! Hybrid gathering (Fu et al., section 3.1; docs/patches.md, section 7).
//!
//! Each cell writes its contributions to its own slots. Each row sums or minimizes over the slots
//! that a CSR matrix lists for it.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::parallel::*;

/// The number of slots at which several threads become faster than one.
const MANY: usize = 1 << 18;
/// The maximum number of pieces into which the slots are divided. Each piece needs one count per
/// row.
const PIECES: usize = 8;

/// A CSR matrix without values that maps rows (vertices) to slots (cell corners).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GatherMatrix {
    /// The index in `columns` of the first slot of each row, `[n_rows + 1]`.
    pub offsets: Vec<u32>,
    /// The slots of each row in ascending order, `[offsets[n_rows]]`.
    pub columns: Vec<u32>,
}

impl GatherMatrix {
    /// Sorts the slots `0..rows_of_slots.len()` stably by their row, which `rows_of_slots` lists.
    ///
    /// Slots whose row is `n_rows` or larger (halo vertices) are left out. The stable order fixes
    /// the order of summation and thus the bits of every sum.
    pub fn new(n_rows: usize, rows_of_slots: &[u32]) -> Self {
        let pieces = rayon::current_num_threads().min(PIECES);
        if pieces > 1 && rows_of_slots.len() >= MANY {
            return Self::in_pieces(n_rows, rows_of_slots, pieces);
        }
        let mut offsets = vec![0u32; n_rows + 1];
        let rows = || rows_of_slots.iter().map(|&row| row as usize);
        for row in rows().filter(|&row| row < n_rows) {
            offsets[row + 1] += 1;
        }
        for row in 0..n_rows {
            offsets[row + 1] += offsets[row];
        }
        let mut next = offsets.clone();
        let mut columns = vec![0u32; offsets[n_rows] as usize];
        for (slot, row) in rows().enumerate().filter(|&(_, row)| row < n_rows) {
            columns[next[row] as usize] = slot as u32;
            next[row] += 1;
        }
        GatherMatrix { offsets, columns }
    }

    /// Creates the same matrix in parallel, by counting and placing the slots in several pieces.
    fn in_pieces(n_rows: usize, rows_of_slots: &[u32], pieces: usize) -> Self {
        let length = rows_of_slots.len().div_ceil(pieces);
        // For each piece and row: first the number of slots, later the position in `columns` of the
        // next slot.
        let mut places: Vec<Vec<u32>> = rows_of_slots
            .par_chunks(length)
            .map(|piece| {
                let mut counts = vec![0u32; n_rows];
                for &row in piece {
                    if let Some(count) = counts.get_mut(row as usize) {
                        *count += 1;
                    }
                }
                counts
            })
            .collect();
        let mut offsets = Vec::with_capacity(n_rows + 1);
        let mut end = 0u32;
        offsets.push(0);
        for row in 0..n_rows {
            for piece in &mut places {
                end += std::mem::replace(&mut piece[row], end);
            }
            offsets.push(end);
        }
        // Several pieces write to the same row, but never to the same position.
        let columns: Vec<AtomicU32> = (0..end).map(|_| AtomicU32::new(0)).collect();
        let first_slots = (0..).step_by(length);
        let tasks: Vec<_> = rows_of_slots.chunks(length).zip(places).zip(first_slots).collect();
        tasks.into_par_iter().for_each(|((piece, mut next), first)| {
            for (slot, &row) in (first as u32..).zip(piece) {
                if let Some(place) = next.get_mut(row as usize) {
                    columns[*place as usize].store(slot, Ordering::Relaxed);
                    *place += 1;
                }
            }
        });
        let columns = columns.into_iter().map(AtomicU32::into_inner).collect();
        GatherMatrix { offsets, columns }
    }

    /// Returns the slots of one row.
    #[inline]
    pub fn row(&self, row: usize) -> &[u32] {
        &self.columns[self.offsets[row] as usize..self.offsets[row + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn example_of_the_paper() {
        let m = GatherMatrix::new(4, &[0, 1, 2, 0, 3, 1]);
        assert_eq!(m.columns, [0, 3, 1, 5, 2, 4]);
        assert_eq!(m.offsets, [0, 2, 4, 5, 6]);
    }

    #[test]
    fn pieces_give_the_same_matrix() {
        let rows: Vec<u32> = (0..1000u32).map(|k| k.wrapping_mul(2_654_435_761) >> 22).collect();
        let whole = GatherMatrix::new(900, &rows);
        for pieces in [2, 3, 7] {
            assert_eq!(GatherMatrix::in_pieces(900, &rows, pieces), whole);
        }
    }

    #[test]
    fn rows_beyond_the_end_are_left_out_and_empty_rows_stay() {
        let m = GatherMatrix::new(3, &[2, 7, 2, 0]);
        assert_eq!(m.row(0), [3]);
        assert!(m.row(1).is_empty());
        assert_eq!(m.row(2), [0, 2]);
    }
}
