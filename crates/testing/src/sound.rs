//! Checks that every mesh must pass, regardless of the file that it comes from.

use zeroset_core::mesh::{Members, Mesh};

/// Asserts that coordinates are finite, indices are in range and arrays have the required lengths.
pub fn assert_sound(mesh: &Mesh, what: &str) {
    let n = mesh.n_vertices();
    assert!(mesh.vertices.iter().flatten().all(|x| x.is_finite()), "{what}: not finite");
    assert!(mesh.cells.iter().all(|&v| (v as usize) < n), "{what}: index");
    assert_eq!(mesh.cells.len() % mesh.kind.arity(), 0, "{what}: arity");
    for array in &mesh.vertex_data {
        assert_eq!(array.values.len(), n * array.components, "{what}: {}", array.name);
    }
    for array in &mesh.cell_data {
        assert_eq!(array.values.len(), mesh.n_cells() * array.components, "{what}: {}", array.name);
    }
    for group in &mesh.groups {
        match &group.members {
            Members::Cells(cells) => {
                assert!(cells.iter().all(|&c| (c as usize) < mesh.n_cells()), "{what}: group");
            }
            Members::Simplices { dimension, vertices } => {
                assert_eq!(vertices.len() % (dimension + 1), 0, "{what}: group");
                assert!(vertices.iter().all(|&v| (v as usize) < n), "{what}: group");
            }
        }
    }
}
