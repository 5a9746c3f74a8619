//! Cases on tiles through the library: start, motion, resume, and what is refused.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use zeroset::config::Config;
use zeroset::run::{Observer, Options, Outcome, Progress, run};

const BALL: &str = "version = 1\n[domain.tiled]\ndx = 0.05\n[initial]\n\
    ball = { center = [0.1, 0, 0], radius = 0.5 }\n[evolve]\nend_time = 0.2\nnormal_speed = 1\n";

/// Ends a run after some steps.
struct Stop {
    after: u64,
    flag: AtomicBool,
}

impl Stop {
    fn after(after: u64) -> Self {
        Stop { after, flag: AtomicBool::new(false) }
    }
}

impl Observer for Stop {
    fn stage(&self, _: &str) {}
    fn step(&self, progress: &Progress) {
        if progress.step >= self.after {
            self.flag.store(true, Ordering::Relaxed);
        }
    }
}

fn case(text: &str, set: &[&str]) -> zeroset::Result<Config> {
    let set: Vec<String> = set.iter().map(|s| s.to_string()).collect();
    Config::parse(text, "case.toml".as_ref(), &set)
}

fn go(text: &str, set: &[&str], folder: &Path) -> Outcome {
    let stop = Stop::after(u64::MAX);
    let config = case(text, set).unwrap();
    let options = Options::new(&stop.flag, &stop).into_folder(Some(folder.to_path_buf()), true);
    run(&config, &options).unwrap()
}

#[test]
fn a_ball_grows_as_it_should() {
    let place = tempfile::tempdir().unwrap();
    for (set, gate) in [
        (&["precision=f64"][..], 2e-3),
        (&["precision=f32", "domain.tiled.tile_edge=4"], 2e-3),
        (&["evolve.scheme=first-order", "reinitialize.half_width=2"], 3e-2),
    ] {
        let done = go(BALL, set, &place.path().join("out"));
        let (first, last) = (done.report.first.unwrap(), done.report.last.unwrap());
        let ball = |r: f64| 4.0 / 3.0 * std::f64::consts::PI * r * r * r;
        assert!((first.enclosed / ball(0.5) - 1.0).abs() < 1e-2, "{set:?}: {first:?}");
        let grown = (last.enclosed / first.enclosed) / (ball(0.7) / ball(0.5));
        assert!((grown - 1.0).abs() < gate + 5e-3, "{set:?}: {grown}");
        assert_eq!((last.components, last.euler_number), (1, 1), "{set:?}");
        let tiles = done.report.tiles.unwrap();
        assert!(tiles.last > tiles.first && tiles.bytes > 0, "{tiles:?}");
        assert!(done.report.mesh.is_none());
    }
}

#[test]
fn an_interrupted_run_goes_on_to_the_same_bits() {
    let place = tempfile::tempdir().unwrap();
    let set = ["evolve.velocity=[\"-y\", \"x\", \"sin(3*t)\"]", "output.interval=0.05"];
    let whole = place.path().join("whole");
    go(BALL, &set, &whole);
    let parted = place.path().join("parted");
    let stop = Stop::after(3);
    let config = case(BALL, &set).unwrap();
    let options = Options::new(&stop.flag, &stop).into_folder(Some(parted.clone()), false);
    assert!(run(&config, &options).unwrap().resumable);
    let stop = Stop::after(u64::MAX);
    let options =
        Options::new(&stop.flag, &stop).into_folder(Some(parted.clone()), false).resuming(true);
    let done = run(&config, &options).unwrap();
    assert_eq!(done.report.ended_by, "end_time reached");
    let names = |folder: &Path| {
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = files.filter(|name| name != "report.json").collect();
        names.sort();
        names
    };
    assert_eq!(names(&whole), names(&parted));
    assert!(names(&whole).len() >= 7, "{:?}", names(&whole));
    for name in names(&whole) {
        let of = |folder: &Path| std::fs::read(folder.join(&name)).unwrap();
        assert!(of(&whole) == of(&parted), "{name:?} differs");
    }
}

#[test]
fn a_surface_from_a_file_and_a_formula_start_like_the_shape() {
    let place = tempfile::tempdir().unwrap();
    let mesh = zeroset::mesh::generate::Sphere::default();
    let sphere =
        zeroset::mesh::generate::generate(&zeroset::mesh::generate::Generate::Sphere(mesh));
    let file = place.path().join("sphere.ply");
    zeroset::io::write_mesh(&file, &sphere.unwrap(), &Default::default()).unwrap();
    let start = |initial: &str| {
        let text = format!(
            "version = 1\n[domain.tiled]\ndx = 0.1\nbounds = {{ min = [-2, -2, -2], max = [2, 2, 2] \
             }}\n[initial]\n{initial}\n[evolve]\nend_time = 0.01\nnormal_speed = 0.1\n"
        );
        go(&text, &[], &place.path().join("out")).report.first.unwrap()
    };
    let ball = start("ball = { center = [0, 0, 0], radius = 1 }");
    let formula = start("expression = \"x^2 + y^2 + z^2 - 1\"");
    let surface = start(&format!("mesh = {{ path = {:?} }}", file.display().to_string()));
    for (name, found, gate) in [("formula", formula, 5e-3), ("surface", surface, 3e-2)] {
        assert!((found.enclosed / ball.enclosed - 1.0).abs() < gate, "{name}: {found:?} {ball:?}");
        assert_eq!((found.components, found.euler_number), (1, 1), "{name}");
    }
}

#[test]
fn what_tiles_cannot_do_is_said_at_its_key() {
    let plane = "initial={ plane = { point = [0, 0, 0], normal = [0, 0, 1] } }";
    for (set, words) in [
        ("evolve.one_pass=true", "evolve.one_pass is for meshes only"),
        ("evolve.cfl=1.5", "must be in (0, 0.9] on tiles"),
        ("reinitialize.half_width=whole", "space has no end"),
        ("reinitialize.half_width=1.5", "too narrow for scheme = \"weno5\""),
        ("reinitialize.rule=displacement", "is a rule for meshes"),
        ("domain.tiled.tile_edge=5", "must be 4 or 8"),
        ("domain.tiled.dx=0", "must be > 0"),
        ("initial={ data = \"phi\" }", "initial.data is for meshes only"),
        (plane, "add domain.tiled.bounds"),
        ("evolve.normal_speed={ data = \"f\" }", "give an expression"),
        ("device.use=cuda", "tiles are computed on the CPU"),
        ("output.gifti=true", "output.gifti is for meshes only"),
    ] {
        let error = case(BALL, &[set]).unwrap_err().to_string();
        assert!(error.contains(words), "{set}: {error}");
    }
    let mesh = "version = 1\n[domain.mesh]\npath = \"m\"\n[initial]\ndata = \"phi\"\n[evolve]\n\
                end_time = 1\nscheme = \"weno5\"\n";
    let error = case(mesh, &[]).unwrap_err().to_string();
    assert!(error.contains("evolve.scheme is for [domain.tiled] only"), "{error}");
}

#[test]
fn a_motion_that_breaks_down_leaves_its_last_good_state() {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("out");
    let config = case(BALL, &["evolve.normal_speed=\"if(t > 0.05, sqrt(-1), 1)\""]).unwrap();
    let stop = Stop::after(u64::MAX);
    let options = Options::new(&stop.flag, &stop).into_folder(Some(out.clone()), false);
    let error = run(&config, &options).unwrap_err();
    assert_eq!(error.exit_code(), 4, "{error}");
    let lines = std::fs::read_to_string(out.join("measures.csv")).unwrap();
    let last: f64 = lines.lines().last().unwrap().split(',').nth(1).unwrap().parse().unwrap();
    assert!(last > 0.0 && last < 0.1, "{lines}");
    assert!(out.join("checkpoint.zeroset").exists());
}
