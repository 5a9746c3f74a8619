//! Reconstruction by directed distances to tangent planes.
//!
//! After H. Gao, J. Tang, G. Wu, *Parallel surface reconstruction on GPU*, ICIMCS 2015, and H. Hoppe
//! et al., *Surface reconstruction from unorganized points*, SIGGRAPH 1992:
//!
//! 1. Space is cut into cubes ([`Lattice`]); samples are sorted by the keys of theirs. Cubes with
//!    samples are *seed cubes*.
//! 2. A vertex c of the cubes within one ring of a seed cube takes the nearest sample o of those
//!    seed cubes, of normal n, of equally near ones the first: `f(c) = (c - o) . n`.
//! 3. Signs are made sound where samples end, so that the surface is closed if that of the samples
//!    is (`rim.rs`).
//! 4. Marching cubes gives the surface, inside where f < 0; a cube with a vertex without f is left
//!    out. Vertices take over normal and color of their sample, and pieces away from all samples
//!    are dropped.
//!
//! No holes come up if the edge of a cube is rho + delta or more ([`Density`]). Coordinates are
//! shifted to the middle of the box in f64 before anything else. Results have the same bits for
//! any number of threads, and on a GPU ([`cuda`]).

mod carry;
pub mod cuda;
mod density;
mod field;
mod lattice;
mod rim;
mod seeds;
#[cfg(test)]
mod tests;

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

/// Deepest lattice: 2^20 cubes along the longest side.
pub const MOST_DEPTH: u32 = 20;

/// How large cubes are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Cubes {
    /// As small as they can be without holes, [`Density::safe_cube`].
    #[default]
    Safe,
    /// 2^depth along the longest side of the box, 1 to [`MOST_DEPTH`].
    Depth(u32),
    /// Of this edge, in units of the cloud.
    Edge(f64),
}

/// What a reconstruction did.
#[derive(Clone, Debug, serde::Serialize)]
#[non_exhaustive]
pub struct Directed {
    /// Edge of a cube, units of the cloud.
    pub cube: f64,
    /// Cubes along each axis, empty ones at the border included.
    pub size: [u32; 3],
    /// Cubes with samples.
    pub seed_cubes: usize,
    /// Vertices whose sign was set by those around them, where samples end.
    pub turned: usize,
    /// Pieces of the surface that were dropped, having no sample near.
    pub dropped_pieces: usize,
    /// Density of the cloud.
    pub density: Density,
    /// Smallest cubes that leave no holes, by the density; 0 where that is not known.
    pub safe_cube: f64,
    /// Seconds of the density, the sort, the field, its signs, and the surface.
    pub seconds: Seconds,
    /// Most memory that was taken of a GPU, bytes; `None` on the CPU.
    pub device_bytes: Option<u64>,
}

/// Seconds of each part.
#[derive(Clone, Copy, Debug, Default, serde::Serialize)]
pub struct Seconds {
    /// Density of the cloud.
    pub density: f64,
    /// Keys, sort and seed cubes.
    pub sort: f64,
    /// Directed distances.
    pub field: f64,
    /// Signs where samples end.
    pub signs: f64,
    /// Marching cubes, and what vertices take over.
    pub surface: f64,
    /// Copies to a GPU and back; none on the CPU.
    pub copies: f64,
}

/// Seconds since the last time it was asked.
struct Clock(Instant);

impl Clock {
    fn lap(&mut self) -> f64 {
        let before = std::mem::replace(&mut self.0, Instant::now());
        self.0.duration_since(before).as_secs_f64()
    }
}

/// The surface of a cloud with normals, in its coordinates, with the vertex arrays `nx`, `ny`, `nz`
/// and, if the cloud has colors, `red`, `green`, `blue`.
///
/// # Errors
/// [`Error::Case`] for a cloud without points, without extent or without normals, and for cubes of a
/// size that cannot be; [`Error::Device`] without memory; [`Error::Numerical`] for more than
/// 2^32 - 1 vertices.
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
    let turned = rim::settle(&mut field);
    seconds.signs = clock.lap();
    let mesh = cubes::extract(&field, &Placement::default(), false)?;
    let (mesh, dropped_pieces) = carry::finish(mesh, &field, &seeds, &lattice, cloud);
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

/// A cloud with which something can be done.
struct Given<'a> {
    normals: &'a [[f32; 3]],
    /// Smallest and largest coordinates.
    bounds: ([f64; 3], [f64; 3]),
    /// Longest side of the box between them.
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

    /// The lattice that was asked for.
    fn lattice(&self, cubes: Cubes, density: &Density) -> Result<Lattice> {
        let (low, high) = self.bounds;
        Lattice::new(low, high, edge(cubes, self.longest, density)?)
    }
}

/// The normals of a cloud, at least one of them not zero.
fn usable_normals(cloud: &PointCloud) -> Result<&[[f32; 3]]> {
    let is_one = |n: &[f32; 3]| n.iter().all(|x| x.is_finite()) && *n != [0.0; 3];
    match &cloud.normals {
        Some(normals) if normals.iter().any(is_one) => Ok(normals),
        found => {
            let what = match found {
                Some(_) => "the normals of the cloud are all zero",
                None => "the cloud has no normals",
            };
            Err(Error::usage(what, "directed distances need them: estimate them first"))
        }
    }
}

/// The edge that was asked for.
fn edge(cubes: Cubes, longest: f64, density: &Density) -> Result<f64> {
    match cubes {
        Cubes::Edge(edge) if edge > longest => {
            let what = format!(
                "cubes of edge {edge:e} are larger than the cloud, whose longest side is {longest:.3e}"
            );
            Err(Error::usage(what, format!("take smaller cubes, such as {:.1e}", longest / 100.0)))
        }
        Cubes::Edge(edge) => Ok(edge),
        Cubes::Depth(depth) if (1..=MOST_DEPTH).contains(&depth) => {
            Ok(longest / f64::from(1_u32 << depth))
        }
        Cubes::Depth(depth) => {
            let what = format!("depth {depth}");
            Err(Error::usage(what, format!("take a depth of 1 to {MOST_DEPTH}")))
        }
        // Samples on a line or without neighbors have no density.
        Cubes::Safe if !density.is_known() => Ok(longest / 16.0),
        Cubes::Safe => Ok(density.safe_cube()),
    }
}
