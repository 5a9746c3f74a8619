//! Parses a case and records the position of every key, applies overrides, and rewrites serde's
//! messages.

mod lenient;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Deserializer};

use crate::error::{Error, Result};
use crate::expression::Flaw;
use crate::words::suggest;
pub(super) use lenient::Lenient;

/// The texts from which a [`Document`] borrows: a case file and its `--set` options.
pub(super) struct Texts {
    file: PathBuf,
    text: String,
    /// The positions of the line feeds of the file, in ascending order.
    line_feeds: Vec<usize>,
    overrides: Vec<Override>,
}

/// A `--set key=value` option.
///
/// Its positions follow those of the file and of the options before it, so that one number
/// identifies a position in any of these texts.
struct Override {
    option: String,
    path: Vec<String>,
    /// The value, preceded by enough spaces for the parser to report the right positions.
    padded: String,
    /// The value as a TOML string, for words without quotes.
    quoted: String,
    places: Range<usize>,
}

/// The prefix that turns a value into a document.
const VALUE: &str = "value=";

impl Texts {
    /// Creates the texts from `text`, the content of `file`, and the `--set` options.
    pub(super) fn new(file: &Path, text: &str, options: &[String]) -> Result<Self> {
        let mut overrides: Vec<Override> = Vec::with_capacity(options.len());
        for option in options {
            let wrong = |what: &str| {
                Error::usage(
                    format!("--set {option}: {what}"),
                    "write --set key=value, such as --set evolve.cfl=0.25",
                )
            };
            let (key, value) = option.split_once('=').ok_or_else(|| wrong("there is no `=`"))?;
            let path: Vec<String> = key.split('.').map(|part| part.trim().to_string()).collect();
            if path.iter().any(String::is_empty) {
                return Err(wrong("part of the key is empty"));
            }
            // Each part of the key has one position, and the positions of the value follow.
            let start = overrides.last().map_or(text.len(), |o| o.places.end);
            let blanks = " ".repeat(start + path.len());
            let quoted = toml::Value::String(value.trim().to_string()).to_string();
            let end = blanks.len() + VALUE.len() + value.len().max(quoted.len()) + 1;
            overrides.push(Override {
                option: option.clone(),
                path,
                padded: format!("{blanks}{VALUE}{value}"),
                quoted: format!("{blanks}{VALUE}{quoted}"),
                places: start..end,
            });
        }
        let line_feeds = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(k, _)| k);
        let line_feeds = line_feeds.collect();
        Ok(Texts { file: file.to_path_buf(), text: text.to_string(), line_feeds, overrides })
    }

    /// Returns the syntax errors of the file, at most one for each line.
    pub(super) fn syntax_errors(&self) -> Vec<Error> {
        let (_, errors) = DeTable::parse_recoverable(&self.text);
        let mut lines = std::collections::BTreeSet::new();
        let mut is_first =
            |e: &toml::de::Error| lines.insert(e.span().map(|span| self.line_of(span.start)));
        errors.into_iter().filter(|e| is_first(e)).map(|e| self.not_toml(e)).collect()
    }

    fn not_toml(&self, error: toml::de::Error) -> Error {
        let line = error.span().map(|span| self.line_of(span.start));
        let what = format!("not TOML: {}", error.message().replace('\n', ", "));
        let is_template =
            |line: usize| self.text.lines().nth(line - 1).is_some_and(|text| text.contains("{{"));
        let remedy = match line.is_some_and(is_template) {
            true => "`zeroset batch` fills in {{column}} from a table",
            false => "",
        };
        Error::case(&self.file, line, what, remedy).because(error)
    }

    /// Returns the one-based line of a position in the file.
    fn line_of(&self, place: usize) -> usize {
        1 + self.line_feeds.partition_point(|&at| at < place)
    }
}

/// The positions of the keys of a case.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Places {
    file: PathBuf,
    /// Positions by dotted path. Entries of arrays are numbered from 0.
    entries: BTreeMap<String, Place>,
}

#[derive(Clone, Debug, PartialEq)]
enum Place {
    /// One-based line of the file.
    Line(usize),
    /// A `--set` option.
    Option(String),
    /// A command-line option with its value, which errors name instead of the key.
    Flag(String),
    /// Another file, perhaps with a one-based line. Errors name the title instead of the key.
    Elsewhere { file: PathBuf, line: Option<usize>, title: String },
}

impl Place {
    /// Returns an error about the value of `key` at this place, or about a part of that value.
    fn error(&self, key: &str, file: &Path, what: String, remedy: String) -> Error {
        match self {
            Place::Flag(flag) => {
                let what = what.strip_prefix(key).unwrap_or(&what).trim_start_matches([':', ' ']);
                // If the message already begins with the option or its value, that beginning is not
                // repeated.
                let value = flag.split_once(' ').map_or("", |(_, value)| value);
                let behind = |name: &str| what.strip_prefix(name).filter(|_| !name.is_empty());
                let behind = behind(flag).or_else(|| behind(value));
                let behind = behind.filter(|rest| rest.starts_with([':', ' ']));
                let what = behind.map_or_else(|| format!(": {what}"), str::to_string);
                Error::usage(format!("{flag}{what}"), remedy)
            }
            Place::Line(line) => Error::case(file, Some(*line), what, remedy),
            Place::Elsewhere { file, line, title } => {
                let what = what.strip_prefix(key).unwrap_or(&what);
                let gap = if what.starts_with(':') { "" } else { " " };
                Error::case(file, *line, format!("{title}{gap}{what}"), remedy)
            }
            Place::Option(option) => Error::usage(format!("--set {option}: {what}"), remedy),
        }
    }
}

impl Places {
    /// Creates the places of keys that are set by command-line options.
    pub(super) fn of_flags(flags: Vec<(String, String)>) -> Self {
        let entries = flags.into_iter().map(|(key, flag)| (key, Place::Flag(flag)));
        Places { file: PathBuf::new(), entries: entries.collect() }
    }

    /// Sets the place of a key whose value comes from another file. `title` names the value there.
    pub(super) fn add_elsewhere(
        &mut self,
        key: String,
        file: &Path,
        line: Option<usize>,
        title: String,
    ) {
        self.entries.insert(key, Place::Elsewhere { file: file.to_path_buf(), line, title });
    }

    /// Returns the line of a key in the file of the case.
    pub(super) fn line(&self, key: &str) -> Option<usize> {
        match self.entries.get(key) {
            Some(Place::Line(line)) => Some(*line),
            _ => None,
        }
    }

    /// Returns an error at the place of `key`, or of the nearest enclosing key that has a place.
    pub(super) fn error(&self, key: &str, what: String, remedy: String) -> Error {
        let mut around = key;
        loop {
            if let Some(place) = self.entries.get(around) {
                return place.error(key, &self.file, what, remedy);
            }
            match around.rsplit_once('.') {
                Some((above, _)) => around = above,
                None if self.file.as_os_str().is_empty() => return Error::usage(what, remedy),
                None => return Place::Line(1).error(key, &self.file, what, remedy),
            }
        }
    }
}

/// A parsed case file with its overrides and the position of every entry.
pub(super) struct Document<'t> {
    texts: &'t Texts,
    root: Spanned<DeTable<'t>>,
}

impl<'t> Document<'t> {
    /// Parses the file and applies the overrides.
    pub(super) fn parse(texts: &'t Texts) -> Result<Self> {
        let root = DeTable::parse(&texts.text).map_err(|e| texts.not_toml(e))?;
        let mut document = Document { texts, root };
        for over in &texts.overrides {
            document.lay_over(over)?;
        }
        Ok(document)
    }

    fn lay_over(&mut self, over: &'t Override) -> Result<()> {
        let wrong = |what: &str| Error::usage(format!("--set {}: {what}", over.option), "");
        let value = only_value(&over.padded)
            .or_else(|| only_value(&over.quoted))
            .ok_or_else(|| wrong("the value is neither TOML nor a plain word"))?;
        let place = |part: usize| over.places.start + part..over.places.start + part + 1;
        let (last, tables) = over.path.split_last().ok_or_else(|| wrong("no key"))?;
        let mut table = self.root.get_mut();
        for (part, name) in tables.iter().enumerate() {
            let fresh = || Spanned::new(place(part), DeValue::Table(DeTable::new()));
            let key = Spanned::new(place(part), Cow::Borrowed(name.as_str()));
            // A value that is replaced by a table is removed with its key, because an existing key
            // keeps its old position.
            if table.get(name.as_str()).is_some_and(|value| !value.get_ref().is_table()) {
                table.remove(name.as_str());
            }
            match table.entry(key).or_insert_with(fresh).get_mut() {
                DeValue::Table(inner) => table = inner,
                _ => return Err(wrong("not a table")),
            }
        }
        // The old entry is removed first, because an existing key keeps its old position.
        table.remove(last.as_str());
        table.insert(Spanned::new(place(tables.len()), Cow::Borrowed(last.as_str())), value);
        Ok(())
    }

    /// Deserializes the whole document as a `T`.
    pub(super) fn read<T: Deserialize<'t>>(&self) -> Result<T> {
        T::deserialize(Deserializer::from(self.root.clone())).map_err(|e| self.explain(&e))
    }

    /// Returns the value of a top-level key, if it is present.
    pub(super) fn value(&self, key: &str) -> Option<&DeValue<'t>> {
        self.root.get_ref().get(key).map(Spanned::get_ref)
    }

    /// Returns the string at a key in nested tables, if it is present.
    pub(super) fn text(&self, path: &[&str]) -> Option<&str> {
        let (key, above) = path.split_last()?;
        let tables = above.iter().try_fold(self.root.get_ref(), |table, name| {
            table.get(*name).and_then(|value| value.get_ref().as_table())
        });
        tables?.get(*key)?.get_ref().as_str()
    }

    /// Returns the place of every key, for messages after the document is dropped.
    pub(super) fn places(&self) -> Places {
        let mut places = Places { file: self.texts.file.clone(), ..Places::default() };
        self.add_places(self.root.get_ref(), "", &mut places);
        places
    }

    fn add_places(&self, table: &DeTable<'_>, above: &str, places: &mut Places) {
        for (key, value) in table {
            let path = format!("{above}{}", key.get_ref());
            self.add_below(value.get_ref(), &path, places);
            places.entries.insert(path, self.place(key.span().start));
        }
    }

    fn add_below(&self, value: &DeValue<'_>, path: &str, places: &mut Places) {
        match value {
            DeValue::Table(table) => self.add_places(table, &format!("{path}."), places),
            DeValue::Array(array) => {
                for (k, item) in array.iter().enumerate() {
                    let path = format!("{path}.{k}");
                    self.add_below(item.get_ref(), &path, places);
                    places.entries.insert(path, self.place(item.span().start));
                }
            }
            _ => {}
        }
    }

    fn place(&self, place: usize) -> Place {
        // The positions of the options ascend.
        let overrides = &self.texts.overrides;
        let behind = overrides.partition_point(|o| o.places.end <= place);
        match overrides.get(behind).filter(|o| o.places.contains(&place)) {
            Some(o) => Place::Option(o.option.clone()),
            None => Place::Line(self.texts.line_of(place)),
        }
    }

    fn error_at(&self, place: usize, what: String, remedy: String) -> Error {
        self.place(place).error("", &self.texts.file, what, remedy)
    }

    /// Returns the dotted name of the tables around `place`.
    fn table_around(&self, place: usize) -> String {
        tables_around(self.root.get_ref(), place).unwrap_or_default().join(".")
    }

    /// Returns the keys of the innermost table around `place`.
    fn keys_at(&self, place: usize) -> Vec<&str> {
        let mut table = self.root.get_ref();
        for name in tables_around(table, place).unwrap_or_default() {
            match table.get(name).and_then(|value| value.get_ref().as_table()) {
                Some(inner) => table = inner,
                None => break,
            }
        }
        let mut keys: Vec<_> = table.keys().map(|key| (key.span().start, key.get_ref())).collect();
        keys.sort_unstable();
        keys.into_iter().map(|(_, key)| key.as_ref()).collect()
    }

    fn explain(&self, error: &toml::de::Error) -> Error {
        let place = error.span().map_or(0, |span| span.start);
        let table = self.table_around(place);
        let within =
            if table.is_empty() { "at top level".to_string() } else { format!("in [{table}]") };
        let message = error.message();
        let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
        let (what, remedy) =
            match (quoted.as_slice(), message) {
                // The message already points into the expression and contains a remedy.
                (_, m) if m.contains(Flaw::EXCERPT) => (m.to_string(), String::new()),
                ([key, allowed @ ..], m) if m.starts_with("unknown field") => {
                    (format!("unknown key `{key}` {within}"), suggest(key, allowed))
                }
                ([word, allowed @ ..], m) if m.starts_with("unknown variant") => {
                    (format!("unknown entry `{word}` {within}"), suggest(word, allowed))
                }
                ([key, ..], m) if m.starts_with("missing field") => {
                    let remedy = "add it; `zeroset schema --markdown` describes it";
                    (format!("key `{key}` is missing {within}"), remedy.into())
                }
                // This is the message of the toml crate about the fields of an enum variant.
                (_, m) if m.starts_with("unexpected keys in table: ") => {
                    let (_, rest) = m.split_at("unexpected keys in table: ".len());
                    let (keys, allowed) =
                        rest.split_once(", available keys: ").unwrap_or((rest, ""));
                    let key = keys.split(", ").next().unwrap_or(keys);
                    let allowed: Vec<&str> = allowed.split(", ").collect();
                    (format!("unknown key `{key}` {within}"), suggest(key, &allowed))
                }
                (_, m) if m.starts_with(lenient::ONE_ENTRY) => {
                    match self.keys_at(place).as_slice() {
                    [] => (
                        format!("an entry is missing {within}"),
                        "add one; `zeroset schema --markdown` lists the entries".into(),
                    ),
                    keys => (
                        format!("exactly one entry is allowed {within}, found {}", keys.join(", ")),
                        "keep one; to replace all of them, use an option such as --set \"initial={...}\""
                            .into(),
                    ),
                }
                }
                (_, m) => (plain_types(m), String::new()),
            };
        self.error_at(place, what, remedy)
    }
}

/// Returns the value of a document made by [`Texts::new`], if the document holds nothing else.
fn only_value(document: &str) -> Option<Spanned<DeValue<'_>>> {
    let mut table = DeTable::parse(document).ok()?.into_inner();
    let value = table.remove("value")?;
    table.is_empty().then_some(value)
}

/// Returns the keys from `table` to the table that contains the key or value at `place`.
fn tables_around<'a>(table: &'a DeTable<'_>, place: usize) -> Option<Vec<&'a str>> {
    if table.keys().any(|key| key.span().contains(&place)) {
        return Some(Vec::new());
    }
    for (key, value) in table {
        let array = value.get_ref().as_array().map(|array| array.as_ref()).unwrap_or_default();
        let below = std::iter::once(value)
            .chain(array)
            .filter_map(|value| value.get_ref().as_table())
            .find_map(|inner| tables_around(inner, place));
        let here = || (value.get_ref().is_table() && value.span().contains(&place)).then(Vec::new);
        if let Some(below) = below.or_else(here) {
            return Some([vec![key.get_ref().as_ref()], below].concat());
        }
    }
    table.values().any(|value| value.span().contains(&place)).then(Vec::new)
}

/// Replaces the names of Rust types in a message with plain words.
fn plain_types(message: &str) -> String {
    let mut message = message.replace('\n', ", ");
    for (rust, plain) in [
        ("invalid type: ", "wrong type: found "),
        ("invalid value: ", "wrong value: found "),
        ("floating point ", "number "),
        ("an array of length 3", "[x, y, z]"),
        ("invalid length ", "wrong length "),
    ] {
        message = message.replace(rust, plain);
    }
    for (rust, plain) in [
        ("f64", "a number"),
        ("u32", "an integer >= 0"),
        ("u64", "an integer >= 0"),
        ("usize", "an integer >= 0"),
        ("i64", "an integer"),
        ("a sequence", "a list [...]"),
    ] {
        if let Some(head) = message.strip_suffix(&format!("expected {rust}")) {
            message = format!("{head}expected {plain}");
        }
    }
    match message.find("expected struct ") {
        Some(start) => format!("{}expected a table", &message[..start]),
        None => message,
    }
}
