//! `zeroset devices`: the GPUs, what they need to compute, and whether it works.

mod compile;
mod facts;
mod screen;

use serde::Serialize;

use self::facts::Facts;
use super::Ui;
use zeroset::error::{Error, Result};

/// Exit code of a test or a compilation that failed, that of [`Error::Device`].
const FAILED: u8 = 5;

/// Arguments of `zeroset devices`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  zeroset devices
  zeroset devices --json
  zeroset devices --compile sm_75,sm_90,sm_120

To compute on an NVIDIA GPU (compute capability 7.5 or newer) the program needs the driver
(libcuda) and NVRTC, which compiles the kernels for the GPU at hand. NVRTC is looked for in
  1. the environment variable ZEROSET_NVRTC, which names the library file;
  2. packages of Python: `pip install nvidia-cuda-nvrtc` in the active environment is enough;
  3. CUDA_HOME, CUDA_PATH and /usr/local/cuda; then wherever the system's loader looks.
Compiled kernels are kept in ZEROSET_CACHE, else in the system's folder for caches, and then need
no NVRTC. Each GPU is tested: a small kernel runs, and its numbers are compared with the host's.

--compile needs NVRTC but no GPU. It compiles every kernel in every variant, puts the results into
the cache (for machines without NVRTC) and lists registers per thread, shared memory per block,
and bytes per thread that are spilled for want of registers.

Exit code 5 if a test fails, a kernel does not compile, or one spills that must not; to have no GPU
is no failure.")]
pub struct Args {
    /// Compile every kernel for these architectures instead, such as sm_90; no GPU needed
    #[arg(long, value_name = "ARCH[,ARCH...]", value_delimiter = ',', value_parser = architecture)]
    pub compile: Vec<String>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Lists and tests the devices, or compiles the kernels.
///
/// # Errors
/// [`Error::Device`] if kernels are to be compiled and there is no compiler.
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

/// `sm_` and a number, perhaps with the letter of a variant.
fn architecture(text: &str) -> std::result::Result<String, String> {
    let number = text.strip_prefix("sm_").unwrap_or_default().trim_end_matches(['a', 'f']);
    match number.parse::<u32>() {
        Ok(_) => Ok(text.to_string()),
        Err(_) => Err("expected an architecture such as sm_90".into()),
    }
}
