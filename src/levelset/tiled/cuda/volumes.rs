//! Coefficients by volumes on a GPU: kept with the tiles, or as components of a velocity beside expressions.

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

    /// Threads of a block that takes values of volumes.
    define VOLUMES_BLOCK: u32 = 64;

    /// One number of a coefficient, in voxels.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct ComponentArgument as TileComponent {
        /// Without numbers where it is the same everywhere.
        pub volume: VolumeArgument,
        /// Of its values, for lengths in voxels.
        pub scale: f64,
        /// What is the same everywhere.
        pub number: f64,
    }

    /// Where values are taken.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct ComponentsArgument as Components {
        /// `[n]`
        pub of: u64 as "const TileComponent *",
        /// Where voxel (0, 0, 0) lies: voxel v at `origin + dx v`.
        pub origin: [f64; 3],
        /// Edge of a voxel.
        pub dx: f64,
        /// How many there are.
        pub n: u32,
        /// Nothing.
        pub padding: u32,
    }
}

/// Components of a coefficient on the GPU.
pub(super) struct Components {
    table: Array<ComponentArgument>,
    /// What the table speaks of.
    _volumes: Vec<Arc<DeviceVolume>>,
}

impl Components {
    /// In voxels, `scale` to a length of the world; expressions are left to others.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if there is not enough memory.
    pub fn new<R: Real>(cuda: &Cuda, parts: &[DevicePart], scale: f64) -> Result<Self> {
        let mut volumes = Vec::new();
        let all = parts.iter().map(|part| match part {
            DevicePart::Volume(volume) => {
                volumes.push(volume.clone());
                ComponentArgument { volume: volume.argument(), scale, number: 0.0 }
            }
            // As the CPU rounds it.
            DevicePart::Number(x) => {
                let number = (R::of(*x) * R::of(scale)).to_f64();
                ComponentArgument { number, ..ComponentArgument::default() }
            }
            DevicePart::Field(_) => ComponentArgument::default(),
        });
        let all: Vec<_> = all.collect();
        Ok(Components { table: cuda.upload(&all)?, _volumes: volumes })
    }

    /// Their place, for kernels.
    pub fn address(&self) -> u64 {
        self.table.address()
    }
}

/// A coefficient whose components are volumes and numbers: made once for each tile that comes.
pub(super) struct KeptVolumes {
    /// What the argument speaks of.
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
    /// On tiles of edge `edge` whose voxel (0, 0, 0) lies at `origin`, `dx` being the edge of a voxel.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if there is not enough memory, or the kernel cannot be compiled.
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
        // SAFETY: the arguments of `tiles_volumes`; the components are held by this.
        unsafe { cuda.launch(&self.kernel, launch, &to.with(u32::from(of_all))) }
    }
}
