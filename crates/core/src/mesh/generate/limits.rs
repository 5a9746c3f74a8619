//! What a generator checks before it allocates anything.

use crate::error::{DeviceFault, Error, Result};
use crate::mesh::Kind;
use crate::primitives::memory::{gibibytes, reserve};

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

/// How large a mesh becomes.
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

    /// After so many refinements, at least: a closed surface has half as many vertices as triangles,
    /// a box a sixth as many as tetrahedra, and what is less regular has more.
    pub(in crate::mesh) fn refined(self, times: u32) -> Self {
        if times == 0 {
            return self;
        }
        // Beyond 16 times a single cell has more parts than 32 bits can number.
        let cells = self.cells << (times.min(16) * self.kind.dimension() as u32);
        let per_vertex = if self.kind == Kind::Volume { 6 } else { 2 };
        Size { kind: self.kind, vertices: (cells / per_vertex).max(self.vertices), cells }
    }

    /// Bytes of its coordinates and corners.
    fn bytes(self) -> u128 {
        24 * self.vertices + 4 * self.cells * self.kind.arity() as u128
    }

    /// Whether it can be numbered: vertex indices and (cell, corner) slots are `u32`.
    pub(in crate::mesh) fn has_numbers(self) -> bool {
        let slots = self.cells * self.kind.arity() as u128;
        self.vertices.max(slots) < u128::from(u32::MAX)
    }

    /// Refuses what cannot be numbered.
    pub(super) fn numbered(self, what: &str) -> Result<()> {
        if self.has_numbers() {
            return Ok(());
        }
        Err(Error::usage(
            format!(
                "{what}: {} vertices and {} cells are more than 32-bit indices can number",
                self.vertices, self.cells
            ),
            format!("stay below {} cells", u64::from(u32::MAX) / self.kind.arity() as u64),
        ))
    }

    /// Refuses what does not fit into `free` bytes, beside the mesh it is `refined` from. What is
    /// needed besides, for a while, is not counted, so that nothing is refused which would fit.
    pub(in crate::mesh) fn fits(self, what: &str, refined: bool, free: Option<u64>) -> Result<()> {
        // The last refinement has four or eight parts of each cell.
        let parts = 1 + (1_u128 << self.kind.dimension());
        let bytes = if refined { self.bytes() / (parts - 1) * parts } else { self.bytes() };
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        let Some(free) = free.filter(|free| bytes > *free) else { return Ok(()) };
        Err(Error::device_fault(
            DeviceFault::memory(bytes, free),
            format!(
                "{what}: {} vertices and {} cells take at least {}, {} are free",
                self.vertices,
                self.cells,
                gibibytes(bytes),
                gibibytes(free)
            ),
            "use fewer cells or refinements, or a machine with more memory",
        ))
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_grow_by_parts_and_are_refused_by_the_bytes_they_take() {
        let sphere = Size::new(Kind::Surface, 12, 20);
        assert_eq!(sphere.refined(0), sphere);
        // 10 * 4^n + 2 vertices.
        assert_eq!(sphere.refined(10), Size::new(Kind::Surface, 10 << 20, 20 << 20));
        let cube = Size::new(Kind::Volume, 8, 6).refined(2);
        assert_eq!(cube, Size::new(Kind::Volume, 64, 384));
        let bytes = 64 * 24 + 384 * 16;
        cube.fits("cube", false, Some(bytes)).unwrap();
        cube.fits("cube", true, Some(bytes / 8 * 9)).unwrap();
        cube.fits("cube", true, None).unwrap();
        let text = cube.fits("cube", true, Some(bytes)).unwrap_err().to_string();
        let expected =
            "cube: 64 vertices and 384 cells take at least 0.0 MiB, 0.0 MiB are free; use";
        assert!(text.contains(expected), "{text}");
        assert!(sphere.refined(u32::MAX).numbered("sphere").is_err());
    }
}
