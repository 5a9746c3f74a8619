//! Errors, differences of successive levels, observed orders, and extrapolated values.

use serde::Serialize;

/// A result of all levels. Values, errors and differences are in the unit of the result, and orders
/// have none.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Quantity {
    /// Name of the result, such as "enclosed_area".
    pub name: String,
    /// Exact value, if the case states one in `[expect]`. It is 0 for results that are errors.
    pub exact: Option<f64>,
    /// One row per level that has run, the coarsest first.
    pub rows: Vec<Row>,
    /// Value extrapolated from the last three levels by Richardson's method with the observed
    /// order. `None` unless the differences decrease.
    pub extrapolated: Option<f64>,
}

/// A result at one level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Row {
    /// The value.
    pub value: f64,
    /// Absolute difference from the exact value.
    pub error: Option<f64>,
    /// Observed order log2(e1 / e2), from the errors of the previous level and of this one.
    pub error_order: Option<f64>,
    /// Difference from the value of the previous level.
    pub difference: Option<f64>,
    /// Observed order, from the previous difference and this one.
    pub difference_order: Option<f64>,
}

impl Quantity {
    /// Computes errors and orders from the values of the levels, `[levels]`, the coarsest first.
    pub fn new(name: &str, exact: Option<f64>, values: &[f64]) -> Self {
        let mut rows: Vec<Row> = Vec::new();
        for &value in values {
            let error = exact.map(|exact| (value - exact).abs());
            let before = rows.last().copied();
            let difference = before.map(|before| value - before.value);
            rows.push(Row {
                value,
                error,
                error_order: before.and_then(|before| order(before.error?, error?)),
                difference,
                difference_order: before.and_then(|before| order(before.difference?, difference?)),
            });
        }
        let extrapolated = extrapolate(values);
        Quantity { name: name.into(), exact, rows, extrapolated }
    }
}

/// Returns the observed order from two errors on levels whose cells differ by a factor of 2.
fn order(coarse: f64, fine: f64) -> Option<f64> {
    let order = (coarse / fine).abs().log2();
    order.is_finite().then_some(order)
}

/// Extrapolates the last three values. With the difference d of the last two and the ratio q of the
/// last two differences, the remaining differences are d q, d q^2, ..., whose sum is d q / (1 - q).
fn extrapolate(values: &[f64]) -> Option<f64> {
    let &[.., a, b, c] = values else { return None };
    let q = (c - b) / (b - a);
    (q.abs() < 1.0).then(|| c + (c - b) * q / (1.0 - q))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_order_error_has_order_two_and_is_extrapolated() {
        let values = [1.0, 0.5, 0.25].map(|h: f64| 7.0 + 0.4 * h * h);
        let found = Quantity::new("area", Some(7.0), &values);
        let near = |x: Option<f64>, y: f64| (x.unwrap() - y).abs() < 1e-9;
        assert!(near(found.rows[0].error, 0.4) && found.rows[0].error_order.is_none());
        assert!(near(found.rows[1].error_order, 2.0) && near(found.rows[2].error_order, 2.0));
        assert!(near(found.rows[1].difference, -0.3) && found.rows[1].difference_order.is_none());
        assert!(near(found.rows[2].difference_order, 2.0) && near(found.extrapolated, 7.0));
        // The method also works for an error that changes sign.
        let values = [1.0, -0.5, 0.25].map(|e| 3.0 + e);
        assert!(near(Quantity::new("x", None, &values).extrapolated, 3.0));
    }

    #[test]
    fn equal_or_growing_differences_have_no_extrapolation() {
        for values in [[1.0, 1.0, 1.0], [1.0, 2.0, 4.0], [1.0, 1.0, 2.0]] {
            let found = Quantity::new("x", None, &values);
            assert_eq!(found.extrapolated, None, "{values:?}");
        }
        let same = Quantity::new("x", Some(1.0), &[1.0, 1.0]);
        assert_eq!((same.rows[1].error, same.rows[1].error_order), (Some(0.0), None));
    }
}
