//! Verification: cases with known solutions, reproducible results, symmetries and the cost of a
//! step.
//!
//! - `cargo test --release --test verification` runs every case at its smaller sizes.
//! - `cargo test --release --test verification -- --ignored` runs every case at every size and
//!   writes `docs/verification.md`. Add `--nocapture` to see the numbers.
//!
//! With `ZEROSET_BACKENDS=cuda`, the same cases run on the first GPU and the page is
//! `docs/verification-cuda.md`. The executable also works on another machine if it runs in a folder
//! that contains a checkout.
//!
//! A case is data ([`case::Case`]): a description, meshes, sizes, expected numbers, gates, and a
//! function that measures. The default tests and the page use the same data and code. The cases and
//! most expected numbers come from the table of the numerics companion (section 11), a separate
//! document with results of another implementation.

mod advection;
mod agreement;
mod backend;
mod case;
mod characteristic_map;
mod circular;
mod cost;
mod curvature;
mod determinism;
mod distances;
mod document;
mod domains;
mod exact;
mod fixed_point;
mod fronts;
mod gpu;
mod nearest;
mod operators;
mod potential;
mod properties;
mod reinitialization;
mod runner;
mod runs;
mod second_order_terms;
mod tiled;
mod whole_runs;

// The dense grid that V44 to V50 use. `tests/tiled.rs` also uses other parts of this module.
#[allow(dead_code)]
#[path = "../support/dense.rs"]
mod dense;
// The problems that `tests/cuda` compares, and their meshes.
#[path = "../cuda/parity.rs"]
#[allow(dead_code)]
mod parity;
#[path = "../cuda/support.rs"]
#[allow(dead_code)]
mod support;

use backend::{Backend, backends};
use case::{Case, Scope};
use domains::Setting;
use runner::{Task, check, on_all_cores, tasks, tasks_on};

/// Returns the plain setting on each selected backend.
fn settings() -> Vec<Setting> {
    let on = |backend| Setting { backend, ..Setting::default() };
    backends().into_iter().map(on).collect()
}

macro_rules! cases {
    ($list:ident on $settings:ident: $($test:ident: $module:ident::$case:ident;)*) => {
        /// The cases, in the order of the page.
        const $list: &[&Case] = &[$(&$module::$case),*];
        $(#[test]
        fn $test() {
            for setting in $settings() {
                check(&tasks(&$module::$case, setting, Scope::Quick));
            }
        })*
    };
}

/// Returns the plain setting on the CPU, if it is selected.
fn settings_of_cpu() -> Vec<Setting> {
    settings().into_iter().filter(|setting| setting.backend == Backend::Cpu).collect()
}

cases! {
    CASES on settings:
    v1_linear_functions: operators::V1;
    v2_symmetries: operators::V2;
    v3_translated_circle: advection::V3;
    v4_translated_circle_galerkin: advection::V4;
    v5_translated_circle_in_a_band: advection::V5;
    v6_translated_sphere: advection::V6;
    v7_translated_sphere_galerkin: advection::V7;
    v8_slotted_disk: advection::V8;
    v9_rotated_disk: advection::V9;
    v10_expanding_circle: fronts::V10;
    v11_shrinking_circle: fronts::V11;
    v12_spheres: fronts::V12;
    v13_merging_circles: fronts::V13;
    v14_squares: fronts::V14;
    v15_circle_under_curvature: curvature::V15;
    v16_curvature_in_a_band: curvature::V16;
    v17_circle_under_semi_implicit_curvature: curvature::V17;
    v18_sphere_under_curvature: curvature::V18;
    v19_star_under_curvature: curvature::V19;
    v20_latitude_circle: curvature::V20;
    v21_great_circle: curvature::V21;
    v22_cylinder: curvature::V22;
    v23_cone: curvature::V23;
    v24_rotated_cap: advection::V24;
    v25_caps: fronts::V25;
    v26_straight_interface: reinitialization::V26;
    v27_distance_to_a_ball: distances::V27;
    v28_distance_from_a_vertex: distances::V28;
    v29_reinitialized_circle: reinitialization::V29;
    v30_reinitialized_circle_in_a_band: reinitialization::V30;
    v31_kink: reinitialization::V31;
    v32_curves_and_points: distances::V32;
    v33_geodesic_distance: distances::V33;
    v34_unfoldable_surfaces: distances::V34;
    v35_shift_of_the_zero_set: reinitialization::V35;
    v36_shift_of_a_warped_function: reinitialization::V36;
    v37_reinitialized_square: reinitialization::V37;
    v38_fixed_point: fixed_point::V38;
    v39_maximum_principle: operators::V39;
    v40_monotone_options: operators::V40;
    v41_all_terms: fronts::V41;
    v42_single_precision_of_each_term: operators::V42;
    v54_circular_fronts: circular::V54;
}

cases! {
    OF_CPU on settings_of_cpu:
    v44_weno_derivative: tiled::V44;
    v45_translated_circle_on_a_grid: tiled::V45;
    v46_fronts_on_a_grid: tiled::V46;
    v47_curvature_on_a_grid: tiled::V47;
    v48_slotted_disk_on_a_grid: tiled::V48;
    v49_enright: tiled::V49;
    v50_sparse_and_dense: tiled::V50;
    v51_barnes_and_hut: potential::V51;
    v52_velocity_towards_samples: potential::V52;
    v53_distances_to_points: nearest::V53;
    v55_curvature_with_a_quadratic_fit: whole_runs::V55;
    v56_translation_with_a_quadratic_fit: whole_runs::V56;
    v57_growth_with_a_quadratic_fit: whole_runs::V57;
    v58_slotted_disk_with_a_quadratic_fit: whole_runs::V58;
    v59_parallel_of_a_torus: whole_runs::V59;
    v60_ellipse: whole_runs::V60;
    v64_semi_implicit_order_in_time: second_order_terms::V64;
    v65_extinction: second_order_terms::V65;
    v66_reentrant_corner: second_order_terms::V66;
    v67_normal_motion_at_a_varying_speed: second_order_terms::V67;
    v68_slotted_disk_with_a_map: characteristic_map::V68;
    v69_reversed_vortex_with_a_map: characteristic_map::V69;
    v70_vortex_with_a_map: characteristic_map::V70;
    v71_translated_circle_with_a_map: characteristic_map::V71;
    v72_swirl_with_a_map: characteristic_map::V72;
}

/// The cases of [`OF_CPU`] that also run in single precision.
const TILED_SINGLE: List = &[
    (&tiled::V45, &["grid:weno", "grid:first"]),
    (&tiled::V46, &["grid:weno"]),
    (&tiled::V47, &["squares"]),
    (&tiled::V50, &["tiles:weno"]),
];

/// The cases and meshes that also run in single precision.
const SINGLE: List = &[
    (&advection::V3, &["diag", "jit"]),
    (&advection::V5, &["jit"]),
    (&advection::V6, &["tets"]),
    (&fronts::V10, &["jit", "obt"]),
    (&fronts::V11, &["equi"]),
    (&curvature::V15, &["diag", "jit"]),
    (&curvature::V16, &["equi"]),
    (&curvature::V18, &["kuhn"]),
    (&curvature::V20, &["ico"]),
    (&advection::V24, &["ico"]),
    (&fronts::V25, &["ico"]),
    (&reinitialization::V26, &["jit", "tets"]),
    (&distances::V27, &["equi", "obt", "tets"]),
    (&reinitialization::V30, &["diag"]),
    (&distances::V33, &["ico"]),
    (&reinitialization::V35, &["jit"]),
    (&reinitialization::V36, &["diag"]),
    (&fixed_point::V38, &["equi", "obt", "tets"]),
    (&operators::V39, &["diag", "jit"]),
    (&fronts::V41, &["diag"]),
];

/// The cases and meshes that do not run in single precision on a GPU.
///
/// V42 compares precisions itself. In V38, fronts cross the whole sphere from one vertex, and each
/// patch on the way may withhold a change below the tolerance. On the CPU, this adds up to an error
/// of 1.7e-6, which exceeds the gate of 1.1e-6.
const DOUBLE_ONLY: List = &[(&operators::V42, &["jit"]), (&fixed_point::V38, &["ico"])];

/// The cases and planar meshes that also run rotated in R^3.
const TURNED: List = &[
    (&advection::V3, &["diag", "jit", "obt"]),
    (&advection::V5, &["jit"]),
    (&fronts::V10, &["jit", "equi"]),
    (&fronts::V11, &["jit"]),
    (&curvature::V15, &["diag", "jit"]),
    (&curvature::V16, &["equi"]),
    (&curvature::V19, &["equi"]),
    (&reinitialization::V26, &["jit"]),
    (&distances::V27, &["jit", "obt"]),
    (&distances::V28, &["diag"]),
    (&reinitialization::V30, &["diag", "obt"]),
    (&reinitialization::V35, &["jit"]),
    (&reinitialization::V36, &["diag"]),
    (&fronts::V41, &["jit"]),
];

const GATES: document::Gates = document::Gates { turned: 1e-10, cost_ratio: 1.2 };

type List = &'static [(&'static Case, &'static [&'static str])];

fn listed(list: List, setting: Setting, scope: Scope) -> Vec<Task> {
    list.iter().flat_map(|(case, meshes)| tasks_on(case, meshes, setting, scope)).collect()
}

#[test]
fn single_precision() {
    for setting in settings() {
        check(&listed(SINGLE, Setting { single: true, ..setting }, Scope::First(2)));
    }
    for setting in settings_of_cpu() {
        check(&listed(TILED_SINGLE, Setting { single: true, ..setting }, Scope::First(2)));
    }
}

#[test]
fn planar_meshes_turned_in_space() {
    for task in settings().into_iter().flat_map(|s| listed(TURNED, s, Scope::First(1))) {
        let difference = task.turned_difference();
        println!("{} {}: {difference:e}", task.case.id, task.series.mesh);
        let (id, mesh) = (task.case.id, task.series.mesh);
        assert!(difference <= GATES.turned, "{id} {mesh}: {difference:e}");
    }
}

/// Runs only if a GPU is selected. Otherwise, `tests/cuda` covers this comparison.
#[test]
fn v43_cpu_and_gpu() {
    for setting in settings().into_iter().filter(|setting| setting.backend == Backend::Cuda) {
        for single in [false, true] {
            check(&tasks(&agreement::V43, Setting { single, ..setting }, Scope::Quick));
        }
    }
}

/// The cases that need both a GPU and the CPU.
const OF_BOTH: &[&Case] = &[&agreement::V43];

/// Returns the tasks for the smaller sizes in single precision, except those in [`DOUBLE_ONLY`].
fn all_in_single<'a>(
    setting: Setting,
    cases: impl Iterator<Item = &'a &'static Case>,
) -> Vec<Task> {
    let setting = Setting { single: true, ..setting };
    let is_left_out = |task: &Task| {
        let (id, mesh) = (task.case.id, task.series.mesh);
        DOUBLE_ONLY.iter().any(|(case, meshes)| case.id == id && meshes.contains(&mesh))
    };
    let all = cases.flat_map(|case| tasks(case, setting, Scope::Quick));
    all.filter(|task| !is_left_out(task)).collect()
}

/// Runs all cases on a backend, writes its page and returns the failures.
fn verify(setting: Setting) -> Vec<String> {
    let start = std::time::Instant::now();
    // The cost is measured first, before the cases use all cores.
    let cost_ratio = (setting.backend == Backend::Cpu).then(cost::ratio);

    let (both, own) =
        if setting.backend == Backend::Cuda { (OF_BOTH, &[][..]) } else { (&[][..], OF_CPU) };
    let cases = CASES.iter().chain(own).chain(both);
    let plain: Vec<Task> = cases.flat_map(|case| tasks(case, setting, Scope::Full)).collect();
    let single = match setting.backend {
        Backend::Cpu => {
            let single = Setting { single: true, ..setting };
            let mut tasks = listed(SINGLE, single, Scope::Quick);
            tasks.extend(listed(TILED_SINGLE, single, Scope::Quick));
            tasks
        }
        Backend::Cuda => all_in_single(setting, CASES.iter().chain(both)),
    };
    let turned = listed(TURNED, setting, Scope::Quick);
    let all: Vec<Task> = plain.iter().chain(&single).copied().collect();
    let mut outcomes = on_all_cores(&all, Task::run);
    let differences = on_all_cores(&turned, Task::turned_difference);

    let mut failures: Vec<String> =
        all.iter().zip(&outcomes).flat_map(|(task, outcome)| task.failures(outcome)).collect();
    for (task, difference) in turned.iter().zip(&differences) {
        if *difference > GATES.turned {
            failures.push(format!("{} {} turned: {difference:e}", task.case.id, task.series.mesh));
        }
    }
    if let Some(ratio) = cost_ratio.filter(|ratio| *ratio > GATES.cost_ratio) {
        failures.push(format!("a step in the large domain costs {ratio:.2} times as much"));
    }
    let single_outcomes = outcomes.split_off(plain.len());
    let findings = document::Findings {
        backend: setting.backend,
        plain: document::by_case(&plain, outcomes),
        single: document::by_case(&single, single_outcomes),
        turned: turned
            .iter()
            .zip(differences)
            .map(|(task, difference)| (task.case, task.series.mesh, difference))
            .collect(),
        cost_ratio,
        seconds: start.elapsed().as_secs_f64(),
    };
    let page = document::page(&findings, &GATES, &failures);
    let name = match setting.backend {
        Backend::Cpu => "docs/verification.md",
        Backend::Cuda => "docs/verification-cuda.md",
    };
    std::fs::write(zeroset_testing::checkout::root().join(name), page).unwrap();
    failures
}

#[test]
#[ignore = "slow: every case at every size and the cost of a step; writes docs/verification.md"]
fn everything() {
    if cfg!(debug_assertions) && backends().contains(&Backend::Cpu) {
        panic!("run with --release, because this test measures times");
    }
    let failures: Vec<String> = settings().into_iter().flat_map(verify).collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}
