//! The comparison of two results as text for the screen.

use std::path::Path;

use crate::cli::columns::aligned;
use crate::compare::{ArrayDifference, Comparison, Place, ShapeDifference, Source, Tolerance};
use crate::words::{counted, short};

/// Columns of the table of arrays.
const HEAD: [&str; 6] = ["array", "values", "beyond", "mean", "largest", "where"];

/// The largest number of names that are listed.
const LISTED: usize = 12;

/// Returns the comparison as text: a table for each pair of files, and one line with the verdict.
pub(super) fn text(a: &Path, b: &Path, found: &Comparison) -> String {
    let mut text = format!("A          {}\nB          {}\n", a.display(), b.display());
    text += &format!("tolerance  {}\n", tolerance(found.tolerance));
    found.sources.iter().for_each(|source| text += &section(source, found.tolerance));
    text + "\n" + &verdict(found)
}

fn tolerance(tolerance: Tolerance) -> String {
    let Tolerance { absolute, relative } = tolerance;
    let range = format!("{} of the range of each array", short(relative));
    match (absolute > 0.0, relative > 0.0) {
        (false, false) => "0: bitwise identical values are equal".into(),
        (true, false) => short(absolute),
        (false, true) => range,
        (true, true) => format!("{}, or {range}", short(absolute)),
    }
}

/// Formats the comparison of one pair of files.
fn section(source: &Source, tolerance: Tolerance) -> String {
    let mut title = source.name.clone();
    if let Some(n) = source.states {
        let states = counted(n, ["pair of states", "pairs of states"]);
        title = if title.is_empty() { states } else { format!("{title}: {states}") };
    }
    let mut text = "\n".to_string();
    if !title.is_empty() {
        text += &format!("{title}\n");
    }
    let is_same = |array: &&ArrayDifference| array.largest_at.is_none();
    let same: Vec<&ArrayDifference> = source.arrays.iter().filter(is_same).collect();
    let others: Vec<&ArrayDifference> = source.arrays.iter().filter(|a| !is_same(a)).collect();
    if !others.is_empty() {
        let rows = others.iter().flat_map(|array| rows(array));
        let rows: Vec<[String; 6]> = std::iter::once(HEAD.map(String::from)).chain(rows).collect();
        text += &aligned(&rows, [true, false, false, false, false, true]);
    }
    if !same.is_empty() {
        let values: u64 = same.iter().map(|array| array.values).sum();
        let values = counted(values, ["value", "values"]);
        text += &format!("  identical: {} ({values})\n", names(&same));
    }
    source.shape.iter().for_each(|found| text += &shape(found, tolerance));
    for finding in &source.findings {
        let mark = if finding.counts { "different" } else { "note" };
        text += &format!("  {mark}: {}\n", finding.text());
    }
    text
}

/// Lists the names of arrays. A long list is shortened.
fn names(arrays: &[&ArrayDifference]) -> String {
    let names: Vec<&str> = arrays.iter().map(|array| array.name.as_str()).collect();
    match names.len() {
        n if n > LISTED => format!("{} and {} more", names[..LISTED].join(", "), n - LISTED),
        _ => names.join(", "),
    }
}

/// Returns the lines of an array: its difference, and the first value beyond the tolerance if it is
/// not the one with the largest difference.
fn rows(array: &ArrayDifference) -> Vec<[String; 6]> {
    let place = |place: &Option<Place>| place.as_ref().map_or(String::new(), where_);
    let mut rows = vec![[
        array.name.clone(),
        array.values.to_string(),
        array.beyond.to_string(),
        short(array.mean),
        short(array.largest),
        place(&array.largest_at),
    ]];
    let key = |place: &Option<Place>| {
        let place = place.as_ref()?;
        Some((place.row.clone(), place.component, place.time.map(f64::to_bits)))
    };
    if array.first_at.is_some() && key(&array.first_at) != key(&array.largest_at) {
        let first = format!("first at {}", place(&array.first_at));
        let [a, b, c, d, e] = std::array::from_fn(|_| String::new());
        rows.push([a, b, c, d, e, first]);
    }
    rows
}

/// Describes a place and both values.
fn where_(place: &Place) -> String {
    let mut words = Vec::new();
    words.extend((!place.row.is_empty()).then(|| place.row.clone()));
    words.extend(place.component.map(|k| format!("component {k}")));
    let position = place.position.map(|x| x.map(short).join(", "));
    words.extend(position.map(|x| format!("at ({x})")));
    words.extend(place.time.map(|time| format!("time {time}")));
    let at = words.join(", ");
    let values = format!("{:?} in A, {:?} in B", place.a, place.b);
    if at.is_empty() { values } else { format!("{at}: {values}") }
}

/// Formats the comparison of two shapes with different vertices.
fn shape(shape: &ShapeDifference, tolerance: Tolerance) -> String {
    let time = shape.time.map_or(String::new(), |time| format!(", at time {time}"));
    let [a, b] = shape.vertices;
    let mut text = format!(
        "  {} with other vertices ({a} in A, {b} in B){time}: {}\n",
        shape.kind,
        if shape.is_within(tolerance) { "within the tolerance" } else { "different" }
    );
    let mut lines = vec![["distance", "mean", "largest", "where"].map(String::from)];
    for (name, found) in [("A to B", &shape.a_to_b), ("B to A", &shape.b_to_a)] {
        let at = format!("vertex {} at ({})", found.vertex, found.position.map(short).join(", "));
        lines.push([name.into(), short(found.mean), short(found.largest), at]);
    }
    text += &aligned(&lines, [true, false, false, true]);
    let [a, b] = shape.components;
    let parts = format!("components {a} in A, {b} in B");
    text += &match shape.measure_name() {
        "" => String::new(),
        name => {
            let [a, b] = shape.measure;
            format!("  {name} {a:?} in A, {b:?} in B; {parts}\n")
        }
    };
    text
}

/// Returns the last line, which states whether A and B are equal.
fn verdict(found: &Comparison) -> String {
    let arrays = || found.sources.iter().flat_map(|source| &source.arrays);
    let shapes = || found.sources.iter().filter_map(|source| source.shape.as_ref());
    let values: u64 = arrays().map(|array| array.values).sum();
    let parts = [
        (arrays().count(), ["array", "arrays"]),
        (shapes().count(), ["shape", "shapes"]),
        (usize::try_from(values).unwrap_or(usize::MAX), ["value", "values"]),
    ];
    let of = listed(&parts);
    if found.equal {
        return match found.tolerance.is_exact() {
            true => format!("identical: {of}\n"),
            false => format!("equal within the tolerance: {of}\n"),
        };
    }
    let beyond = arrays().filter(|array| array.beyond > 0).count();
    let shapes = shapes().filter(|shape| !shape.is_within(found.tolerance)).count();
    let findings = found.sources.iter().flat_map(|source| &source.findings);
    let others = findings.filter(|finding| finding.counts).count();
    let parts = [
        (beyond, ["array", "arrays"]),
        (shapes, ["shape", "shapes"]),
        (others, ["other difference", "other differences"]),
    ];
    format!("different: {} (of {of})\n", listed(&parts))
}

/// Lists the counts that are not zero.
fn listed(parts: &[(usize, [&str; 2])]) -> String {
    let named = parts.iter().filter(|(n, _)| *n > 0).map(|(n, words)| counted(*n, *words));
    let named: Vec<String> = named.collect();
    if named.is_empty() { "nothing to compare".into() } else { named.join(", ") }
}
