//! Tests that large inputs take time and memory in proportion to their size.

use std::fmt::Write;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

#[path = "support/place.rs"]
mod place;
use place::Place;

/// The longest time that a command may take here. With quadratic costs, it would take many minutes.
const MOST: Duration = Duration::from_secs(120);

impl Place {
    fn run(&self, line: &str) -> Output {
        self.command(line).output().unwrap()
    }

    /// Asserts that a command succeeds in time.
    #[track_caller]
    fn is_quick(&self, line: &str) {
        let start = Instant::now();
        let output = self.run(line);
        assert!(output.status.success(), "{line}: {output:?}");
        let took = start.elapsed();
        eprintln!("{line}: {took:.1?}");
        assert!(took < MOST, "{line} took {took:.1?}");
    }
}

/// Returns numbers from 0 to 1 that look random.
fn numbers() -> impl FnMut() -> f64 {
    let mut k = 0_u32;
    move || {
        k = k.wrapping_add(1);
        f64::from(k.wrapping_mul(2_654_435_761).rotate_left(13) >> 8) / f64::from(1 << 24)
    }
}

#[test]
fn a_case_may_have_many_entries() {
    let place = Place::new();
    let mut random = numbers();
    let square = |cells: u32| {
        format!("version = 1\ndomain.mesh.generate.square = {{ cells = [{cells}, {cells}] }}\n")
    };
    let mut case = square(20) + "evolve = { normal_speed = 1, end_time = 1 }\ninitial.union = [\n";
    for k in 0..16_000 {
        let [x, y] = [k % 127, k / 127].map(|k| f64::from(k) / 126.0);
        writeln!(case, "{{ ball = {{ center = [{x}, {y}, 0], radius = 0.003 }} }},").unwrap();
    }
    place.put("union.toml", &(case + "]\n"));
    place.is_quick("check union.toml");
    for front in ["auto", "plane"] {
        let mut case = square(400) + "distance.front = \"" + front + "\"\ndistance.from = [\n";
        (0..100_000).for_each(|k| writeln!(case, "\"vertex:{k}\",").unwrap());
        place.put("from.toml", &(case + "]\n"));
        place.is_quick("check from.toml");
        let mut case = square(150) + "distance.front = \"" + front + "\"\ndistance.from = [\n";
        (0..20_000).for_each(|k| writeln!(case, "\"vertex:{k}\",").unwrap());
        place.put("distance.toml", &(case + "]\n"));
        place.is_quick("run distance.toml -o distance --overwrite");
    }
    let mut case = square(40) + "distance.from = [\"vertex:0\"]\ndistance.paths_from = [\n";
    for _ in 0..2_000 {
        writeln!(case, "\"point:{},{},0\",", random(), random()).unwrap();
    }
    place.put("paths.toml", &(case + "]\n"));
    place.is_quick("run paths.toml -o paths");
}

#[test]
fn pictures_of_stars_and_soups_are_drawn_in_time() {
    const N: usize = 100_000;
    let place = Place::new();
    // All triangles meet at one vertex. The second star is not flat, so that it has normals.
    for (name, height) in [("star.off", 0.0), ("cone.off", 0.5)] {
        let mut text = format!("OFF\n{} {N} 0\n0 0 {height}\n", N + 1);
        for k in 0..N {
            let (y, x) = (k as f64 / N as f64 * std::f64::consts::TAU).sin_cos();
            writeln!(text, "{x} {y} 0").unwrap();
        }
        (0..N).for_each(|k| writeln!(text, "3 0 {} {}", k + 1, (k + 1) % N + 1).unwrap());
        place.put(name, &text);
        place.is_quick(&format!("render {name} -o a.png"));
    }
    // Each triangle of the soup covers a large part of the picture. No three points are collinear.
    const SOUP: usize = 40_000;
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as f64 / f64::from(1_u32 << 31)
    };
    let mut text = format!("OFF\n{} {SOUP} 0\n", 3 * SOUP);
    (0..3 * SOUP).for_each(|_| writeln!(text, "{} {} {}", random(), random(), random()).unwrap());
    (0..SOUP).for_each(|k| writeln!(text, "3 {} {} {}", 3 * k, 3 * k + 1, 3 * k + 2).unwrap());
    place.put("soup.off", &text);
    for line in ["convert soup.off soup.vtp", "info soup.off", "render soup.off -o a.png"] {
        place.is_quick(line);
    }
}

/// A curve whose segments each cross the whole mesh.
#[cfg(target_os = "linux")]
#[test]
fn long_curves_take_little_memory() {
    let place = Place::new();
    assert!(place.run("generate square --cells 100,100 -o square.vtp").status.success());
    let mut curve = String::new();
    for k in 0..10_000 {
        writeln!(curve, "{} {} 0", k % 2, f64::from(k * 7919 % 1000) / 1000.0).unwrap();
    }
    place.put("curve.txt", &curve);
    // Holding all pieces of the curve would take 2 GB.
    let script = "ulimit -v 600000; exec \"$ZEROSET\" -q distance square.vtp --from \
                  curve:curve.txt --threads 1 -o d.vtp";
    let mut command = Command::new("sh");
    command.args(["-c", script]).current_dir(place.0.path());
    let output = command.env("ZEROSET", env!("CARGO_BIN_EXE_zeroset")).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn many_points_in_one_place_are_found_in_time() {
    let place = Place::new();
    let mut text = "0.5 0.5 0.5\n".repeat(200_000);
    // Around them, points on a sphere.
    for k in 0..2_000 {
        let (z, angle) = (1.0 - f64::from(2 * k + 1) / 2_000.0, 2.4 * f64::from(k));
        let (x, y) = ((1.0 - z * z).sqrt() * angle.cos(), (1.0 - z * z).sqrt() * angle.sin());
        writeln!(text, "{} {} {}", 0.5 + x, 0.5 + y, 0.5 + z).unwrap();
    }
    place.put("cloud.xyz", &text);
    place.is_quick("dt --points cloud.xyz --queries cloud.xyz --method index -o d.csv");
    place.is_quick("info cloud.xyz");
    place.is_quick("reconstruct cloud.xyz -o surface.ply");
}

#[cfg(unix)]
#[test]
fn a_small_stack_is_enough() {
    let place = Place::new();
    place.put(
        "case.toml",
        "version = 1\ndomain.mesh.generate.square = { cells = [20, 20] }\n\
                            initial.ball = { center = [0.5, 0.5, 0], radius = 0.3 }\n\
                            evolve = { normal_speed = 1, max_steps = 3 }\n",
    );
    for line in [
        "--version",
        "run --help",
        "defaults",
        "generate sphere --subdivisions 3 -o ball.vtp",
        "info ball.vtp",
        "convert ball.vtp ball.ply",
        "distance ball.vtp --from vertex:0 --path-from vertex:9 -o d.vtp",
        "render ball.vtp -o ball.png",
        "voxelize ball.vtp --size 16 -o ball.nrrd",
        "isosurface ball.nrrd --level 0.5 -o surface.ply",
        "edt ball.nrrd --where v -o edt.nrrd",
        "points ball.nrrd --where v>0&&x>0 -o points.vtp",
        "sample ball.vtp -n 900 --normals -o cloud.ply",
        "reconstruct cloud.ply -o again.ply",
        "check case.toml",
        "run case.toml -o out",
    ] {
        let script = format!("ulimit -s 64; exec \"$ZEROSET\" {line}");
        let mut command = Command::new("bash");
        command.args(["-c", &script.replace("&&", "'&&'").replace(">0", "'>0'")]);
        command.current_dir(place.0.path()).env("ZEROSET", env!("CARGO_BIN_EXE_zeroset"));
        let output = command.output().unwrap();
        assert!(output.status.success(), "{line}: {output:?}");
    }
    let output = Command::new("bash")
        .args(["-c", "ulimit -s 64; \"$ZEROSET\" info none.vtp"])
        .env("ZEROSET", env!("CARGO_BIN_EXE_zeroset"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3), "{output:?}");
}

/// Messages have at most 500 characters between two spaces and at most 4000 characters in a line.
#[test]
fn long_names_are_shortened_in_messages() {
    let place = Place::new();
    let name = "n".repeat(1_000_000);
    let corners = "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n";
    let faces = "element face 1\nproperty list uchar int vertex_indices\nend_header\n\
                 0 0 0 1\n1 0 0 1\n0 1 0 1\n3 0 1 2\n";
    let head = "ply\nformat ascii 1.0\n";
    place.put("a.ply", &format!("{head}{corners}property float {name}\n{faces}"));
    place.put(
        "path.toml",
        &format!(
            "version = 1\ndomain.mesh.path = \"{name}\"\n\
                                     distance.from = [\"vertex:0\"]\n"
        ),
    );
    place.put("key.toml", &format!("version = 1\n{name} = 1\n"));
    place.put("group.obj", &format!("v 0 0 0\nv 1 0 0\nv 0 1 0\ng {name}\nf 1 2 3\n"));
    // The system limits the length of an argument.
    let long = "n".repeat(100_000);
    for line in [
        "info a.ply",
        "convert a.ply a.off",
        "distance a.ply --from vertex:0 --speed nnn -o d.vtp",
        "check path.toml",
        "check key.toml",
        "run path.toml -o out --json",
        "distance group.obj --from group:nnn -o d.vtp",
        "distance group.obj --from group:nnn --json -o d.vtp",
        &format!("info {long}"),
        &format!("info {}", "nnnnnnnnn/".repeat(10_000)),
        &format!("convert a.ply {long}.ply"),
        &format!("distance a.ply --from group:{long} -o d.vtp"),
        &format!("distance a.ply --from {long} -o d.vtp"),
        &format!("distance a.ply --from {long} --json -o d.vtp"),
        &format!("check key.toml --set {long}=1"),
        &format!("--{long}"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
        let output = command.current_dir(place.0.path()).args(line.split(' ')).output().unwrap();
        for stream in [&output.stdout, &output.stderr] {
            let text = String::from_utf8_lossy(stream);
            for line in text.lines() {
                // A line of JSON contains more than the message.
                assert!(line.len() <= 4200, "{}", &line[..200]);
                let longest = line.split_whitespace().map(str::len).max();
                assert!(longest <= Some(600), "{}", &line[..200]);
            }
            if line.contains("--json") {
                let events = text.lines().map(serde_json::from_str::<serde_json::Value>);
                assert!(events.into_iter().all(|event| event.is_ok()), "{text}");
            }
        }
    }
}
