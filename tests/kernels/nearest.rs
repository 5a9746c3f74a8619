//! The kernels of distances to points against the processor's search: in cones and other norms, and through an index.

use zeroset::backend::Cpu;
use zeroset::point_distance::{Cone, Directions, Found, Method, Norm, Options, Sites, nearest};

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
fn selected(
    library: &Library,
    sites: &[[f32; 3]],
    queries: &[[f32; 3]],
    options: &Options,
) -> Vec<Found<f32>> {
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
    let mut found = vec![0_u64; queries.len()];
    let every = options.every;
    let half = sites.len() / 2 / every * every;
    for range in [0..half, half..sites.len()] {
        let axes: [Vec<f32>; 3] =
            std::array::from_fn(|k| sites[range.clone()].iter().map(|x| x[k]).collect());
        let (n_sites, n_queries) = (range.len().div_ceil(every) as u32, queries.len() as u32);
        let (slice, groups) = (256, n_queries.div_ceil(128));
        let sites = SitesArgument {
            axes: axes.each_ref().map(|axis| address(axis)),
            queries: address(queries),
            found: found.as_mut_ptr() as u64,
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
        let how = Launch { seed: 3, ..Launch::new(groups * n_sites.div_ceil(slice), 128) };
        // SAFETY: arrays as long as the argument says.
        unsafe { library.launch("point_distance_selective", &how, &[arg(argument)]) }.unwrap();
    }
    let of = |turned: u64| match !turned {
        u64::MAX => Found { key: f32::INFINITY, site: u32::MAX },
        bits => Found { key: f32::from_bits((bits >> 32) as u32), site: bits as u32 },
    };
    found.into_iter().map(of).collect()
}

#[test]
fn cones_and_norms_find_what_the_processor_does() {
    let (sites, queries) = (points(1_300, 1), points(150, 7));
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
    for (norm, cone, every) in cases {
        let number = match norm {
            Norm::L1 => 1,
            Norm::L2 => 2,
            Norm::LInf => 3,
            Norm::Lp(_) => 4,
        };
        let defines = [
            "REAL=float".to_string(),
            "KEY=0".into(),
            format!("NORM={number}"),
            format!("CONE={}", u32::from(cone.is_some())),
        ];
        let defines: Vec<&str> = defines.iter().map(String::as_str).collect();
        let file = "kernels/point_distance/selective.cu";
        let library = Library::compile(file, &defines, &["point_distance_selective"]);
        let mut options = Options::default();
        (options.norm, options.cone, options.every) = (norm, cone, every);
        options.method = Method::Brute;
        let on_sites = Sites::new(&sites).unwrap();
        let expected = nearest(&Cpu::current(), &on_sites, &queries, &options).unwrap().found;
        let found = selected(&library, &sites, &queries, &options);
        for (i, (a, b)) in found.iter().zip(&expected).enumerate() {
            let close = (a.key - b.key).abs() <= 2e-7 * b.key;
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
struct Node {
    low: [f32; 3],
    high: [f32; 3],
    begin: u32,
    end: u32,
    second: u32,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Entry {
    point: [f32; 3],
    site: u32,
}

/// Nodes in preorder over halves of the entries.
fn build(entries: &mut [Entry], begin: u32, nodes: &mut Vec<Node>) {
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for entry in &*entries {
        for k in 0..3 {
            low[k] = low[k].min(entry.point[k]);
            high[k] = high[k].max(entry.point[k]);
        }
    }
    let (at, end) = (nodes.len(), begin + entries.len() as u32);
    nodes.push(Node { low, high, begin, end, second: 0 });
    if entries.len() > 16 {
        let axis = at % 3;
        entries.sort_by(|a, b| a.point[axis].total_cmp(&b.point[axis]));
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
    let mut entries: Vec<Entry> =
        (0..).zip(&sites).map(|(site, &point)| Entry { point, site }).collect();
    let mut nodes = Vec::new();
    build(&mut entries, 0, &mut nodes);
    for (number, norm) in [(1, Norm::L1), (2, Norm::L2), (3, Norm::LInf)] {
        let mut options = Options::default();
        (options.norm, options.method) = (norm, Method::Brute);
        let on_sites = Sites::new(&sites).unwrap();
        let expected = nearest(&Cpu::current(), &on_sites, &queries, &options).unwrap().found;
        // The shim knows whole warps only.
        for lanes in [1, 32] {
            let defines = [format!("NORM={number}"), format!("LANES={lanes}")];
            let defines = ["REAL=float", "KEY=0", &defines[0], &defines[1]];
            let file = "kernels/point_distance/index.cu";
            let library = Library::compile(file, &defines, &["point_distance_index"]);
            let n = queries.len();
            let (mut keys, mut numbers) = (vec![0_f32; n], vec![0_u32; n]);
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
