//! Tests steps on tiles whose coefficients are given by volumes. The results in f64 are bitwise
//! identical to those computed on the CPU.

use std::fmt::Debug;
use std::sync::Arc;

use zeroset::Cpu;
use zeroset::expression::{Accuracy, Expression, Field, Lattice, Sampling};
use zeroset::geometry::Real;
use zeroset::gpu::Cuda;
use zeroset::gpu::volume::DeviceVolume;
use zeroset::grid::{Fixed16, Stored};
use zeroset::levelset::evolution::StepTarget;
use zeroset::levelset::tiled::cuda::{
    DeviceCoefficient, DevicePart, DeviceTerms, DeviceTiledEvolution,
};
use zeroset::levelset::tiled::{
    Coefficient, Fill, Options, Reinitialize, SampleFill, SavedNumber, Terms, TiledEvolution, What,
    Wide,
};
use zeroset::volume::{Placement, Samples, Scaling, Volume};

use crate::support;
use crate::tiles::{compare_near, small, steps, tiles_of, two};

/// The world position of voxel (0, 0, 0), and the edge length of a voxel.
const ORIGIN: [f64; 3] = [0.3, -0.2, 0.1];
const DX: f64 = 0.37;

/// Returns volumes for two components of a velocity, a normal speed and a curvature coefficient.
/// One volume is rotated, and one is flat. All are smaller than the tiles, and they have four types
/// of samples.
fn volumes() -> [Volume; 4] {
    let noise = |n: usize| ((n * 7919 + 13) % 1009) as f64 / 1009.0;
    let made = |shape: [usize; 3], samples: Samples, steps: [[f64; 3]; 3]| {
        let volume = Volume::new(shape, samples, Placement::identity()).unwrap();
        volume.placed([-7.0, -6.0, -5.5], steps).unwrap()
    };
    let straight = |x: f64, y: f64, z: f64| [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]];
    let turned = [[1.3, 0.9, 0.0], [-0.8, 1.2, 0.1], [0.0, 0.1, 2.3]];
    let short: Vec<i16> = (0..9 * 8 * 6).map(|n| (900.0 * noise(n)) as i16 - 300).collect();
    let double: Vec<f64> = (0..12 * 7).map(|n| 0.2 * noise(n) - 0.15).collect();
    let single: Vec<f32> = (0..12 * 11 * 10).map(|n| 0.2 * noise(n) as f32 - 0.2).collect();
    let bytes: Vec<u8> = (0..6 * 6 * 6).map(|n| (255.0 * noise(n)) as u8).collect();
    let scaled = |volume: Volume, slope, intercept| {
        volume.with_scaling(Scaling { slope, intercept }).unwrap()
    };
    [
        scaled(made([9, 8, 6], short.into(), turned), 3.1e-4, 0.02),
        made([12, 7, 1], double.into(), straight(1.1, 2.0, 1.0)),
        made([12, 11, 10], single.into(), straight(1.2, 1.1, 1.2)),
        scaled(made([6, 6, 6], bytes.into(), straight(2.4, 2.0, 2.2)), 2e-4, 0.0),
    ]
}

/// The form of the velocity component that is not given by a volume.
#[derive(Clone, Copy, PartialEq)]
enum Third {
    Number,
    Expression,
}

const NUMBER: f64 = -0.13;

fn fill<R: Real>(
    parts: Vec<Option<Arc<Volume>>>,
    scale: f64,
    other: impl Fn([f64; 3], f64) -> f64 + Send + Sync + 'static,
) -> Fill<R> {
    Arc::new(move |first, t, out: &mut [R]| {
        let size = out.len() / parts.len();
        let edge = if size == 64 { 4 } else { 8 };
        for (part, out) in parts.iter().zip(out.chunks_exact_mut(size)) {
            for (n, out) in out.iter_mut().enumerate() {
                let at = [n % edge, n / edge % edge, n / (edge * edge)].map(|c| c as i32);
                let x = [0, 1, 2].map(|k| ORIGIN[k] + DX * f64::from(first[k] + at[k]));
                *out = match part {
                    Some(volume) => {
                        let found = volume.sample_extended(volume.placement().index(x));
                        R::of(found * scale)
                    }
                    None => R::of(other(x, t)) * R::of(scale),
                };
            }
        }
    })
}

/// The component of the velocity that is an expression.
const EXPRESSION: &str = "0.1*y - t";

/// Returns a function that gives the values of `values`, and also bounds and means of the velocity.
/// The bounds and means are computed only for its second component, [`EXPRESSION`], because volumes
/// do not change in time.
fn with_bounds<R: Real>(values: Fill<R>, scale: f64) -> SampleFill<R> {
    let lattice = Lattice::bind(&[EXPRESSION.parse().unwrap()]).unwrap();
    let accuracy = Accuracy { slack: Accuracy::SLACK / scale, max_step: f64::INFINITY };
    Arc::new(move |first, sampling, out: &mut [R]| {
        let t = match sampling {
            Sampling::At(t) | Sampling::Mean(_, t) => t,
            Sampling::Bound(span) => span.end,
        };
        values(first, t, out);
        let size = out.len() / 3;
        let edge = if size == 64 { 4 } else { 8 };
        let axis = |k: usize| (0..edge).map(|n| ORIGIN[k] + DX * f64::from(first[k] + n)).collect();
        let axes: [Vec<f64>; 3] = [axis(0), axis(1), axis(2)];
        let out = &mut out[size..2 * size];
        let change = lattice.sample_into(axes.each_ref().map(|x| &x[..]), sampling, &accuracy, out);
        out.iter_mut().for_each(|value| *value *= R::of(scale));
        change * scale
    })
}

/// Returns the same terms for the CPU and for a GPU.
fn terms<R: Real>(cuda: &Cuda, third: Third) -> (Terms<R>, DeviceTerms) {
    let volumes = volumes().map(Arc::new);
    let [u, w, f, alpha] = volumes.each_ref().map(|volume| {
        let device = Arc::new(DeviceVolume::new(cuda, volume).unwrap());
        (volume.clone(), DevicePart::Volume(device))
    });
    let per = 1.0 / DX;
    let (part, other): (_, fn([f64; 3], f64) -> f64) = match third {
        Third::Number => (DevicePart::Number(NUMBER), |_, _| NUMBER),
        Third::Expression => {
            let expression: Expression = EXPRESSION.parse().unwrap();
            let field = Field::bind(&expression, |name| panic!("{name}")).unwrap();
            (DevicePart::Field(field), |[_, y, _], t| 0.1 * y - t)
        }
    };
    let velocity = fill(vec![Some(u.0), None, Some(w.0)], per, other);
    let velocity = match third {
        Third::Number => Coefficient::Stationary(velocity),
        Third::Expression => Coefficient::Sampled(with_bounds(velocity, per)),
    };
    let none = |_: [f64; 3], _: f64| 0.0;
    let on_cpu = Terms::default()
        .with_velocity(velocity)
        .with_normal_speed(Coefficient::Stationary(fill(vec![Some(f.0)], per, none)))
        .with_curvature(Coefficient::Stationary(fill(vec![Some(alpha.0)], per * per, none)));
    let on_gpu = DeviceTerms::new(ORIGIN, DX)
        .with_velocity(DeviceCoefficient::Parts(Box::new([u.1, part, w.1])))
        .with_normal_speed(DeviceCoefficient::Parts(Box::new([f.1])))
        .with_curvature(DeviceCoefficient::Parts(Box::new([alpha.1])));
    (on_cpu, on_gpu)
}

/// Compares steps on the GPU with steps on the CPU, with room for `more` additional tiles. Also
/// compares them with an evolution that is saved and resumed halfway.
fn check<R: Wide, const E: usize, S: Stored<R> + SavedNumber + PartialEq + Debug>(
    options: Options,
    third: Third,
    (start, n, more): (fn([f64; 3]) -> f64, u64, usize),
) {
    let Some(cuda) = support::cuda() else { return };
    let (grid, phi) = tiles_of::<R, E, S>(&options, start);
    let (on_cpu, on_gpu) = terms::<R>(&cuda, third);
    let cpu = Arc::new(Cpu::new(2).unwrap());
    let mut expected =
        TiledEvolution::<R, E, S>::new(grid.clone(), phi.clone(), &on_cpu, options, cpu).unwrap();
    for _ in 0..n {
        expected.step(f64::INFINITY).unwrap();
    }
    let room = Some(grid.n_tiles() + more);
    let mut first =
        DeviceTiledEvolution::<R, E, S>::new(&cuda, &grid, &phi, &on_gpu, options, room).unwrap();
    steps(&mut first, n / 2);
    let half = first.snapshot().unwrap();
    steps(&mut first, n);
    let mut again = DeviceTiledEvolution::<R, E, S>::resume(&cuda, half, &on_gpu, options).unwrap();
    steps(&mut again, n);
    assert_eq!(first.time().to_bits(), again.time().to_bits());
    let ((found, values), (twice, same)) = (first.download().unwrap(), again.download().unwrap());
    assert!(twice.keys() == found.keys());
    for (a, b) in found.ids().iter().zip(twice.ids()) {
        assert_eq!(values.tile(*a), same.tile(*b), "tile {a} twice");
    }
    if size_of::<R>() == 4 {
        let apart = (first.time() / expected.time() - 1.0).abs();
        assert!(apart < 1e-4, "{apart}");
        return compare_near(&found, &values, &expected, R::of(options.gamma));
    }
    assert_eq!(first.time().to_bits(), expected.time().to_bits());
    assert!(found.keys() == expected.grid().keys(), "tile sets differ");
    assert!(found.ids() == expected.grid().ids(), "ids differ");
    for &id in found.ids() {
        assert_eq!(values.tile(id), expected.phi().tile(id), "tile {id}");
    }
}

fn first_order() -> Options {
    Options::new(1.5).first_order()
}

fn weno() -> Options {
    Options::new(3.0)
}

#[test]
fn short_volumes() {
    check::<f64, 4, f64>(first_order(), Third::Number, (small, 6, 2));
    check::<f64, 8, f64>(weno(), Third::Number, (small, 4, 2));
    check::<f32, 4, f32>(weno(), Third::Number, (small, 4, 2));
}

#[test]
fn short_volumes_beside_expressions() {
    check::<f64, 4, f64>(first_order(), Third::Expression, (small, 4, 2));
    check::<f32, 8, Fixed16>(first_order(), Third::Expression, (small, 4, 2));
}

#[test]
fn volumes_move_tiles_as_on_the_cpu() {
    for third in [Third::Number, Third::Expression] {
        check::<f64, 4, f64>(first_order(), third, (two, 70, 10));
        check::<f64, 8, f64>(weno(), third, (two, 40, 10));
        let every = Reinitialize::Equation { iterations: 1, every: 5 };
        check::<f32, 4, f32>(weno().with_reinitialize(every), third, (two, 40, 10));
        check::<f32, 8, f32>(first_order(), third, (two, 40, 10));
        check::<f32, 4, Fixed16>(first_order(), third, (two, 40, 10));
    }
}

/// Expressions convert lengths to voxels exactly as the CPU does. This includes squared lengths.
#[test]
fn a_curvature_by_expression_on_voxels_of_any_size() {
    let Some(cuda) = support::cuda() else { return };
    let options = first_order();
    let (grid, phi) = tiles_of::<f64, 4, f64>(&options, small);
    let per = 1.0 / DX;
    let alpha = fill(vec![None], per * per, |[x, ..], _| 0.1 + 0.01 * x);
    let on_cpu = Terms::default().with_curvature(Coefficient::Varying(alpha));
    let expression: Expression = "0.1 + 0.01*x".parse().unwrap();
    let field = Field::bind(&expression, |name| panic!("{name}")).unwrap();
    let on_gpu =
        DeviceTerms::new(ORIGIN, DX).with_curvature(DeviceCoefficient::Fields(Box::new([field])));
    let cpu = Arc::new(Cpu::new(2).unwrap());
    let mut expected =
        TiledEvolution::<f64, 4>::new(grid.clone(), phi.clone(), &on_cpu, options, cpu).unwrap();
    let mut run =
        DeviceTiledEvolution::<f64, 4>::new(&cuda, &grid, &phi, &on_gpu, options, None).unwrap();
    for _ in 0..20 {
        expected.step(f64::INFINITY).unwrap();
    }
    steps(&mut run, 20);
    assert_eq!(run.time().to_bits(), expected.time().to_bits());
    let (found, values) = run.download().unwrap();
    for &id in found.ids() {
        assert_eq!(values.tile(id), expected.phi().tile(id), "tile {id}");
    }
}

/// Returns a volume with a single value.
fn constant(cuda: &Cuda, value: f64) -> (Fill<f32>, DevicePart) {
    let of = Volume::new([1, 1, 1], vec![value].into(), Placement::identity()).unwrap();
    let on_gpu = DevicePart::Volume(Arc::new(DeviceVolume::new(cuda, &of).unwrap()));
    (fill(vec![Some(Arc::new(of))], 1.0, |_, _| 0.0), on_gpu)
}

/// An invalid coefficient is reported with its voxel before the first step.
#[test]
fn short_volumes_that_may_not_be() {
    let Some(cuda) = support::cuda() else { return };
    let options = first_order();
    let (grid, phi) = tiles_of::<f32, 4, f32>(&options, small);
    for (value, name, words) in [
        (-0.25, "curvature", "the curvature coefficient is negative"),
        (1e300, "normal_speed", "a coefficient is not finite"),
    ] {
        let (of, part) = constant(&cuda, value);
        let (on_cpu, on_gpu) = (Terms::default(), DeviceTerms::new([0.0; 3], 1.0));
        let on_gpu_part = DeviceCoefficient::Parts(Box::new([part]));
        let (on_cpu, on_gpu) = match name {
            "curvature" => (
                on_cpu.with_curvature(Coefficient::Stationary(of)),
                on_gpu.with_curvature(on_gpu_part),
            ),
            _ => (
                on_cpu.with_normal_speed(Coefficient::Stationary(of)),
                on_gpu.with_normal_speed(on_gpu_part),
            ),
        };
        let mut run =
            DeviceTiledEvolution::<f32, 4>::new(&cuda, &grid, &phi, &on_gpu, options, None)
                .unwrap();
        let until = StepTarget { clock: 0.0, target: 5.0, steady: -1.0, steps: 10 };
        let error = run.advance(&until).unwrap_err();
        assert!(error.exit_code() == 4 && error.to_string().contains(words), "{error}");
        assert_eq!((run.n_steps(), run.time()), (0, 0.0));
        let cpu = Arc::new(Cpu::new(1).unwrap());
        let found = run.breakdown(&on_cpu, cpu, 5.0).unwrap().unwrap();
        assert!(matches!(found.what, What::Coefficient(of, _) if of == name), "{found:?}");
    }
}
