//! Tests of damaged files of most formats except VTK. Known damage gives a message that names the
//! position, and files truncated or damaged at random never cause a panic.

use std::path::Path;

use zeroset_io as io;
use zeroset_testing::data;
use zeroset_testing::sound::assert_sound;

#[test]
fn bad_files_are_refused_in_one_line() {
    for (relative, found) in [
        ("bad/3holes_index_beyond.off", "line 3699: face 100 refers to vertex 3596 of 3596"),
        ("bad/sphere_nan.stl", "facet 10: coordinate x is NaN"),
        ("bad/spot_missing_vertex.obj", "line 2004: face refers to vertex 99999 of 2003"),
        (
            "bad/nested_cubes_element_count.msh",
            "line 907: $EndElements found where element 760 of 810 was expected",
        ),
        (
            "bad/component8_cut_v41bin.msh",
            "2489 elements in a block declared (at least 99560 bytes)",
        ),
        ("bad/white_left_cut.gii.gz", "byte 90000: the gzip stream ends early"),
        (
            "bad/hippo1_vertex_count_high.ply",
            "6999 vertices of 48 bytes declared (335952 bytes), found 219784 bytes",
        ),
        ("bad/lh.pial", "FF FF FE of a FreeSurfer surface expected, found \"this is not \""),
        ("bad/empty.ply", "file is empty"),
        ("sim/sci/SquareMesh_size16_crlf.ply", "face 448 (line 715): refers to vertex 256 of 256"),
        ("sim/sci/SquareMesh_size16_levelset.ply", "face 448 (line 715): refers to vertex 256 of"),
        ("bad/sphere334_beyond.ele", "line 1126: element 1124 refers to vertex 400 of 334"),
        ("bad/sphere334_beyond.node", "element 1124 refers to vertex 400 of 334"),
        ("bad/escher_points_short.vtk", "CELLS"),
        ("bad/avg152_half.nii.gz", "is a NIfTI volume, not a mesh"),
        ("sim/medit/cube.meshb", "is a binary MEDIT file, but only text is supported"),
        ("scans/chameleon.pts", "is a file of Expe points in a binary layout"),
        ("volumes/CT_pitch.nii.gz", "is a NIfTI volume, not a mesh"),
    ] {
        let Some(path) = data(relative) else { continue };
        let error = io::read_mesh(&path).expect_err(relative);
        assert_eq!(error.exit_code(), 3, "{relative}");
        let text = error.to_string();
        assert!(text.contains(found), "{relative}: {text}");
        let folder = path.parent().unwrap().display().to_string();
        assert!(text.starts_with(&folder), "{relative}: {text}");
        assert!(!text.contains('\n'), "{relative}: {text}");
    }
    let Some(path) = data("bad/lh.curv_short") else { return };
    let error = io::read_data(&path).unwrap_err().to_string();
    let found = "163842 values of 4 bytes declared (655368 bytes), found 199985 bytes";
    assert!(error.contains(found), "{error}");
}

#[test]
fn missing_files_and_folders_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let error = io::read_mesh(folder.path()).unwrap_err().to_string();
    assert!(error.contains("is a folder"), "{error}");
    let error = io::read_mesh(&folder.path().join("none.ply")).unwrap_err().to_string();
    assert!(error.contains("none.ply: cannot be read"), "{error}");
}

/// Small files of most formats and encodings, each with a flag that states whether reading it must
/// fail after any truncation. Truncated text may end at a valid place.
const SMALL: &[(&str, bool)] = &[
    ("sim/ply/bob_small.ply", true),
    ("sim/ply/points_with_lists.ply", false),
    ("sim/sci/sphere_266verts.ply", false),
    ("sim/obj/negative_indices.obj", false),
    ("sim/off/comments.off", false),
    ("sim/off/whitespace.off", false),
    ("sim/stl/soup.stl", true),
    ("sim/stl/multibody.stl", false),
    ("sim/msh/compass_v22.msh", false),
    ("sim/msh/hole81_v20.msh", false),
    ("sim/msh/t5_tets_order2_v22bin.msh", false),
    ("sim/msh/3da_v41.msh", false),
    ("sim/msh/t11_quads_v41ascii.msh", false),
    ("sim/msh/component8_tets_v41bin.msh", false),
    ("sim/msh/3da_v1.msh", false),
    ("sim/msh/3da_v40.msh", false),
    ("sim/medit/cube.mesh", false),
    ("sim/medit/teapot.sol", false),
    ("sim/sci/pyramid.node", false),
    ("sim/sci/sphere334.ele", false),
    ("scans/kitten.xyz", false),
    ("cortex/tiny/lh.tinysurface.asc", false),
    ("cortex/nibabel_ascii.gii", true),
    ("cortex/tiny/lh.tinysurface.gii", true),
    ("cortex/tiny/lh.tinysurface", true),
    ("cortex/fsaverage5/curv_left.gii.gz", true),
];

/// Returns the number of damaged variants to test for a file. There are fewer for large files, to
/// limit the time.
fn rounds(bytes: &[u8]) -> usize {
    ((4 << 20) / bytes.len()).clamp(16, 300)
}

#[test]
fn files_cut_anywhere_never_panic() {
    let folder = tempfile::tempdir().unwrap();
    for &(relative, must_show) in SMALL {
        let Some(path) = data(relative) else { continue };
        let bytes = std::fs::read(&path).unwrap();
        let copy = folder.path().join(path.file_name().unwrap());
        let step = (bytes.len() / rounds(&bytes)).max(1);
        add_partner(&path, &copy);
        // White space at the end may be missing without harm.
        let whole = bytes.trim_ascii_end().len();
        for length in (0..whole).step_by(step) {
            let what = format!("{relative} cut at byte {length}");
            let found = read_damaged(&copy, &bytes[..length], &what);
            assert!(!(must_show && found), "{what}: read without an error");
        }
    }
}

#[test]
fn files_with_flipped_bits_never_panic() {
    let folder = tempfile::tempdir().unwrap();
    // A linear congruential generator (Knuth, MMIX) makes the damage the same in every run.
    let mut state: u64 = 20_261_120;
    let mut random = |n: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    for &(relative, _) in SMALL {
        let Some(path) = data(relative) else { continue };
        let bytes = std::fs::read(&path).unwrap();
        let copy = folder.path().join(path.file_name().unwrap());
        add_partner(&path, &copy);
        for round in 0..rounds(&bytes) {
            let mut damaged = bytes.clone();
            // Headers hold the counts, so half of the damage is done there.
            let reach = if round % 2 == 0 { bytes.len() } else { bytes.len().min(400) };
            for _ in 0..1 + random(4) {
                let at = random(reach);
                damaged[at] ^= 1 << random(8);
            }
            read_damaged(&copy, &damaged, &format!("{relative} with damage {round}"));
        }
    }
}

/// Copies the file with the vertices of TetGen elements to the folder of the copy. Does nothing for
/// other files.
fn add_partner(path: &Path, copy: &Path) {
    if path.extension().is_some_and(|e| e == "ele") {
        std::fs::copy(path.with_extension("node"), copy.with_extension("node")).unwrap();
    }
}

/// Writes `bytes` to `path` and reads them as a mesh and as data. Returns true if either succeeded.
fn read_damaged(path: &Path, bytes: &[u8], what: &str) -> bool {
    std::fs::write(path, bytes).unwrap();
    let mesh = io::read_mesh(path);
    if let Ok(file) = &mesh {
        assert_sound(&file.mesh, what);
    }
    let data = io::read_data(path);
    for error in [mesh.as_ref().err(), data.as_ref().err()].into_iter().flatten() {
        let text = error.to_string();
        assert!(!text.contains('\n') && text.len() < 1_000, "{what}: {text}");
    }
    mesh.is_ok() || data.is_ok()
}
