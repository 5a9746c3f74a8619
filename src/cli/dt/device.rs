//! Whether GPUs compute the distances of `zeroset dt`, by the time that the CPU would take.

use super::Args;
use crate::cli::{Ui, device};
use zeroset::Cpu;
use zeroset::config::{DeviceKind, Precision};
use zeroset::error::{Error, Result};
use zeroset::gpu::Cuda;
use zeroset::point_distance::{Index, Method, Norm};

/// Seconds of the CPU from which on a GPU is worth its start, which takes a quarter of a second, and the copies to it.
const WORTH_A_GPU: f64 = 0.5;
/// What one thread takes, in seconds, by measurement (docs/point-distances.md): to compare a query with a site, in norms of other
/// orders, to put a site into an index, and to ask that.
const PAIR: f64 = 0.25e-9;
const PAIR_OF_POWERS: f64 = 180e-9;
const SITE: f64 = 90e-9;
const QUERY: f64 = 1.5e-6;

/// About what the CPU takes, seconds; `single` if numbers have 32 bits.
fn cpu_time(args: &Args, single: bool, n_sites: usize, n_queries: usize, threads: usize) -> f64 {
    let n_sites = n_sites / args.perforation as usize;
    let (sites, queries, threads) = (n_sites as f64, n_queries as f64, threads as f64);
    let pair = if matches!(args.norm, Norm::Lp(_)) { PAIR_OF_POWERS } else { PAIR };
    // Threads beside the first gain little of the build.
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

/// The GPUs that compute, if any does; two streams of each where sites pass through in pieces, so that one copies while
/// the other compares.
///
/// # Errors
/// [`Error::Case`] for GPUs that are asked for and do not serve the options; [`Error::Device`] if
/// they cannot be used.
pub(super) fn gpus(
    args: &Args,
    n_sites: usize,
    n_queries: usize,
    cpu: &Cpu,
    ui: &Ui,
) -> Result<Vec<Cuda>> {
    let serves = serves(args);
    if args.device == DeviceKind::Cuda && !serves {
        let what = "--device cuda computes by an index without cones, perforation and norms but \
                    l1, l2 and linf";
        return Err(Error::usage(what, "take --method brute, or leave out --device"));
    }
    let single = args.is_whole() || args.precision == Precision::F32;
    let seconds = cpu_time(args, single, n_sites, n_queries, cpu.threads());
    let is_worth_it = seconds >= WORTH_A_GPU;
    let coordinate = if single { 4 } else { 8 };
    let bytes = (n_sites as u64).saturating_mul(3 * coordinate);
    let streams = if bytes > args.memory { 2 } else { 1 };
    let gpus = device::gpus(args.device, serves && is_worth_it, args.gpus, streams)?;
    if args.gpus > 1 && gpus.is_empty() {
        let gpus = args.gpus;
        let why = match args.device {
            DeviceKind::Cpu => "--device cpu",
            _ if !serves => "an index with these options is the CPU's",
            _ if !is_worth_it => "so few distances are done before a GPU has started",
            _ => "no GPU can be used",
        };
        ui.warn(format_args!("--gpus {gpus}: the CPU computes: {why}"));
    }
    Ok(gpus)
}

/// Whether a GPU computes by the method of the options.
fn serves(args: &Args) -> bool {
    args.method != Method::Index
        || (args.perforation == 1 && args.direction.is_none() && !matches!(args.norm, Norm::Lp(_)))
}
