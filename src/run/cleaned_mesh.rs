//! The cleaned mesh of a case, and the mapping back to the stored mesh.

use std::borrow::Cow;
use std::path::Path;
use std::sync::{Arc, Mutex};

use super::ReadMesh;
use super::arrays::missing;
use super::clock::Dated;
use super::fields::inside;
use crate::config::{Config, Units};
use crate::error::{Error, Result};
use crate::io;
use crate::mesh::repair::{Conflict, Repair, Repairs, conflicts};
use crate::mesh::{self, Cleaning, DataArray, Kind, Members, Mesh};

/// A mesh that is valid for the solvers, and the mapping back to the stored mesh.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CleanedMesh {
    /// The cleaned mesh.
    pub mesh: Mesh,
    /// Changes made by cleaning, including the map to stored vertices.
    pub cleaning: Cleaning,
    /// Coordinates of the stored vertices, including unused ones, `[n_stored_vertices]`, in mesh
    /// units.
    pub stored_vertices: Vec<[f64; 3]>,
    /// Changes made by the repair before cleaning.
    pub repair: Repair,
    /// The frame of the coordinates and the metadata of the file.
    pub about: io::About,
    /// The units of length and time: those of the case, or else those that the field data of a VTK
    /// file states.
    pub units: Units,
    /// Warnings about the mesh and its files.
    pub warnings: Vec<String>,
    /// Vertex arrays with different values at vertices that were joined.
    pub(super) conflicts: Vec<Conflict>,
    /// Names of the vertex arrays whose file states a time, and that time.
    pub(super) dated: Vec<(String, Dated)>,
    /// The time at which the run begins.
    pub(super) start_time: f64,
    /// Warnings about arrays and groups that were used.
    pub(super) doubts: Arc<Mutex<Vec<String>>>,
    /// The cells of the mesh before a mask removed some of them.
    unmasked: Option<Unmasked>,
}

/// The whole mesh, and the part that a mask kept. The output contains the whole mesh.
#[derive(Clone, Debug)]
struct Unmasked {
    /// The corners of all cells, as stored vertices.
    cells: Vec<u32>,
    /// For each cell inside the mask, its index among all cells.
    kept: Vec<u32>,
    /// Number of vertices outside the mask.
    n_outside: usize,
}

impl CleanedMesh {
    /// Reads or generates the mesh of a case with its data arrays, refines it, cleans it, and
    /// removes the cells outside the mask.
    ///
    /// # Errors
    /// Returns the errors of [`CleanedMesh::whole`] and [`CleanedMesh::mask`].
    pub fn new(config: &Config) -> Result<Self> {
        ReadMesh::new(config)?.inside_mask(config)
    }

    /// Reads or generates the mesh of a case with its data arrays, refines it and cleans it. Keeps
    /// the cells outside the mask.
    ///
    /// # Errors
    /// Returns [`Error::Input`] for a file that cannot be used. Returns [`Error::Case`] if the case
    /// has no mesh, and for invalid options of a generator.
    pub fn whole(config: &Config) -> Result<Self> {
        ReadMesh::new(config)?.cleaned(config)
    }

    /// Returns for each cell whether it is inside the mask of the case, `[n_cells]`, or `None`
    /// without a mask.
    ///
    /// # Errors
    /// Returns [`Error::Case`] for an invalid mask and for one that leaves no cell.
    pub fn mask(&self, config: &Config) -> Result<Option<Vec<bool>>> {
        let of_distance = config.distance.as_ref().and_then(|distance| distance.mask.as_ref());
        let of_evolve = config.evolve.as_ref().and_then(|evolve| evolve.mask.as_ref());
        match (of_distance, of_evolve) {
            (Some(mask), _) => inside(config, self, "distance.mask", mask).map(Some),
            (None, Some(mask)) => inside(config, self, "evolve.mask", mask).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// Adds a vertex array in the order of the stored vertices, or replaces the array of the same
    /// name.
    pub(crate) fn set_vertex_array(&mut self, array: DataArray) {
        let mut alone = Mesh::new(Kind::Surface, Vec::new(), Vec::new());
        alone.vertex_data.push(array);
        self.conflicts.retain(|conflict| conflict.array != alone.vertex_data[0].name);
        self.conflicts.extend(conflicts(&alone, &self.repair));
        for array in alone.vertex_data {
            self.dated.retain(|(name, _)| *name != array.name);
            self.mesh.vertex_data.retain(|old| old.name != array.name);
            self.mesh.vertex_data.push(array.select(&self.cleaning.kept_vertices));
        }
    }

    /// Adds a cell array in the order of the stored cells, or replaces the array of the same name.
    pub(crate) fn set_cell_array(&mut self, array: DataArray) {
        let cells = 0..self.mesh.n_cells();
        let stored: Vec<u32> = cells.map(|cell| self.stored_cell(cell)).collect();
        self.mesh.cell_data.retain(|old| old.name != array.name);
        self.mesh.cell_data.push(array.select(&stored));
    }

    /// Removes all cells except those for which `keep` is true. `keep` has one value per cell.
    pub fn masked(mut self, keep: &[bool]) -> Self {
        let cells = self.stored_cells().into_owned();
        let n_whole = self.mesh.n_vertices();
        let whole = std::mem::replace(&mut self.mesh, Mesh::new(Kind::Surface, vec![], vec![]));
        let (mesh, vertices, kept) = mesh::part(whole, keep);
        let stored = |rows: &[u32], all: &[u32]| rows.iter().map(|&k| all[k as usize]).collect();
        self.cleaning.kept_vertices = stored(&vertices, &self.cleaning.kept_vertices);
        self.cleaning.kept_cells = stored(&kept, &self.cleaning.kept_cells);
        let n_outside = n_whole - mesh.n_vertices();
        self.mesh = mesh;
        self.unmasked = Some(Unmasked { cells, kept, n_outside });
        self
    }

    /// Returns the corners of all cells as stored vertices and, for each cell inside the mask, its
    /// index among all cells. Returns `None` if there is no mask.
    pub(super) fn unmasked(&self) -> Option<(&[u32], &[u32])> {
        self.unmasked.as_ref().map(|unmasked| (&*unmasked.cells, &*unmasked.kept))
    }

    /// Returns the number of vertices that lie outside the mask, or 0 without a mask.
    pub fn n_outside_mask(&self) -> usize {
        self.unmasked.as_ref().map_or(0, |unmasked| unmasked.n_outside)
    }

    /// Repairs and cleans a mesh. `file` is the file from which it was read, if any.
    ///
    /// # Errors
    /// Returns [`Error::Input`] or [`Error::Mesh`] if the mesh is not valid for the solvers.
    pub fn of(
        mesh: Mesh,
        file: Option<&Path>,
        repairs: Repairs,
        mut warnings: Vec<String>,
    ) -> Result<Self> {
        let in_file = |error: Error| match file {
            Some(path) => error.in_file(path),
            None => error,
        };
        let named = |text: String| match file {
            Some(path) => format!("{}: {text}", path.display()),
            None => text,
        };
        let (stored_vertices, n_stored_cells) = (mesh.vertices.clone(), mesh.n_cells());
        let (mesh, repair) = mesh::repair::repair(mesh, repairs).map_err(in_file)?;
        repair.refuse(repairs.weld, mesh.n_cells()).map_err(in_file)?;
        let conflicts = conflicts(&mesh, &repair);
        let refused = |found: &Conflict| found.warning("a case that uses this array is refused");
        let doubts = repair.doubts().into_iter().chain(conflicts.iter().map(refused));
        let changes = repair.summary().map(|summary| format!("mesh repaired: {summary}"));
        for text in changes.into_iter().chain(doubts) {
            tracing::warn!("{text}");
            warnings.push(named(text));
        }
        let (mesh, mut cleaning) = mesh::clean_repaired(mesh, &repair).map_err(in_file)?;
        // Cleaning has already printed both texts. The report lists them among the warnings.
        warnings.extend(cleaning.summary().into_iter().chain(cleaning.doubt(mesh.kind)).map(named));
        cleaning.n_stored_cells = n_stored_cells;
        Ok(CleanedMesh {
            mesh,
            cleaning,
            stored_vertices,
            repair,
            about: io::About::default(),
            units: Units::default(),
            warnings,
            conflicts,
            dated: Vec::new(),
            start_time: 0.0,
            doubts: Arc::default(),
            unmasked: None,
        })
    }

    /// Converts values, one for each vertex of the cleaned mesh, to the order of the stored
    /// vertices. Unused vertices and vertices outside the mask get the value `fill`.
    pub fn as_stored<T: Copy>(&self, values: &[T], fill: T) -> Vec<T> {
        let mut stored = vec![fill; self.stored_vertices.len()];
        for (&v, &value) in self.cleaning.kept_vertices.iter().zip(values) {
            stored[v as usize] = value;
        }
        // Vertices that were joined have the value of the vertex that replaces them.
        for (v, &other) in self.repair.representative.iter().enumerate() {
            stored[v] = stored[other as usize];
        }
        stored
    }

    /// Sums values, one for each stored vertex, over the stored vertices of each vertex of the
    /// cleaned mesh. This is the transpose of [`CleanedMesh::as_stored`].
    pub(crate) fn summed(&self, stored: &[f64]) -> Vec<f64> {
        let mut sums = stored.to_vec();
        for (v, &other) in self.repair.representative.iter().enumerate() {
            if other as usize != v {
                sums[other as usize] += stored[v];
            }
        }
        self.cleaning.kept_vertices.iter().map(|&v| sums[v as usize]).collect()
    }

    /// Sums values, one for each cell of the cleaned mesh, over the cells that come from each
    /// stored cell.
    pub(crate) fn summed_cells<T: Copy>(
        &self,
        values: &[T],
        zero: T,
        add: impl Fn(T, T) -> T,
    ) -> Vec<T> {
        let mut sums = vec![zero; self.cleaning.n_stored_cells];
        for (cell, &value) in values.iter().enumerate() {
            let sum = &mut sums[self.stored_cell(cell) as usize];
            *sum = add(*sum, value);
        }
        sums
    }

    /// Returns the corners of the cells as stored vertices, `[n * arity]`, including cells outside
    /// the mask. Each cell has its own copies of vertices that were joined.
    pub fn stored_cells(&self) -> Cow<'_, [u32]> {
        if let Some(unmasked) = &self.unmasked {
            return Cow::Borrowed(&unmasked.cells);
        }
        if !self.repair.own_corners.is_empty() {
            return Cow::Owned(self.own_cells());
        }
        let kept = &self.cleaning.kept_vertices;
        // The indices in `kept` increase strictly, so equal lengths mean that every stored vertex
        // is used.
        if kept.len() == self.stored_vertices.len() {
            return Cow::Borrowed(&self.mesh.cells);
        }
        self.mesh.cells.iter().map(|&v| kept[v as usize]).collect()
    }

    /// Returns the cells with their own copies of joined vertices, in the orientation that cleaning
    /// gave them.
    fn own_cells(&self) -> Vec<u32> {
        let (arity, kept) = (self.mesh.kind.arity(), &self.cleaning.kept_vertices);
        let mut cells = Vec::with_capacity(self.mesh.cells.len());
        for (cell, &repaired) in self.mesh.iter_cells().zip(&self.cleaning.kept_cells) {
            let own = &self.repair.own_corners[repaired as usize * arity..][..arity];
            for &v in cell {
                let stored = kept[v as usize];
                let copy = own.iter().find(|&&own| self.repair.representative(own) == stored);
                cells.push(copy.copied().unwrap_or(stored));
            }
        }
        cells
    }

    /// Converts values, one for each cell inside the mask, to the order of
    /// [`CleanedMesh::stored_cells`]. The other cells get the value `fill`.
    pub fn as_stored_cells<T: Copy>(&self, values: Vec<T>, fill: T) -> Vec<T> {
        let Some(unmasked) = &self.unmasked else { return values };
        let mut stored = vec![fill; unmasked.cells.len() / self.mesh.kind.arity()];
        for (&c, value) in unmasked.kept.iter().zip(values) {
            stored[c as usize] = value;
        }
        stored
    }

    /// Returns the index of a stored vertex in the cleaned mesh.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if the vertex does not exist, or if no cell inside the mask uses it.
    pub fn vertex(&self, stored: u32) -> Result<u32> {
        let n = self.stored_vertices.len();
        if stored as usize >= n {
            let range = format!("vertices are numbered 0 to {}", n.saturating_sub(1));
            return Err(Error::usage(format!("there is no vertex {stored}"), range));
        }
        let used = self.repair.representative(stored);
        self.cleaning.kept_vertices.binary_search(&used).map(|v| v as u32).map_err(|_| {
            if self.unmasked.is_some() {
                let what = format!("vertex {stored} belongs to no cell inside the mask");
                return Error::usage(what, "choose a vertex inside, or widen the mask");
            }
            let what = format!("no cell uses vertex {stored}");
            Error::usage(what, "choose a vertex of a cell, see `zeroset info`")
        })
    }

    /// Returns the stored index of a vertex of the cleaned mesh.
    pub(super) fn stored_vertex(&self, vertex: usize) -> u32 {
        self.cleaning.kept_vertices.get(vertex).copied().unwrap_or(vertex as u32)
    }

    /// Returns the stored index of a cell of the cleaned mesh.
    pub(crate) fn stored_cell(&self, cell: usize) -> u32 {
        self.repair.parent(self.cleaning.kept_cells.get(cell).copied().unwrap_or(cell as u32))
    }

    /// Returns the simplices of a group as vertices of the cleaned mesh, and the number of vertices
    /// per simplex.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if the group does not exist or is empty.
    pub fn group(&self, name: &str) -> Result<(Vec<u32>, usize)> {
        let Some(group) = self.mesh.group(name) else {
            let names: Vec<&str> = self.mesh.groups.iter().map(|g| g.name.as_str()).collect();
            return Err(missing("group", name, &names));
        };
        let arity = self.mesh.kind.arity();
        let (simplices, arity): (Vec<u32>, usize) = match &group.members {
            Members::Cells(cells) => {
                let vertices = |&c: &u32| &self.mesh.cells[c as usize * arity..][..arity];
                (cells.iter().flat_map(vertices).copied().collect(), arity)
            }
            Members::Simplices { dimension, vertices } => (vertices.clone(), dimension + 1),
        };
        if simplices.is_empty() {
            let within = if self.unmasked.is_some() { " inside the mask" } else { "" };
            return Err(Error::usage(format!("the group \"{name}\" is empty{within}"), ""));
        }
        Ok((simplices, arity))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::mesh::{DataArray, Group, Values};

    /// Returns two triangles with five stored vertices. No triangle uses the second vertex.
    pub(in crate::run) fn cleaned() -> CleanedMesh {
        let vertices =
            vec![[0.0; 3], [9.0, 9.0, 9.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        let mut mesh = Mesh::new(Kind::Surface, vertices, vec![0, 2, 3, 0, 3, 4]);
        let array = |name: &str, components, values| DataArray {
            name: name.to_string(),
            components,
            values: Values::Float(values),
        };
        mesh.vertex_data.push(array("curv", 1, vec![0.0, 1.0, 2.0, 3.0, 4.0]));
        mesh.vertex_data.push(array("hole", 1, vec![0.0, 1.0, 2.0, f64::NAN, 4.0]));
        mesh.vertex_data.push(array("wind", 3, (0..15).map(f64::from).collect()));
        mesh.cell_data.push(array("speed", 1, vec![2.0, -1.0]));
        let members = Members::Simplices { dimension: 1, vertices: vec![3, 4] };
        mesh.groups.push(Group { name: "rim".into(), members });
        CleanedMesh::of(mesh, None, Repairs::default(), Vec::new()).unwrap()
    }

    #[test]
    fn users_and_files_speak_of_stored_vertices() {
        let cleaned = cleaned();
        assert_eq!(cleaned.vertex(3).unwrap(), 2);
        assert!(cleaned.vertex(1).unwrap_err().to_string().contains("no cell uses vertex 1"));
        assert!(cleaned.vertex(5).unwrap_err().to_string().contains("numbered 0 to 4"));
        assert_eq!(cleaned.as_stored(&[5, 6, 7, 8], -1), [5, -1, 6, 7, 8]);
        assert_eq!(*cleaned.stored_cells(), [0, 2, 3, 0, 3, 4]);
        assert_eq!(cleaned.warnings.len(), 1);
        assert_eq!(cleaned.vertex_array("curv").unwrap(), [0.0, 2.0, 3.0, 4.0]);
    }

    #[test]
    fn missing_names_are_answered_with_those_there_are() {
        let cleaned = cleaned();
        let message = cleaned.vertex_array("curve").unwrap_err().to_string();
        assert!(message.contains("did you mean `curv`? there are: curv, hole, wind"), "{message}");
        let message = cleaned.vertex_array("wind").unwrap_err().to_string();
        assert!(message.contains("has 3 numbers per vertex instead of 1"), "{message}");
        let message = cleaned.vertex_array("hole").unwrap_err().to_string();
        assert!(message.contains("vertex 3: array \"hole\" is NaN"), "{message}");
        assert!(cleaned.group("rin").unwrap_err().to_string().contains("`rim`"));
    }
}
