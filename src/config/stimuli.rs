//! Reads files of stimuli: the values of `--stimuli` and `distance.stimuli`.

use std::borrow::Cow;
use std::path::Path;

use serde::Deserialize;

use super::document::{Document, Texts};
use super::{Config, Seed, file, suggest};
use crate::error::{Error, Result};
use crate::table::{Row, Table};

/// A stimulus: where and when tissue is excited.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Stimulus {
    /// The name, if the file states one. It need not be unique.
    pub name: Option<String>,
    /// The place, with the start time as its initial value.
    pub seed: Seed,
    /// The duration, > 0, in the unit of time of the speed. It does not change arrival times.
    pub duration: Option<f64>,
    /// The line of the file that begins the stimulus, counted from 1. `None` for a list of
    /// vertices.
    line: Option<usize>,
}

/// The stimuli that a case took from its file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StimuliRead {
    /// The number of seeds before those of the stimuli.
    pub first: usize,
    pub stimuli: Vec<Stimulus>,
}

impl Stimulus {
    /// Returns the place in the form of a seed, without the start time.
    pub fn place(&self) -> String {
        self.seed.clone().starting_at(0.0).to_string()
    }

    /// Reads the stimuli of a `.toml`, `.csv` or `.vtx` file (docs/distances.md, section 5.15).
    ///
    /// # Errors
    /// Returns [`Error::Case`] or [`Error::Input`] with the line if the file cannot be read or is
    /// malformed, if a key, column or kind of place is unknown, or if a number is invalid.
    pub fn read(path: &Path) -> Result<Vec<Self>> {
        let text = path.to_str().ok_or_else(|| {
            Error::usage(format!("{path:?} is not valid Unicode"), "rename the file")
        })?;
        read(path, text)
    }
}

impl Config {
    /// Returns the case with the stimuli of its file as further seeds of its distance.
    ///
    /// # Errors
    /// Returns the errors of [`Stimulus::read`], and [`Error::Case`] for a seed that the case
    /// cannot use.
    pub(crate) fn with_stimuli(&self) -> Result<Cow<'_, Self>> {
        let text = self.distance.as_ref().and_then(|distance| distance.stimuli.as_ref());
        let (Some(text), None) = (text, &self.origin.stimuli) else {
            return Ok(Cow::Borrowed(self));
        };
        let path = self.resolve(text)?;
        let stimuli = read(&path, text)?;
        let mut config = self.clone();
        if let Some(distance) = &mut config.distance {
            let first = distance.from.len();
            distance.from.extend(stimuli.iter().map(|stimulus| stimulus.seed.clone()));
            for (k, stimulus) in stimuli.iter().enumerate() {
                let key = format!("distance.from.{}", first + k);
                let title = match &stimulus.name {
                    Some(name) => format!("stimulus {k} \"{name}\""),
                    None => format!("stimulus {k}"),
                };
                config.origin.places.add_elsewhere(key, &path, stimulus.line, title);
            }
            config.origin.stimuli = Some(StimuliRead { first, stimuli });
        }
        config.check()?;
        Ok(Cow::Owned(config))
    }

    /// Removes the seeds that were taken from a file of stimuli.
    pub(super) fn remove_read_stimuli(&mut self) {
        if let (Some(distance), Some(read)) = (&mut self.distance, self.origin.stimuli.take()) {
            distance.from.truncate(read.first);
        }
    }
}

/// Reads the stimuli in `path`. `text` is the path as the user wrote it. Paths of other files in
/// the stimuli are relative to it.
fn read(path: &Path, text: &str) -> Result<Vec<Stimulus>> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let ends_in = |ending: &str| name.to_lowercase().ends_with(ending);
    if ends_in(".vtx") || ends_in(".vtx.gz") {
        // The list itself is read together with the mesh.
        std::fs::metadata(path).map_err(|error| {
            Error::input(path, "", format!("cannot be read: {error}"), "check the path")
        })?;
        let seed = Seed::VertexList { path: text.to_string(), start: 0.0 };
        let (name, _) = name.rsplit_once(".vtx").unwrap_or((&name, ""));
        let name = name.to_string();
        return Ok(vec![Stimulus { name: Some(name), seed, duration: None, line: None }]);
    }
    let stimuli = match () {
        () if ends_in(".toml") => of_toml(path)?,
        () if ends_in(".csv") => of_table(path)?,
        () => {
            let what = "is not a file of stimuli";
            return Err(Error::input(path, "", what, "give a .toml, .csv or .vtx file"));
        }
    };
    if stimuli.is_empty() {
        let remedy = "add a table [[stimulus]] with a place, such as at = \"group:apex\"";
        return Err(Error::case(path, None, "there is no stimulus", remedy));
    }
    Ok(stimuli.into_iter().map(|stimulus| stimulus.relative_to(text)).collect())
}

impl Stimulus {
    /// Makes the path of a file in the stimulus relative to the folder of the file `text`.
    fn relative_to(mut self, text: &str) -> Self {
        if let Seed::Curve { path, .. } | Seed::VertexList { path, .. } = &mut self.seed {
            // An environment variable may stand for an absolute path.
            let folder = Path::new(text).parent().filter(|_| !path.starts_with("${"));
            let joined = folder.map(|folder| folder.join(&*path));
            if let Some(joined) = joined.as_deref().and_then(Path::to_str) {
                *path = joined.to_string();
            }
        }
        self
    }
}

/// The contents of a TOML file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    #[serde(default)]
    stimulus: Vec<Entry>,
}

/// A table `[[stimulus]]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: Option<String>,
    at: Option<Seed>,
    #[serde(default)]
    time: f64,
    duration: Option<f64>,
}

fn of_toml(path: &Path) -> Result<Vec<Stimulus>> {
    let texts = Texts::new(path, &file::read(path)?, &[])?;
    let document = Document::parse(&texts)?;
    let contents: Contents = document.read()?;
    let places = document.places();
    let stimulus = |(k, entry): (usize, Entry)| {
        let key = format!("stimulus.{k}");
        let wrong = |name: &str, flaw: Flaw| {
            places.error(
                &format!("{key}.{name}"),
                format!("stimulus {k}: {}", flaw.what),
                flaw.remedy,
            )
        };
        let remedy = "add a place, such as at = \"group:apex\" or at = \"sphere:1,2,3,0.5\"";
        let at = entry.at.ok_or_else(|| wrong("at", Flaw::new("there is no key `at`", remedy)))?;
        let seed = timed(at, entry.time).map_err(|(name, flaw)| wrong(name, flaw))?;
        checked(entry.duration).map_err(|flaw| wrong("duration", flaw))?;
        let line = places.line(&key);
        Ok(Stimulus { name: entry.name, seed, duration: entry.duration, line })
    };
    contents.stimulus.into_iter().enumerate().map(stimulus).collect()
}

/// The columns of a table of stimuli.
const COLUMNS: [&str; 9] = ["at", "vertex", "x", "y", "z", "radius", "time", "duration", "name"];

fn of_table(path: &Path) -> Result<Vec<Stimulus>> {
    let table = Table::read(path)?;
    let wrong =
        |what: String, remedy: String| Error::case(path, Some(table.title_line), what, remedy);
    if let Some(title) = table.titles.iter().find(|title| !COLUMNS.contains(&title.as_str())) {
        return Err(wrong(format!("unknown column `{title}`"), suggest(title, &COLUMNS)));
    }
    let has = |title: &str| table.column(title).is_some();
    let of_point = ["x", "y", "z"].map(has);
    let places = [has("at"), has("vertex"), of_point.contains(&true)];
    let is_point_whole = !of_point.contains(&true) || !of_point.contains(&false);
    let is_radius_used = !has("radius") || of_point.contains(&true);
    if places.iter().filter(|&&is_given| is_given).count() != 1
        || !is_point_whole
        || !is_radius_used
    {
        let what = format!("the columns {} do not state one place", table.titles.join(", "));
        let remedy = "give the column at, the column vertex, or the columns x, y, z and perhaps \
                      radius";
        return Err(wrong(what, remedy.into()));
    }
    table.rows.iter().enumerate().map(|(k, row)| of_row(&table, k, row)).collect()
}

fn of_row(table: &Table, k: usize, row: &Row) -> Result<Stimulus> {
    let wrong = |flaw: Flaw| {
        let what = format!("stimulus {k}: {}", flaw.what);
        Error::case(&table.file, Some(row.line), what, flaw.remedy)
    };
    let cell = |title: &str| {
        let text = table.column(title).map(|column| row.cells[column].as_str());
        text.filter(|text| !text.is_empty())
    };
    let number = |title: &str| -> Result<Option<f64>> {
        let Some(text) = cell(title) else { return Ok(None) };
        let number = text.parse().map_err(|_| {
            wrong(Flaw::new(format!("{title} `{text}` is not a number"), "give a number"))
        })?;
        Ok(Some(number))
    };
    let needed = |title: &str| {
        let flaw = || wrong(Flaw::new(format!("{title} is empty"), "give a value"));
        cell(title).ok_or_else(flaw)
    };
    let text = if table.column("at").is_some() {
        needed("at")?.to_string()
    } else if table.column("vertex").is_some() {
        format!("vertex:{}", needed("vertex")?)
    } else {
        let at = [needed("x")?, needed("y")?, needed("z")?].join(",");
        match cell("radius") {
            Some(radius) => format!("sphere:{at},{radius}"),
            None => format!("point:{at}"),
        }
    };
    let at = text.parse().map_err(|what: String| wrong(Flaw::new(what, "")))?;
    let seed = timed(at, number("time")?.unwrap_or(0.0)).map_err(|(_, flaw)| wrong(flaw))?;
    let duration = number("duration")?;
    checked(duration).map_err(wrong)?;
    let name = cell("name").map(str::to_string);
    Ok(Stimulus { name, seed, duration, line: Some(row.line) })
}

/// A flaw of a stimulus.
struct Flaw {
    what: String,
    remedy: String,
}

impl Flaw {
    fn new(what: impl Into<String>, remedy: &str) -> Self {
        Flaw { what: what.into(), remedy: remedy.into() }
    }
}

/// Returns a place with a start time. An error contains the key with the flaw.
fn timed(at: Seed, time: f64) -> std::result::Result<Seed, (&'static str, Flaw)> {
    if at.start() != 0.0 {
        let what = format!("the place {at} has a start time");
        return Err(("at", Flaw::new(what, "leave out @START, and set `time`")));
    }
    if !time.is_finite() {
        return Err(("time", Flaw::new(format!("the time is {time}"), "give a finite number")));
    }
    Ok(at.starting_at(time))
}

/// Checks a duration.
fn checked(duration: Option<f64>) -> std::result::Result<(), Flaw> {
    match duration {
        Some(duration) if !(duration > 0.0 && duration.is_finite()) => {
            let what = format!("the duration is {duration}");
            Err(Flaw::new(what, "give a finite number > 0, or leave it out"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(name: &str, text: &str) -> Result<Vec<Stimulus>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        read(&path, &format!("sub/{name}"))
    }

    fn seeds(name: &str, text: &str) -> Vec<String> {
        read_text(name, text).unwrap().iter().map(|stimulus| stimulus.seed.to_string()).collect()
    }

    #[test]
    fn tables_and_toml_state_the_same_stimuli() {
        let toml = "[[stimulus]]\nname = \"apex\"\nat = \"vertex:3\"\ntime = 5\nduration = 2\n\n\
                    [[stimulus]]\nat = \"sphere:1,2,3,0.5\"\n";
        let found = read_text("a.toml", toml).unwrap();
        assert_eq!(found[0].name.as_deref(), Some("apex"));
        assert_eq!((found[0].duration, found[0].line), (Some(2.0), Some(1)));
        assert_eq!((found[1].duration, found[1].line), (None, Some(7)));
        let expected = ["vertex:3@5", "sphere:1,2,3,0.5"];
        assert_eq!(seeds("a.toml", toml), expected);
        assert_eq!(
            seeds("a.csv", "at,time\nvertex:3,5\n# none\n\"sphere:1,2,3,0.5\",\n"),
            expected
        );
        assert_eq!(seeds("a.csv", "vertex;time;name\n3;5;apex\n"), ["vertex:3@5"]);
        let points = "x,y,z,radius,time\n1,2,3,0.5,0\n1,2,3,,-1\n";
        assert_eq!(seeds("a.csv", points), ["sphere:1,2,3,0.5", "point:1,2,3@-1"]);
        assert_eq!(seeds("Apex.vtx", "1\nintra\n3\n"), ["vtx:sub/Apex.vtx"]);
    }

    #[test]
    fn paths_in_stimuli_start_at_their_file() {
        let text = "[[stimulus]]\nat = \"vtx:b.vtx\"\n[[stimulus]]\nat = \"curve:${DATA}/c.vtp\"\n\
                    [[stimulus]]\nat = \"curve:/d.vtp\"\n";
        let expected = ["vtx:sub/b.vtx", "curve:${DATA}/c.vtp", "curve:/d.vtp"];
        assert_eq!(seeds("a.toml", text), expected);
    }

    #[test]
    fn flaws_are_named_with_their_line() {
        for (name, text, parts) in [
            ("a.toml", "", &["there is no stimulus", "[[stimulus]]"][..]),
            ("a.toml", "[[stimulus]]\nat = ", &["a.toml:2:"]),
            ("a.toml", "[[stimuli]]\n", &["a.toml:1:", "unknown key `stimuli`", "stimulus"]),
            ("a.toml", "[[stimulus]]\ntime = 1\n", &["a.toml:1: stimulus 0: there is no key `at`"]),
            (
                "a.toml",
                "[[stimulus]]\nat = \"vertex:1\"\ntimes = 2\n",
                &["a.toml:3:", "unknown key `times`", "did you mean `time`"],
            ),
            (
                "a.toml",
                "[[stimulus]]\nat = \"vertex:1\"\ntime = nan\n",
                &["a.toml:3: stimulus 0: the time is NaN", "finite"],
            ),
            (
                "a.toml",
                "[[stimulus]]\nat = \"vertex:1@3\"\n",
                &["a.toml:2: stimulus 0: the place vertex:1@3 has a start time", "`time`"],
            ),
            (
                "a.toml",
                "[[stimulus]]\nat = \"vertex:1\"\nduration = 0\n",
                &["a.toml:3: stimulus 0: the duration is 0"],
            ),
            ("a.toml", "[[stimulus]]\nat = \"ball:1\"\n", &["a.toml:2:", "unknown kind `ball`"]),
            ("a.csv", "vertx\n1\n", &["a.csv:1:", "unknown column `vertx`", "`vertex`"]),
            ("a.csv", "vertex,x,y,z\n", &["no rows"]),
            ("a.csv", "vertex,x,y,z\n1,2,3,4\n", &["a.csv:1:", "do not state one place"]),
            ("a.csv", "x,y\n1,2\n", &["a.csv:1:", "do not state one place"]),
            ("a.csv", "vertex,radius\n1,2\n", &["a.csv:1:", "do not state one place"]),
            ("a.csv", "vertex,time\n\n1,2\n2,x\n", &["a.csv:4: stimulus 1: time `x` is not"]),
            ("a.csv", "vertex,time\n1,nan\n", &["a.csv:2: stimulus 0: the time is NaN"]),
            ("a.csv", "vertex,time\n1.5,1\n", &["a.csv:2: stimulus 0:", "`1.5` is not a vertex"]),
            ("a.csv", "vertex,time\n,1\n", &["a.csv:2: stimulus 0: vertex is empty"]),
            ("a.csv", "x,y,z,radius\n1,2,3,0\n", &["a.csv:2: stimulus 0:", "radius must be > 0"]),
            ("a.csv", "vertex,time\n1\n", &["line: 2"]),
            ("a.txt", "1\n", &["is not a file of stimuli", ".toml, .csv or .vtx"]),
        ] {
            let message = read_text(name, text).unwrap_err().to_string();
            for part in parts {
                assert!(message.contains(part), "{text:?}: `{part}` is not in: {message}");
            }
        }
        let message = read(Path::new("no/a.vtx"), "a.vtx").unwrap_err().to_string();
        assert!(message.contains("cannot be read"), "{message}");
    }
}
