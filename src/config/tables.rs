//! The tables of a case file as structs with their defaults.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::conduction::Direction;
use super::mesh_source::MeshSource;
use super::reconstruct::CloudSource;
use super::seed::Seed;
use super::tiled::TiledSource;
use super::values::{Coefficient, Component, HalfWidth, Speed, Velocity};
use super::volume_array::VolumeArray;
use crate::expression::Expression;
use crate::levelset::eikonal::Fit;
use crate::levelset::evolution::{Advection, CurvatureStep, NormalMotion};
use crate::levelset::tiled::{Scheme, Time};
use crate::levelset::volume::VolumeCorrection;

/// Scalar type of states and solvers: `precision = "f64"`. Geometry and files always use f64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Precision {
    /// 64-bit floating point.
    F64,
    /// 32-bit floating point, which halves the memory.
    F32,
}

/// `[device]`: the device that computes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Device {
    /// Kind of device. The option `--device` overrides it.
    #[serde(rename = "use")]
    pub kind: DeviceKind,
    /// Index of the GPU, counted from 0, as listed by `zeroset devices`. Default 0.
    pub ordinal: u32,
    /// Number of CPU threads, at most 256. 0 (default) uses all cores. The option `--threads`
    /// overrides it.
    #[schemars(range(max = 256))]
    pub threads: usize,
    /// On a GPU, makes results bitwise identical in every run (default). If false, a faster order
    /// of operations is used, and results differ by rounding from run to run. CPU results are
    /// always bitwise identical.
    pub reproducible: bool,
}

impl Device {
    /// Returns the CPU with all its cores.
    ///
    /// ```
    /// use zeroset::config::Device;
    /// let volume = vec![true, false, false];
    /// let on_two_threads = Device::cpu().threads(2);
    /// let found = zeroset::edt(&volume, [3, 1, 1], &Default::default(), &on_two_threads)?;
    /// assert_eq!((found.values, found.backend), (vec![0.0, 1.0, 2.0], "cpu"));
    /// # Ok::<(), zeroset::Error>(())
    /// ```
    pub fn cpu() -> Self {
        Device { kind: DeviceKind::Cpu, ..Device::default() }
    }

    /// Returns the GPU with the index `ordinal`, counted from 0. A call fails if it is missing.
    pub fn gpu(ordinal: u32) -> Self {
        Device { kind: DeviceKind::Cuda, ordinal, ..Device::default() }
    }

    /// Sets the number of CPU threads, at most [`MOST_THREADS`](super::MOST_THREADS). 0 uses all
    /// cores.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Sets whether results on a GPU are bitwise identical in every run.
    pub fn reproducible(mut self, reproducible: bool) -> Self {
        self.reproducible = reproducible;
        self
    }
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
    /// A GPU if one can be used and the case is large enough: a mesh of at least 20,000 vertices,
    /// tiles with at least 100,000 voxels, or at least 100,000 samples. Otherwise, the CPU
    /// (default). The report states the choice and the reason.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// An NVIDIA GPU. If there is none, the program ends with exit code 5.
    Cuda,
}

/// `[domain]`: the domain of the level set. It has exactly one of these entries.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Domain {
    /// A triangle or tetrahedral mesh.
    Mesh(MeshSource),
    /// Sparse tiles of a regular grid, which follow the interface through space.
    Tiled(TiledSource),
    /// Samples of a surface, for the task reconstruct.
    Cloud(CloudSource),
}

/// `[evolve]`: moves the interface by `phi_t + a . grad phi + eps |grad phi| = beta kappa |grad
/// phi|`.
///
/// The run ends at the first of `end_time`, `max_steps` and `steady`, or when the interface has
/// vanished and no inflow can bring in another one.
///
/// Lengths and phi are in mesh units, and times in the unit of time of the case.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Evolve {
    /// Time at which the run begins. Default: the time of the file from which `[initial]` comes
    /// (`TimeValue`, or the time in its series), otherwise 0.
    pub start_time: Option<f64>,
    /// Final time, > 0 and later than `start_time`. The last step ends exactly there. Default: no
    /// limit.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub end_time: Option<f64>,
    /// Maximum number of time steps. Default: no limit. With 0, the run only computes and writes
    /// the initial state.
    pub max_steps: Option<u64>,
    /// Ends the run when `max |d phi / dt|` near the interface is at most this value (mesh units
    /// per time), > 0. Default: a steady state does not end the run.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub steady: Option<f64>,
    /// CFL factor, without a unit, > 0. On meshes, it is C: at most 2, default 1. With
    /// `curvature_step = "implicit"` or `"extrapolated"`, C may be up to 100, but the first-order
    /// terms use at most 2. On tiles, it is nu: at most 0.9, default 0.5.
    #[schemars(extend("exclusiveMinimum" = 0), range(max = 100))]
    pub cfl: Option<f64>,
    /// Longest step if a coefficient depends on time, > 0. If the change in a coefficient cannot be
    /// derived from its expression, the coefficient is sampled at least once in this time. Default:
    /// the output interval, or else a hundredth of the time from the start of the run to
    /// `end_time`.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub max_step: Option<f64>,
    /// Velocity a, in mesh units per time. Default none. An array has three components, or on
    /// planar meshes two, per vertex or per cell.
    pub velocity: Option<Velocity>,
    /// Normal speed eps, in mesh units per time. The inside grows if it is > 0. Default 0.
    pub normal_speed: Option<Coefficient>,
    /// Curvature coefficient beta >= 0, in mesh units^2 per time, which shortens the interface.
    /// Default 0.
    #[schemars(extend("minimum" = 0))]
    pub curvature: Option<Coefficient>,
    /// Weight w >= 0, in mesh units^2 per time, of the weighted curvature flow `|grad phi| div(w
    /// grad phi / |grad phi|)`, which reduces the weighted length or area of the interface and
    /// pulls it to places where w is small. Default 0. Conflicts with `curvature`.
    #[schemars(extend("minimum" = 0))]
    pub weighted_curvature: Option<Coefficient>,
    /// Value of phi at the boundary vertices where the velocity points into the mesh, in mesh
    /// units. Default: advection does not change phi there.
    pub inflow: Option<Coefficient>,
    /// Expression without `t` that is 0 or has no value in the parts of a mesh to exclude, like
    /// `distance.mask`. Excluded cells do not take part, and phi is NaN at vertices without a cell.
    pub mask: Option<Expression>,
    /// Advection scheme: "taylor-galerkin" (default, order 2), "positive-coefficient" (order 1, the
    /// default with `one_pass`), "cone" (order 1, strictly monotone) or "characteristic-map" (for
    /// motion by `velocity` alone on planar meshes, on the CPU: without a band and without
    /// reinitialization, and far more accurate for thin shapes).
    pub advection: Option<Advection>,
    /// Scheme of the normal motion: "positive-coefficient" (default) or "hopf-lax" (strictly
    /// monotone, with larger errors).
    pub normal_motion: NormalMotion,
    /// Combines advection and normal motion in one pass of the positive-coefficient scheme.
    pub one_pass: bool,
    /// Limits the first-order part of each step to the range of values around a vertex, which
    /// prevents overshoots on rough data.
    pub clip: bool,
    /// Time step of the curvature term: "auto" (default), "explicit", "implicit" or "extrapolated".
    /// "auto" is explicit unless the smallest cell would make steps more than 50 times shorter than
    /// a typical cell would.
    pub curvature_step: CurvatureStep,
    /// Cell quality (inradius over longest edge, 1 for a regular cell), 0 to 1. Vertices of cells
    /// below this quality use the positive-coefficient scheme instead of the Taylor-Galerkin step,
    /// in addition to vertices where this step would be unstable. Default 0.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub least_quality: Option<f64>,
    /// Correction of the volume of the inside after each reinitialization: "none" (default);
    /// "local", which undoes the changes by reinitializations where they arise; or "global", which
    /// shifts phi so that each component has its initial volume plus the divergence of the velocity
    /// minus the flux through the boundary, for motion by `velocity` alone.
    pub volume_correction: VolumeCorrection,
    /// Spatial scheme on tiles: "weno5" (default) or "first-order".
    pub scheme: Option<Scheme>,
    /// Time scheme on tiles: "rk3" (default with weno5) or "euler" (default with first-order).
    pub time_scheme: Option<Time>,
}

impl Evolve {
    /// Returns the advection scheme, or the default that fits the other keys.
    pub fn advection(&self) -> Advection {
        self.advection.unwrap_or(match self.one_pass {
            true => Advection::PositiveCoefficient,
            false => Advection::default(),
        })
    }

    /// Returns the coefficients that are values of volumes, with their keys.
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
                Component::Volume(array) => Some((format!("evolve.velocity.{k}"), &**array)),
                _ => None,
            });
        scalars.chain(components).collect()
    }
}

/// `[reinitialize]`: the narrow band, and when phi is reinitialized to the signed distance.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Reinitialize {
    /// When to reinitialize. Default "displacement" on meshes, or "never" with
    /// `evolve.advection = "characteristic-map"`; on tiles `{ every = 20 }` with weno5 and only a
    /// velocity, and otherwise `{ every = 5 }`.
    pub rule: Option<Rule>,
    /// Half width of the narrow band. Default 5 mean edge lengths on meshes, "whole" with a
    /// characteristic map, 3 voxels on tiles.
    pub half_width: Option<HalfWidth>,
    /// How distances from the interface are computed on meshes: "plane" (default), or "quadratic",
    /// which is of second order.
    pub fit: Option<Fit>,
    /// Reinitialization method on tiles: "equation" (default with weno5) or "direct" (default with
    /// first-order).
    pub method: Option<Method>,
    /// Steps of the reinitialization equation per reinitialization, on tiles, >= 1. Default 1.
    #[schemars(range(min = 1))]
    pub iterations: Option<u64>,
    /// Replaces reinitialization on tiles with an additional term that continuously restores the
    /// signed distance. The value is its speed, > 0, in mesh units per time. Default: no such term.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub rescaling: Option<f64>,
}

/// Reinitialization method on tiles: `method = "direct"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Method {
    /// Steps of the reinitialization equation.
    Equation,
    /// Direct computation of the distances to the interface.
    Direct,
}

/// When to reinitialize phi: `rule = "displacement"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Rule {
    /// When the interface may have moved by half of the half width. On meshes only.
    Displacement,
    /// By the step rule of Fu et al., section 3.4. On meshes with a narrow band only.
    Published,
    /// After this number of steps, >= 1: `{ every = 10 }`. On meshes with a narrow band, also when
    /// "displacement" would reinitialize.
    Every(#[schemars(range(min = 1))] u64),
    /// Never. On meshes, this needs `half_width = "whole"`.
    Never,
}

/// `[distance]`: solves `|grad u| = 1 / speed` once, from seeds or from the zero set of
/// `[initial]`.
///
/// The result is a distance in mesh units. With `speed`, it is an arrival time in the unit of time
/// of the case.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Distance {
    /// Seeds such as `"vertex:17"`, `"point:1,2,3@0.5"`, `"group:inlet"`, `"curve:line.vtp"`,
    /// `"levelset:x-1"` or `"surface:heart"`. The number after `@` has the unit of the result.
    /// Without seeds, here or in `stimuli`, the distance starts at the zero set of `[initial]`.
    pub from: Vec<Seed>,
    /// File of stimuli, `.toml`, `.csv` or `.vtx`, with places, start times and durations. They are
    /// further seeds after those in `from`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stimuli: Option<String>,
    /// Shape of the front. By default, circular where possible.
    pub front: FrontShape,
    /// Makes the distance negative inside. Default: true for the zero set of `[initial]`, false for
    /// seeds. The only seed with an inside is a single `surface:REGION`.
    pub signed: Option<bool>,
    /// Largest distance to compute, > 0, in the unit of the result: mesh units, or with `speed` the
    /// latest arrival time. Default: the whole domain.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub width: Option<f64>,
    /// Speed of the front, in mesh units per time, > 0. The result is then an arrival time. Default
    /// 1, which gives distances.
    pub speed: Option<Speed>,
    /// Direction of the fibers, of any length; cells where it is 0 have the speed `across` in all
    /// directions. On surfaces, it is projected to the surface. Only with `along` and `across` in
    /// `speed`. Default: the cell array `fiber`.
    pub fiber: Option<Direction>,
    /// Direction in the sheets, of any length; only its part perpendicular to `fiber` counts. Only
    /// with `sheet` in `speed`. Default: the cell array `sheet`.
    pub sheet: Option<Direction>,
    /// Moves points to the mesh even if they are more than one edge length away.
    pub snap: bool,
    /// Expression without `t` that is 0 or has no value at vertices that no front may enter. Cells
    /// with such a vertex are excluded, and vertices without a cell are set to NaN. With a cell
    /// array or a group of cells, it is evaluated in the cells.
    pub mask: Option<Expression>,
    /// Writes the array `label`: the index of the nearest seed, counted from 0 through `from` and
    /// then `stimuli`, or -1 where no front arrives.
    pub labels: bool,
    /// Writes the arrays `gradient` at points and cells, with three components in the unit of the
    /// result per mesh unit. Not available for `.vtkhdf`.
    pub gradient: bool,
    /// Writes the cell array `velocity`: the velocity of the front, normal to it, in mesh units per
    /// unit of the result; NaN in cells that the front does not cross. Not available for `.vtkhdf`.
    pub velocity: bool,
    /// Step between isochrones, > 0, in the unit of the result. They are written as
    /// `NAME_isochrones.vtp`: lines on triangles, and surfaces in tetrahedra, at the multiples of
    /// the step between the first and the last arrival.
    #[schemars(extend("exclusiveMinimum" = 0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub isochrones: Option<f64>,
    /// Cell array with the numbers of regions, which are integers. The report states the first and
    /// the last arrival in each region.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regions: Option<String>,
    /// Vertices and points from which paths of descent to the source are written, as
    /// `NAME_paths.vtp`.
    pub paths_from: Vec<Seed>,
}

impl Distance {
    /// Returns whether the distance starts at seeds, rather than at the zero set of `[initial]`.
    pub(super) fn has_seeds(&self) -> bool {
        !self.from.is_empty() || self.stimuli.is_some()
    }
}

/// Shape of the front: `front = "auto"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum FrontShape {
    /// Circular where possible, straight elsewhere (default).
    #[default]
    Auto,
    /// Circular fronts around vertices and points. Requires equal initial values and one speed, on
    /// triangles.
    Circular,
    /// Straight, for every source and speed.
    Plane,
    /// Exact distances on the triangles, for every source. Requires triangles, one speed, and
    /// `precision = "f64"`. Computed on the CPU.
    Exact,
}
