//! The sections of MSH 4.1, text and binary. This module finds the blocks of a section and holds
//! their counts against the bytes; the crate `mshio` reads what is in them. Nodes with parameters,
//! which the crate refuses, are read here.

use std::fmt::Display;
use std::ops::Range;
use std::str::FromStr;

use rayon::prelude::*;

use super::source::{Encoding, Source};
use super::through_mshio::{self, Failure};
use super::v4::{
    Entities, MOST_GROUPS, Target, check_count, element_type, parametric, too_many_groups,
};
use super::{AGAIN, unknown_node};
use crate::error::{Error, Result};
use crate::io::elements::ElementType;
use crate::io::faces::index_limit;

/// Records of one call of the crate, which makes a list of each element: few enough that these lists
/// stay in the cache.
const RUN: usize = 2048;

/// Runs that are read before any of them is used: so many are in memory twice.
const TOGETHER: usize = 64;

/// Physical groups of the geometrical entities that elements belong to.
pub(super) fn entities(source: &mut Source) -> Result<Entities> {
    let begin = source.at;
    let mut start = *source;
    for _ in 0..4 {
        let n = start.size("number of entities")?;
        start.promised(n, 5, 28, "entities")?;
    }
    let body = source.skip_section("Entities")?;
    let found = through_mshio::entities(source, body).map_err(|failure| {
        let Failure { at, mut expected } = failure;
        if expected.is_empty() {
            expected = "$EndEntities".to_string();
        }
        let flawed = Source { at: begin + at, ..*source };
        flawed.fail(format!("{expected} expected, found {}", flawed.found()), AGAIN)
    })?;
    let mut entities = Entities::new();
    for (dimension, tag, groups) in found {
        if groups.len() > MOST_GROUPS {
            return Err(too_many_groups(&start, tag, groups.len()));
        }
        entities.insert((dimension, tag), groups);
    }
    Ok(entities)
}

/// Coordinates and tags of all nodes.
pub(super) fn nodes(source: &mut Source) -> Result<(Vec<[f64; 3]>, Vec<u64>)> {
    let n_blocks = source.size("number of node blocks")?;
    let n_nodes = source.size("number of nodes")?;
    source.size("smallest node tag")?;
    source.size("largest node tag")?;
    index_limit(source.file, n_nodes, "nodes")?;
    let bytes_each = source.size_bytes() + 24;
    let n = source.promised(n_nodes, 4, bytes_each, "nodes")?;
    let (mut vertices, mut tags) = (Vec::with_capacity(n), Vec::with_capacity(n));
    for block in 0..n_blocks {
        let dimension = source.int(format_args!("block of nodes {block} of {n_blocks}"))?;
        source.int("entity tag")?;
        // Parameters on curves, on surfaces and in volumes follow the coordinates.
        let parameters = match (source.int("parametric flag")?, dimension) {
            (0, _) => 0,
            (_, 0..=3) => dimension as usize,
            (flag, _) => return Err(parametric(source, block, dimension, flag)),
        };
        let n = source.size("number of nodes in a block")?;
        let n = source.promised(n, 4, bytes_each, "nodes in a block")?;
        let begin = tags.len();
        let mut runs = Vec::with_capacity(n.div_ceil(RUN));
        for first in (0..n).step_by(RUN) {
            let at = source.at;
            for _ in first..n.min(first + RUN) {
                tags.push(source.size("node tag")?);
            }
            runs.push(Nodes { first: begin + first, tags: at..source.at, coordinates: 0..0 });
        }
        if parameters > 0 {
            for &tag in &tags[begin..] {
                vertices.push(source.coordinates(tag)?);
                source.skip_reals(parameters, "parameters of a node")?;
            }
            continue;
        }
        for run in &mut runs {
            let at = source.at;
            source.skip_reals(3 * (n - (run.first - begin)).min(RUN), "coordinates of a node")?;
            run.coordinates = at..source.at;
        }
        in_order(
            &runs,
            |run| run.read(source, &tags),
            |run: &Nodes, found| {
                vertices.extend(found);
                Ok(())
            },
        )?;
    }
    check_count(source, n_nodes, tags.len() as u64, "nodes")?;
    source.end_section("Nodes")?;
    Ok((vertices, tags))
}

/// Nodes without parameters, one behind the other in a block.
struct Nodes {
    /// Number of the first one.
    first: usize,
    /// Where their tags stand.
    tags: Range<usize>,
    coordinates: Range<usize>,
}

impl Nodes {
    fn read(&self, source: &Source, tags: &[u64]) -> Result<Vec<[f64; 3]>> {
        let tags = &tags[self.first..];
        let tags = &tags[..tags.len().min(RUN)];
        let found =
            through_mshio::nodes(source, tags.len(), self.tags.clone(), self.coordinates.clone());
        let vertices = found
            .map_err(|failure| flaw::<f64>(source, &self.coordinates, "a coordinate", failure))?;
        for (k, (x, &tag)) in vertices.iter().zip(tags).enumerate() {
            if let Some(axis) = x.iter().position(|v| !v.is_finite()) {
                let mut flawed = Source { at: self.coordinates.start, ..*source };
                flawed.skip_reals(3 * k + axis, "coordinates of a node")?;
                return Err(flawed.not_finite(tag, axis, x[axis]));
            }
        }
        Ok(vertices)
    }
}

/// Puts all elements into `target`.
pub(super) fn elements(source: &mut Source, target: Target) -> Result<()> {
    let Target { index, entities, builder, tags } = target;
    let n_blocks = source.size("number of element blocks")?;
    let n_elements = source.size("number of elements")?;
    source.size("smallest element tag")?;
    source.size("largest element tag")?;
    index_limit(source.file, n_elements, "elements")?;
    let mut runs = Vec::new();
    let mut found = 0;
    for block in 0..n_blocks {
        let dimension = source.int(format_args!("block of elements {block} of {n_blocks}"))?;
        let entity = (dimension, source.int("entity tag")?);
        let groups = entities.get(&entity).map_or(&[][..], Vec::as_slice);
        let number = source.int("element type")?;
        let n = source.size("number of elements in a block")?;
        let kind = element_type(source, number)?;
        let words = 1 + kind.nodes;
        let n = source.promised(n, words, words * source.size_bytes(), "elements in a block")?;
        for first in (0..n).step_by(RUN) {
            let (n, begin) = ((n - first).min(RUN), source.at);
            source.skip_sizes(n * words, "a node")?;
            runs.push(Elements { n, number, kind, groups, body: begin..source.at });
        }
        found += n as u64;
    }
    check_count(source, n_elements, found, "elements")?;
    source.end_section("Elements")?;
    let mut corners = [0; 8];
    in_order(
        &runs,
        |run| run.read(source),
        |run, numbers| {
            for (k, element) in numbers.chunks_exact(1 + run.kind.nodes).enumerate() {
                let (&tag, nodes) = element.split_first().unwrap_or((&0, &[]));
                for (j, &node) in nodes.iter().enumerate() {
                    let Some(vertex) = index.get(node) else {
                        let mut flawed = Source { at: run.body.start, ..*source };
                        flawed.skip_sizes(k * element.len() + 1 + j, "a node")?;
                        return Err(unknown_node(&flawed, tag, node, index.len()));
                    };
                    if let Some(corner) = corners.get_mut(j) {
                        *corner = vertex;
                    }
                }
                builder.push(run.kind, run.groups, &corners[..run.kind.shape.corners()]);
                tags.push(run.kind, tag);
            }
            Ok(())
        },
    )
}

/// Elements of one type, one behind the other in a block.
struct Elements<'a> {
    n: usize,
    /// Number of their type.
    number: i64,
    kind: ElementType,
    /// Physical groups they are in.
    groups: &'a [i64],
    /// Where they stand.
    body: Range<usize>,
}

impl Elements<'_> {
    fn read(&self, source: &Source) -> Result<Vec<u64>> {
        let body = self.body.clone();
        through_mshio::elements(source, self.n, (self.number, self.kind), body).map_err(|failure| {
            flaw::<u64>(source, &self.body, "number of an element or a node", failure)
        })
    }
}

/// Reads runs on all threads, and uses them one by one in their order.
fn in_order<R: Sync, T: Send>(
    runs: &[R],
    read: impl Fn(&R) -> Result<T> + Sync,
    mut take: impl FnMut(&R, T) -> Result<()>,
) -> Result<()> {
    for runs in runs.chunks(TOGETHER) {
        let found: Vec<Result<T>> = runs.par_iter().map(&read).collect();
        for (run, found) in runs.iter().zip(found) {
            take(run, found?)?;
        }
    }
    Ok(())
}

/// What the crate could not read, at its place: the first word that is no number of type `T`.
fn flaw<T: FromStr>(
    source: &Source,
    body: &Range<usize>,
    what: impl Display,
    failure: Failure,
) -> Error {
    let mut place = Source { at: body.start, ..*source };
    while source.encoding == Encoding::Ascii && place.at < body.end {
        if let Err(error) = place.text::<T>(&what) {
            return error;
        }
    }
    place.at = body.start;
    place.fail(format!("{what} expected, but mshio finds none ({})", failure.expected), AGAIN)
}
