//! `zeroset info FILE`: describes a mesh, point cloud, volume or data file, as text or JSON.

mod arrays;
mod cloud;
mod report;
mod screen;
mod voxels;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use self::cloud::CloudFacts;
use self::report::Report;
use super::shortened::with_short_words;
use super::times::Times;
use super::{Ui, volume};
use crate::cloud::PointCloud;
use crate::error::{Error, Result};
use crate::io::{self, CloudReport, Content, MeshFile};
use crate::mesh::{Kind, Mesh};

/// Arguments of `zeroset info`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  zeroset info meshes/pial.gii.gz
  zeroset info --json part.msh
  zeroset info lidar.laz
  zeroset info head.nii.gz
  zeroset info results/run/run.pvd
  zeroset info scan.raw --raw 256x256x109:uint16le:1x1x1.5

Counts describe the file as stored, except that polygons are split into fans and equal corners in
STL files are merged. The last line says which cells a solver would drop or reorient first, or why
it would reject the mesh.

For points without cells, the output counts duplicates and points far from all others, and gives the
distances between nearest points and the origin of normals and colors.

For a series of states, the times are listed, and the last state is described.

For a volume, the box encloses the voxel centers, in the coordinates of the file.")]
pub struct Args {
    /// Mesh, point cloud, volume, picture or data file, optionally compressed with gzip
    pub file: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// State of a series (.pvd, .vtkhdf) to describe: a time or last; default last. The times of
    /// all states are always listed
    #[arg(long, value_name = "T|last|all")]
    pub time: Option<Times>,
    #[command(flatten)]
    pub source: volume::Source,
}

/// Prints a description of the file.
///
/// # Errors
/// Returns [`Error::Input`] if the file holds no mesh, point cloud, volume or data array.
pub fn run(args: Args, ui: &Ui) -> Result<u8> {
    let report = report(&args, ui)?;
    let text = if args.json {
        let json = serde_json::to_string_pretty(&report);
        json.map_err(|e| Error::output(&args.file, &e, "leave out --json").because(e))? + "\n"
    } else {
        with_short_words(&screen::text(&args.file, &report))
    };
    ui.print(&text)?;
    Ok(0)
}

/// Returns what `zeroset info --json FILE` prints, and the warnings.
///
/// # Errors
/// Returns [`Error::Input`] if the file holds no mesh, point cloud, volume or data array.
pub fn info_json(file: &Path) -> Result<(String, Vec<String>)> {
    let (ui, source) = (Ui::new(0, true), volume::Source::default());
    let args = Args { file: file.to_path_buf(), json: true, time: None, source };
    let report = report(&args, &ui)?;
    Ok((serde_json::to_string(&report).unwrap_or_default(), ui.warnings()))
}

/// Returns what `zeroset info --json` prints for a mesh that is in memory.
pub fn info_json_of_mesh(mesh: &Mesh) -> String {
    let cell = if mesh.kind == Kind::Volume { "tetra" } else { "triangle" };
    let file = MeshFile {
        mesh: mesh.clone(),
        format: "arrays",
        version: String::new(),
        units: None,
        space: None,
        cells_by_type: BTreeMap::from([(cell.to_string(), mesh.n_cells())]),
        warnings: Vec::new(),
        uncut: Default::default(),
        about: Default::default(),
    };
    serde_json::to_string(&Report::of_mesh(&file)).unwrap_or_default()
}

/// Returns the facts about a file.
fn report(args: &Args, ui: &Ui) -> Result<Report> {
    // The times are listed, so a warning about the choice of the state is not needed.
    let time = Some(Times::one(args.time).unwrap_or_default());
    let (content, cloud) = io::read_with_cloud(&args.file, &args.source.options().time(time));
    let (report, warnings) = match content {
        Ok(Content::Mesh(file)) => {
            let (mut report, mut warnings) = (Report::of_mesh(&file), file.warnings);
            if let Some((points, others)) = points(cloud, 0)? {
                report.cloud = points.cloud;
                warnings.extend(others);
                warnings.dedup();
            }
            (report, warnings)
        }
        Ok(Content::Volume(file)) => (Report::of_volume(&file), file.warnings),
        Ok(Content::Data(data)) => {
            let (mut report, mut warnings) =
                (Report::of_data(&data.arrays, &data.groups), Vec::new());
            if let Some((points, others)) = points(cloud, 0)? {
                report.cloud = points.cloud;
                warnings = others;
            }
            (report, warnings)
        }
        // A point cloud may hold points that are not allowed in a mesh.
        Err(error @ Error::Input { .. }) => points(cloud, 1)?.ok_or(error)?,
        Err(error) => return Err(error),
    };
    ui.warn_of(&args.file, &warnings);
    Ok(report)
}

/// Returns the facts about a point cloud and the warnings of its reader.
///
/// Returns `None` if there is no cloud, if its file has faces, or if fewer than `not_finite` of its
/// points are not finite.
fn points(
    cloud: Option<(PointCloud, CloudReport)>,
    not_finite: u64,
) -> Result<Option<(Report, Vec<String>)>> {
    match cloud {
        Some((cloud, report)) if report.faces == 0 && report.not_finite >= not_finite => {
            let facts = CloudFacts::of(&cloud, &report)?;
            let warnings = report.warnings.clone();
            Ok(Some((Report::of_cloud(&report, facts), warnings)))
        }
        _ => Ok(None),
    }
}
