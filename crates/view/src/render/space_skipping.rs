//! How far a ray may go without looking.

use super::grid_traversal::GridTraversal;
use super::occupancy_pyramid::Pyramid;
use super::solid::Solid;
use super::vector::{V, dot, length, scaled, sub};
use zeroset_cloud::point_distance::Edt;
use zeroset_core::Cpu;
use zeroset_core::error::{Error, Result};

/// From the center of a unit cube to its corners, sqrt(3)/2.
pub(super) const HALF_DIAGONAL: f64 = 0.866_025_403_784_438_6;
/// Steps are shorter by this much, in voxels: far more than what rounding can do.
const MARGIN: f64 = 1.0 / 1024.0;
/// What rounding can do to the distance of a center from the ray.
const SLACK: f64 = 1e-6;

/// How far steps are.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Rule {
    /// To the next cube.
    Walk,
    /// As far as the distance transform allows in all directions.
    Isotropic,
    /// As far as is free in the direction of the ray: what counts is in a cylinder around the ray that
    /// is as wide as a cube, or within the angle `cone`, in radians below pi / 2, of its direction.
    Directional {
        /// Half of the opening of the cone; 0 for the cylinder alone, with the fewest steps.
        cone: f64,
    },
    /// As far as the distance to the nearest of all cubes, or of those that count in
    /// [`Rule::Directional`], allows, found by looking at each: the definition, and slow.
    PointWise {
        /// As there; `None` for all cubes.
        cone: Option<f64>,
    },
}

/// What a rule needs to know of a solid, made once.
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
    /// Prepares marches through a solid: its distance transform, its pyramid, or the list of its
    /// cubes.
    ///
    /// # Errors
    /// [`Error::Case`] for a cone of pi / 2 or more.
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

    /// Up to which `t` the ray certainly meets nothing, from `t` in `cube` on.
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

/// How much `t` it takes from `at` to leave a ball around 0; 0 outside of it.
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

/// Which centers of cubes count for a ray (numerics 10): those in a cylinder around it that holds all
/// cubes it meets, and those in a cone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidates {
    pub cosine: f64,
    pub sine: f64,
}

impl Candidates {
    pub(super) fn new(cone: f64) -> Result<Self> {
        if !(0.0..std::f64::consts::FRAC_PI_2).contains(&cone) {
            let what = format!("a cone of {cone} radians");
            return Err(Error::usage(what, "give an angle of 0 or more and below pi / 2"));
        }
        Ok(Candidates { cosine: libm::cos(cone), sine: libm::sin(cone) })
    }

    /// Whether the center that lies `offset` from the point on the ray counts.
    pub(super) fn has(&self, offset: V, along: V) -> bool {
        let (ahead, square) = (dot(offset, along), dot(offset, offset));
        let aside = square - ahead * ahead;
        let reach = HALF_DIAGONAL + SLACK;
        let in_cylinder = ahead > -reach && aside <= reach * reach;
        in_cylinder || ahead >= self.cosine * square.sqrt()
    }

    /// False if no center within `radius` of the place `offset` can count.
    pub(super) fn may_have(&self, offset: V, along: V, radius: f64) -> bool {
        let (ahead, square) = (dot(offset, along), dot(offset, offset));
        let aside = (square - ahead * ahead).max(0.0).sqrt();
        let (reach, radius) = (HALF_DIAGONAL + SLACK, radius + SLACK);
        let near_cylinder = ahead > -reach - radius && aside <= reach + radius;
        near_cylinder || aside * self.cosine - ahead * self.sine <= radius
    }
}
