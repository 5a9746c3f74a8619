//! `zeroset convert IN OUT`: a mesh file in another format.

use std::path::PathBuf;

use super::Ui;
use super::generate::write;
use crate::error::Result;
use crate::io::{WriteOptions, check_target, read_mesh};
use crate::mesh::boundary;

/// Arguments of `zeroset convert`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  zeroset convert brain.gii.gz brain.vtp
  zeroset convert part.msh part.vtu
  zeroset convert part.msh --boundary skin.stl
  zeroset convert scan.ply scan.msh --ascii

The ending of OUT is the format: .vtu, .msh (4.1) for any mesh; .vtp, .ply, .off, .stl, .gii for
triangles. Vertices and cells keep their order. Point data, cell data and groups go along into
.vtu, .vtp, .msh and .ply; what a format cannot hold is named in a warning. OUT is replaced if it
is there, and appears whole or not at all.")]
pub struct Args {
    /// Mesh file of any format that zeroset reads, compressed with gzip or not
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// File to write
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
    /// Write text instead of binary (msh, ply, stl)
    #[arg(long)]
    pub ascii: bool,
    /// Write the boundary of tetrahedra, as triangles that look outwards
    #[arg(long)]
    pub boundary: bool,
}

/// Reads, writes, and says in one line what was written.
///
/// # Errors
/// [`crate::Error::Case`] for an output that cannot be, before anything is read if its name says
/// so; [`crate::Error::Input`] for a mesh file that cannot be read; [`crate::Error::Output`].
pub fn run(args: Args, ui: &Ui) -> Result<u8> {
    let options = WriteOptions::default().ascii(args.ascii);
    check_target(&args.output, &options, None)?;
    let file = read_mesh(&args.input)?;
    for warning in &file.warnings {
        ui.say(&format!("warning: {}: {warning}", args.input.display()));
    }
    let mut mesh = file.mesh;
    if args.boundary {
        mesh = boundary(&mesh).map_err(|error| error.in_file(&args.input))?;
    }
    write(&args.output, &mesh, &options, ui)?;
    Ok(0)
}
