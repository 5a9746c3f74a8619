//! Images in VTKHDF files.

use super::super::image::{Lattice, Listed, UNIT, choose, extent};
use super::super::source::Source;
use super::DAMAGED;
use super::arrays::{Array, Arrays};
use crate::volume::stored;
use crate::{VolumeFile, VolumeOptions};
use zeroset_core::error::{Flaw, Result};

/// Reads an array of an image. In a series, the first axis of each array is the state.
pub(super) fn read(
    arrays: &Arrays,
    state: Option<usize>,
    options: &VolumeOptions,
    version: String,
) -> Result<VolumeFile, Flaw> {
    let source = Source { bytes: &[] };
    let lattice = lattice(arrays)?;
    let (mut found, mut listed): (Vec<(Array, u64)>, Vec<Listed>) = Default::default();
    let mut unfit: Option<Flaw> = None;
    for (group, of_cells) in [("PointData", false), ("CellData", true)] {
        let n = lattice.count(&source, of_cells)? as u64;
        for name in arrays.datasets(group)? {
            let array = arrays.array(&format!("{group}/{name}"))?;
            let (row, width) = match state {
                Some(state) => (offset(arrays, group, &name, state)?, array.width()),
                None => (0, array.width().saturating_mul(array.rows())),
            };
            if !array.has_numbers() {
                continue;
            }
            if width == 0 || width % n != 0 {
                let what = format!("has {width} numbers for the {n} places of a state");
                unfit.get_or_insert_with(|| array.fail(&what));
                continue;
            }
            let components = usize::try_from(width / n).unwrap_or(usize::MAX);
            listed.push(Listed { name, of_cells, components, active: array.is_active() });
            found.push((array, row));
        }
    }
    if let (Some(flaw), true) = (unfit, listed.is_empty()) {
        return Err(flaw);
    }
    let chosen = choose(&source, &listed, options)?;
    let (array, row) = &found[chosen.0];
    let rows = if state.is_some() { 1 } else { array.rows() };
    let (bytes, scalar, big_endian) = arrays.bytes(array, *row, rows)?;
    let samples = stored::samples(scalar, &bytes, big_endian);
    lattice.volume(&source, &listed, chosen, samples, ("vtkhdf", version))
}

/// Returns the row of an array that belongs to a state.
fn offset(arrays: &Arrays, group: &str, name: &str, state: usize) -> Result<u64, Flaw> {
    let offsets = format!("Steps/{group}Offsets");
    if !arrays.datasets(&offsets)?.iter().any(|other| other == name) {
        return Ok(state as u64);
    }
    let row = arrays.counts(&format!("{offsets}/{name}"), state as u64, 1)?;
    Ok(row.first().copied().unwrap_or(state as u64))
}

/// Returns the grid of the image. If the attribute `Direction` is missing or does not hold finite
/// numbers, the grid is aligned with the coordinate axes.
fn lattice(arrays: &Arrays) -> Result<Lattice, Flaw> {
    let numbers = |name: &str| arrays.attribute_numbers(name);
    let place = <[f64; 6]>::try_from(numbers("WholeExtent")?).ok();
    let place = place.and_then(|ends| extent(ends.map(|x| x as i64)));
    let fail =
        |name: &str, n: usize| Flaw::at(name, format!("is not {n} numbers of an image"), DAMAGED);
    let origin = numbers("Origin")?.try_into().map_err(|_| fail("Origin", 3))?;
    let spacing = numbers("Spacing")?.try_into().map_err(|_| fail("Spacing", 3))?;
    let rows = match numbers("Direction") {
        Ok(rows) => rows.try_into().map_err(|_| fail("Direction", 9))?,
        Err(_) => UNIT,
    };
    Ok(Lattice::new(place.ok_or_else(|| fail("WholeExtent", 6))?, origin, spacing, rows))
}
