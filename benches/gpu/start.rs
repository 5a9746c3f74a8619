//! Benchmark of the startup: the time from a file to the first step on IrregSquare, and the time
//! that the program adds to the startup of the driver.

use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use zeroset::Cpu;
use zeroset::config::Config;
use zeroset::gpu::Cuda;
use zeroset::io::{WriteOptions, write_mesh};
use zeroset::levelset::eikonal::cuda::{Gpu, Organization};
use zeroset::levelset::evolution::cuda::DeviceEvolution;
use zeroset::mesh::Kind;
use zeroset::mesh::generate::{Generate, Square, generate};
use zeroset::patches::{Partition, Patches};
use zeroset::run::{CleanedMesh, setup};

use crate::Failed;
use crate::motion::{all_terms, median, published, step};

/// The argument with which the benchmark starts itself again, as a process without a CUDA context.
pub const CONTEXT: &str = "context";

pub fn table(cuda: &Arc<Cuda>, cpu: &Arc<Cpu>) -> Result<(), Failed> {
    println!(
        "\nThe driver's context, and what the program adds until a first small step is done\n"
    );
    println!("| start | driver's context s | added by the program s |");
    println!("|---|---|---|");
    let program = std::env::current_exe()?;
    // The first process may have to compile kernels.
    for name in ["first", "second", "third"] {
        let output = Command::new(&program).arg(CONTEXT).output()?;
        match output.status.success() {
            true => print!("| {name} {}", String::from_utf8_lossy(&output.stdout)),
            false => return Err(String::from_utf8_lossy(&output.stderr).into()),
        }
    }
    let made = crate::config("irregsquare")?;
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("irregsquare.vtu");
    {
        let ready = cpu.run(|| CleanedMesh::new(&made))?;
        write_mesh(&file, &ready.mesh, &WriteOptions::default())?;
    }
    let case = format!(
        "version = 1\n[domain.mesh]\npath = {:?}\n[initial]\nball = {{ center = [256, 256, 0], \
         radius = 100 }}\n[evolve]\nvelocity = [1, 0, 0]\nmax_steps = 1\n",
        file.display().to_string()
    );
    let config = Config::parse(&case, &folder.path().join("case.toml"), &[])?;
    println!("\nIrregSquare from a .vtu file to the first step, f64, {} threads\n", cpu.threads());
    println!("| partition | read s | partition s | setup s | first step s | total s |");
    println!("|---|---|---|---|---|---|");
    for (name, method) in [
        ("metis", Partition::Metis),
        ("bisection", Partition::Bisection),
        ("hilbert", Partition::Hilbert),
    ] {
        let once = || stages(cuda, cpu, &config, method);
        once()?;
        let took = median([once()?, once()?, once()?], |stages| stages.iter().sum());
        let columns: Vec<String> = took.iter().map(|s| format!("{s:.3}")).collect();
        println!("| {name} | {} | {:.3} |", columns.join(" | "), took.iter().sum::<f64>());
    }
    Ok(())
}

/// Returns the seconds that reading, partition, setup and the first step take.
fn stages(
    cuda: &Arc<Cuda>,
    cpu: &Arc<Cpu>,
    config: &Config,
    method: Partition,
) -> Result<[f64; 4], Failed> {
    let mut clock = Instant::now();
    let mut lap = || std::mem::replace(&mut clock, Instant::now()).elapsed().as_secs_f64();
    let ready = cpu.run(|| CleanedMesh::new(config))?;
    let read = lap();
    let patches = cpu.run(|| match method {
        Partition::Hilbert => Patches::new_on(cuda, &ready.mesh, method, 64),
        _ => Patches::new(&ready.mesh, method, 64),
    });
    let patches = Arc::new(patches?);
    let cut = lap();
    let phi = cpu.run(|| setup::initial_phi(config, &ready))?.phi;
    let edge = cpu.run(|| setup::mean_edge(&ready.mesh));
    let mut evolution = DeviceEvolution::<f64>::new(
        &Gpu { cuda: cuda.clone(), organization: Organization::Rounds },
        cpu.clone(),
        &ready.mesh,
        patches,
        &phi,
        &all_terms(ready.mesh.kind),
        published(Some(10.0 * edge)),
    )?;
    let made = lap();
    step(&mut evolution, 1)?;
    Ok([read, cut, made, lap()])
}

/// Prints how many seconds it takes to create the CUDA context, and how many seconds the program
/// works until the end of the first step on a small mesh. This runs in its own process.
pub fn context() -> Result<(), Failed> {
    let start = Instant::now();
    let context = cudarc::driver::CudaContext::new(0)?;
    let driver = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let cuda = Arc::new(Cuda::new(0)?);
    let cpu = Arc::new(Cpu::new(1)?);
    let mesh = generate(&Generate::Square(Square::default()))?;
    let patches = Arc::new(Patches::new(&mesh, Partition::Blocks, 64)?);
    let phi: Vec<f64> =
        mesh.vertices.iter().map(|x| (x[0] - 0.5).hypot(x[1] - 0.5) - 0.25).collect();
    let mut evolution = DeviceEvolution::<f64>::new(
        &Gpu { cuda, organization: Organization::Rounds },
        cpu,
        &mesh,
        patches,
        &phi,
        &all_terms(Kind::Planar),
        published(Some(0.1)),
    )?;
    step(&mut evolution, 1)?;
    println!("| {driver:.3} | {:.3} |", start.elapsed().as_secs_f64());
    drop(context);
    Ok(())
}
