//! `zeroset voxelize MESH`: the voxels inside of a mesh, as a volume.

use std::path::PathBuf;

use super::Ui;
use crate::error::{Error, Result};
use crate::io::{WriteOptions, check_volume_target, read_mesh, write_volume};
use crate::surface::Voxels;
use crate::volume::{Placement, Samples, Volume};

/// Voxels along the longest side at most.
const MOST: u32 = 1 << 14;

/// Arguments of `zeroset voxelize`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  zeroset voxelize meshes/pial.gii.gz --size 256 -o brain.nii.gz
  zeroset voxelize part.msh --spacing 0.5 -o part.vti

A voxel is 1 if its center is inside, else 0 (uint8). Inside of a surface is where its winding number has
a size above 1/2: for closed surfaces that is exact, over holes the surface is closed by a film.
Of tetrahedra the inside of their boundary is filled. Voxels are cubes, and their box is that of the
mesh and --margin more.")]
pub struct Args {
    /// Triangulated surface or tetrahedra, of any format that zeroset reads
    #[arg(value_name = "MESH")]
    pub mesh: PathBuf,
    /// Voxels along the longest side of the mesh
    #[arg(long, value_name = "N", default_value_t = 256, conflicts_with = "spacing",
          value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST)))]
    pub size: u32,
    /// Edge of a voxel in units of the mesh, instead of --size
    #[arg(long, value_name = "LENGTH", allow_negative_numbers = true)]
    pub spacing: Option<f64>,
    /// Voxels added on each side
    #[arg(long, value_name = "N", default_value_t = 0,
          value_parser = clap::value_parser!(u32).range(0..=i64::from(MOST)))]
    pub margin: u32,
    /// File to write: .nii.gz, .nii, .nrrd, .mha, .vti or .npy (indexed [x][y][z])
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
}

/// Reads, fills, writes, and says in one line what was written.
///
/// # Errors
/// [`Error::Case`] for an output that cannot be, before anything is read; [`Error::Input`] for a mesh
/// file that cannot be read or has no inside; [`Error::Device`] without memory; [`Error::Output`].
pub fn run(args: Args, ui: &Ui) -> Result<u8> {
    let options = WriteOptions::default();
    check_volume_target(&args.output, &options)?;
    let file = read_mesh(&args.mesh)?;
    let name = args.mesh.display();
    for warning in &file.warnings {
        ui.say(&format!("warning: {name}: {warning}"));
    }
    let (low, high) = file.mesh.bounds();
    let longest = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
    if longest == 0.0 {
        let remedy = "give a closed surface, or tetrahedra";
        return Err(Error::input(&args.mesh, "", "the mesh has no extent: no inside", remedy));
    }
    let spacing = args.spacing.unwrap_or(longest / f64::from(args.size));
    if longest / spacing > f64::from(MOST) {
        let what = format!("--spacing {spacing}: {:.0} voxels along a side", longest / spacing);
        return Err(Error::usage(what, format!("take larger voxels: at most {MOST} can be")));
    }
    let voxels = Voxels::inside(&file.mesh, spacing, args.margin as usize)
        .map_err(|error| error.in_file(&args.mesh))?;
    let open = voxels.orientation.open_edges;
    if open > 0 {
        ui.say(&format!(
            "warning: {name}: {open} edges have one triangle: holes are closed by winding numbers"
        ));
    }
    let inside = voxels.count();
    if inside == 0 {
        ui.say(&format!("warning: {name}: no voxel has its center inside"));
    }
    let Voxels { shape, origin, inside: samples, .. } = voxels;
    let steps = [[spacing, 0.0, 0.0], [0.0, spacing, 0.0], [0.0, 0.0, spacing]];
    let volume = Volume::new(shape, Samples::from(samples), Placement::identity())?;
    let mut volume = volume.placed(origin, steps)?;
    volume.units = file.units;
    volume.name = "inside".into();
    for warning in write_volume(&args.output, &volume, &options)? {
        ui.say(&format!("warning: {}: {warning}", args.output.display()));
    }
    let [x, y, z] = shape;
    ui.print(&format!("{}: {x} x {y} x {z} voxels, {inside} inside\n", args.output.display()))?;
    Ok(0)
}
