//! The part of a cell where a linear function is negative, and its derivatives.

/// Returns the fraction of a triangle or tetrahedron where the linear function with the values
/// `phi` at its vertices is negative.
pub(crate) fn share<const N: usize>(phi: &[f64; N]) -> f64 {
    match Cut::of(phi) {
        Cut::Outside => 0.0,
        Cut::Inside => 1.0,
        Cut::Corner { lone, inside } => {
            let corner = corner(phi, lone, None);
            if inside { corner } else { 1.0 - corner }
        }
        Cut::Wedge(order) => {
            let [p, q, r, s] = crossings(phi, order);
            // The wedge between edge ab and the quadrilateral consists of the tetrahedra
            // (a, ac, ad, b), (ac, ad, b, bd) and (ac, b, bc, bd). Their volume fractions are
            // determinants of barycentric coordinates.
            p * q + p * s * (1.0 - q) + r * s * (1.0 - p)
        }
    }
}

/// Returns the derivatives of [`share`] with respect to the values. They are at most 0.
///
/// If the values change by `d`, the fraction changes by the scalar product. Since the change is an
/// integral over the zero set, the derivatives are also the integrals of the linear basis functions
/// over the zero set, divided by `-|grad phi|` and by the measure of the cell.
pub(crate) fn share_gradient<const N: usize>(phi: &[f64; N]) -> [f64; N] {
    match Cut::of(phi) {
        Cut::Outside | Cut::Inside => [0.0; N],
        Cut::Corner { lone, inside } => {
            let sign = if inside { 1.0 } else { -1.0 };
            let a = phi[lone];
            let mut gradient = [0.0; N];
            for k in (0..N).filter(|&k| k != lone) {
                let b = phi[k];
                // The product of the other two or the other one of the crossings.
                let rest = sign * corner(phi, lone, Some(k)) / ((a - b) * (a - b));
                gradient[k] = a * rest;
                gradient[lone] -= b * rest;
            }
            gradient
        }
        Cut::Wedge(order) => {
            let [a, b, c, d] = order;
            let [p, q, r, s] = crossings(phi, order);
            let by_crossing = [
                (a, c, q + s * (1.0 - q) - r * s),
                (a, d, p * (1.0 - s)),
                (b, c, s * (1.0 - p)),
                (b, d, p * (1.0 - q) + r * (1.0 - p)),
            ];
            let mut gradient = [0.0; N];
            for (i, j, slope) in by_crossing {
                let rest = slope / ((phi[i] - phi[j]) * (phi[i] - phi[j]));
                gradient[i] -= phi[j] * rest;
                gradient[j] += phi[i] * rest;
            }
            gradient
        }
    }
}

/// How the zero set passes through a cell.
enum Cut {
    /// All values are at least 0.
    Outside,
    /// All values are negative.
    Inside,
    /// One vertex lies on one side, and all others on the other side.
    Corner { lone: usize, inside: bool },
    /// Two vertices of a tetrahedron lie on each side. The first two are inside.
    Wedge([usize; 4]),
}

impl Cut {
    fn of<const N: usize>(phi: &[f64; N]) -> Self {
        let n_inside = phi.iter().filter(|&&v| v < 0.0).count();
        match n_inside {
            0 => Cut::Outside,
            n if n == N => Cut::Inside,
            2 if N == 4 => {
                let mut order = [0, 1, 2, 3];
                order.sort_by_key(|&i| phi[i] >= 0.0);
                Cut::Wedge(order)
            }
            _ => {
                let inside = n_inside == 1;
                let lone = (0..N).find(|&i| (phi[i] < 0.0) == inside).unwrap_or(0);
                Cut::Corner { lone, inside }
            }
        }
    }
}

/// Returns the product of the fractions of the edges at the vertex `lone` that lie on its side,
/// without the edge to `except`.
fn corner<const N: usize>(phi: &[f64; N], lone: usize, except: Option<usize>) -> f64 {
    let a = phi[lone];
    let others = (1..N).map(|k| (lone + k) % N).filter(|&k| Some(k) != except);
    others.fold(1.0, |product, k| product * (a / (a - phi[k])))
}

/// Returns the fractions of the edges ac, ad, bc and bd that are inside.
fn crossings<const N: usize>(phi: &[f64; N], [a, b, c, d]: [usize; 4]) -> [f64; 4] {
    [(a, c), (a, d), (b, c), (b, d)].map(|(i, j)| phi[i] / (phi[i] - phi[j]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Compares the derivatives with central differences.
    fn check<const N: usize>(phi: [f64; N]) -> Result<(), TestCaseError> {
        const H: f64 = 1e-6;
        prop_assume!(phi.iter().all(|v| v.abs() > 1e-2));
        let gradient = share_gradient(&phi);
        for (k, &found) in gradient.iter().enumerate() {
            let at = |h: f64| {
                share(&std::array::from_fn::<f64, N, _>(|i| phi[i] + if i == k { h } else { 0.0 }))
            };
            let difference = (at(H) - at(-H)) / (2.0 * H);
            prop_assert!((found - difference).abs() < 1e-6, "{k}: {found} {difference}");
        }
        let sum = share(&phi) + share(&phi.map(|v| -v));
        prop_assert!((sum - 1.0).abs() < 1e-12);
        Ok(())
    }

    proptest! {
        #[test]
        fn derivatives_are_those_of_the_share(phi in proptest::array::uniform4(-1.0f64..1.0)) {
            check(phi)?;
            check([phi[0], phi[1], phi[2]])?;
        }
    }
}
