//! The list of the runs of a batch: `batch.json`, or `batch-I-of-N.json` for a shard.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Batch;
use super::shard::Shard;
use crate::atomic;
use crate::error::{Error, Result};
use crate::output::Program;

/// The version of the format.
const SCHEMA_VERSION: u32 = 1;

/// How a row ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RowStatus {
    /// The run ended as planned, and its results are within all bounds.
    Finished,
    /// The run ended as planned, but a bound is not met.
    NotMet,
    /// An error ended the run.
    Failed,
    /// The user interrupted the run.
    Interrupted,
}

impl RowStatus {
    /// Returns whether the run has results that need not be computed again.
    pub fn is_done(self) -> bool {
        matches!(self, RowStatus::Finished | RowStatus::NotMet)
    }

    /// Returns the word for tables.
    pub fn word(self) -> &'static str {
        match self {
            RowStatus::Finished => "finished",
            RowStatus::NotMet => "not-met",
            RowStatus::Failed => "failed",
            RowStatus::Interrupted => "interrupted",
        }
    }
}

/// A row that has run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Record {
    /// Number of the row. The first row below the titles is 1.
    pub row: usize,
    /// Name of the row, which is also that of its run folder.
    pub name: String,
    /// How the row ended.
    pub status: RowStatus,
    /// The exit code that `zeroset run` would have.
    pub exit_code: u8,
    /// Seconds of the run.
    pub seconds: f64,
    /// Number of warnings in the report of the run.
    pub warnings: usize,
    /// The error with its remedy, or the bounds that are not met.
    pub error: Option<String>,
    /// Hexadecimal BLAKE3 hash of the case with the cells of the row, and its overrides.
    pub case_hash: String,
    /// Hexadecimal BLAKE3 hash of the report of the run, if it has one.
    pub report_hash: Option<String>,
    /// The results by name, in the units of `[expect]`.
    pub values: BTreeMap<String, f64>,
}

/// The list.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Manifest {
    schema_version: u32,
    /// Name of the program that wrote the list.
    program: String,
    version: String,
    case: PathBuf,
    table: PathBuf,
    /// Hexadecimal BLAKE3 hash of the table.
    table_hash: String,
    set: Vec<String>,
    /// Number of rows of the shard.
    n_rows: usize,
    /// The rows that have run, in the order of the table.
    pub rows: Vec<Record>,
    /// Hexadecimal BLAKE3 hashes of the table of results: of the one before, and of the last one.
    /// Both are known, so that a batch that is killed while it replaces the table can continue.
    pub summaries: Vec<String>,
}

impl Manifest {
    /// Returns the file name of the list.
    pub fn name(shard: Option<Shard>) -> String {
        shard.map_or("batch.json".into(), |shard| format!("batch-{}.json", shard.in_names()))
    }

    /// Returns an empty list.
    pub fn new(batch: &Batch) -> Self {
        Manifest {
            schema_version: SCHEMA_VERSION,
            program: Program::this().name.into(),
            version: Program::this().version.into(),
            case: batch.case.clone(),
            table: batch.table.file.clone(),
            table_hash: batch.table.hash.clone(),
            set: batch.set.clone(),
            n_rows: batch.rows.len(),
            rows: Vec::new(),
            summaries: Vec::new(),
        }
    }

    /// Reads a list. Returns `None` if there is no such file.
    ///
    /// # Errors
    /// Returns [`Error::Output`] if the file is not a list of this program.
    pub fn read(path: &Path) -> Result<Option<Self>> {
        let Ok(bytes) = std::fs::read(path) else {
            return match std::fs::symlink_metadata(path) {
                Err(_) => Ok(None),
                Ok(_) => Err(Error::output(path, "cannot be read", "move it")),
            };
        };
        let found: Option<Manifest> = serde_json::from_slice(&bytes).ok();
        let is_own = |found: &Manifest| {
            found.program == Program::this().name && found.schema_version == SCHEMA_VERSION
        };
        found.filter(is_own).map(Some).ok_or_else(|| {
            let what = "exists, and no batch of this version wrote it";
            Error::output(path, what, "move it, or choose another folder with -o")
        })
    }

    /// Returns whether all rows have ended.
    pub fn is_complete(&self) -> bool {
        self.rows.iter().filter(|row| row.status != RowStatus::Interrupted).count() == self.n_rows
    }

    /// Returns whether two lists belong to shards of one batch.
    pub fn is_beside(&self, other: &Manifest) -> bool {
        self.table_hash == other.table_hash && self.set == other.set
    }

    /// Adds a row, or replaces the row with the same number.
    pub fn put(&mut self, record: Record) {
        match self.rows.binary_search_by_key(&record.row, |row| row.row) {
            Ok(k) => self.rows[k] = record,
            Err(k) => self.rows.insert(k, record),
        }
    }

    /// Writes the list.
    ///
    /// # Errors
    /// Returns [`Error::Output`] if the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        atomic::write(path, |out| {
            serde_json::to_writer_pretty(&mut *out, self)?;
            out.write_all(b"\n")
        })
    }
}
