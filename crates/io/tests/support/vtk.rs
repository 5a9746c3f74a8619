//! Shared parts of the VTK tests.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use zeroset_core::mesh::Members;
use zeroset_io::MeshFile;
use zeroset_io::vtk::read;

pub fn read_file(path: &Path) -> zeroset_core::Result<MeshFile> {
    read(&std::fs::read(path).unwrap()).map_err(|flaw| flaw.in_file(path))
}

pub fn read_text(text: &str) -> zeroset_core::Result<MeshFile> {
    read(text.as_bytes()).map_err(|flaw| flaw.in_file(Path::new("test.vtk")))
}

/// Returns the files of this repository that VTK wrote (see make.py in their folder).
pub fn fixtures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/vtk");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = files
        .filter(|f| f.extension().is_some_and(|e| e.to_string_lossy().starts_with("vt")))
        .collect();
    files.sort();
    assert_eq!(files.len(), 32);
    files
}

pub fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/vtk").join(name)).unwrap()
}

pub fn by_type(pairs: &[(&str, usize)]) -> BTreeMap<String, usize> {
    pairs.iter().map(|&(name, n)| (name.to_owned(), n)).collect()
}

/// Checks everything on which a solver relies without further checks.
pub fn assert_sound(file: &MeshFile, what: &str) {
    let mesh = &file.mesh;
    let n = mesh.n_vertices();
    assert_eq!(mesh.cells.len() % mesh.kind.arity(), 0, "{what}");
    assert!(mesh.cells.iter().all(|&v| (v as usize) < n), "{what}");
    assert!(mesh.vertices.iter().flatten().all(|x| x.is_finite()), "{what}");
    assert!(mesh.vertex_data.iter().all(|a| a.values.len() == n * a.components), "{what}");
    let rows = mesh.n_cells();
    assert!(mesh.cell_data.iter().all(|a| a.values.len() == rows * a.components), "{what}");
    for group in &mesh.groups {
        let Members::Simplices { dimension, vertices } = &group.members else { continue };
        assert!(vertices.len() % (dimension + 1) == 0, "{what}");
        assert!(vertices.iter().all(|&v| (v as usize) < n), "{what}");
    }
}
