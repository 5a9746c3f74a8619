//! Circular fronts from point sources (V54).

use zeroset::geometry::Vec3;

use crate::case::{Case, Floor, Gate, Row, Series};
use crate::domains::{Domain, Setting};
use crate::runs::*;

/// The vertex nearest to a point.
fn nearest_vertex(domain: &Domain, point: Vec3) -> u32 {
    let gap = |v: &u32| (Vec3::from(domain.plain.vertices[*v as usize]) - point).norm();
    (0..domain.plain.n_vertices() as u32).min_by(|a, b| gap(a).total_cmp(&gap(b))).unwrap()
}

/// Mean of `|u - exact| / exact`, and the largest `(exact - u) / exact`, over the vertices that are
/// no source.
pub fn relative(u: &[f64], exact: &[f64]) -> [f64; 2] {
    let pairs = || u.iter().zip(exact).filter(|(_, exact)| **exact > 0.0);
    let n = pairs().count() as f64;
    let mean = pairs().map(|(u, exact)| (u - exact).abs() / exact).sum::<f64>() / n;
    [mean, largest(pairs().map(|(u, exact)| (exact - u) / exact))]
}

fn plane(setting: &Setting, mesh: &'static str, n: u32) -> Vec<f64> {
    let domain = setting.domain(mesh, n);
    let points = [Vec3::new(-0.37, 0.21, 0.0), Vec3::new(0.52, -0.4, 0.0)];
    let from = points.map(|point| nearest_vertex(&domain, point));
    let exact = |sources: &[u32]| -> Vec<f64> {
        let gap = |x: Vec3, v: &u32| (x - Vec3::from(domain.plain.vertices[*v as usize])).norm();
        domain.at_vertices(|x| sources.iter().map(|v| gap(x, v)).fold(f64::INFINITY, f64::min))
    };
    let mut numbers = Vec::new();
    for (sources, one_by_one) in [(&from[..1], true), (&from[..], true), (&from[..], false)] {
        let found = circular_distances(&domain, sources, one_by_one);
        let exact = exact(sources);
        let errors = found.u.iter().zip(&exact).map(|(u, exact)| (u - exact).abs());
        if one_by_one {
            numbers.push(largest(errors));
        } else {
            numbers.extend(relative(&found.u, &exact));
        }
        numbers.push(found.updates);
    }
    numbers
}

fn sphere(setting: &Setting, mesh: &'static str, n: u32) -> Vec<f64> {
    let domain = setting.domain(mesh, n);
    let pole = nearest_vertex(&domain, Vec3::new(0.3, 0.5, 0.8));
    let at = Vec3::from(domain.plain.vertices[pole as usize]);
    let exact = domain.at_vertices(|x| x.cross(&at).norm().atan2(x.dot(&at)));
    let found = circular_distances(&domain, &[pole], true);
    let [mean, undershoot] = relative(&found.u, &exact);
    vec![mean, undershoot, found.updates]
}

const EXACT: Gate = Gate::AtMost(1e-12);

const PLANE: &[Row] = &[
    Row::new("max, one source", &[]).gate(EXACT),
    UPDATES,
    Row::new("max, two sources", &[]).gate(EXACT),
    UPDATES,
    Row::new("relative, two at once", &[]),
    Row::new("undershoot, two at once", &[]),
    UPDATES,
];

/// Rounds of several solves, the first over all patches, so more than for one.
const UPDATES: Row = Row::count("updates", 60.0);

const fn on_plane(mesh: &'static str) -> Series {
    Series { mesh, sizes: &[32, 64, 128], quick: 2, rows: PLANE }
}

pub const V54: Case = Case {
    id: "V54",
    title: "circular fronts",
    exact: "square: distance from the vertices nearest to (-0.37, 0.21) and (0.52, -0.4), from the \
            first and from both; unit sphere: distance from the vertex nearest to the direction \
            (0.3, 0.5, 0.8)",
    note: "On the sphere the mean of |d - exact| / exact over all vertices but the source, and the \
           largest (exact - d) / exact. Two sources are solved one by one, and all at once for \
           comparison.",
    deviation: "",
    measure: |setting, mesh, n| match mesh {
        "ico" => sphere(setting, mesh, n),
        _ => plane(setting, mesh, n),
    },
    series: &[
        on_plane("diag"),
        on_plane("jit"),
        on_plane("del"),
        on_plane("obt"),
        Series {
            mesh: "ico",
            sizes: &[3, 4, 5, 6],
            quick: 3,
            rows: &[
                Row::new("mean, relative", &[5e-4, f64::NAN]).gate(Gate::Times(1.0)),
                Row::new("undershoot, relative", &[1e-3, f64::NAN])
                    .gate(Gate::Times(1.0))
                    .floor(Floor::Rate),
                UPDATES,
            ],
        },
    ],
};
