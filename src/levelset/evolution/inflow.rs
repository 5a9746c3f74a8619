//! Inflow boundaries, where the interior does not determine phi, so that phi is held or given
//! (docs/level-set.md, section 2.7).

use std::borrow::Cow;

use nalgebra::Matrix3;

use super::breakdown::{Flaw, What};
use super::check;
use super::coefficients::Term;
use super::problem::Problem;
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::expression::Field;
use crate::geometry::{Real, Vec3, simplex::Simplex};
use crate::parallel::*;
use crate::patches::{Coordinates, Patch, Patches};
use crate::primitives::SparseSet;

/// The threshold for inflow: a boundary vertex counts as inflow if its net inward flux exceeds this
/// fraction of the sum of the magnitudes of the fluxes around it. With this threshold, walls along
/// the flow do not count as inflow even though their facets only approximate them.
pub(super) const INFLOW: f64 = 0.01;

/// A vertex with a facet that belongs to only one cell.
struct AtSingleFacet {
    /// The vertex (patch order) and its patch.
    place: (u32, u32),
    /// The result of [`gap`] at the vertex.
    gap: Option<Option<[f64; 3]>>,
}

/// The boundary vertices where the velocity points into the domain.
pub(super) struct Inflow {
    /// The boundary vertices with their patches, in patch order.
    boundary: Vec<(u32, u32)>,
    /// The vectors that [`Inflow::gap`] returns, one per boundary vertex. Empty if the mesh has no
    /// gaps.
    gaps: Vec<[f64; 3]>,
    /// The vertices next to gaps, on the boundary and inside, in patch order.
    at_gaps: Vec<u32>,
    /// The inflow vertices, in patch order.
    vertices: Vec<u32>,
    /// The patches with an inflow vertex, and their neighbors, if inflow values are given. They are
    /// examined in addition to the band.
    patches: SparseSet,
    /// The patches with a boundary vertex, if inflow values are given.
    boundary_patches: Vec<u32>,
    /// The given values of phi, with rows in patch order.
    values: Option<Field>,
}

impl Inflow {
    /// Returns an inflow without boundary vertices.
    pub fn none() -> Self {
        Inflow {
            boundary: Vec::new(),
            vertices: Vec::new(),
            patches: SparseSet::default(),
            boundary_patches: Vec::new(),
            gaps: Vec::new(),
            at_gaps: Vec::new(),
            values: None,
        }
    }

    /// Creates the inflow of a mesh with its boundary, and with the given inflow values, if any.
    pub fn new<R: Real>(
        patches: &Patches,
        coordinates: &Coordinates<R>,
        values: Option<&Field>,
    ) -> Self {
        let on_boundary = |p: usize| {
            let patch = patches.patch(p);
            let x = coordinates.of(patches, p);
            (0..patch.n_owned)
                .filter(|&k| is_on_boundary(&patch, patches.arity(), k))
                .map(|k| AtSingleFacet {
                    place: ((patch.first + k) as u32, p as u32),
                    gap: if patches.arity() < 4 { Some(None) } else { gap(&patch, x, k) },
                })
                .collect::<Vec<_>>()
        };
        let all: Vec<AtSingleFacet> =
            (0..patches.len()).into_par_iter().flat_map_iter(on_boundary).collect();
        let at_gaps = all.iter().filter(|at| at.gap != Some(None)).map(|at| at.place.0).collect();
        let (boundary, gaps): (Vec<_>, Vec<Option<[f64; 3]>>) =
            all.into_iter().filter_map(|at| Some((at.place, at.gap?))).unzip();
        let has_gaps = gaps.iter().any(Option::is_some);
        let gaps = gaps.into_iter().filter(|_| has_gaps).map(Option::unwrap_or_default).collect();
        let mut boundary_patches = Vec::new();
        if values.is_some() {
            boundary_patches.extend(boundary.iter().map(|&(_, p)| p));
            boundary_patches.dedup();
        }
        Inflow {
            vertices: Vec::with_capacity(boundary.len()),
            patches: SparseSet::new(patches.len()),
            boundary,
            boundary_patches,
            gaps,
            at_gaps,
            values: values.map(|field| field.reordered(patches.mesh_vertices())),
        }
    }

    /// Returns the boundary vertices with their patches, in patch order.
    pub fn boundary(&self) -> &[(u32, u32)] {
        &self.boundary
    }

    /// Returns the vector whose scalar product with the velocity is the flux out of the gaps at
    /// `boundary()[k]`. A gap is a place where the repair of the mesh left out flat tetrahedra, or
    /// where the two sides are divided differently. The faces next to a gap belong to only one
    /// cell, but are not on the boundary.
    pub fn gap(&self, k: usize) -> [f64; 3] {
        self.gaps.get(k).copied().unwrap_or_default()
    }

    /// Returns the vertices next to gaps (see [`Inflow::gap`]), on the boundary and inside, in
    /// patch order.
    pub fn at_gaps(&self) -> &[u32] {
        &self.at_gaps
    }

    /// Returns the given inflow values, if any, with rows in patch order.
    pub fn values(&self) -> Option<&Field> {
        self.values.as_ref()
    }

    /// Returns the inflow vertices (patch order), in ascending order.
    pub fn vertices(&self) -> &[u32] {
        &self.vertices
    }

    /// Returns whether inflow values are given.
    pub fn has_values(&self) -> bool {
        self.values.is_some()
    }

    /// Returns the patches through which an interface may enter: those with an inflow vertex, and
    /// their neighbors. Empty if no inflow values are given.
    pub fn patches(&self) -> &[u32] {
        self.patches.list()
    }

    /// Returns the patches with a boundary vertex, if inflow values are given. The velocity must be
    /// known there, because it decides where the values are needed.
    pub fn boundary_patches(&self) -> &[u32] {
        &self.boundary_patches
    }

    /// Returns whether inflow values are given and depend on time.
    pub fn varies(&self) -> bool {
        self.values.as_ref().is_some_and(Field::uses_time)
    }

    /// Finds the vertices where `velocity` points inward.
    pub fn follow<R: Real>(
        &mut self,
        patches: &Patches,
        coordinates: &Coordinates<R>,
        velocity: &Term<R, 3>,
    ) {
        self.vertices.clear();
        self.patches.clear();
        for k in 0..self.boundary.len() {
            let ((v, p), gap) = (self.boundary[k], self.gap(k));
            let flows_in = match patches.arity() {
                3 => flows_in::<R, 3>(patches, coordinates, velocity, v, p, gap),
                _ => flows_in::<R, 4>(patches, coordinates, velocity, v, p, gap),
            };
            if !flows_in {
                continue;
            }
            self.vertices.push(v);
            if self.values.is_some() {
                // The neighbors of the patch also contain its cells at the patch boundary, which
                // the interface may cut.
                self.patches.extend([p]);
                self.patches.extend(patches.neighbors(p as usize).iter().copied());
            }
        }
    }
}

/// Returns whether the velocity points inward at a boundary vertex.
///
/// The flux around the vertex is `sum meas a . grad N_i`, the integral of `N_i a . nu` over the
/// boundary and next to gaps. The flux out of the gaps is added, so that it cancels.
fn flows_in<R: Real, const N: usize>(
    patches: &Patches,
    coordinates: &Coordinates<R>,
    velocity: &Term<R, 3>,
    vertex: u32,
    p: u32,
    gap: [f64; 3],
) -> bool {
    let patch = patches.patch(p as usize);
    let x = coordinates.of(patches, p as usize);
    let own = Vec3::from(velocity.mean::<N>(&patch, &[vertex - patch.first as u32; N]));
    let mut flux = own.dot(&Vec3::from(gap.map(R::of)));
    let mut size = flux.abs();
    for &slot in patch.row(vertex as usize - patch.first) {
        let (first, corner) = (slot as usize / N * N, slot as usize % N);
        let corners = &patch.corners[first..first + N];
        let x: [Vec3<R>; N] = std::array::from_fn(|i| x[corners[i] as usize]);
        let s = Simplex::new(&x);
        let a = Vec3::from(velocity.mean::<N>(&patch, corners));
        let k = s.meas * a.dot(&s.grads[corner]);
        flux += k;
        size += k.abs();
    }
    flux < -R::of(INFLOW) * size
}

/// Returns whether an owned vertex has a facet that belongs to only one cell.
fn is_on_boundary(patch: &Patch<'_>, arity: usize, local: usize) -> bool {
    let mut facets: Vec<[u32; 2]> = Vec::with_capacity(patch.row(local).len() * 3);
    for &slot in patch.row(local) {
        let first = slot as usize / arity * arity;
        let others = patch.corners[first..first + arity].iter().filter(|&&c| c as usize != local);
        let mut others: Vec<u32> = others.copied().collect();
        others.sort_unstable();
        match others[..] {
            // An edge is identified by its other end, a face by its other two vertices.
            [a, b] => facets.extend([[a, a], [b, b]]),
            [a, b, c] => facets.extend([[a, b], [a, c], [b, c]]),
            _ => {}
        }
    }
    facets.sort_unstable();
    facets.chunk_by(|a, b| a == b).any(|same| same.len() == 1)
}

/// Returns the [`Inflow::gap`] of an owned vertex with a face that belongs to only one tetrahedron.
/// Returns `None` if the vertex is not on the boundary, because all of its faces with only one cell
/// are next to gaps. `Some(None)` means that the vertex is on the boundary and has no gaps.
fn gap<R: Real>(patch: &Patch<'_>, x: &[Vec3<R>], local: usize) -> Option<Option<[f64; 3]>> {
    /// The slope at which a probe leaves a face. Gaps are thinner than a wedge of this slope, and
    /// openings are wider.
    const SLOPE: f64 = 0.02;
    /// The search compares all tetrahedra at a vertex with each other. A vertex with more of them
    /// than this is a hub of many thin cells, and is assumed to have no gaps.
    const MOST_CELLS: usize = 1 << 10;
    /// The rounding error of the weights of a probe, as a fraction of the largest weight.
    const ROUNDING: f64 = 1e-4;
    if patch.row(local).len() > MOST_CELLS {
        return Some(None);
    }
    let at = |corner: u32| x[corner as usize].map(R::to_f64);
    let origin = at(local as u32);
    // The other corners of the tetrahedra, and their positions relative to the vertex.
    let around: Vec<([u32; 3], Matrix3<f64>)> = patch
        .row(local)
        .iter()
        .filter_map(|&slot| {
            let first = slot as usize / 4 * 4;
            let others = patch.corners[first..first + 4].iter().filter(|&&c| c as usize != local);
            let others: [u32; 3] = others.copied().collect::<Vec<_>>().try_into().ok()?;
            Some((others, Matrix3::from_columns(&others.map(|c| at(c) - origin))))
        })
        .collect();
    let inverses: Vec<Matrix3<f64>> =
        around.iter().map(|(_, edges)| edges.try_inverse().unwrap_or_default()).collect();
    let (mut sum, mut n_gaps, mut n_faces) = (nalgebra::Vector3::zeros(), 0, 0);
    for (cell, (corners, edges)) in around.iter().enumerate() {
        for k in 0..3 {
            let [i, j] = [(k + 1) % 3, (k + 2) % 3];
            let (b, c) = (corners[i], corners[j]);
            let has_face = |(others, _): &([u32; 3], _)| others.contains(&b) && others.contains(&c);
            if around.iter().filter(|&other| has_face(other)).count() > 1 {
                continue;
            }
            n_faces += 1;
            let (b, c, opposite) = (edges.column(i), edges.column(j), edges.column(k));
            let outward = b.cross(&c);
            let outward = if outward.dot(&opposite) > 0.0 { -outward } else { outward };
            let probe = b.normalize() + c.normalize() + outward.normalize() * SLOPE;
            let is_filled = |k: usize| {
                // The probe may run along a face between two tetrahedra, for example if the two
                // sides cut a quadrilateral along different diagonals.
                let weights = inverses[k] * probe;
                weights.min() > -ROUNDING * weights.max()
            };
            if (0..around.len()).any(|other| other != cell && is_filled(other)) {
                n_gaps += 1;
                // N_i has the mean 1/3 on a face, whose area is half the length of the cross
                // product.
                sum -= outward / 6.0;
            }
        }
    }
    (n_gaps < n_faces).then_some((n_gaps > 0).then_some(sum.into()))
}

impl<R: Real> Problem<R> {
    /// Sets phi^(n+1) at inflow vertices to the given values at time `t`, clamped to plus or minus
    /// the half width.
    ///
    /// Raises `reach` to the largest absolute value set, if that is larger.
    ///
    /// # Errors
    /// Returns a [`Flaw`] if a value is not finite.
    pub fn apply_inflow(
        &self,
        t: f64,
        next: &mut [R],
        reach: &mut R,
    ) -> std::result::Result<(), Flaw> {
        let width = self.half_width();
        for &v in &self.inflow.vertices {
            let v = v as usize;
            let Some(value) = self.given_inflow(v, t) else { return Ok(()) };
            if !value.is_finite() {
                return Err(bad_inflow(value, v, t));
            }
            let value = R::of(value).max(-width).min(width);
            next[v] = value;
            // Without a band, the value has no bound and must not be mistaken for a blow-up.
            *reach = reach.max(value.abs());
        }
        Ok(())
    }

    /// Returns the given inflow value at a vertex (patch order) at time `t`, or `None` if no values
    /// are given.
    pub fn given_inflow(&self, v: usize, t: f64) -> Option<f64> {
        let (values, sites) = (self.inflow.values.as_ref()?, self.sites.as_ref()?);
        let mut value = [0.0];
        values.evaluate_into(&sites.points, v..v + 1, t, &mut value);
        Some(value[0])
    }

    /// Returns whether an interface may enter later even if there is none now.
    ///
    /// This is the case if inflow values are given, they or the velocity depend on time, and the
    /// velocity points inward at a vertex of the boundary or may do so later.
    pub fn may_enter(&self) -> bool {
        let inflow = &self.inflow;
        let velocity_varies = self.motion.velocity.as_ref().is_some_and(Term::varies);
        let may_flow_in =
            if velocity_varies { !inflow.boundary.is_empty() } else { !inflow.vertices.is_empty() };
        may_flow_in && (inflow.varies() || inflow.has_values() && velocity_varies)
    }

    /// Returns phi at the start, in mesh order. If the given phi has no interface and the inflow
    /// values at the start time create one, they replace phi at the inflow vertices, as after every
    /// step.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if there is no interface and none can enter, or if there is none and
    /// an inflow value at the start time is not finite.
    pub fn start<'p>(&self, phi: &'p [f64]) -> Result<Cow<'p, [f64]>> {
        let Some(is_inside) = one_side(phi) else { return Ok(Cow::Borrowed(phi)) };
        let mut entered = phi.to_vec();
        let mesh_vertices = self.patches.mesh_vertices();
        for &v in &self.inflow.vertices {
            if let Some(value) = self.given_inflow(v as usize, self.options.start_time) {
                entered[mesh_vertices[v as usize] as usize] = value;
            }
        }
        check::not_finite("inflow", &entered)?;
        if one_side(&entered).is_none() {
            return Ok(Cow::Owned(entered));
        }
        if self.may_enter() {
            return Ok(Cow::Borrowed(phi));
        }
        let why = if !self.inflow.has_values() {
            ""
        } else if self.inflow.boundary.is_empty() {
            ", and nothing can flow in because the mesh has no boundary"
        } else if self.inflow.vertices.is_empty() {
            ", and the velocity points inward nowhere on the boundary"
        } else {
            ", and so are all values of inflow, which do not change"
        };
        Err(check::no_interface(phi.len(), is_inside, why))
    }

    /// Copies the inflow values of a successful step from `next` to `phi` at vertices that do not
    /// move. Returns whether an interface enters there, outside the current band.
    pub fn keep_inflow(&self, moving: &[bool], phi: &mut [R], next: &[R]) -> bool {
        if self.inflow.values.is_none() {
            return false;
        }
        let mut enters = false;
        for &v in &self.inflow.vertices {
            let v = v as usize;
            if !moving[v] {
                enters |= (phi[v] < R::zero()) != (next[v] < R::zero());
                phi[v] = next[v];
            }
        }
        enters
    }
}

/// Returns whether all values are inside (phi < 0), or `None` if some are inside and some outside,
/// or if there are no values.
fn one_side(phi: &[f64]) -> Option<bool> {
    let first = *phi.first()? < 0.0;
    phi.iter().all(|&value| (value < 0.0) == first).then_some(first)
}

/// Returns the failure for a given value that is not finite, at a vertex in patch order.
pub(super) fn bad_inflow(value: f64, vertex: usize, time: f64) -> Flaw {
    Flaw { what: What::Coefficient("inflow", value), vertex, time, dt: 0.0 }
}
