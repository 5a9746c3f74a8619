//! Warnings about files that state other units than the case.

use std::path::Path;

use crate::config::{Config, Units};
use crate::io::is_same_length;

/// Warns if a file states another unit of length or of time than the case, because values are not
/// converted. Returns the warning.
pub(super) fn differ(config: &Config, path: &Path, stated: &Units) -> Option<String> {
    let case = &config.units;
    let lengths = case.length.as_deref().zip(stated.length.as_deref());
    let times = case.time.as_deref().zip(stated.time.as_deref());
    let length = lengths.filter(|(case, file)| !is_same_length(case, file));
    let time = times.filter(|(case, file)| case != file);
    let of = |what: &str, pair: Option<(&str, &str)>| {
        pair.map(|(case, file)| format!("{what} in {file}, but units.{what} is \"{case}\""))
    };
    let found: Vec<String> =
        [of("length", length), of("time", time)].into_iter().flatten().collect();
    if found.is_empty() {
        return None;
    }
    let warning = format!(
        "{}: the file states its {}; values are not converted",
        path.display(),
        found.join(" and its ")
    );
    tracing::warn!("{warning}");
    Some(warning)
}
