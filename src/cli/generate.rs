//! `zeroset generate`: makes a mesh, or refines one from a file, and writes it for ParaView.
//!
//! ```text
//! zeroset generate square --cells 64,64 --jitter 0.25 -o square.vtp
//! zeroset generate sphere --irregular --vertices 255817 --seed 1 --refine 1 -o sphere.vtp
//! zeroset generate from brain.gii.gz --refine 1 -o fine.vtp
//! ```

use std::path::{Path, PathBuf};

use super::Ui;
use crate::error::{Error, Result};
use crate::io::vtk::groups::PREFIX as GROUP_PREFIX;
use crate::io::vtk::{Compression, Field, Geometry, VtkOutput};
use crate::io::{read_mesh, vtk};
use crate::mesh::generate::{Generate, generate};
use crate::mesh::refine::refine_times;
use crate::mesh::{Group, Kind, Members, Mesh, assess};

/// Make a mesh, or refine one from a file, and write it as .vtu or .vtp
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    source: Source,
    /// Cut every cell N times: triangles in four, tetrahedra in eight, at the midpoints of edges
    #[arg(long, global = true, value_name = "N", default_value_t = 0, hide_default_value = true)]
    refine: u32,
    /// File to write: .vtu for any mesh, .vtp for triangles
    #[arg(short, long, global = true, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Debug, clap::Subcommand)]
enum Source {
    #[command(flatten)]
    Shape(Generate),
    /// A mesh from a file of any format that zeroset reads
    From {
        /// The file
        mesh: PathBuf,
    },
}

/// Makes or reads the mesh, refines and writes it, and says in one line what was written.
///
/// # Errors
/// [`Error::Case`] for options out of range or a missing or unknown output name, before any work;
/// [`Error::Input`] for a mesh file that cannot be read; [`Error::Output`] if the result cannot be
/// written.
pub fn run(args: Args, ui: &Ui) -> Result<u8> {
    let path = output_path(&args)?;
    let mesh = match &args.source {
        Source::Shape(shape) => generate(shape)?,
        Source::From { mesh } => read(mesh, ui)?,
    };
    let mesh = refine_times(mesh, args.refine)?;
    write(path, &mesh)?;
    let (vertices, cells) = (mesh.n_vertices(), mesh.n_cells());
    let name = if mesh.kind == Kind::Volume { "tetrahedra" } else { "triangles" };
    ui.print(&format!("{}: {vertices} vertices, {cells} {name}\n", path.display()))?;
    Ok(0)
}

/// The mesh as its file stores it, if it could serve a solver.
fn read(path: &Path, ui: &Ui) -> Result<Mesh> {
    let file = read_mesh(path)?;
    for warning in &file.warnings {
        ui.say(&format!("warning: {}: {warning}", path.display()));
    }
    assess(&file.mesh).map_err(|error| error.in_file(path))?;
    Ok(file.mesh)
}

/// The output name, known to be one that can be written.
fn output_path(args: &Args) -> Result<&Path> {
    let Some(path) = &args.output else {
        return Err(Error::usage("generate: no output file", "give one with -o FILE"));
    };
    let extension = path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
    match extension.as_deref() {
        Some("vtu" | "vtp") => Ok(path),
        _ => Err(Error::usage(
            format!("generate: {} ends neither in .vtu nor in .vtp", path.display()),
            "name it *.vtu, or *.vtp for triangles",
        )),
    }
}

/// The mesh with all its arrays; groups become masks called `group:NAME`, of cells or of the
/// vertices of their lower-dimensional members, which the reader turns back into groups.
fn write(path: &Path, mesh: &Mesh) -> Result<()> {
    let masks: Vec<(String, bool, Vec<u8>)> =
        mesh.groups.iter().map(|group| mask(group, mesh)).collect();
    let of = |cells: bool| {
        masks
            .iter()
            .filter(move |(_, of_cells, _)| *of_cells == cells)
            .map(|(name, _, values)| Field { name, components: 1, values: values.into() })
    };
    let geometry = Geometry::mesh(mesh, Compression::Lz4);
    let mut output = VtkOutput::new(&geometry);
    output.point_data = mesh.vertex_data.iter().map(Field::from).chain(of(false)).collect();
    output.cell_data = mesh.cell_data.iter().map(Field::from).chain(of(true)).collect();
    vtk::write(path, &output)
}

/// Name of the mask of a group, whether it is one of cells, and the mask.
fn mask(group: &Group, mesh: &Mesh) -> (String, bool, Vec<u8>) {
    let (of_cells, members, rows) = match &group.members {
        Members::Cells(cells) => (true, cells, mesh.n_cells()),
        Members::Simplices { vertices, .. } => (false, vertices, mesh.n_vertices()),
    };
    let mut mask = vec![0; rows];
    for &member in members {
        if let Some(row) = mask.get_mut(member as usize) {
            *row = 1;
        }
    }
    (format!("{GROUP_PREFIX}{}", group.name), of_cells, mask)
}

#[cfg(test)]
mod tests {
    use super::*;
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
    fn groups_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("groups.vtu");
        let spec: Generate = toml::from_str("square = { cells = [1, 1] }").unwrap();
        let mut mesh = generate(&spec).unwrap();
        let edge = Members::Simplices { dimension: 1, vertices: vec![0, 1] };
        mesh.groups = vec![
            Group { name: "half".into(), members: Members::Cells(vec![1]) },
            Group { name: "side".into(), members: edge },
        ];
        write(&path, &mesh).unwrap();
        let found = read_mesh(&path).unwrap().mesh;
        assert_eq!(found.group("half").unwrap().members, Members::Cells(vec![1]));
        let side = Members::Simplices { dimension: 0, vertices: vec![0, 1] };
        assert_eq!(found.group("side").unwrap().members, side);
        assert!(found.vertex_data.is_empty() && found.cell_data.is_empty());
    }

    #[test]
    fn names_that_cannot_be_written_are_refused_before_any_work() {
        for line in ["sphere", "sphere -o a.stl", "cube --cells 900,900,900 -o a"] {
            let error = zeroset_generate(line).unwrap_err();
            assert_eq!(error.exit_code(), 2, "{error}");
            assert!(error.to_string().starts_with("generate: "), "{error}");
        }
        let message = zeroset_generate("cube --jitter 0.4 -o a.vtu").unwrap_err().to_string();
        assert!(message.contains("jitter = 0.4"), "{message}");
    }
}
