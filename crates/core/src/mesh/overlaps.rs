//! Boundary facets that lie along others without matching them, because the cells on the two sides
//! are divided differently. They are facets inside the mesh, although each has only one cell.

use super::point_tree::PointTree;
use super::repair::apart::Apart;
use super::{Kind, Mesh};
use crate::geometry::Vec3;
use crate::parallel::*;

/// The smallest height of a cell over its facet, as a multiple of the tolerance. The two sides of a
/// flatter cell would also lie along each other.
const HEIGHT: f64 = 4.0;
/// The smallest cosine between two facets that lie along each other.
const PARALLEL: f64 = 0.95;
/// The largest cosine between the cells at two edges that lie along each other. The cells of a fold
/// lie on the same side.
const FOLD: f64 = 0.5;
/// The largest distance of one facet from the plane of the other, as a multiple of the tolerance.
const FLAT: f64 = 3.0;

/// Sample points of an edge, as weights of its ends.
const ON_EDGE: [[f64; 3]; 3] = [[5.0, 1.0, 0.0], [3.0, 3.0, 0.0], [1.0, 5.0, 0.0]];
/// Sample points of a face, as weights of its corners.
const ON_FACE: [[f64; 3]; 4] = [[4.0, 1.0, 1.0], [1.0, 4.0, 1.0], [1.0, 1.0, 4.0], [2.0, 2.0, 2.0]];

/// A boundary facet with its cell.
pub(crate) struct Facet {
    /// The vertices. An edge uses only the first two.
    vertices: [u32; 3],
    n: usize,
    /// The coordinates of the vertices.
    x: [Vec3; 3],
    /// The unit vector along an edge, or normal to a face.
    axis: Vec3,
    /// The vector from the line or plane of the facet to the last vertex of the cell.
    inward: Vec3,
    cell: usize,
}

impl Facet {
    /// Describes a facet of a cell. The third vertex of an edge is ignored.
    pub(crate) fn new(mesh: &Mesh, mut vertices: [u32; 3], cell: usize) -> Self {
        let n = mesh.kind.arity() - 1;
        if n == 2 {
            vertices[2] = vertices[0];
        }
        let at = |v: u32| Vec3::from(mesh.vertices[v as usize]);
        let x = vertices.map(at);
        let corners = &mesh.cells[cell * (n + 1)..][..n + 1];
        let last = corners.iter().find(|v| !vertices.contains(v)).map_or(x[0], |&v| at(v));
        let axis = if n == 2 { x[1] - x[0] } else { (x[1] - x[0]).cross(&(x[2] - x[0])) };
        let axis = axis.try_normalize(0.0).unwrap_or_default();
        let along = axis * (last - x[0]).dot(&axis);
        let inward = if n == 2 { last - x[0] - along } else { along };
        Facet { vertices, n, x, axis, inward, cell }
    }

    /// Returns the shortest and the longest edge of the facet.
    fn edges(&self) -> [f64; 2] {
        let length = |k: usize| (self.x[(k + 1) % self.n] - self.x[k]).norm();
        let lengths = (0..self.n).map(length);
        lengths.fold([f64::INFINITY, 0.0], |[least, most], l| [least.min(l), most.max(l)])
    }

    /// Returns the distance of a point from the line or plane of the facet.
    fn distance(&self, p: Vec3) -> f64 {
        let along = (p - self.x[0]).dot(&self.axis);
        if self.n == 2 { (p - self.x[0] - self.axis * along).norm() } else { along.abs() }
    }

    /// Returns the distance of a point from the plane of a face, or from the plane through an edge
    /// that is normal to its cell. The distance is positive outside the cell.
    pub(crate) fn outside(&self, p: Vec3) -> f64 {
        -(p - self.x[0]).dot(&self.inward) / self.inward.norm()
    }

    /// Returns whether the facet contains the projection of a point, up to rounding.
    fn contains(&self, p: Vec3) -> bool {
        const SLACK: f64 = 1e-9;
        if self.n == 2 {
            let edge = self.x[1] - self.x[0];
            let t = (p - self.x[0]).dot(&edge) / edge.norm_squared();
            return (-SLACK..=1.0 + SLACK).contains(&t);
        }
        let area = (self.x[1] - self.x[0]).cross(&(self.x[2] - self.x[0])).norm();
        (0..3).all(|k| {
            let (a, b) = (self.x[k], self.x[(k + 1) % 3]);
            (b - a).cross(&(p - a)).dot(&self.axis) >= -SLACK * area
        })
    }

    /// Returns whether the facets lie on one line or in one plane within `gap`, with their cells on
    /// opposite sides.
    pub(crate) fn faces(&self, other: &Facet, gap: f64) -> bool {
        let (height, other_height) = (self.inward.norm(), other.inward.norm());
        let most = if self.n == 2 { FOLD } else { 0.0 };
        let is_flat =
            |a: &Facet, b: &Facet| b.x[..b.n].iter().all(|&p| a.distance(p) <= FLAT * gap);
        height.min(other_height) > HEIGHT * gap
            && self.axis.dot(&other.axis).abs() >= PARALLEL
            && self.inward.dot(&other.inward) < most * height * other_height
            && (is_flat(self, other) || is_flat(other, self))
    }

    fn shares_vertex(&self, other: &Facet) -> bool {
        self.vertices.iter().any(|v| other.vertices.contains(v))
    }

    /// Returns whether each vertex has a vertex of the other facet within `gap`.
    fn coincides(&self, other: &Facet, gap: f64) -> bool {
        self.x.iter().all(|a| other.x.iter().any(|b| (a - b).norm() <= gap))
    }

    fn samples(&self) -> impl Iterator<Item = [f64; 3]> {
        let weights = if self.n == 2 { &ON_EDGE[..] } else { &ON_FACE[..] };
        let point = |w: &[f64; 3]| (self.x[0] * w[0] + self.x[1] * w[1] + self.x[2] * w[2]) / 6.0;
        weights.iter().map(move |w| point(w).into())
    }

    /// Returns whether a box may contain a point that the facet contains within `gap`.
    fn meets(&self, gap: f64, low: &[f64; 3], high: &[f64; 3]) -> bool {
        let is_near = (0..3).all(|k| {
            let (mut least, mut most) = (self.x[0][k], self.x[0][k]);
            for x in &self.x[1..] {
                (least, most) = (least.min(x[k]), most.max(x[k]));
            }
            low[k] <= most + gap && high[k] >= least - gap
        });
        let (low, high) = (Vec3::from(*low), Vec3::from(*high));
        let half = (high - low) * 0.5;
        let reach = if self.n == 2 { half.norm() } else { half.abs().dot(&self.axis.abs()) };
        is_near && self.distance((low + high) * 0.5) <= (reach + gap) * (1.0 + 1e-9)
    }
}

/// How other facets cover a boundary facet from the other side.
#[derive(Clone, Copy, Default)]
pub(crate) struct Cover {
    /// Other facets cover the facet, so it is inside the mesh.
    pub is_whole: bool,
    /// Other facets cover only a part of the facet.
    pub is_partial: bool,
    /// The facet shares a vertex with a facet that covers it or that it covers.
    pub is_linked: bool,
    /// The largest distance from the facets on the other side.
    pub distance: f64,
}

/// Finds how boundary facets cover each other without coinciding.
///
/// `facets` lists the facets with their cells. Facets face each other if their distance is at most
/// `tolerance`, a function of the shortest and the longest edge of a facet. Facets in groups are
/// ignored, and facets without a common vertex count only if `joins` is true and their cells have
/// the same groups and materials.
pub(crate) fn covers(
    mesh: &Mesh,
    facets: &[([u32; 3], usize)],
    joins: bool,
    tolerance: impl Fn([f64; 2]) -> f64 + Sync,
) -> Vec<Cover> {
    let apart = Apart::new(mesh);
    let facets: Vec<Facet> =
        facets.par_iter().map(|&(vertices, cell)| Facet::new(mesh, vertices, cell)).collect();
    let tolerances: Vec<f64> = facets.par_iter().map(|f| tolerance(f.edges())).collect();
    let per_facet = if mesh.kind == Kind::Volume { ON_FACE.len() } else { ON_EDGE.len() };
    let samples: Vec<[f64; 3]> = facets.iter().flat_map(Facet::samples).collect();
    let numbers = 0..samples.len() as u32;
    let is_finite = |&k: &u32| samples[k as usize].iter().all(|x| x.is_finite());
    let tree = PointTree::new(&samples, numbers.filter(is_finite).collect());
    // The samples that a facet covers, with their distances and whether the facets share a vertex.
    let covered_by = |k: usize| {
        let (facet, gap) = (&facets[k], tolerances[k]);
        let mut covered: Vec<(u32, f64, bool)> = Vec::new();
        tree.visit(
            |low, high| facet.meets(gap, low, high),
            |sample| {
                let (of, p) = (sample as usize / per_facet, Vec3::from(samples[sample as usize]));
                let (other, distance) = (&facets[of], facet.distance(p));
                let gap = gap.min(tolerances[of]);
                if of == k || distance > gap || !facet.contains(p) || !facet.faces(other, gap) {
                    return;
                }
                let is_linked = facet.shares_vertex(other);
                let may_join = || joins && apart.material(facet.cell) == apart.material(other.cell);
                let is_named = |f: &Facet| apart.names(&f.vertices[..f.n]);
                if (is_linked || may_join())
                    && !is_named(facet)
                    && !is_named(other)
                    && !facet.coincides(other, gap)
                {
                    covered.push((sample, distance, is_linked));
                }
            },
        );
        covered
    };
    let covered: Vec<_> = (0..facets.len()).into_par_iter().map(covered_by).collect();
    let mut covers = vec![Cover::default(); facets.len()];
    let mut is_covered = vec![false; samples.len()];
    for (k, list) in covered.iter().enumerate() {
        for &(sample, distance, is_linked) in list {
            is_covered[sample as usize] = true;
            for facet in [k, sample as usize / per_facet] {
                let cover = &mut covers[facet];
                cover.is_partial = true;
                cover.is_linked |= is_linked;
                cover.distance = cover.distance.max(distance);
            }
        }
    }
    for (cover, samples) in covers.iter_mut().zip(is_covered.chunks_exact(per_facet)) {
        cover.is_whole = samples.iter().all(|&is_covered| is_covered);
        cover.is_partial &= !cover.is_whole;
    }
    covers
}
