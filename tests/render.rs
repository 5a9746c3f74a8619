//! Tests `zeroset render` for volumes, meshes and results of runs.

use std::path::Path;

use assert_cmd::Command;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;

fn zeroset(folder: &Path, args: &[&str]) -> assert_cmd::assert::Assert {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
    command.current_dir(folder).args(args).assert()
}

/// Creates a folder with a ball of radius 10 as raw values. The value is 128 on its surface and
/// grows by 5 per voxel outward.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let number = |n: usize| {
        let x = [n % 33, n / 33 % 33, n / 33 / 33].map(|i| i as f32 - 16.0);
        let v = f64::from((x[0] * x[0] + x[1] * x[1] + x[2] * x[2]).sqrt() - 10.0);
        (128.0 + 5.0 * v).clamp(0.0, 255.0) as u8
    };
    let bytes: Vec<u8> = (0..33 * 33 * 33).map(number).collect();
    std::fs::write(folder.path().join("ball.raw"), bytes).unwrap();
    folder
}

const RAW: [&str; 4] = ["render", "ball.raw", "--raw", "33x33x33:uint8:1x1x2"];

/// Returns the width, the height, and whether there is an alpha channel.
fn png(path: &Path) -> (u32, u32, bool) {
    let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
    let reader = png::Decoder::new(file).read_info().unwrap();
    let info = reader.info();
    (info.width, info.height, info.color_type == png::ColorType::Rgba)
}

#[test]
fn volumes_are_drawn_from_the_command_line() {
    let folder = folder();
    let draw = |more: &[&str]| {
        zeroset(folder.path(), &[&RAW[..], &["-o", "a.png", "--size", "120x90"], more].concat())
    };
    let said = contains("picture   a.png, 120 x 90 pixels").and(contains("steps     "));
    draw(&["--level", "128"]).code(0).stdout(said);
    assert_eq!(png(&folder.path().join("a.png")), (120, 90, false));
    draw(&["--where", "v < 128 && z < 32", "--transparent", "--view", "30,20"]).code(0);
    assert_eq!(png(&folder.path().join("a.png")), (120, 90, true));
    let file = || std::fs::read(folder.path().join("a.png")).unwrap();
    let mut rules = ["walk", "isotropic", "directional"].map(|rule| {
        let args = ["--level", "128", "--rule", rule, "--perspective", "30", "--colors", "z"];
        draw(&args).code(0);
        let shaded = file();
        draw(&["--level", "128", "--rule", rule, "--image", "iterations"]).code(0);
        (shaded, file())
    });
    assert!(rules.iter().all(|(shaded, _)| *shaded == rules[0].0));
    rules.sort();
    assert!(rules.windows(2).all(|pair| pair[0].1 != pair[1].1), "steps differ");
    let lit =
        [[].as_slice(), &["--light", "-0.36,0.48,0.8"], &["--light", "2,-1,3"]].map(|light| {
            draw(&[&["--level", "128"][..], light].concat()).code(0);
            file()
        });
    assert!(lit[0] == lit[1] && lit[0] != lit[2], "by default, the light comes from above left");
    let cone = ["--rule", "directional", "--cone", "30", "--zoom", "2", "--image", "depth"];
    draw(&[&["--level", "128"][..], &cone].concat()).code(0);
    draw(&["--level", "250"])
        .code(0)
        .stderr(contains("the picture is empty, because no ray hits anything"));
}

#[test]
fn what_cannot_be_drawn_is_said_with_a_remedy() {
    let folder = folder();
    let fails = |more: &[&str], code: i32, said: &str| {
        let args = [&RAW[..], more].concat();
        zeroset(folder.path(), &args).code(code).stderr(contains(said));
        assert!(!folder.path().join("a.png").exists());
    };
    let out = |more: &[&'static str]| [&["-o", "a.png"], more].concat();
    fails(&out(&[]), 2, "--level NUMBER for an isosurface, or --where");
    fails(&out(&["--level", "128", "--where", "v > 3"]), 2, "cannot be used with");
    fails(&out(&["--where", "density > 3"]), 2, "density");
    fails(&out(&["--level", "128", "--size", "9000"]), 2, "must be between 16 and 8192");
    fails(&out(&["--level", "128", "--view", "fronte"]), 2, "did you mean `front`?");
    fails(
        &out(&["--level", "128", "--perspective", "150"]),
        2,
        "--perspective must be between 1 and 120",
    );
    fails(&out(&["--level", "128", "--light", "0,0,0"]), 2, "--light must be a direction that");
    fails(&out(&["--level", "128", "--light", "1,2"]), 2, "expected X,Y,Z");
    fails(&out(&["--level", "128", "--zoom", "0"]), 2, "--zoom must be between 0.1 and 50");
    fails(&out(&["--level", "128", "--cone", "30"]), 2, "--cone is for --rule directional");
    fails(&out(&["--level", "128", "--rule", "directional", "--cone", "90"]), 2, "below 90");
    fails(&out(&["--level", "128", "--rule", "cone"]), 2, "isotropic");
    fails(&out(&["--level", "128", "--samples", "9"]), 2, "1 to 8");
    fails(&out(&["--level", "128", "--range", "3,1"]), 2, "the smaller first");
    fails(
        &out(&["--level", "1", "--image", "depth", "--colors", "v"]),
        2,
        "conflicts with --image",
    );
    fails(&["-o", "a.jpg", "--level", "128"], 2, "end the name in .png");
    fails(&["-o", "no/a.png", "--level", "128"], 6, "no/a.png");
    let others = ["render", "none.nii.gz", "--level", "1", "-o", "a.png"];
    zeroset(folder.path(), &others).code(3).stderr(contains("none.nii.gz"));
    zeroset(folder.path(), &["render", ".", "-o", "a.png"])
        .code(3)
        .stderr(contains("has no list of states"));
}

#[test]
fn meshes_and_results_are_drawn() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let run = |args: &[&str]| zeroset(folder.path(), args);
    run(&["generate", "sphere", "--subdivisions", "2", "-o", "ball.vtp"]).code(0);
    run(&["render", "ball.vtp", "-o", "a.png", "--size", "100"]).code(0);
    assert_eq!(png(&at("a.png")), (100, 100, false));
    run(&["distance", "ball.vtp", "--from", "vertex:0", "-o", "far.vtp", "--picture", "run.png"])
        .code(0);
    run(&["render", "far.vtp", "-o", "far.png"]).code(0);
    let pixels = |name: &str| {
        let file = std::io::BufReader::new(std::fs::File::open(at(name)).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        pixels
    };
    // Below the title, which is the file name, the pictures are almost the same.
    let title = 3 * 1200 * 70;
    let [run_, far] = ["run.png", "far.png"].map(|name| pixels(name)[title..].to_vec());
    let same = run_.iter().zip(&far).filter(|(a, b)| a == b).count();
    assert!(same * 100 > run_.len() * 98, "{same}");
    run(&["render", "far.vtp", "-o", "b.png", "--colors", "distance^2", "--view", "top"]).code(0);
    run(&["render", "far.vtp", "-o", "b.png", "--colors", "far"])
        .code(2)
        .stderr(contains("no vertex array \"far\""));
    run(&["render", "far.vtp", "-o", "b.png", "--level", "1"])
        .code(2)
        .stderr(contains("--level is for volumes"));
    // The input is a list, or a run folder that also contains a list of its interfaces.
    let list = "<VTKFile type=\"Collection\"><Collection>\
                <DataSet timestep=\"0\" file=\"ball.vtp\"/><DataSet timestep=\"2\" file=\"far.vtp\"/>\
                </Collection></VTKFile>";
    for name in ["case.pvd", "interface.pvd", "case_volume.pvd"] {
        std::fs::write(at(name), list).unwrap();
    }
    run(&["render", "case.pvd", "-o", "last.png"]).code(0);
    assert!(pixels("last.png")[title..] == pixels("far.png")[title..]);
    run(&["render", ".", "-o", "last.png"]).code(0);
    assert!(pixels("last.png")[title..] == pixels("far.png")[title..]);
    std::fs::write(at("other.pvd"), list).unwrap();
    run(&["render", ".", "-o", "c.png"]).code(3).stderr(contains("2 lists of states"));
}

#[test]
fn a_gpu_that_is_not_there_is_said() {
    let folder = folder();
    let draw = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
        command.current_dir(folder.path()).env("CUDA_VISIBLE_DEVICES", "").args(args).assert()
    };
    let level = ["--level", "128", "-o", "a.png", "--size", "1000"];
    draw(&["generate", "sphere", "-o", "s.vtp"]).code(0);
    for args in [[&RAW[..], &level].concat(), vec!["render", "s.vtp", "-o", "a.png"]] {
        draw(&[&args[..], &["--device", "cuda"]].concat())
            .code(5)
            .stderr(contains("error: device: "));
        assert!(!folder.path().join("a.png").exists());
    }
    // The picture is large enough for a GPU, but is drawn without one.
    draw(&[&RAW[..], &level].concat()).code(0);
    draw(&[&RAW[..], &level, &["--device", "gpu"]].concat()).code(2).stderr(contains("gpu"));
}

/// If there is a GPU, both devices write the same files.
#[test]
fn either_device_draws_the_same_file() {
    if zeroset::gpu::available(0).is_err() {
        return;
    }
    let folder = folder();
    zeroset(folder.path(), &["generate", "sphere", "-o", "s.vtp"]).code(0);
    let volume = [&RAW[..], &["--level", "128", "--colors", "z"]].concat();
    let mesh = ["render", "s.vtp", "--perspective", "30"];
    let light = ["--light", "2,-1,-0.5"];
    let lit = [[&volume[..], &light].concat(), [&mesh[..], &light].concat()];
    for args in [volume, mesh.to_vec()].into_iter().chain(lit) {
        let files = ["cpu", "cuda"].map(|device| {
            let out = ["-o", "a.png", "--size", "200", "--device", device];
            zeroset(folder.path(), &[&args[..], &out].concat()).code(0);
            std::fs::read(folder.path().join("a.png")).unwrap()
        });
        assert!(files[0] == files[1], "{args:?}");
    }
}
