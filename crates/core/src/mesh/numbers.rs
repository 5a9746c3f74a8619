//! The numbers that a name stands for in an expression on a mesh. The name denotes a data array, a
//! component of an array, or a group.

use super::{DataArray, Group, Kind, Members, Mesh, Values};
use crate::error::{Error, Result};
use crate::geometry::Vec3;
use crate::words::{counted, suggest};

/// The places where an expression on a mesh is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Places {
    /// The vertices.
    Vertices,
    /// The cells, at their centroids.
    Cells,
}

impl Places {
    /// Returns the word for one place: "vertex" or "cell".
    pub fn word(self) -> &'static str {
        match self {
            Places::Vertices => "vertex",
            Places::Cells => "cell",
        }
    }

    fn and_others(self) -> [Places; 2] {
        match self {
            Places::Vertices => [Places::Vertices, Places::Cells],
            Places::Cells => [Places::Cells, Places::Vertices],
        }
    }
}

/// The numbers that a name stands for, one per place. The number is NaN at a place without a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Numbers {
    /// The number at each vertex or in each cell, or NaN.
    pub values: Vec<f64>,
    /// The number of places whose value is the mean of different whole numbers. Such a mean is
    /// meaningless if the numbers are labels.
    pub averaged_labels: usize,
}

impl Numbers {
    fn exact(values: Vec<f64>) -> Self {
        Numbers { values, averaged_labels: 0 }
    }

    /// Returns a warning if whole numbers were averaged. `name` and `places` are the arguments of
    /// [`Mesh::numbers`].
    pub fn doubt(&self, name: &str, places: Places) -> Option<String> {
        let (words, around) = match places {
            Places::Vertices => (["vertex", "vertices"], "cells"),
            Places::Cells => (["cell", "cells"], "corners"),
        };
        (self.averaged_labels > 0).then(|| {
            format!(
                "\"{name}\" holds whole numbers, and at {} the mean of the different numbers of \
                 its {around} is used; if they are labels, use groups instead",
                counted(self.averaged_labels, words)
            )
        })
    }
}

/// The meaning of a name.
enum Named<'m> {
    /// An array over the given places, and the index of one of its components.
    Array(&'m DataArray, usize, Places),
    Group(&'m Group),
}

/// Returns the array with the given name, and component 0. If there is none and the name ends in
/// `.x`, `.y` or `.z`, returns the array that is named without this ending, and the index of the
/// component. This array must have at least two components, including the requested one.
pub fn component<'a>(arrays: &'a [DataArray], name: &str) -> Option<(&'a DataArray, usize)> {
    let find = |name: &str| arrays.iter().find(|array| array.name == name);
    if let Some(array) = find(name) {
        return Some((array, 0));
    }
    let (base, axis) = name.rsplit_once('.')?;
    let component = ["x", "y", "z"].iter().position(|known| *known == axis)?;
    find(base).filter(|array| array.components > component.max(1)).map(|array| (array, component))
}

impl Mesh {
    /// Returns the numbers that a name stands for, at all vertices or in all cells. A name stands
    /// for the first of these that exists: an array over these places, an array over the other
    /// places, or a group. `U.x`, `U.y` and `U.z` are the components of an array `U`.
    ///
    /// - In a cell, a vertex array has the mean of its values at the corners.
    /// - At a vertex, a cell array has the mean of its values in the cells around it, weighted by
    ///   their area or volume.
    /// - A group is 1 inside and 0 outside. A vertex is inside if it is a vertex of a member. A
    ///   cell is inside if it is a member, or if all its corners are vertices of members of lower
    ///   dimension.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if there is no such array or group, or if an array has several
    /// components and the name does not select one.
    pub fn numbers(&self, name: &str, places: Places) -> Result<Numbers> {
        match self.named(name, places) {
            Some(Named::Group(group)) => Ok(Numbers::exact(self.inside(group, places))),
            Some(Named::Array(array, component, of)) => {
                if array.components > 1 && array.name == name {
                    return Err(several(array, of));
                }
                let values = array.values.to_f64();
                let column = values.into_iter().skip(component).step_by(array.components.max(1));
                let column: Vec<f64> = column.collect();
                if of == places {
                    return Ok(Numbers::exact(column));
                }
                let (values, differs) = match places {
                    Places::Vertices => self.at_vertices(&column),
                    Places::Cells => self.in_cells(&column),
                };
                let are_labels = array.components == 1 && matches!(array.values, Values::Int(_));
                Ok(Numbers { values, averaged_labels: if are_labels { differs } else { 0 } })
            }
            None => Err(self.no_such_name(name, places)),
        }
    }

    /// Returns the vectors, `[n_vertices]`, of a vertex array, or of a cell array if there is no
    /// such vertex array.
    ///
    /// The array must have three components. On planar meshes, two are enough. At a vertex, a cell
    /// array has the same mean as in [`Mesh::numbers`].
    ///
    /// # Errors
    /// Returns [`Error::Case`] if there is no such array, or if it has a different number of
    /// components.
    pub fn vectors(&self, name: &str) -> Result<Vec<[f64; 3]>> {
        let find = |of| self.arrays(of).iter().find(|array| array.name == name).map(|a| (a, of));
        let found = find(Places::Vertices).or_else(|| find(Places::Cells));
        let Some((array, of)) = found else {
            let arrays = self.vertex_data.iter().chain(&self.cell_data);
            let vectors = arrays.filter(|array| array.components > 1);
            let names: Vec<&str> = vectors.map(|array| array.name.as_str()).collect();
            let what = format!("there is no array of vectors \"{name}\"");
            return Err(Error::usage(what, listed(name, &names, "arrays of vectors")));
        };
        let n = array.components;
        let is_planar = self.kind == Kind::Planar;
        if n != 3 && !(n == 2 && is_planar) {
            let wanted = if is_planar { "2 or 3" } else { "3" };
            let word = of.word();
            let what = format!(
                "the {word} array \"{name}\" has {n} numbers per {word} instead of {wanted}"
            );
            return Err(Error::usage(what, "choose another array, see `zeroset info`"));
        }
        let values = array.values.to_f64();
        let mut vectors = vec![[0.0; 3]; self.n_vertices()];
        for component in 0..n {
            let column: Vec<f64> = values.iter().skip(component).step_by(n).copied().collect();
            let column = if of == Places::Cells { self.at_vertices(&column).0 } else { column };
            vectors.iter_mut().zip(column).for_each(|(vector, x)| vector[component] = x);
        }
        Ok(vectors)
    }

    /// Returns true if, at vertices, a name stands for a cell array or for a group of cells.
    pub fn is_of_cells(&self, name: &str) -> bool {
        match self.named(name, Places::Vertices) {
            Some(Named::Array(.., of)) => of == Places::Cells,
            Some(Named::Group(group)) => matches!(group.members, Members::Cells(_)),
            None => false,
        }
    }

    fn arrays(&self, of: Places) -> &[DataArray] {
        match of {
            Places::Vertices => &self.vertex_data,
            Places::Cells => &self.cell_data,
        }
    }

    fn named(&self, name: &str, places: Places) -> Option<Named<'_>> {
        let array = |of| {
            let found = component(self.arrays(of), name);
            found.map(|(array, component)| Named::Array(array, component, of))
        };
        let [own, others] = places.and_others();
        array(own).or_else(|| array(others)).or_else(|| self.group(name).map(Named::Group))
    }

    fn no_such_name(&self, name: &str, places: Places) -> Error {
        let arrays = places.and_others().map(|of| self.arrays(of));
        let arrays = arrays.into_iter().flatten().map(|array| array.name.as_str());
        let names: Vec<&str> = arrays.chain(self.groups.iter().map(|g| g.name.as_str())).collect();
        let remedy = listed(name, &names, "arrays and no groups");
        Error::usage(
            match places {
                Places::Vertices => format!(
                    "there is no vertex array \"{name}\", and no cell array or group of this name"
                ),
                Places::Cells => {
                    format!("there is no array \"{name}\", and no group of this name")
                }
            },
            remedy,
        )
    }

    /// Returns the mean of the cell values around each vertex, weighted by area or volume, and the
    /// number of vertices whose cells have different values. If all values are equal, the mean is
    /// exactly that value.
    fn at_vertices(&self, values: &[f64]) -> (Vec<f64>, usize) {
        let n = self.n_vertices();
        let mut first = vec![f64::NAN; n];
        let (mut sums, mut weights) = (vec![0.0; n], vec![0.0; n]);
        let (mut found, mut differs) = (vec![false; n], vec![false; n]);
        for (cell, &value) in self.iter_cells().zip(values) {
            let weight = self.measure(cell);
            for v in cell.iter().map(|&v| v as usize).filter(|&v| v < n) {
                if !std::mem::replace(&mut found[v], true) {
                    first[v] = value;
                }
                differs[v] |= value != first[v];
                sums[v] += weight * (value - first[v]);
                weights[v] += weight;
            }
        }
        let mean = |v: usize| if differs[v] { first[v] + sums[v] / weights[v] } else { first[v] };
        ((0..n).map(mean).collect(), differs.iter().filter(|differs| **differs).count())
    }

    /// Returns the mean of vertex values over the corners of each cell, and the number of cells
    /// whose corners have different values.
    fn in_cells(&self, values: &[f64]) -> (Vec<f64>, usize) {
        let corners = self.kind.arity() as f64;
        let mean = |cell: &[u32]| cell.iter().map(|&v| values[v as usize]).sum::<f64>() / corners;
        let differs =
            |cell: &&[u32]| cell.iter().any(|&v| values[v as usize] != values[cell[0] as usize]);
        (self.iter_cells().map(mean).collect(), self.iter_cells().filter(differs).count())
    }

    /// Returns the area of a cell times 2, or its volume times 6.
    fn measure(&self, cell: &[u32]) -> f64 {
        let edge = |k: usize| {
            let x = |k: usize| Vec3::from(self.vertices[cell[k] as usize]);
            x(k) - x(0)
        };
        let normal = edge(1).cross(&edge(2));
        if cell.len() == 4 { normal.dot(&edge(3)).abs() } else { normal.norm() }
    }

    /// Returns 1 inside a group and 0 outside.
    fn inside(&self, group: &Group, places: Places) -> Vec<f64> {
        let mark = |n: usize, members: &mut dyn Iterator<Item = u32>| {
            let mut marks = vec![0.0; n];
            for member in members {
                if let Some(mark) = marks.get_mut(member as usize) {
                    *mark = 1.0;
                }
            }
            marks
        };
        let n = self.n_vertices();
        match (&group.members, places) {
            (Members::Cells(cells), Places::Cells) => {
                mark(self.n_cells(), &mut cells.iter().copied())
            }
            (Members::Cells(cells), Places::Vertices) => {
                let arity = self.kind.arity();
                let corners = |&cell: &u32| self.cells.chunks_exact(arity).nth(cell as usize);
                mark(n, &mut cells.iter().filter_map(corners).flatten().copied())
            }
            (Members::Simplices { vertices, .. }, Places::Vertices) => {
                mark(n, &mut vertices.iter().copied())
            }
            (Members::Simplices { vertices, .. }, Places::Cells) => {
                let marks = mark(n, &mut vertices.iter().copied());
                let all = |cell: &[u32]| cell.iter().all(|&v| marks[v as usize] == 1.0);
                self.iter_cells().map(|cell| f64::from(u8::from(all(cell)))).collect()
            }
        }
    }
}

/// Returns the remedy for a name that does not exist: the list of the existing names or, if there
/// are none, a statement that the mesh has none of this kind (`of`).
fn listed(name: &str, names: &[&str], of: &str) -> String {
    match names {
        [] => format!("the mesh has no {of}"),
        names => suggest(name, names).replace("allowed:", "there are:"),
    }
}

/// Returns the error for an array with several components if the name selects none of them.
fn several(array: &DataArray, of: Places) -> Error {
    let (name, word) = (&array.name, of.word());
    let is_plain = name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && !name.starts_with(|c: char| c.is_numeric());
    let written = if is_plain { name.clone() } else { format!("{{{name}}}") };
    let n = array.components;
    let what = format!("the {word} array \"{name}\" has {n} numbers per {word} instead of 1");
    let components = match n {
        2 => format!("{written}.x or {written}.y"),
        _ => format!("{written}.x, {written}.y or {written}.z"),
    };
    Error::usage(what, format!("write a component: {components}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a quadrilateral of two triangles, the second of which is twice as large as the
    /// first, with arrays and groups.
    fn mesh() -> Mesh {
        let vertices = vec![[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]];
        let mut mesh = Mesh::new(Kind::Planar, vertices, vec![0, 1, 2, 0, 2, 3]);
        let array = |name: &str, components, values: &[f64]| DataArray {
            name: name.into(),
            components,
            values: Values::Float(values.into()),
        };
        mesh.vertex_data.push(array("a", 1, &[0.0, 1.0, 2.0, f64::NAN]));
        mesh.vertex_data.push(array("U", 2, &[1.0, 5.0, 2.0, 6.0, 3.0, 7.0, 4.0, 8.0]));
        mesh.cell_data.push(array("c", 1, &[3.0, 6.0]));
        mesh.cell_data.push(array("a", 1, &[7.0, 8.0]));
        let labels = DataArray { values: Values::Int(vec![1, 3]), ..array("tag", 1, &[]) };
        mesh.cell_data.push(labels);
        let group = |name: &str, members| Group { name: name.into(), members };
        mesh.groups.push(group("2", Members::Cells(vec![1])));
        let edge = Members::Simplices { dimension: 1, vertices: vec![0, 1] };
        mesh.groups.push(group("wall", edge));
        let points = Members::Simplices { dimension: 0, vertices: vec![0, 1, 2] };
        mesh.groups.push(group("stim", points));
        mesh
    }

    #[test]
    fn names_mean_arrays_components_and_groups() {
        let mesh = mesh();
        let at = |name: &str| mesh.numbers(name, Places::Vertices).unwrap().values;
        let of = |name: &str| mesh.numbers(name, Places::Cells).unwrap().values;
        assert_eq!(at("a")[..3], [0.0, 1.0, 2.0]);
        assert!(at("a")[3].is_nan());
        assert_eq!(of("a"), [7.0, 8.0]);
        assert_eq!((at("U.x"), at("U.y")), (vec![1.0, 2.0, 3.0, 4.0], vec![5.0, 6.0, 7.0, 8.0]));
        assert_eq!(of("U.x"), [2.0, 8.0 / 3.0]);
        assert_eq!((at("c"), of("c")), (vec![5.0, 3.0, 5.0, 6.0], vec![3.0, 6.0]));
        assert_eq!((at("2"), of("2")), (vec![1.0, 0.0, 1.0, 1.0], vec![0.0, 1.0]));
        assert_eq!((at("wall"), of("wall")), (vec![1.0, 1.0, 0.0, 0.0], vec![0.0; 2]));
        assert_eq!((at("stim"), of("stim")), (vec![1.0, 1.0, 1.0, 0.0], vec![1.0, 0.0]));
        let of_cells: Vec<&str> = ["a", "c", "U.x", "2", "wall", "no"]
            .into_iter()
            .filter(|name| mesh.is_of_cells(name))
            .collect();
        assert_eq!(of_cells, ["c", "2"]);
    }

    #[test]
    fn means_of_equal_numbers_are_exact_and_those_of_labels_are_counted() {
        let mut mesh = mesh();
        let numbers = mesh.numbers("tag", Places::Vertices).unwrap();
        assert_eq!(numbers.averaged_labels, 2);
        let doubt = numbers.doubt("tag", Places::Vertices).unwrap();
        assert!(doubt.contains("\"tag\" holds whole numbers, and at 2 vertices"), "{doubt}");
        assert_eq!(mesh.numbers("c", Places::Vertices).unwrap().doubt("c", Places::Cells), None);
        mesh.cell_data[0].values = Values::Float(vec![0.1, 0.1]);
        assert_eq!(mesh.numbers("c", Places::Vertices).unwrap().values, [0.1; 4]);
    }

    #[test]
    fn names_that_mean_nothing_are_answered_with_the_others() {
        let mesh = mesh();
        let message = |name: &str| mesh.numbers(name, Places::Vertices).unwrap_err().to_string();
        let found = message("wal");
        assert!(
            found.contains("no vertex array \"wal\", and no cell array or group of this name"),
            "{found}"
        );
        assert!(
            found.contains("did you mean `wall`? there are: a, U, c, a, tag, 2, wall, stim"),
            "{found}"
        );
        let found = message("U");
        assert!(found.contains("\"U\" has 2 numbers per vertex instead of 1"), "{found}");
        assert!(found.ends_with("write a component: U.x or U.y"), "{found}");
        assert!(message("U.z").contains("no vertex array \"U.z\""));
        assert!(message("a.x").contains("no vertex array \"a.x\""));
    }
}
