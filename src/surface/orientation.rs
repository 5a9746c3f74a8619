//! Orients the triangles of a surface consistently.

use rayon::prelude::*;

use crate::geometry::Vec3;

/// If at most this fraction of the area of a component is oriented against the rest, the majority
/// decides the orientation. Otherwise, normals are turned outward.
const MINORITY: f64 = 0.1;

/// The result of [`orient`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Orientation {
    /// Number of edges with one triangle. If it is not zero, the surface has holes.
    pub open_edges: usize,
    /// Number of edges with three or more triangles.
    pub nonmanifold_edges: usize,
    /// Number of triangles that were turned.
    pub turned: usize,
    /// Number of components that cannot be oriented, such as a Moebius strip. They do not change.
    pub one_sided: usize,
}

/// Reverses triangles of `triangles` (`[n * 3]`) so that triangles that share an edge agree. Edges
/// with more than two triangles are ignored.
///
/// A component connected by the remaining edges keeps the orientation of most of its area. If more
/// than a tenth of the area is oriented the other way, the component is oriented so that it
/// encloses a positive volume.
pub fn orient(vertices: &[[f64; 3]], triangles: &mut [u32]) -> Orientation {
    let mut result = Orientation::default();
    let n = triangles.len() / 3;
    // The vertices of a side in ascending order, its triangle, and whether the triangle runs from
    // the smaller vertex to the larger.
    let mut sides: Vec<(u32, u32, u32, bool)> = triangles
        .par_chunks_exact(3)
        .enumerate()
        .flat_map_iter(|(t, v)| {
            let side =
                move |i: usize, j: usize| (v[i].min(v[j]), v[i].max(v[j]), t as u32, v[i] < v[j]);
            [side(0, 1), side(1, 2), side(2, 0)]
        })
        .collect();
    sides.par_sort_unstable();
    let mut pairs: Vec<(u32, u32, bool)> = Vec::with_capacity(sides.len());
    for edge in sides.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        match *edge {
            [_] => result.open_edges += 1,
            [a, b] => pairs.extend([(a.2, b.2, a.3 == b.3), (b.2, a.2, a.3 == b.3)]),
            _ => result.nonmanifold_edges += 1,
        }
    }
    drop(sides);
    if !pairs.iter().any(|pair| pair.2) {
        return result;
    }
    pairs.par_sort_unstable();
    let corners = |t: usize| -> [Vec3; 3] {
        std::array::from_fn(|k| vertices[triangles[3 * t + k] as usize].into())
    };
    let mut turn: Vec<Option<bool>> = vec![None; n];
    let mut to_turn: Vec<usize> = Vec::new();
    for seed in 0..n {
        if turn[seed].is_some() {
            continue;
        }
        turn[seed] = Some(false);
        let mut part = vec![seed];
        let mut agrees = true;
        let mut next = 0;
        while let Some(&t) = part.get(next) {
            next += 1;
            let own = turn[t] == Some(true);
            let first = pairs.partition_point(|pair| (pair.0 as usize) < t);
            for &(_, other, against) in pairs[first..].iter().take_while(|p| p.0 as usize == t) {
                let wanted = own != against;
                match turn[other as usize] {
                    None => {
                        turn[other as usize] = Some(wanted);
                        part.push(other as usize);
                    }
                    Some(found) => agrees &= found == wanted,
                }
            }
        }
        if !agrees {
            result.one_sided += 1;
            continue;
        }
        let area = |t: usize| {
            let [a, b, c] = corners(t);
            (b - a).cross(&(c - a)).norm()
        };
        let all: f64 = part.iter().map(|&t| area(t)).sum();
        let turned: f64 = part.iter().filter(|&&t| turn[t] == Some(true)).map(|&t| area(t)).sum();
        let whole = if turned <= MINORITY * all {
            false
        } else if turned >= (1.0 - MINORITY) * all {
            true
        } else {
            // Measure from a point of the component, because it may be open.
            let origin = corners(part[0])[0];
            let volume = |t: usize| {
                let [a, b, c] = corners(t).map(|x| x - origin);
                a.dot(&b.cross(&c)) * if turn[t] == Some(true) { -1.0 } else { 1.0 }
            };
            part.iter().map(|&t| volume(t)).sum::<f64>() < 0.0
        };
        to_turn.extend(part.iter().filter(|&&t| (turn[t] == Some(true)) != whole));
    }
    result.turned = to_turn.len();
    for t in to_turn {
        triangles.swap(3 * t + 1, 3 * t + 2);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::{Generate, Sphere, generate};

    #[test]
    fn few_and_many_turned_triangles_are_turned_back() {
        let sphere = generate(&Generate::Sphere(Sphere::default())).unwrap();
        for every in [2, 3, 50] {
            let mut cells = sphere.cells.clone();
            let mut n = 0;
            for t in cells.chunks_exact_mut(3).step_by(every) {
                t.swap(0, 1);
                n += 1;
            }
            let found = orient(&sphere.vertices, &mut cells);
            assert_eq!((found.turned, found.open_edges, found.one_sided), (n, 0, 0));
            for (a, b) in cells.chunks_exact(3).zip(sphere.cells.chunks_exact(3)) {
                assert!((0..3).any(|k| [a[k], a[(k + 1) % 3], a[(k + 2) % 3]] == b[..]));
            }
        }
    }

    #[test]
    fn a_whole_surface_turned_inwards_stays() {
        let sphere = generate(&Generate::Sphere(Sphere::default())).unwrap();
        let mut cells = sphere.cells.clone();
        cells.chunks_exact_mut(3).for_each(|t| t.swap(0, 1));
        cells.swap(0, 1);
        assert_eq!(orient(&sphere.vertices, &mut cells).turned, 1);
        assert_eq!(cells[3..], {
            let mut all = sphere.cells.clone();
            all.chunks_exact_mut(3).for_each(|t| t.swap(0, 1));
            all[3..].to_vec()
        });
    }

    #[test]
    fn open_crowded_and_one_sided_surfaces_are_counted() {
        let vertices: Vec<[f64; 3]> =
            (0..6).map(|k| [f64::from(k), f64::from(k * k), 0.0]).collect();
        // Five triangles around a Moebius strip of five vertices.
        let mut strip = vec![0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4, 0, 4, 0, 1];
        let before = strip.clone();
        let found = orient(&vertices, &mut strip);
        assert_eq!((found.one_sided, found.open_edges, found.turned), (1, 5, 0));
        assert_eq!(strip, before);
        let mut fan = vec![0, 1, 2, 1, 0, 3, 0, 1, 4];
        let found = orient(&vertices, &mut fan);
        assert_eq!((found.nonmanifold_edges, found.open_edges), (1, 6));
    }
}
