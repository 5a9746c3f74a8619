//! `[output.picture]`: pictures of the states.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::picture::{Camera, Options, View};

/// `[output.picture]`: what pictures show, and when they are drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Picture {
    /// Pixels per row, 16 to 8192; default 1200. Below about 300 x 225 there is no room for text.
    #[schemars(range(min = 16, max = 8192))]
    pub width: u32,
    /// Rows, 16 to 8192; default 900.
    #[schemars(range(min = 16, max = 8192))]
    pub height: u32,
    /// Side it is seen from; default "auto".
    pub view: View,
    /// Camera given by hand; not together with `view`.
    pub camera: Option<Camera>,
    /// Vertex array of the mesh to color by; default phi or the distance itself.
    pub array: Option<String>,
    /// Values at both ends of the color bar, the smaller first; default those of the array.
    pub range: Option<[f64; 2]>,
    /// Angle of perspective in degrees, 1 to 120: the larger, the nearer is the eye; default none, a
    /// parallel projection.
    #[schemars(range(min = 1.0, max = 120.0))]
    pub perspective: Option<f64>,
    /// Leaves out the white behind what is shown; default false.
    pub transparent: bool,
    /// Which states are drawn.
    pub every: Drawn,
    /// Where the picture of the last state goes instead of `NAME.png` in the folder: the option
    /// `--picture`, relative to the current directory.
    #[serde(skip)]
    pub file: Option<PathBuf>,
}

impl Picture {
    /// The default picture, written to `file`.
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
            view: options.view,
            camera: None,
            array: None,
            range: None,
            perspective: None,
            transparent: false,
            every: Drawn::Last,
            file: None,
        }
    }
}

impl Picture {
    /// The same for who draws.
    pub fn options(&self) -> Options {
        let mut options = Options::default().with_size(self.width, self.height);
        options.view = self.view;
        (options.camera, options.range) = (self.camera, self.range);
        options.with_perspective(self.perspective).with_transparency(self.transparent)
    }
}

/// Which states are drawn: `every = "last"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Drawn {
    /// The last one, as `NAME.png` (default).
    #[default]
    Last,
    /// Each that is written, as `NAME_000050.png`, all with the same camera and color bar.
    State,
}
