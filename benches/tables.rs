//! Benchmark of the time loop of whole cases: Tables I and II of Fu et al. (patch sizes, widths of
//! the band), a narrow band against the whole domain, one thread against two, and the cost of
//! expressions.
//!
//! `ZEROSET_DATA=... cargo bench --bench tables -- [sizes] [widths] [threads] [expression]
//! [lattice]` prints Markdown tables. The cases are `configs/paper_*.toml`. Cases whose data are
//! missing are left out, and the table says so. The times are the seconds of reinitialization and
//! evolution in the report of the run.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use zeroset::config::Config;
use zeroset::expression::{Expression, Field, Lattice};
use zeroset::run::{self, Observer, Progress};

const CASES: [&str; 6] = ["regsquare", "irregsquare", "sphere", "brain", "regcube", "irregcube"];

struct Silent;

impl Observer for Silent {
    fn stage(&self, _: &str) {}
    fn step(&self, _: &Progress) {}
}

/// The times of a run, in seconds.
struct Took {
    reinitialize: f64,
    evolve: f64,
    steps: u64,
    /// Cell updates per second of the evolution.
    rate: f64,
}

impl Took {
    fn total(&self) -> f64 {
        self.reinitialize + self.evolve
    }
}

/// Runs a case with `--set` options. Returns the error message if the run fails.
fn run(name: &str, set: &[String]) -> Result<Took, String> {
    let case: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs").join(name);
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let mut set = set.to_vec();
    set.extend(["output.checkpoint=never".to_string(), "output.interface=false".to_string()]);
    let config = Config::load(&case, &set).map_err(|e| e.to_string())?;
    let never = AtomicBool::new(false);
    let options =
        run::Options::new(&never, &Silent).into_folder(Some(folder.path().join("out")), false);
    let report = run::run(&config, &options).map_err(|e| e.to_string())?.report;
    let seconds = &report.seconds;
    Ok(Took {
        reinitialize: seconds.reinitialize,
        evolve: seconds.evolve,
        steps: report.steps,
        rate: report.cell_updates as f64 / seconds.evolve,
    })
}

fn paper(case: &str) -> String {
    format!("paper_{case}.toml")
}

fn cell(took: &Result<Took, String>) -> String {
    match took {
        Ok(took) => format!("{:.2} ({:.2} + {:.2})", took.total(), took.reinitialize, took.evolve),
        Err(_) => "-".into(),
    }
}

/// Prints a table with one row per case and one column per setting.
fn table(title: &str, cases: &[&str], key: &str, values: &[&str]) {
    println!("\n{title}: seconds of the time loop (reinitialize + evolve)\n");
    println!("| | {} |", values.join(" | "));
    println!("|---{}|", "|---".repeat(values.len()));
    for case in cases {
        let columns: Vec<Result<Took, String>> =
            values.iter().map(|value| run(&paper(case), &[format!("{key}={value}")])).collect();
        if let Some(Err(error)) = columns.first() {
            println!("| {case} | left out: {} |", error.lines().next().unwrap_or_default());
            continue;
        }
        println!("| {case} | {} |", columns.iter().map(cell).collect::<Vec<_>>().join(" | "));
    }
}

fn widths() {
    let widths = ["2", "3", "5", "10", "20"];
    table(
        "Table II, half width in mean edge lengths",
        &["irregsquare", "irregcube"],
        "reinitialize.half_width",
        &widths,
    );
    println!("\nPatched narrow band against the whole domain, 50 steps: milliseconds per step\n");
    println!(
        "| | band, patches of 64 | whole domain, patches of 64 | whole domain, patches of 4096 |"
    );
    println!("|---|---|---|---|");
    for case in CASES {
        let per_step = |set: &[&str]| {
            let mut set: Vec<String> = set.iter().map(|s| s.to_string()).collect();
            set.push("evolve.max_steps=50".into());
            match run(&paper(case), &set) {
                Ok(took) => format!("{:.2}", 1e3 * took.evolve / took.steps as f64),
                Err(_) => "-".into(),
            }
        };
        let whole = ["reinitialize.half_width=whole", "reinitialize.rule=never"];
        println!(
            "| {case} | {} | {} | {} |",
            per_step(&[]),
            per_step(&whole),
            per_step(&[whole[0], whole[1], "domain.mesh.patch_size=4096"]),
        );
    }
}

fn threads() {
    println!(
        "\nThreads, whole domain, curvature, 30 steps: M cell updates per second of evolution\n"
    );
    println!("| | 1 thread | 2 threads | ratio |");
    println!("|---|---|---|---|");
    for case in ["sphere", "regcube"] {
        let rate = |n: u32| {
            let set = [
                "reinitialize.half_width=whole",
                "reinitialize.rule=never",
                "evolve.max_steps=30",
                "evolve.curvature=1",
                "evolve.curvature_step=explicit",
                &format!("device.threads={n}"),
            ];
            run(&paper(case), &set.map(str::to_string)).map_or(f64::NAN, |took| took.rate / 1e6)
        };
        let (one, two) = (rate(1), rate(2));
        println!("| {case} | {one:.1} | {two:.1} | {:.2} |", two / one);
    }
}

fn expression() {
    println!(
        "\nNormal speed as a number and as an expression, whole domain, 40 steps: ms per step\n"
    );
    println!("| | 0.1 | 0.1*(1+sin(x)*y) | 0.1*(1+sin(x)*y*t) | ratio | ratio with t |");
    println!("|---|---|---|---|---|---|");
    for case in ["regsquare", "regcube"] {
        let per_step = |eps: &str| {
            let set = [
                "reinitialize.half_width=whole",
                "reinitialize.rule=never",
                "evolve.curvature=0",
                "evolve.max_steps=40",
                &format!("evolve.normal_speed={eps}"),
            ];
            run(&paper(case), &set.map(str::to_string))
                .map_or(f64::NAN, |took| 1e3 * took.evolve / took.steps as f64)
        };
        let number = per_step("0.1");
        let [place, time] = ["0.1*(1+sin(x)*y)", "0.1*(1+sin(x)*y*t)"].map(per_step);
        println!(
            "| {case} | {number:.2} | {place:.2} | {time:.2} | {:.2} | {:.2} |",
            place / number,
            time / number
        );
    }
}

/// Returns the mean duration of `call` in nanoseconds per point. `call` evaluates `points` points,
/// and its argument is the time at which to evaluate.
fn per_point(points: usize, mut call: impl FnMut(f64)) -> f64 {
    const CALLS: usize = 20_000;
    (0..CALLS / 10).for_each(|k| call(k as f64));
    let start = Instant::now();
    (0..CALLS).for_each(|k| call(k as f64 / CALLS as f64));
    1e9 * start.elapsed().as_secs_f64() / (CALLS * points) as f64
}

fn lattice() {
    println!("\nVelocity of Enright's test over blocks of a grid, one thread: ns per point\n");
    println!("| block | Field | Lattice | Lattice, f32 | ratio |");
    println!("|---|---|---|---|---|");
    let texts = [
        "2*sin(pi*x)^2*sin(2*pi*y)*sin(2*pi*z)*cos(pi*t/3)",
        "-sin(2*pi*x)*sin(pi*y)^2*sin(2*pi*z)*cos(pi*t/3)",
        "-sin(2*pi*x)*sin(2*pi*y)*sin(pi*z)^2*cos(pi*t/3)",
    ];
    let expressions: Vec<Expression> = texts.iter().map(|text| text.parse().unwrap()).collect();
    let bind = |e: &Expression| Field::bind(e, |_| Ok([].into())).unwrap();
    let fields: Vec<Field> = expressions.iter().map(bind).collect();
    let lattice = Lattice::bind(&expressions).unwrap();
    for edge in [4usize, 8] {
        let axes = [40, 48, 56].map(|first| -> Vec<f64> {
            (first..first + edge).map(|voxel| voxel as f64 / 128.0).collect()
        });
        let axes = axes.each_ref().map(Vec::as_slice);
        let n = edge * edge * edge;
        let point =
            |k: usize| [axes[0][k % edge], axes[1][k / edge % edge], axes[2][k / edge / edge]];
        let points: Vec<[f64; 3]> = (0..n).map(point).collect();
        let (mut wide, mut narrow) = (vec![0.0f64; 3 * n], vec![0.0f32; 3 * n]);
        let by_field = per_point(n, |t| {
            for (field, out) in fields.iter().zip(wide.chunks_exact_mut(n)) {
                field.evaluate_into(&points, 0..n, t, out);
            }
            black_box(&mut wide);
        });
        let by_lattice = per_point(n, |t| {
            lattice.evaluate_into(axes, t, &mut wide);
            black_box(&mut wide);
        });
        let rounded = per_point(n, |t| {
            lattice.evaluate_into(axes, t, &mut narrow);
            black_box(&mut narrow);
        });
        println!(
            "| {edge}^3 | {by_field:.1} | {by_lattice:.2} | {rounded:.2} | {:.0} |",
            by_field / by_lattice
        );
    }
}

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let wants = |name: &str| asked.is_empty() || asked.iter().any(|a| a == name);
    println!(
        "zeroset {}, f64, {} cores",
        zeroset::output::build(),
        std::thread::available_parallelism().map_or(1, usize::from)
    );
    if wants("sizes") {
        let sizes = ["32", "64", "128", "256"];
        table("Table I, vertices per patch", &CASES, "domain.mesh.patch_size", &sizes);
    }
    if wants("widths") {
        widths();
    }
    if wants("threads") {
        threads();
    }
    if wants("expression") {
        expression();
    }
    if wants("lattice") {
        lattice();
    }
}
