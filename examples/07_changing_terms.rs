//! Moves a curve under terms that change on the way: it first grows, then shrinks by its curvature.
//!
//!     cargo run --release --example 07_changing_terms

use zeroset::Terms;
use zeroset::api::EvolveOptions;

fn main() -> zeroset::Result<()> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/meshes/fsaverage5_pial_left.gii.gz");
    let mesh = zeroset::read(path)?;
    let options = EvolveOptions::default().until(20.0).every(5.0);
    let ball = "sqrt((x + 55)^2 + (y + 20)^2 + (z - 10)^2) - 20";
    let mut motion =
        zeroset::evolve_with(&mesh, ball, &Terms::default().normal_speed(1.0), options)?;
    let mut areas = Vec::new();
    while let Some(state) = motion.next() {
        let state = state?;
        println!("time {:4.1}: {:8.1} mm^2 inside", state.time, state.measures.enclosed);
        areas.push(state.measures.enclosed);
        if state.time == 10.0 {
            motion.set_terms(&Terms::default().curvature(1.0))?;
        }
    }
    assert!(areas[2] > areas[0] && areas[4] < areas[2]);
    Ok(())
}
