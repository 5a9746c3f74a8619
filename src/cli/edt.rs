//! `zeroset edt VOLUME --where EXPRESSION -o FILE`: computes the distance from every voxel to the
//! voxels where the expression is true, or to their surface.

use std::path::{Path, PathBuf};

use super::compressed::Compressed;
use super::device;
use super::threads::Threads;
use super::times::At;
use super::{Ui, volume, word};
use crate::Cpu;
use crate::api::edt_on;
use crate::atomic::check_folder;
use crate::config::DeviceKind;
use crate::error::{Error, Result};
use crate::expression::Expression;
use crate::io::{VolumeFile, WriteOptions, check_volume_target, read_volume, write_volume};
use crate::point_distance::Edt;
use crate::volume::Volume;

/// Arguments of `zeroset edt`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Each voxel of the output holds the Euclidean distance, in world units, from its center to the
nearest center of a voxel where the expression is true. The distance is 0 where the expression is
true at the voxel itself. With --signed, distances are measured to the surface instead: the faces
between voxels where the expression is true and voxels where it is false. They are negative where it
is true, and half a voxel next to a flat face. The edge of the volume is not a face. Distances are
exact for any voxel spacing. They depend only on the spacing, not on the directions of the axes.

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
    /// Voxels to which distances are measured, or that are inside with --signed: an expression in
    /// v, x, y, z, i, j, k
    #[arg(long = "where", value_name = "EXPRESSION")]
    pub selection: Expression,
    /// Output file: .nii.gz, .nii, .nrrd, .mha, .vti or .npy
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Measure to the faces between inside and outside voxels: negative inside, positive outside
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

/// Computes the distances, writes them and prints one line about the output.
///
/// # Errors
/// Returns [`Error::Case`] if the output cannot be written as requested (checked before anything is
/// read), or if no voxel satisfies the expression; [`Error::Input`] if the volume cannot be read;
/// [`Error::Output`] if the output cannot be written.
pub fn run(args: Args, ui: &Ui) -> Result<u8> {
    let task = Task {
        input: &args.input,
        output: &args.output,
        given: format!("--where {}", args.selection),
        selection: args.selection,
        edt: Edt::default().faces(args.signed).signed(args.signed),
        options: WriteOptions::default().compression(args.compressed.of(&[&args.output])?),
        device: args.device,
    };
    task.check()?;
    let file = read_volume(&args.input, &args.source.options().time(args.at.time))?;
    task.run(file, ui)?;
    Ok(0)
}

/// A distance transform of a volume in a file.
pub(super) struct Task<'a> {
    pub input: &'a Path,
    pub output: &'a Path,
    /// The expression that is true at the voxels inside.
    pub selection: Expression,
    /// The option that gives the selection, for error messages.
    pub given: String,
    /// The kind of distance. The spacing is that of the volume.
    pub edt: Edt,
    pub options: WriteOptions,
    pub device: DeviceKind,
}

impl Task<'_> {
    /// Returns an error if the output cannot be written.
    pub fn check(&self) -> Result<()> {
        check_volume_target(self.output, &self.options)?;
        check_folder(self.output)
    }

    /// Computes and writes the distances, and prints one line about the output.
    pub fn run(&self, file: VolumeFile, ui: &Ui) -> Result<()> {
        let cpu = Cpu::current();
        ui.warn_of(self.input, &file.warnings);
        let source = file.volume;
        let select = || volume::selected(self.input, &source, &self.selection, &self.given);
        let inside = cpu.run(select)?;
        let n_inside = inside.iter().filter(|inside| **inside).count();
        if self.edt.faces && n_inside == inside.len() {
            let what = format!("{}: all {n_inside} voxels satisfy it", self.given);
            let remedy = "there is no outside to measure to: leave out --signed, or change the \
                          expression";
            return Err(Error::usage(what, remedy));
        }
        ui.warn_of(self.input, volume::oblique(&source));
        let edt = self.edt.spacing(source.placement().spacing());
        let (warn, device) = (&mut |text| ui.warn(text), device::first(self.device));
        let (distances, _) = edt_on(&cpu, &inside, source.shape(), &edt, &device, warn)?;
        let (low, high) = distances
            .iter()
            .fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), &d| (low.min(d), high.max(d)));
        let mut result = Volume::new(source.shape(), distances.into(), *source.placement())?;
        (result.units, result.frame) = (source.units.clone(), source.frame.clone());
        result.name = "distance".into();
        ui.warn_of(self.output, write_volume(self.output, &result, &self.options)?);
        let [x, y, z] = result.shape();
        let units = result.units.as_deref().map_or(String::new(), |units| format!(" {units}"));
        ui.print(&format!(
            "{}: {x} x {y} x {z} voxels, {n_inside} inside, distances {low} to {high}{units}\n",
            self.output.display()
        ))
    }
}
