//! The isosurface of a dense volume, by marching cubes over rows of voxels.
//!
//! The triangles are those of [`extract`](super::cubes::extract) over a
//! [`Dense`](super::cubes::Dense) box, with the same cases. There are no cracks, and every edge has
//! two triangles, except at the boundary of the volume and next to values that are not finite. To
//! avoid repeated reads, the implementation follows W. Schroeder, R. Maynard, B. Geveci, *Flying
//! edges*, IEEE LDAV 2015:
//!
//! 1. *Masks*: one bit per voxel states whether it is inside, which means that its value is above
//!    the level.
//! 2. *Count*: shifts and `xor`s of whole words find the crossed edges and cut cubes of a row. The
//!    sums over all rows give the position at which each row writes.
//! 3. *Generate*: the index of a vertex is the start of its row plus the number of crossings before
//!    it in the row, found by counting bits. Only values next to the surface are read again.
//!
//! Vertices and triangles are in the order of rows, x fastest, for any number of threads.

pub(super) mod cuda;
mod generate;
mod gradient;
mod masks;
mod rows;
#[cfg(test)]
mod tests;

use crate::error::{Error, Result};
use crate::mesh::{DataArray, Kind, Mesh, Values, vertex_normals};
use crate::volume::{Placement, Samples, Scaling, Volume};
use generate::generate;
use masks::Masks;
use rows::Counts;

/// Options of an isosurface.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// Whether to close the surface where it leaves the volume, half a voxel beyond the last
    /// voxels.
    pub closed: bool,
    /// Whether to add the vertex arrays `nx`, `ny`, `nz`: the negative gradient of the values,
    /// scaled to length 1.
    pub normals: bool,
}

impl Options {
    /// Sets whether to close the surface at the boundary of the volume.
    pub fn closed(mut self, closed: bool) -> Self {
        self.closed = closed;
        self
    }

    /// Sets whether to compute normals.
    pub fn normals(mut self, normals: bool) -> Self {
        self.normals = normals;
        self
    }
}

/// A number type of volumes.
trait Number: Copy + Sync {
    /// Whether all values of the type are finite.
    const WHOLE: bool;
    /// Converts the number to double precision.
    fn to_f64(self) -> f64;
}

macro_rules! number {
    ($($type:ty, $whole:literal;)*) => {$(
        impl Number for $type {
            const WHOLE: bool = $whole;
            #[inline(always)]
            fn to_f64(self) -> f64 {
                self as f64
            }
        }
    )*};
}
number! {
    u8, true; i8, true; u16, true; i16, true; u32, true;
    i32, true; u64, true; i64, true; f32, false; f64, false;
}

/// The values of a volume relative to a level, optionally with a layer of outside voxels around
/// them.
#[derive(Clone, Copy)]
struct Field<'a, T> {
    values: &'a [T],
    shape: [usize; 3],
    scaling: Scaling,
    level: f64,
    /// Number of layers around the volume: 0 or 1. Indices include them.
    layers: usize,
}

impl<T: Number> Field<'_, T> {
    /// Returns the number of voxels along each axis, including the layers.
    fn size(&self) -> [usize; 3] {
        self.shape.map(|n| n + 2 * self.layers)
    }

    /// Returns the stored values of a row, or `None` in a layer.
    #[inline(always)]
    fn row(&self, y: usize, z: usize) -> Option<&[T]> {
        let (y, z) = (y.checked_sub(self.layers)?, z.checked_sub(self.layers)?);
        let [nx, ny, nz] = self.shape;
        (y < ny && z < nz).then(|| &self.values[nx * (y + ny * z)..][..nx])
    }

    /// Converts a stored number to phi, which is negative above the level.
    #[inline(always)]
    fn phi(&self, stored: T) -> f64 {
        self.level - self.scaling.of(stored.to_f64())
    }

    /// Returns phi at a voxel, or `None` in a layer.
    #[inline(always)]
    fn at(&self, [x, y, z]: [usize; 3]) -> Option<f64> {
        let x = x.checked_sub(self.layers)?;
        Some(self.phi(*self.row(y, z)?.get(x)?))
    }
}

/// Extracts the surface where the values of a volume cross `level`, in their unit. The surface is
/// in world coordinates. Normals point toward smaller values.
///
/// If the values do not cross the level, the mesh has no cells. Voxels whose value equals the level
/// have degenerate triangles around them. [`drop_flat`](super::drop_flat) removes these triangles.
///
/// # Errors
/// Returns [`Error::Case`] if the level is not finite, and if the volume has only one voxel along
/// an axis, unless the surface is closed. Returns [`Error::Numerical`] for more than 2^32 - 1
/// vertices.
pub fn isosurface(volume: &Volume, level: f64, options: &Options) -> Result<Mesh> {
    check(volume.shape(), level, options)?;
    macro_rules! of {
        ($($variant:ident),*) => {
            match volume.samples() {
                $(Samples::$variant(values) => of(volume, values, level, options),)*
            }
        };
    }
    of!(U8, I8, U16, I16, U32, I32, U64, I64, F32, F64)
}

/// Returns an error if the level is not finite, or if the surface is not closed and the shape has
/// no cubes.
fn check(shape: [usize; 3], level: f64, options: &Options) -> Result<()> {
    if !level.is_finite() {
        return Err(Error::usage(format!("level {level}"), "give a finite number"));
    }
    if !options.closed && shape.contains(&1) {
        let [x, y, z] = shape;
        let what = format!("a volume of {x} x {y} x {z} voxels has no cubes to cut");
        return Err(Error::usage(
            what,
            "give at least two voxels along each axis, or close the surface",
        ));
    }
    Ok(())
}

fn of<T: Number>(volume: &Volume, values: &[T], level: f64, options: &Options) -> Result<Mesh> {
    let (shape, scaling) = (volume.shape(), volume.scaling());
    let field = Field { values, shape, scaling, level, layers: usize::from(options.closed) };
    let masks = Masks::new(&field);
    let counts = Counts::new(&masks)?;
    let place = placed(volume.placement(), field.layers);
    // A left-handed placement reverses the orientation of triangles.
    let flipped = determinant(place.steps()) < 0.0;
    let (vertices, cells) = generate(&field, &masks, &counts, &place, flipped);
    let mut mesh = Mesh::new(Kind::Surface, vertices, cells);
    if options.normals {
        mesh.vertex_data = arrays(&mesh, gradient::normals(&field, &masks, &counts, &place));
    }
    if masks.has_missing() {
        // Remove the vertices that no triangle uses, such as crossings next to a missing value.
        let keep = vec![true; mesh.n_cells()];
        mesh = crate::mesh::part(mesh, &keep).0;
    }
    Ok(mesh)
}

/// Returns the placement of the voxels including the layers.
fn placed(place: &Placement, layers: usize) -> Placement {
    if layers == 0 {
        return *place;
    }
    place.moved([-(layers as f64); 3])
}

fn determinant([a, b, c]: [[f64; 3]; 3]) -> f64 {
    a[0] * (b[1] * c[2] - b[2] * c[1])
        + a[1] * (b[2] * c[0] - b[0] * c[2])
        + a[2] * (b[0] * c[1] - b[1] * c[0])
}

/// Converts normals to arrays. NaN is replaced by vertex normals computed from the triangles.
fn arrays(mesh: &Mesh, mut normals: [Vec<f64>; 3]) -> Vec<DataArray> {
    if normals[0].iter().any(|x| x.is_nan()) {
        let of_triangles = vertex_normals(mesh);
        for (v, other) in of_triangles.into_iter().enumerate() {
            if normals[0][v].is_nan() {
                (0..3).for_each(|k| normals[k][v] = other[k]);
            }
        }
    }
    let array = |(name, values): (&str, Vec<f64>)| DataArray {
        name: name.to_string(),
        components: 1,
        values: Values::Float(values),
    };
    ["nx", "ny", "nz"].into_iter().zip(normals).map(array).collect()
}
