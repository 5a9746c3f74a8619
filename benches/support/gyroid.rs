//! A gyroid for benchmarks of surface extraction on either device.

use rayon::prelude::*;

/// Half waves along each axis. With 512^3 values, the surface at [`LEVEL`] has 20.3 million
/// triangles.
const HALF_WAVES: f32 = 16.08;

/// The value on the surface.
pub const LEVEL: f64 = 0.1;

/// Returns n^3 values of the gyroid, with x varying fastest.
pub fn gyroid(n: usize) -> Vec<f32> {
    let wave = |k: usize| (k as f32 / n as f32 * HALF_WAVES * std::f32::consts::PI).sin_cos();
    let waves: Vec<(f32, f32)> = (0..n).map(wave).collect();
    let mut values = vec![0.0; n * n * n];
    values.par_chunks_exact_mut(n).enumerate().for_each(|(row, values)| {
        let [y, z] = [row % n, row / n].map(|k| waves[k]);
        for (value, x) in values.iter_mut().zip(&waves) {
            *value = x.0 * y.1 + y.0 * z.1 + z.0 * x.1;
        }
    });
    values
}
