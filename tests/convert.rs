//! Tests `zeroset convert`, and the surfaces that a run writes for other programs.

use std::path::{Path, PathBuf};
use std::process::Command;

use assert_cmd::assert::{Assert, OutputAssertExt};
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use zeroset::io::{VolumeOptions, WriteOptions, read_mesh, read_volume, write_volume};
use zeroset::mesh::generate::{Cube, Generate, generate};
use zeroset::mesh::{Kind, Mesh, vertex_normals};
use zeroset::surface::extract;
use zeroset::volume::{Placement, Samples, Volume};
use zeroset_testing::checkout::root;
use zeroset_testing::data;

#[test]
fn normals_of_an_interface_point_out_of_the_inside() {
    let cube = generate(&Generate::Cube(Cube::default())).unwrap();
    let center = [0.45, 0.5, 0.55];
    let away = |x: &[f64; 3]| [0, 1, 2].map(|k| x[k] - center[k]);
    let length = |v: [f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let phi: Vec<f64> = cube.vertices.iter().map(|x| length(away(x)) - 0.3).collect();
    let found = extract(&cube, &phi);
    let sphere = Mesh::new(Kind::Surface, found.vertices, found.cells);
    assert!(sphere.n_cells() > 100);
    for (x, normal) in sphere.vertices.iter().zip(vertex_normals(&sphere)) {
        let out = away(x);
        let along: f64 = (0..3).map(|k| out[k] * normal[k]).sum::<f64>() / length(out);
        assert!(along > 0.8, "{x:?} {normal:?}: {along}");
    }
}

#[test]
fn a_run_writes_interfaces_for_other_programs() {
    let folder = tempfile::tempdir().unwrap();
    let run = |domain: &str, files: &str| {
        let z = if domain.contains("cube") { 0.5 } else { 0.0 };
        let case = format!(
            "version = 1\n{domain}\n[initial]\nball = {{ center = [0.5, 0.5, {z}], radius = 0.3 }}\n\
             [evolve]\nnormal_speed = 1.0\nend_time = 0.05\n[output]\ninterface_files = {files}\n"
        );
        std::fs::write(folder.path().join("case.toml"), case).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
        let arguments = ["-q", "run", "case.toml", "-o", "results", "--overwrite"];
        command.current_dir(folder.path()).args(arguments).assert()
    };
    let names = |ending: &str| -> Vec<PathBuf> {
        let files = std::fs::read_dir(folder.path().join("results")).unwrap();
        let files = files.map(|file| file.unwrap().path());
        let wanted = |path: &PathBuf| {
            let name = path.file_name().unwrap().to_str().unwrap();
            name.starts_with("interface_") && name.ends_with(ending)
        };
        files.filter(wanted).collect()
    };
    let cube = "[domain.mesh.generate.cube]\ncells = [8, 8, 8]";
    run(cube, "[\"stl\", \"obj\", \"ply\"]").success();
    let states = names(".vtp");
    assert!(states.len() >= 2, "{states:?}");
    for state in states {
        let n = read_mesh(&state).unwrap().mesh.n_cells();
        for ending in ["stl", "obj", "ply"] {
            let mesh = read_mesh(&state.with_extension(ending)).unwrap().mesh;
            assert_eq!(mesh.n_cells(), n, "{ending}");
            assert_eq!(mesh.vertex_array("nz").is_some(), ending == "ply");
        }
        let text = std::fs::read_to_string(state.with_extension("obj")).unwrap();
        assert!(text.contains("\nvn "), "{text}");
    }
    let square = "[domain.mesh.generate.square]\ncells = [8, 8]";
    run(square, "[\"obj\"]").success();
    assert!(names(".stl").is_empty(), "the files of the previous run must be removed");
    let lines = read_mesh(&names(".obj")[0]).unwrap().mesh;
    assert!(lines.group("lines").is_some());
    run(square, "[\"stl\"]").code(2).stderr(contains("consists of lines, which .stl cannot hold"));
    run(square, "[\"obj\"]\ninterface = false").code(2).stderr(contains("interface = false"));
}

fn zeroset(arguments: &[&str]) -> Assert {
    Command::new(env!("CARGO_BIN_EXE_zeroset")).args(arguments).assert()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn shipped_and_shared_meshes_go_through_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let shipped = root().join("meshes/fsaverage5_pial_left.gii.gz");
    let files = ["cortex/tiny/lh.tinysurface", "sim/msh/t4_plane_v22ascii.msh"].map(data);
    for path in std::iter::once(Some(shipped)).chain(files).flatten().filter(|p| p.is_file()) {
        let original = read_mesh(&path).unwrap().mesh;
        for extension in ["vtu", "vtp", "msh", "ply", "off", "gii"] {
            let out: PathBuf = folder.path().join(format!("a.{extension}"));
            zeroset(&["-q", "convert", text(&path), text(&out)]).success();
            let found = read_mesh(&out).unwrap().mesh;
            // GIFTI stores 32-bit numbers. They represent the coordinates of the cortex files
            // exactly, but not those of a `.msh` file.
            if extension != "gii" || !path.to_string_lossy().contains("msh") {
                let what = format!("{extension} {}", path.display());
                assert_eq!(
                    (found.kind, found.cells),
                    (original.kind, original.cells.clone()),
                    "{what}"
                );
                assert_eq!(found.vertices, original.vertices, "{what}");
            }
        }
        let out = folder.path().join("a.stl");
        zeroset(&["convert", text(&path), text(&out)])
            .success()
            .stdout(contains("a.stl: ").and(contains(" triangles\n")));
        assert_eq!(read_mesh(&out).unwrap().mesh.n_cells(), original.n_cells());
    }
}

#[test]
fn tetrahedra_need_boundary_for_surface_formats() {
    let folder = tempfile::tempdir().unwrap();
    let [cube, skin] = ["cube.msh", "skin.ply"].map(|name| folder.path().join(name));
    zeroset(&["generate", "cube", "--cells", "2,2,2", "-o", text(&cube)]).success();
    zeroset(&["convert", text(&cube), text(&skin)])
        .code(2)
        .stderr(contains("this format holds triangles, but the mesh has tetrahedra"));
    assert!(!skin.exists());
    zeroset(&["convert", text(&cube), "--boundary", text(&skin), "--ascii"])
        .success()
        .stdout(contains("26 vertices, 48 triangles"));
    assert!(std::fs::read_to_string(&skin).unwrap().starts_with("ply\nformat ascii 1.0\n"));
    zeroset(&["convert", text(&skin), "--boundary", text(&cube)])
        .code(3)
        .stderr(contains("the boundary of a triangle mesh"));
    for (name, found) in [("a.vtu", "--ascii"), ("a.xxx", "end the name in .vtu")] {
        zeroset(&["convert", text(&cube), name, "--ascii"]).code(2).stderr(contains(found));
    }
}

#[test]
fn cut_faces_and_solids_are_counted() {
    let Some(solids) = data("sim/vtk/beam-hex.vtk") else { return };
    let folder = tempfile::tempdir().unwrap();
    let [out, skin] = ["a.vtu", "a.obj"].map(|name| folder.path().join(name));
    zeroset(&["convert", text(&solids), text(&out)])
        .success()
        .stderr(contains("8 hexahedron cells are split into tetrahedra"))
        .stdout(contains("36 vertices, 48 tetrahedra"));
    zeroset(&["convert", text(&solids), "--boundary", "--normals", text(&skin)]).success();
    assert!(std::fs::read_to_string(&skin).unwrap().contains("\nvn "));
    let quads = data("sim/obj/horse_quad.obj").unwrap();
    zeroset(&["convert", text(&quads), text(&out)])
        .success()
        .stderr(contains("2398 quad cells are split into triangles"));
    let points = data("scans/kitten.xyz").unwrap();
    zeroset(&["convert", text(&points), text(&skin)])
        .code(3)
        .stderr(contains("no triangles or tetrahedra: there is nothing to write"));
    zeroset(&["convert", text(&solids), "--normals", text(&out)])
        .code(2)
        .stderr(contains("--normals: tetrahedra have no normals"));
}

#[test]
fn a_selection_keeps_the_cells_that_fulfill_it() {
    let folder = tempfile::tempdir().unwrap();
    let zeroset = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
        command.args(args).current_dir(folder.path()).assert()
    };
    zeroset(&["generate", "square", "--cells", "4,4", "-o", "all.vtp"]).success();
    zeroset(&["convert", "all.vtp", "some.vtp", "--where", "x <= 0.5 && y > 0.2"]).success();
    let some = read_mesh(&folder.path().join("some.vtp")).unwrap().mesh;
    // The selection keeps two of four columns and three of four rows of triangle pairs.
    assert_eq!((some.n_vertices(), some.n_cells()), (12, 12));
    zeroset(&["convert", "all.vtp", "no.vtp", "--where", "x > 2"])
        .code(2)
        .stderr(contains("none of the 32 cells"));
    let absent = ["convert", "all.vtp", "no.vtp", "--where", "curv > 0"];
    zeroset(&absent).code(2).stderr(contains("there is no vertex array \"curv\""));
    assert!(!folder.path().join("no.vtp").exists());
}

/// Runs the program in a folder. Returns the exit code, standard output and standard error.
fn zeroset_in(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command = assert_cmd::Command::cargo_bin("zeroset").unwrap();
    let output = command.current_dir(folder).args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn the_program_converts_between_volumes_only() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let samples = Samples::from((0..5 * 4 * 3).map(|k| (k * 37 % 101) as i8).collect::<Vec<_>>());
    let steps = [[-2.0, 0.0, 0.25], [0.0, 0.5, 0.0], [0.5, 0.0, 3.0]];
    let volume = Volume::new([5, 4, 3], samples, Placement::identity()).unwrap();
    let mut volume = volume.placed([10.0, -20.5, 30.0], steps).unwrap();
    volume.frame = Some("RAS".into());
    write_volume(&folder.join("a.nii.gz"), &volume, &WriteOptions::default()).unwrap();
    let (code, said, _) = zeroset_in(folder, &["convert", "a.nii.gz", "b.vti"]);
    assert_eq!((code, said.as_str()), (0, "b.vti: 5 x 4 x 3 voxels of int8\n"));
    let back = read_volume(&folder.join("b.vti"), &VolumeOptions::default()).unwrap().volume;
    let numbers = |v: &Volume| {
        let placement = v.placement();
        [placement.steps().as_flattened(), &placement.origin()].concat()
    };
    let (found, expected) = (numbers(&back), numbers(&volume));
    let close = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-12;
    assert!(found.iter().zip(&expected).all(close), "{found:?}, expected {expected:?}");
    std::fs::write(folder.join("a.raw"), [1_u8, 0, 2, 0]).unwrap();
    let raw = ["convert", "a.raw", "c.npy", "--raw", "2x1x1:uint16le"];
    assert_eq!(zeroset_in(folder, &raw).0, 0);
    std::fs::write(folder.join("a.off"), "OFF 3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n").unwrap();
    for (arguments, code, found) in [
        (&["convert", "a.off", "b.vti"][..], 3, "holds no volume; b.vti is a volume format"),
        (&["convert", "a.nii.gz", "b.ply"], 3, "is a NIfTI volume, not a mesh"),
        (&["convert", "a.nii.gz", "b.nrrd", "--normals"], 2, "--normals is for meshes"),
        (&["convert", "a.nii.gz", "b.nrrd", "--array", "phi"], 2, "leave out --array"),
        (&["convert", "a.off", "b.ply", "--array", "phi"], 2, "--array is for volumes"),
        (&["convert", "a.raw", "b.npy"], 3, "state it: --raw"),
        (&["convert", "a.raw", "b.npy", "--raw", "2x2x1:uint16le"], 3, "found 4 bytes"),
        (&["info", "a.raw", "--raw", "2x2x1:uint16"], 2, "needs a byte order"),
        (&["info", "a.off", "--array", "phi"], 2, "leave out --array"),
    ] {
        let (found_code, _, said) = zeroset_in(folder, arguments);
        assert_eq!(found_code, code, "{arguments:?}: {said}");
        assert!(said.contains(found), "{arguments:?}: {said}");
    }
}
