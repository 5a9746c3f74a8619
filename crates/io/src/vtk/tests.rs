//! Tests of the crate `vtkio` against our own readers, on real files.

use std::path::Path;

use super::*;

/// The crate must be able to read these files, so that a failure of the crate does not go
/// unnoticed. Our own reader must return the same content.
#[test]
fn the_crate_and_our_reader_agree_on_legacy_files() {
    for name in [
        "CylinderLinear.vtk",
        "VTKCellTypes.vtk",
        "beam-hex.vtk",
        "beam-tet.vtk",
        "bunny_particles_7705.vtk",
        "escher-p2.vtk",
        "square-disc-p2.vtk",
        "tetraMesh.vtk",
        "torus_tetra_025.vtk",
    ] {
        let Some(path) = zeroset_testing::data(&format!("sim/vtk/{name}")) else { return };
        let bytes = std::fs::read(&path).unwrap();
        let source = Source { bytes: &bytes };
        let theirs = vtkio_adapter::legacy(&bytes).expect(name);
        let ours = legacy::read(&source, &legacy::header(&source).unwrap()).unwrap();
        assert_eq!(theirs, ours, "{name}");
    }
}

#[test]
fn the_crate_and_our_reader_agree_on_inline_base64() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/vtk");
    for name in [
        "volume_inline.vtu",
        "volume_inline_big.vtu",
        "surface_inline.vtp",
        "surface_inline_big.vtp",
    ] {
        let path = folder.join(name);
        let bytes = std::fs::read(&path).unwrap();
        let file = XmlFile::open(Source { bytes: &bytes }, Budget::of(0)).unwrap();
        assert!(file.is_inline_base64());
        let theirs = vtkio_adapter::xml(&bytes).expect(name);
        assert!(file.is_complete(&theirs));
        assert_eq!(theirs, file.read().unwrap(), "{name}");
    }
}

/// Checks that arrays that the crate silently drops are noticed as missing.
#[test]
fn what_the_crate_loses_is_noticed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/vtk");
    let path = folder.join("volume_inline.vtu");
    let text = std::fs::read_to_string(&path).unwrap();
    let damaged = text.replacen("CQAAAAABAAEAAQABAA==", "CQAAAAABAAEAAQA*AA==", 1);
    assert_ne!(text, damaged);
    let file = XmlFile::open(Source { bytes: damaged.as_bytes() }, Budget::of(0)).unwrap();
    let theirs = vtkio_adapter::xml(damaged.as_bytes()).unwrap();
    assert!(!file.is_complete(&theirs));
    let message = read(damaged.as_bytes()).unwrap_err().to_string();
    assert!(message.contains("DataArray 'mask' of PointData, line"), "{message}");
}
