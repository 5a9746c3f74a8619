//! Tests that surfaces reconstructed from points are bitwise identical to those computed on the
//! CPU.

use zeroset::cloud::{Noise, PointCloud, Sampler, Sampling};
use zeroset::gpu::Cuda;
use zeroset::mesh::{Kind, Mesh};
use zeroset::reconstruct::directed::{self, Cubes, Directed, Fit};
use zeroset::reconstruct::{Device, Method, Options, surface};
use zeroset::surface::Gaps;

use crate::support;

/// Samples a mesh, with normals, colors and outliers.
fn samples(mesh: &Mesh, n: u64, outliers: u64, seed: u64) -> PointCloud {
    let noise = Noise::Length(0.0);
    let options = Sampling { n, normals: true, noise, outliers, seed };
    let mut cloud = Sampler::new(mesh, options).unwrap().cloud();
    let color = |k: usize| [k as u8, (k >> 8) as u8, (k >> 16) as u8];
    cloud.colors = Some((0..cloud.len()).map(color).collect());
    cloud
}

/// Reconstructs a surface with both fits on the CPU and twice on the GPU, and asserts that the
/// results are equal. Returns the report for planes.
fn compare(cuda: &Cuda, cloud: &PointCloud, cubes: Cubes, what: &str) -> Directed {
    compare_fit(cuda, cloud, cubes, Fit::Spheres, &format!("{what}, spheres"));
    compare_fit(cuda, cloud, cubes, Fit::Planes, what)
}

fn compare_fit(cuda: &Cuda, cloud: &PointCloud, cubes: Cubes, fit: Fit, what: &str) -> Directed {
    let (expected, report) = directed::reconstruct(cloud, cubes, fit).unwrap();
    let bits = |mesh: &Mesh| -> Vec<u64> {
        mesh.vertices.as_flattened().iter().map(|x| x.to_bits()).collect()
    };
    for _ in 0..2 {
        let (found, on_gpu) = directed::cuda::reconstruct(cuda, cloud, cubes, fit).unwrap();
        let of = |r: &Directed| {
            let repaired = [r.closed_gaps, r.cut_handles];
            (r.cube, r.size, r.seed_cubes, r.turned, r.dropped_pieces, repaired)
        };
        assert_eq!(of(&on_gpu), of(&report), "{what}");
        assert_eq!(on_gpu.density, report.density, "{what}");
        assert!(bits(&found) == bits(&expected), "{what}: positions differ");
        assert!(found.cells == expected.cells, "{what}: triangles differ");
        assert!(found.vertex_data == expected.vertex_data, "{what}: arrays differ");
        assert!(on_gpu.device_bytes.unwrap() > 0);
    }
    report
}

/// Returns two nested spheres. The orientation of the inner one is reversed.
fn shells() -> Mesh {
    let mut mesh = support::sphere(3);
    let n = mesh.n_vertices() as u32;
    let inner: Vec<[f64; 3]> = mesh.vertices.iter().map(|x| x.map(|x| 0.6 * x)).collect();
    let cells: Vec<u32> =
        mesh.iter_cells().flat_map(|cell| [cell[0] + n, cell[2] + n, cell[1] + n]).collect();
    mesh.vertices.extend(inner);
    mesh.cells.extend(cells);
    Mesh::new(Kind::Surface, mesh.vertices, mesh.cells)
}

/// Returns the surface of a cube without one face. It has sharp edges and a boundary.
fn open_box() -> Mesh {
    let mut mesh = support::sphere(3);
    for x in &mut mesh.vertices {
        let most = x.iter().fold(0.0_f64, |m, c| m.max(c.abs()));
        *x = x.map(|c| c / most);
    }
    let is_kept = |cell: &&[u32]| cell.iter().all(|&v| mesh.vertices[v as usize][0] < 0.99);
    let cells: Vec<u32> = mesh.iter_cells().filter(is_kept).flatten().copied().collect();
    Mesh::new(Kind::Surface, mesh.vertices, cells)
}

/// Returns a thin plate without one narrow side. Its sharp edges are convex.
fn plate() -> Mesh {
    let mut mesh = open_box();
    mesh.vertices.iter_mut().for_each(|x| x[2] *= 0.05);
    mesh
}

/// Returns the box with its faces reversed: a room, whose sharp edges are concave.
fn room() -> Mesh {
    let mut mesh = open_box();
    mesh.cells.chunks_exact_mut(3).for_each(|cell| cell.swap(1, 2));
    mesh
}

#[test]
fn surfaces_are_those_of_the_cpu() {
    let Some(cuda) = support::cuda() else { return };
    let (mut turned, mut dropped) = (0, 0);
    for (name, mesh) in [("shells", shells()), ("box", open_box())] {
        for (n, outliers) in [(300, 0), (20_000, 0), (200_000, 40)] {
            let cloud = samples(&mesh, n, outliers, n);
            for cubes in [Cubes::Safe, Cubes::Depth(3), Cubes::Depth(7), Cubes::Edge(0.11)] {
                let report = compare(&cuda, &cloud, cubes, &format!("{name} {n} {cubes:?}"));
                turned += report.turned;
                dropped += report.dropped_pieces;
            }
        }
    }
    assert!(turned > 0 && dropped > 0, "turned {turned}, dropped {dropped}");
    for (name, mesh) in [("plate", plate()), ("room", room())] {
        for n in [3_000, 20_000] {
            compare(&cuda, &samples(&mesh, n, 0, n), Cubes::Safe, &format!("{name} {n}"));
        }
    }
}

/// A short test for compute-sanitizer, under which kernels take about a hundred times as long.
#[test]
fn a_short_run_of_directed_distances() {
    let Some(cuda) = support::cuda() else { return };
    let cloud = samples(&open_box(), 1500, 5, 3);
    for cubes in [Cubes::Safe, Cubes::Depth(4)] {
        compare(&cuda, &cloud, cubes, "short");
    }
}

#[test]
fn poor_clouds_have_the_result_or_the_reason_of_the_cpu() {
    let Some(cuda) = support::cuda() else { return };
    let with = |points: Vec<[f64; 3]>| {
        let normals = vec![[0.0, 0.0, 1.0]; points.len()];
        PointCloud { points, normals: Some(normals), ..PointCloud::default() }
    };
    let line: Vec<[f64; 3]> = (0..50).map(|k| [f64::from(k), 0.0, 0.0]).collect();
    let mut zero = with(line.clone());
    zero.normals = Some(vec![[0.0; 3]; 50]);
    let none = PointCloud::new(line.clone());
    for cloud in [with(vec![]), with(vec![[1.0; 3]]), with(vec![[1.0; 3]; 1_000_000]), none, zero] {
        let refused =
            directed::cuda::reconstruct(&cuda, &cloud, Cubes::Safe, Fit::Planes).unwrap_err();
        let expected = directed::reconstruct(&cloud, Cubes::Safe, Fit::Planes).unwrap_err();
        assert_eq!(refused.to_string(), expected.to_string());
    }
    // The points form a ribbon, a sheet, or two positions of which one occurs a million times. In
    // the last case, some normals have length zero.
    let sheet: Vec<[f64; 3]> =
        (0..400).map(|k| [f64::from(k % 20), f64::from(k / 20), 2.0]).collect();
    let mut many = vec![[0.0; 3]; 1_000_000];
    many.push([10.0, 0.0, 0.0]);
    for (points, edge) in [(line, 1.5), (sheet.clone(), 1.5), (sheet.clone(), 1.0), (many, 1.0)] {
        compare(&cuda, &with(points), Cubes::Edge(edge), &format!("{edge}"));
    }
    let mut some = with(sheet);
    some.normals.as_mut().unwrap().iter_mut().step_by(3).for_each(|n| *n = [0.0; 3]);
    compare(&cuda, &some, Cubes::Edge(1.5), "normals of zero");
    let far = 2_f64.powi(20);
    let apart = with(vec![[0.0; 3], [far, far, far], [far, 0.0, 0.0]]);
    compare(&cuda, &apart, Cubes::Depth(20), "far apart");
}

#[test]
fn whole_reconstructions_say_what_computed() {
    let Some(cuda) = support::cuda() else { return };
    let cloud = samples(&shells(), 30_000, 3, 1);
    let of = |device| surface(cloud.clone(), &Options::default(), device).unwrap();
    let (expected, report) = of(Device::Cpu);
    assert_eq!(report.device, None);
    for device in [Device::Gpu(&cuda), Device::Auto(&cuda)] {
        let (mesh, found) = of(device);
        let samples = [&report, &found].map(|r| (r.samples.duplicates, r.samples.outliers));
        assert_eq!(samples[0], samples[1]);
        let report = found;
        assert_eq!(report.device.as_ref(), Some(&cuda.info().name));
        assert!(mesh.vertices == expected.vertices && mesh.cells == expected.cells);
    }
    let mut levelset = Options::default();
    levelset.method = Method::Levelset;
    levelset.cubes = Cubes::Depth(5);
    assert!(surface(cloud.clone(), &levelset, Device::Auto(&cuda)).is_ok());
}

/// With both methods, a small cloud with noise and outliers gives one closed component whose error
/// is smaller than the noise.
#[test]
fn noise_and_outliers_give_one_closed_part() {
    let Some(cuda) = support::cuda() else { return };
    let sphere = support::sphere(4);
    let sampled = |noise, outliers| {
        let noise = Noise::Length(noise);
        let options = Sampling { n: 4_000, normals: true, noise, outliers, seed: 1 };
        Sampler::new(&sphere, options).unwrap().cloud()
    };
    let noise = 0.01;
    let (clean, noisy) = (sampled(0.0, 0), sampled(noise, 8));
    for method in [Method::Directed, Method::Levelset] {
        let mut options = Options::default();
        (options.method, options.cubes, options.largest) = (method, Cubes::Depth(5), true);
        let (mesh, report) = surface(noisy.clone(), &options, Device::Gpu(&cuda)).unwrap();
        let found = &report.surface;
        assert_eq!(report.device.as_ref(), Some(&cuda.info().name));
        // With directed distances, one or two noisy cubes can create a handle in the result.
        let most = if method == Method::Directed { 1 } else { 0 };
        assert!(found.closed && found.components == 1, "{method:?}: {found:?}");
        assert!(found.genus.is_some_and(|genus| genus <= most), "{method:?}: {found:?}");
        let error = Gaps::new(&mesh, &clean.points).unwrap().mean;
        assert!(error < noise, "{method:?}: {error}");
    }
}
