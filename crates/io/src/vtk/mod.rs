//! Reader and writer of VTK files: legacy `.vtk` (read only), XML `.vtu`, `.vtp` and `.vti`,
//! VTKHDF, and lists of states (`.pvd`).
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
mod hdf_read;
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

use std::path::PathBuf;

use super::budget::Budget;
use super::load::{self, Loaded};
use super::moment::{Moment, StateTime};
use super::{MeshFile, VolumeFile, VolumeOptions, groups};
use grid::Grid;
pub use hdf::HdfSeries;
pub(super) use hdf_read::HdfFile;
use polyhedra::{POLYHEDRON, expand_streams};
use source::Source;
use xml::XmlFile;
pub use zeroset_core::error::{Flaw, Result};

pub use grid::NO_CELLS;
pub use list::read_pvd;
pub(super) use list::{ListedState, is_list, states};
pub(super) use write::write_vti;
pub use write::{
    Compression, Field, FieldValues, Geometry, VtkOutput, write, write_pvd, write_vtp, write_vtu,
};

/// Reads the mesh of a VTK file. The kind of file is determined from the content. For a VTKHDF
/// series, this is the mesh of the last state.
///
/// # Errors
/// Returns a [`Flaw`] that names the line, byte or element if the content is not a VTK file, is
/// damaged or truncated, or is not a mesh (images, structured grids), if a point is not finite, or
/// if a cell refers to a point that does not exist.
pub fn read(bytes: &[u8]) -> Result<MeshFile, Flaw> {
    read_within(bytes, Budget::of(bytes.len() as u64))
}

/// Reads a mesh like [`read`]. `budget` limits the unpacked size of its arrays.
///
/// # Errors
/// Returns the errors of [`read`].
pub(super) fn read_within(bytes: &[u8], budget: Budget) -> Result<MeshFile, Flaw> {
    let source = Source::new(bytes);
    match kind(&source)? {
        FileKind::Legacy => read_legacy(&source).map(with_groups),
        FileKind::Xml => read_xml(&source, budget).map(with_groups),
        FileKind::Hdf => {
            let file = HdfFile::open(bytes.to_vec(), budget)?;
            let last = Moment::Last.pick(file.times().unwrap_or_default())?;
            file.mesh(last)
        }
    }
}

/// Returns true if the bytes are an HDF5 file.
pub(super) fn is_hdf(bytes: &[u8]) -> bool {
    bytes.starts_with(hdf_read::MAGIC)
}

/// Reads the meshes of several files as the parts of one mesh.
///
/// # Errors
/// Returns the errors of [`read`], each with the file in which it occurs.
pub(super) fn read_parts(paths: &[PathBuf]) -> Result<MeshFile, Flaw> {
    let mut joined: Option<Grid> = None;
    let mut state = StateTime::default();
    for path in paths {
        let named = |flaw: Flaw| flaw.of_file(path);
        let Loaded { bytes, budget } = load::load(path).map_err(named)?;
        let (grid, of_part) = part(&bytes, budget).map_err(named)?;
        state.time = state.time.or(of_part.time);
        state.units = state.units.or(&of_part.units);
        match &mut joined {
            Some(joined) => joined.append(grid),
            None => joined = Some(grid),
        }
    }
    let grid = joined.unwrap_or_default();
    grid.check(&Source { bytes: &[] })?;
    let mut file = with_groups(grid.into_mesh_file("pvd", format!("{} parts", paths.len())));
    file.set_state(state);
    Ok(file)
}

/// Returns the grid of a file that is one of several parts, with its time and its units.
fn part(bytes: &[u8], budget: Budget) -> Result<(Grid, StateTime), Flaw> {
    let source = Source::new(bytes);
    let (grid, state) = match kind(&source)? {
        FileKind::Legacy => {
            (legacy::read(&source, &legacy::header(&source)?)?, StateTime::default())
        }
        FileKind::Xml => {
            let file = XmlFile::open(source, budget)?;
            file.check_mesh()?;
            let mut grid = file.read()?;
            let state = file.state(&mut grid.warnings);
            (grid, state)
        }
        FileKind::Hdf => {
            let what = "a VTKHDF file cannot be a part of a state in a list";
            return Err(Flaw::whole(what, "save it as .vtu or .vtp"));
        }
    };
    grid.check(&source)?;
    Ok((grid, state))
}

/// Reads an array of an image: `STRUCTURED_POINTS` in a legacy file, or `ImageData` in an XML or
/// VTKHDF file. For a VTKHDF series, this is an array of the last state. Returns `None` if the data
/// set is not an image.
///
/// # Errors
/// Returns the errors of [`read`], a [`Flaw`] if the options choose none of several components, and
/// a [`Flaw`] of kind `Asked` if the image does not have the requested array or component.
pub(super) fn read_volume(
    bytes: &[u8],
    options: &VolumeOptions,
    budget: Budget,
) -> Result<Option<VolumeFile>, Flaw> {
    let source = Source::new(bytes);
    match kind(&source)? {
        FileKind::Legacy => legacy::read_volume(&source, &legacy::header(&source)?, options),
        FileKind::Xml => XmlFile::open(source, budget)?.read_volume(options),
        FileKind::Hdf => {
            let file = HdfFile::open(bytes.to_vec(), budget)?;
            file.volume(Moment::Last.pick(file.times().unwrap_or_default())?, options)
        }
    }
}

enum FileKind {
    Legacy,
    Xml,
    Hdf,
}

fn kind(source: &Source) -> Result<FileKind, Flaw> {
    const MAGIC: &[u8] = b"# vtk DataFile";
    if source.bytes.get(..MAGIC.len()).is_some_and(|start| start.eq_ignore_ascii_case(MAGIC)) {
        return Ok(FileKind::Legacy);
    }
    if is_hdf(source.bytes) {
        return Ok(FileKind::Hdf);
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
    let mut mesh = grid.into_mesh_file(file.format(), file.version());
    let state = file.state(&mut mesh.warnings);
    mesh.set_state(state);
    Ok(mesh)
}
