//! Reconstruction by directed distances to tangent planes.
//!
//! The method follows H. Gao, J. Tang, G. Wu, *Parallel surface reconstruction on GPU*, ICIMCS
//! 2015, and H. Hoppe et al., *Surface reconstruction from unorganized points*, SIGGRAPH 1992:
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
//! The surface has no holes if the edge of a cube is at least rho + delta ([`Density`]). Before any
//! other step, coordinates are shifted to the center of the bounding box in f64. Results are
//! bitwise identical for any number of threads and on a GPU ([`cuda`]).

mod boundary_signs;
pub mod cuda;
mod density;
mod field;
mod lattice;
mod seeds;
#[cfg(test)]
mod tests;
mod vertex_attributes;

use std::time::Instant;

use self::field::Field;
use self::seeds::Seeds;
use crate::cloud::PointCloud;
use crate::error::{Error, Result};
use crate::mesh::Mesh;
use crate::primitives::memory::available;
use crate::surface::cubes::{self, Placement};

pub use density::Density;
pub use lattice::{Lattice, MOST_CUBES};

/// The largest depth: 2^20 cubes along the longest side.
pub const MOST_DEPTH: u32 = 20;

/// The size of the cubes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Cubes {
    /// The smallest cubes that leave no holes, [`Density::safe_cube`]. If the density is unknown,
    /// cubes whose edge is a sixteenth of the longest side of the box.
    #[default]
    Safe,
    /// 2^depth cubes along the longest side of the box, with a depth of 1 to [`MOST_DEPTH`].
    Depth(u32),
    /// Cubes of this edge, in units of the cloud, which must not exceed the longest side of the
    /// box.
    Edge(f64),
}

/// The report of a reconstruction.
#[derive(Clone, Debug, serde::Serialize)]
#[non_exhaustive]
pub struct Directed {
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
    /// Density of the cloud.
    pub density: Density,
    /// Edge of the smallest cubes that leave no holes, derived from the density. 0 if the density
    /// is unknown.
    pub safe_cube: f64,
    /// Duration of each step, in seconds.
    pub seconds: Seconds,
    /// Peak GPU memory, in bytes. `None` on the CPU.
    pub device_bytes: Option<u64>,
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
pub fn reconstruct(cloud: &PointCloud, cubes: Cubes) -> Result<(Mesh, Directed)> {
    let given = Given::new(cloud)?;
    let mut clock = Clock(Instant::now());
    let mut seconds = Seconds::default();
    let density = Density::of(cloud, given.normals, given.bounds)?;
    seconds.density = clock.lap();
    let lattice = given.lattice(cubes, &density)?;
    let seeds = Seeds::new(cloud, given.normals, &lattice);
    seconds.sort = clock.lap();
    let mut field = Field::new(&seeds, &lattice, available())?;
    seconds.field = clock.lap();
    let turned = boundary_signs::settle(&mut field);
    seconds.signs = clock.lap();
    let mesh = cubes::extract(&field, &Placement::default(), false)?;
    let (mesh, dropped_pieces) = vertex_attributes::finish(mesh, &field, &seeds, &lattice, cloud);
    seconds.surface = clock.lap();
    let report = Directed {
        cube: lattice.cube(),
        size: lattice.size(),
        seed_cubes: seeds.len(),
        turned,
        dropped_pieces,
        density,
        safe_cube: density.safe_cube(),
        seconds,
        device_bytes: None,
    };
    Ok((mesh, report))
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
    fn lattice(&self, cubes: Cubes, density: &Density) -> Result<Lattice> {
        let (low, high) = self.bounds;
        Lattice::new(low, high, edge(cubes, self.longest, density)?)
    }
}

/// Returns the normals of a cloud. At least one of them must be finite and not zero.
fn usable_normals(cloud: &PointCloud) -> Result<&[[f32; 3]]> {
    let is_one = |n: &[f32; 3]| n.iter().all(|x| x.is_finite()) && *n != [0.0; 3];
    match &cloud.normals {
        Some(normals) if normals.iter().any(is_one) => Ok(normals),
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
fn edge(cubes: Cubes, longest: f64, density: &Density) -> Result<f64> {
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
        // Samples on a line or without neighbors have no density.
        Cubes::Safe if !density.is_known() => Ok(longest / 16.0),
        Cubes::Safe => Ok(density.safe_cube()),
    }
}
