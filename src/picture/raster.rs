//! From triangles and lines to pixels: a depth buffer with nine samples per pixel, one band of
//! rows after the other, colors after visibility.
//!
//! Corners are moved to a fine lattice of integers, so that coverage is exact: triangles that share
//! an edge leave no gap and no sample to both. All else is `+ - * /` and square roots, so
//! that a picture has the same bits on every machine and with any number of threads.

use rayon::prelude::*;

use super::Image;
use super::camera::Axes;
use super::color::{Light, Map, NO_VALUE, Srgb};
use super::ink::{coverage, nearest};
use super::scene::{Kinds, Scene};
use super::vector::{V, add, dot, unit};

/// Samples per pixel along each axis.
const SAMPLES: usize = 3;
/// Lattice steps per sample.
const FINE: i64 = 256;
/// Rows per band.
const ROWS: usize = 48;
/// No triangle.
const NONE: u32 = u32::MAX;
/// Color of the interface of a solid, in sRGB.
const INTERFACE: [u8; 3] = [236, 226, 206];

/// Where the mesh appears in the picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub axes: Axes,
    /// Pixels per mesh unit.
    pub scale: f64,
    /// Pixel of the origin of the mesh.
    pub origin: [f64; 2],
    /// Unit of line widths, in pixels: 1 in a picture of 1200 x 900.
    pub unit: f64,
}

impl Frame {
    /// Makes a mesh fill `area` (left, top, right, bottom, pixels), times `zoom`.
    pub(super) fn fit(axes: Axes, points: &[V], area: [f64; 4], zoom: f64, unit: f64) -> Self {
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for x in points {
            for (k, axis) in [axes.right, axes.up].into_iter().enumerate() {
                let x = dot(*x, axis);
                low[k] = low[k].min(x);
                high[k] = high[k].max(x);
            }
        }
        let [left, top, right, bottom] = area;
        let (width, height) = (high[0] - low[0], high[1] - low[1]);
        let scale = ((right - left) / width).min((bottom - top) / height);
        let scale = if scale.is_finite() { scale * zoom } else { zoom };
        let middle = [0, 1].map(|k| low[k] + 0.5 * (high[k] - low[k]));
        let origin =
            [0.5 * (left + right) - middle[0] * scale, 0.5 * (top + bottom) + middle[1] * scale];
        Frame { axes, scale, origin, unit }
    }

    /// Pixel of a point, y downwards, and its height towards the eye in pixels.
    fn project(&self, x: V) -> V {
        [
            self.origin[0] + dot(x, self.axes.right) * self.scale,
            self.origin[1] - dot(x, self.axes.up) * self.scale,
            dot(x, self.axes.toward) * self.scale,
        ]
    }
}

/// A corner on the lattice, and its height.
#[derive(Clone, Copy, Debug)]
struct Corner {
    x: i32,
    y: i32,
    z: f32,
}

/// A triangle on the lattice, turned so that its area is positive.
#[derive(Clone, Copy, Debug)]
struct Flat {
    x: [i64; 3],
    y: [i64; 3],
    /// Twice the area.
    area: i64,
    /// True if it was turned.
    turned: bool,
}

impl Flat {
    fn new(corners: [Corner; 3]) -> Option<Flat> {
        let mut x = corners.map(|c| i64::from(c.x));
        let mut y = corners.map(|c| i64::from(c.y));
        let area = (x[1] - x[0]) * (y[2] - y[0]) - (y[1] - y[0]) * (x[2] - x[0]);
        if area < 0 {
            x.swap(1, 2);
            y.swap(1, 2);
        }
        (area != 0).then_some(Flat { x, y, area: area.abs(), turned: area < 0 })
    }

    /// Twice the area between each edge and a point; edge k is opposite to corner k.
    fn edges(&self, px: i64, py: i64) -> [i64; 3] {
        [(1, 2), (2, 0), (0, 1)].map(|(a, b)| {
            (self.x[b] - self.x[a]) * (py - self.y[a]) - (self.y[b] - self.y[a]) * (px - self.x[a])
        })
    }

    /// 0 for edges whose points belong to the triangle, -1 for those that belong to the other.
    fn bias(&self) -> [i64; 3] {
        [(1, 2), (2, 0), (0, 1)].map(|(a, b)| {
            let (dx, dy) = (self.x[b] - self.x[a], self.y[b] - self.y[a]);
            if dy > 0 || (dy == 0 && dx < 0) { 0 } else { -1 }
        })
    }
}

/// Draws a scene on white.
pub(super) fn draw(scene: &Scene<'_>, frame: &Frame, map: &Map, width: u32, height: u32) -> Image {
    let size = [width as usize, height as usize];
    let lattice = |x: f64| {
        let limit = f64::from(1 << 29);
        (x * (SAMPLES as i64 * FINE) as f64 + 0.5).floor().clamp(-limit, limit) as i32
    };
    let corner = |x: &V| {
        let [x, y, z] = frame.project(*x);
        Corner { x: lattice(x), y: lattice(y), z: z as f32 }
    };
    let corners: Vec<Corner> = scene.points.par_iter().map(corner).collect();
    let lines: Vec<Stroke> =
        scene.lines.iter().map(|l| Stroke::new(l.ends, l.kind, frame)).collect();
    let apron = (2.0 * frame.unit + 2.0) as usize;
    let n_bands = size[1].div_ceil(ROWS);
    let rows = |low: f64, high: f64, reach: f64| {
        let band = |y: f64| (y.clamp(0.0, size[1] as f64 - 1.0) as usize) / ROWS;
        let outside = high + reach < 0.0 || low - reach > size[1] as f64;
        if outside { 1..1 } else { band(low - reach)..band(high + reach) + 1 }
    };
    let fine = 1.0 / (SAMPLES as i64 * FINE) as f64;
    let triangles = Lists::new(n_bands, scene.triangles.len() / 3, |t| {
        let y = [0, 1, 2].map(|k| corners[scene.triangles[3 * t + k] as usize].y);
        let low = f64::from(y[0].min(y[1]).min(y[2])) * fine;
        let high = f64::from(y[0].max(y[1]).max(y[2])) * fine;
        rows(low, high, apron as f64)
    });
    let strokes = Lists::new(n_bands, lines.len(), |k| {
        let [[_, a, _], [_, b, _]] = lines[k].ends;
        rows(a.min(b), a.max(b), lines[k].width + 1.0)
    });
    let painter = Painter { scene, frame, map, corners: &corners, srgb: Srgb::new(), size, apron };
    let mut pixels = vec![255u8; size[0] * size[1] * 3];
    pixels.par_chunks_mut(size[0] * ROWS * 3).enumerate().for_each(|(k, pixels)| {
        let seen = painter.look(k, triangles.of(k));
        let mut colors = painter.paint(&seen);
        for kind in [Kinds::Edge, Kinds::Level, Kinds::Interface] {
            let of_kind = strokes.of(k).iter().map(|&l| &lines[l as usize]);
            painter.rule(&seen, of_kind.filter(|l| l.kind == kind), kind, &mut colors);
        }
        for (pixel, color) in pixels.iter_mut().zip(colors.as_flattened()) {
            *pixel = (color + 0.5) as u8;
        }
    });
    Image { width, height, pixels }
}

/// What each band has to do with, in order.
struct Lists {
    start: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    fn new(bands: usize, n: usize, bands_of: impl Fn(usize) -> std::ops::Range<usize>) -> Self {
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

    fn of(&self, band: usize) -> &[u32] {
        &self.items[self.start[band] as usize..self.start[band + 1] as usize]
    }
}

/// A piece of a line in the picture.
struct Stroke {
    /// Pixel and height of both ends.
    ends: [V; 2],
    kind: Kinds,
    /// Reach to both sides, pixels.
    width: f64,
}

impl Stroke {
    fn new(ends: [V; 2], kind: Kinds, frame: &Frame) -> Self {
        let width = frame.unit
            * match kind {
                Kinds::Edge => 1.3,
                Kinds::Level => 1.3,
                Kinds::Interface => 3.0,
            };
        Stroke { ends: ends.map(|x| frame.project(x)), kind, width }
    }
}

/// Samples of a band of rows, those above and below it included that its lines may need.
struct Seen {
    /// First pixel row of the band, and rows of it.
    first: usize,
    rows: usize,
    /// First sample row, and sample rows.
    top: usize,
    tall: usize,
    triangle: Vec<u32>,
    height: Vec<f32>,
}

/// All that is needed to paint a band.
struct Painter<'a> {
    scene: &'a Scene<'a>,
    frame: &'a Frame,
    map: &'a Map,
    corners: &'a [Corner],
    srgb: Srgb,
    /// Width and height of the picture.
    size: [usize; 2],
    apron: usize,
}

impl Painter<'_> {
    fn corners(&self, t: u32) -> [Corner; 3] {
        [0, 1, 2].map(|k| self.corners[self.scene.triangles[3 * t as usize + k] as usize])
    }

    /// Finds which triangle each sample of a band shows.
    fn look(&self, band: usize, triangles: &[u32]) -> Seen {
        let first = band * ROWS;
        let rows = ROWS.min(self.size[1] - first);
        let top = first.saturating_sub(self.apron) * SAMPLES;
        let bottom = (first + rows + self.apron).min(self.size[1]) * SAMPLES;
        let wide = self.size[0] * SAMPLES;
        let tall = bottom - top;
        let mut triangle = vec![NONE; wide * tall];
        let mut height = vec![f32::NEG_INFINITY; wide * tall];
        for &t in triangles {
            let corners = self.corners(t);
            let Some(flat) = Flat::new(corners) else { continue };
            // A wall is seen counterclockwise from outside; y points downwards here.
            if self.scene.open && (t as usize) < self.scene.n_colored && flat.turned {
                continue;
            }
            let [low_x, high_x] = ends(flat.x, 0, wide);
            let [low_y, high_y] = ends(flat.y, top, bottom);
            if low_x >= high_x {
                continue;
            }
            let mut z = corners.map(|c| f64::from(c.z));
            if flat.turned {
                z.swap(1, 2);
            }
            let (lowest, highest) = (z[0].min(z[1]).min(z[2]), z[0].max(z[1]).max(z[2]));
            let area = flat.area as f64;
            let bias = flat.bias();
            let step = [(1, 2), (2, 0), (0, 1)].map(|(a, b)| (flat.y[a] - flat.y[b]) * FINE);
            let slope = (0..3).map(|k| step[k] as f64 * z[k]).sum::<f64>() / area;
            for y in low_y..high_y {
                let middle = |k: usize| k as i64 * FINE + FINE / 2;
                let edges = flat.edges(middle(low_x), middle(y));
                let z_row = (0..3).map(|k| edges[k] as f64 * z[k]).sum::<f64>() / area;
                let mut edges = [0, 1, 2].map(|k| edges[k] + bias[k]);
                let row = (y - top) * wide;
                for x in low_x..high_x {
                    if (edges[0] | edges[1] | edges[2]) >= 0 {
                        let z = (z_row + (x - low_x) as f64 * slope).clamp(lowest, highest) as f32;
                        // Equal heights: the triangle that came first stays.
                        if z > height[row + x] {
                            height[row + x] = z;
                            triangle[row + x] = t;
                        }
                    }
                    for k in 0..3 {
                        edges[k] += step[k];
                    }
                }
            }
        }
        Seen { first, rows, top, tall, triangle, height }
    }

    /// Colors of the pixels of a band, 0 to 255.
    fn paint(&self, seen: &Seen) -> Vec<[f32; 3]> {
        let wide = self.size[0] * SAMPLES;
        let mut colors = vec![[255.0f32; 3]; self.size[0] * seen.rows];
        for (k, color) in colors.iter_mut().enumerate() {
            let (x0, y0) = (k % self.size[0] * SAMPLES, (seen.first + k / self.size[0]) * SAMPLES);
            let (mut sum, mut last, mut any) = ([0.0f32; 3], (NONE, [1.0f32; 3]), false);
            for y in y0..y0 + SAMPLES {
                for x in x0..x0 + SAMPLES {
                    let t = seen.triangle[(y - seen.top) * wide + x];
                    if t != last.0 {
                        last = (t, if t == NONE { [1.0; 3] } else { self.shade(t, x, y) });
                    }
                    any |= t != NONE;
                    sum = [0, 1, 2].map(|c| sum[c] + last.1[c]);
                }
            }
            if any {
                *color = sum.map(|x| self.srgb.encode(x / (SAMPLES * SAMPLES) as f32));
            }
        }
        colors
    }

    /// Color of a triangle at a sample, in the light.
    fn shade(&self, t: u32, x: usize, y: usize) -> Light {
        let corners = self.corners(t);
        let Some(flat) = Flat::new(corners) else { return [1.0; 3] };
        let middle = |k: usize| k as i64 * FINE + FINE / 2;
        let mut weights = flat.edges(middle(x), middle(y)).map(|e| e as f64 / flat.area as f64);
        if flat.turned {
            weights.swap(1, 2);
        }
        let t = t as usize;
        let color = if t >= self.scene.n_colored {
            Srgb::decode(INTERFACE)
        } else {
            let value = |k: usize| self.scene.values[self.scene.triangles[3 * t + k] as usize];
            let mean = (0..3).map(|k| weights[k] * value(k)).sum();
            self.map.color(mean).unwrap_or_else(|| Srgb::decode(NO_VALUE))
        };
        let Some(normals) = self.scene.normals.get(t) else { return color };
        let mut normal = [0.0; 3];
        for (n, w) in normals.iter().zip(weights) {
            normal = add(normal, n.map(|x| f64::from(x) * w));
        }
        lit(color, normal, &self.frame.axes)
    }

    /// Draws the lines of one kind over a band where nothing hides them.
    fn rule<'b>(
        &self,
        seen: &Seen,
        lines: impl Iterator<Item = &'b Stroke>,
        kind: Kinds,
        colors: &mut [[f32; 3]],
    ) {
        let (color, strength): ([f32; 3], f32) = match kind {
            Kinds::Edge => ([84.0, 88.0, 96.0], 0.65),
            Kinds::Level => ([20.0, 24.0, 34.0], 0.55),
            Kinds::Interface => ([18.0, 18.0, 22.0], 1.0),
        };
        let wide = self.size[0];
        let mut covered = vec![0.0f32; colors.len()];
        for line in lines {
            let [a, b] = line.ends;
            let reach = 0.5 * line.width + 1.0;
            let range = |k: usize, low: usize, high: usize| {
                let from = (a[k].min(b[k]) - reach).clamp(low as f64, high as f64) as usize;
                let to = (a[k].max(b[k]) + reach).clamp(low as f64, high as f64) as usize;
                from..(to + 1).min(high)
            };
            let piece = [[a[0], a[1]], [b[0], b[1]]];
            for y in range(1, seen.first, seen.first + seen.rows) {
                for x in range(0, 0, wide) {
                    let (squared, t) = nearest(piece, [x as f64 + 0.5, y as f64 + 0.5]);
                    let new = coverage(squared.sqrt(), line.width) as f32;
                    let old = &mut covered[(y - seen.first) * wide + x];
                    if new > *old && self.is_seen(seen, [0, 1, 2].map(|k| a[k] + (b[k] - a[k]) * t))
                    {
                        *old = new;
                    }
                }
            }
        }
        for (pixel, &covered) in colors.iter_mut().zip(&covered) {
            if covered > 0.0 {
                let mix = covered * strength;
                *pixel = [0, 1, 2].map(|c| pixel[c] + (color[c] - pixel[c]) * mix);
            }
        }
    }

    /// True if the surface does not hide a point of a line on it.
    fn is_seen(&self, seen: &Seen, [x, y, z]: V) -> bool {
        let wide = self.size[0] * SAMPLES;
        let limit = (wide as f64, (seen.top + seen.tall) as f64);
        let (x, y) = (x * SAMPLES as f64, y * SAMPLES as f64);
        if x < 0.0 || y < seen.top as f64 || x >= limit.0 || y >= limit.1 {
            return false;
        }
        // The lowest around: beside a fold a line must not be dotted.
        let (x, y) = (x as usize, y as usize - seen.top);
        let mut lowest = f32::INFINITY;
        for y in y.saturating_sub(2)..(y + 3).min(seen.tall) {
            for x in (x.saturating_sub(2)..(x + 3).min(wide)).step_by(2) {
                lowest = lowest.min(seen.height[y * wide + x]);
            }
        }
        f64::from(lowest) - z < 1.5 * self.frame.unit
    }
}

/// The samples along one axis whose middles lie between the ends of a triangle.
fn ends(x: [i64; 3], low: usize, high: usize) -> [usize; 2] {
    let least = x[0].min(x[1]).min(x[2]);
    let most = x[0].max(x[1]).max(x[2]);
    let from = (least + FINE / 2 - 1).div_euclid(FINE).clamp(low as i64, high as i64);
    let to = ((most - FINE / 2).div_euclid(FINE) + 1).clamp(low as i64, high as i64);
    [from as usize, to as usize]
}

/// A color in the light: most of it from the eye, some from above left, a little gloss. Both sides
/// of a surface are lit.
fn lit(color: Light, normal: V, axes: &Axes) -> Light {
    const LAMP: V = [-0.36, 0.48, 0.8];
    let normal = unit(normal);
    let mut n = [dot(normal, axes.right), dot(normal, axes.up), dot(normal, axes.toward)];
    if n[2] < 0.0 {
        n = n.map(|x| -x);
    }
    let lamp = dot(n, LAMP).max(0.0);
    let middle = unit(add(LAMP, [0.0, 0.0, 1.0]));
    let mut gloss = dot(n, middle).max(0.0);
    for _ in 0..4 {
        gloss *= gloss;
    }
    let strength = (0.30 + 0.36 * n[2] + 0.42 * lamp) as f32;
    color.map(|c| (c * strength + 0.05 * gloss as f32).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corner(x: i32, y: i32) -> Corner {
        Corner { x, y, z: 0.0 }
    }

    #[test]
    fn triangles_that_share_an_edge_share_no_sample_and_leave_no_gap() {
        // A fan around a point that is exactly on a sample, edges through samples.
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
            // Both orientations must do.
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

    #[test]
    fn light_comes_from_the_eye_and_both_sides_are_lit() {
        let axes = Axes::new(&super::super::Camera::new([0.0, 0.0, 1.0]));
        let at = |n: V| lit([0.5; 3], n, &axes)[0];
        assert!(at([0.0, 0.0, 1.0]) > at([0.9, 0.0, 0.3]));
        assert_eq!(at([0.1, 0.2, 0.9]), at([-0.1, -0.2, -0.9]));
        assert!(at([-0.5, 0.5, 0.7]) > at([0.5, -0.5, 0.7]));
    }
}
