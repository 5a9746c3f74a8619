//! Coefficients that are given as volumes. They are read once and shared by all grid levels.

use std::sync::Arc;
use std::sync::OnceLock;

use crate::config::Config;
use crate::error::{Error, Result};
use crate::gpu::Cuda;
use crate::gpu::volume::DeviceVolume;
use crate::io;
use crate::run::read_volumes::Named;
use crate::volume::Volume;
use crate::words::counted;

/// A volume that gives a coefficient or one component of it.
pub(super) struct Array {
    pub volume: Arc<Volume>,
    /// The volume on the run's GPU, after its first use.
    device: OnceLock<Arc<DeviceVolume>>,
}

impl Array {
    fn new(volume: Volume) -> Self {
        Array { volume: Arc::new(volume), device: OnceLock::new() }
    }

    /// Returns the volume on the GPU. All grid levels of a run share the volume.
    ///
    /// # Errors
    /// Returns the errors of [`DeviceVolume::new`].
    pub fn on_gpu(&self, cuda: &Cuda) -> Result<Arc<DeviceVolume>> {
        if let Some(device) = self.device.get() {
            return Ok(device.clone());
        }
        let device = Arc::new(DeviceVolume::new(cuda, &self.volume)?);
        Ok(self.device.get_or_init(|| device).clone())
    }
}

/// The volumes of `[evolve]`, and the keys at which they are given.
#[derive(Default)]
pub(super) struct Arrays {
    all: Vec<(String, Arc<Array>)>,
    /// Warnings about the files of the volumes.
    pub warnings: Vec<String>,
}

impl Arrays {
    /// Reads the volumes of a case.
    ///
    /// # Errors
    /// Returns the errors of [`Named::read`]. Returns [`Error::Input`] for values that are not
    /// finite and for negative values of a curvature coefficient.
    pub fn read(config: &Config) -> Result<Self> {
        let mut arrays = Arrays::default();
        for (key, array) in config.evolve.iter().flat_map(|evolve| evolve.volumes()) {
            let (raw, options) = (array.raw.as_deref(), array.reading());
            let named = Named { table: &key, path: &array.volume, raw, options };
            let (path, io::VolumeFile { volume, .. }) = named.read(config, &mut arrays.warnings)?;
            let found = volume.statistics();
            let none = found.nan + found.infinite;
            if none > 0 {
                let values = counted(none, ["value is", "values are"]);
                let remedy = "replace them with finite numbers";
                return Err(Error::input(
                    &path,
                    "",
                    format!("{values} not finite, but {key} needs finite values"),
                    remedy,
                ));
            }
            if let Some(least) = found.min.filter(|least| *least < 0.0 && key == "evolve.curvature")
            {
                let what = format!("{key} must be >= 0, but its smallest value here is {least}");
                let remedy =
                    "a negative coefficient means a backward heat flow, which has no solution";
                return Err(Error::input(&path, "", what, remedy));
            }
            arrays.all.push((key, Arc::new(Array::new(volume))));
        }
        Ok(arrays)
    }

    /// Returns the number of components of all coefficients that have volumes. The values of these
    /// components are stored with the tiles.
    pub fn components(&self) -> u64 {
        let has = |key: &str| u64::from(self.all.iter().any(|(other, _)| other.starts_with(key)));
        3 * has("evolve.velocity") + has("evolve.normal_speed") + has("evolve.curvature")
    }

    /// Returns the volume given at a key, if there is one.
    pub fn get(&self, key: &str) -> Option<&Arc<Array>> {
        self.all.iter().find(|(other, _)| other == key).map(|(_, array)| array)
    }

    /// Iterates over the keys and volumes.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Volume)> {
        self.all.iter().map(|(key, array)| (key.as_str(), &*array.volume))
    }
}
