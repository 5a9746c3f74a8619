//! Writer of quadtree and octree leaves: `.vtu`, `.vtp`, `.csv`.
//!
//! In `.vtu` and `.vtp` each leaf is a cell in world coordinates that covers its voxels: a
//! hexahedron, or a quad for a picture. The cell data and the columns of `.csv` are `i`, `j`, `k`
//! of the first voxel, `level` (2^level voxels along each axis, fewer where the volume ends),
//! `voxels` (their number) and `v` (their value).

use std::path::Path;

use super::vtk::{self, Compression, Geometry, VtkOutput};
use super::{atomic, write};
use zeroset_core::error::{Error, Result};
use zeroset_core::parallel::*;
use zeroset_core::points::Leaves;
use zeroset_core::primitives::{Leaf, memory};
use zeroset_core::volume::Volume;

/// Checks that [`write_leaves`] supports the extension of `path`.
///
/// # Errors
/// Returns [`Error::Case`] if the extension is not supported.
pub fn check_leaves_target(path: &Path) -> Result<()> {
    ending(path).map(drop)
}

fn ending(path: &Path) -> Result<&'static str> {
    let remedy = "end the name in .vtu, .vtp (of pictures) or .csv";
    write::ending(path, &["vtu", "vtp", "csv"], "leaves of a tree", remedy)
}

/// Writes the leaves of a volume. The file is written atomically. `compression` applies to `.vtu`
/// and `.vtp`.
///
/// # Errors
/// Returns the errors of [`check_leaves_target`], [`Error::Case`] if a volume with more than one
/// slice is written as `.vtp` or if there are too many leaves for `.vtu` or `.vtp`,
/// [`Error::Device`] if memory runs out, and [`Error::Output`] if the file cannot be written.
pub fn write_leaves(
    path: &Path,
    volume: &Volume,
    leaves: &Leaves,
    compression: Compression,
) -> Result<()> {
    let ending = ending(path)?;
    let is_flat = volume.shape()[2] == 1;
    if ending == "csv" {
        return write_csv(path, volume, leaves);
    }
    if ending == "vtp" && !is_flat {
        let what = format!("{}: .vtp cannot hold the boxes of a volume", path.display());
        return Err(Error::usage(what, "end the name in .vtu"));
    }
    let corners = if is_flat { &CORNERS[..4] } else { &CORNERS };
    let n = leaves.leaves.len() * corners.len();
    if u32::try_from(n).is_err() {
        let what = format!("{}: {n} corners, at most 2^32 - 1 are supported", path.display());
        return Err(Error::usage(what, "end the name in .csv"));
    }
    let mut points: Vec<[f64; 3]> = Vec::new();
    memory::reserve(&mut points, n, "corners of leaves", "end the name in .csv")?;
    points.par_extend(leaves.leaves.par_iter().flat_map_iter(|leaf| {
        let (low, high) = (leaf.cell, leaf.end(volume.shape()));
        corners.iter().map(move |corner| {
            let at = |k: usize| f64::from(if corner[k] == 1 { high[k] } else { low[k] }) - 0.5;
            let z = if is_flat { 0.0 } else { at(2) };
            volume.placement().world([at(0), at(1), z])
        })
    }));
    let numbers: Vec<u32> = (0..n as u32).collect();
    let geometry = match is_flat {
        true => Geometry::quads(&points, &numbers, compression),
        false => Geometry::hexahedra(&points, &numbers, compression),
    };
    let of = |number: &(dyn Fn(&Leaf) -> u32 + Sync)| -> Vec<u32> {
        leaves.leaves.par_iter().map(number).collect()
    };
    let [i, j, k] = [0, 1, 2].map(|a| of(&|leaf| leaf.cell[a]));
    let (level, voxels) = (of(&|leaf| leaf.level), of(&|leaf| n_voxels(volume, leaf)));
    let output = VtkOutput::new(&geometry)
        .cell_data("v", 1, &leaves.values)
        .cell_data("level", 1, &level)
        .cell_data("voxels", 1, &voxels)
        .cell_data("i", 1, &i)
        .cell_data("j", 1, &j)
        .cell_data("k", 1, &k);
    vtk::write(path, &output)
}

/// Corners of a cell in VTK order: around the lower side, then around the upper side. A 1 marks the
/// upper end of an axis.
const CORNERS: [[u8; 3]; 8] =
    [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]];

/// Returns the number of voxels in a leaf. Even all leaves together have fewer than 2^32 voxels.
fn n_voxels(volume: &Volume, leaf: &Leaf) -> u32 {
    let end = leaf.end(volume.shape());
    (0..3).map(|k| end[k] - leaf.cell[k]).product()
}

fn write_csv(path: &Path, volume: &Volume, leaves: &Leaves) -> Result<()> {
    atomic::write(path, |out| {
        out.write_all(b"i,j,k,level,voxels,v\n")?;
        leaves.leaves.iter().zip(&leaves.values).try_for_each(|(leaf, v)| {
            let ([i, j, k], level, n) = (leaf.cell, leaf.level, n_voxels(volume, leaf));
            writeln!(out, "{i},{j},{k},{level},{n},{v}")
        })
    })
}
