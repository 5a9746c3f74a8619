//! `zeroset dt VOLUME --where EXPRESSION --queries FILE -o FILE`: distances of some points.

mod device;
mod sites;
mod solve;

use std::path::{Path, PathBuf};

use self::sites::Numbered;
use self::solve::Solved;
use super::cloud;
use super::threads::Threads;
use super::{Ui, volume, word};
use zeroset::Cpu;
use zeroset::atomic;
use zeroset::config::{DeviceKind, Precision};
use zeroset::error::{Error, Result};
use zeroset::expression::Expression;
use zeroset::point_distance::{Method, Norm};

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

    /// Whether coordinates are compared as whole numbers.
    fn is_whole(&self) -> bool {
        self.lattice && !matches!(self.norm, Norm::Lp(_))
    }

    /// Whether coordinates are compared as floats of 32 bits.
    fn is_single(&self) -> bool {
        self.precision == Precision::F32 && !self.is_whole()
    }
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
    let sites = sites::read(&args, &cpu, ui)?;
    let solved = solve::run(&args, &sites.points, &queries, &cpu, ui)?;
    write(&args, &queries.points, &sites, &solved)?;
    ui.print(&words(&args, &sites, &solved))?;
    Ok(0)
}

/// Writes the table.
fn write(args: &Args, queries: &[[f64; 3]], sites: &Numbered, solved: &Solved) -> Result<()> {
    atomic::write(&args.output, |out| {
        writeln!(out, "x,y,z,distance,site")?;
        for (([x, y, z], d), site) in queries.iter().zip(&solved.distances).zip(&solved.sites) {
            write!(out, "{x},{y},{z},")?;
            match site {
                Some(site) if args.is_single() => {
                    writeln!(out, "{},{}", *d as f32, sites.numbers[*site])?;
                }
                Some(site) => writeln!(out, "{d},{}", sites.numbers[*site])?,
                None => writeln!(out, "inf,-1")?,
            }
        }
        Ok(())
    })
}

/// What was written and how it was found, in lines.
fn words(args: &Args, sites: &Numbered, solved: &Solved) -> String {
    let finite = || solved.distances.iter().copied().filter(|d| d.is_finite());
    let range = finite().next().map_or(String::new(), |_| {
        let (low, high) = (finite().fold(f64::INFINITY, f64::min), finite().fold(0.0, f64::max));
        let units = sites.units.as_ref().map_or(String::new(), |units| format!(" {units}"));
        format!(", {low} to {high}{units}")
    });
    let none = solved.sites.iter().filter(|site| site.is_none()).count();
    let none = if none > 0 { format!("; {none} see no site") } else { String::new() };
    format!(
        "{}: {} distances ({}) to {} sites{range}{none}\n{}",
        args.output.display(),
        solved.distances.len(),
        args.norm,
        sites.points.len(),
        solved.how,
    )
}
