//! Times of states, and the choice of a state from a series.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::de::{Deserializer, Error, Visitor};
use serde::{Deserialize, Serialize};

use crate::units::Units;
use zeroset_core::error::{Flaw, FlawKind, Result};

/// The state of a series to read: `"last"`, or the time of a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Moment {
    /// The state with the latest time.
    #[default]
    Last,
    /// The state at this time, in the unit of the series.
    #[serde(untagged)]
    At(f64),
}

/// The time of the data in a file, the times of the series to which the data belong, and the units.
/// Times are in the unit that the file uses.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct StateTime {
    /// The time, if the file or its series states one.
    pub time: Option<f64>,
    /// The times of all states, in the order of the series. Empty for a single state.
    pub series: Vec<f64>,
    /// The units that the field data of a VTK file, such as a state of a run, states.
    pub units: Units,
}

const EXPECTED: &str = "a time or \"last\"";

/// Times count as equal if their relative difference is at most this. Some programs store times in
/// 32 bits.
const SAME: f64 = 1e-6;
/// The largest number of times that a message lists in full.
const LISTED: usize = 6;

impl Moment {
    /// Returns the index of the chosen state, given the times of all states. If several states
    /// have the chosen time, it is the index of the last of them.
    ///
    /// # Errors
    /// Returns a [`Flaw`] of kind `Asked` that lists the existing times if no state has the
    /// requested time.
    pub(crate) fn pick(self, times: &[f64]) -> Result<usize, Flaw> {
        let later = |&a: &usize, &b: &usize| times[a].total_cmp(&times[b]).then(a.cmp(&b));
        let last = (0..times.len()).max_by(later).unwrap_or(0);
        let Moment::At(time) = self else { return Ok(last) };
        let gap = |k: usize| (times[k] - time).abs();
        let nearest = (0..times.len()).min_by(|&a, &b| gap(a).total_cmp(&gap(b)).then(b.cmp(&a)));
        match nearest.filter(|&k| gap(k) <= SAME * time.abs().max(times[k].abs())) {
            Some(k) => Ok(k),
            None => {
                let what = format!("there is no state at time {time}");
                let remedy = format!("there are {}, or use \"last\"", listed(times));
                Err(Flaw::whole(what, remedy).kind_of(FlawKind::Asked))
            }
        }
    }

    /// Checks that a file that is not a series has the requested state.
    ///
    /// # Errors
    /// Returns a [`Flaw`] of kind `Asked` if a time is requested that is not the time of the file,
    /// or if a time is requested and the file states none.
    pub(crate) fn check_single(asked: Option<Moment>, state: &StateTime) -> Result<(), Flaw> {
        match (asked, state.time) {
            (Some(moment @ Moment::At(_)), Some(time)) => moment.pick(&[time]).map(drop),
            (Some(Moment::At(asked)), None) => {
                let what = format!("time {asked} is asked for, but the file states no time");
                let remedy = "leave out the time, or use a series (.pvd, .vtkhdf)";
                Err(Flaw::whole(what, remedy).kind_of(FlawKind::Asked))
            }
            _ => Ok(()),
        }
    }
}

/// Lists times for a message. A long list is shortened in the middle.
pub fn listed(times: &[f64]) -> String {
    let words = |times: &[f64]| times.iter().map(f64::to_string).collect::<Vec<_>>().join(", ");
    match times {
        [] => "no times".into(),
        [only] => format!("the time {only}"),
        [first @ .., last] if times.len() > LISTED => {
            let (first, n) = (words(&first[..LISTED - 2]), times.len());
            format!("{n} times: {first}, ..., {last}")
        }
        times => format!("the times {}", words(times)),
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Moment::Last => f.write_str("last"),
            Moment::At(time) => time.fmt(f),
        }
    }
}

impl FromStr for Moment {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let number = || text.trim().parse().ok().filter(|t: &f64| t.is_finite()).map(Moment::At);
        match text.trim() {
            "last" => Ok(Moment::Last),
            _ => number().ok_or_else(|| format!("expected {EXPECTED}")),
        }
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberOrWord;
        impl Visitor<'_> for NumberOrWord {
            type Value = Moment;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str(EXPECTED)
            }
            fn visit_f64<E: Error>(self, time: f64) -> Result<Moment, E> {
                match time.is_finite() {
                    true => Ok(Moment::At(time)),
                    false => Err(E::custom(format!("must be {EXPECTED}, but is {time}"))),
                }
            }
            fn visit_i64<E: Error>(self, time: i64) -> Result<Moment, E> {
                self.visit_f64(time as f64)
            }
            fn visit_str<E: Error>(self, word: &str) -> Result<Moment, E> {
                match word {
                    "last" => Ok(Moment::Last),
                    _ => Err(E::unknown_variant(word, &["last"])),
                }
            }
        }
        deserializer.deserialize_any(NumberOrWord)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_at_a_time_is_found_and_other_times_are_refused() {
        let times = [0.0, 0.1_f32.into(), 0.3, 0.3, 2.0];
        let pick = |text: &str| text.parse::<Moment>().unwrap().pick(&times);
        assert_eq!(pick("last").unwrap(), 4);
        assert_eq!(Moment::Last.pick(&[1.0, 2.0, 0.5, 2.0, 1.5]).unwrap(), 3, "not in order");
        assert_eq!(pick("0").unwrap(), 0);
        assert_eq!(pick("0.1").unwrap(), 1, "a time stored with 32 bits");
        assert_eq!(pick("0.30000000000000004").unwrap(), 3, "the later one of two equal times");
        for text in ["0.2", "-1", "1e-9", "1e300"] {
            let flaw = pick(text).unwrap_err();
            assert_eq!(flaw.kind(), FlawKind::Asked, "{text}");
            assert!(flaw.remedy().contains("0.3, 0.3, 2"), "{flaw}");
        }
        for text in ["", "first", "nan", "inf", "1 2"] {
            assert!(text.parse::<Moment>().is_err(), "{text}");
        }
    }

    #[test]
    fn long_lists_of_times_are_shortened() {
        let times: Vec<f64> = (0..100).map(f64::from).collect();
        assert_eq!(listed(&times), "100 times: 0, 1, 2, 3, ..., 99");
        assert_eq!(listed(&times[..2]), "the times 0, 1");
        assert_eq!(listed(&times[..1]), "the time 0");
    }

    #[test]
    fn a_single_state_has_its_own_time_only() {
        let state = StateTime { time: Some(0.5), ..StateTime::default() };
        let check = |asked, state: &StateTime| Moment::check_single(asked, state).is_ok();
        assert!(check(None, &state) && check(Some(Moment::Last), &state));
        assert!(check(Some(Moment::At(0.5)), &state) && !check(Some(Moment::At(1.0)), &state));
        assert!(!check(Some(Moment::At(0.5)), &StateTime::default()));
        assert!(check(Some(Moment::Last), &StateTime::default()));
    }
}
