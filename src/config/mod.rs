//! The case file: every TOML table as a documented struct that owns its defaults and ranges.
//!
//! [`Config::load`] reads a file, lays `--set key=value` options over it, and checks all that can
//! be checked without opening another file. Each message names the file and the line of the
//! wrong key or value (or the `--set` option), what is allowed, and the nearest name.

mod check;
mod defaults;
mod document;
mod expect;
mod file;
mod initial;
mod input_files;
mod paths;
mod picture;
mod reconstruct;
mod reference;
mod schema;
mod seed;
mod settings;
mod tables;
mod tiled;
mod values;

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use crate::io::vtk::Compression;
pub use crate::levelset::evolution::{Advection, CurvatureStep, NormalMotion};
pub use crate::levelset::tiled::{Scheme, Time};
pub use crate::patches::Partition;
pub use defaults::defaults;
pub use expect::{Bounds, Expect};
pub use initial::{Above, Initial, InitialCurve, InitialMesh, InitialVolume, Inside};
pub use picture::{Drawn, Picture};
pub use reconstruct::{CloudSource, Reconstruct};
pub use reference::reference;
pub use schema::schema;
pub use seed::Seed;
pub use tables::{
    Checkpoints, DataFile, Device, DeviceKind, Distance, Domain, Evolve, FrontShape, InterfaceFile,
    MeshSource, Method, Output, OutputVolume, PointField, Precision, Reinitialize, Rule,
    SeriesFormat,
};
pub use tiled::{BoundingBox, Storage, TiledSource};
pub use values::{Coefficient, Component, HalfWidth, Rotation, Speed, Velocity, VolumeArray};

pub(crate) use crate::words::suggest;

use crate::error::{Error, Result};
use crate::mesh::Kind;
use document::{Document, Places, Texts};

/// Version of the case format this program reads.
pub const VERSION: u32 = 1;

/// Most threads that a case may ask for.
pub const MOST_THREADS: usize = 256;

/// A case: what is computed, on what, and what must come out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// Version of the format, always 1.
    #[schemars(range(min = VERSION, max = VERSION))]
    pub version: u32,
    /// Scalar type of states and solvers; default "f64" on meshes, "f32" on tiles.
    pub precision: Option<Precision>,
    /// What computes.
    #[serde(default)]
    pub device: Device,
    /// Where the level set lives.
    pub domain: Domain,
    /// Where it starts.
    pub initial: Option<Initial>,
    /// Task: move the interface.
    pub evolve: Option<Evolve>,
    /// When phi is made a distance again.
    #[serde(default)]
    pub reinitialize: Reinitialize,
    /// Task: compute a distance.
    pub distance: Option<Distance>,
    /// Task: make a surface of samples.
    pub reconstruct: Option<Reconstruct>,
    /// What is written.
    #[serde(default)]
    pub output: Output,
    /// What must come out.
    #[serde(default)]
    pub expect: Expect,
    /// Where the case came from.
    #[serde(skip)]
    pub origin: Origin,
}

/// Where a case came from.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Origin {
    /// The case file.
    pub file: PathBuf,
    /// The `--set` options laid over it, `key=value`.
    pub overrides: Vec<String>,
    /// BLAKE3 hash of the file and the overrides, hexadecimal.
    pub hash: String,
    /// Sentences about words of older cases in it.
    pub(crate) warnings: Vec<String>,
    /// Where its keys stand.
    places: Places,
}

impl Config {
    /// Case that computes a distance on a mesh file, as the command line asks for it; `flags` are
    /// keys with the words that stand for them there.
    pub fn of_distance(mesh: MeshSource, distance: Distance, flags: Vec<(String, String)>) -> Self {
        Config {
            version: VERSION,
            precision: None,
            device: Device::default(),
            domain: Domain::Mesh(mesh),
            initial: None,
            evolve: None,
            reinitialize: Reinitialize::default(),
            distance: Some(distance),
            reconstruct: None,
            output: Output::default(),
            expect: Expect::default(),
            origin: Origin { places: Places::of_flags(flags), ..Origin::default() },
        }
    }

    /// Reads and checks the case in `path` with `overrides` (`key=value`) laid over it.
    ///
    /// The value of an override is TOML; what is not TOML is taken as a string.
    ///
    /// # Errors
    /// [`Error::Case`] with file and line, or with the override: no such file, not TOML, unknown
    /// key, wrong type, value out of range, environment variable not set.
    pub fn load(path: &Path, overrides: &[String]) -> Result<Self> {
        Self::parse(&file::read(path)?, path, overrides)
    }

    /// As [`Config::load`], with `text` for the content of the file `path`.
    ///
    /// # Errors
    /// As [`Config::load`].
    pub fn parse(text: &str, path: &Path, overrides: &[String]) -> Result<Self> {
        let texts = Texts::new(path, text, overrides)?;
        let document = Document::parse(&texts)?;
        check_version(&document)?;
        let mut config: Config = document.read()?;
        let mut hasher = blake3::Hasher::new();
        hasher.update(text.as_bytes());
        for option in overrides {
            hasher.update(b"\0").update(option.as_bytes());
        }
        config.origin = Origin {
            file: path.to_path_buf(),
            overrides: overrides.to_vec(),
            hash: hasher.finalize().to_hex().to_string(),
            warnings: Vec::new(),
            places: document.places(),
        };
        if document.text(&["domain", "mesh", "partition"]) == Some(Partition::OLD_WORD) {
            config.warn_of_old_partition();
        }
        config.check()?;
        Ok(config)
    }

    /// Notes that the partition was called by a word that is no more.
    pub fn warn_of_old_partition(&mut self) {
        let old = Partition::OLD_WORD;
        self.origin.warnings.push(format!(
            "partition \"{old}\" is no more, \"metis\" is taken: write \"metis\", or \"bisection\", \
             which cuts nearly as well in a fraction of the time"
        ));
    }

    /// Checks ranges and what fits together; [`Config::load`] has done so.
    ///
    /// # Errors
    /// [`Error::Case`] naming the key, and its place if the case came from a file.
    pub fn check(&self) -> Result<()> {
        self.refuse(check::first_flaw(self))
    }

    /// Checks what depends on the normals of the cloud, once it is known whether it has some.
    ///
    /// # Errors
    /// [`Error::Case`] for a key of `[reconstruct]` that is for the other method.
    pub(crate) fn check_for_cloud(&self, has_normals: bool) -> Result<()> {
        self.refuse(check::flaw_for_cloud(self, has_normals))
    }

    fn refuse(&self, flaw: Option<check::Flaw>) -> Result<()> {
        match flaw {
            None => Ok(()),
            Some(flaw) => Err(self.error_at(&flaw.key, flaw.message(), flaw.remedy)),
        }
    }

    /// An error in the value of `key` (dotted), at its place in the file.
    pub(crate) fn error_at(
        &self,
        key: &str,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Error {
        self.origin.places.error(key, what.into(), remedy.into())
    }

    /// True for a case that comes from no file.
    fn is_made(&self) -> bool {
        self.origin.file.as_os_str().is_empty()
    }

    /// Names the key whose value led to an error that has no place yet, or to one of the mesh; other
    /// errors pass.
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
                Error::Mesh(flaw.adding(&format!(", asked for by {place}{key}")))
            }
            other => other,
        }
    }

    /// Checks what depends on the kind of the mesh, once that is known.
    ///
    /// # Errors
    /// [`Error::Case`] for a key of `[expect]`, or a file of the interface, that such a mesh cannot
    /// have.
    pub fn check_for(&self, kind: Kind) -> Result<()> {
        let wrong = match kind {
            Kind::Planar | Kind::Surface => ["interface_area", "enclosed_volume"],
            Kind::Volume => ["interface_length", "enclosed_area"],
        };
        let lines = kind != Kind::Volume;
        let files = &self.output.interface_files;
        if let Some(file) = files.iter().find(|file| lines && **file != InterfaceFile::Obj) {
            let what = format!(
                "output.interface_files: an interface on triangles is lines, which no .{} holds",
                file.ending()
            );
            return Err(self.error_at("output.interface_files", what, "take \"obj\""));
        }
        match self.expect.bounds().iter().find(|(name, _)| wrong.contains(name)) {
            None => Ok(()),
            Some((name, _)) => Err(self.error_at(
                &format!("expect.{name}"),
                format!("expect.{name} does not exist on this mesh"),
                match kind {
                    Kind::Volume => "take interface_area or enclosed_volume",
                    _ => "take interface_length or enclosed_area",
                },
            )),
        }
    }

    /// The mesh of the case, if it has one.
    pub fn mesh(&self) -> Option<&MeshSource> {
        match &self.domain {
            Domain::Mesh(mesh) => Some(mesh),
            Domain::Tiled(_) | Domain::Cloud(_) => None,
        }
    }

    /// The mesh of a case for something that works on meshes only.
    ///
    /// # Errors
    /// [`Error::Case`] for a case on tiles.
    pub(crate) fn mesh_or_refuse(&self) -> Result<&MeshSource> {
        let remedy = "give it [domain.mesh]";
        self.mesh().ok_or_else(|| self.error_at("domain", "the case has no mesh", remedy))
    }

    /// Scalar type of states and solvers.
    pub fn precision(&self) -> Precision {
        self.precision.unwrap_or(match self.domain {
            Domain::Mesh(_) | Domain::Cloud(_) => Precision::F64,
            Domain::Tiled(_) => Precision::F32,
        })
    }

    /// Factor of the time step.
    pub fn cfl(&self) -> f64 {
        let given = self.evolve.as_ref().and_then(|evolve| evolve.cfl);
        given.unwrap_or(match self.domain {
            Domain::Mesh(_) | Domain::Cloud(_) => 1.0,
            Domain::Tiled(_) => 0.5,
        })
    }

    /// The case with what depends on its domain where nothing is given.
    pub fn with_defaults(&self) -> Self {
        let mut whole = self.clone();
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

    /// When phi is made a distance again.
    pub fn rule(&self) -> Rule {
        self.reinitialize.rule.unwrap_or(match self.domain {
            Domain::Mesh(_) | Domain::Cloud(_) => Rule::Displacement,
            Domain::Tiled(_) if self.reinitialize.rescaling.is_some() => Rule::Never,
            Domain::Tiled(_) => Rule::Every(5),
        })
    }

    /// Differences in space on tiles.
    pub fn scheme(&self) -> Scheme {
        self.evolve.as_ref().and_then(|evolve| evolve.scheme).unwrap_or_default()
    }

    /// Steps in time on tiles.
    pub fn time_scheme(&self) -> Time {
        let given = self.evolve.as_ref().and_then(|evolve| evolve.time_scheme);
        given.unwrap_or(match self.scheme() {
            Scheme::FirstOrder => Time::Euler,
            _ => Time::Rk3,
        })
    }

    /// How phi is made a distance on tiles.
    pub fn method(&self) -> Method {
        self.reinitialize.method.unwrap_or(match self.scheme() {
            Scheme::FirstOrder => Method::Direct,
            _ => Method::Equation,
        })
    }

    /// Half width of the narrow band.
    pub fn half_width(&self) -> HalfWidth {
        self.reinitialize.half_width.unwrap_or(HalfWidth::Edges(match self.domain {
            Domain::Mesh(_) | Domain::Cloud(_) => 5.0,
            Domain::Tiled(_) => 3.0,
        }))
    }

    /// Name of the case: the stem of its file.
    pub fn name(&self) -> String {
        let stem = self.origin.file.file_stem().map(|s| s.to_string_lossy().into_owned());
        stem.filter(|s| !s.is_empty()).unwrap_or_else(|| "case".into())
    }

    /// The file or folder a path of this case means.
    ///
    /// # Errors
    /// [`Error::Case`] if an environment variable in it is not set.
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
            "this version of the case format is not known",
            format!("this program reads version = {VERSION}"),
        ),
    };
    Err(document.places().error("version", what.into(), remedy))
}
