//! Outliers by local density: points that are much farther from their neighbors than the neighbors
//! are from each other.
//!
//! The global rule of `clean` finds only points that are far from everything. Errors of scanners
//! and of image matching also leave points close to the surface. Three rules find them:
//!
//! 1. *Sparse compared with its neighbors.* A point is a stray if the mean distance to its nearest
//!    points exceeds [`SPARSER`] times the median of these distances among its neighbors, and if it
//!    does not lie on their plane. The comparison is local, so a region that is scanned with fewer
//!    points is kept (M. Breunig, H.-P. Kriegel, R. Ng, J. Sander, LOF: identifying density-based
//!    local outliers, SIGMOD 2000). Vertices of a mesh are sparse on flat parts, and lie on a plane
//!    with the dense vertices around them.
//! 2. *Sparse and in space.* Among many outliers, the neighbors are outliers, too. Such points are
//!    sparser than most of the cloud, and do not lie on a surface.
//! 3. *Above the surface.* The neighbors lie on a plane. The point is farther from it than the
//!    neighbors are from each other, and [`ABOVE`] times as far as the neighbors are.
//!
//! The search is repeated without the points found, until nothing is found.

use std::cmp::Ordering;

use super::clean::NEIGHBORS as AROUND;
use super::plane::Plane;
use crate::point_distance::{Index, Sites};
use zeroset_core::error::Result;
use zeroset_core::parallel::*;

/// The number of nearest points that count as neighbors.
const NEIGHBORS: usize = 16;
/// The placeholder for a missing neighbor.
const NONE: u32 = u32::MAX;
/// Clouds with fewer points are not searched for strays.
const FEWEST: usize = 4 * NEIGHBORS;
/// A point may be at most this many times as far from its neighbors as they are from theirs.
const SPARSER: f64 = 3.0;
/// A sparse point lies on the plane of its neighbors if its distance from the plane is at most this
/// fraction of the mean distance to its nearest points. For its neighbors, the limit is half of
/// that.
const ON_PLANE: f64 = 0.2;
/// Points are not in space if their distance from their neighbors is at most this many times the
/// usual distance.
const SPARSE: f64 = 2.5;
/// Points are on a surface if their distance from their plane is less than this fraction of the
/// radius of the neighborhood. For points in space, the fraction is about 0.4.
const FLAT: f64 = 0.2;
/// The number of neighbors that are ignored when the plane is fitted: those farthest from it.
const REJECTED: usize = 4;
/// A point is above the surface if its distance from the plane of its neighbors exceeds both the
/// distance between the neighbors and this many times the distance of the neighbors from the plane.
const ABOVE: f64 = 8.0;
/// At most one in this many points may be a stray.
const MOST: usize = 5;
/// The largest number of searches.
const ROUNDS: usize = 6;

/// Returns the indices of strays among `points`, `[n]`, ascending. No two points may be at the same
/// position.
///
/// # Errors
/// Returns [`zeroset_core::Error::Case`] if a point is not finite, or if there are 2^32 - 1 points
/// or more.
pub fn strays(points: &[[f64; 3]]) -> Result<Vec<u32>> {
    let mut left: Vec<u32> = (0..points.len() as u32).collect();
    let mut found = Vec::new();
    for _ in 0..ROUNDS {
        if left.len() < FEWEST {
            break;
        }
        let places: Vec<[f64; 3]> = left.iter().map(|&i| points[i as usize]).collect();
        let is_stray = search(&places)?;
        let before = found.len();
        found.extend(left.iter().zip(&is_stray).filter(|(_, stray)| **stray).map(|(i, _)| *i));
        if found.len() == before {
            break;
        }
        let mut kept = is_stray.iter().map(|stray| !stray);
        left.retain(|_| kept.next().unwrap_or(true));
    }
    // This many points cannot all be outliers. The cloud fills space, and no rule applies.
    if found.len() > points.len() / MOST {
        found.clear();
    }
    found.sort_unstable();
    Ok(found)
}

/// A point, with its neighbors.
#[derive(Clone, Copy)]
struct Point {
    /// Mean distance to the nearest points.
    around: f64,
    /// Distance to the last neighbor.
    radius: f64,
    row: [u32; NEIGHBORS],
}

impl Default for Point {
    fn default() -> Self {
        Point { around: 0.0, radius: 0.0, row: [NONE; NEIGHBORS] }
    }
}

/// Returns for each point whether it is a stray.
fn search(points: &[[f64; 3]]) -> Result<Vec<bool>> {
    let index = Index::new(&Sites::new(points)?);
    let all: Vec<Point> = index.map_neighbors(NEIGHBORS, |_, found| {
        let mut point = Point::default();
        found.iter().zip(&mut point.row).for_each(|(f, to)| *to = f.site);
        let near = &found[..found.len().min(AROUND)];
        point.around = near.iter().map(|f| f.key.sqrt()).sum::<f64>() / near.len().max(1) as f64;
        point.radius = found.last().map_or(0.0, |f| f.key.sqrt());
        point
    });
    drop(index);
    let around = median(&mut all.iter().map(|point| point.around).collect::<Vec<f64>>());
    let is_stray = |(i, point): (usize, &Point)| {
        let row = point.row.map(|j| j as usize);
        let beside = median(&mut row.map(|j| all[j].around));
        point.around > SPARSER * beside
            && beside > 0.0
            && !is_on_plane(points, i, &row, point.around)
            || point.around > SPARSE * around && is_in_space(points, i, &row, point.radius)
            || is_above(points, i, &row, beside)
    };
    Ok(all.par_iter().enumerate().map(is_stray).collect())
}

/// Returns whether a point and its neighbors do not lie on a plane.
fn is_in_space(points: &[[f64; 3]], i: usize, row: &[usize; NEIGHBORS], radius: f64) -> bool {
    let plane = Plane::through(points[i], row.iter().map(|&j| points[j]));
    plane.is_some_and(|plane| plane.off > FLAT * radius)
}

/// Returns whether a point lies on the plane of its neighbors. `around` is the mean distance to its
/// nearest points.
fn is_on_plane(points: &[[f64; 3]], i: usize, row: &[usize; NEIGHBORS], around: f64) -> bool {
    let plane = plane_of(points, row);
    let limit = ON_PLANE * around;
    plane.is_some_and(|plane| plane.off <= 0.5 * limit && plane.distance(points[i]) <= limit)
}

/// Returns whether a point is far above the plane of its neighbors, whose distance from each other
/// is `beside`.
fn is_above(points: &[[f64; 3]], i: usize, row: &[usize; NEIGHBORS], beside: f64) -> bool {
    let plane = plane_of(points, row);
    plane.is_some_and(|plane| plane.distance(points[i]) > beside.max(ABOVE * plane.off))
}

/// Returns the plane of the neighbors, without the [`REJECTED`] ones farthest from it.
fn plane_of(points: &[[f64; 3]], row: &[usize; NEIGHBORS]) -> Option<Plane> {
    let of = |row: &[usize]| Plane::through(points[row[0]], row[1..].iter().map(|&j| points[j]));
    let first = of(row)?;
    let mut kept = *row;
    let off = |j: usize| first.distance(points[j]);
    kept.sort_by(|&a, &b| off(a).total_cmp(&off(b)).then(a.cmp(&b)));
    of(&kept[..NEIGHBORS - REJECTED])
}

/// Returns the upper median.
fn median(numbers: &mut [f64]) -> f64 {
    let half = numbers.len() / 2;
    *numbers.select_nth_unstable_by(half, |a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal)).1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a pseudorandom number from -1 to 1.
    fn chance(k: u32) -> f64 {
        let mut x = u64::from(k).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// Returns random points on a sphere of radius 1.
    fn sphere(n: u32) -> Vec<[f64; 3]> {
        let at = |k: u32| {
            let (z, angle) = (chance(2 * k), std::f64::consts::PI * chance(2 * k + 1));
            let flat = (1.0 - z * z).sqrt();
            [flat * angle.cos(), flat * angle.sin(), z]
        };
        (0..n).map(at).collect()
    }

    #[test]
    fn points_in_space_go_and_those_of_the_surface_stay() {
        let n = 10_000;
        assert!(strays(&sphere(n)).unwrap().is_empty());
        for half in [1.0, 2.0] {
            let mut points = sphere(n);
            points.extend((0..500).map(|k| [0, 1, 2].map(|a| half * chance(90_000 + 3 * k + a))));
            let found = strays(&points).unwrap();
            assert!(found.iter().filter(|&&i| i < n).count() <= 5, "{found:?}");
            let off = |i: &u32| {
                let x = points[*i as usize];
                (x.iter().map(|c| c * c).sum::<f64>().sqrt() - 1.0).abs()
            };
            let left = (n..n + 500).filter(|i| !found.contains(i) && off(i) > 0.06);
            // By chance, a few points in space lie on the plane of their neighbors. A spacing is
            // 0.035.
            assert!(left.count() <= 10);
        }
    }

    #[test]
    fn sparse_regions_stay() {
        // A dense plane next to a plane with a sixteenth of its points per area, and a thin line.
        let dense = (0..4_000).map(|k| [f64::from(k % 40), f64::from(k / 40), 0.0]);
        let sparse =
            (0..800).map(|k| [42.0 + 4.0 * f64::from(k % 20), f64::from(k / 20) * 2.5, 0.0]);
        let points: Vec<[f64; 3]> = dense.chain(sparse).collect();
        assert!(strays(&points).unwrap().is_empty());
        assert!(strays(&points[..10]).unwrap().is_empty());
    }
}
