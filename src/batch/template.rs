//! A case with `{{column}}` in places that the rows of a table fill in.

use std::collections::BTreeSet;
use std::path::Path;

use crate::error::{Error, Result};
use crate::table::{Row, Table};
use crate::words::suggest;

/// A text with places for the cells of a table.
#[derive(Debug)]
pub(super) struct Template {
    pieces: Vec<Piece>,
}

#[derive(Debug, PartialEq)]
enum Piece {
    Text(String),
    /// The cell of a column.
    Cell {
        column: String,
        /// One-based line of the text.
        line: usize,
        within: Within,
    },
}

/// The part of a TOML file in which a place lies.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Within {
    /// Outside of strings: the cell is a number or another TOML value.
    Value,
    /// A string in double quotes.
    Basic,
    /// A string in single quotes.
    Literal,
    Comment,
    /// An override of the command line, which is split before TOML is parsed.
    Override,
}

impl Template {
    /// Divides the text of a case file into pieces. Places in comments stay as they are.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if `}}` is missing.
    pub fn of_case(file: &Path, text: &str) -> Result<Self> {
        let mut pieces = Vec::new();
        let (mut within, mut quotes) = (Within::Value, "");
        let (mut line, mut begin, mut at) = (1, 0, 0);
        while let Some(c) = text[at..].chars().next() {
            let rest = &text[at..];
            let mut length = c.len_utf8();
            match within {
                _ if rest.starts_with("{{") && within != Within::Comment => {
                    let inside = rest[2..].lines().next().unwrap_or_default();
                    let Some((column, _)) = inside.split_once("}}") else {
                        let remedy = "write {{column}}, with the title of a column of the table";
                        return Err(Error::case(file, Some(line), "`{{` without `}}`", remedy));
                    };
                    pieces.push(Piece::Text(text[begin..at].to_string()));
                    pieces.push(Piece::Cell { column: column.trim().to_string(), line, within });
                    length = column.len() + 4;
                    begin = at + length;
                }
                Within::Value => {
                    let found =
                        ["\"\"\"", "'''", "\"", "'"].into_iter().find(|q| rest.starts_with(q));
                    if let Some(found) = found {
                        within =
                            if found.starts_with('"') { Within::Basic } else { Within::Literal };
                        (quotes, length) = (found, found.len());
                    } else if c == '#' {
                        within = Within::Comment;
                    }
                }
                Within::Comment if c == '\n' => within = Within::Value,
                Within::Comment | Within::Override => {}
                Within::Basic if c == '\\' => {
                    length += rest[1..].chars().next().map_or(0, char::len_utf8);
                }
                Within::Basic | Within::Literal => {
                    // A string in single quotation marks ends at the end of the line at the latest.
                    let is_open = quotes.len() == 1 && c == '\n';
                    if rest.starts_with(quotes) || is_open {
                        length = if is_open { 1 } else { quotes.len() };
                        within = Within::Value;
                    }
                }
            }
            line += text[at..at + length].matches('\n').count();
            at += length;
        }
        pieces.push(Piece::Text(text[begin..].to_string()));
        Ok(Template { pieces })
    }

    /// Divides an option such as `initial.mesh.file={{file}}`.
    pub fn of_option(option: &str) -> Self {
        let (mut pieces, mut rest) = (Vec::new(), option);
        while let Some((before, after)) = rest.split_once("{{")
            && let Some((column, after)) = after.split_once("}}")
        {
            pieces.push(Piece::Text(before.to_string()));
            let column = column.trim().to_string();
            pieces.push(Piece::Cell { column, line: 0, within: Within::Override });
            rest = after;
        }
        pieces.push(Piece::Text(rest.to_string()));
        Template { pieces }
    }

    /// Returns the titles of the columns that the text uses.
    pub fn columns(&self) -> BTreeSet<&str> {
        self.pieces
            .iter()
            .filter_map(|piece| match piece {
                Piece::Text(_) => None,
                Piece::Cell { column, .. } => Some(column.as_str()),
            })
            .collect()
    }

    /// Checks that the table has all columns that the text uses.
    ///
    /// # Errors
    /// Returns [`Error::Case`] with the line of the first column that is missing.
    pub fn check(&self, file: &Path, table: &Table) -> Result<()> {
        for piece in &self.pieces {
            if let Piece::Cell { column, line, .. } = piece
                && table.column(column).is_none()
            {
                let what = format!("{{{{{column}}}}}: the table has no column `{column}`");
                let titles: Vec<&str> = table.titles.iter().map(String::as_str).collect();
                let remedy = suggest(column, &titles);
                return Err(match line {
                    0 => Error::usage(what, remedy),
                    _ => Error::case(file, Some(*line), what, remedy),
                });
            }
        }
        Ok(())
    }

    /// Returns the text with the cells of a row.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if a cell does not fit in its place.
    pub fn fill(&self, file: &Path, table: &Table, row: &Row) -> Result<String> {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(piece) => text += piece,
                Piece::Cell { column, line, within } => {
                    let cell = table.column(column).map_or("", |k| row.cells[k].as_str());
                    text += &within.written(cell).map_err(|(what, remedy)| {
                        let what = format!("row {}, column `{column}`: {what}", row.number);
                        Error::case(file, Some(*line), what, remedy)
                    })?;
                }
            }
        }
        Ok(text)
    }
}

impl Within {
    /// Returns a cell as it is written here, or a flaw and its remedy.
    fn written(self, cell: &str) -> std::result::Result<String, (String, &'static str)> {
        if cell.chars().any(|c| c.is_control() && c != '\t') {
            return Err((format!("{cell:?} has more than one line"), "use one line per cell"));
        }
        match self {
            Within::Value => {
                let value: Option<toml::Table> = toml::from_str(&format!("value = {cell}")).ok();
                match value.is_some_and(|table| table.len() == 1) {
                    true => Ok(cell.to_string()),
                    false => Err((
                        format!("`{cell}` is neither a number nor another TOML value"),
                        "correct the table, or put {{column}} in quotation marks if it is a text",
                    )),
                }
            }
            Within::Basic => Ok(cell.replace('\\', "\\\\").replace('"', "\\\"")),
            Within::Literal if cell.contains('\'') => Err((
                format!("`{cell}` contains a single quotation mark"),
                "put {{column}} in double quotation marks",
            )),
            Within::Literal | Within::Comment | Within::Override => Ok(cell.to_string()),
        }
    }
}
