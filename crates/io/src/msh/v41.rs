//! Reader of the entities and nodes in MSH 4.1 text and binary files.
//!
//! This module finds the blocks of a section and checks their counts against the bytes. The crate
//! `mshio` reads their content. Nodes with parameters, which the crate rejects, are read here.

use std::ops::Range;

use super::AGAIN;
use super::mshio_adapter::{self, Failure};
use super::source::Source;
use super::v4::{Entities, MOST_GROUPS, check_count, parametric, too_many_groups};
use crate::faces::index_limit;
use zeroset_core::error::{Flaw, Result};
use zeroset_core::parallel::*;

/// Reads the physical groups of the geometrical entities to which elements belong.
pub(super) fn entities(source: &mut Source) -> Result<Entities, Flaw> {
    let mut counts = *source;
    for _ in 0..4 {
        let n = counts.size("number of entities")?;
        counts.promised(n, 5, 28, "entities")?;
    }
    let body = source.skip_section("Entities")?;
    let begin = body.start;
    let found = mshio_adapter::entities(source, body).map_err(|failure| {
        let Failure { at, expected } = failure;
        let expected = if expected.is_empty() { "$EndEntities" } else { expected.as_str() };
        let flawed = Source { at: begin + at, ..*source };
        flawed.fail(format!("{expected} expected, found {}", flawed.found()), AGAIN)
    })?;
    let mut entities = Entities::new();
    for (dimension, tag, groups) in found {
        if groups.len() > MOST_GROUPS {
            return Err(too_many_groups(source, tag, groups.len()));
        }
        entities.insert((dimension, tag), groups);
    }
    Ok(entities)
}

/// The largest number of nodes per call to the crate. A call takes 80 ns per node, so calls run on
/// all threads.
const TOGETHER: usize = 512;

/// A run of nodes without parameters within a block.
pub(super) struct Block {
    /// The index of the first node of the run among all nodes.
    first: usize,
    /// The number of nodes, at most [`TOGETHER`].
    pub(super) n: usize,
    /// The byte range of the tags of the nodes.
    pub(super) tags: Range<usize>,
    /// The byte range of the coordinates of the nodes.
    pub(super) coordinates: Range<usize>,
}

/// Reads the coordinates and tags of all nodes.
pub(super) fn nodes(source: &mut Source) -> Result<(Vec<[f64; 3]>, Vec<u64>), Flaw> {
    let n_blocks = source.size("number of node blocks")?;
    let n_nodes = source.size("number of nodes")?;
    source.size("smallest node tag")?;
    source.size("largest node tag")?;
    index_limit(n_nodes, "nodes")?;
    let bytes_each = source.size_bytes() + 24;
    let n = source.promised(n_nodes, 4, bytes_each, "nodes")?;
    let (mut vertices, mut tags) = (Vec::with_capacity(n), Vec::with_capacity(n));
    let mut blocks = Vec::new();
    for number in 0..n_blocks {
        let dimension = source.int(format_args!("block of nodes {number} of {n_blocks}"))?;
        source.int("entity tag")?;
        // Nodes on curves, on surfaces and in volumes have parameters after the coordinates.
        let parameters = match (source.int("parametric flag")?, dimension) {
            (0, _) => 0,
            (_, 0..=3) => dimension as usize,
            (flag, _) => return Err(parametric(source, number, dimension, flag)),
        };
        let n = source.size("number of nodes in a block")?;
        let n = source.promised(n, 4, bytes_each, "nodes in a block")?;
        let (first, known) = (tags.len(), blocks.len());
        for k in (0..n).step_by(TOGETHER) {
            let (n, first, at) = (TOGETHER.min(n - k), tags.len(), source.at);
            for _ in 0..n {
                tags.push(source.size("node tag")?);
            }
            blocks.push(Block { first, n, tags: at..source.at, coordinates: 0..0 });
        }
        if parameters > 0 {
            blocks.truncate(known);
            for &tag in &tags[first..] {
                vertices.push(source.coordinates(tag)?);
                source.skip_reals(parameters, "parameters of a node")?;
            }
            continue;
        }
        for block in &mut blocks[known..] {
            let at = source.at;
            source.skip_reals(3 * block.n, "coordinates of a node")?;
            block.coordinates = at..source.at;
        }
        vertices.resize(tags.len(), [0.0; 3]);
    }
    check_count(source, n_nodes, tags.len() as u64, "nodes")?;
    source.end_section("Nodes")?;
    let calls = calls(&blocks);
    let found: Vec<_> = calls.par_iter().map(|call| mshio_adapter::nodes(source, call)).collect();
    for (blocks, found) in calls.into_iter().zip(found) {
        let found = found.map_err(|failure| not_a_number(source, blocks, &failure))?;
        let numbers = blocks.iter().flat_map(|block| (0..block.n).map(move |k| (block, k)));
        for ((block, k), x) in numbers.zip(found) {
            if let Some(axis) = x.iter().position(|v| !v.is_finite()) {
                let mut flawed = Source { at: block.coordinates.start, ..*source };
                flawed.skip_reals(3 * k + axis, "coordinates of a node")?;
                return Err(flawed.not_finite(tags[block.first + k], axis, x[axis]));
            }
            vertices[block.first + k] = x;
        }
    }
    Ok((vertices, tags))
}

/// Groups consecutive blocks into calls of at most [`TOGETHER`] nodes.
fn calls(blocks: &[Block]) -> Vec<&[Block]> {
    let (mut calls, mut rest) = (Vec::new(), blocks);
    while !rest.is_empty() {
        let mut n = 0;
        let fits = |block: &&Block| {
            n += block.n;
            n <= TOGETHER
        };
        let (call, others) = rest.split_at(rest.iter().take_while(fits).count());
        calls.push(call);
        rest = others;
    }
    calls
}

/// Returns the error for a failure of the crate, at the first word that is not a number.
fn not_a_number(source: &Source, blocks: &[Block], failure: &Failure) -> Flaw {
    let mut place = *source;
    for block in blocks {
        place.at = block.coordinates.start;
        for _ in 0..3 * block.n {
            if let Err(error) = place.real("a coordinate") {
                return error;
            }
        }
    }
    place.fail(format!("coordinates that mshio cannot read ({})", failure.expected), AGAIN)
}
