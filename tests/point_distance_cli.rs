//! Tests `zeroset dt` and `zeroset edt`: input files, output files and messages.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use zeroset::io::{VolumeOptions, WriteOptions, read_volume, write_volume};
use zeroset::volume::{Placement, Volume};

const SHAPE: [usize; 3] = [7, 6, 5];

/// A folder with files of points, and with a volume whose value at (i, j, k) is i + 10 j + 100 k.
/// Its voxels measure 0.5, 2 and 3 mm along rotated axes.
struct Place {
    folder: tempfile::TempDir,
    volume: Volume,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let [nx, ny, _] = SHAPE;
        let n: usize = SHAPE.iter().product();
        let value = |n: usize| (n % nx + 10 * (n / nx % ny) + 100 * (n / nx / ny)) as i16;
        let numbers: Vec<i16> = (0..n).map(value).collect();
        let steps = [[0.3, 0.4, 0.0], [-1.6, 1.2, 0.0], [0.0, 0.0, 3.0]];
        let volume = Volume::new(SHAPE, numbers.into(), Placement::identity()).unwrap();
        let volume = volume.placed([10.0, 20.0, 30.0], steps).unwrap();
        let place = Place { folder, volume };
        for name in ["v.nii.gz", "v.nrrd", "v.vti"] {
            write_volume(&place.path(name), &place.volume, &WriteOptions::default()).unwrap();
        }
        place.write("q.csv", "name_of_x;x;y;z\n1;10;20;30\n2;11.5;23;39.25\n3;-4;20.5;31\n");
        place.write("voxels.csv", "0,0,0\n3,3,3\n-2,9,1\n");
        place.write("p.xyz", "0 0 0 1\n4 0 0 2\n0 3 0 3\n0 0 3 3\n");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    fn run(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
        command.current_dir(self.folder.path()).args(arguments);
        command
    }

    #[track_caller]
    fn said(&self, arguments: &[&str]) -> String {
        let assert = self.run(arguments).assert().code(0);
        String::from_utf8(assert.get_output().stdout.clone()).unwrap()
    }

    #[track_caller]
    fn fails(&self, arguments: &[&str], code: i32, message: &str) {
        let assert = self.run(arguments).assert().code(code);
        let text = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        assert!(text.contains(message), "`{message}` is not in: {text}");
    }

    /// Returns the rows of a table without its header.
    fn table(&self, name: &str) -> Vec<Vec<f64>> {
        let text = std::fs::read_to_string(self.path(name)).unwrap();
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("x,y,z,distance,site"));
        lines.map(|line| line.split(',').map(|word| word.parse().unwrap()).collect()).collect()
    }

    /// Returns the distance to the nearest voxel inside, and the index of that voxel. Compares all
    /// voxels.
    fn nearest(&self, x: [f64; 3], inside: impl Fn(i64) -> bool) -> (f64, usize) {
        let all = (0..self.volume.n_voxels()).filter_map(|n| {
            let [i, j, k] = [n % 7, n / 7 % 6, n / 42];
            let at = self.volume.placement().world([i as f64, j as f64, k as f64]);
            let square: f64 = (0..3).map(|k| (at[k] - x[k]).powi(2)).sum();
            inside(self.volume.value(i, j, k) as i64).then_some((square.sqrt(), n))
        });
        all.min_by(|a, b| a.partial_cmp(b).unwrap()).unwrap()
    }
}

fn read(path: &Path) -> Volume {
    read_volume(path, &VolumeOptions::default()).unwrap().volume
}

#[test]
fn distances_of_all_voxels_in_world_units() {
    let place = Place::new();
    let inside = |v: i64| v % 13 == 5;
    for (input, output) in
        [("v.nii.gz", "d.nii.gz"), ("v.nrrd", "d.nrrd"), ("v.vti", "d.vti"), ("v.nrrd", "d.npy")]
    {
        let said = place.said(&["edt", input, "--where", "v - 13*floor(v/13) == 5", "-o", output]);
        assert!(
            said.contains("7 x 6 x 5 voxels, ") && said.contains(" inside, distances 0 to "),
            "{said}"
        );
        let result = read(&place.path(output));
        assert_eq!((result.shape(), result.samples().type_name()), (SHAPE, "float32"));
        if output != "d.npy" {
            let far: f64 = (0..3)
                .map(|k| {
                    (result.placement().world([6.0, 5.0, 4.0])[k]
                        - place.volume.placement().world([6.0, 5.0, 4.0])[k])
                        .abs()
                })
                .sum();
            assert!(far < 1e-4, "{output}: {far}");
        }
        for n in 0..result.n_voxels() {
            let [i, j, k] = [n % 7, n / 7 % 6, n / 42];
            let at = place.volume.placement().world([i as f64, j as f64, k as f64]);
            let (expected, found) = (place.nearest(at, inside).0, result.value(i, j, k));
            assert!(
                (found - expected).abs() < 1e-6 * expected.max(1.0),
                "{output} {n}: {found} {expected}"
            );
        }
    }
    place.said(&["edt", "v.nrrd", "--where", "k >= 2", "--signed", "-o", "s.nrrd"]);
    let signed = read(&place.path("s.nrrd"));
    let column: Vec<f64> = (0..5).map(|k| signed.value(3, 2, k)).collect();
    assert_eq!(column, [4.5, 1.5, -1.5, -4.5, -7.5]);
}

#[test]
fn what_no_transform_can_be_made_of_is_said() {
    let place = Place::new();
    for (arguments, code, message) in [
        (
            &["edt", "v.nrrd", "--where", "v > 1e6", "-o", "d.nrrd"][..],
            2,
            "--where v > 1e6: no voxel of v.nrrd satisfies it, values range from 0 to 456; change the expression",
        ),
        (
            &["edt", "v.nrrd", "--where", "v >= 0", "--signed", "-o", "d.nrrd"],
            2,
            "leave out --signed",
        ),
        (&["edt", "v.nrrd", "--where", "value > 3", "-o", "d.nrrd"], 2, "unknown name `value`"),
        (
            &["edt", "v.nrrd", "--where", "v > t", "-o", "d.nrrd"],
            2,
            "the time t is not available here",
        ),
        (&["edt", "v.nrrd", "--where", "v >", "-o", "d.nrrd"], 2, "v >"),
        (
            &["edt", "v.nrrd", "--where", "v > 3", "-o", "d.ply"],
            2,
            "no volume format has this extension",
        ),
        (&["edt", "v.nrrd", "--where", "v > 3", "-o", "no/d.nrrd"], 6, "create the folder first"),
        (&["edt", "p.xyz", "--where", "v > 3", "-o", "d.nrrd"], 3, "holds no volume"),
        (&["edt", "gone.nrrd", "--where", "v > 3", "-o", "d.nrrd"], 3, "check the path"),
        (&["edt", "v.nrrd", "-o", "d.nrrd"], 2, "--where"),
    ] {
        place.fails(arguments, code, message);
        assert!(!place.path("d.nrrd").exists());
    }
    let skewed = Volume::new([2, 2, 1], vec![0_u8, 1, 1, 1].into(), Placement::identity()).unwrap();
    let skewed =
        skewed.placed([0.0; 3], [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]).unwrap();
    write_volume(&place.path("skewed.nrrd"), &skewed, &WriteOptions::default()).unwrap();
    let run = place.run(&["edt", "skewed.nrrd", "--where", "v", "-o", "d.nrrd"]).assert().code(0);
    let warning = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(warning.contains("axes x and y meet at 45.00 degrees"), "{warning}");
}

#[test]
fn distances_of_points_to_voxels() {
    let place = Place::new();
    let queries = [[10.0, 20.0, 30.0], [11.5, 23.0, 39.25], [-4.0, 20.5, 31.0]];
    for method in ["auto", "brute", "index"] {
        let said = place.said(&[
            "dt",
            "v.nrrd",
            "--where",
            "v > 120",
            "--queries",
            "q.csv",
            "-o",
            "d.csv",
            "--method",
            method,
        ]);
        assert!(said.starts_with("d.csv: 3 distances (L2) to 153 sites, "), "{said}");
        for (row, q) in place.table("d.csv").iter().zip(queries) {
            let (expected, site) = place.nearest(q, |v| v > 120);
            assert_eq!(row[..3], q);
            assert!(
                (row[3] - expected).abs() < 1e-9 && row[4] == site as f64,
                "{row:?} {expected} {site}"
            );
        }
    }
    let single = [
        "dt",
        "v.nrrd",
        "--where",
        "v > 120",
        "--queries",
        "q.csv",
        "-o",
        "f.csv",
        "--precision",
        "f32",
    ];
    assert!(place.said(&single).contains("method: brute in f32; "));
    let pairs = place.table("f.csv").into_iter().zip(place.table("d.csv"));
    assert!(pairs.clone().all(|(f, d)| (f[3] - d[3]).abs() < 1e-5) && pairs.count() == 3);

    let lattice = [
        "dt",
        "v.nrrd",
        "--where",
        "v == 452 || v == 456",
        "--lattice",
        "--queries",
        "voxels.csv",
        "-o",
        "l.csv",
    ];
    let said = place.said(&lattice);
    assert!(
        said.contains(
            "method: brute in f32, exact on this lattice; 1 stream, working set 48 bytes"
        ),
        "{said}"
    );
    // Voxels (2, 5, 4) and (6, 5, 4) have the indices 205 and 209.
    let rows = place.table("l.csv");
    assert_eq!(rows[0][3..], [(4.0 + 25.0 + 16_f64).sqrt(), 205.0]);
    assert_eq!(rows[1][3..], [(1.0 + 4.0 + 1_f64).sqrt(), 205.0]);
    assert_eq!(rows[2][3..], [(16.0 + 16.0 + 9_f64).sqrt(), 205.0]);
    let by = |norm: &str| {
        place.said(&[&lattice[..], &["--norm", norm]].concat());
        place.table("l.csv").iter().map(|row| row[3]).collect::<Vec<_>>()
    };
    assert_eq!(by("l1"), [11.0, 4.0, 11.0]);
    assert_eq!(by("linf"), [5.0, 2.0, 4.0]);
    assert!((by("l3")[0] - (8.0 + 125.0 + 64_f64).cbrt()).abs() < 1e-12);
}

#[test]
fn distances_to_points_that_are_filtered_perforated_or_seen_one_way() {
    let place = Place::new();
    let base = ["dt", "--points", "p.xyz", "--queries", "q.xyz", "-o", "d.csv"];
    place.write("q.xyz", "0 0 0\n4 3 0\n0 0 -1\n");
    let rows = |more: &[&str]| {
        place.said(&[&base[..], more].concat());
        place.table("d.csv").iter().map(|row| (row[3], row[4])).collect::<Vec<_>>()
    };
    assert_eq!(rows(&[]), [(0.0, 0.0), (3.0, 1.0), (1.0, 0.0)]);
    assert_eq!(rows(&["--where", "column_4 == 3"]), [(3.0, 2.0), (4.0, 2.0), (10_f64.sqrt(), 2.0)]);
    assert_eq!(
        rows(&["--where", "z > 1", "--lattice"]),
        [(3.0, 3.0), (34_f64.sqrt(), 3.0), (4.0, 3.0)]
    );
    assert_eq!(rows(&["--perforation", "2"]), [(0.0, 0.0), (4.0, 2.0), (1.0, 0.0)]);
    let said = place.said(&[&base[..], &["--perforation", "2"]].concat());
    // The relative errors are (4 - 3) / 3 and 0. One query coincides with a site.
    assert!(
        said.contains("one site in 2, mean error 16.67 % over 3 sampled queries, 1 excluded"),
        "{said}"
    );
    let up = ["--direction", "0,0,2", "--angle", "10"];
    let far = f64::INFINITY;
    assert_eq!(rows(&up), [(0.0, 0.0), (far, -1.0), (1.0, 0.0)]);
    assert!(place.said(&[&base[..], &up].concat()).contains("; 1 without a site"));
    assert_eq!(rows(&[&up[..], &["--cylinder", "3"]].concat())[1], (3.0, 1.0));
    place.write("q.xyz", "1 0 0 1 0 0\n1 0 0 -1 0 0\n0 -1 0 0 1 0\n");
    assert_eq!(
        rows(&["--direction", "normals", "--angle", "1"]),
        [(3.0, 1.0), (1.0, 0.0), (1.0, 0.0)]
    );
}

#[test]
fn points_are_taken_from_what_the_program_writes() {
    let place = Place::new();
    let list = |name: &str| place.said(&["points", "v.nrrd", "--where", "v > 400", "-o", name]);
    let asked = |name: &str| {
        let output = place.run(&["dt", "--points", name, "--queries", "q.csv", "-o", "d.csv"]).ok();
        let said = String::from_utf8(output.unwrap_or_else(|e| panic!("{e}")).stderr).unwrap();
        // There are no warnings.
        assert_eq!(said, "", "{name}");
        place.table("d.csv")
    };
    list("p.csv");
    let expected = asked("p.csv");
    for name in ["p.npy", "p.vtp", "p.ply"] {
        list(name);
        assert_eq!(asked(name), expected, "{name}");
    }
    let dt = ["dt", "--points", "p.npy", "--queries", "p.npy", "-o", "d.csv"];
    place.said(&[&dt[..], &["--where", "column_4 > 400"]].concat());
    assert!(place.table("d.csv").iter().all(|row| row[3] == 0.0));
    place.fails(&[&dt[..], &["--where", "v > 400"]].concat(), 2, "there are: column_4");
    place.said(&["convert", "v.nrrd", "v.npy"]);
    let volume = ["dt", "--points", "v.npy", "--queries", "q.csv", "-o", "d.csv"];
    place.fails(&volume, 3, "v.npy: is a volume, expected points");
}

#[test]
fn squares_below_the_range_are_refused() {
    let place = Place::new();
    place.write("s.xyz", "0 0 0\n3e-200 0 0\n1 1 1\n");
    place.write("t.xyz", "1e-200 0 0\n");
    let dt = ["dt", "--points", "s.xyz", "--queries", "t.xyz", "-o", "d.csv"];
    for method in ["brute", "index"] {
        let dt = [&dt[..], &["--method", method]].concat();
        place.fails(&dt, 2, "query 0 is so near to site 0 that the square");
        place.said(&[&dt[..], &["--norm", "linf"]].concat());
        assert_eq!(place.table("d.csv")[0][3], 1e-200);
        std::fs::remove_file(place.path("d.csv")).unwrap();
        place.write("t.xyz", "3e-200 0 0\n");
        // A distance of exactly zero is always allowed, although its square is below the range.
        place.said(&[&["dt", "--points", "t.xyz", "--queries", "t.xyz"], &dt[5..]].concat());
        place.write("t.xyz", "1e-200 0 0\n");
    }
    place.write("t.xyz", "1e-20 0 0\n");
    let single = ["--precision", "f32"];
    place.fails(&[&dt[..], &single].concat(), 2, "query 0 is so near");
    place.said(&dt);
    assert_eq!(place.table("d.csv")[0][3], 1e-20);
    place.write("s.xyz", "0 0 0\n1e-50 0 0\n");
    place.write("t.xyz", "0 0 0\n");
    place.fails(&[&dt[..], &single].concat(), 2, "are zero in single precision");
}

#[test]
fn a_small_working_set_takes_some_queries_at_a_time() {
    let place = Place::new();
    let queries: String = (0..500).map(|n| format!("{} {} 3\n", n % 23, n / 23)).collect();
    place.write("q.xyz", &queries);
    let dt = ["dt", "--points", "p.xyz", "--queries", "q.xyz", "-o", "d.csv", "--method", "brute"];
    place.said(&dt);
    let expected = place.table("d.csv");
    for (memory, used) in [("1KiB", "1.0 KiB"), ("32", "32 bytes"), ("100", "96 bytes")] {
        let said = place.said(&[&dt[..], &["--memory", memory, "--threads", "1"]].concat());
        assert!(said.contains(used), "{said}");
        assert_eq!(place.table("d.csv"), expected);
    }
    place.fails(&[&dt[..], &["--memory", "31"]].concat(), 2, "raise the limit (--memory)");
}

#[test]
fn what_cannot_be_asked_is_said() {
    let place = Place::new();
    place.write("bad.csv", "x,y,z\n1,2,3\n1,nan,3\n");
    place.write("two.csv", "1,2\n");
    let base = |more: &[&'static str]| [&["dt", "-o", "d.csv"], more].concat();
    let points = |more: &[&'static str]| {
        base(&[&["--points", "p.xyz", "--queries", "q.csv"], more].concat())
    };
    for (arguments, code, message) in [
        (base(&["--queries", "q.csv"]), 2, "--points"),
        (base(&["v.nrrd", "--queries", "q.csv"]), 2, "--where"),
        (
            base(&["v.nrrd", "--where", "v > 999", "--queries", "q.csv"]),
            2,
            "no voxel of v.nrrd satisfies it",
        ),
        (
            points(&["--where", "z > 9"]),
            2,
            "--where z > 9: none of the 4 points of p.xyz satisfies it",
        ),
        (
            points(&["--where", "v > 9"]),
            2,
            "there is no array \"v\" of single numbers; there are: column_4",
        ),
        (
            points(&["--lattice"]),
            3,
            "q.csv: point 1: coordinates [11.5, 23.0, 39.25], expected 32-bit",
        ),
        (points(&["--direction", "normals", "--angle", "9"]), 3, "there is no array nx"),
        (points(&["--direction", "0,0,0", "--angle", "9"]), 2, "give a direction that is not zero"),
        (points(&["--direction", "0,0,1", "--angle", "200"]), 2, "the half angle 200 degrees"),
        (points(&["--direction", "0,0,1"]), 2, "--angle"),
        (points(&["--direction", "up", "--angle", "9"]), 2, "expected X,Y,Z or normals"),
        (points(&["--norm", "l0.5"]), 2, "a number of at least 1"),
        (points(&["--method", "tree"]), 2, "expected auto, brute or index"),
        (points(&["--perforation", "0"]), 2, "--perforation"),
        (points(&["--memory", "20"]), 2, "raise the limit (--memory)"),
        (points(&["--memory", "12MB"]), 2, "KiB, MiB or GiB"),
        (points(&["--raw", "1x1x1:uint8"]), 2, "--raw is for volumes"),
        (base(&["--points", "v.nrrd", "--queries", "q.csv"]), 3, "is a volume, expected points"),
        (
            base(&["--points", "p.xyz", "--queries", "bad.csv"]),
            3,
            "bad.csv: point 1: coordinates [1.0, NaN, 3.0]",
        ),
        (
            base(&["--points", "p.xyz", "--queries", "two.csv"]),
            3,
            "has 2 columns, expected x, y and z",
        ),
        (
            vec!["dt", "-o", "d.txt", "--points", "p.xyz", "--queries", "q.csv"],
            2,
            "end the name in .csv",
        ),
        (
            vec!["dt", "-o", "no/d.csv", "--points", "p.xyz", "--queries", "q.csv"],
            6,
            "create the folder first",
        ),
    ] {
        place.fails(&arguments, code, message);
        assert!(!place.path("d.csv").exists());
    }
}

#[test]
fn a_gpu_that_is_not_there_or_does_not_serve_is_said() {
    let place = Place::new();
    let without = |arguments: &[&str], code: i32, message: &str| {
        let mut command = place.run(arguments);
        let assert = command.env("CUDA_VISIBLE_DEVICES", "").assert().code(code);
        let text = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        assert!(text.contains(message), "{text}");
    };
    let edt = |device| ["edt", "v.nrrd", "--where", "v > 300", "-o", "d.nrrd", "--device", device];
    without(&edt("cuda"), 5, "error: device: ");
    assert!(!place.path("d.nrrd").exists());
    without(&edt("auto"), 0, "");
    let dt = ["dt", "v.nrrd", "--where", "v > 300", "--queries", "voxels.csv", "-o", "d.csv"];
    let with = |more: &[&'static str]| [&dt[..], more].concat();
    without(&with(&["--lattice", "--device", "cuda"]), 5, "error: device: ");
    without(&with(&["--lattice", "--device", "auto"]), 0, "");
    without(&with(&["--device", "cuda"]), 5, "error: device: ");
    without(&with(&["--gpus", "2"]), 0, "--gpus 2: the CPU is used: the CPU computes so few");
    without(&with(&["--gpus", "2", "--device", "cpu"]), 0, "CPU is used: --device cpu");
    let index = ["--device", "cuda", "--method", "index", "--perforation", "2"];
    without(&with(&index), 2, "use --method brute");
    let norm = ["--method", "index", "--device", "cuda", "--norm", "l3"];
    without(&with(&norm), 2, "only the norms l1, l2 and linf");
    without(&with(&["--device", "gpu"]), 2, "gpu");
}

/// If there is a GPU, both devices write the same files.
#[test]
fn a_gpu_writes_what_the_cpu_writes() {
    if let Err(error) = zeroset::gpu::available(0) {
        let required = std::env::var("ZEROSET_REQUIRE_CUDA").is_ok_and(|v| v == "1");
        assert!(!required, "ZEROSET_REQUIRE_CUDA is 1, but {error:?}");
        eprintln!("NOT TESTED on a GPU: {error:?}");
        return;
    }
    let place = Place::new();
    let same = |arguments: &[&str]| {
        let written = ["cpu", "cuda"].map(|device| {
            let name = format!("{device}.csv");
            place.said(&[arguments, &["--device", device, "-o", &name]].concat());
            std::fs::read(place.path(&name)).unwrap()
        });
        assert!(written[0] == written[1], "{arguments:?}");
    };
    let dt = ["dt", "v.nrrd", "--where", "v > 300", "--queries", "voxels.csv", "--lattice"];
    for more in [&["--norm", "l1"][..], &["--method", "brute"], &["--method", "index"]] {
        same(&[&dt[..], more].concat());
    }
    same(&[
        "dt",
        "--points",
        "p.xyz",
        "--queries",
        "q.csv",
        "--precision",
        "f32",
        "--method",
        "index",
    ]);
    for more in [&[][..], &["--method", "index"], &["--norm", "l1", "--perforation", "2"]] {
        same(&[&["dt", "--points", "p.xyz", "--queries", "q.csv"][..], more].concat());
    }
    for signed in [&[][..], &["--signed"]] {
        let written = ["cpu", "cuda"].map(|device| {
            let name = format!("{device}.npy");
            let edt = ["edt", "v.nrrd", "--where", "v > 300", "-o", &name, "--device", device];
            place.said(&[&edt[..], signed].concat());
            std::fs::read(place.path(&name)).unwrap()
        });
        let numbers = written.map(|bytes| {
            let (_, tail) = bytes.split_at(bytes.len() - 4 * SHAPE.iter().product::<usize>());
            tail.as_chunks().0.iter().map(|&b| f32::from_le_bytes(b)).collect::<Vec<f32>>()
        });
        for (a, b) in numbers[0].iter().zip(&numbers[1]) {
            assert!((a - b).abs() <= 4e-7 * a.abs(), "{a} {b}");
        }
    }
}
