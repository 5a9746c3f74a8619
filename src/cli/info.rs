//! `zeroset info FILE`: what is in a mesh or data file, on one screen or as JSON.

mod report;
mod screen;

use std::path::{Path, PathBuf};

use self::report::Report;
use super::Ui;
use crate::error::{Error, Result};
use crate::io;

/// Arguments of `zeroset info`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  zeroset info meshes/pial.gii.gz
  zeroset info --json part.msh

Counts describe the file as stored, with polygons split into fans and equal corners of STL files
merged. The last line says what a solver would drop or turn first, or why it would refuse.")]
pub struct Args {
    /// Mesh or data file, compressed with gzip or not
    pub file: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Prints what is in the file.
///
/// # Errors
/// [`Error::Input`] if the file holds neither a mesh, nor an image, nor data arrays.
pub fn run(args: Args, ui: &Ui) -> Result<u8> {
    let report = read(&args.file)?;
    let text = if args.json {
        let json = serde_json::to_string_pretty(&report);
        json.map_err(|e| Error::output(&args.file, e, "leave out --json"))? + "\n"
    } else {
        screen::text(&args.file, &report)
    };
    ui.print(&text)?;
    Ok(0)
}

/// Facts about a mesh, about an image, or about the arrays of a file that has neither.
fn read(path: &Path) -> Result<Report> {
    let no_mesh = match io::read_mesh(path) {
        Ok(file) => {
            for warning in &file.warnings {
                tracing::warn!("{}: {warning}", path.display());
            }
            return Ok(Report::of_mesh(&file));
        }
        Err(error) => error,
    };
    if let Ok(Some(image)) = io::read_image(path) {
        return Ok(Report::of_image(&image));
    }
    match io::read_data(path) {
        Ok(mut data) => {
            data.arrays.extend(data.partial.into_iter().map(|array| array.rows));
            Ok(Report::of_data(&data.arrays, &data.groups))
        }
        // Of a file of numbers, what is wrong with the numbers is wanted.
        Err(no_data) if names_a_place(&no_data) && !names_a_place(&no_mesh) => Err(no_data),
        Err(_) => Err(no_mesh),
    }
}

fn names_a_place(error: &Error) -> bool {
    matches!(error, Error::Input { position, .. } if !position.is_empty())
}
