//! How far off distances are that leave out sites.

/// Queries of the sample at most.
const SAMPLE: usize = 256;

/// The error of perforation, on a sample of the queries: every so-and-so-many-th, from the first on.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Perforation {
    /// Queries of the sample.
    pub sampled: usize,
    /// Of these, how many have the exact distance 0 or none, of which no share can be taken.
    pub excluded: usize,
    /// Of these, how many see no site any more.
    pub lost: usize,
    /// `mean((T' - T) / T) * 100` over the others, T being the exact distance and T' the one found;
    /// `None` without any.
    pub percent: Option<f64>,
}

/// The step of the sample through `n` queries.
pub(super) fn sample(n: usize) -> usize {
    n.div_ceil(SAMPLE).max(1)
}

/// Compares distances found with exact ones.
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
