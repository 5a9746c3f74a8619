//! Batches: one case runs for each row of a table.
//!
//! The case refers to a column of the table as `{{column}}`: in strings, such as
//! `file = "{{subject}}/lh.pial"`, or in place of a value, such as `normal_speed = {{speed}}`.
//! [`Batch::new`] fills in the rows and checks the cases. [`Batch::run`] runs them, and writes a
//! list of the runs, `batch.json`, and a table of their results, `batch.csv`.
//!
//! A batch can be divided into shards for several hosts or the tasks of a job array. All shards
//! share a folder, and the last one to finish writes the table.

mod manifest;
mod row_runs;
mod shard;
mod summary;
mod template;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use self::manifest::Manifest;
use self::template::Template;
use crate::config::{Config, read_case_text};
use crate::error::{Error, Result};
use crate::table::{Row, Table};

pub use manifest::{Record, RowStatus};
pub use row_runs::{Finished, Options};
pub use shard::Shard;

/// A case and a table, checked.
#[derive(Debug)]
pub struct Batch {
    case: PathBuf,
    text: Template,
    overrides: Vec<Template>,
    set: Vec<String>,
    table: Table,
    /// The rows of this shard, by index in the table.
    rows: Vec<usize>,
    /// The name of each row of the table, which is also the name of its folder.
    names: Vec<String>,
    folder: PathBuf,
    shard: Option<Shard>,
}

/// The case, the table and the folder of a batch.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Inputs {
    /// The case file.
    pub case: PathBuf,
    /// The table: a CSV file with titles.
    pub table: PathBuf,
    /// Overrides of the case, `key=value`, which may also refer to columns.
    pub overrides: Vec<String>,
    /// The folder of the batch. `None` selects `results/NAME-batch`.
    pub folder: Option<PathBuf>,
    /// The column whose cells name the rows and their folders. `None` numbers the rows.
    pub name: Option<String>,
    /// The part of the rows that is run.
    pub shard: Option<Shard>,
}

impl Inputs {
    /// Returns a batch of a case and a table, with defaults for everything else.
    pub fn new(case: PathBuf, table: PathBuf) -> Self {
        Inputs { case, table, ..Inputs::default() }
    }
}

impl Batch {
    /// Reads a case and a table, and checks that they fit together. The cases of single rows are
    /// checked when they run.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if the case refers to no column, or to one that the table lacks, and
    /// for names that are not distinct. Returns [`Error::Input`] if the table cannot be read.
    pub fn new(inputs: &Inputs) -> Result<Self> {
        let Inputs { case, table, overrides: set, .. } = inputs;
        let text = Template::of_case(case, &read_case_text(case)?)?;
        let overrides: Vec<Template> =
            set.iter().map(|option| Template::of_option(option)).collect();
        let table = Table::read(table)?;
        let templates = || std::iter::once(&text).chain(&overrides);
        templates().try_for_each(|template| template.check(case, &table))?;
        if templates().all(|template| template.columns().is_empty()) {
            return Err(Error::case(
                case,
                None,
                "the case refers to no column of the table, so all rows would be equal",
                "write {{column}} where the rows differ, such as file = \"{{subject}}/pial.gii\"",
            ));
        }
        let names = names(&table, inputs.name.as_deref())?;
        let stem = case.file_stem().unwrap_or_default().to_string_lossy();
        let folder = inputs.folder.clone();
        let folder = folder.unwrap_or_else(|| Path::new("results").join(format!("{stem}-batch")));
        let is_own = |k: &usize| inputs.shard.is_none_or(|shard| shard.contains(*k));
        let rows = (0..table.rows.len()).filter(is_own).collect();
        let (case, set, shard) = (case.clone(), set.clone(), inputs.shard);
        Ok(Batch { case, text, overrides, set, table, rows, names, folder, shard })
    }

    /// Returns the number of rows of this shard.
    pub fn n_rows(&self) -> usize {
        self.rows.len()
    }

    /// Returns the folder of the batch.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the path of the list of runs.
    pub fn manifest(&self) -> PathBuf {
        self.folder.join(Manifest::name(self.shard))
    }

    /// Returns the case of a row.
    fn config(&self, row: &Row) -> Result<Config> {
        let text = self.text.fill(&self.case, &self.table, row)?;
        let fill = |option: &Template| option.fill(&self.case, &self.table, row);
        let overrides: Vec<String> = self.overrides.iter().map(fill).collect::<Result<_>>()?;
        Config::parse(&text, &self.case, &overrides)
    }
}

/// Returns the name of each row.
fn names(table: &Table, column: Option<&str>) -> Result<Vec<String>> {
    let n = table.rows.len();
    let Some(title) = column else {
        let digits = n.to_string().len();
        return Ok((1..=n).map(|number| format!("row{number:0digits$}")).collect());
    };
    let Some(k) = table.column(title) else {
        let titles: Vec<&str> = table.titles.iter().map(String::as_str).collect();
        let what = format!("--name {title}: the table has no such column");
        return Err(Error::usage(what, crate::words::suggest(title, &titles)));
    };
    let mut known = BTreeSet::new();
    let name = |row: &Row| {
        let name = row.cells[k].clone();
        let is_plain = |c: char| c.is_alphanumeric() || "-_+.=".contains(c);
        let wrong = |what: &str| {
            let what = format!("--name {title}, row {}: `{name}` {what}", row.number);
            Error::usage(what, "choose a column with distinct names, or leave out --name")
        };
        if name.is_empty() || name.starts_with('.') || !name.chars().all(is_plain) {
            return Err(wrong("cannot name a folder: only letters, digits and - _ + . = may"));
        }
        // Some file systems do not distinguish upper and lower case.
        match known.insert(name.to_lowercase()) {
            true => Ok(name),
            false => Err(wrong("names two rows")),
        }
    };
    table.rows.iter().map(name).collect()
}
