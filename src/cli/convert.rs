//! `zeroset convert IN... OUT`: converts a mesh, a point cloud or a volume to another format.

mod all;
mod cloud;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::compressed::Compressed;
use super::fill_holes::FillHoles;
use super::generate::words;
use super::joined::joined;
use super::times::Times;
use super::volume;
use super::{Ui, word};
use crate::atomic::check_folder;
use crate::error::{Error, Result};
use crate::expression::{Expression, Field, is_true};
use crate::io::{
    Frame, MeshFile, MeshOptions, VolumeFile, WriteOptions, check_target, check_volume_target,
    is_cloud_target, is_volume_target, read_mesh_with, write_mesh_about,
};
use crate::mesh::repair::{Repairs, Thinness, Weld};
use crate::mesh::{self, Kind, Mesh, Places, boundary, normal_arrays, part};
use crate::surface::{DecimationTarget, decimate, fill_holes, repaired};
use crate::words::noun;

/// Arguments of `zeroset convert`.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "zeroset convert [OPTIONS] <IN>... <OUT>",
    after_help = "\
Examples:
  zeroset convert brain.gii.gz brain.vtp
  zeroset convert part.msh part.vtu
  zeroset convert part.msh --boundary skin.stl
  zeroset convert scan.ply scan.msh --ascii
  zeroset convert brain.vtp left.vtp --where \"x < 0 && curv > -0.2\"
  zeroset convert results/interface_000050.vtp front.obj --normals
  zeroset convert scan.stl clean.ply --repair --fill-holes
  zeroset convert scan.stl small.stl --repair --decimate 50000
  zeroset convert head.nii.gz head.vti
  zeroset convert results/run/run.pvd last.ply
  zeroset convert results/run/run.pvd state.ply --time all
  zeroset convert scan.raw scan.nrrd --raw 256x256x109:uint16le:1x1x1.5
  zeroset convert north.laz south.laz ground.ply --where \"classification == 2\" --thin 0.5
  zeroset convert scan.e57 part.xyz --crop 0,10,-5,5,0,3
  zeroset convert stack.tif nuclei.nrrd --channel 1 --spacing 0.2,0.2,0.5

The ending of OUT selects the format: .vtu, .msh (4.1) or .mesh (with .sol for point data) for any
mesh; .vtp, .ply, .obj, .off, .stl or .gii for triangles; .sol for point data alone. Vertices and
cells keep their order. Point data, cell data and groups are written to .vtu, .vtp, .msh and .ply; a
warning names the data that a format cannot hold. An existing OUT is replaced, unless it is IN. An
existing .sol beside a new .mesh is not. A failed conversion leaves no partial file.

--repair joins coincident vertices, removes degenerate cells without disconnecting the mesh, splits
cells at hanging nodes, leaves out duplicate cells and unused vertices, turns tetrahedra with
negative volume, and orients triangles: closed components face outward, cavities face what they
enclose, and open components keep the orientation of most of their area.

--fill-holes fills boundary loops with triangles of small area. --decimate collapses edges, those
with the smallest quadric error first; closed surfaces stay closed, and boundaries and borders of
groups stay in place. The order is --repair, --where, --boundary, --fill-holes, --decimate,
--normals. Warnings state what was done and how often.

Point clouds (LAS, LAZ, E57, PTX, PCD, text, and mesh formats without cells) are written as .ply,
.pcd, .las, .xyz, .txt, .csv or .vtp. Several clouds are merged into one. --crop and --where select
points, in the coordinates of the file; --project local then converts degrees to meters; --thin then
keeps one point per cube. Normals, colors and all attributes are kept where the format holds them.

Volumes and gray pictures (NIfTI, NRRD, MetaImage, VTK images, .npy, PNG, TIFF, PGM, raw numbers)
are written as .nii.gz, .nii, .nrrd, .mha, .vti or .npy (indexed [x][y][z]). Values keep their type.

Of a series of states (.pvd, .vtkhdf), the last is converted unless --time selects another one.
--time all writes each state to its own file: STEM_000000.ENDING, STEM_000001.ENDING, ... None of
these files may exist."
)]
pub struct Args {
    /// Mesh, point cloud or volume in any supported format, optionally compressed with gzip;
    /// several point clouds are merged
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// Output file, after further point clouds to merge, if any
    #[arg(value_name = "OUT", required = true, num_args = 1..)]
    pub rest: Vec<PathBuf>,
    /// Write text instead of binary (msh, ply, stl)
    #[arg(long)]
    pub ascii: bool,
    /// Repair the mesh: coincident vertices, degenerate cells, hanging nodes, orientation
    #[arg(long)]
    pub repair: bool,
    /// Which coincident vertices --repair and --boundary join: auto (along torn edges), never, or
    /// all within a length
    #[arg(long, value_name = "auto|never|LENGTH")]
    pub weld: Option<Weld>,
    /// Keep only the cells where an expression in x, y, z, arrays and groups is true: at all
    /// vertices of the cell, or in the cell if the expression uses a cell array or a group of
    /// cells. In a point cloud, keep only the points where an expression in x, y, z and attributes
    /// is true
    #[arg(long = "where", value_name = "EXPRESSION")]
    pub selection: Option<Expression>,
    /// Write the boundary of a tetrahedral mesh as triangles that face outward
    #[arg(long)]
    pub boundary: bool,
    /// Add vertex normals of triangles as the arrays nx, ny and nz (vn in .obj)
    #[arg(long)]
    pub normals: bool,
    /// Leave out cells that cannot be cut into triangles or tetrahedra, instead of failing
    #[arg(long)]
    pub skip_unsupported: bool,
    /// Frame of a cortical surface: tkr (FreeSurfer), scanner, or file (as stored)
    #[arg(long, value_name = "tkr|scanner|file", value_parser = word::<Frame>)]
    pub frame: Option<Frame>,
    /// States of a series (.pvd, .vtkhdf) to convert: a time, last, or all; default last
    #[arg(long, value_name = "T|last|all")]
    pub time: Option<Times>,
    #[command(flatten)]
    pub compressed: Compressed,
    #[command(flatten)]
    pub holes: FillHoles,
    /// Reduce the number of triangles to N, or to a fraction below 1, with small errors
    #[arg(long, value_name = "N")]
    pub decimate: Option<DecimationTarget>,
    #[command(flatten)]
    pub points: cloud::Changes,
    #[command(flatten)]
    pub source: volume::Source,
}

impl Args {
    /// Returns the first input file.
    pub fn input(&self) -> &Path {
        &self.input
    }

    /// Returns all input files.
    pub fn inputs(&self) -> Vec<&Path> {
        let further = self.rest.split_last().map_or(&[][..], |(_, further)| further);
        std::iter::once(&self.input).chain(further).map(PathBuf::as_path).collect()
    }

    /// Returns the output file.
    pub fn output(&self) -> &Path {
        self.rest.last().map_or(Path::new(""), PathBuf::as_path)
    }

    /// Returns the options of the reader of meshes.
    fn reading(&self) -> MeshOptions {
        MeshOptions::default()
            .skip_unsupported(self.skip_unsupported)
            .frame(self.frame)
            .time(Times::one(self.time))
    }

    /// Returns the options of the writer.
    fn options(&self) -> Result<WriteOptions> {
        let compression = self.compressed.of(&[self.output()])?;
        Ok(WriteOptions::default().ascii(self.ascii).compression(compression))
    }
}

/// Converts the file and prints one line about the output.
///
/// # Errors
/// Returns [`crate::Error::Case`] if the output cannot be written as requested;
/// [`crate::Error::Input`] if the input cannot be read; [`crate::Error::Output`] if the output
/// cannot be written. If the name of the output alone shows that it cannot be written as requested,
/// nothing is read.
pub fn run(args: Args, ui: &Ui) -> Result<u8> {
    let options = args.options()?;
    if is_volume_target(args.output()) {
        only_for_meshes(&args)?;
        cloud::refuse_for_others(&args)?;
        check_folder(args.output())?;
        check_volume_target(args.output(), &options)?;
        if args.time == Some(Times::All) {
            return all::run(&args, ui);
        }
        let reading = args.source.options().time(Times::one(args.time));
        let file = volume::read_for(args.input(), args.output(), &reading)?;
        write_volume_of(&args, args.output(), file, ui)?;
        return Ok(0);
    }
    if args.weld.is_some() && !args.repair && !args.boundary {
        let what = "--weld: without --repair or --boundary, no vertices are joined";
        return Err(Error::usage(what, "add --repair"));
    }
    if !is_cloud_target(args.output()) {
        check_target(args.output(), &options, None)?;
    }
    check_folder(args.output())?;
    if cloud::is_meant(&args)? {
        return cloud::run(&args, None, ui);
    }
    check_target(args.output(), &options, None)?;
    if let Some(option) = args.source.first_given() {
        let what = format!("{}: {option} is for volumes", args.output().display());
        return Err(Error::usage(what, "end the name in .nii.gz, .nrrd, .mha, .vti or .npy"));
    }
    if args.time == Some(Times::All) {
        return all::run(&args, ui);
    }
    let file = read_mesh_with(args.input(), &args.reading())?;
    if cloud::holds_points(&file, &args) {
        return cloud::run(&args, Some(file), ui);
    }
    write_mesh_of(&args, args.output(), file, ui)?;
    Ok(0)
}

/// Writes a volume, and prints one line about the output.
fn write_volume_of(args: &Args, output: &Path, file: VolumeFile, ui: &Ui) -> Result<()> {
    volume::write_for(args.input(), output, file, &args.options()?, ui)
}

/// Applies the options to a mesh and writes it. Prints a line about the decimation, if any, and one
/// about the output.
fn write_mesh_of(args: &Args, output: &Path, file: MeshFile, ui: &Ui) -> Result<()> {
    ui.warn_of(args.input(), &file.warnings);
    ui.warn_of(args.input(), cut(&file.cells_by_type));
    let (mesh, done) = changed(file.mesh, args, ui)?;
    ui.warn_of(output, write_mesh_about(output, &mesh, &args.options()?, &file.about)?);
    ui.print(&(done + &words(output, &mesh)))
}

/// Makes the requested changes to a mesh. Also returns a line about the decimation, or an empty
/// string if none is requested.
///
/// # Errors
/// Returns [`Error::Case`] for a selection that cannot be evaluated or keeps no cell, and for a
/// change that the kind of mesh does not permit. Returns [`Error::Input`] or [`Error::Mesh`] for a
/// mesh that cannot be changed.
fn changed(mut mesh: Mesh, args: &Args, ui: &Ui) -> Result<(Mesh, String)> {
    let in_file = |error: Error| error.in_file(args.input());
    let mut done = String::new();
    let weld = args.weld.unwrap_or(Weld::Auto);
    if args.repair {
        let repairs = Repairs { weld, degenerate: Some(Thinness::Thin) };
        mesh = repaired(mesh, repairs).map_err(in_file)?.0;
    }
    if let Some(selection) = &args.selection {
        mesh = selected(mesh, selection)?;
    }
    if args.boundary {
        if !args.repair {
            mesh = joined(mesh, weld, args.input(), ui).map_err(in_file)?;
        }
        let found = boundary(&mesh, Some(weld)).map_err(in_file)?;
        ui.warn_of(args.input(), found.doubts());
        mesh = found.surface;
    }
    if let Some(size) = args.holes.size() {
        triangles_only(&mesh, "--fill-holes")?;
        mesh::assess(&mesh).map_err(in_file)?;
        ui.warn_of(args.input(), fill_holes(&mut mesh, size).warnings());
    }
    if let Some(target) = args.decimate {
        triangles_only(&mesh, "--decimate")?;
        let (decimated, result) = decimate(mesh, target).map_err(in_file)?;
        mesh = decimated;
        ui.warn_of(args.input(), result.doubt());
        done = format!("{}: {}\n", args.input().display(), result.summary());
    }
    if args.normals {
        triangles_only(&mesh, "--normals")?;
        add_normals(&mut mesh);
    }
    Ok((mesh, done))
}

/// Returns an error if the mesh has tetrahedra, because `option` applies only to triangles.
fn triangles_only(mesh: &Mesh, option: &str) -> Result<()> {
    if mesh.kind == Kind::Volume {
        let what = match option {
            "--normals" => "--normals: tetrahedra have no normals".into(),
            _ => format!("{option} is for triangles, but the mesh has tetrahedra"),
        };
        return Err(Error::usage(what, "add --boundary"));
    }
    Ok(())
}

/// Returns an error if an option that applies only to meshes is given although the output is a
/// volume.
fn only_for_meshes(args: &Args) -> Result<()> {
    let options = [
        ("--repair", args.repair),
        ("--weld", args.weld.is_some()),
        ("--fill-holes", args.holes.size().is_some()),
        ("--decimate", args.decimate.is_some()),
        ("--where", args.selection.is_some()),
        ("--boundary", args.boundary),
        ("--normals", args.normals),
        ("--skip-unsupported", args.skip_unsupported),
        ("--frame", args.frame.is_some()),
    ];
    match options.into_iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((option, _)) => {
            let what =
                format!("{}: {option} is for meshes, not for volumes", args.output().display());
            Err(Error::usage(what, "leave it out"))
        }
    }
}

/// Returns a warning about faces that were split into triangles, if there are any.
///
/// The reader already warns about solid cells.
fn cut(stored: &BTreeMap<String, usize>) -> Option<String> {
    const FACES: [&str; 4] = ["quad", "pixel", "polygon", "triangle_strip"];
    let faces = FACES.iter().filter_map(|name| stored.get(*name).map(|n| format!("{n} {name}")));
    let faces: Vec<String> = faces.collect();
    let n: usize = FACES.iter().filter_map(|name| stored.get(*name)).sum();
    let cells = noun(n, ["cell is", "cells are"]);
    (!faces.is_empty()).then(|| format!("{} {cells} split into triangles", faces.join(", ")))
}

/// Adds the vertex normals as the arrays `nx`, `ny` and `nz`.
fn add_normals(mesh: &mut Mesh) {
    for array in normal_arrays(mesh) {
        mesh.vertex_data.retain(|other| other.name != array.name);
        mesh.vertex_data.push(array);
    }
}

/// Returns the cells that satisfy the selection, with their vertices.
///
/// A selection with a cell array or a group of cells is evaluated in the cells. Any other selection
/// is evaluated at the vertices, and a cell satisfies it if all its vertices do.
///
/// # Errors
/// Returns the errors of [`values`]. Returns [`Error::Case`] if the selection depends on time, or
/// if no cell remains.
fn selected(mesh: Mesh, selection: &Expression) -> Result<Mesh> {
    if selection.uses_time() {
        return Err(Error::usage(
            "--where must not depend on the time t",
            "for an array called t write {t}",
        ));
    }
    let keep: Vec<bool> = if selection.names().iter().any(|name| mesh.is_of_cells(name)) {
        values(&mesh, selection, Places::Cells)?.into_iter().map(is_true).collect()
    } else {
        let values = values(&mesh, selection, Places::Vertices)?;
        let fulfills = |&v: &u32| is_true(values[v as usize]);
        mesh.iter_cells().map(|cell| cell.iter().all(fulfills)).collect()
    };
    if !keep.contains(&true) {
        return Err(Error::usage(
            format!("--where {selection}: none of the {} cells satisfies it", keep.len()),
            "see `zeroset info` for the ranges of coordinates and arrays",
        ));
    }
    Ok(part(mesh, &keep).0)
}

/// Evaluates an expression at all vertices of a mesh or in all its cells.
///
/// # Errors
/// Returns the errors of [`Mesh::numbers`].
pub(super) fn values(mesh: &Mesh, expression: &Expression, places: Places) -> Result<Vec<f64>> {
    let numbers = |name: &str| -> Result<Arc<[f64]>> {
        let numbers = mesh.numbers(name, places)?;
        numbers.doubt(name, places).iter().for_each(|doubt| tracing::warn!("{doubt}"));
        Ok(numbers.values.into())
    };
    let field = Field::bind(expression, numbers)?;
    Ok(match places {
        Places::Vertices => field.values(&mesh.vertices, 0.0),
        Places::Cells => field.values(&mesh.centroids(), 0.0),
    })
}
