//! `report.json` and the summary on the screen.

mod counts;
mod summary;

use std::path::Path;

use serde::Serialize;

use super::Measures;
use super::program::{COMMIT, executable};
use crate::atomic;
use crate::config::{Bounds, Config, Precision};
use crate::error::Result;
use crate::geometry::Real;
pub use counts::{MeshCounts, SurfaceCounts, TileCounts};
use summary::digits;

/// Version of the fields of `report.json`.
pub const SCHEMA_VERSION: u32 = 1;

/// All that is said about a run.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// What computed.
    pub program: Program,
    /// Name of the case.
    pub case: String,
    /// BLAKE3 hash of the case file and its overrides.
    pub case_hash: String,
    /// The `--set` options.
    pub overrides: Vec<String>,
    /// The case with all defaults.
    pub config: Config,
    /// "evolve", "distance" or "reconstruct".
    pub task: &'static str,
    /// How the run ended.
    pub status: Status,
    /// Why it ended, in words.
    pub ended_by: String,
    /// "cpu" or "cuda".
    pub backend: &'static str,
    /// Why this backend.
    pub backend_reason: String,
    /// "f64" or "f32".
    pub precision: &'static str,
    /// CPU threads.
    pub threads: usize,
    /// The mesh, unless the run is on tiles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mesh: Option<MeshCounts>,
    /// The tiles, if the run is on tiles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tiles: Option<TileCounts>,
    /// Seconds by stage.
    pub seconds: Seconds,
    /// Steps done.
    pub steps: u64,
    /// Time reached.
    pub time: f64,
    /// Times phi was made a distance again, the start included.
    pub reinitializations: u64,
    /// Cells updated over all steps (task evolve) or all patch updates (task distance).
    pub cell_updates: u64,
    /// `cell_updates` per second of the stages evolve and reinitialize that did them.
    pub cell_updates_per_second: f64,
    /// Mean of `| |grad phi| - 1 |` in the band at the end.
    pub grad_norm_error: Option<f64>,
    /// The first state.
    pub first: Option<Measures>,
    /// The last state.
    pub last: Option<Measures>,
    /// Change of the enclosed area or volume.
    pub drift: Option<Drift>,
    /// Change of the mean weight along the interface (weighted curvature flow); its first value is
    /// that of `[initial]`.
    pub mean_weight: Option<Drift>,
    /// Cells too poor for the Taylor-Galerkin step: their vertices advect by the positive-coefficient
    /// scheme.
    pub poor_cells: usize,
    /// Iterations of the semi-implicit curvature steps; none where steps are explicit.
    pub curvature_iterations: Option<u64>,
    /// What the task distance found.
    pub distances: Option<Distances>,
    /// What the task reconstruct did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reconstruction: Option<crate::reconstruct::Scan>,
    /// `[expect]` against what came out.
    pub expect: Verdict,
    /// States written.
    pub states: usize,
    /// What was given up or changed on the way, one sentence each.
    pub warnings: Vec<String>,
}

/// The program that ran.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Program {
    /// Name.
    pub name: &'static str,
    /// Version.
    pub version: &'static str,
    /// Git commit it was built from, or "unknown".
    pub commit: &'static str,
    /// BLAKE3 hash of its executable, or "unknown".
    pub executable: &'static str,
}

impl Program {
    /// This program.
    pub fn this() -> Self {
        Program {
            name: env!("CARGO_PKG_NAME"),
            version: env!("CARGO_PKG_VERSION"),
            commit: COMMIT,
            executable: executable(),
        }
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Status {
    /// As planned.
    Finished,
    /// By the user.
    Interrupted,
    /// By an error.
    Failed,
}

/// Seconds by stage, those before the run was resumed included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Seconds {
    /// Reading or making the mesh and its data, and cleaning it.
    pub read: f64,
    /// Cutting it into patches.
    pub partition: f64,
    /// Coefficients, geometry, initial level set.
    pub setup: f64,
    /// Making phi a distance.
    pub reinitialize: f64,
    /// Moving the interface; 0 in the task distance.
    pub evolve: f64,
    /// Measuring, copying states, and waiting until they are written; not the time in which steps
    /// went on meanwhile.
    pub output: f64,
    /// Everything.
    pub total: f64,
}

impl Seconds {
    /// Adds those of an earlier part of the run; total, evolve and reinitialize are counted
    /// through elsewhere.
    pub(crate) fn add(&mut self, earlier: &Seconds) {
        self.read += earlier.read;
        self.partition += earlier.partition;
        self.setup += earlier.setup;
        self.output += earlier.output;
    }
}

/// Change of a number over a run: the enclosed area or volume, or the mean weight along the
/// interface.
#[derive(Clone, Copy, Debug, Serialize)]
#[non_exhaustive]
pub struct Drift {
    /// At the start: the enclosed measure in the first state, after phi was made a distance; the
    /// mean weight along the zero set of `[initial]`, before.
    pub first: f64,
    /// In the last state.
    pub last: f64,
    /// `(last - first) / first`.
    pub relative: f64,
}

impl Drift {
    /// Change from `first` to `last`; none from a start that is not positive.
    pub fn between(first: f64, last: f64) -> Option<Self> {
        (first > 0.0).then(|| Drift { first, last, relative: (last - first) / first })
    }
}

/// What the task distance found, in mesh units (times slowness).
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Distances {
    /// Shape of the front: "plane" or "circular".
    pub front: &'static str,
    /// Vertices a front has reached, nearer than the width asked for.
    pub reached: usize,
    /// All others of the mesh, those outside the mask included.
    pub not_reached: usize,
    /// Vertices that belong to no cell inside the mask; 0 without one.
    pub outside_mask: usize,
    /// Smallest value; none if no vertex was reached.
    pub min: Option<f64>,
    /// Mean over the vertices reached.
    pub mean: Option<f64>,
    /// Largest value.
    pub max: Option<f64>,
    /// How many vertices each seed is the nearest to, if labels were asked for.
    pub labeled: Option<Vec<usize>>,
    /// The paths asked for.
    pub paths: Vec<PathFound>,
}

/// A path from one of `paths_from`.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct PathFound {
    /// Where it starts, as in the case.
    pub from: String,
    /// Its length, mesh units.
    pub length: f64,
    /// Number of the seed it reaches; none if it reaches no source.
    pub source: Option<u32>,
}

impl Distances {
    /// "903 vertices, not reached 97 (outside the mask 90)"
    pub fn counts(&self) -> String {
        let outside = match self.outside_mask {
            0 => String::new(),
            n => format!(" (outside the mask {n})"),
        };
        format!("{} vertices, not reached {}{outside}", self.reached, self.not_reached)
    }

    /// "2, 31.5 long" for the paths there are.
    pub fn paths(&self) -> Option<String> {
        let total: f64 = self.paths.iter().map(|path| path.length).sum();
        (!self.paths.is_empty()).then(|| format!("{}, {} long", self.paths.len(), digits(total)))
    }

    /// "0 to 12.5, mean 6.1"
    pub fn range(&self) -> String {
        match (self.min, self.max, self.mean) {
            (Some(min), Some(max), Some(mean)) => {
                format!("{} to {}, mean {}", digits(min), digits(max), digits(mean))
            }
            _ => "none".into(),
        }
    }
}

/// `[expect]` against what came out.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Verdict {
    /// True if every bound is met, also if there is none; none if the run did not end as planned.
    pub met: Option<bool>,
    /// Every bound.
    pub checks: Vec<Check>,
}

/// A bound of `[expect]` and the number found.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Check {
    /// Name in `[expect]`.
    pub name: &'static str,
    /// The bound.
    pub bounds: Bounds,
    /// The number found; none if the run has no such number.
    pub found: Option<f64>,
    /// True if it is within the bounds.
    pub met: bool,
}

impl Verdict {
    /// Compares every bound with the number `found` gives for its name.
    pub fn of(bounds: &[(&'static str, Bounds)], found: impl Fn(&str) -> Option<f64>) -> Self {
        let checks: Vec<Check> = bounds
            .iter()
            .map(|&(name, bounds)| {
                let found = found(name);
                Check { name, bounds, found, met: found.is_some_and(|x| bounds.met_by(x)) }
            })
            .collect();
        Verdict { met: Some(checks.iter().all(|check| check.met)), checks }
    }
}

impl Report {
    /// Report of a run that has not begun, on so many threads of the CPU.
    pub fn new(config: &Config, threads: usize) -> Self {
        Report {
            schema_version: SCHEMA_VERSION,
            program: Program::this(),
            case: config.name(),
            case_hash: config.origin.hash.clone(),
            overrides: config.origin.overrides.clone(),
            config: config.with_defaults(),
            task: match (&config.distance, &config.reconstruct) {
                (Some(_), _) => "distance",
                (None, Some(_)) => "reconstruct",
                (None, None) => "evolve",
            },
            status: Status::Failed,
            ended_by: String::new(),
            backend: "cpu",
            backend_reason: String::new(),
            precision: match config.precision() {
                Precision::F64 => f64::NAME,
                Precision::F32 => f32::NAME,
            },
            threads,
            mesh: None,
            tiles: None,
            seconds: Seconds::default(),
            steps: 0,
            time: 0.0,
            reinitializations: 0,
            cell_updates: 0,
            cell_updates_per_second: 0.0,
            grad_norm_error: None,
            first: None,
            last: None,
            drift: None,
            mean_weight: None,
            poor_cells: 0,
            curvature_iterations: None,
            distances: None,
            reconstruction: None,
            expect: Verdict { met: None, checks: Vec::new() },
            states: 0,
            warnings: Vec::new(),
        }
    }

    /// Fills in what follows from the rest once the run has ended.
    pub(crate) fn close(&mut self, total_seconds: f64) {
        self.seconds.total = total_seconds;
        let work = self.seconds.evolve + self.seconds.reinitialize;
        self.cell_updates_per_second =
            if work > 0.0 { self.cell_updates as f64 / work } else { 0.0 };
    }

    /// Writes `report.json`.
    ///
    /// # Errors
    /// [`Error::Output`](crate::Error::Output).
    pub fn write(&self, path: &Path) -> Result<()> {
        atomic::write(path, |out| {
            serde_json::to_writer_pretty(&mut *out, self)?;
            out.write_all(b"\n")
        })
    }
}
