//! Preparation of a cloud: duplicates, outliers, and the orientation of given normals.

use super::attempt::Prepared;
use super::{Device, Method, Options, Samples};
use crate::cloud::{PointCloud, Sides, clean_by, leave_out, noise, settle_sides, strays};
use crate::error::Result;
use crate::words::counted;

/// Removes duplicates and outliers, and measures the cloud.
pub(super) fn prepare(
    cloud: PointCloud,
    options: &Options,
    device: Device<'_>,
    warnings: &mut Vec<String>,
) -> Result<(Prepared, Samples)> {
    let given = cloud.len();
    let far = |points: &[[f64; 3]], factor| device.far_from_others(points, factor);
    let (mut cloud, survey) = clean_by(cloud, options.clean, far)?;
    let noise = noise(&cloud.points)?;
    let mut off_surface = 0;
    // If the noise is unknown, the cloud does not follow a surface at any scale, as with the leaves
    // of a tree. In that case, no point counts as off the surface.
    if options.clean.outliers.is_some() && noise.is_some() {
        let found = strays(&cloud.points)?;
        off_surface = found.len();
        if off_surface > 0 {
            warnings.push(format!(
                "left out: {} off the surface by the local density (--outliers 0 keeps all)",
                counted(off_surface, ["point", "points"])
            ));
        }
        leave_out(&mut cloud, &found);
    }
    // The spacing is unknown if no outliers were searched for.
    let spacing = match survey.spacing {
        None => device.far_from_others(&cloud.points, f64::INFINITY)?.1,
        known => known,
    };
    let (low, high) = cloud.bounds();
    let samples = Samples {
        given,
        used: cloud.len(),
        duplicates: survey.duplicates,
        outliers: survey.outliers.len(),
        off_surface,
        low,
        high,
    };
    let prepared = Prepared {
        around: spacing.map_or(0.0, |spacing| spacing.around),
        noise,
        diagonal: (0..3).map(|k| (high[k] - low[k]).powi(2)).sum::<f64>().sqrt(),
        cloud,
        has_common_side: false,
    };
    Ok((prepared, samples))
}

/// Reverses the normals that contradict their neighbors. With [`Method::Auto`], removes all normals
/// if they still have no common side. Returns `None` if the cloud has no normals, or if the method
/// does not use them.
pub(super) fn settle(
    cloud: &mut PointCloud,
    method: Method,
    warnings: &mut Vec<String>,
) -> Result<Option<Sides>> {
    let Some(normals) = cloud.normals.as_mut().filter(|_| method != Method::Levelset) else {
        return Ok(None);
    };
    let sides = settle_sides(&cloud.points, normals)?;
    let n = normals.len();
    if sides.estimated == n {
        cloud.normals = None;
        return Ok(Some(sides));
    }
    if sides.estimated > 0 {
        warnings.push(format!(
            "{} of {n} normals are zero or not finite: they are estimated",
            sides.estimated
        ));
    }
    if sides.turned > 0 {
        warnings.push(format!(
            "{} of {n} normals point the opposite way from their neighbors: they are reversed",
            sides.turned
        ));
    }
    if !sides.is_common(n) {
        let mut warning = format!(
            "the normals have no common side: {} of {n} contradict most of their neighbors",
            sides.left
        );
        if method == Method::Auto {
            warning += "; they are not used";
            cloud.normals = None;
        }
        warnings.push(warning);
    }
    Ok(Some(sides))
}
