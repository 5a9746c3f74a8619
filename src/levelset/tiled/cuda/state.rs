//! Kernel arguments of a motion on tiles.

use crate::geometry::Real;

zeroset_gpu::cuda_header! {
    "tile_motion", include "tiles/components.cuh", include "tiles/stationary_values.cuh", include "tiles/storage.cuh";

    /// The differences that steps use.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub define enum Differences as SCHEME {
        /// First order.
        FirstOrder = 1,
        /// Fifth-order WENO.
        Weno5 = 5,
    }

    /// A motion on tiles.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct MotionArgument<R> as TileMotion {
        /// Three pools of `E^3` values for each id: phi and the stages, in the roles that the
        /// control block assigns. The values of missing tiles precede them, at the ids -2 (inside)
        /// and -1 (outside). If no scheme needs the third pool, it holds only these values.
        pub values: [u64; 3] as "stored *",
        /// The position of voxel (0, 0, 0). Voxel v lies at `origin + dx v`.
        pub origin: [f64; 3],
        /// The edge of a voxel.
        pub dx: f64,
        /// The half width of the band, in voxels.
        pub gamma: R,
        /// A voxel moves if its |phi| or that of a neighbor is smaller than this.
        pub core: R,
        /// The factor of the rescaling term.
        pub rescaling: R,
        /// U, voxels per time, if it is the same everywhere.
        pub velocity: [R; 3],
        /// F, voxels per time, if it is the same everywhere.
        pub normal_speed: R,
        /// alpha, voxels squared per time, if it is the same everywhere.
        pub curvature: R,
        /// 1 / dx and its square, for expressions.
        pub per_voxel: [R; 2],
        /// The number of layers of voxels around an active voxel within which tiles are kept.
        pub keep: u32,
        /// The number of layers of voxels around an active voxel within which a step needs tiles.
        pub need: u32,
        /// Three `StationaryArgument`: the velocity, normal speed and curvature of each tile, if
        /// they are stored. They are in separate memory because with a longer argument, the
        /// compiler produces slower code for steps without stored coefficients.
        pub kept: u64 as "const StationaryValues *",
        /// The address of the components of the velocity, if some are volumes and others
        /// expressions.
        pub components: u64 as "const TileComponent *",
    }

    /// The part of a motion that tile management needs.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct ValuesArgument<R> as TileValues {
        /// See `MotionArgument`.
        pub values: [u64; 3] as "stored *",
        /// See `MotionArgument`.
        pub gamma: R,
    }

    /// One evaluation, `out = shares[0] base + shares[1] (from + dt L(from))`.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct StageArgument<R> as TileStage {
        /// The fraction of the step at which coefficients are evaluated.
        part: f64,
        /// The weights of the old base and of the new value.
        shares: [R; 2],
        /// 0 for phi, 1 and 2 for the stages.
        from: u32,
        /// Like `from`.
        out: u32,
        /// Like `from`.
        base: u32,
        /// Whether the base has a nonzero weight.
        mixes: u32,
        /// Whether this is the last evaluation of the step.
        is_last: u32,
    }
}

impl<R: Real> MotionArgument<R> {
    /// Returns the part that tile management needs.
    pub fn of_values(&self) -> ValuesArgument<R> {
        ValuesArgument { values: self.values, gamma: self.gamma }
    }
}

impl<R: Real> StageArgument<R> {
    /// Returns the only evaluation of an Euler step.
    pub fn euler() -> Self {
        StageArgument { out: 1, is_last: 1, ..Self::first() }
    }

    fn first() -> Self {
        let (part, shares) = (0.0, [R::zero(), R::one()]);
        StageArgument { part, shares, from: 0, out: 1, base: 0, mixes: 0, is_last: 0 }
    }

    /// Returns the three evaluations of a TVD-RK3 step.
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

    /// Returns the steps of the reinitialization equation, which all use the sign of the same phi.
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
