//! `zeroset points VOLUME`: selected voxels as a list, a count, an octree or a sparse matrix.

mod count;
mod finder;
mod list;
mod ranges;
mod sparse;
mod tree;

use std::path::{Path, PathBuf};

use self::finder::Finder;
use self::ranges::{Entries, Region};
use super::compressed::Compressed;
use super::threads::Threads;
use super::times::At;
use super::volume::Which;
use super::{Ui, volume, word};
use crate::Cpu;
use crate::config::DeviceKind;
use crate::error::Result;
use crate::expression::Expression;
use crate::io::{
    WriteOptions, check_leaves_target, check_matrix_target, check_points_target,
    check_volume_target, read_volume,
};
use crate::primitives::Order;
use crate::volume::Volume;

/// Modes that were once separate commands. `zeroset tree` still means `zeroset points --tree`.
pub const OLD_COMMANDS: [&str; 2] = ["tree", "sparse"];

/// Arguments of `zeroset points`.
#[derive(Debug, clap::Args)]
#[command(
    group(clap::ArgGroup::new("voxels").required(true).multiple(true)
        .args(Which::OPTIONS).args(OLD_COMMANDS)),
    after_help = "\
Examples:
  zeroset points head.nii.gz --where \"v > 300\" -o skin.vtp
  zeroset points head.nii.gz --where \"v > 300 && z > 40\" -o top.ply
  zeroset points photo.png --where \"v >= 128 && i < 100\" -o bright.csv
  zeroset points scan.raw --raw 256x256x109:uint16le:1x1x1.5 --where v -o bone.npy
  zeroset points photo.png --edge 40 -o edges.npy
  zeroset points page.png --match letter.png --tolerance 500 -o places.csv
  zeroset points head.nii.gz --where \"v > 300\" --count
  zeroset points head.nii.gz --where \"v > 300\" --count --box 0:64,:,10:20 --box 64:128,:,10:20
  zeroset points head.nii.gz --where \"v > 300\" --blocks 16 -o density.nrrd
  zeroset points head.nii.gz --where \"v > 300\" --entries 1000..1010
  zeroset points head.nii.gz --where \"v > 300\" --copies \"v/100\" -o particles.vtp
  zeroset points labels.nrrd --tree -o blocks.vtu
  zeroset points plan.png --tree --where \"v < 128\" -o walls.csv
  zeroset points laplacian.npy --sparse -o laplacian.mtx
  zeroset points distances.npy --sparse --where \"v < 0.1\" -o near.mtx

An expression (docs/expressions.md) may use
  v        the value of a voxel
  x y z    its center in the world coordinates of the file
  i j k    its indices along the three axes, from 0; a picture has k = 0
A voxel is selected if the expression is neither 0 nor NaN, and if it also meets --edge and --match,
if these are given. To select a box in world coordinates, use \"v > 300 && x > 10 && x < 50\".

Without OUT, the points are printed as .csv. The ending of OUT selects the format. .vtp and .ply
files hold the points with the arrays v, i, j and k. .csv and .npy files have one row x, y, z, v, i,
j, k per point (.npy: float64, [n][7]). With --copies, there is also an array or column copy. If no
voxel is selected, the program prints a warning and writes an OUT without points.

--tree converts a volume to an octree, a picture to a quadtree. A block has 2^level voxels along
each axis (fewer at the edge of the volume), and its indices start at multiples of 2^level. The
leaves are the largest blocks with a single value, and together they cover the volume. With --where,
--edge or --match, the leaves are the largest blocks where the condition is true everywhere or
nowhere, and only those where it is true are written. OUT is .vtu, or .vtp for a picture. Its cells
cover their voxels and have the arrays v (the value, or that of the first voxel with a condition),
level, voxels (their number), i, j and k (the first voxel). A .csv file has one row i, j, k, level,
voxels, v per leaf. Leaves are in Z-order.

--sparse reads an array with two axes, from .npy or any volume with one slice, as a matrix. In a
.npy array, the first index (i) is the row and the second (j) the column, as in NumPy. In pictures
and slices in other formats, each line (j) is a row, counted from the first line of the file. OUT is
a .mtx file in the Matrix Market format: text coordinates, row by row, with rows and columns
numbered from 1. scipy.io.mmread, MATLAB's mmread, Julia and Eigen read it. NaN entries are kept."
)]
pub struct Args {
    /// Volume or grayscale picture in any supported format, optionally compressed with gzip
    #[arg(value_name = "VOLUME")]
    pub input: PathBuf,
    #[command(flatten)]
    pub which: Which,
    /// Output file: .vtp, .ply, .npy or .csv; a volume with --blocks (.nii.gz, .nrrd, .mha, .vti or
    /// .npy); .vtu, .vtp or .csv with --tree; .mtx with --sparse
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub compressed: Compressed,
    /// Print only the number of voxels
    #[arg(long, conflicts_with_all = ["output", "blocks", "entries", "copies"])]
    pub count: bool,
    /// Count the selected voxels in this box of indices, excluding the upper end of each range; an
    /// omitted end is the edge of the volume; repeatable, prints one count per line
    #[arg(
        long = "box",
        value_name = "I0:I1,J0:J1,K0:K1",
        requires = "count",
        allow_hyphen_values = true
    )]
    pub boxes: Vec<Region>,
    /// Count the selected voxels in each block of N x N x N voxels (N x N in a picture), and write
    /// the counts as a volume with one voxel per block
    #[arg(long, value_name = "N", requires = "output", conflicts_with_all = ["entries", "copies"],
        value_parser = clap::value_parser!(u32).range(1..))]
    pub blocks: Option<u32>,
    /// Write the largest blocks with a single value, as an octree, or a quadtree for a picture;
    /// with --where, --edge or --match, the largest blocks where the condition is true
    #[arg(long, requires = "output",
        conflicts_with_all = ["sparse", "count", "blocks", "entries", "copies", "order"])]
    pub tree: bool,
    /// Write the matrix entries that are not 0, or those where --where is true
    #[arg(long, requires = "output", conflicts_with_all = ["edge", "template", "count", "blocks",
        "entries", "copies", "order"])]
    pub sparse: bool,
    /// List only these entries, numbered from 0: A..B (without B), A.., ..B, or a single number
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    pub entries: Option<Entries>,
    /// Number of entries per selected voxel: a number, or an expression like that of --where,
    /// rounded down; `copy` numbers the entries of a voxel from 0
    #[arg(long, value_name = "M")]
    pub copies: Option<Expression>,
    /// Order of the points: lines (x fastest) or blocks (Z-order, where neighbors in the list are
    /// close in space)
    #[arg(long, value_name = "ORDER", default_value = "lines", value_parser = order)]
    pub order: Order,
    /// Device: auto, cpu or cuda; auto uses a GPU for at least 33 million voxels per thread, but
    /// always the CPU for --tree and --sparse
    #[arg(long, value_name = "DEVICE", default_value = "auto", value_parser = word::<DeviceKind>)]
    pub device: DeviceKind,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub source: volume::Source,
    #[command(flatten)]
    pub at: At,
}

/// The kind of result, with the output file.
enum Mode<'a> {
    List(Option<&'a Path>),
    Count,
    Blocks(u32, &'a Path),
    Tree(&'a Path),
    Sparse(&'a Path),
}

impl Args {
    /// Returns the mode that the options select.
    ///
    /// Clap rejects two modes together, and a mode without its output file.
    fn mode(&self) -> Mode<'_> {
        match (&self.output, self.blocks) {
            (Some(path), _) if self.tree => Mode::Tree(path),
            (Some(path), _) if self.sparse => Mode::Sparse(path),
            (Some(path), Some(edge)) => Mode::Blocks(edge, path),
            (None, _) if self.count => Mode::Count,
            (path, _) => Mode::List(path.as_deref()),
        }
    }
}

impl Mode<'_> {
    /// Checks, before anything is read, that the output can be written.
    fn check(&self) -> Result<()> {
        match self {
            Mode::Blocks(_, path) => check_volume_target(path, &WriteOptions::default()),
            Mode::Tree(path) => check_leaves_target(path),
            Mode::Sparse(path) => check_matrix_target(path),
            Mode::List(path) => path.map_or(Ok(()), check_points_target),
            Mode::Count => Ok(()),
        }
    }
}

/// Reads the volume, selects voxels, and prints the result or writes it to a file. If it writes a
/// file, it prints one line about it.
///
/// # Errors
/// Returns [`Error::Case`](crate::Error::Case) before anything is read if the output cannot be
/// written as requested. Also returns it if an expression contains an unknown name, or if boxes or
/// entries are out of range. Returns [`Error::Input`](crate::Error::Input) if the file has no
/// volume, or if the volume has more than two axes and `--sparse` is given. Returns
/// [`Error::Device`](crate::Error::Device) if memory runs out or a requested GPU cannot be used,
/// and [`Error::Output`](crate::Error::Output) if writing fails.
pub fn run(args: Args, ui: &Ui) -> Result<u8> {
    let mode = args.mode();
    mode.check()?;
    let output: Vec<&Path> = args.output.as_deref().into_iter().collect();
    let compression = args.compressed.of(&output)?;
    let file = read_volume(&args.input, &args.source.options().time(args.at.time))?;
    ui.warn_of(&args.input, &file.warnings);
    match mode {
        Mode::Tree(path) => tree::run(&args, path, &file.volume, compression, ui)?,
        Mode::Sparse(path) => sparse::run(&args, path, &file, ui)?,
        Mode::Count => {
            with_finder(&args, &file.volume, ui, |finder| count::of_boxes(&args.boxes, finder))?;
        }
        Mode::Blocks(edge, path) => {
            with_finder(&args, &file.volume, ui, |finder| {
                count::of_blocks(edge, path, compression, finder)
            })?;
        }
        Mode::List(path) => {
            with_finder(&args, &file.volume, ui, |finder| {
                list::run(&args, path, compression, finder)
            })?;
        }
    }
    Ok(0)
}

/// Calls `answer` with a finder for the voxels that the options select.
fn with_finder(
    args: &Args,
    volume: &Volume,
    ui: &Ui,
    answer: impl FnOnce(&Finder) -> Result<()>,
) -> Result<()> {
    let template = args.which.template(ui)?;
    let selection = args.which.selection(&args.input, volume, template.as_ref(), ui)?;
    let (device, cpu) = (args.device, Cpu::current());
    answer(&Finder { volume, selection: &selection, device, cpu, ui })
}

fn order(text: &str) -> std::result::Result<Order, String> {
    match text {
        "lines" => Ok(Order::Lines),
        "blocks" => Ok(Order::Blocks),
        _ => Err(crate::words::suggest(text, &["lines", "blocks"])),
    }
}
