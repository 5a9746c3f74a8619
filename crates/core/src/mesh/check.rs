//! What is in a mesh: the counts that `zeroset info` prints, for any mesh as stored.
//!
//! Every count is a property of the mesh, not of its numbering: renaming vertices, reordering
//! cells or running with another number of threads changes none of them (`edge_mean` to
//! rounding). Nothing is repaired here; that is [`clean`](super::clean())'s work.
//!
//! A *facet* is an edge of a triangle mesh or a face of a tetrahedral one. An edge joins two
//! vertices of a cell and is counted once however many cells share it; a cell that repeats a
//! vertex has an edge from that vertex to itself, of length zero.

pub mod facets;

use std::borrow::Cow;

use rayon::prelude::*;

use self::facets::{CellsAround, Uses, repeats_vertex};
use super::clean::Orientation;
use super::{Kind, Mesh};
use crate::geometry::Vec3;
use crate::geometry::simplex::{Simplex, quality};

/// Area below which a triangle is degenerate, in squared box diagonals.
const DEGENERATE_AREA: f64 = 1e-12;
/// Volume below which a tetrahedron is degenerate, in cubed box diagonals: the same length scale
/// of 1e-6 diagonals.
const DEGENERATE_VOLUME: f64 = 1e-18;
/// Cosine that an angle must exceed in size to be called obtuse, so that the right angles of
/// regular meshes are not.
const OBTUSE_COSINE: f64 = 1e-9;
/// Edges per partial sum; fixed, so that the mean does not depend on the number of threads.
const BLOCK: usize = 4096;

/// Counts of a mesh as stored. Lengths are in mesh units.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Statistics {
    /// Connected parts; cells hang together by any shared vertex.
    pub components: usize,
    /// Euler number: vertices - edges + triangles (- tetrahedra), counting only vertices that
    /// cells use.
    pub euler: i64,
    /// Facets with one cell.
    pub boundary: usize,
    /// Facets with three or more cells.
    pub nonmanifold: usize,
    /// Ways of running along a facet that two or more cells share, where neighbors should run
    /// opposite ways: an edge with two triangles on either side counts twice. For tetrahedra the
    /// same with faces; a mesh whose tetrahedra are all turned the same way has none.
    pub inconsistent: usize,
    /// Triangles of area at most 1e-12 squared diagonals of the box of all used vertices;
    /// tetrahedra of volume at most 1e-18 cubed diagonals, or flat to rounding as in
    /// [`clean`](super::clean()). Cells that repeat a vertex are among them.
    pub degenerate: usize,
    /// Cells that name a vertex twice.
    pub repeating: usize,
    /// Cells with the same vertices, in any order, as an earlier cell.
    pub duplicate: usize,
    /// Vertices at exactly the position of an earlier vertex.
    pub duplicate_points: usize,
    /// Tetrahedra of negative volume that are not degenerate; 0 for triangles, whose orientation
    /// means nothing.
    pub inverted: usize,
    /// Vertices that no cell uses.
    pub unreferenced: usize,
    /// Share of triangles with an angle above 90 degrees, 0 to 1; `None` for tetrahedra and
    /// without cells.
    pub obtuse_share: Option<f64>,
    /// Smallest quality of a cell that is not degenerate: inradius over longest edge, scaled so that a
    /// regular cell has 1; `None` without such a cell.
    pub quality_min: Option<f64>,
    /// The cell that has it, as stored.
    pub worst_cell: Option<usize>,
    /// Triangles: most edge ends at a vertex. Tetrahedra: most cells at a vertex.
    pub max_valence: usize,
    /// Shortest edge; `None` without cells, as for the next two.
    pub edge_min: Option<f64>,
    /// Mean length of the edges.
    pub edge_mean: Option<f64>,
    /// Longest edge.
    pub edge_max: Option<f64>,
}

/// Counts what is in a mesh, in O(n log n) and with a few dozen bytes per cell.
///
/// Cells with an index out of range are left out; [`clean`](super::clean()) refuses them.
pub fn inspect(mesh: &Mesh) -> Statistics {
    let cells = sound_cells(mesh);
    let cells = &*cells;
    let around = CellsAround::new(mesh.n_vertices(), cells, mesh.kind.arity());
    let ((ring, duplicate, shapes), (parts, duplicate_points)) = rayon::join(
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

/// What of [`Statistics`] says how the triangles of a surface hang together.
pub struct Connections {
    /// Parts that share no vertex.
    pub components: usize,
    /// Euler number: vertices minus edges plus triangles.
    pub euler: i64,
    /// Edges of one triangle.
    pub boundary: usize,
    /// Edges of more than two triangles.
    pub nonmanifold: usize,
    /// Edges whose two triangles run along them in the same direction.
    pub inconsistent: usize,
    /// Vertices of no triangle.
    pub unreferenced: usize,
}

/// The numbers of [`inspect`], in a fraction of its time.
pub fn connections(surface: &Mesh) -> Connections {
    let cells = sound_cells(surface);
    let cells = &*cells;
    let around = CellsAround::new(surface.n_vertices(), cells, 3);
    let (facets, parts) = rayon::join(|| Facets::new(&around), || Parts::new(surface, cells));
    Connections {
        components: parts.components,
        // Facets of triangles are their edges.
        euler: parts.used as i64 - facets.count as i64 + (cells.len() / 3) as i64,
        boundary: facets.boundary,
        nonmanifold: facets.nonmanifold,
        inconsistent: facets.inconsistent,
        unreferenced: surface.n_vertices() - parts.used,
    }
}

/// The cells whose vertices exist.
fn sound_cells(mesh: &Mesh) -> Cow<'_, [u32]> {
    let n = mesh.n_vertices();
    let sound = |v: &u32| (*v as usize) < n;
    if mesh.cells.par_iter().all(sound) {
        return Cow::Borrowed(&mesh.cells[..mesh.n_cells() * mesh.kind.arity()]);
    }
    let kept = mesh.iter_cells().filter(|cell| cell.iter().all(sound));
    Cow::Owned(kept.flatten().copied().collect())
}

/// What the facets tell.
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

/// What the facets and edges tell.
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

/// Lengths of the edges.
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

/// What the shape of each cell tells.
#[derive(Default)]
struct Shapes {
    degenerate: usize,
    repeating: usize,
    inverted: usize,
    obtuse: usize,
    /// Smallest quality and its cell.
    worst: Option<(f64, usize)>,
}

/// The one of smaller quality, of equal ones the first.
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

/// Diagonal of the box of all vertices that cells use.
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

/// True if the triangle with these edges from its first vertex has an angle above 90 degrees.
fn is_obtuse(e1: Vec3, e2: Vec3) -> bool {
    let e3 = e2 - e1;
    [(e1, e2), (-e1, e3), (e2, e3)].into_iter().any(|(a, b)| {
        let dot = a.dot(&b);
        dot < 0.0 && dot * dot > OBTUSE_COSINE.powi(2) * a.norm_squared() * b.norm_squared()
    })
}

/// What union-find tells.
struct Parts {
    components: usize,
    used: usize,
}

impl Parts {
    fn new(mesh: &Mesh, cells: &[u32]) -> Self {
        const UNUSED: u32 = u32::MAX;
        let mut parent = vec![UNUSED; mesh.n_vertices()];
        cells.iter().for_each(|&v| parent[v as usize] = v);
        let used = parent.iter().filter(|&&p| p != UNUSED).count();
        let mut components = used;
        for cell in cells.chunks_exact(mesh.kind.arity()) {
            for &v in &cell[1..] {
                let (a, b) = (root(&mut parent, cell[0]), root(&mut parent, v));
                if a != b {
                    parent[a.max(b) as usize] = a.min(b);
                    components -= 1;
                }
            }
        }
        Parts { components, used }
    }
}

/// Root of a vertex, halving the path on the way.
fn root(parent: &mut [u32], mut v: u32) -> u32 {
    while parent[v as usize] != v {
        let above = parent[parent[v as usize] as usize];
        parent[v as usize] = above;
        v = above;
    }
    v
}

/// Vertices at exactly the position of an earlier one.
fn duplicate_points(vertices: &[[f64; 3]]) -> usize {
    // Adding zero makes the two zeros one.
    let mut keys: Vec<[u64; 3]> =
        vertices.par_iter().map(|x| x.map(|c| (c + 0.0).to_bits())).collect();
    keys.par_sort_unstable();
    keys.windows(2).filter(|pair| pair[0] == pair[1]).count()
}
