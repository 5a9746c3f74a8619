//! Meshes made by formula.

use serde::{Deserialize, Serialize};

use super::{Kind, Mesh};
use crate::error::Result;

/// What to make.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Generate {
    /// Regular square.
    Square {
        /// Cells along x and y.
        cells: [u32; 2],
    },
}

/// Makes the mesh.
///
/// # Errors
/// None yet.
pub fn generate(what: &Generate) -> Result<Mesh> {
    let Generate::Square { cells: [nx, ny] } = *what;
    let mut vertices = Vec::new();
    for j in 0..=ny {
        for i in 0..=nx {
            vertices.push([f64::from(i) / f64::from(nx), f64::from(j) / f64::from(ny), 0.0]);
        }
    }
    let mut cells = Vec::new();
    for j in 0..ny {
        for i in 0..nx {
            let v = j * (nx + 1) + i;
            cells.extend([v, v + 1, v + nx + 2, v, v + nx + 2, v + nx + 1]);
        }
    }
    Ok(Mesh::new(Kind::Planar, vertices, cells))
}
