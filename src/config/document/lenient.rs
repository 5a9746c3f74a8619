//! Reads a document with mistakes: each mistake is noted, and its entry is left out or replaced, so
//! that further mistakes are found.

use std::borrow::Cow;

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Deserializer};

use super::Document;
use crate::error::Error;
use crate::expression::{Expression, Flaw};

/// The text that replaces an expression with mistakes. It is not constant, so it causes no
/// complaint about a coefficient that is zero.
const REPLACEMENT: &str = "x";

/// The largest number of mistakes that are noted.
const MOST: usize = 100;

/// The beginning of the message of the toml crate about a table in which exactly one entry is
/// allowed.
pub(super) const ONE_ENTRY: &str = "wanted exactly 1 element";

/// The largest number of entries of such a table that are examined one by one.
const MOST_ENTRIES: usize = 20;

/// The result of [`Document::read_leniently`].
pub(in crate::config) struct Lenient<T> {
    /// The value without the entries that cannot be read, or `None` if too much is missing.
    pub(in crate::config) value: Option<T>,
    /// The mistakes, in the order in which they were found. The first is the error of
    /// [`Document::read`].
    pub(in crate::config) problems: Vec<Error>,
    /// Dotted paths of the entries that were left out or replaced.
    pub(in crate::config) unread: Vec<String>,
}

/// One step of the path to an entry of a document.
#[derive(Clone, Debug, PartialEq)]
enum Step {
    Key(String),
    Item(usize),
}

impl<'t> Document<'t> {
    /// Deserializes the document like [`Document::read`], but leaves out what cannot be read.
    pub(in crate::config) fn read_leniently<T: Deserialize<'t>>(&mut self) -> Lenient<T> {
        let mut found = Lenient { value: None, problems: Vec::new(), unread: Vec::new() };
        while found.problems.len() < MOST && found.unread.len() < MOST {
            let error = match T::deserialize(Deserializer::from(self.root.clone())) {
                Ok(value) => {
                    found.value = Some(value);
                    break;
                }
                Err(error) => error,
            };
            if !self.note::<T>(&error, &mut found) {
                break;
            }
        }
        found
    }

    /// Notes an error and leaves out or replaces its entry. Returns false if that is not possible.
    fn note<T: Deserialize<'t>>(
        &mut self,
        error: &toml::de::Error,
        found: &mut Lenient<T>,
    ) -> bool {
        let place = error.span().map_or(0, |span| span.start);
        let mut path = entry_at(self.root.get_ref(), place).unwrap_or_default();
        let key = dotted(&path);
        // An entry may be wrong only because a part of it was left out or replaced.
        let is_part = |unread: &String| {
            key.is_empty() || *unread == key || unread.starts_with(&format!("{key}."))
        };
        if !found.unread.iter().any(is_part) {
            found.problems.push(self.explain(error));
            let is_expression = error.message().contains(Flaw::EXCERPT);
            if let Some(flaws) = is_expression.then(|| self.replace_expression(&path)).flatten() {
                let further = flaws.iter().skip(1).map(Flaw::to_string);
                let further = further.map(|what| self.error_at(place, what, String::new()));
                found.problems.extend(further);
                found.unread.push(key);
                return true;
            }
        }
        if error.message().starts_with(ONE_ENTRY) {
            let unknown = self.remove_unknown_entries::<T>(&path);
            if !unknown.is_empty() {
                found.unread.extend(unknown);
                return true;
            }
        }
        // Without one of its items, a list would mean something else.
        while matches!(path.last(), Some(Step::Item(_))) {
            path.pop();
        }
        let is_left_out = remove(self.root.get_mut(), &path);
        found.unread.push(dotted(&path));
        is_left_out
    }

    /// Removes the unknown entries of a table that may have only one entry. Returns their paths.
    /// Removes nothing if the table has many entries, or if none of them is known.
    fn remove_unknown_entries<T: Deserialize<'t>>(&mut self, path: &[Step]) -> Vec<String> {
        let Some(table) = table_mut(self.root.get_mut(), path) else { return Vec::new() };
        let keys: Vec<String> = table.keys().map(|key| key.get_ref().to_string()).collect();
        if keys.len() > MOST_ENTRIES {
            return Vec::new();
        }
        let is_unknown = |key: &&String| {
            let mut root = self.root.clone();
            if let Some(table) = table_mut(root.get_mut(), path) {
                keys.iter().filter(|other| other != key).for_each(|other| {
                    table.remove(other.as_str());
                });
            }
            let read = T::deserialize(Deserializer::from(root));
            read.is_err_and(|error| error.message().starts_with("unknown variant"))
        };
        let unknown: Vec<&String> = keys.iter().filter(is_unknown).collect();
        if unknown.len() == keys.len() {
            return Vec::new();
        }
        let paths = unknown.into_iter().map(|key| [path, &[Step::Key(key.clone())]].concat());
        let paths: Vec<Vec<Step>> = paths.collect();
        paths.iter().filter(|path| remove(self.root.get_mut(), path)).map(|p| dotted(p)).collect()
    }

    /// Replaces the expression at a path, and returns its flaws. Returns `None` if the entry is not
    /// an expression with flaws.
    fn replace_expression(&mut self, path: &[Step]) -> Option<Vec<Flaw>> {
        let value = value_mut(self.root.get_mut(), path)?;
        let flaws = Expression::flaws(value.get_ref().as_str()?);
        if flaws.is_empty() {
            return None;
        }
        *value.get_mut() = DeValue::String(Cow::Borrowed(REPLACEMENT));
        Some(flaws)
    }
}

/// Returns a path as messages write it, such as `distance.from.0`.
fn dotted(path: &[Step]) -> String {
    let words = path.iter().map(|step| match step {
        Step::Key(key) => key.clone(),
        Step::Item(k) => k.to_string(),
    });
    words.collect::<Vec<_>>().join(".")
}

/// Returns the path from `table` to the innermost entry whose key or value contains `place`.
fn entry_at(table: &DeTable<'_>, place: usize) -> Option<Vec<Step>> {
    table.iter().find_map(|(key, value)| {
        let step = Step::Key(key.get_ref().to_string());
        if key.span().contains(&place) {
            return Some(vec![step]);
        }
        value_at(value, place).map(|below| [vec![step], below].concat())
    })
}

/// Returns the path from `value` to the innermost value that contains `place`, which is empty for
/// `value` itself.
fn value_at(value: &Spanned<DeValue<'_>>, place: usize) -> Option<Vec<Step>> {
    let below = match value.get_ref() {
        DeValue::Table(table) => entry_at(table, place),
        DeValue::Array(array) => array.iter().enumerate().find_map(|(k, item)| {
            value_at(item, place).map(|below| [vec![Step::Item(k)], below].concat())
        }),
        _ => None,
    };
    below.or_else(|| value.span().contains(&place).then(Vec::new))
}

fn value_mut<'a, 't>(
    table: &'a mut DeTable<'t>,
    path: &[Step],
) -> Option<&'a mut Spanned<DeValue<'t>>> {
    let (Step::Key(key), rest) = path.split_first()? else { return None };
    let mut value = table.get_mut(key.as_str())?;
    for step in rest {
        value = match (step, value.get_mut()) {
            (Step::Key(key), DeValue::Table(table)) => table.get_mut(key.as_str())?,
            (Step::Item(k), DeValue::Array(array)) => array.get_mut(*k)?,
            _ => return None,
        };
    }
    Some(value)
}

/// Removes an entry whose path ends with a key. Returns false if there is no such entry.
fn remove(table: &mut DeTable<'_>, path: &[Step]) -> bool {
    let Some((Step::Key(key), above)) = path.split_last() else { return false };
    table_mut(table, above).is_some_and(|table| table.remove(key.as_str()).is_some())
}

/// Returns the table at a path, which is `table` itself if the path is empty.
fn table_mut<'a, 't>(table: &'a mut DeTable<'t>, path: &[Step]) -> Option<&'a mut DeTable<'t>> {
    if path.is_empty() {
        return Some(table);
    }
    match value_mut(table, path)?.get_mut() {
        DeValue::Table(table) => Some(table),
        _ => None,
    }
}
