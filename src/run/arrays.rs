//! The arrays and groups of the cleaned mesh, as numbers for coefficients and expressions.

use super::CleanedMesh;
use crate::config::suggest;
use crate::error::{Error, Result};
use crate::mesh::{DataArray, Numbers, Places, component};

impl CleanedMesh {
    /// Returns the numbers that a name in an expression stands for, one per vertex or cell. A
    /// vertex or cell without a value gets NaN.
    ///
    /// # Errors
    /// Returns the errors of [`Mesh::numbers`](crate::mesh::Mesh::numbers). Returns
    /// [`Error::Case`] for a vertex array with different values at joined vertices.
    pub fn numbers(&self, name: &str, places: Places) -> Result<Vec<f64>> {
        self.refuse_conflict(name, places)?;
        let numbers = self.mesh.numbers(name, places)?;
        self.note_mean_of_labels(&numbers, name, places);
        Ok(numbers.values)
    }

    /// Returns the numbers of an array or group, one finite number per vertex, `[n_vertices]`, in
    /// the unit of the array.
    ///
    /// # Errors
    /// Returns the errors of [`CleanedMesh::numbers`]. Returns [`Error::Mesh`] if a vertex has no
    /// finite number.
    pub fn vertex_array(&self, name: &str) -> Result<Vec<f64>> {
        let values = self.numbers(name, Places::Vertices)?;
        self.refuse_missing(&values, 1, name, Places::Vertices)?;
        Ok(values)
    }

    /// Returns an array of vectors, one per vertex, `[n_vertices]`, in the unit of the array. A
    /// cell array is averaged over the cells around each vertex.
    ///
    /// # Errors
    /// Returns the errors of [`Mesh::vectors`](crate::mesh::Mesh::vectors). Returns the same errors
    /// as [`CleanedMesh::vertex_array`] for values that cannot be used.
    pub fn vertex_vectors(&self, name: &str) -> Result<Vec<[f64; 3]>> {
        self.refuse_conflict(name, Places::Vertices)?;
        let vectors = self.mesh.vectors(name)?;
        self.refuse_missing(vectors.as_flattened(), 3, name, Places::Vertices)?;
        Ok(vectors)
    }

    /// Returns the cell array `name` with one finite number per cell, `[n_cells]`, in the unit of
    /// the array.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if the array does not exist or has several components. Returns
    /// [`Error::Mesh`] if a cell has no finite number.
    pub fn cell_array(&self, name: &str) -> Result<Vec<f64>> {
        if component(&self.mesh.cell_data, name).is_none() {
            let names = self.mesh.cell_data.iter().map(|array| array.name.as_str());
            return Err(missing("cell array", name, &names.collect::<Vec<_>>()));
        }
        let values = self.numbers(name, Places::Cells)?;
        self.refuse_missing(&values, 1, name, Places::Cells)?;
        Ok(values)
    }

    /// Returns the warnings so far about arrays and groups that were used.
    pub(super) fn doubts(&self) -> Vec<String> {
        self.doubts.lock().map_or_else(|_| Vec::new(), |doubts| doubts.clone())
    }

    /// Forgets the warnings about arrays and groups, before another case uses the mesh.
    pub(crate) fn forget_doubts(&self) {
        if let Ok(mut doubts) = self.doubts.lock() {
            doubts.clear();
        }
    }

    /// Warns once if the numbers of a name are means of labels.
    fn note_mean_of_labels(&self, numbers: &Numbers, name: &str, places: Places) {
        if let Some(doubt) = numbers.doubt(name, places) {
            self.note_doubt(doubt);
        }
    }

    /// Prints a warning about the use of an array or group, and keeps it for the report. A warning
    /// that is already known is ignored.
    pub(super) fn note_doubt(&self, doubt: String) {
        let Ok(mut doubts) = self.doubts.lock() else { return };
        if !doubts.contains(&doubt) {
            tracing::warn!("{doubt}");
            doubts.push(doubt);
        }
    }

    /// Refuses a vertex array whose values differ at joined vertices.
    fn refuse_conflict(&self, name: &str, places: Places) -> Result<()> {
        let array = |arrays: &[DataArray]| component(arrays, name).map(|(a, _)| a.name.clone());
        if places == Places::Cells && array(&self.mesh.cell_data).is_some() {
            return Ok(());
        }
        let array = array(&self.mesh.vertex_data);
        match self.conflicts.iter().find(|conflict| array.as_ref() == Some(&conflict.array)) {
            Some(conflict) => Err(conflict.error()),
            None => Ok(()),
        }
    }

    /// Refuses rows of `width` values that are not all finite.
    fn refuse_missing(
        &self,
        values: &[f64],
        width: usize,
        name: &str,
        places: Places,
    ) -> Result<()> {
        let Some(k) = values.iter().position(|x| !x.is_finite()) else { return Ok(()) };
        let place = match places {
            Places::Vertices => self.stored_vertex(k / width),
            Places::Cells => self.stored_cell(k / width),
        };
        let what = match values[k].is_nan() {
            true => format!("array \"{name}\" is NaN, which means that it has no value there"),
            false => format!("array \"{name}\" is {}", values[k]),
        };
        let remedy = "give it a finite number there, or exclude the place with a mask";
        Err(Error::mesh(format!("{} {place}", places.word()), what, remedy))
    }
}

/// Returns the error for a name that does not exist. It lists the names that do exist.
pub(super) fn missing(what: &str, name: &str, names: &[&str]) -> Error {
    let remedy = match names {
        [] => format!("the mesh has no {what}s"),
        names => suggest(name, names).replace("allowed:", "there are:"),
    };
    Error::usage(format!("there is no {what} \"{name}\""), remedy)
}
