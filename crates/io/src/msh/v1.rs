//! Reader of MSH 1.0, text: `$NOD` and `$ELM`. Physical groups are numbers without names.

use super::elements::element_type;
use super::nodes::NodeIndex;
use super::source::Source;
use super::{AGAIN, unknown_node};
use crate::MeshFile;
use crate::elements::Builder;
use crate::faces::index_limit;
use zeroset_core::error::{Flaw, Result};

/// Reads the nodes, after the first line of their section, and the sections that follow.
pub(super) fn read(mut source: Source) -> Result<MeshFile, Flaw> {
    let n = count(&mut source, 4, "nodes")?;
    let (mut vertices, mut numbers) = (Vec::with_capacity(n), Vec::with_capacity(n));
    for i in 0..n {
        let number: u64 = source.text(format_args!("number of node {i} of {n}"))?;
        numbers.push(number);
        vertices.push(source.coordinates(number)?);
    }
    source.expect("$ENDNOD")?;
    let index = NodeIndex::new(&numbers).map_err(|number| {
        source.fail(format!("two nodes have number {number}"), "export the mesh again")
    })?;
    let mut builder = Builder::default();
    match source.next_section()? {
        Some("ELM") => elements(&mut source, &index, &mut builder)?,
        None => {}
        Some(other) => return Err(source.fail(format!("$ELM expected, found ${other}"), AGAIN)),
    }
    if let Some(other) = source.next_section()? {
        return Err(source.fail(format!("the end of the file expected, found ${other}"), AGAIN));
    }
    if vertices.is_empty() {
        return Err(Flaw::whole("the file holds no vertices", "export the mesh again"));
    }
    builder.finish(vertices, "msh", "1.0 ascii".to_string())
}

fn count(source: &mut Source, words: usize, what: &str) -> Result<usize, Flaw> {
    let n = source.text(format_args!("number of {what}"))?;
    index_limit(n, what)?;
    source.promised(n, words, 0, what)
}

/// Reads the elements: number, type, physical group, entity, number of nodes, nodes.
fn elements(source: &mut Source, index: &NodeIndex, builder: &mut Builder) -> Result<(), Flaw> {
    let n = count(source, 6, "elements")?;
    for i in 0..n {
        let number = source.int(format_args!("element {i} of {n}"))?;
        let kind = source.int("element type")?;
        let group = source.int("a physical group")?;
        source.int("an entity")?;
        let n_nodes: usize = source.text("number of nodes of an element")?;
        let Some(kind) = element_type(kind).filter(|kind| kind.nodes == n_nodes) else {
            let what =
                format!("element {number} of type {kind} with {n_nodes} nodes is not supported");
            return Err(source.fail(what, AGAIN));
        };
        let mut corners = [0; 8];
        for k in 0..n_nodes {
            let node: u64 = source.text("a node")?;
            let Some(vertex) = index.get(node) else {
                return Err(unknown_node(source, number, node, index.len()));
            };
            if let Some(corner) = corners.get_mut(k) {
                *corner = vertex;
            }
        }
        builder.push(kind, &[group], &corners[..kind.shape.corners()]);
    }
    source.expect("$ENDELM")
}
