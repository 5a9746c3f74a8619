//! Tests runs whose coefficients are expressions.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use zeroset::config::Config;
use zeroset::run::{Observer, Options, Progress, run};

struct Silent;

impl Observer for Silent {
    fn stage(&self, _: &str) {}
    fn step(&self, _: &Progress) {}
}

/// Returns the names and contents of all files of a run except the report and the lock.
fn results(initial: &str, evolve: &str) -> Vec<(String, Vec<u8>)> {
    let text = format!(
        "version = 1\n[domain.mesh.generate.square]\ncells = [24, 24]\njitter = 0.2\n\
         [initial]\n{initial}\n[evolve]\nend_time = 0.05\n{evolve}\n[output]\ninterval = 0.02\n"
    );
    let config = Config::parse(&text, Path::new("case.toml"), &[]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let stop = AtomicBool::new(false);
    let options = Options::new(&stop, &Silent).into_folder(Some(folder.path().to_path_buf()), true);
    let outcome = run(&config, &options).unwrap();
    assert!(outcome.report.steps > 3);
    let mut files: Vec<(String, Vec<u8>)> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| {
            (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap())
        })
        .filter(|(name, _)| !name.starts_with("report.") && !name.ends_with(".lock"))
        .collect();
    files.sort();
    assert!(files.iter().any(|(name, _)| name.ends_with(".vtp")));
    files
}

#[test]
fn an_expression_gives_the_bits_of_the_number_it_equals() {
    // These numbers are chosen so that their mean over three corners is exact.
    let ball = "ball = { center = [0.5, 0.5, 0], radius = 0.25 }";
    let number = results(ball, "normal_speed = 1\ncurvature = 0.015625");
    let written = results(ball, "normal_speed = \"1 + 0*x\"\ncurvature = \"0.015625 + 0*y\"");
    assert_eq!(written.len(), number.len());
    for (written, number) in written.iter().zip(&number) {
        assert_eq!(written.0, number.0);
        assert!(written.1 == number.1, "{} differs", number.0);
    }
    let other = results(ball, "normal_speed = \"1 + x\"\ncurvature = 0.01");
    assert!(other != number);
}

#[test]
fn coefficients_may_follow_the_time() {
    // R' = 1 + 20 t, so R = 0.2 + t + 10 t^2. If the speed kept its initial value, R would be
    // smaller by 0.1.
    let text = "version = 1\n[domain.mesh.generate.square]\ncells = [48, 48]\n\
                [initial]\nball = { center = [0.5, 0.5, 0], radius = 0.2 }\n\
                [evolve]\nend_time = 0.1\nnormal_speed = \"1 + 20*t\"\n\
                [expect]\nexact.ball = { center = [0.5, 0.5, 0], radius = 0.4 }\n\
                interface_error_mean = { at_most = 2e-2 }\n";
    let config = Config::parse(text, Path::new("case.toml"), &[]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let stop = AtomicBool::new(false);
    let options = Options::new(&stop, &Silent).into_folder(Some(folder.path().to_path_buf()), true);
    let report = run(&config, &options).unwrap().report;
    assert_eq!(report.expect.met, Some(true), "{:?}", report.expect);
}
