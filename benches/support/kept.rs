//! Reads the tables in `benches/results`.

use std::path::Path;

/// A Markdown table.
pub struct Table {
    names: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// A row of a table.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    names: &'a [String],
    cells: &'a [String],
}

impl Table {
    /// Reads the first table whose header begins with `head` from a file in `benches/results`.
    ///
    /// # Panics
    ///
    /// Panics if the file cannot be read or has no such table.
    pub fn read(file: &str, head: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/results").join(file);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{file}: {e}"));
        let mut lines = text.lines().skip_while(|line| !line.starts_with(head));
        let cells = |line: &str| -> Vec<String> {
            line.trim().trim_matches('|').split('|').map(|cell| cell.trim().into()).collect()
        };
        let names =
            cells(lines.next().unwrap_or_else(|| panic!("{file}: no table begins with {head}")));
        let rows = lines.skip(1).take_while(|line| line.starts_with('|')).map(cells).collect();
        Table { names, rows }
    }

    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows.iter().map(|cells| Row { names: &self.names, cells })
    }
}

impl Row<'_> {
    /// Returns the text in the column with this name.
    ///
    /// # Panics
    ///
    /// Panics if the table has no such column.
    pub fn text(&self, name: &str) -> &str {
        let column = self.names.iter().position(|n| n == name);
        &self.cells[column.unwrap_or_else(|| panic!("no column {name} in {:?}", self.names))]
    }

    /// Returns the first word in the column with this name as a number. Commas in it are ignored.
    ///
    /// # Panics
    ///
    /// Panics if the table has no such column, or if the word is not a number.
    pub fn number(&self, name: &str) -> f64 {
        let text = self.text(name);
        let word = text.split(' ').next().unwrap_or_default().replace(',', "");
        word.parse().unwrap_or_else(|_| panic!("{name}: {text} is not a number"))
    }
}
