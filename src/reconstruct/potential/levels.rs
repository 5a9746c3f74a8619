//! Moves the level set on grids from the coarsest to the finest.

use std::sync::Arc;
use std::time::Instant;

use super::droplets;
use super::field::{Rest, velocity};
use super::fit_residual::at_samples;
use super::memory;
use super::octree::Octree;
use super::octree_cube::Frame;
use super::options::{Options, Storage};
use super::report::{Level, Levels};
use crate::Cpu;
use crate::error::{Error, Result};
use crate::grid::{Band, Fixed16, Pool, Stored, TiledGrid};
use crate::levelset::tiled::steady_state::Interface;
use crate::levelset::tiled::{
    self, Coefficient, Reinitialize, Seconds, StepInfo, Terms, TiledEvolution,
};
use crate::mesh::Mesh;
use crate::surface::cubes::{Tiles, extract};

/// Voxels along the edge of a tile, and the number of levels between a tile and a voxel.
pub(super) const EDGE: usize = 4;
pub(super) const EDGE_LEVELS: u32 = 2;
/// Half width of the narrow band, in voxels: enough for first-order differences.
pub(super) const GAMMA: f32 = 1.5;
/// The band around the interface in which tiles are kept.
pub(super) const BAND: Band<f32> = Band { gamma: GAMMA, reach: 1 };
/// The CFL factor nu.
pub(super) const NU: f64 = 0.9;
/// Factor of the term that keeps phi close to a signed distance. Fronts that meet at the samples
/// make phi steep.
pub(super) const RESCALING: f64 = 1.0;
/// Distance from the samples, in voxels, at which the interface stops on all levels but the finest.
pub(super) const HULL: f64 = 1.0;
/// Distance between the box of the samples and the initial interface, in voxels.
const MARGIN: f64 = 2.5;
/// Size in voxels: a component smaller than this along every axis is a droplet around single
/// samples.
pub(super) const DROPLET: f64 = 2.0;
/// Steps between checks for a steady state. A front at full speed moves by two voxels in this
/// number of steps.
pub(super) const LOOK: u64 = 8;
/// One in this many tiles may still move in a steady state.
pub(super) const MOVING: usize = 200;

/// Factor by which the number of tiles grows from one level to the next. A surface passes through
/// four times as many tiles on the next level.
const FINER: u64 = 4;

/// Tiles and the values of phi on them.
pub(super) type Grid<S> = (TiledGrid<EDGE>, Pool<S, EDGE>);

/// Reconstructs a closed surface around samples, `[n]`, in their coordinates, with outward normals.
/// Also returns a report.
///
/// It runs in the caller's thread pool. Results are bitwise identical for any number of threads.
///
/// Parts of the inside thinner than about two voxels of the finest level are lost, and so are
/// samples that enclose nothing. Isolated samples do not hold the surface in place.
///
/// # Errors
/// Returns [`Error::Case`] for options out of range, if there are no samples, if all of them
/// coincide, or if one is not finite. Returns [`Error::Device`] if there is not enough memory, in
/// most cases before the first step. That error states how many bytes are needed and how many are
/// free. Returns [`Error::Numerical`] if the samples enclose nothing.
///
/// ```
/// use zeroset::reconstruct::potential::{Options, reconstruct};
///
/// let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
/// let on_sphere = |k: i32| {
///     let z = 1.0 - (f64::from(k) + 0.5) / 1000.0;
///     let (r, angle) = ((1.0 - z * z).sqrt(), golden * f64::from(k));
///     [r * angle.cos(), r * angle.sin(), z]
/// };
/// let points: Vec<[f64; 3]> = (0..2000).map(on_sphere).collect();
/// let (mesh, levels) = reconstruct(&points, &Options::of_depth(5))?;
/// let voxel = levels.voxel;
/// let off = |x: &[f64; 3]| (x.iter().map(|c| c * c).sum::<f64>().sqrt() - 1.0).abs();
/// assert!(mesh.vertices.iter().all(|x| off(x) < 0.5 * voxel));
/// # Ok::<(), zeroset::Error>(())
/// ```
pub fn reconstruct(points: &[[f64; 3]], options: &Options) -> Result<(Mesh, Levels)> {
    options.check()?;
    let start = Instant::now();
    let frame = Frame::new(points, options.depth)?;
    let tree = Arc::new(Octree::new(points, frame)?);
    let mut levels = Levels {
        samples: points.len(),
        merged: points.len() - tree.n_cells(),
        voxel: frame.voxel,
        octree_seconds: start.elapsed().as_secs_f64(),
        ..Levels::default()
    };
    let run = Run { tree, options };
    let mesh = match options.storage {
        Storage::Single => run.all::<f32>(&mut levels)?,
        Storage::Sixteen => run.all::<Fixed16>(&mut levels)?,
    };
    Ok((mesh, levels))
}

struct Run<'a> {
    tree: Arc<Octree>,
    options: &'a Options,
}

impl Run<'_> {
    fn all<S: Stored<f32>>(&self, levels: &mut Levels) -> Result<Mesh> {
        let (first, last) = (self.options.first_level, self.options.depth);
        let (frame, samples) = (self.tree.frame(), self.tree.n_cells());
        let n_cubes = |level| Ok(self.tree.n_cubes(level));
        let tiles = memory::expected_tiles(frame, samples, n_cubes)?;
        let bytes = tiles * memory::SURFACE;
        levels.expected_bytes = self.tree.bytes() + bytes;
        memory::check(bytes, &format!("about {tiles} tiles at depth {last}"))?;
        let mut tiles = start::<S>(self.tree.frame(), first)?;
        for level in first..=last {
            let start = Instant::now();
            let mut done = Level { level, ..Level::default() };
            if level > first {
                room_for_finer::<S>(tiles.0.n_tiles() as u64, level)?;
                tiles = tiles.0.upsample(&tiles.1, GAMMA, BAND)?;
            }
            tiles = self.settle(tiles, &mut done)?;
            if level == last {
                tiles = self.smooth(tiles)?;
            }
            (done.tiles, done.seconds) = (tiles.0.n_tiles(), start.elapsed().as_secs_f64());
            let found = at_samples(&self.tree, level, &tiles.0, &tiles.1, GAMMA);
            let frame = self.tree.frame();
            let mean = found.sum / levels.samples as f64 * frame.edge(level);
            (done.error, done.outside) = (100.0 * mean / frame.diagonal(), found.outside);
            tracing::info!("level {level}: {} steps, {} tiles", done.iterations, done.tiles);
            levels.levels.push(done);
        }
        let start = Instant::now();
        let (grid, phi) = &tiles;
        let placement = self.tree.frame().placement(last);
        let mesh = extract(&Tiles { grid, phi, band: BAND }, &placement, false)?;
        drop(tiles);
        let left = droplets::without(mesh, DROPLET * self.tree.frame().voxel);
        finished(left, self.tree.frame(), start, levels)
    }

    /// Moves the interface of a level until it reaches a steady state or the largest number of
    /// steps is taken.
    fn settle<S: Stored<f32>>(&self, (grid, phi): Grid<S>, done: &mut Level) -> Result<Grid<S>> {
        let is_last = done.level == self.options.depth;
        let rest = if is_last { Rest::Ridge } else { Rest::Hull(HULL) };
        let velocity = velocity(self.tree.clone(), self.options.rule(), done.level, rest, EDGE);
        let mut terms = Terms::default().with_velocity(Coefficient::Stationary(velocity));
        if is_last {
            terms = terms.with_curvature(Coefficient::Uniform([self.options.curvature]));
        }
        let mut motion = motion(grid, phi, &terms, Reinitialize::Rescaling { factor: RESCALING })?;
        let mut before: Option<Interface<S, EDGE>> = None;
        while done.iterations < self.options.most_steps && !done.at_rest {
            for _ in 0..LOOK {
                let step = motion.step(f64::INFINITY)?;
                done.iterations += 1;
                self.check(&step, done.level)?;
            }
            let now = Interface::new(motion.grid(), motion.phi(), GAMMA);
            let moved = |before| now.n_tiles() - now.n_old(before, GAMMA);
            done.at_rest = before.as_ref().is_some_and(|b| moved(b) * MOVING <= now.n_tiles());
            before = Some(now);
        }
        if !done.at_rest {
            tracing::warn!("level {} is not steady after {} steps", done.level, done.iterations);
        }
        done.bytes = self.tree.bytes() + motion.bytes();
        let Seconds { blocks, speed, stages, .. } = motion.seconds();
        done.step_seconds = blocks + speed + stages;
        Ok(motion.into_parts())
    }

    /// Takes the last steps, by curvature only, if the options request any and the curvature weight
    /// is not 0.
    fn smooth<S: Stored<f32>>(&self, (grid, phi): Grid<S>) -> Result<Grid<S>> {
        let alpha = self.options.curvature;
        if self.options.smoothing_steps == 0 || alpha == 0.0 {
            return Ok((grid, phi));
        }
        let terms = Terms::default().with_curvature(Coefficient::Uniform([alpha]));
        let mut motion = motion(grid, phi, &terms, Reinitialize::Never)?;
        for _ in 0..self.options.smoothing_steps {
            self.check(&motion.step(f64::INFINITY)?, self.options.depth)?;
        }
        Ok(motion.into_parts())
    }

    /// Returns an error if the interface has vanished.
    fn check(&self, step: &StepInfo, level: u32) -> Result<()> {
        if step.has_interface {
            return Ok(());
        }
        Err(vanished(self.tree.frame(), step.step, level))
    }
}

/// Returns an error if there is not enough memory for `level`. The need is estimated from `tiles`,
/// the number of tiles on the level before it.
fn room_for_finer<S>(tiles: u64, level: u32) -> Result<()> {
    let all = FINER * tiles;
    let what = format!("about {all} tiles at level {level}");
    memory::check((all - tiles) * bytes_per_tile::<S>(), &what)
}

/// Returns the mesh of the finest level, or an error if it is empty. Records the number of removed
/// components and the time since `start`.
pub(super) fn finished(
    (mesh, dropped): (Mesh, usize),
    frame: &Frame,
    start: Instant,
    levels: &mut Levels,
) -> Result<Mesh> {
    (levels.mesh_seconds, levels.droplets) = (start.elapsed().as_secs_f64(), dropped);
    if mesh.cells.is_empty() {
        let steps = levels.levels.last().map_or(0, |done| done.iterations);
        return Err(vanished(frame, steps, frame.depth));
    }
    Ok(mesh)
}

/// Returns the initial grid: the tiles near the faces of a box around the samples.
pub(super) fn start<S: Stored<f32>>(frame: &Frame, level: u32) -> Result<Grid<S>> {
    let half = frame.half_at(level).map(|half| (half + MARGIN) as f32);
    let last = half.map(|half| (half + 2.0 * GAMMA) as i32 / EDGE as i32 + 1);
    TiledGrid::from_box(last.map(|c| -c), last, BAND, |first, out: &mut [f32]| {
        for (n, out) in out.iter_mut().enumerate() {
            let at = [n % EDGE, n / EDGE % EDGE, n / (EDGE * EDGE)];
            let beyond: [f32; 3] =
                std::array::from_fn(|k| (first[k] + at[k] as i32).abs() as f32 - half[k]);
            let outside = beyond.iter().map(|b| b.max(0.0).powi(2)).sum::<f32>().sqrt();
            *out = outside + beyond.into_iter().fold(f32::MIN, f32::max).min(0.0);
        }
        Ok(())
    })
}

/// Returns the error for a surface that vanished after a number of steps on a level.
pub(super) fn vanished(frame: &Frame, steps: u64, level: u32) -> Error {
    let voxel = frame.voxel * frame.edge(level);
    Error::Numerical {
        what: format!(
            "the surface vanishes on level {level}, after {steps} steps on voxels of \
             {voxel:.3e}: the samples enclose nothing thicker than two voxels"
        ),
        remedy: "give samples of a closed surface, or use a larger depth or the method directed"
            .into(),
    }
}

/// Returns the options of the motion on a level.
pub(super) fn of_motion(reinitialize: Reinitialize) -> tiled::Options {
    tiled::Options::new(GAMMA.into()).first_order().with_nu(NU).with_reinitialize(reinitialize)
}

/// Creates the motion of a level from its terms.
fn motion<S: Stored<f32>>(
    grid: TiledGrid<EDGE>,
    phi: Pool<S, EDGE>,
    terms: &Terms<f32>,
    reinitialize: Reinitialize,
) -> Result<TiledEvolution<f32, EDGE, S>> {
    TiledEvolution::new(grid, phi, terms, of_motion(reinitialize), Arc::new(Cpu::current()))
}

/// Returns the number of bytes that a tile takes during the steps: lists, the velocity, and phi
/// before a step, after it and at the last check. An additional eighth allows for the growth of
/// lists.
fn bytes_per_tile<S>() -> u64 {
    let voxels = (EDGE * EDGE * EDGE) as u64;
    let lists = 21 + 4 + 12;
    (lists + voxels * (3 * size_of::<S>() as u64 + 6)) * 9 / 8
}
