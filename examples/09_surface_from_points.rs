//! Shows the reconstruction of a surface from points without normals, and its self-check.
//!
//!     cargo run --release --example 09_surface_from_points

use zeroset::cloud::PointCloud;
use zeroset::reconstruct::{Device, Options, surface};

fn main() -> zeroset::Result<()> {
    // Points in a spiral on a sphere of radius 10.
    let (n, golden) = (4000, std::f64::consts::PI * (3.0 - 5.0_f64.sqrt()));
    let point = |k: usize| {
        let z = 1.0 - (2 * k + 1) as f64 / n as f64;
        let (r, angle) = ((1.0 - z * z).sqrt(), golden * k as f64);
        [r * angle.cos(), r * angle.sin(), z].map(|x| 10.0 * x)
    };
    let cloud = PointCloud::new((0..n).map(point).collect());
    let (mesh, report) = surface(cloud, &Options::default(), Device::Cpu)?;
    println!("{} vertices, {} triangles", mesh.n_vertices(), mesh.n_cells());
    println!("the surface follows its samples: {}", report.check.passed);
    report.warnings.iter().for_each(|warning| println!("warning: {warning}"));
    assert!(report.check.passed && report.surface.closed);
    Ok(())
}
