//! Reader of TIFF files and of their stacks: pages, ImageJ hyperstacks, OME-TIFF. The rows of a
//! picture follow each other along y, from top to bottom.
//!
//! Source: "TIFF Revision 6.0" (Adobe, 1992), and the sources of the submodules.

mod decode;
mod ifd;
mod imagej;
mod ome;
mod page;
mod shaped;
mod stack;
mod units;

pub use units::is_same_length;

use std::path::Path;

use self::decode::Pages;
use self::ifd::{Directory, tags};
use self::page::{Page, ZSTD};
use self::stack::Stack;
use super::picture::{CUT, DENSEST, check_size};
use super::{COLORS, Counts, Found, VolumeFile, VolumeOptions, refuse, unsupported};
use crate::budget::Budget;
use crate::guard::quietly;
use zeroset_core::error::{Flaw, Result};
use zeroset_core::volume::{Placement, Samples};

/// The remedy for colors.
const GRAY: &str = "convert it to 8-, 16- or 32-bit gray first";

/// The remedy for descriptions that contradict their file.
const AGAIN: &str = "open it in the program that wrote it, and save it again";

/// Upper bound on the compression ratio of zstd: a block of 4 bytes can unpack to 128 KiB.
const DENSEST_ZSTD: u64 = 33_000;

/// Reads the pages of a TIFF file.
///
/// # Errors
/// Returns a [`Flaw`] that names what is not supported or damaged, and the errors of
/// [`VolumeOptions::choose`].
pub(super) fn read(
    path: &Path,
    bytes: &[u8],
    budget: Budget,
    options: &VolumeOptions,
) -> Result<VolumeFile, Flaw> {
    let all = ifd::directories(bytes)?;
    // Smaller copies of a page and masks are marked as such.
    let is_page = |tags: &Directory| tags.whole(tags::SUBFILE).unwrap_or(0) & 5 == 0;
    let kept: Vec<usize> = (0..all.len()).filter(|&k| is_page(&all[k])).collect();
    let directories: Vec<&Directory> = kept.iter().map(|&k| &all[k]).collect();
    let (Some(&first), Some(&directory)) = (kept.first(), directories.first()) else {
        return unsupported("all pages are smaller copies or masks of others", AGAIN);
    };
    let first = Page::of(first, directory)?;
    let size = [first.width, first.height];
    let stack = Stack::of(path, &directories, size)?;
    let mut pages = Vec::with_capacity(kept.len());
    for (&k, directory) in kept.iter().zip(&directories) {
        let page = Page::of(k, directory)?;
        if page.layout() != first.layout() {
            return refuse(
                difference(&page, &first),
                "write pages of the same size and type, or a single page",
            );
        }
        pages.push(page);
    }
    let counts = Counts {
        layers: 1,
        volumes: stack.volumes,
        channels: stack.channels.saturating_mul(first.samples),
    };
    let chosen = options
        .choose(counts, &channel_names(&stack, &first))
        .map_err(|flaw| if first.is_rgb() { flaw.adding(" (expected gray)") } else { flaw })?;
    let (channel, sample) = (chosen.channel / first.samples, chosen.channel % first.samples);
    let from = stack.slices * (channel + stack.channels * chosen.volume);
    let pictures = &stack.pictures[from..from + stack.slices];
    let samples = quietly(|| pixels(bytes, &pages, &stack, pictures, sample, budget));
    let samples = match samples {
        Ok(samples) => samples?,
        Err(panic) => return refuse(format!("TIFF: the file cannot be decoded ({panic})"), CUT),
    };
    let mut warnings = stack.warnings.clone();
    warnings.extend(stack.spacing.warnings.iter().cloned());
    if first.is_inverted() {
        let what =
            "the file states that 0 is white: values are as stored, so larger ones are darker";
        warnings.push(what.to_string());
    }
    let copies = all.len() - kept.len();
    if copies > 0 {
        warnings.push(format!("{copies} smaller copies or masks of pages are ignored"));
    }
    let shape = [first.width as usize, first.height as usize, stack.slices];
    let [x, y, z] = stack.spacing.values;
    let spacing = [x, y, z].map(|value| value.unwrap_or(1.0));
    let stated_spacing = [x, y, z].map(|value| value.is_some());
    let name = options.channel.and(stack.channel_names.get(channel)).cloned();
    let found = Found {
        placement: Placement::from_spacing(shape, [0.0; 3], spacing, Placement::identity().steps()),
        scaling: stack.scaling,
        units: stack.spacing.units.clone().filter(|_| x.is_some()),
        name: name.unwrap_or_default(),
        ..Found::new(shape, samples)
    };
    let version = format!("{} bit {}", first.bits, stack.source);
    Ok(VolumeFile {
        volume: found.volume()?,
        format: "tiff",
        version: version.trim_end().to_string(),
        space: None,
        stated_spacing,
        state: Default::default(),
        warnings,
    })
}

/// Describes how a page differs from the first.
fn difference(page: &Page, first: &Page) -> String {
    let ([width, height], ..) = page.layout();
    let number = page.index + 1;
    if (page.width, page.height) != (first.width, first.height) {
        return format!("page {number} has {width} x {height} pixels, unlike the first page");
    }
    let of = |page: &Page| format!("{} x {} bits", page.samples, page.bits);
    format!("page {number} has pixels of another type ({}, not {})", of(page), of(first))
}

fn channel_names(stack: &Stack, page: &Page) -> Vec<String> {
    if page.is_rgb() && stack.channels == 1 {
        return COLORS.iter().take(page.samples).map(|name| name.to_string()).collect();
    }
    if page.samples == 1 { stack.channel_names.clone() } else { Vec::new() }
}

/// Reads the given pictures of a stack, and joins them along z.
fn pixels(
    bytes: &[u8],
    pages: &[Page],
    stack: &Stack,
    pictures: &[usize],
    sample: usize,
    budget: Budget,
) -> Result<Samples, Flaw> {
    let first = &pages[0];
    let size = [first.width, first.height];
    let scalar = first.check(bytes.len())?;
    let mut parts = Vec::with_capacity(pictures.len());
    if pages.len() == 1 && stack.pictures.len() > 1 {
        let count = stack.pictures.len();
        let place = (first.start_of_planes(count)?, count);
        let kind = (scalar, first.is_big_endian);
        for &picture in pictures {
            parts.push(decode::contiguous(bytes, first, place, kind, picture, sample)?);
        }
    } else {
        let densest = if first.compression == ZSTD { DENSEST_ZSTD } else { DENSEST };
        let possible = (bytes.len() as u64).saturating_mul(densest).min(budget.left());
        let mut decoder = Pages::open(bytes, usize::try_from(possible).unwrap_or(usize::MAX))?;
        // Pages may share bytes, but a small file must not exhaust memory that way.
        let mut taken = 0_u64;
        for &picture in pictures {
            let page = &pages[picture];
            page.check(bytes.len())?;
            taken = taken.saturating_add(page.bytes());
            check_size(taken, size, (bytes, densest), budget)?;
            parts.push(decoder.read(page, sample)?);
        }
    }
    match Samples::joined(parts) {
        Some(samples) => Ok(samples),
        None => refuse("the pages have different number types", "write them in one type"),
    }
}
