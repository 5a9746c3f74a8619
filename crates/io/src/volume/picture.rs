//! Readers of grayscale pictures as volumes of one slice: PNG, TIFF, PGM. The rows of a picture
//! follow each other along y, from top to bottom. Pixels have whole-number coordinates. The pages
//! of a TIFF file are slices along z.

use std::io::Cursor;

use png::{BitDepth, ColorType, Transformations};
use tiff::decoder::{Decoder, DecodingResult, Limits};

use super::super::budget::Budget;
use super::super::guard::quietly;
use super::super::scalar::Scalar;
use super::super::text::Words;
use super::{Found, VolumeFile, refuse, stored, unsupported};
use zeroset_core::error::{Flaw, Result};
use zeroset_core::volume::Samples;

const GRAY: &str = "convert it to gray without transparency first";
const CUT: &str = "the file is damaged or truncated: copy or export it again";

/// Upper bound on the compression ratio of these formats, which unpack single bits to bytes.
const LARGEST_RATIO: u64 = 8_300;

fn file(found: Found, format: &'static str, version: String) -> Result<VolumeFile, Flaw> {
    let volume = found.volume()?;
    Ok(VolumeFile {
        volume,
        format,
        version,
        space: None,
        state: Default::default(),
        warnings: Vec::new(),
    })
}

/// Reads a PNG picture.
pub(super) fn read_png(bytes: &[u8], budget: Budget) -> Result<VolumeFile, Flaw> {
    let damaged = |e: png::DecodingError| Flaw::whole(format!("PNG: {e}"), CUT);
    let most = most(bytes, budget);
    let limits = png::Limits { bytes: most };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), limits);
    // Pixels of 1, 2 and 4 bits are expanded to bytes over the full range.
    decoder.set_transformations(Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(damaged)?;
    let info = reader.info();
    let (width, height, depth) = (info.width, info.height, info.bit_depth);
    if info.animation_control().is_some_and(|control| control.num_frames > 1) {
        return unsupported("the picture is animated", "write one frame to a separate file");
    }
    if info.color_type != ColorType::Grayscale || reader.output_color_type().0 != info.color_type {
        let what = format!("the picture has colors or transparency ({:?})", info.color_type);
        return unsupported(what, GRAY);
    }
    let size = reader.output_buffer_size().unwrap_or(usize::MAX);
    check_size(size as u64, [width, height], bytes, budget)?;
    let mut pixels = vec![0; size];
    reader.next_frame(&mut pixels).map_err(damaged)?;
    reader.finish().map_err(damaged)?;
    let scalar = if depth == BitDepth::Sixteen { Scalar::U16 } else { Scalar::U8 };
    let shape = [width as usize, height as usize, 1];
    let found = Found::new(shape, stored::samples(scalar, &pixels, true));
    file(found, "png", format!("{} bit", depth as u8))
}

/// Returns the largest number of bytes to which a picture may unpack.
fn most(bytes: &[u8], budget: Budget) -> usize {
    let possible = (bytes.len() as u64).saturating_mul(LARGEST_RATIO);
    usize::try_from(possible.min(budget.left())).unwrap_or(usize::MAX)
}

/// Checks that a picture may unpack to `needed` bytes.
///
/// # Errors
/// Returns a [`Flaw`] if the file cannot unpack to that many bytes, or if its budget does not allow
/// it.
fn check_size(
    needed: u64,
    [width, height]: [u32; 2],
    bytes: &[u8],
    mut budget: Budget,
) -> Result<(), Flaw> {
    if needed > (bytes.len() as u64).saturating_mul(LARGEST_RATIO) {
        let what = format!("{width} x {height} pixels cannot come from {} bytes", bytes.len());
        return refuse(what, CUT);
    }
    budget.take(needed).map_err(|large| large.at("header"))
}

/// Reads the pages of a TIFF file.
pub(super) fn read_tiff(bytes: &[u8], budget: Budget) -> Result<VolumeFile, Flaw> {
    let outcome = quietly(|| pages(bytes, budget));
    let (shape, samples) = match outcome {
        Ok(pages) => pages?,
        Err(panic) => {
            return refuse(format!("TIFF: the file cannot be decoded ({panic})"), CUT);
        }
    };
    let version = format!("{} bit", 8 * samples.width());
    file(Found::new(shape, samples), "tiff", version)
}

fn pages(bytes: &[u8], budget: Budget) -> Result<([usize; 3], Samples), Flaw> {
    let damaged = |e: tiff::TiffError| Flaw::whole(format!("TIFF: {e}"), CUT);
    let most = most(bytes, budget);
    let mut limits = Limits::default();
    limits.decoding_buffer_size = most;
    limits.intermediate_buffer_size = most;
    limits.ifd_value_size = bytes.len();
    let mut decoder = Decoder::new(Cursor::new(bytes)).map_err(damaged)?.with_limits(limits);
    let mut parts = Vec::new();
    let mut size = None;
    let mut taken = 0_u64;
    loop {
        let page = parts.len() + 1;
        check_compression(&mut decoder, page)?;
        let color = decoder.colortype().map_err(damaged)?;
        let tiff::ColorType::Gray(depth @ (1 | 2 | 4 | 8 | 16 | 32 | 64)) = color else {
            let what = format!("page {page} has pixels of type {color:?}, expected gray");
            return unsupported(what, "convert it to 8-, 16- or 32-bit gray first");
        };
        let (width, height) = decoder.dimensions().map_err(damaged)?;
        let pixels = u64::from(width) * u64::from(height);
        let needed = pixels.saturating_mul(u64::from(depth.max(8)) / 8);
        if pixels == 0 {
            return refuse(format!("page {page} has {width} x {height} pixels"), CUT);
        }
        // Pages may share bytes, but a small file must not exhaust the memory that way.
        taken = taken.saturating_add(needed);
        check_size(taken, [width, height], bytes, budget)?;
        if *size.get_or_insert((width, height)) != (width, height) {
            let what = format!("page {page} has {width} x {height} pixels, unlike the first page");
            return refuse(what, "write pages of the same size, or a single page");
        }
        let samples = match decoder.read_image().map_err(damaged)? {
            DecodingResult::U8(v) if depth < 8 => expanded(&v, depth, width).into(),
            DecodingResult::U8(v) => Samples::from(v),
            DecodingResult::U16(v) => v.into(),
            DecodingResult::U32(v) => v.into(),
            DecodingResult::U64(v) => v.into(),
            DecodingResult::I8(v) => v.into(),
            DecodingResult::I16(v) => v.into(),
            DecodingResult::I32(v) => v.into(),
            DecodingResult::I64(v) => v.into(),
            DecodingResult::F32(v) => v.into(),
            DecodingResult::F64(v) => v.into(),
            DecodingResult::F16(_) => {
                return unsupported(
                    "the pixels are 16-bit floating-point numbers",
                    "write them as float32",
                );
            }
        };
        parts.push(samples);
        if !decoder.more_images() {
            break;
        }
        decoder.next_image().map_err(damaged)?;
    }
    let (width, height) = size.unwrap_or_default();
    let shape = [width as usize, height as usize, parts.len()];
    match Samples::joined(parts) {
        Some(samples) => Ok((shape, samples)),
        None => unsupported("the pages have different number types", "write them in one type"),
    }
}

/// The compression methods of TIFF pages that are not supported, with their numbers.
const COMPRESSIONS: [(u16, &str); 13] = [
    (2, "CCITT"),
    (3, "CCITT"),
    (4, "CCITT"),
    (6, "JPEG"),
    (7, "JPEG"),
    (33_003, "JPEG 2000"),
    (33_005, "JPEG 2000"),
    (34_712, "JPEG 2000"),
    (34_887, "LERC"),
    (34_892, "JPEG"),
    (34_925, "LZMA"),
    (50_000, "zstd"),
    (50_001, "WebP"),
];

/// Rejects a page whose compression is not supported.
fn check_compression(decoder: &mut Decoder<Cursor<&[u8]>>, page: usize) -> Result<(), Flaw> {
    let found = decoder.find_tag_unsigned::<u16>(tiff::tags::Tag::Compression).ok().flatten();
    let known = COMPRESSIONS.iter().find(|known| Some(known.0) == found);
    let Some((_, name)) = known else { return Ok(()) };
    let not_exact = if *name == "JPEG" { ", so its numbers are not exact" } else { "" };
    let what = format!("page {page} is compressed with {name}{not_exact}");
    let remedy = "write it with LZW or deflate, or without compression: `tiffcp -c lzw IN OUT.tif`";
    unsupported(what, remedy)
}

/// Returns the pixels of packed rows as bytes. Each row begins at a new byte.
fn expanded(packed: &[u8], depth: u8, width: u32) -> Vec<u8> {
    let per_byte = 8 / usize::from(depth);
    let mask = (1_u8 << depth) - 1;
    let pixels = |byte: &u8| {
        let byte = *byte;
        (1..=per_byte).map(move |k| byte >> (8 - k * usize::from(depth)) & mask)
    };
    let rows = packed.chunks((width as usize).div_ceil(per_byte));
    rows.flat_map(|row| row.iter().flat_map(pixels).take(width as usize)).collect()
}

/// Reads a PGM picture, as text (P2) or binary (P5).
///
/// The crate `image` also has a reader, but it stretches values to the full range of a byte or word
/// if the declared maximum differs. Here the values of the file are needed. Values above the
/// declared maximum are rejected, because the format does not allow them.
pub(super) fn read_pgm(bytes: &[u8]) -> Result<VolumeFile, Flaw> {
    let binary = match bytes.get(..2) {
        Some(b"P5") => true,
        Some(b"P2") => false,
        _ => return unsupported("the picture has colors or single bits", GRAY),
    };
    let mut words = Words::new(bytes);
    words.next_word();
    let mut count = |what: &str| words.number::<u32>(what);
    let (width, height) = (count("the width")?, count("the height")?);
    let largest = count("the largest value")?;
    let scalar = match (largest, width.min(height)) {
        (_, 0) => return refuse(format!("the picture has {width} x {height} pixels"), CUT),
        (1..=255, _) => Scalar::U8,
        (256..=65535, _) => Scalar::U16,
        _ => return refuse(format!("the largest value is {largest}, expected 1 to 65535"), CUT),
    };
    let shape = [width as usize, height as usize, 1];
    let rest = words.rest();
    if !binary {
        stored::promised("data", shape, Scalar::U16, rest.len().saturating_add(1))?;
        let n = stored::count(shape).unwrap_or(0);
        let samples = stored::from_text(rest, Scalar::U16, n)?;
        within(&samples, largest, shape)?;
        let samples = match (scalar, samples) {
            // The values were checked against the maximum, so they fit.
            (Scalar::U8, Samples::U16(v)) => v.iter().map(|&x| x as u8).collect::<Vec<_>>().into(),
            (_, samples) => samples,
        };
        return file(Found::new(shape, samples), "pgm", "text".into());
    }
    // A single byte of white space ends the header.
    let data = rest.get(1..).unwrap_or_default();
    let size = stored::promised("data", shape, scalar, data.len())?;
    let samples = stored::samples(scalar, &data[..size], true);
    within(&samples, largest, shape)?;
    let mut read = file(Found::new(shape, samples), "pgm", "binary".into())?;
    if data.len() > size {
        let more = data.len() - size;
        read.warnings.push(format!("{more} bytes after the last pixel are ignored"));
    }
    Ok(read)
}

/// Checks that no pixel exceeds the maximum declared in the header.
///
/// # Errors
/// Returns a [`Flaw`] that names the first pixel that exceeds it.
fn within(samples: &Samples, largest: u32, [width, ..]: [usize; 3]) -> Result<(), Flaw> {
    let largest = f64::from(largest);
    let Some(k) = (0..samples.len()).find(|&k| samples.get(k) > largest) else { return Ok(()) };
    let most = (0..samples.len()).map(|k| samples.get(k)).fold(0.0, f64::max);
    let position = format!("pixel {}, {}", k % width, k / width);
    let what = format!(
        "value {} exceeds the largest value {largest} that the header declares",
        samples.get(k)
    );
    let remedy = format!(
        "the actual largest value is {most}: state it in the header, or export the picture again"
    );
    Err(Flaw::at(position, what, remedy))
}

/// Returns true if `bytes` begin like a PNM picture of any kind.
pub(crate) fn is_pnm(bytes: &[u8]) -> bool {
    let Some([b'P', b'1'..=b'7', blank]) = bytes.first_chunk::<3>() else { return false };
    // The first words of a text table can look the same.
    let next = bytes.get(2..).unwrap_or_default().trim_ascii_start();
    let begins = next.first().is_some_and(|b| b.is_ascii_digit() || b"#W".contains(b));
    blank.is_ascii_whitespace() && begins
}
