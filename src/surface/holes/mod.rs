//! Fills the holes of a surface.

mod patch;
mod triangulation;

use self::patch::Patch;
use self::triangulation::Polygon;
use super::Parts;
use super::boundary_loops::{Boundary, BoundaryLoop};
use crate::geometry::Vec3;
use crate::mesh::{DataArray, Kind, Members, Mesh, Values, vertex_normals};
use crate::parallel::*;
use crate::words::{counted, short};

/// A component is an open sheet if the largest filling of its boundary loops has at least this
/// fraction of its area.
const SHEET: f64 = 1.0 / 3.0;
/// Fillings whose area is at least this fraction of the largest one count as equally large.
const EQUAL: f64 = 0.99;

/// The holes that [`fill_holes`] fills.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HoleSize {
    /// All holes except for the outer boundaries of open sheets. In each component, the outer
    /// boundary is the loop whose filling is the largest, together with loops whose fillings are
    /// equally large, provided that the largest filling has at least a third of the area of the
    /// component.
    Any,
    /// Holes whose filling has at most this area, in squared mesh units.
    UpTo(f64),
}

/// The holes that [`fill_holes`] filled, and those that it did not fill.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct FilledHoles {
    /// Number of boundary loops that were filled.
    pub holes: usize,
    /// Number of edges in these loops.
    pub edges: usize,
    /// Number of new triangles.
    pub triangles: usize,
    /// Number of new vertices.
    pub vertices: usize,
    /// Area of the new triangles, in squared mesh units.
    pub area: f64,
    /// Area of the new triangles divided by the area of the whole surface, including them.
    pub fraction: f64,
    /// Number of loops that were left open because their filling is too large, or because they are
    /// the outer boundary of an open sheet.
    pub left_open: usize,
    /// Number of edges in the longest of these loops.
    pub left_open_edges: usize,
    /// Smallest area that would fill one of these loops, in squared mesh units; `None` if there are
    /// none.
    pub left_open_area: Option<f64>,
    /// Number of loops that cannot be filled: every filling has flat triangles, folds back on the
    /// surface, or uses an edge that the surface already has.
    pub unfit: usize,
    /// Number of boundary edges that belong to no loop, because the boundary from them cannot be
    /// followed past an edge with three or more triangles.
    pub stuck_edges: usize,
}

impl FilledHoles {
    /// Counts a loop that is left open.
    fn leave(&mut self, filling: &Filling) {
        self.left_open += 1;
        self.left_open_edges = self.left_open_edges.max(filling.x.len());
        let least = self.left_open_area.unwrap_or(f64::INFINITY);
        self.left_open_area = Some(least.min(filling.area));
    }

    /// Returns the warnings about the new triangles and about loops that are still open.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.holes > 0 {
            warnings.push(format!(
                "{} with {} filled by {}: an area of {}, {} % of the surface, is invented",
                counted(self.holes, ["hole", "holes"]),
                counted(self.edges, ["edge", "edges"]),
                counted(self.triangles, ["triangle", "triangles"]),
                short(self.area),
                short(100.0 * self.fraction)
            ));
        }
        if let (Some(area), n @ 1..) = (self.left_open_area, self.left_open) {
            warnings.push(format!(
                "{} left open, the longest with {}; the smallest needs an area of {}",
                counted(n, ["boundary loop is", "boundary loops are"]),
                counted(self.left_open_edges, ["edge", "edges"]),
                short(area)
            ));
        }
        if self.unfit > 0 {
            warnings.push(format!(
                "{} left open, because the triangles of every filling are flat or fold back on the \
                 surface",
                counted(self.unfit, ["boundary loop is", "boundary loops are"])
            ));
        }
        if self.stuck_edges > 0 {
            warnings.push(format!(
                "{} left open, because the boundary meets an edge with three or more triangles",
                counted(self.stuck_edges, ["boundary edge is", "boundary edges are"])
            ));
        }
        warnings
    }
}

/// Fills the holes that `size` selects in a surface of triangles. Tetrahedra do not change.
///
/// A hole is a boundary loop. It is filled with triangles whose total area is minimal. If they are
/// large compared with the edges of the loop, they are refined and relaxed. They are oriented like
/// the triangles around the hole, and a hole stays open if they would fold back on the surface.
///
/// The arrays of a new vertex have the mean values of the corners of the triangle in which it was
/// placed, and labels are those of the first corner. A new triangle has the values and groups of a
/// triangle next to the hole. The arrays `nx`, `ny` and `nz` of a new vertex are its normal. Other
/// vertices and triangles do not change.
pub fn fill_holes(mesh: &mut Mesh, size: HoleSize) -> FilledHoles {
    let mut result = FilledHoles::default();
    if mesh.kind == Kind::Volume {
        return result;
    }
    let mut boundary = Boundary::of(mesh);
    result.stuck_edges = boundary.stuck;
    if boundary.loops.is_empty() {
        return result;
    }
    let parts = Parts::new(mesh);
    let areas = parts.areas(mesh);
    let loops = std::mem::take(&mut boundary.loops);
    let part_of = |hole: &BoundaryLoop| parts.of_vertex(hole.vertices[0] as usize).unwrap_or(0);
    let fillings: Vec<Filling> =
        loops.par_iter().map(|hole| Filling::new(mesh, &boundary, hole)).collect();
    let mut greatest = vec![0.0_f64; areas.len()];
    for filling in &fillings {
        let greatest = &mut greatest[part_of(filling.hole)];
        *greatest = greatest.max(filling.area);
    }
    let (n_vertices, mut rows) = (mesh.n_vertices(), Vec::new());
    for filling in fillings {
        let part = part_of(filling.hole);
        let is_left = match size {
            HoleSize::Any => filling.area >= (EQUAL * greatest[part]).max(SHEET * areas[part]),
            HoleSize::UpTo(area) => filling.area > area,
        };
        if is_left {
            result.leave(&filling);
        } else if filling.add_to(mesh, &mut boundary, &mut rows, &mut result).is_none() {
            result.unfit += 1;
        }
    }
    result.vertices = mesh.n_vertices() - n_vertices;
    if result.holes > 0 {
        follow(mesh, &rows, n_vertices);
        result.fraction = result.area / (areas.iter().sum::<f64>() + result.area);
    }
    result
}

fn at(mesh: &Mesh, v: u32) -> Vec3 {
    mesh.vertices[v as usize].into()
}

/// Returns the unit normals of the triangles next to a hole, oriented like its filling.
fn normals_beside(mesh: &Mesh, hole: &BoundaryLoop) -> Vec<Vec3> {
    let n = hole.vertices.len();
    let normal = |k: usize| {
        let t = &mesh.cells[3 * hole.beside[k] as usize..][..3];
        let [a, b, c] = [t[0], t[1], t[2]].map(|v| at(mesh, v));
        let normal = (b - a).cross(&(c - a));
        let (from, to) = (hole.vertices[k], hole.vertices[(k + 1) % n]);
        // Triangles that agree traverse their edge in opposite directions.
        let agrees = (0..3).any(|j| t[j] == to && t[(j + 1) % 3] == from);
        let unit = normal.try_normalize(0.0).unwrap_or_default();
        if agrees { unit } else { -unit }
    };
    (0..n).map(normal).collect()
}

/// A hole with the triangles that fill it, whose total area is minimal.
struct Filling<'a> {
    hole: &'a BoundaryLoop,
    x: Vec<Vec3>,
    /// The unit normals of the triangles next to the hole.
    beside: Vec<Vec3>,
    /// The triangles, as indices into the vertices of the loop, or `None` if there is no
    /// triangulation.
    triangles: Option<Vec<[u32; 3]>>,
    /// The area of the triangles, or 0 if there are none.
    area: f64,
}

impl<'a> Filling<'a> {
    fn new(mesh: &Mesh, boundary: &Boundary, hole: &'a BoundaryLoop) -> Self {
        let x: Vec<Vec3> = hole.vertices.iter().map(|&v| at(mesh, v)).collect();
        let beside = normals_beside(mesh, hole);
        let mut filling = Filling { hole, x, beside, triangles: None, area: 0.0 };
        filling.triangulate(boundary);
        filling
    }

    fn triangulate(&mut self, boundary: &Boundary) {
        let is_taken = |a: usize, b: usize| self.is_taken(boundary, a, b);
        let polygon = Polygon { x: &self.x, beside: &self.beside, is_taken: &is_taken };
        let found = polygon.triangulated().filter(|_| self.x.len() > 2);
        let area = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| self.x[v as usize]);
            0.5 * (b - a).cross(&(c - a)).norm()
        };
        self.area = found.iter().flatten().map(area).sum();
        self.triangles = found;
    }

    fn is_taken(&self, boundary: &Boundary, a: usize, b: usize) -> bool {
        boundary.has_edge(self.hole.vertices[a], self.hole.vertices[b])
    }

    /// Returns whether another hole, filled after this one was triangulated, uses an inner edge of
    /// the triangles of this hole.
    fn is_outdated(&self, boundary: &Boundary) -> bool {
        let n = self.x.len();
        self.triangles.iter().flatten().any(|t| {
            (0..3).map(|k| [t[k] as usize, t[(k + 1) % 3] as usize]).any(|[a, b]| {
                let gap = a.abs_diff(b);
                gap > 1 && gap < n - 1 && self.is_taken(boundary, a, b)
            })
        })
    }

    /// Refines and relaxes the triangles, and adds them to the mesh. For each of them, adds to
    /// `rows` the triangle next to the hole from which it gets its values. Returns `None` if the
    /// hole cannot be filled.
    fn add_to(
        mut self,
        mesh: &mut Mesh,
        boundary: &mut Boundary,
        rows: &mut Vec<u32>,
        result: &mut FilledHoles,
    ) -> Option<()> {
        if self.is_outdated(boundary) {
            self.triangulate(boundary);
        }
        let (hole, n) = (self.hole, self.x.len());
        let given = self.triangles.clone()?;
        let is_taken = |a: usize, b: usize| self.is_taken(boundary, a, b);
        let mut patch = Patch::new(self.x.clone(), given.clone(), &is_taken);
        patch.refine();
        if !patch.is_sound(&self.beside) {
            return None;
        }
        let new = mesh.n_vertices() as u32;
        let number = |v: u32| match hole.vertices.get(v as usize) {
            Some(&on_loop) => on_loop,
            None => new + v - n as u32,
        };
        let triangles: Vec<[u32; 3]> = patch.triangles.iter().map(|t| t.map(number)).collect();
        rows.extend(patch.source.iter().map(|&t| hole.beside[given[t as usize][0] as usize]));
        for parents in &patch.parents {
            mesh.vertex_data.iter_mut().for_each(|array| push_mean(array, parents.map(number)));
        }
        mesh.vertices.extend(patch.x[n..].iter().map(|&x| <[f64; 3]>::from(x)));
        (result.holes, result.edges) = (result.holes + 1, result.edges + n);
        result.triangles += triangles.len();
        result.area += patch.area();
        for &[a, b, c] in &triangles {
            [[a, b], [b, c], [c, a]].iter().for_each(|&[a, b]| boundary.add_edge(a, b));
        }
        mesh.cells.extend(triangles.as_flattened());
        Some(())
    }
}

/// Adds a row with the mean of three rows. Labels are those of the first one.
fn push_mean(array: &mut DataArray, rows: [u32; 3]) {
    for k in 0..array.components {
        let [a, b, c] = rows.map(|row| row as usize * array.components + k);
        match &mut array.values {
            Values::Float(values) => values.push((values[a] + values[b] + values[c]) / 3.0),
            Values::Int(values) => values.push(values[a]),
        }
    }
}

/// Extends the arrays and groups of cells to the new triangles, which get the values and groups of
/// the triangles `rows`, and computes the normals at the new vertices.
fn follow(mesh: &mut Mesh, rows: &[u32], n_vertices: usize) {
    let n_before = mesh.n_cells() - rows.len();
    for array in &mut mesh.cell_data {
        let new = array.select(rows);
        match (&mut array.values, new.values) {
            (Values::Float(values), Values::Float(new)) => values.extend(new),
            (Values::Int(values), Values::Int(new)) => values.extend(new),
            _ => {}
        }
    }
    for group in &mut mesh.groups {
        if let Members::Cells(cells) = &mut group.members {
            let mut is_member = vec![false; n_before];
            cells.iter().for_each(|&cell| is_member[cell as usize] = true);
            let new = (n_before as u32..).zip(rows).filter(|(_, row)| is_member[**row as usize]);
            cells.extend(new.map(|(cell, _)| cell));
        }
    }
    mesh.lattice = None;
    if ["nx", "ny", "nz"].iter().all(|name| mesh.vertex_array(name).is_some()) {
        let normals = vertex_normals(mesh);
        for (k, name) in ["nx", "ny", "nz"].iter().enumerate() {
            let array = mesh.vertex_data.iter_mut().find(|array| array.name == *name);
            if let Some(DataArray { components: 1, values: Values::Float(values), .. }) = array {
                let new = values.iter_mut().zip(&normals).skip(n_vertices);
                new.for_each(|(value, normal)| *value = normal[k]);
            }
        }
    }
}

#[cfg(test)]
mod tests;
