//! Generation of unique names.

use std::collections::{HashMap, HashSet};

/// Generates names that are unique within their kind. A number is appended to a name that is taken,
/// as in `name_2`.
#[derive(Default)]
pub(super) struct UnusedNames {
    taken: HashSet<(&'static str, String)>,
    /// The last number given to each name, so that frequent names need no search.
    last: HashMap<(&'static str, String), usize>,
}

impl UnusedNames {
    /// Returns true if the name is taken by something of this `kind`.
    pub(super) fn has(&self, kind: &'static str, name: &str) -> bool {
        self.taken.contains(&(kind, name.to_string()))
    }

    /// Returns `wanted`, or a name derived from it that nothing of this `kind` has yet.
    pub(super) fn of(&mut self, kind: &'static str, wanted: &str) -> String {
        let mut name = wanted.to_string();
        while !self.taken.insert((kind, name.clone())) {
            let last = self.last.entry((kind, wanted.to_string())).or_insert(1);
            *last += 1;
            name = format!("{wanted}_{last}");
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_comes_twice() {
        let mut names = UnusedNames::default();
        let found: Vec<String> =
            ["a", "a_2", "a", "a", "b"].iter().map(|name| names.of("x", name)).collect();
        assert_eq!(found, ["a", "a_2", "a_3", "a_4", "b"]);
        assert_eq!(names.of("y", "a"), "a");
    }
}
