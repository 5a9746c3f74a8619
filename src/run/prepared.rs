//! What every task starts from: the mesh read, cleaned and cut, and the clock of its stages.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::device::{Card, Device, Size};
use super::{Observer, Ready, memory, picture};
use crate::Cpu;
use crate::config::Config;
use crate::error::{Error, Result};
use crate::output::{MeshCounts, Report, Seconds};
use crate::patches::{Partition, Patches};

/// A mesh that is read, cleaned and cut, and how long that took.
pub(super) struct Prepared {
    cpu: Arc<Cpu>,
    device: Device,
    pub ready: Ready,
    pub patches: Arc<Patches>,
    method: Partition,
    seconds: Seconds,
}

impl Prepared {
    pub fn new(config: &Config, cpu: Arc<Cpu>, stage: &mut Stages<'_>) -> Result<Self> {
        stage.next("reading the mesh")?;
        let ready = cpu.run(|| Ready::new(config))?;
        config.check_for(ready.mesh.kind)?;
        memory::check(config, &ready.mesh)?;
        picture::check_array(config, &ready)?;
        let read = stage.next("cutting the mesh into patches")?;
        let source = config.mesh_or_refuse()?;
        let method = source.partition.unwrap_or(Partition::fit_for(&ready.mesh));
        let (patches, device) = cpu.run(|| cut(config, &ready, method, source.patch_size))?;
        let partition = stage.next("setting up")?;
        let seconds = Seconds { read, partition, ..Seconds::default() };
        Ok(Prepared { cpu, device, method, ready, patches: Arc::new(patches), seconds })
    }

    pub fn job<'a>(&'a self, config: &'a Config) -> Job<'a> {
        let (cpu, patches) = (self.cpu.clone(), self.patches.clone());
        Job { config, cpu, card: self.device.card.as_ref(), ready: &self.ready, patches }
    }

    /// Report of a run that has not begun.
    pub fn report(&self, config: &Config) -> Report {
        let ready = &self.ready;
        let mesh = MeshCounts {
            kind: ready.mesh.kind,
            stored_vertices: ready.stored_vertices.len(),
            vertices: ready.mesh.n_vertices(),
            cells: ready.mesh.n_cells(),
            patches: self.patches.len(),
            partition: self.method,
            cleaning: ready.cleaning.clone(),
        };
        let mut report = Report::new(config, self.seconds, ready.warnings.clone());
        report.mesh = Some(mesh);
        report.backend = if self.device.card.is_some() { "cuda" } else { "cpu" };
        report.backend_reason = self.device.reason.clone();
        report.threads = self.cpu.threads();
        report
    }
}

/// Cuts the mesh into patches and chooses the device.
fn cut(
    config: &Config,
    ready: &Ready,
    method: Partition,
    patch_size: usize,
) -> Result<(Patches, Device)> {
    let (mesh, n) = (&ready.mesh, ready.mesh.n_vertices());
    // A card orders vertices along the curve itself, with the same patches.
    if method == Partition::Hilbert {
        let device = Device::choose(config, Size::Vertices(n))?;
        let patches = match &device.card {
            Some(card) => Patches::new_on(&card.cuda, mesh, method, patch_size),
            None => Patches::new(mesh, method, patch_size),
        };
        return Ok((patches?, device));
    }
    // The card's driver takes a while to start, which cutting need not wait for.
    let choose = || Device::choose(config, Size::Vertices(n));
    let (patches, device) = rayon::join(|| Patches::new(mesh, method, patch_size), choose);
    Ok((patches?, device?))
}

/// Everything a task needs.
pub(super) struct Job<'a> {
    pub config: &'a Config,
    pub cpu: Arc<Cpu>,
    /// The GPU, if the case is computed on one.
    pub card: Option<&'a Card>,
    pub ready: &'a Ready,
    pub patches: Arc<Patches>,
}

/// Times the stages of a run; between them it can be interrupted.
pub(super) struct Stages<'a> {
    start: Instant,
    observer: &'a dyn Observer,
    interrupt: &'a AtomicBool,
}

impl<'a> Stages<'a> {
    pub fn new(observer: &'a dyn Observer, interrupt: &'a AtomicBool) -> Self {
        Stages { start: Instant::now(), observer, interrupt }
    }

    /// Seconds of the stage that ends here; the next one begins.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    pub fn next(&mut self, name: &str) -> Result<f64> {
        if self.interrupt.load(Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
        let seconds = self.start.elapsed().as_secs_f64();
        self.start = Instant::now();
        self.observer.stage(name);
        Ok(seconds)
    }
}
