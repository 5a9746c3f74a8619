//! `zeroset sdf MESH -o FILE`: computes signed distances to a surface, on a grid or at points.

mod grid;
mod points;

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::OnceLock;
use std::time::Instant;

use serde::Serialize;

use super::compressed::Compressed;
use super::threads::Threads;
use super::times::At;
use super::voxelize::beside_scanner;
use super::{Ui, json, word};
use crate::Cpu;
use crate::api::{Extras, MOST_ALONG, SignedSurface};
use crate::atomic;
use crate::error::{Error, Result};
use crate::io::{Frame, MeshOptions, read_mesh_with};

/// Arguments of `zeroset sdf`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Each value is the exact distance to the nearest point of the surface, negative inside. A point is
inside if the absolute value of the winding number exceeds 1/2, so holes are closed smoothly, with a
warning. Parts that overlap count as their union: surface inside another part is ignored. The
surface of a tetrahedral mesh is its boundary.

Examples:
  zeroset sdf part.stl --size 200 -o distance.nii.gz
  zeroset sdf part.stl --spacing 0.5 --band 3 -o distance.vti
  zeroset sdf part.stl --spacing 0.5 --box=-10,-10,0:10,10,5 -o distance.npy
  zeroset sdf part.stl --at probes.csv --normals --triangles -o distances.csv

A grid covers the bounding box of the surface, enlarged by --margin voxels, or the box of --box. Its
voxels are cubes with centers at multiples of the spacing from the lowest corner. Values are 64-bit
floats. --at computes distances at the points of a file instead, and writes a table with one row per
point: x, y, z, distance.

--normals adds the unit vector in which the distance grows fastest, and --triangles the number of
the nearest triangle, from 0 in the order of the file. A table gets the columns nx, ny, nz and
triangle. A grid gets more files: for d.nrrd, these are d_nx.nrrd, d_ny.nrrd, d_nz.nrrd and
d_triangle.nrrd. They replace existing files only with --overwrite.")]
pub struct Args {
    /// Triangulated surface or tetrahedral mesh in any supported format
    #[arg(value_name = "MESH")]
    pub mesh: PathBuf,
    /// Number of voxels along the longest side of the surface, or of --box; default 128
    #[arg(long, value_name = "N", conflicts_with = "spacing",
          value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_ALONG)))]
    pub size: Option<u32>,
    /// Edge length of a voxel in units of the mesh, instead of --size
    #[arg(long, value_name = "LENGTH")]
    pub spacing: Option<f64>,
    /// Number of voxels to add on each side of the bounding box
    #[arg(long, value_name = "N", default_value_t = 4, conflicts_with = "region",
          value_parser = clap::value_parser!(u32).range(0..=i64::from(MOST_ALONG)))]
    pub margin: u32,
    /// Box of voxel centers to cover, given by its lowest and highest corner
    #[arg(long = "box", id = "region", value_name = "X,Y,Z:X,Y,Z", allow_hyphen_values = true)]
    pub region: Option<Corners>,
    /// Compute only distances up to this number of voxels; farther away, the value is this limit
    /// with the sign of the distance
    #[arg(long, value_name = "VOXELS")]
    pub band: Option<f64>,
    /// File of points at which to compute distances, instead of on a grid: columns of text, a mesh,
    /// a point cloud, or a .npy array
    #[arg(long, value_name = "FILE",
          conflicts_with_all = ["size", "spacing", "region", "band", "margin"])]
    pub at: Option<PathBuf>,
    /// Also write the direction in which the distance grows
    #[arg(long)]
    pub normals: bool,
    /// Also write the number of the nearest triangle
    #[arg(long)]
    pub triangles: bool,
    /// Frame of a cortical surface: tkr (FreeSurfer), scanner, or file (as stored)
    #[arg(long, value_name = "tkr|scanner|file", value_parser = word::<Frame>)]
    pub frame: Option<Frame>,
    #[command(flatten)]
    pub time: At,
    /// Output file: .nii.gz, .nii, .nrrd, .mha, .vti or .npy (indexed [x][y][z]); with --at, .csv
    /// or .npy
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Replace existing files of --normals and --triangles
    #[arg(long)]
    pub overwrite: bool,
    #[command(flatten)]
    pub compressed: Compressed,
    #[command(flatten)]
    pub threads: Threads,
    /// Also write a report as JSON
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Print JSON for programs: warnings as lines on standard error, the final report on standard
    /// output
    #[arg(long)]
    pub json: bool,
    /// The files of a grid besides the distances.
    #[arg(skip)]
    more: OnceLock<Vec<PathBuf>>,
}

/// The lowest and the highest corner of a box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corners {
    low: [f64; 3],
    high: [f64; 3],
}

impl FromStr for Corners {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let expected = || "expected X,Y,Z:X,Y,Z, the lowest and the highest corner".to_string();
        let (low, high) = text.split_once(':').ok_or_else(expected)?;
        let corner = |text| super::three(text).map_err(|_| expected());
        let (low, high) = (corner(low)?, corner(high)?);
        let is_box = (0..3).all(|k| low[k] <= high[k] && (high[k] - low[k]).is_finite());
        if is_box { Ok(Corners { low, high }) } else { Err(expected()) }
    }
}

impl Args {
    /// Returns the files that the command reads.
    pub fn inputs(&self) -> Vec<&Path> {
        std::iter::once(&self.mesh).chain(&self.at).map(PathBuf::as_path).collect()
    }

    /// Returns the files that the command writes.
    pub fn outputs(&self) -> Vec<&Path> {
        let all = std::iter::once(&self.output).chain(self.more()).chain(&self.report);
        all.map(PathBuf::as_path).collect()
    }

    /// Returns the requested additional results.
    fn extras(&self) -> Extras {
        Extras::default().normals(self.normals).triangles(self.triangles)
    }

    /// Returns the files of a grid besides the distances: the components of the normals and the
    /// triangles, if they are requested.
    fn more(&self) -> &[PathBuf] {
        self.more.get_or_init(|| {
            if self.at.is_some() {
                return Vec::new();
            }
            let normals = ["nx", "ny", "nz"].into_iter().filter(|_| self.normals);
            let triangles = ["triangle"].into_iter().filter(|_| self.triangles);
            normals.chain(triangles).map(|part| beside(&self.output, part)).collect()
        })
    }
}

/// Returns the name of a file that holds a part of the output: `d_nx.nii.gz` for `d.nii.gz`.
fn beside(output: &Path, part: &str) -> PathBuf {
    let name = output.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.strip_suffix(".gz").unwrap_or(&name);
    let cut = stem.rfind('.').unwrap_or(stem.len());
    output.with_file_name(format!("{}_{part}{}", &name[..cut], &name[cut..]))
}

/// A surface that is ready for distances.
struct Surface {
    signed: SignedSurface,
    units: Option<String>,
}

impl Surface {
    /// Reads the surface, and warns about its defects.
    fn read(args: &Args, warnings: &mut Warnings) -> Result<Self> {
        let options = MeshOptions::default().frame(args.frame).time(args.time.time);
        let file = read_mesh_with(&args.mesh, &options)?;
        warnings.add(&args.mesh, &file.warnings);
        if args.at.is_none() {
            let frame = beside_scanner(&file.about.frame);
            warnings.add(&args.mesh, &frame.into_iter().collect::<Vec<String>>());
        }
        let signed = SignedSurface::new(&file.mesh).map_err(|error| error.in_file(&args.mesh))?;
        warnings.add(&args.mesh, signed.warnings());
        Ok(Surface { signed, units: file.units })
    }
}

/// Warnings, printed at once and kept for the report.
struct Warnings<'a> {
    ui: &'a Ui,
    kept: Vec<String>,
}

impl Warnings<'_> {
    fn add(&mut self, path: &Path, warnings: &[String]) {
        self.ui.warn_of(path, warnings);
        self.kept.extend(warnings.iter().map(|w| format!("{}: {w}", path.display())));
    }
}

/// The report of `--json` and `--report`.
#[derive(Serialize)]
struct Report {
    /// Number of triangles in the surface.
    triangles: usize,
    /// Number of triangles inside other components.
    ignored: usize,
    /// Number of voxels along each axis, or of points.
    shape: Vec<usize>,
    /// Edge length of a voxel, in units of the mesh.
    spacing: Option<f64>,
    /// Position of the first voxel.
    origin: Option<[f64; 3]>,
    /// Number of points inside.
    inside: usize,
    smallest: f64,
    largest: f64,
    units: Option<String>,
    warnings: Vec<String>,
    seconds: f64,
}

/// Computes and writes the distances, and prints one line about the output.
///
/// # Errors
/// Returns [`Error::Case`] if the output cannot be written as requested (checked before anything is
/// read); [`Error::Input`] if a file cannot be read or has no triangles; [`Error::Device`] if
/// memory runs out; [`Error::Output`] if the output cannot be written.
pub fn run(args: Args, ui: &Ui) -> Result<u8> {
    match &args.at {
        Some(_) => points::check(&args)?,
        None => grid::check(&args)?,
    }
    args.outputs().into_iter().try_for_each(atomic::check_folder)?;
    if let Some(path) = args.more().iter().find(|path| !args.overwrite && path.exists()) {
        let remedy = "use --overwrite to replace it, or choose another name";
        return Err(Error::output(path, "already exists", remedy));
    }
    let (start, cpu) = (Instant::now(), Cpu::current());
    let mut warnings = Warnings { ui, kept: Vec::new() };
    let surface = cpu.run(|| Surface::read(&args, &mut warnings))?;
    let report = cpu.run(|| {
        atomic::together(|| {
            let mut report = match &args.at {
                Some(at) => points::run(&args, at, &surface, &mut warnings)?,
                None => grid::run(&args, &surface, &mut warnings)?,
            };
            report.seconds = start.elapsed().as_secs_f64();
            report.warnings = std::mem::take(&mut warnings.kept);
            if let Some(path) = &args.report {
                let text = serde_json::to_string_pretty(&report).unwrap_or_default() + "\n";
                atomic::write(path, |out| out.write_all(text.as_bytes()))?;
            }
            Ok(report)
        })
    })?;
    ui.print(&match ui.is_json() {
        true => json::end(&report, &args.output, 0),
        false => summary(&report, &args),
    })?;
    Ok(0)
}

impl Report {
    fn new(surface: &Surface, shape: Vec<usize>, values: &[f64], inside: usize) -> Self {
        let ends = (f64::INFINITY, f64::NEG_INFINITY);
        let (smallest, largest) =
            values.iter().fold(ends, |(low, high), &d| (low.min(d), high.max(d)));
        Report {
            triangles: surface.signed.n_triangles(),
            ignored: surface.signed.n_ignored(),
            shape,
            spacing: None,
            origin: None,
            inside,
            smallest,
            largest,
            units: surface.units.clone(),
            warnings: Vec::new(),
            seconds: 0.0,
        }
    }
}

fn summary(report: &Report, args: &Args) -> String {
    let units = report.units.as_deref().map_or(String::new(), |units| format!(" {units}"));
    let what = match report.shape[..] {
        [x, y, z] => format!("{x} x {y} x {z} voxels"),
        _ => format!("{} points", report.shape[0]),
    };
    format!(
        "{}: {what}, {} inside, distances {} to {}{units}, {:.2} s\n",
        args.output.display(),
        report.inside,
        report.smallest,
        report.largest,
        report.seconds
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_beside_the_output_keep_its_format() {
        for (output, expected) in
            [("a/d.nii.gz", "a/d_nx.nii.gz"), ("d.x.nrrd", "d.x_nx.nrrd"), ("d.NPY", "d_nx.NPY")]
        {
            assert_eq!(beside(Path::new(output), "nx"), Path::new(expected));
        }
    }

    #[test]
    fn boxes_have_two_corners() {
        let corners: Corners = "-1,-2,0:1,2.5,3".parse().unwrap();
        assert_eq!((corners.low, corners.high), ([-1.0, -2.0, 0.0], [1.0, 2.5, 3.0]));
        for wrong in ["1,2,3", "0,0,0:1,1", "0,0,2:1,1,1", "0,0,0:1,1,inf", "nan,0,0:1,1,1"] {
            assert!(wrong.parse::<Corners>().is_err(), "{wrong}");
        }
    }
}
