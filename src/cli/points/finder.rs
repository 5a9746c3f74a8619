//! Which voxels are asked for, and who finds them: the processor or a card.

use std::ops::Range;

use super::super::Ui;
use super::super::device::{self, Card};
use super::super::volume::Selection;
use crate::backend::Cpu;
use crate::config::DeviceKind;
use crate::error::{Error, Result};
use crate::expression::Expression;
use crate::points::{Points, counts, find, part};
use crate::primitives::{Bits, Order};
use crate::volume::Volume;

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
    /// [`Error::Device`] without memory, or where a card that is asked for cannot be used.
    pub fn list(&self, order: Order) -> Result<Points> {
        self.either(
            |card, expression| on_card::list(card, self.volume, expression, order),
            || find(self.volume, &self.selection.all, order),
        )
    }

    /// A range of them, and how many there are.
    ///
    /// # Errors
    /// As [`Finder::list`].
    pub fn part(&self, order: Order, entries: Range<usize>) -> Result<(Points, usize)> {
        self.either(
            |card, expression| on_card::part(card, self.volume, expression, order, entries.clone()),
            || part(self.volume, &self.selection.all, order, entries.clone()),
        )
    }

    /// How many there are in each box.
    ///
    /// # Errors
    /// As [`Finder::list`].
    pub fn counts(&self, boxes: &[[[u32; 3]; 2]]) -> Result<Vec<u32>> {
        self.either(
            |card, expression| on_card::counts(card, self.volume, expression, boxes),
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
            |card, expression| {
                let counts = on_card::counts(card, self.volume, expression, &[whole])?;
                Ok(counts.iter().map(|&n| n as usize).sum())
            },
            || Ok(Bits::new(&self.selection.all)?.count()),
        )
    }

    /// By a card if that is asked for or worth it, and the selection is one expression; if the choice is free, by the processor
    /// where the card fails.
    fn either<T: Send>(
        &self,
        on_card: impl FnOnce(&Card, &Expression) -> Result<T>,
        on_cpu: impl FnOnce() -> Result<T> + Send,
    ) -> Result<T> {
        let is_worth_it = self.volume.n_voxels() / self.cpu.threads() >= WORTH_A_CARD;
        let Some(expression) = self.selection.expression else {
            if self.device == DeviceKind::Cuda {
                self.ui.say("--edge and --match are decided by the processor");
            }
            return self.cpu.run(on_cpu);
        };
        let card = device::card(self.device, is_worth_it)?;
        match card.map(|card| on_card(&card, expression)) {
            Some(Err(error @ Error::Device { .. })) if self.device == DeviceKind::Auto => {
                self.ui.say(&format!("warning: {error}; the processor computes"));
                self.cpu.run(on_cpu)
            }
            Some(found) => found,
            None => self.cpu.run(on_cpu),
        }
    }
}

#[cfg(feature = "cuda")]
mod on_card {
    pub use crate::points::cuda::{counts_on as counts, find_on as list, part_on as part};
}

/// A program without CUDA has no card to ask.
#[cfg(not(feature = "cuda"))]
mod on_card {
    use super::*;

    pub fn list(card: &Card, _: &Volume, _: &Expression, _: Order) -> Result<Points> {
        match *card {}
    }

    pub fn part(
        card: &Card,
        _: &Volume,
        _: &Expression,
        _: Order,
        _: Range<usize>,
    ) -> Result<(Points, usize)> {
        match *card {}
    }

    pub fn counts(
        card: &Card,
        _: &Volume,
        _: &Expression,
        _: &[[[u32; 3]; 2]],
    ) -> Result<Vec<u32>> {
        match *card {}
    }
}
