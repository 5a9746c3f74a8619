//! Benchmark of rays through a volume on the CPU with each rule.
//!
//! `cargo bench --bench render -- [SIDE] [PIXELS] [THREADS]` resamples `volumes/CT_pitch.nii.gz` in
//! the folder `ZEROSET_DATA` to SIDE^3 voxels (default 512) and renders the voxels above 60 in
//! perspective with PIXELS^2 rays (default 1024). Then it repeats the small experiment of Khan and
//! Zahran (Figures 8 and 9) with 64^3 voxels and 64^2 rays. This experiment also includes
//! `Rule::PointWise`, which follows the definition in their paper and examines every voxel at every
//! step. The output is Markdown. Times of rays and pictures are medians of three. All rules must
//! find the same voxels.
//!
//! With `angles [SIDE] [PIXELS]` (default 192 and 240), the benchmark prints the steps per ray by
//! the angle of the cone (Figure 9a).

use std::path::PathBuf;
use std::time::Instant;

use zeroset::Cpu;
use zeroset::io::{VolumeOptions, read_volume};
use zeroset::picture::{Options, Shows, Traced, trace};
use zeroset::render::{Camera, Counts, Frame, Hit, Rule, Solid, SpaceSkipping, march};
use zeroset::volume::{Placement, Samples, Volume};

/// Voxels above this value are visible. They are bone.
const THRESHOLD: f64 = 60.0;

fn main() {
    let is_by_angle = std::env::args().any(|a| a == "angles");
    let numbers = std::env::args().skip(1).filter_map(|a| a.parse::<usize>().ok());
    let numbers: Vec<usize> = numbers.collect();
    let [side, pixels] = if is_by_angle { [192, 240] } else { [512, 1024] };
    let [side, pixels, threads] = [(0, side), (1, pixels), (2, 0)]
        .map(|(k, default)| numbers.get(k).copied().unwrap_or(default));
    let data = PathBuf::from(std::env::var_os("ZEROSET_DATA").expect("ZEROSET_DATA"));
    let file = data.join("volumes/CT_pitch.nii.gz");
    let scan = read_volume(&file, &VolumeOptions::default()).expect("volume").volume;
    let cpu = Cpu::new(threads).expect("threads");
    println!("CT_pitch, {} threads, zeroset {}\n", cpu.threads(), zeroset::output::build(),);
    if is_by_angle {
        return by_angle(&cpu, &resampled(&scan, side), pixels as u32);
    }
    let rules = [
        ("walk", Rule::Walk),
        ("isotropic", Rule::Isotropic),
        ("directional", Rule::Directional { cone: 0.0 }),
        ("directional, cone pi/5", Rule::Directional { cone: std::f64::consts::PI / 5.0 }),
    ];
    table(&cpu, &resampled(&scan, side), pixels as u32, &rules);
    let small = [
        ("definition", Rule::PointWise { cone: None }),
        ("definition, cone 0", Rule::PointWise { cone: Some(0.0) }),
    ];
    table(&cpu, &resampled(&scan, 64), 64, &[&rules[..], &small].concat());
}

/// Resamples the scan to a cube of voxels by linear interpolation.
fn resampled(scan: &Volume, side: usize) -> Volume {
    let place = |k: usize, n: usize| {
        let last = (scan.shape()[k] - 1) as f64;
        n as f64 / (side - 1) as f64 * last
    };
    let value = |n: usize| {
        let at = [place(0, n % side), place(1, n / side % side), place(2, n / side / side)];
        scan.sample(at).unwrap_or(0.0) as f32
    };
    let values: Vec<f32> = (0..side * side * side).map(value).collect();
    Volume::new([side; 3], Samples::from(values), Placement::identity()).expect("volume")
}

/// Returns the visible voxels.
fn seen(volume: &Volume) -> Solid<'_> {
    let condition = format!("v > {THRESHOLD}").parse().expect("condition");
    Solid::voxels(volume, volume.select(&condition).expect("voxels")).expect("solid")
}

/// Returns a perspective view of a corner, with a field of view of 40 degrees.
fn view(side: usize, pixels: u32) -> Frame {
    let eye = [0.5, -1.3, 0.9].map(|x| x * side as f64);
    Frame::from_eye(eye, &Camera::new([0.0, -1.8, 0.4]), 40.0, [pixels; 2])
}

/// Prints Figure 9a: the steps per ray for several angles of the cone.
fn by_angle(cpu: &Cpu, volume: &Volume, pixels: u32) {
    let solid = seen(volume);
    let side = volume.shape()[0];
    println!("{side}^3 voxels, {} of them seen, {pixels}^2 rays\n", solid.n_inside());
    println!("| half the opening of the cone, degrees | steps per ray | at most | hits |");
    println!("|---|---|---|---|");
    let frame = view(side, pixels);
    let row = |name: &str, rule: Rule| {
        let guide = SpaceSkipping::new(rule, &solid, cpu).expect("guide");
        let hits = cpu.run(|| march(&solid, &guide, &frame, [pixels; 2], 1)).expect("march");
        let counts = Counts::of(&hits);
        println!("| {name} | {:.3} | {} | {} |", counts.mean(), counts.most, counts.hits);
    };
    for degrees in [0.0, 2.0, 5.0, 10.0, 20.0, 36.0, 50.0, 65.0, 80.0] {
        row(&format!("{degrees}"), Rule::Directional { cone: f64::to_radians(degrees) });
    }
    row("180", Rule::Isotropic);
}

fn table(cpu: &Cpu, volume: &Volume, pixels: u32, rules: &[(&str, Rule)]) {
    let solid = seen(volume);
    let side = volume.shape()[0];
    println!("{side}^3 voxels, {} of them seen, {pixels}^2 rays\n", solid.n_inside());
    println!(
        "| rule | preparing, s | rays, s | picture, s | rays that enter | steps per ray | at most | hits |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let frame = view(side, pixels);
    let mut first: Option<Vec<Hit>> = None;
    for &(name, rule) in rules {
        let start = Instant::now();
        let guide = SpaceSkipping::new(rule, &solid, cpu).expect("guide");
        let prepared = start.elapsed().as_secs_f64();
        let shoot = || cpu.run(|| march(&solid, &guide, &frame, [pixels; 2], 1)).expect("march");
        let mut hits = Vec::new();
        let rays = median(|| hits = shoot());
        let options = Options::default().with_size(pixels, pixels).with_perspective(Some(40.0));
        let traced = Traced::new(&solid, &guide).showing(Shows::Shaded).with_samples(1);
        let picture = median(|| drop(cpu.run(|| trace(&traced, &options)).expect("picture")));
        let counts = Counts::of(&hits);
        println!(
            "| {name} | {prepared:.2} | {rays:.3} | {picture:.3} | {} | {:.2} | {} | {} |",
            counts.entered,
            counts.mean(),
            counts.most,
            counts.hits
        );
        let same = |(a, b): (&Hit, &Hit)| a.cube == b.cube && a.t == b.t;
        let found = first.get_or_insert_with(|| hits.clone());
        assert!(found.iter().zip(&hits).all(same), "{name} finds different voxels");
    }
    println!();
}

/// Returns the median of three calls, in seconds.
fn median(mut work: impl FnMut()) -> f64 {
    let mut seconds = [0.0; 3].map(|_: f64| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    });
    seconds.sort_by(f64::total_cmp);
    seconds[1]
}
