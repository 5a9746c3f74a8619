//! Verification cases for distances from vertices with fixed values.

use std::f64::consts::TAU;

use zeroset::geometry::Vec3;
use zeroset::geometry::shape::Shape;

use crate::case::{Case, Row, Series};
use crate::domains::Setting;
use crate::runs::*;

/// The row for the updates per patch. The case fails if the solver converges much more slowly than
/// it should.
pub const UPDATES: Row = Row::count("updates", 30.0);

/// Fixes exact values at the vertices where `source` holds. Returns the mean and the largest error
/// of the distance over all vertices, and the updates per patch.
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
    vec![mean, max, found.updates]
}

/// Fixes only the vertex nearest to a point. Returns the mean error of the distance and the updates
/// per patch.
fn from_vertex(
    setting: &Setting,
    mesh: &'static str,
    n: u32,
    point: Vec3,
    exact: impl Fn(Vec3, Vec3) -> f64,
) -> Vec<f64> {
    let domain = setting.domain(mesh, n);
    let at = |v: u32| Vec3::from(domain.plain.vertices[v as usize]);
    let gap = |v: &u32| (at(*v) - point).norm();
    let vertices = 0..domain.plain.n_vertices() as u32;
    let nearest = vertices.min_by(|a, b| gap(a).total_cmp(&gap(b))).unwrap();
    let found = distances(&domain, &[(nearest, 0.0)]);
    let [mean, _] = vertex_error(&domain.plain, &found.u, |x| Some(exact(x, at(nearest))));
    vec![mean, found.updates]
}

const fn series(mesh: &'static str, rows: &'static [Row]) -> Series {
    Series { mesh, sizes: &[32, 64, 128], quick: 3, rows }
}

const fn l1(expected: &'static [f64], order: f64) -> Row {
    Row::new("L1", expected).order(order)
}

const fn max(expected: &'static [f64], order: f64) -> Row {
    Row::new("max", expected).order(order)
}

const BALL_L1: Row = l1(&[0.0128, 0.0061, 0.0030], 0.95);
const BALL_MAX: Row = max(&[0.044, 0.022, 0.0109], 0.95);

pub const V27: Case = Case {
    id: "V27",
    title: "distance to a ball",
    exact: "The solver computes the distance r to the origin. Exact values are fixed where r < 0.2 \
            (tetrahedra: r < 0.3).",
    note: "\"L1\" is the mean error over all vertices. \"updates\" is the number of nbFIM updates \
           per patch. Its gate does not come from the companion.",
    deviation: "",
    measure: |setting, mesh, n| {
        let radius = if mesh == "tets" { 0.3 } else { 0.2 };
        from_region(setting, mesh, n, |x| x.norm() < radius, |x| x.norm())
    },
    series: &[
        series(
            "equi",
            &[l1(&[0.0079, 0.0038, 0.0018], 0.95), max(&[0.017, 0.0083, 0.0041], 0.95), UPDATES],
        ),
        series("diag", &[BALL_L1, BALL_MAX, UPDATES]),
        series("jit", &[BALL_L1, BALL_MAX, UPDATES]),
        series(
            "obt",
            &[l1(&[0.0101, 0.0051, 0.0025], 0.95), max(&[0.037, 0.019, 0.0095], 0.95), UPDATES],
        ),
        Series {
            mesh: "tets",
            sizes: &[10, 20, 30],
            quick: 3,
            rows: &[l1(&[0.070, 0.032, 0.0206], 0.95), max(&[0.155, 0.074, 0.049], 0.95), UPDATES],
        },
    ],
};

const fn vertex(expected: &'static [f64]) -> Row {
    Row::new("L1", expected).order_within(0.6, 0.85)
}

pub const V28: Case = Case {
    id: "V28",
    title: "distance from one vertex",
    exact: "The solver computes the distance from the vertex nearest to the origin. Only this \
            vertex is fixed.",
    note: "",
    deviation: "",
    measure: |setting, mesh, n| {
        from_vertex(setting, mesh, n, Vec3::zeros(), |x, source| (x - source).norm())
    },
    series: &[
        Series {
            mesh: "equi",
            sizes: &[32, 64, 128, 256],
            quick: 3,
            rows: &[vertex(&[0.0127, 0.0079, 0.0048, 0.0029]), UPDATES],
        },
        Series {
            mesh: "diag",
            sizes: &[32, 64, 128, 256],
            quick: 3,
            rows: &[vertex(&[0.020, 0.0126, 0.0077, 0.0045]), UPDATES],
        },
        series("obt", &[vertex(&[0.0216, 0.0131, 0.0077]), UPDATES]),
    ],
};

const MAX: Row = max(&[], 0.75);

pub const V32: Case = Case {
    id: "V32",
    title: "unsigned distance to curves and points",
    exact: "The solver computes three distances: to the segment from (-0.3, -0.1) to (0.35, 0.2), \
            to the filled box centered at the origin with half sides of 0.3 and 0.2, and to the \
            nearer of the points (-0.4, 0.013) and (0.37, -0.03). Exact values are fixed within \
            0.1 of the segment and of the box, and within 0.15 of the points.",
    note: "For `obt`, the companion only says that errors are up to 45 % larger than for `jit`. \
           The expected numbers for `obt` are therefore those for `jit` plus 45 %.",
    deviation: "",
    measure: |setting, mesh, n| match mesh.split(':').next_back() {
        Some("segment") => {
            let (a, b) = (Vec3::new(-0.3, -0.1, 0.0), Vec3::new(0.35, 0.2, 0.0));
            let exact = |x: Vec3| {
                let s = ((x - a).dot(&(b - a)) / (b - a).norm_squared()).clamp(0.0, 1.0);
                (x - a - (b - a) * s).norm()
            };
            from_region(setting, mesh, n, |x| exact(x) < 0.1, exact)
        }
        Some("box") => {
            let shape = Shape::Box { min: [-0.3, -0.2, -9.0], max: [0.3, 0.2, 9.0] };
            let exact = |x: Vec3| shape.signed_distance(x.into()).max(0.0);
            from_region(setting, mesh, n, |x| exact(x) < 0.1, exact)
        }
        _ => {
            let points = [Vec3::new(-0.4, 0.013, 0.0), Vec3::new(0.37, -0.03, 0.0)];
            let exact = |x: Vec3| (x - points[0]).norm().min((x - points[1]).norm());
            from_region(setting, mesh, n, |x| exact(x) < 0.15, exact)
        }
    },
    series: &[
        series("equi:segment", &[l1(&[0.0059, 0.0028, 0.0013], 0.85), MAX, UPDATES]),
        series("jit:segment", &[l1(&[0.0104, 0.0050, 0.0025], 0.85), MAX, UPDATES]),
        series("obt:segment", &[l1(&[0.0151, 0.0073, 0.0036], 0.85), MAX, UPDATES]),
        series("equi:box", &[l1(&[0.0053, 0.0025, 0.0013], 0.85), MAX, UPDATES]),
        series("jit:box", &[l1(&[0.0092, 0.0044, 0.0023], 0.85), MAX, UPDATES]),
        series("obt:box", &[l1(&[0.0133, 0.0064, 0.0033], 0.85), MAX, UPDATES]),
        series("equi:points", &[l1(&[0.0080, 0.0036, 0.0018], 0.85), MAX, UPDATES]),
        series("jit:points", &[l1(&[0.0124, 0.0060, 0.0028], 0.85), MAX, UPDATES]),
        series("obt:points", &[l1(&[0.0180, 0.0087, 0.0041], 0.85), MAX, UPDATES]),
    ],
};

pub const V33: Case = Case {
    id: "V33",
    title: "geodesic distance on the sphere",
    exact: "The solver computes the distance to a pole on the unit sphere. Exact values are fixed \
            in a cap around the pole with an angular radius of 0.9 rad (\"cap\"), or only the \
            vertex nearest to the pole is fixed (\"vertex\").",
    note: "The pole lies in the direction (0.3, 0.5, 0.8), which is not an axis of the mesh.",
    deviation: "",
    measure: |setting, mesh, n| {
        let pole = Vec3::new(0.3, 0.5, 0.8).normalize();
        let angle = |x: Vec3, y: Vec3| x.cross(&y).norm().atan2(x.dot(&y));
        let cap = from_region(setting, mesh, n, |x| angle(x, pole) < 0.9, |x| angle(x, pole));
        let vertex = from_vertex(setting, mesh, n, pole, angle);
        [cap, vertex].concat()
    },
    series: &[Series {
        mesh: "ico",
        sizes: &[3, 4, 5, 6],
        quick: 4,
        rows: &[
            Row::new("L1, cap", &[0.0038, 0.0020, 0.0010, 5.2e-4]).order(0.9),
            Row::new("max, cap", &[]),
            UPDATES,
            Row::new("L1, vertex", &[0.022, 0.016, 0.010, 0.0063]).order(0.45),
            UPDATES,
        ],
    }],
};

const REPORTED_MAX: Row = Row::new("max", &[]);

pub const V34: Case = Case {
    id: "V34",
    title: "developable surfaces and the torus",
    exact: "Exact values are fixed in a ball r < 0.3 on the unit cylinder, in a ball r < 0.1 at \
            slant height 0.8 on the cone (half angle 30 degrees, with its tip), and in a band \
            around the outer equator of the torus with radii 1 and r = 0.4. In this band, the \
            angle abs(v) around the tube is less than 0.21 of a full turn. The exact distance is \
            measured on the unrolled surface. On the torus, it is r v along the meridians.",
    note: "Vertices are moved by up to 0.1 of a cell, in the coordinates of the surface.",
    deviation: "",
    measure: |setting, mesh, n| match mesh {
        "cylinder" => {
            let exact = |x: Vec3| x.y.atan2(x.x).hypot(x.z);
            from_region(setting, mesh, n, |x| exact(x) < 0.3, exact)
        }
        "tip" => {
            // Unrolling the cone multiplies angles by the sine of the half angle, which is 1/2.
            let exact = |x: Vec3| {
                let (s, angle) = (x.norm(), 0.5 * x.y.atan2(x.x));
                (s * s + 0.64 - 1.6 * s * angle.cos()).max(0.0).sqrt()
            };
            from_region(setting, mesh, n, |x| exact(x) < 0.1, exact)
        }
        _ => {
            let v = |x: Vec3| x.z.atan2(x.x.hypot(x.y) - 1.0).abs();
            from_region(setting, mesh, n, |x| v(x) < 0.21 * TAU, |x| 0.4 * v(x))
        }
    },
    series: &[
        series("cylinder", &[l1(&[0.047, 0.0255, 0.0125], 0.85), REPORTED_MAX, UPDATES]),
        series("tip", &[l1(&[0.023, 0.0112, 0.0055], 0.95), REPORTED_MAX, UPDATES]),
        series("torus", &[l1(&[0.0056, 0.0012, 3.9e-4], 1.4), REPORTED_MAX, UPDATES]),
    ],
};
