//! The speeds of a distance from the values of a volume.

use super::CleanedMesh;
use super::read_volumes::Named;
use crate::config::{Config, VolumeArray};
use crate::error::{Error, Result};
use crate::io::VolumeFile;
use crate::mesh::Mesh;
use crate::parallel::*;
use crate::volume::Volume;
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
    let refused = |(what, remedy): Refusal| Error::input(&path, "", what, remedy);
    let found = interpolated(&cleaned.mesh, &volume, key).map_err(refused)?;
    if let Some(doubt) = found.doubt() {
        let warning = format!("{}: {doubt}", path.display());
        tracing::warn!("{warning}");
        warnings.push(warning);
    }
    Ok(found.values)
}

/// Values of a volume at the centroids of the cells of a mesh.
pub(super) struct Interpolated {
    /// The values, `[n_cells]`.
    pub values: Vec<f64>,
    /// The number of centroids outside the volume.
    outside: usize,
}

impl Interpolated {
    /// Returns a warning if a centroid lies outside the volume.
    pub fn doubt(&self) -> Option<String> {
        (self.outside > 0).then(|| {
            format!(
                "{} of the mesh outside the volume: the speed there is that at the nearest point \
                 of the volume",
                counted(self.outside, ["cell lies", "cells lie"])
            )
        })
    }
}

/// An error in a volume, and its remedy.
pub(super) type Refusal = (String, &'static str);

/// Interpolates a volume as [`at_centroids`] does. `key` is what needs the values.
///
/// # Errors
/// Returns an error if a value of the volume is not finite.
pub(super) fn interpolated(
    mesh: &Mesh,
    volume: &Volume,
    key: &str,
) -> std::result::Result<Interpolated, Refusal> {
    let found = volume.statistics();
    let none = found.nan + found.infinite;
    if none > 0 {
        let what = format!(
            "{} not finite, but {key} needs finite values",
            counted(none, ["value is", "values are"])
        );
        return Err((what, "replace them with finite numbers"));
    }
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
    Ok(Interpolated { values, outside })
}
