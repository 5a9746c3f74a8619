//! The levels of a study, their cost, and their runs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use serde::Serialize;

use super::orders::Quantity;
use super::{Files, quantities, refinement};
use crate::config::{Config, Domain};
use crate::error::{DeviceFault, Error, Result};
use crate::mesh::Kind;
use crate::output::{Report, Status};
use crate::primitives::memory::{available, gibibytes};
use crate::run::{self, MeshSize, Observer};

/// A case on several levels.
#[derive(Debug)]
pub struct Study {
    /// The case file.
    case: PathBuf,
    /// The user's overrides.
    overrides: Vec<String>,
    /// The case at each level, the coarsest first.
    configs: Vec<Config>,
    /// The overrides that refine the case, for each level.
    refinements: Vec<Vec<String>>,
    /// Edge length of the cells, or spacing of the voxels, at level 0.
    h: f64,
    /// The size of the mesh at level 0. `None` on tiles.
    size: Option<MeshSize>,
    /// The folder of the study.
    folder: PathBuf,
}

/// An estimate of what the finest level costs.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Cost {
    /// Number of cells in the finest level. `None` on tiles, which are counted when they are made.
    pub cells: Option<u64>,
    /// Number of cells or tiles of the finest level, divided by that of level 0.
    pub growth: u64,
    /// Time that the finest level takes, divided by that of level 0. Time steps are assumed to be
    /// proportional to the edge length of the cells.
    pub work: u64,
    /// Lower bound on the bytes of memory that the finest level needs. `None` on tiles.
    pub bytes: Option<u64>,
}

/// A level that has run.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Level {
    /// The number of the level. 0 is the case as written.
    pub level: u32,
    /// The run folder.
    pub folder: PathBuf,
    /// The overrides that refine the case.
    pub overrides: Vec<String>,
    /// Mean edge length of level 0, or spacing of the voxels, halved once per level, in mesh units.
    pub h: f64,
    /// Number of cells in the mesh, or of tiles at the end.
    pub cells: u64,
    /// Number of time steps.
    pub steps: u64,
    /// Seconds of the whole run.
    pub seconds: f64,
    /// The results by name, in the units of `[expect]`.
    pub values: BTreeMap<String, f64>,
    /// Whether the results are within all bounds of the case.
    pub met: bool,
}

/// The results of a study.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Results {
    /// The levels that have run, the coarsest first.
    pub levels: Vec<Level>,
    /// The results with their errors and orders. Only results that every level has are listed.
    pub quantities: Vec<Quantity>,
}

impl Study {
    /// Derives `levels` levels from a case, and checks what can be checked before the first one
    /// runs. The results go into `folder`, or into `results/NAME-converge`.
    ///
    /// # Errors
    /// Returns the errors of [`Config::load`] and of reading the mesh, and
    /// [`Error::Case`] if the case cannot be refined. Returns [`Error::Device`] if the finest level
    /// does not fit in memory.
    pub fn new(
        case: &Path,
        overrides: &[String],
        levels: u32,
        folder: Option<PathBuf>,
    ) -> Result<Self> {
        let config = Config::load(case, overrides)?;
        let bounds = quantities::error_bounds(&config);
        let (mut configs, mut refinements) = (Vec::new(), Vec::new());
        for level in 0..levels {
            let refinement = refinement::overrides(&config, level)?;
            let all = [overrides, &bounds, &refinement].concat();
            configs.push(Config::load(case, &all)?);
            refinements.push(refinement);
        }
        let name = format!("{}-converge", config.name());
        let folder = folder.unwrap_or_else(|| Path::new("results").join(name));
        let size = MeshSize::of(&config)?;
        let h = match (&size, &config.domain) {
            (Some(size), _) => size.h,
            (None, Domain::Tiled(tiled)) => tiled.dx,
            (None, _) => 0.0,
        };
        let (case, overrides) = (case.to_path_buf(), overrides.to_vec());
        let study = Study { case, overrides, configs, refinements, h, size, folder };
        study.check_memory()?;
        Ok(study)
    }

    /// Returns the case at each level, the coarsest first.
    pub fn configs(&self) -> &[Config] {
        &self.configs
    }

    /// Returns the folder of the study.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Estimates what the finest level costs.
    pub fn cost(&self) -> Cost {
        let finer = self.configs.len().saturating_sub(1) as u32;
        // Tiles cover only the surface, so their number grows with its area.
        let dimension = match self.size {
            Some(MeshSize { kind: Kind::Volume, .. }) => 3,
            _ => 2,
        };
        let growth = 1_u64 << (dimension * finer).min(63);
        let has_steps = self.configs.iter().any(|config| config.evolve.is_some());
        let steps = if has_steps { finer } else { 0 };
        let work = growth.saturating_mul(1 << steps);
        let cells = self.size.map(|size| (size.cells as u64).saturating_mul(growth));
        let bytes = self.size.map(|size| size.bytes.saturating_mul(growth));
        Cost { cells, growth, work, bytes }
    }

    /// Refuses a study whose finest level does not fit in memory.
    fn check_memory(&self) -> Result<()> {
        let cost = self.cost();
        let (Some(cells), Some(needed)) = (cost.cells, cost.bytes) else {
            return self.check_tiles();
        };
        let Some(free) = available() else { return Ok(()) };
        if needed <= free {
            return Ok(());
        }
        let what = format!(
            "the finest of {} levels has {cells} cells and needs at least {}, but only {} are free",
            self.configs.len(),
            gibibytes(needed),
            gibibytes(free)
        );
        let remedy = "use fewer --levels, a coarser case or a machine with more memory";
        Err(Error::device_fault(DeviceFault::memory(needed, free), what, remedy))
    }

    /// Checks that the tiles of the finest level fit in memory when they are made.
    fn check_tiles(&self) -> Result<()> {
        let Some(finest) = self.configs.last() else { return Ok(()) };
        let folder = self.level_folder(self.configs.len() - 1);
        // Whether files may be replaced is checked when the level runs.
        run::check(finest, Some(&folder), true).map(drop)
    }

    fn level_folder(&self, level: usize) -> PathBuf {
        self.folder.join(format!("level{level}"))
    }

    /// Runs all levels in turn, and passes each to `done`. If `overwrite` is true, earlier results
    /// in the folder are replaced.
    ///
    /// # Errors
    /// Returns the results of the levels that have run and the error of the first that has failed,
    /// or [`Error::Interrupted`].
    pub fn run(
        &self,
        overwrite: bool,
        interrupt: &AtomicBool,
        observer: &dyn Observer,
        mut done: impl FnMut(&Level),
    ) -> (Results, Result<()>) {
        let mut levels: Vec<Level> = Vec::new();
        let mut run = || -> Result<()> {
            for (k, config) in self.configs.iter().enumerate() {
                let folder = self.level_folder(k);
                let options = run::Options::new(interrupt, observer)
                    .into_folder(Some(folder.clone()), overwrite);
                let report = run::run(config, &options)?.report;
                if report.status == Status::Interrupted {
                    return Err(Error::Interrupted);
                }
                let level = self.level(k, folder, &report);
                done(&level);
                levels.push(level);
            }
            Ok(())
        };
        let ended = run();
        let quantities = self.quantities(&levels);
        (Results { levels, quantities }, ended)
    }

    fn level(&self, k: usize, folder: PathBuf, report: &Report) -> Level {
        let cells = match (&report.mesh, &report.tiles) {
            (Some(mesh), _) => mesh.cells,
            (None, Some(tiles)) => tiles.last,
            (None, None) => 0,
        };
        Level {
            level: k as u32,
            folder,
            overrides: self.refinements[k].clone(),
            h: self.h / f64::from(1_u32 << k),
            cells: cells as u64,
            steps: report.steps,
            seconds: report.seconds.total,
            values: quantities::values(report),
            met: report.is_met(),
        }
    }

    fn quantities(&self, levels: &[Level]) -> Vec<Quantity> {
        let Some(first) = levels.first() else { return Vec::new() };
        let of = |name: &String| -> Option<Quantity> {
            let values: Option<Vec<f64>> =
                levels.iter().map(|level| level.values.get(name).copied()).collect();
            let exact = self.configs.first().and_then(|config| quantities::exact(config, name));
            Some(Quantity::new(name, exact, &values?))
        };
        let found = first.values.keys().filter_map(of);
        // The end time of the case is the same at every level.
        let is_result = |found: &Quantity| {
            let is_same = found.rows.iter().all(|row| row.value == found.rows[0].value);
            found.name != "time" || !is_same
        };
        found.filter(is_result).collect()
    }

    /// Checks that the files of the study replace nothing except those of an earlier study.
    ///
    /// # Errors
    /// Returns [`Error::Output`] if a file exists and `overwrite` is false, or if no study wrote
    /// it.
    pub fn files(&self, overwrite: bool) -> Result<Files> {
        Files::check(&self.folder, overwrite)
    }

    /// Returns the command that this study repeats at each level, without its overrides.
    pub(super) fn case(&self) -> (&Path, &[String]) {
        (&self.case, &self.overrides)
    }
}
