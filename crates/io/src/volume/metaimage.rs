//! Reader of MetaImage: header and numbers in one file (`.mha`), or a header that names data files
//! (`.mhd`).
//!
//! Sources: "MetaIO documentation" (Kitware) and ITK's reader, which uses row k of TransformMatrix
//! as the direction of axis k.

use std::collections::BTreeMap;
use std::path::Path;

use super::super::budget::Budget;
use super::super::scalar::Scalar;
use super::super::text::{Lines, show};
use super::data_files::{self, Encoding, Layout, Skip};
use super::{Counts, DAMAGED, Found, ONE_NUMBER, ONE_VOLUME, VolumeFile, VolumeOptions};
use zeroset_core::error::{Flaw, Position, Result};
use zeroset_core::volume::{Placement, Scaling};

/// The content of a header.
struct Header {
    /// The line number and the value of each key. Keys are in lower case.
    keys: BTreeMap<String, (usize, String)>,
    /// The names after `ElementDataFile = LIST`.
    list: Vec<String>,
    /// Byte offset of the numbers if they follow in the same file.
    end: usize,
}

/// Returns true if `bytes` begin like a MetaImage file.
pub(crate) fn is_header(bytes: &[u8]) -> bool {
    let head = bytes.get(..4096).unwrap_or(bytes);
    let begins = |word: &[u8]| head.get(..word.len()).is_some_and(|w| w.eq_ignore_ascii_case(word));
    let holds = |word: &[u8]| head.windows(word.len()).any(|w| w == word);
    begins(b"ObjectType = Image")
        || (begins(b"ObjectType") || begins(b"NDims") || begins(b"Comment"))
            && holds(b"DimSize")
            && holds(b"ElementType")
}

const DATA: &str = "elementdatafile";

impl Header {
    fn parse(bytes: &[u8]) -> Result<Self, Flaw> {
        let mut lines = Lines::of_header(bytes);
        let mut keys = BTreeMap::new();
        let mut list = Vec::new();
        while let Some(line) = lines.next_line() {
            if line.trim_ascii().is_empty() {
                continue;
            }
            let text = String::from_utf8_lossy(line);
            let Some((key, value)) = text.split_once(['=', ':']) else {
                return Err(lines
                    .fail(format!("{} is not of the form \"key = value\"", show(line)), DAMAGED));
            };
            let (key, value) = (key.trim().to_lowercase(), value.trim().to_string());
            let is_list = value.starts_with("LIST");
            keys.insert(key.clone(), (lines.number(), value));
            if key == DATA {
                while let Some(line) = is_list.then(|| lines.next_line()).flatten() {
                    let name = String::from_utf8_lossy(line.trim_ascii()).into_owned();
                    list.extend((!name.is_empty()).then_some(name));
                }
                return Ok(Header { keys, list, end: lines.consumed() });
            }
        }
        Err(lines
            .fail("ElementDataFile is missing, which must be the last line of a header", DAMAGED))
    }

    fn get(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.keys.get(*name)).map(|(_, text)| text.as_str())
    }

    fn fail(&self, names: &[&str], what: impl Into<String>, remedy: &str) -> Flaw {
        let line = names.iter().find_map(|name| self.keys.get(*name)).map(|(line, _)| *line);
        let place = line.map_or_else(|| "header".into(), Position::Line);
        Flaw::at(place, what, remedy)
    }

    fn truth(&self, names: &[&str]) -> bool {
        self.get(names).is_some_and(|text| text.starts_with(['T', 't', '1']))
    }

    /// Returns the `n` numbers of the first key in `names` that is present, or `None` if none is.
    fn numbers<T: std::str::FromStr>(
        &self,
        names: &[&str],
        n: usize,
    ) -> Result<Option<Vec<T>>, Flaw> {
        let Some(text) = self.get(names) else { return Ok(None) };
        let found: Option<Vec<T>> = text.split_whitespace().map(|word| word.parse().ok()).collect();
        found.filter(|found| found.len() == n).map(Some).ok_or_else(|| {
            let what = format!(
                "{n} numbers expected (sizes must be positive whole numbers), found {}",
                show(text.as_bytes())
            );
            self.fail(names, what, DAMAGED)
        })
    }

    /// Returns the value of the key `name` as a number, or `absent` if the key is missing.
    fn number<T: std::str::FromStr + Copy>(&self, name: &str, absent: T) -> Result<T, Flaw> {
        Ok(self.numbers::<T>(&[name], 1)?.map_or(absent, |n| n[0]))
    }
}

/// The number types by their MetaImage names. The 32-bit `long` is left out because no program
/// writes it.
const TYPES: [(&str, Scalar); 10] = [
    ("MET_CHAR", Scalar::I8),
    ("MET_UCHAR", Scalar::U8),
    ("MET_SHORT", Scalar::I16),
    ("MET_USHORT", Scalar::U16),
    ("MET_INT", Scalar::I32),
    ("MET_UINT", Scalar::U32),
    ("MET_LONG_LONG", Scalar::I64),
    ("MET_ULONG_LONG", Scalar::U64),
    ("MET_FLOAT", Scalar::F32),
    ("MET_DOUBLE", Scalar::F64),
];

/// Returns the MetaImage name of a type such as "int16", or `MET_DOUBLE` for an unknown type.
pub(super) fn type_of(name: &str) -> &'static str {
    let of = |&&(_, scalar): &&(&str, Scalar)| super::stored::type_name(scalar) == name;
    TYPES.iter().find(of).map_or("MET_DOUBLE", |known| known.0)
}

/// Returns the sizes along the axes of the file, and the numbers of volumes and channels. Volumes
/// lie along the fourth axis, and further axes must have size 1.
fn sizes(header: &Header) -> Result<(Vec<usize>, Counts), Flaw> {
    let n: usize = header.number("ndims", 0)?;
    if !(1..=10).contains(&n) {
        let what = format!("{n} dimensions, expected 1 to 3");
        return Err(header.fail(&["ndims"], what, DAMAGED));
    }
    let Some(sizes) = header.numbers::<usize>(&["dimsize"], n)? else {
        return Err(header.fail(&[], "DimSize is missing", DAMAGED));
    };
    if sizes.contains(&0) {
        return Err(header.fail(
            &["dimsize"],
            format!("sizes {sizes:?}: there is no voxel"),
            DAMAGED,
        ));
    }
    if sizes.iter().skip(4).any(|&size| size > 1) {
        let what = format!("{n}-D: sizes {sizes:?}, expected at most 4 axes");
        return Err(header.fail(&["dimsize"], what, ONE_VOLUME));
    }
    let channels: usize = header.number("elementnumberofchannels", 1)?;
    if channels == 0 {
        let what = "0 numbers in each voxel";
        return Err(header.fail(&["elementnumberofchannels"], what, DAMAGED));
    }
    let volumes = sizes.get(3).copied().unwrap_or(1);
    Ok((sizes, Counts { layers: 1, volumes, channels }))
}

fn layout(header: &Header) -> Result<Layout, Flaw> {
    let named = header.get(&["elementtype"]).unwrap_or_default();
    let Some(&(_, scalar)) = TYPES.iter().find(|(name, _)| named.eq_ignore_ascii_case(name)) else {
        let (what, remedy) = match named.to_ascii_uppercase().ends_with("_ARRAY") {
            true => (format!("{named}: several numbers in each voxel"), ONE_NUMBER),
            false => (
                format!("{} is not a number type", show(named.as_bytes())),
                "use MET_UCHAR, MET_SHORT, MET_FLOAT or a similar type",
            ),
        };
        return Err(header.fail(&["elementtype"], what, remedy));
    };
    let binary = header.get(&["binarydata"]).is_none() || header.truth(&["binarydata"]);
    let encoding = match (binary, header.truth(&["compresseddata"])) {
        (false, _) => Encoding::Text,
        (true, true) => Encoding::Zlib,
        (true, false) => Encoding::Raw,
    };
    let skip = match header.number::<i64>("headersize", 0)? {
        -1 => Skip::FromTheEnd,
        n => Skip::Bytes(usize::try_from(n).map_err(|_| {
            header.fail(
                &["headersize"],
                format!("HeaderSize is {n}, expected -1 or a byte count"),
                DAMAGED,
            )
        })?),
    };
    let big_endian = header.truth(&["binarydatabyteordermsb", "elementbyteordermsb"]);
    Ok(Layout { scalar, big_endian, encoding, lines: 0, skip })
}

/// Returns the names of the data files, or `None` if the numbers follow the header.
fn files(header: &Header) -> Result<Option<Vec<String>>, Flaw> {
    let text = header.get(&[DATA]).unwrap_or_default();
    let words: Vec<&str> = text.split_whitespace().collect();
    match words.as_slice() {
        ["LOCAL" | "Local" | "local"] => Ok(None),
        ["LIST", ..] => Ok(Some(header.list.clone())),
        [pattern, range @ ..] if pattern.contains('%') && !range.is_empty() => {
            let numbers: Option<Vec<i64>> = range.iter().map(|word| word.parse().ok()).collect();
            let range = match numbers.as_deref() {
                Some(&[first, last]) => [first, last, 1],
                Some(&[first, last, step]) => [first, last, step],
                _ => {
                    let what = format!("numbers expected after {pattern}, found {range:?}");
                    return Err(header.fail(&[DATA], what, DAMAGED));
                }
            };
            data_files::counted(pattern, range).map(Some)
        }
        _ => Ok(Some(vec![text.to_string()])),
    }
}

/// Returns the names of the data files of a header.
pub(super) fn data_file_names(bytes: &[u8]) -> Result<Vec<String>, Flaw> {
    files(&Header::parse(bytes)?).map(Option::unwrap_or_default)
}

/// Reads a volume from a MetaImage file. `path` locates the data files, if the header names any.
pub(super) fn read(
    path: &Path,
    bytes: &[u8],
    mut budget: Budget,
    options: &VolumeOptions,
) -> Result<VolumeFile, Flaw> {
    let header = Header::parse(bytes)?;
    let (sizes, counts) = sizes(&header)?;
    let chosen = options.choose(counts, &[])?;
    let n = sizes.len();
    let shape: [usize; 3] = std::array::from_fn(|k| sizes.get(k).copied().unwrap_or(1));
    // The numbers of all volumes and channels are read as if they were slices.
    let slices = shape[2].saturating_mul(counts.volumes).saturating_mul(counts.channels);
    let stored = [shape[0], shape[1], slices];
    let layout = layout(&header)?;
    let mut warnings = Vec::new();
    let names = files(&header)?;
    let local = names.is_none();
    let names = names.unwrap_or_default();
    let samples = if local {
        let data = bytes.get(header.end..).unwrap_or_default();
        data_files::part_of(data, stored, &layout, &mut budget, &mut warnings)?
    } else {
        data_files::read(path, &names, stored, &layout, &mut warnings)?
    };
    let one: usize = shape.iter().product();
    let samples = samples.picked(one * counts.channels, counts.volumes, chosen.volume);
    let samples = samples.picked(1, counts.channels, chosen.channel);
    let numbers = |names: &[&str], n| header.numbers::<f64>(names, n);
    let per_axis = |names: &[&str], absent: f64| -> Result<[f64; 3], Flaw> {
        let found = numbers(names, n)?.unwrap_or_default();
        Ok(std::array::from_fn(|k| found.get(k).copied().unwrap_or(absent)))
    };
    let spacing = per_axis(&["elementspacing", "elementsize"], 1.0)?;
    let origin = per_axis(&["offset", "position", "origin"], 0.0)?;
    let spacing_keys = ["elementspacing", "elementsize"];
    let stated_spacing = [header.get(&spacing_keys).is_some(); 3];
    let mut directions = Placement::identity().steps();
    if let Some(matrix) = numbers(&["transformmatrix", "rotation", "orientation"], n * n)? {
        for k in 0..n.min(3) {
            for world in 0..n.min(3) {
                directions[k][world] = matrix[k * n + world];
            }
        }
    }
    let slope = header.number("elementtointensityfunctionslope", 1.0)?;
    let intercept = header.number("elementtointensityfunctionoffset", 0.0)?;
    let found = Found {
        placement: Placement::from_spacing(shape, origin, spacing, directions),
        scaling: Scaling { slope, intercept },
        frame: header.get(&["anatomicalorientation"]).map(|_| "LPS".to_string()),
        units: header.get(&["distanceunits"]).map(String::from).filter(|unit| unit != "?"),
        name: header.get(&["name"]).unwrap_or_default().to_string(),
        ..Found::new(shape, samples)
    };
    Ok(VolumeFile {
        volume: found.volume()?,
        format: "metaimage",
        version: layout.words(!local),
        space: None,
        stated_spacing,
        warnings,
        state: Default::default(),
    })
}
