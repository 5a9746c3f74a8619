//! `zeroset isosurface VOLUME --level L -o FILE`: extracts an isosurface from a volume.

use std::path::PathBuf;
use std::time::Instant;

use serde::Serialize;

use super::fill_holes::FillHoles;
use super::reconstruct::of_topology;
use super::surface_outputs::SurfaceOutputs;
use super::threads::Threads;
use super::times::At;
use super::{Ui, generate, volume, word};
use crate::Cpu;
use crate::api::{Isosurface, IsosurfaceOptions, isosurface_with};
use crate::config::DeviceKind;
use crate::error::{Error, Result, shown};
use crate::io::{WriteOptions, check_target, read_volume};
use crate::mesh::Kind;
use crate::primitives::memory::peak;
use crate::reconstruct::MOST_ROUNDS;
use crate::surface::{FilledHoles, Topology};
use crate::volume::Volume;
use crate::words::counted;

/// Arguments of `zeroset isosurface`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  zeroset isosurface head.nii.gz --level 300 -o bone.ply
  zeroset isosurface head.nii.gz --level 300 --largest --smooth 10 -o bone.stl
  zeroset isosurface labels.nrrd --level 0.5 --closed -o organ.obj
  zeroset isosurface head.nii.gz --level 300 -o bone.ply --picture bone.png --report bone.json
  zeroset isosurface scan.raw --raw 256x256x109:uint16le:1x1x1.5 --level 1843 -o skin.vtp

The surface is computed by marching cubes on the voxel centers. It has no cracks: every edge belongs
to two triangles, except where the surface reaches the edge of the volume (--closed closes it there,
half a voxel outside) and next to values that are not finite. The inside has the larger values, and
triangles face the smaller ones. Triangles without area, at voxels whose value equals the level, are
dropped. Coordinates are the world coordinates of the file.

.ply, .obj and .vtp files have normals, computed as minus the gradient of the values. .stl and .off
files have none.")]
pub struct Args {
    /// Volume or grayscale picture in any supported format
    #[arg(value_name = "VOLUME")]
    pub input: PathBuf,
    /// Value of the volume on the surface
    #[arg(long, value_name = "NUMBER")]
    pub level: f64,
    /// Output file: .ply, .stl, .obj, .vtp, .off, .vtu or .msh
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Close the surface where it reaches the edge of the volume
    #[arg(long)]
    pub closed: bool,
    /// Keep only the connected component with the largest area
    #[arg(long)]
    pub largest: bool,
    #[command(flatten)]
    pub fill: FillHoles,
    /// Report whether the surface is closed, its number of components, and its largest holes
    #[arg(long)]
    pub holes: bool,
    #[command(flatten)]
    pub outputs: SurfaceOutputs,
    /// Number of rounds of Taubin smoothing, which does not shrink the surface
    #[arg(long, value_name = "N", default_value_t = 0,
          value_parser = clap::value_parser!(u32).range(0..=i64::from(MOST_ROUNDS)))]
    pub smooth: u32,
    /// Device: auto, cpu or cuda; auto uses a GPU for a large volume if there are few cores
    #[arg(long, value_name = "DEVICE", default_value = "auto", value_parser = word::<DeviceKind>)]
    pub device: DeviceKind,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub source: volume::Source,
    #[command(flatten)]
    pub at: At,
}

/// The report of `--json` and `--report`.
#[derive(Serialize)]
struct Whole<'a> {
    input: String,
    output: String,
    level: f64,
    /// "the CPU" or the name of the GPU.
    device: &'a str,
    /// Number of zero-area triangles that were dropped, at voxels whose value equals the level.
    flat: usize,
    /// Holes that were filled, with `--fill-holes`.
    filled: Option<&'a FilledHoles>,
    surface: Topology,
    /// Smallest and largest coordinates of the surface, in units of the volume.
    low: [f64; 3],
    high: [f64; 3],
    seconds_reading: f64,
    seconds_surface: f64,
    seconds_total: f64,
    /// The program's peak memory in bytes; `None` if the system does not report it.
    peak_memory_bytes: Option<u64>,
    warnings: &'a [String],
}

/// Reads the volume, extracts and writes the surface, and prints a summary.
///
/// # Errors
/// Returns [`Error::Case`] if the output cannot be written as requested (checked before anything is
/// read), or if the level is outside the range of the values; [`Error::Input`] if the volume cannot
/// be read; [`Error::Output`] if the output cannot be written.
pub fn run(args: Args, ui: &Ui) -> Result<u8> {
    let start = Instant::now();
    check_target(&args.output, &WriteOptions::default(), Some(Kind::Surface))?;
    args.outputs.check(&args.output)?;
    let cpu = Cpu::current();
    let file = read_volume(&args.input, &args.source.options().time(args.at.time))?;
    ui.warn_of(&args.input, &file.warnings);
    let seconds_reading = start.elapsed().as_secs_f64();
    let made = make(&args, &cpu, &file.volume, ui)?;
    let warnings: Vec<String> = file.warnings.iter().chain(&made.warnings).cloned().collect();
    ui.warn_of(&args.input, &warnings[file.warnings.len()..]);
    let seconds_surface = start.elapsed().as_secs_f64() - seconds_reading;
    let said = cpu.run(|| {
        let report = || {
            let mut words = generate::words(&args.output, &made.mesh);
            if !args.holes && !args.outputs.has_report() {
                return (None, words);
            }
            let surface = Topology::of(&made.mesh);
            if args.holes {
                words += &of_topology(&surface, "");
            }
            let (low, high) = made.mesh.bounds();
            let whole = Whole {
                input: shown(&args.input).to_string(),
                output: args.output.display().to_string(),
                level: args.level,
                device: device_name(&made),
                flat: made.flat,
                filled: made.filled.as_ref(),
                surface,
                low,
                high,
                seconds_reading,
                seconds_surface,
                seconds_total: start.elapsed().as_secs_f64(),
                peak_memory_bytes: peak(),
                warnings: &warnings,
            };
            (Some(whole), words)
        };
        args.outputs.write([&args.input, &args.output], &made.mesh, ui, report)
    })?;
    ui.print(&said)?;
    Ok(0)
}

/// Extracts the surface, and reports the device and dropped triangles.
fn make(args: &Args, cpu: &Cpu, volume: &Volume, ui: &Ui) -> Result<Isosurface> {
    let ending = args.output.extension().unwrap_or_default().to_ascii_lowercase();
    let mut options = IsosurfaceOptions::default();
    let holds_normals = ["ply", "obj", "vtp", "vtu"].iter().any(|e| ending == *e);
    options.surface = options.surface.closed(args.closed).normals(holds_normals);
    options.largest = args.largest;
    options.fill_holes = args.fill.size();
    options.smooth = args.smooth;
    options.device.kind = args.device;
    let warn = &mut |text| ui.warn(text);
    let made = isosurface_with(cpu, volume, args.level, &options, warn)
        .map_err(|error| in_words(error, args))?;
    if made.device.is_some() || ui.verbosity() > 0 {
        ui.say(&format!("the surface was computed on {}", device_name(&made)));
    }
    if made.flat > 0 && ui.verbosity() > 0 {
        let flat = counted(made.flat, ["triangle", "triangles"]);
        ui.say(&format!("dropped {flat} without area, at voxels with the value {}", args.level));
    }
    Ok(made)
}

/// Returns the name of the GPU that was used, or "the CPU".
fn device_name(made: &Isosurface) -> &str {
    made.device.as_deref().unwrap_or("the CPU")
}

/// Rewrites an error in terms of the command-line options.
fn in_words(error: Error, args: &Args) -> Error {
    match error {
        Error::Case { what, remedy, .. } => {
            let what = format!("{}: {what}", shown(&args.input));
            Error::usage(what, remedy.replace("close the surface", "--closed"))
        }
        other => other,
    }
}
