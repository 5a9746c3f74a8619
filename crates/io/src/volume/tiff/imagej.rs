//! ImageJ descriptions: lines such as `images=12`, `slices=12`, `spacing=2.0`, `unit=micron`.
//!
//! Source: ImageJ 1.x, `ij/io/TiffDecoder.java` and `ij/io/FileOpener.java`. The channels run
//! fastest, then the slices, then the frames.

use super::ifd::{Directory, tags};
use super::stack::{Order, Stack};
use super::units::{common, length};
use super::{AGAIN, refuse};
use zeroset_core::error::{Flaw, Result};
use zeroset_core::volume::Scaling;

/// Returns true for a description that ImageJ or a compatible program wrote.
pub(super) fn is_description(text: &str) -> bool {
    text.starts_with("ImageJ=")
}

/// Returns the stack that a description declares for a file of `pages` pages.
///
/// # Errors
/// Returns a [`Flaw`] if the numbers of pictures contradict each other or the pages.
pub(super) fn stack(text: &str, page: &Directory, pages: usize) -> Result<Stack, Flaw> {
    let value = |key: &str| {
        let lines = text.lines().filter_map(|line| line.split_once('='));
        lines.filter(|(name, _)| name.trim() == key).map(|(_, value)| value.trim()).next_back()
    };
    let count = |key: &str| -> Result<Option<usize>, Flaw> {
        let Some(text) = value(key) else { return Ok(None) };
        match text.parse::<usize>() {
            Ok(n) if n > 0 => Ok(Some(n)),
            _ => refuse(format!("the description of ImageJ has {key}={text}"), AGAIN),
        }
    };
    let (channels, frames) = (count("channels")?.unwrap_or(1), count("frames")?.unwrap_or(1));
    let slices = count("slices")?;
    let others = channels.saturating_mul(frames);
    let images = match (count("images")?, slices) {
        (Some(images), _) => images,
        (None, Some(slices)) => others.saturating_mul(slices),
        (None, None) => pages.max(others),
    };
    let order =
        Order::new([('C', channels), ('Z', slices.unwrap_or(images / others)), ('T', frames)]);
    if order.count() != images {
        let Order { slices, .. } = order;
        let what = format!(
            "the description of ImageJ declares {images} pictures, but {channels} channels x \
             {slices} slices x {frames} frames"
        );
        return refuse(what, AGAIN);
    }
    let mut stack = Stack::new(order, pages, "ImageJ")?;
    let number = |key: &str| value(key).and_then(|text| text.parse::<f64>().ok());
    let unit_of = |key: &str| value(key).map(String::from);
    let [x, y] = [tags::X_RESOLUTION, tags::Y_RESOLUTION].map(|tag| page.positive(tag));
    let (unit, is_uncalibrated) = match (unit_of("unit"), page.whole(tags::RESOLUTION_UNIT)) {
        (Some(unit), _) => (unit, false),
        // ImageJ treats 72 pixels per inch as an unknown size.
        (None, Some(2)) => ("inch".to_string(), x == Some(72.0)),
        (None, Some(3)) => ("cm".to_string(), false),
        (None, _) => (String::new(), false),
    };
    let pixel = |resolution: Option<f64>| {
        resolution.filter(|_| !is_uncalibrated).map(|resolution| 1.0 / resolution)
    };
    let depth = number("spacing").map(f64::abs).filter(|depth| depth.is_finite() && *depth > 0.0);
    let unit = if is_uncalibrated { String::new() } else { unit };
    let y_unit = unit_of("yunit").unwrap_or_else(|| unit.clone());
    let z_unit = unit_of("zunit").unwrap_or_else(|| unit.clone());
    let lengths = [length(pixel(x), &unit), length(pixel(y), &y_unit), length(depth, &z_unit)];
    stack.spacing = common(lengths, stack.slices);
    match (value("cf"), number("c0"), number("c1")) {
        (Some("0"), Some(intercept), Some(slope)) if slope != 0.0 => {
            stack.scaling = Scaling { slope, intercept };
        }
        (Some(function), ..) => stack.warnings.push(format!(
            "the calibration function {function} of ImageJ is not applied: values are as stored"
        )),
        _ => {}
    }
    Ok(stack)
}
