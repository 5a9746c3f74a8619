//! Named parts of a surface file (objects, solids), as groups of its cells.

use std::collections::BTreeMap;

use zeroset_core::mesh::{Group, Members};

/// Collects the cells that belong to each name.
#[derive(Default)]
pub(super) struct Parts {
    /// The position of each name in `groups`.
    positions: BTreeMap<String, usize>,
    groups: Vec<(String, Vec<u32>)>,
}

impl Parts {
    /// Adds `cells` to the part `name`. Cells of a part without a name are ignored.
    pub(super) fn add(&mut self, name: &str, cells: std::ops::Range<usize>) {
        if name.is_empty() {
            return;
        }
        let next = self.groups.len();
        let k = *self.positions.entry(name.to_string()).or_insert(next);
        if k == next {
            self.groups.push((name.to_string(), Vec::new()));
        }
        let members = &mut self.groups[k].1;
        // An object and a group of an OBJ file may share a name and a cell.
        let begin = members.last().map_or(0, |&last| last as usize + 1).max(cells.start);
        members.extend((begin..cells.end).map(|cell| cell as u32));
    }

    /// Returns the parts in the order of the file. A part that is the whole mesh carries no
    /// information and is left out.
    pub(super) fn into_groups(self, n_cells: usize) -> Vec<Group> {
        let parts = self.groups.into_iter().filter(|(_, cells)| cells.len() < n_cells);
        parts.map(|(name, cells)| Group { name, members: Members::Cells(cells) }).collect()
    }
}
