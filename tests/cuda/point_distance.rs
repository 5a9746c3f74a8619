//! Distances to points and voxels: those of the CPU.

use zeroset::backend::Cpu;
use zeroset::backend::cuda::Cuda;
use zeroset::point_distance::cuda::{DeviceIndex, DeviceSites};
use zeroset::point_distance::{Edt, Index, Kernel, Method, Norm, Options, Sites, nearest};

use crate::support;

/// Numbers without order, from 0 to 1.
fn numbers(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / (1_u64 << 31) as f64
    }
}

fn points(n: usize, side: f64, seed: u64) -> Vec<[f64; 3]> {
    let mut number = numbers(seed);
    (0..n).map(|_| [(); 3].map(|()| side * (number() - 0.5))).collect()
}

fn options(norm: Norm, every: usize) -> Options {
    let mut options = Options::default();
    (options.norm, options.every, options.method) = (norm, every, Method::Brute);
    options
}

const NORMS: [Norm; 3] = [Norm::L1, Norm::L2, Norm::LInf];

#[test]
fn on_a_lattice_keys_and_sites_are_those_of_the_cpu() {
    let Some(cuda) = support::cuda() else { return };
    let sizes = [
        (0, 3),
        (1, 1),
        (255, 2),
        (256, 600),
        (257, 1024),
        (70_001, 1025),
        (70_000, 100),
        (5_000, 9_000),
    ];
    lattices(&cuda, &sizes);
}

fn lattices(cuda: &Cuda, sizes: &[(usize, usize)]) {
    for &(n_sites, n_queries) in sizes {
        // Many ties; exact in single precision; not so.
        for side in [6.0, 500.0, 20_000.0] {
            let whole = |list: Vec<[f64; 3]>| -> Vec<[i32; 3]> {
                list.into_iter().map(|x| x.map(|x| x.round() as i32)).collect()
            };
            let sites = Sites::new(&whole(points(n_sites, side, 1))).unwrap();
            let queries = whole(points(n_queries, side, 2));
            let (on_card, index) = (DeviceSites::new(cuda, &sites).unwrap(), Index::new(&sites));
            let device_index = DeviceIndex::new(cuda, &index).unwrap();
            for norm in NORMS {
                for every in [1, 3] {
                    let options = options(norm, every);
                    let expected = nearest(&Cpu::current(), &sites, &queries, &options).unwrap();
                    let found = on_card.nearest(cuda, &queries, &options).unwrap();
                    let what =
                        format!("{n_sites} sites, {n_queries} queries, {side}, {norm}, {every}");
                    assert!(found.found == expected.found, "{what}");
                    assert_eq!(found.perforation, expected.perforation, "{what}");
                    if every == 1 {
                        let found = device_index.nearest(cuda, &queries, &options).unwrap();
                        assert!(found.found == expected.found, "index, {what}");
                    }
                    let exact = norm == Norm::L2 && side < 1_000.0 && n_sites > 0;
                    assert!(!exact || found.kernel == Kernel::F32OnLattice, "{what}");
                }
            }
        }
    }
}

#[test]
fn real_keys_are_those_of_the_cpu_but_for_rounding() {
    let Some(cuda) = support::cuda() else { return };
    let single = |list: Vec<[f64; 3]>| -> Vec<[f32; 3]> {
        list.into_iter().map(|x| x.map(|x| x as f32)).collect()
    };
    for (n_sites, n_queries) in [(1, 1), (1_000, 33), (70_001, 1_500)] {
        let sites = Sites::new(&single(points(n_sites, 100.0, 3))).unwrap();
        let queries = single(points(n_queries, 150.0, 4));
        let (on_card, index) = (DeviceSites::new(&cuda, &sites).unwrap(), Index::new(&sites));
        let device_index = DeviceIndex::new(&cuda, &index).unwrap();
        for norm in NORMS {
            let options = options(norm, 1);
            let expected = nearest(&Cpu::current(), &sites, &queries, &options).unwrap();
            let found = on_card.nearest(&cuda, &queries, &options).unwrap();
            for (a, b) in found.found.iter().zip(&expected.found) {
                assert!((a.key - b.key).abs() <= 3e-7 * b.key, "{norm}: {a:?} {b:?}");
            }
            let found = device_index.nearest(&cuda, &queries, &options).unwrap();
            assert!(found.found == expected.found, "index, {norm}");
        }
    }
}

#[test]
fn transforms_are_those_of_the_cpu() {
    let Some(cuda) = support::cuda() else { return };
    let shapes = [
        [1, 1, 1],
        [64, 64, 64],
        [100, 37, 53],
        [1, 200, 33],
        [257, 1, 19],
        [33, 45, 1],
        [512, 3, 1],
        [3_001, 2, 3],
        [2, 3, 3_001],
        [130, 300, 70],
    ];
    transforms(&cuda, &shapes);
    let long = [1, 1 << 15, 1];
    let error = Edt::default().transform_on(&cuda, &vec![true; 1 << 15], long).unwrap_err();
    assert!(error.to_string().contains("takes 1 to 32767 along an axis"), "{error}");
    assert!(Edt::default().transform_on(&cuda, &[], [0, 3, 1]).unwrap().is_empty());
}

/// What compute-sanitizer runs, which takes a hundred times as long.
#[test]
fn a_short_run_of_each() {
    let Some(cuda) = support::cuda() else { return };
    lattices(&cuda, &[(0, 3), (257, 600)]);
    transforms(&cuda, &[[33, 17, 9], [64, 5, 3]]);
}

fn transforms(cuda: &Cuda, shapes: &[[usize; 3]]) {
    for &shape in shapes {
        let n: usize = shape.iter().product();
        for share in [0.0, 0.001, 0.3, 1.0] {
            let mut number = numbers(5);
            let inside: Vec<bool> = (0..n).map(|_| number() < share).collect();
            for spacing in [[1.0; 3], [2.5; 3], [0.7, 0.8, 2.5]] {
                for signed in [false, true] {
                    let edt = Edt::default().spacing(spacing).signed(signed);
                    let expected = edt.transform(&Cpu::current(), &inside, shape).unwrap();
                    let found = edt.transform_on(cuda, &inside, shape).unwrap();
                    let cubes = spacing[0] == spacing[2];
                    for (i, (&a, &b)) in found.iter().zip(&expected).enumerate() {
                        let same = a == b || !cubes && (a - b).abs() <= 4e-7 * b.abs();
                        assert!(same, "{shape:?} {share} {spacing:?} {signed}: {i}: {a} {b}");
                    }
                }
            }
        }
    }
}

#[test]
fn what_is_for_the_processor_is_said() {
    let Some(cuda) = support::cuda() else { return };
    let sites = DeviceSites::new(&cuda, &Sites::new(&[[0.0_f32; 3]]).unwrap()).unwrap();
    let mut index = options(Norm::L2, 1);
    index.method = Method::Index;
    for (options, found) in
        [(options(Norm::Lp(3.0), 1), "the norm L3 on a GPU"), (index, "an index")]
    {
        let error = sites.nearest(&cuda, &[[1.0; 3]], &options).err().unwrap().to_string();
        assert!(error.contains(found), "{error}");
    }
}
