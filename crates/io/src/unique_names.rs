//! Names that are used once only.

use std::collections::{HashMap, HashSet};

/// Gives names that were not given before; where a name was, it gets a number: `name_2`.
#[derive(Default)]
pub(super) struct UnusedNames {
    taken: HashSet<(&'static str, String)>,
    /// The last number of each name, so that a name met often is not counted through each time.
    last: HashMap<(&'static str, String), usize>,
}

impl UnusedNames {
    /// Whether something of this `kind` has the name.
    pub(super) fn has(&self, kind: &'static str, name: &str) -> bool {
        self.taken.contains(&(kind, name.to_string()))
    }

    /// `wanted`, or a name made from it, that nothing of this `kind` has yet.
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
