//! A case file with mistakes, read as far as possible.

use super::{Config, Domain};
use crate::error::Error;
use crate::patches::PATCH_SIZE;

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

    /// Returns the case with which the domain can be read although other keys have problems, or
    /// `None` if a problem concerns the domain itself or the files with its arrays.
    pub(crate) fn with_readable_domain(&self) -> Option<Config> {
        let mut config = self.config.clone()?;
        // These keys decide which arrays and groups there are.
        let of_arrays = ["domain.mesh.data", "domain.mesh.time", "domain.mesh.skip_unsupported"];
        let is_of_arrays = |key: &String| of_arrays.iter().any(|k| key.starts_with(k));
        let is_mesh = matches!(config.domain, Domain::Mesh(_));
        if self.unread.iter().any(|key| is_of_arrays(key) || !is_mesh && key.starts_with("domain"))
        {
            return None;
        }
        for flaw in super::check::flaws(&config) {
            match (&*flaw.key, &mut config.domain) {
                // The names of arrays and groups do not depend on these keys.
                ("domain.mesh.refine", Domain::Mesh(mesh)) => mesh.refine = 0,
                ("domain.mesh.patch_size", Domain::Mesh(mesh)) => mesh.patch_size = PATCH_SIZE,
                ("domain.mesh.weld" | "domain.mesh.repair", _) => {}
                ("device.threads", _) => config.device.threads = 0,
                (key, _) if key == "domain" || key.starts_with("domain.") => return None,
                _ => {}
            }
        }
        Some(config)
    }
}
