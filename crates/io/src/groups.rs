//! Groups in formats that cannot store groups (VTK, PLY): cell or vertex arrays of 0s and 1s named
//! `group:NAME`.

use zeroset_core::mesh::{DataArray, Group, Members, Mesh, Values};

/// Prefix of the names of these arrays.
const PREFIX: &str = "group:";

/// A group as an array of 0s and 1s.
pub(super) struct Mask {
    /// Name of the array: `group:` and the name of the group.
    pub(super) name: String,
    /// Whether the values belong to cells. Otherwise, there is one value per vertex, because only
    /// the vertices of lower-dimensional groups are kept.
    pub(super) of_cells: bool,
    pub(super) values: Vec<u8>,
}

/// The largest number of groups that become masks. Each mask takes a byte per cell or vertex.
const MOST: usize = 1_000;

/// Returns the masks of the groups of a mesh, at most [`MOST`]. Adds notes to `lost` about content
/// that masks cannot hold.
pub(super) fn to_masks(mesh: &Mesh, lost: &mut Vec<String>) -> Vec<Mask> {
    if mesh.groups.len() > MOST {
        let (n, more) = (mesh.groups.len(), mesh.groups.len() - MOST);
        lost.push(format!("{more} of {n} groups are left out; only the first {MOST} are kept"));
    }
    let kept = mesh.groups.iter().take(MOST);
    let reduced: Vec<&str> = kept
        .clone()
        .filter(|g| matches!(g.members, Members::Simplices { dimension: 1.., .. }))
        .map(|group| group.name.as_str())
        .collect();
    if !reduced.is_empty() {
        let names = reduced.join(", ");
        lost.push(format!("only the vertices of these groups are kept: {names}"));
    }
    let mask = |group: &Group| {
        let (of_cells, members, rows) = match &group.members {
            Members::Cells(cells) => (true, cells, mesh.n_cells()),
            Members::Simplices { vertices, .. } => (false, vertices, mesh.n_vertices()),
        };
        let mut values = vec![0; rows];
        for &member in members {
            if let Some(row) = values.get_mut(member as usize) {
                *row = 1;
            }
        }
        Mask { name: format!("{PREFIX}{}", group.name), of_cells, values }
    };
    kept.map(mask).collect()
}

/// Turns the mask arrays of a mesh back into groups. Vertex arrays become groups of vertices. A
/// mask with the name of an existing group is dropped.
pub(super) fn from_masks(mesh: &mut Mesh) {
    let cells = take(&mut mesh.cell_data)
        .into_iter()
        .map(|(name, members)| Group { name, members: Members::Cells(members) });
    let vertices = take(&mut mesh.vertex_data).into_iter().map(|(name, vertices)| Group {
        name,
        members: Members::Simplices { dimension: 0, vertices },
    });
    for group in cells.chain(vertices) {
        if mesh.group(&group.name).is_none() {
            mesh.groups.push(group);
        }
    }
}

/// Removes the mask arrays and returns the name and the members of each.
fn take(arrays: &mut Vec<DataArray>) -> Vec<(String, Vec<u32>)> {
    let mut found = Vec::new();
    arrays.retain(|array| match (array.name.strip_prefix(PREFIX), &array.values) {
        (Some(name), Values::Int(rows))
            if array.components == 1 && rows.iter().all(|&x| x == 0 || x == 1) =>
        {
            let members = rows.iter().enumerate().filter(|&(_, &x)| x == 1);
            found.push((name.to_string(), members.map(|(k, _)| k as u32).collect()));
            false
        }
        _ => true,
    });
    found
}
