//! Vertices that are far from one another along a mesh: farthest-point sampling.

use super::distance::{Distances, Log, solve};
use super::{DistanceOptions, Mesh, Source, Subject};
use crate::error::{Error, Result};

/// Vertices that are far from one another, and the part of the mesh that is nearest to each. The
/// parts are the cells of the geodesic Voronoi diagram of the vertices.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FarthestPoints {
    /// The vertices of the file, in the order in which they were chosen.
    pub vertices: Vec<u32>,
    /// The distance of each of these vertices from the earlier ones, in mesh units (a time if a
    /// speed is given), in descending order; infinite for the first vertex.
    pub separations: Vec<f64>,
    /// The distance of each vertex of the file from the nearest chosen vertex, `[vertices]`. NaN at
    /// vertices that no front from the first vertex reaches.
    pub values: Vec<f64>,
    /// The index in `vertices` of the nearest chosen vertex for each vertex of the file,
    /// `[vertices]`; the smaller index if two are equally near. -1 where `values` is NaN.
    pub labels: Vec<i32>,
    /// Warnings about the mesh and the result, one sentence each.
    pub warnings: Vec<String>,
    /// The subject of each warning, `[warnings]`.
    pub subjects: Vec<Subject>,
    /// "cpu" or "cuda".
    pub backend: &'static str,
}

/// Chooses `n` vertices that are far from one another along a mesh.
///
/// The first one is `first`, a vertex of the file. Each following one is the vertex whose distance
/// from the earlier ones is largest, the one with the smallest number if there are several (Eldar,
/// Lindenbaum, Porat, Zeevi 1997; along surfaces: Peyre and Cohen 2006). Therefore, the first k of
/// `n` vertices are the same as for `n` = k, and no vertex that is reached is farther from the
/// sample than the last separation.
///
/// Only the part of the mesh that fronts from `first` reach is sampled. `options` may set the
/// speed, the conduction, the front, the mask and the control.
///
/// ```
/// use zeroset::api::{DistanceOptions, farthest_points};
/// let mesh = zeroset::read("meshes/fsaverage5_pial_left.gii.gz")?;
/// let found = farthest_points(&mesh, 20, 0, &DistanceOptions::default())?;
/// assert_eq!((found.vertices.len(), found.vertices[0]), (20, 0));
/// assert!(found.separations.is_sorted_by(|a, b| a >= b));
/// assert!(found.values.iter().all(|&d| d <= found.separations[19]));
/// # Ok::<(), zeroset::Error>(())
/// ```
///
/// # Errors
/// Returns [`Error::Case`] if `first` is not a usable vertex, if the part that fronts reach has
/// fewer than `n` vertices at different places, or if `options` sets anything else; otherwise the
/// errors of [`distance_with`](super::distance_with).
pub fn farthest_points(
    mesh: &Mesh,
    n: usize,
    first: u32,
    options: &DistanceOptions,
) -> Result<FarthestPoints> {
    farthest_points_with(mesh, n, first, options, || ())
}

/// Chooses vertices like [`farthest_points`], and calls `chosen` after each one.
pub(crate) fn farthest_points_with(
    mesh: &Mesh,
    n: usize,
    first: u32,
    options: &DistanceOptions,
    mut chosen: impl FnMut(),
) -> Result<FarthestPoints> {
    check(n, options)?;
    let mut options = options.clone();
    let mut worst = solve(mesh, &[Source::Vertex(first)], &options, Log::Warnings)?;
    let mut found = FarthestPoints::of_first(first, &worst.distances);
    chosen();
    while found.vertices.len() < n {
        let (vertex, separation) = found.farthest();
        if separation == 0.0 {
            let differ = found.vertices.len();
            let what = format!("{n} points are requested, but only {differ} differ");
            let reached = found.values.iter().filter(|value| !value.is_nan()).count();
            let remedy = format!("fronts from vertex {first} reach {reached} vertices");
            return Err(Error::usage(what, remedy));
        }
        // Farther away, an earlier vertex is nearer.
        options.within = Some(separation);
        let solved = solve(mesh, &[Source::Vertex(vertex)], &options, Log::Nothing)?;
        found.add(vertex, separation, &solved.distances);
        chosen();
        if solved.behind_skinny > worst.behind_skinny {
            worst = solved;
        }
    }
    // The warnings differ only in numbers, so those of one solve are enough.
    let new = worst.distances.warnings.iter().filter(|w| !found.warnings.contains(w));
    new.for_each(|warning| tracing::warn!("{warning}"));
    found.warnings = worst.distances.warnings;
    found.subjects = worst.distances.subjects;
    Ok(found)
}

/// Checks that the options do not change what is computed.
fn check(n: usize, options: &DistanceOptions) -> Result<()> {
    if n == 0 {
        return Err(Error::usage("0 points are requested", "request at least one"));
    }
    let unused = [
        ("starts", !options.starts.is_empty()),
        ("within", options.within.is_some()),
        ("signed", options.signed),
        ("snap", options.snap),
        ("labels", options.labels),
        ("gradient", options.gradient),
        ("paths_from", !options.paths_from.is_empty()),
    ];
    match unused.iter().find(|(_, is_set)| *is_set) {
        None => Ok(()),
        Some((name, _)) => {
            let what = format!("the option {name} has no meaning for points far from one another");
            Err(Error::usage(what, "leave it out"))
        }
    }
}

impl FarthestPoints {
    /// Starts with the distance from the first vertex.
    fn of_first(first: u32, solved: &Distances) -> Self {
        let unreached = |value: &f64| if value.is_nan() { -1 } else { 0 };
        FarthestPoints {
            vertices: vec![first],
            separations: vec![f64::INFINITY],
            labels: solved.values.iter().map(unreached).collect(),
            values: solved.values.clone(),
            warnings: solved.warnings.clone(),
            subjects: solved.subjects.clone(),
            backend: solved.backend,
        }
    }

    /// Adds a vertex and the distance from it.
    fn add(&mut self, vertex: u32, separation: f64, solved: &Distances) {
        let label = self.vertices.len() as i32;
        self.vertices.push(vertex);
        self.separations.push(separation);
        let nearest = self.values.iter_mut().zip(&mut self.labels);
        for ((value, nearest), &new) in nearest.zip(&solved.values) {
            if new < *value {
                (*value, *nearest) = (new, label);
            }
        }
    }

    /// Returns the first of the vertices with the largest distance, and this distance.
    fn farthest(&self) -> (u32, f64) {
        let mut farthest = (0, 0.0);
        for (vertex, &value) in self.values.iter().enumerate() {
            if value > farthest.1 {
                farthest = (vertex as u32, value);
            }
        }
        farthest
    }
}
