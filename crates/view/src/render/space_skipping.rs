//! Space skipping: the distance by which a ray can safely advance without examining cubes.

use super::grid_traversal::GridTraversal;
use super::occupancy_pyramid::Pyramid;
use super::solid_cubes::Solid;
use super::vector::{V, dot, length, scaled, sub};
use zeroset_cloud::point_distance::Edt;
use zeroset_core::Cpu;
use zeroset_core::error::{Error, Result};

/// The distance from the center of a unit cube to its corners, sqrt(3)/2.
pub(super) const HALF_DIAGONAL: f64 = 0.866_025_403_784_438_6;
/// The amount by which steps are shortened, in voxels. It is far larger than rounding errors.
const MARGIN: f64 = 1.0 / 1024.0;
/// The tolerance for rounding errors in the distance between a cube center and the ray.
const SLACK: f64 = 1e-6;

/// The rule for the length of steps along a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Rule {
    /// Steps to the next cube.
    Walk,
    /// Steps as far as the distance transform allows in all directions.
    Isotropic,
    /// Steps as far as the distance to the nearest candidate allows. Candidates are the cubes in a
    /// cylinder around the ray, which contains every cube that the ray can hit, and the cubes whose
    /// direction differs from that of the ray by at most the angle `cone`. The angle is in radians
    /// and below pi / 2.
    Directional {
        /// The half angle of the cone in radians. With 0, only the cubes in the cylinder are
        /// candidates, which gives the fewest steps.
        cone: f64,
    },
    /// Steps as far as the distance to the nearest cube allows. Considers all cubes, or only the
    /// candidates of [`Rule::Directional`]. This rule is slow, because it examines every cube.
    PointWise {
        /// The half angle of the cone of [`Rule::Directional`] in radians. With `None`, all cubes
        /// are candidates.
        cone: Option<f64>,
    },
}

/// The data that a rule needs for a solid. They are computed once.
#[derive(Clone, Debug)]
pub struct SpaceSkipping(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Walk,
    Isotropic(Vec<f32>),
    Directional(Pyramid, Candidates),
    PointWise(Vec<[u32; 3]>, Option<Candidates>),
}

impl SpaceSkipping {
    /// Computes the data that the rule needs for a solid: the distance transform, the pyramid, or
    /// the list of cubes.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if the cone angle is negative, or pi / 2 or more.
    pub fn new(rule: Rule, solid: &Solid<'_>, cpu: &Cpu) -> Result<Self> {
        let (inside, shape) = (solid.inside(), solid.shape());
        Ok(SpaceSkipping(match rule {
            Rule::Walk => Kind::Walk,
            Rule::Isotropic => Kind::Isotropic(Edt::default().transform(cpu, inside, shape)?),
            Rule::Directional { cone } => {
                let candidates = Candidates::new(cone)?;
                Kind::Directional(cpu.run(|| Pyramid::new(inside, shape)), candidates)
            }
            Rule::PointWise { cone } => {
                let sites = solid.sites();
                Kind::PointWise(sites, cone.map(Candidates::new).transpose()?)
            }
        }))
    }

    /// Returns a value of `t` before which the ray certainly hits nothing. At the given `t`, the
    /// ray is in `cube`.
    pub(super) fn free_to(
        &self,
        solid: &Solid<'_>,
        course: &GridTraversal,
        cube: [i64; 3],
        t: f64,
    ) -> f64 {
        let (at, speed) = (course.at(t), length(course.along));
        let candidates = |site: V, kept: &Candidates, along: V| kept.has(sub(site, at), along);
        let nearest = match &self.0 {
            Kind::Walk => return t,
            Kind::Isotropic(distances) => {
                let radius = f64::from(distances[solid.number(cube)]) - HALF_DIAGONAL - MARGIN;
                return t + way_out(sub(at, cube.map(|i| i as f64)), course.along, radius);
            }
            Kind::Directional(pyramid, kept) => {
                let along = scaled(course.along, 1.0 / speed);
                pyramid.nearest(solid.inside(), at, along, kept)
            }
            Kind::PointWise(sites, kept) => {
                let along = scaled(course.along, 1.0 / speed);
                let places = sites.iter().map(|site| site.map(f64::from));
                let counted =
                    places.filter(|site| kept.is_none_or(|kept| candidates(*site, &kept, along)));
                let squares = counted.map(|site| dot(sub(site, at), sub(site, at)));
                squares.fold(f64::INFINITY, f64::min).sqrt()
            }
        };
        t + (nearest - HALF_DIAGONAL - MARGIN) / speed
    }
}

/// Returns the increase in `t` from the point `at` until the ray leaves a ball around the origin,
/// or 0 if `at` is outside the ball.
fn way_out(at: V, along: V, radius: f64) -> f64 {
    if radius == f64::INFINITY {
        return radius;
    }
    let behind = dot(at, at) - radius * radius;
    if radius <= 0.0 || behind >= 0.0 {
        return 0.0;
    }
    let (a, b) = (dot(along, along), dot(at, along));
    ((b * b - a * behind).sqrt() - b) / a
}

/// The cubes that are candidates for a hit. Their centers lie in a cylinder around the ray that
/// contains all cubes it can hit, or in a cone (docs/pictures.md, "How far rays step").
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidates {
    pub cosine: f64,
    pub sine: f64,
}

impl Candidates {
    pub(super) fn new(cone: f64) -> Result<Self> {
        if !(0.0..std::f64::consts::FRAC_PI_2).contains(&cone) {
            let what = format!("a cone of {cone} radians");
            return Err(Error::usage(what, "give an angle from 0 to below pi / 2"));
        }
        Ok(Candidates { cosine: libm::cos(cone), sine: libm::sin(cone) })
    }

    /// Returns true if the cube whose center is at `offset` from the point on the ray is a
    /// candidate.
    pub(super) fn has(&self, offset: V, along: V) -> bool {
        let (ahead, square) = (dot(offset, along), dot(offset, offset));
        let aside = square - ahead * ahead;
        let reach = HALF_DIAGONAL + SLACK;
        let in_cylinder = ahead > -reach && aside <= reach * reach;
        in_cylinder || ahead >= self.cosine * square.sqrt()
    }

    /// Returns false only if no cube center within `radius` of `offset` can be a candidate.
    pub(super) fn may_have(&self, offset: V, along: V, radius: f64) -> bool {
        let (ahead, square) = (dot(offset, along), dot(offset, offset));
        let aside = (square - ahead * ahead).max(0.0).sqrt();
        let (reach, radius) = (HALF_DIAGONAL + SLACK, radius + SLACK);
        let near_cylinder = ahead > -reach - radius && aside <= reach + radius;
        near_cylinder || aside * self.cosine - ahead * self.sine <= radius
    }
}
