//! Compares the semi-implicit curvature step with the CPU, and checks that it does not depend on
//! the order of threads.

use zeroset::geometry::Real;
use zeroset::levelset::evolution::{CurvatureStep, Options};

use crate::evolution::{Bed, Case, Given, bytes, cube, square, word};
use crate::layouts::evolution::ImplicitArgument;
use crate::library::{Launch, Library, arg};

/// Number of words of an exact sum (common/exact_sum.cuh).
const SUM_WORDS: usize = 67;

struct Kernels {
    evolution: Library,
    implicit: Library,
}

impl Kernels {
    fn new<R, const N: usize>(case: &Case) -> Kernels {
        let cell = format!("CELL_SIZE={N}");
        let curvature = format!("CURVATURE={}", 1 + u8::from(case.weighted));
        let rows = format!("CURVATURE_ROWS={}", u8::from(case.curvature.has_rows()));
        let is_extrapolated = case.options.curvature_step == CurvatureStep::Extrapolated;
        let extrapolated = format!("EXTRAPOLATED={}", u8::from(is_extrapolated));
        let shared = [&cell, &curvature, &rows, &extrapolated].map(String::as_str);
        let defines = [&[word::<R>(), "BLOCK=64", "IMPLICIT=1"], &shared[..]].concat();
        let names = ["evolution_step", "evolution_outcome", "evolution_settle"];
        Kernels {
            evolution: Library::compile("kernels/evolution.cu", &defines, &names),
            implicit: Library::compile("kernels/implicit.cu", &defines, &["implicit_solve"]),
        }
    }

    /// Takes one step with the given number of blocks.
    fn step<R: Real + Default + 'static>(
        &self,
        case: &Case,
        seed: u64,
        blocks: u32,
        most_iterations: u32,
    ) -> Bed<R> {
        let mut bed = Bed::<R>::new(case, seed);
        let n = bed.on.patches.n_vertices();
        let unknown = |n: usize| vec![R::of(f64::NAN); n];
        let mut entries = unknown(bed.on.patches.n_patch_cells() * 7);
        let (mut mass, mut residual, mut product) = (unknown(n), unknown(n), unknown(n));
        let (mut direction, mut diagonal) = (unknown(2 * n), vec![R::zero(); n]);
        let (mut start, mut whole) = (unknown(n), unknown(n));
        let (mut sums, mut counts) = (vec![0u64; 3 * SUM_WORDS], vec![0u32; 2]);
        let (patches, mut state) = bed.arguments();
        state.diagonal = diagonal.as_mut_ptr() as u64;
        let implicit = ImplicitArgument {
            entries: entries.as_mut_ptr() as u64,
            mass: mass.as_mut_ptr() as u64,
            residual: residual.as_mut_ptr() as u64,
            product: product.as_mut_ptr() as u64,
            direction: direction.as_mut_ptr() as u64,
            start: start.as_mut_ptr() as u64,
            whole: whole.as_mut_ptr() as u64,
            sums: sums.as_mut_ptr() as u64,
            counts: counts.as_mut_ptr() as u64,
            tolerance: if size_of::<R>() == 8 { 1e-8 } else { 1e-5 },
            most_iterations,
            unused: 0,
        };
        bed.step(&self.evolution, seed, state);
        let shared_bytes = bytes(bed.largest().0, size_of::<R>());
        let how = Launch { shared_bytes, seed, resident: blocks, ..Launch::new(blocks, 64) };
        let args = [arg(patches), arg(state), arg(implicit)];
        // SAFETY: the arrays have the lengths that the kernel requires.
        unsafe { self.implicit.launch("implicit_solve", &how, &args) }.unwrap();
        assert!(sums.iter().all(|&word| word == 0) && counts == [0, 0], "the sums are not reset");
        bed.end(&self.evolution, seed, state, true);
        bed
    }
}

/// Compares a step of the kernels with the CPU, with patches and threads in several orders.
fn compare<R: Real + Default + 'static, const N: usize>(case: &Case, tolerance: f64) {
    let kernels = Kernels::new::<R, N>(case);
    let mut first: Option<Vec<f64>> = None;
    for (seed, blocks) in [(0, 1), (1, 4), (2, 7), (3, 40)] {
        let bed = kernels.step::<R>(case, seed, blocks, 2000);
        assert_eq!((bed.control.halt, bed.control.step), (0, 1));
        assert!(bed.iterations > 2);
        assert!(bed.control.iterations.abs_diff(bed.iterations) <= 1, "{blocks} blocks");
        let found = bed.found();
        let largest = bed.expected.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        for (a, b) in found.iter().zip(&bed.expected) {
            assert!((a - b).abs() <= tolerance * largest, "{a} {b}, {blocks} blocks");
        }
        match &first {
            None => first = Some(found),
            Some(first) => assert!(*first == found, "{blocks} blocks: the order matters"),
        }
    }
}

fn case(mesh: zeroset::mesh::Mesh, half_width: Option<f64>) -> Case {
    let options =
        Options::new(half_width).with_curvature_step(CurvatureStep::Implicit).with_cfl(30.0);
    Case {
        mesh,
        velocity: Given::Uniform([0.0; 3]),
        curvature: Given::Uniform([1.0]),
        weighted: false,
        options,
        patch_size: 32,
    }
}

fn varying(case: &Case) -> Given<1> {
    // The coefficient is zero at some vertices, which therefore keep their values.
    Given::Rows(case.mesh.vertices.iter().map(|x| [(0.5 + x[0]).max(0.0)]).collect())
}

#[test]
fn uniform_curvature_on_triangles() {
    let case = case(square(18, 0.2), None);
    compare::<f64, 3>(&case, 1e-12);
    compare::<f32, 3>(&case, 5e-6);
}

#[test]
fn curvature_that_varies_in_a_band_of_tetrahedra() {
    let mut case = case(cube(7, 0.1), Some(0.4));
    case.curvature = varying(&case);
    compare::<f64, 4>(&case, 1e-12);
    compare::<f32, 4>(&case, 5e-6);
}

#[test]
fn weighted_flow_in_a_band() {
    let mut case = case(square(22, 0.2), Some(0.25));
    case.weighted = true;
    case.curvature = varying(&case);
    compare::<f64, 3>(&case, 1e-12);
}

#[test]
fn extrapolated_steps() {
    let mut case = case(square(18, 0.2), Some(0.4));
    case.options = case.options.with_curvature_step(CurvatureStep::Extrapolated);
    compare::<f64, 3>(&case, 1e-12);
    compare::<f32, 3>(&case, 2e-5);
}

#[test]
fn too_few_iterations_are_reported_and_phi_stays() {
    let case = case(square(18, 0.2), None);
    let bed = Kernels::new::<f64, 3>(&case).step::<f64>(&case, 0, 3, 2);
    assert_eq!((bed.control.halt, bed.control.step, bed.control.iterations), (8, 0, 2));
    assert!(bed.control.reduction > 1e-8 && bed.control.reduction < 1.0);
    let before = &bed.phi[..bed.on.patches.n_vertices()];
    assert!(bed.found() == bed.on.patches.to_mesh_order(before, |x| x));
}
