//! Signed distances at the points of a file.

use std::path::Path;

use super::{Args, Report, Surface, Warnings};
use crate::atomic;
use crate::cli::cloud;
use crate::error::{Error, Result};
use crate::io::write_npy_table;

/// Returns whether a file has this extension.
fn ends_in(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case(extension))
}

/// Returns an error if the table cannot be written.
pub(super) fn check(args: &Args) -> Result<()> {
    if ends_in(&args.output, "csv") || ends_in(&args.output, "npy") {
        return args.compressed.of(&[&args.output]).map(drop);
    }
    let what = format!("{}: the table of --at must be a .csv or .npy file", args.output.display());
    Err(Error::usage(what, "end the name in .csv or .npy"))
}

/// Computes the distances and writes the table.
pub(super) fn run(
    args: &Args,
    at: &Path,
    surface: &Surface,
    warnings: &mut Warnings,
) -> Result<Report> {
    let points = cloud::read(at, warnings.ui)?.points;
    let found = surface.signed.at(&points, args.extras());
    warnings.add(&args.mesh, &found.warnings);
    let mut names = vec!["x", "y", "z", "distance"];
    let mut columns: Vec<Vec<f64>> =
        (0..3).map(|k| points.iter().map(|x| x[k]).collect()).collect();
    columns.push(found.values.clone());
    if let Some(normals) = &found.normals {
        names.extend(["nx", "ny", "nz"]);
        columns.extend((0..3).map(|k| normals.iter().map(|n| n[k]).collect()));
    }
    if let Some(triangles) = &found.triangles {
        names.push("triangle");
        columns.push(triangles.iter().map(|&t| f64::from(t)).collect());
    }
    if ends_in(&args.output, "npy") {
        write_npy_table(&args.output, &columns)?;
    } else {
        atomic::write(&args.output, |out| {
            writeln!(out, "{}", names.join(","))?;
            for n in 0..points.len() {
                let row: Vec<String> = columns.iter().map(|c| c[n].to_string()).collect();
                writeln!(out, "{}", row.join(","))?;
            }
            Ok(())
        })?;
    }
    let inside = found.values.iter().filter(|d| **d < 0.0).count();
    Ok(Report::new(surface, vec![points.len()], &found.values, inside))
}
