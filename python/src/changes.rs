//! Meshes made from other meshes: generated, cleaned, refined, decimated, and written to files.

use std::path::PathBuf;

use numpy::PyArray1;
use pyo3::prelude::*;
use serde::Deserialize;
use zeroset::api::Subject;
use zeroset::io::{WriteOptions, write_mesh};
use zeroset::mesh;
use zeroset::mesh::generate::Generate;
use zeroset::mesh::refine::refine_times;
use zeroset::mesh::repair::{Repairs, Thinness, Weld, repair};
use zeroset::surface::{DecimationTarget, Voxels, decimate, fill_holes, repaired};

use crate::arrays::list;
use crate::errors::raised;
use crate::mesh::Mesh;
use crate::options::{Holes, OfMesh, parse};
use crate::warnings::{Told, all_about};
use crate::work;

/// Creates a mesh with the options of a mesh.
fn made(mesh: mesh::Mesh, options: &str) -> PyResult<Mesh> {
    let options = parse::<OfMesh>(options)?.options();
    Ok(Mesh::new(zeroset::Mesh::with_options(mesh, &options).map_err(raised)?))
}

/// Generates a mesh of a shape, `{"sphere": {...}}`, and refines it.
#[pyfunction]
pub fn generate(py: Python<'_>, shape: &str, refine: u32, options: &str) -> PyResult<Mesh> {
    let shape = parse::<Generate>(shape)?;
    let mesh = work::run(py, None, |_| {
        shape.check_refined(refine)?;
        refine_times(mesh::generate::generate(&shape)?, refine)
    })?;
    made(mesh, options)
}

/// A change of a mesh.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Change {
    /// The boundary of tetrahedra, after coincident vertices are joined.
    Boundary(Weld),
    FillHoles(Holes),
    /// The number of triangles to keep, or a fraction below 1.
    Decimate(f64),
    Refine(u32),
}

impl Change {
    fn apply(self, mut mesh: mesh::Mesh) -> zeroset::Result<(mesh::Mesh, Vec<String>)> {
        match self {
            Change::Boundary(weld) => {
                let (mesh, repair) = repair(mesh, Repairs { weld, degenerate: None })?;
                let found = mesh::boundary(&mesh, Some(weld))?;
                let doubts = repair.summary().into_iter().chain(repair.doubts());
                let doubts = doubts.chain(found.doubts()).collect();
                Ok((found.surface, doubts))
            }
            Change::FillHoles(holes) => {
                mesh::assess(&mesh)?;
                let filled = holes.size().map(|size| fill_holes(&mut mesh, size).warnings());
                Ok((mesh, filled.unwrap_or_default()))
            }
            Change::Decimate(number) => {
                let target = number.to_string().parse::<DecimationTarget>();
                let target = target.map_err(|what| {
                    zeroset::Error::usage(format!("decimate to {number}: {what}"), "")
                })?;
                let (mesh, done) = decimate(mesh, target)?;
                Ok((mesh, done.doubt().into_iter().collect()))
            }
            Change::Refine(times) => Ok((refine_times(mesh, times)?, Vec::new())),
        }
    }
}

/// Changes a mesh. Returns the new mesh and warnings.
#[pyfunction]
pub fn changed(py: Python<'_>, mesh: &Mesh, change: &str, options: &str) -> PyResult<(Mesh, Told)> {
    let (change, shared) = (parse::<Change>(change)?, mesh.shared());
    let (mesh, warnings) =
        work::run(py, None, |_| shared.cpu()?.run(|| change.apply(shared.stored().clone())))?;
    Ok((made(mesh, options)?, all_about(Subject::Mesh, warnings)))
}

/// The number of an item, or -1.
type Numbers<'py> = Bound<'py, PyArray1<i64>>;

/// Cleans a mesh. Returns the new mesh, the new number of each old vertex (-1 if it was left out),
/// the old number of each new cell, and warnings.
#[pyfunction]
pub fn cleaned<'py>(
    py: Python<'py>,
    mesh: &Mesh,
    weld: &str,
    options: &str,
) -> PyResult<(Mesh, Numbers<'py>, Numbers<'py>, Told)> {
    let (weld, shared) = (parse::<Weld>(weld)?, mesh.shared());
    let repairs = Repairs { weld, degenerate: Some(Thinness::Thin) };
    let (mesh, done) =
        work::run(py, None, |_| shared.cpu()?.run(|| repaired(shared.stored().clone(), repairs)))?;
    let kept = &done.cleaning.kept_vertices;
    let new = |v: u32| kept.binary_search(&done.repair.representative(v)).map_or(-1, |k| k as i64);
    let vertices = (0..shared.n_vertices() as u32).map(new).collect();
    let old = |&cell: &u32| i64::from(done.repair.parent(cell));
    let cells = done.cleaning.kept_cells.iter().map(old).collect();
    let changes = [done.repair.summary(), done.cleaning.summary(), done.outward.summary()];
    let changes = changes.into_iter().flatten().map(|change| format!("mesh cleaned: {change}"));
    let warnings = changes.chain(done.repair.doubts()).chain(done.outward.doubts()).collect();
    let told = all_about(Subject::Mesh, warnings);
    Ok((made(mesh, options)?, list(py, vertices), list(py, cells), told))
}

/// Writes a mesh. Returns warnings about the data that the format cannot hold.
#[pyfunction]
pub fn write(py: Python<'_>, mesh: &Mesh, path: PathBuf, ascii: bool) -> PyResult<Told> {
    let (mesh, options) = (mesh.shared(), WriteOptions::default().ascii(ascii));
    let write = || write_mesh(&path, mesh.stored(), &options);
    let warnings = work::run(py, None, |_| mesh.cpu()?.run(write))?;
    Ok(all_about(Subject::File, warnings))
}

/// The voxels of a mesh: marks (x fastest), shape, origin, and warnings.
type Marks<'py> = (Bound<'py, PyArray1<u8>>, [usize; 3], [f64; 3], Told);

/// Marks the voxels inside a mesh, or those that its surface crosses.
#[pyfunction]
pub fn voxelize<'py>(
    py: Python<'py>,
    mesh: &Mesh,
    spacing: f64,
    margin: usize,
    surface: bool,
) -> PyResult<Marks<'py>> {
    let mesh = mesh.shared();
    let (voxels, warnings) = work::run(py, None, |_| {
        mesh.cpu()?.run(|| {
            if surface {
                return Ok((Voxels::passed(mesh.stored(), spacing, margin)?, Vec::new()));
            }
            let repairs = Repairs { weld: Weld::Auto, degenerate: None };
            let is_solid = mesh.stored().kind == mesh::Kind::Volume;
            let joined = is_solid.then(|| repair(mesh.stored().clone(), repairs)).transpose()?;
            let used = joined.as_ref().map_or(mesh.stored(), |(joined, _)| joined);
            let (voxels, orientation) = Voxels::inside(used, spacing, margin)?;
            let open = orientation.open_edges;
            let holes = (open > 0).then(|| {
                format!("{open} edges have only one triangle; winding numbers close the holes")
            });
            let empty = (voxels.count() == 0).then(|| "no voxel center is inside".to_string());
            let doubts = joined.iter().flat_map(|(_, repair)| repair.doubts());
            Ok((voxels, doubts.chain(holes).chain(empty).collect()))
        })
    })?;
    let told = all_about(Subject::Mesh, warnings);
    Ok((list(py, voxels.marks), voxels.shape, voxels.origin, told))
}
