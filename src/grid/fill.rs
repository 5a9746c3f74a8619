//! Evaluation of a function of space at the voxels of a tile.

use crate::error::{Error, Result};
use crate::geometry::Real;

use super::activity::{activity, borders};
use super::{Band, Stored, TileKey};

/// A function of space. It writes phi at the E^3 voxels of the tile whose first voxel is given, x
/// fastest. phi is in voxels and not yet clamped. Several threads call the function at the same
/// time.
pub trait Fill<R>: Fn([i32; 3], &mut [R]) -> Result<()> + Sync {}
impl<R, F: Fn([i32; 3], &mut [R]) -> Result<()> + Sync> Fill<R> for F {}

/// The properties of a tile whose values have been computed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    /// The request mask; see [`activity`].
    pub activity: u32,
    /// Bit d: the layer of voxels next to the neighbor in direction d contains an inside voxel.
    pub inside: u32,
    /// Bit d: the same layer contains an outside voxel.
    pub outside: u32,
}

/// Computes, clamps and stores the values of one tile, and returns the properties of the tile.
///
/// # Errors
/// Returns the error of `fill`, if any, and [`Error::Numerical`] if a value is NaN.
pub(super) fn fill_tile<const E: usize, R: Real, S: Stored<R>>(
    key: TileKey,
    band: Band<R>,
    fill: &impl Fill<R>,
    scratch: &mut [R],
    out: &mut [S],
) -> Result<Seen> {
    let first = key.first_voxel(E);
    fill(first, scratch)?;
    if let Some(n) = scratch.iter().position(|&v| v.to_f64().is_nan()) {
        let voxel = [n % E, n / E % E, n / (E * E)];
        let [x, y, z] = std::array::from_fn(|k| first[k] + voxel[k] as i32);
        return Err(Error::Numerical {
            what: format!("the initial phi is NaN at voxel ({x}, {y}, {z})"),
            remedy: "change initial so that it has a value everywhere near the interface".into(),
        });
    }
    for (stored, value) in out.iter_mut().zip(scratch) {
        *stored = S::store(band.clamp(*value), band.gamma);
    }
    Ok(Seen {
        activity: activity::<E, R, S>(out, band),
        inside: borders::<E, S>(out, 1, |v| v.is_inside(band.gamma)),
        outside: borders::<E, S>(out, 1, |v| !v.is_inside(band.gamma)),
    })
}

/// Returns the error for an initial phi that changes sign near `tile` without a band in between.
pub(super) fn jump(tile: TileKey) -> Error {
    Error::Numerical {
        what: format!("the initial phi changes sign near {tile} without a band in between"),
        remedy: "start from a function that resembles a distance: near the interface it should \
                 change by about one voxel from voxel to voxel"
            .into(),
    }
}
