//! The summary of a run that is printed on the screen.

use std::fmt::Write as _;
use std::path::Path;

use super::{MeshCounts, Report, SurfaceCounts, TileCounts};
use crate::config::{SeriesFormat, Units};
use crate::io::with_unit;
use crate::mesh::Kind;
use crate::output::run_names::REPORT_PAGE;
use crate::output::{Measures, MeasuresFile};
use crate::words::{SIMPLICES, counted};

impl Report {
    /// Returns the summary of the report, about ten lines of text.
    pub fn summary(&self, folder: &Path) -> String {
        let mut text = String::new();
        let mut line = |label: &str, value: String| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{label:<13}{value}");
        };
        let [length, time] = [self.units.of_length(), self.units.of_time()];
        let kind = self.mesh.as_ref().map_or(Kind::Volume, |mesh| mesh.kind);
        let [interface, enclosed] = MeasuresFile::names(kind);
        line("case", format!("{} ({})", self.case, self.task));
        if let Some(MeshCounts { vertices, cells, patches, .. }) = &self.mesh {
            let cells = counted(*cells, SIMPLICES[kind.dimension().min(3)]);
            let patches = counted(*patches, ["patch", "patches"]);
            line("mesh", format!("{vertices} vertices, {cells}, {patches}"));
        }
        if let Some(TileCounts { dx, edge, first, last, most, bytes, surface }) = self.tiles {
            let memory = bytes as f64 / f64::from(1 << 20);
            line(
                "tiles",
                format!(
                    "{first} -> {last}, at most {most} of {edge}^3 voxels, dx {}, {memory:.1} MiB",
                    with_unit(digits(dx), &length)
                ),
            );
            if let Some(found) = surface {
                let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
                let [records, corners] = [found.record_bytes, found.triangle_bytes].map(mib);
                let SurfaceCounts { cut_cubes, triangles, .. } = found;
                line(
                    "surface",
                    format!(
                        "{}, {corners:.1} MiB; as {} {records:.1} MiB",
                        counted(triangles, SIMPLICES[2]),
                        counted(cut_cubes, ["record", "records"])
                    ),
                );
            }
        }
        // If the program chose the device, the line states the reason.
        let why = match self.backend_reason.starts_with("auto") {
            true => format!(" ({})", self.backend_reason),
            false => String::new(),
        };
        let (backend, precision) = (self.backend, &self.precision);
        let threads = counted(self.threads, ["thread", "threads"]);
        line("backend", format!("{backend}, {precision}, {threads}{why}"));
        line("end", self.ended_by.clone());
        if self.task == "evolve" {
            line(
                "steps",
                format!(
                    "{} to time {}, {}",
                    self.steps,
                    with_unit(digits(self.time), &time),
                    counted(self.reinitializations, ["reinitialization", "reinitializations"])
                ),
            );
        }
        let change = |of: fn(&Measures) -> f64, unit| match (&self.first, &self.last) {
            (Some(first), Some(last)) => {
                let change = format!("{} -> {}", digits(of(first)), digits(of(last)));
                with_unit(change, unit)
            }
            _ => "none".into(),
        };
        if let Some(d) = &self.distances {
            line("reached", d.counts());
            line(
                "distance",
                format!(
                    "{}, {} fronts",
                    d.range(&self.config.unit_of_result(&self.units)),
                    d.front
                ),
            );
            for (title, text) in d.arrivals(&self.config.unit_of_result(&self.units)) {
                line(title, text);
            }
            if let Some(paths) = d.paths(&length) {
                line("paths", paths);
            }
        } else if let Some(scan) = &self.reconstruction {
            let found = &scan.report;
            let error = &found.error;
            line("samples", scan.samples());
            line("box", scan.extent());
            let triangles = counted(found.surface.triangles, SIMPLICES[2]);
            line("surface", format!("{triangles}, {}", found.surface));
            let [mean, max] = [error.mean_percent, error.max_percent].map(digits);
            line("error", format!("{mean} % of the diagonal, at most {max} %"));
        } else {
            let drift =
                self.drift.map_or(String::new(), |d| format!(" ({:+.3} %)", 100.0 * d.relative));
            let [of_interface, of_enclosed] = units_of(kind, &self.units);
            line(short(interface), change(|m| m.interface, &of_interface));
            line(short(enclosed), change(|m| m.enclosed, &of_enclosed) + &drift);
            if let Some(w) = self.mean_weight {
                let change = format!("{} -> {}", digits(w.first), digits(w.last));
                line("mean weight", format!("{change} ({:+.3} %)", 100.0 * w.relative));
            }
            if let Some(volume) = self.volume_correction {
                let (n, largest) = (volume.corrections, digits(volume.largest_shift));
                let corrections = counted(n as usize, ["correction", "corrections"]);
                let largest = with_unit(largest, &length);
                line("volume", format!("{corrections}, phi shifted by at most {largest}"));
            }
            if let Some(n) = self.map_restarts.filter(|&n| n > 0) {
                let times = counted(n as usize, ["time", "times"]);
                line("map", format!("began again {times}"));
            }
            if self.poor_cells > 0 {
                line("poor cells", format!("{} advect at first order", self.poor_cells));
            }
            if let Some(n) = self.curvature_iterations {
                let each = n as f64 / self.steps.max(1) as f64;
                line("curvature", format!("semi-implicit, {each:.1} iterations a step"));
            }
        }
        let s = &self.seconds;
        line(
            "seconds",
            format!(
                "{:.2}: read {:.2}, partition {:.2}, setup {:.2}, reinitialize {:.2}, evolve {:.2}, \
                 output {:.2}",
                s.total, s.read, s.partition, s.setup, s.reinitialize, s.evolve, s.output
            ),
        );
        line("expect", self.expect_line());
        let ending = match self.config.output.format {
            SeriesFormat::Pvd => "pvd",
            SeriesFormat::Vtkhdf => "vtkhdf",
        };
        let states = folder.join(&self.case);
        line("results", format!("{}.{ending}, for ParaView", states.display()));
        line("report", format!("{}, for a browser", folder.join(REPORT_PAGE).display()));
        text
    }

    fn expect_line(&self) -> String {
        let missed: Vec<String> = self
            .expect
            .checks
            .iter()
            .filter(|check| !check.met)
            .map(|check| {
                let (low, high) = check.bounds.range();
                let found = check.found.map_or("nothing".to_string(), digits);
                if low == high {
                    return format!("{} is {found}, not {}", check.name, digits(low));
                }
                format!("{} is {found}, not in {} to {}", check.name, digits(low), digits(high))
            })
            .collect();
        if self.expect.met.is_none() {
            return "not judged".into();
        }
        match (self.expect.checks.len(), missed.is_empty()) {
            (0, _) => "nothing".into(),
            (1, true) => "met (1 bound)".into(),
            (n, true) => format!("met ({n} bounds)"),
            (_, false) => format!("NOT MET: {}", missed.join("; ")),
        }
    }
}

/// Returns the units of the measures `interface` and `enclosed` for a kind of mesh.
fn units_of(kind: Kind, units: &Units) -> [String; 2] {
    match kind {
        Kind::Planar | Kind::Surface => [units.of_length(), units.of_area()],
        Kind::Volume => [units.of_area(), units.of_volume()],
    }
}

/// Returns the label of a measure in the summary, such as "length" for "interface_length".
fn short(name: &str) -> &str {
    match name {
        "interface_length" => "length",
        "interface_area" => "area",
        "enclosed_area" => "inside area",
        _ => "inside vol.",
    }
}

/// Formats a number with about seven significant digits. Integers below 1e9 are written in full.
/// Other numbers have an exponent if they are very small or very large.
pub(super) fn digits(x: f64) -> String {
    let magnitude = x.abs();
    if x.fract() == 0.0 && magnitude < 1e9 || !x.is_finite() {
        return x.to_string();
    }
    if !(1e-4..1e9).contains(&magnitude) {
        return format!("{x:.6e}");
    }
    let places = (6.0 - magnitude.log10().floor()).clamp(0.0, 10.0) as usize;
    format!("{x:.places$}")
}
