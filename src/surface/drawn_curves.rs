//! Closed curves drawn on a triangulated surface: the side of each vertex, and the distance of
//! nearby vertices.
//!
//! Every curve is followed from triangle to triangle. Its segments are halved until both ends of a
//! segment, moved to the closest point of the surface, lie in the same triangle or in two triangles
//! that touch. The result is a closed walk over triangles. The two vertices of an edge that is
//! crossed an odd number of times lie on different sides. These sides always agree around a
//! triangle. They agree everywhere if the curves divide the surface, which is checked.

use super::TriangleIndex;
use crate::error::{Error, Result};
use crate::geometry::{Vec3, simplex};
use crate::io::Curve;
use crate::mesh::Mesh;
use crate::parallel::*;
use crate::primitives::GatherMatrix;

/// The largest number of halvings of a segment. After this number of halvings, both ends of the
/// segment are equal up to rounding.
const HALVINGS: u32 = 52;
/// A segment between two triangles that share an edge crosses this edge if its length is at most
/// this fraction of the smaller of their sizes.
const ACROSS: f64 = 0.1;
/// A segment between two triangles that share only a corner passes this corner if its length is at
/// most this fraction of the smaller of their sizes.
const AROUND: f64 = 1e-3;

/// Which side of the curves is the inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Side {
    /// The side to the left when following the curves in their direction, as seen from where the
    /// normals point.
    Left,
    /// The side to the right when following the curves in their direction, as seen from where the
    /// normals point.
    Right,
    /// The side of smaller area, in each component that the curves cross.
    Smaller,
}

/// The sides of curves on a surface.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Sides {
    /// Whether each vertex is inside, `[n_vertices]`.
    pub inside: Vec<bool>,
    /// Vertices of the triangles that the curves pass through, ascending, with their straight-line
    /// distance, in mesh units, to the nearby segments. Edges from inside to outside join two of
    /// these vertices.
    pub near: Vec<(u32, f64)>,
    /// Largest distance between a curve and the surface, in mesh units.
    pub gap: f64,
    /// Number of curves that lie within the triangles around a vertex or an edge and therefore do
    /// not separate any vertices.
    pub lost: usize,
    /// Whether the smaller side was requested, and the two sides have nearly the same area in a
    /// component.
    pub even: bool,
}

/// Finds the sides of closed `curves` on the triangles of a cleaned mesh.
///
/// If several curves cross a component, the sides alternate, as with the even-odd rule in the
/// plane. Components without a curve are outside.
///
/// # Errors
/// Returns [`Error::Mesh`] if a curve is open, leaves the mesh, jumps, crosses an edge of three or
/// more triangles, or does not divide the surface, and if curves disagree about left and right.
pub fn sides(mesh: &Mesh, curves: &[Curve], side: Side) -> Result<Sides> {
    let mut walk = Walk::new(mesh);
    for (k, curve) in curves.iter().enumerate() {
        walk.follow(k, curve)?;
    }
    let near = walk.near();
    let Walk { mut crossings, gap, .. } = walk;
    crossings.sort_unstable_by_key(|c| c.edge);
    let mut odd: Vec<[u32; 2]> = Vec::new();
    for run in crossings.chunk_by(|a, b| a.edge == b.edge) {
        if run.len() % 2 == 1 {
            odd.push(run[0].edge);
        }
    }
    crossings.retain(|c| odd.binary_search(&c.edge).is_ok());
    let lost = (0..curves.len()).filter(|&k| !crossings.iter().any(|c| c.curve == k)).count();
    let mut classes = Classes::new(mesh.n_vertices());
    // An edge with a vertex far from the curves is not crossed.
    let mut is_near = vec![false; mesh.n_vertices()];
    near.iter().for_each(|&(v, _)| is_near[v as usize] = true);
    for t in mesh.cells.as_chunks::<3>().0 {
        for [a, b] in [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]] {
            let both_near = is_near[a as usize] && is_near[b as usize];
            let apart = both_near && odd.binary_search(&[a.min(b), a.max(b)]).is_ok();
            if !classes.join(a, b, apart) {
                let [x, y, z] = mesh.vertices[a as usize];
                return Err(Error::mesh(
                    "",
                    format!(
                        "the curves do not divide the surface: vertex {a} ({x}, {y}, {z}) is on \
                         both sides"
                    ),
                    "add a second curve around the handle, so that the two enclose a region",
                ));
            }
        }
    }
    let class: Vec<(u32, bool)> = (0..mesh.n_vertices() as u32).map(|v| classes.find(v)).collect();
    // The class that is inside, for each component with a curve.
    let (chosen, even) = match side {
        Side::Smaller => smaller(mesh, &class, &crossings),
        Side::Left => (toward(&class, &crossings, true)?, false),
        Side::Right => (toward(&class, &crossings, false)?, false),
    };
    let is_inside = |&(root, class): &(u32, bool)| {
        let found = chosen.binary_search_by_key(&root, |c| c.0);
        found.is_ok_and(|k| chosen[k].1 == class)
    };
    Ok(Sides { inside: class.iter().map(is_inside).collect(), near, gap, lost, even })
}

/// An edge that is crossed by a curve.
struct Crossing {
    /// The vertices of the edge, ascending.
    edge: [u32; 2],
    curve: usize,
    /// The vertex on the left of the curve.
    left: u32,
}

/// A point of a curve and its position on the surface.
#[derive(Clone, Copy)]
struct Place {
    given: Vec3,
    moved: Vec3,
    triangle: u32,
}

struct Walk<'a> {
    mesh: &'a Mesh,
    index: TriangleIndex,
    /// Corners of triangles at each vertex.
    at_vertex: GatherMatrix,
    crossings: Vec<Crossing>,
    /// Segments of curves, each with a triangle that it passes through.
    pieces: Vec<(u32, [Vec3; 2])>,
    gap: f64,
}

impl<'a> Walk<'a> {
    fn new(mesh: &'a Mesh) -> Self {
        let index = TriangleIndex::new(&mesh.vertices, &mesh.cells);
        let at_vertex = GatherMatrix::new(mesh.n_vertices(), &mesh.cells);
        let (crossings, pieces) = (Vec::new(), Vec::new());
        Walk { mesh, index, at_vertex, crossings, pieces, gap: 0.0 }
    }

    fn corners(&self, triangle: u32) -> [u32; 3] {
        let t = &self.mesh.cells[3 * triangle as usize..];
        [t[0], t[1], t[2]]
    }

    fn at(&self, v: u32) -> Vec3 {
        self.mesh.vertices[v as usize].into()
    }

    /// Returns the length of the longest edge of a triangle.
    fn size(&self, triangle: u32) -> f64 {
        simplex::longest_edge(&self.corners(triangle).map(|v| self.at(v)))
    }

    /// Iterates over the triangles around a vertex.
    fn around(&self, v: u32) -> impl Iterator<Item = u32> {
        self.at_vertex.row(v as usize).iter().map(|slot| slot / 3)
    }

    fn follow(&mut self, curve: usize, points: &Curve) -> Result<()> {
        if !points.closed {
            let what = "is open, but only a closed curve has an inside";
            return Err(Error::mesh(named(curve), what, "close it"));
        }
        for [a, b] in points.segments() {
            let (a, b) = (Vec3::from(a), Vec3::from(b));
            let length = (b - a).norm();
            let from = self.place(curve, a, length)?;
            let to = self.place(curve, b, length)?;
            self.connect(curve, from, to, length, HALVINGS)?;
        }
        Ok(())
    }

    /// Returns the point of the surface closest to a point of a curve. `length` is the length of
    /// the segment that the point belongs to.
    fn place(&mut self, curve: usize, given: Vec3, length: f64) -> Result<Place> {
        let Some(found) = self.index.closest(given.into()) else {
            return Err(Error::mesh("", "has no cells", ""));
        };
        // A long segment is a chord and may deviate from a curved surface by a fraction of its
        // length.
        let limit = self.size(found.triangle).max(0.25 * length);
        if found.distance > limit {
            let [x, y, z]: [f64; 3] = given.into();
            return Err(Error::mesh(
                named(curve),
                format!("leaves the mesh: ({x}, {y}, {z}) is {:.3e} away from it", found.distance),
                "give a curve that lies on the mesh of the case, in the same unit of length",
            ));
        }
        self.gap = self.gap.max(found.distance);
        Ok(Place { given, moved: found.point.into(), triangle: found.triangle })
    }

    fn connect(
        &mut self,
        curve: usize,
        from: Place,
        to: Place,
        length: f64,
        halvings: u32,
    ) -> Result<()> {
        let (s, t) = (from.triangle, to.triangle);
        let piece = [from.moved, to.moved];
        if s == t {
            self.pieces.push((s, piece));
            return Ok(());
        }
        let shared: Vec<u32> =
            self.corners(s).into_iter().filter(|v| self.corners(t).contains(v)).collect();
        let step = (to.moved - from.moved).norm() / self.size(s).min(self.size(t));
        let last = halvings == 0;
        if shared.len() == 2 && (step <= ACROSS || last) {
            self.pieces.extend([(s, piece), (t, piece)]);
            return self.cross(curve, s, t);
        }
        if let [v] = shared[..]
            && (step <= AROUND || last)
            && let Some(fan) = self.fan(v, s, t)
        {
            self.pieces.extend(fan.iter().map(|&triangle| (triangle, piece)));
            return fan.windows(2).try_for_each(|pair| self.cross(curve, pair[0], pair[1]));
        }
        if last {
            let [x, y, z]: [f64; 3] = from.given.into();
            return Err(Error::mesh(
                named(curve),
                format!("jumps from one part of the mesh to another at ({x}, {y}, {z})"),
                "add points to the curve, or move them closer to the mesh",
            ));
        }
        let middle = self.place(curve, (from.given + to.given) * 0.5, length)?;
        self.connect(curve, from, middle, length, halvings - 1)?;
        self.connect(curve, middle, to, length, halvings - 1)
    }

    /// Returns the triangles around vertex `v` from `s` to `t`, in the direction with fewer
    /// triangles, or `None` if no chain of triangles at `v` joins them.
    fn fan(&self, v: u32, s: u32, t: u32) -> Option<Vec<u32>> {
        let mut reached: Vec<(u32, usize)> = vec![(s, 0)];
        let mut next = 0;
        while next < reached.len() {
            let (here, _) = reached[next];
            if here == t {
                let mut way = vec![t];
                let mut k = next;
                while k != 0 {
                    k = reached[k].1;
                    way.push(reached[k].0);
                }
                way.reverse();
                return Some(way);
            }
            let corners = self.corners(here);
            for other in self.around(v) {
                let common = self.corners(other).iter().filter(|w| corners.contains(w)).count();
                if common == 2 && !reached.iter().any(|r| r.0 == other) {
                    reached.push((other, next));
                }
            }
            next += 1;
        }
        None
    }

    fn cross(&mut self, curve: usize, from: u32, to: u32) -> Result<()> {
        let (a, b) = (self.corners(from), self.corners(to));
        let side = (0..3).map(|k| [a[k], a[(k + 1) % 3]]).find(|e| e.iter().all(|v| b.contains(v)));
        let Some([right, left]) = side else { return Ok(()) };
        let crowd = self.around(left).filter(|&t| self.corners(t).contains(&right)).count();
        if crowd != 2 {
            let [x, y, z]: [f64; 3] = self.at(left).into();
            return Err(Error::mesh(
                named(curve),
                format!("crosses an edge of {crowd} triangles at ({x}, {y}, {z})"),
                "repair the mesh there: an edge must have two triangles",
            ));
        }
        self.crossings.push(Crossing { edge: [left.min(right), left.max(right)], curve, left });
        Ok(())
    }

    /// Returns the vertices of the triangles that curves pass through, with their distances to
    /// nearby segments. The segments near a vertex are those in the triangles that touch one of its
    /// triangles.
    fn near(&mut self) -> Vec<(u32, f64)> {
        self.pieces.sort_by_key(|piece| piece.0);
        let mut passed: Vec<u32> = self.pieces.iter().map(|piece| piece.0).collect();
        passed.dedup();
        let mut vertices: Vec<u32> = passed.iter().flat_map(|&t| self.corners(t)).collect();
        vertices.sort_unstable();
        vertices.dedup();
        let walk = &*self;
        let distance = |&v: &u32| {
            let ring = walk.around(v).flat_map(|t| walk.corners(t));
            let mut triangles: Vec<u32> = ring.flat_map(|w| walk.around(w)).collect();
            triangles.sort_unstable();
            triangles.dedup();
            let x = walk.at(v);
            let mut best = f64::INFINITY;
            for t in triangles {
                let first = walk.pieces.partition_point(|piece| piece.0 < t);
                for (_, ends) in walk.pieces[first..].iter().take_while(|piece| piece.0 == t) {
                    best = best.min((simplex::closest_point(x, ends) - x).norm());
                }
            }
            (v, best)
        };
        vertices.par_iter().map(distance).collect()
    }
}

fn named(curve: usize) -> String {
    format!("curve {}", curve + 1)
}

/// Returns the class of smaller area in every crossed component, and whether the two areas are
/// nearly equal in any of them.
fn smaller(mesh: &Mesh, class: &[(u32, bool)], crossings: &[Crossing]) -> (Vec<(u32, bool)>, bool) {
    let mut roots: Vec<u32> = crossings.iter().map(|c| class[c.left as usize].0).collect();
    roots.sort_unstable();
    roots.dedup();
    let mut areas = vec![[0.0; 2]; roots.len()];
    for t in mesh.cells.as_chunks::<3>().0 {
        let Ok(k) = roots.binary_search(&class[t[0] as usize].0) else { continue };
        let [a, b, c]: [Vec3; 3] = t.map(|v| mesh.vertices[v as usize].into());
        let area = (b - a).cross(&(c - a)).norm();
        t.iter().for_each(|&v| areas[k][usize::from(class[v as usize].1)] += area);
    }
    let even = areas.iter().any(|[a, b]| (a - b).abs() < 0.01 * (a + b));
    (roots.into_iter().zip(areas).map(|(root, [a, b])| (root, b < a)).collect(), even)
}

/// Returns the class in every crossed component that lies to the left of the curves if `left` is
/// true, and otherwise to the right.
fn toward(class: &[(u32, bool)], crossings: &[Crossing], left: bool) -> Result<Vec<(u32, bool)>> {
    // A curve along an edge may cross the edge back and forth. Crossings in opposite directions
    // cancel, and only what remains counts.
    let mut crossed: Vec<(usize, [u32; 2], u32)> =
        crossings.iter().map(|c| (c.curve, c.edge, c.left)).collect();
    crossed.sort_unstable();
    let mut votes: Vec<(usize, u32, bool)> = Vec::new();
    for run in crossed.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let (curve, [first, last], _) = run[0];
        let to_first = run.iter().filter(|c| c.2 == first).count();
        if 2 * to_first != run.len() {
            let left_vertex = if 2 * to_first > run.len() { first } else { last };
            let (root, class) = class[left_vertex as usize];
            votes.push((curve, root, class == left));
        }
    }
    votes.sort_unstable();
    let mut chosen: Vec<(u32, bool, usize)> = Vec::new();
    for run in votes.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let (curve, root, _) = run[0];
        let yes = run.iter().filter(|vote| vote.2).count();
        if 4 * yes > run.len() && 4 * yes < 3 * run.len() {
            return Err(Error::mesh(
                named(curve),
                "has no clear left side: it crosses itself, or the triangles are not consistently oriented",
                "use inside = \"smaller\"",
            ));
        }
        let inside = 2 * yes > run.len();
        match chosen.iter().find(|c| c.0 == root) {
            Some(&(_, other, first)) if other != inside => {
                return Err(Error::mesh(
                    named(curve),
                    format!("has its inside on the opposite side from {}", named(first)),
                    "reverse one of them, or use inside = \"smaller\"",
                ));
            }
            Some(_) => {}
            None => chosen.push((root, inside, curve)),
        }
    }
    chosen.sort_unstable();
    Ok(chosen.into_iter().map(|(root, inside, _)| (root, inside)).collect())
}

/// A union-find structure with parity: vertices are joined as "same side" or "other side".
struct Classes {
    parent: Vec<u32>,
    /// Whether a vertex and its parent lie on different sides.
    other: Vec<bool>,
}

impl Classes {
    fn new(n: usize) -> Self {
        Classes { parent: (0..n as u32).collect(), other: vec![false; n] }
    }

    /// Returns the root of a vertex, and whether the two are on different sides.
    fn find(&mut self, v: u32) -> (u32, bool) {
        let (mut root, mut parity) = (v, false);
        while self.parent[root as usize] != root {
            parity ^= self.other[root as usize];
            root = self.parent[root as usize];
        }
        let (mut at, mut rest) = (v, parity);
        while self.parent[at as usize] != root && at != root {
            let (next, step) = (self.parent[at as usize], self.other[at as usize]);
            self.parent[at as usize] = root;
            self.other[at as usize] = rest;
            rest ^= step;
            at = next;
        }
        (root, parity)
    }

    /// Joins two vertices. Returns false if this contradicts an earlier join.
    fn join(&mut self, a: u32, b: u32, apart: bool) -> bool {
        let ((ra, pa), (rb, pb)) = (self.find(a), self.find(b));
        let parity = pa ^ pb ^ apart;
        if ra == rb {
            return !parity;
        }
        // The smaller index becomes the root, so that the classes do not depend on the order of the
        // joins.
        let (root, child) = (ra.min(rb), ra.max(rb));
        self.parent[child as usize] = root;
        self.other[child as usize] = parity;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Kind;

    /// Creates four triangles around vertex 4, a pyramid seen from above.
    fn pyramid() -> Mesh {
        let vertices =
            vec![[1., 0., 0.], [0., 1., 0.], [-1., 0., 0.], [0., -1., 0.], [0., 0., 0.3]];
        let cells = vec![0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4];
        Mesh::new(Kind::Surface, vertices, cells)
    }

    fn square(r: f64, z: f64) -> Curve {
        let points = vec![[r, r, z], [-r, r, z], [-r, -r, z], [r, -r, z]];
        Curve { points, closed: true }
    }

    #[test]
    fn a_curve_around_the_top_parts_it_from_the_rest() {
        let found = sides(&pyramid(), &[square(0.2, 0.18)], Side::Left).unwrap();
        assert_eq!(found.inside, [false, false, false, false, true]);
        let expected: Vec<u32> = (0..5).collect();
        assert_eq!(found.near.iter().map(|n| n.0).collect::<Vec<_>>(), expected);
        // The midpoints of the segments lie below the ridges, up to 0.06 from the nearest point.
        assert!(found.gap > 0.05 && found.gap < 0.06 && found.lost == 0, "{}", found.gap);
        let right = sides(&pyramid(), &[square(0.2, 0.18)], Side::Right).unwrap();
        assert_eq!(right.inside, [true, true, true, true, false]);
        let two = [square(0.2, 0.18), square(0.25, 0.15)];
        let both = sides(&pyramid(), &two, Side::Smaller).unwrap();
        assert_eq!((both.inside, both.lost), (vec![false; 5], 2));
    }

    #[test]
    fn classes_remember_sides() {
        let mut classes = Classes::new(6);
        assert!(classes.join(4, 5, true) && classes.join(3, 4, true) && classes.join(0, 5, false));
        assert_eq!(classes.find(3), (0, false));
        assert_eq!(classes.find(4), (0, true));
        assert!(classes.join(3, 5, false) && !classes.join(3, 5, true));
    }
}
