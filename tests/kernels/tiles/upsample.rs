//! Finer grids by the kernels: tiles, flags and values of the CPU, bit for bit, in every order of threads.

use zeroset::geometry::Real;
use zeroset::grid::cuda::{TileControl, TileGridArgument, UpsampleArgument, UpsampleStatus};
use zeroset::grid::{Band, Fixed16, Pool, Stored, TiledGrid};

use super::grid::{HostTiles, launch, tiles};
use crate::library::{Library, arg};

const KERNELS: [&str; 5] =
    ["upsample_children", "upsample_look", "upsample_decide", "upsample_take", "upsample_fill"];

/// The finer grid as `DeviceTiledGrid::upsample` makes it; how often tiles were looked at.
fn check<R: Real, const E: usize, S: Stored<R> + PartialEq + std::fmt::Debug>(
    defines: &[&str],
    (grid, phi): (&TiledGrid<E>, &Pool<S, E>),
    gamma: f64,
    band: Band<f64>,
    seed: u64,
) -> usize {
    let library = Library::compile("kernels/tiles/upsample.cu", defines, &KERNELS);
    let manage = Library::compile("kernels/tiles/manage.cu", defines, &["tiles_look_up"]);
    let narrow = Band { gamma: R::narrow(band.gamma), reach: band.reach };
    let (expected, values) = grid.upsample(phi, R::narrow(gamma), narrow).unwrap();
    let mut coarse = HostTiles::new(grid, grid.n_tiles() + 3, 2);
    let mut status = UpsampleStatus::default();
    let mut common = UpsampleArgument {
        phi: phi.values().as_ptr() as u64,
        status: (&raw mut status) as u64,
        gamma: [gamma, band.gamma],
        reach: band.reach as u32,
        ..UpsampleArgument::default()
    };
    let mut keys = vec![0_u64; 8 * grid.n_tiles()];
    common.keys = keys.as_mut_ptr() as u64;
    let run = |kernel: &str, args: &[_]| launch(&library, kernel, (2, 256), seed, args);
    run("upsample_children", &[arg(coarse.argument()), arg(common)]);
    for looks in 1.. {
        keys.sort_unstable();
        keys.dedup();
        let n = keys.len();
        let mut lists = vec![vec![!0_u32; n]; 4];
        let (mut look_up, mut asked) = (vec![!0_u32; 9 * n], vec![0_u64; 5000]);
        let mut control = TileControl { n_tiles: n as u32, ..TileControl::default() };
        let argument = UpsampleArgument {
            keys: keys.as_ptr() as u64,
            activity: lists[0].as_mut_ptr() as u64,
            borders: lists[1].as_mut_ptr() as u64,
            wanted: lists[2].as_mut_ptr() as u64,
            keeps: lists[3].as_mut_ptr() as u64,
            asked: asked.as_mut_ptr() as u64,
            n: n as u32,
            room: asked.len() as u32,
            ..common
        };
        let set = TileGridArgument {
            control: (&raw mut control) as u64,
            keys: [argument.keys; 2],
            borders: [argument.borders; 2],
            activity: [argument.activity; 2],
            rows: look_up.as_mut_ptr() as u64,
            present: look_up[8 * n..].as_mut_ptr() as u64,
            capacity: n as u32,
            ..TileGridArgument::default()
        };
        status = UpsampleStatus::default();
        run("upsample_look", &[arg(coarse.argument()), arg(argument)]);
        launch(&manage, "tiles_look_up", (2, 256), seed, &[arg(set)]);
        run("upsample_decide", &[arg(set), arg(argument)]);
        if status.asked > 0 {
            keys.extend(&asked[..status.asked as usize]);
            continue;
        }
        assert_eq!(status.flaws, 0);
        let sums = lists[3].iter().scan(0, |sum, n| {
            *sum += n;
            Some(*sum - n)
        });
        let places: Vec<u32> = sums.collect();
        let n_fine = lists[3].iter().sum::<u32>();
        assert_eq!(n_fine as usize, expected.n_tiles());
        let mut fine = HostTiles::new(&TiledGrid::<E>::default(), n_fine as usize + 3, 2);
        let mut found = vec![S::default(); n_fine as usize * Pool::<S, E>::TILE];
        let argument = UpsampleArgument { fine: found.as_mut_ptr() as u64, ..argument };
        let place = arg(places.as_ptr());
        run("upsample_take", &[arg(set), arg(argument), arg(fine.argument()), place, arg(300_u32)]);
        let args = [arg(coarse.argument()), arg(argument), arg(fine.argument()), arg(n_fine)];
        run("upsample_fill", &args);
        (fine.control.n_tiles, fine.control.next_id) = (n_fine, n_fine);
        fine.control.background = fine.borders()[0] >> 4 & 1;
        fine.compare(&expected);
        assert_eq!(fine.activity(), expected.activity());
        assert_eq!(found, values.values()[..found.len()]);
        return looks;
    }
    unreachable!("the set of tiles is complete after some looks")
}

fn torus(x: [f64; 3]) -> f64 {
    (((x[0] - 0.3).hypot(x[1] + 1.2) - 6.0).hypot(x[2] - 1.6) - 3.2) * 1.07
}

/// A shell, with tiles inside and outside missing.
fn shell(x: [f64; 3]) -> f64 {
    let r = x.iter().map(|c| (c + 0.4) * (c + 0.4)).sum::<f64>().sqrt();
    (r - 8.3).max(4.1 - r)
}

fn grid<const E: usize, S: Stored<f64>>(
    phi: fn([f64; 3]) -> f64,
    band: Band<f64>,
) -> (TiledGrid<E>, Pool<S, E>) {
    tiles::<E, S>(20 / E as i32, band, phi)
}

#[test]
fn finer_grids_are_those_of_the_cpu() {
    let band = Band { gamma: 1.5, reach: 1 };
    for (seed, phi) in [(1, torus as fn([f64; 3]) -> f64), (2, shell)] {
        let (tiles, values) = grid::<4, f64>(phi, band);
        let defines = ["REAL=double", "TILE_EDGE=4"];
        check(&defines, (&tiles, &values), 1.5, band, seed);
        // As wide as the coarse one, in fine voxels, and it reaches further than the coarse tiles.
        let wide = Band { gamma: 3.0, reach: 4 };
        assert!(check(&defines, (&tiles, &values), 1.5, wide, seed) > 1);
        let fixed = {
            let mut fixed = Pool::<Fixed16, 4>::new();
            fixed.grow(tiles.capacity()).unwrap();
            for (to, &v) in fixed.values_mut().iter_mut().zip(values.values()) {
                *to = Fixed16::store(v as f32, 1.5);
            }
            fixed
        };
        let defines = ["REAL=float", "TILE_EDGE=4", "STORAGE=16"];
        check::<f32, 4, Fixed16>(&defines, (&tiles, &fixed), 1.5, band, seed);
    }
    let far = Band { gamma: 3.0, reach: 3 };
    let (tiles, values) = grid::<8, f64>(torus, far);
    check(&["REAL=double", "TILE_EDGE=8"], (&tiles, &values), 3.0, far, 4);
}
