//! Values of tiles from a function of space.

use crate::error::{Error, Result};
use crate::geometry::Real;

use super::activity::{activity, borders};
use super::{Band, Stored, TileKey};

/// A function of space: writes phi, in voxels and not yet clamped, of the E^3 voxels from the given
/// one on, x fastest. Many threads call it at once.
pub trait Fill<R>: Fn([i32; 3], &mut [R]) -> Result<()> + Sync {}
impl<R, F: Fn([i32; 3], &mut [R]) -> Result<()> + Sync> Fill<R> for F {}

/// What is known of a tile once it has been looked at.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    /// As [`activity`] says.
    pub activity: u32,
    /// Bit d: the layer of voxels at the border in direction d has one inside.
    pub inside: u32,
    /// Bit d: that layer has one outside.
    pub outside: u32,
}

/// Values of one tile, clamped and stored.
///
/// # Errors
/// Those of the function, and [`Error::Numerical`] if a value is not a number.
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
            what: format!("phi at the start is not a number at voxel ({x}, {y}, {z})"),
            remedy: "change initial so that it is a number everywhere near the interface".into(),
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

/// Why a function of space cannot start a tiled grid.
pub(super) fn jump(tile: TileKey) -> Error {
    Error::Numerical {
        what: format!("phi at the start changes sign near {tile} without a band between"),
        remedy: "start from a function like a distance: near the interface it may change by about \
                 one voxel from voxel to voxel"
            .into(),
    }
}
