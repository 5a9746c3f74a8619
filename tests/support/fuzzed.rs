//! Checks that must hold for any bytes. The fuzz targets use this file, and so do the tests with
//! inputs that the targets found.

#[path = "fuzzed_kept.rs"]
mod kept;

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use zeroset::config::Config;
use zeroset::expression::{Expression, Field};
use zeroset::{Error, io};

/// The byte between the files in an input that stands for several files. It occurs neither in text
/// nor in XML.
pub const NEXT_FILE: u8 = 0x1c;

/// The way in which a target interprets the bytes.
enum Input {
    /// A file with this name.
    File(&'static str),
    /// Files with these names, separated by [`NEXT_FILE`].
    Files(&'static [&'static str]),
    /// Any other input, with the function that checks it.
    Other(fn(&[u8])),
}

/// The targets. Each has a file in `fuzz/fuzz_targets`.
const TARGETS: [(&str, Input); 38] = {
    use Input::{File, Files, Other};
    [
        ("msh", File("a.msh")),
        ("vtk", File("a.vtk")),
        ("vtu", File("a.vtu")),
        ("vtp", File("a.vtp")),
        ("ply", File("a.ply")),
        ("obj", File("a.obj")),
        ("off", File("a.off")),
        ("stl", File("a.stl")),
        ("gifti", File("a.gii")),
        ("gifti_external", Files(&["a.gii", "a.dat"])),
        ("freesurfer", File("lh.pial")),
        ("morph", File("lh.curv")),
        ("label", File("lh.a.label")),
        ("medit", Files(&["a.mesh", "a.sol"])),
        ("tetgen", Files(&["a.node", "a.ele", "a.face", "a.edge"])),
        ("carp", Files(&["a.pts", "a.elem", "a.lon"])),
        ("text", File("a.xyz")),
        ("columns", File("a.csv")),
        ("pcd", File("a.pcd")),
        ("las", File("a.las")),
        ("laz", File("a.laz")),
        ("e57", File("a.e57")),
        ("cloud_text", File("a.pts")),
        ("ptx", File("a.ptx")),
        ("nifti", File("a.nii")),
        ("nrrd", File("a.nrrd")),
        ("metaimage", File("a.mha")),
        ("mgh", File("a.mgh")),
        ("npy", File("a.npy")),
        ("vti", File("a.vti")),
        ("picture", File("a.png")),
        ("gzip", File("a.gz")),
        ("pvd", Other(list)),
        ("case", Other(case)),
        ("expression", Other(expression)),
        ("checkpoint", Other(kept::checkpoint)),
        ("vtkhdf", Other(kept::vtkhdf)),
        ("vtkhdf_read", File("a.vtkhdf")),
    ]
};

/// Runs the target `name`. Panics if the bytes violate a check.
pub fn target(name: &str, bytes: &[u8]) {
    let found = TARGETS.iter().find(|(known, _)| *known == name);
    match &found.unwrap_or_else(|| panic!("there is no target {name}")).1 {
        Input::File(name) => files(bytes, &[name]),
        Input::Files(names) => files(bytes, names),
        Input::Other(check) => check(bytes),
    }
}

/// Returns the names of all targets.
#[allow(dead_code)]
pub fn names() -> impl Iterator<Item = &'static str> {
    TARGETS.iter().map(|(name, _)| *name)
}

/// Returns a folder for this thread. It is in memory if the system provides such a folder.
fn folder() -> PathBuf {
    thread_local! {
        static FOLDER: OnceCell<tempfile::TempDir> = const { OnceCell::new() };
    }
    let memory = Path::new("/dev/shm");
    let parent = if memory.is_dir() { memory.to_path_buf() } else { std::env::temp_dir() };
    let make = || tempfile::tempdir_in(parent).unwrap();
    FOLDER.with(|folder| folder.get_or_init(make).path().to_path_buf())
}

/// Writes the bytes as files with these names and reads each file in every supported way. If there
/// are several names, a file without bytes is not created.
fn files(bytes: &[u8], names: &[&str]) {
    let mut parts = bytes.splitn(names.len(), |&b| names.len() > 1 && b == NEXT_FILE);
    let paths: Vec<PathBuf> = names.iter().map(|name| folder().join(name)).collect();
    for path in &paths {
        match parts.next() {
            None | Some([]) if names.len() > 1 => drop(std::fs::remove_file(path)),
            part => std::fs::write(path, part.unwrap_or_default()).unwrap(),
        }
    }
    for path in paths.iter().filter(|path| path.exists()) {
        read(path);
    }
}

fn read(path: &Path) {
    let name = path.display().to_string();
    let mesh = io::read_mesh(path);
    if let Ok(file) = &mesh {
        zeroset_testing::sound::assert_sound(&file.mesh, &name);
        file.warnings.iter().for_each(|warning| assert_line(warning));
        // `zeroset info` and `zeroset check` call this.
        if let Ok(cleaning) = zeroset::mesh::assess(&file.mesh) {
            let _ = cleaning.summary();
        }
    }
    let data = io::read_data(path);
    if let Ok(found) = &data {
        for array in &found.arrays {
            assert_eq!(array.values.len(), array.rows() * array.components, "{}", array.name);
        }
    }
    let curves = io::read_curves(path);
    if let Ok(found) = &curves {
        let points = found.curves.iter().flat_map(|curve| &curve.points).flatten();
        assert!(points.into_iter().all(|x| x.is_finite()), "{name}: not finite");
    }
    let volume = io::read_volume(path, &io::VolumeOptions::default());
    if let Ok(file) = &volume {
        let [x, y, z] = file.volume.shape();
        assert_eq!(file.volume.samples().len(), x * y * z, "{name}");
        let (low, high) = file.volume.bounds();
        assert!(low.iter().chain(&high).all(|x| x.is_finite()), "{name}: not finite");
        assert!(file.volume.statistics().nan <= file.volume.n_voxels());
    }
    let cloud = io::read_cloud(path);
    if let Ok((cloud, report)) = &cloud {
        cloud.check().unwrap();
        assert!(!cloud.is_empty() && cloud.len() as u64 <= report.stored, "{name}");
        report.warnings.iter().chain(&report.columns).for_each(|line| assert_line(line));
        let lengths = cloud.normals.iter().flatten().map(|n| n.iter().map(|x| x * x).sum::<f32>());
        assert!(lengths.into_iter().all(|length| (length - 1.0).abs() < 1e-4), "{name}");
    }
    let errors = [mesh.err(), data.err(), curves.err(), volume.err(), cloud.err()];
    errors.iter().flatten().for_each(|error| assert_plain(error, &[3]));
}

/// Reads the bytes as the list of a series, and the last of the listed states.
fn list(bytes: &[u8]) {
    let path = folder().join("a.pvd");
    std::fs::write(&path, bytes).unwrap();
    match io::vtk::read_pvd(&path) {
        Ok(states) => assert!(!states.is_empty() && states.iter().all(|(t, _)| t.is_finite())),
        Err(error) => assert_plain(&error, &[3]),
    }
    let _ = io::read_mesh(&path).map_err(|error| assert_plain(&error, &[3]));
}

/// Asserts that a message has one line of readable length, and that the exit code of the error is
/// one of `codes`.
fn assert_plain(error: &Error, codes: &[u8]) {
    let text = error.to_string();
    assert_line(&text);
    assert!(codes.contains(&error.exit_code()), "code {}: {text}", error.exit_code());
}

/// Asserts that a line is readable on a terminal: it has no control characters and fewer than 2000
/// characters.
fn assert_line(text: &str) {
    let n = text.chars().count();
    assert!(!text.contains(char::is_control) && n < 2_000, "{n} characters: {text:?}");
}

/// Reads the bytes as a case file.
fn case(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match Config::parse(text, "fuzz.toml".as_ref(), &[]) {
        Ok(config) => {
            // A case that was read can be written as JSON.
            let json = serde_json::to_string(&config).unwrap();
            assert!(json.starts_with('{'));
        }
        Err(error) => {
            assert_eq!(error.exit_code(), 2, "{error}");
            assert!(error.to_string().starts_with("fuzz.toml"), "{error}");
        }
    }
}

/// Reads the bytes as an expression. Both ways of evaluating it must give bitwise identical values.
fn expression(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let parsed = match Expression::parse(text) {
        Ok(parsed) => parsed,
        Err(flaw) => {
            assert!(flaw.span().end <= text.len(), "{flaw}");
            let _ = flaw.to_string();
            return;
        }
    };
    let points = [[0.0; 3], [1.5, -2.0, 0.25], [-1e300, 1e-300, 3.0]];
    let row = |k: usize| [-1.0, 0.5, 1e10][k];
    let rows: std::sync::Arc<[f64]> = (0..3).map(row).collect();
    let field = Field::bind(&parsed, |_| Ok(rows.clone())).unwrap();
    for t in [0.0, 0.75] {
        for (k, found) in field.values(&points, t).into_iter().enumerate() {
            let expected = parsed.tree().value(points[k], t, &mut |_| row(k));
            let same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
            assert!(same, "{text}: {found} and {expected}");
            let flaw = parsed.flaw_at(points[k], t, &mut |_| row(k), "what", "remedy");
            assert!(flaw.span().end <= text.len() && !flaw.to_string().is_empty());
        }
    }
}
