//! `zeroset run CASE.toml`: a case from file to results.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::progress::observer;
use super::{NOT_MET, Ui, json};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::output::Status;
use crate::run;

/// Arguments of `zeroset run`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  zeroset run configs/shrinking_circle.toml
  zeroset run configs/shrinking_circle.toml --set evolve.cfl=0.5 --set output.every=10
  zeroset run configs/shrinking_circle.toml -o results/other --overwrite --threads 4
  zeroset run configs/shrinking_circle.toml --set output.format=vtkhdf -o results/one_file
  zeroset run configs/shrinking_circle.toml --json > end.json

The folder then holds NAME.pvd (open it in ParaView) with one state per output, or NAME.vtkhdf with
all of them, interface.pvd, measures.csv and report.json. Ctrl-C ends a run in order: the current state is written.")]
pub struct Args {
    /// The case file
    pub case: PathBuf,
    #[command(flatten)]
    pub overrides: Overrides,
    /// Folder of the results; default that of the case, or results/<case name>
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Replace a run that is in the folder
    #[arg(long)]
    pub overwrite: bool,
    /// Say everything as JSON, for programs: progress and warnings as lines on standard error, the
    /// end with the report on standard output
    #[arg(long)]
    pub json: bool,
}

/// What may stand over a case file.
#[derive(Debug, clap::Args)]
pub struct Overrides {
    /// Replace a value of the case, such as evolve.cfl=0.25; repeatable
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// CPU threads; 0 takes all cores
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}

impl Overrides {
    /// All as `key=value`.
    pub(super) fn options(&self) -> Vec<String> {
        let threads = self.threads.map(|n| format!("device.threads={n}"));
        self.set.iter().cloned().chain(threads).collect()
    }
}

/// Runs the case and prints a summary.
///
/// # Errors
/// All kinds.
pub fn run(args: Args, ui: &Ui) -> Result<u8> {
    let config = Config::load(&args.case, &args.overrides.options())?;
    run_case(&config, args.output, args.overwrite, ui)
}

/// Runs a case and prints a summary; the exit code.
fn run_case(config: &Config, folder: Option<PathBuf>, overwrite: bool, ui: &Ui) -> Result<u8> {
    let interrupt = interrupt_flag();
    let outcome = {
        let observer = observer(ui);
        let options = run::Options::new(&interrupt, &*observer).into_folder(folder, overwrite);
        run::run(config, &options)?
    };
    let code = match outcome.report.status {
        Status::Interrupted => Error::Interrupted.exit_code(),
        _ if outcome.report.expect.met == Some(false) => NOT_MET,
        _ => 0,
    };
    match ui.is_json() {
        true => ui.print(&json::end(&outcome.report, &outcome.folder, code))?,
        false => ui.print(&outcome.report.summary(&outcome.folder))?,
    }
    Ok(code)
}

/// A flag that Ctrl-C sets; pressed again, it ends the program at once.
pub(super) fn interrupt_flag() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let set = flag.clone();
    let handler = move || {
        if set.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(Error::Interrupted.exit_code()));
        }
    };
    if let Err(e) = ctrlc::set_handler(handler) {
        tracing::warn!("Ctrl-C will end the run at once, without its last state: {e}");
    }
    flag
}
