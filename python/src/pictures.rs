//! Pictures, and facts about files and meshes.

use std::path::PathBuf;

use numpy::PyUntypedArray;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use zeroset::api::Subject;
use zeroset::cli::{info_json, info_json_of_mesh, render_mesh, render_volume};
use zeroset::picture::Image;
use zeroset::volume::{Placement, Volume};

use crate::arrays::list;
use crate::mesh::Mesh;
use crate::volumes::samples;
use crate::warnings::{Told, all_about};
use crate::work;

/// The bytes of a PNG file, the pixels, their opacity, the height and the width, and warnings.
fn picture(py: Python<'_>, (image, warnings): (Image, Vec<String>)) -> PyResult<Bound<'_, PyAny>> {
    let png = PyBytes::new(py, &image.to_png().map_err(crate::errors::raised)?);
    let (pixels, alpha) = (list(py, image.pixels), list(py, image.alpha));
    let told = all_about(Subject::Accuracy, warnings);
    (png, pixels, alpha, image.height, image.width, told).into_pyobject(py).map(Bound::into_any)
}

/// Draws a mesh. The options are those of the command line.
#[pyfunction]
pub fn draw_mesh<'py>(
    py: Python<'py>,
    mesh: &Mesh,
    options: Vec<String>,
) -> PyResult<Bound<'py, PyAny>> {
    let mesh = mesh.shared();
    let draw = || render_mesh(mesh.stored().clone(), &options);
    let drawn = work::run(py, None, |_| mesh.cpu()?.run(draw))?;
    picture(py, drawn)
}

/// Draws a volume. `values` are x fastest.
#[pyfunction]
pub fn draw_volume<'py>(
    py: Python<'py>,
    values: &Bound<'py, PyUntypedArray>,
    shape: [usize; 3],
    origin: [f64; 3],
    steps: [[f64; 3]; 3],
    options: Vec<String>,
) -> PyResult<Bound<'py, PyAny>> {
    let samples = samples(values)?;
    let drawn = work::run(py, None, |_| {
        let volume = Volume::new(shape, samples, Placement::identity())?.placed(origin, steps)?;
        render_volume(volume, &options)
    })?;
    picture(py, drawn)
}

/// Returns the facts about a file as JSON, and warnings.
#[pyfunction]
pub fn info(py: Python<'_>, path: PathBuf) -> PyResult<(String, Told)> {
    let (json, warnings) = work::run(py, None, |_| info_json(&path))?;
    Ok((json, all_about(Subject::File, warnings)))
}

/// Returns the facts about a mesh as JSON.
#[pyfunction]
pub fn info_of_mesh(py: Python<'_>, mesh: &Mesh) -> PyResult<String> {
    let mesh = mesh.shared();
    work::run(py, None, |_| mesh.cpu()?.run(|| Ok(info_json_of_mesh(mesh.stored()))))
}
