//! Simplex meshes: triangles in the plane, triangulated surfaces in R^3, tetrahedra.
//!
//! [`Mesh`] is what a file holds or a generator makes, in its own numbering; [`clean`] turns it
//! into what a solver may trust, [`check`] says what is in it.

mod boundary;
pub mod check;
mod clean;
pub mod generate;
pub mod interface;
pub mod normals;
pub mod refine;

pub use boundary::boundary;
pub use boundary::outer_faces;
pub use clean::part;
pub use clean::{Cleaning, assess, clean};
pub use normals::{normal_arrays, vertex_normals};

/// What a mesh discretises.
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
    /// Intrinsic dimension d: 2 or 3.
    pub fn dimension(self) -> usize {
        match self {
            Kind::Planar | Kind::Surface => 2,
            Kind::Volume => 3,
        }
    }

    /// Vertices per cell, d + 1.
    pub fn arity(self) -> usize {
        self.dimension() + 1
    }
}

/// A simplex mesh with its groups and data, in the numbering of its file.
#[derive(Clone, Debug)]
pub struct Mesh {
    /// What the cells are.
    pub kind: Kind,
    /// Coordinates in mesh units, `[n_vertices]`; planar meshes have constant z.
    pub vertices: Vec<[f64; 3]>,
    /// Vertex indices, `[n_cells * arity]`.
    pub cells: Vec<u32>,
    /// Named parts: regions of the domain, and lower-dimensional pieces of it.
    pub groups: Vec<Group>,
    /// Arrays with one row per vertex.
    pub vertex_data: Vec<DataArray>,
    /// Arrays with one row per cell.
    pub cell_data: Vec<DataArray>,
    /// Vertices per axis, x fastest, if the mesh is a lattice (a regular grid as a mesh).
    pub lattice: Option<[u32; 3]>,
}

impl Mesh {
    /// Mesh without groups and data.
    pub fn new(kind: Kind, vertices: Vec<[f64; 3]>, cells: Vec<u32>) -> Self {
        let (groups, vertex_data, cell_data, lattice) = Default::default();
        Mesh { kind, vertices, cells, groups, vertex_data, cell_data, lattice }
    }

    /// Number of vertices.
    pub fn n_vertices(&self) -> usize {
        self.vertices.len()
    }

    /// Number of cells.
    pub fn n_cells(&self) -> usize {
        self.cells.len() / self.kind.arity()
    }

    /// Vertex indices of each cell in turn, `arity` at a time.
    pub fn iter_cells(&self) -> std::slice::ChunksExact<'_, u32> {
        self.cells.chunks_exact(self.kind.arity())
    }

    /// Smallest and largest coordinate along each axis; zeros for an empty mesh.
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

    /// The vertex array of that name.
    pub fn vertex_array(&self, name: &str) -> Option<&DataArray> {
        self.vertex_data.iter().find(|a| a.name == name)
    }

    /// The cell array of that name.
    pub fn cell_array(&self, name: &str) -> Option<&DataArray> {
        self.cell_data.iter().find(|a| a.name == name)
    }

    /// The group of that name.
    pub fn group(&self, name: &str) -> Option<&Group> {
        self.groups.iter().find(|g| g.name == name)
    }
}

/// A named part of a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Name in the file, or its number as text.
    pub name: String,
    /// What belongs to it.
    pub members: Members,
}

/// Members of a [`Group`].
#[derive(Clone, Debug, PartialEq)]
pub enum Members {
    /// Cells of the domain, by index.
    Cells(Vec<u32>),
    /// Simplices of lower dimension: `dimension + 1` vertex indices each.
    Simplices {
        /// 0 point, 1 edge, 2 triangle.
        dimension: usize,
        /// Vertex indices, `[n * (dimension + 1)]`.
        vertices: Vec<u32>,
    },
}

/// Rows of numbers, one per vertex or cell.
#[derive(Clone, Debug, PartialEq)]
pub struct DataArray {
    /// Name in the file.
    pub name: String,
    /// Numbers per row.
    pub components: usize,
    /// `[rows * components]`.
    pub values: Values,
}

impl DataArray {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.values.len() / self.components.max(1)
    }
}

/// Numbers of a [`DataArray`]: measured quantities, or labels that must not be averaged.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Measured quantities.
    Float(Vec<f64>),
    /// Labels and counts.
    Int(Vec<i64>),
}

impl Values {
    /// How many numbers.
    pub fn len(&self) -> usize {
        match self {
            Values::Float(v) => v.len(),
            Values::Int(v) => v.len(),
        }
    }

    /// True without numbers.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All numbers as `f64`.
    pub fn to_f64(&self) -> Vec<f64> {
        match self {
            Values::Float(v) => v.clone(),
            Values::Int(v) => v.iter().map(|&x| x as f64).collect(),
        }
    }
}
