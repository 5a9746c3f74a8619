//! Reader of PCD, the format of the Point Cloud Library: a text header, followed by text, by binary
//! records, or by fields compressed with LZF.

use super::CloudReport;
use super::gather::{Depth, Gather};
use super::lzf;
use super::records::{self, Column, Place, Records};
use super::stream::Stream;
use super::table::{self, Roles};
use super::wanted::{Chosen, Wanted, kind_of};
use crate::scalar::Scalar;
use crate::text::{Lines, Row, parse, show};
use zeroset_core::cloud::PointCloud;
use zeroset_core::error::{Flaw, Result};

/// The largest number of header bytes, and the largest number of values per record.
const HEAD: usize = 64 << 10;
const MOST: usize = 10_000;

/// A field of the records.
struct Field {
    name: String,
    scalar: Scalar,
    /// The number of values of the field in each record.
    count: usize,
    /// The offset of the field in a record: in bytes (`at`) and in values (`column`).
    at: usize,
    column: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum Data {
    Ascii,
    Binary,
    Compressed,
}

struct Header {
    version: String,
    fields: Vec<Field>,
    n: u64,
    data: Data,
    /// Whether the sensor position differs from the origin.
    moved: bool,
    /// Bytes (`stride`) and values (`columns`) per record.
    stride: usize,
    columns: usize,
}

/// Reads a PCD file.
///
/// # Errors
/// Returns a [`Flaw`] that names the line or byte if the header is damaged, if there are fewer
/// points than declared, or if compressed data cannot be decompressed.
pub(super) fn read(mut stream: Stream, wanted: &Wanted) -> Result<(PointCloud, CloudReport), Flaw> {
    let head = stream.fill(HEAD)?;
    let mut lines = Lines::of_header(head);
    let header = read_header(&mut lines)?;
    let (begin, line) = (lines.consumed(), lines.number());
    stream.take(begin);
    // Some programs write the names in upper case.
    let is = |exact: bool, f: &Field, name: &str| match exact {
        true => f.name == name,
        false => f.name.eq_ignore_ascii_case(name),
    };
    let field = |name: &str| {
        [true, false].iter().find_map(|&exact| header.fields.iter().find(|f| is(exact, f, name)))
    };
    let three = |names: [&str; 3]| {
        let [a, b, c] = names.map(field);
        Some([a?, b?, c?])
    };
    let Some(position) = three(["x", "y", "z"]) else {
        let what = "the header does not have the fields x, y and z";
        return Err(Flaw::whole(what, "export the points again"));
    };
    let normal = three(["normal_x", "normal_y", "normal_z"]);
    let packed = field("rgb").or_else(|| field("rgba")).filter(|f| f.scalar.size() == 4);
    let color = three(["r", "g", "b"]).filter(|_| packed.is_none());
    let depth = packed.map(|_| Depth::Byte).or(color.map(|_| Depth::Real));
    let used = position.iter().chain(normal.iter().flatten()).chain(color.iter().flatten());
    let used: Vec<usize> = used.copied().chain(packed).map(|f| f.column).collect();
    let chosen = others(&header.fields, &used, wanted);
    let of = |room| {
        let mut all = Gather::new(normal.is_some(), depth, room);
        chosen.add_to(&mut all);
        all
    };
    let n = header.n;
    let mut all;
    if header.data == Data::Ascii {
        all = of(stream.promised(n, 2 * header.columns as u64, "points")?);
        let columns = |fields: [&Field; 3]| fields.map(|f| f.column);
        let packed = packed.map(|f| match f.scalar.is_float() {
            true => table::Paint::PackedReal(f.column),
            false => table::Paint::Packed(f.column),
        });
        let roles = Roles {
            columns: header.columns,
            position: columns(position),
            normal: normal.map(columns),
            color: packed.or(color.map(|c| table::Paint::Three(columns(c)))),
            attributes: chosen.places.iter().map(|f| f.column).collect(),
            counts: false,
        };
        table::read(&mut stream, &roles, Some(n), line, &mut all)?;
    } else {
        let compressed = header.data == Data::Compressed;
        let place = |f: &Field| match compressed {
            // In compressed files, all values of a field are stored together.
            true => {
                let step = f.scalar.size() * f.count;
                Place { at: f.at * n as usize, step, scalar: f.scalar }
            }
            false => Place { at: f.at, step: header.stride, scalar: f.scalar },
        };
        // The sizes are checked before the offsets are computed, so that the offsets cannot
        // overflow.
        let size = u64::try_from(u128::from(n) * header.stride as u128).unwrap_or(u64::MAX);
        let unpacked = if compressed { Some(unpack(&mut stream, size)?) } else { None };
        let room = match &unpacked {
            Some(_) => n as usize,
            None => stream.promised(n, header.stride as u64, "points")?,
        };
        all = of(room);
        let places = |fields: [&Field; 3]| fields.map(place);
        let records = Records {
            big_endian: false,
            stride: header.stride,
            position: places(position),
            scale: [1.0; 3],
            offset: [0.0; 3],
            normal: normal.map(places),
            color: packed
                .map(|f| records::Paint::Packed(place(f)))
                .or(color.map(|c| records::Paint::Three(places(c)))),
            attributes: chosen.places.iter().map(|f| Column::whole(place(f))).collect(),
            class: None,
        };
        match unpacked {
            Some(bytes) => records.decode(&bytes, n as usize, &mut all),
            None => records.read(&mut stream, n, &mut all)?,
        }
    }
    let (cloud, mut report) = all.finish("pcd", header.version)?;
    if header.moved {
        report.warnings.push("the sensor position (VIEWPOINT) is not applied".to_string());
    }
    Ok((cloud, report))
}

/// Selects the attributes to read: fields with one value per record whose columns are not in
/// `used`. Fields named `_` are padding.
fn others<'a>(fields: &'a [Field], used: &[usize], wanted: &Wanted) -> Chosen<&'a Field> {
    let is_other = |f: &&Field| f.count == 1 && f.name != "_" && !used.contains(&f.column);
    let others = fields.iter().filter(is_other);
    wanted.choose(others.map(|f| (f.name.clone(), kind_of(f.scalar), f)))
}

/// Decompresses the fields, which are stored one after another. They have `size` bytes in total
/// after decompression.
fn unpack(stream: &mut Stream, size: u64) -> Result<Vec<u8>, Flaw> {
    const CUT: &str = "the file is truncated: copy or export it again";
    let Some(&[a, b, c, d, e, f, g, h]) = stream.fill(8)?.first_chunk() else {
        return Err(stream.fail("the file ends where the compressed data should begin", CUT));
    };
    let [packed, unpacked] = [[a, b, c, d], [e, f, g, h]].map(u32::from_le_bytes);
    if u64::from(unpacked) != size {
        let what = format!("expected compressed data of {size} bytes, but {unpacked} are declared");
        return Err(stream.fail(what, "the header is damaged: export the file again"));
    }
    stream.take(8);
    stream.promised(u64::from(packed), 1, "compressed bytes")?;
    // LZF alone stays within the limit, but a gzip stream around it may not.
    if size / lzf::LARGEST_RATIO <= u64::from(packed) {
        stream.may_unpack(size)?;
    }
    let length = packed as usize;
    let Some(found) = stream.fill(length)?.get(..length) else {
        return Err(stream.fail(format!("the file ends within {packed} compressed bytes"), CUT));
    };
    lzf::unpack(found, unpacked as usize)
        .map_err(|what| stream.fail(format!("compressed data: {what}"), CUT))
}

fn read_header(lines: &mut Lines) -> Result<Header, Flaw> {
    const DAMAGED: &str = "the header is damaged: export the file again";
    let (mut names, mut sizes, mut types, mut counts) = (vec![], vec![], vec![], None);
    let (mut version, mut moved) = (String::from("0.7"), false);
    let (mut points, mut width, mut height) = (None, None, 1);
    let data = loop {
        let mut row = lines.row(format_args!("\"DATA\""))?;
        let word = row.next_word().unwrap_or_default();
        match word.to_ascii_uppercase().as_slice() {
            b"VERSION" => {
                version = row.next_word().map_or(version, |w| String::from_utf8_lossy(w).into())
            }
            b"FIELDS" | b"COLUMNS" => {
                names = words(&mut row).iter().map(|w| String::from_utf8_lossy(w).into()).collect()
            }
            b"SIZE" => sizes = numbers(&mut row, "size of a field")?,
            b"TYPE" => types = words(&mut row),
            b"COUNT" => counts = Some(numbers(&mut row, "count of a field")?),
            b"WIDTH" => width = Some(row.number::<u64>("WIDTH")?),
            b"HEIGHT" => height = row.number::<u64>("HEIGHT")?,
            b"POINTS" => points = Some(row.number::<u64>("POINTS")?),
            b"VIEWPOINT" => {
                let place: Vec<f64> = words(&mut row).iter().filter_map(|w| parse(w)).collect();
                moved = place.iter().take(3).any(|x| *x != 0.0);
            }
            b"DATA" => break row.next_word().unwrap_or_default().to_ascii_lowercase(),
            word if word.starts_with(b"#") => {}
            _ => {
                return Err(row.expected("header keyword", show(word), DAMAGED));
            }
        }
    };
    let (data, encoding) = match data.as_slice() {
        b"ascii" => (Data::Ascii, "ascii"),
        b"binary" => (Data::Binary, "binary"),
        b"binary_compressed" => (Data::Compressed, "binary_compressed"),
        other => {
            let what = format!("DATA {} is unknown", show(other));
            return Err(lines.fail(what, "use ascii, binary or binary_compressed"));
        }
    };
    let names: Vec<String> = names;
    let counts = counts.unwrap_or_else(|| vec![1; names.len()]);
    if names.is_empty() || [sizes.len(), types.len(), counts.len()] != [names.len(); 3] {
        let what = format!(
            "{} FIELDS, but {} SIZE, {} TYPE and {} COUNT entries",
            names.len(),
            sizes.len(),
            types.len(),
            counts.len()
        );
        return Err(lines.fail(what, DAMAGED));
    }
    let (mut fields, mut stride, mut columns) = (Vec::new(), 0, 0);
    for (((name, size), kind), count) in names.into_iter().zip(sizes).zip(types).zip(counts) {
        let scalar = match (kind.to_ascii_uppercase().as_slice(), size) {
            (b"F", 4) => Scalar::F32,
            (b"F", 8) => Scalar::F64,
            (b"I", 1) => Scalar::I8,
            (b"I", 2) => Scalar::I16,
            (b"I", 4) => Scalar::I32,
            (b"I", 8) => Scalar::I64,
            (b"U", 1) => Scalar::U8,
            (b"U", 2) => Scalar::U16,
            (b"U", 4) => Scalar::U32,
            (b"U", 8) => Scalar::U64,
            _ => {
                let what = format!(
                    "field {} has type {} of size {size}",
                    show(name.as_bytes()),
                    show(kind)
                );
                return Err(
                    lines.fail(what, "use F of size 4 or 8, or I or U of size 1, 2, 4 or 8")
                );
            }
        };
        if count == 0 || columns + count > MOST {
            let what = format!("expected 1 to {MOST} numbers per record, found a field of {count}");
            return Err(lines.fail(what, DAMAGED));
        }
        fields.push(Field { name, scalar, count, at: stride, column: columns });
        stride += scalar.size() * count;
        columns += count;
    }
    let size = width.map(|width: u64| width.saturating_mul(height));
    let Some(n) = points.or(size) else {
        return Err(lines.fail("the header has neither POINTS nor WIDTH", DAMAGED));
    };
    let version = format!("{} {encoding}", version.chars().take(16).collect::<String>());
    Ok(Header { version, fields, n, data, moved, stride, columns })
}

fn words<'a>(row: &mut Row<'a>) -> Vec<&'a [u8]> {
    std::iter::from_fn(|| row.next_word()).take(MOST).collect()
}

fn numbers(row: &mut Row, what: &str) -> Result<Vec<usize>, Flaw> {
    let mut found = Vec::new();
    for word in words(row) {
        match parse::<usize>(word).filter(|n| *n <= MOST) {
            Some(n) => found.push(n),
            None => {
                return Err(row.expected(
                    format_args!("{what}"),
                    show(word),
                    "fix or export the file again",
                ));
            }
        }
    }
    Ok(found)
}
