//! Generated code of expressions, compiled for the host and compared with the CPU's values.
#![cfg(feature = "kernel-host-tests")]

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use libloading::Library;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use zeroset::expression::{Expression, Field, Generated};

/// Stands for what the CUDA compiler knows by itself; threads run one after the other.
const SHIM: &str = r#"
#include <cmath>
#include <cstddef>
#define __device__
#define __global__
struct Index { unsigned x; };
static Index blockIdx, threadIdx, blockDim, gridDim;
static unsigned atomicMin(unsigned* at, unsigned value) {
    const unsigned old = *at;
    if (value < old) *at = value;
    return old;
}
"#;

/// Calls kernels and generated functions.
const CALLS: &str = r#"
#include "coefficients.cu"

template <typename F> static void launch(unsigned grid, unsigned block, F kernel) {
    gridDim.x = grid, blockDim.x = block;
    for (blockIdx.x = 0; blockIdx.x < grid; blockIdx.x++) {
        for (threadIdx.x = 0; threadIdx.x < block; threadIdx.x++) kernel();
    }
}
extern "C" void evaluate(
    const u32* list, u32 n_list, const u32* offsets, u32 n_vertices, const double* places, double t,
    const double* const* arrays, u32 nonnegative, REAL* values, u32* broken) {
    launch(3, 5, [&] {
        coefficients_evaluate(
            list, &n_list, offsets, n_vertices, places, &t, arrays, nonnegative, values, broken);
    });
}
extern "C" void evaluate_vertices(
    const u32* list, u32 n_list, u32 n_vertices, const double* places, double t,
    const double* const* arrays, u32 nonnegative, REAL* values, u32* broken) {
    launch(2, 3, [&] {
        coefficients_evaluate_vertices(
            list, &n_list, n_vertices, places, &t, arrays, nonnegative, values, broken);
    });
}
"#;

/// The functions of the crate `libm` in place of those of the C library: then every bit must agree.
const LIBM: &str = r#"
static double (*const* one)(double);
static double (*const* two)(double, double);
extern "C" void take(double (*const* a)(double), double (*const* b)(double, double)) {
    one = a, two = b;
}
#define exp(a) one[0](a)
#define log(a) one[1](a)
#define sin(a) one[2](a)
#define cos(a) one[3](a)
#define tan(a) one[4](a)
#define asin(a) one[5](a)
#define acos(a) one[6](a)
#define tanh(a) one[7](a)
#define pow(a, b) two[0](a, b)
#define atan2(a, b) two[1](a, b)
"#;

extern "C" fn c<const K: usize>(a: f64) -> f64 {
    const ONE: [fn(f64) -> f64; 8] =
        [libm::exp, libm::log, libm::sin, libm::cos, libm::tan, libm::asin, libm::acos, libm::tanh];
    ONE[K](a)
}

extern "C" fn c2<const K: usize>(a: f64, b: f64) -> f64 {
    if K == 0 { libm::pow(a, b) } else { libm::atan2(a, b) }
}

type One = extern "C" fn(f64) -> f64;
type Two = extern "C" fn(f64, f64) -> f64;
static ONE: [One; 8] = [c::<0>, c::<1>, c::<2>, c::<3>, c::<4>, c::<5>, c::<6>, c::<7>];
static TWO: [Two; 2] = [c2::<0>, c2::<1>];

/// A compiled set of fields over the same rows.
struct Compiled {
    library: Library,
    generated: Generated,
    _folder: tempfile::TempDir,
}

impl Compiled {
    fn new(fields: &[Field], real: &str, same_functions: bool) -> Self {
        let generated = Generated::new(&fields.iter().collect::<Vec<_>>());
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("coefficients_generated.cuh"), generated.text()).unwrap();
        let libm = if same_functions { LIBM } else { "" };
        std::fs::write(at("all.cpp"), format!("{SHIM}{libm}{CALLS}")).unwrap();
        let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
        let status = Command::new("c++")
            .args([
                "-std=c++17",
                "-O1",
                "-ffp-contract=off",
                "-shared",
                "-fPIC",
                "-Wall",
                "-Werror",
            ])
            .arg(format!("-DREAL={real}"))
            .args([Path::new("-I"), &kernels, Path::new("-I"), folder.path(), Path::new("-o")])
            .args([at("all.so"), at("all.cpp")])
            .status()
            .expect("these tests need a C++ compiler");
        assert!(status.success(), "{}", generated.text());
        // SAFETY: our own library, which runs nothing when loaded.
        let library = unsafe { Library::new(at("all.so")) }.unwrap();
        if same_functions {
            // SAFETY: the signature of `take` above; the tables are static.
            unsafe {
                let take = library.get::<extern "C" fn(*const One, *const Two)>(b"take").unwrap();
                take(ONE.as_ptr(), TWO.as_ptr());
            }
        }
        Compiled { library, generated, _folder: folder }
    }

    fn pointers(&self) -> Vec<*const f64> {
        self.generated.arrays().iter().map(|array| array.as_ptr()).collect()
    }

    /// `coefficients_evaluate`: values `[field][vertex]` and what is broken.
    fn evaluate<R: Copy + From<f32>>(
        &self,
        list: &[u32],
        offsets: &[u32],
        places: &[[f64; 3]],
        t: f64,
        nonnegative: u32,
    ) -> (Vec<R>, Vec<u32>) {
        type Evaluate<R> = unsafe extern "C" fn(
            *const u32,
            u32,
            *const u32,
            u32,
            *const [f64; 3],
            f64,
            *const *const f64,
            u32,
            *mut R,
            *mut u32,
        );
        let (mut values, mut broken) = self.outputs(places.len());
        // SAFETY: the signature of `evaluate` above; all arrays have the sizes it asks for.
        unsafe {
            let evaluate = self.library.get::<Evaluate<R>>(b"evaluate").unwrap();
            evaluate(
                list.as_ptr(),
                list.len() as u32,
                offsets.as_ptr(),
                places.len() as u32,
                places.as_ptr(),
                t,
                self.pointers().as_ptr(),
                nonnegative,
                values.as_mut_ptr(),
                broken.as_mut_ptr(),
            );
        }
        (values, broken)
    }

    fn outputs<R: Copy + From<f32>>(&self, n: usize) -> (Vec<R>, Vec<u32>) {
        let n_fields = self.generated.n_fields();
        (vec![R::from(UNTOUCHED); n_fields * n], vec![u32::MAX; 2 * n_fields])
    }
}

const UNTOUCHED: f32 = 1234.5;

fn field(text: &str, array: &dyn Fn(&str) -> Arc<[f64]>) -> Field {
    Field::bind(&text.parse::<Expression>().unwrap(), |name| Ok(array(name))).unwrap()
}

const ONE_ARGUMENT: [&str; 15] = [
    "(-#)", "(!#)", "abs(#)", "sqrt(#)", "exp(#)", "log(#)", "sin(#)", "cos(#)", "tan(#)",
    "asin(#)", "acos(#)", "tanh(#)", "floor(#)", "sign(#)", "step(#)",
];
const TWO_ARGUMENTS: [&str; 16] = [
    "(# + #)",
    "(# - #)",
    "(# * #)",
    "(# / #)",
    "(# ^ #)",
    "(# < #)",
    "(# <= #)",
    "(# > #)",
    "(# >= #)",
    "(# == #)",
    "(# != #)",
    "(# && #)",
    "(# || #)",
    "min(#, #)",
    "max(#, #)",
    "atan2(#, #)",
];

/// Puts the arguments where the pattern has a `#`.
fn filled(pattern: &str, arguments: &[String]) -> String {
    let mut arguments = arguments.iter();
    pattern
        .split_inclusive('#')
        .map(|part| match part.strip_suffix('#') {
            Some(before) => format!("{before}{}", arguments.next().unwrap()),
            None => part.to_string(),
        })
        .collect()
}

/// Steps between two numbers; those of other signs, and what is not a number, are far from all.
fn ulps(a: f64, b: f64) -> u64 {
    let apart = a.is_nan() || b.is_nan() || a.is_sign_negative() != b.is_sign_negative();
    if a == b {
        0
    } else if apart {
        u64::MAX
    } else {
        a.to_bits().abs_diff(b.to_bits())
    }
}

#[test]
fn every_operator_at_corners_and_elsewhere() {
    let corners = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -0.5,
        2.0,
        -2.0,
        3.0,
        -3.0,
        15.0,
        16.0,
        -16.0,
        17.0,
        -17.0,
        2.5,
        1e-310,
        -1e-310,
        1e308,
        -1e308,
        1e-9,
        100.25,
        -7.75,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        std::f64::consts::PI,
    ];
    let pairs: Vec<(f64, f64)> =
        corners.iter().flat_map(|&a| corners.iter().map(move |&b| (a, b))).collect();
    let array = |name: &str| -> Arc<[f64]> {
        pairs.iter().map(|&(a, b)| if name == "a" { a } else { b }).collect()
    };
    let arguments = ["a".to_string(), "b".to_string(), "x".to_string()];
    let mut texts: Vec<String> = Vec::new();
    for pattern in ONE_ARGUMENT.iter().chain(&TWO_ARGUMENTS).chain(&["if(#, #, #)"]) {
        texts.push(filled(pattern, &arguments));
    }
    // Constants that have no literal, or a sign.
    for text in ["a*(1/0)", "b + (-1/0)", "min(a, 0/0)", "a/(-0.5)", "b*1e-310", "a - 0.1", "-0*a"]
    {
        texts.push(text.to_string());
    }
    let fields: Vec<Field> = texts.iter().map(|text| field(text, &array)).collect();
    let places: Vec<[f64; 3]> = (0..pairs.len()).map(|k| [k as f64 / 8.0, 0.0, 0.0]).collect();
    for same_functions in [true, false] {
        let compiled = Compiled::new(&fields, "double", same_functions);
        assert_eq!(compiled.generated.arrays().len(), 2, "arrays are listed once");
        let (values, _) = compiled.evaluate::<f64>(&[0], &[0, pairs.len() as u32], &places, 0.0, 0);
        for (k, (text, field)) in texts.iter().zip(&fields).enumerate() {
            let expected = field.values(&places, 0.0);
            for (row, &expected) in expected.iter().enumerate() {
                let found = values[k * pairs.len() + row];
                let agree = match same_functions {
                    true => found.to_bits() == expected.to_bits(),
                    false => ulps(found, expected) <= 2,
                };
                assert!(
                    agree || expected.is_nan() && found.is_nan(),
                    "{text} at {:?}: {found:e}, the CPU has {expected:e}",
                    pairs[row]
                );
            }
        }
    }
}

/// Texts of random trees.
fn text() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        (-4i32..40).prop_map(|n| format!("({})", f64::from(n) / 8.0)),
        prop::sample::select(vec!["x", "y", "z", "t", "a", "{b c}"]).prop_map(String::from),
    ];
    leaf.prop_recursive(7, 60, 3, |inner| {
        prop_oneof![
            (prop::sample::select(&ONE_ARGUMENT[..]), inner.clone())
                .prop_map(|(pattern, a)| filled(pattern, &[a])),
            (prop::sample::select(&TWO_ARGUMENTS[..]), inner.clone(), inner.clone())
                .prop_map(|(pattern, a, b)| filled(pattern, &[a, b])),
            (inner.clone(), inner.clone(), inner)
                .prop_map(|(a, b, c)| filled("if(#, #, #)", &[a, b, c])),
        ]
    })
}

#[test]
fn random_trees_give_the_bits_of_the_cpu() {
    let n = 211;
    let number = |i: usize, k: usize| ((i * 7919 + k * 104_729) % 211) as f64 / 16.0 - 6.0;
    let places: Vec<[f64; 3]> = (0..n).map(|i| [0, 1, 2].map(|k| number(i, k))).collect();
    let array = |name: &str| -> Arc<[f64]> {
        (0..n).map(|i| number(i, 3 + usize::from(name == "a"))).collect()
    };
    let mut runner = TestRunner::deterministic();
    let texts: Vec<String> =
        (0..300).map(|_| text().new_tree(&mut runner).unwrap().current()).collect();
    let fields: Vec<Field> = texts.iter().map(|text| field(text, &array)).collect();
    let compiled = Compiled::new(&fields, "double", true);
    let (values, _) = compiled.evaluate::<f64>(&[0], &[0, n as u32], &places, 0.375, 0);
    let mut finite = 0;
    for (k, (text, field)) in texts.iter().zip(&fields).enumerate() {
        for (row, expected) in field.values(&places, 0.375).into_iter().enumerate() {
            let found = values[k * n + row];
            assert!(
                found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan(),
                "{text} at row {row}: {found:e}, the CPU has {expected:e}"
            );
            finite += usize::from(expected.is_finite());
        }
    }
    assert!(finite > 100 * n, "most trees are to have values, {finite}");
}

#[test]
fn deep_texts_are_printed_too() {
    let deep = format!("{}x{}", "sin(".repeat(250), ")".repeat(250));
    let fields = [field(&deep, &|_| unreachable!()), Field::constant(-2.5)];
    let compiled = Compiled::new(&fields, "double", true);
    let (values, _) = compiled.evaluate::<f64>(&[0], &[0, 1], &[[0.75, 0.0, 0.0]], 0.0, 0);
    assert_eq!(values, [fields[0].values(&[[0.75, 0.0, 0.0]], 0.0)[0], -2.5]);
}

#[test]
fn only_listed_patches_are_written_and_the_first_broken_vertex_is_told() {
    let n = 40;
    let places: Vec<[f64; 3]> = (0..n).map(|k| [k as f64, 1.0, 2.0]).collect();
    let rows: Arc<[f64]> = (0..n).map(|k| k as f64).collect();
    // Not finite from 22 on; negative below 9; beyond f32 above 30.
    let texts = ["1/(r < 22) + t", "x - 9", "if(x > 30, 1e39, y)"];
    let fields: Vec<Field> = texts.iter().map(|text| field(text, &|_| rows.clone())).collect();
    let offsets = [0, 7, 12, 20, 27, 33, 40];
    let list = [1, 3, 5];
    let listed = |v: usize| (7..12).contains(&v) || (20..27).contains(&v) || v >= 33;

    let compiled = Compiled::new(&fields, "float", false);
    let (values, broken) = compiled.evaluate::<f32>(&list, &offsets, &places, 0.25, 0b010);
    for (k, field) in fields.iter().enumerate() {
        for (v, expected) in field.values(&places, 0.25).into_iter().enumerate() {
            let expected = if listed(v) { expected as f32 } else { UNTOUCHED };
            assert_eq!(values[k * n + v], expected, "field {k} at {v}");
        }
    }
    const NONE: u32 = u32::MAX;
    assert_eq!(broken, [22, NONE, 33, NONE, 7, NONE]);

    type OfVertices = unsafe extern "C" fn(
        *const u32,
        u32,
        u32,
        *const [f64; 3],
        f64,
        *const *const f64,
        u32,
        *mut f32,
        *mut u32,
    );
    let (mut values, mut broken) = compiled.outputs::<f32>(n);
    let vertices = [39, 5, 23, 2];
    // SAFETY: the signature of `evaluate_vertices` above; all arrays have the sizes it asks for.
    unsafe {
        let evaluate = compiled.library.get::<OfVertices>(b"evaluate_vertices").unwrap();
        evaluate(
            vertices.as_ptr(),
            vertices.len() as u32,
            n as u32,
            places.as_ptr(),
            0.25,
            compiled.pointers().as_ptr(),
            0,
            values.as_mut_ptr(),
            broken.as_mut_ptr(),
        );
    }
    let written: Vec<usize> = (0..n).filter(|&v| values[v] != UNTOUCHED).collect();
    assert_eq!(written, [2, 5, 23, 39]);
    assert_eq!((values[5], values[n + 5], values[2 * n + 5]), (1.25, -4.0, 1.0));
    assert_eq!(broken, [23, NONE, 39, NONE, NONE, NONE]);
}
