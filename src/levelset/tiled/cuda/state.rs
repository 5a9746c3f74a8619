//! What the kernels of a motion on tiles are told.

use crate::geometry::Real;

zeroset_gpu::cuda_header! {
    "tile_motion", include "tiles/components.cuh", include "tiles/stationary_values.cuh", include "tiles/storage.cuh";

    /// The differences that steps are made of.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub define enum Differences as SCHEME {
        /// Of first order.
        FirstOrder = 1,
        /// WENO of fifth order.
        Weno5 = 5,
    }

    /// A motion on tiles.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct MotionArgument<R> as TileMotion {
        /// Three pools of `E^3` values for each id: phi and stages, as the control block says. Before them stand the values of
        /// missing tiles, inside and outside, where their ids -2 and -1 point to. The third has no more where no scheme needs it.
        pub values: [u64; 3] as "stored *",
        /// Where voxel (0, 0, 0) lies: voxel v at `origin + dx v`.
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
        /// Three `StationaryArgument`: velocity, normal speed and curvature of each tile, where
        /// they are kept with them. (They stand apart: with a longer argument the compiler makes other code of
        /// steps that keep nothing, and a slower one.)
        pub kept: u64 as "const StationaryValues *",
        /// Address of the components of the velocity, where some are volumes and others expressions.
        pub components: u64 as "const TileComponent *",
    }

    /// What the management of tiles is told of a motion.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct ValuesArgument<R> as TileValues {
        /// As in `MotionArgument`.
        pub values: [u64; 3] as "stored *",
        /// As in `MotionArgument`.
        pub gamma: R,
    }

    /// One evaluation, `out = old base + fresh (from + dt L(from))`.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct StageArgument<R> as TileStage {
        /// Of the step at which coefficients are taken.
        part: f64,
        /// Of the old base, and of what is new.
        shares: [R; 2],
        /// 0 for phi, 1 and 2 for the stages.
        from: u32,
        /// As `from`.
        out: u32,
        /// As `from`.
        base: u32,
        /// Whether the base has a share.
        mixes: u32,
        /// Whether no other evaluation follows in the step.
        is_last: u32,
    }
}

impl<R: Real> MotionArgument<R> {
    /// What the management of tiles is told of it.
    pub fn of_values(&self) -> ValuesArgument<R> {
        ValuesArgument { values: self.values, gamma: self.gamma }
    }
}

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
        let shares = |old: f64, new: f64| [R::of(old), R::of(new)];
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
