//! Cases that the command line and the facade build without a case file.

use super::document::Places;
use super::{
    Config, Device, Distance, Domain, Evolve, Expect, Initial, MeshSource, Origin, Output,
    Reinitialize, Units, VERSION,
};

impl Config {
    /// Creates a case that computes a distance on a mesh file, for the command line.
    ///
    /// `flags` lists case keys with the command-line options that set them.
    pub fn of_distance(mesh: MeshSource, distance: Distance, flags: Vec<(String, String)>) -> Self {
        Config {
            version: VERSION,
            defaults: None,
            precision: None,
            device: Device::default(),
            units: Units::default(),
            domain: Domain::Mesh(mesh),
            initial: None,
            evolve: None,
            reinitialize: Reinitialize::default(),
            distance: Some(distance),
            reconstruct: None,
            output: Output::default(),
            expect: Expect::default(),
            origin: Origin { places: Places::of_flags(flags), ..Origin::default() },
        }
    }

    /// Creates a case that moves an interface on a mesh, without a case file.
    pub(crate) fn of_evolve(mesh: MeshSource, initial: Initial, evolve: Evolve) -> Self {
        let mut config = Self::of_distance(mesh, Distance::default(), Vec::new());
        config.distance = None;
        (config.initial, config.evolve) = (Some(initial), Some(evolve));
        config
    }
}
