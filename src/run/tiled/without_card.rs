//! Stands in for motion on a GPU where the feature `cuda` is off.

use super::Job;
use super::device::{Start, TiledMotion};
use crate::error::Result;
use crate::grid::Stored;
use crate::levelset::tiled::{Kept, Wide};
use crate::run::device::Card;

impl Job<'_> {
    /// Never called: there is no card.
    pub(super) fn on_card<'a, R: Wide, S: Stored<R> + Kept, const E: usize>(
        &'a self,
        card: &Card,
        _: Start<S, E>,
    ) -> Result<Box<dyn TiledMotion<R, S, E> + 'a>> {
        match *card {}
    }
}
