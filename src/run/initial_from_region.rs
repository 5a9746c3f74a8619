//! The initial level set from a region that is combined from shapes, closed surfaces, volumes and
//! expressions.

use super::CleanedMesh;
use super::clock::Dated;
use super::fields::vertex_values;
use super::initial_from_surface::SurfaceLevel;
use super::initial_from_volume::VolumeLevel;
use crate::config::{Config, Region};
use crate::error::Result;
use crate::expression::Lattice;
use crate::geometry::Vec3;
use crate::geometry::shape::Shape;
use crate::geometry::simplex::Simplex;
use crate::mesh::{Kind, Mesh};
use crate::parallel::*;

/// A box, given by its lower and its upper corner.
type Corners = ([f64; 3], [f64; 3]);

/// A part of a region that is not combined from other parts.
pub(super) enum Leaf {
    Shape(Shape),
    Mesh(Box<SurfaceLevel>),
    Volume(Box<VolumeLevel>),
    Expression(Lattice),
}

/// A region with the contents of its files.
pub(super) enum RegionLevel {
    Leaf(Leaf),
    Union(Vec<RegionLevel>),
    Intersection(Vec<RegionLevel>),
    Difference(Box<(RegionLevel, RegionLevel)>),
}

impl RegionLevel {
    /// Reads the files of a region. `key` is the key of the region in the case. Warnings about the
    /// files are added to `warnings`.
    ///
    /// # Errors
    /// Returns [`Error::Input`](crate::Error::Input) for an invalid surface or volume file, and
    /// [`Error::Case`](crate::Error::Case) for an expression with a data array.
    pub(super) fn read(
        config: &Config,
        key: &str,
        region: &Region,
        warnings: &mut Vec<String>,
    ) -> Result<Self> {
        let leaf = match region {
            Region::Shape(shape) => Leaf::Shape(shape.clone()),
            Region::Mesh { mesh } => {
                Leaf::Mesh(Box::new(SurfaceLevel::read(config, mesh, warnings)?))
            }
            Region::Volume { volume } => {
                let table = format!("{key}.volume");
                Leaf::Volume(Box::new(VolumeLevel::read(config, &table, volume, warnings)?))
            }
            Region::Expression { expression } => Leaf::Expression(
                Lattice::bind(std::slice::from_ref(expression))
                    .map_err(config.locate(&format!("{key}.expression")))?,
            ),
            _ => {
                let read = |(below, part): (String, &Region)| {
                    Self::read(config, &format!("{key}.{below}"), part, warnings)
                };
                let mut parts: Vec<Self> =
                    region.parts().into_iter().map(read).collect::<Result<_>>()?;
                return Ok(match region {
                    Region::Union { .. } => RegionLevel::Union(parts),
                    Region::Intersection { .. } => RegionLevel::Intersection(parts),
                    _ => {
                        let second = parts.remove(1);
                        RegionLevel::Difference(Box::new((parts.remove(0), second)))
                    }
                });
            }
        };
        Ok(RegionLevel::Leaf(leaf))
    }

    /// Writes the signed distances of points, negative inside. `of_leaf` writes those of a leaf.
    ///
    /// Distances are combined by minimum and maximum. The zero set is exact. Elsewhere, the
    /// absolute value is at most the distance to the zero set. NaN is kept.
    pub(super) fn combine(&self, out: &mut [f64], of_leaf: &dyn Fn(&Leaf, &mut [f64])) {
        let mut other = Vec::new();
        match self {
            RegionLevel::Leaf(leaf) => of_leaf(leaf, out),
            RegionLevel::Union(parts) | RegionLevel::Intersection(parts) => {
                let is_union = matches!(self, RegionLevel::Union(_));
                out.fill(if is_union { f64::INFINITY } else { f64::NEG_INFINITY });
                for part in parts {
                    other.resize(out.len(), 0.0);
                    part.combine(&mut other, of_leaf);
                    let pairs = out.iter_mut().zip(&other);
                    pairs.for_each(|(a, b)| {
                        *a = if is_union { least(*a, *b) } else { most(*a, *b) }
                    });
                }
            }
            RegionLevel::Difference(pair) => {
                pair.0.combine(out, of_leaf);
                other.resize(out.len(), 0.0);
                pair.1.combine(&mut other, of_leaf);
                out.iter_mut().zip(&other).for_each(|(a, b)| *a = most(*a, -*b));
            }
        }
    }

    /// Returns a box that contains the boundary of the region, or `None` if no box is known.
    ///
    /// # Errors
    /// Returns the errors of [`VolumeLevel::bounds`].
    pub(super) fn bounds(&self) -> Result<Option<Corners>> {
        let join = |a: Corners, b: Corners| {
            let low = std::array::from_fn(|k| a.0[k].min(b.0[k]));
            (low, std::array::from_fn(|k| a.1[k].max(b.1[k])))
        };
        Ok(match self {
            RegionLevel::Leaf(Leaf::Shape(shape)) => shape.bounds(),
            RegionLevel::Leaf(Leaf::Mesh(level)) => Some(level.surface.bounds()),
            RegionLevel::Leaf(Leaf::Volume(level)) => Some(level.bounds()?),
            RegionLevel::Leaf(Leaf::Expression(_)) => None,
            RegionLevel::Union(parts) => {
                let all: Vec<Option<Corners>> =
                    parts.iter().map(Self::bounds).collect::<Result<_>>()?;
                all.into_iter().reduce(|a, b| Some(join(a?, b?))).flatten()
            }
            // The boundary of an intersection lies in each of its parts.
            RegionLevel::Intersection(parts) => {
                let all: Vec<Option<Corners>> =
                    parts.iter().map(Self::bounds).collect::<Result<_>>()?;
                all.into_iter().flatten().next()
            }
            RegionLevel::Difference(pair) => pair.0.bounds()?,
        })
    }

    /// Returns all leaves.
    pub(super) fn leaves(&self) -> Vec<&Leaf> {
        match self {
            RegionLevel::Leaf(leaf) => vec![leaf],
            RegionLevel::Union(parts) | RegionLevel::Intersection(parts) => {
                parts.iter().flat_map(Self::leaves).collect()
            }
            RegionLevel::Difference(pair) => [pair.0.leaves(), pair.1.leaves()].concat(),
        }
    }

    /// Iterates over the surfaces.
    pub(super) fn surfaces(&self) -> impl Iterator<Item = &SurfaceLevel> {
        self.leaves().into_iter().filter_map(|leaf| match leaf {
            Leaf::Mesh(surface) => Some(&**surface),
            _ => None,
        })
    }

    /// Returns the latest time that a file of the region states, if any does.
    pub(super) fn dated(&self) -> Option<Dated> {
        let of_leaf = |leaf: &Leaf| match leaf {
            Leaf::Mesh(level) => level.surface.dated(),
            Leaf::Volume(level) => level.dated.clone(),
            Leaf::Shape(_) | Leaf::Expression(_) => None,
        };
        let all = self.leaves().into_iter().filter_map(of_leaf);
        all.max_by(|a, b| a.time.total_cmp(&b.time))
    }
}

/// Returns the smaller number, or NaN if one of them is NaN.
fn least(a: f64, b: f64) -> f64 {
    if b.is_nan() || b < a { b } else { a }
}

fn most(a: f64, b: f64) -> f64 {
    -least(-a, -b)
}

/// Returns phi of a region at the vertices of the case's mesh, negative inside. `key` is the key of
/// the region in the case.
///
/// Distances of shapes and surfaces are exact. Values of volumes and expressions are divided by
/// their mean slope at the interface, so that they can be compared with distances.
///
/// # Errors
/// Returns the errors of [`RegionLevel::read`] and of [`vertex_values`].
pub(super) fn from_region(
    config: &Config,
    (key, region): (&str, &Region),
    cleaned: &CleanedMesh,
    warnings: &mut Vec<String>,
    dated: &mut Option<Dated>,
) -> Result<Vec<f64>> {
    let mesh = &cleaned.mesh;
    let later = |old: Option<Dated>, new: Option<Dated>| match (old, new) {
        (Some(old), Some(new)) if old.time > new.time => Some(old),
        (old, new) => new.or(old),
    };
    Ok(match region {
        Region::Shape(shape) => mesh.vertices.iter().map(|&x| shape.signed_distance(x)).collect(),
        Region::Mesh { mesh: from } => {
            let mut of_file = None;
            let phi = super::initial_from_surface::from_mesh(
                config,
                from,
                cleaned,
                warnings,
                &mut of_file,
            )?;
            *dated = later(dated.take(), of_file);
            phi
        }
        Region::Volume { volume } => {
            let level = VolumeLevel::read(config, &format!("{key}.volume"), volume, warnings)?;
            *dated = later(dated.take(), level.dated.clone());
            let phi: Vec<f64> = mesh.vertices.par_iter().map(|&x| level.bounded_value(x)).collect();
            per_slope(mesh, phi)
        }
        Region::Expression { expression } => {
            *dated = later(dated.take(), Dated::of_expression(cleaned, expression));
            let key = format!("{key}.expression");
            per_slope(mesh, vertex_values(config, cleaned, &key, expression, 0.0)?)
        }
        _ => {
            let mut parts = Vec::new();
            for (below, part) in region.parts() {
                let key = format!("{key}.{below}");
                parts.push(from_region(config, (&key, part), cleaned, warnings, dated)?);
            }
            let combined = |pair: fn(f64, f64) -> f64| {
                let join = |mut a: Vec<f64>, b: Vec<f64>| {
                    a.iter_mut().zip(b).for_each(|(a, b)| *a = pair(*a, b));
                    a
                };
                parts.into_iter().reduce(join).unwrap_or_default()
            };
            match region {
                Region::Union { .. } => combined(least),
                Region::Intersection { .. } => combined(most),
                _ => combined(|a, b| most(a, -b)),
            }
        }
    })
}

/// Divides the values at vertices by their mean slope over the cells that the zero set cuts.
fn per_slope(mesh: &Mesh, mut phi: Vec<f64>) -> Vec<f64> {
    let slope = match mesh.kind {
        Kind::Volume => slope_of::<4>(mesh, &phi),
        Kind::Planar | Kind::Surface => slope_of::<3>(mesh, &phi),
    };
    if slope > 0.0 && slope.is_finite() {
        phi.iter_mut().for_each(|value| *value /= slope);
    }
    phi
}

fn slope_of<const N: usize>(mesh: &Mesh, phi: &[f64]) -> f64 {
    let (mut sum, mut total) = (0.0, 0.0);
    for cell in mesh.cells.as_chunks::<N>().0 {
        let values = cell.map(|v| phi[v as usize]);
        if values.iter().all(|v| *v < 0.0) || values.iter().all(|v| *v > 0.0) {
            continue;
        }
        let simplex = Simplex::new(&cell.map(|v| Vec3::from(mesh.vertices[v as usize])));
        let slope: f64 = simplex.gradient(&values).norm();
        if slope.is_finite() {
            sum += simplex.meas * slope;
            total += simplex.meas;
        }
    }
    sum / total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_those_of_shapes_and_keep_nan() {
        let ball = |x: f64| Shape::Ball { center: [x, 0.0, 0.0], radius: 1.0 };
        let leaf = |x: f64| RegionLevel::Leaf(Leaf::Shape(ball(x)));
        let points: Vec<[f64; 3]> = (0..50).map(|k| [0.1 * f64::from(k) - 2.0, 0.3, 0.0]).collect();
        let of_leaf = |leaf: &Leaf, out: &mut [f64]| {
            let Leaf::Shape(shape) = leaf else { unreachable!() };
            out.iter_mut().zip(&points).for_each(|(d, &x)| *d = shape.signed_distance(x));
        };
        let pair = || Box::new((ball(0.0), ball(0.5)));
        for (region, shape) in [
            (
                RegionLevel::Union(vec![leaf(0.0), leaf(0.5)]),
                Shape::Union(vec![pair().0, pair().1]),
            ),
            (
                RegionLevel::Intersection(vec![leaf(0.0), leaf(0.5)]),
                Shape::Intersection(vec![pair().0, pair().1]),
            ),
            (RegionLevel::Difference(Box::new((leaf(0.0), leaf(0.5)))), Shape::Difference(pair())),
        ] {
            let mut out = vec![0.0; points.len()];
            region.combine(&mut out, &of_leaf);
            assert!(out.iter().zip(&points).all(|(d, &x)| *d == shape.signed_distance(x)));
        }
        assert!(least(f64::NAN, 1.0).is_nan() && least(1.0, f64::NAN).is_nan());
        assert!(most(f64::NAN, 1.0).is_nan() && most(1.0, f64::NAN).is_nan());
        assert_eq!((least(1.0, 2.0), most(1.0, 2.0)), (1.0, 2.0));
    }
}
