//! Prints a case with every key from the schema, so that it always matches the program.
//!
//! Active keys have their defaults, or an example value if the case needs a key that has no
//! default. All other keys and tables, and other ways to write a value, are lines that begin with
//! `#` without a space.

use std::fmt::Write as _;

use serde_json::Value;

use super::schema::{choices, inline, resolve, schema};

/// Tables without a default that the case still needs.
const NEEDED: [&str; 5] = ["domain", "domain.mesh", "domain.mesh.generate", "initial", "evolve"];
/// Keys without a default that the case needs, with their values.
const GIVEN: [(&str, &str); 5] = [
    ("version", "1"),
    ("initial.ball.center", "[0.5, 0.5, 0.0]"),
    ("initial.ball.radius", "0.3"),
    ("evolve.end_time", "0.01"),
    ("evolve.curvature", "1.0"),
];
/// Maximum nesting depth of examples. Shapes can contain shapes.
const DEEPEST: usize = 3;
/// Maximum length of a comment line.
const WIDTH: usize = 100;

/// Returns a complete case that can be run, with every key, its default, its allowed values and its
/// meaning.
pub fn defaults() -> String {
    with_keys_left_out().0
}

/// Returns [`defaults`] and the keys that are commented out in it, with their values.
fn with_keys_left_out() -> (String, Vec<(String, String)>) {
    let schema = schema();
    let mut page = Page { root: &schema, text: String::new(), lines: Vec::new() };
    page.prose(
        "A zeroset case with every key. Active keys have their defaults, or an example value if \
         there is no default. A line that begins with # without a space is an alternative or \
         additional key or table. Lengths are in mesh units.",
    );
    page.text += "\n";
    page.table("", &schema, true);
    (page.text, page.lines)
}

struct Page<'a> {
    root: &'a Value,
    text: String,
    /// Keys that are commented out: path and value.
    lines: Vec<(String, String)>,
}

impl<'a> Page<'a> {
    fn resolve(&self, schema: &'a Value) -> &'a Value {
        resolve(self.root, schema)
    }

    fn prose(&mut self, text: &str) {
        let mut line = String::from("#");
        for word in text.split_whitespace() {
            if line.len() + 1 + word.len() > WIDTH {
                let _ = writeln!(self.text, "{line}");
                line = String::from("#");
            }
            line.push(' ');
            line += word;
        }
        if line.len() > 1 {
            let _ = writeln!(self.text, "{line}");
        }
    }

    /// Adds the line `key = value` to the current table, where the key is the last part of `path`.
    /// The line is commented out unless `active`.
    fn line(&mut self, path: &str, value: &str, active: bool) {
        let key = path.rsplit('.').next().unwrap_or(path);
        let mark = if active { "" } else { "#" };
        let _ = writeln!(self.text, "{mark}{key} = {value}");
        if !active {
            self.lines.push((path.to_string(), value.to_string()));
        }
    }

    /// Adds a table: first its keys, then its subtables.
    fn table(&mut self, path: &str, schema: &'a Value, active: bool) {
        let properties = schema.get("properties").and_then(Value::as_object);
        let (tables, keys): (Vec<_>, Vec<_>) =
            properties.into_iter().flatten().partition(|(_, value)| self.is_table(value));
        if !path.is_empty() && !keys.is_empty() {
            self.header(path, active);
        }
        let below = |key: &str| {
            if path.is_empty() { key.to_string() } else { format!("{path}.{key}") }
        };
        for (key, value) in keys {
            self.key(&below(key), value, active);
        }
        for (key, value) in tables {
            let path = below(key);
            let active = active && (value.get("default").is_some() || NEEDED.contains(&&path[..]));
            self.text += "\n";
            self.prose(self.description(value));
            self.table_or_choice(&path, self.resolve(value), active);
        }
    }

    fn header(&mut self, path: &str, active: bool) {
        let mark = if active { "" } else { "#" };
        let _ = writeln!(self.text, "{mark}[{path}]");
    }

    fn table_or_choice(&mut self, path: &str, schema: &'a Value, active: bool) {
        if schema.get("properties").is_some() {
            return self.table(path, schema, active);
        }
        // At most one of the entries may be active: the first one that is a table.
        let mut first = active;
        let entries = self.entries(schema);
        let (tables, others): (Vec<_>, Vec<_>) =
            entries.into_iter().partition(|(_, value, _)| self.is_table(value));
        for (name, value, description) in tables {
            let path = format!("{path}.{name}");
            self.text += "\n";
            self.prose(description);
            self.table_or_choice(&path, self.resolve(value), first);
            first = false;
        }
        if !others.is_empty() {
            self.text += "\n";
            self.header(path, false);
        }
        for (name, value, description) in others {
            self.prose(description);
            self.line(&format!("{path}.{name}"), &self.example(value, 0), false);
        }
    }

    /// Returns the name, the schema and the comment of each entry of a table that takes one of
    /// several entries.
    fn entries(&self, schema: &'a Value) -> Vec<(&'a str, &'a Value, &'a str)> {
        let mut found = Vec::new();
        for choice in choices(schema) {
            let choice = self.resolve(choice);
            if choices(choice).is_empty() {
                let properties = choice.get("properties").and_then(Value::as_object);
                for (name, value) in properties.into_iter().flatten() {
                    let own = self.description(value);
                    let comment = choice.get("description").and_then(Value::as_str).unwrap_or(own);
                    found.push((name.as_str(), value, comment));
                }
            } else {
                found.extend(self.entries(choice));
            }
        }
        found
    }

    /// Returns true if a value is always a table.
    fn is_table(&self, schema: &'a Value) -> bool {
        let schema = self.resolve(schema);
        let choices = choices(schema);
        if choices.is_empty() {
            return schema.get("properties").is_some();
        }
        choices.iter().all(|choice| self.is_table(choice))
    }

    fn description(&self, schema: &'a Value) -> &'a str {
        let own = schema.get("description").or(self.resolve(schema).get("description"));
        own.and_then(Value::as_str).unwrap_or_default()
    }

    /// Adds a key that is not a table: its comment, allowed values, default, and other ways to
    /// write it.
    fn key(&mut self, path: &str, schema: &'a Value, active: bool) {
        self.prose(self.description(schema));
        self.prose(&self.allowed(schema));
        let given = GIVEN.iter().find(|(key, _)| *key == path).map(|(_, value)| value.to_string());
        let default = schema.get("default").map(inline);
        let standing = given.or(default);
        if let Some(value) = &standing {
            self.line(path, value, active);
        }
        for form in self.forms(schema) {
            let value = self.example(form, 0);
            // If the value is a number, a second number does not show another way to write it. The
            // same applies to lists.
            let plain = |text: &str| !text.starts_with(['"', '{']) && text != "[]";
            let list = |text: &str| text.starts_with('[');
            let another = standing.as_ref().is_none_or(|standing| {
                let alike = plain(standing) && plain(&value) && list(standing) == list(&value);
                !alike && *standing != value
            });
            if another {
                self.line(path, &value, false);
            }
        }
    }

    /// Returns the schemas of all ways to write a value.
    fn forms(&self, schema: &'a Value) -> Vec<&'a Value> {
        let resolved = self.resolve(schema);
        match choices(resolved) {
            [] => vec![if resolved.get("type").is_some() { resolved } else { schema }],
            choices => choices.iter().flat_map(|choice| self.forms(choice)).collect(),
        }
    }

    /// Returns the allowed words with their meanings, and the range.
    fn allowed(&self, schema: &'a Value) -> String {
        let mut parts = Vec::new();
        let items = self.resolve(schema).get("items");
        for form in self.forms(items.unwrap_or(schema)) {
            let description = form.get("description").and_then(Value::as_str).unwrap_or_default();
            let word = form.get("const").map(inline);
            match word {
                Some(word) if description.is_empty() => parts.push(word),
                Some(word) => parts.push(format!("{word}: {}", description.trim_end_matches('.'))),
                None => {}
            }
            for word in form.get("enum").and_then(Value::as_array).into_iter().flatten() {
                parts.push(inline(word));
            }
        }
        let range = |names: [&str; 2], word: &str| {
            let own = names.iter().find_map(|name| schema.get(*name).map(|x| (name, x)));
            own.map(|(name, x)| {
                let open = if name.starts_with("exclusive") { " (excluded)" } else { "" };
                format!("{word} {}{open}", inline(x))
            })
        };
        let low = range(["minimum", "exclusiveMinimum"], "at least");
        // A lower bound of 0 for a count is obvious.
        let low = low.filter(|low| low != "at least 0");
        let high = range(["maximum", "exclusiveMaximum"], "at most");
        parts.extend([low, high].into_iter().flatten().collect::<Vec<_>>());
        if parts.is_empty() { String::new() } else { format!("Allowed: {}.", parts.join("; ")) }
    }

    /// Returns a value that a schema allows, as TOML on one line.
    fn example(&self, schema: &'a Value, depth: usize) -> String {
        let first = schema.get("examples").and_then(Value::as_array).and_then(|all| all.first());
        // An empty list does not show what its entries look like.
        let default = schema.get("default").filter(|default| **default != Value::Array(vec![]));
        let first = first.or(schema.get("const")).or(default);
        if let Some(value) = first {
            return inline(value);
        }
        if let Some(word) = schema.get("enum").and_then(|words| words.get(0)) {
            return inline(word);
        }
        if schema.get("$ref").is_some() {
            return self.example(self.resolve(schema), depth);
        }
        if let Some(choice) = choices(schema).first() {
            return self.example(choice, depth);
        }
        match schema.get("type").and_then(Value::as_str) {
            Some("integer") => {
                schema.get("minimum").filter(|x| **x != 0).map_or("1".into(), inline)
            }
            Some("number") => "1.0".into(),
            Some("boolean") => "true".into(),
            Some("array") => self.list(schema, depth),
            Some("object") => {
                let properties = schema.get("properties").and_then(Value::as_object);
                let entry = |(key, value)| format!("{key} = {}", self.example(value, depth + 1));
                let entries: Vec<String> = properties.into_iter().flatten().map(entry).collect();
                format!("{{ {} }}", entries.join(", "))
            }
            _ => "\"name\"".into(),
        }
    }

    fn list(&self, schema: &'a Value, depth: usize) -> String {
        let fixed = schema.get("prefixItems").and_then(Value::as_array);
        let items: Vec<String> = match (fixed, schema.get("items")) {
            (Some(items), _) => items.iter().map(|item| self.example(item, depth + 1)).collect(),
            (None, Some(item)) => match schema.get("minItems").and_then(Value::as_u64) {
                Some(n) => vec![self.example(item, depth + 1); n as usize],
                None if depth < DEEPEST => vec![self.example(item, depth + 1)],
                None => Vec::new(),
            },
            _ => Vec::new(),
        };
        format!("[{}]", items.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;
    use crate::config::Config;

    /// Collects the names of all keys in a schema, without the keys of shapes inside shapes.
    fn keys(root: &Value, schema: &Value, path: &str, found: &mut Vec<String>) {
        if path.split('.').count() > 8 {
            return;
        }
        let target = schema.get("$ref").and_then(Value::as_str);
        if let Some(target) = target.and_then(|target| root.pointer(target.strip_prefix('#')?)) {
            keys(root, target, path, found);
        }
        for (key, value) in
            schema.get("properties").and_then(Value::as_object).into_iter().flatten()
        {
            let nested = ["union", "intersection", "difference"].contains(&key.as_str());
            found.push(key.clone());
            if !nested {
                keys(root, value, &format!("{path}.{key}"), found);
            }
        }
        for choice in choices(schema) {
            keys(root, choice, path, found);
        }
        if let Some(item) = schema.get("items") {
            keys(root, item, path, found);
        }
    }

    #[test]
    fn the_case_runs_and_has_every_key() {
        let (text, _) = with_keys_left_out();
        Config::parse(&text, "all.toml".as_ref(), &[]).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let (schema, mut found) = (schema(), Vec::new());
        keys(&schema, &schema, "", &mut found);
        assert!(found.len() > 60, "{found:?}");
        for key in found {
            let stands = text.lines().any(|line| {
                let line = line.trim_start_matches('#');
                line.starts_with(&format!("{key} = "))
                    || line.contains(&format!(" {key} = "))
                    || line.starts_with('[')
                        && line.trim_matches(['[', ']']).split('.').any(|k| k == key)
            });
            assert!(stands, "{key} is missing in\n{text}");
        }
        assert!(text.lines().all(|line| line.len() <= WIDTH || !line.starts_with("# ")));
    }

    #[test]
    fn every_line_left_out_can_stand() {
        let (text, lines) = with_keys_left_out();
        assert!(lines.len() > 30);
        for (path, value) in lines {
            let mut case: toml::Table = toml::from_str(&text).unwrap();
            let keys: Vec<&str> = path.split('.').collect();
            let value: toml::Table = toml::from_str(&format!("value = {value}"))
                .unwrap_or_else(|e| panic!("{path} = {value}: {e}"));
            let mut table = &mut case;
            for (k, key) in keys[..keys.len() - 1].iter().enumerate() {
                let choice = ["domain", "initial", "domain.mesh.generate", "expect.exact"];
                let above = keys[..k].join(".");
                if choice.contains(&above.as_str()) {
                    table.retain(|other, _| other == *key);
                }
                let entry = table.entry(*key).or_insert(toml::Value::Table(toml::Table::new()));
                table = entry.as_table_mut().unwrap();
            }
            if ["initial", "expect.exact"].contains(&keys[..keys.len() - 1].join(".").as_str()) {
                table.clear();
            }
            // Some tables need more than one key.
            for (other, filler) in [("center", "[0, 0, 0]"), ("radius", "1")] {
                if path.starts_with("expect.exact.ball") {
                    let filler: toml::Table = toml::from_str(&format!("v = {filler}")).unwrap();
                    table.insert(other.into(), filler["v"].clone());
                }
            }
            table.insert(keys[keys.len() - 1].into(), value["value"].clone());
            let read = Config::deserialize(case);
            if let Err(error) = read {
                // Only one key was inserted, so a table that needs several keys may be incomplete.
                let missing = error.to_string().contains("missing field");
                assert!(missing, "{path} = {value}: {error}");
            }
        }
    }
}
