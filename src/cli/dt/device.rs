//! Decides whether GPUs compute the distances of `zeroset dt`, from the estimated CPU time.

use super::Args;
use crate::Cpu;
use crate::cli::{Ui, device};
use crate::config::{DeviceKind, Precision};
use crate::error::{Error, Result};
use crate::gpu::Cuda;
use crate::point_distance::{Index, Method, Norm};

/// The smallest estimated CPU time, in seconds, for which a GPU is used.
///
/// Starting the GPU takes a quarter of a second, and the copies take additional time.
const WORTH_A_GPU: f64 = 0.5;
/// Measured times of one thread, in seconds (docs/point-distances.md): to compare a query with a
/// site, to do so in a general Lp norm, to add a site to an index, and to query the index.
const PAIR: f64 = 0.25e-9;
const PAIR_OF_POWERS: f64 = 180e-9;
const SITE: f64 = 90e-9;
const QUERY: f64 = 1.5e-6;

/// Estimates the CPU time in seconds; `single` means 32-bit coordinates.
fn cpu_time(args: &Args, single: bool, n_sites: usize, n_queries: usize, threads: usize) -> f64 {
    let n_sites = n_sites / args.perforation as usize;
    let (sites, queries, threads) = (n_sites as f64, n_queries as f64, threads as f64);
    let pair = if matches!(args.norm, Norm::Lp(_)) { PAIR_OF_POWERS } else { PAIR };
    // Building the index gains little from more than one thread.
    let brute = sites * queries * pair / threads;
    let index = sites * SITE + queries * QUERY / threads;
    let bytes = if single { Index::<f32>::bytes } else { Index::<f64>::bytes };
    match args.method {
        Method::Brute => brute,
        Method::Index => index,
        Method::Auto if bytes(n_sites) <= args.memory => brute.min(index),
        Method::Auto => brute,
    }
}

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
    n_sites: usize,
    n_queries: usize,
    cpu: &Cpu,
    ui: &Ui,
) -> Result<Vec<Cuda>> {
    let serves = serves(args);
    if args.device == DeviceKind::Cuda && !serves {
        let what = "--device cuda with --method index supports no cones, no perforation and only \
                    the norms l1, l2 and linf";
        return Err(Error::usage(what, "use --method brute, or leave out --device"));
    }
    let single = args.is_whole() || args.precision == Precision::F32;
    let seconds = cpu_time(args, single, n_sites, n_queries, cpu.threads());
    let is_worth_it = seconds >= WORTH_A_GPU;
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

/// Returns true if the GPU supports the method with these options.
fn serves(args: &Args) -> bool {
    args.method != Method::Index
        || (args.perforation == 1 && args.direction.is_none() && !matches!(args.norm, Norm::Lp(_)))
}
