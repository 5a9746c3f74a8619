//! `zeroset converge CASE.toml`: runs a case on several levels and prints errors and orders.

mod screen;

use std::path::PathBuf;

use super::interrupt::Interrupt;
use super::progress::observer;
use super::run::Overrides;
use super::{NOT_MET, Ui};
use crate::converge::{Level, Study};
use crate::error::{Error, Result};

/// Arguments of `zeroset converge`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  zeroset converge configs/shrinking_circle.toml --levels 3
  zeroset converge configs/shrinking_circle.toml --set evolve.cfl=0.5 -o results/half
  zeroset converge case.toml --levels 4 --overwrite

Level 0 is the case as written. Each further level has cells half as long: generated shapes are
generated with more cells, meshes from files are refined at midpoints, and tiles have half the dx.
The run of level K is in DIR/levelK. DIR also contains converge.csv, converge.json and converge.svg.

Errors are differences from the exact values that the case states: values in [expect], and errors
of the interface or the distance from expect.exact. Differences are those from the previous level.
The order is log2(e1 / e2) for errors or differences e1 and e2 of successive levels, and the
extrapolated value is that of Richardson for the last three levels.

Exit codes are those of `zeroset run`. Bounds of [expect] count at the finest level only.")]
pub struct Args {
    /// The case file
    pub case: PathBuf,
    /// Number of levels, 2 to 9
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(2..=9))]
    pub levels: u32,
    #[command(flatten)]
    pub overrides: Overrides,
    /// Folder for the results; default results/NAME-converge
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Replace an earlier study in the folder
    #[arg(long)]
    pub overwrite: bool,
}

/// Runs the levels and prints their errors and orders.
///
/// # Errors
/// Returns any error of the library. The results of the levels that have run are written and
/// printed first.
pub fn run(args: Args, ui: &Ui) -> Result<u8> {
    // The handler comes first, so that the preparation can be interrupted too.
    let interrupt = Interrupt::of_run(ui);
    args.overrides.load(&args.case)?;
    let overrides = args.overrides.options();
    let study = Study::new(&args.case, &overrides, args.levels, args.output.clone())?;
    let files = study.files(args.overwrite)?;
    ui.say(&screen::cost(&study.cost(), args.levels));
    let (results, ended) = {
        let observer = observer(ui);
        let observer = interrupt.watching(&*observer);
        let done = |level: &Level| ui.say(&screen::done(level, args.levels));
        study.run(args.overwrite, interrupt.flag(), &observer, done)
    };
    if !results.levels.is_empty() {
        let written = files.write(&study, &results)?;
        ui.print(&screen::text(&results, &written))?;
    }
    if matches!(ended, Err(Error::Interrupted)) && !results.levels.is_empty() {
        ui.say("to begin again: the same command with --overwrite");
    }
    ended?;
    let is_met = results.levels.last().is_none_or(|level| level.met);
    Ok(if is_met { 0 } else { NOT_MET })
}
