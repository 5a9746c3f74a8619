//! Shows two operations on a volume: extracting the isosurface at a level, and computing the
//! distance to the voxels above it.
//!
//!     cargo run --release --example 10_volumes

use zeroset::config::Device;
use zeroset::point_distance::Edt;
use zeroset::volume::{Placement, Volume};

fn main() -> zeroset::Result<()> {
    // The distance from the center, on 41 x 41 x 41 voxels. The values decrease outward.
    let (n, radius) = (41, 12.0);
    let at = |voxel: usize| [voxel % n, voxel / n % n, voxel / (n * n)].map(|k| k as f64 - 20.0);
    let value = |x: [f64; 3]| -x.iter().map(|c| c * c).sum::<f64>().sqrt();
    let values: Vec<f64> = (0..n * n * n).map(|voxel| value(at(voxel))).collect();
    let inside: Vec<bool> = values.iter().map(|value| *value >= -radius).collect();

    let volume = Volume::new([n; 3], values.into(), Placement::identity())?;
    let mesh = zeroset::isosurface(&volume, -radius, &Default::default())?.mesh;
    println!("isosurface: {} vertices, {} triangles", mesh.n_vertices(), mesh.n_cells());

    let found = zeroset::edt(&inside, [n; 3], &Edt::default(), &Device::default())?;
    let corner = f64::from(found.values[0]);
    println!("distance from the corner: {corner:.3}");
    assert!((corner - (20.0 * 3.0_f64.sqrt() - radius)).abs() < 1.0);
    Ok(())
}
