//! The option `--time`, which selects the states of a series.

use std::str::FromStr;

use crate::io::Moment;

/// The state that a command reads.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct At {
    /// State of a series (.pvd, .vtkhdf) to read: its time, or last; default last
    #[arg(long, value_name = "T|last", value_parser = one)]
    pub time: Option<Moment>,
}

/// The states that a command reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Times {
    One(Moment),
    All,
}

impl Times {
    /// Returns the selected state, if exactly one is selected.
    pub fn one(times: Option<Times>) -> Option<Moment> {
        match times {
            Some(Times::One(moment)) => Some(moment),
            Some(Times::All) | None => None,
        }
    }
}

impl FromStr for Times {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim() {
            "all" => Ok(Times::All),
            one => match one.parse() {
                Ok(moment) => Ok(Times::One(moment)),
                Err(_) => Err("expected a time, \"last\" or \"all\"".to_string()),
            },
        }
    }
}

fn one(text: &str) -> Result<Moment, String> {
    match Times::from_str(text) {
        Ok(Times::One(moment)) => Ok(moment),
        Ok(Times::All) => {
            Err("this command reads one state: name its time, or \"last\"".to_string())
        }
        Err(_) => Err("expected a time or \"last\"".to_string()),
    }
}
