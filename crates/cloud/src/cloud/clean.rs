//! Removal of duplicates and far outliers from a point cloud, and measurement of its spacing.

use std::cmp::Ordering;

use super::PointCloud;
use crate::point_distance::{Index, Sites};
use zeroset_core::error::Result;
use zeroset_core::parallel::*;
use zeroset_core::primitives::sort;

/// The number of nearest neighbors whose mean distance decides whether a point is an outlier.
pub const NEIGHBORS: usize = 8;
/// The usual factor for far outliers. A point is a far outlier if the mean distance to its
/// [`NEIGHBORS`] nearest other points exceeds this factor times the median of these means.
pub const FAR: f64 = 20.0;

/// The settings that decide which points [`clean`] removes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CleanOptions {
    /// Whether points at exactly the same position are merged into one.
    pub duplicates: bool,
    /// The factor for outliers, without a unit, > 1: a point is removed if the mean distance to its
    /// [`NEIGHBORS`] nearest other points exceeds this factor times the median of these means.
    /// [`FAR`] is the usual factor, and `None` keeps all outliers.
    pub outliers: Option<f64>,
}

impl Default for CleanOptions {
    fn default() -> Self {
        CleanOptions { duplicates: true, outliers: Some(FAR) }
    }
}

/// The duplicates, outliers and spacing that [`survey`] or [`clean`] found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Survey {
    /// The number of points at exactly the same position as an earlier point.
    pub duplicates: u64,
    /// The indices of far outliers in the cloud, ascending. If an outlier has duplicates, only the
    /// first of them is listed.
    pub outliers: Vec<u32>,
    /// The distances to the nearest other point, or `None` if there are fewer than two positions.
    pub spacing: Option<Spacing>,
}

/// The distances of points to their nearest other point, ignoring duplicates.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Spacing {
    /// The smallest distance, in the unit of the points.
    pub min: f64,
    /// The median distance, in the same unit.
    pub median: f64,
    /// The largest distance, in the same unit.
    pub max: f64,
    /// The median of the mean distances to the [`NEIGHBORS`] nearest other points, in the same
    /// unit. It reflects the number of points per area, for regular as well as random points.
    pub around: f64,
}

/// Counts duplicates, finds far outliers with the factor [`FAR`], and measures the spacing. The
/// cloud is not changed.
///
/// # Errors
/// Returns [`zeroset_core::Error::Case`] if a point is not finite, or if there are 2^32 - 1 points
/// or more.
pub fn survey(cloud: &PointCloud) -> Result<Survey> {
    let groups = Groups::of(&cloud.points);
    let firsts = groups.firsts();
    let places: Vec<[f64; 3]> = firsts.par_iter().map(|&i| cloud.points[i as usize]).collect();
    let (far, spacing) = far_from_others(&places, FAR)?;
    let outliers = far.into_iter().map(|k| firsts[k as usize]).collect();
    Ok(Survey { duplicates: (cloud.len() - firsts.len()) as u64, outliers, spacing })
}

/// Removes duplicates and far outliers as `options` specify. Returns the remaining points in their
/// original order, and a survey of what was removed. The survey counts duplicates only if they are
/// merged, and lists outliers and the spacing only if `outliers` is set. If duplicates are merged,
/// the outlier indices refer to the merged cloud.
///
/// Points at the same position are merged into one, with their mean color and the mean direction of
/// their normals. If the normals cancel, the merged point keeps the first normal.
///
/// # Errors
/// Returns the errors of [`survey`].
pub fn clean(cloud: PointCloud, options: CleanOptions) -> Result<(PointCloud, Survey)> {
    clean_by(cloud, options, far_from_others)
}

/// Cleans a cloud like [`clean`], but finds the far outliers with `far`, which is given the points
/// and the outlier factor.
///
/// # Errors
/// Returns the errors of `far`, and those of [`survey`] other than its search for far outliers.
pub fn clean_by(
    mut cloud: PointCloud,
    options: CleanOptions,
    far: impl FnOnce(&[[f64; 3]], f64) -> Result<Far>,
) -> Result<(PointCloud, Survey)> {
    let mut found = Survey::default();
    if options.duplicates {
        let n = cloud.len();
        cloud = join(cloud);
        found.duplicates = (n - cloud.len()) as u64;
    }
    let Some(factor) = options.outliers else { return Ok((cloud, found)) };
    let (outliers, spacing) = far(&cloud.points, factor)?;
    (found.outliers, found.spacing) = (outliers, spacing);
    leave_out(&mut cloud, &found.outliers);
    Ok((cloud, found))
}

/// Removes the points with the given indices, in any order. The others keep their order.
pub fn leave_out(cloud: &mut PointCloud, indices: &[u32]) {
    if !indices.is_empty() {
        let mut kept = vec![true; cloud.len()];
        indices.iter().for_each(|&i| kept[i as usize] = false);
        cloud.retain(&kept);
    }
}

/// The points grouped by position.
struct Groups {
    /// The indices of points. Points at the same position are adjacent and ascending.
    order: Vec<u32>,
    /// The index in `order` at which each position begins, followed by the length of `order`.
    begins: Vec<u32>,
}

impl Groups {
    fn of(points: &[[f64; 3]]) -> Self {
        // Use enough bits that positions rarely share a key by chance, but few enough for a fast
        // sort.
        let n_bits = points.len().checked_ilog2().unwrap_or(0) + MORE_BITS;
        let mask = (1 << n_bits) - 1;
        let keys: Vec<u64> = points.par_iter().map(|x| mixed(bits(*x)) & mask).collect();
        let sorted = sort(&keys, None, n_bits);
        let mut order = sorted.values;
        let mut begins = Vec::with_capacity(points.len() + 1);
        let mut begin = 0;
        while begin < order.len() {
            let run = sorted.keys[begin..].iter().take_while(|key| **key == sorted.keys[begin]);
            let end = begin + run.count();
            if end == begin + 1 {
                // Most keys belong to only one point. The coordinates of such points, which are
                // scattered in memory, need not be read.
                begins.push(begin as u32);
                begin = end;
                continue;
            }
            let run = &mut order[begin..end];
            let place = |i: u32| bits(points[i as usize]);
            let same = |i: &u32| place(*i) == place(run[0]);
            if !run.iter().all(same) {
                // Different positions share the key. This affects only a few points.
                run.sort_by_key(|&i| (place(i), i));
            }
            for k in begin..end {
                if k == begin || place(order[k]) != place(order[k - 1]) {
                    begins.push(k as u32);
                }
            }
            begin = end;
        }
        begins.push(order.len() as u32);
        Groups { order, begins }
    }

    /// Returns the smallest index at each position, ascending.
    fn firsts(&self) -> Vec<u32> {
        let places = &self.begins[..self.begins.len() - 1];
        let mut firsts: Vec<u32> = places.iter().map(|&begin| self.order[begin as usize]).collect();
        firsts.par_sort_unstable();
        firsts
    }
}

/// The number of key bits beyond the binary logarithm of the number of points. With these bits, on
/// average at most one point in 64 shares its key by chance.
const MORE_BITS: u32 = 7;

/// Returns the bits of coordinates, for comparisons of positions. The bits of -0 are replaced by
/// those of 0.
fn bits(x: [f64; 3]) -> [u64; 3] {
    x.map(|x| (x + 0.0).to_bits())
}

/// Mixes three numbers into one. Every bit of the result depends on all input bits (the mixing
/// function of splitmix64).
fn mixed(bits: [u64; 3]) -> u64 {
    bits.into_iter().fold(0, |hash: u64, x| {
        let mut z = (hash ^ x).wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    })
}

/// Merges the points at each position into the first one.
fn join(mut cloud: PointCloud) -> PointCloud {
    let groups = Groups::of(&cloud.points);
    if groups.begins.len() == cloud.len() + 1 {
        return cloud;
    }
    let mut first = vec![true; cloud.len()];
    for ends in groups.begins.windows(2) {
        let [a, b] = [ends[0] as usize, ends[1] as usize];
        let all = &groups.order[a..b];
        if all.len() < 2 {
            continue;
        }
        let to = all[0] as usize;
        all[1..].iter().for_each(|&i| first[i as usize] = false);
        if let Some(normals) = &mut cloud.normals {
            let mut sum = [0.0_f64; 3];
            for &i in all {
                (0..3).for_each(|k| sum[k] += f64::from(normals[i as usize][k]));
            }
            let length = sum.iter().map(|x| x * x).sum::<f64>().sqrt();
            if length > 1e-6 {
                normals[to] = sum.map(|x| (x / length) as f32);
            }
        }
        if let Some(colors) = &mut cloud.colors {
            let mean = |k: usize| {
                let sum: u64 = all.iter().map(|&i| u64::from(colors[i as usize][k])).sum();
                let n = all.len() as u64;
                ((sum + n / 2) / n) as u8
            };
            colors[to] = [mean(0), mean(1), mean(2)];
        }
    }
    cloud.retain(&first);
    cloud
}

/// The indices of far outliers, and the spacing of all points if there are at least two.
pub type Far = (Vec<u32>, Option<Spacing>);

/// Returns the indices of the points whose mean distance to their [`NEIGHBORS`] nearest other
/// points exceeds `factor` times the median of these means, and the spacing. `points` are `[n]`, in
/// any unit. No two points may be at the same position.
///
/// # Errors
/// Returns the errors of [`Sites::new`].
pub fn far_from_others(points: &[[f64; 3]], factor: f64) -> Result<Far> {
    if points.len() < 2 {
        return Ok((Vec::new(), None));
    }
    let index = Index::new(&Sites::new(points)?);
    let distances = index.map_neighbors(NEIGHBORS, |_, found| {
        let sum: f64 = found.iter().map(|f| f.key.sqrt()).sum();
        (found.first().map_or(0.0, |f| f.key.sqrt()), sum / found.len().max(1) as f64)
    });
    let mut nearest: Vec<f64> = distances.par_iter().map(|d| d.0).collect();
    let mut means: Vec<f64> = distances.par_iter().map(|d| d.1).collect();
    let least = nearest.iter().copied().fold(f64::INFINITY, f64::min);
    let most = nearest.iter().copied().fold(0.0, f64::max);
    let around = median(&mut means);
    let spacing = Spacing { min: least, median: median(&mut nearest), max: most, around };
    let limit = factor * around;
    let far = distances.iter().enumerate().filter(|(_, d)| d.1 > limit).map(|(i, _)| i as u32);
    Ok((far.collect(), Some(spacing)))
}

/// Returns the upper median.
fn median(numbers: &mut [f64]) -> f64 {
    let half = numbers.len() / 2;
    *numbers.select_nth_unstable_by(half, |a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal)).1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a planar lattice of n x n points, and one point at each height of `far` above it.
    fn lattice(n: u32, far: &[f64]) -> Vec<[f64; 3]> {
        let flat = (0..n * n).map(|k| [f64::from(k % n), f64::from(k / n), 0.0]);
        flat.chain(far.iter().map(|z| [0.5, 0.5, *z])).collect()
    }

    #[test]
    fn duplicates_are_joined_with_the_mean_of_what_they_have() {
        let cloud = PointCloud {
            points: vec![[1.0; 3], [0.0, 0.0, 0.0], [1.0; 3], [-0.0, 0.0, 0.0], [1.0; 3], [2.0; 3]],
            normals: Some(vec![
                [1.0, 0.0, 0.0],
                [0.0, 0.0, 1.0],
                [0.0, 1.0, 0.0],
                [0.0, 0.0, -1.0],
                [0.0, 1.0, 0.0],
                [0.0, 1.0, 0.0],
            ]),
            colors: Some([9, 0, 10, 1, 12, 7].map(|c| [c; 3]).to_vec()),
            ..PointCloud::default()
        };
        assert_eq!(survey(&cloud).unwrap().duplicates, 3);
        let (found, survey) =
            clean(cloud, CleanOptions { outliers: None, ..Default::default() }).unwrap();
        assert_eq!(survey.duplicates, 3);
        assert_eq!(found.points, [[1.0; 3], [0.0; 3], [2.0; 3]]);
        assert_eq!(found.colors.unwrap(), [[10; 3], [1; 3], [7; 3]]);
        let normals = found.normals.unwrap();
        let half = 1.0 / 5.0_f32.sqrt();
        assert!((normals[0][0] - half).abs() < 1e-6 && (normals[0][1] - 2.0 * half).abs() < 1e-6);
        assert_eq!(normals[1], [0.0, 0.0, 1.0], "they cancel");
    }

    #[test]
    fn what_is_far_from_all_others_is_an_outlier() {
        let cloud = PointCloud::new(lattice(30, &[10.0, 100.0, -1e9]));
        let found = survey(&cloud).unwrap();
        assert_eq!((found.duplicates, found.outliers), (0, vec![901, 902]));
        let spacing = found.spacing.unwrap();
        assert_eq!((spacing.min, spacing.median), (1.0, 1.0));
        assert!((spacing.around - 0.5 * (1.0 + 2_f64.sqrt())).abs() < 1e-12, "{spacing:?}");
        let (cloud, found) = clean(cloud, CleanOptions::default()).unwrap();
        assert_eq!((cloud.len(), found.outliers.len()), (901, 2));
        let options = CleanOptions { outliers: Some(5.0), ..Default::default() };
        assert_eq!(clean(cloud, options).unwrap().0.len(), 900);
    }

    #[test]
    fn small_and_degenerate_clouds_are_no_trouble() {
        for points in [vec![], vec![[1.0; 3]], vec![[1.0; 3]; 2], vec![[1.0; 3], [2.0; 3]]] {
            let n = points.len();
            let found = survey(&PointCloud::new(points)).unwrap();
            assert!(
                found.outliers.is_empty()
                    && found.duplicates == u64::from(n == 2 && found.spacing.is_none())
            );
        }
        let many = PointCloud::new([vec![[0.25; 3]; 1_000_000], lattice(20, &[])].concat());
        assert_eq!(survey(&many).unwrap().duplicates, 999_999);
    }

    #[test]
    fn threads_change_nothing() {
        let points: Vec<[f64; 3]> = (0..40_000_u32)
            .map(|k| k.wrapping_mul(2_654_435_761))
            .map(|h| [h % 97, h / 97 % 89, h / 9_000 % 83].map(f64::from))
            .collect();
        let cloud = PointCloud::new(points);
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| clean(cloud.clone(), CleanOptions::default()).unwrap())
        };
        assert!(on(1) == on(3));
    }
}
