//! The speeds of a distance from the values of a volume.

use super::CleanedMesh;
use super::read_volumes::Named;
use crate::config::{Config, VolumeArray};
use crate::error::{Error, Result};
use crate::io::VolumeFile;
use crate::parallel::*;
use crate::words::counted;

/// The distance of a centroid from the centers of the outermost voxels, in voxels, above which it
/// counts as outside the volume.
const OUTSIDE: f64 = 0.5;

/// Returns the values of a volume at the centroids of the cells, interpolated trilinearly,
/// `[n_cells]`. A centroid outside the volume gets the value at the nearest point of its boundary,
/// and a warning states how many there are.
///
/// # Errors
/// Returns the errors of [`Named::read`]. Returns [`Error::Input`] if a value is not finite.
pub(super) fn at_centroids(
    config: &Config,
    cleaned: &CleanedMesh,
    key: &str,
    from: &VolumeArray,
    warnings: &mut Vec<String>,
) -> Result<Vec<f64>> {
    let named =
        Named { table: key, path: &from.volume, raw: from.raw.as_deref(), options: from.reading() };
    let (path, VolumeFile { volume, .. }) = named.read(config, warnings)?;
    let found = volume.statistics();
    let none = found.nan + found.infinite;
    if none > 0 {
        let what = format!(
            "{} not finite, but {key} needs finite values",
            counted(none, ["value is", "values are"])
        );
        return Err(Error::input(&path, "", what, "replace them with finite numbers"));
    }
    let mesh = &cleaned.mesh;
    let arity = mesh.kind.arity();
    let last = volume.shape().map(|n| n as f64 - 1.0 + OUTSIDE);
    let of_cell = |corners: &[u32]| {
        let mut centroid = [0.0; 3];
        for &v in corners {
            let x = mesh.vertices[v as usize];
            (0..3).for_each(|k| centroid[k] += x[k] / arity as f64);
        }
        let index = volume.placement().index(centroid);
        let is_inside = (0..3).all(|k| (-OUTSIDE..=last[k]).contains(&index[k]));
        (volume.sample_extended(index), is_inside)
    };
    let (values, are_inside): (Vec<f64>, Vec<bool>) =
        mesh.cells.par_chunks_exact(arity).map(of_cell).unzip();
    let outside = are_inside.iter().filter(|&&is_inside| !is_inside).count();
    if outside > 0 {
        let warning = format!(
            "{}: {} of the mesh outside the volume: the speed there is that at the nearest point of \
             the volume",
            path.display(),
            counted(outside, ["cell lies", "cells lie"])
        );
        tracing::warn!("{warning}");
        warnings.push(warning);
    }
    Ok(values)
}
