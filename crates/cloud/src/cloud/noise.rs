//! Estimation of the noise of a point cloud: the distance of samples from their surface.

use super::plane::Plane;
use crate::point_distance::{Index, Sites};
use zeroset_core::error::Result;
use zeroset_core::parallel::*;

/// The number of nearest points to which a plane is fitted.
const NEAR: usize = 24;
/// The largest number of points at which a plane is fitted.
const LOOKED_AT: usize = 512;
/// The largest number of points used. Larger clouds are thinned to every second, third, ... point.
const MOST: usize = 500_000;
/// The limit for flat neighborhoods. A neighborhood belongs to a surface if the distance of its
/// points from their plane is less than this fraction of its radius. For a uniformly filled ball,
/// the fraction is about 0.4.
const FLAT: f64 = 0.2;

/// Returns the root-mean-square distance of points, `[n]`, from their surface, in the unit of the
/// points. The distance is measured in many neighborhoods, and the result is the median.
///
/// The result includes the deviation of a curved surface from its tangent plane within two or three
/// point spacings. This deviation is small if the points are dense. The result is `None` if no
/// surface is recognized. This is the case if there are too few points, or if the points do not lie
/// on a surface, as in the leaves of a tree.
///
/// If the noise is larger than the distance between neighbors, the nearest points lie in all
/// directions. Therefore, the points are thinned by factors of four until neighborhoods are flat.
///
/// # Errors
/// Returns [`zeroset_core::Error::Case`] if a point is not finite.
pub fn noise(points: &[[f64; 3]]) -> Result<Option<f64>> {
    let mut every = points.len().div_ceil(MOST).max(1);
    loop {
        let thinned: Vec<[f64; 3]> = points.iter().step_by(every).copied().collect();
        if thinned.len() < 4 * NEAR {
            return Ok(None);
        }
        let (off, radius) = about(&thinned)?;
        if off < FLAT * radius {
            return Ok(Some(off));
        }
        every *= 4;
    }
}

/// Returns the median root-mean-square distance of points from the planes of their neighborhoods,
/// and the median radius of the neighborhoods.
fn about(points: &[[f64; 3]]) -> Result<(f64, f64)> {
    let index = Index::new(&Sites::new(points)?);
    let every = points.len().div_ceil(LOOKED_AT);
    let at = (0..points.len()).into_par_iter().step_by(every);
    let found: Vec<[f64; 3]> = at
        .map(|i| {
            let mut found = Vec::with_capacity(NEAR);
            index.neighbors(points[i], i as u32, NEAR, &mut found);
            let radius = found.last().map_or(0.0, |last| last.key.sqrt());
            let off = |n: usize| {
                let near = found.iter().take(n).map(|found| points[found.site as usize]);
                Plane::through(points[i], near).map_or(0.0, |plane| plane.off)
            };
            [off(NEAR), off(NEAR / 2), radius]
        })
        .collect();
    let median = |k: usize| {
        let mut of: Vec<f64> = found.iter().map(|found| found[k]).collect();
        of.sort_unstable_by(f64::total_cmp);
        of[of.len() / 2]
    };
    // The other side of a thin plate shows up among the farther points. Noise does not.
    Ok((median(0).min(median(1)), median(2)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a pseudorandom number from -1 to 1.
    fn chance(k: u32) -> f64 {
        let mut x = u64::from(k).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// Returns random points on a sphere of radius 1, displaced by up to `off`.
    fn ball(n: u32, off: f64) -> Vec<[f64; 3]> {
        let at = |k: u32| {
            let (z, angle) = (chance(3 * k), std::f64::consts::PI * chance(3 * k + 1));
            let r = 1.0 + off * chance(3 * k + 2);
            let flat = r * (1.0 - z * z).sqrt();
            [flat * angle.cos(), flat * angle.sin(), r * z]
        };
        (0..n).map(at).collect()
    }

    #[test]
    fn noise_is_found_whatever_the_density() {
        // Neighbors are 0.01 and 0.003 apart.
        for n in [30_000, 300_000] {
            for off in [0.01, 0.02, 0.05] {
                let found = noise(&ball(n, off)).unwrap().unwrap();
                let expected = off / 3_f64.sqrt();
                assert!((found / expected - 1.0).abs() < 0.25, "{n} {off}: {found} {expected}");
            }
            // The noise of a smooth surface is almost zero. Only the curvature between neighbors
            // remains.
            let found = noise(&ball(n, 0.0)).unwrap().unwrap();
            assert!(found < 0.1 / f64::from(n).sqrt(), "{n}: {found}");
        }
    }

    #[test]
    fn points_of_no_surface_have_none() {
        let filled: Vec<[f64; 3]> =
            (0..20_000).map(|k| [chance(3 * k), chance(3 * k + 1), chance(3 * k + 2)]).collect();
        assert_eq!(noise(&filled).unwrap(), None);
        for n in [0, 1, 50] {
            assert_eq!(noise(&ball(n, 0.0)).unwrap(), None);
        }
    }
}
