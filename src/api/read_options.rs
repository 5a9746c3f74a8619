//! Options of reading a mesh.

use crate::config::{DataFile, Device, MeshRepair, Precision};
use crate::io::{Frame, Moment};
use crate::mesh::repair::Weld;
use crate::patches::{PATCH_SIZE, Partition};

/// Options of [`read_with`](super::read_with) and
/// [`Mesh::with_options`](super::Mesh::with_options).
///
/// The defaults are those of the command line.
///
/// ```
/// use zeroset::api::ReadOptions;
/// use zeroset::config::Precision;
/// let options = ReadOptions::default().precision(Precision::F32).patch_size(128);
/// let mesh = zeroset::read_with("meshes/fsaverage5_pial_left.gii.gz", &options)?;
/// assert_eq!(mesh.n_vertices(), 10242);
/// # Ok::<(), zeroset::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReadOptions {
    /// The device and the number of CPU threads. By default, a GPU is used if there is one and the
    /// mesh has at least 20,000 vertices.
    pub device: Device,
    /// The scalar type of the solvers. The default is `F64`.
    pub precision: Precision,
    /// Files with additional arrays and groups of vertices.
    pub data: Vec<DataFile>,
    /// The coincident vertices to join. The default is [`Weld::Auto`].
    pub weld: Option<Weld>,
    /// The treatment of degenerate cells. The default is [`MeshRepair::Auto`].
    pub repair: Option<MeshRepair>,
    /// Whether to leave out cells that cannot be cut into triangles or tetrahedra, instead of
    /// failing.
    pub skip_unsupported: bool,
    /// The frame of a cortical surface. By default, coordinates are as stored.
    pub frame: Option<Frame>,
    /// The state of a series to read. The default is the last one.
    pub time: Option<Moment>,
    /// The largest number of vertices per patch, 8 to 4096. The default is 64.
    pub patch_size: usize,
    /// The partition into patches.
    pub partition: Partition,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions {
            device: Device::default(),
            precision: Precision::F64,
            data: Vec::new(),
            weld: None,
            repair: None,
            skip_unsupported: false,
            frame: None,
            time: None,
            patch_size: PATCH_SIZE,
            partition: Partition::Bisection,
        }
    }
}

impl ReadOptions {
    /// Sets the device and the number of CPU threads.
    pub fn device(mut self, device: Device) -> Self {
        self.device = device;
        self
    }

    /// Sets the scalar type of the solvers.
    pub fn precision(mut self, precision: Precision) -> Self {
        self.precision = precision;
        self
    }

    /// Sets the files with more arrays and groups of vertices.
    pub fn data(mut self, files: impl Into<Vec<DataFile>>) -> Self {
        self.data = files.into();
        self
    }

    /// Sets the coincident vertices to join.
    pub fn weld(mut self, weld: Weld) -> Self {
        self.weld = Some(weld);
        self
    }

    /// Sets the treatment of degenerate cells.
    pub fn repair(mut self, repair: MeshRepair) -> Self {
        self.repair = Some(repair);
        self
    }

    /// Sets whether to leave out cells that cannot be cut into triangles or tetrahedra.
    pub fn skip_unsupported(mut self, skip: bool) -> Self {
        self.skip_unsupported = skip;
        self
    }

    /// Sets the frame of a cortical surface.
    pub fn frame(mut self, frame: Frame) -> Self {
        self.frame = Some(frame);
        self
    }

    /// Sets the state of a series to read.
    pub fn time(mut self, time: Moment) -> Self {
        self.time = Some(time);
        self
    }

    /// Sets the largest number of vertices per patch, 8 to 4096.
    pub fn patch_size(mut self, vertices: usize) -> Self {
        self.patch_size = vertices;
        self
    }

    /// Sets the partition into patches.
    pub fn partition(mut self, partition: Partition) -> Self {
        self.partition = partition;
        self
    }
}
