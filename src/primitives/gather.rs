//! Hybrid gathering (Fu et al., section 3.1; numerics 7): cells write to their own slots, rows sum
//! or minimise over the slots that a CSR matrix lists for them.

/// CSR matrix from rows (vertices) to slots (cell corners), without values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GatherMatrix {
    /// First column of each row, `[n_rows + 1]`.
    pub offsets: Vec<u32>,
    /// Slots of each row in ascending order, `[offsets[n_rows]]`.
    pub columns: Vec<u32>,
}

impl GatherMatrix {
    /// Sorts the slots `0..rows_of_slots.len()` stably by their row.
    ///
    /// Slots whose row is `n_rows` or beyond (halo vertices) are left out. Stability fixes the order
    /// of summation, hence the bits of every sum.
    pub fn new(n_rows: usize, rows_of_slots: &[u32]) -> Self {
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

    /// Slots of one row.
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
    fn rows_beyond_the_end_are_left_out_and_empty_rows_stay() {
        let m = GatherMatrix::new(3, &[2, 7, 2, 0]);
        assert_eq!(m.row(0), [3]);
        assert!(m.row(1).is_empty());
        assert_eq!(m.row(2), [0, 2]);
    }
}
