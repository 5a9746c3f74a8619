//! Parses the seeds of a distance: the values of `--from` and `distance.from`.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::expression::Expression;

/// A seed of a distance: vertices, a point, the vertices in a sphere, box or list, a group, a
/// curve, a zero set or the surface of a region, with an initial value, which has the unit of the
/// result: mesh units, or the unit of time if the case gives a speed. The default is 0.
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
    /// `sphere:x,y,z,r`, `sphere:x,y,z,r@0.5`: all vertices in a sphere.
    Sphere {
        /// The center, in mesh units.
        center: [f64; 3],
        /// The radius, in mesh units, > 0.
        radius: f64,
        /// Initial value at the vertices in the sphere.
        start: f64,
    },
    /// `box:x,y,z,x,y,z`, `box:x,y,z,x,y,z@0.5`: all vertices in an axis-aligned box.
    Box {
        /// Two opposite corners, in mesh units: the smallest and the largest coordinates.
        corners: [[f64; 3]; 2],
        /// Initial value at the vertices in the box.
        start: f64,
    },
    /// `group:NAME`, `group:NAME@0.5`: all vertices of a group.
    Group {
        /// Name of the group.
        name: String,
        /// Initial value at the vertices of the group.
        start: f64,
    },
    /// `vtx:FILE`, `vtx:FILE@0.5`: the vertices in a CARP list of vertices.
    VertexList {
        /// The file, relative to the case file. `${NAME}` stands for an environment variable.
        path: String,
        /// Initial value at the vertices of the list.
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
            "description": "`vertex:17`, `vertex:0,17`, `point:x,y,z`, `sphere:x,y,z,RADIUS`, `box:x,y,z,x,y,z`, `group:NAME`, `vtx:FILE`, `curve:FILE`, `levelset:EXPRESSION` or `surface:REGION`, each optionally with `@START`",
            "pattern": "^(vertex|point|sphere|box|group|vtx|curve|levelset|surface):",
            "examples": ["vertex:17", "point:1,2,3@0.5", "sphere:1,2,3,0.5", "box:0,0,0,1,1,1", "group:inlet", "vtx:apex.vtx", "curve:line.vtp", "levelset:x^2+y^2-1", "surface:heart"],
        })
    }
}

impl Seed {
    /// Creates the seed that consists of the vertices in a sphere, in mesh units.
    ///
    /// # Errors
    /// Returns a description of the flaw if the radius is not > 0 or a number is not finite.
    pub(crate) fn sphere(center: [f64; 3], radius: f64, start: f64) -> Result<Self, String> {
        if !(radius > 0.0 && radius.is_finite() && center.iter().all(|x| x.is_finite())) {
            let [x, y, z] = center;
            return Err(format!(
                "the center of the sphere is ({x}, {y}, {z}) and its radius {radius}; the radius \
                 must be > 0, and all numbers must be finite"
            ));
        }
        Ok(Seed::Sphere { center, radius, start })
    }

    /// Creates the seed that consists of the vertices in a box with two opposite corners, in mesh
    /// units.
    ///
    /// # Errors
    /// Returns a description of the flaw if a coordinate is not finite.
    pub(crate) fn of_box(corners: [[f64; 3]; 2], start: f64) -> Result<Self, String> {
        if let Some(x) = corners.iter().flatten().find(|x| !x.is_finite()) {
            return Err(format!("a coordinate of the box is {x}; it must be finite"));
        }
        let [a, b] = corners;
        let low = std::array::from_fn(|k| a[k].min(b[k]));
        let high = std::array::from_fn(|k| a[k].max(b[k]));
        Ok(Seed::Box { corners: [low, high], start })
    }

    /// Returns the initial value of the seed, in the unit of the result.
    pub fn start(&self) -> f64 {
        match self {
            Seed::Vertices { start, .. }
            | Seed::Point { start, .. }
            | Seed::Sphere { start, .. }
            | Seed::Box { start, .. }
            | Seed::VertexList { start, .. }
            | Seed::Group { start, .. }
            | Seed::Curve { start, .. }
            | Seed::LevelSet { start, .. }
            | Seed::Surface { start, .. } => *start,
        }
    }

    /// Returns the seed with a different initial value.
    pub(super) fn starting_at(mut self, value: f64) -> Self {
        match &mut self {
            Seed::Vertices { start, .. }
            | Seed::Point { start, .. }
            | Seed::Sphere { start, .. }
            | Seed::Box { start, .. }
            | Seed::VertexList { start, .. }
            | Seed::Group { start, .. }
            | Seed::Curve { start, .. }
            | Seed::LevelSet { start, .. }
            | Seed::Surface { start, .. } => *start = value,
        }
        self
    }
}

const FORMS: &str = "allowed: vertex:17, vertex:0,17, point:x,y,z, sphere:x,y,z,RADIUS, \
                     box:x,y,z,x,y,z, group:NAME, vtx:FILE, curve:FILE, levelset:EXPRESSION, \
                     surface:REGION, each optionally with @START";

/// Returns whether the text of a kind of seed may contain '@'. Only a number after the last '@' is
/// then an initial value.
fn is_named(kind: &str) -> bool {
    matches!(kind, "group" | "vtx" | "curve" | "levelset" | "surface")
}

impl FromStr for Seed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = |what: String| format!("`{text}`: {what}; {FORMS}");
        let (kind, rest) =
            text.split_once(':').ok_or_else(|| wrong("the kind and a colon are missing".into()))?;
        let (body, start) = match rest.rsplit_once('@') {
            Some((body, number)) => match number.trim().parse::<f64>() {
                Ok(start) if start.is_finite() => (body, start),
                _ if is_named(kind) => (rest, 0.0),
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
                let at = numbers(body, ["a coordinate", "coordinates"]).map_err(wrong)?;
                Ok(Seed::Point { at, start })
            }
            "sphere" => {
                let [x, y, z, radius] = numbers(body, ["a number", "numbers"]).map_err(wrong)?;
                Seed::sphere([x, y, z], radius, start).map_err(wrong)
            }
            "box" => {
                let [a, b, c, x, y, z] =
                    numbers(body, ["a coordinate", "coordinates"]).map_err(wrong)?;
                Seed::of_box([[a, b, c], [x, y, z]], start).map_err(wrong)
            }
            "group" if body.is_empty() => Err(wrong("the group has no name".into())),
            "group" => Ok(Seed::Group { name: body.to_string(), start }),
            "vtx" if body.is_empty() => Err(wrong("the list has no file".into())),
            "vtx" => Ok(Seed::VertexList { path: body.to_string(), start }),
            "curve" if body.is_empty() => Err(wrong("the curve has no file".into())),
            "curve" => Ok(Seed::Curve { path: body.to_string(), start }),
            "levelset" => Ok(Seed::LevelSet { expression: expression(body)?, start }),
            "surface" => Ok(Seed::Surface { region: expression(body)?, start }),
            _ => Err(wrong(format!("unknown kind `{kind}`"))),
        }
    }
}

/// Parses N finite numbers that are separated by commas. `words` are the noun for one of them, with
/// its article, and for several.
fn numbers<const N: usize>(body: &str, words: [&str; 2]) -> Result<[f64; N], String> {
    let [one, several] = words;
    let number = |word: &str| match word.trim().parse::<f64>() {
        Ok(x) if x.is_finite() => Ok(x),
        _ => Err(format!("`{}` is not {one}", word.trim())),
    };
    let found = body.split(',').map(number).collect::<Result<Vec<_>, _>>()?;
    found.try_into().map_err(|found: Vec<f64>| format!("{} {several} instead of {N}", found.len()))
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
        let text = match self {
            Seed::Vertices { ids, .. } => {
                let ids: Vec<_> = ids.iter().map(u32::to_string).collect();
                format!("vertex:{}", ids.join(","))
            }
            Seed::Point { at: [x, y, z], .. } => format!("point:{x},{y},{z}"),
            Seed::Sphere { center: [x, y, z], radius, .. } => {
                format!("sphere:{x},{y},{z},{radius}")
            }
            Seed::Box { corners: [[a, b, c], [x, y, z]], .. } => {
                format!("box:{a},{b},{c},{x},{y},{z}")
            }
            Seed::Group { name, .. } => format!("group:{name}"),
            Seed::VertexList { path, .. } => format!("vtx:{path}"),
            Seed::Curve { path, .. } => format!("curve:{path}"),
            Seed::LevelSet { expression, .. } => format!("levelset:{expression}"),
            Seed::Surface { region, .. } => format!("surface:{region}"),
        };
        // The end of a name may look like an initial value.
        let ends_like_start =
            text.rsplit_once('@').is_some_and(|(_, end)| end.trim().parse::<f64>().is_ok());
        match self.start() {
            0.0 if !ends_like_start => f.write_str(&text),
            start => write!(f, "{text}@{start}"),
        }
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
            (
                "sphere:1,-2.5,0,3e-1@4",
                Seed::Sphere { center: [1.0, -2.5, 0.0], radius: 0.3, start: 4.0 },
            ),
            (
                "box:1,0,2,0,0,3",
                Seed::Box { corners: [[0.0, 0.0, 2.0], [1.0, 0.0, 3.0]], start: 0.0 },
            ),
            ("vtx:a@b.vtx@2", Seed::VertexList { path: "a@b.vtx".into(), start: 2.0 }),
            ("group:a@2@0", Seed::Group { name: "a@2".into(), start: 0.0 }),
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
            ("sphere:1,2,3", "3 numbers instead of 4"),
            ("sphere:1,2,3,0", "its radius 0; the radius must be > 0"),
            ("sphere:1,2,3,nan", "`nan` is not a number"),
            ("box:0,0,0,1,1", "5 coordinates instead of 6"),
            ("box:0,0,0,1,1,inf", "`inf` is not a coordinate"),
            ("vtx:", "the list has no file"),
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
