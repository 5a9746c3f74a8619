//! Tests the commands that create surfaces from points and from volumes.

use std::path::Path;
use std::process::{Command, Output};

use zeroset::cloud::{Noise, PointCloud, Sampler, Sampling};
use zeroset::io::vtk::Compression;
use zeroset::io::{WriteOptions, read_mesh, write_cloud, write_mesh};
use zeroset::mesh::generate::{Generate, Sphere, generate};
use zeroset::surface::Topology;
use zeroset_testing::checkout::program;

/// Returns `n` samples of a mesh, uniform by area, with the normals of its triangles.
fn samples(mesh: &zeroset::mesh::Mesh, n: u64) -> PointCloud {
    let options = Sampling { n, normals: true, noise: Noise::Length(0.0), outliers: 0, seed: 1 };
    Sampler::new(mesh, options).unwrap().cloud()
}

fn zeroset(folder: &Path, line: &str) -> Output {
    let mut command = Command::new(program(env!("CARGO_BIN_EXE_zeroset")));
    command.current_dir(folder).args(line.split_whitespace()).output().unwrap()
}

/// Returns the standard output of a command that succeeds.
fn said(folder: &Path, line: &str) -> String {
    let output = zeroset(folder, line);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{line}: {complained}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the standard error and the exit code of a command that fails.
fn refused(folder: &Path, line: &str) -> (String, i32) {
    let output = zeroset(folder, line);
    assert!(!output.status.success(), "{line} succeeded");
    (String::from_utf8(output.stderr).unwrap(), output.status.code().unwrap())
}

#[test]
fn a_cloud_becomes_a_surface_with_a_report_and_a_picture() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let ball = generate(&Generate::Sphere(Sphere::default())).unwrap();
    let cloud = samples(&ball, 5_000);
    write_cloud(&folder.join("ball.ply"), &cloud, Compression::default()).unwrap();
    let line = "reconstruct ball.ply --depth 5 -o out.ply --report r.json --picture p.png --json";
    let report: serde_json::Value = serde_json::from_str(&said(folder, line)).unwrap();
    let text = std::fs::read_to_string(folder.join("r.json")).unwrap();
    let written: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["surface"], written["surface"]);
    assert_eq!(report["surface"]["closed"], true);
    assert_eq!(report["surface"]["genus"], 0);
    assert_eq!(report["samples"]["used"], 5_000);
    assert_eq!(report["method"], "spheres");
    assert!(report["error"]["mean_percent"].as_f64().unwrap() < 0.2, "{}", report["error"]);
    for key in ["density", "sort", "field", "signs", "surface"] {
        assert!(report["directed"]["seconds"][key].as_f64().is_some(), "{key}");
    }
    let mesh = read_mesh(&folder.join("out.ply")).unwrap().mesh;
    assert_eq!(Some(mesh.n_cells() as u64), report["surface"]["triangles"].as_u64());
    assert!(mesh.vertex_array("nz").is_some());
    assert!(std::fs::metadata(folder.join("p.png")).unwrap().len() > 1_000);
    // Without normals, the level-set method is used, or normals are estimated. The output says so.
    write_cloud(&folder.join("bare.ply"), &PointCloud::new(cloud.points), Compression::default())
        .unwrap();
    let text = said(folder, "reconstruct bare.ply --method levelset -o bare.ply.vtp");
    assert!(text.contains("depth 6") && text.contains("closed, genus 0"), "{text}");
    assert!(read_mesh(&folder.join("bare.ply.vtp")).unwrap().mesh.vertex_array("nz").is_some());
    let output = zeroset(folder, "reconstruct bare.ply --method directed -o bare.stl");
    let warned = String::from_utf8(output.stderr).unwrap();
    assert!(warned.contains("no normals: they are estimated"), "{warned}");
    assert!(output.status.success());
    // With `--json`, each warning is an event: one about the normals, and one about data that STL
    // cannot hold.
    let json = zeroset(folder, "reconstruct bare.ply --method directed -o bare.stl --json");
    let events = String::from_utf8(json.stderr).unwrap();
    assert_eq!(events.lines().count(), warned.lines().count());
    for (event, line) in events.lines().zip(warned.lines()) {
        let event: serde_json::Value = serde_json::from_str(event).unwrap();
        assert_eq!((&event["event"], &event["level"]), (&"warning".into(), &"warn".into()));
        assert_eq!(Some(event["message"].as_str().unwrap()), line.strip_prefix("warning: "));
    }
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("normals estimated") && text.contains("closed, genus 0"), "{text}");
}

/// Returns the fraction of red pixels among the pixels that lie below the title and are not white.
fn red(picture: &Path) -> f64 {
    let file = std::io::BufReader::new(std::fs::File::open(picture).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!(info.color_type, png::ColorType::Rgb);
    let all = pixels[3 * info.width as usize * 70..].chunks_exact(3);
    let ink: Vec<&[u8]> = all.filter(|p| **p != [255; 3]).collect();
    let is_red = |p: &&&[u8]| p[0] > 2 * p[1].min(127) && p[0] > 2 * p[2].min(127);
    ink.iter().filter(is_red).count() as f64 / ink.len() as f64
}

#[test]
fn pictures_show_the_colors_of_the_cloud() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let ball = generate(&Generate::Sphere(Sphere::default())).unwrap();
    let mut cloud = samples(&ball, 3_000);
    write_cloud(&folder.join("bare.ply"), &cloud, Compression::default()).unwrap();
    cloud.colors = Some(vec![[210, 30, 40]; cloud.len()]);
    write_cloud(&folder.join("ball.ply"), &cloud, Compression::default()).unwrap();
    for method in ["directed", "levelset"] {
        let of = |cloud: &str| {
            let line = format!("reconstruct {cloud} --method {method} --depth 5 -o out.ply");
            said(folder, &format!("{line} --picture out.png"));
            red(&folder.join("out.png"))
        };
        assert!(of("bare.ply") < 0.1, "{method}");
        assert!(of("ball.ply") > 0.97, "{method}");
        // A picture of the output file also shows the colors, unless an array is requested.
        said(folder, "render out.ply -o again.png --device cpu");
        assert!(red(&folder.join("again.png")) > 0.97, "{method}");
        said(folder, "render out.ply -o height.png --colors z --device cpu");
        assert!(red(&folder.join("height.png")) < 0.1, "{method}");
    }
    let case = "version = 1\n[domain.cloud]\npath = \"ball.ply\"\n[reconstruct]\ndepth = 5\n\
                [output.picture]\n";
    std::fs::write(folder.join("case.toml"), case).unwrap();
    said(folder, "run case.toml -o results");
    assert!(red(&folder.join("results/case.png")) > 0.97);
}

#[test]
fn what_cannot_be_reconstructed_is_refused_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("one.xyz"), "1 2 3\n").unwrap();
    std::fs::write(folder.join("same.xyz"), "1 2 3\n".repeat(50)).unwrap();
    std::fs::write(folder.join("two.xyz"), "1 2 3 0 0 1\n1 2 4 0 0 1\n").unwrap();
    std::fs::write(folder.join("bare.xyz"), "1 2 3\n1 2 4\n").unwrap();
    for (line, code, words) in [
        ("reconstruct one.xyz -o a.ply", 3, "one point"),
        ("reconstruct same.xyz -o a.ply", 3, "all 50 points of the point cloud coincide"),
        ("reconstruct two.xyz -o a.xyz", 2, "unknown extension of the output file"),
        ("reconstruct two.xyz -o no/a.ply", 6, "create the folder first"),
        ("reconstruct two.xyz --cell -1 -o a.ply", 2, "--cell must be > 0 and finite, but is -1"),
        ("reconstruct two.xyz --cell 1e-12 -o a.ply", 3, "at most 2097152"),
        ("reconstruct two.xyz --depth 21 -o a.ply", 2, "21 is not in 1..=20"),
        // The message names the options, not the file. Options that do not depend on the file are
        // checked before it is read.
        (
            "reconstruct two.xyz --curvature 0.2 -o a.ply",
            2,
            "--curvature is for the method levelset",
        ),
        (
            "reconstruct none.xyz --curvature 2 -o a.ply",
            2,
            "--curvature must be between 0 and 1, but is 2",
        ),
        (
            "reconstruct two.xyz --storage 16-bit -o a.ply",
            2,
            "the default for a cloud with normals",
        ),
        ("reconstruct none.xyz --method directed --storage 16-bit -o a.ply", 2, "--storage is for"),
        (
            "reconstruct none.xyz --method levelset --depth 15 -o a.ply",
            2,
            "--depth must be between 4 and 14",
        ),
        (
            "reconstruct none.xyz --method levelset --depth 3 -o a.ply",
            2,
            "--depth must be between 4 and 14",
        ),
        (
            "reconstruct bare.xyz --depth 3 -o a.ply",
            2,
            "the default for a cloud without normals, but is 3",
        ),
        ("reconstruct none.xyz --outliers 0.5 -o a.ply", 2, "--outliers must be above 1, or 0"),
        ("reconstruct none.xyz --outliers 1 -o a.ply", 2, "--outliers must be above 1, or 0"),
        ("reconstruct none.xyz --outliers nan -o a.ply", 2, "is NaN"),
        ("reconstruct two.xyz --method poisson -o a.ply", 2, "poisson"),
        ("reconstruct none.ply -o a.ply", 3, "none.ply"),
    ] {
        let (complained, found) = refused(folder, line);
        assert!(complained.contains(words) && found == code, "{line}: {found} {complained}");
        assert!(!folder.join("a.ply").exists());
    }
}

#[test]
fn cases_that_cannot_be_are_not_fit_to_run() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("one.xyz"), "1 2 3\n").unwrap();
    std::fs::write(folder.join("two.xyz"), "1 2 3 0 0 1\n1 2 4 0 0 1\n").unwrap();
    for (cloud, table, code, words) in [
        (
            "two",
            "method = \"levelset\"\ndepth = 15",
            2,
            "reconstruct.depth must be between 4 and 14",
        ),
        ("two", "method = \"directed\"\ncurvature = 0.5", 2, "reconstruct.curvature is for"),
        ("two", "curvature = 0.5", 2, "the default for a cloud with normals"),
        ("two", "curvature = 2.0", 2, "must be between 0 and 1, but is 2"),
        ("two", "outliers = 0.5", 2, "reconstruct.outliers must be above 1, or 0"),
        ("two", "outliers = -1.0", 2, "is -1"),
        ("two", "smooth = 1001", 2, "must be between 0 and 1000, but is 1001"),
        ("one", "depth = 3", 2, "the default for a cloud without normals, but is 3"),
        ("one", "", 3, "one.xyz: the point cloud has only one point"),
    ] {
        let case = format!(
            "version = 1\n[domain.cloud]\npath = \"{cloud}.xyz\"\n[reconstruct]\n{table}\n"
        );
        std::fs::write(folder.join("case.toml"), case).unwrap();
        for line in ["check case.toml", "run case.toml -o r"] {
            let (complained, found) = refused(folder, line);
            assert!(complained.contains(words) && found == code, "{table}: {found} {complained}");
            assert!(!folder.join("r/report.json").exists());
        }
    }
}

#[test]
fn what_is_left_out_and_where_the_cloud_lies_is_said_by_command_and_case() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let ball = generate(&Generate::Sphere(Sphere::default())).unwrap();
    let far = |x: &[f64; 3]| format!("{} {} {}\n", x[0] + 5e5, x[1] + 3_812_700.0, x[2]);
    let mut text: String = samples(&ball, 3_000).points.iter().map(far).collect();
    text += &"nan 1 2\n".repeat(22);
    std::fs::write(folder.join("ball.xyz"), text).unwrap();
    let case = "version = 1\n[domain.cloud]\npath = \"ball.xyz\"\n[reconstruct]\ndepth = 5\n";
    std::fs::write(folder.join("case.toml"), case).unwrap();
    let told = [
        said(folder, "reconstruct ball.xyz --depth 5 -o a.ply --report a.json"),
        said(folder, "run case.toml -o r"),
    ];
    for text in &told {
        assert!(text.contains("3000 used, 22 not finite"), "{text}");
        assert!(text.contains("y 3812699.") && text.contains(" .. 3812700.99"), "{text}");
    }
    assert!(said(folder, "check case.toml").contains("22 more are not finite"));
    assert!(said(folder, "info ball.xyz").contains("y 3812699."));
    let read = |name: &str| -> serde_json::Value {
        serde_json::from_str(&std::fs::read_to_string(folder.join(name)).unwrap()).unwrap()
    };
    let (command, run) = (read("a.json"), read("r/report.json"));
    let task = &run["reconstruction"];
    for key in ["stored", "not_finite", "without_normal", "units", "normals", "samples", "warnings"]
    {
        assert!(task.get(key).is_some() && task[key] == command[key], "{key}: {}", task[key]);
    }
    assert_eq!((&task["stored"], &task["not_finite"]), (&3022.into(), &22.into()));
    let low = task["samples"]["low"][1].as_f64().unwrap();
    assert!((low - 3_812_699.0).abs() < 0.1, "{low}");
    assert_eq!(run["warnings"], task["warnings"]);
    assert!(task["warnings"][0].as_str().unwrap().contains("22 points of 3022"));
    let output = zeroset(folder, "run case.toml -o r --overwrite");
    let warned = String::from_utf8(output.stderr).unwrap();
    assert!(warned.contains("left out: 22 points of 3022"), "{warned}");
}

#[test]
fn a_few_samples_say_that_their_density_is_not_known() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("two.xyz"), "1 2 3 0 0 1\n1 2 4 0 0 1\n").unwrap();
    let output = zeroset(folder, "reconstruct two.xyz -o a.ply");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("the size that leaves no holes is unknown"), "{text}");
    let warned = String::from_utf8(output.stderr).unwrap();
    assert!(warned.contains("the density of the cloud is unknown"), "{warned}");
}

#[test]
fn a_gpu_that_is_not_there_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let ball = generate(&Generate::Sphere(Sphere::default())).unwrap();
    write_cloud(&folder.join("ball.ply"), &samples(&ball, 2_000), Compression::default()).unwrap();
    let case = "version = 1\n[domain.cloud]\npath = \"ball.ply\"\n[reconstruct]\ndepth = 4\n";
    std::fs::write(folder.join("case.toml"), case).unwrap();
    let without = |line: &str| {
        let mut command = Command::new(program(env!("CARGO_BIN_EXE_zeroset")));
        command.current_dir(folder).env("CUDA_VISIBLE_DEVICES", "");
        let output = command.args(line.split_whitespace()).output().unwrap();
        let text = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        (output.status.code(), text.concat())
    };
    for (line, code, words) in [
        ("reconstruct ball.ply -o a.ply --device cuda", 5, "error: device: "),
        ("reconstruct ball.ply -o a.ply --device gpu", 2, "gpu"),
        ("run case.toml -o r --device cuda", 5, "error: device: "),
        ("reconstruct ball.ply -o b.ply --depth 4 --device auto --json", 0, "\"device\": null"),
        ("check case.toml --device cuda", 5, "error: device: "),
        ("check case.toml", 0, "device  cpu (auto: "),
    ] {
        let (found, text) = without(line);
        assert!(found == Some(code) && text.contains(words), "{line}: {found:?} {text}");
        assert!(!folder.join("a.ply").exists() && !folder.join("r").exists());
    }
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
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let ball = generate(&Generate::Sphere(Sphere::default())).unwrap();
    write_cloud(&folder.join("ball.ply"), &samples(&ball, 20_000), Compression::default()).unwrap();
    let written = ["cpu", "cuda"].map(|device| {
        let line = format!("reconstruct ball.ply -o {device}.ply --device {device}");
        let text = said(folder, &line);
        assert_eq!(text.contains("\ndevice "), device == "cuda", "{text}");
        std::fs::read(folder.join(format!("{device}.ply"))).unwrap()
    });
    assert!(written[0] == written[1]);
}

/// Writes a volume whose values are 100 minus the distance from its center in voxels.
fn write_ball(folder: &Path, n: usize) {
    use zeroset::volume::{Placement, Volume};
    let middle = (n - 1) as f64 / 2.0;
    let value = |k: usize| {
        let at = [k % n, k / n % n, k / (n * n)].map(|c| c as f64 - middle);
        (100.0 - at.iter().map(|c| c * c).sum::<f64>().sqrt()) as f32
    };
    let values: Vec<f32> = (0..n * n * n).map(value).collect();
    let volume = Volume::new([n; 3], values.into(), Placement::identity()).unwrap();
    let steps = [[0.5, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 2.0]];
    let volume = volume.placed([10.0, 20.0, 30.0], steps).unwrap();
    let options = WriteOptions::default();
    zeroset::io::write_volume(&folder.join("ball.nrrd"), &volume, &options).unwrap();
}

#[test]
fn a_level_becomes_a_surface_in_the_world() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_ball(folder, 21);
    for ending in ["ply", "stl", "obj", "vtp"] {
        let text = said(folder, &format!("isosurface ball.nrrd --level 92.9 -o a.{ending}"));
        assert!(text.contains("vertices") && text.contains("triangles"), "{text}");
        let mesh = read_mesh(&folder.join(format!("a.{ending}"))).unwrap().mesh;
        let found = Topology::of(&mesh);
        assert_eq!((found.closed, found.genus, found.components), (true, Some(0), 1), "{ending}");
        let (low, high) = mesh.bounds();
        // The surface has a radius of 7.1 voxels around index 10.
        for (k, (from, to)) in
            [(11.45, 18.55), (21.45, 28.55), (35.8, 64.2)].into_iter().enumerate()
        {
            assert!(
                (low[k] - from).abs() < 0.02 && (high[k] - to).abs() < 0.02,
                "{low:?} {high:?}"
            );
        }
    }
    // The surface leaves the volume. It is either left open, or closed half a voxel outside.
    let told = said(folder, "isosurface ball.nrrd --level 88 --holes -o open.vtp");
    assert!(told.contains("topology  open, 6 loops, 1 component\n"), "{told}");
    assert_eq!(told.matches("loop of").count(), 3, "{told}");
    let closed =
        "isosurface ball.nrrd --level 88 --closed --smooth 2 --largest --holes -o closed.vtp";
    let told = said(folder, closed);
    assert!(told.ends_with("topology  closed, genus 0, 1 component\n"), "{told}");
    // The same result is written as a report, together with a picture.
    let line = "isosurface ball.nrrd --level 92.9 -o b.ply --report b.json --picture b.png";
    assert!(said(folder, line).contains("vertices"));
    let text = std::fs::read_to_string(folder.join("b.json")).unwrap();
    let written: serde_json::Value = serde_json::from_str(&text).unwrap();
    let line = "isosurface ball.nrrd --level 92.9 -o b.ply --json";
    let report: serde_json::Value = serde_json::from_str(&said(folder, line)).unwrap();
    for key in ["input", "level", "device", "flat", "surface", "low", "high"] {
        assert!(report.get(key).is_some() && report[key] == written[key], "{key}");
    }
    assert_eq!((&report["surface"]["closed"], &report["level"]), (&true.into(), &92.9.into()));
    assert!((report["low"][2].as_f64().unwrap() - 35.8).abs() < 0.02, "{report}");
    assert!(std::fs::metadata(folder.join("b.png")).unwrap().len() > 1_000);
    let (complained, code) =
        refused(folder, "isosurface none.nrrd --level 1 -o c.ply --picture c.jpg");
    assert!(complained.contains("c.jpg") && code == 2, "{code} {complained}");
    std::fs::remove_file(folder.join("b.ply")).unwrap();
    let of = |name: &str| Topology::of(&read_mesh(&folder.join(name)).unwrap().mesh);
    assert_eq!((of("open.vtp").closed, of("open.vtp").holes.len()), (false, 6));
    assert!(of("closed.vtp").closed);
    let (complained, code) = refused(folder, "isosurface ball.nrrd --level 300 -o b.ply");
    assert!(
        complained.contains("values range from 82.") && complained.contains("to 100"),
        "{complained}"
    );
    assert_eq!((code, folder.join("b.ply").exists()), (2, false));
    let mesh = generate(&Generate::Sphere(Sphere::default())).unwrap();
    write_mesh(&folder.join("m.ply"), &mesh, &WriteOptions::default()).unwrap();
    let (complained, code) = refused(folder, "isosurface m.ply --level 1 -o b.ply");
    assert!(complained.contains("holds no volume") && code == 3, "{complained}");
}

#[test]
fn volumes_in_time_are_refused() {
    let Some(path) = zeroset_testing::data("volumes/nibabel_nifti2_4d.nii.gz") else { return };
    let folder = tempfile::tempdir().unwrap();
    let line = format!("isosurface {} --level 100 -o a.ply", path.display());
    let (complained, code) = refused(folder.path(), &line);
    assert!(complained.contains("2 volumes") && code == 3, "{complained}");
}
