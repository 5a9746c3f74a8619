//! The table `[output.picture]`: pictures of the written states.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::picture::{Camera, ColorMap, Options, View};

/// `[output.picture]`: pictures of the states.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Picture {
    /// Width in pixels, 16 to 8192. Default 1200. Text needs at least about 300 x 225 pixels.
    #[schemars(range(min = 16, max = 8192))]
    pub width: u32,
    /// Height in pixels, 16 to 8192. Default 900.
    #[schemars(range(min = 16, max = 8192))]
    pub height: u32,
    /// Chooses another width and height for wide or tall content, which then fills the picture.
    /// Default true. Applies if `width` and `height` have their defaults.
    pub fit: bool,
    /// Title. Default: the name of the case.
    pub title: Option<String>,
    /// Unit of the values, shown above the color bar, such as "mm". Default: from `[units]`: the
    /// unit of time for arrival times, the unit of length for phi and other distances, and no unit
    /// for other arrays.
    pub unit: Option<String>,
    /// View direction. Default "auto".
    pub view: View,
    /// Explicit camera. Conflicts with `view`.
    pub camera: Option<Camera>,
    /// Array or group of the mesh to color by. Labels have distinct colors and a legend. Default:
    /// phi, the distance, or the labels of the distance.
    pub array: Option<String>,
    /// Color map.
    pub colormap: ColorMap,
    /// Values at the ends of the color bar, in the unit of the array, smaller value first. Default:
    /// the range of the array.
    pub range: Option<[f64; 2]>,
    /// Angle of the perspective view in degrees, 1 to 120. The larger the angle, the closer the
    /// eye. Default: a parallel projection.
    #[schemars(range(min = 1.0, max = 120.0))]
    pub perspective: Option<f64>,
    /// Makes the background transparent instead of white. Default false.
    pub transparent: bool,
    /// States to draw.
    pub every: Drawn,
    /// File for the picture of the last state instead of `NAME.png` in the folder. The option
    /// `--picture` sets it, relative to the current directory.
    #[serde(skip)]
    pub file: Option<PathBuf>,
}

impl Picture {
    /// Returns the default picture, written to `file`.
    pub fn into_file(file: PathBuf) -> Self {
        Picture { file: Some(file), ..Picture::default() }
    }
}

impl Default for Picture {
    fn default() -> Self {
        let options = Options::default();
        Picture {
            width: options.width,
            height: options.height,
            fit: true,
            title: None,
            unit: None,
            view: options.view,
            camera: None,
            array: None,
            colormap: ColorMap::Auto,
            range: None,
            perspective: None,
            transparent: false,
            every: Drawn::Last,
            file: None,
        }
    }
}

impl Picture {
    /// Returns these settings as options of the renderer. `unit` is the unit of the values unless
    /// the case gives one. It may be empty.
    pub fn options(&self, unit: String) -> Options {
        let usual = Options::default();
        let is_usual = [self.width, self.height] == [usual.width, usual.height];
        let mut options = match self.fit && is_usual {
            true => usual,
            false => usual.with_size(self.width, self.height),
        };
        options.colormap = self.colormap;
        options.unit = self.unit.clone().unwrap_or(unit);
        options.view = self.view;
        (options.camera, options.range) = (self.camera, self.range);
        options.with_perspective(self.perspective).with_transparency(self.transparent)
    }
}

/// States to draw: `every = "last"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Drawn {
    /// Draw the last state, as `NAME.png` (default).
    #[default]
    Last,
    /// Draw every written state, as `NAME_000050.png`, all with the same camera and color bar.
    State,
}
