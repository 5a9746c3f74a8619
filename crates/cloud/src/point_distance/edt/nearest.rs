//! The nearest voxel of a distance transform, instead of the distance to it.

use super::pass_state::Pair;
use super::{Edt, Targets};
use zeroset_core::Cpu;
use zeroset_core::error::{Error, Result};
use zeroset_core::parallel::*;

/// The state of a voxel with the steps along all three axes. The last pass keeps the steps instead
/// of replacing them with the distance.
#[derive(Clone, Copy)]
struct Triple {
    pair: u64,
    third: u32,
}

impl Pair for Triple {
    const MOST: usize = <u64 as Pair>::MOST;

    fn new(first: u32, second: u32) -> Self {
        Triple { pair: u64::new(first, second), third: 0 }
    }

    fn none() -> Self {
        Triple { pair: u64::none(), third: 0 }
    }

    fn steps(self) -> Option<(u32, u32)> {
        self.pair.steps()
    }

    fn ended(near: Option<Self>, steps: usize, _: f32) -> Self {
        near.map_or_else(Self::none, |near| Triple { third: steps as u32, ..near })
    }

    fn distance(self) -> f32 {
        self.pair.distance()
    }

    fn on_side(self, inside: bool) -> Self {
        Triple { pair: self.pair.on_side(inside), ..self }
    }

    fn is_inside(self) -> bool {
        self.pair.is_inside()
    }
}

impl Edt {
    /// Returns the index of the nearest voxel that is `inside` for each voxel of `shape`,
    /// `[n_voxels]`, x fastest. A voxel inside is nearest to itself. Among voxels at the same
    /// distance, the choice is fixed.
    ///
    /// # Errors
    /// Returns the errors of [`Edt::transform`]. Returns [`Error::Case`] if no voxel is inside, if
    /// the transform is signed, or if it measures to faces.
    pub fn nearest(&self, cpu: &Cpu, inside: &[bool], shape: [usize; 3]) -> Result<Vec<u64>> {
        self.check(inside.len(), shape)?;
        if self.targets() != Targets::Inside {
            let what = "nearest voxels of a signed transform";
            return Err(Error::usage(what, "ask for the nearest voxels of each side on its own"));
        }
        if !inside.contains(&true) {
            let what = format!("none of the {} voxels is inside", inside.len());
            return Err(Error::usage(what, "there is no nearest voxel: change the selection"));
        }
        Ok(cpu.run(|| {
            let found = self.passes::<Triple>(inside, shape);
            let voxels = found.par_iter().enumerate();
            voxels.map(|(voxel, found)| target(voxel, *found, inside, shape)).collect()
        }))
    }
}

/// Returns the voxel inside that is the given numbers of steps away, in either direction.
fn target(voxel: usize, found: Triple, inside: &[bool], [nx, ny, nz]: [usize; 3]) -> u64 {
    let (a, b) = found.steps().unwrap_or_default();
    let place = |at: usize, steps: u32, n: usize| {
        let steps = steps as usize;
        [at.checked_sub(steps), Some(at + steps).filter(|&to| to < n)]
    };
    let (x, y, z) = (voxel % nx, voxel / nx % ny, voxel / nx / ny);
    for z in place(z, found.third, nz).into_iter().flatten() {
        for y in place(y, b, ny).into_iter().flatten() {
            for x in place(x, a, nx).into_iter().flatten() {
                let to = x + nx * (y + ny * z);
                if inside[to] {
                    return to as u64;
                }
            }
        }
    }
    unreachable!("the passes counted the steps to a voxel inside")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_voxel_is_as_far_as_the_distance_says() {
        let cpu = Cpu::new(2).unwrap();
        let mut state = 7_u64;
        let mut random = |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % n
        };
        for round in 0..40 {
            let shape = [(); 3].map(|()| 1 + random(if round % 2 == 0 { 6 } else { 40 }) as usize);
            let n: usize = shape.iter().product();
            let rarity = 1 + random(60);
            let mut inside: Vec<bool> = (0..n).map(|_| random(rarity) == 0).collect();
            inside[random(n as u64) as usize] = true;
            let edt = Edt::default().spacing([1.0, 0.75, 2.5]);
            let distances = edt.transform(&cpu, &inside, shape).unwrap();
            let nearest = edt.nearest(&cpu, &inside, shape).unwrap();
            let place = |v: usize| [v % shape[0], v / shape[0] % shape[1], v / shape[0] / shape[1]];
            for (v, &to) in nearest.iter().enumerate() {
                assert!(inside[to as usize]);
                let (a, b) = (place(v), place(to as usize));
                let square: f64 =
                    (0..3).map(|k| (a[k].abs_diff(b[k]) as f64 * edt.spacing[k]).powi(2)).sum();
                assert!((square.sqrt() - f64::from(distances[v])).abs() < 1e-5, "{shape:?} {v}");
            }
        }
    }

    #[test]
    fn requests_without_an_answer_are_refused() {
        let cpu = Cpu::new(1).unwrap();
        assert!(Edt::default().nearest(&cpu, &[false; 8], [2; 3]).is_err());
        let signed = Edt::default().signed(true);
        assert!(signed.nearest(&cpu, &[true, false], [2, 1, 1]).is_err());
    }
}
