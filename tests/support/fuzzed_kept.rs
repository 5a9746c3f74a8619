//! Fuzz targets for files that the program writes and later reads again: checkpoints and series of
//! states.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use lz4_flex::frame::{FrameDecoder, FrameEncoder};
use zeroset::config::Config;
use zeroset::io::vtk::{Compression, Geometry, HdfSeries, VtkOutput};
use zeroset::run::{self, Observer, Options, Progress};

/// The number of bytes in a checkpoint before the size of its unpacked contents: a magic word and a
/// version.
const HEAD: usize = 12;
const HASH: usize = 32;

const CASE: &str = "\
version = 1
device.threads = 1
domain.mesh.generate.square = { cells = [3, 3] }
[initial]
ball = { center = [0.5, 0.5, 0], radius = 0.3 }
[evolve]
max_steps = 6
curvature = 0.05
[output]
every = 2
";

/// Returns the bytes `good` with the changes that the input describes. Each change consists of a
/// position (two bytes), a length (one byte), and the new bytes.
fn changed(good: &[u8], mut input: &[u8]) -> Vec<u8> {
    let mut bytes = good.to_vec();
    while let [low, high, length, rest @ ..] = input {
        let place = usize::from(u16::from_le_bytes([*low, *high])) % bytes.len();
        let (new, rest) = rest.split_at(usize::from(*length).min(rest.len()));
        let end = bytes.len().min(place + new.len());
        bytes[place..end].copy_from_slice(&new[..end - place]);
        input = rest;
    }
    bytes
}

/// An observer that stops the run at a given step.
struct AtStep<'a>(u64, &'a AtomicBool);

impl Observer for AtStep<'_> {
    fn stage(&self, _: &str) {}
    fn step(&self, progress: &Progress) {
        if progress.step == self.0 {
            self.1.store(true, Ordering::Relaxed);
        }
    }
}

fn go(config: &Config, folder: &Path, resume: bool) -> zeroset::Result<run::Outcome> {
    let flag = AtomicBool::new(false);
    let observer = AtStep(if resume { u64::MAX } else { 2 }, &flag);
    let folder = Some(folder.to_path_buf());
    let options = Options::new(&flag, &observer).into_folder(folder, false).resuming(resume);
    run::run(config, &options)
}

/// An interrupted run.
struct Stopped {
    config: Config,
    folder: PathBuf,
    files: BTreeMap<String, Vec<u8>>,
    /// The bytes of the checkpoint that precede the size of its contents. `contents` holds the
    /// unpacked contents.
    head: Vec<u8>,
    contents: Vec<u8>,
}

impl Stopped {
    fn new() -> Self {
        let config = Config::parse(CASE, Path::new("case.toml"), &[]).unwrap();
        let folder = super::folder().join("run");
        go(&config, &folder, false).unwrap();
        let mut files = BTreeMap::new();
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_string();
            files.insert(name, std::fs::read(path).unwrap());
        }
        let checkpoint = files.remove("checkpoint.zeroset").unwrap();
        let packed = &checkpoint[HEAD + 8..checkpoint.len() - HASH];
        let mut contents = Vec::new();
        FrameDecoder::new(packed).read_to_end(&mut contents).unwrap();
        assert!(contents.len() < 1 << 16, "a position has two bytes");
        Stopped { config, folder, files, head: checkpoint[..HEAD].to_vec(), contents }
    }

    /// Restores all files except the checkpoint, and writes `checkpoint` in its place.
    fn put(&self, checkpoint: &[u8]) {
        let _ = std::fs::remove_dir_all(&self.folder);
        std::fs::create_dir(&self.folder).unwrap();
        for (name, bytes) in &self.files {
            std::fs::write(self.folder.join(name), bytes).unwrap();
        }
        std::fs::write(self.folder.join("checkpoint.zeroset"), checkpoint).unwrap();
    }
}

/// Reads the bytes as a checkpoint with a matching checksum. Depending on the first byte, the other
/// bytes change the contents of a valid checkpoint, replace the contents, or replace the packed
/// contents. The run is resumed or refused.
pub fn checkpoint(bytes: &[u8]) {
    thread_local! {
        static RUN: OnceCell<Stopped> = const { OnceCell::new() };
    }
    let Some((how, input)) = bytes.split_first() else { return };
    RUN.with(|run| {
        let run = run.get_or_init(Stopped::new);
        let pack = |contents: &[u8]| {
            let mut packed = FrameEncoder::new(Vec::new());
            packed.write_all(contents).unwrap();
            (contents.len(), packed.finish().unwrap())
        };
        let (length, packed) = match how % 3 {
            0 => pack(&changed(&run.contents, input)),
            1 => pack(input),
            _ => (run.contents.len(), input.to_vec()),
        };
        let mut file = run.head.clone();
        file.extend((length as u64).to_le_bytes());
        file.extend(packed);
        file.extend(blake3::hash(&file).as_bytes());
        run.put(&file);
        if let Err(error) = go(&run.config, &run.folder, true) {
            super::assert_plain(&error, &[2, 3, 4, 6]);
        }
    });
}

/// Reads the bytes as a series in one file. Depending on the first byte, the other bytes change a
/// valid file or replace it. The series is either opened and extended by one state, or refused.
pub fn vtkhdf(bytes: &[u8]) {
    thread_local! {
        static GOOD: OnceCell<Vec<u8>> = const { OnceCell::new() };
    }
    let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let geometry = Geometry::triangles(&points, &[0, 1, 2], Compression::None);
    let phi = [0.5, -0.5, 1.5];
    let state = |time| VtkOutput::new(&geometry).time(time).point_data("phi", 1, &phi[..]);
    let path = super::folder().join("a.vtkhdf");
    let good = || {
        let mut series = HdfSeries::new(&path, Compression::None);
        (0..3).for_each(|k| series.add(&state(f64::from(k))).unwrap());
        std::fs::read(&path).unwrap()
    };
    let Some((how, input)) = bytes.split_first() else { return };
    let file = GOOD.with(|kept| {
        let good = kept.get_or_init(good);
        if how % 2 == 0 { changed(good, input) } else { input.to_vec() }
    });
    // The series is opened with fewer states than it has, or with all of them.
    let steps = if how / 2 % 2 == 0 { 3 } else { 2 };
    std::fs::write(&path, file).unwrap();
    let opened = HdfSeries::open_existing(&path, Compression::None, steps);
    let added = opened.and_then(|mut series| series.add(&state(9.0)));
    if let Err(error) = added {
        super::assert_plain(&error, &[6]);
    }
}
