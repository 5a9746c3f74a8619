//! The plot of the measures of a run: curves over time, as SVG.

use std::path::Path;

use crate::config::Units;
use crate::error::{Error, Result};
use crate::plot::{self, Curve};

/// Columns that identify the rows and therefore are not plotted.
const NOT_PLOTTED: [&str; 2] = ["step", "time"];

/// Reads the file `measures.csv` of a run and returns a plot of its columns over time as SVG text.
/// The names of the axes state the units.
///
/// # Errors
/// Returns [`Error::Input`] if the file cannot be read, if it has no column `time` or no rows, or
/// if a row is damaged. For a damaged row, the error gives the line.
pub fn plot_measures(path: &Path, title: &str, units: &Units) -> Result<String> {
    let text = std::fs::read_to_string(path)
        .map_err(|e| Error::input(path, "", e.to_string(), "name the measures.csv of a run"))?;
    let mut curves = curves(&text).map_err(|(line, what)| {
        Error::input(path, format!("line {line}"), what, "name the measures.csv of a run")
    })?;
    for curve in &mut curves {
        curve.name = named(&curve.name, &unit(&curve.name, units));
    }
    plot::svg(title, &named("time", &units.of_time()), &curves).map_err(|error| error.in_file(path))
}

/// Returns the units that the report next to `measures.csv` states. They are unknown if there is no
/// such report.
pub fn units_of_run(measures: &Path) -> Units {
    #[derive(Default, serde::Deserialize)]
    struct Head {
        #[serde(default)]
        units: Units,
    }
    let text = std::fs::read(measures.with_file_name("report.json")).unwrap_or_default();
    let head: Head = serde_json::from_slice(&text).unwrap_or_default();
    head.units
}

/// Returns the name of an axis with its unit, such as "time (ms)".
fn named(name: &str, unit: &str) -> String {
    if unit.is_empty() { name.to_string() } else { format!("{name} ({unit})") }
}

/// Returns the unit of a column, or an empty string if it has none.
fn unit(name: &str, units: &Units) -> String {
    match name {
        "dt" => units.of_time(),
        "interface length" | "phi min" | "phi max" => units.of_length(),
        "interface area" | "enclosed area" => units.of_area(),
        "enclosed volume" => units.of_volume(),
        _ => String::new(),
    }
}

/// Returns the columns of a table as curves over the column `time`, or the line and a description
/// of a flaw.
fn curves(text: &str) -> Result<Vec<Curve>, (usize, String)> {
    let mut lines = text.lines().enumerate().map(|(k, line)| (k + 1, line));
    let names: Vec<&str> = lines.next().map_or("", |(_, head)| head).split(',').collect();
    let Some(time) = names.iter().position(|name| *name == "time") else {
        return Err((1, "has no column \"time\"".into()));
    };
    let new = |name: &&str| Curve { name: name.replace('_', " "), ..Curve::default() };
    let mut curves: Vec<Curve> = names.iter().map(new).collect();
    for (line, row) in lines.filter(|(_, row)| !row.trim().is_empty()) {
        let numbers: Vec<f64> = row
            .split(',')
            .map(|word| word.trim().parse())
            .collect::<Result<_, _>>()
            .map_err(|_| (line, "expected numbers separated by commas".to_string()))?;
        if numbers.len() != names.len() {
            let what = format!("has {} numbers, expected {}", numbers.len(), names.len());
            return Err((line, what));
        }
        for (curve, &number) in curves.iter_mut().zip(&numbers) {
            curve.points.push([numbers[time], number]);
        }
    }
    let mut names = names.iter();
    curves.retain(|_| names.next().is_some_and(|name| !NOT_PLOTTED.contains(name)));
    Ok(curves)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_become_curves_and_flaws_are_named_with_their_line() {
        let text = "step,time,dt,enclosed_area\n0,0.0,0.0,2.5\n7,0.5,1e-3,2.25\n\n";
        let found = curves(text).unwrap();
        let names: Vec<&str> = found.iter().map(|curve| curve.name.as_str()).collect();
        assert_eq!(names, ["dt", "enclosed area"]);
        assert_eq!(found[1].points, [[0.0, 2.5], [0.5, 2.25]]);
        for (text, line, what) in [
            ("", 1, "has no column"),
            ("a,b\n1,2\n", 1, "has no column"),
            ("step,time\n1,2,3\n", 2, "has 3 numbers, expected 2"),
            ("step,time\n1,2\n1,x\n", 3, "expected numbers"),
        ] {
            let (found, said) = curves(text).unwrap_err();
            assert!(found == line && said.contains(what), "{text:?}: line {found}: {said}");
        }
    }
}
