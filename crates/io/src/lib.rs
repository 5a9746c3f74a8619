//! Files in and out, one file or folder per format.
//!
//! [`read_mesh`] and [`read_volume`] find the format by content first, by extension second, and never trust a
//! count they have not checked against the bytes present; [`read`] takes either. [`write_mesh`] and
//! [`write_volume`] go by the name of the file.
//!
//! The reader of a format knows bytes, and returns a [`Flaw`]: where something is wrong, what, what to do, and the error
//! of another crate or of the system that led to it. The functions that open a file name it, so that each error is
//! an [`Error::Input`](zeroset_core::Error::Input) with the file and the flaw.
//!
//! It stands on `zeroset-core` alone: files are read without a GPU. The compiler keeps it so:
//!
//! ```compile_fail,E0432
//! use zeroset_gpu::Cuda; // another layer
//! ```

pub mod bytes;
mod carp;
mod cloud;
mod columns;
mod curves;
mod elements;
mod faces;
pub mod freesurfer;
pub mod gifti;
mod groups;
mod guard;
mod load;
mod matrix;
mod medit;
mod msh;
mod named_groups;
mod obj;
mod octree_leaves;
mod off;
mod ply;
mod points;
mod scalar;
mod sniff;
mod stl;
#[cfg(test)]
mod tests;
mod tetgen;
mod text;
mod unique_names;
mod unpack;
mod volume;
pub mod vtk;
mod write;

use std::collections::BTreeMap;
pub use std::path::Path;

pub use cloud::{
    CloudLayout, CloudReport, NormalsFrom, check_cloud_target, read_cloud, write_cloud,
    write_cloud_pieces,
};
pub use columns::points_of_array;
pub use curves::{Curve, Curves, read_curves};
pub use matrix::{check_matrix_target, write_matrix};
pub use octree_leaves::{check_leaves_target, write_leaves};
pub use points::{check_points_target, points_text, write_points};
pub use sniff::Format;
pub use sniff::instead_of_a_case;
pub use volume::{
    RawLayout, VolumeFile, VolumeOptions, check_volume_target, is_volume_target, read_volume,
    write_volume,
};
pub use write::meant;
pub use write::{WriteOptions, check_target, write_mesh};
pub use zeroset_core::atomic;
use zeroset_core::cloud::PointCloud;
use zeroset_core::error::{Flaw, FlawKind, Result, plain};
use zeroset_core::mesh::{DataArray, Group, Mesh, Values};

/// A mesh as its file stores it: polygons fan-split, STL corners merged, nothing dropped.
#[derive(Clone, Debug)]
pub struct MeshFile {
    /// The mesh; without cells if the file holds points only.
    pub mesh: Mesh,
    /// Short name of the format: "msh", "vtk", "vtu", "vtp", "ply", "obj", "off", "stl", "gifti",
    /// "freesurfer", "medit", "tetgen", "carp", "text", "npy", "pcd", "las", "laz", "e57".
    pub format: &'static str,
    /// Version and encoding as the file states them, such as "4.1 binary".
    pub version: String,
    /// Unit of length, if the file or its format states one ("mm" for cortex formats).
    pub units: Option<String>,
    /// Coordinate system, if the file names one: "NIFTI_XFORM_TALAIRACH" and the like.
    pub space: Option<String>,
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
/// [`Error::Input`](zeroset_core::Error::Input) naming file, position, what was found and what to do: unknown format, damaged
/// or cut file, coordinates that are not finite, indices out of range.
pub fn read_mesh(path: &Path) -> Result<MeshFile> {
    mesh(path).map_err(|flaw| flaw.in_file(path))
}

fn mesh(path: &Path) -> Result<MeshFile, Flaw> {
    let bytes = load::load(path)?;
    let (format, warning) = sniff::format(path, &bytes)?;
    let mut file = read_as(format, path, &bytes)?;
    file.warnings.extend(warning);
    // They quote the file.
    file.warnings = file.warnings.into_iter().map(plain).collect();
    Ok(file)
}

/// Reads a mesh in a known format. Formats of several files need the path of this one.
fn read_as(format: Format, path: &Path, bytes: &[u8]) -> Result<MeshFile, Flaw> {
    let text = text::without_mark(bytes);
    match format {
        Format::Msh => msh::read(&text::with_line_feeds(text)),
        // Arrays in XML may be binary, and XML has no lines.
        Format::Vtk if text.starts_with(b"#") => vtk::read(&text::with_line_feeds(text)),
        Format::Vtk => vtk::read(text),
        Format::Ply => ply::read(text),
        Format::Obj => obj::read(&text::with_line_feeds(text)),
        Format::Off => off::read(text),
        Format::Stl => stl::read(text),
        Format::Gifti => gifti::read(path, text),
        Format::FreeSurfer => freesurfer::read(text),
        Format::Medit => medit::read(path, text),
        Format::TetGen => tetgen::read(path, bytes, &sniff::extension(path)),
        Format::Carp => carp::read(path, bytes, &sniff::extension(path)),
        Format::Xyz => columns::read_points(text),
        Format::Pcd | Format::Las | Format::E57 => cloud::read_as_mesh(format, path, bytes),
        Format::Columns => {
            columns::read_data(path, text)?;
            let remedy = "give it as data of a mesh, or name it .xyz if these are points";
            unfit("holds numbers per vertex, no mesh", remedy)
        }
        Format::Morph | Format::Solution => {
            unfit("holds numbers per vertex, no mesh", "give it as data of a mesh")
        }
        Format::Label => {
            let what = "holds a label, some vertices of a surface, no mesh";
            unfit(what, "give it as data of the surface")
        }
        other => {
            let what = format!("is {}, no mesh", other.volume().unwrap_or("a volume"));
            let remedy = "`zeroset info` tells what is in it, and `zeroset convert` writes it as \
                          another volume; a mesh is needed here";
            unfit(what, remedy)
        }
    }
}

/// The flaw of a sound file that holds something else than what is asked for.
fn unfit<T>(what: impl Into<String>, remedy: &str) -> Result<T, Flaw> {
    Err(Flaw::whole(what, remedy).kind_of(FlawKind::Unfit))
}

/// What a file holds.
#[derive(Clone, Debug)]
pub enum Content {
    /// A mesh.
    Mesh(MeshFile),
    /// A volume or a picture.
    Volume(VolumeFile),
    /// Numbers at the vertices of a mesh in another file.
    Data(VertexData),
}

/// Reads whatever a file holds.
///
/// # Errors
/// Those of [`read_mesh`], [`read_volume`] or [`read_data`].
pub fn read(path: &Path, options: &VolumeOptions) -> Result<Content> {
    if options.raw.is_some() {
        return read_volume(path, options).map(Content::Volume);
    }
    let content = load::load(path).and_then(|bytes| content(path, &bytes, options));
    content.map_err(|flaw| flaw.in_file(path))
}

/// As [`read`]; where the file holds points without cells, or nothing that [`read`] takes, also its cloud, if it holds one that
/// [`read_cloud`] takes. A pipe is read once for both.
///
/// # Errors
/// Those of [`read`], beside a cloud that there is all the same: one may hold points that no mesh may.
pub fn read_with_cloud(
    path: &Path,
    options: &VolumeOptions,
) -> (Result<Content>, Option<(PointCloud, CloudReport)>) {
    if options.raw.is_some() {
        return (read(path, options), None);
    }
    let bytes = match load::load(path) {
        Ok(bytes) => bytes,
        Err(flaw) => return (Err(flaw.in_file(path)), None),
    };
    let content = content(path, &bytes, options);
    let may_be_cloud = match &content {
        Ok(Content::Mesh(file)) => file.mesh.n_cells() == 0 && file.mesh.groups.is_empty(),
        Ok(_) => false,
        Err(flaw) => !matches!(flaw.kind(), FlawKind::NoMemory | FlawKind::Asked),
    };
    let cloud = may_be_cloud.then(|| cloud::read_cloud_of(path, &bytes).ok()).flatten();
    (content.map_err(|flaw| flaw.in_file(path)), cloud)
}

fn content(path: &Path, bytes: &[u8], options: &VolumeOptions) -> Result<Content, Flaw> {
    let (format, warning) = sniff::format(path, bytes)?;
    if let Some(mut file) = volume::read_as(format, path, bytes, options)? {
        file.warnings.extend(warning);
        return Ok(Content::Volume(file));
    }
    let no_mesh = match read_as(format, path, bytes) {
        Ok(mut file) => {
            file.warnings.extend(warning);
            return Ok(Content::Mesh(file));
        }
        Err(flaw) => flaw,
    };
    let names_a_place = |flaw: &Flaw| !flaw.position().is_whole();
    match data_as(format, path, bytes) {
        Ok(data) => Ok(Content::Data(data)),
        // Of a file of numbers, what is wrong with the numbers is wanted.
        Err(no_data) if names_a_place(&no_data) && !names_a_place(&no_mesh) => Err(no_data),
        Err(_) => Err(no_mesh),
    }
}

/// Reads arrays with one row per vertex: GIFTI shape and functional files, FreeSurfer `curv`,
/// `sulc`, `thickness` and the like, MEDIT's `.sol`, plain text columns, or the vertex arrays of a
/// mesh file. A FreeSurfer label has rows for some vertices, which become a group.
///
/// # Errors
/// As for [`read_mesh`], and for a file without such arrays.
pub fn read_data(path: &Path) -> Result<VertexData> {
    let data =
        load::load(path).and_then(|bytes| data_as(sniff::format(path, &bytes)?.0, path, &bytes));
    data.map_err(|flaw| flaw.in_file(path))
}

fn data_as(format: Format, path: &Path, bytes: &[u8]) -> Result<VertexData, Flaw> {
    let text = text::without_mark(bytes);
    let arrays = match format {
        Format::Gifti => return gifti::read_data(path, text),
        Format::Label => return freesurfer::read_label(path, text),
        Format::Morph => freesurfer::read_morph(path, bytes)?,
        Format::Solution => medit::read_solution(text)?,
        Format::Columns => columns::read_data(path, text)?,
        format => read_as(format, path, bytes)?.mesh.vertex_data,
    };
    if arrays.is_empty() {
        return unfit("holds no numbers per vertex", "name a file of vertex data");
    }
    Ok(VertexData { arrays, partial: Vec::new(), groups: Vec::new() })
}

/// Numbers at the vertices of a mesh that is in another file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct VertexData {
    /// Arrays with one row per vertex.
    pub arrays: Vec<DataArray>,
    /// Arrays with rows for some vertices.
    pub partial: Vec<PartialArray>,
    /// Vertices of each label that the file gives a name.
    pub groups: Vec<Group>,
}

/// Numbers at some vertices of a mesh.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PartialArray {
    /// The vertices, each once, in ascending order.
    pub vertices: Vec<u32>,
    /// A row for each of them.
    pub rows: DataArray,
}

impl PartialArray {
    /// The array with one row per vertex of a mesh of `n_vertices`, NaN where there is none.
    ///
    /// # Errors
    /// A vertex that the mesh does not have.
    pub fn spread(&self, n_vertices: usize) -> Result<DataArray, u32> {
        let (components, rows) = (self.rows.components, self.rows.values.to_f64());
        let mut values = vec![f64::NAN; n_vertices * components];
        for (&vertex, row) in self.vertices.iter().zip(rows.chunks_exact(components)) {
            let begin = vertex as usize * components;
            values.get_mut(begin..begin + components).ok_or(vertex)?.copy_from_slice(row);
        }
        Ok(DataArray { name: self.rows.name.clone(), components, values: Values::Float(values) })
    }
}
