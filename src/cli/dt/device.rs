//! Decides whether GPUs compute the distances of `zeroset dt`, from the estimated CPU time.

use super::Args;
use crate::Cpu;
use crate::api::{is_worth_a_gpu, serves};
use crate::cli::{Ui, device};
use crate::config::{DeviceKind, Precision};
use crate::error::{Error, Result};
use crate::gpu::Cuda;
use crate::point_distance::Options;

/// Returns the GPUs that compute, or an empty list if the CPU does.
///
/// If the sites pass through a GPU in pieces, the GPU has two streams, so that one stream copies
/// while the other compares.
///
/// # Errors
/// Returns [`Error::Case`] if GPUs are requested but do not support the options; [`Error::Device`]
/// if they cannot be used.
pub(super) fn gpus(
    args: &Args,
    options: &Options,
    [n_sites, n_queries]: [usize; 2],
    cpu: &Cpu,
    ui: &Ui,
) -> Result<Vec<Cuda>> {
    let serves = serves(options);
    if args.device == DeviceKind::Cuda && !serves {
        let what = "--device cuda with --method index supports no cones, no perforation and only \
                    the norms l1, l2 and linf";
        return Err(Error::usage(what, "use --method brute, or leave out --device"));
    }
    let single = args.is_whole() || args.precision == Precision::F32;
    let is_worth_it = is_worth_a_gpu(options, single, [n_sites, n_queries], cpu.threads());
    let coordinate = if single { 4 } else { 8 };
    let bytes = (n_sites as u64).saturating_mul(3 * coordinate);
    let streams = if bytes > args.memory { 2 } else { 1 };
    let gpus = device::gpus(args.device, serves && is_worth_it, args.gpus, streams, ui)?;
    if args.gpus > 1 && gpus.is_empty() {
        let gpus = args.gpus;
        let why = match args.device {
            DeviceKind::Cpu => "--device cpu",
            _ if !serves => "the index with these options runs on the CPU only",
            _ if !is_worth_it => "the CPU computes so few distances faster than a GPU starts",
            _ => "no GPU can be used",
        };
        ui.warn(format_args!("--gpus {gpus}: the CPU is used: {why}"));
    }
    Ok(gpus)
}
