//! Reader of plain text with numbers in columns, one row per vertex.
//!
//! Blanks, commas or semicolons separate the numbers, and "#" begins a comment. So does "//" at the
//! beginning of a line. A first row of words names the columns. A single number on a line before
//! rows of three or more numbers is the number of rows.
//!
//! When read as data, each column becomes an array. When read as points (`.xyz`, `.pts`), the first
//! three columns are the coordinates.

use std::path::Path;

use super::faces::{index_limit, mesh_file};
use super::text::{Lines, real, show};
use super::{MeshFile, VolumeFile};
use zeroset_core::error::{Flaw, Result};
use zeroset_core::mesh::{DataArray, Values};

/// Extensions of text files that are read as data.
pub(super) const DATA_NAMES: [&str; 5] = ["txt", "csv", "tsv", "dat", "1d"];

/// The largest supported number of columns.
const MOST: usize = 1_000;

/// The number of leading bytes that are searched for column names and a row count.
pub(super) const HEAD: usize = 1 << 16;

/// The columns of a file and their names. `names` is empty if the file has none.
#[derive(Default)]
struct Table {
    names: Vec<String>,
    columns: Vec<Vec<f64>>,
    /// The number of rows that the first line declares.
    count: Option<u64>,
}

/// Returns the cells of a row. Semicolons separate the cells if the row has any, else commas, else
/// blanks. A cell between semicolons or commas may be empty, which the caller must reject. Adjacent
/// blanks count as one separator.
pub(super) fn cells(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let separator = [b';', b','].into_iter().find(|b| line.contains(b));
    let between = move |b: &u8| match separator {
        Some(separator) => *b == separator,
        None => b.is_ascii_whitespace(),
    };
    let words = line.trim_ascii().split(between).map(<[u8]>::trim_ascii);
    words.filter(move |word| separator.is_some() || !word.is_empty())
}

/// Returns the lines that are neither empty nor comments.
fn rows(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = head.split(|&b| b == b'\n' || b == b'\r').map(<[u8]>::trim_ascii);
    lines.filter(|line| !line.is_empty() && !line.starts_with(b"#") && !line.starts_with(b"//"))
}

fn is_number(cell: &[u8]) -> bool {
    real(cell).is_some()
}

/// Returns true if the first row begins with a number.
pub(super) fn begins_with_number(head: &[u8]) -> bool {
    let word = rows(head).next().and_then(|line| cells(line).find(|word| !word.is_empty()));
    word.is_some_and(is_number)
}

/// Returns true if the first row names the columns: it consists of words, and the next row has one
/// number for each word. If no row follows, x, y and z must be among the words.
pub(super) fn begins_with_names(head: &[u8]) -> bool {
    let mut rows = rows(head);
    let Some(names) = rows.next() else { return false };
    if cells(names).any(is_number) {
        return false;
    }
    match rows.next() {
        Some(row) => cells(row).count() == cells(names).count() && cells(row).all(is_number),
        None => [b"x", b"y", b"z"]
            .iter()
            .all(|axis| cells(names).any(|word| word.eq_ignore_ascii_case(*axis))),
    }
}

/// Returns the point count that scanners write on a separate line before the points: an integer
/// followed by a row of three or more numbers. Returns `None` if there is no such line.
pub(super) fn count_of_points(head: &[u8]) -> Option<u64> {
    let mut rows = rows(head);
    let first = rows.next().filter(|row| cells(row).count() == 1)?;
    let count = std::str::from_utf8(first).ok()?.parse().ok()?;
    let row = rows.next()?;
    (cells(row).count() >= 3 && cells(row).all(is_number)).then_some(count)
}

/// Describes a cell that is missing or not a number, and returns the remedy. `column` is counted
/// from 0.
pub(super) fn no_number(column: usize, cell: Option<&[u8]>) -> (String, &'static str) {
    let (found, remedy) = match cell {
        None => ("the end of the line".to_string(), "give every row the same number of values"),
        Some([]) => ("nothing".to_string(), "give every row a number in every column"),
        Some(word) if word.contains(&b',') => (show(word), "write decimals with a dot, as in 1.5"),
        // The row was split at decimal commas instead of at the blanks between numbers.
        Some(word) if word.contains(&b' ') || word.contains(&b'\t') => (
            show(word),
            "separate numbers by blanks, commas or semicolons, use only one of these, and write \
             decimals with a point, as in 1.5",
        ),
        Some(word) => (
            show(word),
            "only the first row may hold words, the column names; write numbers in all others",
        ),
    };
    (format!("a number expected in column {}, found {found}", column + 1), remedy)
}

fn table(bytes: &[u8]) -> Result<Table, Flaw> {
    let mut lines = Lines::new(bytes).with_comments(b'#');
    let count = count_of_points(bytes.get(..HEAD).unwrap_or(bytes));
    let mut table = Table { count, ..Table::default() };
    let mut remarked: Vec<String> = Vec::new();
    while let Some(row) = lines.next_row() {
        let line = row.rest();
        if let Some(remark) = line.trim_ascii().strip_prefix(b"//") {
            // CloudCompare writes the names of the columns in a comment line.
            if table.columns.is_empty() {
                remarked = cells(remark).take(MOST + 1).map(plain_name).collect();
            }
            continue;
        }
        // If the file concatenates several scans, each of them may begin with its own count.
        if count.is_some() && cells(line).count() == 1 && is_number(line.trim_ascii()) {
            continue;
        }
        let is_first = table.columns.is_empty();
        if is_first && table.names.is_empty() && !begins_with_number(line) {
            table.names = cells(line).take(MOST + 1).map(plain_name).collect();
            continue;
        }
        if is_first {
            let n = cells(line).take(MOST + 1).count();
            if table.names.is_empty() && remarked.len() == n {
                table.names = remarked.iter().map(|name| name.to_lowercase()).collect();
            }
            let named = table.names.len();
            if n > MOST || (named > 0 && named != n) {
                let what =
                    format!("{n} columns, expected {}", if named > 0 { named } else { MOST });
                return Err(
                    row.fail(what, "name every column in the first row, or remove the names")
                );
            }
            table.columns = vec![Vec::new(); n];
        }
        let mut words = cells(line);
        for (k, column) in table.columns.iter_mut().enumerate() {
            let word = words.next();
            let Some(value) = word.and_then(real) else {
                let (what, remedy) = no_number(k, word);
                return Err(row.fail(what, remedy));
            };
            column.push(value);
        }
        if let Some(word) = words.next() {
            let n = table.columns.len();
            let what = format!("expected {n} numbers, then found {}", show(word));
            return Err(row.fail(what, "give every row the same number of values"));
        }
    }
    if table.columns.is_empty() {
        return Err(Flaw::whole("holds no numbers", "choose another file"));
    }
    Ok(table)
}

/// Returns the name of a column without quotation marks.
fn plain_name(cell: &[u8]) -> String {
    String::from_utf8_lossy(cell).trim_matches(['"', '\'']).to_string()
}

/// Converts a column to values. A column of whole numbers becomes an integer array, so that it can
/// serve as labels.
fn values(column: Vec<f64>) -> Values {
    let whole = |x: &f64| x.fract() == 0.0 && x.abs() < 9e15;
    if column.iter().all(whole) {
        return Values::Int(column.into_iter().map(|x| x as i64).collect());
    }
    Values::Float(column)
}

/// Reads each column as an array. A column without a name is named after the file if it is the only
/// one, else `column_1`, `column_2`, ...
///
/// # Errors
/// Returns a [`Flaw`] if a word is not a number, if the rows differ in length or from the number of
/// column names, or if the file has no rows of numbers.
pub(crate) fn read_data(path: &Path, bytes: &[u8]) -> Result<Vec<DataArray>, Flaw> {
    let table = table(bytes)?;
    let n = table.columns.len();
    let stem = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = stem.split('.').next().unwrap_or_default();
    let mut arrays: Vec<DataArray> = Vec::new();
    for (k, column) in table.columns.into_iter().enumerate() {
        let base = match table.names.get(k) {
            Some(name) if !name.is_empty() => name.clone(),
            _ if n == 1 && !stem.is_empty() => stem.to_string(),
            _ => format!("column_{}", k + 1),
        };
        let taken = arrays.iter().any(|array| array.name == base);
        let name = if taken { format!("{base}_{}", k + 1) } else { base };
        arrays.push(DataArray { name, components: 1, values: values(column) });
    }
    Ok(arrays)
}

/// Reads points: x, y and z, optionally followed by other columns. If there are exactly three other
/// columns and they have no names, they are a normal, which becomes the arrays `nx`, `ny` and `nz`.
/// Otherwise, each column becomes an array, as in [`read_data`].
///
/// # Errors
/// Returns the errors of [`read_data`], and a [`Flaw`] if there are fewer than three columns or a
/// coordinate is not finite.
pub(crate) fn read_points(bytes: &[u8]) -> Result<MeshFile, Flaw> {
    let table = table(bytes)?;
    let n = table.columns[0].len() as u64;
    let wrong = table.count.filter(|count| *count != n);
    let mut file = points(table, "text", "ascii")?;
    // The reader of point clouds gives the same warning.
    let warning =
        wrong.map(|count| format!("the first line declares {count} points, but {n} follow"));
    file.warnings.extend(warning);
    Ok(file)
}

/// Returns the points of a `.npy` array of shape `[n, 3]` or wider, by the rules of `read_points`.
/// Returns `None` for other arrays and for volumes.
///
/// # Errors
/// Returns an error if a coordinate is not finite.
pub fn points_of_array(path: &Path, file: &VolumeFile) -> Result<Option<MeshFile>> {
    array_points(file).map_err(|flaw| flaw.in_file(path))
}

/// Implements [`points_of_array`] without adding the file name to errors.
pub(super) fn array_points(file: &VolumeFile) -> Result<Option<MeshFile>, Flaw> {
    let [n, width, 1] = file.volume.shape() else { return Ok(None) };
    if file.format != "npy" || !(3..=MOST).contains(&width) {
        return Ok(None);
    }
    let column = |k: usize| (0..n).map(|i| file.volume.value(i, k, 0)).collect();
    let table = Table { columns: (0..width).map(column).collect(), ..Table::default() };
    points(table, "npy", &file.version).map(Some)
}

/// Builds points from the columns of a file with this format and version.
fn points(table: Table, format: &'static str, version: &str) -> Result<MeshFile, Flaw> {
    let Table { names, mut columns, .. } = table;
    let others = columns.split_off(columns.len().min(3));
    let [x, y, z] = columns.as_slice() else {
        let what = format!("{} columns, at least three are needed for points", columns.len());
        return Err(Flaw::whole(
            what,
            "give x, y and z in every row, and write decimals with a point",
        ));
    };
    index_limit(x.len() as u64, "points")?;
    let mut vertices = Vec::with_capacity(x.len());
    for (i, ((&x, &y), &z)) in x.iter().zip(y).zip(z).enumerate() {
        vertices.push(super::bytes::finite(i, [x, y, z])?);
    }
    let mut file = mesh_file(vertices, Vec::new(), format, version, Default::default())?;
    let normals = others.len() == 3 && names.is_empty();
    let name = |k: usize| match names.get(k + 3) {
        Some(name) if !name.is_empty() => name.clone(),
        _ if normals => ["nx", "ny", "nz"][k].to_string(),
        _ => format!("column_{}", k + 4),
    };
    let arrays = others.into_iter().enumerate().map(|(k, column)| {
        let values = if normals { Values::Float(column) } else { values(column) };
        DataArray { name: name(k), components: 1, values }
    });
    file.mesh.vertex_data = arrays.collect();
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(name: &str, text: &str) -> Result<Vec<DataArray>, Flaw> {
        read_data(Path::new(name), text.as_bytes())
    }

    #[test]
    fn columns_with_and_without_names() {
        let arrays = data("act.1.dat", "# ms\n0.5\n 1\r\n-2e1\n").unwrap();
        assert_eq!((arrays[0].name.as_str(), arrays.len()), ("act", 1));
        assert_eq!(arrays[0].values, Values::Float(vec![0.5, 1.0, -20.0]));
        let arrays = data("a.csv", "\"time\"; label;x\n0.5;3;nan\n1.5; -4; 2\n").unwrap();
        let names: Vec<_> = arrays.iter().map(|a| a.name.as_str()).collect();
        assert_eq!(names, ["time", "label", "x"]);
        assert_eq!(arrays[1].values, Values::Int(vec![3, -4]));
        assert!(arrays[2].values.to_f64()[0].is_nan());
        let arrays = data("a.txt", "1 2\n3 4\n").unwrap();
        assert_eq!(arrays[1].name, "column_2");
        for (text, found) in [
            ("1 2\n3\n", "line 2: a number expected in column 2, found the end of the line"),
            ("1 2\n3 4 5\n", "line 2: expected 2 numbers, then found \"5\""),
            ("1 2\n3 x\n", "line 2: a number expected in column 2, found \"x\""),
            ("a b c\n1 2\n", "line 2: 2 columns, expected 3"),
            ("a b\nc d\n", "line 2: a number expected in column 1, found \"c\""),
            ("# only a remark\n", "holds no numbers"),
        ] {
            let error = data("a.txt", text).unwrap_err().to_string();
            assert!(error.contains(found), "{text:?}: {error}");
        }
    }

    #[test]
    fn points_with_normals() {
        let read = |text: &str| read_points(text.as_bytes());
        let file = read("0 0 0 0 0 1\n1 2 3 1 0 0\n").unwrap();
        assert_eq!((file.mesh.n_cells(), file.mesh.vertices[1]), (0, [1.0, 2.0, 3.0]));
        assert_eq!(file.mesh.vertex_array("nz").unwrap().values, Values::Float(vec![1.0, 0.0]));
        let file = read("0 0 0 7\n").unwrap();
        assert_eq!(file.mesh.vertex_data[0].name, "column_4");
        assert!(read("0 0\n").unwrap_err().to_string().contains("at least three are needed"));
        assert!(
            read("0 0 inf\n").unwrap_err().to_string().contains("vertex 0: coordinate z is inf")
        );
    }
}
