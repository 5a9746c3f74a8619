//! Characteristics backward in time, and the derivative of the point where they end.

use super::Traced;
use super::hermite::Sample;
use super::outside::continued;
use super::triangulation::Triangulation;

/// The nodes of the classical Runge-Kutta method: the part of the substep, the index of the level
/// of the velocity, and the weight.
const STAGES: [(f64, usize, f64); 4] =
    [(0.0, 0, 1.0 / 6.0), (0.5, 1, 1.0 / 3.0), (0.5, 1, 1.0 / 3.0), (1.0, 2, 1.0 / 6.0)];

/// Follows the characteristic through a point backward in time for a substep of length `tau`.
///
/// The gradient of the point is its derivative by the vertex where the characteristic begins.
/// The velocity is linear in each triangle. `levels` contains its values at the vertices at the
/// end, in the middle and at the start of the substep. The derivative is that of the discrete
/// method.
pub(super) fn back(
    mesh: &Triangulation,
    levels: [&[[f64; 2]]; 3],
    tau: f64,
    point: Traced,
) -> Traced {
    let Traced { sample: Sample { value: y, gradient: derivative }, mut cell } = point;
    let (mut k, mut dk) = ([0.0; 2], [[0.0; 2]; 2]);
    let (mut way, mut change) = ([0.0; 2], [[0.0; 2]; 2]);
    for (part, level, weight) in STAGES {
        let s = tau * part;
        let x = [y[0] - s * k[0], y[1] - s * k[1]];
        let found;
        (found, cell) = velocity(mesh, levels[level], cell, x);
        k = found.value;
        dk = product(found.gradient, from_identity(dk, -s));
        for i in 0..2 {
            way[i] += weight * k[i];
            for j in 0..2 {
                change[i][j] += weight * dk[i][j];
            }
        }
    }
    let sample = Sample {
        value: [y[0] - tau * way[0], y[1] - tau * way[1]],
        gradient: product(from_identity(change, -tau), derivative),
    };
    Traced { sample, cell }
}

/// Returns the velocity at a point and its gradient, and the triangle of the point.
fn velocity(mesh: &Triangulation, at: &[[f64; 2]], cell: u32, x: [f64; 2]) -> (Sample, u32) {
    let place = mesh.locate(cell, x);
    let corners = mesh.corners(place.cell);
    let values = mesh.cells[place.cell as usize].map(|v| at[v as usize]);
    let component = |k: usize| values.map(|a| a[k]);
    let mean = |a: [f64; 3]| place.l[0] * a[0] + place.l[1] * a[1] + place.l[2] * a[2];
    let inside = Sample {
        value: [mean(component(0)), mean(component(1))],
        gradient: [corners.gradient(component(0)), corners.gradient(component(1))],
    };
    let found = place.outside.map_or(inside, |way| continued(&inside, &way));
    (found, place.cell)
}

/// Returns the product of two matrices.
pub(super) fn product(a: [[f64; 2]; 2], b: [[f64; 2]; 2]) -> [[f64; 2]; 2] {
    [0, 1].map(|i| [0, 1].map(|j| a[i][0] * b[0][j] + a[i][1] * b[1][j]))
}

/// Returns the identity plus `factor` times a matrix.
pub(super) fn from_identity(a: [[f64; 2]; 2], factor: f64) -> [[f64; 2]; 2] {
    [0, 1].map(|i| [0, 1].map(|j| if i == j { 1.0 } else { 0.0 } + factor * a[i][j]))
}
