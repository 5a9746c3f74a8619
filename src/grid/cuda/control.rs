//! What steers steps on tiles on a GPU, which kernels share.

use crate::gpu::definitions::Code;

zeroset_gpu::cuda_header! {
    "tile_grid";

    /// Why steps stopped.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum Halt {
        /// They did not.
        #[default]
        Running = 0,
        /// At the target, or all steps asked for are done.
        Arrived = 1,
        /// No interface is left: all voxels have one sign.
        Gone = 2,
        /// phi is not a number.
        Broken = 3,
        /// Nothing moves, so the step has no limit.
        AtRest = 4,
        /// The step is lost beside the time.
        Lost = 5,
        /// A coefficient is infinite or not a number.
        BadCoefficient = 6,
        /// A curvature coefficient is negative.
        Negative = 7,
        /// There is no room for the tiles that are needed.
        NoRoom = 8,
        /// The interface leaves the range of tiles.
        OutOfRange = 9,
        /// Nothing changes faster than asked.
        Steady = 10,
    }

    /// What steers steps on tiles: times, what comes next, and the tile set.
    ///
    /// The program sets what comes first before a stretch of steps; the rest is the state of the motion.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct TileControl {
        /// Time of the schedule, which steps land on exactly.
        pub clock: f64,
        /// Time not to be passed.
        pub target: f64,
        /// Rate of change at which to stop, voxels per time.
        pub steady: f64,
        /// Steps still to be taken.
        pub steps_left: u64,
        /// Number of the step rule.
        pub nu: f64,
        /// Speed of coefficients that are the same everywhere.
        pub uniform_speed: f64,
        /// Steps between reinitializations; 0 for none.
        pub every: u64,
        /// Time reached.
        pub time: f64,
        /// Length of the next step.
        pub dt: f64,
        /// Length of the last one.
        pub dt_done: f64,
        /// Speed that the next step is made for.
        pub speed: f64,
        /// Steps so far.
        pub step: u64,
        /// Voxels well inside the band, |phi| < gamma - 1/16.
        pub active: u64,
        /// Voxels with phi < 0.
        pub inside: u64,
        /// Largest change of phi per time next to the interface in the last step, voxels.
        pub rate: f64,
        /// Time of coefficients that may not be so.
        pub bad_time: f64,
        /// Voxels that are not a number.
        pub not_a_number: u64,
        /// Tiles computed, summed over the steps.
        pub tile_steps: u64,
        /// Voxels well inside the band, summed over the steps.
        pub voxel_steps: u64,
        /// Times phi was made a distance.
        pub reinitializations: u64,
        /// When the stretch began, nanoseconds of the GPU's clock.
        pub began: u64,
        /// Nanoseconds of the stretch up to the last step.
        pub elapsed: u64,
        /// Which array holds phi, the first and the second stage.
        pub at: [u32; 3],
        /// phi is to become a distance.
        pub due: u32,
        /// Why steps stopped, as a number.
        pub halt: u32,
        /// Bits: `STIRRED`, `PRESSING`, `PRESSING_NOW`.
        pub stirred: u32,
        /// Which list is current.
        pub list: u32,
        /// Number of tiles.
        pub n_tiles: u32,
        /// No id from here on was ever given out.
        pub next_id: u32,
        /// Unused ids below that.
        pub n_free: u32,
        /// What lies beyond all tiles is inside.
        pub background: u32,
        /// Updates of the tile set.
        pub updates: u32,
        /// Ids there must be room for, where there is not.
        pub needed: u32,
        /// Tiles that came with the last update.
        pub created: u32,
        /// Tiles that went.
        pub deleted: u32,
        /// Updates that changed the tile set.
        pub changes: u32,
        /// Voxels well inside the band, as the pass under way counts them.
        pub next_active: u64,
        /// Voxels with phi < 0, likewise.
        pub next_inside: u64,
        /// Voxels that are not a number, likewise.
        pub next_not_a_number: u64,
        /// Bits of the largest change, likewise.
        pub next_change: u64,
        /// Bits of the speeds of three passes that look for the length of a step.
        pub speeds: [u64; 3],
        /// Of coefficients, in the pass under way; bits: `NOT_FINITE`, `BELOW_ZERO`.
        pub flaws: u32,
        /// Blocks that are done with the pass.
        pub blocks_done: u32,
        /// Blocks at barriers of the grid.
        pub arrived: u32,
        /// Whether the interface leaves the range of tiles.
        pub out_of_range: u32,
        /// Whether values changed, in a pass of distances.
        pub changed: u32,
        /// Claims of tiles to come.
        pub claims: u32,
    }

    /// Bit of `stirred`: what a tile asks for has changed.
    pub const STIRRED: u32 = 1;
    /// Bit of `stirred`: a tile that the next step needs is missing.
    pub const PRESSING: u32 = 2;
    /// The same as the pass under way sees it, which may not be the last one before that step.
    pub const PRESSING_NOW: u32 = 4;

    /// Bit of `flaws`: a coefficient is infinite or not a number.
    pub const NOT_FINITE: u32 = 1;
    /// Bit of `flaws`: a curvature coefficient is negative.
    pub const BELOW_ZERO: u32 = 2;

    /// Addresses of the lists of tiles. Those with two parts are in the order of keys: the control block says which part is
    /// current.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct TileGridArgument as TileGrid {
        /// One [`TileControl`].
        pub control: u64 as "TileControl *",
        /// `[2][capacity]`
        pub keys: [u64; 2] as "u64 *",
        /// `[2][capacity]`
        pub ids: [u64; 2] as "u32 *",
        /// `[2][capacity]` bit d: the neighbor in direction d is missing, and inside.
        pub borders: [u64; 2] as "u32 *",
        /// `[2][capacity]` what tiles ask for.
        pub activity: [u64; 2] as "u32 *",
        /// `[8][capacity]` where the rows round that of the tile begin in the list.
        pub rows: u64 as "u32 *",
        /// `[capacity]` bit d: the neighbor in direction d is there.
        pub present: u64 as "u32 *",
        /// `[capacity][19]` what a pass knows of the neighbors of a tile (near.cuh), which scratch of a change shares; null
        /// where ids do not stand together.
        pub near: u64 as "u32 *",
        /// `[capacity]` by id: the update a tile came with.
        pub born: u64 as "u32 *",
        /// `[capacity]` unused ids; the last is taken first.
        pub free: u64 as "u32 *",
        /// `[capacity]` new positions of tiles that came with the last change; bit 31 if inside.
        pub created_at: u64 as "u32 *",
        /// `[2][blocks]` tiles that go and tiles that ask.
        pub block_counts: u64 as "u32 *",
        /// Tiles and ids there is room for.
        pub capacity: u32,
        /// Zero.
        pub padding: u32,
    }
}

impl TileControl {
    /// Why steps stopped.
    pub fn halt(&self) -> Halt {
        Halt::of_code(self.halt).unwrap_or(Halt::Broken)
    }

    /// Whether voxels of tiles with edge `E` have both signs.
    pub fn has_interface<const E: usize>(&self) -> bool {
        self.inside > 0 && self.inside < u64::from(self.n_tiles) * (E * E * E) as u64
    }
}
