//! Tests symmetries on random meshes (as in V2, for evolutions and for distances), and the time
//! step.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use zeroset::geometry::{Vec3, simplex::Simplex};
use zeroset::levelset::evolution::{Coefficient, Terms};
use zeroset::mesh::Mesh;
use zeroset::mesh::generate::{Cube, Generate, Pattern, Sphere, Square};

use crate::domains::{Setting, made, mesh};
use crate::operators::{moved, noise, relative_difference, renumbered, symmetry_errors};
use crate::runs::{distances, evolve, whole};

/// Creates a random mesh of one of the three kinds.
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
    // The fixed seed gives the same meshes in every run, so the test cannot fail at random.
    #![proptest_config(ProptestConfig {
        cases: 40,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// One step of all terms does not depend on the numbering of vertices and cells or on the
    /// position of the mesh. Without curvature, it does not depend on the unit of phi either. (The
    /// curvature term has a floor delta where phi is flat.)
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

    /// Distances do not depend on the numbering or the position of the mesh, and they scale with
    /// it.
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

/// The time step obeys equation (4) (docs/narrow-band.md, section 4): the smallest over all cells
/// of `2 r / (d (|a| + |eps|))` and `2 r^2 / (d beta)`.
#[test]
fn the_time_step_is_that_of_the_companion() {
    for name in ["jit", "tets"] {
        let mesh = mesh(name, 10, 1);
        let d = mesh.kind.dimension() as f64;
        let inradius = |cell: &[u32]| {
            let x: Vec<Vec3> = cell.iter().map(|&v| mesh.vertices[v as usize].into()).collect();
            match x[..] {
                [a, b, c] => Simplex::new(&[a, b, c]).inradius(),
                _ => Simplex::new(&[x[0], x[1], x[2], x[3]]).inradius(),
            }
        };
        let r = mesh.iter_cells().map(inradius).fold(f64::INFINITY, f64::min);
        let domain = Setting::default().place(mesh.clone());
        let phi = domain.at_vertices(|x| x.norm() - 0.5);
        let (a, eps) = (3.0, 0.4);
        for (beta, exact) in [(1e-6, 2.0 * r / (d * (a + eps))), (100.0, 2.0 * r * r / (d * 100.0))]
        {
            let terms = Terms::default()
                .with_velocity(Coefficient::Uniform([0.0, -a, 0.0]))
                .with_normal_speed(Coefficient::Uniform([-eps]))
                .with_curvature(Coefficient::Uniform([beta]));
            for cfl in [1.0, 0.3] {
                let run = evolve(&domain, &phi, &terms, whole().with_cfl(cfl), 2.9 * cfl * exact);
                assert_eq!(run.steps, 3, "{name}, beta {beta}");
                let run = evolve(&domain, &phi, &terms, whole().with_cfl(cfl), 3.1 * cfl * exact);
                assert_eq!(run.steps, 4, "{name}, beta {beta}");
            }
        }
    }
}
