//! What a case that reconstructs a surface may say.

use super::{Checked, check_path, flaw, positive, require};
use crate::config::Config;
use crate::config::reconstruct::{CloudSource, Reconstruct};
use crate::config::tables::{Precision, SeriesFormat};
use crate::reconstruct::directed::MOST_DEPTH;

pub(super) fn check(config: &Config, cloud: &CloudSource) -> Checked {
    check_path(config, "domain.cloud.path", &cloud.path)?;
    let tasks = [
        ("initial", config.initial.is_some()),
        ("evolve", config.evolve.is_some()),
        ("distance", config.distance.is_some()),
    ];
    for (key, given) in tasks {
        let what = "is for [domain.mesh] and [domain.tiled], not for a cloud of points";
        require(!given, key, what, "remove it, and add [reconstruct]")?;
    }
    let f32 = config.precision == Some(Precision::F32);
    require(!f32, "precision", "is \"f32\": surfaces of clouds are f64", "remove it")?;
    let what = "is \"vtkhdf\", which a reconstructed surface is not written as";
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
    if let Some(depth) = reconstruct.depth {
        let what = format!("must be 1 to {MOST_DEPTH}, is {depth}");
        require((1..=MOST_DEPTH).contains(&depth), "reconstruct.depth", what, "")?;
        let what = "stands beside `depth`";
        require(reconstruct.cell.is_none(), "reconstruct.cell", what, "remove one of the two")?;
    }
    positive("reconstruct.cell", reconstruct.cell)?;
    let factor = reconstruct.outliers;
    let what = format!("must be 0 (keep all) or more, is {factor}");
    require(factor.is_finite() && factor >= 0.0, "reconstruct.outliers", what, "")?;
    let rounds = reconstruct.smooth;
    require(rounds <= 1000, "reconstruct.smooth", format!("must be 0 to 1000, is {rounds}"), "")
}
