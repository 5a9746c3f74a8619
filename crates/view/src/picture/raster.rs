//! Rasterization of triangles and lines: a depth buffer with nine samples per pixel, processed in
//! bands of rows. Colors are computed only for visible triangles.
//!
//! Corners are rounded to a fine lattice of integers, so that coverage is exact: triangles that
//! share an edge leave no gap and never both cover a sample. All other operations are `+ - * /` and
//! square roots, so that a picture is bitwise identical on every machine and with any number of
//! threads.

use std::borrow::Cow;

use super::Image;
use super::color::{Light, Map, NO_VALUE, SOLID, Srgb, Sum};
use super::depth_buffer::DepthBuffer;
use super::drawing::Drawing;
use super::lines::{Seen, Strokes};
use super::row_bands::{Bands, Lists, ROWS};
use crate::render::vector::{V, add};
use crate::render::{Frame, Shade};
use zeroset_core::parallel::*;

/// The number of samples per pixel along each axis.
pub(super) const SAMPLES: usize = 3;
/// The number of lattice steps per sample.
pub(super) const FINE: i64 = 256;
/// Marks the absence of a triangle.
pub(super) const NONE: u32 = u32::MAX;
/// The number of times that the bounding boxes of the triangles must cover a band before the
/// triangles are sorted.
const OVERLAP: usize = 16;

/// A corner of a triangle: its lattice coordinates and its height.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corner {
    pub x: i32,
    pub y: i32,
    pub z: f32,
}

/// A triangle on the lattice, oriented so that its area is positive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flat {
    pub x: [i64; 3],
    pub y: [i64; 3],
    /// Twice the area.
    pub area: i64,
    /// Whether the orientation was reversed to make the area positive.
    pub turned: bool,
}

impl Flat {
    pub(super) fn new(corners: [Corner; 3]) -> Option<Flat> {
        let mut x = corners.map(|c| i64::from(c.x));
        let mut y = corners.map(|c| i64::from(c.y));
        let area = (x[1] - x[0]) * (y[2] - y[0]) - (y[1] - y[0]) * (x[2] - x[0]);
        if area < 0 {
            x.swap(1, 2);
            y.swap(1, 2);
        }
        (area != 0).then_some(Flat { x, y, area: area.abs(), turned: area < 0 })
    }

    /// Returns, for each edge, twice the area of the triangle that it forms with a point. The area
    /// is positive on the inner side. Edge k is opposite corner k.
    pub(super) fn edges(&self, px: i64, py: i64) -> [i64; 3] {
        [(1, 2), (2, 0), (0, 1)].map(|(a, b)| {
            (self.x[b] - self.x[a]) * (py - self.y[a]) - (self.y[b] - self.y[a]) * (px - self.x[a])
        })
    }

    /// Returns 0 for each edge whose points belong to this triangle, and -1 for each edge whose
    /// points belong to the neighbor.
    pub(super) fn bias(&self) -> [i64; 3] {
        [(1, 2), (2, 0), (0, 1)].map(|(a, b)| {
            let (dx, dy) = (self.x[b] - self.x[a], self.y[b] - self.y[a]);
            if dy > 0 || (dy == 0 && dx < 0) { 0 } else { -1 }
        })
    }
}

/// Draws the triangles and lines of a picture on a white or transparent background.
pub(super) fn draw(
    drawing: &Drawing<'_>,
    frame: &Frame,
    map: &Map,
    [width, height]: [u32; 2],
    transparent: bool,
) -> Image {
    let size = [width as usize, height as usize];
    let lattice = |x: f64| {
        let limit = f64::from(1 << 29);
        (x * (SAMPLES as i64 * FINE) as f64 + 0.5).floor().clamp(-limit, limit) as i32
    };
    let corner = |x: &V| {
        let [x, y, z] = frame.project(*x);
        Corner { x: lattice(x), y: lattice(y), z: z as f32 }
    };
    let corners: Vec<Corner> = drawing.points.par_iter().map(corner).collect();
    let bands = Bands::new(size[1], frame, drawing.has_marks());
    let fine = 1.0 / (SAMPLES as i64 * FINE) as f64;
    let triangles = Lists::new(bands.n(), drawing.triangles.len() / 3, |t| {
        let y = [0, 1, 2].map(|k| corners[drawing.triangles[3 * t + k] as usize].y);
        let low = f64::from(y[0].min(y[1]).min(y[2])) * fine;
        let high = f64::from(y[0].max(y[1]).max(y[2])) * fine;
        bands.within(low, high, bands.apron as f64)
    });
    let strokes = Strokes::new(drawing, frame, &bands);
    let (corners, srgb) = (&corners, Srgb::new());
    let painter = Painter { drawing, frame, map, corners, srgb, size, bands, transparent };
    let mut image = Image::blank(width, height, transparent);
    let paint = |k: usize, pixels: &mut [u8], alpha: &mut [u8]| {
        let looked = painter.look(k, triangles.of(k));
        let mut colors = painter.paint(&looked);
        strokes.draw(k, &looked.seen, &mut colors);
        write(&colors, pixels, alpha);
    };
    image.par_bands(ROWS, paint);
    image
}

/// Completes a picture with given colors by drawing its lines. `heights` contains the heights of
/// all samples if there are lines. The height is minus infinity at samples without a surface.
pub(super) fn ruled(
    drawing: &Drawing<'_>,
    frame: &Frame,
    [width, height]: [u32; 2],
    transparent: bool,
    mut colors: Vec<[f32; 4]>,
    heights: &[f32],
) -> Image {
    let (wide, bands) = (width as usize, Bands::new(height as usize, frame, drawing.has_marks()));
    let strokes = Strokes::new(drawing, frame, &bands);
    if !drawing.lines.is_empty() {
        let of_band = |(band, colors): (usize, &mut [[f32; 4]])| {
            let [top, bottom] = bands.samples(band).map(|row| row * wide * SAMPLES);
            let seen = Seen::new(&bands, band, wide, Cow::Borrowed(&heights[top..bottom]));
            strokes.draw(band, &seen, colors);
        };
        colors.par_chunks_mut(wide * ROWS).enumerate().for_each(of_band);
    }
    let mut image = Image::blank(width, height, transparent);
    image.par_bands(ROWS, |band, pixels, alpha| {
        let rows = pixels.len() / 3;
        write(&colors[band * ROWS * wide..][..rows], pixels, alpha);
    });
    image
}

/// Converts colors from 0 to 255 and opacity from 0 to 1 to bytes. `alpha` is empty if all pixels
/// are opaque.
pub(super) fn write(colors: &[[f32; 4]], pixels: &mut [u8], alpha: &mut [u8]) {
    for (pixel, color) in pixels.chunks_exact_mut(3).zip(colors) {
        for (byte, color) in pixel.iter_mut().zip(color) {
            *byte = (color + 0.5) as u8;
        }
    }
    for (byte, [.., opacity]) in alpha.iter_mut().zip(colors) {
        *byte = (255.0 * opacity + 0.5) as u8;
    }
}

/// The samples needed for a band, and the triangle visible at each. They include rows above and
/// below the band that its lines may need.
struct Looked {
    seen: Seen<'static>,
    triangle: Vec<u32>,
}

/// The data needed to paint a band.
pub(super) struct Painter<'a> {
    pub drawing: &'a Drawing<'a>,
    frame: &'a Frame,
    map: &'a Map,
    corners: &'a [Corner],
    srgb: Srgb,
    /// The width and height of the picture.
    size: [usize; 2],
    bands: Bands,
    transparent: bool,
}

impl Painter<'_> {
    fn corners(&self, t: u32) -> [Corner; 3] {
        [0, 1, 2].map(|k| self.corners[self.drawing.triangles[3 * t as usize + k] as usize])
    }

    /// Finds the triangle that is visible at each sample of a band.
    fn look(&self, band: usize, triangles: &[u32]) -> Looked {
        let [top, bottom] = self.bands.samples(band);
        let wide = self.size[0] * SAMPLES;
        let mut buffer = DepthBuffer::new(wide, [top, bottom]);
        for &t in &*self.in_order(triangles, [top, bottom]) {
            let corners = self.corners(t);
            let Some(flat) = Flat::new(corners) else { continue };
            // The corners of a wall are in counterclockwise order when seen from outside. Because y
            // points downward here, `turned` means that the wall faces the viewer.
            if self.drawing.open && (t as usize) < self.drawing.n_colored && flat.turned {
                continue;
            }
            let mut z = corners.map(|c| f64::from(c.z));
            if flat.turned {
                z.swap(1, 2);
            }
            buffer.draw(&flat, z, t);
        }
        let DepthBuffer { height, triangle, .. } = buffer;
        Looked { seen: Seen::new(&self.bands, band, self.size[0], Cow::Owned(height)), triangle }
    }

    /// Returns the triangles, sorted with the highest first if they overlap a lot. The order
    /// changes no result, but hidden triangles are then rejected sooner.
    fn in_order<'t>(&self, triangles: &'t [u32], [top, bottom]: [usize; 2]) -> Cow<'t, [u32]> {
        let wide = self.size[0] * SAMPLES;
        let covered = |t: &u32| {
            let corners = self.corners(*t);
            let [low_x, high_x] = ends(corners.map(|c| i64::from(c.x)), 0, wide);
            let [low_y, high_y] = ends(corners.map(|c| i64::from(c.y)), top, bottom);
            high_x.saturating_sub(low_x) * high_y.saturating_sub(low_y)
        };
        if triangles.iter().map(covered).sum::<usize>() < OVERLAP * wide * (bottom - top) {
            return Cow::Borrowed(triangles);
        }
        let highest = |t: &u32| {
            let [a, b, c] = self.corners(*t).map(|corner| corner.z);
            a.max(b).max(c)
        };
        let mut sorted = triangles.to_vec();
        sorted.sort_by(|a, b| highest(b).total_cmp(&highest(a)));
        Cow::Owned(sorted)
    }

    /// Returns the colors of the pixels of a band, from 0 to 255, and their opacity, from 0 to 1.
    fn paint(&self, Looked { seen, triangle }: &Looked) -> Vec<[f32; 4]> {
        let wide = self.size[0] * SAMPLES;
        let opacity = if self.transparent { 0.0 } else { 1.0 };
        let mut colors = vec![[255.0, 255.0, 255.0, opacity]; self.size[0] * seen.rows];
        for (k, color) in colors.iter_mut().enumerate() {
            let (x0, y0) = (k % self.size[0] * SAMPLES, (seen.first + k / self.size[0]) * SAMPLES);
            let samples = || {
                let places =
                    (y0..y0 + SAMPLES).flat_map(|y| (x0..x0 + SAMPLES).map(move |x| (x, y)));
                places.map(|(x, y)| (triangle[(y - seen.top) * wide + x], x, y))
            };
            let label =
                self.drawing.labels.as_ref().and_then(|labels| self.label(labels, samples()));
            let mut sum = Sum::default();
            let mut last = (NONE, [1.0f32; 3]);
            for (t, x, y) in samples() {
                if t != last.0 {
                    last = (t, if t == NONE { [1.0; 3] } else { self.shade(t, x, y, label) });
                }
                if t != NONE || !self.transparent {
                    sum.add(last.1, t != NONE);
                }
            }
            if let Some(pixel) = sum.pixel(&self.srgb, SAMPLES * SAMPLES) {
                *color = pixel;
            }
        }
        colors
    }

    /// Returns the weights of the corners of a triangle at a sample, or `None` if the triangle has
    /// no area.
    pub(super) fn weights(&self, t: u32, x: usize, y: usize) -> Option<[f64; 3]> {
        let corners = self.corners(t);
        let flat = Flat::new(corners)?;
        let middle = |k: usize| k as i64 * FINE + FINE / 2;
        let mut weights = flat.edges(middle(x), middle(y)).map(|e| e as f64 / flat.area as f64);
        if flat.turned {
            weights.swap(1, 2);
        }
        if self.frame.is_perspective() {
            // In perspective, functions that are linear on a triangle are not linear in the
            // picture.
            let grown = [0, 1, 2].map(|k| weights[k] * self.frame.growth(f64::from(corners[k].z)));
            let sum = grown[0] + grown[1] + grown[2];
            weights = grown.map(|w| w / sum);
        }
        Some(weights)
    }

    /// Returns the color of a triangle at a sample, including lighting. `label` is the color of the
    /// label that the pixel shows.
    fn shade(&self, t: u32, x: usize, y: usize, label: Option<Light>) -> Light {
        let Some(weights) = self.weights(t, x, y) else { return [1.0; 3] };
        let t = t as usize;
        let color = if t >= self.drawing.n_colored {
            Srgb::decode(SOLID)
        } else if let Some(label) = label {
            label
        } else if !self.drawing.paint.is_empty() {
            let of =
                [0, 1, 2].map(|k| self.drawing.paint[self.drawing.triangles[3 * t + k] as usize]);
            let mean = |c: usize| (0..3).map(|k| weights[k] * f64::from(of[k][c])).sum::<f64>();
            [0, 1, 2].map(|c| mean(c) as f32)
        } else {
            let value = |k: usize| self.drawing.values[self.drawing.triangles[3 * t + k] as usize];
            let mean = (0..3).map(|k| weights[k] * value(k)).sum();
            self.map.color(mean).unwrap_or_else(|| Srgb::decode(NO_VALUE))
        };
        let Some(normals) = self.drawing.normals.get(t) else { return color };
        let mut normal = [0.0; 3];
        for (n, w) in normals.iter().zip(weights) {
            normal = add(normal, n.map(|x| f64::from(x) * w));
        }
        let pixel = [x, y].map(|k| (k as f64 + 0.5) / SAMPLES as f64);
        Shade::new(normal, self.frame.axes(), self.frame.toward_eye(pixel)).on(color)
    }
}

/// Returns the range of samples along one axis whose centers lie within the extent of a triangle.
pub(super) fn ends(x: [i64; 3], low: usize, high: usize) -> [usize; 2] {
    let least = x[0].min(x[1]).min(x[2]);
    let most = x[0].max(x[1]).max(x[2]);
    let from = (least + FINE / 2 - 1).div_euclid(FINE).clamp(low as i64, high as i64);
    let to = ((most - FINE / 2).div_euclid(FINE) + 1).clamp(low as i64, high as i64);
    [from as usize, to as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corner(x: i32, y: i32) -> Corner {
        Corner { x, y, z: 0.0 }
    }

    #[test]
    fn triangles_that_share_an_edge_share_no_sample_and_leave_no_gap() {
        // A fan of triangles around a point that lies exactly on a sample. Its edges pass through
        // samples.
        let middle = corner(128 + 256 * 4, 128 + 256 * 4);
        let rim = [
            (0, 0),
            (1152, 0),
            (2304, 0),
            (2304, 1152),
            (2304, 2304),
            (900, 2304),
            (0, 2304),
            (0, 700),
        ];
        let mut count = [[0; 9]; 9];
        for k in 0..rim.len() {
            let (a, b) = (rim[k], rim[(k + 1) % rim.len()]);
            // Both orientations must work.
            let mut fan = [middle, corner(a.0, a.1), corner(b.0, b.1)];
            if k % 2 == 0 {
                fan.swap(1, 2);
            }
            let flat = Flat::new(fan).unwrap();
            let bias = flat.bias();
            for (y, row) in count.iter_mut().enumerate() {
                for (x, n) in row.iter_mut().enumerate() {
                    let edges = flat.edges(x as i64 * 256 + 128, y as i64 * 256 + 128);
                    *n += i32::from((0..3).all(|k| edges[k] + bias[k] >= 0));
                }
            }
        }
        assert!(count.iter().flatten().all(|&n| n == 1), "{count:?}");
    }

    #[test]
    fn flat_triangles_are_left_out() {
        assert!(Flat::new([corner(0, 0), corner(5, 5), corner(10, 10)]).is_none());
    }
}
