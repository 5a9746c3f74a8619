//! Tests the values that the kernel computes from volumes and stores for new tiles. The
//! coefficients defined here also serve other tests.

use std::sync::{Arc, LazyLock};

use zeroset::expression::{Accuracy, Lattice, Sampling};
use zeroset::gpu::volume::VolumeArgument;
use zeroset::grid::{Band, Pool};
use zeroset::levelset::tiled::cuda::{ComponentArgument, ComponentsArgument, StationaryArgument};
use zeroset::levelset::tiled::{Fill, SampleFill};
use zeroset::volume::{Placement, Samples, Scaling, Volume};

use super::grid::{HostTiles, launch, tiles};
use crate::library::{Library, arg};

/// The world position of voxel (0, 0, 0), and the edge length of a voxel.
pub const ORIGIN: [f64; 3] = [0.3, -0.2, 0.1];
pub const DX: f64 = 0.37;

/// The component of the velocity that is not a volume. It is a number if the values are stored, and
/// an expression otherwise.
const NUMBER: f64 = -0.13;
pub const EXPRESSION: &str = "0.1*y - t";

/// Volumes for two components of a velocity, a normal speed and a curvature coefficient. There are
/// tilted, anisotropic and flat placements, scaled and unscaled values, integers and floating-point
/// numbers. The volumes are smaller than the tiles.
static VOLUMES: LazyLock<[Volume; 4]> = LazyLock::new(|| {
    let noise = |n: usize| ((n * 7919 + 13) % 1009) as f64 / 1009.0;
    let identity = Placement::identity;
    let (c, s) = (0.8, 0.6);
    let tilted = [[0.9 * c, 0.9 * s, 0.0], [-0.7 * s, 0.7 * c, 0.1], [0.0, 0.05, 1.3]];
    let smooth: Vec<i16> = (0..9 * 8 * 5).map(|n| (900.0 * noise(n)) as i16 - 300).collect();
    let u = Volume::new([9, 8, 5], smooth.into(), identity()).unwrap();
    let u = u.placed([-3.1, -2.9, -3.0], tilted).unwrap();
    let u = u.with_scaling(Scaling { slope: 3.1e-4, intercept: 0.02 }).unwrap();
    let plain: Vec<f64> = (0..7 * 6).map(|n| 0.2 * noise(n) - 0.15).collect();
    let w = Volume::new([7, 6, 1], plain.into(), identity()).unwrap();
    let w = w.placed([-3.0, 2.5, 0.0], [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 2.0]]);
    let single: Vec<f32> = (0..6 * 6 * 6).map(|n| 0.3 * noise(n) as f32 - 0.2).collect();
    let f = Volume::new([6, 6, 6], Samples::from(single), identity()).unwrap();
    let f = f.placed([-3.0; 3], [[1.1, 0.0, 0.0], [0.0, 1.1, 0.0], [0.0, 0.0, 1.1]]);
    let bytes: Vec<u8> = (0..4 * 4 * 4).map(|n| (255.0 * noise(n)) as u8).collect();
    let alpha = Volume::new([4, 4, 4], bytes.into(), identity()).unwrap();
    let alpha = alpha.placed([-2.0; 3], [[1.4, 0.0, 0.0], [0.0, 1.4, 0.0], [0.0, 0.0, 1.4]]);
    let alpha = alpha.unwrap().with_scaling(Scaling { slope: 2e-4, intercept: 0.0 });
    [u, w.unwrap(), f.unwrap(), alpha.unwrap()]
});

/// Returns the factors from world units to voxels for a velocity, a normal speed and a curvature
/// coefficient.
fn scales() -> [f64; 3] {
    let per = 1.0 / DX;
    [per, per, per * per]
}

/// A component of a coefficient.
#[derive(Clone, Copy)]
enum Part {
    Volume(usize),
    Number,
    Expression,
}

impl Part {
    /// Computes the values on a block with these coordinates along its axes. Returns the largest
    /// product of change and duration, as `Lattice::sample_into` does.
    fn sample(self, axes: &[Vec<f64>; 3], sampling: Sampling, scale: f64, out: &mut [f64]) -> f64 {
        let edge = axes[0].len();
        let mut change = 0.0;
        match self {
            Part::Volume(n) => {
                let volume = &VOLUMES[n];
                for (n, out) in out.iter_mut().enumerate() {
                    let at = [n % edge, n / edge % edge, n / (edge * edge)];
                    let x = [0, 1, 2].map(|k| axes[k][at[k]]);
                    *out = volume.sample_extended(volume.placement().index(x));
                }
            }
            Part::Number => out.fill(NUMBER),
            Part::Expression => {
                let lattice = Lattice::bind(&[EXPRESSION.parse().unwrap()]).unwrap();
                let accuracy = Accuracy { slack: Accuracy::SLACK / scale, max_step: f64::INFINITY };
                change =
                    lattice.sample_into(axes.each_ref().map(|x| &x[..]), sampling, &accuracy, out);
            }
        }
        out.iter_mut().for_each(|value| *value *= scale);
        change * scale
    }

    fn argument(self, scale: f64) -> ComponentArgument {
        match self {
            Part::Volume(n) => {
                let volume = VolumeArgument::on_host(&VOLUMES[n]);
                ComponentArgument { volume, scale, number: 0.0 }
            }
            Part::Number | Part::Expression => {
                ComponentArgument { number: NUMBER * scale, ..ComponentArgument::default() }
            }
        }
    }
}

fn fill(parts: Vec<Part>, scale: f64) -> SampleFill<f64> {
    Arc::new(move |first, sampling, out: &mut [f64]| {
        let size = out.len() / parts.len();
        let edge = if size == 64 { 4 } else { 8 };
        let axis = |k: usize| (0..edge).map(|n| ORIGIN[k] + DX * f64::from(first[k] + n)).collect();
        let axes: [Vec<f64>; 3] = [axis(0), axis(1), axis(2)];
        let parts = parts.iter().zip(out.chunks_exact_mut(size));
        parts.map(|(part, out)| part.sample(&axes, sampling, scale, out)).fold(0.0, f64::max)
    })
}

/// Returns a function that gives the values of `fill` at one point in time.
fn at_rest(fill: SampleFill<f64>) -> Fill<f64> {
    Arc::new(move |first, t, out: &mut [f64]| {
        fill(first, Sampling::At(t), out);
    })
}

/// Velocity, normal speed and curvature given by volumes.
pub struct ByVolumes {
    /// Whether the velocity, the normal speed and the curvature are stored with the tiles.
    pub is_kept: [bool; 3],
}

/// The stored values of a coefficient.
pub struct StationaryValues {
    values: Vec<i16>,
    extremes: Vec<[f64; 3]>,
}

impl StationaryValues {
    pub fn argument(&mut self) -> StationaryArgument {
        let values = self.values.as_mut_ptr() as u64;
        StationaryArgument { values, extremes: self.extremes.as_mut_ptr() as u64 }
    }
}

impl ByVolumes {
    fn parts(&self, which: usize) -> Vec<Part> {
        match which {
            0 if self.is_kept[0] => vec![Part::Volume(0), Part::Number, Part::Volume(1)],
            0 => vec![Part::Volume(0), Part::Expression, Part::Volume(1)],
            _ => vec![Part::Volume(which + 1)],
        }
    }

    /// Returns the velocity. One of its components is an expression, unless the velocity is stored
    /// with the tiles.
    pub fn varying_velocity(&self) -> SampleFill<f64> {
        fill(self.parts(0), scales()[0])
    }

    /// Returns the velocity that is stored with the tiles.
    pub fn velocity(&self) -> Fill<f64> {
        at_rest(self.varying_velocity())
    }

    /// Returns the normal speed (`which` = 1) or the curvature coefficient (`which` = 2).
    pub fn number(&self, which: usize) -> Fill<f64> {
        at_rest(fill(self.parts(which), scales()[which]))
    }

    /// Returns the descriptions of all components, in the form that kernels take.
    pub fn table(&self) -> [Vec<ComponentArgument>; 3] {
        [0, 1, 2].map(|which| {
            self.parts(which).into_iter().map(|part| part.argument(scales()[which])).collect()
        })
    }

    pub fn room<const E: usize>(&self, capacity: usize) -> [StationaryValues; 3] {
        [0, 1, 2].map(|which| {
            let tiles = if self.is_kept[which] { capacity } else { 0 };
            let values = vec![i16::MIN; tiles * self.parts(which).len() * E * E * E];
            StationaryValues { values, extremes: vec![[f64::NAN; 3]; tiles] }
        })
    }

    /// Computes the stored values, for new tiles or for all tiles.
    pub fn keep<const E: usize>(
        &self,
        on: &mut HostTiles,
        table: &[Vec<ComponentArgument>; 3],
        kept: [StationaryArgument; 3],
        seed: u64,
        of_all: bool,
    ) {
        static LIBRARIES: LazyLock<[Library; 2]> = LazyLock::new(|| {
            ["TILE_EDGE=4", "TILE_EDGE=8"].map(|edge| {
                let defines = ["REAL=double", edge];
                Library::compile("kernels/tiles/volumes.cu", &defines, &["tiles_volumes"])
            })
        });
        for which in (0..3).filter(|which| self.is_kept[*which]) {
            let (of, n) = (table[which].as_ptr() as u64, table[which].len() as u32);
            let all = ComponentsArgument { of, origin: ORIGIN, dx: DX, n, padding: 0 };
            let args = [arg(on.argument()), arg(kept[which]), arg(all), arg(u32::from(of_all))];
            launch(&LIBRARIES[E / 8], "tiles_volumes", (3, 64), seed, &args);
        }
    }
}

/// Every value is restored within half a quantization step, and the extremes of a tile are exact.
#[test]
fn what_is_kept_is_what_a_volume_has() {
    keeps::<4>();
    keeps::<8>();
}

fn keeps<const E: usize>() {
    let ball = |x: [f64; 3]| x.iter().map(|x| x * x).sum::<f64>().sqrt() - 9.3;
    let band = Band { gamma: 1.5, reach: 1 };
    let (grid, _) = tiles::<E, f64>(24 / E as i32, band, ball);
    let by = ByVolumes { is_kept: [true; 3] };
    let size = Pool::<f64, E>::TILE;
    let (table, mut kept) = (by.table(), by.room::<E>(grid.n_tiles()));
    let of_kept = kept.each_mut().map(StationaryValues::argument);
    let mut on = HostTiles::new(&grid, grid.n_tiles() + 9, 2);
    by.keep::<E>(&mut on, &table, of_kept, 3, true);
    for (which, kept) in kept.iter().enumerate() {
        let fill = if which == 0 { by.velocity() } else { by.number(which) };
        let n = table[which].len();
        let mut expected = vec![0.0; n * size];
        for (key, &id) in grid.keys().iter().zip(grid.ids()) {
            fill(key.first_voxel(E), 0.0, &mut expected);
            let [unit, most, least] = kept.extremes[id as usize];
            let largest = expected.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
            assert_eq!(unit.to_bits(), (largest / 32767.0).to_bits());
            let sum = |v: usize| expected[v..].iter().step_by(size).map(|x| x.abs()).sum();
            assert_eq!(most, (0..size).map(sum).fold(0.0, f64::max));
            assert_eq!(least, expected.iter().fold(0.0, |a: f64, b| a.min(*b)));
            let values = &kept.values[id as usize * n * size..][..n * size];
            for (value, expected) in values.iter().zip(&expected) {
                let apart = (f64::from(*value) * unit - expected).abs();
                assert!(apart <= 0.500001 * unit, "{which}, {key}: {apart} {unit}");
            }
        }
    }
}
