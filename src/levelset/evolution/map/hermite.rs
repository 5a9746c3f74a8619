//! Cubic interpolation of values and gradients in a triangle (docs/level-set.md, section 2.8).

use super::triangulation::Corners;

/// A vector field at a point: its two components, and its gradient with the derivatives of the
/// first component in the first row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sample {
    pub value: [f64; 2],
    pub gradient: [[f64; 2]; 2],
}

/// Interpolates the samples at the corners of a triangle, at the point with the barycentric
/// coordinates `l`.
///
/// The cubic has the Bezier coefficients of Zienkiewicz: quadratics are exact, and values are
/// continuous across edges (G. P. Bazeley, Y. K. Cheung, B. M. Irons, O. C. Zienkiewicz,
/// "Triangular elements in plate bending", 1965).
pub(super) fn interpolate(x: &Corners, at: &[Sample; 3], l: [f64; 3]) -> Sample {
    let component = |k: usize| {
        let values = [0, 1, 2].map(|i| at[i].value[k]);
        let gradients = [0, 1, 2].map(|i| at[i].gradient[k]);
        cubic(x, values, gradients, l)
    };
    let [(a, grad_a), (b, grad_b)] = [component(0), component(1)];
    Sample { value: [a, b], gradient: [grad_a, grad_b] }
}

/// Returns the value and the gradient of the cubic with the given values and gradients at the
/// corners.
fn cubic(x: &Corners, f: [f64; 3], g: [[f64; 2]; 3], l: [f64; 3]) -> (f64, [f64; 2]) {
    // Entry [i][j] is the Bezier coefficient next to corner i on the edge to corner j.
    let mut edge = [[0.0; 3]; 3];
    let mut sum = 0.0;
    for i in 0..3 {
        for j in [(i + 1) % 3, (i + 2) % 3] {
            let e = [x.at[j][0] - x.at[i][0], x.at[j][1] - x.at[i][1]];
            edge[i][j] = f[i] + (g[i][0] * e[0] + g[i][1] * e[1]) / 3.0;
            sum += edge[i][j];
        }
    }
    let center = sum / 4.0 - (f[0] + f[1] + f[2]) / 6.0;
    // The algorithm of de Casteljau, until one linear function is left.
    let mut d = [0.0; 3];
    for i in 0..3 {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let own = l[i] * f[i] + l[j] * edge[i][j] + l[k] * edge[i][k];
        let to_j = l[i] * edge[i][j] + l[j] * edge[j][i] + l[k] * center;
        let to_k = l[i] * edge[i][k] + l[j] * center + l[k] * edge[k][i];
        d[i] = l[i] * own + l[j] * to_j + l[k] * to_k;
    }
    let value = l[0] * d[0] + l[1] * d[1] + l[2] * d[2];
    (value, x.gradient(d.map(|d| 3.0 * d)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quadratics_are_exact() {
        let x = Corners { at: [[0.1, -0.2], [0.9, 0.1], [0.3, 0.7]] };
        let f = |p: [f64; 2]| 1.0 + 2.0 * p[0] - p[1] + 3.0 * p[0] * p[0] - p[0] * p[1];
        let g = |p: [f64; 2]| [2.0 + 6.0 * p[0] - p[1], -1.0 - p[0]];
        let at = x.at.map(|p| Sample { value: [f(p), p[0]], gradient: [g(p), [1.0, 0.0]] });
        let l = [0.2, 0.5, 0.3];
        let p = x.point(l);
        let found = interpolate(&x, &at, l);
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-14, "{a} {b}");
        close(found.value[0], f(p));
        close(found.value[1], p[0]);
        (0..2).for_each(|k| close(found.gradient[0][k], g(p)[k]));
        (0..2).for_each(|k| close(found.gradient[1][k], [1.0, 0.0][k]));
    }

    #[test]
    fn corners_keep_their_samples_and_edges_are_shared() {
        let x = [[0.1, -0.2], [0.9, 0.1], [0.3, 0.7], [1.2, 1.1]];
        let at = [0.3, -1.0, 2.0, 0.7].map(|a: f64| Sample {
            value: [a, a * a],
            gradient: [[a.sin(), 2.0 * a], [-a, a.cos()]],
        });
        let pick = |v: [usize; 3]| (Corners { at: v.map(|v| x[v]) }, v.map(|v| at[v]));
        let (first, second) = (pick([0, 1, 2]), pick([3, 2, 1]));
        let corner = interpolate(&first.0, &first.1, [0.0, 1.0, 0.0]);
        let differs = |a: f64, b: f64| (a - b).abs() > 1e-14;
        assert!(!differs(corner.value[1], at[1].value[1]));
        assert!(!differs(corner.gradient[1][0], at[1].gradient[1][0]));
        let on_edge = interpolate(&first.0, &first.1, [0.0, 0.4, 0.6]).value;
        let other = interpolate(&second.0, &second.1, [0.0, 0.6, 0.4]).value;
        assert!((0..2).all(|k| !differs(on_edge[k], other[k])));
    }
}
