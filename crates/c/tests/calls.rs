//! The functions of the C interface, called as from C: results, errors and NULL.

use std::ffi::{CStr, CString};
use std::ptr::{null, null_mut};

use zeroset_c::*;

fn error() -> String {
    let text = zeroset_error();
    assert!(!text.is_null());
    // SAFETY: The library returns a string that ends with a zero byte.
    unsafe { CStr::from_ptr(text) }.to_str().unwrap().to_string()
}

/// Returns the mesh of the unit square, cut into 2 * n * n triangles.
fn square(n: u32) -> *mut ZerosetMesh {
    let at = |i: u32| f64::from(i) / f64::from(n);
    let vertices: Vec<f64> =
        (0..=n).flat_map(|j| (0..=n).flat_map(move |i| [at(i), at(j), 0.0])).collect();
    let cells: Vec<u32> = (0..n)
        .flat_map(|j| (0..n).map(move |i| i + j * (n + 1)))
        .flat_map(|a| [a, a + 1, a + n + 2, a, a + n + 2, a + n + 1])
        .collect();
    let mut mesh = null_mut();
    // SAFETY: The arrays have the stated lengths.
    let status = unsafe {
        let (points, triangles) = (vertices.len() / 3, cells.len() / 3);
        zeroset_mesh_new(vertices.as_ptr(), points, cells.as_ptr(), triangles, 3, &mut mesh)
    };
    assert_eq!(status, ZerosetStatus::Ok);
    mesh
}

#[test]
fn distances_are_those_of_the_library() {
    let mesh = square(4);
    // SAFETY: The mesh exists, and the arrays have the stated lengths.
    unsafe {
        let n = zeroset_mesh_n_vertices(mesh);
        assert_eq!((n, zeroset_mesh_n_cells(mesh)), (25, 32));
        let mut distances = vec![0.0; n];
        let status = zeroset_distance(mesh, [0].as_ptr(), 1, distances.as_mut_ptr());
        assert_eq!((status, zeroset_error()), (ZerosetStatus::Ok, null()));
        assert!((distances[24] - 2.0_f64.sqrt()).abs() < 1e-12, "{distances:?}");
        let status = zeroset_distance(mesh, [25].as_ptr(), 1, distances.as_mut_ptr());
        assert_eq!(status, ZerosetStatus::Usage);
        assert!(error().contains("25"), "{}", error());
        zeroset_mesh_free(mesh);
    }
}

#[test]
fn a_disk_grows() {
    let (mesh, n) = (square(20), 21 * 21);
    let radius = |k: usize| ((k % 21) as f64 / 20.0 - 0.5).hypot((k / 21) as f64 / 20.0 - 0.5);
    let mut phi: Vec<f64> = (0..n).map(|k| radius(k) - 0.2).collect();
    let speed = vec![1.0; n];
    let terms = ZerosetTerms { velocity: null(), normal_speed: speed.as_ptr(), curvature: null() };
    // SAFETY: The mesh exists, and the arrays have the stated lengths.
    unsafe {
        assert_eq!(zeroset_evolve(mesh, phi.as_mut_ptr(), &terms, 0.1), ZerosetStatus::Ok);
        assert_eq!(zeroset_evolve(mesh, phi.as_mut_ptr(), &terms, -1.0), ZerosetStatus::Usage);
        zeroset_mesh_free(mesh);
    }
    for (k, &phi) in phi.iter().enumerate().filter(|(_, phi)| phi.abs() < 0.1) {
        assert!((phi - (radius(k) - 0.3)).abs() < 0.025, "{k} {phi}");
    }
}

#[test]
fn volumes_have_distances_and_surfaces() {
    let grid = ZerosetGrid { shape: [3; 3], spacing: [1.0, 1.0, 2.5], origin: [1.0, 2.0, 3.0] };
    let mut inside = [0; 27];
    inside[13] = 1;
    let mut distances = [0.0; 27];
    let mut surface = null_mut();
    let values = inside.map(f32::from);
    // SAFETY: The arrays have one item for each voxel.
    unsafe {
        let to = distances.as_mut_ptr();
        assert_eq!(zeroset_edt(&grid, inside.as_ptr(), false, to), ZerosetStatus::Ok);
        assert_eq!((distances[12], distances[4]), (1.0, 2.5));
        let made = zeroset_isosurface(&grid, values.as_ptr(), 0.5, &mut surface);
        assert_eq!((made, zeroset_surface_n_triangles(surface)), (ZerosetStatus::Ok, 8));
        let n = zeroset_surface_n_vertices(surface);
        let points = std::slice::from_raw_parts(zeroset_surface_vertices(surface), 3 * n);
        let mean: f64 = points.iter().step_by(3).sum::<f64>() / n as f64;
        assert_eq!(mean, 2.0);
        assert!(!zeroset_surface_triangles(surface).is_null());
        zeroset_surface_free(surface);
        surface = null_mut();
        let made = zeroset_isosurface(&grid, values.as_ptr(), 7.0, &mut surface);
        assert_eq!((made, surface), (ZerosetStatus::Usage, null_mut()));
        let huge = ZerosetGrid { shape: [usize::MAX; 3], ..grid };
        assert_eq!(zeroset_edt(&huge, inside.as_ptr(), false, to), ZerosetStatus::Usage);
    }
}

#[test]
fn a_sphere_is_reconstructed() {
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    let points: Vec<f64> = (0..2000)
        .flat_map(|k| {
            let (z, a) = (1.0 - (2 * k + 1) as f64 / 2000.0, golden * k as f64);
            let r = (1.0 - z * z).sqrt();
            [r * a.cos(), r * a.sin(), z]
        })
        .collect();
    let mut surface = null_mut();
    // SAFETY: There are 2,000 points.
    unsafe {
        let made = zeroset_reconstruct(points.as_ptr(), null(), 2000, &mut surface);
        assert_eq!(made, ZerosetStatus::Ok);
        let (n, m) = (zeroset_surface_n_vertices(surface), zeroset_surface_n_triangles(surface));
        assert_eq!(2 * n - m, 4); // closed, genus 0
        zeroset_surface_free(surface);
    }
}

#[test]
fn null_is_an_error_and_never_a_crash() {
    let (mut mesh, mut surface) = (null_mut(), null_mut());
    let missing = CString::new("missing.vtu").unwrap();
    // SAFETY: NULL is allowed everywhere.
    unsafe {
        assert_eq!(zeroset_mesh_read(null(), &mut mesh), ZerosetStatus::Usage);
        assert_eq!(zeroset_mesh_read(missing.as_ptr(), &mut mesh), ZerosetStatus::Input);
        assert!(error().contains("missing.vtu"));
        assert_eq!(zeroset_mesh_new(null(), 3, null(), 1, 3, &mut mesh), ZerosetStatus::Usage);
        assert_eq!(zeroset_mesh_new(null(), 0, null(), 0, 5, &mut mesh), ZerosetStatus::Usage);
        assert_eq!(zeroset_distance(null(), null(), 0, null_mut()), ZerosetStatus::Usage);
        assert_eq!(zeroset_evolve(null(), null_mut(), null(), 1.0), ZerosetStatus::Usage);
        assert_eq!(zeroset_edt(null(), null(), false, null_mut()), ZerosetStatus::Usage);
        assert_eq!(zeroset_isosurface(null(), null(), 0.0, &mut surface), ZerosetStatus::Usage);
        assert_eq!(zeroset_reconstruct(null(), null(), 5, &mut surface), ZerosetStatus::Usage);
        assert_eq!(zeroset_mesh_n_vertices(null()), 0);
        assert!(zeroset_surface_vertices(null()).is_null());
        zeroset_mesh_free(null_mut());
        zeroset_surface_free(null_mut());
    }
    assert!(mesh.is_null() && surface.is_null());
}
