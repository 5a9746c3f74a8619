//! `zeroset devices`: lists the GPUs and the libraries that they need, and tests them.

mod compile;
mod facts;
mod screen;

use serde::Serialize;

use self::facts::Facts;
use super::Ui;
use crate::error::{Error, Result};

/// The exit code after a failed test or compilation, equal to the exit code of [`Error::Device`].
const FAILED: u8 = 5;

/// Arguments of `zeroset devices`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  zeroset devices
  zeroset devices --json
  zeroset devices --compile sm_75,sm_90,sm_120

Computing on an NVIDIA GPU (compute capability 7.5 or newer) requires the driver (libcuda) and
NVRTC, which compiles the kernels for the GPU. The program searches for NVRTC in this order:
  1. the library file named by the environment variable ZEROSET_NVRTC;
  2. Python packages: `pip install nvidia-cuda-nvrtc` in the active environment is enough;
  3. CUDA_HOME, CUDA_PATH and /usr/local/cuda, then the search path of the system's loader.
Compiled kernels are cached in ZEROSET_CACHE, or else in the system's cache folder, and can then run
without NVRTC. Each GPU is tested: a small kernel runs, and its results are compared with the CPU's.

--compile needs NVRTC but no GPU. It compiles every variant of every kernel, stores the results in
the cache (for machines without NVRTC), and lists the registers per thread, the shared memory per
thread block, and the bytes per thread that spill from registers to memory.

The exit code is 5 if a test fails, a kernel does not compile, or a kernel spills that must not. A
machine without a GPU is not a failure.")]
pub struct Args {
    /// Compile every kernel for these architectures, such as sm_90, instead of testing the GPUs;
    /// needs no GPU
    #[arg(long, value_name = "ARCH[,ARCH...]", value_delimiter = ',', value_parser = architecture)]
    pub compile: Vec<String>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Lists and tests the devices, or compiles the kernels.
///
/// # Errors
/// Returns [`Error::Device`] if kernels are to be compiled and NVRTC is missing.
pub fn run(args: Args, ui: &Ui) -> Result<u8> {
    let (text, good) = if args.compile.is_empty() {
        let facts = Facts::gather();
        (if args.json { json(&facts)? } else { screen::text(&facts) }, facts.good())
    } else {
        let table = compile::Table::of(&args.compile)?;
        (if args.json { json(&table)? } else { table.text() }, table.good())
    };
    ui.print(&text)?;
    Ok(if good { 0 } else { FAILED })
}

fn json(facts: &impl Serialize) -> Result<String> {
    let text = serde_json::to_string_pretty(facts);
    let standard = std::path::Path::new("standard output");
    Ok(text.map_err(|e| Error::output(standard, &e, "leave out --json").because(e))? + "\n")
}

/// Parses `sm_` and a number, optionally followed by the letter of a variant.
fn architecture(text: &str) -> std::result::Result<String, String> {
    let number = text.strip_prefix("sm_").unwrap_or_default().trim_end_matches(['a', 'f']);
    match number.parse::<u32>() {
        Ok(_) => Ok(text.to_string()),
        Err(_) => Err("expected an architecture such as sm_90".into()),
    }
}
