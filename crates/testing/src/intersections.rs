//! Finds triangles of a mesh that intersect, without rounding errors.

use std::collections::{BTreeSet, HashMap};

use robust::{Coord, Coord3D, orient2d, orient3d};
use zeroset_core::mesh::Mesh;

type Point = [f64; 3];

/// The pairs of triangles in a mesh that share more than corners and sides.
#[derive(Clone, Debug, Default)]
pub struct Intersections {
    /// Pairs in which a side of one triangle passes through the other triangle, crossing its
    /// plane.
    pub crossing: Vec<[usize; 2]>,
    /// All other pairs: triangles that lie on each other in one plane, and those that touch.
    pub touching: Vec<[usize; 2]>,
}

impl Intersections {
    /// Compares all triangles of a mesh whose bounding boxes meet. Corners at the same position are
    /// the same corner, even if they have different indices. Triangles without area are left out.
    ///
    /// The signs of the predicates are exact (J. R. Shewchuk, "Adaptive precision floating-point
    /// arithmetic and fast robust geometric predicates", 1997), unless a product of three
    /// coordinates underflows.
    pub fn of(mesh: &Mesh) -> Self {
        let triangles: Vec<[Point; 3]> =
            mesh.iter_cells().map(|t| [0, 1, 2].map(|k| mesh.vertices[t[k] as usize])).collect();
        let mut found = Intersections::default();
        for [i, j] in candidates(&triangles) {
            let (a, b) = (&triangles[i], &triangles[j]);
            if is_flat(a) || is_flat(b) {
                continue;
            }
            if any_side(a, b, crosses) || any_side(b, a, crosses) {
                found.crossing.push([i, j]);
            } else if has_same_corners(a, b) || any_side(a, b, touches) || any_side(b, a, touches) {
                found.touching.push([i, j]);
            }
        }
        found
    }
}

/// Returns the pairs of triangles whose bounding boxes meet, ascending. Cells of edge length 1 sort
/// the triangles.
fn candidates(triangles: &[[Point; 3]]) -> BTreeSet<[usize; 2]> {
    let bounds = |t: &[Point; 3]| {
        let of = |pick: fn(f64, f64) -> f64| {
            [0, 1, 2].map(|k| t.iter().map(|x| x[k]).reduce(pick).unwrap_or(f64::NAN))
        };
        [of(f64::min), of(f64::max)]
    };
    let all: Vec<[Point; 2]> = triangles.iter().map(bounds).collect();
    let mut cells: HashMap<[i64; 3], Vec<usize>> = HashMap::new();
    for (k, [low, high]) in all.iter().enumerate() {
        let [first, last] = [low, high].map(|x| x.map(|c| c.floor() as i64));
        for x in first[0]..=last[0] {
            for y in first[1]..=last[1] {
                for z in first[2]..=last[2] {
                    cells.entry([x, y, z]).or_default().push(k);
                }
            }
        }
    }
    let mut pairs = BTreeSet::new();
    for members in cells.values() {
        for (n, &i) in members.iter().enumerate() {
            for &j in &members[n + 1..] {
                if (0..3).all(|k| all[i][0][k] <= all[j][1][k] && all[j][0][k] <= all[i][1][k]) {
                    pairs.insert([i, j]);
                }
            }
        }
    }
    pairs
}

/// Returns whether a condition holds for a side of `a` and the triangle `b`. Leaves out sides that
/// both triangles have.
fn any_side(a: &[Point; 3], b: &[Point; 3], holds: fn([Point; 2], &[Point; 3]) -> bool) -> bool {
    (0..3).any(|k| {
        let side = [a[k], a[(k + 1) % 3]];
        !side.iter().all(|x| b.contains(x)) && holds(side, b)
    })
}

fn has_same_corners(a: &[Point; 3], b: &[Point; 3]) -> bool {
    a.iter().all(|x| b.contains(x))
}

/// Returns on which side of the plane through a, b and c the point d lies: -1, 0 or 1.
fn side_of(a: Point, b: Point, c: Point, d: Point) -> i32 {
    let [a, b, c, d] = [a, b, c, d].map(|[x, y, z]| Coord3D { x, y, z });
    sign(orient3d(a, b, c, d))
}

fn sign(x: f64) -> i32 {
    i32::from(x > 0.0) - i32::from(x < 0.0)
}

/// Returns the orientation of a line relative to each side of a triangle: -1, 0 or 1.
fn passes([p, q]: [Point; 2], [a, b, c]: &[Point; 3]) -> [i32; 3] {
    [[a, b], [b, c], [c, a]].map(|[x, y]| side_of(p, q, *x, *y))
}

/// Returns whether a segment passes through the interior of a triangle.
fn crosses(side: [Point; 2], t: &[Point; 3]) -> bool {
    let [from, to] = side.map(|x| side_of(t[0], t[1], t[2], x));
    let passes = passes(side, t);
    from * to < 0 && passes[0] != 0 && passes.iter().all(|s| *s == passes[0])
}

/// Returns whether a segment and a triangle have a point in common, except for common corners.
fn touches(side: [Point; 2], t: &[Point; 3]) -> bool {
    let heights = side.map(|x| side_of(t[0], t[1], t[2], x));
    if heights[0] * heights[1] != 0 {
        let passes = passes(side, t);
        let is_hit = [-1, 1].iter().any(|s| passes.iter().all(|p| p * s >= 0));
        return heights[0] != heights[1] && is_hit;
    }
    let Some(axes) = plane(t) else { return false };
    let turn = |a: Point, b: Point, c: Point| turn(axes, a, b, c);
    let is_in = |x: Point| {
        let turns = [0, 1, 2].map(|k| turn(t[k], t[(k + 1) % 3], x));
        [-1, 1].iter().any(|s| turns.iter().all(|turn| turn * s >= 0))
    };
    if (0..2).any(|k| heights[k] == 0 && !t.contains(&side[k]) && is_in(side[k])) {
        return true;
    }
    let [p, q] = side;
    heights == [0, 0]
        && (0..3).any(|k| {
            let (a, b) = (t[k], t[(k + 1) % 3]);
            let cuts = turn(p, q, a) * turn(p, q, b) < 0 && turn(a, b, p) * turn(a, b, q) < 0;
            cuts || (turn(p, q, a) == 0 && is_between(p, q, a))
        })
}

/// Returns whether a point of the line through p and q lies strictly between them.
fn is_between(p: Point, q: Point, x: Point) -> bool {
    x != p && x != q && (0..3).all(|k| p[k].min(q[k]) <= x[k] && x[k] <= p[k].max(q[k]))
}

/// Returns the sense of rotation of three points, seen along the third axis: -1, 0 or 1.
fn turn([i, j]: [usize; 2], a: Point, b: Point, c: Point) -> i32 {
    let [a, b, c] = [a, b, c].map(|x| Coord { x: x[i], y: x[j] });
    sign(orient2d(a, b, c))
}

/// Returns two axes along which the projection of a triangle has a nonzero area, or `None`.
fn plane(t: &[Point; 3]) -> Option<[usize; 2]> {
    let axes = [[0, 1], [1, 2], [2, 0]];
    axes.into_iter().find(|&axes| turn(axes, t[0], t[1], t[2]) != 0)
}

fn is_flat(t: &[Point; 3]) -> bool {
    plane(t).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use zeroset_core::mesh::Kind;

    /// Returns the numbers of crossing and of touching pairs for two triangles.
    fn of(a: [Point; 3], b: [Point; 3]) -> (usize, usize) {
        let mesh = Mesh::new(Kind::Surface, [a, b].concat(), (0..6).collect());
        let found = Intersections::of(&mesh);
        (found.crossing.len(), found.touching.len())
    }

    #[test]
    fn pairs_of_triangles() {
        let flat = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let through = [[0.25, 0.25, -0.5], [0.25, 0.25, 0.5], [2.0, 2.0, 0.0]];
        assert_eq!(of(flat, through), (1, 0));
        let above = through.map(|[x, y, z]| [x, y, z + 0.5]);
        assert_eq!(of(flat, above), (0, 1));
        assert_eq!(of(flat, above.map(|[x, y, z]| [x, y, z.max(5e-17)])), (0, 0));
        // A common corner, a common side, and the same triangle.
        assert_eq!(of(flat, [[0.0; 3], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]), (0, 0));
        assert_eq!(of(flat, [[1.0, 0.0, 0.0], [0.0; 3], [0.5, -1.0, 0.0]]), (0, 0));
        assert_eq!(of(flat, [flat[2], flat[1], flat[0]]), (0, 1));
        // Overlaps in a plane: beyond a common corner, beyond a common side, and a star.
        assert_eq!(of(flat, [[0.0; 3], [1.0, 1.0, 0.0], [1.0, 2.0, 0.0]]), (0, 1));
        assert_eq!(of(flat, [[0.0; 3], [1.0, 0.0, 0.0], [0.5, 0.25, 0.0]]), (0, 1));
        let star = [[0.6, 0.6, 0.0], [-0.2, 0.6, 0.0], [0.6, -0.2, 0.0]];
        assert_eq!(of(flat, star), (0, 1));
        // A corner that touches a side.
        assert_eq!(of(flat, [[0.5, 0.0, 0.0], [0.5, -1.0, 0.0], [1.0, -1.0, 0.3]]), (0, 1));
        // A triangle without area.
        assert_eq!(of(flat, [[0.0, 0.0, -1.0], [0.2, 0.2, 0.0], [0.4, 0.4, 1.0]]), (0, 0));
    }
}
