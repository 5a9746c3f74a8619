//! Finding the files of a run in a folder. They are removed when another run replaces the run.

use std::path::{Path, PathBuf};

use super::checkpoint::CHECKPOINT;
use crate::atomic;
use crate::error::{Error, Result};

/// Name of the report.
pub(super) const REPORT: &str = "report.json";
/// Name of the series of interface files.
const INTERFACE: &str = "interface";
/// Endings of the file names of states.
const STATES: [&str; 9] =
    [".vtu", ".vtp", ".vti", ".shape.gii", ".morph", ".png", ".stl", ".obj", ".ply"];

/// Returns the files in the folder that a run has written.
///
/// These are `report.json`, `measures.csv`, the checkpoint, and the files of each series NAME. A
/// series has a list `NAME.pvd` or `NAME.vtkhdf`, states `NAME_000050` with one of the endings of
/// states, and possibly `NAME_paths.vtp` and `NAME.png`. Unfinished temporary files with these
/// names belong to the run, too. Numbered files of the user, such as the frames of a scanner, do
/// not belong to a run, because the folder has no list with their name. Temporary files of other
/// commands do not belong to a run either.
///
/// # Errors
/// Returns [`Error::Output`] if the folder cannot be listed.
pub(super) fn files_of_a_run(folder: &Path) -> Result<Vec<PathBuf>> {
    let fail =
        |e: std::io::Error| Error::output(folder, format!("cannot list: {e}"), "").because(e);
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        if entry.file_type().map_err(fail)?.is_file() {
            names.extend(entry.file_name().into_string());
        }
    }
    let stems = |ending| names.iter().filter_map(move |name| name.strip_suffix(ending));
    let is_named = |stem: &&str| names_states(&folder.join(format!("{stem}.pvd")));
    let mut series: Vec<String> = stems(".pvd").filter(is_named).map(String::from).collect();
    // A run has only one list of its states. If there is a NAME.pvd, .vtkhdf files do not belong to
    // the run.
    if series.iter().all(|name| name == INTERFACE) && names.iter().any(|name| is_record(name)) {
        series.extend(stems(".vtkhdf").map(String::from));
    }
    // The interface files of a run on tiles have no separate list.
    series.extend((!series.is_empty()).then(|| INTERFACE.to_string()));
    let has_record = names.iter().any(|name| is_record(name));
    names.retain(|name| {
        let making = atomic::in_the_making(name);
        let is_first = making.is_some_and(|name| has_record && begins_a_series(name));
        let name = making.unwrap_or(name);
        is_first || is_record(name) || series.iter().any(|series| is_of(series, name))
    });
    Ok(names.iter().map(|name| folder.join(name)).collect())
}

/// Whether `name` is the name of a file that runs of every kind may write.
fn is_record(name: &str) -> bool {
    matches!(name, REPORT | "measures.csv" | CHECKPOINT)
}

/// Whether `name` is the name of a file of the series.
fn is_of(series: &str, name: &str) -> bool {
    let Some(rest) = name.strip_prefix(series) else { return false };
    matches!(rest, ".pvd" | ".vtkhdf" | ".png" | "_paths.vtp") || is_state(rest)
}

/// Whether `name` is the first state of a run or the list of its states. Until these are complete,
/// the run has no series.
fn begins_a_series(name: &str) -> bool {
    let is_first = |k: usize| name[k..].starts_with("_000000.") && is_state(&name[k..]);
    name.ends_with(".pvd") || name.ends_with(".vtkhdf") || name.rfind('_').is_some_and(is_first)
}

/// Whether `rest` is the part of a state's file name that follows the name of the series, such as
/// "_000050.vtp".
fn is_state(rest: &str) -> bool {
    let step = STATES.iter().find_map(|ending| rest.strip_suffix(ending));
    let step = step.and_then(|rest| rest.strip_prefix('_')).unwrap_or_default();
    step.len() >= 6 && step.bytes().all(|b| b.is_ascii_digit())
}

/// Whether a list contains a state as a run names it: in the same folder, and with a number.
fn names_states(list: &Path) -> bool {
    let states = crate::io::vtk::read_pvd(list).unwrap_or_default();
    states.iter().any(|(_, state)| {
        let name = state.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        state.parent() == list.parent() && name.rfind('_').is_some_and(|k| is_state(&name[k..]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the content of a list that contains one state.
    fn list(state: &str) -> String {
        format!("<VTKFile><Collection>\n<DataSet timestep=\"0\" file=\"{state}\"/>\n</Collection>")
    }

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in files {
            std::fs::write(folder.path().join(name), content).unwrap();
        }
        let found = files_of_a_run(folder.path()).unwrap();
        let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_string();
        let mut found: Vec<_> = found.iter().map(name).collect();
        found.sort();
        found
    }

    #[test]
    fn a_run_owns_its_records_and_what_stands_beside_its_lists() {
        let (of_a, of_volume) = (list("a.v2_000000.vtu"), list("a.v2_volume_000000.vti"));
        let own = [
            (".zeroset-a.v2_000100.vtu-x1Y2z3.part", ""),
            (".zeroset-checkpoint.zeroset-x1Y2z3.part", ""),
            (".zeroset-interface.pvd-x1Y2z3.part", ""),
            ("a.v2.png", ""),
            ("a.v2.pvd", of_a.as_str()),
            ("a.v2_000000.vtu", ""),
            ("a.v2_000050.shape.gii", ""),
            ("a.v2_paths.vtp", ""),
            ("a.v2_volume.pvd", of_volume.as_str()),
            ("a.v2_volume_000000.vti", ""),
            ("checkpoint.zeroset", ""),
            ("interface_000050.stl", ""),
            ("interface_1000000.vtp", ""),
            ("measures.csv", ""),
            ("report.json", ""),
        ];
        let foreign = list("flow/flow_000001.vtu");
        let others = [
            (".zeroset-a.v2.vtu-x1Y2z3.part", ""),
            (".zeroset-frame_000001.ply-x1Y2z3.part", ""),
            ("a.v2.vtu", ""),
            ("b.vtkhdf", ""),
            ("b_000010.png", ""),
            ("a.v2_1.vtu", ""),
            ("a.v2_000050.csv", ""),
            ("flow.pvd", foreign.as_str()),
            ("flow_000001.vtu", ""),
            ("frame_000001.ply", ""),
            ("mine.png", ""),
            ("mine_paths.vtp", ""),
            ("notes.txt", ""),
            ("zeroset.lock", ""),
        ];
        let names = own.iter().map(|(name, _)| name.to_string());
        assert_eq!(found(&[&own[..], &others].concat()), names.collect::<Vec<_>>());
    }

    #[test]
    fn what_a_run_was_making_first_is_its_own() {
        let own = [
            (".zeroset-c.pvd-a1B2c3.part", ""),
            (".zeroset-c_000000.vtu-a1B2c3.part", ""),
            ("measures.csv", ""),
        ];
        let others =
            [(".zeroset-frame_000001.ply-x1Y2z3.part", ""), (".zeroset-c.ply-a1B2c3.part", "")];
        assert_eq!(found(&[&own[..], &others].concat()), own.map(|(name, _)| name));
        assert_eq!(found(&own[..2]), Vec::<String>::new());
    }

    #[test]
    fn numbered_files_and_lists_without_a_run_are_none() {
        let none = [
            (".zeroset-skull.stl-x1Y2z3.part", ""),
            ("frame_000001.ply", ""),
            ("interface_000001.vtp", ""),
            ("data.vtkhdf", ""),
        ];
        assert_eq!(found(&none), Vec::<String>::new());
        let one_file = [("data.vtkhdf", ""), ("data_000001.png", ""), ("report.json", "")];
        assert_eq!(found(&one_file), one_file.map(|(name, _)| name));
    }
}
