//! The backends that tests are asked to run on.

/// What computes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// The CPU.
    #[default]
    Cpu,
    /// The first NVIDIA GPU.
    Cuda,
}

impl Backend {
    /// The word for it: in the variable, and behind `--device`.
    pub fn word(self) -> &'static str {
        match self {
            Backend::Cpu => "cpu",
            Backend::Cuda => "cuda",
        }
    }
}

/// Backends in the variable `ZEROSET_BACKENDS`, such as `cpu,cuda`; `None` where it is not set.
pub fn asked() -> Option<Vec<Backend>> {
    let words = std::env::var("ZEROSET_BACKENDS").ok()?;
    let backend = |word: &str| match word.trim() {
        "cpu" => Backend::Cpu,
        "cuda" => Backend::Cuda,
        other => panic!("ZEROSET_BACKENDS: `{other}` is neither cpu nor cuda"),
    };
    Some(words.split(',').map(backend).collect())
}

/// The same, the CPU where nothing was asked for.
pub fn backends() -> Vec<Backend> {
    asked().unwrap_or_else(|| vec![Backend::Cpu])
}
