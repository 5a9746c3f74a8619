//! What a generator checks before it allocates anything.

use crate::error::{Error, Result};
use crate::mesh::Kind;
use crate::primitives::memory::reserve;

/// Lengths and coordinates stay within these powers of ten, so that neither areas and volumes nor
/// the exact predicates of the Delaunay triangulation overflow or vanish.
const LARGEST: f64 = 1e30;
const SMALLEST: f64 = 1e-30;

/// Smallest cell size in units of the largest coordinate; below, rounding would show in the shape
/// of the cells.
const RESOLUTION: f64 = 1e-10;

/// A finite number within `least..=most`.
pub(super) fn within(shape: &str, name: &str, x: f64, least: f64, most: f64) -> Result<()> {
    if x >= least && x <= most {
        return Ok(());
    }
    Err(Error::usage(
        format!("{shape}: {name} = {x} is out of range"),
        format!("give a number from {} to {}", short(least), short(most)),
    ))
}

/// A number without a long row of zeros.
fn short(x: f64) -> String {
    if x == 0.0 || (1e-3..1e6).contains(&x.abs()) { x.to_string() } else { format!("{x:e}") }
}

/// A length greater than zero.
pub(super) fn length(shape: &str, name: &str, x: f64) -> Result<()> {
    within(shape, name, x, SMALLEST, LARGEST)
}

/// A coordinate or a length that may be zero.
pub(super) fn coordinate(shape: &str, name: &str, x: f64) -> Result<()> {
    within(shape, name, x, -LARGEST, LARGEST)
}

/// At least `least` cells along an axis.
pub(super) fn cells(shape: &str, name: &str, n: u32, least: u32) -> Result<()> {
    if n >= least {
        return Ok(());
    }
    Err(Error::usage(
        format!("{shape}: {name} = {n} is too small"),
        format!("give at least {least}"),
    ))
}

/// Corners of a box, and cells that are not lost beside its distance from the origin.
pub(super) fn corners<const N: usize>(
    shape: &str,
    min: &[f64; N],
    max: &[f64; N],
    cells: &[u32; N],
) -> Result<()> {
    for k in 0..N {
        coordinate(shape, "min", min[k])?;
        coordinate(shape, "max", max[k])?;
        let edge = max[k] - min[k];
        if edge <= 0.0 {
            return Err(Error::usage(
                format!("{shape}: the box is empty: min = {}, max = {}", min[k], max[k]),
                "give min < max along each axis",
            ));
        }
        length(shape, "max - min", edge)?;
        resolution(shape, edge / f64::from(cells[k]), min[k].abs().max(max[k].abs()))?;
    }
    Ok(())
}

/// Cells of size `cell` at coordinates up to `largest`.
pub(super) fn resolution(shape: &str, cell: f64, largest: f64) -> Result<()> {
    if cell >= RESOLUTION * largest {
        return Ok(());
    }
    Err(Error::usage(
        format!("{shape}: cells of size {cell:e} are too small for coordinates of {largest:e}"),
        "move the shape nearer to the origin or use fewer cells",
    ))
}

/// Vertices and cells that can be numbered: vertex indices and (cell, corner) slots are `u32`.
pub(super) fn counts(shape: &str, vertices: u128, cells: u128, kind: Kind) -> Result<()> {
    let slots = cells * kind.arity() as u128;
    if vertices.max(slots) < u128::from(u32::MAX) {
        return Ok(());
    }
    Err(Error::usage(
        format!(
            "{shape}: {vertices} vertices and {cells} cells are more than 32-bit indices can number"
        ),
        format!("stay below {} cells", u64::from(u32::MAX) / kind.arity() as u64),
    ))
}

/// An empty vector with room for `n` items.
///
/// # Errors
/// [`Error::Device`] if there is less memory than that, or where the system refuses it.
pub(in crate::mesh) fn room<T>(what: &str, n: usize) -> Result<Vec<T>> {
    let mut items = Vec::new();
    reserve(&mut items, n, what, "use fewer cells")?;
    Ok(items)
}
