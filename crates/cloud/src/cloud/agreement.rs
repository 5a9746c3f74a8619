//! Agreement of the normals of two neighboring points.

/// Returns how certainly two normals point to the same side of the surface: 1 if they certainly do,
/// -1 if they certainly point to opposite sides, and 0 if nothing is known.
///
/// Before the comparison, one normal is reflected at the plane halfway between the points. If the
/// points are next to each other on the same sheet, the reflection has no effect. The outward
/// normals of the two sides of a thin plate are opposite, and the reflection makes them equal (H.
/// Xie, J. Wang, J. Hua, H. Qin, A. Kaufman, Piecewise C1 continuous surface reconstruction of
/// noisy point clouds via local implicit quadric regression, IEEE Visualization 2003).
pub(super) fn agreement(p: [f64; 3], n: [f32; 3], q: [f64; 3], m: [f32; 3]) -> f64 {
    let (n, m) = (n.map(f64::from), m.map(f64::from));
    let d = [0, 1, 2].map(|k| q[k] - p[k]);
    let square = dot(d, d);
    if square == 0.0 {
        return dot(n, m);
    }
    dot(n, m) - 2.0 * dot(d, n) * dot(d, m) / square
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sheets_and_plates_are_told_apart() {
        let (up, down) = ([0.0, 0.0, 1.0], [0.0, 0.0, -1.0]);
        let found = |q: [f64; 3], m: [f32; 3]| agreement([0.0; 3], up, q, m);
        assert_eq!(found([1.0, 0.0, 0.0], up), 1.0);
        assert_eq!(found([1.0, 0.0, 0.0], down), -1.0);
        // The normals are on opposite sides of a plate, and on the same side of a step.
        assert_eq!(found([0.0, 0.0, -1.0], down), 1.0);
        assert_eq!(found([0.0, 0.0, -1.0], up), -1.0);
        assert_eq!(found([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]), 0.0);
        assert_eq!(found([0.0; 3], up), 1.0);
    }
}
