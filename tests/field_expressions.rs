//! Tests the names in expressions on meshes with inputs from the field (`ZEROSET_FIELD`): arrays
//! with missing values, groups and tags, cell arrays and velocities. The correct values are exact
//! or come from an equivalent formula in the coordinates.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use zeroset::io::read_mesh;
use zeroset::mesh::Mesh;
use zeroset_testing::field;

/// Runs the program in a folder. Returns whether it succeeded, and everything that it printed.
fn zeroset(folder: &Path, arguments: &[&str]) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
    let output = command.current_dir(folder).args(arguments).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&said).into_owned())
}

/// Returns the distances on the mesh of a file.
#[track_caller]
fn distances(file: &Path, more: &[&str]) -> Vec<f64> {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["distance", file.to_str().unwrap(), "-o", "d.vtu"];
    let (success, said) = zeroset(folder.path(), &[&arguments[..], more].concat());
    assert!(success, "{more:?}: {said}");
    let mesh = read_mesh(&folder.path().join("d.vtu")).unwrap().mesh;
    mesh.vertex_array("distance").unwrap().values.to_f64()
}

/// Checks that computing a distance fails with a message that contains all of these strings.
#[track_caller]
fn refused(file: &Path, more: &[&str], texts: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["distance", file.to_str().unwrap(), "-o", "d.vtu"];
    let (success, said) = zeroset(folder.path(), &[&arguments[..], more].concat());
    assert!(!success, "{more:?}");
    texts.iter().for_each(|text| assert!(said.contains(text), "{more:?}: {said}"));
}

fn reached(values: &[f64]) -> BTreeSet<usize> {
    (0..values.len()).filter(|&v| values[v].is_finite()).collect()
}

#[test]
fn a_label_masks_by_its_values() {
    let Some(white) = field("meshes/label_mask/lh.white") else { return };
    let file = field("meshes/label_mask/lh.cortex.label").unwrap();
    let label = file.to_str().unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    let first = |line: &str| line.split_whitespace().next().unwrap().parse().unwrap();
    let members: BTreeSet<usize> = text.lines().skip(2).map(first).collect();
    let inside = members.iter().nth(3).unwrap();
    let from = format!("vertex:{inside}");
    let with =
        |more: &[&str]| distances(&white, &[&["--from", &from, "--data", label], more].concat());
    for mask in ["cortex == cortex", "!isnan(cortex)", "cortex + 1", "cortex < 1"] {
        assert_eq!(reached(&with(&["--mask", mask])), members, "{mask}");
    }
    let renamed = format!("{label}=ctx");
    let renamed = ["--from", "group:ctx", "--data", &renamed, "--mask", "!isnan(ctx)"];
    assert_eq!(reached(&distances(&white, &renamed)), members);
    // At vertices that the mask excludes, values are not needed.
    let speed = ["--speed", "1 + cortex", "--mask", "!isnan(cortex)"];
    assert_eq!(reached(&with(&speed)), members);
    let guarded = with(&["--speed", "if(isnan(cortex), 2, 2 + cortex)"]);
    assert_eq!(
        guarded,
        with(&["--speed", "2", "--front", "plane"]).as_slice(),
        "the label is 0 inside"
    );
    let outside = (0..).find(|v| !members.contains(v)).unwrap();
    let needed = format!("the array \"cortex\" has no value at vertex {outside}");
    let arguments = ["--from", &from, "--data", label];
    refused(&white, &[&arguments[..], &["--speed", "1 + cortex"]].concat(), &[&needed, "isnan"]);
    let needed = format!("at vertex {outside} (");
    let zero_set = ["--from", "levelset:cortex - 1", "--data", label];
    refused(&white, &zero_set, &[&needed, "the array \"cortex\" has no value there"]);
    // Comparisons with NaN are false, including `!=`.
    let none = [&arguments[..], &["--mask", "cortex != cortex"]].concat();
    refused(&white, &none, &["leaves no cell"]);
}

#[test]
fn tags_and_lists_of_vertices_are_groups() {
    let Some(elem) = field("meshes/groups_in_expressions/a.elem") else { return };
    let list = field("meshes/groups_in_expressions/stim.vtx").unwrap();
    let list = list.to_str().unwrap();
    let from = ["--from", "vertex:0"];
    let with = |more: &[&str]| distances(&elem, &[&from[..], more].concat());
    // The region of tag 2 is x > 500, with the speed 150.
    let by_tag = with(&["--speed", "if({2} > 0, 150, 600)"]);
    assert_eq!(by_tag, with(&["--speed", "if(x > 500, 150, 600)"]));
    let farthest = by_tag[4];
    assert!((farthest - (500.0 / 600.0 + 500.0 / 150.0)).abs() < 1e-12, "{farthest}");
    // A mask with a group of cells keeps exactly the cells of the group.
    assert_eq!(reached(&with(&["--mask", "{1}"])), reached(&with(&["--mask", "x < 501"])));
    let stimulus = ["--data", list, "--from", "group:stim"];
    let found = distances(&elem, &stimulus);
    assert_eq!(found, distances(&elem, &["--from", "vertex:0,1,2"]));
    let named = format!("{list}=site");
    assert_eq!(found, distances(&elem, &["--data", &named, "--from", "group:site"]));
    let around = distances(&elem, &["--data", list, "--from", "levelset:0.5 - stim"]);
    assert!((around[0] - 125.0).abs() < 75.0, "{}", around[0]);
    refused(
        &elem,
        &["--from", "vertex:0", "--speed", "{3} + 1"],
        &["there is no array \"3\", and no group of this name", "there are: fiber, 1, 2"],
    );
    refused(
        &elem,
        &["--from", "vertex:0", "--speed", "fiber"],
        &["write a component: fiber.x, fiber.y or fiber.z"],
    );
    assert_eq!(with(&["--speed", "1 + fiber.x^2"]).len(), 125);
    let folder = tempfile::tempdir().unwrap();
    let far = folder.path().join("far.vtx");
    std::fs::write(&far, "1\nextra\n125\n").unwrap();
    let far = ["--data", far.to_str().unwrap(), "--from", "vertex:0"];
    refused(&elem, &far, &["far.vtx: group \"far\": names vertex 125, but the mesh has 125"]);
}

#[test]
fn physical_groups_are_arrays() {
    let Some(wall) = field("meshes/groups_in_expressions/wall.msh") else { return };
    let folder = tempfile::tempdir().unwrap();
    let cells = |selection: &str| {
        let arguments = ["convert", wall.to_str().unwrap(), "o.vtp", "--where", selection];
        let (success, said) = zeroset(folder.path(), &arguments);
        assert!(success, "{said}");
        read_mesh(&folder.path().join("o.vtp")).unwrap().mesh.n_cells()
    };
    // The mesh has 10 x 10 squares of two triangles each. The inner 8 x 8 squares do not touch the
    // wall.
    assert_eq!((cells("!wall"), cells("fluid"), cells("{fluid} && x < 0.5")), (128, 200, 100));
    let speed =
        |text| distances(&wall, &["--from", "vertex:60", "--front", "plane", "--speed", text]);
    assert_eq!(speed("1 + fluid"), speed("2"));
}

/// Runs a case from the field data until the given time. Returns the first and the last interface.
fn interfaces(case: &Path, until: f64, more: &[&str]) -> [Mesh; 2] {
    let folder = tempfile::tempdir().unwrap();
    let until = format!("evolve.end_time={until}");
    let until = ["-o", "r", "--set", &until];
    let arguments = [&["run", case.to_str().unwrap()], &until[..], more].concat();
    let (success, said) = zeroset(folder.path(), &arguments);
    assert!(success, "{said}");
    let files = std::fs::read_dir(folder.path().join("r")).unwrap();
    let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    let name = |file: &PathBuf| file.file_name().unwrap().to_string_lossy().into_owned();
    files.retain(|file| name(file).starts_with("interface_") && name(file).ends_with(".vtp"));
    files.sort();
    [files.first(), files.last()].map(|file| read_mesh(file.unwrap()).unwrap().mesh)
}

fn center(mesh: &Mesh) -> [f64; 2] {
    let (low, high) = mesh.bounds();
    [0, 1].map(|k| (low[k] + high[k]) / 2.0)
}

#[test]
fn velocities_have_two_components_or_belong_to_cells() {
    let Some(case) = field("meshes/velocity_arrays/v2.toml") else { return };
    // A rotation by 0.2 radians about the middle of the unit square.
    let turned = |[x, y]: [f64; 2]| {
        let ((sin, cos), [x, y]) = (0.2_f64.sin_cos(), [x - 0.5, y - 0.5]);
        [0.5 + cos * x - sin * y, 0.5 + sin * x + cos * y]
    };
    let near = |[a, b]: [f64; 2], [x, y]: [f64; 2]| (a - x).abs() < 0.005 && (b - y).abs() < 0.005;
    let components = "evolve.velocity=[\"U2.x\", \"{U2}.y\", 0]";
    let all = [&[][..], &["--set", components], &["--set", "evolve.velocity.data=U3"]];
    for more in all {
        let [first, last] = interfaces(&case, 0.2, more);
        let moved = turned(center(&first));
        assert!(near(moved, center(&last)), "{more:?}: {moved:?} {:?}", center(&last));
    }
    // A translation by 0.08 along x and y, as an array over the cells.
    let cell = field("meshes/velocity_arrays/cell.toml").unwrap();
    for more in [&[][..], &["--set", "evolve.velocity=[\"Uc.x\", \"Uc.y*cos(0*t)\", 0]"]] {
        let [first, last] = interfaces(&cell, 0.08, more);
        let moved = center(&first).map(|x| x + 0.08);
        assert!(near(moved, center(&last)), "{more:?}: {moved:?} {:?}", center(&last));
    }
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["run", case.to_str().unwrap(), "-o", "r", "--set", "evolve.velocity.data=ux"];
    let (success, said) = zeroset(folder.path(), &arguments);
    assert!(!success && said.contains("has 1 numbers per vertex instead of 2 or 3"), "{said}");
}

#[test]
fn components_of_arrays_equal_arrays_of_components() {
    let Some(mesh) = field("meshes/velocity_arrays/sqv.vtp") else { return };
    let speed = |text| distances(&mesh, &["--from", "vertex:0", "--speed", text]);
    assert_eq!(speed("2 + U2.x*{U3}.y"), speed("2 + ux*uy"));
}
