//! The verification case that compares nbFIM with two other solvers (V38): global sweeps and fast
//! marching.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use zeroset::geometry::Vec3;
use zeroset::levelset::eikonal::formulas::arrival;
use zeroset::mesh::Mesh;
use zeroset::patches::{Partition, Patches};

use crate::case::{Case, Floor, Gate, Row, Series};
use crate::operators::scattered;
use crate::runs::*;

/// Sweeps over all cells until nothing changes. The result is the fixed point by definition.
fn fixed_point<const N: usize>(mesh: &Mesh, fixed: &[(u32, f64)]) -> Vec<f64> {
    let mut u = start(mesh, fixed);
    let given: Vec<bool> = u.iter().map(|u| u.is_finite()).collect();
    loop {
        let before = u.clone();
        for cell in mesh.iter_cells() {
            for i in 0..N {
                let v = cell[i] as usize;
                if !given[v] {
                    u[v] = u[v].min(offer::<N>(mesh, cell, &u, i));
                }
            }
        }
        if u == before {
            return u;
        }
    }
}

fn start(mesh: &Mesh, fixed: &[(u32, f64)]) -> Vec<f64> {
    let mut u = vec![f64::INFINITY; mesh.n_vertices()];
    for &(v, value) in fixed {
        u[v as usize] = value;
    }
    u
}

fn offer<const N: usize>(mesh: &Mesh, cell: &[u32], u: &[f64], i: usize) -> f64 {
    let x: [Vec3; N] = std::array::from_fn(|k| mesh.vertices[cell[k] as usize].into());
    arrival(&std::array::from_fn(|k| u[cell[k] as usize]), &x, i, 1.0)
}

/// Computes distances by fast marching. Each vertex is accepted once, in ascending order of the
/// values. The result is correct if no cell is obtuse.
fn fast_marching(mesh: &Mesh, fixed: &[(u32, f64)]) -> Vec<f64> {
    let mut cells_of = vec![Vec::new(); mesh.n_vertices()];
    for (c, cell) in mesh.iter_cells().enumerate() {
        for &v in cell {
            cells_of[v as usize].push(c);
        }
    }
    let mut u = start(mesh, fixed);
    let mut known = start(mesh, &[]);
    // The values are not negative, so their bits sort like the numbers.
    let mut heap: BinaryHeap<Reverse<(u64, u32)>> =
        fixed.iter().map(|&(v, value)| Reverse((value.to_bits(), v))).collect();
    while let Some(Reverse((bits, v))) = heap.pop() {
        if known[v as usize].is_finite() || bits != u[v as usize].to_bits() {
            continue;
        }
        known[v as usize] = u[v as usize];
        for &c in &cells_of[v as usize] {
            let cell = &mesh.cells[3 * c..3 * c + 3];
            for i in 0..3 {
                let w = cell[i] as usize;
                let offered = offer::<3>(mesh, cell, &known, i);
                if known[w].is_infinite() && offered < u[w] {
                    u[w] = offered;
                    heap.push(Reverse((offered.to_bits(), cell[i])));
                }
            }
        }
    }
    known
}

/// Returns a row for the difference from the fixed point.
///
/// With patches of 7 vertices or of scattered vertices, fronts cross a large number of patch
/// boundaries. In single precision, each patch may withhold a change that is below the tolerance.
const fn same(quantity: &'static str, floor: Floor) -> Row {
    Row::new(quantity, &[2.3e-16]).gate(Gate::AtMost(1e-13)).floor(floor)
}

const DEFAULT: Row = same("default", Floor::FixedPoint);
const ONCE: Row = same("1 repetition", Floor::FixedPoint);
const FIVE: Row = same("5 repetitions", Floor::FixedPoint);
const TWENTY: Row = same("20 repetitions", Floor::FixedPoint);
const SMALL: Row = same("patches of 7", Floor::Length);
const RANDOM: Row = same("random patches", Floor::Length);
const MARCHING: Row = Row::new("fast marching", &[0.0]);

const SAME: &[Row] = &[DEFAULT, ONCE, FIVE, TWENTY, SMALL, RANDOM];
const SAME_AS_MARCHING: &[Row] =
    &[DEFAULT, ONCE, FIVE, TWENTY, SMALL, RANDOM, MARCHING.gate(Gate::AtMost(1e-13))];
const OBTUSE: &[Row] =
    &[DEFAULT, ONCE, FIVE, TWENTY, SMALL, RANDOM, Row { expected: &[], ..MARCHING }];

const fn one(mesh: &'static str, size: &'static [u32], rows: &'static [Row]) -> Series {
    Series { mesh, sizes: size, quick: 1, rows }
}

pub const V38: Case = Case {
    id: "V38",
    title: "nbFIM and the global fixed point",
    exact: "The fixed point comes from sweeps over all cells until nothing changes. The sources \
            are exact values in a ball of radius 0.2 (tetrahedra: 0.3) and the value 0.3 at vertex \
            0. The rows give the largest difference between the result of nbFIM and the fixed \
            point: with default options, with 1, 5 and 20 repetitions inside a patch, with patches \
            of 7 vertices, and with patches of random vertices. The last row compares fast \
            marching with the fixed point. Fast marching is correct on meshes without obtuse \
            cells.",
    note: "Unit tests in `src/levelset/eikonal` cover other orders in which patches are updated.",
    deviation: "In single precision, results with the default patches must agree to within 4e-7 \
                times the diagonal of the square. With patches of 7 vertices and of random \
                vertices, they need to agree only to within 2e-6 times the diagonal, because each \
                patch that a front crosses may withhold a change below the tolerance.",
    measure: |setting, mesh, n| {
        let mut domain = setting.domain(mesh, n);
        let is_volume = domain.plain.kind.arity() == 4;
        let radius = if is_volume { 0.3 } else { 0.2 };
        let norms = domain.plain.vertices.iter().map(|&x| Vec3::from(x).norm()).zip(0..);
        let mut fixed: Vec<(u32, f64)> =
            norms.filter(|(r, _)| *r < radius).map(|(r, v)| (v, r)).collect();
        fixed.push((0, 0.3));
        let exact = match is_volume {
            true => fixed_point::<4>(&domain.solved, &fixed),
            false => fixed_point::<3>(&domain.solved, &fixed),
        };
        let difference = |u: Vec<f64>| largest(u.iter().zip(&exact).map(|(a, b)| (a - b).abs()));
        let mut numbers = vec![difference(distances(&domain, &fixed).u)];
        for n in [1, 5, 20] {
            numbers.push(difference(distances_repeating(&domain, &fixed, Some(n)).u));
        }
        let small = Patches::new(&domain.solved, Partition::Hilbert, 7);
        let scattered = scattered(domain.solved.n_vertices());
        let random = Patches::from_parts(&domain.solved, &scattered);
        for patches in [small, random] {
            domain.patches = patches.unwrap().into();
            numbers.push(difference(distances(&domain, &fixed).u));
        }
        if !is_volume {
            numbers.push(difference(fast_marching(&domain.solved, &fixed)));
        }
        numbers
    },
    series: &[
        one("equi", &[48], SAME_AS_MARCHING),
        one("diag", &[48], SAME_AS_MARCHING),
        one("jit", &[48], OBTUSE),
        one("obt", &[32], OBTUSE),
        one("ico", &[4], OBTUSE),
        one("tets", &[10], SAME),
    ],
};
