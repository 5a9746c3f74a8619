//! First-order one-sided differences.

use crate::levelset::tiled::lanes::Lanes;

/// Returns `phi_x^-` and `phi_x^+` from the values at i-1, i, i+1.
#[inline(always)]
pub fn upwind_both<V: Lanes>(p: [V; 3]) -> (V, V) {
    (p[1] - p[0], p[2] - p[1])
}

/// Returns the upwind derivative: `phi_x^-` if `wind` is positive, otherwise `phi_x^+`.
#[inline(always)]
pub fn upwind_from<V: Lanes>(p: [V; 3], wind: V) -> V {
    let (minus, plus) = upwind_both(p);
    V::select(wind.gt(V::constant(0.0)), minus, plus)
}
