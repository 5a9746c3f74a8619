//! Reader of the LAS and LAZ header and its variable-length records (LAS 1.4 R15, sections 2.4 and
//! 2.5).

use crate::bytes::Cursor;
use crate::cloud::records::Class;
use crate::cloud::stream::Stream;
use zeroset_core::error::{Flaw, Result};

/// The content of the header of a LAS or LAZ file.
pub(super) struct Header {
    /// Version and record format, such as "1.2, format 3".
    pub(super) version: String,
    /// Byte offset of the first point.
    pub(super) begin: u64,
    /// Bytes per point.
    pub(super) length: usize,
    /// Number of points that the header declares.
    pub(super) n: u64,
    pub(super) scale: [f64; 3],
    pub(super) offset: [f64; 3],
    /// Byte offset of the red component within a point; green and blue follow it. `None` if points
    /// have no colors.
    pub(super) colors: Option<usize>,
    /// Location of the class and of the flag for withheld points within a point.
    pub(super) class: Class,
    /// The LASzip record if the points are compressed.
    pub(super) compressed: Option<Vec<u8>>,
    /// Unit of length from the GeoTIFF keys.
    pub(super) units: Option<String>,
    /// Unit of the heights from the GeoTIFF keys, if it is stated separately.
    pub(super) vertical_units: Option<String>,
    /// Record format of the points, 0 to 10.
    pub(super) format: u8,
    /// The record that describes the extra bytes of the points, or empty.
    pub(super) extra: Vec<u8>,
}

/// Smallest size of a point in bytes, by format.
pub(super) const LEAST: [usize; 11] = [20, 28, 26, 34, 57, 63, 30, 36, 38, 59, 67];
/// Byte offset of the colors by format; 0 if there are none.
const COLORS: [usize; 11] = [0, 0, 20, 28, 0, 28, 0, 30, 30, 0, 30];
/// The largest number of variable-length records that are read.
const MOST: u32 = 10_000;

/// Reads the header and the records after it.
///
/// # Errors
/// Returns a [`Flaw`] if the header is truncated or damaged, if the format of the points is
/// unknown, or if the points are compressed and the LASzip record is missing.
pub(super) fn read(stream: &mut Stream) -> Result<Header, Flaw> {
    const DAMAGED: &str = "the header is damaged: copy or export the file again";
    let head = stream.fill(375)?;
    let (major, minor) = (head.get(24).copied().unwrap_or(1), head.get(25).copied().unwrap_or(0));
    let at = |at: usize| Cursor::new(head, at, false);
    let size = at(94).take(2, "size of the header")?;
    let size = u64::from(u16::from_le_bytes([size[0], size[1]]));
    let begin = at(96).u32("offset of the points")?;
    let n_records = at(100).u32("number of variable records")?;
    let format = at(104).take(1, "format of points")?[0];
    let length = at(105).take(2, "bytes of a point")?;
    let length = usize::from(u16::from_le_bytes([length[0], length[1]]));
    let mut n = u64::from(at(107).u32("number of points")?);
    let mut numbers = at(131);
    let mut three = |what: &str| -> Result<[f64; 3], Flaw> {
        Ok([numbers.f64(what)?, numbers.f64(what)?, numbers.f64(what)?])
    };
    let (scale, offset) = (three("scale")?, three("offset")?);
    if (major, minor) >= (1, 4) && size >= 375 {
        n = at(247).u64("number of points")?;
    }
    // LASzip marks compressed points in the two highest bits of the format.
    let (packed, format) = (format & 0xc0 != 0, format & 0x3f);
    let Some(&least) = LEAST.get(usize::from(format)) else {
        let what = format!("points of format {format}, expected 0 to 10");
        return Err(stream.fail(what, "convert the points to LAS 1.2 or 1.4"));
    };
    if length < least {
        let what = format!("points of {length} bytes, but format {format} needs at least {least}");
        return Err(stream.fail(what, DAMAGED));
    }
    let finite = scale.iter().chain(&offset).all(|x| x.is_finite()) && !scale.contains(&0.0);
    if !finite || major != 1 {
        let what = format!("version {major}.{minor}, scale {scale:?}, offset {offset:?}");
        return Err(stream.fail(what, DAMAGED));
    }
    if size > u64::from(begin) {
        let what = format!("points begin at byte {begin}, within the {size} bytes of the header");
        return Err(stream.fail(what, DAMAGED));
    }
    stream.pass_to(size, "variable records")?;
    let (mut compressed, mut units, mut vertical_units, mut extra) = (None, None, None, vec![]);
    for _ in 0..n_records.min(MOST) {
        if stream.position() + 54 > u64::from(begin) {
            break;
        }
        let Some(head) = stream.fill(54)?.get(..54) else { break };
        let user = head[2..18].split(|&b| b == 0).next().unwrap_or_default().to_vec();
        let [id, length] = [18, 20].map(|k| u64::from(u16::from_le_bytes([head[k], head[k + 1]])));
        stream.take(54);
        // A record that declares more bytes than remain before the points is truncated at the
        // points.
        let room = u64::from(begin) - stream.position();
        let length = room.min(length) as usize;
        let body = stream.fill(length)?.get(..length).unwrap_or_default();
        match (user.as_slice(), id) {
            (b"laszip encoded", 22204) => compressed = Some(body.to_vec()),
            (b"LASF_Projection", 34735) => {
                units = units.or_else(|| linear_unit(body));
                vertical_units = vertical_units.or_else(|| unit_of_heights(body));
            }
            (b"LASF_Projection", 2112) => {
                units = unit_of_wkt(body).or(units);
                vertical_units = heights_of_wkt(body).or(vertical_units);
            }
            (b"LASF_Spec", 4) => extra = body.to_vec(),
            _ => {}
        }
        let found = body.len();
        stream.take(found);
    }
    if packed && compressed.is_none() {
        let what = "the points are compressed, but the LASzip record is missing";
        return Err(stream.fail(what, DAMAGED));
    }
    // Formats 6 to 10 keep the flags in a byte of their own (LAS 1.4 R15, tables 8 and 17).
    let class = match format {
        0..6 => Class { at: 15, bits: 0x1f, flags: 15, withheld: 0x80 },
        _ => Class { at: 16, bits: 0xff, flags: 15, withheld: 0x04 },
    };
    let colors = Some(COLORS[usize::from(format)]).filter(|&at| at > 0);
    let version = format!("{major}.{minor}, format {format}");
    let compressed = compressed.filter(|_| packed);
    let begin = u64::from(begin);
    Ok(Header {
        version,
        begin,
        length,
        n,
        scale,
        offset,
        colors,
        class,
        compressed,
        units,
        vertical_units,
        format,
        extra,
    })
}

/// Returns the unit of length of projected coordinates (key 3076), or degrees for geographic
/// coordinates (key 1024 is 2). Returns `None` if the unit is unknown.
fn linear_unit(keys: &[u8]) -> Option<String> {
    let unit = geotiff_key(keys, 3076).and_then(unit_of_code);
    let is_geographic = geotiff_key(keys, 1024) == Some(2);
    unit.or(is_geographic.then_some("degrees")).map(str::to_string)
}

/// Returns the unit of the heights (key 4099), if it is stated.
fn unit_of_heights(keys: &[u8]) -> Option<String> {
    geotiff_key(keys, 4099).and_then(unit_of_code).map(str::to_string)
}

/// Returns the value of a GeoTIFF key.
fn geotiff_key(keys: &[u8], wanted: u16) -> Option<u16> {
    let numbers = |k: &[u8; 8]| [0, 2, 4, 6].map(|at| u16::from_le_bytes([k[at], k[at + 1]]));
    let mut keys = keys.as_chunks::<8>().0.iter().map(numbers).skip(1);
    keys.find(|k| k[0] == wanted && k[1] == 0).map(|k| k[3])
}

fn unit_of_code(code: u16) -> Option<&'static str> {
    match code {
        9001 => Some("m"),
        9002 => Some("ft"),
        9003 => Some("US survey ft"),
        _ => None,
    }
}

/// Returns the unit of the vertical system in well-known text, if there is one.
fn heights_of_wkt(text: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(text).to_uppercase();
    let at = text.find("VERT_CS[").or_else(|| text.find("VERTCRS["))?;
    unit_of_name(last_unit(&text[at..])?).map(str::to_string)
}

/// Returns the name of the last unit in well-known text.
fn last_unit(text: &str) -> Option<&str> {
    text.rsplit("UNIT[\"").next()?.split('"').next()
}

fn unit_of_name(name: &str) -> Option<&'static str> {
    match name {
        "METRE" | "METER" | "M" => Some("m"),
        _ if name.contains("US SURVEY FOOT") || name.contains("FOOT_US") => Some("US survey ft"),
        _ if name.contains("FOOT") => Some("ft"),
        _ => None,
    }
}

/// Returns the unit that a coordinate system in well-known text (WKT) states for the horizontal
/// coordinates, or degrees if the system is geographic.
fn unit_of_wkt(text: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(text).to_uppercase();
    // A compound system consists of a horizontal and a vertical one.
    let horizontal = text.split("VERT_CS[").next()?.split("VERTCRS[").next()?;
    let is_projected = horizontal.contains("PROJCS[") || horizontal.contains("PROJCRS[");
    if !is_projected {
        let is_geographic = ["GEOGCS[", "GEOGCRS[", "GEODCRS["].iter().any(|k| text.contains(k));
        return is_geographic.then(|| "degrees".to_string());
    }
    // The unit of a projected system comes after the unit of the geographic system within it.
    unit_of_name(last_unit(horizontal)?).map(str::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_well_known_text_are_those_of_the_horizontal_coordinates() {
        let geographic = "GEOGCS[\"WGS 84\",DATUM[\"WGS_1984\",SPHEROID[\"WGS 84\",6378137,298.3]],\
                          PRIMEM[\"Greenwich\",0],UNIT[\"degree\",0.0174532925199433]]";
        let projected = |unit: &str| {
            format!("PROJCS[\"UTM 33N\",{geographic},PROJECTION[\"TM\"],UNIT[\"{unit}\",1]]")
        };
        let compound = |horizontal: &str| {
            format!("COMPD_CS[\"both\",{horizontal},VERT_CS[\"height\",UNIT[\"foot\",0.3048]]]")
        };
        for (text, unit) in [
            (geographic.to_string(), Some("degrees")),
            (projected("metre"), Some("m")),
            (projected("US survey foot"), Some("US survey ft")),
            (projected("Foot_US"), Some("US survey ft")),
            (projected("foot"), Some("ft")),
            (projected("link"), None),
            (compound(geographic), Some("degrees")),
            (compound(&projected("metre")), Some("m")),
            ("nonsense".to_string(), None),
        ] {
            assert_eq!(unit_of_wkt(text.as_bytes()).as_deref(), unit, "{text}");
        }
    }
}
