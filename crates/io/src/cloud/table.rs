//! Parallel reading of points in rows of text.

use super::gather::Gather;
use super::stream::Stream;
use crate::columns::{cells, no_number};
use crate::text::{real, show};
use zeroset_core::error::{Flaw, Position, Result};
use zeroset_core::parallel::*;

/// The number of bytes of text that are read at a time.
const BLOCK: usize = 16 << 20;
/// The number of bytes of text per task.
const TASK: usize = 256 << 10;
/// The number of bytes by which a block is extended if no line ends in it. It is an error if no
/// line ends in the extended block either.
const LINE: usize = 1 << 20;

/// The columns that hold the colors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Paint {
    /// One column each for red, green and blue.
    Three([usize; 3]),
    /// One column with a 32-bit integer. Its lowest eight bits are blue, the next eight are green,
    /// and the next eight are red.
    Packed(usize),
    /// A packed color whose 32 bits are printed as a floating-point number.
    PackedReal(usize),
}

/// The interpretation of the columns.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Roles {
    /// The number of columns in each row.
    pub(super) columns: usize,
    pub(super) position: [usize; 3],
    pub(super) normal: Option<[usize; 3]>,
    pub(super) color: Option<Paint>,
    /// The columns of the attributes that are read.
    pub(super) attributes: Vec<usize>,
    /// Whether rows of a single number are skipped as counts of the rows that follow.
    pub(super) counts: bool,
}

/// The rows of a piece of text, and the error that stopped reading, if any.
struct Piece {
    gather: Gather,
    lines: usize,
    /// Line within the piece, problem and remedy.
    flaw: Option<(usize, String, &'static str)>,
}

/// Reads `n` rows, or all rows to the end of the file if `n` is `None`. `line` is the number of
/// lines before them.
///
/// # Errors
/// Returns a [`Flaw`] that names the line if a word is not a number, if a row has a different
/// number of columns, if a line is too long, or if the file ends before `n` rows.
pub(super) fn read(
    stream: &mut Stream,
    roles: &Roles,
    n: Option<u64>,
    mut line: usize,
    into: &mut Gather,
) -> Result<(), Flaw> {
    let before = into.stored;
    let left = |into: &Gather| n.map_or(u64::MAX, |n| n - (into.stored - before));
    while left(into) > 0 {
        let mut wanted = BLOCK;
        let block = loop {
            let found = stream.fill(wanted)?;
            // A block ends after a complete line, except at the end of the file.
            let end = if found.len() < wanted { found.len() } else { last_end(found) };
            match end {
                0 if found.len() >= wanted && wanted < BLOCK + LINE => wanted = BLOCK + LINE,
                0 if !found.is_empty() => {
                    let what = format!("the line has more than {} bytes", BLOCK + LINE);
                    return Err(Flaw::at(
                        Position::Line(line + 1),
                        what,
                        "split it into rows of numbers",
                    ));
                }
                end => break stream.fill(wanted)?.get(..end).unwrap_or_default(),
            }
        };
        if block.is_empty() {
            let Some(n) = n else { return Ok(()) };
            let found = into.stored - before;
            let what = format!("{n} points declared, but the file ends after {found}");
            let remedy = "the count is wrong or the file is truncated";
            return Err(Flaw::at(Position::Line(line.max(1)), what, remedy));
        }
        let length = block.len();
        let texts = pieces(block);
        let kind = into.alike(0);
        let parsed: Vec<Piece> =
            texts.par_iter().map(|text| rows(text, roles, u64::MAX, &kind)).collect();
        for (text, piece) in texts.iter().zip(parsed) {
            let most = left(into);
            // Text after the last declared row must not cause errors, so the piece is read again
            // without it.
            let cut = piece.gather.stored >= most;
            let piece = if cut { rows(text, roles, most, &kind) } else { piece };
            if let Some((at, what, remedy)) = piece.flaw {
                return Err(Flaw::at(Position::Line(line + at), what, remedy));
            }
            line += piece.lines;
            into.append(piece.gather);
            if cut {
                break;
            }
        }
        stream.take(length);
    }
    Ok(())
}

fn is_end(b: &u8) -> bool {
    matches!(b, b'\n' | b'\r')
}

/// Returns the byte offset of the end of the last complete line, or 0 if there is none.
fn last_end(text: &[u8]) -> usize {
    text.iter().rposition(is_end).map_or(0, |k| k + 1)
}

/// Splits text into pieces of about `TASK` bytes. Each piece ends after a complete line, except
/// possibly the last.
fn pieces(mut text: &[u8]) -> Vec<&[u8]> {
    let mut found = Vec::new();
    while !text.is_empty() {
        let behind = text.get(TASK..).unwrap_or_default();
        // A line feed is preferred, because a carriage return before it belongs to the same line
        // ending.
        let end =
            behind.iter().position(|&b| b == b'\n').or_else(|| behind.iter().position(is_end));
        let (piece, rest) = text.split_at(end.map_or(text.len(), |k| TASK + k + 1));
        found.push(piece);
        text = rest;
    }
    found
}

/// Returns the lines of text. They end with LF or CR LF, or with CR if the text has no LF.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let end = if text.contains(&b'\n') { b'\n' } else { b'\r' };
    text.split(move |&b| b == end)
}

/// Returns true if a line is empty or a comment.
pub(super) fn is_comment(line: &[u8]) -> bool {
    line.is_empty() || line.starts_with(b"#") || line.starts_with(b"//")
}

/// Reads the rows of a piece, at most `most` of them.
fn rows(text: &[u8], roles: &Roles, most: u64, kind: &Gather) -> Piece {
    let mut gather = kind.alike(text.len() / (roles.columns * 10).max(1) + 1);
    let mut values = vec![0.0; roles.columns];
    let mut n_lines = 0;
    for line in lines(text) {
        n_lines += 1;
        let line = line.trim_ascii();
        if is_comment(line) {
            continue;
        }
        if gather.stored == most {
            break;
        }
        match row(line, roles, &mut values) {
            Ok(true) => {}
            Ok(false) => continue,
            Err((what, remedy)) => {
                return Piece { gather, lines: n_lines, flaw: Some((n_lines, what, remedy)) };
            }
        }
        let of = |columns: [usize; 3]| columns.map(|k| values[k]);
        let normal = || roles.normal.map_or([0.0; 3], of);
        let unpack = |bits: u32| {
            let [b, g, r, _] = bits.to_le_bytes();
            [r, g, b].map(f64::from)
        };
        let color = || match roles.color {
            None => [0.0; 3],
            Some(Paint::Three(columns)) => of(columns),
            Some(Paint::Packed(k)) => unpack(values[k] as i64 as u32),
            Some(Paint::PackedReal(k)) => unpack((values[k] as f32).to_bits()),
        };
        let attribute = |k: usize| values[roles.attributes[k]];
        gather.push(of(roles.position), normal, color, attribute);
    }
    // A line ending at the end of the text does not begin another line.
    let whole = text.last().is_some_and(is_end);
    Piece { gather, lines: n_lines - usize::from(whole && n_lines > 0), flaw: None }
}

/// Reads a row into `values`. Returns false if the row is a count, which is to be skipped.
fn row(line: &[u8], roles: &Roles, values: &mut [f64]) -> Result<bool, (String, &'static str)> {
    const SAME: &str = "give every row the same number of values";
    let mut words = cells(line);
    for (k, to) in values.iter_mut().enumerate() {
        let word = words.next();
        match word.and_then(real) {
            Some(value) => *to = value,
            None if k == 1 && word.is_none() && roles.counts => return Ok(false),
            None => return Err(no_number(k, word)),
        }
    }
    match words.find(|word| !word.is_empty()) {
        None => Ok(true),
        Some(word) => {
            Err((format!("expected {} numbers, then found {}", values.len(), show(word)), SAME))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::budget::Budget;

    const PLACES: Roles = Roles {
        columns: 3,
        position: [0, 1, 2],
        normal: None,
        color: None,
        attributes: Vec::new(),
        counts: false,
    };

    fn points(text: &str, n: Option<u64>) -> Result<Vec<[f64; 3]>, Flaw> {
        let mut stream = Stream::of(Path::new("x"), text.as_bytes(), Budget::of(0));
        let mut all = Gather::new(false, None, 0);
        read(&mut stream, &PLACES, n, 0, &mut all)?;
        Ok(all.points().to_vec())
    }

    #[test]
    fn rows_of_any_spelling_are_read_and_flaws_have_their_line() {
        for text in ["1 2 3\n\n# a\n4,5 ,6\n", "1 2 3\r\n4;5;6", "1 2 3\r// b\r4\t5 6\r"] {
            assert_eq!(points(text, None).unwrap(), [[1., 2., 3.], [4., 5., 6.]], "{text:?}");
        }
        assert_eq!(points("1 2 3\n3 0 1 2\n", Some(1)).unwrap().len(), 1);
        let long: String = (0..100_000).map(|k| format!("{k} 0.25 -1e-3\n")).collect();
        let found = points(&long, None).unwrap();
        assert!(found.len() == 100_000 && found.iter().enumerate().all(|(k, x)| x[0] == k as f64));
        for (text, found) in [
            (format!("{long}1 2\n"), "line 100001: a number expected in column 3, found the end"),
            (format!("{long}\n1 2 x\n"), "line 100002: a number expected in column 3, found \"x\""),
            ("1 2 3 4\n".into(), "line 1: expected 3 numbers, then found \"4\""),
            ("1,,3\n".into(), "line 1: a number expected in column 2, found nothing"),
        ] {
            let error = points(&text, None).unwrap_err().to_string();
            assert!(error.contains(found), "{error}");
        }
        let error = points("1 2 3\n", Some(2)).unwrap_err().to_string();
        assert!(error.contains("2 points declared, but the file ends after 1"), "{error}");
    }

    #[test]
    fn threads_change_nothing() {
        let text: String = (0..60_000).map(|k| format!("{k} {} 0\n", k % 7)).collect();
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| points(&text, Some(59_999)).unwrap())
        };
        assert!(on(1) == on(5) && on(1).len() == 59_999);
    }
}
