//! `zeroset check CASE.toml`: checks a case and its input files without running it.

use std::path::PathBuf;

use super::Ui;
use super::run::Overrides;
use crate::error::Result;
use crate::run;

/// Arguments of `zeroset check`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  zeroset check configs/shrinking_circle.toml
  zeroset check configs/shrinking_circle.toml --set evolve.curvature=-1

Reads the case and its input files, looks up every array, group and vertex that the case names, and
checks the output folder. It computes nothing and writes nothing. It prints all problems that it
finds, and ends with the exit code of the first.")]
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
/// If a run would fail with exactly one error before its first step, returns that error. If there
/// are several errors, prints them and returns the exit code of the first.
pub fn run(args: Args, ui: &Ui) -> Result<u8> {
    let read = args.overrides.load_with_problems(&args.case);
    let checked = run::check_read(read, args.output.as_deref(), args.overwrite);
    let mut problems = checked.problems.into_iter();
    let Some(first) = problems.next() else {
        ui.print(&format!("{}{} is ready to run\n", checked.plan, args.case.display()))?;
        return Ok(0);
    };
    // The caller prints a single error.
    if problems.len() == 0 {
        return Err(first);
    }
    let code = first.exit_code();
    std::iter::once(first)
        .chain(problems)
        .for_each(|error| ui.complain(&format!("error: {error}")));
    Ok(code)
}
