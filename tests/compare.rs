//! Tests `zeroset compare` with files and runs that are equal, and with every kind of difference.

#[path = "support/place.rs"]
mod place;
use place::Place;
use serde_json::Value;

/// A case with a circle that shrinks on a small square.
const CIRCLE: &str = "\
version = 1
domain.mesh.generate.square = { cells = [16, 16], min = [-1, -1], max = [1, 1] }
initial.ball = { center = [0, 0, 0], radius = 0.6 }
evolve = { end_time = 0.02, curvature = 1.0 }
output.interval = 0.01
";

/// Four vertices with values, and two triangles.
const PLY: &str = "ply\nformat ascii 1.0\nelement vertex 4\nproperty double x\n\
                   property double y\nproperty double z\nproperty double u\n\
                   element face 2\nproperty list uchar int vertex_indices\nend_header\n";

/// Writes a mesh with the given rows of vertices and triangles.
fn mesh(place: &Place, name: &str, vertices: [&str; 4], faces: [&str; 2]) {
    let rows = vertices.join("\n");
    place.put(name, &format!("{PLY}{rows}\n3 {}\n", faces.join("\n3 ")));
}

const VERTICES: [&str; 4] = ["0 0 0 1", "1 0 0 2", "1 1 0 nan", "0 1 1 4"];
const FACES: [&str; 2] = ["0 1 2", "0 2 3"];

impl Place {
    /// Compares two results that are equal. Returns the text.
    #[track_caller]
    fn equal(&self, line: &str) -> String {
        let (code, text) = self.outcome(&format!("compare {line}"));
        assert_eq!(code, 0, "{line}: {text}");
        text
    }

    /// Compares two results that differ, and checks that the text contains all `parts`.
    #[track_caller]
    fn different(&self, line: &str, parts: &[&str]) {
        let (code, text) = self.outcome(&format!("compare {line}"));
        assert_eq!(code, 1, "{line}: {text}");
        for part in parts {
            assert!(text.contains(part), "{line}: `{part}` is not in: {text}");
        }
        assert!(text.lines().last().unwrap().starts_with("different: "), "{text}");
    }

    #[track_caller]
    fn refused(&self, line: &str, expected: i32, part: &str) {
        let (code, text) = self.outcome(&format!("compare {line}"));
        assert!(code == expected && text.contains(part), "{line}: {code}: {text}");
    }

    fn json(&self, line: &str) -> Value {
        let (_, text) = self.outcome(&format!("compare {line} --json"));
        serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"))
    }
}

#[test]
fn a_changed_value_is_found_with_its_vertex_position_and_both_values() {
    let place = Place::new();
    mesh(&place, "a.ply", VERTICES, FACES);
    mesh(&place, "b.ply", ["0 0 0 1", "1 0 0 2.5", "1 1 0 nan", "0 1 1 4.25"], FACES);
    let text = place.equal("a.ply a.ply");
    assert!(text.ends_with("identical: 2 arrays, 16 values\n"), "{text}");
    place.different(
        "a.ply b.ply",
        &["u ", "vertex 1, at (1, 0, 0): 2.0 in A, 2.5 in B", "identical: position"],
    );
    place.equal("a.ply b.ply --tolerance 0.5");
    place.different("a.ply b.ply --tolerance 0.3", &["different: 1 array"]);
    // The range of u is 3.25.
    place.equal("a.ply b.ply --relative 0.16");
    place.different("a.ply b.ply --relative 0.15", &["vertex 1"]);
    let found = place.json("a.ply b.ply");
    assert_eq!(found["equal"], false);
    let array = &found["sources"][0]["arrays"][1];
    assert_eq!((&array["name"], &array["beyond"]), (&"u".into(), &2.into()));
    assert_eq!(array["mean"], 0.1875);
    assert_eq!(array["largest_at"]["position"][0], 1.0);
    assert_eq!(array["first_at"]["row"], "vertex 1");
}

#[test]
fn nan_is_equal_to_nan_only() {
    let place = Place::new();
    mesh(&place, "a.ply", VERTICES, FACES);
    mesh(&place, "b.ply", ["0 0 0 1", "1 0 0 2", "1 1 0 3", "0 1 1 4"], FACES);
    place.different("a.ply b.ply --tolerance 1e9", &["vertex 2", "NaN in A, 3.0 in B"]);
    let found = place.json("a.ply b.ply");
    assert_eq!(found["sources"][0]["arrays"][1]["not_finite"], 1);
}

#[test]
fn other_numbers_cells_and_arrays_are_named() {
    let place = Place::new();
    mesh(&place, "a.ply", VERTICES, FACES);
    mesh(&place, "turned.ply", ["0 1 1 4", "0 0 0 1", "1 0 0 2", "1 1 0 nan"], ["1 2 3", "1 3 0"]);
    place.different(
        "a.ply turned.ply",
        &["the vertices have other numbers", "identical: position, u"],
    );
    place.equal("a.ply turned.ply --tolerance 1e-12");
    mesh(&place, "other.ply", VERTICES, ["0 1 3", "1 2 3"]);
    place.different(
        "a.ply other.ply --tolerance 1",
        &["2 cells are only in A and 2 only in B; the first is cell 0 of A with the vertices [0, 1, 2]"],
    );
    mesh(&place, "swapped.ply", VERTICES, ["2 3 0", "0 1 2"]);
    place.different("a.ply swapped.ply", &["the cells have other numbers"]);
    place.equal("a.ply swapped.ply --relative 1e-12");
    let bare = std::fs::read_to_string(place.path("a.ply")).unwrap();
    place.put("bare.ply", &bare.replace("double u", "double w"));
    place.different("a.ply bare.ply --tolerance 9", &["`u` is only in A", "`w` is only in B"]);
}

#[test]
fn tables_pair_rows_by_time() {
    let place = Place::new();
    place.put("a.csv", "time,area\n0,1\n0.5,2\n1,3\n");
    place.put("b.csv", "time,area,more\n0,1,0\n0.25,9,0\n0.5,2.5,0\n");
    place.different(
        "a.csv b.csv",
        &[
            "column `more` is only in B",
            "1 row is only in A: the time 1",
            "1 row is only in B: the time 0.25",
            "row 1: 2.0 in A, 2.5 in B",
        ],
    );
    place.put("c.csv", "area,n\n1,4\n2,5\n");
    place.put("d.csv", "area,n\n1,4\n2,5\n3,6\n");
    place.different("c.csv d.csv --tolerance 9", &["B has 1 row more than A, from row 2 on"]);
}

#[test]
fn surfaces_with_other_vertices_have_distances() {
    let place = Place::new();
    for n in [3, 4] {
        place.good(&format!("generate sphere --subdivisions {n} -o s{n}.vtp"));
    }
    place.different("s3.vtp s4.vtp", &["surfaces with other vertices (642 in A, 2562 in B)"]);
    place.equal("s3.vtp s4.vtp --tolerance 0.01");
    let shape = &place.json("s3.vtp s4.vtp")["sources"][0]["shape"];
    // The vertices of the coarse sphere are vertices of the fine one.
    assert_eq!(shape["a_to_b"]["largest"], 0.0);
    let largest = shape["b_to_a"]["largest"].as_f64().unwrap();
    assert!((1e-3..1e-2).contains(&largest), "{largest}");
    assert_eq!(shape["components"], serde_json::json!([1, 1]));
}

#[test]
fn runs_are_compared_state_by_state() {
    let place = Place::new();
    place.put("case.toml", CIRCLE);
    place.good("run case.toml -o one --threads 1");
    place.good("run case.toml -o two --threads 2");
    let text = place.equal("one two");
    assert!(text.contains("states: 3 pairs of states") && text.contains("identical: "), "{text}");
    // A smaller CFL factor moves the circle a little differently.
    place.good("run case.toml -o half --set evolve.cfl=0.5 --set output.interval=0.005");
    place.different(
        "one half",
        &[
            "last.enclosed",
            "time 0.02: ",
            "curves with other vertices",
            "2 states are only in B: the times 0.005, 0.015",
            "2 rows are only in B: the times 0.005, 0.015",
        ],
    );
    place.different("one/case.pvd half/case.pvd --relative 0.1", &["1 other difference"]);
    place.good("run case.toml -o hdf --set output.format=vtkhdf");
    place.equal("one hdf");
    place.equal("one/case.pvd hdf/case.vtkhdf");
    let text = place.outcome("compare one/interface.pvd half/interface.pvd --tolerance 0.01").1;
    assert!(text.contains("different: 1 other difference"), "{text}");
}

#[test]
fn volumes_are_compared_voxel_by_voxel() {
    let place = Place::new();
    let head = "NDims = 3\nDimSize = 2 2 2\nElementType = MET_UCHAR\nElementDataFile = LOCAL\n";
    place.put("a.mha", &format!("{head}abcdefgh"));
    place.put("b.mha", &format!("{head}abcdeqgh"));
    place.put("moved.mha", &format!("Offset = 0 0 0.5\n{head}abcdefgh"));
    place.different("a.mha b.mha", &["voxel (1, 0, 1), at (1, 0, 1): 102.0 in A, 113.0 in B"]);
    place.equal("a.mha b.mha --tolerance 11");
    place.different("a.mha moved.mha", &["position", "corner 0, component 2", "identical: value"]);
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let place = Place::new();
    mesh(&place, "a.ply", VERTICES, FACES);
    place.put(
        "v.mha",
        "NDims = 3\nDimSize = 2 2 2\nElementType = MET_UCHAR\nElementDataFile = LOCAL\nabcdefgh",
    );
    place.put("curve.obj", "v 0 0 0\nv 1 0 0\nl 1 2\n");
    place.put("broken.ply", "ply\nformat ascii 1.0\nelement vertex");
    std::fs::create_dir(place.path("empty")).unwrap();
    place.refused("a.ply v.mha", 2, "A holds a mesh and B a volume");
    place.refused("a.ply curve.obj", 2, "A consists of surfaces and B of curves");
    place.refused("a.ply empty", 2, "is a folder");
    place.refused("empty empty", 3, "holds no report.json");
    place.refused("a.ply none.ply", 3, "none.ply");
    place.refused("a.ply broken.ply", 3, "broken.ply");
    for option in ["--tolerance -1", "--tolerance nan", "--relative x"] {
        place.refused(&format!("a.ply a.ply {option}"), 2, "");
    }
}
