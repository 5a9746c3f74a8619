//! Antialiased strokes on finished pixels: text, ticks, and the frame of the color bar. `lines`
//! uses the coverage and the blending of this file.

use super::Image;
use super::font::{CAP, GAP, glyph};

/// A line segment in pixels, with y downward.
pub(super) type Piece = [[f64; 2]; 2];

/// Returns the fraction of a pixel, 0 to 1, that a line of `width` pixels covers if its center line
/// is `distance` pixels from the center of the pixel.
pub(super) fn coverage(distance: f64, width: f64) -> f64 {
    // Lines thinner than a pixel become paler instead of thinner.
    let strength = width.min(1.0);
    (0.5 * width.max(1.0) + 0.5 - distance).clamp(0.0, 1.0) * strength
}

/// Returns the squared distance from a point to a segment, and the segment parameter of the nearest
/// point.
pub(super) fn nearest([a, b]: Piece, p: [f64; 2]) -> (f64, f64) {
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let (px, py) = (p[0] - a[0], p[1] - a[1]);
    let squared = dx * dx + dy * dy;
    let t = if squared > 0.0 { ((px * dx + py * dy) / squared).clamp(0.0, 1.0) } else { 0.0 };
    let (ex, ey) = (px - t * dx, py - t * dy);
    (ex * ex + ey * ey, t)
}

/// Blends a color over a pixel with the weight `mix`, 0 to 1. The pixel consists of red, green and
/// blue, 0 to 255, and opacity, 0 to 1.
pub(super) fn over(pixel: &mut [f32; 4], color: [f32; 3], mix: f32) {
    let [.., old] = *pixel;
    let opacity = old + (1.0 - old) * mix;
    // On an opaque pixel, the weight of the color is exactly `mix`.
    let share = if old == 1.0 { mix } else { mix / opacity.max(f32::MIN_POSITIVE) };
    for (old, new) in pixel.iter_mut().zip(color) {
        *old += (new - *old) * share;
    }
    pixel[3] = opacity;
}

impl Image {
    /// Draws the segments of one line in one color. Overlapping segments do not make the line
    /// darker.
    pub(super) fn stroke(&mut self, pieces: &[Piece], width: f64, color: [u8; 3]) {
        let reach = 0.5 * width + 1.0;
        let bounds = |axis: usize, limit: u32| {
            let all = || pieces.iter().flatten().map(|p| p[axis]);
            let low = (all().fold(f64::INFINITY, f64::min) - reach).clamp(0.0, f64::from(limit));
            let high = (all().fold(0.0, f64::max) + reach).clamp(0.0, f64::from(limit));
            (low as usize, high as usize)
        };
        let ((x0, x1), (y0, y1)) = (bounds(0, self.width), bounds(1, self.height));
        if x1 <= x0 || y1 <= y0 {
            return;
        }
        let columns = x1 - x0;
        let mut covered = vec![0.0f64; columns * (y1 - y0)];
        for &piece in pieces {
            let [a, b] = piece;
            let low = |k: usize, from: usize| (a[k].min(b[k]) - reach).max(from as f64) as usize;
            let high =
                |k: usize, to: usize| (a[k].max(b[k]) + reach).clamp(0.0, to as f64) as usize;
            for y in low(1, y0)..high(1, y1) {
                for x in low(0, x0)..high(0, x1) {
                    let (squared, _) = nearest(piece, [x as f64 + 0.5, y as f64 + 0.5]);
                    let cell = &mut covered[(y - y0) * columns + x - x0];
                    *cell = cell.max(coverage(squared.sqrt(), width));
                }
            }
        }
        for (k, &covered) in covered.iter().enumerate().filter(|&(_, &c)| c > 0.0) {
            let at = (y0 + k / columns) * self.width as usize + x0 + k % columns;
            let share = self.cover(at, covered);
            for (old, new) in self.pixels[3 * at..3 * at + 3].iter_mut().zip(color) {
                let mixed = f64::from(*old) + (f64::from(new) - f64::from(*old)) * share;
                *old = (mixed + 0.5) as u8;
            }
        }
    }

    /// Fills a rectangle of whole pixels.
    pub(super) fn fill(&mut self, [x0, y0, x1, y1]: [u32; 4], color: [u8; 3]) {
        for y in y0..y1.min(self.height) {
            for x in x0..x1.min(self.width) {
                let at = y as usize * self.width as usize + x as usize;
                self.cover(at, 1.0);
                self.pixels[3 * at..3 * at + 3].copy_from_slice(&color);
            }
        }
    }

    /// Increases the opacity of a pixel for ink that covers the fraction `covered` of it. Returns
    /// the weight of the ink in the new color of the pixel.
    fn cover(&mut self, at: usize, covered: f64) -> f64 {
        let Some(alpha) = self.alpha.get_mut(at) else { return covered };
        let old = f64::from(*alpha) / 255.0;
        let new = old + (1.0 - old) * covered;
        *alpha = (255.0 * new + 0.5) as u8;
        if new > 0.0 { covered / new } else { 0.0 }
    }

    /// Writes a line of text. Capitals are `style.height` pixels high, and `start` is the left end
    /// of the baseline.
    pub(super) fn text(&mut self, text: &str, start: [f64; 2], style: Style) {
        let unit = style.height / CAP;
        let mut x = start[0];
        let mut pieces = Vec::new();
        for letter in text.chars() {
            let (advance, path) = glyph(letter);
            outline(path, |piece| {
                pieces.push(piece.map(|[px, py]| [x + px * unit, start[1] - py * unit]));
            });
            x += (advance + GAP) * unit;
        }
        self.stroke(&pieces, style.weight, style.color);
    }
}

/// The style of text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    /// The height of capitals in pixels.
    pub height: f64,
    /// The width of strokes in pixels.
    pub weight: f64,
    pub color: [u8; 3],
}

impl Style {
    /// Returns the width of a line of text in pixels.
    pub(super) fn width(&self, text: &str) -> f64 {
        let units: f64 = text.chars().map(|letter| glyph(letter).0 + GAP).sum();
        (units - GAP).max(0.0) * self.height / CAP
    }

    /// Returns text, shortened if necessary to be at most `width` pixels wide. Shortened text ends
    /// with "...", which is part of this width. The result is empty if not even one letter fits.
    pub(super) fn fit(&self, text: &str, width: f64) -> String {
        if self.width(text) <= width {
            return text.to_string();
        }
        let letters: Vec<char> = text.chars().collect();
        let short = |n: usize| letters[..n].iter().collect::<String>() + "...";
        let fits = |&n: &usize| self.width(&short(n)) <= width;
        (1..letters.len()).rev().find(fits).map_or(String::new(), short)
    }
}

/// Splits the path of a glyph into segments. Curves become short segments.
fn outline(path: &str, mut piece: impl FnMut(Piece)) {
    const PARTS: usize = 8;
    let mut words = path.split_ascii_whitespace();
    let mut at = [0.0; 2];
    while let Some(command) = words.next() {
        let mut point = || {
            let mut number = || words.next().and_then(|w| w.parse::<f64>().ok()).unwrap_or(0.0);
            [number(), number()]
        };
        match command {
            "M" => at = point(),
            "L" => {
                let to = point();
                piece([at, to]);
                at = to;
            }
            _ => {
                let (control, to) = (point(), point());
                let mut last = at;
                for k in 1..=PARTS {
                    let t = k as f64 / PARTS as f64;
                    let s = 1.0 - t;
                    let on = |c: usize| s * s * at[c] + 2.0 * s * t * control[c] + t * t * to[c];
                    let next = [on(0), on(1)];
                    piece([last, next]);
                    last = next;
                }
                at = to;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn white(width: u32, height: u32) -> Image {
        let pixels = vec![255; (width * height * 3) as usize];
        Image { width, height, pixels, alpha: Vec::new() }
    }

    #[test]
    fn every_glyph_is_a_path_that_stays_in_its_box() {
        for letter in (32u8..127).map(char::from).chain(['\u{2212}', '\u{d7}', '\u{e9}']) {
            let (advance, path) = glyph(letter);
            for word in path.split_ascii_whitespace() {
                assert!(matches!(word, "M" | "L" | "Q") || word.parse::<f64>().is_ok(), "{letter}");
            }
            let mut n = 0;
            outline(path, |piece| {
                n += 1;
                for [x, y] in piece {
                    assert!((-0.7..=advance + 0.7).contains(&x), "{letter}: x = {x}");
                    assert!((-4.5..=15.5).contains(&y), "{letter}: y = {y}");
                }
            });
            assert!(n > 0 || letter == ' ', "{letter} is empty");
        }
    }

    #[test]
    fn glyphs_differ() {
        let all: Vec<&str> = (32u8..127).map(|c| glyph(char::from(c)).1).collect();
        let mut sorted = all.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), all.len());
    }

    #[test]
    fn a_line_has_its_width_and_stays_on_the_picture() {
        let mut image = white(20, 10);
        image.stroke(&[[[-50.0, 5.0], [50.0, 5.0]]], 2.0, [0; 3]);
        for x in 0..20 {
            let column: Vec<u8> = (0..10).map(|y| image.pixels[(y * 20 + x) * 3]).collect();
            let ink: f64 = column.iter().map(|&c| 1.0 - f64::from(c) / 255.0).sum();
            assert!((ink - 2.0).abs() < 0.02, "{column:?}");
        }
        let before = image.clone();
        image.stroke(&[[[-9.0, -9.0], [-5.0, -5.0]], [[99.0, 99.0], [90.0, 99.0]]], 1.0, [0; 3]);
        image.stroke(&[], 1.0, [0; 3]);
        assert_eq!(image, before);
    }

    #[test]
    fn long_text_is_cut() {
        let style = Style { height: 14.0, weight: 1.5, color: [0; 3] };
        assert_eq!(style.fit("short", 200.0), "short");
        let cut = style.fit("a very long name of a case", 100.0);
        assert!(cut.ends_with("...") && style.width(&cut) <= 100.0, "{cut}");
        assert_eq!(style.fit("long", 1.0), "");
    }
}
