//! Tests tiled cases through the library: start, evolution, resume, and refused cases.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use zeroset::config::Config;
use zeroset::io::read_mesh;
use zeroset::mesh::statistics::inspect;
use zeroset::run::{Observer, Options, Outcome, Progress, run};

const BALL: &str = "version = 1\n[domain.tiled]\ndx = 0.05\n[initial]\n\
    ball = { center = [0.1, 0, 0], radius = 0.5 }\n[evolve]\nend_time = 0.2\nnormal_speed = 1\n";

/// An observer that ends a run after a given step.
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

/// A run without steps writes its initial state and needs no motion.
#[test]
fn a_run_without_steps_writes_the_initial_state() {
    let place = tempfile::tempdir().unwrap();
    let text = "version = 1\n[domain.tiled]\ndx = 0.05\n[initial]\nball = { center = [0, 0, 0], \
                radius = 0.8 }\n[evolve]\nmax_steps = 0\n[output]\nvolume = {}\n";
    let out = place.path().join("out");
    let report = go(text, &[], &out).report;
    assert_eq!((report.steps, report.states, report.ended_by.as_str()), (0, 1, "max_steps done"));
    let ball = 4.0 / 3.0 * std::f64::consts::PI * 0.8_f64.powi(3);
    assert!((report.first.unwrap().enclosed / ball - 1.0).abs() < 1e-2);
    assert!(out.join("case_volume_000000.vti").exists());
}

/// A tilted volume with anisotropic voxels is created from a shape. The region above a level in
/// this volume must be the same shape. The volumes that are written with the states represent the
/// same ball when they are read again.
#[test]
fn volumes_go_in_and_come_out() {
    let place = tempfile::tempdir().unwrap();
    let (center, radius) = ([0.3, -0.2, 0.1], 0.8);
    let distance = |x: [f64; 3]| {
        let square: f64 = (0..3).map(|k| (x[k] - center[k]) * (x[k] - center[k])).sum();
        square.sqrt() - radius
    };
    let (shape, origin) = ([40, 50, 30], [-1.0, -1.6, -1.3]);
    let steps = [[0.06, 0.02, 0.0], [-0.02, 0.06, 0.01], [0.0, 0.0, 0.09]];
    let at = |i: usize, j: usize, k: usize| -> [f64; 3] {
        let by = [i, j, k].map(|n| n as f64);
        std::array::from_fn(|c| origin[c] + (0..3).map(|n| by[n] * steps[n][c]).sum::<f64>())
    };
    let mut samples = Vec::new();
    for k in 0..shape[2] {
        for j in 0..shape[1] {
            samples.extend((0..shape[0]).map(|i| (100.0 - 50.0 * distance(at(i, j, k))) as f32));
        }
    }
    // A voxel with NaN far from the interface is outside.
    samples[0] = f32::NAN;
    let identity = zeroset::volume::Placement::identity();
    let volume =
        zeroset::volume::Volume::new(shape, zeroset::volume::Samples::F32(samples), identity);
    let volume = volume.unwrap().placed(origin, steps).unwrap();
    let file = place.path().join("ball.nrrd");
    zeroset::io::write_volume(&file, &volume, &Default::default()).unwrap();
    let case = |path: &Path, level: &str, inside: &str| {
        format!(
            "version = 1\n[domain.tiled]\ndx = 0.05\n[initial]\nvolume = {{ path = {:?}, level = \
             {level}, inside = \"{inside}\" }}\n[evolve]\nmax_steps = 1\nend_time = 1e-6\n\
             normal_speed = 0.1\n[output]\nvolume = {{}}\n",
            path.display().to_string()
        )
    };
    let out = place.path().join("out");
    let first = go(&case(&file, "100", "above"), &[], &out).report;
    assert!(first.warnings.iter().any(|w| w.contains("1 value is not finite")), "{first:?}");
    let ball = 4.0 / 3.0 * std::f64::consts::PI * radius * radius * radius;
    let found = first.first.unwrap();
    assert!((found.enclosed / ball - 1.0).abs() < 1e-2, "{found:?} {ball}");
    assert_eq!((found.components, found.euler_number), (1, 1));
    let surface = first.tiles.unwrap().surface.unwrap();
    assert_eq!(surface.record_bytes, 15 * surface.cut_cubes as u64);
    assert!(surface.triangles > 1000 && surface.record_bytes < surface.triangle_bytes / 3);
    // The volume of the first state holds phi in the same placement.
    let state = std::fs::read_dir(&out).unwrap().map(|f| f.unwrap().path());
    let mut states: Vec<_> = state.filter(|f| f.extension() == Some("vti".as_ref())).collect();
    states.sort();
    let pvd = std::fs::read_to_string(out.join("case_volume.pvd")).unwrap();
    assert!(states.len() == 2 && pvd.contains("case_volume_000000.vti"), "{states:?}");
    let again = place.path().join("again");
    let found = go(&case(&states[0], "0", "below"), &[], &again).report.first.unwrap();
    assert!((found.enclosed / ball - 1.0).abs() < 1e-2, "{found:?} {ball}");
    for (level, said) in [("1e4", "level is 10000"), ("nan", "finite")] {
        let text = case(&file, level, "above");
        let config = case_of(&text);
        let error = match config {
            Ok(config) => refused(&config, &again),
            Err(error) => error.to_string(),
        };
        assert!(error.contains(said), "{error}");
    }
}

/// A ball grows to a radius at which it stops, first on the coarse levels. The result on the finest
/// level is the same as without coarse levels, but takes fewer voxel updates.
#[test]
fn coarser_lattices_bring_the_interface_to_rest_first() {
    let place = tempfile::tempdir().unwrap();
    let text = "version = 1\n[domain.tiled]\ndx = 0.04\nlevels = 3\n[initial]\n\
        ball = { center = [0.1, 0, 0], radius = 0.6 }\n[evolve]\nend_time = 2\n\
        normal_speed = \"1 - sqrt(x^2 + y^2 + z^2)\"\n[expect]\n\
        exact.ball = { center = [0, 0, 0], radius = 1 }\ninterface_error_mean = { at_most = 0.01 }\n";
    let volume = 4.0 / 3.0 * std::f64::consts::PI;
    for set in
        [&[][..], &["domain.tiled.tile_edge=4", "precision=f64"], &["evolve.scheme=first-order"]]
    {
        let report = go(text, set, &place.path().join("out")).report;
        let (first, last) = (report.first.unwrap(), report.last.unwrap());
        assert!((first.enclosed / volume - 1.0).abs() < 0.03, "{set:?}: {first:?}");
        assert_eq!(report.expect.met, Some(true), "{set:?}: {:?}", report.expect);
        // Without coarse levels, the run reaches its steady state later.
        let alone: Vec<&str> =
            set.iter().copied().chain(["domain.tiled.levels=1", "evolve.end_time=9"]).collect();
        let fine = go(text, &alone, &place.path().join("out")).report;
        let found = fine.last.unwrap();
        assert!((last.enclosed / found.enclosed - 1.0).abs() < 5e-3, "{set:?}: {last:?} {found:?}");
        assert!(report.cell_updates * 2 < fine.cell_updates, "{set:?}");
    }
    for (set, said) in [
        ("evolve.normal_speed=-1", "vanishes on voxels of 0.16"),
        ("evolve.normal_speed=\"sin(t)\"", "must not depend on the time"),
    ] {
        let said_of = match case(text, &[set]) {
            Ok(config) => refused(&config, &place.path().join("out")),
            Err(error) => error.to_string(),
        };
        assert!(said_of.contains(said), "{set}: {said_of}");
    }
}

/// A step that would end just before an output time is extended to that time. This avoids an
/// additional step of 1e-13.
#[test]
fn output_times_cost_no_step() {
    let place = tempfile::tempdir().unwrap();
    // An output interval takes 300 steps of 0.05, but their rounded sum differs from it by 1e-13.
    let text = "version = 1\n[domain.tiled]\ndx = 0.1\n[initial]\n\
        ball = { center = [0, 0, 0], radius = 0.4 }\n[evolve]\nend_time = 45\nvelocity = [1, 0, 0]\n\
        [output]\ninterval = 15\n";
    let report = go(text, &[], &place.path().join("out")).report;
    assert_eq!((report.steps, report.states, report.time), (900, 4, 45.0));
    let lines = std::fs::read_to_string(place.path().join("out/measures.csv")).unwrap();
    let of_line = |line: &str| -> [f64; 2] {
        let cells: Vec<f64> = line.split(',').take(3).map(|cell| cell.parse().unwrap()).collect();
        [cells[1], cells[2]]
    };
    let found: Vec<[f64; 2]> = lines.lines().skip(2).map(of_line).collect();
    assert_eq!(found.iter().map(|[time, _]| *time).collect::<Vec<_>>(), [15.0, 30.0, 45.0]);
    assert!(found.iter().all(|[_, dt]| (dt / 0.05 - 1.0).abs() < 1e-9), "{found:?}");
}

fn case_of(text: &str) -> zeroset::Result<Config> {
    case(text, &[])
}

/// Returns the error message of a run that fails.
fn refused(config: &Config, folder: &Path) -> String {
    let stop = Stop::after(u64::MAX);
    let options = Options::new(&stop.flag, &stop).into_folder(Some(folder.to_path_buf()), true);
    run(config, &options).unwrap_err().to_string()
}

/// Values in 16 bits take half the memory of values in 32 bits, and a ball moves in the same way
/// with both, even after a resume.
#[test]
fn sixteen_bits_move_a_ball() {
    let place = tempfile::tempdir().unwrap();
    let run = |set: &[&str], name: &str| go(BALL, set, &place.path().join(name)).report;
    let full = run(&[], "full");
    let half = run(&["domain.tiled.storage=16-bit"], "half");
    let (a, b) = (full.last.unwrap(), half.last.unwrap());
    assert!((a.enclosed / b.enclosed - 1.0).abs() < 1e-3, "{a:?} {b:?}");
    // Memory is compared per tile, because the two runs may change their tile sets in different
    // steps.
    let [a, b] = [full, half].map(|report| {
        let tiles = report.tiles.unwrap();
        tiles.bytes as f64 / tiles.most as f64
    });
    assert!(b < 0.55 * a, "{a} {b}");
    let error = case(BALL, &["domain.tiled.storage=16-bit", "precision=f64"]).unwrap_err();
    assert!(error.to_string().contains("domain.tiled.storage"), "{error}");
}

#[test]
fn an_interrupted_run_goes_on_to_the_same_bits() {
    let place = tempfile::tempdir().unwrap();
    let motion = "evolve.velocity=[\"-y\", \"x\", \"sin(3*t)\"]";
    for storage in ["full", "16-bit"] {
        let storage = format!("domain.tiled.storage={storage}");
        resumed(&[motion, "output.interval=0.05", "output.volume={}", &storage], place.path());
        for folder in ["whole", "parted"] {
            std::fs::remove_dir_all(place.path().join(folder)).unwrap();
        }
    }
}

fn resumed(set: &[&str], place: &Path) {
    let whole = place.join("whole");
    go(BALL, set, &whole);
    let parted = place.join("parted");
    let stop = Stop::after(3);
    let config = case(BALL, set).unwrap();
    let options = Options::new(&stop.flag, &stop).into_folder(Some(parted.clone()), false);
    assert!(run(&config, &options).unwrap().resumable);
    let stop = Stop::after(u64::MAX);
    let options =
        Options::new(&stop.flag, &stop).into_folder(Some(parted.clone()), false).resuming(true);
    let done = run(&config, &options).unwrap();
    assert_eq!(done.report.ended_by, "end_time reached");
    let names = |folder: &Path| {
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> =
            files.filter(|name| name != "report.json" && name != "report.html").collect();
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
        ("evolve.volume_correction=\"local\"", "evolve.volume_correction is for meshes only"),
        ("evolve.cfl=1.5", "must be in (0, 0.9] on tiles"),
        ("reinitialize.half_width=whole", "tiles cannot cover all of space"),
        ("reinitialize.half_width=1.5", "too narrow for scheme = \"weno5\""),
        ("reinitialize.rule=displacement", "is a rule for meshes"),
        ("domain.tiled.tile_edge=5", "must be 4 or 8"),
        ("domain.tiled.dx=0", "must be > 0"),
        ("initial={ data = \"phi\" }", "initial.data is for meshes only"),
        (plane, "add domain.tiled.bounds"),
        ("evolve.normal_speed={ data = \"f\" }", "use an expression or { volume ="),
        ("evolve.normal_speed={ raw = \"f\" }", "needs `data` alone, or `volume`"),
        ("evolve.normal_speed={ volume = \"f\", data = \"f\" }", "needs `data` alone, or `volume`"),
        ("evolve.normal_speed={ volume = \"f.raw\", raw = \"2x2\" }", "evolve.normal_speed.raw"),
        (
            "evolve.weighted_curvature={ volume = \"f\" }",
            "evolve.weighted_curvature is for meshes only",
        ),
        ("domain.tiled.levels=9", "must be between 1 and 8"),
        ("output.gifti=true", "output.gifti is for meshes only"),
    ] {
        let error = case(BALL, &[set]).unwrap_err().to_string();
        assert!(error.contains(words), "{set}: {error}");
    }
    let mesh = "version = 1\n[domain.mesh]\npath = \"m\"\n[initial]\ndata = \"phi\"\n[evolve]\n\
                end_time = 1\nscheme = \"weno5\"\n";
    let error = case(mesh, &[]).unwrap_err().to_string();
    assert!(error.contains("evolve.scheme is for [domain.tiled] only"), "{error}");
    let speed = "evolve.normal_speed={ volume = \"f.nrrd\" }";
    let error = case(&mesh.replace("scheme = \"weno5\"\n", ""), &[speed]).unwrap_err().to_string();
    assert!(
        error.contains("evolve.normal_speed is a volume, but volumes are for tiles only"),
        "{error}"
    );
    // A case for a GPU is also accepted.
    assert!(case(BALL, &[speed, "device.use=cuda"]).is_ok());
}

#[test]
fn a_motion_that_breaks_down_leaves_its_last_good_state() {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("out");
    let speed = "evolve.normal_speed=\"1 + if(t > 0.05, sqrt(0.32 - x), 0)\"";
    let config = case(BALL, &[speed]).unwrap();
    let stop = Stop::after(u64::MAX);
    let options = Options::new(&stop.flag, &stop).into_folder(Some(out.clone()), false);
    let error = run(&config, &options).unwrap_err();
    assert_eq!(error.exit_code(), 4, "{error}");
    // The message names a voxel beyond x = 0.32.
    let said = error.to_string();
    let (_, voxel) = said.split_once("evolve.normal_speed is NaN at voxel (").expect(&said);
    let x: i32 = voxel.split(',').next().unwrap().parse().unwrap();
    assert!(x >= 7 && said.contains(&format!(") ({:.6}, ", 0.05 * f64::from(x))), "{said}");
    assert!(said.contains("sqrt(0.32 - x)") && said.contains("^^^^^^"), "{said}");
    let lines = std::fs::read_to_string(out.join("measures.csv")).unwrap();
    let last: f64 = lines.lines().last().unwrap().split(',').nth(1).unwrap().parse().unwrap();
    assert!(last > 0.0 && last < 0.1, "{lines}");
    assert!(out.join("checkpoint.zeroset").exists());
}

/// The number of tiles in a fine grid is estimated from a coarser grid. A case that needs more
/// memory than any machine has is refused immediately, both by `zeroset check` and by a run.
#[test]
#[cfg(target_os = "linux")]
fn a_huge_case_is_told_before_its_tiles_are_made() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    let dx = |dx: f64| format!("domain.tiled.dx={dx}");
    let checked = |text: &str, set: &[&str]| {
        zeroset::run::check(&case(text, set).unwrap(), Some(&place.join("out")), false)
    };
    // Parses a line such as "tiles   about 1.2e5 of 8^3 voxels, dx 0.001, 700.0 MiB"
    let tiles_of = |said: &str| -> f64 {
        let line = said.lines().find_map(|line| line.strip_prefix("tiles   ")).unwrap();
        line.trim_start_matches("about ").split(' ').next().unwrap().parse().unwrap()
    };
    let counted = checked(BALL, &[&dx(0.004)]).unwrap();
    assert!(!counted.contains("about") && counted.contains(" of 8^3 voxels, dx 0.004, "));
    let told = checked(BALL, &[&dx(0.002)]).unwrap();
    assert!(told.contains("tiles   about ") && told.contains(" of 8^3 voxels, dx 0.002, "));
    // This is the exact number. It was found by counting all tiles.
    assert!((tiles_of(&told) / 39_057.0 - 1.0).abs() < 0.02, "{told}");
    // With two levels, the tiles of the coarse grid are counted, because the run starts on it.
    let levels = checked(BALL, &[&dx(0.002), "domain.tiled.levels=2"]).unwrap();
    assert_eq!(levels, counted);
    // There are about 35 planes, each with four million tiles of 12 kB. This is more than a
    // tebibyte.
    let huge = "version = 1\nprecision = \"f64\"\n[domain.tiled]\ndx = 1e-4\nbounds = { min = [0, 0, 0], max = [1.2, \
        1.2, 1.2] }\n[initial]\nexpression = \"max(abs(16*x - floor(16*x) - 0.5) - 0.25, \
        max(abs(x - 0.6), max(abs(y - 0.6), abs(z - 0.6))) - 0.55)\"\n[evolve]\nend_time = 1\n\
        normal_speed = 1\n";
    let error = checked(huge, &[]).unwrap_err();
    assert_eq!(error.exit_code(), 5);
    let text = error.to_string();
    assert!(text.contains("the tiles of this run, about "), "{text}");
    let stop = Stop::after(u64::MAX);
    let options = Options::new(&stop.flag, &stop).into_folder(Some(place.join("out")), true);
    let refused = run(&case(huge, &[]).unwrap(), &options).unwrap_err().to_string();
    assert_eq!(refused.split(" at the start").next(), text.split(" at the start").next());
}

/// The mesh consists of two small cubes. On coarse grids, one cube covers one voxel, and the other
/// covers none.
#[test]
fn small_pieces_far_apart_are_counted() {
    let place = tempfile::tempdir().unwrap();
    let mut mesh = String::new();
    for at in [0.0, 3e6] {
        for k in 0..8 {
            let x = [k & 1, k >> 1 & 1, k >> 2].map(|side| 10.0 * f64::from(side) - 5.0);
            mesh += &format!("v {} {} {}\n", x[0] + at, x[1] + at, x[2] + at);
        }
    }
    for first in [1, 9] {
        for [a, b, c, d] in
            [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
        {
            let [a, b, c, d] = [a, b, c, d].map(|k| k + first);
            mesh += &format!("f {a} {b} {c}\nf {a} {c} {d}\n");
        }
    }
    let path = place.path().join("cubes.obj");
    std::fs::write(&path, mesh).unwrap();
    let text = format!(
        "version = 1\n[domain.tiled]\ndx = 1\n[initial]\nmesh = {{ path = \"{}\" }}\n[evolve]\n\
         end_time = 1\nnormal_speed = 1\n",
        path.display()
    );
    let config = case(&text, &[]).unwrap();
    let said = zeroset::run::check(&config, Some(&place.path().join("out")), false).unwrap();
    // Each cube and its band take four tiles along each axis.
    assert!(said.contains("tiles   128 of 8^3 voxels, dx 1, "), "{said}");
}

#[test]
fn a_lattice_too_coarse_for_its_shape_is_warned_of() {
    let place = tempfile::tempdir().unwrap();
    let warnings = |set: &[&str]| go(BALL, set, &place.path().join("out")).report.warnings;
    let coarse = warnings(&["domain.tiled.dx=10", "evolve.end_time=1"]);
    assert!(
        coarse.iter().any(|w| w.contains("inside at the start spans only 1 x 1 x 1 voxels of 10"))
    );
    let coarse = warnings(&["domain.tiled.dx=0.4", "evolve.max_steps=1"]);
    assert!(coarse.iter().any(|w| w.contains("spans only 2 x 3 x 3 voxels of 0.4")), "{coarse:?}");
    assert_eq!(warnings(&["evolve.max_steps=1"]), [""; 0]);
}

/// The ball touches six voxels. At these voxels phi is 0, and crossings coincide.
#[test]
fn a_surface_through_voxels_has_no_flat_triangles() {
    let place = tempfile::tempdir().unwrap();
    let text = BALL.replace("0.1, 0, 0", "0, 0, 0").replace("0.05", "0.0625");
    let done = go(&text, &["evolve.max_steps=1", "precision=f64"], place.path());
    let path = place.path().join("case_000000.vtp");
    let mesh = read_mesh(&path).unwrap().mesh;
    let corners = |v: &&[f64; 3]| v.iter().filter(|x| x.abs() == 0.5).count() == 1;
    let touched = mesh.vertices.iter().filter(corners).filter(|x| x.contains(&0.0)).count();
    let found = inspect(&mesh);
    assert_eq!((found.degenerate, found.boundary, found.nonmanifold), (0, 0, 0));
    assert_eq!(touched, 6);
    assert_eq!(done.report.first.unwrap().euler_number, 1);
}

/// If a voxel lies on the interface up to rounding, the surface has no degenerate triangles. STL
/// files hold 32-bit numbers and connect triangles by equal positions. They have no degenerate
/// triangles either.
#[test]
fn surfaces_next_to_voxels_stay_closed_in_files_of_triangles() {
    let place = tempfile::tempdir().unwrap();
    let ball = "version = 1\n[domain.tiled]\ndx = 0.05\nbounds = { min = [-1.2, -1.2, -1.2], max = [1.2, \
        1.2, 1.2] }\n[initial]\nexpression = \"x^2+y^2+z^2-1\"\n[evolve]\nmax_steps = 8\nend_time = 1\n\
        curvature = 1\n[reinitialize]\nmethod = \"direct\"\n[output]\nevery = 4\n\
        interface_files = [\"stl\"]\n";
    let mut cases = vec![ball.to_string(), ball.replace("dx = 0.05", "dx = 0.05\ntile_edge = 4")];
    if let Some(path) = zeroset_testing::data("volumes/ironProt.vtk") {
        let volume = format!("volume = {{ path = {:?}, level = 100 }}", path.display().to_string());
        let of_ball = "expression = \"x^2+y^2+z^2-1\"";
        let text = ball.replace("dx = 0.05", "dx = 1").replace(of_ball, &volume);
        cases.push(text.replace(
            "min = [-1.2, -1.2, -1.2], max = [1.2, 1.2, 1.2]",
            "min = [0, 0, 0], max = [67, 67, 67]",
        ));
    }
    for (text, precision) in cases.iter().flat_map(|text| ["f32", "f64"].map(|p| (text, p))) {
        let done = go(text, &[&format!("precision={precision}")], place.path());
        assert_eq!(done.report.states, 3);
        for step in [0, 4, 8] {
            for file in ["case_00000", "interface_00000"].map(|name| format!("{name}{step}")) {
                let ending = if file.starts_with("case") { "vtp" } else { "stl" };
                let mesh = read_mesh(&place.path().join(format!("{file}.{ending}"))).unwrap().mesh;
                let found = inspect(&mesh);
                let faults = (found.degenerate, found.boundary, found.nonmanifold, found.duplicate);
                assert_eq!(faults, (0, 0, 0, 0), "{file}.{ending}, {precision}: {text}");
            }
        }
    }
}

/// Writes the values of a function on voxels at `-1 + 0.25 (i, j, k)` to a file.
fn sampled(path: &Path, shape: [usize; 3], f: impl Fn([f64; 3]) -> f64) {
    let at = |n: usize| [n % shape[0], n / shape[0] % shape[1], n / (shape[0] * shape[1])];
    let place = |n: usize| at(n).map(|c| 0.25 * c as f64 - 1.0);
    let values: Vec<f32> = (0..shape.iter().product()).map(|n| f(place(n)) as f32).collect();
    let identity = zeroset::volume::Placement::identity();
    let volume = zeroset::volume::Volume::new(shape, values.into(), identity).unwrap();
    let steps = [[0.25, 0.0, 0.0], [0.0, 0.25, 0.0], [0.0, 0.0, 0.25]];
    let volume = volume.placed([-1.0; 3], steps).unwrap();
    zeroset::io::write_volume(path, &volume, &Default::default()).unwrap();
}

/// Compares volumes that represent trilinear functions with the equivalent expressions.
#[test]
fn volumes_are_coefficients_as_expressions_are() {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("out");
    let file = |name: &str| place.path().join(name).display().to_string();
    let measured = |set: &[&str]| go(BALL, set, &out).report;
    let zero = "evolve.normal_speed=0";
    sampled(file("f.nrrd").as_ref(), [9; 3], |[x, y, z]| 1.0 + 0.5 * x - 0.25 * y * z);
    // Beyond x = 0, the values at x = 0 are used.
    sampled(file("half.nii").as_ref(), [5, 9, 9], |[x, _, _]| 1.0 + x);
    sampled(file("u.mha").as_ref(), [9; 3], |[x, _, z]| x + 0.5 * x * z);
    let vector = format!("evolve.velocity=[{{ volume = {:?} }}, 0.5, \"z\"]", file("u.mha"));
    let vector = [zero, &vector];
    let array = |key: &str, name: &str| format!("evolve.{key}={{ volume = {:?} }}", file(name));
    for (volume, expression) in [
        (
            &[&*array("normal_speed", "f.nrrd")][..],
            &["evolve.normal_speed=\"1+0.5*x-0.25*y*z\""][..],
        ),
        (&[&*array("normal_speed", "half.nii")], &["evolve.normal_speed=\"1+min(x,0)\""]),
        (&[zero, &*array("curvature", "half.nii")], &[zero, "evolve.curvature=\"1+min(x,0)\""]),
        (&vector, &[zero, "evolve.velocity=[\"x+0.5*x*z\", 0.5, \"z\"]"]),
    ] {
        for more in ["precision=f64", "domain.tiled.tile_edge=4", "domain.tiled.storage=16-bit"] {
            let of_volume = measured(&[volume, &[more, "evolve.end_time=0.02"]].concat());
            let same = measured(&[expression, &[more, "evolve.end_time=0.02"]].concat());
            let (found, expected) = (of_volume.last.unwrap(), same.last.unwrap());
            let apart = (found.enclosed / expected.enclosed - 1.0).abs();
            assert!(apart < 2e-4, "{volume:?}, {more}: {found:?} {expected:?}");
            assert!((found.enclosed / of_volume.first.unwrap().enclosed - 1.0).abs() > 1e-3);
        }
    }
    // The message about an invalid coefficient names its file.
    sampled(file("nan.nrrd").as_ref(), [9; 3], |[x, ..]| if x > 0.9 { f64::NAN } else { x });
    for (key, name, words) in [
        ("normal_speed", "nan.nrrd", "81 values are not finite, but evolve.normal_speed needs"),
        (
            "curvature",
            "u.mha",
            "evolve.curvature must be >= 0, but its smallest value here is -1.5",
        ),
        ("curvature", "none.nrrd", "cannot be read"),
    ] {
        let config = case(BALL, &[zero, &*array(key, name)]).unwrap();
        let said = refused(&config, &out);
        assert!(said.contains(words), "{said}");
        let checked = zeroset::run::check(&config, Some(&out), true).unwrap_err();
        assert!(checked.exit_code() == 3 && checked.to_string() == said, "{checked}");
    }
}

#[test]
fn a_run_does_not_go_on_with_other_values_of_a_volume() {
    let place = tempfile::tempdir().unwrap();
    let (out, file) = (place.path().join("out"), place.path().join("f.nrrd"));
    sampled(&file, [9; 3], |_| 1.0);
    let speed = format!("evolve.normal_speed={{ volume = {:?} }}", file.display().to_string());
    let config = case(BALL, &[&speed]).unwrap();
    let stop = Stop::after(3);
    let options = Options::new(&stop.flag, &stop).into_folder(Some(out.clone()), false);
    assert!(run(&config, &options).unwrap().resumable);
    sampled(&file, [9; 3], |[x, ..]| 1.0 + 1e-3 * x);
    let stop = Stop::after(u64::MAX);
    let options = Options::new(&stop.flag, &stop).into_folder(Some(out), false).resuming(true);
    let error = run(&config, &options).unwrap_err().to_string();
    assert!(
        error.contains("evolve.normal_speed has other values than in the interrupted run"),
        "{error}"
    );
    sampled(&file, [9; 3], |_| 1.0);
    run(&config, &options).unwrap();
}

/// A run that is refused before its first step does not change the previous run.
#[test]
fn a_case_that_cannot_run_replaces_no_run() {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("out");
    go(BALL, &["evolve.max_steps=1"], &out);
    let files = || std::fs::read_dir(&out).unwrap().map(|f| f.unwrap().path()).collect::<Vec<_>>();
    let mut before = files();
    before.sort();
    let stop = Stop::after(u64::MAX);
    for (set, words) in [
        ("output.volume={ min = [-9e4, -9e4, -9e4], max = [9e4, 9e4, 9e4] }", "output.volume has"),
        ("output.volume={ min = [-9e7, -9e4, -9e4] }", "output.volume has"),
        (
            "initial.ball.center=[0, 0, 1e9]",
            "initial reaches to z = 1.0000000005e9, but tiles of dx 0.05",
        ),
    ] {
        let config = case(BALL, &[set]).unwrap();
        let options = Options::new(&stop.flag, &stop).into_folder(Some(out.clone()), true);
        let error = run(&config, &options).unwrap_err();
        assert!(error.exit_code() == 2 && error.to_string().contains(words), "{set}: {error}");
        let checked = zeroset::run::check(&config, Some(&out), true).unwrap_err();
        assert_eq!(checked.to_string(), error.to_string(), "{set}");
        let mut left = files();
        left.sort();
        assert_eq!(left, before, "{set}");
    }
}

#[test]
fn numbers_without_a_layout_are_asked_for_at_their_key() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("f.raw");
    std::fs::write(&file, [0; 64]).unwrap();
    let file = file.display().to_string();
    for (set, key) in [
        (format!("initial={{ volume = {{ path = {file:?}, level = 1 }} }}"), "initial.volume.raw"),
        (format!("evolve.normal_speed={{ volume = {file:?} }}"), "evolve.normal_speed.raw"),
    ] {
        let said = refused(&case(BALL, &[&set]).unwrap(), &place.path().join("out"));
        assert!(said.contains(&format!("state it: {key} = \"SHAPE:TYPE")), "{said}");
    }
}

#[test]
fn the_report_and_the_measures_count_the_same_tiles() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path().join("out");
    let text = "version = 1\n[domain.tiled]\ndx = 0.05\nbounds = { min = [-1, -1, -1], max = [1, \
        1, 1] }\n[initial]\nexpression = \"x^2 + y^2 + z^2 - 0.25\"\n[evolve]\nmax_steps = 2\n\
        end_time = 1\ncurvature = 1\n";
    let report = go(text, &[], &place).report;
    let measures = std::fs::read_to_string(place.join("measures.csv")).unwrap();
    let mut lines = measures.lines().map(|line| line.split(','));
    let column = lines.next().unwrap().position(|name| name == "tiles").unwrap();
    let first = lines.next().unwrap().nth(column).unwrap();
    assert_eq!(report.tiles.unwrap().first.to_string(), first);
}
