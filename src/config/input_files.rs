//! Lists the input files of a case.

use std::path::PathBuf;

use super::{Config, Domain, Initial, Seed};
use crate::error::Result;

impl Config {
    /// Returns the resolved paths of all input files that the case names.
    ///
    /// # Errors
    /// Returns [`Error::Case`](crate::Error::Case) if an environment variable in a path is not set.
    pub(crate) fn inputs(&self) -> Result<Vec<PathBuf>> {
        let mut paths: Vec<&str> = Vec::new();
        match &self.domain {
            Domain::Mesh(mesh) => {
                paths.extend(mesh.path.as_deref());
                paths.extend(mesh.data.iter().map(|data| data.path.as_str()));
            }
            Domain::Cloud(cloud) => paths.push(&cloud.path),
            Domain::Tiled(_) => {}
        }
        paths.extend(match &self.initial {
            Some(Initial::Mesh { mesh }) => vec![mesh.path.as_str()],
            Some(Initial::Region(region)) => region.files(),
            Some(Initial::Curve { curve }) => vec![curve.path.as_str()],
            Some(Initial::Volume { volume }) => vec![volume.path.as_str()],
            Some(Initial::Image { image }) => vec![image.path.as_str()],
            _ => Vec::new(),
        });
        let volumes = self.evolve.iter().flat_map(|evolve| evolve.volumes());
        paths.extend(volumes.map(|(_, array)| array.volume.as_str()));
        paths.extend(self.distance.iter().flat_map(|distance| distance.stimuli.as_deref()));
        let seeds = self.distance.iter().flat_map(|distance| &distance.from);
        paths.extend(seeds.filter_map(|seed| match seed {
            Seed::Curve { path, .. } | Seed::VertexList { path, .. } => Some(path.as_str()),
            _ => None,
        }));
        paths.into_iter().map(|path| self.resolve(path)).collect()
    }
}
