//! Distance transforms and isosurfaces.

use zeroset::config::Device;
use zeroset::point_distance::Edt;
use zeroset::volume::{Placement, Volume};
use zeroset::{Error, Result, edt, isosurface};

use crate::arrays::{object, slice, store, write};
use crate::status::{ZerosetStatus, call};
use crate::surface::ZerosetSurface;

/// A regular grid of voxels, x fastest.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ZerosetGrid {
    /// Number of voxels along x, y and z.
    pub shape: [usize; 3],
    /// Spacing of the voxels along x, y and z, in any unit of length.
    pub spacing: [f64; 3],
    /// Position of the first voxel, in the same unit. Distance transforms ignore it.
    pub origin: [f64; 3],
}

impl ZerosetGrid {
    fn n_voxels(&self) -> Result<usize> {
        let n = self.shape.iter().try_fold(1_usize, |n, &along| n.checked_mul(along));
        n.ok_or_else(|| Error::usage(format!("{:?} voxels", self.shape), "give a smaller grid"))
    }
}

/// Computes the exact distance from each voxel to the nearest voxel where `inside` is not 0, in the
/// unit of the spacing. `inside` has one number for each voxel, and `distances` receives one. If
/// `is_signed` is true, distances are measured to the faces between the two kinds of voxels, and
/// are negative inside.
///
/// # Safety
/// `grid` must point to a grid, and `inside` and `distances` to one item for each voxel.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeroset_edt(
    grid: *const ZerosetGrid,
    inside: *const u8,
    is_signed: bool,
    distances: *mut f32,
) -> ZerosetStatus {
    call(|| {
        // SAFETY: The caller promises that the pointers are valid.
        unsafe {
            let grid = object("grid", grid)?;
            let inside = slice("inside", inside, grid.n_voxels()?)?;
            let inside: Vec<bool> = inside.iter().map(|&voxel| voxel != 0).collect();
            let kind = Edt::default().spacing(grid.spacing).faces(is_signed).signed(is_signed);
            let found = edt(&inside, grid.shape, &kind, &Device::default())?;
            write("distances", &found.values, distances)
        }
    })
}

/// Extracts the surface where values on a grid, one for each voxel, cross `level`. The inside has
/// the larger values, and triangles face the smaller ones. Vertices have the unit of the grid. The
/// caller frees `*surface` with `zeroset_surface_free`.
///
/// # Safety
/// `grid` must point to a grid, `values` to one number for each voxel, and `surface` to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeroset_isosurface(
    grid: *const ZerosetGrid,
    values: *const f32,
    level: f64,
    surface: *mut *mut ZerosetSurface,
) -> ZerosetStatus {
    call(|| {
        // SAFETY: The caller promises that the pointers are valid.
        unsafe {
            let grid = object("grid", grid)?;
            let values = slice("values", values, grid.n_voxels()?)?.to_vec();
            let [x, y, z] = grid.spacing;
            let steps = [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]];
            let volume = Volume::new(grid.shape, values.into(), Placement::identity())?
                .placed(grid.origin, steps)?;
            let found = isosurface(&volume, level, &Default::default())?;
            store("surface", ZerosetSurface { mesh: found.mesh }, surface)
        }
    })
}
