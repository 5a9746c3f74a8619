//! The envelope of a surface: the part of its triangles that bounds the inside.
//!
//! The inside is where the absolute value of the winding number exceeds 1/2, so where parts
//! overlap, it is their union. The pieces of a part that lie within another part do not bound the
//! inside, and distances must not be measured to them.
//!
//! 1. Triangles that other triangles cross or touch are found with a tree of boxes (`contact`).
//! 2. Each crossed triangle is cut along the crossings into convex pieces (`carve`).
//! 3. A piece counts if the inside is on exactly one of its sides. Connected triangles without
//!    contacts are decided together.
//!
//! All decisions allow for rounding by a tolerance that is far below the size of a voxel
//! ([`TOLERANCE`]). A wrong decision about a narrower piece changes distances by at most about the
//! tolerance.

mod carve;
mod contact;
#[cfg(test)]
mod tests;

use self::carve::{Outcome, carve};
use self::contact::{Contact, Cut, contact};
use super::boundary_edges::{Rims, merged};
use super::{TriangleIndex, UNDECIDED};
use crate::geometry::{Vec3, simplex};
use crate::parallel::*;

/// Lengths below this fraction of the largest coordinate count as zero. 32-bit coordinates, as
/// in STL files, are rounded by up to 6e-8 of their size.
const TOLERANCE: f64 = 4e-7;
/// Two triangles are parallel if the absolute value of the cosine between their normals is at least
/// this.
const PARALLEL: f64 = 0.99;
/// The largest number of neighbors with a common vertex that are compared with a triangle. Only a
/// triangle at a vertex of thousands of triangles has more.
const MOST_NEIGHBORS: usize = 512;
/// Number of triangles that must agree before a connected set of triangles of an open surface is
/// dropped.
const SAMPLES: usize = 8;

/// The part of a surface that bounds its inside.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Envelope {
    /// The vertices of the surface, followed by the corners of pieces of cut triangles, in the unit
    /// of the surface.
    pub vertices: Vec<[f64; 3]>,
    /// Vertex indices of the triangles, `[n * 3]`, oriented like the triangles that they are parts
    /// of.
    pub triangles: Vec<u32>,
    /// For each triangle, the index of the surface triangle that contains it, `[n]`.
    pub sources: Vec<u32>,
    /// Number of triangles in the surface that do not bound the inside anywhere.
    pub ignored: usize,
    /// The number of surface triangles of which only a part bounds the inside.
    pub cut: usize,
}

/// Whether a triangle or a piece of one bounds the inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    /// The inside is on one side, or the sides are uncertain.
    Bounds,
    /// Both sides are inside, or both are outside.
    Ignored,
}

impl Envelope {
    /// Returns the envelope of a surface, or `None` if all of its triangles bound the inside.
    /// `triangles` lists vertex indices, `[n * 3]`. The vertices must exist and be finite.
    ///
    /// On a surface with holes, a triangle is only ignored if the winding numbers on both of its
    /// sides have the same sign and clearly agree.
    pub fn of(vertices: &[[f64; 3]], triangles: &[u32]) -> Option<Self> {
        let finder = Finder::new(vertices, triangles)?;
        let contacts = finder.contacts();
        let regions = finder.regions(&contacts);
        if regions.len() <= 1 && contacts.iter().all(|c| !c.touched) {
            return None;
        }
        finder.envelope(vertices, triangles, &contacts, &regions)
    }

    /// Returns a warning with the number of affected triangles, for a surface of `all` triangles.
    pub fn warning(&self, all: usize) -> String {
        let found = match (self.ignored, self.cut) {
            (0, cut) => format!("{cut} of {all} triangles lie partly inside other parts"),
            (n, 0) => format!("{n} of {all} triangles lie inside other parts"),
            (n, cut) => {
                format!("{n} of {all} triangles lie inside other parts, and {cut} more partly")
            }
        };
        format!("{found}: ignored there, so that the inside is the union of all parts")
    }

    /// Applies a map to all vertices.
    pub(super) fn moved(&self, place: impl Fn(&[f64; 3]) -> [f64; 3]) -> Self {
        Envelope { vertices: self.vertices.iter().map(place).collect(), ..self.clone() }
    }
}

/// A surface prepared for the search for its envelope. Triangles are in tree order.
struct Finder {
    index: TriangleIndex,
    /// The first vertex at the position of each corner.
    corners: Vec<[u32; 3]>,
    normals: Vec<Vec3>,
    is_closed: bool,
    tolerance: f64,
}

/// The triangles that meet a triangle.
#[derive(Clone, Debug, Default)]
struct Contacts {
    /// Whether another triangle touches this one, other than a neighbor at a common edge or vertex.
    touched: bool,
    cuts: Vec<Cut>,
}

impl Finder {
    fn new(vertices: &[[f64; 3]], triangles: &[u32]) -> Option<Self> {
        let index = TriangleIndex::new(vertices, triangles);
        if index.is_empty() {
            return None;
        }
        let same = merged(vertices);
        let list = triangles.as_chunks::<3>().0;
        let corners =
            index.tree.order.iter().map(|&t| list[t as usize].map(|v| same[v as usize])).collect();
        let normal = |[a, b, c]: &[Vec3; 3]| (b - a).cross(&(c - a)).normalize();
        let normals = index.triangles.par_iter().map(normal).collect();
        let largest = (0..3).map(|k| index.tree.nodes[0].span(k));
        let largest = largest.fold(0.0, |most: f64, (low, high)| most.max(-low).max(high));
        let is_closed = Rims::new(vertices, triangles).is_empty();
        Some(Finder { index, corners, normals, is_closed, tolerance: TOLERANCE * largest })
    }

    /// Finds the contacts of each triangle.
    fn contacts(&self) -> Vec<Contacts> {
        let tree = &self.index.tree;
        let of_triangle = |k: usize| {
            let mut found = Contacts::default();
            // A degenerate triangle has no plane in which it could be cut.
            if !self.is_usable(k) {
                return found;
            }
            let mine = &self.index.triangles[k];
            let (low, high) = super::bvh::box_of(mine);
            let slack = Vec3::repeat(self.tolerance);
            let mut neighbors = 0;
            let (low, high) = (low - slack, high + slack);
            tree.descend(|_, node| {
                let meets = node.meets(low, high);
                if meets && node.is_leaf() {
                    for other in node.pieces().filter(|&j| j != k) {
                        let mine = &self.corners[k];
                        let common = |v: &&u32| self.corners[other].contains(v);
                        let common = mine.iter().filter(common).count();
                        neighbors += usize::from(common > 0);
                        if common == 0 || neighbors <= MOST_NEIGHBORS {
                            self.meet(k, other, common, &mut found);
                        }
                    }
                }
                meets
            });
            found
        };
        (0..self.index.len()).into_par_iter().map(of_triangle).collect()
    }

    fn is_usable(&self, k: usize) -> bool {
        self.normals[k].iter().all(|x| x.is_finite())
    }

    /// Adds the contact of triangle `k` with another one, which has `common` corners in common.
    fn meet(&self, k: usize, other: usize, common: usize, found: &mut Contacts) {
        if !self.is_usable(other) {
            return;
        }
        let [mine, theirs] = [k, other].map(|t| &self.index.triangles[t]);
        let normals = [self.normals[k], self.normals[other]];
        match contact(mine, theirs, normals, common, self.tolerance) {
            Contact::None => {}
            Contact::Touch => found.touched = true,
            Contact::Cuts(cuts) => {
                found.touched = true;
                found.cuts.extend(cuts);
            }
        }
    }

    /// Returns the sets of triangles without contacts that are connected by edges with two
    /// triangles, in tree order.
    fn regions(&self, contacts: &[Contacts]) -> Vec<Vec<u32>> {
        let side = |(k, corners): (usize, &[u32; 3])| {
            let [a, b, c] = *corners;
            [(a, b), (b, c), (c, a)].map(|(i, j)| (i.min(j), i.max(j), k as u32))
        };
        let mut sides: Vec<(u32, u32, u32)> =
            self.corners.par_iter().enumerate().flat_map_iter(side).collect();
        sides.par_sort_unstable();
        let mut parent: Vec<u32> = (0..self.corners.len() as u32).collect();
        for edge in sides.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let [(.., a), (.., b)] = *edge else { continue };
            if !contacts[a as usize].touched && !contacts[b as usize].touched {
                let (a, b) = (root(&mut parent, a), root(&mut parent, b));
                parent[a.max(b) as usize] = a.min(b);
            }
        }
        let mut of_root = vec![u32::MAX; parent.len()];
        let mut regions: Vec<Vec<u32>> = Vec::new();
        for k in 0..parent.len() as u32 {
            if contacts[k as usize].touched {
                continue;
            }
            let root = root(&mut parent, k) as usize;
            if of_root[root] == u32::MAX {
                of_root[root] = regions.len() as u32;
                regions.push(Vec::new());
            }
            regions[of_root[root] as usize].push(k);
        }
        regions
    }

    /// Classifies every triangle. Returns `None` if all of them bound the inside.
    fn envelope(
        &self,
        vertices: &[[f64; 3]],
        triangles: &[u32],
        contacts: &[Contacts],
        regions: &[Vec<u32>],
    ) -> Option<Envelope> {
        let mut outcomes = vec![Outcome::Bounds; contacts.len()];
        let of_regions: Vec<Side> = regions.par_iter().map(|r| self.side_of_region(r)).collect();
        for (region, side) in regions.iter().zip(of_regions) {
            if side == Side::Ignored {
                region.iter().for_each(|&k| outcomes[k as usize] = Outcome::Ignored);
            }
        }
        let decide = |(k, outcome): (usize, &mut Outcome)| {
            if contacts[k].touched {
                let side = |x| self.side(k, x);
                let triangle = &self.index.triangles[k];
                *outcome =
                    carve(triangle, self.normals[k], &contacts[k].cuts, self.tolerance, &side);
            }
        };
        outcomes.par_iter_mut().enumerate().for_each(decide);
        let is_dropped = |o: &Outcome| matches!(o, Outcome::Ignored | Outcome::Pieces(_));
        if !outcomes.iter().any(is_dropped) {
            return None;
        }
        let mut envelope = Envelope { vertices: vertices.to_vec(), ..Envelope::default() };
        // The order of the surface keeps results independent of the tree.
        let mut place = vec![0; outcomes.len()];
        self.index.tree.order.iter().enumerate().for_each(|(k, &t)| place[t as usize] = k);
        for (t, corners) in triangles.as_chunks::<3>().0.iter().enumerate() {
            match &outcomes[place[t]] {
                Outcome::Bounds => {
                    envelope.triangles.extend(corners);
                    envelope.sources.push(t as u32);
                }
                Outcome::Ignored => envelope.ignored += 1,
                // The triangle is so narrow that rounding would decide on which side it is. The gap
                // that it leaves is narrower than the tolerance.
                Outcome::Narrow => {}
                Outcome::Pieces(pieces) => {
                    envelope.cut += 1;
                    pieces.iter().for_each(|piece| envelope.add(piece, t as u32));
                }
            }
        }
        Some(envelope)
    }

    /// Returns the side of a region, which is a set of connected triangles without contacts.
    fn side_of_region(&self, region: &[u32]) -> Side {
        let area = |k: u32| {
            let [a, b, c] = self.index.triangles[k as usize];
            (b - a).cross(&(c - a)).norm_squared()
        };
        let larger = |a: u32, b: u32| if area(b) > area(a) { b } else { a };
        let Some(largest) = region.iter().copied().reduce(larger) else { return Side::Bounds };
        let side = |k: u32| {
            let [a, b, c] = self.index.triangles[k as usize];
            self.side(k as usize, (a + b + c) / 3.0)
        };
        // On an open surface, winding numbers change along the triangles.
        let more = if self.is_closed { 0 } else { SAMPLES.min(region.len()) };
        let mut samples = (0..more).map(|n| region[n * region.len() / more]);
        match side(largest) {
            Side::Ignored if samples.all(|k| side(k) == Side::Ignored) => Side::Ignored,
            _ => Side::Bounds,
        }
    }

    /// Returns the side of the point `x` of triangle `k`.
    fn side(&self, k: usize, x: Vec3) -> Side {
        let near = 2.0 * self.tolerance;
        let mut here: Vec<usize> = Vec::new();
        self.index.tree.descend(|_, node| {
            let is_near = node.distance2(x) <= near * near;
            if is_near && node.is_leaf() {
                here.extend(node.pieces().filter(|&j| {
                    let y = simplex::closest_point(x, &self.index.triangles[j]);
                    j == k || (y - x).norm_squared() <= near * near
                }));
            }
            is_near
        });
        // At this point, the winding number changes by one across each triangle.
        let jump: f64 = here
            .iter()
            .filter(|&&j| self.is_usable(j))
            .map(|&j| self.normals[j].dot(&self.normals[k]))
            .filter(|cosine| cosine.abs() >= PARALLEL)
            .map(f64::signum)
            .sum();
        let middle = self.index.winding_number_without(x, &here);
        let sides = [middle - 0.5 * jump, middle + 0.5 * jump];
        let is_inside = sides.map(|w| w.abs() > 0.5);
        let is_clear = self.is_closed
            || sides.iter().all(|w| !UNDECIDED.contains(&w.abs()))
                && (sides[0] * sides[1] > 0.0 || !is_inside[0]);
        if is_clear && is_inside[0] == is_inside[1] { Side::Ignored } else { Side::Bounds }
    }
}

/// Returns the root of a set in a union-find structure.
fn root(parent: &mut [u32], mut k: u32) -> u32 {
    while parent[k as usize] != k {
        parent[k as usize] = parent[parent[k as usize] as usize];
        k = parent[k as usize];
    }
    k
}

impl Envelope {
    /// Adds a convex polygon as a fan of triangles.
    fn add(&mut self, polygon: &[Vec3], source: u32) {
        let first = self.vertices.len() as u32;
        self.vertices.extend(polygon.iter().map(|x| <[f64; 3]>::from(*x)));
        for k in 1..polygon.len() as u32 - 1 {
            self.triangles.extend([first, first + k, first + k + 1]);
            self.sources.push(source);
        }
    }
}
