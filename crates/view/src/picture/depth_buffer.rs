//! The depth buffer of a band: for each sample, the triangle that is visible there.
//!
//! The samples form square blocks. A triangle wider or taller than a block is not compared with the
//! samples of a block that it does not touch or in which everything visible is above it. The result
//! does not depend on the order in which triangles are drawn.

use super::raster::{FINE, Flat, NONE, ends};

/// The number of samples along each side of a block.
const BLOCK: usize = 32;
/// If at most this many samples of a row may lie inside a triangle, they are tested one by one.
const FEW: usize = 8;

/// The visible triangle and its height at each sample of a band.
pub(super) struct DepthBuffer {
    /// The number of samples in a row.
    wide: usize,
    /// The first row of samples, and the row after the last one.
    rows: [usize; 2],
    /// The height at each sample. It is minus infinity at samples without a triangle.
    pub height: Vec<f32>,
    /// The index of the triangle at each sample.
    pub triangle: Vec<u32>,
    blocks: Vec<Block>,
    blocks_wide: usize,
}

/// A bound on the heights in a block of samples, and the count that triggers its update.
#[derive(Clone, Copy)]
struct Block {
    /// A lower bound on the heights.
    lowest: f32,
    /// The number of samples drawn since the lower bound was computed.
    drawn: usize,
}

/// A triangle with the heights of its corners, and numbers derived from them that are needed at
/// every sample.
struct Slope<'a> {
    flat: &'a Flat,
    z: [f64; 3],
    lowest: f64,
    highest: f64,
    area: f64,
    bias: [i64; 3],
    /// The change in the edge values from one sample of a row to the next.
    step: [i64; 3],
    /// The change in height from one sample of a row to the next.
    slope: f64,
}

impl<'a> Slope<'a> {
    fn new(flat: &'a Flat, z: [f64; 3]) -> Self {
        let area = flat.area as f64;
        let step = [(1, 2), (2, 0), (0, 1)].map(|(a, b)| (flat.y[a] - flat.y[b]) * FINE);
        Slope {
            flat,
            z,
            lowest: z[0].min(z[1]).min(z[2]),
            highest: z[0].max(z[1]).max(z[2]),
            area,
            bias: flat.bias(),
            step,
            slope: (0..3).map(|k| step[k] as f64 * z[k]).sum::<f64>() / area,
        }
    }

    /// Returns the values of the edges at a sample. None of them is negative inside the triangle.
    fn edges(&self, x: usize, y: usize) -> [i64; 3] {
        let middle = |k: usize| k as i64 * FINE + FINE / 2;
        let edges = self.flat.edges(middle(x), middle(y));
        [edges[0] + self.bias[0], edges[1] + self.bias[1], edges[2] + self.bias[2]]
    }

    /// Returns the height at a sample, given the values of the edges there.
    fn height(&self, edges: [i64; 3]) -> f64 {
        (0..3).map(|k| (edges[k] - self.bias[k]) as f64 * self.z[k]).sum::<f64>() / self.area
    }

    /// Returns an upper bound on the height in a block of samples, or `None` if the block lies on
    /// the outer side of an edge. `x` holds the first and the last column of the block, and `y` the
    /// first and the last row.
    fn highest_in(&self, x: [usize; 2], y: [usize; 2]) -> Option<f64> {
        let corners = [[x[0], y[0]], [x[1], y[0]], [x[0], y[1]], [x[1], y[1]]];
        let corners = corners.map(|[x, y]| self.edges(x, y));
        let outside = |k: usize| corners.iter().all(|edges| edges[k] < 0);
        if (0..3).any(outside) {
            return None;
        }
        // The terms of a thin triangle nearly cancel, so a bound on rounding errors is added.
        let above = |edges: &[i64; 3]| {
            let terms = (0..3).map(|k| (edges[k] as f64 * self.z[k]).abs());
            self.height(*edges) + 1e-12 * terms.sum::<f64>() / self.area
        };
        Some(corners.iter().map(above).fold(f64::NEG_INFINITY, f64::max).min(self.highest))
    }
}

impl DepthBuffer {
    /// Creates an empty buffer of `wide` columns for the rows from `top` up to, but not including,
    /// `bottom`.
    pub(super) fn new(wide: usize, [top, bottom]: [usize; 2]) -> Self {
        let n = wide * (bottom - top);
        let (blocks_wide, blocks_tall) = (wide.div_ceil(BLOCK), (bottom - top).div_ceil(BLOCK));
        let empty = Block { lowest: f32::NEG_INFINITY, drawn: 0 };
        DepthBuffer {
            wide,
            rows: [top, bottom],
            height: vec![f32::NEG_INFINITY; n],
            triangle: vec![NONE; n],
            blocks: vec![empty; blocks_wide * blocks_tall],
            blocks_wide,
        }
    }

    /// Draws the triangle with index `t` and the heights `z` of its corners. At equal heights, the
    /// triangle with the smallest index is visible.
    pub(super) fn draw(&mut self, flat: &Flat, z: [f64; 3], t: u32) {
        let [top, bottom] = self.rows;
        let [low_x, high_x] = ends(flat.x, 0, self.wide);
        let [low_y, high_y] = ends(flat.y, top, bottom);
        if low_x >= high_x || low_y >= high_y {
            return;
        }
        let slope = Slope::new(flat, z);
        if high_x - low_x <= BLOCK && high_y - low_y <= BLOCK {
            // The triangle lies in at most four blocks, so bounds cost more than they save.
            let drawn = self.draw_in(&slope, t, low_x, [low_x, high_x], [low_y, high_y]);
            self.blocks_of([low_x, high_x], [low_y, high_y])
                .for_each(|block| self.blocks[block].drawn += drawn);
            return;
        }
        for block_y in (low_y - top) / BLOCK..=(high_y - 1 - top) / BLOCK {
            let first = (top + block_y * BLOCK).max(low_y);
            let y = [first, (top + (block_y + 1) * BLOCK).min(high_y)];
            let columns = columns(flat, y, [low_x, high_x]);
            if columns[0] >= columns[1] {
                continue;
            }
            for block_x in columns[0] / BLOCK..columns[1].div_ceil(BLOCK) {
                let block = block_y * self.blocks_wide + block_x;
                let lowest = f64::from(self.blocks[block].lowest);
                if slope.highest < lowest {
                    continue;
                }
                let x =
                    [(block_x * BLOCK).max(columns[0]), ((block_x + 1) * BLOCK).min(columns[1])];
                let highest = slope.highest_in([x[0], x[1] - 1], [y[0], y[1] - 1]);
                // Stored heights are rounded to single precision. A triangle at the same height is
                // still drawn, because the indices of the triangles then decide.
                if highest.is_none_or(|highest| (highest as f32) < self.blocks[block].lowest) {
                    continue;
                }
                let drawn = self.draw_in(&slope, t, low_x, x, y);
                self.count(block, drawn);
            }
        }
    }

    /// Returns the indices of the blocks that a range of columns and rows touches.
    fn blocks_of(&self, x: [usize; 2], y: [usize; 2]) -> impl Iterator<Item = usize> + use<> {
        let (wide, top) = (self.blocks_wide, self.rows[0]);
        let columns = x[0] / BLOCK..=(x[1] - 1) / BLOCK;
        ((y[0] - top) / BLOCK..=(y[1] - 1 - top) / BLOCK)
            .flat_map(move |row| columns.clone().map(move |column| row * wide + column))
    }

    /// Counts samples drawn in a block. Once there are as many as a full block has samples,
    /// computes the lowest height in the block and counts from 0 again.
    fn count(&mut self, block: usize, drawn: usize) {
        self.blocks[block].drawn += drawn;
        if self.blocks[block].drawn < BLOCK * BLOCK {
            return;
        }
        let (block_x, block_y) = (block % self.blocks_wide, block / self.blocks_wide);
        let columns = block_x * BLOCK..((block_x + 1) * BLOCK).min(self.wide);
        let rows = block_y * BLOCK..((block_y + 1) * BLOCK).min(self.rows[1] - self.rows[0]);
        let of_row = |row: usize| &self.height[row * self.wide..][columns.clone()];
        let lowest = rows.flat_map(of_row).copied().fold(f32::INFINITY, f32::min);
        self.blocks[block] = Block { lowest, drawn: 0 };
    }

    /// Draws the part of a triangle that lies in a range of columns and rows. Heights are computed
    /// from the height in column `from` and the slope. Returns the number of samples that changed.
    fn draw_in(
        &mut self,
        slope: &Slope<'_>,
        t: u32,
        from: usize,
        [low_x, high_x]: [usize; 2],
        [low_y, high_y]: [usize; 2],
    ) -> usize {
        let mut drawn = 0;
        for y in low_y..high_y {
            let inside = inside(slope.edges(low_x, y), slope.step, high_x - low_x);
            if inside[0] >= inside[1] {
                continue;
            }
            let z = slope.height(slope.edges(from, y));
            let row = (y - self.rows[0]) * self.wide;
            for x in low_x + inside[0]..low_x + inside[1] {
                let z = z + (x - from) as f64 * slope.slope;
                let z = z.clamp(slope.lowest, slope.highest) as f32;
                let (height, triangle) = (&mut self.height[row + x], &mut self.triangle[row + x]);
                if z > *height || z == *height && t < *triangle {
                    (*height, *triangle) = (z, t);
                    drawn += 1;
                }
            }
        }
        drawn
    }
}

/// Narrows a range of columns to those that may contain the part of a triangle in a range of rows.
fn columns(flat: &Flat, [top, bottom]: [usize; 2], [low, high]: [usize; 2]) -> [usize; 2] {
    let (top, bottom) = ((top as i64 * FINE) as f64, (bottom as i64 * FINE) as f64);
    let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
    for (a, b) in [(0, 1), (1, 2), (2, 0)] {
        let [xa, xb, ya, yb] = [flat.x[a], flat.x[b], flat.y[a], flat.y[b]].map(|x| x as f64);
        if ya.max(yb) < top || ya.min(yb) > bottom {
            continue;
        }
        let at = |y: f64| match yb - ya {
            0.0 => [xa, xb],
            rise => [xa + (xb - xa) * ((y - ya) / rise).clamp(0.0, 1.0); 2],
        };
        for &x in [at(top), at(bottom)].as_flattened() {
            (least, most) = (least.min(x), most.max(x));
        }
    }
    // One more column on each side makes up for rounding errors.
    let column = |x: f64| (x / FINE as f64).clamp(low as f64, high as f64) as usize;
    let [least, most] = [column(least).saturating_sub(1), column(most) + 2];
    [least.max(low), most.clamp(low, high)]
}

/// Returns the range of samples in a row of `n` samples at which no edge value is negative. `edges`
/// are the edge values at the first sample, and `step` is their change to the next one.
fn inside(edges: [i64; 3], step: [i64; 3], n: usize) -> [usize; 2] {
    let (mut begin, mut end) = (0, n as i64);
    if n <= FEW {
        let is_inside = |x: &i64| (0..3).all(|k| edges[k] + step[k] * x >= 0);
        begin = (0..end).find(is_inside).unwrap_or(end);
        end = (begin..end).find(|x| !is_inside(x)).unwrap_or(end);
        return [begin as usize, end as usize];
    }
    for (edge, step) in edges.into_iter().zip(step) {
        match (edge >= 0, step.signum()) {
            (true, -1) => end = end.min(edge / -step + 1),
            (false, 1) => begin = begin.max((step - 1 - edge) / step),
            (false, _) => return [0, 0],
            (true, _) => {}
        }
    }
    [begin.min(end) as usize, end as usize]
}

#[cfg(test)]
mod tests {
    use super::super::raster::Corner;
    use super::*;

    /// Returns pseudorandom numbers below `most`.
    fn numbers(most: u32) -> impl Iterator<Item = u32> {
        (1_u32..).map(move |k| k.wrapping_mul(2_654_435_761).rotate_left(11) % most)
    }

    #[test]
    fn rows_agree_with_a_test_of_each_sample() {
        let mut numbers = numbers(2001);
        for _ in 0..2000 {
            let mut three = || [0; 3].map(|_| i64::from(numbers.next().unwrap()) - 1000);
            let (edges, step) = (three(), three().map(|step| step / 20));
            for n in [0, 3, 8, 9, 100] {
                let [begin, end] = inside(edges, step, n);
                for x in 0..n {
                    let all = (0..3).all(|k| edges[k] + step[k] * x as i64 >= 0);
                    assert_eq!((begin..end).contains(&x), all, "{edges:?} {step:?} {x}");
                }
            }
        }
    }

    #[test]
    fn columns_contain_the_part_of_a_triangle_between_two_rows() {
        let mut numbers = numbers(300 * FINE as u32);
        for _ in 0..300 {
            let mut next = || numbers.next().unwrap() as i32;
            let corners = [0; 3].map(|_| Corner { x: next() - 9000, y: next() - 9000, z: 0.0 });
            let Some(flat) = Flat::new(corners) else { continue };
            let slope = Slope::new(&flat, [0.0; 3]);
            for top in [0, 17, 64, 200] {
                let [low, high] = columns(&flat, [top, top + 9], [5, 250]);
                for y in top..top + 9 {
                    for x in 5..250 {
                        let covered = slope.edges(x, y).iter().all(|edge| *edge >= 0);
                        assert!(!covered || (low..high).contains(&x), "{flat:?} {x} {y}");
                    }
                }
            }
        }
    }

    #[test]
    fn blocks_and_order_do_not_change_the_result() {
        let (wide, rows) = (300, [60, 200]);
        let mut numbers = numbers(400 * FINE as u32);
        let corner =
            |x: u32, y: u32, z: u32| Corner { x: x as i32 - 9000, y: y as i32, z: z as f32 };
        let triangles: Vec<[Corner; 3]> = (0..400)
            .map(|_| {
                [0; 3].map(|_| {
                    let mut next = || numbers.next().unwrap();
                    corner(next(), next(), next() % 50)
                })
            })
            .collect();
        let draw = |order: &mut dyn Iterator<Item = usize>| {
            let mut buffer = DepthBuffer::new(wide, rows);
            for t in order {
                let Some(flat) = Flat::new(triangles[t]) else { continue };
                let mut z = triangles[t].map(|c| f64::from(c.z));
                if flat.turned {
                    z.swap(1, 2);
                }
                buffer.draw(&flat, z, t as u32);
            }
            (buffer.height, buffer.triangle)
        };
        let (height, triangle) = draw(&mut (0..triangles.len()));
        assert!(draw(&mut (0..triangles.len()).rev()) == (height, triangle.clone()));
        // Every sample is compared with every triangle.
        for (k, found) in triangle.iter().enumerate() {
            let (x, y) = (k % wide, rows[0] + k / wide);
            let mut best = (f32::NEG_INFINITY, NONE);
            for (t, corners) in triangles.iter().enumerate() {
                let Some(flat) = Flat::new(*corners) else { continue };
                let mut z = corners.map(|c| f64::from(c.z));
                if flat.turned {
                    z.swap(1, 2);
                }
                let (slope, from) = (Slope::new(&flat, z), ends(flat.x, 0, wide)[0]);
                if x < from || slope.edges(x, y).iter().any(|edge| *edge < 0) {
                    continue;
                }
                let z = slope.height(slope.edges(from, y)) + (x - from) as f64 * slope.slope;
                let z = z.clamp(slope.lowest, slope.highest) as f32;
                best = if z > best.0 { (z, t as u32) } else { best };
            }
            assert_eq!(*found, best.1, "sample {x},{y}");
        }
    }
}
