//! The point-wise distance transform on a GPU: [`super::nearest`] and [`super::Index`] with sites that
//! stay on the GPU, or that pass through one or several of them.
//!
//! The kernels are in `kernels/point_distance/`: `brute.cu`, `selective.cu` and `index.cu`.
//! Keys of 64 bits leave no room for the site's number in what an atomic minimum takes: results of slices of the sites are
//! joined by a kernel of their own.

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

/// To build an index on the CPU and copy it to the GPU takes so many nanoseconds, ...
const INDEX: f64 = 25e6;
/// ... and so many for each site, however many threads build (docs/point-distances.md).
const INDEXED_SITE: f64 = 90.0;

/// Whether an index is built and asked sooner than as many pairs are compared. To ask it takes next to nothing.
fn index_pays<C: DeviceCoordinate>(n_sites: usize, n_queries: usize) -> bool {
    let (sites, queries) = (n_sites as f64, n_queries as f64);
    sites * queries * C::PAIR > INDEX + sites * INDEXED_SITE
}

/// As [`super::nearest`] on a GPU, with the copies of all that is needed there. Sites and keys on a lattice and in `f64` are those
/// of the CPU (keys of norms of other orders but for the rounding of powers), and so are those that an index finds;
/// comparisons in `f32` differ from them by rounding.
///
/// With several GPUs, or sites and queries that take more than the working set, both pass through the GPUs
/// ([`nearest_in_streams`]); an index is asked on the first GPU.
///
/// # Errors
/// As [`nearest_in_streams`] and [`DeviceIndex::nearest`].
///
/// # Panics
/// Without a GPU.
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
            let remedy = "raise the limit (--memory), or compare all (--method brute)";
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

/// Builds an index on the CPU and asks it on the GPU.
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

/// Coordinates that a GPU computes with.
pub trait DeviceCoordinate: Coordinate + Element + Sealed {
    /// The bits of a coordinate, and of a key.
    #[doc(hidden)]
    type Bits: Element + Into<u64>;
    /// REAL of the kernels.
    #[doc(hidden)]
    const REAL: &str;
    /// Bytes of a result on the GPU at least; of a key of 64 bits the result of a slice of the sites counts, too.
    #[doc(hidden)]
    const RESULT: u64;
    /// Nanoseconds that a pair takes where many are compared, on an H200 (benches/results/point-distances.md).
    #[doc(hidden)]
    const PAIR: f64;
    #[doc(hidden)]
    fn key_of(bits: u64, kernel: Kernel) -> Self::Key;
    /// Its bits in words, the lowest first; as many as there are.
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
