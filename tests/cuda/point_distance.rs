//! Tests that distances to points and voxels match those computed on the CPU.

use zeroset::Cpu;
use zeroset::gpu::Cuda;
use zeroset::point_distance::cuda::{DeviceIndex, DeviceSites, nearest_in_streams};
use zeroset::point_distance::{
    Cone, DeviceEdt, Directions, Edt, Index, Kernel, Method, Norm, Options, Sites, nearest,
};

use crate::support;

/// Returns a generator of scattered numbers from 0 to 1.
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
        // The three side lengths produce many ties, keys that are exact in single precision, and
        // keys that are not.
        for side in [6.0, 500.0, 20_000.0] {
            let whole = |list: Vec<[f64; 3]>| -> Vec<[i32; 3]> {
                list.into_iter().map(|x| x.map(|x| x.round() as i32)).collect()
            };
            let sites = Sites::new(&whole(points(n_sites, side, 1))).unwrap();
            let queries = whole(points(n_queries, side, 2));
            let (on_gpu, index) = (DeviceSites::new(cuda, &sites).unwrap(), Index::new(&sites));
            let device_index = DeviceIndex::new(cuda, &index).unwrap();
            for norm in NORMS {
                for every in [1, 3] {
                    let options = options(norm, every);
                    let expected = nearest(&Cpu::current(), &sites, &queries, &options).unwrap();
                    let found = on_gpu.nearest(cuda, &queries, &options).unwrap();
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

/// Returns the keys and sites of queries that are on the GPU.
fn found_between(
    cuda: &Cuda,
    index: &DeviceIndex<f64>,
    queries: &[[f64; 3]],
    norm: Norm,
) -> Vec<(f64, u32)> {
    let n = queries.len();
    let (keys, sites) = (cuda.zeros::<f64>(n).unwrap(), cuda.zeros::<u32>(n).unwrap());
    let given = cuda.upload(queries).unwrap();
    let (mut low, mut high) = (queries[0], queries[0]);
    for x in queries {
        low = std::array::from_fn(|c| low[c].min(x[c]));
        high = std::array::from_fn(|c| high[c].max(x[c]));
    }
    let results = (keys.address(), sites.address());
    // SAFETY: all arrays have an entry for each query.
    unsafe { index.nearest_between(cuda, (given.address(), n, [low, high]), norm, results) }
        .unwrap();
    cuda.download(&keys).unwrap().into_iter().zip(cuda.download(&sites).unwrap()).collect()
}

/// In double precision, no operations are fused, so keys and sites match those computed on the CPU.
/// The test compares brute force, streams and the index.
#[test]
fn keys_in_double_precision_are_those_of_the_cpu() {
    let Some(cuda) = support::cuda() else { return };
    doubles(&cuda, &[(0, 3), (1, 1), (1_000, 33), (70_001, 1_500), (300, 9_000)]);
}

fn doubles(cuda: &Cuda, sizes: &[(usize, usize)]) {
    let coarse = |list: Vec<[f64; 3]>| -> Vec<[f64; 3]> {
        list.into_iter().map(|x| x.map(|x| (4.0 * x).round() / 4.0 + 1e9)).collect()
    };
    for &(n_sites, n_queries) in sizes {
        let (near, far) = (points(n_sites, 100.0, 3), points(n_queries, 150.0, 4));
        // The second pair has many ties far from the origin, where single precision could not
        // distinguish the points.
        for (sites, queries) in [(near.clone(), far.clone()), (coarse(near), coarse(far))] {
            let sites = Sites::new(&sites).unwrap();
            let (on_gpu, index) = (DeviceSites::new(cuda, &sites).unwrap(), Index::new(&sites));
            let device_index = DeviceIndex::new(cuda, &index).unwrap();
            for (norm, every) in NORMS.into_iter().flat_map(|norm| [(norm, 1), (norm, 3)]) {
                let mut options = options(norm, every);
                let expected = nearest(&Cpu::current(), &sites, &queries, &options).unwrap();
                let found = on_gpu.nearest(cuda, &queries, &options).unwrap();
                let what = format!("{n_sites} sites, {n_queries} queries, {norm}, {every}");
                assert!(found.found == expected.found, "{what}");
                assert_eq!(found.perforation, expected.perforation, "{what}");
                assert_eq!(found.kernel, Kernel::F64);
                assert!(found.working_set <= options.memory);
                if every == 1 {
                    let found = device_index.nearest(cuda, &queries, &options).unwrap();
                    assert!(found.found == expected.found, "index, {what}");
                    if n_sites > 0 && n_queries > 0 {
                        let found = found_between(cuda, &device_index, &queries, norm);
                        let expected = expected.found.iter().map(|found| (found.key, found.site));
                        assert!(found == expected.collect::<Vec<_>>(), "between, {what}");
                    }
                }
                options.memory = 1 << 18;
                let gpus = [Cuda::new(0).unwrap(), Cuda::new(0).unwrap()];
                let found = nearest_in_streams(&gpus, &sites, &queries, &options).unwrap();
                assert!(found.found == expected.found, "streams, {what}");
                assert!(found.working_set <= options.memory, "streams, {what}");
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
        let (on_gpu, index) = (DeviceSites::new(&cuda, &sites).unwrap(), Index::new(&sites));
        let device_index = DeviceIndex::new(&cuda, &index).unwrap();
        for norm in NORMS {
            let options = options(norm, 1);
            let expected = nearest(&Cpu::current(), &sites, &queries, &options).unwrap();
            let found = on_gpu.nearest(&cuda, &queries, &options).unwrap();
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
    assert!(error.to_string().contains("supports 1 to 32767 voxels per axis"), "{error}");
    assert_eq!(error.exit_code(), 5, "the error must have the exit code of a device error");
    assert!(Edt::default().transform_on(&cuda, &[], [0, 3, 1]).unwrap().is_empty());
}

/// A short test for compute-sanitizer, under which kernels take about a hundred times as long.
#[test]
fn a_short_run_of_each() {
    let Some(cuda) = support::cuda() else { return };
    lattices(&cuda, &[(0, 3), (257, 600)]);
    doubles(&cuda, &[(0, 3), (700, 140)]);
    transforms(&cuda, &[[33, 17, 9], [64, 5, 3]]);
    selections(&cuda, 300, 140);
}

fn transforms(cuda: &Cuda, shapes: &[[usize; 3]]) {
    for &shape in shapes {
        let n: usize = shape.iter().product();
        for share in [0.0, 0.001, 0.3, 1.0] {
            let mut number = numbers(5);
            let inside: Vec<bool> = (0..n).map(|_| number() < share).collect();
            for spacing in [[1.0; 3], [2.5; 3], [0.7, 0.8, 2.5]] {
                nearest_voxels(cuda, &inside, shape, spacing);
                for (signed, faces) in [(false, false), (true, false), (false, true), (true, true)]
                {
                    let edt = Edt::default().spacing(spacing).signed(signed).faces(faces);
                    let expected = edt.transform(&Cpu::current(), &inside, shape).unwrap();
                    let found = edt.transform_on(cuda, &inside, shape).unwrap();
                    let cubes = spacing[0] == spacing[2] && !faces;
                    for (i, (&a, &b)) in found.iter().zip(&expected).enumerate() {
                        let same = a == b || !cubes && (a - b).abs() <= 4e-7 * b.abs();
                        assert!(
                            same,
                            "{shape:?} {share} {spacing:?} {signed} {faces}: {i}: {a} {b}"
                        );
                    }
                }
            }
        }
    }
}

/// Checks that the nearest voxels are inside, and at the distances of the transform. Without a
/// voxel inside, each voxel is nearest to itself.
fn nearest_voxels(cuda: &Cuda, inside: &[bool], shape: [usize; 3], spacing: [f64; 3]) {
    let edt = Edt::default().spacing(spacing);
    let marks: Vec<u8> = inside.iter().map(|&inside| inside.into()).collect();
    let (marks, n) = (cuda.upload(&marks).unwrap(), inside.len());
    let (distances, indices) = (cuda.zeros::<f32>(n).unwrap(), cuda.zeros::<u64>(3 * n).unwrap());
    let transform = DeviceEdt::with_indices(cuda, edt, shape).unwrap();
    // SAFETY: The arrays have an entry, or three indices, for each voxel.
    unsafe {
        transform.transform_between(cuda, marks.address(), distances.address()).unwrap();
        transform.indices_between(cuda, marks.address(), indices.address()).unwrap();
    }
    let (distances, indices) =
        (cuda.download(&distances).unwrap(), cuda.download(&indices).unwrap());
    let none = !inside.contains(&true);
    for (v, &distance) in distances.iter().enumerate() {
        let at = [v / shape[0] / shape[1], v / shape[0] % shape[1], v % shape[0]];
        let to = [0, 1, 2].map(|axis| indices[axis * n + v] as usize);
        let voxel = to[2] + shape[0] * (to[1] + shape[1] * to[0]);
        if none {
            assert_eq!(to, at, "{shape:?} {v}");
            continue;
        }
        let square = (0..3).map(|k| (to[k].abs_diff(at[k]) as f64 * spacing[2 - k]).powi(2));
        let there = square.sum::<f64>().sqrt();
        let is_as_far = (there - f64::from(distance)).abs() <= 1e-6 * there;
        assert!(inside[voxel] && is_as_far, "{shape:?} {spacing:?} {v}: {to:?} {there} {distance}");
    }
}

/// Tests cones and other norms, on a lattice and between arbitrary points.
#[test]
fn cones_and_other_norms_are_those_of_the_cpu() {
    let Some(cuda) = support::cuda() else { return };
    selections(&cuda, 20_001, 700);
}

fn selections(cuda: &Cuda, n_sites: usize, n_queries: usize) {
    let single = |list: Vec<[f64; 3]>| -> Vec<[f32; 3]> {
        list.into_iter().map(|x| x.map(|x| x as f32)).collect()
    };
    let whole = |list: Vec<[f64; 3]>| -> Vec<[i32; 3]> {
        list.into_iter().map(|x| x.map(|x| x.round() as i32)).collect()
    };
    let directions = points(n_queries, 2.0, 9);
    let cone = |angle: f64, cylinder| {
        Some(Cone { directions: Directions::Each(directions.clone()), angle, cylinder })
    };
    let real = [points(n_sites, 100.0, 3), points(n_queries, 150.0, 4)].map(single);
    let lattice = [points(n_sites, 100.0, 3), points(n_queries, 150.0, 4)].map(whole);
    for norm in [Norm::L1, Norm::L2, Norm::LInf, Norm::Lp(3.0), Norm::Lp(1.5)] {
        let is_power = matches!(norm, Norm::Lp(_));
        let one =
            Cone { directions: Directions::One([1.0, 0.0, -1.0]), angle: 0.6, cylinder: None };
        let cones = [cone(0.02, None), cone(0.3, Some(2.0)), cone(2.0, None), Some(one), None];
        for cone in cones.into_iter().filter(|cone| cone.is_some() || is_power) {
            for every in [1, 7] {
                let mut options = options(norm, every);
                options.cone = cone.clone();
                let what = format!("{norm}, every {every}, {:?}", cone.as_ref().map(|c| c.angle));
                let sites = Sites::new(&real[0]).unwrap();
                let expected = nearest(&Cpu::current(), &sites, &real[1], &options).unwrap();
                let on_gpu = DeviceSites::new(cuda, &sites).unwrap();
                let found = on_gpu.nearest(cuda, &real[1], &options).unwrap();
                for (a, b) in found.found.iter().zip(&expected.found) {
                    let close = is_power && (a.key - b.key).abs() <= 2e-7 * b.key;
                    assert!(a == b || close, "{what}: {a:?} {b:?}");
                }
                let double = [points(n_sites, 100.0, 3), points(n_queries, 150.0, 4)];
                let sites = Sites::new(&double[0]).unwrap();
                let expected = nearest(&Cpu::current(), &sites, &double[1], &options).unwrap();
                let on_gpu = DeviceSites::new(cuda, &sites).unwrap();
                let found = on_gpu.nearest(cuda, &double[1], &options).unwrap();
                for (a, b) in found.found.iter().zip(&expected.found) {
                    let close = is_power && (a.key - b.key).abs() <= 1e-15 * b.key;
                    assert!(a == b || close, "f64, {what}: {a:?} {b:?}");
                }
                if is_power {
                    continue;
                }
                let sites = Sites::new(&lattice[0]).unwrap();
                let expected = nearest(&Cpu::current(), &sites, &lattice[1], &options).unwrap();
                let on_gpu = DeviceSites::new(cuda, &sites).unwrap();
                let found = on_gpu.nearest(cuda, &lattice[1], &options).unwrap();
                assert!(found.found == expected.found, "lattice, {what}");
                assert_eq!(found.perforation, expected.perforation, "lattice, {what}");
            }
        }
    }
}

#[test]
fn streams_find_what_one_comparison_does() {
    let Some(_) = support::cuda() else { return };
    let gpus: Vec<Cuda> = (0..3).map(|_| Cuda::new(0).unwrap()).collect();
    let (sites, queries) = (points(100_003, 100.0, 3), points(900, 150.0, 4));
    let whole = |list: &[[f64; 3]]| -> Vec<[i32; 3]> {
        list.iter().map(|x| x.map(|x| x.round() as i32)).collect()
    };
    let (sites, queries) = (Sites::new(&whole(&sites)).unwrap(), whole(&queries));
    for every in [1, 5] {
        let mut options = options(Norm::L2, every);
        let expected = nearest(&Cpu::current(), &sites, &queries, &options).unwrap();
        for (streams, memory) in [(1, 1 << 18), (2, 1 << 19), (3, 1 << 30)] {
            options.memory = memory;
            let found = nearest_in_streams(&gpus[..streams], &sites, &queries, &options).unwrap();
            assert!(found.found == expected.found, "{streams} streams, every {every}");
            assert_eq!(found.perforation, expected.perforation, "{streams} streams");
            assert!(found.working_set <= memory && found.plan.is_some());
        }
    }
    // The queries are processed in parts, and each query has its own direction.
    let mut options = options(Norm::L2, 1);
    let directions = points(900, 2.0, 9);
    options.cone =
        Some(Cone { directions: Directions::Each(directions), angle: 0.6, cylinder: None });
    let expected = nearest(&Cpu::current(), &sites, &queries, &options).unwrap();
    options.memory = 1 << 13;
    let found = nearest_in_streams(&gpus[..1], &sites, &queries, &options).unwrap();
    assert!(found.found == expected.found && found.plan.unwrap().batch < 900);
    let mut small = self::options(Norm::L2, 1);
    small.memory = 1 << 12;
    let error = nearest_in_streams(&gpus, &sites, &queries, &small).err().unwrap().to_string();
    assert!(error.contains("raise the limit"), "{error}");
}

#[test]
fn what_is_for_the_cpu_is_said() {
    let Some(cuda) = support::cuda() else { return };
    let sites = DeviceSites::new(&cuda, &Sites::new(&[[0.0_f32; 3]]).unwrap()).unwrap();
    let mut index = options(Norm::L2, 1);
    index.method = Method::Index;
    let error = sites.nearest(&cuda, &[[1.0; 3]], &index).err().unwrap().to_string();
    assert!(error.contains("an index"), "{error}");
    let tree = Index::new(&Sites::new(&[[0.0_f32; 3]]).unwrap());
    let tree = DeviceIndex::new(&cuda, &tree).unwrap();
    let power = options(Norm::Lp(3.0), 1);
    let error = tree.nearest(&cuda, &[[1.0; 3]], &power).err().unwrap().to_string();
    assert!(error.contains("the norm L3 by an index on a GPU"), "{error}");
}
