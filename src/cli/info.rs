//! `zeroset info FILE`: what is in a file (mesh, volume, data), on one screen or as JSON.

mod report;
mod screen;
mod voxels;

use std::path::PathBuf;

use self::report::Report;
use super::{Ui, volume};
use crate::error::{Error, Result};
use crate::io::{self, Content};

/// Arguments of `zeroset info`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  zeroset info meshes/pial.gii.gz
  zeroset info --json part.msh
  zeroset info head.nii.gz
  zeroset info scan.raw --raw 256x256x109:uint16le:1x1x1.5

Counts describe the file as stored, with polygons split into fans and equal corners of STL files
merged. The last line says what a solver would drop or turn first, or why it would refuse.

Of a volume the box is that of its voxels' centers, in the coordinates of the file.")]
pub struct Args {
    /// Mesh, volume, picture or data file, compressed with gzip or not
    pub file: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub source: volume::Source,
}

/// Prints what is in the file.
///
/// # Errors
/// [`Error::Input`] if the file holds neither a mesh, nor a volume, nor data arrays.
pub fn run(args: Args, ui: &Ui) -> Result<u8> {
    let content = io::read(&args.file, &args.source.options())?;
    let (report, warnings) = match &content {
        Content::Mesh(file) => (Report::of_mesh(file), file.warnings.as_slice()),
        Content::Volume(file) => (Report::of_volume(file), file.warnings.as_slice()),
        Content::Data(data) => (Report::of_data(&data.arrays, &data.groups), &[][..]),
    };
    for warning in warnings {
        tracing::warn!("{}: {warning}", args.file.display());
    }
    let text = if args.json {
        let json = serde_json::to_string_pretty(&report);
        json.map_err(|e| Error::output(&args.file, e, "leave out --json"))? + "\n"
    } else {
        screen::text(&args.file, &report)
    };
    ui.print(&text)?;
    Ok(0)
}
