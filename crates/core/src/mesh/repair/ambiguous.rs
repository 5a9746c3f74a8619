//! Refusal of meshes whose parts overlap or do not fit together.

use super::{Repair, Weld};
use crate::error::{Error, Result};

/// Up to this number of cells, and up to this fraction of all cells, a finding changes results only
/// within a few cells.
const FEW: usize = 10;
const SHARE: f64 = 0.01;

/// A place where the cells of a mesh contradict each other. A repair would have to guess what was
/// meant.
pub(super) struct Finding {
    /// The number of cells or facets.
    pub(super) count: usize,
    /// The finding and its effect.
    pub(super) what: String,
    /// The remedy, for the user.
    pub(super) remedy: String,
    /// Whether it is a gap between boundaries, which a larger `weld` would close.
    pub(super) is_gap: bool,
}

impl Finding {
    /// Returns a sentence for a mesh that is used nevertheless.
    pub(super) fn doubt(&self) -> String {
        format!("{}; {}", self.what, self.remedy)
    }

    fn is_small(&self, n_cells: usize) -> bool {
        self.count <= FEW && self.count as f64 <= SHARE * n_cells as f64
    }
}

impl Repair {
    pub(super) fn findings(&self) -> impl Iterator<Item = Finding> {
        let overlaps = [self.overlap.finding(), self.duplicates.finding()];
        let gaps = [self.join.finding(), self.unmatched.finding(), self.hanging.finding()];
        overlaps.into_iter().chain(gaps).flatten()
    }

    /// Refuses a mesh whose parts overlap, whose boundaries nearly coincide or have hanging nodes,
    /// or whose surface is stored twice with opposite orientations, because results would depend on
    /// what was meant. `weld` is the setting of the repair, and `n_cells` is the number of repaired
    /// cells.
    ///
    /// With [`Weld::Never`], the parts are meant to be separate, so nothing is refused. With
    /// [`Weld::Within`], sides that are further apart are meant to be separate. A few cells are
    /// only a doubt (see [`Repair::doubts`]), because they change results by about their size.
    ///
    /// # Errors
    /// Returns [`Error::Mesh`] with the number of cells, the first of them, and the remedy.
    pub fn refuse(&self, weld: Weld, n_cells: usize) -> Result<()> {
        let is_refused = |found: &Finding| {
            let is_meant = match weld {
                Weld::Auto => false,
                Weld::Within(_) => found.is_gap,
                Weld::Never => true,
            };
            !is_meant && !found.is_small(n_cells)
        };
        match self.findings().find(is_refused) {
            None => Ok(()),
            Some(Finding { what, remedy, .. }) => {
                let keep = "`weld = \"never\"` (--weld never) uses the parts as they are";
                Err(Error::mesh("", what, format!("{remedy}; {keep}")))
            }
        }
    }
}
