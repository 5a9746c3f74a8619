//! Computes the geodesic distance from a vertex of a sphere and compares it with R acos(x . y /
//! R^2).
//!
//!     cargo run --release --example 01_distance_on_a_sphere

use std::sync::Arc;

use zeroset::Cpu;
use zeroset::levelset::eikonal::{EikonalState, Slowness, solve, source};
use zeroset::mesh::clean;
use zeroset::mesh::generate::{Generate, Sphere, generate};
use zeroset::patches::{Coordinates, PATCH_SIZE, Partition, Patches};

fn main() -> zeroset::Result<()> {
    let radius = 100.0;
    let cpu = Cpu::new(0)?;
    println!("vertices   mean edge   mean error   largest error   (of R = {radius})");
    let mut means = Vec::new();
    for subdivisions in 3..=6 {
        let mut sphere = Sphere::default();
        sphere.radius = radius;
        sphere.subdivisions = Some(subdivisions);
        let (mesh, _) = clean(generate(&Generate::Sphere(sphere))?)?;
        let edge = zeroset::run::setup::mean_edge(&mesh);

        // Solvers work patch by patch. The coordinates are the mesh coordinates in patch order.
        let patches = Arc::new(Patches::new(&mesh, Partition::Bisection, PATCH_SIZE)?);
        let coordinates = Arc::new(Coordinates::new(&mesh, &patches));
        let mut state = EikonalState::<f64>::new(patches, coordinates, Slowness::Uniform(1.0));

        // The neighbors of vertex 0 start with their straight-line distance to it. The solver
        // computes the remaining distances.
        let slowness = Slowness::Uniform(1.0);
        state.seed(&source::around_simplices(&mesh, &[0], 1, 0.0, &slowness));
        solve(&cpu, &mut state, None)?;

        let pole = mesh.vertices[0];
        let exact = |x: &[f64; 3]| {
            let cosine = (0..3).map(|k| x[k] * pole[k]).sum::<f64>() / (radius * radius);
            radius * cosine.clamp(-1.0, 1.0).acos()
        };
        let distance = state.u_in_mesh_order();
        let errors: Vec<f64> =
            mesh.vertices.iter().zip(&distance).map(|(x, d)| (d - exact(x)).abs()).collect();
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        let largest = errors.iter().fold(0.0, |a: f64, &b| a.max(b));
        println!("{:8}   {edge:9.3}   {mean:10.4}   {largest:13.4}", mesh.n_vertices());
        means.push(mean);
    }
    assert!(means.windows(2).all(|pair| pair[1] < pair[0]), "finer meshes must be more accurate");
    assert!(means[3] < 0.01 * radius);
    Ok(())
}
