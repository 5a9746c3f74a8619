//! The frame, the time and the metadata that a file states.

use zeroset_core::error::{Flaw, Result};

use crate::frame::{Affine, FileFrame, Frame, IDENTITY};
use crate::moment::StateTime;

/// An entry of the metadata: its name and its value.
pub type Entry = (String, String);

/// The frame, the metadata and the time of a file.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct About {
    /// The frame of the coordinates, as far as the file states it.
    pub frame: FileFrame,
    /// Metadata of the whole file.
    pub of_file: Vec<Entry>,
    /// Metadata of the coordinates, such as `AnatomicalStructurePrimary`.
    pub of_points: Vec<Entry>,
    /// The three strings of a GIFTI coordinate system: the space of the coordinates, the space into
    /// which the matrix transforms them, and the matrix as text.
    pub space: Option<[String; 3]>,
    /// The time of the data, if the file states one, and the times of its series.
    pub state: StateTime,
}

/// GIFTI's name for the scanner frame.
pub(crate) const SCANNER: &str = "NIFTI_XFORM_SCANNER_ANAT";
/// GIFTI's name for an unknown frame.
pub(crate) const UNKNOWN: &str = "NIFTI_XFORM_UNKNOWN";
/// The names of entries that describe only one file. A copy must not have them.
const OF_THIS_FILE: [&str; 3] = ["UniqueID", "Date", "UserName"];
/// The names of the entries that a file of vertex values takes over from its surface.
const ANATOMY: [&str; 2] = ["AnatomicalStructurePrimary", "AnatomicalStructureSecondary"];

impl About {
    /// Transforms the vertices to a frame, and adapts the metadata.
    ///
    /// # Errors
    /// Returns a [`Flaw`] if the file does not state how its coordinates are related to the frame.
    pub(crate) fn choose(&mut self, frame: Frame, vertices: &mut [[f64; 3]]) -> Result<(), Flaw> {
        let before = self.frame.coordinates;
        self.frame.choose(frame, vertices)?;
        if self.frame.coordinates == before {
            return Ok(());
        }
        // Programs that ignore the coordinate space add the volume's center to the coordinates. The
        // stated center must therefore be 0 for scanner coordinates.
        let is_scanner = frame == Frame::Scanner;
        for (k, axis) in ["R", "A", "S"].iter().enumerate() {
            let name = format!("VolGeomC_{axis}");
            let center = self.frame.c_ras.map_or(0.0, |c_ras| c_ras[k]);
            let value = if is_scanner { 0.0 } else { center };
            self.of_points.iter_mut().filter(|entry| entry.0 == name).for_each(|entry| {
                entry.1 = value.to_string();
            });
        }
        let (data, matrix) = match is_scanner {
            true => (SCANNER, &IDENTITY),
            false => (UNKNOWN, self.frame.to_scanner.as_ref().unwrap_or(&IDENTITY)),
        };
        self.space = Some([data.to_string(), SCANNER.to_string(), written(matrix)]);
        Ok(())
    }

    /// Returns the metadata of the coordinates that a copy of the surface keeps.
    pub fn kept_of_points(&self) -> impl Iterator<Item = &Entry> {
        self.of_points.iter().filter(|entry| !OF_THIS_FILE.contains(&entry.0.as_str()))
    }

    /// Returns the metadata of the file that a copy of the surface keeps.
    pub fn kept_of_file(&self) -> impl Iterator<Item = &Entry> {
        self.of_file.iter().filter(|entry| !OF_THIS_FILE.contains(&entry.0.as_str()))
    }

    /// Returns the entries that a file of vertex values takes over from the surface.
    pub fn anatomy(&self) -> Vec<Entry> {
        let find = |name: &str| {
            let mut all = self.of_points.iter().chain(&self.of_file);
            all.find(|entry| entry.0 == name).cloned()
        };
        ANATOMY.into_iter().filter_map(find).collect()
    }
}

/// Returns an affine map as text: the 16 numbers of a 4 x 4 matrix, row by row.
pub(crate) fn written(affine: &Affine) -> String {
    let rows = affine.as_flattened().iter().map(f64::to_string);
    rows.chain(["0 0 0 1".to_string()]).collect::<Vec<_>>().join(" ")
}

/// The size, orientation and position of the volume from which FreeSurfer made a surface.
#[derive(Clone, Debug)]
pub(crate) struct VolumeGeometry {
    /// The number of voxels along each axis.
    pub size: [f64; 3],
    /// Lengths of the edges of a voxel in mm.
    pub spacing: [f64; 3],
    /// Directions of the voxel axes in the scanner frame.
    pub axes: [[f64; 3]; 3],
    /// The center of the volume (c_ras) in the scanner frame.
    pub center: [f64; 3],
}

/// The letters of the scanner axes in names such as `VolGeomX_R`.
const AXES: [&str; 3] = ["R", "A", "S"];

impl VolumeGeometry {
    /// Returns the geometry if its axes and center are finite and its axes have unit length, within
    /// about 0.5 %. Otherwise, returns `None`. Size and spacing are not checked.
    pub fn checked(self) -> Option<Self> {
        let is_finite = self.axes.as_flattened().iter().chain(&self.center).all(|x| x.is_finite());
        let is_unit = |x: &[f64; 3]| (x.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-2;
        (is_finite && self.axes.iter().all(is_unit)).then_some(self)
    }

    /// Returns the geometry that GIFTI entries such as `VolGeomC_R` state, or `None` if they state
    /// no center or an invalid geometry.
    pub fn of_entries(entries: &[Entry]) -> Option<Self> {
        let number = |name: &str| -> Option<f64> {
            let entry = entries.iter().find(|entry| entry.0 == format!("VolGeom{name}"))?;
            entry.1.parse().ok()
        };
        let each = |names: [&str; 3]| -> Option<[f64; 3]> {
            let [a, b, c] = names.map(number);
            Some([a?, b?, c?])
        };
        let vector = |name: &str| -> Option<[f64; 3]> {
            let [a, b, c] = AXES.map(|axis| number(&format!("{name}_{axis}")));
            Some([a?, b?, c?])
        };
        // Only the center is required. The other values default to those of a conformed volume.
        let conformed = [[-1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]];
        let axis = |k: usize| vector(["X", "Y", "Z"][k]).unwrap_or(conformed[k]);
        VolumeGeometry {
            size: each(["Width", "Height", "Depth"]).unwrap_or([256.0; 3]),
            spacing: each(["Xsize", "Ysize", "Zsize"]).unwrap_or([1.0; 3]),
            axes: [axis(0), axis(1), axis(2)],
            center: vector("C")?,
        }
        .checked()
    }

    /// Returns the geometry in the form of GIFTI entries.
    pub fn entries(&self) -> Vec<Entry> {
        let sizes = ["Width", "Height", "Depth"].into_iter().zip(self.size);
        let spacings = ["Xsize", "Ysize", "Zsize"].into_iter().zip(self.spacing);
        let named = sizes.chain(spacings).map(|(name, x)| (name.to_string(), x));
        let vectors =
            ["X", "Y", "Z", "C"].into_iter().zip(self.axes.into_iter().chain([self.center]));
        let vectors = vectors.flat_map(|(name, vector)| {
            AXES.into_iter().zip(vector).map(move |(axis, x)| (format!("{name}_{axis}"), x))
        });
        named.chain(vectors).map(|(name, x)| (format!("VolGeom{name}"), x.to_string())).collect()
    }

    /// Returns the frame of a surface with tkr coordinates that was made from the volume.
    pub fn frame(&self) -> FileFrame {
        FileFrame::of_volume(self.axes, self.center)
    }
}
