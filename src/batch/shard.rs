//! A part of a batch.

use std::fmt;
use std::str::FromStr;

/// Every n-th row of a batch, written `i/n` with i from 1 to n.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    number: usize,
    of: usize,
}

/// The largest number of shards.
const MOST: usize = 1 << 20;

impl Shard {
    /// Returns the number of shards.
    pub fn count(self) -> usize {
        self.of
    }

    /// Returns all shards of the same batch.
    pub(super) fn all(self) -> impl Iterator<Item = Shard> {
        (1..=self.of).map(move |number| Shard { number, of: self.of })
    }

    /// Returns whether the shard contains the row with an index.
    pub(super) fn contains(self, row: usize) -> bool {
        row % self.of == self.number - 1
    }

    /// Returns a part of a file name.
    pub(super) fn in_names(self) -> String {
        format!("{}-of-{}", self.number, self.of)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').map(|(i, n)| (i.parse().ok(), n.parse().ok()));
        match numbers {
            Some((Some(number), Some(of))) if (1..=of).contains(&number) && of <= MOST => {
                Ok(Shard { number, of })
            }
            _ => Err(format!("write i/n with i from 1 to n, such as 2/10 (n at most {MOST})")),
        }
    }
}
