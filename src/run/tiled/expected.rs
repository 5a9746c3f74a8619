//! How many tiles a run begins with, and what they take: told from coarser lattices where looking for
//! all of them takes long.

use std::fmt;

use super::TiledCase;
use super::start::Source;
use crate::error::Result;
use crate::grid::{Stored, TiledGrid};
use crate::levelset::tiled::Wide;
use crate::run::device::{Device, Size};
use crate::run::memory;

/// Most tiles that are looked at to count those of the interface: about a second.
const COUNTED: f64 = 2.5e5;

/// Fewest tiles that tell of finer lattices, and how many times those of the next coarser one they must be:
/// four where all parts are seen, up to eight where they fill the box.
const FEWEST: usize = 64;
const GROWTH: usize = 3;

/// Lattices this much coarser than that of the case are not looked at.
const COARSEST: u32 = 31;

/// Tiles at the start, on the lattice that the run begins on.
pub(super) struct Expected {
    tiles: u64,
    /// Whether these were seen on this lattice.
    is_counted: bool,
    edge: usize,
    dx: f64,
    /// Lattices to the one of the case, each finer than the one before.
    finer: u32,
}

impl Expected {
    /// What there is to compute: a surface has four times the voxels on the next finer lattice.
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
            // Two digits are what it is worth.
            false => write!(f, "about {:.1e}", *tiles as f64)?,
        }
        write!(f, " of {edge}^3 voxels, dx {dx}")
    }
}

impl TiledCase<'_> {
    /// So many tiles on the lattice that the run begins on.
    fn begin_with<const E: usize>(&self, tiles: u64, is_counted: bool) -> Expected {
        let finer = self.source.levels - 1;
        Expected { tiles, is_counted, edge: E, dx: self.coarse(finer).dx, finer }
    }

    /// What the tiles are that are there.
    pub(super) fn counted<const E: usize>(&self, grid: &TiledGrid<E>) -> Expected {
        self.begin_with::<E>(grid.n_tiles() as u64, true)
    }

    /// How many tiles the run begins with, where finding them takes long: from those of the finest
    /// lattice that takes about a second, as a surface has four times the tiles on the next finer
    /// one. `None` where they may as well be counted, and where that does not hold from the next coarser
    /// lattice to this one: what is smaller than its voxels is there or not by chance.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if the run does not fit into memory; what [`TiledCase::start`] says of boxes, and
    /// [`Error::Case`](crate::Error::Case) for places beyond all tiles.
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
            // Tiles of a mesh are found from its triangles: those of the sides of the box, about.
            if is_mesh { 6.0 * n.powf(2.0 / 3.0) } else { n }
        };
        if looked_at(first) <= COUNTED {
            return Ok(None);
        }
        let is_cheap = |level: &u32| looked_at(*level) <= COUNTED;
        let Some(level) = (first + 1..COARSEST).find(is_cheap) else { return Ok(None) };
        // What is too coarse for a shape says nothing about it.
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

    /// Bytes that tiles take here while the interface moves: on a GPU they are only made here.
    pub(super) fn bytes<S, const E: usize>(&self, expected: &Expected) -> u64 {
        // 16 bits for each value of a coefficient that is kept.
        let kept = self.arrays.components() * 2 * (E * E * E) as u64;
        let (arrays, kept) = match Device::is_gpu(self.config, expected.size()) {
            true => (1, 0),
            false => (self.options().arrays(), kept),
        };
        memory::of_tiles(expected.tiles, E * E * E, size_of::<S>(), arrays)
            .saturating_add(expected.tiles.saturating_mul(kept))
    }

    /// Refuses a run that does not fit, `held` bytes of which are there.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    pub(super) fn check_memory<S, const E: usize>(
        &self,
        expected: &Expected,
        held: u64,
    ) -> Result<()> {
        let what = format!("the tiles of this run, {expected},");
        memory::check_tiles(&what, self.bytes::<S, E>(expected), held)
    }
}
