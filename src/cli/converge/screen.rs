//! A convergence study as text for the screen.

use std::path::PathBuf;

use crate::cli::columns::aligned;
use crate::converge::{Cost, Level, Quantity, Results};
use crate::primitives::memory::gibibytes;
use crate::words::short;

/// Columns of the table.
const HEAD: [&str; 10] =
    ["measure", "level", "h", "steps", "seconds", "value", "error", "order", "difference", "order"];

/// States what the finest level costs.
pub(super) fn cost(cost: &Cost, levels: u32) -> String {
    let finest = levels - 1;
    let times = format!("about {} times those of level 0", cost.growth);
    let longer = format!("it takes about {} times as long, or more", cost.work);
    match (cost.cells, cost.bytes) {
        (Some(cells), Some(bytes)) => format!(
            "level {finest} has {cells} cells, {times}, and needs at least {}; {longer}",
            gibibytes(bytes)
        ),
        _ => format!("level {finest} has tiles {times}; {longer}"),
    }
}

/// States that a level has run.
pub(super) fn done(level: &Level, levels: u32) -> String {
    let Level { level: k, cells, steps, seconds, .. } = level;
    format!("level {k} of 0 to {}: {cells} cells, {steps} steps, {seconds:.2} s", levels - 1)
}

/// Returns the table of all results, followed by the extrapolated values and the files.
pub(super) fn text(results: &Results, files: &[PathBuf]) -> String {
    let rows = results.quantities.iter().flat_map(|found| rows(found, &results.levels));
    let rows: Vec<[String; 10]> = std::iter::once(HEAD.map(String::from)).chain(rows).collect();
    let mut left = [false; 10];
    left[0] = true;
    let mut text = aligned(&rows, left);
    let extrapolated: Vec<[String; 3]> = results
        .quantities
        .iter()
        .filter(|found| found.exact != Some(0.0))
        .filter_map(|found| {
            let exact = found.exact.map_or(String::new(), |exact| format!("exact {exact}"));
            Some([found.name.clone(), format!("{:.8}", found.extrapolated?), exact])
        })
        .collect();
    if !extrapolated.is_empty() {
        text += "\nextrapolated from the last three levels\n";
        text += &aligned(&extrapolated, [true, false, true]);
    }
    text += "\n";
    files.iter().for_each(|file| text += &format!("written    {}\n", file.display()));
    text
}

fn rows(found: &Quantity, levels: &[Level]) -> Vec<[String; 10]> {
    let optional = |x: Option<f64>| x.map_or("-".to_string(), short);
    let order = |x: Option<f64>| x.map_or("-".to_string(), |x| format!("{x:.2}"));
    let row = |(k, (level, row)): (usize, (&Level, &crate::converge::Row))| {
        [
            if k == 0 { found.name.clone() } else { String::new() },
            level.level.to_string(),
            short(level.h),
            level.steps.to_string(),
            format!("{:.2}", level.seconds),
            format!("{:.8}", row.value),
            optional(row.error),
            order(row.error_order),
            optional(row.difference),
            order(row.difference_order),
        ]
    };
    levels.iter().zip(&found.rows).enumerate().map(row).collect()
}
