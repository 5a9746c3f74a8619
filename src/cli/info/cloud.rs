//! The facts about a cloud of points, for `--json` and for the screen.

use serde::Serialize;

use super::screen::{printable, thousands};
use zeroset::cloud::{FAR, NEIGHBORS, PointCloud, Spacing, survey};
use zeroset::error::Result;
use zeroset::io::{CloudReport, NormalsFrom};
use zeroset::words::short;

/// A cloud of points.
#[derive(Serialize)]
pub(super) struct CloudFacts {
    /// Points of the file, and those that are kept.
    pub stored: u64,
    pub points: usize,
    /// Left out: points with a coordinate that is not finite; with no normal, where others have one.
    pub not_finite: u64,
    pub without_normal: u64,
    /// Points in exactly the place of an earlier one.
    pub duplicates: u64,
    /// Points whose mean distance to the nearest others is far above the median.
    pub outliers: usize,
    /// Distances to the nearest other point; `null` for a single one.
    pub spacing: Option<Spacing>,
    /// "file" or "faces"; `null` without any.
    pub normals: Option<NormalsFrom>,
    /// How colors are stored; `null` without any.
    pub colors: Option<&'static str>,
    /// How the columns of a text are taken.
    pub columns: Option<String>,
}

impl CloudFacts {
    /// # Errors
    /// Those of [`survey`].
    pub fn of(cloud: &PointCloud, report: &CloudReport) -> Result<Self> {
        let found = survey(cloud)?;
        Ok(CloudFacts {
            stored: report.stored,
            points: cloud.len(),
            not_finite: report.not_finite,
            without_normal: report.without_normal,
            duplicates: found.duplicates,
            outliers: found.outliers.len(),
            spacing: found.spacing,
            normals: report.normals,
            colors: report.colors,
            columns: report.columns.clone(),
        })
    }

    /// Labels and what stands behind them.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let count = |n: u64| thousands(n as usize);
        let mut points = thousands(self.points);
        if self.points as u64 != self.stored {
            points += &format!(" of {}", count(self.stored));
            if self.not_finite > 0 {
                points += &format!(", {} not finite left out", count(self.not_finite));
            }
            if self.without_normal > 0 {
                points += &format!(", {} without normal left out", count(self.without_normal));
            }
        }
        let far = format!("further than {FAR} x the median from the {NEIGHBORS} nearest");
        let faults = match (self.duplicates, self.outliers) {
            (0, 0) => format!("no duplicates, none {far}"),
            (a, b) => format!("{} duplicates, {} {far}", count(a), thousands(b)),
        };
        let spacing = self.spacing.map_or("none, a single place".into(), |s| {
            let [min, median, max] = [s.min, s.median, s.max].map(short);
            format!("median {median}, {min} .. {max}")
        });
        let normals = match self.normals {
            Some(NormalsFrom::Faces) => "of the faces",
            Some(_) => "of the file",
            None => "none: where they are needed they are estimated",
        };
        let mut lines = vec![
            ("points", points),
            ("strays", faults),
            ("spacing", spacing),
            ("normals", normals.into()),
            ("colors", self.colors.map_or("none", |how| how).into()),
        ];
        if let Some(columns) = &self.columns {
            lines.push(("columns", printable(columns)));
        }
        lines
    }
}
