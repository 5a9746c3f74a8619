//! How far samples lie off the surface that they are of.

use rayon::prelude::*;

use super::plane::Plane;
use crate::point_distance::{Index, Sites};
use zeroset_core::error::Result;

/// Nearest points that a plane is fitted to.
const NEAR: usize = 24;
/// Points at which one is fitted, at most.
const LOOKED_AT: usize = 512;
/// Points that are taken, at most: of more, every second or third and so on.
const MOST: usize = 500_000;
/// A neighborhood is that of a surface if points lie less than this part of its radius off their plane: those of a
/// ball filled evenly lie about 0.4 off.
const FLAT: f64 = 0.2;

/// How far points lie off their surface, in the mean square, in their units: the median over places. It holds what the
/// surface bends within two or three distances of neighbors, which is little where these are dense. `None` if no
/// surface is seen: for few points, and for those of no surface, as in the leaves of a tree.
///
/// Among points whose noise is more than the distance of neighbors, the nearest ones lie in all directions.
/// So points are thinned by four until neighborhoods are flat.
///
/// # Errors
/// [`zeroset_core::Error::Case`] for points that are not finite.
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

/// The median distance from planes, and the median radius of the neighborhoods that these are fitted to.
fn about(points: &[[f64; 3]]) -> Result<(f64, f64)> {
    let index = Index::new(&Sites::new(points)?);
    let every = points.len().div_ceil(LOOKED_AT);
    let at = (0..points.len()).into_par_iter().step_by(every);
    let found: Vec<[f64; 2]> = at
        .map(|i| {
            let mut found = Vec::with_capacity(NEAR);
            index.neighbors(points[i], i as u32, NEAR, &mut found);
            let radius = found.last().map_or(0.0, |last| last.key.sqrt());
            let near = found.iter().map(|found| points[found.site as usize]);
            [Plane::through(points[i], near).map_or(0.0, |plane| plane.off), radius]
        })
        .collect();
    let median = |k: usize| {
        let mut of: Vec<f64> = found.iter().map(|found| found[k]).collect();
        of.sort_unstable_by(f64::total_cmp);
        of[of.len() / 2]
    };
    Ok((median(0), median(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers by chance, -1 to 1.
    fn chance(k: u32) -> f64 {
        let mut x = u64::from(k).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// Places on a ball of radius 1 by chance, off it by up to `off`.
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
            // A smooth surface has next to none: what it bends between neighbors.
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
