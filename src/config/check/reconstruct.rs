//! Checks a case that reconstructs a surface.

use super::check_path;
use super::flaws::Flaws;
use crate::config::Config;
use crate::config::output::SeriesFormat;
use crate::config::reconstruct::{CloudSource, Reconstruct};
use crate::config::tables::Precision;
use crate::reconstruct::Flaw;

pub(super) fn check(flaws: &mut Flaws, config: &Config, cloud: &CloudSource) {
    check_path(flaws, config, "domain.cloud.path", &cloud.path);
    let tasks = [
        ("initial", config.initial.is_some()),
        ("evolve", config.evolve.is_some()),
        ("distance", config.distance.is_some()),
    ];
    for (key, given) in tasks {
        let what = "is for [domain.mesh] and [domain.tiled], not for a point cloud";
        flaws.require(!given, key, what, "remove it, and add [reconstruct]");
    }
    let f32 = config.precision == Some(Precision::F32);
    flaws.require(
        !f32,
        "precision",
        "is \"f32\", but surfaces are reconstructed in f64 only",
        "remove it",
    );
    let what = "is \"vtkhdf\", but a reconstructed surface is not a series";
    flaws.require(config.output.format == SeriesFormat::Pvd, "output.format", what, "remove it");
    flaws.require(
        config.output.volume.is_none(),
        "output.volume",
        "is for [domain.tiled] only",
        "",
    );
    let files = config.output.interface_files.is_empty();
    flaws.require(files, "output.interface_files", "is for meshes and tiles", "remove it");
    match &config.reconstruct {
        Some(reconstruct) => check_table(flaws, reconstruct),
        // The messages about other tasks already ask for this table.
        None if tasks.iter().any(|(_, given)| *given) => {}
        None => flaws.add("", "the case has no task", "add a table [reconstruct]"),
    }
}

fn check_table(flaws: &mut Flaws, reconstruct: &Reconstruct) {
    let both = reconstruct.depth.is_some() && reconstruct.cell.is_some();
    flaws.require(!both, "reconstruct.cell", "conflicts with `depth`", "remove one of the two");
    fit(flaws, reconstruct, None)
}

/// Checks the options for a cloud with or without normals. If `has_normals` is `None`, only options
/// that are invalid for every cloud are errors.
pub(super) fn fit(flaws: &mut Flaws, reconstruct: &Reconstruct, has_normals: Option<bool>) {
    if let Some(Flaw { option, what, remedy }) = reconstruct.options().flaw(has_normals) {
        flaws.add(&format!("reconstruct.{option}"), what, remedy);
    }
}
