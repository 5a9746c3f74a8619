//! Sites that stay on a GPU, by comparing all.

use super::DeviceCoordinate;
use super::comparison::{Asked, Comparison};
use crate::point_distance::cone::Toward;
use crate::point_distance::nearest::Checked;
use crate::point_distance::{
    Found, Kernel, Method, Nearest, Norm, Options, Sites, perforation_error,
};
use zeroset_core::error::{Error, Result};
use zeroset_gpu::{Array, Cuda};

/// Sites on a GPU.
pub struct DeviceSites<C: DeviceCoordinate> {
    axes: [Array<C>; 3],
    bounds: Option<([C; 3], [C; 3])>,
}

impl<C: DeviceCoordinate> DeviceSites<C> {
    /// Copies sites to the GPU.
    ///
    /// # Errors
    /// [`Error::Device`] if there is not enough memory or the GPU does not answer.
    pub fn new(cuda: &Cuda, sites: &Sites<C>) -> Result<Self> {
        let axis = |k: usize| cuda.upload(sites.axis(k));
        Ok(DeviceSites { axes: [axis(0)?, axis(1)?, axis(2)?], bounds: sites.bounds() })
    }

    /// As [`crate::point_distance::nearest`] by comparing all, partial minima being joined by atomic ones: the working
    /// set is the results alone. On a lattice and in `f64` keys and sites are those of the CPU, and so they are in a cone;
    /// keys in `f32` without one differ from them by rounding, as products and sums are fused, and those of other orders as
    /// powers are rounded.
    ///
    /// # Errors
    /// As [`crate::point_distance::nearest`], and [`Error::Case`] for an index; [`Error::Device`].
    pub fn nearest(
        &self,
        cuda: &Cuda,
        queries: &[[C; 3]],
        options: &Options,
    ) -> Result<Nearest<C>> {
        let checked = Checked::new(queries, options)?;
        if options.method == Method::Index {
            let what = "an index over sites on the GPU";
            return Err(Error::usage(what, "build it of the sites, and hand that to the GPU"));
        }
        let results = queries.len() as u64 * C::RESULT;
        let Some(room) = options.memory.checked_sub(results) else {
            let what =
                format!("a working set of {} bytes for {results} of results", options.memory);
            return Err(Error::usage(what, "raise the limit (--memory), or ask in parts"));
        };
        let bounds = self.bounds;
        let of = |queries: &[[C; 3]], toward: Option<&Toward>, every: usize| {
            let asked = Asked { queries, norm: options.norm, toward, bounds, numbered: true, room };
            let comparison = Comparison::new(cuda, &asked)?;
            comparison.launch(cuda, &self.axes, self.axes[0].len(), every, 0)?;
            Ok::<_, Error>((comparison.found(cuda)?, comparison.arithmetic(), comparison.bytes()))
        };
        let (found, kernel, bytes) = of(queries, checked.toward(), options.every)?;
        let mut nearest = checked.result(found, Method::Brute, kernel, bytes);
        if options.every > 1 {
            let step = perforation_error::sample(queries.len());
            let asked: Vec<[C; 3]> = queries.iter().step_by(step).copied().collect();
            let toward = checked.toward().map(|toward| toward.every(step));
            let (exact, ..) = of(&asked, toward.as_ref(), 1)?;
            nearest.perforation = Some(checked.error(&exact, &nearest.found, step));
        }
        Ok(nearest)
    }

    /// A comparison of all sites with these queries, on the GPU but for its launch; of keys alone unless
    /// sites are to be `numbered`. On a lattice whose
    /// values stay exact it takes single precision, and says so ([`Kernel`]).
    ///
    /// # Errors
    /// As [`DeviceSites::nearest`].
    pub fn compare<'a>(
        &'a self,
        cuda: &Cuda,
        queries: &[[C; 3]],
        norm: Norm,
        every: usize,
        numbered: bool,
    ) -> Result<DeviceComparison<'a, C>> {
        let room = u64::MAX;
        let asked = Asked { queries, norm, toward: None, bounds: self.bounds, numbered, room };
        Ok(DeviceComparison { sites: self, every, comparison: Comparison::new(cuda, &asked)? })
    }
}

/// A comparison of all sites with some queries, as often as it is launched.
pub struct DeviceComparison<'a, C: DeviceCoordinate> {
    sites: &'a DeviceSites<C>,
    every: usize,
    comparison: Comparison<C>,
}

impl<C: DeviceCoordinate> DeviceComparison<'_, C> {
    /// The arithmetic.
    pub fn kernel(&self) -> Kernel {
        self.comparison.arithmetic()
    }

    /// Launches the comparison.
    ///
    /// # Errors
    /// [`Error::Device`] if the driver refuses it.
    pub fn launch(&mut self, cuda: &Cuda) -> Result<()> {
        self.comparison.clear(cuda)?;
        let axes = &self.sites.axes;
        self.comparison.launch(cuda, axes, axes[0].len(), self.every, 0)
    }

    /// What it found.
    ///
    /// # Errors
    /// [`Error::Device`] if the GPU does not answer.
    pub fn found(&self, cuda: &Cuda) -> Result<Vec<Found<C::Key>>> {
        self.comparison.found(cuda)
    }
}
