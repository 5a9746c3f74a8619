//! What is compiled: a kernel file with the values of its macros.
//!
//! The files are those of `kernels/`; each says in its first comment how it is compiled.

use std::borrow::Cow;

use zeroset_core::error::{Error, Result};
use zeroset_core::expression::{Generated, Predicate};

use super::header::{self, Header};

/// What is compiled at once: a source with its defines.
#[derive(Clone, Debug, PartialEq)]
pub struct Unit {
    /// Stem of the file: "eikonal".
    pub name: &'static str,
    /// CUDA C++.
    pub source: Cow<'static, str>,
    /// Macros and their values.
    pub defines: Vec<(&'static str, String)>,
    /// Headers beside those of `kernels/`, name and text: those made from expressions of a case.
    pub extra: Vec<(String, String)>,
}

impl Unit {
    /// A file of `kernels/`, by its stem, with these defines.
    ///
    /// # Errors
    /// [`Error::Device`] if there is no such file.
    pub fn new(name: &str, defines: &[(&'static str, &str)]) -> Result<Self> {
        let defines = defines.iter().map(|&(name, value)| (name, value.to_string())).collect();
        Self::with(name, defines)
    }

    /// The same with values made at run time.
    ///
    /// # Errors
    /// [`Error::Device`] if there is no such file.
    pub fn with(name: &str, defines: Vec<(&'static str, String)>) -> Result<Self> {
        let Some((file, source)) = zeroset_kernels::program(name) else {
            return Err(Error::device(format!("there is no kernel file \"{name}.cu\""), ""));
        };
        let source = Cow::Borrowed(source);
        Ok(Unit { name: stem(file), source, defines, extra: Vec::new() })
    }

    /// Whether products and sums are fused, and divisions quick: steps on meshes, and on tiles in
    /// f32, and potentials, which are bound by the number of operations. All else has the bits of
    /// the CPU.
    pub fn is_fused(&self) -> bool {
        header::is_fused(&self.source, &self.defines)
    }

    /// The defines: "REAL=double CELL_SIZE=3".
    pub fn variant(&self) -> String {
        let define = |(name, value): &(&str, String)| format!("{name}={value}");
        self.defines.iter().map(define).collect::<Vec<_>>().join(" ")
    }

    /// File and variant, for messages.
    pub fn title(&self) -> String {
        format!("{}.cu ({})", self.name, self.variant())
    }
}

/// Every file in every variant that its first comment names.
pub fn all_units() -> Vec<Unit> {
    zeroset_kernels::programs().flat_map(|(file, source)| variants(stem(file), source)).collect()
}

fn variants(name: &'static str, source: &'static str) -> Vec<Unit> {
    let header = Header::of(source);
    // An example of what a run prints from the expressions of its case.
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
        // Kernels that read expressions get an example of them.
        let is_printed = |unit: &&Unit| unit.name == "coefficients";
        assert!(all.iter().filter(is_printed).all(|unit| unit.extra.len() == 1));
    }
}
