//! The option that selects which coincident vertices are joined.

use std::fmt;

use schemars::JsonSchema;
use serde::de::{Deserializer, Error, Visitor};
use serde::{Deserialize, Serialize};

/// Which coincident vertices are joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Weld {
    /// Coincident vertices of boundary edges (boundary faces in tetrahedral meshes), and coincident
    /// vertices of cells that share no vertex with another cell. Edges that a group contains, and
    /// edges between cells of different groups or materials, are kept apart.
    #[default]
    Auto,
    /// No vertices.
    Never,
    /// All vertices that are at most this far apart, in mesh units.
    #[serde(untagged)]
    Within(#[schemars(extend("exclusiveMinimum" = 0))] f64),
}

const EXPECTED: &str = "\"auto\", \"never\" or a length > 0";

impl Weld {
    fn within(length: f64) -> Result<Self, String> {
        match length > 0.0 && length.is_finite() {
            true => Ok(Weld::Within(length)),
            false => Err(format!("must be {EXPECTED}, but is {length}")),
        }
    }
}

impl std::str::FromStr for Weld {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim() {
            "auto" => Ok(Weld::Auto),
            "never" => Ok(Weld::Never),
            number => match number.parse() {
                Ok(length) => Weld::within(length),
                Err(_) => Err(format!("expected {EXPECTED}")),
            },
        }
    }
}

impl<'de> Deserialize<'de> for Weld {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct WordOrLength;
        impl Visitor<'_> for WordOrLength {
            type Value = Weld;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str(EXPECTED)
            }
            fn visit_f64<E: Error>(self, length: f64) -> Result<Weld, E> {
                Weld::within(length).map_err(E::custom)
            }
            fn visit_i64<E: Error>(self, length: i64) -> Result<Weld, E> {
                self.visit_f64(length as f64)
            }
            fn visit_str<E: Error>(self, word: &str) -> Result<Weld, E> {
                match word {
                    "auto" => Ok(Weld::Auto),
                    "never" => Ok(Weld::Never),
                    _ => Err(E::unknown_variant(word, &["auto", "never"])),
                }
            }
        }
        deserializer.deserialize_any(WordOrLength)
    }
}
