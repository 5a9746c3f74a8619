//! The sections of MSH 4.0, text. Against 4.1 the tag of an entity comes before its dimension,
//! points have bounds, and each node has its tag in front of its coordinates.

use super::source::Source;
use super::unknown_node;
use super::v4::{
    Entities, MOST_GROUPS, Target, check_count, element_type, parametric, too_many_groups,
};
use crate::error::Result;
use crate::io::faces::index_limit;

/// Physical groups of the geometrical entities that elements belong to.
pub(super) fn entities(source: &mut Source) -> Result<Entities> {
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
            let groups = (0..n).map(|_| source.int("physical group")).collect::<Result<_>>()?;
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

/// Coordinates and tags of all nodes.
pub(super) fn nodes(source: &mut Source) -> Result<(Vec<[f64; 3]>, Vec<u64>)> {
    let n_blocks = source.size("number of node blocks")?;
    let n_nodes = source.size("number of nodes")?;
    index_limit(source.file, n_nodes, "nodes")?;
    let n = source.promised(n_nodes, 4, 0, "nodes")?;
    let (mut vertices, mut tags) = (Vec::with_capacity(n), Vec::with_capacity(n));
    for block in 0..n_blocks {
        source.int(format_args!("block of nodes {block} of {n_blocks}"))?;
        let dimension = source.int("dimension of an entity")?;
        // Parameters on curves and surfaces follow the coordinates.
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

/// Puts all elements into `target`.
pub(super) fn elements(source: &mut Source, target: Target) -> Result<()> {
    let Target { index, entities, builder, tags } = target;
    let n_blocks = source.size("number of element blocks")?;
    let n_elements = source.size("number of elements")?;
    index_limit(source.file, n_elements, "elements")?;
    let (mut found, mut corners) = (0_u64, [0; 8]);
    for block in 0..n_blocks {
        let entity = source.int(format_args!("block of elements {block} of {n_blocks}"))?;
        let dimension = source.int("dimension of an entity")?;
        let groups = entities.get(&(dimension, entity)).map_or(&[][..], Vec::as_slice);
        let number = source.int("element type")?;
        let n = source.size("number of elements in a block")?;
        let kind = element_type(source, number)?;
        let n = source.promised(n, 1 + kind.nodes, 0, "elements in a block")?;
        for k in 0..n {
            let tag = source.size(format_args!("element {k} of the {n} of a block"))?;
            for k in 0..kind.nodes {
                let node = source.size("a node")?;
                let Some(vertex) = index.get(node) else {
                    return Err(unknown_node(source, tag, node, index.len()));
                };
                if let Some(corner) = corners.get_mut(k) {
                    *corner = vertex;
                }
            }
            builder.push(kind, groups, &corners[..kind.shape.corners()]);
            tags.push(kind, tag);
        }
        found += n as u64;
    }
    check_count(source, n_elements, found, "elements")?;
    source.end_section("Elements")
}
