//! Shared memory of a step: the number of cells that a block holds at once, and the memory layout.

use super::galerkin;
use crate::geometry::Real;
use crate::levelset::evolution::NormalMotion;
use crate::levelset::evolution::problem::Problem;
use crate::patches::cuda::Shape;

/// The maximum static shared memory of the kernels of a step, in bytes.
pub(super) const STATIC_SHARED: u32 = 1024;

/// Returns the number of cells in a patch whose contributions a block holds in shared memory at
/// once.
///
/// `limit` is the shared memory available to a block, in bytes. Unusually large patches must not
/// increase the memory of every block.
pub(super) fn chunk<R: Real>(problem: &Problem<R>, shape: &Shape, limit: u32) -> u32 {
    let usual = (2.0 * shape.mean_cells).max(256.0) as u32;
    let mut chunk = shape.largest_cells.min(usual);
    // Separate kernels compute the increments of second-order advection in the same chunks.
    let needed = |chunk| {
        let increments = match problem.galerkin {
            Some(_) => galerkin::shared::<R>(shape, chunk, false),
            None => 0,
        };
        step_shared(problem, shape, chunk, false).max(increments)
    };
    while chunk > 32 && needed(chunk) > limit {
        chunk -= chunk.div_ceil(8);
    }
    chunk
}

/// Returns whether cells store numerators and denominators next to each other. Vertices read this
/// layout faster than separate arrays.
///
/// It is used for triangles if it fits and does not reduce the number of blocks per multiprocessor,
/// of which at most `wanted` are needed. `limit` is the shared memory available to a block, in
/// bytes.
pub(super) fn is_paired<R: Real>(
    problem: &Problem<R>,
    shape: &Shape,
    chunk: u32,
    wanted: u32,
    limit: u32,
) -> bool {
    // The driver reserves 1 KiB for each block.
    let system = 1024;
    let blocks = |paired: bool| {
        let bytes = step_shared(problem, shape, chunk, paired) + STATIC_SHARED;
        ((limit + STATIC_SHARED + system) / (bytes + system)).min(wanted)
    };
    shape.arity == 3
        && step_shared(problem, shape, chunk, true) <= limit
        && blocks(true) >= blocks(false)
}

/// Returns the number of bytes of dynamic shared memory that `evolution_step` needs per block.
pub(super) fn step_shared<R: Real>(
    problem: &Problem<R>,
    shape: &Shape,
    chunk: u32,
    paired: bool,
) -> u32 {
    let part = |n: u32, size: usize| (n * size as u32).div_ceil(16) * 16;
    let real = size_of::<R>();
    let motion = &problem.motion;
    let corners = shape.arity as u32;
    let drift = problem.galerkin.is_some();
    let wind = motion.velocity.is_some() && !drift;
    let speed = motion.normal_speed.is_some() && !(wind && problem.options.one_pass);
    let bending = motion.curvature.is_some() && !problem.implicit;
    let hopf_lax = problem.options.normal_motion == NormalMotion::HopfLax;
    // Arrays with one value per corner ("planes"), and values that all corners of a cell share; see
    // kernels/evolution/slots.cuh.
    let width = if paired { 2 } else { 1 };
    let planes = u32::from(wind) * width
        + u32::from(speed) * if hopf_lax { 2 } else { width }
        + u32::from(bending) * width
        + u32::from(drift);
    let heights = u32::from(wind) + u32::from(speed && !hopf_lax);
    let commons = match heights + u32::from(heights > 0) + u32::from(bending) {
        0 => 0,
        _ if paired => 0,
        commons => commons.next_power_of_two(),
    };
    let mut bytes = part(planes * corners * chunk, real)
        + part(commons * chunk, real)
        + part(4 * shape.largest_local, real)
        + part(if drift { shape.largest_local } else { 0 }, real)
        + part(if problem.options.half_width.is_some() { shape.largest_local } else { 0 }, 1);
    let index = if shape.wide { 4 } else { 2 };
    bytes += part(shape.largest_columns, index);
    if chunk < shape.largest_cells {
        // Two sums per term, and a column that is aligned like the sums.
        let terms = u32::from(wind) + u32::from(speed) + u32::from(bending) + u32::from(drift);
        bytes += part((2 * terms.max(1) + 1) * lanes(shape) * shape.largest_owned, real);
    }
    bytes
}

/// Returns the number of lanes that gather for a vertex.
///
/// In tetrahedral meshes a vertex has about 24 cells, and a patch has only a quarter as many
/// vertices as a block has threads.
pub(super) fn lanes(shape: &Shape) -> u32 {
    if shape.arity == 4 { 2 } else { 1 }
}
