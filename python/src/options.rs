//! Options of the functions, as the package passes them: the text of a JSON object.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use zeroset::api::{EvolveOptions, IsosurfaceOptions, ReadOptions, ReconstructOptions};
use zeroset::config::{DataFile, Device, DeviceKind, MeshRepair, Precision};
use zeroset::io::Frame;
use zeroset::levelset::evolution::Advection;
use zeroset::levelset::volume::VolumeCorrection;
use zeroset::mesh::repair::Weld;
use zeroset::reconstruct::directed::Cubes;
use zeroset::reconstruct::{Method, Options};
use zeroset::surface::HoleSize;

/// Parses options.
///
/// # Errors
/// Returns a `ValueError` that names the option and the values that it accepts.
pub fn parse<T: DeserializeOwned>(json: &str) -> PyResult<T> {
    serde_json::from_str(json).map_err(|error| {
        let text = error.to_string();
        // The position in the text means nothing to the user.
        let (what, _) = text.rsplit_once(" at line ").unwrap_or((&text, ""));
        PyValueError::new_err(match wrong_option::<T>(json) {
            Some(name) => format!("{name}: {what}"),
            None => what.to_string(),
        })
    })
}

/// Returns the name of the only wrong option, without which the others can be parsed.
fn wrong_option<T: DeserializeOwned>(json: &str) -> Option<String> {
    let options: Map<String, Value> = serde_json::from_str(json).ok()?;
    let is_wrong = |name: &&String| {
        let mut others = options.clone();
        others.remove(*name);
        serde_json::from_value::<T>(Value::Object(others)).is_ok()
    };
    options.keys().find(is_wrong).cloned()
}

/// The device, the number of threads, and the number of the GPU.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct On {
    device: DeviceKind,
    gpu: u32,
    threads: usize,
}

impl On {
    /// Returns the device of a call.
    pub fn device(&self) -> Device {
        let mut device = Device::default();
        (device.kind, device.ordinal, device.threads) = (self.device, self.gpu, self.threads);
        device
    }
}

/// Options of a mesh.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct OfMesh {
    #[serde(flatten)]
    on: On,
    precision: Option<Precision>,
    data: Vec<String>,
    weld: Option<Weld>,
    repair: Option<MeshRepair>,
    skip_unsupported: bool,
    frame: Option<Frame>,
}

impl OfMesh {
    pub fn options(self) -> ReadOptions {
        let mut options = ReadOptions::default();
        options.device = self.on.device();
        options.precision = self.precision.unwrap_or(options.precision);
        let file = |path| DataFile { path, name: None, time: None };
        options.data = self.data.into_iter().map(file).collect();
        options.weld = self.weld;
        options.repair = self.repair;
        options.skip_unsupported = self.skip_unsupported;
        options.frame = self.frame;
        options
    }
}

/// Options of an evolution.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct OfEvolution {
    until: Option<f64>,
    every: Option<f64>,
    max_steps: Option<u64>,
    steady: Option<f64>,
    cfl: Option<f64>,
    max_step: Option<f64>,
    start_time: Option<f64>,
    mask: Option<String>,
    volume_correction: VolumeCorrection,
    advection: Option<Advection>,
}

impl OfEvolution {
    pub fn options(self) -> EvolveOptions {
        let mut options = EvolveOptions::default();
        (options.until, options.every) = (self.until, self.every);
        (options.max_steps, options.steady) = (self.max_steps, self.steady);
        (options.cfl, options.max_step) = (self.cfl, self.max_step);
        (options.start_time, options.mask) = (self.start_time, self.mask);
        options.volume_correction = self.volume_correction;
        options.advection = self.advection;
        options
    }
}

/// The holes to fill: all of them, none, or those up to an area.
#[derive(Debug, Default, Deserialize)]
#[serde(untagged)]
pub enum Holes {
    All(bool),
    UpTo(f64),
    #[default]
    None,
}

impl Holes {
    /// Returns the size of the holes to fill, or `None` to fill none.
    pub fn size(&self) -> Option<HoleSize> {
        match self {
            Holes::All(true) => Some(HoleSize::Any),
            Holes::UpTo(area) => Some(HoleSize::UpTo(*area)),
            Holes::All(false) | Holes::None => None,
        }
    }
}

/// Options of a reconstruction.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct OfReconstruction {
    #[serde(flatten)]
    on: On,
    method: Method,
    depth: Option<u32>,
    cell: Option<f64>,
    outliers: Option<f64>,
    curvature: Option<f64>,
    trim: Option<f64>,
    largest: bool,
    fill_holes: Holes,
    smooth: u32,
}

impl OfReconstruction {
    pub fn options(self) -> ReconstructOptions {
        let mut of = Options::default();
        of.method = self.method;
        of.cubes = match (self.depth, self.cell) {
            (Some(depth), _) => Cubes::Depth(depth),
            (None, Some(edge)) => Cubes::Edge(edge),
            (None, None) => Cubes::Safe,
        };
        if let Some(factor) = self.outliers {
            of.clean.outliers = (factor != 0.0).then_some(factor);
        }
        (of.curvature, of.trim) = (self.curvature, self.trim);
        (of.largest, of.fill_holes, of.smooth) =
            (self.largest, self.fill_holes.size(), self.smooth);
        let mut options = ReconstructOptions::default();
        (options.surface, options.device) = (of, self.on.device());
        options
    }
}

/// Options of an isosurface.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct OfIsosurface {
    #[serde(flatten)]
    on: On,
    closed: bool,
    normals: bool,
    largest: bool,
    fill_holes: Holes,
    smooth: u32,
}

impl OfIsosurface {
    pub fn options(self) -> IsosurfaceOptions {
        let mut options = IsosurfaceOptions::default();
        options.surface = options.surface.closed(self.closed).normals(self.normals);
        options.largest = self.largest;
        options.fill_holes = self.fill_holes.size();
        options.smooth = self.smooth;
        options.device = self.on.device();
        options
    }
}
