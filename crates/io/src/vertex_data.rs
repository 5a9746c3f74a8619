//! Values at the vertices of a mesh, from files of any kind that holds them.

use std::path::Path;

use super::budget::Budget;
use super::load::{self, Loaded};
use super::moment::{Moment, StateTime};
use super::series::{self, Opened};
use super::sniff::{self, Format};
use super::volume::{mgh, npy};
use super::{MeshFile, carp, columns, freesurfer, gifti, medit, read_as, text, unfit};
use zeroset_core::error::{Flaw, Result};
use zeroset_core::mesh::{DataArray, Group, Values};

/// Reads arrays with one row per vertex.
///
/// The function supports GIFTI shape, functional and label files, FreeSurfer `curv`, `sulc`,
/// `thickness` and similar files, also in the format MGH, FreeSurfer annotations, MEDIT's `.sol`,
/// plain text columns, NumPy arrays of shape `(n,)` or `(n, k)`, and the vertex arrays of a mesh
/// file. A FreeSurfer label has rows for only some vertices, and these vertices also become a
/// group. A CARP list of vertices (`.vtx`) is a group without an array.
///
/// # Errors
/// Returns the errors of [`read_mesh`](super::read_mesh), and an error if the file has no such
/// arrays.
pub fn read_data(path: &Path) -> Result<VertexData> {
    read_data_at(path, None)
}

/// Reads arrays like [`read_data`], from the state of a series at the given time. `None` means
/// the last state.
///
/// # Errors
/// Returns the errors of [`read_data`], and [`Error::Case`](zeroset_core::Error::Case) if the file
/// has no state at this time.
pub fn read_data_at(path: &Path, time: Option<Moment>) -> Result<VertexData> {
    data(path, time).map_err(|flaw| flaw.in_file(path))
}

fn data(path: &Path, time: Option<Moment>) -> Result<VertexData, Flaw> {
    match series::open(path, load::load(path)?)? {
        Opened::Series(series) => {
            let (state, warning) = series.pick(time)?;
            let mut data = series.data(state)?;
            data.warnings.extend(warning);
            Ok(data)
        }
        Opened::Single(loaded) => {
            let data = data_of_loaded(path, &loaded)?;
            Moment::check_single(time, &data.state)?;
            Ok(data)
        }
    }
}

/// Reads arrays from a file that is not a series.
pub(super) fn data_of_loaded(path: &Path, loaded: &Loaded) -> Result<VertexData, Flaw> {
    if sniff::is_annotation(path, &loaded.bytes) {
        return freesurfer::read_annotation(path, &loaded.bytes);
    }
    let format = sniff::format(path, &loaded.bytes)?.0;
    data_as(format, path, &loaded.bytes, loaded.budget)
}

pub(super) fn data_as(
    format: Format,
    path: &Path,
    bytes: &[u8],
    budget: Budget,
) -> Result<VertexData, Flaw> {
    let text = text::without_mark(bytes);
    let arrays = match format {
        Format::Gifti => return gifti::read_data(path, text, budget),
        Format::Label => return freesurfer::read_label(path, text),
        Format::VertexList => return carp::read_vertex_list(path, text),
        Format::Morph => freesurfer::read_morph(path, bytes)?,
        Format::Mgh => vec![mgh::read_rows(bytes, freesurfer::name(path))?],
        Format::Solution => medit::read_solution(text)?,
        Format::Columns => {
            let data = VertexData::of_arrays(columns::read_data(path, text)?)?;
            return Ok(VertexData { may_be_of_cells: true, ..data });
        }
        Format::Npy => {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let name = name.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or("data");
            let (array, warnings) = npy::read_rows(bytes, name)?;
            let data = VertexData::of_arrays(vec![array])?;
            return Ok(VertexData { may_be_of_cells: true, warnings, ..data });
        }
        format => return vertex_data(read_as(format, path, bytes, budget)?),
    };
    VertexData::of_arrays(arrays)
}

/// Returns the vertex arrays of a mesh file, with the time of the file.
pub(super) fn vertex_data(file: MeshFile) -> Result<VertexData, Flaw> {
    let mut data = VertexData::of_arrays(file.mesh.vertex_data)?;
    data.state = file.about.state;
    Ok(data)
}

/// Values at the vertices of a mesh that is stored in another file.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct VertexData {
    /// Arrays with one row per vertex.
    pub arrays: Vec<DataArray>,
    /// Arrays with rows for some of the vertices.
    pub partial: Vec<PartialArray>,
    /// The vertices of each label, region or list that the file holds.
    pub groups: Vec<Group>,
    /// The time of the values, if the file states one, and the times of its series.
    pub state: StateTime,
    /// Whether the file does not state if its rows belong to vertices or to cells. They belong to
    /// cells if there are as many rows as cells in the mesh, but not as many as vertices.
    pub may_be_of_cells: bool,
    /// Warnings about the file, one sentence each.
    pub warnings: Vec<String>,
}

impl VertexData {
    /// Creates vertex data from arrays with one row per vertex.
    ///
    /// # Errors
    /// Returns a [`Flaw`] if `arrays` is empty.
    fn of_arrays(arrays: Vec<DataArray>) -> Result<Self, Flaw> {
        if arrays.is_empty() {
            return unfit("holds no numbers per vertex", "choose a file with vertex data");
        }
        Ok(VertexData { arrays, ..VertexData::default() })
    }
}

/// Values at some of the vertices of a mesh.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PartialArray {
    /// The indices of the vertices, `[rows]`, without repetition, in ascending order.
    pub vertices: Vec<u32>,
    /// One row per entry of `vertices`.
    pub rows: DataArray,
}

impl PartialArray {
    /// Returns the array with one row for each of the `n_vertices` vertices of a mesh. The rows of
    /// vertices without values are NaN.
    ///
    /// # Errors
    /// Returns the index of a vertex that the mesh does not have.
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
