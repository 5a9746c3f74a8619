//! Tests of hostile files: impossible and negative counts, coordinates that are not finite, wrong
//! byte orders, truncated streams, XML that expands, many small items. Each file is either read or
//! rejected with a one-line message and a remedy. In both cases, this takes little time, and the
//! memory needed is a small multiple of the file size.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use zeroset_io as io;
use zeroset_testing::heap::Meter;

#[global_allocator]
static METER: Meter = Meter::new();

/// The memory in bytes that a reader may take per byte of a file, in addition to a constant.
const PER_BYTE: usize = 60;
const BESIDES: usize = 1 << 20;
/// The size in bytes of the LASzip tables, which the crate `laz` allocates for every file.
const LASZIP: usize = 3 << 20;
/// The time limit per file. A linear-time reader needs a hundredth of it.
const LONGEST: Duration = Duration::from_secs(30);

/// Reads bytes as a file with this name, with each of the five readers. Returns the errors of
/// reading it as a mesh, as data, as curves, as a volume and as points.
fn read(folder: &Path, name: &str, bytes: &[u8]) -> Vec<String> {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    let (start, held) = (Instant::now(), METER.held());
    let (errors, most) = METER.peak_during(|| {
        [
            io::read_mesh(&path).err(),
            io::read_data(&path).err(),
            io::read_curves(&path).err(),
            io::read_volume(&path, &io::VolumeOptions::default()).err(),
            io::read_cloud(&path).err(),
        ]
    });
    let taken = most.saturating_sub(held) as usize;
    let besides = BESIDES + if name.ends_with(".laz") { LASZIP } else { 0 };
    assert!(taken <= PER_BYTE * bytes.len() + besides, "{name}: {taken} of {}", bytes.len());
    assert!(start.elapsed() < LONGEST, "{name}: {:?}", start.elapsed());
    let line = |error: zeroset_core::Error| {
        let line = error.to_string();
        assert_eq!(error.exit_code(), 3, "{name}: {line}");
        assert!(!line.contains('\n') && line.contains("; "), "{name}: {line}");
        line
    };
    errors.into_iter().flatten().map(line).collect()
}

/// A file that at least one reader must reject, with a message that contains a given string.
struct Bad {
    name: &'static str,
    bytes: Vec<u8>,
    said: &'static str,
}

fn bad(name: &'static str, bytes: impl AsRef<[u8]>, said: &'static str) -> Bad {
    Bad { name, bytes: bytes.as_ref().to_vec(), said }
}

fn msh(version: &str, section: &str) -> String {
    format!("$MeshFormat\n{version} 0 8\n$EndMeshFormat\n{section}")
}

fn msh_binary(version: &str, section: &[&[u8]]) -> Vec<u8> {
    let mut bytes = format!("$MeshFormat\n{version} 1 8\n").into_bytes();
    bytes.extend(1_i32.to_le_bytes());
    bytes.extend(b"\n$EndMeshFormat\n");
    bytes.extend(section.concat());
    bytes
}

/// Creates a PLY file of three vertices and a face, in which `format` may contradict the byte
/// order.
fn ply(format: &str, big_endian: bool) -> Vec<u8> {
    let header = format!(
        "ply\nformat {format} 1.0\nelement vertex 3\nproperty float x\nproperty float y\n\
         property float z\nelement face 1\nproperty list int int vertex_indices\nend_header\n"
    );
    let mut bytes = header.into_bytes();
    let corners: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let order = |raw: [u8; 4]| {
        let mut raw = raw;
        if big_endian {
            raw.reverse();
        }
        raw
    };
    corners.iter().for_each(|x| bytes.extend(order(x.to_le_bytes())));
    [3_i32, 0, 1, 2].iter().for_each(|n| bytes.extend(order(n.to_le_bytes())));
    bytes
}

fn gifti(attributes: &str, data: &str) -> String {
    format!(
        "<GIFTI Version='1.0'><DataArray Intent='NIFTI_INTENT_POINTSET' {attributes}>\
         <Data>{data}</Data></DataArray></GIFTI>"
    )
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn counts() -> Vec<Bad> {
    const HUGE: &str = "4000000000";
    let coff = "OFF\n4000000000 1 0\n0 0 0\n";
    vec![
        bad("a.msh", msh("2.2", "$Nodes\n4000000000\n1 0 0 0\n"), "4000000000 nodes declared"),
        bad("a.msh", msh("2.2", "$Nodes\n-4\n1 0 0 0\n"), "number of nodes expected, found \"-4\""),
        bad("a.msh", msh("4.1", "$Nodes\n1 4000000000 1 1\n0 1 0 1\n"), "nodes declared"),
        bad("a.msh", msh("4.1", "$Nodes\n-1 1 1 1\n"), "number of node blocks expected"),
        bad("a.msh", msh("4.0", "$Nodes\n1 4000000000\n1 0 0 1\n"), "nodes declared"),
        bad("a.msh", msh("4.1", "$Entities\n4000000000 0 0 0\n"), "entities declared"),
        bad("a.msh", "$NOD\n4000000000\n1 0 0 0\n", "nodes declared"),
        bad("a.msh", msh("2.2", "$PhysicalNames\n4000000000\n"), "physical names declared"),
        bad(
            "a.msh",
            msh("2.2", "$NodeData\n4000000000\n\"a\"\n"),
            "4000000000 string tags declared",
        ),
        bad(
            "a.msh",
            msh_binary("2.2", &[b"$Nodes\n4000000000\n", &[0; 28]]),
            "4000000000 nodes declared",
        ),
        bad(
            "a.msh",
            msh_binary("4.1", &[b"$Nodes\n", &1_u64.to_le_bytes(), &(1_u64 << 31).to_le_bytes()]),
            "file ends where smallest node tag",
        ),
        bad(
            "a.msh",
            msh_binary("4.1", &[b"$Nodes\n", &1_u64.to_le_bytes(), &[0xff; 8], &[0; 16]]),
            "at most 4294967294 are supported",
        ),
        bad("a.off", coff, "4000000000 vertices declared"),
        bad("a.off", coff.replace(HUGE, "-3"), "found \"-3\""),
        bad(
            "a.ply",
            "ply\nformat ascii 1.0\nelement vertex 4000000000\nproperty float x\nproperty float y\n\
             end_header\n0 0\n",
            "4000000000 vertices declared",
        ),
        bad(
            "a.ply",
            "ply\nformat ascii 1.0\nelement vertex -1\nproperty float x\nend_header\n",
            "number of vertex elements expected, found \"-1\"",
        ),
        bad("a.stl", [&[b' '; 80][..], &[0xff; 4], &[0; 50]].concat(), "are supported"),
        bad("a.stl", [&[b' '; 80][..], &[0, 0, 0, 1], &[0; 50]].concat(), "facets of 50 bytes"),
        bad("a.obj", "v 0 0 0\nf 1 2 4294967299\n", "refers to vertex 4294967299"),
        bad("a.obj", "v 0 0 0\nf -1 -2 -3\n", "refers to vertex -2 after 1"),
        bad(
            "lh.pial",
            [b"\xff\xff\xfea\n\n".as_slice(), &[0x7f; 8], &[0; 12]].concat(),
            "declared",
        ),
        bad("lh.pial", [b"\xff\xff\xfea\n\n".as_slice(), &[0xff; 8], &[0; 12]].concat(), "is -1"),
        bad("lh.asc", "#!ascii version of a\n4000000000 1\n0 0 0 0\n", "vertices declared"),
        bad(
            "lh.curv",
            [&[0xff; 3][..], &[0x7f; 12], &[0; 4]].concat(),
            "values of 4 bytes declared",
        ),
        bad("lh.curv", [&[0xff; 3][..], &[0x80; 12], &[0; 4]].concat(), "number of values is -"),
        bad("lh.a.label", "#!ascii label\n4000000000\n0 0 0 0 0\n", "vertices declared"),
        bad("lh.a.label", "#!ascii label\n-1\n0 0 0 0 0\n", "number of vertices expected"),
        bad(
            "a.mesh",
            "MeshVersionFormatted 2\nDimension 3\nVertices 4000000000\n0 0 0 0\n",
            "4000000000 vertices declared",
        ),
        bad(
            "a.sol",
            "MeshVersionFormatted 2\nDimension 3\nSolAtVertices 1 4000000000 1\n",
            "types of arrays declared",
        ),
        bad("a.node", "4000000000 3 0 0\n1 0 0 0\n", "4000000000 vertices declared"),
        bad("a.node", "1 3 4000000000 0\n1 0 0 0\n", "1 vertices declared"),
        bad("a.pts", "-1\n0 0 0\n", "expected 1 numbers, then found \"0\""),
        bad(
            "a.gii",
            gifti(
                "DataType='NIFTI_TYPE_FLOAT32' Dimensionality='2' Dim0='4000000000' Dim1='3' \
                 Encoding='ASCII'",
                "0 0 0",
            ),
            "12000000000 numbers declared",
        ),
        bad(
            "a.gii",
            gifti(
                "DataType='NIFTI_TYPE_FLOAT32' Dimensionality='2' Dim0='-1' Dim1='3' \
                 Encoding='Base64Binary'",
                "AAAA",
            ),
            "Dim0: a number expected, found \"-1\"",
        ),
        bad(
            "a.gii",
            gifti(
                "DataType='NIFTI_TYPE_FLOAT32' Dimensionality='2' Dim0='4000000000' Dim1='3' \
                 Encoding='GZipBase64Binary'",
                "eJxjYBgFIxkAAAEAAAE=",
            ),
            "bytes declared in",
        ),
    ]
}

fn numbers() -> Vec<Bad> {
    vec![
        bad("a.msh", msh("2.2", "$Nodes\n1\n1 0 nan 0\n$EndNodes\n"), "y of node 1 is NaN"),
        bad(
            "a.msh",
            msh_binary("2.2", &[b"$Nodes\n1\n", &[1, 0, 0, 0], &[0xff; 24]]),
            "x of node 1 is NaN",
        ),
        bad("a.off", "OFF\n1 0 0\n0 0 inf\n", "z is inf"),
        bad("a.obj", "v 0 -inf 0\n", "y is -inf"),
        bad(
            "a.ply",
            "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n\
             end_header\nnan 0\n",
            "coordinate x is NaN",
        ),
        bad("a.stl", "solid a\nfacet\nouter loop\nvertex 0 0 nan\n", "z is NaN"),
        bad("a.xyz", "0 0 nan\n", "coordinate z is NaN"),
        bad("a.node", "1 3 0 0\n1 0 nan 0\n", "y is NaN"),
        bad("a.pts", "1\n0 nan 0\n", "coordinate y is NaN"),
        bad("a.mesh", "MeshVersionFormatted 2 Dimension 3 Vertices 1 0 0 nan 0 End", "is NaN"),
        bad("lh.asc", "#!ascii version of a\n1 0\n0 0 nan 0\n", "z is NaN"),
        bad(
            "lh.pial",
            [b"\xff\xff\xfea\n\n".as_slice(), &[0, 0, 0, 1, 0, 0, 0, 0], &[0xff; 12]].concat(),
            "vertex 0: coordinate x is NaN",
        ),
        bad(
            "a.gii",
            gifti(
                "DataType='NIFTI_TYPE_FLOAT64' Dimensionality='2' Dim0='1' Dim1='3' Encoding='ASCII'",
                "0 NaN 0",
            ),
            "vertex 0: coordinate y is NaN",
        ),
        bad(
            "a.vtk",
            "# vtk DataFile Version 3.0\na\nASCII\nDATASET POLYDATA\nPOINTS 1 float\n0 0 nan\n",
            "point 0",
        ),
    ]
}

/// Creates files whose byte order differs from the stated one. Their counts and indices reveal it.
fn orders() -> Vec<Bad> {
    let surface = |order: fn(i32) -> [u8; 4]| {
        let mut bytes = b"\xff\xff\xfea\n\n".to_vec();
        [3, 1].iter().for_each(|&n| bytes.extend(order(n)));
        bytes.extend([0; 36]);
        [0, 1, 2].iter().for_each(|&n| bytes.extend(order(n)));
        bytes
    };
    let triangle = |endian: &str| {
        format!(
            "<GIFTI Version='1.0'><DataArray Intent='NIFTI_INTENT_POINTSET' \
             DataType='NIFTI_TYPE_FLOAT32' Dimensionality='2' Dim0='3' Dim1='3' Encoding='ASCII'>\
             <Data>0 0 0 1 0 0 0 1 0</Data></DataArray><DataArray \
             Intent='NIFTI_INTENT_TRIANGLE' DataType='NIFTI_TYPE_INT32' Dimensionality='2' \
             Dim0='1' Dim1='3' Endian='{endian}' Encoding='Base64Binary'>\
             <Data>AAAAAAEAAAACAAAA</Data></DataArray></GIFTI>"
        )
    };
    let legacy = |order: fn([u8; 4]) -> [u8; 4]| {
        let mut bytes = b"# vtk DataFile Version 3.0\na\nBINARY\nDATASET POLYDATA\n".to_vec();
        bytes.extend(b"POINTS 3 float\n");
        [0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]
            .iter()
            .for_each(|x| bytes.extend(order(x.to_be_bytes())));
        bytes.extend(b"\nPOLYGONS 1 4\n");
        [3_i32, 0, 1, 2].iter().for_each(|n| bytes.extend(order(n.to_be_bytes())));
        bytes
    };
    let reversed = |mut raw: [u8; 4]| {
        raw.reverse();
        raw
    };
    let folder = tempfile::tempdir().unwrap();
    // In the stated byte order, the same content is a valid mesh.
    for (name, good) in [
        ("a.ply", ply("binary_little_endian", false)),
        ("a.ply", ply("binary_big_endian", true)),
        ("lh.pial", surface(i32::to_be_bytes)),
        ("a.gii", triangle("LittleEndian").into_bytes()),
        ("a.vtk", legacy(|raw| raw)),
        // A mesh in the byte order that the format does not allow is read with a warning.
        ("b.vtk", legacy(reversed)),
    ] {
        std::fs::write(folder.path().join(name), good).unwrap();
        assert_eq!(io::read_mesh(&folder.path().join(name)).unwrap().mesh.n_cells(), 1, "{name}");
    }
    let stl = [&[b' '; 80][..], &1_u32.to_be_bytes(), &[0; 50]].concat();
    vec![
        bad("a.ply", ply("binary_big_endian", false), "but the numbers are binary_little_endian"),
        bad("a.ply", ply("binary_little_endian", true), "but the numbers are binary_big_endian"),
        bad("lh.pial", surface(i32::to_le_bytes), "declared"),
        bad("a.gii", triangle("BigEndian"), "refers to vertex 16777216 of 3"),
        bad("a.stl", stl, "16777216 facets of 50 bytes declared"),
        bad(
            "a.vtu",
            "<VTKFile type='UnstructuredGrid' byte_order='BigEndian' header_type='UInt32'>\
             <UnstructuredGrid><Piece NumberOfPoints='1' NumberOfCells='0'><Points>\
             <DataArray type='Float32' NumberOfComponents='3' format='binary'>\
             DAAAAAAAAAAAAAAAAAAAAA==</DataArray></Points></Piece></UnstructuredGrid></VTKFile>",
            "201326592 bytes declared",
        ),
    ]
}

/// Creates files with compressed streams that end early or are damaged. The stream is the whole
/// file or a part of it.
fn streams() -> Vec<Bad> {
    let text: String = (0..400).fold("OFF\n400 0 0\n".to_string(), |text, k| {
        text + &format!("{k} {} 0.{k}\n", k * k % 71)
    });
    let whole = packed(text.as_bytes());
    let mut wrong = whole.clone();
    let middle = wrong.len() / 2;
    wrong[middle] ^= 0x55;
    let points = |data: &str| {
        gifti(
            "DataType='NIFTI_TYPE_FLOAT32' Dimensionality='2' Dim0='100' Dim1='3' \
             Encoding='GZipBase64Binary'",
            data,
        )
    };
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    zlib.write_all(&(0..300).flat_map(|k| (k as f32).sqrt().to_le_bytes()).collect::<Vec<_>>())
        .unwrap();
    let zlib = zlib.finish().unwrap();
    use base64::Engine;
    let encode = |bytes: &[u8]| base64::engine::general_purpose::STANDARD.encode(bytes);
    vec![
        bad("a.off.gz", &whole[..whole.len() - 9], "gzip stream ends early"),
        bad("a.off.gz", &whole[..whole.len() / 2], "gzip stream ends early"),
        bad("a.off", &whole[..20], "gzip stream ends early"),
        bad("a.off.gz", &wrong, "gzip stream is damaged"),
        bad("a.gii", points(&encode(&zlib[..zlib.len() / 2])), "zlib data"),
        bad("a.gii", points(&encode(&zlib)[..101]), "base64 data"),
    ]
}

/// Creates XML documents whose entities would expand, that nest deeply or have very many
/// attributes, or whose arrays share their bytes.
fn documents(folder: &Path) -> Vec<Bad> {
    let bomb = "<!DOCTYPE b [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>\
                <!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;'>]>";
    let array = "<DataArray Intent='NIFTI_INTENT_SHAPE' DataType='NIFTI_TYPE_UINT8' \
                 Dimensionality='1' Dim0='10000' Encoding='ExternalFileBinary' \
                 ExternalFileName='shared.dat'><Data/></DataArray>";
    std::fs::write(folder.join("shared.dat"), vec![7; 10_000]).unwrap();
    let attributes: String = (0..300_000).map(|k| format!(" a{k}='1'")).collect();
    vec![
        bad(
            "a.gii",
            format!("{bomb}{}", gifti("Dimensionality='1' Dim0='&c;'", "&c;&c;&c;&c;")),
            "a number expected",
        ),
        bad("a.gii", format!("<GIFTI>{}", "<MetaData>".repeat(200_000)), "XML"),
        bad("a.gii", format!("<GIFTI{attributes}>"), "</GIFTI> was expected"),
        bad("a.gii", format!("<GIFTI>{}</GIFTI>", array.repeat(40)), "arrays overlap"),
        bad(
            "a.vtu",
            format!("<VTKFile type='UnstructuredGrid'>{}", "<a>".repeat(200_000)),
            "nested more than 32 levels deep",
        ),
    ]
}

#[test]
fn files_made_to_do_harm_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let clouds = zeroset_testing::hostile_clouds::all();
    let clouds = clouds.into_iter().map(|(name, bytes, said)| bad(name, bytes, said)).collect();
    let files = [counts(), numbers(), orders(), streams(), documents(folder.path()), clouds];
    let (mut tried, mut failures) = (0, Vec::new());
    for Bad { name, bytes, said } in files.into_iter().flatten() {
        let errors = read(folder.path(), name, &bytes);
        if !errors.iter().any(|line| line.contains(said)) {
            failures.push(format!("`{said}` is not in {errors:?}"));
        }
        std::fs::remove_file(folder.path().join(name)).unwrap();
        tried += 1;
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(tried > 60, "{tried}");
    many_small_things(folder.path());
}

/// Checks that nothing takes time or memory proportional to the square of the content. It is called
/// by the only test of this file, because memory is counted for all threads.
fn many_small_things(folder: &Path) {
    const N: usize = 100_000;
    let each = |f: &dyn Fn(usize) -> String| (1..=N).map(f).collect::<String>();
    let places = each(&|k| format!("{k} {} 0\n", k % 317));
    let vertices = each(&|k| format!("v {k} {} 0\n", k % 317));
    let mut star = vertices.clone();
    (2..=N).for_each(|k| writeln!(star, "l 1 {k}").unwrap());
    let mut book = vertices.clone();
    (3..=N).for_each(|k| writeln!(book, "f 1 2 {k}").unwrap());
    let mut named = vertices.clone();
    (3..=N).for_each(|k| writeln!(named, "g a{k}\nf 1 2 {k}").unwrap());
    // In the first of the next two files, all groups have the same name. In the second one, all
    // rows and elements have the same tag.
    let n = 20_000;
    let names: String = (1..=n).map(|k| format!("2 {k} \"a\"\n")).collect();
    let nodes = "$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n";
    let elements: String = (1..=n).map(|k| format!("{k} 2 1 {k} 1 2 3\n")).collect();
    let alike = msh(
        "2.2",
        &format!(
            "$PhysicalNames\n{n}\n{names}$EndPhysicalNames\n{nodes}$Elements\n{n}\n{elements}\
             $EndElements\n"
        ),
    );
    let elements = "7 2 1 1 1 2 3\n".repeat(N);
    let rows = "7 1.5\n".repeat(N);
    let one_tag = msh(
        "2.2",
        &format!(
            "{nodes}$Elements\n{N}\n{elements}$EndElements\n$ElementData\n1\n\"a\"\n0\n3\n0\n1\n{N}\n\
             {rows}$EndElementData\n"
        ),
    );
    let label = |k: usize| format!("<Label Key='{k}'>a</Label>");
    let labels = format!(
        "<GIFTI><LabelTable>{}</LabelTable><DataArray Intent='NIFTI_INTENT_LABEL' \
         DataType='NIFTI_TYPE_INT32' Dimensionality='1' Dim0='1' Encoding='ASCII'><Data>7</Data>\
         </DataArray></GIFTI>",
        each(&label)
    );
    let array = "<DataArray Intent='NIFTI_INTENT_SHAPE' DataType='NIFTI_TYPE_FLOAT32' \
                 Dimensionality='1' Dim0='1' Encoding='ASCII'><Data>1</Data></DataArray>";
    let arrays = format!("<GIFTI>{}</GIFTI>", array.repeat(20_000));
    let field = (1..=20_000).map(|k| format!("a{} 1 1 int\n1\n", k % 3)).collect::<String>();
    let field = format!(
        "# vtk DataFile Version 3.0\na\nASCII\nDATASET POLYDATA\nPOINTS 1 float\n0 0 0\n\
         POINT_DATA 1\nFIELD f 20000\n{field}"
    );
    let property = each(&|k| format!("property int a{}\n", k % 3));
    let properties = format!(
        "ply\nformat ascii 1.0\nelement vertex 1\nproperty int x\nproperty int y\n{property}\
         end_header\n0 0{}\n",
        " 1".repeat(N)
    );
    let solid = |k: usize| {
        format!(
            "solid a{k}\nfacet\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 {k} 0\nendloop\nendfacet\nendsolid\n"
        )
    };
    let section = |k: usize| format!("Section{}x {k}\n", "y".repeat(k % 7));
    let medit =
        format!("MeshVersionFormatted 2\nDimension 3\nVertices 1 0 0 0 0\n{}End\n", each(&section));
    let references: String = (1..=n).map(|k| format!("1 2 3 {k}\n")).collect();
    let references = format!(
        "MeshVersionFormatted 2\nDimension 3\nVertices 3 0 0 0 0 1 0 0 0 0 1 0 0\nTriangles {n}\n\
         {references}End\n"
    );
    let columns = format!("{}\n{}\n", "a ".repeat(1_000), "1 ".repeat(1_000));
    for (name, text) in [
        ("a.obj", star),
        ("a.obj", book),
        ("a.obj", named),
        ("a.msh", alike),
        ("a.msh", one_tag),
        ("a.gii", labels),
        ("a.gii", arrays),
        ("a.vtk", field),
        ("a.ply", properties),
        ("a.stl", each(&solid)),
        ("a.mesh", medit),
        ("a.mesh", references),
        ("a.csv", columns),
        ("a.xyz", places),
    ] {
        let errors = read(folder, name, text.as_bytes());
        // Each file must be readable as a mesh, as data, as curves, as a volume or as points.
        assert!(errors.len() < 5, "{name}: {errors:?}");
        let path = folder.join(name);
        if let Ok(file) = io::read_mesh(&path) {
            let start = Instant::now();
            let _ = zeroset_core::mesh::assess(&file.mesh);
            let _ = zeroset_core::mesh::statistics::inspect(&file.mesh);
            assert!(start.elapsed() < LONGEST, "{name}: {:?} to check it", start.elapsed());
        }
        std::fs::remove_file(path).unwrap();
    }
}
