//! `zeroset points VOLUME --tree -o FILE`: converts a volume to an octree or a picture to a
//! quadtree.

use std::path::Path;
use std::sync::Arc;

use super::Args;
use crate::Cpu;
use crate::cli::{Ui, device};
use crate::error::{Result, shown};
use crate::gpu::Cuda;
use crate::gpu::points::{leaves_on, leaves_where_on};
use crate::io::vtk::Compression;
use crate::io::write_leaves;
use crate::points::{Leaves, leaves, leaves_where};
use crate::volume::Volume;
use crate::words::counted;

/// The word for leaves in the singular and plural.
const LEAVES: [&str; 2] = ["leaf", "leaves"];

/// A GPU is not worth its startup time, because nearly all the time is spent on reading and writing
/// (benches/results/points.md).
const IS_WORTH_A_GPU: bool = false;

/// Builds the tree, writes its leaves, and prints one line about the output.
///
/// # Errors
/// Returns [`Error::Case`](crate::Error::Case) if the expression names something unknown;
/// [`Error::Device`](crate::Error::Device) if memory runs out;
/// [`Error::Output`](crate::Error::Output) if the output cannot be written.
pub fn run(
    args: &Args,
    output: &Path,
    volume: &Volume,
    compression: Compression,
    ui: &Ui,
) -> Result<()> {
    let (found, all) = match args.which.is_given() {
        false => (of_values(args, volume, ui)?, None),
        true => of_condition(args, volume, ui).map(|(found, all)| (found, Some(all)))?,
    };
    write_leaves(output, volume, &found, compression)?;
    let n = found.leaves.len();
    let most = found.leaves.iter().map(|leaf| leaf.level).max();
    let most = most.map_or(String::new(), |level| format!(", highest level {level}"));
    let path = output.display();
    let found = match all {
        Some(all) => format!("{n} of {}", counted(all, LEAVES)),
        None => counted(n, LEAVES),
    };
    let voxels = counted(volume.n_voxels(), ["voxel", "voxels"]);
    ui.print(&format!("{path}: {found} for {voxels}{most}\n"))
}

/// Returns the largest blocks with a single value.
fn of_values(args: &Args, volume: &Volume, ui: &Ui) -> Result<Leaves> {
    let cpu = Cpu::current();
    let on_gpu = |gpu: Arc<Cuda>| leaves_on(&gpu, volume);
    let on_cpu = || cpu.run(|| leaves(volume));
    device::either(args.device, IS_WORTH_A_GPU, ui, on_gpu, on_cpu)
}

/// Returns the blocks where the condition is true everywhere, and the total number of leaves.
///
/// The total includes the blocks where the condition is true nowhere.
fn of_condition(args: &Args, volume: &Volume, ui: &Ui) -> Result<(Leaves, usize)> {
    let cpu = Cpu::current();
    let template = args.which.template(ui)?;
    let selection = args.which.selection(&args.input, volume, template.as_ref(), ui)?;
    let on_gpu = |gpu: Arc<Cuda>| leaves_where_on(&gpu, volume, &selection.criteria);
    let on_cpu = || cpu.run(|| leaves_where(volume, &selection.all));
    let (found, all) = device::either(args.device, IS_WORTH_A_GPU, ui, on_gpu, on_cpu)?;
    if found.leaves.is_empty() {
        let input = shown(&args.input);
        ui.warn(format_args!("{input}: no voxel satisfies {}", args.which));
    }
    Ok((found, all))
}
