//! `zeroset tree VOLUME`: a volume as an octree, a picture as a quadtree.

use std::path::PathBuf;

use super::device::{self, Card};
use super::threads::Threads;
use super::volume::{self, Which};
use super::{Ui, word};
use zeroset::Cpu;
use zeroset::config::DeviceKind;
use zeroset::error::{Result, shown};
use zeroset::io::{check_leaves_target, read_volume, write_leaves};
use zeroset::points::{leaves, leaves_where};
use zeroset::words::counted;

/// Arguments of `zeroset tree`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A block of the tree has 2^level voxels along each axis, fewer where the volume ends, and begins at
multiples of that. The leaves are the largest blocks of one value: together they are the volume.
With --where, --edge or --match, blocks where that holds everywhere or nowhere are leaves, and those
where it holds are written.

Examples:
  zeroset tree labels.nrrd -o blocks.vtu
  zeroset tree head.nii.gz --where \"v > 300\" -o bone.vtu
  zeroset tree plan.png -o plan.vtp
  zeroset tree plan.png --where \"v < 128\" -o walls.csv

OUT is .vtu, of a picture .vtp, too: cells from border to border of their voxels, with the arrays v
(the value, with an expression that of the first voxel), level, voxels (how many), i, j and k (the
first voxel). .csv has a row i, j, k, level, voxels, v for each leaf. Leaves come in Z-order.")]
pub struct Args {
    /// Volume or gray picture of any format that zeroset reads, compressed with gzip or not
    #[arg(value_name = "VOLUME")]
    pub input: PathBuf,
    #[command(flatten)]
    pub which: Which,
    /// File to write: .vtu, .vtp or .csv
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
    /// What computes: auto, cpu or cuda; auto is the processor
    #[arg(long, value_name = "DEVICE", default_value = "auto", value_parser = word::<DeviceKind>)]
    pub device: DeviceKind,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub source: volume::Source,
}

/// One, and many.
const LEAVES: [&str; 2] = ["leaf", "leaves"];

/// Whether a card is worth its start: nearly all the time is reading and writing (benches/results/points.md).
const IS_WORTH_A_CARD: bool = false;

/// Reads, cuts, writes, and says in one line how many leaves there are.
///
/// # Errors
/// [`zeroset::Error::Case`] for an output that cannot be, and an expression of other names; [`zeroset::Error::Input`] for a file
/// without a volume; [`zeroset::Error::Device`] without memory; [`zeroset::Error::Output`].
pub fn run(args: Args, ui: &Ui) -> Result<u8> {
    check_leaves_target(&args.output)?;
    let file = read_volume(&args.input, &args.source.options())?;
    ui.warn_of(&args.input, &file.warnings);
    let (cpu, volume) = (Cpu::current(), &file.volume);
    let (found, all) = match args.which.is_given() {
        false => {
            let on_card = |card: Card| on_card::leaves(&card, volume);
            let on_cpu = || cpu.run(|| leaves(volume));
            let found = device::either(args.device, IS_WORTH_A_CARD, ui, on_card, on_cpu)?;
            (found, None)
        }
        true => {
            let template = args.which.template(ui)?;
            let selection = args.which.selection(&args.input, volume, template.as_ref(), ui)?;
            let on_card = |card: Card| on_card::leaves_where(&card, volume, &selection.criteria);
            let on_cpu = || cpu.run(|| leaves_where(volume, &selection.all));
            let (found, all) = device::either(args.device, IS_WORTH_A_CARD, ui, on_card, on_cpu)?;
            if found.leaves.is_empty() {
                let input = shown(&args.input);
                ui.warn(format_args!("{input}: no voxel fulfills {}", args.which));
            }
            (found, Some(all))
        }
    };
    write_leaves(&args.output, volume, &found)?;
    let n = found.leaves.len();
    let most = found.leaves.iter().map(|leaf| leaf.level).max();
    let most = most.map_or(String::new(), |level| format!(", the largest of level {level}"));
    let path = args.output.display();
    let found = match all {
        Some(all) => format!("{n} of {}", counted(all, LEAVES)),
        None => counted(n, LEAVES),
    };
    let voxels = counted(volume.n_voxels(), ["voxel", "voxels"]);
    ui.print(&format!("{path}: {found} of {voxels}{most}\n"))?;
    Ok(0)
}

mod on_card {
    pub use zeroset::gpu::points::{leaves_on as leaves, leaves_where_on as leaves_where};
}
