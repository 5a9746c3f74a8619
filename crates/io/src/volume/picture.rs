//! Readers of pictures as volumes of one slice: PNG and PGM. The rows of a picture follow each
//! other along y, from top to bottom. Pixels have whole-number coordinates.

use std::io::Cursor;

use png::{BitDepth, ColorType, Transformations};

use super::super::budget::Budget;
use super::super::scalar::Scalar;
use super::super::text::Words;
use super::{COLORS, Counts, Found, VolumeFile, VolumeOptions, refuse, stored, unsupported};
use zeroset_core::error::{Flaw, Result};
use zeroset_core::volume::Samples;

const GRAY: &str = "convert it to gray without transparency first";
pub(super) const CUT: &str = "the file is damaged or truncated: copy or export it again";

/// Upper bound on the compression ratio of these formats, which unpack single bits to bytes.
pub(super) const DENSEST: u64 = 8_300;

fn file(found: Found, format: &'static str, version: String) -> Result<VolumeFile, Flaw> {
    let stated_spacing = found.stated;
    let volume = found.volume()?;
    Ok(VolumeFile {
        volume,
        format,
        version,
        space: None,
        stated_spacing,
        state: Default::default(),
        warnings: Vec::new(),
    })
}

/// Reads a PNG picture, or a channel of it if it has colors or transparency.
pub(super) fn read_png(
    bytes: &[u8],
    budget: Budget,
    options: &VolumeOptions,
) -> Result<VolumeFile, Flaw> {
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
    let color = reader.output_color_type().0;
    let names: &[&str] = match info.color_type {
        ColorType::Indexed => return unsupported("the picture has a palette of colors", GRAY),
        _ if color.samples() < 3 => &["gray", "alpha"],
        _ => &COLORS,
    };
    let channels = color.samples();
    let names: Vec<String> = names[..channels].iter().map(|name| name.to_string()).collect();
    let chosen = options.choose(Counts { channels, ..Counts::ONE }, &names).map_err(|flaw| {
        if channels == 1 {
            return flaw;
        }
        let remedy = format!("{}, or {GRAY}", flaw.remedy());
        flaw.adding(" (colors or transparency)").with_remedy(remedy)
    })?;
    let size = reader.output_buffer_size().unwrap_or(usize::MAX);
    check_size(size as u64, [width, height], (bytes, DENSEST), budget)?;
    let mut pixels = vec![0; size];
    reader.next_frame(&mut pixels).map_err(damaged)?;
    reader.finish().map_err(damaged)?;
    let scalar = if depth == BitDepth::Sixteen { Scalar::U16 } else { Scalar::U8 };
    let shape = [width as usize, height as usize, 1];
    let samples = stored::samples(scalar, &pixels, true).picked(1, channels, chosen.channel);
    let found = Found::new(shape, samples);
    file(found, "png", format!("{} bit", depth as u8))
}

/// Returns the largest allowed unpacked size of a picture, in bytes.
fn most(bytes: &[u8], budget: Budget) -> usize {
    let possible = (bytes.len() as u64).saturating_mul(DENSEST);
    usize::try_from(possible.min(budget.left())).unwrap_or(usize::MAX)
}

/// Checks that a picture may unpack to `needed` bytes, at most `densest` for each byte of the file.
///
/// # Errors
/// Returns a [`Flaw`] if the file cannot unpack to that many bytes, or if its budget does not allow
/// it.
pub(super) fn check_size(
    needed: u64,
    [width, height]: [u32; 2],
    (bytes, densest): (&[u8], u64),
    mut budget: Budget,
) -> Result<(), Flaw> {
    if needed > (bytes.len() as u64).saturating_mul(densest) {
        let what = format!("{width} x {height} pixels cannot come from {} bytes", bytes.len());
        return refuse(what, CUT);
    }
    budget.take(needed).map_err(|large| large.at("header"))
}

/// Reads a PGM picture, as text (P2) or binary (P5).
///
/// The crate `image` also has a reader, but it stretches values to the full range of a byte or word
/// if the declared maximum differs. Here, the values of the file are needed. Values above the
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
