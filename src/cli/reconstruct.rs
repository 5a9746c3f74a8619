//! `zeroset reconstruct SCAN -o FILE`: reconstructs a surface from a point cloud.

mod report_text;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;

pub use self::report_text::{of_origin, of_topology};
use super::fill_holes::FillHoles;
use super::point_options::PointOptions;
use super::surface_outputs::SurfaceOutputs;
use super::threads::Threads;
use super::{NOT_MET, Ui, device, word};
use crate::Cpu;
use crate::cloud::{CleanOptions, FAR, LocalProjection, PointCloud};
use crate::config::DeviceKind;
use crate::error::{Error, Result, shown};
use crate::gpu::{self, Cuda};
use crate::io::{CloudOptions, CloudReport, WriteOptions, check_target, read_cloud_with};
use crate::mesh::Kind;
use crate::primitives::memory::peak;
use crate::reconstruct::directed::{Cubes, MOST_DEPTH};
use crate::reconstruct::potential::Storage;
use crate::reconstruct::{self, Device, Flaw, MOST_ROUNDS, Method, Options, Scan, WORTH_A_GPU};

/// Arguments of `zeroset reconstruct`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  zeroset reconstruct scan.ply -o surface.ply
  zeroset reconstruct scan.laz --depth 9 -o surface.vtp --report surface.json
  zeroset reconstruct scan.xyz --cell 0.5 --largest --smooth 5 -o surface.stl --picture surface.png
  zeroset reconstruct tile.laz --where \"classification == 2\" -o ground.ply
  zeroset reconstruct scan.e57 --trim 3 --fill-holes -o print.stl

Points are read from any point cloud format that `zeroset info` supports. Duplicates and outliers
are dropped and counted. If the file has normals, the surface follows spheres that are fitted to
the samples, and is closed wherever there are samples; normals that contradict their neighbors are
turned and counted. If the file has none, a level set shrinks around the samples; if they enclose
nothing, normals are estimated, and the report says so. --method selects a method. Without --depth
and --cell, cubes and voxels are about as wide as the spacing of the samples, and not much smaller
than their noise.

If the surface does not follow its samples, the files are written, a warning states the bound that
is not met and the remedy, and the exit code is 1. Without a usable surface, the exit code is 4.

The report lists the options and dropped points, the seconds of each stage, the components, genus
and holes of the surface, and the true distances of the samples from it. See docs/reconstruction.md.")]
pub struct Args {
    /// Point cloud in any supported format
    #[arg(value_name = "SCAN")]
    pub input: PathBuf,
    /// Output file: .ply, .stl, .obj, .vtp, .off, .vtu or .msh
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Method: auto, spheres or directed (need normals), or levelset (needs none; gives a closed
    /// surface)
    #[arg(long, value_name = "METHOD", default_value = "auto", value_parser = word::<Method>)]
    pub method: Method,
    /// Use 2^N cubes (spheres and directed, N = 1 to 20) or voxels (levelset, N = 4 to 14) along
    /// the longest side of the cloud; default from the density of the cloud
    #[arg(long, value_name = "N", conflicts_with = "cell",
          value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_DEPTH)))]
    pub depth: Option<u32>,
    /// Edge length of a cube (spheres and directed) or largest edge length of a voxel (levelset),
    /// in units of the cloud
    #[arg(long, value_name = "SIZE")]
    pub cell: Option<f64>,
    /// Drop points that are more than this many times as far from their neighbors as the median,
    /// and points that lie off the surface according to their local density; above 1, or 0 to keep
    /// all points
    #[arg(long, value_name = "FACTOR", default_value_t = FAR)]
    pub outliers: f64,
    /// Weight of the curvature in the level-set method, 0 to 1; default 0.1
    #[arg(long, value_name = "ALPHA")]
    pub curvature: Option<f64>,
    /// Storage of the values in the level-set method: single (default), or 16-bit to save memory
    #[arg(long, value_name = "WORD", value_parser = word::<Storage>)]
    pub storage: Option<Storage>,
    /// Keep only the connected component with the largest area
    #[arg(long)]
    pub largest: bool,
    #[command(flatten)]
    pub holes: FillHoles,
    #[command(flatten)]
    pub points: PointOptions,
    /// Remove triangles that are farther from every sample than this many mean distances between
    /// samples
    #[arg(long, value_name = "FACTOR")]
    pub trim: Option<f64>,
    /// Number of rounds of Taubin smoothing, which does not shrink the surface
    #[arg(long, value_name = "N", default_value_t = 0,
          value_parser = clap::value_parser!(u32).range(0..=i64::from(MOST_ROUNDS)))]
    pub smooth: u32,
    #[command(flatten)]
    pub outputs: SurfaceOutputs,
    /// Device: auto, cpu or cuda; auto uses a GPU for at least 100,000 samples
    #[arg(long, value_name = "DEVICE", default_value = "auto", value_parser = word::<DeviceKind>)]
    pub device: DeviceKind,
    #[command(flatten)]
    pub threads: Threads,
}

/// The report of `--json` and `--report`.
#[derive(Serialize)]
struct Whole<'a> {
    input: String,
    output: String,
    #[serde(flatten)]
    scan: &'a Scan,
    seconds_reading: f64,
    /// Seconds spent waiting for the GPU after everything had been read.
    seconds_opening: f64,
    seconds_writing: f64,
    seconds_total: f64,
    /// The program's peak memory in bytes; `None` if the system does not report it.
    peak_memory_bytes: Option<u64>,
}

/// Reads the point cloud, reconstructs and writes the surface, and prints a summary.
///
/// # Errors
/// Returns [`Error::Case`] if the output cannot be written as requested (checked before anything is
/// read), if the cube size is not valid, or if no surface can be made from the points;
/// [`Error::Input`] if the cloud cannot be read; [`Error::Output`] if the output cannot be written.
pub fn run(args: Args, ui: &Ui) -> Result<u8> {
    let start = Instant::now();
    check_target(&args.output, &WriteOptions::default(), Some(Kind::Surface))?;
    args.outputs.check(&args.output)?;
    let options = args.options()?;
    let cpu = Cpu::current();
    let Opened { cloud, file, origin, gpu, seconds_reading } =
        open(&args, &options, &cpu, ui, start)?;
    let seconds_opening = start.elapsed().as_secs_f64() - seconds_reading;
    let device = match &gpu {
        Some(gpu) if args.device == DeviceKind::Cuda => Device::Gpu(gpu),
        Some(gpu) if cloud.len() >= WORTH_A_GPU => Device::Auto(gpu),
        _ => Device::Cpu,
    };
    let (mesh, report) = cpu
        .run(|| reconstruct::surface(cloud, &options, device))
        .map_err(|error| error.blaming(&args.input))?;
    let mut scan = Scan::new(file, report);
    scan.origin = origin;
    ui.warn_of(&args.input, &scan.report.warnings);
    let writing = Instant::now();
    let said = cpu.run(|| {
        let report = || {
            let whole = Whole {
                input: shown(&args.input).to_string(),
                output: args.output.display().to_string(),
                scan: &scan,
                seconds_reading,
                seconds_opening,
                seconds_writing: writing.elapsed().as_secs_f64(),
                seconds_total: start.elapsed().as_secs_f64(),
                peak_memory_bytes: peak(),
            };
            let words = report_text::words(&whole);
            (Some(whole), words)
        };
        args.outputs.write([&args.input, &args.output], &mesh, ui, report)
    })?;
    ui.print(&said)?;
    Ok(if scan.report.check.passed { 0 } else { NOT_MET })
}

/// The input and the device, ready for the reconstruction.
struct Opened {
    cloud: PointCloud,
    file: CloudReport,
    /// The origin of the local projection, if one is used.
    origin: Option<LocalProjection>,
    /// The GPU, if one is requested, or if the file or the cloud is large enough.
    gpu: Option<Arc<Cuda>>,
    seconds_reading: f64,
}

/// Reads the cloud, and opens a GPU at the same time if it is requested or if the file is large.
/// Otherwise, opens the GPU after reading if the cloud has many points.
///
/// Opening a GPU takes a quarter of a second, about as long as reading a large file.
fn open(args: &Args, options: &Options, cpu: &Cpu, ui: &Ui, start: Instant) -> Result<Opened> {
    if args.device == DeviceKind::Cuda {
        gpu::available(0)?;
    }
    let is_early = args.device == DeviceKind::Cuda || args.is_large();
    let (early, read, seconds_reading) = std::thread::scope(|scope| {
        let opening = is_early.then(|| scope.spawn(|| device::gpu(args.device, true, ui)));
        let reading = CloudOptions::default().selection(args.points.selection.clone());
        let read = cpu.run(|| read_cloud_with(&args.input, &reading));
        let seconds = start.elapsed().as_secs_f64();
        (opening.map(|opening| opening.join()), read, seconds)
    });
    let (mut cloud, mut file) = read?;
    let origin = args.points.project(&args.input, &mut cloud, &mut file)?;
    reconstruct::check_units(&args.input, &mut file)?;
    options.flaw(Some(cloud.normals.is_some())).map_or(Ok(()), refuse)?;
    let gpu = match early {
        Some(opened) => opened.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?,
        None => device::gpu(args.device, cloud.len() >= WORTH_A_GPU, ui)?,
    };
    Ok(Opened { cloud, file, origin, gpu, seconds_reading })
}

impl Args {
    fn options(&self) -> Result<Options> {
        let cubes = match (self.depth, self.cell) {
            (Some(depth), _) => Cubes::Depth(depth),
            (None, Some(edge)) => Cubes::Edge(edge),
            (None, None) => Cubes::Safe,
        };
        // Invalid values are kept, so that `flaw` reports them.
        let outliers = (self.outliers != 0.0).then_some(self.outliers);
        let mut options = Options::default();
        options.method = self.method;
        options.cubes = cubes;
        options.curvature = self.curvature;
        options.storage = self.storage;
        options.clean = CleanOptions { duplicates: true, outliers };
        options.trim = self.trim;
        options.largest = self.largest;
        options.fill_holes = self.holes.size();
        options.smooth = self.smooth;
        options.flaw(None).map_or(Ok(options), refuse)
    }

    /// Returns true if the file is so large that a GPU is worth its startup time. Assumes 20 bytes
    /// per sample.
    fn is_large(&self) -> bool {
        std::fs::metadata(&self.input).is_ok_and(|file| file.len() >= 20 * WORTH_A_GPU as u64)
    }
}

/// Returns an error that names the option as on the command line.
fn refuse<T>(Flaw { option, what, remedy }: Flaw) -> Result<T> {
    Err(Error::usage(format!("--{option} {what}"), remedy))
}
