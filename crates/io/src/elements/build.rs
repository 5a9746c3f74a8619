//! Conversion of elements of all kinds to a simplex mesh with named groups.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::{ElementType, Shape, inherit};
use crate::MeshFile;
use crate::cut::{Polygons, Recut};
use crate::faces::{index_limit, kind_of_triangles, mesh_file};
use crate::unique_names::UnusedNames;
use zeroset_core::error::{Element, Flaw, Result};
use zeroset_core::mesh::{DataArray, Group, Kind, Members};
use zeroset_core::words::noun;

/// The names of the simplices of each dimension, for groups and warnings.
const SIMPLICES: [&str; 4] = ["points", "lines", "triangles", "tetrahedra"];

/// The names of groups by dimension (`None` for all dimensions) and number.
pub(crate) type Names = HashMap<(Option<usize>, i64), String>;

/// A collection of elements. The elements of the highest dimension become the domain if this
/// dimension is 2 or 3.
#[derive(Default)]
pub(crate) struct Builder {
    parts: [Part; 4],
    /// The number of elements of each type, in order of appearance. There are only a few types.
    counts: Vec<(ElementType, usize)>,
    /// The number of elements added.
    n_elements: usize,
    /// The quads, whose split may have to be replaced.
    polygons: Polygons,
    /// The names of the groups.
    pub(crate) names: Names,
    /// Arrays with one row per element, in the order in which elements are added.
    pub(crate) data: Vec<DataArray>,
    /// Warnings about other content of the file that was dropped.
    pub(crate) warnings: Vec<String>,
}

/// The simplices of one dimension.
#[derive(Default)]
struct Part {
    met: bool,
    corners: Vec<u32>,
    /// For each simplex, in the order of addition, the index of the element that contains it.
    parents: Vec<u32>,
    /// The simplices of each group, as ranges of indices.
    groups: BTreeMap<i64, Vec<Range<usize>>>,
    /// The simplices that belong to no group, as ranges of indices.
    loose: Vec<Range<usize>>,
}

impl Builder {
    /// Adds an element. `groups` holds the numbers of its groups, and `nodes` holds its nodes,
    /// corners first. Group 0 means no group. The sign of a number only states the orientation.
    pub(crate) fn push(&mut self, kind: ElementType, groups: &[i64], nodes: &[u32]) {
        match self.counts.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, count)) => *count += 1,
            None => self.counts.push((kind, 1)),
        }
        let part = &mut self.parts[kind.shape.dimension()];
        part.met = true;
        let begin = part.parents.len();
        if kind.shape == Shape::Quad {
            self.polygons.push(begin, self.n_elements, 4);
        }
        kind.shape.split(nodes, &mut part.corners);
        part.parents.extend(std::iter::repeat_n(self.n_elements as u32, kind.shape.simplices()));
        self.n_elements += 1;
        let made = begin..part.parents.len();
        let mut grouped = false;
        for group in groups.iter().filter(|&&group| group != 0) {
            extend(part.groups.entry(group.saturating_abs()).or_default(), made.clone());
            grouped = true;
        }
        if !grouped {
            extend(&mut part.loose, made);
        }
    }

    /// Returns the highest dimension of the elements added, or `None` if there are none.
    fn top(&self) -> Option<usize> {
        (0..4).rev().find(|&dimension| self.parts[dimension].met)
    }

    /// Builds the mesh file that all added elements form with `vertices`.
    pub(crate) fn finish(
        mut self,
        vertices: Vec<[f64; 3]>,
        format: &'static str,
        version: String,
    ) -> Result<MeshFile, Flaw> {
        index_limit(self.n_elements as u64, "elements")?;
        for (dimension, part) in self.parts.iter().enumerate() {
            let n = part.corners.len() / (dimension + 1);
            index_limit(n as u64, SIMPLICES[dimension])?;
        }
        let top = self.top();
        self.warn(top);
        let groups = self.groups(top);
        // In a mesh of solids, the quads keep their fixed split, which matches the split of the
        // solids' faces.
        let Recut { uncut, warning } = match top {
            Some(3) => Recut::default(),
            _ => self.polygons.recut(&vertices, &mut self.parts[2].corners, Element::Cell),
        };
        self.warnings.extend(warning);
        let domain = std::mem::take(&mut self.parts[if top == Some(3) { 3 } else { 2 }]);
        let kind = match top {
            Some(3) => Kind::Volume,
            _ => kind_of_triangles(&vertices, &domain.corners),
        };
        let counts = self.counted(|_| true).collect();
        let mut file = mesh_file(vertices, Vec::new(), format, version, counts)?;
        file.mesh.kind = kind;
        file.mesh.cells = domain.corners;
        file.mesh.groups = groups;
        file.warnings = self.warnings;
        file.uncut = uncut;
        // An array with too few rows for the elements of the domain is dropped.
        let most = domain.parents.iter().max().map_or(0, |&last| last as usize + 1);
        let (whole, short): (Vec<_>, Vec<_>) =
            self.data.into_iter().partition(|array| array.rows() >= most);
        let data = whole.into_iter().map(|array| inherit(array, &domain.parents));
        file.mesh.cell_data = data.collect();
        let missing = short
            .iter()
            .map(|array| format!("{} is left out: some cells have no value", array.name));
        file.warnings.extend(missing);
        Ok(file)
    }

    fn warn(&mut self, top: Option<usize>) {
        let higher_order: BTreeMap<_, _> = self.counted(|kind| !kind.is_linear()).collect();
        for (name, n) in higher_order {
            let [cells, their] =
                [["cell is", "cells are"], ["its", "their"]].map(|words| noun(n, words));
            self.warnings.push(format!(
                "{n} {name} {cells} reduced to {their} corners; {their} other nodes stay unused"
            ));
        }
        let is_solid =
            |kind: ElementType| kind.shape.dimension() == 3 && kind.shape != Shape::Tetra;
        for (name, n) in self.counted(is_solid).collect::<BTreeMap<_, _>>() {
            let cells = noun(n, ["cell is", "cells are"]);
            self.warnings.push(format!("{n} {name} {cells} split into tetrahedra"));
        }
        if let Some(dimension) = top.filter(|&d| d < 2) {
            let found = SIMPLICES[dimension];
            self.warnings
                .push(format!("no cells: {found} cannot form a domain, only groups in one"));
        }
    }

    /// Returns the names and counts of the element types that are `wanted`.
    fn counted(
        &self,
        wanted: impl Fn(ElementType) -> bool,
    ) -> impl Iterator<Item = (String, usize)> {
        let counts = self.counts.iter().filter(move |(kind, _)| wanted(*kind));
        counts.map(|&(kind, n)| (kind.name(), n))
    }

    /// Returns the groups of the domain first, then those of each lower dimension, ordered by
    /// number. Last come the simplices of lower dimension that belong to no group, as the groups
    /// "triangles", "lines" and "points".
    fn groups(&mut self, top: Option<usize>) -> Vec<Group> {
        let (mut groups, mut taken) = (Vec::new(), UnusedNames::default());
        let names = std::mem::take(&mut self.names);
        // Without a domain, every dimension counts as a lower one.
        let top = if top.is_some_and(|d| d < 2) { 4 } else { top.unwrap_or(4) };
        for dimension in (0..4).rev() {
            let part = std::mem::take(&mut self.parts[dimension].groups);
            let domain = dimension == top;
            for (number, ranges) in part {
                let name = names.get(&(Some(dimension), number)).or(names.get(&(None, number)));
                let name = name.cloned().unwrap_or_else(|| number.to_string());
                let name = self.unused(&mut taken, name, dimension);
                groups.push(Group { name, members: self.members(dimension, domain, &ranges) });
            }
        }
        for dimension in (0..top.min(3)).rev() {
            let loose = std::mem::take(&mut self.parts[dimension].loose);
            if loose.iter().any(|range| !range.is_empty()) {
                let name = SIMPLICES[dimension].to_string();
                let name = self.unused(&mut taken, name, dimension);
                groups.push(Group { name, members: self.members(dimension, false, &loose) });
            }
        }
        groups
    }

    /// Returns `name`. If another group already has it, returns a name derived from it and adds a
    /// warning.
    fn unused(&mut self, taken: &mut UnusedNames, name: String, dimension: usize) -> String {
        if !taken.has("group", &name) {
            return taken.of("group", &name);
        }
        let other = taken.of("group", &format!("{name}-{}", SIMPLICES[dimension]));
        self.warnings.push(format!("two groups are named {name}; one is read as {other}"));
        other
    }

    fn members(&self, dimension: usize, domain: bool, ranges: &[Range<usize>]) -> Members {
        if domain {
            let cells = ranges.iter().cloned().flatten().map(|cell| cell as u32);
            return Members::Cells(cells.collect());
        }
        let corners = &self.parts[dimension].corners;
        let arity = dimension + 1;
        let of = |range: &Range<usize>| &corners[range.start * arity..range.end * arity];
        Members::Simplices { dimension, vertices: ranges.iter().flat_map(of).copied().collect() }
    }
}

fn extend(ranges: &mut Vec<Range<usize>>, made: Range<usize>) {
    match ranges.last_mut() {
        Some(last) if last.end == made.start => last.end = made.end,
        _ => ranges.push(made),
    }
}
