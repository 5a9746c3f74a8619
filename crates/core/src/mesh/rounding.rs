//! The rounding of coordinates in files, estimated from the coordinates.

use super::Mesh;
use crate::parallel::*;

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

/// The spacing of rounded coordinates, with its cause.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Step {
    /// The spacing, in mesh units.
    pub spacing: f64,
    /// Whether the spacing is that of 32-bit numbers.
    pub is_single: bool,
}

impl Step {
    /// Returns the spacing of the largest coordinates if all are 32-bit numbers, and if the last
    /// bits of the largest ones are in use. Otherwise, numbers with fewer bits were stored.
    pub(crate) fn of_singles(mesh: &Mesh) -> Option<Self> {
        /// With fewer coordinates, the last bits may be equal by chance.
        const COORDINATES: usize = 8;
        /// The smallest fraction of odd numbers among rounded ones.
        const ODD: f64 = 0.125;
        let all = Coordinates::of(mesh);
        if !all.are_single && !all.are_text_of_singles() {
            return None;
        }
        let top = 2.0_f64.powi(all.largest.log2().floor() as i32);
        let is_large = |c: &f64| c.abs() >= top;
        let is_odd = |c: &f64| (*c as f32).to_bits() % 2 == 1;
        let n = all.iter().filter(is_large).count();
        let n_odd = all.iter().filter(is_large).filter(is_odd).count();
        let is_rounded = n >= COORDINATES && n_odd as f64 >= ODD * n as f64;
        is_rounded.then(|| Step { spacing: f64::from(f32::EPSILON) * top, is_single: true })
    }

    /// Returns the spacing of numbers with a fixed number of decimals or of significant digits.
    pub(crate) fn of_text(mesh: &Mesh) -> Option<Self> {
        /// A spacing of 32-bit numbers below this multiple of their precision is not one of text.
        const FINE: f64 = 4.0;
        let all = Coordinates::of(mesh);
        let (spacing, fine) = match all.are_single {
            true => (all.decimals(), FINE * f64::from(f32::EPSILON) * all.largest),
            false => (all.decimals().max(all.digits()), 0.0),
        };
        (spacing > fine).then_some(Step { spacing, is_single: false })
    }
}

/// The finite coordinates of a mesh.
struct Coordinates<'a> {
    mesh: &'a Mesh,
    /// The largest absolute value.
    largest: f64,
    /// Whether all are 32-bit numbers.
    are_single: bool,
}

impl<'a> Coordinates<'a> {
    fn of(mesh: &'a Mesh) -> Self {
        let mut all = Coordinates { mesh, largest: 0.0, are_single: true };
        all.largest = all.iter().map(f64::abs).reduce(|| 0.0, f64::max);
        all.are_single = all.iter().all(|c| f64::from(c as f32) == c);
        all
    }

    fn iter(&self) -> impl ParallelIterator<Item = f64> + 'a {
        self.mesh.vertices.par_iter().flat_map_iter(|x| x).copied().filter(|c| c.is_finite())
    }

    /// Returns the spacing of numbers with a fixed number of decimals, or 0 if there are many.
    fn decimals(&self) -> f64 {
        const MOST: i32 = 7;
        let unit = if self.are_single { f32::EPSILON.into() } else { f64::EPSILON };
        let has = |scale: f64| {
            self.iter().all(|c| (c * scale - (c * scale).round()).abs() <= unit * (c * scale).abs())
        };
        let scale = (0..=MOST).map(|d| 10.0_f64.powi(d)).find(|&scale| has(scale));
        scale.map_or(0.0, |scale| 1.0 / scale)
    }

    /// Returns the spacing of the largest number if all have a fixed number of significant digits,
    /// or 0 if there are many.
    fn digits(&self) -> f64 {
        /// Programs write at least this many significant digits. Numbers with fewer digits are
        /// likely to be exact.
        const DIGITS: std::ops::RangeInclusive<i32> = 5..=8;
        // A number with n significant digits does not change when it is rounded to n digits.
        let has = |&n: &i32| {
            self.iter().all(|c| format!("{c:.*e}", n as usize - 1).parse::<f64>().ok() == Some(c))
        };
        DIGITS.into_iter().find(has).map_or(0.0, |n| {
            let before_point = self.largest.log10().floor() as i32 + 1;
            10.0_f64.powi(before_point - n)
        })
    }

    /// Returns whether all numbers are the shortest text of a 32-bit number, with up to nine
    /// digits.
    fn are_text_of_singles(&self) -> bool {
        self.iter().all(|c| (c as f32).to_string().parse::<f64>().ok() == Some(c))
    }
}

/// Returns the spacing of the numbers that the coordinates are rounded to: the spacing of 32-bit
/// numbers, or of numbers with a fixed number of decimals or of significant digits. Returns 0 if
/// the coordinates are more precise.
fn quantum(mesh: &Mesh) -> f64 {
    let all = Coordinates::of(mesh);
    let single = f64::from(f32::EPSILON) * all.largest;
    if all.are_single {
        return all.decimals().max(single);
    }
    let text = all.decimals().max(all.digits());
    text.max(if text == 0.0 && all.are_text_of_singles() { single } else { 0.0 })
}
