//! `zeroset sample` and what it draws; `zeroset info` of clouds.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use zeroset::cloud::{Noise, Sampler, Sampling, survey};
use zeroset::io;
use zeroset::mesh::generate::{Generate, Sphere, generate};
use zeroset::mesh::{Kind, Mesh};

/// Two triangles of areas 1 and 3, and one of none.
fn two() -> Mesh {
    let vertices = vec![
        [0.0, 0.0, 5.0],
        [2.0, 0.0, 5.0],
        [0.0, 1.0, 5.0],
        [10.0, 0.0, 0.0],
        [10.0, 3.0, 0.0],
        [10.0, 0.0, 2.0],
    ];
    Mesh::new(Kind::Surface, vertices, vec![0, 1, 2, 3, 3, 4, 3, 4, 5])
}

fn sampling(n: u64) -> Sampling {
    Sampling { n, normals: true, ..Sampling::default() }
}

#[test]
fn samples_are_uniform_by_area_and_on_their_triangle() {
    let mesh = two();
    let n = 200_000;
    let sampler = Sampler::new(&mesh, sampling(n)).unwrap();
    assert_eq!(sampler.area(), 4.0);
    let cloud = sampler.cloud();
    assert_eq!(cloud.len() as u64, n);
    let mut first = 0;
    // Sums of x and y of the first, and how many are below half its height.
    let (mut sums, mut below) = ([0.0; 2], 0);
    for (x, normal) in cloud.points.iter().zip(cloud.normals.as_ref().unwrap()) {
        if x[2] == 5.0 && x[0] < 9.0 {
            assert!(x[0] >= 0.0 && x[1] >= 0.0 && x[0] / 2.0 + x[1] <= 1.0 + 1e-12, "{x:?}");
            assert_eq!(*normal, [0.0, 0.0, 1.0]);
            first += 1;
            (0..2).for_each(|k| sums[k] += x[k]);
            below += usize::from(x[1] < 0.5);
        } else {
            assert!((x[0] - 10.0).abs() < 1e-12 && x[1] / 3.0 + x[2] / 2.0 <= 1.0 + 1e-12, "{x:?}");
            assert_eq!(*normal, [1.0, 0.0, 0.0]);
        }
    }
    // Five standard deviations.
    let share = f64::from(first) / n as f64;
    assert!((share - 0.25).abs() < 5.0 * (0.25 * 0.75 / n as f64).sqrt(), "{share}");
    let mean = sums.map(|sum| sum / f64::from(first));
    assert!((mean[0] - 2.0 / 3.0).abs() < 0.011 && (mean[1] - 1.0 / 3.0).abs() < 0.006, "{mean:?}");
    let below = below as f64 / f64::from(first);
    assert!((below - 0.75).abs() < 0.01, "{below}");
}

#[test]
fn seed_and_nothing_else_makes_the_cloud() {
    let mesh = two();
    let on = |threads, sampling| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Sampler::new(&mesh, sampling).unwrap().cloud())
    };
    let noisy = Sampling { noise: Noise::Length(0.1), outliers: 5_000, ..sampling(300_000) };
    assert!(on(1, noisy) == on(5, noisy));
    assert!(on(1, noisy) != on(1, Sampling { seed: 2, ..noisy }));
    // More points are the same ones and others behind them.
    let (few, many) = (on(2, sampling(10_000)), on(2, sampling(20_000)));
    assert!(few.points == many.points[..10_000]);
}

#[test]
fn noise_and_outliers_are_as_wanted() {
    let mesh = generate(&Generate::Sphere(Sphere::default())).unwrap();
    let n = 100_000;
    let clean = Sampler::new(&mesh, sampling(n)).unwrap().cloud();
    let options = Sampling { noise: Noise::Relative(0.01), outliers: 1_000, ..sampling(n) };
    let sampler = Sampler::new(&mesh, options).unwrap();
    assert!((sampler.noise() - 0.01 * 12.0_f64.sqrt()).abs() < 2e-4, "{}", sampler.noise());
    let noisy = sampler.cloud();
    assert_eq!(noisy.len(), 101_000);
    let squares: f64 = noisy.points[..1_000]
        .iter()
        .map(|x| x.iter().map(|x| x * x).sum::<f64>().sqrt() - 1.0)
        .map(|off| off * off)
        .sum();
    let deviation = (squares / 1_000.0).sqrt();
    assert!((deviation / sampler.noise() - 1.0).abs() < 0.1, "{deviation}");
    // Without noise, all are on the triangles, whose corners are on the sphere.
    assert!(clean.points.iter().all(|x| x.iter().map(|x| x * x).sum::<f64>() < 1.0 + 1e-12));
    let beyond = noisy.points[100_000..].iter().filter(|x| x.iter().any(|x| x.abs() > 1.05));
    assert!(beyond.count() > 200);
    assert!(survey(&noisy).unwrap().outliers.len() > 300);
}

#[test]
fn what_cannot_be_sampled_is_refused() {
    let none = Mesh::new(Kind::Surface, vec![[0.0; 3]], vec![]);
    let flat = Mesh::new(Kind::Surface, vec![[0.0; 3]; 3], vec![0, 1, 2]);
    let broken =
        Mesh::new(Kind::Surface, vec![[0.0; 3], [1e200; 3], [1e200, 0., 0.]], vec![0, 1, 2]);
    for (mesh, found) in [(none, "only points"), (flat, "is 0"), (broken, "cell 0")] {
        let error = Sampler::new(&mesh, sampling(10)).unwrap_err().to_string();
        assert!(error.contains(found), "{error}");
    }
    let error = Sampler::new(&two(), sampling(1 << 33)).unwrap_err().to_string();
    assert!(error.contains("8589934592 points"), "{error}");
    for text in ["-1", "x", "1 %%", "inf", ""] {
        assert!(text.parse::<Noise>().is_err(), "{text}");
    }
    assert_eq!("0.1%".parse::<Noise>().unwrap(), Noise::Relative(0.001));
    assert_eq!(Noise::Relative(0.25).to_string(), "25%");
}

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let place = Place(tempfile::tempdir().unwrap());
        place.says("generate sphere --subdivisions 4 -o s.ply");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
        command.current_dir(self.0.path()).args(line.split_whitespace());
        command
    }

    fn says(&self, line: &str) -> String {
        let output = self.run(line).assert().success();
        String::from_utf8(output.get_output().stdout.clone()).unwrap()
    }

    fn refuses(&self, line: &str, code: i32) -> String {
        let output = self.run(line).assert().code(code);
        String::from_utf8(output.get_output().stderr.clone()).unwrap()
    }
}

fn bytes(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap()
}

#[test]
fn the_command_writes_every_format_and_says_what() {
    let place = Place::new();
    let said =
        place.says("sample s.ply -n 5000 --normals --noise 0.1% --outliers 7 --seed 3 -o a.ply");
    assert!(
        said.starts_with("a.ply: 5000 points and 7 outliers with normals of a surface"),
        "{said}"
    );
    let (first, report) = io::read_cloud(&place.path("a.ply")).unwrap();
    assert_eq!((first.len(), report.warnings.len()), (5007, 0));
    for name in ["a.pcd", "a.csv", "a.xyz", "a.vtp"] {
        let line =
            format!("sample s.ply -n 5000 --normals --noise 0.1% --outliers 7 --seed 3 -o {name}");
        place.says(&line);
        assert!(io::read_cloud(&place.path(name)).unwrap().0.points == first.points, "{name}");
    }
    place.says("sample s.ply -n 300000 -o one.ply --threads 1");
    place.says("sample s.ply -n 300000 -o two.ply --threads 3");
    assert!(bytes(&place.path("one.ply")) == bytes(&place.path("two.ply")));
    let said = place.says("sample s.ply -n 10 -o b.ply --json");
    let end: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!((&end["event"], &end["report"]["points"]), (&"end".into(), &10.into()));
    assert!((end["report"]["area"].as_f64().unwrap() - 12.5).abs() < 0.1, "{end}");
    for (line, code, found) in [
        ("sample s.ply -n 10 -o a.gii", 2, "clouds are not written with this ending"),
        ("sample a.ply -n 10 -o b.ply", 3, "a.ply: no triangles, only points"),
        ("sample s.ply -n 10 --noise -1 -o b.ply", 2, "expected a length of 0 and above"),
        ("sample s.ply -n 10 -o no/b.ply", 6, "make the folder first"),
    ] {
        let said = place.refuses(line, code);
        assert!(said.contains(found), "{line}: {said}");
    }
}

#[test]
fn info_tells_of_clouds_what_reconstruction_needs_to_know() {
    let place = Place::new();
    place.says("sample s.ply -n 20000 --normals -o a.pcd");
    let said = place.says("info a.pcd");
    for part in [
        "pcd 0.7 binary",
        "points    20,000\n",
        "no duplicates",
        "median 0.0",
        "normals   of the file",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let text = "x,y,z,red,green,blue\n0,0,0,1,2,3\n1,0,0,1,2,3\n0,1,0,1,2,3\n0,1,0,5,5,5\n";
    std::fs::write(place.path("b.xyz"), text.replace("0,0,0,1", "nan,0,0,1")).unwrap();
    let said = place.says("info b.xyz");
    for part in [
        "points    3 of 4, 1 not finite left out",
        "strays    1 duplicates",
        "columns   by their names: x y z red green blue",
        "colors    0 to 255",
        "estimated",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let json: serde_json::Value = serde_json::from_str(&place.says("info b.xyz --json")).unwrap();
    assert_eq!(json["cloud"]["not_finite"], 1);
    assert_eq!(json["cloud"]["duplicates"], 1);
    assert_eq!(json["cloud"]["normals"], serde_json::Value::Null);
    let mesh: serde_json::Value = serde_json::from_str(&place.says("info s.ply --json")).unwrap();
    assert_eq!(mesh["cloud"], serde_json::Value::Null);
}
