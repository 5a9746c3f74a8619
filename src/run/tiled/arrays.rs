//! Coefficients that are values of volumes: read once for all lattices.

use std::sync::Arc;
use std::sync::OnceLock;

use crate::config::Config;
use crate::error::{Error, Result};
use crate::gpu::Cuda;
use crate::gpu::volume::DeviceVolume;
use crate::run::volume::Named;
use crate::volume::Volume;
use crate::words::counted;

/// A volume that is a coefficient, or a component of one.
pub(super) struct Array {
    pub volume: Arc<Volume>,
    /// The same on the GPU of the run, once it was asked for.
    device: OnceLock<Arc<DeviceVolume>>,
}

impl Array {
    fn new(volume: Volume) -> Self {
        Array { volume: Arc::new(volume), device: OnceLock::new() }
    }

    /// The volume on the GPU, for all lattices of a run.
    ///
    /// # Errors
    /// Those of [`DeviceVolume::new`].
    pub fn on_gpu(&self, cuda: &Cuda) -> Result<Arc<DeviceVolume>> {
        if let Some(device) = self.device.get() {
            return Ok(device.clone());
        }
        let device = Arc::new(DeviceVolume::new(cuda, &self.volume)?);
        Ok(self.device.get_or_init(|| device).clone())
    }
}

/// The volumes of `[evolve]`, by the keys that they stand at.
#[derive(Default)]
pub(super) struct Arrays {
    all: Vec<(String, Arc<Array>)>,
    /// What was doubtful in their files.
    pub warnings: Vec<String>,
}

impl Arrays {
    /// # Errors
    /// Those of [`Named::read`]; [`Error::Input`] for values that are not finite, and for negative ones of a
    /// curvature coefficient.
    pub fn read(config: &Config) -> Result<Self> {
        let mut arrays = Arrays::default();
        for (key, array) in config.evolve.iter().flat_map(|evolve| evolve.volumes()) {
            let (raw, name) = (array.raw.as_deref(), array.array.as_deref());
            let named = Named { table: &key, path: &array.volume, raw, array: name };
            let (path, volume) = named.read(config, &mut arrays.warnings)?;
            let found = volume.statistics();
            let none = found.nan + found.infinite;
            if none > 0 {
                let values = counted(none, ["value is", "values are"]);
                let remedy = "replace them: nothing moves by a coefficient that is no number";
                return Err(Error::input(
                    &path,
                    "",
                    format!("{values} not finite, for {key}"),
                    remedy,
                ));
            }
            if let Some(least) = found.min.filter(|least| *least < 0.0 && key == "evolve.curvature")
            {
                let what = format!("{key} must be >= 0, its smallest value here is {least}");
                let remedy = "a negative coefficient is a heat flow backwards in time, which has no solution";
                return Err(Error::input(&path, "", what, remedy));
            }
            arrays.all.push((key, Arc::new(Array::new(volume))));
        }
        Ok(arrays)
    }

    /// Components of the coefficients that have volumes, each of which is kept with the tiles.
    pub fn components(&self) -> u64 {
        let has = |key: &str| u64::from(self.all.iter().any(|(other, _)| other.starts_with(key)));
        3 * has("evolve.velocity") + has("evolve.normal_speed") + has("evolve.curvature")
    }

    /// The volume at a key.
    pub fn get(&self, key: &str) -> Option<&Arc<Array>> {
        self.all.iter().find(|(other, _)| other == key).map(|(_, array)| array)
    }

    /// All with their keys.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Volume)> {
        self.all.iter().map(|(key, array)| (key.as_str(), &*array.volume))
    }
}
