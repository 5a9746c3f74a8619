//! Shows distances on a cortical surface: the nearest of two sources, and the path back to it.
//!
//!     cargo run --release --example 05_distances_on_a_cortex

use zeroset::Source;
use zeroset::api::DistanceOptions;

fn main() -> zeroset::Result<()> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/meshes/fsaverage5_pial_left.gii.gz");
    let mesh = zeroset::read(path)?;
    let mut options = DistanceOptions::default();
    options.labels = true;
    options.paths_from = vec![Source::Vertex(5000)];
    let sources = [Source::Vertex(0), Source::Vertex(9000)];
    let found = zeroset::distance_with(&mesh, &sources, &options)?;

    let farthest = found.values.iter().copied().fold(0.0, f64::max);
    println!("farthest vertex: {farthest:.1} mm from the nearest source");
    let labels = found.labels.unwrap_or_default();
    for source in 0..2 {
        let n = labels.iter().filter(|label| **label == source).count();
        println!("source {source}: nearest to {n} vertices");
    }
    let path = &found.paths[0];
    println!("path from vertex 5000: {:.1} mm, {} points", path.length, path.points.len());
    assert!((path.length - found.values[5000]).abs() < 0.05 * path.length);
    Ok(())
}
