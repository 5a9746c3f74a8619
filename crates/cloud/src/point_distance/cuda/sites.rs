//! Brute-force search among sites that stay on a GPU.

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
    /// Returns [`Error::Device`] if there is not enough memory, or if the GPU does not respond.
    pub fn new(cuda: &Cuda, sites: &Sites<C>) -> Result<Self> {
        let axis = |k: usize| cuda.upload(sites.axis(k));
        Ok(DeviceSites { axes: [axis(0)?, axis(1)?, axis(2)?], bounds: sites.bounds() })
    }

    /// Returns the nearest site of each query, as [`crate::point_distance::nearest`] does, by brute
    /// force. Partial minima are combined by atomic operations, so that the working set consists
    /// only of the results. For 64-bit keys, it also includes the results of each slice of the
    /// sites.
    ///
    /// On a lattice, in `f64`, and in cones, keys and sites are the same as on the CPU. Keys in
    /// `f32` without cones differ by rounding, because the GPU uses fused multiply-adds. Keys of
    /// `Norm::Lp` differ by the rounding of powers.
    ///
    /// # Errors
    /// Returns the errors of [`crate::point_distance::nearest`], [`Error::Case`] if an index is
    /// requested, and [`Error::Device`] if the GPU fails.
    pub fn nearest(
        &self,
        cuda: &Cuda,
        queries: &[[C; 3]],
        options: &Options,
    ) -> Result<Nearest<C>> {
        let checked = Checked::new(queries, options)?;
        if options.method == Method::Index {
            let what = "an index over sites that are on the GPU";
            return Err(Error::usage(
                what,
                "build an Index on the CPU and copy it with DeviceIndex::new",
            ));
        }
        let results = queries.len() as u64 * C::RESULT;
        let Some(room) = options.memory.checked_sub(results) else {
            let what = format!(
                "a working set of {} bytes, but the results take {results}",
                options.memory
            );
            return Err(Error::usage(what, "raise the limit (--memory), or split the queries"));
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

    /// Prepares a comparison of the sites 0, `every`, 2 `every`, ... with these queries on the GPU
    /// without launching it. It finds only keys, unless `numbered` also requests the indices of the
    /// sites. For the L2 norm on a lattice that is small enough for exact results in single
    /// precision, it uses single precision and reports this ([`Kernel`]).
    ///
    /// # Errors
    /// Returns the errors of [`DeviceSites::nearest`].
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

/// A comparison of sites with a set of queries, which can be launched repeatedly.
pub struct DeviceComparison<'a, C: DeviceCoordinate> {
    sites: &'a DeviceSites<C>,
    every: usize,
    comparison: Comparison<C>,
}

impl<C: DeviceCoordinate> DeviceComparison<'_, C> {
    /// Returns the arithmetic of the keys.
    pub fn kernel(&self) -> Kernel {
        self.comparison.arithmetic()
    }

    /// Launches the comparison.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the driver rejects the launch.
    pub fn launch(&mut self, cuda: &Cuda) -> Result<()> {
        self.comparison.clear(cuda)?;
        let axes = &self.sites.axes;
        self.comparison.launch(cuda, axes, axes[0].len(), self.every, 0)
    }

    /// Waits for the results of the last launch and returns them.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the GPU does not respond.
    pub fn found(&self, cuda: &Cuda) -> Result<Vec<Found<C::Key>>> {
        self.comparison.found(cuda)
    }
}
