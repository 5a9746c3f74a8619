//! `zeroset sparse ARRAY`: a dense matrix as a sparse one.

use std::path::PathBuf;

use super::device::{self, Card};
use super::threads::Threads;
use super::{Ui, volume, word};
use zeroset::Cpu;
use zeroset::config::DeviceKind;
use zeroset::error::{Error, Result};
use zeroset::expression::Expression;
use zeroset::gpu::points::entries_on as on_card;
use zeroset::io::{check_matrix_target, read_volume, write_matrix};
use zeroset::points::entries;
use zeroset::volume::{Samples, Scaling, Volume};
use zeroset::words::counted;

/// Arguments of `zeroset sparse`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Of a .npy array the first index is the row and the second the column, as in NumPy. Of pictures, and
slices in other formats, a line is a row, counted from the first one of the file.

Examples:
  zeroset sparse laplacian.npy -o laplacian.mtx
  zeroset sparse distances.npy --where \"v < 0.1\" -o near.mtx
  zeroset sparse mask.png -o mask.mtx

The matrix is written in the Matrix Market format, coordinates as text, rows and columns from 1, row
by row; scipy.io.mmread, MATLAB's mmread, Julia and Eigen read it. Entries that are no number are
kept.

An expression (docs/expressions.md) has v, the value of an entry, and x y z and i j k, place and
indices, as for `zeroset points`: of a .npy array i is the row and j the column, of a picture j is
the row and i the column.")]
pub struct Args {
    /// Array of two axes, or gray picture: .npy or any volume of one slice that zeroset reads
    #[arg(value_name = "ARRAY")]
    pub input: PathBuf,
    /// What holds at the entries to write; without it those that are not 0
    #[arg(long = "where", value_name = "EXPRESSION")]
    pub condition: Option<Expression>,
    /// File to write: .mtx
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

/// Whether a card is worth its start: nearly all the time is reading and writing (benches/results/points.md).
const IS_WORTH_A_CARD: bool = false;

/// Reads, picks out, writes, and says in one line how many entries there are.
///
/// # Errors
/// [`Error::Case`] for an output that cannot be, and an expression of other names; [`Error::Input`] for a file without an array
/// of two axes; [`Error::Device`] without memory; [`Error::Output`].
pub fn run(args: Args, ui: &Ui) -> Result<u8> {
    check_matrix_target(&args.output)?;
    let file = read_volume(&args.input, &args.source.options())?;
    ui.warn_of(&args.input, &file.warnings);
    let [nx, ny, nz] = file.volume.shape();
    if nz > 1 {
        let what = format!("an array of {nx} x {ny} x {nz} numbers is no matrix");
        let remedy = "give an array of two axes, or a picture";
        return Err(Error::input(&args.input, "", what, remedy));
    }
    let turned = file.format == "npy";
    let shape = if turned { [nx, ny] } else { [ny, nx] };
    let (cpu, condition) = (Cpu::current(), args.condition.as_ref());
    let on_card = |card: Card| on_card(&card, &file.volume, turned, condition);
    let on_cpu = || cpu.run(|| entries(&file.volume, turned, condition));
    let matrix = device::either(args.device, IS_WORTH_A_CARD, ui, on_card, on_cpu)?;
    write_matrix(&args.output, shape, &matrix, is_whole(&file.volume))?;
    let n = matrix.values.len();
    let found = counted(n, ["entry", "entries"]);
    let share = 100.0 * n as f64 / (nx * ny) as f64;
    let ([rows, columns], path) = (shape, args.output.display());
    ui.print(&format!("{path}: {rows} x {columns}, {found}, {share:.3} % of them\n"))?;
    Ok(0)
}

/// Whether all values are whole by their type.
fn is_whole(volume: &Volume) -> bool {
    let is_float = matches!(volume.samples(), Samples::F32(_) | Samples::F64(_));
    !is_float && volume.scaling() == Scaling::NONE
}
