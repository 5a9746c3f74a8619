//! Volumes of n^3 voxels for benchmarks of the distance transform on either device. The values
//! state which voxels are inside.

/// Returns a generator of random numbers from 0 to 1.
pub fn numbers() -> impl FnMut() -> f64 {
    let mut state = 12_345_u64;
    move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / (1_u64 << 31) as f64
    }
}

/// Returns random voxels. On average, `thousandths` of 1,000 voxels are inside.
pub fn random(n: usize, thousandths: u32) -> Vec<bool> {
    let mut number = numbers();
    (0..n * n * n).map(|_| number() < f64::from(thousandths) / 1000.0).collect()
}

/// Returns the voxels inside forty random balls with radii of 2 to 8 % of the side.
pub fn balls(n: usize) -> Vec<bool> {
    let mut number = numbers();
    let mut inside = vec![false; n * n * n];
    for _ in 0..40 {
        let center = [(); 3].map(|()| number() * n as f64);
        let radius = (0.02 + 0.06 * number()) * n as f64;
        let range = |k: usize| {
            (center[k] - radius).max(0.0) as usize..((center[k] + radius) as usize + 1).min(n)
        };
        for z in range(2) {
            for y in range(1) {
                for x in range(0) {
                    let at = [x, y, z];
                    let square: f64 = (0..3).map(|k| (at[k] as f64 - center[k]).powi(2)).sum();
                    inside[x + n * (y + n * z)] |= square < radius * radius;
                }
            }
        }
    }
    inside
}
