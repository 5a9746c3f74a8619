//! Distance transforms, isosurfaces and volumes in files.

use std::path::PathBuf;

use numpy::{
    PyArray1, PyArrayDescrMethods, PyArrayMethods, PyReadonlyArray1, PyUntypedArray,
    PyUntypedArrayMethods, dtype,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use zeroset::api::{DeviceMarks, DeviceVoxels, Subject};
use zeroset::gpu::volume::Stored;
use zeroset::io::VolumeOptions;
use zeroset::point_distance::Edt;
use zeroset::volume::{Placement, Samples, Volume};

use crate::arrays::list;
use crate::errors::raised;
use crate::mesh::parts;
use crate::options::{OfIsosurface, On, parse};
use crate::warnings::{Told, all_about, told};
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
) -> PyResult<(Bound<'py, PyArray1<f32>>, Told)> {
    let device = parse::<On>(options)?.device();
    let kind = Edt::default().spacing(spacing).faces(signed).signed(signed);
    let targets = targets.as_slice()?;
    let found = work::run(py, None, |_| zeroset::edt(targets, shape, &kind, &device))?;
    Ok((list(py, found.values), all_about(Subject::Device, found.warnings)))
}

/// Lets the next call on a GPU wait for the work that is now in a stream, which is given by its
/// handle.
#[pyfunction]
pub fn wait_for_stream(py: Python<'_>, stream: u64, gpu: u32) -> PyResult<()> {
    // This takes microseconds, so it needs no thread of its own.
    // SAFETY: The package passes the current stream of PyTorch or CuPy.
    py.detach(|| unsafe { zeroset::api::wait_for_stream(stream, gpu) }).map_err(raised)
}

/// Computes the distances of [`edt`] on a GPU: `marks` and `distances` are addresses of arrays on
/// it, of bytes and of 32-bit floats. With `to_zeros`, the voxels marked 0 are the targets. Returns
/// whether there is a target.
#[pyfunction]
#[expect(clippy::too_many_arguments)]
pub fn edt_between(
    py: Python<'_>,
    marks: u64,
    to_zeros: bool,
    distances: u64,
    shape: [usize; 3],
    spacing: [f64; 3],
    signed: bool,
    gpu: u32,
) -> PyResult<bool> {
    let kind = Edt::default().spacing(spacing).faces(signed).signed(signed);
    let marks = DeviceMarks { address: marks, to_zeros };
    work::at_once(py, || {
        // SAFETY: The package passes arrays of these sizes, which PyTorch or CuPy keep in the
        // primary context, after `wait_for_stream`.
        unsafe { zeroset::api::edt_between(marks, distances, shape, &kind, gpu) }
    })
}

/// Computes the distances of [`edt_between`] without signs, and the nearest voxels. `indices` is
/// the address of three 64-bit integers for each voxel: the indices along z of all voxels, then
/// those along y and x.
#[pyfunction]
#[expect(clippy::too_many_arguments)]
pub fn nearest_voxels_between(
    py: Python<'_>,
    marks: u64,
    to_zeros: bool,
    distances: u64,
    indices: u64,
    shape: [usize; 3],
    spacing: [f64; 3],
    gpu: u32,
) -> PyResult<bool> {
    let (kind, results) = (Edt::default().spacing(spacing), (distances, indices));
    let marks = DeviceMarks { address: marks, to_zeros };
    work::at_once(py, || {
        // SAFETY: The package passes arrays of these sizes, which PyTorch or CuPy keep in the
        // primary context, after `wait_for_stream`.
        unsafe { zeroset::api::nearest_voxels_between(marks, results, shape, &kind, gpu) }
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
pub fn samples(array: &Bound<'_, PyUntypedArray>) -> PyResult<Samples> {
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
    let told = told(&found.subjects, found.warnings);
    (vertices, cells, arrays, told).into_pyobject(py).map(Bound::into_any)
}

/// An isosurface on a GPU.
#[pyclass(frozen, module = "zeroset._native")]
pub struct IsosurfaceOnGpu(zeroset::api::IsosurfaceOnGpu);

#[pymethods]
impl IsosurfaceOnGpu {
    #[getter]
    fn n_vertices(&self) -> usize {
        self.0.n_vertices()
    }

    #[getter]
    fn n_triangles(&self) -> usize {
        self.0.n_triangles()
    }

    #[getter]
    fn has_missing(&self) -> bool {
        self.0.has_missing()
    }

    /// Copies vertices, triangles and normals to the addresses of arrays on the GPU.
    fn copy_to(&self, py: Python<'_>, vertices: u64, triangles: u64, normals: u64) -> PyResult<()> {
        work::run(py, None, |_| {
            // SAFETY: The package passes arrays of these sizes, which PyTorch or CuPy keep in the
            // primary context.
            unsafe { self.0.copy_to(vertices, triangles, normals) }
        })
    }
}

/// Extracts an isosurface from a volume on a GPU: `values` is the address of its numbers, x
/// fastest, and `stored` the name of their type.
#[pyfunction]
#[expect(clippy::too_many_arguments)]
pub fn isosurface_between(
    py: Python<'_>,
    values: u64,
    stored: &str,
    shape: [usize; 3],
    origin: [f64; 3],
    steps: [[f64; 3]; 3],
    level: f64,
    options: &str,
    gpu: u32,
) -> PyResult<IsosurfaceOnGpu> {
    let options = parse::<OfIsosurface>(options)?.options();
    let stored = match stored {
        "uint8" => Stored::U8,
        "int8" => Stored::I8,
        "uint16" => Stored::U16,
        "int16" => Stored::I16,
        "uint32" => Stored::U32,
        "int32" => Stored::I32,
        "uint64" => Stored::U64,
        "int64" => Stored::I64,
        "float32" => Stored::F32,
        "float64" => Stored::F64,
        _ => return Err(PyTypeError::new_err(format!("cannot use voxels of the type {stored}"))),
    };
    let found = work::run(py, None, |_| {
        let placement = Placement::new(shape, origin, steps)
            .map_err(|flaw| zeroset::Error::usage(flaw.what(), flaw.remedy()))?;
        let voxels = DeviceVoxels { values, stored, shape, placement };
        // SAFETY: The package passes the address of an array of this size, which PyTorch or CuPy
        // keep in the primary context, after `wait_for_stream`.
        unsafe { voxels.isosurface(level, &options.surface, gpu) }
    })?;
    Ok(IsosurfaceOnGpu(found))
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
    found.set_item("warnings", all_about(Subject::File, file.warnings))?;
    Ok(found)
}
