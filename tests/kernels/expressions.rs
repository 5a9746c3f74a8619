//! Compiles the code generated for expressions with the C++ compiler of the host, and compares its
//! values with those of the Rust code.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use zeroset::expression::{Expression, Field, Generated};

use super::library::{Launch, Library, arg};

/// Replaces the functions of the C library with those of the crate `libm`, so that results must be
/// bitwise identical.
const LIBM: &str = r#"
static double (*const* one)(double);
static double (*const* two)(double, double);
extern "C" __global__ void take(double (*const* a)(double), double (*const* b)(double, double)) {
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

/// The compiled code of several fields that read the same rows.
struct Compiled {
    library: Library,
    generated: Generated,
}

/// The arguments of the kernels, except for the list.
struct Launched<'a> {
    places: &'a [[f64; 3]],
    t: f64,
    nonnegative: u32,
}

impl Compiled {
    fn new(terms: &[&[Field]], real: &str, same_functions: bool) -> Self {
        let generated = Generated::new(terms);
        let folder = tempfile::tempdir().unwrap();
        // The source is stored next to the generated header, because its `#include` looks in its
        // own folder first.
        let source: PathBuf = folder.path().join("coefficients.cu");
        let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
        std::fs::copy(kernels.join("coefficients.cu"), &source).unwrap();
        let values = "coefficients.cuh";
        std::fs::copy(kernels.join(values), folder.path().join(values)).unwrap();
        let libm = if same_functions { LIBM } else { "" };
        let header = folder.path().join(Generated::NAME);
        std::fs::write(header, format!("{libm}{}", generated.text())).unwrap();
        let mut kernels = vec!["coefficients_evaluate", "coefficients_evaluate_vertices"];
        kernels.extend(same_functions.then_some("take"));
        let define = format!("REAL={real}");
        let library = Library::compile(source.to_str().unwrap(), &[&define], &kernels);
        if same_functions {
            let tables = [arg(ONE.as_ptr()), arg(TWO.as_ptr())];
            // SAFETY: `take` expects exactly these tables, and they are static.
            unsafe { library.launch("take", &Launch::new(1, 1), &tables) }.unwrap();
        }
        Compiled { library, generated }
    }

    /// Returns the values of the terms, and two vertices per field: first, for all fields, the
    /// first vertex where the value is not finite, then the first vertex where it is negative
    /// although it must not be. `list` holds patches if `offsets` is given, and vertices otherwise.
    fn evaluate<R: Copy + From<f32> + 'static>(
        &self,
        list: &[u32],
        offsets: Option<&[u32]>,
        given: &Launched<'_>,
    ) -> (Vec<R>, Vec<u32>) {
        let (n, n_fields) = (given.places.len(), self.generated.n_fields());
        let mut values = vec![R::from(UNTOUCHED); n_fields * n];
        let mut broken = vec![u32::MAX; 2 * n_fields];
        let arrays: Vec<*const f64> = self.generated.arrays().iter().map(|a| a.as_ptr()).collect();
        let n_list = list.len() as u32;
        let mut args = vec![arg(list.as_ptr()), arg(&raw const n_list)];
        args.extend(offsets.map(|offsets| arg(offsets.as_ptr())));
        args.extend([
            arg(n as u32),
            arg(given.places.as_ptr()),
            arg(&raw const given.t),
            arg(arrays.as_ptr()),
            arg(given.nonnegative),
            arg(values.as_mut_ptr()),
            arg(broken.as_mut_ptr()),
        ]);
        let kernel = match offsets {
            Some(_) => "coefficients_evaluate",
            None => "coefficients_evaluate_vertices",
        };
        // SAFETY: all arrays have the sizes that the kernels require.
        unsafe { self.library.launch(kernel, &Launch::new(3, 5), &args) }.unwrap();
        (values, broken)
    }
}

/// Makes each field a separate term, so that values have the layout `[field][vertex]`.
fn one_each(fields: &[Field]) -> Vec<&[Field]> {
    fields.chunks(1).collect()
}

const UNTOUCHED: f32 = 1234.5;

fn field(text: &str, array: &dyn Fn(&str) -> Arc<[f64]>) -> Field {
    Field::bind(&text.parse::<Expression>().unwrap(), |name| Ok(array(name))).unwrap()
}

const ONE_ARGUMENT: [&str; 16] = [
    "(-#)", "(!#)", "abs(#)", "sqrt(#)", "exp(#)", "log(#)", "sin(#)", "cos(#)", "tan(#)",
    "asin(#)", "acos(#)", "tanh(#)", "floor(#)", "sign(#)", "step(#)", "isnan(#)",
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

/// Replaces each `#` of the pattern with the next argument.
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

/// Returns the distance between two numbers in units in the last place. It is `u64::MAX` for NaN
/// and for numbers of different signs, unless both are zero.
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
    // These constants have no literal, or have a sign.
    for text in ["a*(1/0)", "b + (-1/0)", "min(a, 0/0)", "a/(-0.5)", "b*1e-310", "a - 0.1", "-0*a"]
    {
        texts.push(text.to_string());
    }
    let fields: Vec<Field> = texts.iter().map(|text| field(text, &array)).collect();
    let places: Vec<[f64; 3]> = (0..pairs.len()).map(|k| [k as f64 / 8.0, 0.0, 0.0]).collect();
    for same_functions in [true, false] {
        let compiled = Compiled::new(&one_each(&fields), "double", same_functions);
        assert_eq!(compiled.generated.arrays().len(), 2, "each array must be listed once");
        let given = Launched { places: &places, t: 0.0, nonnegative: 0 };
        let all = [0, pairs.len() as u32];
        let (values, _) = compiled.evaluate::<f64>(&[0], Some(&all), &given);
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

/// Generates the texts of random expressions.
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
    let compiled = Compiled::new(&one_each(&fields), "double", true);
    let given = Launched { places: &places, t: 0.375, nonnegative: 0 };
    let (values, _) = compiled.evaluate::<f64>(&[0], Some(&[0, n as u32]), &given);
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
    assert!(finite > 100 * n, "only {finite} values are finite");
}

#[test]
fn deep_texts_are_printed_too() {
    let deep = format!("{}x{}", "sin(".repeat(250), ")".repeat(250));
    let fields = [field(&deep, &|_| unreachable!()), Field::constant(-2.5)];
    let compiled = Compiled::new(&one_each(&fields), "double", true);
    let given = Launched { places: &[[0.75, 0.0, 0.0]], t: 0.0, nonnegative: 0 };
    let (values, _) = compiled.evaluate::<f64>(&[0], Some(&[0, 1]), &given);
    assert_eq!(values, [fields[0].values(given.places, 0.0)[0], -2.5]);
}

#[test]
fn only_listed_patches_are_written_and_the_first_broken_vertex_is_told() {
    let n = 40;
    let places: Vec<[f64; 3]> = (0..n).map(|k| [k as f64, 1.0, 2.0]).collect();
    let rows: Arc<[f64]> = (0..n).map(|k| k as f64).collect();
    // The first text is not finite where r >= 22, the second is negative where x < 9, and the third
    // exceeds the range of f32 where x > 30.
    let texts = ["1/(r < 22) + t", "x - 9", "if(x > 30, 1e39, y)"];
    let fields: Vec<Field> = texts.iter().map(|text| field(text, &|_| rows.clone())).collect();
    let offsets = [0, 7, 12, 20, 27, 33, 40];
    let list = [1, 3, 5];
    let listed = |v: usize| (7..12).contains(&v) || (20..27).contains(&v) || v >= 33;

    let compiled = Compiled::new(&[&fields[..1], &fields[1..]], "float", false);
    let given = Launched { places: &places, t: 0.25, nonnegative: 0b010 };
    let (values, broken) = compiled.evaluate::<f32>(&list, Some(&offsets), &given);
    for (k, field) in fields.iter().enumerate() {
        for (v, expected) in field.values(&places, 0.25).into_iter().enumerate() {
            let expected = if listed(v) { expected as f32 } else { UNTOUCHED };
            // The first term has one field, and the second has two.
            let at = if k == 0 { v } else { n + 2 * v + (k - 1) };
            assert_eq!(values[at], expected, "field {k} at {v}");
        }
    }
    const NONE: u32 = u32::MAX;
    assert_eq!(broken, [22, NONE, 33, NONE, 7, NONE]);

    let given = Launched { nonnegative: 0, ..given };
    let (values, broken) = compiled.evaluate::<f32>(&[39, 5, 23, 2], None, &given);
    let written: Vec<usize> = (0..n).filter(|&v| values[v] != UNTOUCHED).collect();
    assert_eq!(written, [2, 5, 23, 39]);
    assert_eq!((values[5], values[n + 10], values[n + 11]), (1.25, -4.0, 1.0));
    assert_eq!(broken, [23, NONE, 39, NONE, NONE, NONE]);
}
