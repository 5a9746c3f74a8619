//! Conversion of frames, solids and space skipping data into kernel arguments.

use super::super::solid_cubes::Kind;
use super::super::space_skipping::Candidates;
use super::super::{Axes, Eye, Frame, Solid};
use super::kernel_arguments::{FrameArgument, SolidArgument, SpaceSkippingArgument};
use zeroset_core::volume::Scaling;

impl FrameArgument {
    /// Creates the argument for `wide` x `tall` rays.
    pub(crate) fn new(frame: &Frame, [wide, tall]: [u32; 2], samples: u32) -> Self {
        let mut argument = Self::looking(&frame.axes, frame.eye.as_ref());
        (argument.scale, argument.origin, argument.front) =
            (frame.scale, frame.origin, frame.front);
        (argument.wide, argument.tall, argument.samples) = (wide, tall, samples);
        argument
    }

    /// Creates the argument for a picture whose origin and scale are not known yet.
    pub(crate) fn looking(axes: &Axes, eye: Option<&Eye>) -> Self {
        let (middle, distance) = eye.map_or(([0.0; 3], 0.0), |eye| (eye.middle, eye.distance));
        FrameArgument {
            right: axes.right,
            up: axes.up,
            toward: axes.toward,
            lamp: axes.lamp,
            scale: 0.0,
            origin: [0.0; 2],
            front: 0.0,
            middle,
            distance,
            perspective: eye.is_some().into(),
            wide: 0,
            tall: 0,
            samples: 1,
        }
    }
}

impl SolidArgument {
    /// Creates the argument from the address of the array that marks occupied cubes, and from the
    /// address and type of the voxel values.
    pub(super) fn new(solid: &Solid<'_>, inside: u64, (values, stored): (u64, u32)) -> Self {
        let volume = solid.volume();
        let [low, high] = solid.bounds.unwrap_or_default().map(|corner| corner.map(|i| i as u32));
        let level = match solid.kind {
            Kind::Voxels => 0.0,
            Kind::Level(level) => level,
        };
        SolidArgument {
            origin: volume.placement().origin(),
            inverse: volume.placement().inverse(),
            offset: solid.offset(),
            level,
            slope: volume.scaling().slope,
            intercept: volume.scaling().intercept,
            inside,
            values,
            stored,
            scaled: (volume.scaling() != Scaling::NONE).into(),
            shape: solid.shape().map(|n| n as u32),
            low,
            high,
            holds: solid.bounds.is_some().into(),
        }
    }
}

impl SpaceSkippingArgument {
    /// Creates the argument for a rule that considers only `candidates`. With `None`, all cubes are
    /// candidates.
    pub(super) fn counting(candidates: Option<Candidates>) -> Self {
        let (cosine, sine) = candidates.map_or((0.0, 0.0), |kept| (kept.cosine, kept.sine));
        SpaceSkippingArgument { cosine, sine, all: candidates.is_none().into(), ..Self::default() }
    }
}
