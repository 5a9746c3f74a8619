//! The header of an NRRD file: fields and key-value pairs.

use std::collections::BTreeMap;

use crate::text::{Lines, parse, show};
use crate::volume::DAMAGED;
use zeroset_core::error::{Flaw, Position, Result};

/// The content of a header.
pub(super) struct Header {
    pub version: String,
    /// Line number and text of each field, by its name in lower case without blanks.
    fields: BTreeMap<String, (usize, String)>,
    /// The values of the key-value pairs.
    pub pairs: BTreeMap<String, String>,
    /// The names after `data file: LIST`.
    pub list: Vec<String>,
    /// Byte offset of the numbers after an attached header.
    pub end: usize,
}

const MAGIC: &[u8] = b"NRRD000";

/// Returns true if `bytes` begin like an NRRD file.
pub(in crate::volume) fn is_header(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

impl Header {
    pub fn parse(bytes: &[u8]) -> Result<Self, Flaw> {
        let mut lines = Lines::of_header(bytes);
        let magic = lines.next_line().unwrap_or_default();
        let version = magic.strip_prefix(MAGIC).and_then(parse::<u8>);
        let Some(version @ 1..=5) = version else {
            let what = format!("found {}, expected NRRD0001 to NRRD0005", show(magic));
            return Err(lines.fail(what, DAMAGED));
        };
        let (mut fields, mut pairs) = (BTreeMap::new(), BTreeMap::new());
        let mut list = Vec::new();
        while let Some(line) = lines.next_line() {
            if line.is_empty() {
                break;
            }
            let text = String::from_utf8_lossy(line);
            if text.starts_with('#') {
                continue;
            }
            if let Some((key, value)) = text.split_once(":=") {
                pairs.insert(key.to_string(), value.to_string());
                continue;
            }
            let Some((name, value)) = text.split_once(':') else {
                return Err(lines
                    .fail(format!("{} is not of the form \"field: value\"", show(line)), DAMAGED));
            };
            let name: String =
                name.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_lowercase();
            let value = value.trim().to_string();
            let is_list = name == "datafile" && value.split_whitespace().next() == Some("LIST");
            fields.insert(name, (lines.number(), value));
            if is_list {
                while let Some(line) = lines.next_line() {
                    let name = String::from_utf8_lossy(line.trim_ascii()).into_owned();
                    list.extend((!name.is_empty()).then_some(name));
                }
            }
        }
        Ok(Header { version: version.to_string(), fields, pairs, list, end: lines.consumed() })
    }

    /// Returns the text of the first field in `names` that is present.
    pub fn get(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.fields.get(*name)).map(|(_, text)| text.as_str())
    }

    pub fn fail(&self, names: &[&str], what: impl Into<String>, remedy: &str) -> Flaw {
        let line = names.iter().find_map(|name| self.fields.get(*name)).map(|(line, _)| *line);
        let place = line.map_or_else(|| "header".into(), Position::Line);
        Flaw::at(place, what, remedy)
    }

    /// Returns the `n` numbers of the first field in `names` that is present, or `None` if none is.
    pub fn numbers<T: std::str::FromStr>(
        &self,
        names: &[&str],
        n: usize,
    ) -> Result<Option<Vec<T>>, Flaw> {
        let Some(text) = self.get(names) else { return Ok(None) };
        let found: Option<Vec<T>> = text.split_whitespace().map(|word| word.parse().ok()).collect();
        match found.filter(|found| found.len() == n) {
            Some(found) => Ok(Some(found)),
            None => {
                let what = format!(
                    "{}: {n} numbers expected (sizes must be positive whole numbers), found {}",
                    names[0],
                    show_text(text)
                );
                Err(self.fail(names, what, DAMAGED))
            }
        }
    }

    /// Returns the number of the first field in `names` that is present, or `absent` if none is.
    pub fn count<T: std::str::FromStr + Copy>(&self, names: &[&str], absent: T) -> Result<T, Flaw> {
        Ok(self.numbers::<T>(names, 1)?.map_or(absent, |n| n[0]))
    }
}

pub(super) fn show_text(text: &str) -> String {
    show(text.as_bytes())
}

/// Parses a vector per axis, such as "(1,2,3) none (4,5,6)". An axis without a vector gives an
/// inner `None`. Returns an outer `None` if the text is not valid.
pub(super) fn vectors(text: &str) -> Option<Vec<Option<Vec<f64>>>> {
    let mut found = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        if let Some(inside) = rest.strip_prefix('(') {
            let (vector, after) = inside.split_once(')')?;
            let numbers = vector.split(',').map(|word| word.trim().parse().ok());
            found.push(Some(numbers.collect::<Option<Vec<f64>>>()?));
            rest = after.trim_start();
        } else {
            rest = rest.strip_prefix("none")?.trim_start();
            found.push(None);
        }
    }
    Some(found)
}

/// Returns the quoted parts of a string, or its words if it has no quotation marks.
pub(super) fn quoted(text: &str) -> Vec<String> {
    match text.contains('"') {
        true => text.split('"').skip(1).step_by(2).map(String::from).collect(),
        false => text.split_whitespace().map(String::from).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_and_words_are_split() {
        let found = vectors("(1, 2,3)none (0,0,-4.5)").unwrap();
        assert_eq!(found, [Some(vec![1.0, 2.0, 3.0]), None, Some(vec![0.0, 0.0, -4.5])]);
        for wrong in ["(1,2", "1 2 3", "(1,a)", "(1)(2) x"] {
            assert_eq!(vectors(wrong), None, "{wrong}");
        }
        assert_eq!(quoted("\"a b\" \"\" \"c\""), ["a b", "", "c"]);
        assert_eq!(quoted("mm  mm"), ["mm", "mm"]);
    }
}
