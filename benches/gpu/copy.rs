//! Benchmark of steps in the whole domain of a large planar lattice, compared with a copy kernel in
//! the same run.
//!
//! Only unavoidable memory traffic counts. Each step reads and writes phi, and reads both
//! coordinates. It also reads three 16-bit corners and three 16-bit gather columns per cell. Each
//! value is counted once.

use std::sync::Arc;
use std::time::Instant;

use zeroset::Cpu;
use zeroset::geometry::Real;
use zeroset::gpu::{Arguments, Cuda, Launch};
use zeroset::levelset::eikonal::cuda::{Gpu, Organization};
use zeroset::levelset::evolution::cuda::DeviceEvolution;
use zeroset::levelset::evolution::{Coefficient, Terms};
use zeroset::mesh::generate::{Generate, Square, generate};
use zeroset::mesh::{Kind, Mesh};
use zeroset::patches::{Partition, Patches};

use crate::motion::{self, all_terms, median, published};
use crate::{Failed, units};

/// The number of vertices, unless the argument `vertices=N` is given.
const VERTICES: u64 = 50_000_000;

/// Size of each of the two arrays of the copy kernel, in bytes.
const COPIED: usize = 1 << 30;

const STEPS: u64 = 64;

/// Vertices per patch. Smaller patches share a larger fraction of their cells and vertices with
/// other patches.
const PATCH: usize = 512;

pub fn table(cuda: &Arc<Cuda>, cpu: &Arc<Cpu>, args: &[String]) -> Result<(), Failed> {
    let asked = args.iter().find_map(|a| a.strip_prefix("vertices="));
    let vertices: u64 = asked.map_or(Ok(VERTICES), str::parse)?;
    let start = Instant::now();
    let side = (vertices as f64).sqrt().round().max(9.0) as u32 - 1;
    let mut square = Square::default();
    (square.cells, square.max) = ([side; 2], [f64::from(side); 2]);
    // A lattice needs no cleaning.
    let mesh = generate(&Generate::Square(square))?;
    let patches = Arc::new(cpu.run(|| Patches::new(&mesh, Partition::Blocks, PATCH))?);
    let center = f64::from(side) / 2.0;
    let circle = |x: &[f64; 3]| (x[0] - center).hypot(x[1] - center) - center / 2.0;
    let phi: Vec<f64> = mesh.vertices.iter().map(circle).collect();
    println!(
        "\n{} vertices, {} triangles, {} patches; generated and partitioned in {:.1} s",
        mesh.n_vertices(),
        mesh.n_cells(),
        patches.len(),
        start.elapsed().as_secs_f64()
    );
    let copy = bandwidth(cuda)?;
    println!("copy kernel: {:.3} TB/s\n", copy * 1e-12);
    println!("| precision | terms | setup s | ms per step | bytes per vertex | TB/s | % of copy |");
    println!("|---|---|---|---|---|---|---|");
    let domain = Domain { cuda, cpu, mesh: &mesh, patches: &patches, phi: &phi, copy };
    domain.rows::<f32>()?;
    domain.rows::<f64>()
}

/// Returns the number of bytes per second that the copy kernel reads and writes.
fn bandwidth(cuda: &Cuda) -> Result<f64, Failed> {
    let kernel = cuda.kernel(&units::copy(), "copy")?;
    let (from, into) = (cuda.zeros::<u8>(COPIED)?, cuda.zeros::<u8>(COPIED)?);
    let n = COPIED as u64 / 16;
    let grid = n.div_ceil(u64::from(units::COPY_BLOCK)) as u32;
    let launch = Launch { grid, block: units::COPY_BLOCK, shared: 0, cooperative: false };
    let arguments = Arguments::default().with_array(&from).with_array(&into).with(n);
    const TIMES: u32 = 20;
    let once = || -> Result<f64, Failed> {
        let begin = cuda.mark()?;
        for _ in 0..TIMES {
            // SAFETY: the kernel takes two arrays of n times 16 bytes, and n.
            unsafe { cuda.launch(&kernel, launch, &arguments)? };
        }
        let end = cuda.mark()?;
        end.wait()?;
        let seconds = begin.milliseconds_to(&end)? * 1e-3;
        Ok(2.0 * COPIED as f64 * f64::from(TIMES) / seconds)
    };
    once()?;
    Ok(median([once()?, once()?, once()?], |rate| *rate))
}

struct Domain<'a> {
    cuda: &'a Arc<Cuda>,
    cpu: &'a Arc<Cpu>,
    mesh: &'a Mesh,
    patches: &'a Arc<Patches>,
    phi: &'a [f64],
    /// Bytes per second of the copy kernel.
    copy: f64,
}

impl Domain<'_> {
    fn rows<R: Real>(&self) -> Result<(), Failed> {
        let advection = Terms::default().with_velocity(Coefficient::Uniform([1.0, 0.0, 0.0]));
        let curvature = Terms::default().with_curvature(Coefficient::Uniform([1e-3]));
        let all = all_terms(Kind::Planar);
        for (name, terms) in [("advection", advection), ("curvature", curvature), ("all", all)] {
            match self.row::<R>(&terms) {
                Ok(row) => println!("| {} | {name} | {row} |", R::NAME),
                Err(error) => println!("| {} | {name} | failed: {error} |", R::NAME),
            }
        }
        Ok(())
    }

    fn row<R: Real>(&self, terms: &Terms) -> Result<String, Failed> {
        let start = Instant::now();
        let mut evolution = DeviceEvolution::<R>::new(
            &Gpu { cuda: self.cuda.clone(), organization: Organization::Rounds },
            self.cpu.clone(),
            self.mesh,
            self.patches.clone(),
            self.phi,
            terms,
            published(None),
        )?;
        let setup = start.elapsed().as_secs_f64();
        motion::step(&mut evolution, STEPS)?;
        let mut once = || motion::step(&mut evolution, STEPS);
        let step = median([once()?, once()?, once()?], |took| took.per_step()).per_step();
        let (n, cells) = (self.mesh.n_vertices() as f64, self.mesh.n_cells() as f64);
        let bytes = 4.0 * size_of::<R>() as f64 * n + 12.0 * cells;
        let rate = bytes / step;
        Ok(format!(
            "{setup:.1} | {:.3} | {:.1} | {:.3} | {:.1}",
            step * 1e3,
            bytes / n,
            rate * 1e-12,
            100.0 * rate / self.copy
        ))
    }
}
