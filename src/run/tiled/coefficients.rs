//! Coefficients of a case on tiles: lengths in voxels, evaluated block by block.

use std::sync::Arc;

use super::Job;
use crate::config::{self, Component, Config, Velocity};
use crate::error::Result;
use crate::expression::{Expression, Lattice};
use crate::geometry::Real;
use crate::levelset::tiled::{Coefficient, Fill, Terms};

/// Most voxels along the edge of a block, with a layer round it.
const MOST: usize = 10;

/// Where voxels lie along the axes of a block.
#[derive(Clone, Copy)]
pub(super) struct Lines {
    pub origin: [f64; 3],
    pub dx: f64,
}

impl Lines {
    /// Coordinates of [`MOST`] voxels, beginning `layers` before `first`.
    pub fn of_block(&self, first: [i32; 3], layers: i32) -> [[f64; MOST]; 3] {
        let voxel = |k: usize, n: usize| f64::from(first[k]) + f64::from(n as i32 - layers);
        let at = |k: usize, n: usize| self.origin[k] + self.dx * voxel(k, n);
        std::array::from_fn(|k| std::array::from_fn(|n| at(k, n)))
    }
}

/// Edge of a block of so many voxels.
fn edge_of(voxels: usize) -> usize {
    if voxels == 64 { 4 } else { 8 }
}

impl Job<'_> {
    /// The coefficients of `[evolve]`.
    ///
    /// # Errors
    /// [`Error::Case`](crate::Error::Case) for an expression with a data array.
    pub(super) fn terms<R: Real>(&self) -> Result<Terms<R>> {
        let Some(evolve) = &self.config.evolve else { return Ok(Terms::default()) };
        let lines = Lines { origin: self.source.origin, dx: self.source.dx };
        let per_voxel = 1.0 / self.source.dx;
        let velocity = match &evolve.velocity {
            None | Some(Velocity::Data(_)) => Coefficient::default(),
            Some(Velocity::Constant(a)) => Coefficient::Uniform(a.map(|a| a * per_voxel)),
            Some(Velocity::Components(components)) => {
                velocity(self.config, components, lines, per_voxel)?
            }
            Some(Velocity::Rotation(turn)) => {
                let length = turn.axis.iter().map(|x| x * x).sum::<f64>().sqrt();
                let rate = 2.0 * std::f64::consts::PI / turn.period;
                let [wx, wy, wz] = turn.axis.map(|x| x / length * rate);
                let center = turn.center;
                Coefficient::of_voxel(move |voxel, _| {
                    let x = |k: usize| lines.origin[k] + lines.dx * f64::from(voxel[k]) - center[k];
                    let [x, y, z] = [x(0), x(1), x(2)];
                    [wy * z - wz * y, wz * x - wx * z, wx * y - wy * x].map(|a| a * per_voxel)
                })
            }
        };
        let number = |key: &str, written: &Option<config::Coefficient>, scale| {
            scalar(self.config, key, written.as_ref(), lines, scale)
        };
        let squared = per_voxel * per_voxel;
        Ok(Terms::default()
            .with_velocity(velocity)
            .with_normal_speed(number("evolve.normal_speed", &evolve.normal_speed, per_voxel)?)
            .with_curvature(number("evolve.curvature", &evolve.curvature, squared)?))
    }
}

fn velocity<R: Real>(
    config: &Config,
    components: &[Component; 3],
    lines: Lines,
    scale: f64,
) -> Result<Coefficient<R, 3>> {
    if let [Some(x), Some(y), Some(z)] = components.each_ref().map(Component::number) {
        return Ok(Coefficient::Uniform([x, y, z].map(|a| a * scale)));
    }
    let expressions: Vec<Expression> = components
        .iter()
        .map(|component| match component {
            Component::Number(x) => Expression::from(*x),
            Component::Expression(expression) => expression.clone(),
        })
        .collect();
    let lattice = Lattice::bind(&expressions).map_err(config.locate("evolve.velocity"))?;
    Ok(Coefficient::Varying(fill(lattice, lines, scale)))
}

fn scalar<R: Real>(
    config: &Config,
    key: &str,
    written: Option<&config::Coefficient>,
    lines: Lines,
    scale: f64,
) -> Result<Coefficient<R, 1>> {
    let expression = match written {
        None | Some(config::Coefficient::Data { .. }) => return Ok(Coefficient::default()),
        Some(config::Coefficient::Number(x)) => return Ok(Coefficient::Uniform([x * scale])),
        Some(config::Coefficient::Expression(expression)) => expression,
    };
    if let Some(x) = expression.constant() {
        return Ok(Coefficient::Uniform([x * scale]));
    }
    let lattice = Lattice::bind(std::slice::from_ref(expression)).map_err(config.locate(key))?;
    Ok(Coefficient::Varying(fill(lattice, lines, scale)))
}

/// Values of expressions on blocks, times `scale`.
fn fill<R: Real>(lattice: Lattice, lines: Lines, scale: f64) -> Fill<R> {
    let components = lattice.components();
    let scale = R::narrow(scale);
    Arc::new(move |first, t, out: &mut [R]| {
        let edge = edge_of(out.len() / components);
        let axes = lines.of_block(first, 0);
        lattice.evaluate_into(axes.each_ref().map(|axis| &axis[..edge]), t, out);
        out.iter_mut().for_each(|value| *value *= scale);
    })
}
