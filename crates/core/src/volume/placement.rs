//! Where the samples of a volume lie in the world.

use crate::error::Flaw;

/// The affine map from indices to world coordinates: sample (i, j, k) lies at
/// `origin + i steps[0] + j steps[1] + k steps[2]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    origin: [f64; 3],
    steps: [[f64; 3]; 3],
    /// Rows give the change of each index with world coordinates.
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

/// Length without overflow of squares.
fn length(a: [f64; 3]) -> f64 {
    a[0].hypot(a[1]).hypot(a[2])
}

impl Placement {
    /// Samples at whole coordinates, from the origin on.
    pub fn identity() -> Self {
        let unit = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        Placement { origin: [0.0; 3], steps: unit, inverse: unit }
    }

    /// A volume of `shape` with its first sample at `origin` and the given steps along its axes.
    /// An axis of one sample may have no step; it gets one of length 1 across the others.
    pub fn new(
        shape: [usize; 3],
        origin: [f64; 3],
        mut steps: [[f64; 3]; 3],
    ) -> Result<Self, Flaw> {
        const MEND: &str = "mend the spacing and the directions in the file's header";
        if steps.as_flattened().iter().chain(&origin).any(|x| !x.is_finite()) {
            let what = format!("origin {origin:?} with steps {steps:?}, finite numbers expected");
            return Err(Flaw::whole(what, MEND));
        }
        fill_flat_axes(shape, &mut steps);
        if let Some(k) = (0..3).find(|&k| length(steps[k]) == 0.0) {
            let what = format!("the spacing along axis {} is zero", AXES[k]);
            return Err(Flaw::whole(what, "give the size of a voxel in the file's header"));
        }
        let unit = steps.map(|step| scaled(step, 1.0 / length(step)));
        let det = dot(unit[0], cross(unit[1], unit[2]));
        // Axes this close to a plane come from damaged headers, not from scanners.
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
            let what = format!("steps {steps:?} are beyond the range of numbers");
            return Err(Flaw::whole(what, MEND));
        }
        Ok(placement)
    }

    /// As [`Placement::new`], from spacings, which must be positive, and directions of any length
    /// but zero; `directions[k]` is that of axis k.
    pub fn from_spacing(
        shape: [usize; 3],
        origin: [f64; 3],
        spacing: [f64; 3],
        directions: [[f64; 3]; 3],
    ) -> Result<Self, Flaw> {
        let wrong = |k: &usize| !(spacing[*k] > 0.0 || spacing[*k] == 0.0 && shape[*k] == 1);
        if let Some(k) = (0..3).find(wrong) {
            let kind = if spacing[k] == 0.0 { "zero" } else { "no positive number" };
            let what = format!("the spacing along axis {} is {}: {kind}", AXES[k], spacing[k]);
            return Err(Flaw::whole(what, "give the size of a voxel in the file's header"));
        }
        let step = |k: usize| scaled(directions[k], spacing[k]);
        Self::new(shape, origin, [step(0), step(1), step(2)])
    }

    /// World coordinates of the first sample.
    pub fn origin(&self) -> [f64; 3] {
        self.origin
    }

    /// From one sample to the next along each axis, in world coordinates.
    pub fn steps(&self) -> [[f64; 3]; 3] {
        self.steps
    }

    /// Distance of samples along each axis.
    pub fn spacing(&self) -> [f64; 3] {
        self.steps.map(length)
    }

    /// What a voxel fills, world units to the third.
    pub fn voxel_volume(&self) -> f64 {
        dot(self.steps[0], cross(self.steps[1], self.steps[2])).abs()
    }

    /// Unit vector along each axis.
    pub fn directions(&self) -> [[f64; 3]; 3] {
        self.steps.map(|step| scaled(step, 1.0 / length(step)))
    }

    /// World coordinates of an index, which may have fractions.
    pub fn world(&self, index: [f64; 3]) -> [f64; 3] {
        let mut x = self.origin;
        for (n, step) in index.iter().zip(&self.steps) {
            x.iter_mut().zip(step).for_each(|(x, s)| *x += n * s);
        }
        x
    }

    /// Change of the index along a direction of the world.
    pub fn index_change(&self, direction: [f64; 3]) -> [f64; 3] {
        self.inverse.map(|row| dot(row, direction))
    }

    /// Rows give the change of each index with world coordinates.
    pub fn inverse(&self) -> [[f64; 3]; 3] {
        self.inverse
    }

    /// Gradient in the world of what has this gradient over the indices.
    pub fn world_gradient(&self, gradient: [f64; 3]) -> [f64; 3] {
        let along = |k: usize| (0..3).map(|axis| self.inverse[axis][k] * gradient[axis]).sum();
        [along(0), along(1), along(2)]
    }

    /// Index of a place, with fractions.
    pub fn index(&self, world: [f64; 3]) -> [f64; 3] {
        let offset = std::array::from_fn(|k| world[k] - self.origin[k]);
        self.inverse.map(|row| dot(row, offset))
    }

    /// The same steps from another first sample, that of this index.
    pub fn moved(&self, index: [f64; 3]) -> Self {
        Placement { origin: self.world(index), ..*self }
    }

    /// The same places where coordinate k of the world is `signs[k]` times what it was.
    pub fn mirrored(&self, signs: [f64; 3]) -> Self {
        let change = |x: [f64; 3]| std::array::from_fn(|k| signs[k] * x[k]);
        Placement {
            origin: change(self.origin),
            steps: self.steps.map(change),
            inverse: self.inverse.map(change),
        }
    }

    /// Where each index axis points to, in the letters of the world's axes `frame`, such as "RAS":
    /// "LAS" for an x index that runs to the left. `None` for a frame that is not three such letters.
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
        // The pair of axes that fit best first, so that each world axis is named once.
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

/// Gives axes of one sample and no step a step of length 1 across the others.
fn fill_flat_axes(shape: [usize; 3], steps: &mut [[f64; 3]; 3]) {
    let flat = |steps: &[[f64; 3]; 3], k: usize| shape[k] == 1 && steps[k] == [0.0; 3];
    let missing = (0..3).filter(|&k| flat(steps, k)).count();
    if missing > 1 {
        // Of one row of samples nothing says where its other axes point to.
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

    /// A rotation about z by 30 degrees, then about x by 50.
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
        assert!(refused([20; 3], [0.0; 3], huge).contains("beyond the range"));
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
