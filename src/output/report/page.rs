//! The report of a run as an HTML page: `report.html`.

use std::path::Path;

use super::summary::digits;
use super::{Check, Report, Status};
use crate::error::Result;
use crate::html::{self, Scene, Table, Verdict};
use crate::words::counted;

/// The lines of the summary that are left out, because other parts of the page show their content.
const NOT_SHOWN: [&str; 5] = ["case", "seconds", "expect", "results", "report"];

impl Report {
    /// Returns the page with the verdict, the stages, the warnings, the plot of the measures (SVG),
    /// and the view of the states, or the reason why there is no view.
    ///
    /// # Errors
    /// Returns [`Error::Case`](crate::Error::Case) if the view is empty.
    pub fn page(
        &self,
        folder: &Path,
        plot: Option<String>,
        scene: std::result::Result<Scene, String>,
    ) -> Result<String> {
        let (verdict, verdict_text) = self.verdict();
        let mut tables = vec![self.results(folder), self.stages()];
        tables.extend((!self.expect.checks.is_empty()).then(|| self.expectations()));
        html::report(&html::Report {
            title: self.case.clone(),
            lead: format!(
                "{}, {} {}, {}",
                self.task, self.program.name, self.program.version, self.ended_by
            ),
            verdict,
            verdict_text,
            tables,
            warnings: self.warnings.clone(),
            plot,
            scene,
        })
    }

    /// Returns the verdict on the whole run, and its wording.
    fn verdict(&self) -> (Verdict, String) {
        let bounds = counted(self.expect.checks.len(), ["bound", "bounds"]);
        let missed = self.expect.checks.iter().filter(|check| !check.met).count();
        let check = self.reconstruction.as_ref().map(|scan| scan.report.check.passed);
        match (self.status, check) {
            (Status::Failed, _) => (Verdict::Bad, "failed".into()),
            (Status::Interrupted, _) => (Verdict::None, "interrupted, not judged".into()),
            _ if missed > 0 => (Verdict::Bad, format!("not met: {missed} of {bounds}")),
            (_, Some(false)) => (Verdict::Bad, "self-check not passed".into()),
            _ if !self.expect.checks.is_empty() => (Verdict::Good, format!("met: {bounds}")),
            (_, Some(true)) => (Verdict::Good, "self-check passed".into()),
            _ => (Verdict::None, "finished; the case expects nothing".into()),
        }
    }

    fn results(&self, folder: &Path) -> Table {
        let summary = self.summary(folder);
        let rows = summary.lines().filter_map(|line| {
            let (label, value) = line.split_at_checked(13)?;
            let label = label.trim();
            let is_shown = !NOT_SHOWN.contains(&label);
            is_shown.then(|| (vec![label.to_string(), value.to_string()], true))
        });
        Table { title: "Results".into(), heads: Vec::new(), rows: rows.collect() }
    }

    fn stages(&self) -> Table {
        let s = &self.seconds;
        let stages = [
            ("read", s.read),
            ("partition", s.partition),
            ("setup", s.setup),
            ("reinitialize", s.reinitialize),
            ("evolve", s.evolve),
            ("output", s.output),
            ("total", s.total),
        ];
        let row =
            |(name, seconds): (&str, f64)| (vec![name.to_string(), format!("{seconds:.3}")], true);
        let heads = ["stage", "seconds"].map(String::from).to_vec();
        Table { title: "Stages".into(), heads, rows: stages.map(row).to_vec() }
    }

    fn expectations(&self) -> Table {
        let row = |check: &Check| {
            let (low, high) = check.bounds.range();
            let found = check.found.map_or("nothing".to_string(), digits);
            let verdict = if check.met { "met" } else { "not met" };
            let cells = [check.name.replace('_', " "), found, digits(low), digits(high)];
            let cells = cells.into_iter().chain([verdict.to_string()]).collect();
            (cells, check.met)
        };
        let heads = ["value", "found", "at least", "at most", ""].map(String::from).to_vec();
        let rows = self.expect.checks.iter().map(row).collect();
        Table { title: "Expected".into(), heads, rows }
    }
}
