//! The table `[output]`: files of a run, their formats, and when they are written.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::picture::Picture;
use crate::io::vtk::Compression;

/// `[output]`: files, their folder, and how often they are written. The first and the last state
/// are always written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Output {
    /// Folder for the results, relative to the case file. Default `results/NAME` in the current
    /// directory. The option `-o` overrides it.
    #[schemars(example = "../results/here")]
    pub folder: Option<String>,
    /// File format of the states. Default "pvd".
    pub format: SeriesFormat,
    /// Number of steps between states, >= 1. Default: only the first and the last state are
    /// written, unless `interval` is given.
    #[schemars(range(min = 1))]
    pub every: Option<u64>,
    /// Time between states, > 0, in the unit of time of the case. Steps end exactly at these times.
    /// Conflicts with `every`.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub interval: Option<f64>,
    /// Number of steps between lines of measures.csv, >= 1. Default: one line per state.
    #[schemars(range(min = 1))]
    pub measures_every: Option<u64>,
    /// Compression of `.vtu`, `.vtp` and `.vti` files, default "zlib", and of a `.vtkhdf` file,
    /// default "none".
    pub compression: Option<Compression>,
    /// Additional point data in the states.
    pub fields: Vec<PointField>,
    /// Writes the interface as `interface_*.vtp`. On tiles, the interface is always written, as
    /// `NAME_*.vtp`.
    pub interface: bool,
    /// Also writes the interface in these formats, with normals. Lines on triangle meshes are
    /// available only as OBJ.
    pub interface_files: Vec<InterfaceFile>,
    /// Also writes phi on tiles as dense volumes `NAME_volume_*.vti`, with a list of them. An empty
    /// table writes the box that contains all tiles.
    pub volume: Option<OutputVolume>,
    /// Also writes phi as GIFTI shape files.
    pub gifti: bool,
    /// Also writes phi as FreeSurfer morph files.
    pub freesurfer: bool,
    /// When to write a checkpoint, from which `--resume` continues the run. Default: every 10
    /// minutes.
    pub checkpoint: Checkpoints,
    /// Also writes a 3-D view of the states for browsers, `NAME_view.html`. (The file `report.html`
    /// of every run has a smaller view.)
    pub html: bool,
    /// Draws pictures. An empty table draws the last state with default settings, like the option
    /// `--picture FILE`.
    pub picture: Option<Picture>,
}

impl Default for Output {
    fn default() -> Self {
        Output {
            folder: None,
            format: SeriesFormat::Pvd,
            every: None,
            interval: None,
            measures_every: None,
            compression: None,
            fields: Vec::new(),
            interface: true,
            interface_files: Vec::new(),
            volume: None,
            gifti: false,
            freesurfer: false,
            checkpoint: Checkpoints::default(),
            html: false,
            picture: None,
        }
    }
}

/// Box of dense volumes, in mesh units: `volume = { min = [0, 0, 0], max = [1, 1, 1] }`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct OutputVolume {
    /// Lower corner. Default: the lower corner of the box around all tiles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<[f64; 3]>,
    /// Upper corner. Default: the upper corner of the box around all tiles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<[f64; 3]>,
}

/// When checkpoints are written: `checkpoint = { every = 1000 }`. Unless this is "never", a
/// checkpoint is also written when the user interrupts the run and before an error ends it.
/// Checkpoints do not change results.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Checkpoints {
    /// After this number of steps, >= 1.
    Every(#[schemars(range(min = 1))] u64),
    /// After this number of minutes, > 0. Default 10.
    Minutes(#[schemars(extend("exclusiveMinimum" = 0))] f64),
    /// Never. The run cannot be resumed.
    Never,
}

impl Default for Checkpoints {
    fn default() -> Self {
        Checkpoints::Minutes(10.0)
    }
}

/// File format of the states of a run: `format = "pvd"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum SeriesFormat {
    /// One `.vtu` or `.vtp` file per state, with the list `NAME.pvd` (default).
    #[default]
    Pvd,
    /// All states in `NAME.vtkhdf`, with the mesh stored once. Needs ParaView 5.12 or newer.
    Vtkhdf,
}

/// Additional files of the interface: `interface_files = ["stl"]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum InterfaceFile {
    /// Triangles with normals, as 32-bit numbers.
    Stl,
    /// Triangles with vertex normals, or lines.
    Obj,
    /// Triangles with vertex normals.
    Ply,
}

impl InterfaceFile {
    /// Returns the file extension.
    pub fn ending(self) -> &'static str {
        match self {
            InterfaceFile::Stl => "stl",
            InterfaceFile::Obj => "obj",
            InterfaceFile::Ply => "ply",
        }
    }
}

/// Optional point data: `fields = ["band"]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum PointField {
    /// 1 in the narrow band, 0 elsewhere.
    Band,
    /// Index of the patch that owns the vertex.
    Patch,
}
