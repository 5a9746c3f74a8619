//! Reading of the numbers in MSH 4.1 files with the crate `mshio`.
//!
//! The crate reads whole files, so each call gets a header and one section. The callers have
//! already checked the counts against the bytes. The crate drops the tags of nodes or maps them,
//! depending on the smallest and the largest tag. The callers know the tags, so the header states
//! that there are no gaps. The crate may panic and therefore runs inside [`quietly`].

use std::ops::Range;

use mshio::MshData;

use super::source::{Encoding, Source};
use super::v41::Block;
use crate::guard::quietly;

/// The sections of a file, with the types that represent `size_t`, `int` and `double`.
type Sections = MshData<u64, i32, f64>;

/// A failure of the crate.
#[derive(Debug)]
pub(super) struct Failure {
    /// Byte offset of the failure within the section.
    pub(super) at: usize,
    /// Description of what the crate expected there, or the message of its panic.
    pub(super) expected: String,
}

/// An entity: dimension, tag, and physical groups.
pub(super) type Entity = (i64, i64, Vec<i64>);

/// Returns the entities of a section in file order. `body` is the byte range between the first and
/// the last line of the section.
pub(super) fn entities(source: &Source, body: Range<usize>) -> Result<Vec<Entity>, Failure> {
    let mut file = File::new(source, "Entities");
    file.copy(source, body);
    let entities = file.read()?.entities;
    let mut all = Vec::new();
    if let Some(found) = entities {
        let mut put = |dimension, tag: i32, groups: Vec<i32>| {
            all.push((dimension, i64::from(tag), groups.into_iter().map(i64::from).collect()));
        };
        found.points.into_iter().for_each(|e| put(0, e.tag, e.physical_tags));
        found.curves.into_iter().for_each(|e| put(1, e.tag, e.physical_tags));
        found.surfaces.into_iter().for_each(|e| put(2, e.tag, e.physical_tags));
        found.volumes.into_iter().for_each(|e| put(3, e.tag, e.physical_tags));
    }
    Ok(all)
}

/// Returns the coordinates of the nodes in the blocks.
pub(super) fn nodes(source: &Source, blocks: &[Block]) -> Result<Vec<[f64; 3]>, Failure> {
    let mut file = File::new(source, "Nodes");
    // If the tags appear to have no gaps, the crate does not map them.
    let n = blocks.iter().map(|block| block.n).sum::<usize>().max(1);
    [blocks.len(), n, 1, 1].into_iter().for_each(|count| file.size(count));
    for block in blocks {
        // These are the dimension and the tag of the entity, and the flag for parameters.
        [0, 0, 0].into_iter().for_each(|number| file.int(number));
        file.size(block.n);
        file.copy(source, block.tags.clone());
        file.copy(source, block.coordinates.clone());
    }
    let found = file.read()?.nodes.map_or(Vec::new(), |nodes| nodes.node_blocks);
    let found = found.into_iter().flat_map(|block| block.nodes);
    let points: Vec<_> = found.map(|node| [node.x, node.y, node.z]).collect();
    // With fewer points, some vertices would silently stay at the origin.
    let asked: usize = blocks.iter().map(|block| block.n).sum();
    if points.len() != asked {
        return Err(Failure { at: 0, expected: format!("{asked} nodes") });
    }
    Ok(points)
}

/// A file prepared for the crate.
struct File {
    bytes: Vec<u8>,
    encoding: Encoding,
    section: &'static str,
    /// The number of bytes before the copied content.
    head: usize,
}

impl File {
    fn new(source: &Source, section: &'static str) -> Self {
        let encoding = source.encoding;
        let mut file = File { bytes: Vec::new(), encoding, section, head: 0 };
        match encoding {
            Encoding::Ascii => file.text("$MeshFormat\n4.1 0 8"),
            Encoding::Binary { size, .. } => {
                file.text(&format!("$MeshFormat\n4.1 1 {size}\n"));
                file.int(1);
            }
        }
        file.text(&format!("\n$EndMeshFormat\n${section}\n"));
        file.head = file.bytes.len();
        file
    }

    fn text(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
    }

    fn int(&mut self, value: i32) {
        match self.encoding {
            Encoding::Ascii => self.text(&format!("{value} ")),
            Encoding::Binary { big_endian: true, .. } => self.bytes.extend(value.to_be_bytes()),
            Encoding::Binary { .. } => self.bytes.extend(value.to_le_bytes()),
        }
    }

    fn size(&mut self, value: usize) {
        match self.encoding {
            Encoding::Ascii => self.text(&format!("{value} ")),
            Encoding::Binary { big_endian: true, size } => {
                self.bytes.extend(&value.to_be_bytes()[size_of::<usize>() - size..]);
            }
            Encoding::Binary { size, .. } => self.bytes.extend(&value.to_le_bytes()[..size]),
        }
    }

    fn copy(&mut self, source: &Source, range: Range<usize>) {
        self.bytes.extend_from_slice(&source.bytes[range]);
        if self.encoding == Encoding::Ascii {
            self.text("\n");
        }
    }

    fn read(mut self) -> Result<Sections, Failure> {
        self.text(&format!("\n$End{}\n", self.section));
        let read = || match mshio::parse_msh_bytes(&self.bytes) {
            Ok(file) => Ok(file.data),
            Err(error) => {
                let rest = error.backtrace.first().map_or(0, |(rest, _)| rest.len());
                let at = (self.bytes.len() - rest).saturating_sub(self.head);
                // The contexts run from the wrong number outward, for example "entity tag", "point
                // entity (3 of 4)".
                let places = error.backtrace.iter().filter_map(|(_, kind)| kind.context());
                let expected = places.take(2).collect::<Vec<_>>().join(" of ");
                Err(Failure { at, expected })
            }
        };
        quietly(read).unwrap_or_else(|panic| Err(Failure { at: 0, expected: panic }))
    }
}
