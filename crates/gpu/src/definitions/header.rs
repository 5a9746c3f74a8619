//! Generation of a CUDA header, and its comparison with the committed file.

use std::fmt::Write;
use std::path::Path;

use super::layout::{Field, Layout, documentation};
use super::{Code, Constant, Described};

/// A kernel header under construction.
pub struct Header {
    name: &'static str,
    text: String,
}

impl Header {
    /// Starts the header `kernels/generated/<name>.cuh` for the definitions of a source file, with
    /// the given includes.
    pub fn new(name: &'static str, source: &str, includes: &[&str]) -> Self {
        // Kernel tests include source files by their path from tests/kernels.
        let source = source.rsplit("../").next().unwrap_or(source);
        let mut text = format!(
            "// Generated from {source}.\n\
             // To update this header, edit that file and run its test\n\
             // `cuda_header::is_current` with ZEROSET_BLESS=1.\n\
             #pragma once\n#include \"common/types.cuh\"\n"
        );
        for include in includes {
            text += &format!("#include \"{include}\"\n");
        }
        Header { name, text }
    }

    /// Adds a struct. `double` and `single` are its layouts in double and single precision. They
    /// differ if its size depends on the precision.
    pub fn layout(&mut self, double: &Layout, single: &Layout) {
        let name = double.name;
        self.comment("", double.attributes);
        self.line(&format!("struct {name} {{"));
        for (field, other) in double.fields.iter().zip(&single.fields) {
            self.comment("    ", field.attributes);
            let declared = declaration(field, other);
            self.line(&format!("    {declared};"));
        }
        self.line("};");
        let size = either(double.size, single.size);
        self.line(&format!("static_assert(sizeof({name}) == {size}, \"size of {name}\");"));
        for (field, other) in double.fields.iter().zip(&single.fields) {
            let (at, field) = (either(field.offset, other.offset), field.name);
            self.line(&format!("ASSERT_OFFSET({name}, {field}, {at});"));
        }
    }

    /// Adds a struct whose size does not depend on the precision.
    pub fn plain<T: Described>(&mut self) {
        self.layout(&T::layout(), &T::layout());
    }

    /// Adds an enum. Names and attributes are in the order of its values.
    pub fn codes<T: Code>(
        &mut self,
        name: &str,
        prefix: &str,
        attributes: &[&str],
        values: &[(&str, &[&str])],
    ) {
        self.comment("", attributes);
        self.line(&format!("enum {name} {{"));
        for (value, (variant, attributes)) in T::ALL.iter().zip(values) {
            self.comment("    ", attributes);
            let line = format!("    {prefix}{} = {},", screaming(variant), value.code());
            self.line(&line);
        }
        self.line("};");
    }

    /// Adds an enum as the values of the define `name`, which the preprocessor can compare.
    pub fn defines<T: Code>(
        &mut self,
        name: &str,
        attributes: &[&str],
        values: &[(&str, &[&str])],
    ) {
        self.comment("", attributes);
        for (value, (variant, attributes)) in T::ALL.iter().zip(values) {
            for line in documentation(attributes) {
                self.line(&format!("// {line}"));
            }
            let line = format!("#define {name}_{} {}", screaming(variant), value.code());
            self.line(&line);
        }
    }

    /// Adds a constant as an enumerator, or as a macro if it is a floating-point number.
    pub fn constant(&mut self, name: &str, attributes: &[&str], value: impl Constant) {
        self.comment("", attributes);
        self.line(&value.definition(name));
    }

    /// Adds a constant as a macro, which the preprocessor can test.
    pub fn define(&mut self, name: &str, attributes: &[&str], value: impl Constant) {
        self.comment("", attributes);
        self.line(&format!("#define {name} {}", value.literal()));
    }

    /// Compares the text with the committed header, or writes it if `ZEROSET_BLESS` is set.
    ///
    /// # Panics
    /// Panics if the committed header differs, or if the header cannot be written.
    pub fn check(&self) {
        let folder = Path::new(zeroset_kernels::FOLDER).join("generated");
        let path = folder.join(format!("{}.cuh", self.name));
        if std::env::var_os("ZEROSET_BLESS").is_some() {
            let parent = path.parent().expect("the header is in a folder");
            std::fs::create_dir_all(parent).expect("the folder of the header must be writable");
            std::fs::write(&path, &self.text).expect("the header must be writable");
            return;
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            committed == self.text,
            "{} differs from its definitions: run this test with ZEROSET_BLESS=1",
            path.display()
        );
    }

    fn line(&mut self, line: &str) {
        writeln!(self.text, "{line}").expect("writing to a string cannot fail");
    }

    fn comment(&mut self, indent: &str, attributes: &[&str]) {
        if indent.is_empty() {
            self.line("");
        }
        for line in documentation(attributes) {
            self.line(format!("{indent}// {line}").trim_end());
        }
    }
}

/// Returns the declaration of a field in C. If the element types in the two precisions differ, the
/// type is `real`.
fn declaration(field: &Field, other: &Field) -> String {
    let base = if field.base == other.base { field.base.as_str() } else { "real" };
    let space = if base.ends_with('*') { "" } else { " " };
    let lengths: String = field.lengths.iter().map(|n| format!("[{n}]")).collect();
    format!("{base}{space}{}{lengths}", field.name)
}

/// Returns the C expression of a number of bytes that may depend on the precision.
fn either(double: usize, single: usize) -> String {
    if double == single {
        return double.to_string();
    }
    format!("(sizeof(real) == 8 ? {double} : {single})")
}

/// Converts a name such as "AtRest" to upper snake case (`AT_REST`).
fn screaming(name: &str) -> String {
    let mut text = String::new();
    for (k, letter) in name.chars().enumerate() {
        if k > 0 && letter.is_ascii_uppercase() {
            text.push('_');
        }
        text.push(letter.to_ascii_uppercase());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::cuda_items! {
        /// An example of an enum.
        #[derive(Clone, Copy, Debug, PartialEq)]
        enum Told {
            Nothing = 0,
            /// A few of them.
            AFew = 7,
        }

        /// A table.
        #[derive(Clone, Copy)]
        struct TableArgument<R> as Table {
            /// `[n]`
            values: [u64; 2] as "const real *",
            largest: R,
            places: [[u32; 3]; 4] = "Place",
            n: u32,
        }
    }

    #[test]
    fn headers_say_what_the_definitions_say() {
        let mut header = Header::new("test", "tests/kernels/../../src/table.rs", &["place.cuh"]);
        header.codes::<Told>("Told", "", &[], &[("Nothing", &[]), ("AFew", &["doc = \" A\""])]);
        header
            .layout(&TableArgument::<f64>::layout(), &<TableArgument<f32> as Described>::layout());
        header.constant("MOST", &[], 3_u32);
        header.define("SHARE", &[], 0.5);
        let expected = "// Generated from src/table.rs.\n\
            // To update this header, edit that file and run its test\n\
            // `cuda_header::is_current` with ZEROSET_BLESS=1.\n#pragma once\n\
            #include \"common/types.cuh\"\n#include \"place.cuh\"\n\n\
            enum Told {\n    NOTHING = 0,\n    // A\n    A_FEW = 7,\n};\n\n\
            // A table.\nstruct Table {\n    // `[n]`\n    const real *values[2];\n    \
            real largest;\n    Place places[4];\n    u32 n;\n};\n\
            static_assert(sizeof(Table) == (sizeof(real) == 8 ? 80 : 72), \"size of Table\");\n\
            ASSERT_OFFSET(Table, values, 0);\nASSERT_OFFSET(Table, largest, 16);\n\
            ASSERT_OFFSET(Table, places, (sizeof(real) == 8 ? 24 : 20));\n\
            ASSERT_OFFSET(Table, n, (sizeof(real) == 8 ? 72 : 68));\n\n\
            enum : u32 { MOST = 3u };\n\n#define SHARE 0.5\n";
        assert_eq!(header.text, expected);
        assert_eq!(Told::of_code(7), Some(Told::AFew));
        assert_eq!(Told::of_code(1), None);
    }
}
