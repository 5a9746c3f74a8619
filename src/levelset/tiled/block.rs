//! The rate of change of phi on one block: what a tile of a sparse grid and a piece of a dense one
//! have in common.
//!
//! ```text
//! phi_t = - F |grad phi| - U . grad phi + alpha kappa |grad phi| + lambda S(phi0) (1 - |grad phi|)
//! ```
//!
//! A block is `E^3` voxels, x fastest; it is read with a halo of `reach` voxels on all sides as a
//! flat array of `(E + 2 reach)^3`, x fastest too. Corners of the halo are not read; its edges only
//! by the curvature term, one voxel deep.
//!
//! A voxel moves if it or one of its six neighbors is in the band, `|phi| < gamma`; elsewhere the
//! rate is zero. The front of the band thus advances by at most one voxel per evaluation, and in a
//! step that moves the interface by less than a voxel nothing else has cause to change.
//!
//! Work goes by groups of as many voxels as registers have lanes ([`super::lanes`]): part of a row
//! along x, a row, or two. Groups in which nothing moves cost a comparison.

use std::marker::PhantomData;

use super::formulas::advection::transport;
use super::formulas::curvature::{Central, curvature};
use super::formulas::godunov::godunov_square;
use super::formulas::reinitialize::towards_distance;
use super::formulas::upwind::{upwind_both, upwind_from};
use super::formulas::weno::{weno_both, weno_from};
use super::group::{Around, Group};
use super::lanes::{Lanes, Wide, Work, widest};
use super::options::Scheme;
use crate::geometry::Real;

/// Coefficients of one block, `E^3` values each; a term without one is left out.
#[derive(Clone, Copy)]
pub struct BlockTerms<'a, R> {
    /// F, voxels per time; positive lets the inside grow.
    pub normal_speed: Option<&'a [R]>,
    /// U, voxels per time: all of x, then of y, then of z.
    pub velocity: Option<&'a [R]>,
    /// alpha, voxels squared per time.
    pub curvature: Option<&'a [R]>,
    /// lambda and phi0; [`Phi0::Itself`] is the rescaling term.
    pub rescaling: Option<(R, Phi0<'a, R>)>,
}

impl<R> BlockTerms<'_, R> {
    /// No motion.
    pub const NONE: Self =
        BlockTerms { normal_speed: None, velocity: None, curvature: None, rescaling: None };
}

/// Whose sign the rescaling term takes.
#[derive(Clone, Copy)]
pub enum Phi0<'a, R> {
    /// That of phi.
    Itself,
    /// That of another function, `E^3` values.
    Other(&'a [R]),
}

/// A block with its halo.
#[derive(Clone, Copy)]
pub struct Block<'a, R> {
    /// phi, `(E + 2 reach)^3` values.
    pub padded: &'a [R],
    /// Voxels along each axis that are part of the grid, at most E; one along z in a plane grid.
    pub extent: [usize; 3],
    /// Half width of the band.
    pub gamma: R,
}

impl<R: Real> Block<'_, R> {
    /// Writes a value to all voxels that are not part of the grid.
    pub(super) fn fill_beyond<const E: usize>(&self, out: &mut [R], value: R) {
        let [x, y, z] = self.extent;
        if self.extent == [E; 3] {
            return;
        }
        for (n, out) in out[..E * E * E].iter_mut().enumerate() {
            if n % E >= x || n / E % E >= y || n / (E * E) >= z {
                *out = value;
            }
        }
    }
}

/// Writes the rate of change of phi, `E^3` values, zero beyond the extent.
///
/// # Panics
/// If an array is shorter than stated above, with `scheme.reach()` for the halo.
pub fn rate<R: Wide, const E: usize>(
    scheme: Scheme,
    block: &Block<'_, R>,
    terms: &BlockTerms<'_, R>,
    rate: &mut [R],
) {
    match scheme {
        Scheme::FirstOrder => widest(Rate::<R, FirstOrder, E>::new(block, terms, &mut *rate)),
        Scheme::Weno5 => widest(Rate::<R, Weno5, E>::new(block, terms, &mut *rate)),
    }
    block.fill_beyond::<E>(rate, R::zero());
}

/// One-sided derivatives along an axis: both, or the one the wind comes from.
trait Derivatives {
    const REACH: usize;
    fn both<V: Lanes, const E: usize>(group: &Group<'_, V, E>, axis: usize) -> (V, V);
    fn from<V: Lanes, const E: usize>(group: &Group<'_, V, E>, axis: usize, wind: V) -> V;
}

struct FirstOrder;
struct Weno5;

impl Derivatives for FirstOrder {
    const REACH: usize = 1;
    #[inline(always)]
    fn both<V: Lanes, const E: usize>(group: &Group<'_, V, E>, axis: usize) -> (V, V) {
        upwind_both(three(group, axis))
    }
    #[inline(always)]
    fn from<V: Lanes, const E: usize>(group: &Group<'_, V, E>, axis: usize, wind: V) -> V {
        upwind_from(three(group, axis), wind)
    }
}

impl Derivatives for Weno5 {
    const REACH: usize = 3;
    #[inline(always)]
    fn both<V: Lanes, const E: usize>(group: &Group<'_, V, E>, axis: usize) -> (V, V) {
        weno_both(seven(group, axis))
    }
    #[inline(always)]
    fn from<V: Lanes, const E: usize>(group: &Group<'_, V, E>, axis: usize, wind: V) -> V {
        weno_from(seven(group, axis), wind)
    }
}

#[inline(always)]
fn three<V: Lanes, const E: usize>(group: &Group<'_, V, E>, axis: usize) -> [V; 3] {
    [group.along(axis, -1), group.along(axis, 0), group.along(axis, 1)]
}

#[inline(always)]
fn seven<V: Lanes, const E: usize>(group: &Group<'_, V, E>, axis: usize) -> [V; 7] {
    let [before, here, after] = three(group, axis);
    let (first, last) = (group.along(axis, -3), group.along(axis, 3));
    [first, group.along(axis, -2), before, here, after, group.along(axis, 2), last]
}

struct Rate<'a, R, S, const E: usize> {
    block: &'a Block<'a, R>,
    terms: &'a BlockTerms<'a, R>,
    rate: &'a mut [R],
    scheme: PhantomData<S>,
}

impl<'a, R, S, const E: usize> Rate<'a, R, S, E> {
    fn new(block: &'a Block<'a, R>, terms: &'a BlockTerms<'a, R>, rate: &'a mut [R]) -> Self {
        Rate { block, terms, rate, scheme: PhantomData }
    }
}

impl<R: Real, S: Derivatives, const E: usize> Work<R> for Rate<'_, R, S, E> {
    #[inline(always)]
    fn run<V: Lanes<Scalar = R>>(self) {
        let gamma = V::splat(self.block.gamma);
        for first in (0..E * E * E).step_by(V::LANES) {
            let group = Group::<V, E>::new(self.block.padded, S::REACH, first);
            if !group.is_within(self.block.extent) {
                continue;
            }
            let moving = group.moving(gamma);
            let rate = if V::any(moving) {
                V::pick(moving, group_rate::<V, S, E>(self.terms, &group), V::constant(0.0))
            } else {
                V::constant(0.0)
            };
            rate.store(self.rate, group.first);
        }
    }
}

#[inline(always)]
fn group_rate<V: Lanes, S: Derivatives, const E: usize>(
    terms: &BlockTerms<'_, V::Scalar>,
    group: &Group<'_, V, E>,
) -> V {
    let mut rate = V::constant(0.0);
    if let Some(alpha) = terms.curvature {
        let central = Central::new(group);
        rate = group.own(alpha) * curvature(&central);
    }
    if terms.normal_speed.is_none() && terms.rescaling.is_none() {
        return match terms.velocity {
            Some(velocity) => rate - one_sided::<V, S, E>(group, velocity),
            None => rate,
        };
    }
    let (x, y, z) = (S::both(group, 0), S::both(group, 1), S::both(group, 2));
    let (minus, plus) = ([x.0, y.0, z.0], [x.1, y.1, z.1]);
    if let Some(velocity) = terms.velocity {
        rate = rate - transport(components(group, velocity), minus, plus);
    }
    if let Some(speed) = terms.normal_speed {
        let speed = group.own(speed);
        rate = rate - speed * godunov_square(minus, plus, speed).root();
    }
    if let Some((factor, phi0)) = terms.rescaling {
        let phi0 = match phi0 {
            Phi0::Itself => group.at([0, 0, 0]),
            Phi0::Other(values) => group.own(values),
        };
        let square = godunov_square(minus, plus, phi0);
        rate = rate + V::splat(factor) * towards_distance(phi0, square);
    }
    rate
}

/// `U . grad phi` with the derivatives of the sides it takes only.
#[inline(always)]
fn one_sided<V: Lanes, S: Derivatives, const E: usize>(
    group: &Group<'_, V, E>,
    velocity: &[V::Scalar],
) -> V {
    let [u, v, w] = components(group, velocity);
    let (x, y, z) = (S::from(group, 0, u), S::from(group, 1, v), S::from(group, 2, w));
    (u * x + v * y) + w * z
}

#[inline(always)]
fn components<V: Lanes, const E: usize>(group: &Group<'_, V, E>, all: &[V::Scalar]) -> [V; 3] {
    let (x, yz) = all.split_at(E * E * E);
    let (y, z) = yz.split_at(E * E * E);
    [group.own(x), group.own(y), group.own(z)]
}
