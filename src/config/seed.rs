//! Parses the seeds of a distance: the values of `--from` and `distance.from`.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::expression::Expression;

/// A seed of a distance: vertices, a point, a group, a curve, a zero set or the surface of a
/// region, with an initial value, which has the unit of the result: mesh units, or the unit of time
/// if the case gives a speed. The default is 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[non_exhaustive]
pub enum Seed {
    /// `vertex:17`, `vertex:0,17@0.5`: vertices, numbered from 0 in file order.
    Vertices {
        /// Vertex numbers.
        ids: Vec<u32>,
        /// Initial value at the vertices.
        start: f64,
    },
    /// `point:x,y,z`, `point:x,y,z@0.5`: a point of the mesh.
    Point {
        /// The point, in mesh units.
        at: [f64; 3],
        /// Initial value at the point.
        start: f64,
    },
    /// `group:NAME`, `group:NAME@0.5`: all vertices of a group.
    Group {
        /// Name of the group.
        name: String,
        /// Initial value at the vertices of the group.
        start: f64,
    },
    /// `curve:FILE`, `curve:FILE@0.5`: the lines in a file.
    Curve {
        /// The file, relative to the case file. `${NAME}` stands for an environment variable.
        path: String,
        /// Initial value on the lines.
        start: f64,
    },
    /// `levelset:x^2+y^2-1`, `levelset:sulc@0.5`: the zero set of an expression.
    LevelSet {
        /// Expression without the time t. Only its sign matters, not its magnitude.
        expression: Expression,
        /// Initial value on the zero set.
        start: f64,
    },
    /// `surface:heart`, `surface:3`, `surface:label==3@0.5`: the surface of a region.
    Surface {
        /// Expression without the time t that is true in the region. A number stands for the
        /// group of that name, or for the voxels with that value.
        region: Expression,
        /// Initial value on the surface.
        start: f64,
    },
}

impl JsonSchema for Seed {
    fn schema_name() -> Cow<'static, str> {
        "Seed".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "`vertex:17`, `vertex:0,17`, `point:x,y,z`, `group:NAME`, `curve:FILE`, `levelset:EXPRESSION` or `surface:REGION`, each optionally with `@START`",
            "pattern": "^(vertex|point|group|curve|levelset|surface):",
            "examples": ["vertex:17", "point:1,2,3@0.5", "group:inlet", "curve:line.vtp", "levelset:x^2+y^2-1", "surface:heart"],
        })
    }
}

impl Seed {
    /// Returns the initial value of the seed, in the unit of the result.
    pub fn start(&self) -> f64 {
        match self {
            Seed::Vertices { start, .. }
            | Seed::Point { start, .. }
            | Seed::Group { start, .. }
            | Seed::Curve { start, .. }
            | Seed::LevelSet { start, .. }
            | Seed::Surface { start, .. } => *start,
        }
    }
}

const FORMS: &str = "allowed: vertex:17, vertex:0,17, point:x,y,z, group:NAME, curve:FILE, \
                     levelset:EXPRESSION, surface:REGION, each optionally with @START";

impl FromStr for Seed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = |what: String| format!("`{text}`: {what}; {FORMS}");
        let (kind, rest) =
            text.split_once(':').ok_or_else(|| wrong("the kind and a colon are missing".into()))?;
        // Names may contain '@'. Only a number after the last '@' is an initial value.
        let named = matches!(kind, "group" | "curve" | "levelset" | "surface");
        let (body, start) = match rest.rsplit_once('@') {
            Some((body, number)) => match number.trim().parse::<f64>() {
                Ok(start) if start.is_finite() => (body, start),
                _ if named => (rest, 0.0),
                _ => return Err(wrong(format!("`{number}` is not an initial value"))),
            },
            None => (rest, 0.0),
        };
        match kind {
            "vertex" => {
                let number = |word: &str| {
                    let found = word.trim();
                    found.parse::<u32>().map_err(|_| {
                        wrong(format!("`{found}` is not a vertex number, 0 to {}", u32::MAX))
                    })
                };
                let ids = body.split(',').map(number).collect::<Result<Vec<_>, _>>()?;
                Ok(Seed::Vertices { ids, start })
            }
            "point" => {
                let number = |word: &str| match word.trim().parse::<f64>() {
                    Ok(x) if x.is_finite() => Ok(x),
                    _ => Err(wrong(format!("`{}` is not a coordinate", word.trim()))),
                };
                let at = body.split(',').map(number).collect::<Result<Vec<_>, _>>()?;
                let at = <[f64; 3]>::try_from(at)
                    .map_err(|at| wrong(format!("{} coordinates instead of 3", at.len())))?;
                Ok(Seed::Point { at, start })
            }
            "group" if body.is_empty() => Err(wrong("the group has no name".into())),
            "group" => Ok(Seed::Group { name: body.to_string(), start }),
            "curve" if body.is_empty() => Err(wrong("the curve has no file".into())),
            "curve" => Ok(Seed::Curve { path: body.to_string(), start }),
            "levelset" => Ok(Seed::LevelSet { expression: expression(body)?, start }),
            "surface" => Ok(Seed::Surface { region: expression(body)?, start }),
            _ => Err(wrong(format!("unknown kind `{kind}`"))),
        }
    }
}

/// Parses an expression that may be in quotes.
fn expression(body: &str) -> Result<Expression, String> {
    let body = body.trim();
    let inner = body.strip_prefix('"').and_then(|b| b.strip_suffix('"'));
    Expression::parse(inner.unwrap_or(body)).map_err(|flaw| flaw.to_string())
}

impl TryFrom<String> for Seed {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Seed> for String {
    fn from(seed: Seed) -> String {
        seed.to_string()
    }
}

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Seed::Vertices { ids, .. } => {
                let ids: Vec<_> = ids.iter().map(u32::to_string).collect();
                write!(f, "vertex:{}", ids.join(","))?;
            }
            Seed::Point { at: [x, y, z], .. } => write!(f, "point:{x},{y},{z}")?,
            Seed::Group { name, .. } => write!(f, "group:{name}")?,
            Seed::Curve { path, .. } => write!(f, "curve:{path}")?,
            Seed::LevelSet { expression, .. } => write!(f, "levelset:{expression}")?,
            Seed::Surface { region, .. } => write!(f, "surface:{region}")?,
        }
        if self.start() == 0.0 { Ok(()) } else { write!(f, "@{}", self.start()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zero_set(text: &str, start: f64) -> Seed {
        Seed::LevelSet { expression: text.parse().unwrap(), start }
    }

    #[test]
    fn every_form_is_read_and_written_back() {
        for (text, seed) in [
            ("vertex:17", Seed::Vertices { ids: vec![17], start: 0.0 }),
            ("vertex:0,17@0.5", Seed::Vertices { ids: vec![0, 17], start: 0.5 }),
            ("point:1,-2.5,3e2", Seed::Point { at: [1.0, -2.5, 300.0], start: 0.0 }),
            ("point:1,2,3@4", Seed::Point { at: [1.0, 2.0, 3.0], start: 4.0 }),
            ("group:a:b@c", Seed::Group { name: "a:b@c".into(), start: 0.0 }),
            ("group:inlet@2", Seed::Group { name: "inlet".into(), start: 2.0 }),
            ("curve:a@b.vtp@3", Seed::Curve { path: "a@b.vtp".into(), start: 3.0 }),
            ("levelset:x-{a@b}", zero_set("x-{a@b}", 0.0)),
            ("levelset:\"x - 1\"@2", zero_set("x - 1", 2.0)),
            (
                "surface:label == 3@2",
                Seed::Surface { region: "label == 3".parse().unwrap(), start: 2.0 },
            ),
            (
                "surface:{my heart}",
                Seed::Surface { region: "{my heart}".parse().unwrap(), start: 0.0 },
            ),
        ] {
            assert_eq!(text.parse(), Ok(seed.clone()));
            assert_eq!(seed.to_string().parse(), Ok(seed));
        }
    }

    #[test]
    fn wrong_forms_say_what_is_wrong_and_what_is_allowed() {
        for (text, what) in [
            ("17", "the kind and a colon"),
            ("vertex:-1", "`-1` is not a vertex number"),
            ("vertex:", "`` is not a vertex number"),
            ("vertex:1@x", "`x` is not an initial value"),
            ("point:1,2", "2 coordinates instead of 3"),
            ("point:1,2,nan", "`nan` is not a coordinate"),
            ("group:", "no name"),
            ("edge:1", "unknown kind `edge`"),
            ("curve:", "no file"),
        ] {
            let message = text.parse::<Seed>().unwrap_err();
            assert!(message.contains(what) && message.contains("allowed:"), "{message}");
        }
        let message = "levelset:x+".parse::<Seed>().unwrap_err();
        assert!(message.contains("    | x+"), "it points into the expression: {message}");
    }
}
