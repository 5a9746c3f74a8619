//! Tables I to III of Fu et al. on the GPU: patch sizes, widths of the band, and each mesh with a
//! block partition, with a METIS partition and on the CPU.
//!
//! The paper does not state its number of steps. This benchmark takes steps until phi has been
//! reinitialized 20 times after the start (10 times for tetrahedra) by the paper's rule, in a band
//! of 10 mean edge lengths on patches of 64 vertices. All other columns take the same number of
//! steps.

use std::sync::Arc;

use zeroset::Cpu;
use zeroset::geometry::Real;
use zeroset::gpu::Cuda;
use zeroset::levelset::eikonal::cuda::{Gpu, Organization};
use zeroset::patches::{Partition, Patches};

use crate::Failed;
use crate::meshes::{Made, Meshes};
use crate::motion::{Case, Took, reinitialize, step};

const SIZES: [usize; 4] = [32, 64, 128, 256];
const WIDTHS: [f64; 5] = [2.0, 3.0, 5.0, 10.0, 20.0];
/// The meshes of Table II in the paper.
const OF_WIDTHS: [&str; 2] = ["irregsquare", "irregcube"];

pub fn tables(cuda: &Arc<Cuda>, meshes: &mut Meshes, names: &[&str]) {
    let gpu = Gpu { cuda: cuda.clone(), organization: Organization::Queue };
    println!(
        "\nTable I, vertices per patch: milliseconds on the GPU, queue (reinitialize + evolve)\n"
    );
    println!("| mesh | steps | 32 | 64 | 128 | 256 |");
    println!("|---|---|---|---|---|---|");
    each(&gpu, meshes, names, &|bench| bench.sizes());
    println!("\nTable II, half width in mean edge lengths: milliseconds (reinitialize + evolve)\n");
    println!("| mesh | steps | device | 2 | 3 | 5 | 10 | 20 |");
    println!("|---|---|---|---|---|---|---|---|");
    let of_widths: Vec<&str> = names.iter().copied().filter(|n| OF_WIDTHS.contains(n)).collect();
    each(&gpu, meshes, &of_widths, &|bench| bench.widths());
    println!("\nTable III: milliseconds\n");
    println!("| mesh | steps | device | reinitialize | evolve | total |");
    println!("|---|---|---|---|---|---|");
    each(&gpu, meshes, names, &|bench| bench.devices());
}

/// A function that computes the rows of one mesh in a table.
type RowsOf<'a> = &'a dyn Fn(&dyn Rows) -> Result<Vec<String>, Failed>;

/// Prints the rows of each mesh, with triangles in f64 and tetrahedra in f32.
fn each(gpu: &Gpu, meshes: &mut Meshes, names: &[&str], rows: RowsOf<'_>) {
    for name in names {
        let found = meshes.get(name).and_then(|made| {
            let cpu = &meshes.cpu;
            let bench: Box<dyn Rows> = match made.is_volume() {
                true => Box::new(Bench::<f32>::new(gpu, cpu, &made)?),
                false => Box::new(Bench::<f64>::new(gpu, cpu, &made)?),
            };
            rows(&*bench)
        });
        match found {
            Ok(rows) => rows.iter().for_each(|row| println!("| {name} | {row} |")),
            Err(error) => println!("| {name} | failed: {error} |"),
        }
    }
}

trait Rows {
    fn sizes(&self) -> Result<Vec<String>, Failed>;
    fn widths(&self) -> Result<Vec<String>, Failed>;
    fn devices(&self) -> Result<Vec<String>, Failed>;
}

struct Bench<'a, R> {
    gpu: &'a Gpu,
    cpu: &'a Arc<Cpu>,
    made: &'a Made,
    steps: u64,
    scalar: std::marker::PhantomData<R>,
}

impl<'a, R: Real> Bench<'a, R> {
    /// Prepares the benchmark of a mesh, and determines its number of steps.
    fn new(gpu: &'a Gpu, cpu: &'a Arc<Cpu>, made: &'a Made) -> Result<Self, Failed> {
        let patches = made.patches(cpu, Partition::fit_for(made.mesh()), 64)?;
        let case = Case { made, patches, width: Some(10.0) };
        let times = if made.is_volume() { 10 } else { 20 };
        let steps = reinitialize(&mut case.on_gpu::<R>(gpu, cpu)?, times)?.steps;
        Ok(Bench { gpu, cpu, made, steps, scalar: std::marker::PhantomData })
    }

    fn case(&self, patches: &Arc<Patches>, width: f64) -> Case<'a> {
        Case { made: self.made, patches: patches.clone(), width: Some(width) }
    }

    fn on_gpu(&self, patches: &Arc<Patches>, width: f64) -> Result<Took, Failed> {
        // The first call is a warm-up.
        let once =
            || step(&mut self.case(patches, width).on_gpu::<R>(self.gpu, self.cpu)?, self.steps);
        once()?;
        once()
    }

    fn on_cpu(&self, patches: &Arc<Patches>, width: f64) -> Result<Took, Failed> {
        step(&mut self.case(patches, width).on_cpu::<R>(self.cpu)?, self.steps)
    }

    fn patches(&self, method: Partition, size: usize) -> Result<Arc<Patches>, Failed> {
        self.made.patches(self.cpu, method, size)
    }
}

impl<R: Real> Rows for Bench<'_, R> {
    fn sizes(&self) -> Result<Vec<String>, Failed> {
        let method = Partition::fit_for(self.made.mesh());
        let column = |size| self.on_gpu(&self.patches(method, size)?, 10.0).map(sum);
        Ok(vec![format!("{} | {}", self.steps, columns(&SIZES.map(column)))])
    }

    fn widths(&self) -> Result<Vec<String>, Failed> {
        let patches = self.patches(Partition::fit_for(self.made.mesh()), 64)?;
        let on_cpu = columns(&WIDTHS.map(|width| self.on_cpu(&patches, width).map(sum)));
        let on_gpu = columns(&WIDTHS.map(|width| self.on_gpu(&patches, width).map(sum)));
        let steps = self.steps;
        Ok(vec![format!("{steps} | CPU | {on_cpu}"), format!("{steps} | GPU | {on_gpu}")])
    }

    fn devices(&self) -> Result<Vec<String>, Failed> {
        let mut rows = Vec::new();
        let metis = self.patches(Partition::Metis, 64)?;
        if self.made.mesh().lattice.is_some() {
            let blocks = self.patches(Partition::Blocks, 64)?;
            rows.push(("GPU, blocks", self.on_gpu(&blocks, 10.0)?));
        }
        rows.push(("GPU, METIS", self.on_gpu(&metis, 10.0)?));
        rows.push(("CPU, METIS", self.on_cpu(&metis, 10.0)?));
        let parts = |took: &Took| {
            let parts = [took.reinitialize, took.evolve, took.total()];
            parts.map(|s| format!("{:.2}", s * 1e3)).join(" | ")
        };
        let row =
            |(device, took): &(&str, Took)| format!("{} | {device} | {}", took.steps, parts(took));
        Ok(rows.iter().map(row).collect())
    }
}

fn sum(took: Took) -> String {
    let [total, reinitialize, evolve] =
        [took.total(), took.reinitialize, took.evolve].map(|s| s * 1e3);
    format!("{total:.2} ({reinitialize:.2} + {evolve:.2})")
}

/// Joins columns of a table row. A failure is printed in its column.
fn columns(of: &[Result<String, Failed>]) -> String {
    let text = |column: &Result<String, Failed>| match column {
        Ok(column) => column.clone(),
        Err(error) => format!("failed: {error}"),
    };
    of.iter().map(text).collect::<Vec<_>>().join(" | ")
}
