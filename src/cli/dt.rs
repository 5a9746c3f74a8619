//! `zeroset dt VOLUME --where EXPRESSION --queries FILE -o FILE`: distances from given points.

mod device;
mod sites;
mod solve;

use std::path::{Path, PathBuf};

use self::sites::Numbered;
use self::solve::Solved;
use super::cloud;
use super::threads::Threads;
use super::times::At;
use super::{Ui, volume, word};
use crate::Cpu;
use crate::atomic;
use crate::config::{DeviceKind, Precision};
use crate::error::{Error, Result};
use crate::expression::Expression;
use crate::point_distance::{Method, Norm};

/// Arguments of `zeroset dt`.
#[derive(Debug, clap::Args)]
#[command(
    group(clap::ArgGroup::new("sites").required(true).args(["volume", "points"])),
    after_help = "\
Sites are the centers of the voxels where the expression is true, or the points of --points. The
output table has one row x,y,z,distance,site per query: the exact distance to the nearest site, and
the index of that site, from 0. The index of a voxel is x + nx (y + ny z), and that of a point is
its position in the file. If several sites are equally near, the smallest index is given. If there
is no site, the distance is inf and the index is -1.

Examples:
  zeroset dt head.nii.gz --where \"v > 300\" --queries electrodes.csv -o distances.csv
  zeroset dt head.nii.gz --where \"v > 300\" --lattice --queries voxels.csv -o distances.csv
  zeroset dt --points cloud.ply --queries probes.xyz --norm l1 -o distances.csv
  zeroset dt --points cloud.ply --where \"z > 0\" --queries probes.xyz --method index -o d.csv
  zeroset dt ct.nrrd --where \"v > 1843\" --queries rays.csv --direction normals --angle 36 -o d.csv

Queries and points are read from columns of text (.csv, .txt: the columns x, y and z, or the first
three; .xyz), or from the vertices of a mesh or point cloud (.ply, .vtp, .obj, ...). They and the
distances are in the world coordinates of the volume. With --lattice, queries are voxel indices, and
distances are exact and in units of one voxel.

In the expression (docs/expressions.md), v is the value of a voxel, x, y, z are its world
coordinates, and i, j, k are its indices. For points, use x, y, z and the names of their arrays."
)]
pub struct Args {
    /// Volume or grayscale picture in any supported format
    #[arg(requires = "selection")]
    pub volume: Option<PathBuf>,
    /// Take the sites from a point file instead of a volume
    #[arg(long, value_name = "FILE")]
    pub points: Option<PathBuf>,
    /// Expression that selects the voxels or points that are sites
    #[arg(long = "where", id = "selection", value_name = "EXPRESSION")]
    pub selection: Option<Expression>,
    /// File with the points to measure from
    #[arg(long, value_name = "FILE")]
    pub queries: PathBuf,
    /// Output file, .csv
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Norm: l1, l2, linf, or l followed by an order of at least 1, such as l3
    #[arg(long, value_name = "NORM", default_value = "l2")]
    pub norm: Norm,
    /// Method: brute (compares all pairs), index (builds a k-d tree first) or auto (the faster one)
    #[arg(long, value_name = "METHOD", default_value = "auto")]
    pub method: Method,
    /// Use only every K-th site, and estimate the error on a sample of the queries
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub perforation: u32,
    /// Consider only sites in a cone around this direction; `normals` uses the arrays nx, ny and nz
    /// of the queries
    #[arg(long, value_name = "X,Y,Z|normals", requires = "angle", allow_hyphen_values = true)]
    pub direction: Option<Direction>,
    /// Half angle of the cone in degrees
    #[arg(long, value_name = "DEGREES", requires = "direction")]
    pub angle: Option<f64>,
    /// Also consider sites this close to the ray; half the diagonal of a voxel suits rays through
    /// voxels
    #[arg(long, value_name = "RADIUS", requires = "direction")]
    pub cylinder: Option<f64>,
    /// Queries are voxel indices, and --points have integer coordinates; distances are exact
    #[arg(long)]
    pub lattice: bool,
    /// Scalar type: f64 or f32
    #[arg(long, value_name = "TYPE", default_value = "f64", value_parser = word::<Precision>)]
    pub precision: Precision,
    /// Limit on the memory for results or for the index, such as 64KiB, 256MiB or 2GiB
    #[arg(long, value_name = "SIZE", default_value = "256MiB", value_parser = size)]
    pub memory: u64,
    /// Device: auto, cpu or cuda
    #[arg(long, value_name = "DEVICE", default_value = "auto", value_parser = word::<DeviceKind>)]
    pub device: DeviceKind,
    /// Number of GPUs that share the sites, each according to its speed
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub gpus: u32,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub source: volume::Source,
    #[command(flatten)]
    pub at: At,
}

/// The direction in which queries look for sites.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Direction {
    /// One direction for all queries.
    Along([f64; 3]),
    /// The arrays nx, ny and nz of the queries.
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

/// Parses a number of bytes, such as 256MiB.
fn size(text: &str) -> std::result::Result<u64, String> {
    let units = [("KiB", 10), ("MiB", 20), ("GiB", 30)];
    let (number, shift) = units
        .iter()
        .find_map(|(unit, shift)| text.strip_suffix(unit).map(|number| (number, *shift)))
        .unwrap_or((text, 0));
    let bytes = number.trim().parse::<u64>().ok().and_then(|n| n.checked_mul(1 << shift));
    bytes.ok_or_else(|| {
        "expected a number of bytes, optionally with KiB, MiB or GiB, such as 256MiB".into()
    })
}

impl Args {
    /// Returns the file that contains the sites.
    pub fn file(&self) -> &Path {
        self.points.as_ref().or(self.volume.as_ref()).unwrap_or(&self.queries)
    }

    /// Returns the files that are read.
    pub fn inputs(&self) -> Vec<&Path> {
        vec![self.file(), &self.queries]
    }

    /// Returns true if distances are computed with integer coordinates.
    fn is_whole(&self) -> bool {
        self.lattice && !matches!(self.norm, Norm::Lp(_))
    }

    /// Returns true if distances are computed with 32-bit floats.
    fn is_single(&self) -> bool {
        self.precision == Precision::F32 && !self.is_whole()
    }
}

/// Computes the distances, writes the table and prints a summary.
///
/// # Errors
/// Returns [`Error::Case`] if options conflict with each other or with the files (checked before
/// anything is computed); [`Error::Input`] if a file cannot be read; [`Error::Output`] if the table
/// cannot be written.
pub fn run(args: Args, ui: &Ui) -> Result<u8> {
    if !args.output.extension().is_some_and(|e| e.eq_ignore_ascii_case("csv")) {
        let what = format!("{}: the table must be a .csv file", args.output.display());
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

/// Writes the table of the distances and nearest sites.
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

/// Returns the summary: what was written and how it was computed.
fn words(args: &Args, sites: &Numbered, solved: &Solved) -> String {
    let finite = || solved.distances.iter().copied().filter(|d| d.is_finite());
    let range = finite().next().map_or(String::new(), |_| {
        let (low, high) = (finite().fold(f64::INFINITY, f64::min), finite().fold(0.0, f64::max));
        let units = sites.units.as_ref().map_or(String::new(), |units| format!(" {units}"));
        format!(", {low} to {high}{units}")
    });
    let none = solved.sites.iter().filter(|site| site.is_none()).count();
    let none = if none > 0 { format!("; {none} without a site") } else { String::new() };
    format!(
        "{}: {} distances ({}) to {} sites{range}{none}\n{}",
        args.output.display(),
        solved.distances.len(),
        args.norm,
        sites.points.len(),
        solved.how,
    )
}
