//! Tests that surfaces and refined grids of tiles are bitwise identical to those computed on the
//! CPU.

use std::sync::Arc;

use zeroset::geometry::Real;
use zeroset::gpu::{Cuda, Element};
use zeroset::grid::cuda::{DevicePool, DeviceTiledGrid};
use zeroset::grid::{Band, Fixed16, Pool, Stored, TiledGrid};
use zeroset::levelset::tiled::Wide;
use zeroset::levelset::tiled::cuda::{DeviceTiledEvolution, Range};
use zeroset::mesh::Mesh;
use zeroset::surface::cubes::cuda::DeviceTiles;
use zeroset::surface::cubes::{Placement, Tiles, extract};

use crate::support;

/// Returns phi of a shape with handles and a ball inside it.
fn shape(x: [f64; 3], scale: f64) -> f64 {
    let [x, y, z] = x.map(|c| (c + 0.3) / scale);
    let tube = (x.hypot(y) - 11.0).hypot(z) - 5.2 + 0.8 * (0.9 * x).sin() * (0.7 * z).cos();
    let ball = (x * x + y * y + z * z).sqrt() - 3.4;
    scale * tube.min(ball)
}

fn start<R: Real, const E: usize, S: Stored<R>>(
    scale: f64,
    band: Band<R>,
) -> (TiledGrid<E>, Pool<S, E>) {
    let most = (21.0 * scale) as i32 / E as i32 + 1;
    TiledGrid::from_box([-most; 3], [most; 3], band, |first: [i32; 3], out: &mut [R]| {
        for (n, value) in out.iter_mut().enumerate() {
            let at = [n % E, n / E % E, n / (E * E)];
            let x = std::array::from_fn(|k| f64::from(first[k] + at[k] as i32));
            *value = R::of(shape(x, scale));
        }
        Ok(())
    })
    .unwrap()
}

fn bits(mesh: &Mesh) -> (Vec<[u64; 3]>, Vec<Vec<u64>>) {
    let arrays = mesh.vertex_data.iter().map(|a| a.values.to_f64());
    let arrays = arrays.map(|a| a.into_iter().map(f64::to_bits).collect());
    (mesh.vertices.iter().map(|x| x.map(f64::to_bits)).collect(), arrays.collect())
}

/// Asserts that the surface and the range of phi of a GPU evolution match those of its downloaded
/// tiles.
pub fn look<R: Wide, const E: usize, S: Stored<R> + Element>(
    cuda: &Arc<Cuda>,
    run: &DeviceTiledEvolution<R, E, S>,
) {
    let (grid, phi) = run.download().unwrap();
    let (place, band) = (Placement { origin: [0.25, 3.0, -1.0], spacing: 0.1 }, run.band());
    let found = run.surface(&place, true).unwrap().mesh(cuda).unwrap();
    let expected = extract(&Tiles { grid: &grid, phi: &phi, band }, &place, true).unwrap();
    assert!(found.n_cells() > 100 && found.cells == expected.cells);
    assert!(bits(&found) == bits(&expected));
    let values = grid.ids().iter().flat_map(|&id| phi.tile(id)).map(|value| value.load(band.gamma));
    let start = Range { low: R::INFINITY, high: -R::INFINITY, active: 0 };
    let expected = values.fold(start, |range, value| Range {
        low: range.low.min(value),
        high: range.high.max(value),
        active: range.active + u64::from(value.abs() < band.gamma),
    });
    assert_eq!(run.range().unwrap(), expected);
}

/// Compares the surfaces of `levels` grids, each of which is a refinement of the previous one.
fn check<R: Real, const E: usize, S: Stored<R> + Element + PartialEq>(
    cuda: &Arc<Cuda>,
    scale: f64,
    band: Band<R>,
    levels: usize,
) {
    let (mut grid, mut phi) = start::<R, E, S>(scale, band);
    let mut on_gpu = DeviceTiledGrid::new::<S, E>(cuda, &grid, 0, 64).unwrap();
    let n = grid.capacity();
    let mut values = DevicePool::upload(cuda, &phi, n, n, band.gamma).unwrap();
    let place = Placement { origin: [0.25, 3.0, -1.0], spacing: 0.1 };
    for level in 0..levels {
        if level > 0 {
            let (fine, fine_phi) = grid.upsample(&phi, band.gamma, band).unwrap();
            let made = on_gpu.upsample::<R, S, E>(cuda, &values, band.gamma, band, 64);
            (on_gpu, values) = made.unwrap();
            let found = on_gpu.download::<E>().unwrap();
            assert_eq!((found.keys(), found.ids()), (fine.keys(), fine.ids()));
            assert_eq!((found.borders(), found.activity()), (fine.borders(), fine.activity()));
            assert_eq!((found.ages(), found.background()), (fine.ages(), fine.background()));
            let n = fine.n_tiles();
            let expected = &fine_phi.values()[..n * Pool::<S, E>::TILE];
            assert!(values.download(cuda, n).unwrap() == expected);
            (grid, phi) = (fine, fine_phi);
        }
        let tiles = DeviceTiles::<R, S, E> { grid: &on_gpu, phi: &values, gamma: band.gamma };
        for normals in [false, true] {
            let expected = extract(&Tiles { grid: &grid, phi: &phi, band }, &place, normals);
            let expected = expected.unwrap();
            let found = tiles.extract(cuda, &place, normals).unwrap().mesh(cuda).unwrap();
            assert!(found.cells == expected.cells && found.n_cells() > 1000);
            assert!(bits(&found) == bits(&expected), "normals {normals}");
        }
    }
}

#[test]
fn surfaces_and_finer_grids_are_those_of_the_cpu() {
    let Some(cuda) = support::cuda() else { return };
    check::<f32, 4, f32>(&cuda, 1.6, Band { gamma: 1.5, reach: 1 }, 3);
    check::<f32, 4, Fixed16>(&cuda, 1.6, Band { gamma: 1.5, reach: 1 }, 3);
    check::<f64, 4, f64>(&cuda, 1.3, Band { gamma: 3.0, reach: 3 }, 2);
    check::<f64, 8, f64>(&cuda, 1.3, Band { gamma: 3.0, reach: 3 }, 2);
    check::<f32, 8, f32>(&cuda, 1.3, Band { gamma: 2.0, reach: 2 }, 2);
}

#[test]
fn a_set_without_tiles_has_neither() {
    let Some(cuda) = support::cuda() else { return };
    let band = Band { gamma: 1.5_f32, reach: 1 };
    let on_gpu = DeviceTiledGrid::new::<f32, 4>(&cuda, &TiledGrid::<4>::default(), 0, 64).unwrap();
    let values = DevicePool::<f32, 4>::new(&cuda, 1, band.gamma).unwrap();
    let tiles = DeviceTiles::<f32, f32, 4> { grid: &on_gpu, phi: &values, gamma: 1.5 };
    let found = tiles.extract(&cuda, &Placement::default(), true).unwrap();
    assert_eq!((found.n_vertices, found.n_triangles), (0, 0));
    let fine = on_gpu.upsample::<f32, f32, 4>(&cuda, &values, 1.5, band, 64).unwrap();
    assert_eq!(fine.0.download::<4>().unwrap().n_tiles(), 0);
}

/// A short test for compute-sanitizer, under which kernels take about a hundred times as long.
#[test]
fn a_short_run() {
    let Some(cuda) = support::cuda() else { return };
    check::<f32, 4, Fixed16>(&cuda, 0.9, Band { gamma: 1.5, reach: 1 }, 2);
}
