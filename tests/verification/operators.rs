//! Verification cases for the spatial operator: linear functions, symmetries, maximum principle.

use zeroset::geometry::Vec3;
use zeroset::levelset::evolution::{Advection, Coefficient, NormalMotion, Options, Terms};
use zeroset::mesh::{Kind, Mesh};

use crate::case::{Case, Gate, Row, Series};
use crate::domains::{Domain, Setting, turn};
use crate::runs::*;

/// Returns a reproducible pseudorandom number from -1 to 1.
pub fn noise(k: usize) -> f64 {
    let mut x = (k as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x ^= x >> 31;
    x = x.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    ((x ^ x >> 29) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// Divides the vertices into patches of about 40 vertices, which are scattered over the whole mesh.
pub fn scattered(n_vertices: usize) -> Vec<u32> {
    let n_patches = (n_vertices / 40) as f64;
    (0..n_vertices).map(|v| ((noise(v) + 1.0) * 0.5 * n_patches) as u32).collect()
}

const fn one(mesh: &'static str, size: &'static [u32], rows: &'static [Row]) -> Series {
    Series { mesh, sizes: size, quick: 1, rows }
}

const LINEAR: &[Row] = &[
    Row::new("advection", &[4e-15]).gate(Gate::AtMost(1e-12)),
    Row::new("eps = 1", &[4e-15]).gate(Gate::AtMost(1e-12)),
    Row::new("eps = -1", &[4e-15]).gate(Gate::AtMost(1e-12)),
];

pub const V1: Case = Case {
    id: "V1",
    title: "linear functions",
    exact: "phi = 0.1 + p . x for six unit vectors p. The rows give the largest errors of a . p \
            with a = (1, 0.5, 0.25), and of eps abs(p) with eps = +-1, at interior vertices.",
    note: "",
    deviation: "",
    measure: |setting, mesh, n| {
        let domain = setting.domain(mesh, n);
        let flat = domain.plain.kind.arity() == 3;
        let vector = |v: [f64; 3]| Vec3::new(v[0], v[1], if flat { 0.0 } else { v[2] });
        let a = vector([1.0, 0.5, 0.25]);
        let mut worst = vec![0.0f64; 3];
        for k in 0..6 {
            let p = vector([noise(3 * k), noise(3 * k + 1), noise(3 * k + 2)]).normalize();
            let phi = domain.at_vertices(|x| 0.1 + p.dot(&x));
            let terms = [wind(&domain, a.into()), front(1.0), front(-1.0)];
            for (k, exact) in [a.dot(&p), p.norm(), -p.norm()].into_iter().enumerate() {
                let rate = rate(&domain, &phi, &terms[k], 1.0);
                let judged = |x: Vec3| is_inner(&x.into()).then_some(-exact);
                worst[k] = largest([worst[k], vertex_error(&domain.plain, &rate, judged)[1]]);
            }
        }
        worst
    },
    series: &[
        one("diag", &[16], LINEAR),
        one("jit", &[16], LINEAR),
        one("obt", &[16], LINEAR),
        one("kuhn", &[6], LINEAR),
        one("tets", &[6], LINEAR),
    ],
};

/// Returns the two first-order terms.
fn first_order_terms(a: [f64; 3]) -> Terms {
    Terms::default()
        .with_velocity(Coefficient::Uniform(a))
        .with_normal_speed(Coefficient::Uniform([0.4]))
}

/// Returns all three terms.
pub fn all_terms(a: [f64; 3]) -> Terms {
    first_order_terms(a).with_curvature(Coefficient::Uniform([0.05]))
}

/// Returns the mesh with reordered vertices and cells, and the new index of each vertex.
pub fn renumbered(mesh: &Mesh, seed: usize) -> (Mesh, Vec<u32>) {
    let shuffled = |n: usize, seed: usize| {
        let mut order: Vec<u32> = (0..n as u32).collect();
        order.sort_by(|&a, &b| {
            let key = |k: u32| noise(seed + 7919 * k as usize);
            key(a).total_cmp(&key(b))
        });
        order
    };
    let new_number = shuffled(mesh.n_vertices(), seed);
    let mut vertices = mesh.vertices.clone();
    for (&new, &x) in new_number.iter().zip(&mesh.vertices) {
        vertices[new as usize] = x;
    }
    let arity = mesh.kind.arity();
    let mut cells = Vec::with_capacity(mesh.cells.len());
    for &c in &shuffled(mesh.n_cells(), seed + 1) {
        let cell = &mesh.cells[c as usize * arity..][..arity];
        // Even permutations keep the orientation.
        let turned = [cell[1], cell[2], cell[0]].into_iter().chain(cell.get(3).copied());
        cells.extend(turned.map(|v| new_number[v as usize]));
    }
    (Mesh::new(mesh.kind, vertices, cells), new_number)
}

/// Returns the mesh after a rotation and a translation.
pub fn moved(mesh: &Mesh) -> Mesh {
    let vertices = mesh.vertices.iter();
    let vertices = vertices.map(|&x| (turn(x.into()) + Vec3::new(3.0, -1.0, 2.0)).into()).collect();
    let kind = if mesh.kind == Kind::Planar { Kind::Surface } else { mesh.kind };
    Mesh::new(kind, vertices, mesh.cells.clone())
}

/// Returns the largest difference between `a` and `b`, relative to the largest absolute value of
/// `a`.
pub fn relative_difference(a: &[f64], b: &[f64]) -> f64 {
    let difference = largest(a.iter().zip(b).map(|(a, b)| (a - b).abs()));
    difference / largest(a.iter().map(|v| v.abs()))
}

/// Returns the changes in the rate of all terms under three symmetries, relative to the largest
/// rate.
///
/// The symmetries are a renumbering of vertices and cells, a rigid motion of the mesh, and a
/// multiplication of phi by 3.5. The fourth number is the change under the last symmetry for the
/// first-order terms alone.
pub fn symmetry_errors(domain: &Domain, setting: &Setting, phi: &[f64], seed: usize) -> [f64; 4] {
    let a = Vec3::new(0.6, 0.3, if domain.plain.kind.arity() == 4 { 0.2 } else { 0.0 });
    let reference = rate(domain, phi, &all_terms(a.into()), 0.1);

    let (mesh, new_number) = renumbered(&domain.plain, seed);
    let mut renamed = vec![0.0; phi.len()];
    for (&new, &value) in new_number.iter().zip(phi) {
        renamed[new as usize] = value;
    }
    let rates = rate(&setting.place(mesh), &renamed, &all_terms(a.into()), 0.1);
    let permuted: Vec<f64> = new_number.iter().map(|&new| rates[new as usize]).collect();

    let elsewhere = setting.place(moved(&domain.plain));
    let rigid = rate(&elsewhere, phi, &all_terms(turn(a).into()), 0.1);

    let larger: Vec<f64> = phi.iter().map(|v| 3.5 * v).collect();
    let scaled = |terms: &Terms| -> Vec<f64> {
        rate(domain, &larger, terms, 0.1).iter().map(|v| v / 3.5).collect()
    };
    let first_order = first_order_terms(a.into());
    [
        relative_difference(&reference, &permuted),
        relative_difference(&reference, &rigid),
        relative_difference(&reference, &scaled(&all_terms(a.into()))),
        relative_difference(&rate(domain, phi, &first_order, 0.1), &scaled(&first_order)),
    ]
}

const SYMMETRIES: &[Row] = &[
    Row::new("renumbered", &[3e-15]).gate(Gate::AtMost(1e-12)),
    Row::new("moved", &[3e-15]).gate(Gate::AtMost(1e-12)),
    Row::new("scaled", &[2e-6]).gate(Gate::AtMost(1e-5)),
    Row::new("scaled, first order", &[3e-15]).gate(Gate::AtMost(1e-12)),
];

pub const V2: Case = Case {
    id: "V2",
    title: "renumbering, rigid motion, scaling",
    exact: "All three terms are evaluated once for a distance function with added noise. The rows \
            give the changes in the rates, relative to the largest rate, when vertices and cells \
            are renumbered, when the mesh and the velocity are moved rigidly, and when phi is \
            multiplied by 3.5. The last row is for phi multiplied by 3.5 without the curvature \
            term.",
    note: "Only the floor delta of the curvature term does not scale with phi.",
    deviation: "",
    measure: |setting, mesh, n| {
        let domain = setting.domain(mesh, n);
        let h = 2.0 / f64::from(n);
        let mut phi = domain.at_vertices(|x| x.norm() - 0.5);
        phi.iter_mut().enumerate().for_each(|(k, v)| *v += 0.1 * h * noise(k));
        symmetry_errors(&domain, setting, &phi, 1).to_vec()
    },
    series: &[
        one("jit", &[24], SYMMETRIES),
        one("del", &[24], SYMMETRIES),
        one("tets", &[8], SYMMETRIES),
    ],
};

/// Returns the largest amount by which phi leaves the range of `start` during 60 steps, at the
/// vertices where `judged` holds.
fn excess(
    domain: &Domain,
    start: &[f64],
    terms: &Terms,
    options: &Options,
    judged: impl Fn(&[f64; 3]) -> bool,
) -> f64 {
    let low = start.iter().copied().fold(f64::INFINITY, f64::min);
    let high = start.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let judged: Vec<bool> = domain.plain.vertices.iter().map(judged).collect();
    let states = steps(domain, start, terms, options, 60);
    let values = states.iter().flat_map(|phi| phi.iter().zip(&judged).filter(|(_, j)| **j));
    largest(values.map(|(v, _)| (v - high).max(low - v)))
}

/// Returns whether a point is not on the boundary of the square or cube.
fn is_inner(x: &[f64; 3]) -> bool {
    x.iter().all(|c| c.abs() < 1.0 - 1e-9)
}

const STEP: Row = Row::new("step", &[0.0]).gate(Gate::AtMost(1e-12));
const CLAMPED: Row = Row::new("clamped", &[0.0]).gate(Gate::AtMost(1e-12));
const RANDOM: Row = Row::new("random", &[0.0]).gate(Gate::AtMost(1e-12));
const BOUNDED: &[Row] = &[STEP, CLAMPED, RANDOM];

pub const V39: Case = Case {
    id: "V39",
    title: "maximum principle",
    exact: "In 60 steps with C = 1, no value may leave the initial range of -1 to 1. The data are \
            a step at the surface of a ball with R = 0.35 (\"step\"), and the distance to this \
            ball divided by two cell widths and clamped to -1 to 1 (\"clamped\"). Each is run with \
            three velocities. Curvature flow starts from random data (\"random\").",
    note: "Random data are not a valid test of the first-order terms \
           ([level-set.md](level-set.md), section 2.4). For \"step\" and \
           \"clamped\", vertices on the boundary do not count. Where a step meets an inflow \
           boundary, they have no upwind cells and overshoot. The runs marked `:inflow` report \
           this overshoot for a half plane, over all vertices.",
    deviation: "",
    measure: |setting, mesh, n| {
        let domain = setting.domain(mesh, n);
        let step = |phi: f64| if phi < 0.0 { -1.0 } else { 1.0 };
        if mesh.ends_with(":inflow") {
            let half = domain.at_vertices(|x| step(x.x + 0.31));
            return vec![excess(&domain, &half, &wind(&domain, [1.0, 0.5, 0.0]), &whole(), |_| {
                true
            })];
        }
        let winds = match domain.plain.kind.arity() {
            4 => [[1.0, 0.5, 0.25], [-0.3, 0.5, 1.0], [-1.0, 0.7, 0.0]],
            _ => [[1.0, 0.5, 0.0], [0.2, 1.0, 0.0], [-1.0, 0.7, 0.0]],
        };
        let ball = |x: Vec3| (x - Vec3::new(0.05, 0.02, 0.01)).norm() - 0.35;
        let width = 2.0 * 2.0 / f64::from(n);
        let carried = |start: Vec<f64>| {
            largest(winds.map(|a| excess(&domain, &start, &wind(&domain, a), &whole(), is_inner)))
        };
        let random: Vec<f64> = (0..domain.plain.n_vertices()).map(noise).collect();
        vec![
            carried(domain.at_vertices(|x| step(ball(x)))),
            carried(domain.at_vertices(|x| (ball(x) / width).clamp(-1.0, 1.0))),
            excess(&domain, &random, &curvature(), &whole(), |_| true),
        ]
    },
    series: &[
        one("diag", &[40], BOUNDED),
        one("cross", &[40], BOUNDED),
        one("equi", &[40], BOUNDED),
        one("jit", &[40], BOUNDED),
        one("obt", &[40], BOUNDED),
        one("kuhn", &[24], BOUNDED),
        one("tets", &[24], BOUNDED),
        one("equi:inflow", &[32], &[Row::new("step", &[])]),
        one("jit:inflow", &[32], &[Row::new("step", &[])]),
    ],
};

const FREE_OF_EXCESS: Gate = Gate::AtMost(1e-14);

const MONOTONE: &[Row] = &[
    Row::new("clip", &[0.0]).gate(FREE_OF_EXCESS),
    Row::new("clip, Taylor-Galerkin", &[0.0]).gate(FREE_OF_EXCESS),
    Row::new("cone", &[0.0]).gate(FREE_OF_EXCESS),
    Row::new("Hopf-Lax, eps = 1", &[0.0]).gate(FREE_OF_EXCESS),
    Row::new("Hopf-Lax, eps = -1", &[0.0]).gate(FREE_OF_EXCESS),
    Row::new("clip, eps = 1", &[0.0]).gate(FREE_OF_EXCESS),
    Row::new("no option, eps = 1", &[]),
];

pub const V40: Case = Case {
    id: "V40",
    title: "maximum principle of the monotone options",
    exact: "60 steps with C = 1 start from random data between -1 and 1. No value may leave this \
            range with clipping, the cone scheme or the Hopf-Lax scheme.",
    note: "Without these options, the positive-coefficient scheme overshoots on random data (last \
           row).",
    deviation: "",
    measure: |setting, mesh, n| {
        let domain = setting.domain(mesh, n);
        let flat = domain.plain.kind.arity() == 3;
        let wind = wind(&domain, [1.0, 0.5, if flat { 0.0 } else { 0.25 }]);
        let random: Vec<f64> = (0..domain.plain.n_vertices()).map(noise).collect();
        let excess = |terms: &Terms, options: Options| {
            excess(&domain, &random, terms, &options, |_| true).max(0.0)
        };
        let hopf_lax = || whole().with_normal_motion(NormalMotion::HopfLax);
        vec![
            excess(&wind, whole().with_clip(true)),
            excess(&wind, galerkin().with_cfl(1.0).with_clip(true)),
            excess(&wind, whole().with_advection(Advection::Cone)),
            excess(&front(1.0), hopf_lax()),
            excess(&front(-1.0), hopf_lax()),
            excess(&front(1.0), whole().with_clip(true)),
            excess(&front(1.0), whole()),
        ]
    },
    series: &[
        one("diag", &[24], MONOTONE),
        one("jit", &[24], MONOTONE),
        one("obt", &[24], MONOTONE),
        one("tets", &[10], MONOTONE),
    ],
};

const fn single(quantity: &'static str, expected: &'static [f64]) -> Row {
    Row::new(quantity, expected).gate(Gate::Times(3.0))
}

pub const V42: Case = Case {
    id: "V42",
    title: "single against double precision",
    exact: "The rows give the largest difference between f32 and f64 for one evaluation of each \
            term, where phi is the distance to a circle with R = 0.5, and for the distance from a \
            vertex.",
    note: "The difference grows with 1/h for the rates of the first-order terms, and with 1/h^2 \
           for the curvature term. The largest value of the curvature term is about 135.",
    deviation: "The distance starts at a corner and covers the whole square, which is at least 90 \
                cells across. The gate for the distance is therefore the one for lengths in f32, \
                2e-6 of the diagonal.",
    measure: |setting, mesh, n| {
        let double = setting.domain(mesh, n);
        let single = Setting { single: true, ..*setting }.domain(mesh, n);
        let phi = double.at_vertices(|x| x.norm() - 0.5);
        let difference =
            |a: Vec<f64>, b: Vec<f64>| largest(a.iter().zip(&b).map(|(a, b)| (a - b).abs()));
        let terms = [wind(&double, [1.0, 0.5, 0.0]), front(1.0), curvature()];
        let mut found: Vec<f64> = terms
            .iter()
            .map(|terms| {
                difference(rate(&double, &phi, terms, 1.0), rate(&single, &phi, terms, 1.0))
            })
            .collect();
        let from = [(0, 0.0)];
        found.push(difference(distances(&double, &from).u, distances(&single, &from).u));
        found
    },
    series: &[one(
        "jit",
        &[64],
        &[
            single("advection", &[5e-6]),
            single("normal speed", &[6e-6]),
            single("curvature", &[4.4e-4]),
            Row::new("distance", &[1.7e-7]).gate(Gate::AtMost(5.7e-6)),
        ],
    )],
};
