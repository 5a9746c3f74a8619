//! Reader of the entities and nodes in MSH 4.0 text files. Unlike in 4.1, the tag of an entity
//! comes before its dimension, points have bounds, and each node has its tag before its
//! coordinates.

use super::source::Source;
use super::v4::{Entities, MOST_GROUPS, check_count, parametric, too_many_groups};
use crate::faces::index_limit;
use zeroset_core::error::{Flaw, Result};

/// Reads the physical groups of the geometrical entities to which elements belong.
pub(super) fn entities(source: &mut Source) -> Result<Entities, Flaw> {
    let mut counts = [0; 4];
    for count in &mut counts {
        *count = source.size("number of entities")?;
    }
    let mut entities = Entities::new();
    for (dimension, count) in counts.into_iter().enumerate() {
        for _ in 0..source.promised(count, 5, 0, "entities")? {
            let tag = source.int("entity tag")?;
            source.skip_reals(6, "bounds of an entity")?;
            let n = source.size("number of physical groups")?;
            let n = source.promised(n, 1, 0, "physical groups")?;
            if n > MOST_GROUPS {
                return Err(too_many_groups(source, tag, n));
            }
            let groups =
                (0..n).map(|_| source.int("physical group")).collect::<Result<_, Flaw>>()?;
            if dimension > 0 {
                let n = source.size("number of bounding entities")?;
                for _ in 0..source.promised(n, 1, 0, "bounding entities")? {
                    source.int("bounding entity")?;
                }
            }
            entities.insert((dimension as i64, tag), groups);
        }
    }
    source.end_section("Entities")?;
    Ok(entities)
}

/// Reads the coordinates and tags of all nodes.
pub(super) fn nodes(source: &mut Source) -> Result<(Vec<[f64; 3]>, Vec<u64>), Flaw> {
    let n_blocks = source.size("number of node blocks")?;
    let n_nodes = source.size("number of nodes")?;
    index_limit(n_nodes, "nodes")?;
    let n = source.promised(n_nodes, 4, 0, "nodes")?;
    let (mut vertices, mut tags) = (Vec::with_capacity(n), Vec::with_capacity(n));
    for block in 0..n_blocks {
        source.int(format_args!("block of nodes {block} of {n_blocks}"))?;
        let dimension = source.int("dimension of an entity")?;
        // Nodes on curves and surfaces have parameters after the coordinates.
        let parameters = match (source.int("parametric flag")?, dimension) {
            (0, _) | (_, 0 | 3) => 0,
            (_, 1 | 2) => dimension as usize,
            (flag, _) => return Err(parametric(source, block, dimension, flag)),
        };
        let n = source.size("number of nodes in a block")?;
        for _ in 0..source.promised(n, 4, 0, "nodes in a block")? {
            let tag = source.size("node tag")?;
            tags.push(tag);
            vertices.push(source.coordinates(tag)?);
            source.skip_reals(parameters, "parameters of a node")?;
        }
    }
    check_count(source, n_nodes, tags.len() as u64, "nodes")?;
    source.end_section("Nodes")?;
    Ok((vertices, tags))
}
