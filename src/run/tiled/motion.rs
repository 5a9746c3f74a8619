//! The motion of an interface on tiles, on the CPU or a GPU.

use super::solver::{Range, Seen, TiledSolver};
use super::states::TiledState;
use crate::config::OutputVolume;
use crate::error::{Error, Result};
use crate::grid::Stored;
use crate::levelset::evolution::{Advance, StepTarget, Totals};
use crate::levelset::tiled::{SavedNumber, Wide};
use crate::mesh::Mesh;
use crate::output::checkpoint::{self, Work};
use crate::output::{Measures, SurfaceCounts, TileCounts};
use crate::primitives::memory;
use crate::run::motion::{LateState, Motion, State};
use crate::surface::cubes::{self, Placement, Records, components};
use crate::surface::drop_flat;
use crate::volume::{self, Samples, Volume};

/// Largest number of voxels in a dense volume (8 GiB of 32-bit values).
const MOST_VOXELS: u64 = 1 << 31;

/// A motion on tiles, whose data is written to files in world units.
pub(super) struct TiledMotion<'a, R: Wide, S: Stored<R> + SavedNumber, const E: usize> {
    solver: TiledSolver<'a, R, S, E>,
    placement: Placement,
    /// The box of dense volumes, if states contain one.
    volume: Option<&'a OutputVolume>,
    work: Work,
}

impl<'a, R: Wide, S: Stored<R> + SavedNumber, const E: usize> TiledMotion<'a, R, S, E> {
    /// Creates a motion. `work` is the work done before the first step.
    pub fn new(
        solver: TiledSolver<'a, R, S, E>,
        (placement, volume): (Placement, Option<&'a OutputVolume>),
        work: Work,
    ) -> Self {
        let mut new = TiledMotion { solver, placement, volume, work };
        new.note_size();
        new
    }

    /// Returns the interface in world units. Degenerate triangles, which occur where phi is 0 at a
    /// voxel, are removed.
    fn surface(&mut self, normals: bool) -> Result<Mesh> {
        let mut surface = self.solver.surface(&self.placement, normals)?;
        drop_flat(&mut surface);
        Ok(surface)
    }

    /// Returns the size of the interface, or `None` if the interface extends over too many voxels
    /// for records, or if memory runs out.
    fn surface_counts(&mut self) -> Option<SurfaceCounts> {
        let records = Records::new(&self.solver.look().ok()?.tiles()).ok()?;
        Some(SurfaceCounts::new(records.list.len(), records.triangles))
    }

    /// Refuses an `output.volume` that is too large. This check precedes all writing.
    ///
    /// # Errors
    /// Returns the errors of [`Room::of`].
    pub fn check_volume(&mut self) -> Result<()> {
        let Some(of) = self.volume else { return Ok(()) };
        let grid = self.solver.look()?.grid;
        Room::<R>::of(of, &self.placement, grid.extent().unwrap_or_default()).map(drop)
    }

    /// Returns phi in the box of `output.volume`.
    fn volume(&mut self, of: &OutputVolume) -> Result<Volume> {
        let Placement { origin, spacing } = self.placement;
        let Seen { grid, phi, gamma, .. } = self.solver.look()?;
        let Room { low, shape, mut values } =
            Room::of(of, &self.placement, grid.extent().unwrap_or_default())?;
        values.resize(shape.iter().product(), R::zero());
        grid.fill_box(phi, gamma, low, shape, &mut values)?;
        let values = values.into_iter().map(|v| (v.to_f64() * spacing) as f32).collect();
        let steps =
            std::array::from_fn(|k| std::array::from_fn(|j| if j == k { spacing } else { 0.0 }));
        let start = std::array::from_fn(|k| origin[k] + spacing * f64::from(low[k]));
        let mut volume = Volume::new(shape, Samples::F32(values), volume::Placement::identity())?
            .placed(start, steps)?;
        volume.name = "phi".into();
        Ok(volume)
    }

    fn note_size(&mut self) {
        self.work.most_tiles = self.work.most_tiles.max(self.solver.n_tiles() as u64);
        self.work.most_bytes = self.work.most_bytes.max(self.solver.bytes());
    }
}

/// Memory that is allocated for a dense volume.
pub(super) struct Room<R> {
    /// First voxel of the volume.
    low: [i32; 3],
    shape: [usize; 3],
    /// An empty vector with capacity for all voxels.
    values: Vec<R>,
}

impl<R> Room<R> {
    /// Allocates memory for the box of `output.volume`. Corners that the case does not give are
    /// those of the extent of all voxels, `low` to `high`.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if there are too many voxels. Returns [`Error::Device`] if there is
    /// not enough memory for them.
    pub fn of(
        of: &OutputVolume,
        placement: &Placement,
        (low, high): ([i32; 3], [i32; 3]),
    ) -> Result<Self> {
        let Placement { origin, spacing } = *placement;
        // The conversion saturates outside the range of integers. The size is checked below.
        let voxel = |k: usize, x: f64| ((x - origin[k]) / spacing).round() as i32;
        let corner = |given: &Option<[f64; 3]>, all: [i32; 3]| match given {
            Some(x) => std::array::from_fn(|k| voxel(k, x[k])),
            None => all,
        };
        let (low, high) = (corner(&of.min, low), corner(&of.max, high));
        let size = |k: usize| (i64::from(high[k]) - i64::from(low[k]) + 1).max(1) as u64;
        let n = (0..3).try_fold(1_u64, |n, k| n.checked_mul(size(k)));
        let Some(n) = n.filter(|&n| n <= MOST_VOXELS) else {
            let [x, y, z] = [size(0), size(1), size(2)];
            let what = format!(
                "output.volume has {x} x {y} x {z} voxels, but at most {MOST_VOXELS} are allowed"
            );
            let remedy = "give output.volume.min and max, or a larger domain.tiled.dx";
            return Err(Error::usage(what, remedy));
        };
        let mut values = Vec::new();
        memory::reserve(&mut values, n as usize, "a dense volume", "give a smaller output.volume")?;
        let shape = [size(0), size(1), size(2)].map(|n| n as usize);
        Ok(Room { low, shape, values })
    }
}

impl<R: Wide, S: Stored<R> + SavedNumber, const E: usize> Motion for TiledMotion<'_, R, S, E> {
    fn advance(&mut self, until: &StepTarget) -> Result<Advance> {
        let dx = self.placement.spacing;
        let in_voxels = StepTarget { steady: until.steady / dx, ..*until };
        let done = self.solver.advance(&in_voxels)?;
        self.work.is_extinct = !done.has_interface;
        self.work.voxel_updates += done.voxel_updates;
        self.work.reinitializations += done.reinitializations;
        self.note_size();
        Ok(Advance { rate: done.advance.rate * dx, ..done.advance })
    }

    fn is_extinct(&self) -> bool {
        self.work.is_extinct || self.solver.n_tiles() == 0
    }

    fn measure(&mut self) -> Result<Measures> {
        let dx = self.placement.spacing;
        let n_tiles = self.solver.n_tiles() as u64;
        let surface = self.surface(false)?;
        let (found, parts) = (cubes::Measures::of(&surface), components(&surface));
        let Range { low, high, active } = self.solver.range()?;
        Ok(Measures {
            interface: found.area,
            enclosed: found.volume.unwrap_or(f64::NAN),
            components: parts.outer as u64,
            // The Euler number of the inside is half that of its boundary surface.
            euler_number: found.euler_number.unwrap_or(0) / 2,
            band_vertices: active,
            active_patches: n_tiles,
            phi_min: low.to_f64() * dx,
            phi_max: high.to_f64() * dx,
            ..Measures::default()
        })
    }

    fn state(&mut self, step: u64, time: f64) -> Result<LateState> {
        let surface = self.surface(true)?;
        let volume = self.volume.map(|of| self.volume(of)).transpose()?;
        let state = State::Tiles(TiledState { step, time, surface, volume });
        Ok(LateState { state: Box::new(move || Ok(state)), snapshot: None })
    }

    fn view(&mut self, step: u64, time: f64) -> Result<State> {
        Ok(State::Tiles(TiledState { step, time, surface: self.surface(false)?, volume: None }))
    }

    fn snapshot(&mut self) -> Result<checkpoint::State> {
        Ok(checkpoint::State::Tiles(self.solver.snapshot()?, self.work))
    }

    fn interface(&mut self) -> Result<Vec<[f64; 3]>> {
        Ok(self.surface(false)?.vertices)
    }

    fn totals(&self) -> Totals {
        let seconds = self.solver.seconds();
        Totals {
            evolve_seconds: seconds.blocks + seconds.speed + seconds.stages,
            reinitialize_seconds: seconds.reinitialize,
            cell_updates: self.work.voxel_updates,
            reinitializations: self.work.reinitializations,
            iterations: 0,
            map_restarts: 0,
        }
    }

    fn tiles(&mut self, is_full: bool) -> Option<TileCounts> {
        Some(TileCounts {
            dx: self.placement.spacing,
            edge: E,
            first: 0,
            last: self.solver.n_tiles(),
            most: self.work.most_tiles as usize,
            bytes: self.work.most_bytes,
            surface: if is_full { None } else { self.surface_counts() },
        })
    }
}
