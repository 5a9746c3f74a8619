//! Clusters of vertices at the same place up to a tolerance, found in linear time.

use std::collections::HashMap;

use crate::parallel::*;

/// The smallest tolerance, as a fraction of the largest coordinate. It keeps the coordinates of
/// grid cells within 62 bits.
const SMALLEST: f64 = 1e-18;

/// Returns the representative of each candidate, which is the first candidate of its cluster.
///
/// `candidates` lists vertices in ascending order. Their coordinates are finite, and each of them
/// has a tolerance. A candidate joins a cluster if its distance from the representative is at most
/// the smaller of their tolerances. Candidates at exactly the same place always belong to the same
/// cluster. Candidates are assigned in order, so the result does not depend on the number of
/// threads.
pub(super) fn representatives(
    vertices: &[[f64; 3]],
    candidates: &[u32],
    tolerances: &[f64],
) -> Vec<u32> {
    let mut of: Vec<u32> = exact(vertices, candidates);
    let largest = candidates
        .par_iter()
        .map(|&v| vertices[v as usize].iter().fold(0.0_f64, |m, c| m.max(c.abs())))
        .reduce(|| 0.0, f64::max);
    let mut grid = Grid::new(largest * SMALLEST);
    for (k, &v) in candidates.iter().enumerate() {
        // Copies at exactly the same place have already been found.
        if of[k] == v && tolerances[k] > 0.0 {
            of[k] = grid.find_or_add(vertices, v, tolerances[k]);
        }
    }
    // The representative of a copy may itself have joined another one. Representatives come before
    // their copies.
    for k in 0..of.len() {
        if of[k] != candidates[k]
            && let Ok(at) = candidates[..k].binary_search(&of[k])
        {
            of[k] = of[at];
        }
    }
    of
}

/// Returns, for each candidate, the first candidate at exactly the same place.
fn exact(vertices: &[[f64; 3]], candidates: &[u32]) -> Vec<u32> {
    // Adding zero turns -0 into 0.
    let key = |&v: &u32| (vertices[v as usize].map(|c| (c + 0.0).to_bits()), v);
    let mut keys: Vec<([u64; 3], u32)> = candidates.par_iter().map(key).collect();
    keys.par_sort_unstable();
    let mut pairs: Vec<(u32, u32)> = Vec::with_capacity(keys.len());
    for run in keys.chunk_by(|a, b| a.0 == b.0) {
        pairs.extend(run.iter().map(|&(_, v)| (v, run[0].1)));
    }
    pairs.par_sort_unstable();
    pairs.into_iter().map(|(_, first)| first).collect()
}

/// The level of a grid, and the position of a cell in it.
type Cell = (i32, [i64; 3]);

/// Representatives in grids of cells, one grid for each power of two of the tolerance.
struct Grid {
    smallest: f64,
    levels: Vec<i32>,
    cells: HashMap<Cell, Vec<(u32, f64)>>,
}

impl Grid {
    fn new(smallest: f64) -> Self {
        Grid { smallest, levels: Vec::new(), cells: HashMap::new() }
    }

    /// Returns the lowest representative that a vertex may join. If there is none, makes the vertex
    /// a representative and returns it.
    fn find_or_add(&mut self, vertices: &[[f64; 3]], v: u32, tolerance: f64) -> u32 {
        let x = vertices[v as usize];
        let tolerance = tolerance.max(self.smallest).max(f64::MIN_POSITIVE * 1e20);
        let found =
            self.levels.iter().flat_map(|&level| self.around(level, x)).filter(|&&(r, t)| {
                let y = vertices[r as usize];
                let squared: f64 = (0..3).map(|k| (x[k] - y[k]).powi(2)).sum();
                squared.sqrt() <= t.min(tolerance)
            });
        if let Some(first) = found.map(|&(r, _)| r).min() {
            return first;
        }
        let level = tolerance.log2().ceil() as i32;
        if let Err(at) = self.levels.binary_search(&level) {
            self.levels.insert(at, level);
        }
        let cell = x.map(|c| (c / width(level)).floor() as i64);
        self.cells.entry((level, cell)).or_default().push((v, tolerance));
        v
    }

    /// Returns the representatives of a level in the eight cells closest to a point.
    fn around(&self, level: i32, x: [f64; 3]) -> impl Iterator<Item = &(u32, f64)> {
        let scaled = x.map(|c| c / width(level));
        let low = scaled.map(|c| (c - 0.5).floor() as i64);
        (0..8_i64).flat_map(move |corner| {
            let cell = [0, 1, 2].map(|k| low[k] + (corner >> k & 1));
            self.cells.get(&(level, cell)).into_iter().flatten()
        })
    }
}

/// Returns the width of the cells of a level: twice the largest tolerance of the level.
fn width(level: i32) -> f64 {
    2.0_f64.powi(level + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_found_within_the_smaller_tolerance() {
        let vertices = [
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [1e-6, 0.0, 0.0],
            [1.0, -0.0, 0.0],
            [-1e-6, 0.0, 0.0],
            [1.0 + 3e-5, 0.0, 0.0],
        ];
        let candidates: Vec<u32> = (0..6).collect();
        assert_eq!(representatives(&vertices, &candidates, &[1e-5; 6]), [0, 1, 0, 1, 0, 5]);
        let tolerances = [1e-5, 1e-4, 1e-7, 1e-4, 1e-5, 1e-4];
        assert_eq!(representatives(&vertices, &candidates, &tolerances), [0, 1, 2, 1, 0, 1]);
    }

    #[test]
    fn ten_thousand_copies_of_a_point_take_no_time_and_far_frames_do_not_overflow() {
        let vertices: Vec<[f64; 3]> =
            (0..30_000).map(|k| [1e300, f64::from(k % 3) * 1e290, -1e300]).collect();
        let candidates: Vec<u32> = (0..30_000).collect();
        let of = representatives(&vertices, &candidates, &vec![1e280; 30_000]);
        assert!(of.iter().zip(&candidates).all(|(&r, &v)| r == v % 3));
    }
}
