//! Finds the selected voxels on the CPU or a GPU.

use std::ops::Range;

use super::super::Ui;
use super::super::device;
use super::super::volume::Selection;
use crate::Cpu;
use crate::config::DeviceKind;
use crate::error::Result;
use crate::gpu::Cuda;
use crate::gpu::points::{counts_on, find_on, part_on};
use crate::points::{Criterion, Points, counts, find, part};
use crate::primitives::{Bits, Order};
use crate::volume::Volume;

/// The smallest number of voxels per CPU thread for which a GPU is worth its cost.
///
/// The cost consists of starting the GPU, compiling the expression (0.3 s) and copying the volume
/// (docs/points.md).
const WORTH_A_GPU: usize = 1 << 25;

/// Finds the voxels of a selection.
pub struct Finder<'a> {
    pub volume: &'a Volume,
    pub selection: &'a Selection<'a>,
    pub device: DeviceKind,
    pub cpu: Cpu,
    pub ui: &'a Ui,
}

impl Finder<'_> {
    /// Returns all selected voxels.
    ///
    /// # Errors
    /// Returns [`crate::Error::Device`] if memory runs out, or if a requested GPU cannot be used.
    pub fn list(&self, order: Order) -> Result<Points> {
        self.either(
            |gpu, criteria| find_on(gpu, self.volume, criteria, order),
            || find(self.volume, &self.selection.all, order),
        )
    }

    /// Returns a range of the list of selected voxels, and the length of the whole list.
    ///
    /// # Errors
    /// Returns the errors of [`Finder::list`].
    pub fn part(&self, order: Order, entries: Range<usize>) -> Result<(Points, usize)> {
        self.either(
            |gpu, criteria| part_on(gpu, self.volume, criteria, order, entries.clone()),
            || part(self.volume, &self.selection.all, order, entries.clone()),
        )
    }

    /// Returns the number of selected voxels in each box.
    ///
    /// # Errors
    /// Returns the errors of [`Finder::list`].
    pub fn counts(&self, boxes: &[[[u32; 3]; 2]]) -> Result<Vec<u32>> {
        self.either(
            |gpu, criteria| counts_on(gpu, self.volume, criteria, boxes),
            || counts(&self.selection.all, boxes),
        )
    }

    /// Returns the number of selected voxels.
    ///
    /// # Errors
    /// Returns the errors of [`Finder::list`].
    pub fn count(&self) -> Result<usize> {
        let whole = [[0; 3], self.volume.shape().map(|n| n as u32)];
        self.either(
            |gpu, criteria| {
                let counts = counts_on(gpu, self.volume, criteria, &[whole])?;
                Ok(counts.iter().map(|&n| n as usize).sum())
            },
            || Ok(Bits::new(&self.selection.all)?.count()),
        )
    }

    /// Calls `on_gpu` if a GPU is requested, or if the device is `auto` and a GPU is worth its
    /// cost. Otherwise, calls `on_cpu`.
    fn either<T: Send>(
        &self,
        on_gpu: impl FnOnce(&Cuda, &[Criterion]) -> Result<T>,
        on_cpu: impl FnOnce() -> Result<T> + Send,
    ) -> Result<T> {
        device::either(
            self.device,
            self.volume.n_voxels() / self.cpu.threads() >= WORTH_A_GPU,
            self.ui,
            |gpu| on_gpu(&gpu, &self.selection.criteria),
            || self.cpu.run(on_cpu),
        )
    }
}
