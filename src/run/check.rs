//! Checking a case and its files without running it.

use std::path::Path;
use std::sync::Arc;

use super::{cpu, folder_of, parts, picture, task};
use crate::config::{Config, ReadCase};
use crate::error::{Error, Result};
use crate::output::{RunFolder, RunNames};

/// The findings about a case.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Checked {
    /// A description of the run, one line per item. Incomplete if there are problems.
    pub plan: String,
    /// All problems, in the order in which a run would meet them.
    pub problems: Vec<Error>,
}

impl Checked {
    fn take<T>(&mut self, found: Result<T>) -> Option<T> {
        found.map_err(|error| self.problems.push(error)).ok()
    }
}

/// Checks everything that can be wrong with a case before its first step, and describes the run.
///
/// # Errors
/// Returns the first of the problems that [`check_all`] finds.
pub fn check(config: &Config, folder: Option<&Path>, overwrite: bool) -> Result<String> {
    let Checked { plan, problems } = check_all(config, folder, overwrite);
    problems.into_iter().next().map_or(Ok(plan), Err)
}

/// Finds everything that can be wrong with a case before its first step, and describes the run.
///
/// A check is skipped if it depends on one that has failed.
pub fn check_all(config: &Config, folder: Option<&Path>, overwrite: bool) -> Checked {
    check_read(ReadCase::from(config), folder, overwrite)
}

/// Finds everything that can be wrong with a case file before the first step of its run, including
/// the problems with which it was read, and describes the run.
///
/// A check is skipped if it depends on one that has failed. If a key is invalid, the parts of the
/// case that do not depend on it are checked one by one.
pub fn check_read(mut read: ReadCase, folder: Option<&Path>, overwrite: bool) -> Checked {
    let problems = std::mem::take(&mut read.problems);
    let mut checked = Checked { problems, ..Checked::default() };
    let Some(config) = &read.config else { return checked };
    let are_keys_valid = checked.problems.is_empty();
    let with_stimuli = if are_keys_valid { checked.take(config.with_stimuli()) } else { None };
    let config = with_stimuli.as_deref().unwrap_or(config);
    let readable = if are_keys_valid { None } else { read.with_readable_domain() };
    let cpu = match (are_keys_valid, &readable) {
        (true, _) => checked.take(cpu(config)).map(Arc::new),
        (false, Some(readable)) => checked.take(cpu(readable)).map(Arc::new),
        (false, None) => None,
    };
    // A path that cannot be resolved has been reported as a problem of its key.
    let inputs = config.inputs().unwrap_or_default();
    let are_paths_valid = config.inputs().is_ok() && folder_of(config, folder).is_ok();
    let mut place_of_run = String::new();
    if are_keys_valid || are_paths_valid {
        checked.take(picture::check(config));
        place_of_run = checked.take(place(config, folder, overwrite)).unwrap_or_default();
    }
    let mut missing: Vec<Error> = inputs.iter().filter_map(|input| missing(input)).collect();
    let known: Vec<String> = checked.problems.iter().map(Error::to_string).collect();
    missing.retain(|error| !known.contains(&error.to_string()));
    // If only one file is missing and the keys are valid, the reader of the file returns a more
    // specific error.
    let is_readable = missing.is_empty() || are_keys_valid && missing.len() == 1;
    match cpu {
        _ if !is_readable => checked.problems.extend(missing),
        None => {}
        Some(cpu) if are_keys_valid => {
            match cpu.clone().run(|| task::of(config, cpu).map_err(|error| vec![error])?.check()) {
                Ok(plan) => checked.plan = plan,
                Err(problems) => checked.problems.extend(problems),
            }
        }
        Some(cpu) => {
            let is_own = |key: &str| !read.explains(key);
            let readable = readable.as_ref().unwrap_or(config);
            checked.problems.extend(parts::problems(readable, &cpu, is_own));
        }
    }
    checked.plan += &place_of_run;
    checked
}

/// Checks a run folder, and returns a description of it. A run that is already in the folder is
/// only noted.
fn place(config: &Config, folder: Option<&Path>, overwrite: bool) -> Result<String> {
    let folder = folder_of(config, folder)?;
    let (names, claims) = (RunNames::of(config, &folder), picture::claims(config)?);
    let note = RunFolder::probe(&folder, &names, claims.read(), overwrite)?;
    let note = note.map_or(String::new(), |note| format!("note    {note}\n"));
    Ok(format!("folder  {}\n{note}", folder.display()))
}

/// Returns the error for an input file that does not exist or cannot be accessed, or `None` for any
/// other file.
fn missing(input: &Path) -> Option<Error> {
    let error = std::fs::metadata(input).err()?;
    Some(Error::input(input, "", format!("cannot be read: {error}"), "check the path"))
}
