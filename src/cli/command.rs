//! The subcommands, and what the program must know about each before running it.

use std::path::Path;

use clap::Subcommand;

use super::{
    Ui, batch, check, compare, converge, convert, devices, distance, dt, edt, generate, info,
    isosurface, points, reconstruct, render, run, sample, schema, sdf, shell, view, voxelize,
};
use crate::error::Result;
use crate::output::Claims;

/// A subcommand with its arguments.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a case: move an interface or compute a distance, and write states and a report
    Run(run::Args),
    /// Run a case for each row of a table, such as a list of subjects
    Batch(batch::Args),
    /// Check a case and its input files without running it
    Check(check::Args),
    /// Compare two results or runs, and say where they differ
    Compare(compare::Args),
    /// Run a case on several levels, each twice as fine, and print errors and observed orders
    Converge(converge::Args),
    /// Compute the distance from vertices, points, groups, curves or zero sets of a mesh
    Distance(Box<distance::Args>),
    /// Compute the distance from given points to the nearest voxels of a volume, or to other points
    Dt(Box<dt::Args>),
    /// Compute the distance from every voxel of a volume to the voxels where an expression is true
    Edt(edt::Args),
    /// Compute signed distances to a surface, on a grid or at points
    Sdf(Box<sdf::Args>),
    /// Generate a mesh, or refine one from a file
    Generate(generate::Args),
    /// Convert a mesh or a volume to another format
    Convert(convert::Args),
    /// Draw a volume, a mesh or the result of a run as a PNG picture
    Render(Box<render::Args>),
    /// Write a 3-D view of a volume, a mesh or the result of a run as one HTML file for browsers
    View(Box<view::Args>),
    /// List or count the voxels where an expression is true; convert a volume to an octree or a
    /// matrix to a sparse matrix
    #[command(aliases = points::OLD_COMMANDS)]
    Points(Box<points::Args>),
    /// Extract an isosurface from a volume
    Isosurface(isosurface::Args),
    /// Reconstruct a surface from a point cloud
    Reconstruct(Box<reconstruct::Args>),
    /// Convert a surface or a tetrahedral mesh to a volume of inside voxels
    Voxelize(voxelize::Args),
    /// Sample random points on a surface and write them as a point cloud
    Sample(sample::Args),
    /// Print the JSON schema of the case file
    Schema(schema::SchemaArgs),
    /// Print a case with every key, its default and its meaning
    Defaults(schema::DefaultsArgs),
    /// Describe a file: mesh, point cloud, volume, picture or data
    Info(info::Args),
    /// List and test the GPUs, or compile every kernel
    Devices(devices::Args),
    /// Print the completions of commands and options for a shell
    Completions(shell::CompletionsArgs),
    /// Write the pages for `man`
    Manual(shell::ManualArgs),
}

impl Command {
    /// Returns true if all output is JSON.
    pub fn is_json(&self) -> bool {
        match self {
            Command::Run(args) => args.json,
            Command::Check(args) => args.json,
            Command::Compare(args) => args.json,
            Command::Distance(args) => args.json,
            Command::Isosurface(args) => args.outputs.json,
            Command::Reconstruct(args) => args.outputs.json,
            Command::Sample(args) => args.json,
            Command::Sdf(args) => args.json,
            _ => false,
        }
    }

    /// Returns what the command does first, for the message that is printed if memory runs out.
    pub fn doing(&self) -> &'static str {
        match self {
            Command::Run(_) | Command::Batch(_) | Command::Converge(_) => "reading the case",
            Command::Check(_) => "checking the case",
            Command::Compare(_) => "comparing the results",
            Command::Distance(_) => "reading the mesh",
            Command::Dt(_) | Command::Edt(_) | Command::Sdf(_) => "computing distances",
            Command::Generate(_) => "making the mesh",
            Command::Convert(_) => "converting the file",
            Command::Render(_) => "drawing",
            Command::View(_) => "making the view",
            Command::Points(_) => "reading the volume",
            Command::Isosurface(_) => "extracting the surface",
            Command::Reconstruct(_) => "reconstructing the surface",
            Command::Voxelize(_) => "reading the mesh",
            Command::Sample(_) => "sampling points",
            Command::Schema(_) | Command::Defaults(_) | Command::Completions(_) => "printing",
            Command::Manual(_) => "writing the pages",
            Command::Info(_) => "reading the file",
            Command::Devices(_) => "testing the devices",
        }
    }

    /// Returns the main file of the command, or an empty path if it has none.
    pub fn file(&self) -> &Path {
        match self {
            Command::Run(args) => &args.case,
            Command::Check(args) => &args.case,
            Command::Compare(args) => &args.a,
            Command::Batch(args) => &args.case,
            Command::Converge(args) => &args.case,
            Command::Distance(args) => &args.mesh,
            Command::Generate(args) => args.file(),
            Command::Convert(args) => args.input(),
            Command::Dt(args) => args.file(),
            Command::Edt(args) => &args.input,
            Command::Render(args) => &args.file,
            Command::View(args) => &args.file,
            Command::Points(args) => &args.input,
            Command::Isosurface(args) => &args.input,
            Command::Reconstruct(args) => &args.input,
            Command::Voxelize(args) => &args.mesh,
            Command::Sample(args) => &args.mesh,
            Command::Sdf(args) => &args.mesh,
            Command::Info(args) => &args.file,
            Command::Schema(_)
            | Command::Defaults(_)
            | Command::Devices(_)
            | Command::Completions(_)
            | Command::Manual(_) => Path::new(""),
        }
    }

    /// Returns the files that the command reads, except those that a case names.
    pub fn inputs(&self) -> Vec<&Path> {
        match self {
            Command::Dt(args) => args.inputs(),
            Command::Convert(args) => args.inputs(),
            Command::Generate(args) => args.input().into_iter().collect(),
            Command::Points(args) => args.which.inputs(&args.input),
            Command::Render(args) => args.inputs(),
            Command::View(args) => args.inputs(),
            Command::Sdf(args) => args.inputs(),
            _ => vec![self.file()],
        }
    }

    /// Returns the files that the command writes.
    ///
    /// `run`, `converge` and `distance` are left out. They make their own checks, because they also
    /// read files that the case or the options name.
    pub fn outputs(&self) -> Vec<&Path> {
        match self {
            Command::Generate(args) => args.output().into_iter().collect(),
            Command::Convert(args) => vec![args.output()],
            Command::Dt(args) => vec![&args.output],
            Command::Edt(args) => vec![&args.output],
            Command::Render(args) => vec![&args.output],
            Command::View(args) => vec![&args.output],
            Command::Points(args) => args.output.as_deref().into_iter().collect(),
            Command::Isosurface(args) => args.outputs.files(&args.output),
            Command::Reconstruct(args) => args.outputs.files(&args.output),
            Command::Voxelize(args) => vec![&args.output],
            Command::Sample(args) => vec![&args.output],
            Command::Sdf(args) => args.outputs(),
            Command::Run(_)
            | Command::Batch(_)
            | Command::Check(_)
            | Command::Converge(_)
            | Command::Distance(_) => Vec::new(),
            // `manual` checks the names of its pages itself.
            Command::Compare(_)
            | Command::Info(_)
            | Command::Schema(_)
            | Command::Defaults(_)
            | Command::Devices(_)
            | Command::Completions(_)
            | Command::Manual(_) => Vec::new(),
        }
    }

    /// Returns the claims on the files that the command reads and writes.
    pub fn claims(&self) -> Claims {
        let outputs = self.outputs();
        // Commands without outputs may read anything.
        let inputs = if outputs.is_empty() { Vec::new() } else { self.inputs() };
        let read = inputs.into_iter().fold(Claims::new(), Claims::reading);
        outputs.into_iter().fold(read, Claims::writing)
    }

    /// Returns the requested number of threads, 0 for all cores.
    ///
    /// It is `None` for `run`, `batch`, `check`, `converge` and `distance`, whose case specifies
    /// the number, and for commands without threads.
    pub fn threads(&self) -> Option<usize> {
        match self {
            Command::Dt(args) => Some(args.threads.threads),
            Command::Edt(args) => Some(args.threads.threads),
            Command::Render(args) => Some(args.threads.threads),
            Command::View(args) => Some(args.threads.threads),
            Command::Points(args) => Some(args.threads.threads),
            Command::Isosurface(args) => Some(args.threads.threads),
            Command::Reconstruct(args) => Some(args.threads.threads),
            Command::Sample(args) => Some(args.threads.threads),
            Command::Sdf(args) => Some(args.threads.threads),
            Command::Generate(_)
            | Command::Convert(_)
            | Command::Voxelize(_)
            | Command::Compare(_)
            | Command::Info(_) => Some(0),
            Command::Run(_)
            | Command::Batch(_)
            | Command::Check(_)
            | Command::Converge(_)
            | Command::Distance(_) => None,
            Command::Schema(_)
            | Command::Defaults(_)
            | Command::Devices(_)
            | Command::Completions(_)
            | Command::Manual(_) => None,
        }
    }

    /// Returns the advice for a user whose machine has too little memory for the command.
    pub fn remedy(&self) -> &'static str {
        match self {
            Command::Run(_) => {
                "use precision = \"f32\", a narrower band, a coarser mesh or a machine with more memory \
                 (see also `ulimit -v`); a run that has written a checkpoint continues with --resume"
            }
            Command::Batch(_) => {
                "use fewer --jobs, precision = \"f32\" or a machine with more memory (see also \
                 `ulimit -v`); --resume continues the batch"
            }
            Command::Converge(_) => {
                "use fewer --levels, a coarser case or a machine with more memory (see also `ulimit \
                 -v`)"
            }
            Command::Check(_) => {
                "use a coarser mesh or a machine with more memory (see also `ulimit -v`)"
            }
            Command::Distance(_) => {
                "use --precision f32, a coarser mesh or a machine with more memory (see also `ulimit \
                 -v`)"
            }
            Command::Generate(_) => {
                "use fewer cells or refinements or a machine with more memory (see also `ulimit -v`)"
            }
            Command::Voxelize(_) => {
                "use a smaller --size or a machine with more memory (see also `ulimit -v`)"
            }
            Command::Reconstruct(_) => {
                "use larger cubes (--depth, --cell) or a machine with more memory (see also `ulimit \
                 -v`)"
            }
            Command::Compare(_)
            | Command::Convert(_)
            | Command::Isosurface(_)
            | Command::Dt(_)
            | Command::Edt(_)
            | Command::Render(_)
            | Command::View(_)
            | Command::Points(_)
            | Command::Sample(_)
            | Command::Sdf(_)
            | Command::Info(_) => {
                "free memory or use a machine with more memory (see also `ulimit -v`)"
            }
            Command::Schema(_)
            | Command::Defaults(_)
            | Command::Devices(_)
            | Command::Completions(_)
            | Command::Manual(_) => "see `ulimit -v`",
        }
    }

    /// Runs the command and returns the exit code.
    ///
    /// # Errors
    /// Returns any error of the library.
    pub fn run(self, ui: &Ui) -> Result<u8> {
        match self {
            Command::Run(args) => run::run(args, ui),
            Command::Check(args) => check::run(args, ui),
            Command::Compare(args) => compare::run(args, ui),
            Command::Batch(args) => batch::run(args, ui),
            Command::Converge(args) => converge::run(args, ui),
            Command::Distance(args) => distance::run(*args, ui),
            Command::Dt(args) => dt::run(*args, ui),
            Command::Edt(args) => edt::run(args, ui),
            Command::Generate(args) => generate::run(args, ui),
            Command::Convert(args) => convert::run(args, ui),
            Command::Render(args) => render::run(*args, ui),
            Command::View(args) => view::run(*args, ui),
            Command::Points(args) => points::run(*args, ui),
            Command::Isosurface(args) => isosurface::run(args, ui),
            Command::Reconstruct(args) => reconstruct::run(*args, ui),
            Command::Voxelize(args) => voxelize::run(args, ui),
            Command::Sample(args) => sample::run(args, ui),
            Command::Sdf(args) => sdf::run(*args, ui),
            Command::Schema(args) => schema::schema(args, ui),
            Command::Defaults(args) => schema::defaults(args, ui),
            Command::Info(args) => info::run(args, ui),
            Command::Devices(args) => devices::run(args, ui),
            Command::Completions(args) => shell::completions(args, ui),
            Command::Manual(args) => shell::manual(args, ui),
        }
    }
}
