//! A part of a distance computation, for an estimate of its time: the distances up to a width.

use std::time::Instant;

use super::{DistanceTask, Found, Solved};
use crate::config::Distance;
use crate::error::Result;
use crate::geometry::Vec3;
use crate::levelset::eikonal::Slowness;
use crate::output::Report;
use crate::picture::Marks;
use crate::run::mesh_setup::MeshSetup;
use crate::run::sources::{self, Method};
use crate::run::task::{Part, Run};
use crate::run::{factory, setup};

/// The first width, in mean edge lengths.
const FIRST: f64 = 16.0;
/// The smallest share of the requested time that a part takes, unless it is the whole task.
const SHARE: f64 = 0.25;

/// Distances up to a width.
struct Limited {
    distance: Distance,
    solved: Solved,
    reached: usize,
    seconds: f64,
}

impl DistanceTask<'_> {
    /// Computes the distances up to a width that takes about `seconds` seconds, or all of them if
    /// that is not longer, and writes them.
    pub(super) fn part(&self, mut run: Run<'_>, report: &mut Report, seconds: f64) -> Result<Part> {
        let setup = MeshSetup::new(self.config, self.cpu.clone(), &mut run.stage)?;
        setup.note(report);
        let whole = setup.cleaned.mesh.n_vertices();
        let items = "vertices";
        let timer = Instant::now();
        if let Some((method, limited)) = self.limited(&setup, report, seconds)? {
            let (done, seconds) = (limited.reached, limited.seconds);
            let others = timer.elapsed().as_secs_f64() - seconds;
            let Limited { distance, solved, .. } = limited;
            let found = setup.found(&distance, method, solved, (Vec::new(), Marks::default()), &[]);
            run.stage.writes()?;
            setup.write_distance(run.folder, report, found)?;
            return Ok(Part { done, whole, items, seconds, setup: others, is_output_whole: true });
        }
        // The timer of the stage must not include the computations above.
        run.stage.next("setting up")?;
        let timer = Instant::now();
        let found: Found = setup.distance(self.distance, report, &mut run.stage)?;
        let others = report.seconds.setup;
        let seconds = (timer.elapsed().as_secs_f64() - others).max(0.0);
        run.stage.writes()?;
        setup.write_distance(run.folder, report, found)?;
        Ok(Part { done: whole, whole, items, seconds, setup: others, is_output_whole: true })
    }

    /// Computes the distances up to larger and larger widths, until the time of the whole task is
    /// known. Returns the last result, or `None` if the whole task takes at most `seconds` seconds.
    fn limited(
        &self,
        setup: &MeshSetup,
        report: &mut Report,
        seconds: f64,
    ) -> Result<Option<(Method, Limited)>> {
        let slowness = setup::slowness(self.config, &setup.cleaned, &mut report.warnings)?;
        let method = sources::method(self.config, &slowness, &setup.cleaned)?;
        let start = setup.start(self.distance, &slowness, method, &[], false, report)?;
        let first_value = self.distance.from.iter().map(|seed| seed.start()).fold(0.0, f64::max);
        let mean = match &slowness {
            Slowness::Uniform(slowness) => *slowness,
            Slowness::PerCell(all) => all.iter().sum::<f64>() / all.len().max(1) as f64,
            Slowness::Tensor(all) => {
                let times =
                    all.iter().map(|metric| metric.map(&Vec3::repeat(3f64.recip().sqrt())).norm());
                times.sum::<f64>() / all.len().max(1) as f64
            }
        };
        let whole = setup.cleaned.mesh.n_vertices();
        let mut width = FIRST * mean * setup::mean_edge(&setup.cleaned.mesh);
        let mut before = 0;
        loop {
            let limit = first_value + width;
            if !limit.is_finite() || self.distance.width.is_some_and(|given| limit >= given) {
                return Ok(None);
            }
            let mut distance = self.distance.clone();
            (distance.width, distance.paths_from) = (Some(limit), Vec::new());
            let timer = Instant::now();
            let solved = factory::distance(setup, &distance, &start, &slowness)?;
            let took = timer.elapsed().as_secs_f64();
            let reached = solved.arrival.iter().filter(|u| u.is_finite()).count();
            // A larger width would reach no more vertices: the solution is complete.
            let is_all = reached >= whole || reached > 0 && reached == before;
            let predicted = took * whole as f64 / reached.max(1) as f64;
            if is_all || reached > 0 && predicted <= seconds {
                return Ok(None);
            }
            if took >= SHARE * seconds {
                return Ok(Some((method, Limited { distance, solved, reached, seconds: took })));
            }
            (width, before) = (2.0 * width, reached);
        }
    }
}
