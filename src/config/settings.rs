//! Flattens a case into a list of keys and values, for comparison with another case.

use std::collections::BTreeMap;

use toml::Value;

use super::Config;
use crate::error::{Error, Result};

impl Config {
    /// Returns every key that has a value, including defaults, by its dotted path.
    ///
    /// Values are TOML. Entries of lists of tables or lists are numbered from 0, as in
    /// `domain.mesh.data.0.path`.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if an integer is too large for TOML.
    pub(crate) fn settings(&self) -> Result<BTreeMap<String, String>> {
        let value = Value::try_from(self.with_defaults())
            .map_err(|e| Error::usage(format!("the case cannot be written as TOML: {e}"), ""))?;
        let mut settings = BTreeMap::new();
        flatten("", &value, &mut settings);
        Ok(settings)
    }
}

fn flatten(path: &str, value: &Value, settings: &mut BTreeMap<String, String>) {
    let below = |key: &str| match path {
        "" => key.to_string(),
        _ => format!("{path}.{key}"),
    };
    match value {
        Value::Table(table) => {
            for (key, value) in table {
                flatten(&below(key), value, settings);
            }
        }
        Value::Array(array) if array.iter().any(|value| value.is_table() || value.is_array()) => {
            for (k, value) in array.iter().enumerate() {
                flatten(&below(&k.to_string()), value, settings);
            }
        }
        _ => {
            settings.insert(path.to_string(), value.to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_its_value_with_all_digits() {
        let text = "version = 1\n[domain.mesh]\npath = \"m.vtu\"\ndata = [{ path = \"a\" }]\n\
            [initial]\nunion = [{ ball = { center = [0, 0.1, 0], radius = 1e-300 } }, \
            { box = { min = [0, 0, -inf], max = [1, 1, inf] } }]\n\
            [evolve]\nmax_steps = 7\ncurvature = { data = \"c\" }\n[output]\ncheckpoint = \"never\"";
        let settings = |set: &[String]| {
            Config::parse(text, "case.toml".as_ref(), set).unwrap().settings().unwrap()
        };
        let found = settings(&[]);
        for (key, value) in [
            ("precision", "\"f64\""),
            ("device.use", "\"auto\""),
            ("domain.mesh.path", "\"m.vtu\""),
            ("domain.mesh.data.0.path", "\"a\""),
            ("initial.union.0.ball.center", "[0.0, 0.1, 0.0]"),
            ("initial.union.1.box.min", "[0.0, 0.0, -inf]"),
            ("evolve.max_steps", "7"),
            ("evolve.curvature.data", "\"c\""),
            ("reinitialize.half_width", "5.0"),
            ("output.checkpoint", "\"never\""),
        ] {
            assert_eq!(found.get(key).map(String::as_str), Some(value), "{key}: {found:#?}");
        }
        let tiny = &found["initial.union.0.ball.radius"];
        assert_eq!(tiny.parse::<f64>().unwrap(), 1e-300);
        // The two values are adjacent floating-point numbers.
        assert_ne!(
            settings(&["evolve.cfl=0.3".into()]),
            settings(&["evolve.cfl=0.30000000000000004".into()])
        );
        let minutes = settings(&["output.checkpoint={ minutes = 3 }".into()]);
        assert_eq!(minutes["output.checkpoint.minutes"], "3.0");
    }
}
