//! Checks of keys that depend on the kind of the mesh.

use crate::config::{Config, InterfaceFile};
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::mesh::Kind;

impl Config {
    /// Checks the keys that depend on the kind of the mesh, after the mesh has been read.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if `evolve.advection`, a key of `[expect]` or a format in
    /// `output.interface_files` is not available for this kind of mesh.
    pub fn check_for(&self, kind: Kind) -> Result<()> {
        if self.has_map() && kind != Kind::Planar {
            let key = "evolve.advection";
            let what = format!("{key} \"characteristic-map\" is for planar meshes of triangles");
            return Err(self.error_at(
                key,
                what,
                "use another scheme, such as \"taylor-galerkin\"",
            ));
        }
        let wrong = match kind {
            Kind::Planar | Kind::Surface => ["interface_area", "enclosed_volume"],
            Kind::Volume => ["interface_length", "enclosed_area"],
        };
        let lines = kind != Kind::Volume;
        let files = &self.output.interface_files;
        if let Some(file) = files.iter().find(|file| lines && **file != InterfaceFile::Obj) {
            let what = format!(
                "output.interface_files: an interface on triangles consists of lines, which .{} cannot hold",
                file.ending()
            );
            return Err(self.error_at("output.interface_files", what, "use \"obj\""));
        }
        match self.expect.bounds().iter().find(|(name, _)| wrong.contains(name)) {
            None => Ok(()),
            Some((name, _)) => Err(self.error_at(
                &format!("expect.{name}"),
                format!("expect.{name} does not exist on this mesh"),
                match kind {
                    Kind::Volume => "use interface_area or enclosed_volume",
                    _ => "use interface_length or enclosed_area",
                },
            )),
        }
    }
}
