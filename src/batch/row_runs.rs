//! Runs the rows of a batch, several at a time.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::Batch;
use super::manifest::{Manifest, Record, RowStatus};
use crate::config::{Config, DeviceKind};
use crate::converge::{self, hash_of};
use crate::error::{Error, Result};
use crate::gpu;
use crate::output::checkpoint::CHECKPOINT;
use crate::output::{Report, Status};
use crate::primitives::memory::available;
use crate::run::{self, MeshSize, Observer, Progress};

/// The shortest time between two writes of the list, which is written after each row otherwise.
const BETWEEN_WRITES: Duration = Duration::from_secs(1);
/// The memory that a run may take, in lower bounds of its memory.
const MEMORY: u64 = 3;

/// Options of a batch that are not part of its results.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Options<'a> {
    /// The number of rows that run at the same time. `None` chooses it: one for each core if there
    /// is enough memory, and one row at a time if the case may use a GPU.
    pub jobs: Option<usize>,
    /// Whether to continue the batch in the folder: rows that it lists as done are kept.
    pub resume: bool,
    /// Whether to replace the batch in the folder.
    pub overwrite: bool,
    /// A flag that ends the runs cleanly when it becomes true.
    pub interrupt: &'a AtomicBool,
    /// Told when the first row begins to write.
    pub observer: &'a dyn Observer,
}

impl<'a> Options<'a> {
    /// Creates options that neither continue nor replace an earlier batch.
    pub fn new(interrupt: &'a AtomicBool, observer: &'a dyn Observer) -> Self {
        Options { jobs: None, resume: false, overwrite: false, interrupt, observer }
    }
}

/// A batch that has ended.
#[derive(Debug)]
#[non_exhaustive]
pub struct Finished {
    /// The rows that have run, now or before, in the order of the table.
    pub rows: Vec<Record>,
    /// Number of rows that were kept from an earlier batch.
    pub kept: usize,
    /// Whether the user interrupted the batch.
    pub interrupted: bool,
    /// Number of shards that are not complete, so that there is no table of results yet.
    pub missing_shards: usize,
}

impl Finished {
    /// Returns the number of rows that failed or whose bounds are not met.
    pub fn failed(&self) -> usize {
        let is_bad = |row: &&Record| matches!(row.status, RowStatus::Failed | RowStatus::NotMet);
        self.rows.iter().filter(is_bad).count()
    }
}

/// Passes on when a run begins to write, and nothing else. Stages of several runs at a time would
/// tell nothing.
struct Writes<'a>(&'a dyn Observer);

impl Observer for Writes<'_> {
    fn stage(&self, _: &str) {}

    fn writes(&self) {
        self.0.writes();
    }

    fn step(&self, _: &Progress) {}
}

/// The list, shared by all jobs.
struct Shared {
    list: Manifest,
    written: Instant,
    failure: Option<Error>,
}

impl Batch {
    /// Runs the rows, and passes each one that has ended to `done`. A row that fails does not stop
    /// the others.
    ///
    /// Each row runs as `zeroset run` does, in its own folder. Results do not depend on the number
    /// of jobs.
    ///
    /// # Errors
    /// Returns [`Error::Output`] if the list or the table of results cannot be written, or would
    /// replace a file that is not theirs.
    pub fn run(&self, options: &Options<'_>, done: impl Fn(&Record) + Sync) -> Result<Finished> {
        let path = self.manifest();
        self.check_summary()?;
        let earlier = Manifest::read(&path)?;
        if earlier.is_some() && !options.resume && !options.overwrite {
            let remedy = "continue with --resume, replace it with --overwrite, or choose another \
                          folder with -o";
            return Err(Error::output(&path, "exists", remedy));
        }
        let mut list = Manifest::new(self);
        // The table of the earlier batch stays known until it is replaced.
        list.summaries = earlier.as_ref().map_or(Vec::new(), |earlier| earlier.summaries.clone());
        let earlier = earlier.filter(|_| options.resume);
        let mut waiting = Vec::new();
        for &k in &self.rows {
            match earlier.as_ref().and_then(|earlier| self.kept(k, earlier)) {
                Some(record) => list.put(record),
                None => waiting.push(k),
            }
        }
        let kept = list.rows.len();
        let jobs = self.jobs(options.jobs, &waiting);
        options.observer.writes();
        std::fs::create_dir_all(&self.folder).map_err(|e| {
            Error::output(&self.folder, &e, "choose another folder with -o").because(e)
        })?;
        list.write(&path)?;
        let shared = Mutex::new(Shared { list, written: Instant::now(), failure: None });
        let next = AtomicUsize::new(0);
        let work = || {
            while !options.interrupt.load(Ordering::Relaxed)
                && let Some(&k) = waiting.get(next.fetch_add(1, Ordering::Relaxed))
            {
                let record = self.record(k, jobs, options);
                done(&record);
                let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
                shared.list.put(record);
                if shared.written.elapsed() >= BETWEEN_WRITES {
                    shared.written = Instant::now();
                    if let Err(error) = shared.list.write(&path) {
                        shared.failure.get_or_insert(error);
                        return;
                    }
                }
            }
        };
        std::thread::scope(|scope| {
            // The caller's thread is the last job.
            (1..jobs).for_each(|_| drop(scope.spawn(work)));
            work();
        });
        let Shared { mut list, failure, .. } =
            shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        failure.map_or(Ok(()), Err)?;
        list.write(&path)?;
        let missing_shards = self.write_summary(&mut list)?;
        let is_open = |row: &Record| row.status == RowStatus::Interrupted;
        let interrupted = list.rows.iter().any(is_open) || list.rows.len() < self.rows.len();
        Ok(Finished { rows: list.rows, kept, interrupted, missing_shards })
    }

    /// Returns the record of a row that an earlier batch has finished, if its case and its report
    /// are unchanged.
    fn kept(&self, k: usize, earlier: &Manifest) -> Option<Record> {
        let row = &self.table.rows[k];
        let k_earlier = earlier.rows.binary_search_by_key(&row.number, |found| found.row).ok()?;
        let found = &earlier.rows[k_earlier];
        let is_same = found.status.is_done()
            && found.name == self.names[k]
            && self.config(row).is_ok_and(|config| config.origin.hash == found.case_hash)
            && found.report_hash.is_some()
            && hash_of(&self.folder_of(&found.name).join("report.json")) == found.report_hash;
        is_same.then(|| found.clone())
    }

    /// Returns the number of rows that run at the same time.
    fn jobs(&self, requested: Option<usize>, waiting: &[usize]) -> usize {
        let most = waiting.len().max(1);
        if let Some(jobs) = requested {
            return jobs.clamp(1, most);
        }
        let first = waiting.first().and_then(|&k| self.config(&self.table.rows[k]).ok());
        let Some(config) = first else { return 1 };
        // Rows share a GPU in turn.
        if config.device.kind != DeviceKind::Cpu && gpu::available(0).is_ok() {
            return 1;
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let needed = MeshSize::of(&config).ok().flatten().map_or(0, |size| MEMORY * size.bytes);
        let fit = match (available(), needed) {
            (Some(free), 1..) => (free / needed).max(1) as usize,
            _ => most,
        };
        cores.min(fit).min(most)
    }

    /// Runs a row and returns what happened.
    fn record(&self, k: usize, jobs: usize, options: &Options<'_>) -> Record {
        let (row, begun) = (&self.table.rows[k], Instant::now());
        let mut record = Record {
            row: row.number,
            name: self.names[k].clone(),
            status: RowStatus::Failed,
            exit_code: 0,
            seconds: 0.0,
            warnings: 0,
            error: None,
            case_hash: String::new(),
            report_hash: None,
            values: Default::default(),
        };
        let folder = self.folder_of(&record.name);
        match self.config(row).and_then(|config| {
            record.case_hash.clone_from(&config.origin.hash);
            self.report(config, &folder, jobs, options)
        }) {
            Ok(report) => {
                record.report_hash = hash_of(&folder.join("report.json"));
                record.values = converge::values(&report);
                record.warnings = report.warnings.len();
                (record.status, record.exit_code) = match report.status {
                    Status::Interrupted => (RowStatus::Interrupted, Error::Interrupted.exit_code()),
                    _ if !report.is_met() => (RowStatus::NotMet, 1),
                    _ => (RowStatus::Finished, 0),
                };
                if record.status == RowStatus::NotMet {
                    record.error = Some("a bound is not met: see its report.html".into());
                }
            }
            Err(Error::Interrupted) => {
                record.status = RowStatus::Interrupted;
                record.exit_code = Error::Interrupted.exit_code();
            }
            Err(error) => {
                record.exit_code = error.exit_code();
                record.error = Some(error.to_string());
            }
        }
        record.seconds = begun.elapsed().as_secs_f64();
        record
    }

    /// Runs the case of a row. Continues from its checkpoint if the batch is continued.
    fn report(
        &self,
        mut config: Config,
        folder: &Path,
        jobs: usize,
        options: &Options<'_>,
    ) -> Result<Report> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        if config.device.threads == 0 && jobs > 1 {
            config.device.threads = (cores / jobs).max(1);
        }
        let resume = options.resume && folder.join(CHECKPOINT).exists();
        let overwrite = options.overwrite || options.resume && !resume;
        let writes = Writes(options.observer);
        let options = run::Options::new(options.interrupt, &writes)
            .into_folder(Some(folder.to_path_buf()), overwrite)
            .resuming(resume);
        Ok(run::run(&config, &options)?.report)
    }
}
