//! The native part of the Python package `zeroset`.
//!
//! Each function converts its arguments, calls one function of the facade ([`zeroset::api`]) on a
//! separate thread, and returns arrays. The package `python/zeroset` checks and documents the
//! arguments. Warnings are returned, and the package issues them.

mod arrays;
mod changes;
mod conduction;
mod errors;
mod farthest;
mod level_set;
mod log;
mod mesh;
mod options;
mod pictures;
mod points;
mod program;
mod run;
mod sensitivity;
mod studies;
mod surfaces;
mod volumes;
mod voxels;
mod warnings;
mod work;

use pyo3::prelude::*;

#[pymodule]
fn _native(m: &Bound<'_, PyModule>) -> PyResult<()> {
    log::install();
    m.add("__version__", env!("CARGO_PKG_VERSION"))?;
    m.add("NumericalError", m.py().get_type::<errors::NumericalError>())?;
    m.add("DeviceError", m.py().get_type::<errors::DeviceError>())?;
    m.add_class::<mesh::Mesh>()?;
    m.add_class::<level_set::LevelSet>()?;
    m.add_class::<surfaces::Cloud>()?;
    m.add_class::<volumes::IsosurfaceOnGpu>()?;
    m.add_function(wrap_pyfunction!(mesh::read_stimuli, m)?)?;
    m.add_function(wrap_pyfunction!(changes::changed, m)?)?;
    m.add_function(wrap_pyfunction!(changes::cleaned, m)?)?;
    m.add_function(wrap_pyfunction!(changes::generate, m)?)?;
    m.add_function(wrap_pyfunction!(changes::voxelize, m)?)?;
    m.add_function(wrap_pyfunction!(changes::write, m)?)?;
    m.add_function(wrap_pyfunction!(farthest::farthest_points, m)?)?;
    m.add_function(wrap_pyfunction!(log::events, m)?)?;
    m.add_function(wrap_pyfunction!(pictures::draw_mesh, m)?)?;
    m.add_function(wrap_pyfunction!(pictures::draw_volume, m)?)?;
    m.add_function(wrap_pyfunction!(pictures::info, m)?)?;
    m.add_function(wrap_pyfunction!(pictures::info_of_mesh, m)?)?;
    m.add_function(wrap_pyfunction!(points::nearest, m)?)?;
    m.add_function(wrap_pyfunction!(points::nearest_between, m)?)?;
    m.add_function(wrap_pyfunction!(points::read_points, m)?)?;
    m.add_function(wrap_pyfunction!(points::sample, m)?)?;
    m.add_function(wrap_pyfunction!(program::devices, m)?)?;
    m.add_function(wrap_pyfunction!(program::main, m)?)?;
    m.add_function(wrap_pyfunction!(run::check, m)?)?;
    m.add_function(wrap_pyfunction!(run::run, m)?)?;
    m.add_function(wrap_pyfunction!(sensitivity::sensitivity, m)?)?;
    m.add_function(wrap_pyfunction!(studies::compare, m)?)?;
    m.add_function(wrap_pyfunction!(studies::batch, m)?)?;
    m.add_function(wrap_pyfunction!(studies::converge, m)?)?;
    m.add_function(wrap_pyfunction!(surfaces::reconstruct, m)?)?;
    m.add_function(wrap_pyfunction!(surfaces::sdf_at, m)?)?;
    m.add_function(wrap_pyfunction!(surfaces::sdf_between, m)?)?;
    m.add_function(wrap_pyfunction!(surfaces::sdf_grid, m)?)?;
    m.add_function(wrap_pyfunction!(surfaces::view, m)?)?;
    m.add_function(wrap_pyfunction!(volumes::edt, m)?)?;
    m.add_function(wrap_pyfunction!(volumes::edt_between, m)?)?;
    m.add_function(wrap_pyfunction!(volumes::isosurface, m)?)?;
    m.add_function(wrap_pyfunction!(volumes::isosurface_between, m)?)?;
    m.add_function(wrap_pyfunction!(volumes::nearest_voxels, m)?)?;
    m.add_function(wrap_pyfunction!(volumes::nearest_voxels_between, m)?)?;
    m.add_function(wrap_pyfunction!(volumes::read_volume, m)?)?;
    m.add_function(wrap_pyfunction!(volumes::wait_for_stream, m)?)?;
    m.add_function(wrap_pyfunction!(voxels::octree, m)?)?;
    m.add_function(wrap_pyfunction!(voxels::points, m)?)?;
    Ok(())
}
