//! The report of the reconstruction of a file: the contents of the file and the result.

use std::path::Path;

use super::Report;
use crate::cloud::LocalProjection;
use crate::error::{Error, Result};
use crate::io::{CloudReport, NormalsFrom};
use crate::words::{between, counted};

/// The report for the command line and for the run of a case.
#[derive(Clone, Debug, serde::Serialize)]
#[non_exhaustive]
pub struct Scan {
    /// Number of points in the file.
    pub stored: u64,
    /// Number of points left out because a coordinate is infinite or NaN.
    pub not_finite: u64,
    /// Number of points left out because their normal is zero or not finite while other points have
    /// a usable normal.
    pub without_normal: u64,
    /// Number of points left out because the file marks them as withheld.
    pub withheld: u64,
    /// Number of points that `--where` selects. `None` if there is no selection.
    pub selected: Option<u64>,
    /// The origin of the local projection, if the coordinates are longitudes and latitudes.
    pub origin: Option<LocalProjection>,
    /// Unit of length, if the file states one.
    pub units: Option<String>,
    /// Source of the normals of the file, if it has normals.
    pub normals: Option<NormalsFrom>,
    /// The report of the reconstruction. Warnings from reading the file come first.
    #[serde(flatten)]
    pub report: Report,
}

/// A cloud without a unit may be in degrees if it is this many times as high as wide.
const STEEP: f64 = 20.0;
/// Degrees of a survey are this many times as large as the extent of the survey, or more.
const DISTANT: f64 = 100.0;

/// Refuses a cloud whose horizontal coordinates are degrees. Distances between its points would mix
/// degrees with heights. If the file states no unit, but the coordinates look like degrees, adds a
/// warning to its report.
///
/// # Errors
/// Returns [`Error::Input`] with a remedy.
pub fn check_units(path: &Path, file: &mut CloudReport) -> Result<()> {
    if file.units.is_none() && may_be_degrees(file.min, file.max) {
        file.warnings.push(
            "x and y may be longitudes and latitudes in degrees, while z is a length: if so, use \
             `--project local` or `domain.cloud.project = \"local\"`"
                .into(),
        );
    }
    if file.units.as_deref() != Some("degrees") {
        return Ok(());
    }
    let what = "the horizontal coordinates are degrees, which are no lengths";
    let remedy = "project the points first: `zeroset convert IN OUT --project local` gives local \
                  meters, as does `zeroset reconstruct --project local` or `domain.cloud.project = \"local\"`";
    Err(Error::input(path, "", what, remedy))
}

/// Returns whether the coordinates in a box may be longitudes and latitudes of a survey, with
/// heights: the box is high and narrow, and far from its origin.
fn may_be_degrees(low: [f64; 3], high: [f64; 3]) -> bool {
    let [x, y, z] = [0, 1, 2].map(|k| high[k] - low[k]);
    let farthest = |k: usize| low[k].abs().max(high[k].abs());
    farthest(0) <= 180.0
        && farthest(1) <= 90.0
        && z > STEEP * x.max(y)
        && farthest(0).max(farthest(1)) > DISTANT * x.max(y)
}

impl Scan {
    /// Combines the report of the file with the report of the reconstruction.
    pub fn new(file: CloudReport, mut report: Report) -> Self {
        let CloudReport { stored, not_finite, without_normal, withheld, .. } = file;
        let CloudReport { selected, units, normals, .. } = file;
        let mut warnings = file.warnings;
        let left_out = [(not_finite, "finite coordinates"), (without_normal, "a normal")];
        for (n, what) in left_out.into_iter().filter(|(n, _)| *n > 0) {
            let points = counted(n, ["point", "points"]);
            warnings.push(format!("left out: {points} of {stored} without {what}"));
        }
        warnings.append(&mut report.warnings);
        report.warnings = warnings;
        Scan {
            stored,
            not_finite,
            without_normal,
            withheld,
            selected,
            origin: None,
            units,
            normals,
            report,
        }
    }

    /// Returns a summary of the samples: "2995 used, 3 not finite, 2 duplicate, normals of the
    /// file".
    pub fn samples(&self) -> String {
        let samples = &self.report.samples;
        let dropped = [
            (self.not_finite, "not finite"),
            (self.without_normal, "without normal"),
            (self.withheld, "withheld"),
            (samples.duplicates, "duplicate"),
            (samples.outliers as u64, "far from all others"),
            (samples.off_surface as u64, "off the surface"),
        ];
        let dropped = dropped.iter().filter(|(n, _)| *n > 0);
        let dropped: Vec<String> = dropped.map(|(n, what)| format!(", {n} {what}")).collect();
        let selected = match self.selected {
            Some(n) => format!(", {n} selected"),
            None => String::new(),
        };
        let normals = match (self.report.estimated_normals, self.normals) {
            _ if self.report.directed.is_none() => "",
            (Some(_), _) => ", normals estimated",
            (None, Some(NormalsFrom::Faces)) => ", normals from the faces of the file",
            _ => ", normals of the file",
        };
        format!("{} used{selected}{}{normals}", samples.used, dropped.concat())
    }

    /// Returns the bounding box of the samples that were used: "x 0 .. 1, y 3812734.2 .. 3812741.9,
    /// z -1 .. 1 m".
    pub fn extent(&self) -> String {
        let samples = &self.report.samples;
        let axes = ["x", "y", "z"].into_iter().enumerate();
        let axes =
            axes.map(|(k, axis)| format!("{axis} {}", between(samples.low[k], samples.high[k])));
        axes.collect::<Vec<_>>().join(", ") + &self.unit()
    }

    /// Returns the unit with a leading space, such as " m", or an empty string.
    pub fn unit(&self) -> String {
        self.units.as_ref().map_or(String::new(), |units| format!(" {units}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_are_refused() {
        let mut file = CloudReport::default();
        for (units, is_refused) in [("degrees", true), ("m", false), ("US survey ft", false)] {
            file.units = Some(units.into());
            let found = check_units(Path::new("a.las"), &mut file);
            assert_eq!(found.is_err(), is_refused, "{units}");
            let said = found.err().map_or(String::new(), |error| error.to_string());
            assert!(!is_refused || said.contains("project the points first"), "{said}");
        }
    }

    #[test]
    fn a_survey_that_may_be_in_degrees_gets_a_warning() {
        let warns = |low: [f64; 3], high: [f64; 3], units: Option<&str>| {
            let mut file = CloudReport::default();
            (file.min, file.max) = (low, high);
            file.units = units.map(str::to_string);
            check_units(Path::new("a.xyz"), &mut file).unwrap();
            file.warnings.iter().any(|warning| warning.contains("--project local"))
        };
        let (low, high) = ([-80.001, 40.0, 300.0], [-80.0, 40.001, 301.0]);
        assert!(warns(low, high, None));
        assert!(!warns(low, high, Some("m")));
        // A pole near the origin, and a survey in meters.
        assert!(!warns([-0.1, -0.1, 0.0], [0.1, 0.1, 10.0], None));
        assert!(!warns([500_000.0, 4e6, 300.0], [500_001.0, 4e6 + 1.0, 400.0], None));
    }
}
