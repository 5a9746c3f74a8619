//! Shrinks a circle by its curvature in an explicit time loop, and measures its area and length.
//! The exact radius R satisfies R^2 = R0^2 - 2 t.
//!
//!     cargo run --release --example 02_shrinking_circle

use std::f64::consts::PI;
use std::sync::Arc;

use zeroset::Cpu;
use zeroset::geometry::shape::Shape;
use zeroset::levelset::evolution::{Coefficient, Evolution, Options, Terms};
use zeroset::mesh::clean;
use zeroset::mesh::generate::{Generate, Pattern, Square, generate};
use zeroset::patches::{PATCH_SIZE, Partition, Patches};
use zeroset::surface::Measurer;

fn main() -> zeroset::Result<()> {
    let mut square = Square::default();
    square.cells = [64, 64];
    (square.min, square.max) = ([-1.0, -1.0], [1.0, 1.0]);
    square.pattern = Pattern::Equilateral;
    let (mesh, _) = clean(generate(&Generate::Square(square))?)?;
    let patches = Arc::new(Patches::new(&mesh, Partition::Bisection, PATCH_SIZE)?);

    // phi is the signed distance to a circle: negative inside, positive outside.
    let start = 0.6;
    let disk = Shape::Ball { center: [0.0; 3], radius: start };
    let phi: Vec<f64> = mesh.vertices.iter().map(|&x| disk.signed_distance(x)).collect();

    let terms = Terms::default().with_curvature(Coefficient::Uniform([1.0]));
    let half_width = 10.0 * zeroset::run::setup::mean_edge(&mesh);
    let cpu = Arc::new(Cpu::new(0)?);
    let options = Options::new(Some(half_width));
    let mut evolution = Evolution::<f64>::new(cpu, &mesh, patches, &phi, &terms, options)?;

    let measurer = Measurer::new(&mesh);
    println!("  time     area    exact   length   band vertices");
    for time in [0.0, 0.025, 0.05, 0.075, 0.1] {
        while evolution.time() < time - 1e-12 && !evolution.is_extinct() {
            evolution.step(time - evolution.time())?;
        }
        let found = measurer.measure(&mesh, &evolution.phi());
        let exact = PI * (start * start - 2.0 * time);
        println!(
            "{time:6.3} {:8.5} {exact:8.5} {:8.5} {:15}",
            found.enclosed,
            found.interface,
            evolution.n_band_vertices()
        );
        assert!((found.enclosed - exact).abs() < 0.015 * exact, "area is off by more than 1.5 %");
        assert_eq!(found.components, 1);
    }
    println!("{} steps", evolution.n_steps());
    Ok(())
}
