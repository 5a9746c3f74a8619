//! The coefficients of a motion on a block, and the speed that bounds the time step.

use super::block::{BlockTerms, Phi0};
use super::options::{Options, Reinitialize};
use super::stationary_coefficients::StationaryValues;
use super::terms::{Coefficient, Fill, SampleFill, Terms};
use crate::error::{Error, Result};
use crate::expression::Sampling;
use crate::geometry::Real;

/// One coefficient on a block.
enum Prepared<R> {
    Zero,
    Uniform(Vec<R>),
    Varying(Fill<R>),
    Sampled(SampleFill<R>),
    OfPlace(SampleFill<R>),
    Stationary(StationaryValues<R>),
}

impl<R: Real> Prepared<R> {
    fn new<const K: usize>(coefficient: &Coefficient<R, K>, size: usize) -> Self {
        match coefficient {
            zero if zero.is_zero() => Prepared::Zero,
            Coefficient::Uniform(values) => {
                let component = |v: &f64| std::iter::repeat_n(R::of(*v), size);
                Prepared::Uniform(values.iter().flat_map(component).collect())
            }
            Coefficient::Varying(fill) => Prepared::Varying(fill.clone()),
            Coefficient::Sampled(fill) => Prepared::Sampled(fill.clone()),
            Coefficient::OfPlace(fill) => Prepared::OfPlace(fill.clone()),
            Coefficient::Stationary(fill) => {
                Prepared::Stationary(StationaryValues::new(fill.clone(), size, K))
            }
        }
    }

    /// Returns the values, bounds or means on a block, or `None` if the coefficient is zero, or if
    /// it is stored and `block` has no id. Raises `change` to the [`Speed::change`] of the
    /// coefficient if that is larger.
    fn values<'a>(
        &'a self,
        block: Place,
        sampling: Sampling,
        change: &mut f64,
        out: &'a mut [R],
    ) -> Option<&'a [R]> {
        match self {
            Prepared::Zero => None,
            Prepared::Uniform(values) => Some(values),
            Prepared::Varying(fill) => {
                let t = match sampling {
                    Sampling::At(t) | Sampling::Mean(_, t) => t,
                    // The function has no known bounds, so its value at the end is used instead.
                    // The value at the start already limits the step.
                    Sampling::Bound(span) => span.end,
                };
                fill(block.first, t, out);
                Some(out)
            }
            Prepared::Sampled(fill) | Prepared::OfPlace(fill) => {
                *change = change.max(fill(block.first, sampling, out));
                Some(out)
            }
            Prepared::Stationary(kept) => {
                kept.load(block.id?, out);
                Some(out)
            }
        }
    }

    fn varies(&self) -> bool {
        self.uses_time() || matches!(self, Prepared::OfPlace(_))
    }

    /// Returns whether the coefficient may depend on time.
    fn uses_time(&self) -> bool {
        matches!(self, Prepared::Varying(_) | Prepared::Sampled(_))
    }

    fn stationary(&self) -> Option<&StationaryValues<R>> {
        match self {
            Prepared::Stationary(kept) => Some(kept),
            _ => None,
        }
    }

    fn stationary_mut(&mut self) -> Option<&mut StationaryValues<R>> {
        match self {
            Prepared::Stationary(kept) => Some(kept),
            _ => None,
        }
    }
}

/// A block of a motion.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The first voxel of the block.
    pub first: [i32; 3],
    /// The id of the block, or `None` for a block that represents all blocks. Stored coefficients
    /// are then left out.
    pub id: Option<u32>,
}

impl Place {
    /// A dummy block, for coefficients that are the same everywhere.
    pub const EVERYWHERE: Self = Place { first: [0; 3], id: None };
}

/// All coefficients of a motion, and the rescaling term.
pub(super) struct Coefficients<R> {
    normal_speed: Prepared<R>,
    velocity: Prepared<R>,
    curvature: Prepared<R>,
    rescaling: Option<R>,
    /// The number of voxels in a block.
    size: usize,
}

/// The largest speed at which phi changes, and flaws of the coefficients.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Speed {
    /// The largest `sum_k |U_k| + |F| sqrt(d) + 2 d alpha` over the band.
    pub most: f64,
    /// The largest product of the change in a coefficient over the sampled span and the length of
    /// the span, in voxels.
    pub change: f64,
    not_finite: bool,
    negative: bool,
}

impl Speed {
    /// Returns a speed of zero with the given flaws.
    pub fn flawed(not_finite: bool, negative: bool) -> Self {
        Speed { not_finite, negative, ..Speed::default() }
    }

    /// Returns the speed with this [`Self::change`].
    pub fn with_change(self, change: f64) -> Self {
        Speed { change, ..self }
    }

    /// Returns the sum of the two speeds, with the flaws of both.
    pub fn plus(self, other: Self) -> Self {
        Speed { most: self.most + other.most, ..self.join(other) }
    }

    /// Returns the larger of the two speeds, with the flaws of both.
    pub fn join(self, other: Self) -> Self {
        Speed {
            most: self.most.max(other.most),
            change: self.change.max(other.change),
            not_finite: self.not_finite | other.not_finite,
            negative: self.negative | other.negative,
        }
    }

    /// Returns the largest speed. `time` is used only in error messages.
    ///
    /// # Errors
    /// Returns [`Error::Numerical`] if the coefficients are flawed.
    pub fn checked(self, time: f64) -> Result<f64> {
        let wrong = |what: &str, remedy: &str| {
            let what = format!("{what} in the band at time {time}");
            Err(Error::Numerical { what, remedy: remedy.into() })
        };
        if self.not_finite {
            return wrong("a coefficient is not finite", "check its expression or array there");
        }
        if self.negative {
            return wrong(
                "the curvature coefficient is negative",
                "backward motion by curvature has no solution; use a coefficient of 0 or more",
            );
        }
        Ok(self.most)
    }
}

impl<R: Real> Coefficients<R> {
    /// Prepares the coefficients for blocks of `size` voxels.
    pub fn new(terms: &Terms<R>, options: &Options, size: usize) -> Self {
        Coefficients {
            normal_speed: Prepared::new(&terms.normal_speed, size),
            velocity: Prepared::new(&terms.velocity, size),
            curvature: Prepared::new(&terms.curvature, size),
            rescaling: match options.reinitialize {
                Reinitialize::Rescaling { factor } => Some(R::of(factor)),
                _ => None,
            },
            size,
        }
    }

    /// Returns whether there is a curvature term. This term reads the edges of a block's halo.
    pub fn is_curved(&self) -> bool {
        !matches!(self.curvature, Prepared::Zero)
    }

    /// Returns whether a coefficient depends on position or time without being stored.
    pub fn varies(&self) -> bool {
        self.normal_speed.varies() || self.velocity.varies() || self.curvature.varies()
    }

    /// Returns whether a coefficient may depend on time.
    pub fn uses_time(&self) -> bool {
        self.normal_speed.uses_time() || self.velocity.uses_time() || self.curvature.uses_time()
    }

    /// Returns the stored coefficients.
    fn all_stationary(&self) -> impl Iterator<Item = &StationaryValues<R>> {
        let all = [&self.normal_speed, &self.velocity, &self.curvature];
        all.into_iter().filter_map(Prepared::stationary)
    }

    fn all_stationary_mut(&mut self) -> impl Iterator<Item = &mut StationaryValues<R>> {
        let all = [&mut self.normal_speed, &mut self.velocity, &mut self.curvature];
        all.into_iter().filter_map(Prepared::stationary_mut)
    }

    /// Returns whether any coefficient is stored.
    pub fn is_kept(&self) -> bool {
        self.all_stationary().next().is_some()
    }

    /// Makes room for the ids below `blocks` in the stored coefficients.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if there is not enough memory.
    pub fn grow(&mut self, blocks: usize) -> Result<()> {
        self.all_stationary_mut().try_for_each(|kept| kept.grow(blocks))
    }

    /// Evaluates the stored coefficients on new blocks, given by id and first voxel. No id may
    /// occur twice.
    pub fn evaluate(&mut self, blocks: &[(u32, [i32; 3])]) {
        self.all_stationary_mut().for_each(|kept| kept.evaluate(blocks));
    }

    /// Returns the number of bytes of the stored coefficients.
    pub fn bytes(&self) -> u64 {
        self.all_stationary().map(StationaryValues::bytes).sum()
    }

    /// Returns an upper bound on the speed over all voxels of a block, computed from the stored
    /// coefficients.
    pub fn steady_speed(&self, id: u32, d: usize) -> Speed {
        let (d, normal) = (d as f64, (d as f64).sqrt());
        let weighted = [(&self.normal_speed, normal), (&self.velocity, 1.0)];
        let mut most = 0.0;
        for (kept, weight) in weighted {
            most += kept.stationary().map_or(0.0, |kept| weight * kept.extremes(id).most.to_f64());
        }
        let curved = self.curvature.stationary().map(|kept| kept.extremes(id));
        most += curved.map_or(0.0, |alpha| 2.0 * d * alpha.most.to_f64());
        let negative = curved.is_some_and(|alpha| alpha.least < R::zero());
        Speed { most, change: 0.0, not_finite: !most.is_finite(), negative }
    }

    /// Returns the terms on a block, and the largest [`Speed::change`] of a coefficient. `scratch`
    /// holds the values of coefficients that vary.
    pub fn on_block<'a>(
        &'a self,
        block: Place,
        sampling: Sampling,
        scratch: &'a mut Vec<R>,
    ) -> (BlockTerms<'a, R>, f64) {
        scratch.resize(5 * self.size, R::zero());
        let (speed, rest) = scratch.split_at_mut(self.size);
        let (alpha, velocity) = rest.split_at_mut(self.size);
        let mut change = 0.0;
        let terms = BlockTerms {
            normal_speed: self.normal_speed.values(block, sampling, &mut change, speed),
            velocity: self.velocity.values(block, sampling, &mut change, velocity),
            curvature: self.curvature.values(block, sampling, &mut change, alpha),
            rescaling: self.rescaling.map(|factor| (factor, Phi0::Itself)),
        };
        (terms, change)
    }

    /// Returns the largest speed on a block of a grid with `d` axes. If `band` holds phi and
    /// `core`, only voxels with `|phi| < core` count. `sums` receives the speed of each voxel.
    pub fn speed(
        &self,
        terms: &BlockTerms<'_, R>,
        d: usize,
        band: Option<(&[R], R)>,
        sums: &mut Vec<R>,
    ) -> Speed {
        let normal = R::of((d as f64).sqrt());
        let curved = R::of(2.0 * d as f64);
        sums.clear();
        sums.resize(self.size, R::zero());
        let mut negative = false;
        for component in terms.velocity.iter().flat_map(|all| all.chunks_exact(self.size)) {
            sums.iter_mut().zip(component).for_each(|(sum, u)| *sum += u.abs());
        }
        if let Some(speed) = terms.normal_speed {
            sums.iter_mut().zip(speed).for_each(|(sum, f)| *sum += f.abs() * normal);
        }
        if let Some(alpha) = terms.curvature {
            for (sum, alpha) in sums.iter_mut().zip(alpha) {
                // All voxels of the block are checked, so a negative value may lie close to the
                // band instead of in it.
                negative |= *alpha < R::zero();
                *sum += *alpha * curved;
            }
        }
        if let Some((phi, core)) = band {
            for (sum, phi) in sums.iter_mut().zip(phi) {
                *sum = if phi.abs() < core { *sum } else { R::zero() };
            }
        }
        // Zero times an infinite value or NaN is not zero.
        let (mut most, mut not_finite) = (R::zero(), false);
        for sum in &*sums {
            most = if *sum > most { *sum } else { most };
            not_finite |= *sum * R::zero() != R::zero();
        }
        let rescaling = terms.rescaling.map_or(0.0, |(factor, _)| (factor * normal).to_f64());
        Speed { most: most.to_f64() + rescaling, change: 0.0, not_finite, negative }
    }
}
