//! An expression bound to the values of the names in it, at all vertices or in all cells of a mesh.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::CleanedMesh;
use crate::error::Result;
use crate::expression::{Expression, Field, Flaw};
use crate::mesh::{Places, component};

/// An expression with one value per vertex or cell of the cleaned mesh.
pub(super) struct Rows<'a> {
    cleaned: &'a CleanedMesh,
    expression: &'a Expression,
    places: Places,
    /// The vertices, or the centroids of the cells.
    points: Cow<'a, [[f64; 3]]>,
    field: Field,
}

/// An array that has no finite number in a given row.
pub(super) struct Lacking<'a> {
    array: &'a str,
    /// The byte range of the array's name in the text of the expression.
    span: Range<usize>,
}

impl<'a> Rows<'a> {
    /// Binds an expression to the values of its names at all vertices or in all cells of a mesh.
    ///
    /// # Errors
    /// Returns the errors of [`CleanedMesh::numbers`], which point into the expression.
    pub fn new(
        cleaned: &'a CleanedMesh,
        expression: &'a Expression,
        places: Places,
    ) -> Result<Self> {
        let numbers = |name: &str| cleaned.numbers(name, places).map(Arc::from);
        let field = Field::bind(expression, numbers)?;
        let points = match places {
            Places::Vertices => Cow::Borrowed(cleaned.mesh.vertices.as_slice()),
            Places::Cells => Cow::Owned(cleaned.mesh.centroids()),
        };
        Ok(Rows { cleaned, expression, places, points, field })
    }

    pub fn values(&self, t: f64) -> Vec<f64> {
        self.field.values(&self.points, t)
    }

    pub fn value(&self, row: usize, t: f64) -> f64 {
        self.expression.tree().value(self.points[row], t, &mut |name| self.number(name, row))
    }

    pub fn into_field(self) -> Field {
        self.field
    }

    /// Returns the value of a name of the expression in a row.
    fn number(&self, name: &str, row: usize) -> f64 {
        let number = self.expression.names().iter().position(|known| *known == name);
        number.map_or(f64::NAN, |number| self.field.arrays()[number][row])
    }

    /// Returns the array that makes the value of a row not finite, if an array does.
    pub fn lacking(&self, row: usize, t: f64) -> Option<Lacking<'a>> {
        let mut array = |name: &str| self.number(name, row);
        let tree = self.expression.tree();
        let found = tree.array_at_fault(self.points[row], t, &mut array);
        found.map(|(array, span)| Lacking { array, span })
    }

    /// Returns the error for a row of the key `key` whose value is not finite.
    pub fn not_finite(&self, key: &str, row: usize, t: f64, remedy: &str) -> Flaw {
        let [x, y, z] = self.points[row];
        let time = if self.expression.uses_time() { format!(" at t = {t}") } else { String::new() };
        let place = match self.places {
            Places::Vertices => format!("at vertex {}", self.cleaned.stored_vertex(row)),
            Places::Cells => format!("in cell {}", self.cleaned.stored_cell(row)),
        };
        let value = self.value(row, t);
        let what = format!("{key} is {value} {place} ({x:.6}, {y:.6}, {z:.6}){time}");
        self.flaw(row, t, &what, remedy)
    }

    /// Returns an error about the value of a row. The error points into the expression. If an array
    /// has no finite number there, the error names the array and gives a different remedy.
    pub fn flaw(&self, row: usize, t: f64, what: &str, remedy: &str) -> Flaw {
        let (what, remedy) = match self.lacking(row, t) {
            Some(lacking) => {
                let written = &self.expression.text()[lacking.span.clone()];
                let remedy = format!(
                    "exclude such places with a mask, or choose with if(isnan({written}), a, b)"
                );
                (format!("{what}: {}", self.place_lacking(&lacking, row)), remedy)
            }
            None => (what.to_string(), remedy.to_string()),
        };
        let mut array = |name: &str| self.number(name, row);
        self.expression.flaw_at(self.points[row], t, &mut array, what, remedy)
    }

    /// Returns the sentence that says where an array has no finite number: in a given row, or at
    /// one of the corners of the cell.
    fn place_lacking(&self, lacking: &Lacking<'_>, row: usize) -> String {
        let Lacking { array: name, .. } = lacking;
        let (place, x) = self
            .corner_lacking(name, row)
            .unwrap_or_else(|| ("there".to_string(), self.number(name, row)));
        match x.is_nan() {
            true => format!("the array \"{name}\" has no value {place}"),
            false => format!("the array \"{name}\" is {x} {place}"),
        }
    }

    /// Finds the first corner of a cell at which a vertex array is not finite. Returns its place,
    /// such as "at vertex 3", and the value of the array there. Returns `None` if there is no such
    /// corner, or if the rows are vertices or the array is a cell array.
    fn corner_lacking(&self, name: &str, row: usize) -> Option<(String, f64)> {
        let mesh = &self.cleaned.mesh;
        if self.places == Places::Vertices || component(&mesh.cell_data, name).is_some() {
            return None;
        }
        let numbers = mesh.numbers(name, Places::Vertices).ok()?.values;
        let corners = mesh.iter_cells().nth(row)?;
        let lacking = corners.iter().find(|&&v| !numbers[v as usize].is_finite())?;
        let v = *lacking as usize;
        Some((format!("at vertex {}", self.cleaned.stored_vertex(v)), numbers[v]))
    }
}
