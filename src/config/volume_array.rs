//! Values that a case takes from a volume.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::io::{Moment, VolumeOptions};

/// Values of a volume at its world coordinates, with trilinear interpolation, in the unit of the
/// coefficient. Points outside the volume take the value of the nearest point on its boundary.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct VolumeArray {
    /// Volume file, relative to the case file. `${NAME}` stands for an environment variable.
    pub volume: String,
    /// Layout of a raw file, which holds only numbers: `SHAPE:TYPE[:SPACING[:SKIP]]`, such as
    /// `256x256x109:uint16le:1x1x1.5`. SPACING is in mesh units, SKIP in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
    /// Array to read from a VTK file. Default: the active scalars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub array: Option<String>,
    /// State of a series (`.pvd`, `.vtkhdf`): its time, or "last" (default).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<Moment>,
    /// Spacing of the voxels along each axis, > 0, in mesh units. Default: that of the file, or 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spacing: Option<[f64; 3]>,
    /// Layer of a segmentation (`.seg.nrrd`), counted from 0. Required if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<usize>,
    /// Name of a segment of a segmentation (`.seg.nrrd`). Its voxels become 1 and all others 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segment: Option<String>,
    /// Volume of a 4-D file (time series), counted from 0. Required if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume_index: Option<usize>,
    /// Channel of each voxel, such as a color or a component of a vector, counted from 0. Required
    /// if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<usize>,
}

impl VolumeArray {
    /// Returns the values of a file that needs no options.
    pub fn of(volume: impl Into<String>) -> Self {
        VolumeArray { volume: volume.into(), ..VolumeArray::default() }
    }

    /// Returns the options of the reader, without the layout of a raw file.
    pub fn reading(&self) -> VolumeOptions {
        VolumeOptions::default()
            .array(self.array.clone())
            .time(self.time)
            .spacing(self.spacing)
            .layer(self.layer)
            .segment(self.segment.clone())
            .volume_index(self.volume_index)
            .channel(self.channel)
    }
}
