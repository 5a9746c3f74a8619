//! `zeroset devices` of a program that was built without the feature `cuda`.

use super::Ui;
use crate::backend::Reason;
use crate::error::Result;

/// Arguments of `zeroset devices`: none.
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Says that this program knows no GPUs.
///
/// # Errors
/// [`Error::Device`](crate::Error::Device), always.
pub fn run(_args: Args, _ui: &Ui) -> Result<u8> {
    Err(Reason::NotBuilt.into())
}
