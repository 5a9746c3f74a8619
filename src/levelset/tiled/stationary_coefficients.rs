//! Storage of coefficients that do not depend on time. They are evaluated once per new block and
//! stored with it.
//!
//! A component is stored in 16 bits, relative to the largest absolute value of a component in its
//! block. The error is at most 1 / 65534 of that value. Source: A. C. Jalba, W. J. van der Laan, J.
//! B. T. M. Roerdink, "Fast sparse level sets on graphics hardware", IEEE TVCG 19 (2013), section
//! 4.1, which stores a potential in this way.

use super::terms::Fill;
use crate::error::Result;
use crate::geometry::Real;
use crate::parallel::*;
use crate::primitives::{DisjointRows, PerThread, memory};

/// The integer that represents the largest absolute value of a component in a block.
const MOST: f64 = i16::MAX as f64;

/// The scale and the extremes of the values of a block; NaN if a value is not finite.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extremes<R> {
    /// The quantization step of the 16-bit numbers.
    unit: R,
    /// The largest sum of the absolute values of all components at a voxel.
    pub most: R,
    /// The smallest component at any voxel, or 0 if none is negative.
    pub least: R,
}

/// The values of a coefficient by block id.
pub(super) struct StationaryValues<R> {
    fill: Fill<R>,
    /// The number of voxels in a block.
    size: usize,
    components: usize,
    values: Vec<i16>,
    extremes: Vec<Extremes<R>>,
}

impl<R: Real> StationaryValues<R> {
    pub fn new(fill: Fill<R>, size: usize, components: usize) -> Self {
        StationaryValues { fill, size, components, values: Vec::new(), extremes: Vec::new() }
    }

    /// Makes room for the ids below `blocks`.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if there is not enough memory.
    pub fn grow(&mut self, blocks: usize) -> Result<()> {
        let more = blocks.saturating_sub(self.extremes.len());
        let remedy = "use a larger dx or more memory";
        let values = more * self.size * self.components;
        memory::reserve(&mut self.values, values, "coefficients of tiles", remedy)?;
        memory::reserve(&mut self.extremes, more, "coefficients of tiles", remedy)?;
        self.values.resize(self.values.len() + values, 0);
        self.extremes.resize(self.extremes.len() + more, Extremes::default());
        Ok(())
    }

    /// Evaluates the coefficient on blocks, given by id and first voxel, and stores the values. No
    /// id may occur twice.
    pub fn evaluate(&mut self, blocks: &[(u32, [i32; 3])]) {
        let StationaryValues { fill, size, components, values, extremes } = self;
        let (size, length) = (*size, *size * *components);
        let (rows, all) = (DisjointRows::new(values), DisjointRows::new(extremes));
        let scratch = PerThread::<Vec<R>>::default();
        blocks.par_iter().with_min_len(8).for_each(|&(id, first)| {
            let block = &mut *scratch.get();
            block.resize(length, R::zero());
            fill(first, 0.0, block);
            let id = id as usize;
            // SAFETY: no id occurs twice, so different tasks write to different ranges.
            let (values, extremes) =
                unsafe { (rows.range(id * length..(id + 1) * length), all.range(id..id + 1)) };
            extremes[0] = pack(block, size, values);
        });
    }

    /// Loads the values of a block into `out`.
    pub fn load(&self, id: u32, out: &mut [R]) {
        let (id, length) = (id as usize, self.size * self.components);
        let unit = self.extremes[id].unit;
        let values = &self.values[id * length..(id + 1) * length];
        for (out, value) in out[..length].iter_mut().zip(values) {
            *out = R::of(f64::from(*value)) * unit;
        }
    }

    /// Returns the extremes of the values of a block.
    pub fn extremes(&self, id: u32) -> Extremes<R> {
        self.extremes[id as usize]
    }

    /// Returns the number of bytes held.
    pub fn bytes(&self) -> u64 {
        let extremes = self.extremes.capacity() * size_of::<Extremes<R>>();
        (self.values.capacity() * 2 + extremes) as u64
    }
}

/// Writes the values of a block to `out` as 16-bit numbers. Returns their scale and extremes.
fn pack<R: Real>(block: &[R], size: usize, out: &mut [i16]) -> Extremes<R> {
    let (mut largest, mut least, mut most) = (R::zero(), R::zero(), R::zero());
    let mut wrong = R::zero();
    for value in block {
        largest = if value.abs() > largest { value.abs() } else { largest };
        least = if *value < least { *value } else { least };
        wrong += *value * R::zero();
    }
    for n in 0..size {
        let sum = block[n..].iter().step_by(size).fold(R::zero(), |sum, v| sum + v.abs());
        most = if sum > most { sum } else { most };
    }
    let up = if largest > R::zero() { R::of(MOST) / largest } else { R::zero() };
    for (out, value) in out.iter_mut().zip(block) {
        let scaled = (*value * up).to_f64();
        *out = (scaled + 0.5f64.copysign(scaled)) as i16;
    }
    Extremes { unit: largest / R::of(MOST) + wrong, most: most + wrong, least: least + wrong }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn values_come_back_within_a_step_and_what_is_no_number_is_seen() {
        let fill: Fill<f32> = Arc::new(|first, _, out| {
            for (n, out) in out.iter_mut().enumerate() {
                *out = first[0] as f32 * ((n * 37 % 101) as f32 - 50.0);
            }
        });
        let mut kept = StationaryValues::new(fill, 64, 3);
        kept.grow(5).unwrap();
        kept.evaluate(&[(3, [1, 0, 0]), (0, [-2, 0, 0]), (1, [0; 3])]);
        let mut out = vec![9.0; 192];
        for (id, factor) in [(3, 1.0f32), (0, -2.0), (1, 0.0)] {
            kept.load(id, &mut out);
            let mut most = 0.0f32;
            for (n, out) in out.iter().enumerate() {
                let expected = factor * ((n * 37 % 101) as f32 - 50.0);
                assert!((out - expected).abs() <= 50.0 * factor.abs() / 65000.0);
                most = most.max(expected.abs());
            }
            let extremes = kept.extremes(id);
            assert!(extremes.most >= most && extremes.most <= 3.0 * most);
            assert_eq!(extremes.least, -50.0 * factor.abs());
        }
        let fill: Fill<f64> = Arc::new(|_, _, out| out[7] = f64::NAN);
        let mut kept = StationaryValues::new(fill, 64, 1);
        kept.grow(1).unwrap();
        kept.evaluate(&[(0, [0; 3])]);
        assert!(kept.extremes(0).most.is_nan());
    }

    #[test]
    fn tiles_that_come_are_evaluated_and_move_as_if_they_were_each_time() {
        use crate::Cpu;
        use crate::grid::{Band, TiledGrid};
        use crate::levelset::tiled::{Coefficient, Options, Terms, TiledEvolution};
        // A ball moves for 9 units of time, mostly along x. The components of the velocity add up
        // to 1.
        let band = Band { gamma: 1.5f32, reach: 1 };
        let place = |first: [i32; 3], n: usize| {
            let at = [n % 4, n / 4 % 4, n / 16];
            std::array::from_fn::<f64, 3, _>(|k| f64::from(first[k] + at[k] as i32))
        };
        let ball = |first: [i32; 3], out: &mut [f32]| {
            for (n, out) in out.iter_mut().enumerate() {
                let x = place(first, n);
                *out = (x.iter().map(|c| c * c).sum::<f64>().sqrt() - 7.3) as f32;
            }
            Ok(())
        };
        let flow: Fill<f32> = Arc::new(move |first, _, out| {
            for n in 0..64 {
                let side = 0.2 + 0.1 * (place(first, n)[0] / 20.0).sin() as f32;
                (out[n], out[64 + n], out[128 + n]) = (1.0 - side, side, 0.0);
            }
        });
        let run = |velocity| {
            let (grid, phi) =
                TiledGrid::<4>::from_box::<f32, f32>([-4; 3], [4; 3], band, ball).unwrap();
            let terms = Terms::default()
                .with_velocity(velocity)
                .with_curvature(Coefficient::Uniform([0.01]));
            let options = Options::new(1.5).first_order().with_nu(0.8);
            let cpu = Arc::new(Cpu::new(2).unwrap());
            let mut motion =
                TiledEvolution::<f32, 4>::new(grid, phi, &terms, options, cpu).unwrap();
            while motion.time() < 9.0 {
                motion.step(9.0 - motion.time()).unwrap();
            }
            (motion.steps(), motion.bytes(), motion.into_parts())
        };
        let (steps, bytes, (grid, phi)) = run(Coefficient::Varying(flow.clone()));
        let (same, more, (kept_grid, kept)) = run(Coefficient::Stationary(flow));
        assert!(steps == same && more > bytes + grid.n_tiles() as u64 * 6 * 64);
        assert!(grid.keys() == kept_grid.keys());
        for (a, b) in grid.ids().iter().zip(kept_grid.ids()) {
            for (a, b) in phi.tile(*a).iter().zip(kept.tile(*b)) {
                assert!((a - b).abs() < 1e-3, "{a} {b}");
            }
        }
    }
}
