//! Fills a loop of a cube with triangles that do not intersect, wherever the crossings lie.
//!
//! A loop of n crossings is filled with n - 2 triangles between them. Loops of five or more
//! crossings bend, and some of their fillings intersect themselves for some values of phi. The
//! table of cases knows only the signs of phi, so it may contain only fillings that are right for
//! all values. Every loop has such a filling. An interior test, such as that of E. V. Chernyaev,
//! "Marching cubes 33", CERN CN 95-17 (1995), is therefore not needed to keep triangles apart.
//!
//! **Sides.** No side of a triangle may lie in a face of the cube unless it is a segment.
//! Otherwise, both cubes of the face could create the same side, and four triangles would meet
//! there.
//!
//! **Planes.** A crossing moves along its edge, so its distance from a fixed plane is largest and
//! smallest at the ends of the edge. If these ends show that a side lies on one side of a plane,
//! and a triangle on the other, the side never passes through the triangle. The program requires
//! such a plane for each side and each triangle without a common crossing. Planes whose normals
//! have the components -1, 0 and 1 are enough.
//!
//! **Folds.** If phi is 0 at an outside corner, all crossings around the corner lie on it. Two
//! triangles may then coincide. The program selects the filling for which this happens for the
//! fewest sets of such corners.

use super::tables::{MOST_TRIANGLES, ends};

/// A triangle, as the edges on which its corners lie.
type Triangle = [u8; 3];

/// Returns the filling of the loop `ring` of a case. `others` holds the triangles of the other
/// loops that have only one filling.
pub(super) fn fill(ring: &[usize], case: u8, others: &[Triangle]) -> Vec<Triangle> {
    let mut best = (usize::MAX, Vec::new());
    for filling in fillings(ring) {
        let folds = folds(&[&filling[..], others].concat(), case);
        if folds < best.0 && stays_apart(&filling) {
            best = (folds, filling);
        }
        if best.0 == 0 {
            break;
        }
    }
    best.1
}

/// Returns all ways to fill the polygon `ring` with triangles, such that no side lies in a face,
/// except for the sides of the ring.
fn fillings(ring: &[usize]) -> Vec<Vec<Triangle>> {
    let n = ring.len();
    if n < 3 {
        return vec![Vec::new()];
    }
    let (first, last) = (ring[0], ring[n - 1]);
    let mut found = Vec::new();
    for k in 1..n - 1 {
        let apex = ring[k];
        if (k > 1 && in_one_face(first, apex)) || (k < n - 2 && in_one_face(apex, last)) {
            continue;
        }
        let after = fillings(&ring[k..]);
        for before in fillings(&ring[..=k]) {
            for after in &after {
                let own = [first as u8, apex as u8, last as u8];
                found.push([&before[..], after, &[own]].concat());
            }
        }
    }
    found
}

/// Returns whether two edges lie in the same face.
pub(super) fn in_one_face(e: usize, f: usize) -> bool {
    let all = ends(e).into_iter().chain(ends(f));
    let (and, or) = all.fold((7, 0), |(and, or), corner| (and & corner, or | corner));
    and != 0 || or != 7
}

/// Returns whether planes show that no side of a triangle passes through another triangle, wherever
/// the crossings lie on their edges.
pub(super) fn stays_apart(triangles: &[Triangle]) -> bool {
    let is_apart = |side: [u8; 2], triangle: &Triangle| {
        side.iter().any(|e| triangle.contains(e)) || are_separated(side, triangle)
    };
    triangles.iter().all(|[a, b, c]| {
        let sides = [[*a, *b], [*b, *c], [*c, *a]];
        triangles.iter().all(|other| sides.iter().all(|&side| is_apart(side, other)))
    })
}

/// Returns whether the points of a side are at most as high as those of a triangle in one of the 26
/// directions with the components -1, 0 and 1, wherever the crossings lie on their edges.
fn are_separated(side: [u8; 2], triangle: &Triangle) -> bool {
    HEIGHTS.iter().any(|heights| {
        let highest = side.iter().map(|&e| heights[e as usize][1]).max();
        let lowest = triangle.iter().map(|&e| heights[e as usize][0]).min();
        highest <= lowest
    })
}

/// The lowest and the highest point of each edge in each of the 26 directions.
const HEIGHTS: [[[i8; 2]; 12]; 26] = {
    let mut all = [[[0; 2]; 12]; 26];
    let mut k = 0;
    while k < 26 {
        // Number 13 of the 27 directions is zero.
        let number = k as i8 + (k >= 13) as i8;
        let direction = [number % 3 - 1, number / 3 % 3 - 1, number / 9 - 1];
        let mut e = 0;
        while e < 12 {
            let [low, high] = ends(e);
            let [a, b] = [height(low, direction), height(high, direction)];
            all[k][e] = if a < b { [a, b] } else { [b, a] };
            e += 1;
        }
        k += 1;
    }
    all
};

const fn height(corner: usize, direction: [i8; 3]) -> i8 {
    let [x, y, z] = [corner & 1, corner >> 1 & 1, corner >> 2];
    direction[0] * x as i8 + direction[1] * y as i8 + direction[2] * z as i8
}

/// Returns the number of sets of outside corners that make two triangles coincide if phi is 0 at
/// these corners.
fn folds(triangles: &[Triangle], case: u8) -> usize {
    (0..=u8::MAX).filter(|zeros| zeros & case == 0 && is_folded(triangles, case, *zeros)).count()
}

/// Returns whether two triangles coincide if phi is 0 at the outside corners of the set `zeros`.
pub(super) fn is_folded(triangles: &[Triangle], case: u8, zeros: u8) -> bool {
    // The position of a crossing: its edge, or 12 plus the corner on which it lies.
    let place = |e: u8| {
        let [low, high] = ends(e as usize);
        let outside = if case >> low & 1 == 1 { high } else { low };
        if zeros >> outside & 1 == 1 { 12 + outside as u8 } else { e }
    };
    let mut places = [[0; 3]; MOST_TRIANGLES];
    for (places, triangle) in places.iter_mut().zip(triangles) {
        *places = triangle.map(place);
        places.sort_unstable();
    }
    (1..triangles.len()).any(|k| {
        let [a, b, c] = places[k];
        a != b && b != c && places[..k].contains(&places[k])
    })
}

#[cfg(test)]
mod tests {
    use super::super::tables::CASES;
    use super::*;

    #[test]
    fn triangles_of_a_cube_never_intersect() {
        // The planes prove this for all triangles of a case, including those of different loops.
        for (number, case) in CASES.iter().enumerate() {
            assert!(stays_apart(case.triangles()), "case {number}");
        }
        // The check can fail: this filling of case 230 intersects itself for some crossings.
        let wrong = [[4, 1, 11], [5, 4, 11], [5, 11, 6], [2, 5, 6], [0, 2, 6]];
        assert!(!stays_apart(&wrong));
    }

    #[test]
    fn triangles_coincide_only_across_a_wall_without_thickness() {
        // Two triangles with a common crossing would form a fold. Triangles without one coincide
        // only if all outside corners of a wall between two inside regions have the value 0.
        for (number, case) in CASES.iter().enumerate() {
            let triangles = case.triangles();
            for zeros in (0..=u8::MAX).filter(|zeros| zeros & number as u8 == 0) {
                if is_folded(triangles, number as u8, zeros) {
                    assert!(zeros.count_ones() >= 3, "case {number}, zeros {zeros:08b}");
                }
            }
        }
        // Other fillings have folds, such as the first one of case 122 if phi is 0 at corner 2.
        let first = &fillings(&[0, 8, 10, 3, 7, 11, 1])[0];
        assert!(stays_apart(first) && is_folded(first, 122, 1 << 2));
    }
}
