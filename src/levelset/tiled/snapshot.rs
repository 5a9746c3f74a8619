//! Saving and restoring the state of a motion on tiles.

use std::sync::Arc;

use super::TiledEvolution;
use super::lanes::Wide;
use super::motion::Seconds;
use super::options::Options;
use super::terms::Terms;
use crate::Cpu;
use crate::error::{DeviceFault, Error, Result};
use crate::geometry::Real;
use crate::gpu::Element;
use crate::grid::{Fixed16, Parts, Pool, REMEDY, Stored, TiledGrid};
use crate::primitives::memory;

/// The complete state of a run on tiles. Times are in the unit of the case.
#[derive(Clone, Debug, PartialEq)]
pub struct TiledSnapshot {
    /// The number of voxels along the edge of a tile.
    pub edge: u32,
    /// The tile set, in list order.
    pub tiles: Parts,
    /// The values of the tiles in list order, `[tiles * edge^3]`, x fastest within a tile.
    pub phi: Phi,
    /// The time reached.
    pub time: f64,
    /// The number of steps done.
    pub steps: u64,
    /// The time spent so far on each kind of work, in seconds.
    pub seconds: Seconds,
}

/// Values of phi in voxels, in their storage format.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Phi {
    /// 16-bit fixed-point numbers; see [`Fixed16::bits`].
    Fixed16(Vec<i16>),
    /// 32-bit numbers.
    F32(Vec<f32>),
    /// 64-bit numbers.
    F64(Vec<f64>),
}

impl Phi {
    /// Returns the name of the number type.
    fn name(&self) -> &'static str {
        match self {
            Phi::Fixed16(_) => Fixed16::KIND,
            Phi::F32(_) => f32::KIND,
            Phi::F64(_) => f64::KIND,
        }
    }
}

/// A number type that a snapshot can hold.
pub trait SavedNumber: Copy + Element {
    /// The name of the type, such as "16-bit numbers".
    const KIND: &'static str;
    /// Converts values to the snapshot format.
    fn put(values: impl Iterator<Item = Self>) -> Phi;
    /// Converts values back. Returns `None` if they have a different type.
    fn take(phi: Phi) -> Option<Vec<Self>>;
}

macro_rules! kept {
    ($type:ty, $name:literal, $kind:ident, $put:expr, $take:expr) => {
        impl SavedNumber for $type {
            const KIND: &'static str = $name;
            fn put(values: impl Iterator<Item = Self>) -> Phi {
                Phi::$kind(values.map($put).collect())
            }
            fn take(phi: Phi) -> Option<Vec<Self>> {
                match phi {
                    Phi::$kind(values) => Some(values.into_iter().map($take).collect()),
                    _ => None,
                }
            }
        }
    };
}

kept!(Fixed16, "16-bit numbers", Fixed16, Fixed16::bits, Fixed16::from_bits);
kept!(f32, "32-bit numbers", F32, |v| v, |v| v);
kept!(f64, "64-bit numbers", F64, |v| v, |v| v);

impl TiledSnapshot {
    /// Creates a snapshot of tiles and their values.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if there is no memory for the copy.
    pub(super) fn of<R: Real, S: Stored<R> + SavedNumber, const E: usize>(
        grid: &TiledGrid<E>,
        phi: &Pool<S, E>,
        (time, steps): (f64, u64),
        seconds: Seconds,
    ) -> Result<Self> {
        // Exactly the memory needed is reserved, because the last state is saved in this way when
        // memory runs out.
        let (mut values, n) = (Vec::new(), grid.n_tiles() * Pool::<S, E>::TILE);
        if !memory::try_reserve(&mut values, n) {
            let what = format!("there is no memory for a copy of {n} values of tiles");
            return Err(Error::device_fault(
                DeviceFault::Memory { needed: None, free: None },
                what,
                REMEDY,
            ));
        }
        grid.ids().iter().for_each(|&id| values.extend_from_slice(phi.tile(id)));
        let (edge, tiles, phi) = (E as u32, grid.parts(), S::put(values.into_iter()));
        Ok(TiledSnapshot { edge, tiles, phi, time, steps, seconds })
    }

    /// Returns the tiles and their values, for a band of half width `gamma`.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if the snapshot has a different number type or tile edge, if its
    /// tiles are inconsistent, or if phi is not finite.
    pub(super) fn restore<R: Real, S: Stored<R> + SavedNumber, const E: usize>(
        self,
        gamma: f64,
    ) -> Result<(TiledGrid<E>, Pool<S, E>)> {
        let TiledSnapshot { edge, tiles, phi: values, .. } = self;
        let unfit = |what: String| Error::usage(what, "begin the run again with --overwrite");
        let found = values.name();
        let values = S::take(values).filter(|_| edge as usize == E).ok_or_else(|| {
            unfit(format!(
                "the state to resume has tile edge {edge} and {found}, but the run has {E} and {}",
                S::KIND
            ))
        })?;
        let size = Pool::<S, E>::TILE;
        let grid = TiledGrid::<E>::restore(tiles).map_err(|what| {
            unfit(format!("the tiles of the state to resume are damaged: {what}"))
        })?;
        if values.len() != grid.n_tiles() * size {
            let (found, expected) = (values.len(), grid.n_tiles() * size);
            return Err(unfit(format!(
                "the state to resume has {found} values of phi, but its tiles need {expected}"
            )));
        }
        let gamma = R::of(gamma);
        if !values.iter().all(|v| v.load(gamma).to_f64().is_finite()) {
            return Err(unfit("phi of the state to resume is not finite".into()));
        }
        let mut phi = Pool::<S, E>::new();
        phi.grow(grid.n_tiles())?;
        for (id, values) in values.chunks_exact(size).enumerate() {
            phi.tile_mut(id as u32).copy_from_slice(values);
        }
        Ok((grid, phi))
    }
}

impl<R: Wide, const E: usize, S: Stored<R> + SavedNumber> TiledEvolution<R, E, S> {
    /// Returns the state between two steps.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if there is no memory for the copy.
    pub fn snapshot(&self) -> Result<TiledSnapshot> {
        let motion = &self.motion;
        let at = (motion.time, motion.steps);
        TiledSnapshot::of::<R, S, E>(&self.grid, &motion.phi, at, motion.seconds)
    }

    /// Resumes an evolution from a [`TiledSnapshot`]. With the terms and options of the original
    /// evolution, all later steps are bitwise identical to those of an uninterrupted run.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if the snapshot has a different number type or tile edge, if its
    /// tiles are inconsistent, or if phi is not finite. See also [`TiledEvolution::new`].
    pub fn resume(
        snapshot: TiledSnapshot,
        terms: &Terms<R>,
        options: Options,
        cpu: Arc<Cpu>,
    ) -> Result<Self> {
        let TiledSnapshot { time, steps, seconds, .. } = snapshot;
        let (grid, phi) = snapshot.restore::<R, S, E>(options.gamma)?;
        let mut evolution =
            TiledEvolution::new(grid, phi, terms, options, cpu)?.starting_at(time, steps);
        evolution.motion.seconds = seconds;
        Ok(evolution)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Band;
    use crate::levelset::tiled::{Coefficient, Reinitialize};

    #[test]
    fn a_resumed_motion_has_the_same_bits() {
        resumed::<f32>();
        resumed::<Fixed16>();
    }

    fn resumed<S: Stored<f32> + SavedNumber>() {
        let cpu = Arc::new(Cpu::new(2).unwrap());
        let fill = |first: [i32; 3], out: &mut [f32]| {
            for (n, value) in out.iter_mut().enumerate() {
                let at = [n % 4, n / 4 % 4, n / 16];
                let x: [f64; 3] = std::array::from_fn(|k| f64::from(first[k] + at[k] as i32));
                *value = (x.iter().map(|x| x * x).sum::<f64>().sqrt() - 9.3) as f32;
            }
            Ok(())
        };
        let band = Band { gamma: 3.0, reach: 3 };
        let (grid, phi) = TiledGrid::<4>::from_box::<f32, S>([-4; 3], [4; 3], band, fill).unwrap();
        let options =
            Options::new(3.0).with_reinitialize(Reinitialize::Equation { iterations: 1, every: 3 });
        let terms = Terms::default()
            .with_velocity(Coefficient::of_voxel(|v, t| [1.0, 0.1 * f64::from(v[0]), t]))
            .with_curvature(Coefficient::Uniform([0.2]));
        let start = || TiledEvolution::new(grid.clone(), phi.clone(), &terms, options, cpu.clone());
        let mut whole = start().unwrap();
        let mut first = start().unwrap();
        for _ in 0..7 {
            whole.step(f64::INFINITY).unwrap();
            first.step(f64::INFINITY).unwrap();
        }
        let snapshot = first.snapshot().unwrap();
        let mut rest =
            TiledEvolution::<f32, 4, S>::resume(snapshot.clone(), &terms, options, cpu.clone())
                .unwrap();
        assert_eq!(rest.snapshot().unwrap(), snapshot);
        for _ in 0..8 {
            whole.step(f64::INFINITY).unwrap();
            rest.step(f64::INFINITY).unwrap();
        }
        let (a, b) = (whole.snapshot().unwrap(), rest.snapshot().unwrap());
        assert_eq!((&a.tiles, &a.phi, a.time, a.steps), (&b.tiles, &b.phi, b.time, b.steps));
        assert!(
            TiledEvolution::<f32, 8, S>::resume(snapshot.clone(), &terms, options, cpu.clone())
                .is_err()
        );
        assert!(
            TiledEvolution::<f64, 4>::resume(
                snapshot.clone(),
                &Terms::default(),
                options,
                cpu.clone()
            )
            .is_err()
        );
        let mut torn = snapshot;
        torn.tiles.borders[0] ^= 1;
        assert!(TiledEvolution::<f32, 4, S>::resume(torn, &terms, options, cpu).is_err());
    }
}
