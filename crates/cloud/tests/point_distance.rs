//! Tests of distances to points and voxels against one-line references, on random and adversarial
//! input. V53 (`tests/verification`) verifies the errors of perforation, and rays that step by
//! distances.

use proptest::prelude::*;
use zeroset_cloud::point_distance::{
    Cone, Coordinate, Directions, Edt, Index, Kernel, Method, NO_SITE, Nearest, Norm, Options,
    Sites, nearest,
};
use zeroset_core::Cpu;

fn options(norm: Norm, method: Method) -> Options {
    let mut options = Options::default();
    (options.norm, options.method) = (norm, method);
    options
}

fn found<C: Coordinate>(sites: &[[C; 3]], queries: &[[C; 3]], options: &Options) -> Nearest<C> {
    nearest(&Cpu::current(), &Sites::new(sites).unwrap(), queries, options).unwrap()
}

/// Returns the distance between two points, computed from its definition.
fn distance(norm: Norm, a: [f64; 3], b: [f64; 3]) -> f64 {
    let d = [0, 1, 2].map(|k| (a[k] - b[k]).abs());
    match norm {
        Norm::L1 => d.iter().sum(),
        Norm::L2 => d.iter().map(|d| d * d).sum::<f64>().sqrt(),
        Norm::LInf => d.into_iter().fold(0.0, f64::max),
        Norm::Lp(p) => d.iter().map(|d| d.powf(p)).sum::<f64>().powf(1.0 / p),
    }
}

const NORMS: [Norm; 3] = [Norm::L1, Norm::L2, Norm::LInf];

fn lattice_point(side: i32) -> impl Strategy<Value = [i32; 3]> {
    proptest::array::uniform3(-side..side)
}

fn lattice(most: usize) -> impl Strategy<Value = Vec<[i32; 3]>> {
    // A small range produces many ties, and a large one produces many keys beyond the exact range
    // of floats.
    let points = |side| proptest::collection::vec(lattice_point(side), 0..most);
    prop_oneof![points(4), points(300), points(9_000)]
}

fn real(most: usize) -> impl Strategy<Value = Vec<[f64; 3]>> {
    proptest::collection::vec(proptest::array::uniform3(-1e3..1e3), 0..most)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn on_a_lattice_keys_and_sites_are_exact(sites in lattice(3_000), queries in lattice(40)) {
        for norm in NORMS {
            for method in [Method::Brute, Method::Index] {
                let result = found(&sites, &queries, &options(norm, method));
                for (q, found) in queries.iter().zip(&result.found) {
                    let key = |s: &[i32; 3]| {
                        let d = [0, 1, 2].map(|k| i64::from(s[k] - q[k]).abs());
                        match norm {
                            Norm::L1 => d.iter().sum(),
                            Norm::L2 => d.iter().map(|d| d * d).sum(),
                            _ => d.into_iter().max().unwrap(),
                        }
                    };
                    let best = (0..sites.len()).min_by_key(|&i| (key(&sites[i]), i));
                    prop_assert_eq!(found.site, best.map_or(NO_SITE, |i| i as u32));
                    prop_assert_eq!(found.key, best.map_or(u32::MAX, |i| key(&sites[i]) as u32));
                }
            }
        }
    }

    #[test]
    fn real_coordinates_give_the_distance_by_definition(sites in real(3_000), queries in real(30)) {
        for norm in [Norm::L1, Norm::L2, Norm::LInf, Norm::Lp(1.0), Norm::Lp(3.0), Norm::Lp(2.5)] {
            let by = |method| found(&sites, &queries, &options(norm, method));
            let (brute, index) = (by(Method::Brute), by(Method::Index));
            prop_assert_eq!(&brute.found, &index.found, "{}", norm);
            for (q, found) in queries.iter().zip(brute.distances()) {
                let all = sites.iter().map(|s| distance(norm, *s, *q));
                let best = all.fold(f64::INFINITY, f64::min);
                prop_assert!(found == best || (found - best).abs() <= 1e-13 * best, "{found} {best}");
            }
            let single = |list: &[[f64; 3]]| list.iter().map(|x| x.map(|x| x as f32)).collect::<Vec<_>>();
            let by = |method| found(&single(&sites), &single(&queries), &options(norm, method));
            let (brute, index) = (by(Method::Brute), by(Method::Index));
            prop_assert_eq!(brute.found, index.found, "{} in f32", norm);
        }
    }

    #[test]
    fn cones_and_cylinders_see_what_they_should(
        sites in lattice(2_000), queries in lattice(20),
        direction in proptest::array::uniform3(-1.0..1.0),
        angle in 0.0..std::f64::consts::PI, cylinder in proptest::option::of(0.0..3.0),
    ) {
        let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
        prop_assume!(length > 0.1);
        let mut options = options(Norm::L2, Method::Brute);
        options.cone = Some(Cone { directions: Directions::One(direction), angle, cylinder });
        let brute = found(&sites, &queries, &options);
        options.method = Method::Index;
        prop_assert_eq!(&found(&sites, &queries, &options).found, &brute.found);
        let each = vec![direction; queries.len()];
        options.cone = Some(Cone { directions: Directions::Each(each), angle, cylinder });
        prop_assert_eq!(&found(&sites, &queries, &options).found, &brute.found);
        for (q, found) in queries.iter().zip(&brute.found) {
            // Sites on the boundary of the cone or the cylinder, up to rounding, may or may not
            // count.
            let seen = |s: &[i32; 3], slack: f64| {
                let d = [0, 1, 2].map(|k| f64::from(s[k] - q[k]));
                let square: f64 = d.iter().map(|d| d * d).sum();
                let along: f64 = (0..3).map(|k| d[k] * direction[k] / length).sum();
                let off = slack * (1.0 + square);
                along >= angle.cos() * square.sqrt() - off
                    || cylinder.is_some_and(|r| along > -r - off && square - along * along <= r * r + off)
            };
            let square = |s: &[i32; 3]| (0..3).map(|k| i64::from(s[k] - q[k]).pow(2)).sum::<i64>();
            let least = |slack| sites.iter().filter(|s| seen(s, slack)).map(square).min();
            let (wide, narrow) = (least(1e-12), least(-1e-12));
            let far = i64::from(u32::MAX);
            let key = i64::from(found.key);
            prop_assert!(wide.unwrap_or(far) <= key && key <= narrow.unwrap_or(far));
        }
    }

    #[test]
    fn a_transform_is_that_of_a_search_through_all(
        shape in prop_oneof![
            proptest::array::uniform3(1usize..10),
            (1usize..80).prop_map(|n| [n, 1, 1]),
            (1usize..80).prop_map(|n| [1, n, 1]),
            (1usize..80, 1usize..6).prop_map(|(n, m)| [m, 1, n]),
        ],
        share in prop_oneof![Just(0.0), Just(0.02), Just(0.5), Just(1.0)],
        seed in any::<u64>(), spacing in proptest::array::uniform3(0.1..4.0), cubes in any::<bool>(),
    ) {
        let n: usize = shape.iter().product();
        let mut state = seed | 1;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as f64 / (1u64 << 31) as f64
        };
        let inside: Vec<bool> = (0..n).map(|_| next() < share).collect();
        let spacing = if cubes { [1.0; 3] } else { spacing };
        for signed in [false, true] {
            let edt = Edt::default().spacing(spacing).signed(signed);
            let result = edt.transform(&Cpu::current(), &inside, shape).unwrap();
            let at = |i: usize| [i % shape[0], i / shape[0] % shape[1], i / shape[0] / shape[1]];
            let to = |i: usize, of: bool| {
                let d = |j: usize| {
                    let (a, b) = (at(i), at(j));
                    let along = |k: usize| (a[k].abs_diff(b[k]) as f64 * spacing[k]).powi(2);
                    (along(0) + along(1) + along(2)).sqrt()
                };
                let all = (0..n).filter(|&j| inside[j] == of).map(d);
                all.fold(f64::INFINITY, f64::min)
            };
            for (i, &found) in result.iter().enumerate() {
                let expected = match (inside[i], signed) {
                    (true, false) => 0.0,
                    (true, true) => -to(i, false),
                    (false, _) => to(i, true),
                } as f32;
                let same = if cubes { found == expected } else {
                    found == expected || (found - expected).abs() <= 1.2e-7 * expected.abs()
                };
                prop_assert!(same, "voxel {i} of {shape:?}: {found}, expected {expected}");
            }
        }
    }
}

#[test]
fn nothing_depends_on_threads_memory_or_method() {
    let point = |n: i64, side: i64| [7919, 104_729, 1_299_709].map(|f| (n * f % side) as i32);
    let sites: Vec<[i32; 3]> = (0..20_000).map(|n| point(n, 97)).collect();
    let queries: Vec<[i32; 3]> = (0..700).map(|n| point(n + 5, 131)).collect();
    let sites = Sites::new(&sites).unwrap();
    let first = nearest(&Cpu::new(1).unwrap(), &sites, &queries, &Options::default()).unwrap();
    for threads in [1, 2, 5] {
        let cpu = Cpu::new(threads).unwrap();
        for memory in [700 * 8 + 8, 9_000, 256 << 20] {
            let mut options = options(Norm::L2, Method::Brute);
            options.memory = memory;
            let result = nearest(&cpu, &sites, &queries, &options).unwrap();
            assert_eq!(result.found, first.found, "{threads} threads, {memory} bytes");
            assert!(result.working_set <= memory);
        }
        let index = Index::new(&sites).nearest(&cpu, &queries, &Options::default()).unwrap();
        assert_eq!(index.found, first.found);
    }
    let inside: Vec<bool> = (0..40 * 50 * 60).map(|n| n * 7919 % 501 == 0).collect();
    let by = |threads, signed| {
        let edt = Edt::default().spacing([0.3, 0.4, 1.1]).signed(signed);
        let cpu = Cpu::new(threads).unwrap();
        let bits = edt.transform(&cpu, &inside, [40, 50, 60]).unwrap();
        bits.into_iter().map(f32::to_bits).collect::<Vec<_>>()
    };
    for signed in [false, true] {
        assert!((2..5).all(|threads| by(threads, signed) == by(1, signed)));
    }
}

#[test]
fn many_queries_are_asked_of_an_index() {
    let point = |n: i64| [7919, 104_729, 1_299_709].map(|f| (n * f % 97) as i32);
    let lattice: Vec<[i32; 3]> = (0..2_000).map(point).collect();
    let real: Vec<[f64; 3]> = lattice.iter().map(|x| x.map(f64::from)).collect();
    let taken =
        |norm, n: usize| found(&lattice, &lattice[..n], &options(norm, Method::Auto)).method;
    for norm in NORMS {
        assert_eq!([255, 256].map(|n| taken(norm, n)), [Method::Brute, Method::Index]);
    }
    let taken = |options: &Options, n: usize| found(&real, &real[..n], options).method;
    let plain = options(Norm::L2, Method::Auto);
    assert_eq!([191, 192].map(|n| taken(&plain, n)), [Method::Brute, Method::Index]);
    let directions = Directions::One([0.0, 0.0, 1.0]);
    let mut cone = plain.clone();
    cone.cone = Some(Cone { directions, angle: 0.5, cylinder: None });
    assert_eq!([63, 64].map(|n| taken(&cone, n)), [Method::Brute, Method::Index]);
    let mut power = options(Norm::Lp(3.0), Method::Auto);
    assert_eq!(taken(&power, 1), Method::Index);
    // The index must fit into memory.
    power.memory = 1_000;
    assert_eq!(taken(&power, 1), Method::Brute);
}

#[test]
fn the_arithmetic_fits_the_lattice() {
    let kernel = |sites: &[[i32; 3]], norm| {
        let sites = Sites::new(sites).unwrap();
        nearest(&Cpu::current(), &sites, &[[0; 3]], &options(norm, Method::Brute)).map(|r| r.kernel)
    };
    // 4095^2 < 2^24 = 4096^2.
    assert_eq!(kernel(&[[4095, 0, 0]], Norm::L2).unwrap(), Kernel::F32OnLattice);
    assert_eq!(kernel(&[[4096, 0, 0]], Norm::L2).unwrap(), Kernel::U32);
    assert_eq!(kernel(&[[-4096, 0, 0]], Norm::LInf).unwrap(), Kernel::F32OnLattice);
    // 3 * 37837^2 < 2^32 - 1 < 3 * 37838^2 (docs/point-distances.md).
    assert_eq!(kernel(&[[37_837; 3]], Norm::L2).unwrap(), Kernel::U32);
    let error = kernel(&[[37_838; 3]], Norm::L2).unwrap_err().to_string();
    assert!(error.contains("does not fit 32 bits") && error.contains("f64"), "{error}");
    assert!(kernel(&[[i32::MIN, 0, 0]], Norm::L1).is_err());
    let far = [[i32::MAX - 9, 5, 1]];
    assert_eq!(kernel(&far, Norm::LInf).unwrap(), Kernel::U32);
    assert!(kernel(&far, Norm::Lp(3.0)).unwrap_err().to_string().contains("L3"));
}

/// A distance whose square underflows is refused. A query at the position of a site has distance 0,
/// unless another site is so close that it appears to be at the same position. Other norms have no
/// such limit.
#[test]
fn squares_below_the_range_are_refused() {
    let sites = [[0.0; 3], [3e-200, 0.0, 0.0], [1.0; 3]];
    let cpu = Cpu::current();
    let index = Index::new(&Sites::new(&sites).unwrap());
    let mut options = Options::default();
    for (x, is_lost) in [(1e-200, true), (3e-200, true), (0.0, false), (1e-150, false)] {
        let queries = [[1.0, 1.0, 2.0], [x, 0.0, 0.0]];
        let found = nearest(&cpu, &Sites::new(&sites).unwrap(), &queries, &options);
        for result in [found, index.nearest(&cpu, &queries, &options)] {
            assert_eq!(result.is_err(), is_lost, "{x}");
            let said = result.err().map(|error| error.to_string()).unwrap_or_default();
            assert!(!is_lost || said.starts_with("query 1 is so near to site"), "{said}");
        }
        options.norm = Norm::L1;
        assert!(index.nearest(&cpu, &queries, &options).is_ok());
        options.norm = Norm::L2;
    }
    let single = Sites::new(&[[0.0_f32; 3], [1.0; 3]]).unwrap();
    assert!(nearest(&cpu, &single, &[[1e-20, 0.0, 0.0]], &options).is_err());
    assert!(nearest(&cpu, &single, &[[1e-18, 0.0, 0.0]], &options).is_ok());
}

#[test]
fn what_cannot_be_measured_is_said() {
    let sites = Sites::new(&[[0.0; 3]]).unwrap();
    let with = |change: &dyn Fn(&mut Options)| {
        let mut options = Options::default();
        change(&mut options);
        nearest(&Cpu::current(), &sites, &[[1.0; 3]; 3], &options).unwrap_err().to_string()
    };
    let cone = |directions, angle, cylinder| Some(Cone { directions, angle, cylinder });
    let up = || Directions::One([0.0, 0.0, 1.0]);
    for (error, found) in [
        (with(&|o| o.every = 0), "every 0 sites"),
        (with(&|o| o.norm = Norm::Lp(0.5)), "the norm L0.5"),
        (with(&|o| o.memory = 31), "raise the limit (--memory)"),
        (with(&|o| (o.memory, o.method) = (48, Method::Index)), "an index over 1 sites takes"),
        (with(&|o| o.cone = cone(up(), 4.0, None)), "the half angle 229.18"),
        (with(&|o| o.cone = cone(up(), 1.0, Some(-1.0))), "a cylinder of radius -1"),
        (
            with(&|o| o.cone = cone(Directions::One([0.0; 3]), 1.0, None)),
            "direction 0 is [0.0, 0.0, 0.0]",
        ),
        (
            with(&|o| o.cone = cone(Directions::Each(vec![[1.0; 3]]), 1.0, None)),
            "1 directions for 3 queries",
        ),
        (Sites::new(&[[0.0, f64::NAN, 0.0]]).unwrap_err().to_string(), "site 0 lies at"),
        (
            Sites::new(&[[1e200; 3]])
                .and_then(|s| nearest(&Cpu::current(), &s, &[], &Options::default()))
                .unwrap_err()
                .to_string(),
            "scale the points down",
        ),
    ] {
        assert!(error.contains(found), "{error}");
    }
    for (inside, shape, spacing) in [
        (8, [2, 2, 3], [1.0; 3]),
        (8, [2, 2, 2], [1.0, 0.0, 1.0]),
        (8, [2; 3], [1.0, f64::NAN, 1.0]),
    ] {
        let edt = Edt::default().spacing(spacing);
        assert!(edt.transform(&Cpu::current(), &vec![true; inside], shape).is_err());
    }
    let none = found::<f64>(&[], &[[1.0; 3]], &Options::default());
    assert_eq!((none.distances(), none.found[0].site), (vec![f64::INFINITY], NO_SITE));
}
