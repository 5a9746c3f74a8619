//! Tests that surfaces extracted from volumes are bitwise identical to those computed on the CPU.

use std::sync::Arc;

use zeroset::gpu::Cuda;
use zeroset::mesh::Mesh;
use zeroset::surface::{DeviceIsosurface, IsosurfaceOptions, isosurface, isosurface_on};
use zeroset::volume::{Placement, Samples, Scaling, Volume};

use crate::support;

/// Returns random numbers in [-1, 1].
fn noise(n: usize, seed: u64) -> Vec<f32> {
    let mut state = seed + 1;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
    };
    (0..n).map(|_| next()).collect()
}

fn volume(shape: [usize; 3], samples: Samples) -> Volume {
    Volume::new(shape, samples, Placement::identity()).unwrap()
}

fn noisy(shape: [usize; 3], seed: u64) -> Volume {
    volume(shape, noise(shape.iter().product(), seed).into())
}

fn bits(mesh: &Mesh) -> (Vec<[u64; 3]>, Vec<Vec<u64>>) {
    let arrays = mesh.vertex_data.iter().map(|a| a.values.to_f64());
    let arrays = arrays.map(|a| a.into_iter().map(f64::to_bits).collect());
    (mesh.vertices.iter().map(|x| x.map(f64::to_bits)).collect(), arrays.collect())
}

/// Compares the surfaces from both devices, with each combination of options. Returns the total
/// number of triangles.
fn compare(cuda: &Arc<Cuda>, volume: &Volume, level: f64) -> usize {
    let mut triangles = 0;
    for closed in [false, true] {
        for normals in [false, true] {
            let options = IsosurfaceOptions::default().closed(closed).normals(normals);
            if !closed && volume.shape().contains(&1) {
                let errors = [
                    isosurface(volume, level, &options).unwrap_err(),
                    isosurface_on(cuda, volume, level, &options).unwrap_err(),
                ];
                assert_eq!(errors[0].to_string(), errors[1].to_string());
                continue;
            }
            let expected = isosurface(volume, level, &options).unwrap();
            let found = isosurface_on(cuda, volume, level, &options).unwrap();
            let what = format!("{:?} at {level}, closed {closed}", volume.shape());
            assert!(found.cells == expected.cells, "{what}: triangles");
            assert!(bits(&found) == bits(&expected), "{what}, normals {normals}");
            triangles += found.n_cells();
        }
    }
    triangles
}

#[test]
fn surfaces_of_noise_are_those_of_the_cpu() {
    let Some(cuda) = support::cuda() else { return };
    let cuda = Arc::new(cuda);
    let shapes = [
        [1, 1, 1],
        [2, 2, 2],
        [31, 3, 4],
        [32, 5, 3],
        [33, 4, 4],
        [63, 2, 7],
        [64, 64, 2],
        [65, 3, 300],
        [127, 9, 5],
        [513, 17, 3],
        [1024, 6, 4],
        [1025, 5, 4],
        [3100, 3, 3],
        [100, 90, 80],
    ];
    for (seed, shape) in shapes.into_iter().enumerate() {
        for level in [0.0, 0.61, -0.97] {
            compare(&cuda, &noisy(shape, seed as u64), level);
        }
        assert_eq!(compare(&cuda, &noisy(shape, 3), 7.0), 0, "no value is above 7");
    }
}

#[test]
fn every_type_and_place_has_the_same_surface() {
    let Some(cuda) = support::cuda() else { return };
    let cuda = Arc::new(cuda);
    let shape = [70, 20, 18];
    let values: Vec<f64> =
        noise(70 * 20 * 18, 7).into_iter().map(|x| (100.0 * f64::from(x)).round()).collect();
    let skewed = [[0.5, 0.0, 0.0], [0.0, 0.25, 0.1], [0.0, 0.3, -2.0]];
    let up = Scaling { slope: 0.7, intercept: 3.0 };
    let down = Scaling { slope: -1.3, intercept: 0.25 };
    macro_rules! of {
        ($($type:ty, $add:expr;)*) => {$(
            let samples: Vec<$type> = values.iter().map(|&x| (x + $add) as $type).collect();
            let plain = volume(shape, samples.into());
            let level = 10.5 + $add;
            assert!(compare(&cuda, &plain, level) > 0);
            assert!(compare(&cuda, &plain, 10.0 + $add) > 0);
            let placed = plain.placed([100.0, -50.0, 7.0], skewed).unwrap();
            for scaling in [up, down] {
                let scaled = placed.clone().with_scaling(scaling).unwrap();
                assert!(compare(&cuda, &scaled, scaling.of(level)) > 0);
            }
        )*};
    }
    of! {
        u8, 100.0; i8, 0.0; u16, 30_000.0; i16, 0.0; u32, 3e9; i32, -2e9; u64, 1e15; i64, -1e15;
        f32, 0.0; f64, 0.0;
    }
}

#[test]
fn what_is_no_number_has_no_surface_beside_it() {
    let Some(cuda) = support::cuda() else { return };
    let cuda = Arc::new(cuda);
    for shape in [[67, 6, 5], [32, 4, 4], [1030, 3, 3]] {
        let mut values = noise(shape.iter().product(), 3);
        for k in [0, 5, 31, 32, 66, 67 * 4 + 64] {
            values[k] = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY][k % 3];
        }
        let wide: Vec<f64> = values.iter().map(|&x| x.into()).collect();
        assert!(compare(&cuda, &volume(shape, values.into()), 0.2) > 0);
        assert!(compare(&cuda, &volume(shape, wide.into()), 0.2) > 0);
    }
    let flat = volume([4; 3], vec![f32::NAN; 64].into());
    assert_eq!(compare(&cuda, &flat, 0.0), 0);
    let plain = IsosurfaceOptions::default();
    let refused = isosurface_on(&cuda, &flat, f64::NAN, &plain).unwrap_err().to_string();
    assert!(refused.contains("level NaN"), "{refused}");
}

#[test]
fn one_object_takes_surfaces_of_all_sizes_again_and_again() {
    let Some(cuda) = support::cuda() else { return };
    let cuda = Arc::new(cuda);
    let volume = noisy([90, 40, 30], 5);
    let Samples::F32(values) = volume.samples() else { unreachable!() };
    let (values, place) = (cuda.upload(values).unwrap(), volume.placement());
    let options = IsosurfaceOptions::default();
    let mut on_gpu =
        DeviceIsosurface::new(&cuda, volume.shape(), place, Scaling::NONE, &options).unwrap();
    for level in [0.9, 0.0, 2.0, -0.3, 0.0, 0.0] {
        let expected = isosurface(&volume, level, &options).unwrap();
        let found = on_gpu.extract(&values, level).unwrap().mesh(&cuda).unwrap();
        assert!((found.vertices, found.cells) == (expected.vertices, expected.cells), "{level}");
    }
}

/// A short test for compute-sanitizer, under which kernels take about a hundred times as long.
#[test]
fn a_short_run() {
    let Some(cuda) = support::cuda() else { return };
    let cuda = Arc::new(cuda);
    compare(&cuda, &noisy([33, 5, 4], 1), 0.1);
    compare(&cuda, &noisy([1025, 3, 3], 2), 0.1);
}
