//! VTK files: legacy `.vtk`, `.vtu`, `.vtp`.

use std::path::Path;

use super::MeshFile;
use crate::error::{Error, Result};

/// Reads a VTK file of any kind.
///
/// # Errors
/// [`Error::Input`]: this build has no VTK reader.
pub fn read(path: &Path, _bytes: &[u8]) -> Result<MeshFile> {
    Err(Error::input(path, "", "VTK files cannot be read yet", "convert the mesh to PLY"))
}
