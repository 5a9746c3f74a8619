//! What moves on tiles, on either device, as the time loop sees it.

use super::Job;
use super::failure::Named;
use crate::error::Result;
use crate::grid::{Band, Pool, Stored, TiledGrid};
use crate::levelset::evolution::{Advance, Stretch};
use crate::levelset::tiled::{Kept, Seconds, Terms, TiledEvolution, TiledSnapshot, Wide};
use crate::mesh::Mesh;
use crate::run::device::Card;
use crate::surface::cubes::{Placement, Tiles, extract};

/// What a motion begins with.
pub(super) enum Start<S, const E: usize> {
    /// Tiles and values; phi is made a distance first if it may be none.
    Tiles { grid: Box<TiledGrid<E>>, phi: Pool<S, E>, is_distance: bool },
    /// The state of a run that stopped early.
    Snapshot(TiledSnapshot),
}

impl<S, const E: usize> Start<S, E> {
    /// Whether phi is a distance already.
    pub fn is_distance(&self) -> bool {
        !matches!(self, Start::Tiles { is_distance: false, .. })
    }
}

/// What was done of a stretch of steps.
pub(super) struct Done {
    /// Rates in voxels per time.
    pub advance: Advance,
    /// Whether both signs are left.
    pub has_interface: bool,
    pub voxel_updates: u64,
    pub reinitializations: u64,
}

/// The tiles and their values, here.
pub(super) struct Seen<'a, R, S, const E: usize> {
    pub grid: &'a TiledGrid<E>,
    pub phi: &'a Pool<S, E>,
    /// What a voxel of the band lies below.
    pub band: Band<R>,
    /// Half width of the band, voxels.
    pub gamma: R,
}

/// What phi is on all tiles, in voxels.
pub(super) struct Range<R> {
    /// The smallest and the largest; 0 where there are no tiles.
    pub low: R,
    pub high: R,
    /// Voxels in the band.
    pub active: u64,
}

impl<R: Wide, S: Stored<R>, const E: usize> Seen<'_, R, S, E> {
    /// As surfaces are made from them.
    pub fn tiles(&self) -> Tiles<'_, R, S, E> {
        Tiles { grid: self.grid, phi: self.phi, band: self.band }
    }

    fn range(&self) -> Range<R> {
        let (phi, gamma) = (self.phi, self.band.gamma);
        let start = (0, R::INFINITY, R::narrow(f64::NEG_INFINITY));
        let join = |a: (u64, R, R), b: (u64, R, R)| (a.0 + b.0, a.1.min(b.1), a.2.max(b.2));
        let of_tile = |tile: &crate::grid::Tile| {
            phi.tile(tile.id)
                .iter()
                .map(|v| v.load(gamma))
                .fold(start, |all, v| join(all, (u64::from(v.abs() < gamma), v, v)))
        };
        let all = self.grid.fold(of_tile, join);
        let (active, low, high) = all.unwrap_or((0, R::zero(), R::zero()));
        Range { low, high, active }
    }
}

/// A motion on tiles.
pub(super) trait TiledMotion<R: Wide, S: Stored<R> + Kept, const E: usize> {
    /// Steps of a stretch, one at least; its rate is in voxels per time.
    ///
    /// # Errors
    /// Those of [`TiledEvolution::step`]; where a voxel is known, it is named in world units.
    fn advance(&mut self, stretch: &Stretch) -> Result<Done>;

    /// Tiles and values of now.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if a card fails.
    fn look(&mut self) -> Result<Seen<'_, R, S, E>>;

    /// The interface in world units.
    ///
    /// # Errors
    /// Those of [`extract`]; [`Error::Device`](crate::Error::Device) if a card fails.
    fn surface(&mut self, placement: &Placement, normals: bool) -> Result<Mesh> {
        extract(&self.look()?.tiles(), placement, normals)
    }

    /// The range of phi over all tiles.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if a card fails.
    fn range(&mut self) -> Result<Range<R>> {
        Ok(self.look()?.range())
    }

    /// Number of tiles of now.
    fn n_tiles(&self) -> usize;

    /// Bytes held by tiles and values.
    fn bytes(&self) -> u64;

    /// Seconds spent so far.
    fn seconds(&self) -> Seconds;

    /// The state between two steps.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if a card fails.
    fn snapshot(&self) -> Result<TiledSnapshot>;
}

impl Job<'_> {
    /// A motion on the card, or on the processor where there is none.
    ///
    /// # Errors
    /// Those of [`TiledEvolution::new`] and [`TiledEvolution::resume`]; [`Error::Device`](crate::Error::Device)
    /// if the card has too little memory.
    pub(super) fn motion<'a, R: Wide, S: Stored<R> + Kept, const E: usize>(
        &'a self,
        card: Option<&Card>,
        start: Start<S, E>,
    ) -> Result<Box<dyn TiledMotion<R, S, E> + 'a>> {
        match card {
            Some(card) => self.on_card(card, start),
            None => {
                let evolution = self.on_cpu(start)?;
                Ok(Box::new(OnCpu { evolution, named: self.named() }))
            }
        }
    }

    /// A motion on the processor.
    pub(super) fn on_cpu<R: Wide, S: Stored<R> + Kept, const E: usize>(
        &self,
        start: Start<S, E>,
    ) -> Result<TiledEvolution<R, E, S>> {
        self.with_terms(start, &self.terms::<R>()?)
    }

    /// The same with other terms than those of the case.
    pub(super) fn with_terms<R: Wide, S: Stored<R> + Kept, const E: usize>(
        &self,
        start: Start<S, E>,
        terms: &Terms<R>,
    ) -> Result<TiledEvolution<R, E, S>> {
        let (options, cpu) = (self.options(), self.cpu.clone());
        match start {
            Start::Tiles { grid, phi, is_distance } => {
                let mut evolution = TiledEvolution::new(*grid, phi, terms, options, cpu)?;
                if !is_distance {
                    evolution.redistance()?;
                }
                Ok(evolution)
            }
            Start::Snapshot(snapshot) => TiledEvolution::resume(snapshot, terms, options, cpu),
        }
    }
}

/// A motion on the processor.
pub(super) struct OnCpu<'a, R: Wide, S: Stored<R>, const E: usize> {
    pub evolution: TiledEvolution<R, E, S>,
    /// Names the voxel where a step broke down.
    pub named: Named<'a>,
}

impl<R: Wide, S: Stored<R> + Kept, const E: usize> TiledMotion<R, S, E> for OnCpu<'_, R, S, E> {
    fn advance(&mut self, stretch: &Stretch) -> Result<Done> {
        let step = self.evolution.step(stretch.largest_step());
        let step = step.map_err(|error| match self.evolution.breakdown() {
            Some(found) => self.named.error(found),
            None => error,
        })?;
        Ok(Done {
            advance: stretch.after(step.dt, step.rate),
            has_interface: step.has_interface,
            voxel_updates: step.active_voxels,
            reinitializations: u64::from(step.reinitialized),
        })
    }

    fn look(&mut self) -> Result<Seen<'_, R, S, E>> {
        let evolution = &self.evolution;
        let (grid, phi) = (evolution.grid(), evolution.phi());
        Ok(Seen { grid, phi, band: evolution.band(), gamma: evolution.half_width() })
    }

    fn n_tiles(&self) -> usize {
        self.evolution.grid().n_tiles()
    }

    fn bytes(&self) -> u64 {
        self.evolution.bytes()
    }

    fn seconds(&self) -> Seconds {
        self.evolution.seconds()
    }

    fn snapshot(&self) -> Result<TiledSnapshot> {
        self.evolution.snapshot()
    }
}
