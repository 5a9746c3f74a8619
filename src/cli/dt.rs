//! `zeroset dt VOLUME --where EXPRESSION --queries FILE -o FILE`: distances of some points.

use std::path::{Path, PathBuf};

use super::cloud::{self, Cloud};
use super::device::{self, Card};
use super::threads::Threads;
use super::{Ui, volume, word};
use zeroset::Cpu;
use zeroset::config::{DeviceKind, Precision};
use zeroset::error::{Error, Result};
use zeroset::expression::Expression;
pub use zeroset::io::{atomic, read_volume};
use zeroset::point_distance::{
    Cone, Coordinate, Directions, Index, Method, NO_SITE, Nearest, Norm, Options, Sites, nearest,
};
use zeroset::primitives::memory::gibibytes;

/// Arguments of `zeroset dt`.
#[derive(Debug, clap::Args)]
#[command(
    group(clap::ArgGroup::new("sites").required(true).args(["volume", "points"])),
    after_help = "\
Sites are the centers of the voxels where the expression holds, or the points of --points. For each
query the table FILE has a row x,y,z,distance,site: the exact distance to the nearest site, and the
number of that site, counted from 0: of a voxel x + nx (y + ny z), of a point its place in the file.
Of several the one with the smallest number is named. -1 with the distance inf stands for no site.

Examples:
  zeroset dt head.nii.gz --where \"v > 300\" --queries electrodes.csv -o distances.csv
  zeroset dt head.nii.gz --where \"v > 300\" --lattice --queries voxels.csv -o distances.csv
  zeroset dt --points cloud.ply --queries probes.xyz --norm l1 -o distances.csv
  zeroset dt --points cloud.ply --where \"z > 0\" --queries probes.xyz --method index -o d.csv
  zeroset dt ct.nrrd --where \"v > 1843\" --queries rays.csv --direction normals --angle 36 -o d.csv

Queries and points: text of numbers in columns (.csv, .txt: columns x, y and z, or the first three;
.xyz), or the vertices of a mesh or point cloud (.ply, .vtp, .obj, ...). They and the distances are
in the world coordinates of the volume; with --lattice queries are indices of voxels, and distances
are exact in steps of one voxel.

In the expression (docs/expressions.md) v is the value of a voxel, x y z are its world coordinates
and i j k its index; of points, x y z and their arrays."
)]
pub struct Args {
    /// Volume or gray picture of any format that zeroset reads
    #[arg(requires = "selection")]
    pub volume: Option<PathBuf>,
    /// Sites from a file of points instead of a volume
    #[arg(long, value_name = "FILE")]
    pub points: Option<PathBuf>,
    /// Which voxels or points are sites
    #[arg(long = "where", id = "selection", value_name = "EXPRESSION")]
    pub selection: Option<Expression>,
    /// Points to measure from
    #[arg(long, value_name = "FILE")]
    pub queries: PathBuf,
    /// Table to write, .csv
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// l1, l2, linf, or l and an order of 1 and above, such as l3
    #[arg(long, value_name = "NORM", default_value = "l2")]
    pub norm: Norm,
    /// brute compares all, index builds a k-d tree first, auto takes what is faster
    #[arg(long, value_name = "METHOD", default_value = "auto")]
    pub method: Method,
    /// Take only every K-th site; the error is estimated on a sample of the queries
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub perforation: u32,
    /// Take only sites in a cone around this direction; `normals` takes the arrays nx, ny and nz of the
    /// queries
    #[arg(long, value_name = "X,Y,Z|normals", requires = "angle", allow_hyphen_values = true)]
    pub direction: Option<Direction>,
    /// Half angle of the cone, degrees
    #[arg(long, value_name = "DEGREES", requires = "direction")]
    pub angle: Option<f64>,
    /// Take also sites this near to the ray, as rays through voxels need it: half a voxel's diagonal
    #[arg(long, value_name = "RADIUS", requires = "direction")]
    pub cylinder: Option<f64>,
    /// Whole numbers: indices of voxels, or points with whole coordinates; exact
    #[arg(long)]
    pub lattice: bool,
    /// f64 or f32
    #[arg(long, value_name = "TYPE", default_value = "f64", value_parser = word::<Precision>)]
    pub precision: Precision,
    /// Partial and final results, or the index, take at most this: 64KiB, 256MiB, 2GiB
    #[arg(long, value_name = "SIZE", default_value = "256MiB", value_parser = size)]
    pub memory: u64,
    /// What computes: auto, cpu or cuda
    #[arg(long, value_name = "DEVICE", default_value = "auto", value_parser = word::<DeviceKind>)]
    pub device: DeviceKind,
    /// GPUs that share the sites, as fast as each is
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub gpus: u32,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub source: volume::Source,
}

/// Where queries look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Direction {
    /// All the same way.
    Along([f64; 3]),
    /// Along their arrays nx, ny, nz.
    Normals,
}

impl std::str::FromStr for Direction {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        if text == "normals" {
            return Ok(Direction::Normals);
        }
        super::three(text).map(Direction::Along).map_err(|what| format!("{what} or normals"))
    }
}

/// A number of bytes, such as 256MiB.
fn size(text: &str) -> std::result::Result<u64, String> {
    let units = [("KiB", 10), ("MiB", 20), ("GiB", 30)];
    let (number, shift) = units
        .iter()
        .find_map(|(unit, shift)| text.strip_suffix(unit).map(|number| (number, *shift)))
        .unwrap_or((text, 0));
    let bytes = number.trim().parse::<u64>().ok().and_then(|n| n.checked_mul(1 << shift));
    bytes.ok_or_else(|| "expected a number of bytes, or one of KiB, MiB or GiB: 256MiB".into())
}

impl Args {
    /// The file of the sites.
    pub fn file(&self) -> &Path {
        self.points.as_ref().or(self.volume.as_ref()).unwrap_or(&self.queries)
    }

    /// The files that are read.
    pub fn inputs(&self) -> Vec<&Path> {
        vec![self.file(), &self.queries]
    }
}

/// Sites with the number each has in its file.
struct Numbered {
    points: Vec<[f64; 3]>,
    numbers: Vec<u64>,
    units: Option<String>,
}

/// Computes the distances, writes the table, and says what was done.
///
/// # Errors
/// [`Error::Case`] for options that do not fit each other or the files, before anything is computed;
/// [`Error::Input`]; [`Error::Output`].
pub fn run(args: Args, ui: &Ui) -> Result<u8> {
    if !args.output.extension().is_some_and(|e| e.eq_ignore_ascii_case("csv")) {
        let what = format!("{}: a table is written as .csv", args.output.display());
        return Err(Error::usage(what, "end the name in .csv"));
    }
    atomic::check_folder(&args.output)?;
    let cpu = Cpu::current();
    let queries = cloud::read(&args.queries, ui)?;
    let sites = match (&args.points, &args.volume) {
        (Some(path), _) => of_points(path, &args, ui)?,
        (None, Some(path)) => cpu.run(|| of_volume(path, &args, ui))?,
        (None, None) => return Err(Error::usage("no sites", "name a volume, or --points")),
    };
    let options = options(&args, &queries)?;
    let whole = args.lattice && !matches!(args.norm, Norm::Lp(_));
    let cards = cards(&args, whole, sites.points.len(), queries.points.len(), &cpu, ui)?;
    let (distances, site, said) = if whole {
        let from = args.file();
        let sites = cloud::whole(&sites.points, from)?;
        let queries = cloud::whole(&queries.points, &args.queries)?;
        solve_on(&cards, &cpu, &sites, &queries, &options)?
    } else if args.precision == Precision::F32 {
        let single = |list: &[[f64; 3]]| -> Vec<[f32; 3]> {
            list.iter().map(|x| x.map(|x| x as f32)).collect()
        };
        check_single(&[&sites.points, &queries.points])?;
        solve_on(&cards, &cpu, &single(&sites.points), &single(&queries.points), &options)?
    } else {
        solve_on(&cards, &cpu, &sites.points, &queries.points, &options)?
    };
    atomic::write(&args.output, |out| {
        writeln!(out, "x,y,z,distance,site")?;
        for (([x, y, z], d), site) in queries.points.iter().zip(&distances).zip(&site) {
            write!(out, "{x},{y},{z},")?;
            match site {
                Some(site) if args.precision == Precision::F32 && !whole => {
                    writeln!(out, "{},{}", *d as f32, sites.numbers[*site])?;
                }
                Some(site) => writeln!(out, "{d},{}", sites.numbers[*site])?,
                None => writeln!(out, "inf,-1")?,
            }
        }
        Ok(())
    })?;
    let finite = || distances.iter().copied().filter(|d| d.is_finite());
    let (low, high) = (finite().fold(f64::INFINITY, f64::min), finite().fold(0.0, f64::max));
    let range =
        if finite().next().is_some() { format!(", {low} to {high}") } else { String::new() };
    let units =
        sites.units.filter(|_| !range.is_empty()).map_or(String::new(), |u| format!(" {u}"));
    let none = site.iter().filter(|site| site.is_none()).count();
    let none = if none > 0 { format!("; {none} see no site") } else { String::new() };
    ui.print(&format!(
        "{}: {} distances ({}) to {} sites{range}{units}{none}\n{said}",
        args.output.display(),
        distances.len(),
        args.norm,
        sites.points.len(),
    ))?;
    Ok(0)
}

/// Voxels that fulfill the expression: their centers, or with `--lattice` their indices.
fn of_volume(path: &Path, args: &Args, ui: &Ui) -> Result<Numbered> {
    let file = read_volume(path, &args.source.options())?;
    ui.warn_of(path, &file.warnings);
    let source = file.volume;
    let Some(expression) = &args.selection else {
        return Err(Error::usage("a volume without --where", "say which voxels are sites"));
    };
    let selected = volume::selected(path, &source, expression)?;
    let numbers = (0..selected.len()).filter(|&n| selected[n]);
    let point = |n: usize| {
        let index = source.index_of(n).map(|i| i as f64);
        if args.lattice { index } else { source.placement().world(index) }
    };
    let points = numbers.clone().map(point).collect();
    let units = source.units.filter(|_| !args.lattice);
    Ok(Numbered { points, numbers: numbers.map(|n| n as u64).collect(), units })
}

/// Points of a file that fulfill the expression, if there is one.
fn of_points(path: &Path, args: &Args, ui: &Ui) -> Result<Numbered> {
    if args.source.is_given() {
        let what = "--raw and --array speak of volumes, --points of points";
        return Err(Error::usage(what, "leave them out"));
    }
    let cloud = cloud::read(path, ui)?;
    let selected = match &args.selection {
        Some(expression) => cloud.select(expression, path)?,
        None => (0..cloud.points.len()).collect(),
    };
    Ok(Numbered {
        points: selected.iter().map(|&n| cloud.points[n]).collect(),
        numbers: selected.into_iter().map(|n| n as u64).collect(),
        units: cloud.units,
    })
}

fn options(args: &Args, queries: &Cloud) -> Result<Options> {
    let mut options = Options::default();
    (options.norm, options.method, options.memory) = (args.norm, args.method, args.memory);
    options.every = args.perforation as usize;
    if let (Some(direction), Some(angle)) = (args.direction, args.angle) {
        let directions = match direction {
            Direction::Along(r) => Directions::One(r),
            Direction::Normals => Directions::Each(queries.normals(&args.queries)?),
        };
        options.cone =
            Some(Cone { directions, angle: angle.to_radians(), cylinder: args.cylinder });
    }
    Ok(options)
}

/// Refuses points that are all at one place in single precision.
fn check_single(lists: &[&[[f64; 3]]]) -> Result<()> {
    let all = lists.iter().flat_map(|list| list.iter().flatten());
    let most = all.fold(0.0, |most: f64, x| most.max(x.abs()));
    if most > 0.0 && most < f64::from(f32::MIN_POSITIVE) {
        let what = format!("coordinates up to {most:e} are nothing in single precision");
        return Err(Error::usage(what, "scale the points up, or leave out --precision f32"));
    }
    Ok(())
}

/// Seconds of the processor from which on a GPU is worth its start, which takes a quarter of a second, and the copies to it.
const WORTH_A_CARD: f64 = 0.5;
/// What one thread takes, in seconds, by measurement (docs/point-distances.md): to compare a query with a site, in norms of other
/// orders, to put a site into an index, and to ask that.
const PAIR: f64 = 0.25e-9;
const PAIR_OF_POWERS: f64 = 180e-9;
const SITE: f64 = 90e-9;
const QUERY: f64 = 1.5e-6;

/// About what the processor takes, seconds; `single` if numbers have 32 bits.
fn processor_time(
    args: &Args,
    single: bool,
    n_sites: usize,
    n_queries: usize,
    threads: usize,
) -> f64 {
    let n_sites = n_sites / args.perforation as usize;
    let (sites, queries, threads) = (n_sites as f64, n_queries as f64, threads as f64);
    let pair = if matches!(args.norm, Norm::Lp(_)) { PAIR_OF_POWERS } else { PAIR };
    // Threads beside the first gain little of the build.
    let brute = sites * queries * pair / threads;
    let index = sites * SITE + queries * QUERY / threads;
    let bytes = if single { Index::<f32>::bytes } else { Index::<f64>::bytes };
    match args.method {
        Method::Brute => brute,
        Method::Index => index,
        Method::Auto if bytes(n_sites) <= args.memory => brute.min(index),
        Method::Auto => brute,
    }
}

/// The cards that compute, if any does; two streams of each where sites pass through in pieces, so that one copies while
/// the other compares.
fn cards(
    args: &Args,
    whole: bool,
    n_sites: usize,
    n_queries: usize,
    cpu: &Cpu,
    ui: &Ui,
) -> Result<Vec<Card>> {
    let by_index = args.method == Method::Index;
    let serves = !by_index
        || (args.perforation == 1 && args.direction.is_none() && !matches!(args.norm, Norm::Lp(_)));
    if args.device == DeviceKind::Cuda && !serves {
        let what = "--device cuda computes by an index without cones, perforation and norms but \
                    l1, l2 and linf";
        return Err(Error::usage(what, "take --method brute, or leave out --device"));
    }
    let single = whole || args.precision == Precision::F32;
    let seconds = processor_time(args, single, n_sites, n_queries, cpu.threads());
    let is_worth_it = seconds >= WORTH_A_CARD;
    let coordinate = if single { 4 } else { 8 };
    let bytes = (n_sites as u64).saturating_mul(3 * coordinate);
    let streams = if bytes > args.memory { 2 } else { 1 };
    let cards = device::cards(args.device, serves && is_worth_it, args.gpus, streams)?;
    if args.gpus > 1 && cards.is_empty() {
        let gpus = args.gpus;
        let why = match args.device {
            DeviceKind::Cpu => "--device cpu",
            _ if !serves => "an index with these options is the processor's",
            _ if !is_worth_it => "so few distances are done before a GPU has started",
            _ => "no GPU can be used",
        };
        ui.warn(format_args!("--gpus {gpus}: the processor computes: {why}"));
    }
    Ok(cards)
}

fn solve_on<C: zeroset::point_distance::cuda::DeviceCoordinate>(
    cards: &[Card],
    cpu: &Cpu,
    sites: &[[C; 3]],
    queries: &[[C; 3]],
    options: &Options,
) -> Result<Solved> {
    let Some(card) = cards.first() else { return solve(cpu, sites, queries, options) };
    let sites = Sites::new(sites)?;
    let found = zeroset::point_distance::cuda::nearest_on(cards, cpu, &sites, queries, options)?;
    Ok(solved(&found, options, &format!(" on {}", card.card().name)))
}

/// Distances, numbers of sites, and how they were found, in lines.
type Solved = (Vec<f64>, Vec<Option<usize>>, String);

fn solve<C: Coordinate>(
    cpu: &Cpu,
    sites: &[[C; 3]],
    queries: &[[C; 3]],
    options: &Options,
) -> Result<Solved> {
    Ok(solved(&nearest(cpu, &Sites::new(sites)?, queries, options)?, options, ""))
}

fn solved<C: Coordinate>(result: &Nearest<C>, options: &Options, on: &str) -> Solved {
    let number = |site: u32| (site != NO_SITE).then_some(site as usize);
    let site = result.found.iter().map(|found| number(found.site)).collect();
    (result.distances(), site, how(result, options, on))
}

/// What was done, in lines; `on` names a card, if one did it.
fn how<C: Coordinate>(result: &Nearest<C>, options: &Options, on: &str) -> String {
    let size = match result.working_set {
        bytes @ 0..1024 => format!("{bytes} bytes"),
        bytes @ 1024..1_048_576 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        bytes => gibibytes(bytes),
    };
    let mut lines = format!("method: {} in {}{on}; ", result.method, result.kernel);
    lines += &match result.plan.map(|plan| plan.streams) {
        Some(1) => format!("1 stream, working set {size}\n"),
        Some(streams) => format!("{streams} streams, working set {size}\n"),
        None => format!("{size}\n"),
    };
    if let Some(error) = &result.perforation {
        let percent = error.percent.map_or("not known".into(), |e| format!("{e:.2} %"));
        lines += &format!(
            "perforation: one site in {}, mean error {percent} of {} sampled queries, {} excluded \
             (distance 0 or none), {} see no site any more\n",
            options.every, error.sampled, error.excluded, error.lost
        );
    }
    lines
}
