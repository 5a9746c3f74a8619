//! The meshes of Fu et al. with their initial phi. Each is created once.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use zeroset::Cpu;
use zeroset::mesh::{Kind, Mesh};
use zeroset::patches::{Partition, Patches};
use zeroset::run::{CleanedMesh, setup};

use crate::Failed;

/// A mesh and its initial phi.
pub struct Made {
    ready: CleanedMesh,
    pub phi: Vec<f64>,
    /// Mean edge length, in mesh units.
    pub edge: f64,
}

impl Made {
    pub fn mesh(&self) -> &Mesh {
        &self.ready.mesh
    }

    pub fn is_volume(&self) -> bool {
        self.mesh().kind == Kind::Volume
    }

    /// Divides the mesh into patches.
    pub fn patches(
        &self,
        cpu: &Cpu,
        method: Partition,
        size: usize,
    ) -> Result<Arc<Patches>, Failed> {
        Ok(Arc::new(cpu.run(|| Patches::new(self.mesh(), method, size))?))
    }
}

/// The meshes created so far.
pub struct Meshes {
    pub cpu: Arc<Cpu>,
    made: HashMap<String, Rc<Made>>,
}

impl Meshes {
    pub fn new(cpu: Arc<Cpu>) -> Self {
        Meshes { cpu, made: HashMap::new() }
    }

    pub fn get(&mut self, name: &str) -> Result<Rc<Made>, Failed> {
        if let Some(made) = self.made.get(name) {
            return Ok(made.clone());
        }
        let config = crate::config(name)?;
        let ready = self.cpu.run(|| CleanedMesh::new(&config))?;
        let phi = self.cpu.run(|| setup::initial_phi(&config, &ready))?.phi;
        let edge = self.cpu.run(|| setup::mean_edge(&ready.mesh));
        let made = Rc::new(Made { ready, phi, edge });
        self.made.insert(name.into(), made.clone());
        Ok(made)
    }
}
