//! Shows checkpoints: a run that is interrupted and resumed gives the same bits as one that is not.
//!
//!     cargo run --release --example 13_checkpoints

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use zeroset::config::Config;
use zeroset::output::Status;
use zeroset::run::{Observer, Options, Progress, run};

/// Interrupts the run after a number of steps.
struct After<'a> {
    steps: u64,
    interrupt: &'a AtomicBool,
}

impl Observer for After<'_> {
    fn stage(&self, _: &str) {}

    fn step(&self, progress: &Progress) {
        if progress.step >= self.steps {
            self.interrupt.store(true, Ordering::Relaxed);
        }
    }
}

/// Runs or resumes the case, interrupts it after the given number of steps, and returns its status.
fn status_of(config: &Config, folder: &Path, resume: bool, steps: u64) -> zeroset::Result<Status> {
    let interrupt = AtomicBool::new(false);
    let observer = After { steps, interrupt: &interrupt };
    let options = Options::new(&interrupt, &observer)
        .into_folder(Some(folder.to_path_buf()), false)
        .resuming(resume);
    Ok(run(config, &options)?.report.status)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let case: PathBuf =
        concat!(env!("CARGO_MANIFEST_DIR"), "/configs/shrinking_circle.toml").into();
    let config = Config::load(&case, &[])?;
    let base = std::env::temp_dir().join(format!("zeroset-checkpoints-{}", std::process::id()));
    let (whole, parts) = (base.join("whole"), base.join("parts"));
    assert_eq!(status_of(&config, &whole, false, u64::MAX)?, Status::Finished);
    assert_eq!(status_of(&config, &parts, false, 20)?, Status::Interrupted);
    assert_eq!(status_of(&config, &parts, true, u64::MAX)?, Status::Finished);
    let [one, two] = [&whole, &parts].map(|folder| std::fs::read(folder.join("measures.csv")));
    let (one, two) = (one?, two?);
    println!("{} bytes of measures, equal: {}", one.len(), one == two);
    assert_eq!(one, two);
    std::fs::remove_dir_all(base)?;
    Ok(())
}
