//! Checks a case that reconstructs a surface.

use super::{Checked, check_path, flaw, require};
use crate::config::Config;
use crate::config::reconstruct::{CloudSource, Reconstruct};
use crate::config::tables::{Precision, SeriesFormat};
use crate::reconstruct::Flaw;

pub(super) fn check(config: &Config, cloud: &CloudSource) -> Checked {
    check_path(config, "domain.cloud.path", &cloud.path)?;
    let tasks = [
        ("initial", config.initial.is_some()),
        ("evolve", config.evolve.is_some()),
        ("distance", config.distance.is_some()),
    ];
    for (key, given) in tasks {
        let what = "is for [domain.mesh] and [domain.tiled], not for a point cloud";
        require(!given, key, what, "remove it, and add [reconstruct]")?;
    }
    let f32 = config.precision == Some(Precision::F32);
    require(
        !f32,
        "precision",
        "is \"f32\", but surfaces are reconstructed in f64 only",
        "remove it",
    )?;
    let what = "is \"vtkhdf\", but a reconstructed surface is not a series";
    require(config.output.format == SeriesFormat::Pvd, "output.format", what, "remove it")?;
    require(config.output.volume.is_none(), "output.volume", "is for [domain.tiled] only", "")?;
    let files = config.output.interface_files.is_empty();
    require(files, "output.interface_files", "is for meshes and tiles", "remove it")?;
    match &config.reconstruct {
        Some(reconstruct) => check_table(reconstruct),
        None => Err(flaw("", "the case has no task", "add a table [reconstruct]")),
    }
}

fn check_table(reconstruct: &Reconstruct) -> Checked {
    let both = reconstruct.depth.is_some() && reconstruct.cell.is_some();
    require(!both, "reconstruct.cell", "conflicts with `depth`", "remove one of the two")?;
    fit(reconstruct, None)
}

/// Checks the options for a cloud with or without normals. If `has_normals` is `None`, only options
/// that are invalid for every cloud are errors.
pub(in crate::config) fn fit(reconstruct: &Reconstruct, has_normals: Option<bool>) -> Checked {
    match reconstruct.options().flaw(has_normals) {
        None => Ok(()),
        Some(Flaw { option, what, remedy }) => {
            Err(flaw(&format!("reconstruct.{option}"), what, remedy))
        }
    }
}
