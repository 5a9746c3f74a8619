//! Where arrays live and passes run: the processor, or an NVIDIA GPU.

mod cpu;
#[cfg(feature = "cuda")]
pub mod cuda;

pub use cpu::Cpu;
