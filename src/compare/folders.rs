//! Comparison of two folders of runs.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Tolerance;
use super::findings::Source;
use super::subject::Subject;
use super::values::Paired;
use crate::error::{Error, Result};
use crate::mesh::Values;

/// The report of a run.
const REPORT: &str = "report.json";
/// The entries of the report that hold results. Other entries describe the case, the machine and
/// the files.
const RESULTS: [&str; 14] = [
    "status",
    "start_time",
    "time",
    "steps",
    "states",
    "reinitializations",
    "grad_norm_error",
    "first",
    "last",
    "drift",
    "mean_weight",
    "poor_cells",
    "distances",
    "reconstruction",
];
/// Entries within results that differ between two runs of the same case.
const LEFT_OUT: [&str; 2] = ["seconds", "files"];

/// A run folder, with its report.
struct Folder {
    path: PathBuf,
    report: Value,
}

impl Folder {
    fn open(path: &Path) -> Result<Self> {
        let file = path.join(REPORT);
        let remedy = "name the folder of a run that has written its report, or two files";
        let text = std::fs::read(&file)
            .map_err(|e| Error::input(path, "", format!("holds no {REPORT}: {e}"), remedy))?;
        let report: Value = serde_json::from_slice(&text)
            .map_err(|e| Error::input(&file, "", format!("is damaged: {e}"), remedy))?;
        if report["case"].as_str().is_none_or(str::is_empty) {
            return Err(Error::input(&file, "", "does not name its case", remedy));
        }
        Ok(Folder { path: path.to_path_buf(), report })
    }

    /// Returns the result files in the folder, each with its purpose. Pictures, and copies of the
    /// interface in other formats, are left out.
    fn files(&self) -> Vec<(&'static str, PathBuf)> {
        let case = self.report["case"].as_str().unwrap_or_default();
        let places = [
            ("states", format!("{case}.pvd")),
            ("states", format!("{case}.vtkhdf")),
            ("volumes", format!("{case}_volume.pvd")),
            ("interface", "interface.pvd".into()),
            ("paths", format!("{case}_paths.vtp")),
            ("measures.csv", "measures.csv".into()),
        ];
        let named = places.map(|(purpose, name)| (purpose, self.path.join(name)));
        named.into_iter().filter(|(_, file)| file.is_file()).collect()
    }
}

/// Compares two runs.
///
/// # Errors
/// Returns [`Error::Input`] if a folder is not that of a run or if a file cannot be read.
pub(super) fn compare(
    a: &Path,
    b: &Path,
    tolerance: Tolerance,
    warnings: &mut Vec<String>,
) -> Result<Vec<Source>> {
    let (a, b) = (Folder::open(a)?, Folder::open(b)?);
    let mut found = vec![reports(&a.report, &b.report, tolerance)];
    let (files_a, files_b) = (a.files(), b.files());
    let purposes = |files: &[(&'static str, PathBuf)]| -> Vec<&'static str> {
        files.iter().map(|(purpose, _)| *purpose).collect()
    };
    found[0].missing("output", &purposes(&files_a), &purposes(&files_b));
    for (purpose, file) in &files_a {
        let Some((_, other)) = files_b.iter().find(|(other, _)| other == purpose) else { continue };
        let (file, other) = (Subject::open(file)?, Subject::open(other)?);
        found.push(file.compare(&other, purpose, tolerance, warnings)?);
    }
    Ok(found)
}

/// Compares the results that two reports state.
fn reports(a: &Value, b: &Value, tolerance: Tolerance) -> Source {
    let mut source = Source::named(REPORT);
    for name in RESULTS {
        values(name, &a[name], &b[name], tolerance, &mut source);
    }
    source
}

/// Compares two JSON values recursively. Nested values have dotted names such as `last.enclosed`.
fn values(name: &str, a: &Value, b: &Value, tolerance: Tolerance, source: &mut Source) {
    let inner = |key: &str| format!("{name}.{key}");
    match (a, b) {
        (Value::Object(own), Value::Object(other)) => {
            let is_result = |key: &String| !LEFT_OUT.contains(&key.as_str());
            for (key, value) in own.iter().filter(|(key, _)| is_result(key)) {
                let against = other.get(key).unwrap_or(&Value::Null);
                values(&inner(key), value, against, tolerance, source);
            }
            let is_new = |key: &String| is_result(key) && !own.contains_key(key);
            for (key, value) in other.iter().filter(|(key, _)| is_new(key)) {
                values(&inner(key), &Value::Null, value, tolerance, source);
            }
        }
        (Value::Array(own), Value::Array(other)) if own.len() == other.len() => {
            for (k, (value, against)) in own.iter().zip(other).enumerate() {
                values(&inner(&k.to_string()), value, against, tolerance, source);
            }
        }
        (Value::Number(own), Value::Number(other)) => {
            let array = |number: &serde_json::Number| match number.as_i64() {
                Some(whole) => Values::Int(vec![whole]),
                None => Values::Float(vec![number.as_f64().unwrap_or(f64::NAN)]),
            };
            let (a, b) = (&array(own), &array(other));
            let paired = Paired { name, a, b, components: 1, rows: None, scale: None };
            source.arrays.push(paired.compare(tolerance, |_| (String::new(), None)));
        }
        (own, other) if own == other => {}
        (own, other) => {
            let what = format!("`{name}` is {} in A, but {} in B", shown(own), shown(other));
            source.differs(name, what);
        }
    }
}

/// Describes a JSON value in few words.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "not stated".into(),
        Value::Object(_) => "stated".into(),
        Value::Array(list) => format!("a list of {}", list.len()),
        other => other.to_string(),
    }
}
