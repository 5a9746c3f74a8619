//! Shows a surface that moves on sparse tiles: two balls and a bar between them shrink by their
//! mean curvature until the bar tears.
//!
//!     cargo run --release --example 11_tiles

use std::path::Path;
use std::sync::atomic::AtomicBool;

use zeroset::config::Config;
use zeroset::run::{Observer, Options, Progress, run};

const CASE: &str = r#"
version = 1
[domain.tiled]
dx = 0.04
[initial]
union = [
    { ball = { center = [-0.6, 0, 0], radius = 0.35 } },
    { ball = { center = [0.6, 0, 0], radius = 0.35 } },
    { box = { min = [-0.6, -0.1, -0.1], max = [0.6, 0.1, 0.1] } },
]
[evolve]
curvature = 1.0
end_time = 0.015
[output]
interval = 0.003
"#;

/// Ignores the progress.
struct Quiet;

impl Observer for Quiet {
    fn stage(&self, _: &str) {}

    fn step(&self, _: &Progress) {}
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::temp_dir().join(format!("zeroset-tiles-{}", std::process::id()));
    let config = Config::parse(CASE, Path::new("tiles.toml"), &[])?;
    let interrupt = AtomicBool::new(false);
    let options = Options::new(&interrupt, &Quiet).into_folder(Some(folder.clone()), false);
    let outcome = run(&config, &options)?;
    let table = std::fs::read_to_string(folder.join("measures.csv"))?;
    let mut components = Vec::new();
    let column = |name: &str| table.lines().next()?.split(',').position(|word| word == name);
    let (time, parts) = (column("time").unwrap(), column("components").unwrap());
    for row in table.lines().skip(1) {
        let numbers: Vec<&str> = row.split(',').collect();
        println!("time {}: {} components", numbers[time], numbers[parts]);
        components.push(numbers[parts].to_string());
    }
    println!("{}, {:.2} s", outcome.report.ended_by, outcome.report.seconds.total);
    assert_eq!(
        (components.first().unwrap().as_str(), components.last().unwrap().as_str()),
        ("1", "2")
    );
    std::fs::remove_dir_all(folder)?;
    Ok(())
}
