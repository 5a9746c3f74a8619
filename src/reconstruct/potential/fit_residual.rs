//! Measures how far samples are from the interface, using phi at their positions.

use super::octree::Octree;
use crate::grid::{Pool, Stored, TileKey, TiledGrid};
use crate::parallel::*;

/// Samples per task.
const CHUNK: usize = 4096;

/// Sums of phi at the samples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct AtSamples {
    /// Sum of |phi|, in voxels of the level.
    pub sum: f64,
    /// Number of samples where |phi| equals the half width of the band. Their distance is at least
    /// the half width.
    pub outside: usize,
}

/// Evaluates phi at all samples of a tree, on the tiles of a level. Between voxels, phi is linear
/// along each axis.
pub(super) fn at_samples<S: Stored<f32>, const E: usize>(
    tree: &Octree,
    level: u32,
    grid: &TiledGrid<E>,
    phi: &Pool<S, E>,
    gamma: f32,
) -> AtSamples {
    let scale = (1.0 / tree.frame().edge(level)) as f32;
    let chunks = tree.samples().par_chunks(CHUNK).map(|samples| {
        let mut view = View { grid, phi, gamma, last: None };
        let mut found = AtSamples::default();
        for sample in samples {
            let value = view.at(sample.map(|u| u * scale)).abs();
            found.sum += f64::from(value);
            found.outside += usize::from(value >= gamma);
        }
        found
    });
    // Sum in the order of the samples, which does not depend on the number of threads.
    let all: Vec<AtSamples> = chunks.collect();
    all.into_iter().fold(AtSamples::default(), |a, b| AtSamples {
        sum: a.sum + b.sum,
        outside: a.outside + b.outside,
    })
}

/// Evaluates phi at any position, and remembers the last tile.
struct View<'a, S, const E: usize> {
    grid: &'a TiledGrid<E>,
    phi: &'a Pool<S, E>,
    gamma: f32,
    /// The last tile, and its id if it exists.
    last: Option<(TileKey, Option<u32>)>,
}

impl<S: Stored<f32>, const E: usize> View<'_, S, E> {
    fn at(&mut self, u: [f32; 3]) -> f32 {
        let low = u.map(|u| u.floor());
        let part: [f32; 3] = std::array::from_fn(|k| u[k] - low[k]);
        let low = low.map(|u| u as i32);
        let mut sum = 0.0;
        for corner in 0..8 {
            let is_high = |k: usize| corner >> k & 1;
            let weight = |k: usize| if is_high(k) == 1 { part[k] } else { 1.0 - part[k] };
            let voxel = std::array::from_fn(|k| low[k] + is_high(k));
            sum += weight(0) * weight(1) * weight(2) * self.voxel(voxel);
        }
        sum
    }

    fn voxel(&mut self, voxel: [i32; 3]) -> f32 {
        // Samples lie in the cube, well within the range of tiles.
        let Ok(key) = TileKey::of_voxel(voxel, E) else { return self.gamma };
        let id = match self.last {
            Some((last, id)) if last == key => id,
            _ => self.grid.find(key).map(|place| self.grid.ids()[place]),
        };
        self.last = Some((key, id));
        let Some(id) = id else {
            return if self.grid.missing_is_inside(key) { -self.gamma } else { self.gamma };
        };
        let [x, y, z] = voxel.map(|v| v.rem_euclid(E as i32) as usize);
        self.phi.tile(id)[(z * E + y) * E + x].load(self.gamma)
    }
}
