//! `zeroset compare A B`: states where two results differ.

mod screen;

use std::path::PathBuf;

use super::{NOT_MET, Ui};
use crate::compare::{self, Tolerance};
use crate::error::{Error, Result};

/// Arguments of `zeroset compare`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  zeroset compare results/a results/b
  zeroset compare results/a results/b --relative 1e-6
  zeroset compare a.vtp b.vtp --tolerance 1e-9
  zeroset compare a/measures.csv b/measures.csv --json
  zeroset compare cpu/interface.pvd gpu/interface.pvd --tolerance 0.01

A and B are two files (meshes with arrays, point clouds, volumes, tables, series), or two folders of
runs. States of series and rows of tables with a column `time` are paired by time, and arrays by
name. If the vertices do not correspond, as on two interfaces, the distances of each from the other
are given. NaN is equal to NaN only.

--tolerance T allows differences up to T, in the unit of each array. --relative R allows differences
up to R times the range of the array (of a single number: its magnitude; of positions and distances:
the diagonal of the bounding box). With both, the larger one counts. With neither, only bitwise
identical values are equal.

Exit codes: 0 equal within the tolerance, 1 different, 2 A and B cannot be compared, 3 A or B cannot
be read.")]
pub struct Args {
    /// File or run folder
    pub a: PathBuf,
    /// File or run folder to compare with A
    pub b: PathBuf,
    /// Largest difference that counts as equal, in the unit of the array; default 0
    #[arg(long, value_name = "T", default_value_t = 0.0, value_parser = tolerance, hide_default_value = true)]
    pub tolerance: f64,
    /// Largest difference that counts as equal, relative to the range of the array; default 0
    #[arg(long, value_name = "R", default_value_t = 0.0, value_parser = tolerance, hide_default_value = true)]
    pub relative: f64,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Parses a finite number that is not negative.
fn tolerance(text: &str) -> std::result::Result<f64, String> {
    let number: Option<f64> = text.parse().ok().filter(|x: &f64| x.is_finite() && *x >= 0.0);
    number.ok_or_else(|| "expected a number >= 0".to_string())
}

/// Compares A with B and prints the differences.
///
/// # Errors
/// Returns the errors of [`compare::compare`].
pub fn run(args: Args, ui: &Ui) -> Result<u8> {
    let tolerance = Tolerance { absolute: args.tolerance, relative: args.relative };
    let found = compare::compare(&args.a, &args.b, tolerance)?;
    let text = if args.json {
        let json = serde_json::to_string_pretty(&found);
        json.map_err(|e| Error::output(&args.a, &e, "leave out --json").because(e))? + "\n"
    } else {
        found.warnings.iter().for_each(|warning| ui.warn(warning));
        screen::text(&args.a, &args.b, &found)
    };
    ui.print(&text)?;
    Ok(if found.equal { 0 } else { NOT_MET })
}
