//! Level-set evolution on regular grids of blocks, used for sparse tiles (docs/tiles.md, section
//! 8).
//!
//! ```text
//! phi_t = - F |grad phi| - U . grad phi + alpha kappa |grad phi|
//! ```
//!
//! The signs are those of [`evolution`](super::evolution): F > 0 makes the inside (phi < 0) grow,
//! and alpha > 0 shrinks a sphere. The unit of length is one voxel. Source: A. C. Jalba, W. J. van
//! der Laan, J. B. T. M. Roerdink, "Fast sparse level sets on graphics hardware", IEEE Transactions
//! on Visualization and Computer Graphics 19 (2013), sections 3.1 and 3.3.4, with the corrections
//! of docs/tiles.md.
//!
//! ```text
//! formulas                 the schemes at one voxel
//! lanes                    vector types that hold several voxels
//! neighborhood             a group of voxels and the voxels around it
//! block                    the rate of change on a block
//! direct_reinitialization  distances on a block, by the eikonal equation
//! terms                    coefficients as the caller passes them
//! coefficients             coefficients on a block, and the speed that bounds the time step
//! stationary_coefficients  coefficients that do not depend on time, stored with the blocks
//! options                  the choice of schemes
//! blocks                   the grid interface that a motion needs
//! motion                   the time step, on any grid of blocks
//! breakdown                why a step failed
//! evolution                the motion on sparse tiles
//! snapshot                 saving and restoring the motion
//! steady_state             how far the interface moved, and whether it has stopped
//! ```

pub mod block;
mod blocks;
mod breakdown;
mod coefficients;
#[doc(hidden)]
pub mod cuda;
pub mod direct_reinitialization;
pub mod evolution;
pub mod formulas;
pub mod lanes;
mod motion;
mod neighborhood;
mod options;
mod snapshot;
mod stationary_coefficients;
pub mod steady_state;
mod terms;

// These are not part of the public interface. `tests/support/dense.rs` uses them for an evolution
// on a dense box, the reference for tiles.
#[doc(hidden)]
pub use blocks::Blocks;
pub use breakdown::{Breakdown, Cause, What};
pub use evolution::TiledEvolution;
pub use lanes::Wide;
#[doc(hidden)]
pub use motion::Motion;
pub use motion::{Seconds, StepInfo};
pub use neighborhood::Around;
pub use options::{MOST_GAMMA, Options, Reinitialize, Scheme, Time};
pub use snapshot::{Phi, SavedNumber, TiledSnapshot};
pub use terms::{Coefficient, Fill, SampleFill, Terms};
