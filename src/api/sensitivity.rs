//! Derivatives of a function of distances or arrival times.

use std::collections::BTreeMap;

use super::distance::complete;
use super::{DistanceOptions, Mesh, Source};
use crate::error::{Error, Result};

/// The derivatives of a number J, which depends on distances, by what determines the distances.
///
/// Derivatives by numbers that the call does not have are absent. Cells are those of the file.
/// Cells outside a mask have the derivative 0. If one number applies to many cells, such as the
/// speed of a region, its derivative is the sum over these cells ([`Sensitivity::by_region`]).
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Sensitivity {
    /// The derivative by the speed of each cell, `[cells]`, if the speed does not depend on the
    /// direction.
    pub speed: Option<Vec<f64>>,
    /// The derivative by the speed of each cell along the fibers, `[cells]`.
    pub along: Option<Vec<f64>>,
    /// The derivative by the speed of each cell across the fibers, `[cells]`.
    pub across: Option<Vec<f64>>,
    /// The derivative by the speed of each cell within the sheets, `[cells]`.
    pub sheet: Option<Vec<f64>>,
    /// The derivative by the entries `[xx, yy, zz, xy, yz, xz]` of the conduction tensor of each
    /// cell, `[cells]`. xy stands for both entries at its place, so its derivative is that of two
    /// entries.
    pub tensor: Option<Vec<[f64; 6]>>,
    /// The derivative by the start value of each source, `[sources]`.
    pub starts: Vec<f64>,
    /// The derivative by the position of each source, `[sources]`, per mesh unit, along the mesh.
    /// NaN for sources that are not points.
    pub positions: Vec<[f64; 3]>,
    /// Vertices of the file at which two cells give the same time over different points, up to
    /// 1e-4 of the time across the cell, in ascending order. J has a kink there, and the derivative
    /// is that of one side. Only vertices on which J depends are listed.
    pub kinks: Vec<u32>,
}

impl Sensitivity {
    /// Sums derivatives by cells, `[cells]`, over the cells of each region. `regions` has the number
    /// of the region of each cell, `[cells]`.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if the lengths differ.
    pub fn by_region(by_cell: &[f64], regions: &[i64]) -> Result<BTreeMap<i64, f64>> {
        if by_cell.len() != regions.len() {
            let what = format!("there are {} region numbers", regions.len());
            return Err(Error::usage(what, format!("give one for each of {} cells", by_cell.len())));
        }
        let mut sums = BTreeMap::new();
        for (value, region) in by_cell.iter().zip(regions) {
            *sums.entry(*region).or_insert(0.0) += value;
        }
        Ok(sums)
    }
}

/// Computes the derivatives of a number J by the speeds, the start values and the positions of the
/// sources of a distance.
///
/// `weights` are the derivatives of J by the distances that [`distance_with`](super::distance_with)
/// returns for the same arguments, `[vertices]`. They have no effect at vertices that no front
/// reaches, and at those beyond [`DistanceOptions::within`]. The derivatives are those of the
/// discrete solution, exact up to rounding away from kinks. The cost is that of one more distance
/// and a pass over the mesh, for any number of cells. It runs on the CPU in f64, on whatever device
/// the distances were computed.
///
/// ```
/// use zeroset::api::{DistanceOptions, sensitivity};
/// use zeroset::{Source, config::FrontShape};
/// let corners = vec![[0.0; 3], [4.0, 0.0, 0.0], [4.0, 3.0, 0.0], [0.0, 3.0, 0.0]];
/// let mesh = zeroset::Mesh::triangles(corners, &[[0, 1, 2], [0, 2, 3]])?;
/// let options = DistanceOptions::default().speed(2.0).front(FrontShape::Plane);
/// // J is the time at vertex 1, which is 4 / speed.
/// let found = sensitivity(&mesh, &[Source::Vertex(0)], &options, &[0.0, 1.0, 0.0, 0.0])?;
/// assert_eq!((found.speed, found.starts), (Some(vec![-1.0, 0.0]), vec![1.0]));
/// # Ok::<(), zeroset::Error>(())
/// ```
///
/// # Errors
/// Returns the errors of [`distance_with`](super::distance_with). Returns [`Error::Case`] for
/// circular and exact fronts, for zero sets as sources, and for weights that are not finite.
pub fn sensitivity(
    mesh: &Mesh,
    sources: &[Source],
    options: &DistanceOptions,
    weights: &[f64],
) -> Result<Sensitivity> {
    if weights.len() != mesh.n_vertices() {
        let what = format!("there are {} derivatives by distances", weights.len());
        let remedy = format!("give one for each of {} vertices", mesh.n_vertices());
        return Err(Error::usage(what, remedy));
    }
    if let Some(v) = weights.iter().position(|weight| !weight.is_finite()) {
        let what = format!("the derivative by the distance of vertex {v} is {}", weights[v]);
        return Err(Error::usage(what, "use 0 where the distance does not matter"));
    }
    let (setup, distance) = complete(mesh, sources, options)?;
    let cleaned = &setup.cleaned;
    let found = setup.sensitivity(&distance, &cleaned.summed(weights))?;
    let by_cell = |values: Option<Vec<f64>>| {
        values.map(|values| cleaned.summed_cells(&values, mesh.n_cells(), 0.0, |a, b| a + b))
    };
    let add = |a: [f64; 6], b: [f64; 6]| std::array::from_fn(|k| a[k] + b[k]);
    let tensor = found.tensor;
    let kinks = found.kinks.iter().map(|&v| cleaned.cleaning.kept_vertices[v as usize]);
    Ok(Sensitivity {
        speed: by_cell(found.speed),
        along: by_cell(found.along),
        across: by_cell(found.across),
        sheet: by_cell(found.sheet),
        tensor: tensor.map(|t| cleaned.summed_cells(&t, mesh.n_cells(), [0.0; 6], add)),
        starts: found.starts,
        positions: found.positions,
        kinks: kinks.collect(),
    })
}
