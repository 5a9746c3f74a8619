//! Figure 9 of Fu et al.: steps on 1, 2, 4, ... threads, in a narrow band on patches and in the
//! whole domain.

use std::sync::Arc;

use zeroset::Cpu;
use zeroset::geometry::Real;
use zeroset::patches::{Partition, Patches};

use crate::Failed;
use crate::meshes::{Made, Meshes};
use crate::motion::{Case, Took, step};

const THREADS: [usize; 5] = [1, 2, 4, 8, 16];

/// The number of timed steps in the band. They include about one reinitialization of phi for every
/// eight steps.
const BAND_STEPS: u64 = 48;
const DOMAIN_STEPS: u64 = 6;

pub fn table(meshes: &mut Meshes, names: &[&str]) {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!(
        "\nFigure 9, {cores} cores: milliseconds per step with its share of reinitialization\n"
    );
    println!("| mesh | threads | patched, band of 10 | faster | whole domain | faster |");
    println!("|---|---|---|---|---|---|");
    for name in names {
        let rows = meshes.get(name).and_then(|made| {
            let patches = made.patches(&meshes.cpu, Partition::fit_for(made.mesh()), 64)?;
            match made.is_volume() {
                true => rows::<f32>(name, &made, &patches, cores),
                false => rows::<f64>(name, &made, &patches, cores),
            }
        });
        if let Err(error) = rows {
            println!("| {name} | failed: {error} |");
        }
    }
}

fn rows<R: Real>(
    name: &str,
    made: &Made,
    patches: &Arc<Patches>,
    cores: usize,
) -> Result<(), Failed> {
    let mut alone = None;
    for threads in THREADS.into_iter().filter(|&n| n <= cores) {
        let cpu = Arc::new(Cpu::new(threads)?);
        let milliseconds = |width, steps| -> Result<f64, Failed> {
            let mut moving = Case { made, patches: patches.clone(), width }.on_cpu::<R>(&cpu)?;
            step(&mut moving, steps / 4 + 1)?;
            let took: Took = step(&mut moving, steps)?;
            Ok(1e3 * took.total() / took.steps as f64)
        };
        let band = milliseconds(Some(10.0), BAND_STEPS)?;
        let domain = milliseconds(None, DOMAIN_STEPS)?;
        let (one, whole) = *alone.get_or_insert((band, domain));
        println!(
            "| {name} | {threads} | {band:.2} | {:.2} | {domain:.2} | {:.2} |",
            one / band,
            whole / domain
        );
    }
    Ok(())
}
