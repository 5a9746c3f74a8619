//! `zeroset sample MESH -n N -o FILE`: samples random points on a surface, or with `--geodesic N`
//! vertices that are far from one another.

mod geodesic;

use std::path::PathBuf;
use std::time::Instant;

use clap::builder::RangedI64ValueParser;
use serde::Serialize;

use super::compressed::Compressed;
use super::progress::Amount;
use super::threads::Threads;
use super::times::At;
use super::{Ui, json, word};
use crate::Cpu;
use crate::atomic::check_folder;
use crate::cloud::{Noise, Sampler, Sampling};
use crate::error::Result;
use crate::io::{
    CloudLayout, Frame, MeshOptions, check_cloud_target, read_mesh_with, write_cloud_pieces,
};
use crate::mesh::generate::cli::seed;
use crate::words::counted;

/// Arguments of `zeroset sample`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Points are random and distributed uniformly over the area of the surface. The same seed gives the
same cloud, for any number of threads.

Examples:
  zeroset sample pial.gii.gz -n 1000000 -o cloud.ply
  zeroset sample lucy.ply -n 14000000 --normals -o cloud.ply
  zeroset sample horse.ply -n 2000000 --noise 0.1% --outliers 4000 --seed 7 -o noisy.pcd
  zeroset sample pial.gii.gz --geodesic 400 -o seeds.csv

--noise S adds Gaussian noise with standard deviation S, in units of the mesh, to each coordinate.
--noise P% is a percentage of the diagonal of the bounding box. Normals are those of the oriented
triangles, and noise does not change them. The points of --outliers come last. They are uniform in
the bounding box, enlarged by a tenth of its diagonal on each side, and have random normals.

--geodesic N chooses vertices of a surface or tetrahedral mesh instead. Each next vertex is the one
that is farthest from the earlier ones along the mesh, so the first K are spread evenly for any K.
The output also has the vertex numbers (from 0) and the distances from the earlier vertices.
`zeroset distance --from vertex:A --from vertex:B .. --labels` then writes the nearest vertex of
each place, the geodesic Voronoi cells.

The ending of FILE selects the format: .ply, .pcd and .las (binary), .xyz, .txt and .csv (text), or
.vtp. All except .vtp and .las are written while points are sampled, and need little memory.")]
pub struct Args {
    /// Surface mesh (or tetrahedral mesh, for --geodesic) in any supported format
    pub mesh: PathBuf,
    /// Number of points on the surface
    #[arg(short = 'n', long = "points", value_name = "N", required_unless_present = "geodesic",
          value_parser = RangedI64ValueParser::<u64>::new().range(1..))]
    pub n: Option<u64>,
    /// Number of vertices that are far from one another along the mesh, instead of random points
    #[arg(long, value_name = "N", conflicts_with_all = ["n", "normals", "noise", "outliers", "seed"],
          value_parser = RangedI64ValueParser::<u64>::new().range(1..))]
    pub geodesic: Option<u64>,
    /// The first vertex of --geodesic, from 0
    #[arg(long, value_name = "VERTEX", default_value_t = 0, conflicts_with = "n")]
    pub first: u32,
    /// Output file: .ply, .pcd, .las, .xyz, .txt, .csv or .vtp
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    #[command(flatten)]
    pub compressed: Compressed,
    /// Frame of a cortical surface: tkr (FreeSurfer), scanner, or file (as stored)
    #[arg(long, value_name = "tkr|scanner|file", value_parser = word::<Frame>)]
    pub frame: Option<Frame>,
    #[command(flatten)]
    pub at: At,
    /// Also write normals
    #[arg(long)]
    pub normals: bool,
    /// Standard deviation of Gaussian noise: a length, or a percentage of the bounding box diagonal
    #[arg(long, value_name = "S|P%", default_value = "0", allow_hyphen_values = true)]
    pub noise: Noise,
    /// Number of additional random points off the surface
    #[arg(long, value_name = "K", default_value_t = 0,
          value_parser = RangedI64ValueParser::<u64>::new().range(0..))]
    pub outliers: u64,
    /// Seed of the random numbers; another seed gives another cloud
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = seed)]
    pub seed: u64,
    #[command(flatten)]
    pub threads: Threads,
    /// Print JSON for programs: warnings as lines on standard error, the final report on standard
    /// output
    #[arg(long)]
    pub json: bool,
}

/// The report of `--json`.
#[derive(Serialize)]
struct Report {
    /// Number of points on the surface.
    points: u64,
    outliers: u64,
    normals: bool,
    /// Standard deviation, in units of the mesh.
    noise: f64,
    seed: u64,
    /// Area of the surface, in squared units of the mesh.
    area: f64,
    units: Option<String>,
    /// Seconds for sampling and writing.
    seconds: f64,
}

/// Reads the mesh, samples and writes the points, and prints one line about the output.
///
/// # Errors
/// Returns [`crate::Error::Case`] if the output cannot be written as requested (checked before
/// anything is read), or if there are too many points; [`crate::Error::Input`] if the file has no
/// triangles; [`crate::Error::Output`] if the output cannot be written.
pub fn run(args: Args, ui: &Ui) -> Result<u8> {
    check_cloud_target(&args.output)?;
    let compression = args.compressed.of(&[&args.output])?;
    check_folder(&args.output)?;
    if let Some(n) = args.geodesic {
        return geodesic::run(&args, n, compression, ui);
    }
    let cpu = Cpu::current();
    let file =
        read_mesh_with(&args.mesh, &MeshOptions::default().frame(args.frame).time(args.at.time))?;
    ui.warn_of(&args.mesh, &file.warnings);
    let Args { normals, noise, outliers, seed, .. } = args;
    // Without --geodesic, the number is required.
    let n = args.n.unwrap_or(1);
    let options = Sampling { n, normals, noise, outliers, seed };
    let sampler = Sampler::new(&file.mesh, options).map_err(|e| e.in_file(&args.mesh))?;
    let start = Instant::now();
    let layout = CloudLayout { n: n + outliers, normals, colors: false };
    let lost = cpu.run(|| {
        let progress = Amount::new(ui, "points", layout.n);
        let pieces = sampler.pieces().inspect(|piece| progress.add(piece.len() as u64));
        write_cloud_pieces(&args.output, layout, pieces, compression)
    })?;
    ui.warn_of(&args.output, lost);
    let report = Report {
        points: n,
        outliers,
        normals,
        noise: sampler.noise(),
        seed,
        area: sampler.area(),
        units: file.units,
        seconds: start.elapsed().as_secs_f64(),
    };
    ui.print(&match ui.is_json() {
        true => json::end(&report, &args.output, 0),
        false => summary(&report, &args),
    })?;
    Ok(0)
}

fn summary(report: &Report, args: &Args) -> String {
    let Report { points, noise, area, seconds, .. } = report;
    let units = report.units.as_deref().map_or(String::new(), |units| format!(" {units}"));
    let normals = if report.normals { " with normals" } else { "" };
    let noise = if *noise > 0.0 { format!(", noise {noise:.4e}{units}") } else { String::new() };
    let others = match report.outliers {
        0 => String::new(),
        n => format!(" and {}", counted(n, ["outlier", "outliers"])),
    };
    let points = counted(*points, ["point", "points"]);
    let squared = report.units.as_deref().map_or(String::new(), |units| format!(" {units}^2"));
    format!(
        "{}: {points}{others}{normals} on a surface with area {area:.6}{squared}{noise}, \
         {seconds:.2} s\n",
        args.output.display()
    )
}
