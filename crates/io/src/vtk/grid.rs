//! A VTK data set as stored, and its conversion to a [`MeshFile`].
//!
//! The readers of legacy, XML and VTKHDF files all produce a `Grid`. [`Grid::check`] verifies
//! everything that the rest relies on. [`Grid::into_mesh_file`] then sorts cells by dimension,
//! splits the cells that can be split, and copies the cell data to the resulting cells.

use std::collections::BTreeMap;

use super::cell::{CellType, cell_type};
use super::ghosts;
use super::polyhedra::Polyhedra;
use super::simplices::Simplices;
use super::source::{Source, one_line};
use crate::MeshFile;
use crate::elements::inherit;
use zeroset_core::error::{Flaw, Result};
use zeroset_core::mesh::{DataArray, Group, Kind, Members, Mesh, Values};
use zeroset_core::words::{counted, noun};

/// The end of the warning about a mesh without cells.
pub const NO_CELLS: &str = "the mesh has points, but no cells to solve on";

/// The points, cells of any type, and their data.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Grid {
    /// Coordinates, `[n_points]`.
    pub points: Vec<[f64; 3]>,
    /// VTK cell types, `[n_cells]`.
    pub types: Vec<u8>,
    /// The end of the points of each cell in `connectivity`, `[n_cells]`.
    pub ends: Vec<usize>,
    /// Point indices, `[ends.last()]`.
    pub connectivity: Vec<i64>,
    /// The faces of polyhedra.
    pub polyhedra: Polyhedra,
    /// Arrays with one row per point.
    pub point_data: Vec<DataArray>,
    /// Arrays with one row per cell.
    pub cell_data: Vec<DataArray>,
    /// Warnings about data that were dropped during reading.
    pub warnings: Vec<String>,
}

/// Groups values into points of three coordinates each.
pub(super) fn to_points(values: Values) -> Vec<[f64; 3]> {
    values.to_f64().as_chunks().0.to_vec()
}

impl Grid {
    /// Checks that all points are finite, that there are not too many points or cells, that every
    /// cell has the right number of points, and that cells and faces refer to existing points.
    ///
    /// # Errors
    /// Returns a [`Flaw`] that names the first point or cell that is not valid.
    pub fn check(&self, source: &Source) -> Result<(), Flaw> {
        if let Some(index) = self.points.iter().position(|x| x.iter().any(|c| !c.is_finite())) {
            return Err(source.fail(
                format!("point {index}"),
                format!("its coordinates are {:?}, expected finite numbers", self.points[index]),
                "write the mesh again without such points",
            ));
        }
        if u32::try_from(self.points.len()).is_err() {
            return Err(source.fail(
                "",
                format!("{} points, but at most {} are supported", self.points.len(), u32::MAX),
                "coarsen or split the mesh",
            ));
        }
        if self.types.len() > u32::MAX as usize {
            return Err(source.fail(
                "",
                format!("{} cells, but at most {} are supported", self.types.len(), u32::MAX),
                "coarsen or split the mesh",
            ));
        }
        let mut start = 0;
        for (cell, (&number, &end)) in self.types.iter().zip(&self.ends).enumerate() {
            let fail = |what: String| {
                let remedy = "the file is damaged or was written with another byte order or \
                              index width; write it again";
                Err(source.fail(format!("cell {cell}"), what, remedy))
            };
            let Some(points) = self.connectivity.get(start..end) else {
                return fail(format!(
                    "its points are entries {start} to {end} of a connectivity with {} entries",
                    self.connectivity.len()
                ));
            };
            let CellType { name, size: expected, .. } = cell_type(number);
            if !expected.allow(points.len()) {
                return fail(format!("a {name} with {} points, expected {expected}", points.len()));
            }
            let n = self.points.len();
            if let Some(index) = points.iter().find(|&&p| p < 0 || p as u64 >= n as u64) {
                return fail(format!(
                    "it refers to point {index}, but points are numbered from 0 to {n} - 1"
                ));
            }
            start = end;
        }
        if let Some(index) = self.polyhedra.wrong_point(self.points.len()) {
            let n = self.points.len();
            let what = format!("a face refers to point {index} of {n} (numbered from 0)");
            return Err(source.fail("polyhedra", what, "the file is damaged; write it again"));
        }
        Ok(())
    }

    /// Appends another piece of the same data set. Arrays that only one of the pieces has, or whose
    /// types or numbers of components differ, are dropped with a warning.
    pub fn append(&mut self, mut piece: Grid) {
        ghosts::align(self, &mut piece);
        let (first_point, first_end) = (self.points.len() as i64, self.connectivity.len());
        self.polyhedra.append(piece.polyhedra, self.types.len(), first_point);
        self.points.extend(piece.points);
        self.types.extend(piece.types);
        self.ends.extend(piece.ends.iter().map(|end| end + first_end));
        self.connectivity.extend(piece.connectivity.iter().map(|p| p.saturating_add(first_point)));
        self.warnings.extend(piece.warnings);
        join(&mut self.point_data, piece.point_data, &mut self.warnings);
        join(&mut self.cell_data, piece.cell_data, &mut self.warnings);
    }

    /// Converts the grid to a mesh. Simplices of the highest dimension become its cells, and
    /// simplices of lower dimension become groups. Ghost cells are left out. Call [`Grid::check`]
    /// first.
    pub fn into_mesh_file(mut self, format: &'static str, version: String) -> MeshFile {
        keep_first_of_each_name(&mut self.point_data, &mut self.warnings);
        keep_first_of_each_name(&mut self.cell_data, &mut self.warnings);
        let keep = ghosts::take(&mut self);
        let mut census: [usize; 256] = [0; 256];
        self.types.iter().for_each(|&t| census[usize::from(t)] += 1);
        let present = || (0..=255u8).filter(|&t| census[usize::from(t)] > 0);
        let cells_by_type: BTreeMap<String, usize> =
            present().map(|t| (cell_type(t).name.into_owned(), census[usize::from(t)])).collect();
        let simplices = Simplices::of(&mut self, keep.as_deref());
        let stated = || present().filter_map(|t| cell_type(t).dimension).max();
        let dimension = simplices.dimension().or_else(stated).unwrap_or(0);
        self.warn_of_losses(&census, simplices.too_few);
        let Simplices { corners, mut parents, uncut, .. } = simplices;
        let mut parents = std::mem::take(&mut parents[dimension]);

        let flat = self.points.windows(2).all(|pair| pair[0][2] == pair[1][2]);
        let [points, edges, triangles, tetrahedra] = corners;
        let (kind, cells, triangles) = match dimension {
            3 => (Kind::Volume, tetrahedra, triangles),
            _ if flat => (Kind::Planar, triangles, Vec::new()),
            _ => (Kind::Surface, triangles, Vec::new()),
        };
        if cells.is_empty() {
            parents.clear();
            let wanted = if kind == Kind::Volume { "tetrahedra" } else { "triangles" };
            self.warnings.push(format!("no {wanted}: {NO_CELLS}"));
        }
        let mut mesh = Mesh::new(kind, self.points, cells);
        for (dimension, (name, vertices)) in
            [("vertices", points), ("lines", edges), ("triangles", triangles)]
                .into_iter()
                .enumerate()
        {
            if !vertices.is_empty() {
                let members = Members::Simplices { dimension, vertices };
                mesh.groups.push(Group { name: name.to_owned(), members });
            }
        }
        mesh.vertex_data = self.point_data;
        mesh.cell_data = self.cell_data.into_iter().map(|array| inherit(array, &parents)).collect();
        let warnings = self.warnings.iter().map(|warning| one_line(warning)).collect();
        let (units, space, about) = Default::default();
        MeshFile { mesh, format, version, units, space, cells_by_type, warnings, uncut, about }
    }

    fn warn_of_losses(&mut self, census: &[usize; 256], too_few: usize) {
        let list = |keep: &dyn Fn(&CellType) -> bool| {
            let named: Vec<String> = (0..=255u8)
                .filter(|&t| census[usize::from(t)] > 0 && keep(&cell_type(t)))
                .map(|t| format!("{} {}", census[usize::from(t)], cell_type(t).name))
                .collect();
            named.join(", ")
        };
        let cut = list(&|t| t.shape.is_cut_solid());
        if !cut.is_empty() {
            let is_cut = |t: &u8| cell_type(*t).shape.is_cut_solid();
            let n: usize = (0..=255).filter(is_cut).map(|t| census[usize::from(t)]).sum();
            let cells = noun(n, ["cell is", "cells are"]);
            self.warnings.push(format!("{cut} {cells} split into tetrahedra"));
        }
        if census[0] > 0 {
            let cells = counted(census[0], ["empty cell is", "empty cells are"]);
            self.warnings.push(format!("{cells} ignored"));
        }
        let reduced = list(&|t| t.reduced);
        if !reduced.is_empty() {
            self.warnings.push(format!("{reduced} reduced to their corners"));
        }
        if too_few > 0 {
            let cells = counted(too_few, ["cell", "cells"]);
            self.warnings.push(format!("{cells} ignored: too few points for the type"));
        }
    }
}

fn keep_first_of_each_name(arrays: &mut Vec<DataArray>, warnings: &mut Vec<String>) {
    let mut names = std::collections::HashSet::new();
    arrays.retain(|array| {
        let first = names.insert(array.name.clone());
        if !first {
            warnings.push(format!("array '{}' occurs again: only the first is kept", array.name));
        }
        first
    });
}

/// Appends the rows of each array in `more` to the array with the same name. Drops arrays without
/// a counterpart of the same type and number of components, with a warning.
fn join(arrays: &mut Vec<DataArray>, more: Vec<DataArray>, warnings: &mut Vec<String>) {
    let mut more: BTreeMap<String, DataArray> =
        more.into_iter().map(|array| (array.name.clone(), array)).collect();
    arrays.retain_mut(|array| {
        let other = more.remove(&array.name).filter(|o| o.components == array.components);
        let joined = match (&mut array.values, other.map(|o| o.values)) {
            (Values::Float(a), Some(Values::Float(b))) => {
                a.extend(b);
                true
            }
            (Values::Int(a), Some(Values::Int(b))) => {
                a.extend(b);
                true
            }
            _ => false,
        };
        if !joined {
            warnings.push(format!("array '{}' differs between pieces: dropped", array.name));
        }
        joined
    });
    for name in more.keys() {
        warnings.push(format!("array '{name}' is not in every piece: dropped"));
    }
}
