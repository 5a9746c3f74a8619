//! The options `--where` and `--project` of the commands that read a point cloud.

use std::path::Path;

use crate::cloud::{LocalProjection, PointCloud};
use crate::error::Result;
use crate::expression::Expression;
use crate::io::CloudReport;
use crate::reconstruct::Projection;

/// Options for the points of a file.
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
    #[arg(long, value_name = "local", value_parser = named)]
    pub project: Option<Projection>,
}

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
    /// Projects a cloud if this is requested, and returns the origin.
    ///
    /// # Errors
    /// Returns the errors of [`Projection::apply`].
    pub fn apply(
        &self,
        path: &Path,
        cloud: &mut PointCloud,
        report: &mut CloudReport,
    ) -> Result<Option<LocalProjection>> {
        self.project.map(|projection| projection.apply(path, cloud, report)).transpose()
    }
}

fn named(name: &str) -> std::result::Result<Projection, String> {
    match name {
        "local" => Ok(Projection::Local),
        _ => Err("the only projection is local".into()),
    }
}
