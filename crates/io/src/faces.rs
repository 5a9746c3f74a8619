//! Splitting of polygons into triangles, for the formats that store faces.

use std::collections::BTreeMap;

use super::MeshFile;
use crate::cut::{Polygons, Recut, Uncut};
use zeroset_core::error::{Element, Flaw, Result};
use zeroset_core::mesh::{Kind, Mesh};

/// Triangles made from faces, with counts of the faces as stored.
#[derive(Default)]
pub(crate) struct Faces {
    /// Vertex indices, `[n_triangles * 3]`.
    pub(crate) triangles: Vec<u32>,
    /// Counts of triangles, quads, polygons with five or more corners, and triangle strips.
    counts: [usize; 4],
    /// The number of faces with fewer than three corners, which yield no triangle.
    small: usize,
    /// The faces with more than three corners.
    polygons: Polygons,
    /// The number of faces, without strips.
    n_faces: usize,
}

impl Faces {
    /// Adds a face, split into a fan around its first corner, and returns the number of triangles.
    /// [`Faces::into_file`] replaces fans that do not fit the coordinates.
    pub(crate) fn push(&mut self, face: &[u32]) -> usize {
        self.polygons.push(self.len(), self.n_faces, face.len());
        self.n_faces += 1;
        match face.len() {
            0..=2 => self.small += 1,
            3 => self.counts[0] += 1,
            4 => self.counts[1] += 1,
            _ => self.counts[2] += 1,
        }
        let Some((&first, others)) = face.split_first() else { return 0 };
        for pair in others.windows(2) {
            self.triangles.extend([first, pair[0], pair[1]]);
        }
        others.len().saturating_sub(1)
    }

    /// Adds a triangle strip. Starting with the third corner, each corner forms a triangle with the
    /// two before it. Every second triangle is reversed so that all face the same side.
    pub(crate) fn push_strip(&mut self, strip: &[u32]) {
        self.counts[3] += 1;
        for (i, corner) in strip.windows(3).enumerate() {
            let turned = [corner[1], corner[0], corner[2]];
            self.triangles.extend_from_slice(if i % 2 == 0 { corner } else { &turned });
        }
    }

    /// Appends the triangles, polygons and counts of `others`.
    pub(crate) fn append_all(&mut self, others: Vec<Faces>) {
        if others.len() > 1 {
            self.triangles.reserve(others.iter().map(|other| other.triangles.len()).sum());
        }
        for mut other in others {
            self.polygons.append(std::mem::take(&mut other.polygons), self.len(), self.n_faces);
            self.n_faces += other.n_faces;
            match self.triangles.capacity() {
                0 => self.triangles = other.triangles,
                _ => self.triangles.append(&mut other.triangles),
            }
            self.small += other.small;
            self.counts.iter_mut().zip(other.counts).for_each(|(count, more)| *count += more);
        }
    }

    /// Returns the number of triangles so far.
    pub(crate) fn len(&self) -> usize {
        self.triangles.len() / 3
    }

    /// Builds the mesh file that these faces form with `vertices`.
    ///
    /// # Errors
    /// Returns a [`Flaw`] if there are no vertices or more triangles than 32-bit indices can
    /// address.
    pub(crate) fn into_file(
        mut self,
        vertices: Vec<[f64; 3]>,
        format: &'static str,
        version: impl Into<String>,
    ) -> Result<MeshFile, Flaw> {
        let n_triangles = self.len() as u64;
        index_limit(n_triangles, "triangles")?;
        let names = ["triangle", "quad", "polygon", "triangle_strip"];
        let counts = names.into_iter().zip(self.counts).filter(|c| c.1 > 0);
        let cells_by_type = counts.map(|(name, n)| (name.to_string(), n)).collect();
        let Recut { uncut, warning } =
            self.polygons.recut(&vertices, &mut self.triangles, Element::Face);
        let mut file = mesh_file(vertices, self.triangles, format, version, cells_by_type)?;
        file.uncut = uncut;
        file.warnings.extend(warning);
        if self.small > 0 {
            let n = self.small;
            file.warnings.push(format!("{n} faces with fewer than three corners are left out"));
        }
        Ok(file)
    }
}

/// Builds the [`MeshFile`] of a triangle mesh. The kind of the mesh follows from the coordinates.
///
/// # Errors
/// Returns a [`Flaw`] if there are no vertices.
pub(crate) fn mesh_file(
    vertices: Vec<[f64; 3]>,
    triangles: Vec<u32>,
    format: &'static str,
    version: impl Into<String>,
    cells_by_type: BTreeMap<String, usize>,
) -> Result<MeshFile, Flaw> {
    if vertices.is_empty() {
        return Err(Flaw::whole("the file holds no vertices", "export the mesh again"));
    }
    let kind = kind_of_triangles(&vertices, &triangles);
    Ok(MeshFile {
        mesh: Mesh::new(kind, vertices, triangles),
        format,
        version: version.into(),
        units: None,
        space: None,
        cells_by_type,
        warnings: Vec::new(),
        uncut: Uncut::default(),
        about: Box::default(),
    })
}

/// Returns the kind of a mesh: planar if there are triangles and all z are equal, else surface.
pub(crate) fn kind_of_triangles(vertices: &[[f64; 3]], triangles: &[u32]) -> Kind {
    let flat = vertices.first().is_some_and(|first| vertices.iter().all(|x| x[2] == first[2]));
    if flat && !triangles.is_empty() { Kind::Planar } else { Kind::Surface }
}

/// Returns a [`Flaw`] if `n` exceeds 2^32 - 2, the largest supported number of items.
pub(crate) fn index_limit(n: u64, what: &str) -> Result<(), Flaw> {
    if n < u64::from(u32::MAX) {
        return Ok(());
    }
    let what = format!("{n} {what}, at most {} are supported", u32::MAX - 1);
    Err(Flaw::whole(what, "split the mesh, or correct the count if the file holds fewer"))
}

/// Checks a 0-based vertex index against the number of vertices, and returns it.
pub(crate) fn check_index(index: i64, n_vertices: usize) -> Result<u32, String> {
    match u32::try_from(index) {
        Ok(i) if (i as usize) < n_vertices => Ok(i),
        _ => Err(format!(
            "refers to vertex {index} of {n_vertices} (0-based, so 0 to {} exist)",
            n_vertices as i64 - 1
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fans_and_strips_keep_their_orientation() {
        let mut faces = Faces::default();
        assert_eq!(faces.push(&[0, 1, 2, 3, 4]), 3);
        assert_eq!(faces.triangles, [0, 1, 2, 0, 2, 3, 0, 3, 4]);
        assert_eq!((faces.push(&[7]), faces.push(&[]), faces.push(&[1, 2])), (0, 0, 0));
        faces.triangles.clear();
        faces.push_strip(&[0, 1, 2, 3]);
        assert_eq!(faces.triangles, [0, 1, 2, 2, 1, 3], "both run 1-2 in opposite directions");
        assert_eq!((faces.counts, faces.small), ([0, 0, 1, 1], 3));
    }
}
