//! Compares the cost of a step in a narrow band between a large and a small domain.

use std::sync::Arc;
use std::time::Instant;

use zeroset::Cpu;
use zeroset::geometry::Vec3;
use zeroset::levelset::evolution::{Coefficient, Evolution, Terms};
use zeroset::mesh::generate::{Generate, Square};
use zeroset::patches::{PATCH_SIZE, Partition, Patches};

use crate::domains::made;
use crate::runs::band;

/// The edge length of a cell in both domains.
const CELL: f64 = 2.0 / 128.0;

/// The number of steps per sample, including reinitializations.
const STEPS: usize = 100;

/// The number of samples of each domain.
const SAMPLES: usize = 41;

/// Returns the time per step for a circle in a domain with 16 times the area, divided by the time
/// per step in the small domain.
///
/// The result is the median over pairs of samples. The samples of a pair are taken in immediate
/// succession, so that other work on the machine slows both down alike.
pub fn ratio() -> f64 {
    let mut runs = [128, 512].map(start);
    let mut ratios: Vec<f64> = (0..SAMPLES)
        .map(|_| {
            let [small, large] = [0, 1].map(|k| seconds(&mut runs[k]));
            large / small
        })
        .collect();
    ratios.sort_by(f64::total_cmp);
    let [low, median, high] = [SAMPLES / 4, SAMPLES / 2, SAMPLES - 1 - SAMPLES / 4];
    println!("cost of a step: quartiles {:.3} to {:.3}", ratios[low], ratios[high]);
    ratios[median]
}

fn seconds(run: &mut Evolution<f64>) -> f64 {
    let start = Instant::now();
    for _ in 0..STEPS {
        run.step(f64::INFINITY).unwrap();
    }
    start.elapsed().as_secs_f64()
}

/// Creates a circle that rotates about the center of a square with n by n cells.
fn start(n: u32) -> Evolution<f64> {
    let mut square = Square::default();
    let half = 0.5 * f64::from(n) * CELL;
    (square.cells, square.min, square.max) = ([n, n], [-half; 2], [half; 2]);
    square.jitter = 0.25;
    let mesh = made(Generate::Square(square));
    let at = |x: &[f64; 3]| (Vec3::from(*x) - Vec3::new(0.3, 0.0, 0.0)).norm() - 0.35;
    let phi: Vec<f64> = mesh.vertices.iter().map(at).collect();
    let rotation = mesh.vertices.iter().map(|x| [-x[1], x[0], 0.0]).collect();
    let terms = Terms::default().with_velocity(Coefficient::PerVertex(rotation));
    let patches = Arc::new(Patches::new(&mesh, Partition::Bisection, PATCH_SIZE).unwrap());
    let cpu = Arc::new(Cpu::new(1).unwrap());
    Evolution::new(cpu, &mesh, patches, &phi, &terms, band(5.0 * CELL)).unwrap()
}
