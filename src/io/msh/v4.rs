//! MSH 4.0 (text) and 4.1 (text and binary): the sections, whose numbers `v40` and `v41` read.

use std::collections::HashMap;

use super::data::{self, Data, Tags};
use super::nodes::NodeIndex;
use super::source::Source;
use super::{AGAIN, physical_names, v40, v41};
use crate::error::{Error, Result};
use crate::io::MeshFile;
use crate::io::elements::{Builder, ElementType};

/// Physical groups of each entity, by dimension and tag.
pub(super) type Entities = HashMap<(i64, i64), Vec<i64>>;

/// Most physical groups of one entity: every element of it is put into each.
pub(super) const MOST_GROUPS: usize = 64;

/// Which version.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Minor {
    V40,
    V41,
}

/// Where elements go, and what they refer to.
pub(super) struct Target<'a> {
    pub(super) index: &'a NodeIndex,
    pub(super) entities: &'a Entities,
    pub(super) builder: &'a mut Builder,
    pub(super) tags: &'a mut Tags,
}

/// Reads all sections behind the header.
pub(super) fn read(mut source: Source, minor: Minor, version: String) -> Result<MeshFile> {
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
                let entities = &entities;
                let target = Target { index, entities, builder: &mut builder, tags: &mut tags };
                match minor {
                    Minor::V40 => v40::elements(source, target)?,
                    Minor::V41 => v41::elements(source, target)?,
                }
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
            _ => drop(source.skip_section(name)?),
        }
    }
    let Some((vertices, index)) = nodes else {
        return Err(Error::input(source.file, "", "no section $Nodes", AGAIN));
    };
    let mut file = builder.finish(source.file, vertices, "msh", version)?;
    data::place(source, &mut file, &index, &tags, data)?;
    Ok(file)
}

/// The error for an entity in too many groups.
pub(super) fn too_many_groups(source: &Source, tag: i64, n: usize) -> Error {
    let what = format!("entity {tag} is in {n} physical groups, at most {MOST_GROUPS}");
    source.fail(what, "put it into fewer groups")
}

/// The error for a block of nodes whose parameters no dimension has.
pub(super) fn parametric(source: &Source, block: u64, dimension: i64, flag: i64) -> Error {
    let what = format!("block {block} of dimension {dimension} is parametric ({flag})");
    source.fail(what, AGAIN)
}

/// The element type of a block.
pub(super) fn element_type(source: &Source, number: i64) -> Result<ElementType> {
    super::elements::element_type(number).ok_or_else(|| {
        let what = format!("elements of type {number} are not known");
        source.fail(what, "save the mesh with types 1 to 31 of Gmsh")
    })
}

/// Refuses a section with more or fewer records than it promised.
pub(super) fn check_count(source: &Source, promised: u64, found: u64, what: &str) -> Result<()> {
    if found == promised {
        return Ok(());
    }
    let what = format!("{promised} {what} promised, {found} found");
    Err(source.fail(what, "the counts are wrong: export the mesh again"))
}
