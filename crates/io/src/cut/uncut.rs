//! The cells of a file that cannot be cut into simplices.

use std::fmt::Display;
use std::ops::Range;

use zeroset_core::error::{Flaw, FlawKind, Position, Result};
use zeroset_core::mesh::{DataArray, Members, Mesh, Values};
use zeroset_core::words::counted;

/// The cells of a file that cannot be cut into simplices, and the simplices that stand in for them
/// until they are removed.
#[derive(Clone, Debug, Default)]
pub struct Uncut {
    n: usize,
    /// The position of the first cell that cannot be cut, and the reason for it.
    first: Option<(Position, String)>,
    /// The simplices that stand in for the cells that cannot be cut, as ranges of cell indices in
    /// the mesh.
    cells: Vec<Range<u32>>,
}

impl Uncut {
    /// Adds the cell at `position` in the file. `cells` are the cells of the mesh that stand in for
    /// it.
    pub(crate) fn push(&mut self, position: Position, why: impl Display, cells: Range<u32>) {
        self.n += 1;
        self.first.get_or_insert_with(|| (position, why.to_string()));
        if !cells.is_empty() {
            self.cells.push(cells);
        }
    }

    /// Appends the cells of another list.
    pub(crate) fn append(&mut self, other: Uncut) {
        self.n += other.n;
        self.first = self.first.take().or(other.first);
        self.cells.extend(other.cells);
    }

    /// Returns true if all cells can be cut.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// Returns one sentence that states how many cells cannot be cut, with the position of the
    /// first and the reason for it, or `None` if all cells can be cut.
    pub fn summary(&self) -> Option<String> {
        let (position, why) = self.first.as_ref()?;
        let cells = counted(self.n, ["cell that cannot be cut is", "cells that cannot be cut are"]);
        Some(format!("{cells} left out, beginning with {position}: {why}"))
    }

    /// Returns the flaw of the first cell that cannot be cut, or `None` if all cells can be cut.
    fn flaw(&self) -> Option<Flaw> {
        let (position, why) = self.first.clone()?;
        let others = match self.n - 1 {
            0 => String::new(),
            n => format!("; {} cannot be cut either", counted(n, ["other cell", "other cells"])),
        };
        let remedy = "correct the cell, or leave such cells out with --skip-unsupported (skip_unsupported = true)";
        let flaw = Flaw::at(position, format!("{why}{others}"), remedy);
        Some(flaw.kind_of(FlawKind::Unsupported))
    }

    /// If `skip` is true, removes the simplices that stand in for these cells from `mesh`, empties
    /// this list, and returns a warning. Otherwise, such a cell is an error.
    ///
    /// # Errors
    /// Returns the [`Flaw`] of the first cell that cannot be cut, if `skip` is false.
    pub(crate) fn settle(&mut self, mesh: &mut Mesh, skip: bool) -> Result<Option<String>, Flaw> {
        match self.flaw() {
            Some(flaw) if !skip => return Err(flaw),
            None => return Ok(None),
            Some(_) => {}
        }
        let mut keep = vec![true; mesh.n_cells()];
        for range in &self.cells {
            for cell in range.clone() {
                if let Some(keep) = keep.get_mut(cell as usize) {
                    *keep = false;
                }
            }
        }
        if keep.contains(&false) {
            retain(mesh, &keep);
        }
        let summary = self.summary();
        *self = Uncut::default();
        Ok(summary)
    }
}

/// Removes the cells whose flag in `keep` is false, with their data and their places in groups. All
/// vertices stay.
fn retain(mesh: &mut Mesh, keep: &[bool]) {
    let arity = mesh.kind.arity();
    mesh.cells = rows(&mesh.cells, arity, keep);
    for DataArray { components, values, .. } in &mut mesh.cell_data {
        match values {
            Values::Float(v) => *v = rows(v, *components, keep),
            Values::Int(v) => *v = rows(v, *components, keep),
        }
    }
    let mut next = 0;
    let numbers: Vec<Option<u32>> = keep
        .iter()
        .map(|&kept| {
            let number = kept.then_some(next);
            next += u32::from(kept);
            number
        })
        .collect();
    for group in &mut mesh.groups {
        if let Members::Cells(cells) = &mut group.members {
            let kept = cells.iter().filter_map(|&c| numbers.get(c as usize).copied().flatten());
            *cells = kept.collect();
        }
    }
}

fn rows<T: Copy>(values: &[T], components: usize, keep: &[bool]) -> Vec<T> {
    let rows = values.chunks_exact(components.max(1)).zip(keep);
    rows.filter(|(_, keep)| **keep).flat_map(|(row, _)| row).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use zeroset_core::error::Element;
    use zeroset_core::mesh::{Group, Kind};

    #[test]
    fn cells_are_an_error_or_left_out_with_their_rows() {
        let mut mesh = Mesh::new(Kind::Planar, vec![[0.0; 3]; 3], vec![0, 1, 2, 1, 2, 0, 2, 0, 1]);
        let values = Values::Int(vec![1, 2, 3, 4, 5, 6]);
        mesh.cell_data.push(DataArray { name: "a".into(), components: 2, values });
        mesh.groups.push(Group { name: "g".into(), members: Members::Cells(vec![1, 2]) });
        let mut uncut = Uncut::default();
        assert_eq!(uncut.settle(&mut mesh, false).unwrap(), None);
        uncut.push(Position::element(Element::Face, 7), "it crosses itself", 1..2);
        uncut.push(Position::element(Element::Face, 9), "it is open", 0..0);
        let error = uncut.settle(&mut mesh, false).unwrap_err().to_string();
        assert!(error.starts_with("face 7: it crosses itself; 1 other cell cannot"), "{error}");
        let warning = uncut.settle(&mut mesh, true).unwrap().unwrap();
        assert_eq!(
            warning,
            "2 cells that cannot be cut are left out, beginning with face 7: it crosses itself"
        );
        assert_eq!(mesh.cells, [0, 1, 2, 2, 0, 1]);
        assert_eq!(mesh.cell_data[0].values, Values::Int(vec![1, 2, 5, 6]));
        assert_eq!(mesh.groups[0].members, Members::Cells(vec![1]));
        assert!(uncut.is_empty());
    }
}
