//! Places in files and meshes, as messages name them.

use std::fmt;

/// What a mesh, a cloud or a picture consists of, as far as errors name single ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Element {
    /// A vertex of a mesh.
    Vertex,
    /// A triangle or a tetrahedron of a mesh.
    Cell,
    /// A face as a file stores it, before it is cut into triangles.
    Face,
    /// A facet of an STL file.
    Facet,
    /// A strip of triangles.
    Strip,
    /// A point of a cloud.
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

/// Where in a file or a mesh something is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Position {
    /// The whole of it, or no place in particular.
    Whole,
    /// A line, counted from 1.
    Line(usize),
    /// A byte, counted from 0; of a compressed text or mesh, of what it unpacks to.
    Byte(u64),
    /// An element by its number.
    Element(Element, u64),
    /// An element by its number, and the line or byte that stores it.
    ElementAt(Element, u64, Box<Position>),
    /// A part that has a name: the header, a section, an array, a group.
    Part(String),
}

impl Position {
    /// True for [`Position::Whole`].
    pub fn is_whole(&self) -> bool {
        *self == Position::Whole
    }

    /// The byte, counted from 0.
    pub fn byte(at: usize) -> Self {
        Position::Byte(at as u64)
    }

    /// The element of this kind and number.
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

/// A part by its name; without a name the whole.
impl From<&str> for Position {
    fn from(name: &str) -> Self {
        name.to_string().into()
    }
}

/// A part by its name; without a name the whole.
impl From<String> for Position {
    fn from(name: String) -> Self {
        if name.is_empty() { Position::Whole } else { Position::Part(name) }
    }
}
