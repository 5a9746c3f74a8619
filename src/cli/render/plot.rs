//! Draws the plot of the measures of a run for `zeroset render`.

use std::path::{Path, PathBuf};

use super::Args;
use crate::atomic;
use crate::error::{Error, Result, shown};
use crate::output::{plot_measures, units_of_run};

/// Returns true if the output is a plot, which is an SVG file.
pub(super) fn is_asked(args: &Args) -> bool {
    args.output.extension().is_some_and(|e| e.eq_ignore_ascii_case("svg"))
}

/// Checks that the output is not meant to be a plot in a format other than SVG.
///
/// # Errors
/// Returns [`Error::Case`] if the input is a table, which only a plot can show.
pub(super) fn check_output(args: &Args) -> Result<()> {
    let is_table = args.file.extension().is_some_and(|e| e.eq_ignore_ascii_case("csv"));
    if !is_table {
        return Ok(());
    }
    let what = format!("{}: plots of measures are SVG files", args.output.display());
    Err(Error::usage(what, "end the name in .svg"))
}

/// Plots the file `measures.csv`, or the one in a run folder, and returns a summary.
///
/// # Errors
/// Returns [`Error::Case`] for any other input and for options that apply only to pictures;
/// [`Error::Output`] if the plot cannot be written. Returns the errors of [`plot_measures`].
pub(super) fn draw(args: &Args) -> Result<String> {
    let file = measures(&args.file);
    if !file.extension().is_some_and(|e| e.eq_ignore_ascii_case("csv")) {
        let what = format!("{}: .svg files hold plots of the measures of a run", shown(&file));
        return Err(Error::usage(what, "name a measures.csv, or end the output in .png"));
    }
    let mut options = args.style.clone();
    options.title = None;
    if let Some(option) = options.given().first() {
        let what = format!("{option} is for pictures, but the output is a plot");
        return Err(Error::usage(what, "leave it out"));
    }
    // The check that precedes every command compares the output with the run folder, but not with
    // the measures in it. Also, `measures.csv` may be a link.
    if atomic::is_same_file(&args.output, &file) {
        let remedy = "choose another name";
        return Err(Error::usage(format!("{} is an input file", args.output.display()), remedy));
    }
    atomic::check_folder(&args.output)?;
    let folder = file.parent().and_then(Path::file_name).and_then(|name| name.to_str());
    let title = args.style.title.as_deref().or(folder).unwrap_or("measures");
    let svg = plot_measures(&file, title, &units_of_run(&file))?;
    atomic::write(&args.output, |out| out.write_all(svg.as_bytes()))?;
    Ok(format!("plot      {}\n", args.output.display()))
}

/// Returns the path of the measures in the folder `file`, or `file` itself if it is not a folder.
fn measures(file: &Path) -> PathBuf {
    if file.is_dir() { file.join("measures.csv") } else { file.to_path_buf() }
}
