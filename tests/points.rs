//! Tests lists of points and voxels of meshes: `zeroset points`, `zeroset voxelize`, and their
//! files.

use std::path::Path;
use std::process::Command;

use assert_cmd::assert::OutputAssertExt;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::{contains, is_empty};
use zeroset::io::vtk::Compression;
use zeroset::io::{
    VolumeOptions, WriteOptions, read_mesh, read_volume, write_points, write_volume,
};
use zeroset::points::{Points, find};
use zeroset::primitives::Order;
use zeroset::surface::Voxels;
use zeroset::volume::{Condition, Placement, Samples, Volume};

const FILES: [&str; 4] = ["p.vtp", "p.ply", "p.npy", "p.csv"];

/// Returns a volume of 70 x 5 x 3 voxels in an oblique placement. Voxel n has the value 7919 n
/// modulo 1000.
fn volume() -> Volume {
    let shape = [70, 5, 3];
    let numbers: Vec<i16> = (0..70 * 5 * 3).map(|n| (n * 7919 % 1000) as i16).collect();
    let steps = [[0.0, 0.5, 0.0], [-2.0, 0.0, 0.125], [0.0, 0.0, 1.5]];
    let volume = Volume::new(shape, Samples::from(numbers), Placement::identity()).unwrap();
    volume.placed([10.0, -3.0, 2.0], steps).unwrap()
}

/// Reads a file of points. Returns x, y, z, v, i, j, k of each point.
fn rows(path: &Path) -> Vec<[f64; 7]> {
    let bytes = std::fs::read(path).unwrap();
    match path.extension().unwrap().to_str().unwrap() {
        "csv" => {
            let text = String::from_utf8(bytes).unwrap();
            let mut lines = text.lines();
            assert_eq!(lines.next(), Some("x,y,z,v,i,j,k"));
            let row = |line: &str| {
                let numbers: Vec<f64> = line.split(',').map(|x| x.parse().unwrap()).collect();
                numbers.try_into().unwrap()
            };
            lines.map(row).collect()
        }
        "npy" => {
            let head = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
            assert_eq!((&bytes[..8], head % 64), (&b"\x93NUMPY\x01\0"[..], 0));
            let number = |b: &[u8; 8]| f64::from_le_bytes(*b);
            let numbers: Vec<f64> = bytes[head..].as_chunks().0.iter().map(number).collect();
            let said = format!("'fortran_order': False, 'shape': ({}, 7)", numbers.len() / 7);
            assert!(String::from_utf8_lossy(&bytes[..head]).contains(&said));
            numbers.as_chunks().0.to_vec()
        }
        _ => {
            let mesh = read_mesh(path).unwrap().mesh;
            assert_eq!(mesh.n_cells(), 0);
            let arrays =
                ["v", "i", "j", "k"].map(|n| mesh.vertex_array(n).unwrap().values.to_f64());
            let row = |(n, [x, y, z]): (usize, &[f64; 3])| {
                let [v, i, j, k] = arrays.each_ref().map(|a| a[n]);
                [*x, *y, *z, v, i, j, k]
            };
            mesh.vertices.iter().enumerate().map(row).collect()
        }
    }
}

/// Returns the expected rows, computed by a loop over all voxels.
fn expected(volume: &Volume, holds: impl Fn(f64) -> bool) -> Vec<[f64; 7]> {
    let [nx, ny, nz] = volume.shape();
    let mut rows = Vec::new();
    for (k, j) in (0..nz).flat_map(|k| (0..ny).map(move |j| (k, j))) {
        for i in (0..nx).filter(|&i| holds(volume.value(i, j, k))) {
            let index = [i, j, k].map(|n| n as f64);
            let [x, y, z] = volume.placement().world(index);
            rows.push([x, y, z, volume.value(i, j, k), index[0], index[1], index[2]]);
        }
    }
    rows
}

#[test]
fn every_format_holds_places_values_and_indices() {
    let folder = tempfile::tempdir().unwrap();
    let volume = volume();
    let condition = Condition::new(&volume, &"v > 700".parse().unwrap()).unwrap();
    let points = find(&volume, &condition, Order::Lines).unwrap();
    let wanted = expected(&volume, |v| v > 700.0);
    assert!(wanted.len() > 100);
    for name in FILES {
        let path = folder.path().join(name);
        write_points(&path, &points, Compression::default()).unwrap();
        assert!(rows(&path) == wanted, "{name}");
        write_points(&path, &Points::default(), Compression::default()).unwrap();
        if name.ends_with("csv") || name.ends_with("npy") {
            assert_eq!(rows(&path), [[0.0; 7]; 0], "{name}");
        }
    }
    let error = write_points(&folder.path().join("p.vtu"), &points, Compression::default())
        .unwrap_err()
        .to_string();
    assert!(error.contains("did you mean .vtp?"), "{error}");
}

fn zeroset(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
    command.current_dir(folder).args(arguments);
    command
}

#[test]
fn the_program_lists_voxels_and_pixels() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    write_volume(&place.join("a.nrrd"), &volume(), &WriteOptions::default()).unwrap();
    for name in FILES {
        let mut run = zeroset(place, &["points", "a.nrrd", "--where", "v > 700", "-o", name]);
        run.output()
            .unwrap()
            .assert()
            .code(0)
            .stdout(contains("points of 1050 voxels"))
            .stderr(is_empty());
        assert!(rows(&place.join(name)) == expected(&volume(), |v| v > 700.0), "{name}");
    }
    let order = ["points", "a.nrrd", "--where", "v > 700", "-o", "b.csv", "--order", "blocks"];
    zeroset(place, &order).output().unwrap().assert().code(0);
    let mut blocks = rows(&place.join("b.csv"));
    assert!(blocks != expected(&volume(), |v| v > 700.0));
    blocks.sort_by(|a, b| [a[6], a[5], a[4]].partial_cmp(&[b[6], b[5], b[4]]).unwrap());
    assert!(blocks == expected(&volume(), |v| v > 700.0));

    std::fs::write(place.join("p.pgm"), "P2 3 2 255\n1 200 3\n4 5 255\n").unwrap();
    let run = ["points", "p.pgm", "--where", "v > 100 && i < 2", "-o", "p.csv"];
    zeroset(place, &run).output().unwrap().assert().code(0).stdout(contains("1 point of 6 voxels"));
    assert_eq!(rows(&place.join("p.csv")), [[1.0, 0.0, 0.0, 200.0, 1.0, 0.0, 0.0]]);
    std::fs::write(place.join("one.pgm"), "P2 1 1 255\n7\n").unwrap();
    let one = zeroset(place, &["points", "one.pgm", "--tree", "-o", "one.csv"]).output().unwrap();
    one.assert().code(0).stdout(contains("one.csv: 1 leaf for 1 voxel, highest level 0\n"));
    let row = std::fs::read_to_string(place.join("one.csv")).unwrap();
    assert_eq!(row, "i,j,k,level,voxels,v\n0,0,0,0,1,7\n");
    let raw: Vec<u8> = vec![0, 1, 0, 2];
    std::fs::write(place.join("p.raw"), raw).unwrap();
    let run = ["points", "p.raw", "--raw", "2x2x1:uint8:0.5x1x1", "--where", "v", "-o", "r.csv"];
    zeroset(place, &run).output().unwrap().assert().code(0);
    assert_eq!(rows(&place.join("r.csv"))[1], [0.5, 1.0, 0.0, 2.0, 1.0, 1.0, 0.0]);
}

#[test]
fn nothing_found_is_a_warning_and_an_empty_file() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    write_volume(&place.join("a.nrrd"), &volume(), &WriteOptions::default()).unwrap();
    let run = ["points", "a.nrrd", "--where", "v > 2000", "-o", "none.csv"];
    let said =
        "warning: a.nrrd: no voxel satisfies --where \"v > 2000\"; its values range from 0 to 999";
    zeroset(place, &run).output().unwrap().assert().code(0).stderr(contains(said));
    assert_eq!(std::fs::read_to_string(place.join("none.csv")).unwrap(), "x,y,z,v,i,j,k\n");
}

#[test]
fn what_cannot_be_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    write_volume(&place.join("a.nrrd"), &volume(), &WriteOptions::default()).unwrap();
    let fails = |arguments: &[&str], code: i32, said: &str| {
        let assert = zeroset(place, arguments).output().unwrap().assert().code(code);
        assert.stdout(is_empty()).stderr(contains(said).and(contains("panic").not()));
        assert!(!place.join("o.csv").exists());
    };
    let points =
        |condition: &'static str| ["points", "a.nrrd", "--where", condition, "-o", "o.csv"];
    fails(&points("w > 3"), 2, "unknown name `w`");
    fails(&points("v > t"), 2, "remove t");
    fails(&points("v >"), 2, "invalid value");
    fails(&["points", "a.nrrd", "--where", "v", "-o", "o.xyz"], 2, ".vtp, .ply, .npy or .csv");
    fails(&["points", "b.nrrd", "--where", "v", "-o", "o.csv"], 3, "b.nrrd");
    fails(&["points", "a.nrrd", "--where", "v", "-o", "no/o.csv"], 6, "no/o.csv");
    let order = ["points", "a.nrrd", "--where", "v", "-o", "o.csv", "--order", "line"];
    fails(&order, 2, "did you mean `lines`?");
    if let Some(series) = zeroset_testing::data("volumes/nibabel_nifti2_4d.nii.gz") {
        let series = series.to_str().unwrap();
        fails(&["points", series, "--where", "v", "-o", "o.csv"], 3, "choose one with --volume");
    }
    fails(&["voxelize", "a.nrrd", "-o", "o.vti"], 3, "a.nrrd");
    fails(&["voxelize", "a.nrrd", "-o", "o.csv"], 2, ".nii.gz, .nii, .nrrd, .mha, .vti or .npy");
    fails(&["voxelize", "a.nrrd", "--size", "0", "-o", "o.vti"], 2, "0 is not in 1..=16384");
    zeroset(place, &["generate", "square", "-o", "s.vtp"]).output().unwrap().assert().code(0);
    fails(&["voxelize", "s.vtp", "-o", "o.vti"], 3, "has no inside");
    let torus = format!("{}/meshes/torus.vtp", env!("CARGO_MANIFEST_DIR"));
    fails(&["voxelize", &torus, "--spacing", "1e-7", "-o", "o.vti"], 2, "use larger voxels");
    fails(&["voxelize", &torus, "--spacing", "0", "-o", "o.vti"], 2, "");
}

#[test]
fn a_scan_has_the_points_of_a_loop() {
    let Some(path) = zeroset_testing::data("volumes/CT_pitch.nii.gz") else { return };
    let volume = read_volume(&path, &VolumeOptions::default()).unwrap().volume;
    let condition = Condition::new(&volume, &"v > 300".parse().unwrap()).unwrap();
    let points = find(&volume, &condition, Order::Lines).unwrap();
    let wanted = expected(&volume, |v| v > 300.0);
    assert_eq!(points.len(), wanted.len());
    for (n, row) in wanted.iter().enumerate() {
        let ([x, y, z], v) = (points.positions[n], points.values[n]);
        assert!([x, y, z, v] == row[..4], "point {n}");
    }
}

#[test]
fn voxels_have_the_volume_of_the_mesh() {
    let folder = tempfile::tempdir().unwrap();
    let meshes = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes");
    for (name, exact) in [("torus.vtp", None), ("slab.vtu", Some(()))] {
        let mesh = read_mesh(&meshes.join(name)).unwrap().mesh;
        let path = meshes.join(name).to_str().unwrap().to_string();
        for file in ["o.vti", "o.nrrd", "o.nii.gz", "o.mha", "o.npy"] {
            let run = ["voxelize", &path, "--size", "48", "--margin", "1", "-o", file];
            zeroset(folder.path(), &run)
                .output()
                .unwrap()
                .assert()
                .code(0)
                .stdout(contains("voxels,"));
            let written =
                read_volume(&folder.path().join(file), &VolumeOptions::default()).unwrap();
            let (low, high) = mesh.bounds();
            let longest = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
            let (voxels, _) = Voxels::inside(&mesh, longest / 48.0, 1).unwrap();
            assert_eq!(*written.volume.samples(), Samples::from(voxels.marks.clone()), "{file}");
            assert_eq!(*written.volume.shape().iter().max().unwrap(), 50);
            if file == "o.vti" {
                let volume = voxels.count() as f64 * voxels.spacing.powi(3);
                let wanted = match exact {
                    Some(()) => (0..3).map(|k| high[k] - low[k]).product(),
                    None => signed_volume(&mesh),
                };
                assert!((volume / wanted - 1.0).abs() < 0.06, "{name}: {volume}, {wanted}");
                assert_eq!(written.volume.placement().origin(), voxels.origin);
            }
        }
    }
}

#[test]
fn voxels_of_a_surface_become_a_cloud_round_it() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let mesh = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes/torus.vtp");
    let path = mesh.to_str().unwrap();
    let run = ["voxelize", path, "--size", "64", "--surface", "--margin", "1", "-o", "s.nrrd"];
    let said = contains("66 x 66 x ").and(contains(" on the surface"));
    zeroset(place, &run).output().unwrap().assert().code(0).stdout(said).stderr(is_empty());
    let run = ["points", "s.nrrd", "--where", "v", "-o", "s.npy"];
    zeroset(place, &run).output().unwrap().assert().code(0);
    let mesh = read_mesh(&mesh).unwrap().mesh;
    let (low, high) = mesh.bounds();
    let spacing = (high[0] - low[0]) / 64.0;
    let cloud = rows(&place.join("s.npy"));
    assert_eq!(cloud.len(), Voxels::passed(&mesh, spacing, 1).unwrap().count());
    // Each vertex of the mesh lies in a voxel of the list.
    let near = |x: &[f64; 3]| {
        cloud.iter().any(|p| (0..3).all(|k| (p[k] - x[k]).abs() <= 0.5 * spacing * (1.0 + 1e-9)))
    };
    assert!(mesh.vertices.iter().all(near));
    // An open, planar mesh has voxels on its surface but none inside.
    zeroset(place, &["generate", "square", "-o", "s.vtp"]).output().unwrap().assert().code(0);
    let run = ["voxelize", "s.vtp", "--size", "8", "--surface", "-o", "s.vti"];
    let said = contains("8 x 8 x 1 voxels, 64 on the surface");
    zeroset(place, &run).output().unwrap().assert().code(0).stdout(said).stderr(is_empty());
}

/// Returns the volume of a closed surface, by the divergence theorem.
fn signed_volume(mesh: &zeroset::mesh::Mesh) -> f64 {
    let corner = |v: u32| mesh.vertices[v as usize];
    let of = |t: &[u32]| {
        let [a, b, c] = [corner(t[0]), corner(t[1]), corner(t[2])];
        let cross =
            [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]];
        (0..3).map(|k| a[k] * cross[k]).sum::<f64>() / 6.0
    };
    mesh.iter_cells().map(of).sum::<f64>().abs()
}
