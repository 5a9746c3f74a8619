//! Numbers from words.

use std::str::FromStr;

/// What a word of a text may stand for.
pub(crate) trait Number: FromStr {
    /// The number that `word` is, all of it.
    fn of(word: &[u8]) -> Option<Self> {
        std::str::from_utf8(word).ok()?.parse().ok()
    }
}

macro_rules! as_the_library_reads_them {
    ($($type:ty)*) => { $(impl Number for $type {})* };
}

as_the_library_reads_them!(u8 u16 u32 u64 usize i32 i64 f32);

impl Number for f64 {
    fn of(word: &[u8]) -> Option<f64> {
        short(word).or_else(|| std::str::from_utf8(word).ok()?.parse().ok())
    }
}

/// Powers of ten that 64 bits hold exactly and that a short number may be divided by.
const TENS: [f64; 16] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

/// A number of at most 15 digits without an exponent, as most are in files. Its digits are a whole
/// number below 2^53 and so is the power of ten: their quotient, rounded once, is the nearest number
/// (W. D. Clinger, *How to read floating point numbers accurately*, PLDI 1990).
fn short(word: &[u8]) -> Option<f64> {
    let (minus, digits) = match word {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, word),
    };
    if digits.len() > TENS.len() {
        return None;
    }
    let (mut whole, mut point) = (0_u64, None);
    for (k, &b) in digits.iter().enumerate() {
        match b {
            b'0'..=b'9' => whole = 10 * whole + u64::from(b - b'0'),
            b'.' if point.is_none() => point = Some(digits.len() - 1 - k),
            _ => return None,
        }
    }
    let n_digits = digits.len() - usize::from(point.is_some());
    if n_digits == 0 || n_digits >= TENS.len() {
        return None;
    }
    let value = whole as f64 / TENS[point.unwrap_or(0)];
    Some(if minus { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_numbers_have_the_bits_of_the_library() {
        let words =
            ["0", "-0", "7", "-7.", ".5", "-.25", "0.032027", "123456789012345", "1234567.1234567"];
        for word in words {
            let expected: f64 = word.parse().unwrap();
            assert_eq!(short(word.as_bytes()).unwrap().to_bits(), expected.to_bits(), "{word}");
        }
        // Digits from a multiplicative sequence, the point anywhere.
        let mut state = 1_u64;
        for k in 0..200_000 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let mut word = (state >> 11).to_string();
            word.truncate(1 + k % 15);
            word.insert(k / 15 % (word.len() + 1), '.');
            if k % 3 == 0 {
                word.insert(0, '-');
            }
            let expected: f64 = word.parse().unwrap();
            assert_eq!(short(word.as_bytes()).unwrap().to_bits(), expected.to_bits(), "{word}");
        }
    }

    #[test]
    fn other_words_are_left_to_the_library() {
        for word in [
            "",
            "-",
            ".",
            "-.",
            "1..2",
            "1.2.3",
            "--1",
            "+1",
            "1e3",
            "nan",
            "1 ",
            "1,5",
            "1234567890123456",
            "0.12345678901234567",
        ] {
            assert_eq!(short(word.as_bytes()), None, "{word}");
            assert_eq!(
                f64::of(word.as_bytes()).map(f64::to_bits),
                word.parse().ok().map(f64::to_bits),
                "{word}"
            );
        }
        assert_eq!((u8::of(b"256"), i64::of(b"-3"), f64::of(b"\xff")), (None, Some(-3), None));
    }
}
