//! Coefficients as a block takes them, and the speed that bounds a step.

use super::block::{BlockTerms, Phi0};
use super::options::{Options, Reinitialize};
use super::terms::{Coefficient, Fill, Terms};
use crate::error::{Error, Result};
use crate::geometry::Real;

/// One coefficient on a block.
enum Prepared<R> {
    Zero,
    Uniform(Vec<R>),
    Varying(Fill<R>),
}

impl<R: Real> Prepared<R> {
    fn new<const K: usize>(coefficient: &Coefficient<R, K>, size: usize) -> Self {
        match coefficient {
            zero if zero.is_zero() => Prepared::Zero,
            Coefficient::Uniform(values) => {
                let component = |v: &f64| std::iter::repeat_n(R::narrow(*v), size);
                Prepared::Uniform(values.iter().flat_map(component).collect())
            }
            Coefficient::Varying(fill) => Prepared::Varying(fill.clone()),
        }
    }

    fn values<'a>(&'a self, first: [i32; 3], t: f64, out: &'a mut [R]) -> Option<&'a [R]> {
        match self {
            Prepared::Zero => None,
            Prepared::Uniform(values) => Some(values),
            Prepared::Varying(fill) => {
                fill(first, t, out);
                Some(out)
            }
        }
    }

    fn varies(&self) -> bool {
        matches!(self, Prepared::Varying(_))
    }
}

/// All coefficients of a motion, and the rescaling term.
pub(super) struct Coefficients<R> {
    normal_speed: Prepared<R>,
    velocity: Prepared<R>,
    curvature: Prepared<R>,
    rescaling: Option<R>,
    /// Voxels of a block.
    size: usize,
}

/// Largest speed at which phi changes, and what is wrong with the coefficients.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Speed {
    /// Largest `sum_k |U_k| + |F| sqrt(d) + 2 d alpha` over the band.
    pub most: f64,
    not_finite: bool,
    negative: bool,
}

impl Speed {
    /// Of coefficients that were found to be wrong.
    #[cfg(feature = "cuda")]
    pub fn flawed(not_finite: bool, negative: bool) -> Self {
        Speed { most: 0.0, not_finite, negative }
    }

    /// The larger one.
    pub fn join(self, other: Self) -> Self {
        Speed {
            most: self.most.max(other.most),
            not_finite: self.not_finite | other.not_finite,
            negative: self.negative | other.negative,
        }
    }

    /// # Errors
    /// [`Error::Numerical`] for coefficients that cannot be computed with.
    pub fn checked(self, time: f64) -> Result<f64> {
        let wrong = |what: &str, remedy: &str| {
            let what = format!("{what} in the band at time {time}");
            Err(Error::Numerical { what, remedy: remedy.into() })
        };
        if self.not_finite {
            return wrong(
                "a coefficient is infinite or not a number",
                "look at its expression or array there",
            );
        }
        if self.negative {
            return wrong(
                "the curvature coefficient is negative",
                "backward motion by curvature has no solution; take a coefficient of 0 or more",
            );
        }
        Ok(self.most)
    }
}

impl<R: Real> Coefficients<R> {
    /// Of blocks of `size` voxels.
    pub fn new(terms: &Terms<R>, options: &Options, size: usize) -> Self {
        Coefficients {
            normal_speed: Prepared::new(&terms.normal_speed, size),
            velocity: Prepared::new(&terms.velocity, size),
            curvature: Prepared::new(&terms.curvature, size),
            rescaling: match options.reinitialize {
                Reinitialize::Rescaling { factor } => Some(R::narrow(factor)),
                _ => None,
            },
            size,
        }
    }

    /// Whether a block is read at its edges too.
    pub fn is_curved(&self) -> bool {
        !matches!(self.curvature, Prepared::Zero)
    }

    /// Whether speeds depend on the place or the time.
    pub fn varies(&self) -> bool {
        self.normal_speed.varies() || self.velocity.varies() || self.curvature.varies()
    }

    /// The terms on a block; `scratch` has room for what varies.
    pub fn on_block<'a>(
        &'a self,
        first: [i32; 3],
        t: f64,
        scratch: &'a mut Vec<R>,
    ) -> BlockTerms<'a, R> {
        scratch.resize(5 * self.size, R::zero());
        let (speed, rest) = scratch.split_at_mut(self.size);
        let (alpha, velocity) = rest.split_at_mut(self.size);
        BlockTerms {
            normal_speed: self.normal_speed.values(first, t, speed),
            velocity: self.velocity.values(first, t, velocity),
            curvature: self.curvature.values(first, t, alpha),
            rescaling: self.rescaling.map(|factor| (factor, Phi0::Itself)),
        }
    }

    /// Speed on a block over the voxels that `is_active`; `d` axes.
    pub fn speed(
        &self,
        terms: &BlockTerms<'_, R>,
        d: usize,
        is_active: impl Fn(usize) -> bool,
    ) -> Speed {
        let (normal, curved, size) = ((d as f64).sqrt(), 2.0 * d as f64, self.size);
        let mut speed = Speed::default();
        for n in (0..size).filter(|&n| is_active(n)) {
            let at = |values: Option<&[R]>, n: usize| values.map_or(0.0, |v| v[n].widen());
            let along = |k: usize| at(terms.velocity, n + k * size).abs();
            let alpha = at(terms.curvature, n);
            let sum = along(0) + along(1) + along(2);
            let sum = sum + at(terms.normal_speed, n).abs() * normal + curved * alpha;
            speed.negative |= alpha < 0.0;
            speed.not_finite |= !sum.is_finite();
            speed.most = speed.most.max(sum);
        }
        if let Some((factor, _)) = terms.rescaling {
            speed.most += factor.widen() * normal;
        }
        speed
    }
}
