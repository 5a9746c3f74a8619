//! Triangles on a sphere: subdivided icosahedra and Delaunay triangulations of random points.

use super::limits::Size;
use super::random::Random;
use super::scatter::Scatter;
use super::{delaunay, limits};
use crate::error::{Error, Result};
use crate::mesh::{Kind, Mesh, refine};

/// Triangles on a sphere, with all vertices on the sphere, oriented outward.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
pub struct Sphere {
    /// Radius in mesh units. Default 1
    #[cfg_attr(feature = "cli", arg(long, default_value_t = 1.0, hide_default_value = true))]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub radius: f64,
    /// Center in mesh units. Default 0, 0, 0
    #[cfg_attr(feature = "cli", arg(long, value_name = "X,Y,Z", value_parser = super::cli::numbers::<f64, 3>, default_value = "0,0,0", hide_default_value = true, allow_hyphen_values = true))]
    pub center: [f64; 3],
    /// Number of times that each triangle is split into four, with new vertices moved onto the
    /// sphere. Default 4 for the icosahedron, 0 for an irregular sphere
    #[cfg_attr(feature = "cli", arg(long, value_name = "TIMES"))]
    pub subdivisions: Option<u32>,
    /// Delaunay triangulation of random points instead of the icosahedron. Default false
    #[cfg_attr(feature = "cli", arg(long))]
    pub irregular: bool,
    /// Vertices of an irregular sphere before subdivision, at least 32. No default
    #[cfg_attr(feature = "cli", arg(long, value_name = "N"))]
    pub vertices: Option<u32>,
    /// Seed of the random numbers. Default 1
    #[cfg_attr(feature = "cli", arg(long, default_value_t = 1, hide_default_value = true, value_parser = super::cli::seed))]
    pub seed: u64,
}

impl Default for Sphere {
    fn default() -> Self {
        Sphere {
            radius: 1.0,
            center: [0.0; 3],
            subdivisions: None,
            irregular: false,
            vertices: None,
            seed: 1,
        }
    }
}

/// The smallest distance between the points of an irregular sphere, relative to the square root of
/// the area per point. See [`super::square`].
const APART: f64 = 0.4;

/// The smallest number of points of an irregular sphere. It is large enough for the points to
/// surround the center.
const LEAST_VERTICES: u32 = 32;

impl Sphere {
    pub(super) fn mesh(&self) -> Result<Mesh> {
        let times = self.times();
        let mut mesh = match self.vertices {
            Some(n) => irregular(n, self.seed)?,
            None => icosahedron(),
        };
        for _ in 0..times {
            let old = mesh.n_vertices();
            mesh = refine::refine(&mesh)?;
            mesh.vertices[old..].iter_mut().for_each(|v| *v = unit(*v));
        }
        for v in &mut mesh.vertices {
            *v = [0, 1, 2].map(|k| self.center[k] + self.radius * v[k]);
        }
        Ok(mesh)
    }

    fn times(&self) -> u32 {
        self.subdivisions.unwrap_or(if self.irregular { 0 } else { 4 })
    }

    pub(super) fn check(&self) -> Result<()> {
        limits::length("sphere", "radius", self.radius)?;
        for x in self.center {
            limits::coordinate("sphere", "center", x)?;
        }
        if self.irregular != self.vertices.is_some() {
            return Err(Error::usage(
                "sphere: irregular and vertices must be set together",
                "set both or neither",
            ));
        }
        let base = self.vertices.unwrap_or(12);
        if self.irregular {
            limits::cells("sphere", "vertices", base, LEAST_VERTICES)?;
        }
        let size = self.size();
        size.numbered("sphere")?;
        let largest = self.center.iter().fold(self.radius, |m, x| m.max(x.abs()));
        limits::resolution("sphere", self.radius / (size.cells as f64).sqrt(), largest)
    }

    pub(super) fn size(&self) -> Size {
        let base = u128::from(self.vertices.unwrap_or(12));
        // After 16 subdivisions, even the icosahedron has too many triangles for 32-bit indices.
        let cells = (2 * base).saturating_sub(4) << (2 * self.times().min(16));
        Size::new(Kind::Surface, cells / 2 + 2, cells)
    }
}

/// Creates the icosahedron on the unit sphere, oriented outward.
fn icosahedron() -> Mesh {
    let g = 0.5 * (1.0 + 5_f64.sqrt());
    let corners = [
        [-1.0, g, 0.0],
        [1.0, g, 0.0],
        [-1.0, -g, 0.0],
        [1.0, -g, 0.0],
        [0.0, -1.0, g],
        [0.0, 1.0, g],
        [0.0, -1.0, -g],
        [0.0, 1.0, -g],
        [g, 0.0, -1.0],
        [g, 0.0, 1.0],
        [-g, 0.0, -1.0],
        [-g, 0.0, 1.0],
    ];
    #[rustfmt::skip]
    let faces = vec![
        0, 11, 5,   0, 5, 1,    0, 1, 7,    0, 7, 10,   0, 10, 11,
        1, 5, 9,    5, 11, 4,   11, 10, 2,  10, 7, 6,   7, 1, 8,
        3, 9, 4,    3, 4, 2,    3, 2, 6,    3, 6, 8,    3, 8, 9,
        4, 9, 5,    2, 4, 11,   6, 2, 10,   8, 6, 7,    9, 8, 1,
    ];
    Mesh::new(Kind::Surface, corners.map(unit).to_vec(), faces)
}

/// Triangulates random points with a minimum distance on the unit sphere.
///
/// The stereographic projection from the first point maps circles to circles. The spherical
/// Delaunay triangulation is therefore the planar Delaunay triangulation of all other points,
/// closed by a fan from the first point to the hull.
fn irregular(n: u32, seed: u64) -> Result<Mesh> {
    let area = 4.0 * std::f64::consts::PI / f64::from(n);
    let mut scatter = Scatter::new(n as usize, [-1.0; 2], [1.0; 2], APART * area.sqrt())?;
    let mut random = Random::new(seed);
    scatter.put([0.0, 0.0, 1.0]);
    scatter.throw(n as usize - 1, || on_unit_sphere(&mut random));
    let vertices = scatter.into_points();

    let planar = delaunay::triangulate(vertices[1..].iter().map(|v| from_north_pole(*v)))?;
    let mut cells = limits::room("cell corners", 6 * n as usize)?;
    // Viewed from above, the plane shows the sphere from inside, so the order of the corners is
    // reversed.
    for [a, b, c] in planar.triangles {
        cells.extend([a + 1, c + 1, b + 1]);
    }
    for [a, b] in planar.hull {
        cells.extend([0, b + 1, a + 1]);
    }
    Ok(Mesh::new(Kind::Surface, vertices, cells))
}

/// Returns a uniform point on the unit sphere, without transcendental functions (Marsaglia 1972).
fn on_unit_sphere(random: &mut Random) -> [f64; 3] {
    loop {
        let (u, v) = (random.within(1.0), random.within(1.0));
        let s = u * u + v * v;
        if s < 1.0 {
            let f = 2.0 * (1.0 - s).sqrt();
            return unit([u * f, v * f, 1.0 - 2.0 * s]);
        }
    }
}

/// Projects a point stereographically from (0, 0, 1) to the plane z = 0.
fn from_north_pole([x, y, z]: [f64; 3]) -> [f64; 2] {
    // Near the pole, 1 - z would cancel. It is replaced by the equal expression (x^2 + y^2) / (1 +
    // z).
    let scale = if z > 0.0 { (1.0 + z) / (x * x + y * y) } else { 1.0 / (1.0 - z) };
    [x * scale, y * scale]
}

fn unit(v: [f64; 3]) -> [f64; 3] {
    let length = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
    v.map(|x| x / length)
}
