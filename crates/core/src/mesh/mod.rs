//! Simplex meshes: triangles in the plane, triangulated surfaces in R^3, and tetrahedra.
//!
//! A [`Mesh`] comes from a file or a generator, in its own numbering. [`clean`] prepares it for
//! solvers, and [`statistics`] counts and measures it.

mod boundary;
mod clean;
pub mod generate;
pub mod interface;
pub mod normals;
mod numbers;
mod overlaps;
mod point_tree;
pub mod refine;
pub mod repair;
mod rounding;
pub mod statistics;

pub use boundary::{Boundary, boundary, outer_faces};
pub use clean::part;
pub use clean::{Cleaning, assess, clean, clean_repaired};
pub use normals::{normal_arrays, vertex_normals};
pub use numbers::{Numbers, Places, component};

/// The kind of a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Triangles in the plane z = const.
    Planar,
    /// Triangles in R^3.
    Surface,
    /// Tetrahedra in R^3.
    Volume,
}

impl Kind {
    /// Returns the intrinsic dimension d, 2 or 3.
    #[inline]
    pub fn dimension(self) -> usize {
        match self {
            Kind::Planar | Kind::Surface => 2,
            Kind::Volume => 3,
        }
    }

    /// Returns the number of vertices per cell, d + 1.
    #[inline]
    pub fn arity(self) -> usize {
        self.dimension() + 1
    }
}

/// A simplex mesh with its groups and data, in the numbering of its file.
///
/// ```
/// use zeroset_core::mesh::{Kind, Mesh};
/// let corners = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let mesh = Mesh::new(Kind::Volume, corners, vec![0, 1, 2, 3]);
/// assert_eq!((mesh.n_vertices(), mesh.n_cells()), (4, 1));
/// assert_eq!(mesh.centroids(), [[0.25; 3]]);
/// ```
#[derive(Clone, Debug)]
pub struct Mesh {
    /// The kind of the mesh.
    pub kind: Kind,
    /// The coordinates in mesh units, `[n_vertices]`. Planar meshes have constant z.
    pub vertices: Vec<[f64; 3]>,
    /// The vertex indices, `[n_cells * arity]`.
    pub cells: Vec<u32>,
    /// Named parts: regions of the domain, and lower-dimensional subsets of it.
    pub groups: Vec<Group>,
    /// The arrays with one row per vertex.
    pub vertex_data: Vec<DataArray>,
    /// The arrays with one row per cell.
    pub cell_data: Vec<DataArray>,
    /// The number of vertices per axis, if the mesh is a lattice, that is, if its vertices are
    /// numbered like the points of a regular grid, x fastest.
    pub lattice: Option<[u32; 3]>,
}

impl Mesh {
    /// Creates a mesh without groups or data from coordinates, `[n_vertices]`, and vertex indices,
    /// three for each triangle or four for each tetrahedron.
    pub fn new(kind: Kind, vertices: Vec<[f64; 3]>, cells: Vec<u32>) -> Self {
        let (groups, vertex_data, cell_data, lattice) = Default::default();
        Mesh { kind, vertices, cells, groups, vertex_data, cell_data, lattice }
    }

    /// Returns the number of vertices.
    #[inline]
    pub fn n_vertices(&self) -> usize {
        self.vertices.len()
    }

    /// Returns the number of cells.
    #[inline]
    pub fn n_cells(&self) -> usize {
        self.cells.len() / self.kind.arity()
    }

    /// Iterates over the cells as slices of `arity` vertex indices.
    #[inline]
    pub fn iter_cells(&self) -> std::slice::ChunksExact<'_, u32> {
        self.cells.chunks_exact(self.kind.arity())
    }

    /// Returns the centroids of the cells, `[n_cells]`, in mesh units.
    pub fn centroids(&self) -> Vec<[f64; 3]> {
        let corners = self.kind.arity() as f64;
        let mean = |cell: &[u32], k: usize| {
            cell.iter().map(|&v| self.vertices[v as usize][k]).sum::<f64>() / corners
        };
        self.iter_cells().map(|cell| [0, 1, 2].map(|k| mean(cell, k))).collect()
    }

    /// Returns the smallest and the largest coordinate along each axis, or zeros for an empty mesh.
    pub fn bounds(&self) -> ([f64; 3], [f64; 3]) {
        let Some(&first) = self.vertices.first() else { return ([0.0; 3], [0.0; 3]) };
        self.vertices.iter().fold((first, first), |(mut low, mut high), x| {
            for k in 0..3 {
                low[k] = low[k].min(x[k]);
                high[k] = high[k].max(x[k]);
            }
            (low, high)
        })
    }

    /// Returns the vertex array with the given name, if there is one.
    pub fn vertex_array(&self, name: &str) -> Option<&DataArray> {
        self.vertex_data.iter().find(|a| a.name == name)
    }

    /// Returns the cell array with the given name, if there is one.
    pub fn cell_array(&self, name: &str) -> Option<&DataArray> {
        self.cell_data.iter().find(|a| a.name == name)
    }

    /// Returns the group with the given name, if there is one.
    pub fn group(&self, name: &str) -> Option<&Group> {
        self.groups.iter().find(|g| g.name == name)
    }
}

/// A named part of a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The name in the file, or the number of the group as text.
    pub name: String,
    /// The members of the group.
    pub members: Members,
}

/// The members of a [`Group`].
#[derive(Clone, Debug, PartialEq)]
pub enum Members {
    /// Cells of the domain: their indices, counted from 0.
    Cells(Vec<u32>),
    /// Simplices of lower dimension, with `dimension + 1` vertex indices each.
    Simplices {
        /// The dimension: 0 for points, 1 for edges, 2 for triangles.
        dimension: usize,
        /// The vertex indices, `[n * (dimension + 1)]`.
        vertices: Vec<u32>,
    },
}

/// An array of numbers with one row per vertex or cell.
#[derive(Clone, Debug, PartialEq)]
pub struct DataArray {
    /// The name in the file.
    pub name: String,
    /// The number of components per row.
    pub components: usize,
    /// The values, `[rows * components]`.
    pub values: Values,
}

impl DataArray {
    /// Returns the number of rows.
    #[inline]
    pub fn rows(&self) -> usize {
        self.values.len() / self.components.max(1)
    }

    /// Returns an array with the given rows, in the given order. Rows beyond the end are left out.
    pub fn select(&self, rows: &[u32]) -> DataArray {
        fn pick<T: Copy>(values: &[T], n: usize, rows: &[u32]) -> Vec<T> {
            let row = |&row: &u32| values.get(row as usize * n..(row as usize + 1) * n);
            rows.iter().filter_map(row).flatten().copied().collect()
        }
        let values = match &self.values {
            Values::Float(v) => Values::Float(pick(v, self.components, rows)),
            Values::Int(v) => Values::Int(pick(v, self.components, rows)),
        };
        DataArray { name: self.name.clone(), components: self.components, values }
    }
}

/// The values of a [`DataArray`]: measured quantities, or labels that must not be averaged.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Measured quantities.
    Float(Vec<f64>),
    /// Labels and counts.
    Int(Vec<i64>),
}

impl Values {
    /// Returns the number of values.
    #[inline]
    pub fn len(&self) -> usize {
        match self {
            Values::Float(v) => v.len(),
            Values::Int(v) => v.len(),
        }
    }

    /// Returns true if there are no values.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns all values as `f64`, row by row.
    pub fn to_f64(&self) -> Vec<f64> {
        match self {
            Values::Float(v) => v.clone(),
            Values::Int(v) => v.iter().map(|&x| x as f64).collect(),
        }
    }
}
