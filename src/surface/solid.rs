//! A closed surface of a mesh, prepared for signed distances.

use super::{Envelope, LatticeDistance, TriangleIndex, UNDECIDED, orient, shared_faces};
use crate::error::{Error, Result};
use crate::mesh::{Kind, Mesh, assess};
use crate::words::counted;

/// The region that the triangles of a mesh enclose: the points at which the absolute value of the
/// winding number exceeds 1/2.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Solid {
    /// The position of each vertex, in mesh units.
    pub vertices: Vec<[f64; 3]>,
    /// Vertex indices of the triangles, `[n * 3]`, oriented consistently with their neighbors
    /// wherever possible.
    pub triangles: Vec<u32>,
    /// For each triangle, its index in the mesh.
    pub stored: Vec<u32>,
    /// The part of the surface that bounds the region, unless it is the whole surface.
    pub envelope: Option<Envelope>,
    /// Number of edges with one triangle. It is 0 for a closed surface.
    pub open_edges: usize,
    /// Warnings about the surface and its repairs, one sentence each.
    pub warnings: Vec<String>,
}

impl Solid {
    /// Prepares the triangles of a mesh.
    ///
    /// Triangles that cannot be used are left out, and those that face the opposite way to their
    /// neighbors are reversed. Parts may overlap, touch and lie within each other: distances are
    /// measured to the envelope of all parts.
    ///
    /// # Errors
    /// Returns the errors of [`Solid::sheets`]. Returns [`Error::Mesh`] if the triangles lie in a
    /// plane z = const.
    pub fn new(mesh: &Mesh) -> Result<Self> {
        if mesh.kind == Kind::Planar {
            let remedy = "use a closed surface, or choose initial.curve";
            return Err(Error::mesh("", "lies in a plane, so it encloses nothing", remedy));
        }
        let mut solid = Solid::prepared(mesh, &shared_faces(&mesh.cells))?;
        let found = orient(&solid.vertices, &mut solid.triangles);
        solid.open_edges = found.open_edges;
        let warnings = &mut solid.warnings;
        if found.turned > 0 {
            let triangles = counted(found.turned, ["triangle faces", "triangles face"]);
            warnings.push(format!("{triangles} the opposite way from the neighbors: flipped"));
        }
        if found.one_sided > 0 {
            let parts = counted(found.one_sided, ["component has", "components have"]);
            warnings.push(format!("{parts} only one side, like a Moebius strip"));
        }
        if found.open_edges == 0 && found.nonmanifold_edges > 0 {
            let edges = counted(found.nonmanifold_edges, ["edge has", "edges have"]);
            warnings.push(format!(
                "{edges} three or more triangles; inside is where the winding number exceeds 1/2"
            ));
        }
        if found.open_edges > 0 {
            warnings.push(format!(
                "not closed: {} edges with one triangle, {} with three or more; inside is where \
                 the winding number exceeds 1/2",
                found.open_edges, found.nonmanifold_edges
            ));
        }
        solid.envelope = Envelope::of(&solid.vertices, &solid.triangles);
        if let Some(envelope) = &solid.envelope {
            solid.warnings.push(envelope.warning(solid.triangles.len() / 3));
        }
        Ok(solid)
    }

    /// Prepares the triangles of a mesh for distances without a sign, such as those of sheets that
    /// enclose nothing. Only triangles that cannot be used are left out.
    ///
    /// # Errors
    /// Returns [`Error::Mesh`] if the mesh holds no triangles that can be used.
    pub fn sheets(mesh: &Mesh) -> Result<Self> {
        Solid::prepared(mesh, &[])
    }

    /// Leaves out the triangles that cannot be used, and those `between` parts that touch.
    fn prepared(mesh: &Mesh, between: &[u32]) -> Result<Self> {
        if mesh.kind == Kind::Volume {
            let remedy = "give the triangles of its boundary";
            return Err(Error::mesh("", "holds tetrahedra, so it encloses nothing", remedy));
        }
        let mut cleaning = assess(mesh)?;
        let mut warnings = Vec::new();
        if !between.is_empty() {
            let faces = counted(between.len(), ["triangle lies", "triangles lie"]);
            warnings.push(format!("{faces} between parts that touch: ignored"));
            cleaning.kept_cells.retain(|t| between.binary_search(t).is_err());
            // One copy of each of these triangles was also counted as a duplicate.
            cleaning.duplicate = cleaning.duplicate.saturating_sub(between.len() / 2);
        }
        warnings.extend(cleaning.summary());
        let all = mesh.cells.as_chunks::<3>().0;
        let triangles = cleaning.kept_cells.iter().flat_map(|&t| all[t as usize]).collect();
        let (vertices, stored) = (mesh.vertices.clone(), cleaning.kept_cells);
        Ok(Solid { vertices, triangles, stored, envelope: None, open_edges: 0, warnings })
    }

    /// Applies a map to the vertices, which must keep the shape of the region: a translation, a
    /// rotation or a scaling by a positive factor.
    pub fn moved(mut self, place: impl Fn(&[f64; 3]) -> [f64; 3]) -> Self {
        self.vertices.iter_mut().for_each(|x| *x = place(x));
        self.envelope = self.envelope.map(|envelope| envelope.moved(place));
        self
    }

    /// Returns an index for distances to the region.
    pub fn index(&self) -> TriangleIndex {
        let index = TriangleIndex::new(&self.vertices, &self.triangles);
        match &self.envelope {
            Some(envelope) => index.with_envelope(envelope),
            None => index,
        }
    }

    /// Returns distances to the region for the voxels of a lattice, as described at
    /// [`LatticeDistance::new`].
    pub fn on_lattice(&self, origin: [f64; 3], spacing: f64, half_width: f64) -> LatticeDistance {
        let (vertices, triangles) = (&self.vertices, &self.triangles);
        let distance = LatticeDistance::new(vertices, triangles, origin, spacing, half_width);
        match &self.envelope {
            Some(envelope) => distance.with_envelope(envelope, origin, spacing),
            None => distance,
        }
    }

    /// Returns the smallest and the largest coordinates of the triangles.
    pub fn bounds(&self) -> ([f64; 3], [f64; 3]) {
        let ends = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        self.triangles.iter().fold(ends, |(low, high), &v| {
            let x = self.vertices[v as usize];
            (std::array::from_fn(|k| low[k].min(x[k])), std::array::from_fn(|k| high[k].max(x[k])))
        })
    }
}

/// Returns warnings about points whose side is uncertain, and about points with negative winding
/// numbers. `points` names their kind, such as "vertices".
pub fn doubts(points: &str, undecided: usize, inverted: usize) -> Vec<String> {
    let (low, high) = (UNDECIDED.start, UNDECIDED.end);
    let undecided = (undecided > 0).then(|| {
        format!(
            "the side of {undecided} {points} is uncertain: winding numbers between {low} and \
             {high}"
        )
    });
    let inverted = (inverted > 0).then(|| {
        format!(
            "normals point inwards (negative winding number at {inverted} {points}): taken as \
             inside anyway"
        )
    });
    undecided.into_iter().chain(inverted).collect()
}
