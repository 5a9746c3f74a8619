//! The report and the picture that commands write along with a surface.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::Ui;
use super::compressed::Compressed;
use super::picture_options::PictureOptions;
use crate::atomic;
use crate::error::{Error, Result};
use crate::io::{WriteOptions, write_mesh};
use crate::mesh::Mesh;
use crate::picture;

/// Options of a command that writes a surface.
#[derive(Debug, clap::Args)]
pub struct SurfaceOutputs {
    /// Also write a report as JSON
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Also draw the surface into this .png file, with its vertex colors if it has any
    #[arg(long, value_name = "FILE")]
    pub picture: Option<PathBuf>,
    #[command(flatten)]
    pub compressed: Compressed,
    #[command(flatten)]
    pub style: PictureOptions,
    /// Print the report as JSON
    #[arg(long)]
    pub json: bool,
}

impl SurfaceOutputs {
    /// Returns the surface file and the files written along with it.
    pub fn files<'a>(&'a self, surface: &'a Path) -> Vec<&'a Path> {
        let more = self.report.iter().chain(&self.picture);
        std::iter::once(surface).chain(more.map(PathBuf::as_path)).collect()
    }

    /// Checks, before anything is read, that the files can be written.
    ///
    /// # Errors
    /// Returns [`Error::Output`](crate::Error::Output) if a folder does not exist;
    /// [`Error::Case`](crate::Error::Case) if the picture is not a `.png` file, if options for
    /// pictures are invalid or given without a picture, or if a compression is given but the format
    /// of the surface has no choice of compression.
    pub fn check(&self, surface: &Path) -> Result<()> {
        self.compressed.of(&[surface])?;
        self.style.refuse_without(self.picture.is_some())?;
        self.options()?;
        self.files(surface).into_iter().try_for_each(atomic::check_folder)?;
        self.picture.as_deref().map_or(Ok(()), picture::check_path)
    }

    /// Returns the drawing options.
    fn options(&self) -> Result<picture::Options> {
        let mut options = picture::Options::default();
        self.style.apply(&mut options);
        match options.flaw() {
            None => Ok(options),
            Some((key, what)) => Err(Error::usage(format!("--{key} {what}"), "")),
        }
    }

    /// Returns true if a report is requested.
    pub fn has_report(&self) -> bool {
        self.json || self.report.is_some()
    }

    /// Writes the surface, its picture and its report, which appear together, and warns about lost
    /// data. `report` returns the report and a text for the screen, and is called when the other
    /// files are complete. Returns what to print: the report as JSON, or the text.
    ///
    /// The name of the input is the default title of the picture.
    ///
    /// # Errors
    /// Returns the errors of [`write_mesh`], of the picture and of the report.
    pub fn write<R: Serialize>(
        &self,
        [input, surface]: [&Path; 2],
        mesh: &Mesh,
        ui: &Ui,
        report: impl FnOnce() -> (Option<R>, String),
    ) -> Result<String> {
        let name = input.to_str().map_or("", picture::name_of);
        let (title, options) = (self.style.title.as_deref().unwrap_or(name), self.options()?);
        let draw = |_: &PathBuf| picture::surface(mesh, title, &options);
        let drawn = self.picture.as_ref().map(draw).transpose()?;
        let options = WriteOptions::default().compression(self.compressed.of(&[surface])?);
        let (lost, said) = atomic::together(|| {
            let lost = write_mesh(surface, mesh, &options)?;
            if let (Some(path), Some(image)) = (&self.picture, drawn) {
                image.write_png(path)?;
            }
            let (report, words) = report();
            let json = report
                .map(|report| serde_json::to_string_pretty(&report).unwrap_or_default() + "\n");
            if let (Some(path), Some(json)) = (&self.report, &json) {
                atomic::write(path, |out| out.write_all(json.as_bytes()))?;
            }
            Ok((lost, json.filter(|_| self.json).unwrap_or(words)))
        })?;
        ui.warn_of(surface, lost);
        Ok(said)
    }
}
