//! Tests the modes of `zeroset points` other than plain lists, including trees and matrices,
//! against loops over all voxels.

use std::path::Path;
use std::process::Command;

use assert_cmd::assert::OutputAssertExt;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::{contains, is_empty};
use zeroset::io::{MeshFile, VolumeOptions, WriteOptions, read_mesh, read_volume, write_volume};
use zeroset::volume::{Placement, Samples, Volume};

const SHAPE: [usize; 3] = [21, 10, 6];

/// Returns a volume of 21 x 10 x 6 voxels in an oblique placement. Voxel n has the value 7919 n
/// modulo 1000.
fn volume() -> Volume {
    let n = SHAPE.iter().product::<usize>() as i64;
    let numbers: Vec<i16> = (0..n).map(|n| (n * 7919 % 1000) as i16).collect();
    let steps = [[0.0, 0.5, 0.0], [-2.0, 0.0, 0.125], [0.0, 0.0, 1.5]];
    let volume = Volume::new(SHAPE, Samples::from(numbers), Placement::identity()).unwrap();
    volume.placed([10.0, -3.0, 2.0], steps).unwrap()
}

/// Creates a folder with the volume as `a.nrrd`.
fn place() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write_volume(&folder.path().join("a.nrrd"), &volume(), &WriteOptions::default()).unwrap();
    folder
}

/// Returns the standard output of a command that must succeed without warnings.
fn said(folder: &Path, line: &str) -> String {
    let output = run(folder, line).output().unwrap();
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    output.assert().code(0).stderr(is_empty());
    text
}

fn run(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
    command.current_dir(folder).args(line.split(' '));
    command
}

/// Parses rows of text below a header line.
fn rows(text: &str) -> Vec<Vec<f64>> {
    let row = |line: &str| line.split(',').map(|x| x.parse().unwrap()).collect();
    text.lines().skip(1).map(row).collect()
}

/// Returns x, y, z, v, i, j, k of the voxels for which a function of the value and the index is
/// true. x varies fastest.
fn expected(holds: impl Fn(f64, [usize; 3]) -> bool) -> Vec<Vec<f64>> {
    let volume = volume();
    let all = (0..volume.n_voxels()).map(|n| volume.index_of(n));
    all.filter_map(|index| {
        let [i, j, k] = index;
        let v = volume.value(i, j, k);
        let [x, y, z] = volume.placement().world(index.map(|n| n as f64));
        holds(v, index).then(|| vec![x, y, z, v, i as f64, j as f64, k as f64])
    })
    .collect()
}

#[test]
fn rows_are_printed_without_a_file() {
    let folder = place();
    let text = said(folder.path(), "points a.nrrd --where v>700");
    assert!(text.starts_with("x,y,z,v,i,j,k\n"));
    assert_eq!(rows(&text), expected(|v, _| v > 700.0));
}

#[test]
fn numbers_are_counted_in_all_in_boxes_and_in_blocks() {
    let folder = place();
    let ask = |line: &str| said(folder.path(), &format!("points a.nrrd --where v>700 {line}"));
    let all = expected(|v, _| v > 700.0).len();
    assert_eq!(ask("--count"), format!("{all}\n"));
    assert_eq!(said(folder.path(), "points a.nrrd --where 0 --count"), "0\n");
    let boxes = ["0:21,0:10,0:6", ":,:,:", "3:17,2:9,1:5", "20:21,9:10,5:6", ":8,4:,:3"];
    let ends = [[0, 21, 0, 10, 0, 6]; 2].into_iter();
    let ends = ends.chain([[3, 17, 2, 9, 1, 5], [20, 21, 9, 10, 5, 6], [0, 8, 4, 10, 0, 3]]);
    let count = |[a, b, c, d, e, f]: [usize; 6]| {
        let inside = |[i, j, k]: [usize; 3]| {
            (a..b).contains(&i) && (c..d).contains(&j) && (e..f).contains(&k)
        };
        expected(|v, index| v > 700.0 && inside(index)).len()
    };
    let wanted: String = ends.map(|ends| format!("{}\n", count(ends))).collect();
    assert_eq!(ask(&format!("--count --box {}", boxes.join(" --box "))), wanted);
    for edge in [1, 4, 5, 30] {
        for file in ["b.nrrd", "b.vti"] {
            assert!(ask(&format!("--blocks {edge} -o {file}")).contains(" blocks with "));
            let read = read_volume(&folder.path().join(file), &VolumeOptions::default()).unwrap();
            let blocks = read.volume;
            assert_eq!(blocks.shape(), SHAPE.map(|n| n.div_ceil(edge)));
            for n in 0..blocks.n_voxels() {
                let [i, j, k] = blocks.index_of(n);
                let ends = [i, i + 1, j, j + 1, k, k + 1].map(|n| n * edge);
                assert_eq!(blocks.value(i, j, k), count(ends) as f64, "{edge}: {i} {j} {k}");
            }
            if file == "b.nrrd" {
                let middle = [(edge - 1) as f64 / 2.0; 3];
                assert_eq!(blocks.placement().origin(), volume().placement().world(middle));
                let step = |axis: [f64; 3]| axis.map(|x| x * edge as f64);
                assert_eq!(blocks.placement().steps(), volume().placement().steps().map(step));
            }
        }
    }
}

#[test]
fn entries_are_those_of_the_list() {
    let folder = place();
    for order in ["lines", "blocks"] {
        let ask = |line: &str| {
            let line = format!("points a.nrrd --where v>700 --order {order} {line}");
            rows(&said(folder.path(), line.trim_end()))
        };
        let all = ask("");
        let n = all.len();
        assert!(n > 300);
        assert_eq!(ask("--entries 17"), all[17..18]);
        assert_eq!(ask("--entries 100..140"), all[100..140]);
        assert_eq!(ask("--entries ..3"), all[..3]);
        assert_eq!(ask(&format!("--entries {}..", n - 2)), all[n - 2..]);
        let cloned = |copies: &dyn Fn(f64) -> usize| -> Vec<Vec<f64>> {
            let copies = |row: &Vec<f64>| {
                (0..copies(row[3]))
                    .map(|c| [row.as_slice(), &[c as f64]].concat())
                    .collect::<Vec<_>>()
            };
            all.iter().flat_map(copies).collect()
        };
        let thrice = cloned(&|_| 3);
        assert_eq!(ask("--copies 3"), thrice);
        assert_eq!(ask("--copies 3 --entries 100..111"), thrice[100..111]);
        assert_eq!(ask("--copies 3 --entries 302"), thrice[302..303]);
        assert_eq!(ask(&format!("--copies 3 --entries {}..", 3 * n - 4)), thrice[3 * n - 4..]);
        let some = cloned(&|v| (v / 150.0 - 4.0).max(0.0) as usize);
        assert!(some.len() > n / 2 && some.len() < 3 * n);
        assert_eq!(ask("--copies max(0,v/150-4)"), some);
        assert_eq!(ask("--copies max(0,v/150-4) --entries 50..90"), some[50..90]);
    }
    for file in ["c.csv", "c.npy", "c.vtp", "c.ply"] {
        said(folder.path(), &format!("points a.nrrd --where v>900 --copies 2 -o {file}"));
    }
    let text = std::fs::read_to_string(folder.path().join("c.csv")).unwrap();
    assert!(text.starts_with("x,y,z,v,i,j,k,copy\n"));
    let wanted = rows(&text);
    assert!(wanted.iter().enumerate().all(|(n, row)| row[7] == (n % 2) as f64));
    let read = read_volume(&folder.path().join("c.npy"), &VolumeOptions::default()).unwrap();
    assert_eq!(read.volume.shape(), [wanted.len(), 8, 1]);
    for file in ["c.vtp", "c.ply"] {
        let mesh = read_mesh(&folder.path().join(file)).unwrap().mesh;
        let copies = mesh.vertex_array("copy").unwrap().values.to_f64();
        assert!(copies.iter().eq(wanted.iter().map(|row| &row[7])));
    }
}

#[test]
fn edges_and_templates_are_found_beside_expressions() {
    let folder = place();
    let volume = volume();
    let spacing = volume.placement().spacing();
    let gradient = |index: [usize; 3]| {
        let along = |axis: usize| {
            let (mut back, mut on) = (index, index);
            back[axis] = index[axis].saturating_sub(1);
            on[axis] = (index[axis] + 1).min(SHAPE[axis] - 1);
            let value = |[i, j, k]: [usize; 3]| volume.value(i, j, k);
            (value(on) - value(back)) / ((on[axis] - back[axis]) as f64 * spacing[axis])
        };
        (0..3).map(|axis| along(axis).powi(2)).sum::<f64>().sqrt()
    };
    let output = run(folder.path(), "points a.nrrd --edge 500.5").output().unwrap();
    // The axes of the volume are not perpendicular, and the program says so.
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    output.assert().code(0).stderr(contains("meet at"));
    let wanted = expected(|_, index| gradient(index) >= 500.5);
    assert!(wanted.len() > 50 && wanted.len() < 1200, "{}", wanted.len());
    assert_eq!(rows(&text), wanted);
    let output = run(folder.path(), "points a.nrrd --edge 500.5 --where v>500 --count").output();
    let both = expected(|v, index| v > 500.0 && gradient(index) >= 500.5).len();
    output.unwrap().assert().code(0).stdout(format!("{both}\n"));

    // The image contains a pattern of 2 x 3 pixels twice. The first pixel of the second copy is too
    // large by 5.
    let mut pixels = vec![0_u8; 12 * 9];
    let mark = [50, 60, 70, 80, 90, 100];
    for (at, error) in [(2 + 12 * 3, 0), (7 + 12 * 5, 5)] {
        for (n, value) in mark.iter().enumerate() {
            pixels[at + n % 2 + 12 * (n / 2)] = value + if n == 0 { error } else { 0 };
        }
    }
    let write = |name: &str, shape: [usize; 3], pixels: Vec<u8>| {
        let picture = Volume::new(shape, pixels.into(), Placement::identity()).unwrap();
        write_volume(&folder.path().join(name), &picture, &WriteOptions::default()).unwrap();
    };
    write("p.nrrd", [12, 9, 1], pixels);
    write("m.nrrd", [2, 3, 1], mark.to_vec());
    let found = |line: &str| -> Vec<[f64; 2]> {
        rows(&said(folder.path(), line)).iter().map(|row| [row[4], row[5]]).collect()
    };
    assert_eq!(found("points p.nrrd --match m.nrrd"), [[3.0, 4.0]]);
    assert_eq!(found("points p.nrrd --match m.nrrd --tolerance 5"), [[3.0, 4.0], [8.0, 6.0]]);
    assert_eq!(found("points p.nrrd --match m.nrrd --tolerance 5 --where i>5"), [[8.0, 6.0]]);
    run(folder.path(), "points m.nrrd --match p.nrrd")
        .output()
        .unwrap()
        .assert()
        .code(2)
        .stderr(contains("the template has 12 voxels along i, but m.nrrd has 2"));
}

/// Returns the total area or volume of the cells, which fill the volume of the file.
fn sizes(file: &MeshFile) -> f64 {
    let mesh = &file.mesh;
    mesh.iter_cells()
        .map(|cell| {
            let corner = |n: usize| mesh.vertices[cell[n] as usize];
            let [a, b, c] = [1, 2, 3 % cell.len()]
                .map(|n| std::array::from_fn::<f64, 3, _>(|k| corner(n)[k] - corner(0)[k]));
            let cross =
                [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
            match cell.len() {
                3 => cross.iter().map(|x| x * x).sum::<f64>().sqrt() / 2.0,
                _ => (0..3).map(|k| cross[k] * c[k]).sum::<f64>().abs() / 6.0,
            }
        })
        .sum()
}

#[test]
fn leaves_of_a_tree_are_blocks_of_one_value() {
    let folder = tempfile::tempdir().unwrap();
    let shape = [13, 9, 7];
    let value = |[i, j, k]: [usize; 3]| {
        let far = (i * i + 2 * j * j + 3 * k * k) as f64;
        u8::from(far < 120.0) + u8::from(i > 9)
    };
    let n: usize = shape.iter().product();
    let index = |n: usize| [n % 13, n / 13 % 9, n / 117];
    let values: Vec<u8> = (0..n).map(|n| value(index(n))).collect();
    let volume = Volume::new(shape, values.clone().into(), Placement::identity()).unwrap();
    let steps = [[0.0, 0.5, 0.0], [-2.0, 0.0, 0.125], [0.0, 0.0, 1.5]];
    let volume = volume.placed([1.0, 2.0, 3.0], steps).unwrap();
    write_volume(&folder.path().join("v.nrrd"), &volume, &WriteOptions::default()).unwrap();
    let flat = Volume::new([13, 63, 1], values.clone().into(), Placement::identity()).unwrap();
    write_volume(&folder.path().join("p.nrrd"), &flat, &WriteOptions::default()).unwrap();
    for (file, shape) in [("v.nrrd", shape), ("p.nrrd", [13, 63, 1])] {
        for ask in ["", " --where v==1"] {
            let text = said(folder.path(), &format!("points {file}{ask} --tree -o t.csv"));
            let rows = rows(&std::fs::read_to_string(folder.path().join("t.csv")).unwrap());
            assert!(text.contains(" leaves for 819 voxels, highest level "), "{text}");
            let mut covered = vec![0; n];
            for row in &rows {
                let [i, j, k, level, voxels] = [0, 1, 2, 3, 4].map(|c| row[c] as usize);
                let end = |first: usize, size: usize| (first + (1 << level)).min(size);
                let mut here = 0;
                for z in k..end(k, shape[2]) {
                    for y in j..end(j, shape[1]) {
                        for x in i..end(i, shape[0]) {
                            let at = x + shape[0] * (y + shape[1] * z);
                            assert_eq!(f64::from(values[at]), row[5]);
                            covered[at] += 1;
                            here += 1;
                        }
                    }
                }
                assert_eq!(here, voxels);
            }
            let wanted = |v: u8| i32::from(ask.is_empty() || v == 1);
            assert!(covered.iter().zip(&values).all(|(&n, &v)| n == wanted(v)), "{file} {ask}");
            let endings: &[&str] = if shape[2] == 1 { &["vtu", "vtp"] } else { &["vtu"] };
            for ending in endings {
                said(folder.path(), &format!("points {file}{ask} --tree -o t.{ending}"));
                let read = read_mesh(&folder.path().join(format!("t.{ending}"))).unwrap();
                let voxels = covered.iter().sum::<i32>() as f64;
                let each = if shape[2] == 1 { 1.0 } else { 1.5 };
                assert!((sizes(&read) - voxels * each).abs() < 1e-9 * voxels, "{}", sizes(&read));
                assert_eq!(read.mesh.vertices.len(), rows.len() * if each == 1.0 { 4 } else { 8 });
            }
        }
    }
}

#[test]
fn matrices_have_the_entries_of_the_array() {
    let folder = tempfile::tempdir().unwrap();
    let (rows, columns) = (3, 5);
    // Entry (r, c) is 10 r + c if r + c is odd, and 0 otherwise.
    let entry = |r: usize, c: usize| if (r + c) % 2 == 1 { (10 * r + c) as i32 } else { 0 };
    let in_lines = (0..rows * columns).map(|n| entry(n / columns, n % columns)).collect::<Vec<_>>();
    let turned = (0..rows * columns).map(|n| entry(n % rows, n / rows)).collect::<Vec<_>>();
    let write = |name: &str, shape: [usize; 3], samples: Samples| {
        let array = Volume::new(shape, samples, Placement::identity()).unwrap();
        write_volume(&folder.path().join(name), &array, &WriteOptions::default()).unwrap();
    };
    write("a.nrrd", [columns, rows, 1], in_lines.into());
    // The index order is [x][y], like rows and columns in NumPy.
    write("a.npy", [rows, columns, 1], turned.clone().into());
    let halves: Vec<f64> = turned.iter().map(|&x| f64::from(x) / 2.0).collect();
    write("h.npy", [rows, columns, 1], halves.into());
    let places = || (0..rows * columns).map(|n| (n / columns, n % columns));
    let matrix = |field: &str, kept: &dyn Fn(usize, usize) -> bool, by: f64| {
        let kept: Vec<_> = places().filter(|&(r, c)| kept(r, c)).collect();
        let lines = kept
            .iter()
            .map(|&(r, c)| format!("{} {} {}\n", r + 1, c + 1, f64::from(entry(r, c)) / by));
        let n = kept.len();
        let head = format!("%%MatrixMarket matrix coordinate {field} general\n3 5 {n}\n");
        head + &lines.collect::<String>()
    };
    let found = |line: &str| {
        let text = said(folder.path(), &format!("points {line} --sparse -o m.mtx"));
        assert!(text.starts_with("m.mtx: 3 x 5 matrix, "), "{text}");
        std::fs::read_to_string(folder.path().join("m.mtx")).unwrap()
    };
    let odd = |r: usize, c: usize| entry(r, c) != 0;
    assert_eq!(found("a.nrrd"), matrix("integer", &odd, 1.0));
    assert_eq!(found("a.npy"), matrix("integer", &odd, 1.0));
    assert_eq!(found("h.npy"), matrix("real", &odd, 2.0));
    let low = |r: usize, c: usize| entry(r, c) < 12 && r > 0;
    assert_eq!(found("a.npy --where v<12&&i>0"), matrix("integer", &low, 1.0));
    let cube = Volume::new([2, 2, 2], vec![1_u8; 8].into(), Placement::identity()).unwrap();
    write_volume(&folder.path().join("c.nrrd"), &cube, &WriteOptions::default()).unwrap();
    let fails = |line: &str, code: i32, text: &str| {
        let output = run(folder.path(), line).output().unwrap();
        output.assert().code(code).stderr(contains(text).and(contains("panic").not()));
    };
    fails("points c.nrrd --sparse -o m.mtx", 3, "an array of 2 x 2 x 2 numbers is not a matrix");
    fails("points a.npy --sparse -o m.npz", 2, "end the name in .mtx");
    fails("points a.npy --sparse --where w -o m.mtx", 2, "unknown name `w`");
}

#[test]
fn what_cannot_be_asked_is_refused_with_the_reason() {
    let folder = place();
    let fails = |line: &str, text: &str| {
        let output = run(folder.path(), &format!("points a.nrrd {line}")).output().unwrap();
        output.assert().code(2).stderr(contains(text).and(contains("panic").not()));
        assert!(!folder.path().join("o.csv").exists());
    };
    let n = expected(|v, _| v > 700.0).len();
    fails("", "--where <EXPRESSION>");
    fails("--where v>700 --entries -3", "is not an integer >= 0");
    fails("--where v>700 --entries 9..5", "the range is empty");
    let (there, last) = (format!("there are {n} entries"), format!("from 0 to {}", n - 1));
    fails("--where v>700 --entries 5000", &there);
    fails(&format!("--where v>700 --entries 5..{} -o o.csv", n + 1), &last);
    fails("--where v>700 --entries 4000.. --copies 3", &format!("there are {} entries", 3 * n));
    fails("--where v>7000 --entries 0", "there are 0 entries");
    fails("--where v>700 --copies v-800", "copies of voxel");
    fails("--where v>700 --copies w", "unknown name `w`");
    fails("--where v>700 --copies 0 --entries 0", "there are 0 entries");
    fails("--where v>700 --count --box 0:30,:,:", "there are 21 voxels");
    fails("--where v>700 --count --box 5:5,:,:", "the range 5:5 along i is empty");
    fails("--where v>700 --count --box 1,2,3", "write I0:I1,J0:J1,K0:K1");
    fails("--where v>700 --box :,:,:", "--count");
    fails("--where v>700 --count -o o.csv", "cannot be used with");
    fails("--where v>700 --blocks 4", "--output <OUT>");
    fails("--where v>700 --blocks 0 -o o.nrrd", "0 is not in 1..");
    fails("--where v>700 --blocks 4 -o o.csv", ".nrrd");
    fails("--edge -1 -o o.csv", "expected a number >= 0");
    fails("--where v --tolerance 3", "--match <TEMPLATE>");
    let fails = |line: &str, code: i32, text: &str| {
        let output = run(folder.path(), line).output().unwrap();
        output.assert().code(code).stderr(contains(text).and(contains("panic").not()));
    };
    fails("points a.nrrd --match none.png", 3, "none.png");
    fails("points a.nrrd --tree -o t.vtp", 2, ".vtp cannot hold the boxes of a volume");
    fails("points a.nrrd --tree -o t.vtx", 2, "did you mean .vt");
    fails("points none.nrrd --tree -o t.vtu", 3, "none.nrrd");
    let remedy = "leave out one of them";
    fails("points a.nrrd --tree --count", 2, remedy);
    fails("points a.nrrd --tree --entries 3 -o t.csv", 2, remedy);
    fails("points a.nrrd --sparse --edge 3 -o m.mtx", 2, remedy);
    fails("points a.nrrd --tree", 2, "--output <OUT>");
}

/// `tree` and `sparse` were commands before they became modes. The old names still work.
#[test]
fn old_commands_do_what_the_modes_do() {
    let folder = place();
    let answer = |line: &str, file: &str| {
        let output = run(folder.path(), line).output().unwrap();
        let written = std::fs::read(folder.path().join(file)).ok();
        let _ = std::fs::remove_file(folder.path().join(file));
        (output.status.code(), output.stdout, output.stderr, written)
    };
    std::fs::write(folder.path().join("p.pgm"), b"P5 3 2 255\n\x00\x01\x01\x02\x00\x01").unwrap();
    for (old, new, file, code) in [
        ("tree a.nrrd -o t.csv", "points a.nrrd --tree -o t.csv", "t.csv", 0),
        (
            "-v tree p.pgm --where v>1 -o t.vtp",
            "-v points p.pgm --tree --where v>1 -o t.vtp",
            "t.vtp",
            0,
        ),
        (
            "tree a.nrrd --where v<0 -o t.csv",
            "points a.nrrd --tree --where v<0 -o t.csv",
            "t.csv",
            0,
        ),
        ("tree a.nrrd -o t.vtp", "points a.nrrd --tree -o t.vtp", "t.vtp", 2),
        ("tree a.nrrd", "points a.nrrd --tree", "t.csv", 2),
        ("sparse p.pgm -o m.mtx", "points p.pgm --sparse -o m.mtx", "m.mtx", 0),
        ("sparse a.nrrd -o m.mtx", "points a.nrrd --sparse -o m.mtx", "m.mtx", 3),
        ("sparse none.npy -o m.mtx", "points none.npy --sparse -o m.mtx", "m.mtx", 3),
        ("tree --help", "points --help", "t.csv", 0),
    ] {
        let (then, now) = (answer(old, file), answer(new, file));
        assert_eq!(then, now, "{old}");
        assert_eq!(then.0, Some(code), "{old}");
        assert_eq!(then.3.is_some(), code == 0 && !old.contains("--help"), "{old}");
    }
    let help = Command::new(env!("CARGO_BIN_EXE_zeroset")).arg("--help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    assert!(!help.contains("  tree ") && !help.contains("  sparse "), "{help}");
}
