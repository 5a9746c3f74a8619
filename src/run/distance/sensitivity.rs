//! Derivatives of a function of the arrival times of a case.

use std::collections::BTreeMap;

use nalgebra::Matrix3;
use serde::Serialize;

use crate::config::{Distance, Precision, Seed, Speed};
use crate::error::{Error, Result};
use crate::geometry::Vec3;
use crate::levelset::eikonal::adjoint::{self, Adjoint};
use crate::levelset::eikonal::source::Source;
use crate::levelset::eikonal::{Front, Metric, Slowness};
use crate::run::conduction::Frames;
use crate::run::mesh_setup::MeshSetup;
use crate::run::setup;
use crate::run::sources::{self, Method};

/// The derivatives of a number J, which depends on distances, by what determines the distances.
///
/// Derivatives by numbers that the call does not have are absent. Cells are those of the file.
/// Cells outside a mask have the derivative 0. If one number applies to many cells, such as the
/// speed of a region, its derivative is the sum over these cells ([`Sensitivity::by_region`]).
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Sensitivity {
    /// The derivative by the speed of each cell, `[cells]`, if the speed does not depend on the
    /// direction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed: Option<Vec<f64>>,
    /// The derivative by the speed of each cell along the fibers, `[cells]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub along: Option<Vec<f64>>,
    /// The derivative by the speed of each cell across the fibers, `[cells]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub across: Option<Vec<f64>>,
    /// The derivative by the speed of each cell within the sheets, `[cells]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sheet: Option<Vec<f64>>,
    /// The derivative by the entries `[xx, yy, zz, xy, yz, xz]` of the conduction tensor of each
    /// cell, `[cells]`. xy stands for both entries at its place, so its derivative is that of two
    /// entries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tensor: Option<Vec<[f64; 6]>>,
    /// The derivative by the start value of each source, `[sources]`.
    pub starts: Vec<f64>,
    /// The derivative by the position of each source, `[sources]`, per mesh unit, along the mesh.
    /// NaN for sources that are not points.
    pub positions: Vec<[f64; 3]>,
    /// Vertices of the file at which two cells give the same time over different points, or two
    /// sources give the same time, up to 1e-4 of the time across the cell, in ascending order. J
    /// has a kink there, and the derivative is that of one side. Only vertices on which J depends
    /// are listed.
    pub kinks: Vec<u32>,
}

impl Sensitivity {
    /// Sums derivatives by cells, `[cells]`, over the cells of each region. `regions` has the
    /// number of the region of each cell, `[cells]`.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if the lengths differ.
    pub fn by_region(by_cell: &[f64], regions: &[i64]) -> Result<BTreeMap<i64, f64>> {
        if by_cell.len() != regions.len() {
            let what = format!("there are {} region numbers", regions.len());
            return Err(Error::usage(
                what,
                format!("give one for each of {} cells", by_cell.len()),
            ));
        }
        let mut sums = BTreeMap::new();
        for (value, region) in by_cell.iter().zip(regions) {
            *sums.entry(*region).or_insert(0.0) += value;
        }
        Ok(sums)
    }
}

const OTHER_SOURCES: &str = "use vertices, points, groups or curves as sources";

/// Returns the name of the shape of fronts without derivatives.
fn shape_without_derivatives(method: Method) -> Option<&'static str> {
    match method {
        Method::Fronts(Front::Plane) => None,
        Method::Fronts(_) => Some("circular"),
        Method::Exact(_) => Some("exact"),
    }
}

fn is_zero_set(sources: &[(u32, Source)]) -> bool {
    sources.is_empty() || sources.iter().any(|(_, source)| source.is_fixed)
}

impl MeshSetup {
    /// Returns the derivatives of a function of the distances of the case. `weights` are its
    /// derivatives by the `distances` of the case, both `[n_stored_vertices]`.
    ///
    /// Fronts are computed again where `distances` do not show all that the derivatives depend on:
    /// for several sources, with a width, and in 32 bits. This happens on the CPU in f64.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if the case has fronts or sources without derivatives, and the
    /// errors of the solver.
    pub(crate) fn sensitivity(
        &self,
        distance: &Distance,
        distances: &[f64],
        weights: &[f64],
    ) -> Result<Sensitivity> {
        let (config, cleaned) = (&*self.config, &*self.cleaned);
        let slowness = setup::slowness(config, cleaned, &mut Vec::new())?;
        let method = sources::method(config, &slowness, cleaned)?;
        if let Some(shape) = shape_without_derivatives(method) {
            let what = format!("derivatives are not available for {shape} fronts");
            return Err(config.error_at("distance.front", what, "use \"plane\""));
        }
        let mut weights = cleaned.summed(weights);
        let mut sign = vec![1.0; weights.len()];
        let inside = sign.iter_mut().zip(self.inside_of_seed(distance)?);
        inside.filter(|(_, is_inside)| *is_inside).for_each(|(sign, _)| *sign = -1.0);
        weights.iter_mut().zip(&sign).for_each(|(weight, sign)| *weight *= sign);
        self.cpu.run(|| {
            let sources = sources::sources(config, &slowness, method, cleaned, true)?;
            if is_zero_set(&sources) {
                let what = "derivatives are not available for distances from a zero set";
                return Err(Error::usage(what, OTHER_SOURCES));
            }
            let adjoint = Adjoint::new(&cleaned.mesh, &slowness);
            let is_known = distance.width.is_none() && config.precision() == Precision::F64;
            let found = match &*sources {
                [source] if is_known => {
                    let kept = cleaned.cleaning.kept_vertices.iter().zip(&sign);
                    // Arrival times after a negative start value may be negative, too.
                    let time = |(v, sign): (&u32, &f64)| match sign * distances[*v as usize] {
                        time if time.is_nan() => f64::INFINITY,
                        time => time,
                    };
                    adjoint.of_times(&kept.map(time).collect::<Vec<_>>(), source, &weights)?
                }
                _ => {
                    let mut state = self.state::<f64>(&slowness)?;
                    let width = distance.width;
                    adjoint.of_sources(&*self.cpu, &mut state, &sources, width, &weights)?
                }
            };
            self.by_parameters(distance, &slowness, &sources, found)
        })
    }

    /// Refuses to compute a misfit if its distances have no derivatives.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if the case has fronts or sources without derivatives.
    pub(in crate::run) fn check_misfit(&self) -> Result<()> {
        let (config, cleaned) = (&*self.config, &*self.cleaned);
        let slowness = setup::slowness(config, cleaned, &mut Vec::new())?;
        let method = sources::method(config, &slowness, cleaned)?;
        if let Some(shape) = shape_without_derivatives(method) {
            let what = format!("--misfit: {shape} fronts have no derivatives");
            return Err(Error::usage(what, "use --front plane"));
        }
        if is_zero_set(&sources::sources(config, &slowness, method, cleaned, false)?) {
            let what = "--misfit: distances from a zero set have no derivatives";
            return Err(Error::usage(what, OTHER_SOURCES));
        }
        Ok(())
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
        let adjoint::Sensitivity { times, metrics, mut starts, positions, kinks, .. } = found;
        starts.resize(distance.from.len(), 0.0);
        let position = |(k, seed): (usize, &Seed)| match seed {
            Seed::Point { .. } if sources.iter().any(|(group, _)| *group as usize == k) => {
                positions[k].into()
            }
            _ => [f64::NAN; 3],
        };
        let positions = distance.from.iter().enumerate().map(position).collect();
        let kept = &cleaned.cleaning.kept_vertices;
        let kinks = kinks.into_iter().map(|v| kept[v as usize]).collect();
        let mut result = Sensitivity { starts, positions, kinks, ..Sensitivity::default() };
        let of_cells = |values: Vec<f64>| Some(cleaned.summed_cells(&values, 0.0, |a, b| a + b));
        let metric_of = match slowness {
            // A travel time is inversely proportional to the speed.
            Slowness::Uniform(f) => {
                result.speed = of_cells(times.iter().map(|time| -time * f).collect());
                return Ok(result);
            }
            Slowness::PerCell(f) => {
                let by_speed = times.iter().zip(f).map(|(time, f)| -time * f);
                result.speed = of_cells(by_speed.collect());
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
        let add = |a: [f64; 6], b: [f64; 6]| std::array::from_fn(|k| a[k] + b[k]);
        let rows: Vec<[f64; 6]> = tensors.iter().map(entries).collect();
        result.tensor = Some(cleaned.summed_cells(&rows, [0.0; 6], add));
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
            result.sheet = fibers.sheet.as_ref().and_then(|_| of_cells(sheet));
            (result.along, result.across) = (of_cells(along), of_cells(across));
        }
        Ok(result)
    }
}
