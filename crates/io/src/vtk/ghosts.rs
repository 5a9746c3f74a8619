//! Ghost cells and points: copies that another part of a distributed mesh owns, and cells that are
//! hidden or replaced by finer ones.

use super::grid::Grid;
use zeroset_core::mesh::{DataArray, Values};
use zeroset_core::words::counted;

/// The array of flags used since VTK 7, and the array of levels used before.
const NAMES: [&str; 2] = ["vtkGhostType", "vtkGhostLevels"];
/// Flags of cells that are left out: duplicate, refined, hidden.
const CELL: i64 = 1 | 8 | 32;
/// The flag of a hidden point. A cell with such a point is hidden too.
const HIDDEN_POINT: i64 = 2;
/// Flags of points that are left out if there are no cells: duplicate, hidden.
const POINT: i64 = 1 | HIDDEN_POINT;

/// Removes the ghost arrays from a grid. Returns a flag per cell that is set if the cell stays, or
/// `None` if all cells stay. Ghost points are removed from a grid without cells. In other grids,
/// they stay because cells may use them. Call [`Grid::check`] first.
pub(super) fn take(grid: &mut Grid) -> Option<Vec<bool>> {
    let of_points = flags(&mut grid.point_data);
    let of_cells = flags(&mut grid.cell_data);
    if grid.types.is_empty() {
        remove_points(grid, &of_points?);
        return None;
    }
    let mut keep = vec![true; grid.types.len()];
    for (keep, flags) in keep.iter_mut().zip(of_cells.unwrap_or_default()) {
        *keep = flags & CELL == 0;
    }
    if let Some(points) = of_points {
        let is_hidden = |&p: &i64| points[p as usize] & HIDDEN_POINT != 0;
        let mut start = 0;
        for (keep, &end) in keep.iter_mut().zip(&grid.ends) {
            *keep &= !grid.connectivity[start..end].iter().any(is_hidden);
            start = end;
        }
    }
    let n = keep.iter().filter(|keep| !**keep).count();
    if n == 0 {
        return None;
    }
    let cells = counted(n, ["ghost cell is", "ghost cells are"]);
    grid.warnings.push(format!("{cells} left out"));
    Some(keep)
}

/// If only one of two pieces has a ghost array, adds it to the other piece, filled with zeros. A
/// piece without ghosts need not have these arrays.
pub(super) fn align(grid: &mut Grid, piece: &mut Grid) {
    for name in NAMES {
        let (n, m) = (grid.points.len(), piece.points.len());
        fill(name, (&mut grid.point_data, n), (&mut piece.point_data, m));
        let (n, m) = (grid.types.len(), piece.types.len());
        fill(name, (&mut grid.cell_data, n), (&mut piece.cell_data, m));
    }
}

fn fill(name: &str, a: (&mut Vec<DataArray>, usize), b: (&mut Vec<DataArray>, usize)) {
    let has = |arrays: &[DataArray]| arrays.iter().any(|array| array.name == name);
    let none = |n| {
        let values = Values::Int(vec![0; n]);
        DataArray { name: name.to_string(), components: 1, values }
    };
    match (has(a.0), has(b.0)) {
        (true, false) => b.0.push(none(b.1)),
        (false, true) => a.0.push(none(a.1)),
        _ => {}
    }
}

/// Removes the ghost arrays and returns the flags of each row, or `None` if there are no such
/// arrays. A level above 0 means duplicate.
fn flags(arrays: &mut Vec<DataArray>) -> Option<Vec<i64>> {
    let mut found: Option<Vec<i64>> = None;
    arrays.retain(|array| {
        let Some(kind) = NAMES.iter().position(|name| *name == array.name) else { return true };
        let (1, Values::Int(values)) = (array.components, &array.values) else { return true };
        let values = values.iter().map(|&x| if kind == 0 { x } else { i64::from(x > 0) });
        match &mut found {
            Some(found) => found.iter_mut().zip(values).for_each(|(flags, more)| *flags |= more),
            None => found = Some(values.collect()),
        }
        false
    });
    found
}

fn remove_points(grid: &mut Grid, flags: &[i64]) {
    let keep: Vec<u32> =
        (0_u32..).zip(flags).filter(|(_, flags)| **flags & POINT == 0).map(|(k, _)| k).collect();
    let n = flags.len() - keep.len();
    if n == 0 {
        return;
    }
    grid.points = keep.iter().map(|&k| grid.points[k as usize]).collect();
    let arrays = std::mem::take(&mut grid.point_data).into_iter();
    grid.point_data = arrays.map(|array| crate::elements::inherit(array, &keep)).collect();
    let points = counted(n, ["ghost point is", "ghost points are"]);
    grid.warnings.push(format!("{points} left out"));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(name: &str, values: &[i64]) -> DataArray {
        DataArray { name: name.into(), components: 1, values: Values::Int(values.to_vec()) }
    }

    fn grid() -> Grid {
        Grid {
            points: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]],
            types: vec![5, 5],
            ends: vec![3, 6],
            connectivity: vec![0, 1, 2, 1, 3, 2],
            ..Grid::default()
        }
    }

    #[test]
    fn flags_have_the_meaning_of_vtk() {
        let cells = |name: &str, values: &[i64]| {
            let mut grid = grid();
            grid.cell_data.push(array(name, values));
            (take(&mut grid), grid.cell_data.len(), grid.warnings.len())
        };
        assert_eq!(cells("vtkGhostType", &[0, 1]), (Some(vec![true, false]), 0, 1));
        assert_eq!(cells("vtkGhostType", &[32, 8]), (Some(vec![false, false]), 0, 1));
        assert_eq!(cells("vtkGhostType", &[2 | 4 | 16, 0]), (None, 0, 0), "connectivity, outer");
        assert_eq!(cells("vtkGhostLevels", &[2, 0]), (Some(vec![false, true]), 0, 1));
        let points = |values: &[i64]| {
            let mut grid = grid();
            grid.point_data.push(array("vtkGhostType", values));
            take(&mut grid)
        };
        assert_eq!(points(&[1, 1, 0, 0]), None, "cells use duplicate points");
        assert_eq!(points(&[2, 0, 0, 0]), Some(vec![false, true]));
    }

    #[test]
    fn points_without_cells_lose_their_ghosts() {
        let mut grid = Grid { points: grid().points, ..Grid::default() };
        grid.point_data.push(array("vtkGhostType", &[0, 1, 2, 0]));
        grid.point_data.push(array("a", &[5, 6, 7, 8]));
        assert_eq!(take(&mut grid), None);
        assert_eq!(grid.points, [[0.0; 3], [1.0, 1.0, 0.0]]);
        assert_eq!(grid.point_data, [array("a", &[5, 8])]);
        assert_eq!(grid.warnings, ["2 ghost points are left out"]);
    }

    #[test]
    fn a_piece_without_ghosts_keeps_those_of_the_others() {
        let (mut first, mut second) = (grid(), grid());
        second.cell_data.push(array("vtkGhostType", &[1, 0]));
        align(&mut first, &mut second);
        first.append(second);
        assert_eq!(take(&mut first), Some(vec![true, true, false, true]));
    }
}
