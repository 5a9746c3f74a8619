//! Lists of points into files: `.vtp`, `.ply`, `.npy`, `.csv`.
//!
//! Each point has its place, the value `v` and the indices `i`, `j`, `k` of its voxel. `.npy` and
//! `.csv` have these seven as columns: x, y, z, v, i, j, k.

use std::io::Write;
use std::path::Path;

use super::vtk::{self, Compression, Geometry, VtkOutput};
use super::{atomic, meant, ply, sniff};
use crate::error::{Error, Result};
use crate::mesh::{DataArray, Kind, Mesh, Values};
use crate::points::Points;

const ENDINGS: [&str; 4] = ["vtp", "ply", "npy", "csv"];

/// Says whether [`write_points`] can write to `path`, as far as its name tells.
///
/// # Errors
/// [`Error::Case`] for an ending that is not known.
pub fn check_points_target(path: &Path) -> Result<()> {
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    if ENDINGS.contains(&ending.as_str()) {
        return Ok(());
    }
    let near = meant(&sniff::extension(path), ENDINGS);
    let what = format!("{}: points are not written with this ending", path.display());
    Err(Error::usage(what, near + "end the name in .vtp, .ply, .npy or .csv"))
}

/// Writes points; the file appears whole or not at all. A list without points is a file without
/// any.
///
/// # Errors
/// Those of [`check_points_target`]; [`Error::Output`].
pub fn write_points(path: &Path, points: &Points) -> Result<()> {
    check_points_target(path)?;
    let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
    match ending.to_str() {
        Some("vtp") => write_vtp(path, points),
        Some("ply") => ply::write(path, &as_mesh(points), false, &mut Vec::new()),
        Some("npy") => write_npy(path, points),
        _ => write_csv(path, points),
    }
}

fn axis(points: &Points, axis: usize) -> Vec<u32> {
    points.voxels.iter().map(|voxel| voxel[axis]).collect()
}

fn write_vtp(path: &Path, points: &Points) -> Result<()> {
    let vertices: Vec<u32> = (0..points.len() as u32).collect();
    let geometry = Geometry::vertices(&points.positions, &vertices, Compression::default());
    let [i, j, k] = [0, 1, 2].map(|a| axis(points, a));
    let output = VtkOutput::new(&geometry)
        .point_data("v", 1, &points.values)
        .point_data("i", 1, &i)
        .point_data("j", 1, &j)
        .point_data("k", 1, &k);
    vtk::write(path, &output)
}

/// A mesh without cells.
fn as_mesh(points: &Points) -> Mesh {
    let mut mesh = Mesh::new(Kind::Surface, points.positions.clone(), Vec::new());
    let array = |name: &str, values| DataArray { name: name.into(), components: 1, values };
    mesh.vertex_data.push(array("v", Values::Float(points.values.clone())));
    for (k, name) in ["i", "j", "k"].into_iter().enumerate() {
        let numbers = axis(points, k).into_iter().map(i64::from).collect();
        mesh.vertex_data.push(array(name, Values::Int(numbers)));
    }
    mesh
}

/// The seven numbers of each point in turn.
fn rows(points: &Points) -> impl Iterator<Item = [f64; 7]> {
    let given = points.positions.iter().zip(&points.values).zip(&points.voxels);
    given.map(|(([x, y, z], v), voxel)| {
        let [i, j, k] = voxel.map(f64::from);
        [*x, *y, *z, *v, i, j, k]
    })
}

/// Numbers of 64 bits, a row per point.
fn write_npy(path: &Path, points: &Points) -> Result<()> {
    let n = points.len();
    let head = super::volume::npy_head(&format!(
        "{{'descr': '<f8', 'fortran_order': False, 'shape': ({n}, 7), }}"
    ));
    atomic::write(path, |out| {
        out.write_all(&head)?;
        rows(points).flatten().try_for_each(|x| out.write_all(&x.to_le_bytes()))
    })
}

/// Text, each number with all its digits.
fn write_csv(path: &Path, points: &Points) -> Result<()> {
    atomic::write(path, |out| {
        out.write_all(b"x,y,z,v,i,j,k\n")?;
        rows(points).try_for_each(|[x, y, z, v, i, j, k]| write_row(out, &[x, y, z, v, i, j, k]))
    })
}

fn write_row(out: &mut dyn Write, row: &[f64]) -> std::io::Result<()> {
    for (k, x) in row.iter().enumerate() {
        write!(out, "{}{x}", if k == 0 { "" } else { "," })?;
    }
    out.write_all(b"\n")
}
