//! What the kernels of a motion on tiles are told: `kernels/tiles/motion.cuh`.

use crate::geometry::Real;
use crate::gpu::Argument;

/// `struct TileMotion` of the kernels.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct MotionArgument<R> {
    /// Addresses of three pools of `E^3` values for each id, with those of missing tiles before the first; the
    /// third has no more where no scheme needs it.
    pub values: [u64; 3],
    /// Where voxel (0, 0, 0) lies.
    pub origin: [f64; 3],
    /// Edge of a voxel.
    pub dx: f64,
    /// Half width of the band, in voxels.
    pub gamma: R,
    /// A voxel moves if it or a neighbor has a smaller |phi|.
    pub core: R,
    /// Factor of the rescaling term.
    pub rescaling: R,
    /// U, voxels per time, where it is the same everywhere.
    pub velocity: [R; 3],
    /// F, voxels per time, where it is the same everywhere.
    pub normal_speed: R,
    /// alpha, voxels squared per time, where it is the same everywhere.
    pub curvature: R,
    /// 1 / dx and its square, for expressions.
    pub per_voxel: [R; 2],
    /// Layers of voxels round an active one within which tiles are kept.
    pub keep: u32,
    /// The same, within which they are needed for a step.
    pub need: u32,
    /// Address of three [`KeptArgument`](super::KeptArgument): velocity, normal speed and curvature of each tile, where
    /// they are kept with them. (They stand apart: with a longer argument the compiler makes other code of
    /// steps that keep nothing, and a slower one.)
    pub kept: u64,
    /// Address of the components of the velocity, where some are volumes and others expressions.
    pub components: u64,
}

// SAFETY: laid out as in C, and compared with the size the kernels know.
unsafe impl<R: Real> Argument for MotionArgument<R> {}

impl<R: Real> MotionArgument<R> {
    /// What the management of tiles is told of it.
    pub fn of_values(&self) -> ValuesArgument<R> {
        ValuesArgument { values: self.values, gamma: self.gamma }
    }
}

/// `struct TileValues` of the kernels.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct ValuesArgument<R> {
    /// As in [`MotionArgument`].
    pub values: [u64; 3],
    /// As in [`MotionArgument`].
    pub gamma: R,
}

// SAFETY: as above.
unsafe impl<R: Real> Argument for ValuesArgument<R> {}

/// `struct TileStage` of the kernels: one evaluation, `out = old base + fresh (from + dt L(from))`.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct StageArgument<R> {
    part: f64,
    shares: [R; 2],
    from: u32,
    out: u32,
    base: u32,
    mixes: u32,
    is_last: u32,
}

// SAFETY: as above.
unsafe impl<R: Real> Argument for StageArgument<R> {}

impl<R: Real> StageArgument<R> {
    /// The only evaluation of a step of Euler.
    pub fn euler() -> Self {
        StageArgument { out: 1, is_last: 1, ..Self::first() }
    }

    fn first() -> Self {
        let (part, shares) = (0.0, [R::zero(), R::one()]);
        StageArgument { part, shares, from: 0, out: 1, base: 0, mixes: 0, is_last: 0 }
    }

    /// The three evaluations of a step of TVD-RK3.
    pub fn rk3() -> [Self; 3] {
        let shares = |old: f64, new: f64| [R::narrow(old), R::narrow(new)];
        let mixed = StageArgument { mixes: 1, ..Self::first() };
        let second = StageArgument { part: 1.0, shares: shares(0.75, 0.25), ..mixed };
        let third = StageArgument { part: 0.5, shares: shares(1.0 / 3.0, 2.0 / 3.0), ..mixed };
        [
            Self::first(),
            StageArgument { from: 1, out: 2, ..second },
            StageArgument { from: 2, out: 1, is_last: 1, ..third },
        ]
    }

    /// Steps of the reinitialization equation, which all see the sign of the same phi.
    pub fn relax(iterations: usize) -> Vec<Self> {
        let step = |n: usize| {
            let (from, out) = match n % 2 {
                _ if n == 0 => (0, 1),
                1 => (1, 2),
                _ => (2, 1),
            };
            StageArgument { from, out, is_last: u32::from(n + 1 == iterations), ..Self::first() }
        };
        (0..iterations).map(step).collect()
    }
}
