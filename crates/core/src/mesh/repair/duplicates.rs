//! Removal of cells that are stored twice with separate vertices, as when a piece is read twice or
//! when pieces overlap by a layer of cells.

use super::Weld;
use super::ambiguous::Finding;
use super::apart::materials;
use super::cell_list::{CellList, oriented_measure};
use super::coincident::{coincident, components_of, places, shortest_edges};
use super::splits::Splits;
use crate::mesh::{Kind, Members, Mesh, Values};
use crate::parallel::*;
use crate::primitives::UnionFind;
use crate::words::{counted, noun};

/// The cells that coincide with others although they have separate vertices.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Duplicates {
    /// The number of cells that were removed.
    pub cells: usize,
    /// The number of vertices of removed cells that were replaced by others at the same place.
    pub vertices: usize,
    /// The number of cells that were kept although they coincide with others, because their groups
    /// or materials differ.
    pub kept: usize,
    /// Two of the coincident cells that `kept` counts.
    pub kept_at: Option<[u32; 2]>,
    /// The number of triangles of a surface that were kept although they coincide with others of
    /// the same material, because they face the other way.
    pub turned: usize,
    /// Two of the coincident triangles that `turned` counts.
    pub turned_at: Option<[u32; 2]>,
    /// The name of a cell array that differs between a removed cell and the one that stays, with
    /// these two cells.
    pub differs: Option<(String, [u32; 2])>,
}

impl Duplicates {
    /// Returns one line with the counts, or `None` if no cell was removed.
    pub(super) fn summary(&self) -> Option<String> {
        let cells =
            ["duplicate cell with separate vertices", "duplicate cells with separate vertices"];
        let vertices = ["vertex", "vertices"];
        (self.cells > 0).then(|| {
            let vertices = counted(self.vertices, vertices);
            format!("{} removed, their {vertices} joined", counted(self.cells, cells))
        })
    }

    /// Returns sentences about the cells that were kept because of their materials, and about
    /// arrays that differ.
    pub(super) fn doubts(&self) -> impl Iterator<Item = String> {
        let kept = self.kept_at.map(|pair| {
            format!(
                "{}, but {} kept, because {} to other groups or materials: {EFFECT}; if they are \
                 the same part, store it once, or use `weld = LENGTH`",
                coincide(self.kept, pair),
                noun(self.kept, ["is", "are"]),
                noun(self.kept, ["it belongs", "they belong"]),
            )
        });
        let differs = self.differs.as_ref().map(|(name, [a, b])| {
            format!(
                "the array \"{name}\" differs between the cells {a} and {b}, which are duplicates: \
                 the value of cell {a} is used; store each cell once"
            )
        });
        kept.into_iter().chain(differs)
    }

    /// Returns the finding about triangles that face opposite ways, if there are any.
    pub(super) fn finding(&self) -> Option<Finding> {
        let pair = self.turned_at?;
        let faces = noun(self.turned, ["faces", "face"]);
        Some(Finding {
            is_gap: false,
            count: self.turned,
            what: format!(
                "{} and {faces} the other way, as the two sides of a sheet do: {EFFECT}",
                coincide(self.turned, pair)
            ),
            remedy: "store the sheet once; `weld = LENGTH` joins the two sides into one".into(),
        })
    }
}

/// The effect of cells that coincide with others.
const EFFECT: &str = "areas count twice, and fronts pass between them only at common vertices";

/// Returns the beginning of a sentence about cells that coincide with others.
fn coincide(n: usize, [a, b]: [u32; 2]) -> String {
    let cells = counted(n, ["cell coincides", "cells coincide"]);
    format!("{cells} with others that have separate vertices (the first are {a} and {b})")
}

/// Removes cells whose corners have the same places as those of an earlier cell, but are not the
/// same vertices, and joins these vertices. Returns the counts, the replacement of each
/// vertex, and the original cell of each cell. Both lists are empty if nothing was removed. `place`
/// is the list of [`places_of`].
///
/// With [`Weld::Auto`], cells of different groups or materials are kept, and so are triangles of a
/// surface in space that face opposite ways, which may be the two sides of a sheet. Duplicates that
/// share their vertices are left to [`clean`](crate::mesh::clean()).
pub(super) fn remove(
    mesh: &mut Mesh,
    weld: Weld,
    place: &[u32],
) -> (Duplicates, Vec<u32>, Vec<u32>) {
    let mut found = Duplicates::default();
    if place.is_empty() {
        return (found, Vec::new(), Vec::new());
    }
    let arity = mesh.kind.arity();
    let mut keys: Vec<([u32; 4], u32)> = (0..mesh.n_cells() as u32)
        .into_par_iter()
        .map(|cell| {
            let mut key = [0; 4];
            let corners = &mesh.cells[cell as usize * arity..][..arity];
            corners.iter().zip(&mut key).for_each(|(&v, p)| *p = place[v as usize]);
            key[..arity].sort_unstable();
            (key, cell)
        })
        .collect();
    keys.par_sort_unstable();
    let corners = |cell: u32| &mesh.cells[cell as usize * arity..][..arity];
    let is_separate = |a: u32, b: u32| corners(b).iter().any(|v| !corners(a).contains(v));
    let materials = if weld == Weld::Auto { materials(mesh) } else { Vec::new() };
    let material = |cell: u32| materials.get(cell as usize).copied().unwrap_or(0);
    let measure = |cell: u32| oriented_measure(&mesh.vertices, corners(cell));
    let may_be_side = weld == Weld::Auto && mesh.kind == Kind::Surface;
    let mut removed: Vec<[u32; 2]> = Vec::new();
    for run in keys.chunk_by(|a, b| a.0 == b.0).filter(|run| run.len() > 1) {
        let mut kept = vec![run[0].1];
        for &(_, cell) in &run[1..] {
            let is_same = |&first: &u32| {
                let is_turned = may_be_side && measure(first).dot(&measure(cell)) < 0.0;
                material(first) == material(cell) && !is_turned
            };
            let copy_of = kept.iter().copied().find(is_same);
            match copy_of {
                Some(first) if is_separate(first, cell) => removed.push([first, cell]),
                Some(_) => {}
                None => {
                    let of_same = kept.iter().copied().find(|&k| material(k) == material(cell));
                    let other = of_same.unwrap_or(kept[0]);
                    kept.push(cell);
                    if is_separate(other, cell) {
                        let (count, at) = match of_same {
                            Some(_) => (&mut found.turned, &mut found.turned_at),
                            None => (&mut found.kept, &mut found.kept_at),
                        };
                        *count += 1;
                        at.get_or_insert([other, cell]);
                    }
                }
            }
        }
    }
    if removed.is_empty() {
        return (found, Vec::new(), Vec::new());
    }
    found.cells = removed.len();
    found.differs = differing(mesh, &removed);
    let mut sets = UnionFind::new(mesh.n_vertices());
    let mut cells = CellList::new(mesh);
    for &[first, copy] in &removed {
        for &v in corners(copy) {
            let same = corners(first).iter().find(|&&w| place[w as usize] == place[v as usize]);
            same.iter().for_each(|&&w| {
                sets.join(v, w);
            });
        }
        cells.remove(copy);
    }
    let parents = cells.write_to(mesh, &Splits::default());
    let representative = sets.into_roots();
    found.vertices = (0..).zip(&representative).filter(|&(v, &root)| v != root).count();
    replace(mesh, &representative);
    (found, representative, parents)
}

/// Replaces the vertices of all cells and groups.
pub(super) fn replace(mesh: &mut Mesh, representative: &[u32]) {
    mesh.cells.iter_mut().for_each(|v| *v = representative[*v as usize]);
    for group in &mut mesh.groups {
        if let Members::Simplices { vertices, .. } = &mut group.members {
            vertices.iter_mut().for_each(|v| *v = representative[*v as usize]);
        }
    }
}

/// Returns, for each vertex, the first vertex at the same place. The list is empty if all cells are
/// connected, or if all places differ.
pub(super) fn places_of(mesh: &Mesh) -> Vec<u32> {
    let components = components_of(mesh, &mesh.cells);
    let first = components[mesh.cells[0] as usize];
    if mesh.iter_cells().all(|cell| components[cell[0] as usize] == first) {
        return Vec::new();
    }
    let (candidates, found) = coincident(mesh, &shortest_edges(mesh, mesh.iter_cells()));
    if candidates == found { Vec::new() } else { places(mesh, &candidates, &found) }
}

/// Returns, for each vertex of a mesh in which vertices were joined, the first vertex at the same
/// place.
pub(super) fn places_after(mesh: &Mesh, representative: &[u32]) -> Vec<u32> {
    let (candidates, found) = coincident(mesh, &shortest_edges(mesh, mesh.iter_cells()));
    let place = places(mesh, &candidates, &found);
    representative.iter().map(|&v| place[v as usize]).collect()
}

/// Returns the name of the first cell array that differs between a cell and its copy, with the two
/// cells. NaN equals NaN.
fn differing(mesh: &Mesh, pairs: &[[u32; 2]]) -> Option<(String, [u32; 2])> {
    mesh.cell_data.iter().find_map(|array| {
        let rows =
            |cell: u32| cell as usize * array.components..(cell as usize + 1) * array.components;
        let differ = |&&[a, b]: &&[u32; 2]| match &array.values {
            Values::Int(values) => values[rows(a)] != values[rows(b)],
            Values::Float(values) => {
                let same = |(x, y): (&f64, &f64)| x == y || x.is_nan() && y.is_nan();
                !values[rows(a)].iter().zip(&values[rows(b)]).all(same)
            }
        };
        pairs.iter().find(differ).map(|&pair| (array.name.clone(), pair))
    })
}
