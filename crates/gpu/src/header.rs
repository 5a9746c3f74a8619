//! Parsing of the first comment of a kernel file, which states how the file is compiled.
//!
//! ```text
//! // variants: REAL=double | REAL=float
//! // variants: TILE_EDGE=4
//! //     | TILE_EDGE=4, STORAGE=16
//! // generated: coefficients
//! // fused: REAL=float
//! ```
//!
//! Each `variants:` line is a choice between sets of defines, separated by `|`. `zeroset devices
//! --compile` compiles every combination of choices. `generated:` names the header that is
//! generated at run time from the expressions of the case. `fused:` states when products and sums
//! are fused and fast division is used: `always`, or only if a define has the given value. To add a
//! kernel, it is enough to write its file. There is no list of kernel files.

/// A set of defines, as name-value pairs.
pub(crate) type Defines = Vec<(&'static str, &'static str)>;

/// The contents of the first comment of a file.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Header {
    /// The choices between sets of defines.
    pub choices: Vec<Vec<Defines>>,
    /// The header generated at run time: "coefficients" or "predicate".
    pub generated: Option<&'static str>,
}

impl Header {
    /// Parses the first comment of a file.
    pub fn of(source: &'static str) -> Self {
        let mut header = Header::default();
        for line in comment(source) {
            if let Some(sets) = line.strip_prefix("variants:") {
                header.choices.push(sets.split('|').map(defines).collect());
            } else if let Some(sets) = line.strip_prefix('|') {
                // This line continues the choice of the previous lines.
                if let Some(choice) = header.choices.last_mut() {
                    choice.extend(sets.split('|').map(defines));
                }
            } else if let Some(name) = line.strip_prefix("generated:") {
                header.generated = Some(name.trim());
            }
        }
        header
    }

    /// Returns every combination of the choices.
    pub fn variants(&self) -> Vec<Defines> {
        let mut all = vec![Defines::new()];
        for choice in &self.choices {
            let with = |done: &Defines, set: &Defines| [&done[..], set].concat();
            all = all.iter().flat_map(|d| choice.iter().map(move |set| with(d, set))).collect();
        }
        all
    }
}

/// Returns true if a file with these defines is compiled with fused products and sums.
pub(crate) fn is_fused(source: &str, defines: &[(&'static str, String)]) -> bool {
    comment(source).filter_map(|line| line.strip_prefix("fused:")).any(|when| {
        let is_set = |(name, value): &(&str, String)| format!("{name}={value}") == when.trim();
        when.trim() == "always" || defines.iter().any(is_set)
    })
}

/// Returns the lines of the first comment, without slashes and surrounding spaces.
fn comment(source: &str) -> impl Iterator<Item = &str> {
    source.lines().map_while(|line| line.strip_prefix("//")).map(str::trim)
}

/// Parses "REAL=float, TILE_EDGE=4" into names and values.
fn defines(set: &'static str) -> Defines {
    let pair = |define: &'static str| define.split_once('=').unwrap_or((define, "1"));
    set.split(',').map(|define| pair(define.trim())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "// Steps.\n//\n// variants: REAL=double | REAL=float\n\
        // variants: STORED=unsigned char, IS_WHOLE=1\n//     | STORED=float, IS_WHOLE=0\n\
        // generated: coefficients\n// fused: REAL=float\n#include \"a.cuh\"\n// variants: A=1\n";

    #[test]
    fn variants_are_all_combinations() {
        let header = Header::of(SOURCE);
        assert_eq!(header.generated, Some("coefficients"));
        let expected = [
            [("REAL", "double"), ("STORED", "unsigned char"), ("IS_WHOLE", "1")],
            [("REAL", "double"), ("STORED", "float"), ("IS_WHOLE", "0")],
            [("REAL", "float"), ("STORED", "unsigned char"), ("IS_WHOLE", "1")],
            [("REAL", "float"), ("STORED", "float"), ("IS_WHOLE", "0")],
        ];
        assert_eq!(header.variants(), expected);
        assert_eq!(Header::of("int x;\n").variants(), [Defines::new()]);
    }

    #[test]
    fn fusing_goes_by_the_defines() {
        let real = |name: &str| [("REAL", name.to_string())];
        assert!(is_fused(SOURCE, &real("float")) && !is_fused(SOURCE, &real("double")));
        assert!(is_fused("// fused: always\n", &[]) && !is_fused("// Sums.\n", &[]));
    }
}
