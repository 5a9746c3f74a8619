//! Symmetries on random meshes: V2 for the evolution, and the same for distances.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use zeroset::mesh::Mesh;
use zeroset::mesh::generate::{Cube, Generate, Pattern, Sphere, Square};

use crate::domains::{Setting, made};
use crate::operators::{moved, noise, relative_difference, renumbered, symmetry_errors};
use crate::runs::distances;

/// Meshes of the three kinds from a seed.
fn random_mesh(kind: usize, seed: u64) -> Mesh {
    let spec = match kind {
        0 => {
            let mut square = Square::default();
            (square.cells, square.min, square.max) = ([12, 12], [-1.0; 2], [1.0; 2]);
            (square.pattern, square.vertices, square.seed) = (Pattern::Irregular, Some(220), seed);
            Generate::Square(square)
        }
        1 => {
            let mut sphere = Sphere::default();
            (sphere.irregular, sphere.vertices, sphere.seed) = (true, Some(250), seed);
            Generate::Sphere(sphere)
        }
        _ => {
            let mut cube = Cube::default();
            (cube.cells, cube.min, cube.max) = ([5; 3], [-1.0; 3], [1.0; 3]);
            (cube.jitter, cube.seed) = (0.15, seed);
            Generate::Cube(cube)
        }
    };
    made(spec)
}

proptest! {
    // The same meshes in every run: a test that fails now and then is none.
    #![proptest_config(ProptestConfig {
        cases: 40,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// One step of all terms does not care how vertices and cells are numbered, where the mesh
    /// lies, and (without curvature, which has a floor delta for flat phi) in which unit phi is.
    #[test]
    fn evolution_is_symmetric(kind in 0usize..3, seed in 0u64..1_000_000) {
        let setting = Setting::default();
        let domain = setting.place(random_mesh(kind, seed));
        let mut phi = domain.at_vertices(|x| x.x + 0.3 * x.y - 0.1);
        phi.iter_mut().enumerate().for_each(|(k, v)| *v += 0.05 * noise(k + seed as usize));
        let [renumbered, moved, _, scaled] =
            symmetry_errors(&domain, &setting, &phi, seed as usize);
        prop_assert!(renumbered < 1e-12 && moved < 1e-12 && scaled < 1e-12,
            "{renumbered:e} {moved:e} {scaled:e}");
    }

    /// Nor do distances; they scale with the mesh.
    #[test]
    fn distances_are_symmetric(kind in 0usize..3, seed in 0u64..1_000_000) {
        let setting = Setting::default();
        let domain = setting.place(random_mesh(kind, seed));
        let n = domain.plain.n_vertices() as u64;
        let sources = [((seed % n) as u32, 0.0), ((seed * 7 % n) as u32, 0.1)];
        let reference = distances(&domain, &sources).u;

        let (mesh, new_number) = renumbered(&domain.plain, seed as usize);
        let renamed = sources.map(|(v, value)| (new_number[v as usize], value));
        let found = distances(&setting.place(mesh), &renamed).u;
        let permuted: Vec<f64> = new_number.iter().map(|&v| found[v as usize]).collect();
        prop_assert!(relative_difference(&reference, &permuted) < 1e-13);

        let elsewhere = distances(&setting.place(moved(&domain.plain)), &sources).u;
        prop_assert!(relative_difference(&reference, &elsewhere) < 1e-12);

        let mut larger = domain.plain.clone();
        larger.vertices.iter_mut().flatten().for_each(|x| *x *= 2.5);
        let scaled = distances(&setting.place(larger), &sources.map(|(v, t)| (v, 2.5 * t))).u;
        let back: Vec<f64> = scaled.iter().map(|u| u / 2.5).collect();
        prop_assert!(relative_difference(&reference, &back) < 1e-13);
    }
}
