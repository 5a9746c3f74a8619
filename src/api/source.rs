//! The sources and the values that a facade call accepts.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::config::Seed;
use crate::error::{Error, Result};
use crate::expression::Expression;

/// A source of a distance: the distance is zero there, unless
/// [`DistanceOptions::starts`](super::DistanceOptions::starts) states a different value.
///
/// ```
/// use zeroset::Source;
/// let mesh = zeroset::read("meshes/fsaverage5_pial_left.gii.gz")?;
/// let plane = Source::Zero("z - 20".into());
/// let point: Source = "point:-55,-20,10".parse()?; // as on the command line
/// for source in [plane, point, Source::Vertices(vec![7, 8])] {
///     let found = zeroset::distance(&mesh, &[source])?;
///     assert!(found.values.iter().all(|d| *d >= 0.0));
/// }
/// # Ok::<(), zeroset::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Source {
    /// A vertex of the file, counted from 0.
    Vertex(u32),
    /// Several vertices of the file, counted from 0.
    Vertices(Vec<u32>),
    /// The point of the mesh closest to these coordinates, in mesh units.
    Point([f64; 3]),
    /// All vertices in a sphere, with its center and its radius > 0, in mesh units.
    Sphere([f64; 3], f64),
    /// All vertices in an axis-aligned box, with two opposite corners, in mesh units.
    Box([f64; 3], [f64; 3]),
    /// A group of the mesh.
    Group(String),
    /// The vertices in a CARP list of vertices (`.vtx`).
    VertexList(PathBuf),
    /// The lines in a file, projected onto the mesh.
    Curve(PathBuf),
    /// The zero set of an expression in coordinates, arrays and groups
    /// ([docs/expressions.md](https://github.com/zeroset-developers/zeroset/blob/main/docs/expressions.md)).
    Zero(String),
    /// The surface of the region where an expression is true.
    Surface(String),
}

impl Source {
    /// Returns the source in the form that the command line and the case file use, with a start
    /// value.
    ///
    /// # Errors
    /// Returns [`Error::Case`] for an expression that cannot be parsed, for a sphere or box with
    /// invalid numbers, and for a path that is not valid Unicode.
    pub(super) fn seed(&self, start: f64) -> Result<Seed> {
        let wrong = |what: String| Error::usage(what, "");
        Ok(match self {
            Source::Vertex(id) => Seed::Vertices { ids: vec![*id], start },
            Source::Vertices(ids) => Seed::Vertices { ids: ids.clone(), start },
            Source::Point(at) => Seed::Point { at: *at, start },
            Source::Group(name) => Seed::Group { name: name.clone(), start },
            Source::Sphere(center, radius) => {
                Seed::sphere(*center, *radius, start).map_err(wrong)?
            }
            Source::Box(first, second) => Seed::of_box([*first, *second], start).map_err(wrong)?,
            Source::VertexList(path) => Seed::VertexList { path: unicode(path)?, start },
            Source::Curve(path) => Seed::Curve { path: unicode(path)?, start },
            Source::Zero(text) => Seed::LevelSet { expression: expression(text)?, start },
            Source::Surface(text) => Seed::Surface { region: expression(text)?, start },
        })
    }
}

/// Parses a source in the form of `--from`, such as `group:wall`, without a start value.
impl FromStr for Source {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let seed: Seed = text.parse().map_err(|what: String| Error::usage(what, ""))?;
        if seed.start() != 0.0 {
            let what = format!("`{text}` has a start value");
            return Err(Error::usage(what, "leave it out, and give start values apart"));
        }
        Ok(seed.into())
    }
}

/// Returns the place of a seed, without its start value.
///
/// ```
/// use zeroset::{Source, api::DistanceOptions, config::Stimulus};
/// # let folder = std::env::temp_dir().join(format!("zeroset-stimuli-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder).unwrap();
/// # let path = folder.join("stimuli.csv");
/// # std::fs::write(&path, "vertex,time\n0,0\n7,2.5\n").unwrap();
/// let stimuli = Stimulus::read(&path)?; // .toml, .csv or .vtx
/// let sources: Vec<Source> = stimuli.iter().map(|s| s.seed.clone().into()).collect();
/// let starts: Vec<f64> = stimuli.iter().map(|s| s.seed.start()).collect();
/// let mesh = zeroset::read("meshes/fsaverage5_pial_left.gii.gz")?;
/// let options = DistanceOptions::default().starts(starts).speed(0.6).labels(true);
/// let found = zeroset::distance_with(&mesh, &sources, &options)?;
/// assert_eq!((found.values[7], found.labels.unwrap()[7]), (2.5, 1));
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok::<(), zeroset::Error>(())
/// ```
impl From<Seed> for Source {
    fn from(seed: Seed) -> Self {
        match seed {
            Seed::Vertices { ids, .. } => Source::Vertices(ids),
            Seed::Point { at, .. } => Source::Point(at),
            Seed::Sphere { center, radius, .. } => Source::Sphere(center, radius),
            Seed::Box { corners: [low, high], .. } => Source::Box(low, high),
            Seed::Group { name, .. } => Source::Group(name),
            Seed::VertexList { path, .. } => Source::VertexList(path.into()),
            Seed::Curve { path, .. } => Source::Curve(path.into()),
            Seed::LevelSet { expression, .. } => Source::Zero(expression.to_string()),
            Seed::Surface { region, .. } => Source::Surface(region.to_string()),
        }
    }
}

/// Values on a mesh, such as speeds: one number, an expression, or an array. The item that takes
/// the values states their unit.
///
/// ```
/// use zeroset::{Terms, Values};
/// let mut speeds = vec![1.0; 20480];
/// speeds[0] = 0.5;
/// let terms = Terms::default().curvature(0.1).normal_speed(Values::PerCell(speeds));
/// assert_eq!(terms.curvature, Some(Values::Number(0.1)));
/// assert_eq!(Values::from("1 + x"), Values::Expression("1 + x".into()));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Values {
    /// One number everywhere.
    Number(f64),
    /// An expression in coordinates, arrays and groups
    /// ([docs/expressions.md](https://github.com/zeroset-developers/zeroset/blob/main/docs/expressions.md)).
    Expression(String),
    /// One number for each vertex of the file, `[vertices]`.
    PerVertex(Vec<f64>),
    /// One number for each cell of the mesh, `[cells]` ([`Mesh::n_cells`](super::Mesh::n_cells)).
    PerCell(Vec<f64>),
}

impl From<f64> for Values {
    fn from(number: f64) -> Self {
        Values::Number(number)
    }
}

impl From<&str> for Values {
    fn from(expression: &str) -> Self {
        Values::Expression(expression.to_string())
    }
}

/// Returns a path as text.
fn unicode(path: &Path) -> Result<String> {
    let wrong = || Error::usage(format!("{path:?} is not valid Unicode"), "rename the file");
    path.to_str().map(str::to_string).ok_or_else(wrong)
}

/// Parses an expression.
pub(super) fn expression(text: &str) -> Result<Expression> {
    let remedy = "see docs/expressions.md";
    Expression::parse(text).map_err(|flaw| Error::usage(flaw.to_string(), remedy))
}
