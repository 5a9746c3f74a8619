//! Local solver of `|grad u| = 1` at one voxel from its neighbors along the axes.
//!
//! It uses second-order upwind differences (Sethian 1999) and solves the equation directly. Values
//! are multiplied by the sign of the voxel, so u grows away from the interface and is negative
//! beyond it. Second differences may therefore reach across the interface where phi is smooth. Each
//! value that is used is smaller than the result, so repeated updates of all voxels at once
//! converge.

use crate::levelset::tiled::lanes::Lanes;

/// The contribution of an axis: `weight (u - from)^2` where `u > from`.
#[derive(Clone, Copy)]
pub struct Axis<V> {
    /// The upwind value.
    pub from: V,
    /// 1, or 9/4 for a second-order difference.
    pub weight: V,
}

/// Returns the contribution of an axis from its values at -2, -1, 1, 2. The difference is `u - u1`
/// with the smaller neighbor u1, or `(3 u - 4 u1 + u2) / 2` if the value u2 behind it is smaller
/// still.
#[inline(always)]
pub fn axis<V: Lanes>(v: [V; 4]) -> Axis<V> {
    let left = v[2].gt(v[1]);
    let first = V::select(left, v[1], v[2]);
    let second = V::select(left, v[0], v[3]);
    let falls = first.gt(second);
    let extrapolated = first + (first - second) * V::constant(1.0 / 3.0);
    Axis {
        from: V::select(falls, extrapolated, first),
        weight: V::select(falls, V::constant(2.25), V::constant(1.0)),
    }
}

#[inline(always)]
fn sorted<V: Lanes>(a: Axis<V>, b: Axis<V>) -> (Axis<V>, Axis<V>) {
    let swapped = a.from.gt(b.from);
    let first = Axis {
        from: V::select(swapped, b.from, a.from),
        weight: V::select(swapped, b.weight, a.weight),
    };
    let second = Axis {
        from: V::select(swapped, a.from, b.from),
        weight: V::select(swapped, a.weight, b.weight),
    };
    (first, second)
}

#[inline(always)]
fn root<V: Lanes>(x: V) -> V {
    x.larger(V::constant(0.0)).sqrt()
}

/// Returns u with `sum_k weight_k max(u - from_k, 0)^2 = 1`.
#[inline(always)]
pub fn solve<V: Lanes>(axes: [Axis<V>; 3]) -> V {
    let (a, b) = sorted(axes[0], axes[1]);
    let (b, c) = sorted(b, axes[2]);
    let (a, b) = sorted(a, b);
    // The unknown is x = u - a.from.
    let (p, q) = (b.from - a.from, c.from - a.from);
    let unit = V::constant(1.0);
    let one = V::select(a.weight.gt(unit), V::constant(2.0 / 3.0), unit);
    let sum = a.weight + b.weight;
    let linear = b.weight * p;
    let two = (linear + root(sum - a.weight * linear * p)) / sum;
    let x = V::select(one.gt(p), two, one);
    let sum = sum + c.weight;
    let constant = (linear * p + c.weight * q * q) - V::constant(1.0);
    let linear = linear + c.weight * q;
    let three = (linear + root(linear * linear - sum * constant)) / sum;
    a.from + V::select(x.gt(q), three, x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_result_satisfies_the_equation() {
        let weights = [1.0, 2.25];
        for k in 0..500 {
            let number = |j: usize| (((k * 7 + j * 131) * 2_654_435_761usize) >> 7) % 1000;
            let axes = [0, 1, 2].map(|j| Axis {
                from: number(j) as f64 / 400.0,
                weight: weights[number(j + 3) % 2],
            });
            let u = solve(axes);
            let sum: f64 = axes.iter().map(|a| a.weight * (u - a.from).max(0.0).powi(2)).sum();
            assert!((sum - 1.0).abs() < 1e-12, "{sum}");
        }
    }

    #[test]
    fn a_plane_is_exact_and_a_quadratic_on_one_axis_too() {
        let n = [2.0, -1.0, 2.0].map(|n: f64| n / 3.0);
        let axes = n.map(|n| axis([-2.0, -1.0, 1.0, 2.0].map(|k| 1.7 + k * n)));
        assert!((solve(axes) - 1.7).abs() < 1e-14);
        // u = x + (x - 3)^2 / 10 has slope 1 at 3.
        let u = |x: f64| x + (x - 3.0) * (x - 3.0) / 10.0;
        let far = [9.0; 4];
        let axes = [axis([u(1.0), u(2.0), 9.0, 9.0]), axis(far), axis(far)];
        assert!((solve(axes) - 3.0).abs() < 1e-14);
    }
}
