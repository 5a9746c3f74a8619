//! Shows the choice of the device: the same distance on the CPU and, if there is one, on a GPU.
//!
//!     cargo run --release --example 12_gpu

use std::time::Instant;

use zeroset::api::ReadOptions;
use zeroset::config::Device;
use zeroset::{Source, distance, read_with};

fn main() -> zeroset::Result<()> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/meshes/fsaverage5_pial_left.gii.gz");
    let mut devices = vec![Device::cpu()];
    match zeroset::gpu::available(0) {
        Ok(gpu) => {
            println!("GPU 0: {}", gpu.name);
            devices.push(Device::gpu(0));
        }
        Err(reason) => println!("no GPU: {reason}"),
    }
    let mut all = Vec::new();
    for device in devices {
        let mesh = read_with(path, &ReadOptions::default().device(device))?;
        // The first call prepares the mesh and opens the GPU.
        distance(&mesh, &[Source::Vertex(0)])?;
        let start = Instant::now();
        let found = distance(&mesh, &[Source::Vertex(77)])?;
        let (backend, milliseconds) = (found.backend, start.elapsed().as_secs_f64() * 1e3);
        println!("{backend}: {} vertices in {milliseconds:.1} ms", found.values.len());
        all.push(found.values);
    }
    for values in &all[1..] {
        let largest = values.iter().zip(&all[0]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        println!("largest difference: {largest:.1e} mm");
        assert!(largest < 1e-9);
    }
    Ok(())
}
