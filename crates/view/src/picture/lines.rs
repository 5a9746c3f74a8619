//! Lines on a surface: strips of constant pixel width. Where the mesh hides them, marks are pale
//! and other lines are not drawn.

use std::borrow::Cow;

use super::drawing::{Drawing, Kinds};
use super::raster::SAMPLES;
use super::row_bands::{Bands, Lists};
use super::strokes::{Piece, coverage, nearest, over};
use crate::render::Frame;
use crate::render::vector::V;

/// If a band has more lines than this, the lowest heights near all samples are computed in advance.
const MANY: usize = 1000;

/// A segment of a line in the picture.
struct Stroke {
    /// The pixel coordinates and height of both ends.
    ends: [V; 2],
    kind: Kinds,
    /// The width in pixels.
    width: f64,
}

impl Stroke {
    fn new(ends: [V; 2], kind: Kinds, frame: &Frame) -> Self {
        let width = frame.unit
            * match kind {
                Kinds::Edge | Kinds::Level => 1.3,
                Kinds::Interface | Kinds::Path => 3.0,
                Kinds::Source => 4.0,
                Kinds::SmallDot => 5.0,
                Kinds::Dot => 11.0,
                Kinds::Start => 8.0,
            };
        Stroke { ends: ends.map(|x| frame.project(x)), kind, width }
    }
}

/// All lines of a picture.
pub(super) struct Strokes {
    lines: Vec<Stroke>,
    /// The indices of the lines of each band.
    lists: Lists,
    unit: f64,
}

impl Strokes {
    pub(super) fn new(drawing: &Drawing<'_>, frame: &Frame, bands: &Bands) -> Self {
        let stroke = |line: &super::drawing::Line| Stroke::new(line.ends, line.kind, frame);
        let lines: Vec<Stroke> = drawing.lines.iter().map(stroke).collect();
        let lists = Lists::new(bands.n(), lines.len(), |k| {
            let [[_, a, _], [_, b, _]] = lines[k].ends;
            let casing = if lines[k].kind.is_mark() { CASING * frame.unit } else { 0.0 };
            bands.within(a.min(b), a.max(b), lines[k].width + casing + 1.0)
        });
        Strokes { lines, lists, unit: frame.unit }
    }

    /// Draws the lines of a band over its colors.
    pub(super) fn draw(&self, band: usize, seen: &Seen<'_>, colors: &mut [[f32; 4]]) {
        let lowest = (self.lists.of(band).len() > MANY).then(|| seen.lowest());
        for kind in ORDER {
            let of_kind = || {
                let lines = self.lists.of(band).iter().map(|&l| &self.lines[l as usize]);
                lines.filter(|l| l.kind == kind)
            };
            let (ink, casing) = inks(kind);
            for ink in casing.into_iter().chain([ink]) {
                seen.rule(of_kind(), &ink, (self.unit, lowest.as_deref()), colors);
            }
        }
    }
}

/// The kinds of lines in drawing order.
const ORDER: [Kinds; 8] = [
    Kinds::Edge,
    Kinds::Level,
    Kinds::Interface,
    Kinds::Source,
    Kinds::Path,
    Kinds::SmallDot,
    Kinds::Dot,
    Kinds::Start,
];

/// The width of the casing of a mark on each side, in units of line widths.
const CASING: f64 = 1.6;

/// The color of a line.
struct Ink {
    color: [f32; 3],
    /// The opacity where the line is visible, and where the mesh hides it.
    strength: [f32; 2],
    /// The width added on each side, in units of line widths.
    wider: f64,
}

/// Returns the ink of a kind of lines, and the ink of its casing, if it has one. The casing is
/// drawn below the lines.
fn inks(kind: Kinds) -> (Ink, Option<Ink>) {
    let plain = |color, strength| (Ink { color, strength: [strength, 0.0], wider: 0.0 }, None);
    let white = [255.0; 3];
    let dark = [18.0, 18.0, 22.0];
    let cased = |color, casing| {
        let casing = Ink { color: casing, strength: [1.0, 0.0], wider: CASING };
        (Ink { color, strength: [1.0, 0.35], wider: 0.0 }, Some(casing))
    };
    match kind {
        Kinds::Edge => plain([84.0, 88.0, 96.0], 0.65),
        Kinds::Level => plain([20.0, 24.0, 34.0], 0.55),
        Kinds::Interface => plain(dark, 1.0),
        Kinds::Source | Kinds::SmallDot | Kinds::Dot => cased(dark, white),
        Kinds::Path => cased([206.0, 22.0, 92.0], white),
        Kinds::Start => cased(white, [206.0, 22.0, 92.0]),
    }
}

/// The heights of the samples needed for a band. They include rows above and below the band that
/// its lines may need.
pub(super) struct Seen<'a> {
    /// The first pixel row of the band. `rows` is the number of rows, and `wide` is the number of
    /// pixels per row.
    pub first: usize,
    pub rows: usize,
    wide: usize,
    /// The first row of samples. `tall` is the number of rows of samples.
    pub top: usize,
    tall: usize,
    height: Cow<'a, [f32]>,
}

impl<'a> Seen<'a> {
    /// Wraps the heights of the samples needed for a band. The height is minus infinity at samples
    /// without a surface.
    pub(super) fn new(bands: &Bands, band: usize, wide: usize, height: Cow<'a, [f32]>) -> Self {
        let ([first, rows], [top, bottom]) = (bands.rows(band), bands.samples(band));
        Seen { first, rows, wide, top, tall: bottom - top, height }
    }

    /// Draws the lines of one kind over a band. `lowest` has the results of [`Seen::lowest_near`]
    /// if they were computed in advance.
    fn rule<'b>(
        &self,
        lines: impl Iterator<Item = &'b Stroke>,
        ink: &Ink,
        (unit, lowest): (f64, Option<&[f32]>),
        colors: &mut [[f32; 4]],
    ) {
        let mut lines = lines.peekable();
        if lines.peek().is_none() {
            return;
        }
        let wide = self.wide;
        let [open, hidden] = ink.strength;
        let mut covered = vec![0.0f32; colors.len()];
        for line in lines {
            let [a, b] = line.ends;
            let width = line.width + 2.0 * ink.wider * unit;
            let reach = 0.5 * width + 1.0;
            let (first, last) = (self.first as f64, (self.first + self.rows) as f64);
            let from = (a[1].min(b[1]) - reach).clamp(first, last) as usize;
            let to = (a[1].max(b[1]) + reach).clamp(first, last) as usize;
            let piece = [[a[0], a[1]], [b[0], b[1]]];
            for y in from..(to + 1).min(self.first + self.rows) {
                let near = columns(piece, y as f64 + 0.5, reach);
                let [low, high] = near.map(|x| x.clamp(0.0, wide as f64) as usize);
                for x in low..(high + 1).min(wide) {
                    let (squared, t) = nearest(piece, [x as f64 + 0.5, y as f64 + 0.5]);
                    let new = coverage(squared.sqrt(), width) as f32;
                    let old = &mut covered[(y - self.first) * wide + x];
                    // The pixel is already at least as dark as this part could make it, even if the
                    // part is visible.
                    if new * open <= *old {
                        continue;
                    }
                    let at = [0, 1, 2].map(|k| a[k] + (b[k] - a[k]) * t);
                    let strength = if self.is_seen(unit, lowest, at) { open } else { hidden };
                    *old = old.max(new * strength);
                }
            }
        }
        for (pixel, &covered) in colors.iter_mut().zip(&covered) {
            if covered > 0.0 {
                over(pixel, ink.color, covered);
            }
        }
    }

    /// Returns true if the surface does not hide the given point of a line that lies on it.
    fn is_seen(&self, unit: f64, lowest: Option<&[f32]>, [x, y, z]: V) -> bool {
        let wide = self.wide * SAMPLES;
        let limit = (wide as f64, (self.top + self.tall) as f64);
        let (x, y) = (x * SAMPLES as f64, y * SAMPLES as f64);
        if x < 0.0 || y < self.top as f64 || x >= limit.0 || y >= limit.1 {
            return false;
        }
        // Use the lowest height nearby, so that a line next to a fold does not become dotted.
        let (x, y) = (x as usize, y as usize - self.top);
        let lowest = lowest.map_or_else(|| self.lowest_near(x, y), |all| all[y * wide + x]);
        f64::from(lowest) - z < 1.5 * unit
    }

    /// Returns the lowest height near the sample in column `x` and row `y`, counted from row `top`.
    fn lowest_near(&self, x: usize, y: usize) -> f32 {
        let rows = y.saturating_sub(2)..(y + 3).min(self.tall);
        rows.fold(f32::INFINITY, |lowest, y| lowest.min(self.lowest_in_row(x, y)))
    }

    fn lowest_in_row(&self, x: usize, y: usize) -> f32 {
        let wide = self.wide * SAMPLES;
        let near = (x.saturating_sub(2)..(x + 3).min(wide)).step_by(2);
        near.fold(f32::INFINITY, |lowest, x| lowest.min(self.height[y * wide + x]))
    }

    /// Returns the lowest heights near all samples. This saves time if many lines look at the same
    /// samples.
    fn lowest(&self) -> Vec<f32> {
        let wide = self.wide * SAMPLES;
        let in_row = |k: usize| self.lowest_in_row(k % wide, k / wide);
        let rows: Vec<f32> = (0..self.tall * wide).map(in_row).collect();
        let near = |k: usize| {
            let (x, y) = (k % wide, k / wide);
            let rows = &rows[y.saturating_sub(2) * wide..(y + 3).min(self.tall) * wide];
            let column = rows.iter().skip(x).step_by(wide);
            column.fold(f32::INFINITY, |lowest, &height| lowest.min(height))
        };
        (0..self.tall * wide).map(near).collect()
    }
}

/// Returns the range of x in which the points of a row at height `y` may be at most `reach` away
/// from a segment.
fn columns([a, b]: Piece, y: f64, reach: f64) -> [f64; 2] {
    let (low, high) = (a[0].min(b[0]) - reach, a[0].max(b[0]) + reach);
    let rise = b[1] - a[1];
    if rise.abs() < 1.0 {
        return [low, high];
    }
    // Only the part of the segment at heights from `y - reach` to `y + reach` is near enough. The
    // extra hundredth exceeds rounding errors.
    let at = |y: f64| a[0] + (b[0] - a[0]) * ((y - a[1]) / rise).clamp(0.0, 1.0);
    let (one, other) = (at(y - reach - 0.01), at(y + reach + 0.01));
    [(one.min(other) - reach - 0.01).max(low), (one.max(other) + reach + 0.01).min(high)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heights_computed_in_advance_are_those_nearby() {
        let (wide, tall) = (5, 7);
        let n = wide * SAMPLES * tall;
        let height: Vec<f32> = (0..n as u32).map(|k| (k * 7919 % 101) as f32).collect();
        let seen = Seen { first: 0, rows: 2, wide, top: 0, tall, height: Cow::Owned(height) };
        let lowest = seen.lowest();
        assert_eq!(lowest.len(), n);
        for (k, &lowest) in lowest.iter().enumerate() {
            assert_eq!(lowest, seen.lowest_near(k % (wide * SAMPLES), k / (wide * SAMPLES)));
        }
    }

    #[test]
    fn columns_contain_all_points_near_a_segment() {
        let number = |k: u32| f64::from(k.wrapping_mul(2_654_435_761) >> 20) * 0.05 - 50.0;
        for k in 0..300 {
            let piece =
                [[number(5 * k), number(5 * k + 1)], [number(5 * k + 2), number(5 * k + 3)]];
            let reach = 1.5;
            for y in -60..220 {
                let y = f64::from(y) + 0.5;
                let [low, high] = columns(piece, y, reach);
                for x in -60..220 {
                    let x = f64::from(x) + 0.5;
                    let is_near = nearest(piece, [x, y]).0 <= reach * reach;
                    assert!(!is_near || (low..=high).contains(&x), "{piece:?} {x} {y}");
                }
            }
        }
    }
}
