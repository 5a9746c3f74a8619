//! What must hold for any bytes: shared by the fuzz targets and by the inputs they have found.

use std::path::PathBuf;
use std::sync::OnceLock;

use zeroset::config::Config;
use zeroset::expression::{Expression, Field};
use zeroset::{Error, io};

/// Where the bytes are put as a file; in memory where the system has a folder for that.
fn folder() -> &'static tempfile::TempDir {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let memory = std::path::Path::new("/dev/shm");
        let parent = if memory.is_dir() { memory.to_path_buf() } else { std::env::temp_dir() };
        tempfile::tempdir_in(parent).unwrap()
    })
}

/// The bytes as a file called `name`, read in every way there is.
pub fn file(bytes: &[u8], name: &str) {
    let thread = format!("{:?}", std::thread::current().id());
    let path: PathBuf = folder().path().join(thread.replace(['(', ')'], "-"));
    std::fs::create_dir_all(&path).unwrap();
    let path = path.join(name);
    std::fs::write(&path, bytes).unwrap();
    let mesh = io::read_mesh(&path);
    if let Ok(file) = &mesh {
        crate::sound::assert_sound(&file.mesh, name);
        // What info and check do with it.
        if let Ok(cleaning) = zeroset::mesh::assess(&file.mesh) {
            let _ = cleaning.summary();
        }
    }
    let data = io::read_data(&path);
    if let Ok(found) = &data {
        for array in &found.arrays {
            assert_eq!(array.values.len(), array.rows() * array.components, "{}", array.name);
        }
    }
    let curves = io::read_curves(&path);
    if let Ok(found) = &curves {
        let points = found.curves.iter().flat_map(|curve| &curve.points).flatten();
        assert!(points.into_iter().all(|x| x.is_finite()), "{name}: not finite");
    }
    let volume = io::read_volume(&path, &io::VolumeOptions::default());
    if let Ok(file) = &volume {
        let [x, y, z] = file.volume.shape();
        assert_eq!(file.volume.samples().len(), x * y * z, "{name}");
        let (low, high) = file.volume.bounds();
        assert!(low.iter().chain(&high).all(|x| x.is_finite()), "{name}: not finite");
        assert!(file.volume.statistics().nan <= file.volume.n_voxels());
    }
    let errors = [mesh.err(), data.err(), curves.err(), volume.err()];
    errors.iter().flatten().for_each(assert_plain);
}

/// A message of one line, of a length that can be read.
fn assert_plain(error: &Error) {
    let text = error.to_string();
    assert!(!text.contains('\n') && text.len() < 2_000, "{} bytes: {text}", text.len());
    assert_eq!(error.exit_code(), 3, "{text}");
}

/// The bytes as a case file.
pub fn case(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match Config::parse(text, "fuzz.toml".as_ref(), &[]) {
        Ok(config) => {
            // What is read can be written, and is then the same.
            let json = serde_json::to_string(&config).unwrap();
            assert!(json.starts_with('{'));
        }
        Err(error) => {
            assert_eq!(error.exit_code(), 2, "{error}");
            assert!(error.to_string().starts_with("fuzz.toml"), "{error}");
        }
    }
}

/// The bytes as an expression: both ways to evaluate it give the same bits.
pub fn expression(bytes: &[u8]) {
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
