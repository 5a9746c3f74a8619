//! Shows a velocity that depends on time: a disk is carried back and forth, and returns to its
//! place.
//!
//!     cargo run --release --example 08_time_dependent_velocity

use zeroset::api::{EvolveOptions, ReadOptions, Velocity};
use zeroset::mesh::generate::{Generate, Square, generate};
use zeroset::{Mesh, Terms};

fn main() -> zeroset::Result<()> {
    let mut square = Square::default();
    square.cells = [64, 64];
    (square.min, square.max) = ([-1.0, -1.0], [1.0, 1.0]);
    let mesh = Mesh::with_options(generate(&Generate::Square(square))?, &ReadOptions::default())?;
    let to_and_fro = ["cos(2*pi*t)", "0", "0"].map(String::from);
    let terms = Terms::default().velocity(Velocity::Expressions(to_and_fro));
    let options = EvolveOptions::default().until(1.0).every(0.25);
    let mut rows = Vec::new();
    for state in zeroset::evolve_with(&mesh, "sqrt(x^2 + y^2) - 0.4", &terms, options)? {
        let state = state?;
        println!("time {:.2}: area {:.4}", state.time, state.measures.enclosed);
        rows.push(state);
    }
    let (first, last) = (&rows[0], &rows[rows.len() - 1]);
    assert!((last.measures.enclosed / first.measures.enclosed - 1.0).abs() < 0.02);
    Ok(())
}
