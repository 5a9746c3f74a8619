//! Conversion of bytes or words of a file to the numbers of a volume, in the number type of the
//! file.

use std::io::Read;

use super::super::scalar::Scalar;
use zeroset_core::error::{Flaw, Result};
use zeroset_core::mesh::Values;
use zeroset_core::parallel::*;
use zeroset_core::volume::Samples;

/// Returns the number of bytes that a volume takes, which must not exceed the `found` bytes.
///
/// # Errors
/// Returns a [`Flaw`] that states both numbers of bytes if the volume takes more than `found`.
pub(crate) fn promised(
    position: &str,
    shape: [usize; 3],
    scalar: Scalar,
    found: usize,
) -> Result<usize, Flaw> {
    let voxels = count(shape);
    let needed = voxels.and_then(|n| scalar.bytes(n));
    if let Some(needed) = needed.filter(|&needed| needed <= found) {
        return Ok(needed);
    }
    let [x, y, z] = shape;
    let needed = needed.map_or("more bytes than any memory".into(), |n| format!("{n} bytes"));
    let what = format!(
        "{x} x {y} x {z} voxels of {} need {needed}, found {found} bytes",
        type_name(scalar)
    );
    Err(Flaw::at(position, what, "the sizes are wrong or the file is truncated"))
}

/// Returns the number of voxels, or `None` if it exceeds `usize`.
pub(crate) fn count(shape: [usize; 3]) -> Option<usize> {
    shape.iter().try_fold(1_usize, |n, &size| n.checked_mul(size))
}

/// Returns the name of a type, such as "uint8".
pub(crate) fn type_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bit => "bit",
        Scalar::I8 => "int8",
        Scalar::U8 => "uint8",
        Scalar::I16 => "int16",
        Scalar::U16 => "uint16",
        Scalar::I32 => "int32",
        Scalar::U32 => "uint32",
        Scalar::I64 => "int64",
        Scalar::U64 => "uint64",
        Scalar::F32 => "float32",
        Scalar::F64 => "float64",
    }
}

/// Returns the type whose [`type_name`] is `name`, if there is one.
pub(super) fn type_by_name(name: &str) -> Option<Scalar> {
    TYPES.into_iter().find(|&scalar| type_name(scalar) == name)
}

/// All types that consist of whole bytes.
pub(super) const TYPES: [Scalar; 10] = [
    Scalar::U8,
    Scalar::I8,
    Scalar::U16,
    Scalar::I16,
    Scalar::U32,
    Scalar::I32,
    Scalar::U64,
    Scalar::I64,
    Scalar::F32,
    Scalar::F64,
];

/// Decodes numbers from their binary form. Single bits begin with the highest bit of each byte.
pub(crate) fn samples(scalar: Scalar, bytes: &[u8], big_endian: bool) -> Samples {
    macro_rules! numbers {
        ($t:ty) => {{
            let raw = bytes.as_chunks::<{ size_of::<$t>() }>().0.par_iter();
            let numbers: Vec<$t> = match big_endian {
                true => raw.map(|&b| <$t>::from_be_bytes(b)).collect(),
                false => raw.map(|&b| <$t>::from_le_bytes(b)).collect(),
            };
            numbers.into()
        }};
    }
    match scalar {
        Scalar::Bit => {
            let bits = bytes.iter().flat_map(|b| (0..8).rev().map(move |k| b >> k & 1));
            bits.collect::<Vec<u8>>().into()
        }
        Scalar::U8 => bytes.to_vec().into(),
        Scalar::I8 => numbers!(i8),
        Scalar::U16 => numbers!(u16),
        Scalar::I16 => numbers!(i16),
        Scalar::U32 => numbers!(u32),
        Scalar::I32 => numbers!(i32),
        Scalar::U64 => numbers!(u64),
        Scalar::I64 => numbers!(i64),
        Scalar::F32 => numbers!(f32),
        Scalar::F64 => numbers!(f64),
    }
}

/// Converts numbers to the type `scalar`. Floating-point numbers become 32-bit numbers for
/// [`Scalar::F32`] and stay unchanged for any other type.
///
/// # Errors
/// Returns the index of the first number that the type cannot hold.
pub(crate) fn narrowed(scalar: Scalar, values: Values) -> Result<Samples, usize> {
    macro_rules! whole {
        ($t:ty, $v:expr) => {{
            let narrow: Vec<$t> = $v.iter().map_while(|&x| <$t>::try_from(x).ok()).collect();
            if narrow.len() == $v.len() { Ok(narrow.into()) } else { Err(narrow.len()) }
        }};
    }
    match (scalar, values) {
        (Scalar::F32, Values::Float(v)) => {
            Ok(v.iter().map(|&x| x as f32).collect::<Vec<_>>().into())
        }
        (_, Values::Float(v)) => Ok(v.into()),
        (Scalar::Bit | Scalar::U8, Values::Int(v)) => whole!(u8, v),
        (Scalar::I8, Values::Int(v)) => whole!(i8, v),
        (Scalar::U16, Values::Int(v)) => whole!(u16, v),
        (Scalar::I16, Values::Int(v)) => whole!(i16, v),
        (Scalar::U32, Values::Int(v)) => whole!(u32, v),
        (Scalar::I32, Values::Int(v)) => whole!(i32, v),
        (Scalar::U64, Values::Int(v)) => whole!(u64, v),
        (_, Values::Int(v)) => Ok(v.into()),
    }
}

/// Parses `n` numbers written as text.
///
/// # Errors
/// Returns a [`Flaw`] if a word is not a number of this type, or if there are too few or too many
/// words.
pub(super) fn from_text(text: &[u8], scalar: Scalar, n: usize) -> Result<Samples, Flaw> {
    const WRONG: &str = "the sizes are wrong or the file is damaged: export it again";
    let separates = |b: &u8| b.is_ascii_whitespace() || *b == b',';
    let words = || text.split(separates).filter(|word| !word.is_empty());
    let fail = |what: String| Flaw::whole(what, WRONG);
    let no_number = |k: usize| {
        let word = super::super::text::show(words().nth(k).unwrap_or_default());
        fail(format!("number {} of {n}: expected {}, found {word}", k + 1, type_name(scalar)))
    };
    let values = scalar.parse(words().take(n)).map_err(no_number)?;
    let found = values.len();
    if found < n {
        return Err(fail(format!("expected {n} numbers, found {found}")));
    }
    let samples = narrowed(scalar, values).map_err(no_number)?;
    match words().nth(n) {
        None => Ok(samples),
        Some(_) => Err(fail(format!("found more than the expected {n} numbers"))),
    }
}

/// Decompresses a stream to exactly `size` bytes. Memory grows with the bytes that are produced,
/// never with a declared size.
///
/// # Errors
/// Returns a [`Flaw`] if the stream is damaged or unpacks to a different size.
pub(super) fn inflate(stream: impl Read, size: usize, kind: &str) -> Result<Vec<u8>, Flaw> {
    let fail = |what: String| {
        Flaw::at("data", what, "copy the file again, or correct the sizes in its header")
    };
    let mut bytes = Vec::new();
    stream
        .take((size as u64).saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|e| fail(format!("the {kind} stream is damaged or ends early: {e}")))?;
    match bytes.len() {
        found if found == size => Ok(bytes),
        found if found < size => {
            Err(fail(format!("expected {size} bytes, but the {kind} stream holds {found}")))
        }
        _ => Err(fail(format!("the {kind} stream holds more than the expected {size} bytes"))),
    }
}

/// Decompresses a whole stream. Returns `None` if it holds more than `limit` bytes.
///
/// # Errors
/// Returns a [`Flaw`] if the stream is damaged.
pub(super) fn inflate_all(
    stream: impl Read,
    limit: u64,
    kind: &str,
) -> Result<Option<Vec<u8>>, Flaw> {
    let mut bytes = Vec::new();
    let outcome = stream.take(limit.saturating_add(1)).read_to_end(&mut bytes);
    match outcome {
        Ok(n) => Ok((n as u64 <= limit).then_some(bytes)),
        Err(e) => Err(Flaw::at(
            "data",
            format!("the {kind} stream is damaged or ends early: {e}"),
            "copy the file again",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_words_become_numbers_of_their_type() {
        for scalar in TYPES {
            assert_eq!(type_by_name(type_name(scalar)), Some(scalar));
            let bytes: Vec<u8> = (0..3 * scalar.size() as u8).collect();
            for big_endian in [false, true] {
                let found = samples(scalar, &bytes, big_endian);
                assert_eq!((found.type_name(), found.len()), (type_name(scalar), 3));
                for k in 0..3 {
                    let one = &bytes[k * scalar.size()..][..scalar.size()];
                    assert_eq!(found.get(k), scalar.one(one, big_endian), "{scalar:?}");
                }
            }

            let text = from_text(b" 1, 2\n3 ", scalar, 3).unwrap();
            assert_eq!((text.type_name(), text.get(2)), (type_name(scalar), 3.0));
            assert!(from_text(b"1 2", scalar, 3).is_err());
            assert!(from_text(b"1 2 3 4", scalar, 3).is_err());
        }
        let error = from_text(b"1 256", Scalar::U8, 2).unwrap_err().to_string();
        assert!(error.contains("number 2 of 2: expected uint8, found \"256\""), "{error}");
    }

    #[test]
    fn promises_are_held_against_the_bytes() {
        let refused =
            |shape, found| promised("header", shape, Scalar::I16, found).unwrap_err().to_string();
        assert_eq!(promised("", [2, 3, 4], Scalar::I16, 50).unwrap(), 48);
        let error = refused([2, 3, 4], 47);
        assert!(error.contains("2 x 3 x 4 voxels of int16 need 48 bytes, found 47"), "{error}");
        assert!(refused([usize::MAX, 2, 1], 9).contains("more bytes than any memory"));
    }
}
