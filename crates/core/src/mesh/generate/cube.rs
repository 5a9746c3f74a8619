//! Tetrahedra in a box by Kuhn's subdivision of a lattice: six per cube around a common diagonal.

use super::limits::Size;
use super::random::Random;
use super::{between, limits};
use crate::error::Result;
use crate::mesh::{Kind, Mesh};

/// Tetrahedra in a box, six per lattice cube; vertices are numbered x fastest, z slowest.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
pub struct Cube {
    /// Cubes along x, y and z. Default 16, 16, 16
    #[cfg_attr(feature = "cli", arg(long, value_name = "NX,NY,NZ", value_parser = super::cli::along_axes::<3>, default_value = "16,16,16", hide_default_value = true, allow_hyphen_values = true))]
    #[schemars(inner(range(min = 1)))]
    pub cells: [u32; 3],
    /// Lower corner in mesh units. Default 0, 0, 0
    #[cfg_attr(feature = "cli", arg(long, value_name = "X,Y,Z", value_parser = super::cli::numbers::<f64, 3>, default_value = "0,0,0", hide_default_value = true, allow_hyphen_values = true))]
    pub min: [f64; 3],
    /// Upper corner in mesh units, above `min` on every axis. Default 1, 1, 1
    #[cfg_attr(feature = "cli", arg(long, value_name = "X,Y,Z", value_parser = super::cli::numbers::<f64, 3>, default_value = "1,1,1", hide_default_value = true, allow_hyphen_values = true))]
    pub max: [f64; 3],
    /// Interior vertices are moved by up to this fraction of a cell along each axis: at most 1/6
    /// (beyond that, tetrahedra could become inverted). Default 0
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "FRACTION", default_value_t = 0.0, hide_default_value = true)
    )]
    #[schemars(range(min = 0.0, max = 1.0 / 6.0))]
    pub jitter: f64,
    /// Seed of the random numbers. Default 1
    #[cfg_attr(feature = "cli", arg(long, default_value_t = 1, hide_default_value = true, value_parser = super::cli::seed))]
    pub seed: u64,
}

impl Default for Cube {
    fn default() -> Self {
        Cube { cells: [16; 3], min: [0.0; 3], max: [1.0; 3], jitter: 0.0, seed: 1 }
    }
}

/// The path of each tetrahedron from the lower to the upper corner of its cube, as an order of the
/// axes, and whether the vertices in this order form a tetrahedron of positive volume.
const WALKS: [([usize; 3], bool); 6] = [
    ([0, 1, 2], true),
    ([0, 2, 1], false),
    ([1, 0, 2], false),
    ([1, 2, 0], true),
    ([2, 0, 1], true),
    ([2, 1, 0], false),
];

impl Cube {
    pub(super) fn check(&self) -> Result<()> {
        for n in self.cells {
            limits::cells("cube", "cells", n, 1)?;
        }
        limits::corners("cube", &self.min, &self.max, &self.cells)?;
        // A tetrahedron of a lattice becomes degenerate when a plane passes through all of its
        // moved corners. The critical plane has the normal (1, -1, 1). In units of a cell, the
        // scalar products of the corners with this normal take two values, which differ by 1. A
        // move by d along each axis changes such a value by up to 3 d. The values can therefore
        // meet as soon as each vertex moves by 1/6 along each axis.
        limits::within("cube", "jitter", self.jitter, 0.0, 1.0 / 6.0)
    }

    pub(super) fn size(&self) -> Size {
        let n = self.cells.map(u128::from);
        let vertices = n.iter().map(|n| n + 1).product();
        Size::new(Kind::Volume, vertices, 6 * n.iter().product::<u128>())
    }

    pub(super) fn mesh(&self) -> Result<Mesh> {
        let mut mesh = Mesh::new(Kind::Volume, self.vertices()?, self.tets()?);
        mesh.lattice = Some(self.cells.map(|n| n + 1));
        Ok(mesh)
    }

    fn vertices(&self) -> Result<Vec<[f64; 3]>> {
        let [nx, ny, nz] = self.cells;
        let mut random = Random::new(self.seed);
        let total = self.cells.iter().map(|&n| n as usize + 1).product();
        let mut vertices = limits::room("vertices", total)?;
        for k in 0..=nz {
            for j in 0..=ny {
                for i in 0..=nx {
                    let lattice = [i, j, k];
                    let mut at = lattice.map(f64::from);
                    let inside = (0..3).all(|a| lattice[a] > 0 && lattice[a] < self.cells[a]);
                    if self.jitter > 0.0 && inside {
                        at = at.map(|x| x + random.within(self.jitter));
                    }
                    vertices.push(
                        [0, 1, 2].map(|a| between(self.min[a], self.max[a], at[a], self.cells[a])),
                    );
                }
            }
        }
        Ok(vertices)
    }

    fn tets(&self) -> Result<Vec<u32>> {
        let [nx, ny, nz] = self.cells;
        let stride = [1, nx + 1, (nx + 1) * (ny + 1)];
        let cubes: usize = self.cells.iter().map(|&n| n as usize).product();
        let mut cells = limits::room("cell corners", 24 * cubes)?;
        for k in 0..nz {
            for j in 0..ny {
                for i in 0..nx {
                    let p = i + j * stride[1] + k * stride[2];
                    let last = p + stride[0] + stride[1] + stride[2];
                    for (axes, positive) in WALKS {
                        let q = p + stride[axes[0]];
                        let r = q + stride[axes[1]];
                        cells.extend(if positive { [p, q, r, last] } else { [p, r, q, last] });
                    }
                }
            }
        }
        Ok(cells)
    }
}
