//! The subcommands, and what the program knows of each before it runs.

use std::path::Path;

use clap::Subcommand;

use super::{
    Ui, check, convert, devices, distance, dt, edt, generate, info, isosurface, points,
    reconstruct, render, run, sample, schema, voxelize,
};
use zeroset::error::Result;

/// What the program is asked to do.
#[derive(Debug, Subcommand)]
pub enum Command {
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
    /// List or count the voxels of a volume where an expression holds; cut it into blocks of one
    /// value; write a matrix without its zeros
    #[command(aliases = points::OLD_COMMANDS)]
    Points(Box<points::Args>),
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

impl Command {
    /// Whether all that is said is JSON.
    pub fn is_json(&self) -> bool {
        match self {
            Command::Run(args) => args.json,
            Command::Distance(args) => args.json,
            Command::Isosurface(args) => args.outputs.json,
            Command::Reconstruct(args) => args.outputs.json,
            Command::Sample(args) => args.json,
            _ => false,
        }
    }

    /// What it does before it says so itself.
    pub fn doing(&self) -> &'static str {
        match self {
            Command::Run(_) => "reading the case",
            Command::Check(_) => "checking the case",
            Command::Distance(_) => "reading the mesh",
            Command::Dt(_) | Command::Edt(_) => "computing distances",
            Command::Generate(_) => "making the mesh",
            Command::Convert(_) => "converting the file",
            Command::Render(_) => "drawing",
            Command::Points(_) => "reading the volume",
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
    pub fn file(&self) -> &Path {
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
            Command::Isosurface(args) => &args.input,
            Command::Reconstruct(args) => &args.input,
            Command::Voxelize(args) => &args.mesh,
            Command::Sample(args) => &args.mesh,
            Command::Info(args) => &args.file,
            Command::Schema(_) | Command::Defaults(_) | Command::Devices(_) => Path::new(""),
        }
    }

    /// The files that it reads, but for those of a case.
    pub fn inputs(&self) -> Vec<&Path> {
        match self {
            Command::Dt(args) => args.inputs(),
            Command::Generate(args) => args.input().into_iter().collect(),
            Command::Points(args) => args.which.inputs(&args.input),
            _ => vec![self.file()],
        }
    }

    /// The files that it writes. A run keeps to its folder; distances look for themselves, as they
    /// read what a case may read.
    pub fn outputs(&self) -> Vec<&Path> {
        match self {
            Command::Generate(args) => args.output().into_iter().collect(),
            Command::Convert(args) => vec![&args.output],
            Command::Dt(args) => vec![&args.output],
            Command::Edt(args) => vec![&args.output],
            Command::Render(args) => vec![&args.output],
            Command::Points(args) => args.output.as_deref().into_iter().collect(),
            Command::Isosurface(args) => args.outputs.files(&args.output),
            Command::Reconstruct(args) => args.outputs.files(&args.output),
            Command::Voxelize(args) => vec![&args.output],
            Command::Sample(args) => vec![&args.output],
            Command::Run(_) | Command::Check(_) | Command::Distance(_) => Vec::new(),
            Command::Info(_) | Command::Schema(_) | Command::Defaults(_) | Command::Devices(_) => {
                Vec::new()
            }
        }
    }

    /// Threads that it asks for, 0 for all cores; `None` if a case says it or none are needed.
    pub fn threads(&self) -> Option<usize> {
        match self {
            Command::Dt(args) => Some(args.threads.threads),
            Command::Edt(args) => Some(args.threads.threads),
            Command::Render(args) => Some(args.threads.threads),
            Command::Points(args) => Some(args.threads.threads),
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
    pub fn remedy(&self) -> &'static str {
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
            | Command::Sample(_)
            | Command::Info(_) => "free memory or take a larger machine (see also `ulimit -v`)",
            Command::Schema(_) | Command::Defaults(_) | Command::Devices(_) => "see `ulimit -v`",
        }
    }

    /// Does it, and gives the exit code.
    ///
    /// # Errors
    /// All kinds.
    pub fn run(self, ui: &Ui) -> Result<u8> {
        match self {
            Command::Run(args) => run::run(args, ui),
            Command::Check(args) => check::run(args, ui),
            Command::Distance(args) => distance::run(*args, ui),
            Command::Dt(args) => dt::run(*args, ui),
            Command::Edt(args) => edt::run(args, ui),
            Command::Generate(args) => generate::run(args, ui),
            Command::Convert(args) => convert::run(args, ui),
            Command::Render(args) => render::run(*args, ui),
            Command::Points(args) => points::run(*args, ui),
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
}
