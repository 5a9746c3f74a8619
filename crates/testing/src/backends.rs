//! Selects the backends on which tests run.

/// The device on which to compute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// The CPU.
    #[default]
    Cpu,
    /// The first NVIDIA GPU.
    Cuda,
}

impl Backend {
    /// Returns the name of the backend in `ZEROSET_BACKENDS` and for `--device`.
    pub fn word(self) -> &'static str {
        match self {
            Backend::Cpu => "cpu",
            Backend::Cuda => "cuda",
        }
    }
}

/// Returns the backends in the variable `ZEROSET_BACKENDS`, such as `cpu,cuda`, or `None` if it is
/// not set.
pub fn asked() -> Option<Vec<Backend>> {
    let words = std::env::var("ZEROSET_BACKENDS").ok()?;
    let backend = |word: &str| match word.trim() {
        "cpu" => Backend::Cpu,
        "cuda" => Backend::Cuda,
        other => panic!("ZEROSET_BACKENDS: `{other}` is neither cpu nor cuda"),
    };
    Some(words.split(',').map(backend).collect())
}

/// Returns the backends in the variable `ZEROSET_BACKENDS`, or the CPU if it is not set.
pub fn backends() -> Vec<Backend> {
    asked().unwrap_or_else(|| vec![Backend::Cpu])
}
