//! Estimating the time, memory and disk space of a run from its first part.
//!
//! The first part of the run is computed into a temporary folder, with the same device and threads.
//! Its steps, states and files are measured, and the rest of the run is extrapolated.

mod figures;
mod files;
mod sampler;
mod steps;
mod text;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use super::task::{Part, Run, Stages, Task};
use super::{Observer, cpu, folder_of, leave, task};
use crate::Cpu;
use crate::atomic::TemporaryFolder;
use crate::config::Config;
use crate::error::{Error, Result};
use crate::output::{Report, RunFolder, RunNames};
use crate::primitives::{disk, memory};
pub use figures::{Estimate, FileEstimate, Sample, Span};
use files::Written;
use sampler::{Record, Sampler};
use steps::Steps;

/// The relative uncertainty of the seconds of a step and of an output.
const UNSURE: f64 = 1.15;

/// Estimates the time, memory and disk space of the run of a case from a part of it that takes
/// about `seconds` seconds after its setup.
///
/// The part is computed into a temporary folder, which is next to the run folder and is removed
/// before this function returns. A run that ends within this time is measured completely.
///
/// # Errors
/// Returns the errors that the run would return during its first part.
pub fn estimate(
    config: &Config,
    folder: Option<&Path>,
    seconds: f64,
    observer: &dyn Observer,
) -> Result<Estimate> {
    if !(seconds > 0.0 && seconds.is_finite()) {
        return Err(Error::usage(format!("{seconds} seconds is not a duration > 0"), ""));
    }
    let config = &*config.with_stimuli()?;
    let target = existing(&folder_of(config, folder)?);
    let cpu = Arc::new(cpu(config)?);
    let temporary = TemporaryFolder::new(&target)?;
    let available = memory::available();
    let measured = cpu.clone().run(|| {
        let sampler = Sampler::new(observer, seconds, temporary.path(), config);
        sample(cpu, config, temporary.path(), &sampler, seconds)
    })?;
    let files = Written::read(temporary.path(), &config.name(), measured.record.first_size)?;
    let mut found = measured.extrapolated(config, files);
    drop(temporary);
    found.free_disk = disk::free(&target);
    found.available_memory = available;
    found.doubt();
    Ok(found)
}

/// Returns the folder that exists and contains the run folder, or would contain it.
fn existing(folder: &Path) -> PathBuf {
    let above = folder.ancestors().skip(1).find(|path| path.is_dir());
    above.unwrap_or(Path::new(".")).to_path_buf()
}

/// The measurements of the first part of a run.
struct Measured {
    report: Report,
    record: Record,
    /// The part of a single computation, if the task has no steps.
    part: Option<Part>,
    /// Seconds from the beginning of the part to its reports.
    computed: f64,
    /// Seconds for the reports, mainly for the view in `report.html`.
    pages: f64,
}

/// Computes the first part of a run.
fn sample(
    cpu: Arc<Cpu>,
    config: &Config,
    path: &Path,
    sampler: &Sampler<'_>,
    seconds: f64,
) -> Result<Measured> {
    let begun = Instant::now();
    let folder = RunFolder::open(path, RunNames::of(config, path), &[], false)?;
    let stage = Stages::new(sampler, sampler.stop());
    let task: Box<dyn Task + '_> = task::of(config, cpu)?;
    let mut report = task.report();
    let run = Run { folder: &folder, begun, stage, stopped: None };
    let part = task.sample(run, &mut report, seconds)?;
    let computed = begun.elapsed().as_secs_f64();
    report.close(computed);
    leave(config, &folder, &mut report)?;
    folder.close()?;
    let pages = begun.elapsed().as_secs_f64() - computed;
    Ok(Measured { report, record: sampler.record(), part, computed, pages })
}

impl Measured {
    /// Extrapolates the whole run.
    fn extrapolated(self, config: &Config, files: Written) -> Estimate {
        let peak = memory::peak();
        match &self.part {
            Some(part) => self.of_part(part, files, peak),
            None => Steps::new(&self, config).estimate(&self, config, files, peak),
        }
    }

    /// Extrapolates a single computation from a part of it.
    fn of_part(&self, part: &Part, files: Written, peak_memory: Option<u64>) -> Estimate {
        let times =
            if part.done > 0 { part.whole as f64 / part.done as f64 } else { f64::INFINITY };
        let is_complete = part.done >= part.whole;
        let setup = self.report.seconds.read + self.report.seconds.partition + part.setup;
        let output = self.report.seconds.output + self.pages;
        let (solving, disk) = match is_complete {
            true => (Span::exact(part.seconds), Span::exact(files.total())),
            false => (part.spread(part.seconds * times), files.scaled(part)),
        };
        let output = if is_complete { Span::exact(output) } else { Span::around(output, UNSURE) };
        Estimate {
            is_complete,
            sample: Sample { seconds: part.seconds, part: Some(part.clone()), ..Sample::default() },
            setup_seconds: setup,
            steps: None,
            step_seconds: None,
            may_have_more_steps: false,
            may_end_earlier: false,
            states: Some(Span::exact(1.0)),
            output_seconds: output,
            seconds: Some(solving.and(output).plus(setup)),
            files: files.listed(),
            disk: Some(disk),
            checkpoint: None,
            peak_memory,
            free_disk: None,
            available_memory: None,
            warnings: Vec::new(),
        }
    }
}
