//! Runs the verification cases on the first GPU.

use std::cell::OnceCell;
use std::sync::Arc;

use zeroset::Cpu;
use zeroset::geometry::Real;
use zeroset::gpu::Cuda;
pub use zeroset::levelset::eikonal::cuda::Gpu;
use zeroset::levelset::eikonal::cuda::Organization;
use zeroset::levelset::evolution::cuda::DeviceEvolution;
use zeroset::levelset::evolution::{Options, StepTarget, Terms};

use crate::backend::Moving;
use crate::domains::Domain;

/// Returns the first GPU. Each thread has its own stream and kernels, because cases run in
/// parallel.
pub fn of_this_thread() -> Gpu {
    thread_local! {
        static CUDA: OnceCell<Arc<Cuda>> = const { OnceCell::new() };
    }
    let open = || match Cuda::new(0) {
        Ok(cuda) => Arc::new(cuda),
        Err(error) => panic!("ZEROSET_BACKENDS asks for cuda, but {error}"),
    };
    let cuda = CUDA.with(|cuda| cuda.get_or_init(open).clone());
    Gpu { cuda, organization: Organization::Rounds }
}

/// Describes the GPU: name, architecture, memory, and the versions of the driver and the compiler.
pub fn description() -> String {
    use zeroset::gpu::{nvrtc::Nvrtc, probe};
    let on = of_this_thread();
    let gpu = on.cuda.info();
    let version = |found: Option<(u32, u32)>| match found {
        Some((major, minor)) => format!("{major}.{minor}"),
        None => "unknown".to_string(),
    };
    format!(
        "{}, {}, {:.0} GiB, CUDA driver {}, NVRTC {}",
        gpu.name,
        gpu.arch(),
        gpu.memory as f64 / 1024f64.powi(3),
        version(probe::driver_version().ok()),
        version(Nvrtc::get().ok().map(Nvrtc::version)),
    )
}

/// Creates a level-set function on the GPU.
pub fn evolution<R: Real>(
    domain: &Domain,
    cpu: Arc<Cpu>,
    phi: &[f64],
    terms: &Terms,
    options: Options,
) -> DeviceEvolution<R> {
    let patches = domain.patches.clone();
    let gpu = of_this_thread();
    DeviceEvolution::new(&gpu, cpu, &domain.solved, patches, phi, terms, options).unwrap()
}

impl<R: Real> Moving for DeviceEvolution<R> {
    fn step(&mut self) {
        let clock = self.time();
        let until = StepTarget { clock, target: f64::INFINITY, steady: -1.0, steps: 1 };
        assert_eq!(self.advance(&until).unwrap().steps, 1);
    }

    fn run_to(&mut self, end: f64, most: u64) {
        let mut clock = self.time();
        let mut has_landed = false;
        while !has_landed && !self.is_extinct() && self.n_steps() < most {
            let steps = most - self.n_steps();
            let until = StepTarget { clock, target: end, steady: -1.0, steps };
            let done = self.advance(&until).unwrap();
            (clock, has_landed) = (done.clock, done.landed);
        }
    }

    fn phi(&self) -> Vec<f64> {
        self.phi().unwrap()
    }

    fn time(&self) -> f64 {
        self.time()
    }

    fn n_steps(&self) -> u64 {
        self.n_steps()
    }

    fn reinitializations(&self) -> u64 {
        self.totals().reinitializations
    }
}
