//! Runs the solvers on a domain and measures the errors of the results.

use std::sync::Arc;

use zeroset::Cpu;
use zeroset::geometry::{Real, Vec3};
use zeroset::levelset::eikonal::source::{self, Source};
use zeroset::levelset::eikonal::{self, EikonalSolver, EikonalState, Front, Slowness, Width};
use zeroset::levelset::evolution::{Advection, Coefficient, CurvatureStep, Options, Rule, Terms};
use zeroset::mesh::Mesh;
use zeroset::patches::Coordinates;
use zeroset::surface::{Measurer, Measures, extract};

use crate::backend::{Solver, with_motion};
use crate::domains::Domain;

/// The largest number of steps of a run.
const MAX_STEPS: u64 = 200_000;

/// Returns the terms of advection with a uniform velocity.
pub fn wind(domain: &Domain, a: [f64; 3]) -> Terms {
    Terms::default().with_velocity(Coefficient::Uniform(domain.vector(a.into())))
}

/// Returns the terms for advection with one velocity per vertex.
pub fn flow(domain: &Domain, a: impl Fn(Vec3) -> Vec3) -> Terms {
    let rows = domain.plain.vertices.iter().map(|&x| domain.vector(a(x.into())));
    Terms::default().with_velocity(Coefficient::PerVertex(rows.collect()))
}

/// Returns the terms of motion along the normal.
pub fn front(eps: f64) -> Terms {
    Terms::default().with_normal_speed(Coefficient::Uniform([eps]))
}

/// Returns the terms of curvature flow with coefficient 1.
pub fn curvature() -> Terms {
    Terms::default().with_curvature(Coefficient::Uniform([1.0]))
}

/// Returns options for the whole domain without reinitialization, with the published schemes.
pub fn whole() -> Options {
    published(Options::new(None))
}

/// Returns options for a narrow band with the displacement rule and the published schemes.
pub fn band(half_width: f64) -> Options {
    published(Options::new(Some(half_width)))
}

fn published(options: Options) -> Options {
    options
        .with_advection(Advection::PositiveCoefficient)
        .with_curvature_step(CurvatureStep::Explicit)
}

/// Returns options for the whole domain without reinitialization, with Taylor-Galerkin advection
/// and C = 1.5.
pub fn galerkin() -> Options {
    whole().with_advection(Advection::TaylorGalerkin).with_cfl(1.5)
}

/// The result of a run.
pub struct Run {
    /// phi in mesh order.
    pub phi: Vec<f64>,
    /// The time reached. It is the requested end unless the interface vanished before.
    pub time: f64,
    /// The number of steps taken.
    pub steps: u64,
    /// The number of reinitializations, including the one at the start.
    pub reinitializations: u64,
}

/// Runs until `end`, or until the interface vanishes.
pub fn evolve(domain: &Domain, phi: &[f64], terms: &Terms, options: Options, end: f64) -> Run {
    if domain.single {
        evolve_in::<f32>(domain, phi, terms, options, end)
    } else {
        evolve_in::<f64>(domain, phi, terms, options, end)
    }
}

fn evolve_in<R: Real>(
    domain: &Domain,
    phi: &[f64],
    terms: &Terms,
    options: Options,
    end: f64,
) -> Run {
    with_motion::<R, _>(domain, phi, terms, options, |run| {
        run.run_to(end, MAX_STEPS);
        assert!(run.n_steps() < MAX_STEPS, "no end after {MAX_STEPS} steps");
        let (phi, reinitializations) = (run.phi(), run.reinitializations());
        Run { phi, time: run.time(), steps: run.n_steps(), reinitializations }
    })
}

/// Returns the rate of change of phi, computed from one step of length `dt`. A large step loses no
/// digits because the scheme is explicit.
pub fn rate(domain: &Domain, phi: &[f64], terms: &Terms, dt: f64) -> Vec<f64> {
    let options = whole().with_rule(Rule::Never).with_cfl(1e6);
    let run = evolve(domain, phi, terms, options, dt);
    assert_eq!(run.steps, 1);
    run.phi.iter().zip(phi).map(|(new, old)| (new - old) / dt).collect()
}

/// The result of a distance solve.
pub struct Distances {
    /// The distances in mesh order.
    pub u: Vec<f64>,
    /// The number of patch updates of nbFIM, divided by the number of visited patches.
    pub updates: f64,
}

fn distances_of(u: Vec<f64>, stats: eikonal::Stats) -> Distances {
    let updates = stats.patch_updates as f64 / stats.visited_patches as f64;
    Distances { u, updates }
}

/// Computes distances from vertices with given values.
pub fn distances(domain: &Domain, fixed: &[(u32, f64)]) -> Distances {
    distances_repeating(domain, fixed, None)
}

/// Computes distances from vertices with given values. `repetitions` is the number of repeated
/// updates per visit to a patch. If it is `None`, the solver chooses the number.
pub fn distances_repeating(
    domain: &Domain,
    fixed: &[(u32, f64)],
    repetitions: Option<usize>,
) -> Distances {
    if domain.single {
        distances_in::<f32>(domain, fixed, repetitions)
    } else {
        distances_in::<f64>(domain, fixed, repetitions)
    }
}

fn distances_in<R: Real>(
    domain: &Domain,
    fixed: &[(u32, f64)],
    repetitions: Option<usize>,
) -> Distances {
    let mut state = eikonal_state::<R>(domain);
    if let Some(n) = repetitions {
        state = state.with_inner_repetitions(n);
    }
    state.fix(fixed);
    let stats = Solver::of(domain.backend).solve(&mut state, None).unwrap();
    distances_of(state.u_in_mesh_order(), stats)
}

/// Computes distances from vertices by circular fronts. The sources are either solved together, or
/// solved one by one, with the smallest distance as the result.
pub fn circular_distances(domain: &Domain, sources: &[u32], one_by_one: bool) -> Distances {
    if domain.single {
        circular_distances_in::<f32>(domain, sources, one_by_one)
    } else {
        circular_distances_in::<f64>(domain, sources, one_by_one)
    }
}

/// Computes distances from a vertex by plane fronts. The distances in the cells around the vertex
/// are exact.
pub fn straight_distances(domain: &Domain, from: u32) -> Distances {
    let plain = Slowness::Uniform(1.0);
    let mut state = eikonal_state::<f64>(domain);
    state.seed(&source::around_simplices(&domain.solved, &[from], 1, 0.0, &plain));
    let stats = Solver::of(domain.backend).solve(&mut state, None).unwrap();
    distances_of(state.u_in_mesh_order(), stats)
}

fn circular_distances_in<R: Real>(domain: &Domain, from: &[u32], one_by_one: bool) -> Distances {
    let solver = Solver::of(domain.backend);
    let mut state = eikonal_state::<R>(domain).with_front(Front::Circular).unwrap();
    let around = |ids: &[u32]| {
        let plain = Slowness::Uniform(1.0);
        source::around_simplices(&domain.solved, ids, 1, 0.0, &plain)
    };
    if one_by_one {
        let sources: Vec<(u32, Source)> =
            (0..).zip(from).map(|(k, &v)| (k, Source::new(around(&[v])))).collect();
        let found = eikonal::nearest(&solver, &mut state, &sources, None).unwrap();
        return distances_of(found.u, found.stats);
    }
    state.seed(&around(from));
    let stats = solver.solve(&mut state, None).unwrap();
    distances_of(state.u_in_mesh_order(), stats)
}

fn eikonal_state<R: Real>(domain: &Domain) -> EikonalState<R> {
    let coordinates = Arc::new(Coordinates::new(&domain.solved, &domain.patches));
    EikonalState::new(domain.patches.clone(), coordinates, Slowness::Uniform(R::one()))
}

/// Returns the signed distance after each of `times` reinitializations, in a narrow band of half
/// width `width` or, if that is `None`, on the whole domain.
pub fn reinitialize(
    domain: &Domain,
    phi: &[f64],
    width: Option<f64>,
    times: usize,
) -> Vec<Distances> {
    if domain.single {
        reinitialize_in::<f32>(domain, phi, width, times)
    } else {
        reinitialize_in::<f64>(domain, phi, width, times)
    }
}

fn reinitialize_in<R: Real>(
    domain: &Domain,
    phi: &[f64],
    width: Option<f64>,
    times: usize,
) -> Vec<Distances> {
    let (cpu, solver) = (Cpu::new(1).unwrap(), Solver::of(domain.backend));
    let patches = &domain.patches;
    let mut state = eikonal_state::<R>(domain);
    let mut phi = patches.to_patch_order(phi, R::of);
    let all: Vec<u32> = (0..patches.len() as u32).collect();
    let width = match width {
        Some(w) => Width::Band(R::of(w)),
        None => Width::Whole,
    };
    let once = |_| {
        let stats =
            eikonal::reinitialize(&solver, &cpu, &mut state, &mut phi, &all, width).unwrap();
        distances_of(patches.to_mesh_order(&phi, R::to_f64), stats)
    };
    (0..times).map(once).collect()
}

/// Returns the mean and the largest `|exact|` over all crossings of mesh edges with the zero set.
/// Both are infinite if there are no crossings.
pub fn interface_error(mesh: &Mesh, phi: &[f64], exact: impl Fn(Vec3) -> f64) -> [f64; 2] {
    let line = extract(mesh, phi);
    if line.vertices.is_empty() {
        return [f64::INFINITY; 2];
    }
    let errors: Vec<f64> = line.vertices.iter().map(|&x| exact(x.into()).abs()).collect();
    [errors.iter().sum::<f64>() / errors.len() as f64, largest(errors)]
}

/// Returns the mean distance by which crossings move along their edges, over the mesh edges that
/// both zero sets cross.
pub fn interface_shift(mesh: &Mesh, before: &[f64], after: &[f64]) -> f64 {
    let [before, after] = [before, after].map(|phi| extract(mesh, phi));
    let key = |edge: &[u32; 2]| (edge[0].min(edge[1]), edge[0].max(edge[1]));
    let of: std::collections::HashMap<_, _> =
        before.edges.iter().map(key).zip(&before.vertices).collect();
    let (mut sum, mut count) = (0.0, 0.0);
    for (edge, &x) in after.edges.iter().zip(&after.vertices) {
        if let Some(&&y) = of.get(&key(edge)) {
            sum += (Vec3::from(x) - Vec3::from(y)).norm();
            count += 1.0;
        }
    }
    sum / count
}

/// Returns the mean and the largest `|u - exact|` over the vertices where `exact` is known.
pub fn vertex_error(mesh: &Mesh, u: &[f64], exact: impl Fn(Vec3) -> Option<f64>) -> [f64; 2] {
    let values = mesh.vertices.iter().zip(u);
    let errors: Vec<f64> =
        values.filter_map(|(&x, u)| Some((u - exact(x.into())?).abs())).collect();
    assert!(!errors.is_empty(), "no vertex to judge");
    [errors.iter().sum::<f64>() / errors.len() as f64, largest(errors)]
}

/// Returns the largest of several nonnegative numbers, or infinity if one of them is NaN.
pub fn largest(sizes: impl IntoIterator<Item = f64>) -> f64 {
    sizes.into_iter().fold(0.0, |m, v| if v.is_nan() { f64::INFINITY } else { m.max(v) })
}

/// Measures the region where phi is negative.
pub fn measure(mesh: &Mesh, phi: &[f64]) -> Measures {
    Measurer::new(mesh).measure(mesh, phi)
}

/// Returns the relative error of the enclosed area or volume.
pub fn area_error(mesh: &Mesh, phi: &[f64], exact: f64) -> f64 {
    measure(mesh, phi).enclosed / exact - 1.0
}

/// Returns phi after each of `n` steps.
pub fn steps(
    domain: &Domain,
    phi: &[f64],
    terms: &Terms,
    options: &Options,
    n: usize,
) -> Vec<Vec<f64>> {
    if domain.single {
        steps_in::<f32>(domain, phi, terms, options, n)
    } else {
        steps_in::<f64>(domain, phi, terms, options, n)
    }
}

fn steps_in<R: Real>(
    domain: &Domain,
    phi: &[f64],
    terms: &Terms,
    options: &Options,
    n: usize,
) -> Vec<Vec<f64>> {
    with_motion::<R, _>(domain, phi, terms, options.clone(), |run| {
        let once = |_| {
            run.step();
            run.phi()
        };
        (0..n).map(once).collect()
    })
}
