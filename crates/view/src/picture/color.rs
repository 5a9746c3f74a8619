//! Linear light, and color maps in the perceptual color space Oklab (B. Ottosson, "A perceptual
//! color space for image processing", 2020). In this space, equal distances between colors look
//! like equal differences.
//!
//! Each map that is not from the crate `colorous` is a curve through a few colors, traversed at
//! constant speed. The lightness of the sequential map increases steadily from indigo through teal
//! to straw. The diverging map is blue below zero and terracotta above. It is lightest in the
//! middle and about equally dark at both ends, following K. Moreland, "Diverging color maps for
//! scientific visualization", 2009.

use super::ColorMap;

/// The number of colors in a map.
const STEPS: usize = 512;

/// Red, green and blue in linear light, from 0 to 1.
pub(crate) type Light = [f32; 3];

/// The color of values that are not finite, in sRGB.
pub(super) const NO_VALUE: [u8; 3] = [186, 186, 186];

/// The color of a surface without values, in sRGB.
pub(super) const SOLID: [u8; 3] = [236, 226, 206];

/// The colors of the sequential map in Oklab: lightness, green-red and blue-yellow.
const SEQUENTIAL: [[f64; 3]; 7] = [
    [0.36, 0.028, -0.100],
    [0.47, -0.020, -0.098],
    [0.58, -0.066, -0.058],
    [0.69, -0.096, 0.000],
    [0.79, -0.092, 0.058],
    [0.88, -0.052, 0.098],
    [0.96, -0.012, 0.078],
];
const BELOW: [[f64; 3]; 5] = [
    [0.970, 0.000, 0.003],
    [0.905, -0.019, -0.022],
    [0.830, -0.032, -0.048],
    [0.745, -0.037, -0.076],
    [0.655, -0.033, -0.102],
];
const ABOVE: [[f64; 3]; 5] = [
    [0.970, 0.000, 0.003],
    [0.915, 0.014, 0.027],
    [0.850, 0.027, 0.049],
    [0.775, 0.041, 0.065],
    [0.695, 0.056, 0.076],
];

/// The colors for a range of values.
#[derive(Clone, Debug)]
pub(crate) struct Map {
    low: f64,
    high: f64,
    pub lights: Vec<Light>,
}

impl Map {
    /// Returns the colors of a map for a range. With [`ColorMap::Auto`], the map is diverging if
    /// the range is symmetric about 0 (`low == -high`), or else sequential.
    pub(crate) fn new([low, high]: [f64; 2], map: ColorMap) -> Self {
        let is_diverging = match map {
            ColorMap::Auto => low == -high,
            map => map == ColorMap::Diverging,
        };
        let lights = if let Some(gradient) = map.gradient() {
            let color = |k: usize| {
                let color = gradient.eval_rational(k, STEPS);
                Srgb::decode([color.r, color.g, color.b])
            };
            (0..STEPS).map(color).collect()
        } else if map == ColorMap::Gray {
            walk(&[[0.25, 0.0, 0.0], [0.97, 0.0, 0.0]], STEPS)
        } else if is_diverging {
            let mut lights = walk(&BELOW, STEPS / 2);
            lights.reverse();
            lights.extend(walk(&ABOVE, STEPS / 2));
            lights
        } else {
            walk(&SEQUENTIAL, STEPS)
        };
        Map { low, high, lights }
    }

    /// Returns a map from white at the lower end to black at the upper end, even for a range that
    /// is symmetric about 0.
    pub(super) fn fading([low, high]: [f64; 2]) -> Self {
        let grey = |k: usize| light([1.0 - k as f64 / (STEPS - 1) as f64, 0.0, 0.0]);
        Map { low, high, lights: (0..STEPS).map(grey).collect() }
    }

    /// Returns the color of a value, or `None` if it is not finite. Finite values outside the range
    /// get the color at the nearer end.
    pub(super) fn color(&self, value: f64) -> Option<Light> {
        if !value.is_finite() {
            return None;
        }
        let last = self.lights.len() - 1;
        let at = (value - self.low) / (self.high - self.low) * last as f64;
        let at = at.clamp(0.0, last as f64);
        let k = (at as usize).min(last - 1);
        let t = (at - k as f64) as f32;
        let (a, b) = (self.lights[k], self.lights[k + 1]);
        Some(std::array::from_fn(|c| a[c] + (b[c] - a[c]) * t))
    }
}

/// Returns `n` colors at equal arc lengths along a smooth curve through `points`.
fn walk(points: &[[f64; 3]], n: usize) -> Vec<Light> {
    const FINE: usize = 64;
    let last = points.len() - 1;
    let at = |k: usize, step: usize| -> [f64; 3] {
        // Catmull-Rom spline. The ends are extrapolated along a straight line.
        let (p, q) = (points[k], points[k + 1]);
        let before = if k > 0 { points[k - 1] } else { line(q, p) };
        let after = if k + 2 <= last { points[k + 2] } else { line(p, q) };
        let t = step as f64 / FINE as f64;
        std::array::from_fn(|c| {
            let (a, b, d) = (before[c], p[c], after[c]);
            let q = q[c];
            b + 0.5
                * t
                * (q - a + t * (2.0 * a - 5.0 * b + 4.0 * q - d + t * (3.0 * (b - q) + d - a)))
        })
    };
    let mut curve: Vec<[f64; 3]> =
        (0..last).flat_map(|k| (0..FINE).map(move |step| at(k, step))).collect();
    curve.push(points[last]);
    let mut length = vec![0.0];
    for pair in curve.windows(2) {
        let squares: f64 = (0..3).map(|c| (pair[1][c] - pair[0][c]).powi(2)).sum();
        length.push(length[length.len() - 1] + squares.sqrt());
    }
    let whole = length[length.len() - 1];
    let mut k = 0;
    (0..n)
        .map(|i| {
            let wanted = whole * i as f64 / (n - 1) as f64;
            while k + 2 < length.len() && length[k + 1] < wanted {
                k += 1;
            }
            let t = ((wanted - length[k]) / (length[k + 1] - length[k])).clamp(0.0, 1.0);
            let (a, b) = (curve[k], curve[k + 1]);
            light(std::array::from_fn(|c| a[c] + (b[c] - a[c]) * t))
        })
        .collect()
}

/// Reflects the point `p` about `q`.
fn line(p: [f64; 3], q: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|c| 2.0 * q[c] - p[c])
}

/// Converts Oklab to linear light. Colors outside the range of a screen are clamped.
fn light([lightness, a, b]: [f64; 3]) -> Light {
    let cube = |x: f64| x * x * x;
    let l = cube(lightness + 0.3963377774 * a + 0.2158037573 * b);
    let m = cube(lightness - 0.1055613458 * a - 0.0638541728 * b);
    let s = cube(lightness - 0.0894841775 * a - 1.2914855480 * b);
    [
        4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
        -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
        -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s,
    ]
    .map(|x| x.clamp(0.0, 1.0) as f32)
}

/// The sRGB curve (IEC 61966-2-1), in both directions.
#[derive(Clone, Debug)]
pub(crate) struct Srgb {
    /// The screen brightness, from 0 to 255, of the linear light 0, 1/4096, ..., 1. One more step
    /// is needed for the interpolation at 1.
    pub encoded: Vec<f32>,
}

impl Srgb {
    const STEPS: usize = 4096;

    pub(crate) fn new() -> Self {
        let encode = |k: usize| {
            let x = k as f64 / Self::STEPS as f64;
            let y =
                if x <= 0.0031308 { 12.92 * x } else { 1.055 * libm::pow(x, 1.0 / 2.4) - 0.055 };
            (255.0 * y) as f32
        };
        Srgb { encoded: (0..=Self::STEPS + 1).map(encode).collect() }
    }

    /// Converts linear light from 0 to 1 to screen brightness from 0 to 255.
    pub(crate) fn encode(&self, light: f32) -> f32 {
        let x = light.clamp(0.0, 1.0) * Self::STEPS as f32;
        let k = x as usize;
        self.encoded[k] + (self.encoded[k + 1] - self.encoded[k]) * (x - k as f32)
    }

    /// Converts a screen color to linear light.
    pub(super) fn decode(color: [u8; 3]) -> Light {
        color.map(|c| {
            let y = f64::from(c) / 255.0;
            let x = if y <= 0.04045 { y / 12.92 } else { libm::pow((y + 0.055) / 1.055, 2.4) };
            x as f32
        })
    }
}

/// The accumulated samples of a pixel.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sum {
    light: Light,
    n: usize,
    /// The number of samples that show content instead of the background.
    covered: usize,
}

impl Sum {
    /// Adds the light of a sample. `shows` states whether the sample shows content instead of the
    /// background.
    pub(super) fn add(&mut self, light: Light, shows: bool) {
        self.light = [0, 1, 2].map(|c| self.light[c] + light[c]);
        self.n += 1;
        self.covered += usize::from(shows);
    }

    /// Returns the red, green and blue values of the pixel, from 0 to 255, and its opacity, from 0
    /// to 1. The pixel has `samples` samples. Samples that were not added count as transparent.
    /// Returns `None` if all samples show the background.
    pub(super) fn pixel(&self, srgb: &Srgb, samples: usize) -> Option<[f32; 4]> {
        let [r, g, b] = self.light.map(|x| srgb.encode(x / self.n as f32));
        (self.covered > 0).then_some([r, g, b, self.n as f32 / samples as f32])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the Oklab lightness. The platform's cube roots are accurate enough for comparisons.
    fn lightness([r, g, b]: Light) -> f64 {
        let [r, g, b] = [r, g, b].map(f64::from);
        let l = (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b).cbrt();
        let m = (0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b).cbrt();
        let s = (0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b).cbrt();
        0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s
    }

    #[test]
    fn sequential_gets_steadily_lighter() {
        let map = Map::new([0.0, 1.0], ColorMap::Auto);
        let all: Vec<f64> =
            (0..=50).map(|k| lightness(map.color(f64::from(k) / 50.0).unwrap())).collect();
        assert!(all.windows(2).all(|p| p[1] - p[0] > 0.003), "{all:?}");
    }

    #[test]
    fn diverging_is_lightest_at_zero_and_even_to_both_sides() {
        let map = Map::new([-2.0, 2.0], ColorMap::Auto);
        let at = |x: f64| lightness(map.color(x).unwrap());
        assert!(at(0.0) > 0.95 && at(-2.0) < 0.7 && at(2.0) < 0.7);
        for k in 0..20 {
            let (a, b) = (f64::from(k) * 0.1, f64::from(k + 1) * 0.1);
            assert!(at(b) < at(a) && at(-b) < at(-a), "{k}");
            assert!((at(a) - at(-a)).abs() < 0.05, "{k}");
        }
        let [r, _, b] = map.color(-2.0).unwrap();
        assert!(b > 1.5 * r, "the inside is blue");
    }

    #[test]
    fn no_number_has_no_color_and_the_ends_hold_beyond_the_range() {
        let map = Map::new([0.0, 1.0], ColorMap::Auto);
        assert_eq!(map.color(f64::NAN), None);
        assert_eq!(map.color(f64::INFINITY), None);
        assert_eq!(map.color(-5.0), map.color(0.0));
        assert_eq!(map.color(7.0), map.color(1.0));
    }

    #[test]
    fn the_screen_curve_goes_both_ways() {
        let srgb = Srgb::new();
        for c in 0..=255u8 {
            let [x, ..] = Srgb::decode([c; 3]);
            assert!((srgb.encode(x) - f32::from(c)).abs() < 0.2, "{c}");
        }
    }
}
