//! Tests that hits, light and pictures on the GPU are bitwise identical to those computed on the
//! CPU.

use zeroset::Cpu;
use zeroset::gpu::Cuda;
use zeroset::mesh::Mesh;
use zeroset::picture::cuda::{DeviceMesh, draw_on};
use zeroset::picture::{Image, Lines, Options, Shows, Subject, Traced, draw, trace};
use zeroset::render::cuda::DeviceMarch;
use zeroset::render::{Camera, Frame, Rule, Solid, SpaceSkipping, march};
use zeroset::volume::{Placement, Samples, Scaling, Volume};

use crate::support;

const RULES: [Rule; 6] = [
    Rule::Walk,
    Rule::Isotropic,
    Rule::Directional { cone: 0.0 },
    Rule::Directional { cone: 0.6 },
    Rule::PointWise { cone: None },
    Rule::PointWise { cone: Some(0.6) },
];

const SHAPE: [usize; 3] = [35, 28, 41];

/// Returns the value of voxel `n`: waves between -1 and 1, or NaN in a few voxels.
fn wave(n: usize) -> f64 {
    let [nx, ny, _] = SHAPE;
    let [x, y, z] = [n % nx, n / nx % ny, n / nx / ny].map(|i| i as f64 * 0.23);
    let value = x.sin() * y.cos() + y.sin() * z.cos() + z.sin() * x.cos();
    if n % 10_007 == 77 { f64::NAN } else { value / 1.5 }
}

/// Returns a volume with the values in `samples`. Its voxels are oblique and are not cubes.
fn volume(samples: Samples, scaling: Scaling) -> Volume {
    let volume = Volume::new(SHAPE, samples, Placement::identity()).unwrap();
    let steps = [[0.8, 0.1, 0.0], [-0.1, 0.9, 0.2], [0.0, -0.3, 1.1]];
    volume.placed([3.0, -2.0, 5.0], steps).unwrap().with_scaling(scaling).unwrap()
}

fn volumes() -> Vec<Volume> {
    let n = SHAPE.iter().product();
    let whole = |factor: f64, shift: f64| (0..n).map(move |n| (wave(n) * factor + shift).round());
    let back =
        |factor: f64, shift: f64| Scaling { slope: 1.0 / factor, intercept: -shift / factor };
    vec![
        volume(Samples::from((0..n).map(wave).collect::<Vec<f64>>()), Scaling::NONE),
        volume(Samples::from((0..n).map(|n| wave(n) as f32).collect::<Vec<f32>>()), Scaling::NONE),
        volume(
            Samples::from(whole(100.0, 128.0).map(|x| x as u8).collect::<Vec<u8>>()),
            back(100.0, 128.0),
        ),
        volume(
            Samples::from(whole(100.0, 0.0).map(|x| x as i8).collect::<Vec<i8>>()),
            back(100.0, 0.0),
        ),
        volume(
            Samples::from(whole(9e3, 2e4).map(|x| x as u16).collect::<Vec<u16>>()),
            back(9e3, 2e4),
        ),
        volume(
            Samples::from(whole(9e3, 0.0).map(|x| x as i16).collect::<Vec<i16>>()),
            back(9e3, 0.0),
        ),
        volume(
            Samples::from(whole(1e9, 2e9).map(|x| x as u32).collect::<Vec<u32>>()),
            back(1e9, 2e9),
        ),
        volume(
            Samples::from(whole(1e9, 0.0).map(|x| x as i32).collect::<Vec<i32>>()),
            back(1e9, 0.0),
        ),
        volume(
            Samples::from(whole(4e18, 9e18).map(|x| x as u64).collect::<Vec<u64>>()),
            back(4e18, 9e18),
        ),
        volume(
            Samples::from(whole(4e18, 0.0).map(|x| x as i64).collect::<Vec<i64>>()),
            back(4e18, 0.0),
        ),
    ]
}

fn solids(volume: &Volume) -> [Solid<'_>; 2] {
    let condition = "v > 0.35 || x < 4.5 && y > 3".parse().unwrap();
    let voxels = Solid::voxels(volume, volume.select(&condition).unwrap()).unwrap();
    [voxels, Solid::level(volume, 0.3).unwrap()]
}

fn same_hits(cuda: &Cuda, solid: &Solid<'_>, rule: Rule, frame: &Frame, size: [u32; 2], n: u32) {
    let guide = SpaceSkipping::new(rule, solid, &Cpu::current()).unwrap();
    let expected = march(solid, &guide, frame, size, n).unwrap();
    let on_gpu = DeviceMarch::new(cuda, rule, solid).unwrap();
    let rays = on_gpu.rays(size, n).unwrap();
    for _ in 0..2 {
        rays.march(frame).unwrap();
        let found = rays.hits().unwrap();
        let other = (0..found.len()).find(|&k| found[k] != expected[k]);
        assert_eq!(other, None, "{rule:?}: {:?}", other.map(|k| (found[k], expected[k])));
    }
}

#[test]
fn hits_are_those_of_the_cpu_by_every_rule() {
    let Some(cuda) = support::cuda() else { return };
    let volume = &volumes()[0];
    let size = [33, 21];
    for solid in solids(volume) {
        let middle = volume.placement().world([17.0, 14.0, 20.0]);
        for rule in RULES {
            // Views from outside and from inside.
            for eye in [[40.0, -35.0, 60.0], middle] {
                let camera = Camera::new([0.6, -1.0, 0.5]);
                let frame = Frame::from_eye(eye, &camera, 50.0, size);
                same_hits(&cuda, &solid, rule, &frame, size, 2);
            }
        }
    }
}

#[test]
fn pictures_are_those_of_the_cpu() {
    let Some(cuda) = support::cuda() else { return };
    for (k, volume) in volumes().iter().enumerate() {
        for solid in &solids(volume) {
            // The type of the samples affects only the shading.
            for shows in [Shows::Shaded, Shows::Depth, Shows::Iterations] {
                for perspective in [None, Some(35.0)] {
                    if k > 0 && (shows != Shows::Shaded || perspective.is_some()) {
                        continue;
                    }
                    let mut options = Options::default().with_size(90, 70);
                    options = options.with_perspective(perspective);
                    options.transparent = perspective.is_some();
                    let rule = Rule::Isotropic;
                    let guide = SpaceSkipping::new(rule, solid, &Cpu::current()).unwrap();
                    let colors = "v + z".parse().unwrap();
                    let mut by_cpu = Traced::new(solid, &guide).showing(shows);
                    let on_gpu = DeviceMarch::new(&cuda, rule, solid).unwrap();
                    let mut by_gpu = Traced::on_gpu(&on_gpu).showing(shows);
                    if shows == Shows::Shaded && perspective.is_none() {
                        by_cpu = by_cpu.colored_by(&colors);
                        by_gpu = by_gpu.colored_by(&colors);
                    }
                    let (expected, counts) = trace(&by_cpu, &options).unwrap();
                    let (found, of_gpu) = trace(&by_gpu, &options).unwrap();
                    assert_eq!(of_gpu, counts);
                    assert!(counts.hits > 1000, "{counts:?}");
                    let name = volume.samples().type_name();
                    assert!(found.pixels == expected.pixels, "{name} {shows:?} {perspective:?}");
                    assert!(found.alpha == expected.alpha, "{name} {shows:?} {perspective:?}");
                }
            }
        }
    }
}

#[test]
fn nothing_is_found_in_nothing() {
    let Some(cuda) = support::cuda() else { return };
    let values = vec![1.0_f32; 5 * 6 * 7];
    let volume = Volume::new([5, 6, 7], Samples::from(values), Placement::identity()).unwrap();
    let frame = Frame::from_eye([2.0, -9.0, 3.0], &Camera::new([0.0, -1.0, 0.0]), 40.0, [20; 2]);
    for solid in [Solid::level(&volume, 3.0), Solid::voxels(&volume, vec![false; 210])] {
        let solid = solid.unwrap();
        for rule in RULES {
            let on_gpu = DeviceMarch::new(&cuda, rule, &solid).unwrap();
            let rays = on_gpu.rays([20; 2], 1).unwrap();
            rays.march(&frame).unwrap();
            let hits = rays.hits().unwrap();
            assert!(hits.iter().all(|hit| !hit.is_some() && hit.steps == 0), "{rule:?}");
        }
    }
}

/// Counts the bytes in which two pictures differ.
fn differing(a: &Image, b: &Image) -> usize {
    assert_eq!((a.pixels.len(), a.alpha.len()), (b.pixels.len(), b.alpha.len()));
    let all = |image: &Image| image.pixels.iter().chain(&image.alpha).copied().collect::<Vec<_>>();
    all(a).into_iter().zip(all(b)).filter(|(a, b)| a != b).count()
}

fn meshes() -> Vec<(&'static str, Mesh)> {
    vec![
        ("square", support::square(40, 0.2)),
        ("large triangles", support::square(2, 0.0)),
        ("sphere", support::sphere(5)),
        ("cube", support::cube(9, 0.1)),
    ]
}

#[test]
fn meshes_are_drawn_as_by_the_cpu() {
    let Some(cuda) = support::cuda() else { return };
    for (name, mesh) in &meshes() {
        let values = mesh.vertices.iter().enumerate().map(|(n, [x, y, z])| {
            if n % 97 == 5 { f64::NAN } else { (x * x + 2.0 * y * z).sqrt() - 0.6 + 0.2 * x }
        });
        let values: Vec<f64> = values.collect();
        let height: Vec<f64> = mesh.vertices.iter().map(|x| x[2] + 0.1 * x[0]).collect();
        for lines in [Lines::Interface, Lines::Round, Lines::None] {
            for (zoom, perspective) in [(1.0, None), (1.0, Some(60.0)), (9.0, Some(25.0))] {
                let mut options = Options::default().with_size(301, 227);
                options = options.with_perspective(perspective);
                options.transparent = perspective.is_some();
                let subject = Subject::new(mesh, &values).with_lines(lines).with_title("title", "");
                let colored = subject.colored_by("height", &height);
                for subject in [subject, colored] {
                    let mut camera = Camera::new([0.4, -0.7, 0.6]);
                    camera.zoom = zoom;
                    if zoom > 1.0 {
                        options.camera = Some(camera);
                    }
                    let expected = draw(&subject, &options).unwrap();
                    let found = draw_on(&cuda, &subject, &options).unwrap();
                    let other = differing(&found, &expected);
                    assert_eq!(other, 0, "{name} {lines:?} {zoom} {perspective:?}");
                }
            }
        }
    }
}

#[test]
fn colors_of_vertices_are_drawn_by_the_cpu() {
    let Some(cuda) = support::cuda() else { return };
    let mesh = support::sphere(3);
    let values: Vec<f64> = mesh.vertices.iter().map(|x| x[2]).collect();
    let paint: Vec<[u8; 3]> = (0..mesh.n_vertices()).map(|n| [n as u8, 90, 200]).collect();
    let subject = Subject::new(&mesh, &values).with_lines(Lines::None).painted(&paint);
    let options = Options::default().with_size(160, 120);
    let expected = draw(&subject, &options).unwrap();
    assert_eq!(differing(&draw_on(&cuda, &subject, &options).unwrap(), &expected), 0);
    assert!(DeviceMesh::new(&cuda, &subject, &options).is_err());
}

#[test]
fn a_mesh_on_the_gpu_is_drawn_from_all_sides() {
    let Some(cuda) = support::cuda() else { return };
    let mesh = support::sphere(5);
    let values: Vec<f64> = mesh.vertices.iter().map(|x| x[0] - 0.3 * x[1] * x[2]).collect();
    let subject = Subject::new(&mesh, &values);
    let options = Options::default().with_size(200, 160);
    let mut on_gpu = DeviceMesh::new(&cuda, &subject, &options).unwrap();
    for from in [[1.0, 0.0, 0.2], [-0.3, 0.9, -0.5], [0.0, 0.0, 1.0], [1.0, 0.0, 0.2]] {
        let camera = Camera::new(from);
        on_gpu.paint(&camera).unwrap();
        let found = on_gpu.image().unwrap();
        let expected = draw(&subject, &options.clone().with_camera(camera)).unwrap();
        assert_eq!(differing(&found, &expected), 0, "{from:?}");
    }
}
