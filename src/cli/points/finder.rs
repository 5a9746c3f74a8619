//! Which voxels are asked for, and who finds them: the processor or a card.

use std::ops::Range;

use super::super::Ui;
use super::super::device::{self, Card};
use super::super::volume::Selection;
use zeroset::Cpu;
use zeroset::config::DeviceKind;
use zeroset::error::Result;
use zeroset::points::{Criterion, Points, counts, find, part};
use zeroset::primitives::{Bits, Order};
use zeroset::volume::Volume;

/// Voxels for each thread from which on a GPU is worth its start and the compilation of the expression, 0.3 s, and the
/// copy of the volume (docs/points.md).
const WORTH_A_CARD: usize = 1 << 25;

/// Finds the voxels of a selection.
pub struct Finder<'a> {
    pub volume: &'a Volume,
    pub selection: &'a Selection<'a>,
    pub device: DeviceKind,
    pub cpu: Cpu,
    pub ui: &'a Ui,
}

impl Finder<'_> {
    /// All of them.
    ///
    /// # Errors
    /// [`zeroset::Error::Device`] without memory, or where a card that is asked for cannot be used.
    pub fn list(&self, order: Order) -> Result<Points> {
        self.either(
            |card, criteria| on_card::list(card, self.volume, criteria, order),
            || find(self.volume, &self.selection.all, order),
        )
    }

    /// A range of them, and how many there are.
    ///
    /// # Errors
    /// As [`Finder::list`].
    pub fn part(&self, order: Order, entries: Range<usize>) -> Result<(Points, usize)> {
        self.either(
            |card, criteria| on_card::part(card, self.volume, criteria, order, entries.clone()),
            || part(self.volume, &self.selection.all, order, entries.clone()),
        )
    }

    /// How many there are in each box.
    ///
    /// # Errors
    /// As [`Finder::list`].
    pub fn counts(&self, boxes: &[[[u32; 3]; 2]]) -> Result<Vec<u32>> {
        self.either(
            |card, criteria| on_card::counts(card, self.volume, criteria, boxes),
            || counts(&self.selection.all, boxes),
        )
    }

    /// How many there are.
    ///
    /// # Errors
    /// As [`Finder::list`].
    pub fn count(&self) -> Result<usize> {
        let whole = [[0; 3], self.volume.shape().map(|n| n as u32)];
        self.either(
            |card, criteria| {
                let counts = on_card::counts(card, self.volume, criteria, &[whole])?;
                Ok(counts.iter().map(|&n| n as usize).sum())
            },
            || Ok(Bits::new(&self.selection.all)?.count()),
        )
    }

    /// By a card if that is asked for or worth it, else by the processor.
    fn either<T: Send>(
        &self,
        on_card: impl FnOnce(&Card, &[Criterion]) -> Result<T>,
        on_cpu: impl FnOnce() -> Result<T> + Send,
    ) -> Result<T> {
        device::either(
            self.device,
            self.volume.n_voxels() / self.cpu.threads() >= WORTH_A_CARD,
            self.ui,
            |card| on_card(&card, &self.selection.criteria),
            || self.cpu.run(on_cpu),
        )
    }
}

mod on_card {
    pub use zeroset::gpu::points::{counts_on as counts, find_on as list, part_on as part};
}
