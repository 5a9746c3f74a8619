//! Writes `docs/verification.md` and `docs/verification-cuda.md`, which compare the measured
//! numbers with the expected ones.

use std::fmt::Write;
use std::process::Command;

use crate::backend::{self, Backend};
use crate::case::{Case, Outcome, Verdict};
use crate::domains::Setting;
use crate::runner::Task;
use zeroset_testing::checkout::root;

/// The largest width of a line of prose on the pages.
const WIDTH: usize = 100;

/// The conventions of the pages. Each entry is a paragraph and the list items below it.
const CONVENTIONS: &[(&str, &[&str])] = &[
    (
        "Unless a case says otherwise, the domain is the square [-1, 1]^2 with n cells per side, \
         or the cube [-1, 1]^3 with n cells per side and six tetrahedra per cell. phi starts as \
         the signed distance. The whole domain is solved without reinitialization, and the CFL \
         factor C is 1. The symbols are:",
        &[
            "a: the velocity.",
            "eps: the normal speed.",
            "beta: the curvature coefficient.",
            "R: the radius of a circle, disk or sphere; R0 is its value at the start.",
            "w: the half width of the band.",
        ],
    ),
    (
        "The meshes are:",
        &[
            "`diag`: the square with parallel diagonals.",
            "`cross`: the square with alternating diagonals.",
            "`jit`: `diag` with interior vertices moved by up to 0.25 cells along each axis.",
            "`del`: a Delaunay mesh of the square with interior vertices moved by up to 0.35 cells \
             along each axis.",
            "`equi`: the square with rows of nearly equilateral triangles.",
            "`obt`: the square with staggered rows and angles of up to 113 degrees.",
            "`kuhn` and `tets`: the cube. The interior vertices of `tets` are moved by up to 0.15 \
             cells along each axis.",
            "`ico`: the unit sphere, as an icosahedron that is subdivided n times.",
            "`cylinder`, `cone`, `tip` (the cone with its tip) and `torus`: surfaces of revolution \
             with n cells around the axis.",
        ],
    ),
    (
        "The columns and quantities are:",
        &[
            "\"mean\" and \"max\": the mean and the largest distance from the exact interface, \
             over all crossings of mesh edges with the computed interface. For distances and \
             reinitialization, \"L1\" and \"max\" are the mean and the largest error at the \
             vertices.",
            "\"area\": the relative error of the enclosed area or volume.",
            "\"expected\": the number that the companion states. Its random meshes come \
             from a different generator.",
            "\"gate\": the bound on the measured number. It is 1.5 times the expected number \
             unless the companion or the text of the case states another gate.",
            "\"order\": the order of convergence between the last two sizes. The required order is \
             in parentheses. V14 and V55 to V57 use the first and the last size.",
        ],
    ),
];

/// Remarks on what does not run on a GPU. They are printed on the page for the GPU.
const CPU_ONLY: &[&str] = &[
    "Three groups of tests run on the CPU only: random meshes and the time step \
     (`properties.rs`), bitwise identical results for every number of threads and every partition \
     (`determinism.rs`), and the cost of a step (`cost.rs`). `tests/cuda` checks that a GPU gives \
     bitwise identical results in every run, and the same values for every patch size.",
    "In V26 to V37 and V54, the CPU computes the initial values of distances and of \
     reinitialization. An evolution on the GPU reinitializes only on the GPU.",
    "In V38, the GPU uses its own number of repetitions inside a patch, so the rows for \
     different numbers of repetitions equal the first row.",
    "In single precision, V42 does not run because it compares precisions itself. V38 does not run \
     on the sphere, because fronts cross the whole sphere from one vertex, and each patch along \
     the way may withhold a change below the tolerance.",
    "V44 to V53 (grids, tiles, the octree of samples and distances to points) do not run. \
     `tests/cuda` compares the GPU with the CPU for these.",
    "Meshes, norms, interfaces and areas are computed on the CPU.",
];

/// Formats a number for the tables.
pub fn number(x: f64) -> String {
    if x == 0.0 {
        return "0".to_string();
    }
    if x.fract() == 0.0 && x.abs() < 1e6 {
        return format!("{x}");
    }
    match x.abs() {
        a if (1e-2..1e3).contains(&a) => {
            // This prints three significant digits below 1, and four or more for larger numbers.
            let digits = if a < 0.1 { 4 } else { 3 };
            format!("{x:.digits$}")
        }
        a if a.is_finite() => format!("{x:.1e}"),
        _ => format!("{x}"),
    }
}

/// The results of a complete run.
pub struct Findings<'a> {
    /// The backend of the run.
    pub backend: Backend,
    /// The cases in the plain setting.
    pub plain: Vec<(&'a Case, Vec<Outcome>)>,
    /// The cases in single precision.
    pub single: Vec<(&'a Case, Vec<Outcome>)>,
    /// The cases that also ran on planar meshes rotated in R^3, with the mesh and the largest
    /// difference from the results on the original mesh.
    pub turned: Vec<(&'a Case, &'static str, f64)>,
    /// The cost of a step in a domain with 16 times the area, divided by the cost in the small
    /// domain. `None` if it was not measured.
    pub cost_ratio: Option<f64>,
    /// The duration of the run in seconds.
    pub seconds: f64,
}

/// Groups the outcomes of tasks by case.
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

/// The gates that do not belong to a case.
pub struct Gates {
    /// The largest difference allowed between the results on a rotated mesh and on the original
    /// mesh.
    pub turned: f64,
    /// The largest cost ratio allowed.
    pub cost_ratio: f64,
}

/// Returns the text of the page.
pub fn page(findings: &Findings, gates: &Gates, failures: &[String]) -> String {
    let mut page = String::new();
    header(&mut page, findings, failures);
    let single = Setting { single: true, ..Setting::default() };
    for (case, outcomes) in &findings.plain {
        section(&mut page, case, outcomes, &Setting::default());
    }
    page += "## Single precision\n\n";
    paragraph(
        &mut page,
        "The cases in this table are also solved in `f32`, at the sizes of the default tests. Each \
         gate is at least 2e-6 of the diagonal of the box for lengths and values, 1e-4 for rates \
         and areas, and 1e-3 of a cell for curvature. An order is required only if the error at \
         the finest size is more than ten times this lower limit of the gate.",
    );
    table_head(&mut page, "case, mesh");
    for (case, outcomes) in &findings.single {
        for outcome in outcomes {
            rows(&mut page, &format!("{} {}", case.id, outcome.series.mesh), outcome, &single);
        }
    }
    page += "\n## Planar meshes rotated in R^3\n\n";
    paragraph(
        &mut page,
        "The planar meshes are rotated about an arbitrary axis and solved as surfaces. For each \
         mesh of each case, the table shows the largest difference between a number on the rotated \
         mesh and the same number on the planar mesh.",
    );
    page += "| case | mesh | difference | gate | |\n|---|---|---|---|---|\n";
    for (case, mesh, difference) in &findings.turned {
        let verdict = if *difference <= gates.turned { "pass" } else { "**FAIL**" };
        let (difference, gate) = (number(*difference), number(gates.turned));
        let _ = writeln!(page, "| {} | {mesh} | {difference} | {gate} | {verdict} |", case.id);
    }
    if let Some(ratio) = findings.cost_ratio {
        let text = format!(
            "A circle in a band of 5 cells moves in a small domain and in a domain with 16 times \
             the area (128 and 512 cells per side, one thread, median over pairs of runs). A step \
             in the large domain takes {ratio:.2} times as long. The gate is {}.",
            gates.cost_ratio
        );
        let _ = writeln!(page, "\n## Cost of a step\n\n{}", wrap(&text, ""));
    }
    if findings.backend == Backend::Cuda {
        page += "\n## What does not run on a GPU\n\n";
        for text in CPU_ONLY {
            item(&mut page, text);
        }
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
    let verdict = match failures.len() {
        0 => "all pass".to_string(),
        n => format!("**{n} failures**"),
    };
    let _ = writeln!(page, "# {title}\n");
    paragraph(
        page,
        "This page compares the solvers with known solutions. The cases come from the numerics \
         companion (section 11), a separate document with results of another implementation. This \
         command writes the page:",
    );
    let _ = writeln!(page, "```\n{command} -- --ignored\n```\n");
    let smaller = format!("The same code checks the numbers. `{command}` runs the smaller sizes.");
    paragraph(page, &smaller);
    item(page, &format!("zeroset {}, commit {}", env!("CARGO_PKG_VERSION"), commit()));
    item(page, &machine(findings.backend));
    item(page, &output("rustc", &["--version"]).unwrap_or_else(|| "unknown compiler".to_string()));
    let (cases, seconds) = (findings.plain.len(), findings.seconds);
    item(page, &format!("{cases} cases, {numbers} gates and orders, {seconds:.0} s; {verdict}"));
    page.push('\n');
    for (text, items) in CONVENTIONS {
        paragraph(page, text);
        for text in *items {
            item(page, text);
        }
        page.push('\n');
    }
    let differing: Vec<_> =
        findings.plain.iter().filter(|(c, _)| !c.deviation.is_empty()).collect();
    paragraph(page, "These cases differ from the companion in their data, numbers or gates:");
    for (case, _) in differing {
        item(page, &format!("**{}**: {}", case.id, case.deviation));
    }
    page.push('\n');
}

/// Appends a paragraph and an empty line.
fn paragraph(page: &mut String, text: &str) {
    let _ = writeln!(page, "{}\n", wrap(text, ""));
}

/// Appends a list item.
fn item(page: &mut String, text: &str) {
    let _ = writeln!(page, "{}", wrap(&format!("- {text}"), "  "));
}

/// Wraps prose at [`WIDTH`] columns. All lines but the first start with `indent`.
fn wrap(text: &str, indent: &str) -> String {
    // Markdown interprets a minus sign at the start of a line as the start of a list item. An
    // operator therefore stays on the line of the preceding word.
    let mut pieces: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match pieces.last_mut() {
            Some(piece) if !word.chars().any(char::is_alphanumeric) => {
                piece.push(' ');
                piece.push_str(word);
            }
            _ => pieces.push(word.to_string()),
        }
    }
    let mut wrapped = String::new();
    let mut width = 0;
    for piece in pieces {
        let length = piece.chars().count();
        if width > 0 && width + 1 + length > WIDTH {
            wrapped.push('\n');
            wrapped.push_str(indent);
            width = indent.len();
        } else if width > 0 {
            wrapped.push(' ');
            width += 1;
        }
        wrapped.push_str(&piece);
        width += length;
    }
    wrapped
}

fn section(page: &mut String, case: &Case, outcomes: &[Outcome], setting: &Setting) {
    let _ = writeln!(page, "## {} {}\n", case.id, case.title);
    paragraph(page, &format!("{} {}", case.exact, case.note));
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

/// Returns the cells of a table row: quantity, expected, measured, gate, order, verdict.
pub fn cells(verdict: &Verdict) -> [String; 6] {
    let list = |items: Vec<Option<String>>| {
        if items.iter().all(Option::is_none) {
            return String::new();
        }
        let items: Vec<String> =
            items.into_iter().map(|item| item.unwrap_or_else(|| "-".to_string())).collect();
        // A gate that is the same at all sizes is printed once.
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

/// Returns the commit of the sources, and a note if they have been changed since.
fn commit() -> String {
    let Some(commit) = output("git", &["rev-parse", "--short=12", "HEAD"]) else {
        // Outside the repository, only the build knows the commit.
        return zeroset::output::COMMIT.to_string();
    };
    let changed = output("git", &["status", "--porcelain", "--", "src", "tests", "Cargo.toml"]);
    let suffix = if changed.is_some() { ", with changes" } else { "" };
    format!("{commit}{suffix}")
}

/// Describes the GPU, the CPU, the threads and the operating system, without the name of the
/// machine.
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

/// Returns the output of a program, or `None` if the program fails or prints nothing.
fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let folder = root();
    let output = Command::new(program).args(arguments).current_dir(folder).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_string();
    (output.status.success() && !text.is_empty()).then_some(text)
}
