//! Search restricted to cones: the directional ("anisotropic") distance transform.

use super::coordinate::Coordinate;
use zeroset_core::error::{Error, Result};

/// The directions of the cones.
#[derive(Clone, Debug, PartialEq)]
pub enum Directions {
    /// One direction, of any nonzero length, for all queries.
    One([f64; 3]),
    /// One direction per query, `[n_queries, 3]`, each of any nonzero length.
    Each(Vec<[f64; 3]>),
}

/// A cone of sites that a query sees: the sites s with `(s - q) . r >= cos(angle) |s - q|`, where r
/// is the direction. A site at the query itself is included.
///
/// Near the query, a cone is thinner than a voxel, and a ray that steps by distances in the cone
/// can miss voxels. With a `cylinder` of radius R, the query also sees the sites at a distance of
/// at most R from the line of the ray for which `(s - q) . r > -R`. If R is half the diagonal of a
/// voxel and each step is the distance minus R, a ray misses nothing (docs/point-distances.md).
#[derive(Clone, Debug, PartialEq)]
pub struct Cone {
    /// The directions, of any nonzero length.
    pub directions: Directions,
    /// The half angle in radians, from 0 to pi.
    pub angle: f64,
    /// The radius of a cylinder around the ray, in the unit of the coordinates. The query also sees
    /// all sites in the cylinder. See [`Cone`].
    pub cylinder: Option<f64>,
}

impl Cone {
    /// Returns the cones for `n_queries` queries, with unit directions.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if the number of directions does not match, a direction is zero or
    /// not finite, the angle is out of range, or the radius is negative or not finite.
    pub(super) fn toward(&self, n_queries: usize) -> Result<Toward> {
        if !(0.0..=std::f64::consts::PI).contains(&self.angle) {
            let what = format!("a cone with the half angle {} degrees", self.angle.to_degrees());
            return Err(Error::usage(what, "give a half angle from 0 to 180"));
        }
        if let Some(radius) = self.cylinder.filter(|r| !(*r >= 0.0 && r.is_finite())) {
            return Err(Error::usage(
                format!("a cylinder of radius {radius}"),
                "give a radius of at least 0",
            ));
        }
        let given = match &self.directions {
            Directions::One(r) => std::slice::from_ref(r),
            Directions::Each(all) if all.len() == n_queries => all,
            Directions::Each(all) => {
                let what = format!("{} directions for {n_queries} queries", all.len());
                return Err(Error::usage(what, "give one per query, or one for all"));
            }
        };
        let unit = |(i, r): (usize, &[f64; 3])| {
            let length = r[0].hypot(r[1]).hypot(r[2]);
            if length > 0.0 && length.is_finite() {
                return Ok(r.map(|x| x / length));
            }
            Err(Error::usage(
                format!("direction {i} is {r:?}"),
                "give a direction that is not zero",
            ))
        };
        let directions = given.iter().enumerate().map(unit).collect::<Result<_>>()?;
        let (sin, cos) = (libm::sin(self.angle), libm::cos(self.angle));
        Ok(Toward { directions, cos, sin, cylinder: self.cylinder })
    }
}

/// The cones of all queries.
pub struct Toward {
    /// The directions: one per query, or one for all.
    directions: Vec<[f64; 3]>,
    cos: f64,
    sin: f64,
    cylinder: Option<f64>,
}

/// The cone of one query.
#[derive(Clone, Copy)]
pub(super) struct View {
    r: [f64; 3],
    cos: f64,
    sin: f64,
    cylinder: Option<f64>,
}

impl Toward {
    /// Returns the unit directions: one per query, or one for all.
    pub(super) fn directions(&self) -> &[[f64; 3]] {
        &self.directions
    }

    pub(super) fn cosine(&self) -> f64 {
        self.cos
    }

    pub(super) fn cylinder(&self) -> Option<f64> {
        self.cylinder
    }
}

impl Toward {
    pub(super) fn of(&self, query: usize) -> View {
        let r = self.directions[if self.directions.len() == 1 { 0 } else { query }];
        View { r, cos: self.cos, sin: self.sin, cylinder: self.cylinder }
    }

    /// Returns the cones of a range of queries.
    pub(super) fn part(&self, queries: std::ops::Range<usize>) -> Toward {
        let all = &self.directions;
        let directions = if all.len() == 1 { all.clone() } else { all[queries].to_vec() };
        Toward { directions, ..*self }
    }

    /// Returns the cones of every k-th query.
    pub(super) fn every(&self, k: usize) -> Toward {
        let directions = self.directions.iter().step_by(k).copied().collect();
        Toward { directions, ..*self }
    }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

impl View {
    /// Returns true if the query sees a site at the offset `d` from it.
    pub fn admits(&self, d: [f64; 3]) -> bool {
        let (along, square) = (dot(d, self.r), dot(d, d));
        let in_cylinder =
            |radius: f64| along > -radius && square - along * along <= radius * radius;
        along >= self.cos * square.sqrt() || self.cylinder.is_some_and(in_cylinder)
    }

    /// Returns false only if no site in the box between two corners is seen from the query. The
    /// test uses the ball around the box.
    pub fn may_admit<C: Coordinate>(&self, low: [C; 3], high: [C; 3], q: [C; 3]) -> bool {
        let [mut center, mut half] = [[0.0; 3]; 2];
        for k in 0..3 {
            let [low, high, q] = [low[k], high[k], q[k]].map(C::to_f64);
            (center[k], half[k]) = (0.5 * (low + high) - q, 0.5 * (high - low));
        }
        let (along, square) = (dot(center, self.r), dot(center, center));
        let across = (square - along * along).max(0.0).sqrt();
        // The radius is enlarged because differences are rounded to the precision of the
        // coordinates.
        let radius = dot(half, half).sqrt() + 1e-6 * (square.sqrt() + 1.0);
        // A cone with a half angle above 90 degrees is not convex, so no plane excludes the ball.
        let in_cone = self.cos < 0.0 || across * self.cos - along * self.sin <= radius;
        in_cone || self.cylinder.is_some_and(|r| across <= r + radius && along >= -r - radius)
    }
}
