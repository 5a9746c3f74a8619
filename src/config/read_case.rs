//! A case file with mistakes, read as far as possible.

use super::Config;
use crate::error::Error;

/// A case as far as it can be read, and its problems.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct ReadCase {
    /// The case. Entries that cannot be read are missing, or replaced by other values. `None` if
    /// too little can be read.
    pub config: Option<Config>,
    /// All problems of the file, its keys and their values. The first is the error of
    /// [`Config::load`].
    pub problems: Vec<Error>,
    /// Dotted paths of the keys that the problems concern.
    pub(super) unread: Vec<String>,
}

impl From<&Config> for ReadCase {
    /// Checks a case that has been read.
    fn from(config: &Config) -> Self {
        let flaws = super::check::flaws(config);
        let unread = flaws.iter().map(|flaw| flaw.key.clone()).collect();
        let problems = flaws.into_iter().filter_map(|flaw| config.refuse(Some(flaw)).err());
        ReadCase { problems: problems.collect(), unread, config: Some(config.clone()) }
    }
}

impl ReadCase {
    pub(super) fn failed(problems: Vec<Error>) -> Self {
        ReadCase { problems, ..ReadCase::default() }
    }

    /// Returns true if a problem with `key` may be a consequence of a known problem with the key
    /// itself, a part of it, or a table that contains it. If a top-level table could not be read,
    /// a problem with any top-level table may be a consequence, because tables may refer to each
    /// other.
    pub(crate) fn explains(&self, key: &str) -> bool {
        let is_part = |inner: &str, outer: &str| {
            outer.is_empty()
                || inner
                    .strip_prefix(outer)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let are_tables = |a: &str, b: &str| !a.contains('.') && !b.contains('.');
        let explains = |unread: &String| {
            is_part(unread, key) || is_part(key, unread) || are_tables(unread, key)
        };
        self.unread.iter().any(explains)
    }

    /// Returns true if the keys of the mesh and the device are valid, so that the mesh can be read.
    pub(crate) fn can_read_mesh(&self) -> bool {
        let tables = ["domain", "device", "precision", "defaults"];
        let concerns_mesh = |key: &String| {
            key.is_empty() || tables.iter().any(|table| key.split('.').next() == Some(table))
        };
        self.config.is_some() && !self.unread.iter().any(concerns_mesh)
    }
}
