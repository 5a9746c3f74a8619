//! Reads a mesh in any format, describes it, and writes it for ParaView with an additional array.
//!
//!     cargo run --release --example 03_mesh_to_vtp -- meshes/fsaverage5_pial_left.gii.gz out.vtp

use std::path::PathBuf;

use zeroset::io::vtk::{Compression, Geometry, VtkOutput, write};
use zeroset::io::{read_data, read_mesh};
use zeroset::mesh::statistics::inspect;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/meshes/fsaverage5_pial_left.gii.gz");
    let input = arguments.next().unwrap_or_else(|| shipped.into());
    let folder = tempfile::tempdir()?;
    let output = arguments.next().unwrap_or_else(|| folder.path().join("mesh.vtp"));

    let file = read_mesh(&input)?;
    let facts = inspect(&file.mesh);
    println!("{} {}, {:?} mesh", file.format, file.version, file.mesh.kind);
    println!("{} vertices, {} cells", file.mesh.n_vertices(), file.mesh.n_cells());
    println!("{} components, Euler number {}", facts.components, facts.euler);
    println!("{} boundary and {} non-manifold facets", facts.boundary, facts.nonmanifold);
    if let (Some(min), Some(mean), Some(max)) = (facts.edge_min, facts.edge_mean, facts.edge_max) {
        println!("edges {min:.4} to {max:.4}, mean {mean:.4}");
    }

    // The arrays of the output are compressed with zlib, which is also the default of zeroset. All
    // programs that read VTK files can read them.
    let height: Vec<f64> = file.mesh.vertices.iter().map(|x| x[2]).collect();
    let geometry = Geometry::mesh(&file.mesh, Compression::default());
    write(&output, &VtkOutput::new(&geometry).point_data("height", 1, &height[..]))?;

    // The output can be read back.
    let copy = read_mesh(&output)?;
    assert_eq!(copy.mesh.cells, file.mesh.cells);
    let arrays = read_data(&output)?.arrays;
    assert!(arrays.iter().any(|array| array.name == "height"));
    println!("written: {}", output.display());
    Ok(())
}
