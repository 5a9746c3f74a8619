//! Pictures of the states of a run on a mesh.

use std::path::PathBuf;
use std::sync::Arc;

use super::CleanedMesh;
use super::device;
use super::states::MeshState;
use crate::config::{Config, Drawn, Picture};
use crate::error::Result;
use crate::gpu::Cuda;
use crate::levelset::eikonal::cuda::Gpu;
use crate::output::{Claims, RunFolder, numbered};
use crate::picture::{self, Image, Lines, Options, Subject};

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
/// Returns the errors of [`CleanedMesh::vertex_array`].
pub(super) fn check_array(config: &Config, cleaned: &CleanedMesh) -> Result<()> {
    colors(config, cleaned).map(drop)
}

/// Returns the array that determines the colors if the case names an array other than the result
/// itself.
fn colors<'a>(config: &'a Config, cleaned: &CleanedMesh) -> Result<Option<(&'a str, Vec<f64>)>> {
    let array = config.output.picture.as_ref().and_then(|picture| picture.array.as_deref());
    match (array, &config.distance) {
        (None, _) | (Some("phi"), None) | (Some("distance"), Some(_)) => Ok(None),
        (Some(name), _) => {
            let values = cleaned.vertex_array(name);
            let values = values.map_err(config.locate("output.picture.array"))?;
            Ok(Some((name, values)))
        }
    }
}

/// The renderer of the pictures of a run. Large pictures are drawn on the GPU of the run, and
/// others are drawn on the CPU. The files are bitwise identical.
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
        let (colors, title) = (colors(config, cleaned)?, title(config));
        let shown = Shown { config, cleaned, colors, title };
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

    /// Draws the last state to the file of `--picture`. If no such file was requested, draws it to
    /// `NAME.png` in `folder`, unless every state has already been drawn there.
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

    /// Determines the camera and the range of all pictures from a state.
    ///
    /// # Errors
    /// Returns [`Error::Case`](crate::Error::Case) for options that do not match the state.
    pub(super) fn settle(&mut self, state: &MeshState) -> Result<()> {
        let settled = self.picture.options().settled(&self.shown.subject(state, ""))?;
        self.options = Some(settled);
        Ok(())
    }

    fn draw(&mut self, state: &MeshState, file: PathBuf) -> Result<()> {
        let note = match self.shown.config.distance.is_some() {
            true => String::new(),
            false => format!("t = {}   step {}", time(state.time), state.step),
        };
        if self.options.is_none() {
            self.settle(state)?;
        }
        let Some(options) = &self.options else { return Ok(()) };
        let subject = self.shown.subject(state, &note);
        self.painter.draw(&subject, options)?.write_png(&file)
    }
}

/// The content of the pictures.
struct Shown<'a> {
    config: &'a Config,
    cleaned: &'a CleanedMesh,
    colors: Option<(&'a str, Vec<f64>)>,
    title: String,
}

impl Shown<'_> {
    fn subject<'s>(&'s self, state: &'s MeshState, note: &'s str) -> Subject<'s> {
        let is_distance = self.config.distance.is_some();
        let (name, lines) =
            if is_distance { ("distance", Lines::Round) } else { ("phi", Lines::Interface) };
        let subject = Subject::new(&self.cleaned.mesh, &state.phi)
            .with_lines(lines)
            .with_name(name)
            .with_title(&self.title, note);
        match &self.colors {
            Some((name, values)) => subject.colored_by(name, values),
            None => subject,
        }
    }
}

/// Returns the name of the case, or of the mesh file for commands without a case file.
pub(super) fn title(config: &Config) -> String {
    let file = match config.mesh().and_then(|mesh| mesh.path.as_ref()) {
        Some(mesh) if config.origin.file.as_os_str().is_empty() => mesh,
        _ => return config.name(),
    };
    picture::name_of(file).to_string()
}

/// Formats a time with at most eight digits.
pub(super) fn time(t: f64) -> String {
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
