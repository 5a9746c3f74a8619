//! Tests of point samples of surfaces: they are distributed uniformly over the area, reproducible
//! by seed, and have the requested noise.

use zeroset_cloud::cloud::{Noise, Sampler, Sampling, survey};
use zeroset_core::mesh::generate::{Generate, Sphere, generate};
use zeroset_core::mesh::{Kind, Mesh};

/// Returns a mesh of three triangles with areas 1, 0 and 3.
fn two() -> Mesh {
    let vertices = vec![
        [0.0, 0.0, 5.0],
        [2.0, 0.0, 5.0],
        [0.0, 1.0, 5.0],
        [10.0, 0.0, 0.0],
        [10.0, 3.0, 0.0],
        [10.0, 0.0, 2.0],
    ];
    Mesh::new(Kind::Surface, vertices, vec![0, 1, 2, 3, 3, 4, 3, 4, 5])
}

fn sampling(n: u64) -> Sampling {
    Sampling { n, normals: true, ..Sampling::default() }
}

#[test]
fn samples_are_uniform_by_area_and_on_their_triangle() {
    let mesh = two();
    let n = 200_000;
    let sampler = Sampler::new(&mesh, sampling(n)).unwrap();
    assert_eq!(sampler.area(), 4.0);
    let cloud = sampler.cloud();
    assert_eq!(cloud.len() as u64, n);
    let mut first = 0;
    // The sums of x and y of points on the first triangle, and the number of points below half its
    // height.
    let (mut sums, mut below) = ([0.0; 2], 0);
    for (x, normal) in cloud.points.iter().zip(cloud.normals.as_ref().unwrap()) {
        if (x[2] - 5.0).abs() < 1e-12 {
            assert!(x[0] >= 0.0 && x[1] >= 0.0 && x[0] / 2.0 + x[1] <= 1.0 + 1e-12, "{x:?}");
            assert_eq!(*normal, [0.0, 0.0, 1.0]);
            first += 1;
            (0..2).for_each(|k| sums[k] += x[k]);
            below += usize::from(x[1] < 0.5);
        } else {
            assert!((x[0] - 10.0).abs() < 1e-12 && x[1] / 3.0 + x[2] / 2.0 <= 1.0 + 1e-12, "{x:?}");
            assert_eq!(*normal, [1.0, 0.0, 0.0]);
        }
    }
    // The tolerance is five standard deviations.
    let share = f64::from(first) / n as f64;
    assert!((share - 0.25).abs() < 5.0 * (0.25 * 0.75 / n as f64).sqrt(), "{share}");
    let mean = sums.map(|sum| sum / f64::from(first));
    assert!((mean[0] - 2.0 / 3.0).abs() < 0.011 && (mean[1] - 1.0 / 3.0).abs() < 0.006, "{mean:?}");
    let below = below as f64 / f64::from(first);
    assert!((below - 0.75).abs() < 0.01, "{below}");
}

#[test]
fn seed_and_nothing_else_makes_the_cloud() {
    let mesh = two();
    let on = |threads, sampling| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Sampler::new(&mesh, sampling).unwrap().cloud())
    };
    let noisy = Sampling { noise: Noise::Length(0.1), outliers: 5_000, ..sampling(300_000) };
    assert!(on(1, noisy) == on(5, noisy));
    assert!(on(1, noisy) != on(1, Sampling { seed: 2, ..noisy }));
    // A larger cloud begins with the same points.
    let (few, many) = (on(2, sampling(10_000)), on(2, sampling(20_000)));
    assert!(few.points == many.points[..10_000]);
}

#[test]
fn noise_and_outliers_are_as_wanted() {
    let mesh = generate(&Generate::Sphere(Sphere::default())).unwrap();
    let n = 100_000;
    let clean = Sampler::new(&mesh, sampling(n)).unwrap().cloud();
    let options = Sampling { noise: Noise::Relative(0.01), outliers: 1_000, ..sampling(n) };
    let sampler = Sampler::new(&mesh, options).unwrap();
    assert!((sampler.noise() - 0.01 * 12.0_f64.sqrt()).abs() < 2e-4, "{}", sampler.noise());
    let noisy = sampler.cloud();
    assert_eq!(noisy.len(), 101_000);
    let squares: f64 = noisy.points[..1_000]
        .iter()
        .map(|x| x.iter().map(|x| x * x).sum::<f64>().sqrt() - 1.0)
        .map(|off| off * off)
        .sum();
    let deviation = (squares / 1_000.0).sqrt();
    assert!((deviation / sampler.noise() - 1.0).abs() < 0.1, "{deviation}");
    // Without noise, all points are on the triangles, whose corners are on the sphere.
    assert!(clean.points.iter().all(|x| x.iter().map(|x| x * x).sum::<f64>() < 1.0 + 1e-12));
    let beyond = noisy.points[100_000..].iter().filter(|x| x.iter().any(|x| x.abs() > 1.05));
    assert!(beyond.count() > 200);
    // Without noise, the outliers that are not near the sphere are far from all other points.
    let apart = Sampling { outliers: 1_000, ..sampling(n) };
    let apart = Sampler::new(&mesh, apart).unwrap().cloud();
    let outliers = survey(&apart).unwrap().outliers;
    assert!(outliers.len() > 200 && outliers.iter().all(|i| *i >= 100_000), "{}", outliers.len());
}

#[test]
fn what_cannot_be_sampled_is_refused() {
    let none = Mesh::new(Kind::Surface, vec![[0.0; 3]], vec![]);
    let flat = Mesh::new(Kind::Surface, vec![[0.0; 3]; 3], vec![0, 1, 2]);
    let broken =
        Mesh::new(Kind::Surface, vec![[0.0; 3], [1e200; 3], [1e200, 0., 0.]], vec![0, 1, 2]);
    for (mesh, found) in [(none, "only points"), (flat, "is 0"), (broken, "cell 0")] {
        let error = Sampler::new(&mesh, sampling(10)).unwrap_err().to_string();
        assert!(error.contains(found), "{error}");
    }
    let error = Sampler::new(&two(), sampling(1 << 33)).unwrap_err().to_string();
    assert!(error.contains("8589934592 points"), "{error}");
    for text in ["-1", "x", "1 %%", "inf", ""] {
        assert!(text.parse::<Noise>().is_err(), "{text}");
    }
    assert_eq!("0.1%".parse::<Noise>().unwrap(), Noise::Relative(0.001));
    assert_eq!(Noise::Relative(0.25).to_string(), "25%");
}
