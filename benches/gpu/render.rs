//! Benchmark of rays through a volume with each rule. The large experiment casts 1,024^2
//! perspective rays through the CT scan of the test data, resampled to 512^3 voxels. The small one
//! is the experiment of Khan and Zahran (Figures 8 and 9) and also includes `Rule::PointWise`,
//! which follows the definition in their paper. The times for preparing a rule (including the copy
//! to the GPU), for the rays, for the light, and for copying the hits to the host are listed
//! separately. All rules must find the same voxels.

use std::path::PathBuf;
use std::time::Instant;

use rayon::prelude::*;
use zeroset::Cpu;
use zeroset::gpu::Cuda;
use zeroset::io::{VolumeOptions, read_volume};
use zeroset::picture::{Options, Traced, trace};
use zeroset::point_distance::{DeviceEdt, Edt};
use zeroset::render::cuda::DeviceMarch;
use zeroset::render::{Camera, Counts, Frame, Hit, Rule, Solid, SpaceSkipping, march};
use zeroset::volume::{Placement, Samples, Volume};

use crate::Failed;
use crate::point_distance::median;

/// Voxels above this value are visible. They are bone.
const THRESHOLD: f64 = 60.0;

const RULES: [(&str, Rule); 4] = [
    ("walk", Rule::Walk),
    ("isotropic", Rule::Isotropic),
    ("directional", Rule::Directional { cone: 0.0 }),
    ("directional, cone pi/5", Rule::Directional { cone: std::f64::consts::PI / 5.0 }),
];

/// Prints the times of the rays through both volumes, with each rule.
pub fn tables(cuda: &Cuda, cpu: &Cpu) -> Result<(), Failed> {
    let data = PathBuf::from(std::env::var_os("ZEROSET_DATA").ok_or("ZEROSET_DATA is not set")?);
    let file = data.join("volumes/CT_pitch.nii.gz");
    let scan = read_volume(&file, &VolumeOptions::default())?.volume;
    let large = cpu.run(|| resampled(&scan, 512))?;
    let solid = cpu.run(|| voxels(&large))?;
    transform(cuda, &solid)?;
    println!("\nVoxels above {THRESHOLD}:");
    table(cuda, None, &solid, 1024, &RULES)?;
    let surface = cpu.run(|| Solid::level(&large, THRESHOLD))?;
    println!("\nThe surface at {THRESHOLD}:");
    table(cuda, None, &surface, 1024, &RULES)?;
    let small = resampled(&scan, 64)?;
    let solid = voxels(&small)?;
    let definitions = [
        ("definition", Rule::PointWise { cone: None }),
        ("definition, cone 0", Rule::PointWise { cone: Some(0.0) }),
        ("definition, cone pi/5", Rule::PointWise { cone: Some(std::f64::consts::PI / 5.0) }),
    ];
    println!("\nVoxels above {THRESHOLD}, as the definition has it, compared with the CPU:");
    table(cuda, Some(cpu), &solid, 64, &[&RULES[..], &definitions].concat())
}

fn voxels(volume: &Volume) -> zeroset::Result<Solid<'_>> {
    let condition = format!("v > {THRESHOLD}").parse().expect("an expression");
    Solid::voxels(volume, volume.select(&condition)?)
}

/// Resamples the scan to a cube of voxels by linear interpolation.
fn resampled(scan: &Volume, side: usize) -> zeroset::Result<Volume> {
    let place = |k: usize, n: usize| {
        let last = (scan.shape()[k] - 1) as f64;
        n as f64 / (side - 1) as f64 * last
    };
    let value = |n: usize| {
        let at = [place(0, n % side), place(1, n / side % side), place(2, n / side / side)];
        scan.sample(at).unwrap_or(0.0) as f32
    };
    let values: Vec<f32> = (0..side * side * side).into_par_iter().map(value).collect();
    Volume::new([side; 3], Samples::from(values), Placement::identity())
}

/// Times the distance transform alone.
fn transform(cuda: &Cuda, solid: &Solid<'_>) -> Result<(), Failed> {
    let bytes: Vec<u8> = solid.inside().iter().map(|&inside| inside.into()).collect();
    let inside = cuda.upload(&bytes)?;
    let edt = DeviceEdt::new(cuda, Edt::default(), solid.shape())?;
    let ms = median(cuda, || Ok(edt.transform(cuda, &inside).map(drop)?))?;
    let [side, ..] = solid.shape();
    println!("\nDistance transform of {side}^3 voxels: {ms:.2} ms");
    Ok(())
}

fn table(
    cuda: &Cuda,
    cpu: Option<&Cpu>,
    solid: &Solid<'_>,
    pixels: u32,
    rules: &[(&str, Rule)],
) -> Result<(), Failed> {
    let [side, ..] = solid.shape();
    println!("{side}^3 cubes, {} of them seen, {pixels}^2 rays\n", solid.n_inside());
    println!(
        "| rule | copy and preparing ms | rays ms | light ms | frames/s | hits to the host ms | picture s | steps per ray | at most | hits |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    // The eye is in front of a corner. The field of view is 40 degrees.
    let side = solid.volume().shape()[0] as f64;
    let eye = [0.5, -1.3, 0.9].map(|x| x * side);
    let frame = Frame::from_eye(eye, &Camera::new([0.0, -1.8, 0.4]), 40.0, [pixels; 2]);
    let mut first: Option<Vec<Hit>> = None;
    for &(name, rule) in rules {
        // The first call compiles the kernels.
        drop(DeviceMarch::new(cuda, rule, solid)?);
        let start = Instant::now();
        let on_gpu = DeviceMarch::new(cuda, rule, solid)?;
        cuda.synchronize()?;
        let prepared = 1e3 * start.elapsed().as_secs_f64();
        let room = on_gpu.rays([pixels; 2], 1)?;
        let rays = median(cuda, || Ok(room.march(&frame)?))?;
        let light = median(cuda, || Ok(room.shade(&frame)?))?;
        let start = Instant::now();
        let hits = room.hits()?;
        let copied = 1e3 * start.elapsed().as_secs_f64();
        let options = Options::default().with_size(pixels, pixels).with_perspective(Some(40.0));
        let start = Instant::now();
        trace(&Traced::on_gpu(&on_gpu).with_samples(1), &options)?;
        let picture = start.elapsed().as_secs_f64();
        let counts = Counts::of(&hits);
        println!(
            "| {name} | {prepared:.1} | {rays:.3} | {light:.3} | {:.0} | {copied:.1} | {picture:.2} | {:.2} | {} | {} |",
            1e3 / (rays + light),
            counts.mean(),
            counts.most,
            counts.hits
        );
        let same = |(a, b): (&Hit, &Hit)| a.cube == b.cube && a.t == b.t;
        let found = first.get_or_insert_with(|| hits.clone());
        if !found.iter().zip(&hits).all(same) {
            return Err(format!("{name} finds different voxels").into());
        }
        if let Some(cpu) = cpu {
            let guide = SpaceSkipping::new(rule, solid, cpu)?;
            if cpu.run(|| march(solid, &guide, &frame, [pixels; 2], 1))? != hits {
                return Err(format!("{name} finds different voxels than the CPU").into());
            }
        }
    }
    Ok(())
}
