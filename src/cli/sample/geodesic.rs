//! `zeroset sample --geodesic N`: vertices that are far from one another along a mesh.

use std::time::Instant;

use serde::Serialize;

use super::Args;
use crate::api::{DistanceOptions, ReadOptions, farthest_points_with, read_with};
use crate::cli::progress::Amount;
use crate::cli::{Ui, json};
use crate::cloud::{Attribute, Numbers, PointCloud};
use crate::error::Result;
use crate::io::vtk::Compression;
use crate::io::write_cloud;
use crate::words::counted;

/// The report of `--json`.
#[derive(Serialize)]
struct Report<'a> {
    /// Vertex numbers in the order in which they were chosen, from 0.
    vertices: &'a [u32],
    /// The largest distance of a vertex of the mesh from the nearest chosen one, in mesh units.
    largest_distance: f64,
    units: Option<&'a str>,
    warnings: &'a [String],
    /// "cpu" or "cuda".
    backend: &'static str,
    /// Seconds for computing and writing.
    seconds: f64,
}

/// Reads the mesh, chooses and writes the vertices, and prints one line about the output.
///
/// # Errors
/// Returns the errors of [`read_with`] and [`farthest_points`](crate::api::farthest_points), and
/// [`crate::Error::Output`] if the output cannot be written.
pub(super) fn run(args: &Args, n: u64, compression: Compression, ui: &Ui) -> Result<u8> {
    let mut options = ReadOptions::default();
    (options.frame, options.time) = (args.frame, args.at.time);
    options.device.threads = args.threads.threads;
    let mesh = read_with(&args.mesh, &options)?;
    ui.warn_of(&args.mesh, mesh.warnings());
    let start = Instant::now();
    let found = {
        let progress = Amount::new(ui, "vertices", n);
        let chosen = || progress.add(1);
        farthest_points_with(&mesh, n as usize, args.first, &DistanceOptions::default(), chosen)
            .map_err(|e| e.in_file(&args.mesh))?
    };
    let of = |&vertex: &u32| mesh.stored().vertices[vertex as usize];
    let mut cloud = PointCloud::new(found.vertices.iter().map(of).collect());
    // The first vertex has no earlier one.
    let mut separations = found.separations.clone();
    separations[0] = 0.0;
    for (name, values) in
        [("vertex", Numbers::U32(found.vertices.clone())), ("distance", Numbers::F64(separations))]
    {
        cloud.attributes.push(Attribute { name: name.into(), numbers: values });
    }
    ui.warn_of(&args.output, write_cloud(&args.output, &cloud, compression)?);
    let reached = found.values.iter().filter(|value| !value.is_nan());
    let report = Report {
        vertices: &found.vertices,
        largest_distance: reached.copied().fold(0.0, f64::max),
        units: mesh.length_unit(),
        warnings: &found.warnings,
        backend: found.backend,
        seconds: start.elapsed().as_secs_f64(),
    };
    ui.print(&match ui.is_json() {
        true => json::end(&report, &args.output, 0),
        false => summary(&report, args),
    })?;
    Ok(0)
}

fn summary(report: &Report<'_>, args: &Args) -> String {
    let vertices = counted(report.vertices.len(), ["vertex", "vertices"]);
    let units = report.units.map_or(String::new(), |units| format!(" {units}"));
    format!(
        "{}: {vertices}, at most {:.4}{units} from any other vertex, {:.2} s\n",
        args.output.display(),
        report.largest_distance,
        report.seconds
    )
}
