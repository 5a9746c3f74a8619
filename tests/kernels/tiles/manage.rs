//! Tests tile management: random changes match those on the CPU, including ids and ages, for every
//! order of threads.

use std::fmt::Debug;
use std::sync::LazyLock;

use zeroset::grid::cuda::Halt;
use zeroset::grid::{Band, Fixed16, INSIDE, Pool, Stored, TileKey, TiledGrid};
use zeroset::levelset::tiled::cuda::ValuesArgument;

use super::grid::{ACTIVE, HostTiles, last_tile, launch, look_up, tiles};
use crate::library::{Library, arg};
use crate::random::Random;

const KERNELS: [&str; 2] = ["tiles_manage", "tiles_look_up"];
const BLOCK: u32 = 256;
const BAND: Band<f64> = Band { gamma: 1.5, reach: 1 };

static LIBRARY: LazyLock<Library> = LazyLock::new(|| {
    Library::compile("kernels/tiles/manage.cu", &["REAL=double", "TILE_EDGE=4"], &KERNELS)
});

/// The kernels for values in 16 bits, which do not store the ids of neighbors.
static SIXTEEN: LazyLock<Library> = LazyLock::new(|| {
    let defines = ["REAL=double", "TILE_EDGE=4", "STORAGE=16"];
    Library::compile("kernels/tiles/manage.cu", &defines, &KERNELS)
});

fn library<S>() -> &'static Library {
    if size_of::<S>() == 2 { &SIXTEEN } else { &LIBRARY }
}

fn host_tiles<S>(grid: &TiledGrid<4>, capacity: usize, blocks: u32) -> HostTiles {
    let mut on = HostTiles::new(grid, capacity, blocks);
    on.has_near = size_of::<S>() != 2;
    look_up(library::<S>(), &mut on);
    on
}

/// Returns the values of phi and of a stage. The pools have room for exactly `capacity` tiles.
fn pools<S: Stored<f64>>(capacity: usize) -> [Vec<S>; 2] {
    [0, 1].map(|_| vec![S::store(1.25, BAND.gamma); capacity * 64])
}

/// Adapts the tile set to the activity of its tiles.
fn manage<S>(on: &mut HostTiles, pools: &mut [Vec<S>; 2], blocks: u32, seed: u64) {
    let [phi, stage] = pools.each_mut().map(|pool| pool.as_mut_ptr() as u64);
    let values = ValuesArgument { values: [phi, stage, 0], gamma: BAND.gamma };
    let args = [arg(on.argument()), arg(values)];
    launch(library::<S>(), "tiles_manage", (blocks, BLOCK), seed, &args);
}

/// Returns a random activity mask: one of the two signs without a band, or a band and several
/// neighbors.
fn random_mask(random: &mut Random, calm: u32) -> u32 {
    let mut word = || random.below(1 << 27) | random.below(2) << 27;
    let (bits, more, less) = (word(), word(), word());
    match random.below(32) {
        // Most of these masks have the same sign, so that some tiles are removed.
        n if n < calm => bits & INSIDE & if more % 16 == 0 { INSIDE } else { 0 },
        _ => bits & more & less & ((ACTIVE - 1) | !(2 * ACTIVE - 1)) & !INSIDE | ACTIVE,
    }
}

fn walk<S: Stored<f64> + PartialEq + Debug>(seed: u64, radius: f64, calm: u32, blocks: u32) {
    let mut random = Random::new(seed);
    let ball = move |x: [f64; 3]| x.iter().map(|c| c * c).sum::<f64>().sqrt() - radius;
    let (mut grid, mut phi) = tiles::<4, S>(7, BAND, ball);
    let capacity = 40_000;
    let mut on = host_tiles::<S>(&grid, capacity, blocks);
    let mut values = pools::<S>(capacity);
    let (mut came, mut went) = (0, 0);
    for step in 0..12 {
        let masks: Vec<u32> = (0..grid.n_tiles()).map(|_| random_mask(&mut random, calm)).collect();
        grid.activity_mut().copy_from_slice(&masks);
        on.set_activity(&masks);
        let status = grid.plan().unwrap();
        phi.grow(status.capacity).unwrap();
        grid.update();
        grid.fill_created(&mut phi, BAND);
        manage(&mut on, &mut values, blocks, seed + step);
        assert_eq!(on.control.halt(), Halt::Running);
        assert_eq!(on.control.created as usize, status.created, "step {step}");
        assert_eq!(on.control.deleted as usize, status.deleted, "step {step}");
        on.compare(&grid);
        assert_eq!(on.activity(), grid.activity());
        for tile in grid.created() {
            let values = &values[0][tile.id as usize * 64..][..64];
            assert_eq!(values, phi.tile(tile.id));
        }
        grid.check().unwrap();
        came += status.created;
        went += status.deleted;
    }
    assert!(came > 50 && (calm < 20 || went > 50), "{came} came, {went} went");
}

#[test]
fn random_changes_are_those_of_the_cpu() {
    for seed in 0..3 {
        walk::<f64>(10 * seed, 12.3, 26, 3);
        walk::<f64>(10 * seed + 1, 12.3, 29, 1);
        walk::<f64>(10 * seed + 2, 6.1, 28, 4);
        walk::<Fixed16>(10 * seed + 3, 12.3, 27, 3);
    }
}

#[test]
fn nothing_is_touched_where_no_tile_asks_for_more() {
    let ball = |x: [f64; 3]| x.iter().map(|c| c * c).sum::<f64>().sqrt() - 9.4;
    let (mut grid, _) = tiles::<4, f64>(5, BAND, ball);
    let mut on = host_tiles::<f64>(&grid, 1000, 2);
    for step in 0..3 {
        grid.plan().unwrap();
        grid.update();
        manage(&mut on, &mut pools::<f64>(0), 2, step);
        on.compare(&grid);
        // The first call checks whether something has changed. Later calls rely on the result.
        assert!(on.control.stirred == 0 && on.control.list == 0 && on.control.changes == 0);
    }
}

#[test]
fn without_room_nothing_changes_and_with_more_it_goes_on() {
    without_room::<f64>();
    without_room::<Fixed16>();
}

fn without_room<S: Stored<f64>>() {
    let ball = |x: [f64; 3]| x.iter().map(|c| c * c).sum::<f64>().sqrt() - 9.4;
    let (mut grid, mut phi) = tiles::<4, S>(5, BAND, ball);
    let before = grid.clone();
    let all = vec![(1 << 27) - 1; grid.n_tiles()];
    let mut on = host_tiles::<S>(&grid, grid.n_tiles() + 3, 2);
    on.set_activity(&all);
    manage(&mut on, &mut pools::<S>(grid.n_tiles() + 3), 2, 5);
    assert_eq!(on.control.halt(), Halt::NoRoom);
    grid.activity_mut().copy_from_slice(&all);
    let status = grid.plan().unwrap();
    assert_eq!(on.control.needed as usize, status.capacity);
    on.compare(&before);

    let mut more = host_tiles::<S>(&before, status.capacity, 2);
    more.set_activity(&all);
    phi.grow(status.capacity).unwrap();
    grid.update();
    manage(&mut more, &mut pools::<S>(status.capacity), 2, 6);
    more.compare(&grid);
}

#[test]
fn an_interface_at_the_end_of_the_range_is_told() {
    let band = BAND;
    let near = f64::from(TileKey::LIMIT) * 4.0;
    let plane = |out: bool| {
        let seed = [TileKey::LIMIT - i32::from(out), 0, 0];
        let ball = |x: [f64; 3]| {
            let x = [x[0] - near, x[1], x[2]];
            x.iter().map(|c| c * c).sum::<f64>().sqrt() - 1.2
        };
        TiledGrid::<4>::from_seeds::<f64, f64>([seed], band, |first: [i32; 3], out: &mut [f64]| {
            for (n, value) in out.iter_mut().enumerate() {
                let place = [n % 4, n / 4 % 4, n / 16];
                *value = ball([0, 1, 2].map(|k| f64::from(first[k] + place[k] as i32)));
            }
            Ok(())
        })
    };
    let (grid, _): (TiledGrid<4>, Pool<f64, 4>) = plane(true).unwrap();
    assert!(grid.keys().contains(&last_tile()));
    let mut on = host_tiles::<f64>(&grid, 1000, 2);
    on.set_activity(&vec![(1 << 27) - 1; grid.n_tiles()]);
    manage(&mut on, &mut pools::<f64>(1000), 2, 7);
    assert_eq!(on.control.halt(), Halt::OutOfRange);
    on.compare(&grid);
}
