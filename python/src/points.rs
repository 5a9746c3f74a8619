//! Point clouds: samples of a surface, files, and nearest points.

use std::path::PathBuf;
use std::str::FromStr;

use numpy::{PyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::Deserialize;
use zeroset::api::{DeviceQueries, Subject};
use zeroset::cloud::{Noise, PointCloud, Sampler, Sampling};
use zeroset::point_distance::{Cone, Directions, Norm, Options};

use crate::arrays::{Table, list, points, rows};
use crate::mesh::Mesh;
use crate::options::{On, parse};
use crate::warnings::{Told, all_about};
use crate::work;

/// Coordinates of shape (n, 3), and normals of shape (n, 3) if there are any.
type Cloud<'py> = (Table<'py, f64>, Option<Table<'py, f32>>);

fn cloud<'py>(py: Python<'py>, cloud: PointCloud) -> PyResult<Cloud<'py>> {
    let normals = cloud.normals.map(|normals| rows(py, normals)).transpose()?;
    Ok((rows(py, cloud.points)?, normals))
}

/// Reads a point cloud. Returns coordinates, normals and warnings.
#[pyfunction]
pub fn read_points(py: Python<'_>, path: PathBuf) -> PyResult<(Cloud<'_>, Told)> {
    let (found, report) = work::run(py, None, |_| zeroset::io::read_cloud(&path))?;
    Ok((cloud(py, found)?, all_about(Subject::File, report.warnings)))
}

/// Options of a sample.
#[derive(Debug, Deserialize)]
struct OfSample {
    n: u64,
    normals: bool,
    noise: String,
    outliers: u64,
    seed: u64,
}

/// Draws points on a surface.
#[pyfunction]
pub fn sample<'py>(py: Python<'py>, mesh: &Mesh, options: &str) -> PyResult<Cloud<'py>> {
    let OfSample { n, normals, noise, outliers, seed } = parse(options)?;
    let noise = Noise::from_str(&noise).map_err(|what| text_error("noise", &what))?;
    let sampling = Sampling { n, normals, noise, outliers, seed };
    let mesh = mesh.shared();
    let found = work::run(py, None, |_| {
        mesh.cpu()?.run(|| Ok(Sampler::new(mesh.stored(), sampling)?.cloud()))
    })?;
    cloud(py, found)
}

/// Options of a search for nearest points.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct OfNearest {
    #[serde(flatten)]
    on: On,
    norm: Option<String>,
    /// The half angle of the cone in degrees.
    angle: Option<f64>,
    cylinder: Option<f64>,
}

/// Distances, numbers of sites, and warnings.
type Found<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<i64>>, Told);

/// Returns the distance of each query to the nearest site, the number of this site or -1, and
/// warnings. `directions` are those of the cones, of shape (1, 3) or (queries, 3).
#[pyfunction]
pub fn nearest<'py>(
    py: Python<'py>,
    sites: PyReadonlyArray2<'py, f64>,
    queries: PyReadonlyArray2<'py, f64>,
    directions: Option<PyReadonlyArray2<'py, f64>>,
    options: &str,
) -> PyResult<Found<'py>> {
    let of = parse::<OfNearest>(options)?;
    let mut search = Options::default();
    if let Some(norm) = of.norm {
        search.norm = Norm::from_str(&norm).map_err(|what| text_error("norm", &what))?;
    }
    if let (Some(directions), Some(angle)) = (directions, of.angle) {
        let all = points(&directions)?;
        let directions = match all[..] {
            [one] => Directions::One(one),
            _ => Directions::Each(all),
        };
        search.cone = Some(Cone { directions, angle: angle.to_radians(), cylinder: of.cylinder });
    }
    let (sites, queries) = (points(&sites)?, points(&queries)?);
    let device = of.on.device();
    let found = work::run(py, None, |_| zeroset::nearest(&sites, &queries, &search, &device))?;
    let number = |site: Option<usize>| site.map_or(-1, |site| site as i64);
    let numbers = found.sites.into_iter().map(number).collect();
    let told = all_about(Subject::Device, found.warnings);
    Ok((list(py, found.distances), list(py, numbers), told))
}

/// Finds the nearest sites of queries on a GPU. `queries`, `keys` and `numbers` are addresses of
/// arrays on it with `n` entries: three 64-bit floats, one 64-bit float, and a 32-bit integer.
/// `corners` are those of the box of the queries.
#[pyfunction]
#[expect(clippy::too_many_arguments)]
pub fn nearest_between(
    py: Python<'_>,
    sites: PyReadonlyArray2<'_, f64>,
    queries: u64,
    n: usize,
    corners: [[f64; 3]; 2],
    keys: u64,
    numbers: u64,
    norm: &str,
    gpu: u32,
) -> PyResult<()> {
    let norm = Norm::from_str(norm).map_err(|what| text_error("norm", &what))?;
    let sites = points(&sites)?;
    let queries = DeviceQueries { points: queries, n, corners, keys, sites: numbers };
    work::run(py, None, |_| {
        // SAFETY: The package passes arrays of these sizes, which PyTorch or CuPy keep in the
        // primary context, after `wait_for_stream`.
        unsafe { zeroset::nearest_between(&sites, queries, norm, gpu) }
    })
}

fn text_error(option: &str, what: &str) -> PyErr {
    PyValueError::new_err(format!("{option}: {what}"))
}
