//! `zeroset convert SERIES OUT --time all`: writes one file per state.

use std::path::{Path, PathBuf};

use super::{Args, write_mesh_of, write_volume_of};
use crate::atomic::in_the_way;
use crate::cli::Ui;
use crate::error::{Error, Result};
use crate::io::{Series, is_volume_target};
use crate::output::Claims;

/// Writes the states of the series to `STEM_000000.ENDING`, `STEM_000001.ENDING`, ...
///
/// # Errors
/// Returns [`Error::Case`] if the input is not a series, and [`Error::Output`] if one of the files
/// exists: the user has not named these files, so none of them is replaced. Returns the errors of
/// converting one state.
pub(super) fn run(args: &Args, ui: &Ui) -> Result<u8> {
    let input = args.input();
    let Some(series) = Series::open(input)? else {
        let what = format!("{}: --time all is for a series of states", input.display());
        return Err(Error::usage(what, "leave it out, or name a .pvd list or a .vtkhdf file"));
    };
    let times = series.times();
    let files: Vec<PathBuf> = (0..times.len()).map(|k| numbered(args.output(), k)).collect();
    let read = Claims::new().reading(input);
    files.iter().fold(read, Claims::writing).check()?;
    if let Some(file) = files.iter().find(|file| std::fs::symlink_metadata(file).is_ok()) {
        return Err(in_the_way(file));
    }
    for (k, (file, time)) in files.iter().zip(times).enumerate() {
        ui.print(&format!("time {time}: "))?;
        if is_volume_target(args.output()) {
            let read = series.read_volume(k, &args.source.options())?;
            write_volume_of(args, file, read, ui)?;
        } else {
            write_mesh_of(args, file, series.read_mesh(k, &args.reading())?, ui)?;
        }
    }
    Ok(0)
}

/// Returns the path of the file for the state with index `k`.
fn numbered(output: &Path, k: usize) -> PathBuf {
    let name = output.file_name().unwrap_or_default().to_string_lossy();
    // Compressed volumes have two extensions.
    let at = match name.to_lowercase().ends_with(".nii.gz") {
        true => name.len() - ".nii.gz".len(),
        false => name.rfind('.').unwrap_or(name.len()),
    };
    let (stem, ending) = name.split_at(at);
    output.with_file_name(format!("{stem}_{k:06}{ending}"))
}
