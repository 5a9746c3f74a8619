//! Checks the options of a generator before any memory is allocated.

use crate::error::{DeviceFault, Error, Result};
use crate::mesh::Kind;
use crate::primitives::memory::{gibibytes, reserve};

/// The largest length or absolute value of a coordinate, and the smallest length. Within these
/// bounds, neither areas and volumes nor the exact predicates of the Delaunay triangulation
/// overflow or underflow.
const LARGEST: f64 = 1e30;
const SMALLEST: f64 = 1e-30;

/// The smallest cell size relative to the largest coordinate. Smaller cells would be distorted by
/// rounding.
const RESOLUTION: f64 = 1e-10;

/// Checks that a number is within `least..=most`.
pub(super) fn within(shape: &str, name: &str, x: f64, least: f64, most: f64) -> Result<()> {
    if x >= least && x <= most {
        return Ok(());
    }
    Err(Error::usage(
        format!("{shape}: {name} = {x} is out of range"),
        format!("use a number from {} to {}", short(least), short(most)),
    ))
}

/// Formats a number without a long row of zeros.
fn short(x: f64) -> String {
    if x == 0.0 || (1e-3..1e6).contains(&x.abs()) { x.to_string() } else { format!("{x:e}") }
}

/// Checks that a length is within [`SMALLEST`]`..=`[`LARGEST`].
pub(super) fn length(shape: &str, name: &str, x: f64) -> Result<()> {
    within(shape, name, x, SMALLEST, LARGEST)
}

/// Checks that the absolute value of a coordinate, or of a length that may be zero, is at most
/// [`LARGEST`].
pub(super) fn coordinate(shape: &str, name: &str, x: f64) -> Result<()> {
    within(shape, name, x, -LARGEST, LARGEST)
}

/// Checks that there are at least `least` cells along an axis.
pub(super) fn cells(shape: &str, name: &str, n: u32, least: u32) -> Result<()> {
    if n >= least {
        return Ok(());
    }
    Err(Error::usage(
        format!("{shape}: {name} = {n} is too small"),
        format!("use at least {least}"),
    ))
}

/// Checks the corners of a box, and that its cells are not too small relative to the distance from
/// the origin.
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
                "use min < max along each axis",
            ));
        }
        length(shape, "max - min", edge)?;
        resolution(shape, edge / f64::from(cells[k]), min[k].abs().max(max[k].abs()))?;
    }
    Ok(())
}

/// Checks that cells of size `cell` can be represented at coordinates up to `largest`.
pub(super) fn resolution(shape: &str, cell: f64, largest: f64) -> Result<()> {
    if cell >= RESOLUTION * largest {
        return Ok(());
    }
    Err(Error::usage(
        format!("{shape}: cells of size {cell:e} are too small for coordinates of {largest:e}"),
        "move the shape nearer to the origin or use fewer cells",
    ))
}

/// The size of a generated mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::mesh) struct Size {
    pub(in crate::mesh) kind: Kind,
    pub(in crate::mesh) vertices: u128,
    pub(in crate::mesh) cells: u128,
}

impl Size {
    pub(in crate::mesh) fn new(kind: Kind, vertices: u128, cells: u128) -> Self {
        Size { kind, vertices, cells }
    }

    /// Returns a lower bound on the size after `times` refinements. A closed surface has half as
    /// many vertices as triangles, and a box has a sixth as many vertices as tetrahedra. Less
    /// regular meshes have more vertices.
    pub(in crate::mesh) fn refined(self, times: u32) -> Self {
        if times == 0 {
            return self;
        }
        // After 16 refinements, a single cell has more descendants than 32-bit indices can number.
        let cells = self.cells << (times.min(16) * self.kind.dimension() as u32);
        let per_vertex = if self.kind == Kind::Volume { 6 } else { 2 };
        Size { kind: self.kind, vertices: (cells / per_vertex).max(self.vertices), cells }
    }

    /// Returns the number of bytes of the coordinates and cell corners.
    fn bytes(self) -> u128 {
        24 * self.vertices + 4 * self.cells * self.kind.arity() as u128
    }

    /// Returns true if vertex indices and (cell, corner) slots fit in `u32`.
    pub(in crate::mesh) fn has_numbers(self) -> bool {
        let slots = self.cells * self.kind.arity() as u128;
        self.vertices.max(slots) < u128::from(u32::MAX)
    }

    /// Returns an error if the mesh is too large for 32-bit indices.
    pub(super) fn numbered(self, what: &str) -> Result<()> {
        if self.has_numbers() {
            return Ok(());
        }
        Err(Error::usage(
            format!(
                "{what}: {} vertices and {} cells exceed the range of 32-bit indices",
                self.vertices, self.cells
            ),
            format!("use fewer than {} cells", u64::from(u32::MAX) / self.kind.arity() as u64),
        ))
    }

    /// Returns an error if the mesh does not fit in `free` bytes. If the mesh is `refined`, it must
    /// fit together with the mesh before the last refinement. Temporary memory is not counted, so
    /// that no mesh that fits is rejected.
    pub(in crate::mesh) fn fits(self, what: &str, refined: bool, free: Option<u64>) -> Result<()> {
        // The last refinement splits each cell into four or eight.
        let parts = 1 + (1_u128 << self.kind.dimension());
        let bytes = if refined { self.bytes() / (parts - 1) * parts } else { self.bytes() };
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        let Some(free) = free.filter(|free| bytes > *free) else { return Ok(()) };
        Err(Error::device_fault(
            DeviceFault::memory(bytes, free),
            format!(
                "{what}: {} vertices and {} cells need at least {}, but {} are free",
                self.vertices,
                self.cells,
                gibibytes(bytes),
                gibibytes(free)
            ),
            "use fewer cells or refinements, or a machine with more memory",
        ))
    }
}

/// Returns an empty vector with capacity for `n` items.
///
/// # Errors
/// Returns [`Error::Device`] if there is not enough memory or if the system refuses it.
pub(in crate::mesh) fn room<T>(what: &str, n: usize) -> Result<Vec<T>> {
    let mut items = Vec::new();
    reserve(&mut items, n, what, "use fewer cells")?;
    Ok(items)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_grow_by_parts_and_are_refused_by_the_bytes_they_take() {
        let sphere = Size::new(Kind::Surface, 12, 20);
        assert_eq!(sphere.refined(0), sphere);
        // After n refinements, the mesh has 10 * 4^n + 2 vertices.
        assert_eq!(sphere.refined(10), Size::new(Kind::Surface, 10 << 20, 20 << 20));
        let cube = Size::new(Kind::Volume, 8, 6).refined(2);
        assert_eq!(cube, Size::new(Kind::Volume, 64, 384));
        let bytes = 64 * 24 + 384 * 16;
        cube.fits("cube", false, Some(bytes)).unwrap();
        cube.fits("cube", true, Some(bytes / 8 * 9)).unwrap();
        cube.fits("cube", true, None).unwrap();
        let text = cube.fits("cube", true, Some(bytes)).unwrap_err().to_string();
        let expected =
            "cube: 64 vertices and 384 cells need at least 0.0 MiB, but 0.0 MiB are free; use";
        assert!(text.contains(expected), "{text}");
        assert!(sphere.refined(u32::MAX).numbered("sphere").is_err());
    }
}
