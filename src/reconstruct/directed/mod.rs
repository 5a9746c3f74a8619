//! Reconstruction by directed distances to tangent planes, or by distances to fitted spheres.
//!
//! With [`Fit::Planes`], the method follows H. Gao, J. Tang, G. Wu, *Parallel surface
//! reconstruction on GPU*, ICIMCS 2015, and H. Hoppe et al., *Surface reconstruction from
//! unorganized points*, SIGGRAPH 1992:
//!
//! 1. Space is divided into cubes ([`Lattice`]), and samples are sorted by the keys of their cubes.
//!    Cubes that contain samples are *seed cubes*.
//! 2. Each vertex c within one ring of at least one seed cube takes the nearest sample o of these
//!    seed cubes, with normal n: `f(c) = (c - o) . n`. If several samples are equally near, the
//!    first one is used.
//! 3. Signs are corrected where samples end, so that the surface is closed if the sampled surface
//!    is closed (`boundary_signs.rs`).
//! 4. Marching cubes extracts the surface. The inside is f < 0, and cubes that have a vertex
//!    without f are skipped. Vertices take the normal and color of their sample. Components without
//!    a vertex within half a cube edge of a sample are dropped.
//!
//! The surface has no holes if the edge of a cube is at least rho + delta ([`Density`]).
//!
//! With [`Fit::Spheres`], step 2 fits a sphere to the samples around each vertex (`spheres.rs`).
//! The radius of a sample follows the distance between samples, so cubes can be smaller than with
//! planes. With either fit, coordinates are first shifted to the center of the bounding box in f64.
//! Results are bitwise identical for any number of threads and on a GPU ([`cuda`]).

mod boundary_signs;
#[doc(hidden)]
pub mod cuda;
mod density;
mod edges;
mod field;
mod handles;
mod lattice;
mod seeds;
mod spheres;
#[cfg(test)]
mod tests;
mod vertex_attributes;

use std::time::Instant;

use self::field::Field;
use self::seeds::Seeds;
use self::spheres::{Repairs, Spacings};
use crate::cloud::PointCloud;
use crate::error::{Error, Result};
use crate::mesh::Mesh;
use crate::primitives::memory::available;
use crate::surface::cubes::{self, Placement};

pub use density::Density;
pub use lattice::{Lattice, MOST_CUBES};
pub(super) use vertex_attributes::supported;

/// The largest depth: 2^20 cubes along the longest side.
pub const MOST_DEPTH: u32 = 20;

/// The size of the cubes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Cubes {
    /// For planes, the smallest cubes that leave no holes, [`Density::safe_cube`]. For spheres,
    /// three quarters of the median spacing of the samples. If these are unknown, cubes whose edge
    /// is a sixteenth of the longest side of the box.
    #[default]
    Safe,
    /// 2^depth cubes along the longest side of the box, with a depth of 1 to [`MOST_DEPTH`].
    Depth(u32),
    /// Cubes of this edge, in units of the cloud, which must not exceed the longest side of the
    /// box.
    Edge(f64),
}

/// The surface from which distances are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Fit {
    /// The tangent plane of the nearest sample.
    Planes,
    /// A sphere that is fitted to the surrounding samples. It averages noise and follows curvature,
    /// so cubes can be as small as the distance between samples.
    Spheres,
}

/// The report of a reconstruction.
#[derive(Clone, Debug, serde::Serialize)]
#[non_exhaustive]
pub struct Directed {
    /// The surface from which distances are measured.
    pub fit: Fit,
    /// Edge of a cube, in units of the cloud.
    pub cube: f64,
    /// Number of cubes along each axis, including the empty ones at the boundary.
    pub size: [u32; 3],
    /// Number of cubes with samples.
    pub seed_cubes: usize,
    /// Number of vertices whose sign was changed to that of the vertices around them, which happens
    /// where samples end.
    pub turned: usize,
    /// Number of components that were dropped because no sample lies within half a cube edge of
    /// their vertices.
    pub dropped_pieces: usize,
    /// Number of gaps, smaller than the samples can resolve, that were closed. 0 for planes.
    pub closed_gaps: usize,
    /// Number of handles that no sample supports, which were cut. 0 for planes.
    pub cut_handles: usize,
    /// Whether the search for such handles ended early, because its work is limited.
    pub may_have_handles: bool,
    /// Density of the cloud. `None` for spheres, whose radii follow the local spacing of the
    /// samples.
    pub density: Option<Density>,
    /// Edge of the smallest cubes that leave no holes, in units of the cloud. 0 if it is unknown.
    pub safe_cube: f64,
    /// Duration of each step, in seconds.
    pub seconds: Seconds,
    /// Peak GPU memory, in bytes. `None` on the CPU.
    pub device_bytes: Option<u64>,
}

impl Directed {
    /// Returns whether the samples determine the density of the cloud. A few samples, or samples on
    /// a line, do not.
    pub(super) fn is_density_known(&self) -> bool {
        self.safe_cube > 0.0 && self.density.is_none_or(|density| density.is_known())
    }
}

/// Duration of each step, in seconds.
#[derive(Clone, Copy, Debug, Default, serde::Serialize)]
pub struct Seconds {
    /// Measurement of the density.
    pub density: f64,
    /// Keys, sort and seed cubes.
    pub sort: f64,
    /// Directed distances.
    pub field: f64,
    /// Sign correction where samples end.
    pub signs: f64,
    /// Marching cubes and vertex attributes.
    pub surface: f64,
    /// Copies to and from a GPU. Zero on the CPU.
    pub copies: f64,
}

/// A clock that measures the seconds between laps.
struct Clock(Instant);

impl Clock {
    fn lap(&mut self) -> f64 {
        let before = std::mem::replace(&mut self.0, Instant::now());
        self.0.duration_since(before).as_secs_f64()
    }
}

/// Reconstructs the surface of a cloud with normals, in the coordinates of the cloud.
///
/// The mesh has the vertex arrays `nx`, `ny`, `nz` and, if the cloud has colors, `red`, `green`,
/// `blue`.
///
/// # Errors
/// Returns [`Error::Case`] if the cloud has no points, no extent or no normals, and if the cube
/// size is impossible. Returns [`Error::Device`] if there is not enough memory. Returns
/// [`Error::Numerical`] for more than 2^32 - 1 vertices.
pub fn reconstruct(cloud: &PointCloud, cubes: Cubes, fit: Fit) -> Result<(Mesh, Directed)> {
    let given = Given::new(cloud)?;
    let mut clock = Clock(Instant::now());
    let mut seconds = Seconds::default();
    let sizes = match fit {
        Fit::Planes => Sizes::Planes(Density::of(cloud, given.normals, given.bounds)?),
        Fit::Spheres => Sizes::Spheres(Spacings::new(cloud, given.normals, given.bounds)?),
    };
    seconds.density = clock.lap();
    let lattice = given.lattice(cubes, &sizes)?;
    let seeds = Seeds::new(cloud, given.normals, &lattice);
    seconds.sort = clock.lap();
    let mut field = match &sizes {
        Sizes::Planes(_) => Field::new(&seeds, &lattice, available())?,
        Sizes::Spheres(spacings) => spheres::field(
            &seeds,
            &spacings.radii(given.normals, lattice.cube()),
            &lattice,
            available(),
        )?,
    };
    seconds.field = clock.lap();
    let turned = boundary_signs::settle(&mut field);
    seconds.signs = clock.lap();
    let mesh = cubes::extract(&field, &Placement::default(), false)?;
    let (mut mesh, dropped_pieces) =
        vertex_attributes::finish(mesh, &field, &seeds, &lattice, cloud);
    let repairs = sizes.repair(&mut mesh, &lattice);
    seconds.surface = clock.lap();
    let report = Directed {
        fit,
        cube: lattice.cube(),
        size: lattice.size(),
        seed_cubes: seeds.len(),
        turned,
        dropped_pieces,
        closed_gaps: repairs.closed_gaps,
        cut_handles: repairs.handles.count,
        may_have_handles: repairs.handles.is_partial,
        density: sizes.density(),
        safe_cube: sizes.safe_cube(),
        seconds,
        device_bytes: None,
    };
    Ok((mesh, report))
}

/// The measurements of a cloud that determine the size of the cubes.
enum Sizes {
    Planes(Density),
    Spheres(Spacings),
}

impl Sizes {
    fn density(&self) -> Option<Density> {
        match self {
            Sizes::Planes(density) => Some(*density),
            Sizes::Spheres(_) => None,
        }
    }

    fn safe_cube(&self) -> f64 {
        match self {
            Sizes::Planes(density) => density.safe_cube(),
            Sizes::Spheres(spacings) => spacings.safe_cube,
        }
    }

    /// Returns the edge of the cubes that suit the cloud, or `None` if it is unknown. Samples on a
    /// line or without neighbors have no density.
    fn cube(&self) -> Option<f64> {
        match self {
            Sizes::Planes(density) => density.is_known().then(|| density.safe_cube()),
            Sizes::Spheres(spacings) => (spacings.cube > 0.0).then_some(spacings.cube),
        }
    }

    /// For spheres, repairs a surface where it is finer than samples resolve.
    fn repair(&self, mesh: &mut Mesh, lattice: &Lattice) -> Repairs {
        match self {
            Sizes::Planes(_) => Repairs::default(),
            Sizes::Spheres(_) => spheres::repair(mesh, lattice.cube()),
        }
    }

    /// Returns the number of empty cubes on each side of the samples.
    fn margin(&self) -> f64 {
        match self {
            Sizes::Planes(_) => lattice::RING,
            Sizes::Spheres(_) => spheres::LONGEST + 1.0,
        }
    }
}

/// A cloud that passed the checks of its contents.
struct Given<'a> {
    normals: &'a [[f32; 3]],
    /// Smallest and largest coordinates.
    bounds: ([f64; 3], [f64; 3]),
    /// Longest side of the bounding box.
    longest: f64,
}

impl<'a> Given<'a> {
    fn new(cloud: &'a PointCloud) -> Result<Self> {
        cloud.check()?;
        let bounds = cloud.bounds();
        let longest = cloud.longest_side()?;
        let normals = usable_normals(cloud)?;
        Ok(Given { normals, bounds, longest })
    }

    /// Returns the lattice for the requested cube size.
    fn lattice(&self, cubes: Cubes, sizes: &Sizes) -> Result<Lattice> {
        let (low, high) = self.bounds;
        Lattice::new(low, high, edge(cubes, self.longest, sizes)?, sizes.margin())
    }
}

/// Returns whether a normal has a direction: it is finite and not zero.
fn is_direction(normal: &[f32; 3]) -> bool {
    normal.iter().all(|x| x.is_finite()) && *normal != [0.0; 3]
}

/// Returns the normals of a cloud. At least one of them must be finite and not zero.
fn usable_normals(cloud: &PointCloud) -> Result<&[[f32; 3]]> {
    match &cloud.normals {
        Some(normals) if normals.iter().any(is_direction) => Ok(normals),
        found => {
            let what = match found {
                Some(_) => "the normals of the cloud are all zero",
                None => "the cloud has no normals",
            };
            Err(Error::usage(what, "estimate normals first, because directed distances need them"))
        }
    }
}

/// Returns the requested cube edge.
fn edge(cubes: Cubes, longest: f64, sizes: &Sizes) -> Result<f64> {
    match cubes {
        Cubes::Edge(edge) if edge > longest => {
            let what = format!(
                "cubes of edge {edge:e} are larger than the cloud, whose longest side is {longest:.3e}"
            );
            Err(Error::usage(what, format!("use smaller cubes, such as {:.1e}", longest / 100.0)))
        }
        Cubes::Edge(edge) => Ok(edge),
        Cubes::Depth(depth) if (1..=MOST_DEPTH).contains(&depth) => {
            Ok(longest / f64::from(1_u32 << depth))
        }
        Cubes::Depth(depth) => {
            let what = format!("depth {depth}");
            Err(Error::usage(what, format!("use a depth of 1 to {MOST_DEPTH}")))
        }
        Cubes::Safe => Ok(sizes.cube().unwrap_or(longest / 16.0)),
    }
}
