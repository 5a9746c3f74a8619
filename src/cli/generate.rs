//! `zeroset generate`: generates a mesh or refines one from a file, and writes it.
//!
//! ```text
//! zeroset generate square --cells 64,64 --jitter 0.25 -o square.vtp
//! zeroset generate sphere --irregular --vertices 255817 --seed 1 --refine 1 -o sphere.vtp
//! zeroset generate from brain.gii.gz --refine 1 -o fine.vtp
//! ```

use std::path::{Path, PathBuf};

use super::compressed::Compressed;
use super::times::At;
use super::{Ui, word};
use crate::atomic::check_folder;
use crate::error::{Error, Result};
use crate::io::{
    About, Frame, MeshOptions, WriteOptions, check_target, read_mesh_with, write_mesh_about,
};
use crate::mesh::generate::{Generate, generate};
use crate::mesh::refine::refine_times;
use crate::mesh::{Kind, Mesh, assess};
use crate::words::{SIMPLICES, counted};

/// Generate a mesh, or refine one from a file
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    source: Source,
    /// Refine N times: split each triangle into four, or each tetrahedron into eight, at edge
    /// midpoints
    #[arg(long, global = true, value_name = "N", default_value_t = 0, hide_default_value = true)]
    refine: u32,
    /// Output file: .vtu, .msh or .mesh for any mesh; .vtp, .ply, .obj, .off, .stl or .gii for
    /// triangles
    #[arg(short, long, global = true, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write text instead of binary (msh, ply, stl)
    #[arg(long, global = true)]
    ascii: bool,
    #[command(flatten)]
    compressed: Compressed,
}

#[derive(Clone, Debug, clap::Subcommand)]
enum Source {
    #[command(flatten)]
    Shape(Generate),
    /// Read a mesh from a file in any supported format
    From {
        /// Mesh file
        mesh: PathBuf,
        /// Frame of a cortical surface: tkr (FreeSurfer), scanner, or file (as stored)
        #[arg(long, value_name = "tkr|scanner|file", value_parser = word::<Frame>)]
        frame: Option<Frame>,
        #[command(flatten)]
        at: At,
    },
}

impl Args {
    /// Returns the file that is read, or else the file that is written, or an empty path if there
    /// is neither.
    pub(super) fn file(&self) -> &Path {
        self.input().or(self.output()).unwrap_or(Path::new(""))
    }

    /// Returns the file that is read, if any.
    pub(super) fn input(&self) -> Option<&Path> {
        match &self.source {
            Source::From { mesh, .. } => Some(mesh),
            Source::Shape(_) => None,
        }
    }

    /// Returns the file that is written, if it is given.
    pub(super) fn output(&self) -> Option<&Path> {
        self.output.as_deref()
    }
}

/// Generates or reads the mesh, refines it, writes it and prints one line about the output.
///
/// # Errors
/// Returns [`Error::Case`], before any work is done, if an option is out of range, or if the output
/// name is missing or has an unknown ending; [`Error::Input`] if the mesh file cannot be read;
/// [`Error::Output`] if the result cannot be written.
pub fn run(args: Args, ui: &Ui) -> Result<u8> {
    let Some(path) = &args.output else {
        return Err(Error::usage("generate: no output file", "give one with -o FILE"));
    };
    let compression = args.compressed.of(&[path])?;
    let options = WriteOptions::default().ascii(args.ascii).compression(compression);
    let cube = matches!(args.source, Source::Shape(Generate::Cube(_)));
    check_target(path, &options, cube.then_some(Kind::Volume))?;
    check_folder(path)?;
    let (mesh, about) = match &args.source {
        Source::Shape(shape) => {
            shape.check_refined(args.refine)?;
            (generate(shape)?, About::default())
        }
        Source::From { mesh, frame, at } => read(mesh, *frame, at, ui)?,
    };
    check_target(path, &options, Some(mesh.kind))?;
    let mesh = refine_times(mesh, args.refine).map_err(|error| match &args.source {
        Source::From { mesh, .. } => error.in_file(mesh),
        Source::Shape(_) => error,
    })?;
    ui.warn_of(path, write_mesh_about(path, &mesh, &options, &about)?);
    ui.print(&words(path, &mesh))?;
    Ok(0)
}

/// Returns a line with the path of the output and its numbers of vertices and cells.
pub(super) fn words(path: &Path, mesh: &Mesh) -> String {
    let (vertices, cells) = (mesh.n_vertices(), mesh.n_cells());
    let cells = counted(cells, SIMPLICES[mesh.kind.dimension().min(3)]);
    format!("{}: {vertices} vertices, {cells}\n", path.display())
}

/// Reads a mesh in a frame, and returns an error if no solver could use it.
fn read(path: &Path, frame: Option<Frame>, at: &At, ui: &Ui) -> Result<(Mesh, About)> {
    let file = read_mesh_with(path, &MeshOptions::default().frame(frame).time(at.time))?;
    ui.warn_of(path, &file.warnings);
    assess(&file.mesh).map_err(|error| error.in_file(path))?;
    Ok((file.mesh, *file.about))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::read_mesh;
    use clap::Parser;

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    fn zeroset_generate(line: &str) -> Result<u8> {
        let words = ["generate"].into_iter().chain(line.split_whitespace());
        run(Line::parse_from(words).args, &Ui::new(0, true))
    }

    #[test]
    fn made_meshes_can_be_read_and_refined() {
        let folder = tempfile::tempdir().unwrap();
        let [first, second] = ["a.vtu", "b.vtu"].map(|name| folder.path().join(name));
        let options = "cube --cells 2,2,2 --min -1,-1,-1 --refine 1";
        zeroset_generate(&format!("{options} -o {}", first.display())).unwrap();
        let made = read_mesh(&first).unwrap().mesh;
        assert_eq!((made.n_vertices(), made.n_cells()), (125, 384));
        assert_eq!(made.bounds(), ([-1.0; 3], [1.0; 3]));
        zeroset_generate(&format!("from {} --refine 1 -o {}", first.display(), second.display()))
            .unwrap();
        let refined = read_mesh(&second).unwrap().mesh;
        let expected = refine_times(made, 1).unwrap();
        assert_eq!((refined.vertices, refined.cells), (expected.vertices, expected.cells));
    }

    #[test]
    fn names_that_cannot_be_written_are_refused_before_any_work() {
        for line in ["sphere", "sphere -o a.xyz", "cube --cells 900,900,900 -o a"] {
            let error = zeroset_generate(line).unwrap_err();
            assert_eq!(error.exit_code(), 2, "{error}");
        }
        let error = zeroset_generate("cube -o a.stl").unwrap_err().to_string();
        assert!(error.contains("a.stl: this format holds triangles"), "{error}");
        let message = zeroset_generate("cube --jitter 0.4 -o a.vtu").unwrap_err().to_string();
        assert!(message.contains("jitter = 0.4"), "{message}");
    }
}
