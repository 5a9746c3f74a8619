//! The attributes of lidar points (LAS 1.4 R15, section 2.6): those of the record formats, and
//! those that the record of extra bytes describes.

use super::header::Header;
use crate::cloud::records::{Column, Place};
use crate::cloud::wanted::{CLASS, kind_of};
use crate::scalar::Scalar;
use zeroset_core::cloud::NumberType;

/// Degrees per unit of the scan angle in the formats 6 to 10.
const DEGREES: f64 = 0.006;
/// The number of bytes that describe one entry of the extra bytes.
const ENTRY: usize = 192;

/// The name, the type and the location of an attribute.
type Found = (String, NumberType, Column);

/// Returns all attributes of the points.
pub(super) fn of(header: &Header) -> Vec<Found> {
    use Scalar::{F64, I8, I16, U8, U16};
    let format = usize::from(header.format);
    let mut found = Vec::new();
    let mut add = |name: &str, at: usize, scalar: Scalar, bits, scale: f64| {
        let place = Place { at, step: header.length, scalar };
        let kind = if scale == 1.0 { kind_of(scalar) } else { NumberType::F32 };
        found.push((name.to_string(), kind, Column { place, bits, scale, offset: 0.0 }));
    };
    add("intensity", 12, U16, None, 1.0);
    if format < 6 {
        add("return_number", 14, U8, Some((0, 3)), 1.0);
        add("number_of_returns", 14, U8, Some((3, 3)), 1.0);
        add("scan_direction", 14, U8, Some((6, 1)), 1.0);
        add("edge_of_flight_line", 14, U8, Some((7, 1)), 1.0);
        add(CLASS, 15, U8, Some((0, 5)), 1.0);
        add("synthetic", 15, U8, Some((5, 1)), 1.0);
        add("key_point", 15, U8, Some((6, 1)), 1.0);
        add("scan_angle", 16, I8, None, 1.0);
        add("user_data", 17, U8, None, 1.0);
        add("point_source_id", 18, U16, None, 1.0);
        if matches!(format, 1 | 3 | 4 | 5) {
            add("gps_time", 20, F64, None, 1.0);
        }
    } else {
        add("return_number", 14, U8, Some((0, 4)), 1.0);
        add("number_of_returns", 14, U8, Some((4, 4)), 1.0);
        add("synthetic", 15, U8, Some((0, 1)), 1.0);
        add("key_point", 15, U8, Some((1, 1)), 1.0);
        add("overlap", 15, U8, Some((3, 1)), 1.0);
        add("scanner_channel", 15, U8, Some((4, 2)), 1.0);
        add("scan_direction", 15, U8, Some((6, 1)), 1.0);
        add("edge_of_flight_line", 15, U8, Some((7, 1)), 1.0);
        add(CLASS, 16, U8, None, 1.0);
        add("user_data", 17, U8, None, 1.0);
        add("scan_angle", 18, I16, None, DEGREES);
        add("point_source_id", 20, U16, None, 1.0);
        add("gps_time", 22, F64, None, 1.0);
        if matches!(format, 8 | 10) {
            add("nir", 36, U16, None, 1.0);
        }
    }
    extra(header, &mut found);
    found
}

/// Adds the entries of the extra bytes that consist of one number of a known type. Stops at a
/// vector, and at an entry that exceeds the record of a point.
fn extra(header: &Header, found: &mut Vec<Found>) {
    let mut at = super::header::LEAST[usize::from(header.format)];
    for entry in header.extra.chunks_exact(ENTRY) {
        let (kind, options) = (entry[2], entry[3]);
        let scalar = match kind {
            1 => Scalar::U8,
            2 => Scalar::I8,
            3 => Scalar::U16,
            4 => Scalar::I16,
            5 => Scalar::U32,
            6 => Scalar::I32,
            7 => Scalar::U64,
            8 => Scalar::I64,
            9 => Scalar::F32,
            10 => Scalar::F64,
            // For bytes of unknown meaning, the options state the number of bytes.
            0 => {
                at += usize::from(options);
                continue;
            }
            // Vectors are deprecated. The entries from the first vector on are not read.
            _ => return,
        };
        let number =
            |at: usize| entry[at..].first_chunk().map_or(0.0, |bytes| f64::from_le_bytes(*bytes));
        let name = entry[4..36].split(|&b| b == 0).next().unwrap_or_default();
        let name = String::from_utf8_lossy(name).trim().to_string();
        let end = at + scalar.size();
        if end > header.length {
            return;
        }
        let (is_scaled, is_shifted) = (options & 8 != 0, options & 16 != 0);
        let place = Place { at, step: header.length, scalar };
        let scale = if is_scaled { number(112) } else { 1.0 };
        let offset = if is_shifted { number(136) } else { 0.0 };
        let kind = if is_scaled || is_shifted { NumberType::F64 } else { kind_of(scalar) };
        if !name.is_empty() {
            found.push((name, kind, Column { place, bits: None, scale, offset }));
        }
        at = end;
    }
}
