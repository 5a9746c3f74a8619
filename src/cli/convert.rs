//! `zeroset convert IN OUT`: a mesh or a volume in another format.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::Ui;
use super::generate::write;
use super::volume;
use zeroset::atomic::check_folder;
use zeroset::error::{Error, Result};
use zeroset::expression::{Expression, Field};
use zeroset::io::{WriteOptions, check_target, is_volume_target, read_mesh};
use zeroset::mesh::{Kind, Mesh, boundary, normal_arrays, part};
use zeroset::words::noun;
use zeroset::words::suggest;

/// Arguments of `zeroset convert`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  zeroset convert brain.gii.gz brain.vtp
  zeroset convert part.msh part.vtu
  zeroset convert part.msh --boundary skin.stl
  zeroset convert scan.ply scan.msh --ascii
  zeroset convert brain.vtp left.vtp --where \"x < 0 && curv > -0.2\"
  zeroset convert results/interface_000050.vtp front.obj --normals
  zeroset convert head.nii.gz head.vti
  zeroset convert scan.raw scan.nrrd --raw 256x256x109:uint16le:1x1x1.5

The ending of OUT is the format: .vtu, .msh (4.1), .mesh (with .sol for point data) for any mesh;
.vtp, .ply, .obj, .off, .stl, .gii for triangles; .sol for point data alone. Vertices and cells keep
their order. Point data, cell data and groups go along into .vtu, .vtp, .msh and .ply; what a format
cannot hold is named in a warning. OUT is replaced if it is there, unless it is IN, and appears
whole or not at all.

Volumes and gray pictures (NIfTI, NRRD, MetaImage, VTK images, .npy, PNG, TIFF, PGM, raw numbers)
go into .nii.gz, .nii, .nrrd, .mha, .vti or .npy (indexed [x][y][z]). Numbers keep their type.")]
pub struct Args {
    /// Mesh or volume of any format that zeroset reads, compressed with gzip or not
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// File to write
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
    /// Write text instead of binary (msh, ply, stl)
    #[arg(long)]
    pub ascii: bool,
    /// Keep only cells all of whose vertices fulfill an expression in x, y, z and vertex arrays
    #[arg(long = "where", value_name = "EXPRESSION")]
    pub selection: Option<Expression>,
    /// Write the boundary of tetrahedra, as triangles that look outwards
    #[arg(long)]
    pub boundary: bool,
    /// Add normals at the vertices of triangles, as the arrays nx, ny and nz (vn of .obj)
    #[arg(long)]
    pub normals: bool,
    #[command(flatten)]
    pub source: volume::Source,
}

/// Reads, writes, and says in one line what was written.
///
/// # Errors
/// [`zeroset::Error::Case`] for an output that cannot be, before anything is read if its name says
/// so; [`zeroset::Error::Input`] for a mesh file that cannot be read; [`zeroset::Error::Output`].
pub fn run(args: Args, ui: &Ui) -> Result<u8> {
    let options = WriteOptions::default().ascii(args.ascii);
    if is_volume_target(&args.output) {
        only_for_meshes(&args)?;
        check_folder(&args.output)?;
        return volume::convert(&args.input, &args.output, &args.source, &options, ui);
    }
    check_target(&args.output, &options, None)?;
    check_folder(&args.output)?;
    if args.source.is_given() {
        let what = format!("{}: --raw and --array speak of volumes", args.output.display());
        return Err(Error::usage(what, "end the name in .nii.gz, .nrrd, .mha, .vti or .npy"));
    }
    let file = read_mesh(&args.input)?;
    ui.warn_of(&args.input, &file.warnings);
    ui.warn_of(&args.input, cut(&file.cells_by_type));
    let mut mesh = file.mesh;
    if let Some(selection) = &args.selection {
        mesh = selected(mesh, selection)?;
    }
    if args.boundary {
        mesh = boundary(&mesh).map_err(|error| error.in_file(&args.input))?;
    }
    if args.normals {
        add_normals(&mut mesh)?;
    }
    write(&args.output, &mesh, &options, ui)?;
    Ok(0)
}

/// Refuses options of meshes where a volume is written.
fn only_for_meshes(args: &Args) -> Result<()> {
    let options = [
        ("--where", args.selection.is_some()),
        ("--boundary", args.boundary),
        ("--normals", args.normals),
    ];
    match options.into_iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((option, _)) => {
            let what = format!("{}: {option} is for meshes, no volumes", args.output.display());
            Err(Error::usage(what, "leave it out"))
        }
    }
}

/// What became of faces that are no triangles; solids the reader has spoken of.
fn cut(stored: &BTreeMap<String, usize>) -> Option<String> {
    const FACES: [&str; 4] = ["quad", "pixel", "polygon", "triangle_strip"];
    let faces = FACES.iter().filter_map(|name| stored.get(*name).map(|n| format!("{n} {name}")));
    let faces: Vec<String> = faces.collect();
    let n: usize = FACES.iter().filter_map(|name| stored.get(*name)).sum();
    let cells = noun(n, ["cell is", "cells are"]);
    (!faces.is_empty()).then(|| format!("{} {cells} cut into triangles", faces.join(", ")))
}

/// Adds the normals at the vertices as the arrays `nx`, `ny` and `nz`.
///
/// # Errors
/// [`Error::Case`] for a mesh of tetrahedra.
fn add_normals(mesh: &mut Mesh) -> Result<()> {
    if mesh.kind == Kind::Volume {
        return Err(Error::usage("--normals: tetrahedra have none", "add --boundary"));
    }
    for array in normal_arrays(mesh) {
        mesh.vertex_data.retain(|other| other.name != array.name);
        mesh.vertex_data.push(array);
    }
    Ok(())
}

/// The cells all of whose vertices fulfill the selection, with their vertices.
///
/// # Errors
/// [`Error::Case`] for an array that is not there or has several numbers per vertex, a selection of
/// the time, and one that leaves nothing.
fn selected(mesh: Mesh, selection: &Expression) -> Result<Mesh> {
    if selection.uses_time() {
        return Err(Error::usage(
            "--where must not depend on the time t",
            "for an array called t write {t}",
        ));
    }
    let values = over_vertices(&mesh, selection)?;
    // A value that is no number fulfills nothing.
    let fulfills = |&v: &u32| values[v as usize] != 0.0 && !values[v as usize].is_nan();
    let keep: Vec<bool> = mesh.iter_cells().map(|cell| cell.iter().all(fulfills)).collect();
    if !keep.contains(&true) {
        return Err(Error::usage(
            format!("--where {selection}: no cell of {} fulfills it", keep.len()),
            "see `zeroset info` for the ranges of coordinates and arrays",
        ));
    }
    Ok(part(mesh, &keep).0)
}

/// An expression of the coordinates and the vertex arrays of a mesh, one number per vertex.
///
/// # Errors
/// [`Error::Case`] for an array that is not there or has several numbers per vertex.
pub(super) fn over_vertices(mesh: &Mesh, expression: &Expression) -> Result<Vec<f64>> {
    let rows = |name: &str| -> Result<Arc<[f64]>> {
        let names: Vec<&str> = mesh.vertex_data.iter().map(|a| a.name.as_str()).collect();
        match mesh.vertex_array(name) {
            Some(array) if array.components == 1 => Ok(array.values.to_f64().into()),
            Some(array) => Err(Error::usage(
                format!("the array \"{name}\" has {} numbers per vertex", array.components),
                "take an array of single numbers, see `zeroset info`",
            )),
            None => Err(Error::usage(
                format!("there is no vertex array \"{name}\""),
                suggest(name, &names).replace("allowed:", "there are:"),
            )),
        }
    };
    Ok(Field::bind(expression, rows)?.values(&mesh.vertices, 0.0))
}
