//! The entries about a distance in the report, and their comparison with `[expect]`.

use super::Found;
use crate::config::{Distance, Stimulus};
use crate::levelset::eikonal::{Front, path, skinny};
use crate::output::{Distances, PathFound, Report, StimulusFound, Verdict};
use crate::run::error_norms;
use crate::run::mesh_setup::MeshSetup;
use crate::run::sources::Method;
use crate::words::counted;

impl MeshSetup {
    /// Writes the range of the distances to the report, and compares them with `[expect]`.
    pub(super) fn judge_distance(
        &self,
        distance: &Distance,
        report: &mut Report,
        values: &[f64],
        paths: &[path::Path],
    ) {
        let limit = distance.width.unwrap_or(f64::INFINITY);
        let reached = || values.iter().copied().filter(|x| x.abs() < limit);
        let (mean, max) = error_norms::mean_and_max(reached()).unzip();
        let min = reached().reduce(f64::min);
        let n = reached().count();
        if n == 0 {
            let warning = "no vertex lies within the width of the source: nothing was computed";
            tracing::warn!("{warning}");
            report.warnings.push(warning.into());
        }
        let outside_mask = self.cleaned.n_outside_mask();
        let not_reached = values.len() - n + outside_mask;
        report.distances = Some(Distances {
            front: "plane",
            reached: n,
            not_reached,
            outside_mask,
            min,
            mean,
            max,
            labeled: None,
            activation_time: None,
            regions: Vec::new(),
            stimuli: Vec::new(),
            behind_skinny: 0,
            paths: Vec::new(),
            misfit: None,
        });
        let errors = self.config.expect.exact.as_ref().and_then(|exact| {
            let signed = distance.signed.unwrap_or(distance.from.is_empty());
            let pairs = values.iter().zip(&self.cleaned.mesh.vertices);
            error_norms::mean_and_max(pairs.filter(|(u, _)| u.abs() < limit).map(|(u, &x)| {
                let exact = exact.signed_distance(x);
                (u - if signed { exact } else { exact.abs() }).abs()
            }))
        });
        report.expect = Verdict::of(&self.config.expect.bounds(), |name| match name {
            "distance_max" | "phi_max" => max,
            "phi_min" => min,
            "distance_mean" => mean,
            "distance_error_mean" => errors.map(|(mean, _)| mean),
            "distance_error_max" => errors.map(|(_, max)| max),
            "distance_not_reached" => Some(not_reached as f64),
            "path_length" => {
                let all = paths.iter().all(|path| path.source.is_some()) && !paths.is_empty();
                all.then(|| paths.iter().map(|path| path.length).sum())
            }
            _ => None,
        });
    }
}

/// Writes the number of vertices behind skinny triangles to the report, and warns if they are 1 %
/// or more of the reached vertices.
pub(super) fn note_skinny(report: &mut Report, n: usize) {
    let Some(distances) = &mut report.distances else { return };
    distances.behind_skinny = n;
    if n == 0 || n * 100 < distances.reached {
        return;
    }
    let warning = format!(
        "the distances of {} may be off by several percent: more than a tenth of the path runs \
         through or along triangles with angles above {} or below {} degrees; remesh the surface, or \
         refine it to estimate the error",
        counted(n, ["vertex", "vertices"]),
        skinny::LARGEST_ANGLE,
        skinny::SMALLEST_ANGLE
    );
    tracing::warn!("{warning}");
    report.warnings.push(warning);
}

/// Returns for each seed of a distance how many vertices have its label.
fn counts(distance: &Distance, labels: &[i32]) -> Vec<usize> {
    let mut counts = vec![0; distance.from.len()];
    labels.iter().filter(|&&label| label >= 0).for_each(|&label| counts[label as usize] += 1);
    counts
}

impl MeshSetup {
    /// Writes the stimuli of the file of stimuli to the report, and warns about those that excite
    /// nothing.
    pub(super) fn note_stimuli(&self, distance: &Distance, report: &mut Report, labels: &[i32]) {
        let (Some(read), Some(distances)) = (&self.config.origin.stimuli, &mut report.distances)
        else {
            return;
        };
        let counts = counts(distance, labels);
        let found = |(stimulus, &vertices): (&Stimulus, &usize)| StimulusFound {
            name: stimulus.name.clone(),
            at: stimulus.place(),
            time: stimulus.seed.start(),
            duration: stimulus.duration,
            vertices,
        };
        distances.stimuli = read.stimuli.iter().zip(&counts[read.first..]).map(found).collect();
        for (k, found) in distances.stimuli.iter().enumerate().filter(|(_, s)| s.vertices == 0) {
            let name = found.name.as_ref().map_or(String::new(), |name| format!(" \"{name}\""));
            let why = match distance.width {
                Some(width) if found.time >= width => format!("the width ends at time {width}"),
                _ => format!(
                    "other fronts reach all vertices of {} or around it by time {}, and tissue is \
                     excited only once",
                    found.at, found.time
                ),
            };
            let warning = format!("stimulus {k}{name} excites no vertex: {why}");
            tracing::warn!("{warning}");
            report.warnings.push(warning);
        }
    }
}

/// Writes the shape of the front, the label counts and the paths to the report.
pub(super) fn note_extras(
    distance: &Distance,
    report: &mut Report,
    method: Method,
    starts: &[(String, path::Start)],
    found: &Found,
) {
    let Some(distances) = &mut report.distances else { return };
    distances.front = match method {
        Method::Fronts(Front::Circular) => "circular",
        Method::Fronts(Front::Plane) => "plane",
        Method::Exact(_) => "exact",
    };
    distances.labeled = found.extras.labels.as_ref().map(|labels| counts(distance, labels));
    let named = starts.iter().zip(&found.paths).map(|((from, _), path)| PathFound {
        from: from.clone(),
        length: path.length,
        source: path.source,
    });
    distances.paths = named.collect();
    for path in distances.paths.iter().filter(|path| path.source.is_none()) {
        let warning = format!("the path from {} does not reach a source", path.from);
        tracing::warn!("{warning}");
        report.warnings.push(warning);
    }
}
