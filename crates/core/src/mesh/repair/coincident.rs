//! Joins coincident vertices along boundary facets that are torn apart.

use std::collections::HashSet;

use super::ambiguous::Finding;
use super::apart::{Apart, key};
use super::duplicates::replace;
use super::{Weld, cluster, facet_names, facets};
use crate::mesh::statistics::facets::CellsAround;
use crate::mesh::{Kind, Mesh};
use crate::primitives::UnionFind;
use crate::words::{counted, noun, short};

/// The distance within which vertices coincide, as a fraction of the shortest boundary edge at each
/// of them. If the coordinates in the file are less precise, the distance is larger.
const CLOSE: f64 = 1e-4;
/// The distance within which facets that are not joined count as near, as a fraction of the
/// shortest boundary edge at each vertex.
const NEAR: f64 = 1e-2;
/// The largest distance within which vertices coincide if the coordinates in the file are less
/// precise, as a fraction of the shortest boundary edge at each vertex.
const COARSE: f64 = 0.05;

/// The numbers of coincident vertices and facets that were joined or kept apart.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Join {
    /// The number of vertices that were replaced by another vertex at the same place.
    pub vertices: usize,
    /// The number of boundary facets that were joined to others.
    pub facets: usize,
    /// The number of joined facets whose two sides already belonged to the same component. They
    /// formed a slit, a crack or a seam, which is closed now.
    pub slit_facets: usize,
    /// The number of joined edges of tetrahedra that formed a slit, a crack or a seam, and whose
    /// faces did not coincide.
    pub slit_edges: usize,
    /// Two stored vertices of the first facet or edge of a slit or seam.
    pub slit_at: Option<[u32; 2]>,
    /// The number of boundary facets that coincide with others but were kept apart, because a group
    /// contains them or because their cells have different materials.
    pub kept_apart: usize,
    /// The number of boundary facets that are near others but do not coincide with them.
    pub near: usize,
    /// The number of places where edges of boundary faces coincide, while the faces do not, and the
    /// edges are kept apart because the cells have different materials.
    pub edges_kept_apart: usize,
    /// An upper bound on the distance between corresponding vertices of two facets that are near
    /// each other, in mesh units.
    pub near_distance: f64,
    #[serde(skip)]
    kind: Option<Kind>,
}

impl Join {
    /// Adds the counts of a later search. Facets that are kept apart or near are found in every
    /// search, so for these, the later counts replace the earlier ones.
    pub(super) fn add(&mut self, later: Join) {
        self.vertices += later.vertices;
        self.facets += later.facets;
        self.slit_facets += later.slit_facets;
        self.slit_edges += later.slit_edges;
        self.slit_at = self.slit_at.or(later.slit_at);
        self.kept_apart = later.kept_apart;
        self.edges_kept_apart = later.edges_kept_apart;
        (self.near, self.near_distance) = (later.near, later.near_distance);
        self.kind = later.kind;
    }

    pub(super) fn summary(&self) -> Option<String> {
        if self.vertices == 0 {
            return None;
        }
        let mut text =
            counted(self.vertices, ["coincident vertex joined", "coincident vertices joined"]);
        if let (Some(kind), true) = (self.kind, self.facets > 0) {
            text += &format!(" along {} that were torn apart", facets(kind, self.facets));
        }
        if let (Some(kind), Some([a, b])) = (self.kind, self.slit_at) {
            let torn = match self.slit_facets {
                0 => counted(self.slit_edges, ["edge", "edges"]),
                n => facets(kind, n),
            };
            text += &format!(
                " ({torn} belong to a slit or seam without a group, the first at vertices {a} and \
                 {b}; `weld = \"never\"` keeps it open)"
            );
        }
        Some(text)
    }

    /// Returns the finding about facets that are near others, if there are any.
    pub(super) fn finding(&self) -> Option<Finding> {
        self.kind.filter(|_| self.near > 0).map(|kind| Finding {
            is_gap: true,
            count: self.near,
            what: format!(
                "{} of the boundary {} up to {} apart from others, which is too far to be joined: \
                 fronts do not cross there",
                facets(kind, self.near),
                noun(self.near, ["is", "are"]),
                short(self.near_distance),
            ),
            remedy: format!(
                "`weld = {}` joins all vertices that are that close",
                short(1.1 * self.near_distance)
            ),
        })
    }

    pub(super) fn doubts(&self) -> impl Iterator<Item = String> {
        let kept_apart = self.kind.filter(|_| self.kept_apart > 0).map(|kind| {
            let [_, plural] = facet_names(kind);
            format!(
                "{} of the boundary coincide with others but are kept apart, because a group \
                 contains them or their cells belong to different materials; `weld = LENGTH` joins \
                 all {plural} whose vertices are that close",
                facets(kind, self.kept_apart)
            )
        });
        let edges = (self.edges_kept_apart > 0).then(|| {
            format!(
                "{} of boundary faces coincide with others but are kept apart, because their cells \
                 belong to different materials; `weld = LENGTH` joins all vertices that are that \
                 close",
                counted(self.edges_kept_apart, ["edge", "edges"])
            )
        });
        kept_apart.into_iter().chain(edges)
    }
}

/// The cells of a mesh before it was changed, and the original cell of each current cell.
pub(super) struct Stored<'a> {
    /// The corners of the cells.
    pub cells: &'a [u32],
    /// The original cell of each current cell. Empty if no cell was replaced.
    pub parents: &'a [u32],
}

/// Joins coincident vertices in the cells and groups of a mesh. `boundary` lists its boundary
/// facets. Returns the counts and, if a vertex was replaced, the replacement of each vertex.
pub(super) fn join(
    mesh: &mut Mesh,
    weld: Weld,
    boundary: &[[u32; 3]],
    stored: &Stored,
) -> (Join, Vec<u32>) {
    let mut sets = UnionFind::new(mesh.n_vertices());
    let mut join = Join { kind: Some(mesh.kind), ..Join::default() };
    match weld {
        Weld::Never => return (join, Vec::new()),
        Weld::Auto => along_facets(mesh, boundary, stored, &mut sets, &mut join),
        Weld::Within(length) => within(mesh, length, &mut sets),
    }
    let representative = sets.into_roots();
    join.vertices = (0..).zip(&representative).filter(|&(v, &root)| v != root).count();
    if join.vertices == 0 {
        return (join, Vec::new());
    }
    replace(mesh, &representative);
    (join, representative)
}

/// Joins all used vertices that are at most `length` apart.
fn within(mesh: &Mesh, length: f64, sets: &mut UnionFind) {
    let mut used = vec![false; mesh.n_vertices()];
    mesh.cells.iter().for_each(|&v| used[v as usize] = true);
    let candidates = finite(mesh, |v| used[v]);
    let tolerances = vec![length; candidates.len()];
    let of = cluster::representatives(&mesh.vertices, &candidates, &tolerances);
    candidates.iter().zip(of).for_each(|(&v, root)| {
        sets.join(v, root);
    });
}

/// Returns the vertices that have finite coordinates and satisfy a condition, in ascending order.
fn finite(mesh: &Mesh, condition: impl Fn(usize) -> bool) -> Vec<u32> {
    let is_finite = |x: &[f64; 3]| x.iter().all(|c| c.is_finite());
    let numbered = (0_u32..).zip(&mesh.vertices);
    numbered.filter(|&(v, x)| condition(v as usize) && is_finite(x)).map(|(v, _)| v).collect()
}

/// Joins the coincident vertices of boundary facets and of cells that share no vertex with another
/// cell.
fn along_facets(
    mesh: &Mesh,
    boundary: &[[u32; 3]],
    stored: &Stored,
    sets: &mut UnionFind,
    join: &mut Join,
) {
    if boundary.is_empty() {
        return;
    }
    let n = mesh.kind.arity() - 1;
    let shortest = shortest_edges(mesh, boundary.iter().map(|facet| &facet[..n]));
    let (candidates, found) = coincident(mesh, &shortest);
    if candidates == found {
        let near: Vec<f64> = candidates.iter().map(|&v| NEAR * shortest[v as usize]).collect();
        if cluster::representatives(&mesh.vertices, &candidates, &near) == candidates {
            return;
        }
    }
    let place = places(mesh, &candidates, &found);
    let around = CellsAround::new(mesh.n_vertices(), &mesh.cells, mesh.kind.arity());
    let components = components_of(mesh, stored.cells);
    let apart = Apart::new(mesh);
    let shortest = &shortest;
    let mut pairs = Pairs { mesh, around, apart, place, shortest, stored, components, sets, join };
    let kept_apart = pairs.join_facets(boundary);
    if mesh.kind == Kind::Volume {
        pairs.join_edges(boundary, &kept_apart);
    }
    pairs.join_loose_cells(&candidates);
    pairs.count_near(boundary, &kept_apart);
}

/// Returns the representative of each vertex: the entry of `found` for a candidate, and the vertex
/// itself otherwise.
pub(super) fn places(mesh: &Mesh, candidates: &[u32], found: &[u32]) -> Vec<u32> {
    let mut place: Vec<u32> = (0..mesh.n_vertices() as u32).collect();
    candidates.iter().zip(found).for_each(|(&v, &root)| place[v as usize] = root);
    place
}

/// Returns the vertices with an edge, in ascending order, and for each of them the first vertex at
/// the same place. `shortest` is the length of the shortest edge at each vertex.
pub(super) fn coincident(mesh: &Mesh, shortest: &[f64]) -> (Vec<u32>, Vec<u32>) {
    let candidates = finite(mesh, |v| shortest[v].is_finite());
    let precision = precision(mesh);
    let tolerance = |&v: &u32| {
        let edge = shortest[v as usize];
        precision.min(COARSE * edge).max(CLOSE * edge)
    };
    let tolerances: Vec<f64> = candidates.iter().map(tolerance).collect();
    let found = cluster::representatives(&mesh.vertices, &candidates, &tolerances);
    (candidates, found)
}

/// Returns the length of the shortest edge of the given simplices at each vertex, ignoring edges of
/// length zero, or infinity if there is none.
pub(super) fn shortest_edges<'a>(
    mesh: &Mesh,
    simplices: impl Iterator<Item = &'a [u32]>,
) -> Vec<f64> {
    let mut shortest = vec![f64::INFINITY; mesh.n_vertices()];
    for simplex in simplices {
        for (k, &a) in simplex.iter().enumerate() {
            for &b in &simplex[..k] {
                let [x, y] = [a, b].map(|v| mesh.vertices[v as usize]);
                let length = (0..3).map(|k| (x[k] - y[k]).powi(2)).sum::<f64>().sqrt();
                if length > 0.0 {
                    for v in [a, b] {
                        shortest[v as usize] = shortest[v as usize].min(length);
                    }
                }
            }
        }
    }
    shortest
}

/// Returns the distance by which rounding in the file may separate two copies of a vertex.
fn precision(mesh: &Mesh) -> f64 {
    let is_single = |c: &f64| f64::from(*c as f32) == *c;
    let coordinates = || mesh.vertices.iter().flatten().filter(|c| c.is_finite());
    let largest = coordinates().fold(0.0_f64, |m, c| m.max(c.abs()));
    let unit = if coordinates().all(is_single) { f32::EPSILON.into() } else { f64::EPSILON };
    2.0 * unit * largest
}

/// The state while facets are joined.
struct Pairs<'a> {
    mesh: &'a Mesh,
    around: CellsAround<'a>,
    apart: Apart,
    /// For each vertex, the first vertex at the same place.
    place: Vec<u32>,
    /// The length of the shortest boundary edge at each vertex.
    shortest: &'a [f64],
    stored: &'a Stored<'a>,
    /// For each vertex, a number that is the same for all vertices of connected stored cells.
    components: Vec<u32>,
    sets: &'a mut UnionFind,
    join: &'a mut Join,
}

impl Pairs<'_> {
    /// Joins boundary facets whose vertices all coincide. Returns the indices in `boundary` of
    /// those that are kept apart.
    fn join_facets(&mut self, boundary: &[[u32; 3]]) -> Vec<u32> {
        let n = self.mesh.kind.arity() - 1;
        let mut keys: Vec<([u32; 3], u32)> =
            (0..).zip(boundary).map(|(k, facet)| (self.key_of(&facet[..n]), k)).collect();
        keys.sort_unstable();
        let mut kept_apart = Vec::new();
        for run in keys.chunk_by(|a, b| a.0 == b.0).filter(|run| run.len() > 1) {
            let mut members: Vec<(u64, u32)> = Vec::with_capacity(run.len());
            for &(_, k) in run {
                let facet = &boundary[k as usize][..n];
                if self.apart.names(facet) {
                    kept_apart.push(k);
                } else {
                    members.push((self.apart.material(self.around.cell_with(facet)), k));
                }
            }
            members.sort_unstable();
            for same in members.chunk_by(|a, b| a.0 == b.0) {
                if let [(_, alone)] = same {
                    kept_apart.push(*alone);
                    continue;
                }
                let copies: Vec<&[u32]> =
                    same.iter().map(|&(_, k)| &boundary[k as usize][..n]).collect();
                self.join.facets += copies.len();
                let slits = self.join_copies(&copies);
                self.join.slit_facets += 2 * slits;
            }
        }
        self.join.kept_apart = kept_apart.len();
        kept_apart.sort_unstable();
        kept_apart
    }

    /// Joins edges of boundary faces whose ends coincide, even if no faces do, for example because
    /// a quadrilateral is cut along different diagonals on its two sides. Edges of faces that are
    /// kept apart stay apart.
    fn join_edges(&mut self, boundary: &[[u32; 3]], kept_apart: &[u32]) {
        let edges = |[a, b, c]: [u32; 3]| [[a, b], [b, c], [a, c]];
        let apart: HashSet<[u32; 3]> = kept_apart
            .iter()
            .flat_map(|&k| edges(boundary[k as usize]))
            .map(|edge| self.key_of(&edge))
            .collect();
        let mut keys: Vec<([u32; 3], u64, [u32; 2])> = Vec::new();
        for facet in boundary.iter().filter(|facet| !self.apart.names(&facet[..])) {
            let material = self.apart.material(self.around.cell_with(facet));
            let all = edges(*facet).map(|[a, b]| [a.min(b), a.max(b)]);
            keys.extend(all.iter().map(|edge| (self.key_of(edge), material, *edge)));
        }
        keys.sort_unstable();
        keys.dedup();
        for run in keys.chunk_by(|a, b| a.0 == b.0).filter(|run| run.len() > 1) {
            if apart.contains(&run[0].0) {
                continue;
            }
            for same in run.chunk_by(|a, b| a.1 == b.1) {
                let copies: Vec<&[u32]> = same.iter().map(|(_, _, edge)| &edge[..]).collect();
                if self.are_torn(&copies) {
                    let slits = self.join_copies(&copies);
                    self.join.slit_edges += 2 * slits;
                }
            }
            let all: Vec<&[u32]> = run.iter().map(|(_, _, edge)| &edge[..]).collect();
            self.join.edges_kept_apart += usize::from(self.are_torn(&all));
        }
    }

    /// Returns true if the given copies of an edge do not share both vertices yet.
    fn are_torn(&mut self, copies: &[&[u32]]) -> bool {
        let mut roots = |edge: &[u32]| key(&[edge[0], edge[1]].map(|v| self.sets.root(v)));
        let first = roots(copies[0]);
        copies.iter().any(|copy| roots(copy) != first)
    }

    /// Counts the boundary facets that are not joined although others are near. A slightly larger
    /// distance would join them, so the user should decide.
    fn count_near(&mut self, boundary: &[[u32; 3]], kept_apart: &[u32]) {
        let n = self.mesh.kind.arity() - 1;
        let mut open: Vec<([u32; 3], u32)> = (0..)
            .zip(boundary)
            .map(|(k, facet)| (key(&facet.map(|v| self.sets.root(v))[..n]), k))
            .collect();
        open.sort_unstable();
        let mut open: Vec<u32> = open
            .chunk_by(|a, b| a.0 == b.0)
            .filter(|run| run.len() == 1)
            .map(|run| run[0].1)
            .collect();
        open.retain(|k| kept_apart.binary_search(k).is_err());
        open.sort_unstable();
        let mut candidates: Vec<u32> =
            open.iter().flat_map(|&k| boundary[k as usize][..n].to_vec()).collect();
        candidates.sort_unstable();
        candidates.dedup();
        let is_finite = |&v: &u32| self.shortest[v as usize].is_finite();
        candidates.retain(is_finite);
        let tolerances: Vec<f64> =
            candidates.iter().map(|&v| NEAR * self.shortest[v as usize]).collect();
        let found = cluster::representatives(&self.mesh.vertices, &candidates, &tolerances);
        if candidates == found {
            return;
        }
        let place = places(self.mesh, &candidates, &found);
        let at_place = |facet: &[u32; 3]| key(&facet.map(|v| place[v as usize])[..n]);
        let mut keys: Vec<([u32; 3], u32)> =
            open.iter().map(|&k| (at_place(&boundary[k as usize]), k)).collect();
        keys.sort_unstable();
        let distance = |a: u32, b: u32| {
            let [x, y] = [a, b].map(|v| self.mesh.vertices[v as usize]);
            (0..3).map(|k| (x[k] - y[k]).powi(2)).sum::<f64>().sqrt()
        };
        for run in keys.chunk_by(|a, b| a.0 == b.0).filter(|run| run.len() > 1) {
            self.join.near += run.len();
            let vertices = run.iter().flat_map(|&(_, k)| boundary[k as usize][..n].to_vec());
            let apart = vertices.map(|v| distance(v, place[v as usize])).fold(0.0, f64::max);
            self.join.near_distance = self.join.near_distance.max(2.0 * apart);
        }
    }

    /// Returns the places of the vertices of a facet or edge, in ascending order.
    fn key_of(&self, vertices: &[u32]) -> [u32; 3] {
        let mut places = [0; 3];
        vertices.iter().zip(&mut places).for_each(|(&v, p)| *p = self.place[v as usize]);
        key(&places[..vertices.len()])
    }

    /// Joins the coincident vertices of the given copies of one facet or edge. Returns the number
    /// of copies that already belonged to the same component as the first one.
    fn join_copies(&mut self, copies: &[&[u32]]) -> usize {
        let (first, mut slits) = (copies[0], 0);
        let component = self.component(first);
        for copy in &copies[1..] {
            if self.component(copy) == component {
                slits += 1;
                self.join.slit_at.get_or_insert([first[0], first[1]]);
            }
            for &v in *copy {
                let place = self.place[v as usize];
                let other = first.iter().find(|&&w| self.place[w as usize] == place);
                other.iter().for_each(|&&w| {
                    self.sets.join(v, w);
                });
            }
        }
        slits
    }

    /// Returns the component of the stored cell from which a cell with these vertices comes.
    fn component(&self, vertices: &[u32]) -> u32 {
        let cell = self.around.cell_with(vertices);
        let stored = self.stored.parents.get(cell).map_or(cell, |&cell| cell as usize);
        let corner = self.stored.cells[stored * self.mesh.kind.arity()];
        self.components[corner as usize]
    }

    /// Joins the coincident vertices of cells that share no vertex with another cell.
    fn join_loose_cells(&mut self, candidates: &[u32]) {
        let mut first: std::collections::HashMap<(u32, u64), u32> = Default::default();
        for &v in candidates {
            let Some(cell) = self.around.only_cell(v) else { continue };
            let corners =
                &self.mesh.cells[cell * self.mesh.kind.arity()..][..self.mesh.kind.arity()];
            let is_loose = corners.iter().all(|&w| self.around.only_cell(w).is_some());
            if is_loose && !self.apart.names_at(v) {
                let at = (self.place[v as usize], self.apart.material(cell));
                let copy = *first.entry(at).or_insert(v);
                self.sets.join(v, copy);
            }
        }
    }
}

/// Returns a number for each vertex. The number is the same for all vertices of connected cells.
pub(super) fn components_of(mesh: &Mesh, cells: &[u32]) -> Vec<u32> {
    let mut sets = UnionFind::new(mesh.n_vertices());
    for cell in cells.chunks_exact(mesh.kind.arity()) {
        for &v in &cell[1..] {
            sets.join(cell[0], v);
        }
    }
    sets.into_roots()
}
