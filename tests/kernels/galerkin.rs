//! Checks that the increments of second-order advection are bitwise identical to those computed on
//! the CPU.

use zeroset::geometry::{Real, Vec3, simplex::Simplex};
use zeroset::levelset::evolution::Options;
use zeroset::mesh::generate::{Generate, Sphere, generate};
use zeroset::mesh::{Kind, clean};
use zeroset::patches::Patches;

use crate::evolution::{Bed, Case, Given, bytes, cube, square, word};
use crate::layouts::evolution::EvolutionArgument;
use crate::library::{Launch, Library, arg};
use crate::random::Random;

/// Returns the lumped masses, and growth rates that are infinite at the vertices of cells below the
/// minimum quality, and elsewhere 0.
fn masses<R: Real, const N: usize>(bed: &Bed<R>, least: f64) -> (Vec<R>, Vec<R>) {
    let patches: &Patches = &bed.on.patches;
    let mut mass = vec![R::zero(); patches.n_vertices()];
    let mut growth = vec![R::zero(); patches.n_vertices()];
    for p in 0..patches.len() {
        let (patch, x) = (patches.patch(p), bed.on.coordinates.of(patches, p));
        for corners in patch.corners.chunks_exact(N) {
            let x: [Vec3<R>; N] = std::array::from_fn(|i| x[corners[i] as usize]);
            let simplex = Simplex::new(&x);
            for &c in corners.iter().filter(|&&c| (c as usize) < patch.n_owned) {
                let vertex = patch.first + c as usize;
                mass[vertex] += simplex.meas / R::of(N as f64);
                if zeroset::geometry::simplex::quality(&simplex, &x) < R::of(least) {
                    growth[vertex] = R::INFINITY;
                }
            }
        }
    }
    (mass, growth)
}

/// Returns the growth rates at the vertices of a surface without boundary (docs/level-set.md,
/// section 2.5).
fn growth_on_surface<R: Real>(bed: &Bed<R>, rows: &[[f64; 3]], mass: &[R]) -> Vec<R> {
    let patches: &Patches = &bed.on.patches;
    let rows = patches.to_patch_order(rows, |row| Vec3::from(row.map(R::of)));
    let mut growth = vec![R::zero(); patches.n_vertices()];
    for p in 0..patches.len() {
        let (patch, x) = (patches.patch(p), bed.on.coordinates.of(patches, p));
        for k in 0..patch.n_owned {
            let (mut flux, mut size) = (R::zero(), R::zero());
            for &slot in patch.row(k) {
                let (first, own) = (slot as usize / 3 * 3, slot as usize % 3);
                let corners = &patch.corners[first..first + 3];
                let cell = Simplex::new(&[0, 1, 2].map(|i| x[corners[i] as usize]));
                let given = [0, 1, 2].map(|i| rows[patch.vertex(corners[i] as usize)]);
                let sum = given.iter().fold(Vec3::zeros(), |sum: Vec3<R>, a| sum + a);
                let divergence = cell.grads.iter().zip(&given);
                let divergence = divergence.fold(R::zero(), |sum, (grad, a)| sum + grad.dot(a));
                let along = (sum / R::of(3.0)).dot(&cell.grads[own]);
                flux += cell.meas * (along + divergence * R::of(1.0 / 3.0));
                size += cell.meas * along.abs();
            }
            if -flux > R::of(0.3) * size {
                growth[patch.first + k] = -flux / (R::of(3.0) * mass[patch.first + k]);
            }
        }
    }
    growth
}

/// Compares a step of the kernels with the CPU. `wall` selects the vertices of the inflow boundary.
fn compare<R: Real + Default + 'static, const N: usize>(
    case: &Case,
    chunk: Option<u32>,
    wall: impl Fn([f64; 3]) -> bool,
    falls_back: std::ops::Range<usize>,
) {
    let is_surface = case.mesh.kind == Kind::Surface;
    let cell = format!("CELL_SIZE={N}");
    let rows = format!("VELOCITY_ROWS={}", u8::from(case.velocity.has_rows()));
    let mut defines = vec![word::<R>(), &cell, &rows, "BLOCK=64", "ADVECTION=3"];
    if case.mesh.kind == Kind::Planar {
        defines.push("PLANAR=1");
    }
    if case.options.half_width.is_none() {
        defines.extend(["WHOLE=1", "LEAN=1"]);
    }
    let evolution =
        Library::compile("kernels/evolution.cu", &defines, &["evolution_step", "evolution_settle"]);
    if chunk.is_some() {
        defines.push("CHUNKED=1");
    }
    let mut kernels = vec!["galerkin_measures", "galerkin_residual", "galerkin_correction"];
    if is_surface {
        kernels.push("galerkin_growth");
    }
    let galerkin = Library::compile("kernels/galerkin.cu", &defines, &kernels);
    for seed in 0..4 {
        let mut bed = Bed::<R>::new(case, seed);
        let n = bed.on.patches.n_vertices();
        let (mass, mut growth) = masses::<R, N>(&bed, case.options.least_quality);
        if let (true, Given::Rows(rows)) = (is_surface, &case.velocity) {
            growth = growth_on_surface(&bed, rows, &mass);
        }
        let too_fast = |growth: &&R| **growth * R::of(bed.control.longest) > R::of(0.005);
        let n_back = growth.iter().filter(too_fast).count();
        assert!(falls_back.contains(&n_back), "{n_back}");
        let flows_in = bed.on.patches.to_patch_order(&case.mesh.vertices, |x| u8::from(wall(x)));
        let mut residual = vec![R::of(f64::NAN); n];
        let mut measures = vec![R::of(f64::NAN); bed.on.patches.n_patch_cells()];
        // The increments of moving vertices are NaN until the kernels write them, so that reading
        // them too early is noticed.
        let mut increment = vec![R::zero(); 2 * n];
        for (v, moving) in bed.moving.iter().enumerate().filter(|(_, moving)| **moving == 1) {
            increment[v] = R::of(f64::from(*moving) * f64::NAN);
            increment[n + v] = R::of(f64::NAN);
        }
        let mut followed = vec![R::zero(); n];
        let (patches, mut state) = bed.arguments();
        state.growth = growth.as_ptr() as u64;
        state.mass = mass.as_ptr() as u64;
        state.measures = measures.as_mut_ptr() as u64;
        state.residual = residual.as_mut_ptr() as u64;
        state.increment = increment.as_mut_ptr() as u64;
        state.flows_in = flows_in.as_ptr() as u64;
        let whole = state;
        let (largest_local, largest_owned) = bed.largest();
        let mut shared_bytes = bytes(4 * largest_local, size_of::<R>())
            + bytes(largest_owned, 1)
            + bytes(bed.on.largest_columns() as u32, 2);
        if let Some(chunk) = chunk {
            assert!(chunk < bed.on.largest_cells() as u32);
            state.chunk = chunk;
            shared_bytes += bytes(largest_owned, 3 * size_of::<R>());
        }
        shared_bytes += 2 * bytes(N as u32 * state.chunk, size_of::<R>());
        let how = Launch { shared_bytes, seed, ..Launch::new(3, 64) };
        let three = || vec![arg(patches), arg(state), arg(0u32)];
        // SAFETY: the arrays have the lengths that the kernels require.
        unsafe {
            if is_surface {
                let state = EvolutionArgument { growth: followed.as_mut_ptr() as u64, ..state };
                let three = [arg(patches), arg(state), arg(0u32)];
                galerkin
                    .launch("galerkin_growth", &Launch { seed, ..Launch::new(3, 64) }, &three)
                    .unwrap();
            }
            galerkin.launch("galerkin_measures", &how, &three()[..2]).unwrap();
            galerkin.launch("galerkin_residual", &how, &three()).unwrap();
            galerkin.launch("galerkin_correction", &how, &three()[..2]).unwrap();
        }
        if is_surface {
            let active = bed.control.n_active as usize;
            let owned =
                bed.active[..active].iter().flat_map(|&p| bed.on.patches.patch(p as usize).owned());
            let differ = owned.filter(|&v| followed[v] != growth[v]).count();
            assert_eq!(differ, 0, "growth rates");
        }
        bed.step(&evolution, seed, whole);
        bed.end(&evolution, seed, whole, false);
        assert_eq!((bed.control.halt, bed.control.step), (0, 1));
        let found = bed.found();
        let differ = found.iter().zip(&bed.expected).filter(|(a, b)| a != b).count();
        let pairs = found.iter().zip(&bed.expected);
        let largest = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert_eq!(differ, 0, "of {n} values, seed {seed}: {largest:e}");
        let moved = found.iter().zip(&bed.phi).filter(|(a, b)| **a != b.to_f64()).count();
        assert!(moved > 0);
    }
}

fn spin(case: &Case) -> Given<3> {
    let of = |x: &[f64; 3]| [-x[1], x[0] + 0.2 * x[1] * x[1], 0.3 * x[0]];
    Given::Rows(case.mesh.vertices.iter().map(of).collect())
}

fn case(mesh: zeroset::mesh::Mesh, half_width: Option<f64>, least_quality: f64) -> Case {
    Case {
        mesh,
        velocity: Given::Uniform([1.0, 0.0, 0.0]),
        curvature: Given::Uniform([0.0]),
        weighted: false,
        options: Options::new(half_width).with_least_quality(least_quality),
        patch_size: 32,
    }
}

#[test]
fn a_uniform_wind_through_the_whole_domain() {
    let case = case(square(16, 0.2), None, 0.1);
    compare::<f64, 3>(&case, None, |x| x[0] == -1.0, 0..1);
    compare::<f32, 3>(&case, None, |x| x[0] == -1.0, 0..1);
}

#[test]
fn a_wind_that_varies_in_a_band_with_poor_cells() {
    let mut case = case(square(20, 0.25), Some(0.2), 0.6);
    case.velocity = spin(&case);
    compare::<f64, 3>(&case, None, |_| false, 5..400);
    compare::<f32, 3>(&case, None, |_| false, 5..400);
}

#[test]
fn tetrahedra_in_chunks() {
    // The cells are coarse, but the moving vertices do not reach the boundary.
    let mut case = case(cube(8, 0.15), Some(0.2), 0.45);
    case.velocity = spin(&case);
    compare::<f64, 4>(&case, Some(50), |_| false, 5..700);
    compare::<f32, 4>(&case, None, |_| false, 5..700);
}

#[test]
fn chunks_of_patches_with_more_vertices_than_threads() {
    let mut flat = case(square(24, 0.25), Some(0.2), 0.6);
    flat.patch_size = 200;
    flat.velocity = spin(&flat);
    compare::<f64, 3>(&flat, Some(90), |_| false, 5..600);
    let mut solid = case(cube(8, 0.15), Some(0.2), 0.45);
    solid.patch_size = 150;
    solid.velocity = spin(&solid);
    compare::<f64, 4>(&solid, Some(100), |_| false, 5..700);
    compare::<f32, 4>(&solid, Some(100), |_| false, 5..700);
}

/// On a crumpled sphere, the velocity diverges across edges, so that phi would grow.
#[test]
fn vertices_of_folds_fall_back() {
    let sphere = Sphere { radius: 0.6, center: [0.8, 0.0, 0.0], ..Sphere::default() };
    let mut mesh = generate(&Generate::Sphere(sphere)).unwrap();
    let mut random = Random::new(5);
    for x in &mut mesh.vertices {
        let by = 0.03 * f64::from(random.below(1000)) / 1000.0;
        *x = [x[0] + by * (x[0] - 0.8), x[1] + by * x[1], x[2] + by * x[2]];
    }
    let mut case = case(clean(mesh).unwrap().0, Some(0.2), 0.0);
    case.velocity = spin(&case);
    compare::<f64, 3>(&case, None, |_| false, 5..700);
    compare::<f32, 3>(&case, None, |_| false, 5..700);
}
