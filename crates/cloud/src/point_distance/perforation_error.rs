//! The error in the distances that is caused by omitting sites.

/// The largest number of sampled queries.
const SAMPLE: usize = 256;

/// The error of perforation, estimated on a sample of the queries. The sampled queries are equally
/// spaced and include the first.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Perforation {
    /// The number of sampled queries.
    pub sampled: usize,
    /// The number of sampled queries without a relative error, because their exact distance is 0 or
    /// no site exists for them.
    pub excluded: usize,
    /// The number of sampled queries that have a site, but none among the sites that are kept.
    pub lost: usize,
    /// The mean relative error of the other sampled queries in percent, `mean((T' - T) / T) * 100`,
    /// where T is the exact distance and T' is the distance found. It is `None` if there are no
    /// such queries.
    pub percent: Option<f64>,
}

/// Returns the step from one sampled query to the next if there are `n` queries.
pub(super) fn sample(n: usize) -> usize {
    n.div_ceil(SAMPLE).max(1)
}

/// Compares distances with the exact ones.
pub(super) fn estimate(exact: &[f64], found: &[f64]) -> Perforation {
    let counts = |exact: f64| exact > 0.0 && exact.is_finite();
    let pairs = || exact.iter().zip(found).filter(|(exact, _)| counts(**exact));
    let errors = pairs().filter(|(_, found)| found.is_finite());
    let n = errors.clone().count();
    let sum: f64 = errors.map(|(exact, found)| (found - exact) / exact).sum();
    Perforation {
        sampled: exact.len(),
        excluded: exact.len() - pairs().count(),
        lost: pairs().count() - n,
        percent: (n > 0).then(|| 100.0 * sum / n as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_leaves_out_what_has_no_share() {
        let far = f64::INFINITY;
        let found = estimate(&[1.0, 2.0, 0.0, far, 4.0], &[1.5, 2.0, 3.0, far, far]);
        assert_eq!((found.sampled, found.excluded, found.lost), (5, 2, 1));
        assert_eq!(found.percent, Some(25.0));
        assert_eq!(estimate(&[0.0], &[1.0]).percent, None);
        assert_eq!((sample(0), sample(256), sample(257)), (1, 1, 2));
    }
}
