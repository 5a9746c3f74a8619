//! Recursive bisection within pieces of a Hilbert curve.
//!
//! Each piece is halved across its longest axis of inertia. Moving single vertices then improves
//! the cut (Fiduccia and Mattheyses, "A linear-time heuristic for improving network partitions",
//! DAC 1982). The halves are bisected in the same way until the patches are small enough. The
//! pieces are independent, so they are partitioned in parallel. The result is the same for any
//! number of threads.

use std::ops::Range;

use super::adjacency::Adjacency;
use super::partition::parts_for;
use crate::parallel::*;

/// The number of vertices per piece. With larger pieces, the curve has fewer ends, around which
/// patches are irregular, but each doubling requires another level of bisection.
const PIECE: usize = 1 << 14;
/// The largest number of passes that improve a cut.
const PASSES: usize = 3;
/// A pass ends after this many consecutive moves without a better cut.
const PATIENCE: usize = 24;
/// The limit to which gains are clamped. In a reasonable mesh, no vertex has more neighbors than
/// this.
const TOP: i32 = 40;

/// Returns the patch of each vertex, `[n_vertices]`. The vertices must be numbered along the
/// Hilbert curve.
pub(super) fn bisect(x: &[[f64; 3]], adjacency: &Adjacency, patch_size: usize) -> Vec<u32> {
    let size = PIECE.max(patch_size);
    let n = x.len();
    let parts: Vec<Vec<u32>> = (0..n.div_ceil(size))
        .into_par_iter()
        .map(|k| {
            let piece = k * size..((k + 1) * size).min(n);
            Piece::new(x, adjacency, piece).cut(patch_size)
        })
        .collect();
    let mut patch_of = Vec::with_capacity(n);
    let mut first = 0;
    for part in parts {
        patch_of.extend(part.iter().map(|p| first + p));
        first += parts_for(part.len(), patch_size) as u32;
    }
    patch_of
}

/// A piece of the curve. Its vertices are numbered along the curve starting at 0.
struct Piece<'a> {
    x: &'a [[f64; 3]],
    offsets: Vec<u32>,
    neighbors: Vec<u32>,
    /// For each vertex, the index of the first part of its current subset.
    part: Vec<u32>,
}

/// A subset that is still to be partitioned. The vertices `start..end` of the list are divided into
/// the parts `first..first + n_parts`.
struct Subset {
    start: usize,
    end: usize,
    first: u32,
    n_parts: usize,
}

impl<'a> Piece<'a> {
    fn new(x: &'a [[f64; 3]], adjacency: &Adjacency, piece: Range<usize>) -> Self {
        let (mut offsets, mut neighbors) = (Vec::with_capacity(piece.len() + 1), Vec::new());
        offsets.push(0);
        for v in piece.clone() {
            let inside = adjacency.of(v).iter().filter(|&&w| piece.contains(&(w as usize)));
            neighbors.extend(inside.map(|&w| w - piece.start as u32));
            offsets.push(neighbors.len() as u32);
        }
        Piece { part: vec![0; piece.len()], x: &x[piece], offsets, neighbors }
    }

    fn of(&self, v: u32) -> &[u32] {
        &self.neighbors[self.offsets[v as usize] as usize..self.offsets[v as usize + 1] as usize]
    }

    /// Returns the part of each vertex.
    fn cut(mut self, patch_size: usize) -> Vec<u32> {
        let n = self.x.len();
        let mut list: Vec<u32> = (0..n as u32).collect();
        let mut moves = Moves::new(n);
        let mut keys = Vec::with_capacity(n);
        let mut stay = Vec::with_capacity(n);
        let mut todo =
            vec![Subset { start: 0, end: n, first: 0, n_parts: parts_for(n, patch_size) }];
        while let Some(subset) = todo.pop() {
            if subset.n_parts < 2 {
                continue;
            }
            let Subset { start, end, first, n_parts } = subset;
            let members = &mut list[start..end];
            let n_low = n_parts / 2;
            let high = first + n_low as u32;
            let share = members.len() * n_low / n_parts;
            self.halve(members, share, high, &mut keys);
            // A side that will be divided again may use half of its spare capacity. The other half
            // is left for later cuts.
            let most = |parts: usize, share: usize| {
                let full = parts * patch_size;
                if parts == 1 { full } else { share + full.saturating_sub(share) / 2 }
            };
            let sizes = [share, members.len() - share];
            let most = [most(n_low, sizes[0]), most(n_parts - n_low, sizes[1])];
            moves.mend(&mut self, members, [first, high], sizes, most);
            // The reordering is stable, so the order within a subset does not depend on the
            // selection algorithm.
            stay.clear();
            let mut kept = 0;
            for k in 0..members.len() {
                let v = members[k];
                if self.part[v as usize] == first {
                    members[kept] = v;
                    kept += 1;
                } else {
                    stay.push(v);
                }
            }
            members[kept..].copy_from_slice(&stay);
            let middle = start + kept;
            todo.push(Subset { start, end: middle, first, n_parts: n_low });
            todo.push(Subset { start: middle, end, first: high, n_parts: n_parts - n_low });
        }
        self.part
    }

    /// Assigns the part `high` to all vertices except the first `share` along the longest axis of
    /// inertia.
    fn halve(&mut self, members: &[u32], share: usize, high: u32, keys: &mut Vec<(f64, u32)>) {
        if share == 0 || share >= members.len() {
            return;
        }
        let axis = longest_axis(members.iter().map(|&v| self.x[v as usize]), members.len());
        keys.clear();
        keys.extend(members.iter().map(|&v| {
            let x = self.x[v as usize];
            (axis[0] * x[0] + axis[1] * x[1] + axis[2] * x[2], v)
        }));
        let by_place = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        keys.select_nth_unstable_by(share, by_place);
        for &(_, v) in &keys[share..] {
            self.part[v as usize] = high;
        }
    }
}

/// Returns the direction in which `n` points have the largest second moment, or the x axis if the
/// moments are all 0 or not finite. The result is not normalized.
fn longest_axis(points: impl Iterator<Item = [f64; 3]> + Clone, n: usize) -> [f64; 3] {
    let mut center = [0.0; 3];
    for x in points.clone() {
        (0..3).for_each(|k| center[k] += x[k]);
    }
    let center = center.map(|c| c / n as f64);
    let mut m = [[0.0; 3]; 3];
    for x in points {
        let d = [x[0] - center[0], x[1] - center[1], x[2] - center[2]];
        for i in 0..3 {
            for j in i..3 {
                m[i][j] += d[i] * d[j];
            }
        }
    }
    (m[1][0], m[2][0], m[2][1]) = (m[0][1], m[0][2], m[1][2]);
    // Squaring the matrix amplifies its largest eigenvalue, so the columns converge to the
    // eigenvector of that eigenvalue.
    for _ in 0..6 {
        let trace = m[0][0] + m[1][1] + m[2][2];
        if !(trace > 0.0 && trace.is_finite()) {
            return [1.0, 0.0, 0.0];
        }
        let unit = m.map(|row| row.map(|x| x / trace));
        for i in 0..3 {
            for j in 0..3 {
                m[i][j] = (0..3).map(|k| unit[i][k] * unit[k][j]).sum();
            }
        }
    }
    let longest = (0..3).fold(0, |best, k| if m[k][k] > m[best][best] { k } else { best });
    m[longest]
}

/// The possible moves of vertices from one side of a cut to the other, sorted by gain.
struct Moves {
    /// The number of cut edges that moving each vertex saves.
    gain: Vec<i32>,
    /// The round in which the gain of each vertex was computed. `moved` is the round in which each
    /// vertex was moved.
    known: Vec<u32>,
    moved: Vec<u32>,
    round: u32,
    /// The vertices grouped by side and gain. Some entries are outdated.
    buckets: [Vec<Vec<u32>>; 2],
    /// The highest bucket of each side that may contain a vertex.
    top: [usize; 2],
    done: Vec<u32>,
}

impl Moves {
    fn new(n: usize) -> Self {
        let buckets = || vec![Vec::new(); 2 * TOP as usize + 1];
        Moves {
            gain: vec![0; n],
            known: vec![0; n],
            moved: vec![0; n],
            round: 0,
            buckets: [buckets(), buckets()],
            top: [0; 2],
            done: Vec::new(),
        }
    }

    /// Improves the cut that divides `members` into `parts`. `most` limits the number of vertices
    /// on each side.
    fn mend(
        &mut self,
        piece: &mut Piece,
        members: &[u32],
        parts: [u32; 2],
        mut sizes: [usize; 2],
        most: [usize; 2],
    ) {
        for _ in 0..PASSES {
            if !self.pass(piece, members, parts, &mut sizes, most) {
                break;
            }
        }
    }

    /// Performs one pass, in which every vertex moves at most once. Returns true if it reduced the
    /// number of cut edges.
    fn pass(
        &mut self,
        piece: &mut Piece,
        members: &[u32],
        parts: [u32; 2],
        sizes: &mut [usize; 2],
        most: [usize; 2],
    ) -> bool {
        self.round += 1;
        self.done.clear();
        self.top = [0; 2];
        self.buckets.iter_mut().flatten().for_each(Vec::clear);
        for &v in members {
            let side = usize::from(piece.part[v as usize] == parts[1]);
            let (mut gain, mut border) = (0, false);
            for &w in piece.of(v) {
                let part = piece.part[w as usize];
                if part == parts[1 - side] {
                    gain += 1;
                    border = true;
                } else if part == parts[side] {
                    gain -= 1;
                }
            }
            if border {
                self.gain[v as usize] = gain;
                self.known[v as usize] = self.round;
                self.put(side, gain, v);
            }
        }
        let (mut saved, mut best, mut best_at) = (0, 0, 0);
        let imbalance = |sizes: &[usize; 2]| {
            sizes[0].saturating_sub(most[0]) + sizes[1].saturating_sub(most[1])
        };
        let mut best_over = imbalance(sizes);
        while self.done.len() < best_at + PATIENCE {
            let Some((v, side)) = self.take(piece, parts, sizes, most) else { break };
            saved += self.gain[v as usize];
            self.moved[v as usize] = self.round;
            self.done.push(v);
            piece.part[v as usize] = parts[1 - side];
            sizes[side] -= 1;
            sizes[1 - side] += 1;
            let over = imbalance(sizes);
            if (over, -saved) < (best_over, -best) {
                (best_over, best, best_at) = (over, saved, self.done.len());
            }
            let (from, to) = (piece.offsets[v as usize], piece.offsets[v as usize + 1]);
            for k in from..to {
                let w = piece.neighbors[k as usize];
                let part = piece.part[w as usize];
                if (part != parts[0] && part != parts[1]) || self.moved[w as usize] == self.round {
                    continue;
                }
                let side_of_w = usize::from(part == parts[1]);
                let gain = if self.known[w as usize] == self.round {
                    self.gain[w as usize] + if side_of_w == side { 2 } else { -2 }
                } else {
                    // The neighbor was not at the cut before this move, so it is on the side that
                    // the vertex left.
                    piece.of(w).iter().fold(0, |gain, &z| {
                        let part = piece.part[z as usize];
                        gain + i32::from(part == parts[1 - side_of_w])
                            - i32::from(part == parts[side_of_w])
                    })
                };
                self.known[w as usize] = self.round;
                self.gain[w as usize] = gain;
                self.put(side_of_w, gain, w);
            }
        }
        for &v in &self.done[best_at..] {
            let side = usize::from(piece.part[v as usize] == parts[1]);
            piece.part[v as usize] = parts[1 - side];
            sizes[side] -= 1;
            sizes[1 - side] += 1;
        }
        best > 0
    }

    fn put(&mut self, side: usize, gain: i32, v: u32) {
        let bucket = (gain.clamp(-TOP, TOP) + TOP) as usize;
        self.buckets[side][bucket].push(v);
        self.top[side] = self.top[side].max(bucket);
    }

    /// Removes and returns the vertex with the largest gain among the moves that respect the size
    /// limits, together with its side. Returns `None` if no move is left.
    fn take(
        &mut self,
        piece: &Piece,
        parts: [u32; 2],
        sizes: &[usize; 2],
        most: [usize; 2],
    ) -> Option<(u32, usize)> {
        for (side, &part) in parts.iter().enumerate() {
            while let Some(&v) = self.buckets[side][self.top[side]].last() {
                if self.moved[v as usize] != self.round
                    && piece.part[v as usize] == part
                    && (self.gain[v as usize].clamp(-TOP, TOP) + TOP) as usize == self.top[side]
                {
                    break;
                }
                self.buckets[side][self.top[side]].pop();
                while self.top[side] > 0 && self.buckets[side][self.top[side]].is_empty() {
                    self.top[side] -= 1;
                }
            }
        }
        let open = |side: usize| {
            let room = sizes[1 - side] < most[1 - side] && sizes[side] > 1;
            (room && !self.buckets[side][self.top[side]].is_empty())
                .then(|| (self.top[side], sizes[side] * most[1 - side], side))
        };
        // If gains are equal, the vertex is taken from the side that is fuller relative to its
        // limit.
        let (_, _, side) = [open(0), open(1)].into_iter().flatten().max()?;
        let v = self.buckets[side][self.top[side]].pop()?;
        while self.top[side] > 0 && self.buckets[side][self.top[side]].is_empty() {
            self.top[side] -= 1;
        }
        Some((v, side))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitives::GatherMatrix;

    /// Returns a lattice of `n` x `n` squares with two triangles each. Its vertices are numbered
    /// along rows.
    fn lattice(n: u32) -> (Vec<[f64; 3]>, Adjacency) {
        let x = (0..=n).flat_map(|j| (0..=n).map(move |i| [f64::from(i), f64::from(j), 0.0]));
        let cells: Vec<u32> = (0..n * n)
            .flat_map(|k| {
                let v = k / n * (n + 1) + k % n;
                [v, v + 1, v + n + 2, v, v + n + 2, v + n + 1]
            })
            .collect();
        let slots = GatherMatrix::new(((n + 1) * (n + 1)) as usize, &cells);
        (x.collect(), Adjacency::new(slots, &cells, 3).unwrap())
    }

    fn cut(adjacency: &Adjacency, patch_of: &[u32]) -> usize {
        let across = |v: usize| {
            adjacency.of(v).iter().filter(|&&w| patch_of[w as usize] != patch_of[v]).count()
        };
        (0..patch_of.len()).map(across).sum::<usize>() / 2
    }

    #[test]
    fn patches_fit_and_their_cut_is_near_that_of_squares() {
        let n = 199;
        let (x, adjacency) = lattice(n);
        let patch_of = bisect(&x, &adjacency, 64);
        let mut sizes = vec![0; 1 + *patch_of.iter().max().unwrap() as usize];
        patch_of.iter().for_each(|&p| sizes[p as usize] += 1);
        assert!(sizes.iter().all(|&size| size > 0 && size <= 64), "{sizes:?}");
        // Square patches of 8 x 8 vertices cut fewer than 2 * 8 edges along each of two sides. The
        // bound of 3 * 8 - 1 = 23 edges per side leaves a margin.
        let squares = 25 * 25 * 2 * 23;
        let found = cut(&adjacency, &patch_of);
        assert!(found < squares * 11 / 10, "{found} edges cut, squares cut {squares}");
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(alone.install(|| bisect(&x, &adjacency, 64)), patch_of);
    }

    #[test]
    fn points_in_one_place_and_odd_sizes() {
        let (mut x, adjacency) = lattice(20);
        x.fill([1e300; 3]);
        for size in [1, 2, 3, 100, 441, 1000] {
            let patch_of = bisect(&x, &adjacency, size);
            let mut sizes = vec![0; 1 + *patch_of.iter().max().unwrap() as usize];
            patch_of.iter().for_each(|&p| sizes[p as usize] += 1);
            assert!(sizes.iter().all(|&n| n <= size), "{size}: {sizes:?}");
        }
    }
}
