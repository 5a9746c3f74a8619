//! The command line, with one file for each subcommand.
//!
//! Results go to standard output, everything else to standard error. Exit codes: 0 success; 1
//! the results are written, but a bound of `[expect]` or of the self-check is not met, or compared
//! results differ; 2 usage or case file; 3 input file; 4 no usable result; 5 device or memory; 6
//! output; 130 interrupted.

mod batch;
mod check;
mod cloud;
mod columns;
mod command;
mod compare;
mod compressed;
mod converge;
mod convert;
mod device;
mod devices;
mod distance;
mod dt;
mod edt;
mod fill_holes;
mod generate;
mod info;
mod interrupt;
mod isosurface;
mod joined;
mod json;
mod log;
mod memory;
mod parse;
mod picture_options;
mod point_options;
mod points;
mod progress;
mod reconstruct;
mod render;
mod run;
mod sample;
mod schema;
mod sdf;
mod shell;
mod shortened;
mod stack;
mod surface_outputs;
mod threads;
mod times;
mod ui;
mod view;
mod volume;
mod voxelize;

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;

use clap::Parser;

use crate::Cpu;
use crate::error::Error;
use command::Command;
pub use info::{info_json, info_json_of_mesh};
pub use memory::Allocator;
pub use render::{render_mesh, render_volume};
pub use ui::Ui;

/// Maximum width of the help, in columns.
const WIDTH: usize = 100;

/// Exit code of a command that wrote its results, but found that a bound is not met (of `[expect]`
/// or of the self-check of a reconstruction), or that compared results differ.
const NOT_MET: u8 = 1;

#[derive(Debug, Parser)]
#[command(
    name = "zeroset",
    version,
    about = "Level sets and distances on meshes, sparse grids and volumes; surfaces from scans and volumes",
    after_help = EXAMPLES,
    max_term_width = WIDTH
)]
struct Cli {
    #[command(flatten)]
    verbosity: Verbosity,
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  zeroset run configs/cortex_curvature_flow.toml
  zeroset run configs/shrinking_circle.toml --set evolve.cfl=0.5 -o results/half
  zeroset compare results/half results/quarter --relative 0.01
  zeroset converge configs/shrinking_circle.toml --levels 3
  zeroset distance meshes/pial.gii.gz --from vertex:17 -o distance.vtp
  zeroset edt head.nii.gz --where \"v > 300\" -o distance.nii.gz
  zeroset dt head.nii.gz --where \"v > 300\" --queries points.csv -o distances.csv
  zeroset info meshes/pial.gii.gz
  scanner | zeroset reconstruct - -o surface.ply
  zeroset generate sphere --subdivisions 5 -o sphere.vtp
  zeroset convert meshes/pial.gii.gz pial.ply
  zeroset convert head.nii.gz head.vti
  zeroset render head.nii.gz --level 300 -o head.png
  zeroset view results/vortex -o vortex.html
  zeroset points head.nii.gz --where \"v > 300\" -o skin.vtp
  zeroset points labels.nrrd --tree -o blocks.vtu
  zeroset isosurface head.nii.gz --level 300 -o bone.ply
  zeroset reconstruct scan.ply -o surface.ply
  zeroset voxelize meshes/pial.gii.gz --size 256 -o brain.nii.gz
  zeroset sample meshes/pial.gii.gz -n 1000000 --normals -o cloud.ply
  zeroset defaults > case.toml
  zeroset devices

The input name - means standard input. The content must identify its format.

Exit codes: 0 success, 1 the results are written but a bound is not met ([expect], the self-check of
a reconstruction) or compared results differ, 2 usage or case file, 3 input file, 4 no usable
result, 5 device or memory, 6 output, 130 interrupted";

#[derive(Debug, clap::Args)]
struct Verbosity {
    /// Print more: -v stages, -vv details
    #[arg(short, long, action = clap::ArgAction::Count, global = true, conflicts_with = "quiet")]
    verbose: u8,
    /// Print only results and errors
    #[arg(short, long, global = true)]
    quiet: bool,
}

/// Runs the program with a command line that begins with the name of the program, and returns the
/// exit code.
pub fn main_from<W>(words: impl IntoIterator<Item = W>) -> u8
where
    W: Into<OsString>,
{
    memory::reserve();
    let words: Vec<OsString> = words.into_iter().map(Into::into).collect();
    stack::run(move || run_command(&words))
}

fn run_command(words: &[OsString]) -> u8 {
    let cli = match parse::parse(words) {
        Ok(cli) => cli,
        Err(error) => return refuse(&error, words),
    };
    let json = cli.command.is_json();
    let ui = Ui::new(cli.verbosity.verbose, cli.verbosity.quiet).with_json(json);
    log::install(&ui);
    memory::about(cli.command.file(), cli.command.remedy(), json);
    memory::doing(cli.command.doing());
    if !matches!(cli.command, Command::Run(_) | Command::Batch(_) | Command::Converge(_)) {
        interrupt::ends_the_program(&ui);
    }
    let started = cli.command.threads().map_or(Ok(()), Cpu::start);
    let checked = started.and_then(|()| cli.command.claims().check());
    match checked.and_then(|()| cli.command.run(&ui)) {
        Ok(code) => code,
        Err(error) => {
            match ui.is_json() {
                true => ui.complain(&json::error(&error)),
                false => ui.complain(&format!("error: {error}")),
            }
            error.exit_code()
        }
    }
}

/// Prints an error in the command line, or the requested help or version.
fn refuse(error: &clap::Error, words: &[OsString]) -> u8 {
    let json = error.use_stderr() && words.iter().any(|word| word == "--json");
    let code = u8::try_from(error.exit_code()).unwrap_or(2);
    if !json {
        let text = error.render().to_string();
        let short = shortened::shortened(&text);
        if error.use_stderr() && short != text {
            Ui::new(0, false).complain(short.trim_end());
            return code;
        }
        let printed = error.print().and_then(|()| std::io::stdout().flush());
        // A broken pipe means that the reader has closed the pipe. Any other failure matters to a
        // calling program.
        let broken = |e: std::io::Error| e.kind() != std::io::ErrorKind::BrokenPipe;
        if !error.use_stderr() && printed.is_err_and(broken) {
            return Error::output(Path::new("standard output"), "", "").exit_code();
        }
        return code;
    }
    let text = error.render().to_string();
    let error = Error::usage(text.trim_start_matches("error: ").trim_end(), "");
    Ui::new(0, false).with_json(true).complain(&json::error(&error));
    error.exit_code()
}

/// Parses three numbers separated by commas.
fn three(text: &str) -> std::result::Result<[f64; 3], String> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|x| x.trim().parse().ok()).collect();
    let numbers = numbers.and_then(|list| <[f64; 3]>::try_from(list).ok());
    numbers.ok_or_else(|| "expected X,Y,Z".to_string())
}

/// Parses a finite number > 0.
fn positive(text: &str) -> std::result::Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(x) if x > 0.0 && x.is_finite() => Ok(x),
        Ok(x) => Err(format!("must be > 0 and finite, but is {x}")),
        Err(_) => Err("expected a number > 0".into()),
    }
}

/// Parses a word of the case format, such as a partition or a device.
fn word<T: serde::de::DeserializeOwned>(text: &str) -> std::result::Result<T, String> {
    let text = serde::de::value::StrDeserializer::<serde::de::value::Error>::new(text);
    T::deserialize(text).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn lines_of_the_help_are_no_longer_than_it_is_wide() {
        let mut cli = Cli::command();
        for command in cli.get_subcommands_mut() {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            for line in help.lines() {
                assert!(line.len() <= WIDTH, "{}: {line}", command.get_name());
            }
        }
    }
}
