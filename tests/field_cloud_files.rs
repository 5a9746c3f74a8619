//! Tests point cloud files with inputs from the field (`ZEROSET_FIELD`), and the selection of
//! points.

use std::path::{Path, PathBuf};
use std::process::Command;

use zeroset::io::{read_cloud, read_mesh};
use zeroset_testing::field;

/// Runs the program in a folder. Returns whether it succeeded, its standard output, and its
/// standard error.
fn zeroset(folder: &Path, arguments: &[&str]) -> (bool, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
    let output = command.current_dir(folder).args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    (output.status.success(), text(&output.stdout), text(&output.stderr))
}

/// Runs the program, which must succeed. Returns everything that it printed.
#[track_caller]
fn works(folder: &Path, arguments: &[&str]) -> String {
    let (success, out, err) = zeroset(folder, arguments);
    assert!(success, "{arguments:?}: {err}");
    out + &err
}

/// Runs the program, which must fail with a message.
#[track_caller]
fn fails(folder: &Path, arguments: &[&str], message: &str) {
    let (success, _, err) = zeroset(folder, arguments);
    assert!(!success && err.contains(message), "{arguments:?}: {err}");
}

/// Returns the name of a field file as text.
fn named(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Runs `reconstruct` and returns its report.
#[track_caller]
fn reconstructed(folder: &Path, arguments: &[&str]) -> serde_json::Value {
    let more = ["-o", "s.ply", "--json"];
    let (success, out, err) = zeroset(folder, &[&["reconstruct"], arguments, &more].concat());
    assert!(success, "{arguments:?}: {err}");
    serde_json::from_str(&out).unwrap()
}

#[test]
fn withheld_points_are_not_used_and_classes_are_listed_and_selected() {
    let Some(file) = field("clouds/las_withheld/withheld.las") else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let said = works(folder, &["info", named(&file)]);
    assert!(said.contains("500 withheld dropped") && said.contains("classes"), "{said}");
    let (cloud, report) = read_cloud(&file).unwrap();
    assert_eq!(report.withheld, 500);
    let classes: Vec<u8> = report.classes.iter().map(|class| class.0).collect();
    let (class, n) = report.classes[0];
    let condition = format!("classification == {class}");
    let found = reconstructed(folder, &[named(&file), "--where", &condition]);
    assert_eq!(found["withheld"], 500);
    assert_eq!(found["selected"], n, "{classes:?}");
    assert!(n as usize <= cloud.len());
    let arguments = ["reconstruct", named(&file), "-o", "none.ply", "--where"];
    let with = |condition| [&arguments[..], &[condition]].concat();
    fails(folder, &with("classification == 99"), "none of the");
    fails(folder, &with("clasification == 2"), "did you mean `classification`");
    fails(folder, &with("curvature > 0"), "number_of_returns");
    assert!(!folder.join("none.ply").exists());
}

#[test]
fn normals_of_e57_come_from_the_file() {
    let Some(file) = field("clouds/e57_normals/sphere_inward_normals.e57") else { return };
    let (cloud, report) = read_cloud(&file).unwrap();
    let normals = cloud.normals.unwrap();
    assert!(report.normals.is_some() && report.warnings.is_empty(), "{report:?}");
    // The normals of this sphere point to its center.
    for (x, normal) in cloud.points.iter().zip(&normals) {
        let along: f64 = (0..3).map(|k| x[k] * f64::from(normal[k])).sum();
        assert!((along + 1.0).abs() < 1e-3, "{x:?} {normal:?}");
    }
    let folder = tempfile::tempdir().unwrap();
    let said = works(folder.path(), &["info", named(&file)]);
    assert!(said.contains("in the file"), "{said}");
    let found = reconstructed(folder.path(), &[named(&file)]);
    assert_eq!(found["normals"], "file");
    assert!(found["estimated_normals"].is_null());
}

#[test]
fn every_command_reads_the_formats_of_scanners() {
    let folder = tempfile::tempdir().unwrap();
    for name in [
        "pcd_upper_case/upper.pcd",
        "pcd_upper_case/lower_type.pcd",
        "cloudcompare_asc/titles_and_count.asc",
        "ptx/scan.ptx",
    ] {
        let Some(file) = field(&format!("clouds/{name}")) else { return };
        let said = works(folder.path(), &["info", named(&file)]);
        assert!(said.contains("1,500") || said.contains("1500"), "{name}: {said}");
        let found = reconstructed(folder.path(), &[named(&file)]);
        assert_eq!(found["samples"]["used"], 1500, "{name}");
        assert_eq!(found["surface"]["closed"], true, "{name}");
        works(folder.path(), &["convert", named(&file), "c.ply"]);
        let (cloud, _) = read_cloud(&folder.path().join("c.ply")).unwrap();
        assert_eq!(cloud.len(), 1500, "{name}");
    }
}

/// Writes a text file with named columns: a lattice of 20 by 20 points of two classes.
fn lattice(folder: &Path) -> PathBuf {
    let mut text = String::from("X Y Z Intensity Classification\n");
    for i in 0..20 {
        for j in 0..20 {
            let class = if i < 10 { 2 } else { 6 };
            text += &format!("{i} {j} 0 {} {class}\n", i + j);
        }
    }
    let path = folder.join("lattice.txt");
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn points_are_cropped_thinned_and_written_with_their_attributes() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    lattice(folder);
    let said = works(folder, &["info", "lattice.txt"]);
    assert!(said.contains("2 ground: 200, 6 building: 200"), "{said}");
    for ending in ["ply", "csv", "xyz", "txt", "pcd", "vtp", "las"] {
        let name = format!("ground.{ending}");
        let ground = ["convert", "lattice.txt", &name, "--where", "classification == 2"];
        let said = works(folder, &ground);
        assert!(said.contains("200 points with") && said.contains("200 selected"), "{said}");
        assert!(!said.contains("warning"), "{said}");
        let (_, report) = read_cloud(&folder.join(&name)).unwrap();
        assert_eq!(report.classes, [(2, 200)], "{name}");
        // The attributes of the result can be selected again.
        let bright = ["convert", &name, "bright.ply", "--where", "intensity >= 20"];
        assert!(works(folder, &bright).contains("45 points"), "{name}");
    }
    let cropped = ["convert", "lattice.txt", "part.ply", "--crop", "0,4,0,4,-inf,inf"];
    assert!(works(folder, &cropped).contains("25 points"));
    let thinned = ["convert", "part.ply", "thin.xyz", "--thin", "2"];
    assert!(works(folder, &thinned).contains("9 points"));
    let (cloud, _) = read_cloud(&folder.join("thin.xyz")).unwrap();
    assert!(cloud.points.contains(&[1.0, 1.0, 0.0]) && cloud.points.contains(&[4.0, 4.0, 0.0]));
    // Text and binary PLY hold the same points.
    works(folder, &["convert", "lattice.txt", "a.ply", "--ascii"]);
    works(folder, &["convert", "lattice.txt", "b.ply"]);
    let read = |name: &str| read_cloud(&folder.join(name)).unwrap().0;
    assert_eq!(read("a.ply"), read("b.ply"));
    // A mesh file that holds only points is also a point cloud.
    assert!(works(folder, &["convert", "ground.vtp", "again.ply"]).contains("200 points"));
    let empty = ["convert", "lattice.txt", "none.ply", "--crop", "90,91,0,1,0,1"];
    fails(folder, &empty, "none of the 400 points is selected");
    fails(folder, &["convert", "lattice.txt", "none.ply", "--thin", "0"], "a length > 0");
    assert!(!folder.join("none.ply").exists());
}

#[test]
fn clouds_are_merged_and_meshes_stay_meshes() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("a.csv"), "x,y,z,intensity\n0,0,0,1\n1,0,0,2\n").unwrap();
    std::fs::write(folder.join("b.csv"), "x,y,z,Intensity,id\n5,0,0,3,7\n").unwrap();
    let said = works(folder, &["convert", "a.csv", "b.csv", "both.ply"]);
    assert!(said.contains("3 points with intensity"), "{said}");
    assert!(said.contains("not all inputs have them: id"), "{said}");
    let (cloud, _) = read_cloud(&folder.join("both.ply")).unwrap();
    assert_eq!(cloud.points, [[0.0; 3], [1.0, 0.0, 0.0], [5.0, 0.0, 0.0]]);
    works(folder, &["generate", "sphere", "--subdivisions", "1", "-o", "ball.ply"]);
    works(folder, &["convert", "ball.ply", "ball.vtp"]);
    assert_eq!(read_mesh(&folder.join("ball.vtp")).unwrap().mesh.n_cells(), 80);
    fails(folder, &["convert", "ball.ply", "ball.xyz"], "holds a mesh with 80 cells");
    fails(folder, &["convert", "ball.ply", "a.csv", "c.ply"], "holds a mesh with 80 cells");
    fails(folder, &["convert", "a.csv", "c.ply", "--repair"], "--repair is not for point clouds");
    fails(folder, &["convert", "a.csv", "b.csv", "c.nrrd"], "only point clouds can be merged");
    assert!(!folder.join("c.ply").exists());
}

#[test]
fn degrees_are_projected_to_local_meters() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut text = String::from("x,y,z\n");
    for i in 0..30 {
        for j in 0..30 {
            text += &format!("{},{},100\n", 11.0 + 1e-4 * f64::from(i), 48.0 + 1e-4 * f64::from(j));
        }
    }
    std::fs::write(folder.join("degrees.csv"), text).unwrap();
    let said = works(folder, &["convert", "degrees.csv", "m.ply", "--project", "local"]);
    assert!(said.contains("origin    longitude 11.001450000, latitude 48.001450000"), "{said}");
    let (cloud, _) = read_cloud(&folder.join("m.ply")).unwrap();
    let (low, high) = cloud.bounds();
    // At this latitude, 1e-4 degrees are 7.46 m to the east and 11.12 m to the north.
    assert!((high[0] - low[0] - 29.0 * 7.4622).abs() < 0.1, "{low:?} {high:?}");
    assert!((high[1] - low[1] - 29.0 * 11.1200).abs() < 0.1, "{low:?} {high:?}");
    assert_eq!((low[2], high[2]), (100.0, 100.0));
    let found = reconstructed(folder, &["degrees.csv", "--project", "local"]);
    assert!((found["origin"]["latitude"].as_f64().unwrap() - 48.00145).abs() < 1e-9);
    assert_eq!(found["units"], "m");
    // A case projects and selects like the command.
    let selected = ["degrees.csv", "--project", "local", "--where", "x < 11.0015"];
    let found = reconstructed(folder, &selected);
    let case = "version = 1\nreconstruct = {}\n[domain.cloud]\npath = \"degrees.csv\"\n\
                where = \"x < 11.0015\"\nproject = \"local\"\n";
    std::fs::write(folder.join("case.toml"), case).unwrap();
    works(folder, &["check", "case.toml"]);
    works(folder, &["run", "case.toml", "-o", "results"]);
    let run = std::fs::read_to_string(folder.join("results/report.json")).unwrap();
    let run: serde_json::Value = serde_json::from_str(&run).unwrap();
    for key in ["selected", "origin", "units", "samples"] {
        assert!(!found[key].is_null(), "{key}");
        assert_eq!(run["reconstruction"][key], found[key], "{key}");
    }
    std::fs::write(folder.join("case.toml"), case.replace("x <", "r <")).unwrap();
    fails(folder, &["run", "case.toml", "-o", "r"], "no attribute \"r\"");
    let far = ["convert", "m.ply", "n.ply", "--project", "local"];
    fails(folder, &far, "are no longitudes and latitudes");
}

#[test]
fn surfaces_are_trimmed_and_holes_filled_with_a_report() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    works(folder, &["generate", "sphere", "--subdivisions", "4", "-o", "ball.ply"]);
    works(folder, &["sample", "ball.ply", "-n", "20000", "--normals", "-o", "ball.xyz"]);
    // A sphere with a hole.
    works(folder, &["convert", "ball.xyz", "open.ply", "--where", "z < 0.9"]);
    let whole = reconstructed(folder, &["open.ply"]);
    assert!(whole["trimmed"].is_null());
    let trimmed = reconstructed(folder, &["open.ply", "--trim", "1"]);
    let removed = &trimmed["trimmed"];
    let of = |report: &serde_json::Value| report["surface"]["triangles"].as_u64().unwrap();
    assert_eq!(of(&whole) - of(&trimmed), removed["triangles"].as_u64().unwrap());
    assert!(removed["area"].as_f64().unwrap() >= 0.0, "{removed}");
    let filled = reconstructed(folder, &["open.ply", "--trim", "1.5", "--fill-holes"]);
    assert_eq!(filled["surface"]["closed"], true, "{}", filled["surface"]);
    // The cap above z = 0.9 has an area of 2 pi 0.1, and the disk below it has an area of 0.19 pi.
    let area = filled["filled"]["area"].as_f64().unwrap();
    assert!((0.4..0.65).contains(&area), "{area}");
    let warnings = filled["warnings"].to_string();
    assert!(warnings.contains("is invented"), "{warnings}");
    let far = ["reconstruct", "open.ply", "-o", "s.ply", "--trim", "0"];
    fails(folder, &far, "--trim must be > 0");
    let case = "version = 1\ndomain.cloud.path = \"open.ply\"\n\
                reconstruct = { trim = 1.5, fill_holes = true }\n";
    std::fs::write(folder.join("case.toml"), case).unwrap();
    works(folder, &["run", "case.toml", "-o", "results"]);
    let mesh = read_mesh(&folder.join("results/case_000000.vtp")).unwrap().mesh;
    assert_eq!(mesh.n_cells() as u64, of(&filled));
    let wrong = case.replace("true", "-1");
    std::fs::write(folder.join("case.toml"), wrong).unwrap();
    fails(folder, &["check", "case.toml"], "must be true, false or an area > 0");
}

#[test]
fn distances_to_points_of_a_class() {
    let Some(file) = field("clouds/las_withheld/withheld.las") else { return };
    let (_, report) = read_cloud(&file).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("q.csv"), "0,0,0\n").unwrap();
    let (class, n) = report.classes[0];
    let condition = format!("classification == {class} && return_number >= 0");
    let arguments =
        ["dt", "--points", named(&file), "--queries", "q.csv", "-o", "d.csv", "--where"];
    let said = works(folder, &[&arguments[..], &[&condition]].concat());
    assert!(said.contains(&format!("to {n} sites")), "{said}");
    fails(folder, &[&arguments[..], &["nonsense > 0"]].concat(), "classification");
}
