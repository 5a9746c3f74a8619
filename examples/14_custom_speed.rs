//! Shows a custom term: a function of this program computes the normal speed before each step, here
//! so that the enclosed area approaches a target.
//!
//!     cargo run --release --example 14_custom_speed

use zeroset::api::{EvolveOptions, begin};
use zeroset::{Mesh, Terms, Values};

/// Returns a square of n x n smaller squares around the origin, each cut into two triangles.
fn square(n: u32) -> zeroset::Result<Mesh> {
    let at = |i: u32| 2.0 * f64::from(i) / f64::from(n) - 1.0;
    let vertices = (0..=n).flat_map(|j| (0..=n).map(move |i| [at(i), at(j), 0.0])).collect();
    let corners = (0..n).flat_map(|j| (0..n).map(move |i| i + j * (n + 1)));
    let triangles: Vec<[u32; 3]> =
        corners.flat_map(|a| [[a, a + 1, a + n + 2], [a, a + n + 2, a + n + 1]]).collect();
    Mesh::triangles(vertices, &triangles)
}

fn main() -> zeroset::Result<()> {
    let mesh = square(60)?;
    let mut motion = begin(&mesh, "sqrt(x^2 + y^2) - 0.3", EvolveOptions::default())?;
    let target = 1.0;
    let mut area = motion.state()?.measures.enclosed;
    for step in 1..=60 {
        // The speed may be any function of the state. This one grows faster to the right.
        let speed = |x: &[f64; 3]| (1.0 + x[0]) * (target - area);
        let speeds = mesh.stored().vertices.iter().map(speed).collect();
        let mut options = EvolveOptions::default();
        options.max_steps = Some(step);
        motion.continue_with(&Terms::default().normal_speed(Values::PerVertex(speeds)), options)?;
        for state in &mut motion {
            area = state?.measures.enclosed;
        }
        if step % 20 == 0 {
            println!("step {step}: time {:.3}, area {area:.4}", motion.state()?.time);
        }
    }
    assert!((area - target).abs() < 0.05);
    Ok(())
}
