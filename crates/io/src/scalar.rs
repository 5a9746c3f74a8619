//! Number types of binary and text files, and their conversion to [`Values`].

use super::text::{parse, real};
use zeroset_core::mesh::Values;

/// A number type on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    Bit,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl Scalar {
    /// Returns the type with this name in VTK XML files, if there is one.
    pub fn from_xml(name: &str) -> Option<Self> {
        Some(match name {
            "Bit" => Scalar::Bit,
            "Int8" => Scalar::I8,
            "UInt8" => Scalar::U8,
            "Int16" => Scalar::I16,
            "UInt16" => Scalar::U16,
            "Int32" => Scalar::I32,
            "UInt32" => Scalar::U32,
            "Int64" => Scalar::I64,
            "UInt64" => Scalar::U64,
            "Float32" => Scalar::F32,
            "Float64" => Scalar::F64,
            _ => return None,
        })
    }

    /// Returns the type with this name in legacy VTK files, if there is one. There, `long` has 8
    /// bytes and `vtkIdType` is written as `int`.
    pub fn from_legacy(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "bit" => Scalar::Bit,
            "char" | "signed_char" | "vtktypeint8" => Scalar::I8,
            "unsigned_char" | "vtktypeuint8" => Scalar::U8,
            "short" | "vtktypeint16" => Scalar::I16,
            "unsigned_short" | "vtktypeuint16" => Scalar::U16,
            "int" | "vtkidtype" | "vtktypeint32" => Scalar::I32,
            "unsigned_int" | "vtktypeuint32" => Scalar::U32,
            "long" | "long_long" | "vtktypeint64" => Scalar::I64,
            "unsigned_long" | "unsigned_long_long" | "vtktypeuint64" => Scalar::U64,
            "float" | "vtktypefloat32" => Scalar::F32,
            "double" | "vtktypefloat64" => Scalar::F64,
            _ => return None,
        })
    }

    /// Returns the type with this name in the NIfTI standard, if there is one. GIFTI files use
    /// these names.
    pub fn from_nifti(name: &str) -> Option<Self> {
        Some(match name.strip_prefix("NIFTI_TYPE_")? {
            "INT8" => Scalar::I8,
            "UINT8" => Scalar::U8,
            "INT16" => Scalar::I16,
            "UINT16" => Scalar::U16,
            "INT32" => Scalar::I32,
            "UINT32" => Scalar::U32,
            "INT64" => Scalar::I64,
            "UINT64" => Scalar::U64,
            "FLOAT32" => Scalar::F32,
            "FLOAT64" => Scalar::F64,
            _ => return None,
        })
    }

    /// Returns the type with this name in PLY files, if there is one. The 64-bit types are not part
    /// of the format, but some programs write them.
    pub fn from_ply(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"char" | b"int8" => Scalar::I8,
            b"uchar" | b"uint8" => Scalar::U8,
            b"short" | b"int16" => Scalar::I16,
            b"ushort" | b"uint16" => Scalar::U16,
            b"int" | b"int32" => Scalar::I32,
            b"uint" | b"uint32" => Scalar::U32,
            b"long" | b"int64" => Scalar::I64,
            b"ulong" | b"uint64" => Scalar::U64,
            b"float" | b"float32" => Scalar::F32,
            b"double" | b"float64" => Scalar::F64,
            _ => return None,
        })
    }

    /// Returns true if values may be fractional.
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::F32 | Scalar::F64)
    }

    /// Returns the number of bytes of one number, or 1 for a single bit.
    pub fn size(self) -> usize {
        match self {
            Scalar::Bit | Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::I64 | Scalar::U64 | Scalar::F64 => 8,
        }
    }

    /// Returns the number of bytes of `count` numbers in binary form, or `None` if it exceeds
    /// `usize`.
    pub fn bytes(self, count: usize) -> Option<usize> {
        match self {
            Scalar::Bit => Some(count.div_ceil(8)),
            other => count.checked_mul(other.size()),
        }
    }

    /// Decodes one number from its binary form of [`Scalar::size`] bytes. Whole numbers beyond 2^53
    /// may be rounded.
    pub fn one(self, bytes: &[u8], big_endian: bool) -> f64 {
        let mut raw = [0; 8];
        let used = &mut raw[..bytes.len().min(8)];
        used.copy_from_slice(&bytes[..used.len()]);
        if big_endian {
            used.reverse();
        }
        let [a, b, c, d, ..] = raw;
        match self {
            Scalar::Bit | Scalar::U8 => f64::from(a),
            Scalar::I8 => f64::from(a as i8),
            Scalar::I16 => f64::from(i16::from_le_bytes([a, b])),
            Scalar::U16 => f64::from(u16::from_le_bytes([a, b])),
            Scalar::I32 => f64::from(i32::from_le_bytes([a, b, c, d])),
            Scalar::U32 => f64::from(u32::from_le_bytes([a, b, c, d])),
            Scalar::I64 => i64::from_le_bytes(raw) as f64,
            Scalar::U64 => u64::from_le_bytes(raw) as f64,
            Scalar::F32 => f64::from(f32::from_le_bytes([a, b, c, d])),
            Scalar::F64 => f64::from_le_bytes(raw),
        }
    }

    /// Decodes numbers from their binary form. Single bits begin with the highest bit of each byte.
    pub fn unpack(self, bytes: &[u8], big_endian: bool) -> Values {
        macro_rules! numbers {
            ($t:ty) => {
                bytes.as_chunks().0.iter().map(|&b| match big_endian {
                    true => <$t>::from_be_bytes(b),
                    false => <$t>::from_le_bytes(b),
                })
            };
        }
        match self {
            Scalar::Bit => Values::Int(
                bytes.iter().flat_map(|b| (0..8).rev().map(move |k| (b >> k & 1).into())).collect(),
            ),
            Scalar::I8 => Values::Int(bytes.iter().map(|&b| (b as i8).into()).collect()),
            Scalar::U8 => Values::Int(bytes.iter().map(|&b| b.into()).collect()),
            Scalar::I16 => Values::Int(numbers!(i16).map(i64::from).collect()),
            Scalar::U16 => Values::Int(numbers!(u16).map(i64::from).collect()),
            Scalar::I32 => Values::Int(numbers!(i32).map(i64::from).collect()),
            Scalar::U32 => Values::Int(numbers!(u32).map(i64::from).collect()),
            Scalar::I64 => Values::Int(numbers!(i64).collect()),
            Scalar::U64 => unsigned(numbers!(u64)),
            Scalar::F32 => Values::Float(numbers!(f32).map(f64::from).collect()),
            Scalar::F64 => Values::Float(numbers!(f64).collect()),
        }
    }

    /// Parses numbers from words.
    ///
    /// # Errors
    /// Returns the number of values before the first word that is not a number.
    pub fn parse<'a>(self, words: impl Iterator<Item = &'a [u8]>) -> Result<Values, usize> {
        if self.is_float() {
            collect(words, |word| self.float(word)).map(Values::Float)
        } else {
            collect(words, |word| std::str::from_utf8(word).ok()?.parse().ok()).map(Values::Int)
        }
    }

    /// Parses a real number in the precision of its type. See [`real`].
    fn float(self, word: &[u8]) -> Option<f64> {
        let single = (self == Scalar::F32).then(|| parse::<f32>(word).map(f64::from)).flatten();
        single.or_else(|| real(word))
    }
}

/// Converts 64-bit unsigned numbers to integers if all of them fit into `i64`, else to
/// floating-point numbers. Labels fit, but measured quantities may not.
pub(super) fn unsigned(numbers: impl Iterator<Item = u64> + Clone) -> Values {
    match numbers.clone().map(|x| i64::try_from(x).ok()).collect::<Option<Vec<_>>>() {
        Some(small) => Values::Int(small),
        None => Values::Float(numbers.map(|x| x as f64).collect()),
    }
}

fn collect<'a, T>(
    words: impl Iterator<Item = &'a [u8]>,
    parse: impl Fn(&[u8]) -> Option<T>,
) -> Result<Vec<T>, usize> {
    let mut values = Vec::new();
    for word in words {
        match parse(word) {
            Some(value) => values.push(value),
            None => return Err(values.len()),
        }
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_orders_and_types() {
        assert_eq!(Scalar::I16.unpack(&[1, 0, 255, 255], false), Values::Int(vec![1, -1]));
        assert_eq!(Scalar::I16.unpack(&[1, 0, 255, 255], true), Values::Int(vec![256, -1]));
        assert_eq!(Scalar::F32.unpack(&1.5f32.to_be_bytes(), true), Values::Float(vec![1.5]));
        assert_eq!(Scalar::Bit.unpack(&[0b1010_0000], false), {
            Values::Int(vec![1, 0, 1, 0, 0, 0, 0, 0])
        });
        let large = u64::MAX.to_le_bytes();
        for scalar in [Scalar::I8, Scalar::U16, Scalar::I32, Scalar::U64, Scalar::F32, Scalar::F64]
        {
            let bytes = &[200, 1, 2, 3, 4, 5, 6, 65][..scalar.size()];
            for big_endian in [false, true] {
                let all = scalar.unpack(bytes, big_endian).to_f64();
                assert_eq!(all, [scalar.one(bytes, big_endian)], "{scalar:?}");
            }
        }
        assert_eq!(Scalar::U64.unpack(&large, false), Values::Float(vec![u64::MAX as f64]));
    }

    #[test]
    fn words() {
        let words = |text: &'static str| text.split(' ').map(str::as_bytes);
        assert_eq!(Scalar::F32.parse(words("0.1 3e3")), {
            Ok(Values::Float(vec![f64::from(0.1f32), 3000.0]))
        });
        assert_eq!(Scalar::F64.parse(words("1 2 CELLS")), Err(2));
        assert_eq!(Scalar::I32.parse(words("1 2.5")), Err(1));
        for scalar in [Scalar::F32, Scalar::F64] {
            let Ok(Values::Float(odd)) = scalar.parse(words("-nan(ind) 1.#QNAN -1.#INF")) else {
                panic!("spellings of NaN and of infinite numbers");
            };
            assert!(odd[0].is_nan() && odd[1].is_nan() && odd[2] == f64::NEG_INFINITY);
        }
    }
}
