//! Verification cases for motion along the normal, alone and with the other terms.

use std::f64::consts::PI;

use zeroset::geometry::Vec3;
use zeroset::geometry::shape::Shape;
use zeroset::levelset::evolution::Coefficient;

use crate::case::{Case, Floor, Gate, Row, Series};
use crate::domains::Setting;
use crate::runs::*;

const fn series(mesh: &'static str, rows: &'static [Row]) -> Series {
    Series { mesh, sizes: &[32, 64, 128], quick: 3, rows }
}

const fn mean(expected: &'static [f64], order: f64) -> Row {
    Row::new("mean", expected).order(order)
}

/// Moves a circle or sphere with the normal speed `eps` until `end` and returns the mean error.
fn ball(
    setting: &Setting,
    mesh: &'static str,
    n: u32,
    radius: f64,
    eps: f64,
    end: f64,
) -> Vec<f64> {
    let domain = setting.domain(mesh, n);
    let c = Vec3::new(0.03, 0.02, 0.0);
    let phi = domain.at_vertices(|x| (x - c).norm() - radius);
    let run = evolve(&domain, &phi, &front(eps), whole(), end);
    let exact = |x: Vec3| (x - c).norm() - (radius + eps * end);
    vec![interface_error(&domain.plain, &run.phi, exact)[0]]
}

pub const V10: Case = Case {
    id: "V10",
    title: "expanding circle",
    exact: "A circle centered at (0.03, 0.02) with R = 0.3 + t expands with eps = 1 until t = \
            0.35.",
    note: "",
    deviation: "",
    measure: |setting, mesh, n| ball(setting, mesh, n, 0.3, 1.0, 0.35),
    series: &[
        series("diag", &[mean(&[2.1e-3, 2.9e-4, 5.7e-5], 1.8)]),
        series("jit", &[mean(&[4.0e-3, 5.1e-4, 6.5e-5], 1.8)]),
        series("equi", &[mean(&[1.5e-3, 2.0e-4, 4.1e-5], 1.8)]),
        series("obt", &[mean(&[8.1e-4, 1.4e-4, 2.9e-5], 1.8)]),
    ],
};

pub const V11: Case = Case {
    id: "V11",
    title: "shrinking circle",
    exact: "A circle centered at (0.03, 0.02) with R = 0.7 - t shrinks with eps = -1 until t = \
            0.35.",
    note: "",
    deviation: "",
    measure: |setting, mesh, n| ball(setting, mesh, n, 0.7, -1.0, 0.35),
    series: &[
        series("diag", &[mean(&[6.3e-4, 1.7e-4, 4.5e-5], 1.7)]),
        series("jit", &[mean(&[7.8e-4, 2.0e-4, 5.5e-5], 1.7)]),
        series("equi", &[mean(&[4.3e-4, 1.2e-4, 3.0e-5], 1.7)]),
    ],
};

pub const V12: Case = Case {
    id: "V12",
    title: "expanding and shrinking sphere",
    exact: "A sphere centered at (0.03, 0.02, 0) with R = 0.35 + t expands with eps = 1. In a \
            second run, a sphere with the same center and R = 0.75 - t shrinks with eps = -1. Both \
            move until t = 0.3 on tetrahedra.",
    note: "",
    deviation: "",
    measure: |setting, mesh, n| {
        [(0.35, 1.0), (0.75, -1.0)]
            .into_iter()
            .flat_map(|(radius, eps)| ball(setting, mesh, n, radius, eps, 0.3))
            .collect()
    },
    series: &[Series {
        mesh: "tets",
        sizes: &[12, 24, 40],
        quick: 2,
        rows: &[
            Row::new("mean, eps = 1", &[0.016, 0.0044, 0.0010]).order(1.5),
            Row::new("mean, eps = -1", &[0.0047, 0.0012, 4.5e-4]).order(1.5),
        ],
    }],
};

const ONE_COMPONENT: Row =
    Row::new("components", &[1.0]).gate(Gate::Near(1.0, 0.0, 0)).floor(Floor::Count);

pub const V13: Case = Case {
    id: "V13",
    title: "merging circles",
    exact: "Two circles centered at (+-0.4, 0.013) with R = 0.25 expand with eps = 1 until t = \
            0.25 and merge. The exact solution is phi = min(phi1, phi2) - t.",
    note: "",
    deviation: "",
    measure: |setting, mesh, n| {
        let domain = setting.domain(mesh, n);
        let distance = |x: Vec3| {
            [-0.4, 0.4]
                .map(|c| (x - Vec3::new(c, 0.013, 0.0)).norm() - 0.25)
                .into_iter()
                .fold(f64::INFINITY, f64::min)
        };
        let phi = domain.at_vertices(distance);
        let run = evolve(&domain, &phi, &front(1.0), whole(), 0.25);
        let [mean, max] = interface_error(&domain.plain, &run.phi, |x| distance(x) - 0.25);
        vec![mean, max, measure(&domain.plain, &run.phi).components as f64]
    },
    series: &[
        series(
            "diag",
            &[
                mean(&[2.4e-3, 3.5e-4, 6.7e-5], 1.8),
                Row::new("max", &[5.2e-3, 1.0e-3, 2.8e-4]),
                ONE_COMPONENT,
            ],
        ),
        series("jit", &[mean(&[4.0e-3, 5.8e-4, 9.4e-5], 1.8), Row::new("max", &[]), ONE_COMPONENT]),
    ],
};

/// The seeds of the meshes over which V14 averages.
const SEEDS: std::ops::RangeInclusive<u64> = 1..=4;

pub const V14: Case = Case {
    id: "V14",
    title: "expanding and shrinking square",
    exact: "With eps = 1, a square with a half side of 0.4 expands and its corners become arcs: \
            phi is the distance to the initial square minus t. With eps = -1, a square with a half \
            side of 0.7 shrinks and stays a square. Both move until t = 0.25.",
    note: "The numbers are means over four meshes.",
    deviation: "The error is concentrated at the four corners and depends on the few cells there. \
                At n = 128, single meshes give errors from 0.0017 to 0.0028 (eps = 1) and from \
                4.4e-5 to 8.5e-5 (eps = -1). The orders of the last doubling of n range from 0.3 \
                to 1.0 (eps = 1) and from 1.3 to 2.5 (eps = -1). The case therefore averages over \
                four meshes and computes the order from the first and last sizes. For eps = -1, \
                the gate is 2 times the expected number instead of 1.5 times.",
    measure: |setting, mesh, n| {
        let (mut growing, mut shrinking) = (0.0, 0.0);
        for seed in SEEDS {
            let domain = setting.place(crate::domains::mesh(mesh, n, seed));
            let square = |half: f64| {
                let shape = Shape::Box { min: [-half, -half, -9.0], max: [half, half, 9.0] };
                move |x: Vec3| shape.signed_distance(x.into())
            };
            let run = |half: f64, eps: f64, exact: &dyn Fn(Vec3) -> f64| {
                let phi = domain.at_vertices(square(half));
                let run = evolve(&domain, &phi, &front(eps), whole(), 0.25);
                interface_error(&domain.plain, &run.phi, exact)[0]
            };
            growing += run(0.4, 1.0, &|x| square(0.4)(x) - 0.25);
            shrinking += run(0.7, -1.0, &square(0.45));
        }
        let n_seeds = SEEDS.count() as f64;
        vec![growing / n_seeds, shrinking / n_seeds]
    },
    series: &[Series {
        mesh: "jit",
        sizes: &[32, 64, 128],
        quick: 2,
        rows: &[
            Row::new("mean, eps = 1", &[7.9e-3, 3.5e-3, 2.0e-3]).overall_order(0.7),
            Row::new("mean, eps = -1", &[1.3e-3, 2.1e-4, 3.4e-5])
                .gate(Gate::Times(2.0))
                .overall_order(1.8),
        ],
    }],
};

pub const V25: Case = Case {
    id: "V25",
    title: "growing and shrinking cap on the sphere",
    exact: "A cap of the unit sphere, centered on the z axis, moves with eps = +-1 until t = 0.5. \
            Its angular radius is 0.9 + eps t.",
    note: "",
    deviation: "",
    measure: |setting, mesh, n| {
        let domain = setting.domain(mesh, n);
        let angle = |x: Vec3| x.x.hypot(x.y).atan2(x.z);
        let run = |eps: f64| {
            let phi = domain.at_vertices(|x| angle(x) - 0.9);
            let run = evolve(&domain, &phi, &front(eps), whole(), 0.5);
            interface_error(&domain.plain, &run.phi, |x| angle(x) - (0.9 + 0.5 * eps))[0]
        };
        vec![run(1.0), run(-1.0)]
    },
    series: &[Series {
        mesh: "ico",
        sizes: &[3, 4, 5],
        quick: 3,
        rows: &[
            Row::new("mean, eps = 1", &[3.7e-4, 8.2e-5, 1.9e-5]).order(1.4),
            Row::new("mean, eps = -1", &[1.8e-3, 6.3e-4, 1.6e-4]).order(1.4),
        ],
    }],
};

pub const V41: Case = Case {
    id: "V41",
    title: "all three terms",
    exact: "A circle centered at (-0.2, -0.1) with R0 = 0.4 moves with a = (0.6, 0.3), eps = 0.4 \
            and beta = 0.05 until t = 0.4. Its radius follows R' = eps - beta / R and ends at R = \
            0.5160.",
    note: "\"radius\" is the relative error of the radius that follows from the area.",
    deviation: "",
    measure: |setting, mesh, n| {
        let domain = setting.domain(mesh, n);
        let at = |t: f64| Vec3::new(-0.2 + 0.6 * t, -0.1 + 0.3 * t, 0.0);
        let phi = domain.at_vertices(|x| (x - at(0.0)).norm() - 0.4);
        let terms = wind(&domain, [0.6, 0.3, 0.0])
            .with_normal_speed(Coefficient::Uniform([0.4]))
            .with_curvature(Coefficient::Uniform([0.05]));
        let run = evolve(&domain, &phi, &terms, whole(), 0.4);
        let radius = combined_radius(0.4);
        let [mean, _] = interface_error(&domain.plain, &run.phi, |x| (x - at(0.4)).norm() - radius);
        vec![mean, (measure(&domain.plain, &run.phi).enclosed / PI).sqrt() / radius - 1.0]
    },
    series: &[
        Series {
            mesh: "diag",
            sizes: &[32, 64],
            quick: 2,
            rows: &[mean(&[0.0133, 0.0062], 0.9), Row::new("radius", &[]).floor(Floor::Rate)],
        },
        Series {
            mesh: "jit",
            sizes: &[32, 64],
            quick: 2,
            rows: &[mean(&[0.0150, f64::NAN], 0.9), Row::new("radius", &[]).floor(Floor::Rate)],
        },
    ],
};

/// Integrates `R' = 0.4 - 0.05 / R` from R = 0.4 by the classical Runge-Kutta method.
fn combined_radius(end: f64) -> f64 {
    let (mut r, n) = (0.4, 1000);
    let h = end / f64::from(n);
    let slope = |r: f64| 0.4 - 0.05 / r;
    for _ in 0..n {
        let k1 = slope(r);
        let k2 = slope(r + 0.5 * h * k1);
        let k3 = slope(r + 0.5 * h * k2);
        let k4 = slope(r + h * k3);
        r += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    }
    r
}
