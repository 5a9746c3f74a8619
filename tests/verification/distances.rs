//! Distances from fixed values.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use zeroset::geometry::Vec3;
use zeroset::geometry::shape::Shape;

use crate::case::{Case, Gate, Row, Series};
use crate::domains::Setting;
use crate::runs::*;

/// Rounds of nbFIM; a silent loss of convergence fails here.
const ROUNDS: Row = Row::new("rounds", &[]).gate(Gate::AtMost(200.0));

/// Distances from the vertices where `source` holds, with exact values there: mean and largest
/// error over the other vertices, and rounds.
fn from_region(
    setting: &Setting,
    mesh: &'static str,
    n: u32,
    source: impl Fn(Vec3) -> bool,
    exact: impl Fn(Vec3) -> f64,
) -> Vec<f64> {
    let domain = setting.domain(mesh, n);
    let vertices = domain.plain.vertices.iter().map(|&x| Vec3::from(x)).zip(0..);
    let fixed: Vec<(u32, f64)> =
        vertices.filter(|(x, _)| source(*x)).map(|(x, v)| (v, exact(x))).collect();
    let found = distances(&domain, &fixed);
    let [mean, max] = vertex_error(&domain.plain, &found.u, |x| Some(exact(x)));
    vec![mean, max, found.rounds as f64]
}

/// Distances from the one vertex nearest to a point: mean error, and rounds.
fn from_vertex(
    setting: &Setting,
    mesh: &'static str,
    n: u32,
    point: Vec3,
    exact: impl Fn(Vec3, Vec3) -> f64,
) -> Vec<f64> {
    let domain = setting.domain(mesh, n);
    let gap = |v: &u32| (Vec3::from(domain.plain.vertices[*v as usize]) - point).norm();
    let nearest =
        (0..domain.plain.n_vertices() as u32).min_by(|a, b| gap(a).total_cmp(&gap(b))).unwrap();
    let source = Vec3::from(domain.plain.vertices[nearest as usize]);
    let found = distances(&domain, &[(nearest, 0.0)]);
    let [mean, _] = vertex_error(&domain.plain, &found.u, |x| Some(exact(x, source)));
    vec![mean, found.rounds as f64]
}

const fn series(mesh: &'static str, sizes: &'static [u32], rows: &'static [Row]) -> Series {
    Series { mesh, sizes, quick: 3, rows }
}

const SQUARE: &[u32] = &[32, 64, 128];

const fn l1(expected: &'static [f64], order: f64) -> Row {
    Row::new("L1", expected).order(order)
}

const fn max(expected: &'static [f64], order: f64) -> Row {
    Row::new("max", expected).order(order)
}

pub const V27: Case = Case {
    id: "V27",
    title: "distance to a ball",
    exact: "distance to the origin, exact values fixed in r < 0.2 (tetrahedra 0.3)",
    note: "",
    measure: |setting, mesh, n| {
        let radius = if mesh == "tets" { 0.3 } else { 0.2 };
        from_region(setting, mesh, n, |x| x.norm() < radius, |x| x.norm())
    },
    series: &[
        series(
            "equi",
            SQUARE,
            &[l1(&[0.0079, 0.0038, 0.0018], 0.95), max(&[0.017, 0.0083, 0.0041], 0.95), ROUNDS],
        ),
        series(
            "diag",
            SQUARE,
            &[l1(&[0.0128, 0.0061, 0.0030], 0.95), max(&[0.044, 0.022, 0.0109], 0.95), ROUNDS],
        ),
        series(
            "jit",
            SQUARE,
            &[l1(&[0.0128, 0.0061, 0.0030], 0.95), max(&[0.044, 0.022, 0.0109], 0.95), ROUNDS],
        ),
        series(
            "obt",
            SQUARE,
            &[l1(&[0.0101, 0.0051, 0.0025], 0.95), max(&[0.037, 0.019, 0.0095], 0.95), ROUNDS],
        ),
        series(
            "tets",
            &[10, 20, 30],
            &[l1(&[0.070, 0.032, 0.0206], 0.95), max(&[0.155, 0.074, 0.049], 0.95), ROUNDS],
        ),
    ],
};

pub const V28: Case = Case {
    id: "V28",
    title: "distance from one vertex",
    exact: "distance from the vertex nearest to the origin, only that one fixed",
    note: "",
    measure: |setting, mesh, n| {
        from_vertex(setting, mesh, n, Vec3::zeros(), |x, source| (x - source).norm())
    },
    series: &[
        series(
            "equi",
            &[32, 64, 128, 256],
            &[Row::new("L1", &[0.0127, 0.0079, 0.0048, 0.0029]).order_within(0.6, 0.85), ROUNDS],
        ),
        series(
            "diag",
            &[32, 64, 128, 256],
            &[Row::new("L1", &[0.020, 0.0126, 0.0077, 0.0045]).order_within(0.6, 0.85), ROUNDS],
        ),
        series(
            "obt",
            &[32, 64, 128],
            &[Row::new("L1", &[0.0216, 0.0131, 0.0077]).order_within(0.6, 0.85), ROUNDS],
        ),
    ],
};

pub const V32: Case = Case {
    id: "V32",
    title: "unsigned distance to curves and points",
    exact: "exact values fixed within the radius in brackets of: the segment (-0.3, -0.1) to \
            (0.35, 0.2) (0.1), the box with half sides 0.3 and 0.2, outside (0.1), the points \
            (-0.4, 0.013) and (0.37, -0.03) (0.15)",
    note: "",
    measure: |setting, mesh, n| {
        let (name, shape) = mesh.split_once(':').unwrap();
        let _ = name;
        match shape {
            "segment" => {
                let (a, b) = (Vec3::new(-0.3, -0.1, 0.0), Vec3::new(0.35, 0.2, 0.0));
                let exact = |x: Vec3| {
                    let s = ((x - a).dot(&(b - a)) / (b - a).norm_squared()).clamp(0.0, 1.0);
                    (x - a - (b - a) * s).norm()
                };
                from_region(setting, mesh, n, |x| exact(x) < 0.1, exact)
            }
            "box" => {
                let shape = Shape::Box { min: [-0.3, -0.2, -9.0], max: [0.3, 0.2, 9.0] };
                let exact = |x: Vec3| shape.signed_distance(x.into()).max(0.0);
                from_region(setting, mesh, n, |x| exact(x) < 0.1, exact)
            }
            _ => {
                let points = [Vec3::new(-0.4, 0.013, 0.0), Vec3::new(0.37, -0.03, 0.0)];
                let exact = |x: Vec3| (x - points[0]).norm().min((x - points[1]).norm());
                from_region(setting, mesh, n, |x| exact(x) < 0.15, exact)
            }
        }
    },
    series: &[
        series(
            "equi:segment",
            SQUARE,
            &[l1(&[0.0059, 0.0028, 0.0013], 0.85), max(&[], 0.75), ROUNDS],
        ),
        series(
            "jit:segment",
            SQUARE,
            &[l1(&[0.0104, 0.0050, 0.0025], 0.85), max(&[], 0.75), ROUNDS],
        ),
        series("obt:segment", SQUARE, &[l1(&[], 0.85), max(&[], 0.75), ROUNDS]),
        series("equi:box", SQUARE, &[l1(&[0.0053, 0.0025, 0.0013], 0.85), max(&[], 0.75), ROUNDS]),
        series("jit:box", SQUARE, &[l1(&[0.0092, 0.0044, 0.0023], 0.85), max(&[], 0.75), ROUNDS]),
        series("obt:box", SQUARE, &[l1(&[], 0.85), max(&[], 0.75), ROUNDS]),
        series(
            "equi:points",
            SQUARE,
            &[l1(&[0.0080, 0.0036, 0.0018], 0.85), max(&[], 0.75), ROUNDS],
        ),
        series(
            "jit:points",
            SQUARE,
            &[l1(&[0.0124, 0.0060, 0.0028], 0.85), max(&[], 0.75), ROUNDS],
        ),
        series("obt:points", SQUARE, &[l1(&[], 0.85), max(&[], 0.75), ROUNDS]),
    ],
};

pub const V33: Case = Case {
    id: "V33",
    title: "geodesic distance on the sphere",
    exact: "unit sphere: distance to the pole, exact values fixed in a cap of 0.9 rad (cap), only \
            the vertex nearest to the pole fixed (vertex)",
    note: "",
    measure: |setting, mesh, n| {
        let pole = Vec3::z();
        let angle = |x: Vec3, y: Vec3| x.cross(&y).norm().atan2(x.dot(&y));
        let mut numbers =
            from_region(setting, mesh, n, |x| angle(x, pole) < 0.9, |x| angle(x, pole));
        numbers.extend(from_vertex(setting, mesh, n, pole, angle));
        numbers
    },
    series: &[Series {
        mesh: "ico",
        sizes: &[3, 4, 5, 6],
        quick: 4,
        rows: &[
            Row::new("L1, cap", &[0.0038, 0.0020, 0.0010, 5.2e-4]).order(0.9),
            Row::new("max, cap", &[]),
            ROUNDS,
            Row::new("L1, vertex", &[0.022, 0.016, 0.010, 0.0063]).order(0.45),
            ROUNDS,
        ],
    }],
};

pub const V34: Case = Case {
    id: "V34",
    title: "unfoldable surfaces and the torus",
    exact: "exact values fixed: on the unit cylinder in a ball r < 0.3, on the cone (half angle \
            30 degrees) in a ball r < 0.1 at slant 0.8, on the torus R = 1, r = 0.4 in the band \
            abs(v) < 0.21 turns around the outer equator; distances of the unrolled surface, on \
            the torus r v along meridians",
    note: "",
    measure: |setting, mesh, n| {
        let numbers = match mesh {
            "cylinder" => {
                let exact = |x: Vec3| x.y.atan2(x.x).hypot(x.z);
                from_region(setting, mesh, n, |x| exact(x) < 0.3, exact)
            }
            "cone" => {
                // Unrolled, angles shrink by the sine of the half angle, 1/2.
                let exact = |x: Vec3| {
                    let (s, angle) = (x.norm(), 0.5 * x.y.atan2(x.x));
                    (s * s + 0.64 - 1.6 * s * angle.cos()).max(0.0).sqrt()
                };
                from_region(setting, mesh, n, |x| exact(x) < 0.1, exact)
            }
            _ => {
                let v = |x: Vec3| x.z.atan2(x.x.hypot(x.y) - 1.0).abs();
                let exact = |x: Vec3| 0.4 * v(x);
                from_region(setting, mesh, n, |x| v(x) < 0.21 * TAU, exact)
            }
        };
        numbers
    },
    series: &[
        series(
            "cylinder",
            SQUARE,
            &[l1(&[0.047, 0.0255, 0.0125], 0.85), Row::new("max", &[]), ROUNDS],
        ),
        series("cone", SQUARE, &[l1(&[0.023, 0.0112, 0.0055], 0.95), Row::new("max", &[]), ROUNDS]),
        series(
            "torus",
            SQUARE,
            &[l1(&[0.0056, 0.0012, 3.9e-4], 1.4), Row::new("max", &[]), ROUNDS],
        ),
    ],
};

#[allow(dead_code)]
const UNUSED: [f64; 2] = [FRAC_PI_2, PI];
