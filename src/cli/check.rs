//! `zeroset check CASE.toml`: checks a case and its input files without running it.

use std::path::PathBuf;

use serde_json::json;

use super::Ui;
use super::progress::observer;
use super::run::Overrides;
use crate::config::{Config, ReadCase};
use crate::error::{Error, Result};
use crate::run::{self, Checked, Estimate};

/// Arguments of `zeroset check`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  zeroset check configs/shrinking_circle.toml
  zeroset check configs/shrinking_circle.toml --set evolve.curvature=-1
  zeroset check configs/cortex_curvature_flow.toml --estimate

Reads the case and its input files, looks up every array, group and vertex that the case names, and
checks the output folder. It computes nothing and writes nothing. It prints all problems that it
finds, and ends with the exit code of the first.

With --estimate, it also runs the first part of the case into a temporary folder next to the output
folder, and removes this folder. From the steps and files of this part it extrapolates the time, the
disk space and the memory of the run (docs/running.md).")]
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
    /// Also estimate the time, disk space and memory of the run from its first part
    #[arg(long)]
    pub estimate: bool,
    /// Seconds of steps to measure for --estimate, after the setup; default 2
    #[arg(long, value_name = "S", value_parser = super::positive, requires = "estimate")]
    pub seconds: Option<f64>,
    /// Print JSON for programs: warnings and progress as lines on standard error, the plan and the
    /// estimate on standard output
    #[arg(long)]
    pub json: bool,
}

/// Seconds of steps that an estimate measures unless an option gives another number.
const SECONDS: f64 = 2.0;

/// Checks the case and prints what a run would do.
///
/// # Errors
/// If a run would fail with exactly one error before its first step, returns that error. If there
/// are several errors, prints them and returns the exit code of the first.
pub fn run(args: Args, ui: &Ui) -> Result<u8> {
    let read = args.overrides.load_with_problems(&args.case);
    let config = read.config.clone().filter(|_| args.estimate);
    let Checked { plan, problems, .. } = checked(read, &args);
    let mut problems = problems.into_iter();
    let Some(first) = problems.next() else {
        let estimate = config.map(|config| estimate(&config, &args, ui)).transpose()?;
        ui.print(&text(&args, &plan, estimate.as_ref(), ui))?;
        return Ok(0);
    };
    // The caller prints a single error.
    if problems.len() == 0 {
        return Err(first);
    }
    let code = first.exit_code();
    std::iter::once(first).chain(problems).for_each(|error| complain(&error, ui));
    Ok(code)
}

fn checked(read: ReadCase, args: &Args) -> Checked {
    run::check_read(read, args.output.as_deref(), args.overwrite)
}

fn complain(error: &Error, ui: &Ui) {
    match ui.is_json() {
        true => ui.complain(&super::json::error(error)),
        false => ui.complain(&format!("error: {error}")),
    }
}

/// Measures the first part of the run and extrapolates the rest.
fn estimate(config: &Config, args: &Args, ui: &Ui) -> Result<Estimate> {
    let observer = observer(ui);
    let seconds = args.seconds.unwrap_or(SECONDS);
    let found = run::estimate(config, args.output.as_deref(), seconds, &*observer)?;
    drop(observer);
    found.warnings.iter().for_each(|warning| ui.warn(warning));
    Ok(found)
}

/// Returns the plan of the run and its estimate, as text or as a line of JSON.
fn text(args: &Args, plan: &str, estimate: Option<&Estimate>, ui: &Ui) -> String {
    if ui.is_json() {
        let lines: Vec<&str> = plan.lines().collect();
        let end = json!({ "event": "end", "exit_code": 0, "plan": lines, "estimate": estimate });
        return format!("{end}\n");
    }
    let estimate = estimate.map_or(String::new(), Estimate::to_string);
    format!("{plan}{estimate}{} is ready to run\n", args.case.display())
}
