//! Estimation of normals for point clouds without normals.
//!
//! The direction of a normal is the direction of the smallest variance among the nearest points.
//! Its orientation is propagated from point to point along a spanning tree of the neighbor graph,
//! which follows the edges between the most certain pairs of normals. It starts at the outermost
//! point of each connected component (H. Hoppe, T. DeRose, T. Duchamp, J. McDonald and W. Stuetzle,
//! Surface reconstruction from unorganized points, SIGGRAPH 1992). `agreement.rs` compares two
//! normals.

use super::PointCloud;
use super::agreement::agreement;
use super::forest::Forest;
use super::layer;
use super::plane::Plane;
use crate::point_distance::{Index, Sites};
use zeroset_core::error::Result;
use zeroset_core::parallel::*;
use zeroset_core::primitives::sort;

/// The number of nearest points to which a plane is fitted, in addition to the point itself.
pub const NEIGHBORS: usize = 16;
/// The numbers of nearest points among which neighbors are chosen if the nearest ones lie on a
/// line. Half of the neighbors are the nearest of these points, and half are the farthest.
const MORE: [usize; 2] = [64, 256];
/// Neighbors lie on a line if their extent across it is less than this fraction of their extent.
const LINE: f64 = 0.2;
/// Neighbors lie in one layer if their root-mean-square distance from their plane is less than this
/// fraction of the distance of the farthest one from the point.
const FLAT: f64 = 0.05;
/// Layers are parallel if the cosine of the angle between their normals is larger than this.
const PARALLEL: f32 = 0.8;
/// The placeholder for a missing neighbor.
const NONE: u32 = u32::MAX;
/// The number of steps into which the disagreement of two normals, from 0 to 1, is divided.
const STEPS: f64 = (1 << 24) as f64;

/// Information about estimated normals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Estimate {
    /// The number of connected components of the neighbor graph. Each is oriented separately, so
    /// that the normal of its outermost point points outward. A component inside another one may
    /// need the opposite orientation.
    pub parts: usize,
    /// The number of points in the largest component.
    pub largest: usize,
    /// The number of points whose neighbors lie in several layers, as in a thin plate.
    pub layered: usize,
}

/// Returns unit normals, `[n]`, and information about their reliability. No two points may be at
/// the same position (`clean` merges such points).
///
/// The normals are estimates. Their orientation can be wrong across gaps and sharp edges, and where
/// two sheets are closer to each other than the points of one sheet. If there are fewer than three
/// points, or if all points are on a line, the normals have an arbitrary direction perpendicular to
/// the line.
///
/// # Errors
/// Returns [`zeroset_core::Error::Case`] if a point is not finite, or if there are 2^32 - 1 points
/// or more.
pub fn estimate_normals(cloud: &PointCloud) -> Result<(Vec<[f32; 3]>, Estimate)> {
    let points = &cloud.points;
    let index = Index::new(&Sites::new(points)?);
    let neighbors: Vec<[u32; NEIGHBORS]> = index.map_neighbors(NEIGHBORS, |i, found| {
        let mut row = [NONE; NEIGHBORS];
        found.iter().zip(&mut row).for_each(|(f, to)| *to = f.site);
        let mut more = Vec::new();
        for n in MORE {
            if !is_line(points, i as usize, &row) {
                break;
            }
            index.neighbors(points[i as usize], i, n, &mut more);
            let half = NEIGHBORS / 2;
            let spread = more.iter().take(half).chain(more.iter().rev().take(half));
            spread.zip(&mut row).for_each(|(f, to)| *to = f.site);
        }
        row
    });
    drop(index);
    let near = neighbors.par_iter().enumerate();
    let found: Vec<Directions> = near.map(|(i, row)| Directions::of(points, i, row)).collect();
    let of_layers: Vec<Option<[f32; 3]>> =
        neighbors.par_iter().zip(&found).map(|(row, own)| own.confirmed(row, &found)).collect();
    let layered = of_layers.iter().flatten().count();
    let mut normals: Vec<[f32; 3]> =
        of_layers.iter().zip(&found).map(|(layer, all)| layer.unwrap_or(all.all)).collect();
    let mut forest = Forest::new(points.len());
    for (a, b) in edges_by_agreement(points, &neighbors, &normals) {
        let against = agreement_of(points, &normals, a, b) < 0.0;
        forest.join(a, b, against);
    }
    let estimate = orient(points, &mut forest, &mut normals);
    Ok((normals, Estimate { layered, ..estimate }))
}

/// Returns whether a point and its neighbors lie nearly on a line, as in a scan whose lines are
/// much farther apart than the points of a line.
fn is_line(points: &[[f64; 3]], i: usize, row: &[u32; NEIGHBORS]) -> bool {
    let near = named(row).map(|j| points[j as usize]);
    Plane::through(points[i], near).is_some_and(|plane| plane.width < LINE)
}

/// Returns the neighbors in a row of the neighbor table, without placeholders.
fn named(row: &[u32; NEIGHBORS]) -> impl Iterator<Item = u32> + Clone {
    row.iter().copied().take_while(|&j| j != NONE)
}

/// The possible directions of the normal of a point, as unit vectors.
struct Directions {
    /// The direction of the smallest variance of the point and all its neighbors, or the z axis if
    /// there is no such direction.
    all: [f32; 3],
    /// The direction across the layer of the point, if its neighbors lie in several layers.
    layer: Option<[f32; 3]>,
}

impl Directions {
    /// Returns the directions for point `i` with a row of neighbors.
    fn of(points: &[[f64; 3]], i: usize, row: &[u32; NEIGHBORS]) -> Self {
        let near: Vec<[f64; 3]> = named(row).map(|j| points[j as usize]).collect();
        let usable = |normal: [f64; 3]| {
            normal.iter().all(|x| x.is_finite()).then(|| normal.map(|x| x as f32))
        };
        let plane = Plane::through(points[i], near.iter().copied());
        let is_flat = plane.is_none_or(|plane| plane.off < FLAT * plane.extent);
        Directions {
            all: plane.and_then(|plane| usable(plane.normal)).unwrap_or([0.0, 0.0, 1.0]),
            layer: if is_flat { None } else { layer::normal(points[i], &near).and_then(usable) },
        }
    }

    /// Returns the direction across the layer of the point if at least a third of its neighbors lie
    /// in parallel layers. Layers of a plate continue from point to point, but those that the
    /// leaves of a tree seem to form do not.
    fn confirmed(&self, row: &[u32; NEIGHBORS], found: &[Directions]) -> Option<[f32; 3]> {
        let own = self.layer?;
        let is_parallel =
            |other: [f32; 3]| (0..3).map(|k| own[k] * other[k]).sum::<f32>().abs() > PARALLEL;
        let n = named(row).filter(|&j| found[j as usize].layer.is_some_and(is_parallel)).count();
        (3 * n >= named(row).count()).then_some(own)
    }
}

/// Returns the [`agreement`] of the normals of two points.
fn agreement_of(points: &[[f64; 3]], normals: &[[f32; 3]], a: u32, b: u32) -> f64 {
    let [a, b] = [a, b].map(|i| i as usize);
    agreement(points[a], normals[a], points[b], normals[b])
}

/// Returns the pairs of neighbors, each once, sorted by decreasing certainty that their normals
/// point to the same side or to opposite sides.
fn edges_by_agreement(
    points: &[[f64; 3]],
    neighbors: &[[u32; NEIGHBORS]],
    normals: &[[f32; 3]],
) -> impl Iterator<Item = (u32, u32)> {
    let rows = neighbors.par_iter().enumerate();
    let edges: Vec<(u32, u32)> = rows
        .flat_map_iter(|(i, row)| {
            let i = i as u32;
            let mine = move |j: &u32| *j > i || !named(&neighbors[*j as usize]).any(|k| k == i);
            named(row).filter(mine).map(move |j| (i, j))
        })
        .collect();
    let key = |&(a, b): &(u32, u32)| {
        let apart = 1.0 - agreement_of(points, normals, a, b).abs().min(1.0);
        (apart * STEPS) as u32
    };
    let keys: Vec<u32> = edges.par_iter().map(key).collect();
    let sorted = sort(&keys, None, 25);
    sorted.values.into_iter().map(move |k| edges[k as usize])
}

/// Orients the normals of each component consistently. A component has six outermost points, two
/// along each axis. The one whose normal is most nearly parallel to its axis determines the sign:
/// its normal points outward.
fn orient(points: &[[f64; 3]], forest: &mut Forest, normals: &mut [[f32; 3]]) -> Estimate {
    let n = points.len() as u32;
    let roots: Vec<(u32, bool)> = (0..n).map(|i| forest.root(i)).collect();
    let mut part = vec![NONE; points.len()];
    // The lowest and the highest point along each axis.
    let mut ends: Vec<[u32; 6]> = Vec::new();
    let mut largest = 0;
    for (i, x) in points.iter().enumerate() {
        let root = roots[i].0 as usize;
        if part[root] == NONE {
            part[root] = ends.len() as u32;
            ends.push([i as u32; 6]);
            largest = largest.max(forest.size(root as u32));
        }
        let ends = &mut ends[part[root] as usize];
        for k in 0..3 {
            if x[k] < points[ends[2 * k] as usize][k] {
                ends[2 * k] = i as u32;
            }
            if x[k] > points[ends[2 * k + 1] as usize][k] {
                ends[2 * k + 1] = i as u32;
            }
        }
    }
    let turned: Vec<bool> =
        ends.iter()
            .map(|ends| {
                let outward = |side: usize| {
                    let along = normals[ends[side] as usize][side / 2];
                    if side.is_multiple_of(2) { -along } else { along }
                };
                let best = (1..6).fold(0, |best, side| {
                    if outward(side).abs() > outward(best).abs() { side } else { best }
                });
                (outward(best) < 0.0) ^ roots[ends[best] as usize].1
            })
            .collect();
    for (normal, (root, against)) in normals.iter_mut().zip(&roots) {
        if turned[part[*root as usize] as usize] ^ against {
            *normal = normal.map(|x| -x);
        }
    }
    Estimate { parts: ends.len(), largest: largest as usize, layered: 0 }
}
