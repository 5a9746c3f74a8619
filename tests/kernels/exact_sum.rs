//! Tests that exact sums do not depend on the order of their terms.

use std::sync::LazyLock;

use crate::library::{Launch, Library, arg};
use crate::random::Random;

static LIBRARY: LazyLock<Library> = LazyLock::new(|| {
    let defines = ["REAL=double", "CELL_SIZE=3"];
    Library::compile("tests/kernels/exact_sum.cu", &defines, &["add", "total"])
});

fn sum(terms: &[f64], seed: u64) -> f64 {
    let (mut words, mut out) = (vec![0u64; 67], 0.0);
    let add = [arg(terms.as_ptr()), arg(terms.len() as u32), arg(words.as_mut_ptr())];
    let total = [arg(words.as_ptr()), arg(&raw mut out)];
    let how = Launch { seed, ..Launch::new(3, 64) };
    // SAFETY: the arrays hold the given number of terms and the words of one sum.
    unsafe {
        LIBRARY.launch("add", &how, &add).unwrap();
        LIBRARY.launch("total", &Launch::new(1, 32), &total).unwrap();
    }
    out
}

#[test]
fn what_a_double_holds_is_exact() {
    let smallest = f64::from_bits(1);
    let cases: [(&[f64], f64); 8] = [
        (&[], 0.0),
        (&[0.0, -0.0], 0.0),
        (&[1e300, 1.0, -1e300], 1.0),
        (&[smallest, smallest, -f64::MIN_POSITIVE], 2.0 * smallest - f64::MIN_POSITIVE),
        (&[f64::MAX, -f64::MAX, -3.5], -3.5),
        (&[0.1, 0.2, -0.1, -0.2, smallest], smallest),
        (&[1.0, f64::EPSILON / 2.0, f64::EPSILON / 2.0], 1.0 + f64::EPSILON),
        (&[-7.25, 1.0 / 3.0, 7.25], 1.0 / 3.0),
    ];
    for (terms, expected) in cases {
        assert_eq!(sum(terms, 1), expected, "{terms:?}");
    }
}

#[test]
fn the_order_of_terms_does_not_matter() {
    let mut random = Random::new(5);
    let terms: Vec<f64> =
        (0..1000).map(|_| random.signed() * 2f64.powi(random.below(200) as i32 - 100)).collect();
    let forward = sum(&terms, 0);
    let backward: Vec<f64> = terms.iter().rev().copied().collect();
    assert_eq!(forward.to_bits(), sum(&backward, 3).to_bits());
    let mut by_size = terms;
    by_size.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    let plain: f64 = by_size.iter().sum();
    assert!((forward - plain).abs() <= 1e-13 * plain.abs());
}

#[test]
fn what_is_not_finite_is_not_a_number() {
    for term in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(sum(&[1.0, term, 2.0], 0).is_nan());
    }
}
