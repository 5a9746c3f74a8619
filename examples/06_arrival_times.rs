//! Shows arrival times of a front whose speed is given for every cell, on a mesh made of arrays.
//!
//!     cargo run --release --example 06_arrival_times

use zeroset::api::DistanceOptions;
use zeroset::{Mesh, Source, Values};

fn main() -> zeroset::Result<()> {
    // A square of n x n smaller squares, each cut into two triangles.
    let n = 100_u32;
    let index = |i: u32, j: u32| j * (n + 1) + i;
    let all = (0..=n).flat_map(|j| (0..=n).map(move |i| [i, j]));
    let vertices: Vec<[f64; 3]> =
        all.map(|[i, j]| [f64::from(i), f64::from(j), 0.0].map(|x| x / f64::from(n))).collect();
    let mut triangles = Vec::new();
    for [i, j] in (0..n).flat_map(|j| (0..n).map(move |i| [i, j])) {
        let [a, b, c, d] = [index(i, j), index(i + 1, j), index(i + 1, j + 1), index(i, j + 1)];
        triangles.extend([[a, b, c], [a, c, d]]);
    }

    // The front is twice as fast in the right half.
    let is_right = |triangle: &[u32; 3]| triangle.iter().all(|&v| vertices[v as usize][0] >= 0.5);
    let speed = triangles.iter().map(|t| if is_right(t) { 2.0 } else { 1.0 }).collect();
    let mesh = Mesh::triangles(vertices.clone(), &triangles)?;
    let mut options = DistanceOptions::default();
    options.speed = Some(Values::PerCell(speed));
    let source = Source::Vertices((0..=n).map(|j| index(0, j)).collect());
    let found = zeroset::distance_with(&mesh, &[source], &options)?;

    let arrival = found.values[index(n, n / 2) as usize];
    println!("arrival at the right side: {arrival:.4} (exact: 0.75)");
    assert!((arrival - 0.75).abs() < 0.02);
    Ok(())
}
