//! `zeroset check CASE.toml`: checks a case and its input files without running it.

use std::path::PathBuf;

use super::Ui;
use super::run::Overrides;
use zeroset::error::Result;
use zeroset::run;

/// Arguments of `zeroset check`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  zeroset check configs/shrinking_circle.toml
  zeroset check configs/shrinking_circle.toml --set evolve.curvature=-1

Reads the case and its input files, looks up every array, group and vertex that the case names, and
checks the output folder. It computes nothing and writes nothing.")]
pub struct Args {
    /// The case file
    pub case: PathBuf,
    #[command(flatten)]
    pub overrides: Overrides,
    /// Folder that the run would write to
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Check as if the run were started with --overwrite
    #[arg(long)]
    pub overwrite: bool,
}

/// Checks the case and prints what a run would do.
///
/// # Errors
/// Returns any error that a run would return before its first step.
pub fn run(args: Args, ui: &Ui) -> Result<u8> {
    let config = args.overrides.load(&args.case)?;
    let plan = run::check(&config, args.output.as_deref(), args.overwrite)?;
    ui.print(&format!("{plan}{} is ready to run\n", args.case.display()))?;
    Ok(0)
}
