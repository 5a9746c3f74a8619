//! Regular grids: legacy `STRUCTURED_POINTS` and `ImageData` in XML. They hold no mesh; what is in
//! them can be told.

use super::grid::Grid;
use super::source::Source;
use crate::error::Result;
use crate::mesh::DataArray;

/// A regular grid of points with numbers on them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Image {
    /// Short name of the format: "vtk" or "vti".
    pub format: &'static str,
    /// Version and encoding as the file states them.
    pub version: String,
    /// Points along x, y and z.
    pub dimensions: [usize; 3],
    /// Coordinates of the first point.
    pub origin: [f64; 3],
    /// Distance of points along x, y and z.
    pub spacing: [f64; 3],
    /// Arrays with one row per point, x fastest.
    pub point_data: Vec<DataArray>,
    /// Arrays with one row per cell, x fastest.
    pub cell_data: Vec<DataArray>,
    /// What was given up in reading, one sentence each.
    pub warnings: Vec<String>,
}

/// Size and place of a grid.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lattice {
    pub dimensions: [usize; 3],
    pub origin: [f64; 3],
    pub spacing: [f64; 3],
}

impl Lattice {
    /// Numbers of points and of cells; `None` if that is beyond `usize`.
    pub fn counts(&self) -> Option<[usize; 2]> {
        let product = |n: [usize; 3]| n.into_iter().try_fold(1_usize, |p, n| p.checked_mul(n));
        // An axis of one point makes the cells flat, none makes them none.
        let cells = self.dimensions.map(|n| if n > 1 { n - 1 } else { n });
        Some([product(self.dimensions)?, product(cells)?])
    }

    /// The image of this size with the data of `grid`.
    ///
    /// # Errors
    /// [`Error::Input`](crate::Error::Input) for arrays of another size.
    pub fn into_image(
        self,
        source: &Source,
        grid: Grid,
        format: &'static str,
        version: String,
    ) -> Result<Image> {
        let Lattice { dimensions, origin, spacing } = self;
        let Some([points, cells]) = self.counts() else {
            let what = format!("{dimensions:?} points along the axes are beyond all memory");
            return Err(source.fail("", what, "the file is damaged; write it again"));
        };
        for (arrays, n) in [(&grid.point_data, points), (&grid.cell_data, cells)] {
            if let Some(array) = arrays.iter().find(|array| array.rows() != n) {
                let [x, y, z] = dimensions;
                let (name, rows) = (&array.name, array.rows());
                let what = format!(
                    "array '{name}' has {rows} rows, the grid of {x} x {y} x {z} needs {n}"
                );
                return Err(source.fail("", what, "the file is damaged; write it again"));
            }
        }
        let Grid { point_data, cell_data, warnings, .. } = grid;
        let warnings = warnings.iter().map(|warning| super::source::one_line(warning)).collect();
        Ok(Image { format, version, dimensions, origin, spacing, point_data, cell_data, warnings })
    }
}

/// What to do with an image where a mesh is asked for.
pub(super) const NO_MESH: &str = "`zeroset info` tells what is in it; a run needs a mesh: make triangles or tetrahedra of it first";
