//! Coefficients as a GPU takes them.

use std::sync::Arc;

use super::stationary_coefficients::KeepCoefficient;
use super::volumes::{Components, KeptVolumes};
use crate::error::Result;
use crate::expression::Field;
use crate::geometry::Real;
use crate::gpu::Cuda;
use crate::gpu::volume::DeviceVolume;
use crate::levelset::tiled::{Coefficient, Terms};

zeroset_gpu::cuda_header! {
    "tile_terms";

    /// How a coefficient of a term acts: what VELOCITY, NORMAL and CURVATURE are.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) define enum TermKind as TERM {
        /// The term does not act.
        None = 0,
        /// One value.
        Uniform = 1,
        /// An expression.
        Varies = 2,
        /// What is kept with the tiles.
        StationaryValues = 3,
    }
}

/// One component of a coefficient, in lengths per time (alpha: lengths squared per time).
#[derive(Clone, Debug)]
pub enum DevicePart {
    /// The same everywhere.
    Number(f64),
    /// An expression in the coordinates and the time, without data arrays.
    Field(Field),
    /// Values of a volume at the voxels' places in the world.
    Volume(Arc<DeviceVolume>),
}

/// A coefficient with `K` numbers.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum DeviceCoefficient<const K: usize> {
    /// The same everywhere, in voxels per time (alpha: voxels squared per time).
    Uniform([f64; K]),
    /// Expressions in the coordinates and the time, without data arrays, in lengths per time (alpha:
    /// lengths squared per time): evaluated for each voxel that moves, at the time of each
    /// evaluation, and divided by dx (by dx squared).
    Fields(Box<[Field; K]>),
    /// Volumes beside others, divided by dx (by dx squared). Beside an expression they are evaluated with it;
    /// else the coefficient is made once for each tile that comes and kept with it.
    Parts(Box<[DevicePart; K]>),
    /// Made by kernels of somebody else for the tiles that come, and kept with them.
    StationaryValues(Arc<dyn KeepCoefficient>),
}

impl<const K: usize> Default for DeviceCoefficient<K> {
    /// Zero.
    fn default() -> Self {
        DeviceCoefficient::Uniform([0.0; K])
    }
}

impl<const K: usize> DeviceCoefficient<K> {
    /// How kernels are compiled for it.
    pub(super) fn kind(&self) -> TermKind {
        match self {
            DeviceCoefficient::Uniform(value) if value.iter().all(|v| *v == 0.0) => TermKind::None,
            DeviceCoefficient::Uniform(_) => TermKind::Uniform,
            DeviceCoefficient::Fields(_) => TermKind::Varies,
            DeviceCoefficient::Parts(parts) => {
                let varies = parts.iter().any(|part| matches!(part, DevicePart::Field(_)));
                if varies { TermKind::Varies } else { TermKind::StationaryValues }
            }
            DeviceCoefficient::StationaryValues(_) => TermKind::StationaryValues,
        }
    }

    /// Which components are volumes, a bit for each, where others are expressions.
    pub(super) fn sampled(&self) -> u32 {
        match self {
            DeviceCoefficient::Parts(parts) if self.kind() == TermKind::Varies => {
                let bit = |part: &DevicePart| u32::from(matches!(part, DevicePart::Volume(_)));
                parts.iter().rev().fold(0, |bits, part| 2 * bits + bit(part))
            }
            _ => 0,
        }
    }

    /// What is printed as code: the components that are no volumes, where one is an expression.
    pub(super) fn fields(&self) -> Vec<Field> {
        match self {
            DeviceCoefficient::Fields(fields) => fields.to_vec(),
            DeviceCoefficient::Parts(parts) if self.kind() == TermKind::Varies => {
                let field = |part: &DevicePart| match part {
                    DevicePart::Number(x) => Some(Field::constant(*x)),
                    DevicePart::Field(field) => Some(field.clone()),
                    DevicePart::Volume(_) => None,
                };
                parts.iter().filter_map(field).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The values that are the same everywhere, zero for others.
    pub(super) fn uniform(&self) -> [f64; K] {
        match self {
            DeviceCoefficient::Uniform(value) => *value,
            _ => [0.0; K],
        }
    }

    /// What makes it for the tiles that come, where it is kept.
    fn keeper<R: Real>(
        &self,
        cuda: &Cuda,
        scale: f64,
        place: ([f64; 3], f64),
        edge: usize,
    ) -> Result<Option<Arc<dyn KeepCoefficient>>> {
        Ok(match self {
            DeviceCoefficient::StationaryValues(kept) => Some(kept.clone()),
            DeviceCoefficient::Parts(parts) if self.kind() == TermKind::StationaryValues => {
                let parts = parts.as_slice();
                Some(Arc::new(KeptVolumes::new::<R>(cuda, parts, scale, place, edge)?))
            }
            _ => None,
        })
    }
}

/// The terms of a motion: [`Terms`] with expressions instead of functions.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct DeviceTerms {
    /// U.
    pub velocity: DeviceCoefficient<3>,
    /// F; positive lets the inside grow.
    pub normal_speed: DeviceCoefficient<1>,
    /// alpha >= 0; shrinks a sphere.
    pub curvature: DeviceCoefficient<1>,
    /// Where voxel (0, 0, 0) lies, for expressions.
    pub origin: [f64; 3],
    /// Edge of a voxel, for expressions.
    pub dx: f64,
}

impl DeviceTerms {
    /// No terms, on voxels that lie at `origin + dx v`.
    pub fn new(origin: [f64; 3], dx: f64) -> Self {
        DeviceTerms { origin, dx, ..DeviceTerms::default() }
    }

    /// Sets the velocity.
    pub fn with_velocity(mut self, velocity: DeviceCoefficient<3>) -> Self {
        self.velocity = velocity;
        self
    }

    /// Sets the normal speed.
    pub fn with_normal_speed(mut self, normal_speed: DeviceCoefficient<1>) -> Self {
        self.normal_speed = normal_speed;
        self
    }

    /// Sets the curvature coefficient.
    pub fn with_curvature(mut self, curvature: DeviceCoefficient<1>) -> Self {
        self.curvature = curvature;
        self
    }

    /// How kernels are compiled for velocity, normal speed and curvature.
    pub(super) fn kinds(&self) -> [TermKind; 3] {
        [self.velocity.kind(), self.normal_speed.kind(), self.curvature.kind()]
    }

    /// Whether a coefficient has an expression.
    pub(super) fn varies(&self) -> bool {
        self.kinds().contains(&TermKind::Varies)
    }

    /// Whether one is kept with the tiles.
    pub(super) fn is_kept(&self) -> bool {
        self.kinds().contains(&TermKind::StationaryValues)
    }

    /// Values that velocity, normal speed and curvature keep with a tile of edge `edge`.
    pub(super) fn kept_sizes(&self, edge: usize) -> [usize; 3] {
        let of_kind = |(kind, components)| match kind {
            TermKind::StationaryValues => components * edge.pow(3),
            _ => 0,
        };
        let [u, f, alpha] = self.kinds();
        [(u, 3), (f, 1), (alpha, 1)].map(of_kind)
    }

    /// What makes velocity, normal speed and curvature for the tiles that come, where they are kept.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if there is not enough memory, or a kernel cannot be compiled.
    pub(super) fn keepers<R: Real>(
        &self,
        cuda: &Cuda,
        edge: usize,
    ) -> Result<[Option<Arc<dyn KeepCoefficient>>; 3]> {
        let (per, place) = (1.0 / self.dx, (self.origin, self.dx));
        Ok([
            self.velocity.keeper::<R>(cuda, per, place, edge)?,
            self.normal_speed.keeper::<R>(cuda, per, place, edge)?,
            self.curvature.keeper::<R>(cuda, per * per, place, edge)?,
        ])
    }

    /// The components of a velocity of which some are volumes and others expressions.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if there is not enough memory.
    pub(super) fn components<R: Real>(&self, cuda: &Cuda) -> Result<Option<Components>> {
        match &self.velocity {
            DeviceCoefficient::Parts(parts) if self.velocity.sampled() > 0 => {
                Components::new::<R>(cuda, parts.as_slice(), 1.0 / self.dx).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// What is the same everywhere, as the CPU takes it.
    pub(super) fn uniform<R: Real>(&self) -> Terms<R> {
        Terms::default()
            .with_velocity(Coefficient::Uniform(self.velocity.uniform()))
            .with_normal_speed(Coefficient::Uniform(self.normal_speed.uniform()))
            .with_curvature(Coefficient::Uniform(self.curvature.uniform()))
    }
}
