//! A part of a point cloud, for an estimate of the time that its reconstruction takes.

use std::time::Instant;

use crate::cloud::PointCloud;
use crate::error::Result;
use crate::reconstruct::{Device, Options, surface};

/// Number of samples of the first part.
const FIRST: usize = 10_000;
/// The factor by which parts grow.
const GROWTH: usize = 4;
/// The smallest share of the requested time that a part takes, unless it is the whole cloud.
const SHARE: f64 = 0.25;

/// Reduces a cloud to a part whose reconstruction takes about `seconds` seconds, or keeps all of it
/// if that is not longer.
///
/// The part is a slab across the second longest side of the bounding box. It has the density of the
/// whole cloud, and about its longest side, which determines the size of cubes in some cases.
///
/// # Errors
/// Returns [`Error::Case`](crate::Error::Case) if the options do not suit the cloud.
pub(super) fn limit(
    cloud: &mut PointCloud,
    options: &Options,
    device: Device<'_>,
    seconds: f64,
) -> Result<()> {
    options.check(cloud)?;
    let (whole, order) = (cloud.len(), across(cloud));
    let mut n = FIRST;
    while n < whole {
        let mut kept = vec![false; whole];
        order[..n].iter().for_each(|&sample| kept[sample as usize] = true);
        let mut part = cloud.clone();
        part.retain(&kept);
        let timer = Instant::now();
        // A part may have too few samples although the whole cloud has enough.
        let made = surface(part.clone(), options, device);
        let took = timer.elapsed().as_secs_f64();
        if made.is_ok() && took * whole as f64 / n as f64 <= seconds {
            return Ok(());
        }
        if made.is_ok() && took >= SHARE * seconds {
            *cloud = part;
            return Ok(());
        }
        n = n.saturating_mul(GROWTH);
    }
    Ok(())
}

/// Returns the samples in ascending order along the second longest side of the bounding box.
fn across(cloud: &PointCloud) -> Vec<u32> {
    let (low, high) = cloud.bounds();
    let mut axes = [0, 1, 2];
    axes.sort_by(|&a, &b| (high[b] - low[b]).total_cmp(&(high[a] - low[a])));
    let mut order: Vec<u32> = (0..cloud.len() as u32).collect();
    let at = |sample: u32| cloud.points[sample as usize][axes[1]];
    order.sort_by(|&a, &b| at(a).total_cmp(&at(b)).then(a.cmp(&b)));
    order
}
