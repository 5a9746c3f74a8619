//! Traversal of unit cubes along a ray.
//!
//! Cube (i, j, k) has its center at the point (i, j, k). To decide whether the ray has passed the
//! boundary between two cubes, `t` is compared with a number that is always computed in the same
//! way. Therefore, the cube at a given `t` does not depend on the previous steps.

use super::vector::V;

/// A ray within a box of unit cubes, in cube coordinates. `t` is a length in world coordinates.
#[derive(Clone, Copy, Debug)]
pub(super) struct GridTraversal {
    from: V,
    /// The derivative of the position with respect to `t`.
    pub along: V,
    inverse: V,
    /// The `t` at which the ray enters the box. `end` is the `t` at which it leaves.
    pub begin: f64,
    pub end: f64,
}

impl GridTraversal {
    /// Creates the traversal of the cubes from `low` to `high`, both included. Returns `None` if
    /// the ray misses them.
    pub(super) fn new(from: V, along: V, [low, high]: [[usize; 3]; 2]) -> Option<Self> {
        let inverse = along.map(|d| 1.0 / d);
        let still = inverse.map(|x| !x.is_finite());
        let along = [0, 1, 2].map(|k| if still[k] { 0.0 } else { along[k] });
        let mut course = GridTraversal { from, along, inverse, begin: 0.0, end: f64::INFINITY };
        for k in 0..3 {
            let [low, high] = [low[k] as i64, high[k] as i64];
            if along[k] == 0.0 {
                if !(low..=high).contains(&course.cube_along(k, 0.0)) {
                    return None;
                }
                continue;
            }
            let ends = [course.border(k, low), course.border(k, high + 1)];
            let [near, far] = if along[k] > 0.0 { ends } else { [ends[1], ends[0]] };
            course.begin = course.begin.max(near);
            course.end = course.end.min(far);
        }
        (course.begin < course.end).then_some(course)
    }

    /// Returns the `t` at which the ray crosses the boundary between cubes `plane - 1` and `plane`
    /// along an axis, in either direction.
    fn border(&self, k: usize, plane: i64) -> f64 {
        (plane as f64 - 0.5 - self.from[k]) * self.inverse[k]
    }

    /// Returns the `t` at which the ray leaves a cube along axis `k`.
    pub(super) fn leaves(&self, k: usize, cube: i64) -> f64 {
        match self.along[k] {
            d if d > 0.0 => self.border(k, cube + 1),
            d if d < 0.0 => self.border(k, cube),
            _ => f64::INFINITY,
        }
    }

    fn enters(&self, k: usize, cube: i64) -> f64 {
        match self.along[k] {
            d if d > 0.0 => self.border(k, cube),
            d if d < 0.0 => self.border(k, cube + 1),
            _ => f64::NEG_INFINITY,
        }
    }

    /// Returns the point at `t`.
    pub(super) fn at(&self, t: f64) -> V {
        [0, 1, 2].map(|k| self.from[k] + t * self.along[k])
    }

    fn cube_along(&self, k: usize, t: f64) -> i64 {
        (self.from[k] + t * self.along[k] + 0.5).floor() as i64
    }

    /// Returns the cube at `t`. Cubes that the ray only touches there do not count.
    pub(super) fn cube(&self, t: f64) -> [i64; 3] {
        [0, 1, 2].map(|k| {
            let forward = if self.along[k] > 0.0 { 1 } else { -1 };
            // Rounding can make `cube_along` return a neighboring cube.
            let mut cube = self.cube_along(k, t);
            while self.leaves(k, cube) <= t {
                cube += forward;
            }
            while self.enters(k, cube) > t {
                cube -= forward;
            }
            cube
        })
    }
}
