//! Verification cases for advection by a characteristic map.

use std::f64::consts::{PI, TAU};

use zeroset::expression::{Expression, Field};
use zeroset::geometry::Vec3;
use zeroset::levelset::evolution::{Advection, Coefficient, Options, Terms};

use crate::case::{Case, Floor, Gate, Row, Series};
use crate::domains::Domain;
use crate::runs::*;
use crate::whole_runs::{difference, slotted_disk, translated_circle};

/// The options of all cases.
fn options() -> Options {
    Options::new(None).with_advection(Advection::CharacteristicMap)
}

/// The number of steps, which is only reported.
const STEPS: Row = Row::new("steps", &[]).gate(Gate::None).floor(Floor::Count);

/// Returns the row for the relative area where the result differs.
const fn differs(limit: f64) -> Row {
    Row::new("difference", &[]).gate(Gate::AtMost(limit)).floor(Floor::Rate)
}

/// Returns the series of a shape that returns to its start.
macro_rules! series {
    ($mesh:literal, $size:literal, $quick:literal, $differs:literal, $area:literal) => {
        Series {
            mesh: $mesh,
            sizes: &[$size],
            quick: $quick,
            rows: &[differs($differs), Row::area(&[]).gate(Gate::AtMost($area)), STEPS],
        }
    };
}

/// Returns the relative change in the area on the mesh since the start.
fn area_change(domain: &Domain, start: &[f64], end: &[f64]) -> f64 {
    area_error(&domain.plain, end, measure(&domain.plain, start).enclosed)
}

pub const V68: Case = Case {
    id: "V68",
    title: "slotted disk, characteristic map",
    exact: "V58 with `advection = \"characteristic-map\"`.",
    note: "\"area\" is relative to the area on the mesh at the start.",
    deviation: "",
    measure: |setting, mesh, n| {
        let domain = setting.domain(mesh, n);
        let shape = slotted_disk();
        let start = |x: Vec3| shape.signed_distance(x.into());
        let phi = domain.at_vertices(start);
        let terms = flow(&domain, |x| Vec3::new(-x.y, x.x, 0.0) * TAU);
        let run = evolve(&domain, &phi, &terms, options(), 1.0);
        let difference = difference(&domain, &run.phi, start);
        vec![difference, area_change(&domain, &phi, &run.phi), run.steps as f64]
    },
    series: &[
        series!("cross", 50, 1, 0.012, 0.002),
        series!("cross", 100, 1, 0.003, 0.002),
        series!("del", 100, 1, 0.003, 0.002),
    ],
};

/// The stream of the vortex in a square with the corners (-1, -1) and (1, 1), at its fastest.
fn vortex(x: Vec3) -> Vec3 {
    let [p, q] = [x.x, x.y].map(|s| PI * 0.5 * (s + 1.0));
    Vec3::new(-p.sin().powi(2) * (2.0 * q).sin(), q.sin().powi(2) * (2.0 * p).sin(), 0.0) * 2.0
}

/// The disk that the vortex deforms.
fn disk(x: Vec3) -> f64 {
    (x - Vec3::new(0.0, 0.5, 0.0)).norm() - 0.3
}

pub const V69: Case = Case {
    id: "V69",
    title: "reversed vortex, characteristic map",
    exact: "A disk centered at (0, 0.5) with R = 0.3 in the square [-1, 1]^2 moves in the vortex of \
            the stream function cos(pi t / 8) sin^2 p sin^2 q 4 / pi with p = pi (x + 1) / 2 and q \
            = pi (y + 1) / 2. At t = 4 it is a thin spiral, and at t = 8 it is a disk again.",
    note: "\"difference\" and \"area\" are those of V68.",
    deviation: "",
    measure: |setting, mesh, n| {
        let domain = setting.domain(mesh, n);
        let phi = domain.at_vertices(disk);
        let component = |k: usize| {
            let rows: Vec<f64> = domain.at_vertices(|x| vortex(x)[k]);
            let text = "a * cos(pi * t / 8)";
            let expression = Expression::parse(text).expect("an expression");
            Field::bind(&expression, |_| Ok(rows.clone().into())).expect("a field")
        };
        let velocity = Coefficient::Varying([component(0), component(1), Field::constant(0.0)]);
        let terms = Terms::default().with_velocity(velocity);
        let run = evolve(&domain, &phi, &terms, options(), 8.0);
        let difference = difference(&domain, &run.phi, disk);
        vec![difference, area_change(&domain, &phi, &run.phi), run.steps as f64]
    },
    series: &[
        series!("cross", 64, 1, 0.12, 0.11),
        series!("cross", 128, 1, 0.006, 0.004),
        series!("del", 128, 1, 0.006, 0.004),
    ],
};

pub const V70: Case = Case {
    id: "V70",
    title: "vortex at one instant, characteristic map",
    exact: "The disk of V69 moves in the same vortex at its full strength until t = 1. The exact \
            interface follows from characteristics that are integrated with the exact velocity.",
    note: "The vertex values of the velocity are interpolated linearly, which limits the order to 2.",
    deviation: "",
    measure: |setting, mesh, n| {
        let domain = setting.domain(mesh, n);
        let run =
            evolve(&domain, &domain.at_vertices(disk), &flow(&domain, vortex), options(), 1.0);
        let exact = |x: Vec3| disk(origin(x, 1.0));
        let [mean, largest] = interface_error(&domain.plain, &run.phi, exact);
        vec![mean, largest]
    },
    series: &[
        Series {
            mesh: "cross",
            sizes: &[32, 64, 128],
            quick: 2,
            rows: &[
                Row::new("mean", &[]).gate(Gate::AtMost(0.025)).overall_order(1.7),
                Row::new("largest", &[]).gate(Gate::None),
            ],
        },
        Series {
            mesh: "jit",
            sizes: &[32, 64, 128],
            quick: 2,
            rows: &[
                Row::new("mean", &[]).gate(Gate::AtMost(0.025)).overall_order(1.7),
                Row::new("largest", &[]).gate(Gate::None),
            ],
        },
    ],
};

/// Returns the position at t = 0 of the material that is at `x` at time `t` in the vortex.
fn origin(x: Vec3, t: f64) -> Vec3 {
    const STEPS: u32 = 200;
    let dt = t / f64::from(STEPS);
    (0..STEPS).fold(x, |x, _| {
        let a = vortex(x);
        let b = vortex(x - a * (0.5 * dt));
        let c = vortex(x - b * (0.5 * dt));
        let d = vortex(x - c * dt);
        x - (a + b * 2.0 + c * 2.0 + d) * (dt / 6.0)
    })
}

pub const V71: Case = Case {
    id: "V71",
    title: "translated circle, characteristic map",
    exact: "V3 with `advection = \"characteristic-map\"`. Material enters through two sides.",
    note: "",
    deviation: "",
    measure: |setting, mesh, n| {
        let domain = setting.domain(mesh, n);
        let terms = wind(&domain, [1.0, 0.5, 0.0]);
        let start = domain.at_vertices(translated_circle(0.0));
        let run = evolve(&domain, &start, &terms, options(), 0.5);
        let [mean, _] = interface_error(&domain.plain, &run.phi, translated_circle(0.5));
        vec![mean]
    },
    series: &[
        Series {
            mesh: "diag",
            sizes: &[32, 64, 128],
            quick: 3,
            rows: &[Row::new("mean", &[]).gate(Gate::AtMost(9e-4)).order(1.8)],
        },
        Series {
            mesh: "jit",
            sizes: &[32, 64, 128],
            quick: 2,
            rows: &[Row::new("mean", &[]).gate(Gate::AtMost(2e-3)).order(1.8)],
        },
    ],
};

pub const V72: Case = Case {
    id: "V72",
    title: "circle in a swirl, characteristic map",
    exact: "A circle around the origin with R = 0.4 turns with the angular velocity 2 pi exp(-(r / \
            0.4)^2) until t = 5, and stays where it is.",
    note: "The swirl tears the map apart, which therefore begins again several times.",
    deviation: "",
    measure: |setting, mesh, n| {
        let domain = setting.domain(mesh, n);
        let circle = |x: Vec3| x.norm() - 0.4;
        let swirl = |x: Vec3| {
            let speed = TAU * (-(x.norm() / 0.4).powi(2)).exp();
            Vec3::new(-x.y, x.x, 0.0) * speed
        };
        let phi = domain.at_vertices(circle);
        let run = evolve(&domain, &phi, &flow(&domain, swirl), options(), 5.0);
        let difference = difference(&domain, &run.phi, circle);
        vec![difference, area_change(&domain, &phi, &run.phi), run.steps as f64]
    },
    series: &[series!("cross", 64, 1, 0.03, 0.03), series!("jit", 64, 1, 0.03, 0.03)],
};
