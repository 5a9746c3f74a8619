//! Compilation units. Each consists of a kernel file and the values of its macros.
//!
//! The files are in `kernels/`. The first comment of each file states how it is compiled.

use std::borrow::Cow;

use zeroset_core::error::{Error, Result};
use zeroset_core::expression::{Generated, Predicate};

use super::header::{self, Header};

/// A compilation unit: a source with its defines.
#[derive(Clone, Debug, PartialEq)]
pub struct Unit {
    /// The path of the file in `kernels/` without its extension, such as "tiles/step".
    pub name: &'static str,
    /// The CUDA C++ source.
    pub source: Cow<'static, str>,
    /// The macros and their values.
    pub defines: Vec<(&'static str, String)>,
    /// The names and texts of additional headers, generated from the expressions of a case.
    pub extra: Vec<(String, String)>,
}

impl Unit {
    /// Creates a unit from the file `kernels/<name>.cu` with these defines.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the file does not exist.
    pub fn new(name: &str, defines: &[(&'static str, &str)]) -> Result<Self> {
        let defines = defines.iter().map(|&(name, value)| (name, value.to_string())).collect();
        Self::with(name, defines)
    }

    /// Creates a unit, as [`Unit::new`] does, from defines whose values are computed at run time.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the file does not exist.
    pub fn with(name: &str, defines: Vec<(&'static str, String)>) -> Result<Self> {
        let Some((file, source)) = zeroset_kernels::program(name) else {
            return Err(Error::device(format!("there is no kernel file \"{name}.cu\""), ""));
        };
        let source = Cow::Borrowed(source);
        Ok(Unit { name: stem(file), source, defines, extra: Vec::new() })
    }

    /// Returns true if products and sums are fused and divisions are fast. This holds for explicit
    /// steps on meshes, steps on tiles in f32, potentials, and the benchmark of atomics, which are
    /// all limited by arithmetic throughput. All other units round each product and sum separately,
    /// as the CPU does.
    pub fn is_fused(&self) -> bool {
        header::is_fused(&self.source, &self.defines)
    }

    /// Returns the defines, such as "REAL=double CELL_SIZE=3".
    pub fn variant(&self) -> String {
        let define = |(name, value): &(&str, String)| format!("{name}={value}");
        self.defines.iter().map(define).collect::<Vec<_>>().join(" ")
    }

    /// Returns the file and its variant, for messages.
    pub fn title(&self) -> String {
        format!("{}.cu ({})", self.name, self.variant())
    }
}

/// Returns every kernel file in every variant that its first comment lists.
pub fn all_units() -> Vec<Unit> {
    zeroset_kernels::programs().flat_map(|(file, source)| variants(stem(file), source)).collect()
}

fn variants(name: &'static str, source: &'static str) -> Vec<Unit> {
    let header = Header::of(source);
    // An example of the header that a run generates from the expressions of its case.
    let example = |name: &str| match name {
        "predicate" => (Predicate::NAME.to_string(), Predicate::example().text().to_string()),
        _ => (Generated::NAME.to_string(), Generated::example().text().to_string()),
    };
    let extra: Vec<_> = header.generated.map(example).into_iter().collect();
    let unit = |defines: header::Defines| Unit {
        name,
        source: Cow::Borrowed(source),
        defines: defines.into_iter().map(|(name, value)| (name, value.to_string())).collect(),
        extra: extra.clone(),
    };
    header.variants().into_iter().map(unit).collect()
}

fn stem(file: &'static str) -> &'static str {
    file.strip_suffix(".cu").unwrap_or(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_found_among_all_variants() {
        let unit = Unit::new("self_test", &[("REAL", "double")]).unwrap();
        let all = all_units();
        assert!(all.contains(&unit));
        assert!(Unit::new("no_such", &[]).is_err());
        // Kernels that evaluate expressions have an example of the generated header.
        let is_printed = |unit: &&Unit| unit.name == "coefficients";
        assert!(all.iter().filter(is_printed).all(|unit| unit.extra.len() == 1));
    }
}
