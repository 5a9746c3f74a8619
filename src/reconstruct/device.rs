//! The only place that knows which method runs on which device.

use super::Method;
use super::directed::{self, Cubes, Directed};
use super::potential::{self, Levels};
use crate::backend::cuda::Cuda;
use crate::cloud::{Far, PointCloud, far_from_others};
use crate::error::{Error, Result};
use crate::mesh::Mesh;

/// Samples from which on a GPU is worth its start of a quarter of a second: directed distances of so
/// many take two processor cores about that long.
pub const WORTH_A_CARD: usize = 100_000;

/// What a reconstruction computes on.
#[derive(Clone, Copy, Default)]
pub enum Device<'a> {
    /// The processor.
    #[default]
    Cpu,
    /// A card where the method has kernels and its memory suffices, else the processor.
    Auto(&'a Cuda),
    /// A card and nothing else.
    Card(&'a Cuda),
}

/// Whether the method for a cloud runs on a card.
pub fn runs_on_a_card(cloud: &PointCloud, method: Method) -> bool {
    has_kernels(method.of(cloud))
}

/// Whether a method runs on a card.
fn has_kernels(method: Method) -> bool {
    method == Method::Directed
}

impl<'a> Device<'a> {
    /// The card for a method, if it runs on one.
    fn card(self, method: Method) -> Result<Option<&'a Cuda>> {
        match self {
            Device::Card(_) if !has_kernels(method) => {
                let what = "the level-set method runs on the processor only";
                Err(Error::device(what, "leave out the device, or take the method directed"))
            }
            Device::Auto(card) | Device::Card(card) if has_kernels(method) => Ok(Some(card)),
            _ => Ok(None),
        }
    }

    /// Numbers of the points that are far from all others, and the spacing of all; `auto` takes the
    /// processor where the card cannot.
    pub(super) fn far_from_others(self, points: &[[f64; 3]], factor: f64) -> Result<Far> {
        if let Device::Auto(card) | Device::Card(card) = self {
            match far_on_card(card, points, factor) {
                Ok(Some(found)) => return Ok(found),
                Err(error) if matches!(self, Device::Card(_)) => return Err(error),
                Ok(None) | Err(_) => {}
            }
        }
        far_from_others(points, factor)
    }

    /// Directed distances; the second is the name of the card that computed, if one did. Why one did
    /// not is a warning.
    pub(super) fn directed(
        self,
        cloud: &PointCloud,
        cubes: Cubes,
        warnings: &mut Vec<String>,
    ) -> Result<(Mesh, Directed, Option<String>)> {
        if let Some(card) = self.card(Method::Directed)? {
            match on_card(card, cloud, cubes) {
                Err(error @ Error::Device { .. }) if matches!(self, Device::Auto(_)) => {
                    warnings.push(format!("{error}; the processor computes"));
                }
                done => return done,
            }
        }
        directed::reconstruct(cloud, cubes).map(|(mesh, done)| (mesh, done, None))
    }

    /// The level-set method, as [`directed`](Device::directed).
    pub(super) fn levelset(
        self,
        points: &[[f64; 3]],
        options: &potential::Options,
    ) -> Result<(Mesh, Levels, Option<String>)> {
        self.card(Method::Levelset)?;
        potential::reconstruct(points, options).map(|(mesh, done)| (mesh, done, None))
    }
}

#[cfg(feature = "cuda")]
fn on_card(
    card: &Cuda,
    cloud: &PointCloud,
    cubes: Cubes,
) -> Result<(Mesh, Directed, Option<String>)> {
    let (mesh, done) = directed::cuda::reconstruct(card, cloud, cubes)?;
    Ok((mesh, done, Some(card.card().name.clone())))
}

#[cfg(feature = "cuda")]
fn far_on_card(card: &Cuda, points: &[[f64; 3]], factor: f64) -> Result<Option<Far>> {
    directed::cuda::far_from_others(card, points, factor)
}

#[cfg(not(feature = "cuda"))]
fn far_on_card(card: &Cuda, _: &[[f64; 3]], _: f64) -> Result<Option<Far>> {
    match *card {}
}

#[cfg(not(feature = "cuda"))]
fn on_card(card: &Cuda, _: &PointCloud, _: Cubes) -> Result<(Mesh, Directed, Option<String>)> {
    match *card {}
}
