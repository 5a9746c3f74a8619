//! `zeroset points ARRAY --sparse -o FILE`: converts a dense matrix to a sparse one.

use std::path::Path;
use std::sync::Arc;

use super::Args;
use crate::Cpu;
use crate::cli::{Ui, device};
use crate::error::{Error, Result};
use crate::gpu::Cuda;
use crate::gpu::points::entries_on;
use crate::io::{VolumeFile, write_matrix};
use crate::points::entries;
use crate::volume::{Samples, Scaling, Volume};
use crate::words::counted;

/// A GPU is not worth its startup time, because nearly all the time is spent on reading and writing
/// (benches/results/points.md).
const IS_WORTH_A_GPU: bool = false;

/// Selects the entries, writes them, and prints one line about the output.
///
/// # Errors
/// Returns [`Error::Input`] if the file does not hold an array with two axes; [`Error::Case`] if
/// the expression names something unknown; [`Error::Device`] if memory runs out; [`Error::Output`]
/// if the output cannot be written.
pub fn run(args: &Args, output: &Path, file: &VolumeFile, ui: &Ui) -> Result<()> {
    let volume = &file.volume;
    let [nx, ny, nz] = volume.shape();
    if nz > 1 {
        let what = format!("an array of {nx} x {ny} x {nz} numbers is not a matrix");
        let remedy = "use an array with two axes, or a picture";
        return Err(Error::input(&args.input, "", what, remedy));
    }
    let turned = file.format == "npy";
    let shape = if turned { [nx, ny] } else { [ny, nx] };
    let (cpu, condition) = (Cpu::current(), args.which.condition.as_ref());
    let on_gpu = |gpu: Arc<Cuda>| entries_on(&gpu, volume, turned, condition);
    let on_cpu = || cpu.run(|| entries(volume, turned, condition));
    let matrix = device::either(args.device, IS_WORTH_A_GPU, ui, on_gpu, on_cpu)?;
    write_matrix(output, shape, &matrix, is_whole(volume))?;
    let n = matrix.values.len();
    let found = counted(n, ["entry", "entries"]);
    let share = 100.0 * n as f64 / (nx * ny) as f64;
    let ([rows, columns], path) = (shape, output.display());
    ui.print(&format!("{path}: {rows} x {columns} matrix, {found} ({share:.3} %)\n"))
}

/// Returns true if the values of the volume are stored as integers and are not scaled.
fn is_whole(volume: &Volume) -> bool {
    let is_float = matches!(volume.samples(), Samples::F32(_) | Samples::F64(_));
    !is_float && volume.scaling() == Scaling::NONE
}
