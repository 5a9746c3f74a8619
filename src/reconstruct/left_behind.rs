//! A warning about samples that are left behind: far from a surface that passes the self-check.

use super::self_check::SelfCheck;
use crate::error::Result;
use crate::geometry::Vec3;
use crate::mesh::Mesh;
use crate::parallel::*;
use crate::point_distance::{Index, Sites};
use crate::surface::Locator;
use crate::words::counted;

/// The number of nearest samples whose mean distance is the spacing at a sample.
const NEIGHBORS: usize = 8;
/// Samples are dense if their spacing is less than this fraction of the edge of a cube.
const DENSE: f64 = 0.5;

/// Returns a warning if samples are left behind. Dense ones belong to parts that are thinner than a
/// cube. The others belong to no surface.
///
/// # Errors
/// Returns the errors of [`Sites::new`].
pub(super) fn warning(
    mesh: &Mesh,
    points: &[[f64; 3]],
    check: &SelfCheck,
) -> Result<Option<String>> {
    if check.left_behind == 0 {
        return Ok(None);
    }
    let locator = Locator::new(mesh);
    let is_behind = |(_, x): &(usize, &[f64; 3])| {
        locator.closest(Vec3::from(**x)).is_some_and(|found| found.gap > check.behind)
    };
    let behind: Vec<usize> =
        points.par_iter().enumerate().filter(is_behind).map(|(i, _)| i).collect();
    let index = Index::new(&Sites::new(points)?);
    let around = index.map_neighbors(NEIGHBORS, |_, found| {
        let sum: f64 = found.iter().map(|found| found.key.sqrt()).sum();
        sum / found.len().max(1) as f64
    });
    let mut spacings: Vec<f64> = behind.iter().map(|&i| around[i]).collect();
    spacings.sort_unstable_by(f64::total_cmp);
    let median = spacings.get(spacings.len() / 2).copied().unwrap_or(0.0);
    let why = match median < DENSE * check.cube {
        true => format!(
            "most of them are only {median:.1e} apart, so they may belong to parts thinner than a \
             cube, which are lost; reconstruct the samples around these parts alone, with smaller \
             cubes (`--where EXPRESSION --cell {median:.1e}`)"
        ),
        false => "look for points that belong to no surface".into(),
    };
    Ok(Some(format!(
        "left behind: {} of {}, more than {:.3e} from the surface: {why}",
        counted(behind.len(), ["sample", "samples"]),
        points.len(),
        check.behind
    )))
}
