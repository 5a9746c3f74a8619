//! Refinement: triangles are split into four at the midpoints of their edges, tetrahedra into
//! eight.
//!
//! Red refinement of a tetrahedron cuts off its four corners and splits the remaining octahedron
//! along its shortest diagonal. If several diagonals are equally short, the one with the lowest
//! vertex indices is used. Cells that share a face split it in the same way, so a conforming mesh
//! stays conforming. Every child keeps the orientation of its parent.
//!
//! The new numbering starts with the old vertices, followed by one midpoint per edge in ascending
//! order of the (lower, higher) vertex indices. The children of cell `c` are `4 c .. 4 c + 4` (`8 c
//! .. 8 c + 8` for tetrahedra).

use super::generate::limits::{Size, room};
use super::{DataArray, Group, Kind, Members, Mesh, Values};
use crate::error::{Element, Error, Position, Result};
use crate::parallel::*;
use crate::primitives::memory::available;

/// Refines the mesh once.
///
/// Float vertex arrays are interpolated. Integer arrays hold labels, so a midpoint takes the value
/// of the end with the lower index. Children of cells and of lower-dimensional group members
/// inherit arrays and groups. The lattice, if any, is dropped. A midpoint lies on the straight edge
/// between its ends.
///
/// # Errors
/// Returns [`Error::Mesh`] if an index or an array does not match the mesh, or if the result would
/// have more vertices or cells than 32-bit indices can number. Returns [`Error::Device`] if there
/// is not enough memory.
pub fn refine(mesh: &Mesh) -> Result<Mesh> {
    check(mesh)?;
    let edges = Edges::of(mesh)?;
    let arity = mesh.kind.arity();
    let parts = 1 << mesh.kind.dimension();
    let vertices =
        with_midpoints(&mesh.vertices, &edges, |a, b| [0, 1, 2].map(|k| 0.5 * (a[k] + b[k])));

    let mut cells = room("cell corners", mesh.cells.len() * parts)?;
    cells.resize(mesh.cells.len() * parts, 0);
    cells.par_chunks_exact_mut(arity * parts).zip(mesh.cells.par_chunks_exact(arity)).for_each(
        |(new, cell)| match mesh.kind {
            Kind::Planar | Kind::Surface => {
                new.copy_from_slice(cut_triangle(cell, &edges).as_flattened());
            }
            Kind::Volume => {
                new.copy_from_slice(cut_tet(cell, &edges, &vertices).as_flattened());
            }
        },
    );

    let mut fine = Mesh::new(mesh.kind, vertices, cells);
    fine.groups = mesh.groups.iter().map(|g| cut_group(g, &edges, parts as u32)).collect();
    fine.vertex_data = mesh.vertex_data.iter().map(|a| interpolate(a, &edges)).collect();
    fine.cell_data = mesh.cell_data.iter().map(|a| repeat(a, parts)).collect();
    Ok(fine)
}

/// Refines the mesh `times` times. A result that is too large for 32-bit indices or for the free
/// memory is rejected before the first refinement.
///
/// # Errors
/// Returns the errors of [`refine`]. If there is not enough memory, returns [`Error::Device`] with
/// the needed and the free memory.
pub fn refine_times(mut mesh: Mesh, times: u32) -> Result<Mesh> {
    let size = Size::new(mesh.kind, mesh.n_vertices() as u128, mesh.n_cells() as u128);
    let size = size.refined(times);
    if times > 0 && !size.has_numbers() {
        return Err(Error::mesh(
            "",
            format!(
                "after {times} refinements it would have more cells than 32-bit indices can number"
            ),
            format!(
                "use fewer refinements: the limit is {} cells",
                u64::from(u32::MAX) / mesh.kind.arity() as u64
            ),
        ));
    }
    size.fits(&format!("the mesh refined {times} times"), true, available().filter(|_| times > 0))?;
    for _ in 0..times {
        mesh = refine(&mesh)?;
    }
    Ok(mesh)
}

/// Checks the indices, arrays and sizes that the other functions rely on.
fn check(mesh: &Mesh) -> Result<()> {
    let n = mesh.n_vertices() as u64;
    let arity = mesh.kind.arity();
    if !mesh.cells.len().is_multiple_of(arity) {
        return Err(Error::mesh(
            "",
            format!("the number of cell indices is not a multiple of {arity}"),
            "",
        ));
    }
    if let Some(at) = mesh.cells.iter().position(|&v| u64::from(v) >= n) {
        let what = format!("refers to vertex {}, but there are {n}", mesh.cells[at]);
        return Err(Error::mesh(Position::element(Element::Cell, at / arity), what, ""));
    }
    for group in &mesh.groups {
        let (indices, limit) = match &group.members {
            Members::Cells(cells) => (cells, mesh.n_cells() as u64),
            Members::Simplices { dimension, vertices } => {
                if *dimension >= mesh.kind.dimension()
                    || !vertices.len().is_multiple_of(dimension + 1)
                {
                    let what = format!(
                        "has {} indices for simplices of dimension {dimension}",
                        vertices.len()
                    );
                    return Err(Error::mesh(format!("group {}", group.name), what, ""));
                }
                (vertices, n)
            }
        };
        if let Some(i) = indices.iter().find(|&&i| u64::from(i) >= limit) {
            let what = format!("refers to index {i}, but there are {limit}");
            return Err(Error::mesh(format!("group {}", group.name), what, ""));
        }
    }
    let of_vertices = mesh.vertex_data.iter().map(|a| (a, mesh.n_vertices()));
    let of_cells = mesh.cell_data.iter().map(|a| (a, mesh.n_cells()));
    for (array, rows) in of_vertices.chain(of_cells) {
        if array.components.checked_mul(rows) != Some(array.values.len()) {
            let what = format!(
                "has {} numbers, expected {rows} rows of {}",
                array.values.len(),
                array.components
            );
            return Err(Error::mesh(format!("array {}", array.name), what, ""));
        }
    }
    let slots = (mesh.cells.len() as u64) << mesh.kind.dimension();
    if slots >= u64::from(u32::MAX) {
        return Err(too_large(slots / arity as u64, "cells"));
    }
    Ok(())
}

fn too_large(n: u64, what: &str) -> Error {
    Error::mesh(
        "",
        format!(
            "after one refinement it would have {n} {what}, more than 32-bit indices can number"
        ),
        "use fewer refinements",
    )
}

/// All edges of cells and group members, numbered in ascending order.
struct Edges {
    /// The number of vertices before refinement.
    n_vertices: u32,
    /// The index of the first edge of each lower vertex, `[n_vertices + 1]`.
    start: Vec<u32>,
    /// The higher vertex of each edge, ascending for each lower vertex.
    higher: Vec<u32>,
}

impl Edges {
    fn of(mesh: &Mesh) -> Result<Self> {
        let edges_of = |dimension: usize| dimension * (dimension + 1) / 2;
        let of_groups = mesh.groups.iter().map(|group| match &group.members {
            Members::Cells(_) => 0,
            Members::Simplices { dimension, vertices } => {
                vertices.len() / (dimension + 1) * edges_of(*dimension)
            }
        });
        let of_cells = mesh.n_cells() * edges_of(mesh.kind.dimension());
        let mut keys: Vec<u64> = room("edges", of_cells + of_groups.sum::<usize>())?;
        let mut add = |simplex: &[u32]| {
            for (i, &a) in simplex.iter().enumerate() {
                for &b in &simplex[i + 1..] {
                    keys.push(u64::from(a.min(b)) << 32 | u64::from(a.max(b)));
                }
            }
        };
        mesh.iter_cells().for_each(&mut add);
        for group in &mesh.groups {
            if let Members::Simplices { dimension, vertices } = &group.members {
                vertices.chunks_exact(dimension + 1).for_each(&mut add);
            }
        }
        keys.par_sort_unstable();
        keys.dedup();
        let total = mesh.n_vertices() as u64 + keys.len() as u64;
        if total >= u64::from(u32::MAX) {
            return Err(too_large(total, "vertices"));
        }
        let mut start = vec![0; mesh.n_vertices() + 1];
        for key in &keys {
            start[(key >> 32) as usize + 1] += 1;
        }
        for v in 0..mesh.n_vertices() {
            start[v + 1] += start[v];
        }
        let higher = keys.iter().map(|&key| key as u32).collect();
        Ok(Edges { n_vertices: mesh.n_vertices() as u32, start, higher })
    }

    /// Returns the new vertex at the midpoint of the edge from `a` to `b`.
    fn midpoint(&self, a: u32, b: u32) -> u32 {
        let (low, high) = (a.min(b), a.max(b));
        let first = self.start[low as usize];
        let own = &self.higher[first as usize..self.start[low as usize + 1] as usize];
        self.n_vertices + first + own.partition_point(|&x| x < high) as u32
    }

    /// Iterates over the (lower, higher) vertices of all edges.
    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        self.start.windows(2).enumerate().flat_map(|(low, range)| {
            self.higher[range[0] as usize..range[1] as usize]
                .iter()
                .map(move |&h| (low, h as usize))
        })
    }
}

/// Returns `rows` followed by one row per edge, which `middle` computes from the rows of its ends.
fn with_midpoints<T: Copy>(rows: &[T], edges: &Edges, middle: impl Fn(T, T) -> T) -> Vec<T> {
    let mut all = Vec::with_capacity(rows.len() + edges.higher.len());
    all.extend_from_slice(rows);
    all.extend(edges.pairs().map(|(a, b)| middle(rows[a], rows[b])));
    all
}

fn cut_triangle(t: &[u32], edges: &Edges) -> [[u32; 3]; 4] {
    let [a, b, c] = [t[0], t[1], t[2]];
    let [ab, bc, ca] = [edges.midpoint(a, b), edges.midpoint(b, c), edges.midpoint(c, a)];
    [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
}

fn cut_tet(t: &[u32], edges: &Edges, vertices: &[[f64; 3]]) -> [[u32; 4]; 8] {
    let [a, b, c, d] = [t[0], t[1], t[2], t[3]];
    let m = |p, q| edges.midpoint(p, q);
    let [ab, ac, ad, bc, bd, cd] = [m(a, b), m(a, c), m(a, d), m(b, c), m(b, d), m(c, d)];
    // Each diagonal is followed by the ring of four vertices around it. An even permutation of b,
    // c, d maps each choice to the next, so in all three cases the children are oriented like the
    // parent.
    let choices = [[ab, cd, ac, ad, bd, bc], [ac, bd, ad, ab, bc, cd], [ad, bc, ab, ac, cd, bd]];
    let rank = |choice: &[u32; 6]| {
        let (p, q) = (choice[0], choice[1]);
        let [x, y] = [vertices[p as usize], vertices[q as usize]];
        let squared: f64 = (0..3).map(|k| (x[k] - y[k]) * (x[k] - y[k])).sum();
        (squared, p.min(q), p.max(q))
    };
    let mut best = choices[0];
    for choice in &choices[1..] {
        if rank(choice) < rank(&best) {
            best = *choice;
        }
    }
    let [p, q, r0, r1, r2, r3] = best;
    [
        [a, ab, ac, ad],
        [ab, b, bc, bd],
        [ac, bc, c, cd],
        [ad, bd, cd, d],
        [p, q, r0, r1],
        [p, q, r1, r2],
        [p, q, r2, r3],
        [p, q, r3, r0],
    ]
}

fn cut_group(group: &Group, edges: &Edges, parts: u32) -> Group {
    let members = match &group.members {
        Members::Cells(cells) => {
            Members::Cells(cells.iter().flat_map(|c| parts * c..parts * (c + 1)).collect())
        }
        Members::Simplices { dimension, vertices } => Members::Simplices {
            dimension: *dimension,
            vertices: match dimension {
                1 => vertices
                    .chunks_exact(2)
                    .flat_map(|e| {
                        let middle = edges.midpoint(e[0], e[1]);
                        [e[0], middle, middle, e[1]]
                    })
                    .collect(),
                2 => vertices
                    .chunks_exact(3)
                    .flat_map(|t| cut_triangle(t, edges).into_iter().flatten())
                    .collect(),
                _ => vertices.clone(),
            },
        },
    };
    Group { name: group.name.clone(), members }
}

fn interpolate(array: &DataArray, edges: &Edges) -> DataArray {
    let n = array.components;
    let values = match &array.values {
        Values::Float(old) => {
            let mut new = old.clone();
            for (a, b) in edges.pairs() {
                new.extend((0..n).map(|k| 0.5 * (old[a * n + k] + old[b * n + k])));
            }
            Values::Float(new)
        }
        Values::Int(old) => {
            let mut new = old.clone();
            for (a, _) in edges.pairs() {
                new.extend_from_slice(&old[a * n..(a + 1) * n]);
            }
            Values::Int(new)
        }
    };
    DataArray { name: array.name.clone(), components: n, values }
}

fn repeat(array: &DataArray, parts: usize) -> DataArray {
    fn rows<T: Copy>(old: &[T], n: usize, parts: usize) -> Vec<T> {
        old.chunks_exact(n.max(1))
            .flat_map(|row| std::iter::repeat_n(row, parts))
            .flatten()
            .copied()
            .collect()
    }
    let n = array.components;
    let values = match &array.values {
        Values::Float(old) => Values::Float(rows(old, n, parts)),
        Values::Int(old) => Values::Int(rows(old, n, parts)),
    };
    DataArray { name: array.name.clone(), components: n, values }
}
