//! Where arrays live and passes run. So far the CPU; a case that asks for CUDA is told so.

mod cpu;

pub use cpu::Cpu;
