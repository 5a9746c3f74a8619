//! The files of a study: `converge.json`, `converge.csv` and `converge.svg`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::orders::Row;
use super::study::{Results, Study};
use crate::atomic;
use crate::error::{Error, Result};
use crate::output::Program;
use crate::plot::{self, Curve, Panel};

const JSON: &str = "converge.json";
const CSV: &str = "converge.csv";
const SVG: &str = "converge.svg";
/// The version of the format of `converge.json`.
const SCHEMA_VERSION: u32 = 1;

/// The files that a study may write, checked.
#[derive(Debug)]
pub struct Files {
    folder: PathBuf,
    /// Files of an earlier study, which are removed before new ones appear.
    earlier: Vec<PathBuf>,
}

/// The entries of `converge.json` by which the files of an earlier study are recognized.
#[derive(Deserialize)]
struct Earlier {
    program: Named,
    files: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

#[derive(Serialize)]
struct Document<'a> {
    schema_version: u32,
    program: Program,
    case: &'a Path,
    set: &'a [String],
    #[serde(flatten)]
    results: &'a Results,
    /// BLAKE3 hash of each other file of the study.
    files: BTreeMap<&'static str, String>,
}

impl Files {
    /// Checks that nothing is replaced except the files of an earlier study, and these only if
    /// `overwrite` is true.
    pub(super) fn check(folder: &Path, overwrite: bool) -> Result<Self> {
        let mut earlier = Vec::new();
        let known = known(folder);
        for name in [JSON, CSV, SVG] {
            let path = folder.join(name);
            let Ok(found) = std::fs::symlink_metadata(&path) else { continue };
            let is_own = found.is_file()
                && known.as_ref().is_some_and(|known| match known.files.get(name) {
                    Some(hash) => hash_of(&path).is_some_and(|found| found == *hash),
                    None => name == JSON,
                });
            let refused = match (is_own, overwrite) {
                (true, true) => {
                    earlier.push(path);
                    continue;
                }
                (true, false) => ("exists", "use --overwrite, or choose another folder with -o"),
                (false, _) => (
                    "exists, and no study of this folder wrote it",
                    "move it, or choose another folder with -o",
                ),
            };
            return Err(Error::output(&path, refused.0, refused.1));
        }
        Ok(Files { folder: folder.to_path_buf(), earlier })
    }

    /// Writes the results of a study as a table, as JSON and, if there is anything to draw, as a
    /// plot. Returns the paths of the files.
    ///
    /// # Errors
    /// Returns [`Error::Output`] if a file cannot be written.
    pub fn write(self, study: &Study, results: &Results) -> Result<Vec<PathBuf>> {
        for path in &self.earlier {
            std::fs::remove_file(path)
                .map_err(|e| Error::output(path, &e, "check it").because(e))?;
        }
        let mut texts = vec![(CSV, csv(results))];
        let (case, set) = study.case();
        let panels = panels(results);
        if panels.iter().any(|panel| !panel.curves.is_empty()) {
            let name = case.file_stem().unwrap_or_default().to_string_lossy();
            texts.push((SVG, plot::log_log(&format!("Convergence of {name}"), "h", &panels)?));
        }
        let hash = |text: &String| blake3::hash(text.as_bytes()).to_hex().to_string();
        let files = texts.iter().map(|(name, text)| (*name, hash(text))).collect();
        let program = Program::this();
        let document =
            Document { schema_version: SCHEMA_VERSION, program, case, set, results, files };
        // The list of files comes first. If the program is killed here, no file is missing from the
        // list.
        let json = self.folder.join(JSON);
        atomic::write(&json, |out| {
            serde_json::to_writer_pretty(&mut *out, &document)?;
            out.write_all(b"\n")
        })?;
        let mut written = vec![json];
        for (name, text) in texts {
            let path = self.folder.join(name);
            atomic::write(&path, |out| out.write_all(text.as_bytes()))?;
            written.push(path);
        }
        Ok(written)
    }
}

/// Reads the list of files of an earlier study.
fn known(folder: &Path) -> Option<Earlier> {
    let text = std::fs::read(folder.join(JSON)).ok()?;
    let earlier: Earlier = serde_json::from_slice(&text).ok()?;
    (earlier.program.name == Program::this().name).then_some(earlier)
}

/// Returns the hexadecimal BLAKE3 hash of a file, or `None` if it cannot be read.
pub(crate) fn hash_of(path: &Path) -> Option<String> {
    Some(blake3::hash(&std::fs::read(path).ok()?).to_hex().to_string())
}

/// Returns the table: one row for each result and level.
fn csv(results: &Results) -> String {
    let mut text = "measure,level,h,cells,steps,seconds,value,exact,error,error_order,difference,\
                    difference_order\n"
        .to_string();
    let number = |x: Option<f64>| x.map_or(String::new(), |x| format!("{x:?}"));
    for found in &results.quantities {
        for (level, row) in results.levels.iter().zip(&found.rows) {
            let Row { value, error, error_order, difference, difference_order } = *row;
            let (h, seconds) = (level.h, level.seconds);
            let optional = [found.exact, error, error_order, difference, difference_order];
            text += &format!(
                "{},{},{h:?},{},{},{seconds:?},{value:?},{}\n",
                found.name,
                level.level,
                level.cells,
                level.steps,
                optional.map(number).join(",")
            );
        }
    }
    text
}

/// Returns the panels of the plot: the errors, or else the differences, of each result against h.
fn panels(results: &Results) -> Vec<Panel> {
    let panel = |found: &super::Quantity| {
        let points = |pick: &dyn Fn(&Row) -> Option<f64>| -> Vec<[f64; 2]> {
            let pairs = results.levels.iter().zip(&found.rows);
            pairs.filter_map(|(level, row)| Some([level.h, pick(row)?.abs()])).collect()
        };
        let name = found.name.replace('_', " ");
        let curves = [
            Curve { name: "error".into(), points: points(&|row| row.error) },
            Curve { name: "difference".into(), points: points(&|row| row.difference) },
        ];
        // The exact value of an error is 0, so the differences add nothing.
        let is_error = found.exact == Some(0.0);
        let can_draw = |curve: &Curve| curve.points.iter().any(|p| p[1] > 0.0);
        let curves = curves.into_iter().take(if is_error { 1 } else { 2 }).filter(can_draw);
        Panel { name, curves: curves.collect() }
    };
    results.quantities.iter().map(panel).collect()
}
