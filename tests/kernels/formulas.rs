//! Compares the C++ and Rust formulas for one cell. Results must be bitwise identical.
//!
//! Two differences are allowed. The sign of a zero may differ, because the minimum or maximum of 0
//! and -0 may be either of the two. NaN may have any bit pattern.

use zeroset::geometry::{Real, Vec3, simplex::Simplex, simplex::longest_edge};
use zeroset::levelset::eikonal::formulas as eikonal;
use zeroset::levelset::evolution::formulas as evolution;

use crate::library::{Launch, Library, arg};
use crate::random::Random;

const CASES: usize = 20_000;

/// The counterpart of `Case` in formulas.cu.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Case<R: Real, const N: usize> {
    x: [Vec3<R>; N],
    phi: [R; N],
    u: [R; N],
    a: Vec3<R>,
    f: R,
    eps: R,
    divergence: R,
    dt: R,
}

/// Returns a random simplex. `i` selects its kind: round, far from the origin, on a lattice (often
/// degenerate), thin, obtuse, tiny or huge. Some values are equal, and some vertices are not
/// reached.
fn case<R: Real, const N: usize>(i: usize, random: &mut Random) -> Case<R, N> {
    // `Coordinates::check` accepts these sizes: squared measures neither vanish nor overflow.
    let size = if R::SHIFTED { 1e7 } else { 1e15 };
    let scale = match i % 8 {
        5 => 1.0 / size,
        6 => size,
        _ => 1.0,
    };
    let mut x: [Vec3; N] = std::array::from_fn(|_| random.vector() * scale);
    match i % 8 {
        1 => x = x.map(|x| x + Vec3::new(1e4, -2e3, 300.0)),
        2 => x = x.map(|x| x.map(f64::round)),
        3 => {
            let width = 0.1f64.powi(random.below(16) as i32);
            x[N - 1] = x[0] * 0.3 + x[1] * 0.7 + random.vector() * width;
        }
        4 => x[0] = (x[1] + x[2]) * 0.5 + random.vector() * 0.1,
        _ => {}
    }
    let phi = match i / 8 % 4 {
        0 => std::array::from_fn(|_| random.signed().round()),
        1 => [random.signed(); N],
        2 => std::array::from_fn(|_| 1e5 + random.signed()),
        _ => std::array::from_fn(|_| random.signed() * scale),
    };
    let u = std::array::from_fn(|_| match random.below(8) {
        0 => f64::INFINITY,
        1 => 0.0,
        2 => 1.0,
        _ => random.signed().abs() * scale,
    });
    let a = match random.below(6) {
        0 => Vec3::zeros(),
        1 => Vec3::x(),
        2 => x[1] - x[0],
        3 => x[2] - x[1],
        _ => random.vector(),
    };
    let eps = if random.below(8) == 0 { 0.0 } else { random.signed() };
    let f = if random.below(4) == 0 { 1.0 } else { 1.0 + 0.9 * random.signed() };
    Case {
        x: x.map(|x| x.map(R::of)),
        phi: phi.map(R::of),
        u: u.map(R::of),
        a: a.map(R::of),
        f: R::of(f),
        eps: R::of(eps),
        divergence: R::of(random.signed()),
        dt: R::of(random.signed().abs()),
    }
}

/// Named results in the order of formulas.cu.
#[derive(Default)]
struct Results<R>(Vec<(&'static str, R)>);

impl<R: Real> Results<R> {
    fn put(&mut self, name: &'static str, values: &[R]) {
        self.0.extend(values.iter().map(|&v| (name, v)));
    }

    fn put_shares<const N: usize>(&mut self, name: &'static str, shares: &evolution::Shares<R, N>) {
        self.put(name, &shares.num);
        self.put(name, &shares.den);
    }
}

/// Evaluates all formulas in Rust.
fn in_rust<R: Real, const N: usize>(c: &Case<R, N>, next: fn(R) -> R) -> Results<R> {
    let mut to = Results::default();
    to.put("infinity", &[R::INFINITY]);
    to.put("zero test", &[R::ZERO_TEST]);
    to.put("decrease", &[R::DECREASE]);
    to.put("bits", &[next(c.eps)]);

    let s = Simplex::new(&c.x);
    let g = s.gradient(&c.phi);
    let r = s.inradius();
    to.put("measure", &[s.meas]);
    for grad in &s.grads {
        to.put("basis gradients", grad.as_slice());
    }
    to.put("gradient", g.as_slice());
    to.put("inradius", &[r]);
    to.put("longest edge", &[longest_edge(&c.x)]);
    to.put("quality", &[zeroset::geometry::simplex::quality(&s, &c.x)]);

    for i in 0..N {
        to.put("arrival", &[eikonal::arrival(&c.u, &c.x, i, c.f)]);
    }
    for [i, j, k] in [[0, 1, 2], [1, 2, 0]] {
        let value = eikonal::circle(c.u[i], c.u[j], &c.x[i], &c.x[j], &c.x[k], c.f);
        to.put("circle", &[value]);
    }
    for i in 0..3 {
        let obtuse = eikonal::is_obtuse(&c.x, i);
        to.put("obtuse", &[if obtuse { R::one() } else { R::zero() }]);
    }

    to.put("flux", &evolution::flux(&s, &c.a));
    to.put_shares("advection", &evolution::advection(&s, &c.phi, &c.a));
    to.put_shares("normal speed", &evolution::normal_speed(&s, &c.phi, &g, c.eps));
    to.put_shares("cone", &evolution::cone(&s, &c.phi, &c.a));
    to.put("Hopf-Lax", &evolution::hopf_lax(&c.x, &s, &c.phi));

    let (rates, mass) = evolution::curvature(&s, &g, R::of(0.125));
    to.put("mass", &[mass]);
    to.put("curvature", &rates);
    let (pairs, mass) = evolution::stiffness(&s, &g, R::of(0.125));
    to.put("mass", &[mass]);
    to.put("stiffness", &pairs[..N * (N - 1) / 2]);
    let right = evolution::residual(&s, &g, &c.a, c.divergence, c.dt);
    to.put("residual", &right);
    to.put("mass product", &evolution::mass_product(s.meas, &right));
    to.put("largest step", &[evolution::largest_step::<R, N>(r, c.eps)]);
    to.put("largest diffusive step", &[evolution::largest_diffusive_step::<R, N>(r, c.eps)]);
    to
}

fn is_nan<R: Real>(x: R) -> bool {
    x.to_f64().is_nan()
}

/// Compares the results of the kernel with those of the Rust functions in all cases.
fn compare<R: Real, const N: usize>(word: &str, next: fn(R) -> R, bits: fn(R) -> u64) {
    let defines = [format!("REAL={word}"), format!("CELL_SIZE={N}")];
    let library =
        Library::compile("tests/kernels/formulas.cu", &[&defines[0], &defines[1]], &["formulas"]);
    let mut random = Random::new(1);
    let cases: Vec<Case<R, N>> = (0..CASES).map(|i| case(i, &mut random)).collect();
    let width = in_rust(&cases[0], next).0.len();
    let mut found = vec![R::zero(); CASES * width];
    let args = [arg(cases.as_ptr()), arg(found.as_mut_ptr()), arg(CASES as u32), arg(width as u32)];
    // SAFETY: the arrays have room for the numbers of cases and results given by the last two
    // arguments.
    unsafe { library.launch("formulas", &Launch::new(CASES.div_ceil(128) as u32, 128), &args) }
        .unwrap();
    let mut told = vec![false; width];
    for (i, (c, found)) in cases.iter().zip(found.chunks(width)).enumerate() {
        let rust = in_rust(c, next).0;
        for (((name, rust), &cpp), told) in rust.into_iter().zip(found).zip(&mut told) {
            let same = bits(rust) == bits(cpp)
                || rust == cpp && rust == R::zero()
                || is_nan(rust) && is_nan(cpp);
            assert!(same, "{name} of case {i}: {rust} in Rust, {cpp} in C++\n{c:?}");
            *told |= rust != R::zero() && !is_nan(rust);
        }
    }
    // A formula that gives zero or NaN in every case is not really tested. The only exception is
    // DECREASE, which is 0 in f64.
    let silent = told.iter().filter(|&&told| !told).count();
    assert_eq!(silent, usize::from(R::DECREASE == R::zero()));
}

#[test]
fn triangles_in_f64() {
    compare::<f64, 3>("double", |x| f64::from_bits(x.to_bits() + 1), f64::to_bits);
}

#[test]
fn tetrahedra_in_f64() {
    compare::<f64, 4>("double", |x| f64::from_bits(x.to_bits() + 1), f64::to_bits);
}

#[test]
fn triangles_in_f32() {
    compare::<f32, 3>("float", |x| f32::from_bits(x.to_bits() + 1), |x| x.to_bits().into());
}

#[test]
fn tetrahedra_in_f32() {
    compare::<f32, 4>("float", |x| f32::from_bits(x.to_bits() + 1), |x| x.to_bits().into());
}
