//! The point-wise distance transform on a GPU: [`super::nearest`] and [`super::Index`] for sites
//! that stay on the GPU, or that are streamed through one or several GPUs.
//!
//! The kernels are in `kernels/point_distance/`: `brute.cu`, `selective.cu` and `index.cu`. With
//! 64-bit keys, an atomic minimum has no room for the site index. Results with such keys are
//! therefore computed for each slice of the sites, and another kernel combines them.

mod comparison;
mod index;
mod kernel_arguments;
mod keys;
mod site_streaming;
mod sites;

pub use index::{DeviceIndex, DeviceSearch};
pub use site_streaming::nearest_in_streams;
pub use sites::{DeviceComparison, DeviceSites};

use super::coordinate::sealed::Sealed;
use super::nearest::check_small;
use super::{Coordinate, Index, Kernel, Method, Nearest, Norm, Options, Sites};
use zeroset_core::Cpu;
use zeroset_core::error::{Error, Result};
use zeroset_gpu::{Cuda, Element};

/// The time in nanoseconds to build an index on the CPU and copy it to the GPU, not counting the
/// time per site.
const INDEX: f64 = 25e6;
/// The additional time per site in nanoseconds. It hardly depends on the number of threads
/// (docs/point-distances.md).
const INDEXED_SITE: f64 = 90.0;

/// Returns true if building and searching an index is faster than comparing all pairs. The time of
/// the search itself is negligible.
fn index_pays<C: DeviceCoordinate>(n_sites: usize, n_queries: usize) -> bool {
    let (sites, queries) = (n_sites as f64, n_queries as f64);
    sites * queries * C::PAIR > INDEX + sites * INDEXED_SITE
}

/// Returns the nearest site of each query, as [`super::nearest`] does, on one or several GPUs.
/// Sites and queries are copied to the GPUs, and the results are copied back.
///
/// On a lattice and in `f64`, sites and keys are the same as on the CPU, except that the keys of
/// `Norm::Lp` differ by the rounding of powers. Results of an index are also the same as on the
/// CPU. Brute force in `f32` without cones differs by rounding.
///
/// With several GPUs, or if sites, queries and results exceed [`Options::memory`], brute force
/// streams the sites through the GPUs ([`nearest_in_streams`]). An index is searched on the first
/// GPU.
///
/// # Errors
/// Returns the errors of [`nearest_in_streams`] and [`DeviceIndex::nearest`], and [`Error::Case`]
/// if a requested index exceeds [`Options::memory`] or if the square of a distance underflows.
///
/// # Panics
/// Panics if `gpus` is empty.
pub fn nearest_on<C: DeviceCoordinate>(
    gpus: &[Cuda],
    cpu: &Cpu,
    sites: &Sites<C>,
    queries: &[[C; 3]],
    options: &Options,
) -> Result<Nearest<C>> {
    let cuda = &gpus[0];
    let index = Index::<C>::bytes(sites.len());
    let serves = options.cone.is_none() && !matches!(options.norm, Norm::Lp(_));
    let pays = index_pays::<C>(sites.len(), queries.len())
        && options.every == 1
        && serves
        && index <= options.memory;
    let nearest = match options.method {
        Method::Index if index > options.memory => {
            let what = format!("an index over {} sites takes {index} bytes", sites.len());
            let remedy = "raise the limit (--memory), or use brute force (--method brute)";
            return Err(Error::usage(what, remedy));
        }
        Method::Index => ask(cuda, cpu, sites, queries, options),
        Method::Auto if pays => ask(cuda, cpu, sites, queries, options),
        Method::Auto | Method::Brute => {
            let points = (sites.len() * 3 * size_of::<C>() + size_of_val(queries)) as u64;
            let working_set = points + queries.len() as u64 * C::RESULT;
            if gpus.len() > 1 || working_set > options.memory {
                nearest_in_streams(gpus, sites, queries, options)
            } else {
                DeviceSites::new(cuda, sites)?.nearest(cuda, queries, options)
            }
        }
    }?;
    check_small::<C>(options.norm, &nearest.found, |n, site| sites.point(site) != queries[n])?;
    Ok(nearest)
}

/// Builds an index on the CPU and searches it on the GPU.
fn ask<C: DeviceCoordinate>(
    cuda: &Cuda,
    cpu: &Cpu,
    sites: &Sites<C>,
    queries: &[[C; 3]],
    options: &Options,
) -> Result<Nearest<C>> {
    let index = cpu.run(|| Index::new(sites));
    DeviceIndex::new(cuda, &index)?.nearest(cuda, queries, options)
}

/// A coordinate type that is supported on a GPU.
pub trait DeviceCoordinate: Coordinate + Element + Sealed {
    /// The integer type that holds the bits of a coordinate or a key.
    #[doc(hidden)]
    type Bits: Element + Into<u64>;
    /// The value of the macro `REAL` in the kernels.
    #[doc(hidden)]
    const REAL: &str;
    /// The smallest size of a result on the GPU in bytes. For 64-bit keys, it includes the result
    /// of one slice of the sites.
    #[doc(hidden)]
    const RESULT: u64;
    /// The time per pair in nanoseconds if many pairs are compared, on an H200
    /// (benches/results/point-distances.md).
    #[doc(hidden)]
    const PAIR: f64;
    #[doc(hidden)]
    fn key_of(bits: u64, kernel: Kernel) -> Self::Key;
    /// Returns the bits as 32-bit words, the lowest word first.
    #[doc(hidden)]
    fn words(self) -> impl Iterator<Item = u32>;
}

impl DeviceCoordinate for f32 {
    type Bits = u32;
    const REAL: &str = "float";
    const RESULT: u64 = 8;
    const PAIR: f64 = 2.5e-4;

    fn key_of(bits: u64, _: Kernel) -> f32 {
        f32::from_bits(bits as u32)
    }

    fn words(self) -> impl Iterator<Item = u32> {
        std::iter::once(self.to_bits())
    }
}

impl DeviceCoordinate for f64 {
    type Bits = u64;
    const REAL: &str = "double";
    const RESULT: u64 = 32;
    const PAIR: f64 = 6.5e-4;

    fn key_of(bits: u64, _: Kernel) -> f64 {
        f64::from_bits(bits)
    }

    fn words(self) -> impl Iterator<Item = u32> {
        let bits = self.to_bits();
        [bits as u32, (bits >> 32) as u32].into_iter()
    }
}

impl DeviceCoordinate for i32 {
    type Bits = u32;
    const REAL: &str = "float";
    const RESULT: u64 = 8;
    const PAIR: f64 = 2.5e-4;

    fn key_of(bits: u64, kernel: Kernel) -> u32 {
        let bits = bits as u32;
        if kernel == Kernel::F32OnLattice { f32::from_bits(bits) as u32 } else { bits }
    }

    fn words(self) -> impl Iterator<Item = u32> {
        std::iter::once(self as u32)
    }
}
