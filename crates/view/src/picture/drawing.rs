//! The geometry of a picture of a mesh: triangles, their normals, and lines on them.

use std::borrow::Cow;

use super::color::{Light, NO_VALUE, Srgb};
use super::triangle_fans::{Around, facets};
use super::{Labels, Lines, Subject, vertex_colors};
use crate::render::vector::{V, add, cross, scaled, sub, unit};
use zeroset_core::mesh::interface::{self, Interface};
use zeroset_core::mesh::{Kind, Mesh, outer_faces};

/// The kinds of lines, in drawing order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kinds {
    /// The boundary of a surface, or an edge of a solid.
    Edge,
    /// A line on which the value is a round number.
    Level,
    /// The zero set.
    Interface,
    /// A source that is a line.
    Source,
    /// A path to a source.
    Path,
    /// A point source among many, drawn as a small dot.
    SmallDot,
    /// A source that is a point.
    Dot,
    /// The start of a path.
    Start,
}

impl Kinds {
    /// Returns true for marks on top of the mesh.
    pub(super) fn is_mark(self) -> bool {
        self >= Kinds::Source
    }
}

/// A line segment, in mesh units.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub ends: [V; 2],
    pub kind: Kinds,
}

/// The geometry to draw, independent of the camera.
pub(super) struct Drawing<'a> {
    pub points: Cow<'a, [V]>,
    /// Three points per triangle, in the order of the cells. At equal depths, the triangle that
    /// comes first is visible.
    pub triangles: Cow<'a, [u32]>,
    /// The value of each point.
    pub values: Cow<'a, [f64]>,
    /// The color of each vertex of the mesh. Empty if values or labels determine the colors.
    pub paint: Vec<Light>,
    /// The labels that determine the colors instead of values.
    pub labels: Option<LabelColors>,
    /// The number of colored triangles. All later triangles have the single color of an interface.
    pub n_colored: usize,
    /// The normal at each corner of each triangle. Empty if the mesh is flat and needs no lighting.
    pub normals: Vec<[[f32; 3]; 3]>,
    pub lines: Vec<Line>,
    /// Whether colored triangles that face the viewer are omitted to show the inside.
    pub open: bool,
}

/// The labels of colored triangles.
pub(super) struct LabelColors {
    /// The label of each corner of each colored triangle. The index after the last label marks
    /// corners without a label.
    pub of: Vec<[u32; 3]>,
    /// The color of each label, and the color of places without a label.
    pub lights: Vec<Light>,
}

impl LabelColors {
    /// Collects the labels of triangles. `cell_of` returns the cell to which a triangle belongs.
    fn new(labels: &Labels, triangles: &[u32], cell_of: impl Fn(usize) -> usize) -> Self {
        let colors = labels.labels.iter().map(|label| label.color).chain([NO_VALUE]);
        let none = labels.labels.len() as u32;
        let at = |(t, c): (usize, &[u32])| {
            labels.at([c[0], c[1], c[2]], cell_of(t)).map(|label| label.min(none))
        };
        let of = triangles.chunks_exact(3).enumerate().map(at).collect();
        LabelColors { of, lights: colors.map(Srgb::decode).collect() }
    }
}

impl<'a> Drawing<'a> {
    /// Collects the geometry. `levels` are the values at which [`Lines::Round`] draws lines.
    pub(super) fn new(subject: &Subject<'a>, levels: &[f64]) -> Self {
        let mesh = subject.mesh;
        let values = subject.colors.unwrap_or(subject.values);
        let paint = subject.paint.map(vertex_colors::lights).unwrap_or_default();
        let zero = [0.0];
        let (kind, levels) = match subject.lines {
            Lines::Interface => (Kinds::Interface, &zero[..]),
            Lines::Round => (Kinds::Level, levels),
            Lines::None => (Kinds::Level, &[][..]),
        };
        if mesh.kind != Kind::Volume {
            let around = Around::new(mesh.n_vertices(), &mesh.cells);
            let mut normals = Vec::new();
            if mesh.kind == Kind::Surface {
                normals = around.normals(&mesh.cells, &facets(&mesh.vertices, &mesh.cells));
            }
            let mut lines = around.creases(&mesh.vertices, &mesh.cells, None);
            lines.extend(level_lines(&mesh.vertices, &mesh.cells, subject.values, levels, kind));
            lines.extend(subject.marks.iter().flat_map(|marks| marks.lines()));
            return Drawing {
                points: Cow::Borrowed(&mesh.vertices),
                triangles: Cow::Borrowed(&mesh.cells),
                values: Cow::Borrowed(values),
                paint,
                labels: subject.labels.map(|labels| LabelColors::new(labels, &mesh.cells, |t| t)),
                n_colored: mesh.n_cells(),
                normals,
                lines,
                open: false,
            };
        }
        let (walls, cell_of) = outer_faces(mesh);
        let walls = walls.into_flattened();
        let labels = subject.labels.map(|labels| LabelColors::new(labels, &walls, |t| cell_of[t]));
        let around = Around::new(mesh.n_vertices(), &walls);
        let walls_facets = facets(&mesh.vertices, &walls);
        let mut normals = around.normals(&walls, &walls_facets);
        let mut lines = around.creases(&mesh.vertices, &walls, Some(&walls_facets));
        lines.extend(level_lines(&mesh.vertices, &walls, subject.values, levels, kind));
        lines.extend(subject.marks.iter().flat_map(|marks| marks.lines()));
        let (mut points, mut triangles) = (mesh.vertices.clone(), walls);
        let mut values = values.to_vec();
        let n_colored = triangles.len() / 3;
        let open = subject.lines == Lines::Interface;
        if open {
            let found = interface::extract(mesh, subject.values);
            let slopes = slopes(mesh, subject.values, &found);
            let corners = found.cells.chunks_exact(3);
            normals.extend(corners.map(|t| [0, 1, 2].map(|k| slopes[t[k] as usize])));
            let first = points.len() as u32;
            points.extend(&found.vertices);
            values.resize(points.len(), 0.0);
            triangles.extend(found.cells.iter().map(|v| v + first));
        }
        let (points, triangles) = (Cow::Owned(points), Cow::Owned(triangles));
        let values = Cow::Owned(values);
        Drawing { points, triangles, values, paint, labels, n_colored, normals, lines, open }
    }

    /// Returns true if there are marks on top of the mesh.
    pub(super) fn has_marks(&self) -> bool {
        self.lines.iter().any(|line| line.kind.is_mark())
    }

    /// Returns the corners of a triangle.
    pub(super) fn corners(&self, t: usize) -> [V; 3] {
        [0, 1, 2].map(|k| self.points[self.triangles[3 * t + k] as usize])
    }
}

/// Returns unit normals at the vertices of an interface in tetrahedra. A normal is interpolated
/// between the two ends of the edge on which the vertex lies. The normal at an end is the direction
/// of the volume-weighted mean gradient of the values in the cells around this end. The normals are
/// smooth even though the triangles are cuts through the cells and have arbitrary shapes.
fn slopes(mesh: &Mesh, values: &[f64], interface: &Interface) -> Vec<[f32; 3]> {
    let mut near = vec![false; mesh.n_vertices()];
    interface.edges.iter().flatten().for_each(|&v| near[v as usize] = true);
    let mut gradient = vec![[0.0; 3]; mesh.n_vertices()];
    for cell in mesh.iter_cells().filter(|cell| cell.iter().any(|&v| near[v as usize])) {
        let x = [0, 1, 2, 3].map(|k| mesh.vertices[cell[k] as usize]);
        let u = [0, 1, 2, 3].map(|k| values[cell[k] as usize]);
        let [a, b, c] = [1, 2, 3].map(|k| sub(x[k], x[0]));
        // The gradient times six times the volume. The volume is the weight in the average.
        let sum = add(
            add(scaled(cross(b, c), u[1] - u[0]), scaled(cross(c, a), u[2] - u[0])),
            scaled(cross(a, b), u[3] - u[0]),
        );
        for &v in cell {
            gradient[v as usize] = add(gradient[v as usize], sum);
        }
    }
    let normal = |(&[a, b], &t): (&[u32; 2], &f64)| {
        let [a, b] = [a, b].map(|v| unit(gradient[v as usize]));
        unit(add(scaled(a, 1.0 - t), scaled(b, t))).map(|x| x as f32)
    };
    interface.edges.iter().zip(&interface.weights).map(normal).collect()
}

/// Returns the segments along which the linearly interpolated `values` equal one of `levels`.
/// Triangles that have a corner whose value is not finite contribute no segments.
fn level_lines(
    points: &[V],
    triangles: &[u32],
    values: &[f64],
    levels: &[f64],
    kind: Kinds,
) -> Vec<Line> {
    let mut lines = Vec::new();
    for t in triangles.chunks_exact(3) {
        let u = [0, 1, 2].map(|k| values[t[k] as usize]);
        if !u.iter().all(|u| u.is_finite()) {
            continue;
        }
        let low = u[0].min(u[1]).min(u[2]);
        let high = u[0].max(u[1]).max(u[2]);
        let first = levels.partition_point(|&level| level <= low);
        for &level in levels[first..].iter().take_while(|&&level| level <= high) {
            let below = u.map(|u| u < level);
            let lone = below.iter().filter(|&&b| b).count() == 1;
            let Some(i) = (0..3).find(|&i| below[i] == lone) else { continue };
            if below == [true; 3] || below == [false; 3] {
                continue;
            }
            let crossing = |j: usize| -> V {
                // Always interpolate from the vertex with the smaller index, so that both cells at
                // an edge agree.
                let (a, b) = if t[i] < t[j] { (i, j) } else { (j, i) };
                let s = (level - u[a]) / (u[b] - u[a]);
                let (p, q) = (points[t[a] as usize], points[t[b] as usize]);
                std::array::from_fn(|k| p[k] + (q[k] - p[k]) * s)
            };
            // The zero level of a signed distance is its interface, so it is drawn in that style.
            let kind = if level == 0.0 { Kinds::Interface } else { kind };
            lines.push(Line { ends: [crossing((i + 1) % 3), crossing((i + 2) % 3)], kind });
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::vector::{dot, length};
    use zeroset_core::mesh::generate::{Cube, Generate, Sphere, Square, generate};

    fn subject<'a>(mesh: &'a Mesh, values: &'a [f64], lines: Lines) -> Subject<'a> {
        Subject::new(mesh, values).with_lines(lines)
    }

    #[test]
    fn a_cube_has_its_walls_and_twelve_edges() {
        let mesh = generate(&Generate::Cube(Cube::default())).unwrap();
        let values = vec![1.0; mesh.n_vertices()];
        let drawing = Drawing::new(&subject(&mesh, &values, Lines::None), &[]);
        assert_eq!(drawing.triangles.len(), 3 * 6 * 16 * 16 * 2);
        for t in 0..drawing.n_colored {
            let [a, b, c] = drawing.corners(t);
            let normal = cross(sub(b, a), sub(c, a));
            let out = sub(a, [0.5; 3]);
            assert!(dot(normal, out) > 0.0, "walls are seen from outside");
            let flat =
                drawing.normals[t].iter().all(|n| dot(n.map(f64::from), unit(normal)) > 0.999);
            assert!(flat, "edges stay sharp");
        }
        let total: f64 = drawing.lines.iter().map(|l| length(sub(l.ends[1], l.ends[0]))).sum();
        assert!((total - 12.0).abs() < 1e-9, "{total}");
    }

    #[test]
    fn interfaces_of_tetrahedra_are_inside_an_open_box() {
        let mesh = generate(&Generate::Cube(Cube::default())).unwrap();
        let values: Vec<f64> = mesh.vertices.iter().map(|x| x[2] - 0.47).collect();
        let drawing = Drawing::new(&subject(&mesh, &values, Lines::Interface), &[]);
        assert!(drawing.open && drawing.triangles.len() / 3 > drawing.n_colored);
        for t in drawing.n_colored..drawing.triangles.len() / 3 {
            assert!(drawing.corners(t).iter().all(|x| (x[2] - 0.47).abs() < 1e-12));
        }
        let on_walls: Vec<_> =
            drawing.lines.iter().filter(|l| l.kind == Kinds::Interface).collect();
        let lengths = on_walls.iter().map(|l| length(sub(l.ends[1], l.ends[0])));
        assert!((lengths.sum::<f64>() - 4.0).abs() < 1e-9);
    }

    #[test]
    fn a_square_has_a_rim_and_round_lines_where_values_are_known() {
        let mesh = generate(&Generate::Square(Square::default())).unwrap();
        let mut values: Vec<f64> = mesh.vertices.iter().map(|x| x[0]).collect();
        let levels = [0.0, 0.25, 0.5, 0.75, 1.0];
        let drawn = |values: &[f64], kind: Kinds| -> f64 {
            let drawing = Drawing::new(&subject(&mesh, values, Lines::Round), &levels);
            let of_kind = drawing.lines.iter().filter(|l| l.kind == kind);
            of_kind.map(|l| length(sub(l.ends[1], l.ends[0]))).sum()
        };
        assert!((drawn(&values, Kinds::Edge) - 4.0).abs() < 1e-9);
        let full = drawn(&values, Kinds::Level);
        assert!((full - 4.0).abs() < 1e-9, "lines at 0.25, 0.5, 0.75 and 1: {full}");
        for (value, x) in values.iter_mut().zip(&mesh.vertices) {
            if x[1] > 0.5 {
                *value = f64::NAN;
            }
        }
        let half = drawn(&values, Kinds::Level);
        assert!((half - 2.0).abs() < 1e-9, "{half}");
    }

    #[test]
    fn a_closed_surface_has_no_edges_and_smooth_normals() {
        let mesh = generate(&Generate::Sphere(Sphere::default())).unwrap();
        let values: Vec<f64> = mesh.vertices.iter().map(|x| x[2]).collect();
        let drawing = Drawing::new(&subject(&mesh, &values, Lines::Interface), &[]);
        assert!(drawing.lines.iter().all(|l| l.kind == Kinds::Interface));
        for t in 0..drawing.n_colored {
            for (x, n) in drawing.corners(t).iter().zip(drawing.normals[t]) {
                assert!(dot(*x, n.map(f64::from)) > 0.999);
            }
        }
    }
}
