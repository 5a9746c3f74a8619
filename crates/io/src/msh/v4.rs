//! Reader of MSH 4.0 (text) and 4.1 (text and binary): the sections, and the elements, which are
//! nearly the same in both. `v40` and `v41` read the entities and the nodes.
//!
//! The crate `mshio` could also read the elements of 4.1, but it allocates a list for each element.
//! With the crate, reading a binary file took 1.8 times as long on two threads and 2.4 times as
//! long on one thread (`benches/results/files.md`).

use std::collections::HashMap;

use super::data::{self, Data, Tags};
use super::elements::element_type;
use super::nodes::NodeIndex;
use super::source::Source;
use super::{AGAIN, partitioned, physical_names, unknown_node, v40, v41};
use crate::MeshFile;
use crate::elements::Builder;
use crate::faces::index_limit;
use zeroset_core::error::{Flaw, Result};

/// The physical groups of each entity, by dimension and tag.
pub(super) type Entities = HashMap<(i64, i64), Vec<i64>>;

/// The largest number of physical groups of one entity. Every element of the entity is added to
/// each of them.
pub(super) const MOST_GROUPS: usize = 64;

/// The version of the format. In 4.0, the tag of an entity comes before its dimension.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Minor {
    V40,
    V41,
}

/// Reads all sections after the header.
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
            "Entities" => {
                entities = match minor {
                    Minor::V40 => v40::entities(source)?,
                    Minor::V41 => v41::entities(source)?,
                }
            }
            "Nodes" if nodes.is_none() => {
                let (vertices, tags) = match minor {
                    Minor::V40 => v40::nodes(source)?,
                    Minor::V41 => v41::nodes(source)?,
                };
                let index = NodeIndex::new(&tags).map_err(|tag| {
                    source.fail(format!("two nodes have the tag {tag}"), "export the mesh again")
                })?;
                nodes = Some((vertices, index));
            }
            "Elements" if !elements_met => {
                elements_met = true;
                let Some((_, index)) = &nodes else {
                    return Err(source.fail("$Elements before $Nodes", AGAIN));
                };
                Elements { source, minor, index, entities: &entities }
                    .read(&mut builder, &mut tags)?;
            }
            "Nodes" | "Elements" => {
                return Err(source.fail(format!("a second section ${name}"), AGAIN));
            }
            "PartitionedEntities" => partitioned::entities(source, minor, &mut entities)?,
            "NodeData" | "ElementData" => data.push(Data::read(source, name)?),
            "ElementNodeData" => {
                source.skip_section(name)?;
                builder.warnings.push(format!("data in ${name} is ignored"));
            }
            _ => {
                source.skip_section(name)?;
            }
        }
    }
    let Some((vertices, index)) = nodes else {
        return Err(Flaw::whole("the file has no section $Nodes", AGAIN));
    };
    let mut file = builder.finish(vertices, "msh", version)?;
    data::place(source, &mut file, &index, &tags, data)?;
    Ok(file)
}

/// Creates the error for an entity in too many groups.
pub(super) fn too_many_groups(source: &Source, tag: i64, n: usize) -> Flaw {
    let what =
        format!("entity {tag} is in {n} physical groups, but at most {MOST_GROUPS} are supported");
    source.fail(what, "put it into fewer groups")
}

/// Creates the error for a parametric block of nodes whose dimension is not 0, 1, 2 or 3.
pub(super) fn parametric(source: &Source, block: u64, dimension: i64, flag: i64) -> Flaw {
    let what = format!("block {block} of dimension {dimension} is parametric ({flag})");
    source.fail(what, AGAIN)
}

/// Checks that a section has as many records as it declares. `what` names the records.
pub(super) fn check_count(
    source: &Source,
    promised: u64,
    found: u64,
    what: &str,
) -> Result<(), Flaw> {
    if found == promised {
        return Ok(());
    }
    let what = format!("{promised} {what} declared, {found} found");
    Err(source.fail(what, "the counts are wrong: export the mesh again"))
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
        let size = source.size_bytes();
        let (mut found, mut corners) = (0_u64, [0; 8]);
        for block in 0..n_blocks {
            let first = source.int(format_args!("block of elements {block} of {n_blocks}"))?;
            let second = source.int("entity tag")?;
            let entity = if minor == Minor::V40 { (second, first) } else { (first, second) };
            let groups = entities.get(&entity).map_or(&[][..], Vec::as_slice);
            let number = source.int("element type")?;
            let n = source.size("number of elements in a block")?;
            let Some(kind) = element_type(number) else {
                let what = format!("elements of type {number} are not supported");
                return Err(source.fail(what, "save the mesh with the Gmsh element types 1 to 31"));
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
        check_count(source, n_elements, found, "elements")?;
        source.end_section("Elements")
    }
}
