//! Tests of initial tile sets and of tile sets that follow a moving shape.

use super::*;
use crate::Cpu;
use crate::grid::{CENTER, Fixed16, Parts};

/// Returns a fill function that evaluates a function of voxel coordinates.
fn field<const E: usize>(phi: impl Fn([f64; 3]) -> f64 + Sync) -> impl Fill<f64> {
    move |first: [i32; 3], out: &mut [f64]| {
        for (n, value) in out.iter_mut().enumerate() {
            let place = [n % E, n / E % E, n / E / E];
            *value = phi(std::array::from_fn(|k| f64::from(first[k]) + place[k] as f64));
        }
        Ok(())
    }
}

fn ball(center: [f64; 3], radius: f64) -> impl Fn([f64; 3]) -> f64 + Sync + Copy {
    move |x| (0..3).map(|k| (x[k] - center[k]).powi(2)).sum::<f64>().sqrt() - radius
}

/// Returns phi of a thick shell with two nested interfaces.
fn shell(x: [f64; 3]) -> f64 {
    (ball([1.0, 2.0, 3.5], 14.0)(x).abs()) - 4.3
}

/// Asserts that a tile set represents a field: the values in tiles and the signs of missing tiles
/// are correct.
fn holds<const E: usize, S: Stored<f64>>(
    grid: &TiledGrid<E>,
    phi: &Pool<S, E>,
    band: Band<f64>,
    field: impl Fn([f64; 3]) -> f64,
    size: i32,
) {
    grid.check().unwrap();
    let tolerance = if size_of::<S>() == 2 { band.gamma / 65000.0 } else { 0.0 };
    for z in -size..=size {
        for y in -size..=size {
            for x in -size..=size {
                let tile = TileKey::new([x, y, z]).unwrap();
                let far = band.far(grid.missing_is_inside(tile));
                let values = grid.find(tile).map(|p| phi.tile(grid.ids()[p]));
                for n in 0..E * E * E {
                    let first = tile.first_voxel(E);
                    let place = [n % E, n / E % E, n / E / E];
                    let at = std::array::from_fn(|k| f64::from(first[k]) + place[k] as f64);
                    let held = values.map_or(far, |values| values[n].load(band.gamma));
                    assert!((held - band.clamp(field(at))).abs() <= tolerance, "{tile} {at:?}");
                }
            }
        }
    }
}

fn both_ways<const E: usize, S: Stored<f64> + std::fmt::Debug + PartialEq>(reach: usize) {
    let band = Band { gamma: 3.0, reach };
    let size = 32 / E as i32;
    let (boxed, phi) =
        TiledGrid::<E>::from_box::<_, S>([-size; 3], [size; 3], band, field::<E>(shell)).unwrap();
    holds(&boxed, &phi, band, shell, size);
    // One seed lies on each of the two interfaces, and one lies far from both.
    let seeds = [[1.0, 2.0, 3.5 + 9.7], [1.0, 2.0, 3.5 - 18.3], [30.0; 3]];
    let seeds = seeds.map(|x: [f64; 3]| x.map(|c| (c / E as f64).floor() as i32));
    let (seeded, values) =
        TiledGrid::<E>::from_seeds::<_, S>(seeds, band, field::<E>(shell)).unwrap();
    assert_eq!(seeded.keys(), boxed.keys());
    assert_eq!(seeded.borders(), boxed.borders());
    assert_eq!(seeded.activity(), boxed.activity());
    for (&a, &b) in boxed.ids().iter().zip(seeded.ids()) {
        assert_eq!(phi.tile(a), values.tile(b));
    }
    let n = boxed.n_tiles() as u32;
    assert!(boxed.ids().iter().copied().eq(0..n) && seeded.ids().iter().copied().eq(0..n));
}

#[test]
fn seeds_and_a_box_give_the_same_tiles() {
    both_ways::<4, f64>(3);
    both_ways::<4, f64>(1);
    both_ways::<8, f64>(3);
    both_ways::<8, Fixed16>(1);
}

#[test]
fn the_tile_set_is_the_one_that_asks_for_no_change() {
    let band = Band { gamma: 3.0, reach: 3 };
    let size = [8; 3];
    let (mut grid, phi) =
        TiledGrid::<4>::from_box::<_, f64>(size.map(|c: i32| -c), size, band, field::<4>(shell))
            .unwrap();
    grid.refresh_activity(&phi, band);
    let status = grid.plan().unwrap();
    assert_eq!((status.created, status.deleted), (0, 0));
    let (keys, borders) = (grid.keys().to_vec(), grid.borders().to_vec());
    grid.update();
    assert!(grid.keys() == keys && grid.borders() == borders && grid.ages()[0] == 1);
}

/// Moves two balls through each other step by step. Like a scheme, each step writes the values of
/// all tiles and then updates the tile set.
fn moving<const E: usize>(reach: usize) -> TiledGrid<E> {
    let band = Band { gamma: 2.0, reach };
    let at = |t: f64| {
        let a = ball([-12.0 + t, 0.2, 1.0], 6.5);
        let b = ball([12.0 - t, 2.2, -1.0], 5.0);
        move |x| a(x).min(b(x))
    };
    let size = 24 / E as i32;
    let box_ = ([-size; 3], [size; 3]);
    let (mut grid, mut phi) =
        TiledGrid::<E>::from_box::<_, f64>(box_.0, box_.1, band, field::<E>(at(0.0))).unwrap();
    let (mut came, mut went) = (0, 0);
    for step in 1..=52 {
        let field = field::<E>(at(0.45 * f64::from(step)));
        let mut scratch = vec![0.0; E * E * E];
        for (&key, &id) in grid.keys().iter().zip(grid.ids()) {
            fill_tile::<E, _, _>(key, band, &field, &mut scratch, phi.tile_mut(id)).unwrap();
        }
        grid.refresh_activity(&phi, band);
        let status = grid.plan().unwrap();
        phi.grow(status.capacity).unwrap();
        grid.update();
        grid.fill_created(&mut phi, band);
        came += status.created;
        went += status.deleted;
        holds(&grid, &phi, band, at(0.45 * f64::from(step)), size);
    }
    assert!(came > 30 && went > 30, "{came} came, {went} went");
    grid
}

#[test]
fn tiles_follow_shapes_that_merge_and_part() {
    moving::<4>(3);
    moving::<8>(2);
    let on = |threads| Cpu::new(threads).unwrap().run(|| moving::<4>(2));
    let (one, more) = (on(1), on(5));
    assert!(one.keys() == more.keys() && one.ids() == more.ids() && one.ages() == more.ages());
}

#[test]
fn values_can_jump_where_the_interface_stays_in_tiles() {
    // No voxel lies in the band. One cube has its faces between tiles, and the other has them
    // inside tiles.
    let band = Band { gamma: 1.5, reach: 1 };
    for edge in [7.5, 9.5] {
        let cube =
            move |x: [f64; 3]| 100.0 * (x.into_iter().fold(0.0f64, |m, c| m.max(c.abs())) - edge);
        let (mut grid, mut phi) =
            TiledGrid::<4>::from_box::<_, f64>([-6; 3], [6; 3], band, field::<4>(cube)).unwrap();
        for _ in 0..3 {
            holds(&grid, &phi, band, cube, 6);
            grid.refresh_activity(&phi, band);
            let status = grid.plan().unwrap();
            phi.grow(status.capacity).unwrap();
            grid.update();
            grid.fill_created(&mut phi, band);
        }
        assert!(grid.n_tiles() > 26);
    }
}

#[test]
fn what_cannot_start_is_said() {
    let band = Band { gamma: 3.0, reach: 1 };
    let size = ([-4; 3], [4; 3]);
    let boxed = |phi: &(dyn Fn([f64; 3]) -> f64 + Sync)| {
        TiledGrid::<4>::from_box::<_, f32>(size.0, size.1, Band { gamma: 3.0, reach: 1 }, {
            move |first: [i32; 3], out: &mut [f32]| {
                out.fill(phi(first.map(f64::from)) as f32);
                Ok(())
            }
        })
        .unwrap_err()
        .to_string()
    };
    assert!(boxed(&|x| x[0]).contains("leaves the box"), "{}", boxed(&|x| x[0]));
    assert!(boxed(&|x| if x[2] == 4.0 { f64::NAN } else { 9.0 }).contains("voxel (-20, -20, 4)"));
    let empty = TiledGrid::<4>::from_box::<f64, f64>([1; 3], [0; 3], band, |_, _| Ok(()));
    assert!(empty.unwrap_err().to_string().contains("is empty"));
    let far = TiledGrid::<4>::from_seeds::<f64, f64>([[1 << 20, 0, 0]], band, |_, _| Ok(()));
    assert_eq!(far.unwrap_err().exit_code(), 4);
    let refused = |first: [i32; 3], out: &mut [f64]| match first[0] > 200 {
        true => Err(crate::Error::usage("too far", "")),
        false => field::<4>(|x| x[1])(first, out),
    };
    let endless = TiledGrid::<4>::from_seeds::<f64, f64>([[0; 3]], band, refused);
    assert_eq!(endless.unwrap_err().to_string(), "too far");
}

#[test]
fn a_field_without_interface_gives_no_tiles() {
    let band = Band { gamma: 3.0, reach: 3 };
    for sign in [-1.0, 1.0] {
        let far = field::<8>(move |_| 50.0 * sign);
        let (grid, _) = TiledGrid::<8>::from_box::<_, f64>([-2; 3], [2; 3], band, &far).unwrap();
        assert_eq!(grid.n_tiles(), 0);
        let (grid, _) = TiledGrid::<8>::from_seeds::<_, f64>([[0; 3], [7; 3]], band, &far).unwrap();
        assert!(grid.n_tiles() == 0 && grid.background() == (sign < 0.0));
    }
}

#[test]
fn a_tile_takes_at_most_24_bytes_beside_its_values() {
    let band = Band { gamma: 3.0, reach: 3 };
    let at = |t: f64| ball([t, 0.5 * t, 0.0], 40.0);
    let (mut grid, mut phi) =
        TiledGrid::<4>::from_seeds::<_, f64>([[10, 0, 0]], band, field::<4>(at(0.0))).unwrap();
    let per_tile = |grid: &TiledGrid<4>| grid.bytes() as f64 / grid.n_tiles() as f64;
    let mut most = 0.0f64;
    assert!(per_tile(&grid) < 24.0, "{} at the start", per_tile(&grid));
    for step in 1..=10 {
        let moved = field::<4>(at(0.4 * f64::from(step)));
        let mut scratch = vec![0.0; 64];
        for (&key, &id) in grid.keys().iter().zip(grid.ids()) {
            fill_tile::<4, _, _>(key, band, &moved, &mut scratch, phi.tile_mut(id)).unwrap();
        }
        grid.refresh_activity(&phi, band);
        let status = grid.plan().unwrap();
        phi.grow(status.capacity).unwrap();
        grid.update();
        grid.fill_created(&mut phi, band);
        assert!(status.created > 0 && per_tile(&grid) < 24.0, "{} in step {step}", per_tile(&grid));
        let changes = (status.created + status.deleted) as f64;
        most = most.max(grid.scratch_bytes() as f64 / changes);
    }
    assert!(most < 300.0, "{most} bytes per change");
}

#[test]
fn what_is_stored_of_a_tile_set_makes_it_again() {
    let grid = moving::<4>(1);
    let parts = grid.parts();
    assert_eq!(TiledGrid::<4>::restore(parts.clone()).unwrap().parts(), parts);
    let damaged = |damage: &dyn Fn(&mut Parts)| {
        let mut parts = parts.clone();
        damage(&mut parts);
        TiledGrid::<4>::restore(parts).unwrap_err()
    };
    assert!(damaged(&|p| p.keys.swap(3, 4)).contains("comes before"));
    assert!(damaged(&|p| p.keys[0] = 0).contains("out of range"));
    assert!(damaged(&|p| p.ages.clear()).contains("items"));
    assert!(damaged(&|p| p.borders[9] ^= 1 << CENTER).contains("signs for neighbors"));
    let last = grid.n_tiles() - 1;
    let torn = damaged(&|p| p.borders[last] ^= 1 << 22);
    assert!(torn.contains("sign"), "{torn}");
}
