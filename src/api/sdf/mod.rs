//! Signed distances to a surface, at points and on a grid.

mod grid;
mod on_gpu;

use std::borrow::Cow;

#[cfg(feature = "cli")]
pub(crate) use grid::MOST as MOST_ALONG;
pub use grid::{Grid, GridDistances, GridOptions};
pub use on_gpu::DeviceSignedSurface;

use super::Mesh;
use crate::error::Result;
use crate::geometry::Vec3;
use crate::mesh::repair::Weld;
use crate::mesh::{self, Kind, boundary};
use crate::parallel::*;
use crate::surface::{Closest, Solid, TriangleIndex, doubts};

/// A surface that is prepared for signed distances.
///
/// Distances are exact. They are negative inside, where the absolute value of the winding number
/// exceeds 1/2. Parts that overlap count as their union. The surface of a tetrahedral mesh is its
/// boundary.
///
/// ```
/// use zeroset::api::{Extras, SignedSurface};
/// use zeroset::mesh::generate::{Generate, Sphere, generate};
/// let surface = SignedSurface::new(&generate(&Generate::Sphere(Sphere::default()))?)?;
/// let found = surface.at(&[[0.0, 0.0, 2.0]], Extras::default().normals(true));
/// assert!((found.values[0] - 1.0).abs() < 0.01);
/// assert!(found.normals.is_some_and(|normals| normals[0][2] > 0.9));
/// # Ok::<(), zeroset::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SignedSurface {
    solid: Solid,
    index: TriangleIndex,
    warnings: Vec<String>,
}

/// The additional results to compute with signed distances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Extras {
    /// Whether to compute the direction in which the distance grows.
    pub normals: bool,
    /// Whether to compute the nearest triangle.
    pub triangles: bool,
}

impl Extras {
    /// Sets whether to compute the direction in which the distance grows.
    pub fn normals(mut self, normals: bool) -> Self {
        self.normals = normals;
        self
    }

    /// Sets whether to compute the nearest triangle.
    pub fn triangles(mut self, triangles: bool) -> Self {
        self.triangles = triangles;
        self
    }

    /// Returns whether the closest points of the surface are needed.
    fn needs_closest(self) -> bool {
        self.normals || self.triangles
    }
}

/// The signed distances of points.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PointDistances {
    /// The distance of each point, `[points]`, negative inside, in mesh units.
    pub values: Vec<f64>,
    /// The unit vector along which the distance grows fastest, for each point, `[points]`, if
    /// requested.
    pub normals: Option<Vec<[f64; 3]>>,
    /// The index of the nearest triangle in the mesh, for each point, `[points]`, if requested.
    pub triangles: Option<Vec<u32>>,
    /// Warnings about the signs, one sentence each. [`SignedSurface::warnings`] returns those about
    /// the surface.
    pub warnings: Vec<String>,
}

/// Computes the signed distances of points to the surface of a mesh, both in mesh units.
///
/// The warnings include those about the surface. For several calls or for grids, use
/// [`SignedSurface`].
///
/// ```
/// let corners = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let mesh = zeroset::Mesh::triangles(corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
/// let found = zeroset::sdf(&mesh, &[[0.1, 0.2, 0.3], [0.1, 0.2, -0.5]])?;
/// assert_eq!(found.values, [-0.1, 0.5]);
/// # Ok::<(), zeroset::Error>(())
/// ```
///
/// # Errors
/// Returns the errors of [`SignedSurface::new`].
pub fn sdf(mesh: &Mesh, points: &[[f64; 3]]) -> Result<PointDistances> {
    mesh.cpu()?.run(|| {
        let surface = SignedSurface::new(mesh.stored())?;
        let mut found = surface.at(points, Extras::default());
        found.warnings.splice(0..0, surface.warnings);
        Ok(found)
    })
}

/// Distances of points, with the closest points of the surface and the counts of doubtful signs.
struct Found {
    values: Vec<f64>,
    closest: Vec<Closest>,
    undecided: usize,
    inverted: usize,
}

impl SignedSurface {
    /// Prepares the surface of a mesh, in the caller's thread pool.
    ///
    /// # Errors
    /// Returns [`Error::Mesh`](crate::Error::Mesh) if no triangle can be used.
    pub fn new(mesh: &mesh::Mesh) -> Result<Self> {
        let mut warnings = Vec::new();
        let mesh = match mesh.kind {
            Kind::Surface => Cow::Borrowed(mesh),
            Kind::Planar => {
                // Query points may lie off the plane of the mesh, so it is treated as a surface in
                // space.
                let mut mesh = mesh.clone();
                mesh.kind = Kind::Surface;
                Cow::Owned(mesh)
            }
            Kind::Volume => {
                let found = boundary(mesh, Some(Weld::default()))?;
                warnings.extend(found.doubts());
                Cow::Owned(found.surface)
            }
        };
        let mut solid = Solid::new(&mesh)?;
        warnings.append(&mut solid.warnings);
        Ok(SignedSurface { index: solid.index(), solid, warnings })
    }

    /// Returns the warnings about the surface, one sentence each.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Returns the number of triangles.
    pub fn n_triangles(&self) -> usize {
        self.solid.triangles.len() / 3
    }

    /// Returns the number of triangles that lie inside other parts. Distances to them do not count.
    pub fn n_ignored(&self) -> usize {
        self.solid.envelope.as_ref().map_or(0, |envelope| envelope.ignored)
    }

    /// Returns the smallest and largest coordinates of the surface, in mesh units.
    pub fn bounds(&self) -> ([f64; 3], [f64; 3]) {
        self.solid.bounds()
    }

    /// Computes the signed distances of points, both in mesh units, in the caller's thread pool.
    pub fn at(&self, points: &[[f64; 3]], extras: Extras) -> PointDistances {
        let found = self.find(points, extras.needs_closest());
        let warnings = doubts("points", found.undecided, found.inverted);
        let near = points.par_iter().zip(&found.values).zip(&found.closest);
        let normals = extras
            .normals
            .then(|| near.map(|((&x, &d), closest)| self.normal(x, d, closest)).collect());
        let triangles = extras
            .triangles
            .then(|| found.closest.iter().map(|closest| self.stored(closest)).collect());
        PointDistances { values: found.values, normals, triangles, warnings }
    }

    fn find(&self, points: &[[f64; 3]], needs_closest: bool) -> Found {
        let (distances, closest) = match needs_closest {
            true => self.index.signed_closest(points),
            false => (self.index.signed_distances(points), Vec::new()),
        };
        let (undecided, inverted) = (distances.undecided, distances.inverted);
        Found { values: distances.values, closest, undecided, inverted }
    }

    /// Returns the direction in which the distance grows at `x`. It points away from the nearest
    /// point of the surface if `x` is outside, and toward it if `x` is inside. On the surface, it
    /// is the normal of the triangle.
    fn normal(&self, x: [f64; 3], distance: f64, closest: &Closest) -> [f64; 3] {
        let way = (Vec3::from(x) - Vec3::from(closest.point)) * distance.signum();
        if distance != 0.0 && way.norm() > 0.0 {
            return (way / way.norm()).into();
        }
        self.face_normal(closest.triangle)
    }

    /// Returns the unit normal of a triangle of the surface.
    fn face_normal(&self, triangle: u32) -> [f64; 3] {
        let corners = &self.solid.triangles[3 * triangle as usize..][..3];
        let [a, b, c] = [0, 1, 2].map(|k| Vec3::from(self.solid.vertices[corners[k] as usize]));
        let normal = (b - a).cross(&(c - a));
        (normal / normal.norm()).into()
    }

    /// Returns the index in the mesh of the nearest triangle.
    fn stored(&self, closest: &Closest) -> u32 {
        self.solid.stored[closest.triangle as usize]
    }
}
