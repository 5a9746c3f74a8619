//! Options of all commands that draw: title, unit, color map and range.

use super::{render, word};
use crate::config::Picture;
use crate::error::{Error, Result};
use crate::picture::{ColorMap, Options};

/// Options for the text and the colors of a picture.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Picture")]
pub struct PictureOptions {
    /// Title of the picture; default the name of the file or case
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// Unit of the values, shown above the color bar, such as mm
    #[arg(long, value_name = "TEXT")]
    pub unit: Option<String>,
    /// Color map: auto, sequential, diverging, gray, viridis, magma, inferno, plasma, cividis or
    /// turbo; default auto
    #[arg(long, value_name = "NAME", value_parser = word::<ColorMap>)]
    pub colormap: Option<ColorMap>,
    /// Values at the ends of the color bar; default the range of the data
    #[arg(long, value_name = "LOW,HIGH", value_parser = render::pair, allow_hyphen_values = true)]
    pub range: Option<[f64; 2]>,
}

impl PictureOptions {
    /// Returns the options that were given, as on the command line.
    pub(super) fn given(&self) -> Vec<String> {
        let word = |map: ColorMap| format!("{map:?}").to_lowercase();
        let options = [
            ("--title", self.title.clone()),
            ("--unit", self.unit.clone()),
            ("--colormap", self.colormap.map(word)),
            ("--range", self.range.map(|[low, high]| format!("{low},{high}"))),
        ];
        let given = options.into_iter().filter_map(|(name, value)| Some([name.into(), value?]));
        given.flatten().collect()
    }

    /// Sets the options of the renderer.
    pub(super) fn apply(&self, options: &mut Options) {
        options.unit = self.unit.clone().unwrap_or_default();
        options.colormap = self.colormap.unwrap_or_default();
        options.range = self.range;
    }

    /// Sets the keys of the table `[output.picture]` for which an option is given.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if an option is given, but nothing is drawn.
    pub(super) fn configure(&self, picture: Option<&mut Picture>) -> Result<()> {
        let Some(picture) = picture else { return self.refuse_without(false) };
        let PictureOptions { title, unit, colormap, range } = self;
        picture.title = title.clone().or(picture.title.take());
        picture.unit = unit.clone().or(picture.unit.take());
        picture.colormap = colormap.unwrap_or(picture.colormap);
        picture.range = range.or(picture.range);
        Ok(())
    }

    /// Returns an error if an option is given, but nothing is drawn.
    ///
    /// # Errors
    /// Returns an [`Error::Case`] that names the first of these options.
    pub(super) fn refuse_without(&self, has_picture: bool) -> Result<()> {
        match self.given().first() {
            Some(option) if !has_picture => {
                let what = format!("{option} is for pictures, but nothing is drawn");
                Err(Error::usage(what, "add --picture FILE, or leave it out"))
            }
            _ => Ok(()),
        }
    }
}
