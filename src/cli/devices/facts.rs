//! Collects the facts that `zeroset devices` reports: driver, GPUs, NVRTC and kernel cache.

use serde::Serialize;

use crate::gpu::{GpuInfo, Reason, available, gpus};
use crate::gpu::{cache, nvrtc::Nvrtc, probe, self_test::self_test};

/// Everything that `zeroset devices` reports.
#[derive(Debug, Serialize)]
pub(super) struct Facts {
    /// The number of CPU threads that a run uses by default.
    pub cpu_threads: usize,
    pub driver: Found<Driver>,
    /// The GPUs. The JSON key keeps its original name for compatibility.
    #[serde(rename = "cards")]
    pub gpus: Vec<Gpu>,
    pub nvrtc: Found<Library>,
    pub cache: Cache,
    /// The device that `--device auto` chooses: "cuda" or "cpu".
    pub auto: &'static str,
    /// The reason for that choice if it is the CPU.
    pub auto_reason: Option<String>,
}

/// A component that was found, or the reason why it is missing and the remedy.
#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Found<T> {
    Found(T),
    Missing { what: String, remedy: String },
}

#[derive(Debug, Serialize)]
pub(super) struct Driver {
    /// The newest CUDA version that the driver supports, such as "13.0".
    pub cuda: String,
}

#[derive(Debug, Serialize)]
pub(super) struct Gpu {
    #[serde(flatten)]
    pub info: GpuInfo,
    #[serde(flatten)]
    pub test: Test,
}

#[derive(Debug, Serialize)]
#[serde(tag = "self_test", rename_all = "lowercase")]
pub(super) enum Test {
    Passed { free_memory: u64, context_seconds: f64, test_seconds: f64 },
    Failed { message: String },
}

#[derive(Debug, Serialize)]
pub(super) struct Library {
    pub path: String,
    /// The version, such as "13.0".
    pub version: String,
}

#[derive(Debug, Serialize)]
pub(super) struct Cache {
    pub folder: Option<String>,
    pub entries: usize,
    pub bytes: u64,
    /// The NVRTC versions that compiled the entries of the cache.
    pub nvrtc_versions: Vec<String>,
}

impl Facts {
    pub fn gather() -> Self {
        let (driver, gpus) = match probe::driver_version().and_then(|v| Ok((v, gpus()?))) {
            Ok(((major, minor), gpus)) => {
                let driver = Driver { cuda: format!("{major}.{minor}") };
                (Found::Found(driver), gpus.into_iter().map(Gpu::test).collect())
            }
            Err(reason) => (missing(&reason), Vec::new()),
        };
        let nvrtc = match Nvrtc::get() {
            Ok(nvrtc) => {
                let (major, minor) = nvrtc.version();
                let path = nvrtc.path().display().to_string();
                Found::Found(Library { path, version: format!("{major}.{minor}") })
            }
            Err(reason) => missing(&reason),
        };
        let folder = cache::folder();
        let contents = folder.as_deref().map(cache::contents).unwrap_or_default();
        let auto = available(0);
        Facts {
            cpu_threads: std::thread::available_parallelism().map_or(1, |n| n.get()),
            driver,
            gpus,
            nvrtc,
            cache: Cache {
                folder: folder.map(|folder| folder.display().to_string()),
                entries: contents.entries,
                bytes: contents.bytes,
                nvrtc_versions: contents.versions,
            },
            auto: if auto.is_ok() { "cuda" } else { "cpu" },
            auto_reason: auto.err().map(|reason| reason.to_string()),
        }
    }

    /// Returns true if all GPUs passed their tests.
    pub fn good(&self) -> bool {
        self.gpus.iter().all(|gpu| matches!(gpu.test, Test::Passed { .. }))
    }
}

fn missing<T>(reason: &Reason) -> Found<T> {
    Found::Missing { what: reason.to_string(), remedy: reason.remedy().to_string() }
}

impl Gpu {
    /// Tests a GPU.
    fn test(info: GpuInfo) -> Self {
        let test = match self_test(&info) {
            Ok(passed) => Test::Passed {
                free_memory: passed.free_memory,
                context_seconds: passed.context_seconds,
                test_seconds: passed.test_seconds,
            },
            Err(error) => Test::Failed { message: error.to_string() },
        };
        Gpu { info, test }
    }
}
