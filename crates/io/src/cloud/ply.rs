//! Reader of PLY point clouds. Vertices are streamed if they come first and have no lists, and if
//! there are no faces. Other files go through the mesh reader.

use super::CloudReport;
use super::from_mesh;
use super::gather::{Depth, Gather};
use super::records::{self, Column, Place, Records};
use super::stream::Stream;
use super::table::{self, Roles};
use super::wanted::{Chosen, Wanted, kind_of};
use crate::ply::{self, Element, Encoding, Header};
use crate::scalar::Scalar;
use crate::text::Lines;
use zeroset_core::cloud::PointCloud;
use zeroset_core::error::{Flaw, Result};

/// The largest number of header bytes.
const HEAD: usize = 1 << 20;

/// Reads a PLY file.
///
/// # Errors
/// Returns a [`Flaw`] that names the line or byte if the header is damaged or if there are fewer
/// points than declared.
pub(super) fn read(mut stream: Stream, wanted: &Wanted) -> Result<(PointCloud, CloudReport), Flaw> {
    let head = stream.fill(HEAD)?;
    let mut lines = Lines::of_header(head);
    let header = ply::read_header(&mut lines)?;
    let (begin, line) = (lines.consumed(), lines.number());
    match header.elements.first().filter(|_| !has_faces(&header)) {
        Some(vertex) if vertex.name == "vertex" && !vertex.has_lists() => {
            stream.take(begin);
            vertices(stream, &header, vertex, line, wanted)
        }
        _ => {
            let loaded = stream.rest()?;
            from_mesh::read(ply::read_points(&loaded.bytes)?, wanted)
        }
    }
}

/// Returns true if the first bytes of a PLY file declare faces, or if they are not a valid header.
pub(super) fn begins_with_mesh(head: &[u8]) -> bool {
    ply::read_header(&mut Lines::of_header(head)).map_or(true, |header| has_faces(&header))
}

fn has_faces(header: &Header) -> bool {
    let faces = |e: &&Element| (e.name == "face" || e.name == "tristrips") && e.count > 0;
    header.elements.iter().any(|e| faces(&e))
}

/// The indices of the vertex properties that are used, and the type of the colors.
struct Columns {
    position: [usize; 3],
    normal: Option<[usize; 3]>,
    color: Option<[usize; 3]>,
    depth: Option<Depth>,
}

impl Columns {
    fn of(vertex: &Element) -> Option<Self> {
        let three = |names: [&str; 3]| {
            let [a, b, c] = names.map(|name| vertex.find(&[name], false));
            Some([a?, b?, c?])
        };
        let color = three(["red", "green", "blue"])
            .or_else(|| three(["r", "g", "b"]))
            .or_else(|| three(["diffuse_red", "diffuse_green", "diffuse_blue"]));
        let depth = |k: usize| match vertex.properties[k].item {
            Scalar::U8 => Depth::Byte,
            Scalar::U16 => Depth::Word,
            _ => Depth::Real,
        };
        Some(Columns {
            position: three(["x", "y", "z"])?,
            normal: three(["nx", "ny", "nz"])
                .or_else(|| three(["normal_x", "normal_y", "normal_z"])),
            color,
            depth: color.map(|columns| depth(columns[0])),
        })
    }

    /// Selects the attributes to read from the other properties. Their places are the indices of
    /// the properties.
    fn choose(&self, vertex: &Element, wanted: &Wanted) -> Chosen<usize> {
        let more = self.normal.iter().chain(&self.color).flatten();
        let used: Vec<usize> = self.position.iter().chain(more).copied().collect();
        let others = vertex.properties.iter().enumerate().filter(|(k, _)| !used.contains(k));
        wanted.choose(others.map(|(k, p)| (p.name.clone(), kind_of(p.item), k)))
    }
}

fn vertices(
    mut stream: Stream,
    header: &Header,
    vertex: &Element,
    line: usize,
    wanted: &Wanted,
) -> Result<(PointCloud, CloudReport), Flaw> {
    let Some(columns) = Columns::of(vertex) else {
        let what = "element \"vertex\" does not have the properties x, y and z";
        return Err(Flaw::whole(what, "export the points again"));
    };
    let n = vertex.count;
    let chosen = columns.choose(vertex, wanted);
    let of = |room| {
        let mut all = Gather::new(columns.normal.is_some(), columns.depth, room);
        chosen.add_to(&mut all);
        all
    };
    if header.encoding == Encoding::Ascii {
        let room = stream.promised(n, 2 * vertex.properties.len() as u64, "points")?;
        let mut all = of(room);
        let roles = Roles {
            columns: vertex.properties.len(),
            position: columns.position,
            normal: columns.normal,
            color: columns.color.map(table::Paint::Three),
            attributes: chosen.places,
            counts: false,
        };
        table::read(&mut stream, &roles, Some(n), line, &mut all)?;
        return all.finish("ply", header.version.as_str());
    }
    let stride = vertex.least_size();
    let mut all = of(stream.promised(n, stride as u64, "points")?);
    let mut places = Vec::with_capacity(vertex.properties.len());
    let mut at = 0;
    for property in &vertex.properties {
        places.push(Place { at, step: stride, scalar: property.item });
        at += property.item.size();
    }
    let three = |columns: [usize; 3]| columns.map(|k| places[k]);
    let mut records = Records {
        big_endian: header.encoding == Encoding::BigEndian,
        stride,
        position: three(columns.position),
        scale: [1.0; 3],
        offset: [0.0; 3],
        normal: columns.normal.map(three),
        color: columns.color.map(|columns| records::Paint::Three(three(columns))),
        attributes: chosen.places.iter().map(|&k| Column::whole(places[k])).collect(),
        class: None,
    };
    refuse_other_order(&mut stream, header, &mut records)?;
    records.read(&mut stream, n, &mut all)?;
    let left = stream.fill(1)?.len();
    let (cloud, mut report) = all.finish("ply", header.version.as_str())?;
    if left > 0 && header.elements.iter().skip(1).all(|e| e.count == 0) {
        report.warnings.push("the bytes after the last element are ignored".to_string());
    }
    Ok((cloud, report))
}

/// Checks, using the first points, whether the numbers have the byte order that the header states.
///
/// # Errors
/// Returns a [`Flaw`] if only the other byte order gives plausible coordinates.
fn refuse_other_order(
    stream: &mut Stream,
    header: &Header,
    records: &mut Records,
) -> Result<(), Flaw> {
    const LOOK: usize = 1 << 10;
    let found = stream.fill(LOOK * records.stride)?;
    let n = (found.len() / records.stride).min(LOOK);
    let mut strange = |big_endian: bool| {
        records.big_endian = big_endian;
        let mut all = Gather::new(false, None, n);
        let bare = Records { normal: None, color: None, ..records.clone() };
        Records { attributes: Vec::new(), ..bare }.decode(found, n, &mut all);
        ply::has_strange_numbers(all.points()) || all.points().is_empty()
    };
    let stated = header.encoding == Encoding::BigEndian;
    let wrong = strange(stated) && !strange(!stated);
    records.big_endian = stated;
    match header.encoding.swapped().filter(|_| wrong) {
        Some(other) => Err(ply::other_order(header.encoding, other)),
        None => Ok(()),
    }
}
