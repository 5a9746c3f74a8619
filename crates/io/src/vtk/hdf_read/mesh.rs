//! The points, cells and data of one state of an unstructured grid or of poly data.

use std::ops::Range;

use super::super::grid::{Grid, to_points};
use super::super::legacy::append_polydata;
use super::super::polyhedra::POLYHEDRON;
use super::arrays::Arrays;
use zeroset_core::error::{Flaw, FlawKind, Result};
use zeroset_core::mesh::DataArray;

/// The kinds of cells of poly data, in the order of their offsets and of their cell data.
const TOPOLOGIES: [&str; 4] = ["Vertices/", "Lines/", "Polygons/", "Strips/"];
/// The prefix of the arrays of an unstructured grid, which has one kind of cells.
const GRID: [&str; 1] = [""];

/// The data set of one state.
pub(super) struct DataSet<'a> {
    pub arrays: &'a Arrays,
    /// The index of the state, if the file is a series.
    pub state: Option<usize>,
    pub polydata: bool,
}

/// The cells of one kind, with the cells of all parts of a state.
struct Cells {
    /// The number of cells of each part.
    of_parts: Vec<u64>,
    /// For each part, the ends of its cells in its own part of `connectivity`.
    ends: Vec<Vec<usize>>,
    /// The points of the cells of each part, as point indices within that part.
    connectivity: Vec<Vec<i64>>,
    /// The first row of the arrays with one row per cell.
    first: u64,
}

impl DataSet<'_> {
    /// Reads the points, cells and data of the state.
    pub fn read(&self) -> Result<Grid, Flaw> {
        let (parts, first_point) = self.parts()?;
        let of_parts = self.of_parts("NumberOfPoints", &parts)?;
        let n_points = total(&of_parts, "NumberOfPoints")?;
        let mut grid = Grid::default();
        let points = self.arrays.array("Points")?;
        if points.width() != 3 {
            return Err(points.fail(&format!("has {} columns instead of 3", points.width())));
        }
        grid.points = to_points(self.arrays.rows(&points, first_point, n_points)?);
        let kinds: &[&str] = if self.polydata { &TOPOLOGIES } else { &GRID };
        let cells: Result<Vec<Cells>, Flaw> =
            (kinds.iter().enumerate()).map(|(k, kind)| self.cells(kind, k, &parts)).collect();
        let cells = cells?;
        let first_cell = cells.iter().fold(0_u64, |sum, cells| sum.saturating_add(cells.first));
        self.assemble(cells, &of_parts, &mut grid)?;
        let n_cells = match self.polydata {
            true => grid.types.len() as u64,
            false => grid.ends.len() as u64,
        };
        if !self.polydata {
            self.types(first_cell, n_cells, &mut grid)?;
        }
        grid.point_data = self.data("Point", first_point, n_points, &mut grid.warnings)?;
        grid.cell_data = self.data("Cell", first_cell, n_cells, &mut grid.warnings)?;
        Ok(grid)
    }

    /// Returns the parts of the state, and the row of its first point.
    fn parts(&self) -> Result<(Range<u64>, u64), Flaw> {
        let Some(state) = self.state else {
            let n = self.arrays.array("NumberOfPoints")?.rows();
            return Ok((0..n, 0));
        };
        let parts = self.arrays.array("NumberOfPoints")?.rows();
        let one = |name: &str, absent: u64| -> Result<u64, Flaw> {
            Ok(self.of_state(name, state, 0)?.unwrap_or(absent))
        };
        let first = one("PartOffsets", 0)?;
        let n = one("NumberOfParts", 1)?;
        match first.checked_add(n).filter(|&end| end <= parts) {
            Some(end) => Ok((first..end, one("PointOffsets", 0)?)),
            None => {
                let array = self.arrays.array("NumberOfPoints")?;
                let what =
                    format!("has {parts} rows, but a state has parts {first} to {first}+{n}");
                Err(array.fail(&what))
            }
        }
    }

    /// Returns the entry for the state in the array `name` of the group `Steps`, or `None` if there
    /// is no such array. `column` selects the column of an array with several columns.
    fn of_state(&self, name: &str, state: usize, column: u64) -> Result<Option<u64>, Flaw> {
        let (group, array) = name.rsplit_once('/').unwrap_or(("", name));
        let group = if group.is_empty() { "Steps".into() } else { format!("Steps/{group}") };
        if !self.arrays.datasets(&group)?.iter().any(|other| other == array) {
            return Ok(None);
        }
        let row = self.arrays.counts(&format!("{group}/{array}"), state as u64, 1)?;
        Ok(row.get(column as usize).or(row.first()).copied())
    }

    fn of_parts(&self, name: &str, parts: &Range<u64>) -> Result<Vec<u64>, Flaw> {
        self.arrays.counts(name, parts.start, parts.end - parts.start)
    }

    /// Reads the cells of one kind. `kind` is the prefix of the names of their arrays.
    fn cells(&self, kind: &str, column: usize, parts: &Range<u64>) -> Result<Cells, Flaw> {
        let path = |name: &str| format!("{kind}{name}");
        let of_parts = self.of_parts(&path("NumberOfCells"), parts)?;
        let of_ids = self.of_parts(&path("NumberOfConnectivityIds"), parts)?;
        let (mut first, mut first_id, mut first_end) = (0, 0, 0);
        if let Some(state) = self.state {
            let number = |name: &str| self.of_state(name, state, column as u64);
            first = number("CellOffsets")?.unwrap_or(0);
            first_id = number("ConnectivityIdOffsets")?.unwrap_or(0);
            // Each part has one more offset than cells.
            first_end = first.saturating_add(parts.start);
        }
        let (n_cells, n_ids) =
            (total(&of_parts, "NumberOfCells")?, total(&of_ids, "NumberOfConnectivityIds")?);
        let (mut ends, mut connectivity) = (Vec::new(), Vec::new());
        if n_cells > 0 {
            let array = self.arrays.array(&path("Offsets"))?;
            let n_ends = n_cells.saturating_add(of_parts.len() as u64);
            let all = self.arrays.integers(&array, first_end, n_ends)?;
            let ids = self.arrays.array(&path("Connectivity"))?;
            let all_ids = self.arrays.integers(&ids, first_id, n_ids)?;
            let (mut rest, mut rest_ids) = (&all[..], &all_ids[..]);
            for (&cells, &ids) in of_parts.iter().zip(&of_ids) {
                let (own, behind) = rest.split_at(cells as usize + 1);
                let (own_ids, behind_ids) = rest_ids.split_at(ids as usize);
                if own[0] != 0 || !own.is_sorted() || own.last() != Some(&(ids as i64)) {
                    let what = format!("the offsets of a part do not increase from 0 to {ids}");
                    return Err(array.fail(&what));
                }
                ends.push(own[1..].iter().map(|&end| end as usize).collect());
                connectivity.push(own_ids.to_vec());
                (rest, rest_ids) = (behind, behind_ids);
            }
        }
        Ok(Cells { of_parts, ends, connectivity, first })
    }

    /// Adds the cells of all parts to the grid. `of_parts` gives the number of points of each part.
    fn assemble(&self, cells: Vec<Cells>, of_parts: &[u64], grid: &mut Grid) -> Result<(), Flaw> {
        let mut shift = 0_i64;
        for (part, &n_points) in of_parts.iter().enumerate() {
            for (slot, cells) in cells.iter().enumerate() {
                if cells.of_parts.get(part).is_none_or(|&n| n == 0) {
                    continue;
                }
                let (ends, ids) = (&cells.ends[part], &cells.connectivity[part]);
                let n = n_points as i64;
                if let Some(wrong) = ids.iter().find(|&&id| id < 0 || id >= n) {
                    let what = format!("refers to point {wrong} of {n} in part {part}");
                    let kind = if self.polydata { TOPOLOGIES[slot] } else { "" };
                    return Err(self.arrays.array(&format!("{kind}Connectivity"))?.fail(&what));
                }
                let ids: Vec<i64> = ids.iter().map(|id| id + shift).collect();
                if self.polydata {
                    append_polydata(grid, slot, ends, &ids);
                } else {
                    let first = grid.connectivity.len();
                    grid.ends.extend(ends.iter().map(|end| first + end));
                    grid.connectivity.extend(ids);
                }
            }
            shift += n_points as i64;
        }
        Ok(())
    }

    /// Reads the types of the cells of an unstructured grid.
    fn types(&self, first: u64, n: u64, grid: &mut Grid) -> Result<(), Flaw> {
        if n == 0 {
            return Ok(());
        }
        let array = self.arrays.array("Types")?;
        let types = self.arrays.integers(&array, first, n)?;
        grid.types = types.iter().map_while(|&t| u8::try_from(t).ok()).collect();
        if let Some(odd) = types.get(grid.types.len()) {
            let what = format!("cell {} has type {odd}, expected 0 to 255", grid.types.len());
            return Err(array.fail(&what));
        }
        if grid.types.contains(&POLYHEDRON) {
            let remedy = "open it in ParaView and save it as .vtu";
            let flaw = Flaw::whole("polyhedra in a VTKHDF file are not read", remedy);
            return Err(flaw.kind_of(FlawKind::Unsupported));
        }
        Ok(())
    }

    /// Reads the arrays with `n` rows of points or cells. `first` is their first row unless the
    /// file states a different one. Arrays without numbers are left out with a warning.
    fn data(
        &self,
        of: &str,
        first: u64,
        n: u64,
        warnings: &mut Vec<String>,
    ) -> Result<Vec<DataArray>, Flaw> {
        let mut found = Vec::new();
        for name in self.arrays.datasets(&format!("{of}Data"))? {
            let array = self.arrays.array(&format!("{of}Data/{name}"))?;
            let components = usize::try_from(array.width()).unwrap_or(0);
            if !array.has_numbers() || components == 0 {
                warnings.push(format!("array '{name}' does not hold numbers and is ignored"));
                continue;
            }
            let first = match self.state {
                None => first,
                Some(state) => {
                    let key = format!("{of}DataOffsets/{name}");
                    self.of_state(&key, state, 0)?.unwrap_or(first)
                }
            };
            let values = self.arrays.rows(&array, first, n)?;
            found.push(DataArray { name, components, values });
        }
        Ok(found)
    }
}

/// Returns the sum of the counts of all parts.
fn total(counts: &[u64], name: &str) -> Result<u64, Flaw> {
    let sum = counts.iter().try_fold(0_u64, |sum, &n| sum.checked_add(n));
    let sum = sum.filter(|&sum| sum <= u64::from(u32::MAX) * 256);
    sum.ok_or_else(|| Flaw::at(name, "the counts of its parts are too large", super::DAMAGED))
}
