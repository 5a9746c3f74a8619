//! Reading the volumes that a case names.

use std::path::PathBuf;

use super::units;
use crate::config::Config;
use crate::error::Result;
use crate::io::{self, VolumeOptions};

/// A volume named in a case, with the information needed to read it.
pub(super) struct Named<'a> {
    /// The table that names the volume, such as `initial.volume`.
    pub table: &'a str,
    pub path: &'a str,
    pub raw: Option<&'a str>,
    /// The other options of the reader.
    pub options: VolumeOptions,
}

impl Named<'_> {
    /// Reads the volume and returns it with its path. Warnings about it are added to `warnings`.
    ///
    /// # Errors
    /// Returns the errors of [`io::read_volume`]. Returns [`Error::Case`](crate::Error::Case) for
    /// an invalid layout of raw data.
    pub fn read(
        &self,
        config: &Config,
        warnings: &mut Vec<String>,
    ) -> Result<(PathBuf, io::VolumeFile)> {
        let path = config.resolve(self.path)?;
        let layout = match self.raw.map(str::parse).transpose() {
            Ok(layout) => layout,
            Err(what) => return Err(config.error_at(&format!("{}.raw", self.table), what, "")),
        };
        let options = self.options.clone().raw(layout);
        let mut file = io::read_volume(&path, &options.table(self.table))?;
        for what in std::mem::take(&mut file.warnings) {
            let warning = format!("{}: {what}", path.display());
            tracing::warn!("{warning}");
            warnings.push(warning);
        }
        warnings.extend(units::differ(config, &path, &file.stated_units()));
        Ok((path, file))
    }
}
