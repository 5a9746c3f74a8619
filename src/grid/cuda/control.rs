//! What steers steps on tiles on a card, as the kernels know it: `kernels/tiles/grid.cuh`.

use zeroset_core::Plain;

use crate::gpu::Argument;

/// Why steps stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Halt {
    /// They did not.
    #[default]
    Running,
    /// At the target, or all steps asked for are done.
    Arrived,
    /// No interface is left: all voxels have one sign.
    Gone,
    /// phi is not a number.
    Broken,
    /// Nothing moves, so the step has no limit.
    AtRest,
    /// The step is lost beside the time.
    Lost,
    /// A coefficient is infinite or not a number.
    BadCoefficient,
    /// A curvature coefficient is negative.
    Negative,
    /// There is no room for the tiles that are needed.
    NoRoom,
    /// The interface leaves the range of tiles.
    OutOfRange,
    /// Nothing changes faster than asked.
    Steady,
}

impl Halt {
    const ALL: [Halt; 11] = [
        Halt::Running,
        Halt::Arrived,
        Halt::Gone,
        Halt::Broken,
        Halt::AtRest,
        Halt::Lost,
        Halt::BadCoefficient,
        Halt::Negative,
        Halt::NoRoom,
        Halt::OutOfRange,
        Halt::Steady,
    ];
}

/// `struct TileControl` of the kernels: times, what comes next, and the tile set.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
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
    /// When the stretch began, nanoseconds of the card's clock.
    pub began: u64,
    /// Nanoseconds of the stretch up to the last step.
    pub elapsed: u64,
    /// Which array holds phi, the first and the second stage.
    pub at: [u32; 3],
    /// phi is to become a distance.
    pub due: u32,
    /// Why steps stopped, as a number.
    pub halt: u32,
    /// Bits: what a tile asks for has changed (1); a tile that the next step needs is missing (2).
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
    /// Of the pass under way.
    pub pass: Pass,
}

/// What only a pass knows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Pass {
    next: [u64; 4],
    speeds: [u64; 3],
    flaws: u32,
    blocks_done: u32,
    arrived: u32,
    out_of_range: u32,
    changed: u32,
    claims: u32,
}

// SAFETY: numbers only, laid out as in C.
unsafe impl Plain for TileControl {}

impl TileControl {
    /// Why steps stopped.
    pub fn halt(&self) -> Halt {
        Halt::ALL.get(self.halt as usize).copied().unwrap_or(Halt::Broken)
    }

    /// Whether voxels of tiles with edge `E` have both signs.
    pub fn has_interface<const E: usize>(&self) -> bool {
        self.inside > 0 && self.inside < u64::from(self.n_tiles) * (E * E * E) as u64
    }
}

/// `struct TileGrid` of the kernels: addresses of the lists.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct TileGridArgument {
    /// One [`TileControl`].
    pub control: u64,
    /// `[2][capacity]` u64.
    pub keys: [u64; 2],
    /// `[2][capacity]` u32.
    pub ids: [u64; 2],
    /// `[2][capacity]` u32.
    pub borders: [u64; 2],
    /// `[2][capacity]` u32.
    pub activity: [u64; 2],
    /// `[8][capacity]` u32.
    pub rows: u64,
    /// `[capacity]` u32.
    pub present: u64,
    /// `[capacity][19]` u32, which scratch of a change shares; 0 where ids do not stand together.
    pub near: u64,
    /// `[capacity]` u32.
    pub born: u64,
    /// `[capacity]` u32.
    pub free: u64,
    /// `[capacity]` u32.
    pub created_at: u64,
    /// Two u32 for each block of the kernel.
    pub block_counts: u64,
    /// Tiles and ids there is room for.
    pub capacity: u32,
    /// Zero.
    pub padding: u32,
}

// SAFETY: laid out as in C, and compared with the size the kernels know.
unsafe impl Argument for TileGridArgument {}
