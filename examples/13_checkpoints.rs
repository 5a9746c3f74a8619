//! Shows checkpoints: a motion that stops and is resumed gives the same bits as one that does not.
//!
//!     cargo run --release --example 13_checkpoints

use zeroset::api::{Evolution, EvolveOptions, State};
use zeroset::{Mesh, Terms};

/// The motion. The program that resumes it must begin it in the same way.
fn motion(mesh: &Mesh) -> zeroset::Result<Evolution<&Mesh>> {
    let terms = Terms::default().normal_speed("1 + sin(t)").curvature(1.0);
    let options = EvolveOptions::default().until(8.0).every(1.0);
    zeroset::evolve_with(mesh, "z - 20", &terms, options)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/meshes/fsaverage5_pial_left.gii.gz");
    let file = std::env::temp_dir().join(format!("zeroset-{}.checkpoint", std::process::id()));
    let mesh = zeroset::read(path)?;
    let whole = motion(&mesh)?.collect::<zeroset::Result<Vec<State>>>()?;

    // The first program stops at time 3.
    let mut stopped = motion(&mesh)?;
    while stopped.time() < 3.0 {
        stopped.next().transpose()?;
    }
    stopped.write_checkpoint(&file)?;

    // A later program continues the motion.
    let mesh = zeroset::read(path)?;
    let mut resumed = motion(&mesh)?;
    resumed.resume(&file)?;
    println!("resumed at time {} after {} steps", resumed.time(), resumed.steps());
    let rest = resumed.collect::<zeroset::Result<Vec<State>>>()?;
    println!("{} states of {}, equal: {}", rest.len(), whole.len(), rest == whole[4..]);
    assert_eq!(rest, whole[4..]);
    std::fs::remove_file(file)?;
    Ok(())
}
