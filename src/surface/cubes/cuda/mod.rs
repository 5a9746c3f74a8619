//! Marching cubes over tiles on a card: [`extract`](super::extract) of tiles that are there already.

use std::sync::Arc;

use super::{Placement, Tiles, extract};
use crate::backend::cuda::{Array, Cuda, Element};
use crate::error::Result;
use crate::geometry::Real;
use crate::grid::cuda::DeviceTiledGrid;
use crate::grid::{Band, Pool, Stored};
use crate::surface::DeviceSurface;

/// phi on the tiles of a grid on a card; missing tiles are plus or minus gamma.
#[derive(Clone, Copy)]
pub struct DeviceTiles<'a, R, S: Element, const E: usize> {
    /// Which tiles there are.
    pub grid: &'a DeviceTiledGrid,
    /// Their values by id, in voxels, `[capacity][E^3]`.
    pub phi: &'a Array<S>,
    /// What they are clamped to.
    pub gamma: R,
}

impl<R: Real, S: Stored<R> + Element, const E: usize> DeviceTiles<'_, R, S, E> {
    /// The zero set of phi as triangles in world units: those of [`extract`](super::extract) with the same
    /// numbers in the same order.
    ///
    /// # Errors
    /// Those of [`extract`](super::extract); [`Error::Device`](crate::Error::Device) if there is not enough memory.
    pub fn extract(
        &self,
        cuda: &Arc<Cuda>,
        placement: &Placement,
        normals: bool,
    ) -> Result<DeviceSurface> {
        let grid = self.grid.download::<E>()?;
        let mut phi = Pool::<S, E>::new();
        phi.grow(grid.capacity())?;
        let n = grid.capacity() * Pool::<S, E>::TILE;
        phi.values_mut()[..n].copy_from_slice(&cuda.download_part(self.phi, 0..n)?);
        let band = Band { gamma: self.gamma, reach: 1 };
        let tiles = Tiles { grid: &grid, phi: &phi, band };
        let mesh = extract(&tiles, placement, normals)?;
        let arrays: Vec<Vec<f64>> =
            mesh.vertex_data.iter().map(|array| array.values.to_f64()).collect();
        let of_vertex = |v: usize| [arrays[0][v], arrays[1][v], arrays[2][v]];
        let normals: Vec<[f64; 3]> = match normals {
            true => (0..mesh.n_vertices()).map(of_vertex).collect(),
            false => Vec::new(),
        };
        Ok(DeviceSurface {
            vertices: cuda.upload(&mesh.vertices)?,
            normals: cuda.upload(&normals)?,
            triangles: cuda.upload(mesh.cells.as_chunks().0)?,
            n_vertices: mesh.n_vertices(),
            n_triangles: mesh.n_cells(),
        })
    }
}
