//! Statistics of a mesh as stored: the counts that `zeroset info` prints. [`connections`] computes
//! some of them for surfaces. [`facets`] finds facets and edges, also for repair and measures.
//!
//! Every count is a property of the mesh and not of its numbering: it does not change if vertices
//! are renumbered, cells are reordered or the number of threads changes (`edge_mean` may change by
//! rounding). This module does not repair anything. See [`clean`](super::clean()).
//!
//! A *facet* is an edge of a triangle mesh or a face of a tetrahedral mesh. An edge joins two
//! vertices of a cell and is counted once, however many cells share it. A cell that repeats a
//! vertex has an edge of length zero from that vertex to itself.

pub mod facets;

use std::borrow::Cow;

use self::facets::{CellsAround, Uses, repeats_vertex};
use super::clean::Orientation;
use super::{Kind, Mesh};
use crate::geometry::Vec3;
use crate::geometry::simplex::{Simplex, quality};
use crate::parallel::*;
use crate::primitives::UnionFind;

/// The largest area of a degenerate triangle, in squared diagonals of the bounding box.
const DEGENERATE_AREA: f64 = 1e-12;
/// The largest volume of a degenerate tetrahedron, in cubed diagonals of the bounding box. The
/// length scale of 1e-6 diagonals is the same as for triangles.
const DEGENERATE_VOLUME: f64 = 1e-18;
/// The smallest absolute cosine of an obtuse angle. It excludes the right angles of regular meshes,
/// which rounding may make slightly larger.
const OBTUSE_COSINE: f64 = 1e-9;
/// The number of edges per partial sum. It is fixed, so that the mean does not depend on the number
/// of threads.
const BLOCK: usize = 4096;

/// Statistics of a mesh as stored. Lengths are in mesh units.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Statistics {
    /// The number of connected components. Cells that share a vertex are connected.
    pub components: usize,
    /// The Euler number: vertices - edges + triangles (- tetrahedra). Only vertices that cells use
    /// are counted.
    pub euler: i64,
    /// The number of facets that belong to exactly one cell.
    pub boundary: usize,
    /// The number of facets that belong to three or more cells.
    pub nonmanifold: usize,
    /// The number of directions in which two or more cells traverse the same facet. Consistently
    /// oriented neighbors traverse a facet in opposite directions. An edge with two triangles in
    /// each direction counts twice. The faces of tetrahedra are counted in the same way, and there
    /// are none in a mesh of consistently oriented tetrahedra.
    pub inconsistent: usize,
    /// The number of degenerate cells: triangles with an area of at most 1e-12 squared diagonals of
    /// the bounding box of all used vertices, and tetrahedra with a volume of at most 1e-18 cubed
    /// diagonals or that are degenerate up to rounding as in [`clean`](super::clean()). Cells that
    /// repeat a vertex are included.
    pub degenerate: usize,
    /// The number of cells that contain a vertex twice.
    pub repeating: usize,
    /// The number of cells that have the same vertices as an earlier cell, in any order.
    pub duplicate: usize,
    /// The number of vertices at exactly the position of an earlier vertex.
    pub duplicate_points: usize,
    /// The number of tetrahedra of negative volume that are not degenerate. It is 0 for triangles,
    /// whose orientation has no meaning.
    pub inverted: usize,
    /// The number of vertices that no cell uses.
    pub unreferenced: usize,
    /// The fraction of triangles with an angle above 90 degrees, 0 to 1. It is `None` for
    /// tetrahedra or if there are no cells.
    pub obtuse_share: Option<f64>,
    /// The smallest quality of a cell that is not degenerate, or `None` if there is no such cell.
    /// The quality is the inradius divided by the longest edge, scaled so that a regular cell has
    /// quality 1.
    pub quality_min: Option<f64>,
    /// The index of the cell with the smallest quality, counted among the cells whose vertices all
    /// exist.
    pub worst_cell: Option<usize>,
    /// The largest number of edge ends at a vertex (triangles) or of cells at a vertex
    /// (tetrahedra).
    pub max_valence: usize,
    /// The length of the shortest edge, or `None` if there are no cells.
    pub edge_min: Option<f64>,
    /// The mean length of the edges, or `None` if there are no cells.
    pub edge_mean: Option<f64>,
    /// The length of the longest edge, or `None` if there are no cells.
    pub edge_max: Option<f64>,
}

/// Computes the statistics of a mesh in O(n log n) time, with a few dozen bytes of memory per cell.
///
/// Cells with an index out of range are ignored. [`clean`](super::clean()) rejects them.
pub fn inspect(mesh: &Mesh) -> Statistics {
    let cells = sound_cells(mesh);
    let cells = &*cells;
    let around = CellsAround::new(mesh.n_vertices(), cells, mesh.kind.arity());
    let ((ring, duplicate, shapes), (parts, duplicate_points)) = join(
        || (Ring::new(mesh, cells, &around), around.duplicates().len(), Shapes::new(mesh, cells)),
        || (Parts::new(mesh, cells), duplicate_points(&mesh.vertices)),
    );
    let n_cells = cells.len() / mesh.kind.arity();
    let high = if mesh.kind == Kind::Volume { n_cells as i64 } else { 0 };
    let triangles = if mesh.kind == Kind::Volume { ring.facets.count } else { n_cells };
    let edges = ring.lengths;
    Statistics {
        components: parts.components,
        euler: parts.used as i64 - edges.count as i64 + triangles as i64 - high,
        boundary: ring.facets.boundary,
        nonmanifold: ring.facets.nonmanifold,
        inconsistent: ring.facets.inconsistent,
        degenerate: shapes.degenerate,
        repeating: shapes.repeating,
        duplicate,
        duplicate_points,
        inverted: shapes.inverted,
        unreferenced: mesh.n_vertices() - parts.used,
        obtuse_share: (mesh.kind != Kind::Volume && n_cells > 0)
            .then(|| shapes.obtuse as f64 / n_cells as f64),
        quality_min: shapes.worst.map(|(quality, _)| quality),
        worst_cell: shapes.worst.map(|(_, cell)| cell),
        max_valence: ring.max_valence,
        edge_min: (n_cells > 0).then_some(edges.min),
        edge_mean: (n_cells > 0).then(|| edges.sum / edges.count as f64),
        edge_max: (n_cells > 0).then_some(edges.max),
    }
}

/// The part of [`Statistics`] that describes how the triangles of a surface are connected.
pub struct Connections {
    /// The number of connected components. Triangles that share a vertex are connected.
    pub components: usize,
    /// The Euler number: vertices minus edges plus triangles.
    pub euler: i64,
    /// The number of edges that belong to exactly one triangle.
    pub boundary: usize,
    /// The number of edges that belong to more than two triangles.
    pub nonmanifold: usize,
    /// The number of directions in which two or more triangles traverse the same edge.
    pub inconsistent: usize,
    /// The number of vertices that belong to no triangle.
    pub unreferenced: usize,
}

/// Computes the counts of [`Connections`] like [`inspect`], but in a fraction of the time.
pub fn connections(surface: &Mesh) -> Connections {
    let cells = sound_cells(surface);
    let cells = &*cells;
    let around = CellsAround::new(surface.n_vertices(), cells, 3);
    let (facets, parts) = join(|| Facets::new(&around), || Parts::new(surface, cells));
    Connections {
        components: parts.components,
        // The facets of triangles are their edges.
        euler: parts.used as i64 - facets.count as i64 + (cells.len() / 3) as i64,
        boundary: facets.boundary,
        nonmanifold: facets.nonmanifold,
        inconsistent: facets.inconsistent,
        unreferenced: surface.n_vertices() - parts.used,
    }
}

/// Returns the cells whose vertices all exist.
fn sound_cells(mesh: &Mesh) -> Cow<'_, [u32]> {
    let n = mesh.n_vertices();
    let sound = |v: &u32| (*v as usize) < n;
    if mesh.cells.par_iter().all(sound) {
        return Cow::Borrowed(&mesh.cells[..mesh.n_cells() * mesh.kind.arity()]);
    }
    let kept = mesh.iter_cells().filter(|cell| cell.iter().all(sound));
    Cow::Owned(kept.flatten().copied().collect())
}

/// Counts of facets.
struct Facets {
    count: usize,
    boundary: usize,
    nonmanifold: usize,
    inconsistent: usize,
}

impl Facets {
    fn new(around: &CellsAround) -> Self {
        let add = |counts: &mut [usize; 4], facet: Uses| {
            let uses = facet.even + facet.odd;
            counts[0] += 1;
            counts[1] += usize::from(uses == 1);
            counts[2] += usize::from(uses > 2);
            counts[3] += usize::from(facet.even > 1) + usize::from(facet.odd > 1);
        };
        let counts = around.facets(|_| true, add);
        let [count, boundary, nonmanifold, inconsistent] =
            [0, 1, 2, 3].map(|k| counts.iter().map(|c| c[k]).sum::<usize>());
        Facets { count, boundary, nonmanifold, inconsistent }
    }
}

/// Statistics of facets and edges.
struct Ring {
    facets: Facets,
    max_valence: usize,
    lengths: Lengths,
}

impl Ring {
    fn new(mesh: &Mesh, cells: &[u32], around: &CellsAround) -> Self {
        let arity = mesh.kind.arity();
        let facets = Facets::new(around);
        let edges = around.edges();
        let mut valence = vec![0_u32; mesh.n_vertices()];
        if arity == 3 {
            edges.iter().flatten().for_each(|&v| valence[v as usize] += 1);
        } else {
            for cell in cells.chunks_exact(arity) {
                for (k, &v) in cell.iter().enumerate() {
                    valence[v as usize] += u32::from(!cell[..k].contains(&v));
                }
            }
        }
        let max_valence = valence.into_iter().max().unwrap_or(0) as usize;
        let lengths = Lengths::new(&mesh.vertices, &edges);
        Ring { facets, max_valence, lengths }
    }
}

/// Statistics of the edge lengths.
#[derive(Clone, Copy)]
struct Lengths {
    count: usize,
    min: f64,
    max: f64,
    sum: f64,
}

impl Lengths {
    fn new(vertices: &[[f64; 3]], edges: &[[u32; 2]]) -> Self {
        let none = Lengths { count: 0, min: f64::INFINITY, max: 0.0, sum: 0.0 };
        let blocks: Vec<Lengths> = edges
            .par_chunks(BLOCK)
            .map(|block| {
                block.iter().fold(none, |lengths, &[a, b]| {
                    let length = (point(vertices, b) - point(vertices, a)).norm();
                    lengths.and(&Lengths { count: 1, min: length, max: length, sum: length })
                })
            })
            .collect();
        blocks.iter().fold(none, |lengths, block| lengths.and(block))
    }

    fn and(self, other: &Self) -> Self {
        Lengths {
            count: self.count + other.count,
            min: self.min.min(other.min),
            max: self.max.max(other.max),
            sum: self.sum + other.sum,
        }
    }
}

fn point(vertices: &[[f64; 3]], v: u32) -> Vec3 {
    Vec3::from(vertices[v as usize])
}

/// Statistics of the cell shapes.
#[derive(Default)]
struct Shapes {
    degenerate: usize,
    repeating: usize,
    inverted: usize,
    obtuse: usize,
    /// The smallest quality and its cell.
    worst: Option<(f64, usize)>,
}

/// Returns the entry with the smaller quality or, if both are equal, the one with the lower cell
/// index.
fn worse(a: Option<(f64, usize)>, b: Option<(f64, usize)>) -> Option<(f64, usize)> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b.0 < a.0 || (b.0 == a.0 && b.1 < a.1) { b } else { a }),
        (a, b) => a.or(b),
    }
}

impl Shapes {
    fn new(mesh: &Mesh, cells: &[u32]) -> Self {
        let diagonal = diagonal(&mesh.vertices, cells);
        let (area, volume) =
            (DEGENERATE_AREA * diagonal.powi(2), DEGENERATE_VOLUME * diagonal.powi(3));
        cells
            .par_chunks_exact(mesh.kind.arity())
            .enumerate()
            .fold(Shapes::default, |mut shapes, (t, cell)| {
                let x = |k: usize| point(&mesh.vertices, cell[k]);
                let (e1, e2) = (x(1) - x(0), x(2) - x(0));
                let found;
                shapes.repeating += usize::from(repeats_vertex(cell));
                if cell.len() == 3 {
                    let degenerate = e1.cross(&e2).norm() / 2.0 <= area;
                    let x = [x(0), x(1), x(2)];
                    found = (!degenerate).then(|| quality(&Simplex::new(&x), &x));
                    shapes.degenerate += usize::from(degenerate);
                    shapes.obtuse += usize::from(is_obtuse(e1, e2));
                } else {
                    let signed = e1.dot(&e2.cross(&(x(3) - x(0)))) / 6.0;
                    let orientation = Orientation::of(&mesh.vertices, cell);
                    let degenerate = orientation == Orientation::Flat || signed.abs() <= volume;
                    shapes.degenerate += usize::from(degenerate);
                    shapes.inverted +=
                        usize::from(!degenerate && orientation == Orientation::Negative);
                    let x = [x(0), x(1), x(2), x(3)];
                    found = (!degenerate).then(|| quality(&Simplex::new(&x), &x));
                }
                let found = found.filter(|quality| quality.is_finite());
                shapes.worst = worse(shapes.worst, found.map(|quality| (quality, t)));
                shapes
            })
            .reduce(Shapes::default, |a, b| Shapes {
                degenerate: a.degenerate + b.degenerate,
                repeating: a.repeating + b.repeating,
                inverted: a.inverted + b.inverted,
                obtuse: a.obtuse + b.obtuse,
                worst: worse(a.worst, b.worst),
            })
    }
}

/// Returns the diagonal of the bounding box of all vertices that cells use, or 0 if there are no
/// cells.
fn diagonal(vertices: &[[f64; 3]], cells: &[u32]) -> f64 {
    let wide = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
    let (low, high) = cells
        .par_chunks(BLOCK)
        .map(|block| {
            block.iter().fold(wide, |(low, high), &v| {
                let x = point(vertices, v);
                (low.inf(&x), high.sup(&x))
            })
        })
        .reduce(|| wide, |a, b| (a.0.inf(&b.0), a.1.sup(&b.1)));
    if cells.is_empty() { 0.0 } else { (high - low).norm() }
}

/// Returns true if a triangle has an angle above 90 degrees. `e1` and `e2` are the edges from its
/// first vertex.
fn is_obtuse(e1: Vec3, e2: Vec3) -> bool {
    let e3 = e2 - e1;
    [(e1, e2), (-e1, e3), (e2, e3)].into_iter().any(|(a, b)| {
        let dot = a.dot(&b);
        dot < 0.0 && dot * dot > OBTUSE_COSINE.powi(2) * a.norm_squared() * b.norm_squared()
    })
}

/// Counts of connected components and used vertices.
struct Parts {
    components: usize,
    used: usize,
}

impl Parts {
    fn new(mesh: &Mesh, cells: &[u32]) -> Self {
        let mut is_used = vec![false; mesh.n_vertices()];
        cells.iter().for_each(|&v| is_used[v as usize] = true);
        let used = is_used.iter().filter(|&&is_used| is_used).count();
        let mut components = used;
        let mut sets = UnionFind::new(mesh.n_vertices());
        for cell in cells.chunks_exact(mesh.kind.arity()) {
            components -= cell[1..].iter().filter(|&&v| sets.join(cell[0], v)).count();
        }
        Parts { components, used }
    }
}

/// Returns the number of vertices at exactly the position of an earlier vertex.
fn duplicate_points(vertices: &[[f64; 3]]) -> usize {
    // Adding zero turns -0 into 0.
    let mut keys: Vec<[u64; 3]> =
        vertices.par_iter().map(|x| x.map(|c| (c + 0.0).to_bits())).collect();
    keys.par_sort_unstable();
    keys.windows(2).filter(|pair| pair[0] == pair[1]).count()
}
