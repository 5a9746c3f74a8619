//! Verification cases for whole runs in narrow bands with `reinitialize.fit = "quadratic"`, with
//! the number of reinitializations that they need.

use std::f64::consts::{PI, TAU};

use zeroset::geometry::Vec3;
use zeroset::geometry::shape::Shape;
use zeroset::levelset::eikonal::Fit;
use zeroset::levelset::evolution::{HALO_EDGES, Options, Terms};

use crate::case::{Case, Floor, Gate, Row, Series};
use crate::domains::{Domain, mean_edge};
use crate::runs::*;

/// The center of circles. It lies on no vertex, edge or symmetry axis of a mesh.
const CENTER: Vec3 = Vec3::new(0.03, 0.02, 0.0);

/// The number of reinitializations, which is only reported.
const CALLS: Row = Row::new("reinitializations", &[]).gate(Gate::None).floor(Floor::Count);

/// Returns the row for the mean error, which must not exceed `limit` at any size.
const fn mean(limit: f64) -> Row {
    Row::new("mean", &[]).gate(Gate::AtMost(limit)).floor(Floor::Curvature)
}

/// Returns the series of a planar mesh. The name of the mesh ends with a colon and the half width
/// in mean edge lengths. With `:plane` at the end, the fit is the default.
const fn square(mesh: &'static str, rows: &'static [Row]) -> Series {
    Series { mesh, sizes: &[32, 64, 128], quick: 2, rows }
}

/// Returns the options that the name of the mesh states.
fn options(domain: &Domain, mesh: &str) -> Options {
    let mut parts = mesh.split(':').skip(1);
    let edges: f64 = parts.next().and_then(|band| band.parse().ok()).expect("a number of edges");
    let edge = mean_edge(&domain.plain);
    let options = Options::new(Some(edges * edge));
    match parts.next() {
        Some("plane") => options,
        _ => options.with_fit(Fit::Quadratic, HALO_EDGES * edge),
    }
}

/// Returns the mean error and the number of reinitializations of a run from `phi` until `end`.
fn run_to(
    domain: &Domain,
    mesh: &str,
    start: impl Fn(Vec3) -> f64,
    terms: &Terms,
    end: f64,
    exact: impl Fn(Vec3) -> f64,
) -> Vec<f64> {
    let run = evolve(domain, &domain.at_vertices(start), terms, options(domain, mesh), end);
    let [mean, _] = interface_error(&domain.plain, &run.phi, exact);
    vec![mean, run.reinitializations as f64]
}

/// The remark on the names of the meshes.
const NAMES: &str = "The numbers after the meshes are the half widths of the bands in mean edge \
                     lengths. With `:plane`, the fit is the default.";

pub const V55: Case = Case {
    id: "V55",
    title: "circle under curvature, whole runs with a quadratic fit",
    exact: "V15 with `reinitialize.fit = \"quadratic\"` and otherwise the default options.",
    note: NAMES,
    deviation: "",
    measure: |setting, mesh, n| {
        let domain = setting.domain(mesh, n);
        let circle = |r: f64| move |x: Vec3| (x - CENTER).norm() - r;
        run_to(&domain, mesh, circle(0.6), &curvature(), 0.1, circle(0.4))
    },
    series: &[
        square("diag:3", &[mean(6e-4).overall_order(1.8), CALLS]),
        square("diag:5", &[mean(6e-4).overall_order(1.8), CALLS]),
        square("diag:10", &[mean(7e-4).overall_order(1.8), CALLS]),
        square("diag:5:plane", &[mean(1.0).gate(Gate::None), CALLS]),
    ],
};

/// Returns the circle of V3 at a time.
pub fn translated_circle(t: f64) -> impl Fn(Vec3) -> f64 + Copy {
    let center = Vec3::new(-0.3 + t, -0.2 + 0.5 * t, 0.0);
    move |x: Vec3| (x - center).norm() - 0.3
}

pub const V56: Case = Case {
    id: "V56",
    title: "translated circle, whole runs with a quadratic fit",
    exact: "V3 with `reinitialize.fit = \"quadratic\"` and otherwise the default options.",
    note: "",
    deviation: "",
    measure: |setting, mesh, n| {
        let domain = setting.domain(mesh, n);
        let (start, end) = (translated_circle(0.0), translated_circle(0.5));
        run_to(&domain, mesh, start, &wind(&domain, [1.0, 0.5, 0.0]), 0.5, end)
    },
    series: &[
        square("diag:3", &[mean(9e-4).overall_order(1.7), CALLS]),
        square("diag:5", &[mean(9e-4).overall_order(1.8), CALLS]),
        square("diag:10", &[mean(1.3e-3).overall_order(1.8), CALLS]),
        square("diag:5:plane", &[mean(1.0).gate(Gate::None), CALLS]),
    ],
};

pub const V57: Case = Case {
    id: "V57",
    title: "growing circle, whole runs with a quadratic fit",
    exact: "A circle centered at (0.03, 0.02) grows at speed 1 from R = 0.3 to R = 0.65. The options \
            are those of V56.",
    note: "",
    deviation: "",
    measure: |setting, mesh, n| {
        let domain = setting.domain(mesh, n);
        let circle = |r: f64| move |x: Vec3| (x - CENTER).norm() - r;
        run_to(&domain, mesh, circle(0.3), &front(1.0), 0.35, circle(0.65))
    },
    series: &[
        square("diag:3", &[mean(1.7e-3).overall_order(1.8), CALLS]),
        square("diag:5", &[mean(1.9e-3).overall_order(1.8), CALLS]),
        square("diag:10", &[mean(3.8e-3).overall_order(1.8), CALLS]),
        square("diag:5:plane", &[mean(1.0).gate(Gate::None), CALLS]),
    ],
};

/// Returns the slotted disk of V8.
pub const fn slotted_disk() -> Shape {
    Shape::SlottedDisk { center: [0.0, 0.5, 0.0], radius: 0.3, slot_width: 0.1, slot_top: 0.7 }
}

pub const V58: Case = Case {
    id: "V58",
    title: "slotted disk, whole runs with a quadratic fit",
    exact: "The slotted disk of V8 makes one turn. \"difference\" is the area where the result \
            differs from the start, relative to the area of the disk.",
    note: "",
    deviation: "",
    measure: |setting, mesh, n| {
        let domain = setting.domain(mesh, n);
        let shape = slotted_disk();
        let start = |x: Vec3| shape.signed_distance(x.into());
        let terms = flow(&domain, |x| Vec3::new(-x.y, x.x, 0.0) * TAU);
        let run = evolve(&domain, &domain.at_vertices(start), &terms, options(&domain, mesh), 1.0);
        vec![difference(&domain, &run.phi, start), run.reinitializations as f64]
    },
    series: &[
        Series {
            mesh: "cross:5",
            sizes: &[50, 100],
            quick: 1,
            rows: &[Row::new("difference", &[]).gate(Gate::AtMost(0.12)).floor(Floor::Rate), CALLS],
        },
        Series {
            mesh: "cross:5:plane",
            sizes: &[50, 100],
            quick: 1,
            rows: &[Row::new("difference", &[]).gate(Gate::None).floor(Floor::Rate), CALLS],
        },
    ],
};

pub const V59: Case = Case {
    id: "V59",
    title: "parallel of a torus under geodesic curvature",
    exact: "A torus has the radii 1 and 0.4. The parallels at the angles v = 1 and -1 on the tube \
            move with beta = 1 until t = 0.1: v' = sin v / (0.4 (1 + 0.4 cos v)). The options are \
            those of V56.",
    note: "",
    deviation: "",
    measure: |setting, mesh, n| {
        let domain = setting.domain(mesh, n);
        let angle = |x: Vec3| x.z.atan2(x.xy().norm() - 1.0);
        let speed = |v: f64| v.sin() / (0.4 * (1.0 + 0.4 * v.cos()));
        let (steps, end) = (1000, 0.1);
        let dt = end / f64::from(steps);
        let v = (0..steps).fold(1.0, |v, _| v + dt * speed(v + 0.5 * dt * speed(v)));
        let from = |v: f64| move |x: Vec3| 0.4 * (angle(x).abs() - v);
        run_to(&domain, mesh, from(1.0), &curvature(), end, from(v))
    },
    series: &[Series {
        mesh: "torus:5",
        sizes: &[54, 108],
        quick: 2,
        rows: &[mean(8e-4).order(1.0), CALLS],
    }],
};

pub const V60: Case = Case {
    id: "V60",
    title: "extinction of an ellipse under curvature",
    exact: "An ellipse with the half axes 0.6 and 0.3 moves with beta = 1. The area of any closed \
            curve changes by -2 pi beta t, so it vanishes at t = 0.09. The options are those of V56.",
    note: "\"extinction\" is the time at which the curve no longer cuts any cell, divided by the \
           exact time.",
    deviation: "",
    measure: |setting, mesh, n| {
        let domain = setting.domain(mesh, n);
        let axes = [0.6, 0.3];
        let start = |x: Vec3| {
            let y = (x - CENTER).component_div(&Vec3::new(axes[0], axes[1], 1.0));
            (y.norm() - 1.0) * axes[1]
        };
        let time = axes[0] * axes[1] * PI / TAU;
        let phi = domain.at_vertices(start);
        let run = evolve(&domain, &phi, &curvature(), options(&domain, mesh), 2.0 * time);
        vec![run.time / time, run.reinitializations as f64]
    },
    series: &[
        Series {
            mesh: "diag:5",
            sizes: &[32, 64],
            quick: 2,
            rows: &[
                Row::new("extinction", &[]).gate(Gate::Near(1.0, 0.02, 0)).floor(Floor::Rate),
                CALLS,
            ],
        },
        Series {
            mesh: "diag:5:plane",
            sizes: &[32, 64],
            quick: 1,
            rows: &[
                Row::new("extinction", &[]).gate(Gate::Near(1.0, 0.02, 0)).floor(Floor::Rate),
                CALLS,
            ],
        },
    ],
};

/// Returns the area where the sign of phi differs from that of `shape`, relative to the area where
/// `shape` is negative. Both are sampled at 36 points of each cell.
pub fn difference(domain: &Domain, phi: &[f64], shape: impl Fn(Vec3) -> f64) -> f64 {
    const PARTS: usize = 8;
    let mesh = &domain.plain;
    let (mut differs, mut inside) = (0.0, 0.0);
    for cell in mesh.iter_cells() {
        let x: [Vec3; 3] = std::array::from_fn(|i| mesh.vertices[cell[i] as usize].into());
        let area = (x[1] - x[0]).cross(&(x[2] - x[0])).norm();
        for i in 0..PARTS {
            for j in 0..PARTS - i {
                let [b, c] = [i, j].map(|k| (k as f64 + 1.0 / 3.0) / PARTS as f64);
                let weights = [1.0 - b - c, b, c];
                let at = x[0] * weights[0] + x[1] * b + x[2] * c;
                let value: f64 = (0..3).map(|k| weights[k] * phi[cell[k] as usize]).sum();
                let is_inside = shape(at) < 0.0;
                inside += if is_inside { area } else { 0.0 };
                differs += if is_inside != (value < 0.0) { area } else { 0.0 };
            }
        }
    }
    differs / inside
}
