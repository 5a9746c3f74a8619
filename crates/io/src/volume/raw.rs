//! Reader of files that hold nothing but numbers, whose layout the user states.

use std::str::FromStr;

use super::super::scalar::Scalar;
use super::{Found, VolumeFile, stored};
use zeroset_core::error::{Flaw, Result};
use zeroset_core::volume::Placement;
use zeroset_core::words::nearest;

/// The layout of a file that holds nothing but numbers, with x running fastest:
/// `SHAPE:TYPE[:SPACING[:SKIP]]`, such as `256x256x109:uint16le:1x1x1.5` or
/// `64x64x93:int16be:3.2x3.2x1.5:512`.
///
/// TYPE is uint8, int8, uint16, int16, uint32, int32, uint64, int64, float32 or float64. Types of
/// more than 8 bits end in `le` (low byte first) or `be`. SHAPE is the number of voxels along x, y
/// and z, SPACING their distance in world units, and SKIP the number of bytes before the numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct RawLayout {
    shape: [usize; 3],
    scalar: Scalar,
    big_endian: bool,
    spacing: Option<[f64; 3]>,
    skip: usize,
}

impl FromStr for RawLayout {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const FORM: &str =
            "expected SHAPE:TYPE[:SPACING[:SKIP]], such as 256x256x109:uint16le:1x1x1.5";
        fn three<T: FromStr + Copy>(text: &str, absent: T) -> Option<[T; 3]> {
            let found: Option<Vec<T>> = text.split('x').map(|word| word.parse().ok()).collect();
            match *found?.as_slice() {
                [x, y, z] => Some([x, y, z]),
                [x, y] => Some([x, y, absent]),
                _ => None,
            }
        }
        let parts: Vec<&str> = text.split(':').collect();
        let (shape, kind) = match parts.as_slice() {
            [shape, kind] | [shape, kind, _] | [shape, kind, _, _] => (*shape, *kind),
            _ => return Err(FORM.into()),
        };
        let wrong = |what: &str, found: &str| format!("\"{found}\" is not a {what}: {FORM}");
        let shape = three(shape, 1).filter(|shape| !shape.contains(&0));
        let shape = shape.ok_or_else(|| wrong("shape", parts[0]))?;
        let (name, big_endian) = match (kind.strip_suffix("be"), kind.strip_suffix("le")) {
            (Some(name), _) => (name, Some(true)),
            (_, Some(name)) => (name, Some(false)),
            _ => (kind, None),
        };
        let scalar = stored::type_by_name(name);
        let scalar = scalar.filter(|scalar| scalar.size() == 1 || big_endian.is_some());
        let scalar = scalar.ok_or_else(|| match stored::type_by_name(kind) {
            Some(_) => {
                format!("{kind} needs a byte order; use {kind}le (low byte first) or {kind}be")
            }
            None => match nearly(name, kind) {
                Some(near) => format!("unknown type \"{kind}\"; did you mean {near}? {FORM}"),
                None => wrong("number type", kind),
            },
        })?;
        let positive = |spacing: &[f64; 3]| spacing.iter().all(|s| s.is_finite() && *s > 0.0);
        let of_text =
            |text: &&str| three(text, 1.0).filter(positive).ok_or_else(|| wrong("spacing", text));
        let spacing = parts.get(2).map(of_text).transpose()?;
        let skip = match parts.get(3) {
            None => 0,
            Some(text) => text.parse().map_err(|_| wrong("byte count", text))?,
        };
        Ok(RawLayout { shape, scalar, big_endian: big_endian == Some(true), spacing, skip })
    }
}

/// Names of the types in other software, such as C and NumPy.
const OTHERS: [(&str, &str); 19] = [
    ("byte", "uint8"),
    ("uchar", "uint8"),
    ("char", "int8"),
    ("ushort", "uint16"),
    ("short", "int16"),
    ("uint", "uint32"),
    ("int", "int32"),
    ("float", "float32"),
    ("double", "float64"),
    ("u8", "uint8"),
    ("i8", "int8"),
    ("u16", "uint16"),
    ("i16", "int16"),
    ("u32", "uint32"),
    ("i32", "int32"),
    ("u64", "uint64"),
    ("i64", "int64"),
    ("f32", "float32"),
    ("f64", "float64"),
];

/// Returns the type that was probably meant by `kind`, or `None` if no type is similar. `name` is
/// `kind` without its byte order.
fn nearly(name: &str, kind: &str) -> Option<String> {
    let name = name.to_lowercase();
    let other = OTHERS.iter().find(|(other, _)| *other == name).map(|(_, known)| *known);
    let near = other.or_else(|| nearest(&name, stored::TYPES.map(stored::type_name)))?;
    let one_byte = stored::type_by_name(near).is_some_and(|scalar| scalar.size() == 1);
    let order = if kind.ends_with("be") { "be" } else { "le" };
    Some(format!("{near}{}", if one_byte { "" } else { order }))
}

/// Reads a volume of exactly this layout.
pub(super) fn read(bytes: &[u8], layout: &RawLayout) -> Result<VolumeFile, Flaw> {
    let &RawLayout { shape, scalar, big_endian, spacing, skip } = layout;
    let data = bytes.get(skip..).unwrap_or_default();
    let size = stored::promised("", shape, scalar, data.len())?;
    if data.len() > size {
        let [x, y, z] = shape;
        let what = format!(
            "{x} x {y} x {z} voxels of {} take {size} bytes, but {} follow the first {skip}",
            stored::type_name(scalar),
            data.len()
        );
        return Err(Flaw::whole(
            what,
            "correct the shape, the type or the number of bytes to skip",
        ));
    }
    let unit = Placement::identity().steps();
    let found = Found {
        placement: Placement::from_spacing(shape, [0.0; 3], spacing.unwrap_or([1.0; 3]), unit),
        ..Found::new(shape, stored::samples(scalar, data, big_endian))
    };
    Ok(VolumeFile {
        volume: found.volume()?,
        format: "raw",
        version: if big_endian { "big-endian" } else { "little-endian" }.to_string(),
        space: None,
        stated_spacing: [spacing.is_some(); 3],
        warnings: Vec::new(),
        state: Default::default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_are_read_and_slips_named() {
        let layout: RawLayout = "3x4x5:uint16be:1x2x0.5:16".parse().unwrap();
        let expected = RawLayout {
            shape: [3, 4, 5],
            scalar: Scalar::U16,
            big_endian: true,
            spacing: Some([1.0, 2.0, 0.5]),
            skip: 16,
        };
        assert_eq!(layout, expected);
        let flat: RawLayout = "3x4:uint8".parse().unwrap();
        assert_eq!((flat.shape, flat.spacing), ([3, 4, 1], None));
        for (text, found) in [
            ("3x4x5", "expected SHAPE:TYPE"),
            ("3x0x5:uint8", "\"3x0x5\" is not a shape"),
            ("3x4x5:uint16", "uint16le (low byte first) or uint16be"),
            ("3x4x5:u16le", "unknown type \"u16le\"; did you mean uint16le? expected"),
            ("3x4x5:unit16be", "did you mean uint16be? expected"),
            ("3x4x5:Float", "did you mean float32le? expected"),
            ("3x4x5:unit8", "did you mean uint8? expected"),
            ("3x4x5:complex", "\"complex\" is not a number type: expected SHAPE"),
            ("3x4x5:uint8:1x-1x1", "not a spacing"),
            ("3x4x5:uint8:1x1x1:-4", "not a byte count"),
            ("3x4x5:uint8:1x1x1:4:5", "expected SHAPE:TYPE"),
        ] {
            let error = text.parse::<RawLayout>().unwrap_err();
            assert!(error.contains(found), "{text}: {error}");
        }
    }

    #[test]
    fn the_size_must_fit_exactly() {
        let layout: RawLayout = "2x1x2:int16be:1x1x1:1".parse().unwrap();
        let bytes = [9, 0, 1, 255, 254, 0, 3, 1, 0];
        let read = |n: usize| read(&bytes[..n], &layout);
        let volume = read(9).unwrap().volume;
        assert_eq!(volume.to_f64(), [1.0, -2.0, 3.0, 256.0]);
        assert!(read(8).unwrap_err().to_string().contains("need 8 bytes, found 7"));
        let layout: RawLayout = "2x1x2:int16be".parse().unwrap();
        let error = super::read(&bytes, &layout).unwrap_err().to_string();
        assert!(error.contains("take 8 bytes, but 9 follow the first 0"), "{error}");
    }
}
