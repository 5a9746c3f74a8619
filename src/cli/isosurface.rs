//! `zeroset isosurface VOLUME --level L -o FILE`: where the values of a volume pass a number.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;

use super::device;
use super::reconstruct::of_topology;
use super::surface_outputs::SurfaceOutputs;
use super::threads::Threads;
use super::{Ui, generate, volume, word};
use zeroset::Cpu;
use zeroset::config::DeviceKind;
use zeroset::error::{Error, Result, shown};
use zeroset::gpu::Cuda;
use zeroset::io::{WriteOptions, check_target, read_volume};
use zeroset::mesh::{Kind, Mesh};
use zeroset::primitives::memory::peak;
use zeroset::reconstruct::MOST_ROUNDS;
use zeroset::surface::{
    IsosurfaceOptions, Topology, drop_flat, isosurface, isosurface_on, largest_part, smooth,
};
use zeroset::volume::Volume;
use zeroset::words::counted;

/// Arguments of `zeroset isosurface`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  zeroset isosurface head.nii.gz --level 300 -o bone.ply
  zeroset isosurface head.nii.gz --level 300 --largest --smooth 10 -o bone.stl
  zeroset isosurface labels.nrrd --level 0.5 --closed -o organ.obj
  zeroset isosurface head.nii.gz --level 300 -o bone.ply --picture bone.png --report bone.json
  zeroset isosurface scan.raw --raw 256x256x109:uint16le:1x1x1.5 --level 1843 -o skin.vtp

Marching cubes between the voxels: no cracks, every edge has two triangles but where the surface
leaves the volume (--closed closes it there, half a voxel beyond) and beside values that are not
finite. Inside is where values are larger; triangles look toward smaller ones. At voxels of exactly
the level, triangles without area are left out. Coordinates are those of the world, as the file
states them.

.ply, .obj and .vtp have normals, minus the gradient of the values; .stl and .off have none.")]
pub struct Args {
    /// Volume or gray picture of any format that zeroset reads
    #[arg(value_name = "VOLUME")]
    pub input: PathBuf,
    /// The value that the surface has
    #[arg(long, value_name = "NUMBER")]
    pub level: f64,
    /// File to write: .ply, .stl, .obj, .vtp, .off, .vtu or .msh
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Close the surface where it leaves the volume
    #[arg(long)]
    pub closed: bool,
    /// Keep only the connected part with the largest area
    #[arg(long)]
    pub largest: bool,
    /// Say whether the surface is closed, how many parts it has, and where its largest holes are
    #[arg(long)]
    pub holes: bool,
    #[command(flatten)]
    pub outputs: SurfaceOutputs,
    /// Rounds of smoothing that does not shrink (Taubin)
    #[arg(long, value_name = "N", default_value_t = 0,
          value_parser = clap::value_parser!(u32).range(0..=i64::from(MOST_ROUNDS)))]
    pub smooth: u32,
    /// What computes: auto, cpu or cuda; auto takes a GPU for a large volume beside few cores
    #[arg(long, value_name = "DEVICE", default_value = "auto", value_parser = word::<DeviceKind>)]
    pub device: DeviceKind,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub source: volume::Source,
}

/// Nanoseconds that a voxel takes of a thread of the CPU, ...
const OF_A_THREAD: f64 = 6.0;
/// ... and of the copies to and from a GPU, ...
const OF_COPIES: f64 = 1.0;
/// ... whose start takes this many.
const OF_THE_START: f64 = 0.25e9;

/// Whether the copies to a GPU and back and its start take less time than the CPU takes.
fn is_worth_a_gpu(n_voxels: usize, threads: usize) -> bool {
    n_voxels as f64 * (OF_A_THREAD / threads as f64 - OF_COPIES) > OF_THE_START
}

/// What computes where no GPU does.
const CPU: &str = "the CPU";

/// The surface, and what computed it.
fn extract(
    args: &Args,
    cpu: &Cpu,
    volume: &Volume,
    options: &IsosurfaceOptions,
    ui: &Ui,
) -> Result<(Mesh, String)> {
    let is_worth_it = is_worth_a_gpu(volume.n_voxels(), cpu.threads());
    let on_gpu = |gpu: Cuda| {
        let name = gpu.info().name.clone();
        Ok((isosurface_on(&Arc::new(gpu), volume, args.level, options)?, name))
    };
    let on_cpu = || Ok((cpu.run(|| isosurface(volume, args.level, options))?, CPU.to_string()));
    device::either(args.device, is_worth_it, ui, on_gpu, on_cpu)
}

/// All that is reported.
#[derive(Serialize)]
struct Whole<'a> {
    input: String,
    output: String,
    level: f64,
    /// What computed: "the CPU" or the name of a GPU.
    device: &'a str,
    /// Triangles without area that were left out, at voxels of exactly the level.
    flat: usize,
    surface: &'a Topology,
    /// Smallest and largest coordinates of the surface, units of the volume.
    low: [f64; 3],
    high: [f64; 3],
    seconds_reading: f64,
    seconds_surface: f64,
    seconds_total: f64,
    /// Most memory that the program held; `None` where the system does not say.
    peak_memory_bytes: Option<u64>,
}

/// Reads, extracts, writes, and says what was written.
///
/// # Errors
/// [`Error::Case`] for an output that cannot be, before anything is read, and a level that no two
/// values lie on both sides of; [`Error::Input`]; [`Error::Output`].
pub fn run(args: Args, ui: &Ui) -> Result<u8> {
    let start = Instant::now();
    check_target(&args.output, &WriteOptions::default(), Some(Kind::Surface))?;
    args.outputs.check(&args.output)?;
    let cpu = Cpu::current();
    let file = read_volume(&args.input, &args.source.options())?;
    ui.warn_of(&args.input, &file.warnings);
    let seconds_reading = start.elapsed().as_secs_f64();
    let made = make(&args, &cpu, &file.volume, ui)?;
    let seconds_surface = start.elapsed().as_secs_f64() - seconds_reading;
    cpu.run(|| args.outputs.write(&args.input, &args.output, &made.mesh, ui))?;
    let mut words = generate::words(&args.output, &made.mesh);
    if !args.holes && !args.outputs.has_report() {
        ui.print(&words)?;
        return Ok(0);
    }
    let surface = cpu.run(|| Topology::of(&made.mesh));
    if args.holes {
        words += &of_topology(&surface, "");
    }
    let (low, high) = made.mesh.bounds();
    let whole = Whole {
        input: shown(&args.input).to_string(),
        output: args.output.display().to_string(),
        level: args.level,
        device: &made.device,
        flat: made.flat,
        surface: &surface,
        low,
        high,
        seconds_reading,
        seconds_surface,
        seconds_total: start.elapsed().as_secs_f64(),
        peak_memory_bytes: peak(),
    };
    args.outputs.tell(&whole, || words, ui)?;
    Ok(0)
}

/// A surface as it is written.
struct Made {
    mesh: Mesh,
    /// What computed it.
    device: String,
    /// Triangles without area that were left out.
    flat: usize,
}

/// The surface without flat triangles, cut down to its largest part and smoothed as asked for.
fn make(args: &Args, cpu: &Cpu, volume: &Volume, ui: &Ui) -> Result<Made> {
    let ending = args.output.extension().unwrap_or_default().to_ascii_lowercase();
    let holds_normals = ["ply", "obj", "vtp", "vtu"].iter().any(|e| ending == *e);
    let options = IsosurfaceOptions::default().closed(args.closed).normals(holds_normals);
    let (mut mesh, device) =
        extract(args, cpu, volume, &options, ui).map_err(|error| in_words(error, args))?;
    if device != CPU || ui.verbosity() > 0 {
        ui.say(&format!("the surface was computed on {device}"));
    }
    let flat = cpu.run(|| drop_flat(&mut mesh));
    if flat > 0 && ui.verbosity() > 0 {
        let flat = counted(flat, ["triangle", "triangles"]);
        ui.say(&format!("{flat} without area left out, at voxels of the value {}", args.level));
    }
    if mesh.n_cells() == 0 {
        return Err(no_surface(args, volume));
    }
    let mesh = cpu.run(|| {
        let mut mesh = if args.largest { largest_part(mesh) } else { mesh };
        smooth(&mut mesh, args.smooth);
        mesh
    });
    Ok(Made { mesh, device, flat })
}

/// Nothing has the level.
fn no_surface(args: &Args, volume: &Volume) -> Error {
    let found = volume.statistics();
    let range = match (found.min, found.max) {
        (Some(min), Some(max)) => format!("values are {min} to {max}"),
        _ => "no value is finite".into(),
    };
    let what =
        format!("--level {}: {} has no surface there, {range}", args.level, shown(&args.input));
    let remedy = "take a level between them, or --closed if all of the volume is inside";
    Error::usage(what, remedy)
}

/// The error in the words of the command line.
fn in_words(error: Error, args: &Args) -> Error {
    match error {
        Error::Case { what, remedy, .. } => {
            let what = format!("{}: {what}", shown(&args.input));
            Error::usage(what, remedy.replace("close it", "--closed"))
        }
        other => other,
    }
}
