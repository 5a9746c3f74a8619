//! Estimates of the number of tiles at the start of a run and of their memory. Coarser grids are
//! used if counting all tiles would take too long.

use std::fmt;

use super::TiledCase;
use super::source::Source;
use crate::error::Result;
use crate::grid::{Stored, TiledGrid};
use crate::levelset::tiled::Wide;
use crate::run::device::{Device, Size};
use crate::run::memory;

/// Largest number of tiles that are inspected to count the tiles at the interface. Inspecting them
/// takes about a second.
const COUNTED: f64 = 2.5e5;

/// An estimate requires that the searched grid has at least `FEWEST` tiles, and at least `GROWTH`
/// times the tiles of the next coarser grid. The growth is four if every component is resolved, and
/// up to eight if the components fill the box.
const FEWEST: usize = 64;
const GROWTH: usize = 3;

/// The estimate extrapolates only from grids that are fewer than this many levels coarser than the
/// grid of the case.
const COARSEST: u32 = 31;

/// The tiles at the start, on the grid on which the run begins.
pub(super) struct Expected {
    tiles: u64,
    /// Whether the tiles were counted on this grid.
    is_counted: bool,
    edge: usize,
    dx: f64,
    /// Number of levels from this grid to the grid of the case. Each level halves the voxel
    /// spacing.
    finer: u32,
}

impl Expected {
    /// Returns the size of the problem. Each finer grid has four times as many voxels near a
    /// surface.
    pub fn size(&self) -> Size {
        let voxels = (self.edge.pow(3) as u64) << (2 * self.finer);
        let voxels = self.tiles.saturating_mul(voxels);
        Size::Voxels(usize::try_from(voxels).unwrap_or(usize::MAX))
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Expected { tiles, is_counted, edge, dx, .. } = self;
        match is_counted {
            true => write!(f, "{tiles}")?,
            // The estimate has an accuracy of two digits.
            false => write!(f, "about {:.1e}", *tiles as f64)?,
        }
        write!(f, " of {edge}^3 voxels, dx {dx}")
    }
}

impl TiledCase<'_> {
    /// Describes `tiles` tiles on the grid on which the run begins.
    fn begin_with<const E: usize>(&self, tiles: u64, is_counted: bool) -> Expected {
        let finer = self.source.levels - 1;
        Expected { tiles, is_counted, edge: E, dx: self.coarse(finer).dx, finer }
    }

    /// Describes the tiles of a grid.
    pub(super) fn counted<const E: usize>(&self, grid: &TiledGrid<E>) -> Expected {
        self.begin_with::<E>(grid.n_tiles() as u64, true)
    }

    /// Estimates the number of tiles with which the run begins if finding all of them would take
    /// too long.
    ///
    /// The estimate extrapolates from the finest grid that can be searched in about a second: each
    /// finer grid has four times as many tiles at a surface. Returns `None` if the tiles can be
    /// counted directly, or if no grid is coarse enough for such a search. Also returns `None` if
    /// the searched grid has fewer than [`FEWEST`] tiles, or less than [`GROWTH`] times the tiles
    /// of the next coarser grid. In these cases, its voxels do not resolve the shape.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if the run does not fit in memory. Returns
    /// the errors of [`TiledCase::start`] about boxes. Returns [`Error::Case`](crate::Error::Case)
    /// for points beyond the range of tiles.
    pub(super) fn expected<R: Wide, S: Stored<R>, const E: usize>(
        &self,
        source: &Source,
    ) -> Result<Option<Expected>> {
        let first = self.source.levels - 1;
        let bounds = self.bounds(source)?;
        let is_mesh = matches!(source, Source::Mesh(_));
        if !is_mesh {
            self.on(&self.coarse(first)).tiles::<E>(bounds)?;
        }
        self.in_range::<E>(bounds)?;
        let looked_at = |level: u32| {
            let n = self.on(&self.coarse(level)).tiles_of_box::<E>(bounds).2;
            // The tiles of a mesh are found from its triangles. Therefore, the number of inspected
            // tiles is about the number of tiles on the faces of the box.
            if is_mesh { 6.0 * n.powf(2.0 / 3.0) } else { n }
        };
        if looked_at(first) <= COUNTED {
            return Ok(None);
        }
        let is_cheap = |level: &u32| looked_at(*level) <= COUNTED;
        let Some(level) = (first + 1..COARSEST).find(is_cheap) else { return Ok(None) };
        // A grid that is too coarse for a shape counts as having no tiles.
        let seen = |level: u32| {
            let found = self.on(&self.coarse(level)).fill::<R, S, E>(source);
            found.map_or(0, |(grid, ..)| grid.n_tiles())
        };
        let (n, coarser) = (seen(level), seen(level + 1));
        if n < FEWEST || coarser == 0 || n < GROWTH * coarser {
            return Ok(None);
        }
        let tiles = n as f64 * 4_f64.powi((level - first) as i32);
        let expected = self.begin_with::<E>(tiles as u64, false);
        self.check_memory::<S, E>(&expected, 0)?;
        Ok(Some(expected))
    }

    /// Returns the number of bytes of host memory that the tiles take while the interface moves. If
    /// the run is on a GPU, the host only creates the tiles.
    pub(super) fn bytes<S, const E: usize>(&self, expected: &Expected) -> u64 {
        // Each stored value of a coefficient takes 16 bits.
        let kept = self.arrays.components() * 2 * (E * E * E) as u64;
        let (arrays, kept) = match Device::is_gpu(self.config, expected.size()) {
            true => (1, 0),
            false => (self.options().arrays(), kept),
        };
        memory::of_tiles(expected.tiles, E * E * E, size_of::<S>(), arrays)
            .saturating_add(expected.tiles.saturating_mul(kept))
    }

    /// Refuses a run that does not fit in memory. `held` bytes of its memory are already allocated.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if there is not enough memory.
    pub(super) fn check_memory<S, const E: usize>(
        &self,
        expected: &Expected,
        held: u64,
    ) -> Result<()> {
        let what = format!("the tiles of this run, {expected},");
        memory::check_tiles(&what, self.bytes::<S, E>(expected), held)
    }
}
