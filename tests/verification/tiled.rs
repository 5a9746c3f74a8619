//! Verification cases for the schemes for regular grids (V44 to V50), on dense boxes and sparse
//! tiles.
//!
//! Interface points are the sign changes of phi between neighboring voxels along an axis. As for
//! meshes, areas and volumes are computed on triangles or tetrahedra between the voxels.

use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use zeroset::Cpu;
use zeroset::geometry::Vec3;
use zeroset::geometry::shape::Shape;
use zeroset::grid::{Band, TiledGrid};
use zeroset::levelset::tiled::formulas::weno::weno_both;
use zeroset::levelset::tiled::{Coefficient, Options, Reinitialize, Terms, TiledEvolution, Wide};
use zeroset::mesh::Mesh;
use zeroset::mesh::generate::{Cube, Generate};

use crate::case::{Case, Floor, Gate, Row, Series};
use crate::dense::{DenseEvolution, DenseGrid};
use crate::domains::{Setting, made, mesh};
use crate::runs::{area_error, measure};

/// A box of voxels whose positions are the vertices of a mesh.
struct Voxels {
    mesh: Mesh,
    /// The index of the voxel at each vertex.
    voxel: Vec<usize>,
    size: [usize; 3],
    origin: f64,
    h: f64,
}

/// The terms of a motion, in the length unit of the mesh.
#[derive(Clone, Copy)]
struct Motion {
    velocity: Option<fn(Vec3, f64) -> Vec3>,
    speed: f64,
    curvature: f64,
}

const STILL: Motion = Motion { velocity: None, speed: 0.0, curvature: 0.0 };

impl Voxels {
    fn new(mesh: Mesh, n: u32, [low, high]: [f64; 2], dimension: usize) -> Self {
        let h = (high - low) / f64::from(n);
        let side = n as usize + 1;
        let size = if dimension == 2 { [side, side, 1] } else { [side; 3] };
        let at = |x: f64| ((x - low) / h).round() as usize;
        let of = |x: &[f64; 3]| match dimension {
            2 => at(x[1]) * side + at(x[0]),
            _ => (at(x[2]) * side + at(x[1])) * side + at(x[0]),
        };
        let voxel = mesh.vertices.iter().map(of).collect();
        Voxels { mesh, voxel, size, origin: low, h }
    }

    fn square(n: u32) -> Self {
        Voxels::new(mesh("diag", n, 1), n, [-1.0, 1.0], 2)
    }

    fn cube(n: u32) -> Self {
        Voxels::new(mesh("kuhn", n, 1), n, [-1.0, 1.0], 3)
    }

    fn unit_cube(n: u32) -> Self {
        let mut cube = Cube::default();
        (cube.cells, cube.min, cube.max) = ([n; 3], [0.0; 3], [1.0; 3]);
        Voxels::new(made(Generate::Cube(cube)), n, [0.0, 1.0], 3)
    }

    /// Returns the terms of a motion in voxel units.
    fn terms<R: Wide>(&self, motion: Motion) -> Terms<R> {
        let (h, origin, is_flat) = (self.h, self.origin, self.size[2] == 1);
        let mut terms = Terms::default()
            .with_normal_speed(Coefficient::Uniform([motion.speed / h]))
            .with_curvature(Coefficient::Uniform([motion.curvature / (h * h)]));
        if let Some(velocity) = motion.velocity {
            terms = terms.with_velocity(Coefficient::of_voxel(move |voxel, t| {
                let mut x = Vec3::from(voxel.map(|c| origin + h * f64::from(c)));
                if is_flat {
                    x.z = 0.0;
                }
                (velocity(x, t) / h).into()
            }));
        }
        terms
    }

    /// Converts phi from voxels to vertices and to the length unit of the mesh.
    fn at_vertices<R: Wide>(&self, phi: &[R]) -> Vec<f64> {
        self.voxel.iter().map(|&v| phi[v].to_f64() * self.h).collect()
    }

    /// Returns the mean of `|exact|` at all sign changes of phi on edges along the axes.
    fn interface_error(&self, phi: &[f64], exact: impl Fn(Vec3) -> f64) -> f64 {
        let mut of_voxel = vec![usize::MAX; self.size.iter().product()];
        self.voxel.iter().enumerate().for_each(|(vertex, &voxel)| of_voxel[voxel] = vertex);
        let steps = [1, self.size[0], self.size[0] * self.size[1]];
        let (mut sum, mut count) = (0.0, 0.0);
        for (vertex, &voxel) in self.voxel.iter().enumerate() {
            for axis in 0..3 {
                let place = voxel / steps[axis] % self.size[axis];
                if place + 1 == self.size[axis] {
                    continue;
                }
                let other = of_voxel[voxel + steps[axis]];
                let (a, b) = (phi[vertex], phi[other]);
                if (a < 0.0) != (b < 0.0) {
                    let ends = [vertex, other].map(|v| Vec3::from(self.mesh.vertices[v]));
                    sum += exact(ends[0] + (ends[1] - ends[0]) * (a / (a - b))).abs();
                    count += 1.0;
                }
            }
        }
        sum / count
    }

    /// Evaluates phi at the vertices and returns it in voxel units, as an array over the voxels.
    fn of_vertices<R: Wide>(&self, phi: impl Fn(Vec3) -> f64) -> Vec<R> {
        let mut values = vec![R::zero(); self.size.iter().product()];
        for (&voxel, x) in self.voxel.iter().zip(&self.mesh.vertices) {
            values[voxel] = R::of(phi((*x).into()) / self.h);
        }
        values
    }

    fn start<R: Wide>(
        &self,
        phi: impl Fn(Vec3) -> f64,
        motion: Motion,
        options: Options,
    ) -> DenseEvolution<R, 8> {
        let grid = DenseGrid::new(self.size).unwrap();
        let cpu = Arc::new(Cpu::new(1).unwrap());
        let terms = self.terms(motion);
        let run = DenseEvolution::new(grid, &self.of_vertices(phi), &terms, options, cpu).unwrap();
        if options.gamma.is_finite() { run.held() } else { run }
    }

    /// Returns phi at the vertices at each of the given times.
    fn run<R: Wide>(
        &self,
        phi: impl Fn(Vec3) -> f64,
        motion: Motion,
        options: Options,
        times: &[f64],
    ) -> Vec<Vec<f64>> {
        let mut run = self.start::<R>(phi, motion, options);
        let at = |t: &f64| {
            run.run_to(*t).unwrap();
            self.at_vertices(&run.phi())
        };
        times.iter().map(at).collect()
    }

    /// Returns phi at the vertices at one time, computed in the precision of the setting.
    fn run_to(
        &self,
        setting: &Setting,
        phi: impl Fn(Vec3) -> f64,
        motion: Motion,
        options: Options,
        end: f64,
    ) -> Vec<f64> {
        let runs = match setting.single {
            true => self.run::<f32>(phi, motion, options, &[end]),
            false => self.run::<f64>(phi, motion, options, &[end]),
        };
        runs.into_iter().flatten().collect()
    }
}

/// Returns the options of the scheme that `mesh` states after the colon: `first` or `weno`.
fn options(mesh: &str, gamma: f64) -> Options {
    let options = Options::new(gamma);
    if mesh.ends_with(":first") { options.first_order() } else { options }
}

const fn grid(mesh: &'static str, rows: &'static [Row]) -> Series {
    Series { mesh, sizes: &[32, 64, 128], quick: 2, rows }
}

const fn mean(expected: &'static [f64]) -> Row {
    Row::new("mean", expected)
}

pub const V44: Case = Case {
    id: "V44",
    title: "WENO5 derivative",
    exact: "The rows give the mean errors of the one-sided derivatives of the sine function at n \
            points per period.",
    note: "",
    deviation: "",
    measure: |_, _, n| {
        let h = TAU / f64::from(n);
        let value = |i: u32, k: f64| ((f64::from(i) + k) * h).sin() / h;
        let (mut left, mut right) = (0.0, 0.0);
        for i in 0..n {
            let (a, b) = weno_both([-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0].map(|k| value(i, k)));
            let exact = (f64::from(i) * h).cos();
            left += (a - exact).abs() / f64::from(n);
            right += (b - exact).abs() / f64::from(n);
        }
        vec![left, right]
    },
    series: &[Series {
        mesh: "line",
        sizes: &[20, 40, 80, 160],
        quick: 4,
        rows: &[
            Row::new("from the left", &[1.1e-8]).order(4.8),
            Row::new("from the right", &[1.1e-8]).order(4.8),
        ],
    }],
};

pub const V45: Case = Case {
    id: "V45",
    title: "translated circle on a grid",
    exact: "V3 on n by n squares with gamma = 3 and nu = 0.5. `weno` is WENO5 with RK3, and \
            `first` is the first-order scheme with Euler steps.",
    note: "In V45 to V50, gamma is the half width of the band in voxels, and nu is the CFL factor \
           ([tiles.md](tiles.md), section 8).",
    deviation: "",
    measure: |setting, mesh, n| {
        let voxels = Voxels::square(n);
        let motion = Motion { velocity: Some(|_, _| Vec3::new(1.0, 0.5, 0.0)), ..STILL };
        let center = |t: f64| Vec3::new(-0.3 + t, -0.2 + 0.5 * t, 0.0);
        let start = |x: Vec3| (x - center(0.0)).norm() - 0.3;
        let phi = voxels.run_to(setting, start, motion, options(mesh, 3.0), 0.5);
        let exact = |x: Vec3| (x - center(0.5)).norm() - 0.3;
        vec![voxels.interface_error(&phi, exact)]
    },
    series: &[
        grid("grid:weno", &[mean(&[3.3e-4, 1.7e-4, 6.6e-5])]),
        grid("grid:first", &[mean(&[0.032, 0.0143, 0.0068])]),
    ],
};

/// Returns the mean error of a growing or shrinking circle centered at (0.03, 0.02).
fn front(setting: &Setting, mesh: &str, n: u32, speed: f64, radius: f64) -> f64 {
    let voxels = Voxels::square(n);
    let center = Vec3::new(0.03, 0.02, 0.0);
    let start = |x: Vec3| (x - center).norm() - radius;
    let motion = Motion { speed, ..STILL };
    let phi = voxels.run_to(setting, start, motion, options(mesh, f64::INFINITY), 0.35);
    let end = radius + 0.35 * speed;
    voxels.interface_error(&phi, |x| (x - center).norm() - end)
}

pub const V46: Case = Case {
    id: "V46",
    title: "growing and shrinking circle on a grid",
    exact: "V10 (R = 0.3 + t) and V11 (R = 0.7 - t) until t = 0.35, with nu = 0.5 and without a \
            band.",
    note: "",
    deviation: "",
    measure: |setting, mesh, n| {
        vec![front(setting, mesh, n, 1.0, 0.3), front(setting, mesh, n, -1.0, 0.7)]
    },
    series: &[
        grid(
            "grid:weno",
            &[
                Row::new("growing", &[1.9e-4, 4.1e-5, 1.1e-5]).order(1.9),
                Row::new("shrinking", &[3.3e-4, 8.3e-5, 2.0e-5]).order(1.9),
            ],
        ),
        grid(
            "grid:first",
            &[
                Row::new("growing", &[0.0120, 0.0056, 0.0028]).order(0.95),
                Row::new("shrinking", &[0.0097, 0.0049, 0.0024]).order(0.95),
            ],
        ),
    ],
};

pub const V47: Case = Case {
    id: "V47",
    title: "curvature on a grid",
    exact: "With beta = 1, a circle centered at the origin with R0 = 0.6 shrinks on squares until \
            t = 0.1, and a sphere centered at the origin with R0 = 0.6 shrinks on cubes until t = \
            0.05. Both use RK3 and nu = 0.5 without a band.",
    note: "",
    deviation: "",
    measure: |setting, mesh, n| {
        let (voxels, end, axes) = match mesh {
            "cubes" => (Voxels::cube(n), 0.05, 2.0),
            _ => (Voxels::square(n), 0.1, 1.0),
        };
        let motion = Motion { curvature: 1.0, ..STILL };
        let start = |x: Vec3| x.norm() - 0.6;
        let phi = voxels.run_to(setting, start, motion, Options::new(f64::INFINITY), end);
        let radius = (0.36 - 2.0 * axes * end).sqrt();
        vec![voxels.interface_error(&phi, |x| x.norm() - radius)]
    },
    series: &[
        grid("squares", &[mean(&[3.1e-4, 7.3e-5, 1.6e-5]).order(1.9).floor(Floor::Curvature)]),
        Series {
            mesh: "cubes",
            sizes: &[20, 40, 60],
            quick: 2,
            rows: &[mean(&[4.1e-4, 2.0e-4, 9.7e-5]).order(0.9).floor(Floor::Curvature)],
        },
    ],
};

/// Returns the velocity of a rotation about the origin, with one turn per unit of time.
fn turn(x: Vec3, _: f64) -> Vec3 {
    Vec3::new(-x.y, x.x, 0.0) * TAU
}

pub const V48: Case = Case {
    id: "V48",
    title: "slotted disk on a grid",
    exact: "V8 with WENO5, RK3, gamma = 3 and nu = 0.5. The numbers are relative to the area on \
            the grid at the start.",
    note: "",
    deviation: "",
    measure: |setting, _, n| {
        let shape = Shape::SlottedDisk {
            center: [0.0, 0.5, 0.0],
            radius: 0.3,
            slot_width: 0.1,
            slot_top: 0.7,
        };
        let voxels = Voxels::square(n);
        let start = |x: Vec3| shape.signed_distance(x.into());
        let motion = Motion { velocity: Some(turn), ..STILL };
        let phi = voxels.run_to(setting, start, motion, Options::new(3.0), 1.0);
        let before: Vec<f64> = voxels.mesh.vertices.iter().map(|x| start((*x).into())).collect();
        let area = |phi: &[f64]| measure(&voxels.mesh, phi).enclosed;
        let join = |pick: fn(f64, f64) -> f64| -> Vec<f64> {
            before.iter().zip(&phi).map(|(a, b)| pick(*a, *b)).collect()
        };
        let difference = area(&join(f64::min)) - area(&join(f64::max));
        vec![area_error(&voxels.mesh, &phi, area(&before)), difference / area(&before)]
    },
    series: &[Series {
        mesh: "grid:weno",
        sizes: &[100, 200],
        quick: 1,
        rows: &[
            Row::area(&[-0.009, 0.0003]).gate(Gate::AtMost(0.02)),
            Row::new("symmetric difference", &[0.043, 0.032]).gate(Gate::AtMost(0.06)),
        ],
    }],
};

/// Returns the velocity of Enright et al. It reverses, so the shape returns to its initial state at
/// t = 3.
fn enright(x: Vec3, t: f64) -> Vec3 {
    let [s, d] = [x.map(|x| (PI * x).sin()), x.map(|x| (TAU * x).sin())];
    let u = Vec3::new(2.0 * s.x * s.x * d.y * d.z, -d.x * s.y * s.y * d.z, -d.x * d.y * s.z * s.z);
    u * (PI * t / 3.0).cos()
}

pub const V49: Case = Case {
    id: "V49",
    title: "Enright's sphere",
    exact: "A sphere centered at (0.35, 0.35, 0.35) with R = 0.15 is deformed in the unit cube by \
            the velocity of Enright et al., with WENO5, RK3, gamma = 3 and nu = 0.5. \"loss\" is \
            the loss of volume at t = 1.5 and t = 3, relative to the volume on the grid at the \
            start.",
    note: "The case reproduces the loss that occurs where the sheet becomes thinner than the grid \
           can resolve. `reinit` takes one step of the reinitialization equation after every 5 \
           steps.",
    deviation: "The companion requires its own numbers and a loss that decreases with n. The gate \
                of 0.15 does not come from the companion. With reinitialization, 87 % is lost at n \
                = 32, and this is the largest loss that passes.",
    measure: |setting, mesh, n| {
        let voxels = Voxels::unit_cube(n);
        let start = |x: Vec3| (x - Vec3::repeat(0.35)).norm() - 0.15;
        let motion = Motion { velocity: Some(enright), ..STILL };
        let mut options = Options::new(3.0);
        if mesh.ends_with(":reinit") {
            let equation = Reinitialize::Equation { iterations: 1, every: 5 };
            options = options.with_reinitialize(equation);
        }
        let times = [1.5, 3.0];
        let runs = match setting.single {
            true => voxels.run::<f32>(start, motion, options, &times),
            false => voxels.run::<f64>(start, motion, options, &times),
        };
        let before: Vec<f64> = voxels.mesh.vertices.iter().map(|x| start((*x).into())).collect();
        let volume = measure(&voxels.mesh, &before).enclosed;
        runs.iter().map(|phi| -area_error(&voxels.mesh, phi, volume)).collect()
    },
    series: &[
        Series {
            mesh: "cubes:plain",
            sizes: &[32, 48],
            quick: 2,
            rows: &[
                Row::new("loss at 1.5", &[1.0, 0.66]).gate(Gate::Within(0.15)),
                Row::new("loss at 3", &[1.0, 0.79]).gate(Gate::Within(0.15)).order(0.0),
            ],
        },
        Series {
            mesh: "cubes:reinit",
            sizes: &[32, 48],
            quick: 2,
            rows: &[
                Row::new("loss at 1.5", &[]).gate(Gate::None),
                Row::new("loss at 3", &[0.87, f64::NAN]).gate(Gate::AtMost(0.87)).order(0.0),
            ],
        },
    ],
};

/// Compares sparse tiles with dense grids after 50 steps.
///
/// Returns the number of voxels that differ from a dense grid that computes the same tiles. Also
/// returns the mean difference, in voxels, from a dense grid that computes all tiles. The mean is
/// taken where |phi| < 1.
fn differing<R: Wide, const E: usize>(n: u32, options: Options) -> Vec<f64> {
    let voxels = Voxels::cube(n);
    let start = |x: Vec3| (x - Vec3::new(-0.2, -0.1, 0.03)).norm() - 0.45;
    let velocity = |x: Vec3, t: f64| Vec3::new(1.0 + 0.2 * x.y, 0.5 * (1.0 - t), 0.25 - 0.1 * x.x);
    let motion = Motion { velocity: Some(velocity), speed: -0.05, curvature: 0.01 };
    let phi: Vec<R> = voxels.of_vertices(start);
    let side = voxels.size[0];
    let band = Band { gamma: R::of(options.gamma), reach: options.reach() };
    let last = ((side - 1) / E) as i32;
    let at = |voxel: [i32; 3]| {
        let [x, y, z] = voxel.map(|c| c.clamp(0, side as i32 - 1) as usize);
        phi[(z * side + y) * side + x]
    };
    let (grid, pool) = TiledGrid::<E>::from_box::<R, R>([0; 3], [last; 3], band, |first, out| {
        for (k, out) in out.iter_mut().enumerate() {
            let place = [k % E, k / E % E, k / (E * E)];
            *out = band.clamp(at([0, 1, 2].map(|i| first[i] + place[i] as i32)));
        }
        Ok(())
    })
    .unwrap();
    let cpu = Arc::new(Cpu::new(1).unwrap());
    let terms = voxels.terms(motion);
    let mut sparse: TiledEvolution<R, E> =
        TiledEvolution::new(grid, pool, &terms, options, cpu.clone()).unwrap();
    let dense = || {
        let grid = DenseGrid::new(voxels.size).unwrap();
        DenseEvolution::<R, E>::new(grid, &phi, &terms, options, cpu.clone()).unwrap()
    };
    let (mut held, mut all) = (dense().held(), dense());
    for _ in 0..50 {
        sparse.step(1.0).unwrap();
        held.step(1.0).unwrap();
        all.step(1.0).unwrap();
    }
    let (held, all) = (held.phi(), all.phi());
    let (mut differing, mut sum, mut count) = (0.0, 0.0, 0.0);
    for (key, id) in sparse.grid().keys().iter().zip(sparse.grid().ids()) {
        let first = key.first_voxel(E);
        for (k, value) in sparse.phi().tile(*id).iter().enumerate() {
            let place = [k % E, k / E % E, k / (E * E)];
            let [x, y, z] = [0, 1, 2].map(|i| (first[i] + place[i] as i32) as usize);
            if x.max(y).max(z) >= side {
                continue;
            }
            let at = (z * side + y) * side + x;
            differing += f64::from(u8::from(*value != held[at]));
            if value.to_f64().abs() < 1.0 {
                sum += (value.to_f64() - all[at].to_f64()).abs();
                count += 1.0;
            }
        }
    }
    assert!(count > 1000.0);
    vec![differing, sum / count]
}

const SHIFT: Row = Row::new("all blocks", &[]).gate(Gate::AtMost(1e-4)).floor(Floor::Rate);

pub const V50: Case = Case {
    id: "V50",
    title: "sparse tiles and a dense grid",
    exact: "A sphere moves for 50 steps with all terms, with n cells per side. \"same blocks\" \
            counts the voxels at which phi on the sparse tiles differs from phi on a dense grid \
            that computes the same tiles. \"all blocks\" is the mean difference, in voxels, \
            between phi on the sparse tiles and phi on a dense grid that computes all tiles, where \
            abs(phi) < 1.",
    note: "",
    deviation: "",
    measure: |setting, mesh, n| match (mesh, setting.single) {
        ("tiles:weno", false) => differing::<f64, 8>(n, Options::new(3.0)),
        ("tiles:weno", true) => differing::<f32, 8>(n, Options::new(3.0)),
        (_, false) => differing::<f64, 4>(n, Options::new(1.5).first_order()),
        (_, true) => differing::<f32, 4>(n, Options::new(1.5).first_order()),
    },
    series: &[
        Series {
            mesh: "tiles:weno",
            sizes: &[48],
            quick: 1,
            rows: &[Row::count("same blocks", 0.0), SHIFT],
        },
        Series {
            mesh: "tiles:first",
            sizes: &[48],
            quick: 1,
            rows: &[Row::count("same blocks", 0.0), SHIFT],
        },
    ],
};
