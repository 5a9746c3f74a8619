//! Runs cases, prints what they give, fails where a gate is not met.

use std::time::Instant;

use crate::case::{Case, Outcome, Scope, Series};
use crate::domains::Setting;

/// Runs one series of a case.
pub fn run(case: &Case, series: &'static Series, setting: &Setting, scope: Scope) -> Outcome {
    let start = Instant::now();
    let sizes = series.sizes(scope);
    let once = |&size: &u32| {
        let numbers = (case.measure)(setting, series.mesh, size);
        assert_eq!(numbers.len(), series.rows.len(), "{} on {}", case.id, series.mesh);
        numbers
    };
    let measured = sizes.iter().map(once).collect();
    Outcome { series, sizes, measured, seconds: start.elapsed().as_secs_f64() }
}

/// A default test: the first sizes of every series.
pub fn check(case: &Case) {
    check_in(case, &Setting::default(), |_| true);
}

/// The same for some meshes in another setting.
pub fn check_in(case: &Case, setting: &Setting, takes: impl Fn(&Series) -> bool) {
    let mut failures = Vec::new();
    let scope = match std::env::var("ZEROSET_SCOPE") {
        Ok(_) => Scope::Full,
        _ => Scope::Quick,
    };
    for series in case.series.iter().filter(|s| (s.quick > 0 || scope == Scope::Full) && takes(s)) {
        let outcome = run(case, series, setting, scope);
        println!("{} {} ({:.1} s)", case.id, series.mesh, outcome.seconds);
        for verdict in outcome.verdicts(setting) {
            println!(
                "    {:16} {} | {} | gate {} | order {}",
                verdict.row.quantity,
                list(&verdict.measured),
                list(verdict.row.expected),
                verdict.gates.join(" / "),
                verdict.order.map_or("-".into(), |order| format!("{order:.2}"))
            );
            failures.extend(verdict.failures.iter().map(|f| format!("{}: {f}", series.mesh)));
        }
    }
    assert!(failures.is_empty(), "{} {}:\n{}", case.id, case.title, failures.join("\n"));
}

/// Numbers with slashes between.
pub fn list(numbers: &[f64]) -> String {
    numbers.iter().map(|v| format!("{v:.2e}")).collect::<Vec<_>>().join(" / ")
}
