//! Tests of directed distances to tangent planes: whole surfaces of sampled shapes.

use super::*;
use crate::geometry::Vec3;
use crate::mesh::statistics::{Statistics, inspect};
use crate::surface::Locator;

/// Reconstructs a surface from tangent planes.
fn reconstruct(cloud: &PointCloud, cubes: Cubes) -> Result<(Mesh, Directed)> {
    super::reconstruct(cloud, cubes, Fit::Planes)
}

/// Creates uniform but irregular samples of a torus with radii 1 and 0.4, centered at the origin.
pub(super) fn torus(n: usize) -> PointCloud {
    let golden = [0.754_877_666_246_692_7, 0.569_840_290_998_053_2];
    let (mut points, mut normals) = (Vec::new(), Vec::new());
    for k in 0.. {
        let [a, b, c] = [golden[0], golden[1], 0.618_033_988_749_894_9]
            .map(|g| (g * k as f64 + 0.5).fract() * std::f64::consts::TAU);
        // The inner side of the torus gets fewer samples, in proportion to its area.
        if (1.0 + 0.4 * b.cos()) / 1.4 < c / std::f64::consts::TAU {
            continue;
        }
        let normal = [a.cos() * b.cos(), a.sin() * b.cos(), b.sin()];
        points.push([a.cos() + 0.4 * normal[0], a.sin() + 0.4 * normal[1], 0.4 * normal[2]]);
        normals.push(normal.map(|x| x as f32));
        if points.len() == n {
            break;
        }
    }
    PointCloud { points, normals: Some(normals), ..PointCloud::default() }
}

pub(super) fn assert_closed(found: &Statistics) {
    let faults = (found.boundary, found.nonmanifold, found.inconsistent, found.repeating);
    assert_eq!(faults, (0, 0, 0, 0), "{found:?}");
}

pub(super) fn distance_of_torus([x, y, z]: [f64; 3]) -> f64 {
    (x.hypot(y) - 1.0).hypot(z) - 0.4
}

/// Returns the mean distance from the samples to a surface.
fn error(cloud: &PointCloud, mesh: &Mesh) -> f64 {
    let locator = Locator::new(mesh);
    let gap = |x: &[f64; 3]| locator.closest(Vec3::from(*x)).unwrap().gap;
    cloud.points.iter().map(gap).sum::<f64>() / cloud.len() as f64
}

#[test]
fn a_torus_is_closed_and_its_error_falls_with_the_depth() {
    let cloud = torus(20_000);
    let mut errors = Vec::new();
    for depth in [4, 5, 6] {
        let (mesh, report) = reconstruct(&cloud, Cubes::Depth(depth)).unwrap();
        let found = inspect(&mesh);
        assert_closed(&found);
        assert_eq!((found.components, found.euler, report.dropped_pieces), (1, 0, 0));
        assert!(report.cube >= report.safe_cube && report.seed_cubes > 100, "{report:?}");
        errors.push(error(&cloud, &mesh));
        let normals = ["nx", "ny", "nz"].map(|n| mesh.vertex_array(n).unwrap().values.to_f64());
        for (v, &x) in mesh.vertices.iter().enumerate() {
            assert!(distance_of_torus(x).abs() < 0.1 * report.cube);
            let away = [0, 1, 2].map(|k| x[k] + 1e-3 * normals[k][v]);
            assert!(distance_of_torus(away) > distance_of_torus(x) + 9e-4);
        }
    }
    assert!(errors[0] > 3.0 * errors[1] && errors[1] > 3.0 * errors[2], "{errors:?}");
}

#[test]
fn the_safe_cube_has_no_holes_and_much_smaller_ones_have() {
    let cloud = torus(5_000);
    let (mesh, report) = reconstruct(&cloud, Cubes::Safe).unwrap();
    assert_eq!(report.cube, report.safe_cube);
    assert_closed(&inspect(&mesh));
    let (holes, _) = reconstruct(&cloud, Cubes::Edge(0.25 * report.safe_cube)).unwrap();
    assert!(inspect(&holes).boundary > 0);
}

/// Creates a rotated lattice of spacing 1 in a plane through the origin.
fn plane(turn: Vec3) -> PointCloud {
    let rotation = nalgebra::Rotation3::new(turn);
    let normal = rotation * Vec3::z();
    let at = |k: i32| (rotation * Vec3::new(f64::from(k % 30), f64::from(k / 30), 0.0)).into();
    let points: Vec<[f64; 3]> = (0..900).map(at).collect();
    let normals = vec![[normal.x as f32, normal.y as f32, normal.z as f32]; points.len()];
    PointCloud { points, normals: Some(normals), ..PointCloud::default() }
}

#[test]
fn lattices_of_known_spacing_have_holes_where_the_criterion_says() {
    let mut open = 0;
    for turn in [[0.1, 0.2, 0.3], [0.9, -0.4, 0.2], [0.0, 0.6, 1.1], [1.4, 0.3, -0.7]] {
        let cloud = plane(turn.into());
        let (_, report) = reconstruct(&cloud, Cubes::Safe).unwrap();
        assert!((report.safe_cube - 0.5_f64.sqrt()).abs() < 1e-6, "{report:?}");
        // A sheet without holes has one boundary loop, so its Euler number is 1.
        let euler = |edge: f64| {
            let (mesh, _) = reconstruct(&cloud, Cubes::Edge(edge)).unwrap();
            let found = inspect(&mesh);
            assert_eq!(found.nonmanifold, 0);
            (found.components, found.euler)
        };
        for safe in [1.0, 1.5, 4.0] {
            assert_eq!(euler(safe * report.safe_cube), (1, 1), "turned by {turn:?}");
        }
        open += usize::from(euler(1.0 / 2.9) != (1, 1));
    }
    assert!(open > 1, "the published bound, 3 omega > rho + delta, is met, and holes are there");
}

#[test]
fn far_coordinates_and_threads_change_nothing_that_counts() {
    let cloud = torus(3_000);
    let run = |cloud: &PointCloud, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| reconstruct(cloud, Cubes::Depth(5)).unwrap().0)
    };
    let near = run(&cloud, 1);
    let again = run(&cloud, 3);
    assert_eq!((&near.vertices, &near.cells), (&again.vertices, &again.cells));
    assert_eq!(near.vertex_data, again.vertex_data);
    let mut far = cloud.clone();
    far.points.iter_mut().flatten().for_each(|x| *x += 5e6);
    let far = run(&far, 2);
    assert_eq!(near.cells, far.cells);
    for (a, b) in near.vertices.iter().zip(&far.vertices) {
        assert!((0..3).all(|k| (a[k] + 5e6 - b[k]).abs() < 1e-6), "{a:?} {b:?}");
    }
}

#[test]
fn turned_clouds_have_turned_surfaces_within_tolerance() {
    let cloud = torus(10_000);
    let (mesh, report) = reconstruct(&cloud, Cubes::Edge(0.06)).unwrap();
    let rotation = nalgebra::Rotation3::new(Vec3::new(0.4, -0.7, 0.2));
    let turn = |x: [f64; 3]| -> [f64; 3] { (rotation * Vec3::from(x)).into() };
    let mut turned = cloud.clone();
    turned.points.iter_mut().for_each(|x| *x = turn(*x));
    let narrow = |n: [f32; 3]| turn(n.map(f64::from)).map(|x| x as f32);
    turned.normals.iter_mut().flatten().for_each(|n| *n = narrow(*n));
    let (other, _) = reconstruct(&turned, Cubes::Edge(0.06)).unwrap();
    assert_eq!(inspect(&other).euler, inspect(&mesh).euler);
    let locator = Locator::new(&other);
    let gap = |x: &[f64; 3]| locator.closest(Vec3::from(turn(*x))).unwrap().gap;
    let most = mesh.vertices.iter().map(gap).fold(0.0, f64::max);
    assert!(most < 0.1 * report.cube, "{most}");
}

#[test]
fn colors_and_two_components_are_carried() {
    let mut cloud = torus(4_000);
    let second: Vec<[f64; 3]> = cloud.points.iter().map(|x| [x[0], x[1], x[2] + 3.0]).collect();
    let normals = cloud.normals.clone().unwrap();
    cloud.points.extend(second);
    cloud.normals.as_mut().unwrap().extend(normals);
    cloud.colors =
        Some((0..8_000).map(|k| [k as u8 / 2, 7, if k < 4_000 { 0 } else { 255 }]).collect());
    let (mesh, _) = reconstruct(&cloud, Cubes::Depth(5)).unwrap();
    let found = inspect(&mesh);
    assert_closed(&found);
    assert_eq!((found.components, found.euler), (2, 0));
    let blue = mesh.vertex_array("blue").unwrap().values.to_f64();
    for (x, blue) in mesh.vertices.iter().zip(blue) {
        assert_eq!(blue, if x[2] < 1.5 { 0.0 } else { 255.0 });
    }
    assert!(mesh.vertex_array("green").unwrap().values.to_f64().iter().all(|&g| g == 7.0));
}

#[test]
fn poor_clouds_have_a_result_or_a_reason() {
    let refused = |cloud: &PointCloud| reconstruct(cloud, Cubes::Safe).unwrap_err().to_string();
    let with = |points: Vec<[f64; 3]>| {
        let normals = vec![[0.0, 0.0, 1.0]; points.len()];
        PointCloud { points, normals: Some(normals), ..PointCloud::default() }
    };
    assert!(refused(&with(vec![])).contains("no point"));
    assert!(refused(&with(vec![[1.0; 3]])).contains("one point"));
    assert!(refused(&with(vec![[1.0; 3]; 1_000_000])).contains("coincide"));
    let line: Vec<[f64; 3]> = (0..50).map(|k| [f64::from(k), 0.0, 0.0]).collect();
    assert!(refused(&PointCloud::new(line.clone())).contains("no normals"));
    let mut zero = with(line.clone());
    zero.normals = Some(vec![[0.0; 3]; 50]);
    assert!(refused(&zero).contains("all zero"));
    // A ribbon along the line, and a sheet.
    for points in [line, (0..400).map(|k| [f64::from(k % 20), f64::from(k / 20), 2.0]).collect()] {
        let (mesh, _) = reconstruct(&with(points), Cubes::Edge(1.5)).unwrap();
        let found = inspect(&mesh);
        assert_eq!((found.components, found.euler, found.nonmanifold), (1, 1, 0));
    }
    // There are two positions, one of which has a million samples.
    let mut many = vec![[0.0; 3]; 1_000_000];
    many.push([10.0, 0.0, 0.0]);
    let (mesh, _) = reconstruct(&with(many), Cubes::Edge(1.0)).unwrap();
    assert_eq!(inspect(&mesh).components, 2);
}
