//! Tests isosurfaces of volumes from the field (`ZEROSET_FIELD`).

use std::process::Command;

use zeroset::io::read_mesh;
use zeroset_testing::{Intersections, field};

#[test]
fn the_surface_of_a_cell_does_not_intersect_itself() {
    let Some(volume) = field("clouds/self_intersecting_cell/cell0.nii") else { return };
    let folder = tempfile::tempdir().unwrap();
    for name in ["o.ply", "o.stl", "o.vtp"] {
        let output = folder.path().join(name);
        let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
        command.arg("isosurface").arg(&volume).args(["--level", "0.5", "-o"]).arg(&output);
        let done = command.output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let mesh = read_mesh(&output).unwrap().mesh;
        assert_eq!(mesh.n_cells(), 5);
        let found = Intersections::of(&mesh);
        let pairs = (found.crossing.len(), found.touching.len());
        assert_eq!(pairs, (0, 0), "{name}: {found:?}");
    }
}
