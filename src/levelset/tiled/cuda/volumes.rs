//! Coefficients sampled from volumes on a GPU. They are stored with the tiles, or evaluated in each
//! step if another velocity component is an expression.

use std::fmt;
use std::sync::Arc;

use super::stationary_coefficients::{KeepCoefficient, StationaryArgument};
use super::terms::DevicePart;
use crate::error::Result;
use crate::geometry::Real;
use crate::gpu::volume::{DeviceVolume, VolumeArgument};
use crate::gpu::{Arguments, Array, Cuda, Kernel, Launch, Unit};
use crate::grid::cuda::TileGridArgument;

zeroset_gpu::cuda_header! {
    "tile_components", include "volume.cuh";

    /// The number of threads of a block that samples volumes.
    define VOLUMES_BLOCK: u32 = 64;

    /// One component of a coefficient, in voxels.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct ComponentArgument as TileComponent {
        /// The volume, without values if the component is uniform.
        pub volume: VolumeArgument,
        /// The factor that converts values of the volume to lengths in voxels.
        pub scale: f64,
        /// The uniform value.
        pub number: f64,
    }

    /// The components of a coefficient and the positions of the voxels.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct ComponentsArgument as Components {
        /// `[n]` components.
        pub of: u64 as "const TileComponent *",
        /// The position of voxel (0, 0, 0). Voxel v lies at `origin + dx v`.
        pub origin: [f64; 3],
        /// The edge of a voxel.
        pub dx: f64,
        /// The number of components.
        pub n: u32,
        /// Padding.
        pub padding: u32,
    }
}

/// The components of a coefficient on the GPU.
pub(super) struct Components {
    table: Array<ComponentArgument>,
    /// The volumes to which the table refers.
    _volumes: Vec<Arc<DeviceVolume>>,
}

impl Components {
    /// Uploads components. `scale` converts world units to voxels. Entries for expressions are left
    /// empty.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if there is not enough memory.
    pub fn new<R: Real>(cuda: &Cuda, parts: &[DevicePart], scale: f64) -> Result<Self> {
        let mut volumes = Vec::new();
        let all = parts.iter().map(|part| match part {
            DevicePart::Volume(volume) => {
                volumes.push(volume.clone());
                ComponentArgument { volume: volume.argument(), scale, number: 0.0 }
            }
            // The number is rounded as on the CPU.
            DevicePart::Number(x) => {
                let number = (R::of(*x) * R::of(scale)).to_f64();
                ComponentArgument { number, ..ComponentArgument::default() }
            }
            DevicePart::Field(_) => ComponentArgument::default(),
        });
        let all: Vec<_> = all.collect();
        Ok(Components { table: cuda.upload(&all)?, _volumes: volumes })
    }

    /// Returns the address of the table, for kernels.
    pub fn address(&self) -> u64 {
        self.table.address()
    }
}

/// A coefficient made of volumes and numbers, computed once for each new tile.
pub(super) struct KeptVolumes {
    /// The components to which the argument refers.
    _components: Components,
    argument: ComponentsArgument,
    kernel: Kernel,
    grid: u32,
}

impl fmt::Debug for KeptVolumes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeptVolumes").field("components", &self.argument).finish_non_exhaustive()
    }
}

impl KeptVolumes {
    /// Prepares the computation on tiles of edge length `edge`. Voxel (0, 0, 0) lies at `origin`,
    /// and `dx` is the edge length of a voxel.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if there is not enough memory or the kernel
    /// cannot be compiled.
    pub fn new<R: Real>(
        cuda: &Cuda,
        parts: &[DevicePart],
        scale: f64,
        (origin, dx): ([f64; 3], f64),
        edge: usize,
    ) -> Result<Self> {
        let components = Components::new::<R>(cuda, parts, scale)?;
        let defines = vec![
            ("REAL", if size_of::<R>() == 8 { "double" } else { "float" }.to_string()),
            ("TILE_EDGE", edge.to_string()),
        ];
        let kernel = cuda.kernel(&Unit::with("tiles/volumes", defines)?, "tiles_volumes")?;
        let grid = kernel.resident_blocks(VOLUMES_BLOCK, 0)?;
        let n = parts.len() as u32;
        let argument = ComponentsArgument { of: components.address(), origin, dx, n, padding: 0 };
        Ok(KeptVolumes { _components: components, argument, kernel, grid })
    }
}

impl KeepCoefficient for KeptVolumes {
    fn launch(
        &self,
        cuda: &Cuda,
        tiles: TileGridArgument,
        kept: StationaryArgument,
        of_all: bool,
    ) -> Result<()> {
        let to = Arguments::default().with(tiles).with(kept).with(self.argument);
        let launch =
            Launch { grid: self.grid, block: VOLUMES_BLOCK, shared: 0, cooperative: false };
        // SAFETY: the arguments match `tiles_volumes`, and `self` owns the components.
        unsafe { cuda.launch(&self.kernel, launch, &to.with(u32::from(of_all))) }
    }
}
