//! Surfaces of revolution around the z axis: cylinder, cone, torus.
//!
//! A lattice of `around` by `along` cells, numbered ring by ring, is split by parallel diagonals.
//! Vertices are moved in the parameter space of the surface, so that they stay on the surface. The
//! lattice is then rolled up.

use std::f64::consts::TAU;

use super::limits;
use super::limits::Size;
use super::random::Random;
use crate::error::{Error, Result};
use crate::mesh::{Kind, Mesh};

/// Triangles on an open cylinder around the z axis, centered at the origin, oriented outward.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Cylinder {
    /// Radius in mesh units. Default 1
    #[cfg_attr(feature = "cli", arg(long, default_value_t = 1.0, hide_default_value = true))]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub radius: f64,
    /// Height in mesh units, from z = -height/2 to height/2. Default 2
    #[cfg_attr(feature = "cli", arg(long, default_value_t = 2.0, hide_default_value = true))]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub height: f64,
    /// Cells around the axis and along it. Default 96, 30
    #[cfg_attr(feature = "cli", arg(long, value_name = "AROUND,ALONG", value_parser = super::cli::numbers::<u32, 2>, default_value = "96,30", hide_default_value = true, allow_hyphen_values = true))]
    #[schemars(inner(range(min = 1)))]
    pub cells: [u32; 2],
    /// Vertices off the boundary are moved on the surface by up to this fraction of a cell, at
    /// most 0.25. Default 0
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "FRACTION", default_value_t = 0.0, hide_default_value = true)
    )]
    #[schemars(range(min = 0.0, max = 0.25))]
    pub jitter: f64,
    /// Seed of the random numbers. Default 1
    #[cfg_attr(feature = "cli", arg(long, default_value_t = 1, hide_default_value = true, value_parser = super::cli::seed))]
    pub seed: u64,
}

impl Default for Cylinder {
    fn default() -> Self {
        Cylinder { radius: 1.0, height: 2.0, cells: [96, 30], jitter: 0.0, seed: 1 }
    }
}

/// Triangles on a cone around the z axis, with the apex at the origin, opening upward, oriented
/// outward.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Cone {
    /// Angle between the axis and the surface in degrees, between 1 and 89. Default 30
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "DEGREES", default_value_t = 30.0, hide_default_value = true)
    )]
    #[schemars(range(min = 1.0, max = 89.0))]
    pub half_angle: f64,
    /// Distances from the apex, measured along the surface, at which the surface begins and ends,
    /// in mesh units, the smaller first; if the first one is 0, the apex is a vertex. Default 0.25,
    /// 2
    #[cfg_attr(feature = "cli", arg(long, value_name = "FROM,TO", value_parser = super::cli::numbers::<f64, 2>, default_value = "0.25,2", hide_default_value = true))]
    pub slant: [f64; 2],
    /// Cells around the axis and along the slant. Default 48, 28
    #[cfg_attr(feature = "cli", arg(long, value_name = "AROUND,ALONG", value_parser = super::cli::numbers::<u32, 2>, default_value = "48,28", hide_default_value = true, allow_hyphen_values = true))]
    #[schemars(inner(range(min = 1)))]
    pub cells: [u32; 2],
    /// Vertices other than the apex and those on the boundary are moved on the surface by up to
    /// this fraction of a cell, at most 0.25. Default 0
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "FRACTION", default_value_t = 0.0, hide_default_value = true)
    )]
    #[schemars(range(min = 0.0, max = 0.25))]
    pub jitter: f64,
    /// Seed of the random numbers. Default 1
    #[cfg_attr(feature = "cli", arg(long, default_value_t = 1, hide_default_value = true, value_parser = super::cli::seed))]
    pub seed: u64,
}

impl Default for Cone {
    fn default() -> Self {
        Cone { half_angle: 30.0, slant: [0.25, 2.0], cells: [48, 28], jitter: 0.0, seed: 1 }
    }
}

/// Triangles on a torus around the z axis, centered at the origin, oriented outward.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
pub struct Torus {
    /// Distance from the axis to the middle of the tube, in mesh units. Default 1
    #[cfg_attr(feature = "cli", arg(long, default_value_t = 1.0, hide_default_value = true))]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub radius: f64,
    /// Radius of the tube in mesh units, less than `radius`. Default 0.4
    #[cfg_attr(feature = "cli", arg(long, default_value_t = 0.4, hide_default_value = true))]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tube: f64,
    /// Cells around the axis and around the tube. Default 96, 40
    #[cfg_attr(feature = "cli", arg(long, value_name = "AROUND,TUBE", value_parser = super::cli::numbers::<u32, 2>, default_value = "96,40", hide_default_value = true, allow_hyphen_values = true))]
    #[schemars(inner(range(min = 1)))]
    pub cells: [u32; 2],
    /// Vertices are moved on the surface by up to this fraction of a cell, at most 0.25. Default 0
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "FRACTION", default_value_t = 0.0, hide_default_value = true)
    )]
    #[schemars(range(min = 0.0, max = 0.25))]
    pub jitter: f64,
    /// Seed of the random numbers. Default 1
    #[cfg_attr(feature = "cli", arg(long, default_value_t = 1, hide_default_value = true, value_parser = super::cli::seed))]
    pub seed: u64,
}

impl Default for Torus {
    fn default() -> Self {
        Torus { radius: 1.0, tube: 0.4, cells: [96, 40], jitter: 0.0, seed: 1 }
    }
}

impl Cylinder {
    pub(super) fn check(&self) -> Result<()> {
        limits::length("cylinder", "radius", self.radius)?;
        limits::length("cylinder", "height", self.height)?;
        self.sheet().check("cylinder")?;
        let cell = TAU * self.radius / f64::from(self.cells[0]);
        limits::resolution("cylinder", cell, self.height)?;
        limits::resolution("cylinder", self.height / f64::from(self.cells[1]), self.radius)
    }

    pub(super) fn mesh(&self) -> Result<Mesh> {
        self.sheet().roll(|turn, t| {
            let (sin, cos) = libm::sincos(TAU * turn);
            [self.radius * cos, self.radius * sin, self.height * (t - 0.5)]
        })
    }

    pub(super) fn sheet(&self) -> Sheet {
        Sheet { cells: self.cells, ends: Ends::Open, jitter: self.jitter, seed: self.seed }
    }
}

impl Cone {
    pub(super) fn check(&self) -> Result<()> {
        limits::within("cone", "half_angle", self.half_angle, 1.0, 89.0)?;
        let [from, to] = self.slant;
        limits::length("cone", "end of slant", to)?;
        limits::coordinate("cone", "start of slant", from)?;
        if from < 0.0 || from >= to {
            return Err(Error::usage(
                format!(
                    "cone: slant = [{from}, {to}] is not a valid range of distances from the apex"
                ),
                "use 0 <= start < end",
            ));
        }
        self.sheet().check("cone")?;
        let along = (to - from) / f64::from(self.cells[1]);
        let first = if from == 0.0 { along } else { from };
        limits::resolution("cone", along.min(first / f64::from(self.cells[0])), to)
    }

    pub(super) fn mesh(&self) -> Result<Mesh> {
        let [from, to] = self.slant;
        let (sin_half, cos_half) = libm::sincos(self.half_angle / 360.0 * TAU);
        self.sheet().roll(|turn, t| {
            let (sin, cos) = libm::sincos(TAU * turn);
            let s = from * (1.0 - t) + to * t;
            [s * sin_half * cos, s * sin_half * sin, s * cos_half]
        })
    }

    pub(super) fn sheet(&self) -> Sheet {
        let ends = if self.slant[0] == 0.0 { Ends::Apex } else { Ends::Open };
        Sheet { cells: self.cells, ends, jitter: self.jitter, seed: self.seed }
    }
}

impl Torus {
    pub(super) fn check(&self) -> Result<()> {
        limits::length("torus", "radius", self.radius)?;
        limits::length("torus", "tube", self.tube)?;
        if self.tube >= self.radius {
            return Err(Error::usage(
                format!("torus: tube = {} is not less than radius = {}", self.tube, self.radius),
                "use a thinner tube",
            ));
        }
        self.sheet().check("torus")?;
        let inner = (self.radius - self.tube) / f64::from(self.cells[0]);
        let cell = inner.min(self.tube / f64::from(self.cells[1]));
        limits::resolution("torus", cell, self.radius)
    }

    pub(super) fn mesh(&self) -> Result<Mesh> {
        self.sheet().roll(|turn, t| {
            let (sin, cos) = libm::sincos(TAU * turn);
            let (tube_sin, tube_cos) = libm::sincos(TAU * t);
            let distance = self.radius + self.tube * tube_cos;
            [distance * cos, distance * sin, self.tube * tube_sin]
        })
    }

    pub(super) fn sheet(&self) -> Sheet {
        Sheet { cells: self.cells, ends: Ends::Joined, jitter: self.jitter, seed: self.seed }
    }
}

/// The way in which a surface begins and ends: at the first and the last ring of its lattice.
#[derive(Clone, Copy, PartialEq)]
enum Ends {
    /// Both rings are boundaries.
    Open,
    /// The first ring is a single vertex, and the last one is a boundary.
    Apex,
    /// The first and the last ring are the same.
    Joined,
}

/// A lattice with joined sides. Its vertices are numbered ring by ring.
pub(super) struct Sheet {
    /// The number of cells around the axis, and from the first to the last ring.
    cells: [u32; 2],
    ends: Ends,
    jitter: f64,
    seed: u64,
}

impl Sheet {
    fn check(&self, shape: &str) -> Result<()> {
        let [around, along] = self.cells;
        limits::cells(shape, "cells around", around, 3)?;
        limits::cells(shape, "cells along", along, if self.ends == Ends::Joined { 3 } else { 1 })?;
        limits::within(shape, "jitter", self.jitter, 0.0, 0.25)
    }

    pub(super) fn size(&self) -> Size {
        let [n, m] = self.cells.map(u128::from);
        Size::new(Kind::Surface, n * (m + 1), 2 * n * m)
    }

    /// Returns the range of the rings that have `cells[0]` vertices.
    fn rings(&self) -> std::ops::Range<u32> {
        match self.ends {
            Ends::Open => 0..self.cells[1] + 1,
            Ends::Apex => 1..self.cells[1] + 1,
            Ends::Joined => 0..self.cells[1],
        }
    }

    /// Creates the mesh with vertices at `place(turn, t)`, where `turn` is the fraction of a turn
    /// around the axis and `t` is the fraction of the way from the first to the last ring. The
    /// cross product of the directions of increasing `turn` and increasing `t` must point outward.
    fn roll(&self, place: impl Fn(f64, f64) -> [f64; 3]) -> Result<Mesh> {
        let rings = self.rings();
        let [n, along] = self.cells;
        let apex = u32::from(self.ends == Ends::Apex);
        let total = rings.len() * n as usize + apex as usize;
        let mut vertices = limits::room("vertices", total)?;
        let mut random = Random::new(self.seed);
        if self.ends == Ends::Apex {
            vertices.push(place(0.0, 0.0));
        }
        for ring in rings.clone() {
            let moved = match self.ends {
                _ if self.jitter == 0.0 => false,
                Ends::Joined => true,
                _ => ring > 0 && ring < along,
            };
            for i in 0..n {
                let mut at = [f64::from(i), f64::from(ring)];
                if moved {
                    at = at.map(|x| x + random.within(self.jitter));
                }
                vertices.push(place(at[0] / f64::from(n), at[1] / f64::from(along)));
            }
        }

        let mut cells = limits::room("cell corners", 6 * n as usize * along as usize)?;
        if self.ends == Ends::Apex {
            (0..n).for_each(|i| cells.extend([0, 1 + (i + 1) % n, 1 + i]));
        }
        for row in rings.start..along {
            let below = apex + (row - rings.start) * n;
            let above = apex + (row + 1 - rings.start) % rings.len() as u32 * n;
            for i in 0..n {
                let next = (i + 1) % n;
                cells.extend([below + i, below + next, above + next]);
                cells.extend([below + i, above + next, above + i]);
            }
        }
        Ok(Mesh::new(Kind::Surface, vertices, cells))
    }
}
