//! Options of the readers of volumes.

use super::RawLayout;
use crate::moment::Moment;
use zeroset_core::error::{Flaw, FlawKind, Result};

/// Options of [`read_volume`](crate::read_volume).
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct VolumeOptions {
    /// The layout of a file that holds nothing but numbers.
    pub raw: Option<RawLayout>,
    /// Name of the array to read from a VTK file. By default, scalar arrays of points are preferred
    /// to those of cells and, within each of these groups, active scalars to others.
    pub array: Option<String>,
    /// The table of the case file that holds these options, for use in messages. `None` means that
    /// they are command-line options.
    pub table: Option<String>,
    /// The state of a series. `None` means the last state, with a warning if the series has
    /// several.
    pub time: Option<Moment>,
    /// The spacing of the voxels along each axis, > 0, in world units, in place of the spacing in
    /// the file.
    pub spacing: Option<[f64; 3]>,
    /// The layer of a segmentation, counted from 0. It must be given if there are several.
    pub layer: Option<usize>,
    /// The volume of a 4-D file, counted from 0. It must be given if there are several.
    pub volume_index: Option<usize>,
    /// The channel of each voxel, such as a color or the component of a vector, counted from 0. It
    /// must be given if there are several.
    pub channel: Option<usize>,
    /// The name of a segment of a segmentation. Its voxels become 1 and all others 0.
    pub segment: Option<String>,
}

impl VolumeOptions {
    /// Sets the layout of a file that holds nothing but numbers.
    pub fn raw(mut self, layout: Option<RawLayout>) -> Self {
        self.raw = layout;
        self
    }

    /// Sets the name of the array to read from a VTK file.
    pub fn array(mut self, name: Option<String>) -> Self {
        self.array = name;
        self
    }

    /// Chooses the state of a series. `None` means the last state.
    pub fn time(mut self, time: Option<Moment>) -> Self {
        self.time = time;
        self
    }

    /// Sets the spacing of the voxels along each axis, > 0, in world units.
    pub fn spacing(mut self, spacing: Option<[f64; 3]>) -> Self {
        self.spacing = spacing;
        self
    }

    /// Chooses the layer of a segmentation.
    pub fn layer(mut self, layer: Option<usize>) -> Self {
        self.layer = layer;
        self
    }

    /// Chooses the volume of a 4-D file.
    pub fn volume_index(mut self, index: Option<usize>) -> Self {
        self.volume_index = index;
        self
    }

    /// Chooses the channel of each voxel.
    pub fn channel(mut self, channel: Option<usize>) -> Self {
        self.channel = channel;
        self
    }

    /// Chooses the segment of a segmentation.
    pub fn segment(mut self, name: Option<String>) -> Self {
        self.segment = name;
        self
    }

    /// Sets the table of the case file that holds these options.
    pub fn table(mut self, table: impl Into<String>) -> Self {
        self.table = Some(table.into());
        self
    }

    /// Returns an option as it is written in a case file or on the command line.
    pub(crate) fn written(&self, option: &str) -> String {
        match &self.table {
            Some(table) => format!("{table}.{option} ="),
            // In a case, `volume` is the name of the file.
            None if option == "volume_index" => "--volume".into(),
            None => format!("--{}", option.replace('_', "-")),
        }
    }

    /// Returns the name of an option or key, without a value.
    pub(crate) fn name_of(&self, option: &str) -> String {
        self.written(option).trim_end_matches(" =").to_string()
    }

    /// Rejects the option `array` for a file that is not a VTK image.
    pub(crate) fn reject_array(&self) -> Result<(), Flaw> {
        match &self.array {
            None => Ok(()),
            Some(name) => {
                let what = format!("is not a VTK image with an array `{name}`");
                let remedy = format!("leave out {}", self.name_of("array"));
                Err(Flaw::whole(what, remedy).kind_of(FlawKind::Asked))
            }
        }
    }

    /// Rejects the option `segment` for a file that is not an NRRD segmentation.
    pub(crate) fn reject_segment(&self) -> Result<(), Flaw> {
        match &self.segment {
            None => Ok(()),
            Some(name) => {
                let what = format!("is not a segmentation (.seg.nrrd) with a segment `{name}`");
                let remedy = format!("leave out {}", self.name_of("segment"));
                Err(Flaw::whole(what, remedy).kind_of(FlawKind::Asked))
            }
        }
    }

    /// Rejects options that choose or place voxels, for a file without voxels.
    pub(crate) fn reject_choices(&self) -> Result<(), Flaw> {
        let given = [
            ("spacing", self.spacing.is_some()),
            ("layer", self.layer.is_some()),
            ("volume_index", self.volume_index.is_some()),
            ("channel", self.channel.is_some()),
            ("segment", self.segment.is_some()),
        ];
        let Some((option, _)) = given.into_iter().find(|(_, given)| *given) else { return Ok(()) };
        let option = self.name_of(option);
        let flaw = Flaw::whole(format!("holds no volume, but {option} is given"), "leave it out");
        Err(flaw.kind_of(FlawKind::Asked))
    }
}
