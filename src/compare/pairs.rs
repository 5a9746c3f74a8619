//! Pairs of states or rows with the same time.

use super::findings::Source;
use crate::io::listed;
use crate::mesh::DataArray;
use crate::words::counted;

/// Times count as equal if their relative difference is at most this, because some programs store
/// times in 32 bits.
const SAME: f64 = 1e-6;

/// The indices of equal times in A and B, and the times without a partner.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Times {
    pub pairs: Vec<[usize; 2]>,
    pub only_a: Vec<f64>,
    pub only_b: Vec<f64>,
}

/// Pairs equal times.
pub(super) fn pair_times(a: &[f64], b: &[f64]) -> Times {
    let order = |times: &[f64]| {
        let mut order: Vec<usize> = (0..times.len()).collect();
        order.sort_by(|&i, &j| times[i].total_cmp(&times[j]));
        order
    };
    let (of_a, of_b) = (order(a), order(b));
    let mut found = Times::default();
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[of_a[i]], b[of_b[j]]);
        if x == y || (x - y).abs() <= SAME * x.abs().max(y.abs()) {
            found.pairs.push([of_a[i], of_b[j]]);
            (i, j) = (i + 1, j + 1);
        } else if x.total_cmp(&y).is_lt() {
            found.only_a.push(x);
            i += 1;
        } else {
            found.only_b.push(y);
            j += 1;
        }
    }
    found.only_a.extend(of_a[i..].iter().map(|&i| a[i]));
    found.only_b.extend(of_b[j..].iter().map(|&j| b[j]));
    found
}

impl Times {
    /// Names the states or rows without a partner, if there are any.
    pub(super) fn note(&self, [one, many]: [&str; 2], source: &mut Source) {
        for (times, place) in [(&self.only_a, "A"), (&self.only_b, "B")] {
            if let (n @ 1.., ends) = (times.len(), ["is", "are"]) {
                let be = if n == 1 { ends[0] } else { ends[1] };
                let what =
                    format!("{} {be} only in {place}: {}", counted(n, [one, many]), listed(times));
                source.differs(format!("only in {place}"), what);
            }
        }
    }
}

/// Pairs the rows of two tables by time if both have a column `time` with ascending times, and
/// otherwise by number. Rows without a partner become differences.
pub(super) fn pair_rows(a: &[DataArray], b: &[DataArray], source: &mut Source) -> Vec<[u32; 2]> {
    let [rows_a, rows_b] = [a, b].map(|arrays| arrays.first().map_or(0, DataArray::rows));
    if let (Some(times_a), Some(times_b)) = (times(a), times(b)) {
        let times = pair_times(&times_a, &times_b);
        times.note(["row", "rows"], source);
        return times.pairs.iter().map(|pair| pair.map(|k| k as u32)).collect();
    }
    let both = rows_a.min(rows_b);
    if rows_a != rows_b {
        let (more, other, n) =
            if rows_a > both { ("A", "B", rows_a - both) } else { ("B", "A", rows_b - both) };
        let what = format!(
            "{more} has {} more than {other}, from row {both} on",
            counted(n, ["row", "rows"])
        );
        source.differs("rows", what);
    }
    (0..both as u32).map(|k| [k, k]).collect()
}

/// Returns the column `time` of a table if its values ascend.
fn times(arrays: &[DataArray]) -> Option<Vec<f64>> {
    let column = arrays.iter().find(|array| array.name == "time" && array.components == 1)?;
    let times = column.values.to_f64();
    times.windows(2).all(|pair| pair[0] < pair[1]).then_some(times)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_times_are_paired_in_any_order() {
        let found = pair_times(&[0.0, 0.3, 0.1_f32.into(), 2.0], &[0.1, 0.0, 0.2, 0.3, 0.3]);
        assert_eq!(found.pairs, [[0, 1], [2, 0], [1, 3]]);
        assert_eq!((found.only_a, found.only_b), (vec![2.0], vec![0.2, 0.3]));
        assert_eq!(pair_times(&[], &[1.0]).only_b, [1.0]);
    }
}
