//! Files in and out, one file or folder per format.
//!
//! [`read_mesh`] finds the format by content first, by extension second, and never trusts a
//! count it has not checked against the bytes present. [`write_mesh`] goes by the name of the file.

pub mod atomic;
pub(crate) mod bytes;
mod curves;
mod faces;
pub mod freesurfer;
pub mod gifti;
mod groups;
mod guard;
mod load;
mod msh;
mod obj;
mod off;
mod parts;
mod ply;
mod sniff;
mod stl;
mod text;
pub mod vtk;
mod write;

use std::collections::BTreeMap;
use std::path::Path;

use crate::error::{Error, Result};
use crate::mesh::{DataArray, Mesh};
pub use curves::{Curve, Curves, read_curves};
use sniff::Format;
pub(crate) use write::meant;
pub use write::{WriteOptions, check_target, write_mesh};

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

/// Reads a mesh from a file of any supported format, compressed with gzip or not.
///
/// The format is found by content first, by extension second. A file of points only gives a mesh
/// without cells.
///
/// # Errors
/// [`Error::Input`] naming file, position, what was found and what to do: unknown format, damaged
/// or cut file, coordinates that are not finite, indices out of range.
pub fn read_mesh(path: &Path) -> Result<MeshFile> {
    let bytes = load::load(path)?;
    let (format, warning) = sniff::format(path, &bytes)?;
    let mut file = read_as(format, path, &bytes)?;
    file.warnings.extend(warning);
    Ok(file)
}

fn read_as(format: Format, path: &Path, bytes: &[u8]) -> Result<MeshFile> {
    let text = text::without_mark(bytes);
    match format {
        Format::Msh => msh::read(path, text),
        Format::Vtk => vtk::read(path, text),
        Format::Ply => ply::read(path, text),
        Format::Obj => obj::read(path, text),
        Format::Off => off::read(path, text),
        Format::Stl => stl::read(path, text),
        Format::Gifti => gifti::read(path, text),
        Format::FreeSurfer => freesurfer::read(path, bytes),
        Format::Morph => {
            let what = "holds numbers per vertex, no mesh";
            Err(Error::input(path, "", what, "give it as data of a mesh"))
        }
    }
}

/// Reads arrays with one row per vertex: GIFTI shape and functional files, FreeSurfer `curv`,
/// `sulc`, `thickness` and the like, or the vertex arrays of a mesh file.
///
/// # Errors
/// As for [`read_mesh`], and for a file without such arrays.
pub fn read_data(path: &Path) -> Result<Vec<DataArray>> {
    let bytes = load::load(path)?;
    let arrays = match sniff::format(path, &bytes)?.0 {
        Format::Gifti => gifti::read_data(path, text::without_mark(&bytes))?,
        Format::Morph => freesurfer::read_morph(path, &bytes)?,
        format => read_as(format, path, &bytes)?.mesh.vertex_data,
    };
    if arrays.is_empty() {
        let what = "holds no numbers per vertex";
        return Err(Error::input(path, "", what, "name a file of vertex data"));
    }
    Ok(arrays)
}
