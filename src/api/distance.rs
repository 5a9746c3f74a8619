//! Distances on a mesh.

use std::sync::Arc;

use tracing::subscriber::NoSubscriber;

use super::conduction::{Arrays, Conduction};
use super::mesh::mask;
use super::source::expression;
use super::{Control, Mesh, Source, Subject, Values};
use crate::config::{Config, Distance, FrontShape, Seed, Speed};
use crate::error::{Error, Result};
use crate::levelset::eikonal::path::Path;
use crate::output::Report;
use crate::run::mesh_setup::MeshSetup;
use crate::run::task::Stages;
use crate::volume::Volume;

/// Options of [`distance_with`]. The defaults are those of `zeroset distance`.
///
/// ```
/// use zeroset::Source;
/// use zeroset::api::DistanceOptions;
/// let corners = vec![[0.0; 3], [4.0, 0.0, 0.0], [4.0, 3.0, 0.0], [0.0, 3.0, 0.0]];
/// let mesh = zeroset::Mesh::triangles(corners, &[[0, 1, 2], [0, 2, 3]])?;
/// let far = [Source::Vertex(2)];
/// let options = DistanceOptions::default().speed(2.0).labels(true).paths_from(far);
/// let found = zeroset::distance_with(&mesh, &[Source::Vertex(0)], &options)?;
/// assert_eq!(found.values, [0.0, 2.0, 2.5, 1.5]); // times
/// assert_eq!(found.labels, Some(vec![0; 4]));
/// assert_eq!(found.paths.len(), 1);
/// # Ok::<(), zeroset::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct DistanceOptions {
    /// The start values, one per source, `[sources]`, in mesh units (times if a speed is given). If
    /// empty, all are 0.
    pub starts: Vec<f64>,
    /// The largest distance to compute, in mesh units (a time if a speed is given). `None` for no
    /// limit.
    pub within: Option<f64>,
    /// The speed of the front in mesh units per time, 1 by default. A per-vertex array or an
    /// expression is evaluated at the cell centroids.
    pub speed: Option<Values>,
    /// A speed that depends on the direction, instead of [`DistanceOptions::speed`].
    pub conduction: Option<Conduction>,
    /// A speed from a volume, instead of [`DistanceOptions::speed`]: its values at the centroids of
    /// the cells, in mesh units per time, interpolated trilinearly in world coordinates. Outside
    /// the volume, the value at its nearest point is used, with a warning.
    pub speed_volume: Option<Arc<Volume>>,
    /// The shape of the front.
    pub front: FrontShape,
    /// Whether the distance from the surface of a region is negative inside.
    pub signed: bool,
    /// Whether to move a point or curve to the mesh even if it is more than an edge length away.
    pub snap: bool,
    /// Excludes cells with a vertex where this expression is 0 or NaN.
    pub mask: Option<String>,
    /// Whether to compute [`Distances::labels`].
    pub labels: bool,
    /// Whether to compute [`Distances::gradient`].
    pub gradient: bool,
    /// Whether to compute [`Distances::velocity`].
    pub velocity: bool,
    /// Starting points of the paths to compute: vertices or points.
    pub paths_from: Vec<Source>,
    /// Progress and cancellation.
    pub control: Control,
}

impl DistanceOptions {
    /// Sets the start values, one per source, in mesh units (times if a speed is given).
    pub fn starts(mut self, starts: impl Into<Vec<f64>>) -> Self {
        self.starts = starts.into();
        self
    }

    /// Sets the largest distance to compute, in mesh units (a time if a speed is given).
    pub fn within(mut self, distance: f64) -> Self {
        self.within = Some(distance);
        self
    }

    /// Sets the speed of the front in mesh units per time: a number, an expression or an array.
    pub fn speed(mut self, speed: impl Into<Values>) -> Self {
        self.speed = Some(speed.into());
        self
    }

    /// Sets a speed that depends on the direction.
    pub fn conduction(mut self, conduction: Conduction) -> Self {
        self.conduction = Some(conduction);
        self
    }

    /// Sets a speed from the values of a volume, in mesh units per time.
    ///
    /// ```
    /// use zeroset::{Source, api::DistanceOptions, volume::{Placement, Samples, Volume}};
    /// let corners = vec![[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    /// let mesh = zeroset::Mesh::triangles(corners, &[[0, 1, 2], [0, 2, 3]])?;
    /// let volume = Volume::new([2, 2, 1], Samples::from(vec![4.0; 4]), Placement::identity())?;
    /// let options = DistanceOptions::default().speed_volume(volume);
    /// let found = zeroset::distance_with(&mesh, &[Source::Vertex(0)], &options)?;
    /// assert_eq!(found.values[1], 0.25); // times
    /// # Ok::<(), zeroset::Error>(())
    /// ```
    pub fn speed_volume(mut self, volume: impl Into<Arc<Volume>>) -> Self {
        self.speed_volume = Some(volume.into());
        self
    }

    /// Sets the shape of the front.
    pub fn front(mut self, shape: FrontShape) -> Self {
        self.front = shape;
        self
    }

    /// Sets whether the distance from the surface of a region is negative inside.
    pub fn signed(mut self, signed: bool) -> Self {
        self.signed = signed;
        self
    }

    /// Sets whether to move a point or curve to the mesh even if it is more than an edge length
    /// away.
    pub fn snap(mut self, snap: bool) -> Self {
        self.snap = snap;
        self
    }

    /// Excludes cells with a vertex where an expression is 0 or NaN.
    pub fn mask(mut self, expression: impl Into<String>) -> Self {
        self.mask = Some(expression.into());
        self
    }

    /// Sets whether to compute [`Distances::labels`].
    pub fn labels(mut self, labels: bool) -> Self {
        self.labels = labels;
        self
    }

    /// Sets whether to compute [`Distances::gradient`].
    pub fn gradient(mut self, gradient: bool) -> Self {
        self.gradient = gradient;
        self
    }

    /// Sets whether to compute [`Distances::velocity`].
    pub fn velocity(mut self, velocity: bool) -> Self {
        self.velocity = velocity;
        self
    }

    /// Sets the starting points of the paths to compute: vertices or points.
    pub fn paths_from(mut self, sources: impl Into<Vec<Source>>) -> Self {
        self.paths_from = sources.into();
        self
    }

    /// Sets how the call reports its progress and is canceled.
    pub fn control(mut self, control: Control) -> Self {
        self.control = control;
        self
    }
}

/// The result of a distance computation.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Distances {
    /// The distance of each vertex of the file, `[vertices]`, in mesh units (a time if a speed is
    /// given). NaN at vertices that no front reaches. At vertices farther away than
    /// [`DistanceOptions::within`], it is this limit.
    pub values: Vec<f64>,
    /// The index of the nearest source for each vertex of the file, `[vertices]`, or -1 at vertices
    /// that no front reaches.
    pub labels: Option<Vec<i32>>,
    /// The gradient at each vertex of the file, `[vertices]`, in the unit of `values` per mesh
    /// unit. NaN where there is none.
    pub gradient: Option<Vec<[f64; 3]>>,
    /// The velocity of the front in each cell of the file, `[cells]`, in mesh units per unit of
    /// `values`, normal to the front. NaN in cells that the front does not cross or does not reach
    /// completely, that contain a part of a source, or that the mask or a repair removes.
    pub velocity: Option<Vec<[f64; 3]>>,
    /// The paths from [`DistanceOptions::paths_from`] to their sources, one for each vertex or
    /// point.
    pub paths: Vec<Path>,
    /// The vertices of the file that the solver used, in the order of its mesh. The other vertices
    /// were joined with one of these, or belong to no cell.
    pub used_vertices: Vec<u32>,
    /// Warnings about the mesh and the result, one sentence each.
    pub warnings: Vec<String>,
    /// The subject of each warning, `[warnings]`.
    pub subjects: Vec<Subject>,
    /// "cpu" or "cuda".
    pub backend: &'static str,
}

/// Computes the distance from sources to every vertex of a mesh.
///
/// ```
/// use zeroset::Source;
/// let mesh = zeroset::read("meshes/fsaverage5_pial_left.gii.gz")?;
/// let found = zeroset::distance(&mesh, &[Source::Vertex(0), Source::Vertex(7)])?;
/// assert_eq!((found.values.len(), found.values[7]), (mesh.n_vertices(), 0.0));
/// # Ok::<(), zeroset::Error>(())
/// ```
///
/// # Errors
/// Returns [`Error::Case`] for a source that does not exist or is too far from the mesh,
/// [`Error::Mesh`] for a mesh that the solver cannot use, and [`Error::Device`] if memory runs out.
pub fn distance(mesh: &Mesh, sources: &[Source]) -> Result<Distances> {
    distance_with(mesh, sources, &DistanceOptions::default())
}

/// Computes a distance like [`distance`], with options.
///
/// ```
/// use zeroset::{Source, api::DistanceOptions};
/// let mesh = zeroset::read("meshes/fsaverage5_pial_left.gii.gz")?;
/// let options = DistanceOptions::default().within(40.0).speed("1 + 0.1 * (z > 0)");
/// let found = zeroset::distance_with(&mesh, &[Source::Vertex(0)], &options)?;
/// assert!(found.values.iter().all(|&time| time <= 40.0));
/// # Ok::<(), zeroset::Error>(())
/// ```
///
/// # Errors
/// Returns the errors of [`distance`], [`Error::Case`] for options that are out of range or do not
/// fit together, and [`Error::Interrupted`] if the call is canceled.
pub fn distance_with(
    mesh: &Mesh,
    sources: &[Source],
    options: &DistanceOptions,
) -> Result<Distances> {
    solve(mesh, sources, options, Log::Warnings).map(|solved| solved.distances)
}

/// Whether a solve writes its warnings to the log. It returns them in any case.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Log {
    Warnings,
    Nothing,
}

/// Distances, and what only some callers need.
pub(super) struct Solved {
    pub distances: Distances,
    /// The number of vertices behind skinny triangles.
    pub behind_skinny: usize,
}

/// Computes a distance like [`distance_with`].
pub(super) fn solve(
    mesh: &Mesh,
    sources: &[Source],
    options: &DistanceOptions,
    log: Log,
) -> Result<Solved> {
    let (mut setup, distance) = prepared(mesh, sources, options)?;
    let cpu = mesh.cpu()?;
    let mut report = Report::new(&setup.config, cpu.threads());
    setup.note(&mut report);
    let of_mesh = report.warnings.len();
    let mut stage = Stages::new(&options.control, &options.control.interrupt);
    let mut solve = || {
        if let Some(volume) = &options.speed_volume {
            report.warnings.extend(setup.set_speeds(SPEED, volume)?);
        }
        setup.distance(&distance, &mut report, &mut stage)
    };
    let found = cpu.run(|| match log {
        Log::Warnings => solve(),
        Log::Nothing => tracing::subscriber::with_default(NoSubscriber::new(), solve),
    })?;
    let cleaned = &setup.cleaned;
    let none = [f64::NAN; 3];
    let gradient = found.extras.gradient.as_ref();
    let velocity = found.extras.velocity.as_ref().map(|velocity| {
        let mut of_file = vec![none; mesh.n_cells()];
        let cells = velocity.iter().enumerate();
        cells.for_each(|(c, of_cell)| of_file[cleaned.stored_cell(c) as usize] = *of_cell);
        of_file
    });
    let behind_skinny = report.distances.as_ref().map_or(0, |distances| distances.behind_skinny);
    let distances = Distances {
        values: cleaned.as_stored(&found.values, f64::NAN),
        labels: found.extras.labels.as_ref().map(|labels| cleaned.as_stored(labels, -1)),
        gradient: gradient.map(|gradient| cleaned.as_stored(&gradient.vertices, none)),
        velocity,
        paths: found.paths,
        used_vertices: cleaned.cleaning.kept_vertices.clone(),
        subjects: Subject::of_task(mesh, of_mesh, report.warnings.len()),
        warnings: report.warnings,
        backend: report.backend,
    };
    Ok(Solved { distances, behind_skinny })
}

/// Returns the case of a distance and its mesh. The speeds of a volume are not set yet.
fn prepared(
    mesh: &Mesh,
    sources: &[Source],
    options: &DistanceOptions,
) -> Result<(MeshSetup, Distance)> {
    let speeds =
        [options.speed.is_some(), options.conduction.is_some(), options.speed_volume.is_some()];
    if speeds.iter().filter(|&&is_given| is_given).count() > 1 {
        let what = "more than one of a speed, a conduction and a volume of speeds is given";
        return Err(Error::usage(what, "give one of them"));
    }
    let mut arrays = Arrays::default();
    let (of_vertices, of_cells) = (&mut arrays.0, &mut arrays.1);
    let speed = match &options.speed {
        None => None,
        Some(Values::Number(speed)) => Some(Speed::Number(*speed)),
        Some(Values::Expression(text)) => Some(Speed::Expression(expression(text)?)),
        Some(Values::PerVertex(values)) => {
            of_vertices.push(mesh.vertex_array(SPEED, values.clone())?);
            Some(Speed::Expression(expression(&format!("{{{SPEED}}}"))?))
        }
        Some(Values::PerCell(values)) => {
            of_cells.push(mesh.cell_array(SPEED, values.clone())?);
            Some(Speed::Data { cell_data: SPEED.into() })
        }
    };
    let mut distance = Distance::default();
    distance.from = seeds(sources, &options.starts)?;
    distance.width = options.within;
    distance.speed = speed;
    if let Some(conduction) = &options.conduction {
        conduction.set(mesh, &mut distance, &mut arrays)?;
    }
    if options.speed_volume.is_some() {
        distance.speed = Some(Speed::Data { cell_data: SPEED.into() });
    }
    distance.signed = options.signed.then_some(true);
    distance.snap = options.snap;
    distance.front = options.front;
    distance.mask = mask(options.mask.as_deref())?;
    distance.labels = options.labels;
    (distance.gradient, distance.velocity) = (options.gradient, options.velocity);
    distance.paths_from = seeds(&options.paths_from, &[])?;
    let config = Config::of_distance(mesh.source(), distance.clone(), Vec::new());
    let setup = mesh.setup(config, arrays, &options.control)?;
    Ok((setup, distance))
}

/// Returns the case of a distance and its mesh.
pub(super) fn complete(
    mesh: &Mesh,
    sources: &[Source],
    options: &DistanceOptions,
) -> Result<(MeshSetup, Distance)> {
    let (mut setup, distance) = prepared(mesh, sources, options)?;
    if let Some(volume) = &options.speed_volume {
        mesh.cpu()?.run(|| setup.set_speeds(SPEED, volume))?;
    }
    Ok((setup, distance))
}

/// The name of the speed array in messages.
const SPEED: &str = "given speed";

/// Returns the sources with their start values, for a case.
fn seeds(sources: &[Source], starts: &[f64]) -> Result<Vec<Seed>> {
    if !starts.is_empty() && starts.len() != sources.len() {
        let what = format!("there are {} start values", starts.len());
        return Err(Error::usage(what, format!("give one for each of {} sources", sources.len())));
    }
    let start = |k: usize| starts.get(k).copied().unwrap_or(0.0);
    sources.iter().enumerate().map(|(k, source)| source.seed(start(k))).collect()
}
