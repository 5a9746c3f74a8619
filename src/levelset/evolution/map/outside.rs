//! Continuation of a field outside of the mesh.

use super::hermite::Sample;
use super::triangulation::Outside;

/// Continues a field from the nearest point of the boundary, where it has the values `at`.
///
/// Along the way of length d, the field changes as in its linear extension as long as d is small
/// compared with an edge, and over at most one edge of it. A linear extension alone would feed its
/// errors back through inflow.
pub(super) fn continued(at: &Sample, way: &Outside) -> Sample {
    let &Outside { distance: d, direction: n, at_vertex, edge } = way;
    let (reach, slope) = (d * edge / (edge + d), (edge / (edge + d)).powi(2));
    // Around a vertex, the nearest point stays the same, and the direction turns.
    let along = if at_vertex { reach / d } else { 1.0 };
    let mut found = *at;
    for k in 0..2 {
        let g = at.gradient[k];
        let outward = g[0] * n[0] + g[1] * n[1];
        found.value[k] += outward * reach;
        for m in 0..2 {
            found.gradient[k][m] = along * g[m] + (slope - along) * outward * n[m];
        }
    }
    found
}
