//! Reader of MSH 2.0 to 2.2, text and binary.

use super::data::{self, Data, Tags};
use super::elements::element_type;
use super::nodes::NodeIndex;
use super::source::{Encoding, Source};
use super::{AGAIN, physical_names, unknown_node};
use crate::MeshFile;
use crate::elements::Builder;
use crate::faces::index_limit;
use zeroset_core::error::{Flaw, Result};

/// Reads all sections after the header.
pub(super) fn read(mut source: Source, version: String) -> Result<MeshFile, Flaw> {
    let mut nodes: Option<(Vec<[f64; 3]>, NodeIndex)> = None;
    let (mut builder, mut tags) = <(Builder, Tags)>::default();
    let (mut elements_met, mut data) = (false, Vec::new());
    while let Some(name) = source.next_section()? {
        match name {
            "PhysicalNames" => builder.names = physical_names(&mut source)?,
            "Nodes" | "ParametricNodes" if nodes.is_none() => {
                nodes = Some(read_nodes(&mut source, name)?);
            }
            "Elements" if !elements_met => match &nodes {
                Some((_, index)) => {
                    elements_met = true;
                    let source = &mut source;
                    Elements { source, index, builder: &mut builder, tags: &mut tags }.read()?;
                }
                None => return Err(source.fail("$Elements before $Nodes", AGAIN)),
            },
            "Nodes" | "ParametricNodes" | "Elements" => {
                return Err(source.fail(format!("a second section ${name}"), AGAIN));
            }
            "NodeData" | "ElementData" => data.push(Data::read(&mut source, name)?),
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
    data::place(&source, &mut file, &index, &tags, data)?;
    Ok(file)
}

/// Reads the number of records, which is text on its own line even in binary sections. Checks that
/// the file can hold that many records of at least `words` words (text) or `bytes` bytes (binary).
fn count(source: &mut Source, words: usize, bytes: usize, what: &str) -> Result<usize, Flaw> {
    let n = source.text(format_args!("number of {what}"))?;
    index_limit(n, what)?;
    let n = source.promised(n, words, bytes, what)?;
    source.line();
    Ok(n)
}

/// Reads $Nodes, or $ParametricNodes, in which the parameters of a node on its entity follow its
/// coordinates.
fn read_nodes(source: &mut Source, section: &str) -> Result<(Vec<[f64; 3]>, NodeIndex), Flaw> {
    let n = count(source, 4, 28, "nodes")?;
    let (mut vertices, mut numbers) = (Vec::with_capacity(n), Vec::with_capacity(n));
    for i in 0..n {
        let number = source.int(format_args!("number of node {i} of {n}"))?;
        let Ok(number) = u64::try_from(number) else {
            let what = format!("node number {number} is negative");
            return Err(source.fail(what, "export the mesh again"));
        };
        numbers.push(number);
        vertices.push(source.coordinates(number)?);
        if section == "ParametricNodes" {
            let dimension = source.int("dimension of the entity of a node")?;
            source.int("entity of a node")?;
            // Points and volumes have no parameters.
            let parameters = if let 1 | 2 = dimension { dimension as usize } else { 0 };
            source.skip_reals(parameters, "parameters of a node")?;
        }
    }
    source.end_section(section)?;
    let index = NodeIndex::new(&numbers).map_err(|number| {
        source.fail(format!("two nodes have number {number}"), "export the mesh again")
    })?;
    Ok((vertices, index))
}

struct Elements<'s, 'a> {
    source: &'s mut Source<'a>,
    index: &'s NodeIndex,
    builder: &'s mut Builder,
    tags: &'s mut Tags,
}

impl Elements<'_, '_> {
    fn read(mut self) -> Result<(), Flaw> {
        let n = count(self.source, 4, 4, "elements")?;
        let mut done = 0;
        while done < n {
            if self.source.encoding == Encoding::Ascii {
                self.line(done, n)?;
                done += 1;
            } else {
                done += self.block(done, n)?;
            }
        }
        self.source.end_section("Elements")
    }

    /// Reads one element of a text file: number, type, tags, nodes.
    fn line(&mut self, done: usize, n: usize) -> Result<(), Flaw> {
        let number = self.source.int(format_args!("element {done} of {n}"))?;
        let kind = self.source.int("element type")?;
        let n_tags = self.source.int("number of tags")?;
        self.element(number, kind, n_tags)
    }

    /// Reads a block of a binary file: type, number of elements, number of tags, then the elements.
    /// Returns the number of elements.
    fn block(&mut self, done: usize, n: usize) -> Result<usize, Flaw> {
        let kind = self.source.int(format_args!("block of elements from {done} of {n} on"))?;
        let length = self.source.int("number of elements in a block")?;
        let n_tags = self.source.int("number of tags")?;
        let length = match usize::try_from(length) {
            Ok(length) if (1..=n - done).contains(&length) => length,
            _ => {
                let left = n - done;
                let what =
                    format!("a block has {length} elements, but only {left} of {n} are left");
                return Err(self.source.fail(what, "the file is damaged: export it again"));
            }
        };
        for _ in 0..length {
            let number = self.source.int("element number")?;
            self.element(number, kind, n_tags)?;
        }
        Ok(length)
    }

    /// Reads the tags and nodes of an element. The first tag is its physical group.
    fn element(&mut self, number: i64, kind: i64, n_tags: i64) -> Result<(), Flaw> {
        let source = &mut *self.source;
        let Some(kind) = element_type(kind) else {
            let what = format!("element {number} has the unknown type {kind}");
            return Err(source.fail(what, "save the mesh with the Gmsh element types 1 to 31"));
        };
        if !(0..=i64::from(u16::MAX)).contains(&n_tags) {
            let what = format!("element {number} has {n_tags} tags");
            return Err(source.fail(what, "the file is damaged: export it again"));
        }
        let mut group = 0;
        for k in 0..n_tags {
            let tag = source.int("a tag")?;
            group = if k == 0 { tag } else { group };
        }
        let mut corners = [0; 8];
        for k in 0..kind.nodes {
            let node = source.int("a node")?;
            let found = u64::try_from(node).ok().and_then(|node| self.index.get(node));
            let Some(vertex) = found else {
                return Err(unknown_node(source, number, node, self.index.len()));
            };
            if let Some(corner) = corners.get_mut(k) {
                *corner = vertex;
            }
        }
        self.builder.push(kind, &[group], &corners[..kind.shape.corners()]);
        self.tags.push(kind, u64::try_from(number).unwrap_or(u64::MAX));
        Ok(())
    }
}
