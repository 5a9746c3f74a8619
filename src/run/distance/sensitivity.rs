//! Derivatives of a function of the arrival times of a case.

use nalgebra::Matrix3;

use crate::config::{Distance, Seed, Speed};
use crate::error::{Error, Result};
use crate::geometry::Vec3;
use crate::levelset::eikonal::adjoint::{self, Adjoint, Work};
use crate::levelset::eikonal::source::Source;
use crate::levelset::eikonal::{Front, Metric, Slowness};
use crate::run::conduction::Frames;
use crate::run::mesh_setup::MeshSetup;
use crate::run::setup;
use crate::run::sources::{self, Method};

/// Derivatives of a function of arrival times, in the order of the cleaned mesh. Derivatives by
/// numbers that the case does not have are absent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sensitivity {
    /// By the speed of each cell, by the speeds along and across the fibers, and within the sheets.
    pub speed: Option<Vec<f64>>,
    pub along: Option<Vec<f64>>,
    pub across: Option<Vec<f64>>,
    pub sheet: Option<Vec<f64>>,
    /// By the entries xx, yy, zz, xy, yz, xz of the tensor of each cell.
    pub tensor: Option<Vec<[f64; 6]>>,
    /// By the start times of the seeds.
    pub starts: Vec<f64>,
    /// By the positions of the seeds that are points; NaN for other seeds.
    pub positions: Vec<[f64; 3]>,
    /// Vertices at kinks.
    pub kinks: Vec<u32>,
    pub work: Work,
}

impl MeshSetup {
    /// Returns the derivatives of a function of the distances of the case. `weights` are its
    /// derivatives by the distances, `[n_vertices]` in the order of the cleaned mesh.
    ///
    /// Fronts are computed on the CPU in f64, on whatever device the distances were computed.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if the case has fronts or sources without derivatives, and the
    /// errors of the solver.
    pub(crate) fn sensitivity(
        &self,
        distance: &Distance,
        weights: &[f64],
    ) -> Result<Sensitivity> {
        let (config, cleaned) = (&*self.config, &*self.cleaned);
        let slowness = setup::slowness(config, cleaned, &mut Vec::new())?;
        let method = sources::method(config, &slowness, cleaned)?;
        if method != Method::Fronts(Front::Plane) {
            let shape = if method.front().is_some() { "circular" } else { "exact" };
            let what = format!("derivatives are not available for {shape} fronts");
            return Err(config.error_at("distance.front", what, "use front = \"plane\""));
        }
        let mut weights = weights.to_vec();
        for (v, is_inside) in self.inside_of_seed(distance)?.into_iter().enumerate() {
            weights[v] = if is_inside { -weights[v] } else { weights[v] };
        }
        self.cpu.run(|| {
            let sources = sources::sources(config, &slowness, method, cleaned, true)?;
            if sources.is_empty() || sources.iter().any(|(_, source)| source.is_fixed) {
                let what = "derivatives are not available for distances from a zero set";
                let remedy = "use vertices, points, groups or curves as sources";
                return Err(Error::usage(what, remedy));
            }
            let adjoint = Adjoint::new(&cleaned.mesh, &slowness);
            let mut state = self.state::<f64>(&slowness)?;
            let cpu = &*self.cpu;
            let found = adjoint.of_sources(cpu, &mut state, &sources, distance.width, &weights)?;
            self.by_parameters(distance, &slowness, &sources, found)
        })
    }

    /// Converts derivatives by travel times and metrics to derivatives by the numbers of the case.
    fn by_parameters(
        &self,
        distance: &Distance,
        slowness: &Slowness<f64>,
        sources: &[(u32, Source)],
        found: adjoint::Sensitivity,
    ) -> Result<Sensitivity> {
        let (config, cleaned) = (&*self.config, &*self.cleaned);
        let adjoint::Sensitivity { times, metrics, mut starts, positions, kinks, work, .. } = found;
        starts.resize(distance.from.len(), 0.0);
        let position = |(k, seed): (usize, &Seed)| match seed {
            Seed::Point { .. } if sources.iter().any(|(group, _)| *group as usize == k) => {
                positions[k].into()
            }
            _ => [f64::NAN; 3],
        };
        let positions = distance.from.iter().enumerate().map(position).collect();
        let mut result = Sensitivity { starts, positions, kinks, work, ..Sensitivity::default() };
        let metric_of = match slowness {
            // A travel time is inversely proportional to the speed.
            Slowness::Uniform(f) => {
                result.speed = Some(times.iter().map(|time| -time * f).collect());
                return Ok(result);
            }
            Slowness::PerCell(f) => {
                result.speed = Some(times.iter().zip(f).map(|(time, f)| -time * f).collect());
                return Ok(result);
            }
            Slowness::Tensor(metrics) => metrics,
        };
        // D = G^-1 gives dD = -D dG D, and dG = -G dD G.
        let by_tensor = |(metric, by_metric): (&Metric<f64>, &Matrix3<f64>)| {
            let g = metric.matrix();
            -(g * by_metric * g)
        };
        let tensors: Vec<Matrix3<f64>> = metric_of.iter().zip(&metrics).map(by_tensor).collect();
        let entries = |m: &Matrix3<f64>| {
            let [xy, yz, xz] = [(0, 1), (1, 2), (0, 2)].map(|at| 2.0 * m[at]);
            [m[(0, 0)], m[(1, 1)], m[(2, 2)], xy, yz, xz]
        };
        result.tensor = Some(tensors.iter().map(entries).collect());
        if let Some(Speed::Fibers(fibers)) = &distance.speed {
            let frames = Frames::new(config, cleaned, fibers)?;
            let (mut along, mut across, mut sheet) = (Vec::new(), Vec::new(), Vec::new());
            for (c, tensor) in tensors.iter().enumerate() {
                let frame = frames.of(c);
                let part = |v: Vec3| v.dot(&(tensor * v));
                let of_fiber = frame.fiber.map_or(0.0, part);
                let (speed, of_sheet) = frame.sheet.map_or((0.0, 0.0), |(m, s)| (m, part(s)));
                along.push(2.0 * frame.along * of_fiber);
                sheet.push(2.0 * speed * of_sheet);
                across.push(2.0 * frame.across * (tensor.trace() - of_fiber - of_sheet));
            }
            result.sheet = fibers.sheet.is_some().then_some(sheet);
            (result.along, result.across) = (Some(along), Some(across));
        }
        Ok(result)
    }
}
