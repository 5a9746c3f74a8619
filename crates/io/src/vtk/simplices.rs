//! Conversion of a grid to simplices.

use super::cell::{CellType, Shape, cell_type};
use super::grid::Grid;
use crate::cut::{Polygons, Recut, Uncut};
use crate::elements;
use zeroset_core::error::{Element, Position};
use zeroset_core::geometry::Vec3;
use zeroset_core::geometry::cut::{CutPolyhedron, cut_face, cut_polyhedron};
use zeroset_core::mesh::{DataArray, Values};
use zeroset_core::words::{counted, noun};

/// A tetrahedron is flat if its volume is at most this fraction of the largest volume in its cell.
const FLAT: f64 = 1e-9;

/// The simplices of a grid by dimension.
#[derive(Default)]
pub(super) struct Simplices {
    /// The vertex indices of the n simplices of each dimension, `[n * (dimension + 1)]`.
    pub corners: [Vec<u32>; 4],
    /// The cell from which each simplex was cut.
    pub parents: [Vec<u32>; 4],
    /// The cells that cannot be cut.
    pub uncut: Uncut,
    /// The number of cells with too few points.
    pub too_few: usize,
    polygons: Polygons,
    /// The cells at whose center a vertex was added.
    centered: Vec<u32>,
    /// The number of cells that keep overlapping or flat tetrahedra, because the cells cannot be
    /// cut like polyhedra.
    n_distorted: usize,
}

impl Simplices {
    /// Cuts the cells of `grid` for which `keep` is true; `None` means all. Adds vertices to the
    /// grid where cells need them.
    pub fn of(grid: &mut Grid, keep: Option<&[bool]>) -> Self {
        let solid = grid.types.iter().any(|&t| cell_type(t).dimension == Some(3));
        let mut simplices = Simplices::default();
        let mut points: Vec<u32> = Vec::new();
        let mut start = 0;
        for cell in 0..grid.types.len() {
            let end = grid.ends[cell];
            points.clear();
            points.extend(grid.connectivity[start..end].iter().map(|&p| p as u32));
            start = end;
            if keep.is_none_or(|keep| keep[cell]) {
                simplices.push(grid, cell, &points, solid);
            }
        }
        simplices.finish(grid);
        simplices
    }

    /// Returns the highest dimension of the simplices, or `None` if there are none.
    pub fn dimension(&self) -> Option<usize> {
        (0..4).rev().find(|&dimension| !self.corners[dimension].is_empty())
    }

    fn push(&mut self, grid: &mut Grid, cell: usize, points: &[u32], solid: bool) {
        let number = grid.types[cell];
        let CellType { dimension: Some(own), shape, .. } = cell_type(number) else {
            if number != 0 {
                let why = format!("the cell type {number} is unknown");
                self.uncut.push(Position::element(Element::Cell, cell), why, 0..0);
            }
            return;
        };
        let before = self.corners[own].len();
        match shape {
            Shape::Solid => self.push_solid(grid, cell, points),
            _ if own == 3 => self.push_cut_solid(grid, shape, points, cell),
            Shape::Polygon if solid => self.push_face(grid, cell, points),
            _ => {
                self.record(shape, cell, points.len());
                shape.split(points, &mut self.corners[own]);
            }
        }
        let made = (self.corners[own].len() - before) / (own + 1);
        self.too_few += usize::from(made == 0 && own < 3);
        self.parents[own].extend(std::iter::repeat_n(cell as u32, made));
    }

    /// Records a polygon whose fan may have to be replaced.
    fn record(&mut self, shape: Shape, cell: usize, n_points: usize) {
        let n_corners = match shape {
            Shape::Polygon => n_points,
            Shape::HalfPolygon => n_points / 2,
            Shape::Pixel | Shape::Corners(elements::Shape::Quad) => 4.min(n_points),
            _ => return,
        };
        self.polygons.push(self.corners[2].len() / 3, cell, n_corners);
    }

    /// Adds a polygon of a mesh of solids. It is cut like the faces of the solids.
    fn push_face(&mut self, grid: &Grid, cell: usize, points: &[u32]) {
        match cut_face(&grid.points, points) {
            Ok(triangles) => self.corners[2].extend(triangles.as_flattened()),
            Err(fault) => self.uncut.push(Position::element(Element::Cell, cell), fault, 0..0),
        }
    }

    /// Adds a polyhedron, or a prism over a pentagon or hexagon.
    fn push_solid(&mut self, grid: &mut Grid, cell: usize, points: &[u32]) {
        let mut faces = prism_faces(grid.types[cell], points);
        if faces.is_empty() {
            let stated = grid.polyhedra.faces(cell);
            faces = stated.map(|face| face.iter().map(|&p| p as u32).collect()).collect();
        }
        let place = Position::element(Element::Cell, cell);
        if faces.is_empty() {
            let name = cell_type(grid.types[cell]).name;
            let why = format!("the file does not state the faces of this {name}");
            return self.uncut.push(place, why, 0..0);
        }
        if let Err(why) = self.cut(grid, cell, &faces) {
            self.uncut.push(place, why, 0..0);
        }
    }

    fn cut(&mut self, grid: &mut Grid, cell: usize, faces: &[Vec<u32>]) -> Result<(), String> {
        let faces: Vec<&[u32]> = faces.iter().map(Vec::as_slice).collect();
        match cut_polyhedron(&grid.points, &faces).map_err(|fault| fault.to_string())? {
            CutPolyhedron::Pulled(cells) => self.corners[3].extend(cells.as_flattened()),
            CutPolyhedron::Centered { center, triangles } => {
                let new = grid.points.len() as u32;
                if new == u32::MAX {
                    return Err("there is no number left for its center".to_string());
                }
                grid.points.push(center.into());
                self.centered.push(cell as u32);
                self.corners[3].extend(triangles.iter().flat_map(|&[a, b, c]| [new, a, b, c]));
            }
            _ => return Err("it is cut in an unknown way".to_string()),
        }
        Ok(())
    }

    /// Adds a hexahedron, voxel, wedge, prism, pyramid or tetrahedron. If its usual tetrahedra
    /// overlap or some of them are flat, it is cut like a polyhedron, if that is possible.
    fn push_cut_solid(&mut self, grid: &mut Grid, shape: Shape, points: &[u32], cell: usize) {
        let begin = self.corners[3].len();
        shape.split(points, &mut self.corners[3]);
        self.too_few += usize::from(self.corners[3].len() == begin);
        if !shape.is_cut_solid() || !is_distorted(&grid.points, &self.corners[3][begin..]) {
            return;
        }
        let usual = self.corners[3].split_off(begin);
        let faces = shape.faces(points);
        if self.cut(grid, cell, &faces).is_err() {
            self.corners[3].extend(usual);
            self.n_distorted += 1;
        }
    }

    /// Replaces the fans of polygons where necessary, adds the data of new vertices, and warns.
    fn finish(&mut self, grid: &mut Grid) {
        if self.corners[3].is_empty() {
            let triangles = &mut self.corners[2];
            let Recut { uncut, warning } =
                self.polygons.recut(&grid.points, triangles, Element::Cell);
            self.uncut.append(uncut);
            grid.warnings.extend(warning);
        }
        if self.n_distorted > 0 {
            let cells = counted(self.n_distorted, ["cell is", "cells are"]);
            grid.warnings.push(format!("{cells} so distorted that the tetrahedra overlap"));
        }
        let n = self.centered.len();
        if n > 0 {
            let cells = counted(n, ["cell is", "cells are"]);
            let vertices = noun(
                n,
                [
                    "a vertex at its center, which follows",
                    "vertices at their \
                                     centers, which follow",
                ],
            );
            grid.warnings.push(format!("{cells} cut around {vertices} those of the file"));
            let mut arrays = std::mem::take(&mut grid.point_data);
            arrays.iter_mut().for_each(|array| extend(array, grid, &self.centered));
            grid.point_data = arrays;
        }
    }
}

/// Adds a row for each new vertex: the mean over the points of its cell, or, in an array of
/// integers, the value at the first point of the cell.
fn extend(array: &mut DataArray, grid: &Grid, cells: &[u32]) {
    let components = array.components;
    for &cell in cells {
        let begin = (cell as usize).checked_sub(1).map_or(0, |before| grid.ends[before]);
        let points = &grid.connectivity[begin..grid.ends[cell as usize]];
        let row = |p: i64| p as usize * components..(p as usize + 1) * components;
        match &mut array.values {
            Values::Float(values) => {
                let mean = (0..components).map(|k| {
                    let sum: f64 = points.iter().map(|&p| values[row(p)][k]).sum();
                    sum / points.len() as f64
                });
                let mean: Vec<f64> = mean.collect();
                values.extend(mean);
            }
            Values::Int(values) => match points.first() {
                Some(&first) => values.extend_from_within(row(first)),
                None => values.extend(std::iter::repeat_n(0, components)),
            },
        }
    }
}

/// Returns the faces of a prism over a pentagon or hexagon, or none for any other type.
fn prism_faces(number: u8, points: &[u32]) -> Vec<Vec<u32>> {
    let sides = match number {
        15 => 5,
        16 => 6,
        _ => return Vec::new(),
    };
    let (bottom, top) = (&points[..sides], &points[sides..2 * sides]);
    let side = |k: usize| {
        let next = (k + 1) % sides;
        vec![bottom[k], bottom[next], top[next], top[k]]
    };
    let mut faces: Vec<Vec<u32>> = (0..sides).map(side).collect();
    faces.extend([bottom.to_vec(), top.to_vec()]);
    faces
}

/// Returns true if the volumes of the tetrahedra of one cell have different signs, or if some
/// tetrahedra are flat. Ignores tetrahedra with a repeated vertex.
fn is_distorted(vertices: &[[f64; 3]], cells: &[u32]) -> bool {
    let at = |v: u32| Vec3::from(vertices[v as usize]);
    let volumes = cells.as_chunks::<4>().0.iter().filter_map(|&[a, b, c, d]| {
        let repeats = a == b || a == c || a == d || b == c || b == d || c == d;
        let volume = (at(b) - at(a)).dot(&(at(c) - at(a)).cross(&(at(d) - at(a))));
        (!repeats).then_some(volume)
    });
    let (low, high) = volumes
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    let flat = FLAT * low.abs().max(high.abs());
    low <= flat && high >= -flat && low <= high
}

#[cfg(test)]
mod tests;
