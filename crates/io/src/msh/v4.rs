//! MSH 4.0 (text) and 4.1 (text and binary).

use std::collections::HashMap;
use std::fmt::Arguments;

use super::data::{self, Data, Tags};
use super::elements::element_type;
use super::nodes::NodeIndex;
use super::source::{Encoding, Source};
use super::{AGAIN, physical_names, unknown_node};
use crate::MeshFile;
use crate::elements::Builder;
use crate::faces::index_limit;
use zeroset_core::error::{Flaw, Result};

/// Physical groups of each entity, by dimension and tag.
type Entities = HashMap<(i64, i64), Vec<i64>>;

/// Most physical groups of one entity: every element of it is put into each.
const MOST_GROUPS: u64 = 64;

/// Which version: 4.0 has the tag of an entity before its dimension, bounds of points, and each
/// tag of a node in front of its coordinates.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Minor {
    V40,
    V41,
}

/// Reads all sections behind the header.
pub(super) fn read(mut source: Source, minor: Minor, version: String) -> Result<MeshFile, Flaw> {
    let source = &mut source;
    let (mut builder, mut tags) = <(Builder, Tags)>::default();
    let mut entities = Entities::new();
    let mut nodes: Option<(Vec<[f64; 3]>, NodeIndex)> = None;
    let mut data = Vec::new();
    let mut elements_met = false;
    while let Some(name) = source.next_section()? {
        match name {
            "PhysicalNames" => builder.names = physical_names(source)?,
            "Entities" => entities = read_entities(source, minor)?,
            "Nodes" if nodes.is_none() => nodes = Some(read_nodes(source, minor)?),
            "Elements" if !elements_met => {
                elements_met = true;
                let Some((_, index)) = &nodes else {
                    return Err(source.fail("$Elements before $Nodes", AGAIN));
                };
                Elements { source, minor, index, entities: &entities }
                    .read(&mut builder, &mut tags)?;
            }
            "Nodes" | "Elements" => {
                return Err(source.fail(format!("second section ${name}"), AGAIN));
            }
            "PartitionedEntities" => {
                source.skip_section(name)?;
                let what =
                    "the mesh is partitioned: physical groups of its partitions are not read";
                builder.warnings.push(what.to_string());
            }
            "NodeData" | "ElementData" => data.push(Data::read(source, name)?),
            "ElementNodeData" => {
                source.skip_section(name)?;
                builder.warnings.push(format!("data in ${name} is left out"));
            }
            _ => source.skip_section(name)?,
        }
    }
    let Some((vertices, index)) = nodes else {
        return Err(Flaw::whole("no section $Nodes", AGAIN));
    };
    let mut file = builder.finish(vertices, "msh", version)?;
    data::place(source, &mut file, &index, &tags, data)?;
    Ok(file)
}

/// Physical groups of the geometrical entities that elements belong to.
fn read_entities(source: &mut Source, minor: Minor) -> Result<Entities, Flaw> {
    let mut counts = [0; 4];
    for count in &mut counts {
        *count = source.size("number of entities")?;
    }
    let mut entities = Entities::new();
    for (dimension, count) in counts.into_iter().enumerate() {
        for _ in 0..source.promised(count, 5, 28, "entities")? {
            let tag = source.int("entity tag")?;
            let is_place = dimension == 0 && minor == Minor::V41;
            source.skip_reals(if is_place { 3 } else { 6 }, "bounds of an entity")?;
            let n = source.size("number of physical groups")?;
            if n > MOST_GROUPS {
                let what = format!("entity {tag} is in {n} physical groups, at most {MOST_GROUPS}");
                return Err(source.fail(what, "put it into fewer groups"));
            }
            let mut groups = Vec::with_capacity(source.promised(n, 1, 4, "physical groups")?);
            for _ in 0..n {
                groups.push(source.int("physical group")?);
            }
            if dimension > 0 {
                let n = source.size("number of bounding entities")?;
                for _ in 0..source.promised(n, 1, 4, "bounding entities")? {
                    source.int("bounding entity")?;
                }
            }
            entities.insert((dimension as i64, tag), groups);
        }
    }
    source.end_section("Entities")?;
    Ok(entities)
}

/// Dimension and tag of the entity of a block.
fn entity(source: &mut Source, minor: Minor, what: Arguments) -> Result<(i64, i64), Flaw> {
    let first = source.int(what)?;
    let second = source.int("entity tag")?;
    Ok(if minor == Minor::V40 { (second, first) } else { (first, second) })
}

fn read_nodes(source: &mut Source, minor: Minor) -> Result<(Vec<[f64; 3]>, NodeIndex), Flaw> {
    let n_blocks = source.size("number of node blocks")?;
    let n_nodes = source.size("number of nodes")?;
    if minor == Minor::V41 {
        source.size("smallest node tag")?;
        source.size("largest node tag")?;
    }
    index_limit(n_nodes, "nodes")?;
    let size = if let Encoding::Binary { size, .. } = source.encoding { size } else { 0 };
    let n = source.promised(n_nodes, 4, size + 24, "nodes")?;
    let mut tags = Vec::with_capacity(n);
    let mut vertices = Vec::with_capacity(n);
    for block in 0..n_blocks {
        let (dimension, _) =
            entity(source, minor, format_args!("block of nodes {block} of {n_blocks}"))?;
        // Parameters on curves and surfaces, in 4.1 in volumes too, follow the coordinates.
        let parameters = match (source.int("parametric flag")?, dimension, minor) {
            (0, ..) | (_, 3, Minor::V40) => 0,
            (_, dimension @ 0..=3, _) => dimension as usize,
            (flag, ..) => {
                let what = format!("block {block} of dimension {dimension} is parametric ({flag})");
                return Err(source.fail(what, AGAIN));
            }
        };
        let n = source.size("number of nodes in a block")?;
        let n = source.promised(n, 4, size + 24, "nodes in a block")?;
        let begin = tags.len();
        if minor == Minor::V41 {
            for _ in 0..n {
                tags.push(source.size("node tag")?);
            }
        }
        for k in 0..n {
            if minor == Minor::V40 {
                tags.push(source.size("node tag")?);
            }
            vertices.push(source.coordinates(tags[begin + k])?);
            source.skip_reals(parameters, "parameters of a node")?;
        }
    }
    if tags.len() as u64 != n_nodes {
        let what = format!("{n_nodes} nodes promised, {} found", tags.len());
        return Err(source.fail(what, "the counts are wrong: export the mesh again"));
    }
    source.end_section("Nodes")?;
    let index = NodeIndex::new(&tags).map_err(|tag| {
        source.fail(format!("two nodes have the tag {tag}"), "export the mesh again")
    })?;
    Ok((vertices, index))
}

struct Elements<'s, 'a> {
    source: &'s mut Source<'a>,
    minor: Minor,
    index: &'s NodeIndex,
    entities: &'s Entities,
}

impl Elements<'_, '_> {
    fn read(self, builder: &mut Builder, tags: &mut Tags) -> Result<(), Flaw> {
        let Elements { source, minor, index, entities } = self;
        let n_blocks = source.size("number of element blocks")?;
        let n_elements = source.size("number of elements")?;
        if minor == Minor::V41 {
            source.size("smallest element tag")?;
            source.size("largest element tag")?;
        }
        index_limit(n_elements, "elements")?;
        let size = if let Encoding::Binary { size, .. } = source.encoding { size } else { 0 };
        let (mut found, mut corners) = (0_u64, [0; 8]);
        for block in 0..n_blocks {
            let entity =
                entity(source, minor, format_args!("block of elements {block} of {n_blocks}"))?;
            let groups = entities.get(&entity).map_or(&[][..], Vec::as_slice);
            let number = source.int("element type")?;
            let n = source.size("number of elements in a block")?;
            let Some(kind) = element_type(number) else {
                let what = format!("elements of type {number} are not known");
                return Err(source.fail(what, "save the mesh with types 1 to 31 of Gmsh"));
            };
            let words = 1 + kind.nodes;
            let n = source.promised(n, words, words * size, "elements in a block")?;
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
        if found != n_elements {
            let what = format!("{n_elements} elements promised, {found} found");
            return Err(source.fail(what, "the counts are wrong: export the mesh again"));
        }
        source.end_section("Elements")
    }
}
