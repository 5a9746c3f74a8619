//! The JSON schema of the case format.

use serde_json::Value;

/// Returns the JSON schema (draft 2020-12) of a case file, for editors and other programs.
///
/// It contains names, types, defaults, allowed words and most ranges. Only `zeroset check` detects
/// conflicting keys.
///
/// # Panics
/// Panics if the included file is not JSON, which a test excludes.
pub fn schema() -> Value {
    serde_json::from_str(include_str!("schema.json")).expect("a test compares the schema")
}

/// Follows the references of a schema.
pub(super) fn resolve<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let target = schema.get("$ref").and_then(Value::as_str);
    match target.and_then(|target| root.pointer(target.strip_prefix('#')?)) {
        Some(found) => resolve(root, found),
        None => schema,
    }
}

/// Returns the alternatives of a schema.
pub(super) fn choices(schema: &Value) -> &[Value] {
    let all = schema.get("oneOf").or(schema.get("anyOf")).and_then(Value::as_array);
    all.map(Vec::as_slice).unwrap_or_default()
}

/// Formats a value as TOML on one line.
pub(super) fn inline(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", "))
        }
        Value::Object(map) => {
            let entry = |(key, value)| format!("{key} = {}", inline(value));
            format!("{{ {} }}", map.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    //! `schema.json` is generated from the structs that read a case. The generator and the
    //! serialization of all structs would take 0.6 MB of the program, which needs only the text.

    use std::path::Path;

    use schemars::generate::SchemaSettings;
    use serde_json::{Map, Value};

    use super::super::Config;

    fn generated() -> Value {
        let generator = SchemaSettings::draft2020_12().into_generator();
        let mut schema = generator.into_root_schema_for::<Config>().to_value();
        if let Value::Object(root) = &mut schema {
            root.insert("title".into(), "zeroset case".into());
        }
        without_null(&mut schema);
        schema
    }

    /// Removes null from a schema. TOML has no null: a key without a value is absent.
    fn without_null(value: &mut Value) {
        match value {
            Value::Object(map) => {
                drop_null(map);
                map.values_mut().for_each(without_null);
            }
            Value::Array(values) => values.iter_mut().for_each(without_null),
            _ => {}
        }
    }

    fn drop_null(map: &mut Map<String, Value>) {
        if map.get("default").is_some_and(Value::is_null) {
            map.remove("default");
        }
        if let Some(Value::Object(default)) = map.get_mut("default") {
            default.retain(|_, value| !value.is_null());
        }
        if let Some(Value::Array(types)) = map.get_mut("type") {
            types.retain(|name| name != "null");
            if let [only] = &types[..] {
                let only = only.clone();
                map.insert("type".into(), only);
            }
        }
        let Some(Value::Array(any)) = map.get_mut("anyOf") else { return };
        any.retain(|schema| schema.get("type").is_none_or(|name| name != "null"));
        if let [Value::Object(only)] = &any[..] {
            // Entries next to `anyOf`, such as the description of the key, take precedence.
            let only = only.clone();
            map.remove("anyOf");
            for (key, value) in only {
                map.entry(key).or_insert(value);
            }
        }
    }

    #[test]
    fn the_schema_is_that_of_the_structs() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/config/schema.json");
        let text = format!("{:#}\n", generated());
        if std::env::var_os("ZEROSET_BLESS").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let written = std::fs::read_to_string(&path).unwrap();
        assert!(
            written == text,
            "ZEROSET_BLESS=1 cargo test --lib the_schema rewrites src/config/schema.json"
        );
    }
}
