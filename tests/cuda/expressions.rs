//! Tests that expressions have the same values on the GPU as on the CPU, except for the rounding of
//! functions.

use std::sync::Arc;

use zeroset::expression::{Expression, Field};
use zeroset::geometry::Real;
use zeroset::gpu::Cuda;
use zeroset::levelset::evolution::cuda::coefficients::{Coefficients, Listed, NONE, VaryingTerm};

use crate::support;

const N: usize = 10_000;
const TIME: f64 = 0.625;

/// Returns the `k`-th number of a scattered sequence in -range..range.
fn number(k: usize, range: f64) -> f64 {
    let bits = (k as u32).wrapping_mul(2_654_435_761).rotate_left(11) ^ k as u32;
    (f64::from(bits) / f64::from(u32::MAX) - 0.5) * 2.0 * range
}

fn vertices() -> Vec<[f64; 3]> {
    (0..N).map(|k| [number(3 * k, 2.0), number(3 * k + 1, 20.0), number(3 * k + 2, 0.9)]).collect()
}

/// Binds an expression to scattered numbers. Every seventh number of the array `gap` is NaN.
fn field(text: &str) -> Field {
    let rows = |name: &str| -> Arc<[f64]> {
        let value = |k: usize| match name == "gap" && k.is_multiple_of(7) {
            true => f64::NAN,
            false => number(k + 77_777 * name.len(), 3.0),
        };
        (0..N).map(value).collect()
    };
    Field::bind(&text.parse::<Expression>().unwrap(), |name| Ok(rows(name))).unwrap()
}

/// Returns the first vertex of each patch, followed by N. Patches have up to 70 vertices.
fn offsets() -> Vec<u32> {
    let mut offsets = vec![0u32];
    while (offsets[offsets.len() - 1] as usize) < N {
        let last = offsets[offsets.len() - 1];
        offsets.push((last + 1 + last % 70).min(N as u32));
    }
    offsets
}

/// Evaluates the terms in the listed patches. Returns the values, and two vertices per field:
/// first, for all fields, the first vertex where the value is not finite, then the first vertex
/// where it is negative although it must not be.
fn evaluated<R: Real>(
    cuda: &Arc<Cuda>,
    terms: &[VaryingTerm<'_>],
    order: &[u32],
    list: &[u32],
) -> (Vec<R>, Vec<u32>) {
    let coefficients = Coefficients::<R>::new(cuda.clone(), terms, &vertices(), order).unwrap();
    let (numbers, count) = (cuda.upload(list).unwrap(), cuda.upload(&[list.len() as u32]).unwrap());
    let (starts, time) = (cuda.upload(&offsets()).unwrap(), cuda.upload(&[TIME]).unwrap());
    let listed = Listed {
        list: numbers.address(),
        count: count.address(),
        most: list.len() as u32,
        time: time.address(),
    };
    // SAFETY: the arrays have these types and live until the values are read. Each patch is listed
    // once.
    unsafe { coefficients.evaluate_patches(listed, starts.address()) }.unwrap();
    let values = cuda.download(coefficients.values()).unwrap();
    let n_first = terms[0].fields.len() * N * size_of::<R>();
    assert_eq!(coefficients.values_of(1) - coefficients.values_of(0), n_first as u64);
    (values, cuda.download(coefficients.broken()).unwrap())
}

fn agrees<R: Real>(tolerance: f64) {
    let Some(cuda) = support::cuda() else { return };
    let velocity: Vec<Field> = [
        "-a + sqrt(abs(y))*exp(x) - log(abs(y) + 1)",
        "sin(y) * cos(y + t) + tan(x)/3 + asin(z) - acos(z) + tanh(y)",
        "atan2(y, x) + abs(z)^y + x^7 - x^-3 + {b b}^2 + y^16",
    ]
    .map(field)
    .into();
    let speed = [field(
        "if(floor(y) > 3 && !(x < 0) || z == a, min(x, y, z), max(y, a)) + sign(x)*step(z) \
         + (x <= y) + (y >= z) + (a != a) + (1/0)*0*(x > 99)",
    )];
    let gaps = [
        field("if(isnan(gap), 2, gap) + 4*(gap != 1) + 8*(gap == gap) + 16*(gap && x)"),
        field("if(gap, 1, 2) + 4*!gap + 8*(gap || 0) + 16*isnan(gap + x) + 32*step(gap)"),
        field("gap + {b b}"),
    ];
    let terms = [
        VaryingTerm { fields: &velocity, nonnegative: false },
        VaryingTerm { fields: &speed, nonnegative: false },
        VaryingTerm { fields: &gaps, nonnegative: false },
    ];
    let order: Vec<u32> = (0..N as u32).rev().collect();
    let list: Vec<u32> = (0..offsets().len() as u32 - 1).rev().collect();
    let (values, broken) = evaluated::<R>(&cuda, &terms, &order, &list);
    for (k, field) in velocity.iter().chain(&speed).chain(&gaps).enumerate() {
        let expected = field.values(&vertices(), TIME);
        for (v, &row) in order.iter().enumerate() {
            let expected = expected[row as usize];
            // The values of a term follow those of the terms before it.
            let place = match k {
                0..3 => 3 * v + k,
                3 => 3 * N + v,
                _ => 4 * N + 3 * v + k - 4,
            };
            let found = values[place].to_f64();
            // Terms of a sum may be larger than the sum itself.
            assert!(
                (found - expected).abs() <= tolerance * expected.abs().max(100.0)
                    || found.is_nan() && expected.is_nan(),
                "field {k}, vertex {row}: {found} on the GPU, {expected} on the CPU"
            );
        }
    }
    let first_nan = |field: &Field| {
        let values = field.values(&vertices(), TIME);
        order.iter().position(|&row| !values[row as usize].is_finite())
    };
    for (k, field) in velocity.iter().chain(&speed).chain(&gaps).enumerate() {
        assert_eq!(broken[k], first_nan(field).map_or(NONE, |v| v as u32), "field {k}");
    }
}

#[test]
fn values_are_those_of_the_cpu_in_f64() {
    agrees::<f64>(1e-14);
}

#[test]
fn values_are_those_of_the_cpu_in_f32() {
    agrees::<f32>(1e-6);
}

#[test]
fn only_listed_patches_are_written_and_broken_vertices_found() {
    let Some(cuda) = support::cuda() else { return };
    let rows: Vec<f64> = (0..N).map(|k| k as f64).collect();
    let by_row = |text: &str| {
        let expression: Expression = text.parse().unwrap();
        Field::bind(&expression, |_| Ok(rows.clone().into())).unwrap()
    };
    let fields = [by_row("if(r >= 5000, 1/0, 7)"), by_row("100.5 - r")];
    let terms = [
        VaryingTerm { fields: &fields[..1], nonnegative: false },
        VaryingTerm { fields: &fields[1..], nonnegative: true },
    ];
    let order: Vec<u32> = (0..N as u32).collect();
    let offsets = offsets();
    let list: Vec<u32> = (0..offsets.len() as u32 - 1).filter(|p| p % 2 == 1).collect();
    let (values, broken) = evaluated::<f64>(&cuda, &terms, &order, &list);
    let is_listed: Vec<bool> = (0..offsets.len() - 1)
        .flat_map(|p| vec![p % 2 == 1; (offsets[p + 1] - offsets[p]) as usize])
        .collect();
    for v in 0..N {
        let expected = if v >= 5000 { f64::INFINITY } else { 7.0 };
        let written = [expected, 100.5 - v as f64];
        let expected = if is_listed[v] { written } else { [0.0; 2] };
        assert_eq!([values[v], values[N + v]], expected, "vertex {v}");
    }
    let first = |from: usize| (from..N).find(|&v| is_listed[v]).unwrap() as u32;
    assert_eq!(broken, [first(5000), NONE, NONE, first(101)]);
}
