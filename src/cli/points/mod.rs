//! `zeroset points VOLUME --where ...`: the voxels where a condition holds, as points, or how many there are.

mod asked;
mod finder;

use std::path::PathBuf;
use std::time::Instant;

use self::asked::{Entries, Region};
use self::finder::Finder;
use super::threads::Threads;
use super::volume::Which;
use super::{Ui, volume, word};
use zeroset::Cpu;
use zeroset::config::DeviceKind;
use zeroset::error::{Result, shown};
use zeroset::expression::Expression;
use zeroset::io::{
    WriteOptions, check_points_target, check_volume_target, points_text, read_volume, write_points,
    write_volume,
};
use zeroset::points::{Blocks, Points, copies};
use zeroset::primitives::Order;
use zeroset::words::counted;

/// Arguments of `zeroset points`.
#[derive(Debug, clap::Args)]
#[command(
    group(clap::ArgGroup::new("voxels").required(true).multiple(true).args(Which::OPTIONS)),
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

An expression (docs/expressions.md) of
  v        the value of a voxel
  x y z    its center, in world coordinates of the file (origin, spacing and directions applied)
  i j k    its indices along the three axes, from 0; a picture has k = 0
A voxel is taken where it is neither 0 nor no number, and where --edge and --match hold, too, if
they are given. A box in world coordinates is an expression: \"v > 300 && x > 10 && x < 50\".

Without OUT, points are printed as .csv. The ending of OUT is the format. .vtp and .ply have the
points with the arrays v, i, j and k; .csv and .npy have a row x, y, z, v, i, j, k per point (.npy:
float64, [n][7]); with --copies, copy is one more. Where nothing fulfills the expression, a warning
is given and OUT has no point."
)]
pub struct Args {
    /// Volume or gray picture of any format that zeroset reads, compressed with gzip or not
    #[arg(value_name = "VOLUME")]
    pub input: PathBuf,
    #[command(flatten)]
    pub which: Which,
    /// File to write: .vtp, .ply, .npy or .csv; with --blocks a volume, .nii.gz, .nrrd, .mha,
    /// .vti or .npy
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
    /// thread on
    #[arg(long, value_name = "DEVICE", default_value = "auto", value_parser = word::<DeviceKind>)]
    pub device: DeviceKind,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub source: volume::Source,
}

/// Reads, finds or counts, writes or prints, and says in one line how many there are where that is not the answer.
///
/// # Errors
/// [`Error::Case`] for an output that cannot be, before anything is read, an expression of other names, and boxes and entries
/// that are not there; [`Error::Input`] for a file without a volume; [`Error::Device`] without memory; [`Error::Output`].
pub fn run(args: Args, ui: &Ui) -> Result<u8> {
    match &args.output {
        Some(path) if args.blocks.is_some() => check_volume_target(path, &WriteOptions::default())?,
        Some(path) => check_points_target(path)?,
        None => {}
    }
    let file = read_volume(&args.input, &args.source.options())?;
    ui.warn_of(&args.input, &file.warnings);
    let template = args.which.template(ui)?;
    let selection = args.which.selection(&args.input, &file.volume, template.as_ref(), ui)?;
    let finder = Finder {
        volume: &file.volume,
        selection: &selection,
        device: args.device,
        cpu: Cpu::current(),
        ui,
    };
    if args.count {
        count(&args, &finder)?;
    } else if let (Some(edge), Some(path)) = (args.blocks, &args.output) {
        let start = Instant::now();
        let blocks = Blocks::new(&file.volume, edge as usize)?;
        let counts = finder.counts(&blocks.boxes()?)?;
        let most = counts.iter().max().copied().unwrap_or(0);
        let all: u64 = counts.iter().map(|&n| u64::from(n)).sum();
        let density = blocks.volume(counts)?;
        ui.warn_of(path, write_volume(path, &density, &WriteOptions::default())?);
        let ([x, y, z], seconds) = (density.shape(), start.elapsed().as_secs_f64());
        let path = path.display();
        ui.print(&format!(
            "{path}: {x} x {y} x {z} blocks, {all} voxels in them, {most} at most, in {seconds:.3} s\n"
        ))?;
    } else {
        list(&args, &finder)?;
    }
    Ok(0)
}

/// Prints numbers.
fn count(args: &Args, finder: &Finder) -> Result<()> {
    if args.boxes.is_empty() {
        return finder.ui.print(&format!("{}\n", finder.count()?));
    }
    let shape = finder.volume.shape();
    let boxes: Vec<_> =
        args.boxes.iter().map(|region| region.corners(shape)).collect::<Result<_>>()?;
    let counts = finder.counts(&boxes)?;
    finder.ui.print(&counts.iter().map(|n| format!("{n}\n")).collect::<String>())
}

/// Writes or prints points.
fn list(args: &Args, finder: &Finder) -> Result<()> {
    let (ui, start) = (finder.ui, Instant::now());
    let points = found(args, finder)?;
    let seconds = start.elapsed().as_secs_f64();
    let input = shown(&args.input);
    if points.is_empty() {
        let range = match finder.volume.statistics() {
            facts if facts.min.is_some() => format!(
                "; its values go from {} to {}",
                facts.min.unwrap_or_default(),
                facts.max.unwrap_or_default()
            ),
            _ => String::new(),
        };
        ui.warn(format_args!("{input}: no voxel fulfills {}{range}", args.which));
    }
    let Some(path) = &args.output else {
        return points_text(&points).try_for_each(|piece| ui.print(&piece));
    };
    write_points(path, &points)?;
    ui.print(&format!(
        "{}: {} of {}, found in {seconds:.3} s\n",
        path.display(),
        counted(points.len(), ["point", "points"]),
        counted(finder.volume.n_voxels(), ["voxel", "voxels"]),
    ))
}

/// The points that are asked for.
fn found(args: &Args, finder: &Finder) -> Result<Points> {
    let Some(expression) = &args.copies else {
        let Some(entries) = &args.entries else { return finder.list(args.order) };
        let (points, total) = finder.part(args.order, entries.range())?;
        entries.check(total)?;
        return Ok(points);
    };
    let range = args.entries.as_ref().map_or(0..usize::MAX, Entries::range);
    let cloned = match (expression.constant(), &args.entries) {
        // As many of each: only the points that have the entries are listed.
        (Some(m), Some(_)) if (1.0..4_294_967_296.0).contains(&m) => {
            let m = m as usize;
            let first = range.start / m;
            let keys = first..range.end.div_ceil(m);
            let (points, total) = finder.part(args.order, keys)?;
            let counts = copies(&points, expression)?;
            let here = range.start - first * m..range.end.saturating_sub(first * m);
            points.cloned(&counts, here).map(|(points, _)| (points, total.saturating_mul(m)))
        }
        _ => {
            let points = finder.list(args.order)?;
            points.cloned(&copies(&points, expression)?, range)
        }
    };
    let (points, total) = cloned?;
    args.entries.as_ref().map_or(Ok(()), |entries| entries.check(total))?;
    Ok(points)
}

fn order(text: &str) -> std::result::Result<Order, String> {
    match text {
        "lines" => Ok(Order::Lines),
        "blocks" => Ok(Order::Blocks),
        _ => Err(zeroset::words::suggest(text, &["lines", "blocks"])),
    }
}
