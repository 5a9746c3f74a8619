//! Prints the reference of the case file as Markdown, from the schema: every key with its allowed
//! values, default and meaning.
//!
//! Each table of a case has a section with one row per key. A value that can be written in several
//! ways has a section with one row per way. Allowed words are listed with their key.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::schema::{choices, inline, resolve, schema};

/// Returns Markdown tables of every key of a case, with third-level headings.
///
/// They are the second half of `docs/case-file.md`.
pub fn reference() -> String {
    let schema = schema();
    let mut page = Page { root: &schema, text: String::new(), headings: Vec::new() };
    page.section(&Section { schema: &schema, heading: "Top level".into(), path: String::new() });
    page.text.trim_end().to_string() + "\n"
}

struct Section<'a> {
    schema: &'a Value,
    heading: String,
    /// Path of the table in a case. Empty for the case itself and for values that are not tables.
    path: String,
}

/// The key that a value belongs to, with the path of its table.
#[derive(Clone, Copy)]
struct Place<'a> {
    path: &'a str,
    key: &'a str,
}

struct Page<'a> {
    root: &'a Value,
    text: String,
    /// Schema definitions that have a section, with their headings.
    headings: Vec<(&'a str, String)>,
}

impl<'a> Page<'a> {
    /// Adds a section, followed by the sections of the definitions that it is the first to mention.
    fn section(&mut self, section: &Section<'a>) {
        let Section { schema, heading, path } = section;
        let mut below = Vec::new();
        let about = description(schema);
        let about = about.strip_prefix(&format!("`{heading}`: ")).unwrap_or(&about);
        let mut text = format!("### {heading}\n\n{}\n\n", filled(&capitalized(about)));
        if let Some(keys) = properties(schema) {
            text += "| key | value | default | meaning |\n|---|---|---|---|\n";
            for (key, value) in keys {
                let given = self.value(value, Some(Place { path, key }), &mut below);
                let default = default(schema, key, value);
                let meaning = self.meaning(value);
                let _ = writeln!(text, "| `{key}` | {given} | {default} | {meaning} |");
            }
        } else {
            text += "| written as | meaning |\n|---|---|\n";
            for form in choices(schema) {
                let (given, meaning) = self.form(form, path, &mut below);
                let _ = writeln!(text, "| {given} | {meaning} |");
            }
        }
        self.text += &text;
        self.text += "\n";
        for section in below {
            self.section(&section);
        }
    }

    /// Returns the notation of one of several ways to write a value, and its meaning.
    fn form(
        &mut self,
        form: &'a Value,
        path: &str,
        below: &mut Vec<Section<'a>>,
    ) -> (String, String) {
        let mut meaning = description(form);
        let only =
            properties(form).filter(|keys| keys.len() == 1).and_then(|keys| keys.iter().next());
        let Some((key, value)) = only else {
            meaning += &self.inner(form, below);
            return (self.value(form, None, below), meaning);
        };
        let place = (!path.is_empty()).then_some(Place { path, key });
        let given = format!("`{key} =` {}", self.value(value, place, below));
        meaning += &self.inner(value, below);
        (given, meaning)
    }

    /// Returns the keys of a table that has no section of its own, with their values and meanings.
    fn inner(&mut self, schema: &'a Value, below: &mut Vec<Section<'a>>) -> String {
        let mut text = String::new();
        for (key, value) in properties(schema).into_iter().flatten() {
            let _ = write!(text, " `{key}`: {}.", self.value(value, None, below));
            let about = description(value);
            if !about.is_empty() {
                let _ = write!(text, " {about}");
            }
        }
        text
    }

    /// Returns the meaning of a key, with its allowed words.
    fn meaning(&self, schema: &'a Value) -> String {
        let mut meaning = description(schema);
        let items = resolve(self.root, schema).get("items").unwrap_or(schema);
        let items = resolve(self.root, items);
        for word in choices(items).iter().filter(|_| is_words(items)) {
            let name = word.get("const").map(inline).unwrap_or_default();
            let _ = write!(meaning, " `{name}`: {}.", description(word).trim_end_matches('.'));
        }
        meaning
    }

    /// Returns the allowed values.
    fn value(
        &mut self,
        schema: &'a Value,
        place: Option<Place>,
        below: &mut Vec<Section<'a>>,
    ) -> String {
        let range = range(schema);
        let ranged = |what: String| match &range {
            Some(range) => format!("{what} {range}"),
            None => what,
        };
        if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
            let found = resolve(self.root, schema);
            let has_section =
                properties(found).is_some() || !choices(found).is_empty() && !is_words(found);
            return ranged(match has_section {
                true => self.link(target, found, place, below),
                false if is_words(found) => self.value(found, None, below),
                // A string type with its own syntax is referred to by its name.
                false => spelled(target).to_lowercase(),
            });
        }
        let word = |word: &Value| format!("`{}`", inline(word));
        if let Some(only) = schema.get("const") {
            return word(only);
        }
        if let Some(words) = schema.get("enum").and_then(Value::as_array) {
            return words.iter().map(word).collect::<Vec<_>>().join(", ");
        }
        let forms = choices(schema);
        if !forms.is_empty() {
            let forms = forms.iter().map(|form| self.value(form, None, below));
            return forms.collect::<Vec<_>>().join(", ");
        }
        match schema.get("type").and_then(Value::as_str) {
            Some("integer") => ranged("integer".into()),
            Some("number") => ranged("number".into()),
            Some("boolean") => "`true`, `false`".into(),
            Some("array") => self.list(schema, below),
            Some("object") => {
                let names: Vec<&str> =
                    properties(schema).into_iter().flatten().map(|p| &**p.0).collect();
                format!("`{{ {} }}`", names.join(", "))
            }
            _ => "string".into(),
        }
    }

    fn list(&mut self, schema: &'a Value, below: &mut Vec<Section<'a>>) -> String {
        if let Some(items) = schema.get("prefixItems").and_then(Value::as_array) {
            let items: Vec<String> =
                items.iter().map(|item| self.value(item, None, below)).collect();
            return format!("`[ , ]`: {}", items.join(", "));
        }
        let item =
            schema.get("items").map(|item| self.value(item, None, below)).unwrap_or_default();
        let count = |name: &str| schema.get(name).and_then(Value::as_u64);
        match (count("minItems"), count("maxItems")) {
            (Some(n), Some(m)) if n == m => {
                format!("`[{}]`: {item}", vec![" "; n as usize].join(","))
            }
            (Some(n), _) => format!("list of {n} or more: {item}"),
            _ => format!("list: {item}"),
        }
    }

    /// Returns a link to the section of a definition. A new section follows the current one.
    fn link(
        &mut self,
        target: &'a str,
        schema: &'a Value,
        place: Option<Place>,
        below: &mut Vec<Section<'a>>,
    ) -> String {
        let known = self.headings.iter().find(|(other, _)| *other == target);
        let heading = known.map(|(_, heading)| heading.clone()).unwrap_or_else(|| {
            let path = place.filter(|_| self.is_table(schema)).map(|place| match place.path {
                "" => place.key.to_string(),
                path => format!("{path}.{}", place.key),
            });
            let heading = path.as_ref().map_or(spelled(target), |path| format!("[{path}]"));
            self.headings.push((target, heading.clone()));
            let path = path.unwrap_or_default();
            below.push(Section { schema, heading: heading.clone(), path });
            heading
        });
        format!("[{}](#{})", heading.trim_matches(['[', ']']), anchor(&heading))
    }

    /// Returns true if a value is always written as a table.
    fn is_table(&self, schema: &'a Value) -> bool {
        let schema = resolve(self.root, schema);
        match choices(schema) {
            [] => properties(schema).is_some(),
            choices => choices.iter().all(|choice| self.is_table(choice)),
        }
    }
}

fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    schema.get("properties").and_then(Value::as_object)
}

/// Returns true if a value is one of several words.
fn is_words(schema: &Value) -> bool {
    let all = choices(schema);
    schema.get("enum").is_some()
        || !all.is_empty() && all.iter().all(|choice| choice.get("const").is_some())
}

/// Returns the default of a key. The defaults of a table are listed with its own keys.
fn default(table: &Value, key: &str, schema: &Value) -> String {
    let names = table.get("required").and_then(Value::as_array);
    match schema.get("default") {
        Some(Value::Object(keys)) if keys.len() != 1 => String::new(),
        Some(value) => format!("`{}`", inline(value)),
        None if names.is_some_and(|names| names.iter().any(|name| name == key)) => {
            "required".into()
        }
        None => String::new(),
    }
}

/// Returns the smallest and largest allowed number. A lower bound of 0 for a count is not shown.
fn range(schema: &Value) -> Option<String> {
    let [least, most, above] =
        ["minimum", "maximum", "exclusiveMinimum"].map(|name| schema.get(name));
    let least = least.filter(|least| **least != 0 || schema.get("type") != Some(&"integer".into()));
    Some(match (least, above, most) {
        (Some(a), _, Some(b)) if a == b => bound(a),
        (Some(a), _, Some(b)) => format!("{} to {}", bound(a), bound(b)),
        (Some(a), _, None) => format!(">= {}", bound(a)),
        (None, Some(a), Some(b)) => format!("> {}, <= {}", bound(a), bound(b)),
        (None, Some(a), None) => format!("> {}", bound(a)),
        (None, None, Some(b)) => format!("<= {}", bound(b)),
        (None, None, None) => return None,
    })
}

/// Returns the description as one line that fits into a table cell. Descriptions that are also help
/// texts of options have no period at the end, so one is added.
fn description(schema: &Value) -> String {
    let text = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    let mut text = text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
    if !text.is_empty() && !text.ends_with('.') && !text.ends_with(".)") {
        text.push('.');
    }
    text
}

/// Breaks a paragraph into lines of at most 100 characters.
fn filled(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= 100 => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines.join("\n")
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

/// Formats a bound: whole numbers without a decimal point, large ones in scientific notation.
fn bound(value: &Value) -> String {
    match value.as_f64().filter(|x| x.fract() == 0.0) {
        Some(x) if x.abs() >= 1e6 => format!("{x:e}"),
        Some(x) => format!("{x}"),
        None => inline(value),
    }
}

/// Returns the name of a definition in words: "Half width" for `#/$defs/HalfWidth`.
fn spelled(target: &str) -> String {
    let mut words = String::new();
    for c in target.rsplit('/').next().unwrap_or(target).chars() {
        if c.is_uppercase() && !words.is_empty() {
            words.push(' ');
            words.extend(c.to_lowercase());
        } else {
            words.push(c);
        }
    }
    words
}

/// Returns the anchor of a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Collects the names of all keys in the schema.
    fn keys(schema: &Value, found: &mut Vec<String>) {
        match schema {
            Value::Object(map) => {
                found.extend(properties(schema).into_iter().flatten().map(|(key, _)| key.clone()));
                map.iter().filter(|(name, _)| *name != "default").for_each(|(_, v)| keys(v, found));
            }
            Value::Array(all) => all.iter().for_each(|value| keys(value, found)),
            _ => {}
        }
    }

    #[test]
    fn every_key_stands_in_it() {
        let (page, mut all) = (reference(), Vec::new());
        keys(&schema(), &mut all);
        assert!(all.len() > 100, "{all:?}");
        for key in all {
            let stands = [format!("| `{key}` |"), format!("`{key} =`"), format!(" `{key}`: ")];
            assert!(stands.iter().any(|form| page.contains(form)), "{key} is missing in\n{page}");
        }
    }

    #[test]
    fn every_link_has_its_section_and_every_row_its_cells() {
        let page = reference();
        let sections: Vec<String> =
            page.lines().filter_map(|line| line.strip_prefix("### ")).map(anchor).collect();
        for link in page.split("](#").skip(1).filter_map(|rest| rest.split(')').next()) {
            let found = sections.iter().filter(|section| *section == link).count();
            assert_eq!(found, 1, "{link}: {sections:?}");
        }
        let mut columns = 0;
        for line in page.lines().filter(|line| line.starts_with('|')) {
            let cells = line.replace("\\|", "").matches('|').count();
            if line.starts_with("| key ") || line.starts_with("| written ") {
                columns = cells;
            }
            assert_eq!(cells, columns, "{line}");
        }
    }
}
