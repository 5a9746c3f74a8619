//! Rejection of meshes that cannot be fixed, with the position of the defect and a remedy.

use crate::error::{Element, Error, Position, Result};
use crate::mesh::{Members, Mesh};
use crate::parallel::*;

/// The maximum number of vertices, and of vertex indices in the cells. Indices have 32 bits, and
/// the largest index marks absent items.
const LIMIT: usize = u32::MAX as usize - 1;

/// Rejects a mesh that cleaning cannot fix.
///
/// # Errors
/// Returns [`Error::Mesh`] for the first defect. The sizes are checked first, then the lengths of
/// arrays, the indices and the coordinates.
pub(in crate::mesh) fn unfit(mesh: &Mesh) -> Result<()> {
    check_sizes(mesh.n_vertices(), mesh.cells.len())?;
    check_arrays(mesh)?;
    check_indices(mesh)?;
    check_coordinates(mesh)
}

fn check_sizes(n_vertices: usize, n_indices: usize) -> Result<()> {
    if n_vertices > LIMIT || n_indices > LIMIT {
        return Err(Error::mesh(
            "",
            format!(
                "{n_vertices} vertices and {n_indices} cell indices, but the limit is {LIMIT} of each"
            ),
            "use a coarser mesh or a part of this one",
        ));
    }
    if n_indices == 0 {
        return Err(Error::mesh(
            "",
            format!("has no triangles or tetrahedra, only {n_vertices} points"),
            "use a mesh with cells",
        ));
    }
    Ok(())
}

fn check_arrays(mesh: &Mesh) -> Result<()> {
    let rows = [
        (&mesh.vertex_data, mesh.n_vertices(), "vertices"),
        (&mesh.cell_data, mesh.n_cells(), "cells"),
    ];
    for (arrays, n, of_what) in rows {
        for array in arrays.iter() {
            if array.values.len() != n.saturating_mul(array.components) {
                return Err(Error::mesh(
                    format!("array \"{}\"", array.name),
                    format!(
                        "{} numbers for {n} {of_what} with {} each",
                        array.values.len(),
                        array.components
                    ),
                    "check that the array belongs to this mesh",
                ));
            }
        }
    }
    Ok(())
}

fn check_indices(mesh: &Mesh) -> Result<()> {
    let (n, arity) = (mesh.n_vertices(), mesh.kind.arity());
    let beyond = |v: &u32| *v as usize >= n;
    let refuse = |position: Position, v: u32| {
        let what =
            format!("refers to vertex {v}, but the last of the {n} vertices is {}", n as i64 - 1);
        Err(Error::mesh(position, what, "check for indices that start at 1 instead of 0"))
    };
    if !mesh.cells.len().is_multiple_of(arity) {
        let what =
            format!("{} vertex indices, which is not a multiple of {arity}", mesh.cells.len());
        return Err(Error::mesh(
            Position::element(Element::Cell, mesh.n_cells()),
            what,
            "check whether the last cell is incomplete",
        ));
    }
    if let Some(at) = mesh.cells.par_iter().position_first(beyond) {
        return refuse(Position::element(Element::Cell, at / arity), mesh.cells[at]);
    }
    for group in &mesh.groups {
        let name = format!("group \"{}\"", group.name);
        match &group.members {
            Members::Cells(cells) => {
                if let Some(cell) = cells.iter().find(|&&c| c as usize >= mesh.n_cells()) {
                    let what =
                        format!("refers to cell {cell}, but there are {} cells", mesh.n_cells());
                    return Err(Error::mesh(name, what, "check how the mesh was written"));
                }
            }
            Members::Simplices { vertices, .. } => {
                if let Some(&v) = vertices.iter().find(|v| beyond(v)) {
                    return refuse(name.into(), v);
                }
            }
        }
    }
    Ok(())
}

fn check_coordinates(mesh: &Mesh) -> Result<()> {
    let at = |v: u32| mesh.vertices[v as usize];
    let first = mesh.cells.par_iter().position_first(|&v| !at(v).iter().all(|c| c.is_finite()));
    let Some(position) = first else { return Ok(()) };
    let (v, cell) = (mesh.cells[position], position / mesh.kind.arity());
    let [x, y, z] = at(v);
    Err(Error::mesh(
        Position::Element(Element::Vertex, v.into()),
        format!("the coordinates ({x}, {y}, {z}) are not finite, and cell {cell} uses the vertex"),
        "remove the vertex or correct its coordinates",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_beyond_32_bits_are_refused() {
        assert!(check_sizes(LIMIT, LIMIT).is_ok());
        for (vertices, indices) in [(LIMIT + 1, 3), (3, LIMIT + 1)] {
            let message = check_sizes(vertices, indices).unwrap_err().to_string();
            assert!(message.contains("4294967294"), "{message}");
        }
    }
}
