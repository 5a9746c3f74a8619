//! Tests of point clouds in every supported format: reading, writing and reports.

use std::collections::HashSet;
use std::path::Path;

use zeroset_core::cloud::PointCloud;
use zeroset_io::vtk::Compression;
use zeroset_io::{self as io, CloudReport, NormalsFrom};
use zeroset_testing::checkout::root;
use zeroset_testing::{data, field};

fn read(path: &Path) -> (PointCloud, CloudReport) {
    let (cloud, report) = io::read_cloud(path).unwrap();
    cloud.check().unwrap();
    assert_eq!((report.min, report.max), cloud.bounds(), "{}", path.display());
    let left_out = report.not_finite + report.without_normal + report.withheld;
    assert_eq!(report.stored, cloud.len() as u64 + left_out, "{}", path.display());
    for normal in cloud.normals.iter().flatten() {
        let length: f32 = normal.iter().map(|x| x * x).sum();
        assert!((length - 1.0).abs() < 1e-5, "{}: {normal:?}", path.display());
    }
    (cloud, report)
}

/// Writes bytes to a file in a new folder and reads them as a point cloud.
fn read_bytes(name: &str, bytes: &[u8]) -> zeroset_core::Result<(PointCloud, CloudReport)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    io::read_cloud(&path)
}

/// The expected values of a file: path, format, points stored, points not finite, points without a
/// normal, source of the normals, and whether there are colors.
type Known = (&'static str, &'static str, u64, u64, u64, Option<NormalsFrom>, bool);

#[test]
fn every_cloud_of_the_shared_data_is_read() {
    const FILE: Option<NormalsFrom> = Some(NormalsFrom::File);
    const FACES: Option<NormalsFrom> = Some(NormalsFrom::Faces);
    let known: [Known; 22] = [
        ("lidar/MixedConifer.laz", "laz", 37_657, 0, 0, None, false),
        ("lidar/autzen_trim.laz", "laz", 110_000, 0, 0, None, true),
        ("lidar/simple.las", "las", 1_065, 0, 0, None, true),
        ("lidar/vegetation_1_3.las", "las", 10_683, 0, 0, None, false),
        ("lidar/bun0.pcd", "pcd", 397, 0, 0, FILE, false),
        ("lidar/bunny_v05.pcd", "pcd", 397, 0, 0, None, false),
        ("lidar/colored_cloud.pcd", "pcd", 1_000, 0, 0, FILE, true),
        ("lidar/milk.pcd", "pcd", 13_704, 0, 0, None, false),
        ("lidar/table_scene_mug_stereo_textured.pcd", "pcd", 307_200, 97_920, 0, None, true),
        ("scans/bunny_10k_normals.ply", "ply", 10_000, 0, 0, FILE, false),
        ("scans/bunny_noised.xyz", "text", 20_000, 0, 0, None, false),
        ("scans/hippo1.ply", "ply", 6_104, 0, 0, FILE, false),
        ("scans/kitten.xyz", "text", 5_210, 0, 0, FILE, false),
        ("scans/kitten_points.off", "off", 5_210, 0, 0, None, false),
        ("scans/range_bun000.ply.gz", "ply", 40_256, 0, 0, None, false),
        ("sim/ply/points_with_lists.ply", "ply", 5, 0, 0, None, false),
        ("scans/bun_zipper.ply", "ply", 35_947, 0, 1_113, FACES, false),
        ("scans/horse.ply", "ply", 48_485, 0, 0, FACES, true),
        ("scans/armadillo_26k.off", "off", 26_002, 0, 0, FACES, false),
        ("sim/obj/spot.obj", "obj", 2_930, 0, 0, FACES, false),
        ("sim/stl/test_sphere.stl", "stl", 114, 0, 0, FACES, false),
        ("sim/vtk/torus_tetra_025.vtk", "vtk", 1_801, 0, 0, None, false),
    ];
    for (name, format, stored, not_finite, without_normal, normals, colors) in known {
        let Some(path) = data(name) else { return };
        let (cloud, report) = read(&path);
        let found = (report.stored, report.not_finite, report.without_normal, report.normals);
        assert_eq!(found, (stored, not_finite, without_normal, normals), "{name}");
        assert_eq!((report.format, cloud.colors.is_some()), (format, colors), "{name}");
        assert_eq!(cloud.normals.is_some(), normals.is_some(), "{name}");
        // The comments in scans/horse.ply state that its faces were flipped.
        let turned = report.warnings.iter().any(|warning| warning.contains("point inward"));
        assert_eq!(turned, name == "scans/horse.ply", "{name}");
    }
    let Some(refused) = data("scans/chameleon.pts") else { return };
    let error = io::read_cloud(&refused).unwrap_err().to_string();
    assert!(error.contains("is a file of Expe points in a binary layout"), "{error}");
}

/// Checks points against the box in the header, which the program that wrote the file computed.
#[test]
fn points_of_lidar_fill_the_box_that_their_header_states() {
    for name in ["MixedConifer.laz", "autzen_trim.laz", "simple.las", "vegetation_1_3.las"] {
        let Some(path) = data(&format!("lidar/{name}")) else { return };
        let (cloud, report) = read(&path);
        let bytes = std::fs::read(&path).unwrap();
        let number = |at: usize| f64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
        for k in 0..3 {
            let (most, least) = (number(179 + 16 * k), number(187 + 16 * k));
            let close = |a: f64, b: f64| (a - b).abs() < 1e-6 * b.abs().max(1.0);
            assert!(
                close(report.max[k], most) && close(report.min[k], least),
                "{name}: {report:?}"
            );
        }
        // The README of the data states the number of duplicates.
        let duplicates = usize::from(name == "MixedConifer.laz");
        let places: HashSet<_> = cloud.points.iter().map(|p| p.map(f64::to_bits)).collect();
        assert_eq!(cloud.len() - places.len(), duplicates, "{name}");
    }
}

/// Checks that the points begin at the right offset even if a variable-length record declares more
/// bytes than remain before them.
#[test]
fn points_of_lidar_begin_where_the_header_says() {
    let Some(path) = data("lidar/simple.las") else { return };
    let bytes = std::fs::read(&path).unwrap();
    let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let (begin, n_records) = (number(96), number(100));
    let mut record = [0; 54 + 10];
    record[20..22].copy_from_slice(&u16::MAX.to_le_bytes());
    let (head, points) = bytes.split_at(begin as usize);
    let mut longer = [head, &record, points].concat();
    longer[96..100].copy_from_slice(&(begin + 64).to_le_bytes());
    longer[100..104].copy_from_slice(&(n_records + 1).to_le_bytes());
    assert!(read_bytes("a.las", &longer).unwrap().0.points == read(&path).0.points);
}

#[test]
fn withheld_points_of_lidar_are_left_out_and_classes_are_counted() {
    let Some(path) = field("clouds/las_withheld/withheld.las") else { return };
    let (cloud, report) = read(&path);
    assert_eq!((cloud.len(), report.stored, report.withheld), (5000, 5500, 500));
    assert_eq!(report.classes, [(2, 5000)]);
    assert_eq!(report.warnings, ["500 points are marked as withheld and left out"]);
    // In the formats 0 to 5, the flag and the class share a byte.
    let Some(path) = data("lidar/simple.las") else { return };
    assert_eq!(read(&path).1.classes, [(1, 789), (2, 276)]);
    let mut bytes = std::fs::read(&path).unwrap();
    let begin = u32::from_le_bytes(bytes[96..100].try_into().unwrap()) as usize;
    (0..10).for_each(|k| bytes[begin + 34 * k + 15] |= 0x80);
    let (cloud, report) = read_bytes("a.las", &bytes).unwrap();
    assert_eq!((cloud.len(), report.withheld), (1055, 10));
    assert_eq!(report.classes.iter().map(|(_, n)| n).sum::<u64>(), 1055);
    (0..1065).for_each(|k| bytes[begin + 34 * k + 15] |= 0x80);
    let error = read_bytes("a.las", &bytes).unwrap_err().to_string();
    assert!(error.contains("all of them are marked as withheld"), "{error}");
}

#[test]
fn a_scan_without_faces_and_its_mesh_are_the_same_points() {
    let (Some(points), Some(text)) = (data("scans/kitten_points.off"), data("scans/kitten.xyz"))
    else {
        return;
    };
    let (points, text) = (read(&points).0, read(&text).0);
    let near = |a: &[f64; 3], b: &[f64; 3]| (0..3).all(|k| (a[k] - b[k]).abs() < 1e-5);
    assert!(points.points.iter().zip(&text.points).all(|(a, b)| near(a, b)));
}

const POINTS: [[f64; 3]; 3] = [[0.5, -1.0, 2.0], [4.0, 5.25, -6.0], [0.0, 0.0, 1.0]];

fn ply(format: &str, kinds: [&str; 3], body: &[u8]) -> Vec<u8> {
    let [x, n, c] = kinds;
    let mut text = format!("ply\nformat {format} 1.0\nelement vertex 3\n");
    for (kind, names) in
        [(x, ["x", "y", "z"]), (n, ["nx", "ny", "nz"]), (c, ["red", "green", "blue"])]
    {
        names.iter().for_each(|name| text += &format!("property {kind} {name}\n"));
    }
    [text.as_bytes(), b"end_header\n", body].concat()
}

#[test]
fn ply_of_all_encodings_has_normals_and_colors() {
    let rows: String =
        POINTS.iter().map(|[x, y, z]| format!("{x} {y} {z} 0 0 2 255 0 51\n")).collect();
    let mut little = Vec::new();
    let mut big = Vec::new();
    for x in POINTS {
        x.iter().for_each(|x| little.extend(x.to_le_bytes()));
        x.iter().for_each(|x| big.extend((*x as f32).to_be_bytes()));
        [0.0f32, 0.0, 2.0].iter().for_each(|x| little.extend(x.to_le_bytes()));
        [0.0f64, 0.0, 2.0].iter().for_each(|x| big.extend(x.to_be_bytes()));
        [65535u16, 0, 51 * 257].iter().for_each(|c| little.extend(c.to_le_bytes()));
        [1.0f32, 0.0, 0.2].iter().for_each(|c| big.extend(c.to_be_bytes()));
    }
    for bytes in [
        ply("ascii", ["float", "float", "uchar"], rows.as_bytes()),
        ply("binary_little_endian", ["double", "float", "ushort"], &little),
        ply("binary_big_endian", ["float", "double", "float"], &big),
    ] {
        let (cloud, report) = read_bytes("a.ply", &bytes).unwrap();
        assert_eq!(cloud.points, POINTS);
        assert_eq!(cloud.normals.unwrap(), [[0.0, 0.0, 1.0]; 3]);
        assert_eq!(cloud.colors.unwrap(), [[255, 0, 51]; 3]);
        assert_eq!((report.normals, report.warnings), (Some(NormalsFrom::File), vec![]));
        for cut in [10, 20] {
            assert!(read_bytes("a.ply", &bytes[..bytes.len() - cut]).is_err(), "{cut}");
        }
    }
    let swapped = ply("binary_big_endian", ["double", "float", "ushort"], &little);
    let error = read_bytes("a.ply", &swapped).unwrap_err().to_string();
    assert!(
        error.contains("states binary_big_endian, but the numbers are binary_little"),
        "{error}"
    );
}

#[test]
fn faces_give_normals_and_points_that_are_not_finite_go() {
    let text = "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\n\
                property float z\nelement face 2\nproperty list uchar int vertex_indices\nend_header\n\
                0 0 0\n1 0 0\n1 1 0\n0 1 nan\n9 9 9\n3 0 1 2\n3 0 2 3\n";
    let (cloud, report) = read_bytes("a.ply", text.as_bytes()).unwrap();
    assert_eq!((report.faces, report.normals), (2, Some(NormalsFrom::Faces)));
    assert_eq!((report.stored, report.not_finite), (5, 1));
    // The triangle at the vertex that is not finite has no normal and does not affect the others.
    assert_eq!(cloud.points[1], [1.0, 0.0, 0.0]);
    assert_eq!(cloud.normals.unwrap()[0], [0.0, 0.0, 1.0]);
}

#[test]
fn obj_and_off_have_normals_and_colors() {
    let obj = "v 0 0 0 1 0 0\nv 1 0 0 0 1 0\nv 0 1 nan 0 0 1\nvn 0 0 1\nvn 1 0 0\nvn 0 3 0\n";
    let (cloud, report) = read_bytes("a.obj", obj.as_bytes()).unwrap();
    assert_eq!((cloud.normals.unwrap()[1], cloud.colors.unwrap()[1]), ([1., 0., 0.], [0, 255, 0]));
    assert_eq!((report.not_finite, report.normals), (1, Some(NormalsFrom::File)));
    let off = "CNOFF\n2 0 0\n0 0 0 0 0 5 255 128 0 255\n1 2 3 1 0 0 0 0 1 255\n";
    let (cloud, _) = read_bytes("a.off", off.as_bytes()).unwrap();
    assert_eq!(
        (cloud.normals.unwrap()[0], cloud.colors.unwrap()[0]),
        ([0., 0., 1.], [255, 128, 0])
    );
    let off = "COFF\n2 0 0\n0 0 0 1 0.5 0\n1 2 3 0 0 1\n";
    assert_eq!(read_bytes("a.off", off.as_bytes()).unwrap().0.colors.unwrap()[0], [255, 128, 0]);
}

fn pcd(fields: &str, sizes: &str, types: &str, n: usize, data: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "# .PCD v0.7\nVERSION 0.7\nFIELDS {fields}\nSIZE {sizes}\nTYPE {types}\nWIDTH {n}\nHEIGHT 1\n\
         VIEWPOINT 0 0 0 1 0 0 0\nPOINTS {n}\nDATA {data}\n"
    );
    [head.as_bytes(), body].concat()
}

#[test]
fn packed_colors_of_pcd_are_read_as_whole_and_as_floating_point_numbers() {
    let color = 0x00ff_8001_u32;
    let mut records = Vec::new();
    for x in POINTS {
        x.iter().for_each(|x| records.extend(x.to_le_bytes()));
        records.extend(color.to_le_bytes());
        records.extend([7, 7]);
    }
    let text = |color: &str| -> String {
        POINTS.iter().map(|[x, y, z]| format!("{x} {y} {z} {color} 7 7\n")).collect()
    };
    let fields = "x y z rgb _";
    let sizes = ["8 8 8 4 1\nCOUNT 1 1 1 1 2", "4 4 4 4 1\nCOUNT 1 1 1 1 2"];
    let by_field: Vec<u8> = {
        let axis = |k: usize| POINTS.iter().flat_map(move |x| (x[k] as f32).to_le_bytes());
        let colors = std::iter::repeat_n(color.to_le_bytes(), 3).flatten();
        let bytes: Vec<u8> = (0..3).flat_map(axis).chain(colors).chain([7; 6]).collect();
        // All runs are literal. Each has 32 bytes, except for a shorter last one.
        let runs = bytes.chunks(32).flat_map(|run| [&[run.len() as u8 - 1][..], run].concat());
        let packed: Vec<u8> = runs.collect();
        let sizes = [packed.len() as u32, bytes.len() as u32].map(u32::to_le_bytes);
        [&sizes[0][..], &sizes[1], &packed].concat()
    };
    for (bytes, kind) in [
        (pcd(fields, sizes[0], "F F F U U", 3, "binary", &records), "binary"),
        (pcd(fields, sizes[0], "F F F F U", 3, "binary", &records), "binary"),
        (pcd(fields, sizes[1], "F F F U U", 3, "ascii", text("16744449").as_bytes()), "ascii"),
        (
            pcd(
                fields,
                sizes[1],
                "F F F F U",
                3,
                "ascii",
                text(&f32::from_bits(color).to_string()).as_bytes(),
            ),
            "ascii",
        ),
        (pcd(fields, sizes[1], "F F F F U", 3, "binary_compressed", &by_field), "compressed"),
    ] {
        let (cloud, report) = read_bytes("a.pcd", &bytes).unwrap();
        assert_eq!((cloud.points, report.version.contains(kind)), (POINTS.to_vec(), true));
        assert_eq!(cloud.colors.unwrap(), [[255, 128, 1]; 3], "{kind}");
    }
    for (bytes, found) in [
        (pcd("x y", "4 4", "F F", 1, "ascii", b"1 2\n"), "does not have the fields x, y and z"),
        (pcd("x y z", "4 4", "F F F", 1, "ascii", b"1 2 3\n"), "3 FIELDS, but 2 SIZE"),
        (pcd("x y z", "4 4 3", "F F F", 1, "ascii", b"1 2 3\n"), "type \"F\" of size 3"),
        (pcd("x y z", "4 4 4", "F F F", 9, "ascii", b"1 2 3\n"), "9 points of 6 bytes declared"),
        (pcd("x y z", "4 4 4", "F F F", 9, "binary", b"1 2 3\n"), "9 points of 12 bytes declared"),
        (
            pcd("x y z", "4 4 4", "F F F", 9, "binary_compressed", &[9; 40]),
            "expected compressed data of 108 bytes",
        ),
        (pcd("x y z", "4 4 4", "F F F", 1, "packed", b""), "DATA \"packed\" is unknown"),
    ] {
        let error = read_bytes("a.pcd", &bytes).unwrap_err().to_string();
        assert!(error.contains(found), "{error}");
    }
}

/// The test writes its file with the same crate that reads E57 files.
#[test]
fn all_scans_of_an_e57_file_are_read_in_their_common_frame() {
    use e57::{E57Writer, Quaternion, Record, RecordValue, Transform, Translation};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.e57");
    let mut file = E57Writer::from_file(&path, "file").unwrap();
    for k in 0..2 {
        let prototype = vec![
            Record::CARTESIAN_X_F64,
            Record::CARTESIAN_Y_F64,
            Record::CARTESIAN_Z_F64,
            Record::COLOR_RED_U8,
            Record::COLOR_GREEN_U8,
            Record::COLOR_BLUE_U8,
        ];
        let mut scan = file.add_pointcloud(&format!("scan {k}"), prototype).unwrap();
        scan.set_transform(Some(Transform {
            rotation: Quaternion { w: 1.0, x: 0.0, y: 0.0, z: 0.0 },
            translation: Translation { x: 100.0 * f64::from(k), y: 0.0, z: 0.0 },
        }));
        for x in POINTS {
            let [a, b, c] = x.map(RecordValue::Double);
            let [r, g, b2] = [255, 0, 51].map(RecordValue::Integer);
            scan.add_point(vec![a, b, c, r, g, b2]).unwrap();
        }
        scan.finalize().unwrap();
    }
    file.finalize().unwrap();
    let (cloud, report) = read(&path);
    assert_eq!((cloud.len(), report.units.as_deref()), (6, Some("m")));
    assert_eq!((cloud.points[0], cloud.points[4]), (POINTS[0], [104.0, 5.25, -6.0]));
    assert_eq!(cloud.colors.unwrap(), [[255, 0, 51]; 6]);
    let bytes = std::fs::read(&path).unwrap();
    for n in [0, 7, 48, 1024, bytes.len() - 1024] {
        assert!(read_bytes("a.e57", &bytes[..n]).is_err(), "cut at {n}");
    }
}

#[cfg(unix)]
#[test]
fn what_is_read_at_any_place_comes_through_a_pipe_too() {
    for name in ["lidar/MixedConifer.laz", "lidar/simple.las"] {
        let Some(path) = data(name) else { return };
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        let (to, bytes) = (pipe.clone(), std::fs::read(&path).unwrap());
        let writer = std::thread::spawn(move || std::fs::write(to, bytes));
        let (found, _) = io::read_cloud(&pipe).unwrap();
        writer.join().unwrap().unwrap();
        assert_eq!(found.points, read(&path).0.points, "{name}");
    }
}

#[test]
fn files_cut_anywhere_are_refused_or_read_in_part_but_never_break() {
    for name in [
        "lidar/MixedConifer.laz",
        "lidar/simple.las",
        "lidar/bun0.pcd",
        "lidar/milk.pcd",
        "lidar/colored_cloud.pcd",
        "scans/hippo1.ply",
    ] {
        let Some(path) = data(name) else { return };
        let bytes = std::fs::read(&path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        for k in 0..40 {
            // Files are cut at less than 80 % of their length, because some have padding at their
            // end and can be read without it.
            let n = bytes.len() * k / 50;
            assert!(read_bytes(name, &bytes[..n]).is_err(), "{name} cut at {n}");
        }
        // Single bytes are damaged, mostly in the header.
        for k in 0..120_usize {
            let mut damaged = bytes.clone();
            let at = if k < 80 { 3 * k } else { k * 7919 } % bytes.len();
            damaged[at] ^= [0x01, 0x80, 0xff, 0x10][k % 4];
            if let Ok((cloud, _)) = read_bytes(name, &damaged) {
                cloud.check().unwrap();
            }
        }
    }
}

/// Checks that seeds of the fuzz targets for point clouds are valid, and that a thousand damaged
/// copies of each are read or rejected without a panic.
#[test]
fn seeds_are_read_and_their_neighbors_do_no_harm() {
    let seeds = root().join("fuzz/seeds");
    let folder = tempfile::tempdir().unwrap();
    for (target, seed, n, colors) in [
        ("pcd", "text", 3, true),
        ("pcd", "binary", 3, true),
        ("pcd", "compressed", 3, false),
        ("las", "colors", 3, true),
        ("laz", "chunks", 50, false),
        ("laz", "layers", 50, true),
        ("e57", "colors", 5, true),
        ("cloud_text", "pts", 3, true),
        ("cloud_text", "names", 1, true),
    ] {
        let bytes = std::fs::read(seeds.join(target).join(seed)).unwrap();
        let ending = if target == "cloud_text" { "pts" } else { target };
        let path = folder.path().join(format!("a.{ending}"));
        std::fs::write(&path, &bytes).unwrap();
        let (cloud, _) = read(&path);
        assert_eq!((cloud.len(), cloud.colors.is_some()), (n, colors), "{target}/{seed}");
        for k in 0..1_000_usize {
            let mut changed = bytes.clone();
            changed[k * 7919 % bytes.len()] ^= 1 << (k % 8);
            if k % 3 == 0 {
                changed[k * 104_729 % bytes.len()] ^= 0xff;
            }
            std::fs::write(&path, &changed).unwrap();
            match io::read_cloud(&path) {
                Ok((cloud, _)) => cloud.check().unwrap(),
                Err(error) => assert_eq!(error.exit_code(), 3, "{target}/{seed} {k}: {error}"),
            }
        }
    }
}

#[test]
fn compressed_text_and_ply_are_read() {
    use std::io::Write;
    let pack = |bytes: &[u8]| {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), Default::default());
        out.write_all(bytes).unwrap();
        out.finish().unwrap()
    };
    let text: String = (0..50_000).map(|k| format!("{k} 0.5 1\n")).collect();
    let (cloud, _) = read_bytes("a.xyz.gz", &pack(text.as_bytes())).unwrap();
    assert!(cloud.len() == 50_000 && cloud.points[49_999] == [49_999.0, 0.5, 1.0]);
    let ply = ply("ascii", ["float"; 3], "1 2 3 0 0 1 1 1 1\n".repeat(3).as_bytes());
    assert_eq!(read_bytes("a.ply.gz", &pack(&ply)).unwrap().0.len(), 3);
}

#[test]
fn what_is_written_reads_back() {
    let n = 40_000;
    let whole = PointCloud {
        points: (0..n).map(|k| [0.1 * f64::from(k), 5e6 + 1.0 / f64::from(k + 1), -1e-7]).collect(),
        normals: Some(
            (0..n).map(|k| [[0.6, 0.0, -0.8], [0.0, 1.0, 0.0]][k as usize % 2]).collect(),
        ),
        colors: Some((0..n).map(|k| [k as u8, (k >> 8) as u8, 200]).collect()),
        ..PointCloud::default()
    };
    let folder = tempfile::tempdir().unwrap();
    for ending in ["ply", "pcd", "csv", "xyz", "txt", "vtp"] {
        for (normals, colors) in [(true, true), (true, false), (false, true), (false, false)] {
            let mut cloud = whole.clone();
            cloud.normals = cloud.normals.filter(|_| normals);
            cloud.colors = cloud.colors.filter(|_| colors);
            let path = folder.path().join(format!("a.{ending}"));
            io::write_cloud(&path, &cloud, Compression::default()).unwrap();
            let (found, report) = read(&path);
            assert!(found.points == cloud.points && found.colors == cloud.colors, "{ending}");
            assert!(report.warnings.is_empty(), "{ending}: {report:?}");
            let near = |a: &[f32; 3], b: &[f32; 3]| (0..3).all(|k| (a[k] - b[k]).abs() < 1e-6);
            let (a, b) =
                (found.normals.unwrap_or_default(), cloud.normals.clone().unwrap_or_default());
            assert!(a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| near(a, b)), "{ending}");
            // Writing in pieces gives the same file.
            let pieces = [0..7, 7..39_000, 39_000..n as usize].map(|range| PointCloud {
                points: cloud.points[range.clone()].to_vec(),
                normals: cloud.normals.as_ref().map(|n| n[range.clone()].to_vec()),
                colors: cloud.colors.as_ref().map(|c| c[range.clone()].to_vec()),
                ..PointCloud::default()
            });
            let other = folder.path().join(format!("b.{ending}"));
            let layout = io::CloudLayout::of(&cloud);
            io::write_cloud_pieces(&other, layout, pieces.into_iter(), Compression::default())
                .unwrap();
            assert!(std::fs::read(&other).unwrap() == std::fs::read(&path).unwrap(), "{ending}");
        }
    }
    let error = io::write_cloud(Path::new("a.cvs"), &whole, Compression::default())
        .unwrap_err()
        .to_string();
    assert!(error.contains("did you mean .csv"), "{error}");
}

/// Checks that a cloud far from the origin keeps digits that 32 bits would lose.
#[test]
fn coordinates_are_centered_before_they_are_rounded() {
    let near: Vec<[f64; 3]> = (0..1000).map(|k| [f64::from(k) * 1e-3, 0.5, 0.25]).collect();
    let far = near.iter().map(|x| [x[0] + 5e6, x[1] - 5e6, x[2] + 5e6]).collect();
    let (a, near) = PointCloud::new(near).centered();
    let (b, far) = PointCloud::new(far).centered();
    assert!((b[0] - a[0] - 5e6).abs() < 1e-8);
    for (a, b) in near.iter().zip(&far) {
        assert!((0..3).all(|k| (a[k] - b[k]).abs() < 1e-7), "{a:?} {b:?}");
    }
}
