//! Reader of NIfTI-1 and NIfTI-2: `.nii`, and pairs of `.hdr` and `.img`.
//!
//! Sources: nifti1.h (R. W. Cox, 2003) and nifti2.h. Coordinates follow the three methods of the
//! standard: sform if its code is positive, else qform if its code is positive, else the grid
//! spacings alone, with the first voxel at the origin.

use std::borrow::Cow;
use std::path::Path;

use super::super::scalar::Scalar;
use super::super::{load, sniff};
use super::{
    COLORS, Counts, DAMAGED, Found, ONE_NUMBER, VolumeFile, VolumeOptions, refuse, stored,
    unsupported,
};
use zeroset_core::error::{Flaw, Result};
use zeroset_core::volume::{Placement, Scaling};

/// The content of a header of either version.
#[derive(Debug)]
struct Header {
    version: u8,
    big_endian: bool,
    /// Whether the numbers are in the same file as the header.
    single: bool,
    dim: [i64; 8],
    datatype: i64,
    pixdim: [f64; 8],
    offset: f64,
    slope: f64,
    intercept: f64,
    /// Code of the unit of length, as in [`UNITS`].
    unit: u8,
    qform: i64,
    sform: i64,
    quaternion: [f64; 3],
    shift: [f64; 3],
    /// The rows of the sform matrix.
    rows: [[f64; 4]; 3],
    name: String,
}

/// A reader of numbers at fixed offsets of a header that is known to be long enough.
struct Fields<'a> {
    bytes: &'a [u8],
    big_endian: bool,
}

impl Fields<'_> {
    fn number(&self, scalar: Scalar, at: usize) -> f64 {
        let raw = self.bytes.get(at..at + scalar.size()).unwrap_or_default();
        scalar.one(raw, self.big_endian)
    }

    fn numbers<const N: usize>(&self, scalar: Scalar, at: usize) -> [f64; N] {
        std::array::from_fn(|k| self.number(scalar, at + k * scalar.size()))
    }

    fn whole(&self, scalar: Scalar, at: usize) -> i64 {
        self.number(scalar, at) as i64
    }

    fn text(&self, at: usize, length: usize) -> String {
        let raw = self.bytes.get(at..at + length).unwrap_or_default();
        let end = raw.iter().position(|&b| b == 0).unwrap_or(raw.len());
        String::from_utf8_lossy(&raw[..end]).trim().to_string()
    }
}

/// Returns true if `bytes` begin with a header, judged by its magic bytes.
pub(crate) fn is_header(bytes: &[u8]) -> bool {
    let at = |place: usize, word: &[u8]| bytes.get(place..).is_some_and(|b| b.starts_with(word));
    at(344, b"n+1\0") || at(344, b"ni1\0") || at(4, b"n+2\0") || at(4, b"ni2\0")
}

/// Returns the size in bytes of the single file that begins with the header `head`, as implied by
/// that header. Returns `None` if `head` is not the header of a single file.
pub(crate) fn promised_size(head: &[u8]) -> Option<u64> {
    let header = is_header(head).then(|| parse(head).ok())??;
    let (scalar, colors) = scalar(header.datatype).ok()?;
    let voxels = header
        .dim
        .get(1..=3)?
        .iter()
        .try_fold(1_u64, |n, &size| n.checked_mul(u64::try_from(size).ok()?))?;
    let size = voxels.checked_mul((colors * scalar.size()) as u64)?;
    header.single.then(|| size.saturating_add(header.offset as u64))
}

fn parse(bytes: &[u8]) -> Result<Header, Flaw> {
    let short = |needed: usize| {
        let what = format!("found {} bytes, but a NIfTI header has {needed}", bytes.len());
        refuse(what, "the file is truncated: copy it again")
    };
    if bytes.len() < 348 {
        return short(348);
    }
    let size = |big_endian| Fields { bytes, big_endian }.whole(Scalar::I32, 0);
    let known =
        [(348, 1_u8), (540, 2)].into_iter().flat_map(|(n, v)| [(n, v, false), (n, v, true)]);
    let Some((n, version, big_endian)) = known.into_iter().find(|&(n, _, big)| size(big) == n)
    else {
        let what = format!("the header size is {}, expected 348 or 540", size(false));
        return refuse(what, DAMAGED);
    };
    if bytes.len() < n as usize {
        return short(n as usize);
    }
    let fields = Fields { bytes, big_endian };
    let magic = if version == 1 { &bytes[344..348] } else { &bytes[4..8] };
    let single = match magic {
        b"n+1\0" | b"n+2\0" => true,
        b"ni1\0" | b"ni2\0" => false,
        _ => {
            let what = "an ANALYZE 7.5 header, which does not distinguish left and right";
            return refuse(what, "convert it to NIfTI with the program that wrote it");
        }
    };
    let (int, real, at) = if version == 1 {
        (Scalar::I16, Scalar::F32, &PLACES[0])
    } else {
        (Scalar::I64, Scalar::F64, &PLACES[1])
    };
    let code = if version == 1 { Scalar::I16 } else { Scalar::I32 };
    let row = |k: usize| fields.numbers::<4>(real, at.rows + 4 * k * real.size());
    Ok(Header {
        version,
        big_endian,
        single,
        dim: fields.numbers::<8>(int, at.dim).map(|x| x as i64),
        datatype: fields.whole(Scalar::I16, at.datatype),
        pixdim: fields.numbers(real, at.pixdim),
        offset: fields.number(if version == 1 { Scalar::F32 } else { Scalar::I64 }, at.offset),
        slope: fields.number(real, at.slope),
        intercept: fields.number(real, at.slope + real.size()),
        unit: (fields.whole(if version == 1 { Scalar::U8 } else { Scalar::I32 }, at.units) & 7)
            as u8,
        qform: fields.whole(code, at.codes),
        sform: fields.whole(code, at.codes + code.size()),
        quaternion: fields.numbers(real, at.quaternion),
        shift: fields.numbers(real, at.quaternion + 3 * real.size()),
        rows: [row(0), row(1), row(2)],
        name: fields.text(at.name, 80),
    })
}

/// Byte offsets of the fields.
struct Places {
    dim: usize,
    datatype: usize,
    pixdim: usize,
    offset: usize,
    slope: usize,
    units: usize,
    codes: usize,
    quaternion: usize,
    rows: usize,
    name: usize,
}

const PLACES: [Places; 2] = [
    Places {
        dim: 40,
        datatype: 70,
        pixdim: 76,
        offset: 108,
        slope: 112,
        units: 123,
        codes: 252,
        quaternion: 256,
        rows: 280,
        name: 148,
    },
    Places {
        dim: 16,
        datatype: 12,
        pixdim: 104,
        offset: 168,
        slope: 176,
        units: 500,
        codes: 344,
        quaternion: 352,
        rows: 400,
        name: 240,
    },
];

/// The number types by their codes.
pub(super) const TYPES: [(i64, Scalar); 10] = [
    (2, Scalar::U8),
    (256, Scalar::I8),
    (512, Scalar::U16),
    (4, Scalar::I16),
    (768, Scalar::U32),
    (8, Scalar::I32),
    (1280, Scalar::U64),
    (1024, Scalar::I64),
    (16, Scalar::F32),
    (64, Scalar::F64),
];

/// Returns the number type of a code, and the number of colors in each voxel, or 1.
fn scalar(code: i64) -> Result<(Scalar, usize), Flaw> {
    if let Some((_, scalar)) = TYPES.iter().find(|(known, _)| *known == code) {
        return Ok((*scalar, 1));
    }
    match code {
        128 => Ok((Scalar::U8, 3)),
        2304 => Ok((Scalar::U8, 4)),
        32 | 1792 | 2048 => unsupported("the voxels hold complex numbers", "write their magnitude"),
        1 => unsupported("the voxels have one bit", "write them as uint8"),
        1536 => unsupported("the voxels are 128-bit floats", "write them as float64"),
        other => refuse(format!("the number type {other} is unknown"), DAMAGED),
    }
}

/// The offset between the sform and qform positions, as a multiple of the smallest voxel spacing,
/// up to which the two forms are considered equal. Programs round them differently.
const MATCHING: f64 = 0.01;

/// Returns the largest distance between the positions that two placements give to the same corner
/// of a volume.
fn offset_at_corners(shape: [usize; 3], a: &Placement, b: &Placement) -> f64 {
    let corner = |n: usize| {
        let end = |k: usize| if n >> k & 1 == 1 { shape[k] as f64 - 0.5 } else { -0.5 };
        let index = [end(0), end(1), end(2)];
        let (x, y) = (a.world(index), b.world(index));
        (0..3).map(|k| (x[k] - y[k]).powi(2)).sum::<f64>().sqrt()
    };
    (0..8).map(corner).fold(0.0, f64::max)
}

/// The names of the coordinate systems with the codes 1 to 5.
const SPACES: [&str; 5] =
    ["SCANNER_ANAT", "ALIGNED_ANAT", "TALAIRACH", "MNI_152", "TEMPLATE_OTHER"];

/// The units of length and their codes.
pub(super) const UNITS: [(&str, u8); 3] = [("m", 1), ("mm", 2), ("um", 3)];

impl Header {
    /// Returns the sizes of a volume, and the numbers of volumes and of numbers per voxel.
    fn shape(&self) -> Result<([usize; 3], usize, usize), Flaw> {
        let n = self.dim[0];
        if !(1..=7).contains(&n) {
            return refuse(format!("{n} dimensions, expected 1 to 7"), DAMAGED);
        }
        let sizes = &self.dim[1..=n as usize];
        // Some programs count dimensions beyond the third without giving them a size.
        let is_wrong = |k: usize| sizes[k] < if k < 3 { 1 } else { 0 };
        if let Some(k) = (0..sizes.len()).find(|&k| is_wrong(k)) {
            let what = format!("size {} along dimension {}, expected at least 1", sizes[k], k + 1);
            return refuse(what, DAMAGED);
        }
        let beyond = |k: usize| sizes.get(k).copied().unwrap_or(1).max(1);
        if (5..7).any(|k| beyond(k) > 1) {
            return unsupported(format!("sizes {sizes:?} along more than five axes"), ONE_NUMBER);
        }
        let size = |k: usize| usize::try_from(beyond(k)).unwrap_or(usize::MAX);
        Ok(([size(0), size(1), size(2)], size(3), size(4)))
    }

    /// Returns the placement of the voxels, and the name of the method.
    fn placement(&self, shape: [usize; 3]) -> (Result<Placement, Flaw>, &'static str) {
        if self.sform > 0 {
            let column = |k: usize| std::array::from_fn(|row| self.rows[row][k]);
            let steps = [column(0), column(1), column(2)];
            (Placement::new(shape, column(3), steps), "sform")
        } else if self.qform > 0 {
            (self.by_qform(shape), "qform")
        } else {
            let unit = Placement::identity().steps();
            (Placement::from_spacing(shape, [0.0; 3], self.spacing(), unit), "spacing only")
        }
    }

    fn spacing(&self) -> [f64; 3] {
        [self.pixdim[1], self.pixdim[2], self.pixdim[3]]
    }

    /// Returns the placement of the voxels by the quaternion.
    fn by_qform(&self, shape: [usize; 3]) -> Result<Placement, Flaw> {
        Placement::from_spacing(shape, self.shift, self.spacing(), self.rotation())
    }

    /// Returns a warning if there are both forms and they place the voxels differently. `placement`
    /// is the placement by the sform.
    fn form_conflict(&self, shape: [usize; 3], placement: &Placement) -> Option<String> {
        if self.sform <= 0 || self.qform <= 0 {
            return None;
        }
        let other = self.by_qform(shape).ok()?;
        let offset = offset_at_corners(shape, placement, &other);
        let least = placement.spacing().into_iter().fold(f64::INFINITY, f64::min);
        let unit = UNITS.iter().find(|u| u.1 == self.unit).map_or("", |u| u.0);
        (offset > MATCHING * least).then(|| {
            let offset = format!("{offset:.3} {unit}");
            format!(
                "the sform and the qform place the volume differently, by up to {} at its corners; \
                 the sform is used",
                offset.trim_end()
            )
        })
    }

    /// Returns the directions of the axes from the quaternion. The third direction is reversed if
    /// pixdim[0] is negative.
    fn rotation(&self) -> [[f64; 3]; 3] {
        let [mut b, mut c, mut d] = self.quaternion;
        let rest = 1.0 - (b * b + c * c + d * d);
        let a = if rest < 1e-7 {
            let size = (b * b + c * c + d * d).sqrt();
            (b, c, d) = (b / size, c / size, d / size);
            0.0
        } else {
            rest.sqrt()
        };
        let sign = if self.pixdim[0] < 0.0 { -1.0 } else { 1.0 };
        [
            [a * a + b * b - c * c - d * d, 2.0 * (b * c + a * d), 2.0 * (b * d - a * c)],
            [2.0 * (b * c - a * d), a * a + c * c - b * b - d * d, 2.0 * (c * d + a * b)],
            [2.0 * (b * d + a * c), 2.0 * (c * d - a * b), a * a + d * d - c * c - b * b]
                .map(|x| sign * x),
        ]
    }

    /// Returns the scaling. A slope that is zero or not finite means no scaling. An intercept that
    /// is not finite also means no scaling, and causes a warning.
    fn scaling(&self, warnings: &mut Vec<String>) -> Scaling {
        let Header { slope, intercept, .. } = *self;
        if slope == 0.0 || !slope.is_finite() {
            return Scaling::NONE;
        }
        if !intercept.is_finite() {
            warnings.push(format!(
                "slope {slope} and intercept {intercept} are ignored: values are taken as stored"
            ));
            return Scaling::NONE;
        }
        Scaling { slope, intercept }
    }
}

/// Reads a volume. `path` is the single file, or either file of a pair.
pub(super) fn read(path: &Path, bytes: &[u8], options: &VolumeOptions) -> Result<VolumeFile, Flaw> {
    let named_image = sniff::extension(path) == "img" && !is_header(bytes);
    let head = if named_image { load::partner(path, "hdr") } else { None };
    let head_path = head.as_deref().unwrap_or(path);
    let of_head = |flaw: Flaw| flaw.of_file(head_path);
    let header = match &head {
        Some(place) => {
            load::load(place).and_then(|loaded| parse(&loaded.bytes)).map_err(of_head)?
        }
        None if named_image => {
            return refuse(
                "no .hdr file beside it",
                "put the header beside it, with the same name",
            );
        }
        None => parse(bytes)?,
    };
    let (shape, volumes, components) = header.shape().map_err(of_head)?;
    let (scalar, colors) = scalar(header.datatype).map_err(of_head)?;
    if colors > 1 && components > 1 {
        let what = format!("{components} colors in each voxel");
        return unsupported(what, ONE_NUMBER).map_err(of_head);
    }
    let counts = Counts { layers: 1, volumes, channels: colors.max(components) };
    let names: Vec<String> =
        COLORS[..if colors > 1 { colors } else { 0 }].iter().map(|name| name.to_string()).collect();
    let chosen = options.choose(counts, &names).map_err(of_head)?;
    let mut warnings = Vec::new();
    let least = match (header.single, header.version) {
        (false, _) => 0.0,
        (true, 1) => 352.0,
        (true, _) => 544.0,
    };
    if !(0.0..1e15).contains(&header.offset) {
        let what =
            format!("the numbers begin at byte {}, which is not a valid offset", header.offset);
        return refuse(what, DAMAGED).map_err(of_head);
    }
    let offset = header.offset.max(least) as usize;
    let image = match (header.single, named_image) {
        (true, false) | (false, true) => Cow::Borrowed(bytes),
        (true, true) => Cow::Owned(load::load(head_path).map_err(of_head)?.bytes),
        (false, false) => match load::partner(path, "img") {
            Some(place) => {
                Cow::Owned(load::load(&place).map_err(|flaw| flaw.of_file(&place))?.bytes)
            }
            None => return refuse("no .img file beside it", "put that file beside the header"),
        },
    };
    let data = image.get(offset..).unwrap_or_default();
    // All volumes and channels must be complete, as if they were slices.
    let slices = shape[2].saturating_mul(volumes).saturating_mul(counts.channels);
    let all = [shape[0], shape[1], slices];
    let size = stored::promised("header", all, scalar, data.len())?;
    let size = size / (volumes * components);
    let first = size * (chosen.volume + volumes * if colors > 1 { 0 } else { chosen.channel });
    let samples = stored::samples(scalar, &data[first..][..size], header.big_endian);
    let samples = match colors {
        1 => samples,
        n => samples.picked(1, n, chosen.channel),
    };
    let (placement, method) = header.placement(shape);
    warnings.extend(placement.as_ref().ok().and_then(|place| header.form_conflict(shape, place)));
    let known = header.sform > 0 || header.qform > 0;
    let code = if header.sform > 0 { header.sform } else { header.qform };
    let space = usize::try_from(code - 1).ok().and_then(|k| SPACES.get(k));
    let found = Found {
        placement,
        // The standard does not scale colors.
        scaling: if colors == 1 { header.scaling(&mut warnings) } else { Scaling::NONE },
        frame: known.then(|| "RAS".to_string()),
        units: UNITS.iter().find(|u| u.1 == header.unit).map(|u| u.0.to_string()),
        name: header.name.clone(),
        stated: [true; 3],
        ..Found::new(shape, samples)
    };
    let order = if header.big_endian { "big-endian" } else { "little-endian" };
    let pair = if header.single { "" } else { "pair " };
    Ok(VolumeFile {
        volume: found.volume().map_err(of_head)?,
        format: "nifti",
        version: format!("{} {pair}{order} {method}", header.version),
        space: space.map(|name| format!("NIFTI_XFORM_{name}")),
        stated_spacing: [true; 3],
        warnings,
        state: Default::default(),
    })
}
