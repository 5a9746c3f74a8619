//! Computes the distances of `zeroset dt` in the number type that the options select.

use super::{Args, Direction, device};
use crate::Cpu;
use crate::cli::Ui;
use crate::cli::cloud::{self, Cloud};
use crate::error::{Error, Result};
use crate::gpu::Cuda;
use crate::point_distance::cuda::{DeviceCoordinate, nearest_on};
use crate::point_distance::{Cone, Directions, NO_SITE, Nearest, Options, Sites, nearest};
use crate::primitives::memory::gibibytes;

/// The distances and how they were computed.
pub(super) struct Solved {
    pub distances: Vec<f64>,
    /// Index of the nearest site of each query, `None` if there is none.
    pub sites: Vec<Option<usize>>,
    /// Lines that describe the method.
    pub how: String,
}

/// Computes the distances of the queries to the sites.
///
/// # Errors
/// Returns [`Error::Case`] if the options do not fit the points; [`Error::Device`] if a GPU fails.
pub(super) fn run(
    args: &Args,
    sites: &[[f64; 3]],
    queries: &Cloud,
    cpu: &Cpu,
    ui: &Ui,
) -> Result<Solved> {
    let options = options(args, queries)?;
    let points = &queries.points;
    let gpus = device::gpus(args, &options, [sites.len(), points.len()], cpu, ui)?;
    if args.is_whole() {
        let sites = cloud::whole(sites, args.file())?;
        let queries = cloud::whole(points, &args.queries)?;
        solve(&gpus, cpu, &sites, &queries, &options)
    } else if args.is_single() {
        check_single(&[sites, points])?;
        solve(&gpus, cpu, &single(sites), &single(points), &options)
    } else {
        solve(&gpus, cpu, sites, points, &options)
    }
}

/// Returns the options for the library.
fn options(args: &Args, queries: &Cloud) -> Result<Options> {
    let mut options = Options::default();
    (options.norm, options.method, options.memory) = (args.norm, args.method, args.memory);
    options.every = args.perforation as usize;
    if let (Some(direction), Some(angle)) = (args.direction, args.angle) {
        let directions = match direction {
            Direction::Along(r) => Directions::One(r),
            Direction::Normals => Directions::Each(queries.normals(&args.queries)?),
        };
        options.cone =
            Some(Cone { directions, angle: angle.to_radians(), cylinder: args.cylinder });
    }
    Ok(options)
}

/// Returns an error if all coordinates are 0 or subnormal in single precision, unless all are
/// exactly 0.
fn check_single(lists: &[&[[f64; 3]]]) -> Result<()> {
    let all = lists.iter().flat_map(|list| list.iter().flatten());
    let most = all.fold(0.0, |most: f64, x| most.max(x.abs()));
    if most > 0.0 && most < f64::from(f32::MIN_POSITIVE) {
        let what = format!("coordinates up to {most:e} are zero in single precision");
        return Err(Error::usage(what, "scale up the points, or leave out --precision f32"));
    }
    Ok(())
}

/// Converts points to single precision.
fn single(points: &[[f64; 3]]) -> Vec<[f32; 3]> {
    points.iter().map(|x| x.map(|x| x as f32)).collect()
}

/// Computes the distances on the GPUs if there are any, otherwise on the CPU.
fn solve<C: DeviceCoordinate>(
    gpus: &[Cuda],
    cpu: &Cpu,
    sites: &[[C; 3]],
    queries: &[[C; 3]],
    options: &Options,
) -> Result<Solved> {
    let sites = Sites::new(sites)?;
    let (found, on) = match gpus.first() {
        Some(gpu) => {
            let on = format!(" on {}", gpu.info().name);
            (nearest_on(gpus, cpu, &sites, queries, options)?, on)
        }
        None => (nearest(cpu, &sites, queries, options)?, String::new()),
    };
    let number = |site: u32| (site != NO_SITE).then_some(site as usize);
    Ok(Solved {
        distances: found.distances(),
        sites: found.found.iter().map(|found| number(found.site)).collect(),
        how: how(&found, options, &on),
    })
}

/// Returns lines that describe the method; `on` names the GPU that was used, if any.
fn how<C: DeviceCoordinate>(result: &Nearest<C>, options: &Options, on: &str) -> String {
    let size = match result.working_set {
        bytes @ 0..1024 => format!("{bytes} bytes"),
        bytes @ 1024..1_048_576 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        bytes => gibibytes(bytes),
    };
    let mut lines = format!("method: {} in {}{on}; ", result.method, result.kernel);
    lines += &match result.plan.map(|plan| plan.streams) {
        Some(1) => format!("1 stream, working set {size}\n"),
        Some(streams) => format!("{streams} streams, working set {size}\n"),
        None => format!("{size}\n"),
    };
    if let Some(error) = &result.perforation {
        let percent = error.percent.map_or("unknown".into(), |e| format!("{e:.2} %"));
        lines += &format!(
            "perforation: one site in {}, mean error {percent} over {} sampled queries, {} excluded \
             (distance 0 or no site), {} lost all sites\n",
            options.every, error.sampled, error.excluded, error.lost
        );
    }
    lines
}
