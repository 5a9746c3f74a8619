//! Parses the list entries and voxel boxes of `zeroset points`.

use std::fmt::Display;
use std::ops::Range;
use std::str::FromStr;

use crate::error::{Error, Result};

/// A range of indices, counted from 0: "A..B" (B is excluded), "A..", "..B" (B is excluded), or "K"
/// for a single index.
#[derive(Clone, Debug, PartialEq)]
pub struct Entries {
    text: String,
    first: usize,
    end: Option<usize>,
}

impl FromStr for Entries {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let number = |text: &str| {
            text.trim().parse::<usize>().map_err(|_| {
                format!("`{text}` is not an integer >= 0; write A..B, A.., ..B or a number")
            })
        };
        let (first, end) = match text.split_once("..") {
            None => {
                let first = number(text)?;
                (first, Some(first.checked_add(1).ok_or("the number is too large")?))
            }
            Some((first, end)) => {
                let first = if first.trim().is_empty() { 0 } else { number(first)? };
                (first, if end.trim().is_empty() { None } else { Some(number(end)?) })
            }
        };
        if end.is_some_and(|end| end <= first) {
            return Err("the range is empty; write A..B with B > A, because B is excluded".into());
        }
        Ok(Entries { text: text.to_string(), first, end })
    }
}

impl Entries {
    /// Returns the range of indices, with an open end as `usize::MAX`.
    pub fn range(&self) -> Range<usize> {
        self.first..self.end.unwrap_or(usize::MAX)
    }

    /// Checks that all entries of the range exist.
    ///
    /// # Errors
    /// Returns [`Error::Case`] with the number of entries if one does not exist.
    pub fn check(&self, total: usize) -> Result<()> {
        if self.first < total && self.end.is_none_or(|end| end <= total) {
            return Ok(());
        }
        let what = format!("--entries {}: there are {total} entries", self.text);
        Err(match total {
            0 => Error::usage(what, "write a condition that some voxels satisfy"),
            _ => Error::usage(what, format!("they are numbered from 0 to {}", total - 1)),
        })
    }
}

/// A box of voxels "I0:I1,J0:J1,K0:K1", with ranges as in Python.
///
/// The upper end of a range is excluded. An omitted end is the edge of the volume, and a picture
/// needs no third range.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    text: String,
    sides: [(Option<u32>, Option<u32>); 3],
}

impl FromStr for Region {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let side = |side: &str| {
            let end = |text: &str| match text.trim() {
                "" => Ok(None),
                number => number.parse().map(Some).map_err(|_| {
                    format!("`{number}` is not an index >= 0; write I0:I1,J0:J1,K0:K1")
                }),
            };
            let (low, high) = side.split_once(':').ok_or(format!(
                "`{side}` has no colon; write I0:I1,J0:J1,K0:K1, such as 0:64,:,10:20"
            ))?;
            Ok::<_, String>((end(low)?, end(high)?))
        };
        let sides: Vec<_> = text.split(',').map(side).collect::<std::result::Result<_, _>>()?;
        let sides = match sides.as_slice() {
            [i, j] => [*i, *j, (None, None)],
            [i, j, k] => [*i, *j, *k],
            _ => return Err(format!("found {} ranges; write I0:I1,J0:J1,K0:K1", sides.len())),
        };
        Ok(Region { text: text.to_string(), sides })
    }
}

impl Region {
    /// Returns the corners of the box in a volume of `shape`.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if the box is empty or reaches beyond the volume.
    pub fn corners(&self, shape: [usize; 3]) -> Result<[[u32; 3]; 2]> {
        let fail = |what: &dyn Display, remedy: String| {
            Err(Error::usage(format!("--box {}: {what}", self.text), remedy))
        };
        let mut corners = [[0; 3]; 2];
        for (k, (low, high)) in self.sides.into_iter().enumerate() {
            let n = u32::try_from(shape[k]).unwrap_or(u32::MAX);
            let (low, high) = (low.unwrap_or(0), high.unwrap_or(n));
            let axis = ["i", "j", "k"][k];
            if high > n {
                let what = format!("{high} is out of range along {axis}, there are {n} voxels");
                return fail(&what, format!("the upper end may be at most {n}"));
            }
            if low >= high {
                let what = format!("the range {low}:{high} along {axis} is empty");
                return fail(&what, "write a range such as 10:20".into());
            }
            (corners[0][k], corners[1][k]) = (low, high);
        }
        Ok(corners)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_boxes_are_read() {
        let range = |text: &str| text.parse::<Entries>().map(|entries| entries.range());
        for (text, expected) in
            [("5..9", 5..9), ("5..", 5..usize::MAX), ("..9", 0..9), ("..", 0..usize::MAX)]
        {
            assert_eq!(range(text), Ok(expected));
        }
        assert_eq!(range("7"), Ok(7..8));
        for text in ["-1", "5..5", "9..5", "a..b", "", "1..-3", "18446744073709551615"] {
            assert!(range(text).is_err(), "{text}");
        }
        let seven: Entries = "7".parse().unwrap();
        assert!(seven.check(8).is_ok());
        assert!(seven.check(7).unwrap_err().to_string().contains("there are 7 entries"));
        assert!(seven.check(0).unwrap_err().to_string().contains("there are 0 entries"));
        let corners = |text: &str, shape| {
            text.parse::<Region>().unwrap().corners(shape).map_err(|e| e.to_string())
        };
        assert_eq!(corners("2:5,:,1:", [9, 8, 7]), Ok([[2, 0, 1], [5, 8, 7]]));
        assert_eq!(corners(":4, 1:2", [9, 8, 1]), Ok([[0, 1, 0], [4, 2, 1]]));
        assert!(corners("2:10,:,:", [9, 8, 7]).unwrap_err().contains("there are 9 voxels"));
        assert!(
            corners("2:2,:,:", [9, 8, 7]).unwrap_err().contains("the range 2:2 along i is empty")
        );
        for text in ["", "1:2", "1,2,3", "-1:2,:,:", ":,:,:,:", "a:b,:,:"] {
            assert!(text.parse::<Region>().is_err(), "{text}");
        }
    }
}
