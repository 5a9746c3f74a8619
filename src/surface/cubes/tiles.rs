//! Tiles of a sparse grid as a source of blocks for marching cubes.

use super::Blocks;
use crate::geometry::Real;
use crate::grid::{Band, Halo, MISSING, Pool, Stored, Tile, TiledGrid, Walk, gather};

/// The distance from the surface, in voxels, below which a voxel counts as lying on it.
///
/// A distance next to the interface is almost never exactly 0, and the 32-bit numbers of STL files
/// round positions. Without this threshold, voxels that nearly lie on the surface would have
/// triangles of almost no area around them, and rounding could connect these in the wrong way. With
/// phi = 0 at such a voxel, crossings coincide exactly, and
/// [`drop_flat`](crate::surface::drop_flat) removes the triangles.
pub const ON_SURFACE: f64 = 1.0 / 512.0;

/// phi on the tiles of a grid, in voxels, set to 0 where its absolute value is below
/// [`ON_SURFACE`]. Missing tiles have the value plus or minus gamma.
#[derive(Clone, Copy, Debug)]
pub struct Tiles<'a, R, S, const E: usize> {
    /// The set of tiles.
    pub grid: &'a TiledGrid<E>,
    /// The values of the tiles, in voxels.
    pub phi: &'a Pool<S, E>,
    /// The band to which the values are clamped.
    pub band: Band<R>,
}

impl<R: Real, S: Stored<R>, const E: usize> Blocks<R> for Tiles<'_, R, S, E> {
    fn edge(&self) -> usize {
        E
    }

    fn len(&self) -> usize {
        self.grid.n_tiles()
    }

    fn corner(&self, block: usize) -> [i32; 3] {
        self.grid.keys()[block].first_voxel(E)
    }

    fn fill(&self, block: usize, reach: usize, values: &mut [R]) {
        let (key, ids) = (self.grid.keys()[block], self.grid.ids());
        let neighbors = Walk::new(self.grid.keys()).positions(key).map(|p| match p {
            MISSING => MISSING,
            p => ids[p as usize],
        });
        let border = self.grid.borders()[block];
        let tile = Tile { position: block, key, id: ids[block], border, neighbors };
        let gamma = self.band.gamma;
        match reach {
            1 => gather::<E, 1, R, S>(self.phi, &tile, gamma, Halo::Full, values),
            _ => gather::<E, 2, R, S>(self.phi, &tile, gamma, Halo::Full, values),
        }
        let least = R::of(ON_SURFACE);
        for value in values.iter_mut().filter(|value| value.abs() < least) {
            *value = R::zero();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::cubes::{Dense, Measures, Placement, extract, measure};

    #[test]
    fn tiles_have_the_surface_of_the_box_round_them() {
        let phi = |x: [f64; 3]| {
            let q = (x[0].hypot(x[1]) - 9.0).hypot(x[2]) - 4.0;
            q + 0.3 * (0.7 * x[0]).sin() * (0.5 * x[2]).cos()
        };
        let band = Band { gamma: 3.0, reach: 3 };
        let fill = |first: [i32; 3], out: &mut [f64]| {
            for (n, value) in out.iter_mut().enumerate() {
                let at = [n % 4, n / 4 % 4, n / 16];
                *value = phi(std::array::from_fn(|k| f64::from(first[k] + at[k] as i32)));
            }
            Ok(())
        };
        let (grid, pool) =
            TiledGrid::<4>::from_box::<f64, f64>([-8; 3], [7; 3], band, fill).unwrap();
        let tiles = Tiles { grid: &grid, phi: &pool, band };
        let n = 64;
        let at = |k: usize| [k % n, k / n % n, k / (n * n)].map(|c| c as f64 - 32.0);
        let taken = |phi: f64| if phi.abs() < ON_SURFACE { 0.0 } else { phi };
        let values: Vec<f64> = (0..n * n * n).map(|k| taken(band.clamp(phi(at(k))))).collect();
        let dense = Dense { values: &values, size: [n; 3], edge: 8, beyond: f64::NAN };
        let place = Placement { origin: [-32.0; 3], spacing: 1.0 };
        let (sparse, full) =
            (measure(&tiles, &Placement::default()).unwrap(), measure(&dense, &place).unwrap());
        assert_eq!((sparse.triangles, sparse.vertices), (full.triangles, full.vertices));
        assert_eq!(sparse.euler_number, Some(0));
        assert!((sparse.area - full.area).abs() < 1e-9 * full.area);
        assert!((sparse.volume.unwrap() - full.volume.unwrap()).abs() < 1e-9 * full.area);
        let sorted = |mesh: crate::mesh::Mesh| {
            let mut all: Vec<[u64; 3]> =
                mesh.vertices.iter().map(|x| x.map(f64::to_bits)).collect();
            all.sort_unstable();
            all
        };
        let mesh = extract(&tiles, &Placement::default(), true).unwrap();
        let of_mesh = Measures::of(&mesh);
        assert_eq!((of_mesh.triangles, of_mesh.vertices), (full.triangles, full.vertices));
        assert_eq!(of_mesh.euler_number, Some(0));
        assert!((of_mesh.area - full.area).abs() < 1e-12 * full.area);
        let apart = of_mesh.volume.unwrap() - full.volume.unwrap();
        assert!(apart.abs() < 1e-12 * full.volume.unwrap());
        assert_eq!(sorted(mesh).len() as u64, full.vertices);
    }
}
