//! Where arrays live and passes run: the processor, and an NVIDIA GPU.

mod card;
mod cpu;
#[cfg(feature = "cuda")]
pub mod cuda;
#[cfg(not(feature = "cuda"))]
#[path = "without_cuda.rs"]
pub mod cuda;

pub use card::{CardInfo, Reason};
pub use cpu::Cpu;
