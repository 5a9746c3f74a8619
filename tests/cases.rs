//! Tests that every case in `configs/` runs to its end and meets the conditions in its `[expect]`
//! table.
//!
//! The benchmarks `paper_*` and large cases on tiles take minutes. Run them with
//! `cargo test --release --test cases -- --ignored`.
//!
//! With `ZEROSET_BACKENDS=cuda`, every case runs with `--device cuda`. With
//! `ZEROSET_BACKENDS=cpu,cuda`, it runs on both devices. Without the variable, it runs on the
//! device that the case selects.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use zeroset_testing::backends::{Backend, asked};
use zeroset_testing::checkout::{program, root};

fn configs() -> PathBuf {
    root().join("configs")
}

/// Runs a case on all requested backends. If none is requested, the case selects the device.
fn run(name: &str) {
    match asked() {
        None => run_on(name, None),
        Some(backends) => backends.into_iter().for_each(|backend| run_on(name, Some(backend))),
    }
}

/// Runs a case with the program, as described in the README.
fn run_on(name: &str, backend: Option<Backend>) {
    let start = Instant::now();
    let case = configs().join(name).with_extension("toml");
    let text = std::fs::read_to_string(&case).unwrap();
    let mut command = Command::new(program(env!("CARGO_BIN_EXE_zeroset")));
    let word = backend.map_or("as the case says", Backend::word);
    command.arg("run");
    if backend.is_some() {
        command.args(["--device", word]);
    }
    if text.contains("${ZEROSET_DATA}") {
        let Some(file) = zeroset_testing::data("README.md") else { return };
        let folder = file.parent().unwrap();
        command.env("ZEROSET_DATA", folder.canonicalize().unwrap());
    }
    let results = tempfile::tempdir().unwrap();
    let output = command.arg(&case).arg("-o").arg(results.path()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}, {word}: {}\n{said}\n{complained}", output.status);
    let report = std::fs::read_to_string(results.path().join("report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["status"], "finished", "{name}, {word}");
    assert!(backend.is_none() || report["backend"] == word, "{name}: {}", report["backend"]);
    let checks = report["expect"]["checks"].as_array().unwrap();
    assert!(!checks.is_empty(), "{name}: nothing was checked");
    assert!(checks.iter().all(|check| check["met"] == true), "{name}, {word}: {checks:?}");
    if text.contains("[output.picture]") {
        let each = text.contains("every = \"state\"");
        let expected = if each { report["states"].as_u64().unwrap() } else { 1 };
        let files = std::fs::read_dir(results.path()).unwrap().map(|e| e.unwrap().path());
        let pictures = files.filter(|path| path.extension().is_some_and(|e| e == "png"));
        assert_eq!(pictures.count() as u64, expected, "{name}: pictures");
    }
    println!("{name}, {word}: {:.1} s", start.elapsed().as_secs_f64());
}

/// Defines one test per case, and the list of their names.
macro_rules! cases {
    ($($(#[$attribute:meta])* $name:ident),* $(,)?) => {
        const TESTED: &[&str] = &[$(stringify!($name)),*];
        $(
            #[test]
            $(#[$attribute])*
            fn $name() {
                run(stringify!($name));
            }
        )*
    };
}

cases! {
    cardiac_slab,
    clipped_front,
    collapsing_dumbbell,
    cortex_curvature_flow,
    cortex_distance,
    cortex_from_curve,
    cortex_parcels,
    cortex_weighted_flow,
    ct_smoothed,
    distance_to_curves,
    distant_octahedra,
    enright_128,
    #[ignore = "slow"]
    enright_256,
    #[ignore = "slow"]
    enright_512,
    #[ignore = "slow"]
    enright_512_sheet,
    etching,
    expanding_flow,
    expanding_sphere_tets,
    graded_speed,
    growing_disk_one_file,
    implicit_curvature,
    inflow_channel,
    #[ignore = "slow"]
    lucy_collapse,
    #[ignore = "slow"]
    lucy_collapse_weno5,
    merging_circles,
    #[ignore = "slow"]
    paper_brain,
    #[ignore = "slow"]
    paper_irregcube,
    #[ignore = "slow"]
    paper_irregsquare,
    #[ignore = "slow"]
    paper_regcube,
    #[ignore = "slow"]
    paper_regsquare,
    #[ignore = "slow"]
    paper_sphere,
    regular_grid,
    resting_front,
    rough_data,
    #[ignore = "slow"]
    scan_collapse,
    shell_from_samples,
    shrinking_circle,
    torus_from_mesh,
    zalesak_disk,
}

#[test]
fn every_case_has_a_test_and_something_to_meet() {
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(configs()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_string();
        assert!(
            path.extension().is_some_and(|e| e == "toml"),
            "{} is not a case file",
            path.display()
        );
        let case: toml::Table = std::fs::read_to_string(&path).unwrap().parse().unwrap();
        let expect = case.get("expect").and_then(|e| e.as_table());
        let bounds = expect.map_or(0, |e| e.keys().filter(|key| *key != "exact").count());
        assert!(bounds > 0, "configs/{name}.toml has no bound in [expect]");
        found.insert(name);
    }
    let tested: BTreeSet<String> = TESTED.iter().map(|name| name.to_string()).collect();
    assert_eq!(found, tested, "add each case of configs/ to the list in tests/cases.rs");
}
