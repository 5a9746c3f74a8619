//! The findings of a comparison of two files.

use serde::Serialize;

use super::{ArrayDifference, ShapeDifference, Tolerance};
use crate::words::counted;

/// The comparison of one file of A with one file of B, over all states of a series.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Source {
    /// The part of two runs that was compared, such as "states" or "measures.csv". Empty for two
    /// files.
    pub name: String,
    /// Number of pairs of states, for two series.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub states: Option<usize>,
    /// The arrays and columns that exist in both.
    pub arrays: Vec<ArrayDifference>,
    /// The distances between curves, surfaces or meshes with different vertices. For a series,
    /// those of the pair of states that are farthest apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shape: Option<ShapeDifference>,
    /// All other differences.
    pub findings: Vec<Finding>,
}

/// A difference other than one between values, such as a missing array.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// The difference in words.
    pub what: String,
    /// Whether this difference makes A and B unequal. Otherwise, it is only a remark.
    pub counts: bool,
    /// Time of the first state with this difference, for a series, in the unit of the series.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<f64>,
    /// Number of later states with the same kind of difference.
    #[serde(skip_serializing_if = "is_zero")]
    pub later: usize,
    /// Identifies the kind of difference when states are joined.
    #[serde(skip)]
    kind: String,
}

impl Finding {
    /// Returns the difference in words, with its time and the number of later states.
    pub fn text(&self) -> String {
        let mut text = self.what.clone();
        if let Some(time) = self.time {
            text += &format!(" (time {time}");
            if self.later > 0 {
                let states = counted(self.later, ["later state", "later states"]);
                text += &format!(", and {states}");
            }
            text += ")";
        }
        text
    }
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}

impl Source {
    pub(super) fn named(name: &str) -> Self {
        Source { name: name.into(), ..Source::default() }
    }

    /// Returns whether A and B are equal within the tolerance.
    pub fn is_equal(&self, tolerance: Tolerance) -> bool {
        let is_near = |shape: &ShapeDifference| shape.is_within(tolerance);
        self.arrays.iter().all(|array| array.beyond == 0)
            && self.shape.as_ref().is_none_or(is_near)
            && self.findings.iter().all(|finding| !finding.counts)
    }

    /// Adds a difference. `kind` identifies the same difference in other states.
    pub(super) fn differs(&mut self, kind: impl Into<String>, what: impl Into<String>) {
        self.note(kind, what, true);
    }

    /// Adds a difference if `counts` is true, or else a remark.
    pub(super) fn note(&mut self, kind: impl Into<String>, what: impl Into<String>, counts: bool) {
        let (kind, what) = (kind.into(), what.into());
        self.findings.push(Finding { what, counts, time: None, later: 0, kind });
    }

    /// Adds the names that exist in only one of the two, such as "array phi is only in A".
    pub(super) fn missing(&mut self, what: &str, a: &[&str], b: &[&str]) {
        for (own, other, place) in [(a, b, "A"), (b, a, "B")] {
            for name in own.iter().filter(|name| !other.contains(name)) {
                let kind = format!("{what} {name} {place}");
                self.differs(kind, format!("{what} `{name}` is only in {place}"));
            }
        }
    }

    /// Adds the comparison of a later state.
    pub(super) fn add(&mut self, mut later: Source, time: f64) {
        for mut array in later.arrays {
            array.date(time);
            match self.arrays.iter_mut().find(|own| own.name == array.name) {
                Some(own) => own.add(array),
                None => self.arrays.push(array),
            }
        }
        if let Some(shape) = &mut later.shape {
            shape.time = Some(time);
        }
        self.shape = match (self.shape.take(), later.shape) {
            (Some(own), Some(other)) if other.largest() > own.largest() => Some(other),
            (own, other) => own.or(other),
        };
        for mut finding in later.findings {
            finding.time = Some(time);
            match self.findings.iter_mut().find(|own| own.kind == finding.kind) {
                Some(own) => own.later += 1,
                None => self.findings.push(finding),
            }
        }
        self.states = Some(self.states.unwrap_or(0) + 1);
    }
}
