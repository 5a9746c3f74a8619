//! `docs/verification.md` and `docs/verification-cuda.md`: what was measured, beside what was expected and asked for.

use std::fmt::Write;
use std::process::Command;

use crate::backend::{self, Backend};
use crate::case::{Case, Outcome, Verdict};
use crate::domains::Setting;
use crate::runner::Task;
use zeroset_testing::places::root;

/// What the page of a GPU leaves out.
const CPU_ONLY: &str = "## What is not run on a GPU\n\n\
    - Random meshes and the length of a step cell by cell (`properties.rs`), the same bits for every \
    number of threads and every partition (`determinism.rs`), the cost of a step (`cost.rs`): tests \
    of the CPU. That a GPU gives the same bits in every run, and the same values for every \
    size of patches, is tested in `tests/cuda`.\n\
    - Start values of distances and of reinitialization are found on the CPU in V26 to V37 and \
    V54, and in V38 repetitions inside a patch are the GPU's own, so that those rows repeat the \
    first. An evolution reinitializes on the GPU alone.\n\
    - In single precision V42, which compares precisions itself, and V38 on the sphere: fronts cross \
    all of it from one vertex, and each patch on the way may keep back a change below the \
    tolerance.\n\
    - V44 to V53, grids, tiles, the octree of samples and distances to points: `tests/cuda` \
    compares a GPU with the CPU there.\n\
    - Meshes, norms, interfaces and areas are found on the CPU.\n";

/// A number as tables show it.
pub fn number(x: f64) -> String {
    if x == 0.0 {
        return "0".to_string();
    }
    if x.fract() == 0.0 && x.abs() < 1e6 {
        return format!("{x}");
    }
    match x.abs() {
        a if (1e-2..1e3).contains(&a) => {
            // Three digits, four beyond one.
            let digits = if a < 0.1 { 4 } else { 3 };
            format!("{x:.digits$}")
        }
        a if a.is_finite() => format!("{x:.1e}"),
        _ => format!("{x}"),
    }
}

/// All that a run found out.
pub struct Findings<'a> {
    /// What was run on.
    pub backend: Backend,
    /// Cases in the plain setting.
    pub plain: Vec<(&'a Case, Vec<Outcome>)>,
    /// Some of them in single precision.
    pub single: Vec<(&'a Case, Vec<Outcome>)>,
    /// Some of them turned in R^3: largest difference of each series.
    pub turned: Vec<(&'a Case, &'static str, f64)>,
    /// Cost of a step in a domain of 16 times the area, over that in the small one; `None`
    /// where it was not asked.
    pub cost_ratio: Option<f64>,
    /// Seconds for everything.
    pub seconds: f64,
}

/// Outcomes of tasks, the series of a case together.
pub fn by_case(tasks: &[Task], outcomes: Vec<Outcome>) -> Vec<(&'static Case, Vec<Outcome>)> {
    let mut cases: Vec<(&'static Case, Vec<Outcome>)> = Vec::new();
    for (task, outcome) in tasks.iter().zip(outcomes) {
        match cases.last_mut() {
            Some((case, outcomes)) if case.id == task.case.id => outcomes.push(outcome),
            _ => cases.push((task.case, vec![outcome])),
        }
    }
    cases
}

/// Gates that do not stand in a case.
pub struct Gates {
    /// Largest difference of a turned mesh.
    pub turned: f64,
    /// Largest ratio of costs.
    pub cost_ratio: f64,
}

/// The page.
pub fn page(findings: &Findings, gates: &Gates, failures: &[String]) -> String {
    let mut page = String::new();
    header(&mut page, findings, failures);
    let single = Setting { single: true, ..Setting::default() };
    for (case, outcomes) in &findings.plain {
        section(&mut page, case, outcomes, &Setting::default());
    }
    page += "## Single precision\n\nThe same code in `f32`, at the sizes of the default tests. \
             Each gate on a length or value is at least 2e-6 of the diagonal of the box, on rates \
             and areas 1e-4, for curvature 1e-3 of a cell; orders are asked for only while the \
             finest error is ten times that.\n\n";
    table_head(&mut page, "case, mesh");
    for (case, outcomes) in &findings.single {
        for outcome in outcomes {
            rows(&mut page, &format!("{} {}", case.id, outcome.series.mesh), outcome, &single);
        }
    }
    page += "\n## Planar meshes turned in R^3\n\nThe same planar meshes, turned about no \
             particular axis and solved as surfaces: largest difference of all numbers from those \
             of the plane.\n\n| case | mesh | difference | gate | |\n|---|---|---|---|---|\n";
    for (case, mesh, difference) in &findings.turned {
        let verdict = if *difference <= gates.turned { "pass" } else { "**FAIL**" };
        let (difference, gate) = (number(*difference), number(gates.turned));
        let _ = writeln!(page, "| {} | {mesh} | {difference} | {gate} | {verdict} |", case.id);
    }
    if let Some(ratio) = findings.cost_ratio {
        let _ = writeln!(
            page,
            "\n## Cost of a step\n\nThe same circle in a band of 5 cells, in a domain of 16 times the \
             area (128 and 512 cells per side, one thread, median over pairs of runs): {ratio:.2} \
             times the time per step, gate {}.",
            gates.cost_ratio
        );
    }
    if findings.backend == Backend::Cuda {
        page.push('\n');
        page.push_str(CPU_ONLY);
    }
    page
}

fn header(page: &mut String, findings: &Findings, failures: &[String]) {
    let outcomes = findings.plain.iter().chain(&findings.single).flat_map(|(_, outcomes)| outcomes);
    let numbers: usize = outcomes
        .flat_map(|outcome| outcome.verdicts(&Setting::default()))
        .map(|verdict| {
            verdict.gates.iter().flatten().count() + usize::from(verdict.order.is_some())
        })
        .sum();
    let (title, command) = match findings.backend {
        Backend::Cpu => ("Verification", COMMAND.to_string()),
        Backend::Cuda => ("Verification on a GPU", format!("ZEROSET_BACKENDS=cuda {COMMAND}")),
    };
    let _ = writeln!(
        page,
        "# {title}\n\n\
         Cases with known solutions, as numbered in the numerics companion (section 11). This page \
         is written by\n\n\
         ```\n{command} -- --ignored\n```\n\n\
         and asserted by the same code; `{command}` runs the smaller sizes.\n\n\
         - zeroset {}, commit {}\n- {}\n- {}\n- {} cases, {numbers} gates and orders, {:.0} s; {}\n",
        env!("CARGO_PKG_VERSION"),
        commit(),
        machine(findings.backend),
        output("rustc", &["--version"]).unwrap_or_else(|| "unknown compiler".to_string()),
        findings.plain.len(),
        findings.seconds,
        match failures.len() {
            0 => "all pass".to_string(),
            n => format!("**{n} failures**"),
        },
    );
    page.push_str(
        "Unless stated: square [-1, 1]^2 with n cells per side (cube: six tetrahedra per cell), \
         signed distance as initial phi, whole domain, no reinitialization, C = 1. Meshes: `diag` (all \
         diagonals parallel), `cross` (alternating), `jit` (diag, interior vertices moved by up to \
         0.25 cells), `del` (Delaunay, moved by up to 0.35), `equi` (nearly equilateral rows), \
         `obt` (staggered rows, angles up to 113 degrees), `kuhn` and `tets` (cube; the latter \
         moved by up to 0.15), `ico` (icosahedron, subdivided), `cylinder`, `cone`, `tip` (cone \
         with its tip), `torus`. \"mean\" and \"max\" are of the exact distance at all crossings \
         of mesh edges with the interface, \"area\" is the relative difference of the enclosed \
         area or volume. \"Expected\" are the companion's numbers, measured with another \
         implementation (meshes with random vertices come from another generator). The gate is \
         1.5 times that unless the companion states another. Orders are between the last two \
         sizes.\n\n",
    );
    let differing: Vec<_> =
        findings.plain.iter().filter(|(c, _)| !c.deviation.is_empty()).collect();
    page.push_str("Where data, numbers or gates differ from the companion:\n\n");
    for (case, _) in differing {
        let _ = writeln!(page, "- **{}**: {}", case.id, case.deviation);
    }
    page.push('\n');
}

fn section(page: &mut String, case: &Case, outcomes: &[Outcome], setting: &Setting) {
    let _ = writeln!(page, "## {} {}\n\n{}.", case.id, case.title, case.exact);
    if !case.note.is_empty() {
        let _ = writeln!(page, "{}", case.note);
    }
    page.push('\n');
    table_head(page, "mesh");
    for outcome in outcomes {
        rows(page, outcome.series.mesh, outcome, setting);
    }
    page.push('\n');
}

fn table_head(page: &mut String, first: &str) {
    let _ = writeln!(
        page,
        "| {first} | sizes | quantity | expected | measured | gate | order | |\n\
         |---|---|---|---|---|---|---|---|"
    );
}

fn rows(page: &mut String, name: &str, outcome: &Outcome, setting: &Setting) {
    let sizes: Vec<String> = outcome.sizes.iter().map(u32::to_string).collect();
    for (k, verdict) in outcome.verdicts(setting).iter().enumerate() {
        let (name, sizes) = if k == 0 { (name, sizes.join(" / ")) } else { ("", String::new()) };
        let _ = writeln!(page, "| {name} | {sizes} | {} |", cells(verdict).join(" | "));
    }
}

/// Quantity, expected, measured, gate, order, verdict.
pub fn cells(verdict: &Verdict) -> [String; 6] {
    let list = |items: Vec<Option<String>>| {
        if items.iter().all(Option::is_none) {
            return String::new();
        }
        let items: Vec<String> =
            items.into_iter().map(|item| item.unwrap_or_else(|| "-".to_string())).collect();
        // The same gate at all sizes is said once.
        if items.len() > 1 && items.windows(2).all(|pair| pair[0] == pair[1]) {
            return items[0].clone();
        }
        items.join(" / ")
    };
    let order = match (verdict.order, verdict.row.order) {
        (Some(order), Some(bounds)) if bounds.most.is_finite() => {
            format!("{order:.2} ({} to {})", bounds.least, bounds.most)
        }
        (Some(order), Some(bounds)) if bounds.least.is_finite() => {
            format!("{order:.2} (≥ {})", bounds.least)
        }
        (Some(order), _) => format!("{order:.2}"),
        _ => String::new(),
    };
    let is_judged = verdict.gates.iter().any(Option::is_some) || verdict.order.is_some();
    let passes = match (verdict.failures.is_empty(), is_judged) {
        (false, _) => "**FAIL**",
        (true, true) => "pass",
        (true, false) => "",
    };
    [
        verdict.row.quantity.to_string(),
        list(verdict.expected.iter().map(|e| e.map(number)).collect()),
        verdict.measured.iter().map(|&x| number(x)).collect::<Vec<_>>().join(" / "),
        list(verdict.gates.clone()),
        order,
        passes.to_string(),
    ]
}

/// The command that runs the cases.
const COMMAND: &str = "cargo test --release --test verification";

/// Commit of the sources, and whether they were changed since.
fn commit() -> String {
    let Some(commit) = output("git", &["rev-parse", "--short=12", "HEAD"]) else {
        // Away from the repository only the build knows.
        return zeroset::output::COMMIT.to_string();
    };
    let changed = output("git", &["status", "--porcelain", "--", "src", "tests", "Cargo.toml"]);
    let suffix = if changed.is_some() { ", with changes" } else { "" };
    format!("{commit}{suffix}")
}

/// GPU, CPU, cores, system; nothing that names this very machine.
fn machine(on: Backend) -> String {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_string())
    });
    let cpu = cpu.unwrap_or_else(|| std::env::consts::ARCH.to_string());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let cpu = format!("{cpu}, {threads} threads, {}", std::env::consts::OS);
    match on {
        Backend::Cpu => cpu,
        Backend::Cuda => format!("{}; {cpu}", backend::description()),
    }
}

/// What a program prints, if it succeeds and prints something.
fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let folder = root();
    let output = Command::new(program).args(arguments).current_dir(folder).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_string();
    (output.status.success() && !text.is_empty()).then_some(text)
}
