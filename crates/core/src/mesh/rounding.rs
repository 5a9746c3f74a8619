//! The rounding of coordinates in files, estimated from the coordinates.

use rayon::prelude::*;

use super::Mesh;

/// The rounding error of coordinates in files with 32-bit numbers or six digits, as a fraction of
/// the largest coordinate.
const ERROR: f64 = 1e-6;
/// The largest distance from an edge or face at which a point still counts as lying on it, as a
/// fraction of the longest edge.
/// [`ERROR`] limits the distance as well.
const OFF: f64 = 1e-4;
/// The distance by which rounding may move a vertex off an edge or face, as a multiple of the
/// spacing of the rounded numbers: half a diagonal for the vertex, and as much for the edge.
const MOVED: f64 = 1.75;

/// The precision of the coordinates of a mesh.
pub(crate) struct Rounding {
    /// The usual rounding error.
    error: f64,
    /// The spacing of the numbers that the coordinates are rounded to, or 0 if it is unknown.
    quantum: f64,
}

impl Rounding {
    /// Estimates the precision of a mesh. The usual error is that of the given vertices.
    pub(crate) fn new(mesh: &Mesh, vertices: impl Iterator<Item = u32>) -> Self {
        let at = |v: u32| mesh.vertices[v as usize];
        let largest = vertices.flat_map(at).fold(0.0_f64, |m, x| m.max(x.abs()));
        Rounding { error: ERROR * largest, quantum: quantum(mesh) }
    }

    /// Returns the spacing of the numbers that the coordinates are rounded to, or 0 if it is
    /// unknown.
    pub(crate) fn quantum(&self) -> f64 {
        self.quantum
    }

    /// Returns the distance from an edge or face of the given length within which every vertex
    /// counts as lying on it.
    pub(crate) fn strict(&self, length: f64) -> f64 {
        self.error.min(OFF * length)
    }

    /// Returns the distance by which rounding may move a vertex off an edge or face of the given
    /// length. If the spacing of the rounded numbers exceeds the fraction `most` of the length, the
    /// result is [`Rounding::strict`].
    pub(crate) fn loose(&self, length: f64, most: f64) -> f64 {
        let is_fine = self.quantum <= most * length;
        self.strict(length).max(if is_fine { MOVED * self.quantum } else { 0.0 })
    }
}

/// Returns the spacing of the numbers that the coordinates are rounded to: the spacing of 32-bit
/// numbers, or of numbers with a fixed number of decimals or of significant digits. Returns 0 if
/// the coordinates are more precise.
fn quantum(mesh: &Mesh) -> f64 {
    const MOST_DECIMALS: i32 = 7;
    /// Programs write at least this many significant digits. Numbers with fewer digits are likely
    /// to be exact.
    const DIGITS: std::ops::RangeInclusive<i32> = 5..=8;
    let coordinates = || mesh.vertices.par_iter().flatten_iter().copied().filter(|c| c.is_finite());
    let largest = coordinates().map(f64::abs).reduce(|| 0.0, f64::max);
    let is_single = coordinates().all(|c| f64::from(c as f32) == c);
    let unit = if is_single { f32::EPSILON.into() } else { f64::EPSILON };
    let has_decimals = |scale: f64| {
        coordinates().all(|c| (c * scale - (c * scale).round()).abs() <= unit * (c * scale).abs())
    };
    let decimals = (0..=MOST_DECIMALS).map(|d| 10.0_f64.powi(d)).find(|&scale| has_decimals(scale));
    let decimals = decimals.map_or(0.0, |scale| 1.0 / scale);
    if is_single {
        return decimals.max(f64::from(f32::EPSILON) * largest);
    }
    // A number with n significant digits does not change when it is rounded to n digits.
    let has_digits = |&n: &i32| {
        coordinates().all(|c| format!("{c:.*e}", n as usize - 1).parse::<f64>().ok() == Some(c))
    };
    let digits = DIGITS.into_iter().find(has_digits).map_or(0.0, |n| {
        let before_point = largest.log10().floor() as i32 + 1;
        10.0_f64.powi(before_point - n)
    });
    // The shortest text of a 32-bit number has up to nine digits.
    let is_text_of_single = |c: f64| (c as f32).to_string().parse::<f64>().ok() == Some(c);
    let single = match decimals.max(digits) > 0.0 || !coordinates().all(is_text_of_single) {
        true => 0.0,
        false => f64::from(f32::EPSILON) * largest,
    };
    decimals.max(digits).max(single)
}
