//! Messages of bounded length. Names in files and on the command line may have any length.

use std::borrow::Cow;

/// The largest number of characters between two blanks.
const WORD: usize = 500;
/// The largest number of characters in a line.
const LINE: usize = 4000;

/// Returns text in which long words and lines are replaced by their beginning and end. The result
/// has at most 500 characters between two blanks, and at most 4000 per line.
pub(super) fn shortened(text: &str) -> Cow<'_, str> {
    // Most text has only short lines, and needs no copy.
    let is_short = |line: &str| line.len() <= WORD;
    if text.lines().all(is_short) {
        return Cow::Borrowed(text);
    }
    let lines = with_short_words(text);
    Cow::Owned(lines.split_inclusive('\n').map(|line| cut(line, LINE)).collect())
}

/// Returns text in which long words are replaced by their beginning and end, for descriptions whose
/// lines may be long.
pub(super) fn with_short_words(text: &str) -> String {
    text.split_inclusive(char::is_whitespace).map(|word| cut(word, WORD)).collect()
}

/// Replaces the middle of a string with dots if the string has more than `most` characters.
/// Trailing white space does not count and is kept.
fn cut(text: &str, most: usize) -> Cow<'_, str> {
    const DOTS: &str = "...";
    let body = text.trim_end();
    if body.len() <= most || body.chars().count() <= most {
        return Cow::Borrowed(text);
    }
    let half = (most - DOTS.len()) / 2;
    let at = |mut indices: Box<dyn Iterator<Item = (usize, char)> + '_>, n: usize| {
        indices.nth(n).map_or(body.len(), |(at, _)| at)
    };
    let head = at(Box::new(body.char_indices()), half);
    let tail = at(Box::new(body.char_indices().rev()), half - 1);
    Cow::Owned(format!("{}{DOTS}{}{}", &body[..head], &body[tail..], &text[body.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_keep_their_beginning_and_end() {
        assert_eq!(shortened("error: a.ply: no such file\n"), "error: a.ply: no such file\n");
        for letter in ["a", "\u{e4}", "\u{1d11e}"] {
            let name = format!("begin{}.ply", letter.repeat(1_000_000));
            let text = format!("error: {name}: no such file\n{name}\n");
            let short = shortened(&text).into_owned();
            assert!(short.chars().count() < 1100, "{}", short.len());
            assert!(short.starts_with(&format!("error: begin{letter}")), "{short}");
            assert!(short.contains(&format!("{letter}.ply: no such file\nbegin")), "{short}");
            assert!(short.contains(&format!("{letter}...{letter}")) && short.ends_with(".ply\n"));
            assert_eq!(shortened(&short), short);
        }
    }

    #[test]
    fn long_lists_are_cut() {
        let text = format!("there are: {}last", "name, ".repeat(100_000));
        let short = shortened(&text);
        assert!(short.chars().count() <= LINE, "{}", short.len());
        assert!(short.starts_with("there are: name, ") && short.ends_with("name, last"));
    }
}
