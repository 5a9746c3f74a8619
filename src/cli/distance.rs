//! `zeroset distance MESH --from ...`: computes distances without a case file.

mod conduction;
mod voxels;

use std::path::{Path, PathBuf};

use super::compressed::Compressed;
use super::picture_options::PictureOptions;
use super::progress::observer;
use super::threads::Threads;
use super::times::At;
use super::{Ui, json, positive, volume, word};
use crate::config::{
    Config, DataFile, DeviceKind, Direction, Distance, FrontShape, MeshRepair, MeshSource, Picture,
    Precision, Seed, Speed, VolumeArray,
};
use crate::error::{Error, Result};
use crate::expression::Expression;
use crate::io::vtk::Compression;
use crate::io::{Frame, may_be_series};
use crate::mesh::repair::Weld;
use crate::output::Report;
use crate::patches::{PATCH_SIZE, Partition};
use crate::run;
use crate::words::counted;

/// Arguments of `zeroset distance`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Sources (vertices are numbered from 0 in file order; @START sets an initial value other than 0):
  --from vertex:17            a vertex
  --from vertex:0,17@0.5      two vertices, both with initial value 0.5
  --from point:1.5,-2,30      a point, projected onto the mesh from at most one edge length away
  --from group:inlet          a named group of the mesh, see `zeroset info`
  --from sphere:0,0,0,1.5@5   all vertices in a sphere, from time 5 on
  --from box:0,0,0,1,1,1      all vertices in a box with two opposite corners
  --from vtx:apex.vtx         the vertices in a CARP list
  --from curve:line.vtp       the lines of a .vtp, .vtu, .vtk, .msh or .obj file, or of a text file
                              with one point x y z per line, projected onto the mesh
  --from levelset:\"sulc-2\"    the zero set of an expression of coordinates and vertex arrays
  --from surface:heart        the surface of a region: a group, or where an expression is true. In a
                              volume, surface:3 is the surface of the voxels with the value 3, and
                              surface:\"v > 300\" that of an expression as in `zeroset edt`

Examples:
  zeroset distance meshes/pial.gii.gz --from vertex:17 -o distance.vtp
  zeroset distance part.msh --from group:inlet --from group:outlet --width 5 -o near.vtu
  zeroset distance part.msh --from vertex:0 --speed conductivity -o arrival.vtu
  zeroset distance part.msh --from vertex:0 --speed \"if(z > 0, 2, 0.5)\" -o arrival.vtu
  zeroset distance pial.gii --from vertex:3 --speed volume=speed.nii.gz -o arrival.vtp
  zeroset distance heart.elem --data apex.vtx --from group:apex --speed \"if({2}, 600, 150)\" -o t.vtu
  zeroset distance heart.elem --from group:1 --speed along=600,across=240 --fiber fiber -o t.vtu
  zeroset distance pial.gii --from vertex:3 --from vertex:99 --labels -o parcels.label.gii
  zeroset distance pial.gii --from vertex:3 --width 10 -o near.label
  zeroset distance pial.gii --from vertex:3 -o distance.npy
  zeroset distance heart.vtu --stimuli stim.toml --speed 0.6 --labels --isochrones 10 -o t.vtu
  zeroset distance pial.gii --from levelset:sulc --data lh.sulc=sulc -o from_sulci.vtp
  zeroset distance pial.gii --from vertex:3 --data lh.thickness=thick --mask \"thick > 0\" -o d.vtp
  zeroset distance pial.gii --from vertex:3 --path-from vertex:99 --gradient -o d.vtp
  zeroset distance meshes/pial.gii.gz --from vertex:17 -o distance.vtp --picture distance.png
  zeroset distance part.msh --from surface:core --signed -o from_core.vtu
  zeroset distance labels.nii.gz --from surface:3 --signed -o from_label.nii.gz

Expressions (docs/expressions.md) contain numbers, x, y, z, names of arrays and groups (or
{any name}), + - * / ^, comparisons, && || !, if(c,a,b) and functions such as min, sqrt and isnan.

The array `distance` of the output holds the results, in the vertex order of the input. It is NaN at
vertices that no front reaches, and equal to the width at vertices farther than --width. .npy holds
one 64-bit number per vertex, and .csv the columns vertex, x, y, z, distance and, on request, label.")]
pub struct Args {
    /// The mesh file, or a volume for surface:REGION
    pub mesh: PathBuf,
    /// Where the distance is zero: vertex:N[,N...], point:X,Y,Z, sphere:X,Y,Z,RADIUS,
    /// box:X,Y,Z,X,Y,Z, group:NAME, vtx:FILE, curve:FILE, levelset:EXPRESSION or surface:REGION,
    /// each optionally with @START; repeatable
    #[arg(
        long,
        value_name = "SOURCE",
        required_unless_present = "stimuli",
        allow_hyphen_values = true
    )]
    pub from: Vec<Seed>,
    /// File of stimuli with start times, .toml, .csv or .vtx: further sources after those of --from
    #[arg(long, value_name = "FILE")]
    pub stimuli: Option<String>,
    /// Output file: .vtu, .vtp, .npy, .csv, .dat (CARP), .shape.gii, .label.gii, .morph or .label;
    /// for a volume: .nii.gz, .nii, .nrrd, .mha, .vti or .npy
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    #[command(flatten)]
    pub compressed: Compressed,
    /// Make distances negative inside the region of --from surface:REGION
    #[arg(long)]
    pub signed: bool,
    /// Also draw the distance into this .png file, with isolines at round values, sources and
    /// paths; with --labels, draw the labels
    #[arg(long, value_name = "FILE")]
    pub picture: Option<PathBuf>,
    #[command(flatten)]
    pub style: PictureOptions,
    /// Move each point to the nearest point of the mesh, however far away it is
    #[arg(long)]
    pub snap: bool,
    /// Leave out cells that cannot be cut into triangles or tetrahedra, instead of failing
    #[arg(long)]
    pub skip_unsupported: bool,
    /// Frame of a cortical surface: tkr (FreeSurfer), scanner, or file (as stored)
    #[arg(long, value_name = "tkr|scanner|file", value_parser = word::<Frame>)]
    pub frame: Option<Frame>,
    /// State of a series (.pvd, .vtkhdf) to read as the mesh and as --data: its time, or last;
    /// default last
    #[command(flatten)]
    pub at: At,
    #[command(flatten)]
    pub source: volume::Source,
    /// Largest distance to compute, in mesh units (a time if --speed is given); default unlimited
    #[arg(long, value_name = "LENGTH", value_parser = positive)]
    pub width: Option<f64>,
    /// Speed of the front: a number, an array name, or an expression that is evaluated per cell;
    /// volume=FILE for the values of a volume at the centroids of the cells; along=V,across=V for
    /// speeds along and across fibers, tensor=ARRAY for a conduction tensor
    #[arg(long, value_name = "NUMBER|ARRAY|EXPRESSION|along=..", value_parser = speed)]
    pub speed: Option<Speed>,
    /// Direction of the fibers, for a speed along=.. across=..: a cell array or x,y,z; default the
    /// array fiber
    #[arg(long, value_name = "ARRAY|X,Y,Z", value_parser = conduction::direction, allow_hyphen_values = true)]
    pub fiber: Option<Direction>,
    /// Direction in the sheets, for a speed sheet=..: a cell array or x,y,z; default the array
    /// sheet
    #[arg(long, value_name = "ARRAY|X,Y,Z", value_parser = conduction::direction, allow_hyphen_values = true)]
    pub sheet: Option<Direction>,
    /// Shape of the front: auto, plane, circular (for points at constant speed on triangles), or
    /// exact (for every source at constant speed on triangles)
    #[arg(long, value_name = "SHAPE", default_value = "auto", value_parser = word::<FrontShape>)]
    pub front: FrontShape,
    /// Exclude cells with a vertex where this expression is 0 or NaN, such as "thickness > 0"
    #[arg(long, value_name = "EXPRESSION")]
    pub mask: Option<Expression>,
    /// File with more arrays or groups of vertices, such as lh.sulc, lh.V1.label, a .vtx list, .csv
    /// or .npy; repeatable
    #[arg(long, value_name = "FILE[=NAME]", value_parser = data_file)]
    pub data: Vec<DataFile>,
    /// Join coincident vertices: auto (along torn edges), never, or all within a length
    #[arg(long, value_name = "auto|never|LENGTH")]
    pub weld: Option<Weld>,
    /// Repair degenerate cells so that they do not distort distances: auto or never
    #[arg(long, value_name = "auto|never", value_parser = word::<MeshRepair>)]
    pub repair: Option<MeshRepair>,
    /// Also write the array `label`: the index of the nearest source, counted from 0 through --from
    /// and then --stimuli
    #[arg(long)]
    pub labels: bool,
    /// Also write the gradient at points and cells, as arrays `gradient`
    #[arg(long)]
    pub gradient: bool,
    /// Also write the velocity of the front in each cell, normal to it, as the array `velocity`
    #[arg(long)]
    pub velocity: bool,
    /// Also write isochrones at the multiples of this step, as NAME_isochrones.vtp next to the
    /// output
    #[arg(long, value_name = "STEP", value_parser = positive)]
    pub isochrones: Option<f64>,
    /// Cell array with numbers of regions: print the first and the last arrival in each of them
    #[arg(long, value_name = "ARRAY")]
    pub regions: Option<String>,
    /// Write the path of descent to a source from this place: vertex:N[,N...] or point:X,Y,Z;
    /// repeatable
    #[arg(long, value_name = "PLACE", allow_hyphen_values = true)]
    pub path_from: Vec<Seed>,
    /// File for the paths, .vtp; default NAME_paths.vtp next to the output
    #[arg(long, value_name = "FILE", requires = "path_from")]
    pub paths: Option<PathBuf>,
    /// Table of observed values with the columns vertex and time, and perhaps sigma. The command
    /// prints the misfit and writes its gradient. Needs --front plane on surfaces with a uniform
    /// speed
    #[arg(long, value_name = "FILE")]
    pub misfit: Option<PathBuf>,
    /// File for the gradient of the misfit, .json; default NAME_misfit.json next to the output
    #[arg(long, value_name = "FILE", requires = "misfit")]
    pub misfit_gradient: Option<PathBuf>,
    /// Scalar type: f64 or f32
    #[arg(long, value_name = "TYPE", default_value = "f64", value_parser = word::<Precision>)]
    pub precision: Precision,
    /// Maximum number of vertices per patch
    #[arg(long, value_name = "N", default_value_t = PATCH_SIZE, value_parser = patch_size)]
    pub patch_size: usize,
    /// Partition into patches: bisection, metis, hilbert or blocks
    #[arg(long, value_name = "METHOD", default_value = "bisection", value_parser = cut)]
    pub partition: Cut,
    /// Device: auto, cpu or cuda; see `zeroset devices`
    #[arg(long, value_name = "DEVICE", default_value = "auto", value_parser = word::<DeviceKind>)]
    pub device: DeviceKind,
    #[command(flatten)]
    pub threads: Threads,
    /// Print JSON for programs: progress and warnings as lines on standard error, the final report
    /// on standard output
    #[arg(long)]
    pub json: bool,
}

/// A partition method, and whether it was given by the name that older versions used.
#[derive(Clone, Copy, Debug)]
pub struct Cut {
    method: Partition,
    is_old_word: bool,
}

fn cut(text: &str) -> std::result::Result<Cut, String> {
    Ok(Cut { method: word(text)?, is_old_word: text == Partition::OLD_WORD })
}

/// Computes the distance, writes it and prints a summary.
///
/// # Errors
/// Returns any error of the library.
pub fn run(args: Args, ui: &Ui) -> Result<u8> {
    let path = args.mesh.to_str().ok_or_else(|| {
        Error::usage(format!("{:?} is not valid Unicode", args.mesh), "rename the file")
    })?;
    let has_paths = !args.path_from.is_empty();
    let paths = args.paths.as_deref().unwrap_or(Path::new("paths.vtp"));
    let outputs = [args.output.as_path(), paths];
    let compression = args.compressed.of(&outputs[..1 + usize::from(has_paths)])?;
    if voxels::run(&args, compression, ui)? {
        return Ok(0);
    }
    let flags = flags(&args);
    let (mut data, time) = (args.data, args.at.time);
    for file in data.iter_mut().filter(|file| may_be_series(Path::new(&file.path))) {
        file.time = time;
    }
    // The time applies to the mesh, unless only data files are series.
    let is_of_mesh = may_be_series(&args.mesh) || data.iter().all(|file| file.time.is_none());
    let mesh = MeshSource {
        path: Some(path.to_string()),
        time: time.filter(|_| is_of_mesh),
        generate: None,
        refine: 0,
        patch_size: args.patch_size,
        partition: Some(args.partition.method),
        data,
        weld: args.weld,
        repair: args.repair,
        skip_unsupported: args.skip_unsupported,
        frame: args.frame,
    };
    let mut distance = Distance::default();
    distance.from = args.from;
    distance.stimuli = args.stimuli;
    distance.width = args.width;
    distance.speed = args.speed;
    (distance.fiber, distance.sheet) = (args.fiber, args.sheet);
    distance.signed = args.signed.then_some(true);
    distance.snap = args.snap;
    distance.front = args.front;
    distance.mask = args.mask;
    distance.labels = args.labels;
    distance.gradient = args.gradient;
    distance.velocity = args.velocity;
    distance.isochrones = args.isochrones;
    distance.regions = args.regions;
    distance.paths_from = args.path_from;
    let mut config = Config::of_distance(mesh, distance, flags);
    if args.partition.is_old_word {
        config.warn_of_old_partition();
    }
    config.precision = Some(args.precision);
    config.device.kind = args.device;
    config.device.threads = args.threads.threads;
    config.output.compression = Some(compression);
    config.output.picture = args.picture.map(Picture::into_file);
    args.style.configure(config.output.picture.as_mut())?;
    config.check()?;
    let report = {
        let observer = observer(ui);
        let observed = args.misfit.as_deref().map(|file| (file, args.misfit_gradient.as_deref()));
        run::distance(&config, &args.output, args.paths.as_deref(), observed, &*observer)?
    };
    let picture = config.output.picture.and_then(|picture| picture.file);
    let picture = picture.map(|file| format!("picture   {}\n", file.display()));
    match ui.is_json() {
        true => ui.print(&json::end(&report, &args.output, 0))?,
        false => ui.print(&(summary(&report, &args.output) + &picture.unwrap_or_default()))?,
    }
    Ok(0)
}

/// Returns the case keys with the options and values that were given for them, for messages.
fn flags(args: &Args) -> Vec<(String, String)> {
    let each = |key: &str, flag: &str, seeds: &[Seed]| -> Vec<(String, String)> {
        let seeds = seeds.iter().enumerate();
        seeds.map(|(k, seed)| (format!("{key}.{k}"), format!("{flag} {seed}"))).collect()
    };
    let mut flags = each("distance.from", "--from", &args.from);
    flags.extend(each("distance.paths_from", "--path-from", &args.path_from));
    for (k, data) in args.data.iter().enumerate() {
        flags.push((format!("domain.mesh.data.{k}"), format!("--data {}", data.path)));
    }
    let speed = args.speed.as_ref().and_then(|speed| match speed {
        Speed::Number(speed) => Some(speed.to_string()),
        Speed::Expression(speed) => Some(speed.to_string()),
        // The command line has no such option.
        Speed::Data { .. } => None,
        Speed::Volume(array) => Some(format!("volume={}", array.volume)),
        // `conduction::flags` lists these.
        Speed::Fibers(_) | Speed::Tensor { .. } => None,
    });
    let (fiber, sheet) = (args.fiber.as_ref(), args.sheet.as_ref());
    flags.extend(conduction::flags(args.speed.as_ref(), fiber, sheet));
    // The shapes that may be refused.
    let front = match args.front {
        FrontShape::Exact => "exact",
        _ => "circular",
    };
    let front = Some(front.to_string());
    let single = [
        ("distance.width", "--width", args.width.map(|width| width.to_string())),
        ("distance.speed", "--speed", speed),
        ("distance.mask", "--mask", args.mask.as_ref().map(Expression::to_string)),
        ("distance.stimuli", "--stimuli", args.stimuli.clone()),
        ("distance.isochrones", "--isochrones", args.isochrones.map(|step| step.to_string())),
        ("distance.regions", "--regions", args.regions.clone()),
        ("distance.front", "--front", front),
        ("distance.signed", "--signed", args.signed.then(String::new)),
        ("output.picture.range", "--range", args.style.range.map(|[a, b]| format!("{a},{b}"))),
        ("output.picture", "--picture", args.picture.as_ref().map(|p| p.display().to_string())),
    ];
    for (key, flag, value) in single {
        let shown = |value| format!("{flag} {value}").trim_end().to_string();
        flags.extend(value.map(|value| (key.to_string(), shown(value))));
    }
    flags
}

/// Returns the summary for the screen.
fn summary(report: &Report, output: &Path) -> String {
    let mut text = String::new();
    if let Some(mesh) = &report.mesh {
        let cells = counted(mesh.cells, ["cell", "cells"]);
        text += &format!("mesh      {} vertices, {cells}\n", mesh.vertices);
    }
    if let Some(d) = &report.distances {
        text += &format!("reached   {}\n", d.counts());
        text += &format!(
            "distance  {}, {} fronts\n",
            d.range(&report.config.unit_of_result(&report.units)),
            d.front
        );
        for (title, line) in d.arrivals(&report.config.unit_of_result(&report.units)) {
            text += &format!("{title:<10}{line}\n");
        }
        if let Some(misfit) = &d.misfit {
            let observations = counted(misfit.observations, ["observation", "observations"]);
            let kinks = match misfit.kinks {
                0 => String::new(),
                n => format!(", {} where it has a kink", counted(n, ["vertex", "vertices"])),
            };
            text += &format!("misfit    {}, {observations}{kinks}\n", misfit.value);
        }
        if let Some(paths) = d.paths(&report.units.of_length()) {
            text += &format!("paths     {paths}\n");
        }
    }
    let seconds = &report.seconds;
    text + &format!(
        "seconds   {:.2}, including solving {:.2}\nresults   {}\n",
        seconds.total,
        seconds.reinitialize,
        output.display()
    )
}

fn speed(text: &str) -> std::result::Result<Speed, String> {
    if let Some(found) = conduction::speed(text) {
        return found;
    }
    if let Some(path) = text.trim().strip_prefix("volume=") {
        return match path.trim() {
            "" => Err("expected volume=FILE".into()),
            path => Ok(Speed::Volume(Box::new(VolumeArray::of(path)))),
        };
    }
    match text.trim().parse::<f64>() {
        Ok(_) => positive(text).map(Speed::Number),
        Err(_) => Expression::parse(text).map(Speed::Expression).map_err(|flaw| flaw.to_string()),
    }
}

fn patch_size(text: &str) -> std::result::Result<usize, String> {
    match text.parse() {
        Ok(n) if (8..=4096).contains(&n) => Ok(n),
        _ => Err("expected an integer from 8 to 4096".into()),
    }
}

/// Parses `FILE` or `FILE=NAME`.
pub(super) fn data_file(text: &str) -> std::result::Result<DataFile, String> {
    let (path, name) = match text.rsplit_once('=') {
        Some((path, name)) => (path, Some(name.to_string())),
        None => (text, None),
    };
    if path.is_empty() || name.as_deref() == Some("") {
        return Err("expected FILE or FILE=NAME".into());
    }
    Ok(DataFile { path: path.to_string(), name, time: None })
}
