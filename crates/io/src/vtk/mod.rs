//! Reader of VTK files, legacy `.vtk` and XML `.vtu`, `.vtp` and `.vti`, and writer of the XML
//! files and of VTKHDF series.
//!
//! # Reading
//!
//! [`read`] returns tetrahedra as the cells of the mesh, or triangles if there are no
//! three-dimensional cells. Polygons, quads, pixels and strips are split into triangles. Hexahedra,
//! voxels, wedges, pyramids, prisms and polyhedra are split into tetrahedra, some of them around a
//! new vertex at their center. Higher-order cells are reduced to their corners. Simplices of lower
//! dimension become the groups `vertices`, `lines` and `triangles`. Rows of cell data are copied to
//! the resulting cells. Ghost cells (`vtkGhostType`, `vtkGhostLevels`) are left out.
//!
//! # Writing
//!
//! Arrays are appended raw (`header_type="UInt64"`, little endian), either uncompressed or in
//! compressed blocks, which VTK 9 and ParaView can read. Points and cells do not change within a
//! run. A [`Geometry`] therefore encodes them once, and each time step is a [`VtkOutput`] on it:
//!
//! ```
//! use zeroset_io::vtk::{Compression, Geometry, VtkOutput, write_pvd, write_vtp};
//! # fn main() -> zeroset_core::Result<()> {
//! # let dir = tempfile::tempdir().unwrap();
//! # let folder = dir.path();
//! let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
//! let geometry = Geometry::triangles(&points, &[0, 1, 2], Compression::default());
//! let mut series = Vec::new();
//! for step in 0..3 {
//!     let (time, phi) = (0.1 * step as f64, vec![-1.0, 0.0, step as f64]);
//!     let name = format!("phi_{step:04}.{}", geometry.extension());
//!     let output = VtkOutput::new(&geometry).time(time).point_data("phi", 1, &phi[..]);
//!     write_vtp(&folder.join(&name), &output)?;
//!     series.push((time, name));
//! }
//! write_pvd(&folder.join("phi.pvd"), &series)
//! # }
//! ```
//!
//! Tetrahedra need `.vtu`. Triangles may be written as `.vtu` or `.vtp`. For triangles,
//! [`Geometry::extension`] chooses `.vtp`, which omits the cell types and opens as a surface, for
//! which ParaView has more filters. Lines are always `.vtp`.

mod cell;
mod ghosts;
mod grid;
mod hdf;
mod image;
mod legacy;
mod list;
mod polyhedra;
mod simplices;
mod source;
#[cfg(test)]
mod tests;
mod vtkio_adapter;
mod write;
mod xml;

use super::budget::Budget;
use super::{MeshFile, VolumeFile, groups};
pub use hdf::HdfSeries;
use polyhedra::{POLYHEDRON, expand_streams};
use source::Source;
use xml::XmlFile;
pub use zeroset_core::error::{Flaw, Result};

pub use grid::NO_CELLS;
pub use list::read_pvd;
pub(super) use write::write_vti;
pub use write::{
    Compression, Field, FieldValues, Geometry, VtkOutput, write, write_pvd, write_vtp, write_vtu,
};

/// Reads the mesh of a VTK file. The kind of file is determined from the content.
///
/// # Errors
/// Returns a [`Flaw`] that names the line, byte or element if the content is not a VTK file, is
/// damaged or truncated, or is not a mesh (images, structured grids), if a point is not finite, or
/// if a cell refers to a point that does not exist.
pub fn read(bytes: &[u8]) -> Result<MeshFile, Flaw> {
    read_within(bytes, Budget::of(bytes.len() as u64))
}

/// Reads a mesh like [`read`]. `budget` limits the number of bytes to which its arrays may unpack.
///
/// # Errors
/// Returns the errors of [`read`].
pub(super) fn read_within(bytes: &[u8], budget: Budget) -> Result<MeshFile, Flaw> {
    let source = Source::new(bytes);
    match kind(&source)? {
        FileKind::Legacy => read_legacy(&source).map(with_groups),
        FileKind::Xml => read_xml(&source, budget).map(with_groups),
    }
}

/// Reads an array on a regular grid, legacy `STRUCTURED_POINTS` or `ImageData` in XML. Returns
/// `None` if the data set is not an image.
///
/// # Errors
/// Returns the errors of [`read`], a [`Flaw`] if an image has no array of single numbers, and a
/// [`Flaw`] of the kind `Asked` if it has no array of the name `array`.
pub(super) fn read_volume(
    bytes: &[u8],
    array: Option<&str>,
    budget: Budget,
) -> Result<Option<VolumeFile>, Flaw> {
    let source = Source::new(bytes);
    match kind(&source)? {
        FileKind::Legacy => legacy::read_volume(&source, &legacy::header(&source)?, array),
        FileKind::Xml => XmlFile::open(source, budget)?.read_volume(array),
    }
}

enum FileKind {
    Legacy,
    Xml,
}

fn kind(source: &Source) -> Result<FileKind, Flaw> {
    const MAGIC: &[u8] = b"# vtk DataFile";
    if source.bytes.get(..MAGIC.len()).is_some_and(|start| start.eq_ignore_ascii_case(MAGIC)) {
        return Ok(FileKind::Legacy);
    }
    if source.bytes.starts_with(b"<") {
        return Ok(FileKind::Xml);
    }
    Err(source.fail(
        "line 1",
        match source.bytes.is_empty() {
            true => "the file is empty".to_owned(),
            false => format!(
                "found {}",
                source::shown(source.bytes.split(|&b| b == b'\n').next().unwrap_or_default())
            ),
        },
        "a VTK file begins with '# vtk DataFile Version' or '<VTKFile'",
    ))
}

fn with_groups(mut file: MeshFile) -> MeshFile {
    groups::from_masks(&mut file.mesh);
    file
}

fn read_legacy(source: &Source) -> Result<MeshFile, Flaw> {
    let header = legacy::header(source)?;
    let theirs = if header.major() < 5 { vtkio_adapter::legacy(source.bytes) } else { None };
    let theirs = theirs.and_then(|mut grid| expand_streams(&mut grid).ok().map(|()| grid));
    let grid = match theirs.filter(|grid| grid.check(source).is_ok()) {
        Some(grid) => grid,
        None => legacy::read(source, &header)?,
    };
    Ok(grid.into_mesh_file("vtk", header.version_and_encoding()))
}

fn read_xml(source: &Source, budget: Budget) -> Result<MeshFile, Flaw> {
    let file = XmlFile::open(*source, budget)?;
    file.check_mesh()?;
    let theirs = if file.is_inline_base64() { vtkio_adapter::xml(source.bytes) } else { None };
    // The crate does not return the faces of polyhedra.
    let theirs = theirs.filter(|grid| {
        !grid.types.contains(&POLYHEDRON) && file.is_complete(grid) && grid.check(source).is_ok()
    });
    let grid = match theirs {
        Some(grid) => grid,
        None => {
            let grid = file.read()?;
            grid.check(source)?;
            grid
        }
    };
    Ok(grid.into_mesh_file(file.format(), file.version()))
}
