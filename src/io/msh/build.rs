//! From elements of all kinds to one simplex mesh with named groups.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::Path;

use super::elements::{ElementType, Shape};
use crate::error::Result;
use crate::io::MeshFile;
use crate::io::faces::{index_limit, kind_of_triangles, mesh_file};
use crate::mesh::{Group, Kind, Members};

/// Names of the simplices of each dimension, for groups and warnings.
const SIMPLICES: [&str; 4] = ["points", "lines", "triangles", "tetrahedra"];

/// Names of physical groups by dimension and number. Version 2.0 does not state the dimension:
/// `None`.
pub(super) type Names = HashMap<(Option<usize>, i64), String>;

/// Collects elements; the highest dimension met becomes the domain.
#[derive(Default)]
pub(super) struct Builder {
    parts: [Part; 4],
    /// Elements of each type, in the order the types were met; there are only a few.
    counts: Vec<(ElementType, usize)>,
    /// Sentences about what else was given up.
    pub(super) warnings: Vec<String>,
}

/// The simplices of one dimension.
#[derive(Default)]
struct Part {
    met: bool,
    corners: Vec<u32>,
    /// Simplices of each physical group, as ranges.
    groups: BTreeMap<i64, Vec<Range<usize>>>,
    /// Simplices in no group.
    loose: Vec<Range<usize>>,
}

impl Builder {
    /// Adds an element with the numbers of its physical groups (0 is none, a sign only says how
    /// the group is oriented) and its nodes, corners first.
    pub(super) fn push(&mut self, kind: ElementType, groups: &[i64], nodes: &[u32]) {
        match self.counts.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, count)) => *count += 1,
            None => self.counts.push((kind, 1)),
        }
        let dimension = kind.shape.dimension();
        let part = &mut self.parts[dimension];
        part.met = true;
        let begin = part.corners.len() / (dimension + 1);
        match (kind.shape, nodes) {
            (Shape::Quad, &[a, b, c, d, ..]) => part.corners.extend([a, b, c, a, c, d]),
            (Shape::Vertex | Shape::Line | Shape::Triangle | Shape::Tetra, _) => {
                part.corners.extend(nodes.iter().take(dimension + 1));
            }
            // Counted all the same, and said to be left out in the end.
            _ => {}
        }
        let made = begin..part.corners.len() / (dimension + 1);
        let mut grouped = false;
        for group in groups.iter().filter(|&&group| group != 0) {
            extend(part.groups.entry(group.saturating_abs()).or_default(), made.clone());
            grouped = true;
        }
        if !grouped {
            extend(&mut part.loose, made);
        }
    }

    /// The mesh file of all elements added.
    pub(super) fn finish(
        mut self,
        path: &Path,
        vertices: Vec<[f64; 3]>,
        names: &Names,
        version: String,
    ) -> Result<MeshFile> {
        for (dimension, part) in self.parts.iter().enumerate() {
            let n = part.corners.len() / (dimension + 1);
            index_limit(path, n as u64, SIMPLICES[dimension])?;
        }
        let top = (0..4).rev().find(|&d| self.parts[d].met);
        self.warn(top);
        let groups = self.groups(top, names);
        let (kind, cells) = match top {
            Some(3) => (Kind::Volume, std::mem::take(&mut self.parts[3].corners)),
            _ => {
                let triangles = std::mem::take(&mut self.parts[2].corners);
                (kind_of_triangles(&vertices, &triangles), triangles)
            }
        };
        let counts = self.counted(|_| true).collect();
        let mut file = mesh_file(path, vertices, Vec::new(), "msh", version, counts)?;
        file.mesh.kind = kind;
        file.mesh.cells = cells;
        file.mesh.groups = groups;
        file.warnings = self.warnings;
        Ok(file)
    }

    fn warn(&mut self, top: Option<usize>) {
        let higher_order: BTreeMap<_, _> = self.counted(|kind| !kind.is_linear()).collect();
        for (name, n) in higher_order {
            self.warnings.push(format!(
                "{n} {name} cells are reduced to their corners; their other nodes stay unused"
            ));
        }
        let is_solid =
            |kind: ElementType| kind.shape.dimension() == 3 && kind.shape != Shape::Tetra;
        let unusable: BTreeMap<_, _> = self.counted(is_solid).collect();
        for (name, n) in unusable {
            self.warnings.push(format!(
                "{n} {name} cells are left out: of solids only tetrahedra can be used"
            ));
        }
        if let Some(dimension) = top.filter(|&d| d < 2) {
            let found = SIMPLICES[dimension];
            self.warnings.push(format!("no cells: {found} cannot be a domain, only groups in one"));
        }
    }

    /// Names and counts of the element types met that are `wanted`.
    fn counted(
        &self,
        wanted: impl Fn(ElementType) -> bool,
    ) -> impl Iterator<Item = (String, usize)> {
        let counts = self.counts.iter().filter(move |(kind, _)| wanted(*kind));
        counts.map(|&(kind, n)| (kind.name(), n))
    }

    /// Groups of the domain first, then of each lower dimension; in a dimension by number.
    /// Simplices of lower dimension in no group go under "triangles", "lines", "points".
    fn groups(&mut self, top: Option<usize>, names: &Names) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        // Where there is no domain, every dimension is a lower one.
        let top = if top.is_some_and(|d| d < 2) { 4 } else { top.unwrap_or(4) };
        for dimension in (0..4).rev() {
            let part = std::mem::take(&mut self.parts[dimension].groups);
            let domain = dimension == top;
            for (number, ranges) in part {
                let name = names.get(&(Some(dimension), number)).or(names.get(&(None, number)));
                let name = name.cloned().unwrap_or_else(|| number.to_string());
                self.add(&mut groups, name, dimension, domain, &ranges);
            }
        }
        for dimension in (0..top.min(3)).rev() {
            let loose = std::mem::take(&mut self.parts[dimension].loose);
            if loose.iter().any(|range| !range.is_empty()) {
                let name = SIMPLICES[dimension].to_string();
                self.add(&mut groups, name, dimension, false, &loose);
            }
        }
        groups
    }

    fn add(
        &mut self,
        groups: &mut Vec<Group>,
        mut name: String,
        dimension: usize,
        domain: bool,
        ranges: &[Range<usize>],
    ) {
        while groups.iter().any(|g| g.name == name) {
            let other = format!("{name}-{}", SIMPLICES[dimension]);
            self.warnings.push(format!("two groups are called {name}; one is read as {other}"));
            name = other;
        }
        let members = if domain {
            Members::Cells(ranges.iter().cloned().flatten().map(|cell| cell as u32).collect())
        } else {
            let corners = &self.parts[dimension].corners;
            let arity = dimension + 1;
            let of = |range: &Range<usize>| &corners[range.start * arity..range.end * arity];
            Members::Simplices {
                dimension,
                vertices: ranges.iter().flat_map(of).copied().collect(),
            }
        };
        groups.push(Group { name, members });
    }
}

fn extend(ranges: &mut Vec<Range<usize>>, made: Range<usize>) {
    match ranges.last_mut() {
        Some(last) if last.end == made.start => last.end = made.end,
        _ => ranges.push(made),
    }
}
