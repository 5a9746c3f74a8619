//! Tests that results are bitwise identical in every run and for every number of threads. A single
//! step must also be bitwise identical for every partition.

use std::sync::Arc;

use zeroset::Cpu;
use zeroset::geometry::{Real, Vec3};
use zeroset::levelset::evolution::{Evolution, Options};
use zeroset::mesh::Mesh;
use zeroset::patches::{PATCH_SIZE, Partition, Patches};

use crate::domains::{mean_edge, mesh};
use crate::operators::{all_terms, scattered};
use crate::runs::{band, whole};

/// Returns the signed distance to a ball that is not centered at the origin.
fn ball(mesh: &Mesh) -> Vec<f64> {
    let center = Vec3::new(0.2, -0.1, 0.3);
    mesh.vertices.iter().map(|&x| (Vec3::from(x) - center).norm() - 0.8).collect()
}

/// Returns the bits of phi and the number of reinitializations after `steps` steps of all terms.
fn bits<R: Real>(
    mesh: &Mesh,
    patches: &Arc<Patches>,
    threads: usize,
    options: Options,
    steps: usize,
) -> (Vec<u64>, u64) {
    let cpu = Arc::new(Cpu::new(threads).unwrap());
    let terms = all_terms([0.6, 0.3, 0.2]);
    let mut run =
        Evolution::<R>::new(cpu, mesh, patches.clone(), &ball(mesh), &terms, options).unwrap();
    for _ in 0..steps {
        run.step(f64::INFINITY).unwrap();
    }
    let phi = run.phi().iter().map(|v| v.to_bits()).collect();
    (phi, run.totals().reinitializations)
}

/// Returns a mesh size, and a number of steps that is large enough for several reinitializations.
fn size_and_steps(name: &str) -> (u32, usize) {
    match name {
        "ico" => (4, 200),
        "tets" => (12, 100),
        _ => (32, 500),
    }
}

#[test]
fn bits_do_not_depend_on_threads() {
    for name in ["jit", "ico", "tets"] {
        let (size, steps) = size_and_steps(name);
        let mesh = mesh(name, size, 1);
        let options = || band(3.0 * mean_edge(&mesh));
        // The partition is also recomputed, with the same number of threads.
        let run = |threads: usize| {
            let patches = Cpu::new(threads)
                .unwrap()
                .run(|| Patches::new(&mesh, Partition::Bisection, PATCH_SIZE).unwrap());
            bits::<f64>(&mesh, &Arc::new(patches), threads, options(), steps)
        };
        let one = run(1);
        assert!(one.1 > 2, "{name}: only {} reinitializations", one.1);
        assert!(one.0.iter().any(|&b| f64::from_bits(b) < 0.0), "{name}: the interface is gone");
        for threads in [1, 2, 5] {
            assert!(run(threads) == one, "{name} with {threads} threads");
        }
    }
}

#[test]
fn bits_do_not_depend_on_threads_in_single_precision() {
    let (size, steps) = size_and_steps("jit");
    let mesh = mesh("jit", size, 1);
    let patches = Arc::new(Patches::new(&mesh, Partition::Bisection, PATCH_SIZE).unwrap());
    let run = |threads| bits::<f32>(&mesh, &patches, threads, band(3.0 * mean_edge(&mesh)), steps);
    let one = run(1);
    assert!(one.1 > 2, "only {} reinitializations", one.1);
    for threads in [2, 5] {
        assert!(run(threads) == one, "{threads} threads");
    }
}

#[test]
fn bits_of_a_step_do_not_depend_on_the_partition() {
    for name in ["jit", "obt", "ico", "tets"] {
        let (size, _) = size_and_steps(name);
        let mesh = mesh(name, size, 1);
        let n = mesh.n_vertices();
        let partitions = [
            Patches::new(&mesh, Partition::Bisection, 64),
            Patches::new(&mesh, Partition::Metis, 17),
            Patches::new(&mesh, Partition::Metis, 100),
            Patches::new(&mesh, Partition::Hilbert, 50),
            Patches::from_parts(&mesh, &scattered(n)),
            Patches::from_parts(&mesh, &vec![0; n]),
        ];
        let runs: Vec<_> = partitions
            .into_iter()
            .map(|patches| bits::<f64>(&mesh, &Arc::new(patches.unwrap()), 2, whole(), 1))
            .collect();
        for (k, run) in runs.iter().enumerate() {
            assert!(*run == runs[0], "{name}: partition {k}");
        }
    }
}
