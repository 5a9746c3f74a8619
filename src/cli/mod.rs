//! The command line: one file per subcommand.
//!
//! Results go to standard output, everything else to standard error. Exit codes: 0 done; 1 ran,
//! but `[expect]` is not met; 2 usage or case file; 3 input file; 4 numerical failure; 5 device or
//! memory; 6 output; 130 interrupted.

mod check;
mod cloud;
mod convert;
mod device;
mod devices;
mod distance;
mod dt;
mod edt;
mod generate;
mod info;
mod interrupt;
mod isosurface;
mod json;
mod line;
mod log;
mod memory;
mod points;
mod progress;
mod reconstruct;
mod render;
mod run;
mod sample;
mod schema;
mod sparse;
mod telling;
mod threads;
mod tree;
mod ui;
mod volume;
mod voxelize;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

pub use memory::Allocator;
pub use ui::Ui;
use zeroset::Cpu;
use zeroset::atomic::check_apart;
use zeroset::error::{Error, Result};

/// Columns of the help at most.
const WIDTH: usize = 100;

/// Exit code of a run whose `[expect]` is not met.
const NOT_MET: u8 = 1;

#[derive(Debug, Parser)]
#[command(
    name = "zeroset",
    version,
    about = "Level sets and distances on meshes, sparse grids and volumes; surfaces of scans and volumes",
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
  zeroset distance meshes/pial.gii.gz --from vertex:17 -o distance.vtp
  zeroset edt head.nii.gz --where \"v > 300\" -o distance.nii.gz
  zeroset dt head.nii.gz --where \"v > 300\" --queries points.csv -o distances.csv
  zeroset info meshes/pial.gii.gz
  scanner | zeroset reconstruct - -o surface.ply
  zeroset generate sphere --subdivisions 5 -o sphere.vtp
  zeroset convert meshes/pial.gii.gz pial.ply
  zeroset convert head.nii.gz head.vti
  zeroset render head.nii.gz --level 300 -o head.png
  zeroset points head.nii.gz --where \"v > 300\" -o skin.vtp
  zeroset tree labels.nrrd -o blocks.vtu
  zeroset isosurface head.nii.gz --level 300 -o bone.ply
  zeroset reconstruct scan.ply -o surface.ply
  zeroset voxelize meshes/pial.gii.gz --size 256 -o brain.nii.gz
  zeroset sample meshes/pial.gii.gz -n 1000000 --normals -o cloud.ply
  zeroset defaults > case.toml
  zeroset devices

- as the name of an input is standard input, whose format must be told by its content.

Exit codes: 0 done, 1 ran but [expect] is not met, 2 usage or case file, 3 input file,
4 numerical failure, 5 device or memory, 6 output, 130 interrupted";

#[derive(Debug, clap::Args)]
struct Verbosity {
    /// Say more: -v stages, -vv details
    #[arg(short, long, action = clap::ArgAction::Count, global = true, conflicts_with = "quiet")]
    verbose: u8,
    /// Say nothing but results and errors
    #[arg(short, long, global = true)]
    quiet: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a case: move an interface or compute a distance, and write states and a report
    Run(run::Args),
    /// Check a case: find before a run all that can be wrong with it
    Check(check::Args),
    /// Compute the distance from vertices, points, groups, curves or zero sets of a mesh
    Distance(Box<distance::Args>),
    /// Compute the distance from points to the nearest voxels of a volume, or to other points
    Dt(Box<dt::Args>),
    /// Compute the distance of all voxels of a volume to those that fulfill an expression
    Edt(edt::Args),
    /// Make a mesh, or refine one from a file, and write it
    Generate(generate::Args),
    /// Write a mesh or a volume in another format
    Convert(convert::Args),
    /// Draw a volume, a mesh or the result of a run as a PNG picture
    Render(Box<render::Args>),
    /// List or count the voxels of a volume, or pixels of a picture, where an expression holds
    Points(Box<points::Args>),
    /// Cut a volume into the largest blocks of one value: an octree, of a picture a quadtree
    Tree(tree::Args),
    /// Write the entries of a matrix that are not zero
    Sparse(sparse::Args),
    /// Take the surface out of a volume where its values pass a number, and write it
    Isosurface(isosurface::Args),
    /// Make a surface of a cloud of points that are samples of it
    Reconstruct(Box<reconstruct::Args>),
    /// Fill a surface or tetrahedra with voxels, and write them as a volume
    Voxelize(voxelize::Args),
    /// Draw points of a surface at random, and write them as a cloud
    Sample(sample::Args),
    /// Print the JSON schema of the case file
    Schema(schema::SchemaArgs),
    /// Print a case with all keys, their defaults and what they mean
    Defaults(schema::DefaultsArgs),
    /// Say what is in a file: mesh, cloud of points, volume, picture or data
    Info(info::Args),
    /// List the GPUs and what they need, and test them; or compile every kernel
    Devices(devices::Args),
}

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    memory::reserve();
    let cli = match line::parse(std::env::args_os()) {
        Ok(cli) => cli,
        Err(error) => return refuse(&error),
    };
    let json = match &cli.command {
        Command::Run(args) => args.json,
        Command::Distance(args) => args.json,
        Command::Isosurface(args) => args.telling.json,
        Command::Reconstruct(args) => args.telling.json,
        Command::Sample(args) => args.json,
        _ => false,
    };
    let ui = Ui::new(cli.verbosity.verbose, cli.verbosity.quiet).with_json(json);
    log::install(&ui);
    memory::about(cli.command.file(), cli.command.remedy(), json);
    memory::doing(cli.command.doing());
    if !matches!(cli.command, Command::Run(_)) {
        interrupt::ends_the_program(&ui);
    }
    let started = cli.command.threads().map_or(Ok(()), Cpu::start);
    let checked = started.and_then(|()| check_apart(&cli.command.inputs(), &cli.command.outputs()));
    let code = match checked.and_then(|()| dispatch(cli.command, &ui)) {
        Ok(code) => code,
        Err(error) => {
            match ui.is_json() {
                true => ui.complain(&json::error(&error)),
                false => ui.complain(&format!("error: {error}")),
            }
            error.exit_code()
        }
    };
    ExitCode::from(code)
}

impl Command {
    /// What it does before it says so itself.
    fn doing(&self) -> &'static str {
        match self {
            Command::Run(_) => "reading the case",
            Command::Check(_) => "checking the case",
            Command::Distance(_) => "reading the mesh",
            Command::Dt(_) | Command::Edt(_) => "computing distances",
            Command::Generate(_) => "making the mesh",
            Command::Convert(_) => "converting the file",
            Command::Render(_) => "drawing",
            Command::Points(_) | Command::Tree(_) | Command::Sparse(_) => "reading the volume",
            Command::Isosurface(_) => "taking out the surface",
            Command::Reconstruct(_) => "reconstructing the surface",
            Command::Voxelize(_) => "reading the mesh",
            Command::Sample(_) => "drawing points",
            Command::Schema(_) | Command::Defaults(_) => "printing",
            Command::Info(_) => "reading the file",
            Command::Devices(_) => "looking at the devices",
        }
    }

    /// The file that it is about.
    fn file(&self) -> &Path {
        match self {
            Command::Run(args) => &args.case,
            Command::Check(args) => &args.case,
            Command::Distance(args) => &args.mesh,
            Command::Generate(args) => args.file(),
            Command::Convert(args) => &args.input,
            Command::Dt(args) => args.file(),
            Command::Edt(args) => &args.input,
            Command::Render(args) => &args.file,
            Command::Points(args) => &args.input,
            Command::Tree(args) => &args.input,
            Command::Sparse(args) => &args.input,
            Command::Isosurface(args) => &args.input,
            Command::Reconstruct(args) => &args.input,
            Command::Voxelize(args) => &args.mesh,
            Command::Sample(args) => &args.mesh,
            Command::Info(args) => &args.file,
            Command::Schema(_) | Command::Defaults(_) | Command::Devices(_) => Path::new(""),
        }
    }

    /// The files that it reads, but for those of a case.
    fn inputs(&self) -> Vec<&Path> {
        match self {
            Command::Dt(args) => args.inputs(),
            Command::Generate(args) => args.input().into_iter().collect(),
            Command::Points(args) => args.which.inputs(&args.input),
            Command::Tree(args) => args.which.inputs(&args.input),
            _ => vec![self.file()],
        }
    }

    /// The files that it writes. A run keeps to its folder; distances look for themselves, as they
    /// read what a case may read.
    fn outputs(&self) -> Vec<&Path> {
        match self {
            Command::Generate(args) => args.output().into_iter().collect(),
            Command::Convert(args) => vec![&args.output],
            Command::Dt(args) => vec![&args.output],
            Command::Edt(args) => vec![&args.output],
            Command::Render(args) => vec![&args.output],
            Command::Points(args) => args.output.as_deref().into_iter().collect(),
            Command::Tree(args) => vec![&args.output],
            Command::Sparse(args) => vec![&args.output],
            Command::Isosurface(args) => args.telling.outputs(&args.output),
            Command::Reconstruct(args) => args.telling.outputs(&args.output),
            Command::Voxelize(args) => vec![&args.output],
            Command::Sample(args) => vec![&args.output],
            Command::Run(_) | Command::Check(_) | Command::Distance(_) => Vec::new(),
            Command::Info(_) | Command::Schema(_) | Command::Defaults(_) | Command::Devices(_) => {
                Vec::new()
            }
        }
    }

    /// Threads that it asks for, 0 for all cores; `None` if a case says it or none are needed.
    fn threads(&self) -> Option<usize> {
        match self {
            Command::Dt(args) => Some(args.threads.threads),
            Command::Edt(args) => Some(args.threads.threads),
            Command::Render(args) => Some(args.threads.threads),
            Command::Points(args) => Some(args.threads.threads),
            Command::Tree(args) => Some(args.threads.threads),
            Command::Sparse(args) => Some(args.threads.threads),
            Command::Isosurface(args) => Some(args.threads.threads),
            Command::Reconstruct(args) => Some(args.threads.threads),
            Command::Sample(args) => Some(args.threads.threads),
            Command::Generate(_)
            | Command::Convert(_)
            | Command::Voxelize(_)
            | Command::Info(_) => Some(0),
            Command::Run(_) | Command::Check(_) | Command::Distance(_) => None,
            Command::Schema(_) | Command::Defaults(_) | Command::Devices(_) => None,
        }
    }

    /// What to do if there is not enough memory for it.
    fn remedy(&self) -> &'static str {
        match self {
            Command::Run(_) => {
                "take precision = \"f32\", a narrower band, a coarser mesh or a larger machine (see \
                 also `ulimit -v`); a run that has written a checkpoint goes on with --resume"
            }
            Command::Check(_) => "take a coarser mesh or a larger machine (see also `ulimit -v`)",
            Command::Distance(_) => {
                "take --precision f32, a coarser mesh or a larger machine (see also `ulimit -v`)"
            }
            Command::Generate(_) => {
                "take fewer cells or refinements or a larger machine (see also `ulimit -v`)"
            }
            Command::Voxelize(_) => {
                "take a smaller --size or a larger machine (see also `ulimit -v`)"
            }
            Command::Reconstruct(_) => {
                "take larger cubes (--depth, --cell) or a larger machine (see also `ulimit -v`)"
            }
            Command::Convert(_)
            | Command::Isosurface(_)
            | Command::Dt(_)
            | Command::Edt(_)
            | Command::Render(_)
            | Command::Points(_)
            | Command::Tree(_)
            | Command::Sparse(_)
            | Command::Sample(_)
            | Command::Info(_) => "free memory or take a larger machine (see also `ulimit -v`)",
            Command::Schema(_) | Command::Defaults(_) | Command::Devices(_) => "see `ulimit -v`",
        }
    }
}

/// Says what is wrong with the command line, or what was asked about it.
fn refuse(error: &clap::Error) -> ExitCode {
    let json = error.use_stderr() && std::env::args_os().any(|word| word == "--json");
    if !json {
        let printed = error.print().and_then(|()| std::io::stdout().flush());
        // Nobody is left to be told if this fails, but for a program that looks at the code.
        let broken = |e: std::io::Error| e.kind() != std::io::ErrorKind::BrokenPipe;
        if !error.use_stderr() && printed.is_err_and(broken) {
            return ExitCode::from(Error::output(Path::new("standard output"), "", "").exit_code());
        }
        return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
    }
    let text = error.render().to_string();
    let error = Error::usage(text.trim_start_matches("error: ").trim_end(), "");
    Ui::new(0, false).complain(&json::error(&error));
    ExitCode::from(error.exit_code())
}

fn dispatch(command: Command, ui: &Ui) -> Result<u8> {
    match command {
        Command::Run(args) => run::run(args, ui),
        Command::Check(args) => check::run(args, ui),
        Command::Distance(args) => distance::run(*args, ui),
        Command::Dt(args) => dt::run(*args, ui),
        Command::Edt(args) => edt::run(args, ui),
        Command::Generate(args) => generate::run(args, ui),
        Command::Convert(args) => convert::run(args, ui),
        Command::Render(args) => render::run(*args, ui),
        Command::Points(args) => points::run(*args, ui),
        Command::Tree(args) => tree::run(args, ui),
        Command::Sparse(args) => sparse::run(args, ui),
        Command::Isosurface(args) => isosurface::run(args, ui),
        Command::Reconstruct(args) => reconstruct::run(*args, ui),
        Command::Voxelize(args) => voxelize::run(args, ui),
        Command::Sample(args) => sample::run(args, ui),
        Command::Schema(args) => schema::schema(args, ui),
        Command::Defaults(args) => schema::defaults(args, ui),
        Command::Info(args) => info::run(args, ui),
        Command::Devices(args) => devices::run(args, ui),
    }
}

/// Three numbers between commas.
fn three(text: &str) -> std::result::Result<[f64; 3], String> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|x| x.trim().parse().ok()).collect();
    let numbers = numbers.and_then(|list| <[f64; 3]>::try_from(list).ok());
    numbers.ok_or_else(|| "expected X,Y,Z".to_string())
}

/// A word of the case file, such as a partition or a device.
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
