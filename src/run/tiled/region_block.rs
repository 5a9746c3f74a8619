//! Signed distances of a tile to the parts of a combined region.

use super::start::{MOST, near_distances, places};
use crate::run::initial_from_region::Leaf;

/// The voxels of a tile, with one layer around them.
pub(super) struct Block {
    pub axes: [[f64; MOST]; 3],
    pub dx: f64,
    /// Beyond this distance from the interface, in world units, phi is not needed.
    pub far: f64,
}

impl Block {
    /// Writes the signed distances of `E^3` voxels to a part of a region, in world units.
    pub fn fill<const E: usize>(&self, leaf: &Leaf, out: &mut [f64]) {
        let points = || places(&self.axes, 1, E);
        let middle = self.axes.map(|axis| 0.5 * (axis[1] + axis[E]));
        let radius = 0.5 * 3.0_f64.sqrt() * (E - 1) as f64 * self.dx;
        match leaf {
            Leaf::Shape(shape) => {
                out.iter_mut().zip(points()).for_each(|(d, x)| *d = shape.signed_distance(x));
            }
            Leaf::Mesh(surface) => {
                // Between two points, the signed distance changes by at most their distance.
                let distance = surface.signed_distance(middle);
                if surface.surface.is_continuous() && distance.abs() > radius + self.far {
                    out.fill(distance.signum() * f64::INFINITY);
                } else {
                    let points: Vec<[f64; 3]> = points().collect();
                    out.copy_from_slice(&surface.signed_distances(&points));
                }
            }
            Leaf::Volume(level) => {
                let half = 0.5 * (E + 1) as f64 * self.dx + self.far;
                let middle = self.axes.map(|axis| 0.5 * (axis[0] + axis[E + 1]));
                match level.side(middle, [half; 3]) {
                    Some(false) => out.fill(f64::INFINITY),
                    Some(true) => out.fill(f64::NEG_INFINITY),
                    None => self.near::<E>(out, |values| {
                        let all = values.iter_mut().zip(places(&self.axes, 0, E + 2));
                        all.for_each(|(value, x)| *value = level.value(x));
                    }),
                }
                out.iter_mut().zip(points()).for_each(|(d, x)| *d = d.max(level.beyond(x)));
            }
            Leaf::Expression(lattice) => self.near::<E>(out, |values| {
                let axes = self.axes.each_ref().map(|axis| &axis[..E + 2]);
                lattice.evaluate_into(axes, 0.0, values);
            }),
        }
    }

    /// Writes approximate distances from a function that fills the block and the layer around it.
    fn near<const E: usize>(&self, out: &mut [f64], fill: impl FnOnce(&mut [f64])) {
        let mut values = [0.0; MOST * MOST * MOST];
        let values = &mut values[..(E + 2).pow(3)];
        fill(values);
        near_distances::<f64, E>(values, out);
        out.iter_mut().for_each(|d| *d *= self.dx);
    }
}
