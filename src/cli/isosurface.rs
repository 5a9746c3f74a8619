//! `zeroset isosurface VOLUME --level L -o FILE`: where the values of a volume pass a number.

use std::path::PathBuf;

use super::device::{self, Card};
use super::reconstruct::of_topology;
use super::threads::Threads;
use super::{Ui, generate, volume, word};
use crate::backend::Cpu;
use crate::config::DeviceKind;
use crate::error::{Error, Result, shown};
use crate::io::atomic::check_folder;
use crate::io::{WriteOptions, check_target, read_volume};
use crate::mesh::{Kind, Mesh};
use crate::surface::{IsosurfaceOptions, Topology, drop_flat, isosurface, largest_part, smooth};
use crate::volume::Volume;
use crate::words::counted;

/// Rounds of smoothing at most.
pub(super) const MOST_ROUNDS: i64 = 1000;

/// Arguments of `zeroset isosurface`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  zeroset isosurface head.nii.gz --level 300 -o bone.ply
  zeroset isosurface head.nii.gz --level 300 --largest --smooth 10 -o bone.stl
  zeroset isosurface labels.nrrd --level 0.5 --closed -o organ.obj
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
    /// Rounds of smoothing that does not shrink (Taubin)
    #[arg(long, value_name = "N", default_value_t = 0,
          value_parser = clap::value_parser!(u32).range(0..=MOST_ROUNDS))]
    pub smooth: u32,
    /// What computes: auto, cpu or cuda; auto takes a GPU for a large volume beside few cores
    #[arg(long, value_name = "DEVICE", default_value = "auto", value_parser = word::<DeviceKind>)]
    pub device: DeviceKind,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub source: volume::Source,
}

/// Nanoseconds that a voxel takes of a thread of the processor, ...
const OF_A_THREAD: f64 = 6.0;
/// ... and of the copies to and from a card, ...
const OF_COPIES: f64 = 1.0;
/// ... whose start takes this many.
const OF_THE_START: f64 = 0.25e9;

/// Whether the copies to a card and back and its start take less time than the processor takes.
fn is_worth_a_card(n_voxels: usize, threads: usize) -> bool {
    n_voxels as f64 * (OF_A_THREAD / threads as f64 - OF_COPIES) > OF_THE_START
}

#[cfg(feature = "cuda")]
fn on_card(
    card: Card,
    volume: &Volume,
    level: f64,
    options: &IsosurfaceOptions,
) -> Result<(Mesh, String)> {
    let name = card.card().name.clone();
    let mesh = crate::surface::isosurface_on(&std::sync::Arc::new(card), volume, level, options)?;
    Ok((mesh, name))
}

#[cfg(not(feature = "cuda"))]
fn on_card(card: Card, _: &Volume, _: f64, _: &IsosurfaceOptions) -> Result<(Mesh, String)> {
    match card {}
}

/// What computes where no card does.
const PROCESSOR: &str = "the processor";

/// The surface, and what computed it.
fn extract(
    args: &Args,
    cpu: &Cpu,
    volume: &Volume,
    options: &IsosurfaceOptions,
    ui: &Ui,
) -> Result<(Mesh, String)> {
    let is_worth_it = is_worth_a_card(volume.n_voxels(), cpu.threads());
    let on_card = |card| on_card(card, volume, args.level, options);
    let on_cpu =
        || Ok((cpu.run(|| isosurface(volume, args.level, options))?, PROCESSOR.to_string()));
    device::either(args.device, is_worth_it, ui, on_card, on_cpu)
}

/// Reads, extracts, writes, and says in one line what was written.
///
/// # Errors
/// [`Error::Case`] for an output that cannot be, before anything is read, and a level that no two
/// values lie on both sides of; [`Error::Input`]; [`Error::Output`].
pub fn run(args: Args, ui: &Ui) -> Result<u8> {
    let write = WriteOptions::default();
    check_target(&args.output, &write, Some(Kind::Surface))?;
    check_folder(&args.output)?;
    let cpu = Cpu::current();
    let file = read_volume(&args.input, &args.source.options())?;
    ui.warn_of(&args.input, &file.warnings);
    let ending = args.output.extension().unwrap_or_default().to_ascii_lowercase();
    let holds_normals = ["ply", "obj", "vtp", "vtu"].iter().any(|e| ending == *e);
    let options = IsosurfaceOptions::default().closed(args.closed).normals(holds_normals);
    let volume = &file.volume;
    let (mut mesh, device) =
        extract(&args, &cpu, volume, &options, ui).map_err(|error| in_words(error, &args))?;
    if device != PROCESSOR || ui.verbosity() > 0 {
        ui.say(&format!("the surface was computed on {device}"));
    }
    let flat = cpu.run(|| drop_flat(&mut mesh));
    if flat > 0 && ui.verbosity() > 0 {
        let flat = counted(flat, ["triangle", "triangles"]);
        ui.say(&format!("{flat} without area left out, at voxels of the value {}", args.level));
    }
    if mesh.n_cells() == 0 {
        let found = volume.statistics();
        let range = match (found.min, found.max) {
            (Some(min), Some(max)) => format!("values are {min} to {max}"),
            _ => "no value is finite".into(),
        };
        let (level, name) = (args.level, shown(&args.input));
        let what = format!("--level {level}: {name} has no surface there, {range}");
        let remedy = "take a level between them, or --closed if all of the volume is inside";
        return Err(Error::usage(what, remedy));
    }
    cpu.run(|| {
        if args.largest {
            mesh = largest_part(std::mem::replace(&mut mesh, empty()));
        }
        smooth(&mut mesh, args.smooth);
    });
    generate::write(&args.output, &mesh, &write, ui)?;
    if args.holes {
        ui.print(&of_topology(&cpu.run(|| Topology::of(&mesh)), ""))?;
    }
    Ok(0)
}

fn empty() -> Mesh {
    Mesh::new(Kind::Surface, Vec::new(), Vec::new())
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
