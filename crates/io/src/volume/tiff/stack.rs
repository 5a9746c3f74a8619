//! The slices, channels and volumes that the description of a TIFF file declares.

use std::path::Path;

use super::ifd::{Directory, tags};
use super::units::Spacing;
use super::{AGAIN, imagej, ome, refuse, shaped, unsupported};
use zeroset_core::error::{Flaw, Result};
use zeroset_core::volume::Scaling;

/// The pictures of a file as a volume, or as several.
#[derive(Clone, Debug)]
pub(super) struct Stack {
    pub slices: usize,
    /// The number of channels in separate pictures.
    pub channels: usize,
    pub volumes: usize,
    /// For each picture, the position of its page, or of its pixels if there is only one page. The
    /// slices run fastest, then the channels, then the volumes.
    pub pictures: Vec<usize>,
    pub channel_names: Vec<String>,
    pub spacing: Spacing,
    pub scaling: Scaling,
    /// The program or format whose description was used, such as "ImageJ".
    pub source: &'static str,
    pub warnings: Vec<String>,
}

/// A sequence of pictures in which three indices run at different speeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Order {
    pub slices: usize,
    pub channels: usize,
    pub volumes: usize,
    /// The numbers of pictures between neighboring slices, channels and volumes.
    pub steps: [usize; 3],
}

impl Order {
    /// Creates an order from sizes with their names ('Z', 'C' or 'T'), fastest first. Sizes of 0
    /// count as 1.
    pub fn new(sizes: [(char, usize); 3]) -> Self {
        let mut order = Order { slices: 1, channels: 1, volumes: 1, steps: [1; 3] };
        let mut step = 1_usize;
        for (name, size) in sizes {
            let size = size.max(1);
            match name {
                'Z' => (order.slices, order.steps[0]) = (size, step),
                'C' => (order.channels, order.steps[1]) = (size, step),
                _ => (order.volumes, order.steps[2]) = (size, step),
            }
            step = step.saturating_mul(size);
        }
        order
    }

    /// Returns the number of pictures.
    pub fn count(&self) -> usize {
        self.slices.saturating_mul(self.channels).saturating_mul(self.volumes)
    }

    /// Returns the position of each picture, with slices fastest, then channels, then volumes.
    fn pictures(&self) -> Vec<usize> {
        let [slice, channel, volume] = self.steps;
        let of_volume = |t: usize| {
            (0..self.channels).flat_map(move |c| {
                (0..self.slices).map(move |z| z * slice + c * channel + t * volume)
            })
        };
        (0..self.volumes).flat_map(of_volume).collect()
    }
}

impl Stack {
    /// Creates a stack of pictures in an order.
    ///
    /// # Errors
    /// Returns a [`Flaw`] if the number of pages is neither 1 nor the number of pictures.
    pub fn new(order: Order, pages: usize, source: &'static str) -> Result<Self, Flaw> {
        let n = order.count();
        if pages != 1 && pages != n {
            let what =
                format!("the description declares {n} pictures, but the file has {pages} pages");
            return refuse(what, AGAIN);
        }
        if n > MOST {
            let what = format!("the description declares {n} pictures, more than {MOST}");
            return refuse(what, AGAIN);
        }
        Ok(Stack {
            slices: order.slices,
            channels: order.channels,
            volumes: order.volumes,
            pictures: order.pictures(),
            channel_names: Vec::new(),
            spacing: Spacing::default(),
            scaling: Scaling::NONE,
            source,
            warnings: Vec::new(),
        })
    }

    /// Reads the description of a file with the given pages. Without a description, the pages are
    /// slices.
    ///
    /// # Errors
    /// Returns a [`Flaw`] if the description contradicts the pages, or if it belongs to a
    /// multi-file format or to a format that is not supported.
    pub fn of(path: &Path, pages: &[&Directory], size: [u32; 2]) -> Result<Self, Flaw> {
        let first = pages[0];
        if let Some((_, name)) = FOREIGN.iter().find(|(tag, _)| first.count(*tag).is_some()) {
            let remedy = "open it in Fiji (Bio-Formats) and save it as TIFF or OME-TIFF";
            return unsupported(
                format!("a TIFF file of {name}, whose order of pages is special"),
                remedy,
            );
        }
        let text = first.text(tags::DESCRIPTION).unwrap_or_default();
        if imagej::is_description(&text) {
            return imagej::stack(&text, first, pages.len());
        }
        if ome::is_description(&text) {
            return ome::stack(path, &text, pages.len());
        }
        if let Some(stack) = shaped::stack(&text, size, pages.len())? {
            return Ok(stack);
        }
        let order = Order::new([('Z', pages.len()), ('C', 1), ('T', 1)]);
        let mut stack = Stack::new(order, pages.len(), "")?;
        stack.warnings.extend(unused_resolution(first));
        Ok(stack)
    }
}

/// The largest number of pictures in a file. It bounds the list that a description requests.
const MOST: usize = 1 << 20;

/// Tags of formats that store slices, times or channels in their own order, and their names.
const FOREIGN: [(u16, &str); 3] =
    [(33_629, "MetaMorph (STK)"), (34_412, "Zeiss (LSM)"), (34_361, "Olympus FluoView")];

/// Resolutions in pixels per inch that programs write if they know none.
const DEFAULTS: [f64; 2] = [72.0, 96.0];

/// Returns a warning if the file states the size of a pixel, which is often that of a print.
fn unused_resolution(page: &Directory) -> Option<String> {
    let mm = match page.whole(tags::RESOLUTION_UNIT)? {
        2 => 25.4,
        3 => 10.0,
        _ => return None,
    };
    let [x, y] = [page.positive(tags::X_RESOLUTION)?, page.positive(tags::Y_RESOLUTION)?];
    let is_default = |x: f64| DEFAULTS.iter().any(|dpi| (x / mm * 25.4 - dpi).abs() < 0.5);
    if is_default(x) && is_default(y) || x == 1.0 && y == 1.0 {
        return None;
    }
    let short =
        |x: f64| format!("{:.6}", x).trim_end_matches('0').trim_end_matches('.').to_string();
    let (x, y) = (short(mm / x), short(mm / y));
    Some(format!(
        "the resolution ({x} x {y} mm per pixel) is not used, because it is often that of a print: \
         coordinates are in pixels; state the spacing with --spacing, or with `spacing` in a case"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_found_in_any_order() {
        let order = Order::new([('C', 2), ('Z', 3), ('T', 2)]);
        assert_eq!((order.count(), order.steps), (12, [2, 1, 6]));
        let pictures = order.pictures();
        assert_eq!(pictures[..6], [0, 2, 4, 1, 3, 5]);
        assert_eq!(pictures[6..9], [6, 8, 10]);
        assert!(Stack::new(order, 12, "").is_ok() && Stack::new(order, 1, "").is_ok());
        let error = Stack::new(order, 11, "").unwrap_err().to_string();
        assert!(error.contains("declares 12 pictures, but the file has 11 pages"), "{error}");
    }
}
