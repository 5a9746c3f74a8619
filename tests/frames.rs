//! Tests the frames of cortical surfaces and the metadata that outputs keep.

use std::path::{Path, PathBuf};
use std::process::Command;

use zeroset::io::read_mesh;

/// The scanner coordinates of the center of the volume to which the surfaces belong.
const C_RAS: [f64; 3] = [5.0, 18.0, -2.0];
/// The distance between the two frames, as messages state it.
const OFFSET: &str = "18.788 mm off";

/// Runs the program in a folder. Returns its exit code and everything that it printed.
fn zeroset(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
    let output = command.current_dir(folder).args(arguments).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8_lossy(&said).into_owned())
}

#[track_caller]
fn succeeds(folder: &Path, arguments: &[&str]) -> String {
    let (code, said) = zeroset(folder, arguments);
    assert_eq!(code, 0, "{arguments:?}: {said}");
    said
}

/// Returns the first vertex of a mesh file.
fn first(path: PathBuf) -> [f64; 3] {
    read_mesh(&path).unwrap().mesh.vertices[0]
}

/// Writes an octahedron of radius 10 as a FreeSurfer surface with a footer.
fn surface(path: &Path, real_ras: i32, valid: i32) {
    let mut bytes = b"\xff\xff\xfecreated by a test\n\n".to_vec();
    [6_i32, 8].iter().for_each(|n| bytes.extend(n.to_be_bytes()));
    for axis in 0..3 {
        for end in [10.0_f32, -10.0] {
            let x: [f32; 3] = std::array::from_fn(|k| if k == axis { end } else { 0.0 });
            x.iter().for_each(|x| bytes.extend(x.to_be_bytes()));
        }
    }
    for (x, y, z) in (0..8).map(|n| (n & 1, 2 + (n >> 1 & 1), 4 + (n >> 2))) {
        let turned = (x + y + z) % 2 == 1;
        let face = if turned { [x, z, y] } else { [x, y, z] };
        face.iter().for_each(|v: &i32| bytes.extend(v.to_be_bytes()));
    }
    [2, real_ras, 20].iter().for_each(|tag| bytes.extend(tag.to_be_bytes()));
    let [r, a, s] = C_RAS;
    let footer = format!(
        "valid = {valid}  # volume info valid\nfilename = ../mri/orig.mgz\n\
         volume = 256 256 256\nvoxelsize = 1.0 1.0 1.0\n\
         xras   = -1.0 0.0 0.0\nyras   = 0.0 0.0 -1.0\nzras   = 0.0 1.0 0.0\n\
         cras   = {r} {a} {s}\n"
    );
    bytes.extend(footer.bytes());
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn info_shows_the_frame() {
    let folder = tempfile::tempdir().unwrap();
    surface(&folder.path().join("lh.pial"), 0, 1);
    let said = succeeds(folder.path(), &["info", "lh.pial"]);
    assert!(said.contains("tkr, c_ras 5 18 -2") && said.contains(OFFSET), "{said}");
    let json = succeeds(folder.path(), &["info", "lh.pial", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["frame"]["coordinates"], "tkr");
    assert_eq!(json["frame"]["c_ras"][1], 18.0);
    surface(&folder.path().join("lh.white"), 1, 1);
    assert!(succeeds(folder.path(), &["info", "lh.white"]).contains("scanner, c_ras"));
    surface(&folder.path().join("lh.orig"), 0, 0);
    let said = succeeds(folder.path(), &["info", "lh.orig"]);
    assert!(said.contains("relation to the scanner unknown"), "{said}");
}

#[test]
fn frames_can_be_chosen_and_survive_gifti() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let convert = |from: &str, to: &str, frame: &[&str]| {
        succeeds(folder.path(), &[&["convert", from, to], frame].concat());
        first(at(to))
    };
    surface(&at("lh.pial"), 0, 1);
    let (tkr, scanner) = ([10.0, 0.0, 0.0], [15.0, 18.0, -2.0]);
    assert_eq!(convert("lh.pial", "a.ply", &[]), tkr);
    assert_eq!(convert("lh.pial", "a.ply", &["--frame", "file"]), tkr);
    assert_eq!(convert("lh.pial", "a.ply", &["--frame", "tkr"]), tkr);
    assert_eq!(convert("lh.pial", "a.ply", &["--frame", "scanner"]), scanner);
    // GIFTI keeps the geometry of the volume.
    assert_eq!(convert("lh.pial", "lh.pial.surf.gii", &[]), tkr);
    assert!(std::fs::read_to_string(at("lh.pial.surf.gii")).unwrap().contains("VolGeomC_R"));
    assert_eq!(convert("lh.pial.surf.gii", "b.ply", &["--frame", "scanner"]), scanner);
    assert_eq!(convert("lh.pial.surf.gii", "c.surf.gii", &["--frame", "scanner"]), scanner);
    let said = succeeds(folder.path(), &["info", "c.surf.gii"]);
    assert!(said.contains("frame     scanner"), "{said}");
    assert_eq!(convert("c.surf.gii", "d.ply", &["--frame", "scanner"]), scanner);
    surface(&at("lh.white"), 1, 1);
    assert_eq!(convert("lh.white", "e.ply", &["--frame", "scanner"]), tkr);
    assert_eq!(convert("lh.white", "e.ply", &["--frame", "tkr"]), [5.0, -18.0, 2.0]);
    // Without a valid geometry, the relation to the scanner is unknown.
    surface(&at("lh.orig"), 0, 0);
    let (code, said) =
        zeroset(folder.path(), &["convert", "lh.orig", "f.ply", "--frame", "scanner"]);
    assert!(code == 3 && said.contains("states no c_ras"), "{said}");
}

#[test]
fn refined_meshes_and_pictures_can_choose_a_frame() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    surface(&at("lh.pial"), 0, 1);
    let generate = ["generate", "from", "lh.pial", "--refine", "1"];
    succeeds(folder.path(), &[&generate[..], &["-o", "a.surf.gii"]].concat());
    assert_eq!(first(at("a.surf.gii")), [10.0, 0.0, 0.0]);
    let scanner = ["--frame", "scanner"];
    succeeds(folder.path(), &[&generate[..], &scanner, &["-o", "b.surf.gii"]].concat());
    assert_eq!(first(at("b.surf.gii")), [15.0, 18.0, -2.0]);
    let said = succeeds(folder.path(), &["info", "b.surf.gii"]);
    assert!(said.contains("frame     scanner"), "{said}");
    let picture = |name: &str, more: &[&str]| {
        let render = ["render", "lh.pial", "--colors", "x", "--range", "-30,30", "-o", name];
        succeeds(folder.path(), &[&render[..], more].concat());
        std::fs::read(at(name)).unwrap()
    };
    let stored = picture("a.png", &[]);
    assert!(stored == picture("b.png", &["--frame", "tkr"]));
    assert!(stored != picture("c.png", &scanner), "x differs by 5 mm");
    surface(&at("lh.orig"), 0, 0);
    for command in [
        &["render", "lh.orig", "-o", "d.png", "--frame", "scanner"][..],
        &["generate", "from", "lh.orig", "-o", "d.ply", "--frame", "scanner"],
    ] {
        let (code, said) = zeroset(folder.path(), command);
        assert!(code == 3 && said.contains("states no c_ras"), "{said}");
    }
    succeeds(folder.path(), &["voxelize", "lh.pial", "--size", "8", "-o", "v.nii"]);
    let volume = ["render", "v.nii", "--level", "0.5", "-o", "v.png", "--frame", "scanner"];
    let (code, said) = zeroset(folder.path(), &volume);
    assert!(code == 2 && said.contains("--frame is for surfaces"), "{said}");
}

#[test]
fn gifti_matrices_are_applied_on_request() {
    let folder = tempfile::tempdir().unwrap();
    surface(&folder.path().join("lh.orig"), 0, 0);
    succeeds(folder.path(), &["convert", "lh.orig", "a.surf.gii"]);
    let path = folder.path().join("a.surf.gii");
    let text = std::fs::read_to_string(&path).unwrap();
    let text = text
        .replace(
            "<TransformedSpace>NIFTI_XFORM_UNKNOWN",
            "<TransformedSpace>NIFTI_XFORM_SCANNER_ANAT",
        )
        .replace("1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1", "0 -1 0 1 1 0 0 2 0 0 1 3 0 0 0 1");
    std::fs::write(&path, text).unwrap();
    let said = succeeds(folder.path(), &["convert", "a.surf.gii", "a.ply"]);
    assert!(said.contains("is not applied"), "{said}");
    assert_eq!(first(folder.path().join("a.ply")), [10.0, 0.0, 0.0]);
    let said = succeeds(folder.path(), &["convert", "a.surf.gii", "b.ply", "--frame", "scanner"]);
    assert!(!said.contains("is not applied"), "{said}");
    assert_eq!(first(folder.path().join("b.ply")), [1.0, 12.0, 3.0]);
}

#[test]
fn points_beside_a_surface_in_another_frame_are_doubtful() {
    let folder = tempfile::tempdir().unwrap();
    surface(&folder.path().join("lh.pial"), 0, 1);
    let distance = |point: &str, more: &[&str]| {
        let from = format!("point:{point}");
        let arguments = ["distance", "lh.pial", "--from", &from, "-o", "d.vtp"];
        succeeds(folder.path(), &[&arguments[..], more].concat())
    };
    let said = distance("10,0,0", &[]);
    assert!(said.contains(OFFSET) && said.contains("c_ras 5 18 -2"), "{said}");
    assert!(!distance("10,0,0", &["--frame", "file"]).contains("mm off"));
    assert!(!distance("15,18,-2", &["--frame", "scanner"]).contains("mm off"));
    let values = read_mesh(&folder.path().join("d.vtp")).unwrap().mesh;
    assert!(values.vertex_array("distance").unwrap().values.to_f64()[0].abs() < 1e-5);
    let arguments = ["distance", "lh.pial", "--from", "vertex:0", "-o", "d.vtp"];
    assert!(!succeeds(folder.path(), &arguments).contains("mm off"));
}

#[test]
fn volumes_and_other_surfaces_in_another_frame_are_doubtful() {
    let folder = tempfile::tempdir().unwrap();
    surface(&folder.path().join("lh.pial"), 0, 1);
    let said = succeeds(folder.path(), &["voxelize", "lh.pial", "--size", "8", "-o", "v.nii"]);
    assert!(said.contains(OFFSET), "{said}");
    let scanner = ["convert", "lh.pial", "scanner.surf.gii", "--frame", "scanner"];
    succeeds(folder.path(), &scanner);
    succeeds(folder.path(), &["convert", "lh.pial", "plain.ply"]);
    let run = |initial: &str, mesh: &str| {
        let text = format!(
            "version = 1\n[domain.mesh]\npath = \"lh.pial\"\nrefine = 3\n{mesh}\n[initial]\n\
             {initial}\n[evolve]\nnormal_speed = 1\nend_time = 0.01\n"
        );
        std::fs::write(folder.path().join("case.toml"), text).unwrap();
        zeroset(folder.path(), &["check", "case.toml"]).1
    };
    let volume = "volume = { path = \"v.nii\", level = 0.5 }";
    assert!(run(volume, "").contains(OFFSET), "{}", run(volume, ""));
    assert!(!run(volume, "frame = \"file\"").contains("mm off"));
    let surface = |name: &str| format!("mesh = {{ path = \"{name}\", scale = 0.95 }}");
    assert!(run(&surface("scanner.surf.gii"), "").contains(OFFSET));
    assert!(!run(&surface("scanner.surf.gii"), "frame = \"scanner\"").contains("mm off"));
    // Both surfaces have the same frame, or the frame of one is unknown.
    assert!(!run(&surface("lh.pial"), "").contains("mm off"));
    assert!(!run(&surface("plain.ply"), "").contains("mm off"));
}

#[test]
fn a_surface_that_does_not_state_its_frame_is_doubtful_beside_the_scanner() {
    let folder = tempfile::tempdir().unwrap();
    surface(&folder.path().join("lh.pial"), 0, 0);
    let distance = |from: &str, more: &[&str]| {
        let arguments = ["distance", "lh.pial", "--from", from, "-o", "d.vtp"];
        succeeds(folder.path(), &[&arguments[..], more].concat())
    };
    let doubt = "states no c_ras";
    assert!(distance("point:10,0,0", &[]).contains(doubt));
    assert!(!distance("point:10,0,0", &["--frame", "file"]).contains(doubt));
    assert!(!distance("vertex:0", &[]).contains(doubt));
    let voxels = ["voxelize", "lh.pial", "--size", "8", "-o", "v.nii"];
    assert!(succeeds(folder.path(), &voxels).contains(doubt));
}

#[test]
fn anatomy_survives_into_outputs() {
    let cortex = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes/fsaverage5_pial_left.gii.gz");
    let cortex = cortex.to_str().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    succeeds(folder.path(), &["convert", cortex, "a.surf.gii"]);
    let text = read("a.surf.gii");
    let kept = "<MD><Name>AnatomicalStructurePrimary</Name><Value>CortexLeft</Value></MD>";
    assert!(text.contains(kept) && text.contains("NIFTI_XFORM_TALAIRACH"));
    assert!(!text.contains("UserName"), "the user of another file");
    for (name, more) in [("d.shape.gii", &[][..]), ("d.label.gii", &["--labels"])] {
        let from = ["distance", cortex, "--from", "vertex:17", "-o", name];
        succeeds(folder.path(), &[&from[..], more].concat());
        assert!(read(name).contains(kept), "{name}");
    }
    for arguments in [
        &["convert", cortex, "a.vtp"][..],
        &["distance", cortex, "--from", "vertex:1", "-o", "b.vtp"],
    ] {
        succeeds(folder.path(), arguments);
        let file = folder.path().join(arguments.iter().find(|x| x.ends_with(".vtp")).unwrap());
        let bytes = std::fs::read(&file).unwrap();
        let name = b"Name=\"AnatomicalStructurePrimary\"";
        assert!(bytes.windows(name.len()).any(|part| part == name));
        assert_eq!(read_mesh(&file).unwrap().mesh.n_vertices(), 10_242);
    }
}
