//! What can be asked for, and what of it cannot be.

use std::ops::RangeInclusive;

use super::directed::{Cubes, MOST_DEPTH};
use super::potential::{self, Storage};
use crate::cloud::{CleanOptions, PointCloud};
use crate::error::{Error, Result};

/// How a surface is reconstructed.
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
    /// What suits the cloud (default): `directed` with normals, `levelset` without.
    #[default]
    Auto,
    /// Directed distances to tangent planes; normals are estimated where the cloud has none.
    Directed,
    /// A level set in the potential of the samples, which needs no normals and gives a closed
    /// surface.
    Levelset,
}

impl Method {
    /// The method for a cloud with normals, or for one without.
    pub(super) fn of(self, has_normals: bool) -> Method {
        match (self, has_normals) {
            (Method::Auto, true) => Method::Directed,
            (Method::Auto, false) => Method::Levelset,
            (method, _) => method,
        }
    }
}

/// What is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Options {
    /// How.
    pub method: Method,
    /// How large cubes or voxels are.
    pub cubes: Cubes,
    /// Weight of curvature of the level-set method, if not its default.
    pub curvature: Option<f64>,
    /// How the level-set method keeps its values, if not in 32 bits.
    pub storage: Option<Storage>,
    /// What of the cloud is left out.
    pub clean: CleanOptions,
    /// Keep only the part with the largest area.
    pub largest: bool,
    /// Rounds of [`smooth`](crate::surface::smooth), at most [`MOST_ROUNDS`].
    pub smooth: u32,
}

/// Rounds of smoothing at most.
pub const MOST_ROUNDS: u32 = 1000;

/// An option that cannot be.
#[derive(Clone, Debug, PartialEq)]
pub struct Flaw {
    /// Its name in a case and on the command line.
    pub option: &'static str,
    /// What is wrong, to stand behind the name.
    pub what: String,
    /// What to do.
    pub remedy: &'static str,
}

impl Options {
    /// The first option that no cloud can be reconstructed with, or none of those with normals, or without, once it is
    /// known whether the cloud has some.
    pub fn flaw(&self, has_normals: Option<bool>) -> Option<Flaw> {
        let flaw = |option, what: String, remedy| Some(Flaw { option, what, remedy });
        let (method, whose) = match (self.method, has_normals) {
            (Method::Auto, None) => (Method::Auto, ""),
            (Method::Auto, Some(true)) => (Method::Directed, ", which a cloud with normals takes"),
            (Method::Auto, Some(false)) => {
                (Method::Levelset, ", which a cloud without normals takes")
            }
            (method, _) => (method, ""),
        };
        let (depths, of): (RangeInclusive<u32>, _) = match method {
            Method::Auto => (1..=MOST_DEPTH, ""),
            Method::Directed => (1..=MOST_DEPTH, " for the method directed"),
            Method::Levelset => (potential::DEPTHS, " for the method levelset"),
        };
        match self.cubes {
            Cubes::Depth(depth) if !depths.contains(&depth) => {
                let (low, high) = (depths.start(), depths.end());
                let what = format!("must be {low} to {high}{of}{whose}, is {depth}");
                return flaw("depth", what, "");
            }
            Cubes::Edge(edge) if !(edge > 0.0 && edge.is_finite()) => {
                return flaw("cell", format!("must be > 0 and finite, is {edge}"), "");
            }
            _ => {}
        }
        if let Some(factor) = self.clean.outliers.filter(|factor| factor.is_nan() || *factor <= 1.0)
        {
            let what = format!("must be above 1, or 0 to keep all points, is {factor}");
            return flaw("outliers", what, "");
        }
        let given = [("curvature", self.curvature.is_some()), ("storage", self.storage.is_some())];
        if let Some((option, _)) = given.into_iter().find(|given| given.1)
            && method == Method::Directed
        {
            let what = format!("is for the method levelset, and this is directed{whose}");
            return flaw(option, what, "leave it out, or take the method levelset");
        }
        if let Some(weight) = self.curvature.filter(|weight| !(0.0..=1.0).contains(weight)) {
            return flaw("curvature", format!("must be 0 to 1, is {weight}"), "");
        }
        if self.smooth > MOST_ROUNDS {
            let what = format!("must be 0 to {MOST_ROUNDS}, is {}", self.smooth);
            return flaw("smooth", what, "");
        }
        None
    }

    /// Finds what is wrong with the options for a cloud, or with the cloud, without making a surface.
    ///
    /// # Errors
    /// [`Error::Case`] for an option that cannot be, numbers that are not finite, and a cloud without extent.
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
                Some(("depth", "must be 4 to 14 for the method levelset, is 15")),
            ),
            (
                with(Levelset, |o| o.cubes = Cubes::Depth(3)),
                any,
                Some(("depth", "must be 4 to 14")),
            ),
            (with(Auto, depth), any, None),
            (with(Auto, depth), with_normals, None),
            (
                with(Auto, depth),
                without,
                Some(("depth", "which a cloud without normals takes, is 15")),
            ),
            (with(Directed, depth), without, None),
            (
                with(Directed, |o| o.cubes = Cubes::Depth(21)),
                any,
                Some(("depth", "must be 1 to 20")),
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
                Some(("curvature", "a cloud with normals takes")),
            ),
            (
                with(Auto, |o| o.curvature = Some(2.0)),
                any,
                Some(("curvature", "must be 0 to 1, is 2")),
            ),
            (with(Directed, storage), any, Some(("storage", "is for the method levelset"))),
            (with(Auto, |o| o.smooth = 1001), any, Some(("smooth", "must be 0 to 1000"))),
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
