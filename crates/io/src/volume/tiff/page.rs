//! The layout of a page, and the variants of pages that are not supported.

use super::ifd::{Directory, tags};
use super::{CUT, GRAY, refuse, unsupported};
use crate::scalar::Scalar;
use zeroset_core::error::{Flaw, Result};

/// The layout of the pixels of a page.
#[derive(Clone, Debug)]
pub(super) struct Page {
    /// The position in the file, counted from 0.
    pub index: usize,
    pub width: u32,
    pub height: u32,
    pub bits: u64,
    /// 1 for unsigned integers, 2 for integers, 3 for floating-point numbers.
    format: u64,
    /// Numbers per pixel.
    pub samples: usize,
    /// Whether the numbers of a pixel are in separate planes.
    pub is_planar: bool,
    pub compression: u64,
    photometric: Option<u64>,
    predictor: u64,
    fill_order: u64,
    is_tiled: bool,
    pub is_big_endian: bool,
    /// The position and the number of bytes of each strip or tile.
    chunks: Vec<(u64, u64)>,
    chunk_size: [u64; 2],
}

/// Supported compression methods.
pub(super) const NONE: u64 = 1;
const LZW: u64 = 5;
const DEFLATE: [u64; 2] = [8, 32_946];
const PACK_BITS: u64 = 32_773;
pub(super) const ZSTD: u64 = 50_000;

/// Unsupported compression methods, with their numbers.
const COMPRESSIONS: [(u64, &str); 18] = [
    (2, "CCITT"),
    (3, "CCITT"),
    (4, "CCITT"),
    (6, "JPEG"),
    (7, "JPEG"),
    (9, "JBIG"),
    (10, "JBIG"),
    (22_610, "JPEG XR"),
    (33_003, "JPEG 2000"),
    (33_005, "JPEG 2000"),
    (34_661, "JBIG"),
    (34_712, "JPEG 2000"),
    (34_887, "LERC"),
    (34_892, "JPEG"),
    (34_925, "LZMA"),
    (34_934, "JPEG XR"),
    (50_001, "WebP"),
    (50_002, "JPEG XL"),
];

/// Unsupported photometric interpretations, with their numbers.
const COLORS: [(u64, &str); 8] = [
    (3, "colors of a palette"),
    (4, "a transparency mask"),
    (5, "CMYK colors"),
    (6, "YCbCr colors"),
    (8, "CIE L*a*b* colors"),
    (9, "ICC L*a*b* colors"),
    (10, "ITU L*a*b* colors"),
    (32_803, "unprocessed colors of a camera"),
];

const WHITE_IS_ZERO: u64 = 0;
const BLACK_IS_ZERO: u64 = 1;
pub(super) const RGB: u64 = 2;

impl Page {
    /// Reads the layout of page `index`.
    ///
    /// # Errors
    /// Returns a [`Flaw`] if a size is missing or zero, or if the numbers of a pixel have different
    /// types.
    pub fn of(index: usize, tags: &Directory) -> Result<Self, Flaw> {
        let page = index + 1;
        let size = |tag| tags.whole(tag).and_then(|size| u32::try_from(size).ok()).unwrap_or(0);
        let (width, height) = (size(tags::WIDTH), size(tags::HEIGHT));
        if width == 0 || height == 0 {
            return refuse(format!("page {page} has {width} x {height} pixels"), CUT);
        }
        let same = |tag: u16, default: u64| match tags.wholes(tag) {
            Some(all) if all.iter().any(|one| *one != all[0]) => {
                let what = format!("page {page} has pixels of several types ({all:?})");
                unsupported(what, "write all channels in one type")
            }
            Some(all) => Ok(all.first().copied().unwrap_or(default)),
            None => Ok(default),
        };
        let (bits, format) = (same(tags::BITS, 1)?, same(tags::SAMPLE_FORMAT, 1)?);
        let whole = |tag: u16, default: u64| tags.whole(tag).unwrap_or(default);
        let is_tiled = tags.count(tags::TILE_OFFSETS).is_some();
        let (offsets, sizes) = match is_tiled {
            true => (tags::TILE_OFFSETS, tags::TILE_SIZES),
            false => (tags::STRIP_OFFSETS, tags::STRIP_SIZES),
        };
        let (Some(offsets), Some(sizes)) = (tags.wholes(offsets), tags.wholes(sizes)) else {
            let what = format!("page {page} does not state where its pixels are");
            return refuse(what, CUT);
        };
        let chunk_size = match is_tiled {
            true => [whole(tags::TILE_WIDTH, 0), whole(tags::TILE_HEIGHT, 0)],
            false => {
                let rows = whole(tags::ROWS_PER_STRIP, height.into());
                [width.into(), rows.min(height.into())]
            }
        };
        if offsets.len() != sizes.len() || chunk_size.contains(&0) {
            return refuse(format!("page {page} has contradictory sizes of its parts"), CUT);
        }
        let samples = usize::try_from(whole(tags::SAMPLES, 1)).unwrap_or(0).max(1);
        Ok(Page {
            index,
            width,
            height,
            bits,
            format,
            samples,
            is_planar: samples > 1 && whole(tags::PLANAR, 1) == 2,
            compression: whole(tags::COMPRESSION, NONE),
            photometric: tags.whole(tags::PHOTOMETRIC),
            predictor: whole(tags::PREDICTOR, 1),
            fill_order: whole(tags::FILL_ORDER, 1),
            is_tiled,
            is_big_endian: tags.is_big_endian(),
            chunks: offsets.into_iter().zip(sizes).collect(),
            chunk_size,
        })
    }

    /// Returns the number type. Pixels of fewer than 8 bits become bytes.
    fn scalar(&self) -> Option<Scalar> {
        Some(match (self.format, self.bits) {
            (1, 1 | 2 | 4 | 8) => Scalar::U8,
            (1, 16) => Scalar::U16,
            (1, 32) => Scalar::U32,
            (1, 64) => Scalar::U64,
            (2, 8) => Scalar::I8,
            (2, 16) => Scalar::I16,
            (2, 32) => Scalar::I32,
            (2, 64) => Scalar::I64,
            (3, 32) => Scalar::F32,
            (3, 64) => Scalar::F64,
            _ => return None,
        })
    }

    /// Returns true if the file states that 0 is white.
    pub fn is_inverted(&self) -> bool {
        self.photometric == Some(WHITE_IS_ZERO)
    }

    /// Returns true if the pixels are red, green and blue.
    pub fn is_rgb(&self) -> bool {
        self.photometric == Some(RGB)
    }

    /// Returns the size, the type and the number of samples. They are equal for all pages of a
    /// stack.
    pub fn layout(&self) -> ([u32; 2], [u64; 2], usize) {
        ([self.width, self.height], [self.bits, self.format], self.samples)
    }

    /// Returns the number of bytes of the page in memory.
    pub fn bytes(&self) -> u64 {
        let pixels = u64::from(self.width) * u64::from(self.height);
        let numbers = pixels.saturating_mul(self.samples as u64);
        numbers.saturating_mul(self.bits.max(8) / 8)
    }

    /// Returns the number type of a supported page.
    ///
    /// # Errors
    /// Returns a [`Flaw`] that names the variant if the page is not supported, and a [`Flaw`] if a
    /// part of the page is missing or beyond the end of the file.
    pub fn check(&self, file_size: usize) -> Result<Scalar, Flaw> {
        let page = self.index + 1;
        let known = |list: &[(u64, &'static str)], number: u64| {
            list.iter().find(|known| known.0 == number).map(|known| known.1)
        };
        let supported = [NONE, LZW, PACK_BITS, ZSTD].contains(&self.compression);
        if !(supported || DEFLATE.contains(&self.compression)) {
            let name = known(&COMPRESSIONS, self.compression)
                .map_or_else(|| format!("method {}", self.compression), String::from);
            let not_exact = if name == "JPEG" { ", so its numbers are not exact" } else { "" };
            let what = format!("page {page} is compressed with {name}{not_exact}");
            let remedy =
                "write it with LZW or deflate, or without compression: `tiffcp -c lzw IN OUT.tif`";
            return unsupported(what, remedy);
        }
        match self.photometric {
            Some(WHITE_IS_ZERO | BLACK_IS_ZERO | RGB) => {}
            Some(other) => {
                let name = known(&COLORS, other)
                    .map_or_else(|| format!("photometric interpretation {other}"), String::from);
                return unsupported(format!("page {page} has {name}, expected gray"), GRAY);
            }
            None => {
                let what = format!("page {page} does not state a photometric interpretation");
                return unsupported(what, "export it again as a gray picture");
            }
        }
        let Some(scalar) = self.scalar() else {
            let kind = match self.format {
                1 => "unsigned integers",
                2 => "integers",
                3 => "floating-point numbers",
                5 | 6 => "complex numbers",
                _ => "numbers of an unknown kind",
            };
            let what = format!("the pixels of page {page} are {kind} of {} bits", self.bits);
            return unsupported(what, "write them as uint8, uint16 or float32");
        };
        let variant = if self.samples > 1 && self.bits < 8 {
            Some(format!("{} channels of {} bits", self.samples, self.bits))
        } else if self.fill_order != 1 {
            Some("the bits of each byte in reverse order (FillOrder 2)".to_string())
        } else if self.is_inverted() && (self.samples > 1 || self.format != 1) {
            Some("inverted values (0 is white) that are not single unsigned integers".to_string())
        } else if self.predictor != 1 && [NONE, PACK_BITS].contains(&self.compression) {
            Some("differences of neighbors (predictor) without a compression".to_string())
        } else if !(self.predictor == 1
            || self.predictor == 2 && self.bits >= 8
            || self.predictor == 3 && self.format == 3)
        {
            Some(format!("the predictor {} for {} bits", self.predictor, self.bits))
        } else {
            None
        };
        if let Some(variant) = variant {
            let what = format!("page {page} has {variant}");
            return unsupported(what, "write it without compression: `tiffcp -c none IN OUT.tif`");
        }
        self.check_chunks(scalar, file_size)?;
        Ok(scalar)
    }

    fn check_chunks(&self, scalar: Scalar, file_size: usize) -> Result<(), Flaw> {
        let page = self.index + 1;
        let part = if self.is_tiled { "tile" } else { "strip" };
        let [width, rows] = self.chunk_size;
        let across = u64::from(self.width).div_ceil(width);
        let down = u64::from(self.height).div_ceil(rows);
        let planes = if self.is_planar { self.samples as u64 } else { 1 };
        let needed = across.saturating_mul(down).saturating_mul(planes);
        if self.chunks.len() as u64 != needed {
            let what = format!("page {page} has {} {part}s, expected {needed}", self.chunks.len());
            return refuse(what, CUT);
        }
        for (k, &(at, size)) in self.chunks.iter().enumerate() {
            let number = k + 1;
            if size == 0 {
                let what = format!("page {page}: {part} {number} is not stored (a sparse file)");
                return unsupported(what, "write it with all pixels: `tiffcp IN OUT.tif`");
            }
            if at.checked_add(size).is_none_or(|end| end > file_size as u64) {
                let what = format!("page {page}: {part} {number} ends beyond the end of the file");
                return refuse(what, CUT);
            }
            // The last strip may have fewer rows.
            let row = k as u64 % (across * down) / across;
            let rows =
                if self.is_tiled { rows } else { rows.min(u64::from(self.height) - row * rows) };
            let samples = if self.is_planar { 1 } else { self.samples as u64 };
            let bits = if self.bits < 8 { self.bits } else { 8 * scalar.size() as u64 };
            let row_bits = width.saturating_mul(samples).saturating_mul(bits);
            let least = row_bits.div_ceil(8).saturating_mul(rows);
            if self.compression == NONE && size < least {
                let what = format!(
                    "page {page}: {part} {number} has {size} bytes, but its pixels need {least}"
                );
                return refuse(what, CUT);
            }
        }
        Ok(())
    }

    /// Returns the position of the first pixel if `planes` planes can follow each other without
    /// directories.
    ///
    /// # Errors
    /// Returns a [`Flaw`] if the page is compressed, tiled, or in parts that do not follow each
    /// other.
    pub fn start_of_planes(&self, planes: usize) -> Result<u64, Flaw> {
        let follow = self.chunks.windows(2).all(|pair| pair[0].0 + pair[0].1 == pair[1].0);
        if self.compression == NONE && !self.is_tiled && !self.is_planar && self.bits >= 8 && follow
        {
            return Ok(self.chunks[0].0);
        }
        let what = format!(
            "the file declares {planes} pictures, but has only one page, whose pixels are compressed \
             or in parts"
        );
        refuse(what, super::AGAIN)
    }
}
