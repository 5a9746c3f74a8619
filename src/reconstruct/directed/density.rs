//! The density of a cloud, and the cube size that leaves no holes in its surface.
//!
//! Assume that every point of the surface has a sample within rho, and that samples lie within
//! delta of the surface. If the edge of a cube is at least rho + delta, the cubes around any point
//! of the surface are within one ring of a seed cube, and nothing is left open. (The bound in Gao
//! et al., 3 omega > rho + delta, holds only for the gap between two samples along an axis.)
//!
//! Within the tangent plane of a sample, rho is the distance to the farthest corner of its Voronoi
//! cell. This corner is the center of the largest empty circle next to the sample.

use std::cmp::Ordering;

use super::lattice::{Lattice, RING};
use super::seeds::{Sample, Seeds};
use crate::cloud::PointCloud;
use crate::error::Result;
use crate::parallel::*;

/// The largest number of samples to examine. The work is proportional to it.
const LOOKED_AT: usize = 20_000;
/// One in this many circles may be larger than rho. At a sharp point of the surface, the tangent
/// plane of a sample says little about its neighbors.
pub(super) const SINGULAR: usize = 1000;
/// The number of nearest neighbors that can contribute a side of a Voronoi cell.
const NEIGHBORS: usize = 32;
/// The largest reach of a Voronoi cell, in distances to the sixth nearest neighbor. A sample whose
/// cell reaches farther lies at the boundary of a scan and has no gap to close. Except for one in a
/// thousand, the cells of uniform samples reach at most 1.8 such distances. The cells of square
/// lattices reach 0.5.
const RIM: f64 = 3.0;
/// The largest number of samples per cube that are examined as neighbors. If a cube has more,
/// because they lie close together or coincide, only every k-th is examined.
const MOST_IN_CUBE: usize = 256;
/// The largest search distance for neighbors, in cubes along each axis.
const REACH: i32 = 4;

/// The density of a cloud. Lengths are in units of the cloud.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Density {
    /// Largest distance from a point of the surface to its nearest sample. Around one sample in
    /// 1000, the distance may be larger than this. Samples at a boundary of the surface do not
    /// count.
    pub rho: f64,
    /// Mean distance of the six nearest neighbors of a sample from its tangent plane. It combines
    /// noise and the curvature of the surface between samples.
    pub delta: f64,
    /// Number of examined samples that contribute. Samples at a boundary, or with too few
    /// neighbors, do not.
    pub looked_at: usize,
}

impl Density {
    /// Measures the density from up to 20,000 samples, chosen evenly from the sorted samples.
    ///
    /// # Errors
    /// Returns the errors of [`Lattice::new`].
    pub(super) fn of(
        cloud: &PointCloud,
        normals: &[[f32; 3]],
        bounds: ([f64; 3], [f64; 3]),
    ) -> Result<Density> {
        let (found, cube) = look(cloud, normals, bounds)?;
        let found: Vec<(f64, f64)> = found.iter().map(|found| (found.rho, found.off)).collect();
        Ok(Density::from_found(&found, cube))
    }

    /// Combines the results of all examined samples. Each result holds the distance to the farthest
    /// corner and the mean distance of the neighbors from the plane, both in cube edges.
    pub(super) fn from_found(found: &[(f64, f64)], cube: f64) -> Density {
        let mut radii: Vec<f64> = found.iter().map(|found| found.0).collect();
        radii.sort_unstable_by(f64::total_cmp);
        let rho = radii.get(radii.len().saturating_sub(1 + radii.len() / SINGULAR));
        let rho = rho.copied().unwrap_or(0.0);
        let sum: f64 = found.iter().map(|found| found.1).sum();
        let delta = sum / found.len().max(1) as f64;
        let looked_at = found.len();
        Density { rho: rho * cube, delta: delta * cube, looked_at }
    }

    /// Returns whether at least one examined sample determines the density. Samples on a line and
    /// clouds of two or three samples do not determine it.
    pub fn is_known(&self) -> bool {
        self.rho > 0.0
    }

    /// Returns the smallest cube edge that leaves no holes, in units of the cloud, or 0 if the
    /// density is unknown.
    pub fn safe_cube(&self) -> f64 {
        self.rho + self.delta
    }
}

/// The density at an examined sample, in cube edges.
pub(super) struct Looked {
    /// Index of the sample in the cloud.
    pub number: u32,
    /// Distance to the farthest corner of its Voronoi cell.
    pub rho: f64,
    /// Mean distance of its neighbors from its tangent plane.
    pub off: f64,
}

/// Examines up to 20,000 samples. Returns the density at those that have one, and the edge of a
/// cube.
///
/// # Errors
/// Returns the errors of [`Lattice::new`].
pub(super) fn look(
    cloud: &PointCloud,
    normals: &[[f32; 3]],
    bounds: ([f64; 3], [f64; 3]),
) -> Result<(Vec<Looked>, f64)> {
    let lattice = coarse(bounds, cloud.len())?;
    let seeds = Seeds::new(cloud, normals, &lattice);
    let n = seeds.samples.len();
    let at = (0..n).into_par_iter().step_by(every(n));
    let looked = |k: usize| {
        let (rho, off) = about(&seeds, &lattice, k)?;
        Some(Looked { number: seeds.samples[k].number, rho, off })
    };
    Ok((at.filter_map(looked).collect(), lattice.cube()))
}

/// Returns a lattice with a few samples per cube, if the area of the surface is about the area of
/// one side of the box.
pub(super) fn coarse((low, high): ([f64; 3], [f64; 3]), n: usize) -> Result<Lattice> {
    Lattice::new(low, high, coarse_cube(low, high, n), RING)
}

/// Returns the cube edge of [`coarse`] for `n` samples in a box.
pub(super) fn coarse_cube(low: [f64; 3], high: [f64; 3], n: usize) -> f64 {
    let longest = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
    (2.0 * longest / (n as f64).sqrt()).max(longest / 1e5)
}

/// Returns k such that every k-th of `n` samples is examined.
pub(super) fn every(n: usize) -> usize {
    n.div_ceil(LOOKED_AT).max(1)
}

/// A neighbor of a sample.
struct Neighbor {
    /// Squared distance within the tangent plane.
    square: f64,
    /// Index into [`Seeds::samples`].
    place: usize,
    /// Position in the tangent plane.
    at: [f64; 2],
    /// Distance from the tangent plane.
    off: f64,
}

/// Returns the distance to the farthest corner of the Voronoi cell of a sample, and the mean
/// distance of its neighbors from its plane, both in cube edges. Returns `None` at a boundary, or
/// if there are too few neighbors.
fn about(seeds: &Seeds, lattice: &Lattice, k: usize) -> Option<(f64, f64)> {
    let own = seeds.samples[k];
    let [u, w] = across(own.normal)?;
    let mut flat: Vec<Neighbor> = Vec::new();
    for reach in 1..=REACH {
        flat.clear();
        for_each_near(seeds, lattice, &own, reach, |place, other| {
            let along = dot(other.normal, own.normal);
            let d = [0, 1, 2].map(|a| other.point[a] - own.point[a]);
            // Skip samples of another sheet of the surface.
            if other.number != own.number && along > 0.0 {
                let at = [dot(d, u), dot(d, w)];
                let square = at[0] * at[0] + at[1] * at[1];
                flat.push(Neighbor { square, place, at, off: dot(d, own.normal).abs() });
            }
        });
        // The search is complete only within the reach.
        let limit = f64::from(reach).powi(2);
        flat.retain(|p| p.square < limit && p.square > 1e-18);
        let key = |p: &Neighbor| (p.square, p.place);
        flat.sort_unstable_by(|p, q| key(p).partial_cmp(&key(q)).unwrap_or(Ordering::Equal));
        flat.truncate(NEIGHBORS);
        // A corner is as far from the neighbors that define it as from this sample. All of these
        // neighbors are known if they are within the reach.
        if let Some(rho) = farthest_corner(&flat, f64::from(reach))
            && (2.0 * rho <= f64::from(reach) || flat.len() == NEIGHBORS)
        {
            let off = flat.iter().take(6);
            if rho * rho > RIM * RIM * off.clone().next_back()?.square {
                return None;
            }
            let n = off.len() as f64;
            return Some((rho, off.map(|p| p.off).sum::<f64>() / n));
        }
    }
    None
}

/// Returns the distance to the farthest corner of the cell around the origin, which is cut out of a
/// square of half side `half`. Returns `None` if a corner of the cell lies on the square.
fn farthest_corner(others: &[Neighbor], half: f64) -> Option<f64> {
    let mut cell = vec![[-half, -half], [half, -half], [half, half], [-half, half]];
    let mut cut = Vec::new();
    for Neighbor { at: [x, y], .. } in others {
        let middle = 0.5 * (x * x + y * y);
        let side = |p: &[f64; 2]| p[0] * x + p[1] * y - middle;
        cut.clear();
        for (k, p) in cell.iter().enumerate() {
            let q = cell[(k + 1) % cell.len()];
            let (a, b) = (side(p), side(&q));
            if a <= 0.0 {
                cut.push(*p);
            }
            if (a < 0.0) != (b < 0.0) && a != 0.0 && b != 0.0 {
                let t = a / (a - b);
                cut.push([p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])]);
            }
        }
        std::mem::swap(&mut cell, &mut cut);
    }
    let on_square = |p: &[f64; 2]| p[0].abs().max(p[1].abs()) >= half;
    if cell.len() < 3 || cell.iter().any(on_square) {
        return None;
    }
    Some(cell.iter().map(|p| p[0] * p[0] + p[1] * p[1]).fold(0.0, f64::max).sqrt())
}

/// Visits the samples, with their indices, in all cubes at most `reach` cubes away from the cube of
/// a sample, but at most [`MOST_IN_CUBE`] samples per cube.
fn for_each_near(
    seeds: &Seeds,
    lattice: &Lattice,
    own: &Sample,
    reach: i32,
    mut visit: impl FnMut(usize, &Sample),
) {
    let size = lattice.size();
    let [xs, ys, zs] = [0, 1, 2].map(|k| {
        let c = own.point[k] as i32;
        (c - reach).max(0) as u32..(c + reach + 1).clamp(0, size[k] as i32) as u32
    });
    for z in zs {
        for y in ys.clone() {
            for x in xs.clone() {
                let samples = seeds.of_cube(lattice.key([x, y, z]));
                let step = samples.len().div_ceil(MOST_IN_CUBE).max(1);
                samples.step_by(step).for_each(|k| visit(k, &seeds.samples[k]));
            }
        }
    }
}

/// Returns two orthogonal directions perpendicular to a normal, or `None` if the normal is zero.
fn across(n: [f64; 3]) -> Option<[[f64; 3]; 2]> {
    let k = (0..3).reduce(|a, b| if n[b].abs() < n[a].abs() { b } else { a })?;
    let mut axis = [0.0; 3];
    axis[k] = 1.0;
    let u = cross(n, axis);
    let length = dot(u, u).sqrt();
    let u = u.map(|x| x / length);
    (length > 0.0).then(|| [u, cross(n, u)])
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a plane lattice of spacing 1 with `n` samples along each side, spanned by `u` and
    /// `w`.
    fn plane(n: i32, u: [f64; 3], w: [f64; 3], skew: f64) -> (PointCloud, Vec<[f32; 3]>) {
        let mut points = Vec::new();
        for i in 0..n {
            for j in 0..n {
                let (i, j) = (f64::from(i) + skew * f64::from(j), f64::from(j));
                points.push([0, 1, 2].map(|k| i * u[k] + j * w[k]));
            }
        }
        let normals = vec![cross(u, w).map(|x| x as f32); points.len()];
        (PointCloud::new(points), normals)
    }

    #[test]
    fn lattices_have_the_circles_that_are_known() {
        for angle in [0.0, 0.3, 0.7_f64] {
            let (s, c) = angle.sin_cos();
            let (u, w) = ([c, s, 0.0], [-s * c, c * c, s]);
            let (cloud, normals) = plane(40, u, w, 0.0);
            let found = Density::of(&cloud, &normals, cloud.bounds()).unwrap();
            assert!((found.rho - 0.5_f64.sqrt()).abs() < 1e-9, "{found:?} at {angle}");
            assert!(found.delta < 1e-7 && found.looked_at > 1000, "{found:?}");
        }
        // Rows shifted by half a spacing form triangles of base 1, height 1 and circumradius 5/8.
        let (cloud, normals) = plane(40, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], 0.5);
        let found = Density::of(&cloud, &normals, cloud.bounds()).unwrap();
        assert!((found.rho - 0.625).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn noise_is_told_and_a_missing_sample_widens_the_gap() {
        let (mut cloud, normals) = plane(30, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], 0.0);
        for (k, x) in cloud.points.iter_mut().enumerate() {
            x[2] += if k % 2 == 0 { 0.05 } else { -0.05 };
        }
        let found = Density::of(&cloud, &normals, cloud.bounds()).unwrap();
        assert!(found.delta > 0.03 && found.delta < 0.1, "{found:?}");
        cloud.points.remove(15 * 30 + 15);
        let wider = Density::of(&cloud, &normals[1..], cloud.bounds()).unwrap();
        assert!((wider.rho - 1.0).abs() < 1e-9, "{wider:?}");
    }
}
