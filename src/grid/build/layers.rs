//! Construction of a tile set from all tiles of a box, layer by layer.

use crate::error::{Error, Result};
use crate::geometry::Real;
use crate::grid::activity::{ACTIVE, INSIDE};
use crate::grid::fill::{Fill, fill_tile, jump};
use crate::grid::keys::{CENTER, DIRECTIONS, TileKey, opposite, step_of};
use crate::grid::pool::REMEDY;
use crate::grid::{Band, Pool, Stored, TiledGrid};
use crate::parallel::*;
use crate::primitives::memory;

impl<const E: usize> TiledGrid<E> {
    /// Builds the tile set near the interface inside the box from tile `first` to tile `last`, and
    /// computes its values.
    ///
    /// `fill` is called for every tile in the box and every tile that touches the box, layer by
    /// layer along z. At most three layers are in memory at a time. They take 4 bytes for each
    /// tile, and the values of their active tiles.
    ///
    /// # Errors
    /// Returns the first error of `fill`, if any. Returns [`Error::Case`] if the box is empty or
    /// the interface or its band leaves it, [`Error::Numerical`] if the box leaves the range of
    /// tiles, a value is NaN or phi jumps across the band, and [`Error::Device`] if there is not
    /// enough memory.
    pub fn from_box<R: Real, S: Stored<R>>(
        first: [i32; 3],
        last: [i32; 3],
        band: Band<R>,
        fill: impl Fill<R>,
    ) -> Result<(Self, Pool<S, E>)> {
        let frame = Frame::round(first, last)?;
        let mut kept = KeptTiles::<S, E>::default();
        let mut layers = [None, None, None];
        let mut corner = INSIDE;
        for z in frame.first[2]..=frame.last[2] + 1 {
            let next = match z <= frame.last[2] {
                true => Some(Layer::<S>::new::<E, R>(&frame, z, band, &fill)?),
                false => None,
            };
            corner &= next.as_ref().map_or(corner, |layer| layer.activity[0]);
            layers.rotate_left(1);
            layers[2] = next;
            if let [below, Some(here), above] = &layers {
                let layers = [below.as_ref(), Some(here), above.as_ref()];
                kept.append(&frame, z - 1, layers, band)?;
            }
        }
        let mut grid = TiledGrid::from_lists(kept.keys, kept.borders, kept.activity)?;
        // If there are no tiles, the whole box has one sign.
        grid.background |= grid.n_tiles() == 0 && corner != 0;
        match grid.disagreement() {
            Some(tile) => Err(jump(tile)),
            None => Ok((grid, kept.phi)),
        }
    }
}

/// The box and the tiles that touch it.
struct Frame {
    first: [i32; 3],
    last: [i32; 3],
    width: usize,
    height: usize,
}

impl Frame {
    fn round(first: [i32; 3], last: [i32; 3]) -> Result<Self> {
        TileKey::new(first)?;
        TileKey::new(last)?;
        let frame = Frame {
            first: first.map(|c| c - 1),
            last: last.map(|c| c + 1),
            width: usize::try_from(last[0] - first[0] + 3).unwrap_or(0),
            height: usize::try_from(last[1] - first[1] + 3).unwrap_or(0),
        };
        if (0..3).any(|k| first[k] > last[k]) {
            let what = format!("the box of tiles from {first:?} to {last:?} is empty");
            return Err(Error::usage(what, "give the corner with the smaller coordinates first"));
        }
        Ok(frame)
    }

    /// Returns the key of the tile at a position in a layer.
    fn key(&self, x: usize, y: usize, z: i32) -> Result<TileKey> {
        let [first_x, first_y, _] = self.first;
        TileKey::new([first_x + x as i32, first_y + y as i32, z])
    }

    fn on_rim(&self, x: usize, y: usize, z: i32) -> bool {
        let flat = x == 0 || y == 0 || x + 1 == self.width || y + 1 == self.height;
        flat || z == self.first[2] || z == self.last[2]
    }
}

/// The request masks of all tiles of a layer, and the values of the active ones.
struct Layer<S> {
    activity: Vec<u32>,
    /// The values of the active tiles, grouped by rows of tiles along x.
    values: Vec<Vec<S>>,
}

impl<S: Copy + Default + Send + Sync> Layer<S> {
    fn new<const E: usize, R: Real>(
        frame: &Frame,
        z: i32,
        band: Band<R>,
        fill: &impl Fill<R>,
    ) -> Result<Self>
    where
        S: Stored<R>,
    {
        let mut activity = Vec::new();
        let n = frame.width.saturating_mul(frame.height);
        memory::reserve(&mut activity, n, "tiles of a layer", REMEDY)?;
        activity.resize(n, 0);
        let mut values = vec![Vec::new(); frame.height];
        let rows = activity.par_chunks_exact_mut(frame.width).zip(&mut values).enumerate();
        let failed = rows
            .map(|(y, (activity, values))| {
                row::<E, R, S>(frame, (y, z), band, fill, activity, values)
            })
            .find_map_first(Result::err);
        failed.map_or(Ok(Layer { activity, values }), Err)
    }

    /// Returns the request mask of a tile, or `None` outside the frame.
    fn at(&self, frame: &Frame, x: i32, y: i32) -> Option<u32> {
        let (x, y) = (usize::try_from(x).ok()?, usize::try_from(y).ok()?);
        (x < frame.width && y < frame.height).then(|| self.activity[x + frame.width * y])
    }
}

/// Computes the request masks of a row of tiles along x, and the values of its active tiles.
/// Returns an error if an active tile lies outside the box.
fn row<const E: usize, R: Real, S: Stored<R>>(
    frame: &Frame,
    (y, z): (usize, i32),
    band: Band<R>,
    fill: &impl Fill<R>,
    activity: &mut [u32],
    values: &mut Vec<S>,
) -> Result<()> {
    let mut scratch = vec![R::zero(); Pool::<S, E>::TILE];
    let mut tile = vec![S::default(); Pool::<S, E>::TILE];
    for (x, mask) in activity.iter_mut().enumerate() {
        let key = frame.key(x, y, z)?;
        *mask = fill_tile::<E, R, S>(key, band, fill, &mut scratch, &mut tile)?.activity;
        if *mask & ACTIVE == 0 {
            continue;
        }
        if frame.on_rim(x, y, z) {
            return Err(Error::usage(
                format!("the initial interface leaves the box of the domain at {key}"),
                "make the box larger or the shape smaller; it must be closed inside the box",
            ));
        }
        values.extend_from_slice(&tile);
    }
    Ok(())
}

/// The list entries of a tile that stays.
struct Fate {
    key: TileKey,
    border: u32,
    activity: u32,
}

/// The tiles kept so far, in ascending order. The id of a tile in the pool is its index in `keys`.
#[derive(Default)]
struct KeptTiles<S, const E: usize> {
    keys: Vec<TileKey>,
    borders: Vec<u32>,
    activity: Vec<u32>,
    phi: Pool<S, E>,
}

impl<S: Copy + Default + Send + Sync, const E: usize> KeptTiles<S, E> {
    /// Appends the tiles of the middle layer that stay.
    fn append<R: Real>(
        &mut self,
        frame: &Frame,
        z: i32,
        layers: [Option<&Layer<S>>; 3],
        band: Band<R>,
    ) -> Result<()>
    where
        S: Stored<R>,
    {
        let Some(here) = layers[1] else { return Ok(()) };
        let rows = (0..frame.height)
            .into_par_iter()
            .map(|y| (0..frame.width).filter_map(|x| fate(frame, [x, y], z, &layers)).collect());
        let rows: Vec<Vec<Fate>> = rows.collect();
        for (row, values) in rows.into_iter().zip(&here.values) {
            let before = self.keys.len();
            self.phi.grow(before + row.len())?;
            let mut values = values.chunks_exact(Pool::<S, E>::TILE);
            for (id, tile) in (before as u32..).zip(row) {
                let out = self.phi.tile_mut(id);
                if tile.activity & ACTIVE == 0 {
                    let far = band.far(tile.activity & INSIDE != 0);
                    out.fill(S::store(far, band.gamma));
                } else if let Some(values) = values.next() {
                    out.copy_from_slice(values);
                }
                self.keys.push(tile.key);
                self.borders.push(tile.border);
                self.activity.push(tile.activity);
            }
        }
        Ok(())
    }
}

/// Returns the list entries of a tile if the rules of [`TiledGrid::plan`] keep it.
fn fate<S: Copy + Default + Send + Sync>(
    frame: &Frame,
    [x, y]: [usize; 2],
    z: i32,
    layers: &[Option<&Layer<S>>; 3],
) -> Option<Fate> {
    let activity = layers[1]?.at(frame, x as i32, y as i32)?;
    let (mut stays, mut border) = (activity & ACTIVE != 0, 0);
    for d in (0..DIRECTIONS).filter(|&d| d != CENTER) {
        let [i, j, k] = step_of(d);
        let layer = layers[(k + 1) as usize];
        let neighbor = layer.and_then(|layer| layer.at(frame, x as i32 + i, y as i32 + j));
        // The band does not cross the boundary of the frame, so the space beyond has the sign of
        // the boundary.
        let neighbor = neighbor.unwrap_or(activity & INSIDE);
        stays |= neighbor & 1 << opposite(d) != 0;
        if neighbor & ACTIVE == 0 {
            border |= u32::from(neighbor & INSIDE != 0) << d;
            stays |= (activity ^ neighbor) & INSIDE != 0;
        }
    }
    stays.then_some(Fate { key: frame.key(x, y, z).ok()?, border, activity })
}
