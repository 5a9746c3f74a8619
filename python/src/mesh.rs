//! A mesh that is prepared once for many calls.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde::Deserialize;
use zeroset::api::{DeviceSignedSurface, DistanceOptions, Distances, SignedSurface, Subject};
use zeroset::config::{FrontShape, Stimulus};
use zeroset::mesh::{self, DataArray, Group, Kind, Members};
use zeroset::{Source, Values, distance_with, read_with};

use crate::arrays::{Table, list, points, rows, table};
use crate::conduction::PySpeed;
use crate::errors::raised;
use crate::options::{OfMesh, parse};
use crate::warnings::{Told, all_about, told};
use crate::work;

/// A mesh of triangles or tetrahedra. The mesh is copied only if an array is set while a level set
/// uses it.
#[pyclass(frozen, module = "zeroset._native")]
pub struct Mesh {
    shared: Mutex<Arc<zeroset::Mesh>>,
    /// The surface for signed distances, which the first call prepares.
    signed: Mutex<Option<Arc<SignedSurface>>>,
    /// The copy of this surface on the GPU that was used last.
    signed_on_gpu: Mutex<Option<Arc<DeviceSignedSurface>>>,
}

/// A source: the text of the command line, a point (a tuple), or vertices (a list).
#[derive(FromPyObject)]
pub enum PySource {
    Text(String),
    Point((f64, f64, f64)),
    Vertices(Vec<u32>),
}

impl PySource {
    pub fn source(self) -> PyResult<Source> {
        Ok(match self {
            PySource::Text(text) => text.parse().map_err(raised)?,
            PySource::Point((x, y, z)) => Source::Point([x, y, z]),
            PySource::Vertices(ids) => Source::Vertices(ids),
        })
    }
}

/// A stimulus: its place as a source, its start time, and its name and duration, if it has them.
type PyStimulus = (String, f64, Option<String>, Option<f64>);

/// Reads a file of stimuli.
#[pyfunction]
pub fn read_stimuli(py: Python<'_>, path: PathBuf) -> PyResult<Vec<PyStimulus>> {
    let stimuli = py.detach(|| Stimulus::read(&path)).map_err(raised)?;
    let row = |s: Stimulus| (s.place(), s.seed.start(), s.name, s.duration);
    Ok(stimuli.into_iter().map(row).collect())
}

/// The name of a group, whether its members are cells, and the array of its members.
type PyGroup<'py> = (String, bool, Bound<'py, PyAny>);

/// Values on a mesh: a number, an expression, or an array of shape (n,) for vertices or cells.
#[derive(FromPyObject)]
pub enum PyValues<'py> {
    Text(String),
    Array(PyReadonlyArray1<'py, f64>),
    Number(f64),
}

impl PyValues<'_> {
    /// Returns the values. An array with one number for each cell belongs to the cells.
    pub fn values(&self, mesh: &zeroset::Mesh) -> PyResult<Values> {
        Ok(match self {
            PyValues::Text(text) => Values::Expression(text.clone()),
            PyValues::Number(number) => Values::Number(*number),
            PyValues::Array(array) if array.len() == mesh.n_cells() => {
                Values::PerCell(array.as_slice()?.to_vec())
            }
            PyValues::Array(array) => Values::PerVertex(array.as_slice()?.to_vec()),
        })
    }
}

/// Options of a distance computation.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct OfDistance {
    starts: Vec<f64>,
    within: Option<f64>,
    front: FrontShape,
    signed: bool,
    snap: bool,
    mask: Option<String>,
    labels: bool,
    gradient: bool,
    velocity: bool,
}

impl OfDistance {
    /// Returns the options of the library.
    pub fn options(self) -> DistanceOptions {
        let mut options = DistanceOptions::default();
        (options.starts, options.within) = (self.starts, self.within);
        (options.front, options.signed, options.snap) = (self.front, self.signed, self.snap);
        (options.mask, options.labels) = (self.mask, self.labels);
        (options.gradient, options.velocity) = (self.gradient, self.velocity);
        options
    }
}

/// Returns the parts of a result that Python needs.
fn found<'py>(py: Python<'py>, found: Distances) -> PyResult<Bound<'py, PyDict>> {
    let result = PyDict::new(py);
    result.set_item("values", list(py, found.values))?;
    result.set_item("labels", found.labels.map(|labels| list(py, labels)))?;
    let gradient = found.gradient.map(|gradient| rows(py, gradient)).transpose()?;
    result.set_item("gradient", gradient)?;
    let velocity = found.velocity.map(|velocity| rows(py, velocity)).transpose()?;
    result.set_item("velocity", velocity)?;
    let paths = PyList::empty(py);
    for path in found.paths {
        paths.append((rows(py, path.points)?, path.length, path.source))?;
    }
    result.set_item("paths", paths)?;
    result.set_item("warnings", told(&found.subjects, found.warnings))?;
    result.set_item("backend", found.backend)?;
    Ok(result)
}

impl Mesh {
    /// Wraps a mesh.
    pub fn new(mesh: zeroset::Mesh) -> Self {
        Mesh {
            shared: Mutex::new(Arc::new(mesh)),
            signed: Mutex::default(),
            signed_on_gpu: Mutex::default(),
        }
    }

    /// Returns the surface for signed distances.
    ///
    /// # Errors
    /// Returns the errors of [`SignedSurface::new`].
    pub fn signed(&self) -> zeroset::Result<Arc<SignedSurface>> {
        let mut signed = self.signed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(signed) = &*signed {
            return Ok(signed.clone());
        }
        let mesh = self.shared();
        let made = Arc::new(mesh.cpu()?.run(|| SignedSurface::new(mesh.stored()))?);
        Ok(signed.insert(made).clone())
    }

    /// Returns the surface for signed distances on a GPU.
    ///
    /// # Errors
    /// Returns the errors of [`Mesh::signed`] and [`SignedSurface::on_gpu`].
    pub fn signed_on(&self, gpu: u32) -> zeroset::Result<Arc<DeviceSignedSurface>> {
        let signed = self.signed()?;
        let mut known = self.signed_on_gpu.lock().unwrap_or_else(PoisonError::into_inner);
        match &*known {
            Some(there) if there.is_on(gpu) => Ok(there.clone()),
            _ => Ok(known.insert(Arc::new(signed.on_gpu(gpu)?)).clone()),
        }
    }

    /// Returns the mesh.
    pub fn shared(&self) -> Arc<zeroset::Mesh> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[pymethods]
impl Mesh {
    /// Reads a file.
    #[staticmethod]
    fn read(py: Python<'_>, path: std::path::PathBuf, options: &str) -> PyResult<Self> {
        let options = parse::<OfMesh>(options)?.options();
        let mesh = work::run(py, None, |_| read_with(&path, &options))?;
        Ok(Mesh::new(mesh))
    }

    /// Creates a mesh from vertices of shape (n, 3), cells of shape (m, 3) or (m, 4), and groups as
    /// [`Mesh::groups`] returns them.
    #[staticmethod]
    fn from_arrays(
        vertices: PyReadonlyArray2<'_, f64>,
        cells: PyReadonlyArray2<'_, u32>,
        groups: Vec<PyGroup<'_>>,
        options: &str,
    ) -> PyResult<Self> {
        let options = parse::<OfMesh>(options)?.options();
        let vertices = points(&vertices)?;
        let is_planar = vertices.windows(2).all(|pair| pair[0][2] == pair[1][2]);
        let kind = match (cells.shape()[1], is_planar) {
            (4, _) => Kind::Volume,
            (_, true) => Kind::Planar,
            (_, false) => Kind::Surface,
        };
        let mut mesh = mesh::Mesh::new(kind, vertices, cells.as_slice()?.to_vec());
        for (name, of_cells, members) in groups {
            let members = members.extract::<PyReadonlyArray2<'_, u32>>()?;
            let (corners, numbers) = (members.shape()[1], members.as_slice()?.to_vec());
            let members = match (of_cells, corners) {
                (true, _) => Members::Cells(numbers),
                (false, 1..=3) => Members::Simplices { dimension: corners - 1, vertices: numbers },
                _ => return Err(PyValueError::new_err("expected groups of 1 to 3 corners")),
            };
            mesh.groups.push(Group { name, members });
        }
        let mesh = zeroset::Mesh::with_options(mesh, &options).map_err(raised)?;
        Ok(Mesh::new(mesh))
    }

    /// Returns a copy for calls on the GPU with the given number.
    fn on_gpu(&self, gpu: u32) -> Self {
        Mesh::new(self.shared().on_gpu(gpu))
    }

    #[getter]
    fn n_vertices(&self) -> usize {
        self.shared().n_vertices()
    }

    #[getter]
    fn n_cells(&self) -> usize {
        self.shared().n_cells()
    }

    #[getter]
    fn warnings(&self) -> Told {
        all_about(Subject::File, self.shared().warnings().to_vec())
    }

    fn vertices<'py>(&self, py: Python<'py>) -> PyResult<Table<'py, f64>> {
        rows(py, self.shared().stored().vertices.clone())
    }

    fn cells<'py>(&self, py: Python<'py>) -> PyResult<Table<'py, u32>> {
        let mesh = self.shared();
        let mesh = mesh.stored();
        table(py, mesh.cells.clone(), corners(mesh))
    }

    /// Returns the number of corners of a cell: 3 or 4.
    #[getter]
    fn corners(&self) -> usize {
        corners(self.shared().stored())
    }

    /// Returns the names of the arrays.
    fn array_names(&self, of_cells: bool) -> Vec<String> {
        let mesh = self.shared();
        arrays(mesh.stored(), of_cells).iter().map(|array| array.name.clone()).collect()
    }

    /// Returns the values of an array, of shape (n, components), or `None` if there is none.
    fn array<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        of_cells: bool,
    ) -> PyResult<Option<Table<'py, f64>>> {
        let mesh = self.shared();
        let found = arrays(mesh.stored(), of_cells).iter().find(|array| array.name == name);
        found.map(|array| table(py, array.values.to_f64(), array.components)).transpose()
    }

    /// Returns the names of the groups, and their members: cells, or the corners of points, edges
    /// or triangles, of shape (k, corners).
    fn groups<'py>(&self, py: Python<'py>) -> PyResult<Vec<PyGroup<'py>>> {
        let mesh = self.shared();
        let groups = mesh.stored().groups.iter();
        groups
            .map(|group| {
                let (corners, numbers) = match &group.members {
                    Members::Cells(cells) => (None, cells),
                    Members::Simplices { dimension, vertices } => (Some(dimension + 1), vertices),
                };
                let members = table(py, numbers.clone(), corners.unwrap_or(1))?.into_any();
                Ok((group.name.clone(), corners.is_none(), members))
            })
            .collect()
    }

    /// Adds or replaces an array of shape (n, components).
    fn set_array(
        &self,
        name: &str,
        values: PyReadonlyArray2<'_, f64>,
        of_cells: bool,
    ) -> PyResult<()> {
        let (components, values) = (values.shape()[1], values.as_slice()?.to_vec());
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let mesh = Arc::make_mut(&mut shared);
        match of_cells {
            true => mesh.set_cell_array(name, components, values),
            false => mesh.set_vertex_array(name, components, values),
        }
        .map_err(raised)
    }

    /// Computes a distance.
    fn distance<'py>(
        &self,
        py: Python<'py>,
        sources: Vec<PySource>,
        speed: Option<PySpeed<'py>>,
        paths_from: Vec<PySource>,
        options: &str,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let mesh = self.shared();
        let all = |list: Vec<PySource>| -> PyResult<Vec<Source>> {
            list.into_iter().map(PySource::source).collect()
        };
        let sources = all(sources)?;
        let mut options = parse::<OfDistance>(options)?.options();
        options.paths_from = all(paths_from)?;
        if let Some(speed) = speed {
            speed.set(&mesh, &mut options)?;
        }
        let result = work::run(py, progress.as_ref(), |control| {
            options.control = control.clone();
            distance_with(&mesh, &sources, &options)
        })?;
        found(py, result)
    }

    /// Computes the distance from each source separately. Returns an array of shape (sources, n),
    /// and the warnings.
    fn distances<'py>(
        &self,
        py: Python<'py>,
        sources: Vec<PySource>,
        speed: Option<PySpeed<'py>>,
        options: &str,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(Table<'py, f64>, Told)> {
        let mut values = Vec::new();
        let warnings = self.each(py, sources, speed, options, progress, |row| {
            values.extend_from_slice(&row);
        })?;
        Ok((table(py, values, self.n_vertices())?, warnings))
    }

    /// Computes the distances below `within` from each source separately. Returns the values, the
    /// vertices and the ends of the rows of a sparse array, and the warnings.
    fn near_distances<'py>(
        &self,
        py: Python<'py>,
        sources: Vec<PySource>,
        speed: Option<PySpeed<'py>>,
        within: f64,
        options: &str,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<SparseRows<'py>> {
        let (mut values, mut columns, mut ends) = (Vec::new(), Vec::new(), vec![0]);
        let warnings = self.each(py, sources, speed, options, progress, |row| {
            for (vertex, value) in row.into_iter().enumerate() {
                if value < within {
                    columns.push(vertex as i64);
                    values.push(value);
                }
            }
            ends.push(values.len() as i64);
        })?;
        Ok((list(py, values), list(py, columns), list(py, ends), warnings))
    }
}

/// Rows of a sparse array in the format CSR, and warnings.
type SparseRows<'py> =
    (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>, Told);

impl Mesh {
    /// Computes the distance from each source separately, and passes the values of the vertices to
    /// `take`. Returns the warnings.
    fn each(
        &self,
        py: Python<'_>,
        sources: Vec<PySource>,
        speed: Option<PySpeed<'_>>,
        options: &str,
        progress: Option<Py<PyAny>>,
        mut take: impl FnMut(Vec<f64>) + Send,
    ) -> PyResult<Told> {
        let mesh = self.shared();
        let sources = sources.into_iter().map(PySource::source).collect::<PyResult<Vec<_>>>()?;
        let mut options = parse::<OfDistance>(options)?.options();
        if let Some(speed) = speed {
            speed.set(&mesh, &mut options)?;
        }
        work::run(py, progress.as_ref(), |control| {
            options.control = control.clone();
            let mut warnings = Told::new();
            for source in &sources {
                let found = distance_with(&mesh, std::slice::from_ref(source), &options)?;
                take(found.values);
                for warning in told(&found.subjects, found.warnings) {
                    if !warnings.contains(&warning) {
                        warnings.push(warning);
                    }
                }
            }
            Ok(warnings)
        })
    }
}

/// Returns the number of corners of a cell.
fn corners(mesh: &mesh::Mesh) -> usize {
    if mesh.kind == Kind::Volume { 4 } else { 3 }
}

/// Returns the arrays of the vertices or of the cells.
fn arrays(mesh: &mesh::Mesh, of_cells: bool) -> &[DataArray] {
    if of_cells { &mesh.cell_data } else { &mesh.vertex_data }
}

/// Returns the parts of a triangle mesh or tetrahedral mesh: vertices, cells, and vertex arrays.
pub fn parts<'py>(
    py: Python<'py>,
    mesh: mesh::Mesh,
) -> PyResult<(Table<'py, f64>, Table<'py, u32>, Bound<'py, PyDict>)> {
    let (corners, arrays) = (corners(&mesh), PyDict::new(py));
    for array in mesh.vertex_data {
        let values = array.values.to_f64();
        let values: Bound<'py, PyArray1<f64>> = values.into_pyarray(py);
        arrays.set_item(array.name, values)?;
    }
    Ok((rows(py, mesh.vertices)?, table(py, mesh.cells, corners)?, arrays))
}
