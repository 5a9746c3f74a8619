//! Tile management: random changes are those of the CPU, ids and ages included, in every order of
//! threads.

use std::sync::LazyLock;

use zeroset::grid::cuda::Halt;
use zeroset::grid::{Band, INSIDE, Pool, TileKey, TiledGrid};
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

/// Lets the tile set follow what tiles ask for.
fn manage(on: &mut HostTiles, values: &mut [f64], blocks: u32, seed: u64) {
    let values = ValuesArgument { values: [values.as_mut_ptr() as u64, 0, 0], gamma: BAND.gamma };
    let args = [arg(on.argument()), arg(values)];
    launch(&LIBRARY, "tiles_manage", (blocks, BLOCK), seed, &args);
}

/// What a tile may ask for: nothing, with one sign or the other, or some of its neighbors.
fn random_mask(random: &mut Random, calm: u32) -> u32 {
    let mut word = || random.below(1 << 27) | random.below(2) << 27;
    let (bits, more, less) = (word(), word(), word());
    match random.below(32) {
        // Mostly of one sign, so that some go.
        n if n < calm => bits & INSIDE & if more % 16 == 0 { INSIDE } else { 0 },
        _ => bits & more & less & ((ACTIVE - 1) | !(2 * ACTIVE - 1)) & !INSIDE | ACTIVE,
    }
}

fn walk(seed: u64, radius: f64, calm: u32, blocks: u32) {
    let mut random = Random::new(seed);
    let ball = move |x: [f64; 3]| x.iter().map(|c| c * c).sum::<f64>().sqrt() - radius;
    let (mut grid, mut phi) = tiles::<4, f64>(7, BAND, ball);
    let capacity = 40_000;
    let mut on = HostTiles::new(&grid, capacity, blocks);
    let mut values = vec![9.0; capacity * 64];
    look_up(&LIBRARY, &mut on);
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
            let values = &values[tile.id as usize * 64..][..64];
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
        walk(10 * seed, 12.3, 26, 3);
        walk(10 * seed + 1, 12.3, 29, 1);
        walk(10 * seed + 2, 6.1, 28, 4);
    }
}

#[test]
fn nothing_is_touched_where_no_tile_asks_for_more() {
    let ball = |x: [f64; 3]| x.iter().map(|c| c * c).sum::<f64>().sqrt() - 9.4;
    let (mut grid, _) = tiles::<4, f64>(5, BAND, ball);
    let mut on = HostTiles::new(&grid, 1000, 2);
    look_up(&LIBRARY, &mut on);
    for step in 0..3 {
        grid.plan().unwrap();
        grid.update();
        manage(&mut on, &mut [], 2, step);
        on.compare(&grid);
        // The first time it looks, then it knows.
        assert!(on.control.stirred == 0 && on.control.list == 0 && on.control.changes == 0);
    }
}

#[test]
fn without_room_nothing_changes_and_with_more_it_goes_on() {
    let ball = |x: [f64; 3]| x.iter().map(|c| c * c).sum::<f64>().sqrt() - 9.4;
    let (mut grid, mut phi) = tiles::<4, f64>(5, BAND, ball);
    let before = grid.clone();
    let all = vec![(1 << 27) - 1; grid.n_tiles()];
    let mut on = HostTiles::new(&grid, grid.n_tiles() + 3, 2);
    look_up(&LIBRARY, &mut on);
    on.set_activity(&all);
    manage(&mut on, &mut [], 2, 5);
    assert_eq!(on.control.halt(), Halt::NoRoom);
    grid.activity_mut().copy_from_slice(&all);
    let status = grid.plan().unwrap();
    assert_eq!(on.control.needed as usize, status.capacity);
    on.compare(&before);

    let mut more = HostTiles::new(&before, status.capacity, 2);
    look_up(&LIBRARY, &mut more);
    more.set_activity(&all);
    phi.grow(status.capacity).unwrap();
    grid.update();
    let mut values = vec![0.0; status.capacity * 64];
    manage(&mut more, &mut values, 2, 6);
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
    let mut on = HostTiles::new(&grid, 1000, 2);
    look_up(&LIBRARY, &mut on);
    on.set_activity(&vec![(1 << 27) - 1; grid.n_tiles()]);
    manage(&mut on, &mut vec![0.0; 64_000], 2, 7);
    assert_eq!(on.control.halt(), Halt::OutOfRange);
    on.compare(&grid);
}
