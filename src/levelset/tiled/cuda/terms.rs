//! Coefficients of the evolution on tiles in the form that a GPU needs.

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

    /// The kind of a coefficient: the values of VELOCITY, NORMAL and CURVATURE.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) define enum TermKind as TERM {
        /// The term does not act.
        None = 0,
        /// One value everywhere.
        Uniform = 1,
        /// An expression.
        Varies = 2,
        /// Stored with the tiles.
        Stationary = 3,
    }
}

/// One component of a coefficient, in lengths per time (alpha: lengths squared per time).
#[derive(Clone, Debug)]
pub enum DevicePart {
    /// One value everywhere.
    Number(f64),
    /// An expression in the coordinates and the time, without data arrays.
    Field(Field),
    /// A volume, sampled at the world positions of the voxels.
    Volume(Arc<DeviceVolume>),
}

/// A coefficient with `K` components.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum DeviceCoefficient<const K: usize> {
    /// One value everywhere, in voxels per time (alpha: voxels squared per time).
    Uniform([f64; K]),
    /// Expressions in the coordinates and the time, without data arrays, in lengths per time
    /// (alpha: lengths squared per time). They are evaluated for each moving voxel at the time of
    /// each evaluation, and divided by dx (alpha: by dx squared).
    Fields(Box<[Field; K]>),
    /// Components that may be volumes, divided by dx (alpha: by dx squared). If one of them is an
    /// expression, all are evaluated together with it. Otherwise, the coefficient is computed once
    /// for each new tile and stored with it.
    Parts(Box<[DevicePart; K]>),
    /// Computed for new tiles by the caller's kernels, and stored with the tiles.
    Stationary(Arc<dyn KeepCoefficient>),
}

impl<const K: usize> Default for DeviceCoefficient<K> {
    /// Returns a coefficient that is 0 everywhere.
    fn default() -> Self {
        DeviceCoefficient::Uniform([0.0; K])
    }
}

impl<const K: usize> DeviceCoefficient<K> {
    /// Returns the kind for which kernels are compiled.
    pub(super) fn kind(&self) -> TermKind {
        match self {
            DeviceCoefficient::Uniform(value) if value.iter().all(|v| *v == 0.0) => TermKind::None,
            DeviceCoefficient::Uniform(_) => TermKind::Uniform,
            DeviceCoefficient::Fields(_) => TermKind::Varies,
            DeviceCoefficient::Parts(parts) => {
                let varies = parts.iter().any(|part| matches!(part, DevicePart::Field(_)));
                if varies { TermKind::Varies } else { TermKind::Stationary }
            }
            DeviceCoefficient::Stationary(_) => TermKind::Stationary,
        }
    }

    /// Returns a mask of the components that are volumes if another component is an expression, and
    /// 0 otherwise.
    pub(super) fn sampled(&self) -> u32 {
        match self {
            DeviceCoefficient::Parts(parts) if self.kind() == TermKind::Varies => {
                let bit = |part: &DevicePart| u32::from(matches!(part, DevicePart::Volume(_)));
                parts.iter().rev().fold(0, |bits, part| 2 * bits + bit(part))
            }
            _ => 0,
        }
    }

    /// Returns the components for which code is generated. If a component is an expression, these
    /// are all components that are not volumes. Otherwise, there are none.
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

    /// Returns the uniform values, or zero for other kinds.
    pub(super) fn uniform(&self) -> [f64; K] {
        match self {
            DeviceCoefficient::Uniform(value) => *value,
            _ => [0.0; K],
        }
    }

    /// Returns the kernel that computes the coefficient for new tiles, if the coefficient is
    /// stored.
    fn keeper<R: Real>(
        &self,
        cuda: &Cuda,
        scale: f64,
        place: ([f64; 3], f64),
        edge: usize,
    ) -> Result<Option<Arc<dyn KeepCoefficient>>> {
        Ok(match self {
            DeviceCoefficient::Stationary(kept) => Some(kept.clone()),
            DeviceCoefficient::Parts(parts) if self.kind() == TermKind::Stationary => {
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
    /// The velocity U.
    pub velocity: DeviceCoefficient<3>,
    /// The normal speed F. Positive values make the inside grow.
    pub normal_speed: DeviceCoefficient<1>,
    /// The curvature coefficient alpha >= 0. Positive values shrink a sphere.
    pub curvature: DeviceCoefficient<1>,
    /// The position of voxel (0, 0, 0), for expressions and volumes.
    pub origin: [f64; 3],
    /// The edge length of a voxel, for expressions and volumes.
    pub dx: f64,
}

impl DeviceTerms {
    /// Creates an empty set of terms, on voxels that lie at `origin + dx v`.
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

    /// Returns the kinds of velocity, normal speed and curvature.
    pub(super) fn kinds(&self) -> [TermKind; 3] {
        [self.velocity.kind(), self.normal_speed.kind(), self.curvature.kind()]
    }

    /// Returns whether a coefficient contains an expression.
    pub(super) fn varies(&self) -> bool {
        self.kinds().contains(&TermKind::Varies)
    }

    /// Returns whether a coefficient depends on time.
    pub(super) fn uses_time(&self) -> bool {
        let fields = [self.velocity.fields(), self.normal_speed.fields(), self.curvature.fields()];
        fields.iter().flatten().any(Field::uses_time)
    }

    /// Returns whether a coefficient is stored with the tiles.
    pub(super) fn is_kept(&self) -> bool {
        self.kinds().contains(&TermKind::Stationary)
    }

    /// Returns the numbers of values that velocity, normal speed and curvature store with a tile of
    /// edge length `edge`.
    pub(super) fn kept_sizes(&self, edge: usize) -> [usize; 3] {
        let of_kind = |(kind, components)| match kind {
            TermKind::Stationary => components * edge.pow(3),
            _ => 0,
        };
        let [u, f, alpha] = self.kinds();
        [(u, 3), (f, 1), (alpha, 1)].map(of_kind)
    }

    /// Returns the kernels that compute velocity, normal speed and curvature for new tiles, if
    /// these coefficients are stored.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if there is not enough memory or a kernel
    /// cannot be compiled.
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

    /// Returns the components of a velocity that combines volumes and expressions, or `None` for
    /// any other velocity.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if there is not enough memory.
    pub(super) fn components<R: Real>(&self, cuda: &Cuda) -> Result<Option<Components>> {
        match &self.velocity {
            DeviceCoefficient::Parts(parts) if self.velocity.sampled() > 0 => {
                Components::new::<R>(cuda, parts.as_slice(), 1.0 / self.dx).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Returns the uniform coefficients in the form that the CPU needs.
    pub(super) fn uniform<R: Real>(&self) -> Terms<R> {
        Terms::default()
            .with_velocity(Coefficient::Uniform(self.velocity.uniform()))
            .with_normal_speed(Coefficient::Uniform(self.normal_speed.uniform()))
            .with_curvature(Coefficient::Uniform(self.curvature.uniform()))
    }
}
