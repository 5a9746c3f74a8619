//! The units of length and time of a case, and of the files that state them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::about::Entry;

/// `[units]`: the units of length and time, which reports, files and pictures state. No value is
/// converted.
///
/// If a case begins with a state of an earlier run, the default is the units of that state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Units {
    /// Unit of length, such as "mm": 1 to 16 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 16), example = &"mm")]
    pub length: Option<String>,
    /// Unit of time, such as "ms": 1 to 16 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 16), example = &"ms")]
    pub time: Option<String>,
}

/// The largest number of characters of a unit.
const LONGEST: usize = 16;
/// Names of the unit of length and of the unit of time in the field data of VTK files.
const NAMES: [&str; 2] = ["length_unit", "time_unit"];

impl Units {
    /// Returns what is wrong with the name of a unit, or `None` if it is valid.
    pub fn flaw(unit: &str) -> Option<&'static str> {
        match unit.chars().count() {
            0 => Some("is empty"),
            n if n > LONGEST => Some("has more than 16 characters"),
            _ if unit.chars().any(char::is_control) => Some("has a control character"),
            _ if unit.trim() != unit => Some("begins or ends with a blank"),
            _ => None,
        }
    }

    /// Returns whether neither unit is known.
    pub fn is_empty(&self) -> bool {
        self.length.is_none() && self.time.is_none()
    }

    /// Returns these units, with the units of `other` in place of unknown ones.
    pub fn or(&self, other: &Units) -> Units {
        let [length, time] = [(&self.length, &other.length), (&self.time, &other.time)]
            .map(|(own, other)| own.clone().or_else(|| other.clone()));
        Units { length, time }
    }

    /// Returns the unit of length, or an empty string if it is unknown.
    pub fn of_length(&self) -> String {
        self.length.clone().unwrap_or_default()
    }

    /// Returns the unit of area, such as "mm^2", or an empty string if it is unknown.
    pub fn of_area(&self) -> String {
        self.of_power(2)
    }

    /// Returns the unit of volume, such as "mm^3", or an empty string if it is unknown.
    pub fn of_volume(&self) -> String {
        self.of_power(3)
    }

    /// Returns the unit of time, or an empty string if it is unknown.
    pub fn of_time(&self) -> String {
        self.time.clone().unwrap_or_default()
    }

    fn of_power(&self, power: u32) -> String {
        self.length.as_ref().map_or(String::new(), |length| format!("{length}^{power}"))
    }

    /// Returns the units as field data of VTK files.
    pub fn entries(&self) -> Vec<Entry> {
        let units = [&self.length, &self.time].into_iter().zip(NAMES);
        units.filter_map(|(unit, name)| Some((name.to_string(), unit.clone()?))).collect()
    }

    /// Returns the units that the field data of a VTK file states, as far as they are valid.
    /// `text` returns the text of an entry, if there is one.
    pub(crate) fn of_entries(text: impl Fn(&str) -> Option<String>) -> Units {
        let [length, time] =
            NAMES.map(|name| text(name).filter(|unit| Units::flaw(unit).is_none()));
        Units { length, time }
    }
}

/// Returns a number, or another text, with its unit. An empty unit adds nothing.
pub fn with_unit(text: impl std::fmt::Display, unit: &str) -> String {
    if unit.is_empty() { text.to_string() } else { format!("{text} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(length: Option<&str>, time: Option<&str>) -> Units {
        Units { length: length.map(String::from), time: time.map(String::from) }
    }

    #[test]
    fn names_are_short_and_printable() {
        for unit in ["mm", "\u{b5}m", "light years", "1234567890123456"] {
            assert_eq!(Units::flaw(unit), None, "{unit}");
        }
        for unit in ["", " mm", "m\nm", "\u{1b}[1m", "12345678901234567"] {
            assert!(Units::flaw(unit).is_some(), "{unit:?}");
        }
    }

    #[test]
    fn powers_follow_from_the_length() {
        let known = units(Some("mm"), Some("ms"));
        let all = [known.of_length(), known.of_area(), known.of_volume(), known.of_time()];
        assert_eq!(all, ["mm", "mm^2", "mm^3", "ms"]);
        assert_eq!(with_unit(5, &known.of_time()), "5 ms");
        assert_eq!(with_unit(5, &Units::default().of_area()), "5");
    }

    #[test]
    fn known_units_take_precedence_and_entries_are_read_back() {
        let mixed = units(Some("mm"), None).or(&units(Some("m"), Some("s")));
        assert_eq!(mixed, units(Some("mm"), Some("s")));
        let entries = mixed.entries();
        let find = |name: &str| Some(entries.iter().find(|entry| entry.0 == name)?.1.clone());
        assert_eq!(Units::of_entries(find), mixed);
        let wrong = |_: &str| Some("far too long for a unit".to_string());
        assert!(Units::of_entries(wrong).is_empty());
    }
}
