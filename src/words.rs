//! Words of users against words that are known: the nearest, and lists of what is allowed.

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
