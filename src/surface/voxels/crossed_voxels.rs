//! Marks the voxels of a slice that a triangle crosses: those whose closed cubes have a point in
//! common with the triangle.
//!
//! The part of a triangle in a slice, and then in a row, is convex. The triangle therefore crosses
//! the voxels of a row between its smallest and its largest x there. Clipping by four planes (I. E.
//! Sutherland, G. W. Hodgman, "Reentrant polygon clipping", 1974) decides this exactly, without a
//! test per voxel.
//!
//! Points are in units of voxels: voxel (i, j, k) is the cube of edge 1 around (i, j, k). Cubes are
//! enlarged by a margin larger than any rounding error, so no voxel is ever lost. A triangle that
//! is closer to a cube than this margin counts as touching it.

use std::ops::RangeInclusive;

/// Tests triangles against the voxels of a box.
pub(super) struct Passage {
    shape: [usize; 3],
    /// Half the edge of a cube, plus the margin.
    half: f64,
    polygon: Vec<[f64; 3]>,
    strip: Vec<[f64; 3]>,
    other: Vec<[f64; 3]>,
}

impl Passage {
    pub(super) fn new(shape: [usize; 3]) -> Self {
        // Positions are off by a few roundings of the largest coordinate.
        let largest = shape.into_iter().max().unwrap_or(0) as f64 + 2.0;
        let half = 0.5 + 64.0 * f64::EPSILON * largest;
        Passage { shape, half, polygon: Vec::new(), strip: Vec::new(), other: Vec::new() }
    }

    /// Marks the voxels of slice `k` that the triangle crosses. `slice` has the shape `[ny][nx]`.
    pub(super) fn mark(&mut self, triangle: &[[f64; 3]; 3], k: usize, slice: &mut [u8]) {
        self.polygon.clear();
        self.polygon.extend(triangle);
        cut(&mut self.polygon, &mut self.other, 2, k as f64, self.half);
        let Some(rows) = self.range(&self.polygon, 1) else { return };
        for j in rows {
            self.strip.clone_from(&self.polygon);
            cut(&mut self.strip, &mut self.other, 1, j as f64, self.half);
            if let Some(voxels) = self.range(&self.strip, 0) {
                slice[self.shape[0] * j..][voxels].fill(1);
            }
        }
    }

    /// Returns the voxels along an axis that a polygon crosses, or `None` if it has no corners or
    /// lies outside of the box.
    fn range(&self, polygon: &[[f64; 3]], axis: usize) -> Option<RangeInclusive<usize>> {
        let along = || polygon.iter().map(|x| x[axis]);
        let low = (along().reduce(f64::min)? - self.half).ceil().max(0.0);
        let high = (along().reduce(f64::max)? + self.half).floor();
        let high = high.min(self.shape[axis] as f64 - 1.0);
        (low <= high).then_some(low as usize..=high as usize)
    }
}

/// Clips a polygon to the points within `half` of `middle` along an axis.
fn cut(
    polygon: &mut Vec<[f64; 3]>,
    other: &mut Vec<[f64; 3]>,
    axis: usize,
    middle: f64,
    half: f64,
) {
    for side in [-1.0, 1.0] {
        let bound = middle + side * half;
        let beyond = |x: &[f64; 3]| side * (x[axis] - bound);
        other.clear();
        for (n, from) in polygon.iter().enumerate() {
            let to = &polygon[(n + 1) % polygon.len()];
            let (a, b) = (beyond(from), beyond(to));
            if a <= 0.0 {
                other.push(*from);
            }
            if (a < 0.0 && b > 0.0) || (a > 0.0 && b < 0.0) {
                let part = a / (a - b);
                let mut at: [f64; 3] = std::array::from_fn(|k| from[k] + part * (to[k] - from[k]));
                at[axis] = bound;
                other.push(at);
            }
        }
        std::mem::swap(polygon, other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: [usize; 3] = [7, 6, 5];
    /// Corners of triangles are multiples of an eighth of a voxel, so that the reference has no
    /// rounding.
    const PARTS: i64 = 8;

    /// Returns whether a triangle and a closed cube meet, decided in integers by the thirteen axes
    /// that can separate two convex bodies (T. Akenine-Moeller, "Fast 3D triangle-box overlap
    /// testing", 2001).
    fn meets(triangle: &[[i64; 3]; 3], cube: [usize; 3]) -> bool {
        let x = triangle.map(|x| [0, 1, 2].map(|k| 2 * (x[k] - PARTS * cube[k] as i64)));
        let minus = |a: [i64; 3], b: [i64; 3]| [0, 1, 2].map(|k| a[k] - b[k]);
        let cross = |a: [i64; 3], b: [i64; 3]| {
            [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
        };
        let edges = [minus(x[1], x[0]), minus(x[2], x[1]), minus(x[0], x[2])];
        let units = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
        let products = edges.iter().flat_map(|&e| units.map(|u| cross(u, e)));
        let axes = units.into_iter().chain([cross(edges[0], edges[1])]).chain(products);
        axes.into_iter().all(|axis| {
            let along = x.map(|x| (0..3).map(|k| axis[k] * x[k]).sum::<i64>());
            let radius: i64 = axis.iter().map(|a| PARTS * a.abs()).sum();
            along.iter().any(|&s| s <= radius) && along.iter().any(|&s| s >= -radius)
        })
    }

    fn marks(triangle: &[[f64; 3]; 3]) -> Vec<u8> {
        let [nx, ny, nz] = SHAPE;
        let mut marks = vec![0; nx * ny * nz];
        let mut passage = Passage::new(SHAPE);
        for (k, slice) in marks.chunks_mut(nx * ny).enumerate() {
            passage.mark(triangle, k, slice);
        }
        marks
    }

    /// The triangles touch faces, edges and corners of cubes, lie in faces, reach beyond the box,
    /// and include lines and points.
    #[test]
    fn exactly_the_cubes_that_a_triangle_meets_are_marked() {
        let mut state = 88_172_645_463_325_252_u64;
        let mut number = |n: i64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 33) as i64 % n
        };
        let [nx, ny, _] = SHAPE;
        let mut touched = 0;
        for round in 0..20_000 {
            // Half of the rounds use multiples of half a voxel, where cubes touch. A third of the
            // rounds use small triangles.
            let step = if round % 2 == 0 { PARTS / 2 } else { 1 };
            let size = if round % 3 == 0 { 2 * PARTS } else { 9 * PARTS };
            let at = [0; 3].map(|_: i64| number(5 * PARTS / step) - PARTS / step);
            let mut corner = || at.map(|at| step * (at + number(size / step)));
            let mut whole = [corner(), corner(), corner()];
            match round % 10 {
                0 => whole[2] = whole[1],
                1 => whole = [whole[0]; 3],
                2 => whole.iter_mut().for_each(|x| x[2] = 2 * PARTS + PARTS / 2),
                _ => {}
            }
            let triangle = whole.map(|x| x.map(|x| x as f64 / PARTS as f64));
            for (n, &mark) in marks(&triangle).iter().enumerate() {
                let cube = [n % nx, n / nx % ny, n / (nx * ny)];
                assert_eq!(mark == 1, meets(&whole, cube), "{triangle:?} {cube:?}");
                touched += usize::from(mark);
            }
        }
        assert!(touched > 60_000, "{touched}");
    }

    #[test]
    fn a_sliver_through_the_box_loses_no_cube() {
        // Check points of the triangle itself. Rounding may go in any direction.
        for n in 0..500 {
            let turn = f64::from(n) * 0.61;
            let (sin, cos) = turn.sin_cos();
            let triangle = [
                [-0.4, 2.5 + 2.9 * sin, 2.0 + 2.4 * cos],
                [6.4, 2.5 - 2.9 * sin, 2.0 - 2.4 * cos],
                [6.4, 2.5 - 2.9 * sin + 1e-13, 2.0 - 2.4 * cos - 1e-14],
            ];
            let marks = marks(&triangle);
            for step in 0..=1000 {
                let part = f64::from(step) / 1000.0;
                let x: [f64; 3] = std::array::from_fn(|k| {
                    triangle[0][k] + part * (triangle[1][k] - triangle[0][k])
                });
                let [i, j, k] = x.map(|x| x.round() as usize);
                assert_eq!(marks[i + 7 * (j + 6 * k)], 1, "{n} {x:?}");
            }
        }
    }
}
