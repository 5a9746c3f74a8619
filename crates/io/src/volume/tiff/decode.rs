//! Reading of the pixels of pages, through the crate `tiff`, or directly for pictures without
//! directories.

use std::io::Cursor;

use ::tiff::TiffError;
use ::tiff::decoder::{Decoder, DecodingResult, Limits};

use super::page::Page;
use super::{CUT, refuse};
use crate::scalar::Scalar;
use crate::volume::stored;
use zeroset_core::error::{Flaw, Result};
use zeroset_core::volume::Samples;

/// A decoder of single pages.
pub(super) struct Pages<'a> {
    decoder: Decoder<Cursor<&'a [u8]>>,
}

fn damaged(error: TiffError) -> Flaw {
    Flaw::whole(format!("TIFF: {error}"), CUT)
}

impl<'a> Pages<'a> {
    /// Opens a file. No page may unpack to more than `most` bytes.
    pub fn open(bytes: &'a [u8], most: usize) -> Result<Self, Flaw> {
        let mut limits = Limits::default();
        limits.decoding_buffer_size = most;
        limits.intermediate_buffer_size = most;
        limits.ifd_value_size = bytes.len();
        let decoder = Decoder::new(Cursor::new(bytes)).map_err(damaged)?.with_limits(limits);
        Ok(Pages { decoder })
    }

    /// Reads sample `sample` of the pixels of a page.
    ///
    /// # Errors
    /// Returns a [`Flaw`] if the page cannot be decoded.
    pub fn read(&mut self, page: &Page, sample: usize) -> Result<Samples, Flaw> {
        self.decoder.seek_to_image(page.index).map_err(damaged)?;
        let mut result = DecodingResult::U8(Vec::new());
        self.decoder.read_image_to_buffer(&mut result).map_err(damaged)?;
        // The crate inverts the values if 0 is white. Here, the values of the file are needed.
        macro_rules! stored {
            ($v:expr) => {{
                let mut v = $v;
                if page.is_inverted() {
                    v.iter_mut().for_each(|x| *x = !*x);
                }
                v
            }};
        }
        let samples = match result {
            DecodingResult::U8(v) if page.bits < 8 => {
                expanded(&stored!(v), page.bits as usize, page.width as usize).into()
            }
            DecodingResult::U8(v) => Samples::from(stored!(v)),
            DecodingResult::U16(v) => stored!(v).into(),
            DecodingResult::U32(v) => stored!(v).into(),
            DecodingResult::U64(v) => stored!(v).into(),
            DecodingResult::I8(v) => v.into(),
            DecodingResult::I16(v) => v.into(),
            DecodingResult::I32(v) => v.into(),
            DecodingResult::I64(v) => v.into(),
            DecodingResult::F32(v) => v.into(),
            DecodingResult::F64(v) => v.into(),
            DecodingResult::F16(_) => Vec::<u8>::new().into(),
        };
        let pixels = page.width as usize * page.height as usize;
        if samples.len() != pixels * page.samples {
            let what = format!(
                "page {} has {} numbers, but {pixels} pixels with {} each",
                page.index + 1,
                samples.len(),
                page.samples
            );
            return refuse(what, CUT);
        }
        let inner = if page.is_planar { pixels } else { 1 };
        Ok(samples.picked(inner, page.samples, sample))
    }
}

/// Returns the pixels of packed rows as bytes. Each row begins at a new byte.
fn expanded(packed: &[u8], depth: usize, width: usize) -> Vec<u8> {
    let per_byte = 8 / depth;
    let mask = (1_u8 << depth) - 1;
    let pixels = |byte: &u8| {
        let byte = *byte;
        (1..=per_byte).map(move |k| byte >> (8 - k * depth) & mask)
    };
    let rows = packed.chunks(width.div_ceil(per_byte));
    rows.flat_map(|row| row.iter().flat_map(pixels).take(width)).collect()
}

/// Reads sample `sample` of the pixels of the picture `picture`. The pictures have no directories
/// and follow each other from the byte `start`.
///
/// # Errors
/// Returns a [`Flaw`] if the file ends within one of the `count` pictures.
pub(super) fn contiguous(
    bytes: &[u8],
    page: &Page,
    (start, count): (u64, usize),
    (scalar, big_endian): (Scalar, bool),
    picture: usize,
    sample: usize,
) -> Result<Samples, Flaw> {
    let size = page.bytes() as usize;
    let start = usize::try_from(start).unwrap_or(usize::MAX);
    let found = bytes.len().saturating_sub(start);
    if size.checked_mul(count).is_none_or(|all| all > found) {
        let what = format!(
            "the description declares {count} pictures of {size} bytes, but only {} follow",
            found / size
        );
        return refuse(what, "the file is truncated: copy or export it again");
    }
    let data = &bytes[start + picture * size..][..size];
    Ok(stored::samples(scalar, data, big_endian).picked(1, page.samples, sample))
}
