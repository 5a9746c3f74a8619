//! Opens the file or folder that `zeroset render` draws and `zeroset view` shows.

use std::path::{Path, PathBuf};

use super::Args;
use crate::cli::Ui;
use crate::cli::times::At;
use crate::cli::volume::Source;
use crate::config::{DataFile, Units};
use crate::error::{Error, Result};
use crate::io::{self, Content, Frame};
use crate::mesh::{Mesh, clean};
use crate::volume::Volume;

/// A mesh or volume to draw.
pub(in crate::cli) enum Shown {
    /// A mesh, the first array or group that the last file of `--data` added, and the units that
    /// the file states if it is a state of a run.
    Mesh(Mesh, Option<String>, Units),
    Volume(Volume),
}

/// The options that select the content of a file.
pub(in crate::cli) struct Opening<'a> {
    pub file: &'a Path,
    pub data: &'a [DataFile],
    pub frame: Option<Frame>,
    pub source: &'a Source,
    pub at: At,
}

impl<'a> From<&'a Args> for Opening<'a> {
    fn from(args: &'a Args) -> Self {
        let Args { file, data, frame, source, at, .. } = args;
        Opening { file, data, frame: *frame, source, at: *at }
    }
}

/// Opens a file, or a run folder. From a series, reads the state that the options select, by
/// default the last.
///
/// # Errors
/// Returns [`Error::Input`] if there is nothing to draw, or if a frame is given but the file does
/// not state its own. Returns [`Error::Case`] if a frame is given for a volume, and the errors of
/// [`io::add_data`].
pub(in crate::cli) fn open(args: &Opening<'_>, ui: &Ui) -> Result<Shown> {
    let file = file_of(args.file)?;
    let time = args.at.time.unwrap_or_default();
    let options = args.source.options().time(Some(time));
    let (shown, warnings) = match io::read(&file, &options)? {
        Content::Volume(_) if args.frame.is_some() => {
            let what = format!("{}: --frame is for surfaces, not for volumes", file.display());
            return Err(Error::usage(what, "leave it out"));
        }
        Content::Volume(read) => (Shown::Volume(read.volume), read.warnings),
        Content::Mesh(mut read) => {
            if let Some(frame) = args.frame {
                read.choose(frame).map_err(|flaw| flaw.in_file(&file))?;
            }
            let units = read.about.state.units.clone();
            let mut mesh = read.mesh;
            let overlay = add_data(args, &mut mesh, ui)?;
            let (mesh, _) = clean(mesh).map_err(|error| error.in_file(&file))?;
            (Shown::Mesh(mesh, overlay, units), read.warnings)
        }
        Content::Data(_) => {
            let what = "holds numbers per vertex but no mesh";
            let remedy = "draw a mesh, and add the numbers with --data";
            return Err(Error::input(&file, "", what, remedy));
        }
    };
    ui.warn_of(&file, warnings);
    Ok(shown)
}

/// Adds the files of `--data` to a mesh. Returns the name of the array or group to show, or `None`
/// if none was added.
fn add_data(args: &Opening<'_>, mesh: &mut Mesh, ui: &Ui) -> Result<Option<String>> {
    let mut shown = None;
    for data in args.data {
        let path = Path::new(&data.path);
        let added = io::add_data(path, data.name.as_deref(), data.time, mesh)?;
        ui.warn_of(path, added.warnings);
        shown = added.arrays.into_iter().chain(added.groups).next().or(shown);
    }
    Ok(shown)
}

/// Returns the list of the states of a run in a folder, or the path itself if it is a file.
///
/// # Errors
/// Returns [`Error::Input`] unless the folder has exactly one list.
pub(in crate::cli) fn file_of(path: &Path) -> Result<PathBuf> {
    if path.is_dir() { list_of(path) } else { Ok(path.to_path_buf()) }
}

/// Finds the list of the states of a run, skipping the lists of its interfaces and dense volumes.
fn list_of(folder: &Path) -> Result<PathBuf> {
    let entries = std::fs::read_dir(folder)
        .map_err(|e| Error::input(folder, "", e.to_string(), "check the folder"))?;
    let mut lists: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    lists.retain(|path| {
        let stem = path.file_stem().and_then(|s| s.to_str()).unwrap_or("");
        let beside = stem == "interface" || stem.ends_with("_volume");
        path.extension().is_some_and(|e| e == "pvd" || e == "vtkhdf") && !beside
    });
    lists.sort();
    match &lists[..] {
        [list] => Ok(list.clone()),
        [] => {
            let what = "the folder has no list of states (NAME.pvd, NAME.vtkhdf)";
            let remedy = "name the folder of a run, or a file";
            Err(Error::input(folder, "", what, remedy))
        }
        [first, ..] => {
            let what = format!("the folder has {} lists of states", lists.len());
            let remedy = format!("name one of them, such as {}", first.display());
            Err(Error::input(folder, "", what, remedy))
        }
    }
}
