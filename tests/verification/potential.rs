//! Verification cases for the potential of samples (V51, V52): sums over an octree, and the
//! direction of the velocity.

use zeroset::geometry::Vec3;
use zeroset::reconstruct::potential::sample_sums::{Rule, Sums, at};
use zeroset::reconstruct::potential::{Frame, Octree};

use crate::case::{Case, Gate, Row, Series};
use zeroset_testing::samples::of_ball;

const CENTER: [f64; 3] = [0.3, -0.2, 0.1];

/// Samples on a sphere of radius 1 centered at [`CENTER`], each in its own leaf of the octree.
struct Ball(Octree);

impl Ball {
    fn new(n: u32) -> Self {
        let points = of_ball(n as usize, CENTER, 1.0);
        let tree = Octree::new(&points, Frame::new(&points, 9).unwrap()).unwrap();
        assert_eq!(tree.n_cells(), points.len(), "two samples in a leaf");
        Ball(tree)
    }

    /// Returns points in `n` directions at the given radii from the center, in voxels of the finest
    /// level.
    fn places(&self, n: usize, radii: &[f64]) -> Vec<[f64; 3]> {
        let on = |r: &f64| of_ball(n, CENTER, *r).into_iter().map(|x| self.0.frame().voxel(x));
        radii.iter().flat_map(on).collect()
    }

    fn sums(&self, exponent: u32, theta: f64, x: [f64; 3]) -> Sums {
        let rule = Rule { theta, exponent, softening: 1.0 };
        at(&self.0, &rule, self.0.frame().depth, x)
    }

    /// Returns the potential P, and the vector V that points toward the samples, as sums over all
    /// samples.
    fn directly(&self, exponent: u32, x: [f64; 3]) -> (f64, Vec3) {
        let p = f64::from(exponent);
        let (mut potential, mut weights, mut pull) = (0.0, 0.0, Vec3::zeros());
        for sample in self.0.samples() {
            let away = Vec3::from(sample.map(f64::from)) - Vec3::from(x);
            let d = (away.norm_squared() + 1.0).sqrt();
            potential += d.powf(1.0 - p);
            weights += d.powf(-p);
            pull += away / d * d.powf(-p);
        }
        (potential, pull / weights)
    }
}

/// Radii inside the sphere of samples, close to it, and outside it.
const RADII: [f64; 8] = [0.3, 0.6, 0.85, 0.97, 1.03, 1.2, 1.6, 2.0];

/// Returns the largest relative error of P and the largest error of V if every node is opened.
fn opened(n: u32, exponent: u32) -> Vec<f64> {
    let ball = Ball::new(n);
    let mut most = [0.0; 2];
    for x in ball.places(17, &RADII) {
        let (sums, (potential, pull)) = (ball.sums(exponent, 0.0, x), ball.directly(exponent, x));
        let errors =
            [(sums.potential / potential - 1.0).abs(), (Vec3::from(sums.pull) - pull).norm()];
        most = [0, 1].map(|k| f64::max(most[k], errors[k]));
    }
    most.to_vec()
}

/// Returns the mean relative error of P for p = 3, and the median and the largest angle in degrees
/// between the approximate and the exact gradient of P.
fn taken_as_one(n: u32, theta: f64) -> Vec<f64> {
    let ball = Ball::new(n);
    let (mut sum, mut angles) = (0.0, Vec::new());
    for x in ball.places(101, &RADII) {
        let (exact, near) = (ball.sums(3, 0.0, x), ball.sums(3, theta, x));
        sum += (near.potential / exact.potential - 1.0).abs();
        let angle = Vec3::from(exact.gradient).angle(&Vec3::from(near.gradient));
        angles.push(angle.to_degrees());
    }
    angles.sort_by(f64::total_cmp);
    let n = angles.len();
    vec![sum / n as f64, angles[n / 2], angles[n - 1]]
}

const fn exponent(mesh: &'static str) -> Series {
    const ROWS: &[Row] = &[
        Row::new("P", &[1e-12]).gate(Gate::AtMost(1e-10)),
        Row::new("V", &[1e-12]).gate(Gate::AtMost(1e-10)),
    ];
    Series { mesh, sizes: &[3000], quick: 1, rows: ROWS }
}

const fn theta(mesh: &'static str, rows: &'static [Row]) -> Series {
    Series { mesh, sizes: &[20_000], quick: 1, rows }
}

const fn mean(expected: &'static [f64]) -> Row {
    Row::new("P, mean", expected).gate(Gate::None)
}

const fn median(expected: &'static [f64]) -> Row {
    Row::new("angle, median", expected).gate(Gate::None)
}

const fn largest(expected: &'static [f64]) -> Row {
    Row::new("angle, largest", expected).gate(Gate::None)
}

pub const V51: Case = Case {
    id: "V51",
    title: "Barnes-Hut potential",
    exact: "Sums over the octree (depth 9, softening 1 voxel) of n samples of a sphere are \
            compared with sums over all samples, at 0.3 to 2 radii from the center. For `p=2` to \
            `p=5`, every node is opened (theta = 0), and the rows give the largest relative error \
            of P and the largest error of V = sum d_i^-(p+1) (x_i - x) / sum d_i^-p, a vector that \
            points toward the samples ([potential.md](potential.md) defines P and d_i). For \
            `theta=`, p = 3 and a distant node counts as one sample. These rows give the mean \
            relative error of P, and the median and the largest angle between the computed and the \
            exact grad P, in degrees.",
    note: "The samples are those that the octree stores, at multiples of 2^-18 voxels. Only theta \
           = 0.5, the default, has a gate. The largest angles occur next to the samples and \
           depend on the points that are evaluated.",
    deviation: "",
    measure: |_, mesh, n| match mesh.split_once('=').unwrap() {
        ("p", exponent) => opened(n, exponent.parse().unwrap()),
        (_, theta) => taken_as_one(n, theta.parse().unwrap()),
    },
    series: &[
        exponent("p=2"),
        exponent("p=3"),
        exponent("p=4"),
        exponent("p=5"),
        theta("theta=0.3", &[mean(&[0.003]), median(&[0.3]), largest(&[10.0])]),
        theta(
            "theta=0.5",
            &[mean(&[0.009]).gate(Gate::AtMost(0.02)), median(&[0.6]), largest(&[10.0])],
        ),
        theta("theta=0.8", &[mean(&[0.025]), median(&[1.8]), largest(&[21.0])]),
        theta("theta=1.0", &[mean(&[0.039]), median(&[3.3]), largest(&[45.0])]),
        theta("theta=1.5", &[mean(&[0.10]), median(&[9.3]), largest(&[156.0])]),
    ],
};

/// Counts the points that violate a property of V or P.
///
/// Four counts are returned: points outside where V does not point inward, points inside where V
/// does not point outward, points where V is not shorter than 1, and points where P does not grow
/// in the direction of its gradient. The fifth number is the largest relative difference between
/// the growth of P per voxel and the length of its gradient.
fn signs(n: u32, exponent: u32) -> Vec<f64> {
    let ball = Ball::new(n);
    let center = Vec3::from(ball.0.frame().voxel(CENTER));
    let (mut outside, mut inside, mut long, mut falls, mut off) = (0, 0, 0, 0, 0.0_f64);
    let step = 0.05;
    for radius in RADII {
        for x in ball.places(101, &[radius]) {
            let pull = Vec3::from(ball.sums(exponent, 0.5, x).pull);
            let outwards = pull.dot(&(Vec3::from(x) - center));
            outside += u32::from(radius > 1.0 && outwards >= 0.0);
            inside += u32::from(radius < 1.0 && outwards <= 0.0);
            long += u32::from(pull.norm() >= 1.0);
            // These sums cover all samples. With theta > 0, the set of opened nodes may change
            // between the two points.
            let here = ball.sums(exponent, 0.0, x);
            let gradient = Vec3::from(here.gradient);
            let there = Vec3::from(x) + gradient.normalize() * step;
            let rise = ball.sums(exponent, 0.0, there.into()).potential - here.potential;
            falls += u32::from(rise <= 0.0);
            off = off.max((rise / step / gradient.norm() - 1.0).abs());
        }
    }
    let mut all = [outside, inside, long, falls].map(f64::from).to_vec();
    all.push(off);
    all
}

const fn towards(mesh: &'static str) -> Series {
    const ROWS: &[Row] = &[
        Row::count("outside, not inward", 0.0),
        Row::count("inside, not outward", 0.0),
        Row::count("V of length 1 or more", 0.0),
        Row::count("P does not grow along U", 0.0),
        Row::new("rise over slope, less 1", &[]).gate(Gate::None),
    ];
    Series { mesh, sizes: &[3_000, 20_000], quick: 2, rows: ROWS }
}

pub const V52: Case = Case {
    id: "V52",
    title: "velocity toward the samples",
    exact: "n samples lie on a sphere with the center c. The rows count points at 0.3 to 2 radii \
            from c where a property is violated. With theta = 0.5, V . (x - c) must be negative \
            outside and positive inside, and V must be shorter than 1. P, summed over all samples, \
            must be larger at the point 0.05 voxels farther along U = grad P / abs(grad P). The \
            last row is the largest relative difference between the growth of P per voxel over \
            this step and abs(grad P).",
    note: "",
    deviation: "",
    measure: |_, mesh, n| signs(n, mesh.split_once('=').unwrap().1.parse().unwrap()),
    series: &[towards("p=3"), towards("p=5")],
};
