//! Windows: the part of an edge that straight lines from one source reach.

/// A window that is shorter than this fraction of its edge is dropped.
pub(super) const NARROW: f64 = 1e-13;
/// A path through a vertex must be shorter by this fraction to replace a straight one.
const SLACK: f64 = 1e-14;

/// The part of an edge that straight lines from one source reach through unrolled triangles.
///
/// In the coordinates of a window, the edge lies on the x axis, and its vertex with the lower index
/// is the origin. The triangles that the front has crossed lie above the axis, and those that it
/// enters lie below.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Window {
    /// The start of the window on the edge.
    pub from: f64,
    /// The end of the window on the edge.
    pub to: f64,
    /// The position of a point source, or the unit direction toward the source of a straight front.
    pub source: [f64; 2],
    /// The value at a point source, or the value of a straight front at the origin.
    pub before: f64,
    /// The vertex or part from which the straight lines start (`arrivals::Root`).
    pub root: u32,
    /// The number of cells that the front has crossed.
    pub crossed: u32,
    /// Whether the front is a circle around a point. Otherwise it is straight and parallel to a
    /// segment of the source.
    pub is_point: bool,
}

impl Window {
    /// Returns 1 for a point source and 0 for a straight front, whose source is infinitely far
    /// away. With this weight as a third coordinate, one formula serves both.
    #[inline]
    fn weight(&self) -> f64 {
        f64::from(u8::from(self.is_point))
    }

    /// Returns the value of the front at (x, y).
    #[inline]
    pub fn at(&self, x: f64, y: f64) -> f64 {
        let [sx, sy] = self.source;
        if self.is_point {
            let (dx, dy) = (x - sx, y - sy);
            self.before + (dx * dx + dy * dy).sqrt()
        } else {
            self.before - (sx * x + sy * y)
        }
    }

    /// Returns the value at the distance `t` along the edge.
    #[inline]
    pub fn value(&self, t: f64) -> f64 {
        self.at(t, 0.0)
    }

    /// Returns the smallest value in the window.
    #[inline]
    pub fn least(&self) -> f64 {
        if self.is_point {
            self.value(self.source[0].max(self.from).min(self.to))
        } else {
            self.value(self.from).min(self.value(self.to))
        }
    }

    /// Returns the same window with the origin at the other end of the edge of length `length`.
    #[inline]
    pub fn mirrored(&self, length: f64) -> Window {
        let [sx, sy] = self.source;
        let before = if self.is_point { self.before } else { self.before - sx * length };
        let (from, to) = (length - self.to, length - self.from);
        Window { from, to, source: [self.weight() * length - sx, sy], before, ..*self }
    }

    /// Returns where the line from the source to (x, -y) crosses the x axis.
    #[inline]
    pub fn crossing(&self, x: f64, y: f64) -> f64 {
        let [sx, sy] = self.source;
        let height = sy + self.weight() * y;
        if height > 0.0 { (sx * y + x * sy) / height } else { x }
    }

    /// Returns the window on the edge that starts at the origin and has the direction `u` (a unit
    /// vector that points down) and the length `size`. It is the part that lines through `from..to`
    /// reach. If `is_whole` is true, it extends to the end of the edge.
    #[inline]
    pub fn child(&self, from: f64, to: f64, is_whole: bool, u: [f64; 2], size: f64) -> Window {
        let [sx, sy] = self.source;
        let hit = |t: f64| {
            let steep = u[0] * sy + u[1] * (self.weight() * t - sx);
            if steep > 0.0 { (sy * t / steep).min(size) } else { size }
        };
        Window {
            from: if from <= 0.0 { 0.0 } else { hit(from) },
            to: if is_whole { size } else { hit(to) },
            source: [sx * u[0] + sy * u[1], (sy * u[0] - sx * u[1]).max(0.0)],
            crossed: self.crossed + 1,
            ..*self
        }
    }

    /// Removes the parts that a path along the edge from one of its ends, with the values
    /// `at_ends`, reaches earlier. Returns whether anything remains.
    #[inline]
    pub fn trim(&mut self, at_ends: [f64; 2], length: f64) -> bool {
        let Some(from) = self.trimmed(at_ends[0], length) else { return false };
        let mirrored = self.mirrored(length);
        let Some(to) = mirrored.trimmed(at_ends[1], length) else { return false };
        self.from = from;
        if to > mirrored.from {
            self.to = length - to;
        }
        self.to - self.from > NARROW * length
    }

    /// Returns the start of the part that a path along the edge from the origin, with the value
    /// `value`, does not reach earlier; `None` if there is no such part.
    ///
    /// The difference between the front and this path decreases along the edge, so it changes its
    /// sign at most once, at the root of a linear equation.
    #[inline]
    fn trimmed(&self, value: f64, length: f64) -> Option<f64> {
        if value == f64::INFINITY {
            return Some(self.from);
        }
        let [sx, sy] = self.source;
        let lead = value - self.before + SLACK * (value.abs() + self.before.abs() + length);
        let (above, below) = if self.is_point {
            (sy * sy + (sx - lead) * (sx + lead), 2.0 * (lead + sx))
        } else {
            (-lead, 1.0 + sx)
        };
        if below < 0.0 || above >= self.to * below {
            return None;
        }
        Some(if above > self.from * below { above / below } else { self.from })
    }
}

/// Finds the points strictly between `a` and `b` where two windows have the same value, and
/// possibly others, in ascending order. Returns their number.
pub(super) fn equal_points(p: &Window, q: &Window, a: f64, b: f64, found: &mut [f64; 2]) -> usize {
    let (p, q) = if p.is_point { (p, q) } else { (q, p) };
    let ([px, py], [qx, qy]) = (p.source, q.source);
    let lead = q.before - p.before;
    let (polynomial, origin) = if !p.is_point {
        ([0.0, px - qx, lead], 0.0)
    } else if !q.is_point {
        ([1.0 - qx * qx, 2.0 * (lead * qx - px), px * px + py * py - lead * lead], 0.0)
    } else {
        // With s = t - qx, the equation |P - t| = |Q - t| + lead, squared once, is
        // k - 2 d s = 2 lead |Q - t|.
        let d = px - qx;
        let k = (d - lead) * (d + lead) + (py - qy) * (py + qy);
        let polynomial = match lead == 0.0 {
            true => [0.0, -2.0 * d, k],
            false => {
                let far = 2.0 * lead * qy;
                [4.0 * (d - lead) * (d + lead), -4.0 * k * d, (k - far) * (k + far)]
            }
        };
        (polynomial, qx)
    };
    roots(polynomial, origin, a, b, found)
}

/// Finds the roots of a polynomial (coefficients of t^2, t and 1) that lie strictly between `a` and
/// `b` when moved by `origin`, in ascending order. Returns their number.
fn roots([a2, a1, a0]: [f64; 3], origin: f64, a: f64, b: f64, found: &mut [f64; 2]) -> usize {
    let discriminant = (a1 * a1 - 4.0 * a2 * a0).max(0.0);
    let half = -0.5 * (a1 + discriminant.sqrt().copysign(a1));
    let mut n = 0;
    for root in [half / a2 + origin, a0 / half + origin] {
        // A division by zero gives a root that is not in the interval.
        if root > a && root < b {
            found[n] = root;
            n += 1;
        }
    }
    if n == 2 && found[0] > found[1] {
        found.swap(0, 1);
    }
    n
}
