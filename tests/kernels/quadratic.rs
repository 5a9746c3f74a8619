//! Compares the C++ and Rust formulas of second-order distances. Results must be bitwise identical,
//! except for the sign of a zero and the bits of NaN.

use zeroset::geometry::{Real, Vec3, simplex::Simplex};
use zeroset::levelset::eikonal::formulas;
use zeroset::levelset::eikonal::quadratic::curved::{Arrival, Face};
use zeroset::levelset::eikonal::quadratic::fit::{Fit, Frame};

use crate::library::{Launch, Library, arg};
use crate::random::Random;

const CASES: usize = 20_000;
const NEIGHBORS: usize = 16;

/// The counterpart of `Case` in quadratic.cu.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Case<R: Real, const N: usize> {
    x: [Vec3<R>; N],
    u: [R; 3],
    directions: [Vec3<R>; 3],
    phi: [f64; N],
    gradient: Vec3,
    normal: Vec3,
    scale: f64,
    /// Edges to the neighbors of a vertex, and phi there.
    neighbors: [[f64; 4]; NEIGHBORS],
    n: u64,
}

/// Returns a random case. `i` selects its kind: fronts from a point or random values, smooth or
/// random phi, and few or many neighbors.
fn case<R: Real, const N: usize>(i: usize, random: &mut Random) -> Case<R, N> {
    let mut x: [Vec3; N] = std::array::from_fn(|_| random.vector());
    if i % 16 == 3 {
        x[N - 1] = x[0] * 0.3 + x[1] * 0.7;
    }
    // A source behind the face, seen from the last vertex.
    let middle = x[..N - 1].iter().sum::<Vec3>() / (N - 1) as f64;
    let source = middle + (middle - x[N - 1]) * (0.1 + 3.0 * random.signed().abs());
    let away = |x: Vec3| x - source;
    let from = |k: usize| away(x[k.min(N - 2)]);
    let (u, directions) = match i % 4 {
        0 => (
            std::array::from_fn(|_| random.signed().abs()),
            std::array::from_fn(|_| random.vector().normalize()),
        ),
        _ => {
            (std::array::from_fn(|k| from(k).norm()), std::array::from_fn(|k| from(k).normalize()))
        }
    };
    let u = match i % 32 {
        5 => [u[0], f64::INFINITY, u[2]],
        _ => u,
    };
    let normal = random.vector().normalize();
    let center = random.vector() * 4.0;
    let is_random = i % 8 == 1;
    let mut value = |x: Vec3| match is_random {
        true => random.signed(),
        false => (x - center).norm() - center.norm(),
    };
    let shift = 0.3 * value(Vec3::new(0.1, 0.2, 0.3));
    let mut neighbors = [[0.0; 4]; NEIGHBORS];
    let mut points = Random::new(i as u64 + 7);
    for neighbor in &mut neighbors {
        let edge = points.vector();
        let edge = if N == 3 { edge - normal * edge.dot(&normal) } else { edge };
        *neighbor = [edge.x, edge.y, edge.z, value(edge) + shift];
    }
    let gradient = match i % 64 {
        9 => Vec3::zeros(),
        _ => -center.normalize() * (0.5 + value(x[0]).abs()),
    };
    Case {
        x: x.map(|x| x.map(R::of)),
        u: u.map(R::of),
        directions: directions.map(|d| d.map(R::of)),
        phi: std::array::from_fn(|k| value(x[k])),
        gradient,
        normal,
        scale: 0.9,
        neighbors,
        n: if i % 16 == 2 { 3 } else { NEIGHBORS as u64 },
    }
}

/// Returns the results of the Rust functions, in the order of quadratic.cu, with names.
fn in_rust<R: Real, const N: usize, const U: usize>(c: &Case<R, N>) -> Vec<(&'static str, f64)> {
    let mut to = Vec::new();
    let mut put = |name: &'static str, values: &[f64]| to.extend(values.iter().map(|&v| (name, v)));
    let is = |truth: bool| if truth { 1.0 } else { 0.0 };
    let wide = |v: Vec3<R>| v.map(Real::to_f64);

    let face = Face::<R, N>::opposite(&c.x, N - 1);
    let from: [Arrival<R>; 3] =
        std::array::from_fn(|k| Arrival { value: c.u[k], direction: c.directions[k] });
    let foot = face.foot(&c.u);
    put("foot", &[is(foot.is_some())]);
    let foot = foot
        .map_or([0.0; 4], |f| [f.weights[0], f.weights[1], f.outside, f.value].map(Real::to_f64));
    put("foot", &foot);
    let arrival = face.arrival(&from);
    put("arrival", &[is(arrival.is_some())]);
    let arrival = arrival.unwrap_or_default();
    put("arrival", &[arrival.value.to_f64()]);
    put("direction", wide(arrival.direction).as_slice());
    put("straight direction", wide(face.straight_direction(&from)).as_slice());

    let one = R::one();
    let (value, is_inside) = if N == 3 {
        let (value, s) = formulas::triangle_foot(c.u[0], c.u[1], &c.x[0], &c.x[1], &c.x[2], one);
        (value, s > R::zero() && s < one)
    } else {
        let (value, weights) =
            formulas::tetrahedron_foot(c.u, [&c.x[0], &c.x[1], &c.x[2]], &c.x[N - 1], one);
        (value, weights.iter().all(|&w| w > R::zero()))
    };
    put("straight front", &[value.to_f64(), is(is_inside)]);

    let x = c.x.map(wide);
    let simplex = Simplex::new(&x);
    put("measure", &[simplex.meas]);
    put("gradient", simplex.gradient(&c.phi).as_slice());
    let normal = (x[1] - x[0]).cross(&(x[2] - x[0])).normalize();
    put("normal", if N == 3 { normal } else { Vec3::zeros() }.as_slice());

    let frame = Frame::new(c.gradient, (N == 3).then_some(c.normal));
    put("frame", &[is(frame.is_some())]);
    let own = 0.9 * c.neighbors[0][3];
    let closest = frame.map(|frame| {
        let neighbors = c.neighbors[..c.n as usize].iter();
        let points: Vec<([f64; 3], f64)> = neighbors
            .map(|&[x, y, z, phi]| (frame.coordinates(&Vec3::new(x, y, z)), phi - own))
            .collect();
        let first = points[0].0;
        let closest = Fit::<U>::new(c.scale, points.into_iter()).closest(own);
        (first, closest.map(|closest| (closest.distance, frame.vector(closest.gradient))))
    });
    // Without a frame, coordinates are not defined.
    put("coordinates", &closest.as_ref().map_or([f64::NAN; 3], |(first, _)| *first));
    let closest = closest.and_then(|(_, closest)| closest);
    put("closest", &[is(closest.is_some())]);
    let (distance, gradient) = closest.unwrap_or_default();
    put("distance", &[distance]);
    put("gradient there", gradient.as_slice());
    to
}

fn compare<R: Real, const N: usize, const U: usize>(real: &str) {
    let defines = [format!("REAL={real}"), format!("CELL_SIZE={N}")];
    let kernel = "quadratic_formulas";
    let library =
        Library::compile("tests/kernels/quadratic.cu", &[&defines[0], &defines[1]], &[kernel]);
    let mut random = Random::new(3);
    let cases: Vec<Case<R, N>> = (0..CASES).map(|i| case(i, &mut random)).collect();
    let width = in_rust::<R, N, U>(&cases[0]).len();
    let mut found = vec![0.0; CASES * width];
    let args = [arg(cases.as_ptr()), arg(found.as_mut_ptr()), arg(CASES as u32), arg(width as u32)];
    // SAFETY: the arrays have room for the numbers of cases and results given by the last two
    // arguments.
    unsafe { library.launch(kernel, &Launch::new(CASES.div_ceil(128) as u32, 128), &args) }
        .unwrap();
    let mut told = vec![0; width];
    for (i, (c, found)) in cases.iter().zip(found.chunks(width)).enumerate() {
        let rust = in_rust::<R, N, U>(c);
        for (((name, rust), &cpp), told) in rust.into_iter().zip(found).zip(&mut told) {
            let same = rust == cpp || rust.is_nan();
            assert!(same, "{name} of case {i}: {rust} in Rust, {cpp} in C++\n{c:?}");
            assert!(!cpp.is_nan() || rust.is_nan(), "{name} of case {i}: NaN only in C++");
            *told += usize::from(rust != 0.0 && !rust.is_nan());
        }
    }
    // A formula that gives zero or NaN in most cases is hardly tested.
    let names = in_rust::<R, N, U>(&cases[0]);
    for ((name, _), told) in names.iter().zip(told) {
        let is_absent =
            N == 4 && *name == "normal" || N == 3 && ["foot", "coordinates"].contains(name);
        assert!(told > CASES / 10 || is_absent, "{name}: {told}");
    }
}

#[test]
fn formulas_on_triangles_have_the_same_bits() {
    compare::<f64, 3, 5>("double");
    compare::<f32, 3, 5>("float");
}

#[test]
fn formulas_on_tetrahedra_have_the_same_bits() {
    compare::<f64, 4, 9>("double");
    compare::<f32, 4, 9>("float");
}
