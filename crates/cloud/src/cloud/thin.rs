//! Thinning of point clouds.

use std::cmp::Ordering;

use zeroset_core::error::{Error, Result};
use zeroset_core::parallel::*;

/// The largest index of a cell. It is exact as a 64-bit real number.
const MOST: f64 = 9e15;

/// A point within its cell.
#[derive(Clone, Copy)]
struct Member {
    cell: [i64; 3],
    /// Squared distance from the center of the cell, in units of its edge.
    distance: f64,
    point: u32,
}

/// Selects one point per cell of a grid of cubes: the one nearest to the center of the cell. Among
/// equally near points, the first is selected. Returns whether each point is selected, `[n]`. The
/// corners of the cells are multiples of `spacing`, in the unit of the points, so the selection
/// does not depend on the other points.
///
/// # Errors
/// Returns [`Error::Case`] if `spacing` is not positive and finite, or so small that cells cannot
/// be numbered.
pub fn thin(points: &[[f64; 3]], spacing: f64) -> Result<Vec<bool>> {
    if !(spacing > 0.0 && spacing.is_finite()) {
        return Err(Error::usage(format!("the spacing {spacing} is not a length above 0"), ""));
    }
    let most =
        points.as_flattened().par_iter().map(|x| (x / spacing).abs()).reduce(|| 0.0, f64::max);
    if most > MOST {
        let what = format!("the spacing {spacing} is too small for coordinates of this size");
        return Err(Error::usage(what, "give a larger spacing"));
    }
    let member = |(i, x): (usize, &[f64; 3])| {
        let place = x.map(|x| x / spacing);
        let cell = place.map(f64::floor);
        let distance = (0..3).map(|k| (place[k] - cell[k] - 0.5).powi(2)).sum();
        Member { cell: cell.map(|c| c as i64), distance, point: i as u32 }
    };
    let mut members: Vec<Member> = points.par_iter().enumerate().map(member).collect();
    members.par_sort_unstable_by(|a, b| {
        let nearer = a.distance.partial_cmp(&b.distance).unwrap_or(Ordering::Equal);
        a.cell.cmp(&b.cell).then(nearer).then(a.point.cmp(&b.point))
    });
    let mut kept = vec![false; points.len()];
    let mut last = None;
    for member in members {
        if last != Some(member.cell) {
            kept[member.point as usize] = true;
            last = Some(member.cell);
        }
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cell_keeps_the_point_nearest_to_its_center() {
        let points =
            [[0.1, 0.0, 0.0], [0.4, 0.5, 0.5], [0.6, 0.5, 0.5], [-0.1, 0.0, 0.0], [1.0, 0.0, 0.0]];
        assert_eq!(thin(&points, 1.0).unwrap(), [false, true, false, true, true]);
        assert_eq!(thin(&points, 0.01).unwrap(), [true; 5]);
        // Of equally near points, the first is kept.
        let twice = [[0.25, 0.5, 0.5], [0.75, 0.5, 0.5]];
        assert_eq!(thin(&twice, 1.0).unwrap(), [true, false]);
        for spacing in [0.0, -1.0, f64::NAN, 1e-17] {
            assert!(thin(&points, spacing).is_err(), "{spacing}");
        }
    }
}
