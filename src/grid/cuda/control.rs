//! The control block of a tiled evolution on a GPU, and the tile lists as kernels see them.

use crate::gpu::definitions::Code;

zeroset_gpu::cuda_header! {
    "tile_grid";

    /// The reason why the steps stopped.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum Halt {
        /// The steps have not stopped.
        #[default]
        Running = 0,
        /// The target time is reached, or all requested steps are done.
        Arrived = 1,
        /// No interface is left: all voxels have one sign.
        Gone = 2,
        /// phi is NaN.
        Broken = 3,
        /// Nothing moves, so the time step has no limit.
        AtRest = 4,
        /// The time step is too small to advance the time.
        Lost = 5,
        /// A coefficient is not finite.
        BadCoefficient = 6,
        /// A curvature coefficient is negative.
        Negative = 7,
        /// There is no room for the tiles that are needed.
        NoRoom = 8,
        /// The interface leaves the range of tiles.
        OutOfRange = 9,
        /// The rate of change has fallen to the requested limit or below.
        Steady = 10,
    }

    /// The control block of steps on tiles: times, limits and the state of the tile set.
    ///
    /// The host sets the first fields before it launches a series of steps. The rest is the state
    /// of the motion.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct TileControl {
        /// The scheduled time, which the steps reach exactly.
        pub clock: f64,
        /// The time that no step may pass.
        pub target: f64,
        /// The rate of change at or below which the steps stop, in voxels per time.
        pub steady: f64,
        /// The number of steps left.
        pub steps_left: u64,
        /// The CFL factor nu.
        pub nu: f64,
        /// The longest step that is allowed while a coefficient depends on time.
        pub max_step: f64,
        /// The speed that results from the uniform coefficients.
        pub uniform_speed: f64,
        /// The number of steps between reinitializations; 0 for none.
        pub every: u64,
        /// The time reached.
        pub time: f64,
        /// The next time step.
        pub dt: f64,
        /// The last time step.
        pub dt_done: f64,
        /// The speed from which the next time step is computed.
        pub speed: f64,
        /// The number of steps done.
        pub step: u64,
        /// The number of voxels well inside the band, |phi| < gamma - 1/16.
        pub active: u64,
        /// The number of voxels with phi < 0.
        pub inside: u64,
        /// The largest change in phi per time next to the interface in the last step, in voxels.
        pub rate: f64,
        /// The time at which a coefficient is invalid.
        pub bad_time: f64,
        /// The number of voxels whose value is NaN.
        pub not_a_number: u64,
        /// The number of tiles computed, summed over the steps.
        pub tile_steps: u64,
        /// The number of voxels well inside the band, summed over the steps.
        pub voxel_steps: u64,
        /// The number of reinitializations.
        pub reinitializations: u64,
        /// The start of the series of steps, in nanoseconds of the GPU's clock.
        pub began: u64,
        /// The time from `began` to the end of the last step, in nanoseconds.
        pub elapsed: u64,
        /// The indices of the arrays that hold phi, the first stage and the second stage.
        pub at: [u32; 3],
        /// Whether reinitialization is due.
        pub due: u32,
        /// The reason why the steps stopped, as a number.
        pub halt: u32,
        /// Bits: `STIRRED`, `PRESSING`, `PRESSING_NOW`.
        pub stirred: u32,
        /// The index of the current list.
        pub list: u32,
        /// The number of tiles.
        pub n_tiles: u32,
        /// The smallest id that has never been assigned.
        pub next_id: u32,
        /// The number of unused ids below `next_id`.
        pub n_free: u32,
        /// Whether the space beyond all tiles is inside.
        pub background: u32,
        /// The number of updates of the tile set.
        pub updates: u32,
        /// The number of ids for which room is needed, if there is not enough.
        pub needed: u32,
        /// The number of tiles that the last update created.
        pub created: u32,
        /// The number of tiles that the last update deleted.
        pub deleted: u32,
        /// The number of updates that changed the tile set.
        pub changes: u32,
        /// The number of voxels well inside the band, counted by the current pass.
        pub next_active: u64,
        /// The number of voxels with phi < 0, counted by the current pass.
        pub next_inside: u64,
        /// The number of voxels whose value is NaN, counted by the current pass.
        pub next_not_a_number: u64,
        /// The bits of the largest change, found by the current pass.
        pub next_change: u64,
        /// The bits of the largest speeds found by the three passes that choose a time step.
        pub speeds: [u64; 3],
        /// The bits of the largest product, found by each of these passes, of the change in a
        /// coefficient over a span of time and the length of the span.
        pub variations: [u64; 3],
        /// Whether a coefficient changes so much during the step that its mean is needed.
        pub averages: u32,
        /// Flaws of the coefficients in the current pass; bits: `NOT_FINITE`, `BELOW_ZERO`.
        pub flaws: u32,
        /// The number of thread blocks that have finished the pass.
        pub blocks_done: u32,
        /// The number of thread blocks at a grid barrier.
        pub arrived: u32,
        /// Whether the interface leaves the range of tiles.
        pub out_of_range: u32,
        /// Whether a distance pass changed a value.
        pub changed: u32,
        /// The number of claims of tiles to create.
        pub claims: u32,
    }

    /// Bit of `stirred`: the requests of some tile have changed.
    pub const STIRRED: u32 = 1;
    /// Bit of `stirred`: a tile that the next step needs is missing.
    pub const PRESSING: u32 = 2;
    /// Bit of `stirred`: `PRESSING` as found by the current pass, which may not be the last pass
    /// before the next step.
    pub const PRESSING_NOW: u32 = 4;

    /// Bit of `flaws`: a coefficient is not finite.
    pub const NOT_FINITE: u32 = 1;
    /// Bit of `flaws`: a curvature coefficient is negative.
    pub const BELOW_ZERO: u32 = 2;

    /// The addresses of the tile lists. Lists with two parts are in key order, and the control
    /// block says which part is current.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct TileGridArgument as TileGrid {
        /// The control block, one [`TileControl`].
        pub control: u64 as "TileControl *",
        /// `[2][capacity]` keys.
        pub keys: [u64; 2] as "u64 *",
        /// `[2][capacity]` ids.
        pub ids: [u64; 2] as "u32 *",
        /// `[2][capacity]` bit d: the neighbor in direction d is missing and inside.
        pub borders: [u64; 2] as "u32 *",
        /// `[2][capacity]` request masks.
        pub activity: [u64; 2] as "u32 *",
        /// `[8][capacity]` list positions where the rows around the tile's own row begin.
        pub rows: u64 as "u32 *",
        /// `[capacity]` bit d: the neighbor in direction d is present.
        pub present: u64 as "u32 *",
        /// `[capacity][19]` ids and flags of the neighbors of a tile (neighbor_ids.cuh). Changes of
        /// the tile set use this memory as scratch. Null if the ids are not stored side by side.
        pub near: u64 as "u32 *",
        /// `[capacity]` by id: the update that created the tile.
        pub born: u64 as "u32 *",
        /// `[capacity]` unused ids. The last one is reused first.
        pub free: u64 as "u32 *",
        /// `[capacity]` new positions of the tiles that the last change created. Bit 31 is set if
        /// the tile is inside.
        pub created_at: u64 as "u32 *",
        /// `[2][blocks]` numbers of tiles to delete and of tiles that request neighbors.
        pub block_counts: u64 as "u32 *",
        /// The number of tiles and ids that fit.
        pub capacity: u32,
        /// Padding, zero.
        pub padding: u32,
    }
}

impl TileControl {
    /// Returns the reason why the steps stopped.
    pub fn halt(&self) -> Halt {
        Halt::of_code(self.halt).unwrap_or(Halt::Broken)
    }

    /// Returns whether the voxels have both signs, for tiles of edge `E`.
    pub fn has_interface<const E: usize>(&self) -> bool {
        self.inside > 0 && self.inside < u64::from(self.n_tiles) * (E * E * E) as u64
    }
}
