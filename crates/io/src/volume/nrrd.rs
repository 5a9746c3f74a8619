//! Reader of NRRD: header and numbers in one file (`.nrrd`), or a header that names data files
//! (`.nhdr`).
//!
//! Source: "Definition of NRRD File Format" (teem, versions 1 to 5).

use std::collections::BTreeMap;
use std::path::Path;

use super::super::budget::Budget;
use super::super::scalar::Scalar;
use super::super::text::{Lines, parse, show};
use super::data_files::{self, Encoding, Layout, Skip};
use super::{DAMAGED, Found, ONE_FRAME, ONE_NUMBER, VolumeFile};
use zeroset_core::error::{Flaw, FlawKind, Position, Result};
use zeroset_core::volume::Placement;

/// The content of a header.
struct Header {
    version: String,
    /// Line number and text of each field, by its name in lower case without blanks.
    fields: BTreeMap<String, (usize, String)>,
    /// The names after `data file: LIST`.
    list: Vec<String>,
    /// Byte offset of the numbers after an attached header.
    end: usize,
}

const MAGIC: &[u8] = b"NRRD000";

/// Returns true if `bytes` begin like an NRRD file.
pub(crate) fn is_header(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

impl Header {
    fn parse(bytes: &[u8]) -> Result<Self, Flaw> {
        let mut lines = Lines::of_header(bytes);
        let magic = lines.next_line().unwrap_or_default();
        let version = magic.strip_prefix(MAGIC).and_then(parse::<u8>);
        let Some(version @ 1..=5) = version else {
            let what = format!("found {}, expected NRRD0001 to NRRD0005", show(magic));
            return Err(lines.fail(what, DAMAGED));
        };
        let mut fields = BTreeMap::new();
        let mut list = Vec::new();
        while let Some(line) = lines.next_line() {
            if line.is_empty() {
                break;
            }
            let text = String::from_utf8_lossy(line);
            if text.starts_with('#') || text.contains(":=") {
                continue;
            }
            let Some((name, value)) = text.split_once(':') else {
                return Err(lines
                    .fail(format!("{} is not of the form \"field: value\"", show(line)), DAMAGED));
            };
            let name: String =
                name.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_lowercase();
            let value = value.trim().to_string();
            let is_list = name == "datafile" && value.split_whitespace().next() == Some("LIST");
            fields.insert(name, (lines.number(), value));
            if is_list {
                while let Some(line) = lines.next_line() {
                    let name = String::from_utf8_lossy(line.trim_ascii()).into_owned();
                    list.extend((!name.is_empty()).then_some(name));
                }
            }
        }
        Ok(Header { version: version.to_string(), fields, list, end: lines.consumed() })
    }

    /// Returns the text of the first field in `names` that is present, or `None` if none is.
    fn get(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.fields.get(*name)).map(|(_, text)| text.as_str())
    }

    fn fail(&self, names: &[&str], what: impl Into<String>, remedy: &str) -> Flaw {
        let line = names.iter().find_map(|name| self.fields.get(*name)).map(|(line, _)| *line);
        let place = line.map_or_else(|| "header".into(), Position::Line);
        Flaw::at(place, what, remedy)
    }

    /// Returns the `n` numbers of the first field in `names` that is present, or `None` if none is.
    fn numbers<T: std::str::FromStr>(
        &self,
        names: &[&str],
        n: usize,
    ) -> Result<Option<Vec<T>>, Flaw> {
        let Some(text) = self.get(names) else { return Ok(None) };
        let found: Option<Vec<T>> = text.split_whitespace().map(|word| word.parse().ok()).collect();
        match found.filter(|found| found.len() == n) {
            Some(found) => Ok(Some(found)),
            None => {
                let what = format!(
                    "{}: {n} numbers expected (sizes must be positive whole numbers), found {}",
                    names[0],
                    show_text(text)
                );
                Err(self.fail(names, what, DAMAGED))
            }
        }
    }

    /// Returns the value of the first field in `names` that is present, as a number, or `absent` if
    /// none is.
    fn count<T: std::str::FromStr + Copy>(&self, names: &[&str], absent: T) -> Result<T, Flaw> {
        Ok(self.numbers::<T>(names, 1)?.map_or(absent, |n| n[0]))
    }
}

fn show_text(text: &str) -> String {
    show(text.as_bytes())
}

/// Parses a vector per axis, such as "(1,2,3) none (4,5,6)". An axis without a vector gives an
/// inner `None`. Returns an outer `None` if the text is not valid.
fn vectors(text: &str) -> Option<Vec<Option<Vec<f64>>>> {
    let mut found = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        if let Some(inside) = rest.strip_prefix('(') {
            let (vector, after) = inside.split_once(')')?;
            let numbers = vector.split(',').map(|word| word.trim().parse().ok());
            found.push(Some(numbers.collect::<Option<Vec<f64>>>()?));
            rest = after.trim_start();
        } else {
            rest = rest.strip_prefix("none")?.trim_start();
            found.push(None);
        }
    }
    Some(found)
}

/// Returns the quoted parts of a text, or its words if it has no quotation marks.
fn quoted(text: &str) -> Vec<String> {
    match text.contains('"') {
        true => text.split('"').skip(1).step_by(2).map(String::from).collect(),
        false => text.split_whitespace().map(String::from).collect(),
    }
}

/// The description of an array axis in the header.
#[derive(Clone, Debug)]
struct Axis {
    size: usize,
    /// Whether voxels lie along the axis, rather than frames or the components of a voxel.
    spatial: bool,
    kind: String,
    direction: Option<Vec<f64>>,
    spacing: f64,
    min: f64,
    max: f64,
    cell: bool,
    unit: String,
}

/// The kinds of axes along which voxels lie.
const SPATIAL: [&str; 4] = ["domain", "space", "???", "none"];

fn axes(header: &Header) -> Result<Vec<Axis>, Flaw> {
    let n: usize = header.count(&["dimension"], 0)?;
    if !(1..=16).contains(&n) {
        let what = format!("dimension {n}, expected 1 to 16");
        return Err(header.fail(&["dimension"], what, DAMAGED));
    }
    let Some(sizes) = header.numbers::<usize>(&["sizes"], n)? else {
        return Err(header.fail(&[], "the field sizes is missing", DAMAGED));
    };
    if sizes.contains(&0) {
        return Err(header.fail(
            &["sizes"],
            format!("sizes {sizes:?}: there is no voxel"),
            DAMAGED,
        ));
    }
    let words =
        |names: &[&str]| -> Vec<String> { header.get(names).map(quoted).unwrap_or_default() };
    let kinds = words(&["kinds"]);
    let centers = words(&["centers", "centerings"]);
    let units = match header.get(&["spaceunits"]) {
        Some(text) => quoted(text),
        None => words(&["units"]),
    };
    let directions = match header.get(&["spacedirections"]) {
        None => vec![None; n],
        Some(text) => vectors(text).filter(|found| found.len() == n).ok_or_else(|| {
            let what = format!("{n} vectors expected, found {}", show_text(text));
            header.fail(&["spacedirections"], what, DAMAGED)
        })?,
    };
    let placed = header.get(&["spacedirections"]).is_some();
    let numbers = |names: &[&str], absent: f64| -> Result<Vec<f64>, Flaw> {
        let found = header.numbers(names, n)?.unwrap_or_else(|| vec![absent; n]);
        Ok(found.iter().map(|&x: &f64| if x.is_nan() { absent } else { x }).collect())
    };
    let spacing = numbers(&["spacings"], f64::NAN)?;
    let min = numbers(&["axismins"], f64::NAN)?;
    let max = numbers(&["axismaxs"], f64::NAN)?;
    let axis = |k: usize| {
        let kind = kinds.get(k).cloned().unwrap_or("???".into());
        let spatial = SPATIAL.contains(&kind.to_lowercase().as_str());
        Axis {
            size: sizes[k],
            spatial: spatial && !(placed && directions[k].is_none()),
            kind,
            direction: directions[k].clone(),
            spacing: spacing[k],
            min: min[k],
            max: max[k],
            cell: centers.get(k).is_some_and(|c| c == "cell"),
            unit: units.get(k).cloned().unwrap_or_default(),
        }
    };
    Ok((0..n).map(axis).collect())
}

/// Returns the spatial axes. Trailing axes of size 1 beyond the third are dropped, and at most
/// three axes may remain. All axes that are not spatial must have size 1.
fn of_space(header: &Header, axes: Vec<Axis>) -> Result<Vec<Axis>, Flaw> {
    let n = axes.len();
    let other = axes.iter().enumerate().find(|(_, axis)| !axis.spatial && axis.size > 1);
    if let Some((k, Axis { size, kind, .. })) = other {
        let frames = matches!(kind.to_lowercase().as_str(), "time" | "list");
        let (what, remedy) = match frames {
            true => (format!("{n}-D: {size} frames along axis {k}, expected one"), ONE_FRAME),
            false => (format!("{size} numbers in each voxel (axis {k}, {kind})"), ONE_NUMBER),
        };
        return Err(header.fail(&["kinds", "sizes"], what, remedy));
    }
    let mut space: Vec<Axis> = axes.into_iter().filter(|axis| axis.spatial).collect();
    while space.len() > 3 && space.last().is_some_and(|axis| axis.size == 1) {
        space.pop();
    }
    if space.len() > 3 {
        let sizes: Vec<usize> = space.iter().map(|axis| axis.size).collect();
        let what = format!("{n}-D: sizes {sizes:?}, expected one volume");
        return Err(header.fail(&["sizes"], what, ONE_FRAME));
    }
    Ok(space)
}

/// Returns the placement of the voxels. The outer result is an error if a field is not valid. The
/// inner result is an error if valid fields do not give a valid placement.
fn placement(
    header: &Header,
    axes: &[Axis],
    shape: [usize; 3],
) -> Result<Result<Placement, Flaw>, Flaw> {
    let padded = |v: &[f64]| -> Option<[f64; 3]> {
        (1..=3)
            .contains(&v.len())
            .then(|| std::array::from_fn(|k| v.get(k).copied().unwrap_or(0.0)))
    };
    if axes.iter().any(|axis| axis.direction.is_some()) {
        let mut steps = [[0.0; 3]; 3];
        for (step, axis) in steps.iter_mut().zip(axes) {
            let direction = axis.direction.as_deref().and_then(padded);
            *step = direction.ok_or_else(|| {
                let what = "the directions have more than 3 numbers";
                header.fail(
                    &["spacedirections"],
                    what,
                    "place the volume in a space of 3 dimensions",
                )
            })?;
        }
        let origin = match header.get(&["spaceorigin"]) {
            None => [0.0; 3],
            Some(text) => {
                let found = vectors(text).and_then(|found| padded(found.first()?.as_deref()?));
                found.ok_or_else(|| {
                    let what = format!("expected a vector, found {}", show_text(text));
                    header.fail(&["spaceorigin"], what, DAMAGED)
                })?
            }
        };
        return Ok(Placement::new(shape, origin, steps));
    }
    let mut spacing = [1.0; 3];
    let mut origin = [0.0; 3];
    for (k, axis) in axes.iter().enumerate() {
        let samples = axis.size as f64;
        // Axis bounds refer to the outer faces of the first and last voxel if the axis has the
        // centering "cell", else to the centers of these voxels.
        let intervals = if axis.cell { samples } else { samples - 1.0 };
        if !axis.spacing.is_nan() {
            spacing[k] = axis.spacing;
        } else if (axis.max - axis.min).is_finite() && intervals > 0.0 {
            spacing[k] = (axis.max - axis.min) / intervals;
        }
        if !axis.min.is_nan() {
            origin[k] = axis.min + if axis.cell { 0.5 * spacing[k] } else { 0.0 };
        }
    }
    let unit = Placement::identity().steps();
    Ok(Placement::from_spacing(shape, origin, spacing, unit))
}

/// The number types by their names.
const TYPES: [(Scalar, &[&str]); 10] = [
    (Scalar::I8, &["signed char", "int8", "int8_t"]),
    (Scalar::U8, &["uchar", "unsigned char", "uint8", "uint8_t"]),
    (Scalar::I16, &["short", "short int", "signed short", "signed short int", "int16", "int16_t"]),
    (Scalar::U16, &["ushort", "unsigned short", "unsigned short int", "uint16", "uint16_t"]),
    (Scalar::I32, &["int", "signed int", "int32", "int32_t"]),
    (Scalar::U32, &["uint", "unsigned int", "uint32", "uint32_t"]),
    (
        Scalar::I64,
        &[
            "longlong",
            "long long",
            "long long int",
            "signed long long",
            "signed long long int",
            "int64",
            "int64_t",
        ],
    ),
    (
        Scalar::U64,
        &["ulonglong", "unsigned long long", "unsigned long long int", "uint64", "uint64_t"],
    ),
    (Scalar::F32, &["float"]),
    (Scalar::F64, &["double"]),
];

fn layout(header: &Header) -> Result<Layout, Flaw> {
    let named = header.get(&["type"]).unwrap_or_default();
    let found = TYPES.iter().find(|(_, names)| names.contains(&named.to_lowercase().as_str()));
    let Some(&(scalar, _)) = found else {
        let what = format!("{} is not a number type", show_text(named));
        return Err(header.fail(&["type"], what, "use uint8, int16, float or a similar type"));
    };
    let encoding = match header.get(&["encoding"]).unwrap_or_default().to_lowercase().as_str() {
        "raw" => Encoding::Raw,
        "gzip" | "gz" => Encoding::Gzip,
        "txt" | "text" | "ascii" => Encoding::Text,
        other => {
            let what = format!("the encoding {} is not supported", show_text(other));
            let flaw = header.fail(&["encoding"], what, "write it with encoding gzip or raw");
            return Err(flaw.kind_of(FlawKind::Unsupported));
        }
    };
    let big_endian = match header.get(&["endian"]).map(str::to_lowercase).as_deref() {
        Some("little") => false,
        Some("big") => true,
        None if scalar.size() == 1 || encoding == Encoding::Text => false,
        found => {
            let what = format!("the byte order is {}", show_text(found.unwrap_or_default()));
            return Err(header.fail(&["endian"], what, "write `endian: little` or `endian: big`"));
        }
    };
    let skip = match header.count::<i64>(&["byteskip"], 0)? {
        -1 if encoding != Encoding::Text => Skip::FromTheEnd,
        n => match usize::try_from(n) {
            Ok(n) => Skip::Bytes(n),
            Err(_) => {
                let what =
                    format!("byte skip is {n}, expected a byte count, or -1 for binary numbers");
                return Err(header.fail(&["byteskip"], what, DAMAGED));
            }
        },
    };
    let lines = header.count(&["lineskip"], 0)?;
    Ok(Layout { scalar, big_endian, encoding, lines, skip })
}

/// Returns the names of the data files, or no names for an attached header.
fn files(header: &Header) -> Result<Vec<String>, Flaw> {
    let Some(text) = header.get(&["datafile"]) else { return Ok(Vec::new()) };
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.first() == Some(&"LIST") {
        return Ok(header.list.clone());
    }
    if let [pattern, first, last, step, ..] = words.as_slice()
        && pattern.contains('%')
        && let [Ok(first), Ok(last), Ok(step)] = [first, last, step].map(|word| word.parse())
    {
        return data_files::counted(pattern, [first, last, step]);
    }
    Ok(vec![text.to_string()])
}

/// Returns the names of the data files of a header.
pub(super) fn data_file_names(bytes: &[u8]) -> Result<Vec<String>, Flaw> {
    files(&Header::parse(bytes)?)
}

/// The names of spaces, and the directions of their axes.
const SPACES: [(&str, &str); 3] = [
    ("right-anterior-superior", "RAS"),
    ("left-anterior-superior", "LAS"),
    ("left-posterior-superior", "LPS"),
];

/// Returns the name of the space whose axes have the directions `frame`, such as "RAS", if there is
/// one.
pub(super) fn space_of(frame: &str) -> Option<&'static str> {
    SPACES.iter().find(|space| space.1 == frame).map(|space| space.0)
}

/// Reads a volume from an NRRD file. `path` locates the data files, if the header names any.
pub(super) fn read(path: &Path, bytes: &[u8], mut budget: Budget) -> Result<VolumeFile, Flaw> {
    let header = Header::parse(bytes)?;
    let axes = of_space(&header, axes(&header)?)?;
    let shape: [usize; 3] = std::array::from_fn(|k| axes.get(k).map_or(1, |axis| axis.size));
    let layout = layout(&header)?;
    let mut warnings = Vec::new();
    let names = files(&header)?;
    let samples = if header.get(&["datafile"]).is_none() {
        let data = bytes.get(header.end..).unwrap_or_default();
        data_files::part_of(data, shape, &layout, &mut budget, &mut warnings)?
    } else {
        data_files::read(path, &names, shape, &layout, &mut warnings)?
    };
    let frame = header.get(&["space"]).map(|name| {
        let is = |known: &str| known.eq_ignore_ascii_case(name);
        SPACES.iter().find(|space| is(space.0) || is(space.1)).map_or(name, |space| space.1)
    });
    let unit = axes.first().map(|axis| axis.unit.clone()).unwrap_or_default();
    let same = !unit.is_empty() && axes.iter().all(|axis| axis.unit == unit);
    let placement = placement(&header, &axes, shape)?;
    let found = Found {
        placement,
        frame: frame.map(String::from),
        units: same.then_some(unit),
        name: header.get(&["content"]).unwrap_or_default().to_string(),
        ..Found::new(shape, samples)
    };
    Ok(VolumeFile {
        volume: found.volume()?,
        format: "nrrd",
        version: format!("{} {}", header.version, layout.words(!names.is_empty())),
        space: None,
        warnings,
        state: Default::default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_and_words_are_split() {
        let found = vectors("(1, 2,3)none (0,0,-4.5)").unwrap();
        assert_eq!(found, [Some(vec![1.0, 2.0, 3.0]), None, Some(vec![0.0, 0.0, -4.5])]);
        for wrong in ["(1,2", "1 2 3", "(1,a)", "(1)(2) x"] {
            assert_eq!(vectors(wrong), None, "{wrong}");
        }
        assert_eq!(quoted("\"a b\" \"\" \"c\""), ["a b", "", "c"]);
        assert_eq!(quoted("mm  mm"), ["mm", "mm"]);
    }
}
