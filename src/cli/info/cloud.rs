//! Facts about a point cloud for `zeroset info`.

use serde::Serialize;

use super::screen::{printable, thousands};
use crate::cloud::{FAR, NEIGHBORS, PointCloud, Spacing, survey};
use crate::error::Result;
use crate::io::{CloudReport, NormalsFrom};
use crate::words::short;

/// A class of lidar points.
#[derive(Serialize)]
pub(super) struct ClassFacts {
    pub class: u8,
    /// The number of points.
    pub points: u64,
}

/// Returns the name of a standard class of lidar points (LAS 1.4 R15, table 17), or `None` for
/// other classes.
fn class_name(class: u8) -> Option<&'static str> {
    Some(match class {
        0 => "never classified",
        1 => "unassigned",
        2 => "ground",
        3 => "low vegetation",
        4 => "medium vegetation",
        5 => "high vegetation",
        6 => "building",
        7 => "low noise",
        8 => "model key point",
        9 => "water",
        10 => "rail",
        11 => "road surface",
        12 => "overlap",
        13 => "wire guard",
        14 => "wire conductor",
        15 => "transmission tower",
        16 => "wire connector",
        17 => "bridge deck",
        18 => "high noise",
        _ => return None,
    })
}

/// Facts about a point cloud.
#[derive(Serialize)]
pub(super) struct CloudFacts {
    /// The number of points in the file, and the number that were kept.
    pub stored: u64,
    pub points: usize,
    /// Number of points that were dropped because a coordinate is not finite.
    pub not_finite: u64,
    /// Number of points that were dropped because they have no normal although other points have
    /// one.
    pub without_normal: u64,
    /// Number of points that were dropped because the file marks them as withheld.
    pub withheld: u64,
    /// The classes of the other points, in ascending order, if the file has classes.
    pub classes: Vec<ClassFacts>,
    /// The names of the attributes, which `--where` can use.
    pub attributes: Vec<String>,
    /// Number of points at exactly the position of an earlier point.
    pub duplicates: u64,
    /// Number of points whose mean distance to their nearest neighbors is far above the median.
    pub outliers: usize,
    /// Distances to the nearest other point; `null` for a single point.
    pub spacing: Option<Spacing>,
    /// "file" or "faces"; `null` if there are none.
    pub normals: Option<NormalsFrom>,
    /// How colors are stored; `null` if there are none.
    pub colors: Option<&'static str>,
    /// How the columns of a text file are interpreted.
    pub columns: Option<String>,
}

impl CloudFacts {
    /// Collects the facts about a point cloud.
    ///
    /// # Errors
    /// Returns the errors of [`survey`].
    pub fn of(cloud: &PointCloud, report: &CloudReport) -> Result<Self> {
        let found = survey(cloud)?;
        Ok(CloudFacts {
            stored: report.stored,
            points: cloud.len(),
            not_finite: report.not_finite,
            without_normal: report.without_normal,
            withheld: report.withheld,
            classes: report
                .classes
                .iter()
                .map(|&(class, points)| ClassFacts { class, points })
                .collect(),
            attributes: report.attributes.clone(),
            duplicates: found.duplicates,
            outliers: found.outliers.len(),
            spacing: found.spacing,
            normals: report.normals,
            colors: report.colors,
            columns: report.columns.clone(),
        })
    }

    /// Returns labels and text for the screen.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let count = |n: u64| thousands(n as usize);
        let mut points = thousands(self.points);
        if self.points as u64 != self.stored {
            points += &format!(" of {}", count(self.stored));
            if self.not_finite > 0 {
                points += &format!(", {} not finite dropped", count(self.not_finite));
            }
            if self.without_normal > 0 {
                points += &format!(", {} without normal dropped", count(self.without_normal));
            }
            if self.withheld > 0 {
                points += &format!(", {} withheld dropped", count(self.withheld));
            }
        }
        let far = format!("farther than {FAR} x the median from the {NEIGHBORS} nearest");
        let faults = match (self.duplicates, self.outliers) {
            (0, 0) => format!("no duplicates, none {far}"),
            (a, b) => format!("{} duplicates, {} {far}", count(a), thousands(b)),
        };
        let spacing = self.spacing.map_or("none, all at one position".into(), |s| {
            let [min, median, max] = [s.min, s.median, s.max].map(short);
            format!("median {median}, {min} .. {max}")
        });
        let normals = match self.normals {
            Some(NormalsFrom::Faces) => "from faces",
            Some(_) => "in the file",
            None => "none, estimated when needed",
        };
        let mut lines = vec![
            ("points", points),
            ("strays", faults),
            ("spacing", spacing),
            ("normals", normals.into()),
            ("colors", self.colors.map_or("none", |how| how).into()),
        ];
        if !self.classes.is_empty() {
            let one = |c: &ClassFacts| {
                let name = class_name(c.class).map_or(String::new(), |name| format!(" {name}"));
                format!("{}{name}: {}", c.class, count(c.points))
            };
            lines.push(("classes", self.classes.iter().map(one).collect::<Vec<_>>().join(", ")));
        }
        if !self.attributes.is_empty() {
            lines.push(("numbers", printable(&self.attributes.join(", "))));
        }
        if let Some(columns) = &self.columns {
            lines.push(("columns", printable(columns)));
        }
        lines
    }
}
