//! Level sets on regular grids cut into blocks, of which sparse tiles are kept (numerics 8).
//!
//! ```text
//! phi_t = - F |grad phi| - U . grad phi + alpha kappa |grad phi|
//! ```
//!
//! with the signs of [`evolution`](super::evolution): F > 0 lets the inside (phi < 0) grow, alpha > 0
//! shrinks a sphere. The unit of length is one voxel. Source: A. C. Jalba, W. J. van der Laan, J. B.
//! T. M. Roerdink, "Fast sparse level sets on graphics hardware", IEEE Transactions on Visualization
//! and Computer Graphics 19 (2013), sections 3.1 and 3.3.4, with the corrections of numerics 12.
//!
//! ```text
//! formulas     one voxel of each scheme
//! lanes        several voxels side by side
//! group        voxels of a block with those round them
//! block        rate of change on a block
//! reinitialize   distances on a block, by the eikonal equation
//! terms        coefficients as they are handed in
//! coefficients coefficients of a block, and the length of a step
//! steady       coefficients of the place only, kept with the blocks
//! options      schemes
//! blocks       what a motion needs of a grid
//! motion       the time step, on any grid of blocks
//! breakdown    why a step failed
//! //! evolution    the motion on sparse tiles
//! snapshot     the same, put away and taken up again
//! rest         how far the interface went, and whether it stands still
//! ```

pub mod block;
mod blocks;
mod breakdown;
mod coefficients;
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

// No part of the interface: `tests/support/dense.rs` moves a full box by them, the oracle of tiles.
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
pub use terms::{Coefficient, Fill, Terms};
