//! The definition of an evolution apart from phi and time: mesh, coefficients and options. All
//! devices share it.

use std::sync::Arc;

use super::breakdown::{Flaw, What};
use super::coefficients::Motion;
use super::galerkin::Galerkin;
use super::inflow::Inflow;
use super::map::Triangulation;
use super::sites::Sites;
use super::{Advection, Choices, CurvatureStep, Options, Rule, Slivers, Terms, check};
use crate::Cpu;
use crate::error::Result;
use crate::expression::{Sampling, TimeSpan};
use crate::geometry::Real;
use crate::mesh::Mesh;
use crate::parallel::*;
use crate::patches::{Coordinates, Patches};

/// A mesh in patches, the terms of the equation, and the choices that depend on the mesh.
///
/// Only coefficients and inflow change, and only with time.
pub(super) struct Problem<R: Real> {
    /// The threads that examine the mesh and evaluate coefficients.
    pub cpu: Arc<Cpu>,
    pub patches: Arc<Patches>,
    pub coordinates: Arc<Coordinates<R>>,
    /// The vertices, if a coefficient depends on time or inflow values are given.
    pub sites: Option<Sites>,
    pub motion: Motion<R>,
    pub inflow: Inflow,
    /// The mesh data of second-order advection, if it is used.
    pub galerkin: Option<Galerkin<R>>,
    /// The triangles of the mesh, if advection uses a characteristic map.
    pub triangulation: Option<Triangulation>,
    /// Whether the curvature step is semi-implicit.
    pub implicit: bool,
    /// The flattest cell, if it would make explicit curvature steps too short. The curvature step
    /// is then semi-implicit.
    slivers: Option<Slivers>,
    /// The flattest cell, if it makes first-order steps short.
    slow: Option<Slivers>,
    /// The sizes of the cells, if many of them are thin.
    many_thin: Option<Slivers>,
    /// The smallest inradius that the curvature limit of the time step uses.
    pub least_inradius: R,
    /// The smallest slope of a cell that the curvature term uses; 0 for no bound.
    pub least_slope: R,
    pub options: Options,
}

impl<R: Real> Problem<R> {
    /// Examines the mesh and evaluates the coefficients at the start time.
    ///
    /// # Errors
    /// Returns the errors of [`super::Evolution::new`], except for those about phi.
    pub fn new(
        cpu: Arc<Cpu>,
        mesh: &Mesh,
        patches: Arc<Patches>,
        terms: &Terms,
        options: Options,
    ) -> Result<Self> {
        check::motion(mesh, terms, &options)?;
        let coordinates = Arc::new(Coordinates::new(mesh, &patches));
        cpu.run(|| coordinates.check(&patches))?;
        let motion = Motion::new(terms, &patches);
        let has_galerkin =
            motion.velocity.is_some() && options.advection == Advection::TaylorGalerkin;
        let needs_inflow = has_galerkin || terms.inflow.is_some();
        let inflow = match motion.velocity.is_some() && needs_inflow {
            true => cpu.run(|| Inflow::new(&patches, &coordinates, terms.inflow.as_ref())),
            false => Inflow::none(),
        };
        let has_map = options.advection == Advection::CharacteristicMap;
        let triangulation =
            has_map.then(|| cpu.run(|| Triangulation::new(mesh, patches.mesh_vertices())));
        let least = options.least_quality;
        let galerkin =
            has_galerkin.then(|| cpu.run(|| Galerkin::new(&patches, &coordinates, &inflow, least)));
        let may_be_implicit =
            motion.curvature.is_some() && options.curvature_step != CurvatureStep::Explicit;
        let first_order = motion.velocity.is_some() || motion.normal_speed.is_some();
        // Steps with a characteristic map depend on the mean edge length, not on single cells.
        let flattest = (motion.curvature.is_some() || first_order && !has_map)
            .then(|| cpu.run(|| Slivers::find(&patches, &coordinates)));
        let slivers = flattest.filter(|flattest| may_be_implicit && flattest.matter());
        let slow = flattest.filter(|flattest| first_order && flattest.are_slow());
        let many_thin = flattest.filter(Slivers::are_many);
        let implicit = motion.curvature.is_some()
            && (slivers.is_some() || options.curvature_step.is_implicit());
        let varies = motion.varies();
        let sites = (varies || terms.inflow.is_some())
            .then(|| cpu.run(|| Sites::new(mesh, &patches, varies, options.max_step)));
        if let Some(sites) = &sites {
            motion.warm(&cpu, &patches, sites);
        }
        let mut problem = Problem {
            least_inradius: slivers.map_or(R::zero(), |s| R::of(s.typical_inradius)),
            least_slope: R::of(options.least_slope()),
            cpu,
            patches,
            coordinates,
            sites,
            motion,
            inflow,
            galerkin,
            triangulation,
            implicit,
            slivers,
            slow,
            many_thin,
            options,
        };
        match problem.refresh_all(problem.options.start_time) {
            Ok(()) => Ok(problem),
            Err(flaw) => Err(problem.explain(&flaw, 1).as_error()),
        }
    }

    /// Evaluates all coefficients everywhere at time `t`, and finds the inflow and growth rates.
    fn refresh_all(&mut self, t: f64) -> std::result::Result<(), Flaw> {
        let all: Vec<u32> = (0..self.patches.len() as u32).collect();
        self.refresh(&all, Sampling::At(t))?;
        self.follow_velocity(&all);
        Ok(())
    }

    /// Evaluates the coefficients in the listed patches as `sampling` specifies.
    ///
    /// # Errors
    /// Returns a [`Flaw`] for the first coefficient with an invalid value.
    pub fn refresh(&mut self, list: &[u32], sampling: Sampling) -> std::result::Result<(), Flaw> {
        let Some((name, vertex)) = self.evaluate(list, sampling) else { return Ok(()) };
        let (name, vertex, t) = match sampling {
            Sampling::At(t) => (name, vertex, t),
            Sampling::Bound(span) | Sampling::Mean(span, _) => self.first_invalid(vertex, span),
        };
        Err(self.bad_coefficient(name, vertex, t))
    }

    /// Evaluates the coefficients in the listed patches as `sampling` specifies. Returns the name
    /// of the first coefficient with an invalid value, and the vertex (patch order), or `None` if
    /// all values are valid.
    fn evaluate(&mut self, list: &[u32], sampling: Sampling) -> Option<(&'static str, usize)> {
        let Problem { cpu, patches, sites, motion, .. } = self;
        let sites = sites.as_ref()?;
        cpu.run(|| motion.refresh(patches, list, sites, sampling))
    }

    /// Finds the first of several instants of `span` at which a coefficient is invalid in the patch
    /// of a vertex (patch order), and evaluates the coefficients at this instant. Returns the name
    /// of the coefficient, the vertex and the instant. If there is no such instant, evaluates the
    /// bounds over the span, and returns the middle of the span as the instant.
    #[cold]
    fn first_invalid(&mut self, vertex: usize, span: TimeSpan) -> (&'static str, usize, f64) {
        const INSTANTS: u32 = 64;
        let patch = [self.patches.owner(vertex) as u32];
        let instants = (0..=INSTANTS).map(|k| span.at(f64::from(k) / f64::from(INSTANTS)));
        for t in instants {
            if let Some((name, vertex)) = self.evaluate(&patch, Sampling::At(t)) {
                return (name, vertex, t);
            }
        }
        let found = self.evaluate(&patch, Sampling::Bound(span));
        let (name, vertex) = found.unwrap_or(("coefficient", vertex));
        (name, vertex, span.at(0.5))
    }

    /// Returns the failure for a coefficient with an invalid value at a vertex (patch order).
    pub fn bad_coefficient(&self, name: &'static str, vertex: usize, time: f64) -> Flaw {
        let what = What::Coefficient(name, self.motion.worst(name, vertex));
        Flaw { what, vertex, time, dt: 0.0 }
    }

    /// Finds the boundary vertices where the velocity points inward, and the growth rates of
    /// second-order advection in the listed patches.
    pub fn follow_velocity(&mut self, list: &[u32]) {
        let Problem { cpu, patches, coordinates, motion, inflow, galerkin, .. } = self;
        let Some(velocity) = &motion.velocity else { return };
        inflow.follow(patches, coordinates, velocity);
        if let Some(galerkin) = galerkin {
            cpu.run(|| galerkin.follow(patches, coordinates, velocity, inflow, list));
        }
    }

    /// Returns the half width of the band with its margin; infinite without a band.
    pub fn half_width(&self) -> R {
        self.options.half_width.map_or(R::INFINITY, |w| R::of(w + self.options.halo))
    }

    /// Returns the upper bound on `|phi|`: the half width with its margin in a band, or the largest
    /// absolute value in `phi` (patch order) without a band.
    ///
    /// It is infinite if there is no band and the rule is [`Rule::Never`]. phi may then be rough,
    /// and even a stable step can make it grow beyond its current range (docs/level-set.md, section
    /// 2.4).
    pub fn reach(&self, phi: &[R]) -> R {
        const BLOCK: usize = 4096;
        let largest = |block: &[R]| block.iter().fold(R::zero(), |most, x| most.max(x.abs()));
        match self.options.half_width {
            Some(_) => self.half_width(),
            None if self.options.rule == Rule::Never => R::INFINITY,
            None => {
                self.cpu.run(|| phi.par_chunks(BLOCK).map(largest).reduce(R::zero, |a, b| a.max(b)))
            }
        }
    }

    /// Returns whether semi-implicit curvature steps are extrapolated to second order.
    pub fn is_extrapolated(&self) -> bool {
        self.implicit && self.options.curvature_step == CurvatureStep::Extrapolated
    }

    /// Returns the choices that depend on the mesh.
    pub fn choices(&self) -> Choices {
        Choices {
            poor_cells: self.galerkin.as_ref().map_or(0, |galerkin| galerkin.n_poor_cells),
            implicit: self.implicit,
            slivers: self.slivers.filter(|_| self.options.curvature_step == CurvatureStep::Auto),
            slow: self.slow,
            many_thin: self.many_thin,
        }
    }
}
