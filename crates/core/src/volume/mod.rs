//! Dense volumes: numbers on a regular grid with a placement in the world.
//!
//! Voxel (i, j, k) is a sample at the point `origin + i steps[0] + j steps[1] + k steps[2]`. Its
//! value is `slope * stored + intercept`. World coordinates are those of the file, in its frame
//! ([`Volume::frame`]). Reading does not reverse any axis. `zeroset_io::read_volume` reads volumes,
//! and `zeroset_io::write_volume` writes them.

pub mod condition;
pub mod placement;
pub mod samples;
pub mod select;

pub use condition::Condition;
pub use condition::NAMES as VOXEL_NAMES;
pub use placement::Placement;
pub use samples::{Samples, Statistics};

use crate::error::{Error, Flaw, Result};
use crate::primitives::Values;

/// A volume: numbers on a regular grid of `shape`, x fastest.
///
/// ```
/// use zeroset_core::volume::{Placement, Volume};
/// let values: Vec<f32> = (0..24).map(|k| k as f32).collect();
/// let volume = Volume::new([2, 3, 4], values.into(), Placement::identity())?;
/// assert_eq!((volume.n_voxels(), volume.value(1, 0, 0), volume.value(0, 1, 0)), (24, 1.0, 2.0));
/// # Ok::<(), zeroset_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Volume {
    shape: [usize; 3],
    samples: Samples,
    scaling: Scaling,
    placement: Placement,
    /// The unit of world coordinates, if known: "mm", "um", "m".
    pub units: Option<String>,
    /// The meaning of the world axes, if known: "RAS" (x to the right of the patient, y to the
    /// front, z up), "LPS", "LAS", or another text from the file.
    pub frame: Option<String>,
    /// The name of the numbers in the file, which may be empty.
    pub name: String,
}

/// The conversion from stored numbers to values: `slope * stored + intercept`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scaling {
    /// The factor by which stored numbers are multiplied.
    pub slope: f64,
    /// The number added to the product.
    pub intercept: f64,
}

impl Scaling {
    /// The scaling of values that are stored as they are.
    pub const NONE: Scaling = Scaling { slope: 1.0, intercept: 0.0 };

    /// Returns the value of a stored number.
    pub fn of(self, stored: f64) -> f64 {
        // Multiplying by 1 and adding 0 would change only the sign of -0, which this test
        // preserves.
        if self == Scaling::NONE { stored } else { self.slope * stored + self.intercept }
    }
}

/// The distance from the grid, in voxels, up to which a point still counts as on its boundary.
/// Without this tolerance, the rounding of world coordinates could exclude points on the boundary.
const TOLERANCE: f64 = 1e-6;

impl Volume {
    /// Creates a volume whose values are the stored numbers, x fastest.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if there are no voxels, or if the number of samples does not match
    /// the shape.
    pub fn new(shape: [usize; 3], samples: Samples, placement: Placement) -> Result<Self> {
        let n = shape.iter().try_fold(1_usize, |n, &size| n.checked_mul(size));
        if n != Some(samples.len()) || samples.is_empty() {
            let what =
                format!("a volume of {shape:?} voxels cannot hold {} numbers", samples.len());
            return Err(Error::usage(what, "give one number per voxel, and at least one voxel"));
        }
        let scaling = Scaling::NONE;
        let (units, frame, name) = (None, None, String::new());
        Ok(Volume { shape, samples, scaling, placement, units, frame, name })
    }

    /// Sets the position of the first sample and the steps along the axes.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if a number is not finite, an axis of several samples has a zero
    /// step, the steps are coplanar, or coordinates overflow.
    pub fn placed(mut self, origin: [f64; 3], steps: [[f64; 3]; 3]) -> Result<Self> {
        let refused = |flaw: Flaw| Error::usage(flaw.what(), flaw.remedy());
        self.placement = Placement::new(self.shape, origin, steps).map_err(refused)?;
        Ok(self)
    }

    /// Sets the conversion from stored numbers to values.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if a number is not finite or the slope is zero.
    pub fn with_scaling(mut self, scaling: Scaling) -> Result<Self> {
        if !(scaling.slope.is_finite() && scaling.intercept.is_finite() && scaling.slope != 0.0) {
            let what =
                format!("scaling with slope {} and intercept {}", scaling.slope, scaling.intercept);
            return Err(Error::usage(what, "give finite numbers and a slope that is not zero"));
        }
        self.scaling = scaling;
        Ok(self)
    }

    /// Returns the numbers of voxels along x, y and z.
    pub fn shape(&self) -> [usize; 3] {
        self.shape
    }

    /// Returns the number of voxels.
    pub fn n_voxels(&self) -> usize {
        self.samples.len()
    }

    /// Returns the stored numbers, x fastest.
    pub fn samples(&self) -> &Samples {
        &self.samples
    }

    /// Returns the conversion from stored numbers to values.
    pub fn scaling(&self) -> Scaling {
        self.scaling
    }

    /// Returns the placement of the voxels in the world.
    pub fn placement(&self) -> &Placement {
        &self.placement
    }

    /// Returns the value of voxel (i, j, k).
    ///
    /// # Panics
    /// Panics if the voxel does not exist.
    pub fn value(&self, i: usize, j: usize, k: usize) -> f64 {
        let [nx, ny, nz] = self.shape;
        assert!(i < nx && j < ny && k < nz, "voxel ({i}, {j}, {k}) of {nx} x {ny} x {nz}");
        self.scaling.of(self.samples.get(i + nx * (j + ny * k)))
    }

    /// Returns all values, `[nx * ny * nz]`, x fastest.
    pub fn to_f64(&self) -> Vec<f64> {
        self.samples.map_f64(|x| self.scaling.of(x))
    }

    /// Returns the value between voxels by trilinear interpolation, or `None` outside the box of
    /// the voxel centers. A NaN voxel affects the result only if its weight is not zero.
    ///
    /// `index` may be fractional. [`Placement::index`] returns the index of a point in the world.
    pub fn sample(&self, index: [f64; 3]) -> Option<f64> {
        let mut low = [0; 3];
        let mut part = [0.0; 3];
        for k in 0..3 {
            let last = (self.shape[k] - 1) as f64;
            if !(-TOLERANCE..=last + TOLERANCE).contains(&index[k]) {
                return None;
            }
            let x = index[k].clamp(0.0, last);
            low[k] = (x as usize).min(self.shape[k].saturating_sub(2));
            part[k] = x - low[k] as f64;
        }
        let mut sum = 0.0;
        for corner in 0..8 {
            let bit = |k: usize| corner >> k & 1;
            let share = |k: usize| if bit(k) == 1 { part[k] } else { 1.0 - part[k] };
            let weight = share(0) * share(1) * share(2);
            if weight != 0.0 {
                sum += weight * self.value(low[0] + bit(0), low[1] + bit(1), low[2] + bit(2));
            }
        }
        Some(sum)
    }

    /// Returns the value between voxels like [`Volume::sample`]. Outside the grid, it returns the
    /// value at the nearest point of the boundary: each index is clamped to the grid. Returns NaN
    /// if an index is NaN.
    pub fn sample_extended(&self, index: [f64; 3]) -> f64 {
        let last = self.shape.map(|n| (n - 1) as f64);
        let nearest = std::array::from_fn(|k| index[k].clamp(0.0, last[k]));
        self.sample(nearest).unwrap_or(f64::NAN)
    }

    /// Returns the smallest, largest and mean finite value, and the numbers of NaN and infinite
    /// values.
    pub fn statistics(&self) -> Statistics {
        self.samples.statistics(|x| self.scaling.of(x))
    }

    /// Returns the distinct values in ascending order, each with its number of voxels, as in a
    /// segmentation. Returns `None` if a value is not an integer with an absolute value below 2^53,
    /// or if there are more than `most` distinct values.
    pub fn labels(&self, most: usize) -> Option<Vec<(f64, usize)>> {
        self.samples.labels_of(most, |x| self.scaling.of(x))
    }

    /// Returns the smallest and the largest world coordinates of the voxel centers.
    pub fn bounds(&self) -> ([f64; 3], [f64; 3]) {
        let (mut min, mut max) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for corner in 0..8 {
            let end =
                |k: usize| if corner >> k & 1 == 1 { (self.shape[k] - 1) as f64 } else { 0.0 };
            let x = self.placement.world([end(0), end(1), end(2)]);
            for k in 0..3 {
                min[k] = min[k].min(x[k]);
                max[k] = max[k].max(x[k]);
            }
        }
        (min, max)
    }

    /// Returns the directions of the voxel axes, such as "LPS", or `None` if the frame is not known
    /// or does not consist of three such letters.
    pub fn orientation(&self) -> Option<String> {
        self.placement.orientation(self.frame.as_deref()?)
    }

    /// Returns the values for a format without scaling: the stored numbers if they are not scaled,
    /// single precision if it can represent every number of the stored type, and double precision
    /// otherwise.
    pub fn unscaled(&self) -> std::borrow::Cow<'_, Samples> {
        use std::borrow::Cow;
        if self.scaling == Scaling::NONE {
            return Cow::Borrowed(&self.samples);
        }
        let values = self.to_f64();
        Cow::Owned(match self.samples.fits_f32() {
            true => Samples::F32(values.iter().map(|&x| x as f32).collect()),
            false => Samples::F64(values),
        })
    }
}

impl Values for Volume {
    fn shape(&self) -> [usize; 3] {
        self.shape
    }

    fn read(&self, [i, j, k]: [usize; 3], row: &mut [f64]) {
        let first = i + self.shape[0] * (j + self.shape[1] * k);
        self.samples.read(first, row, |x| self.scaling.of(x));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a volume with the values 1 + 2 x + 3 y + 5 z + 7 x y z at integer coordinates.
    fn trilinear(shape: [usize; 3]) -> Volume {
        let [nx, ny, nz] = shape;
        let value = |n: usize| {
            let (x, y, z) = (n % nx, n / nx % ny, n / nx / ny);
            (1 + 2 * x + 3 * y + 5 * z + 7 * x * y * z) as i32
        };
        let samples = Samples::from((0..nx * ny * nz).map(value).collect::<Vec<_>>());
        Volume::new(shape, samples, Placement::identity()).unwrap()
    }

    #[test]
    fn trilinear_functions_are_sampled_exactly() {
        let volume = trilinear([4, 3, 5]);
        let f = |[x, y, z]: [f64; 3]| 1.0 + 2.0 * x + 3.0 * y + 5.0 * z + 7.0 * x * y * z;
        for at in [[0.0; 3], [3.0, 2.0, 4.0], [0.25, 0.5, 0.75], [2.5, 1.0, 4.0]] {
            assert!((volume.sample(at).unwrap() - f(at)).abs() < 1e-12, "{at:?}");
        }
        assert_eq!(volume.value(3, 2, 4), f([3.0, 2.0, 4.0]));
        assert_eq!(volume.sample([-1e-9, 2.0 + 1e-9, 0.0]), Some(7.0));
        for at in [[-0.01, 0.0, 0.0], [0.0, 2.01, 0.0], [0.0, 0.0, f64::NAN]] {
            assert_eq!(volume.sample(at), None);
        }
        assert_eq!(trilinear([4, 3, 1]).sample([0.5, 0.5, 0.0]), Some(3.5));
        for (at, nearest) in
            [([-7.0, 1.5, 9.0], [0.0, 1.5, 4.0]), ([2.5, 1.0, 1.0], [2.5, 1.0, 1.0])]
        {
            assert!((volume.sample_extended(at) - f(nearest)).abs() < 1e-12, "{at:?}");
        }
        assert!(volume.sample_extended([f64::NAN, 0.0, 0.0]).is_nan());
    }

    #[test]
    fn voxels_without_weight_do_not_count() {
        let samples = Samples::from(vec![1.0, f64::NAN]);
        let volume = Volume::new([2, 1, 1], samples, Placement::identity()).unwrap();
        assert_eq!(volume.sample([0.0; 3]), Some(1.0));
        assert!(volume.sample([0.5, 0.0, 0.0]).unwrap().is_nan());
    }

    #[test]
    fn scaling_and_place_are_applied() {
        let steps = [[0.0, 2.0, 0.0], [0.5, 0.0, 0.0], [0.0, 0.0, -1.0]];
        let volume = trilinear([4, 3, 5]).placed([10.0, 20.0, 30.0], steps).unwrap();
        let volume = volume.with_scaling(Scaling { slope: -0.5, intercept: 3.0 }).unwrap();
        assert_eq!(volume.value(1, 0, 0), 1.5);
        assert_eq!(volume.bounds(), ([10.0, 20.0, 26.0], [11.0, 26.0, 30.0]));
        let statistics = volume.statistics();
        assert_eq!(statistics.max, Some(2.5));
        assert_eq!(statistics.min, Some(3.0 - 0.5 * (1 + 6 + 6 + 20 + 7 * 24) as f64));
        assert!(matches!(&*volume.unscaled(), Samples::F64(v) if v[1] == 1.5));
        assert!(volume.with_scaling(Scaling { slope: 0.0, intercept: 1.0 }).is_err());
    }

    #[test]
    fn the_shape_must_fit() {
        for shape in [[2, 2, 2], [0, 1, 1], [usize::MAX, 2, 1]] {
            let samples = Samples::from(vec![0_u8; 9]);
            assert!(Volume::new(shape, samples, Placement::identity()).is_err(), "{shape:?}");
        }
        let none = Samples::from(Vec::<u8>::new());
        assert!(Volume::new([0, 1, 1], none, Placement::identity()).is_err());
    }
}
