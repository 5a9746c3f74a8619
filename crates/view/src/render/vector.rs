//! Functions of 3-vectors. They use only `+ - * /` and square roots, which are rounded identically
//! on every machine.

pub(crate) type V = [f64; 3];

pub(crate) fn sub(a: V, b: V) -> V {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(crate) fn scaled(a: V, s: f64) -> V {
    [a[0] * s, a[1] * s, a[2] * s]
}

pub(crate) fn add(a: V, b: V) -> V {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(crate) fn dot(a: V, b: V) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn cross(a: V, b: V) -> V {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(crate) fn length(a: V) -> f64 {
    dot(a, a).sqrt()
}

/// Returns the vector scaled to length 1, or the zero vector if its length is zero or not finite.
pub(crate) fn unit(a: V) -> V {
    let norm = length(a);
    if norm > 0.0 && norm.is_finite() { scaled(a, 1.0 / norm) } else { [0.0; 3] }
}
