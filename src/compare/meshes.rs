//! Comparison of two meshes or point clouds with their arrays and groups.

use super::findings::Source;
use super::matching::{self, Matching, Unmatched, diagonal};
use super::values::Paired;
use super::{Tolerance, shapes};
use crate::error::Result;
use crate::mesh::{DataArray, Group, Members, Mesh, Values};
use crate::words::counted;

/// Compares two meshes.
///
/// # Errors
/// Returns the errors of [`shapes::compare`].
pub(super) fn compare(a: &Mesh, b: &Mesh, tolerance: Tolerance, source: &mut Source) -> Result<()> {
    let [own, other] = [a, b].map(|mesh| names(&mesh.vertex_data));
    source.missing("array", &own, &other);
    let [own, other] = [a, b].map(|mesh| names(&mesh.cell_data));
    source.missing("cell array", &own, &other);
    let vertices = matching::vertices(a, b, tolerance);
    if vertices == Matching::Other {
        return shapes::compare(a, b, source);
    }
    if vertices != Matching::Same {
        let what = "the vertices have other numbers: values are compared by position";
        source.note("numbers", what, tolerance.is_exact());
    }
    let numbers = vertices.numbers();
    positions(a, b, numbers, tolerance, source);
    let at_vertex = |v: usize| (format!("vertex {v}"), Some(a.vertices[v]));
    arrays(&a.vertex_data, &b.vertex_data, numbers, tolerance, source, &at_vertex);
    let (cells, lone) = matching::cells(a, b, numbers);
    let to_a = matching::inverse(cells.numbers(), b.n_cells());
    match &cells {
        Matching::Same => {}
        Matching::Renumbered(_) => {
            let what = "the cells have other numbers, or their vertices another order";
            source.note("order of cells", what, tolerance.is_exact());
        }
        Matching::Other => source.differs("cells", unmatched(a, b, &lone)),
    }
    if cells != Matching::Other {
        let centers = a.centroids();
        let at_cell = |c: usize| (format!("cell {c}"), Some(centers[c]));
        arrays(&a.cell_data, &b.cell_data, cells.numbers(), tolerance, source, &at_cell);
    }
    let vertices_to_a = matching::inverse(numbers, b.n_vertices());
    let maps = [vertices_to_a.as_deref(), to_a.as_deref()];
    groups(&a.groups, &b.groups, maps, cells != Matching::Other, source);
    Ok(())
}

/// Returns the names of arrays.
pub(super) fn names(arrays: &[DataArray]) -> Vec<&str> {
    arrays.iter().map(|array| array.name.as_str()).collect()
}

fn positions(a: &Mesh, b: &Mesh, rows: Option<&[u32]>, tolerance: Tolerance, source: &mut Source) {
    let flat = |mesh: &Mesh| Values::Float(mesh.vertices.as_flattened().to_vec());
    let scale = Some(diagonal(a).max(diagonal(b)));
    let paired = Paired { name: "position", a: &flat(a), b: &flat(b), components: 3, rows, scale };
    let at = |v: usize| (format!("vertex {v}"), Some(a.vertices[v]));
    source.arrays.push(paired.compare(tolerance, at));
}

/// Compares the arrays that exist in both. `rows` gives the row in B for each row of A.
pub(super) fn arrays(
    a: &[DataArray],
    b: &[DataArray],
    rows: Option<&[u32]>,
    tolerance: Tolerance,
    source: &mut Source,
    locate: &dyn Fn(usize) -> (String, Option<[f64; 3]>),
) {
    for own in a {
        let Some(other) = b.iter().find(|other| other.name == own.name) else { continue };
        let name = &own.name;
        if own.components != other.components || own.values.len() != other.values.len() {
            let shape = |array: &DataArray| {
                let components = counted(array.components, ["component", "components"]);
                format!("{} of {components}", counted(array.rows(), ["row", "rows"]))
            };
            let what = format!("array `{name}` has {} in A, but {} in B", shape(own), shape(other));
            source.differs(format!("shape of {name}"), what);
            continue;
        }
        let components = own.components.max(1);
        let (a, b) = (&own.values, &other.values);
        let paired = Paired { name, a, b, components, rows, scale: None };
        source.arrays.push(paired.compare(tolerance, locate));
    }
}

/// Describes the cells that only one mesh has.
fn unmatched(a: &Mesh, b: &Mesh, lone: &Unmatched) -> String {
    let first = |mesh: &Mesh, place: &str, c: Option<u32>| match c {
        None => String::new(),
        Some(c) => {
            let arity = mesh.kind.arity();
            let corners = &mesh.cells[c as usize * arity..][..arity];
            format!("; the first is cell {c} of {place} with the vertices {corners:?}")
        }
    };
    let (in_a, in_b) = (lone.only_a, lone.only_b);
    let named = match lone.first_a {
        Some(c) => first(a, "A", Some(c)),
        None => first(b, "B", lone.first_b),
    };
    let count = |n| counted(n, ["cell is", "cells are"]);
    format!("{} only in A and {in_b} only in B{named}", count(in_a))
}

/// Compares groups by name. `maps` give the numbers in A of the vertices and cells of B.
pub(super) fn groups(
    a: &[Group],
    b: &[Group],
    maps: [Option<&[u32]>; 2],
    with_cells: bool,
    source: &mut Source,
) {
    let [own, other] = [a, b].map(group_names);
    source.missing("group", &own, &other);
    for group in a {
        let Some(other) = b.iter().find(|other| other.name == group.name) else { continue };
        let is_of_cells = |group: &Group| matches!(group.members, Members::Cells(_));
        if !with_cells && (is_of_cells(group) || is_of_cells(other)) {
            continue;
        }
        if members(&group.members, [None, None]) != members(&other.members, maps) {
            let what = format!("group `{}` has other members", group.name);
            source.differs(format!("members of {}", group.name), what);
        }
    }
}

/// Returns the names of groups.
pub(super) fn group_names(groups: &[Group]) -> Vec<&str> {
    groups.iter().map(|group| group.name.as_str()).collect()
}

/// Returns the number of vertices per member (0 for cells), and the members in ascending order,
/// numbered as in A.
fn members(members: &Members, [vertices, cells]: [Option<&[u32]>; 2]) -> (usize, Vec<Vec<u32>>) {
    let number = |map: Option<&[u32]>, v: u32| map.map_or(v, |map| map[v as usize]);
    let (size, mut list): (usize, Vec<Vec<u32>>) = match members {
        Members::Cells(list) => (0, list.iter().map(|&c| vec![number(cells, c)]).collect()),
        Members::Simplices { dimension, vertices: list } => {
            let member = |corners: &[u32]| {
                let mut corners: Vec<u32> = corners.iter().map(|&v| number(vertices, v)).collect();
                corners.sort_unstable();
                corners
            };
            (dimension + 1, list.chunks_exact(dimension + 1).map(member).collect())
        }
    };
    list.sort_unstable();
    (size, list)
}
