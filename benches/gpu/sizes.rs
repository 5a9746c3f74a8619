//! Figure 10 of Fu et al.: RegSquare in five sizes on the CPU and on the GPU, and the size at which
//! both are equally fast.
//!
//! Each measured time begins with a complete mesh and ends with the last step. It includes the
//! partition, setup, steps and reinitializations. Kernels are loaded from the cache each time. The
//! CUDA context already exists.

use std::sync::Arc;
use std::time::Instant;

use zeroset::Cpu;
use zeroset::gpu::Cuda;
use zeroset::levelset::eikonal::cuda::{Gpu, Organization};
use zeroset::levelset::evolution::cuda::DeviceEvolution;
use zeroset::levelset::evolution::{Coefficient, Evolution, Terms};
use zeroset::mesh::Mesh;
use zeroset::mesh::generate::{Generate, Square, generate};
use zeroset::patches::{Partition, Patches};

use crate::Failed;
use crate::motion::{Moving, median, published, step};

/// Numbers of edges along a side. A side of n edges gives 2 n^2 triangles.
const SIDES: [u32; 5] = [32, 64, 128, 256, 512];

const STEPS: u64 = 1000;

pub fn table(cpu: &Arc<Cpu>) -> Result<(), Failed> {
    println!(
        "\nA circle rotated about its center, {STEPS} steps, f64, {} threads\n",
        cpu.threads()
    );
    println!("| triangles | vertices | CPU s | GPU s | CPU / GPU |");
    println!("|---|---|---|---|---|");
    let mut ratios = Vec::new();
    for n in SIDES {
        let mut square = Square::default();
        (square.cells, square.max) = ([n; 2], [f64::from(n); 2]);
        let mesh = generate(&Generate::Square(square))?;
        let on_cpu = || -> Result<f64, Failed> {
            let start = Instant::now();
            let patches = Arc::new(cpu.run(|| Patches::new(&mesh, Partition::Blocks, 64))?);
            let (phi, terms) = turning(&mesh, n);
            let options = published(Some(10.0));
            run(start, Evolution::<f64>::new(cpu.clone(), &mesh, patches, &phi, &terms, options)?)
        };
        let on_gpu = || -> Result<f64, Failed> {
            let start = Instant::now();
            let cuda = Arc::new(Cuda::new(0)?);
            let gpu = Gpu { cuda, organization: Organization::Rounds };
            let patches = Arc::new(cpu.run(|| Patches::new(&mesh, Partition::Blocks, 64))?);
            let (phi, terms) = turning(&mesh, n);
            let options = published(Some(10.0));
            let cpu = cpu.clone();
            run(
                start,
                DeviceEvolution::<f64>::new(&gpu, cpu, &mesh, patches, &phi, &terms, options)?,
            )
        };
        on_gpu()?;
        let gpu = median([on_gpu()?, on_gpu()?, on_gpu()?], |s| *s);
        let host = median([on_cpu()?, on_cpu()?, on_cpu()?], |s| *s);
        let vertices = mesh.n_vertices();
        println!("| {} | {vertices} | {host:.3} | {gpu:.3} | {:.2} |", mesh.n_cells(), host / gpu);
        ratios.push((vertices as f64, host / gpu));
    }
    println!("\n{}", crossover(&ratios));
    Ok(())
}

/// Returns phi for a circle around the center, and a wind that rotates the circle around the
/// center.
fn turning(mesh: &Mesh, n: u32) -> (Vec<f64>, Terms) {
    let center = f64::from(n) / 2.0;
    let phi = |x: &[f64; 3]| (x[0] - center).hypot(x[1] - center) - center / 2.0;
    let wind = |x: &[f64; 3]| [(center - x[1]) / center, (x[0] - center) / center, 0.0];
    let wind = mesh.vertices.iter().map(wind).collect();
    let terms = Terms::default().with_velocity(Coefficient::PerVertex(wind));
    (mesh.vertices.iter().map(phi).collect(), terms)
}

/// Takes all steps. Returns the seconds since `start`.
fn run(start: Instant, mut moving: impl Moving) -> Result<f64, Failed> {
    step(&mut moving, STEPS)?;
    Ok(start.elapsed().as_secs_f64())
}

/// Returns a phrase that states the number of vertices at which the ratio CPU / GPU of the times
/// passes 1, by linear interpolation of logarithms, or which device is faster at every size.
fn crossover(ratios: &[(f64, f64)]) -> String {
    let passed = ratios.windows(2).find(|pair| pair[0].1 < 1.0 && pair[1].1 >= 1.0);
    match (passed, ratios.first()) {
        (Some(pair), _) => {
            let [(n, a), (m, b)] = [pair[0], pair[1]].map(|(n, ratio)| (n.ln(), ratio.ln()));
            format!("crossover at {:.0} vertices", (n - a * (m - n) / (b - a)).exp())
        }
        (None, Some((_, ratio))) if *ratio >= 1.0 => "the GPU is faster at every size".into(),
        _ => "the CPU is faster at every size".into(),
    }
}
