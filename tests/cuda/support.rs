//! Provides the GPU, meshes and comparisons for the tests in this folder.

use std::io::Write;
use std::sync::{Arc, Once};

use zeroset::gpu::Cuda;
use zeroset::mesh::generate::{Cube, Generate, Sphere, Square, generate};
use zeroset::mesh::{Mesh, clean};

/// Returns the first GPU, with a separate stream for each call because tests run side by side.
/// Returns `None` and prints a notice if there is no GPU.
pub fn cuda() -> Option<Arc<Cuda>> {
    static IS_TOLD: Once = Once::new();
    match Cuda::new(0) {
        Ok(cuda) => Some(Arc::new(cuda)),
        Err(error) => {
            let required = std::env::var("ZEROSET_REQUIRE_CUDA").is_ok_and(|v| v == "1");
            assert!(!required, "ZEROSET_REQUIRE_CUDA is 1, but {error}");
            // The output of `eprintln` is hidden if a test passes, so this writes to standard error
            // directly.
            IS_TOLD.call_once(|| {
                let _ = writeln!(std::io::stderr(), "NOT TESTED on a GPU: {error}");
            });
            None
        }
    }
}

pub fn square(n: u32, jitter: f64) -> Mesh {
    let mut square = Square::default();
    (square.cells, square.jitter) = ([n, n], jitter);
    (square.min, square.max) = ([-1.0; 2], [1.0; 2]);
    clean(generate(&Generate::Square(square)).unwrap()).unwrap().0
}

pub fn cube(n: u32, jitter: f64) -> Mesh {
    let mut cube = Cube::default();
    (cube.cells, cube.jitter) = ([n; 3], jitter);
    (cube.min, cube.max) = ([-1.0; 3], [1.0; 3]);
    clean(generate(&Generate::Cube(cube)).unwrap()).unwrap().0
}

pub fn sphere(subdivisions: u32) -> Mesh {
    let mut sphere = Sphere::default();
    sphere.subdivisions = Some(subdivisions);
    clean(generate(&Generate::Sphere(sphere)).unwrap()).unwrap().0
}

/// Returns a sphere whose vertices are moved in or out by up to 3 % of the radius, so that it has
/// folds.
pub fn crumpled_sphere(subdivisions: u32) -> Mesh {
    let mut mesh = sphere(subdivisions);
    for (k, x) in mesh.vertices.iter_mut().enumerate() {
        let by = 0.97 + 6e-5 * (k * 7919 % 1000) as f64;
        *x = x.map(|x| by * x);
    }
    mesh
}

/// Returns the largest difference between `a` and `b`, relative to the largest finite magnitude in
/// `a`. Equal infinities do not differ, and NaN differs infinitely.
pub fn difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let scale = a.iter().copied().filter(|v| v.is_finite()).fold(0.0, |m: f64, v| m.max(v.abs()));
    a.iter().zip(b).fold(0.0, |m, (a, b)| {
        if a == b {
            return m;
        }
        let apart = (a - b).abs() / scale;
        if apart.is_nan() { f64::INFINITY } else { m.max(apart) }
    })
}
