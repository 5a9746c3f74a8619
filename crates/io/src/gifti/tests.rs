//! Tests with small handmade documents for cases that the shared test data do not cover.

use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::*;

fn read(path: &Path, bytes: &[u8]) -> Result<MeshFile, Flaw> {
    super::read(path, bytes, Budget::of(bytes.len() as u64))
}

fn read_data(path: &Path, bytes: &[u8]) -> Result<VertexData, Flaw> {
    super::read_data(path, bytes, Budget::of(bytes.len() as u64))
}

fn document(arrays: &str) -> String {
    format!("<?xml version=\"1.0\"?>\n<GIFTI Version=\"1.0\">\n{arrays}</GIFTI>\n")
}

fn array(intent: &str, kind: &str, dims: [usize; 2], rest: &str, data: &str) -> String {
    let [rows, columns] = dims;
    format!(
        "<DataArray Intent=\"NIFTI_INTENT_{intent}\" DataType=\"NIFTI_TYPE_{kind}\" \
         Dimensionality=\"2\" Dim0=\"{rows}\" Dim1=\"{columns}\" {rest}>\
         <MetaData/><Data>{data}</Data></DataArray>\n"
    )
}

const TEXT: &str = "Encoding=\"ASCII\"";

fn points() -> String {
    array("POINTSET", "FLOAT32", [3, 3], TEXT, "0 0 1\n1 0 0\n0 1 0")
}

fn read_text(arrays: &str) -> Result<MeshFile, Flaw> {
    read(Path::new("x.gii"), document(arrays).as_bytes())
}

fn zlib(bytes: &[u8]) -> String {
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    packed.write_all(bytes).unwrap();
    STANDARD.encode(packed.finish().unwrap())
}

#[test]
fn triangles_of_all_types_orders_and_encodings() {
    let rows: [u32; 6] = [0, 1, 2, 2, 1, 0];
    let columns: [u32; 6] = [0, 2, 1, 1, 2, 0];
    for (order, values) in [("RowMajorOrder", rows), ("ColumnMajorOrder", columns)] {
        for (endian, bytes) in [
            ("LittleEndian", values.map(u32::to_le_bytes).concat()),
            ("BigEndian", values.map(u32::to_be_bytes).concat()),
            // Older software uses this spelling.
            ("GIFTI_ENDIAN_LITTLE", values.map(u32::to_le_bytes).concat()),
            ("GIFTI_ENDIAN_BIG", values.map(u32::to_be_bytes).concat()),
        ] {
            for kind in ["INT32", "UINT32"] {
                for (encoding, data) in
                    [("Base64Binary", STANDARD.encode(&bytes)), ("GZipBase64Binary", zlib(&bytes))]
                {
                    let (head, tail) = data.split_at(5);
                    let data = format!("\n  {head}\n{tail}\n");
                    let rest = format!(
                        "Encoding=\"{encoding}\" Endian=\"{endian}\" ArrayIndexingOrder=\"{order}\""
                    );
                    let triangles = array("TRIANGLE", kind, [2, 3], &rest, &data);
                    let file = read_text(&format!("{triangles}{}", points())).unwrap();
                    assert_eq!(file.mesh.cells, rows, "{rest} {kind}");
                }
            }
        }
    }
}

#[test]
fn arrays_on_a_surface_and_their_names() {
    let named = array("SHAPE", "FLOAT32", [3, 1], TEXT, "1 2 3").replace(
        "<MetaData/>",
        "<MetaData><MD><Name>Name</Name><Value><![CDATA[/a/lh.curv]]></Value></MD></MetaData>",
    );
    let labels = array("LABEL", "INT32", [3, 1], TEXT, "1 -2 3");
    let short = array("NONE", "FLOAT32", [2, 2], TEXT, "1 2 3 4");
    let text = format!("{}{named}{named}{labels}{short}", points());
    let file = read_text(&text).unwrap();
    let names: Vec<_> = file.mesh.vertex_data.iter().map(|a| a.name.as_str()).collect();
    assert_eq!(names, ["curv", "curv_2", "x"]);
    assert_eq!(file.mesh.vertex_data[2].values, Values::Int(vec![1, -2, 3]));
    assert_eq!(file.warnings, ["array x_2 is ignored: it has 2 rows for 3 vertices"]);
    let arrays = read_data(Path::new("x.gii"), document(&text).as_bytes()).unwrap().arrays;
    assert_eq!((arrays.len(), arrays[3].components), (4, 2));
}

#[test]
fn faults_are_named() {
    let gzip = "Encoding=\"GZipBase64Binary\"";
    let base64 = "Encoding=\"Base64Binary\"";
    let huge = usize::MAX / 16;
    for (arrays, found) in [
        (
            array("POINTSET", "FLOAT32", [2, 3], TEXT, "0 0 1 1 0.000"),
            "number 5 of 6 expected, found the end",
        ),
        (
            array("POINTSET", "FLOAT32", [1, 3], TEXT, "0 0 1 1"),
            "expected 3 numbers, then found \"1\"",
        ),
        (
            array("POINTSET", "FLOAT32", [1, 3], TEXT, "0 0 x"),
            "number 2 of 3 expected, found \"x\"",
        ),
        (array("POINTSET", "FLOAT32", [1, 3], TEXT, "0 0 nan"), "vertex 0: coordinate z is NaN"),
        (array("POINTSET", "FLOAT32", [1, 2], TEXT, "0 0"), "coordinates have 2 components"),
        (array("POINTSET", "FLOAT32", [huge, 3], TEXT, "0"), "numbers declared in 1 bytes of text"),
        (array("POINTSET", "FLOAT32", [usize::MAX, 3], gzip, "AAAA"), "rows of 3 numbers"),
        (array("POINTSET", "FLOAT32", [huge, 3], gzip, "AAAA"), "declared in 3 compressed bytes"),
        (array("POINTSET", "FLOAT32", [3, 3], gzip, &zlib(&[0; 35])), "found 35 bytes"),
        (array("POINTSET", "FLOAT32", [3, 3], gzip, &zlib(&[0; 99])), "found 37 bytes"),
        (array("POINTSET", "FLOAT32", [3, 3], gzip, "AAAA"), "damaged zlib data"),
        (array("POINTSET", "FLOAT32", [3, 3], base64, "A?AA"), "damaged base64 data"),
        (array("POINTSET", "FLOAT32", [3, 3], "", ""), "Encoding \"\" is unknown"),
        (array("POINTSET", "COMPLEX64", [3, 3], TEXT, ""), "DataType \"NIFTI_TYPE_COMPLEX64\""),
        (
            array("POINTSET", "FLOAT32", [3, 3], "Encoding=\"ExternalFileBinary\"", ""),
            "data are in \"\", which is not a file in the same folder or below it",
        ),
        (points().replace("Dim0=\"3\"", "Dim0=\"-3\""), "Dim0: a number expected, found \"-3\""),
        (points().replace("<Data>", "").replace("</Data>", ""), "has no element Data"),
        (
            points() + &array("TRIANGLE", "INT32", [1, 3], TEXT, "0 1 3"),
            "face 0: refers to vertex 3 of 3",
        ),
        (
            points() + &array("TRIANGLE", "INT32", [1, 3], TEXT, "0 1 -1"),
            "face 0: refers to vertex -1",
        ),
        (points() + &array("TRIANGLE", "FLOAT32", [1, 3], TEXT, "0 1 2"), "not whole numbers"),
        (array("SHAPE", "FLOAT32", [1, 1], TEXT, "0"), "holds numbers per vertex, not a surface"),
        (String::new(), "holds no coordinates"),
        (points() + "</DataArray>", "damaged XML"),
    ] {
        let error = read_text(&arrays).unwrap_err().to_string();
        assert!(error.contains(found), "{arrays}: {error}");
        assert!(!error.contains('\n'), "{error}");
    }
    let text = document(&points());
    for length in 0..text.len() - 2 {
        let cut = read(Path::new("x.gii"), &text.as_bytes()[..length]);
        assert!(cut.is_err(), "cut at {length}");
    }
    let sparse = array("NODE_INDEX", "INT32", [1, 1], TEXT, "0");
    let error = read_data(Path::new("x.gii"), document(&sparse).as_bytes()).unwrap_err();
    assert!(error.to_string().contains("for only some vertices"), "{error}");
}

#[test]
fn labels_are_groups_of_vertices() {
    let table = "<LabelTable><Label Key=\"0\" Red=\"1\">???</Label>\
                 <Label Key=\"-3\"><![CDATA[V1 & V2]]></Label><Label Index=\"9\">none</Label>\
                 <Label Key=\"x\">odd</Label></LabelTable>";
    let labels = array("LABEL", "INT32", [3, 1], TEXT, "-3 0 -3");
    let expected = |groups: &[Group]| {
        let found: Vec<_> = groups.iter().map(|g| (g.name.as_str(), g.members.clone())).collect();
        let points = |vertices| Members::Simplices { dimension: 0, vertices };
        assert_eq!(found, [("???", points(vec![1])), ("V1 & V2", points(vec![0, 2]))]);
    };
    expected(&read_text(&format!("{table}{}{labels}", points())).unwrap().mesh.groups);
    let text = document(&format!("{table}{labels}"));
    let data = read_data(Path::new("x.label.gii"), text.as_bytes()).unwrap();
    expected(&data.groups);
    assert_eq!(data.arrays[0].values, Values::Int(vec![-3, 0, -3]));
}

#[test]
fn coordinate_systems_are_named_and_not_applied() {
    let system = |matrix: &str| {
        let system = format!(
            "<CoordinateSystemTransformMatrix><DataSpace><![CDATA[NIFTI_XFORM_UNKNOWN]]></DataSpace>\
             <TransformedSpace>NIFTI_XFORM_TALAIRACH</TransformedSpace><MatrixData>{matrix}\
             </MatrixData></CoordinateSystemTransformMatrix><Data>"
        );
        read_text(&points().replace("<Data>", &system)).unwrap()
    };
    let same = system("1 0 0 0 0 1 0 0 0 0 1.000 0 0 0 0 1\n");
    assert_eq!((same.space.as_deref(), same.warnings.len()), (Some("NIFTI_XFORM_TALAIRACH"), 0));
    let moved = system("1 0 0 5 0 1 0 0 0 0 1 0 0 0 0 1");
    assert_eq!(moved.space, None, "the stored coordinates are in an unknown space");
    assert_eq!(moved.mesh.vertices[0], [0.0, 0.0, 1.0]);
    assert!(moved.warnings[0].contains("transforms them to NIFTI_XFORM_TALAIRACH is not applied"));
    // nibabel writes the matrix in four lines. A copy has all of them, joined into one line.
    let rows = ["0.900000 0.100000 -0.100000 12.345678"; 4].join("\n");
    let long = system(&format!("{rows}\n"));
    assert_eq!(long.about.space.unwrap()[2], rows.replace('\n', " "));
}

#[test]
fn data_in_a_file_beside() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.surf.gii");
    let numbers: [f32; 9] = [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let bytes = [&[7; 5][..], &numbers.map(f32::to_be_bytes).concat()].concat();
    std::fs::write(folder.path().join("x.data"), bytes).unwrap();
    let text = |name: &str, offset: &str| {
        let rest = format!(
            "Encoding=\"ExternalFileBinary\" Endian=\"BigEndian\" ExternalFileName=\"{name}\" \
             ExternalFileOffset=\"{offset}\""
        );
        document(&array("POINTSET", "FLOAT32", [3, 3], &rest, ""))
    };
    let vertices = read(&path, text("x.data", "5").as_bytes()).unwrap().mesh.vertices;
    assert_eq!(vertices, [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    for (name, offset, found) in [
        ("x.data", "6", "36 bytes declared from byte 6 of \"x.data\" on, which has 41"),
        ("x.data", "18446744073709551615", "on, which has 41"),
        ("x.data", "-1", "ExternalFileOffset \"-1\" is not a byte count"),
        ("none.data", "0", "data are in \"none.data\": No such file"),
        ("../x.data", "0", "which is not a file in the same folder or below it"),
        ("/dev/zero", "0", "which is not a file in the same folder or below it"),
        (".", "0", "which is not a file in the same folder or below it"),
    ] {
        let error = read(&path, text(name, offset).as_bytes()).unwrap_err().to_string();
        assert!(error.contains(found), "{name} {offset}: {error}");
    }
}

#[test]
fn written_labels_come_back_as_groups() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.label.gii");
    let table = ["???", "source <1>", "source 2"].map(String::from);
    write_label(&path, "label", &[0, 2, 1, 2], &table, &[]).unwrap();
    let data = crate::read_data(&path).unwrap();
    assert_eq!(data.arrays[0].values, Values::Int(vec![0, 2, 1, 2]));
    let groups: Vec<_> = data.groups.iter().map(|g| (g.name.as_str(), g.members.clone())).collect();
    let points = |vertices| Members::Simplices { dimension: 0, vertices };
    let expected = [
        ("???", points(vec![0])),
        ("source <1>", points(vec![2])),
        ("source 2", points(vec![1, 3])),
    ];
    assert_eq!(groups, expected);
}
