//! The table of results: one row for each row of the batch.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::manifest::{Manifest, Record};
use super::{Batch, Shard};
use crate::atomic;
use crate::converge::hash_of;
use crate::error::{Error, Result};

/// The file name of the table.
pub(super) const SUMMARY: &str = "batch.csv";

impl Batch {
    pub(super) fn summary(&self) -> PathBuf {
        self.folder.join(SUMMARY)
    }

    /// Refuses to replace a file at the place of the table that no batch of this folder wrote.
    ///
    /// # Errors
    /// Returns [`Error::Output`].
    pub(super) fn check_summary(&self) -> Result<()> {
        let path = self.summary();
        if std::fs::symlink_metadata(&path).is_err() {
            return Ok(());
        }
        let known = self.manifests()?;
        let is_known = |hash| known.iter().flatten().any(|list| list.summaries.contains(&hash));
        match hash_of(&path).is_some_and(is_known) {
            true => Ok(()),
            false => Err(Error::output(
                &path,
                "exists, and no batch of this folder wrote it",
                "move it, or choose another folder with -o",
            )),
        }
    }

    /// Reads the lists of all shards. The lists of those that have not begun are missing.
    fn manifests(&self) -> Result<Vec<Option<Manifest>>> {
        let names: Vec<Option<Shard>> = match self.shard {
            None => vec![None],
            Some(shard) => shard.all().map(Some).collect(),
        };
        let read = |shard| Manifest::read(&self.folder.join(Manifest::name(shard)));
        names.into_iter().map(read).collect()
    }

    /// Writes the table if all shards are complete. Returns the number of shards that are not.
    ///
    /// # Errors
    /// Returns [`Error::Output`] if a file cannot be read or written.
    pub(super) fn write_summary(&self, own: &mut Manifest) -> Result<usize> {
        let lists = self.manifests()?;
        let is_done = |list: &&Manifest| list.is_complete() && list.is_beside(own);
        let done: Vec<&Manifest> = lists.iter().flatten().filter(is_done).collect();
        if done.len() < lists.len() && self.shard.is_some() {
            return Ok(lists.len() - done.len());
        }
        let mut rows: Vec<&Record> = lists.iter().flatten().flat_map(|list| &list.rows).collect();
        rows.sort_unstable_by_key(|record| record.row);
        let text = self.table_of(&rows);
        own.summaries.push(blake3::hash(text.as_bytes()).to_hex().to_string());
        own.summaries.drain(..own.summaries.len().saturating_sub(2));
        // The list comes first, so that the table is never unknown to it.
        own.write(&self.manifest())?;
        atomic::write(&self.summary(), |out| out.write_all(text.as_bytes()))?;
        Ok(0)
    }

    /// Returns the table as text.
    fn table_of(&self, rows: &[&Record]) -> String {
        let measures: BTreeSet<&String> = rows.iter().flat_map(|row| row.values.keys()).collect();
        let mut writer = csv::Writer::from_writer(Vec::new());
        let fixed = ["row", "name", "status", "exit_code", "seconds", "warnings"];
        // A column of the user may have the title of one of ours.
        let is_own = |title: &String| {
            fixed.contains(&title.as_str()) || title == "error" || measures.contains(title)
        };
        let title = |title: &String| match is_own(title) {
            true => format!("table:{title}"),
            false => title.clone(),
        };
        let titles = fixed.map(String::from).into_iter();
        let titles = titles.chain(self.table.titles.iter().map(title));
        let titles = titles.chain(measures.iter().map(|name| (*name).clone()));
        let mut ok = writer.write_record(titles.chain(["error".to_string()])).is_ok();
        for row in rows {
            let cells = row
                .row
                .checked_sub(1)
                .and_then(|k| self.table.rows.get(k))
                .map_or(&[][..], |row| &row.cells);
            let own = [
                row.row.to_string(),
                row.name.clone(),
                row.status.word().into(),
                row.exit_code.to_string(),
                format!("{:.3}", row.seconds),
                row.warnings.to_string(),
            ];
            let value =
                |name: &&String| row.values.get(*name).map_or(String::new(), |x| format!("{x:?}"));
            let record = own.into_iter().chain(cells.iter().cloned());
            let record = record.chain(measures.iter().map(value));
            ok &=
                writer.write_record(record.chain([row.error.clone().unwrap_or_default()])).is_ok();
        }
        // Writing into memory does not fail.
        debug_assert!(ok);
        String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
    }

    /// Returns the folder of a row.
    pub(super) fn folder_of(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}
