//! Benchmark of the distance from a corner of a large cube of tetrahedra.

use std::sync::Arc;
use std::time::Instant;

use zeroset::Cpu;
use zeroset::gpu::Cuda;
use zeroset::levelset::eikonal::cuda::Organization;
use zeroset::mesh::generate::{Cube, Generate, generate};
use zeroset::patches::{Partition, Patches};

use crate::{FIELDS, Failed, one_field};

/// The number of cubes along an axis, unless the argument `cells=N` is given. Each cube has six
/// tetrahedra.
const CELLS: u32 = 160;

pub fn table(cuda: &Arc<Cuda>, cpu: &Arc<Cpu>, args: &[String]) -> Result<(), Failed> {
    let asked = args.iter().find_map(|a| a.strip_prefix("cells="));
    let cells: u32 = asked.map_or(Ok(CELLS), str::parse)?;
    let start = Instant::now();
    let mut cube = Cube::default();
    cube.cells = [cells; 3];
    // A lattice needs no cleaning.
    let mesh = generate(&Generate::Cube(cube))?;
    let patches = Arc::new(cpu.run(|| Patches::new(&mesh, Partition::Blocks, 64))?);
    println!(
        "\n{} vertices, {} tetrahedra, {} patches; generated and partitioned in {:.1} s",
        mesh.n_vertices(),
        mesh.n_cells(),
        patches.len(),
        start.elapsed().as_secs_f64()
    );
    println!("{FIELDS}");
    for organization in [Organization::Queue, Organization::Rounds] {
        one_field::<f32>(cuda, &mesh, &patches, "cube", organization)?;
    }
    Ok(())
}
