//! The verification case for circular fronts from point sources (V54).

use zeroset::geometry::Vec3;
use zeroset::io::read_mesh;
use zeroset::mesh::clean;

use crate::case::{Case, Gate, Row, Series};
use crate::domains::{Domain, Setting};
use crate::exact::Exact;
use crate::runs::*;
use zeroset_testing::checkout::root;

/// Returns the vertex nearest to a point.
fn nearest_vertex(domain: &Domain, point: Vec3) -> u32 {
    let gap = |v: &u32| (Vec3::from(domain.plain.vertices[*v as usize]) - point).norm();
    (0..domain.plain.n_vertices() as u32).min_by(|a, b| gap(a).total_cmp(&gap(b))).unwrap()
}

/// Returns the mean of `|u - exact| / exact` and the largest `(exact - u) / exact` over all
/// vertices except the sources.
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

/// Compares distances on the cortex in `meshes/` with exact distances on the polyhedron, first for
/// circular and then for plane fronts. Returns the mean error, the undershoot and the largest
/// relative error for both.
fn cortex(setting: &Setting) -> Vec<f64> {
    let file = root().join("meshes/fsaverage5_pial_left.gii.gz");
    let mesh = clean(read_mesh(&file).unwrap().mesh).unwrap().0;
    let exact = Exact::new(&mesh).from(0);
    let domain = setting.place(mesh);
    let circular = circular_distances(&domain, &[0], true);
    let straight = straight_distances(&domain, 0);
    let mut numbers = Vec::new();
    for u in [&circular.u, &straight.u] {
        let pairs = u.iter().zip(&exact).filter(|(_, exact)| **exact > 0.0);
        numbers.extend(relative(u, &exact));
        numbers.push(largest(pairs.map(|(u, exact)| (u - exact).abs() / exact)));
    }
    numbers
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

/// The number of updates per patch. The limit is higher than for a single solve, because the number
/// covers several solves, the first of which visits all patches.
const UPDATES: Row = Row::count("updates", 60.0);

const fn on_plane(mesh: &'static str) -> Series {
    Series { mesh, sizes: &[32, 64, 128], quick: 2, rows: PLANE }
}

pub const V54: Case = Case {
    id: "V54",
    title: "circular fronts",
    exact: "On the square, the sources are the vertices nearest to (-0.37, 0.21) and (0.52, -0.4): \
            the first one alone, then both. On the unit sphere, the source is the vertex nearest \
            to the direction (0.3, 0.5, 0.8). On the left pial surface of fsaverage5, the source \
            is vertex 0, and an exact window method computes the exact distances on the \
            polyhedron.",
    note: "On the sphere and on the cortex, \"mean\" is the mean of |d - exact| / exact over all \
           vertices except the source, and \"undershoot\" is the largest (exact - d) / exact. With \
           two sources, the distances are computed one source at a time and, for comparison, with \
           both sources at once.",
    deviation: "On spheres, the error is of first order, because an unrolled circle is more \
                strongly curved than a front on a sphere. The gate of 5e-4 for the mean is met \
                only with at least 163,842 vertices (`ico` 7), not at `ico` 5. The largest \
                undershoot, on the far side, is above 1e-3. The expected numbers are therefore the \
                measured ones.",
    measure: |setting, mesh, n| match mesh {
        "ico" => sphere(setting, mesh, n),
        "cortex" => cortex(setting),
        _ => plane(setting, mesh, n),
    },
    series: &[
        on_plane("diag"),
        on_plane("jit"),
        on_plane("del"),
        on_plane("obt"),
        Series {
            mesh: "ico",
            sizes: &[4, 5, 6, 7],
            quick: 3,
            rows: &[
                Row::new("mean, relative", &[2.8e-3, 1.32e-3, 6.6e-4, 3.4e-4]).order(0.9),
                Row::new("undershoot, relative", &[0.0129, 7.1e-3, 3.6e-3, 1.8e-3]).order(0.8),
                UPDATES,
            ],
        },
        Series {
            mesh: "cortex",
            sizes: &[10_242],
            quick: 1,
            rows: &[
                Row::new("mean, circular", &[]).gate(Gate::AtMost(0.02)),
                Row::new("undershoot, circular", &[]).gate(Gate::AtMost(0.05)),
                Row::new("max, circular", &[]),
                Row::new("mean, straight", &[]),
                Row::new("undershoot, straight", &[]).gate(Gate::AtMost(1e-9)),
                Row::new("max, straight", &[]),
            ],
        },
    ],
};
