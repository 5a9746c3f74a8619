//! Chooses among attempts: the method and the depth whose surface follows the samples best.

use std::time::Instant;

use super::attempt::{Attempt, Plan, Prepared};
use super::depth::{Chosen, DEPTHS};
use super::directed::Cubes;
use super::{Device, Method, Options, Seconds};
use crate::cloud::{Estimate, estimate_normals};
use crate::error::{Error, Result};
use crate::surface::Topology;
use crate::words::counted;

/// The edge of the cubes of the second attempt with spheres, in mean distances between samples. It
/// is half that of the first attempt, and the smallest at which the radii of the samples still
/// reach their neighbors.
const FINER: f64 = 0.375;

/// If more than one in this many samples lies in one of several close layers, an open surface from
/// estimated normals fails, unless the level set passes the self-check.
const LAYERED: usize = 4;

/// The choice among attempts.
pub(super) struct Choice<'a> {
    pub options: &'a Options,
    pub device: Device<'a>,
    pub seconds: Seconds,
    pub warnings: Vec<String>,
    pub estimated: Option<Estimate>,
    /// Whether the cloud had normals that have no common side.
    pub had_normals: bool,
}

impl Choice<'_> {
    fn attempt(&mut self, plan: &Plan, prepared: &Prepared) -> Result<Attempt> {
        self.options.attempt(plan, prepared, self.device, &mut self.seconds)
    }

    /// Reconstructs from normals. Estimates them if the cloud has none.
    pub fn with_normals(&mut self, prepared: &mut Prepared) -> Result<Attempt> {
        self.estimate(prepared)?;
        match self.options.method {
            Method::Directed => self.attempt(&Plan::Planes, prepared),
            _ => self.by_spheres(prepared),
        }
    }

    /// Estimates the normals if the cloud has none.
    fn estimate(&mut self, prepared: &mut Prepared) -> Result<()> {
        if prepared.cloud.normals.is_none() && !prepared.cloud.is_empty() {
            let start = Instant::now();
            let (normals, estimate) = estimate_normals(&prepared.cloud)?;
            let parts = match estimate.parts {
                1 => String::new(),
                n => format!(", separately for each of its {n} components"),
            };
            let why = match self.had_normals {
                true => "normals",
                false => "the cloud has no normals: they",
            };
            self.warnings.push(format!("{why} are estimated{parts}"));
            (prepared.cloud.normals, self.estimated) = (Some(normals), Some(estimate));
            self.seconds.normals += start.elapsed().as_secs_f64();
        }
        Ok(())
    }

    /// Reconstructs from fitted spheres. If the surface fails the self-check, tries cubes of half
    /// the edge, unless the options state a size.
    fn by_spheres(&mut self, prepared: &Prepared) -> Result<Attempt> {
        let made = self.attempt(&Plan::Spheres(self.options.cubes), prepared);
        if self.options.cubes != Cubes::Safe {
            return made;
        }
        let (rank, cube, why) = match &made {
            Ok(found) => match found.check.failures.first() {
                Some(why) => (found.rank(), found.check.cube, why.clone()),
                None => return made,
            },
            Err(Error::Numerical { what, .. }) => (u32::MAX, prepared.around, what.clone()),
            Err(_) => return made,
        };
        let edge = FINER * cube;
        if edge <= 0.0 {
            return made;
        }
        let Ok(finer) = self.attempt(&Plan::Spheres(Cubes::Edge(edge)), prepared) else {
            return made;
        };
        if finer.rank() < rank {
            self.warnings.push(format!("{why}; cubes of edge {edge:.3e} are used instead"));
            return Ok(finer);
        }
        self.warnings.push(format!("cubes of edge {edge:.3e} were tried and are no better"));
        made
    }

    /// Compares the surface of the level-set method with that of spheres with estimated normals,
    /// and returns the better one.
    ///
    /// Estimated normals are not reliable. However, if they do not all point to the same side, the
    /// surface of the spheres is not closed. The level set confirms a surface of spheres that is
    /// closed, is nearer to the samples, and has the same components and handles. If the spheres
    /// give more components, the level set has joined bodies that are only a few voxels apart.
    fn nearest(&mut self, made: Attempt, prepared: &mut Prepared) -> Attempt {
        let said = self.warnings.len();
        let n_parts = |made: &Attempt| made.surface.components - made.check.shreds;
        let plan = Plan::Spheres(self.options.cubes);
        let spheres = self.estimate(prepared).and_then(|()| self.attempt(&plan, prepared));
        let spheres = spheres.ok().filter(|spheres| {
            spheres.rank() == 0
                && spheres.surface.closed
                && spheres.gaps.mean < made.gaps.mean
                && (n_parts(spheres) > n_parts(&made)
                    || spheres.surface.components == made.surface.components
                        && spheres.surface.genus == made.surface.genus)
        });
        let Some(spheres) = spheres else {
            self.warnings.truncate(said);
            return made;
        };
        if n_parts(&spheres) > n_parts(&made) {
            let warning = format!(
                "the level set has {}, but estimated normals show {}; the method spheres is used \
                 instead",
                counted(n_parts(&made), ["component", "components"]),
                n_parts(&spheres)
            );
            self.warnings.insert(said, warning);
        }
        spheres
    }

    /// Reconstructs by the level-set method. If the surface fails the self-check or is doubtful,
    /// tries the next depth, and then spheres with estimated normals, as far as the options permit.
    pub fn without_normals(&mut self, prepared: &mut Prepared) -> Result<Attempt> {
        let options = self.options;
        let Prepared { around, noise, .. } = *prepared;
        let chosen = Chosen::of(&prepared.cloud, options.cubes, around, noise)?;
        let is_free = options.method == Method::Auto
            && options.curvature.is_none()
            && options.storage.is_none();
        let (mut best, why) = match self.attempt(&Plan::Levelset(&chosen), prepared) {
            Err(Error::Numerical { what, .. }) if is_free => (None, what),
            Err(error) => return Err(error),
            // A requested resolution is kept unless the surface fails the self-check.
            Ok(made) => match made
                .doubt
                .clone()
                .filter(|_| is_free && (options.cubes == Cubes::Safe || !made.check.passed))
            {
                None if is_free && options.cubes == Cubes::Safe => {
                    return Ok(self.nearest(made, prepared));
                }
                None => return Ok(made),
                Some(why) => (Some(made), why),
            },
        };
        let may_be_deeper = options.cubes == Cubes::Safe && DEPTHS.contains(&(chosen.depth + 1));
        if best.is_some() && may_be_deeper {
            let deeper = Chosen { depth: chosen.depth + 1, why: None };
            if let Ok(made) = self.attempt(&Plan::Levelset(&deeper), prepared)
                && best.as_ref().is_none_or(|best| made.rank() < best.rank())
            {
                self.warnings.push(format!("{why}; depth {} is used instead", deeper.depth));
                if made.rank() == 0 {
                    return Ok(made);
                }
                best = Some(made);
            }
        }
        let said = self.warnings.len();
        let spheres = self.with_normals(prepared);
        let is_known = best.as_ref().is_some_and(|best| best.check.passed);
        match (best, spheres) {
            (Some(best), Ok(spheres)) if spheres.rank() >= best.rank() => {
                self.warnings.truncate(said);
                Ok(best)
            }
            (Some(best), Err(_)) => {
                self.warnings.truncate(said);
                Ok(best)
            }
            (_, spheres) => {
                self.warnings.insert(said, format!("{why}; the method spheres is used instead"));
                let mut made = spheres?;
                let n = prepared.cloud.len();
                let layered = self.estimated.map_or(0, |estimate| estimate.layered);
                if !made.surface.closed && !is_known && layered * LAYERED > n {
                    made.check.fail(format!(
                        "the surface is open, although {layered} of {n} samples lie in layers as \
                         close to each other as the samples within a layer: estimated normals may \
                         confuse the sides of a thin part; {}",
                        self.remedy()
                    ));
                }
                if let Some(doubt) = self.unconfirmed_handles(&made.surface) {
                    match is_known {
                        true => self.warnings.push(doubt),
                        false => made.check.fail(doubt),
                    }
                }
                Ok(made)
            }
        }
    }
}

impl Choice<'_> {
    /// Returns a doubt about the handles of a surface from estimated normals that no other surface
    /// confirms.
    fn unconfirmed_handles(&self, surface: &Topology) -> Option<String> {
        let handles = usize::try_from(surface.genus?).ok().filter(|&n| n > 0)?;
        Some(format!(
            "the surface has {}, which only estimated normals show: they may be wrong where two \
             sheets are closer than about two distances between samples; {}",
            counted(handles, ["handle", "handles"]),
            self.remedy()
        ))
    }

    /// Returns what helps if estimated normals confuse the two sides of a thin part.
    fn remedy(&self) -> &'static str {
        match self.had_normals {
            true => "the given normals do not tell the sides apart either, so use denser samples",
            false => "give normals of the scanner, or denser samples",
        }
    }
}
