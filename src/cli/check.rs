//! `zeroset check CASE.toml`: finds before a run all that can be wrong with it.

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

Reads the case and its files, looks up every array, group and vertex it names, and tries the
output folder; nothing is computed or written.")]
pub struct Args {
    /// The case file
    pub case: PathBuf,
    #[command(flatten)]
    pub overrides: Overrides,
    /// Folder the run would write to
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// As if the run replaced one that is in the folder
    #[arg(long)]
    pub overwrite: bool,
}

/// Checks the case and says what a run would do.
///
/// # Errors
/// What a run would fail with before its first step.
pub fn run(args: Args, ui: &Ui) -> Result<u8> {
    let config = args.overrides.load(&args.case)?;
    let plan = run::check(&config, args.output.as_deref(), args.overwrite)?;
    ui.print(&format!("{plan}{} is fit to run\n", args.case.display()))?;
    Ok(0)
}
