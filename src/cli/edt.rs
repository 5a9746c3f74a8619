//! `zeroset edt VOLUME --where EXPRESSION -o FILE`: computes the distances of all voxels.

use std::path::PathBuf;

use super::compressed::Compressed;
use super::device;
use super::threads::Threads;
use super::times::At;
use super::{Ui, volume, word};
use zeroset::Cpu;
use zeroset::atomic::check_folder;
use zeroset::config::DeviceKind;
use zeroset::error::{Error, Result};
use zeroset::expression::Expression;
use zeroset::gpu::Cuda;
use zeroset::io::{WriteOptions, check_volume_target, read_volume, write_volume};
use zeroset::point_distance::Edt;
use zeroset::volume::Volume;

/// Arguments of `zeroset edt`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Each voxel of the output holds the Euclidean distance, in world units, from its center to the
nearest center of a voxel where the expression is true. The distance is 0 where the expression is
true at the voxel itself. With --signed it is negative there: minus the distance to the nearest
center where the expression is false. Distances are exact for any voxel spacing. They depend only on
the spacing, not on the directions of the axes.

Examples:
  zeroset edt head.nii.gz --where \"v > 300\" -o distance.nii.gz
  zeroset edt labels.nrrd --where \"v == 17 || v == 53\" --signed -o hippocampus.nrrd
  zeroset edt slice.png --where \"v < 128\" -o distance.npy
  zeroset edt scan.raw --raw 256x256x109:uint16le:1x1x1.5 --where \"v > 1843\" -o distance.vti

In the expression (docs/expressions.md), v is the value of a voxel, x, y, z are its world
coordinates, and i, j, k are its indices.

The output has the shape, position, axes and voxel order of the input, and holds 32-bit floats. Its
format is .nii.gz, .nii, .nrrd, .mha, .vti, or .npy, which is indexed [x][y][z].")]
pub struct Args {
    /// Volume or grayscale picture in any supported format
    #[arg(value_name = "VOLUME")]
    pub input: PathBuf,
    /// Voxels with distance zero: an expression in v, x, y, z, i, j, k
    #[arg(long = "where", value_name = "EXPRESSION")]
    pub selection: Expression,
    /// Output file: .nii.gz, .nii, .nrrd, .mha, .vti or .npy
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Make distances negative inside: minus the distance to the nearest voxel outside
    #[arg(long)]
    pub signed: bool,
    #[command(flatten)]
    pub compressed: Compressed,
    /// Device: auto, cpu or cuda; auto uses a GPU for at least 8 million voxels per thread
    #[arg(long, value_name = "DEVICE", default_value = "auto", value_parser = word::<DeviceKind>)]
    pub device: DeviceKind,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub source: volume::Source,
    #[command(flatten)]
    pub at: At,
}

/// Voxels per CPU thread above which a GPU is worth its startup time of a quarter of a second.
///
/// A thread needs 25 to 35 ns per voxel (docs/point-distances.md).
const WORTH_A_GPU: usize = 1 << 23;

/// Computes the distances, writes them and prints one line about the output.
///
/// # Errors
/// Returns [`Error::Case`] if the output cannot be written as requested, before anything is read,
/// or if no voxel satisfies the expression; [`Error::Input`] if the volume cannot be read;
/// [`Error::Output`] if the output cannot be written.
pub fn run(args: Args, ui: &Ui) -> Result<u8> {
    let options = WriteOptions::default().compression(args.compressed.of(&[&args.output])?);
    check_volume_target(&args.output, &options)?;
    check_folder(&args.output)?;
    let cpu = Cpu::current();
    let file = read_volume(&args.input, &args.source.options().time(args.at.time))?;
    ui.warn_of(&args.input, &file.warnings);
    let source = file.volume;
    let inside = cpu.run(|| volume::selected(&args.input, &source, &args.selection))?;
    let n_inside = inside.iter().filter(|inside| **inside).count();
    if args.signed && n_inside == inside.len() {
        let what = format!("--where {}: all {n_inside} voxels satisfy it", args.selection);
        let remedy =
            "there is no outside to measure to: leave out --signed, or change the expression";
        return Err(Error::usage(what, remedy));
    }
    ui.warn_of(&args.input, volume::oblique(&source));
    let edt = Edt::default().spacing(source.placement().spacing()).signed(args.signed);
    let is_worth_it = inside.len() / cpu.threads() >= WORTH_A_GPU;
    let on_gpu = |gpu: Cuda| edt.transform_on(&gpu, &inside, source.shape());
    let on_cpu = || edt.transform(&cpu, &inside, source.shape());
    let distances = device::either(args.device, is_worth_it, ui, on_gpu, on_cpu)?;
    let (low, high) = distances
        .iter()
        .fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), &d| (low.min(d), high.max(d)));
    let mut result = Volume::new(source.shape(), distances.into(), *source.placement())?;
    (result.units, result.frame) = (source.units.clone(), source.frame.clone());
    result.name = "distance".into();
    ui.warn_of(&args.output, write_volume(&args.output, &result, &options)?);
    let [x, y, z] = result.shape();
    let units = result.units.as_deref().map_or(String::new(), |units| format!(" {units}"));
    ui.print(&format!(
        "{}: {x} x {y} x {z} voxels, {n_inside} inside, distances {low} to {high}{units}\n",
        args.output.display()
    ))?;
    Ok(0)
}
