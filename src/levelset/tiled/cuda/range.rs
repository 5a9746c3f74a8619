//! Output that does not need the tiles on the host, for a motion on a GPU: the surface, and the
//! range of phi.

use super::DeviceTiledEvolution;
use crate::error::Result;
use crate::geometry::Real;
use crate::gpu::blocks::{DEFAULT_BLOCK, WARP};
use crate::gpu::definitions::Define;
use crate::gpu::{Arguments, Element, Launch, Unit};
use crate::grid::Stored;
use crate::grid::cuda::Storage;
use crate::surface::DeviceSurface;
use crate::surface::cubes::Placement;
use crate::surface::cubes::cuda::DeviceTiles;

zeroset_gpu::cuda_header! {
    "tile_range", include "common/real.cuh";

    /// The range of phi over all tiles, in voxels.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Range<R> {
        /// The smallest value, or infinity if there are no tiles.
        pub low: R,
        /// The largest value, or minus infinity if there are no tiles.
        pub high: R,
        /// The number of voxels in the band.
        pub active: u64,
    }
}

impl<R: Real, const E: usize, S: Stored<R> + Element> DeviceTiledEvolution<R, E, S> {
    /// Returns the interface in world units. The triangles are bitwise identical to those of
    /// [`extract`](crate::surface::cubes::extract) for the downloaded tiles, in the same order.
    ///
    /// # Errors
    /// Returns the errors of [`DeviceTiles::extract`].
    pub fn surface(&self, placement: &Placement, normals: bool) -> Result<DeviceSurface> {
        let gamma = self.band().gamma;
        let tiles = DeviceTiles::<R, S, E> { grid: &self.grid, phi: self.phi(), gamma };
        tiles.extract(&self.cuda, placement, normals)
    }

    /// Returns the smallest and the largest value of phi, and the number of voxels in the band.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if there is not enough memory or the GPU
    /// fails.
    pub fn range(&self) -> Result<Range<R>> {
        let mut defines = vec![
            ("REAL", if size_of::<R>() == 8 { "double" } else { "float" }.to_string()),
            ("TILE_EDGE", E.to_string()),
        ];
        if size_of::<S>() == 2 {
            defines.push(Storage::Fixed16.define());
        }
        let kernel = self.cuda.kernel(&Unit::with("tiles/range", defines)?, "tiles_range")?;
        let grid = kernel.resident_blocks(DEFAULT_BLOCK, 0)?;
        let launch = Launch { grid, block: DEFAULT_BLOCK, shared: 0, cooperative: false };
        let found = self.cuda.zeros::<Range<R>>(grid as usize * (DEFAULT_BLOCK as usize / WARP))?;
        let to = Arguments::default().with(self.grid.argument()).with(self.phi().address());
        let arguments = to.with(self.band().gamma.to_f64()).with_array(&found);
        // SAFETY: the arguments match `tiles_range`, and the result has an entry for each warp.
        unsafe { self.cuda.launch(&kernel, launch, &arguments)? };
        let none = Range { low: R::INFINITY, high: -R::INFINITY, active: 0 };
        let join = |a: Range<R>, b: &Range<R>| Range {
            low: a.low.min(b.low),
            high: a.high.max(b.high),
            active: a.active + b.active,
        };
        Ok(self.cuda.download(&found)?.iter().fold(none, join))
    }
}
