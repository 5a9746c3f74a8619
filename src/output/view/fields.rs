//! The fields of a mesh that can color its view, and how decimation preserves them.

use super::{ViewOptions, lines_of};
use crate::error::{Error, Result};
use crate::html::{Surface, Values as Shown};
use crate::mesh::{DataArray, Kind, Mesh, Places, Values};
use crate::picture::{Camera, Labels, Lines, NO_LABEL, Options, Subject, vertex_colors};

/// Arrays that the view does not show as fields, such as normals and colors.
const NOT_SHOWN: [&str; 9] =
    ["nx", "ny", "nz", "red", "green", "blue", "Normals", "alpha", "level"];

/// The largest number of fields.
const MOST: usize = 24;

/// The height given to a plane that is decimated by its values, relative to the plane's diagonal.
const HEIGHT: f64 = 0.25;

/// The fields of a view. The first one is shown first.
pub(super) struct Fields {
    all: Vec<Field>,
}

struct Field {
    name: String,
    content: Content,
}

enum Content {
    /// Values at the vertices, one array per state.
    Values(Vec<Vec<f64>>, Shown),
    Labels(Labels),
    Paint(Vec<[u8; 3]>),
}

impl Fields {
    /// Collects the fields of a mesh. `phi` holds the values of phi over time; it replaces the
    /// array of the mesh.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if the array to show does not exist.
    pub(super) fn of(mesh: &Mesh, phi: &[Vec<f64>], options: &ViewOptions) -> Result<Self> {
        let style = &options.style;
        let shown = |name: &str| {
            let lines = lines_of(name);
            Shown::default().with_lines(lines).with_colormap(style.colormap)
        };
        let mut all: Vec<Field> = Vec::new();
        if let Some(colors) = vertex_colors(mesh) {
            all.push(Field { name: "colors".into(), content: Content::Paint(colors) });
        }
        let names = |arrays: &[DataArray]| -> Vec<String> {
            let is_shown = |array: &&DataArray| {
                array.components == 1 && !NOT_SHOWN.contains(&array.name.as_str())
            };
            arrays.iter().filter(is_shown).map(|array| array.name.clone()).collect()
        };
        let mut known = names(&mesh.vertex_data);
        known.extend(names(&mesh.cell_data));
        known.extend(options.shown.iter().filter(|name| mesh.group(name).is_some()).cloned());
        known.dedup();
        // The main result comes first, whatever its place in the file.
        known.sort_by_key(|name| lines_of(name) == Lines::None);
        for name in known {
            let content = match (Labels::of_array(mesh, &name), mesh.vertex_array(&name)) {
                (Some(labels), _) => Content::Labels(labels),
                (None, Some(_)) if name == "phi" && !phi.is_empty() => {
                    Content::Values(phi.to_vec(), shown(&name))
                }
                (None, Some(array)) => Content::Values(vec![array.values.to_f64()], shown(&name)),
                (None, None) => continue,
            };
            all.push(Field { name, content });
        }
        if let Some(name) = &options.shown {
            let Some(at) = all.iter().position(|field| field.name == *name) else {
                let what = format!("the mesh has no array or group {name:?} with one number each");
                return Err(Error::usage(what, "`zeroset info` lists the arrays and groups"));
            };
            all[..=at].rotate_right(1);
        }
        all.truncate(MOST);
        if let Some(Field { name, content: Content::Values(_, shown) }) = all.first_mut() {
            let unit = match name.as_str() {
                "phi" if style.unit.is_empty() => options.units.of_length(),
                _ => style.unit.clone(),
            };
            *shown = shown.clone().with_unit(unit).with_range(style.range);
        }
        Ok(Fields { all })
    }

    /// Returns true if the first field is phi, so that the view shows its interface.
    pub(super) fn shows_interface(&self) -> bool {
        self.all.first().is_some_and(|field| lines_of(&field.name) == Lines::Interface)
    }

    /// Returns the mesh with the fields as its only arrays, and without groups.
    pub(super) fn carried(&self, mut mesh: Mesh) -> Mesh {
        mesh.groups.clear();
        mesh.vertex_data.clear();
        mesh.cell_data.clear();
        let array = |components, values| DataArray { name: String::new(), components, values };
        for field in &self.all {
            match &field.content {
                Content::Values(states, _) => {
                    let floats = states.iter().map(|x| array(1, Values::Float(x.clone())));
                    mesh.vertex_data.extend(floats);
                }
                Content::Labels(labels) => {
                    let numbers = labels.of.iter().map(|&label| i64::from(label)).collect();
                    let numbers = array(1, Values::Int(numbers));
                    match labels.places {
                        Places::Vertices => mesh.vertex_data.push(numbers),
                        Places::Cells => mesh.cell_data.push(numbers),
                    }
                }
                Content::Paint(colors) => {
                    let bytes = colors.iter().flatten().map(|&c| f64::from(c)).collect();
                    mesh.vertex_data.push(array(3, Values::Float(bytes)));
                }
            }
        }
        mesh
    }

    /// Returns the mesh of [`Fields::carried`] without its arrays, and the fields with the values
    /// of these arrays.
    pub(super) fn taken(mut self, mut mesh: Mesh) -> (Mesh, Self) {
        let mut of_vertices = std::mem::take(&mut mesh.vertex_data).into_iter();
        let mut of_cells = std::mem::take(&mut mesh.cell_data).into_iter();
        for field in &mut self.all {
            match &mut field.content {
                Content::Values(states, _) => {
                    for (values, array) in states.iter_mut().zip(&mut of_vertices) {
                        *values = array.values.to_f64();
                    }
                }
                Content::Labels(labels) => {
                    let next = match labels.places {
                        Places::Vertices => of_vertices.next(),
                        Places::Cells => of_cells.next(),
                    };
                    if let Some(DataArray { values: Values::Int(numbers), .. }) = next {
                        let label = |&number: &i64| u32::try_from(number).unwrap_or(NO_LABEL);
                        labels.of = numbers.iter().map(label).collect();
                    }
                }
                Content::Paint(colors) => {
                    if let Some(array) = of_vertices.next() {
                        let bytes = array.values.to_f64();
                        let color = |rgb: &[f64]| [0, 1, 2].map(|c| rgb[c].round() as u8);
                        *colors = bytes.chunks_exact(3).map(color).collect();
                    }
                }
            }
        }
        (mesh, self)
    }

    /// Returns a planar mesh as a surface whose height is the last state of the first field of
    /// values, scaled to [`HEIGHT`].
    pub(super) fn lifted(&self, mut mesh: Mesh) -> Mesh {
        mesh.kind = Kind::Surface;
        let values = self.all.iter().find_map(|field| match &field.content {
            Content::Values(states, _) => states.last(),
            _ => None,
        });
        let Some(values) = values else { return mesh };
        let finite = || values.iter().copied().filter(|x| x.is_finite());
        let low = finite().fold(f64::INFINITY, f64::min);
        let range = finite().fold(f64::NEG_INFINITY, f64::max) - low;
        if range > 0.0 && range.is_finite() {
            let (a, b) = mesh.bounds();
            let height = HEIGHT * (b[0] - a[0]).hypot(b[1] - a[1]);
            for (x, value) in mesh.vertices.iter_mut().zip(values) {
                x[2] = if value.is_finite() { height * (value - low) / range } else { 0.0 };
            }
        }
        mesh
    }

    /// Returns the camera that shows the first field well, unless the style has one.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if the style is invalid.
    pub(super) fn camera(&self, mesh: &Mesh, style: &Options) -> Result<Camera> {
        let height: Vec<f64> = mesh.vertices.iter().map(|x| x[2]).collect();
        let first = self.all.first();
        let values = first.and_then(|field| match &field.content {
            Content::Values(states, _) => states.last(),
            _ => None,
        });
        let lines = values.and(first).map_or(Lines::None, |field| lines_of(&field.name));
        let mut subject = Subject::new(mesh, values.unwrap_or(&height)).with_lines(lines);
        if let Some(Field { name, content: Content::Labels(labels) }) = first {
            subject = subject.labeled(name, labels);
        }
        let settled = style.settled(&subject)?;
        Ok(settled.camera.unwrap_or_else(|| Camera::new([0.0, 0.0, 1.0])))
    }

    /// Adds the fields to a surface of the same mesh.
    pub(super) fn add_to(&self, surface: Surface) -> Surface {
        self.all.iter().fold(surface, |surface, Field { name, content }| match content {
            Content::Values(states, shown) => {
                let states: Vec<&[f64]> = states.iter().map(Vec::as_slice).collect();
                surface.with_values(name, &states, shown)
            }
            Content::Labels(labels) => surface.with_labels(name, labels),
            Content::Paint(colors) => surface.with_paint(colors),
        })
    }
}
