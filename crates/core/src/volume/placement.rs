//! The placement of the samples of a volume in the world.

use crate::error::Flaw;

/// The affine map from indices to world coordinates, in the unit of the volume: sample (i, j, k)
/// lies at `origin + i*steps[0] + j*steps[1] + k*steps[2]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    origin: [f64; 3],
    steps: [[f64; 3]; 3],
    /// The inverse of the steps. Row k is the derivative of index k with respect to world
    /// coordinates.
    inverse: [[f64; 3]; 3],
}

pub(super) const AXES: [&str; 3] = ["x", "y", "z"];

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn scaled(a: [f64; 3], factor: f64) -> [f64; 3] {
    a.map(|x| x * factor)
}

/// Returns the length of a vector. `hypot` avoids the overflow of squares.
fn length(a: [f64; 3]) -> f64 {
    a[0].hypot(a[1]).hypot(a[2])
}

impl Placement {
    /// Returns the placement of samples at integer coordinates, starting at the origin.
    pub fn identity() -> Self {
        let unit = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        Placement { origin: [0.0; 3], steps: unit, inverse: unit }
    }

    /// Creates the placement of a volume of `shape` with its first sample at `origin` and the given
    /// steps along its axes.
    ///
    /// An axis of one sample may have a zero step. It gets a step of length 1. If there is only one
    /// such axis, its step is orthogonal to the others.
    ///
    /// # Errors
    /// Returns a [`Flaw`] if a number is not finite, an axis of several samples has a zero step,
    /// the steps are coplanar, or coordinates overflow.
    pub fn new(
        shape: [usize; 3],
        origin: [f64; 3],
        mut steps: [[f64; 3]; 3],
    ) -> Result<Self, Flaw> {
        const MEND: &str = "correct the spacing and the directions in the file header";
        if steps.as_flattened().iter().chain(&origin).any(|x| !x.is_finite()) {
            let what = format!("origin {origin:?} with steps {steps:?}, finite numbers expected");
            return Err(Flaw::whole(what, MEND));
        }
        fill_flat_axes(shape, &mut steps);
        if let Some(k) = (0..3).find(|&k| length(steps[k]) == 0.0) {
            let what = format!("the spacing along axis {} is zero", AXES[k]);
            return Err(Flaw::whole(what, "set the voxel size in the file header"));
        }
        let unit = steps.map(|step| scaled(step, 1.0 / length(step)));
        let det = dot(unit[0], cross(unit[1], unit[2]));
        // Axes that are this close to coplanar come from damaged headers, not from scanners.
        if det.abs() < 1e-6 || det.is_nan() {
            let what = format!("the axes {steps:?} lie in a plane: the matrix is singular");
            return Err(Flaw::whole(what, MEND));
        }
        let row = |k: usize| {
            let across = cross(unit[(k + 1) % 3], unit[(k + 2) % 3]);
            scaled(across, 1.0 / (det * length(steps[k])))
        };
        let placement = Placement { origin, steps, inverse: [row(0), row(1), row(2)] };
        let far = placement.world(shape.map(|n| n as f64));
        let finite = |x: &[f64]| x.iter().all(|x| x.is_finite());
        if !finite(&far) || !finite(placement.inverse.as_flattened()) {
            let what = format!("steps {steps:?} exceed the range of floating-point numbers");
            return Err(Flaw::whole(what, MEND));
        }
        Ok(placement)
    }

    /// Creates a placement like [`Placement::new`] with the steps `spacing[k] * directions[k]`.
    /// Spacings must be positive, or 0 along an axis of one sample. Directions need not have length
    /// 1.
    ///
    /// # Errors
    /// Returns a [`Flaw`] if a spacing is not allowed, and the errors of [`Placement::new`].
    pub fn from_spacing(
        shape: [usize; 3],
        origin: [f64; 3],
        spacing: [f64; 3],
        directions: [[f64; 3]; 3],
    ) -> Result<Self, Flaw> {
        let wrong = |k: &usize| !(spacing[*k] > 0.0 || spacing[*k] == 0.0 && shape[*k] == 1);
        if let Some(k) = (0..3).find(wrong) {
            let kind = if spacing[k] == 0.0 { "zero" } else { "not a positive number" };
            let what = format!("the spacing along axis {} is {}: {kind}", AXES[k], spacing[k]);
            return Err(Flaw::whole(what, "set the voxel size in the file header"));
        }
        let step = |k: usize| scaled(directions[k], spacing[k]);
        Self::new(shape, origin, [step(0), step(1), step(2)])
    }

    /// Returns the world coordinates of the first sample.
    pub fn origin(&self) -> [f64; 3] {
        self.origin
    }

    /// Returns the vector from one sample to the next along each axis, in world coordinates.
    pub fn steps(&self) -> [[f64; 3]; 3] {
        self.steps
    }

    /// Returns the distance between samples along each axis, in world units.
    pub fn spacing(&self) -> [f64; 3] {
        self.steps.map(length)
    }

    /// Returns the volume of a voxel in world units cubed.
    pub fn voxel_volume(&self) -> f64 {
        dot(self.steps[0], cross(self.steps[1], self.steps[2])).abs()
    }

    /// Returns the unit vector along each axis.
    pub fn directions(&self) -> [[f64; 3]; 3] {
        self.steps.map(|step| scaled(step, 1.0 / length(step)))
    }

    /// Returns the world coordinates of an index, which may be fractional.
    pub fn world(&self, index: [f64; 3]) -> [f64; 3] {
        let mut x = self.origin;
        for (n, step) in index.iter().zip(&self.steps) {
            x.iter_mut().zip(step).for_each(|(x, s)| *x += n * s);
        }
        x
    }

    /// Returns the change in the index for a displacement in world coordinates.
    pub fn index_change(&self, direction: [f64; 3]) -> [f64; 3] {
        self.inverse.map(|row| dot(row, direction))
    }

    /// Returns the inverse of the steps. Row k is the derivative of index k with respect to world
    /// coordinates, per world unit.
    pub fn inverse(&self) -> [[f64; 3]; 3] {
        self.inverse
    }

    /// Converts a gradient with respect to the indices into a gradient with respect to world
    /// coordinates.
    pub fn world_gradient(&self, gradient: [f64; 3]) -> [f64; 3] {
        let along = |k: usize| (0..3).map(|axis| self.inverse[axis][k] * gradient[axis]).sum();
        [along(0), along(1), along(2)]
    }

    /// Returns the fractional index of a point.
    pub fn index(&self, world: [f64; 3]) -> [f64; 3] {
        let offset = std::array::from_fn(|k| world[k] - self.origin[k]);
        self.inverse.map(|row| dot(row, offset))
    }

    /// Returns a placement with the same steps, whose first sample lies at `index` of this
    /// placement.
    pub fn moved(&self, index: [f64; 3]) -> Self {
        Placement { origin: self.world(index), ..*self }
    }

    /// Returns the placement after multiplying world coordinate k by `signs[k]`, which is 1 or -1.
    pub fn mirrored(&self, signs: [f64; 3]) -> Self {
        let change = |x: [f64; 3]| std::array::from_fn(|k| signs[k] * x[k]);
        Placement {
            origin: change(self.origin),
            steps: self.steps.map(change),
            inverse: self.inverse.map(change),
        }
    }

    /// Returns the direction of each index axis in the letters of the world axes `frame`, such as
    /// "RAS". For example, "LAS" means that the x index increases to the left. Returns `None` if
    /// the frame does not consist of three such letters.
    pub fn orientation(&self, frame: &str) -> Option<String> {
        let positive: Vec<char> = frame.chars().collect();
        let &[_, _, _] = positive.as_slice() else { return None };
        let opposite = |c| {
            OPPOSITES.iter().find_map(
                |&[a, b]| {
                    if a == c { Some(b) } else { (b == c).then_some(a) }
                },
            )
        };
        let directions = self.directions();
        // The best-matching pairs of axes come first, so that each world axis is named once.
        let mut pairs: Vec<(usize, usize)> = (0..9).map(|n| (n / 3, n % 3)).collect();
        pairs.sort_by(|&(a, b), &(c, d)| directions[c][d].abs().total_cmp(&directions[a][b].abs()));
        let mut letters = [None; 3];
        let mut named = [false; 3];
        for (axis, world) in pairs {
            if letters[axis].is_none() && !named[world] {
                named[world] = true;
                let letter = positive[world];
                let far = opposite(letter)?;
                letters[axis] = Some(if directions[axis][world] < 0.0 { far } else { letter });
            }
        }
        letters.into_iter().collect()
    }
}

const OPPOSITES: [[char; 2]; 3] = [['R', 'L'], ['A', 'P'], ['S', 'I']];

/// Replaces the zero steps of axes with one sample by steps of length 1. The last step to be
/// replaced is orthogonal to the other two.
fn fill_flat_axes(shape: [usize; 3], steps: &mut [[f64; 3]; 3]) {
    let flat = |steps: &[[f64; 3]; 3], k: usize| shape[k] == 1 && steps[k] == [0.0; 3];
    let missing = (0..3).filter(|&k| flat(steps, k)).count();
    if missing > 1 {
        // A single row of samples does not determine the directions of its other axes. Coordinate
        // axes that are not nearly parallel to the row are used instead.
        let unit = Placement::identity().steps;
        for k in (0..3).rev() {
            if flat(steps, k) && (0..3).filter(|&k| flat(steps, k)).count() > 1 {
                let free = |u: &&[f64; 3]| {
                    steps
                        .iter()
                        .all(|s| length(cross(**u, *s)) > 0.5 * length(*s) || *s == [0.0; 3])
                };
                if let Some(&step) = unit.iter().rev().find(free) {
                    steps[k] = step;
                }
            }
        }
    }
    for k in 0..3 {
        if flat(steps, k) {
            let across = cross(steps[(k + 1) % 3], steps[(k + 2) % 3]);
            let size = length(across);
            if size > 0.0 && size.is_finite() {
                steps[k] = scaled(across, 1.0 / size);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a placement rotated about z by 30 degrees and then about x by 50 degrees.
    fn rotated(spacing: [f64; 3]) -> Placement {
        let (s, c) = 30_f64.to_radians().sin_cos();
        let (t, d) = 50_f64.to_radians().sin_cos();
        let directions = [[c, s * d, s * t], [-s, c * d, c * t], [0.0, -t, d]];
        Placement::from_spacing([5, 6, 7], [10.0, -20.0, 3.0], spacing, directions).unwrap()
    }

    #[test]
    fn world_and_index_are_inverse() {
        let p = rotated([0.5, 2.0, 3.0]);
        for (found, expected) in p.spacing().iter().zip([0.5, 2.0, 3.0]) {
            assert!((found - expected).abs() < 1e-15);
        }
        for index in [[0.0; 3], [4.0, 5.0, 6.0], [-1.25, 2.5, 100.0]] {
            let back = p.index(p.world(index));
            assert!(index.iter().zip(back).all(|(a, b)| (a - b).abs() < 1e-12), "{back:?}");
        }
        let mirrored = p.mirrored([-1.0, -1.0, 1.0]);
        let [x, y, z] = p.world([1.0, 2.0, 3.0]);
        assert_eq!(mirrored.world([1.0, 2.0, 3.0]), [-x, -y, z]);
        let back = mirrored.index([-x, -y, z]);
        assert!([1.0, 2.0, 3.0].iter().zip(back).all(|(a, b)| (a - b).abs() < 1e-12));
    }

    #[test]
    fn what_cannot_be_a_place_is_refused() {
        let unit = Placement::identity().steps;
        let refused =
            |shape, origin, steps| Placement::new(shape, origin, steps).unwrap_err().what();
        let zero = [unit[0], [0.0; 3], unit[2]];
        assert!(refused([2; 3], [0.0; 3], zero).contains("axis y is zero"));
        let flat = [unit[0], unit[1], [1.0, 1.0, 0.0]];
        assert!(refused([2; 3], [0.0; 3], flat).contains("singular"));
        assert!(refused([2; 3], [f64::NAN, 0.0, 0.0], unit).contains("finite numbers expected"));
        let huge = unit.map(|u| u.map(|x| x * 1e308));
        assert!(refused([20; 3], [0.0; 3], huge).contains("exceed the range"));
        for (spacing, found) in [([1.0, -2.0, 1.0], "y is -2"), ([1.0, 1.0, 0.0], "z is 0: zero")] {
            let flaw = Placement::from_spacing([2; 3], [0.0; 3], spacing, unit).unwrap_err().what();
            assert!(flaw.contains(found), "{flaw}");
        }
        let nan = Placement::from_spacing([2; 3], [0.0; 3], [f64::NAN, 1.0, 1.0], unit);
        assert!(nan.is_err());
    }

    #[test]
    fn axes_of_one_sample_need_no_step() {
        let step = |steps| Placement::new([4, 4, 1], [0.0; 3], steps).unwrap().steps()[2];
        let zero = [0.0; 3];
        assert_eq!(step([[2.0, 0.0, 0.0], [0.0, 3.0, 0.0], zero]), [0.0, 0.0, 1.0]);
        assert_eq!(step([[0.0, 3.0, 0.0], [2.0, 0.0, 0.0], zero]), [0.0, 0.0, -1.0]);
        for row in Placement::identity().steps {
            let line = Placement::new([4, 1, 1], zero, [row, zero, zero]).unwrap();
            assert_eq!(line.spacing(), [1.0; 3]);
        }
    }

    #[test]
    fn orientation_names_each_axis_once() {
        let of =
            |steps| Placement::new([2; 3], [0.0; 3], steps).unwrap().orientation("RAS").unwrap();
        assert_eq!(of(Placement::identity().steps), "RAS");
        assert_eq!(of([[-2.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]), "LSP");
        let oblique = [[0.8, 0.6, 0.0], [0.7, -0.71, 0.0], [0.0, 0.0, -1.0]];
        assert_eq!(of(oblique), "RPI");
        assert_eq!(Placement::identity().orientation("scanner"), None);
        assert_eq!(Placement::identity().orientation("LPS").unwrap(), "LPS");
    }
}
