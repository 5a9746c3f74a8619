//! Coordinate types of points, and the keys that are compared for each type.

use std::fmt::Debug;

use super::brute::{self, Sweep};
use super::nearest::{Found, Kernel};
use super::norm::{Chebyshev, Euclidean, Manhattan, Metric, Minkowski, Norm};
use super::sites::Sites;
use zeroset_core::error::{Error, Result};

/// A coordinate type: `f32`, `f64`, or `i32` for points on a lattice, whose distances are exact.
/// The unit is any unit of length.
pub trait Coordinate: Copy + PartialOrd + Debug + Default + Send + Sync + sealed::Sealed {
    /// The type of keys, which are compared instead of distances. A key is the square of a
    /// Euclidean distance, or the distance itself in another norm.
    type Key: Copy + PartialOrd + Debug + Send + Sync;
    /// The key if there is no site.
    const FAR: Self::Key;
    /// The smallest positive square that has full precision, or `None` if squares are exact.
    #[doc(hidden)]
    const LEAST: Option<Self::Key>;

    #[doc(hidden)]
    fn minus(self, other: Self) -> Self;
    #[doc(hidden)]
    fn to_f64(self) -> f64;
    #[doc(hidden)]
    fn is_finite(self) -> bool;
    #[doc(hidden)]
    fn key_to_f64(key: Self::Key) -> f64;
}

/// Functions of coordinates that only this crate uses.
pub(super) mod sealed {
    use super::*;

    /// A task that is compiled for each norm.
    pub trait Work<C: Coordinate> {
        type Output;
        fn with(self, metric: impl Metric<C>) -> Self::Output;
    }

    pub trait Sealed: Sized {
        /// Runs `work` with the metric of a norm.
        fn with_metric<W: Work<Self>>(norm: Norm, work: W) -> W::Output
        where
            Self: Coordinate;

        /// Returns the arithmetic that is sufficient for points in the box between two corners.
        fn kernel(norm: Norm, low: [Self; 3], high: [Self; 3]) -> Result<Kernel>;

        /// Returns the nearest sites by brute force.
        fn sweep(norm: Norm, kernel: Kernel, sweep: Sweep<'_, Self>) -> Vec<Found<Self::Key>>
        where
            Self: Coordinate;
    }
}

struct Brute<'a, C: Coordinate>(Sweep<'a, C>);

impl<C: Coordinate> sealed::Work<C> for Brute<'_, C> {
    type Output = Vec<Found<C::Key>>;
    fn with(self, metric: impl Metric<C>) -> Self::Output {
        brute::run(&self.0, metric)
    }
}

macro_rules! real {
    ($($real:ident $kernel:ident;)*) => {$(
        impl Coordinate for $real {
            type Key = $real;
            const FAR: $real = $real::INFINITY;
            const LEAST: Option<$real> = Some($real::MIN_POSITIVE);

            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self - other
            }

            fn to_f64(self) -> f64 {
                self.into()
            }

            fn is_finite(self) -> bool {
                <$real>::is_finite(self)
            }

            fn key_to_f64(key: $real) -> f64 {
                key.into()
            }
        }

        impl sealed::Sealed for $real {
            fn with_metric<W: sealed::Work<Self>>(norm: Norm, work: W) -> W::Output {
                match norm {
                    Norm::L1 => work.with(Manhattan),
                    Norm::L2 => work.with(Euclidean),
                    Norm::LInf => work.with(Chebyshev),
                    Norm::Lp(p) => work.with(Minkowski(p)),
                }
            }

            fn kernel(_: Norm, low: [$real; 3], high: [$real; 3]) -> Result<Kernel> {
                let most = (0..3).map(|k| high[k].max(-low[k])).fold(0.0, $real::max);
                // Differences are at most 2 `most`. Below this limit, the sum of their three
                // squares does not overflow.
                if most > $real::MAX.sqrt() / 8.0 {
                    let what = format!("coordinates up to {most:e}, whose squares overflow");
                    return Err(Error::usage(what, "scale the points down"));
                }
                Ok(Kernel::$kernel)
            }

            fn sweep(norm: Norm, _: Kernel, sweep: Sweep<'_, Self>) -> Vec<Found<$real>> {
                Self::with_metric(norm, Brute(sweep))
            }
        }
    )*};
}

real! { f32 F32; f64 F64; }

impl Coordinate for i32 {
    type Key = u32;
    const FAR: u32 = u32::MAX;
    const LEAST: Option<u32> = None;

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }

    fn to_f64(self) -> f64 {
        self.into()
    }

    fn is_finite(self) -> bool {
        true
    }

    fn key_to_f64(key: u32) -> f64 {
        // This key means that there is no site.
        if key == u32::MAX { f64::INFINITY } else { key.into() }
    }
}

/// If all keys are below this limit, keys and coordinate differences are exact in 32-bit floats.
const EXACT: u64 = 1 << 24;

impl sealed::Sealed for i32 {
    fn with_metric<W: sealed::Work<Self>>(norm: Norm, work: W) -> W::Output {
        match norm {
            Norm::L1 => work.with(Manhattan),
            // `kernel` has rejected other orders.
            Norm::L2 | Norm::Lp(_) => work.with(Euclidean),
            Norm::LInf => work.with(Chebyshev),
        }
    }

    fn kernel(norm: Norm, low: [i32; 3], high: [i32; 3]) -> Result<Kernel> {
        let d = [0, 1, 2].map(|k| u64::from(high[k].abs_diff(low[k])));
        let key = match norm {
            Norm::L1 => d.iter().sum(),
            Norm::L2 => d.iter().fold(0_u64, |sum, d| sum.saturating_add(d.saturating_mul(*d))),
            Norm::LInf => d.into_iter().max().unwrap_or(0),
            Norm::Lp(_) => {
                let what = format!("{norm} of points on a lattice is not an integer");
                return Err(Error::usage(
                    what,
                    "use l1, l2 or linf, or floating-point coordinates",
                ));
            }
        };
        // Differences are signed 32-bit integers, and the largest key means that there is no site.
        if key >= u64::from(u32::MAX) || d.iter().any(|&d| d > i32::MAX as u64) {
            let what = format!(
                "{norm} on a lattice of {} x {} x {} steps does not fit 32 bits",
                d[0], d[1], d[2]
            );
            return Err(Error::usage(what, "give the points as f64, which is exact up to 2^53"));
        }
        Ok(if key < EXACT { Kernel::F32OnLattice } else { Kernel::U32 })
    }

    fn sweep(norm: Norm, kernel: Kernel, sweep: Sweep<'_, Self>) -> Vec<Found<u32>> {
        if kernel != Kernel::F32OnLattice {
            return Self::with_metric(norm, Brute(sweep));
        }
        // Coordinates are relative to a corner of the bounding box, so that a large offset does not
        // use up the precision of `f32`.
        let corner = sweep.sites.bounds().map_or([0; 3], |(low, _)| low);
        let moved = |k: usize, x: i32| x.wrapping_sub(corner[k]) as f32;
        let sites = Sites::by_axis(
            [0, 1, 2].map(|k| sweep.sites.axis(k).iter().map(|&x| moved(k, x)).collect()),
        );
        let queries: Vec<[f32; 3]> =
            sweep.queries.iter().map(|q| [0, 1, 2].map(|k| moved(k, q[k]))).collect();
        let sweep =
            Sweep { sites: &sites, queries: &queries, toward: sweep.toward, plan: sweep.plan };
        let found = f32::with_metric(norm, Brute(sweep));
        let whole = |key: f32| if key == f32::INFINITY { u32::MAX } else { key as u32 };
        found.into_iter().map(|f| Found { key: whole(f.key), site: f.site }).collect()
    }
}
