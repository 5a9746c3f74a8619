//! Options of a reconstruction and their checks.

use std::ops::RangeInclusive;

use super::directed::{Cubes, MOST_DEPTH};
use super::potential::{self, Storage};
use crate::cloud::{CleanOptions, PointCloud};
use crate::error::{Error, Result};
use crate::surface::HoleSize;

/// The reconstruction method.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Method {
    /// The method that suits the cloud (default): `spheres` with normals, `levelset` without.
    #[default]
    Auto,
    /// Signed distances to spheres that are fitted to the samples. Normals are estimated if the
    /// cloud has none.
    Spheres,
    /// Directed distances to tangent planes. Normals are estimated if the cloud has none.
    Directed,
    /// A level set in the potential of the samples. It needs no normals and gives a closed surface.
    Levelset,
}

impl Method {
    /// Returns the method for a cloud with or without normals.
    pub(super) fn of(self, has_normals: bool) -> Method {
        match (self, has_normals) {
            (Method::Auto, true) => Method::Spheres,
            (Method::Auto, false) => Method::Levelset,
            (method, _) => method,
        }
    }
}

/// Options of a reconstruction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Options {
    /// The method.
    pub method: Method,
    /// The size of cubes or voxels.
    pub cubes: Cubes,
    /// Curvature weight of the level-set method, 0 to 1. `None` selects 0.1.
    pub curvature: Option<f64>,
    /// Storage of phi in the level-set method. `None` selects 32 bits.
    pub storage: Option<Storage>,
    /// The settings that decide which points of the cloud are left out.
    pub clean: CleanOptions,
    /// Distance from the samples beyond which the surface is removed, in mean distances between
    /// samples. `None` removes nothing.
    pub trim: Option<f64>,
    /// Whether to keep only the component with the largest area.
    pub largest: bool,
    /// The holes of the surface to fill. `None` fills no hole.
    pub fill_holes: Option<HoleSize>,
    /// Rounds of [`smooth`](crate::surface::smooth), at most [`MOST_ROUNDS`].
    pub smooth: u32,
}

/// The largest number of smoothing rounds.
pub const MOST_ROUNDS: u32 = 1000;

/// An invalid option.
#[derive(Clone, Debug, PartialEq)]
pub struct Flaw {
    /// Name of the option in a case file and on the command line.
    pub option: &'static str,
    /// The problem, worded to follow the name.
    pub what: String,
    /// The remedy.
    pub remedy: &'static str,
}

impl Options {
    /// Sets the method.
    pub fn method(mut self, method: Method) -> Self {
        self.method = method;
        self
    }

    /// Sets the size of cubes or voxels.
    pub fn cubes(mut self, cubes: Cubes) -> Self {
        self.cubes = cubes;
        self
    }

    /// Sets the curvature weight of the level-set method, 0 to 1.
    pub fn curvature(mut self, weight: f64) -> Self {
        self.curvature = Some(weight);
        self
    }

    /// Sets the storage of phi in the level-set method.
    pub fn storage(mut self, storage: Storage) -> Self {
        self.storage = Some(storage);
        self
    }

    /// Sets the points of the cloud to leave out.
    pub fn clean(mut self, clean: CleanOptions) -> Self {
        self.clean = clean;
        self
    }

    /// Sets the distance from the samples beyond which the surface is removed, in mean distances
    /// between samples.
    pub fn trim(mut self, distance: f64) -> Self {
        self.trim = Some(distance);
        self
    }

    /// Sets whether to keep only the component with the largest area.
    pub fn largest(mut self, largest: bool) -> Self {
        self.largest = largest;
        self
    }

    /// Sets the holes of the surface to fill.
    pub fn fill_holes(mut self, holes: HoleSize) -> Self {
        self.fill_holes = Some(holes);
        self
    }

    /// Sets the number of smoothing rounds, at most [`MOST_ROUNDS`].
    pub fn smooth(mut self, rounds: u32) -> Self {
        self.smooth = rounds;
        self
    }

    /// Returns the first invalid option, or `None` if all are valid.
    ///
    /// `has_normals` says whether the cloud has normals. If it is `None`, the check finds only
    /// options that are invalid for every cloud.
    pub fn flaw(&self, has_normals: Option<bool>) -> Option<Flaw> {
        let flaw = |option, what: String, remedy| Some(Flaw { option, what, remedy });
        let (method, whose) = match (self.method, has_normals) {
            (Method::Auto, None) => (Method::Auto, ""),
            (Method::Auto, Some(true)) => {
                (Method::Spheres, ", the default for a cloud with normals")
            }
            (Method::Auto, Some(false)) => {
                (Method::Levelset, ", the default for a cloud without normals")
            }
            (method, _) => (method, ""),
        };
        let (depths, of): (RangeInclusive<u32>, _) = match method {
            Method::Auto => (1..=MOST_DEPTH, ""),
            Method::Spheres => (1..=MOST_DEPTH, " for the method spheres"),
            Method::Directed => (1..=MOST_DEPTH, " for the method directed"),
            Method::Levelset => (potential::DEPTHS, " for the method levelset"),
        };
        match self.cubes {
            Cubes::Depth(depth) if !depths.contains(&depth) => {
                let (low, high) = (depths.start(), depths.end());
                let what = format!("must be between {low} and {high}{of}{whose}, but is {depth}");
                return flaw("depth", what, "");
            }
            Cubes::Edge(edge) if !(edge > 0.0 && edge.is_finite()) => {
                return flaw("cell", format!("must be > 0 and finite, but is {edge}"), "");
            }
            _ => {}
        }
        if let Some(factor) = self.clean.outliers.filter(|factor| factor.is_nan() || *factor <= 1.0)
        {
            let what = format!("must be above 1, or 0 to keep all points, is {factor}");
            return flaw("outliers", what, "");
        }
        if let Some(trim) = self.trim.filter(|trim| !(*trim > 0.0 && trim.is_finite())) {
            return flaw("trim", format!("must be > 0 and finite, but is {trim}"), "");
        }
        let given = [("curvature", self.curvature.is_some()), ("storage", self.storage.is_some())];
        if let Some((option, _)) = given.into_iter().find(|given| given.1)
            && matches!(method, Method::Spheres | Method::Directed)
        {
            let name = if method == Method::Spheres { "spheres" } else { "directed" };
            let what = format!("is for the method levelset, but the method is {name}{whose}");
            return flaw(option, what, "remove it, or use the method levelset");
        }
        if let Some(weight) = self.curvature.filter(|weight| !(0.0..=1.0).contains(weight)) {
            return flaw("curvature", format!("must be between 0 and 1, but is {weight}"), "");
        }
        if let Some(HoleSize::UpTo(area)) = self.fill_holes
            && !(area > 0.0 && area.is_finite())
        {
            let what = format!("must be true, false or an area > 0, but is {area}");
            return flaw("fill_holes", what, "");
        }
        if self.smooth > MOST_ROUNDS {
            let what = format!("must be between 0 and {MOST_ROUNDS}, but is {}", self.smooth);
            return flaw("smooth", what, "");
        }
        None
    }

    /// Checks the options and the cloud without reconstructing a surface.
    ///
    /// # Errors
    /// Returns [`Error::Case`] for an invalid option, for coordinates that are not finite, and for
    /// a cloud without extent.
    pub fn check(&self, cloud: &PointCloud) -> Result<()> {
        if let Some(Flaw { option, what, remedy }) = self.flaw(Some(cloud.normals.is_some())) {
            return Err(Error::usage(format!("{option} {what}"), remedy));
        }
        cloud.check()?;
        cloud.longest_side().map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_cannot_be_are_named() {
        let with = |method, change: fn(&mut Options)| {
            let mut options = Options { method, ..Options::default() };
            change(&mut options);
            options
        };
        use Method::{Auto, Directed, Levelset};
        let (any, with_normals, without) = (None, Some(true), Some(false));
        let depth = |options: &mut Options| options.cubes = Cubes::Depth(15);
        let curvature = |options: &mut Options| options.curvature = Some(0.5);
        let storage = |options: &mut Options| options.storage = Some(Storage::Sixteen);
        for (options, normals, expected) in [
            (with(Auto, |_| ()), any, None),
            (
                with(Levelset, depth),
                any,
                Some(("depth", "must be between 4 and 14 for the method levelset, but is 15")),
            ),
            (
                with(Levelset, |o| o.cubes = Cubes::Depth(3)),
                any,
                Some(("depth", "must be between 4 and 14")),
            ),
            (with(Auto, depth), any, None),
            (with(Auto, depth), with_normals, None),
            (
                with(Auto, depth),
                without,
                Some(("depth", "the default for a cloud without normals, but is 15")),
            ),
            (with(Directed, depth), without, None),
            (
                with(Directed, |o| o.cubes = Cubes::Depth(21)),
                any,
                Some(("depth", "must be between 1 and 20")),
            ),
            (with(Auto, |o| o.cubes = Cubes::Edge(f64::NAN)), any, Some(("cell", "must be > 0"))),
            (
                with(Auto, |o| o.clean.outliers = Some(0.5)),
                any,
                Some(("outliers", "must be above 1")),
            ),
            (with(Auto, |o| o.clean.outliers = Some(f64::NAN)), any, Some(("outliers", "is NaN"))),
            (with(Directed, curvature), any, Some(("curvature", "is for the method levelset"))),
            (with(Auto, curvature), any, None),
            (
                with(Auto, curvature),
                with_normals,
                Some(("curvature", "the default for a cloud with normals")),
            ),
            (
                with(Auto, |o| o.curvature = Some(2.0)),
                any,
                Some(("curvature", "must be between 0 and 1, but is 2")),
            ),
            (with(Directed, storage), any, Some(("storage", "is for the method levelset"))),
            (with(Auto, |o| o.trim = Some(0.0)), any, Some(("trim", "must be > 0"))),
            (with(Auto, |o| o.smooth = 1001), any, Some(("smooth", "must be between 0 and 1000"))),
        ] {
            let found = options.flaw(normals);
            let fits = match (&found, expected) {
                (None, None) => true,
                (Some(flaw), Some((option, what))) => {
                    flaw.option == option && flaw.what.contains(what)
                }
                _ => false,
            };
            assert!(fits, "{options:?} {normals:?}: {found:?}");
        }
    }
}
