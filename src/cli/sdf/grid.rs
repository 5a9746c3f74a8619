//! Signed distances on a grid.

use super::{Args, Corners, Report, Surface, Warnings};
use crate::api::{Grid, GridOptions};
use crate::cli::progress::Amount;
use crate::error::Result;
use crate::io::{WriteOptions, check_volume_target, write_volume};
use crate::volume::{Placement, Samples, Volume};

/// Returns an error if the output cannot be written.
pub(super) fn check(args: &Args) -> Result<()> {
    check_volume_target(&args.output, &options(args)?)
}

fn options(args: &Args) -> Result<WriteOptions> {
    Ok(WriteOptions::default().compression(args.compressed.of(&[&args.output])?))
}

/// Returns a volume with one number for each voxel of a grid.
fn volume(grid: &Grid, samples: Samples, name: &str, units: Option<String>) -> Result<Volume> {
    let h = grid.spacing;
    let steps = [[h, 0.0, 0.0], [0.0, h, 0.0], [0.0, 0.0, h]];
    let volume = Volume::new(grid.shape, samples, Placement::identity())?;
    let mut volume = volume.placed(grid.origin, steps)?;
    (volume.name, volume.units) = (name.into(), units);
    Ok(volume)
}

/// Computes and writes the distances, and the normals and triangles if they are requested.
pub(super) fn run(args: &Args, surface: &Surface, warnings: &mut Warnings) -> Result<Report> {
    let mut of = GridOptions::default();
    (of.size, of.spacing, of.margin, of.band) = (args.size, args.spacing, args.margin, args.band);
    of.bounds = args.region.map(|Corners { low, high }| (low, high));
    of.extras = args.extras();
    let grid = Grid::around(&surface.signed, &of)?;
    let progress = Amount::new(warnings.ui, "voxels", grid.n_voxels() as u64);
    let done = |n| {
        progress.add(n);
        Ok(())
    };
    let found = surface.signed.on_grid(&grid, &of, done)?;
    drop(progress);
    warnings.add(&args.mesh, &found.warnings);
    let inside = found.values.iter().filter(|d| **d < 0.0).count();
    let mut report = Report::new(surface, grid.shape.to_vec(), &found.values, inside);
    (report.spacing, report.origin) = (Some(grid.spacing), Some(grid.origin));
    let options = options(args)?;
    let distances = volume(&grid, found.values.into(), "distance", surface.units.clone())?;
    warnings.add(&args.output, &write_volume(&args.output, &distances, &options)?);
    drop(distances);
    let normals = found.normals.into_iter().flatten().map(Samples::from);
    let parts = normals.chain(found.triangles.map(Samples::from));
    let names = ["nx", "ny", "nz"].into_iter().filter(|_| args.normals).chain(["triangle"]);
    for ((path, samples), name) in args.more().iter().zip(parts).zip(names) {
        // The warnings are the same as for the distances, which were written above.
        write_volume(path, &volume(&grid, samples, name, None)?, &options)?;
    }
    Ok(report)
}
