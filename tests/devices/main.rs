//! Tests `zeroset devices` and the compilation of kernels, without a GPU.
//!
//! Tests that need NVRTC are skipped with a notice if it is missing. With ZEROSET_REQUIRE_NVRTC=1,
//! they fail instead.
mod precision;
#[path = "../../benches/gpu/units.rs"]
mod units;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use assert_cmd::assert::OutputAssertExt;
use predicates::str::{contains, is_empty};
use zeroset::Error;
use zeroset::gpu::nvrtc::Nvrtc;
use zeroset::gpu::resources::parse;
use zeroset::gpu::sources::{Unit, all_units};

/// The architecture for tests that need one.
const ARCH: &str = "sm_90";

/// A virtual architecture, which has no machine code, for tests that only read PTX. Its PTX equals
/// that of [`ARCH`].
const VIRTUAL: &str = "compute_90";

fn nvrtc() -> Option<&'static Nvrtc> {
    match Nvrtc::get() {
        Ok(nvrtc) => Some(nvrtc),
        Err(error) => {
            let required = std::env::var("ZEROSET_REQUIRE_NVRTC").is_ok_and(|value| value == "1");
            assert!(!required, "{error}");
            eprintln!("NVRTC MISSING, TEST SKIPPED: {error}");
            None
        }
    }
}

/// Runs `zeroset devices` without a visible GPU and with `cache` as the kernel cache.
fn devices(cache: &tempfile::TempDir, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
    command.env("CUDA_VISIBLE_DEVICES", "").env("ZEROSET_CACHE", cache.path());
    command.arg("devices").args(arguments);
    command
}

fn json(command: &mut Command, code: i32) -> serde_json::Value {
    let assert = command.assert().code(code);
    serde_json::from_slice(&assert.get_output().stdout).unwrap()
}

#[test]
fn what_is_missing_is_said_with_its_remedy() {
    let cache = tempfile::tempdir().unwrap();
    let nowhere = |arguments: &[&str]| {
        let mut command = devices(&cache, arguments);
        command.env("ZEROSET_NVRTC", "/no/such/libnvrtc.so");
        command
    };
    let assert = nowhere(&[]).assert().code(0).stderr(is_empty());
    let text = String::from_utf8_lossy(&assert.get_output().stdout).into_owned();
    for part in [
        "driver   ",
        "nvrtc    NVRTC not found; tried /no/such/libnvrtc.so: ",
        "pip install nvidia-cuda-nvrtc",
        &format!("cache    {}: 0 kernels, 0 bytes\n", cache.path().display()),
        "auto     computes on cpu: ",
    ] {
        assert!(text.contains(part), "`{part}` is not in: {text}");
    }
    let facts = json(&mut nowhere(&["--json"]), 0);
    assert_eq!(facts["cards"], serde_json::json!([]));
    assert_eq!(facts["auto"], "cpu");
    assert!(facts["nvrtc"]["missing"]["remedy"].as_str().unwrap().contains("ZEROSET_NVRTC"));
    assert!(facts["driver"]["missing"]["what"].as_str().unwrap().contains("NVIDIA driver"));
    let compile = ["--compile", ARCH];
    let said = contains("error: device: NVRTC not found; tried /no/such/libnvrtc.so");
    nowhere(&compile).assert().code(5).stdout(is_empty()).stderr(said);
}

#[test]
fn a_library_that_is_no_nvrtc_is_refused() {
    let cache = tempfile::tempdir().unwrap();
    let file = cache.path().join("libnvrtc.so.13");
    std::fs::write(&file, "no library").unwrap();
    let mut command = devices(&cache, &["--compile", ARCH]);
    command.env("ZEROSET_NVRTC", &file).assert().code(5).stderr(contains("libnvrtc.so.13: "));
}

#[test]
fn a_word_that_is_no_architecture_is_refused() {
    let cache = tempfile::tempdir().unwrap();
    for word in ["90", "sm_", "sm_x", "compute_90", "sm_90,,sm_80"] {
        let said = contains("expected an architecture such as sm_90");
        devices(&cache, &["--compile", word]).assert().code(2).stderr(said);
    }
}

#[test]
fn every_kernel_compiles_spills_nothing_and_is_kept() {
    if nvrtc().is_none() {
        return;
    }
    let cache = tempfile::tempdir().unwrap();
    // This is the oldest supported architecture. CI compiles for all supported ones.
    let table = json(&mut devices(&cache, &["--json", "--compile", "sm_75"]), 0);
    let units = table["units"].as_array().unwrap();
    assert_eq!(units.len(), all_units().len());
    for unit in units {
        // The name of a kernel begins with the name of its file or folder.
        let names: Vec<String> =
            unit["unit"].as_str().unwrap().split('/').map(|name| format!("{name}_")).collect();
        let kernels = unit["kernels"].as_array().unwrap();
        assert!(!kernels.is_empty(), "{unit}");
        for kernel in kernels {
            let kernel_name = kernel["kernel"].as_str().unwrap();
            assert!(names.iter().any(|name| kernel_name.starts_with(name)), "{kernel}");
            assert!(kernel["registers"].as_u64().unwrap() > 0, "{kernel}");
        }
    }
    let facts = json(&mut devices(&cache, &["--json"]), 0);
    assert_eq!(facts["cache"]["entries"], units.len());
    assert_eq!(facts["cache"]["nvrtc_versions"], serde_json::json!([table["nvrtc"]]));
    // No compiler knows these architectures. Every compilation unit must fail for each of them, and
    // the messages must be shown.
    let unknown = devices(&cache, &["--compile", "sm_1,sm_2"]).assert().code(5);
    let text = String::from_utf8_lossy(&unknown.get_output().stdout).into_owned();
    for arch in ["sm_1 ", "sm_2 "] {
        let lines = text.lines().filter(|line| line.starts_with(arch) && line.ends_with("failed"));
        assert_eq!(lines.count(), units.len(), "{text}");
    }
    assert!(text.contains("gpu-architecture") && text.ends_with(": failed\n"), "{text}");
}

#[test]
fn kernels_of_the_benches_compile() {
    let Some(nvrtc) = nvrtc() else { return };
    let patches = |real: &str, corners: &str| {
        [("REAL", real), ("CELL_SIZE", corners)].map(|(name, value)| (name, value.to_string()))
    };
    // The arguments are three addresses, two integers and six scalars.
    let atomics = |real, bytes: usize, corners| {
        units::atomics(patches(real, corners).to_vec(), [192, 4], 3 * 8 + 2 * 4 + 6 * bytes)
    };
    let units = [
        units::copy(),
        units::lookup(),
        atomics("double", 8, "3"),
        atomics("double", 8, "4"),
        atomics("float", 4, "3"),
        atomics("float", 4, "4"),
    ];
    for unit in &units {
        let kernels = parse(&nvrtc.compile(unit, ARCH).unwrap_or_else(|e| panic!("{e}")).log);
        let n = if unit.name == "bench/lookup" { 6 } else { 1 };
        assert_eq!(kernels.len(), n, "{}", unit.title());
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels/bench");
    for file in std::fs::read_dir(folder).unwrap() {
        let name = format!("bench/{}", file.unwrap().path().file_stem().unwrap().display());
        assert!(units.iter().any(|unit| unit.name == name), "{name} is not compiled here");
    }
}

#[test]
fn the_self_test_takes_what_its_source_states() {
    let Some(nvrtc) = nvrtc() else { return };
    for (real, size) in [("double", 8), ("float", 4)] {
        let unit = Unit::new("self_test", &[("REAL", real)]).unwrap();
        let kernels = parse(&nvrtc.compile(&unit, ARCH).unwrap().log);
        assert_eq!(kernels.len(), 1);
        assert_eq!(kernels[0].kernel, "self_test_saxpy_sum");
        assert_eq!(kernels[0].shared, 256 * size);
    }
}

#[test]
fn errors_carry_file_and_line_and_headers_come_from_memory() {
    let Some(nvrtc) = nvrtc() else { return };
    let mut unit = Unit::new("self_test", &[("REAL", "double")]).unwrap();
    unit.source =
        "#include \"made/up.cuh\"\n__global__ void self_test_a(REAL* x) { *x = UP; }".into();
    let missing = nvrtc.compile(&unit, ARCH).unwrap_err();
    assert!(missing.to_string().contains("made/up.cuh"), "{missing}");
    unit.extra.push(("made/up.cuh".into(), "#define UP REAL(3)".into()));
    assert!(!nvrtc.compile(&unit, ARCH).unwrap().cubin.is_empty());
    unit.source = "\n\nno C++".into();
    let error = nvrtc.compile(&unit, ARCH).unwrap_err();
    assert!(matches!(error, Error::Device { .. }));
    assert!(error.to_string().contains("self_test.cu(3): error"), "{error}");
    unit.source = "a\0b".into();
    assert!(nvrtc.compile(&unit, ARCH).unwrap_err().to_string().contains("zero byte"));
}

#[test]
fn threads_that_compile_at_once_get_the_same_code() {
    let Some(nvrtc) = nvrtc() else { return };
    let unit = Unit::new("self_test", &[("REAL", "float")]).unwrap();
    let compile = || nvrtc.compile(&unit, ARCH).unwrap().cubin;
    let cubins: BTreeSet<Vec<u8>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(compile)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(cubins.len(), 1);
}

/// Returns the lines of PTX whose instructions satisfy a condition.
fn instructions(ptx: &str, wanted: impl Fn(&str) -> bool) -> Vec<&str> {
    let is_instruction = |line: &&str| line.ends_with(';') && !line.starts_with('.');
    ptx.lines().map(str::trim).filter(is_instruction).filter(|line| wanted(line)).collect()
}

/// Returns the name and the text of each kernel in a PTX file.
fn kernels(ptx: &str) -> Vec<(&str, &str)> {
    let entries = ptx.split(".visible .entry ").skip(1);
    entries.map(|text| text.split_once('(').unwrap()).collect()
}

#[test]
fn a_product_and_a_sum_are_rounded_each() {
    let Some(nvrtc) = nvrtc() else { return };
    let unit = Unit::new("self_test", &[("REAL", "double")]).unwrap();
    let ptx = nvrtc.compile_to_ptx(&unit, VIRTUAL).unwrap();
    assert!(!instructions(&ptx, |line| line.starts_with("mul.rn.f64")).is_empty(), "{ptx}");
    assert!(instructions(&ptx, |line| line.starts_with("fma")).is_empty(), "{ptx}");
}
