//! Verification cases for advection, with the positive-coefficient and Taylor-Galerkin schemes.

use std::f64::consts::{PI, TAU};

use zeroset::geometry::Vec3;
use zeroset::geometry::shape::Shape;
use zeroset::levelset::evolution::{Advection, Options};

use crate::case::{Case, Floor, Gate, Row, Series};
use crate::domains::{Domain, Setting};
use crate::runs::*;

const SIZES: &[u32] = &[32, 64, 128];

const fn translation(mesh: &'static str, rows: &'static [Row]) -> Series {
    Series { mesh, sizes: SIZES, quick: 3, rows }
}

const fn mean(expected: &'static [f64]) -> Row {
    Row::new("mean", expected).order(0.95)
}

fn translated_circle(domain: &Domain, options: Options) -> Vec<f64> {
    let at = |t: f64| Vec3::new(-0.3 + t, -0.2 + 0.5 * t, 0.0);
    let phi = domain.at_vertices(|x| (x - at(0.0)).norm() - 0.3);
    let run = evolve(domain, &phi, &wind(domain, [1.0, 0.5, 0.0]), options, 0.5);
    let [mean, _] = interface_error(&domain.plain, &run.phi, |x| (x - at(0.5)).norm() - 0.3);
    vec![mean, area_error(&domain.plain, &run.phi, PI * 0.09)]
}

pub const V3: Case = Case {
    id: "V3",
    title: "translated circle",
    exact: "A circle centered at (-0.3, -0.2) with R = 0.3 moves with a = (1, 0.5) until t = 0.5.",
    note: "",
    deviation: "",
    measure: |setting, mesh, n| translated_circle(&setting.domain(mesh, n), whole()),
    series: &[
        translation("diag", &[mean(&[0.025, 0.0108, 0.0050]), Row::area(&[-0.037])]),
        translation("cross", &[mean(&[0.017, 0.0073, 0.0034]), Row::area(&[-0.022])]),
        translation("jit", &[mean(&[0.035, 0.0155, 0.0070]), Row::area(&[-0.051])]),
        translation("del", &[mean(&[0.027, 0.0126, 0.0058]), Row::area(&[-0.039])]),
        translation("equi", &[mean(&[0.019, 0.0086, 0.0040]), Row::area(&[-0.027])]),
        translation("obt", &[mean(&[0.017, 0.0078, 0.0037]), Row::area(&[-0.028])]),
    ],
};

const fn second_order(expected: &'static [f64]) -> Row {
    Row::new("mean", expected).order(1.4)
}

pub const V4: Case = Case {
    id: "V4",
    title: "translated circle, Taylor-Galerkin",
    exact: "V3 with Taylor-Galerkin steps and C = 1.5. `diag:band` uses a band with a half width \
            of 8 cells.",
    note: "",
    deviation: "",
    measure: |setting, mesh, n| {
        let domain = setting.domain(mesh, n);
        let options = match mesh.ends_with(":band") {
            true => {
                band(16.0 / f64::from(n)).with_advection(Advection::TaylorGalerkin).with_cfl(1.5)
            }
            false => galerkin(),
        };
        translated_circle(&domain, options)
    },
    series: &[
        translation(
            "diag",
            &[second_order(&[1.2e-3, 2.5e-4, 6.2e-5]), Row::area(&[f64::NAN, -0.0017, f64::NAN])],
        ),
        translation("jit", &[second_order(&[1.8e-3, 5.3e-4, f64::NAN]), Row::area(&[])]),
        translation("obt", &[second_order(&[3.4e-4, 6.6e-5, 1.6e-5]), Row::area(&[])]),
        Series {
            mesh: "diag:band",
            sizes: &[64],
            quick: 1,
            rows: &[Row::new("mean", &[3e-4]), Row::area(&[])],
        },
    ],
};

/// Returns the row for the number of reinitializations. The displacement rule needs one at the
/// start, and at most one each time the path has advanced by half of the half width.
const fn reinitializations(expected: &'static [f64]) -> Row {
    Row::new("reinitializations", expected).gate(Gate::Times(1.0)).floor(Floor::Count)
}

pub const V5: Case = Case {
    id: "V5",
    title: "translated circle in a band",
    exact: "V3 in a band with a half width of 5 cells (`diag:w3`: 3 cells), with the displacement \
            rule ([narrow-band.md](narrow-band.md), section 4).",
    note: "The expected number of reinitializations is the path length 0.559 divided by w/2 and \
           rounded down, plus the one at the start.",
    deviation: "",
    measure: |setting, mesh, n| {
        let domain = setting.domain(mesh, n);
        let at = |t: f64| Vec3::new(-0.3 + t, -0.2 + 0.5 * t, 0.0);
        let phi = domain.at_vertices(|x| (x - at(0.0)).norm() - 0.3);
        let cells = if mesh.ends_with(":w3") { 3.0 } else { 5.0 };
        let options = band(cells * 2.0 / f64::from(n));
        let run = evolve(&domain, &phi, &wind(&domain, [1.0, 0.5, 0.0]), options, 0.5);
        let [mean, _] = interface_error(&domain.plain, &run.phi, |x| (x - at(0.5)).norm() - 0.3);
        vec![mean, run.reinitializations as f64]
    },
    series: &[
        translation(
            "diag",
            &[mean(&[0.0247, 0.0110, 0.0053]), reinitializations(&[4.0, 8.0, 15.0])],
        ),
        translation("jit", &[mean(&[0.033, 0.0151, 0.0072]), reinitializations(&[4.0, 8.0, 15.0])]),
        Series {
            mesh: "diag:w3",
            sizes: &[64, 128],
            quick: 2,
            rows: &[Row::new("mean", &[0.0060]), reinitializations(&[12.0, 24.0])],
        },
    ],
};

const fn ball(mesh: &'static str, rows: &'static [Row]) -> Series {
    Series { mesh, sizes: &[12, 24, 36], quick: 2, rows }
}

fn translated_sphere(domain: &Domain, options: Options) -> Vec<f64> {
    let at = |t: f64| Vec3::new(-0.2 + t, -0.1 + 0.5 * t, 0.25 * t);
    let phi = domain.at_vertices(|x| (x - at(0.0)).norm() - 0.45);
    let run = evolve(domain, &phi, &wind(domain, [1.0, 0.5, 0.25]), options, 0.4);
    let [mean, _] = interface_error(&domain.plain, &run.phi, |x| (x - at(0.4)).norm() - 0.45);
    vec![mean, area_error(&domain.plain, &run.phi, 4.0 / 3.0 * PI * 0.45f64.powi(3))]
}

pub const V6: Case = Case {
    id: "V6",
    title: "translated sphere",
    exact: "A sphere centered at (-0.2, -0.1, 0) with R = 0.45 moves with a = (1, 0.5, 0.25) until \
            t = 0.4 on tetrahedra.",
    note: "",
    deviation: "",
    measure: |setting, mesh, n| translated_sphere(&setting.domain(mesh, n), whole()),
    series: &[
        ball("kuhn", &[Row::new("mean", &[0.062, 0.027, 0.0171]).order(1.0), Row::area(&[-0.12])]),
        ball("tets", &[Row::new("mean", &[0.067, 0.030, 0.0188]).order(1.0), Row::area(&[-0.13])]),
    ],
};

pub const V7: Case = Case {
    id: "V7",
    title: "translated sphere, Taylor-Galerkin",
    exact: "V6 with Taylor-Galerkin steps and C = 1.5.",
    note: "",
    deviation: "",
    measure: |setting, mesh, n| translated_sphere(&setting.domain(mesh, n), galerkin()),
    series: &[Series {
        mesh: "tets",
        sizes: &[12, 24],
        quick: 2,
        rows: &[Row::new("mean", &[0.0078, 0.0026]).order(1.3), Row::area(&[-0.073, -0.018])],
    }],
};

/// Rotates a shape once about the origin, so that it ends where it began, and returns the relative
/// change in its area.
fn turned(setting: &Setting, mesh: &'static str, n: u32, shape: &Shape, area: f64) -> Vec<f64> {
    let domain = setting.domain(mesh, n);
    let phi = domain.at_vertices(|x| shape.signed_distance(x.into()));
    let rotation = flow(&domain, |x| Vec3::new(-x.y, x.x, 0.0) * TAU);
    let is_second_order = mesh.ends_with(":tg");
    let options = if is_second_order { galerkin() } else { whole() };
    let run = evolve(&domain, &phi, &rotation, options, 1.0);
    // The area lost by a second-order scheme is smaller than the error of measuring the area on
    // linear cells. The loss is therefore relative to the initial area measured in the same way,
    // not to the exact area.
    let start = if is_second_order { measure(&domain.plain, &phi).enclosed } else { area };
    vec![area_error(&domain.plain, &run.phi, start)]
}

pub const V8: Case = Case {
    id: "V8",
    title: "slotted disk",
    exact: "A disk centered at (0, 0.5) with R = 0.3 has a slot where abs(x) < 0.05 and y < 0.7. \
            The disk makes one turn with a = 2 pi (-y, x).",
    note: "The case reproduces the losses of the first-order scheme. The disk is too small for \
           this scheme and vanishes at n = 50. The runs marked `:tg` take Taylor-Galerkin steps \
           with C = 1.5. Their loss is relative to the area on the mesh at the start.",
    deviation: "",
    measure: |setting, mesh, n| {
        let shape = Shape::SlottedDisk {
            center: [0.0, 0.5, 0.0],
            radius: 0.3,
            slot_width: 0.1,
            slot_top: 0.7,
        };
        // The slot is a strip of width 0.1 from the edge of the disk up to y = 0.7.
        let segment = 0.09 * (0.05f64 / 0.3).asin() - 0.05 * (0.09f64 - 0.0025).sqrt();
        let slot = 0.1 * (0.2 + (0.09f64 - 0.0025).sqrt()) + segment;
        turned(setting, mesh, n, &shape, PI * 0.09 - slot)
    },
    series: &[
        Series {
            mesh: "cross",
            sizes: &[50, 100],
            quick: 1,
            rows: &[Row::area(&[-1.0, -0.77]).gate(Gate::Within(0.1))],
        },
        Series {
            mesh: "jit",
            sizes: &[100],
            quick: 0,
            rows: &[Row::area(&[-0.87]).gate(Gate::Within(0.1))],
        },
        Series {
            mesh: "cross:tg",
            sizes: &[50, 100],
            quick: 1,
            rows: &[Row::area(&[-0.012, -0.008]).gate(Gate::AtMost(0.03))],
        },
        Series {
            mesh: "jit:tg",
            sizes: &[50, 100],
            quick: 0,
            rows: &[Row::area(&[0.059, -0.003]).gate(Gate::Near(0.0, 0.03, 100))],
        },
    ],
};

pub const V9: Case = Case {
    id: "V9",
    title: "rotated disk",
    exact: "A disk centered at (0, 0.5) with R = 0.3 makes one turn with a = 2 pi (-y, x).",
    note: "The runs marked `:tg` take Taylor-Galerkin steps with C = 1.5.",
    deviation: "The loss of the runs marked `:tg` is relative to the area on the mesh at the \
                start. The companion prints -0.1 %, which is taken as a loss of up to 0.15 %.",
    measure: |setting, mesh, n| {
        let shape = Shape::Ball { center: [0.0, 0.5, 0.0], radius: 0.3 };
        turned(setting, mesh, n, &shape, PI * 0.09)
    },
    series: &[
        Series {
            mesh: "cross",
            sizes: &[50, 100],
            quick: 1,
            rows: &[Row::area(&[-0.69, -0.29]).gate(Gate::Times(1.5))],
        },
        Series {
            mesh: "cross:tg",
            sizes: &[50, 100],
            quick: 1,
            rows: &[Row::area(&[-0.021, -0.0015]).gate(Gate::Times(1.5))],
        },
    ],
};

pub const V24: Case = Case {
    id: "V24",
    title: "rotated cap on the sphere",
    exact: "A cap of the unit sphere, centered at (1, 0, 0) with an angular radius of 0.6 rad, \
            turns about the z axis by 0.8 rad until t = 1.",
    note: "The runs marked `:tg` take Taylor-Galerkin steps with C = 1.5.",
    deviation: "",
    measure: |setting, mesh, n| {
        let domain = setting.domain(mesh, n);
        let cap = |x: Vec3, turn: f64| {
            x.normalize().dot(&Vec3::new(turn.cos(), turn.sin(), 0.0)).acos() - 0.6
        };
        let phi = domain.at_vertices(|x| cap(x, 0.0));
        let rotation = flow(&domain, |x| Vec3::new(-x.y, x.x, 0.0) * 0.8);
        let options = if mesh.ends_with(":tg") { galerkin() } else { whole() };
        let run = evolve(&domain, &phi, &rotation, options, 1.0);
        let [mean, _] = interface_error(&domain.plain, &run.phi, |x| cap(x, 0.8));
        vec![mean, area_error(&domain.plain, &run.phi, TAU * (1.0 - 0.6f64.cos()))]
    },
    series: &[
        Series {
            mesh: "ico",
            sizes: &[3, 4, 5],
            quick: 3,
            rows: &[Row::new("mean", &[0.028, 0.0126, 0.0061]).order(0.95), Row::area(&[-0.02])],
        },
        Series {
            mesh: "ico:tg",
            sizes: &[3, 4, 5],
            quick: 3,
            rows: &[Row::new("mean", &[1.6e-3, 3.8e-4, 9.0e-5]).order(1.7), Row::area(&[])],
        },
    ],
};
