//! How a struct lies in memory.

use super::CType;

/// A field of a struct.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Attributes as they are written, documentation among them.
    pub attributes: &'static [&'static str],
    /// Type in C of an element.
    pub base: String,
    /// Lengths of arrays, the outermost first.
    pub lengths: Vec<usize>,
    /// Where it begins.
    pub offset: usize,
}

impl Field {
    /// A field of type `T`.
    pub fn new<T: CType>(
        name: &'static str,
        attributes: &'static [&'static str],
        offset: usize,
    ) -> Self {
        let (base, lengths) = T::in_c();
        Field { name, attributes, base, lengths, offset }
    }

    /// The same with elements of this type in C.
    pub fn of(self, base: &str) -> Self {
        Field { base: base.into(), ..self }
    }

    /// The same where each innermost array is one struct of this type in C.
    pub fn joined(mut self, base: &str) -> Self {
        self.lengths.pop();
        self.of(base)
    }
}

/// A struct.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Its name in C.
    pub name: &'static str,
    /// Attributes as they are written, documentation among them.
    pub attributes: &'static [&'static str],
    /// Its bytes.
    pub size: usize,
    /// Its fields in their order.
    pub fields: Vec<Field>,
}

/// The lines of documentation among attributes as they are written. Links lose their brackets.
pub(super) fn documentation(attributes: &[&str]) -> Vec<String> {
    attributes.iter().filter_map(|attribute| line_of(attribute)).collect()
}

/// The line of `doc = " A line"` or `doc = r" A line"`.
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
