//! `zeroset points VOLUME`: the voxels where a condition holds, as a list, a number, blocks or a matrix.

mod asked;
mod count;
mod finder;
mod list;
mod sparse;
mod tree;

use std::path::{Path, PathBuf};

use self::asked::{Entries, Region};
use self::finder::Finder;
use super::threads::Threads;
use super::volume::Which;
use super::{Ui, volume, word};
use zeroset::Cpu;
use zeroset::config::DeviceKind;
use zeroset::error::Result;
use zeroset::expression::Expression;
use zeroset::io::{
    WriteOptions, check_leaves_target, check_matrix_target, check_points_target,
    check_volume_target, read_volume,
};
use zeroset::primitives::Order;
use zeroset::volume::Volume;

/// Modes that were commands of their own once; `zeroset tree` is still `zeroset points --tree`.
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

An expression (docs/expressions.md) of
  v        the value of a voxel
  x y z    its center, in world coordinates of the file (origin, spacing and directions applied)
  i j k    its indices along the three axes, from 0; a picture has k = 0
A voxel is taken where it is neither 0 nor no number, and where --edge and --match hold, too, if
they are given. A box in world coordinates is an expression: \"v > 300 && x > 10 && x < 50\".

Without OUT, points are printed as .csv. The ending of OUT is the format. .vtp and .ply have the
points with the arrays v, i, j and k; .csv and .npy have a row x, y, z, v, i, j, k per point (.npy:
float64, [n][7]); with --copies, copy is one more. Where nothing fulfills the expression, a warning
is given and OUT has no point.

--tree cuts a volume into an octree, a picture into a quadtree. A block of it has 2^level voxels
along each axis, fewer where the volume ends, and begins at multiples of that. The leaves are the
largest blocks of one value: together they are the volume. With --where, --edge or --match, blocks
where that holds everywhere or nowhere are leaves, and those where it holds are written. OUT is
.vtu, of a picture .vtp, too: cells from border to border of their voxels, with the arrays v (the
value, with an expression that of the first voxel), level, voxels (how many), i, j and k (the first
voxel). .csv has a row i, j, k, level, voxels, v for each leaf. Leaves come in Z-order.

--sparse takes an array of two axes, .npy or any volume of one slice, as a matrix. Of a .npy array
the first index (i) is the row and the second (j) the column, as in NumPy. Of pictures, and slices
in other formats, a line (j) is a row, counted from the first one of the file. OUT is .mtx, the
Matrix Market format, coordinates as text, rows and columns from 1, row by row; scipy.io.mmread,
MATLAB's mmread, Julia and Eigen read it. Entries that are no number are kept."
)]
pub struct Args {
    /// Volume or gray picture of any format that zeroset reads, compressed with gzip or not
    #[arg(value_name = "VOLUME")]
    pub input: PathBuf,
    #[command(flatten)]
    pub which: Which,
    /// File to write: .vtp, .ply, .npy or .csv; with --blocks a volume, .nii.gz, .nrrd, .mha,
    /// .vti or .npy; with --tree .vtu, .vtp or .csv; with --sparse .mtx
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Print the number of voxels, and nothing else
    #[arg(long, conflicts_with_all = ["output", "blocks", "entries", "copies"])]
    pub count: bool,
    /// Count in this box of indices, the last of each range not among them; again for more
    /// boxes: a number per line. An empty end is the border
    #[arg(
        long = "box",
        value_name = "I0:I1,J0:J1,K0:K1",
        requires = "count",
        allow_hyphen_values = true
    )]
    pub boxes: Vec<Region>,
    /// Count in each block of N x N x N voxels (of a picture N x N), and write the counts as a
    /// volume whose voxels are the blocks
    #[arg(long, value_name = "N", requires = "output", conflicts_with_all = ["entries", "copies"],
        value_parser = clap::value_parser!(u32).range(1..))]
    pub blocks: Option<u32>,
    /// Write the largest blocks of one value: an octree, of a picture a quadtree; with --where,
    /// --edge or --match the largest blocks where that holds
    #[arg(long, requires = "output",
        conflicts_with_all = ["sparse", "count", "blocks", "entries", "copies", "order"])]
    pub tree: bool,
    /// Write the entries of a matrix that are not 0, or where --where holds
    #[arg(long, requires = "output", conflicts_with_all = ["edge", "template", "count", "blocks",
        "entries", "copies", "order"])]
    pub sparse: bool,
    /// Only these entries of the list, numbered from 0: A..B (without B), A.., ..B, or one
    /// number
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    pub entries: Option<Entries>,
    /// Entries for each voxel, with their number as `copy`: a number, or an expression as above,
    /// rounded down
    #[arg(long, value_name = "M")]
    pub copies: Option<Expression>,
    /// Order of the points: lines, x fastest, or blocks, where neighbors in the list are near each
    /// other in space (Z-order)
    #[arg(long, value_name = "ORDER", default_value = "lines", value_parser = order)]
    pub order: Order,
    /// What computes: auto, cpu or cuda; auto takes a GPU from 33 million voxels for each
    /// thread on, but for --tree and --sparse, where it is the CPU
    #[arg(long, value_name = "DEVICE", default_value = "auto", value_parser = word::<DeviceKind>)]
    pub device: DeviceKind,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub source: volume::Source,
}

/// What is made of the voxels, with the file that it is written to.
enum Mode<'a> {
    List(Option<&'a Path>),
    Count,
    Blocks(u32, &'a Path),
    Tree(&'a Path),
    Sparse(&'a Path),
}

impl Args {
    /// The one mode that the options ask for: clap refuses two, and a file where none is written.
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
    /// Refuses a file that cannot be written, before anything is read.
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

/// Reads, finds or counts, writes or prints, and says in one line how many there are where that is not the answer.
///
/// # Errors
/// [`Error::Case`](zeroset::Error::Case) for an output that cannot be, before anything is read, an
/// expression of other names, and boxes and entries that are not there;
/// [`Error::Input`](zeroset::Error::Input) for a file without a volume, or with `--sparse` of more
/// than two axes; [`Error::Device`](zeroset::Error::Device) without memory;
/// [`Error::Output`](zeroset::Error::Output).
pub fn run(args: Args, ui: &Ui) -> Result<u8> {
    let mode = args.mode();
    mode.check()?;
    let file = read_volume(&args.input, &args.source.options())?;
    ui.warn_of(&args.input, &file.warnings);
    match mode {
        Mode::Tree(path) => tree::run(&args, path, &file.volume, ui)?,
        Mode::Sparse(path) => sparse::run(&args, path, &file, ui)?,
        Mode::Count => {
            with_finder(&args, &file.volume, ui, |finder| count::of_boxes(&args.boxes, finder))?;
        }
        Mode::Blocks(edge, path) => {
            with_finder(&args, &file.volume, ui, |finder| count::of_blocks(edge, path, finder))?;
        }
        Mode::List(path) => {
            with_finder(&args, &file.volume, ui, |finder| list::run(&args, path, finder))?;
        }
    }
    Ok(0)
}

/// Hands over what finds the voxels that the options select.
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
        _ => Err(zeroset::words::suggest(text, &["lines", "blocks"])),
    }
}
