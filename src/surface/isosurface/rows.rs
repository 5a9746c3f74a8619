//! Finds crossings and cut cubes of rows, word by word, and counts them per row.

use super::masks::{Masks, WORD};
use crate::error::Result;
use crate::parallel::*;
use crate::surface::cubes::{CASES, check_vertices};

/// The bits of four rows of voxels, at (y, z), (y + 1, z), (y, z + 1) and (y + 1, z + 1), in a word
/// of 64 voxels.
#[derive(Clone, Copy, Default)]
pub(super) struct Word {
    /// Voxels inside, for each row.
    pub inside: [u64; 4],
    /// Inside bits of the next voxels along x, for each row.
    pub next: [u64; 4],
    /// Crossed edges along x, for each row.
    pub along_x: [u64; 4],
    /// Crossed edges along y from the rows at (y, z) and (y, z + 1).
    pub along_y: [u64; 2],
    /// Crossed edges along z from the rows at (y, z) and (y + 1, z).
    pub along_z: [u64; 2],
    /// Cut cubes between the rows. All their corners have a value.
    pub cut: u64,
}

/// Row (y, z) and the next rows along y, along z, and along both, if they are in the volume.
pub(super) struct Rows<'a> {
    inside: [&'a [u64]; 4],
    missing: [&'a [u64]; 4],
    /// Voxels per row.
    length: usize,
}

impl<'a> Rows<'a> {
    pub fn new(masks: &'a Masks, y: usize, z: usize) -> Self {
        let [length, ny, nz] = masks.size;
        let at = |k: usize| (y + (k & 1), z + (k >> 1));
        let is_in = |(y, z): (usize, usize)| y < ny && z < nz;
        let row = |k| if is_in(at(k)) { masks.inside(at(k).0, at(k).1) } else { &[][..] };
        let gap = |k| if is_in(at(k)) { masks.missing(at(k).0, at(k).1) } else { &[][..] };
        Rows { inside: [0, 1, 2, 3].map(row), missing: [0, 1, 2, 3].map(gap), length }
    }

    /// Computes the bits of word `w`.
    #[inline(always)]
    pub fn word(&self, w: usize) -> Word {
        let get = |row: &[u64], w: usize| row.get(w).copied().unwrap_or(0);
        let shifted = |row: &[u64]| get(row, w) >> 1 | get(row, w + 1) << 63;
        // Bits of the voxels in the row, and of those that have a next voxel along x.
        let left = self.length - w * WORD;
        let all = |n: usize| if n >= WORD { u64::MAX } else { (1 << n) - 1 };
        let (here, pairs) = (all(left), all(left - 1));
        let inside = self.inside.map(|row| get(row, w));
        let next = self.inside.map(shifted);
        let is_in = self.inside.map(|row| if row.is_empty() { 0 } else { u64::MAX });
        let mut word = Word { inside, next, ..Word::default() };
        for k in 0..4 {
            word.along_x[k] = (inside[k] ^ next[k]) & pairs & is_in[k];
        }
        // Each pair holds the indices of the two rows that an edge along y, or along z, joins.
        for (k, [a, b]) in [[0, 1], [2, 3]].into_iter().enumerate() {
            word.along_y[k] = (inside[a] ^ inside[b]) & here & is_in[b] & is_in[a];
        }
        for (k, [a, b]) in [[0, 2], [1, 3]].into_iter().enumerate() {
            word.along_z[k] = (inside[a] ^ inside[b]) & here & is_in[b] & is_in[a];
        }
        let any = inside.into_iter().chain(next).fold(0, |a, b| a | b);
        let every = inside.into_iter().chain(next).fold(u64::MAX, |a, b| a & b);
        word.cut = any & !every & pairs & is_in[3];
        if self.missing.iter().any(|row| !row.is_empty()) {
            self.leave_out(w, &mut word, shifted);
        }
        word
    }

    /// Clears edges and cubes next to a voxel without a value.
    fn leave_out(&self, w: usize, word: &mut Word, shifted: impl Fn(&[u64]) -> u64) {
        let gap = self.missing.map(|row| row.get(w).copied().unwrap_or(0));
        let next = self.missing.map(shifted);
        for k in 0..4 {
            word.along_x[k] &= !(gap[k] | next[k]);
        }
        for (k, [a, b]) in [[0, 1], [2, 3]].into_iter().enumerate() {
            word.along_y[k] &= !(gap[a] | gap[b]);
        }
        for (k, [a, b]) in [[0, 2], [1, 3]].into_iter().enumerate() {
            word.along_z[k] &= !(gap[a] | gap[b]);
        }
        word.cut &= !gap.into_iter().chain(next).fold(0, |a, b| a | b);
    }
}

impl Word {
    /// Returns the case of the cube at bit `x`.
    #[inline(always)]
    pub fn case(&self, x: u32) -> usize {
        let mut case = 0;
        for k in 0..4 {
            case |= (self.inside[k] >> x & 1) << (2 * k) | (self.next[k] >> x & 1) << (2 * k + 1);
        }
        case as usize
    }
}

/// Counts of a row: crossings of edges from its voxels along x, y and z, and triangles of the cubes
/// above it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Row {
    pub crossings: [u32; 3],
    pub triangles: u32,
}

/// The first vertex of each row, its numbers of crossings, and the first triangle of each slice.
pub(super) struct Counts {
    /// First vertex of each row, and the total number of vertices at the end: `[rows + 1]`.
    pub first_vertex: Vec<u32>,
    /// Numbers of crossings along x and along y of each row. Their vertices precede those along z.
    pub crossings: Vec<[u32; 2]>,
    /// First triangle of each slice, and the total number of triangles at the end: `[slices + 1]`.
    pub first_triangle: Vec<u64>,
}

impl Counts {
    /// Counts the vertices and triangles of all rows.
    ///
    /// # Errors
    /// Returns [`Error::Numerical`](crate::Error::Numerical) for more than 2^32 - 1 vertices.
    pub fn new(masks: &Masks) -> Result<Self> {
        let [_, ny, nz] = masks.size;
        let mut rows = vec![Row::default(); ny * nz];
        rows.par_chunks_mut(ny).enumerate().for_each(|(z, rows)| count(masks, z, rows));
        let mut first_vertex = Vec::with_capacity(rows.len() + 1);
        let mut first_triangle = Vec::with_capacity(nz + 1);
        let (mut vertices, mut triangles) = (0_u64, 0_u64);
        for slice in rows.chunks(ny) {
            first_triangle.push(triangles);
            for row in slice {
                first_vertex.push(vertices as u32);
                vertices += row.crossings.iter().map(|&n| u64::from(n)).sum::<u64>();
                triangles += u64::from(row.triangles);
            }
            check_vertices(vertices)?;
        }
        first_vertex.push(vertices as u32);
        first_triangle.push(triangles);
        let crossings = rows.iter().map(|row| [row.crossings[0], row.crossings[1]]).collect();
        Ok(Counts { first_vertex, crossings, first_triangle })
    }

    /// Returns the number of vertices in the surface.
    pub fn vertices(&self) -> usize {
        self.first_vertex.last().map_or(0, |&n| n as usize)
    }

    /// Returns the number of triangles in the surface.
    pub fn triangles(&self) -> usize {
        self.first_triangle.last().map_or(0, |&n| n as usize)
    }

    /// Returns the first vertices of a row on edges along x, y and z.
    #[inline(always)]
    pub fn first(&self, row: usize) -> [u32; 3] {
        let first = self.first_vertex[row];
        let [x, y] = self.crossings[row];
        [first, first + x, first + x + y]
    }
}

#[inline(always)]
fn count_any(masks: &Masks, z: usize, rows: &mut [Row]) {
    let cases = &*CASES;
    for (y, row) in rows.iter_mut().enumerate() {
        let about = Rows::new(masks, y, z);
        for w in 0..masks.words {
            let word = about.word(w);
            let own = [word.along_x[0], word.along_y[0], word.along_z[0]];
            for (n, bits) in row.crossings.iter_mut().zip(own) {
                *n += bits.count_ones();
            }
            let mut cut = word.cut;
            while cut != 0 {
                let x = cut.trailing_zeros();
                cut &= cut - 1;
                row.triangles += cases[word.case(x)].triangles().len() as u32;
            }
        }
    }
}

fn count(masks: &Masks, z: usize, rows: &mut [Row]) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("popcnt") && is_x86_feature_detected!("bmi1") {
        #[target_feature(enable = "popcnt,bmi1")]
        fn counting(masks: &Masks, z: usize, rows: &mut [Row]) {
            count_any(masks, z, rows);
        }
        // SAFETY: this CPU has these instructions.
        return unsafe { counting(masks, z, rows) };
    }
    count_any(masks, z, rows);
}
