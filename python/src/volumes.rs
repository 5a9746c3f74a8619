//! Distance transforms, isosurfaces and volumes in files.

use std::path::PathBuf;

use numpy::{
    PyArray1, PyArrayDescrMethods, PyArrayMethods, PyReadonlyArray1, PyUntypedArray,
    PyUntypedArrayMethods, dtype,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use zeroset::io::VolumeOptions;
use zeroset::point_distance::Edt;
use zeroset::volume::{Placement, Samples, Volume};

use crate::arrays::list;
use crate::mesh::parts;
use crate::options::{OfIsosurface, On, parse};
use crate::work;

/// Computes the distances of the voxels that are not in `targets`, x fastest.
#[pyfunction]
pub fn edt<'py>(
    py: Python<'py>,
    targets: PyReadonlyArray1<'py, bool>,
    shape: [usize; 3],
    spacing: [f64; 3],
    signed: bool,
    options: &str,
) -> PyResult<(Bound<'py, PyArray1<f32>>, Vec<String>)> {
    let device = parse::<On>(options)?.device();
    let kind = Edt::default().spacing(spacing).faces(signed).signed(signed);
    let targets = targets.as_slice()?;
    let found = work::run(py, None, |_| zeroset::edt(targets, shape, &kind, &device))?;
    Ok((list(py, found.values), found.warnings))
}

/// Computes the distances of [`edt`] on a GPU: `targets` and `distances` are addresses of arrays on
/// it, of bytes and of 32-bit floats.
#[pyfunction]
pub fn edt_between(
    py: Python<'_>,
    targets: u64,
    distances: u64,
    shape: [usize; 3],
    spacing: [f64; 3],
    signed: bool,
    gpu: u32,
) -> PyResult<()> {
    let kind = Edt::default().spacing(spacing).faces(signed).signed(signed);
    work::run(py, None, |_| {
        // SAFETY: The package passes arrays of these sizes, which PyTorch or CuPy keep in the
        // primary context, and waits until no work uses them.
        unsafe { zeroset::api::edt_between(targets, distances, shape, &kind, gpu) }
    })
}

/// Returns the index of the nearest voxel that is in `targets`, for each voxel, x fastest.
#[pyfunction]
pub fn nearest_voxels<'py>(
    py: Python<'py>,
    targets: PyReadonlyArray1<'py, bool>,
    shape: [usize; 3],
    spacing: [f64; 3],
    options: &str,
) -> PyResult<Bound<'py, PyArray1<u64>>> {
    let device = parse::<On>(options)?.device();
    let kind = Edt::default().spacing(spacing);
    let targets = targets.as_slice()?;
    let found =
        work::run(py, None, |_| zeroset::api::nearest_voxels(targets, shape, &kind, &device))?;
    Ok(list(py, found))
}

/// Returns the numbers of a one-dimensional array in their own type.
fn samples(array: &Bound<'_, PyUntypedArray>) -> PyResult<Samples> {
    macro_rules! of {
        ($($variant:ident $type:ty),*) => {
            $(if array.dtype().is_equiv_to(&dtype::<$type>(array.py())) {
                let array = array.cast::<PyArray1<$type>>()?.readonly();
                return Ok(Samples::$variant(array.as_slice()?.to_vec()));
            })*
        };
    }
    of!(U8 u8, I8 i8, U16 u16, I16 i16, U32 u32, I32 i32, U64 u64, I64 i64, F32 f32, F64 f64);
    Err(PyTypeError::new_err(format!("cannot use voxels of the type {}", array.dtype())))
}

/// Extracts an isosurface. Returns vertices, triangles, arrays of the vertices, and warnings.
#[pyfunction]
pub fn isosurface<'py>(
    py: Python<'py>,
    values: &Bound<'py, PyUntypedArray>,
    shape: [usize; 3],
    origin: [f64; 3],
    steps: [[f64; 3]; 3],
    level: f64,
    options: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let options = parse::<OfIsosurface>(options)?.options();
    let samples = samples(values)?;
    let found = work::run(py, None, |_| {
        let volume = Volume::new(shape, samples, Placement::identity())?.placed(origin, steps)?;
        zeroset::isosurface(&volume, level, &options)
    })?;
    let (vertices, cells, arrays) = parts(py, found.mesh)?;
    (vertices, cells, arrays, found.warnings).into_pyobject(py).map(Bound::into_any)
}

/// Reads a volume. Returns values (x fastest), shape, origin, steps and warnings.
#[pyfunction]
pub fn read_volume<'py>(py: Python<'py>, path: PathBuf) -> PyResult<Bound<'py, PyDict>> {
    let file = work::run(py, None, |_| zeroset::io::read_volume(&path, &VolumeOptions::default()))?;
    let volume = file.volume;
    let found = PyDict::new(py);
    macro_rules! set {
        ($($variant:ident),*) => {
            match volume.unscaled().into_owned() {
                $(Samples::$variant(values) => found.set_item("values", list(py, values))?,)*
            }
        };
    }
    set!(U8, I8, U16, I16, U32, I32, U64, I64, F32, F64);
    found.set_item("shape", volume.shape())?;
    found.set_item("origin", volume.placement().origin())?;
    found.set_item("steps", volume.placement().steps())?;
    found.set_item("warnings", file.warnings)?;
    Ok(found)
}
