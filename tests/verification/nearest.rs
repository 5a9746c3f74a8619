//! The verification case for distances to points (V53): exact distances, perforated searches, and
//! rays that use distances as step lengths.

use zeroset::Cpu;
use zeroset::point_distance::{
    Cone, Coordinate, Directions, Index, Method, NO_SITE, Nearest, Options, Sites, nearest,
};

use crate::case::{Case, Gate, Row, Series};

fn found<C: Coordinate>(sites: &[[C; 3]], queries: &[[C; 3]], options: &Options) -> Nearest<C> {
    nearest(&Cpu::current(), &Sites::new(sites).unwrap(), queries, options).unwrap()
}

/// Returns pseudorandom points of a lattice. Some of them coincide.
fn scattered(n: u32, shift: i64, side: i64) -> Vec<[i32; 3]> {
    let at = |k: i64| [7919, 104_729, 1_299_709].map(|f| ((k + shift) * f % side) as i32);
    (0..i64::from(n)).map(at).collect()
}

/// Counts wrong queries on `n` sites.
///
/// For integer coordinates, it counts the queries whose site or squared distance differs from the
/// result of a loop over all sites, once for the exhaustive search and once for the k-d tree. For
/// real coordinates, it counts the queries for which the two methods differ.
fn exact(n: u32) -> Vec<f64> {
    let (sites, queries) = (scattered(n, 0, 997), scattered(500, 7, 1009));
    let square =
        |a: &[i32; 3], b: &[i32; 3]| -> i64 { (0..3).map(|k| i64::from(a[k] - b[k]).pow(2)).sum() };
    let by = |method| {
        let mut options = Options::default();
        options.method = method;
        options
    };
    let wrong = [Method::Brute, Method::Index].map(|method| {
        let result = found(&sites, &queries, &by(method));
        let is_wrong = |k: usize| {
            let key = |i: &usize| (square(&sites[*i], &queries[k]), *i);
            let best = (0..sites.len()).min_by_key(key).unwrap();
            let (site, key) = (result.found[k].site as usize, i64::from(result.found[k].key));
            site != best || key != square(&sites[best], &queries[k])
        };
        (0..queries.len()).filter(|&k| is_wrong(k)).count() as f64
    });
    let real = |list: &[[i32; 3]]| -> Vec<[f64; 3]> {
        list.iter().map(|x| x.map(|c| f64::from(c) * 0.1)).collect()
    };
    let (sites, queries) = (real(&sites), real(&queries));
    let [all, tree] = [Method::Brute, Method::Index].map(|m| found(&sites, &queries, &by(m)).found);
    let differ = all.iter().zip(&tree).filter(|(a, b)| a != b).count();
    vec![wrong[0], wrong[1], differ as f64]
}

/// Searches among one in `every` sites of a digital ball, in volume order or shuffled. Returns the
/// number of queries that find no site or a distance smaller than the exact one, and the mean error
/// in percent.
fn perforated(radius: u32, every: usize, is_shuffled: bool) -> Vec<f64> {
    let r = radius as i32;
    let all = (-r..=r).flat_map(|z| (-r..=r).flat_map(move |y| (-r..=r).map(move |x| [x, y, z])));
    let mut sites: Vec<[i32; 3]> =
        all.filter(|x: &[i32; 3]| x.iter().map(|x| x * x).sum::<i32>() <= r * r).collect();
    if is_shuffled {
        let mut state = 1_u64;
        for last in (1..sites.len()).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            sites.swap(last, (state >> 33) as usize % (last + 1));
        }
    }
    let queries: Vec<[i32; 3]> = (0..4_000_i64)
        .map(|n| [(7919, 81), (104_729, 83), (1_299_709, 79)].map(|(f, m)| (n * f % m) as i32 - 40))
        .collect();
    let exact = found(&sites, &queries, &Options::default());
    let mut options = Options::default();
    options.every = every;
    let result = found(&sites, &queries, &options);
    let pairs = result.found.iter().zip(&exact.found);
    let nearer = pairs.filter(|(a, b)| a.key < b.key || a.site == NO_SITE).count();
    let (mut sum, mut n) = (0.0, 0);
    for (distance, exact) in result.distances().iter().zip(exact.distances()) {
        if exact > 0.0 {
            (sum, n) = (sum + (distance - exact) / exact, n + 1);
        }
    }
    vec![nearer as f64, 100.0 * sum / f64::from(n)]
}

/// Traces rays through unit cubes at the sites. Returns the number of missed hits, the number of
/// late hits, and the mean number of steps per ray.
fn march(n: u32, is_directed: bool) -> Vec<f64> {
    let half = 0.5 * 3f64.sqrt();
    let sites: Vec<[f64; 3]> = (0..n as i32)
        .map(|n| [n * 7919 % 41, n * 104_729 % 37, n * 1_299_709 % 43].map(f64::from))
        .collect();
    let index = Index::new(&Sites::new(&sites).unwrap());
    let (rays, small) = (60, 0.02);
    let (mut missed, mut late, mut steps) = (0, 0, 0);
    for n in 0..rays {
        let from = [-5.0, f64::from(n % 10) * 3.7, f64::from(n / 10) * 6.9];
        let r = [0.96, 0.2, 0.05 - 0.003 * f64::from(n)];
        let length = r.iter().map(|x| x * x).sum::<f64>().sqrt();
        let r = r.map(|x| x / length);
        let at = |t: f64| [0, 1, 2].map(|k| from[k] + t * r[k]);
        let inside = |x: [f64; 3]| sites.iter().any(|s| (0..3).all(|k| (s[k] - x[k]).abs() <= 0.5));
        let first = (0..4_000).map(|k| f64::from(k) * small).find(|&t| inside(at(t)));
        let mut options = Options::default();
        options.cone = is_directed.then(|| Cone {
            directions: Directions::One(r),
            angle: std::f64::consts::PI / 5.0,
            cylinder: Some(half),
        });
        let mut t = 0.0;
        while t <= 80.0 && !inside(at(t)) {
            let nearest = index.nearest(&Cpu::current(), &[at(t)], &options).unwrap();
            t += (nearest.distances()[0] - half).max(small);
            steps += 1;
        }
        let hit = (t <= 80.0).then_some(t);
        missed += u32::from(hit.is_some() != first.is_some());
        late += u32::from(hit.zip(first).is_some_and(|(hit, first)| hit > first + 1.01 * small));
    }
    vec![f64::from(missed), f64::from(late), f64::from(steps) / f64::from(rays)]
}

const fn every(mesh: &'static str, rows: &'static [Row]) -> Series {
    Series { mesh, sizes: &[18], quick: 1, rows }
}

const fn rays(mesh: &'static str, rows: &'static [Row]) -> Series {
    Series { mesh, sizes: &[400], quick: 1, rows }
}

const NEARER: Row = Row::count("nearer than the nearest", 0.0);
const MISSED: Row = Row::count("missed", 0.0);
const LATE: Row = Row::count("late", 0.0);

/// Returns the row for the error. The error is also bounded from below, because an error of zero
/// would mean that no site is left out.
const fn error(expected: &'static [f64], ours: f64, within: f64) -> Row {
    Row::new("error, %", expected).gate(Gate::Near(ours, within, 0))
}

const fn steps(expected: &'static [f64]) -> Row {
    Row::new("steps of a ray", expected).gate(Gate::None)
}

pub const V53: Case = Case {
    id: "V53",
    title: "distances to points",
    exact: "For each of two search methods, `exact` counts how many of 500 queries find a site or \
            a squared distance that differs from the result of a loop over all n sites of a \
            lattice. For real coordinates, it counts the queries for which the two methods differ. \
            `every=k` searches one in k sites of a digital ball of radius n, in volume order or \
            shuffled, for 4,000 queries in and around the ball. \"nearer than the nearest\" counts \
            the queries with T' < T or without a site, where T is the exact distance and T' is the \
            distance found. \"error, %\" is the mean of (T' - T) / T over the queries with T > 0, \
            as a percentage. `march:` traces 60 rays among n unit cubes with steps of T - sqrt(3) \
            / 2, but at least 0.02. It counts the hits that are missed, and the hits that are \
            found later than with steps of 0.02 alone.",
    note: "The errors of `every=k` depend on how far the queries are from the ball. In the \
           companion, the queries are closer to the ball. The gates are about 30 % above and below \
           the measured numbers.",
    deviation: "",
    measure: |_, mesh, n| match mesh.split_once(['=', ':']) {
        Some(("every", k)) => {
            let every = k.trim_end_matches(", shuffled");
            perforated(n, every.parse().unwrap(), every != k)
        }
        Some((_, rule)) => march(n, rule != "isotropic"),
        None => exact(n),
    },
    series: &[
        Series {
            mesh: "exact",
            sizes: &[2_000, 20_000],
            quick: 2,
            rows: &[
                Row::count("all compared, wrong", 0.0),
                Row::count("k-d tree, wrong", 0.0),
                Row::count("real numbers, the two differ", 0.0),
            ],
        },
        every("every=2", &[NEARER, error(&[1.9], 0.45, 0.15)]),
        every("every=4", &[NEARER, error(&[6.0], 1.6, 0.5)]),
        every("every=8", &[NEARER, error(&[10.0], 3.0, 0.9)]),
        every("every=16", &[NEARER, error(&[16.0], 4.8, 1.4)]),
        every("every=2, shuffled", &[NEARER, error(&[2.8], 0.75, 0.25)]),
        every("every=4, shuffled", &[NEARER, error(&[6.4], 1.8, 0.5)]),
        every("every=8, shuffled", &[NEARER, error(&[11.0], 3.1, 0.9)]),
        every("every=16, shuffled", &[NEARER, error(&[17.0], 5.1, 1.5)]),
        rays("march:isotropic", &[MISSED, LATE, steps(&[31.8])]),
        rays("march:cone or cylinder", &[MISSED, LATE, steps(&[13.6])]),
    ],
};
