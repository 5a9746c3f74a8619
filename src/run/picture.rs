//! Pictures of the states of a run on a mesh.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use super::CleanedMesh;
use super::device;
use super::states::MeshState;
use super::whole_mesh::WholeMesh;
use crate::config::{Config, Drawn, Picture, Units};
use crate::error::Result;
use crate::gpu::Cuda;
use crate::io::with_unit;
use crate::levelset::eikonal::cuda::Gpu;
use crate::mesh::Places;
use crate::output::{Claims, RunFolder, numbered};
use crate::picture::{self, Image, Labels, Lines, Marks, Options, Subject};

/// Checks before a run that the file of `--picture` can be written.
///
/// # Errors
/// Returns the errors of [`picture::check_path`], and [`Error::Case`](crate::Error::Case) if the
/// case reads the file.
pub(super) fn check(config: &Config) -> Result<()> {
    let file = config.output.picture.as_ref().and_then(|picture| picture.file.as_ref());
    let Some(file) = file else { return Ok(()) };
    picture::check_path(file)?;
    claims(config)?.writing(file).check()
}

/// Returns the claims of a case on all files that it reads, including the case file.
///
/// # Errors
/// Returns [`Error::Case`](crate::Error::Case) if an environment variable in a path is not set.
pub(super) fn claims(config: &Config) -> Result<Claims> {
    let case = Some(&config.origin.file).filter(|file| !file.as_os_str().is_empty());
    let inputs = case.cloned().into_iter().chain(config.inputs()?);
    Ok(inputs.fold(Claims::new(), Claims::reading))
}

/// Checks the array that determines the colors of pictures.
///
/// # Errors
/// Returns the errors of [`CleanedMesh::numbers`].
pub(super) fn check_array(config: &Config, cleaned: &CleanedMesh) -> Result<()> {
    Colors::new(config, cleaned).map(drop)
}

/// The numbers or labels that determine the colors of the pictures of a run.
enum Colors {
    /// The result itself.
    Result,
    /// The label of the nearest source of a distance.
    OfSources,
    /// An array of the cleaned mesh.
    Array(String, Vec<f64>),
    /// Labels of the cleaned mesh.
    Labels(String, Labels),
}

impl Colors {
    fn new(config: &Config, cleaned: &CleanedMesh) -> Result<Self> {
        let array = config.output.picture.as_ref().and_then(|picture| picture.array.as_deref());
        let of_sources = config.distance.as_ref().is_some_and(|distance| distance.labels);
        let name = match (array, &config.distance) {
            (None | Some("label"), Some(_)) if of_sources => return Ok(Colors::OfSources),
            (None, _) | (Some("phi"), None) | (Some("distance"), Some(_)) => {
                return Ok(Colors::Result);
            }
            (Some(name), _) => name,
        };
        if let Some(labels) = Labels::of_array(&cleaned.mesh, name) {
            return Ok(Colors::Labels(name.into(), labels));
        }
        let values = cleaned.numbers(name, Places::Vertices);
        let values = values.map_err(config.locate("output.picture.array"))?;
        Ok(Colors::Array(name.into(), values))
    }

    /// Adapts the colors of the cleaned mesh to the mesh of the picture.
    fn on(self, whole: &WholeMesh<'_>) -> Self {
        match self {
            Colors::Array(name, values) => Colors::Array(name, whole.values(&values).into_owned()),
            Colors::Labels(name, labels) => Colors::Labels(name, whole.labels(labels)),
            other => other,
        }
    }
}

/// The renderer of the pictures of a run. Large pictures are drawn on the run's GPU, if it has one,
/// and all others on the CPU. The files are bitwise identical.
pub(super) struct Painter {
    of_run: Option<Arc<Cuda>>,
    /// A separate stream on the same GPU, because steps continue while pictures are drawn. It is
    /// opened for the first picture.
    own: Option<Cuda>,
}

/// The smallest amount of [`picture::work`] for which the GPU is used. The GPU has already been
/// started for the run, so this is an eighth of the amount that `zeroset render` requires.
const WORTH_A_GPU: usize = 1 << 22;

impl Painter {
    pub(super) fn new(gpu: Option<&Gpu>) -> Self {
        Painter { of_run: gpu.map(device::cuda).cloned(), own: None }
    }

    /// Draws a picture.
    ///
    /// # Errors
    /// Returns the errors of [`picture::draw`], and [`Error::Device`](crate::Error::Device) if the
    /// GPU fails.
    pub(super) fn draw(&mut self, subject: &Subject<'_>, options: &Options) -> Result<Image> {
        let is_large = picture::work(subject, options) >= WORTH_A_GPU;
        let Some(of_run) = self.of_run.as_ref().filter(|_| is_large) else {
            return picture::draw(subject, options);
        };
        let own = match &self.own {
            Some(own) => own,
            None => self.own.insert(device::beside(of_run)?),
        };
        device::draw(own, subject, options)
    }
}

/// Writer of the pictures of one run.
pub(super) struct Pictures<'a> {
    shown: Shown<'a>,
    picture: &'a Picture,
    /// Options with the camera and the range of the first picture. All pictures of a series use
    /// them.
    options: Option<Options>,
    painter: Painter,
}

impl<'a> Pictures<'a> {
    /// Creates the writer of the pictures of a run on `gpu`, or returns `None` if the case requests
    /// no pictures.
    ///
    /// # Errors
    /// Returns the errors of [`check_array`].
    pub(super) fn new(
        config: &'a Config,
        cleaned: &'a CleanedMesh,
        gpu: Option<&Gpu>,
    ) -> Result<Option<Self>> {
        let Some(picture) = &config.output.picture else { return Ok(None) };
        let whole = WholeMesh::new(cleaned);
        let colors = Colors::new(config, cleaned)?.on(&whole);
        let (units, title) = (cleaned.units.clone(), title(config));
        let shown = Shown { config, units, whole, colors, title };
        Ok(Some(Pictures { shown, picture, options: None, painter: Painter::new(gpu) }))
    }

    /// Draws a state into `folder` if every state is to be drawn.
    ///
    /// # Errors
    /// Returns [`Error::Output`](crate::Error::Output) if the file cannot be written. Returns
    /// [`Error::Device`](crate::Error::Device) if the GPU fails.
    pub(super) fn add(&mut self, state: &MeshState, folder: &RunFolder) -> Result<()> {
        if self.picture.every != Drawn::State {
            return Ok(());
        }
        self.draw(state, folder.file(&numbered(&self.shown.config.name(), state.step, "png")))
    }

    /// Draws the last state to `output.picture.file`, which `--picture` sets. If the case has no
    /// such file, draws the state to `NAME.png` in `folder`, if a folder is given and not every
    /// state has already been drawn there.
    ///
    /// # Errors
    /// Returns the same errors as [`Pictures::add`].
    pub(super) fn finish(&mut self, state: &MeshState, folder: Option<&RunFolder>) -> Result<()> {
        let file = match (&self.picture.file, folder) {
            (Some(file), _) => file.clone(),
            (None, Some(folder)) if self.picture.every == Drawn::Last => {
                folder.file(&format!("{}.png", self.shown.config.name()))
            }
            _ => return Ok(()),
        };
        self.draw(state, file)
    }

    /// Determines the size, the camera and the range of all pictures from a state.
    ///
    /// # Errors
    /// Returns [`Error::Case`](crate::Error::Case) for options that do not match the state.
    pub(super) fn settle(&mut self, state: &MeshState) -> Result<()> {
        let content = self.shown.content(state, "");
        let options = self.picture.options(self.shown.unit());
        let settled = options.settled(&self.shown.subject(&content))?;
        self.options = Some(settled);
        Ok(())
    }

    fn draw(&mut self, state: &MeshState, file: PathBuf) -> Result<()> {
        let note = match self.shown.config.distance.is_some() {
            true => String::new(),
            false => note(state.time, state.step, &self.shown.units),
        };
        if self.options.is_none() {
            self.settle(state)?;
        }
        let Some(options) = &self.options else { return Ok(()) };
        let content = self.shown.content(state, &note);
        self.painter.draw(&self.shown.subject(&content), options)?.write_png(&file)
    }
}

/// The content that all pictures of a run share.
struct Shown<'a> {
    config: &'a Config,
    units: Units,
    whole: WholeMesh<'a>,
    /// Colors on the whole mesh.
    colors: Colors,
    title: String,
}

/// The content of the picture of a state, on the whole mesh.
struct Content<'s> {
    values: Cow<'s, [f64]>,
    /// The labels of the nearest sources.
    of_sources: Option<Labels>,
    marks: &'s Marks,
    note: &'s str,
}

impl Shown<'_> {
    /// Returns the unit of the values, or an empty string if it is unknown.
    fn unit(&self) -> String {
        match self.colors {
            Colors::Result => self.config.unit_of_result(&self.units),
            Colors::OfSources | Colors::Array(..) | Colors::Labels(..) => String::new(),
        }
    }

    fn content<'s>(&self, state: &'s MeshState, note: &'s str) -> Content<'s> {
        let labels = state.extras.labels.as_ref();
        let labels = labels.filter(|_| matches!(self.colors, Colors::OfSources));
        let of_sources = labels.map(|labels| {
            let number = |&label: &i32| (label >= 0).then_some(i64::from(label));
            let numbers: Vec<Option<i64>> = labels.iter().map(number).collect();
            let name = |k: i64| self.config.name_of_seed(k as usize);
            self.whole.labels(Labels::new(Places::Vertices, &numbers, name))
        });
        let values = self.whole.values(&state.phi);
        Content { values, of_sources, marks: &state.extras.marks, note }
    }

    fn subject<'s>(&'s self, content: &'s Content<'_>) -> Subject<'s> {
        let (name, lines) = match &self.config.distance {
            Some(distance) if distance.speed.is_some() => ("time", Lines::Round),
            Some(_) => ("distance", Lines::Round),
            None => ("phi", Lines::Interface),
        };
        let subject = Subject::new(&self.whole.mesh, &content.values)
            .with_lines(lines)
            .with_name(name)
            .with_marks(content.marks)
            .with_title(&self.title, content.note);
        match (&self.colors, &content.of_sources) {
            (Colors::Array(name, values), _) => subject.colored_by(name, values),
            (Colors::Labels(name, labels), _) => subject.labeled(name, labels),
            (_, Some(labels)) => subject.labeled("nearest source", labels),
            _ => subject,
        }
    }
}

/// Returns the title of pictures: the one that the case gives, or else the name of the case, or of
/// the mesh file for commands without a case file.
pub(super) fn title(config: &Config) -> String {
    let given = config.output.picture.as_ref().and_then(|picture| picture.title.clone());
    if let Some(title) = given {
        return title;
    }
    let file = match config.mesh().and_then(|mesh| mesh.path.as_ref()) {
        Some(mesh) if config.origin.file.as_os_str().is_empty() => mesh,
        _ => return config.name(),
    };
    picture::name_of(file).to_string()
}

/// Returns the note on the picture of a state, such as "t = 5 ms   step 50".
pub(super) fn note(t: f64, step: u64, units: &Units) -> String {
    format!("t = {}   step {step}", with_unit(time(t), &units.of_time()))
}

/// Formats a time with at most eight digits.
fn time(t: f64) -> String {
    if t != 0.0 && !(1e-4..1e7).contains(&t.abs()) {
        return format!("{t:.3e}");
    }
    let before = format!("{:.0}", t.abs().floor()).len();
    let text = format!("{t:.*}", 7usize.saturating_sub(before).max(1));
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

#[cfg(test)]
mod tests {
    use super::time;

    #[test]
    fn times_are_short() {
        for (t, text) in [
            (0.0, "0"),
            (500.0, "500"),
            (0.1 + 0.2, "0.3"),
            (0.0123456789, "0.012346"),
            (123456.789, "123456.8"),
            (2.5e-7, "2.500e-7"),
            (-0.5, "-0.5"),
        ] {
            assert_eq!(time(t), text);
        }
    }
}
