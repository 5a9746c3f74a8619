//! (being written)
use super::Mesh;
use crate::error::Result;

/// What [`clean`] dropped or changed.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub struct Cleaning {}

/// stub
pub fn clean(mesh: Mesh) -> Result<(Mesh, Cleaning)> {
    Ok((mesh, Cleaning::default()))
}
