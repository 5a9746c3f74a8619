//! One evaluation of a time step on one block: what a tile of a sparse grid and a piece of a dense
//! one have in common.
//!
//! ```text
//! phi_t = - F |grad phi| - U . grad phi + alpha kappa |grad phi| + lambda S(phi0) (1 - |grad phi|)
//! ```
//!
//! A block is `E^3` voxels, x fastest; it is read with a halo of `reach` voxels on all sides as a
//! flat array of `(E + 2 reach)^3`, x fastest too. Corners of the halo are not read; its edges only
//! by the curvature term, one voxel deep.
//!
//! A voxel moves if it or one of its six neighbors is well inside the band, `|phi| < core`, a little
//! below gamma; all others are gamma or -gamma after the evaluation. The band thus advances by at
//! most one voxel per evaluation, and in a step that moves the interface by less than a voxel nothing
//! else has cause to change. Without the margin the band would widen for ever: where phi bends to
//! its clamped value, WENO5 leaves traces of 1e-12 and differences of first order a smooth tail, and
//! whatever is not exactly gamma would belong to the band.
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
use super::lanes::{Lanes, Wide, Work, widest};
use super::neighborhood::{Around, Group};
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
    /// What makes a voxel and its neighbors move: a smaller phi.
    pub core: R,
}

/// One evaluation: `old phi + new (p + dt L(p))` from the values p of the block.
#[derive(Clone, Copy)]
pub struct Stage<'a, R> {
    /// Length of the step.
    pub dt: R,
    /// phi at the start of the step, `E^3` values, its share and that of p; `None` for (0, 1).
    pub mix: Option<(&'a [R], R, R)>,
    /// Whether the result is clamped to [-gamma, gamma].
    pub clamped: bool,
}

/// What the values of blocks are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// Voxels with `|phi| < core`.
    pub active: u64,
    /// Voxels with phi < 0.
    pub inside: u64,
    /// Voxels that are no numbers.
    pub not_a_number: u64,
    /// All voxels looked at.
    pub voxels: u64,
    /// Largest change of phi next to the interface, if it was looked for; voxels.
    pub change: f64,
}

impl Tally {
    /// Both together.
    pub fn join(self, other: Self) -> Self {
        Tally {
            active: self.active + other.active,
            inside: self.inside + other.inside,
            not_a_number: self.not_a_number + other.not_a_number,
            voxels: self.voxels + other.voxels,
            change: self.change.max(other.change),
        }
    }

    #[inline(always)]
    fn add<V: Lanes>(&mut self, values: V, core: V) {
        let size = values.abs();
        self.active += u64::from(V::count(core.gt(size)));
        self.inside += u64::from(V::count(V::constant(0.0).gt(values)));
        let numbers = V::count(size.gt(V::constant(-1.0)));
        self.not_a_number += V::LANES as u64 - u64::from(numbers);
        self.voxels += V::LANES as u64;
    }
}

impl<R: Real> Block<'_, R> {
    /// Whether a voxel is part of the grid.
    fn has<const E: usize>(&self, n: usize) -> bool {
        let [x, y, z] = self.extent;
        n % E < x && n / E % E < y && n / (E * E) < z
    }

    /// Writes a value to all voxels that are not part of the grid.
    pub(super) fn fill_beyond<const E: usize>(&self, out: &mut [R], value: R) {
        if self.extent == [E; 3] {
            return;
        }
        for (n, out) in out[..E * E * E].iter_mut().enumerate() {
            if !self.has::<E>(n) {
                *out = value;
            }
        }
    }

    /// What values of the block are.
    pub(super) fn tally<const E: usize>(&self, values: &[R]) -> Tally {
        let mut tally = Tally::default();
        for (n, value) in values[..E * E * E].iter().enumerate() {
            if self.has::<E>(n) {
                tally.add(*value, self.core);
            }
        }
        tally
    }
}

/// Writes the result of an evaluation, `E^3` values, gamma beyond the extent.
///
/// # Panics
/// If an array is shorter than stated above, with `scheme.reach()` for the halo.
pub fn advance<R: Wide, const E: usize>(
    scheme: Scheme,
    block: &Block<'_, R>,
    terms: &BlockTerms<'_, R>,
    stage: &Stage<'_, R>,
    out: &mut [R],
) -> Tally {
    let mut tally = Tally::default();
    let work = Advance { block, terms, stage, out: &mut *out, tally: &mut tally };
    match scheme {
        Scheme::FirstOrder => widest(Of::<_, FirstOrder, E>(work, PhantomData)),
        Scheme::Weno5 => widest(Of::<_, Weno5, E>(work, PhantomData)),
    }
    if block.extent == [E; 3] {
        return tally;
    }
    block.fill_beyond::<E>(out, block.gamma);
    block.tally::<E>(out)
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

struct Advance<'a, R> {
    block: &'a Block<'a, R>,
    terms: &'a BlockTerms<'a, R>,
    stage: &'a Stage<'a, R>,
    out: &'a mut [R],
    tally: &'a mut Tally,
}

/// Work with differences S on blocks of E^3 voxels.
struct Of<W, S, const E: usize>(W, PhantomData<S>);

impl<R: Real, S: Derivatives, const E: usize> Work<R> for Of<Advance<'_, R>, S, E> {
    #[inline(always)]
    fn run<V: Lanes<Scalar = R>>(self) {
        let Advance { block, terms, stage, out, tally } = self.0;
        let (gamma, core) = (V::splat(block.gamma), V::splat(block.core));
        let zero = V::constant(0.0);
        for first in (0..E * E * E).step_by(V::LANES) {
            let group = Group::<V, E>::new(block.padded, S::REACH, first);
            if !group.is_within(block.extent) {
                continue;
            }
            let own = group.at([0, 0, 0]);
            let mut value = V::select(zero.gt(own), -gamma, gamma);
            let moving = group.moving(core);
            if V::any(moving) {
                let rate = group_rate::<V, S, E>(terms, &group);
                let mut moved = own + V::splat(stage.dt) * rate;
                if let Some((phi, old, new)) = stage.mix {
                    moved = V::splat(old) * group.own(phi) + V::splat(new) * moved;
                }
                if stage.clamped {
                    moved = clamped(moved, gamma);
                }
                value = V::select(moving, moved, value);
            }
            tally.add(value, core);
            value.store(out, first);
        }
    }
}

/// What is not a number stays so.
#[inline(always)]
fn clamped<V: Lanes>(v: V, gamma: V) -> V {
    let v = V::select(v.gt(gamma), gamma, v);
    V::select((-gamma).gt(v), -gamma, v)
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
        rate = rate - speed * godunov_square(minus, plus, speed).sqrt();
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
