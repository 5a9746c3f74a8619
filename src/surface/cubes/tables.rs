//! The triangles of each of the 256 cases of a cut cube, generated from one rule for its faces.
//!
//! Corner c of a cube lies at (c & 1, c >> 1 & 1, c >> 2). Bit c of a case is set if the corner is
//! inside. Edge e runs along axis e / 4. Segments join the crossings on each face. The segments of
//! the six faces form loops, and each loop is filled with triangles.
//!
//! **Rule for faces.** Seen from outside the cube, a counterclockwise walk around a face enters the
//! inside at some crossings and leaves it at others. Each entry is joined to the next exit. Every
//! run of inside corners is thus cut off by its own segment, and two diagonally opposite inside
//! corners stay separate. The rule uses only the four signs of the face. Seen from the other cube
//! that shares the face, entries are exits. Both cubes therefore create the same segments in
//! opposite directions, and the surface is closed. Every crossing lies on two faces of its cube. It
//! is an entry of one of them and an exit of the other, so the segments form loops.
//!
//! **Rule for loops.** `fillings.rs` selects triangles that do not intersect, wherever the
//! crossings lie on their edges, and whose sides lie in a face only if they are segments. Triangles
//! of adjacent cubes therefore have only segments and crossings in common.

use std::sync::LazyLock;

use super::fillings::fill;

/// The largest number of triangles in a cube.
pub const MOST_TRIANGLES: usize = 5;

/// The triangles of a cube.
#[derive(Clone, Copy, Debug, Default)]
pub struct Case {
    /// Bit e is set if edge e is crossed.
    pub crossed: u16,
    n_triangles: u8,
    triangles: [[u8; 3]; MOST_TRIANGLES],
}

impl Case {
    /// Returns the triangles, as the edges on which their corners lie. Their normals point
    /// outward.
    pub fn triangles(&self) -> &[[u8; 3]] {
        &self.triangles[..self.n_triangles as usize]
    }

    /// Iterates over the crossed edges, ascending.
    pub fn edges(&self) -> impl Iterator<Item = usize> + use<> {
        let crossed = self.crossed;
        (0..12).filter(move |e| crossed >> e & 1 == 1)
    }
}

/// All cases. Bit c of the index is set if corner c is inside.
pub static CASES: LazyLock<[Case; 256]> =
    LazyLock::new(|| std::array::from_fn(|case| make(case as u8)));

/// Returns the axis of an edge.
pub const fn axis(edge: usize) -> usize {
    edge / 4
}

/// Returns the corners that an edge joins, the one with smaller coordinates first.
pub const fn ends(edge: usize) -> [usize; 2] {
    let (a, side) = (edge / 4, edge % 4);
    let low = (side & 1) << ((a + 1) % 3) | (side >> 1) << ((a + 2) % 3);
    [low, low | 1 << a]
}

/// Returns the edge between two corners that differ in one coordinate.
const fn between(c: usize, d: usize) -> usize {
    let (a, low) = ((c ^ d).trailing_zeros() as usize, c & d);
    4 * a + (low >> ((a + 1) % 3) & 1) + 2 * (low >> ((a + 2) % 3) & 1)
}

/// Returns the corners of face `2 * axis + side`, counterclockwise seen from outside the cube.
const fn around(face: usize) -> [usize; 4] {
    let (a, side) = (face / 2, face % 2);
    let (u, w) = (1 << ((a + 1) % 3), 1 << ((a + 2) % 3));
    let base = side << a;
    if side == 1 {
        [base, base | u, base | u | w, base | w]
    } else {
        [base, base | w, base | u | w, base | u]
    }
}

fn make(case: u8) -> Case {
    let inside = |corner: usize| case >> corner & 1 == 1;
    // The next crossing after each crossing on its loop.
    let mut next = [None; 12];
    for face in 0..6 {
        let corners = around(face);
        for k in 0..4 {
            if inside(corners[k]) || !inside(corners[(k + 1) % 4]) {
                continue;
            }
            let leaves = |k: &usize| inside(corners[k % 4]) && !inside(corners[(k + 1) % 4]);
            if let Some(exit) = (k + 1..k + 4).find(leaves) {
                let entry = between(corners[k], corners[(k + 1) % 4]);
                next[entry] = Some(between(corners[exit % 4], corners[(exit + 1) % 4]));
            }
        }
    }
    let mut made = Case::default();
    let mut rings = Vec::new();
    for first in 0..12 {
        let mut ring = Vec::new();
        let mut at = first;
        while let (0, Some(after)) = (made.crossed >> at & 1, next[at]) {
            made.crossed |= 1 << at;
            ring.push(at);
            at = after;
        }
        if !ring.is_empty() {
            rings.push(ring);
        }
    }
    // A loop of three crossings has only one filling.
    let small = rings.iter().filter(|ring| ring.len() == 3);
    let small: Vec<[u8; 3]> = small.map(|ring| [0, 1, 2].map(|k| ring[k] as u8)).collect();
    for ring in rings {
        let others = if ring.len() == 3 { &[][..] } else { &small };
        for triangle in fill(&ring, case, others) {
            made.triangles[made.n_triangles as usize] = triangle;
            made.n_triangles += 1;
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use super::super::fillings::in_one_face;
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    /// Counts the directed sides of the triangles of a case.
    fn sides(case: &Case) -> BTreeMap<[usize; 2], usize> {
        let mut sides = BTreeMap::new();
        for t in case.triangles() {
            for k in 0..3 {
                *sides.entry([t[k] as usize, t[(k + 1) % 3] as usize]).or_default() += 1;
            }
        }
        sides
    }

    /// Returns the sides that no other triangle of the cube has in the opposite direction.
    fn rim(case: &Case) -> BTreeSet<[usize; 2]> {
        let sides = sides(case);
        assert!(sides.values().all(|&n| n == 1), "a side runs twice the same way");
        sides.keys().filter(|&&[a, b]| !sides.contains_key(&[b, a])).copied().collect()
    }

    #[test]
    fn edges_join_corners_that_differ_in_their_axis() {
        for e in 0..12 {
            let [c, d] = ends(e);
            assert_eq!((d - c, between(c, d), between(d, c)), (1 << axis(e), e, e));
        }
        let distinct: BTreeSet<_> = (0..12).map(ends).collect();
        assert_eq!(distinct.len(), 12);
    }

    #[test]
    fn all_crossings_are_used_and_surfaces_end_on_faces_only() {
        for (number, case) in CASES.iter().enumerate() {
            let crossed: BTreeSet<usize> = (0..12)
                .filter(|&e| {
                    let [c, d] = ends(e);
                    (number >> c & 1) != (number >> d & 1)
                })
                .collect();
            assert_eq!(case.edges().collect::<BTreeSet<_>>(), crossed);
            let used: BTreeSet<usize> =
                case.triangles().iter().flatten().map(|&e| e as usize).collect();
            assert_eq!(used, crossed, "case {number}");
            // The boundary passes each crossing once, and all other sides are inside the cube.
            let rim = rim(case);
            for &e in &crossed {
                assert_eq!(rim.iter().filter(|s| s[0] == e).count(), 1, "case {number}");
                assert_eq!(rim.iter().filter(|s| s[1] == e).count(), 1, "case {number}");
            }
            for side in sides(case).into_keys() {
                assert_eq!(in_one_face(side[0], side[1]), rim.contains(&side), "case {number}");
            }
        }
        let most = CASES.iter().map(|case| case.triangles().len()).max();
        assert_eq!(most, Some(MOST_TRIANGLES));
    }

    /// Returns the segments of a case on a face. If `moved` is true, crossings are numbered as in
    /// the other cube of the face.
    fn on_face(case: usize, face: usize, moved: bool) -> BTreeSet<[usize; 2]> {
        let a = face / 2;
        let inside =
            |s: &[usize; 2]| s.iter().all(|&e| ends(e).iter().all(|c| c >> a & 1 == face % 2));
        let across = |e: usize| {
            let [c, d] = ends(e);
            if moved { between(c ^ 1 << a, d ^ 1 << a) } else { e }
        };
        rim(&CASES[case]).into_iter().filter(inside).map(|s| s.map(across)).collect()
    }

    #[test]
    fn both_cubes_of_every_face_draw_the_same_segments() {
        for a in 0..3 {
            for case in 0..256 {
                for other in 0..256 {
                    // `other` lies on the upper side of `case`, and they share four corners.
                    let agree = (0..8usize)
                        .filter(|c| c >> a & 1 == 1)
                        .all(|c| (case >> c & 1) == (other >> (c ^ 1 << a) & 1));
                    if agree {
                        let of_case = on_face(case, 2 * a + 1, false);
                        let of_other = on_face(other, 2 * a, true);
                        let turned: BTreeSet<_> = of_other.iter().map(|&[p, q]| [q, p]).collect();
                        assert_eq!(of_case, turned, "cases {case} and {other} along axis {a}");
                    }
                }
            }
        }
    }

    #[test]
    fn normals_point_out_of_the_inside() {
        let middle = |e: u8| -> [f64; 3] {
            let [c, d] = ends(e as usize);
            std::array::from_fn(|k| 0.5 * ((c >> k & 1) + (d >> k & 1)) as f64)
        };
        for (number, case) in CASES.iter().enumerate() {
            // The loops of the case: triangles that share crossings.
            let mut loops: Vec<(u16, Vec<[u8; 3]>)> = Vec::new();
            for t in case.triangles() {
                let mut edges = t.iter().fold(0, |edges, e| edges | 1 << e);
                let mut joined = vec![*t];
                loops.retain_mut(|(other, triangles)| {
                    let apart = *other & edges == 0;
                    if !apart {
                        edges |= *other;
                        joined.append(triangles);
                    }
                    apart
                });
                loops.push((edges, joined));
            }
            for (edges, triangles) in loops {
                let mut area = [0.0; 3];
                for [a, b, c] in triangles.iter().map(|t| t.map(middle)) {
                    for (k, area) in area.iter_mut().enumerate() {
                        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                        *area += (b[i] - a[i]) * (c[j] - a[j]) - (b[j] - a[j]) * (c[i] - a[i]);
                    }
                }
                // Compare the normals with the outward directions along the edges that the loop
                // crosses.
                let outwards: f64 = (0..12)
                    .filter(|e| edges >> e & 1 == 1)
                    .map(|e| if number >> ends(e)[0] & 1 == 1 { 1.0 } else { -1.0 } * area[axis(e)])
                    .sum();
                assert!(outwards > 0.5, "case {number}: {outwards}");
            }
        }
    }
}
