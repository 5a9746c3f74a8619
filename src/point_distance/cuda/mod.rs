//! The point-wise distance transform on a GPU: [`super::nearest`] and [`super::Index`] with sites that
//! stay on the card, or that pass through one or several of them.
//!
//! The kernels are in `kernels/point_distance/`: `brute.cu`, `selective.cu` and `index.cu`.

mod comparison;
mod index;
mod layout;
mod sites;
mod streams;

pub use index::{DeviceIndex, DeviceSearch};
pub use sites::{DeviceComparison, DeviceSites};
pub use streams::nearest_in_streams;

use super::coordinate::sealed::Sealed;
use super::{Coordinate, Index, Kernel, Method, Nearest, Norm, Options, Sites};
use crate::backend::Cpu;
use crate::backend::cuda::{Cuda, Element};
use crate::error::{Error, Result};

/// Queries from which on building an index on the processor and asking it on the card is faster than comparing all
/// there: a site takes 80 ns to go into the index, and a pair 0.25 ps (docs/point-distances.md). Both costs grow with the
/// number of sites alike.
const CROSSOVER: usize = 1 << 18;

/// As [`super::nearest`] on a card, with the copies of all that is needed there. Sites and keys on a lattice are those of
/// the processor, and so are those that an index finds; comparisons of real coordinates differ from them by rounding.
///
/// With several cards, or sites that take more than the working set, sites pass through the cards
/// ([`nearest_in_streams`]); an index is asked on the first card.
///
/// # Errors
/// As [`nearest_in_streams`] and [`DeviceIndex::nearest`].
///
/// # Panics
/// Without a card.
pub fn nearest_on<C: DeviceCoordinate>(
    cards: &[Cuda],
    cpu: &Cpu,
    sites: &Sites<C>,
    queries: &[[C; 3]],
    options: &Options,
) -> Result<Nearest<C>> {
    let cuda = &cards[0];
    let index = Index::<C>::bytes(sites.len());
    let serves = options.cone.is_none() && !matches!(options.norm, Norm::Lp(_));
    let pays =
        queries.len() >= CROSSOVER && options.every == 1 && serves && index <= options.memory;
    match options.method {
        Method::Index if index > options.memory => {
            let what = format!("an index over {} sites takes {index} bytes", sites.len());
            let remedy = "raise the limit (--memory), or compare all (--method brute)";
            Err(Error::usage(what, remedy))
        }
        Method::Index => ask(cuda, cpu, sites, queries, options),
        Method::Auto if pays => ask(cuda, cpu, sites, queries, options),
        Method::Auto | Method::Brute => {
            let working_set = (sites.len() * 3 * size_of::<C>() + size_of_val(queries)) as u64;
            if cards.len() > 1 || working_set > options.memory {
                return nearest_in_streams(cards, sites, queries, options);
            }
            DeviceSites::new(cuda, sites)?.nearest(cuda, queries, options)
        }
    }
}

/// Builds an index on the processor and asks it on the card.
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

/// Coordinates that a card computes with.
pub trait DeviceCoordinate: Coordinate + Element + Sealed {
    #[doc(hidden)]
    fn key_of(bits: u32, kernel: Kernel) -> Self::Key;
    #[doc(hidden)]
    fn bits(self) -> u32;
}

impl DeviceCoordinate for f32 {
    fn key_of(bits: u32, _: Kernel) -> f32 {
        f32::from_bits(bits)
    }

    fn bits(self) -> u32 {
        self.to_bits()
    }
}

impl DeviceCoordinate for i32 {
    fn key_of(bits: u32, kernel: Kernel) -> u32 {
        if kernel == Kernel::F32OnLattice { f32::from_bits(bits) as u32 } else { bits }
    }

    fn bits(self) -> u32 {
        self as u32
    }
}

/// The norm, as the kernels call it.
fn order(norm: Norm) -> &'static str {
    match norm {
        Norm::L1 => "1",
        Norm::L2 => "2",
        Norm::LInf => "3",
        Norm::Lp(_) => "4",
    }
}
