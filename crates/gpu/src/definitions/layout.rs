//! The memory layout of a struct.

use super::CType;

/// A field of a struct.
#[derive(Clone, Debug)]
pub struct Field {
    /// The name, which is the same in Rust and in C.
    pub name: &'static str,
    /// The attributes as written in Rust, including documentation.
    pub attributes: &'static [&'static str],
    /// The element type in C.
    pub base: String,
    /// The lengths of the enclosing arrays, outermost first. Empty for a single element.
    pub lengths: Vec<usize>,
    /// The offset from the start of the struct in bytes.
    pub offset: usize,
}

impl Field {
    /// Creates a field of type `T`.
    pub fn new<T: CType>(
        name: &'static str,
        attributes: &'static [&'static str],
        offset: usize,
    ) -> Self {
        let (base, lengths) = T::in_c();
        Field { name, attributes, base, lengths, offset }
    }

    /// Replaces the element type in C.
    pub fn of(self, base: &str) -> Self {
        Field { base: base.into(), ..self }
    }

    /// Replaces each innermost array by one struct of this type in C.
    pub fn joined(mut self, base: &str) -> Self {
        self.lengths.pop();
        self.of(base)
    }
}

/// The layout of a struct.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The name in C.
    pub name: &'static str,
    /// The attributes as written in Rust, including documentation.
    pub attributes: &'static [&'static str],
    /// The size in bytes.
    pub size: usize,
    /// The fields in the order of their declaration.
    pub fields: Vec<Field>,
}

/// Extracts the documentation lines from attributes as written in Rust. Links lose their brackets.
pub(super) fn documentation(attributes: &[&str]) -> Vec<String> {
    attributes.iter().filter_map(|attribute| line_of(attribute)).collect()
}

/// Extracts the line of `doc = " A line"` or `doc = r" A line"`.
fn line_of(attribute: &str) -> Option<String> {
    let text = attribute.strip_prefix("doc")?.trim_start().strip_prefix('=')?;
    let (begin, end) = (text.find('"')?, text.rfind('"')?);
    let is_raw = text[..begin].contains('r');
    let line = text.get(begin + 1..end)?.trim();
    let line = if is_raw { line.into() } else { line.replace("\\\"", "\"").replace("\\\\", "\\") };
    Some(line.replace("[`", "`").replace("`]", "`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documentation_is_read_from_attributes() {
        let attributes = [
            "derive(Clone)",
            stringify!(doc = " One [`Line`]."),
            "doc = r\" A \"quoted\" word.\"",
            "doc = \" A \\\"quoted\\\" word.\"",
        ];
        let quoted = "A \"quoted\" word.";
        assert_eq!(documentation(&attributes), ["One `Line`.", quoted, quoted]);
    }
}
