//! The shift of phi that changes the volume of a component by a given amount.

use super::complex::Complex;
use crate::geometry::Real;

/// The largest number of Newton steps and bisections.
const MOST_STEPS: usize = 60;

/// The relative accuracy of the change in volume.
const ACCURACY: f64 = 1e-12;

/// Returns the shift of phi in [-limit, limit] that adds `change` to the volume inside `cells`, or
/// the end of this interval that comes closest.
///
/// The volume decreases with the shift. Newton steps that leave the interval known to contain the
/// solution are replaced by bisections.
pub(super) fn find<R: Real>(
    complex: &Complex,
    cells: &[u32],
    phi: &[R],
    change: f64,
    limit: f64,
) -> f64 {
    let now = complex.shifted_volume(cells, phi, 0.0);
    let (mut low, mut high) = (-limit, limit);
    let (mut shift, mut excess, mut slope) = (0.0, -change, now[1]);
    let accuracy = ACCURACY * (now[0] + change.abs());
    for _ in 0..MOST_STEPS {
        if excess.abs() <= accuracy {
            return shift;
        }
        if excess > 0.0 {
            low = shift;
        } else {
            high = shift;
        }
        let newton = shift - excess / slope;
        shift = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        let [volume, new_slope] = complex.shifted_volume(cells, phi, shift);
        (excess, slope) = (volume - now[0] - change, new_slope);
    }
    shift
}
