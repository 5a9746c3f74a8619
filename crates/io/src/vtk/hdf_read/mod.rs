//! Reader of VTKHDF files
//! (<https://docs.vtk.org/en/latest/vtk_file_formats/vtkhdf_file_format/>), based on the crate
//! `hdf5-pure`: unstructured grids, poly data and images, as one state or as a series.
//!
//! A series has the group `Steps`, which states where the rows of each state begin. Only these rows
//! are read. The parts of a state are joined.

mod arrays;
mod image;
mod mesh;

use crate::MeshFile;
use crate::budget::Budget;
use crate::moment::StateTime;
use crate::{VolumeFile, VolumeOptions};
use arrays::Arrays;
use mesh::DataSet;
use zeroset_core::error::{Flaw, FlawKind, Result};

use super::image::NO_MESH;
use super::source::Source;
use super::with_groups;

/// The first bytes of an HDF5 file.
pub(super) const MAGIC: &[u8] = b"\x89HDF\r\n\x1a\n";

const DAMAGED: &str = "the file is damaged or truncated; copy or write it again";

/// A VTKHDF file whose structure has been read.
pub(crate) struct HdfFile {
    arrays: Arrays,
    kind: Kind,
    version: String,
    /// The times of the states if the file is a series.
    times: Option<Vec<f64>>,
}

/// The kind of data set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Grid,
    PolyData,
    Image,
}

impl HdfFile {
    /// Reads the structure of a file.
    ///
    /// # Errors
    /// Returns a [`Flaw`] if the bytes are not a VTKHDF file, are damaged, or hold a different kind
    /// of data set.
    pub fn open(bytes: Vec<u8>, budget: Budget) -> Result<Self, Flaw> {
        let arrays = Arrays::open(bytes, budget)?;
        let version = arrays.attribute_numbers("Version")?;
        let version: Vec<String> = version.iter().map(f64::to_string).collect();
        let word = arrays.attribute_word("Type")?;
        let kind = match word.as_str() {
            "UnstructuredGrid" => Kind::Grid,
            "PolyData" => Kind::PolyData,
            "ImageData" => Kind::Image,
            other => return Err(unsupported(other)),
        };
        let times = arrays.times()?;
        Ok(HdfFile { arrays, kind, version: version.join("."), times })
    }

    /// Returns the times of the states, or `None` if the file is not a series.
    pub fn times(&self) -> Option<&[f64]> {
        self.times.as_deref()
    }

    /// Reads the mesh of a state.
    ///
    /// # Errors
    /// Returns a [`Flaw`] that names the array if it is damaged, and a [`Flaw`] of kind `Unfit`
    /// for an image.
    pub fn mesh(&self, state: usize) -> Result<MeshFile, Flaw> {
        let polydata = match self.kind {
            Kind::Grid => false,
            Kind::PolyData => true,
            Kind::Image => {
                let flaw = Flaw::whole("ImageData: an image, not a mesh", NO_MESH);
                return Err(flaw.kind_of(FlawKind::Unfit));
            }
        };
        let state = self.times.as_ref().map(|_| state);
        let grid = DataSet { arrays: &self.arrays, state, polydata }.read()?;
        grid.check(&Source { bytes: &[] })?;
        let mut file = with_groups(grid.into_mesh_file("vtkhdf", self.version.clone()));
        file.set_state(self.time_of(state)?);
        Ok(file)
    }

    /// Reads an array of the image in a state. Returns `None` for a mesh.
    ///
    /// # Errors
    /// Returns a [`Flaw`] if an array is damaged or if there is no array to read, and a [`Flaw`] of
    /// kind `Asked` if there is no array of the requested name.
    pub fn volume(
        &self,
        state: usize,
        options: &VolumeOptions,
    ) -> Result<Option<VolumeFile>, Flaw> {
        if self.kind != Kind::Image {
            return Ok(None);
        }
        let state = self.times.as_ref().map(|_| state);
        let mut file = image::read(&self.arrays, state, options, self.version.clone())?;
        file.set_state(self.time_of(state)?);
        Ok(Some(file))
    }

    /// Returns the time and the units of a state. For a file that is not a series, the time is that
    /// in its field data, if it has one.
    fn time_of(&self, state: Option<usize>) -> Result<StateTime, Flaw> {
        let time = match (state, &self.times) {
            (Some(k), Some(times)) => times.get(k).copied(),
            _ => self.arrays.single_time()?,
        };
        let units = self.arrays.units()?;
        Ok(StateTime { time, series: self.times.clone().unwrap_or_default(), units })
    }
}

/// Returns the flaw of a data set that is not supported.
fn unsupported(kind: &str) -> Flaw {
    let (what, remedy) = match kind {
        "PartitionedDataSetCollection" | "MultiBlockDataSet" => (
            format!("a VTKHDF file of several data sets ({kind}) is not read"),
            "open it in ParaView, merge its parts (filter Merge Blocks), and save the result as \
             .vtu, .vtp or .vtkhdf",
        ),
        "OverlappingAMR" | "HyperTreeGrid" => (
            format!("an adaptive VTKHDF grid ({kind}) is not read"),
            "open it in ParaView, apply the filter Resample To Image, and save the result as .vti",
        ),
        "StructuredGrid" | "RectilinearGrid" => (
            format!("a structured or rectilinear VTKHDF grid ({kind}) is not read"),
            "open it in ParaView, apply the filter Tetrahedralize, and save the result as .vtu",
        ),
        other => (
            format!(
                "the VTKHDF file has the type {}, which is not read",
                super::source::shown(other.as_bytes())
            ),
            "open it in ParaView and save it as .vtu, .vtp or .vti",
        ),
    };
    Flaw::whole(what, remedy).kind_of(FlawKind::Unsupported)
}
