//! The report of a run: `report.json` and the summary on the screen.

mod counts;
mod page;
mod summary;

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use serde::Serialize;

use super::program::{COMMIT, executable};
use super::{FileRecord, Measures};
use crate::atomic;
use crate::config::{Bounds, Config, Precision, Units};
use crate::error::Result;
use crate::geometry::Real;
use crate::io::with_unit;
use crate::levelset::volume::VolumeTotals;
pub use counts::{MeshCounts, SurfaceCounts, TileCounts};
use summary::digits;

/// The version of the format of `report.json`.
pub const SCHEMA_VERSION: u32 = 1;

/// The report of a run.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The value of [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The program that computed the results.
    pub program: Program,
    /// Name of the case.
    pub case: String,
    /// BLAKE3 hash of the case file and its overrides.
    pub case_hash: String,
    /// The `--set` options.
    pub overrides: Vec<String>,
    /// The case with all its defaults filled in.
    pub config: Config,
    /// Units of length and time of all values, as far as they are known: those of the case, or else
    /// those stated by the file with which the run begins.
    #[serde(skip_serializing_if = "Units::is_empty")]
    pub units: Units,
    /// "evolve", "distance" or "reconstruct".
    pub task: &'static str,
    /// How the run ended.
    pub status: Status,
    /// The reason why the run ended, in words.
    pub ended_by: String,
    /// "cpu" or "cuda".
    pub backend: &'static str,
    /// The reason for the choice of this backend.
    pub backend_reason: String,
    /// Precision of the computation, "f64" or "f32".
    pub precision: &'static str,
    /// Number of CPU threads.
    pub threads: usize,
    /// Counts of the mesh, if the run is on a mesh.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mesh: Option<MeshCounts>,
    /// Counts of the tiles, if the run is on tiles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tiles: Option<TileCounts>,
    /// Seconds spent in each stage.
    pub seconds: Seconds,
    /// Time at which the run begins, in the unit of the case.
    pub start_time: f64,
    /// Number of steps done.
    pub steps: u64,
    /// Time reached, in the unit of the case.
    pub time: f64,
    /// Number of reinitializations, including the one at the start.
    pub reinitializations: u64,
    /// Number of cell updates. For the task evolve, it is the sum over all steps (on tiles, of
    /// voxel updates). For the task distance, it is the number of patch updates times the mean
    /// number of cells per patch.
    pub cell_updates: u64,
    /// `cell_updates` divided by the seconds of the stages evolve and reinitialize.
    pub cell_updates_per_second: f64,
    /// Mean of `| |grad phi| - 1 |` in the narrow band at the end, without a unit. `None` unless
    /// the task is evolve on a mesh.
    pub grad_norm_error: Option<f64>,
    /// Measures of the first state.
    pub first: Option<Measures>,
    /// Measures of the last state.
    pub last: Option<Measures>,
    /// Change of the enclosed area or volume.
    pub drift: Option<Drift>,
    /// Change of the mean weight along the interface (weighted curvature flow), starting from its
    /// value on the zero set of `[initial]`.
    pub mean_weight: Option<Drift>,
    /// Number of cells whose quality is too low for the Taylor-Galerkin step. Advection at their
    /// vertices uses the positive-coefficient scheme.
    pub poor_cells: usize,
    /// Number of iterations of the semi-implicit curvature steps. `None` for explicit steps.
    pub curvature_iterations: Option<u64>,
    /// Number of times that the characteristic map began again. `None` without such a map.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub map_restarts: Option<u64>,
    /// Results of the corrections of the volume. `None` without corrections.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume_correction: Option<VolumeTotals>,
    /// Results of the task distance.
    pub distances: Option<Distances>,
    /// Results of the task reconstruct.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reconstruction: Option<crate::reconstruct::Scan>,
    /// Comparison of the results with `[expect]`.
    pub expect: Verdict,
    /// Number of states written.
    pub states: usize,
    /// Warnings, one sentence each.
    pub warnings: Vec<String>,
    /// Size and hash of each file that this run wrote and that is still a regular file, except this
    /// report and, once the run has finished, the checkpoint. Only these files and the report may
    /// be removed when another run replaces this one.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, FileRecord>,
}

/// The program that produced a result.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Program {
    /// Name of the program.
    pub name: &'static str,
    /// Version of the program.
    pub version: &'static str,
    /// Git commit from which the program was built, or "unknown".
    pub commit: &'static str,
    /// BLAKE3 hash of the executable, or "unknown".
    pub executable: &'static str,
}

impl Program {
    /// Describes the running program.
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
    /// The run ended as planned.
    Finished,
    /// The user interrupted the run.
    Interrupted,
    /// An error ended the run.
    Failed,
}

/// Seconds spent in each stage, including those before the run was resumed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Seconds {
    /// Reading or generating the mesh and its data, and cleaning it.
    pub read: f64,
    /// Partitioning the mesh into patches.
    pub partition: f64,
    /// Setting up coefficients, geometry and the initial level set.
    pub setup: f64,
    /// Reinitialization. For the task distance, it is the computation of the distance.
    pub reinitialize: f64,
    /// Moving the interface. It is 0 for the task distance.
    pub evolve: f64,
    /// Measuring, copying states, and waiting until states are written. Writing that overlaps with
    /// steps does not count.
    pub output: f64,
    /// The whole run.
    pub total: f64,
}

impl Seconds {
    /// Adds the seconds of an earlier part of the run, except `total`, `evolve` and `reinitialize`,
    /// which are carried over elsewhere.
    pub(crate) fn add(&mut self, earlier: &Seconds) {
        self.read += earlier.read;
        self.partition += earlier.partition;
        self.setup += earlier.setup;
        self.output += earlier.output;
    }
}

/// The change in a value over a run: the enclosed area or volume, or the mean weight along the
/// interface, in their units.
#[derive(Clone, Copy, Debug, Serialize)]
#[non_exhaustive]
pub struct Drift {
    /// Value at the start. For the enclosed measure, it is the value of the first state, after
    /// reinitialization. For the mean weight, it is the value on the zero set of `[initial]`,
    /// before reinitialization.
    pub first: f64,
    /// Value in the last state.
    pub last: f64,
    /// Relative change as a fraction, `(last - first) / first`.
    pub relative: f64,
}

impl Drift {
    /// Returns the change from `first` to `last`, which have the same unit, or `None` if `first` is
    /// not positive.
    pub fn between(first: f64, last: f64) -> Option<Self> {
        (first > 0.0).then(|| Drift { first, last, relative: (last - first) / first })
    }
}

/// Results of the task distance. Distances are in mesh units, or in the unit of time of the case if
/// a speed is given.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Distances {
    /// Shape of the front: "plane", "circular" or "exact".
    pub front: &'static str,
    /// Number of vertices that a front has reached at a distance below the requested width.
    pub reached: usize,
    /// Number of all other vertices of the mesh, including those outside the mask.
    pub not_reached: usize,
    /// Number of vertices that belong to no cell inside the mask. It is 0 without a mask.
    pub outside_mask: usize,
    /// Smallest distance. `None` if no vertex was reached.
    pub min: Option<f64>,
    /// Mean distance of the reached vertices. `None` if no vertex was reached.
    pub mean: Option<f64>,
    /// Largest distance. `None` if no vertex was reached.
    pub max: Option<f64>,
    /// For each seed, the number of vertices to which it is the nearest seed, `[seeds]`. `None`
    /// unless labels were requested.
    pub labeled: Option<Vec<usize>>,
    /// Time from the first to the last arrival. `None` without a speed, or if no vertex was
    /// reached.
    pub activation_time: Option<f64>,
    /// The first and the last arrival in each region, by number, if regions were requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub regions: Vec<RegionFound>,
    /// The stimuli of the file of stimuli, in its order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stimuli: Vec<StimulusFound>,
    /// Number of vertices whose paths run through or along triangles with angles above 135 or below
    /// 10 degrees for more than a tenth of their length. Their distances may be inaccurate.
    pub behind_skinny: usize,
    /// The requested paths.
    pub paths: Vec<PathFound>,
    /// The misfit to observations, if they were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub misfit: Option<MisfitFound>,
}

/// The misfit of distances to observations.
#[derive(Clone, Copy, Debug, Serialize)]
#[non_exhaustive]
pub struct MisfitFound {
    /// The sum of ((distance - observed) / sigma)^2 / 2 over the observations.
    pub value: f64,
    /// The number of observations.
    pub observations: usize,
    /// The number of vertices where the misfit has a kink.
    pub kinks: usize,
}

/// The arrivals in a region of cells.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RegionFound {
    /// The number of the region.
    pub region: i64,
    /// The first arrival at a vertex of its cells. `None` if no front arrives.
    pub first: Option<f64>,
    /// The last arrival at a vertex of its cells. `None` if no front arrives.
    pub last: Option<f64>,
    /// The number of cells with a vertex at which no front arrives.
    pub cells_not_reached: usize,
}

/// A stimulus of a file of stimuli.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct StimulusFound {
    /// The name, if the file states one.
    pub name: Option<String>,
    /// The place, in the form of a seed.
    pub at: String,
    /// The start time.
    pub time: f64,
    /// The duration, if the file states one.
    pub duration: Option<f64>,
    /// The number of vertices that its front reaches first.
    pub vertices: usize,
}

/// A path that starts at one of `paths_from`.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct PathFound {
    /// Start of the path, as written in the case.
    pub from: String,
    /// Length of the path in mesh units.
    pub length: f64,
    /// Index of the seed that the path reaches, or `None` if it reaches no source.
    pub source: Option<u32>,
}

impl Distances {
    /// Returns the counts as text: "903 vertices, not reached 97 (outside the mask 90)".
    pub fn counts(&self) -> String {
        let outside = match self.outside_mask {
            0 => String::new(),
            n => format!(" (outside the mask {n})"),
        };
        format!("{} vertices, not reached {}{outside}", self.reached, self.not_reached)
    }

    /// Returns lines of text about the arrivals in regions or of stimuli, if the case has either,
    /// each with its title: the time from the first to the
    /// last one, the arrivals in regions, and the number of stimuli. `unit` is the unit of the
    /// values, which may be empty.
    pub(crate) fn arrivals(&self, unit: &str) -> Vec<(&'static str, String)> {
        if self.regions.is_empty() && self.stimuli.is_empty() {
            return Vec::new();
        }
        let with_digits = |x| with_unit(digits(x), unit);
        let total =
            |time| ("in total", format!("{} from first to last arrival", with_digits(time)));
        let of_region = |found: &RegionFound| {
            let range = match (found.first, found.last) {
                (Some(first), Some(last)) => format!("{} to {}", digits(first), with_digits(last)),
                _ => "no front arrives".into(),
            };
            ("region", format!("{}: {range}", found.region))
        };
        let mut lines: Vec<_> = self.activation_time.map(total).into_iter().collect();
        lines.extend(self.regions.iter().map(of_region));
        if !self.stimuli.is_empty() {
            let reach = self.stimuli.iter().filter(|stimulus| stimulus.vertices > 0).count();
            let text = format!("{}, of which {reach} excite vertices", self.stimuli.len());
            lines.push(("stimuli", text));
        }
        lines
    }

    /// Returns the number and total length of the paths, such as "2, 31.50000 mm long", or `None`
    /// if there are no paths. `unit` is the unit of length, which may be empty.
    pub fn paths(&self, unit: &str) -> Option<String> {
        let total: f64 = self.paths.iter().map(|path| path.length).sum();
        let long = || format!("{}, {} long", self.paths.len(), with_unit(digits(total), unit));
        (!self.paths.is_empty()).then(long)
    }

    /// Returns the range of the values as text: "0 to 12.50000 mm, mean 6.100000 mm", or "none" if
    /// no vertex was reached. `unit` is the unit of the values, which may be empty.
    pub fn range(&self, unit: &str) -> String {
        let digits = |x| with_unit(digits(x), unit);
        match (self.min, self.max, self.mean) {
            (Some(min), Some(max), Some(mean)) => {
                format!("{} to {}, mean {}", self::digits(min), digits(max), digits(mean))
            }
            _ => "none".into(),
        }
    }
}

/// The comparison of the results with `[expect]`.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Verdict {
    /// Whether every bound is met. It is true if there are no bounds, and `None` if the run did not
    /// end as planned.
    pub met: Option<bool>,
    /// All bounds with the corresponding values.
    pub checks: Vec<Check>,
}

/// A bound of `[expect]` and the value found.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Check {
    /// Name of the value in `[expect]`.
    pub name: &'static str,
    /// The expected bounds.
    pub bounds: Bounds,
    /// The value found, in the unit of the bounds. `None` if the run has no such value.
    pub found: Option<f64>,
    /// Whether the value is within the bounds.
    pub met: bool,
}

impl Verdict {
    /// Compares every bound with the value that `found` returns for its name.
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
    /// Returns whether the results are within all bounds: those of `[expect]`, and those of the
    /// self-check of a reconstruction.
    pub fn is_met(&self) -> bool {
        let is_checked = self.reconstruction.as_ref().is_none_or(|scan| scan.report.check.passed);
        self.expect.met != Some(false) && is_checked
    }

    /// Creates the report of a run that has not yet begun. `threads` is the number of CPU threads.
    pub fn new(config: &Config, threads: usize) -> Self {
        Report {
            schema_version: SCHEMA_VERSION,
            program: Program::this(),
            case: config.name(),
            case_hash: config.origin.hash.clone(),
            overrides: config.origin.overrides.clone(),
            config: config.with_defaults(),
            units: config.units.clone(),
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
            start_time: 0.0,
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
            map_restarts: None,
            volume_correction: None,
            distances: None,
            reconstruction: None,
            expect: Verdict { met: None, checks: Vec::new() },
            states: 0,
            warnings: Vec::new(),
            files: BTreeMap::new(),
        }
    }

    /// Computes the values that depend on the others after the run has ended, and removes repeated
    /// warnings.
    pub(crate) fn close(&mut self, total_seconds: f64) {
        let mut known = HashSet::new();
        self.warnings.retain(|warning| known.insert(warning.clone()));
        self.seconds.total = total_seconds;
        let work = self.seconds.evolve + self.seconds.reinitialize;
        self.cell_updates_per_second =
            if work > 0.0 { self.cell_updates as f64 / work } else { 0.0 };
    }

    /// Writes `report.json`.
    ///
    /// # Errors
    /// Returns [`Error::Output`](crate::Error::Output) if the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        atomic::write(path, |out| {
            serde_json::to_writer_pretty(&mut *out, self)?;
            out.write_all(b"\n")
        })
    }
}
