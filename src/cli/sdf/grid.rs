//! Signed distances on a grid.

use rayon::prelude::*;

use super::{Args, Corners, Found, MOST, Report, Surface, Warnings, positive};
use crate::cli::progress::Amount;
use crate::error::{Error, Result};
use crate::io::{WriteOptions, check_volume_target, write_volume};
use crate::primitives::memory;
use crate::volume::{Placement, Samples, Volume};

/// The number of voxels along the longest side without --size and --spacing.
const DEFAULT_SIZE: u32 = 128;
/// The number of voxels along the edge of a block. Neighboring points in a block share work.
const BLOCK: usize = 8;

/// Returns an error if the output cannot be written, or if an option is out of range.
pub(super) fn check(args: &Args) -> Result<()> {
    check_volume_target(&args.output, &options(args)?)?;
    positive("--spacing", args.spacing)?;
    positive("--band", args.band)
}

fn options(args: &Args) -> Result<WriteOptions> {
    Ok(WriteOptions::default().compression(args.compressed.of(&[&args.output])?))
}

/// The voxels of a grid.
struct Grid {
    shape: [usize; 3],
    /// The center of the first voxel.
    origin: [f64; 3],
    spacing: f64,
}

impl Grid {
    fn new(args: &Args, surface: &Surface) -> Result<Self> {
        let (low, high) = surface.solid.bounds();
        let Corners { low, high } = args.region.unwrap_or(Corners { low, high });
        let longest = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
        let size = args.size.unwrap_or(DEFAULT_SIZE);
        let spacing = args.spacing.unwrap_or(longest / f64::from(size));
        let margin = if args.region.is_some() { 0.0 } else { f64::from(args.margin) };
        let along = |k: usize| ((high[k] - low[k]) / spacing - 1e-9).ceil() + 2.0 * margin + 1.0;
        let counts: [f64; 3] = std::array::from_fn(along);
        if spacing == 0.0 {
            let what = "the box to cover is a single point, so --size gives no spacing";
            return Err(Error::usage(what, "give --spacing, or a larger --box"));
        }
        let most = f64::from(MOST) + 2.0 * margin + 1.0;
        // The comparison is written so that NaN is refused.
        if !(spacing > 0.0 && counts.iter().all(|n| *n <= most)) {
            let what = format!("{:.0} voxels of {spacing} along a side", longest / spacing);
            let remedy = format!("use larger voxels, at most {MOST} along a side");
            return Err(Error::usage(what, remedy));
        }
        let origin = low.map(|x| x - margin * spacing);
        Ok(Grid { shape: counts.map(|n| n as usize), origin, spacing })
    }

    fn point(&self, voxel: [usize; 3]) -> [f64; 3] {
        std::array::from_fn(|k| self.origin[k] + voxel[k] as f64 * self.spacing)
    }

    fn volume(&self, samples: Samples, name: &str, surface: &Surface) -> Result<Volume> {
        let h = self.spacing;
        let steps = [[h, 0.0, 0.0], [0.0, h, 0.0], [0.0, 0.0, h]];
        let volume = Volume::new(self.shape, samples, Placement::identity())?;
        let mut volume = volume.placed(self.origin, steps)?;
        volume.name = name.into();
        volume.units = surface.units.clone();
        Ok(volume)
    }
}

/// A list with a number for each voxel.
fn reserved<T: Clone>(n: usize, value: T) -> Result<Vec<T>> {
    let mut list = Vec::new();
    memory::reserve(&mut list, n, "voxels", "use larger voxels, or a smaller --box")?;
    list.resize(n, value);
    Ok(list)
}

/// Computes and writes the distances, and the normals and triangles if they are requested.
pub(super) fn run(args: &Args, surface: &Surface, warnings: &mut Warnings) -> Result<Report> {
    let grid = Grid::new(args, surface)?;
    let [nx, ny, nz] = grid.shape;
    let n = nx.saturating_mul(ny).saturating_mul(nz);
    let mut values = reserved(n, 0.0_f64)?;
    let axes = if args.normals { 3 } else { 0 };
    let mut normals: Vec<Vec<f32>> =
        (0..axes).map(|_| reserved(n, 0.0_f32)).collect::<Result<_>>()?;
    let mut triangles = reserved(if args.triangles { n } else { 0 }, 0_u32)?;
    let (mut undecided, mut inverted) = (0, 0);
    let progress = Amount::new(warnings.ui, "voxels", n as u64);
    let blocks: Vec<[usize; 2]> =
        (0..ny).step_by(BLOCK).flat_map(|y| (0..nx).step_by(BLOCK).map(move |x| [x, y])).collect();
    for first in (0..nz).step_by(BLOCK) {
        let found: Vec<(Vec<[usize; 3]>, Found)> = blocks
            .par_iter()
            .map(|&[x, y]| {
                let voxels = block([x, y, first], grid.shape);
                let found = distances(args, surface, &grid, &voxels);
                (voxels, found)
            })
            .collect();
        for (voxels, Found { distances, closest }) in found {
            undecided += distances.undecided;
            inverted += distances.inverted;
            for (k, &[x, y, z]) in voxels.iter().enumerate() {
                let at = x + nx * (y + ny * z);
                values[at] = distances.values[k];
                let Some(closest) = closest.get(k) else { continue };
                if args.normals {
                    let normal = surface.normal(grid.point([x, y, z]), values[at], closest);
                    normals.iter_mut().zip(normal).for_each(|(list, c)| list[at] = c as f32);
                }
                if args.triangles {
                    triangles[at] = surface.stored(closest);
                }
            }
        }
        progress.add((BLOCK.min(nz - first) * nx * ny) as u64);
    }
    drop(progress);
    warnings.doubt(&args.mesh, "voxels", undecided, inverted);
    let inside = values.iter().filter(|d| **d < 0.0).count();
    let mut report = Report::new(surface, grid.shape.to_vec(), &values, inside);
    (report.spacing, report.origin) = (Some(grid.spacing), Some(grid.origin));
    let options = options(args)?;
    let distances = grid.volume(values.into(), "distance", surface)?;
    warnings.add(&args.output, &write_volume(&args.output, &distances, &options)?);
    drop(distances);
    let mut parts: Vec<Samples> = normals.into_iter().map(Samples::from).collect();
    if args.triangles {
        parts.push(triangles.into());
    }
    let names = ["nx", "ny", "nz"].into_iter().filter(|_| args.normals).chain(["triangle"]);
    for ((path, samples), name) in args.more().iter().zip(parts).zip(names) {
        let mut volume = grid.volume(samples, name, surface)?;
        volume.units = None;
        // The same warnings were given about the distances.
        write_volume(path, &volume, &options)?;
    }
    Ok(report)
}

/// Returns the voxels of the block with the lowest voxel `first`.
fn block(first: [usize; 3], shape: [usize; 3]) -> Vec<[usize; 3]> {
    let span = |k: usize| first[k]..(first[k] + BLOCK).min(shape[k]);
    let row = |y: usize, z: usize| span(0).map(move |x| [x, y, z]);
    span(2).flat_map(|z| span(1).flat_map(move |y| row(y, z))).collect()
}

/// Returns the distances of the voxels of a block, limited to the band.
fn distances(args: &Args, surface: &Surface, grid: &Grid, voxels: &[[usize; 3]]) -> Found {
    let points: Vec<[f64; 3]> = voxels.iter().map(|&voxel| grid.point(voxel)).collect();
    let Some(width) = args.band.map(|band| band * grid.spacing) else {
        return surface.distances(&points, args);
    };
    let (Some(low), Some(high)) = (points.first(), points.last()) else {
        return surface.distances(&points, args);
    };
    let middle: [f64; 3] = std::array::from_fn(|k| 0.5 * (low[k] + high[k]));
    let radius = 0.5 * (0..3).map(|k| (high[k] - low[k]).powi(2)).sum::<f64>().sqrt();
    // On a closed surface, all voxels farther away than this lie on the same side.
    let is_far = |d: f64| d.abs() > width + radius * (1.0 + 1e-9);
    let needs_closest = args.normals || args.triangles;
    if !needs_closest && surface.solid.open_edges == 0 {
        let found = surface.distances(&[middle], args);
        if is_far(found.distances.values[0]) {
            let mut far = found;
            far.distances.values = vec![width.copysign(far.distances.values[0]); points.len()];
            far.distances.undecided *= points.len();
            far.distances.inverted *= points.len();
            return far;
        }
    }
    let mut found = surface.distances(&points, args);
    found.distances.values.iter_mut().for_each(|d| *d = d.clamp(-width, width));
    found
}
