//! MSH 4.1, text and binary, through the crate `mshio`.
//!
//! `mshio` reads coordinates and elements. It drops what is needed to use them: the tags of the
//! nodes (without which nodes stored in another order than that of their tags would be mixed up
//! silently), the physical groups and their names. It also takes counts on trust. So a first pass
//! of ours walks through the file, checks every count against the bytes present, and notes tags
//! and groups; `mshio` then gets only the sections that have passed.

use std::collections::HashMap;

use super::build::{Builder, Names};
use super::data::{self, Data, Tags};
use super::elements::element_type;
use super::nodes::NodeIndex;
use super::source::{Encoding, Source};
use super::{TO_22, TO_41, physical_names, unknown_node};
use crate::error::{Error, Result};
use crate::io::faces::index_limit;
use crate::io::{MeshFile, guard};

/// Physical groups of each entity, by dimension and tag.
type Entities = HashMap<(i64, i64), Vec<i64>>;

/// What the first pass finds.
#[derive(Default)]
struct Outline {
    names: Names,
    entities: Entities,
    /// Tags of all nodes in file order.
    tags: Vec<u64>,
    n_elements: u64,
    /// Bytes of the sections from "$Nodes" to "$EndNodes" and of the elements.
    nodes: Option<std::ops::Range<usize>>,
    elements: Option<std::ops::Range<usize>>,
    data: Vec<Data>,
    warnings: Vec<String>,
}

/// Reads all sections behind the header.
pub(super) fn read(mut source: Source, version: String) -> Result<MeshFile> {
    let outline = outline(&mut source)?;
    let index = NodeIndex::new(&outline.tags).map_err(|tag| {
        source.fail(format!("two nodes have the tag {tag}"), "export the mesh again")
    })?;
    let (nodes, elements) = parse(&source, &outline)?;
    let mut vertices = Vec::with_capacity(outline.tags.len());
    let stored = nodes.into_iter().flat_map(|nodes| nodes.node_blocks).flat_map(|b| b.nodes);
    for (node, &tag) in stored.zip(&outline.tags) {
        let x = [node.x, node.y, node.z];
        if let Some(k) = x.iter().position(|v| !v.is_finite()) {
            let at = outline.nodes.as_ref().map_or(0, |section| section.start);
            return Err(Source { at, ..source }.not_finite(tag, k, x[k]));
        }
        vertices.push(x);
    }
    if vertices.len() != outline.tags.len() {
        let what = format!("{} nodes expected, mshio found {}", outline.tags.len(), vertices.len());
        return Err(Error::input(source.file, "", what, TO_22));
    }
    let mut builder = Builder::default();
    builder.warnings = outline.warnings;
    let (mut corners, mut tags) = (Vec::new(), Tags::default());
    for block in elements.into_iter().flat_map(|elements| elements.element_blocks) {
        let Some(kind) = element_type(block.element_type as i64) else { continue };
        let entity = (i64::from(block.entity_dim), i64::from(block.entity_tag));
        let groups = outline.entities.get(&entity).map_or(&[][..], Vec::as_slice);
        for element in block.elements {
            corners.clear();
            for &node in &element.nodes {
                let unknown = || {
                    let at = outline.elements.as_ref().map_or(0, |section| section.start);
                    let source = Source { at, ..source };
                    unknown_node(&source, element.element_tag, node, vertices.len())
                };
                corners.push(index.get(node).ok_or_else(unknown)?);
            }
            builder.push(kind, groups, &corners);
            tags.push(kind, element.element_tag);
        }
    }
    let mut file = builder.finish(source.file, vertices, &outline.names, version)?;
    data::place(&mut file, &index, &tags, outline.data);
    Ok(file)
}

type Nodes = mshio::Nodes<u64, i32, f64>;
type Elements = mshio::Elements<u64, i32>;

/// Lets `mshio` read the two sections, behind a header of ours.
fn parse(source: &Source, outline: &Outline) -> Result<(Option<Nodes>, Option<Elements>)> {
    let mut bytes = match source.encoding {
        Encoding::Ascii => b"$MeshFormat\n4.1 0 8\n".to_vec(),
        Encoding::Binary { big_endian, size } => {
            let one = if big_endian { 1i32.to_be_bytes() } else { 1i32.to_le_bytes() };
            [format!("$MeshFormat\n4.1 1 {size}\n").as_bytes(), &one, b"\n"].concat()
        }
    };
    bytes.extend(b"$EndMeshFormat\n");
    for section in [&outline.nodes, &outline.elements].into_iter().flatten() {
        bytes.extend(source.bytes.get(section.clone()).unwrap_or_default());
    }
    let parsed = guard::quietly(|| {
        let parsed = mshio::parse_msh_bytes(&bytes);
        parsed.map(|file| (file.data.nodes, file.data.elements)).map_err(|error| {
            let text = error.to_string();
            text.lines().next().unwrap_or_default().to_string()
        })
    });
    let parsed = match parsed {
        Ok(parsed) => parsed,
        Err(panic) => Err(format!("panic: {panic}")),
    };
    parsed.map_err(|message| {
        let what = format!("nodes or elements cannot be read (mshio: {message})");
        Error::input(source.file, "", what, TO_22)
    })
}

fn outline(source: &mut Source) -> Result<Outline> {
    let mut outline = Outline::default();
    let (mut nodes_met, mut elements_met) = (false, false);
    loop {
        let begin = source.at;
        let Some(name) = source.next_section()? else { break };
        match name {
            "PhysicalNames" => outline.names = physical_names(source)?,
            "Entities" => outline.entities = entities(source)?,
            "Nodes" if !nodes_met => {
                nodes_met = true;
                outline.tags = node_tags(source)?;
                source.end_section(name)?;
                outline.nodes = (!outline.tags.is_empty()).then_some(begin..source.at);
            }
            "Elements" if !elements_met => {
                elements_met = true;
                outline.n_elements = element_blocks(source)?;
                source.end_section(name)?;
                outline.elements = (outline.n_elements > 0).then_some(begin..source.at);
            }
            "Nodes" | "Elements" => {
                return Err(source.fail(format!("second section ${name}"), TO_41));
            }
            "PartitionedEntities" => {
                source.skip_section(name)?;
                let what =
                    "the mesh is partitioned: physical groups of its partitions are not read";
                outline.warnings.push(what.to_string());
            }
            "NodeData" | "ElementData" => outline.data.push(Data::read(source, name)?),
            "ElementNodeData" => {
                source.skip_section(name)?;
                outline.warnings.push(format!("data in ${name} is left out"));
            }
            _ => source.skip_section(name)?,
        }
    }
    if !nodes_met {
        let what = "no section $Nodes";
        return Err(Error::input(source.file, "", what, "export the mesh again"));
    }
    Ok(outline)
}

/// Physical groups of the geometrical entities that elements belong to.
fn entities(source: &mut Source) -> Result<Entities> {
    let mut counts = [0; 4];
    for count in &mut counts {
        *count = source.size("number of entities")?;
    }
    let mut entities = Entities::new();
    for (dimension, count) in counts.into_iter().enumerate() {
        for _ in 0..source.promised(count, 5, 28, "entities")? {
            let tag = source.int("entity tag")?;
            source.skip_reals(if dimension == 0 { 3 } else { 6 }, "bounds of an entity")?;
            let n = source.size("number of physical groups")?;
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

fn node_tags(source: &mut Source) -> Result<Vec<u64>> {
    let n_blocks = source.size("number of node blocks")?;
    let n_nodes = source.size("number of nodes")?;
    source.size("smallest node tag")?;
    source.size("largest node tag")?;
    index_limit(source.file, n_nodes, "nodes")?;
    let size = if let Encoding::Binary { size, .. } = source.encoding { size } else { 0 };
    let mut tags = Vec::with_capacity(source.promised(n_nodes, 4, size + 24, "nodes")?);
    for block in 0..n_blocks {
        source.int(format_args!("block of nodes {block} of {n_blocks}"))?;
        source.int("entity tag")?;
        let parametric = source.int("parametric flag")?;
        if parametric != 0 {
            let what =
                format!("block of nodes {block} has parametric coordinates (flag {parametric})");
            return Err(source.fail(what, TO_22));
        }
        let n = source.size("number of nodes in a block")?;
        let n = source.promised(n, 4, size + 24, "nodes in a block")?;
        for _ in 0..n {
            tags.push(source.size("node tag")?);
        }
        source.skip_reals(3 * n, "coordinates of nodes")?;
    }
    if tags.len() as u64 != n_nodes {
        let what = format!("{n_nodes} nodes promised, {} found", tags.len());
        return Err(source.fail(what, "the counts are wrong: export the mesh again"));
    }
    Ok(tags)
}

/// Walks through the blocks of elements; gives the number of elements.
fn element_blocks(source: &mut Source) -> Result<u64> {
    let n_blocks = source.size("number of element blocks")?;
    let n_elements = source.size("number of elements")?;
    source.size("smallest element tag")?;
    source.size("largest element tag")?;
    index_limit(source.file, n_elements, "elements")?;
    let size = if let Encoding::Binary { size, .. } = source.encoding { size } else { 0 };
    let mut found = 0;
    for block in 0..n_blocks {
        source.int(format_args!("block of elements {block} of {n_blocks}"))?;
        source.int("entity tag")?;
        let number = source.int("element type")?;
        let n = source.size("number of elements in a block")?;
        // mshio takes 28 nodes for the prism of 18 and would read on out of step.
        let Some(kind) = element_type(number).filter(|_| number != 13) else {
            let what = format!("elements of type {number} cannot be read from MSH 4.1");
            return Err(source.fail(what, TO_22));
        };
        let n =
            source.promised(n, 1 + kind.nodes, (1 + kind.nodes) * size, "elements in a block")?;
        source.skip_sizes(n * (1 + kind.nodes), &format!("{n} {} elements", kind.name()))?;
        found += n as u64;
    }
    if found != n_elements {
        let what = format!("{n_elements} elements promised, {found} found");
        return Err(source.fail(what, "the counts are wrong: export the mesh again"));
    }
    Ok(found)
}
