//! The base of a pyramid: one bit per cell, 64 cells per word, in the order of the keys.
//!
//! A word covers 64 cells of a row, 8 x 8 cells of a plane or 4 x 4 x 4 cells of a volume. It
//! stands for three levels in which each cell has four children, or for two levels with eight
//! children. Within a word, the bits are in the order of a descent (Z-order), so that the key of a
//! cell within its word is the number of set bits below the bit of the cell.

use super::super::discriminator::{Discriminator, WORD};
use super::levels::{Split, unraster};
use crate::parallel::*;

impl Split {
    /// Returns the number of cells in a word along each axis.
    pub fn brick(self) -> [usize; 3] {
        match self {
            Split::Lines => [64, 1, 1],
            Split::Squares => [8, 8, 1],
            Split::Cubes => [4, 4, 4],
        }
    }

    /// Returns the cell of a bit, relative to the word.
    pub fn cell_of_bit(self, bit: usize) -> [usize; 3] {
        let every = |step: usize, from: usize| {
            (0..6).filter(|b| b % step == from).enumerate().map(|(k, b)| (bit >> b & 1) << k).sum()
        };
        match self {
            Split::Lines => [bit, 0, 0],
            Split::Squares => [every(2, 0), every(2, 1), 0],
            Split::Cubes => [every(3, 0), every(3, 1), every(3, 2)],
        }
    }

    /// Returns the bit of a cell, relative to the word.
    pub fn bit_of_cell(self, [x, y, z]: [usize; 3]) -> usize {
        let spread =
            |n: usize, step: usize| (0..3).map(|k| (n >> k & 1) << (step * k)).sum::<usize>();
        match self {
            Split::Lines => x,
            Split::Squares => spread(x, 2) | spread(y, 2) << 1,
            Split::Cubes => spread(x, 3) | spread(y, 3) << 1 | spread(z, 3) << 2,
        }
    }

    /// Reorders the bits of a word from x fastest, then y, then z, to the order of the keys.
    pub fn ordered(self, word: u64) -> u64 {
        match self {
            Split::Lines => word,
            // The positions of bits have the digits y2 y1 y0 x2 x1 x0. They become y2 x2 y1 x1 y0
            // x0.
            Split::Squares => swap_digits(swap_digits(swap_digits(word, 2, 3), 1, 2), 3, 4),
            // The digits z1 z0 y1 y0 x1 x0 become z1 y1 x1 z0 y0 x0.
            Split::Cubes => {
                let word = swap_digits(swap_digits(word, 1, 2), 3, 4);
                swap_digits(word, 2, 3)
            }
        }
    }
}

/// Moves each bit of a word to a new position: the old one with the binary digits `a < b`
/// exchanged.
fn swap_digits(word: u64, a: u32, b: u32) -> u64 {
    let digit = |d: u32| (u64::MAX / ((1 << (1 << d)) + 1)) << (1 << d);
    // Bits whose position has digit a set and digit b clear move up by `shift`.
    let (up, shift) = (digit(a) & !digit(b), (1u32 << b) - (1 << a));
    let change = (word ^ word >> shift) & up;
    word ^ change ^ change << shift
}

/// Returns the words of the grid of a discriminator, in the records of the level above:
/// `[records][fan]`.
pub(super) fn bricks(discriminator: &impl Discriminator, split: Split) -> Vec<u64> {
    let (shape, brick, fan) = (discriminator.shape(), split.brick(), split.fan());
    if shape.contains(&0) {
        return vec![0; fan];
    }
    let words: [usize; 3] = std::array::from_fn(|k| shape[k].div_ceil(brick[k]));
    let records = split.above(words);
    let ratio = split.ratio();
    let mut all = vec![0; records.iter().product::<usize>() * fan];
    // Each task computes a row of records from the rows of cells below it.
    all.par_chunks_mut(records[0] * fan).enumerate().for_each(|(task, out)| {
        let [_, ry, rz] = unraster(records, task * records[0]);
        let mut row = vec![0; shape[0].div_ceil(WORD)];
        for c in 0..ratio[1] * ratio[2] {
            let (wy, wz) = (ry * ratio[1] + c % ratio[1], rz * ratio[2] + c / ratio[1]);
            for inner in 0..brick[1] * brick[2] {
                let (dy, dz) = (inner % brick[1], inner / brick[1]);
                let (y, z) = (wy * brick[1] + dy, wz * brick[2] + dz);
                if y >= shape[1] || z >= shape[2] {
                    continue;
                }
                discriminator.mark([0, y, z], shape[0], &mut row);
                let mask = u64::MAX >> (WORD - brick[0]);
                for wx in 0..words[0] {
                    let bits = row[wx * brick[0] / WORD] >> (wx * brick[0] % WORD) & mask;
                    let slot = (wx / ratio[0]) * fan + wx % ratio[0] + ratio[0] * c;
                    out[slot] |= bits << (inner * brick[0]);
                }
            }
        }
        out.iter_mut().for_each(|word| *word = split.ordered(*word));
    });
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_stand_in_the_order_of_the_keys() {
        for split in [Split::Lines, Split::Squares, Split::Cubes] {
            let [bx, by, _] = split.brick();
            for n in 0..WORD {
                let cell = [n % bx, n / bx % by, n / (bx * by)];
                let bit = split.bit_of_cell(cell);
                assert_eq!(split.cell_of_bit(bit), cell, "{split:?}");
                assert_eq!(split.ordered(1 << n), 1 << bit, "{split:?}: {cell:?}");
            }
        }
    }
}
