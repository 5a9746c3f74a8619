//! The metrics of the cells of a distance whose speed depends on the direction.

use nalgebra::Matrix3;

use super::CleanedMesh;
use super::arrays::missing;
use super::fields::cell_values;
use crate::config::{Config, Direction, Fibers, Quantity, Speed, Tensor};
use crate::error::Result;
use crate::geometry::{Vec3, simplex::longest_edge};
use crate::levelset::eikonal::{Metric, Slowness};
use crate::mesh::Kind;
use crate::parallel::*;
use crate::words::counted;

/// The ratio of the fastest to the slowest speed of a cell beyond which a warning is given.
const DOUBTFUL_RATIO: f64 = 10.0;
/// The difference from 1 beyond which the length of a stored direction causes a warning.
const UNIT: f64 = 1e-3;
/// If the part of a direction within a surface is shorter than this fraction of the whole, it
/// counts as zero.
const TANGENTIAL: f64 = 1e-6;

/// A number for each cell.
enum PerCell {
    Uniform(f64),
    Values(Vec<f64>),
}

impl PerCell {
    fn of(&self, cell: usize) -> f64 {
        match self {
            PerCell::Uniform(x) => *x,
            PerCell::Values(values) => values[cell],
        }
    }
}

/// The case and the mesh.
struct Input<'a> {
    config: &'a Config,
    cleaned: &'a CleanedMesh,
}

/// Returns the metrics for speeds along and across fibers.
///
/// # Errors
/// Returns [`Error::Case`](crate::Error::Case) naming the stored cell if a speed is outside
/// [`Speed::RANGE`], if a direction has no value, or if the speeds differ too much. Returns the
/// errors of [`cell_values`].
pub(super) fn of_fibers(
    config: &Config,
    cleaned: &CleanedMesh,
    fibers: &Fibers,
) -> Result<Slowness<f64>> {
    let frames = Frames::new(config, cleaned, fibers)?;
    frames.input.metrics(|c| frames.tensor(c), "distance.speed")
}

/// Speeds along and across fibers in the cells of a mesh, with their directions.
pub(super) struct Frames<'a> {
    input: Input<'a>,
    along: PerCell,
    across: PerCell,
    in_sheet: Option<PerCell>,
    fiber: Vec<Vec3>,
    sheet: Option<Vec<Vec3>>,
}

/// The speeds of a cell, and the unit vectors along its fiber and perpendicular to the fiber within
/// the sheet.
pub(super) struct Frame {
    pub along: f64,
    pub across: f64,
    pub fiber: Option<Vec3>,
    pub sheet: Option<(f64, Vec3)>,
}

impl<'a> Frames<'a> {
    /// Reads speeds and directions.
    ///
    /// # Errors
    /// Returns the errors of [`of_fibers`] about them.
    pub(super) fn new(
        config: &'a Config,
        cleaned: &'a CleanedMesh,
        fibers: &Fibers,
    ) -> Result<Self> {
        let input = Input { config, cleaned };
        let distance = config.distance.as_ref();
        let along = input.speed("distance.speed.along", &fibers.along)?;
        let across = input.speed("distance.speed.across", &fibers.across)?;
        let in_sheet = match &fibers.sheet {
            None => None,
            Some(_) if cleaned.mesh.kind != Kind::Volume => {
                let what = "distance.speed.sheet needs tetrahedra: a surface has only one \
                            direction across the fibers";
                return Err(config.error_at("distance.speed.sheet", what, "remove it"));
            }
            Some(speed) => Some(input.speed("distance.speed.sheet", speed)?),
        };
        let fiber = input.directions("fiber", distance.and_then(|d| d.fiber.as_ref()))?;
        let sheet = match in_sheet {
            None => None,
            Some(_) => Some(input.directions("sheet", distance.and_then(|d| d.sheet.as_ref()))?),
        };
        Ok(Frames { input, along, across, in_sheet, fiber, sheet })
    }

    /// Returns the speeds and directions of a cell.
    pub(super) fn of(&self, c: usize) -> Frame {
        let (along, across) = (self.along.of(c), self.across.of(c));
        let fiber = self.input.within(c, self.fiber[c]);
        let in_sheet = || {
            let (f, speed, sheet) = (fiber?, self.in_sheet.as_ref()?, self.sheet.as_ref()?);
            let s = sheet[c] - f * f.dot(&sheet[c]);
            (s.norm() > TANGENTIAL * sheet[c].norm()).then(|| (speed.of(c), s.normalize()))
        };
        Frame { along, across, fiber, sheet: in_sheet() }
    }

    /// Returns the conduction tensor of a cell.
    fn tensor(&self, c: usize) -> Matrix3<f64> {
        let square = |speed: f64| speed * speed;
        let Frame { along, across, fiber, sheet } = self.of(c);
        let across = square(across);
        let mut tensor = Matrix3::identity() * across;
        let Some(f) = fiber else { return tensor };
        tensor += f * f.transpose() * (square(along) - across);
        if let Some((speed, s)) = sheet {
            tensor += s * s.transpose() * (square(speed) - across);
        }
        tensor
    }
}

/// Returns the metrics of conduction tensors.
///
/// # Errors
/// Returns [`Error::Case`](crate::Error::Case) naming the stored cell if a tensor is not positive
/// definite or not symmetric, or if its speeds differ too much. Returns the errors of
/// [`cell_values`].
pub(super) fn of_tensors(
    config: &Config,
    cleaned: &CleanedMesh,
    tensor: &Tensor,
) -> Result<Slowness<f64>> {
    let input = Input { config, cleaned };
    let key = "distance.speed.tensor";
    let (n, values) = match tensor {
        Tensor::Data(name) => input.array(key, name, &[6, 9, 3])?,
        Tensor::Components(components) => (components.len(), input.components(key, components)?),
    };
    if n == 3 && cleaned.mesh.kind != Kind::Planar {
        let what = "a tensor with three components (xx, yy, xy) needs a planar mesh";
        return Err(config.error_at(key, what, "give six components: xx, yy, zz, xy, yz, xz"));
    }
    let rows: Vec<&[f64]> = values.chunks_exact(n).collect();
    if n == 9 {
        let differs = |a: f64, b: f64| (a - b).abs() > 1e-6 * (a.abs() + b.abs());
        let is_lopsided =
            |m: &&[f64]| differs(m[1], m[3]) || differs(m[2], m[6]) || differs(m[5], m[7]);
        if let Some(c) = rows.iter().position(is_lopsided) {
            let what = format!("the tensor of cell {} is not symmetric", cleaned.stored_cell(c));
            return Err(config.error_at(key, what, "a conduction tensor is symmetric"));
        }
    }
    let tensor = |c: usize| {
        let entries = match *rows[c] {
            [xx, yy, xy] => [xx, yy, 0.0, xy, 0.0, 0.0],
            [xx, yy, zz, xy, yz, xz] => [xx, yy, zz, xy, yz, xz],
            [xx, xy, xz, _, yy, yz, _, _, zz] => [xx, yy, zz, xy, yz, xz],
            _ => [f64::NAN; 6],
        };
        let [xx, yy, zz, xy, yz, xz] = entries;
        Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
    };
    input.metrics(tensor, key)
}

impl Input<'_> {
    /// Returns a speed in each cell.
    fn speed(&self, key: &str, quantity: &Quantity) -> Result<PerCell> {
        let found = self.quantity(key, quantity)?;
        let n = match &found {
            PerCell::Uniform(_) => 1,
            PerCell::Values(values) => values.len(),
        };
        match (0..n).find(|&c| !Speed::RANGE.contains(&found.of(c))) {
            None => Ok(found),
            Some(c) => {
                let (low, high) = (Speed::RANGE.start(), Speed::RANGE.end());
                let what = format!(
                    "{key} must be between {low:e} and {high:e}, but is {} in cell {}",
                    found.of(c),
                    self.cleaned.stored_cell(c)
                );
                Err(self.config.error_at(key, what, "mask the cells that no front may enter"))
            }
        }
    }

    fn quantity(&self, key: &str, quantity: &Quantity) -> Result<PerCell> {
        Ok(match quantity {
            Quantity::Number(x) => PerCell::Uniform(*x),
            Quantity::Expression(expression) => match expression.constant() {
                Some(x) => PerCell::Uniform(x),
                None => PerCell::Values(cell_values(self.config, self.cleaned, key, expression)?),
            },
        })
    }

    /// Returns the values of components in each cell, cell by cell.
    fn components(&self, key: &str, components: &[Quantity]) -> Result<Vec<f64>> {
        let of = |(k, quantity)| self.quantity(&format!("{key}.{k}"), quantity);
        let columns = components.iter().enumerate().map(of).collect::<Result<Vec<_>>>()?;
        let cells = 0..self.cleaned.mesh.n_cells();
        Ok(cells.flat_map(|c| columns.iter().map(move |column| column.of(c))).collect())
    }

    /// Returns the number of components of a cell array, one of `allowed`, and its values.
    fn array(&self, key: &str, name: &str, allowed: &[usize]) -> Result<(usize, Vec<f64>)> {
        let mesh = &self.cleaned.mesh;
        let Some(array) = mesh.cell_array(name) else {
            let names: Vec<&str> = mesh.cell_data.iter().map(|array| array.name.as_str()).collect();
            return Err(self.config.locate(key)(missing("cell array", name, &names)));
        };
        let n = array.components;
        if !allowed.contains(&n) {
            let allowed: Vec<String> = allowed.iter().map(usize::to_string).collect();
            let what = format!(
                "the cell array \"{name}\" has {}, but {} are needed",
                counted(n, ["component", "components"]),
                allowed.join(" or ")
            );
            return Err(self.config.error_at(key, what, "use another array"));
        }
        let values = array.values.to_f64();
        if let Some(k) = values.iter().position(|x| !x.is_finite()) {
            let cell = self.cleaned.stored_cell(k / n);
            let what =
                format!("the cell array \"{name}\" has the value {} in cell {cell}", values[k]);
            return Err(self.config.error_at(key, what, "mask this cell, or correct the array"));
        }
        Ok((n, values))
    }

    /// Returns the direction `name` in each cell. By default, it is the cell array of this name.
    fn directions(&self, name: &str, direction: Option<&Direction>) -> Result<Vec<Vec3>> {
        let key = format!("distance.{name}");
        let array = match direction {
            Some(Direction::Components(components)) => {
                let values = self.components(&key, components)?;
                return Ok(values.chunks_exact(3).map(|v| Vec3::new(v[0], v[1], v[2])).collect());
            }
            Some(Direction::Data(array)) => array,
            None => name,
        };
        let allowed: &[usize] = match self.cleaned.mesh.kind {
            Kind::Planar => &[3, 2],
            _ => &[3],
        };
        let (n, values) = self.array(&key, array, allowed)?;
        let third = |v: &[f64]| v.get(2).copied().unwrap_or(0.0);
        let found: Vec<Vec3> =
            values.chunks_exact(n).map(|v| Vec3::new(v[0], v[1], third(v))).collect();
        let is_odd = |v: &Vec3| *v != Vec3::zeros() && (v.norm() - 1.0).abs() > UNIT;
        if let Some(first) = found.iter().position(is_odd) {
            let n = found.iter().filter(|v| is_odd(v)).count();
            self.cleaned.note_doubt(format!(
                "the cell array \"{array}\" has a length other than 1 in {} (first: {:.6} in cell \
                 {}); only its direction is used",
                counted(n, ["cell", "cells"]),
                found[first].norm(),
                self.cleaned.stored_cell(first)
            ));
        }
        Ok(found)
    }

    /// Returns the unit normal of a triangle, or `None` in a tetrahedron.
    fn normal(&self, cell: usize) -> Option<Vec3> {
        let mesh = &self.cleaned.mesh;
        if mesh.kind == Kind::Volume {
            return None;
        }
        let [a, b, c] =
            [0, 1, 2].map(|k| Vec3::from(mesh.vertices[mesh.cells[3 * cell + k] as usize]));
        (b - a).cross(&(c - a)).try_normalize(0.0)
    }

    /// Returns the unit vector along the part of a direction that lies within a cell, or `None` if
    /// there is no such part.
    fn within(&self, cell: usize, direction: Vec3) -> Option<Vec3> {
        let inside = match self.normal(cell) {
            None => direction,
            Some(normal) => direction - normal * normal.dot(&direction),
        };
        (inside.norm() > TANGENTIAL * direction.norm()).then(|| inside.normalize())
    }

    /// Returns the metrics of the tensors of all cells. On triangles, only the part of a tensor
    /// within the triangle counts.
    fn metrics(
        &self,
        tensor: impl Fn(usize) -> Matrix3<f64> + Sync,
        key: &str,
    ) -> Result<Slowness<f64>> {
        let mesh = &self.cleaned.mesh;
        let projected = |c: usize| {
            let tensor = tensor(c);
            let Some(normal) = self.normal(c) else { return tensor };
            let onto = Matrix3::identity() - normal * normal.transpose();
            let inside = onto * tensor * onto;
            // A step within the triangle does not depend on the speed across it.
            inside + normal * normal.transpose() * (0.5 * inside.trace())
        };
        let found: Vec<(Option<Metric<f64>>, f64)> = (0..mesh.n_cells())
            .into_par_iter()
            .map(|c| {
                let d = projected(c);
                let entries = [d[(0, 0)], d[(1, 1)], d[(2, 2)], d[(0, 1)], d[(1, 2)], d[(0, 2)]];
                let speeds = d.symmetric_eigenvalues();
                (Metric::new(entries), (speeds.max() / speeds.min()).sqrt())
            })
            .collect();
        if let Some(c) = found.iter().position(|(metric, _)| metric.is_none()) {
            let cell = self.cleaned.stored_cell(c);
            let speeds = projected(c).symmetric_eigenvalues();
            let largest = Metric::LARGEST_RATIO;
            let (what, remedy) = match speeds.min() > 0.0 {
                true => (
                    format!("the speeds in cell {cell} differ by more than a factor of {largest}"),
                    "raise the lower one, or mask the cell",
                ),
                false => (
                    format!(
                        "the conduction tensor of cell {cell} is not positive definite: its \
                         smallest eigenvalue is {:e}",
                        speeds.min()
                    ),
                    "every eigenvalue is a squared speed, so it must be positive",
                ),
            };
            return Err(self.config.error_at(key, what, remedy));
        }
        self.warn_of_ratios(&found);
        Ok(Slowness::Tensor(found.into_iter().filter_map(|(metric, _)| metric).collect()))
    }

    /// Warns if the speeds of cells differ so much that first-order arrival times become late.
    fn warn_of_ratios(&self, found: &[(Option<Metric<f64>>, f64)]) {
        let mesh = &self.cleaned.mesh;
        let n = found.iter().filter(|(_, ratio)| *ratio > DOUBTFUL_RATIO).count();
        let largest = found.iter().enumerate().max_by(|a, b| a.1.1.total_cmp(&b.1.1));
        let (Some((worst, (Some(metric), ratio))), true) = (largest, n > 0) else { return };
        let arity = mesh.kind.arity();
        let corners: Vec<Vec3> = mesh.cells[worst * arity..][..arity]
            .iter()
            .map(|&v| metric.map(&Vec3::from(mesh.vertices[v as usize])))
            .collect();
        self.cleaned.note_doubt(format!(
            "in {}, the speed depends on the direction by a factor of more than {DOUBTFUL_RATIO} (at \
             most {ratio:.1}, in cell {}, which the front needs up to {:.3e} to cross); arrival times \
             may be late by several percent: refine the mesh along the slow direction",
            counted(n, ["cell", "cells"]),
            self.cleaned.stored_cell(worst),
            longest_edge(&corners)
        ));
    }
}
