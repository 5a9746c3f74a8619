//! Verification cases for the order of the terms in time, and for the extinction of curves.

use std::sync::Arc;

use zeroset::Cpu;
use zeroset::geometry::Vec3;
use zeroset::levelset::eikonal::Fit;
use zeroset::levelset::evolution::{
    Coefficient, CurvatureStep, Evolution, HALO_EDGES, NormalMotion, Options, Rule, Terms,
};
use zeroset::mesh::{Mesh, clean};
use zeroset::surface::extract;

use crate::case::{Case, Floor, Gate, Row, Series};
use crate::domains::{Domain, Setting, mean_edge};
use crate::runs::*;

/// The center of circles. It lies on no vertex, edge or symmetry axis of a mesh.
const CENTER: Vec3 = Vec3::new(0.03, 0.02, 0.0);

/// Returns options for a band of 5 mean edges with a quadratic fit.
fn quadratic(domain: &Domain) -> Options {
    let edge = mean_edge(&domain.plain);
    Options::new(Some(5.0 * edge)).with_fit(Fit::Quadratic, HALO_EDGES * edge)
}

pub const V64: Case = Case {
    id: "V64",
    title: "semi-implicit curvature, order in time",
    exact: "V15 on `diag` with 64 cells per side, in a band of 10 edges with \
            `reinitialize.fit = \"quadratic\"`, reinitialization every 8 steps, and n steps of equal \
            length. \"difference\" is the difference of the mean radius from that with 2 n steps. \
            It measures only the error in time.",
    note: "`extrapolated` and `implicit` are values of `evolve.curvature_step`.",
    deviation: "",
    measure: |setting, mesh, n| {
        let domain = setting.domain("diag", 64);
        let step = match mesh {
            "extrapolated" => CurvatureStep::Extrapolated,
            _ => CurvatureStep::Implicit,
        };
        vec![(radius(&domain, step, n) - radius(&domain, step, 2 * n)).abs()]
    },
    series: &[
        Series {
            mesh: "extrapolated",
            sizes: &[8, 16, 32],
            quick: 3,
            rows: &[Row::new("difference", &[]).gate(Gate::AtMost(3e-3)).overall_order(1.8)],
        },
        Series {
            mesh: "implicit",
            sizes: &[8, 16, 32],
            quick: 1,
            rows: &[Row::new("difference", &[]).gate(Gate::None)],
        },
    ],
};

/// Returns the mean radius at t = 0.1 of a circle that starts with R = 0.6, after `n` steps.
fn radius(domain: &Domain, step: CurvatureStep, n: u32) -> f64 {
    let edge = mean_edge(&domain.plain);
    let options = Options::new(Some(10.0 * edge))
        .with_fit(Fit::Quadratic, HALO_EDGES * edge)
        .with_rule(Rule::Every(8))
        .with_curvature_step(step)
        .with_cfl(1e6);
    let phi = domain.at_vertices(|x| (x - CENTER).norm() - 0.6);
    let (cpu, patches) = (Arc::new(Cpu::new(1).unwrap()), domain.patches.clone());
    let mesh = &domain.solved;
    let mut run = Evolution::<f64>::new(cpu, mesh, patches, &phi, &curvature(), options).unwrap();
    for _ in 0..n {
        run.step(0.1 / f64::from(n)).unwrap();
    }
    let line = extract(mesh, &run.phi()).vertices;
    line.iter().map(|&x| (Vec3::from(x) - CENTER).norm()).sum::<f64>() / line.len() as f64
}

pub const V65: Case = Case {
    id: "V65",
    title: "extinction of curves",
    exact: "The ellipse of V60, and a circle with R0 = 0.6, which vanishes at t = 0.18, under \
            curvature in a band of 5 edges; the latitude circle of V20 (`ico`). The numbers are \
            extinction times divided by the exact ones.",
    note: "After `:plane`, the fit is the default; after `:implicit`, steps are semi-implicit.",
    deviation: "",
    measure: |setting, mesh, n| {
        let domain = setting.domain(mesh, n);
        let edge = mean_edge(&domain.plain);
        let options = match mesh.contains(":plane") {
            true => Options::new(Some(5.0 * edge)),
            false => quadratic(&domain),
        };
        let options = options.with_curvature_step(match mesh.contains(":implicit") {
            true => CurvatureStep::Implicit,
            false => CurvatureStep::Explicit,
        });
        let extinction = |start: &dyn Fn(Vec3) -> f64, time: f64| {
            let phi = domain.at_vertices(start);
            evolve(&domain, &phi, &curvature(), options.clone(), 2.0 * time).time / time
        };
        if mesh.starts_with("ico") {
            let angle = |x: Vec3| x.xy().norm().atan2(x.z);
            return vec![extinction(&|x| angle(x) - 1.0, -1f64.cos().ln())];
        }
        let ellipse = |x: Vec3| {
            let y = x - CENTER;
            (y.x.hypot(2.0 * y.y) / 0.6 - 1.0) * 0.3
        };
        let circle = |x: Vec3| (x - CENTER).norm() - 0.6;
        vec![extinction(&ellipse, 0.09), extinction(&circle, 0.18)]
    },
    series: &[
        planar("diag"),
        planar("diag:implicit"),
        planar("diag:plane"),
        planar("diag:plane:implicit"),
        planar("cross"),
        planar("equi"),
        planar("obt"),
        planar("jit:implicit"),
        spherical("ico"),
        spherical("ico:implicit"),
        spherical("ico:plane"),
    ],
};

const fn extinct(quantity: &'static str) -> Row {
    Row::new(quantity, &[]).gate(Gate::Near(1.0, 0.02, 0)).floor(Floor::Rate)
}

const CURVES: &[Row] = &[extinct("ellipse"), extinct("circle")];
const LATITUDE: &[Row] = &[extinct("latitude circle")];

const fn planar(mesh: &'static str) -> Series {
    Series { mesh, sizes: &[32, 64], quick: 1, rows: CURVES }
}

const fn spherical(mesh: &'static str) -> Series {
    Series { mesh, sizes: &[3, 4], quick: 2, rows: LATITUDE }
}

pub const V66: Case = Case {
    id: "V66",
    title: "front behind a re-entrant corner",
    exact: "A straight front at y = -0.5 moves upward at speed 1 in [-1, 1]^2 without the quadrant x \
            > 0, y < 0. Behind the corner, it is a circle around (0, 0). The run ends at t = 1.1. \
            \"largest\" is the largest distance from the exact interface; \"wall\" is how far the \
            front is from the exact one on the wall y = 0 in the shadow.",
    note: "phi starts as the exact distance along paths in the domain. `:hopf-lax` stands for \
           `normal_motion = \"hopf-lax\"`. With the default scheme, the front creeps along the wall, \
           and the largest error does not converge.",
    deviation: "",
    measure: |setting, mesh, n| {
        let domain = corner(setting, n);
        let far = |x: Vec3| match (x.x <= 0.0, x.y >= 0.0) {
            (true, _) => x.y + 0.5,
            (_, true) => 0.5 + x.xy().norm(),
            (_, false) => 0.5,
        };
        let options = whole().with_normal_motion(match mesh {
            "diag:hopf-lax" => NormalMotion::HopfLax,
            _ => NormalMotion::PositiveCoefficient,
        });
        let end = 1.1;
        let run = evolve(&domain, &domain.at_vertices(far), &front(1.0), options, end);
        let [mean, most] = interface_error(&domain.plain, &run.phi, |x| far(x) - end);
        let line = extract(&domain.plain, &run.phi).vertices;
        let on_wall = line.iter().filter(|x| x[0] > 0.0 && x[1].abs() < 1e-9);
        let ahead = on_wall.map(|x| (x[0] - (end - 0.5)).abs());
        vec![mean, most, ahead.fold(0.0, f64::max)]
    },
    series: &[
        Series {
            mesh: "diag:hopf-lax",
            sizes: &[32, 64, 128],
            quick: 2,
            rows: &[
                Row::new("mean", &[]).gate(Gate::AtMost(8e-3)).overall_order(0.8),
                Row::new("largest", &[]).gate(Gate::AtMost(2e-2)).overall_order(0.7),
                Row::new("wall", &[]).gate(Gate::AtMost(2e-3)),
            ],
        },
        Series {
            mesh: "diag",
            sizes: &[32, 64, 128],
            quick: 1,
            rows: &[
                Row::new("mean", &[]).gate(Gate::None),
                Row::new("largest", &[]).gate(Gate::None),
                Row::new("wall", &[]).gate(Gate::None),
            ],
        },
    ],
};

/// Returns `diag` without the cells in the quadrant x > 0, y < 0.
fn corner(setting: &Setting, n: u32) -> Domain {
    let plain = crate::domains::mesh("diag", n, 1);
    let is_kept = |cell: &&[u32]| {
        let at = |v: &u32| Vec3::from(plain.vertices[*v as usize]);
        let middle = cell.iter().map(at).sum::<Vec3>();
        !(middle.x > 0.0 && middle.y < 0.0)
    };
    let cells = plain.iter_cells().filter(is_kept).flatten().copied().collect();
    setting.place(clean(Mesh::new(plain.kind, plain.vertices.clone(), cells)).unwrap().0)
}

pub const V67: Case = Case {
    id: "V67",
    title: "motion along the normal at a speed that varies",
    exact: "The speed is 1 + x. The points that a front from (0.1, 0.05) reaches at a time t form a \
            circle with the center (1.1 cosh t - 1, 0.05) and the radius 1.1 sinh t. The run goes \
            from t = 0.25 to 0.55 in a band of 5 edges with a quadratic fit.",
    note: "It converges only at first order: a cell uses the mean speed of its corners, and Euler \
           steps are of first order where the speed varies along the normal.",
    deviation: "",
    measure: |setting, mesh, n| {
        let domain = setting.domain(mesh, n);
        let circle = |t: f64| {
            let (center, r) = (Vec3::new(1.1 * t.cosh() - 1.0, 0.05, 0.0), 1.1 * t.sinh());
            move |x: Vec3| (x - center).norm() - r
        };
        let speeds = domain.plain.vertices.iter().map(|x| [1.0 + x[0]]).collect();
        let terms = Terms::default().with_normal_speed(Coefficient::PerVertex(speeds));
        let phi = domain.at_vertices(circle(0.25));
        let run = evolve(&domain, &phi, &terms, quadratic(&domain), 0.3);
        let [mean, _] = interface_error(&domain.plain, &run.phi, circle(0.55));
        vec![mean]
    },
    series: &[Series {
        mesh: "diag",
        sizes: &[32, 64, 128],
        quick: 2,
        rows: &[Row::new("mean", &[]).gate(Gate::None)],
    }],
};
