//! The coefficients of a case on tiles, in voxel units. They are evaluated block by block.

use std::sync::Arc;

use super::TiledCase;
use super::coefficient_volumes::Array;
use crate::config::{self, Component, Config, Rotation, Velocity};
use crate::error::Result;
use crate::expression::Field;
use crate::expression::{Accuracy, Expression, Lattice, Sampling};
use crate::geometry::Real;
use crate::gpu::Cuda;
use crate::levelset::tiled::cuda::{DeviceCoefficient, DevicePart, DeviceTerms};
use crate::levelset::tiled::{Coefficient, SampleFill, Terms};
use crate::volume::Volume;

/// Largest number of voxels along the edge of a block, including one layer around the block.
const MOST: usize = 10;

/// The positions of voxels along the axes of the grid.
#[derive(Clone, Copy)]
pub(super) struct Lines {
    pub origin: [f64; 3],
    pub dx: f64,
}

impl Lines {
    /// Returns the coordinates of [`MOST`] voxels along each axis, starting `layers` voxels before
    /// `first`.
    pub fn of_block(&self, first: [i32; 3], layers: i32) -> [[f64; MOST]; 3] {
        let voxel = |k: usize, n: usize| f64::from(first[k]) + f64::from(n as i32 - layers);
        let at = |k: usize, n: usize| self.origin[k] + self.dx * voxel(k, n);
        std::array::from_fn(|k| std::array::from_fn(|n| at(k, n)))
    }
}

/// Returns the edge length, in voxels, of a block of `voxels` voxels. `voxels` is 4^3 or 8^3.
fn edge_of(voxels: usize) -> usize {
    if voxels == 64 { 4 } else { 8 }
}

/// A coefficient as given in a case, in world units.
enum Written<const K: usize> {
    Uniform([f64; K]),
    Expressions([Expression; K]),
    /// Components, at least one of which is a volume.
    Parts([Part; K]),
}

/// One component of a coefficient.
#[derive(Clone)]
enum Part {
    Expression(Expression),
    Volume(Arc<Array>),
}

impl<const K: usize> Written<K> {
    /// Returns the coefficient for the CPU, multiplied by `scale`. `max_step` is the longest step
    /// allowed if it depends on time.
    fn on_cpu<R: Real>(
        &self,
        config: &Config,
        key: &str,
        lines: Lines,
        scale: f64,
        max_step: f64,
    ) -> Result<Coefficient<R, K>> {
        Ok(match self {
            Written::Uniform(values) => Coefficient::Uniform(values.map(|a| a * scale)),
            Written::Expressions(all) => {
                let lattice = Lattice::bind(all).map_err(config.locate(key))?;
                let uses_time = lattice.varies_in_time();
                of_time(uses_time, fill(lattice, lines, scale, max_step))
            }
            Written::Parts(all) => {
                let mut bound = Vec::new();
                let (mut is_steady, mut uses_time) = (true, false);
                for part in all {
                    bound.push(match part {
                        Part::Volume(array) => Bound::Volume(array.volume.clone()),
                        Part::Expression(one) => {
                            is_steady &= one.constant().is_some();
                            uses_time |= one.uses_time();
                            let one = std::slice::from_ref(one);
                            Bound::Lattice(Lattice::bind(one).map_err(config.locate(key))?)
                        }
                    });
                }
                // Expressions are not stored: they may depend on time, and may be NaN away from the
                // interface.
                let fill = fill_parts(bound, lines, scale, max_step);
                if is_steady {
                    Coefficient::Stationary(Arc::new(move |first, t, out: &mut [R]| {
                        fill(first, Sampling::At(t), out);
                    }))
                } else {
                    of_time(uses_time, fill)
                }
            }
        })
    }

    /// Returns the coefficient for a GPU. The GPU multiplies the values of expressions and volumes
    /// by `scale`.
    fn on_gpu(
        &self,
        config: &Config,
        key: &str,
        scale: f64,
        cuda: &Cuda,
    ) -> Result<DeviceCoefficient<K>> {
        let bind = |expression: &Expression| {
            // This call reports data arrays as errors, because they do not exist on tiles.
            Lattice::bind(std::slice::from_ref(expression)).map_err(config.locate(key))?;
            Field::bind(expression, |_| Ok(Arc::from([])))
        };
        Ok(match self {
            Written::Uniform(values) => DeviceCoefficient::Uniform(values.map(|a| a * scale)),
            Written::Expressions(all) => {
                let mut fields = all.each_ref().map(|_| Field::constant(0.0));
                for (field, expression) in fields.iter_mut().zip(all) {
                    *field = bind(expression)?;
                }
                DeviceCoefficient::Fields(Box::new(fields))
            }
            Written::Parts(all) => {
                let mut parts = all.each_ref().map(|_| DevicePart::Number(0.0));
                for (part, written) in parts.iter_mut().zip(all) {
                    *part = match written {
                        Part::Volume(array) => DevicePart::Volume(array.on_gpu(cuda)?),
                        Part::Expression(one) => match one.constant() {
                            Some(x) => DevicePart::Number(x),
                            None => DevicePart::Field(bind(one)?),
                        },
                    };
                }
                DeviceCoefficient::Parts(Box::new(parts))
            }
        })
    }
}

/// All coefficients of `[evolve]` as given in a case.
struct AllWritten {
    velocity: Written<3>,
    normal_speed: Written<1>,
    curvature: Written<1>,
}

impl TiledCase<'_> {
    fn written(&self) -> Result<AllWritten> {
        let evolve = self.config.evolve.as_ref();
        let array = |key: &str| self.arrays.get(key).cloned().map(Part::Volume);
        let number = |key: &str, of: Option<&config::Coefficient>| match of {
            Some(config::Coefficient::Volume(_)) => match array(key) {
                Some(part) => Written::Parts([part]),
                None => Written::Uniform([0.0]),
            },
            None | Some(config::Coefficient::Data { .. }) => Written::Uniform([0.0]),
            Some(config::Coefficient::Number(x)) => Written::Uniform([*x]),
            Some(config::Coefficient::Expression(expression)) => match expression.constant() {
                Some(x) => Written::Uniform([x]),
                None => Written::Expressions([expression.clone()]),
            },
        };
        Ok(AllWritten {
            velocity: velocity(evolve.and_then(|evolve| evolve.velocity.as_ref()), array)?,
            normal_speed: number(
                "evolve.normal_speed",
                evolve.and_then(|evolve| evolve.normal_speed.as_ref()),
            ),
            curvature: number(
                "evolve.curvature",
                evolve.and_then(|evolve| evolve.curvature.as_ref()),
            ),
        })
    }

    /// Returns the coefficients of `[evolve]` for the CPU.
    ///
    /// # Errors
    /// Returns [`Error::Case`](crate::Error::Case) for an expression with a data array.
    pub(in crate::run) fn terms<R: Real>(&self) -> Result<Terms<R>> {
        let AllWritten { velocity, normal_speed, curvature } = self.written()?;
        let lines = Lines { origin: self.source.origin, dx: self.source.dx };
        let (config, per, most) = (self.config, 1.0 / self.source.dx, self.max_step());
        let normal_speed = normal_speed.on_cpu(config, "evolve.normal_speed", lines, per, most)?;
        Ok(Terms::default()
            .with_velocity(velocity.on_cpu(config, "evolve.velocity", lines, per, most)?)
            .with_normal_speed(normal_speed)
            .with_curvature(curvature.on_cpu(
                config,
                "evolve.curvature",
                lines,
                per * per,
                most,
            )?))
    }

    /// Returns the coefficients of `[evolve]` for a GPU.
    ///
    /// # Errors
    /// Returns the errors of [`TiledCase::terms`]. Returns [`Error::Device`](crate::Error::Device)
    /// if a volume does not fit in GPU memory.
    pub(super) fn device_terms(&self, cuda: &Cuda) -> Result<DeviceTerms> {
        let AllWritten { velocity, normal_speed, curvature } = self.written()?;
        let (config, per) = (self.config, 1.0 / self.source.dx);
        Ok(DeviceTerms::new(self.source.origin, self.source.dx)
            .with_velocity(velocity.on_gpu(config, "evolve.velocity", per, cuda)?)
            .with_normal_speed(normal_speed.on_gpu(config, "evolve.normal_speed", per, cuda)?)
            .with_curvature(curvature.on_gpu(config, "evolve.curvature", per * per, cuda)?))
    }
}

/// Returns the velocity. `array` returns the volume given at a key.
fn velocity(
    written: Option<&Velocity>,
    array: impl Fn(&str) -> Option<Part>,
) -> Result<Written<3>> {
    Ok(match written {
        None | Some(Velocity::Data(_)) => Written::Uniform([0.0; 3]),
        Some(Velocity::Constant(a)) => Written::Uniform(*a),
        Some(Velocity::Components(all)) => {
            if let [Some(x), Some(y), Some(z)] = all.each_ref().map(Component::number) {
                return Ok(Written::Uniform([x, y, z]));
            }
            let zero = Expression::from(0.0);
            let expressions = all.each_ref().map(|component| match component {
                Component::Number(x) => Expression::from(*x),
                Component::Expression(expression) => expression.clone(),
                Component::Volume(_) => zero.clone(),
            });
            let arrays = [0, 1, 2].map(|k| array(&format!("evolve.velocity.{k}")));
            if arrays.iter().all(Option::is_none) {
                return Ok(Written::Expressions(expressions));
            }
            let mut parts = expressions.map(Part::Expression);
            for (part, volume) in parts.iter_mut().zip(arrays) {
                *part = volume.unwrap_or_else(|| part.clone());
            }
            Written::Parts(parts)
        }
        Some(Velocity::Rotation(turn)) => Written::Expressions(rotation(turn)?),
    })
}

/// Returns the velocity of a rotation: the cross product of the angular velocity and the vector
/// from the center of rotation.
fn rotation(turn: &Rotation) -> Result<[Expression; 3]> {
    let length = turn.axis.iter().map(|x| x * x).sum::<f64>().sqrt();
    let rate = 2.0 * std::f64::consts::PI / turn.period;
    let [wx, wy, wz] = turn.axis.map(|x| x / length * rate);
    let [cx, cy, cz] = turn.center;
    Ok([
        Expression::parse(&format!("({wy})*(z - ({cz})) - ({wz})*(y - ({cy}))"))?,
        Expression::parse(&format!("({wz})*(x - ({cx})) - ({wx})*(z - ({cz}))"))?,
        Expression::parse(&format!("({wx})*(y - ({cy})) - ({wy})*(x - ({cx}))"))?,
    ])
}

/// Returns a coefficient that is evaluated on each block.
fn of_time<R, const K: usize>(uses_time: bool, fill: SampleFill<R>) -> Coefficient<R, K> {
    if uses_time { Coefficient::Sampled(fill) } else { Coefficient::OfPlace(fill) }
}

/// Returns the accuracy of expressions that are multiplied by `scale` to obtain voxel units.
fn accuracy(scale: f64, max_step: f64) -> Accuracy {
    Accuracy { slack: Accuracy::SLACK / scale, max_step }
}

/// Returns a function that evaluates expressions on blocks and multiplies them by `scale`.
fn fill<R: Real>(lattice: Lattice, lines: Lines, scale: f64, max_step: f64) -> SampleFill<R> {
    let components = lattice.components();
    let accuracy = accuracy(scale, max_step);
    Arc::new(move |first, sampling, out: &mut [R]| {
        let edge = edge_of(out.len() / components);
        let axes = lines.of_block(first, 0);
        let axes = axes.each_ref().map(|axis| &axis[..edge]);
        let change = lattice.sample_into(axes, sampling, &accuracy, out);
        out.iter_mut().for_each(|value| *value *= R::of(scale));
        change * scale
    })
}

/// One component of a coefficient, ready for evaluation.
enum Bound {
    Lattice(Lattice),
    Volume(Arc<Volume>),
}

/// Returns a function that evaluates components on blocks and multiplies them by `scale`.
fn fill_parts<R: Real>(
    parts: Vec<Bound>,
    lines: Lines,
    scale: f64,
    max_step: f64,
) -> SampleFill<R> {
    let accuracy = accuracy(scale, max_step);
    Arc::new(move |first, sampling, out: &mut [R]| {
        let size = out.len() / parts.len();
        let edge = edge_of(size);
        let axes = lines.of_block(first, 0);
        let mut change = 0.0f64;
        for (part, out) in parts.iter().zip(out.chunks_exact_mut(size)) {
            match part {
                Bound::Lattice(lattice) => {
                    let axes = axes.each_ref().map(|axis| &axis[..edge]);
                    change = change.max(lattice.sample_into(axes, sampling, &accuracy, out));
                    out.iter_mut().for_each(|value| *value *= R::of(scale));
                }
                Bound::Volume(volume) => {
                    for (n, value) in out.iter_mut().enumerate() {
                        let at = [n % edge, n / edge % edge, n / (edge * edge)];
                        let x = std::array::from_fn(|k| axes[k][at[k]]);
                        let found = volume.sample_extended(volume.placement().index(x));
                        *value = R::of(found * scale);
                    }
                }
            }
        }
        change * scale
    })
}
