//! The first and the last arrival of a front in each region of cells.

use std::collections::{BTreeMap, BTreeSet};

use super::MeshSetup;
use crate::config::{Config, Distance};
use crate::error::{Error, Result};
use crate::output::RegionFound;
use crate::run::cleaned_mesh::CleanedMesh;

/// The largest number of regions. The report lists each of them.
const MOST_REGIONS: usize = 10_000;

/// Returns the number of the region of each cell, `[n_cells]` in the order of the cleaned mesh, or
/// an empty list if the case requests no regions.
///
/// # Errors
/// Returns [`Error::Case`] if there is no such cell array, or if its values are not the numbers of
/// at most 10,000 regions.
pub(super) fn numbers(
    config: &Config,
    distance: &Distance,
    cleaned: &CleanedMesh,
) -> Result<Vec<i64>> {
    let Some(name) = &distance.regions else { return Ok(Vec::new()) };
    let located = config.locate("distance.regions");
    let wrong = |what: String| Error::usage(what, "choose an array of region numbers");
    let mut numbers = Vec::with_capacity(cleaned.mesh.n_cells());
    for (c, number) in cleaned.cell_array(name).map_err(&located)?.into_iter().enumerate() {
        if number as i64 as f64 != number {
            let c = cleaned.stored_cell(c);
            let what = format!("cell {c}: array \"{name}\" is {number}, which is not an integer");
            return Err(located(wrong(what)));
        }
        numbers.push(number as i64);
    }
    let n = numbers.iter().collect::<BTreeSet<_>>().len();
    if n > MOST_REGIONS {
        let what = format!("the array \"{name}\" has {n} regions, more than {MOST_REGIONS}");
        return Err(located(wrong(what)));
    }
    Ok(numbers)
}

impl MeshSetup {
    /// Returns the first and the last arrival in each region, by number. `numbers` are those of
    /// [`numbers`], and `arrival` has the arrival time of each vertex, `[n_vertices]` in the order
    /// of the cleaned mesh, which is infinite or NaN if no front arrives.
    pub(super) fn regions(&self, numbers: &[i64], arrival: &[f64]) -> Vec<RegionFound> {
        let mut found = BTreeMap::new();
        for (cell, &region) in self.cleaned.mesh.iter_cells().zip(numbers) {
            let none = RegionFound { region, first: None, last: None, cells_not_reached: 0 };
            let entry: &mut RegionFound = found.entry(region).or_insert(none);
            let times =
                || cell.iter().map(|&v| arrival[v as usize]).filter(|time| time.is_finite());
            entry.cells_not_reached += usize::from(times().count() < cell.len());
            entry.first = times().chain(entry.first).reduce(f64::min);
            entry.last = times().chain(entry.last).reduce(f64::max);
        }
        found.into_values().collect()
    }
}
