//! Benchmark of the sparse grid of tiles on the CPU, without a scheme.
//!
//! `cargo bench --bench tiles -- [RADIUS] [THREADS]` prints a Markdown table for a sphere of RADIUS
//! voxels (default 400) in a band of gamma = 3, reach 3. It measures:
//!
//! - building the first tile set
//! - reading the neighbors of all tiles in a pass over the grid, with a hash map, and by binary
//!   search; the last two use one thread
//! - finding the active tiles
//! - updating the tile set if nothing changes, and for a moving ball
//! - gathering tiles with their halo
//!
//! Times are in nanoseconds per tile. They are medians of five, except those of the first tile set
//! (one call) and of the moving ball (the mean of ten updates).

use std::collections::HashMap;
use std::hint::black_box;
use std::time::Instant;

use zeroset::Cpu;
use zeroset::grid::{
    Band, DIRECTIONS, Halo, MISSING, Pool, TileKey, TiledGrid, gather, padded_edge,
};

const BAND: Band<f32> = Band { gamma: 3.0, reach: 3 };

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let radius = args.first().and_then(|a| a.parse().ok()).unwrap_or(400.0);
    let threads = args.get(1).and_then(|a| a.parse().ok()).unwrap_or(0);
    let cpu = Cpu::new(threads).expect("threads");
    println!(
        "sphere of {radius} voxels, {} threads, f32, zeroset {}\n",
        cpu.threads(),
        zeroset::output::build(),
    );
    println!(
        "| edge | tiles | bytes per tile, with notes of a change | first tile set | walk | hash map | binary search | activity | update at rest | update, moving | changes per update | gather 3, faces | gather 3, full | gather 1, full |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    cpu.run(|| row::<4>(radius));
    cpu.run(|| row::<8>(radius));
}

/// Writes the signed distance to a sphere at the voxels of a tile. The center is shifted by `shift`
/// along x.
fn sphere<const E: usize>(first: [i32; 3], radius: f64, shift: f64, out: &mut [f32]) {
    for (n, value) in out.iter_mut().enumerate() {
        let place = [n % E, n / E % E, n / E / E];
        let at = |k: usize| f64::from(first[k]) + place[k] as f64;
        let [x, y, z] = [at(0) - shift, at(1), at(2)];
        *value = BAND.clamp(((x * x + y * y + z * z).sqrt() - radius) as f32);
    }
}

fn row<const E: usize>(radius: f64) {
    let start = Instant::now();
    let seed = [(radius / E as f64).floor() as i32, 0, 0];
    let (mut grid, mut phi) = TiledGrid::<E>::from_seeds::<f32, f32>([seed], BAND, |first, out| {
        sphere::<E>(first, radius, 0.0, out);
        Ok(())
    })
    .expect("tiles");
    let tiles = grid.n_tiles() as f64;
    let first = start.elapsed().as_secs_f64() / tiles * 1e9;
    let per_tile = |work: &mut dyn FnMut()| median(work) / tiles * 1e9;
    let walk = per_tile(&mut || {
        let sum = |a: u64, b: u64| a.wrapping_add(b);
        black_box(grid.fold(|tile| tile.neighbors.iter().map(|&id| u64::from(id)).sum(), sum));
    });
    let map: HashMap<TileKey, u32> =
        grid.keys().iter().copied().zip(grid.ids().iter().copied()).collect();
    let hash = per_tile(&mut || {
        for key in grid.keys() {
            black_box((0..DIRECTIONS).map(|d| map.get(&key.neighbor(d)).map_or(MISSING, |id| *id)))
                .for_each(|id| _ = black_box(id));
        }
    });
    let search = per_tile(&mut || {
        for key in grid.keys() {
            black_box((0..DIRECTIONS).map(|d| grid.find(key.neighbor(d))))
                .for_each(|position| _ = black_box(position));
        }
    });
    let gathers = [
        per_tile(&mut || gather_all::<E, 3>(&grid, &phi, Halo::Faces)),
        per_tile(&mut || gather_all::<E, 3>(&grid, &phi, Halo::Full)),
        per_tile(&mut || gather_all::<E, 1>(&grid, &phi, Halo::Full)),
    ];
    let activity = per_tile(&mut || grid.refresh_activity(&phi, BAND));
    let rest = per_tile(&mut || {
        grid.plan().expect("memory");
        grid.update();
    });
    let (mut moving, mut changes, steps) = (0.0, 0, 10);
    for step in 1..=steps {
        grid.fold_into(
            &mut phi,
            |tile, values| {
                sphere::<E>(tile.key.first_voxel(E), radius, 0.5 * f64::from(step), values);
            },
            |(), ()| (),
        );
        grid.refresh_activity(&phi, BAND);
        let start = Instant::now();
        let status = grid.plan().expect("memory");
        phi.grow(status.capacity).expect("memory");
        grid.update();
        grid.fill_created(&mut phi, BAND);
        moving += start.elapsed().as_secs_f64() / tiles * 1e9 / f64::from(steps);
        changes += status.created + status.deleted;
    }
    println!(
        "| {E} | {tiles} | {:.1} | {first:.0} | {walk:.1} | {hash:.1} | {search:.1} | {activity:.1} | {rest:.1} | {moving:.1} | {} | {:.1} | {:.1} | {:.1} |",
        (grid.bytes() + grid.scratch_bytes()) as f64 / grid.n_tiles() as f64,
        changes / steps as usize,
        gathers[0],
        gathers[1],
        gathers[2],
    );
}

/// Gathers every tile with a halo of `REACH` layers around it.
fn gather_all<const E: usize, const REACH: usize>(
    grid: &TiledGrid<E>,
    phi: &Pool<f32, E>,
    halo: Halo,
) {
    thread_local! {
        static PADDED: std::cell::RefCell<Vec<f32>> = const { std::cell::RefCell::new(Vec::new()) };
    }
    let one = |tile: &_| {
        PADDED.with_borrow_mut(|padded| {
            padded.resize(padded_edge(E, REACH).pow(3), 0.0);
            gather::<E, REACH, f32, f32>(phi, tile, BAND.gamma, halo, padded);
            black_box(&padded);
        })
    };
    grid.fold(one, |(), ()| ());
}

/// Returns the median of five calls, in seconds.
fn median(work: &mut dyn FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..5)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[2]
}
