//! The surface of a scene, with the fields that can color it.

use serde_json::{Value, json};

use super::arrays::Arrays;
use crate::picture::color::{Map, Srgb};
use crate::picture::{ColorMap, Labels, Lines, span};
use zeroset_core::mesh::{Kind, Mesh, Places, outer_faces};

/// How a field of values is shown.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Values {
    /// The unit, which may be empty.
    pub unit: String,
    /// The lines on the surface. [`Lines::Interface`] makes the zero line thick.
    pub lines: Lines,
    /// The values at both ends of the color bar. By default, they are the range of the values,
    /// extended to be symmetric about 0 if they have both signs.
    pub range: Option<[f64; 2]>,
    /// The color map.
    pub colormap: ColorMap,
}

impl Values {
    /// Sets the lines.
    pub fn with_lines(mut self, lines: Lines) -> Self {
        self.lines = lines;
        self
    }

    /// Sets the unit.
    pub fn with_unit(mut self, unit: impl Into<String>) -> Self {
        self.unit = unit.into();
        self
    }

    /// Sets the range of the color bar. With `None`, the range is that of the values.
    pub fn with_range(mut self, range: Option<[f64; 2]>) -> Self {
        self.range = range;
        self
    }

    /// Sets the color map.
    pub fn with_colormap(mut self, colormap: ColorMap) -> Self {
        self.colormap = colormap;
        self
    }
}

/// A surface of triangles. For tetrahedra, it is their outer boundary.
#[derive(Clone, Debug)]
pub struct Surface {
    pub(super) points: Vec<[f64; 3]>,
    triangles: Vec<u32>,
    /// The mesh vertex of each point, or `None` if points and vertices have the same numbers.
    names: Option<Vec<u32>>,
    /// The mesh cell of each triangle, or `None` if triangles and cells have the same numbers.
    cells: Option<Vec<u32>>,
    /// Whether the surface is in the plane z = 0, so that it needs no light.
    is_flat: bool,
    /// Whether triangles that face the viewer are omitted, to show the inside.
    is_open: bool,
    fields: Vec<Field>,
}

#[derive(Clone, Debug)]
enum Field {
    Values { name: String, states: Vec<Vec<f64>>, shown: Values },
    Labels { name: String, labels: Labels },
    Paint(Vec<[u8; 3]>),
}

impl Surface {
    /// Returns the surface of a mesh, without fields.
    pub fn of(mesh: &Mesh) -> Self {
        let is_flat = mesh.kind == Kind::Planar;
        if mesh.kind != Kind::Volume {
            let (points, triangles) = (mesh.vertices.clone(), mesh.cells.clone());
            let (names, cells) = (None, None);
            return Surface {
                points,
                triangles,
                names,
                cells,
                is_flat,
                is_open: false,
                fields: vec![],
            };
        }
        let (faces, cell_of) = outer_faces(mesh);
        let mut names: Vec<u32> = faces.as_flattened().to_vec();
        names.sort_unstable();
        names.dedup();
        let row = |v: &u32| names.partition_point(|name| name < v) as u32;
        let triangles = faces.as_flattened().iter().map(row).collect();
        let points = names.iter().map(|&v| mesh.vertices[v as usize]).collect();
        let cells = Some(cell_of.into_iter().map(|cell| cell as u32).collect());
        let names = Some(names);
        Surface { points, triangles, names, cells, is_flat, is_open: false, fields: vec![] }
    }

    /// Omits the triangles that face the viewer, so that an interface inside is visible.
    pub fn opened(mut self) -> Self {
        self.is_open = true;
        self
    }

    /// Adds values at the vertices of the mesh: one array, `[n_vertices]`, per state of the scene,
    /// or only one. The first field is shown first.
    pub fn with_values(mut self, name: &str, states: &[&[f64]], shown: &Values) -> Self {
        let at_points = |values: &&[f64]| match &self.names {
            Some(names) => names.iter().map(|&v| values[v as usize]).collect(),
            None => values.to_vec(),
        };
        let states = states.iter().map(at_points).collect();
        self.fields.push(Field::Values { name: name.into(), states, shown: shown.clone() });
        self
    }

    /// Adds labels of the vertices or cells of the mesh.
    pub fn with_labels(mut self, name: &str, labels: &Labels) -> Self {
        let mut labels = labels.clone();
        let rows = match labels.places {
            Places::Vertices => &self.names,
            Places::Cells => &self.cells,
        };
        if let Some(rows) = rows {
            labels.of = rows.iter().map(|&row| labels.of[row as usize]).collect();
        }
        self.fields.push(Field::Labels { name: name.into(), labels });
        self
    }

    /// Adds the colors of the vertices of the mesh, `[n_vertices]`, in sRGB.
    pub fn with_paint(mut self, colors: &[[u8; 3]]) -> Self {
        let colors = match &self.names {
            Some(names) => names.iter().map(|&v| colors[v as usize]).collect(),
            None => colors.to_vec(),
        };
        self.fields.push(Field::Paint(colors));
        self
    }

    /// Adds the arrays to `arrays`, and the color maps in use to `maps`. Returns the description.
    pub(super) fn pack(&self, arrays: &mut Arrays, maps: &mut Value) -> Value {
        let fields: Vec<Value> = self.fields.iter().map(|field| field.pack(arrays, maps)).collect();
        json!({
            "points": arrays.points(&self.points),
            "triangles": arrays.numbers(&self.triangles),
            "names": self.names.as_ref().map(|names| arrays.numbers(names)),
            "isFlat": self.is_flat,
            "isOpen": self.is_open,
            "fields": fields,
        })
    }
}

impl Field {
    fn pack(&self, arrays: &mut Arrays, maps: &mut Value) -> Value {
        match self {
            Field::Values { name, states, shown } => {
                let range = shown.range.unwrap_or_else(|| span(&states.concat()));
                let map = map_name(range, shown.colormap);
                maps[&map] = hex(range, shown.colormap).into();
                let all: Vec<Value> = states.iter().map(|values| arrays.values(values)).collect();
                json!({
                    "kind": "values",
                    "name": name,
                    "unit": shown.unit,
                    "map": map,
                    "range": range,
                    "hasLines": shown.lines == Lines::Round,
                    "hasZero": shown.lines != Lines::None && range[0] < 0.0 && range[1] > 0.0,
                    "hasGaps": states.iter().flatten().any(|x| !x.is_finite()),
                    "states": all,
                })
            }
            Field::Labels { name, labels } => {
                // The number that follows the last label marks places without a label.
                let none = labels.labels.len() as u32;
                let of: Vec<u32> = labels.of.iter().map(|&label| label.min(none)).collect();
                let names: Vec<Value> = labels
                    .labels
                    .iter()
                    .map(|label| json!({ "name": label.name, "color": digits(label.color) }))
                    .collect();
                json!({
                    "kind": "labels",
                    "name": name,
                    "labels": names,
                    "isOfCells": labels.places == Places::Cells,
                    "hasGaps": of.contains(&none),
                    "of": arrays.numbers(&of),
                })
            }
            Field::Paint(colors) => json!({
                "kind": "paint",
                "name": "colors of the file",
                "at": arrays.bytes(colors.iter().flatten().copied()),
            }),
        }
    }
}

/// Returns the name of the map that is used for a range.
fn map_name([low, high]: [f64; 2], colormap: ColorMap) -> String {
    let resolved = match colormap {
        ColorMap::Auto if low == -high => ColorMap::Diverging,
        ColorMap::Auto => ColorMap::Sequential,
        other => other,
    };
    format!("{resolved:?}").to_lowercase()
}

/// Returns the screen colors of a map, six hexadecimal digits each.
pub(super) fn hex(range: [f64; 2], colormap: ColorMap) -> String {
    let srgb = Srgb::new();
    let color = |light: &[f32; 3]| digits(light.map(|x| srgb.encode(x).round() as u8));
    Map::new(range, colormap).lights.iter().map(color).collect()
}

fn digits([r, g, b]: [u8; 3]) -> String {
    format!("{r:02x}{g:02x}{b:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use zeroset_core::mesh::generate::{Cube, Generate, generate};

    #[test]
    fn tetrahedra_show_their_boundary_under_the_numbers_of_the_mesh() {
        let mesh = generate(&Generate::Cube(Cube::default())).unwrap();
        let x: Vec<f64> = mesh.vertices.iter().map(|x| x[0]).collect();
        let surface = Surface::of(&mesh).with_values("x", &[&x], &Values::default());
        let names = surface.names.as_ref().unwrap();
        assert!(names.len() < mesh.n_vertices() && surface.triangles.len().is_multiple_of(3));
        for (point, &name) in surface.points.iter().zip(names) {
            assert_eq!(*point, mesh.vertices[name as usize]);
        }
        let Field::Values { states, .. } = &surface.fields[0] else { panic!("values") };
        assert!(states[0].iter().zip(&surface.points).all(|(x, point)| *x == point[0]));
        let mut maps = json!({});
        let packed = surface.pack(&mut Arrays::default(), &mut maps);
        assert_eq!(packed["fields"][0]["map"], "sequential");
        assert_eq!(maps["sequential"].as_str().unwrap().len(), 6 * 512);
    }
}
