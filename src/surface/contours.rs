//! Closed curves around the part of a picture whose values are on one side of a level.

use crate::io::Curve;

/// Marks a grid edge without a successor.
const NONE: u32 = u32::MAX;

/// Values of a picture, and the box that its pixels fill.
#[derive(Clone, Copy, Debug)]
pub struct Pixels<'a> {
    /// Numbers of pixels along x and y.
    pub shape: [usize; 2],
    /// The values, row by row from bottom to top, x fastest, in any unit. Negative values are
    /// inside.
    pub values: &'a [f64],
    /// Corner of the box with the smallest coordinates.
    pub min: [f64; 2],
    /// Corner of the box with the largest coordinates.
    pub max: [f64; 2],
}

impl Pixels<'_> {
    /// Returns closed curves around the inside, at z = 0. Between the centers of pixels, values are
    /// interpolated linearly. The inside ends at the boundary of the box.
    ///
    /// Inside pixels that touch at a corner are joined if the mean of the four values around the
    /// corner is negative.
    pub fn contours(&self) -> Vec<Curve> {
        let grid = Framed::new(self);
        let next = grid.successors();
        let mut is_done = vec![false; next.len()];
        let mut curves = Vec::new();
        for first in 0..next.len() {
            if next[first] == NONE || is_done[first] {
                continue;
            }
            let (mut points, mut at) = (Vec::new(), first);
            while !is_done[at] {
                is_done[at] = true;
                points.push(grid.crossing(at));
                at = next[at] as usize;
            }
            points.dedup();
            if points.len() > 2 {
                curves.push(Curve { points, closed: true });
            }
        }
        curves
    }
}

/// The values of a picture, surrounded by two frames on the boundary of the box. The first has the
/// values of the nearest pixels, and the second is outside.
struct Framed {
    /// Coordinates of the columns and of the rows.
    places: [Vec<f64>; 2],
    values: Vec<f64>,
}

impl Framed {
    fn new(pixels: &Pixels) -> Self {
        let places = [0, 1].map(|k| {
            let (n, low, high) = (pixels.shape[k], pixels.min[k], pixels.max[k]);
            let size = (high - low) / n as f64;
            let centers = (0..n).map(|i| low + (i as f64 + 0.5) * size);
            [low, low].into_iter().chain(centers).chain([high, high]).collect::<Vec<f64>>()
        });
        let [columns, rows] = [places[0].len(), places[1].len()];
        let inner = |i: usize, n: usize| i.saturating_sub(2).min(n - 1);
        let [width, height] = pixels.shape;
        let mut values = Vec::with_capacity(columns * rows);
        for j in 0..rows {
            for i in 0..columns {
                let value = pixels.values[inner(i, width) + width * inner(j, height)];
                let is_frame = i == 0 || j == 0 || i == columns - 1 || j == rows - 1;
                values.push(if is_frame { value.abs().max(f64::MIN_POSITIVE) } else { value });
            }
        }
        Framed { places, values }
    }

    fn columns(&self) -> usize {
        self.places[0].len()
    }

    /// Returns, for each edge of the grid, the edge that the curve through it crosses next, or
    /// `NONE` if no curve crosses it. The inside lies to the left. Edge 2 n runs from node n along
    /// x, and edge 2 n + 1 along y.
    fn successors(&self) -> Vec<u32> {
        let columns = self.columns();
        let mut next = vec![NONE; 2 * self.values.len()];
        for j in 0..self.places[1].len() - 1 {
            for i in 0..columns - 1 {
                let node = i + columns * j;
                let corners = [node, node + 1, node + 1 + columns, node + columns];
                // The edges between the corners, counterclockwise.
                let edges = [2 * node, 2 * (node + 1) + 1, 2 * (node + columns), 2 * node + 1];
                let inside = corners.map(|n| self.values[n] < 0.0);
                let mean: f64 = corners.iter().map(|&n| self.values[n]).sum();
                for k in 0..4 {
                    // A curve enters the cell where the boundary of the cell, followed
                    // counterclockwise, leaves the inside.
                    if !inside[k] || inside[(k + 1) % 4] {
                        continue;
                    }
                    let is_saddle = inside[(k + 2) % 4] && !inside[(k + 3) % 4];
                    let turns = match is_saddle && mean < 0.0 {
                        true => 1,
                        false => (1..4).rev().find(|s| enters(&inside, (k + s) % 4)).unwrap_or(1),
                    };
                    next[edges[k]] = edges[(k + turns) % 4] as u32;
                }
            }
        }
        next
    }

    /// Returns the point where a curve crosses an edge.
    fn crossing(&self, edge: usize) -> [f64; 3] {
        let (node, axis) = (edge / 2, edge % 2);
        let columns = self.columns();
        let other = node + if axis == 0 { 1 } else { columns };
        let at = [node % columns, node / columns];
        let mut point = [self.places[0][at[0]], self.places[1][at[1]], 0.0];
        let (a, b) = (self.values[node], self.values[other]);
        let far = self.places[axis][at[axis] + 1];
        let share = a / (a - b);
        point[axis] += share * (far - point[axis]);
        point
    }
}

/// Returns whether the boundary of a cell, followed counterclockwise, enters the inside along its
/// edge `k`.
fn enters(inside: &[bool; 4], k: usize) -> bool {
    !inside[k] && inside[(k + 1) % 4]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::PlaneCurves;

    fn contours(shape: [usize; 2], values: &[f64]) -> Vec<Curve> {
        let max = shape.map(|n| n as f64);
        Pixels { shape, values, min: [0.0; 2], max }.contours()
    }

    fn area(curves: &[Curve]) -> f64 {
        let of = |curve: &Curve| -> f64 {
            let x = &curve.points;
            (0..x.len())
                .map(|k| [x[k], x[(k + 1) % x.len()]])
                .map(|[a, b]| a[0] * b[1] - b[0] * a[1])
                .sum()
        };
        curves.iter().map(of).sum::<f64>() / 2.0
    }

    #[test]
    fn what_touches_the_boundary_ends_there() {
        let all = contours([3, 2], &[-1.0; 6]);
        assert_eq!(all.len(), 1);
        assert!((area(&all) - 6.0).abs() < 1e-12, "{}", area(&all));
        let left = contours([4, 1], &[-1.0, -1.0, 1.0, 1.0]);
        assert!((area(&left) - 2.0).abs() < 1e-12, "{}", area(&left));
        assert!(contours([3, 3], &[1.0; 9]).is_empty());
    }

    #[test]
    fn edges_lie_between_pixels_where_the_values_say() {
        let curves = contours([3, 1], &[-3.0, 1.0, 1.0]);
        let most = curves[0].points.iter().map(|x| x[0]).fold(0.0, f64::max);
        assert!((most - 1.25).abs() < 1e-12, "{most}");
    }

    #[test]
    fn a_ring_has_a_hole() {
        let radius = |n: usize| {
            let [x, y] = [n % 40, n / 40].map(|i| i as f64 + 0.5 - 20.0);
            (x * x + y * y).sqrt()
        };
        let values: Vec<f64> = (0..1600).map(|n| (radius(n) - 12.0).abs() - 5.0).collect();
        let curves = contours([40, 40], &values);
        assert_eq!(curves.len(), 2);
        let expected = std::f64::consts::PI * (17.0_f64.powi(2) - 7.0_f64.powi(2));
        assert!((area(&curves) / expected - 1.0).abs() < 2e-3, "{} {expected}", area(&curves));
        let plane = PlaneCurves::new(&curves);
        let at = |x: f64| plane.signed_distances(&[[20.0 + x, 20.0, 0.0]])[0];
        for (x, distance) in [(0.0, 7.0), (7.5, -0.5), (12.0, -5.0), (16.9, -0.1), (19.0, 2.0)] {
            // Chords of length 1 and linear interpolation along edges each miss a circle by
            // 1 / (8 r), together by 0.036 at the inner radius of 7.
            assert!((at(x) - distance).abs() < 0.036, "{x}: {}", at(x));
        }
    }

    #[test]
    fn pixels_that_touch_at_a_corner_are_joined_by_the_mean() {
        let joined = contours([2, 2], &[-3.0, 1.0, 1.0, -3.0]);
        let apart = contours([2, 2], &[-1.0, 3.0, 3.0, -1.0]);
        assert_eq!((joined.len(), apart.len()), (1, 2));
        for curves in [&joined, &apart] {
            assert!(area(curves) > 0.0);
        }
    }
}
