//! Writer of point lists: `.vtp`, `.ply`, `.npy`, `.csv`.
//!
//! Each point has its position, the value `v`, the indices `i`, `j`, `k` of its voxel and, in a
//! list of copies, `copy`. `.npy` and `.csv` have these seven or eight numbers as columns: x, y, z,
//! v, i, j, k, copy.

use std::fmt::Write as _;
use std::path::Path;

use super::vtk::{self, Compression, Geometry, VtkOutput};
use super::{atomic, ply, write};
use zeroset_core::error::{Error, Result};
use zeroset_core::mesh::{DataArray, Kind, Mesh, Values};
use zeroset_core::points::Points;

/// Checks that [`write_points`] supports the extension of `path`.
///
/// # Errors
/// Returns [`Error::Case`] if the extension is not supported.
pub fn check_points_target(path: &Path) -> Result<()> {
    ending(path).map(drop)
}

fn ending(path: &Path) -> Result<&'static str> {
    let remedy = "end the name in .vtp, .ply, .npy or .csv";
    write::ending(path, &["vtp", "ply", "npy", "csv"], "points", remedy)
}

/// Writes points in the format that the extension selects. The file is written atomically. An empty
/// list gives a valid file without points. `compression` applies to `.vtp`.
///
/// # Errors
/// Returns the errors of [`check_points_target`], [`Error::Case`] if 2^32 points or more are
/// written as `.vtp` or `.ply`, and [`Error::Output`] if the file cannot be written.
pub fn write_points(path: &Path, points: &Points, compression: Compression) -> Result<()> {
    let ending = ending(path)?;
    if u32::try_from(points.len()).is_err() && ending != "npy" && ending != "csv" {
        let what =
            format!("{}: {} points, at most 2^32 - 1 are supported", path.display(), points.len());
        return Err(Error::usage(what, "end the name in .npy or .csv"));
    }
    match ending {
        "vtp" => write_vtp(path, points, compression),
        "ply" => ply::write(path, &as_mesh(points), false, &mut Vec::new()),
        "npy" => write_npy(path, points),
        _ => write_csv(path, points),
    }
}

fn axis(points: &Points, axis: usize) -> Vec<u32> {
    points.voxels.iter().map(|voxel| voxel[axis]).collect()
}

fn write_vtp(path: &Path, points: &Points, compression: Compression) -> Result<()> {
    let vertices: Vec<u32> = (0..points.len() as u32).collect();
    let geometry = Geometry::vertices(&points.positions, &vertices, compression);
    let [i, j, k] = [0, 1, 2].map(|a| axis(points, a));
    let mut output = VtkOutput::new(&geometry)
        .point_data("v", 1, &points.values)
        .point_data("i", 1, &i)
        .point_data("j", 1, &j)
        .point_data("k", 1, &k);
    if let Some(copies) = &points.copies {
        output = output.point_data("copy", 1, copies);
    }
    vtk::write(path, &output)
}

/// Returns the points as a mesh without cells.
fn as_mesh(points: &Points) -> Mesh {
    let mut mesh = Mesh::new(Kind::Surface, points.positions.clone(), Vec::new());
    let array = |name: &str, values| DataArray { name: name.into(), components: 1, values };
    mesh.vertex_data.push(array("v", Values::Float(points.values.clone())));
    let whole = |numbers: Vec<u32>| Values::Int(numbers.into_iter().map(i64::from).collect());
    for (k, name) in ["i", "j", "k"].into_iter().enumerate() {
        mesh.vertex_data.push(array(name, whole(axis(points, k))));
    }
    if let Some(copies) = &points.copies {
        mesh.vertex_data.push(array("copy", whole(copies.clone())));
    }
    mesh
}

/// Returns the names of the columns.
fn columns(points: &Points) -> &'static [&'static str] {
    const COLUMNS: [&str; 8] = ["x", "y", "z", "v", "i", "j", "k", "copy"];
    if points.copies.is_some() { &COLUMNS } else { &COLUMNS[..7] }
}

/// Returns the numbers of point `n` in the order of the columns. Only the first
/// `columns(points).len()` of them are used.
fn row(points: &Points, n: usize) -> [f64; 8] {
    let [x, y, z] = points.positions[n];
    let [i, j, k] = points.voxels[n].map(f64::from);
    let copy = points.copies.as_ref().map_or(0, |copies| copies[n]);
    [x, y, z, points.values[n], i, j, k, f64::from(copy)]
}

/// Writes 64-bit floating-point numbers, one row per point.
fn write_npy(path: &Path, points: &Points) -> Result<()> {
    let (n, width) = (points.len(), columns(points).len());
    let head = super::volume::npy_head(&format!(
        "{{'descr': '<f8', 'fortran_order': False, 'shape': ({n}, {width}), }}"
    ));
    atomic::write(path, |out| {
        out.write_all(&head)?;
        let numbers = (0..n).flat_map(|n| row(points, n).into_iter().take(width));
        numbers.map(f64::to_le_bytes).try_for_each(|bytes| out.write_all(&bytes))
    })
}

fn write_csv(path: &Path, points: &Points) -> Result<()> {
    atomic::write(path, |out| {
        points_text(points).try_for_each(|piece| out.write_all(piece.as_bytes()))
    })
}

/// Returns the points as the text of a `.csv` file, piece by piece: the column names, then one row
/// per point. Numbers have enough digits to be read back exactly.
pub fn points_text(points: &Points) -> impl Iterator<Item = String> {
    /// The number of points per piece.
    const PIECE: usize = 1 << 10;
    let names = columns(points);
    let piece = move |first: usize| {
        let mut text = String::new();
        for n in first..(first + PIECE).min(points.len()) {
            for (k, x) in row(points, n)[..names.len()].iter().enumerate() {
                let _ = write!(text, "{}{x}", if k == 0 { "" } else { "," });
            }
            text.push('\n');
        }
        text
    };
    std::iter::once(names.join(",") + "\n").chain((0..points.len()).step_by(PIECE).map(piece))
}
