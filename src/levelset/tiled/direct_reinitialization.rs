//! Signed distances on a block: from phi itself next to the interface, and from the neighbors
//! elsewhere.
//!
//! A voxel is *near* if one of its six neighbors lies on the other side of the interface. [`near`]
//! computes the distance of near voxels ([`nearest`](super::formulas::nearest)) and sets all others
//! to plus or minus gamma. [`relax`] then solves the eikonal equation
//! ([`eikonal`](super::formulas::eikonal)) at the other voxels. In each pass, all voxels of a grid
//! are computed from the values of the previous pass. Signs never change, and [`relax`] does not
//! change near voxels. Repeating these passes until nothing changes therefore gives the same result
//! for any order of blocks.

use super::block::Block;
use super::formulas::curvature::Central;
use super::formulas::eikonal::{axis, solve};
use super::formulas::nearest::{LEAST, refined, to_crossings, to_quadric};
use super::lanes::{Lanes, Wide, Work, widest};
use super::neighborhood::{Around, Group};
use crate::geometry::Real;

/// The number of layers read beyond a voxel. [`near`] reads edges of the halo one voxel deep.
pub const REACH: usize = 2;

/// Writes `E^3` values: the signed distance, in voxels, of voxels next to the interface, and plus
/// or minus gamma elsewhere. Voxels beyond the extent get gamma. Always returns true, so that it
/// has the same form as [`relax`].
///
/// # Panics
/// Panics if an array is too short. The halo must have [`REACH`] layers.
pub fn near<R: Wide, const E: usize>(block: &Block<'_, R>, out: &mut [R]) -> bool {
    widest(Near::<R, E> { block, out: &mut *out });
    block.fill_beyond::<E>(out, block.gamma);
    true
}

/// Writes `E^3` values: the signed distance, in voxels, computed from the neighbors, at most gamma
/// in absolute value. Voxels next to the interface and voxels that do not move keep their values.
/// Returns whether a value changed.
///
/// # Panics
/// Panics if an array is too short. The halo must have [`REACH`] layers.
pub fn relax<R: Wide, const E: usize>(block: &Block<'_, R>, out: &mut [R]) -> bool {
    let mut changed = false;
    widest(Relax::<R, E> { block, out: &mut *out, changed: &mut changed });
    block.fill_beyond::<E>(out, block.gamma);
    changed
}

struct Near<'a, R, const E: usize> {
    block: &'a Block<'a, R>,
    out: &'a mut [R],
}

struct Relax<'a, R, const E: usize> {
    block: &'a Block<'a, R>,
    out: &'a mut [R],
    changed: &'a mut bool,
}

/// Returns `v` if the voxel is outside and `-v` if it is inside. Applied to phi, the result is
/// positive on the voxel's own side.
#[inline(always)]
fn outward<V: Lanes>(inside: V::Mask, v: V) -> V {
    V::select(inside, -v, v)
}

/// Returns 1 for voxels next to the interface and 0 for others.
#[inline(always)]
fn is_near<V: Lanes, const E: usize>(group: &Group<'_, V, E>, inside: V::Mask) -> V {
    let (zero, one) = (V::constant(0.0), V::constant(1.0));
    let mut least = outward(inside, group.along(0, -1));
    least = least.smaller(outward(inside, group.along(0, 1)));
    for axis in 1..3 {
        least = least.smaller(outward(inside, group.along(axis, -1)));
        least = least.smaller(outward(inside, group.along(axis, 1)));
    }
    // A neighbor with phi = 0 counts as outside. It lies on the other side of an inside voxel, but
    // not of an outside voxel.
    let of_inside = V::select(least.gt(zero), zero, one);
    V::select(inside, of_inside, V::select(zero.gt(least), one, zero))
}

impl<R: Real, const E: usize> Work<R> for Near<'_, R, E> {
    #[inline(always)]
    fn run<V: Lanes<Scalar = R>>(self) {
        let gamma = V::splat(self.block.gamma);
        let half = V::constant(0.5);
        for first in (0..E * E * E).step_by(V::LANES) {
            let group = Group::<V, E>::new(self.block.padded, REACH, first);
            if !group.is_within(self.block.extent) {
                continue;
            }
            let own = group.at([0, 0, 0]);
            let inside = V::constant(0.0).gt(own);
            let is_near = is_near(&group, inside).gt(half);
            let distance = if V::any(is_near) {
                V::select(is_near, distance(&group, own, gamma), gamma)
            } else {
                gamma
            };
            outward(inside, distance).store(self.out, first);
        }
    }
}

/// Returns, for voxels next to the interface, the distance to it, at most gamma.
#[inline(always)]
fn distance<V: Lanes, const E: usize>(group: &Group<'_, V, E>, own: V, gamma: V) -> V {
    let central = Central::new(group);
    let faces = [
        [group.along(0, -1), group.along(0, 1)],
        [group.along(1, -1), group.along(1, 1)],
        [group.along(2, -1), group.along(2, 1)],
    ];
    let outer = [
        [group.along(0, -2), group.along(0, 2)],
        [group.along(1, -2), group.along(1, 2)],
        [group.along(2, -2), group.along(2, 2)],
    ];
    let fine = refined(&central, own, outer);
    // The fine derivatives are not valid if the stencil contains clamped values.
    let is_fine = gamma.gt(largest(outer));
    let mut best = central;
    for k in 0..3 {
        best.gradient[k] = V::select(is_fine, fine.gradient[k], central.gradient[k]);
        best.pure[k] = V::select(is_fine, fine.pure[k], central.pure[k]);
    }
    let smooth = to_quadric(own, &best);
    let is_smooth = gamma.gt(largest(faces).larger(largest_on_edges(group)));
    let smooth = V::select(is_smooth, smooth, V::constant(4.0));
    // A crossing lies within one voxel.
    let found = V::constant(1.01).gt(smooth);
    let distance = V::select(found, smooth, to_crossings(own, faces));
    distance.larger(V::constant(LEAST)).smaller(gamma)
}

#[inline(always)]
fn largest<V: Lanes>(v: [[V; 2]; 3]) -> V {
    let x = v[0][0].abs().larger(v[0][1].abs());
    let y = v[1][0].abs().larger(v[1][1].abs());
    x.larger(y).larger(v[2][0].abs().larger(v[2][1].abs()))
}

#[inline(always)]
fn largest_on_edges<V: Lanes, const E: usize>(group: &Group<'_, V, E>) -> V {
    let mut largest = V::constant(0.0);
    for [a, b] in [[0, 1], [0, 2], [1, 2]] {
        for [i, j] in [[-1, -1], [1, -1], [-1, 1], [1, 1]] {
            let mut by = [0; 3];
            (by[a], by[b]) = (i, j);
            largest = largest.larger(group.at(by).abs());
        }
    }
    largest
}

impl<R: Real, const E: usize> Work<R> for Relax<'_, R, E> {
    #[inline(always)]
    fn run<V: Lanes<Scalar = R>>(self) {
        let gamma = V::splat(self.block.gamma);
        let (zero, half) = (V::constant(0.0), V::constant(0.5));
        for first in (0..E * E * E).step_by(V::LANES) {
            let group = Group::<V, E>::new(self.block.padded, REACH, first);
            if !group.is_within(self.block.extent) {
                continue;
            }
            let own = group.at([0, 0, 0]);
            let moving = group.moving(V::splat(self.block.core));
            if !V::any(moving) {
                own.store(self.out, first);
                continue;
            }
            let inside = zero.gt(own);
            let near = is_near(&group, inside).gt(half);
            let axes =
                [along(&group, 0, inside), along(&group, 1, inside), along(&group, 2, inside)];
            let solved = outward(inside, solve(axes).smaller(gamma));
            let new = V::select(near, own, V::select(moving, solved, own));
            *self.changed |= V::any((new - own).abs().gt(zero));
            new.store(self.out, first);
        }
    }
}

#[inline(always)]
fn along<V: Lanes, const E: usize>(
    group: &Group<'_, V, E>,
    k: usize,
    inside: V::Mask,
) -> super::formulas::eikonal::Axis<V> {
    axis([
        outward(inside, group.along(k, -2)),
        outward(inside, group.along(k, -1)),
        outward(inside, group.along(k, 1)),
        outward(inside, group.along(k, 2)),
    ])
}
