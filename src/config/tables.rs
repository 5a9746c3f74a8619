//! The tables of a case file, one struct each, with every default.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::seed::Seed;
use super::values::{Coefficient, HalfWidth, Speed, Velocity};
use crate::io::vtk::Compression;
use crate::mesh::generate::Generate;
use crate::patches::{PATCH_SIZE, Partition};

/// Scalar type of states and solvers: `precision = "f64"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Precision {
    /// 64-bit numbers (default).
    #[default]
    F64,
    /// 32-bit numbers: half the memory.
    F32,
}

/// `[device]`: what computes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Device {
    /// Kind of device.
    #[serde(rename = "use")]
    pub kind: DeviceKind,
    /// Which one of several GPUs, from 0.
    pub ordinal: u32,
    /// CPU threads; 0 (default) takes all cores.
    #[schemars(range(max = 256))]
    pub threads: usize,
}

/// Kind of device: `use = "auto"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum DeviceKind {
    /// The fastest that is there (default); the report says which and why.
    #[default]
    Auto,
    /// The processor.
    Cpu,
    /// An NVIDIA GPU.
    Cuda,
}

/// `[domain]`: where the level set lives; one entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Domain {
    /// A simplex mesh.
    Mesh(MeshSource),
}

/// `[domain.mesh]`: a mesh read from `path` or made by `generate`, exactly one of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct MeshSource {
    /// Mesh file, relative to the case file; `${NAME}` is the environment variable.
    #[schemars(example = "mesh.vtu")]
    pub path: Option<String>,
    /// Generator and its options.
    pub generate: Option<Generate>,
    /// Midpoint refinements after reading or making, 0 (default) to 8.
    #[serde(default)]
    #[schemars(range(max = 8))]
    pub refine: u32,
    /// Vertices per patch at most, 8 to 4096; default 64.
    #[serde(default = "patch_size")]
    #[schemars(range(min = 8, max = 4096))]
    pub patch_size: usize,
    /// How patches are cut; default "hilbert-metis", but "blocks" for a lattice made by `generate`.
    pub partition: Option<Partition>,
    /// More vertex arrays from other files.
    #[serde(default)]
    pub data: Vec<DataFile>,
}

fn patch_size() -> usize {
    PATCH_SIZE
}

/// An entry of `domain.mesh.data`: a file with values per vertex.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct DataFile {
    /// The file, relative to the case file; `${NAME}` is the environment variable.
    #[schemars(example = "values.shape.gii")]
    pub path: String,
    /// Name of the array in this case: a new name if the file holds one array, the array to take
    /// if it holds several. Default: all arrays under their own names.
    pub name: Option<String>,
}

/// `[evolve]`: moves the interface by `phi_t + a . grad phi + eps |grad phi| =
/// beta kappa |grad phi|` until the first of `end_time`, `max_steps`, `steady`, or until the
/// interface is gone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Evolve {
    /// Time at the end, > 0; hit exactly.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub end_time: Option<f64>,
    /// Steps at most, >= 1.
    #[schemars(range(min = 1))]
    pub max_steps: Option<u64>,
    /// Ends when `max |d phi / dt|` near the interface is at most this (length per time), > 0.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub steady: Option<f64>,
    /// Factor C of the time step (numerics (4)), 0 < cfl <= 2; default 1.
    #[schemars(extend("exclusiveMinimum" = 0), range(max = 2))]
    pub cfl: f64,
    /// Velocity a, mesh units per time; default none.
    pub velocity: Option<Velocity>,
    /// Speed eps along the normal, mesh units per time; > 0 lets the inside grow; default 0.
    pub normal_speed: Option<Coefficient>,
    /// Curvature coefficient beta >= 0, mesh units^2 per time; shrinks the inside; default 0.
    pub curvature: Option<Coefficient>,
}

impl Default for Evolve {
    fn default() -> Self {
        Evolve {
            end_time: None,
            max_steps: None,
            steady: None,
            cfl: 1.0,
            velocity: None,
            normal_speed: None,
            curvature: None,
        }
    }
}

/// `[reinitialize]`: when phi is made a distance again, and how far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Reinitialize {
    /// When.
    pub rule: Rule,
    /// Half width of the narrow band; default 5 mean edge lengths.
    pub half_width: HalfWidth,
}

impl Default for Reinitialize {
    fn default() -> Self {
        Reinitialize { rule: Rule::Displacement, half_width: HalfWidth::Edges(5.0) }
    }
}

/// When phi is made a distance again: `rule = "displacement"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Rule {
    /// When the interface may have moved by half the half width (default).
    #[default]
    Displacement,
    /// By the published step rule (numerics 4).
    Published,
    /// Every so many steps, >= 1: `{ every = 10 }`.
    Every(u64),
    /// Never: the whole domain is updated, `half_width = "whole"`.
    Never,
}

/// `[distance]`: solves `|grad u| = 1 / speed` once, from seeds or from the zero set of
/// `[initial]`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Distance {
    /// Seeds such as `"vertex:17"`, `"point:1,2,3@0.5"`, `"group:inlet"`; empty: the zero set of
    /// `[initial]`.
    pub from: Vec<Seed>,
    /// Negative inside; default true from the zero set of `[initial]`, impossible from seeds.
    pub signed: Option<bool>,
    /// Largest distance of interest, mesh units, > 0; default the whole domain.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub width: Option<f64>,
    /// Speed of the front, > 0; default 1.
    pub speed: Option<Speed>,
    /// Moves points that are off the mesh by more than one edge length to the mesh.
    pub snap: bool,
}

/// `[output]`: what is written, where, and how often. The first and the last state always are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Output {
    /// Folder of the run, relative to the case file; default `results/<case name>` in the
    /// current directory.
    #[schemars(example = "../results/here")]
    pub folder: Option<String>,
    /// How the states are kept; default "pvd".
    pub format: SeriesFormat,
    /// Steps between states, >= 1.
    #[schemars(range(min = 1))]
    pub every: Option<u64>,
    /// Time between states, > 0; hit exactly. Not together with `every`.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub interval: Option<f64>,
    /// Steps between lines of measures.csv, >= 1; default with the states.
    #[schemars(range(min = 1))]
    pub measures_every: Option<u64>,
    /// How states are packed; default "lz4".
    pub compression: Compression,
    /// More point data in the states.
    pub fields: Vec<PointField>,
    /// Writes the interface as `interface_*.vtp`.
    pub interface: bool,
    /// Writes phi also as GIFTI shape files.
    pub gifti: bool,
    /// Writes phi also as FreeSurfer morph files.
    pub freesurfer: bool,
}

impl Default for Output {
    fn default() -> Self {
        Output {
            folder: None,
            format: SeriesFormat::Pvd,
            every: None,
            interval: None,
            measures_every: None,
            compression: Compression::Lz4,
            fields: Vec::new(),
            interface: true,
            gifti: false,
            freesurfer: false,
        }
    }
}

/// How the states of a run are kept: `format = "pvd"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum SeriesFormat {
    /// A `.vtu` or `.vtp` file each, and their list `NAME.pvd` (default).
    #[default]
    Pvd,
    /// All in `NAME.vtkhdf`, the mesh once; needs ParaView 5.12 or newer.
    Vtkhdf,
}

/// Point data written on request: `fields = ["band"]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum PointField {
    /// 1 in the narrow band, 0 elsewhere.
    Band,
    /// Number of the patch that owns the vertex.
    Patch,
}
