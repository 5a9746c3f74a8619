//! Staggered rows of triangles: every other row is shifted by half a cell.

use super::{between, limits};
use crate::error::Result;
use crate::mesh::{Kind, Mesh};

/// Generates `rows` rows of triangles on the rectangle from `min` to `max`. The vertices along a
/// row are one cell (width / `nx`) apart. Shifted rows begin and end with half a cell, so that the
/// boundary is straight.
pub(super) fn staggered(nx: u32, rows: u64, min: [f64; 2], max: [f64; 2]) -> Result<Mesh> {
    let n_rows = rows as usize;
    let columns = nx as usize + 2;
    let mut vertices = limits::room("vertices", columns * (n_rows + 1))?;
    let mut cells = limits::room("cell corners", 3 * (2 * nx as usize + 1) * n_rows)?;
    for row in 0..=n_rows {
        let y = between(min[1], max[1], row as f64, rows as u32);
        if row % 2 == 0 {
            vertices.extend((0..=nx).map(|i| [between(min[0], max[0], f64::from(i), nx), y, 0.0]));
        } else {
            vertices.push([min[0], y, 0.0]);
            vertices
                .extend((0..nx).map(|i| [between(min[0], max[0], f64::from(i) + 0.5, nx), y, 0.0]));
            vertices.push([max[0], y, 0.0]);
        }
    }
    let mut start = 0;
    for row in 0..n_rows {
        if row % 2 == 0 {
            let (even, odd) = (start, start + nx + 1);
            for i in 0..nx {
                cells.extend([even + i, odd + i + 1, odd + i]);
                cells.extend([even + i, even + i + 1, odd + i + 1]);
            }
            cells.extend([even + nx, odd + nx + 1, odd + nx]);
            start = odd;
        } else {
            let (odd, even) = (start, start + nx + 2);
            for i in 0..nx {
                cells.extend([odd + i, odd + i + 1, even + i]);
                cells.extend([odd + i + 1, even + i + 1, even + i]);
            }
            cells.extend([odd + nx, odd + nx + 1, even + nx]);
            start = even;
        }
    }
    Ok(Mesh::new(Kind::Planar, vertices, cells))
}
