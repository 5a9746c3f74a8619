//! Tables: CSV files with titles.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// The most rows of a table. The report of each row is kept in memory.
const MOST_ROWS: usize = 1 << 24;

/// A table with titles.
#[derive(Debug)]
pub(crate) struct Table {
    pub file: PathBuf,
    /// Titles of the columns. They are distinct and not empty.
    pub titles: Vec<String>,
    /// The line of the titles, counted from 1.
    pub title_line: usize,
    pub rows: Vec<Row>,
    /// Hexadecimal BLAKE3 hash of the file.
    pub hash: String,
}

/// A row of a table.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// Number of the row. The first row below the titles is 1.
    pub number: usize,
    /// The line at which the row begins, counted from 1.
    pub line: usize,
    /// One cell per column, without blanks around it.
    pub cells: Vec<String>,
}

impl Table {
    /// Reads a file with titles in its first line. Commas, semicolons or tabs separate the cells,
    /// and cells may be quoted. Lines that begin with `#` are comments.
    ///
    /// # Errors
    /// Returns [`Error::Input`] if the file cannot be read or is no such table.
    pub fn read(file: &Path) -> Result<Self> {
        let bad = |what: String, remedy: &str| Error::input(file, "", what, remedy);
        let bytes = std::fs::read(file).map_err(|e| {
            bad(format!("cannot read the table: {e}"), "name a .csv file").because(e)
        })?;
        let text = String::from_utf8(bytes).map_err(|error| {
            bad("the table is not UTF-8 text".into(), "save it as CSV in UTF-8").because(error)
        })?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let head = text.lines().find(|line| !line.starts_with('#')).unwrap_or_default();
        let delimiter = [b'\t', b';'].into_iter().find(|d| head.as_bytes().contains(d));
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(delimiter.unwrap_or(b','))
            .comment(Some(b'#'))
            .trim(csv::Trim::All)
            .from_reader(text.as_bytes());
        let wrong = |error: csv::Error| {
            let remedy = "each row needs one cell for each title; put cells with separators in \
                          double quotation marks";
            bad(error.to_string(), remedy).because(error)
        };
        let line = |record: &csv::StringRecord| {
            record.position().map_or(1, |position| position.line() as usize)
        };
        let head = reader.headers().map_err(wrong)?;
        let title_line = line(head);
        let titles: Vec<String> = head.iter().map(Into::into).collect();
        let mut known = BTreeSet::new();
        for title in &titles {
            if title.is_empty() || !known.insert(title) {
                let what = match title.is_empty() {
                    true => "a column has no title".to_string(),
                    false => format!("two columns have the title `{title}`"),
                };
                return Err(bad(what, "the first line must give each column a title of its own"));
            }
        }
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.map_err(wrong)?;
            let cells = record.iter().map(Into::into).collect();
            rows.push(Row { number: rows.len() + 1, line: line(&record), cells });
            if rows.len() > MOST_ROWS {
                return Err(bad(format!("more than {MOST_ROWS} rows"), "divide the table"));
            }
        }
        if rows.is_empty() {
            return Err(bad("the table has no rows below its titles".into(), "add rows"));
        }
        let hash = blake3::hash(text.as_bytes()).to_hex().to_string();
        Ok(Table { file: file.to_path_buf(), titles, title_line, rows, hash })
    }

    /// Returns the index of the column with a title.
    pub fn column(&self, title: &str) -> Option<usize> {
        self.titles.iter().position(|found| found == title)
    }
}
