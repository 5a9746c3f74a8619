//! Formats the facts of `zeroset devices` as text for the screen.

use super::facts::{Facts, Found, Gpu, Test};
use crate::words::counted;

/// Returns the text that `zeroset devices` prints without `--json`.
pub(super) fn text(facts: &Facts) -> String {
    let mut lines = Lines(String::new());
    lines.add("cpu", &counted(facts.cpu_threads, ["thread", "threads"]));
    match &facts.driver {
        Found::Found(driver) => lines.add("driver", &format!("CUDA {}", driver.cuda)),
        Found::Missing { what, remedy } => lines.missing("driver", what, remedy),
    }
    for gpu in &facts.gpus {
        self::gpu(&mut lines, gpu);
    }
    match &facts.nvrtc {
        Found::Found(library) => {
            lines.add("nvrtc", &format!("{}, {}", library.version, library.path));
        }
        Found::Missing { what, remedy } => lines.missing("nvrtc", what, remedy),
    }
    let cache = &facts.cache;
    match &cache.folder {
        None => lines.add("cache", "none: no cache folder is set (ZEROSET_CACHE)"),
        Some(folder) => {
            let made_by = match cache.nvrtc_versions.as_slice() {
                [] => String::new(),
                versions => format!(", made by NVRTC {}", versions.join(", ")),
            };
            let size = bytes(cache.bytes);
            lines.add("cache", &format!("{folder}: {} kernels, {size}{made_by}", cache.entries));
        }
    }
    let why = facts.auto_reason.as_ref().map(|reason| format!(": {reason}"));
    lines.add("auto", &format!("computes on {}{}", facts.auto, why.unwrap_or_default()));
    lines.0
}

fn gpu(lines: &mut Lines, gpu: &Gpu) {
    let info = &gpu.info;
    let (major, minor) = info.capability;
    lines.add(
        &format!("gpu {}", info.ordinal),
        &format!(
            "{}, compute capability {major}.{minor}, {}, {} multiprocessors",
            info.name,
            bytes(info.memory),
            info.multiprocessors
        ),
    );
    match &gpu.test {
        Test::Passed { free_memory, context_seconds, test_seconds } => {
            lines.add("", &format!("{} free", bytes(*free_memory)));
            let seconds =
                format!("{test_seconds:.3} s, after {context_seconds:.3} s for the context");
            lines.add("", &format!("self-test OK in {seconds}"));
        }
        Test::Failed { message } => lines.add("", &format!("self-test failed: {message}")),
    }
}

/// Lines of text, each with a label in the first column.
struct Lines(String);

impl Lines {
    fn add(&mut self, label: &str, content: &str) {
        self.0 += &format!("{label:<8} {content}\n");
    }

    fn missing(&mut self, label: &str, what: &str, remedy: &str) {
        self.add(label, what);
        self.add("", &format!("to use a GPU: {remedy}"));
    }
}

/// Formats a number of bytes with about three digits.
fn bytes(n: u64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let (mut value, mut unit) = (n as f64, 0);
    while value >= 1024.0 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    let digits = if unit == 0 || value >= 100.0 { 0 } else { 1 };
    format!("{value:.digits$} {}", units[unit])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::devices::facts::{Cache, Driver, Library};
    use crate::gpu::GpuInfo;

    #[test]
    fn sizes_are_short() {
        let shorts = [0, 1023, 1536, 150_000_000, 151_263_379_456].map(bytes);
        assert_eq!(shorts, ["0 bytes", "1023 bytes", "1.5 KiB", "143 MiB", "141 GiB"]);
    }

    #[test]
    fn a_machine_with_a_gpu_is_one_screen() {
        let info = GpuInfo {
            ordinal: 0,
            name: "NVIDIA H200".into(),
            capability: (9, 0),
            memory: 150_000_000_000,
            multiprocessors: 132,
        };
        let test = Test::Passed {
            free_memory: 149_000_000_000,
            context_seconds: 0.25,
            test_seconds: 0.125,
        };
        let facts = Facts {
            cpu_threads: 16,
            driver: Found::Found(Driver { cuda: "13.0".into() }),
            gpus: vec![Gpu { info, test }],
            nvrtc: Found::Found(Library {
                path: "/a/libnvrtc.so.13".into(),
                version: "13.0".into(),
            }),
            cache: Cache {
                folder: Some("/c".into()),
                entries: 2,
                bytes: 20_000,
                nvrtc_versions: vec!["13.0".into()],
            },
            auto: "cuda",
            auto_reason: None,
        };
        let expected = "\
cpu      16 threads
driver   CUDA 13.0
gpu 0    NVIDIA H200, compute capability 9.0, 140 GiB, 132 multiprocessors
         139 GiB free
         self-test OK in 0.125 s, after 0.250 s for the context
nvrtc    13.0, /a/libnvrtc.so.13
cache    /c: 2 kernels, 19.5 KiB, made by NVRTC 13.0
auto     computes on cuda
";
        assert_eq!(text(&facts), expected);
        assert!(facts.good());
        let value = serde_json::to_value(&facts).unwrap();
        assert_eq!(value["cards"][0]["self_test"], "passed");
        assert_eq!(value["cards"][0]["name"], "NVIDIA H200");
    }
}
