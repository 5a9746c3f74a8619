//! `zeroset voxelize MESH`: converts a mesh to a volume of inside voxels or of surface voxels.

use std::path::{Path, PathBuf};

use super::compressed::Compressed;
use super::joined::joined;
use super::times::At;
use super::{Ui, word};
use crate::atomic::check_folder;
use crate::error::{Error, Result};
use crate::io::{
    FileFrame, Frame, FrameOffset, MeshOptions, WriteOptions, check_volume_target, read_mesh_with,
    write_volume,
};
use crate::mesh::Mesh;
use crate::mesh::repair::Weld;
use crate::surface::Voxels;
use crate::volume::{Placement, Samples, Volume};

/// Maximum number of voxels along the longest side.
const MOST: u32 = 1 << 14;

/// Arguments of `zeroset voxelize`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  zeroset voxelize meshes/pial.gii.gz --size 256 -o brain.nii.gz
  zeroset voxelize part.msh --spacing 0.5 -o part.vti
  zeroset voxelize scan.ply --size 256 --surface -o shell.nrrd

A voxel is 1 if its center is inside, else 0 (uint8). A point is inside if the absolute value of the
winding number of the surface exceeds 1/2. That is exact for closed surfaces, and it closes holes
smoothly. With --surface, a voxel is 1 if a triangle intersects or touches its cube; the surface may
be open or flat. The surface of a tetrahedral mesh is its boundary. Voxels are cubes and cover the
bounding box of the mesh, enlarged by --margin.")]
pub struct Args {
    /// Triangulated surface or tetrahedral mesh in any supported format
    #[arg(value_name = "MESH")]
    pub mesh: PathBuf,
    /// Number of voxels along the longest side of the mesh
    #[arg(long, value_name = "N", default_value_t = 256, conflicts_with = "spacing",
          value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST)))]
    pub size: u32,
    /// Edge length of a voxel in units of the mesh, instead of --size
    #[arg(long, value_name = "LENGTH")]
    pub spacing: Option<f64>,
    /// Mark the voxels that the surface passes through, instead of those inside
    #[arg(long)]
    pub surface: bool,
    /// Number of voxels to add on each side
    #[arg(long, value_name = "N", default_value_t = 0,
          value_parser = clap::value_parser!(u32).range(0..=i64::from(MOST)))]
    pub margin: u32,
    /// Frame of a cortical surface: tkr (FreeSurfer), scanner, or file (as stored)
    #[arg(long, value_name = "tkr|scanner|file", value_parser = word::<Frame>)]
    pub frame: Option<Frame>,
    #[command(flatten)]
    pub at: At,
    /// Output file: .nii.gz, .nii, .nrrd, .mha, .vti or .npy (indexed [x][y][z])
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
    #[command(flatten)]
    pub compressed: Compressed,
}

/// Reads the mesh, marks and writes the voxels, and prints one line about the output.
///
/// # Errors
/// Returns [`Error::Case`] if the output cannot be written as requested (checked before anything is
/// read); [`Error::Input`] if the mesh cannot be read, has no triangles, or has no inside to fill;
/// [`Error::Device`] if memory runs out; [`Error::Output`] if the output cannot be written.
pub fn run(args: Args, ui: &Ui) -> Result<u8> {
    let options = WriteOptions::default().compression(args.compressed.of(&[&args.output])?);
    check_volume_target(&args.output, &options)?;
    check_folder(&args.output)?;
    let file =
        read_mesh_with(&args.mesh, &MeshOptions::default().frame(args.frame).time(args.at.time))?;
    ui.warn_of(&args.mesh, &file.warnings);
    ui.warn_of(&args.mesh, beside_scanner(&file.about.frame));
    let (low, high) = file.mesh.bounds();
    let longest = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
    if longest == 0.0 {
        let remedy = match args.surface {
            true => "use a mesh that is larger than a point",
            false => "use a closed surface or a tetrahedral mesh",
        };
        return Err(Error::input(&args.mesh, "", "the mesh is a single point", remedy));
    }
    let spacing = args.spacing.unwrap_or(longest / f64::from(args.size));
    if longest / spacing > f64::from(MOST) {
        let what =
            format!("--spacing {spacing} gives {:.0} voxels along a side", longest / spacing);
        return Err(Error::usage(what, format!("use larger voxels, at most {MOST} along a side")));
    }
    let margin = args.margin as usize;
    let voxels = match args.surface {
        true => Voxels::passed(&file.mesh, spacing, margin),
        false => joined(file.mesh, Weld::Auto, &args.mesh, ui)
            .and_then(|mesh| filled(&mesh, spacing, margin, &args.mesh, ui)),
    };
    let voxels = voxels.map_err(|error| error.in_file(&args.mesh))?;
    let (n, what) = (voxels.count(), if args.surface { "on the surface" } else { "inside" });
    let Voxels { shape, origin, marks, .. } = voxels;
    let steps = [[spacing, 0.0, 0.0], [0.0, spacing, 0.0], [0.0, 0.0, spacing]];
    let volume = Volume::new(shape, Samples::from(marks), Placement::identity())?;
    let mut volume = volume.placed(origin, steps)?;
    volume.units = file.units;
    volume.name = if args.surface { "surface" } else { "inside" }.into();
    ui.warn_of(&args.output, write_volume(&args.output, &volume, &options)?);
    let [x, y, z] = shape;
    ui.print(&format!("{}: {x} x {y} x {z} voxels, {n} {what}\n", args.output.display()))?;
    Ok(0)
}

/// Returns a warning if the coordinates of a surface differ, or may differ, from those in the
/// scanner frame, in which volumes are placed.
pub(super) fn beside_scanner(frame: &FileFrame) -> Option<String> {
    Some(match frame.doubt()? {
        FrameOffset::Known(offset) => format!(
            "the coordinates are up to {offset:.3} mm off those of the scanner, in which volumes \
             lie; choose --frame scanner, or --frame file to keep them"
        ),
        FrameOffset::Unknown => "how far the coordinates are off those of the scanner, in which \
             volumes lie, is unknown, because the file states no c_ras; export the surface with \
             its volume geometry, or choose --frame file to keep them"
            .to_string(),
    })
}

/// Marks the voxels inside, and warns about holes and about an empty result.
fn filled(mesh: &Mesh, spacing: f64, margin: usize, file: &Path, ui: &Ui) -> Result<Voxels> {
    let (voxels, orientation) = Voxels::inside(mesh, spacing, margin)?;
    let open = orientation.open_edges;
    if open > 0 {
        let what = format!("{open} edges have only one triangle; winding numbers close the holes");
        ui.warn_of(file, [what]);
    }
    if voxels.count() == 0 {
        ui.warn_of(file, ["no voxel center is inside"]);
    }
    Ok(voxels)
}
