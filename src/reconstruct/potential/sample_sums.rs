//! Sums over samples and nodes, at one position or for all voxels of a tile.
//!
//! With `d = sqrt(|x - c|^2 + s^2)`, where c is the centroid and m the number of samples in a node:
//!
//! ```text
//! P = sum m d^(1-p)
//! V = sum m d^-p f / sum m d^-p,  f = (c - x) / d      grad P = (p-1) (sum m d^-p) V
//! N = sum m d^-(p+1) (c - x) = grad P / (p-1)
//! B = sum m d^-(p+1)      C = sum m d^-(p+3)
//! ```
//!
//! A node counts as one sample if its edge is below theta times its distance. If all voxels of a
//! tile share a list, the nearest voxel decides. See docs/potential.md, section "The field".

use super::octree::Octree;
use crate::geometry::Vec3;
use crate::levelset::tiled::lanes::{Lanes, Work, widest};

/// The rule for sums over samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule {
    /// A node counts as one sample if its edge divided by its distance is below this value, from 0
    /// to 1.5.
    pub theta: f64,
    /// The exponent p, 2 to 5. Weights are d^-p.
    pub exponent: u32,
    /// The softening s, in voxels of the finest level. In the options of a reconstruction, it is in
    /// voxels of the level.
    pub softening: f64,
}

/// The sums at a position, with lengths in voxels of the finest level.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sums {
    /// The potential P.
    pub potential: f64,
    /// The vector V toward the samples, with a length of at most 1.
    pub pull: [f64; 3],
    /// The gradient of P.
    pub gradient: [f64; 3],
}

/// Computes the sums at a position, given in voxels of the finest level, over the nodes of all
/// levels up to `level`.
pub fn at(tree: &Octree, rule: &Rule, level: u32, x: [f64; 3]) -> Sums {
    let (x, p) = (Vec3::from(x), f64::from(rule.exponent));
    let depth = tree.frame().depth;
    let offset = |center: [f32; 3]| Vec3::from(center.map(f64::from)) - x;
    let (mut potential, mut weights, mut pull) = (0.0, 0.0, Vec3::zeros());
    let is_near = |edge: f64, distance: f64| edge >= rule.theta * distance;
    tree.visit(
        level,
        |node| {
            let edge = f64::from(1_u32 << (depth - node.level));
            is_near(edge, offset(node.center).norm())
        },
        |node| {
            let (offset, count) = (offset(node.center), f64::from(node.count));
            let d = (offset.norm_squared() + rule.softening * rule.softening).sqrt();
            potential += count * d.powf(1.0 - p);
            weights += count * d.powf(-p);
            pull += offset * (count * d.powf(-p - 1.0));
        },
    );
    let gradient = pull * (p - 1.0);
    Sums { potential, pull: (pull / weights).into(), gradient: gradient.into() }
}

/// The nodes that act on the voxels of a tile: their positions relative to its center, in voxels,
/// and their sample counts.
#[derive(Debug, Default)]
pub(super) struct Sources {
    /// x, y, z and the sample count.
    nodes: Vec<[f32; 4]>,
}

impl Sources {
    /// Collects the nodes for all positions within `radius` of `middle`, in voxels of a level.
    pub fn gather(&mut self, tree: &Octree, theta: f64, level: u32, middle: [f32; 3], radius: f32) {
        let scale = (1.0 / tree.frame().edge(level)) as f32;
        let theta = theta as f32;
        self.nodes.clear();
        let offset = |center: [f32; 3]| {
            let at = |k: usize| center[k] * scale - middle[k];
            [at(0), at(1), at(2)]
        };
        tree.visit(
            level,
            |node| {
                let [x, y, z] = offset(node.center);
                let edge = (1_u32 << (level - node.level)) as f32;
                // This is edge >= theta (distance - radius), without a square root.
                let far = edge + theta * radius;
                theta * theta * (x * x + y * y + z * z) <= far * far
            },
            |node| {
                let [x, y, z] = offset(node.center);
                self.nodes.push([x, y, z, node.count]);
            },
        );
    }

    /// Computes N, B and C at positions relative to the center of the tile. The number of positions
    /// must be a multiple of 16. `softening` is in voxels.
    pub fn sum(&self, exponent: u32, softening: f32, at: &[Vec<f32>; 3], out: &mut Totals) {
        let square = softening * softening;
        out.resize(at[0].len());
        match exponent {
            2 => widest(Sum::<0, true> { sources: self, square, at, out }),
            3 => widest(Sum::<1, false> { sources: self, square, at, out }),
            4 => widest(Sum::<1, true> { sources: self, square, at, out }),
            _ => widest(Sum::<2, false> { sources: self, square, at, out }),
        }
    }
}

/// Sums for each voxel of a tile.
#[derive(Debug, Default)]
pub(super) struct Totals {
    /// The vector N, component by component.
    pub pull: [Vec<f32>; 3],
    /// The sum B.
    pub weight: Vec<f32>,
    /// The sum C.
    pub near: Vec<f32>,
}

impl Totals {
    fn resize(&mut self, n: usize) {
        let all = self.pull.iter_mut().chain([&mut self.weight, &mut self.near]);
        all.for_each(|values| values.resize(n, 0.0));
    }
}

/// The computation of the sums with the weights `d^-(2 SQUARES + 2)`, divided by another d if ODD.
struct Sum<'a, const SQUARES: usize, const ODD: bool> {
    sources: &'a Sources,
    square: f32,
    at: &'a [Vec<f32>; 3],
    out: &'a mut Totals,
}

impl<const SQUARES: usize, const ODD: bool> Work<f32> for Sum<'_, SQUARES, ODD> {
    #[inline(always)]
    fn run<V: Lanes<Scalar = f32>>(self) {
        let (square, one) = (V::splat(self.square), V::constant(1.0));
        for start in (0..self.at[0].len()).step_by(V::LANES) {
            let at = |k: usize| V::load(&self.at[k], start, V::LANES / 2);
            let [x, y, z] = [at(0), at(1), at(2)];
            let zero = V::constant(0.0);
            let [mut nx, mut ny, mut nz, mut weight, mut near] = [zero; 5];
            for &[node_x, node_y, node_z, count] in &self.sources.nodes {
                let (dx, dy, dz) =
                    (V::splat(node_x) - x, V::splat(node_y) - y, V::splat(node_z) - z);
                let inverse = one / ((dx * dx + dy * dy) + (dz * dz + square));
                let mut w = V::splat(count) * inverse;
                for _ in 0..SQUARES {
                    w = w * inverse;
                }
                if ODD {
                    w = w * inverse.sqrt();
                }
                nx = nx + w * dx;
                ny = ny + w * dy;
                nz = nz + w * dz;
                weight = weight + w;
                near = near + w * inverse;
            }
            let Totals { pull, weight: weights, near: nears } = &mut *self.out;
            nx.store(&mut pull[0], start);
            ny.store(&mut pull[1], start);
            nz.store(&mut pull[2], start);
            weight.store(weights, start);
            near.store(nears, start);
        }
    }
}

#[cfg(test)]
mod tests;
