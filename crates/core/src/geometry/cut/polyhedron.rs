//! Cuts a polyhedron into tetrahedra.

use std::collections::HashMap;

use super::polygon::{PolygonFault, cut_polygon};
use crate::geometry::Vec3;

/// A tetrahedron is flat if its volume is below this fraction of the volume of its polyhedron.
const FLAT: f64 = 1e-9;
/// The rounding error of six times a volume, as a fraction of the cubed size of the polyhedron.
const ROUNDING: f64 = 1e-14;
/// The largest number of corners that are tried as the common corner of all tetrahedra.
const MOST_HUBS: usize = 64;
/// The number of steps in the search for a point from which all faces are visible.
const STEPS: i32 = 400;

/// The tetrahedra into which a polyhedron is cut.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CutPolyhedron {
    /// The vertex indices of tetrahedra of positive volume that share a corner of the polyhedron.
    Pulled(Vec<[u32; 4]>),
    /// Tetrahedra of positive volume between a new vertex and the triangles of the faces. The
    /// triangles are counterclockwise seen from outside.
    Centered {
        /// The new vertex.
        center: Vec3,
        /// The vertex indices of the triangles.
        triangles: Vec<[u32; 3]>,
    },
}

/// The reason why a polyhedron cannot be cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PolyhedronFault {
    /// A face cannot be cut.
    Face(PolygonFault),
    /// An edge does not belong to exactly two faces, or the faces form several closed surfaces.
    Open,
    /// The volume is zero up to rounding.
    Flat,
    /// No interior point from which all faces are visible was found.
    Concave,
}

impl std::fmt::Display for PolyhedronFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            PolyhedronFault::Face(fault) => return write!(f, "a face: {fault}"),
            PolyhedronFault::Open => "the faces do not form one closed surface",
            PolyhedronFault::Flat => "the cell is flat",
            PolyhedronFault::Concave => "no point inside the cell sees all of its faces",
        })
    }
}

/// Cuts a face of a solid into triangles, in the orientation of `face`. The face lists indices into
/// `vertices` in order. Returns the vertex indices of the triangles.
///
/// The cut depends only on the vertices, so the two solids that share a face cut it in the same
/// way. It is the fan around the vertex with the lowest index, if this fan is valid. A face with
/// fewer than three vertices gives no triangles.
///
/// # Errors
/// Returns the errors of [`cut_polygon`].
pub fn cut_face(vertices: &[[f64; 3]], face: &[u32]) -> Result<Vec<[u32; 3]>, PolygonFault> {
    let mut face = face.to_vec();
    face.dedup();
    while face.len() > 1 && face.first() == face.last() {
        face.pop();
    }
    if face.len() < 3 {
        return Ok(Vec::new());
    }
    let lowest = (0..face.len()).min_by_key(|&k| face[k]).unwrap_or(0);
    face.rotate_left(lowest);
    let is_reversed = face[face.len() - 1] < face[1];
    if is_reversed {
        face[1..].reverse();
    }
    let corners: Vec<Vec3> = face.iter().map(|&v| vertices[v as usize].into()).collect();
    let triangles = cut_polygon(&corners)?.triangles;
    let fan = || (1..face.len() as u32 - 1).map(|k| [0, k, k + 1]).collect();
    let in_face = |t: [u32; 3]| t.map(|k| face[k as usize]);
    let turned = |[a, b, c]: [u32; 3]| if is_reversed { [a, c, b] } else { [a, b, c] };
    Ok(triangles.unwrap_or_else(fan).into_iter().map(|t| turned(in_face(t))).collect())
}

/// Cuts a polyhedron into tetrahedra. Its faces list indices into `vertices` in order, in any
/// orientation.
///
/// # Errors
/// Returns a [`PolyhedronFault`] if the faces do not enclose a volume that can be cut.
pub fn cut_polyhedron(
    vertices: &[[f64; 3]],
    faces: &[&[u32]],
) -> Result<CutPolyhedron, PolyhedronFault> {
    let mut triangles = Vec::new();
    for face in faces {
        triangles.extend(cut_face(vertices, face).map_err(PolyhedronFault::Face)?);
    }
    cut_inside(vertices, triangles)
}

/// Cuts the volume inside a closed surface into tetrahedra. The triangles of the surface list
/// indices into `vertices`, in any orientation. The cut keeps them as its boundary.
///
/// # Errors
/// Returns a [`PolyhedronFault`] if the triangles do not enclose a volume that can be cut.
pub fn cut_inside(
    vertices: &[[f64; 3]],
    mut triangles: Vec<[u32; 3]>,
) -> Result<CutPolyhedron, PolyhedronFault> {
    orient(&mut triangles)?;
    let at = |v: u32| Vec3::from(vertices[v as usize]);
    let Some(&[origin, ..]) = triangles.first() else { return Err(PolyhedronFault::Flat) };
    let origin = at(origin);
    let mut numbers: Vec<u32> = triangles.iter().flatten().copied().collect();
    numbers.sort_unstable();
    numbers.dedup();
    let size = 2.0 * numbers.iter().fold(0.0_f64, |m, &v| m.max((at(v) - origin).norm()));
    let volume = |x: Vec3, [a, b, c]: [u32; 3]| (at(a) - x).dot(&(at(b) - x).cross(&(at(c) - x)));
    let total: f64 = triangles.iter().map(|&t| volume(origin, t)).sum();
    let rounding = ROUNDING * size.powi(3);
    if total.is_nan() || total.abs() <= 10.0 * rounding {
        return Err(PolyhedronFault::Flat);
    }
    let flat = rounding.max(FLAT * total.abs());
    if total < 0.0 {
        triangles.iter_mut().for_each(|t| t.swap(1, 2));
    }
    for &hub in numbers.iter().take(MOST_HUBS) {
        let mut far = triangles.iter().filter(|t| !t.contains(&hub));
        if far.clone().all(|&t| volume(at(hub), t) > flat) {
            return Ok(CutPolyhedron::Pulled(
                far.by_ref().map(|&[a, b, c]| [hub, a, b, c]).collect(),
            ));
        }
    }
    let center = center(&triangles, &numbers, &at, total.abs());
    match triangles.iter().all(|&t| volume(center, t) > flat) {
        true => Ok(CutPolyhedron::Centered { center, triangles }),
        false => Err(PolyhedronFault::Concave),
    }
}

/// Orients triangles so that neighbors traverse their common edge in opposite directions. Returns
/// [`PolyhedronFault::Open`] if they do not form one closed surface that can be oriented.
fn orient(triangles: &mut [[u32; 3]]) -> Result<(), PolyhedronFault> {
    let mut around: HashMap<[u32; 2], Vec<usize>> = HashMap::new();
    for (k, t) in triangles.iter().enumerate() {
        for [a, b] in edges(*t) {
            around.entry([a.min(b), a.max(b)]).or_default().push(k);
        }
    }
    if around.values().any(|found| found.len() != 2) {
        return Err(PolyhedronFault::Open);
    }
    let mut is_done = vec![false; triangles.len()];
    let mut waiting = vec![0];
    let mut n_done = 0;
    if let Some(first) = is_done.first_mut() {
        (*first, n_done) = (true, 1);
    }
    while let Some(k) = waiting.pop() {
        let Some(&triangle) = triangles.get(k) else { break };
        for [a, b] in edges(triangle) {
            let other = around[&[a.min(b), a.max(b)]].iter().copied().find(|&other| other != k);
            let Some(other) = other else { return Err(PolyhedronFault::Open) };
            let is_alike = edges(triangles[other]).contains(&[a, b]);
            if !is_done[other] {
                if is_alike {
                    triangles[other].swap(1, 2);
                }
                is_done[other] = true;
                n_done += 1;
                waiting.push(other);
            } else if is_alike {
                return Err(PolyhedronFault::Open);
            }
        }
    }
    if n_done == triangles.len() { Ok(()) } else { Err(PolyhedronFault::Open) }
}

fn edges([a, b, c]: [u32; 3]) -> [[u32; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}

/// Searches for a point on the inner side of all triangles and far from their planes, starting at
/// the center of the volume.
fn center(triangles: &[[u32; 3]], numbers: &[u32], at: &impl Fn(u32) -> Vec3, volume: f64) -> Vec3 {
    let mean = numbers.iter().map(|&v| at(v)).sum::<Vec3>() / numbers.len() as f64;
    let moment = |&[a, b, c]: &[u32; 3]| {
        let [a, b, c] = [at(a) - mean, at(b) - mean, at(c) - mean];
        (a + b + c) * (a.dot(&b.cross(&c)) / 4.0)
    };
    let mut x = mean + triangles.iter().map(moment).sum::<Vec3>() / volume;
    let planes: Vec<(Vec3, Vec3)> = triangles
        .iter()
        .filter_map(|&[a, b, c]| {
            let normal = (at(b) - at(a)).cross(&(at(c) - at(a)));
            Some((at(a), normal.try_normalize(0.0)?))
        })
        .collect();
    let size = volume.cbrt();
    let (mut best, mut depth_of_best) = (x, f64::NEG_INFINITY);
    for step in 0..STEPS {
        let depths = planes.iter().map(|(on, normal)| ((on - x).dot(normal), normal));
        let Some((depth, normal)) = depths.min_by(|a, b| a.0.total_cmp(&b.0)) else { break };
        if depth > depth_of_best {
            (best, depth_of_best) = (x, depth);
        }
        // The center of a convex cell is far enough from its faces.
        if step == 0 && depth > 0.05 * size {
            break;
        }
        x -= normal * (0.5 * size / f64::from(step + 2));
    }
    best
}

#[cfg(test)]
mod tests;
