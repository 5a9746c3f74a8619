//! Tests of estimated normals against known ones.

use zeroset_cloud::cloud::{CleanOptions, PointCloud, Sampler, Sampling, clean, estimate_normals};
use zeroset_core::mesh::Mesh;
use zeroset_core::mesh::generate::{Generate, Sphere, generate};
use zeroset_io as io;
use zeroset_testing::data;
use zeroset_testing::samples::plate;

/// Returns the fraction of normals whose direction, up to sign, is within 30 degrees of the known
/// one, the fraction with the right orientation, and the number of components.
fn agreement(cloud: PointCloud) -> (f64, f64, usize) {
    let options = CleanOptions { outliers: None, ..CleanOptions::default() };
    let (cloud, _) = clean(cloud, options).unwrap();
    let known = cloud.normals.clone().unwrap();
    let (found, estimate) = estimate_normals(&cloud).unwrap();
    let dot = |(a, b): (&[f32; 3], &[f32; 3])| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let cosines: Vec<f32> = found.iter().zip(&known).map(dot).collect();
    let share = |holds: &dyn Fn(f32) -> bool| {
        cosines.iter().filter(|c| holds(**c)).count() as f64 / cosines.len() as f64
    };
    (share(&|c| c.abs() > 0.866), share(&|c| c > 0.0), estimate.parts)
}

fn samples(mesh: &Mesh, n: u64) -> PointCloud {
    let options = Sampling { n, normals: true, ..Sampling::default() };
    Sampler::new(mesh, options).unwrap().cloud()
}

/// Returns points on a torus with radii 1 and `r`, and their normals.
fn torus(n: u32, r: f64) -> PointCloud {
    let golden = 0.618_033_988_749_895;
    let (mut points, mut normals) = (Vec::new(), Vec::new());
    for k in 0..n {
        let (u, v) = ((f64::from(k) + 0.5) / f64::from(n), f64::from(k) * golden % 1.0);
        let (u, v) = (u * std::f64::consts::TAU, v * std::f64::consts::TAU);
        points.push([(1.0 + r * v.cos()) * u.cos(), (1.0 + r * v.cos()) * u.sin(), r * v.sin()]);
        normals.push([v.cos() * u.cos(), v.cos() * u.sin(), v.sin()].map(|x| x as f32));
    }
    PointCloud { points, normals: Some(normals), ..PointCloud::default() }
}

#[test]
fn closed_surfaces_look_outwards() {
    let sphere = generate(&Generate::Sphere(Sphere::default())).unwrap();
    let (straight, sided, _) = agreement(samples(&sphere, 20_000));
    assert!(straight > 0.999 && sided == 1.0, "{straight} {sided}");
    let (straight, sided, _) = agreement(torus(20_000, 0.3));
    assert!(straight > 0.999 && sided == 1.0, "{straight} {sided}");
    // A small torus far from the origin.
    let mut moved = torus(5_000, 0.3);
    moved.points.iter_mut().for_each(|x| *x = x.map(|x| 5e6 + 1e-3 * x));
    let (straight, sided, _) = agreement(moved);
    assert!(straight > 0.99 && sided == 1.0, "{straight} {sided}");
}

/// Returns a wavy sheet at a height, with upward normals.
fn sheet(n: u32, height: f64) -> PointCloud {
    let at = |k: u32| [k % n, k / n].map(|i| f64::from(i) / f64::from(n));
    let wave = |x: f64| 0.05 * (6.0 * x).sin();
    let points = (0..n * n).map(at).map(|[x, y]| [x, y, height + wave(x)]).collect();
    PointCloud {
        points,
        normals: Some(vec![[0.0, 0.0, 1.0]; (n * n) as usize]),
        ..PointCloud::default()
    }
}

#[test]
fn open_and_parallel_sheets_are_each_on_one_side() {
    let (_, sided, parts) = agreement(sheet(60, 0.0));
    assert_eq!((sided, parts), (1.0, 1));
    // Two sheets, five spacings apart, so that no point has neighbors on the other sheet.
    let (mut two, other) = (sheet(60, 0.0), sheet(60, 5.0 / 60.0));
    two.points.extend(other.points);
    two.normals.as_mut().unwrap().extend(other.normals.unwrap());
    let (_, sided, parts) = agreement(two);
    assert_eq!((sided, parts), (1.0, 2));
}

#[test]
fn degenerate_clouds_have_some_normals() {
    for points in [
        vec![],
        vec![[1.0; 3]],
        vec![[0.0; 3], [1.0, 0.0, 0.0]],
        (0..100).map(|k| [f64::from(k), 0.0, 0.0]).collect(),
        vec![[1e-200; 3], [2e-200; 3], [1e-200, 0.0, 0.0], [1e150; 3]],
    ] {
        let cloud = PointCloud::new(points);
        let (normals, _) = estimate_normals(&cloud).unwrap();
        assert_eq!(normals.len(), cloud.len());
        for normal in normals {
            let length: f32 = normal.iter().map(|x| x * x).sum();
            assert!((length - 1.0).abs() < 1e-5, "{normal:?}");
        }
    }
    // Points on a line get normals perpendicular to it.
    let line = (0..100).map(|k| [f64::from(k), 0.0, 0.0]).collect();
    let (normals, _) = estimate_normals(&PointCloud::new(line)).unwrap();
    assert!(normals.iter().all(|normal| normal[0].abs() < 1e-6));
}

#[test]
fn threads_change_nothing() {
    let cloud = torus(30_000, 0.4);
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| estimate_normals(&cloud).unwrap())
    };
    assert!(on(1) == on(3));
}

/// The known normals are stored in the scans or computed from their faces.
#[test]
fn normals_of_scans_agree_with_those_stored() {
    for (name, straight_at_least, sided_at_least) in [
        ("scans/kitten.xyz", 0.99, 0.999),
        ("scans/hippo1.ply", 0.97, 0.99),
        ("scans/bunny_10k_normals.ply", 0.97, 0.95),
        ("scans/horse.ply", 0.99, 0.99),
        ("scans/armadillo_26k.off", 0.9, 0.9),
        ("scans/bun_zipper.ply", 0.9, 0.9),
    ] {
        let Some(path) = data(name) else { return };
        let (cloud, _) = io::read_cloud(&path).unwrap();
        let (straight, sided, parts) = agreement(cloud);
        println!("{name}: within 30 degrees {straight:.4}, on the side {sided:.4}, {parts} parts");
        assert!(
            straight >= straight_at_least && sided >= sided_at_least,
            "{name}: {straight} {sided}"
        );
    }
}

#[test]
fn the_sides_of_a_thin_plate_look_away_from_each_other() {
    for spacings in [1.0, 1.3, 1.7, 2.5] {
        for is_even in [true, false] {
            let (straight, sided, parts) = agreement(plate(0.02 * spacings, 0.02, is_even));
            let found = format!("{spacings} {is_even}: {straight} {sided} {parts}");
            assert!(straight > 0.87 && sided > 0.94, "{found}");
            // Random points have no rows, so the points at the rim are the only difficult ones.
            assert!(is_even || straight > 0.9, "{found}");
        }
    }
}
