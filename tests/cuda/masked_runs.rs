//! Tests that a motion with a mask and with values that are missing in places is the same on the
//! GPU and on the CPU.

use std::path::Path;

use zeroset::config::Config;
use zeroset::io::read_mesh;

use crate::support;
use crate::tiled_runs::{Stop, go};

const CASE: &str = "version = 1\nprecision = \"f64\"\n[domain.mesh.generate.square]\n\
    cells = [40, 40]\n[initial]\nball = { center = [0.4, 0.5, 0], radius = 0.15 }\n[evolve]\n\
    end_time = 0.1\nmask = \"x < 0.71 && !isnan(sqrt(1 - y))\"\n\
    normal_speed = \"if(isnan(sqrt(x - 0.4)), 0.4 + t, 0.2) + (log(x - 0.4) != 1)*0.1\"\n";

/// Returns phi at the end of a run.
fn phi(device: &str, folder: &Path) -> Vec<f64> {
    let config = Config::parse(CASE, "case.toml".as_ref(), &[format!("device.use={device}")]);
    let done = go(&config.unwrap(), &Stop::after(u64::MAX), folder, false);
    assert_eq!(done.report.backend, device, "{}", done.report.backend_reason);
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_state = |path: &Path| path.file_name().unwrap().to_string_lossy().starts_with("case_0");
    let last = files.filter(|path| is_state(path)).max().unwrap();
    let mesh = read_mesh(&last).unwrap().mesh;
    mesh.vertex_array("phi").unwrap().values.to_f64()
}

#[test]
fn a_mask_and_missing_values_are_those_of_the_cpu() {
    if support::cuda().is_none() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let [on_gpu, on_cpu] = ["cuda", "cpu"].map(|device| phi(device, &place.path().join(device)));
    assert!(on_cpu.iter().any(|phi| phi.is_nan()) && on_cpu.iter().any(|phi| *phi < 0.0));
    for (v, (found, expected)) in on_gpu.iter().zip(&on_cpu).enumerate() {
        let agree = found.is_nan() && expected.is_nan() || (found - expected).abs() < 1e-10;
        assert!(agree, "vertex {v}: {found} on the GPU, {expected} on the CPU");
    }
}
