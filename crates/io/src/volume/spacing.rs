//! The spacing that the options state in place of the spacing in the file.

use super::{VolumeFile, VolumeOptions};
use zeroset_core::error::{Flaw, FlawKind, Result};
use zeroset_core::volume::Placement;

/// Spacings count as equal if their relative difference is at most this. Some formats store them in
/// 32 bits.
const SAME: f64 = 1e-6;

impl VolumeFile {
    /// Gives the voxels the spacing from the options, if they state one. The position of the first
    /// voxel and the directions of the axes do not change. A warning names a different spacing in
    /// the file.
    ///
    /// # Errors
    /// Returns a [`Flaw`] if a spacing is not a positive number, or if coordinates overflow.
    pub(crate) fn spaced(mut self, options: &VolumeOptions) -> Result<Self, Flaw> {
        let Some(spacing) = options.spacing else { return Ok(self) };
        let option = options.name_of("spacing");
        if !spacing.iter().all(|s| s.is_finite() && *s > 0.0) {
            let what = format!("{option}: {} is not a spacing", joined(spacing));
            let remedy = "give a positive distance between voxels along each axis";
            return Err(Flaw::whole(what, remedy).kind_of(FlawKind::Asked));
        }
        let (shape, place) = (self.volume.shape(), self.volume.placement());
        let found = place.spacing();
        let differs = |k: usize| {
            let difference = (found[k] - spacing[k]).abs();
            self.stated_spacing[k] && shape[k] > 1 && difference > SAME * spacing[k]
        };
        if (0..3).any(differs) {
            let (found, used) = (joined(found), joined(spacing));
            let what = format!("the file states the spacing {found}; {used} is used ({option})");
            self.warnings.push(what);
        }
        let place = Placement::from_spacing(shape, place.origin(), spacing, place.directions())?;
        let placed = self.volume.placed(place.origin(), place.steps());
        self.volume = placed.map_err(|error| {
            Flaw::whole(error.to_string(), "state another spacing").kind_of(FlawKind::Asked)
        })?;
        Ok(self)
    }
}

/// Joins three numbers, as in "0.5 x 0.5 x 2".
pub(super) fn joined(numbers: [f64; 3]) -> String {
    numbers.map(|x| x.to_string()).join(" x ")
}
