//! Tests of meshes in several files, one of which is missing.

use zeroset_io as io;

#[test]
fn the_missing_file_of_a_mesh_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let points = "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";
    for (name, text) in [
        ("a.1.node", points),
        ("a.1.edge", "1 0\n1 1 2\n"),
        ("b.pts", "2\n0 0 0\n1 0 0\n"),
        ("c.ele", "1 4 0\n1 1 2 3 4\n"),
        ("d.node", points),
        ("d.ele", "1 4 0\n1 1 2 3 4\n"),
    ] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let missing = |name: &str| io::missing_cells(&folder.path().join(name)).map(|f| f.to_string());
    for name in ["a.1.node", "a.1.edge", "a.1.node.gz"] {
        let said = missing(name).unwrap();
        assert!(said.contains("are missing: no file a.1.ele beside it; put a.1.ele"), "{said}");
    }
    let said = missing("b.pts").unwrap();
    assert!(said.contains("no file b.elem beside it; if it belongs to a CARP mesh"), "{said}");
    assert_eq!((missing("d.node"), missing("d.ele"), missing("x.obj")), (None, None, None));
    let file = io::read_mesh(&folder.path().join("a.1.node")).unwrap();
    assert_eq!(file.warnings.last().unwrap(), "its cells are missing: no file a.1.ele beside it");
    let error = io::read_mesh(&folder.path().join("c.ele")).unwrap_err().to_string();
    assert!(error.contains("no c.node beside it; put c.node there"), "{error}");
}
