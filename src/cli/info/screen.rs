//! Formats the facts of `zeroset info` as text that fits one screen.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use super::arrays::{ArrayFacts, GroupFacts, Number};
use super::report::{Report, Verdict};
use crate::error::shown;
use crate::io::{FileFrame, Frame, listed};
use crate::mesh::Kind;
use crate::mesh::repair::Repair;
use crate::words::{SIMPLICES, between, noun, short};

/// The largest number of groups, arrays, cell types or warnings that are listed. The others are
/// only counted.
const LISTED: usize = 5;

/// Returns the text that `zeroset info` prints without `--json`.
pub(super) fn text(path: &Path, report: &Report) -> String {
    let mut lines = Lines(format!("{}\n", shown(path)));
    if let Some(format) = &report.format {
        let version = report.version.as_deref().unwrap_or("");
        let units = report.units.as_ref().map(|unit| format!(", lengths in {unit}"));
        let space = report.space.as_ref().map(|space| format!(", space {}", printable(space)));
        lines.add(
            "format",
            format!("{format} {version}").trim_end().to_string()
                + &units.unwrap_or_default()
                + &space.unwrap_or_default(),
        );
        if let Some(line) = time_line(report) {
            lines.add("time", line);
        }
        if let Some(frame) = &report.frame {
            lines.add("frame", frame_line(frame));
        }
        content(&mut lines, report);
    } else {
        lines.add("format", "data arrays without a mesh".into());
        // The columns x, y and z of a table are points.
        if let Some(cloud) = &report.cloud {
            cloud.lines().into_iter().for_each(|(label, content)| lines.add(label, content));
        }
    }
    lines.list("groups", report.groups.iter().map(group_line));
    lines.list("arrays", report.arrays.iter().map(array_line));
    if let Some(verdict) = &report.cleaning {
        lines.add("solver", verdict_line(verdict));
        lines.list("doubts", verdict.doubts.iter().cloned());
    }
    lines.0
}

/// Describes the time of the state and the times of its series. Returns `None` if the file states
/// no time.
fn time_line(report: &Report) -> Option<String> {
    let time = report.time?;
    Some(match report.times.as_slice() {
        [] => time.to_string(),
        [_] => format!("{time}, the only state"),
        times => format!("{time}, one of {}", listed(times)),
    })
}

/// Describes the frame of the coordinates.
fn frame_line(frame: &FileFrame) -> String {
    let name = match frame.coordinates {
        Some(Frame::Tkr) => "tkr",
        Some(Frame::Scanner) => "scanner",
        _ => "unknown",
    };
    let c_ras =
        frame.c_ras.map(|[r, a, s]| format!(", c_ras {} {} {}", short(r), short(a), short(s)));
    let offset = match frame.offset() {
        None => ", relation to the scanner unknown".to_string(),
        Some(_) if frame.coordinates == Some(Frame::Scanner) => String::new(),
        Some(0.0) => ", same as the scanner".to_string(),
        Some(offset) => format!(", up to {offset:.3} mm off the scanner"),
    };
    name.to_string() + &c_ras.unwrap_or_default() + &offset
}

/// Lines of text, each with a label in the first column.
struct Lines(String);

impl Lines {
    fn add(&mut self, label: &str, content: String) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "  {label:<9} {content}");
    }

    /// Adds the first few items, then the number of the others.
    fn list(&mut self, label: &str, items: impl ExactSizeIterator<Item = String>) {
        let rest = items.len().saturating_sub(LISTED);
        for (index, item) in items.take(LISTED).enumerate() {
            self.add(if index == 0 { label } else { "" }, item);
        }
        if rest > 0 {
            self.add("", format!("... and {} more", thousands(rest)));
        }
    }
}

/// A word in singular and plural.
type Word = [&'static str; 2];

fn simplex(dimension: usize) -> Word {
    SIMPLICES[dimension.min(3)]
}

pub(super) fn counted(n: usize, words: Word) -> String {
    format!("{} {}", thousands(n), noun(n, words))
}

/// Adds the lines about the content of the file, except its groups and arrays.
fn content(lines: &mut Lines, report: &Report) {
    match (&report.volume, report.kind) {
        (Some(volume), _) => {
            let units = report.units.as_deref().map(printable);
            let found = volume.lines(units.as_deref());
            found.into_iter().for_each(|(label, content)| lines.add(label, content));
            bounds(lines, report);
        }
        (None, None) => points(lines, report),
        (None, Some(kind)) => {
            cells(lines, report, kind);
            bounds(lines, report);
            shape(lines, report, kind);
            topology(lines, report, kind);
        }
    }
}

/// Adds the lines about points without cells.
fn points(lines: &mut Lines, report: &Report) {
    lines.add("mesh", "points without cells".into());
    match &report.cloud {
        None => lines.add("vertices", count(report.vertices)),
        Some(cloud) => {
            cloud.lines().into_iter().for_each(|(label, content)| lines.add(label, content));
        }
    }
    if let Some(content) = as_stored(&report.cells_by_type, "") {
        lines.add("cells", content);
    }
    bounds(lines, report);
}

/// Adds the numbers and kinds of vertices and cells.
fn cells(lines: &mut Lines, report: &Report, kind: Kind) {
    let what = match kind {
        Kind::Planar => "triangles in the plane",
        Kind::Surface => "triangulated surface in space",
        Kind::Volume => "tetrahedra in space",
    };
    lines.add("mesh", what.into());
    let unused = match report.unreferenced.unwrap_or(0) {
        0 => String::new(),
        unused => format!(", {} not in any cell", thousands(unused)),
    };
    let coincident = match report.coincident.unwrap_or(0) {
        0 => String::new(),
        1 => ", 1 at the position of another".into(),
        n => format!(", {} at the positions of others", thousands(n)),
    };
    lines.add("vertices", count(report.vertices) + &unused + &coincident);
    let cell = simplex(kind.dimension());
    let stored =
        as_stored(&report.cells_by_type, cell[1]).map(|list| format!(", stored as {list}"));
    lines.add("cells", counted(report.cells.unwrap_or(0), cell) + &stored.unwrap_or_default());
}

/// Adds the lines about edge lengths and the shape of the cells.
fn shape(lines: &mut Lines, report: &Report, kind: Kind) {
    let lengths = [report.edge_min, report.edge_max, report.edge_mean];
    let [min, max, mean] = lengths.map(|length| length.map_or("?".into(), short));
    lines.add("edges", format!("{min} .. {max}, mean {mean}"));
    let at_vertex = if kind == Kind::Volume { simplex(3)[1] } else { "edges" };
    let valence = format!("at most {} {at_vertex} at a vertex", count(report.max_valence));
    let obtuse = report.obtuse_share.map(|share| format!("{:.1} % obtuse, ", 100.0 * share));
    let worst = report.quality_min.zip(report.worst_cell).map(|(quality, cell)| {
        format!(", worst quality {} (cell {})", short(quality), thousands(cell))
    });
    lines.add("shape", obtuse.unwrap_or_default() + &valence + &worst.unwrap_or_default());
}

/// Adds the lines about connectivity and faulty cells.
fn topology(lines: &mut Lines, report: &Report, kind: Kind) {
    let facet = simplex(kind.dimension() - 1)[1];
    let border = match report.boundary.unwrap_or(0) {
        0 => "no boundary".into(),
        boundary => format!("{facet} on the boundary: {}", thousands(boundary)),
    };
    let parts = counted(report.components.unwrap_or(0), ["component", "components"]);
    let euler = report.euler.unwrap_or(0);
    lines.add("topology", format!("{parts}, Euler number {euler}, {border}"));
    let faults: Vec<String> = [
        (report.nonmanifold, format!("nonmanifold {facet}")),
        (report.inconsistent, format!("inconsistent {facet}")),
        (report.degenerate, "degenerate".into()),
        (report.duplicate, "duplicate".into()),
        (report.inverted, "inverted".into()),
    ]
    .into_iter()
    .filter(|(found, _)| found.unwrap_or(0) > 0)
    .map(|(found, what)| format!("{what} {}", count(found)))
    .collect();
    lines.add("faults", if faults.is_empty() { "none".into() } else { faults.join(", ") });
}

fn count(n: Option<usize>) -> String {
    thousands(n.unwrap_or(0))
}

fn bounds(lines: &mut Lines, report: &Report) {
    let Some(bounds) = &report.bounds else { return };
    let axes = ["x", "y", "z"].iter().zip(bounds.min.iter().zip(&bounds.max));
    let ranges = axes.map(|(axis, (&low, &high))| format!("{axis} {}", between(low, high)));
    lines.add("box", ranges.collect::<Vec<_>>().join(",  "));
}

/// Returns the numbers of stored cells by type, or `None` if all of them are the simplices already
/// named.
fn as_stored(types: &BTreeMap<String, usize>, simplices: &str) -> Option<String> {
    if types.keys().all(|name| simplices.starts_with(name.as_str())) {
        return None;
    }
    let mut names: Vec<String> =
        types.iter().take(LISTED).map(|(name, &n)| format!("{} {name}", thousands(n))).collect();
    if types.len() > LISTED {
        names.push(format!("{} more types", types.len() - LISTED));
    }
    Some(names.join(", "))
}

fn group_line(group: &GroupFacts) -> String {
    let members = counted(group.members, simplex(group.dimension));
    format!("{:<24} {members}", printable(&group.name))
}

/// Replaces control characters in a name from a file, because they could control the terminal.
pub(super) fn printable(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

fn array_line(array: &ArrayFacts) -> String {
    let shape = match array.components {
        1 => array.numbers.to_string(),
        n => format!("{n} x {}", array.numbers),
    };
    let range = match (array.min, array.max) {
        (Some(min), Some(max)) => format!("{} .. {}", number(min), number(max)),
        _ => "no finite numbers".into(),
    };
    let (name, rows) = (printable(&array.name), thousands(array.rows));
    let others = match array.not_finite {
        0 => String::new(),
        n => format!(", {} not finite", thousands(n)),
    };
    format!("{name:<24} {range}{others} ({shape}, {rows} {})", array.on.plural())
}

fn verdict_line(verdict: &Verdict) -> String {
    match (&verdict.refused, &verdict.cleaning) {
        (Some(reason), _) => format!("rejects it: {reason}"),
        (None, Some(cleaning)) => {
            let repairs = verdict.repair.as_ref().and_then(Repair::summary);
            let changes: Vec<String> = repairs.into_iter().chain(cleaning.summary()).collect();
            let summary = match &changes[..] {
                [] => "as it is".to_string(),
                changes => format!("with {}", changes.join("; ")),
            };
            match cleaning.nonmanifold {
                0 => format!("accepts it {summary}"),
                n => format!("accepts it {summary}; nonmanifold and kept: {}", thousands(n)),
            }
        }
        (None, None) => String::new(),
    }
}

fn number(number: Number) -> String {
    match number {
        Number::Int(n) => n.to_string(),
        Number::Float(x) => short(x),
    }
}

/// Formats an integer with its digits in groups of three.
pub(super) fn thousands(n: usize) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_grouped() {
        assert_eq!([7, 1000, 1234567].map(thousands), ["7", "1,000", "1,234,567"]);
    }
}
