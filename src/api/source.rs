//! The sources and the values that a facade call accepts.

use std::path::PathBuf;
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
    /// A group of the mesh.
    Group(String),
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
    /// Returns [`Error::Case`] for an expression that cannot be parsed, and for a path that is not
    /// valid Unicode.
    pub(super) fn seed(&self, start: f64) -> Result<Seed> {
        Ok(match self {
            Source::Vertex(id) => Seed::Vertices { ids: vec![*id], start },
            Source::Vertices(ids) => Seed::Vertices { ids: ids.clone(), start },
            Source::Point(at) => Seed::Point { at: *at, start },
            Source::Group(name) => Seed::Group { name: name.clone(), start },
            Source::Curve(path) => {
                let path = path.to_str().ok_or_else(|| {
                    Error::usage(format!("{path:?} is not valid Unicode"), "rename the file")
                })?;
                Seed::Curve { path: path.to_string(), start }
            }
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
        let (source, start) = match seed {
            Seed::Vertices { ids, start } => (Source::Vertices(ids), start),
            Seed::Point { at, start } => (Source::Point(at), start),
            Seed::Group { name, start } => (Source::Group(name), start),
            Seed::Curve { path, start } => (Source::Curve(path.into()), start),
            Seed::LevelSet { expression, start } => (Source::Zero(expression.to_string()), start),
            Seed::Surface { region, start } => (Source::Surface(region.to_string()), start),
        };
        if start != 0.0 {
            let what = format!("`{text}` has a start value");
            return Err(Error::usage(what, "leave it out, and give start values apart"));
        }
        Ok(source)
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

/// Parses an expression.
pub(super) fn expression(text: &str) -> Result<Expression> {
    let remedy = "see docs/expressions.md";
    Expression::parse(text).map_err(|flaw| Error::usage(flaw.to_string(), remedy))
}
