//! Triangles on a rectangle: lattices cut into triangles, staggered rows, irregular meshes.

use super::delaunay;
use super::limits::Size;
use super::random::Random;
use super::scatter::Scatter;
use super::{between, limits, rows};
use crate::error::{Error, Result};
use crate::mesh::{Kind, Mesh};

/// The way in which a rectangle is divided into triangles.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Pattern {
    /// Lattice cells cut by parallel diagonals
    #[default]
    Diagonal,
    /// Lattice cells cut by diagonals of alternating direction
    Cross,
    /// Staggered rows of nearly equilateral triangles
    Equilateral,
    /// Staggered rows a third of a cell apart, with angles of about 113 degrees
    Obtuse,
    /// Delaunay triangulation of random points
    Irregular,
}

/// Triangles on a rectangle in the plane z = 0.
///
/// The vertices of lattices are numbered row by row, x fastest. An irregular mesh starts with the
/// boundary vertices, counterclockwise from `min`.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
pub struct Square {
    /// Cells along x and y. For staggered rows, the cell size along y determines the height of the
    /// rows. For an irregular mesh, these are the edges along each side. Default 64, 64
    #[cfg_attr(feature = "cli", arg(long, value_name = "NX,NY", value_parser = super::cli::along_axes::<2>, default_value = "64,64", hide_default_value = true, allow_hyphen_values = true))]
    #[schemars(inner(range(min = 1)))]
    pub cells: [u32; 2],
    /// Lower corner in mesh units. Default 0, 0
    #[cfg_attr(feature = "cli", arg(long, value_name = "X,Y", value_parser = super::cli::numbers::<f64, 2>, default_value = "0,0", hide_default_value = true, allow_hyphen_values = true))]
    pub min: [f64; 2],
    /// Upper corner in mesh units, above `min` on every axis. Default 1, 1
    #[cfg_attr(feature = "cli", arg(long, value_name = "X,Y", value_parser = super::cli::numbers::<f64, 2>, default_value = "1,1", hide_default_value = true, allow_hyphen_values = true))]
    pub max: [f64; 2],
    /// How the rectangle is divided into triangles. Default "diagonal"
    #[cfg_attr(feature = "cli", arg(long, value_enum, default_value_t, hide_default_value = true))]
    pub pattern: Pattern,
    /// Interior vertices of a lattice are moved by up to this fraction of a cell along x and y: at
    /// most 0.25 (beyond that, triangles could become inverted), 0.5 with `delaunay`. Default 0
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "FRACTION", default_value_t = 0.0, hide_default_value = true)
    )]
    #[schemars(range(min = 0.0, max = 0.5))]
    pub jitter: f64,
    /// Connect the moved vertices of a lattice by their Delaunay triangulation. Default false
    #[cfg_attr(feature = "cli", arg(long))]
    pub delaunay: bool,
    /// Vertices of an irregular mesh, boundary included: more than the 2 (nx + ny) on the boundary.
    /// No default
    #[cfg_attr(feature = "cli", arg(long, value_name = "N"))]
    pub vertices: Option<u32>,
    /// Seed of the random numbers. Default 1
    #[cfg_attr(feature = "cli", arg(long, default_value_t = 1, hide_default_value = true, value_parser = super::cli::seed))]
    pub seed: u64,
}

impl Default for Square {
    fn default() -> Self {
        Square {
            cells: [64, 64],
            min: [0.0, 0.0],
            max: [1.0, 1.0],
            pattern: Pattern::Diagonal,
            jitter: 0.0,
            delaunay: false,
            vertices: None,
            seed: 1,
        }
    }
}

/// The smallest distance between the points of an irregular mesh, relative to the square root of
/// the area per point. It determines the spread of sizes and angles. A larger value gives a more
/// regular mesh, but above 0.5 there is no room for all points.
const APART: f64 = 0.4;

/// The smallest distance of interior points from the boundary, relative to the length of a boundary
/// edge or, if it is smaller, to the square root of the area per interior point.
const MARGIN: f64 = 0.25;

impl Square {
    pub(super) fn mesh(&self) -> Result<Mesh> {
        match self.pattern {
            Pattern::Diagonal | Pattern::Cross => self.lattice(),
            Pattern::Equilateral | Pattern::Obtuse => {
                rows::staggered(self.cells[0], self.rows(), self.min, self.max)
            }
            Pattern::Irregular => self.irregular(),
        }
    }

    pub(super) fn check(&self) -> Result<()> {
        let lattice = matches!(self.pattern, Pattern::Diagonal | Pattern::Cross);
        let irregular = self.pattern == Pattern::Irregular;
        let least = if irregular || self.delaunay { 2 } else { 1 };
        for n in self.cells {
            limits::cells("square", "cells", n, least)?;
        }
        limits::corners("square", &self.min, &self.max, &self.cells)?;
        limits::within(
            "square",
            "jitter",
            self.jitter,
            0.0,
            if self.delaunay { 0.5 } else { 0.25 },
        )?;
        if !lattice && (self.jitter > 0.0 || self.delaunay) {
            return Err(Error::usage(
                "square: jitter and delaunay require the pattern \"diagonal\" or \"cross\"",
                "remove them or use one of these patterns",
            ));
        }
        if self.delaunay && self.jitter == 0.0 {
            return Err(Error::usage(
                "square: the Delaunay triangulation of a regular lattice is not unique",
                "also set jitter > 0, such as 0.35",
            ));
        }
        if irregular != self.vertices.is_some() {
            return Err(Error::usage(
                "square: pattern \"irregular\" and vertices must be set together",
                "set both or neither",
            ));
        }
        let boundary = 2 * self.cells.map(u64::from).iter().sum::<u64>();
        match self.vertices.map(u64::from) {
            Some(vertices) if irregular && vertices <= boundary => Err(Error::usage(
                format!("square: vertices = {vertices} leaves no vertices for the interior"),
                format!("use more than the {boundary} boundary vertices, 2 (nx + ny)"),
            )),
            _ => Ok(()),
        }
    }

    pub(super) fn size(&self) -> Size {
        let [nx, ny] = self.cells.map(u128::from);
        let (vertices, cells) = match self.pattern {
            Pattern::Diagonal | Pattern::Cross => ((nx + 1) * (ny + 1), 2 * nx * ny),
            Pattern::Equilateral | Pattern::Obtuse => {
                let rows = u128::from(self.rows());
                ((nx + 2) * (rows + 1), (2 * nx + 1) * rows)
            }
            Pattern::Irregular => {
                let vertices = u128::from(self.vertices.unwrap_or(0));
                (vertices, 2 * vertices)
            }
        };
        Size::new(Kind::Planar, vertices, cells)
    }

    /// Returns the number of rows of triangles. The height of a row is (sqrt 3)/2 times the edge of
    /// a cell in equilateral meshes and a third of a cell in obtuse meshes.
    fn rows(&self) -> u64 {
        let ny = f64::from(self.cells[1]);
        match self.pattern {
            Pattern::Obtuse => 3 * u64::from(self.cells[1]),
            _ => (ny * 2.0 / 3_f64.sqrt()).round().max(1.0) as u64,
        }
    }

    fn lattice(&self) -> Result<Mesh> {
        let [nx, ny] = self.cells;
        let mut random = Random::new(self.seed);
        let mut vertices = limits::room("vertices", (nx as usize + 1) * (ny as usize + 1))?;
        for j in 0..=ny {
            for i in 0..=nx {
                let mut at = [f64::from(i), f64::from(j)];
                if self.jitter > 0.0 && i > 0 && i < nx && j > 0 && j < ny {
                    at = at.map(|x| x + random.within(self.jitter));
                }
                let [x, y] =
                    [0, 1].map(|k| between(self.min[k], self.max[k], at[k], self.cells[k]));
                vertices.push([x, y, 0.0]);
            }
        }
        if self.delaunay {
            let made = delaunay::triangulate(vertices.iter().map(|v| [v[0], v[1]]))?;
            return Ok(Mesh::new(Kind::Planar, vertices, made.triangles.into_flattened()));
        }
        let mut cells = limits::room("cell corners", 6 * nx as usize * ny as usize)?;
        for j in 0..ny {
            for i in 0..nx {
                let a = j * (nx + 1) + i;
                let (b, c, d) = (a + 1, a + nx + 2, a + nx + 1);
                if self.pattern == Pattern::Cross && (i + j) % 2 == 1 {
                    cells.extend([a, b, d, b, c, d]);
                } else {
                    cells.extend([a, b, c, a, c, d]);
                }
            }
        }
        let mut mesh = Mesh::new(Kind::Planar, vertices, cells);
        mesh.lattice = Some([nx + 1, ny + 1, 1]);
        Ok(mesh)
    }

    /// Creates the Delaunay triangulation of evenly spaced boundary vertices and random interior
    /// vertices that keep a minimum distance.
    fn irregular(&self) -> Result<Mesh> {
        let [nx, ny] = self.cells;
        let (min, max) = (self.min, self.max);
        let edge = [0, 1].map(|k| max[k] - min[k]);
        let boundary = 2 * (nx as usize + ny as usize);
        let interior = (self.vertices.unwrap_or(0) as usize).saturating_sub(boundary);
        // In a very long rectangle, the points lie almost on a line, so its length counts instead
        // of its area.
        let per_point = (edge[0] * edge[1] / interior as f64)
            .sqrt()
            .max(edge[0].max(edge[1]) / interior as f64);
        let mut scatter = Scatter::new(boundary + interior, min, max, APART * per_point)?;
        let x = |i: u32| between(min[0], max[0], f64::from(i), nx);
        let y = |j: u32| between(min[1], max[1], f64::from(j), ny);
        (0..nx).for_each(|i| scatter.put([x(i), min[1], 0.0]));
        (0..ny).for_each(|j| scatter.put([max[0], y(j), 0.0]));
        (0..nx).for_each(|i| scatter.put([x(nx - i), max[1], 0.0]));
        (0..ny).for_each(|j| scatter.put([min[0], y(ny - j), 0.0]));
        let margin = MARGIN * (edge[0] / f64::from(nx)).min(edge[1] / f64::from(ny)).min(per_point);
        let mut random = Random::new(self.seed);
        scatter.throw(interior, || {
            let [x, y] = [0, 1].map(|k| min[k] + margin + (edge[k] - 2.0 * margin) * random.unit());
            [x, y, 0.0]
        });
        let vertices = scatter.into_points();
        let made = delaunay::triangulate(vertices.iter().map(|v| [v[0], v[1]]))?;
        Ok(Mesh::new(Kind::Planar, vertices, made.triangles.into_flattened()))
    }
}
