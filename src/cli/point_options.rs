//! The options `--where` and `--project` of the commands that read a point cloud.

use std::path::Path;

use zeroset::cloud::{LocalProjection, PointCloud};
use zeroset::error::{Error, Result};
use zeroset::expression::Expression;
use zeroset::io::CloudReport;
use zeroset::words::short;

/// Options about the points of a file.
#[derive(Debug, clap::Args)]
pub struct PointOptions {
    /// Keep only the points where an expression in x, y, z and the attributes of the points is
    /// true, such as "classification == 2"
    #[arg(long = "where", value_name = "EXPRESSION")]
    pub selection: Option<Expression>,
    #[command(flatten)]
    pub projecting: Projecting,
}

/// The option `--project`.
#[derive(Debug, clap::Args)]
pub struct Projecting {
    /// Project longitudes and latitudes in degrees to meters around the center of the points
    #[arg(long, value_name = "local")]
    pub project: Option<Projection>,
}

/// A projection of longitudes and latitudes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Projection {
    /// An equirectangular projection around the center of the points, in meters.
    Local,
}

/// The relative error of distances above which a projection warns.
const DISTORTED: f64 = 1e-3;

impl PointOptions {
    /// Projects a cloud if this is requested. See [`Projecting::apply`].
    ///
    /// # Errors
    /// Returns the errors of [`Projecting::apply`].
    pub fn project(
        &self,
        path: &Path,
        cloud: &mut PointCloud,
        report: &mut CloudReport,
    ) -> Result<Option<LocalProjection>> {
        self.projecting.apply(path, cloud, report)
    }
}

impl Projecting {
    /// Projects a cloud if this is requested, and returns the origin. The unit of the report
    /// becomes meters. Heights are converted to meters if the file states their unit.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if the file states another unit than degrees, or if the coordinates
    /// are no longitudes and latitudes.
    pub fn apply(
        &self,
        path: &Path,
        cloud: &mut PointCloud,
        report: &mut CloudReport,
    ) -> Result<Option<LocalProjection>> {
        let Some(Projection::Local) = self.project else { return Ok(None) };
        if let Some(unit) = report.units.as_deref().filter(|unit| *unit != "degrees") {
            let what = format!("the coordinates are in {unit}, not in degrees");
            return Err(Error::input(path, "", what, "leave out --project"));
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
        Ok(Some(projection))
    }
}
