//! The reconstruction of a file: what it holds, and what was made of it.

use super::Report;
use crate::io::{CloudReport, NormalsFrom};
use crate::words::{between, counted};

/// What the command line and a run of a case report.
#[derive(Clone, Debug, serde::Serialize)]
#[non_exhaustive]
pub struct Scan {
    /// Points that the file holds.
    pub stored: u64,
    /// Those of them left out, as a coordinate is infinite or not a number.
    pub not_finite: u64,
    /// Those left out, as their normal is zero or not finite while others have one.
    pub without_normal: u64,
    /// Unit of length, if the file states one.
    pub units: Option<String>,
    /// Where the normals of the file come from, if it has some.
    pub normals: Option<NormalsFrom>,
    /// What was done. Warnings of reading come first.
    #[serde(flatten)]
    pub report: Report,
}

impl Scan {
    /// What was made of what was read.
    pub fn new(file: CloudReport, mut report: Report) -> Self {
        let CloudReport { stored, not_finite, without_normal, units, normals, .. } = file;
        let mut warnings = file.warnings;
        let left_out = [(not_finite, "finite coordinates"), (without_normal, "a normal")];
        for (n, what) in left_out.into_iter().filter(|(n, _)| *n > 0) {
            let points = counted(n, ["point", "points"]);
            warnings.push(format!("left out: {points} of {stored} without {what}"));
        }
        warnings.append(&mut report.warnings);
        report.warnings = warnings;
        Scan { stored, not_finite, without_normal, units, normals, report }
    }

    /// "2995 used, 3 not finite, 2 duplicate, normals of the file"
    pub fn samples(&self) -> String {
        let samples = &self.report.samples;
        let dropped = [
            (self.not_finite, "not finite"),
            (self.without_normal, "without normal"),
            (samples.duplicates, "duplicate"),
            (samples.outliers as u64, "far from all others"),
        ];
        let dropped = dropped.iter().filter(|(n, _)| *n > 0);
        let dropped: Vec<String> = dropped.map(|(n, what)| format!(", {n} {what}")).collect();
        let normals = match (self.report.estimated_normals, self.normals) {
            _ if self.report.directed.is_none() => "",
            (Some(_), _) => ", normals estimated",
            (None, Some(NormalsFrom::Faces)) => ", normals from the faces of the file",
            _ => ", normals of the file",
        };
        format!("{} used{}{normals}", samples.used, dropped.concat())
    }

    /// The box of the samples that were used: "x 0 .. 1, y 3812734.2 .. 3812741.9, z -1 .. 1 m"
    pub fn extent(&self) -> String {
        let samples = &self.report.samples;
        let axes = ["x", "y", "z"].into_iter().enumerate();
        let axes =
            axes.map(|(k, axis)| format!("{axis} {}", between(samples.low[k], samples.high[k])));
        axes.collect::<Vec<_>>().join(", ") + &self.unit()
    }

    /// " m", or nothing.
    pub fn unit(&self) -> String {
        self.units.as_ref().map_or(String::new(), |units| format!(" {units}"))
    }
}
