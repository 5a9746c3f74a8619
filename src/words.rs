//! Words of users against words that are known: the nearest, and lists of what is allowed; and the
//! words for one thing and for many.

use std::fmt::Display;

/// Words for simplices, by dimension.
pub(crate) const SIMPLICES: [[&str; 2]; 4] = [
    ["point", "points"],
    ["edge", "edges"],
    ["triangle", "triangles"],
    ["tetrahedron", "tetrahedra"],
];

/// So many of what has a word for one and a word for many: "1 leaf", "2 leaves".
pub(crate) fn counted(n: impl PartialEq + From<bool> + Display, words: [&str; 2]) -> String {
    let number = n.to_string();
    format!("{number} {}", noun(n, words))
}

/// The word for one or for many.
pub(crate) fn noun<N: PartialEq + From<bool>>(n: N, [one, many]: [&str; 2]) -> &str {
    if n == N::from(true) { one } else { many }
}

/// "did you mean ..., allowed: ...".
pub(crate) fn suggest(found: &str, allowed: &[&str]) -> String {
    let list = match allowed {
        [] => return "there is none to choose from".into(),
        [only] => format!("allowed: {only}"),
        _ => format!("allowed: {}", allowed.join(", ")),
    };
    match nearest(found, allowed.iter().copied()) {
        Some(near) => format!("did you mean `{near}`? {list}"),
        None => list,
    }
}

/// The word most like `found`, if one is alike at all: few slips away, or the one's beginning.
pub(crate) fn nearest<'a>(
    found: &str,
    words: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let found = found.to_lowercase();
    words
        .into_iter()
        .map(|word| {
            let begins = found.len() >= 3 && (word.starts_with(&found) || found.starts_with(word));
            (if begins { 1 } else { strsim::osa_distance(&found, &word.to_lowercase()) }, word)
        })
        .filter(|(slips, _)| *slips <= 1 + found.chars().count() / 4)
        .min_by_key(|(slips, _)| *slips)
        .map(|(_, word)| word)
}
