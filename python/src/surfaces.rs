//! Reconstruction, signed distances and views.

use std::sync::{Mutex, PoisonError};

use numpy::{PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Deserialize;
use zeroset::api::{DeviceResults, Extras, Grid, GridOptions, SignedSurface, Subject};
use zeroset::cloud::PointCloud;
use zeroset::html;
use zeroset::mesh::{DataArray, Values};
use zeroset::output::{ViewOptions, view_of_mesh};

use crate::arrays::{list, points, rows};
use crate::mesh::{Mesh, parts};
use crate::options::{OfReconstruction, parse};
use crate::warnings::{Told, all_about, told};
use crate::work;

/// A point cloud that a reconstruction uses up. The package can free its arrays before the
/// reconstruction begins.
#[pyclass(frozen, module = "zeroset._native")]
pub struct Cloud(Mutex<Option<PointCloud>>);

#[pymethods]
impl Cloud {
    /// Copies points and normals of shape (n, 3).
    #[new]
    fn new(
        coordinates: PyReadonlyArray2<'_, f64>,
        normals: Option<PyReadonlyArray2<'_, f32>>,
    ) -> PyResult<Self> {
        let mut cloud = PointCloud::new(points(&coordinates)?);
        cloud.normals = normals.map(|normals| points(&normals)).transpose()?;
        Ok(Cloud(Mutex::new(Some(cloud))))
    }
}

/// Reconstructs a surface from a point cloud, which is then empty. Returns vertices, triangles,
/// arrays of the vertices, the report as JSON, and warnings.
#[pyfunction]
pub fn reconstruct<'py>(py: Python<'py>, of: &Cloud, options: &str) -> PyResult<Bound<'py, PyAny>> {
    let options = parse::<OfReconstruction>(options)?.options();
    let cloud = of.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    let cloud = cloud.unwrap_or_default();
    let found = work::run(py, None, |_| zeroset::reconstruct(cloud, &options))?;
    let report = serde_json::to_string(&found.report).unwrap_or_default();
    let (vertices, cells, arrays) = parts(py, found.mesh)?;
    let told = told(&found.subjects, found.report.warnings);
    (vertices, cells, arrays, report, told).into_pyobject(py).map(Bound::into_any)
}

/// Options of signed distances.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct OfSdf {
    normals: bool,
    triangles: bool,
    size: Option<u32>,
    spacing: Option<f64>,
    margin: Option<u32>,
    bounds: Option<([f64; 3], [f64; 3])>,
    band: Option<f64>,
}

impl OfSdf {
    fn extras(&self) -> Extras {
        Extras::default().normals(self.normals).triangles(self.triangles)
    }
}

/// Returns the warnings about a surface and those about the signs of its distances.
fn of_signs(surface: &SignedSurface, signs: Vec<String>) -> Told {
    let of_surface = all_about(Subject::Mesh, surface.warnings().to_vec());
    of_surface.into_iter().chain(all_about(Subject::Accuracy, signs)).collect()
}

/// Computes signed distances at points of shape (n, 3).
#[pyfunction]
pub fn sdf_at<'py>(
    py: Python<'py>,
    mesh: &Mesh,
    at: PyReadonlyArray2<'py, f64>,
    options: &str,
) -> PyResult<Bound<'py, PyDict>> {
    let at = points(&at)?;
    let extras = parse::<OfSdf>(options)?.extras();
    let shared = mesh.shared();
    let (surface, found) = work::run(py, None, |_| {
        let surface = mesh.signed()?;
        let found = shared.cpu()?.run(|| surface.at(&at, extras));
        Ok((surface, found))
    })?;
    let result = PyDict::new(py);
    result.set_item("values", list(py, found.values))?;
    result.set_item("normals", found.normals.map(|normals| rows(py, normals)).transpose()?)?;
    result.set_item("triangles", found.triangles.map(|triangles| list(py, triangles)))?;
    result.set_item("warnings", of_signs(&surface, found.warnings))?;
    Ok(result)
}

/// Computes the signed distances of [`sdf_at`] on a GPU. `points` and the results are addresses of
/// arrays on it with `n` entries: points and normals of three 64-bit floats, values of one, and
/// triangles of 64-bit integers. Normals and triangles are 0 if they are not requested. Returns
/// warnings.
#[pyfunction]
#[expect(clippy::too_many_arguments)]
pub fn sdf_between(
    py: Python<'_>,
    mesh: &Mesh,
    gpu: u32,
    points: u64,
    n: usize,
    values: u64,
    normals: u64,
    triangles: u64,
) -> PyResult<Told> {
    work::run(py, None, |_| {
        let surface = mesh.signed_on(gpu)?;
        let results = DeviceResults { values, normals, triangles };
        // SAFETY: The package passes arrays of these sizes, which PyTorch or CuPy keep in the
        // primary context, after `wait_for_stream`.
        let doubts = unsafe { surface.at_between(points, n, results) }?;
        Ok(of_signs(&*mesh.signed()?, doubts))
    })
}

/// Computes signed distances on a grid, x fastest.
#[pyfunction]
pub fn sdf_grid<'py>(py: Python<'py>, mesh: &Mesh, options: &str) -> PyResult<Bound<'py, PyDict>> {
    let (shared, of) = (mesh.shared(), parse::<OfSdf>(options)?);
    let mut grid = GridOptions::default();
    (grid.size, grid.spacing, grid.band) = (of.size, of.spacing, of.band);
    (grid.margin, grid.bounds) = (of.margin.unwrap_or(grid.margin), of.bounds);
    grid.extras = of.extras();
    let (surface, found) = work::run(py, None, |control| {
        let surface = mesh.signed()?;
        let found = shared.cpu()?.run(|| {
            let covered = Grid::around(&surface, &grid)?;
            surface.on_grid(&covered, &grid, |_| control.check())
        })?;
        Ok((surface, found))
    })?;
    let result = PyDict::new(py);
    result.set_item("values", list(py, found.values))?;
    let normals = found.normals.map(|normals| normals.map(|axis| list(py, axis)));
    result.set_item("normals", normals)?;
    result.set_item("triangles", found.triangles.map(|triangles| list(py, triangles)))?;
    result.set_item("shape", found.grid.shape)?;
    result.set_item("origin", found.grid.origin)?;
    result.set_item("spacing", found.grid.spacing)?;
    result.set_item("warnings", of_signs(&surface, found.warnings))?;
    Ok(result)
}

/// Returns a page with a view of a mesh: `arrays` are names with values of shape (n, 1).
#[pyfunction]
pub fn view(
    py: Python<'_>,
    mesh: &Mesh,
    arrays: Vec<(String, PyReadonlyArray2<'_, f64>)>,
    title: &str,
    triangles: usize,
) -> PyResult<String> {
    let mut shown = mesh.shared().stored().clone();
    let first = arrays.first().map(|(name, _)| name.clone());
    for (name, values) in arrays {
        let (components, values) = (values.shape()[1], values.as_slice()?.to_vec());
        shown.vertex_data.retain(|array| array.name != name);
        shown.vertex_data.push(DataArray { name, components, values: Values::Float(values) });
    }
    let options = ViewOptions::new(title).with_shown(first).with_triangles(triangles);
    let mesh = mesh.shared();
    work::run(py, None, |_| mesh.cpu()?.run(|| html::page(&view_of_mesh(shown, &options)?)))
}
