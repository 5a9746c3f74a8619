//! `zeroset batch CASE.toml --table FILE`: runs a case for each row of a table.

use std::path::PathBuf;

use super::interrupt::Interrupt;
use super::progress::{Amount, observer};
use super::run::Overrides;
use super::{NOT_MET, Ui};
use crate::batch::{Batch, Finished, Inputs, Options, Record, RowStatus, Shard};
use crate::error::{Error, Result};
use crate::words::{counted, noun};

/// Arguments of `zeroset batch`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  zeroset batch flow.toml --table subjects.csv
  zeroset batch flow.toml --table subjects.csv --name subject -o results/study --jobs 8
  zeroset batch flow.toml --table subjects.csv -o results/study --resume
  zeroset batch flow.toml --table subjects.csv -o results/study --shard $SLURM_ARRAY_TASK_ID/100

The table is a CSV file with titles. The case refers to a column as {{column}}: in a string, such as
file = \"{{subject}}/lh.pial\", or in place of a number, such as normal_speed = {{speed}}. Overrides
(--set) may refer to columns, too. Paths are relative to the case.

Each row runs as `zeroset run` does, in a folder of its own, and a row that fails does not stop the
others. The folder of the batch also contains batch.csv, a table with the columns of the input, the
status, the results and the error of each row, and batch.json, from which --resume knows what is
done. With --shard I/N, only every N-th row runs, beginning with row I, and the last shard to finish
writes batch.csv.

The exit code is 1 if a row failed or a bound of [expect] is not met.")]
pub struct Args {
    /// The case file
    pub case: PathBuf,
    /// The table, a CSV file with titles
    #[arg(short, long, value_name = "FILE")]
    pub table: PathBuf,
    #[command(flatten)]
    pub overrides: Overrides,
    /// Folder for the results; default results/NAME-batch
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Column whose cells name the rows and their folders; by default, rows are numbered
    #[arg(long, value_name = "COLUMN")]
    pub name: Option<String>,
    /// Number of rows that run at the same time; by default, as many as cores and memory allow, and
    /// one if the case may use a GPU
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub jobs: Option<u32>,
    /// Run only every N-th row, beginning with row I
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,
    /// Continue the batch in the folder: run the rows that are not done
    #[arg(long, conflicts_with = "overwrite")]
    pub resume: bool,
    /// Replace an earlier batch in the folder
    #[arg(long)]
    pub overwrite: bool,
}

/// Runs the rows and prints how they ended.
///
/// # Errors
/// Returns the errors of [`Batch::new`] and [`Batch::run`].
pub fn run(args: Args, ui: &Ui) -> Result<u8> {
    // The handler comes first, so that the preparation can be interrupted too.
    let interrupt = Interrupt::of_run(ui);
    let mut inputs = Inputs::new(args.case, args.table);
    inputs.overrides = args.overrides.options();
    (inputs.folder, inputs.name, inputs.shard) = (args.output, args.name, args.shard);
    let batch = Batch::new(&inputs)?;
    let done = {
        let observer = observer(ui);
        let observer = interrupt.watching(&*observer);
        let mut options = Options::new(interrupt.flag(), &observer);
        options.jobs = args.jobs.map(|jobs| jobs as usize);
        (options.resume, options.overwrite) = (args.resume, args.overwrite);
        let amount = Amount::new(ui, "rows", batch.n_rows() as u64);
        batch.run(&options, |record| {
            if let Some(line) = failure(record) {
                ui.say(&line);
            }
            amount.add(1);
        })?
    };
    ui.print(&text(&batch, &done))?;
    if done.interrupted {
        ui.say("to continue: the same command with --resume, without --overwrite");
        return Ok(Error::Interrupted.exit_code());
    }
    Ok(if done.failed() > 0 { NOT_MET } else { 0 })
}

/// Returns a line about a row that failed or is not within its bounds.
fn failure(record: &Record) -> Option<String> {
    let Record { row, name, status, error, .. } = record;
    let is_failure = matches!(status, RowStatus::Failed | RowStatus::NotMet);
    let error = error.as_deref().unwrap_or_default();
    is_failure.then(|| format!("row {row} ({name}): {}: {error}", status.word()))
}

/// Returns the counts and the files of a batch.
fn text(batch: &Batch, done: &Finished) -> String {
    let count = |status| done.rows.iter().filter(|row| row.status == status).count();
    let mut text = format!("rows       {} finished", count(RowStatus::Finished));
    for (status, words) in [
        (RowStatus::NotMet, "not within their bounds"),
        (RowStatus::Failed, "failed"),
        (RowStatus::Interrupted, "interrupted"),
    ] {
        match count(status) {
            0 => {}
            n => text += &format!(", {n} {words}"),
        }
    }
    if done.kept > 0 {
        text += &format!("; {} done before", done.kept);
    }
    let left = batch.n_rows() - done.rows.len();
    if left > 0 {
        text += &format!("; {left} left");
    }
    let n_warnings = done.rows.iter().filter(|row| row.warnings > 0).count();
    if n_warnings > 0 {
        let rows = counted(n_warnings, ["row has", "rows have"]);
        text += &format!(
            "\nwarnings   {rows} warnings; see {} report.html",
            noun(n_warnings, ["its", "their"])
        );
    }
    text += &match done.missing_shards {
        0 => format!("\ntable      {}", batch.folder().join("batch.csv").display()),
        n => format!(
            "\ntable      {} not complete; the last one writes {}",
            counted(n, ["shard is", "shards are"]),
            batch.folder().join("batch.csv").display()
        ),
    };
    text + &format!("\nlist       {}\n", batch.manifest().display())
}
