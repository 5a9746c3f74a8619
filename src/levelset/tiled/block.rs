//! One evaluation of a time step on one block: a tile of a sparse grid or a part of a dense grid.
//!
//! ```text
//! phi_t = - F |grad phi| - U . grad phi + alpha kappa |grad phi| + lambda S(phi0) (1 - |grad phi|)
//! ```
//!
//! A block has `E^3` voxels, x fastest. It is read together with a halo of `reach` voxels on all
//! sides as a flat array of `(E + 2 reach)^3` values, also x fastest. Corners of the halo are not
//! read. Its edges are read only by the curvature term, one voxel deep.
//!
//! A voxel moves if it or one of its six neighbors is well inside the band: `|phi| < core`, where
//! `core` is slightly below gamma. All other voxels are gamma or -gamma after the evaluation. The
//! band thus advances by at most one voxel per evaluation, which suffices for a step that moves the
//! interface by less than a voxel. Without this margin between `core` and gamma, the band would
//! widen forever. Where phi bends to its clamped value, WENO5 leaves deviations of 1e-12 and
//! first-order differences leave a smooth tail. Every value that is not exactly gamma would then
//! belong to the band.
//!
//! Voxels are computed in groups of as many voxels as a register has lanes ([`super::lanes`]): part
//! of a row along x, one row, or two rows. A group in which nothing moves costs one comparison.

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

/// The coefficients of one block, `E^3` values each. A term without a coefficient is left out.
#[derive(Clone, Copy)]
pub struct BlockTerms<'a, R> {
    /// F, voxels per time. Positive values make the inside grow.
    pub normal_speed: Option<&'a [R]>,
    /// U, voxels per time: all x components, then y, then z.
    pub velocity: Option<&'a [R]>,
    /// alpha, voxels squared per time.
    pub curvature: Option<&'a [R]>,
    /// lambda and phi0. [`Phi0::Itself`] gives the rescaling term, [`Phi0::Other`] the
    /// reinitialization equation.
    pub rescaling: Option<(R, Phi0<'a, R>)>,
}

impl<R> BlockTerms<'_, R> {
    /// No terms: nothing moves.
    pub const NONE: Self =
        BlockTerms { normal_speed: None, velocity: None, curvature: None, rescaling: None };
}

/// The function whose sign the rescaling term uses.
#[derive(Clone, Copy)]
pub enum Phi0<'a, R> {
    /// phi itself.
    Itself,
    /// Another function, given by `E^3` values.
    Other(&'a [R]),
}

/// A block with its halo.
#[derive(Clone, Copy)]
pub struct Block<'a, R> {
    /// phi, `(E + 2 reach)^3` values.
    pub padded: &'a [R],
    /// The number of voxels along each axis that are part of the grid, at most E. It is 1 along z
    /// in a plane grid.
    pub extent: [usize; 3],
    /// The half width of the band, in voxels.
    pub gamma: R,
    /// A voxel and its neighbors move if its |phi|, in voxels, is smaller than this.
    pub core: R,
}

/// One evaluation: `v phi + w (p + dt L(p))`. Here, p holds the values of the block, phi is the
/// solution at the start of the step, and v and w are weights.
#[derive(Clone, Copy)]
pub struct Stage<'a, R> {
    /// The time step.
    pub dt: R,
    /// phi at the start of the step (`E^3` values), its weight, and the weight of the new value.
    /// `None` for the weights (0, 1).
    pub mix: Option<(&'a [R], R, R)>,
    /// Whether the result is clamped to [-gamma, gamma].
    pub clamped: bool,
}

/// Statistics of the values of blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// The number of voxels with `|phi| < core`.
    pub active: u64,
    /// The number of voxels with phi < 0.
    pub inside: u64,
    /// The number of voxels whose value is NaN.
    pub not_a_number: u64,
    /// The number of voxels examined.
    pub voxels: u64,
    /// The largest change in phi next to the interface, in voxels; 0 if it was not computed.
    pub change: f64,
}

impl Tally {
    /// Returns the combined statistics.
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
    /// Returns whether a voxel is part of the grid.
    fn has<const E: usize>(&self, n: usize) -> bool {
        let [x, y, z] = self.extent;
        n % E < x && n / E % E < y && n / (E * E) < z
    }

    /// Writes a value to all voxels of the block that are not part of the grid.
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

    /// Returns the statistics of the values of the block.
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

/// Writes the result of one evaluation, `E^3` values. Voxels beyond the extent get gamma. Returns
/// the statistics of the voxels within it.
///
/// # Panics
/// Panics if an array is shorter than its documentation states for a halo of `scheme.reach()`
/// voxels.
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

/// One-sided derivatives along an axis: both, or only the upwind one.
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

/// Work on blocks of E^3 voxels that uses the difference scheme S.
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

/// Clamps values to [-gamma, gamma]. NaN stays NaN.
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

/// Returns `U . grad phi`. Only the upwind derivatives are computed.
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
