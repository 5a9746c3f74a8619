//! The tables of a case file, one struct each, with every default.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::picture::Picture;
use super::reconstruct::CloudSource;
use super::seed::Seed;
use super::tiled::TiledSource;
use super::values::{Coefficient, Component, HalfWidth, Speed, Velocity, VolumeArray};
use crate::expression::Expression;
use crate::io::vtk::Compression;
use crate::levelset::evolution::{Advection, CurvatureStep, LEAST_QUALITY, NormalMotion};
use crate::levelset::tiled::{Scheme, Time};
use crate::mesh::generate::Generate;
use crate::patches::{PATCH_SIZE, Partition};

/// Scalar type of states and solvers: `precision = "f64"`. Geometry and files are always f64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Precision {
    /// 64-bit numbers.
    F64,
    /// 32-bit numbers: half the memory.
    F32,
}

/// `[device]`: what computes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Device {
    /// Kind of device; also the option `--device`.
    #[serde(rename = "use")]
    pub kind: DeviceKind,
    /// Which one of several GPUs, from 0, as `zeroset devices` numbers them.
    pub ordinal: u32,
    /// CPU threads; 0 (default) takes all cores. Also the option `--threads`.
    #[schemars(range(max = 256))]
    pub threads: usize,
    /// On a GPU: the same bits in every run (default), or the faster order of work whose results
    /// differ by rounding from run to run. The CPU always gives the same bits.
    pub reproducible: bool,
}

impl Default for Device {
    fn default() -> Self {
        Device { kind: DeviceKind::default(), ordinal: 0, threads: 0, reproducible: true }
    }
}

/// Kind of device: `use = "auto"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DeviceKind {
    /// A GPU if there is one and the mesh has 20,000 vertices or more, else the CPU (default); the
    /// report says which and why.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// An NVIDIA GPU; without one the program ends with exit code 5.
    Cuda,
}

/// `[domain]`: where the level set lives; one entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Domain {
    /// A simplex mesh.
    Mesh(MeshSource),
    /// Sparse tiles of a regular lattice, which follow the interface through open space.
    Tiled(TiledSource),
    /// Samples of a surface, for the task reconstruct.
    Cloud(CloudSource),
}

/// `[domain.mesh]`: a mesh read from `path` or made by `generate`, exactly one of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
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
    /// How patches are cut; default "bisection", but "blocks" for a lattice made by `generate`.
    pub partition: Option<Partition>,
    /// More vertex arrays from other files, in the vertex order of the mesh file; `refine`
    /// interpolates them.
    #[serde(default)]
    pub data: Vec<DataFile>,
}

fn patch_size() -> usize {
    PATCH_SIZE
}

/// An entry of `domain.mesh.data`: a file with values per vertex.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
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
/// interface is gone and no inflow that depends on time may bring in another one.
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
    /// Factor of the time step, > 0. On meshes C, at most 2; default 1; with `curvature_step =
    /// "implicit"` up to 100, of which the first-order terms take 2. On tiles nu, at most 0.9;
    /// default 0.5.
    #[schemars(extend("exclusiveMinimum" = 0), range(max = 100))]
    pub cfl: Option<f64>,
    /// Velocity a, mesh units per time; default none.
    pub velocity: Option<Velocity>,
    /// Speed eps along the normal, mesh units per time; > 0 lets the inside grow; default 0.
    pub normal_speed: Option<Coefficient>,
    /// Curvature coefficient beta >= 0, mesh units^2 per time; shortens the interface; default 0.
    #[schemars(extend("minimum" = 0))]
    pub curvature: Option<Coefficient>,
    /// Weight w >= 0, mesh units^2 per time, of the weighted curvature flow `|grad phi| div(w grad
    /// phi / |grad phi|)`, which shortens the weighted interface and draws it to where w is small;
    /// not together with `curvature`.
    #[schemars(extend("minimum" = 0))]
    pub weighted_curvature: Option<Coefficient>,
    /// phi where the velocity enters through the boundary of the mesh, mesh units; default what is
    /// there is held.
    pub inflow: Option<Coefficient>,
    /// Advection scheme: "taylor-galerkin" (default, order 2), "positive-coefficient" (order 1; the
    /// default with `one_pass`) or "cone" (order 1, strictly monotone).
    pub advection: Option<Advection>,
    /// Scheme of the normal motion: "positive-coefficient" (default) or "hopf-lax" (strictly
    /// monotone, larger errors).
    pub normal_motion: NormalMotion,
    /// Advection and normal motion as one wind in one pass of the positive-coefficient scheme.
    pub one_pass: bool,
    /// Limits the first-order part of each step to the values around a vertex: no overshoot on
    /// rough data.
    pub clip: bool,
    /// Time step of the curvature: "auto" (default), "explicit" or "implicit". Automatic is
    /// explicit unless the smallest cell would make steps 50 times shorter than a typical one.
    pub curvature_step: CurvatureStep,
    /// Quality of cells (inradius over longest edge, 1 for a regular cell) below which their
    /// vertices leave the Taylor-Galerkin step for the positive-coefficient scheme, 0 to 1;
    /// default 0.2.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub least_quality: f64,
    /// On tiles, differences in space: "weno5" (default) or "first-order".
    pub scheme: Option<Scheme>,
    /// On tiles, steps in time: "rk3" (default with weno5) or "euler" (default with first-order).
    pub time_scheme: Option<Time>,
}

impl Evolve {
    /// The advection scheme, where none is named that which goes with the rest.
    pub fn advection(&self) -> Advection {
        self.advection.unwrap_or(match self.one_pass {
            true => Advection::PositiveCoefficient,
            false => Advection::default(),
        })
    }

    /// The coefficients that are values of volumes, with the keys they stand at.
    pub fn volumes(&self) -> Vec<(String, &VolumeArray)> {
        let scalars = [
            ("evolve.normal_speed", &self.normal_speed),
            ("evolve.curvature", &self.curvature),
            ("evolve.weighted_curvature", &self.weighted_curvature),
            ("evolve.inflow", &self.inflow),
        ];
        let scalars = scalars.into_iter().filter_map(|(key, coefficient)| match coefficient {
            Some(Coefficient::Volume(array)) => Some((key.to_string(), array)),
            _ => None,
        });
        let components = match &self.velocity {
            Some(Velocity::Components(components)) => &components[..],
            _ => &[],
        };
        let components =
            components.iter().enumerate().filter_map(|(k, component)| match component {
                Component::Volume(array) => Some((format!("evolve.velocity.{k}"), array)),
                _ => None,
            });
        scalars.chain(components).collect()
    }
}

impl Default for Evolve {
    fn default() -> Self {
        Evolve {
            end_time: None,
            max_steps: None,
            steady: None,
            cfl: None,
            velocity: None,
            normal_speed: None,
            curvature: None,
            weighted_curvature: None,
            inflow: None,
            advection: None,
            normal_motion: NormalMotion::default(),
            one_pass: false,
            clip: false,
            curvature_step: CurvatureStep::default(),
            least_quality: LEAST_QUALITY,
            scheme: None,
            time_scheme: None,
        }
    }
}

/// `[reinitialize]`: when phi is made a distance again, and how far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Reinitialize {
    /// When; default "displacement" on meshes, `{ every = 5 }` on tiles.
    pub rule: Option<Rule>,
    /// Half width of the narrow band; default 5 mean edge lengths of the mesh, on tiles 3 voxels.
    pub half_width: Option<HalfWidth>,
    /// On tiles, how: "equation" (default with weno5) or "direct" (default with first-order).
    pub method: Option<Method>,
    /// On tiles, steps of the reinitialization equation each time, >= 1; default 1.
    #[schemars(range(min = 1))]
    pub iterations: Option<u64>,
    /// On tiles, instead of all this: the speed > 0 (length per time) with which a term beside the
    /// others brings phi back to a distance.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub rescaling: Option<f64>,
}

/// How phi is made a distance on tiles: `method = "direct"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Method {
    /// Steps of the reinitialization equation.
    Equation,
    /// Distances to the interface found anew.
    Direct,
}

/// When phi is made a distance again: `rule = "displacement"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Rule {
    /// When the interface may have moved by half the half width.
    Displacement,
    /// By the step rule of the paper, section 3.4; needs a band.
    Published,
    /// Every so many steps, >= 1: `{ every = 10 }`; in a band also when "displacement" would.
    Every(#[schemars(range(min = 1))] u64),
    /// Never; needs `half_width = "whole"`.
    Never,
}

/// `[distance]`: solves `|grad u| = 1 / speed` once, from seeds or from the zero set of
/// `[initial]`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Distance {
    /// Seeds such as `"vertex:17"`, `"point:1,2,3@0.5"`, `"group:inlet"`, `"curve:line.vtp"`,
    /// `"levelset:x-1"`; empty: the zero set of `[initial]`.
    pub from: Vec<Seed>,
    /// Shape of the front; default circular where that holds.
    pub front: FrontShape,
    /// Negative inside; default true from the zero set of `[initial]`, impossible from seeds.
    pub signed: Option<bool>,
    /// Largest distance of interest, mesh units, > 0; default the whole domain.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub width: Option<f64>,
    /// Speed of the front, mesh units per time, > 0; the result is then a time; default 1.
    pub speed: Option<Speed>,
    /// Moves points that are off the mesh by more than one edge length to the mesh.
    pub snap: bool,
    /// Expression without `t` that is 0 at vertices no front may enter: cells with such a vertex
    /// take no part, vertices without a cell are NaN.
    pub mask: Option<Expression>,
    /// Writes the array `label`: the number of the nearest seed in `from`, counted from 0; -1 where
    /// no front has been.
    pub labels: bool,
    /// Writes the arrays `gradient`, of the points and of the cells; not into `.vtkhdf`.
    pub gradient: bool,
    /// Vertices and points from which paths of descent to the source are written, as
    /// `NAME_paths.vtp`.
    pub paths_from: Vec<Seed>,
}

/// Shape of the front: `front = "auto"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum FrontShape {
    /// Circular where it holds, straight elsewhere (default).
    #[default]
    Auto,
    /// Circles round points: triangles, one speed, points with one start value.
    Circular,
    /// Straight, for every source and speed.
    Plane,
}

/// `[output]`: what is written, where, and how often. The first and the last state always are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Output {
    /// Folder of the run, relative to the case file; default `results/<case name>` in the
    /// current directory. The option `-o` goes first.
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
    /// Writes the interface also to these files, with normals; lines (on triangle meshes) as OBJ
    /// only.
    pub interface_files: Vec<InterfaceFile>,
    /// Writes phi of tiles also as dense volumes `NAME_volume_*.vti`, with their list; an empty table
    /// writes the box of all tiles.
    pub volume: Option<OutputVolume>,
    /// Writes phi also as GIFTI shape files.
    pub gifti: bool,
    /// Writes phi also as FreeSurfer morph files.
    pub freesurfer: bool,
    /// When the run is put away so that `--resume` can go on with it; default every 10 minutes.
    pub checkpoint: Checkpoints,
    /// Draws pictures. An empty table draws the last state with all defaults, as does the option
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
            compression: Compression::Lz4,
            fields: Vec::new(),
            interface: true,
            interface_files: Vec::new(),
            volume: None,
            gifti: false,
            freesurfer: false,
            checkpoint: Checkpoints::default(),
            picture: None,
        }
    }
}

/// The box of dense volumes: `volume = { min = [0, 0, 0], max = [1, 1, 1] }`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct OutputVolume {
    /// Smallest corner; default that of all tiles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<[f64; 3]>,
    /// Largest corner; default that of all tiles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<[f64; 3]>,
}

/// When checkpoints are written: `checkpoint = { every = 1000 }`. Unless never, also when the user
/// interrupts and before an error ends the run. They change no result.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Checkpoints {
    /// Every so many steps, >= 1.
    Every(#[schemars(range(min = 1))] u64),
    /// Every so many minutes, > 0; default 10.
    Minutes(#[schemars(extend("exclusiveMinimum" = 0))] f64),
    /// Not at all: the run cannot be resumed.
    Never,
}

impl Default for Checkpoints {
    fn default() -> Self {
        Checkpoints::Minutes(10.0)
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

/// More files of the interface: `interface_files = ["stl"]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum InterfaceFile {
    /// Triangles with their normals, 32-bit numbers.
    Stl,
    /// Triangles with normals at the vertices, or lines.
    Obj,
    /// Triangles with normals at the vertices.
    Ply,
}

impl InterfaceFile {
    /// Ending of such a file.
    pub fn ending(self) -> &'static str {
        match self {
            InterfaceFile::Stl => "stl",
            InterfaceFile::Obj => "obj",
            InterfaceFile::Ply => "ply",
        }
    }
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
