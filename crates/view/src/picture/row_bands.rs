//! Bands of picture rows that are drawn in parallel.

use std::ops::Range;

use super::raster::SAMPLES;
use crate::render::Frame;

/// The number of rows per band.
pub(super) const ROWS: usize = 48;

/// The bands of a picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bands {
    height: usize,
    /// The number of rows above and below a band that are needed to draw its lines.
    pub apron: usize,
}

impl Bands {
    /// Creates the bands. `has_marks` states whether there are wide lines and dots.
    pub(super) fn new(height: usize, frame: &Frame, has_marks: bool) -> Self {
        let reach = if has_marks { 10.0 * frame.unit + 3.0 } else { 2.0 * frame.unit + 2.0 };
        Bands { height, apron: reach as usize }
    }

    pub(super) fn n(&self) -> usize {
        self.height.div_ceil(ROWS)
    }

    /// Returns the first pixel row of a band and its number of rows.
    pub(super) fn rows(&self, band: usize) -> [usize; 2] {
        let first = band * ROWS;
        [first, ROWS.min(self.height - first)]
    }

    /// Returns the first row of samples needed for a band, and the row after the last one.
    pub(super) fn samples(&self, band: usize) -> [usize; 2] {
        let [first, rows] = self.rows(band);
        let bottom = (first + rows + self.apron).min(self.height);
        [first.saturating_sub(self.apron) * SAMPLES, bottom * SAMPLES]
    }

    /// Returns the bands touched by content between rows `low` and `high`, extended by `reach` rows
    /// on both sides.
    pub(super) fn within(&self, low: f64, high: f64, reach: f64) -> Range<usize> {
        let height = self.height as f64;
        let band = |y: f64| (y.clamp(0.0, height - 1.0) as usize) / ROWS;
        let outside = high + reach < 0.0 || low - reach > height;
        if outside { 1..1 } else { band(low - reach)..band(high + reach) + 1 }
    }
}

/// For each band, the indices of the items that touch it, in ascending order.
pub(super) struct Lists {
    start: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    pub(super) fn new(bands: usize, n: usize, bands_of: impl Fn(usize) -> Range<usize>) -> Self {
        let mut start = vec![0u32; bands + 1];
        for item in 0..n {
            bands_of(item).for_each(|band| start[band + 1] += 1);
        }
        for band in 0..bands {
            start[band + 1] += start[band];
        }
        let mut fill = start.clone();
        let mut items = vec![0u32; start[bands] as usize];
        for item in 0..n {
            for band in bands_of(item) {
                items[fill[band] as usize] = item as u32;
                fill[band] += 1;
            }
        }
        Lists { start, items }
    }

    pub(super) fn of(&self, band: usize) -> &[u32] {
        &self.items[self.start[band] as usize..self.start[band + 1] as usize]
    }
}
