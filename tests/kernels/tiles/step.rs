//! Tests steps on tiles with random orders of threads. Tile sets and values, in f64 and in 16 bits,
//! are bitwise identical to those computed on the CPU.

use std::sync::Arc;

use zeroset::Cpu;
use zeroset::expression::{Accuracy, Expression, Field, Generated, Lattice};
use zeroset::grid::cuda::Halt;
use zeroset::grid::{Band, Fixed16, Pool, Stored};
use zeroset::levelset::tiled::cuda::{MotionArgument, StageArgument};
use zeroset::levelset::tiled::{
    Coefficient, Options, Reinitialize, Scheme, Terms, TiledEvolution, Time,
};

use super::grid::{HostTiles, launch, look_up, tiles};
use super::volumes::{self, ByVolumes};
use crate::library::{Library, arg};

const BLOCKS: u32 = 3;
const CAPACITY: usize = 1200;
const VELOCITY: [f64; 3] = [0.7, -0.4, 0.2];
const NORMAL_SPEED: f64 = -0.3;
const CURVATURE: f64 = 0.4;
const RESCALING: f64 = 0.2;

/// Flags of the active terms: velocity, normal speed, curvature, rescaling.
type Acting = [bool; 4];

struct Case {
    scheme: Scheme,
    time: Time,
    acting: Acting,
    reinitialize: Reinitialize,
    gamma: f64,
    by: By,
}

/// The form of the coefficients.
#[derive(Clone, Copy, PartialEq)]
enum By {
    Numbers,
    /// The velocity is [`FLOW`].
    Flow,
    /// All coefficients are volumes, except for one component of the velocity, which is a number.
    Volumes,
    /// All coefficients are volumes, except for one component of the velocity, which is an
    /// expression.
    Both,
}

/// A velocity whose speed grows, starting at 0.01.
const FLOW: [&str; 3] = ["0.01 + 8*t", "0.02*x*t", "(0.1*y - t)*t^2"];

/// Returns [`FLOW`] for the CPU.
fn flow() -> Coefficient<f64, 3> {
    let lattice = Lattice::bind(&FLOW.map(|text| text.parse().unwrap())).unwrap();
    let accuracy = Accuracy { slack: Accuracy::SLACK, max_step: f64::INFINITY };
    Coefficient::Sampled(Arc::new(move |first: [i32; 3], sampling, out: &mut [f64]| {
        let edge = if out.len() == 3 * 64 { 4 } else { 8 };
        let axes = first.map(|first| (0..edge).map(|n| f64::from(first + n)).collect::<Vec<_>>());
        lattice.sample_into(axes.each_ref().map(|axis| &axis[..]), sampling, &accuracy, out)
    }))
}

impl Case {
    fn options(&self) -> Options {
        let [.., rescales] = self.acting;
        let factor = RESCALING;
        Options::new(self.gamma).with_scheme(self.scheme).with_time(self.time).with_reinitialize(
            if rescales { Reinitialize::Rescaling { factor } } else { self.reinitialize },
        )
    }

    fn terms(&self) -> Terms<f64> {
        let [moves, grows, bends, _] = self.acting;
        let terms = Terms::default();
        let by_volumes = self.by_volumes();
        let velocity = match self.by {
            By::Numbers => Coefficient::Uniform(VELOCITY),
            By::Flow => flow(),
            By::Volumes => Coefficient::Stationary(by_volumes.velocity()),
            By::Both => Coefficient::Sampled(by_volumes.varying_velocity()),
        };
        let of_numbers = matches!(self.by, By::Numbers | By::Flow);
        let (normal, curved) = match of_numbers {
            true => (Coefficient::Uniform([NORMAL_SPEED]), Coefficient::Uniform([CURVATURE])),
            false => {
                let number = |which| Coefficient::Stationary(by_volumes.number(which));
                (number(1), number(2))
            }
        };
        let terms = if moves { terms.with_velocity(velocity) } else { terms };
        let terms = if grows { terms.with_normal_speed(normal) } else { terms };
        if bends { terms.with_curvature(curved) } else { terms }
    }

    /// Returns the coefficients that are volumes.
    fn by_volumes(&self) -> ByVolumes {
        let [moves, grows, bends, _] = self.acting;
        let is = matches!(self.by, By::Volumes | By::Both);
        ByVolumes { is_kept: [moves && self.by == By::Volumes, grows && is, bends && is] }
    }

    /// Returns whether the velocity has expressions.
    fn varies(&self) -> bool {
        matches!(self.by, By::Flow | By::Both)
    }

    /// Returns the origin and the edge length of the voxels.
    fn place(&self) -> ([f64; 3], f64) {
        match self.by {
            By::Numbers | By::Flow => ([0.0; 3], 1.0),
            By::Volumes | By::Both => (volumes::ORIGIN, volumes::DX),
        }
    }

    /// Returns the expressions of the velocity.
    fn expressions(&self) -> &'static [&'static str] {
        match self.by {
            By::Flow => &FLOW,
            By::Both => &[volumes::EXPRESSION],
            By::Numbers | By::Volumes => &[],
        }
    }

    /// Returns the speed bound, with its terms added in the same order as on the CPU.
    fn speed(&self) -> f64 {
        let [moves, grows, bends, rescales] = self.acting;
        let part = |is: bool, of: f64| if is { of } else { 0.0 };
        let [u, v, w] = VELOCITY.map(|u| part(moves, u.abs()));
        let sum = u + v + w;
        if self.by != By::Numbers {
            return part(rescales, RESCALING) * 3f64.sqrt(); // the GPU computes the rest
        }
        let sum =
            sum + part(grows, NORMAL_SPEED).abs() * 3f64.sqrt() + 6.0 * part(bends, CURVATURE);
        sum + part(rescales, RESCALING) * 3f64.sqrt()
    }

    fn defines<S>(&self, edge: usize) -> Vec<String> {
        let scheme = self.scheme.reach() * 2 - 1;
        let [moves, grows, bends, rescales] = self.acting.map(u8::from);
        let is_kept = self.by_volumes().is_kept;
        let kind = |which: usize, acts: u8| if is_kept[which] { 3 } else { acts };
        let mut defines = vec![
            "REAL=double".into(),
            format!("TILE_EDGE={edge}"),
            format!("BLOCK={}", block(edge)),
            format!("SCHEME={scheme}"),
            format!("VELOCITY={}", if self.varies() { 2 } else { kind(0, moves) }),
            format!("NORMAL={}", kind(1, grows)),
            format!("CURVATURE={}", kind(2, bends)),
            format!("SAMPLED={}", if self.by == By::Both { 0b101 } else { 0 }),
            format!("RESCALING={rescales}"),
            format!("EULER={}", u8::from(self.time == Time::Euler)),
        ];
        if size_of::<S>() == 2 {
            defines.push("STORAGE=16".into());
        }
        defines
    }
}

/// Returns the number of threads per block. A block covers two tiles.
fn block(edge: usize) -> u32 {
    if edge == 4 { 32 } else { 256 }
}

struct Kernels {
    manage: Library,
    step: Library,
    averages: Option<Library>,
    relax: Option<Library>,
    reinitialize: Option<Library>,
}

fn compile<S>(case: &Case, edge: usize) -> Kernels {
    let defines = case.defines::<S>(edge);
    let mut defines: Vec<&str> = defines.iter().map(String::as_str).collect();
    let field = |text: &&str| {
        let expression: Expression = text.parse().unwrap();
        Field::bind(&expression, |name| panic!("{name}")).unwrap()
    };
    let fields: Vec<_> = case.expressions().iter().map(field).collect();
    let generated = Generated::new(&[&fields]);
    let library = |source: &str, defines: &[&str], kernels: &[&str]| {
        let source = format!("kernels/tiles/{source}.cu");
        let header = case.varies().then(|| (Generated::NAME, generated.text()));
        Library::with_header(&source, defines, kernels, header)
    };
    let managing = ["tiles_manage", "tiles_look_up"];
    let mut steps = vec!["tiles_stage", "tiles_look", "tiles_begin"];
    steps.extend((case.by != By::Numbers).then_some("tiles_length"));
    let kept: Vec<&str> = defines.iter().copied().filter(|d| !d.starts_with("BLOCK")).collect();
    let manage = library("manage", &kept, &managing);
    let step = library("step", &defines, &steps);
    let averages = case.varies().then(|| {
        let mut defines = defines.clone();
        defines.push("AVERAGES=1");
        library("step", &defines, &["tiles_stage"])
    });
    let is_direct = matches!(case.reinitialize, Reinitialize::Direct { .. });
    let reinitialize =
        is_direct.then(|| library("direct_reinitialization", &defines, &["tiles_reinitialize"]));
    defines.push("RELAX=1");
    let relaxes = matches!(case.reinitialize, Reinitialize::Equation { .. });
    let relax = relaxes.then(|| library("step", &defines, &["tiles_stage"]));
    Kernels { manage, step, averages, relax, reinitialize }
}

/// Compares the kernels with the CPU step by step.
fn check<const E: usize, S: Stored<f64> + PartialEq + std::fmt::Debug>(case: &Case, steps: usize) {
    let kernels = compile::<S>(case, E);
    let options = case.options();
    let band = Band { gamma: options.gamma, reach: options.reach() };
    let (a, b) = ([6.3, 1.1, -0.4], [-6.8, 0.3, 0.9]);
    let distance =
        |x: [f64; 3], c: [f64; 3]| (0..3).map(|k| (x[k] - c[k]).powi(2)).sum::<f64>().sqrt();
    let two = move |x| (distance(x, a) - 5.1).min(distance(x, b) - 5.8);
    let (grid, phi) = tiles::<E, S>(24 / E as i32, band, two);
    for seed in 0..2 {
        let mut on = HostTiles::new(&grid, CAPACITY, BLOCKS);
        on.has_near = E != 4 || size_of::<S>() != 2;
        let cpu = Arc::new(Cpu::new(1).unwrap());
        let mut run = TiledEvolution::<f64, E, S>::new(
            grid.clone(),
            phi.clone(),
            &case.terms(),
            options,
            cpu,
        )
        .unwrap();
        let tile = Pool::<S, E>::TILE;
        // Two constant tiles precede the first tile. They stand for missing tiles inside and
        // outside.
        let far = |phi| vec![S::store(phi, options.gamma); tile];
        let empty = [far(-options.gamma), far(options.gamma), vec![S::default(); CAPACITY * tile]];
        let mut values = vec![empty.concat(); 3];
        values[0][2 * tile..][..phi.values().len()].copy_from_slice(phi.values());
        look_up(&kernels.manage, &mut on);
        on.control.nu = options.nu;
        on.control.max_step = options.max_step;
        on.control.uniform_speed = case.speed();
        on.control.every = match options.reinitialize {
            Reinitialize::Equation { every, .. } | Reinitialize::Direct { every } => every,
            _ => 0,
        };
        let [moves, grows, bends, _] = case.acting;
        let addresses: Vec<u64> =
            values.iter_mut().map(|v| v[2 * tile..].as_mut_ptr() as u64).collect();
        let by_volumes = case.by_volumes();
        let table = by_volumes.table();
        let (origin, dx) = case.place();
        let mut kept = by_volumes.room::<E>(CAPACITY);
        let of_kept = kept.each_mut().map(volumes::StationaryValues::argument);
        let motion = MotionArgument {
            values: [addresses[0], addresses[1], addresses[2]],
            origin,
            dx,
            gamma: options.gamma,
            core: options.gamma - 1.0 / 16.0,
            rescaling: RESCALING,
            velocity: if moves { VELOCITY } else { [0.0; 3] },
            normal_speed: if grows { NORMAL_SPEED } else { 0.0 },
            curvature: if bends { CURVATURE } else { 0.0 },
            per_voxel: [1.0 / dx, 1.0 / dx * (1.0 / dx)],
            keep: band.roomy::<E>().reach as u32,
            need: options.reach() as u32,
            kept: of_kept.as_ptr() as u64,
            components: table[0].as_ptr() as u64,
        };
        let all = (BLOCKS, block(E));
        let lists = arg(on.argument());
        by_volumes.keep::<E>(&mut on, &table, of_kept, seed, true);
        launch(&kernels.step, "tiles_look", all, seed, &[lists, arg(motion)]);
        let begin =
            [arg(on.argument()), arg(0.0), arg(f64::INFINITY), arg(-1.0), arg(steps as u64 + 1)];
        launch(&kernels.step, "tiles_begin", (1, 1), seed, &begin);
        let stages = match options.time {
            Time::Euler => vec![StageArgument::<f64>::euler()],
            _ => StageArgument::rk3().to_vec(),
        };
        for step in 0..steps {
            let seed = seed + 7 * step as u64;
            let args = [arg(on.argument()), arg(motion.of_values())];
            launch(&kernels.manage, "tiles_manage", (BLOCKS, 256), seed, &args);
            by_volumes.keep::<E>(&mut on, &table, of_kept, seed, false);
            if case.by != By::Numbers {
                let args = [arg(on.argument()), arg(motion)];
                launch(&kernels.step, "tiles_length", all, seed, &args);
            }
            for stage in &stages {
                let args = [arg(on.argument()), arg(motion), arg(*stage)];
                launch(&kernels.step, "tiles_stage", all, seed, &args);
                if let Some(averages) = &kernels.averages {
                    launch(averages, "tiles_stage", all, seed, &args);
                }
            }
            if let (Some(relax), Reinitialize::Equation { iterations, .. }) =
                (&kernels.relax, options.reinitialize)
            {
                for stage in StageArgument::<f64>::relax(iterations) {
                    let args = [arg(on.argument()), arg(motion), arg(stage)];
                    launch(relax, "tiles_stage", all, seed, &args);
                }
            }
            if let Some(reinitialize) = &kernels.reinitialize {
                let passes = 3 * options.gamma as u32 + 16;
                let args = [arg(on.argument()), arg(motion), arg(passes)];
                launch(reinitialize, "tiles_reinitialize", all, seed, &args);
            }
            let info = run.step(f64::INFINITY).unwrap();
            assert_eq!(on.control.halt(), Halt::Running, "step {step}");
            assert_eq!(on.control.time.to_bits(), info.time.to_bits(), "step {step}");
            assert_eq!(on.control.active, info.active_voxels, "step {step}");
            assert_eq!(on.control.rate.to_bits(), info.rate.to_bits(), "step {step}");
            assert_eq!(on.control.has_interface::<E>(), info.has_interface, "step {step}");
            on.compare(run.grid());
            let found = &values[on.control.at[0] as usize][2 * tile..];
            for (key, &id) in run.grid().keys().iter().zip(run.grid().ids()) {
                let found = &found[id as usize * tile..][..tile];
                assert_eq!(found, run.phi().tile(id), "step {step}, {key}");
            }
        }
        assert!(on.control.changes > 0 && on.control.tile_steps > 100);
        let due = match options.reinitialize {
            Reinitialize::Equation { every, .. } | Reinitialize::Direct { every } => {
                steps as u64 / every
            }
            _ => 0,
        };
        assert_eq!(on.control.reinitializations, due);
    }
}

fn first_order(acting: Acting) -> Case {
    Case {
        scheme: Scheme::FirstOrder,
        time: Time::Euler,
        acting,
        reinitialize: Reinitialize::Never,
        gamma: 1.5,
        by: By::Numbers,
    }
}

fn weno(acting: Acting) -> Case {
    Case { scheme: Scheme::Weno5, time: Time::Rk3, gamma: 3.0, ..first_order(acting) }
}

#[test]
fn first_order_steps_have_the_bits_of_the_cpu() {
    check::<4, f64>(&first_order([false, true, true, false]), 25);
    check::<4, f64>(&first_order([true, true, true, true]), 12);
    check::<8, f64>(&first_order([true, false, true, false]), 12);
}

/// Tiles that are no longer needed are removed every 64 steps. A change to the tile set uses the
/// requests that exist after the reinitialization of the previous step.
#[test]
fn tile_sets_change_in_the_steps_of_the_cpu() {
    let equation = Reinitialize::Equation { iterations: 1, every: 1 };
    let moves = [true, false, false, false];
    check::<4, f64>(&first_order(moves), 70);
    check::<4, f64>(&Case { reinitialize: equation, ..first_order([true, true, true, false]) }, 45);
    check::<8, f64>(
        &Case { reinitialize: equation, ..first_order([true, false, true, false]) },
        70,
    );
}

#[test]
fn weno_steps_have_the_bits_of_the_cpu() {
    check::<4, f64>(&weno([true, true, true, true]), 6);
    check::<4, f64>(&weno([true, false, false, false]), 8);
    check::<8, f64>(&weno([true, true, false, false]), 12);
}

#[test]
fn sixteen_bits_hold_the_same_integers() {
    check::<4, Fixed16>(&first_order([true, true, true, false]), 12);
    check::<4, Fixed16>(&weno([true, true, false, false]), 5);
}

#[test]
fn reinitialization_has_the_bits_of_the_cpu() {
    let equation = |iterations, every| Reinitialize::Equation { iterations, every };
    let terms = [true, false, true, false];
    check::<4, f64>(&Case { reinitialize: equation(1, 1), ..first_order(terms) }, 6);
    check::<4, f64>(&Case { reinitialize: equation(3, 2), ..first_order(terms) }, 5);
    check::<4, f64>(&Case { reinitialize: equation(2, 3), ..weno(terms) }, 6);
}

#[test]
fn distances_found_anew_have_the_bits_of_the_cpu() {
    let terms = [true, false, true, false];
    let direct = |every| Reinitialize::Direct { every };
    check::<4, f64>(&Case { reinitialize: direct(2), ..weno(terms) }, 6);
    check::<8, f64>(&Case { reinitialize: direct(1), ..first_order(terms) }, 9);
    check::<4, Fixed16>(&Case { reinitialize: direct(3), ..weno(terms) }, 6);
}

#[test]
fn expressions_and_the_length_of_steps_by_them_have_the_bits_of_the_cpu() {
    let moves = [true, false, false, false];
    check::<4, f64>(&Case { by: By::Flow, ..first_order(moves) }, 12);
    let every_other = Reinitialize::Equation { iterations: 1, every: 2 };
    let terms = [true, false, true, false];
    check::<8, f64>(&Case { by: By::Flow, reinitialize: every_other, ..weno(terms) }, 9);
}

#[test]
fn volumes_kept_with_the_tiles_and_beside_expressions_have_the_bits_of_the_cpu() {
    let by = |by, case| Case { by, ..case };
    let all = [true, true, true, true];
    check::<4, f64>(&by(By::Volumes, first_order(all)), 12);
    check::<4, f64>(&by(By::Volumes, first_order([false, true, false, false])), 25);
    check::<8, f64>(&by(By::Volumes, weno(all)), 7);
    check::<4, f64>(&by(By::Both, first_order(all)), 12);
    check::<8, f64>(&by(By::Both, weno([true, true, true, false])), 7);
}
