//! Reader of NRRD: header and numbers in one file (`.nrrd`), or a header that names data files
//! (`.nhdr`).
//!
//! Source: "Definition of NRRD File Format" (teem, versions 1 to 5).

mod axes;
mod header;
mod segments;

use std::path::Path;

use self::axes::{Axes, Axis};
pub(super) use self::header::is_header;
use self::header::{Header, show_text, vectors};
use super::data_files::{self, Encoding, Layout, Skip};
use super::{DAMAGED, Found, VolumeFile, VolumeOptions};
use crate::budget::Budget;
use crate::scalar::Scalar;
use zeroset_core::error::{Flaw, FlawKind, Result};
use zeroset_core::volume::Placement;

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

/// Returns the name of the space whose axes have the directions `frame`, such as "RAS".
pub(super) fn space_of(frame: &str) -> Option<&'static str> {
    SPACES.iter().find(|space| space.1 == frame).map(|space| space.0)
}

/// Reads a volume from an NRRD file. `path` locates the data files, if the header names any.
pub(super) fn read(
    path: &Path,
    bytes: &[u8],
    mut budget: Budget,
    options: &VolumeOptions,
) -> Result<VolumeFile, Flaw> {
    let header = Header::parse(bytes)?;
    let all = Axes::of(&header)?;
    let counts = all.counts();
    let segments = segments::of_pairs(&header.pairs);
    let segment = segments::wanted(&segments, options)?;
    let layer = segment.map_or(options.layer, |segment| Some(segment.layer));
    let names = match counts.layers {
        1 => all.channel_names(),
        n => segments::layer_names(&segments, n),
    };
    let chosen = options.clone().layer(layer).choose(counts, &names)?;
    let axes = all.spatial();
    let shape: [usize; 3] = std::array::from_fn(|k| axes.get(k).map_or(1, |axis| axis.size));
    // The numbers of all layers, volumes and channels are read as if they were slices.
    let n = counts.layers.saturating_mul(counts.volumes).saturating_mul(counts.channels);
    let slices = shape[2].saturating_mul(n);
    let stored = [shape[0], shape[1], slices];
    let layout = layout(&header)?;
    let mut warnings = Vec::new();
    let names = files(&header)?;
    let samples = if header.get(&["datafile"]).is_none() {
        let data = bytes.get(header.end..).unwrap_or_default();
        data_files::part_of(data, stored, &layout, &mut budget, &mut warnings)?
    } else {
        data_files::read(path, &names, stored, &layout, &mut warnings)?
    };
    let samples = all.picked(samples, chosen);
    let samples = match segment {
        Some(segment) => segments::mask(&samples, segment),
        None => samples,
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
        name: match segment {
            Some(segment) => segment.name.clone(),
            None => header.get(&["content"]).unwrap_or_default().to_string(),
        },
        stated: std::array::from_fn(|k| axes.get(k).is_some_and(Axis::states_spacing)),
        ..Found::new(shape, samples)
    };
    let stated_spacing = found.stated;
    Ok(VolumeFile {
        volume: found.volume()?,
        format: "nrrd",
        version: format!("{} {}", header.version, layout.words(!names.is_empty())),
        space: None,
        stated_spacing,
        warnings,
        state: Default::default(),
    })
}
