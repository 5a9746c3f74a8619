//! Reads and checks case files: each TOML table is a documented struct with defaults and ranges.
//!
//! [`Config::load`] reads a file, applies `--set key=value` options, and performs every check that
//! does not need another file. Each message names the file and the line of the wrong key or value
//! (or the `--set` option) and the allowed values. For an unknown name, it also suggests the most
//! similar known name.

mod check;
mod conduction;
mod defaults;
mod defaults_of_version;
mod document;
mod expect;
mod file;
mod initial;
mod initial_image;
mod input_files;
mod mesh_source;
mod output;
mod paths;
mod picture;
mod read_case;
mod reconstruct;
mod reference;
mod region;
mod schema;
mod seed;
mod settings;
mod stimuli;
mod tables;
mod tiled;
mod values;
mod volume_array;
mod without_file;

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use crate::io::Units;
pub use crate::io::vtk::Compression;
pub use crate::levelset::evolution::{Advection, CurvatureStep, NormalMotion};
pub use crate::levelset::tiled::{Scheme, Time};
pub use crate::levelset::volume::VolumeCorrection;
pub use crate::patches::Partition;
pub(crate) use conduction::conduction_quantities;
pub use conduction::{Direction, Fibers, Quantity, Tensor};
pub use defaults::defaults;
pub use defaults_of_version::DefaultsOf;
pub use expect::{Bounds, Expect};
pub use initial::{Above, Initial, InitialCurve, InitialMesh, InitialVolume, Inside};
pub use initial_image::InitialImage;
pub use mesh_source::{DataFile, MeshRepair, MeshSource};
pub use output::{Checkpoints, InterfaceFile, Output, OutputVolume, PointField, SeriesFormat};
pub use picture::{Drawn, Picture};
pub use read_case::ReadCase;
pub use reconstruct::{CloudSource, Reconstruct};
pub use reference::reference;
pub use region::Region;
pub use schema::schema;
pub use seed::Seed;
pub(crate) use stimuli::StimuliRead;
pub use stimuli::Stimulus;
pub use tables::{
    Device, DeviceKind, Distance, Domain, Evolve, FrontShape, Method, Precision, Reinitialize, Rule,
};
pub use tiled::{BoundingBox, Storage, TiledSource};
pub use values::{Coefficient, Component, HalfWidth, Rotation, Speed, Velocity};
pub use volume_array::VolumeArray;

pub use zeroset_core::MOST_THREADS;

pub(crate) use crate::words::suggest;
pub(crate) use file::read as read_case_text;

use crate::error::{Error, Result};
use document::{Document, Lenient, Places, Texts};

/// The version of the case format that this program reads.
pub const VERSION: u32 = 1;

/// A case: the domain, the task, and the expected results.
///
/// Mesh units are the units of the coordinates of the domain: those of the mesh, of `dx` and
/// `origin` on tiles, or of the points of a cloud. The unit of time is that in which the case gives
/// speeds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// Version of the case format, always 1.
    #[schemars(range(min = VERSION, max = VERSION))]
    pub version: u32,
    /// Version of the program whose defaults apply. Default: the version of the running program.
    /// "0.1" restores the results of cases that were written for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub defaults: Option<DefaultsOf>,
    /// Scalar type of states and solvers. Default "f64" on meshes, "f32" on tiles.
    pub precision: Option<Precision>,
    /// Device that computes.
    #[serde(default)]
    pub device: Device,
    /// Units of length and time.
    #[serde(default, skip_serializing_if = "Units::is_empty")]
    pub units: Units,
    /// Domain of the level set.
    pub domain: Domain,
    /// Initial interface.
    pub initial: Option<Initial>,
    /// Task: move the interface.
    pub evolve: Option<Evolve>,
    /// Narrow band, and when phi is reinitialized to the signed distance.
    #[serde(default)]
    pub reinitialize: Reinitialize,
    /// Task: compute a distance.
    pub distance: Option<Distance>,
    /// Task: reconstruct a surface from samples.
    pub reconstruct: Option<Reconstruct>,
    /// Output files.
    #[serde(default)]
    pub output: Output,
    /// Expected results.
    #[serde(default)]
    pub expect: Expect,
    /// The origin of the case.
    #[serde(skip)]
    pub origin: Origin,
}

/// The origin of a case.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Origin {
    /// The case file.
    pub file: PathBuf,
    /// The `--set` options applied to it, as `key=value`.
    pub overrides: Vec<String>,
    /// Hexadecimal BLAKE3 hash of the file and the overrides.
    pub hash: String,
    /// Warnings about outdated words in the case.
    pub(crate) warnings: Vec<String>,
    /// The stimuli whose seeds were added to those of the case.
    pub(crate) stimuli: Option<StimuliRead>,
    /// Positions of the keys.
    places: Places,
}

impl Config {
    /// Reads the case in `path`, applies `overrides` (`key=value`), and checks it.
    ///
    /// The value of an override is TOML. A value that is not valid TOML is used as a string.
    ///
    /// # Errors
    /// Returns [`Error::Case`] with file and line, or with the override, if the file does not exist
    /// or is not TOML, if a key is unknown, if a value has the wrong type or is out of range, or if
    /// an environment variable is not set.
    pub fn load(path: &Path, overrides: &[String]) -> Result<Self> {
        Self::parse(&file::read(path)?, path, overrides)
    }

    /// Parses a case like [`Config::load`], with `text` as the content of the file `path`.
    ///
    /// # Errors
    /// Returns the errors of [`Config::load`].
    pub fn parse(text: &str, path: &Path, overrides: &[String]) -> Result<Self> {
        let config = Self::parse_unchecked(text, path, overrides)?;
        config.check()?;
        Ok(config)
    }

    /// Reads a case like [`Config::load`] and returns all problems that it finds, not only the
    /// first.
    pub fn load_with_problems(path: &Path, overrides: &[String]) -> ReadCase {
        let read = || {
            let text = file::read(path)?;
            let texts = Texts::new(path, &text, overrides)?;
            Ok((text, texts))
        };
        let (text, texts) = match read() {
            Ok(read) => read,
            Err(error) => return ReadCase::failed(vec![error]),
        };
        let mut document = match Document::parse(&texts) {
            Ok(document) => document,
            Err(error) => {
                let errors = texts.syntax_errors();
                return ReadCase::failed(if errors.is_empty() { vec![error] } else { errors });
            }
        };
        if let Err(error) = check_version(&document) {
            return ReadCase::failed(vec![error]);
        }
        let places = document.places();
        let Lenient { value, problems, unread } = document.read_leniently::<Config>();
        let mut found = ReadCase { config: None, problems, unread };
        if let Some(mut config) = value {
            config.set_origin(&document, &text, path, overrides);
            config.origin.places = places;
            let flaws = check::flaws(&config);
            let is_own = |flaw: &check::Flaw| !found.explains(&flaw.key);
            let flaws: Vec<check::Flaw> = flaws.into_iter().filter(is_own).collect();
            found.unread.extend(flaws.iter().map(|flaw| flaw.key.clone()));
            found.problems.extend(flaws.into_iter().filter_map(|f| config.refuse(Some(f)).err()));
            found.config = Some(config);
        }
        found
    }

    fn parse_unchecked(text: &str, path: &Path, overrides: &[String]) -> Result<Self> {
        let texts = Texts::new(path, text, overrides)?;
        let document = Document::parse(&texts)?;
        check_version(&document)?;
        let mut config: Config = document.read()?;
        config.set_origin(&document, text, path, overrides);
        Ok(config)
    }

    fn set_origin(
        &mut self,
        document: &Document<'_>,
        text: &str,
        path: &Path,
        overrides: &[String],
    ) {
        let mut hasher = blake3::Hasher::new();
        hasher.update(text.as_bytes());
        for option in overrides {
            hasher.update(b"\0").update(option.as_bytes());
        }
        self.origin = Origin {
            file: path.to_path_buf(),
            overrides: overrides.to_vec(),
            hash: hasher.finalize().to_hex().to_string(),
            warnings: Vec::new(),
            stimuli: None,
            places: document.places(),
        };
        if document.text(&["domain", "mesh", "partition"]) == Some(Partition::OLD_WORD) {
            self.warn_of_old_partition();
        }
    }

    /// Adds a warning that the case uses an outdated word for its partition.
    pub fn warn_of_old_partition(&mut self) {
        let old = Partition::OLD_WORD;
        self.origin.warnings.push(format!(
            "partition \"{old}\" no longer exists, \"metis\" is used instead; write \"metis\", or \
             \"bisection\", which is nearly as good and takes a fraction of the time"
        ));
    }

    /// Checks ranges and conflicts between keys. [`Config::load`] does this already.
    ///
    /// # Errors
    /// Returns [`Error::Case`] with the key, and with its place if the case came from a file.
    pub fn check(&self) -> Result<()> {
        self.problems().into_iter().next().map_or(Ok(()), Err)
    }

    /// Returns the errors about ranges and conflicts between keys, at most one for each key.
    pub fn problems(&self) -> Vec<Error> {
        let flaws = check::flaws(self).into_iter();
        flaws.filter_map(|flaw| self.refuse(Some(flaw)).err()).collect()
    }

    /// Checks the keys that depend on whether the cloud has normals, after the cloud has been read.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if a key of `[reconstruct]` does not suit the cloud.
    pub(crate) fn check_for_cloud(&self, has_normals: bool) -> Result<()> {
        self.refuse(check::flaw_for_cloud(self, has_normals))
    }

    fn refuse(&self, flaw: Option<check::Flaw>) -> Result<()> {
        match flaw {
            None => Ok(()),
            Some(flaw) => Err(self.error_at(&flaw.key, flaw.message(), flaw.remedy)),
        }
    }

    /// Returns an error about the value of `key` (a dotted path), at its place in the file.
    pub(crate) fn error_at(
        &self,
        key: &str,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Error {
        self.origin.places.error(key, what.into(), remedy.into())
    }

    /// Returns true if the case does not come from a file.
    pub(crate) fn is_made(&self) -> bool {
        self.origin.file.as_os_str().is_empty()
    }

    /// Adds the key to an error that has no place yet and, if the case comes from a file, to an
    /// error about the mesh.
    ///
    /// Other errors pass unchanged.
    pub(crate) fn locate(&self, key: &str) -> impl Fn(Error) -> Error {
        move |error| match error {
            Error::Case { file: None, line: None, what, remedy, .. } => {
                self.error_at(key, format!("{key}: {what}"), remedy)
            }
            Error::Mesh(flaw) if !self.is_made() => {
                let place = match self.error_at(key, "", "") {
                    Error::Case { file, line, .. } => crate::error::in_place(&file, &line),
                    _ => String::new(),
                };
                Error::Mesh(flaw.adding(&format!(", requested by {place}{key}")))
            }
            other => other,
        }
    }

    /// Returns the mesh of the case, if it has one.
    pub fn mesh(&self) -> Option<&MeshSource> {
        match &self.domain {
            Domain::Mesh(mesh) => Some(mesh),
            Domain::Tiled(_) | Domain::Cloud(_) => None,
        }
    }

    /// Returns the mesh of the case, for tasks that work only on meshes.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if the case has no mesh.
    pub(crate) fn mesh_or_refuse(&self) -> Result<&MeshSource> {
        let remedy = "use [domain.mesh]";
        self.mesh().ok_or_else(|| self.error_at("domain", "the case has no mesh", remedy))
    }

    /// Returns the scalar type of states and solvers.
    pub fn precision(&self) -> Precision {
        self.precision.unwrap_or(match self.domain {
            Domain::Mesh(_) | Domain::Cloud(_) => Precision::F64,
            Domain::Tiled(_) => Precision::F32,
        })
    }

    /// Returns the CFL factor, a ratio of time steps: C on meshes, nu on tiles.
    pub fn cfl(&self) -> f64 {
        let given = self.evolve.as_ref().and_then(|evolve| evolve.cfl);
        given.unwrap_or(match self.domain {
            Domain::Mesh(_) | Domain::Cloud(_) => 1.0,
            Domain::Tiled(_) => 0.5,
        })
    }

    /// Returns the longest step if a coefficient depends on time: `max_step` if the case gives it,
    /// otherwise the output interval, otherwise a hundredth of the time from `start_time` to
    /// `end_time`, otherwise infinity. The caller passes the time at which the run begins, because
    /// it may come from a file. All times are in the unit of the case.
    pub fn max_step(&self, start_time: f64) -> f64 {
        let evolve = self.evolve.as_ref();
        let given = evolve.and_then(|evolve| evolve.max_step).or(self.output.interval);
        let of_run = || Some((evolve?.end_time? - start_time) / 100.0);
        given.or_else(of_run).unwrap_or(f64::INFINITY)
    }

    /// Returns the case with the defaults that depend on the domain or on other keys filled in.
    pub fn with_defaults(&self) -> Self {
        let mut whole = self.clone();
        whole.remove_read_stimuli();
        whole.precision = Some(self.precision());
        whole.reinitialize.rule = Some(self.rule());
        whole.reinitialize.half_width = Some(self.half_width());
        if let Some(evolve) = &mut whole.evolve {
            evolve.cfl = Some(self.cfl());
        }
        if let Domain::Tiled(_) = self.domain {
            if let Some(evolve) = &mut whole.evolve {
                evolve.scheme = Some(self.scheme());
                evolve.time_scheme = Some(self.time_scheme());
            }
            if self.rule() != Rule::Never {
                whole.reinitialize.method = Some(self.method());
            }
        }
        whole
    }

    /// Returns the rule that decides when phi is reinitialized.
    pub fn rule(&self) -> Rule {
        self.reinitialize.rule.unwrap_or(match self.domain {
            _ if self.has_map() => Rule::Never,
            Domain::Mesh(_) | Domain::Cloud(_) => Rule::Displacement,
            Domain::Tiled(_) if self.reinitialize.rescaling.is_some() => Rule::Never,
            Domain::Tiled(_) => Rule::Every(self.steps_between_reinitializations()),
        })
    }

    /// Returns the spatial scheme on tiles.
    pub fn scheme(&self) -> Scheme {
        self.evolve.as_ref().and_then(|evolve| evolve.scheme).unwrap_or_default()
    }

    /// Returns the time scheme on tiles.
    pub fn time_scheme(&self) -> Time {
        let given = self.evolve.as_ref().and_then(|evolve| evolve.time_scheme);
        given.unwrap_or(match self.scheme() {
            Scheme::FirstOrder => Time::Euler,
            _ => Time::Rk3,
        })
    }

    /// Returns the reinitialization method on tiles.
    pub fn method(&self) -> Method {
        self.reinitialize.method.unwrap_or(match self.scheme() {
            Scheme::FirstOrder => Method::Direct,
            _ => Method::Equation,
        })
    }

    /// Returns the half width of the narrow band.
    pub fn half_width(&self) -> HalfWidth {
        self.reinitialize.half_width.unwrap_or(match self.domain {
            _ if self.has_map() => HalfWidth::Whole,
            Domain::Mesh(_) | Domain::Cloud(_) => HalfWidth::Edges(5.0),
            Domain::Tiled(_) => HalfWidth::Edges(3.0),
        })
    }

    /// Returns whether a characteristic map carries the interface.
    pub(crate) fn has_map(&self) -> bool {
        let advection = self.evolve.as_ref().and_then(|evolve| evolve.advection);
        advection == Some(Advection::CharacteristicMap)
    }

    /// Returns the unit of the array that the case computes: that of time for arrival times, and
    /// otherwise that of length. It is empty if it is unknown. `units` are the units of the run.
    pub fn unit_of_result(&self, units: &Units) -> String {
        match &self.distance {
            Some(distance) if distance.speed.is_some() => units.of_time(),
            _ => units.of_length(),
        }
    }

    /// Returns the name of a seed, by its index in `distance.from`: that of its stimulus, or else
    /// its text.
    pub(crate) fn name_of_seed(&self, k: usize) -> Option<String> {
        let seed = self.distance.as_ref()?.from.get(k)?;
        let read = self.origin.stimuli.as_ref();
        let stimulus = read.and_then(|read| read.stimuli.get(k.checked_sub(read.first)?));
        let name = stimulus.and_then(|stimulus| stimulus.name.clone());
        Some(name.unwrap_or_else(|| seed.to_string()))
    }

    /// Returns the name of the case: its file name without the extension.
    pub fn name(&self) -> String {
        let stem = self.origin.file.file_stem().map(|s| s.to_string_lossy().into_owned());
        stem.filter(|s| !s.is_empty()).unwrap_or_else(|| "case".into())
    }

    /// Resolves a path of the case to a file or folder.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if an environment variable in the path is not set.
    pub fn resolve(&self, path: &str) -> Result<PathBuf> {
        self.resolved(path)
            .map_err(|(what, remedy)| Error::case(&self.origin.file, None, what, remedy))
    }

    fn resolved(&self, path: &str) -> std::result::Result<PathBuf, paths::Wrong> {
        let folder = self.origin.file.parent().unwrap_or(Path::new(""));
        paths::resolve(folder, path, |name| std::env::var(name).ok())
    }
}

fn check_version(document: &Document) -> Result<()> {
    let found = document.value("version");
    let number = found.and_then(|v| v.as_integer()).and_then(|v| v.as_str().parse::<u32>().ok());
    let (what, remedy) = match (found, number) {
        (_, Some(VERSION)) => return Ok(()),
        (None, _) => ("`version` is missing", format!("start the file with version = {VERSION}")),
        _ => (
            "unknown version of the case format",
            format!("this program reads version = {VERSION}"),
        ),
    };
    Err(document.places().error("version", what.into(), remedy))
}
