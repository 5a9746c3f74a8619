//! Writes the pages of a run: `report.html`, and `NAME_view.html` if the case requests it.

use std::path::{Path, PathBuf};

use super::picture::title;
use crate::atomic;
use crate::config::{Config, SeriesFormat, Units};
use crate::error::Result;
use crate::html::{self, Scene};
use crate::io::Series;
use crate::output::{
    Report, RunFolder, ViewOptions, plot_measures, report_page_name, view_name, view_of_series,
};
use crate::picture::Options;

/// The largest total size in bytes at which the view of a report shows all states. Above it, the
/// view shows only the last state.
const ALL_STATES: u64 = 12 << 20;

/// The largest size of the last state that the view of a report shows, in bytes. Such a state has
/// about 100,000 triangles, and the report takes half a second. Decimating a million triangles
/// would take longer than many runs.
const LAST_STATE: u64 = 1 << 20;

/// The largest number of triangles in a surface, and the largest number of states, in the view of a
/// report. These limits keep the report quick to write.
const TRIANGLES: usize = 50_000;
const STATES: usize = 25;

/// Returns the largest number of states that a page of the run shows.
pub(super) fn most_states(config: &Config) -> usize {
    if config.output.html { ViewOptions::new("").states } else { STATES }
}

/// Writes the pages of a run that has written a state.
///
/// # Errors
/// Returns [`Error::Output`](crate::Error::Output) if a file cannot be written, and, if the case
/// requests a view, the errors of [`view_of_series`].
pub(super) fn write(config: &Config, folder: &RunFolder, report: &Report) -> Result<()> {
    let list = list_of(config, folder);
    if config.output.html {
        let scene = view(config, &list, &report.units, ViewOptions::new(title(config)))?;
        let page = html::page(&scene)?;
        atomic::write(&folder.file(&view_name(config)), |out| out.write_all(page.as_bytes()))?;
    }
    let measures = folder.file("measures.csv");
    let plot = plot_measures(&measures, &report.case, &report.units).ok();
    let scene = view_of_report(config, folder, &report.units, &list);
    let page = report.page(folder.path(), plot, scene)?;
    atomic::write(&folder.file(report_page_name()), |out| out.write_all(page.as_bytes()))
}

/// Returns the view in the report, or the reason why there is none.
fn view_of_report(
    config: &Config,
    folder: &RunFolder,
    units: &Units,
    list: &Path,
) -> std::result::Result<Scene, String> {
    let (all, last) = sizes(config, folder);
    if last > LAST_STATE {
        let text = "The states are too large for a view in the report. `zeroset view` writes one.";
        return Err(text.into());
    }
    let states = if all > ALL_STATES { 1 } else { STATES };
    let options = ViewOptions::new(title(config)).with_triangles(TRIANGLES).with_states(states);
    view(config, list, units, options).map_err(|error| format!("There is no view: {error}"))
}

fn view(config: &Config, list: &Path, units: &Units, options: ViewOptions) -> Result<Scene> {
    let unit = config.unit_of_result(units);
    let style = match &config.output.picture {
        Some(picture) => picture.options(unit),
        None => Options { unit, ..Options::default() },
    };
    let options = options.with_style(style).with_units(units.clone());
    match Series::open(list)? {
        Some(series) => view_of_series(&series, &options),
        None => {
            let what = "the list of states is empty";
            Err(crate::Error::input(list, "", what, "run the case again"))
        }
    }
}

/// Returns the list of the states of the run.
fn list_of(config: &Config, folder: &RunFolder) -> PathBuf {
    let ending = match config.output.format {
        SeriesFormat::Pvd => "pvd",
        SeriesFormat::Vtkhdf => "vtkhdf",
    };
    folder.file(&format!("{}.{ending}", config.name()))
}

/// Returns the total size of all states and the size of the largest one, in bytes.
fn sizes(config: &Config, folder: &RunFolder) -> (u64, u64) {
    let name = config.name();
    let is_state = |file: &str| {
        let rest = file.strip_prefix(&name).unwrap_or_default();
        rest == ".vtkhdf"
            || rest.starts_with('_') && (rest.ends_with(".vtp") || rest.ends_with(".vtu"))
    };
    let size = |file: &String| std::fs::metadata(folder.file(file)).map_or(0, |data| data.len());
    let sizes: Vec<u64> = folder.listed().filter(|file| is_state(file)).map(|f| size(&f)).collect();
    (sizes.iter().sum(), sizes.iter().copied().max().unwrap_or(0))
}
