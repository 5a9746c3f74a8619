//! Advection by a velocity: `U . grad phi` with upwind differences on each axis (docs/tiles.md,
//! section 8). If no other term needs both one-sided derivatives, `upwind_from` and `weno_from`
//! give the upwind one alone.

use crate::levelset::tiled::lanes::Lanes;

/// Returns `U . grad phi`, in voxels per time, from both one-sided derivatives along each axis.
#[inline(always)]
pub fn transport<V: Lanes>(velocity: [V; 3], minus: [V; 3], plus: [V; 3]) -> V {
    let [u, v, w] = velocity;
    let zero = V::constant(0.0);
    let x = V::select(u.gt(zero), minus[0], plus[0]);
    let y = V::select(v.gt(zero), minus[1], plus[1]);
    let z = V::select(w.gt(zero), minus[2], plus[2]);
    (u * x + v * y) + w * z
}

#[cfg(test)]
mod tests {
    use super::transport;

    #[test]
    fn each_axis_takes_its_own_side() {
        let (minus, plus) = ([1.0, 10.0, 100.0], [2.0, 20.0, 200.0]);
        assert_eq!(transport([1.0, -1.0, 0.5], minus, plus), 1.0 - 20.0 + 50.0);
        assert_eq!(transport([0.0; 3], minus, plus), 0.0);
    }
}
