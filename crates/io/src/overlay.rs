//! Data of a second file, added to a mesh.

use std::path::Path;

use crate::{Moment, VertexData, read_data_at};
use zeroset_core::error::{Error, Flaw, Result};
use zeroset_core::mesh::{DataArray, Group, Members, Mesh};
use zeroset_core::words::suggest;

/// The data that [`add_data`] added to a mesh.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Added {
    /// The names of the added arrays.
    pub arrays: Vec<String>,
    /// The names of the added groups.
    pub groups: Vec<String>,
    /// The time of the arrays, in the unit of the file, if it states one.
    pub time: Option<f64>,
    /// Warnings about the file, and about names that the mesh already has.
    pub warnings: Vec<String>,
}

/// Reads the arrays and groups of a file and adds them to a mesh. `name` renames the only array of
/// the file, or selects one of several. It also renames the group of a label or of a list of
/// vertices. From a series, the state at `time` is read, or the last state by default.
///
/// Rows of a file that does not state whether they belong to vertices or to cells (text columns,
/// NumPy arrays) become a cell array if there are as many rows as cells, but not as many as
/// vertices. An array of the file replaces an array of the mesh with the same name. A group of the
/// mesh takes precedence over a group of the file with the same name.
///
/// # Errors
/// Returns the errors of [`read_data_at`]. Returns [`Error::Input`] if the data belong to another
/// mesh, or if the file has no array with this name.
pub fn add_data(
    path: &Path,
    name: Option<&str>,
    time: Option<Moment>,
    mesh: &mut Mesh,
) -> Result<Added> {
    let data = read_data_at(path, time)?;
    let VertexData { mut arrays, partial, mut groups, state, warnings, may_be_of_cells } = data;
    let n = mesh.n_vertices();
    for array in partial {
        let array = array.spread(n).map_err(|vertex| {
            let (name, what) =
                (&array.rows.name, format!("names vertex {vertex}, but the mesh has {n} vertices"));
            let remedy = "use a label that belongs to this mesh";
            Error::input(path, format!("label \"{name}\""), what, remedy)
        })?;
        arrays.push(array);
    }
    if let Some(name) = name {
        // A file that holds a label or a list of vertices has one group.
        if let ([group], 0 | 1) = (groups.as_mut_slice(), arrays.len()) {
            group.name = name.to_string();
        }
        match arrays.as_mut_slice() {
            [] if groups.len() == 1 => {}
            [only] => only.name = name.to_string(),
            several => {
                let names: Vec<&str> = several.iter().map(|a| a.name.as_str()).collect();
                if !names.contains(&name) {
                    return Err(missing(name, &names).in_file(path));
                }
                arrays.retain(|a| a.name == *name);
            }
        }
    }
    let mut added = Added { time: state.time, warnings, ..Added::default() };
    for array in arrays {
        let is_of_vertices = array.rows() == n;
        if !(is_of_vertices || may_be_of_cells && array.rows() == mesh.n_cells()) {
            return Err(of_other_mesh(&array, mesh, may_be_of_cells).in_file(path));
        }
        let has_name = |other: &DataArray| other.name == array.name;
        // A name stands for the vertex array if there is also a cell array of that name.
        if mesh.vertex_data.iter().any(has_name)
            || !is_of_vertices && mesh.cell_data.iter().any(has_name)
        {
            let warning = format!("\"{}\" replaces another array of that name", array.name);
            added.warnings.push(warning);
        }
        mesh.vertex_data.retain(|other| !has_name(other));
        added.arrays.push(array.name.clone());
        if is_of_vertices {
            mesh.vertex_data.push(array);
        } else {
            mesh.cell_data.retain(|other| other.name != array.name);
            mesh.cell_data.push(array);
        }
    }
    add_groups(path, groups, mesh, &mut added)?;
    Ok(added)
}

/// Returns the flaw of an array whose number of rows does not match the mesh.
fn of_other_mesh(array: &DataArray, mesh: &Mesh, may_be_of_cells: bool) -> Flaw {
    let (n, cells) = (mesh.n_vertices(), mesh.n_cells());
    let mut what = format!("{} values for a mesh of {n} vertices", array.rows());
    if may_be_of_cells {
        what += &format!(" and {cells} cells");
    }
    let is_transposed = array.components == n || may_be_of_cells && array.components == cells;
    let remedy = match is_transposed {
        true => "transpose the array, so that it has one row per vertex or cell",
        false => "use data that belongs to this mesh",
    };
    Flaw::at(format!("array \"{}\"", array.name), what, remedy)
}

fn add_groups(path: &Path, groups: Vec<Group>, mesh: &mut Mesh, added: &mut Added) -> Result<()> {
    let n = mesh.n_vertices();
    for group in groups {
        if let Members::Simplices { vertices, .. } = &group.members
            && let Some(vertex) = vertices.iter().find(|&&v| v as usize >= n)
        {
            let what = format!("names vertex {vertex}, but the mesh has {n} vertices");
            let remedy = "use a file that belongs to this mesh";
            return Err(Error::input(path, format!("group \"{}\"", group.name), what, remedy));
        }
        if mesh.group(&group.name).is_some() {
            added.warnings.push(format!(
                "\"{}\" is left out, because the mesh has a group of that name",
                group.name
            ));
        } else {
            added.groups.push(group.name.clone());
            mesh.groups.push(group);
        }
    }
    Ok(())
}

/// Returns the error for an array that does not exist. It lists the arrays that do exist.
fn missing(name: &str, names: &[&str]) -> Error {
    let remedy = match names {
        [] => "the mesh has no arrays".to_string(),
        names => suggest(name, names).replace("allowed:", "there are:"),
    };
    Error::usage(format!("there is no array \"{name}\""), remedy)
}
