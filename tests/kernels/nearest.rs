//! The kernels of distances to points against the processor's search: in cones and other norms, and through an index.

use zeroset::Cpu;
use zeroset::point_distance::{
    Cone, Coordinate, Directions, Found, Method, Norm, Options, Sites, nearest,
};

use super::layouts::point_distance::{SelectiveArgument, SitesArgument};
use super::library::{Launch, Library, arg};

/// Points without order, from -1 to 1 along each axis.
fn points(n: usize, seed: u32) -> Vec<[f32; 3]> {
    let number = |k: usize| {
        let bits = (k as u32 + seed).wrapping_mul(2_654_435_761).rotate_left(13) ^ (k as u32 * 97);
        (bits.wrapping_mul(2_246_822_519) >> 8) as f32 / 8_388_608.0 - 1.0
    };
    (0..n).map(|k| std::array::from_fn(|a| number(3 * k + a))).collect()
}

fn address<T>(list: &[T]) -> u64 {
    list.as_ptr() as u64
}

/// Key and site of each query, as the kernel leaves them in two launches of a part of the sites each.
fn selected<C: Coordinate>(
    library: &Library,
    sites: &[[C; 3]],
    queries: &[[C; 3]],
    options: &Options,
    key_of: impl Fn(u64) -> C::Key,
) -> Vec<Found<C::Key>> {
    let unit = |r: &[f64; 3]| {
        let length = r[0].hypot(r[1]).hypot(r[2]);
        r.map(|x| x / length)
    };
    let directions: Vec<[f64; 3]> = match options.cone.as_ref().map(|cone| &cone.directions) {
        Some(Directions::One(r)) => vec![unit(r)],
        Some(Directions::Each(all)) => all.iter().map(unit).collect(),
        None => Vec::new(),
    };
    let radius = options.cone.as_ref().and_then(|cone| cone.cylinder);
    // Keys of 64 bits stand beside the sites' numbers, and slices are joined by a kernel.
    let is_wide = size_of::<C>() == 8;
    let width = if is_wide { 2 } else { 1 };
    let mut found = vec![0_u64; width * queries.len()];
    let every = options.every;
    let half = sites.len() / 2 / every * every;
    for range in [0..half, half..sites.len()] {
        let axes: [Vec<C>; 3] =
            std::array::from_fn(|k| sites[range.clone()].iter().map(|x| x[k]).collect());
        let (n_sites, n_queries) = (range.len().div_ceil(every) as u32, queries.len() as u32);
        let (slice, groups) = (256, n_queries.div_ceil(128));
        let n_slices = n_sites.div_ceil(slice);
        // Rows that no block writes are seen.
        let mut slices = vec![7_u64; if is_wide { 2 * (n_slices * n_queries) as usize } else { 0 }];
        let results = if is_wide { slices.as_mut_ptr() } else { found.as_mut_ptr() };
        let sites = SitesArgument {
            axes: axes.each_ref().map(|axis| address(axis)),
            queries: address(queries),
            found: results as u64,
            n_sites,
            n_queries,
            slice,
            groups,
            every: every as u32,
            first: range.start as u32,
        };
        let argument = SelectiveArgument {
            sites,
            directions: address(&directions),
            n_directions: directions.len() as u32,
            has_cylinder: radius.is_some().into(),
            order: if let Norm::Lp(p) = options.norm { p } else { 0.0 },
            cosine: options.cone.as_ref().map_or(-1.0, |cone| cone.angle.cos()),
            radius: radius.unwrap_or(0.0),
        };
        let how = Launch { seed: 3, ..Launch::new(groups * n_slices, 128) };
        // SAFETY: arrays as long as the argument says.
        unsafe { library.launch("point_distance_selective", &how, &[arg(argument)]) }.unwrap();
        if is_wide {
            let how = Launch { seed: 4, ..Launch::new(n_queries.div_ceil(128), 128) };
            let [slices, found] = [slices.as_mut_ptr(), found.as_mut_ptr()].map(arg);
            let args = [slices, found, arg(n_slices), arg(n_queries)];
            // SAFETY: as many results as the arguments say.
            unsafe { library.launch("point_distance_join", &how, &args) }.unwrap();
        }
    }
    let none = Found { key: C::FAR, site: u32::MAX };
    let of = |row: &[u64]| match *row {
        [0] | [0, 0] => none,
        [turned] => Found { key: key_of(!turned >> 32), site: !turned as u32 },
        [key, site] => Found { key: key_of(!key), site: !site as u32 },
        _ => unreachable!(),
    };
    found.chunks(width).map(of).collect()
}

#[test]
fn cones_and_norms_find_what_the_processor_does() {
    let of = |bits: u64| f32::from_bits(bits as u32);
    selections(["REAL=float", "KEY=0"], points(1_300, 1), points(150, 7), of, 2e-7, |key| {
        key.into()
    });
}

/// Far from the origin, where single precision would tell little apart, and in all norms.
#[test]
fn double_precision_finds_what_the_processor_does() {
    let far = |n, seed| -> Vec<[f64; 3]> {
        points(n, seed).into_iter().map(|x| x.map(|x| 1e6 + f64::from(x) / 3.0)).collect()
    };
    let defines = ["REAL=double", "KEY=3"];
    selections(defines, far(1_300, 1), far(150, 7), f64::from_bits, 1e-15, |key| key);
}

fn selections<C: Coordinate>(
    real: [&str; 2],
    sites: Vec<[C; 3]>,
    queries: Vec<[C; 3]>,
    key_of: impl Fn(u64) -> C::Key + Copy,
    rounding: f64,
    number: impl Fn(C::Key) -> f64,
) {
    let is_wide = size_of::<C>() == 8;
    let directions: Vec<[f64; 3]> = points(150, 5).iter().map(|x| x.map(f64::from)).collect();
    let cone = |angle: f64, cylinder| {
        Some(Cone { directions: Directions::Each(directions.clone()), angle, cylinder })
    };
    let one = Cone { directions: Directions::One([0.0, 0.0, -2.0]), angle: 0.6, cylinder: None };
    let cases = [
        (Norm::L1, cone(0.2, None), 1),
        (Norm::L2, cone(0.02, None), 1),
        (Norm::L2, cone(0.02, Some(0.1)), 3),
        (Norm::L2, cone(2.5, None), 1),
        (Norm::LInf, Some(one), 1),
        (Norm::Lp(3.0), None, 1),
        (Norm::Lp(1.0), None, 2),
        (Norm::Lp(2.5), cone(0.7, None), 1),
        (Norm::Lp(40.0), None, 1),
    ];
    let plain = [Norm::L1, Norm::L2, Norm::LInf].map(|norm| (norm, None, 2));
    let plain = plain.into_iter().filter(|_| is_wide);
    for (norm, cone, every) in cases.into_iter().chain(plain) {
        let order = match norm {
            Norm::L1 => 1,
            Norm::L2 => 2,
            Norm::LInf => 3,
            Norm::Lp(_) => 4,
        };
        let chosen = [format!("NORM={order}"), format!("CONE={}", u32::from(cone.is_some()))];
        let defines = [real[0], real[1], &chosen[0], &chosen[1]];
        let file = "kernels/point_distance/selective.cu";
        let kernels = ["point_distance_selective", "point_distance_join"];
        let kernels = if is_wide { &kernels[..] } else { &kernels[..1] };
        let library = Library::compile(file, &defines, kernels);
        let mut options = Options::default();
        (options.norm, options.cone, options.every) = (norm, cone, every);
        options.method = Method::Brute;
        let on_sites = Sites::new(&sites).unwrap();
        let expected = nearest(&Cpu::current(), &on_sites, &queries, &options).unwrap().found;
        let found = selected(&library, &sites, &queries, &options, key_of);
        for (i, (a, b)) in found.iter().zip(&expected).enumerate() {
            let [x, y] = [a.key, b.key].map(&number);
            let close = (x - y).abs() <= rounding * y;
            let same = a == b || matches!(norm, Norm::Lp(_)) && close;
            assert!(same, "{norm}, every {every}, query {i}: {a:?}, not {b:?}");
        }
        let nobody = found.iter().filter(|found| found.site == u32::MAX).count();
        assert!(nobody < found.len(), "{norm}: somebody sees something");
    }
}

/// `struct Node` and `struct Entry` of the kernel.
#[derive(Clone, Copy)]
#[repr(C)]
struct Node<C> {
    low: [C; 3],
    high: [C; 3],
    begin: u32,
    end: u32,
    second: u32,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Entry<C> {
    point: [C; 3],
    site: u32,
}

/// Nodes in preorder over halves of the entries.
fn build<C: Coordinate>(entries: &mut [Entry<C>], begin: u32, nodes: &mut Vec<Node<C>>) {
    let (mut low, mut high) = (entries[0].point, entries[0].point);
    for entry in &*entries {
        for k in 0..3 {
            let x = entry.point[k];
            low[k] = if x < low[k] { x } else { low[k] };
            high[k] = if x > high[k] { x } else { high[k] };
        }
    }
    let (at, end) = (nodes.len(), begin + entries.len() as u32);
    nodes.push(Node { low, high, begin, end, second: 0 });
    if entries.len() > 16 {
        let axis = at % 3;
        entries.sort_by(|a, b| a.point[axis].partial_cmp(&b.point[axis]).unwrap());
        let (first, second) = entries.split_at_mut(entries.len() / 2);
        let middle = begin + first.len() as u32;
        build(first, begin, nodes);
        nodes[at].second = nodes.len() as u32;
        build(second, middle, nodes);
    }
}

#[test]
fn an_index_is_searched_by_a_lane_or_a_warp() {
    // On a coarse lattice, so that many sites are equally near.
    let coarse = |list: Vec<[f32; 3]>| -> Vec<[f32; 3]> {
        list.into_iter().map(|x| x.map(|x| (8.0 * x).round() / 8.0)).collect()
    };
    let (sites, queries) = (coarse(points(900, 1)), coarse(points(70, 7)));
    indexed(["REAL=float", "KEY=0"], &sites, &queries);
    let double = |list: Vec<[f32; 3]>| -> Vec<[f64; 3]> {
        list.into_iter().map(|x| x.map(|x| f64::from(x) + 1e8)).collect()
    };
    indexed(["REAL=double", "KEY=3"], &double(sites), &double(queries));
}

fn indexed<C: Coordinate<Key: 'static> + 'static>(
    real: [&str; 2],
    sites: &[[C; 3]],
    queries: &[[C; 3]],
) {
    let mut entries: Vec<Entry<C>> =
        (0..).zip(sites).map(|(site, &point)| Entry { point, site }).collect();
    let mut nodes = Vec::new();
    build(&mut entries, 0, &mut nodes);
    for (number, norm) in [(1, Norm::L1), (2, Norm::L2), (3, Norm::LInf)] {
        let mut options = Options::default();
        (options.norm, options.method) = (norm, Method::Brute);
        let on_sites = Sites::new(sites).unwrap();
        let expected = nearest(&Cpu::current(), &on_sites, queries, &options).unwrap().found;
        // The shim knows whole warps only.
        for lanes in [1, 32] {
            let defines = [format!("NORM={number}"), format!("LANES={lanes}")];
            let defines = [real[0], real[1], &defines[0], &defines[1]];
            let file = "kernels/point_distance/index.cu";
            let library = Library::compile(file, &defines, &["point_distance_index"]);
            let n = queries.len();
            let (mut keys, mut numbers) = (vec![C::FAR; n], vec![0_u32; n]);
            let args = [
                arg(nodes.as_ptr()),
                arg(entries.as_ptr()),
                arg(queries.as_ptr()),
                arg(keys.as_mut_ptr()),
                arg(numbers.as_mut_ptr()),
                arg(n as u32),
            ];
            let how = Launch { seed: 5, ..Launch::new((n as u32 * lanes).div_ceil(32), 32) };
            // SAFETY: a tree of all sites, and a place for each query.
            unsafe { library.launch("point_distance_index", &how, &args) }.unwrap();
            for ((i, b), (key, site)) in expected.iter().enumerate().zip(keys.iter().zip(&numbers))
            {
                assert!((*key, *site) == (b.key, b.site), "{norm}, {lanes} lanes, query {i}");
            }
        }
    }
}
