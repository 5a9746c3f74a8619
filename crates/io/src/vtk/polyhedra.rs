//! The faces of polyhedra, in the three layouts of VTK.

use super::grid::Grid;

/// The VTK cell type of a polyhedron.
pub(super) const POLYHEDRON: u8 = 42;

/// The faces of the polyhedra of a grid.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Polyhedra {
    /// The index of each cell with faces, in ascending order, and the end of its faces in `faces`.
    cells: Vec<(usize, usize)>,
    /// The faces of the cells, as indices in `ends`.
    faces: Vec<usize>,
    /// The end of the points of each face in `points`.
    ends: Vec<usize>,
    points: Vec<i64>,
}

impl Polyhedra {
    /// Creates the faces from the four arrays that files have since version 2.3: the points of all
    /// faces, the end of each face in this list, the faces of all cells, and the end of each cell
    /// in the list of faces.
    ///
    /// # Errors
    /// Returns a description of the fault if the arrays contradict each other.
    pub fn of_arrays(
        points: Vec<i64>,
        ends: &[i64],
        faces: &[i64],
        cell_ends: &[i64],
    ) -> Result<Self, String> {
        let all = |values: &[i64], most: usize, what: &str| -> Result<Vec<usize>, String> {
            let found = values.iter().map(|&v| usize::try_from(v).ok().filter(|&v| v <= most));
            found.collect::<Option<_>>().ok_or_else(|| format!("{what} are not 0 to {most}"))
        };
        let ends = all(ends, points.len(), "face_offsets")?;
        let cell_ends = all(cell_ends, faces.len(), "polyhedron_offsets")?;
        if !ends.is_sorted() || !cell_ends.is_sorted() {
            return Err("face_offsets or polyhedron_offsets decrease".to_string());
        }
        let faces = all(faces, ends.len().saturating_sub(1), "polyhedron_to_faces")?;
        // At most two cells share a face. Without this limit, a small file could cause an excessive
        // amount of work.
        let mut uses = vec![0_u8; ends.len()];
        for &face in &faces {
            let Some(uses) = uses.get_mut(face) else {
                return Err(format!("face {face} is missing"));
            };
            *uses += 1;
            if *uses > 2 {
                return Err(format!("face {face} belongs to more than two cells"));
            }
        }
        let mut last = 0;
        let cells = cell_ends.into_iter().enumerate();
        let cells = cells.filter(|&(_, end)| std::mem::replace(&mut last, end) != end).collect();
        Ok(Polyhedra { cells, faces, ends, points })
    }

    /// Adds a cell from its stream: the number of its faces, and for each face the number of its
    /// points, followed by these points.
    ///
    /// # Errors
    /// Returns a description of the damage.
    pub fn push_stream(&mut self, cell: usize, stream: &[i64]) -> Result<(), String> {
        let short = || "the list of its faces ends early".to_string();
        let (&n, mut rest) = stream.split_first().ok_or_else(short)?;
        for _ in 0..n {
            let (&k, tail) = rest.split_first().ok_or_else(short)?;
            let k = usize::try_from(k).map_err(|_| format!("a face has {k} points"))?;
            let (points, tail) = tail.split_at_checked(k).ok_or_else(short)?;
            self.points.extend_from_slice(points);
            self.faces.push(self.ends.len());
            self.ends.push(self.points.len());
            rest = tail;
        }
        if !rest.is_empty() {
            return Err(format!("{} numbers are left after its {n} faces", rest.len()));
        }
        self.cells.push((cell, self.faces.len()));
        Ok(())
    }

    /// Returns the faces of a cell. There are none if the file does not state them.
    pub fn faces(&self, cell: usize) -> impl Iterator<Item = &[i64]> {
        let range = match self.cells.binary_search_by_key(&cell, |&(cell, _)| cell) {
            Ok(k) => k.checked_sub(1).map_or(0, |k| self.cells[k].1)..self.cells[k].1,
            Err(_) => 0..0,
        };
        self.faces[range].iter().map(|&face| {
            let begin = face.checked_sub(1).map_or(0, |face| self.ends[face]);
            &self.points[begin..self.ends[face]]
        })
    }

    /// Returns the first point index that is negative or not below `n_points`, if there is one.
    pub fn wrong_point(&self, n_points: usize) -> Option<i64> {
        self.points.iter().copied().find(|&p| p < 0 || p as u64 >= n_points as u64)
    }

    /// Appends the faces of a piece. `first_cell` and `first_point` are the indices in the grid of
    /// the first cell and the first point of the piece.
    pub fn append(&mut self, piece: Polyhedra, first_cell: usize, first_point: i64) {
        let (faces, ends, points) = (self.faces.len(), self.ends.len(), self.points.len());
        self.cells.extend(piece.cells.iter().map(|&(c, end)| (c + first_cell, end + faces)));
        self.faces.extend(piece.faces.iter().map(|face| face + ends));
        self.ends.extend(piece.ends.iter().map(|end| end + points));
        self.points.extend(piece.points.iter().map(|p| p.saturating_add(first_point)));
    }
}

/// Replaces the face stream of each polyhedron, which legacy files store in place of its points,
/// with its points.
///
/// # Errors
/// Returns the first cell whose stream is damaged, and a description of the damage.
pub(super) fn expand_streams(grid: &mut Grid) -> Result<(), (usize, String)> {
    if !grid.types.contains(&POLYHEDRON) {
        return Ok(());
    }
    let (mut connectivity, mut ends) = (Vec::new(), Vec::with_capacity(grid.ends.len()));
    let mut start = 0;
    for (cell, (&number, &end)) in grid.types.iter().zip(&grid.ends).enumerate() {
        let points = grid.connectivity.get(start..end).unwrap_or_default();
        if number == POLYHEDRON {
            grid.polyhedra.push_stream(cell, points).map_err(|what| (cell, what))?;
            let mut own: Vec<i64> = grid.polyhedra.faces(cell).flatten().copied().collect();
            own.sort_unstable();
            own.dedup();
            connectivity.extend(own);
        } else {
            connectivity.extend_from_slice(points);
        }
        ends.push(connectivity.len());
        start = end;
    }
    (grid.connectivity, grid.ends) = (connectivity, ends);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_and_arrays_give_the_same_faces() {
        let stream = [2, 3, 0, 1, 2, 4, 2, 1, 0, 3];
        let mut streamed = Polyhedra::default();
        streamed.push_stream(4, &stream).unwrap();
        let points = vec![0, 1, 2, 2, 1, 0, 3];
        let arrays = Polyhedra::of_arrays(points, &[3, 7], &[0, 1], &[0, 0, 0, 0, 2, 2]).unwrap();
        assert_eq!(streamed, arrays);
        let faces: Vec<&[i64]> = arrays.faces(4).collect();
        assert_eq!(faces, [&[0, 1, 2][..], &[2, 1, 0, 3]]);
        assert_eq!((arrays.faces(3).count(), arrays.faces(5).count()), (0, 0));
        assert_eq!((arrays.wrong_point(3), arrays.wrong_point(4)), (Some(3), None));
    }

    #[test]
    fn damaged_streams_and_arrays_are_refused() {
        let mut polyhedra = Polyhedra::default();
        for stream in [&[][..], &[1], &[1, 3, 0, 1], &[1, -1], &[1, 1, 0, 7], &[i64::MAX, 0]] {
            assert!(polyhedra.push_stream(0, stream).is_err(), "{stream:?}");
        }
        let of = |ends: &[i64], faces: &[i64], cells: &[i64]| {
            Polyhedra::of_arrays(vec![0, 1, 2], ends, faces, cells)
        };
        assert!(of(&[3], &[0], &[1]).is_ok());
        assert!(of(&[4], &[0], &[1]).is_err());
        assert!(of(&[3], &[1], &[1]).is_err());
        assert!(of(&[], &[0], &[1]).is_err());
        assert!(of(&[3], &[0], &[2]).is_err());
        assert!(of(&[3, 2], &[0], &[1]).is_err());
        assert!(of(&[3], &[0, 0, 0], &[3]).unwrap_err().contains("more than two"));
    }
}
