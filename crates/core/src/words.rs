//! Wording of messages: suggestions for misspelled words, singular and plural, and short numbers.

use std::fmt::Display;

/// The singular and plural names of simplices, by dimension.
pub const SIMPLICES: [[&str; 2]; 4] = [
    ["point", "points"],
    ["edge", "edges"],
    ["triangle", "triangles"],
    ["tetrahedron", "tetrahedra"],
];

/// Returns a number with the matching noun, such as "1 leaf" or "2 leaves".
pub fn counted(n: impl PartialEq + From<bool> + Display, words: [&str; 2]) -> String {
    let number = n.to_string();
    format!("{number} {}", noun(n, words))
}

/// Returns the singular for one and the plural for any other number.
pub fn noun<N: PartialEq + From<bool>>(n: N, [one, many]: [&str; 2]) -> &str {
    if n == N::from(true) { one } else { many }
}

/// Returns "did you mean ...? allowed: ...", only the list if no allowed word is similar, or "none
/// are available" if no word is allowed.
pub fn suggest(found: &str, allowed: &[&str]) -> String {
    let list = match allowed {
        [] => return "none are available".into(),
        [only] => format!("allowed: {only}"),
        _ => format!("allowed: {}", allowed.join(", ")),
    };
    match nearest(found, allowed.iter().copied()) {
        Some(near) => format!("did you mean `{near}`? {list}"),
        None => list,
    }
}

/// Words that are often confused although their letters differ: the word found and the one meant.
const SYNONYMS: [[&str; 2]; 2] = [["file", "path"], ["filename", "path"]];

/// Returns the word most similar to `found`, if any is similar enough: it differs by few letters
/// (by one, or by less than half of those of `found`), it is a synonym, or `found` has at least
/// three bytes and one of the two words begins with the other.
pub fn nearest<'a>(found: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Names in files may be so long that comparing them takes too much time.
    let comparable = |word: &str| word.len() <= 200;
    if !comparable(found) {
        return None;
    }
    let found = found.to_lowercase();
    let n = found.chars().count();
    words
        .into_iter()
        .filter(|word| comparable(word))
        .map(|word| {
            let begins = found.len() >= 3 && (word.starts_with(&found) || found.starts_with(word));
            let slips = match begins || SYNONYMS.contains(&[&found, word]) {
                true => 1,
                false => strsim::osa_distance(&found, &word.to_lowercase()),
            };
            (slips, word)
        })
        .filter(|(slips, _)| *slips <= 1 || *slips <= 1 + n / 4 && 2 * slips < n)
        .min_by_key(|(slips, _)| *slips)
        .map(|(_, word)| word)
}

/// Formats a number with four significant digits, or with all digits before the decimal point if
/// there are more, without trailing zeros. Numbers of at least 1e6 and nonzero numbers below 1e-4,
/// in absolute value, get an exponent.
pub fn short(x: f64) -> String {
    // Adding zero turns -0 into 0.
    let x = x + 0.0;
    // The exponent is taken after rounding to four digits, so that 9999.96 becomes 10000.
    let scientific = format!("{x:.3e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    match exponent.parse::<i32>() {
        Ok(power @ -4..=5) => trimmed(&format!("{x:.*}", (3 - power).max(0) as usize)),
        _ => format!("{}e{exponent}", trimmed(digits)),
    }
}

/// Formats a range as "low .. high", with enough digits to show the difference, such as "3812734.22
/// .. 3812741.9".
pub fn between(low: f64, high: f64) -> String {
    let size = low.abs().max(high.abs());
    let more = (size / (high - low)).log10().floor();
    if !(more >= 1.0 && size.is_finite()) || size > 1e15 {
        return format!("{} .. {}", short(low), short(high));
    }
    // Both ends have the same number of decimal places.
    let places = (3.0 + more.min(12.0) - size.log10().floor()).max(0.0) as usize;
    if places > 17 {
        return format!("{} .. {}", short(low), short(high));
    }
    let [low, high] = [low, high].map(|x| trimmed(&format!("{:.places$}", x + 0.0)));
    format!("{low} .. {high}")
}

/// Removes trailing zeros after the decimal point.
fn trimmed(text: &str) -> String {
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let shorts = [
            (0.0, "0"),
            (-0.0, "0"),
            (-1.0, "-1"),
            (0.75, "0.75"),
            (std::f64::consts::PI, "3.142"),
            (9999.96, "10000"),
            (123456.7, "123457"),
            (1.5e9, "1.5e9"),
            (0.000123456, "0.0001235"),
            (1.908e-5, "1.908e-5"),
            (f64::NAN, "NaN"),
        ];
        for (x, text) in shorts {
            assert_eq!(short(x), text);
        }
    }

    #[test]
    fn similar_words_and_synonyms_are_suggested() {
        assert_eq!(nearest("file", ["time", "path"]), Some("path"));
        assert_eq!(nearest("file", ["time", "size"]), None);
        assert_eq!(nearest("dt", ["dx"]), Some("dx"));
        assert_eq!(nearest("vlume", ["volume"]), Some("volume"));
    }

    #[test]
    fn far_from_zero_the_digits_between_show() {
        for (low, high, text) in [
            (0.0, 1.0, "0 .. 1"),
            (-2.0, 1.0 / 3.0, "-2 .. 0.3333"),
            (3_812_734.218, 3_812_741.9, "3812734.22 .. 3812741.9"),
            (500_000.0, 500_100.5, "500000 .. 500100.5"),
            (-5e6, -5e6 + 1e-3, "-5000000 .. -4999999.999"),
            (7.0, 7.0, "7 .. 7"),
            (0.0, 0.0, "0 .. 0"),
            (1e-9, 1.001e-9, "0.000000001 .. 0.000000001001"),
            (1e-20, 1.009e-20, "1e-20 .. 1.009e-20"),
            (-1e300, 1e300, "-1e300 .. 1e300"),
            (1e300, 1e300, "1e300 .. 1e300"),
        ] {
            assert_eq!(between(low, high), text);
        }
    }
}
