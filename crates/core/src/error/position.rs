//! Positions in files and meshes, as messages name them.

use std::fmt;

/// A kind of element that errors refer to by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Element {
    /// A vertex of a mesh.
    Vertex,
    /// A triangle or a tetrahedron of a mesh.
    Cell,
    /// A face as stored in a file, before it is split into triangles.
    Face,
    /// A facet of an STL file.
    Facet,
    /// A triangle strip.
    Strip,
    /// A point of a point cloud.
    Point,
    /// A curve of a set of curves.
    Curve,
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Element::Vertex => "vertex",
            Element::Cell => "cell",
            Element::Face => "face",
            Element::Facet => "facet",
            Element::Strip => "strip",
            Element::Point => "point",
            Element::Curve => "curve",
        })
    }
}

/// The position of a flaw in a file or a mesh.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Position {
    /// The whole file or mesh, or no particular position.
    Whole,
    /// A line, counted from 1.
    Line(usize),
    /// A byte, counted from 0. In compressed data, it is the offset after decompression.
    Byte(u64),
    /// An element, by its kind and index.
    Element(Element, u64),
    /// An element, by its kind and index, with the line or byte where it is stored.
    ElementAt(Element, u64, Box<Position>),
    /// A named part, such as the header, a section, an array or a group.
    Part(String),
}

impl Position {
    /// Returns true for [`Position::Whole`].
    pub fn is_whole(&self) -> bool {
        *self == Position::Whole
    }

    /// Returns the position of a byte, counted from 0.
    pub fn byte(at: usize) -> Self {
        Position::Byte(at as u64)
    }

    /// Returns the position of an element.
    pub fn element(kind: Element, number: usize) -> Self {
        Position::Element(kind, number as u64)
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Position::Whole => Ok(()),
            Position::Line(line) => write!(f, "line {line}"),
            Position::Byte(byte) => write!(f, "byte {byte}"),
            Position::Element(kind, number) => write!(f, "{kind} {number}"),
            Position::ElementAt(kind, number, at) => write!(f, "{kind} {number} ({at})"),
            Position::Part(name) => f.write_str(name),
        }
    }
}

/// Converts the name of a part. An empty name means the whole.
impl From<&str> for Position {
    fn from(name: &str) -> Self {
        name.to_string().into()
    }
}

/// Converts the name of a part. An empty name means the whole.
impl From<String> for Position {
    fn from(name: String) -> Self {
        if name.is_empty() { Position::Whole } else { Position::Part(name) }
    }
}
