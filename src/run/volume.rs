//! Volumes that a case names.

use std::path::PathBuf;

use crate::config::Config;
use crate::error::Result;
use crate::io::{self, VolumeOptions};
use crate::volume::Volume;

/// Where the file of a volume stands in a case, and how it is read.
pub(super) struct Named<'a> {
    /// Its table, such as `initial.volume`.
    pub table: &'a str,
    pub path: &'a str,
    pub raw: Option<&'a str>,
    pub array: Option<&'a str>,
}

impl Named<'_> {
    /// The file and the volume in it; what was doubtful goes to `warnings`.
    ///
    /// # Errors
    /// Those of [`io::read_volume`]; [`Error::Case`](crate::Error::Case) for a layout that is none.
    pub fn read(&self, config: &Config, warnings: &mut Vec<String>) -> Result<(PathBuf, Volume)> {
        let path = config.resolve(self.path)?;
        let layout = match self.raw.map(str::parse).transpose() {
            Ok(layout) => layout,
            Err(what) => return Err(config.error_at(&format!("{}.raw", self.table), what, "")),
        };
        let options = VolumeOptions::default().raw(layout).array(self.array.map(str::to_string));
        let file = io::read_volume(&path, &options.table(self.table))?;
        for what in file.warnings {
            let warning = format!("{}: {what}", path.display());
            tracing::warn!("{warning}");
            warnings.push(warning);
        }
        Ok((path, file.volume))
    }
}
