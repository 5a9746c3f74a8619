//! Splitting of long text into pieces of lines that threads read in parallel.

use super::Lines;
use zeroset_core::parallel::*;

/// The number of bytes after which a piece ends at the next line ending.
const PIECE: usize = 256 << 10;
/// The number of pieces whose lines are counted at a time.
const BATCH: usize = 64;
/// The size of the smallest text that is worth splitting, in bytes.
const LONG: usize = 4 * PIECE;

/// A run of consecutive lines.
pub(crate) struct Piece<'a> {
    /// The number of nonblank lines before the piece, counted from the beginning of the first
    /// piece.
    pub(crate) first: usize,
    /// The number of nonblank lines in the piece.
    pub(crate) rows: usize,
    /// A reader at the beginning of the piece.
    pub(crate) lines: Lines<'a>,
}

impl<'a> Lines<'a> {
    /// Splits the next `n` nonblank lines into pieces, and also returns the lines that follow them.
    /// Each line keeps its number. Returns `None` if there are fewer lines or if the text is too
    /// short to be worth splitting.
    pub(crate) fn pieces(&self, n: usize) -> Option<(Vec<Piece<'a>>, Lines<'a>)> {
        if self.remaining() < LONG {
            return None;
        }
        let (mut pieces, mut first, mut number, mut at) = (Vec::new(), 0, self.number, self.at);
        loop {
            let ends = self.ends(at)?;
            at = *ends.last()?;
            let counted: Vec<(Lines, usize, usize)> =
                ends.par_windows(2).map(|ends| self.counted(ends[0], ends[1])).collect();
            for (mut lines, rows, n_lines) in counted {
                lines.number = number;
                number += n_lines;
                if first + rows < n {
                    pieces.push(Piece { first, rows, lines });
                    first += rows;
                    continue;
                }
                let mut rest = lines.clone();
                (first..n).for_each(|_| _ = rest.next_row());
                pieces.push(Piece { first, rows: n - first, lines });
                return Some((pieces, Lines { bytes: self.bytes, ..rest }));
            }
        }
    }

    /// Returns the beginnings of the next pieces and the end of the last one, or `None` at the end
    /// of the text.
    fn ends(&self, begin: usize) -> Option<Vec<usize>> {
        let mut ends = vec![begin];
        while let Some(at) = ends.last().copied().filter(|at| *at < self.bytes.len())
            && ends.len() <= BATCH
        {
            let rest = self.bytes.get(at + PIECE..).unwrap_or_default();
            let end = rest.iter().position(|&b| b == self.end);
            ends.push(end.map_or(self.bytes.len(), |end| at + PIECE + end + 1));
        }
        (ends.len() > 1).then_some(ends)
    }

    /// Returns a piece, the number of its nonblank lines and the number of all its lines.
    fn counted(&self, begin: usize, end: usize) -> (Lines<'a>, usize, usize) {
        let bytes = self.bytes.get(..end).unwrap_or(self.bytes);
        let piece = Lines { bytes, at: begin, number: 0, ..self.clone() };
        let text = bytes.get(begin..).unwrap_or_default();
        if self.comment.is_none() && all_have_words(text, self.end) {
            let n = text.iter().filter(|&&b| b == self.end).count();
            let n = n + usize::from(text.last().is_some_and(|&b| b != self.end));
            return (piece, n, n);
        }
        let (mut lines, mut rows) = (piece.clone(), 0);
        while lines.next_row().is_some() {
            rows += 1;
        }
        (piece, rows, lines.number)
    }
}

/// Returns true if no line is empty or begins with white space. This test is fast because it
/// compares neighboring bytes and does not search for line endings.
fn all_have_words(text: &[u8], end: u8) -> bool {
    let is_blank = |b: &u8| *b <= b' ';
    let next = text.get(1..).unwrap_or_default();
    let begins = text.iter().zip(next);
    !text.first().is_some_and(is_blank)
        && begins.filter(|(before, b)| **before == end && is_blank(b)).count() == 0
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn pieces_have_the_lines_and_numbers_of_the_whole() {
        for end in ["\n", "\r\n", "\r"] {
            // Empty lines and lines that begin with a blank occur everywhere, in a few pieces, or
            // only at the beginning.
            for odd in [5, 70_000, usize::MAX] {
                let line = |k: usize| {
                    let blank = if k % odd == 1 { " " } else { "" };
                    format!("{blank}{k} {}{}", k * k, if k % odd == 2 { end } else { "" })
                };
                let text: Vec<String> = (0..150_000).map(line).collect();
                let text = text.join(end);
                let mut all = Lines::new(text.as_bytes());
                all.next_line();
                for n in [1, 20_000, 149_998, 149_999] {
                    let (pieces, mut rest) = all.pieces(n).unwrap();
                    let mut serial = all.clone();
                    let mut first = 0;
                    for piece in pieces {
                        assert_eq!(piece.first, first);
                        let mut lines = piece.lines;
                        for _ in 0..piece.rows {
                            let (a, b) = (lines.next_row().unwrap(), serial.next_row().unwrap());
                            assert_eq!((a.number, a.rest), (b.number, b.rest));
                        }
                        first += piece.rows;
                    }
                    assert_eq!(first, n);
                    let of = |row: Option<super::super::Row>| {
                        row.map(|row| (row.number, row.rest.to_vec()))
                    };
                    assert_eq!(of(rest.next_row()), of(serial.next_row()));
                }
                assert!(all.pieces(150_000).is_none() && all.pieces(usize::MAX).is_none());
            }
            assert!(Lines::new(b"1 2\n3 4\n").pieces(1).is_none());
        }
    }
}
