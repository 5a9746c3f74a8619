//! The first and the last arrival of a front in each region of cells.

use std::collections::BTreeMap;

use super::MeshSetup;
use crate::config::Distance;
use crate::error::{Error, Result};
use crate::output::RegionFound;

/// The largest number of regions. The report lists each of them.
const MOST_REGIONS: usize = 10_000;

impl MeshSetup {
    /// Returns the first and the last arrival in each region that the case requests, by number.
    /// `arrival` has the arrival time of each vertex, `[n_vertices]` in the order of the cleaned
    /// mesh, which is infinite or NaN if no front arrives.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if there is no such cell array, or if its values are not the numbers
    /// of at most 10,000 regions.
    pub(super) fn regions(&self, distance: &Distance, arrival: &[f64]) -> Result<Vec<RegionFound>> {
        let Some(name) = &distance.regions else { return Ok(Vec::new()) };
        let cleaned = &self.cleaned;
        let located = self.config.locate("distance.regions");
        let numbers = cleaned.cell_array(name).map_err(&located)?;
        let mut found = BTreeMap::new();
        for (c, (cell, number)) in cleaned.mesh.iter_cells().zip(numbers).enumerate() {
            let region = number as i64;
            if region as f64 != number {
                let c = cleaned.stored_cell(c);
                let what =
                    format!("cell {c}: array \"{name}\" is {number}, which is not an integer");
                return Err(located(Error::usage(what, "choose an array of region numbers")));
            }
            let none = RegionFound { region, first: None, last: None, cells_not_reached: 0 };
            let entry: &mut RegionFound = found.entry(region).or_insert(none);
            let times =
                || cell.iter().map(|&v| arrival[v as usize]).filter(|time| time.is_finite());
            entry.cells_not_reached += usize::from(times().count() < cell.len());
            entry.first = times().chain(entry.first).reduce(f64::min);
            entry.last = times().chain(entry.last).reduce(f64::max);
            if found.len() > MOST_REGIONS {
                let what = format!("the array \"{name}\" has more than {MOST_REGIONS} regions");
                return Err(located(Error::usage(what, "choose an array of region numbers")));
            }
        }
        Ok(found.into_values().collect())
    }
}
