//! From elements of all kinds to one simplex mesh with named groups.

use std::collections::{BTreeMap, BTreeSet, HashMap};
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
    counts: BTreeMap<String, usize>,
    higher_order: BTreeSet<String>,
    unusable: BTreeMap<String, usize>,
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
        match self.counts.get_mut(&kind.name()) {
            Some(count) => *count += 1,
            None => {
                self.counts.insert(kind.name(), 1);
            }
        }
        if !kind.is_linear() {
            self.higher_order.insert(kind.name());
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
            _ => *self.unusable.entry(kind.name()).or_insert(0) += 1,
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
        let mut file = mesh_file(path, vertices, Vec::new(), "msh", version, self.counts)?;
        file.mesh.kind = kind;
        file.mesh.cells = cells;
        file.mesh.groups = groups;
        file.warnings = self.warnings;
        Ok(file)
    }

    fn warn(&mut self, top: Option<usize>) {
        for name in &self.higher_order {
            let n = self.counts.get(name).copied().unwrap_or(0);
            self.warnings.push(format!(
                "{n} {name} cells are reduced to their corners; their other nodes stay unused"
            ));
        }
        for (name, n) in &self.unusable {
            self.warnings.push(format!(
                "{n} {name} cells are left out: of solids only tetrahedra can be used"
            ));
        }
        if let Some(dimension) = top.filter(|&d| d < 2) {
            let found = SIMPLICES[dimension];
            self.warnings.push(format!("no cells: {found} cannot be a domain, only groups in one"));
        }
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
