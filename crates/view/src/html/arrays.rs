//! The data of a page: arrays of 16-bit and 32-bit numbers in one buffer.
//!
//! Neighbors in an array are often close, so each number is stored as the difference from the
//! previous one, which compresses better. `assets/data.js` reads the arrays.

use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

/// The code of a value that is not finite.
const NO_VALUE: u16 = u16::MAX;

/// The largest code of a finite value.
const LAST_CODE: u16 = u16::MAX - 1;

/// A buffer of arrays, each of which begins at a multiple of four bytes.
#[derive(Debug, Default)]
pub(super) struct Arrays {
    bytes: Vec<u8>,
}

impl Arrays {
    /// Adds the coordinates of points, column by column, and returns their description.
    pub(super) fn points(&mut self, points: &[[f64; 3]]) -> Value {
        let mut codes = Vec::with_capacity(3 * points.len());
        let (mut low, mut high) = ([0.0; 3], [0.0; 3]);
        for c in 0..3 {
            let column = || points.iter().map(|x| x[c]);
            [low[c], high[c]] = range(column());
            codes.extend(column().map(|x| code(x, [low[c], high[c]])));
        }
        json!({ "at": self.add16(&codes), "n": points.len(), "low": low, "high": high })
    }

    /// Adds values and returns their description.
    pub(super) fn values(&mut self, values: &[f64]) -> Value {
        let [low, high] = range(values.iter().copied());
        let codes: Vec<u16> = values.iter().map(|&x| code(x, [low, high])).collect();
        json!({ "at": self.add16(&codes), "n": values.len(), "low": low, "high": high })
    }

    /// Adds whole numbers and returns their description.
    pub(super) fn numbers(&mut self, numbers: &[u32]) -> Value {
        let is_wide = numbers.iter().any(|&k| k > u32::from(u16::MAX));
        let at = match is_wide {
            true => self.add32(numbers),
            false => {
                let narrow: Vec<u16> = numbers.iter().map(|&k| k as u16).collect();
                self.add16(&narrow)
            }
        };
        json!({ "at": at, "n": numbers.len(), "wide": is_wide })
    }

    /// Adds bytes and returns their position.
    pub(super) fn bytes(&mut self, bytes: impl Iterator<Item = u8>) -> usize {
        let at = self.bytes.len();
        self.bytes.extend(bytes);
        self.align();
        at
    }

    /// Returns the compressed buffer as text.
    pub(super) fn text(&self) -> String {
        packed(&self.bytes)
    }

    fn add16(&mut self, codes: &[u16]) -> usize {
        let at = self.bytes.len();
        let mut previous = 0_u16;
        for &code in codes {
            self.bytes.extend(code.wrapping_sub(previous).to_le_bytes());
            previous = code;
        }
        self.align();
        at
    }

    fn add32(&mut self, numbers: &[u32]) -> usize {
        let at = self.bytes.len();
        let mut previous = 0_u32;
        for &number in numbers {
            self.bytes.extend(number.wrapping_sub(previous).to_le_bytes());
            previous = number;
        }
        at
    }

    fn align(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }
}

/// Compresses bytes with gzip and returns them as base64 text.
pub(super) fn packed(bytes: &[u8]) -> String {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    // Writing to memory cannot fail.
    let _ = encoder.write_all(bytes);
    STANDARD.encode(encoder.finish().unwrap_or_default())
}

/// Returns the range of the finite numbers, limited to +-1e300, or 0 to 0 if there are none.
fn range(numbers: impl Iterator<Item = f64> + Clone) -> [f64; 2] {
    let finite = numbers.filter(|x| x.is_finite()).map(|x| x.clamp(-1e300, 1e300));
    let low = finite.clone().fold(f64::INFINITY, f64::min);
    let high = finite.fold(f64::NEG_INFINITY, f64::max);
    if low > high { [0.0; 2] } else { [low, high] }
}

/// Returns the code of a number in a range.
fn code(x: f64, [low, high]: [f64; 2]) -> u16 {
    if !x.is_finite() {
        return NO_VALUE;
    }
    // Dividing first keeps the largest ranges finite.
    let share = if high > low { x / (high - low) - low / (high - low) } else { 0.0 };
    (share.clamp(0.0, 1.0) * f64::from(LAST_CODE)).round() as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_span_the_range_and_mark_missing_values() {
        assert_eq!([0.0, 1.0, 2.0].map(|x| code(x, [0.0, 2.0])), [0, 32767, LAST_CODE]);
        assert_eq!([f64::NAN, f64::INFINITY].map(|x| code(x, [0.0, 2.0])), [NO_VALUE; 2]);
        assert_eq!(code(5.0, [5.0, 5.0]), 0);
        assert_eq!(code(1e300, [-1e300, 1e300]), LAST_CODE);
    }

    #[test]
    fn arrays_begin_at_multiples_of_four_and_wide_numbers_take_four_bytes() {
        let mut arrays = Arrays::default();
        assert_eq!(arrays.numbers(&[1, 2, 65535])["wide"], false);
        let wide = arrays.numbers(&[65536]);
        assert_eq!((wide["at"].as_u64(), wide["wide"].as_bool()), (Some(8), Some(true)));
        assert_eq!(arrays.bytes[..6], [1, 0, 1, 0, 253, 255]);
        assert_eq!(arrays.bytes([7].into_iter()), 12);
        assert_eq!(arrays.bytes.len(), 16);
    }
}
