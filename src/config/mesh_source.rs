//! The table `[domain.mesh]`: a mesh file or a generator, and the repair of a file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::io::{Frame, Moment};
use crate::mesh::generate::Generate;
use crate::mesh::repair::Weld;
use crate::patches::{PATCH_SIZE, Partition};

/// `[domain.mesh]`: a mesh, either read from `path` or made by `generate`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeshSource {
    /// Mesh file, relative to the case file. `${NAME}` stands for an environment variable.
    #[schemars(example = "mesh.vtu")]
    pub path: Option<String>,
    /// State of a series (`.pvd`, `.vtkhdf`): its time, or "last" (default).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<Moment>,
    /// Mesh generator and its options.
    pub generate: Option<Generate>,
    /// Number of midpoint refinements of the mesh, 0 (default) to 8.
    #[serde(default)]
    #[schemars(range(max = 8))]
    pub refine: u32,
    /// Maximum number of vertices per patch, 8 to 4096. Default 64.
    #[serde(default = "patch_size")]
    #[schemars(range(min = 8, max = 4096))]
    pub patch_size: usize,
    /// Partition of the mesh into patches. Default "blocks" for a regular grid made by `generate`,
    /// otherwise "bisection".
    pub partition: Option<Partition>,
    /// Additional vertex arrays and groups of vertices from other files, in the vertex order of the
    /// mesh file. `refine` interpolates the arrays. Default: none.
    #[serde(default)]
    pub data: Vec<DataFile>,
    /// Which coincident vertices of a mesh file are joined. Default "auto".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weld: Option<Weld>,
    /// Treatment of degenerate cells of a mesh file. Default "auto".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repair: Option<MeshRepair>,
    /// Whether cells that cannot be cut into triangles or tetrahedra are left out. Default false:
    /// such a cell is an error.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub skip_unsupported: bool,
    /// Frame of the coordinates of a cortical surface. Default: as stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame: Option<Frame>,
}

/// Treatment of degenerate cells of a mesh file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MeshRepair {
    /// A vertex inside the longest edge or face of a degenerate cell splits the neighbors of the
    /// cell, and the two coincident vertices of a needle become one. In `[evolve]`, this includes
    /// cells that are so thin that they alone would determine the time step. Cells are split at
    /// hanging nodes.
    Auto,
    /// Cells without area or volume are left out. All others stay as they are.
    Never,
}

fn patch_size() -> usize {
    PATCH_SIZE
}

/// An entry of `domain.mesh.data`: a file with values per vertex.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DataFile {
    /// Data file, relative to the case file. `${NAME}` stands for an environment variable. The rows
    /// of a text or `.npy` file belong to cells if there are as many rows as cells.
    #[schemars(example = "values.shape.gii")]
    pub path: String,
    /// Array name. If the file has one array, this is its new name in the case. If it has several,
    /// this selects one of them. If the file is a label or a list of vertices, this also names its
    /// group. Default: all arrays and groups under their own names.
    pub name: Option<String>,
    /// State of a series (`.pvd`, `.vtkhdf`): its time, or "last" (default).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<Moment>,
}
