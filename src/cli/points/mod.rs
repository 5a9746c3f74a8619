//! `zeroset points VOLUME --where ...`: the voxels where a condition holds, as points.

use std::path::PathBuf;
use std::time::Instant;

use super::device::{self, Card};
use super::{Ui, volume, word};
use crate::backend::Cpu;
use crate::config::DeviceKind;
use crate::error::Result;
use crate::expression::Expression;
use crate::io::{check_points_target, read_volume, write_points};
use crate::points::{Points, find};
use crate::primitives::Order;
use crate::volume::{Condition, Volume};

/// Arguments of `zeroset points`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  zeroset points head.nii.gz --where \"v > 300\" -o skin.vtp
  zeroset points head.nii.gz --where \"v > 300 && z > 40\" -o top.ply
  zeroset points photo.png --where \"v >= 128 && i < 100\" -o bright.csv
  zeroset points scan.raw --raw 256x256x109:uint16le:1x1x1.5 --where v -o bone.npy

An expression (docs/expressions.md) of
  v        the value of a voxel
  x y z    its center, in world coordinates of the file (origin, spacing and directions applied)
  i j k    its indices along the three axes, from 0; a picture has k = 0
A voxel is taken where it is neither 0 nor no number.

The ending of OUT is the format. .vtp and .ply have the points with the arrays v, i, j and k; .csv and
.npy have a row x, y, z, v, i, j, k per point (.npy: float64, [n][7]). Where nothing fulfills the
expression, a warning is given and OUT has no point.")]
pub struct Args {
    /// Volume or gray picture of any format that zeroset reads, compressed with gzip or not
    #[arg(value_name = "VOLUME")]
    pub input: PathBuf,
    /// What holds at the voxels to list
    #[arg(long = "where", value_name = "EXPRESSION")]
    pub condition: Expression,
    /// File to write: .vtp, .ply, .npy or .csv
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
    /// Order of the points: lines, x fastest, or blocks, where neighbors in the list are near each
    /// other in space (Z-order)
    #[arg(long, value_name = "ORDER", default_value = "lines", value_parser = order)]
    pub order: Order,
    /// What computes: auto, cpu or cuda; auto takes a GPU from 33 million voxels for each
    /// thread on
    #[arg(long, value_name = "DEVICE", default_value = "auto", value_parser = word::<DeviceKind>)]
    pub device: DeviceKind,
    /// CPU threads; 0 takes all cores
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub threads: usize,
    #[command(flatten)]
    pub source: volume::Source,
}

/// Voxels for each thread from which on a GPU is worth its start and the compilation of the expression, 0.3 s, and the
/// copy of the volume (docs/points.md).
const WORTH_A_CARD: usize = 1 << 25;

#[cfg(feature = "cuda")]
fn on_card(card: &Card, volume: &Volume, expression: &Expression, order: Order) -> Result<Points> {
    crate::points::cuda::find_on(card, volume, expression, order)
}

#[cfg(not(feature = "cuda"))]
fn on_card(card: &Card, _: &Volume, _: &Expression, _: Order) -> Result<Points> {
    match *card {}
}

/// Reads, lists, writes, and says in one line how many there are.
///
/// # Errors
/// [`crate::Error::Case`] for an output that cannot be, before anything is read, and an expression of
/// other names; [`crate::Error::Input`] for a file without a volume; [`crate::Error::Device`] without
/// memory; [`crate::Error::Output`].
pub fn run(args: Args, ui: &Ui) -> Result<u8> {
    check_points_target(&args.output)?;
    let cpu = Cpu::current();
    let file = read_volume(&args.input, &args.source.options())?;
    for warning in &file.warnings {
        ui.say(&format!("warning: {}: {warning}", args.input.display()));
    }
    let condition = Condition::new(&file.volume, &args.condition)?;
    let start = Instant::now();
    let is_worth_it = file.volume.n_voxels() / cpu.threads() >= WORTH_A_CARD;
    let card = device::card(args.device, is_worth_it)?;
    let found = card.map(|card| on_card(&card, &file.volume, &args.condition, args.order));
    let on_cpu = || cpu.run(|| find(&file.volume, &condition, args.order));
    let points = match found {
        Some(Err(error)) if args.device == DeviceKind::Auto => {
            ui.say(&format!("warning: {error}; the processor computes"));
            on_cpu()?
        }
        Some(points) => points?,
        None => on_cpu()?,
    };
    let seconds = start.elapsed().as_secs_f64();
    if points.is_empty() {
        let input = args.input.display();
        let range = match file.volume.statistics() {
            facts if facts.min.is_some() => format!(
                "; its values go from {} to {}",
                facts.min.unwrap_or_default(),
                facts.max.unwrap_or_default()
            ),
            _ => String::new(),
        };
        ui.say(&format!(
            "warning: {input}: no voxel fulfills --where \"{}\"{range}",
            args.condition
        ));
    }
    write_points(&args.output, &points)?;
    ui.print(&format!(
        "{}: {} points of {} voxels, found in {seconds:.3} s\n",
        args.output.display(),
        points.len(),
        file.volume.n_voxels(),
    ))?;
    Ok(0)
}

fn order(text: &str) -> std::result::Result<Order, String> {
    match text {
        "lines" => Ok(Order::Lines),
        "blocks" => Ok(Order::Blocks),
        _ => Err(crate::words::suggest(text, &["lines", "blocks"])),
    }
}
