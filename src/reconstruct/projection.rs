//! Projects the points of a file from degrees to meters.

use std::path::Path;

use crate::cloud::{LocalProjection, PointCloud};
use crate::error::{Error, Result};
use crate::io::CloudReport;
use crate::words::short;

/// A projection of longitudes and latitudes.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Projection {
    /// An equirectangular projection around the center of the points, in meters.
    Local,
}

/// The relative error of distances above which the projection gives a warning.
const DISTORTED: f64 = 1e-3;

impl Projection {
    /// Projects the points of the file `path`, and returns the origin. The unit of the report
    /// becomes meters. Heights are converted to meters if the file states their unit.
    ///
    /// # Errors
    /// Returns [`Error::Input`] if the file states a unit other than degrees, or if the coordinates
    /// are not longitudes and latitudes.
    pub fn apply(
        self,
        path: &Path,
        cloud: &mut PointCloud,
        report: &mut CloudReport,
    ) -> Result<LocalProjection> {
        let Projection::Local = self;
        if let Some(unit) = report.units.as_deref().filter(|unit| *unit != "degrees") {
            let what = format!("the coordinates are in {unit}, not in degrees");
            return Err(Error::input(path, "", what, "leave out the projection"));
        }
        let projection = LocalProjection::around(cloud).map_err(|error| error.blaming(path))?;
        let height = match report.vertical_units.as_deref() {
            Some("ft") => 0.3048,
            Some("US survey ft") => 1200.0 / 3937.0,
            _ => 1.0,
        };
        projection.apply(cloud, height);
        let distortion = projection.distortion(cloud);
        if distortion > DISTORTED {
            report.warnings.push(format!(
                "the points extend so far to the north and south that distances are up to {} % off",
                short(100.0 * distortion)
            ));
        }
        report.units = Some("m".into());
        (report.min, report.max) = cloud.bounds();
        Ok(projection)
    }
}
