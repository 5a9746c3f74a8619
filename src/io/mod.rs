//! Files in and out, one file or folder per format.
//!
//! [`read_mesh`] finds the format by content first, by extension second, and never trusts a
//! count it has not checked against the bytes present.

pub mod atomic;
mod guard;
pub mod vtk;

use std::collections::BTreeMap;
use std::path::Path;

use crate::error::Result;
use crate::mesh::{DataArray, Mesh};

/// A mesh as its file stores it: polygons fan-split, STL corners merged, nothing dropped.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MeshFile {
    /// The mesh; without cells if the file holds points only.
    pub mesh: Mesh,
    /// Short name of the format: "msh", "vtk", "vtu", "vtp", "ply", "obj", "off", "stl", "gifti",
    /// "freesurfer".
    pub format: &'static str,
    /// Version and encoding as the file states them, such as "4.1 binary".
    pub version: String,
    /// Unit of length, if the file or its format states one ("mm" for cortex formats).
    pub units: Option<String>,
    /// Cells as stored, by type name: "triangle", "quad", "polygon", "tetra", "tetra10", "line", ...
    pub cells_by_type: BTreeMap<String, usize>,
    /// What was given up or changed in reading, one sentence each.
    pub warnings: Vec<String>,
}
