//! Writer of OBJ: vertices, triangles with groups, and lines.
//!
//! Normals are written if the mesh has the vertex arrays `nx`, `ny` and `nz`. Colors are written if
//! it has the vertex arrays `red`, `green` and `blue` with whole numbers from 0 to 255. They follow
//! the coordinates as numbers from 0 to 1, as most programs read them.

use std::path::Path;

use zeroset_core::atomic;
use zeroset_core::error::Result;
use zeroset_core::mesh::{DataArray, Members, Mesh, Values};

/// The arrays that are written as normals.
const NORMALS: [&str; 3] = ["nx", "ny", "nz"];
/// The arrays that are written as colors.
const COLORS: [&str; 3] = ["red", "green", "blue"];
/// The name that the reader gives to the group of all lines.
const LINES: &str = "lines";

/// Writes a mesh as OBJ. Coordinates and normals have enough digits to be read back exactly. Adds
/// notes to `lost` about content that the format cannot hold.
///
/// # Errors
/// Returns [`zeroset_core::Error::Output`] if the file cannot be written.
pub(crate) fn write(path: &Path, mesh: &Mesh, lost: &mut Vec<String>) -> Result<()> {
    let normals = three(mesh, NORMALS).map(|arrays| arrays.map(|array| array.values.to_f64()));
    let colors = colors(mesh);
    let is_left = |array: &&DataArray| {
        let name = array.name.as_str();
        (normals.is_none() || !NORMALS.contains(&name))
            && (colors.is_none() || !COLORS.contains(&name))
    };
    let left = mesh.vertex_data.iter().filter(is_left).chain(&mesh.cell_data);
    let names: Vec<&str> = left.map(|array| array.name.as_str()).collect();
    if !names.is_empty() {
        lost.push(format!("not written, because .obj holds no data: {}", names.join(", ")));
    }
    let groups_of = groups_of_cells(mesh, lost);
    atomic::write(path, |out| {
        out.write_all(b"# written by zeroset\n")?;
        for (k, [x, y, z]) in mesh.vertices.iter().enumerate() {
            match &colors {
                None => writeln!(out, "v {x} {y} {z}")?,
                Some(colors) => {
                    // Four digits distinguish 256 values.
                    let [r, g, b] = colors.map(|color| color[k] as f64 / 255.0);
                    writeln!(out, "v {x} {y} {z} {r:.4} {g:.4} {b:.4}")?;
                }
            }
        }
        if let Some([x, y, z]) = &normals {
            for ((x, y), z) in x.iter().zip(y).zip(z) {
                writeln!(out, "vn {x} {y} {z}")?;
            }
        }
        let mut current: &[String] = &[];
        for (k, cell) in mesh.iter_cells().enumerate() {
            let groups = groups_of.get(k).map_or(&[][..], Vec::as_slice);
            if groups != current {
                current = groups;
                writeln!(out, "g {}", groups.join(" "))?;
            }
            out.write_all(b"f")?;
            for &v in cell {
                let v = u64::from(v) + 1;
                if normals.is_some() { write!(out, " {v}//{v}")? } else { write!(out, " {v}")? }
            }
            out.write_all(b"\n")?;
        }
        for edge in lines(mesh).flat_map(|vertices| vertices.chunks_exact(2)) {
            writeln!(out, "l {} {}", u64::from(edge[0]) + 1, u64::from(edge[1]) + 1)?;
        }
        Ok(())
    })
}

/// Returns the three vertex arrays with the given names, or `None` unless all of them exist and
/// have one component.
fn three<'a>(mesh: &'a Mesh, names: [&str; 3]) -> Option<[&'a DataArray; 3]> {
    let [a, b, c] = names.map(|name| mesh.vertex_array(name).filter(|a| a.components == 1));
    Some([a?, b?, c?])
}

/// Returns the arrays of red, green and blue if all their values are integers from 0 to 255, or
/// `None` otherwise.
fn colors(mesh: &Mesh) -> Option<[&[i64]; 3]> {
    let [r, g, b] = three(mesh, COLORS)?.map(|array| match &array.values {
        Values::Int(values) if values.iter().all(|c| (0..=255).contains(c)) => {
            Some(values.as_slice())
        }
        _ => None,
    });
    Some([r?, g?, b?])
}

/// Returns the vertices of each group of edges.
fn lines(mesh: &Mesh) -> impl Iterator<Item = &[u32]> {
    mesh.groups.iter().filter_map(|group| match &group.members {
        Members::Simplices { dimension: 1, vertices } => Some(vertices.as_slice()),
        _ => None,
    })
}

/// Returns the group names of each cell, with white space replaced by underscores. The list is
/// empty if there are no groups of cells. Adds notes to `lost` about names and groups that the file
/// does not keep.
fn groups_of_cells(mesh: &Mesh, lost: &mut Vec<String>) -> Vec<Vec<String>> {
    let mut of: Vec<Vec<String>> = Vec::new();
    for group in &mesh.groups {
        match &group.members {
            Members::Cells(members) => {
                of.resize(mesh.n_cells(), Vec::new());
                let name = group.name.split_whitespace().collect::<Vec<_>>().join("_");
                if name != group.name {
                    lost.push(format!("group \"{}\" is renamed to {name}", group.name));
                }
                for &cell in members {
                    if let Some(names) = of.get_mut(cell as usize) {
                        names.push(name.clone());
                    }
                }
            }
            Members::Simplices { dimension: 1, .. } if group.name == LINES => {}
            Members::Simplices { dimension: 1, .. } => {
                lost.push(format!("the lines of group {} lose its name", group.name));
            }
            Members::Simplices { .. } => {
                lost.push(format!(
                    "group {} is not written: .obj has only groups of faces and lines",
                    group.name
                ));
            }
        }
    }
    of
}
